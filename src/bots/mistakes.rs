//! Which of several moves that are worth the same under best play leaves most to the mistakes of the others.

use super::advice::{Advice, MoveStats};
use super::worth::Proof;
use super::{Question, exact, is_open};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;
use crate::solve::has_chance;

/// How many playouts follow each move, if they take no more positions than this in all.
const PLAYOUTS: u64 = 100;
const MAX_POSITIONS: u64 = 200_000;
/// The number of choices after which a playout is given up; nobody has won it.
const MAX_CHOICES: u64 = 200;

impl<E: Engine> Question<'_, E> {
    /// Changes exact advice on a position that is not won: of the moves that are worth as much as the best, and lose as late if
    /// they lose, the one comes first that brings the most against players who see a win at once but else move at random.
    pub(super) fn hope_for_mistakes(&mut self, advice: &mut Advice, rng: &mut Rng) -> Result<(), Fault> {
        let machine = self.engine.machine();
        // Where chance draws and positions come again, not every move of the same value makes progress.
        let certain =
            !has_chance(&machine.game) || advice.moves.first().is_some_and(|best| best.end.is_some());
        // Where something is hidden, one world does not tell what is likely.
        let known = is_open(&machine.game) && advice.exact && !advice.is_mixed();
        if !known || !certain || advice.value == 1.0 {
            return Ok(());
        }
        let Some(best) = advice.moves.first() else { return Ok(()) };
        let lasts = |weighed: &MoveStats| weighed.end.map(|end| end.choices).filter(|_| weighed.value == 0.0);
        let level = |weighed: &&MoveStats| weighed.value == advice.value && lasts(weighed) == lasts(best);
        let as_good = advice.moves.iter().take_while(level);
        let as_good: Vec<Chosen> = as_good.map(|weighed| weighed.chosen.clone()).collect();
        if as_good.len() < 2 {
            return Ok(());
        }
        let Some(state) = (self.root)(super::Viewpoint::Own, rng) else { return Ok(()) };
        let shares = shares_against_mistakes(self.engine, &state, self.seat, &as_good, rng)?;
        let mut order: Vec<usize> = (0..as_good.len()).collect();
        order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
        let ranked: Vec<_> = order.iter().map(|at| advice.moves[*at].clone()).collect();
        advice.moves.splice(..as_good.len(), ranked);
        let first = advice.moves[0].chosen.clone();
        if first != advice.best {
            advice.line = self.line_after(&state, &first)?;
            advice.best = first;
        }
        Ok(())
    }
}

impl<E: Engine> Question<'_, E> {
    /// Returns a line of best play that begins with a move, as far as it can be searched.
    fn line_after(&self, state: &E::State, first: &Chosen) -> Result<Vec<(usize, Chosen)>, Fault> {
        let mut next = state.clone();
        self.engine.stepper().choose(&mut next, self.seat, first.clone())?;
        let reply = exact(self.engine, &next, &|looked| looked < MAX_POSITIONS, false)?;
        let rest = reply.map(|advice| advice.line).unwrap_or_default();
        Ok(std::iter::once((self.seat, first.clone())).chain(rest).collect())
    }
}

/// Returns the mean share of the win that a seat (from 0) gets after each move, if then every player makes a move that wins at
/// once, or else a random one.
fn shares_against_mistakes<E: Engine>(
    engine: &E,
    state: &E::State,
    seat: usize,
    moves: &[Chosen],
    rng: &mut Rng,
) -> Result<Vec<f64>, Fault> {
    let (mut stepper, seats) = (engine.stepper(), engine.machine().setup.players);
    let mut sums = vec![0.0; moves.len()];
    let mut looked = 0;
    for round in 0..PLAYOUTS {
        // Every move has had as many playouts when the positions are used up.
        if round > 0 && looked > MAX_POSITIONS {
            break;
        }
        for (sum, chosen) in sums.iter_mut().zip(moves) {
            let mut state = state.clone();
            stepper.choose(&mut state, seat, chosen.clone())?;
            stepper.chance(&mut state, rng)?;
            *sum += play_out(engine, &mut stepper, state, rng, &mut looked)?.share(seat, seats);
        }
    }
    Ok(sums)
}

/// Plays to the end, by moves that win at once where there are any, and by random ones where not; counts the positions.
fn play_out<'e, E: Engine + 'e>(
    engine: &E,
    stepper: &mut E::Stepper<'e>,
    mut state: E::State,
    rng: &mut Rng,
    looked: &mut u64,
) -> Result<Proof, Fault> {
    let interests = engine.machine().interests;
    for _ in 0..MAX_CHOICES {
        let Turn::Choice { seats, .. } = stepper.turn(&state) else { break };
        let seat = seats.trailing_zeros() as usize;
        let ids = stepper.list(&state, seat)?.map(<[u32]>::to_vec).unwrap_or_default();
        for id in ids {
            let mut next = state.clone();
            stepper.make(&mut next, seat, id)?;
            *looked += 1;
            let end = engine.outcome(&next).map(|outcome| Proof::of(&outcome.winners, interests));
            if let Some(end) = end.filter(|end| end.wins(seat)) {
                return Ok(end);
            }
        }
        *looked += 1;
        let Some(chosen) = stepper.draw_legal(&state, seat, rng)? else { break };
        stepper.choose(&mut state, seat, chosen)?;
        stepper.chance(&mut state, rng)?;
    }
    let winners = engine.outcome(&state).map(|outcome| outcome.winners).unwrap_or_default();
    Ok(Proof::of(&winners, interests))
}
