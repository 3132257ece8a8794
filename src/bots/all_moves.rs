//! Advice for people, who want to know what every move is worth and not only which one to make.

use std::cmp;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::exact::{Exactly, MEMORY, alpha_beta_applies, by_solution, settled_rank};
use super::worth::Proof;
use super::{Advice, Effort, Method, MoveStats, Question, Sure, Viewpoint, goes_on};
use crate::engine::{Engine, Stepper};
use crate::eval::Fault;
use crate::num::Rng;
use crate::solve::{Goal, Knowledge, Solved, Task, solve};

/// The most positions that alpha–beta search looks at.
const MOST_SEARCHED: u64 = 5_000_000;

impl<E: Engine + Sync> Question<'_, E>
where
    E::State: Sync,
{
    /// Works out what every move is worth, where that can be done in the time; else searches. If the search proves who wins
    /// before the time is over, the rest is used for the moves that it has not looked at any further.
    pub(super) fn weigh_all_moves(&mut self, rng: &mut Rng, ms: u64) -> Result<Option<Advice>, Fault> {
        let begun = self.clock.millis();
        let part = Effort::Millis(ms / 4);
        let Exactly { advice, settled, kingmaker } = self.look_exactly(rng, part, true)?;
        if let Ok(advice) = advice
            && settled.is_empty()
        {
            return Ok(Some(advice));
        }
        let clock = self.clock;
        let spent = || clock.millis().saturating_sub(begun);
        let another = self.has_another_core();
        if !another && let Some(advice) = self.solve_all_moves(rng, part, None)? {
            return Ok(Some(advice));
        }
        let left = Effort::Millis(ms.saturating_sub(spent()).max(ms / 2));
        let (advice, solved) = match another {
            true => self.search_and_solve(rng, left)?,
            false => (self.search(rng, left)?, None),
        };
        if let Some(all) = solved.and_then(|solved| self.told(solved, advice.as_ref())) {
            return Ok(Some(all));
        }
        let Some(advice) = advice else { return Ok(None) };
        if !advice.mix.is_empty() {
            return Ok(Some(advice));
        }
        let mut advice = with_settled(advice, settled, self.seat, self.engine.machine().setup.players);
        let estimated = advice.moves.iter_mut().filter(|weighed| weighed.sure == Sure::Estimated);
        estimated.filter(|weighed| kingmaker.contains(&weighed.chosen)).for_each(|weighed| {
            weighed.sure = Sure::Kingmaker;
        });
        if !advice.exact || self.knows_all(&advice, rng)? {
            return Ok(Some(advice));
        }
        let left = Effort::Millis(ms.saturating_sub(spent()));
        if let Some(all) = self.solve_all_moves(rng, left, Some(&advice))? {
            return Ok(Some(all));
        }
        let left = Effort::Millis(ms.saturating_sub(spent()));
        Ok(Some(match self.look_exactly(rng, left, true)? {
            Exactly { advice: Ok(all), settled, .. } if settled.is_empty() => all,
            Exactly { settled, .. } => {
                with_settled(advice, settled, self.seat, self.engine.machine().setup.players)
            }
        }))
    }

    /// Whether advice says of each legal move how the match ends after it.
    fn knows_all(&mut self, advice: &Advice, rng: &mut Rng) -> Result<bool, Fault> {
        let Some(state) = (self.root)(Viewpoint::Own, rng) else { return Ok(true) };
        let legal = self.engine.stepper().count(&state, self.seat)?;
        let known = advice.moves.iter().filter(|weighed| weighed.is_exact()).count();
        Ok(known as u64 == legal)
    }

    /// Whether something can be done on another core.
    fn has_another_core(&self) -> bool {
        let another = AtomicBool::new(false);
        self.clock.run_parallel(1, &|_| another.store(true, Ordering::Relaxed), &mut || ());
        another.into_inner()
    }

    /// Searches and, on another core, works out who wins after each move, of two sides; ends as soon as that is known.
    fn search_and_solve(
        &mut self,
        rng: &mut Rng,
        effort: Effort,
    ) -> Result<(Option<Advice>, Option<Solved>), Fault> {
        let applies = alpha_beta_applies(self.engine.machine());
        let Some(state) = applies.then(|| (self.root)(Viewpoint::Own, rng)).flatten() else {
            return Ok((self.search(rng, effort)?, None));
        };
        let (engine, proofs, found) = (self.engine, self.proofs, Mutex::new(None));
        let solve_beside = |goes_on: &dyn Fn() -> bool| {
            let mut proofs = proofs.lock().unwrap_or_else(PoisonError::into_inner);
            let solved = who_wins(engine, &state, &mut proofs, &|looked| looked < MOST_SEARCHED && goes_on());
            let ends = solved.as_ref().is_ok_and(|solved| solved.halted.is_none());
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(solved);
            ends
        };
        let advice = self.search_beside(rng, effort, Some(&solve_beside))?;
        let solved = found.into_inner().unwrap_or_else(PoisonError::into_inner).transpose()?;
        Ok((advice, solved.filter(|solved| solved.halted.is_none())))
    }

    /// Works out who wins after each move, of two sides, by alpha–beta search, which looks at far fewer positions than
    /// [`exact`](super::exact()), but does not tell how soon the match ends; `found` may tell that of some moves. `None` if it
    /// takes more than the effort, or if values need the graph of all positions. Uses what earlier searches have found.
    fn solve_all_moves(
        &mut self,
        rng: &mut Rng,
        effort: Effort,
        found: Option<&Advice>,
    ) -> Result<Option<Advice>, Fault> {
        let proofs = self.proofs;
        let mut proofs = proofs.lock().unwrap_or_else(PoisonError::into_inner);
        self.solve_all_moves_by(&mut proofs, rng, effort, found)
    }

    /// The same; uses what `knowledge` holds, and adds what is found.
    pub(super) fn solve_all_moves_by(
        &mut self,
        knowledge: &mut Knowledge,
        rng: &mut Rng,
        effort: Effort,
        found: Option<&Advice>,
    ) -> Result<Option<Advice>, Fault> {
        let applies = alpha_beta_applies(self.engine.machine());
        let Some(state) = applies.then(|| (self.root)(Viewpoint::Own, rng)).flatten() else {
            return Ok(None);
        };
        let in_effort = goes_on(effort, self.clock, MOST_SEARCHED);
        let solved = who_wins(self.engine, &state, knowledge, &in_effort)?;
        Ok(if solved.halted.is_some() { None } else { self.told(solved, found) })
    }

    /// Returns solved moves as advice, best first: those that are known to win or draw soonest, or to lose last, before those of
    /// which that is not known.
    fn told(&self, solved: Solved, found: Option<&Advice>) -> Option<Advice> {
        let machine = self.engine.machine();
        let seats = machine.setup.players;
        let (positions, line) = (solved.positions, solved.line.clone());
        let all = by_solution(machine, solved, self.seat).ok()?;
        let mut moves = all.moves;
        for weighed in &mut moves {
            let known = found.into_iter().flat_map(|found| &found.moves);
            let known = known.filter(|known| known.chosen == weighed.chosen).find_map(|known| known.end);
            weighed.end = known.or_else(|| Proof::of_two(weighed.value, self.seat, machine));
            if weighed.end.is_some() {
                weighed.sure = Sure::Certain;
            }
        }
        moves.sort_by(|a, b| {
            let rank = |end: Option<Proof>| end.map(|end| end.rank(self.seat, seats));
            rank(b.end).partial_cmp(&rank(a.end)).unwrap_or(cmp::Ordering::Equal)
        });
        // The line that the search expects goes with its move.
        let first = &moves.first()?.chosen;
        let line = match found.filter(|found| found.best == *first) {
            Some(found) => found.line.clone(),
            None if line.first().is_some_and(|(_, chosen)| chosen == first) => line,
            None => Vec::new(),
        };
        let advice = Advice::of(moves, Method::Exact)?;
        Some(Advice { playouts: positions, line, ..advice })
    }
}

