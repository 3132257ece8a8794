//! Converts numbers to and from digits, and lists what divides them.

use crate::ir::{Arith, Expr};
use crate::jit::builder::value::{List, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::{LIMIT, Scalar};
use crate::jit::mir::IntCC;
use crate::jit::runtime::call::CTX_SCRATCH;

/// The maximum number of digits of a word, in base 2.
const MAX_DIGITS: i64 = 64;

impl Builder<'_> {
    /// Returns the base, by default 10; bails out if it is less than 2.
    fn base_of_digits(&mut self, base: Option<&Expr>) -> Result<Word> {
        let Some(base) = base else { return Ok(self.known(10, Scalar::int(10, 10))) };
        let base = self.number_of(base)?;
        self.must_fit(base, 2, LIMIT);
        Ok(Word { s: Scalar::int(base.s.lo.max(2), base.s.hi.max(2)), ..base })
    }

    /// Returns the digits of a number, most significant first; bails out if it is negative.
    pub fn digits(&mut self, n: &Expr, base: Option<&Expr>) -> Result<List> {
        let (n, base) = (self.number_of(n)?, self.base_of_digits(base)?);
        self.must_fit(n, 0, LIMIT);
        let room = self.int(MAX_DIGITS * 8);
        let at = self.scratch(room);
        let end = self.b.ins().iadd_imm_s(at, MAX_DIGITS * 8);
        let (rest, place) = (self.var(n.v), self.var(end));
        let (head, exit) = (self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        self.times(Some(MAX_DIGITS), |this| {
            let now = this.b.use_var(rest);
            let digit = this.b.ins().urem(now, base.v);
            let left = this.b.ins().udiv(now, base.v);
            this.b.def_var(rest, left);
            let behind = this.b.use_var(place);
            let to = this.b.ins().iadd_imm_s(behind, -8);
            this.store64(digit, to, 0);
            this.b.def_var(place, to);
            Ok(())
        })?;
        let left = self.b.use_var(rest);
        self.branch_on(left, head, exit);
        self.switch_to(exit);
        let first = self.b.use_var(place);
        let len = self.words_between(first, end);
        let most = match n.s.hi.checked_ilog(base.s.lo) {
            Some(log) => i64::from(log) + 1,
            None => 1,
        };
        Ok(List::immutable(first, len, Scalar::int(0, base.s.hi - 1), Some(most)))
    }

    /// Returns the number with the given digits.
    pub fn number_of_digits(&mut self, digits: &Expr, base: Option<&Expr>) -> Result<Word> {
        let list = self.list_arg(digits)?;
        let base = self.base_of_digits(base)?;
        let zero = self.int(0);
        let all = self.var(zero);
        self.each_item(list, |this, digit, _| {
            let digit = this.require_some(digit);
            let (below, above) = (digit.s.lo < 0, digit.s.hi >= base.s.lo);
            if below || above {
                let out = this.cmp(IntCC::UnsignedGreaterThanOrEqual, digit.v, base.v);
                this.bail_out_if(out);
            }
            let so_far = Builder::ranged(this.b.use_var(all), 0, LIMIT);
            let up = this.arith(Arith::Mul, so_far, base)?;
            let digit = Word { s: Scalar::int(0, base.s.hi - 1), ..digit };
            let sum = this.arith(Arith::Add, up, digit)?;
            this.b.def_var(all, sum.v);
            Ok(())
        })?;
        Ok(Builder::ranged(self.b.use_var(all), 0, LIMIT))
    }

    /// Calls a helper that may use scratch memory, and returns an address there; bails out if it returns 0.
    pub(in crate::jit) fn call_with_scratch(&mut self, helper: &'static str, args: &[V]) -> Result<V> {
        let (ctx, scratch) = (self.ctx, self.b.use_var(self.run.scratch));
        self.store64(scratch, ctx, CTX_SCRATCH);
        let args = [&[ctx], args].concat();
        let at = self.call(helper, &args)?;
        self.bail_out_unless(at);
        let scratch = self.load64(ctx, CTX_SCRATCH);
        self.b.def_var(self.run.scratch, scratch);
        Ok(at)
    }

    /// Returns the divisors of a number, or its prime factors, in ascending order, by the helper of that name.
    pub fn dividing(&mut self, helper: &'static str, n: &Expr) -> Result<List> {
        let n = self.number_of(n)?;
        let at = self.call_with_scratch(helper, &[n.v])?;
        let (len, first) = (self.load64(at, 0), self.b.ins().iadd_imm_s(at, 8));
        let of = Scalar::int(1, n.s.lo.saturating_abs().max(n.s.hi.saturating_abs()).clamp(1, LIMIT));
        Ok(List::immutable(first, len, of, None))
    }
}
