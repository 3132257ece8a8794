//! The conditions on the rows of a parameter that depend on single values: rows are counted by them once for each case. The
//! other conditions depend on lists, sets and the like, which change at every turn; they are tested on each row that is
//! left.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::append_only_cache::AppendOnlyCache;
use super::row_inputs::{Input, Inputs};
use super::{Counted, Dom, Env, Fault, Machine};
use crate::ir::{Expr, Game, MoveId, Param, RowCondition, RowConstraints, Slot, Value, domain_parts};
use crate::num::Int;
use crate::source::Span;

/// The most counts that are kept for one parameter, and the most ways between states of all of them.
const MAX_ENTRIES: usize = 256;
const MAX_KEPT_EDGES: usize = 4_000_000;
/// The most ways between states of one count.
const MAX_EDGES: usize = 400_000;
/// The most rows on which other conditions are tested to find the legal ones.
const MAX_TESTED: i64 = 1 << 14;

/// Such conditions, among the first conditions on a parameter.
#[derive(Debug)]
pub(super) struct ScalarParts {
    /// The conditions.
    condition: RowCondition,
    /// Those that do not read the row, if they are tested apart.
    preconditions: Vec<Expr>,
    /// For each of the conditions on the parameter that were looked at, whether it is one of them.
    chosen: Vec<bool>,
    /// What the domain, and then each of them, depends on.
    inputs: Vec<Inputs>,
    /// Whether the other conditions are tested on all rows that are left.
    tests_all: bool,
    /// Results of earlier counts.
    cache: AppendOnlyCache<Vec<Value>, CountResult, MAX_ENTRIES>,
    kept_edges: AtomicUsize,
}

/// The counted rows, `None` if they cannot be counted or are too many, and the steps that counting took.
type CountResult = (Option<Arc<Counted>>, u64);

impl ScalarParts {
    /// Finds the conditions by which the legal rows are counted, among those that depend on no later parameter. `None` if there
    /// are none, or the domain itself depends on a collection. `later` are the slots that are filled with the parameter, or
    /// after it.
    pub fn of_legal_rows(
        game: &Game,
        param: &Param,
        constraints: &RowConstraints,
        later: &BTreeSet<Slot>,
    ) -> Option<ScalarParts> {
        if param.window.is_some() || param.sampling_domain.is_some() {
            return None;
        }
        let scalar = |inputs: &Inputs| inputs.are_scalar(game);
        ScalarParts::of(game, param, constraints, constraints.without_later, later, &scalar, true)
    }

    /// Finds the conditions by which rows are counted for random draws: those on the parameter alone for which no state is read
    /// but single values. State that holds collections changes often; to try some rows is then faster.
    pub fn of_drawn_rows(
        game: &Game,
        param: &Param,
        constraints: &RowConstraints,
        later: &BTreeSet<Slot>,
    ) -> Option<ScalarParts> {
        let scalar = |inputs: &Inputs| inputs.read_scalar_state(game);
        ScalarParts::of(game, param, constraints, constraints.independent, later, &scalar, false)
    }

    fn of(
        game: &Game,
        param: &Param,
        constraints: &RowConstraints,
        among: usize,
        later: &BTreeSet<Slot>,
        scalar: &dyn Fn(&Inputs) -> bool,
        tests_all: bool,
    ) -> Option<ScalarParts> {
        let mut outside: Vec<&Expr> = param.window.iter().flat_map(|(low, high)| [low, high]).collect();
        param.sampling_domain.iter().for_each(|domain| domain_parts(domain, &mut outside));
        domain_parts(param.domain.as_ref()?.without_condition().0, &mut outside);
        let inputs_of = |exprs: &[&Expr]| Inputs::of(game, exprs.iter().copied(), later).filter(scalar);
        let (mut parts, mut chosen, mut inputs) = (Vec::new(), Vec::new(), vec![inputs_of(&outside)?]);
        let mut preconditions = Vec::new();
        for part in &constraints.condition.parts[..among] {
            let own = inputs_of(&[&part.condition]);
            chosen.push(own.is_some());
            if own.is_some() && part.terms.is_empty() && !tests_all {
                preconditions.push(part.condition.clone());
            } else if let Some(own) = own {
                parts.push(part.clone());
                inputs.push(own);
            }
        }
        if parts.is_empty() {
            return None;
        }
        let tests_all = tests_all && parts.len() < among;
        let condition = RowCondition { parts, ..constraints.condition.clone() };
        let (cache, kept_edges) = (AppendOnlyCache::default(), AtomicUsize::new(0));
        Some(ScalarParts { condition, preconditions, chosen, inputs, tests_all, cache, kept_edges })
    }

