//! What a move other than the best one costs: worked out to the end where the game is solved, otherwise by searches.

use std::sync::Mutex;

use super::best_play::BestPlay;
use super::course::compared;
use super::sums::{Evaluations, Sums};
use super::{Stage, Study};
use crate::bots::{Bot, Effort, Measure, exact};
use crate::engine::Engine;
use crate::eval::{Chosen, Fault};
use crate::play::{Match, Refused, Rng, Seen};
use crate::solve::{Goal, Knowledge, Task, solve};

/// How often a random move is drawn to find one other than a given move.
const TRIES: usize = 32;
/// The most positions that are searched for the costs at one choice, if what is found cannot be kept for the next.
const SEARCHED_ANEW: u64 = 20_000;
/// The memory in bytes for positions that are kept from choice to choice.
const MEMORY: u64 = 64 << 20;

impl<E: Engine> Study<'_, E> {
    /// Whether the costs of moves are worked out to the end. That is so where random matches, which come first, have found
    /// best play, unless every choice would have to be searched anew and for long.
    pub(super) fn costs_are_exact(&self, random: &Sums) -> bool {
        let short = |best: &BestPlay| best.is_kept || best.positions <= SEARCHED_ANEW;
        random.best_play.as_ref().is_some_and(|best| !best.mixed && !best.endless && short(best))
    }

    /// Returns by how much the second-best of the legal moves is worse than the best, and all of them are on average.
    fn exact_costs(
        &self,
        played: &Match,
        player: usize,
        knowledge: &Mutex<Knowledge>,
    ) -> Result<Option<(f64, f64)>, Fault> {
        let machine = self.engine.machine();
        let mut position = played.position().clone();
        position.events = None;
        let state = self.engine.state_of(&position);
        let goes_on = |looked: u64| looked < self.positions && !self.clock.must_stop();
        let sides = machine.sides().len();
        let values: Option<Vec<f64>> = if sides > 2 || compared(machine) != machine.interests {
            let found = exact(self.engine, &state, &goes_on, false)?.ok();
            found.map(|advice| advice.moves.iter().map(|of| of.value).collect())
        } else {
            let goal = Goal::usual(machine);
            let task = Task { value_all_moves: true, symmetries: false, ..Task::new(goal, MEMORY) };
            let mut knowledge = knowledge.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let found =
                solve(self.engine, &state, &task, &mut knowledge, &goes_on).map_err(|fault| *fault)?;
            let worth = |of: &crate::solve::RootMove| of.worth[player - 1].settled();
            let value = |worth: f64| goal.score_or_share(worth, sides);
            let known = found.first.iter().filter(|_| found.halted.is_none());
            known.map(|of| worth(of).map(value)).collect()
        };
        let Some(values) = values else { return Ok(None) };
        let measure = Measure::of(machine);
        let better = |a: f64, b: f64| if measure.gain(a, b) > 0.0 { a } else { b };
        let Some(best) = values.iter().copied().reduce(better) else { return Ok(None) };
        let mut costs: Vec<f64> = values.iter().map(|value| measure.gain(best, *value)).collect();
        costs.sort_by(f64::total_cmp);
        let mean = costs.iter().sum::<f64>() / costs.len() as f64;
        Ok(costs.get(1).map(|second| (*second, mean)))
    }

    /// Measures the cost of the second-best move of a choice, and of a random one. Where the game is not solved, each is
    /// searched again, to avoid a bias towards the move that was lucky in the first search. Mixed strategies have no best
    /// move.
    pub(super) fn weigh(
        &self,
        played: &Match,
        stop: u64,
        stage: &Stage,
        looks: &mut Evaluations,
    ) -> Result<(), Refused> {
        let player = played.to_move()[0];
        if played.together() || played.is_forced(player)? {
            return Ok(());
        }
        if let Some(knowledge) = &stage.knowledge {
            let found = self.exact_costs(played, player, knowledge).map_err(|fault| played.broken(&fault))?;
            if let Some((second, blind)) = found {
                looks.second.add(second);
                looks.blind.add(blind);
            }
            return Ok(());
        }
        let mut rng = Rng::nth(Rng::sub_seed(played.bots_seed(), u64::MAX / 3), stop);
        let effort = Effort::Playouts(self.playouts);
        let advice = match self.mind.advise_player(played, player, Bot::Tree(effort), self.clock, &mut rng) {
            Ok(advice) if !advice.is_mixed() => advice,
            Err(refused) if refused.fault.is_some() => return Err(refused),
            _ => return Ok(()),
        };
        let mut draws = Rng::nth(played.bots_seed(), stop);
        let mut draw = || {
            let drawn = played.machine().draw_legal(played.position(), player - 1, &mut draws);
            drawn.map_err(|fault| played.broken(&fault))
        };
        let Some(blind) = draw()? else { return Ok(()) };
        // A search that finds a certain win at once has tried no other move.
        let tried = advice.moves.iter().find(|other| other.chosen != advice.best);
        let mut second = tried.map(|tried| tried.chosen.clone());
        for _ in 0..TRIES {
            second = second.or(draw()?.filter(|drawn| *drawn != advice.best));
        }
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        let gain = |best: f64, other: f64| Measure::of(self.engine.machine()).gain(best, other);
        let mut worth = |chosen: &Chosen| {
            let standing = self.mind.weigh(&seen, Some(chosen), effort, self.clock, &mut rng);
            standing.ok().map(|standing| standing.values[player - 1])
        };
        let Some(best) = worth(&advice.best) else { return Ok(()) };
        if let Some(other) = second.and_then(|second| worth(&second)) {
            looks.second.add(gain(best, other));
        }
        if let Some(blind) = worth(&blind) {
            looks.blind.add(gain(best, blind));
        }
        Ok(())
    }
}
