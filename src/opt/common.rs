//! What stands in an expression more than once is worked out once and given a name (common subexpression elimination).
//! Helpers that are called again bring it there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::hoist::is_loop;
use super::lets::strict;
use super::rewrite::{At, Rule, fresh, looks, made, nodes, rename, take};
use crate::ir::{
    Expr, ExprKind, Game, Slot, Type, bound_slots, children, children_mut, expr_text, free_slots,
};

/// The rule.
pub struct Common;

impl Rule for Common {
    fn expr(&self, e: &mut Expr, at: &mut At) -> bool {
        let game = at.facts.game();
        let mut parts = repeated(game, e);
        // The largest first; what is left of the others then is for the next round.
        parts.sort_by_key(|(form, part)| (Reverse(nodes(part)), form.clone()));
        for (form, part) in parts {
            let slot = at.slot();
            let mut body = e.clone();
            put(game, &mut body, &form, slot);
            // What may not be asked for at all is not worked out beforehand.
            if strict(&body, slot) {
                let whole = take(e);
                let part = fresh(&part, at);
                *e =
                    made(ExprKind::Let(vec![slot], Box::new(part), Box::new(body)), whole.ty.clone(), &whole);
                return true;
            }
        }
        false
    }
}

/// The loops within an expression, by their forms, that stand in several of its parts and mean the same in each.
fn repeated(game: &Game, e: &Expr) -> Vec<(String, Expr)> {
    let mut branches = 0;
    children(e, &mut |part| branches += usize::from(has_loop(part)));
    if branches < 2 {
        return Vec::new();
    }
    let bound = bound_slots(e);
    let mut found = BTreeMap::new();
    children(e, &mut |part| collect(game, part, &bound, &mut found));
    found.into_iter().filter(|(_, (times, _))| *times > 1).map(|(form, (_, part))| (form, part)).collect()
}

fn has_loop(e: &Expr) -> bool {
    let mut found = is_loop(e);
    children(e, &mut |part| found = found || has_loop(part));
    found
}

/// Counts the loops in an expression that read none of these slots but their own, by their forms.
fn collect(game: &Game, e: &Expr, bound: &BTreeSet<Slot>, found: &mut BTreeMap<String, (usize, Expr)>) {
    if is_loop(e) {
        let free = free_slots(e);
        let apart = free.iter().all(|slot| !bound.contains(slot));
        // Values that never change during a match are worked out before it.
        if apart && (looks(e) || !free.is_empty()) && is_plain(&e.ty) {
            found.entry(form(game, e)).or_insert_with(|| (0, e.clone())).0 += 1;
        }
    }
    children(e, &mut |part| collect(game, part, bound, found));
}

/// Whether values of a type are single ones, or collections of such: collections of collections are gone through where they are
/// made, and kept nowhere.
fn is_plain(ty: &Type) -> bool {
    let holds_others =
        |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Grid(_) | Type::Map(..));
    !holds_others(ty) || ty.element().is_some_and(|element| !holds_others(&element))
}

/// A text that two expressions share if they differ in the names of their own binders only.
fn form(game: &Game, e: &Expr) -> String {
    let bound = bound_slots(e);
    let mut names = BTreeMap::new();
    let mut copy = e.clone();
    rename(&mut copy, &mut |slot| {
        let next = Slot::MAX - names.len();
        if bound.contains(&slot) { *names.entry(slot).or_insert(next) } else { slot }
    });
    expr_text(game, &copy)
}

/// Puts a name into the place of every part of this form.
fn put(game: &Game, e: &mut Expr, form: &str, slot: Slot) {
    if is_loop(e) && self::form(game, e) == form {
        *e = made(ExprKind::Local(slot), e.ty.clone(), e);
        return;
    }
    children_mut(e, &mut |part| put(game, part, form, slot));
}
