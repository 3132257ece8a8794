//! Regions of squares connected by their sides, one after the other, as bits.

use crate::ir::{Builtin, Expr, ExprKind, Type};
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::shape::{NONE, Scalar};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::lower::expr::gathered::Elements;
use crate::jit::mir::IntCC;

/// Returns the squares or the grid whose regions an expression gives, if it is `regions`.
pub fn regions_source(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Builtin(Builtin::Regions, args) => Some(&args[0]),
        _ => None,
    }
}

impl Builder<'_> {
    /// Returns the squares of which regions consist, and the grid if only those with equal values are connected.
    fn squares_of_regions(&mut self, source: &Expr) -> Result<(Bits, Option<Val>)> {
        let of = self.layout.squares.scalar();
        if of.words() > REGISTERS {
            return unsupported("regions of a very large grid");
        }
        let val = self.expr(source)?;
        let Val::Keyed { at, shape, unset } = val else { return Ok((self.bits(val, of)?, None)) };
        let Some(empty) = self.plane(at, shape, NONE).filter(|_| !unset) else {
            return unsupported("regions of a grid whose values were not all set");
        };
        let mask = self.mask_of_keys(shape.keys);
        let all = self.static_bits(&mask);
        let words = all.iter().zip(empty).map(|(all, none)| self.b.ins().band_not(*all, none)).collect();
        Ok((Bits { words, of }, Some(Val::Keyed { at, shape, unset })))
    }

    /// Loops over the regions of squares, or of a grid's equal values, ordered by their first squares.
    pub fn each_region(
        &mut self,
        source: &Expr,
        body: &mut dyn FnMut(&mut Self, Val) -> Result<()>,
    ) -> Result<()> {
        let (Bits { words, of }, grid) = self.squares_of_regions(source)?;
        let left: Vec<_> = words.iter().map(|word| self.var(*word)).collect();
        self.while_any_bit(&left, of, Some(of.size()), |this, open, _| {
            let within = match &grid {
                Some(grid) => this.equal_to_first(grid, open)?,
                None => open.clone(),
            };
            let region = this.region_of_first(&within)?;
            for ((var, word), taken) in left.iter().zip(&open.words).zip(&region.words) {
                let rest = this.b.ins().band_not(*word, *taken);
                this.b.def_var(*var, rest);
            }
            body(this, Val::Members(region))
        })
    }

    /// Returns the squares, among some of a grid, that hold the same value as the first of them.
    fn equal_to_first(&mut self, grid: &Val, open: &Bits) -> Result<Bits> {
        let Val::Keyed { at, shape, .. } = grid else { return Ok(open.clone()) };
        let of = open.of;
        let square = |v: V| Word { v, s: of, known: None };
        let first = self.lowest_or_highest_bit(open, true);
        let word = self.look_up(grid, square(first))?;
        let present = Word { s: Scalar { optional: false, ..word.s }, ..word };
        if let Some(plane) = self.plane_of_word(*at, *shape, present) {
            let words = open.words.iter().zip(plane).map(|(open, equal)| self.b.ins().band(*open, equal));
            return Ok(Bits { words: words.collect(), of });
        }
        let zero = self.int(0);
        let equal: Vec<_> = open.words.iter().map(|_| self.var(zero)).collect();
        self.each_bit(&open.words, Some(of.size()), |this, at, _| {
            let other = this.look_up(grid, square(at))?;
            let same = this.cmp(IntCC::Equal, other.v, word.v);
            for (var, bit) in equal.iter().zip(this.singleton_bits(of, at)) {
                let (so_far, none) = (this.b.use_var(*var), this.int(0));
                let bit = this.b.ins().select(same, bit, none);
                let next = this.b.ins().bor(so_far, bit);
                this.b.def_var(*var, next);
            }
            Ok(())
        })?;
        Ok(Bits { words: equal.iter().map(|var| self.b.use_var(*var)).collect(), of })
    }

    /// Returns the list of all regions.
    pub fn regions(&mut self, source: &Expr) -> Result<Val> {
        let most = self.most_regions();
        let room = self.int(most * 8);
        let (words, mut elements) = (self.words_in_scratch(room), Elements::of(None));
        let region = Type::List(Box::new(Type::Square));
        self.keeping_scratch(true, |this| {
            this.each_region(source, &mut |this, val| {
                let word = this.element_word(val, &region, &mut elements)?;
                this.append(words, word);
                Ok(())
            })
        })?;
        let len = self.word_count(words);
        Ok(Val::List(self.list_of_elements(words.at, len, Some(most), elements)))
    }

    /// Returns an upper bound on the number of regions, whatever the squares are.
    pub fn most_regions(&self) -> i64 {
        self.layout.squares.scalar().size()
    }

    /// Returns the region of the first open square by adding neighbours until nothing changes.
    fn region_of_first(&mut self, open: &Bits) -> Result<Bits> {
        let of = open.of;
        let stride = self.layout.squares.stride;
        let mut inner = [vec![0u64; of.words()], vec![0u64; of.words()]];
        for square in 0..of.size() {
            let column = square % stride;
            if column > 0 {
                set_mask_bit(&mut inner[0], square);
            }
            if column < stride - 1 {
                set_mask_bit(&mut inner[1], square);
            }
        }
        let first = self.lowest_or_highest_bit(open, true);
        let region: Vec<_> = self.singleton_bits(of, first).into_iter().map(|word| self.var(word)).collect();
        let (head, exit) = (self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let now: Vec<V> = region.iter().map(|var| self.b.use_var(*var)).collect();
        let more = self.times(Some(of.size()), |this| {
            let masked = |this: &mut Self, mask: &[u64]| -> Vec<V> {
                now.iter()
                    .zip(mask)
                    .map(|(word, mask)| this.b.ins().band_imm_s(*word, *mask as i64))
                    .collect()
            };
            let (from_right, from_left) = (masked(this, &inner[0]), masked(this, &inner[1]));
            let near = [
                this.shift_down(&from_right, 1),
                this.shift_up(&from_left, 1),
                this.shift_down(&now, stride),
                this.shift_up(&now, stride),
            ];
            let mut grown = now.clone();
            for words in &near {
                grown = grown.iter().zip(words).map(|(a, b)| this.b.ins().bor(*a, *b)).collect();
            }
            let grown: Vec<V> =
                grown.iter().zip(&open.words).map(|(word, open)| this.b.ins().band(*word, *open)).collect();
            for (var, word) in region.iter().zip(&grown) {
                this.b.def_var(*var, *word);
            }
            Ok(this.same_bits(&grown, &now))
        })?;
        self.branch_on(more, exit, head);
        self.switch_to(exit);
        Ok(Bits { words: region.iter().map(|var| self.b.use_var(*var)).collect(), of })
    }

    /// Returns the number of regions of some squares.
    pub fn count_regions(&mut self, squares: &Expr) -> Result<V> {
        let zero = self.int(0);
        let count = self.var(zero);
        self.each_region(squares, &mut |this, _| {
            let so_far = this.b.use_var(count);
            let next = this.b.ins().iadd_imm_s(so_far, 1);
            this.b.def_var(count, next);
            Ok(())
        })?;
        Ok(self.b.use_var(count))
    }
}
