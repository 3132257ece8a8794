//! The outcomes of draws of chance, listed for whoever goes through all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Engine;
use crate::eval::Fault;
use crate::ir::{Chance, ChanceKind, Pc, Value, domain_parts, free_slots, reads_position};
use crate::num::Int;
use crate::source::Span;

/// The most outcomes that are listed.
const MAX_OUTCOMES: i64 = 1_000_000;

/// An outcome of a draw of chance.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawOutcome {
    /// What is drawn.
    pub value: Value,
    /// How many of the equally likely outcomes have this value.
    pub times: u64,
    /// The rank of the first of them, from 0, in the order of [`Engine::outcomes`].
    pub rank: u64,
    /// How many equally likely outcomes there are in all.
    pub of: u64,
}

/// Why outcomes are not listed.
#[derive(Debug)]
pub enum OutcomesError {
    /// There are too many: how many, if that is known.
    TooMany(Option<Int>),
    /// Evaluating them failed.
    Fault(Fault),
}

impl From<Fault> for OutcomesError {
    fn from(fault: Fault) -> OutcomesError {
        OutcomesError::Fault(fault)
    }
}

/// Lists the outcomes of draws. Those of a draw that reads nothing of the position are listed only once.
#[derive(Debug, Default)]
pub struct Outcomes {
    fixed: BTreeMap<Pc, Option<Arc<[DrawOutcome]>>>,
}

impl Outcomes {
    /// Like [`Outcomes::at`], but returns `None` if there are more than `most`, before anything is listed.
    pub fn at_most<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
        most: usize,
    ) -> Result<Option<Arc<[DrawOutcome]>>, Fault> {
        if let Some(Some(known)) = self.fixed.get(&engine.pc(state)) {
            return Ok(Some(known.clone()).filter(|known| known.len() <= most));
        }
        let count = engine.outcomes(state)?.count(Span::default())?.and_then(|count| count.as_usize());
        if count.is_none_or(|count| count > most) {
            return Ok(None);
        }
        match self.at(engine, state) {
            Ok(listed) => Ok(Some(listed)),
            Err(OutcomesError::TooMany(_)) => Ok(None),
            Err(OutcomesError::Fault(fault)) => Err(fault),
        }
    }

    /// Returns the outcomes of the draw that a position waits for, ordered by value, equal values counted
    /// together.
    pub fn at<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
    ) -> Result<Arc<[DrawOutcome]>, OutcomesError> {
        let pc = engine.pc(state);
        if let Some(Some(known)) = self.fixed.get(&pc) {
            return Ok(known.clone());
        }
        let chance = engine.machine().chance_at(pc);
        let listed = list(engine, state, chance.map_or(Span::default(), |chance| chance.span))?;
        let fixed = self.fixed.entry(pc);
        fixed.or_insert_with(|| chance.is_some_and(is_fixed).then(|| listed.clone()));
        Ok(listed)
    }
}

fn list<E: Engine>(engine: &E, state: &E::State, span: Span) -> Result<Arc<[DrawOutcome]>, OutcomesError> {
    let dom = engine.outcomes(state)?;
    let count = dom.count(span)?;
    let listed = count.as_ref().filter(|count| **count <= Int::from(MAX_OUTCOMES)).and_then(Int::as_usize);
    let Some(of) = listed else { return Err(OutcomesError::TooMany(count)) };
    let mut values: BTreeMap<Value, (u64, u64)> = BTreeMap::new();
    for (rank, value) in dom.iter(span)?.enumerate() {
        values.entry(value).or_insert((0, rank as u64)).0 += 1;
    }
    let drawn = |(value, (times, rank))| DrawOutcome { value, times, rank, of: of as u64 };
    Ok(values.into_iter().map(drawn).collect())
}

/// Whether the outcomes of a draw are the same in every position.
fn is_fixed(chance: &Chance) -> bool {
    let ChanceKind::Value(domain, _) = &chance.kind else { return false };
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().all(|part| !reads_position(part) && free_slots(part).is_empty())
}
