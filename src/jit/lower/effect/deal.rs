//! Piles: drawing and dealing elements, at random or from the top.

use crate::ir::{Change, Expr, Place};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::Index;
use crate::jit::lower::effect::ResolvedPlace;
use crate::jit::mir::IntCC;
use crate::jit::runtime::call::CTX_ASKED_CHANCE;

impl Builder<'_> {
    /// Draws one element of a pile, each copy equally likely, and removes it.
    pub(in crate::jit) fn draw_from(&mut self, place: &Place) -> Result<Val> {
        let target = self.resolve_place(place)?;
        let drawn = match self.pile(&target)? {
            Val::Bits(bits) => {
                let count = self.popcount(&bits);
                self.bail_out_unless(count);
                let k = self.below(count);
                let at = self.nth_bit(&bits, k);
                let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
                Val::Word(Word { v, s: bits.of, known: None })
            }
            Val::Cells { at, cells } => {
                let (count, _) = self.cell_count(at, cells.index);
                self.bail_out_unless(count);
                let (k, first) = (self.below(count), self.first_cell(at, &cells));
                let place = self.entry_at(first, k, self.cell_size(&cells));
                let drawn = self.in_place(&cells.of, false, place)?;
                self.snapshot(drawn)?
            }
            val => {
                let list = self.list(val)?;
                self.bail_out_unless(list.len);
                let k = self.below(list.len);
                Val::Word(self.element(list, k))
            }
        };
        self.write(&target, Change::Remove, drawn.clone())?;
        Ok(drawn)
    }

    /// Moves `count` elements of a pile, drawn at random one by one, to another place.
    pub(in crate::jit) fn deal_by_chance(&mut self, count: &Expr, from: &Place, to: &Place) -> Result<()> {
        let count = self.number_of(count)?;
        let (from, to) = (self.resolve_place(from)?, self.resolve_place(to)?);
        let pile = self.pile(&from)?;
        let pile = self.snapshot(pile)?;
        let pile = self.immutable_list(pile)?;
        // If the pile has too few elements, the reference reports the fault.
        let few = self.cmp(IntCC::UnsignedLessThanOrEqual, count.v, pile.len);
        self.bail_out_unless(few);
        let bytes = self.b.ins().ishl_imm_s(count.v, 3);
        let places = self.scratch(bytes);
        let ctx = self.ctx;
        let stream = self.run.chance.into_iter().zip([0, 8, 16, 24].map(|at| CTX_ASKED_CHANCE + at));
        for (var, at) in stream.clone() {
            let word = self.b.use_var(var);
            self.store64(word, ctx, at);
        }
        self.call("deal", &[ctx, pile.len, count.v, places])?;
        for (var, at) in stream {
            let word = self.load64(ctx, at);
            self.b.def_var(var, word);
        }
        self.each_dealt(count.v, count.s.hi, |this, i| {
            let place = this.entry_at(places, i, 8);
            let k = this.load64(place, 0);
            let word = this.element(pile, k);
            let dealt = this.opened(word);
            this.write(&from, Change::Remove, dealt.clone())?;
            this.write(&to, Change::Insert, dealt)
        })
    }

    /// Moves the first `count` elements of a list to another place.
    pub(in crate::jit) fn deal_from_top(&mut self, count: &Expr, from: &Place, to: &Place) -> Result<()> {
        let count = self.number_of(count)?;
        let (from, to) = (self.resolve_place(from)?, self.resolve_place(to)?);
        let pile = self.pile(&from)?;
        let (len, _) = self.size(pile)?;
        let few = self.cmp(IntCC::UnsignedLessThanOrEqual, count.v, len);
        self.bail_out_unless(few);
        self.each_dealt(count.v, count.s.hi, |this, _| {
            let first = match this.value_at(&from)? {
                Val::List(list) => {
                    let zero = this.int(0);
                    Val::Word(this.element(list, zero))
                }
                Val::Cells { at, cells } => {
                    let first = this.end_cell(at, &cells, true)?;
                    this.snapshot(first)?
                }
                _ => return unsupported("a deal from the top of no list"),
            };
            this.write(&from, Change::Remove, first.clone())?;
            this.write(&to, Change::Insert, first)
        })
    }

    fn each_dealt(
        &mut self,
        count: V,
        most: i64,
        mut one: impl FnMut(&mut Self, V) -> Result<()>,
    ) -> Result<()> {
        self.each_below(count, Some(most), |this, i, _| one(this, i))
    }

    /// Returns the contents of a pile: a small set, or an ordered list, also of collections.
    fn pile(&mut self, target: &ResolvedPlace) -> Result<Val> {
        Ok(match self.value_at(target)? {
            val @ (Val::Bits(_) | Val::List(_)) => val,
            Val::Cells { at, cells } if matches!(cells.index, Index::Places(_)) => Val::Cells { at, cells },
            val @ (Val::MemoryBits { .. } | Val::Counts { .. }) => Val::List(self.elements_in_memory(val)?),
            other => return unsupported(format!("a pile that is {}", other.kind())),
        })
    }
}
