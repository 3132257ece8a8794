//! Regions of squares connected by their sides, one after the other, as bits.

use crate::ir::{Builtin, Expr, ExprKind, Slot, Type};
use crate::jit::builder::value::{Bits, Val};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::lower::expr::masks::set_mask_bit;

/// Returns the squares whose regions an expression gives, if it is `regions` of a list or set.
pub fn regions_source(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Builtin(Builtin::Regions, args) if matches!(args[0].ty, Type::List(_) | Type::Set(_)) => {
            Some(&args[0])
        }
        _ => None,
    }
}

impl Builder<'_> {
    /// Lowers squares to bits.
    pub fn bits_of_squares(&mut self, squares: &Expr) -> Result<Bits> {
        let of = self.layout.squares.scalar();
        if of.words() > REGISTERS {
            return unsupported("regions of a very large grid");
        }
        let val = self.expr(squares)?;
        self.bits(val, of)
    }

    /// Loops over the regions of some squares, ordered by their first squares.
    pub fn each_region(
        &mut self,
        squares: &Expr,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Bits { words, of } = self.bits_of_squares(squares)?;
        let left: Vec<_> = words.iter().map(|word| self.var(*word)).collect();
        self.while_any_bit(&left, of, Some(of.size()), |this, open, _| {
            let region = this.region_of_first(open)?;
            for ((var, word), taken) in left.iter().zip(&open.words).zip(&region.words) {
                let rest = this.b.ins().band_not(*word, *taken);
                this.b.def_var(*var, rest);
            }
            if !slots.is_empty() {
                this.bind(slots, Val::Members(region))?;
            }
            body(this)
        })
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
        self.each_region(squares, &[], &mut |this| {
            let so_far = this.b.use_var(count);
            let next = this.b.ins().iadd_imm_s(so_far, 1);
            this.b.def_var(count, next);
            Ok(())
        })?;
        Ok(self.b.use_var(count))
    }
}
