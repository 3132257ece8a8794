//! The rows of arguments of a move, iterated in order; rows that fail for the same reason are skipped.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::legal::Judged;
use super::row_filter::{NeedScope, ParamValues, RowFilter};
use super::row_inputs::Inputs;
use super::scalar_parts::ScalarParts;
use super::{Chosen, Env, Fault};
use crate::ir::{
    Bounds, BoundsOnLast, Domain, Expr, ExprKind, Game, Move, MoveCheck, MoveId, Slot, Value,
    bounds_by_needs, bounds_on_last, children, domain_parts, has_soft_needs, independent_domains,
    is_dependent, param_reads, read_by_checks, reads,
};

/// What is known of the rows of a move in any position.
#[derive(Debug, Clone)]
pub struct MoveRows {
    /// The parameters that are chosen, in order.
    pub(super) columns: Vec<Column>,
    /// For each check, how many leading chosen parameters decide it and all checks before it.
    deciding_prefixes: Vec<usize>,
    /// Whether the domain or window of a parameter reads an earlier parameter.
    pub(super) dependent: bool,
    /// Whether the move has needs that bind only where possible.
    pub(super) has_soft_needs: bool,
    /// Whether rows may be sampled at random.
    pub(super) allows_rejection_sampling: bool,
    /// For each chosen parameter, the domain that it is sampled from if its own depends on another one.
    pub(super) widened: Vec<Option<Domain>>,
    /// Whether there are parameters chosen among rows, and their legal rows can be counted by all conditions on them.
    pub(super) counted_by_conditions: bool,
    /// Whether the same rows are legal at every choice.
    pub(super) unchanging: bool,
    /// For each chosen parameter, the bounds that the needs put on it.
    pub(super) bounds: Vec<Bounds>,
    /// The bounds that settle the last chosen parameter once the others are known, if there are any.
    pub(super) bounds_on_last: Option<BoundsOnLast>,
    /// For each check, the numbers of the chosen parameters that it reads.
    pub(super) params_read: Vec<BTreeSet<usize>>,
    /// For each check, the numbers of the `let`s that it depends on.
    pub(super) lets_read: Vec<BTreeSet<usize>>,
}

/// A parameter that is chosen.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its number among all parameters of the move.
    pub(super) param: usize,
    /// Its slot.
    pub slot: Slot,
    /// Whether the domain or window of a later parameter reads it.
    pub(super) read_later: bool,
    /// The conditions on its rows, if rows can be counted by them.
    pub(super) row_filter: Option<Arc<RowFilter>>,
}

impl MoveRows {
    /// Analyses a move.
    pub fn of(game: &Game, mv: &Move) -> MoveRows {
        // For each slot, how many leading chosen parameters decide its value.
        let mut settles: HashMap<Slot, usize> = HashMap::new();
        let mut chosen: Vec<Column> = Vec::new();
        for (number, param) in mv.params.iter().enumerate() {
            if param.domain.is_none() {
                continue;
            }
            for column in &mut chosen {
                column.read_later |= param_reads(param, column.slot);
            }
            chosen.push(Column { param: number, slot: param.slot, read_later: false, row_filter: None });
            settles.insert(param.slot, chosen.len());
        }
        let mut settled = Vec::new();
        // Infinite parameters are not iterated and their rows are not judged, so checks decide nothing.
        let domains = mv.params.iter().filter_map(|param| param.domain.as_ref());
        let mut so_far = if domains.into_iter().any(Domain::is_infinite) { UNDECIDED } else { 0 };
        for check in &mv.checks {
            so_far = so_far.max(last_read(check.expr(), &settles));
            settled.push(so_far);
            if let MoveCheck::Let(slots, _) = check {
                settles.extend(slots.iter().map(|slot| (*slot, so_far)));
            }
        }
        let about = read_by_checks(mv);
        let names = names_read(mv);
        let widened = independent_domains(game, mv);
        for (at, column) in chosen.iter_mut().enumerate() {
            column.row_filter = RowFilter::of(game, mv, &mv.params[column.param], at).map(Arc::new);
        }
        MoveRows {
            counted_by_conditions: counted_by_conditions(mv, &chosen, &about),
            unchanging: is_unchanging(game, mv),
            params_read: about,
            lets_read: names,
            dependent: is_dependent(mv),
            has_soft_needs: has_soft_needs(mv),
            allows_rejection_sampling: widened.is_some() && !has_soft_needs(mv),
            widened: widened.unwrap_or_default(),
            bounds: bounds_by_needs(game, mv),
            bounds_on_last: bounds_on_last(game, mv),
            columns: chosen,
            deciding_prefixes: settled,
        }
    }

