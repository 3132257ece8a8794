//! The number of legal rows of a move and the row of a rank, found by counting rows by their conditions.

use std::collections::BTreeSet;

use super::domain::{count_or_zero, split};
use super::fold::bind;
use super::row_filter::{NeedScope, ParamValues};
use super::{Dom, Env, Fault, Machine, fault};
use crate::diag::Code;
use crate::ir::{BoundsOnLast, COUNTED_ANEW_TRIES, COUNTED_TRIES, MoveCheck, MoveId, Value};
use crate::num::Int;
use crate::source::Span;

/// The most values of a parameter that may be visited to count what follows each.
const MAX_VISITED: i64 = 1 << 24;

/// What is known of the number of legal rows.
pub(super) enum RowCount {
    /// The exact number.
    Count(Int),
    /// There are infinitely many.
    Infinite,
    /// The rows have to be visited one by one.
    Unknown,
}

impl Machine {
    /// Whether some parameter of a move has conditions by which its rows can be counted.
    pub fn has_row_filter(&self, mv: MoveId) -> bool {
        self.rows[mv].columns.iter().any(|column| column.row_filter.is_some())
    }

    /// Whether rows of a move may be tried at random.
    pub fn allows_rejection_sampling(&self, mv: MoveId) -> bool {
        self.rows[mv].allows_rejection_sampling
    }

    /// Returns how many rows are tried at most before the legal moves among some that are offered are counted, if they can be
    /// counted without looking at each, since some are chosen among rows, which are counted by all conditions on them. If the
    /// same rows are legal at every choice, counting them once is faster than any try that may be in vain.
    pub fn tries_before_counting(&self, offered: impl Iterator<Item = MoveId> + Clone) -> Option<i64> {
        let free = |mv: MoveId| self.game.moves[mv].checks.is_empty() && !self.rows[mv].dependent;
        let counted = |mv: MoveId| self.rows[mv].counted_by_conditions;
        let of_rows: Vec<MoveId> = offered.clone().filter(|mv| counted(*mv)).collect();
        if of_rows.is_empty() || !offered.clone().all(|mv| counted(mv) || free(mv)) {
            return None;
        }
        if of_rows.iter().all(|mv| self.rows[*mv].unchanging) && !of_rows.iter().all(|mv| free(*mv)) {
            return Some(0);
        }
        let kept = of_rows.iter().all(|mv| self.rows[*mv].counted_by_scalars());
        Some(if kept { COUNTED_TRIES } else { COUNTED_ANEW_TRIES })
    }

    /// Returns what settles the last chosen parameter of a move once the others are known.
    pub fn bounds_on_last(&self, mv: MoveId) -> Option<&BoundsOnLast> {
        self.rows[mv].bounds_on_last.as_ref()
    }

    /// Whether the rows of a chosen parameter are counted for random draws, and whether the whole condition
    /// of its domain can be gathered.
    pub fn counts_rows(&self, mv: MoveId, at: usize) -> (bool, bool) {
        let row_filter = self.rows[mv].columns[at].row_filter.as_ref();
        row_filter
            .map_or((false, false), |row_filter| (row_filter.drawn.is_some(), row_filter.draws_from_domain()))
    }

    /// Returns the spans of the conditions on a chosen parameter by which its rows cannot be counted.
    pub fn ungathered(&self, mv: MoveId, at: usize) -> &[Span] {
        let row_filter = self.rows[mv].columns[at].row_filter.as_ref();
        row_filter.map_or(&[], |row_filter| &row_filter.constraints.ungathered)
    }

    /// Returns the spans of the conditions of its domain by which its rows could be counted, but are not for random draws.
    pub fn not_drawn_by(&self, mv: MoveId, at: usize) -> Vec<Span> {
        let Some(row_filter) = &self.rows[mv].columns[at].row_filter else { return Vec::new() };
        let constraints = &row_filter.constraints;
        let parts = constraints.condition.parts[..constraints.from_domain].iter().enumerate();
        let drawn = |part: usize| row_filter.drawn.as_ref().is_some_and(|drawn| drawn.have(part..part + 1));
        parts.filter(|(part, _)| !drawn(*part)).map(|(_, part)| part.condition.span).collect()
    }

    /// Returns the needs that tell, with the domain, which rows of a chosen parameter are legal once the earlier parameters
    /// are known; `None` if its rows are not counted by all conditions on it, or one reads a later parameter.
    pub fn needs_of_rows(&self, mv: MoveId, at: usize) -> Option<Vec<usize>> {
        let rows = &self.rows[mv];
        let filter = &rows.columns[at].row_filter.as_ref()?.constraints;
        let param = &self.game.moves[mv].params[rows.columns[at].param];
        let whole = filter.domain_covered && filter.without_later == filter.condition.parts.len();
        let plain = param.window.is_none() && param.sampling_domain.is_none() && !rows.has_soft_needs;
        (rows.counted_by_conditions && whole && plain)
            .then(|| filter.needs.iter().map(|(check, _)| *check).collect())
    }

