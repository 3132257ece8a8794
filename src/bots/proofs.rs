//! Proofs for a tree search that has found none: which moves are as good as any, and which are surely worse, as far as a
//! search to the end of the match tells that with the effort of the playouts.

use std::cmp::Ordering;

use super::exact::{MEMORY, alpha_beta_applies, settled_rank};
use super::worth::Proof;
use super::{Advice, Effort, MoveStats, Question, Sure, Viewpoint, goes_on};
use crate::engine::{Engine, Stepper};
use crate::eval::{Chosen, Fault, Machine};
use crate::num::Rng;
use crate::solve::{Goal, Knowledge, Method, Task, solve};

/// How many positions a search for a proof may look at for each playout: about as many as a playout passes through in a match that is
/// short enough for a proof.
const POSITIONS_PER_PLAYOUT: u64 = 8;

/// The part of its time that a search by the clock leaves for a proof.
const PROOF_PART: u64 = 10;

/// In how many playouts is measured how long the rest of a match is, and how many choices each has at most.
const MEASURED: u64 = 16;
const MAX_CHOICES: u64 = 3000;

/// What is proved of a move: the least and the most that it is worth to the seat that is to choose, from -1 to 1.
struct Proved {
    chosen: Chosen,
    least: f64,
    most: f64,
}

impl Proved {
    /// Returns what the move is worth, as a share of the win, if that is proved.
    fn share(&self) -> Option<f64> {
        (self.least == self.most).then_some((self.least + 1.0) / 2.0)
    }
}

impl<E: Engine + Sync> Question<'_, E>
where
    E::State: Sync,
{
    /// Searches as [`Question::search`] does. Unless that proves how the match ends, alpha–beta search then looks for a proof, and
    /// what it finds decides: a descent meets a refutation only where it happens to go.
    pub(super) fn search_and_prove(
        &mut self,
        rng: &mut Rng,
        effort: Effort,
    ) -> Result<Option<Advice>, Fault> {
        if !alpha_beta_applies(self.engine.machine()) {
            return self.search(rng, effort);
        }
        let (effort, time) = match effort {
            Effort::Playouts(_) => (effort, None),
            Effort::Millis(ms) => {
                (Effort::Millis(ms - ms / PROOF_PART), Some(Effort::Millis(ms / PROOF_PART)))
            }
        };
        match self.search(rng, effort)? {
            Some(advice) if !advice.exact && !advice.is_mixed() => {
                self.with_proof(advice, time, rng).map(Some)
            }
            advice => Ok(advice),
        }
    }

    /// Returns advice that takes into account what alpha–beta search proves, in this time at most if it is given.
    fn with_proof(&mut self, advice: Advice, time: Option<Effort>, rng: &mut Rng) -> Result<Advice, Fault> {
        let Some(state) = (self.root)(Viewpoint::Own, rng) else { return Ok(advice) };
        let most = advice.playouts.saturating_mul(POSITIONS_PER_PLAYOUT);
        if self.least_positions(&state, rng)? > most {
            return Ok(advice);
        }
        let task = Task { symmetries: false, ..Task::new(Goal::Win, MEMORY) };
        let in_effort = goes_on(time.unwrap_or(Effort::Playouts(most)), self.clock, most);
        let solved = solve(self.engine, &state, &task, &mut Knowledge::default(), &in_effort);
        let solved = solved.map_err(|fault| *fault)?;
        // Where positions come again, not every move that keeps the value makes progress.
        if !matches!(solved.method, Method::AlphaBeta | Method::ProofNumbers) {
            return Ok(advice);
        }
        let proved = solved.first.iter().map(|first| {
            let (least, most) = first.worth[self.seat].bounds();
            Proved { chosen: first.chosen.clone(), least, most }
        });
        let proved: Vec<Proved> = proved.collect();
        let before = advice.best.clone();
        let advice = by_proof(advice, &proved, self.seat, self.engine.machine());
        Ok(match solved.line.first() {
            _ if advice.best == before => advice,
            Some((_, first)) if *first == advice.best => Advice { line: solved.line, ..advice },
            _ => Advice { line: Vec::new(), ..advice },
        })
    }

    /// Returns about how many positions alpha–beta search must look at, at least, to reach the end of the match: those of one move
    /// of one side and all replies of the other (D. Knuth and R. Moore, 1975), if there are always as many moves as now.
    fn least_positions(&mut self, state: &E::State, rng: &Rng) -> Result<u64, Fault> {
        let mut rng = rng.clone();
        let mut choices = 0;
        for _ in 0..MEASURED {
            choices += self.engine.play_on(&mut state.clone(), &mut rng, MAX_CHOICES)?;
        }
        let replies = u32::try_from(choices / (2 * MEASURED)).unwrap_or(u32::MAX);
        let legal = self.engine.stepper().count(state, self.seat)?;
        Ok(legal.max(2).saturating_pow(replies))
    }
}

/// Returns advice by what was proved of all legal moves: what is surely as good as any other comes first, and what is surely worse
/// than another comes last; among the rest, what the search likes best comes first.
fn by_proof(mut advice: Advice, proved: &[Proved], seat: usize, machine: &Machine) -> Advice {
    let sure = proved.iter().map(|one| one.least).fold(-1.0, f64::max);
    let possible = proved.iter().map(|one| one.most).fold(-1.0, f64::max);
    let class = |chosen: &Chosen| match proved.iter().find(|one| one.chosen == *chosen) {
        Some(one) if one.least >= possible => 2,
        Some(one) if one.most < sure => 0,
        _ => 1,
    };
    for one in proved {
        let known = advice.moves.iter_mut().find(|known| known.chosen == one.chosen);
        if let Some(known) = known.filter(|known| !known.is_exact()) {
            known.value = known.value.clamp((one.least + 1.0) / 2.0, (one.most + 1.0) / 2.0);
        }
        let Some(value) = one.share() else { continue };
        let end = Proof::of_two(value, seat, machine);
        match advice.moves.iter_mut().find(|known| known.chosen == one.chosen) {
            Some(known) => {
                (known.value, known.sure, known.end) = (value, Sure::Certain, known.end.or(end));
            }
            None => {
                let known = MoveStats::new(one.chosen.clone(), value);
                advice.moves.push(MoveStats { sure: Sure::Certain, end, ..known });
            }
        }
    }
    // A win of which is known how soon it comes is preferred to one of which that is not known.
    let soon = |weighed: &MoveStats| {
        let known = weighed.end.filter(|end| end.choices != Proof::SOME && weighed.value == 1.0);
        known.map(|_| settled_rank(weighed, seat, machine.setup.players))
    };
    advice.moves.sort_by(|a, b| {
        let by_class = class(&b.chosen).cmp(&class(&a.chosen));
        by_class.then(soon(b).partial_cmp(&soon(a)).unwrap_or(Ordering::Equal))
    });
    let Some(best) = advice.moves.first().cloned() else { return advice };
    let exact = best.is_exact() && class(&best.chosen) == 2;
    let interval = if exact { (best.value, best.value) } else { best.interval() };
    Advice { best: best.chosen, value: best.value, interval, exact, ..advice }
}
