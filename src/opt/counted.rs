//! The rows that the reference counts by their conditions, as candidate sets of their elements.

use super::rewrite::bool_literal;
use super::{Candidates, Facts};
use crate::eval::Machine;
use crate::ir::{Domain, Expr, Move, MoveCheck, MoveId, Param, Slot, conjuncts, rename_slots};
use crate::source::Span;

/// The conditions by which the reference counts the rows of a parameter.
#[derive(Debug)]
pub struct Counting<'g> {
    /// Those of the domain, each with the slot from which it reads a row.
    pub conditions: Vec<(Slot, Expr)>,
    /// The needs, after the `let`s that they may read.
    pub checks: Vec<&'g MoveCheck>,
}

/// Returns the conditions by which the reference counts the rows of chosen parameter number `at` of a move of an optimised
/// game, `own`; `source` is the game as written. `None` if it is not certain which these are.
fn counting<'g>(source: &Machine, own: &'g Move, mv: MoveId, at: usize) -> Option<Counting<'g>> {
    // Of a need that rows are counted by in part only, it is not known which part.
    if source.drawing_conditions(mv, at).is_some_and(|conditions| !conditions.whole_needs) {
        return None;
    }
    counting_by(source, own, (mv, at), &source.counting_checks(mv, at), false)
}

/// Returns all conditions that make rows of a chosen parameter legal, likewise.
pub fn legal_conditions<'g>(
    source: &Machine,
    own: &'g Move,
    (mv, at): (MoveId, usize),
) -> Option<Counting<'g>> {
    source.needs_of_rows(mv, at)?;
    counting_by(source, own, (mv, at), &source.checks_of_rows(mv, at), true)
}

/// Does either, with the checks and, if `all`, with all conditions of the domain.
fn counting_by<'g>(
    source: &Machine,
    own: &'g Move,
    (mv, at): (MoveId, usize),
    counted: &[&MoveCheck],
    all: bool,
) -> Option<Counting<'g>> {
    // The passes keep the checks in their places.
    let written = &source.game.moves[mv];
    if written.checks.len() != own.checks.len() {
        return None;
    }
    let is_counted = |check: &MoveCheck| counted.iter().any(|other| std::ptr::eq(*other, check));
    let both = written.checks.iter().zip(&own.checks);
    let checks = both.filter(|(check, _)| is_counted(check)).map(|(_, own)| own).collect();
    let nth = |of: &'g Move| of.params.iter().filter_map(|param| param.domain.as_ref()).nth(at);
    let written = written.params.iter().filter_map(|param| param.domain.as_ref()).nth(at)?;
    let domain = nth(own)?;
    let conditions = match all {
        true => all_conditions(domain),
        false => conditions(source, (mv, at), written, domain)?,
    };
    Some(Counting { conditions, checks })
}

/// Returns all conditions of a domain, each with the slot from which it reads a row.
fn all_conditions(domain: &Domain) -> Vec<(Slot, Expr)> {
    let Domain::Where(slot, of, condition) = domain else { return Vec::new() };
    let mut own = Vec::new();
    conjuncts((**condition).clone(), &mut own);
    let own = own.into_iter().map(|condition| (*slot, condition));
    all_conditions(of).into_iter().chain(own).collect()
}

/// Returns those of a domain's conditions by which the reference counts its rows, each with the slot from which it reads a
/// row; `None` if passes have made others of them.
fn conditions(
    source: &Machine,
    (mv, at): (MoveId, usize),
    written: &Domain,
    domain: &Domain,
) -> Option<Vec<(Slot, Expr)>> {
    let Domain::Where(slot, of, condition) = domain else { return Some(Vec::new()) };
    let Domain::Where(_, _, before) = written else { return None };
    if let Domain::Where(..) = **of {
        return None;
    }
    if source.counts_rows(mv, at).1 {
        return Some(all_conditions(domain));
    }
    let (mut own, mut from) = (Vec::new(), Vec::new());
    conjuncts((**condition).clone(), &mut own);
    conjuncts((**before).clone(), &mut from);
    let is_in = |span: &Span, of: &Span| span.start >= of.start && span.end <= of.end;
    let mut ungathered = source.not_drawn_by(mv, at);
    // What stands in a function that is called cannot be told apart.
    if ungathered.iter().any(|span| !from.iter().any(|condition| is_in(span, &condition.span))) {
        return None;
    }
    ungathered.extend(source.ungathered(mv, at));
    let is_written = |condition: &Expr| from.iter().any(|other| other.span == condition.span);
    let leaves_out = |condition: &Expr| ungathered.contains(&condition.span);
    // Of a condition that is gathered in part only, it is not known which part.
    let whole = |condition: &Expr| {
        leaves_out(condition) || !ungathered.iter().any(|span| is_in(span, &condition.span))
    };
    if !own.iter().all(|condition| is_written(condition) && whole(condition)) {
        return None;
    }
    own.retain(|condition| !leaves_out(condition));
    Some(own.into_iter().map(|condition| (*slot, condition)).collect())
}

/// Returns the rows that the reference counts to draw one, for each chosen parameter of a move, as candidate sets; `None` of
/// parameters whose rows it does not count.
pub(super) fn counted_rows(
    facts: &Facts,
    source: &Machine,
    own: &Move,
    mv: MoveId,
    slots: &mut usize,
) -> Vec<Option<Candidates>> {
    let chosen: Vec<&Param> = own.params.iter().filter(|param| param.domain.is_some()).collect();
    let mut rows = |at: usize, param: &Param| {
        if !source.counts_rows(mv, at).0 {
            return None;
        }
        let counting = counting(source, own, mv, at)?;
        let domain = param.domain.as_ref()?.without_condition().0.clone();
        // The same move with no other parameter to choose, and no other condition.
        let given = own.params.iter().filter(|other| other.domain.is_none()).cloned();
        let conditions = counting.conditions.into_iter().map(|(slot, mut cond)| {
            rename_slots(&mut cond, &mut |own| if own == slot { param.slot } else { own });
            let (span, reason) = (cond.span, bool_literal(true, &cond));
            MoveCheck::Need { cond, reason, span }
        });
        let part = Move {
            params: given.chain([Param { domain: Some(domain), ..param.clone() }]).collect(),
            checks: conditions.chain(counting.checks.into_iter().cloned()).collect(),
            ..own.clone()
        };
        Some(Candidates::of(facts, &part, false, slots))
    };
    chosen.iter().enumerate().map(|(at, param)| rows(at, param)).collect()
}
