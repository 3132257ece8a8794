//! Keys by which positions are compared and hashed: the words of flat memory without dead values.

use crate::engine::Turn;
use crate::engine::identity::Identity;
use crate::engine::unordered::Order;
use crate::ir::{Game, Live, MoveId, Op, Pc, Slot};
use crate::jit::layout::codec::{cells_at, load, load_list, load_u, load_words, pc, place, store_u, turn};
use crate::jit::layout::packing::{Packing, Parts, Possible};
use crate::jit::layout::pool;
use crate::jit::layout::position::{
    self, CHOICE, DRAWS, LAST, Layout, SEALED, STANDING, Seal, StatePlace, WAITING, WINNERS,
};
use crate::jit::layout::serial;
use crate::jit::layout::shape::{Index, Length, Planes, Scalar, Shape};
use crate::jit::layout::slots::SlotShape;

/// Clears the slots that are no longer live.
fn clear_dead(layout: &Layout, live: &Live, mem: &[u64], words: &mut [u64]) {
    for (slot, (shape, at)) in &layout.slots {
        if !live.at(pc(mem)).contains(slot) {
            let size = if shape.grows() { 0 } else { shape.bytes() };
            clear(words, *at, *at + size);
        }
    }
}

/// Clears unset collections and the unused element places of lists.
pub fn clear_unwritten(layout: &Layout, mem: &[u64], words: &mut [u64]) {
    for state in &layout.states {
        for at in (0..state.owners as i32).map(|owner| state.at + owner * state.stride) {
            let end = at + state.flag.unwrap_or(state.stride);
            if state.flag.is_some_and(|flag| load_u(mem, at + flag, 1) == 0) {
                clear(words, at, end);
            } else if let Shape::List(length, of) = state.shape
                && length != Length::Growing
            {
                clear_unused(words, (at, end), of);
            }
        }
    }
}

/// Computes the words by which a search compares positions: see
/// [`Stepper::lasting_key`](crate::engine::Stepper::lasting_key). First come the words of fixed places, packed into fewer words
/// as is settled once for each stop, with large integers behind them; then the contents of growing parts and sealed choices, each
/// in an order of its own.
#[derive(Debug)]
pub struct LastingKeys {
    identity: Identity,
    /// Byte ranges (start, end) that make no difference, because the rules never read them or other words
    /// imply them.
    ignored: Vec<(i32, i32)>,
    /// How what can differ is packed.
    packing: Packing,
    /// For each stop (by `Pc`), what of it can differ there.
    parts: Vec<Option<Parts>>,
    /// The lists of whose order nothing or only the last element matters, with their byte offsets.
    unordered: Vec<(i32, Scalar, Order)>,
    /// Whether there are lists or collections that may be unset, so that [`clear_unwritten`] is needed.
    needs_clearing: bool,
    /// The words of the position after that.
    cleared: Vec<u64>,
    growing: Vec<GrowingPart>,
    sealed: Option<SealedKeys>,
}

/// A value whose contents lie in growing blocks. Blocks lie in the order in which they were filled, so the key
/// has the contents instead of the handle.
#[derive(Debug)]
struct GrowingPart {
    value: GrowingValue,
    /// For a slot: it counts only at stops where it is alive.
    slot: Option<Slot>,
}

/// A value in growing blocks.
#[derive(Debug)]
pub struct GrowingValue {
    /// The byte offset of the handle.
    pub at: i32,
    /// The byte offset of its flag, if it may be unset.
    pub flag: Option<i32>,
    /// What lies in the blocks.
    pub contents: Contents,
}

impl GrowingValue {
    /// Appends the contents, unless the value is unset.
    pub fn write(&self, layout: &Layout, mem: &[u64], key: &mut Vec<u64>) {
        if self.flag.is_none_or(|flag| load_u(mem, flag, 1) != 0) {
            self.contents.write(layout, mem, self.at, key);
        }
    }
}

/// What lies in the growing blocks of a value.
#[derive(Debug, Clone)]
pub enum Contents {
    /// Elements of this width in bytes.
    List(u32, Order),
    /// The entries of a set.
    Entries,
    /// A serialised value, which may be a list of such an order.
    Serialised(Order),
    /// A value that holds collections of a shape, which may be a list of such an order.
    Nested(Box<Shape>, Order),
}

