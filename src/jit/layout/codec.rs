//! Converts positions of the reference evaluator to flat memory and back; what does not fit stays with the
//! reference.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::Turn;
use crate::eval::{Machine, Outcome, Position, Sealed, Waiting, elements};
use crate::ir::{StateId, Value};
use crate::jit::layout::entries::{entry_of, entry_value};
use crate::jit::layout::keyed::{decode_keyed, encode_keyed};
use crate::jit::layout::pool;
use crate::jit::layout::position::{
    self, CHOICE, DRAWS, LAST, Layout, MAX_PHASES, PC, SEALED, SEATS, STANDING, WAITING, WINNERS,
};
use crate::jit::layout::serial;
use crate::jit::layout::shape::{Index, Length, NONE, Scalar, Shape, UNSET, from_word, to_word};
use crate::jit::layout::slots::SlotShape;
use crate::jit::layout::tuple::word_in;
use crate::num::Int;

/// The memory of a flat position, in words.
pub type Memory = Vec<u64>;

pub(super) fn place(at: i32) -> (usize, u32) {
    let at = usize::try_from(at).unwrap_or(0);
    (at / 8, (at % 8) as u32 * 8)
}

/// Loads a stored value of `width` bytes. Narrow values are sign-extended and their codes for none and unset
/// widened.
pub(in crate::jit) fn load(mem: &[u64], at: i32, width: u32) -> i64 {
    let (word, shift) = place(at);
    let bits = width * 8;
    let raw = (mem[word] >> shift) as i64;
    if bits == 64 {
        return raw;
    }
    let signed = raw << (64 - bits) >> (64 - bits);
    let least = -(1i64 << (bits - 1));
    if signed <= least + 1 { i64::MIN + (signed - least) } else { signed }
}

pub(super) fn store(mem: &mut [u64], at: i32, width: u32, value: i64) {
    let (word, shift) = place(at);
    let bits = width * 8;
    if bits == 64 {
        mem[word] = value as u64;
        return;
    }
    let least = -(1i64 << (bits - 1));
    let coded = if value <= UNSET { least + (value - i64::MIN) } else { value };
    let mask = (1u64 << bits) - 1;
    mem[word] = mem[word] & !(mask << shift) | (coded as u64 & mask) << shift;
}

/// Loads an unsigned number of `width` bytes.
pub(in crate::jit) fn load_u(mem: &[u64], at: i32, width: u32) -> u64 {
    let (word, shift) = place(at);
    (mem[word] >> shift) & (u64::MAX >> (64 - width * 8))
}

/// Stores an unsigned number of `width` bytes.
pub(super) fn store_u(mem: &mut [u64], at: i32, width: u32, value: u64) {
    let (word, shift) = place(at);
    let mask = u64::MAX >> (64 - width * 8);
    mem[word] = mem[word] & !(mask << shift) | (value & mask) << shift;
}

pub fn bit(mem: &[u64], at: i32, bit: i64) -> bool {
    mem[place(at).0 + bit as usize / 64] >> (bit % 64) & 1 == 1
}

fn clear_bit(mem: &mut [u64], at: i32, bit: i64) {
    mem[place(at).0 + bit as usize / 64] &= !(1 << (bit % 64));
}

pub(super) fn set_bit(mem: &mut [u64], at: i32, bit: i64) {
    mem[place(at).0 + bit as usize / 64] |= 1 << (bit % 64);
}

pub(super) fn bits_value(layout: &Layout, mem: &[u64], at: i32, of: &Scalar) -> Vec<Value> {
    let present = (0..of.size()).filter(|i| bit(mem, at, *i));
    present.map(|i| from_word(of.sort, of.lo + i, layout.squares)).collect()
}

/// Stores words as the elements of a growing list.
fn store_list(mem: &mut Memory, handle: i32, words: &[i64], width: u32) -> Option<()> {
    let (h, _) = place(handle);
    // Elements are moved by whole words, so leave one word to spare.
    pool::grow(mem, h, (words.len() * width as usize).div_ceil(8) + 1)?;
    let at = (mem[h] & 0xffff_ffff) as i32 * 8;
    for (i, word) in words.iter().enumerate() {
        store(mem, at + i as i32 * width as i32, width, *word);
    }
    mem[h + 1] = words.len() as u64;
    Some(())
}

