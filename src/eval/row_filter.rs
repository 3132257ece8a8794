//! The values of a parameter: its domain without rows that fail conditions on it and on other parameters.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::append_only_cache::AppendOnlyCache;
use super::counted::Followers;
use super::goals::Later;
use super::ranks::RowCount;
use super::row_inputs::Inputs;
use super::rows::Column;
use super::scalar_parts::ScalarParts;
use super::{Counted, Dom, Env, Fault, elements};
use crate::ir::{
    Bounds, Domain, Expr, Game, Move, MoveCheck, MoveId, Param, RowConstraints, Slot, Value, domain_parts,
    read_by_checks, reads, row_constraints,
};
use crate::num::Int;
use crate::source::Span;

/// The conditions on the rows of one parameter: those of its domain first, then needs.
#[derive(Debug)]
pub(super) struct RowFilter {
    /// The conditions, as far as they can be gathered.
    pub constraints: RowConstraints,
    /// What of a position the conditions depend on, where reading the rules can tell: those on the parameter
    /// alone, those that also read earlier parameters, and all.
    inputs: [Option<Inputs>; 3],
    /// The conditions on single values by which the legal rows are counted.
    pub scalars: Option<ScalarParts>,
    /// The conditions on single values that the values for a random draw have to pass.
    pub drawn: Option<ScalarParts>,
    /// Results of earlier counts.
    cache: AppendOnlyCache<CountKey, CountResult, MAX_ENTRIES>,
}

/// What identifies a count: whether it is within windows, how many parts of the condition were to be used,
/// and the current values of the inputs.
type CountKey = (bool, usize, Vec<Value>);
/// The counted rows, how many parts they passed, and the steps that counting took.
type CountResult = (Option<Arc<Counted>>, usize, u64);

/// The most answers kept for one parameter, and the most ways that a kept answer may have.
const MAX_ENTRIES: usize = 32;
const MAX_CACHED_EDGES: usize = 400_000;

impl RowFilter {
    /// Analyses the `at`-th chosen parameter; `None` if none of its conditions can be gathered.
    pub fn of(game: &Game, mv: &Move, param: &Param, at: usize) -> Option<RowFilter> {
        let asked = row_constraints(game, mv, param, at).filter(|asked| !asked.condition.terms.is_empty())?;
        let about = read_by_checks(mv);
        let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
        let lets = mv.checks.iter().filter_map(|check| match check {
            MoveCheck::Let(slots, value) => Some((slots, value)),
            _ => None,
        });
        // Slots that are settled with the parameter or after it are no inputs: they are recomputed.
        let mut named: BTreeSet<Slot> = chosen[at..].iter().map(|param| param.slot).collect();
        named.extend(lets.clone().flat_map(|(slots, _)| slots));
        let inputs = |params: &[&Param], such: &dyn Fn(&BTreeSet<usize>) -> bool| {
            let checks = mv.checks.iter().zip(&about).filter(|(_, about)| such(about));
            let mut parts: Vec<&Expr> = checks
                .filter(|(check, _)| !matches!(check, MoveCheck::Let(..)))
                .map(|(check, _)| check.expr())
                .collect();
            for (slots, value) in lets.clone().rev() {
                if parts.iter().any(|part| slots.iter().any(|slot| reads(part, *slot))) {
                    parts.push(value);
                }
            }
            for param in params {
                parts.extend(param.window.iter().flat_map(|(low, high)| [low, high]));
                param
                    .domain
                    .iter()
                    .chain(&param.sampling_domain)
                    .for_each(|domain| domain_parts(domain, &mut parts));
            }
            Inputs::of(game, parts, &named)
        };
        let inputs = [
            inputs(&[param], &|about| about.len() == 1 && about.contains(&at)),
            inputs(&[param], &|about| about.last() == Some(&at)),
            inputs(&chosen[at..], &|about| about.last() >= Some(&at)),
        ];
        Some(RowFilter {
            scalars: ScalarParts::of_legal_rows(game, param, &asked, &named),
            drawn: ScalarParts::of_drawn_rows(game, param, &asked, &named),
            constraints: asked,
            inputs,
            cache: AppendOnlyCache::default(),
        })
    }

    /// Returns how many parts of the condition such needs make up, including those of the domain.
    fn parts(&self, asks: NeedScope) -> usize {
        match asks {
            NeedScope::Drawn => 0,
            NeedScope::Domain => self.constraints.from_domain,
            NeedScope::Alone => self.constraints.independent,
            NeedScope::All => self.constraints.condition.parts.len(),
        }
    }

