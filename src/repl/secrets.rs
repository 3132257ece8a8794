//! What must not be seen by all: which choices need a screen of their own, and which draws stay closed.

use std::collections::HashSet;

use crate::ir::{
    Chance, ChanceKind, Effect, Expr, ExprKind, Game, Move, Op, Place, Sight, Slot, children, legality_parts,
};
use crate::play::{Entry, Match};

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
        0 => {
            let game = &played.rules.game;
            let mut draws = game.code.iter().filter_map(|op| match op {
                Op::Chance(chance) if chance.name == entry.name => Some(chance),
                _ => None,
            });
            draws.all(|chance| draw_is_open(game, chance))
        }
        _ => !played.is_secret(entry),
    }
}

fn public(game: &Game, place: &Place) -> bool {
    game.state[place.state].sight == Sight::Public
}

/// Whether a draw goes nowhere but to public places.
fn draw_is_open(game: &Game, chance: &Chance) -> bool {
    match &chance.kind {
        ChanceKind::Shuffle(place) | ChanceKind::Deal(_, _, place) => public(game, place),
        ChanceKind::Value(_, slot) | ChanceKind::Draw(_, slot) => !goes_private(game, *slot),
    }
}

/// Whether the value of a slot, or one that is made of it, comes to a place that not everybody sees.
fn goes_private(game: &Game, slot: Slot) -> bool {
    fn uses(e: &Expr, slots: &HashSet<Slot>) -> bool {
        let mut found = matches!(&e.kind, ExprKind::Local(slot) if slots.contains(slot));
        children(e, &mut |child| found = found || uses(child, slots));
        found
    }
    let mut slots = HashSet::from([slot]);
    loop {
        let before = slots.len();
        for op in &game.code {
            let Op::Do(effect, _) = op else { continue };
            match effect {
                Effect::Let(names, value) if uses(value, &slots) => slots.extend(names),
                Effect::Assign(places, values) => {
                    let touched = values.iter().any(|value| uses(value, &slots));
                    if touched && places.iter().any(|(place, _)| !public(game, place)) {
                        return true;
                    }
                }
                Effect::Send(value, _, to) if uses(value, &slots) && !public(game, to) => return true,
                _ => {}
            }
        }
        if slots.len() == before {
            return false;
        }
    }
}