    /// Returns these needs, after the `let`s that they may read.
    pub fn checks_of_rows(&self, mv: MoveId, at: usize) -> Vec<&MoveCheck> {
        self.with_names(mv, self.needs_of_rows(mv, at).unwrap_or_default())
    }

    fn with_names(&self, mv: MoveId, needs: Vec<usize>) -> Vec<&MoveCheck> {
        let names: BTreeSet<usize> =
            needs.iter().flat_map(|need| self.rows[mv].lets_read[*need].clone()).collect();
        names.into_iter().chain(needs).map(|check| &self.game.moves[mv].checks[check]).collect()
    }

    /// Returns the checks by which the rows of a chosen parameter are counted for random draws, after the
    /// `let`s that they may read.
    pub fn counting_checks(&self, mv: MoveId, at: usize) -> Vec<&MoveCheck> {
        let conditions = self.drawing_conditions(mv, at);
        self.with_names(mv, conditions.map_or(Vec::new(), |of| of.checks.into_iter().collect()))
    }

    /// Whether rows of some parameter are counted by conditions that tie it to other parameters.
    pub(super) fn has_cross_needs(&self, mv: MoveId) -> bool {
        let row_filters = self.rows[mv].columns.iter().filter_map(|column| column.row_filter.as_ref());
        row_filters.into_iter().any(|row_filter| {
            row_filter.constraints.condition.parts.len() > row_filter.constraints.independent
        })
    }
}