/// Stores words in a growing block, overwriting its contents.
pub fn store_words(mem: &mut Memory, handle: i32, words: &[u64]) -> Option<()> {
    let (h, _) = place(handle);
    pool::grow(mem, h, words.len())?;
    let (block, _) = pool::block(mem[h]);
    mem[block..block + words.len()].copy_from_slice(words);
    mem[h + 1] = words.len() as u64;
    Some(())
}

/// Loads what [`store_words`] stored.
pub fn load_words(mem: &[u64], handle: i32) -> &[u64] {
    let (h, _) = place(handle);
    let (block, _) = pool::block(mem[h]);
    &mem[block..block + mem[h + 1] as usize]
}

/// Loads the elements of a growing list as words.
pub fn load_list(mem: &[u64], handle: i32, width: u32) -> Vec<i64> {
    let (h, _) = place(handle);
    let at = (mem[h] & 0xffff_ffff) as i32 * 8;
    (0..mem[h + 1] as i32).map(|i| load(mem, at + i * width as i32, width)).collect()
}

/// Encodes a position into flat memory; `None` if something does not fit.
pub fn encode(machine: &Machine, layout: &Layout, position: &Position) -> Option<Memory> {
    let stops = matches!(position.waiting, Waiting::Choice { .. } | Waiting::Chance);
    if stops && layout.unencodable_stops.contains(&position.pc) {
        return None;
    }
    let mut mem = vec![0u64; layout.bytes as usize / 8];
    store_u(&mut mem, PC, 4, position.pc as u64);
    let mask = |seats: &mut dyn Iterator<Item = usize>| seats.fold(0u64, |all, seat| all | 1 << seat);
    let waiting = match &position.waiting {
        Waiting::Nothing => 0,
        Waiting::Choice { choice, seats } => {
            store_u(&mut mem, CHOICE, 2, u64::from(u16::try_from(*choice).ok()?));
            store_u(&mut mem, SEATS, 8, mask(&mut seats.iter().copied()));
            1
        }
        Waiting::Chance => 2,
        Waiting::Over => 3,
    };
    store_u(&mut mem, WAITING, 1, waiting);
    if let Some(outcome) = &position.outcome {
        store_u(&mut mem, WINNERS, 8, mask(&mut outcome.winners.iter().copied()));
    }
    store_u(&mut mem, DRAWS, 4, position.draws as u64);
    encode_head(layout, &mut mem, position)?;
    for id in 0..layout.states.len() {
        encode_state(machine, layout, &mut mem, id, position)?;
    }
    for (slot, (shape, at)) in &layout.slots {
        encode_slot(layout, &mut mem, shape, *at, &position.frame[*slot])?;
    }
    if layout.sealed.is_some() {
        for sealed in &position.sealed {
            seal(layout, &mut mem, sealed.seat, sealed.offer, sealed.mv, &sealed.args)?;
        }
    }
    Some(mem)
}

/// Encodes what steps change besides the state: the last mover, the seats in play, points, revealed cells,
/// phases.
pub fn encode_head(layout: &Layout, mem: &mut [u64], position: &Position) -> Option<()> {
    store_u(mem, LAST, 1, position.last_mover.map_or(0, |seat| seat as u64 + 1));
    let standing = (0..layout.players).filter(|seat| position.is_in[*seat]);
    store_u(mem, STANDING, 8, standing.fold(0u64, |all, seat| all | 1 << seat));
    if let Some(at) = layout.awards {
        for (seat, award) in position.awards.iter().enumerate() {
            store(mem, at + 8 * seat as i32, 8, to_word(&Value::Int(award.clone()), layout.squares)?);
        }
    }
    if let Some(at) = layout.revealed {
        for (cell, shown) in position.revealed.iter().enumerate() {
            clear_bit(mem, at, cell as i64);
            if *shown {
                set_bit(mem, at, cell as i64);
            }
        }
    }
    if let Some(at) = layout.phases {
        store_u(mem, at, 1, u64::try_from(position.phases.len()).ok()?);
        if position.phases.len() > MAX_PHASES as usize {
            return None;
        }
        for (depth, name) in position.phases.iter().enumerate() {
            let id = layout.phase_names.iter().position(|known| known == name)?;
            store_u(mem, at + 1 + depth as i32, 1, id as u64);
        }
    }
    Some(())
}