    /// Whether the values for a random draw pass the whole condition of the domain.
    pub fn draws_from_domain(&self) -> bool {
        let RowConstraints { domain_covered, from_domain, .. } = self.constraints;
        domain_covered && self.drawn.as_ref().is_some_and(|drawn| drawn.have(0..from_domain))
    }

    /// Returns what the first `parts` parts depend on.
    fn inputs(&self, parts: usize) -> Option<&Inputs> {
        let level = usize::from(parts > self.constraints.independent)
            + usize::from(parts > self.constraints.without_later);
        self.inputs[level].as_ref()
    }
}

/// The values that a parameter may be chosen from.
#[derive(Debug)]
pub(super) struct ParamValues {
    /// The values, in order.
    pub dom: Dom,
    /// Whether the condition of the domain has yet to be checked for each value.
    pub needs_check: bool,
    /// The parameter's own domain, if `dom` has the values that are tried instead of it.
    pub must_be_in: Option<Dom>,
    /// How many parts of the parameter's row filter the values have passed.
    pub passed: usize,
    /// Whether the values are counted together with everything that may be chosen after them.
    pub counts_followers: bool,
    /// Whether they are those of a domain that does not depend on other parameters, instead of one that does.
    pub widened: bool,
}

/// Which conditions are taken into account in finding the values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeedScope {
    /// Those by which rows are counted for random draws; not even the whole condition of the domain.
    Drawn,
    /// No needs, only the domain.
    Domain,
    /// Needs about the parameter alone.
    Alone,
    /// All needs; the earlier parameters must be in the frame.
    All,
}

/// The most rows that are tested one by one to find the legal ones.
const MAX_TESTED_ROWS: i64 = 1 << 18;
/// The most steps for counting what may follow the rows of one parameter.
const MAX_FOLLOWER_STEPS: u64 = 1_000_000;
/// The most values of a later parameter that are listed to find the goals of terms.
const MAX_LATER_VALUES: i64 = 1_024;

impl ParamValues {
    /// Returns the values of a widened domain; `needs_check` says whether the parameter's own has a condition.
    pub fn widened(dom: Dom, needs_check: bool) -> ParamValues {
        let (must_be_in, passed) = (None, 0);
        ParamValues { dom, needs_check, must_be_in, passed, counts_followers: false, widened: true }
    }

    /// Whether every value is in the parameter's domain.
    pub fn is_exact(&self) -> bool {
        !self.needs_check && self.must_be_in.is_none() && !self.widened
    }
}

