//! Keys by which positions are compared and hashed: the words of flat memory without dead values.

use crate::engine::Turn;
use crate::engine::identity::Identity;
use crate::engine::unordered::Order;
use crate::ir::{Live, Pc};
use crate::jit::layout::codec::{load_u, pc, place, store_u, turn};
use crate::jit::layout::position::{self, DRAWS, LAST, Layout, SEALED, STANDING, StatePlace, WINNERS};
use crate::jit::layout::shape::{Length, Planes, Scalar, Shape};
use crate::jit::layout::slots::SlotShape;

/// Returns words that are equal exactly for equal positions. `None` where only the reference can compare: the
/// blocks of growing values and sealed choices lie in the order in which they were filled.
pub fn key(layout: &Layout, live: &Live, mem: &[u64]) -> Option<Vec<u64>> {
    if layout.grows || mem.is_empty() || layout.sealed.is_some() && load_u(mem, SEALED, 8) != 0 {
        return None;
    }
    let mut words = mem[..layout.bytes as usize / 8].to_vec();
    let over = turn(mem) == Turn::Over;
    clear_dead(layout, live, over, mem, &mut words);
    if let Some(sealed) = layout.sealed {
        clear(&mut words, sealed.at, sealed.at + sealed.stride * layout.players as i32);
    }
    clear_unwritten(layout, mem, &mut words);
    Some(words)
}

/// Clears the slots that are no longer live.
fn clear_dead(layout: &Layout, live: &Live, over: bool, mem: &[u64], words: &mut [u64]) {
    for (slot, (shape, at)) in &layout.slots {
        if over || !live.at(pc(mem)).contains(slot) {
            let size = match shape {
                SlotShape::Word(_) => 8,
                SlotShape::Bits(of) | SlotShape::Members(of) => of.words() as i32 * 8,
                SlotShape::Span => 16,
                _ => 0,
            };
            clear(words, *at, *at + size);
        }
    }
}

/// Clears unset collections and the unused element places of lists.
fn clear_unwritten(layout: &Layout, mem: &[u64], words: &mut [u64]) {
    for state in &layout.states {
        for at in (0..state.owners as i32).map(|owner| state.at + owner * state.stride) {
            let end = at + state.flag.unwrap_or(state.stride);
            if state.flag.is_some_and(|flag| load_u(mem, at + flag, 1) == 0) {
                clear(words, at, end);
            } else if let Shape::List(length, of) = state.shape {
                clear_unused(words, (at, end), length, of);
            }
        }
    }
}

/// Computes the words by which a search compares positions, with masks cached for each stop: see
/// [`Stepper::lasting_key`](crate::engine::Stepper::lasting_key).
#[derive(Debug)]
pub struct LastingKeys {
    identity: Identity,
    /// Byte ranges (start, end) that make no difference, because the rules never read them or other words
    /// imply them.
    ignored: Vec<(i32, i32)>,
    /// The indices of the words that can differ, and for each stop (by `Pc`) the bits of these words that
    /// count.
    counting: Vec<usize>,
    masks: Vec<Option<Vec<u64>>>,
    /// The lists of whose order nothing or only the last element matters, with their byte offsets.
    unordered: Vec<(i32, Length, Scalar, Order)>,
    /// Whether there are lists or collections that may be unset, so that [`clear_unwritten`] is needed.
    needs_clearing: bool,
}

impl LastingKeys {
    /// Prepares the keys of a layout; `None` where only the reference can compare positions.
    pub fn new(layout: &Layout, identity: Identity) -> Option<LastingKeys> {
        if layout.grows || layout.sealed.is_some() {
            return None;
        }
        let mut cell = 0;
        let (mut ignored, mut unordered) = (Vec::new(), Vec::new());
        for state in &layout.states {
            for owner in 0..state.owners as i32 {
                let at = state.at + owner * state.stride;
                match identity.lasts(cell) {
                    true => ignored
                        .extend(implied_range(layout, state).map(|(from, upto)| (at + from, at + upto))),
                    false => ignored.push((at, at + state.stride)),
                }
                if let (Shape::List(length, of), order @ (Order::Nothing | Order::Last)) =
                    (&state.shape, identity.order(cell))
                {
                    unordered.push((at, *length, *of, order));
                }
                cell += 1;
            }
        }
        // Words of the head that are the same at every stop before the end of play.
        let same =
            |word: i32| matches!(word * 8, WINNERS | DRAWS | SEALED) || word * 8 == STANDING && layout.all_in;
        let mut bits = vec![u64::MAX; layout.bytes as usize / 8];
        ignored.iter().for_each(|(from, upto)| clear(&mut bits, *from, *upto));
        let counts = |word: &i32| !same(*word) && bits[*word as usize] != 0;
        let counting = (0..layout.bytes / 8).filter(counts).map(|word| word as usize).collect();
        let needs_clearing =
            layout.states.iter().any(|state| state.flag.is_some() || matches!(state.shape, Shape::List(..)));
        Some(LastingKeys { identity, ignored, counting, masks: Vec::new(), unordered, needs_clearing })
    }

