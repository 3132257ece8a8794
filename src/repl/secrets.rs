//! Secrecy at a shared screen: which choices need a private screen, and messages to one player alone.

use crate::ir::{Game, Move, legality_parts};
use crate::play::{Event, Match, is_known, reads_secret};

/// Whether the other players must not see the current choice.
pub fn secret_choice(played: &Match) -> bool {
    played.together() || played.offered().iter().any(|mv| mv.secret)
}

/// Whether the other players must not see the current choice, or the moves that it offers.
pub fn private_choice(played: &Match) -> bool {
    secret_choice(played) || played.offered().iter().any(|mv| reads_private(&played.rules.game, mv))
}

/// Whether the legal arguments of a move depend on something that not everybody sees.
fn reads_private(game: &Game, mv: &Move) -> bool {
    legality_parts(mv).into_iter().any(|part| reads_secret(game, part))
}

/// Whether anything was chosen or drawn that not everybody may know yet.
pub fn hides(played: &Match) -> bool {
    (0..played.entries().count()).any(|at| !is_known(played, at))
}

/// Returns what the rules have said to a player (from 1) alone since its last choice.
pub fn unheard(played: &Match, player: usize) -> Vec<String> {
    let own = played.steps().enumerate().filter(|(_, made)| made.iter().any(|entry| entry.player == player));
    let since = own.last().map_or(0, |(step, _)| step);
    let said = played.events().filter(|(step, _)| *step >= since).filter_map(|(_, event)| match event {
        Event::Said(Some(seat), words) if seat + 1 == player => Some(words.clone()),
        _ => None,
    });
    said.collect()
}
