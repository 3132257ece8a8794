//! Candidate sets: which arguments of a move are legal, as domains and predicates. Needs, filters and domains are one thing
//! here: each condition stands at the first parameter that settles it, in whatever words the rules put it.
//!
//! The legal moves and their order are those of the rules. How a move is drawn at random depends on its domains as they are
//! written, and is decided there.

use super::binders::Binders;
use super::binders::selection;
use super::bounds;
use super::conditions::Conditions;
use super::facts::Facts;
use super::lets::{Lets, is_cheap, strict};
use super::rewrite::{At, Rule, both, condition, expr, made, reads, replace, truth, uses};
use crate::ir::{Domain, Expr, ExprKind, FoldKind, Move, MoveCheck, Slot, Type, conjuncts, domain_parts};

/// A parameter of a move that is chosen.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its slot.
    pub slot: Slot,
    /// Its type.
    pub ty: Type,
    /// What it is chosen from; equal values count once.
    pub domain: Domain,
    /// The window that integers are drawn from.
    pub window: Option<(Expr, Expr)>,
    /// How many integers of a range there are at most, if that is known.
    pub most: Option<i64>,
    /// What must hold of it and the parameters before it, in order.
    pub predicates: Vec<Expr>,
}

/// The candidate set of a move.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// What must hold whatever is chosen.
    pub before: Vec<Expr>,
    /// The parameters that are chosen, in order.
    pub params: Vec<Candidate>,
}

/// The candidate sets of a move.
#[derive(Debug, Clone)]
pub struct CandidateSets {
    /// All that may be legal.
    pub all: Candidates,
    /// Those that meet the needs that bind only where possible, if there are such needs. Where any offer has
    /// some, only such are legal.
    pub preferred: Option<Candidates>,
    /// Of each parameter that is chosen, what it is drawn from at random where that is less than its domain: the rest is ruled out by a
    /// need about it alone.
    pub drawn: Vec<Option<Domain>>,
}

impl CandidateSets {
    /// The candidate sets of a move of an optimised game, and of that move as it was written. `slots` is how many slots its frame has;
    /// more may be taken.
    pub fn of(facts: &Facts, mv: &Move, written: &Move, slots: &mut usize) -> CandidateSets {
        let prefers = mv.checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. }));
        let preferred = prefers.then(|| Candidates::of(facts, mv, true, slots));
        let drawn = bounds::drawn(facts, mv, written, slots);
        CandidateSets { all: Candidates::of(facts, mv, false, slots), preferred, drawn }
    }
}

impl Candidates {
    fn of(facts: &Facts, mv: &Move, preferred: bool, slots: &mut usize) -> Candidates {
        let scope = facts.of_move(mv);
        let mut at = At { facts, scope, frame: slots };
        let mut params = Vec::new();
        for param in &mv.params {
            let Some(domain) = param.domain.clone() else { continue };
            let (name, ty, window) = (param.name.clone(), param.ty.clone(), param.window.clone());
            params.push(Candidate {
                name,
                slot: param.slot,
                ty,
                domain,
                window,
                most: None,
                predicates: Vec::new(),
            });
        }
        let mut all = Candidates { before: Vec::new(), params };
        let mut conditions = all.filters(&mut at);
        conditions.extend(needs(mv, preferred, &mut at));
        let conditions =
            conditions.into_iter().flat_map(|condition| simplified(condition, &mut at)).collect();
        all.settle(conditions, &mut at);
        all.narrow(&mut at);
        all.filter_lists();
        all
    }

    /// Asks the conditions of domains of rows of each row, for those of the parameters, by number, that are not counted by
    /// all of it.
    pub fn ask_each_row(&mut self, such: impl Fn(usize) -> bool) {
        for (_, param) in self.params.iter_mut().enumerate().filter(|(at, _)| such(*at)) {
            if let Domain::Where(_, _, condition) = &param.domain {
                param.predicates.insert(0, (**condition).clone());
            }
        }
    }

    /// Takes the conditions out of domains that only select: what is left, and what must hold.
    fn filters(&mut self, at: &mut At) -> Vec<Expr> {
        let mut conditions = Vec::new();
        for param in &mut self.params {
            while let Domain::Values(whole) = &param.domain {
                // Under names, which only the condition may read.
                let (mut names, mut list) = (Vec::new(), whole);
                while let ExprKind::Let(slots, value, body) = &list.kind {
                    names.push((slots.as_slice(), &**value));
                    list = &**body;
                }
                let Some((fold, slot)) = selection(list) else { break };
                let mut parts = Vec::new();
                domain_parts(&fold.sources[0].domain, &mut parts);
                if parts.into_iter().any(|part| names.iter().any(|(slots, _)| reads(part, slots))) {
                    break;
                }
                // Of other domains, distinct values come in another order.
                if !matches!(fold.sources[0].domain, Domain::Range(..) | Domain::Values(_))
                    || !at.total(whole)
                {
                    break;
                }
                let own = made(ExprKind::Local(param.slot), param.ty.clone(), list);
                if let Some(mut filter) = fold.filter.clone() {
                    replace(&mut filter, slot, &own);
                    conditions.push(named(filter, &names));
                }
                let domain = fold.sources[0].domain.clone();
                param.domain = domain;
            }
        }
        conditions
    }

