//! What a game is worth if everybody plays perfectly, where that can be found in passing.

use serde::{Deserialize, Serialize};

use super::Study;
use super::course::compared;
use super::report::Unit;
use super::sums::Estimate;
use crate::bots::{Advice, NotExact, Proof, exact};
use crate::engine::Engine;
use crate::equilibrium::{Aim, Equilibrium, Search, SearchProgress, Stop};
use crate::eval::Fault;
use crate::solve::{Goal, Halt, Knowledge, Method, Restriction, Task, Worth, solve, worth_without};

/// The memory in bytes for positions when a game is solved.
const MEMORY: u64 = 256 << 20;
/// How many positions are searched rather than a node of a game tree laid out.
const POSITIONS_PER_NODE: u64 = 2;
/// The most sweeps of regret minimisation, and what a player may still gain where they stop.
const SWEEPS: u64 = 1000;
const REGRET: f64 = 0.001;
/// Equilibria that are closer than this count as exact.
const EXACT: f64 = 1e-6;

/// What each seat gets if everybody plays perfectly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BestPlay {
    /// Each seat's share of the win, or the score in a game of one player that is played for it.
    shares: Vec<f64>,
    /// How far the true values may be from these; 0 if they are exact.
    margin: f64,
    /// Whether it is an equilibrium of mixed moves, which no player gains by leaving.
    pub mixed: bool,
    /// Whether the match never ends.
    pub endless: bool,
    /// How many positions were searched, and whether what is known of them serves the search from a later one.
    pub positions: u64,
    pub is_kept: bool,
}

/// What best play loses without a move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Lost {
    /// How much, on average over these seats.
    pub cost: f64,
    /// The seats (from 0) that have the move beside another one.
    pub seats: Vec<usize>,
}

impl BestPlay {
    /// Returns what a seat gets, a share of the win or a score.
    pub fn of(&self, seat: usize, unit: Unit) -> Estimate {
        let (value, known) = (self.shares[seat], Estimate::exact(self.shares[seat]));
        match self.margin < EXACT {
            true => known,
            false => {
                let interval = [value - self.margin, value + self.margin];
                let possible = |end: f64| if unit == Unit::Share { end.clamp(0.0, 1.0) } else { end };
                Estimate { interval: interval.map(possible), ..known }
            }
        }
    }
}