    /// Whether all that rows are counted by depends on single values, so that counts can be kept for each case.
    pub(super) fn counted_by_scalars(&self) -> bool {
        let mut filters = self.columns.iter().filter_map(|column| column.row_filter.as_deref());
        filters.all(|of| of.scalars.as_ref().is_some_and(ScalarParts::are_all))
    }
}

/// See [`MoveRows::counted_by_conditions`].
fn counted_by_conditions(mv: &Move, columns: &[Column], about: &[BTreeSet<usize>]) -> bool {
    let filters: Vec<&RowFilter> = columns.iter().filter_map(|column| column.row_filter.as_deref()).collect();
    let covered = |number: usize, read: &BTreeSet<usize>| {
        let mut of_rows = read.iter().filter_map(|at| columns[*at].row_filter.as_deref()).peekable();
        let covers = |of: &RowFilter| of.constraints.needs.iter().any(|(check, _)| *check == number);
        of_rows.peek().is_none() || of_rows.any(covers)
    };
    let mut needs = mv.checks.iter().zip(about).enumerate();
    !filters.is_empty()
        && filters.iter().all(|of| of.constraints.domain_covered)
        && needs
            .all(|(number, (check, read))| !matches!(check, MoveCheck::Need { .. }) || covered(number, read))
}

/// Whether neither the domains nor the checks of a move depend on the position, on who moves, or on what the play gives.
fn is_unchanging(game: &Game, mv: &Move) -> bool {
    let mut parts: Vec<&Expr> = mv.checks.iter().map(MoveCheck::expr).collect();
    let mut named: BTreeSet<Slot> = BTreeSet::new();
    for param in mv.params.iter().filter(|param| param.domain.is_some()) {
        named.insert(param.slot);
        parts.extend(param.window.iter().flat_map(|(low, high)| [low, high]));
        param.domain.iter().chain(&param.sampling_domain).for_each(|domain| domain_parts(domain, &mut parts));
    }
    for check in &mv.checks {
        if let MoveCheck::Let(slots, _) = check {
            named.extend(slots);
        }
    }
    Inputs::of(game, parts, &named).is_some_and(|inputs| inputs.are_none())
}

/// Returns the largest number of a slot that an expression reads; 0 if it reads none of these slots.
fn last_read(e: &Expr, numbers: &HashMap<Slot, usize>) -> usize {
    let mut last = match &e.kind {
        ExprKind::Local(slot) => numbers.get(slot).copied().unwrap_or(0),
        _ => 0,
    };
    children(e, &mut |child| last = last.max(last_read(child, numbers)));
    last
}

/// Returns, for each check of a move, the `let`s before it that it depends on, directly or indirectly.
fn names_read(mv: &Move) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    for check in &mv.checks {
        let mut read = BTreeSet::new();
        for (number, (named, before)) in mv.checks.iter().zip(&all).enumerate() {
            if let MoveCheck::Let(slots, _) = named
                && slots.iter().any(|slot| reads(check.expr(), *slot))
            {
                read.insert(number);
                read.extend(before);
            }
        }
        all.push(read);
    }
    all
}

/// A legal row.
pub(super) struct Row<'r> {
    /// The number of the offer, counting the first offers and then the `otherwise` offers.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// Whether it meets the needs that bind only where possible.
    pub meets_soft: bool,
    /// The chosen parameters; empty if one of them is infinite.
    pub columns: &'r [Column],
    /// The frame that holds the arguments.
    pub frame: &'r [Value],
}

