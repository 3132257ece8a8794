//! The words by which positions are compared and hashed: those of flat memory, without what nothing reads any more.

use crate::ir::Live;
use crate::jit::layout::codec::{load_u, pc, place, turn};
use crate::jit::layout::position::{self, Layout, SEALED};
use crate::jit::layout::shape::{Length, Scalar, Shape};
use crate::jit::layout::slots::SlotShape;

/// The words of a position: the same for equal ones, and for no others. `None` where only the reference can tell: blocks
/// that grow lie in whatever order they were filled, and so do choices under seal.
pub fn key(layout: &Layout, live: &Live, mem: &[u64]) -> Option<Vec<u64>> {
    if layout.grows || mem.is_empty() || layout.sealed.is_some() && load_u(mem, SEALED, 8) != 0 {
        return None;
    }
    let mut words = mem[..layout.bytes as usize / 8].to_vec();
    let over = turn(mem) == crate::engine::Turn::Over;
    for (slot, (shape, at)) in &layout.slots {
        if over || !live.at(pc(mem)).contains(slot) {
            let size = match shape {
                SlotShape::Word(_) => 8,
                SlotShape::Bits(of) | SlotShape::Members(of) => of.words() as i32 * 8,
                SlotShape::Span => 16,
                _ => 0,
            };
            clear(&mut words, *at, *at + size);
        }
    }
    if let Some(sealed) = layout.sealed {
        clear(&mut words, sealed.at, sealed.at + sealed.stride * layout.players as i32);
    }
    for state in &layout.states {
        for at in (0..state.owners as i32).map(|owner| state.at + owner * state.stride) {
            let end = at + state.flag.unwrap_or(state.stride);
            if state.flag.is_some_and(|flag| load_u(mem, at + flag, 1) == 0) {
                clear(&mut words, at, end);
            } else if let Shape::List(length, of) = state.shape {
                clear_unused(&mut words, (at, end), length, of);
            }
        }
    }
    Some(words)
}

/// Clears what a list has no elements in.
fn clear_unused(words: &mut [u64], (at, end): (i32, i32), length: Length, of: Scalar) {
    let count = load_u(words, at, 4) as i32;
    let first = at + position::first_element(length, of, count);
    clear(words, at + 4, first);
    clear(words, first + count * of.width() as i32, end);
}

/// Clears bytes.
fn clear(words: &mut [u64], from: i32, upto: i32) {
    for at in from..upto {
        let (word, shift) = place(at);
        words[word] &= !(0xff << shift);
    }
}
