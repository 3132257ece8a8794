//! Common subexpression elimination: a loop that occurs more than once in an expression is evaluated once and
//! bound to a name. Such repetition typically results from helper functions that are called more than once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::hoist::is_loop;
use super::lets::always_reads;
use super::rewrite::{Rule, RuleContext, expr_like, let_in, reads_state, size, take, with_fresh_slots};
use crate::ir::{
    Expr, ExprKind, Game, Slot, Type, bound_slots, children, children_mut, expr_text, free_slots,
    rename_slots,
};

/// The rule of this pass.
pub struct Common;

impl Rule for Common {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let game = at.facts.game();
        let mut parts = repeated(e, game);
        // The largest first; what remains of the others is left to the next round.
        parts.sort_by_key(|(form, part)| (Reverse(size(part)), form.clone()));
        for (form, part) in parts {
            let slot = at.new_slot();
            let mut body = e.clone();
            replace_with_name(game, &mut body, &form, slot);
            // A part that might not be evaluated at all must not be evaluated beforehand.
            if always_reads(&body, slot) {
                let whole = take(e);
                let part = with_fresh_slots(&part, at);
                *e = let_in(slot, part, body, whole.span);
                return true;
            }
        }
        false
    }
}

/// Returns the loops, with their canonical text, that occur more than once across the subexpressions of an
/// expression and have the same value everywhere.
fn repeated(e: &Expr, game: &Game) -> Vec<(String, Expr)> {
    let mut branches = 0;
    children(e, &mut |part| branches += usize::from(has_loop(part)));
    if branches < 2 {
        return Vec::new();
    }
    let bound = bound_slots(e);
    let mut found = BTreeMap::new();
    children(e, &mut |part| collect(part, game, &bound, &mut found));
    let repeated = found.into_iter().filter(|(_, (_, times))| *times > 1);
    repeated.map(|(form, (whole, _))| (form, whole)).collect()
}

/// Whether an expression is a loop, perhaps one that reads values bound to names around it.
fn is_named_loop(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Let(_, _, body) => is_named_loop(body),
        _ => is_loop(e),
    }
}

fn has_loop(e: &Expr) -> bool {
    let mut found = is_loop(e);
    children(e, &mut |part| found = found || has_loop(part));
    found
}

/// Counts, by canonical text, the loops in an expression that read none of the slots in `bound` except those
/// they bind themselves.
fn collect(e: &Expr, game: &Game, bound: &BTreeSet<Slot>, found: &mut BTreeMap<String, (Expr, usize)>) {
    if is_named_loop(e) {
        let free = free_slots(e);
        let apart = free.iter().all(|slot| !bound.contains(slot));
        // Values that never change during a match are precomputed.
        if apart && (reads_state(e) || !free.is_empty()) && is_plain(&e.ty) {
            let (_, times) = found.entry(canonical_text(game, e)).or_insert_with(|| (e.clone(), 0));
            *times += 1;
        }
    }
    children(e, &mut |part| collect(part, game, bound, found));
}

/// Whether a type is a single value or a collection of single values. Nested collections are not bound to
/// names: they are iterated where they are built, and not stored.
fn is_plain(ty: &Type) -> bool {
    let holds_others =
        |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Grid(_) | Type::Map(..));
    !holds_others(ty) || ty.element().is_some_and(|element| !holds_others(&element))
}

/// Returns a text that is equal for two expressions if they differ only in the slots of their own binders.
pub(super) fn canonical_text(game: &Game, e: &Expr) -> String {
    let bound = bound_slots(e);
    let mut names = BTreeMap::new();
    let mut copy = e.clone();
    rename_slots(&mut copy, &mut |slot| {
        let next = Slot::MAX - names.len();
        if bound.contains(&slot) { *names.entry(slot).or_insert(next) } else { slot }
    });
    expr_text(game, &copy)
}

/// Replaces the loop with this canonical text by the name in a slot wherever it occurs.
fn replace_with_name(game: &Game, e: &mut Expr, form: &str, slot: Slot) {
    if is_named_loop(e) && canonical_text(game, e) == form {
        *e = expr_like(ExprKind::Local(slot), e.ty.clone(), e);
        return;
    }
    children_mut(e, &mut |part| replace_with_name(game, part, form, slot));
}
