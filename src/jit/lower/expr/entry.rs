//! Entries of pools: rows of words that represent lists, bags and sets.

use crate::ir::{Slot, Value as Known};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::entries::{PlainEntries, entry_of};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::shape::{LIMIT, Length, Scalar, Shape};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::mir::IntCC;

impl Builder<'_> {
    /// Encodes an entry of a pool: returns its address and its length in words.
    pub fn entry(&mut self, of: &Shape, val: Val) -> Result<(V, V)> {
        if let Val::Const(known) = &val
            && let Some(words) = entry_of(self.layout, of, known)
        {
            let count = self.int(words.len() as i64);
            let at = self.static_row(words.into_iter().map(|word| word as i64).collect());
            return Ok((at, count));
        }
        match of {
            Shape::Scalar(of) => {
                let word = self.word_as(val, of.sort)?;
                let room = self.int(16);
                let at = self.scratch(room);
                let one = self.int(1);
                self.store64(one, at, 0);
                self.store64(word.v, at, 8);
                let two = self.int(2);
                Ok((at, two))
            }
            Shape::Bits(of) => {
                let bits = self.bits(val, *of)?;
                let room = self.int(8 + bits.words.len() as i64 * 8);
                let at = self.scratch(room);
                let n = self.int(bits.words.len() as i64);
                self.store64(n, at, 0);
                for (i, word) in bits.words.iter().enumerate() {
                    self.store64(*word, at, 8 + i as i32 * 8);
                }
                let count = self.int(1 + bits.words.len() as i64);
                Ok((at, count))
            }
            Shape::List(_, of) => {
                let list = self.list(val)?;
                self.packed(list, *of)
            }
            Shape::Sorted(of) => match val {
                Val::BagOfList(list) => {
                    let sorted = self.sorted(list)?;
                    self.packed(sorted, *of)
                }
                other => unsupported(format!("{} in a large set of bags", other.kind())),
            },
            Shape::Counts(of) => match val {
                Val::BagOfList(list) => {
                    let words = (of.size().max(0) as usize).div_ceil(8);
                    const MAX_STACK_WORDS: usize = 16;
                    let at = if words <= MAX_STACK_WORDS {
                        self.stack(8 + words as u32 * 8)
                    } else {
                        let bytes = self.int(8 + words as i64 * 8);
                        self.scratch(bytes)
                    };
                    let n = self.int(of.size());
                    self.store64(n, at, 0);
                    let first = self.b.ins().iadd_imm_s(at, 8);
                    if words <= MAX_STACK_WORDS {
                        let zero = self.int(0);
                        (0..words).for_each(|i| self.store64(zero, first, i as i32 * 8));
                    } else {
                        self.zero(first, words as i64 * 8)?;
                    }
                    self.must_fit(
                        Word { v: list.len, s: Scalar::int(0, list.most.unwrap_or(LIMIT)), known: None },
                        0,
                        255,
                    );
                    self.each_item(list, |this, item, _| {
                        let item = this.require_some(item);
                        this.must_fit(item, of.lo, of.hi);
                        let number = this.b.ins().iadd_imm_s(item.v, -of.lo);
                        let place = this.b.ins().iadd(at, number);
                        let count = this.load_u(1, place, 8);
                        let more = this.b.ins().iadd_imm_s(count, 1);
                        this.store_u(1, more, place, 8);
                        Ok(())
                    })?;
                    let count = self.int(1 + words as i64);
                    Ok((at, count))
                }
                Val::Const(Known::Bag(_)) => unsupported("a bag outside of its universe"),
                other => unsupported(format!("{} in a large set of bags", other.kind())),
            },
            of => self.plain_entry(of, val),
        }
    }

    /// Encodes an entry that consists of plain words. Bails out if the value does not fit the shape.
    fn plain_entry(&mut self, of: &Shape, val: Val) -> Result<(V, V)> {
        let (number, kept) = self.plain_entries(of)?;
        let word = self.keep_as(val, &kept)?;
        let at = self.call_with_scratch("plain_entry", &[number, word])?;
        let words = self.load64(at, 0);
        Ok((at, self.b.ins().iadd_imm_s(words, 1)))
    }

    /// Returns the number of a shape among those whose entries helpers encode, and how its values are kept.
    fn plain_entries(&mut self, of: &Shape) -> Result<(V, Kept)> {
        let shapes = &mut self.data.plain_entries;
        let number = shapes.iter().position(|own| own.shape == *of).unwrap_or(shapes.len());
        if number == shapes.len() {
            let Some(own) = PlainEntries::new(of, self.layout.squares) else {
                return unsupported("an entry of this shape");
            };
            shapes.push(own);
        }
        let kept = shapes[number].kept.clone();
        Ok((self.int(number as i64), kept))
    }

    /// Loops over the elements of a large set, in the order in which they were inserted.
    pub(in crate::jit) fn each_entry(
        &mut self,
        handle: V,
        of: &Shape,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.each_entry_value(handle, of, &mut |this, val| {
            this.bind(slots, val)?;
            body(this)
        })
    }

    /// Loops over the elements of a large set as values, in the order in which they were inserted.
    pub(in crate::jit) fn each_entry_value(
        &mut self,
        handle: V,
        of: &Shape,
        body: &mut dyn FnMut(&mut Self, Val) -> Result<()>,
    ) -> Result<()> {
        let base = self.base();
        let at = self.b.ins().iadd(base, handle);
        // The handle has the block of the data, and then the number of words in use.
        let (block, used) = (self.load_u(4, at, 16), self.load64(at, 24));
        let first = self.entry_at(base, block, 8);
        let end = self.entry_at(first, used, 8);
        let more = |this: &mut Self, [entry]: [V; 1]| this.cmp(IntCC::UnsignedLessThan, entry, end);
        self.repeat([first], None, more, |this, [entry], _| {
            let words = this.load64(entry, 0);
            let behind = this.b.ins().iadd_imm_s(entry, 8);
            let next = this.entry_at(behind, words, 8);
            let val = this.entry_value(of, behind)?;
            body(this, val)?;
            Ok([next])
        })?;
        Ok(())
    }

    /// Returns the value of an entry at an address.
    fn entry_value(&mut self, of: &Shape, at: V) -> Result<Val> {
        let first = self.b.ins().iadd_imm_s(at, 8);
        let list = |this: &mut Self, of: Scalar, length: Option<Length>| {
            let most = length.and_then(Length::most);
            let len = this.load64(at, 0);
            List { at: first, len, width: of.width(), of, most, exact: None, immutable: false }
        };
        Ok(match of {
            Shape::Scalar(of) => Val::Word(Word { v: self.load64(first, 0), s: *of, known: None }),
            Shape::Bits(of) if of.words() <= REGISTERS => {
                Val::Bits(Bits { words: self.load_words(first, of.words()), of: *of })
            }
            Shape::List(length, of) => Val::List(list(self, *of, Some(*length))),
            Shape::Sorted(of) => Val::BagOfList(list(self, *of, None)),
            Shape::Counts(_) | Shape::Bits(_) => return unsupported("the elements of a large set of bags"),
            of => {
                let (number, kept) = self.plain_entries(of)?;
                let word = self.call_with_scratch("kept_entry", &[number, at])?;
                self.named(word, &kept)
            }
        })
    }

    /// Encodes a list as an entry: its length, then its packed elements, padded with zeros.
    pub(in crate::jit) fn packed(&mut self, list: List, of: Scalar) -> Result<(V, V)> {
        let width = i64::from(of.width());
        let bytes = self.b.ins().imul_imm_s(list.len, width);
        let up = self.b.ins().iadd_imm_s(bytes, 15);
        let room = self.b.ins().band_imm_s(up, !7);
        let at = self.scratch(room);
        self.store64(list.len, at, 0);
        // The last word may be filled only partly.
        let zero = self.int(0);
        let last = self.b.ins().iadd(at, room);
        self.store64(zero, last, -8);
        self.store64(list.len, at, 0);
        let first = self.b.ins().iadd_imm_s(at, 8);
        self.copy_list(list, first, of.width(), of)?;
        let count = self.b.ins().ushr_imm_s(room, 3);
        Ok((at, count))
    }
}