/// Encodes a piece of state, for all its owners.
pub fn encode_state(
    machine: &Machine,
    layout: &Layout,
    mem: &mut Memory,
    id: StateId,
    position: &Position,
) -> Option<()> {
    let state = &layout.states[id];
    let owners = if machine.game.state[id].per_player { layout.players } else { 1 };
    for owner in 0..owners {
        let at = state.at + owner as i32 * state.stride;
        let value = &position.cells[machine.setup.bases[id] + owner];
        if let Some(flag) = state.flag {
            store_u(mem, at + flag, 1, u64::from(*value != Value::Unset));
            if *value == Value::Unset {
                continue;
            }
        }
        encode_cell(layout, mem, &state.shape, at, value)?;
    }
    Some(())
}

fn encode_cell(layout: &Layout, mem: &mut Memory, shape: &Shape, at: i32, value: &Value) -> Option<()> {
    let squares = layout.squares;
    let word = |value: &Value, of: &Scalar| {
        let word = word_in(value, of.sort, squares);
        word.filter(|word| *word <= UNSET || (of.lo..=of.hi).contains(word))
    };
    match (shape, value) {
        (Shape::Scalar(of), value) => store(mem, at, of.width(), word(value, of)?),
        (Shape::Bits(of), Value::Set(set)) => {
            mem[place(at).0..][..of.words()].fill(0);
            for item in set.iter() {
                set_bit(mem, at, word(item, of)? - of.lo);
            }
        }
        (Shape::Counts(of), Value::Bag(bag)) => {
            (0..of.size() as i32).for_each(|i| store_u(mem, at + 4 * i, 4, 0));
            let (total, occurring) = (at + position::total_at(*of), at + position::occurring_at(*of));
            mem[place(occurring).0..][..of.words()].fill(0);
            for (item, times) in bag.iter() {
                let i = word(item, of)? - of.lo;
                store_u(mem, at + 4 * i as i32, 4, u64::from(u32::try_from(*times).ok()?));
                set_bit(mem, occurring, i);
            }
            store_u(mem, total, 8, bag.values().sum::<usize>() as u64);
        }
        (Shape::Sorted(of), Value::Bag(_)) => {
            let words = elements(value).iter().map(|item| word(item, of)).collect::<Option<Vec<i64>>>();
            let mut words = words?;
            words.sort_unstable();
            store_list(mem, at, &words, of.width())?;
        }
        (Shape::List(length, of), Value::List(items)) => {
            let words: Option<Vec<i64>> = items.iter().map(|item| word(item, of)).collect();
            let (words, width) = (words?, of.width());
            match length {
                Length::Growing => store_list(mem, at, &words, width)?,
                Length::AtMost(_) | Length::Exactly(_) | Length::Always(_) => {
                    if !length.allows(words.len() as i64) {
                        return None;
                    }
                    store_u(mem, at, 4, words.len() as u64);
                    let first = at + position::list_head(*of);
                    for (i, word) in words.iter().enumerate() {
                        store(mem, first + i as i32 * width as i32, width, *word);
                    }
                }
            }
        }
        (Shape::Keyed(shape), value) => encode_keyed(squares, mem, *shape, at, value)?,
        (Shape::Pool(of), Value::Set(set)) => {
            let (h, _) = place(at);
            pool::clear(mem, h);
            for item in set.iter() {
                let entry = entry_of(layout, of, item)?;
                pool::insert(mem, h, &entry)?;
            }
        }
        (Shape::Cells(cells), value) => {
            let size = position::cell_size(&cells.of, squares) as i32;
            let put = |mem: &mut Memory, from: i32, i: i64, item: &Value| {
                encode_cell(layout, mem, &cells.of, from + i as i32 * size, item)
            };
            match (cells.index, value) {
                (Index::Keyed(keys), value) => {
                    for (number, item) in keys.values_of(value, squares)? {
                        put(mem, at, number, item)?;
                    }
                }
                (Index::Places(length), Value::List(items)) if length.allows(items.len() as i64) => {
                    let (h, _) = place(at);
                    pool::grow(mem, h, items.len() * size as usize / 8)?;
                    let (block, _) = pool::block(mem[h]);
                    for (i, item) in (0..).zip(items.iter()) {
                        put(mem, block as i32 * 8, i, item)?;
                    }
                    mem[h + 1] = items.len() as u64;
                }
                (Index::Optional, value) => {
                    let present = *value != Value::None;
                    mem[place(at).0] = u64::from(present);
                    if present {
                        put(mem, at + position::cells_head(cells.index), 0, value)?;
                    }
                }
                _ => return None,
            }
        }
        (Shape::Parts(shapes), Value::List(items)) => {
            for ((shape, offset), item) in
                shapes.iter().zip(position::part_offsets(shapes, squares)).zip(items.iter())
            {
                encode_cell(layout, mem, shape, at + offset, item)?;
            }
        }
        (Shape::Opaque, value) => store_words(mem, at, &serial::words_of(value))?,
        _ => return None,
    }
    Some(())
}