/// Called with each legal row; may end the walk.
pub(super) type OnRow<'w> = dyn FnMut(&Row) -> ControlFlow<()> + 'w;

impl Row<'_> {
    /// Returns the chosen arguments, in order.
    pub fn args(&self) -> impl Iterator<Item = &Value> {
        self.columns.iter().map(|column| &self.frame[column.slot])
    }

    /// Returns the move with its arguments.
    pub fn to_chosen(&self) -> Chosen {
        Chosen { offer: self.offer, mv: self.mv, args: self.args().cloned().collect() }
    }
}

/// A walk through the rows of an offer.
pub(super) struct Walk<'w, 'g, 'o> {
    pub env: &'w Env<'g>,
    /// The offer's number.
    pub number: usize,
    pub mv: MoveId,
    /// Whether integers come from their windows.
    pub windowed: bool,
    /// The values of the parameters if they were computed before, for a draw; values outside the bounds of the
    /// needs are not looked at then.
    pub precomputed: &'w [ParamValues],
    pub frame: &'w mut Vec<Value>,
    pub on: &'w mut OnRow<'o>,
}

/// How many leading arguments suffice to rule out all rows that begin with them; [`UNDECIDED`] if none do.
type DecidingPrefix = usize;
const UNDECIDED: DecidingPrefix = usize::MAX;

impl Walk<'_, '_, '_> {
    /// Visits the rows that begin with the first `at` arguments in the frame.
    ///
    /// A need that fails also rules out the rows that agree in all parameters read so far: they fail there
    /// too, with no fault before. They are skipped, unless a later domain that reads the parameter must be
    /// evaluated.
    pub fn rows(&mut self, at: usize) -> Result<ControlFlow<(), DecidingPrefix>, Fault> {
        let env = self.env;
        let (mv, rows) = (&env.machine.game.moves[self.mv], &env.machine.rows[self.mv]);
        let Some(column) = rows.columns.get(at) else {
            env.tick(mv.span)?;
            return Ok(match env.judge(self.mv, self.frame)? {
                Judged::Fails { need } => ControlFlow::Continue(rows.deciding_prefixes[need]),
                Judged::Holds { meets_soft: meets } => self.report(meets, &rows.columns),
            });
        };
        let param = &mv.params[column.param];
        let made;
        let from = match self.precomputed.get(at) {
            Some(from) => from,
            None => {
                made = env.param_values(self.mv, at, self.windowed, NeedScope::All, self.frame)?;
                &made
            }
        };
        let mut narrowed = None;
        if let Some(last) = &rows.bounds_on_last
            && at < self.precomputed.len()
            && at + 1 == rows.columns.len()
        {
            env.narrow(narrowed.insert(from.dom.clone()), &last.bounds, self.frame);
        }
        let Some(values) = narrowed.as_ref().unwrap_or(&from.dom).values(param.span)? else {
            // An infinite domain always has a value that fits.
            return Ok(self.report(true, &[]));
        };
        let mut all = UNDECIDED;
        for value in values {
            self.frame[column.slot] = value;
            if !env.accepts(param, column, from, self.frame)? {
                continue;
            }
            let ControlFlow::Continue(settled) = self.rows(at + 1)? else {
                return Ok(ControlFlow::Break(()));
            };
            if settled <= at {
                all = settled;
                if !column.read_later {
                    break;
                }
            }
        }
        Ok(ControlFlow::Continue(all))
    }

    fn report(&mut self, meets: bool, chosen: &[Column]) -> ControlFlow<(), DecidingPrefix> {
        let row =
            Row { offer: self.number, mv: self.mv, meets_soft: meets, columns: chosen, frame: self.frame };
        match (self.on)(&row) {
            ControlFlow::Break(()) => ControlFlow::Break(()),
            ControlFlow::Continue(()) => ControlFlow::Continue(UNDECIDED),
        }
    }
}