impl Env<'_> {
    /// Returns the values of the domain of the `at`-th chosen parameter without its condition.
    pub(super) fn unconditional_values(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<ParamValues, Fault> {
        let column = &self.machine.rows[mv].columns[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        // Chosen parameters always have a domain.
        let (whole, conditional) = match param.domain.as_ref().unwrap_or(&Domain::Ints) {
            Domain::Where(_, of, _) => (&**of, true),
            domain => (domain, false),
        };
        let (mut dom, mut inside) = (self.domain(whole, frame, true)?, None);
        if let Some(tried) = param.sampling_domain.as_ref().filter(|_| windowed) {
            inside = Some(std::mem::replace(&mut dom, self.domain(tried, frame, true)?));
        }
        if let Some((low, high)) = param.window.as_ref().filter(|_| windowed) {
            dom = dom.within(&(self.int(low, frame)?, self.int(high, frame)?));
        }
        Ok(ParamValues {
            dom,
            needs_check: conditional,
            must_be_in: inside,
            passed: 0,
            counts_followers: false,
            widened: false,
        })
    }

    /// Returns the values of the `at`-th chosen parameter, without rows that fail the needs `asks` selects.
    pub(super) fn param_values(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        asks: NeedScope,
        frame: &mut Vec<Value>,
    ) -> Result<ParamValues, Fault> {
        // Up to this many rows are checked one by one, which is faster than counting.
        const FEW: i64 = 4_096;
        let mut from = self.unconditional_values(mv, at, windowed, frame)?;
        let conditional = from.needs_check;
        let column = &self.machine.rows[mv].columns[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        let Some(row_filter) = &column.row_filter else { return Ok(from) };
        let parts = row_filter.parts(asks);
        let count = from.dom.count(param.span)?;
        let few = count.as_ref().is_some_and(|count| *count <= Int::from(FEW));
        if conditional && count == Some(Int::ZERO) {
            return Ok(from);
        }
        if asks == NeedScope::Drawn {
            if let Some(drawn) = &row_filter.drawn
                && let Some(holds) = self.preconditions_hold(drawn, frame)
                && let Some(rows) = self.rows_by_scalars(&from.dom, drawn, frame, param.span)?
            {
                from.needs_check = conditional && !row_filter.draws_from_domain();
                from.dom = Dom::Counted(if holds { rows } else { Arc::default() });
            }
            return Ok(from);
        }
        if parts == 0 || !conditional && few {
            return Ok(from);
        }
        let spent = Cell::new(MAX_FOLLOWER_STEPS);
        let follow = |row: Value, frame: &mut Vec<Value>| {
            frame[column.slot] = row;
            self.count_within(&spent, |env| env.count_from(mv, at + 1, windowed, frame))
        };
        let behind = match parts > row_filter.constraints.without_later {
            true => {
                let later = self.later_values(mv, at, windowed, frame);
                Some(Followers { row_parts: row_filter.constraints.without_later, later, count: &follow })
            }
            false => None,
        };
        let question = (windowed, parts);
        let (counted, passed) =
            self.count_cached(&from.dom, column, question, behind.as_ref(), frame, param.span)?;
        if let Some(counted) = counted {
            from.needs_check = conditional
                && !(row_filter.constraints.domain_covered && passed >= row_filter.constraints.from_domain);
            from.counts_followers = passed > row_filter.constraints.without_later;
            (from.dom, from.passed) = (counted, passed);
        }
        Ok(from)
    }

    /// Returns the rows of the `at`-th chosen parameter that meet all conditions on it and earlier ones, which must be in the
    /// frame; `None` if they cannot be counted by them.
    pub fn legal_rows(&self, mv: MoveId, at: usize, frame: &mut Vec<Value>) -> Result<Option<Dom>, Fault> {
        let column = &self.machine.rows[mv].columns[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        let (Some(row_filter), Some(domain)) = (&column.row_filter, &param.domain) else { return Ok(None) };
        let dom = self.domain(domain.without_condition().0, frame, true)?;
        if dom.count(param.span)? == Some(Int::ZERO) {
            return Ok(Some(dom));
        }
        let parts = row_filter.parts(NeedScope::All);
        let question = (true, parts);
        let (counted, passed) = self.count_cached(&dom, column, question, None, frame, param.span)?;
        if let Some(counted) = counted.filter(|_| passed == parts) {
            return Ok(Some(counted));
        }
        // What cannot be gathered here, although it often can, is asked of each row.
        let from = self.param_values(mv, at, true, NeedScope::All, frame)?;
        if from.dom.count(param.span)?.is_none_or(|count| count > Int::from(MAX_TESTED_ROWS)) {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for row in from.dom.iter(param.span)? {
            if self.bind_and_check(mv, at, &from, row.clone(), frame)? {
                rows.push(row);
            }
        }
        Ok(Some(Dom::Items(rows.into())))
    }

    /// Counts within a limit of `most` steps, and subtracts the steps taken from it. Returns `None` if these
    /// are too few, there is no exact count, or the rules fail: checking row by row then reports that.
    pub(super) fn count_within(
        &self,
        most: &Cell<u64>,
        count: impl FnOnce(&Self) -> Result<RowCount, Fault>,
    ) -> Option<Int> {
        let left = self.steps.get();
        let allowed = most.get().min(left);
        self.steps.set(allowed);
        let found = count(self);
        let spent = allowed - self.steps.get();
        self.steps.set(left - spent);
        most.set(most.get() - spent);
        match found {
            Ok(RowCount::Count(count)) => Some(count),
            Ok(RowCount::Infinite | RowCount::Unknown) | Err(_) => None,
        }
    }

    /// Returns the possible values of the parameters after the `at`-th, where they are known and few.
    fn later_values(&self, mv: MoveId, at: usize, windowed: bool, frame: &mut Vec<Value>) -> Vec<Later> {
        let columns = &self.machine.rows[mv].columns;
        let settled_later = |param: &Param| {
            let mut parts: Vec<&Expr> = param.window.iter().flat_map(|(low, high)| [low, high]).collect();
            param
                .domain
                .iter()
                .chain(&param.sampling_domain)
                .for_each(|domain| domain_parts(domain, &mut parts));
            columns[at..].iter().any(|column| parts.iter().any(|part| reads(part, column.slot)))
        };
        let mut later = Vec::new();
        for (number, column) in columns.iter().enumerate().skip(at + 1) {
            let (slot, param) = (column.slot, &self.machine.game.moves[mv].params[column.param]);
            let mut values = || {
                if settled_later(param) || param.domain.as_ref().is_some_and(Domain::is_of_rows) {
                    return None;
                }
                let from = self.param_values(mv, number, windowed, NeedScope::Domain, frame).ok()?;
                let count = from.dom.count(param.span).ok()??;
                (count <= Int::from(MAX_LATER_VALUES))
                    .then(|| from.dom.iter(param.span).ok().map(Iterator::collect))?
            };
            later.push((slot, values()));
        }
        later
    }

    /// Returns the rows of a parameter's domain that meet the first parts of its condition, from the cache if their inputs are
    /// the same, and how many parts they meet. A cache hit costs as many steps as the original count, so that caching is not
    /// observable.
    fn count_cached(
        &self,
        dom: &Dom,
        column: &Column,
        (windowed, parts): (bool, usize),
        behind: Option<&Followers>,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<(Option<Dom>, usize), Fault> {
        let Some(row_filter) = &column.row_filter else { return Ok((None, 0)) };
        let constraints = &row_filter.constraints;
        let whole = parts == constraints.condition.parts.len() && parts == constraints.without_later;
        if let Some(scalars) = row_filter.scalars.as_ref().filter(|_| behind.is_none() && whole)
            && let Some(rows) = self.rows_tested(dom, column.slot, (constraints, scalars), frame, span)?
        {
            return Ok((Some(rows), parts));
        }
        let left = self.steps.get();
        let inputs = row_filter.inputs(parts).and_then(|inputs| inputs.current_values(self, frame));
        let known = inputs.as_ref().and_then(|now| {
            row_filter.cache.find(|(with, of, inputs)| (*with, *of) == (windowed, parts) && inputs == now)
        });
        if let Some((counted, passed, steps)) = known
            && *steps <= left
        {
            self.steps.set(left - steps);
            return Ok((counted.clone().map(Dom::Counted), *passed));
        }
        let (counted, passed) = self.counted_rows(dom, &constraints.condition, parts, behind, frame, span)?;
        let counted = counted.map(Arc::new);
        if let Some(inputs) = inputs
            && counted.as_ref().is_none_or(|counted| counted.edge_count() <= MAX_CACHED_EDGES)
        {
            let steps = left - self.steps.get();
            row_filter.cache.insert((windowed, parts, inputs), (counted.clone(), passed, steps));
        }
        Ok((counted.map(Dom::Counted), passed))
    }

    /// Removes the integers that the bounds rule out, as far as the bounds can be evaluated.
    pub(super) fn narrow(&self, dom: &mut Dom, bounds: &Bounds, frame: &mut Vec<Value>) {
        let ends = |bounds: &[Expr], frame: &mut Vec<Value>| -> Vec<Int> {
            bounds.iter().filter_map(|bound| self.int(bound, frame).ok()).collect()
        };
        let least = ends(&bounds.least, frame).into_iter().max();
        let most = ends(&bounds.most, frame).into_iter().min();
        if least.is_none() && most.is_none() {
            return;
        }
        let within = |value: &Value| match value {
            Value::Int(n) => {
                least.as_ref().is_none_or(|least| n >= least) && most.as_ref().is_none_or(|most| n <= most)
            }
            _ => true,
        };
        match dom {
            Dom::Range(low, high) => {
                least.iter().for_each(|least| *low = low.clone().max(least.clone()));
                most.iter().for_each(|most| *high = high.clone().min(most.clone()));
            }
            Dom::Items(items) => {
                *dom = Dom::Items(Arc::new(items.iter().filter(|item| within(item)).cloned().collect()))
            }
            Dom::Elements(of) => {
                *dom = Dom::Items(Arc::new(elements(of).into_iter().filter(within).collect()))
            }
            _ => {}
        }
    }

    /// Whether a parameter may take the value in its slot, which comes from `from`.
    pub(super) fn accepts(
        &self,
        param: &Param,
        column: &Column,
        from: &ParamValues,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        if from.must_be_in.as_ref().is_some_and(|inside| !inside.contains(&frame[column.slot])) {
            return Ok(false);
        }
        if let Some(domain) = param.domain.as_ref().filter(|_| from.widened) {
            let (whole, _) = domain.without_condition();
            let value = frame[column.slot].clone();
            if !self.domain(whole, frame, true)?.contains(&value) {
                return Ok(false);
            }
        }
        match &param.domain {
            Some(Domain::Where(_, _, condition)) if from.needs_check => self.truth(condition, frame),
            _ => Ok(true),
        }
    }
}
