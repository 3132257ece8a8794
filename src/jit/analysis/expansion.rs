//! Expansion of `let` names. Where a slot names a list that depends only on small values, the list expression
//! itself is substituted: the slot only holds the value, while queries on the expression can be answered from
//! a precomputed table. Also, where the first element of a list is copied to a piece of state and then
//! removed from the list by that name, the removal need not search for it.

use std::sync::Arc;

use crate::eval::Machine;
use crate::ir::{
    Builtin, Change, Domain, Effect, Expr, ExprKind, Op, Pc, Place, Slot, Type, domain_parts_mut, successors,
};
use crate::jit::analysis::invariants;

/// Returns the same game with its names expanded.
pub fn expanded(machine: &Machine) -> Machine {
    let code = &machine.game.code;
    // The lowest and the highest `Pc` from which control reaches each op.
    let mut sources: Vec<(Pc, Pc)> = vec![(Pc::MAX, 0); code.len()];
    for from in 0..code.len() {
        for to in successors(&machine.game, from) {
            if let Some((first, last)) = sources.get_mut(to) {
                (*first, *last) = (from.min(*first), from.max(*last));
            }
        }
    }
    let mut game = Arc::clone(&machine.game);
    for (pc, op) in code.iter().enumerate() {
        if pc > 0
            && sources[pc] == (pc - 1, pc - 1)
            && let Some(first) = first_element_copied_before(&code[pc - 1], op)
            && let Op::Do(Effect::Assign(_, values), _) = &mut Arc::make_mut(&mut game).code[pc]
        {
            values[0] = first.clone();
        }
        let Some((slot, list, free)) = tabulable_list(machine, op) else { continue };
        // Continue while control enters only from within this stretch of code and the list's inputs stay
        // unchanged.
        let (mut first, mut last) = (Pc::MAX, 0);
        for at in pc + 1..code.len() {
            match filled(&code[at]) {
                Some(filled) if !filled.iter().any(|own| *own == slot || free.contains(own)) => {}
                _ => break,
            }
            (first, last) = (first.min(sources[at].0), last.max(sources[at].1));
            if first >= pc && last <= at {
                expand_in(&mut Arc::make_mut(&mut game).code[at], slot, list);
            }
        }
    }
    machine.with_game(game)
}

/// If `before` copies the first element of a list into a piece of state and `op` removes that element from
/// the list again, returns the expression for the first element.
fn first_element_copied_before<'e>(before: &'e Op, op: &Op) -> Option<&'e Expr> {
    let (Op::Do(Effect::Assign(read, firsts), _), Op::Do(Effect::Assign(taken, values), _)) = (before, op)
    else {
        return None;
    };
    let ([(kept, Change::Set)], [first]) = (read.as_slice(), firsts.as_slice()) else { return None };
    let ([(list, Change::Remove)], [value]) = (taken.as_slice(), values.as_slice()) else { return None };
    let whole = kept.owner.is_none() && kept.path.is_empty() && kept.state != list.state;
    let again = matches!(value.kind, ExprKind::Table(state) if state == kept.state);
    (whole && again && is_first_of(first, list)).then_some(first)
}

/// Whether an expression is the `first` builtin applied to the list at a place of shared state.
pub fn is_first_of(e: &Expr, place: &Place) -> bool {
    let ExprKind::Builtin(Builtin::First, args) = &e.kind else { return false };
    let list = place.owner.is_none() && place.path.is_empty();
    list && matches!(args.as_slice(), [of] if matches!(of.kind, ExprKind::Table(state) if state == place.state))
}

/// If an op names a list that tables can precompute, returns the slot, the list expression and the slots it
/// reads.
fn tabulable_list<'e>(machine: &Machine, op: &'e Op) -> Option<(Slot, &'e Expr, Vec<Slot>)> {
    let Op::Do(Effect::Let(slots, list), _) = op else { return None };
    let ([slot], Type::List(_)) = (slots.as_slice(), &list.ty) else { return None };
    let free = crate::ir::free_slots(list);
    let fits = !free.is_empty() && !free.contains(slot);
    (fits && invariants::is_invariant(machine, list, &mut |_| true)).then_some((*slot, list, free))
}

/// The slots that an op fills; `None` for ops at which a seat or chance decides.
fn filled(op: &Op) -> Option<Vec<Slot>> {
    match op {
        Op::Do(Effect::Let(slots, _), _) => Some(slots.clone()),
        Op::Do(..) | Op::Jump(_) | Op::Unless(..) | Op::End(_) => Some(Vec::new()),
        Op::Collect { list, at, .. } => Some(vec![*list, *at]),
        Op::Next { at, slots, .. } => Some(slots.iter().chain([at]).copied().collect()),
        Op::Choose(_) | Op::Unseal(..) | Op::Chance(_) => None,
    }
}

/// Substitutes the list for its name in an op's expressions.
fn expand_in(op: &mut Op, slot: Slot, list: &Expr) {
    let mut values: Vec<&mut Expr> = Vec::new();
    match op {
        Op::Do(Effect::Let(_, value), _) | Op::Unless(value, _) => values.push(value),
        Op::Do(Effect::Assign(_, all), _) => values.extend(all),
        // A loop over the name itself keeps it, because its elements are listed only once.
        Op::Collect { source: Domain::Values(_), .. } => {}
        Op::Collect { source, .. } => domain_parts_mut(source, &mut values),
        _ => {}
    }
    values.into_iter().for_each(|value| invariants::substitute(value, slot, list));
}
