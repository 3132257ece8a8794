//! Bots that look one move ahead: by the score if the score decides, else by a few random playouts.

use super::Clock;
use super::advice::{Advice, Method, MoveStats, Sure};
use super::worth::{Proof, RewardModel, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// How many moves are looked at; of more, this many are drawn at random.
const MAX_MOVES: u64 = 200;
/// How many times a greedy bot looks at each move, with different chance events and worlds.
const LOOKS_PER_MOVE: u64 = 8;
/// A learner overlooks a move, or what it leads to, with probability 1 / `OVERLOOKS`.
const OVERLOOKS: u64 = 6;
/// The number of choices after which a playout is given up.
const MAX_CHOICES: u64 = 3000;

/// How a bot looks ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookaheadStyle {
    /// Looks at what each move leads to.
    Greedy,
    /// Plays like a beginner: sees its own wins and wins of the next player, but overlooks some of them;
    /// other moves are judged by a playout or two.
    Beginner,
}

/// Values the moves of a seat (from 0) by looking one step ahead from the positions that `root` returns; once the
/// clock hurries, the moves that are left are not looked at. `None` if it returns none, or there is no legal move.
pub fn one_step_advice<E: Engine>(
    engine: &E,
    seat: usize,
    root: &mut dyn FnMut(&mut Rng) -> Option<E::State>,
    rng: &mut Rng,
    style: LookaheadStyle,
    clock: &dyn Clock,
) -> Result<Option<Advice>, Fault> {
    let mut stepper = engine.stepper();
    let Some(state) = root(rng) else { return Ok(None) };
    let mut moves = some_legal(&mut stepper, &state, seat, rng)?;
    // Shuffled before the stable sort below, so that equal moves are equally likely.
    for n in (1..moves.len()).rev() {
        moves.swap(n, rng.below_u64(n as u64 + 1) as usize);
    }
    let mut overlooked = Vec::new();
    if style == LookaheadStyle::Beginner {
        (moves, overlooked) = moves.into_iter().partition(|_| rng.below_u64(OVERLOOKS) > 0);
    }
    let mut search =
        OneStepSearch { engine, stepper, seat, look: style, model: RewardModel::of(engine.machine()) };
    let seats = engine.machine().setup.players;
    let loses =
        |(_, weighed): &(f64, MoveStats)| weighed.end.is_some_and(|end| end.share(seat, seats) == 0.0);
    let mut weighed: Vec<(f64, MoveStats)> = Vec::new();
    let seen = moves.len();
    for (number, chosen) in moves.into_iter().chain(overlooked).enumerate() {
        // Who sees only moves that lose at once looks again.
        if !weighed.is_empty() && (clock.must_stop() || number >= seen && !weighed.iter().all(loses)) {
            break;
        }
        let times = if style == LookaheadStyle::Beginner { 2 } else { LOOKS_PER_MOVE };
        let mut sum = 0.0;
        let mut end = None;
        for _ in 0..times {
            let Some(state) = root(rng) else { return Ok(None) };
            let (value, over) = search.value(state, &chosen, rng)?;
            sum += value;
            end = over;
        }
        let mean = sum / times as f64;
        let score = search.model.score(mean);
        let value = if score.is_some() { 1.0 } else { mean };
        let known = MoveStats::new(chosen, value);
        weighed.push((mean, MoveStats { score, visits: times, sure: Sure::by_end(end), end, ..known }));
    }
    // A certain end counts more than what a few playouts brought.
    let certain = |weighed: &MoveStats| match weighed.end.map(|end| end.share(seat, seats)) {
        Some(1.0) => 1,
        Some(0.0) => -1,
        _ => 0,
    };
    weighed.sort_by(|a, b| certain(&b.1).cmp(&certain(&a.1)).then(b.0.total_cmp(&a.0)));
    let weighed = weighed.into_iter().map(|(_, weighed)| weighed).collect();
    Ok(Advice::of(weighed, Method::Ahead))
}

