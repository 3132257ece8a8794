//! Alpha–beta search with a transposition table: whether a position is worth at least a given number, looking first at
//! the moves that answered most questions before.

use super::Halt;
use super::search::{Child, Search, SearchNode};
use super::table::TableEntry;
use crate::engine::Engine;

impl<E: Engine> Search<'_, E> {
    /// Asks whether a position is worth at least `wanted` to the side, visiting about `most` positions; `None` if that
    /// does not suffice. A result of at least `wanted` is a lower bound on the value of the position, and a result
    /// below it is an upper bound.
    pub fn ask(&mut self, state: &E::State, wanted: i32, most: u64) -> Result<Option<i32>, Halt> {
        let until = self.visited.saturating_add(most);
        let mut done = match self.begin(state)? {
            Some(worth) => return Ok(Some(worth)),
            None => self.expand(0, wanted)?,
        };
        loop {
            // The value of the last position is passed to its parent.
            if let Some(worth) = done.take() {
                let Some(frame) = self.frames.last_mut() else { return Ok(Some(worth)) };
                let Child { nth, history, .. } = self.children[frame.next - 1];
                frame.take(worth, nth);
                if frame.causes_cutoff(wanted) {
                    let work = self.visited - frame.before;
                    let bits = u64::BITS - work.leading_zeros();
                    self.credit_cutoff(history, bits * bits);
                    done = Some(self.close(wanted));
                    continue;
                }
            }
            if self.visited >= until {
                return Ok(None);
            }
            let Some(frame) = self.frames.last_mut() else { return Ok(None) };
            let at = frame.next;
            let Some(TableEntry { lower, upper, .. }) = self.children.get(at).map(|child| child.known) else {
                done = Some(self.close(wanted));
                continue;
            };
            frame.next += 1;
            // Its known bounds may show that it is not enough.
            done = match frame.maximises {
                true if upper < wanted => Some(upper),
                false if lower >= wanted => Some(lower),
                _ => self.expand(at, wanted)?,
            };
        }
    }

    /// Credits a move that was enough to answer a question; `weight` is larger if the answer took longer.
    fn credit_cutoff(&mut self, history: usize, weight: u32) {
        if let Some(times) = self.history.get_mut(history) {
            *times = times.saturating_add(weight);
        }
    }
}

impl SearchNode {
    /// Whether the question is answered, whatever the other moves lead to.
    fn causes_cutoff(&self, wanted: i32) -> bool {
        if self.maximises { self.worth >= wanted } else { self.worth < wanted }
    }
}