/// Returns the byte offset of the first of some collections at a byte offset, and their number including gaps.
pub fn cells_at(layout: &Layout, mem: &[u64], index: Index, at: i32) -> (i32, i32) {
    match index {
        Index::Places(_) => {
            let (block, _) = pool::block(mem[place(at).0]);
            (block as i32 * 8, mem[place(at).0 + 1] as i32)
        }
        Index::Optional => (at + position::cells_head(index), mem[place(at).0] as i32),
        index => (at, position::cell_count(index, layout.squares) as i32),
    }
}

fn encode_slot(layout: &Layout, mem: &mut Memory, shape: &SlotShape, at: i32, value: &Value) -> Option<()> {
    let word = |value: &Value, of: &Scalar| word_in(value, of.sort, layout.squares);
    if *value == Value::Unset {
        if let SlotShape::Word(_) = shape {
            store(mem, at, 8, UNSET);
        }
        // A kept value of no words at all is unset.
        return Some(());
    }
    match shape {
        SlotShape::Word(of) => {
            let fits = |word: &i64| *word == NONE && of.optional || (of.lo..=of.hi).contains(word);
            store(mem, at, 8, word(value, of).filter(fits)?);
        }
        SlotShape::Bits(of) | SlotShape::Members(of) => {
            mem[place(at).0..][..of.words()].fill(0);
            for item in elements(value) {
                let i = word(&item, of)? - of.lo;
                if !(0..of.size()).contains(&i) {
                    return None;
                }
                set_bit(mem, at, i);
            }
        }
        SlotShape::List(of) | SlotShape::Set(of) | SlotShape::Bag(of) => {
            let words: Option<Vec<i64>> = elements(value).iter().map(|item| word(item, of)).collect();
            store_list(mem, at, &words?, 8)?;
        }
        SlotShape::Span => {
            let items = elements(value);
            let (first, last) = match (items.first(), items.last()) {
                (Some(first), Some(last)) => {
                    let any = Scalar::any_int();
                    (word(first, &any)?, word(last, &any)?)
                }
                _ => (1, 0),
            };
            store(mem, at, 8, first);
            store(mem, at + 8, 8, last);
        }
        SlotShape::Fixed(_) | SlotShape::Kept(_) => {}
        SlotShape::Opaque(_) => store_words(mem, at, &serial::words_of(value))?,
    }
    Some(())
}

/// Decodes the position in flat memory. Slots that do not outlive a stop are unset.
pub fn decode(machine: &Machine, layout: &Layout, mem: &[u64]) -> Position {
    let mut position = machine.unset_position();
    let seats = |mask: u64| seats_of(layout, mask);
    position.pc = load_u(mem, PC, 4) as usize;
    position.waiting = waiting(layout, mem);
    position.outcome = outcome(layout, mem);
    position.draws = load_u(mem, DRAWS, 4) as usize;
    decode_head(layout, mem, &mut position);
    for id in 0..layout.states.len() {
        let owners = if machine.game.state[id].per_player { layout.players } else { 1 };
        for owner in 0..owners {
            position.cells[machine.setup.bases[id] + owner] = decode_state(layout, mem, id, owner);
        }
    }
    for (slot, (shape, at)) in &layout.slots {
        position.frame[*slot] = decode_slot(layout, mem, shape, *at);
    }
    if let Some(sealed) = layout.sealed {
        let choice = match machine.game.code.get(position.pc) {
            Some(crate::ir::Op::Choose(id) | crate::ir::Op::Unseal(id, _)) => {
                Some(&machine.game.choices[*id])
            }
            _ => None,
        };
        for seat in seats(load_u(mem, SEALED, 8)) {
            let own = sealed.at + sealed.stride * seat as i32;
            let offer = load(mem, own, 8) as usize;
            let Some(taken) = choice.and_then(|c| c.all_offers().nth(offer)) else {
                continue;
            };
            let shapes = layout.args[taken.mv].as_deref().unwrap_or_default();
            let args = shapes.iter().zip(sealed.places(shapes));
            let args = args.map(|(shape, at)| decode_slot(layout, mem, shape, own + at)).collect();
            position.sealed.push(Sealed { seat, offer, mv: taken.mv, args });
        }
    }
    position
}