/// Returns the legal moves of a seat, or a random sample of them if they are many or have no ids.
fn some_legal<S: Stepper>(
    stepper: &mut S,
    state: &S::State,
    seat: usize,
    rng: &mut Rng,
) -> Result<Vec<Chosen>, Fault> {
    let Turn::Choice { choice, .. } = stepper.turn(state) else { return Ok(Vec::new()) };
    let few = stepper.ids().has(choice) && stepper.count(state, seat)? <= MAX_MOVES;
    if few {
        return stepper.legal(state, seat);
    }
    let mut moves: Vec<Chosen> = Vec::new();
    for _ in 0..MAX_MOVES {
        match stepper.draw_legal(state, seat, rng)? {
            Some(chosen) if !moves.contains(&chosen) => moves.push(chosen),
            Some(_) => {}
            None => break,
        }
    }
    Ok(moves)
}

struct OneStepSearch<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    seat: usize,
    look: LookaheadStyle,
    model: RewardModel,
}

impl<E: Engine> OneStepSearch<'_, E> {
    /// Values a move by a single look ahead. Also returns the end of the match if the move alone causes it.
    fn value(
        &mut self,
        mut state: E::State,
        chosen: &Chosen,
        rng: &mut Rng,
    ) -> Result<(f64, Option<Proof>), Fault> {
        let Turn::Choice { seats, .. } = self.stepper.turn(&state) else { return Ok((0.0, None)) };
        let others = (0..self.model.seats).filter(|seat| seats >> seat & 1 == 1 && *seat != self.seat);
        let alone = seats.count_ones() == 1;
        for other in others {
            if let Some(theirs) = self.stepper.draw_legal(&state, other, rng)? {
                self.stepper.choose(&mut state, other, theirs)?;
            }
        }
        self.stepper.choose(&mut state, self.seat, chosen.clone())?;
        let drew = self.stepper.chance(&mut state, rng)?;
        let mut rewards = Vec::new();
        if plays_for_score(self.engine.machine()) {
            // The score of an unfinished match says little where points are won only by leaving: a learner plays on.
            if self.look == LookaheadStyle::Beginner && self.engine.outcome(&state).is_none() {
                self.engine.play_on(&mut state, rng, MAX_CHOICES)?;
            }
            self.model.rewards(self.engine, &state, &mut rewards)?;
            return Ok((rewards[self.seat].1, None));
        }
        if let Some(outcome) = self.engine.outcome(&state) {
            let end = self.model.end(&outcome.winners);
            let certain = (alone && !drew).then_some(end.before());
            return Ok((end.share(self.seat, self.model.seats), certain));
        }
        if self.look == LookaheadStyle::Beginner && self.next_wins(&state, rng)? {
            return Ok((0.0, None));
        }
        if self.look == LookaheadStyle::Greedy
            && let Some(margins) = self.model.margins(self.engine, &state)?
        {
            // A lead never counts as much as a win, or as little as a loss.
            return Ok((0.05 + 0.9 * margins[self.seat], None));
        }
        self.engine.play_on(&mut state, rng, MAX_CHOICES)?;
        self.model.rewards(self.engine, &state, &mut rewards)?;
        Ok((rewards[self.seat].1, None))
    }

    /// Whether the next player, if it is not the same seat, is seen to have a winning move.
    fn next_wins(&mut self, state: &E::State, rng: &mut Rng) -> Result<bool, Fault> {
        let Some(next) = self.stepper.turn(state).seat().filter(|next| *next != self.seat) else {
            return Ok(false);
        };
        for chosen in some_legal(&mut self.stepper, state, next, rng)? {
            let mut after = state.clone();
            self.stepper.choose(&mut after, next, chosen)?;
            let end = self.engine.outcome(&after).map(|outcome| self.model.end(&outcome.winners));
            let wins = end.is_some_and(|end| end.wins(next) && !end.wins(self.seat));
            if wins && rng.below_u64(OVERLOOKS) > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
