//! Piles: drawing and dealing elements, at random or from the top.

use crate::ir::{Change, Expr, Place};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::lower::effect::ResolvedPlace;
use crate::jit::mir::IntCC;
use crate::jit::runtime::call::CTX_ASKED_CHANCE;

impl Builder<'_> {
    /// Draws one element of a pile, each copy equally likely, and removes it.
    pub(in crate::jit) fn draw_from(&mut self, place: &Place) -> Result<Word> {
        let target = self.resolve_place(place)?;
        let word = match self.pile(&target)? {
            Val::Bits(bits) => {
                let count = self.popcount(&bits);
                self.bail_out_unless(count);
                let k = self.below(count);
                let at = self.nth_bit(&bits, k);
                let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
                Word { v, s: bits.of, known: None }
            }
            val => {
                let list = self.list(val)?;
                self.bail_out_unless(list.len);
                let k = self.below(list.len);
                self.element(list, k)
            }
        };
        self.write(&target, Change::Remove, Val::Word(word))?;
        Ok(word)
    }

    /// Moves `count` elements of a pile, drawn at random one by one, to another place.
    pub(in crate::jit) fn deal_by_chance(&mut self, count: &Expr, from: &Place, to: &Place) -> Result<()> {
        let count = self.number_of(count)?;
        let (from, to) = (self.resolve_place(from)?, self.resolve_place(to)?);
        let pile = self.pile(&from)?;
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
            this.write(&from, Change::Remove, Val::Word(word))?;
            this.write(&to, Change::Insert, Val::Word(word))
        })
    }

    /// Moves the first `count` elements of a list to another place.
    pub(in crate::jit) fn deal_from_top(&mut self, count: &Expr, from: &Place, to: &Place) -> Result<()> {
        let count = self.number_of(count)?;
        let (from, to) = (self.resolve_place(from)?, self.resolve_place(to)?);
        let Val::List(list) = self.pile(&from)? else { return unsupported("a deal from the top of no list") };
        let few = self.cmp(IntCC::UnsignedLessThanOrEqual, count.v, list.len);
        self.bail_out_unless(few);
        self.each_dealt(count.v, count.s.hi, |this, _| {
            let Val::List(list) = this.pile(&from)? else {
                return unsupported("a deal from the top of no list");
            };
            let zero = this.int(0);
            let word = this.element(list, zero);
            this.write(&from, Change::Remove, Val::Word(word))?;
            this.write(&to, Change::Insert, Val::Word(word))
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

    /// Returns the contents of a pile: a small set, or an ordered list.
    fn pile(&mut self, target: &ResolvedPlace) -> Result<Val> {
        Ok(match self.value_at(target)? {
            val @ (Val::Bits(_) | Val::List(_)) => val,
            val @ (Val::MemoryBits { .. } | Val::Counts { .. }) => Val::List(self.elements_in_memory(val)?),
            other => return unsupported(format!("a pile that is {}", other.kind())),
        })
    }
}