    /// Whether these are all conditions by which the legal rows are counted.
    pub fn are_all(&self) -> bool {
        !self.tests_all
    }

    /// Whether all conditions in a range of those on the parameter are among these.
    pub fn have(&self, mut range: Range<usize>) -> bool {
        range.all(|part| self.chosen.get(part).copied().unwrap_or(false))
    }

    fn current_inputs(&self, env: &Env, frame: &mut Vec<Value>) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        self.inputs.iter().try_for_each(|of| of.add_current_values(env, frame, &mut values))?;
        Some(values)
    }

    fn keep(&self, inputs: Vec<Value>, counted: Option<Arc<Counted>>, steps: u64) {
        let edges = counted.as_ref().map_or(0, |counted| counted.edge_count());
        if self.kept_edges.fetch_add(edges, Ordering::Relaxed) + edges <= MAX_KEPT_EDGES {
            self.cache.insert(inputs, (counted, steps));
        }
    }
}

/// What is known of the conditions on single values among those on the rows of a parameter.
#[derive(Debug)]
pub struct ScalarConditions<'m> {
    /// What the domain without its condition is described by.
    pub domain: Vec<&'m Expr>,
    /// The conditions.
    pub conditions: Vec<&'m Expr>,
    /// The number of slots that a frame needs to evaluate them.
    pub frame: usize,
    /// The checks that consist of such conditions only.
    pub checks: BTreeSet<usize>,
    /// Whether every need that has such a condition consists of such conditions only.
    pub whole_needs: bool,
    /// Those that do not read the row, if they are tested apart; they are not among the others.
    pub preconditions: Vec<&'m Expr>,
    /// Whether these are all conditions by which the rows are counted.
    pub all: bool,
    /// The single values that they depend on; `None` if they depend on state that a function reads to which the row is passed.
    pub inputs: Option<Vec<&'m Input>>,
}

impl Machine {
    /// Returns the conditions on single values by which the legal rows of a chosen parameter are counted; `None` if there are
    /// none.
    pub fn scalar_conditions(&self, mv: MoveId, at: usize) -> Option<ScalarConditions<'_>> {
        self.scalar_conditions_of(mv, at, self.rows[mv].columns[at].row_filter.as_ref()?.scalars.as_ref()?)
    }

    /// Returns those by which its rows are counted for random draws; `None` if there are none.
    pub fn drawing_conditions(&self, mv: MoveId, at: usize) -> Option<ScalarConditions<'_>> {
        self.scalar_conditions_of(mv, at, self.rows[mv].columns[at].row_filter.as_ref()?.drawn.as_ref()?)
    }

    fn scalar_conditions_of<'m>(
        &'m self,
        mv: MoveId,
        at: usize,
        scalars: &'m ScalarParts,
    ) -> Option<ScalarConditions<'m>> {
        let column = &self.rows[mv].columns[at];
        let constraints = &column.row_filter.as_ref()?.constraints;
        let (mut checks, mut from) = (BTreeSet::new(), constraints.from_domain);
        let mut apart: usize = scalars.chosen.iter().skip(from).filter(|chosen| **chosen).count();
        for (check, upto) in &constraints.needs {
            if scalars.have(from..*upto) {
                checks.insert(*check);
                apart -= upto - from;
            }
            from = *upto;
        }
        let param = &self.game.moves[mv].params[column.param];
        let mut domain = Vec::new();
        domain.extend(param.window.iter().flat_map(|(low, high)| [low, high]));
        param.sampling_domain.iter().for_each(|of| domain_parts(of, &mut domain));
        domain_parts(param.domain.as_ref()?.without_condition().0, &mut domain);
        let known = scalars.inputs.iter().all(|of| !of.include_state());
        Some(ScalarConditions {
            domain,
            conditions: scalars.condition.parts.iter().map(|part| &part.condition).collect(),
            frame: scalars.condition.frame,
            checks,
            whole_needs: apart == 0,
            preconditions: scalars.preconditions.iter().collect(),
            all: scalars.are_all(),
            inputs: known.then(|| scalars.inputs.iter().flat_map(|of| &of.parts).collect()),
        })
    }
}

