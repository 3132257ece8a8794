//! Which draws are public, and which are made face down.

use std::collections::HashSet;

use super::{Chance, ChanceKind, Effect, Expr, ExprKind, Game, Op, Place, Sight, Slot, children};

/// Whether everybody may see the outcome of draws with this name: all of them go to public state only.
pub fn draw_is_public(game: &Game, name: &str) -> bool {
    let mut draws = game.code.iter().filter_map(|op| match op {
        Op::Chance(chance) if chance.name == name => Some(chance),
        _ => None,
    });
    draws.all(|chance| flows_to_public(game, chance))
}

fn public(game: &Game, place: &Place) -> bool {
    game.state[place.state].sight == Sight::Public
}

/// Whether the outcome of a draw goes to public state only.
fn flows_to_public(game: &Game, chance: &Chance) -> bool {
    match &chance.kind {
        ChanceKind::Shuffle(place) | ChanceKind::Deal(_, _, place) => public(game, place),
        ChanceKind::Value(_, slot) | ChanceKind::Draw(_, slot) => !flows_to_hidden(game, *slot),
    }
}

/// Whether the value of a slot, or a value computed from it, is written to state that not everybody sees, or says whose
/// such state or where in it something is written.
fn flows_to_hidden(game: &Game, slot: Slot) -> bool {
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
                    let valued = values.iter().any(|value| uses(value, &slots));
                    let touches = |place: &Place| {
                        valued || place.owner.iter().chain(&place.path).any(|part| uses(part, &slots))
                    };
                    if places.iter().any(|(place, _)| !public(game, place) && touches(place)) {
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