/// Decodes what [`encode_head`] encoded.
pub fn decode_head(layout: &Layout, mem: &[u64], position: &mut Position) {
    position.last_mover = (load_u(mem, LAST, 1) as usize).checked_sub(1);
    let standing = load_u(mem, STANDING, 8);
    for (seat, is_in) in position.is_in.iter_mut().enumerate() {
        *is_in = standing >> seat & 1 == 1;
    }
    if let Some(at) = layout.awards {
        for seat in 0..layout.players {
            position.awards[seat] = Int::from(load(mem, at + 8 * seat as i32, 8));
        }
    }
    if let Some(at) = layout.revealed {
        for cell in 0..position.revealed.len() {
            position.revealed[cell] = bit(mem, at, cell as i64);
        }
    }
    if let Some(at) = layout.phases {
        let name = |depth: i32| layout.phase_names[load_u(mem, at + 1 + depth, 1) as usize].clone();
        position.phases = (0..load_u(mem, at, 1) as i32).map(name).collect();
    }
}

/// Decodes one owner's part of a piece of state.
pub fn decode_state(layout: &Layout, mem: &[u64], id: StateId, owner: usize) -> Value {
    let state = &layout.states[id];
    let at = state.at + owner as i32 * state.stride;
    match state.flag {
        Some(flag) if load_u(mem, at + flag, 1) == 0 => Value::Unset,
        _ => decode_cell(layout, mem, &state.shape, at),
    }
}

/// Decodes a value of a shape at a byte offset.
pub fn decode_cell(layout: &Layout, mem: &[u64], shape: &Shape, at: i32) -> Value {
    let squares = layout.squares;
    let words = |at: i32, n: i32, of: &Scalar| -> Vec<Value> {
        let width = of.width();
        let word = |i: i32| load(mem, at + i * width as i32, width);
        (0..n).map(|i| from_word(of.sort, word(i), squares)).collect()
    };
    match shape {
        Shape::Scalar(of) => from_word(of.sort, load(mem, at, of.width()), squares),
        Shape::Bits(of) => Value::set(bits_value(layout, mem, at, of)),
        Shape::Counts(of) => {
            let count = |i: i64| load_u(mem, at + 4 * i as i32, 4) as usize;
            let present = (0..of.size()).filter(|i| count(*i) > 0);
            let bag: BTreeMap<Value, usize> =
                present.map(|i| (from_word(of.sort, of.lo + i, squares), count(i))).collect();
            Value::Bag(Arc::new(bag))
        }
        Shape::List(Length::Growing, of) => {
            let words = load_list(mem, at, of.width());
            Value::list(words.iter().map(|word| from_word(of.sort, *word, squares)).collect())
        }
        Shape::Sorted(of) => {
            let words = load_list(mem, at, of.width());
            Value::bag(words.iter().map(|word| from_word(of.sort, *word, squares)))
        }
        Shape::List(_, of) => {
            let len = load_u(mem, at, 4) as i32;
            Value::list(words(at + position::list_head(*of), len, of))
        }
        Shape::Keyed(shape) => decode_keyed(squares, mem, *shape, at),
        Shape::Pool(of) => {
            let (h, _) = place(at);
            let all: BTreeSet<Value> =
                pool::entries(mem, h).map(|entry| entry_value(layout, of, entry)).collect();
            Value::Set(Arc::new(all))
        }
        Shape::Cells(cells) => {
            let size = position::cell_size(&cells.of, squares) as i32;
            let (first, count) = cells_at(layout, mem, cells.index, at);
            let value = |i: i32| decode_cell(layout, mem, &cells.of, first + i * size);
            match cells.index {
                Index::Places(_) => Value::list((0..count).map(value).collect()),
                Index::Optional => (0..count).map(value).next().unwrap_or(Value::None),
                Index::Keyed(keys) => keys.value_with(squares, |number| value(number as i32)),
            }
        }
        Shape::Parts(parts) => {
            let places = parts.iter().zip(position::part_offsets(parts, squares));
            let values = places.map(|(part, offset)| decode_cell(layout, mem, part, at + offset));
            Value::list(values.collect())
        }
        Shape::Opaque => serial::value_of(load_words(mem, at)),
    }
}

