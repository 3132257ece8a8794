//! Canonicalises state changes: rewrites assignments as updates in place, and substitutes the values of names
//! that are read only by the next few ops.

use std::collections::BTreeSet;

use super::fact::Scope;
use super::facts::Facts;
use super::lets::{always_reads, is_cheap};
use super::rewrite::{count_uses, expr_like, substitute, take};
use crate::ir::{
    Arith, Builtin, Change, Domain, Effect, Expr, ExprKind, Game, Live, Op, Pc, Place, Slot, StateId, Type,
    Value, children, effect_changes, expr_text, op_domain_mut, op_exprs_mut, op_parts, successors,
};

/// Rewrites `x := x + 1` as adding 1 to x, `s ++= {e}` as inserting e into s, and `x := x with [i] = v` as writing v to
/// x[i]. Returns whether anything changed.
pub fn added(game: &mut Game) -> bool {
    let mut changed = false;
    let whole = game.clone();
    for op in &mut game.code {
        let Op::Do(Effect::Assign(places, values), _) = op else { continue };
        let alone = places.len() == 1;
        for ((place, change), value) in places.iter_mut().zip(values) {
            if alone && *change == Change::Set && with_own(&whole, place, value) {
                changed = true;
            }
            let own = expr_text(&whole, &read(place, value));
            let is_own = |e: &Expr| expr_text(&whole, e) == own;
            let plain = match change {
                Change::Join => only(value).map(|one| (Change::Insert, one)),
                Change::Set => match &mut value.kind {
                    ExprKind::Arith(Arith::Add, a, b) if is_own(a) => Some((Change::Plus, take(b))),
                    ExprKind::Arith(Arith::Add, a, b) if is_own(b) => Some((Change::Plus, take(a))),
                    ExprKind::Arith(Arith::Sub, a, b) if is_own(a) => Some((Change::Minus, take(b))),
                    ExprKind::Builtin(builtin @ (Builtin::Union | Builtin::JoinLists), args)
                        if is_own(&args[0]) =>
                    {
                        let joins = match args[0].ty {
                            Type::Set(_) => true,
                            Type::List(_) => *builtin == Builtin::JoinLists,
                            _ => false,
                        };
                        // The union of lists leaves out what is there already.
                        match only(&args[1]).filter(|_| joins) {
                            Some(one) => Some((Change::Insert, one)),
                            None => joins.then(|| (Change::Join, take(&mut args[1]))),
                        }
                    }
                    ExprKind::Builtin(Builtin::Without, args) if is_own(&args[0]) => {
                        let fits = matches!(args[0].ty, Type::Set(_));
                        only(&args[1]).filter(|_| fits).map(|one| (Change::Remove, one))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some((plain, what)) = plain {
                (*change, *value) = (plain, what);
                changed = true;
            }
        }
    }
    changed
}

/// Rewrites `x := x with [i] = v` as `x[i] := v`. Returns whether it did.
fn with_own(game: &Game, place: &mut Place, value: &mut Expr) -> bool {
    let own = expr_text(game, &read(place, value));
    let ExprKind::With(base, at, new) = &mut value.kind else { return false };
    if expr_text(game, base) != own {
        return false;
    }
    place.path.push(take(at));
    *value = take(new);
    true
}

/// Returns the element of a list or set of one element.
fn only(e: &Expr) -> Option<Expr> {
    let element = e.ty.element().unwrap_or(Type::Wrong);
    match &e.kind {
        ExprKind::List(parts) | ExprKind::Set(parts) if parts.len() == 1 => parts.first().cloned(),
        ExprKind::Value(value @ (Value::List(_) | Value::Set(_))) => {
            match crate::eval::elements(value).as_slice() {
                [one] => Some(expr_like(ExprKind::Value(one.clone()), element, e)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns an expression that reads a place.
fn read(place: &Place, like: &Expr) -> Expr {
    let mut e = match &place.owner {
        Some(owner) => expr_like(ExprKind::Own(place.state, Box::new(owner.clone())), Type::Wrong, like),
        None => expr_like(ExprKind::Table(place.state), Type::Wrong, like),
    };
    for at in &place.path {
        e = expr_like(ExprKind::Index(Box::new(e), Box::new(at.clone())), Type::Wrong, like);
    }
    e
}

/// Forward substitution: replaces names by their values if only the ops that follow directly read them,
/// before any input of the values changes. Returns whether anything changed.
pub fn forwarded(facts: &Facts, game: &mut Game) -> bool {
    let live = Live::of(game);
    let mut entries = vec![0usize; game.code.len() + 1];
    for from in 0..game.code.len() {
        successors(game, from).into_iter().for_each(|to| entries[to.min(game.code.len())] += 1);
    }
    let mut changed = false;
    for pc in 0..game.code.len() {
        let Op::Do(Effect::Let(slots, value), _) = &game.code[pc] else { continue };
        let ([slot], value) = (slots.as_slice(), value.clone()) else { continue };
        let slot = *slot;
        if count_uses(&value, slot) > 0 {
            continue;
        }
        let Some(readers) = readers(game, &live, &entries, pc, slot, &value) else { continue };
        let count: usize = readers.iter().map(|at| op_uses(&game.code[*at], slot)).sum();
        let total = facts.total(&value, &Scope::default());
        let next = readers.first() == Some(&(pc + 1)) && op_always_reads(&game.code[pc + 1], slot);
        if !(count == 1 || is_cheap(&value)) || !(total || count == 1 && next) {
            continue;
        }
        for at in readers {
            let op = &mut game.code[at];
            op_exprs_mut(op).into_iter().for_each(|e| substitute(e, slot, &value));
            op_domain_mut(op).into_iter().for_each(|domain| {
                let mut parts = Vec::new();
                crate::ir::domain_parts_mut(domain, &mut parts);
                parts.into_iter().for_each(|e| substitute(e, slot, &value));
            });
        }
        game.code[pc] = Op::Jump(pc + 1);
        changed = true;
    }
    changed
}

/// Returns the ops that read a name, if they all follow directly in straight-line code, before any input of
/// its value changes.
fn readers(game: &Game, live: &Live, entries: &[usize], pc: Pc, slot: Slot, value: &Expr) -> Option<Vec<Pc>> {
    let needed = Reads::of(value);
    let mut readers = Vec::new();
    let mut at = pc + 1;
    let mut stale = false;
    while at < game.code.len() && entries[at] == 1 {
        let op = &game.code[at];
        if op_uses(op, slot) > 0 {
            // A choice also evaluates its moves, whose reads are not part of any op.
            if stale || !matches!(op, Op::Do(..) | Op::Unless(..) | Op::Collect { .. }) {
                return None;
            }
            readers.push(at);
        }
        let Op::Do(effect, _) = op else {
            // Where control flow branches or stops, the name must no longer be live.
            let done = successors(game, at).into_iter().all(|to| !live.at(to).contains(&slot));
            let own = matches!(op, Op::Unless(..) | Op::Collect { .. });
            let dead = if own { done } else { !live.at(at).contains(&slot) };
            return (dead && !readers.is_empty()).then_some(readers);
        };
        stale |= needed.changed_by(game, effect);
        if !live.at(at + 1).contains(&slot) {
            return (!readers.is_empty()).then_some(readers);
        }
        at += 1;
    }
    None
}

fn op_uses(op: &Op, slot: Slot) -> usize {
    op_parts(op).into_iter().map(|e| count_uses(e, slot)).sum()
}

/// Whether an op always reads a name.
fn op_always_reads(op: &Op, slot: Slot) -> bool {
    match op {
        // The reason of an award and announcements are evaluated only if there is a listener.
        Op::Do(Effect::Award(amount, to, _), _) => always_reads(amount, slot) || always_reads(to, slot),
        Op::Do(Effect::Say(..), _) => false,
        Op::Collect { source: Domain::Values(e), .. } => always_reads(e, slot),
        Op::Collect { .. } => false,
        _ => op_parts(op).into_iter().any(|e| always_reads(e, slot)),
    }
}

/// The inputs of a value.
#[derive(Default)]
struct Reads {
    slots: BTreeSet<Slot>,
    states: BTreeSet<StateId>,
    /// Whether it depends on which players are still in.
    standing: bool,
    score: bool,
}

impl Reads {
    fn of(e: &Expr) -> Reads {
        fn walk(e: &Expr, reads: &mut Reads) {
            match &e.kind {
                ExprKind::Local(slot) => drop(reads.slots.insert(*slot)),
                ExprKind::Table(id) | ExprKind::Own(id, _) => drop(reads.states.insert(*id)),
                ExprKind::Standing | ExprKind::IsIn(_) => reads.standing = true,
                ExprKind::Score(_) => reads.score = true,
                _ => {}
            }
            children(e, &mut |part| walk(part, reads));
        }
        let mut reads = Reads::default();
        walk(e, &mut reads);
        reads
    }

    fn changed_by(&self, game: &Game, effect: &Effect) -> bool {
        let has = |place: &Place| self.states.contains(&place.state) || self.score;
        match effect {
            Effect::Let(slots, _) => slots.iter().any(|slot| self.slots.contains(slot)),
            Effect::Award(..) => self.score,
            Effect::Out(_) => self.standing,
            Effect::Reset(id) => self.states.iter().any(|state| game.state[*state].reset_by == Some(*id)),
            effect => effect_changes(effect).into_iter().any(|(place, _)| has(place)),
        }
    }
}