impl<E: Engine> Study<'_, E> {
    /// Returns the most nodes of a game tree that are laid out to find an equilibrium.
    pub(super) fn laid_out(&self) -> u64 {
        self.positions / POSITIONS_PER_NODE
    }

    /// Returns what each seat gets under best play if the game is small enough for it to be found in passing, otherwise
    /// the reason why it was not.
    pub(super) fn best_play(&self) -> Result<Result<BestPlay, NotExact>, Fault> {
        let machine = self.engine.machine();
        match NotExact::of_game(machine) {
            Some(NotExact::Hidden | NotExact::Together) if self.players() <= 2 && !machine.is_allied() => {
                return self.equilibrium();
            }
            Some(why) => return Ok(Err(why)),
            None => {}
        }
        let goes_on = |looked: u64| looked < self.positions && !self.clock.must_stop();
        let sides = machine.sides().len();
        if sides > 2 || compared(machine) != machine.interests {
            return self.winners_under_best_play(&goes_on);
        }
        let goal = Goal::usual(machine);
        let task = Task::new(goal, MEMORY);
        let (start, mut knowledge) = (self.engine.start()?, Knowledge::default());
        let found = solve(self.engine, &start, &task, &mut knowledge, &goes_on).map_err(|fault| *fault)?;
        if let Some(halt) = &found.halted {
            return Ok(Err(NotExact::of_halt(halt)));
        }
        let value = |worth: &Worth| Some(goal.score_or_share(worth.settled()?, sides));
        let shares = found.worth.iter().map(value).collect::<Option<_>>();
        let best = |shares| BestPlay {
            shares,
            margin: 0.0,
            mixed: false,
            endless: found.endless,
            positions: found.positions,
            is_kept: matches!(found.method, Method::AlphaBeta | Method::ProofNumbers),
        };
        Ok(shares.map(best).ok_or(NotExact::GoesRound))
    }

    /// Does that for several sides of which each plays for itself, or where nothing is at stake.
    fn winners_under_best_play(
        &self,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Result<BestPlay, NotExact>, Fault> {
        let advice = match exact(self.engine, &self.engine.start()?, goes_on, false)? {
            Ok(advice) => advice,
            Err(why) => return Ok(Err(why)),
        };
        let end = advice.best_stats().and_then(|best| best.end);
        let Some(end) = end.filter(|end| self.players() <= 2 || decides_alone(&advice, *end)) else {
            return Ok(Err(NotExact::Kingmaker));
        };
        let end = Proof { interests: compared(self.engine.machine()), ..end };
        let shares = (0..self.players()).map(|seat| end.share(seat, self.players())).collect();
        let positions = advice.playouts;
        let sure = BestPlay { shares, margin: 0.0, mixed: false, endless: false, positions, is_kept: false };
        Ok(Ok(sure))
    }

    /// Returns what each of two seats gets in an equilibrium, or a single one at best, where something is hidden or both
    /// choose at the same time.
    fn equilibrium(&self) -> Result<Result<BestPlay, NotExact>, Fault> {
        let nodes = usize::try_from(self.laid_out()).unwrap_or(usize::MAX);
        let machine = self.engine.machine();
        let aim = if self.players() == 1 { Aim::usual(machine) } else { Aim::Win };
        let search = Search { aim, nodes, within: REGRET, iterations: SWEEPS, tremble: 0.0 };
        let on = |_: SearchProgress| !self.clock.must_stop();
        let found = match Equilibrium::find(self.engine, search, &on) {
            Ok(found) => found,
            Err(Stop::Fault(fault)) => return Err(fault),
            Err(Stop::TooLarge { .. } | Stop::Interrupted) => return Ok(Err(NotExact::TooManyPositions)),
            Err(Stop::Refused(_)) => return Ok(Err(NotExact::Sampled)),
        };
        // A payoff of 2 separates a win from a loss of two seats, one of 1 that of a single seat. Neither seat can secure more
        // than its value and the other's regret.
        let worth = |value: f64| match (Goal::usual(machine), self.players()) {
            (Goal::Points { highest: false }, 1) => -value,
            (_, 1) => value,
            _ => Goal::Win.score_or_share(value, 2),
        };
        let shares = found.values.iter().map(|value| worth(*value)).collect();
        let margin = found.regrets.iter().fold(0.0, |most: f64, regret| most.max(*regret));
        let margin = margin / self.players() as f64;
        let positions = found.sizes().0 as u64;
        Ok(Ok(BestPlay { shares, margin, mixed: true, endless: false, positions, is_kept: false }))
    }

    /// Returns what two players, or a single one, lose under best play if they make a move only where they have no other, for
    /// the moves for which this can be found in passing. Those who never have it beside another move do not count. `best` is
    /// what they get with all moves.
    pub(super) fn best_without(&self, best: &BestPlay) -> Result<Vec<Option<Lost>>, Fault> {
        let machine = self.engine.machine();
        // A partner could make the move instead.
        if machine.is_allied() {
            return Ok(Vec::new());
        }
        let (start, goal) = (self.engine.start()?, Goal::usual(machine));
        let task = Task { symmetries: false, ..Task::new(goal, MEMORY) };
        let goes_on = |looked: u64| looked < self.positions && !self.clock.must_stop();
        let seats = self.players();
        let fewest = goal == Goal::Points { highest: false };
        let mut all = Vec::new();
        for mv in self.forbidden().filter(|_| seats <= 2 && !best.mixed) {
            let mut lost = Lost { cost: 0.0, seats: Vec::new() };
            for seat in 0..seats {
                let found = worth_without(self.engine, &start, &task, Restriction { seat, mv }, &goes_on);
                let worth = match found {
                    Ok(None) => continue,
                    Ok(Some(worth)) => worth[seat].settled(),
                    Err(Halt::Fault(fault)) => return Err(*fault),
                    Err(_) => None,
                };
                // The other searches would take about as long.
                let Some(worth) = worth else { return Ok(all) };
                let gain = best.shares[seat] - goal.score_or_share(worth, seats);
                lost.cost += if fewest { -gain } else { gain };
                lost.seats.push(seat);
            }
            lost.cost = (lost.cost / lost.seats.len().max(1) as f64).max(0.0);
            all.push(Some(lost));
        }
        Ok(all)
    }
}

/// Whether all moves that are as good for the seat to choose as the best one, which leads to `end`, let the same
/// seats win.
fn decides_alone(advice: &Advice, end: Proof) -> bool {
    let as_good = advice.moves.iter().filter(|of| of.value == advice.value);
    as_good.filter_map(|of| of.end).all(|own| own.winners == end.winners)
}
