//! Collects the conditions that a move's domain and needs impose on the rows of one parameter.

use std::collections::{BTreeSet, HashMap};

use super::{
    Decomposer, Domain, Expr, ExprKind, Game, Move, MoveCheck, Param, RowCondition, Slot, children,
    param_reads,
};
use crate::source::Span;

/// The conditions on the rows of one parameter. `condition.parts` begins with those of the domain, followed
/// by those of needs about this parameter alone, then by needs that also read earlier parameters, then by
/// needs that read later ones.
#[derive(Debug, Default)]
pub struct RowConstraints {
    /// The conditions that can be gathered.
    pub condition: RowCondition,
    /// How many parts come from the domain.
    pub from_domain: usize,
    /// How many parts do not depend on other parameters.
    pub independent: usize,
    /// How many parts depend on no later parameter. The parts after these are kept only if every need about
    /// the parameter can be gathered and no later domain reads it.
    pub without_later: usize,
    /// Whether the first `from_domain` parts cover everything that the domain requires.
    pub domain_covered: bool,
    /// The fully covered needs: the index of each check, and how many leading parts cover it.
    pub needs: Vec<(usize, usize)>,
    /// The spans of conditions that cannot be gathered and must be evaluated for each row.
    pub ungathered: Vec<Span>,
}

/// Analyses the conditions on the rows of a move's parameter, where `at` is its index among the chosen
/// parameters. Returns `None` if the parameter is not chosen among rows.
pub fn row_constraints(game: &Game, mv: &Move, param: &Param, at: usize) -> Option<RowConstraints> {
    let (domain, own) = match param.domain.as_ref()? {
        Domain::Where(_, of, condition) => (&**of, Some(condition)),
        domain => (domain, None),
    };
    if !domain.is_of_rows() {
        return None;
    }
    let mut reader = Decomposer::new(&game.functions, param.slot, game.slots);
    let domain_covered = own.is_none_or(|own| reader.decompose(own));
    let from_domain = reader.found.parts.len();
    for check in &mv.checks {
        if let MoveCheck::Let(slots, value) = check {
            reader.define(slots, value);
        }
    }
    let about = read_by_checks(mv);
    let mut needs = Vec::new();
    // Takes the needs whose set of parameters satisfies `such`; returns the number of parts so far.
    let mut take = |reader: &mut Decomposer, such: &dyn Fn(&BTreeSet<usize>) -> bool| {
        for (number, (check, about)) in mv.checks.iter().zip(&about).enumerate() {
            if let MoveCheck::Need { cond, .. } = check
                && about.contains(&at)
                && such(about)
                && reader.decompose(cond)
            {
                needs.push((number, reader.found.parts.len()));
            }
        }
        reader.found.parts.len()
    };
    let last = |about: &BTreeSet<usize>| about.last().copied();
    let independent = take(&mut reader, &|about| about.len() == 1);
    let without_later = take(&mut reader, &|about| about.len() > 1 && last(about) == Some(at));
    let later: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).skip(at + 1).collect();
    reader.later = later.iter().map(|param| param.slot).collect();
    let terms = reader.found.terms.len();
    take(&mut reader, &|about| last(about) > Some(at));
    let asks = |(check, about): &(&MoveCheck, &BTreeSet<usize>)| {
        matches!(check, MoveCheck::Need { .. } | MoveCheck::SoftNeed { .. }) && about.contains(&at)
    };
    let all = needs.len() == mv.checks.iter().zip(&about).filter(asks).count();
    if !all || later.iter().any(|later| param_reads(later, param.slot)) {
        let found = &mut reader.found;
        let behind: Vec<usize> =
            needs.iter().filter(|(_, parts)| *parts > without_later).map(|(check, _)| *check).collect();
        reader.ungathered.extend(behind.into_iter().map(|check| mv.checks[check].expr().span));
        found.parts.truncate(without_later);
        found.terms.truncate(terms);
        needs.retain(|(_, parts)| *parts <= without_later);
    }
    Some(RowConstraints {
        condition: reader.found,
        from_domain,
        independent,
        without_later,
        domain_covered,
        needs,
        ungathered: reader.ungathered,
    })
}

/// Returns, for each check of a move, which chosen parameters (by index) it reads, directly or through the
/// names it reads.
pub fn read_by_checks(mv: &Move) -> Vec<BTreeSet<usize>> {
    fn walk(e: &Expr, known: &HashMap<Slot, BTreeSet<usize>>, out: &mut BTreeSet<usize>) {
        if let ExprKind::Local(slot) = &e.kind {
            out.extend(known.get(slot).into_iter().flatten());
        }
        children(e, &mut |part| walk(part, known, out));
    }
    let chosen = mv.params.iter().filter(|param| param.domain.is_some());
    let mut known: HashMap<Slot, BTreeSet<usize>> =
        chosen.enumerate().map(|(at, param)| (param.slot, BTreeSet::from([at]))).collect();
    let mut all = Vec::new();
    for check in &mv.checks {
        let mut read = BTreeSet::new();
        walk(check.expr(), &known, &mut read);
        if let MoveCheck::Let(slots, _) = check {
            known.extend(slots.iter().map(|slot| (*slot, read.clone())));
        }
        all.push(read);
    }
    all
}