impl Env<'_> {
    /// Counts the legal rows of a move; its seat and the parameters that the play gives must be in the frame.
    pub(super) fn count_rows(
        &self,
        mv: MoveId,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<RowCount, Fault> {
        let rows = &self.machine.rows[mv];
        // Without conditions to count by, visiting the rows skips more of them.
        let plain = self.machine.game.moves[mv].checks.is_empty() && !rows.dependent;
        if rows.has_soft_needs || !plain && !self.machine.has_row_filter(mv) {
            return Ok(RowCount::Unknown);
        }
        let count = self.count_from(mv, 0, windowed, frame)?;
        match &count {
            RowCount::Count(count) if !count.is_zero() && !self.needs_hold(mv, None, 0, frame)? => {
                Ok(RowCount::Count(Int::ZERO))
            }
            _ => Ok(count),
        }
    }

    /// Whether the needs hold whose last chosen parameter is number `last` (`None`: those that read none),
    /// except needs that the rows of that parameter have passed. Evaluates the `let`s they read.
    fn needs_hold(
        &self,
        mv: MoveId,
        last: Option<usize>,
        passed: usize,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        let rows = &self.machine.rows[mv];
        let asked = |number: usize| {
            let row_filter = last.and_then(|at| rows.columns[at].row_filter.as_ref());
            let needs = row_filter.iter().flat_map(|row_filter| &row_filter.constraints.needs);
            let mut counted = needs.filter(|(_, parts)| *parts <= passed).map(|(check, _)| *check);
            rows.params_read[number].last().copied() == last && !counted.any(|check| check == number)
        };
        let checks = &self.machine.game.moves[mv].checks;
        let mut known = BTreeSet::new();
        for (number, check) in checks.iter().enumerate() {
            let MoveCheck::Need { cond, .. } = check else { continue };
            if !asked(number) {
                continue;
            }
            for name in &rows.lets_read[number] {
                if let MoveCheck::Let(slots, value) = &checks[*name]
                    && known.insert(*name)
                {
                    let value = self.eval(value, frame)?;
                    bind(slots, value, frame);
                }
            }
            if !self.truth(cond, frame)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts the rows that begin with the first `at` arguments in the frame.
    pub(super) fn count_from(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<RowCount, Fault> {
        let Some((from, span)) = self.values_at(mv, at, windowed, frame)? else {
            return Ok(RowCount::Count(Int::ONE));
        };
        if from.counts_followers && from.is_exact() {
            return Ok(RowCount::Count(count_or_zero(&from.dom)));
        }
        if self.is_unconstrained(mv, at, &from) {
            let behind = match self.count_from(mv, at + 1, windowed, frame)? {
                RowCount::Count(behind) => behind,
                unknown => return Ok(unknown),
            };
            let Some(count) = from.dom.count(span)? else { return Ok(RowCount::Infinite) };
            let all = count.mul(&behind);
            return all
                .map(RowCount::Count)
                .map_err(|_| fault(Code::TooLarge, span, "there are too many moves to count"));
        }
        if from.dom.count(span)?.is_some_and(|count| count > Int::from(MAX_VISITED)) {
            return Ok(RowCount::Unknown);
        }
        let Some(values) = from.dom.values(span)? else { return Ok(RowCount::Infinite) };
        let mut total = Int::ZERO;
        for value in values {
            if self.bind_and_check(mv, at, &from, value, frame)? {
                match self.count_from(mv, at + 1, windowed, frame)? {
                    RowCount::Count(count) => total = total.add(&count),
                    unknown => return Ok(unknown),
                }
            }
        }
        Ok(RowCount::Count(total))
    }

    /// Returns the values of the `at`-th chosen parameter, without rows that fail needs they are counted by,
    /// and the span of the parameter; `None` if there is no such parameter.
    fn values_at(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Option<(ParamValues, Span)>, Fault> {
        let Some(column) = self.machine.rows[mv].columns.get(at) else { return Ok(None) };
        let span = self.machine.game.moves[mv].params[column.param].span;
        let from = self.param_values(mv, at, windowed, NeedScope::All, frame)?;
        Ok(Some((from, span)))
    }

    /// Whether the `at`-th chosen parameter may take any of its values, whatever else is chosen.
    fn is_unconstrained(&self, mv: MoveId, at: usize, from: &ParamValues) -> bool {
        let rows = &self.machine.rows[mv];
        let column = &rows.columns[at];
        let needs = column.row_filter.iter().flat_map(|row_filter| &row_filter.constraints.needs);
        let passed: Vec<usize> =
            needs.filter(|(_, parts)| *parts <= from.passed).map(|(check, _)| *check).collect();
        let checks = self.machine.game.moves[mv].checks.iter().enumerate();
        let mut needs = checks.filter(|(_, check)| matches!(check, MoveCheck::Need { .. }));
        from.is_exact()
            && !column.read_later
            && needs.all(|(number, _)| !rows.params_read[number].contains(&at) || passed.contains(&number))
    }

    /// Puts a value of the `at`-th parameter into the frame. Returns whether it meets all conditions so far.
    pub(super) fn bind_and_check(
        &self,
        mv: MoveId,
        at: usize,
        from: &ParamValues,
        value: Value,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        let column = &self.machine.rows[mv].columns[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        self.tick(param.span)?;
        frame[column.slot] = value;
        Ok(self.accepts(param, column, from, frame)? && self.needs_hold(mv, Some(at), from.passed, frame)?)
    }

    /// Puts the arguments of a rank into the frame. The rank must be below the result of [`Env::count_rows`].
    pub(super) fn unrank_row(&self, mv: MoveId, rank: Int, frame: &mut Vec<Value>) -> Result<(), Fault> {
        let (mut rank, mut at) = (rank, 0);
        while let Some((from, span)) = self.values_at(mv, at, true, frame)? {
            let slot = self.machine.rows[mv].columns[at].slot;
            let behind = |frame: &mut Vec<Value>| match self.count_from(mv, at + 1, true, frame)? {
                RowCount::Count(behind) => Ok(behind),
                RowCount::Infinite | RowCount::Unknown => {
                    Err(fault(Code::BadArgument, span, "the integers have no end"))
                }
            };
            if let Dom::Counted(counted) = &from.dom
                && from.counts_followers
                && from.is_exact()
            {
                (frame[slot], rank) = counted.unrank_with_rest(&rank);
            } else if self.is_unconstrained(mv, at, &from) {
                let (rest, number) = split(&rank, &behind(frame)?);
                frame[slot] = from.dom.at(&number);
                rank = rest;
            } else {
                for value in from.dom.iter(span)? {
                    if self.bind_and_check(mv, at, &from, value, frame)? {
                        let behind = behind(frame)?;
                        if rank < behind {
                            break;
                        }
                        rank = rank.sub(&behind);
                    }
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns the values of a domain that fulfil a condition, which reads the value from `slot`.
    pub(super) fn filtered(
        &self,
        slot: crate::ir::Slot,
        of: Dom,
        condition: &crate::ir::Expr,
        frame: &mut Vec<Value>,
    ) -> Result<Dom, Fault> {
        let game = &self.machine.game;
        let mut reader = crate::ir::Decomposer::new(&game.functions, slot, game.slots);
        let whole = reader.decompose(condition);
        let parts = reader.found.parts.len();
        let mut dom = of;
        if count_or_zero(&dom) != Int::ZERO || dom.count(condition.span)?.is_none() {
            let (counted, passed) =
                self.counted_rows(&dom, &reader.found, parts, None, frame, condition.span)?;
            if let Some(counted) = counted {
                dom = Dom::Counted(std::sync::Arc::new(counted));
                if whole && passed == parts {
                    return Ok(dom);
                }
            }
        }
        let mut kept = Vec::new();
        for value in dom.iter(condition.span)? {
            self.tick(condition.span)?;
            frame[slot] = value.clone();
            if self.truth(condition, frame)? {
                self.check_size(kept.len(), condition.span)?;
                kept.push(value);
            }
        }
        Ok(Dom::Items(kept.into()))
    }
}