impl Env<'_> {
    /// Returns the rows of a chosen parameter that are counted for random draws if the preconditions hold; `None` if they cannot
    /// be counted. The seat and the parameters that the play gives must be in the frame.
    pub fn rows_to_draw_from(
        &self,
        mv: MoveId,
        at: usize,
        frame: &mut Vec<Value>,
    ) -> Result<Option<Dom>, Fault> {
        let column = &self.machine.rows[mv].columns[at];
        let drawn = column.row_filter.as_ref().and_then(|row_filter| row_filter.drawn.as_ref());
        let Some(drawn) = drawn else { return Ok(None) };
        let (dom, span) =
            (self.unconditional_values(mv, at, true, frame)?.dom, self.machine.game.moves[mv].span);
        if dom.count(span)? == Some(Int::ZERO) {
            return Ok(Some(dom));
        }
        Ok(self.rows_by_scalars(&dom, drawn, frame, span)?.map(Dom::Counted))
    }

    /// Whether the conditions hold that do not read the row; `None` if one cannot be evaluated.
    pub(super) fn preconditions_hold(&self, scalars: &ScalarParts, frame: &mut Vec<Value>) -> Option<bool> {
        for condition in &scalars.preconditions {
            if !self.truth(condition, frame).ok()? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Returns the rows of a domain that meet such conditions; `None` if they cannot be counted by them, or too many are left to
    /// test others on each. What was counted before takes as many steps as it did then, so that it cannot be observed what is
    /// kept.
    pub(super) fn rows_by_scalars(
        &self,
        dom: &Dom,
        scalars: &ScalarParts,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<Option<Arc<Counted>>, Fault> {
        let Some(inputs) = scalars.current_inputs(self, frame) else { return Ok(None) };
        let left = self.steps.get();
        if let Some((counted, steps)) = scalars.cache.find(|of| *of == inputs)
            && *steps <= left
        {
            self.steps.set(left - steps);
            return Ok(counted.clone());
        }
        let all = scalars.condition.parts.len();
        let (counted, passed) = self.counted_rows(dom, &scalars.condition, all, None, frame, span)?;
        let few = |counted: &Counted| {
            counted.edge_count() <= MAX_EDGES
                && (!scalars.tests_all || counted.count() <= Int::from(MAX_TESTED))
        };
        let counted = counted.filter(|counted| passed == all && few(counted)).map(Arc::new);
        scalars.keep(inputs, counted.clone(), left - self.steps.get());
        Ok(counted)
    }

    /// Returns the legal rows of a domain given the earlier parameters, counted by the conditions on single values, with all
    /// others that can be gathered tested on each that is left; `None` if these are too many.
    pub(super) fn rows_tested(
        &self,
        dom: &Dom,
        slot: Slot,
        (constraints, scalars): (&RowConstraints, &ScalarParts),
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<Option<Dom>, Fault> {
        let Some(counted) = self.rows_by_scalars(dom, scalars, frame, span)? else { return Ok(None) };
        if scalars.are_all() {
            return Ok(Some(Dom::Counted(counted)));
        }
        let all = constraints.condition.parts.iter().zip(&scalars.chosen);
        let others: Vec<&Expr> =
            all.filter(|(_, chosen)| !**chosen).map(|(part, _)| &part.condition).collect();
        let room = frame.len();
        frame.resize(room.max(self.base + constraints.condition.frame), Value::Unset);
        let mut met = Vec::new();
        for row in counted.iter() {
            self.tick(span)?;
            frame[slot] = row.clone();
            let mut holds = true;
            for other in &others {
                // What fails is reported where rows are looked at in order.
                let Ok(own) = self.truth(other, frame) else {
                    frame.truncate(room);
                    return Ok(None);
                };
                holds = own;
                if !holds {
                    break;
                }
            }
            if holds {
                met.push(row);
            }
        }
        frame.truncate(room);
        Ok(Some(Dom::Items(met.into())))
    }
}