fn decode_slot(layout: &Layout, mem: &[u64], shape: &SlotShape, at: i32) -> Value {
    match shape {
        SlotShape::Word(of) => from_word(of.sort, load(mem, at, 8), layout.squares),
        SlotShape::Bits(of) => Value::set(bits_value(layout, mem, at, of)),
        SlotShape::Members(of) => Value::list(bits_value(layout, mem, at, of)),
        SlotShape::List(of) | SlotShape::Set(of) | SlotShape::Bag(of) => {
            let words = load_list(mem, at, 8);
            let values = words.iter().map(|word| from_word(of.sort, *word, layout.squares));
            match shape {
                SlotShape::Set(_) => Value::set(values),
                SlotShape::Bag(_) => Value::bag(values),
                _ => Value::list(values.collect()),
            }
        }
        SlotShape::Span => {
            let (first, last) = (load(mem, at, 8), load(mem, at + 8, 8));
            Value::list((first..=last).map(Value::int).collect())
        }
        SlotShape::Fixed(values) => Value::list(values.clone()),
        SlotShape::Kept(_) => Value::Unset,
        SlotShape::Opaque(_) => serial::value_of(load_words(mem, at)),
    }
}

/// Stores a sealed choice of a seat.
pub fn seal(
    layout: &Layout,
    mem: &mut Memory,
    seat: usize,
    offer: usize,
    mv: usize,
    args: &[Value],
) -> Option<()> {
    let sealed = layout.sealed?;
    let own = sealed.at + sealed.stride * seat as i32;
    store(mem, own, 8, offer as i64);
    let shapes = layout.args[mv].as_ref()?;
    for ((value, shape), at) in args.iter().zip(shapes).zip(sealed.places(shapes)) {
        encode_slot(layout, mem, shape, own + at, value)?;
    }
    let seats = load_u(mem, SEALED, 8) | 1 << seat;
    store_u(mem, SEALED, 8, seats);
    Some(())
}

/// Returns what a position waits for.
pub fn waiting(layout: &Layout, mem: &[u64]) -> Waiting {
    match load_u(mem, WAITING, 1) {
        1 => Waiting::Choice {
            choice: load_u(mem, CHOICE, 2) as usize,
            seats: seats_of(layout, load_u(mem, SEATS, 8)),
        },
        2 => Waiting::Chance,
        3 => Waiting::Over,
        _ => Waiting::Nothing,
    }
}

/// Returns the outcome if the match is over.
pub fn outcome(layout: &Layout, mem: &[u64]) -> Option<Outcome> {
    let over = waiting(layout, mem) == Waiting::Over;
    over.then(|| Outcome { winners: seats_of(layout, load_u(mem, WINNERS, 8)) })
}

fn seats_of(layout: &Layout, mask: u64) -> Vec<usize> {
    (0..layout.players).filter(|seat| mask >> seat & 1 == 1).collect()
}

/// Whether no seat of a joint choice has chosen yet.
pub fn none_sealed(layout: &Layout, mem: &[u64]) -> bool {
    layout.sealed.is_none() || load_u(mem, SEALED, 8) == 0
}

/// Marks a seat as having chosen; returns how many seats are still to choose.
pub fn has_chosen(mem: &mut Memory, seat: usize) -> u32 {
    let seats = load_u(mem, SEATS, 8) & !(1 << seat);
    store_u(mem, SEATS, 8, seats);
    store_u(mem, DRAWS, 4, 0);
    seats.count_ones()
}

/// Returns what a position waits for, with the seats as a bit mask.
#[inline]
pub fn turn(mem: &[u64]) -> Turn {
    match mem.first().map(|head| head >> (8 * WAITING) & 0xff) {
        Some(1) => Turn::Choice { choice: choice(mem), seats: mem[SEATS as usize / 8] },
        Some(2) => Turn::Chance,
        _ => Turn::Over,
    }
}

/// Returns the index of the choice that a position waits for; meaningless if it waits for none.
#[inline]
pub fn choice(mem: &[u64]) -> usize {
    (mem[0] >> (8 * CHOICE)) as u16 as usize
}

/// Returns where the automaton stands.
pub fn pc(mem: &[u64]) -> usize {
    load_u(mem, PC, 4) as usize
}

/// Advances the automaton to the next op.
pub fn advance_pc(mem: &mut Memory) {
    let pc = load_u(mem, PC, 4) + 1;
    store_u(mem, PC, 4, pc);
}

/// Returns the number of draws since the last choice.
pub fn draws(mem: &[u64]) -> u64 {
    load_u(mem, DRAWS, 4)
}