impl Contents {
    /// Returns what lies in the growing blocks of a value of a shape whose elements have such an order; `None` if
    /// it has no such blocks.
    pub fn of(shape: &Shape, order: Order) -> Option<Contents> {
        match shape {
            Shape::List(Length::Growing, of) | Shape::Sorted(of) => Some(Contents::List(of.width(), order)),
            Shape::Pool(_) => Some(Contents::Entries),
            Shape::Opaque => Some(Contents::Serialised(order)),
            Shape::Cells(_) | Shape::Parts(_) => Some(Contents::Nested(Box::new(shape.clone()), order)),
            _ => None,
        }
    }

    /// Returns what lies in the growing block of a slot or an argument; `None` if it has none.
    fn of_slot(shape: &SlotShape) -> Option<Contents> {
        match shape {
            SlotShape::List(_) => Some(Contents::List(8, Order::All)),
            // In whatever order the elements were found.
            SlotShape::Set(_) | SlotShape::Bag(_) => Some(Contents::List(8, Order::Nothing)),
            SlotShape::Opaque(_) => Some(Contents::Serialised(Order::All)),
            _ => None,
        }
    }

    /// Appends the number of words or entries of the value with its handle at a byte offset, and then its contents.
    pub fn write(&self, layout: &Layout, mem: &[u64], at: i32, key: &mut Vec<u64>) {
        match self {
            Contents::List(width, order) => {
                let mut elements = load_list(mem, at, *width);
                let sorted = order.sorted_part(elements.len());
                elements[..sorted].sort_unstable();
                key.push(elements.len() as u64);
                key.extend(elements.iter().map(|word| *word as u64));
            }
            Contents::Entries => {
                let mut entries: Vec<&[u64]> = pool::entries(mem, place(at).0).collect();
                entries.sort_unstable();
                key.push(entries.len() as u64);
                for entry in entries {
                    key.push(entry.len() as u64);
                    key.extend_from_slice(entry);
                }
            }
            Contents::Serialised(order) => {
                let words = load_words(mem, at);
                let sorted = (*order != Order::All && !words.is_empty())
                    .then(|| serial::words_of(&order.canonical(&serial::value_of(words))));
                let words = sorted.as_deref().unwrap_or(words);
                key.push(words.len() as u64);
                key.extend_from_slice(words);
            }
            Contents::Nested(shape, order) => write_value(layout, mem, shape, *order, at, key),
        }
    }
}

/// Appends words that determine a value of a shape at a byte offset, wherever its blocks lie. The elements of a
/// list at the top may have such an order; those below are in order.
pub fn write_value(layout: &Layout, mem: &[u64], shape: &Shape, order: Order, at: i32, key: &mut Vec<u64>) {
    let squares = layout.squares;
    match shape {
        Shape::Scalar(of) => key.push(load(mem, at, of.width()) as u64),
        Shape::Bits(of) => key.extend_from_slice(&mem[place(at).0..][..of.words()]),
        Shape::Counts(of) => key.extend((0..of.size() as i32).map(|i| load_u(mem, at + 4 * i, 4))),
        Shape::List(length, of) if *length != Length::Growing => {
            let (count, width) = (load_u(mem, at, 4) as i32, of.width() as i32);
            let first = at + position::list_head(*of);
            key.push(count as u64);
            key.extend((0..count).map(|i| load(mem, first + i * width, of.width()) as u64));
        }
        Shape::Cells(cells) => {
            let size = position::cell_size(&cells.of, squares) as i32;
            let (first, count) = cells_at(layout, mem, cells.index, at);
            let places: Vec<i64> = match cells.index {
                Index::Keyed(keys) => keys.each_place(squares).collect(),
                Index::Places(_) | Index::Optional => (0..count.into()).collect(),
            };
            let element = |number: i64| {
                let mut own = Vec::new();
                write_value(layout, mem, &cells.of, Order::All, first + number as i32 * size, &mut own);
                own
            };
            let mut elements: Vec<Vec<u64>> = places.into_iter().map(element).collect();
            let sorted = order.sorted_part(elements.len());
            elements[..sorted].sort_unstable();
            key.push(elements.len() as u64);
            key.extend(elements.into_iter().flatten());
        }
        Shape::Parts(parts) => {
            for (part, offset) in parts.iter().zip(position::part_offsets(parts, squares)) {
                write_value(layout, mem, part, Order::All, at + offset, key);
            }
        }
        // Maps and grids do not lie within other values.
        shape => Contents::of(shape, order).iter().for_each(|all| all.write(layout, mem, at, key)),
    }
}