/// Works out who wins after each move in a position, as long as `goes_on` says so.
fn who_wins<E: Engine>(
    engine: &E,
    state: &E::State,
    knowledge: &mut Knowledge,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Solved, Fault> {
    let task = Task { value_all_moves: true, ..Task::new(Goal::Win, MEMORY) };
    solve(engine, state, &task, knowledge, goes_on).map_err(|fault| *fault)
}

/// Puts exact values of some moves in the place of estimated ones.
fn with_settled(mut advice: Advice, settled: Vec<MoveStats>, seat: usize, seats: usize) -> Advice {
    if settled.is_empty() {
        return advice;
    }
    for exact in settled {
        let known = advice.moves.iter_mut().find(|known| known.chosen == exact.chosen);
        match known {
            Some(known) => {
                let soon = |end: Option<Proof>| end.filter(|end| end.choices != Proof::SOME);
                let end = soon(exact.end).or(known.end).or(exact.end);
                *known = MoveStats { end, visits: known.visits, ..exact };
            }
            None => advice.moves.push(MoveStats { visits: 0, ..exact }),
        }
    }
    // Where all lose, the last one to lose is the best; else what the search likes best comes first, unless others surely get
    // more or it surely loses.
    let lost = |weighed: &MoveStats| weighed.is_exact() && weighed.value == 0.0;
    let liked = advice.moves.iter().find(|weighed| !lost(weighed)).map_or(1.0, |weighed| weighed.value);
    let class = |weighed: &MoveStats| match weighed.is_exact() {
        true if weighed.value == 0.0 => 0,
        true if weighed.value > liked || weighed.value == 1.0 => 2,
        _ => 1,
    };
    let rank = |weighed: &MoveStats| {
        let exact = (class(weighed) != 1).then_some(weighed);
        (class(weighed), exact.map(|weighed| settled_rank(weighed, seat, seats)))
    };
    advice.moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(cmp::Ordering::Equal));
    let Some(best) = advice.moves.first().cloned() else { return advice };
    if best.chosen != advice.best {
        advice.line = Vec::new();
    }
    let exact = best.is_exact() && (best.value == 1.0 || advice.moves.iter().all(MoveStats::is_exact));
    let interval = if best.is_exact() { (best.value, best.value) } else { best.interval() };
    Advice { best: best.chosen, value: best.value, interval, exact: exact || advice.exact, ..advice }
}
