//! What must not be seen by all: which choices need a screen of their own, and which entries stay closed.

use std::collections::HashSet;

use crate::ir::{Expr, ExprKind, Game, Move, Sight, children, legality_parts};
use crate::play::{Entry, Match, draw_is_open};

/// Whether what is to be chosen now, or what can be chosen, is nobody else's business.
pub fn private_choice(played: &Match) -> bool {
    played.together() || played.offered().iter().any(|mv| mv.secret || reads_private(&played.rules.game, mv))
}

/// Whether the legal arguments of a move tell of something that not everybody sees.
fn reads_private(game: &Game, mv: &Move) -> bool {
    let mut known = HashSet::new();
    legality_parts(mv).into_iter().any(|part| reads(game, part, &mut known))
}

fn reads(game: &Game, e: &Expr, known: &mut HashSet<usize>) -> bool {
    let here = match &e.kind {
        ExprKind::Table(state) | ExprKind::Own(state, _) => game.state[*state].sight != Sight::Public,
        ExprKind::Call(function, _) if known.insert(*function) => {
            reads(game, &game.functions[*function].lambda.body, known)
        }
        _ => false,
    };
    let mut found = here;
    children(e, &mut |child| found = found || reads(game, child, known));
    found
}

/// Whether an entry of the match may be read by everybody, now that it is open.
pub fn open(played: &Match, entry: &Entry) -> bool {
    match entry.player {
        0 => draw_is_open(&played.rules.game, &entry.name),
        _ => !played.is_secret(entry),
    }
}
