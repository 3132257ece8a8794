//! Moves that change nothing a player can see, such as passing, or keeping the nothing that was gathered. At the levels that
//! try little, chance alone may put such a move first, and who makes it looks like somebody who has not understood the game.

use super::advice::Advice;
use super::worth::plays_for_score;
use super::{Question, Viewpoint};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// Up to how many standard errors the difference of two moves may be nothing.
const UNSURE: f64 = 1.5;

impl<E: Engine> Question<'_, E> {
    /// Changes advice to make a move that changes nothing: another move comes first if, as far as the number of playouts can
    /// tell, it may be as good.
    pub(super) fn rather_do_something(&mut self, advice: &mut Advice, rng: &Rng) -> Result<(), Fault> {
        let machine = self.engine.machine();
        // Players who win together may well wait for each other.
        let opposed = machine.interests.are_opposed() && !plays_for_score(machine);
        let open_question = !advice.exact && !advice.is_mixed() && advice.moves.len() > 1;
        let Some(best) = advice.best_stats().filter(|best| opposed && open_question && !best.is_exact())
        else {
            return Ok(());
        };
        let other = advice.moves.iter().position(|other| {
            let comparable = other.chosen != best.chosen && !other.is_exact() && other.visits > 0;
            // The deviation of a share of the win is at most a half.
            let error = (0.25 / other.visits as f64 + 0.25 / best.visits as f64).sqrt();
            comparable && best.value - other.value <= UNSURE * error
        });
        let Some(at) = other.filter(|_| best.visits > 0) else { return Ok(()) };
        if !self.changes_nothing(&advice.best, rng)? || self.changes_nothing(&advice.moves[at].chosen, rng)? {
            return Ok(());
        }
        let chosen = advice.moves.remove(at);
        (advice.value, advice.best) = (chosen.value, chosen.chosen.clone());
        advice.interval = chosen.interval();
        advice.line.truncate(0);
        advice.moves.insert(0, chosen);
        Ok(())
    }

    /// Whether the seat sees no difference after a move but that it is another's turn.
    fn changes_nothing(&mut self, chosen: &Chosen, rng: &Rng) -> Result<bool, Fault> {
        let mut rng = rng.clone();
        let Some(mut state) = (self.root)(Viewpoint::Own, &mut rng) else { return Ok(false) };
        let (mut stepper, mut before, mut after) = (self.engine.stepper(), Vec::new(), Vec::new());
        if !matches!(stepper.turn(&state), Turn::Choice { seats, .. } if seats.count_ones() == 1) {
            return Ok(false);
        }
        stepper.view_key(&state, Some(self.seat), &mut before);
        stepper.choose(&mut state, self.seat, chosen.clone())?;
        if stepper.chance(&mut state, &mut rng)? || stepper.turn(&state).seat() == Some(self.seat) {
            return Ok(false);
        }
        stepper.view_key(&state, Some(self.seat), &mut after);
        Ok(before == after)
    }
}
