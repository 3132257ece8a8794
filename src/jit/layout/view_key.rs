//! The words of what one seat sees of a position in flat memory: see
//! [`Stepper::view_key`](crate::engine::Stepper::view_key).

use crate::engine::Turn;
use crate::engine::unordered::Order;
use crate::jit::layout::codec::{bit, load_u, turn};
use crate::jit::layout::key::{Contents, GrowingValue, clear_unwritten, set_bytes};
use crate::jit::layout::position::{Layout, STANDING, WINNERS};

/// Writes the keys of one seat.
#[derive(Debug)]
pub struct ViewKeys {
    /// The words of fixed places that are always seen, with the bits that count.
    words: Vec<(usize, u64)>,
    /// The values in growing blocks that are always seen.
    growing: Vec<GrowingValue>,
    /// The cells that are seen once they have been revealed, with their places.
    hidden: Vec<HiddenCell>,
}

/// A cell that is seen once it has been revealed.
#[derive(Debug)]
struct HiddenCell {
    cell: usize,
    /// The words of its fixed places, with the bits that count.
    words: Vec<(usize, u64)>,
    /// Its value in growing blocks.
    growing: Option<GrowingValue>,
}

impl ViewKeys {
    /// Prepares the keys of a seat, given the cells that it sees at any time.
    pub fn new(layout: &Layout, seen: &[bool]) -> ViewKeys {
        let mut bits = vec![0; layout.bytes as usize / 8];
        let (mut growing, mut hidden) = (Vec::new(), Vec::new());
        set_bytes(&mut bits, STANDING, STANDING + 8);
        if let Some(at) = layout.awards {
            set_bytes(&mut bits, at, at + 8 * layout.players as i32);
        }
        let places = layout.states.iter().flat_map(|state| {
            (0..state.owners as i32).map(move |owner| (state, state.at + owner * state.stride))
        });
        for (cell, (state, at)) in places.enumerate() {
            let flag = state.flag.map(|flag| at + flag);
            let contents = Contents::of(&state.shape, Order::All);
            let contents = contents.map(|contents| GrowingValue { at, flag, contents });
            // Handles say nothing; the flag behind one tells whether the value is set.
            let fixed = match contents {
                Some(_) => (at + state.flag.unwrap_or(state.stride), at + state.stride),
                None => (at, at + state.stride),
            };
            if seen[cell] {
                set_bytes(&mut bits, fixed.0, fixed.1);
                growing.extend(contents);
            } else if layout.revealed.is_some() {
                let mut own = vec![0; bits.len()];
                set_bytes(&mut own, fixed.0, fixed.1);
                hidden.push(HiddenCell { cell, words: counting(&own), growing: contents });
            }
        }
        ViewKeys { words: counting(&bits), growing, hidden }
    }

    /// Writes the key of a position into `key`.
    pub fn write(&self, layout: &Layout, mem: &[u64], key: &mut Vec<u64>) {
        let mut words = mem[..layout.bytes as usize / 8].to_vec();
        clear_unwritten(layout, mem, &mut words);
        key.clear();
        key.push(if turn(mem) == Turn::Over { load_u(mem, WINNERS, 8) } else { u64::MAX });
        key.extend(self.words.iter().map(|(word, bits)| words[*word] & bits));
        self.growing.iter().for_each(|value| value.write(layout, mem, key));
        for hidden in &self.hidden {
            let seen = layout.revealed.is_some_and(|at| bit(mem, at, hidden.cell as i64));
            key.push(u64::from(seen));
            if seen {
                key.extend(hidden.words.iter().map(|(word, bits)| words[*word] & bits));
                hidden.growing.iter().for_each(|value| value.write(layout, mem, key));
            }
        }
    }
}

/// Returns the words that have bits, with these bits.
fn counting(bits: &[u64]) -> Vec<(usize, u64)> {
    bits.iter().copied().enumerate().filter(|(_, bits)| *bits != 0).collect()
}