/// How sealed choices become part of a key.
#[derive(Debug)]
struct SealedKeys {
    seal: Seal,
    /// The moves offered at each joint choice, by the number of the offer.
    choices: Vec<(Pc, Vec<MoveId>)>,
}

impl SealedKeys {
    fn new(seal: Seal, game: &Game) -> SealedKeys {
        let choices = game.code.iter().enumerate().filter_map(|(at, op)| {
            let (Op::Choose(choice) | Op::Unseal(choice, _)) = op else { return None };
            let choice = &game.choices[*choice];
            Some((at, choice.all_offers().map(|offer| offer.mv).collect()))
        });
        SealedKeys { seal, choices: choices.collect() }
    }

    /// Appends the choice of each seat that has chosen.
    fn write(&self, layout: &Layout, mem: &[u64], key: &mut Vec<u64>) {
        let chosen = load_u(mem, SEALED, 8);
        if chosen == 0 {
            return;
        }
        let moves = self.choices.iter().find(|(at, _)| *at == pc(mem)).map(|(_, moves)| moves.as_slice());
        for seat in (0..layout.players).filter(|seat| chosen >> seat & 1 == 1) {
            let own = self.seal.at + self.seal.stride * seat as i32;
            let offer = load_u(mem, own, 8);
            key.push(offer);
            let shapes = moves
                .and_then(|moves| moves.get(offer as usize))
                .and_then(|mv| layout.args[*mv].as_deref())
                .unwrap_or_default();
            for (shape, at) in shapes.iter().zip(self.seal.places(shapes)) {
                match Contents::of_slot(shape) {
                    Some(contents) => contents.write(layout, mem, own + at, key),
                    None => key.extend_from_slice(&mem[place(own + at).0..][..shape.words()]),
                }
            }
        }
    }
}

impl LastingKeys {
    /// Prepares the keys of a layout.
    pub fn new(layout: &Layout, game: &Game, identity: Identity) -> LastingKeys {
        let mut cell = 0;
        let (mut ignored, mut unordered, mut growing) = (Vec::new(), Vec::new(), Vec::new());
        for state in &layout.states {
            for owner in 0..state.owners as i32 {
                let at = state.at + owner * state.stride;
                let order = identity.order(cell);
                let contents = Contents::of(&state.shape, order);
                let fixed = contents.is_none();
                match (identity.lasts(cell), contents) {
                    (false, _) => ignored.push((at, at + state.stride)),
                    (true, Some(contents)) => {
                        let flag = state.flag.map(|flag| at + flag);
                        growing.push(GrowingPart { value: GrowingValue { at, flag, contents }, slot: None });
                        ignored.push((at, at + state.flag.unwrap_or(state.stride)));
                    }
                    (true, None) => ignored
                        .extend(implied_range(layout, state).map(|(from, upto)| (at + from, at + upto))),
                }
                if let (Shape::List(_, of), true, Order::Nothing | Order::Last) = (&state.shape, fixed, order)
                {
                    unordered.push((at, *of, order));
                }
                cell += 1;
            }
        }
        for (slot, (shape, at)) in &layout.slots {
            let Some(contents) = Contents::of_slot(shape) else { continue };
            let value = GrowingValue { at: *at, flag: None, contents };
            growing.push(GrowingPart { value, slot: Some(*slot) });
            ignored.push((*at, *at + shape.bytes()));
        }
        let sealed = layout.sealed.map(|seal| SealedKeys::new(seal, game));
        ignored.extend(layout.sealed.map(|seal| (seal.at, seal.at + seal.stride * layout.players as i32)));
        let awards = layout.awards.filter(|_| !identity.counts_awards());
        ignored.extend(awards.map(|at| (at, at + 8 * layout.players as i32)));
        // Words of the head that are the same at every stop before the end of play.
        let same = |word: i32| match word * 8 {
            WINNERS | DRAWS => true,
            SEALED => layout.sealed.is_none(),
            STANDING => layout.all_in,
            _ => false,
        };
        let mut possible = Possible::of(layout, game);
        ignored.iter().for_each(|(from, upto)| possible.leave_out(*from, *upto));
        if !identity.asks_who_moved() {
            possible.leave_out(LAST, LAST + 1);
        }
        (0..layout.bytes / 8)
            .filter(|word| same(*word))
            .for_each(|word| possible.leave_out(8 * word, 8 * word + 8));
        let packing = Packing::of(&possible);
        let needs_clearing =
            layout.states.iter().any(|state| state.flag.is_some() || matches!(state.shape, Shape::List(..)));
        LastingKeys {
            identity,
            ignored,
            packing,
            parts: Vec::new(),
            unordered,
            needs_clearing,
            cleared: Vec::new(),
            growing,
            sealed,
        }
    }

