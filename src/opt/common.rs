//! Common subexpression elimination: a loop that occurs more than once in an expression is evaluated once and
//! bound to a name. Such repetition typically results from helper functions that are called more than once.
//! Whether a condition holds for some element, or for all, is read off a count that is needed anyway.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::conditions::negate;
use super::hoist::is_loop;
use super::lets::always_reads;
use super::rewrite::{
    Rule, RuleContext, condition, expr_like, int_literal, let_in, reads_state, size, take, with_fresh_slots,
};
use crate::ir::{
    Compare, Expr, ExprKind, Fold, FoldKind, Game, Slot, Type, bound_slots, children, children_mut,
    expr_text, free_slots, rename_slots,
};

/// The rule of this pass.
pub struct Common;

impl Rule for Common {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let game = at.facts.game();
        let mut parts = repeated(e, at);
        // The largest first; what remains of the others is left to the next round.
        parts.sort_by_key(|(form, part, _)| (Reverse(size(part)), form.clone()));
        for (form, part, decides) in parts {
            let slot = at.new_slot();
            let mut body = e.clone();
            replace_with_name(game, &mut body, &Named { form, slot, decides });
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
/// expression and have the same value everywhere, and the counts that decide conditions; with whether they do.
fn repeated(e: &Expr, at: &RuleContext) -> Vec<(String, Expr, bool)> {
    let mut branches = 0;
    children(e, &mut |part| branches += usize::from(has_loop(part)));
    if branches < 2 {
        return Vec::new();
    }
    let bound = bound_slots(e);
    let mut found = BTreeMap::new();
    children(e, &mut |part| collect(part, at, &bound, &mut found));
    let repeated = found.into_iter().filter(|(_, of)| of.times > 1 || of.decides);
    repeated.filter_map(|(form, of)| Some((form, of.whole?, of.decides))).collect()
}

/// The occurrences of a loop.
#[derive(Default)]
struct Occurrences {
    /// How often it occurs.
    times: usize,
    /// Whether it is a count that decides a condition on elements.
    decides: bool,
    /// The loop; `None` if only such conditions occur.
    whole: Option<Expr>,
}

/// Returns the count that decides a condition on elements, and whether the condition holds if it is not 0; else it
/// holds if it is 0.
fn deciding_count(e: &Expr) -> Option<(Expr, bool)> {
    let ExprKind::Fold(fold) = &e.kind else { return None };
    let body = match fold.kind {
        FoldKind::Some => fold.body.clone(),
        FoldKind::All => negate(fold.body.clone()),
        _ => return None,
    };
    let holds = fold.kind == FoldKind::Some;
    let fold = Fold { kind: FoldKind::Count, body, ..(**fold).clone() };
    Some((expr_like(ExprKind::Fold(Box::new(fold)), Type::Int, e), holds))
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
fn collect(e: &Expr, at: &RuleContext, bound: &BTreeSet<Slot>, found: &mut BTreeMap<String, Occurrences>) {
    let game = at.facts.game();
    if is_named_loop(e) {
        let free = free_slots(e);
        let apart = free.iter().all(|slot| !bound.contains(slot));
        // Values that never change during a match are precomputed.
        if apart && (reads_state(e) || !free.is_empty()) && is_plain(&e.ty) {
            let own = found.entry(canonical_text(game, e)).or_default();
            own.times += 1;
            own.whole.get_or_insert_with(|| e.clone());
            // All of a count is evaluated, so it must not be able to fail where a condition would have stopped early.
            if let Some((count, _)) = deciding_count(e).filter(|(count, _)| at.total(count)) {
                found.entry(canonical_text(game, &count)).or_default().decides = true;
            }
        }
    }
    children(e, &mut |part| collect(part, at, bound, found));
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

/// A loop that gets a name.
struct Named {
    /// Its canonical text.
    form: String,
    /// The slot of the name.
    slot: Slot,
    /// Whether it also replaces the conditions on elements that it decides.
    decides: bool,
}

/// Replaces a loop by its name wherever it occurs.
fn replace_with_name(game: &Game, e: &mut Expr, named: &Named) {
    if is_named_loop(e) && canonical_text(game, e) == named.form {
        *e = expr_like(ExprKind::Local(named.slot), e.ty.clone(), e);
        return;
    }
    let count = if named.decides { deciding_count(e) } else { None };
    if let Some((count, holds)) = count.filter(|(count, _)| canonical_text(game, count) == named.form) {
        let (op, n) = if holds { (Compare::AtLeast, 1) } else { (Compare::Equal, 0) };
        let name = expr_like(ExprKind::Local(named.slot), count.ty, e);
        *e = condition(ExprKind::Compare(Box::new(name), vec![(op, int_literal(n, e))]), e);
        return;
    }
    children_mut(e, &mut |part| replace_with_name(game, part, named));
}