    /// Returns the number of words in a key.
    pub fn words(&self) -> usize {
        self.counting.len()
    }

    /// Writes the key of a position at which play stops before its end into `key`.
    pub fn write(&mut self, layout: &Layout, mem: &[u64], key: &mut Vec<u64>) {
        let LastingKeys { identity, ignored, counting, masks, unordered, needs_clearing } = self;
        key.clear();
        if *needs_clearing {
            key.extend_from_slice(&mem[..layout.bytes as usize / 8]);
            clear_unwritten(layout, mem, key);
            unordered.iter().for_each(|list| sort_unordered(key, *list));
            // Words only move towards the front, so none is overwritten before it is read.
            counting.iter().enumerate().for_each(|(to, from)| key[to] = key[*from]);
            key.truncate(counting.len());
        } else {
            key.extend(counting.iter().map(|word| mem[*word]));
        }
        let at: Pc = pc(mem);
        if masks.len() <= at {
            masks.resize(at + 1, None);
        }
        let mask = masks[at].get_or_insert_with(|| {
            let mut bits = vec![u64::MAX; layout.bytes as usize / 8];
            clear_dead(layout, identity.slots(), false, mem, &mut bits);
            ignored.iter().for_each(|(from, upto)| clear(&mut bits, *from, *upto));
            // The seat that is to choose becomes the last mover anyway.
            if !identity.asks_who_moved() || turn(mem) != Turn::Chance {
                clear(&mut bits, LAST, LAST + 1);
            }
            counting.iter().map(|word| bits[*word]).collect()
        });
        key.iter_mut().zip(mask).for_each(|(word, bits)| *word &= *bits);
    }
}

/// Returns the byte range of a piece of state that the rest of it implies: the values of a grid follow from
/// its planes, one plane follows from the others, and a plane of empty squares follows from the values.
fn implied_range(layout: &Layout, state: &StatePlace) -> Option<(i32, i32)> {
    let Shape::Grid(grid) = &state.shape else { return None };
    let values = position::grid_head(grid, layout.squares);
    match grid.planes {
        Planes::Off => None,
        Planes::Empty => Some((0, values)),
        // A square that may be unset may lie in no plane, so no plane follows from the others.
        Planes::All if state.unset || grid.plane_count() == 0 => Some((values, state.stride)),
        Planes::All => Some((values - values / grid.plane_count() as i32, state.stride)),
    }
}

/// Sorts the elements of a list, except for the last one if it matters.
fn sort_unordered(words: &mut [u64], (at, length, of, order): (i32, Length, Scalar, Order)) {
    let (count, width) = (load_u(words, at, 4) as i32, of.width());
    let sorted = count - i32::from(order == Order::Last && count > 0);
    let first = at + position::first_element(length, of, count);
    let place = |nth: i32| first + nth * width as i32;
    let mut elements: Vec<u64> = (0..sorted).map(|nth| load_u(words, place(nth), width)).collect();
    elements.sort_unstable();
    (0..sorted).zip(elements).for_each(|(nth, element)| store_u(words, place(nth), width, element));
}

/// Clears the unused element places of a list.
fn clear_unused(words: &mut [u64], (at, end): (i32, i32), length: Length, of: Scalar) {
    let count = load_u(words, at, 4) as i32;
    let first = at + position::first_element(length, of, count);
    clear(words, at + 4, first);
    clear(words, first + count * of.width() as i32, end);
}

/// Clears a range of bytes.
fn clear(words: &mut [u64], from: i32, upto: i32) {
    for at in from..upto {
        let (word, shift) = place(at);
        words[word] &= !(0xff << shift);
    }
}
