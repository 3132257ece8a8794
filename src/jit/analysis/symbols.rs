//! Which symbols the rules may write into each piece of state.

use std::collections::BTreeSet;

use crate::ir::{ChanceKind, Effect, Expr, Game, Op, Place, StateId, SymbolId, Type};

/// Whether, judging by types, the rules write only symbols into a piece of state that its form declares.
pub fn writes_only_its_own(game: &Game, state: StateId) -> bool {
    let ty = game.state[state].form.ty();
    let all = |ty: &Type| {
        let mut found = BTreeSet::new();
        symbols(ty, &mut found);
        found
    };
    let fits = |place: &Place, of: &Type| {
        let content = match (&ty, place.path.is_empty()) {
            (Type::Grid(content) | Type::List(content) | Type::Map(_, content), false) => content,
            _ => &ty,
        };
        place.state != state || all(of).is_subset(&all(content))
    };
    let moved = |from: &Place, to: &Place| fits(to, &game.state[from.state].form.ty());
    let first = |body: &Expr| all(&body.ty).is_subset(&all(&ty));
    game.state[state].init.as_ref().is_none_or(|init| first(&init.body))
        && game.code.iter().all(|op| match op {
            Op::Do(Effect::Assign(places, values), _) => {
                places.iter().zip(values).all(|((place, _), value)| fits(place, &value.ty))
            }
            Op::Do(Effect::Send(value, _, to), _) => fits(to, &value.ty),
            Op::Do(Effect::Deal(_, from, to), _) => moved(from, to),
            Op::Chance(chance) => match &chance.kind {
                ChanceKind::Deal(_, from, to) => moved(from, to),
                ChanceKind::Value(..) | ChanceKind::Shuffle(_) | ChanceKind::Draw(..) => true,
            },
            _ => true,
        })
}

/// Collects the symbols that values of a type may contain.
fn symbols(ty: &Type, found: &mut BTreeSet<SymbolId>) {
    match ty {
        Type::Symbol(ids) => found.extend(ids),
        Type::Either(ids, of) => {
            found.extend(ids);
            symbols(of, found);
        }
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) | Type::Grid(of) => {
            symbols(of, found)
        }
        Type::Map(key, of) => {
            symbols(key, found);
            symbols(of, found);
        }
        Type::Tuple(parts) => parts.iter().for_each(|part| symbols(part, found)),
        Type::Wrong | Type::Never | Type::Int | Type::Bool | Type::Player | Type::Square | Type::Text => {}
    }
}
