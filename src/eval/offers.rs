//! Which moves of a choice are open to a seat, where the seats of a joint choice have moves of their own.

use super::{Env, Fault};
use crate::ir::{Choice, MoveId, Value};

impl<'g> Env<'g> {
    /// Returns the moves offered to a seat (from 0) now, legal or not, each once, in the order of the offers.
    pub fn offered_to(&self, choice: &'g Choice, seat: usize) -> Result<Vec<MoveId>, Fault> {
        let mut frame = self.frame();
        let mut moves = Vec::new();
        for (_, offer) in self.active(choice, seat)?.each() {
            self.enter_offer(offer, seat, &mut frame)?;
            // An unnamed first parameter holds the seats that the move is for.
            let params = &self.machine.game.moves[offer.mv].params;
            let role = params.first().filter(|param| param.name.is_empty()).map(|param| &frame[param.slot]);
            let others = matches!(role, Some(Value::List(seats)) if !seats.contains(&Value::Player(seat)));
            if !others && !moves.contains(&offer.mv) {
                moves.push(offer.mv);
            }
        }
        Ok(moves)
    }
}
