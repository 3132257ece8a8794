//! What one seat sees of a position, as words that can be compared: for searches that know only what it knows.

use super::identity::number_of;
use crate::eval::{Machine, Position};
use crate::ir::{Sight, Value};

/// Returns for each cell whether a seat (from 0; `None` for a spectator) sees it at any time. A hidden cell is seen
/// once it has been revealed.
pub fn seen_cells(machine: &Machine, seat: Option<usize>) -> Vec<bool> {
    let mut seen = Vec::new();
    for state in &machine.game.state {
        let owners = if state.per_player { machine.setup.players } else { 1 };
        seen.extend((0..owners).map(|owner| match state.sight {
            Sight::Public => true,
            Sight::Owner => state.per_player && Some(owner) == seat,
            Sight::Nobody => false,
        }));
    }
    seen
}

/// Encodes [`Stepper::view_key`](super::Stepper::view_key) for a position of the reference, given the cells
/// that the seat sees at any time.
pub fn view_words(seen: &[bool], position: &Position, key: &mut Vec<u64>) {
    let cells = position.cells.iter().enumerate();
    let cells: Vec<Option<&Value>> =
        cells.map(|(at, cell)| (seen[at] || position.revealed[at]).then_some(cell)).collect();
    let winners = position.outcome.as_ref().map(|outcome| &outcome.winners);
    key.clear();
    key.push(number_of(&(cells, &position.is_in, &position.awards, winners)));
}
