//! Players that look one move ahead: by the score where the score decides, else by playing on at random a few times.

use super::advice::{Advice, Method, Weighed};
use super::worth::{Proof, Worth, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// How many moves are looked at; of more, so many drawn at random.
const MAX_MOVES: u64 = 200;
/// How often each is looked at, with other draws and other worlds.
const TIMES: u64 = 8;
/// How often somebody who learns overlooks a move, or what it leads to: one time in so many.
const OVERLOOKS: u64 = 6;
/// After how many choices a playout is given up.
const MAX_CHOICES: u64 = 3000;

/// How to look ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// At what each move leads to.
    Greedy,
    /// Like somebody who is learning: sees a win and what the next one could win by, and overlooks some of it; what is
    /// left is judged by how a match or two went.
    Learning,
}

/// The moves of a seat (from 0), weighed one step ahead from what `root` gives. `None` where it gives nothing, or there is no
/// move.
pub fn ahead<E: Engine>(
    engine: &E,
    seat: usize,
    root: &mut dyn FnMut(&mut Rng) -> Option<E::State>,
    rng: &mut Rng,
    look: Look,
) -> Result<Option<Advice>, Fault> {
    let mut stepper = engine.stepper();
    let Some(state) = root(rng) else { return Ok(None) };
    let mut moves = some_legal(&mut stepper, &state, seat, rng)?;
    // Equal moves have equal chances, so the order is left to chance before it is made.
    for n in (1..moves.len()).rev() {
        moves.swap(n, rng.below_u64(n as u64 + 1) as usize);
    }
    if look == Look::Learning {
        let seen: Vec<Chosen> = moves.iter().filter(|_| rng.below_u64(OVERLOOKS) > 0).cloned().collect();
        if !seen.is_empty() {
            moves = seen;
        }
    }
    let mut eyes = Eyes { engine, stepper, seat, look, worth: Worth::of(engine.machine()) };
    let mut weighed = Vec::new();
    for chosen in moves {
        let times = if look == Look::Learning { 2 } else { TIMES };
        let mut sum = 0.0;
        let mut end = None;
        for _ in 0..times {
            let Some(state) = root(rng) else { return Ok(None) };
            let (value, over) = eyes.value(state, &chosen, rng)?;
            sum += value;
            end = over;
        }
        let mean = sum / times as f64;
        let score = eyes.worth.score(mean);
        let value = if score.is_some() { 1.0 } else { mean };
        weighed.push((mean, Weighed { chosen, value, score, visits: times, end }));
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let weighed = weighed.into_iter().map(|(_, weighed)| weighed).collect();
    Ok(Advice::of(weighed, Method::Ahead))
}

/// The legal moves of a seat, or some of many, drawn at random.
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

struct Eyes<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    seat: usize,
    look: Look,
    worth: Worth,
}

impl<E: Engine> Eyes<'_, E> {
    /// What a move is worth, as far as one look shows; and the end of the match, where the move alone brings it.
    fn value(
        &mut self,
        mut state: E::State,
        chosen: &Chosen,
        rng: &mut Rng,
    ) -> Result<(f64, Option<Proof>), Fault> {
        let Turn::Choice { seats, .. } = self.stepper.turn(&state) else { return Ok((0.0, None)) };
        let others = (0..self.worth.seats).filter(|seat| seats >> seat & 1 == 1 && *seat != self.seat);
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
            self.worth.rewards(self.engine, &state, &mut rewards)?;
            return Ok((rewards[self.seat].1, None));
        }
        if let Some(outcome) = self.engine.outcome(&state) {
            let end = Proof::of(&outcome.winners);
            let certain = (alone && !drew).then_some(end.before());
            return Ok((end.share(self.seat, self.worth.seats), certain));
        }
        if self.look == Look::Learning && self.next_wins(&state, rng)? {
            return Ok((0.0, None));
        }
        if self.look == Look::Greedy
            && let Some(margins) = self.worth.margins(self.engine, &state)?
        {
            // A lead is no win.
            return Ok((0.05 + 0.9 * margins[self.seat], None));
        }
        self.engine.play_on(&mut state, rng, MAX_CHOICES)?;
        self.worth.rewards(self.engine, &state, &mut rewards)?;
        Ok((rewards[self.seat].1, None))
    }

    /// Whether the next to choose, if that is somebody else, is seen to win by one move.
    fn next_wins(&mut self, state: &E::State, rng: &mut Rng) -> Result<bool, Fault> {
        let Some(next) = self.stepper.turn(state).seat().filter(|next| *next != self.seat) else {
            return Ok(false);
        };
        for chosen in some_legal(&mut self.stepper, state, next, rng)? {
            let mut after = state.clone();
            self.stepper.choose(&mut after, next, chosen)?;
            let wins = self.engine.outcome(&after).is_some_and(|outcome| outcome.winners == [next]);
            if wins && rng.below_u64(OVERLOOKS) > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
