//! Loop-invariant expressions and state whose shape cannot change during a match.

use std::collections::BTreeSet;

use crate::eval::{Dom, Machine, Position};
use crate::ir::{
    Bound, Builtin, ChanceKind, Change, Domain, Effect, Expr, ExprKind, Fold, Form, Lambda, Op, Place, Slot,
    StateId, Value, bound_slots, children, children_mut, domain_parts, reads_position, resets,
};
use crate::opt::is_grid_state;

/// Whether the value of an expression depends only on options, constants, players and the slots that `known`
/// accepts. Slots bound inside the expression count as known.
pub fn is_invariant(machine: &Machine, e: &Expr, known: &mut dyn FnMut(Slot) -> bool) -> bool {
    let bound = bound_slots(e);
    depends_only_on(machine, e, &mut |slot| bound.contains(&slot) || known(slot))
}

/// Like [`is_invariant`], for a domain.
pub fn is_invariant_domain(machine: &Machine, domain: &Domain, known: &mut dyn FnMut(Slot) -> bool) -> bool {
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    let bound: BTreeSet<Slot> = parts.into_iter().flat_map(bound_slots).collect();
    domain_depends_only_on(machine, domain, &mut |slot| bound.contains(&slot) || known(slot))
}

fn domain_depends_only_on(machine: &Machine, domain: &Domain, known: &mut dyn FnMut(Slot) -> bool) -> bool {
    if let Domain::Values(source) = domain
        && is_grid_state(machine, source)
    {
        return true;
    }
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().all(|part| depends_only_on(machine, part, known))
}

fn depends_only_on(machine: &Machine, e: &Expr, known: &mut dyn FnMut(Slot) -> bool) -> bool {
    match &e.kind {
        ExprKind::Table(_)
        | ExprKind::Own(..)
        | ExprKind::IsIn(_)
        | ExprKind::Standing
        | ExprKind::Score(_) => false,
        ExprKind::Local(slot) => known(*slot),
        ExprKind::Builtin(builtin, args)
            if builtin.traits().of_shape && args.first().is_some_and(|a| is_grid_state(machine, a)) =>
        {
            args[1..].iter().all(|arg| depends_only_on(machine, arg, known))
        }
        ExprKind::Builtin(Builtin::Size, args) if matches!(&args[0].kind, ExprKind::Table(id) if keeps_length(machine, *id)) => {
            true
        }
        ExprKind::In(value, domain) => {
            depends_only_on(machine, value, known) && domain_depends_only_on(machine, domain, known)
        }
        ExprKind::Listed(domain) => domain_depends_only_on(machine, domain, known),
        ExprKind::Fold(fold) => {
            fold.sources.iter().all(|source| domain_depends_only_on(machine, &source.domain, known))
                && fold.filter.iter().chain(&fold.stop).all(|e| depends_only_on(machine, e, known))
                && depends_only_on(machine, &fold.body, known)
        }
        ExprKind::Call(..) => false,
        _ => {
            let mut all = true;
            children(e, &mut |child| all = all && depends_only_on(machine, child, known));
            all
        }
    }
}

/// Whether a fold only filters: it has one source and no stop condition, and yields the elements that pass
/// the filter unchanged.
pub fn only_filters(fold: &Fold) -> bool {
    fold.stop.is_none()
        && matches!((&fold.body.kind, fold.sources.as_slice()),
            (ExprKind::Local(body), [source]) if source.slots == [*body])
}

/// Estimates the work of evaluating an expression, roughly in tree nodes; shape builtins weigh more, and whatever makes
/// a collection.
pub fn weight(e: &Expr) -> u64 {
    let own = match &e.kind {
        ExprKind::Builtin(builtin, _) if builtin.traits().of_shape => 20,
        ExprKind::Fold(_) | ExprKind::Listed(_) => 10,
        ExprKind::Builtin(..) if e.ty.is_collection() => 10,
        _ => 1,
    };
    let mut sum: u64 = own;
    children(e, &mut |child| sum = sum.saturating_add(weight(child)));
    sum.min(1 << 40)
}

/// Estimates the same if some local values are known: what depends on nothing else is known as well.
pub fn weight_given(machine: &Machine, e: &Expr, is_known: &dyn Fn(Slot) -> bool) -> u64 {
    if is_invariant(machine, e, &mut |slot| is_known(slot)) {
        return 1;
    }
    let mut inside = 0u64;
    children(e, &mut |part| inside = inside.saturating_add(weight_given(machine, part, is_known)));
    let mut parts = 0u64;
    children(e, &mut |part| parts = parts.saturating_add(weight(part)));
    (weight(e) - parts.min(weight(e))).saturating_add(inside).min(1 << 40)
}