    /// Puts each condition where the first parameter is known that settles it. One that can fail is asked where it was:
    /// for no other rows than before, and for no fewer.
    fn settle(&mut self, conditions: Vec<Expr>, at: &mut At) {
        // Domains are gone through before any need is asked.
        let fixed = |param: &Candidate, at: &At| {
            let mut parts = Vec::new();
            domain_parts(&param.domain, &mut parts);
            parts.into_iter().all(|part| at.total(part))
        };
        let partial = self.params.iter().rposition(|param| !fixed(param, at));
        let (mut floor, mut last) = (partial.map_or(0, |at| at + 1), 0);
        let outside = at.scope.clone();
        for condition in conditions {
            let settled = self.params.iter().rposition(|param| reads(&condition, &[param.slot]));
            let settled = settled.map_or(0, |at| at + 1);
            let free = at.facts.total(&condition, &outside);
            let place = if free { settled.max(floor) } else { settled.max(floor).max(last) };
            // One that cannot fail where those before it hold stays behind them, and holds nothing up.
            if !free && !at.total(&condition) {
                floor = place;
            }
            at.facts.assume(&condition, true, &mut at.scope);
            last = last.max(place);
            match place.checked_sub(1).and_then(|i| self.params.get_mut(i)) {
                Some(param) => param.predicates.push(condition),
                None => self.before.push(condition),
            }
        }
        at.scope = outside;
    }

    /// A list that is gathered for a parameter may as well leave out what is not legal.
    fn filter_lists(&mut self) {
        for param in &mut self.params {
            let Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) = &mut param.domain else { continue };
            let plain = matches!(fold.kind, FoldKind::List | FoldKind::Set) && fold.stop.is_none();
            if !plain || !is_cheap(&fold.body) {
                continue;
            }
            for mut condition in std::mem::take(&mut param.predicates) {
                replace(&mut condition, param.slot, &fold.body);
                fold.filter = Some(match fold.filter.take() {
                    Some(filter) => both(filter, condition),
                    None => condition,
                });
            }
        }
    }
}

/// The needs of a move, one condition each, with the values that they name; with those that bind only where possible, if
/// these are to bind.
fn needs(mv: &Move, preferred: bool, at: &mut At) -> Vec<Expr> {
    let mut names: Vec<(&[Slot], &Expr)> = Vec::new();
    let (mut all, mut last) = (Vec::new(), Vec::new());
    for (i, check) in mv.checks.iter().enumerate() {
        match check {
            MoveCheck::Let(slots, value) => {
                names.push((slots, value));
                // Working it out may fail, whether or not a need behind it comes to ask.
                let asked = match mv.checks.get(i + 1) {
                    Some(MoveCheck::Need { cond, .. }) => slots.iter().any(|slot| strict(cond, *slot)),
                    _ => false,
                };
                if !asked && !at.total(value) {
                    all.push(named(truth(true, value), &names));
                }
            }
            MoveCheck::Need { cond, .. } => all.push(named(cond.clone(), &names)),
            // Behind all others, which are asked all the same; if it may fail, it fails where it stands.
            MoveCheck::Prefer { cond, .. } if preferred => {
                let cond = named(cond.clone(), &names);
                if !at.total(&cond) {
                    let asked = ExprKind::Or(Box::new(cond.clone()), Box::new(truth(true, &cond)));
                    all.push(condition(asked, &cond));
                }
                last.push(cond);
            }
            MoveCheck::Prefer { .. } => {}
        }
    }
    all.extend(last);
    all
}

/// A condition with the names it reads, and those that these read; the last name is the innermost.
fn named(cond: Expr, names: &[(&[Slot], &Expr)]) -> Expr {
    let last = names.len().checked_sub(1);
    let mut whole = cond;
    for (i, (slots, value)) in names.iter().enumerate().rev() {
        let bare = matches!(whole.kind, ExprKind::Value(_));
        if slots.iter().any(|slot| uses(&whole, *slot) > 0) || bare && Some(i) == last {
            let like = whole.clone();
            let kind = ExprKind::Let(slots.to_vec(), Box::new((*value).clone()), Box::new(whole));
            whole = condition(kind, &like);
        }
    }
    whole
}

/// A condition in the one form again, now that values stand in it: the parts that must all hold.
fn simplified(mut e: Expr, at: &mut At) -> Vec<Expr> {
    const ROUNDS: usize = 8;
    let rules: [&dyn Rule; 3] = [&Lets, &Conditions, &Binders];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for rule in rules {
            changed |= expr(rule, &mut e, at);
        }
        if !changed {
            break;
        }
    }
    let mut parts = Vec::new();
    conjuncts(e, &mut parts);
    parts
}
