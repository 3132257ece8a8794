//! What moves would let the next player do at once, for `:hint`.

use super::Table;
use super::hints::{advised_move_text, after};
use super::prospects::are_partners;
use crate::bots::MoveStats;
use crate::eval::Chosen;
use crate::play::{Entry, Match};

/// How many moves, and answers to each, are looked at.
const MOVES: usize = 40;
const ANSWERS: usize = 60;

/// Warns of moves after which the next player can win points at once, if the best move does not let them. `None` where
/// something is hidden, or left to chance.
pub(super) fn dangers(table: &Table, seat: usize, best: &Chosen, others: &[&MoveStats]) -> Option<String> {
    let answer = |chosen: &Chosen| Some(scoring_answer(&after(table, seat, chosen)?, seat));
    if answer(best)?.is_some() {
        return None;
    }
    let looked_at = others.iter().take(MOVES);
    let mut bad = looked_at.filter_map(|other| Some((other, answer(&other.chosen)??)));
    let (worst, (next, reply)) = bad.next()?;
    let more = bad.count();
    let name = table.rules.game.seat_name(next - 1);
    let made = advised_move_text(table, seat, &worst.chosen);
    // Of many moves, none is one that somebody is about to make.
    if more > 1 && 2 * (more + 1) > others.len().min(MOVES) {
        return Some(format!(
            "after most other moves {name} can win points at once: after `{made}`, by `{reply}`"
        ));
    }
    let least = if others.len() > MOVES { "at least " } else { "" };
    let also = match more {
        0 => String::new(),
        1 => format!(", and so would {least}one other move"),
        more => format!(", and so would {least}{more} other moves"),
    };
    Some(format!("`{made}` would let {name} win points at once by `{reply}`{also}"))
}

/// Returns the next player, if it does not win and lose together with `seat`, and the answer that brings this player most points at once.
fn scoring_answer(at: &Table, seat: usize) -> Option<(usize, String)> {
    let next = match at.played.to_move().as_slice() {
        [next] if !are_partners(&at.played, seat, *next) => *next,
        _ => return None,
    };
    let points = |of: &Match| of.scores().ok().flatten()?.get(next - 1)?.as_i64();
    let before = points(&at.played)?;
    let brings = |entry: &Entry| {
        let mut after = at.played.clone();
        let made = after.make(entry).ok()?;
        made.drawn.is_empty().then(|| points(&after))?.map(|now| now - before)
    };
    let (legal, _) = at.played.some_legal(next, ANSWERS).ok()?;
    let gains = legal.into_iter().filter_map(|entry| Some((brings(&entry)?, entry)));
    let (gain, entry) = gains.max_by_key(|(gain, _)| *gain)?;
    (gain > 0).then(|| (next, at.played.entry_words(&entry)))
}