/// Returns the highest slot that an expression reads or binds, and at least the game's number of slots.
pub fn highest_slot(machine: &Machine, e: &Expr) -> Slot {
    let mut highest = bound_slots(e).into_iter().max().unwrap_or(0);
    fn walk(e: &Expr, highest: &mut Slot) {
        if let ExprKind::Local(slot) = &e.kind {
            *highest = (*highest).max(*slot);
        }
        children(e, &mut |child| walk(child, highest));
    }
    walk(e, &mut highest);
    highest.max(machine.game.slots)
}

/// How the rules change the length of a list in the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LengthChange {
    /// The length never changes.
    None,
    /// The list only becomes shorter.
    Down,
    /// The length may change in either direction.
    Any,
}

pub fn length_change(machine: &Machine, state: StateId) -> LengthChange {
    let game = &machine.game;
    let Form::List(bound, _) = &game.state[state].form else { return LengthChange::Any };
    let exactly = matches!(bound, Some((Bound::Exactly, _)));
    let of = |place: &Place, drift: LengthChange| match place.state == state && place.path.is_empty() {
        true => drift,
        false => LengthChange::None,
    };
    let moved = |from: &Place, to: &Place| of(from, LengthChange::Down).max(of(to, LengthChange::Any));
    let changed = |change: &Change| match change {
        Change::Remove => LengthChange::Down,
        Change::Set | Change::Insert | Change::Join if exactly => LengthChange::None,
        _ => LengthChange::Any,
    };
    // What is reset has its first length again, unless that depends on the position.
    let depends = |init: Option<&Lambda>| init.is_some_and(|init| reads_position(&init.body));
    if game.code.iter().flat_map(|op| resets(game, op)).any(|(id, init)| id == state && depends(init)) {
        return LengthChange::Any;
    }
    let drifts = game.code.iter().map(|op| match op {
        Op::Do(Effect::Assign(places, _), _) => {
            let drifts = places.iter().map(|(place, change)| of(place, changed(change)));
            drifts.max().unwrap_or(LengthChange::None)
        }
        Op::Do(Effect::Send(_, from, to) | Effect::Deal(_, from, to), _) => moved(from, to),
        Op::Chance(chance) => match &chance.kind {
            ChanceKind::Draw(place, _) => of(place, LengthChange::Down),
            ChanceKind::Deal(_, from, to) => moved(from, to),
            ChanceKind::Value(..) | ChanceKind::Shuffle(_) => LengthChange::None,
        },
        _ => LengthChange::None,
    });
    drifts.max().unwrap_or(LengthChange::None)
}

/// Whether no rule changes the length of the list held by this piece of state.
fn keeps_length(machine: &Machine, state: StateId) -> bool {
    length_change(machine, state) == LengthChange::None
}

/// Evaluates a domain and returns its elements in order, equal ones once if `distinct`; `None` if it fails or has too
/// many ([`few_elements`]).
pub fn elements_of(
    machine: &Machine,
    blank: &Position,
    domain: &Domain,
    mut frame: Vec<Value>,
    distinct: bool,
) -> Option<Vec<Value>> {
    few_elements(&machine.ask(blank, |env| env.domain(domain, &mut frame, distinct)).ok()?)
}

/// Returns the elements of an evaluated domain in order; `None` if it has more than `MAX_ELEMENTS`.
pub fn few_elements(dom: &Dom) -> Option<Vec<Value>> {
    const MAX_ELEMENTS: usize = 1 << 13;
    let count = dom.count(Default::default()).ok()??.as_usize()?;
    (count <= MAX_ELEMENTS).then(|| dom.iter(Default::default()).ok().map(Iterator::collect)).flatten()
}

/// Returns a copy of the expression with every read of `slot` replaced by `by`.
pub fn substituted(e: &Expr, slot: Slot, by: &Expr) -> Expr {
    let mut copy = e.clone();
    substitute(&mut copy, slot, by);
    copy
}

/// Replaces every read of `slot` in the expression by `by`.
pub fn substitute(e: &mut Expr, slot: Slot, by: &Expr) {
    if matches!(&e.kind, ExprKind::Local(own) if *own == slot) {
        e.kind = by.kind.clone();
        return;
    }
    children_mut(e, &mut |child| substitute(child, slot, by));
}