    /// Returns the number of words in a key if all keys have the same, but those with large integers.
    pub fn words(&self) -> Option<usize> {
        (self.growing.is_empty() && self.sealed.is_none()).then_some(self.packing.words())
    }

    /// Writes the key of a position at which play stops before its end into `key`.
    pub fn write(&mut self, layout: &Layout, mem: &[u64], key: &mut Vec<u64>) {
        let LastingKeys { identity, ignored, packing, parts, unordered, cleared, .. } = self;
        key.clear();
        let mut words = mem;
        if self.needs_clearing {
            cleared.clear();
            cleared.extend_from_slice(&mem[..layout.bytes as usize / 8]);
            clear_unwritten(layout, mem, cleared);
            unordered.iter().for_each(|list| sort_unordered(cleared, *list));
            words = cleared;
        }
        let at: Pc = pc(mem);
        if parts.len() <= at {
            parts.resize(at + 1, None);
        }
        let parts = parts[at].get_or_insert_with(|| {
            let mut bits = vec![u64::MAX; layout.bytes as usize / 8];
            clear_dead(layout, identity.slots(), mem, &mut bits);
            ignored.iter().for_each(|(from, upto)| clear(&mut bits, *from, *upto));
            // What the position waits for follows from its place in the automaton.
            clear(&mut bits, WAITING, WAITING + 1);
            clear(&mut bits, CHOICE, CHOICE + 2);
            // The seat that is to choose becomes the last mover anyway.
            if !identity.asks_who_moved() || turn(mem) != Turn::Chance {
                clear(&mut bits, LAST, LAST + 1);
            }
            packing.parts(&bits)
        });
        packing.pack(parts, words, key);
        let live = self.identity.slots().at(at);
        for part in &self.growing {
            if part.slot.is_none_or(|slot| live.contains(&slot)) {
                part.value.write(layout, mem, key);
            }
        }
        self.sealed.iter().for_each(|sealed| sealed.write(layout, mem, key));
    }
}

/// Returns the byte range of a piece of state that the rest of it implies: the values of a grid follow from
/// its planes, one plane follows from the others, and a plane of empty squares follows from the values.
fn implied_range(layout: &Layout, state: &StatePlace) -> Option<(i32, i32)> {
    let Shape::Keyed(grid) = &state.shape else { return None };
    let values = grid.head(layout.squares);
    match grid.planes {
        Planes::Off => None,
        Planes::Empty => Some((0, values)),
        // A square that may be unset may lie in no plane, so no plane follows from the others.
        Planes::All if state.unset || grid.plane_count() == 0 => Some((values, state.stride)),
        Planes::All => Some((values - values / grid.plane_count() as i32, state.stride)),
    }
}

/// Sorts the elements of a list, except for the last one if it matters.
fn sort_unordered(words: &mut [u64], (at, of, order): (i32, Scalar, Order)) {
    let (count, width) = (load_u(words, at, 4) as i32, of.width());
    let sorted = order.sorted_part(count as usize) as i32;
    let first = at + position::list_head(of);
    let place = |nth: i32| first + nth * width as i32;
    let mut elements: Vec<u64> = (0..sorted).map(|nth| load_u(words, place(nth), width)).collect();
    elements.sort_unstable();
    (0..sorted).zip(elements).for_each(|(nth, element)| store_u(words, place(nth), width, element));
}

/// Clears the unused element places of a list.
fn clear_unused(words: &mut [u64], (at, end): (i32, i32), of: Scalar) {
    let count = load_u(words, at, 4) as i32;
    let first = at + position::list_head(of);
    clear(words, at + 4, first);
    clear(words, first + count * of.width() as i32, end);
}

/// Sets all bits of a range of bytes.
pub fn set_bytes(words: &mut [u64], from: i32, upto: i32) {
    for at in from..upto {
        let (word, shift) = place(at);
        words[word] |= 0xff << shift;
    }
}

/// Clears a range of bytes.
fn clear(words: &mut [u64], from: i32, upto: i32) {
    for at in from..upto {
        let (word, shift) = place(at);
        words[word] &= !(0xff << shift);
    }
}
