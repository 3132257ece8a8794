//! Branches and loops.

use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::mir::{Block, IntCC, Variable, types};

/// The bound of a loop whose iterations take too little time to be charged.
pub const UNCHARGED: Option<i64> = Some(0);

impl Builder<'_> {
    /// Jumps to a block if a condition holds, and otherwise falls through.
    pub fn leave_if(&mut self, holds: V, to: Block) {
        let on = self.block();
        self.branch_on(holds, to, on);
        self.switch_to(on);
    }

    /// Jumps to a block unless a condition holds.
    pub fn leave_unless(&mut self, holds: V, to: Block) {
        let on = self.block();
        self.branch_on(holds, on, to);
        self.switch_to(on);
    }

    /// Does something only if a condition holds.
    pub fn when(&mut self, holds: V, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (some, on) = (self.block(), self.block());
        self.branch_on(holds, some, on);
        self.switch_to(some);
        body(self)?;
        self.jump(on);
        self.switch_to(on);
        Ok(())
    }

    /// Charges the steps of one iteration of a loop that has no known bound.
    pub(in crate::jit) fn charge(&mut self, cost: u64) {
        let fuel = self.b.use_var(self.run.fuel);
        let left = self.b.ins().iadd_imm_s(fuel, -i64::try_from(cost.min(1 << 40)).unwrap_or(1 << 40));
        self.b.def_var(self.run.fuel, left);
        let out = self.cmp_imm(IntCC::SignedLessThan, left, 0);
        self.bail_out_for(BailOutReason::Steps, out);
    }

    /// Adds the cost of a loop body that runs at most `trips` times; without a bound, charges each iteration
    /// at run time.
    pub fn times<T>(&mut self, trips: Option<i64>, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        const MAX_FREE_COST: u64 = 200_000;
        let before = std::mem::take(&mut self.cost);
        let result = body(self)?;
        let inside = self.cost + 4;
        self.cost = before;
        let all = trips.map(|trips| inside.saturating_mul(trips.max(0) as u64));
        match all.filter(|all| *all <= MAX_FREE_COST) {
            Some(all) => self.cost = self.cost.saturating_add(all),
            None => self.charge(inside),
        }
        Ok(result)
    }

    /// Loops while a condition holds for some values, which `body` replaces by those of the next iteration, at most `trips` times
    /// if a bound is known. `body` also gets the block to break to. Returns the values after the loop.
    pub fn repeat<const N: usize>(
        &mut self,
        first: [V; N],
        trips: Option<i64>,
        more: impl FnOnce(&mut Self, [V; N]) -> V,
        body: impl FnOnce(&mut Self, [V; N], Block) -> Result<[V; N]>,
    ) -> Result<[V; N]> {
        let vars = first.map(|first| self.var(first));
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let now = vars.map(|var| self.b.use_var(var));
        let more = more(self, now);
        self.branch_on(more, inside, exit);
        self.switch_to(inside);
        let next = self.times(trips, |this| body(this, now, exit))?;
        vars.iter().zip(next).for_each(|(var, next)| self.b.def_var(*var, next));
        self.jump(head);
        self.switch_to(exit);
        Ok(vars.map(|var| self.b.use_var(var)))
    }

    /// Loops over the integers from `lo` to `hi`, inclusive. `body` gets the integer and the block to break
    /// to.
    pub fn each_int(
        &mut self,
        lo: V,
        hi: V,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        let more = |this: &mut Self, [now]: [V; 1]| this.cmp(IntCC::SignedLessThanOrEqual, now, hi);
        self.repeat([lo], trips, more, |this, [now], exit| {
            body(this, now, exit)?;
            Ok([this.b.ins().iadd_imm_s(now, 1)])
        })?;
        Ok(())
    }

    /// Loops over the integers from 0 to one less than a number. `body` gets the integer and the block to break to.
    pub fn each_below(
        &mut self,
        count: V,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm_s(count, -1);
        self.each_int(zero, last, trips, body)
    }

    /// Whether `body` holds for all integers from `lo` to `hi`; stops at the first one for which it does not.
    pub fn all_hold(
        &mut self,
        lo: V,
        hi: V,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, V) -> Result<V>,
    ) -> Result<V> {
        let yes = self.b.ins().iconst(types::I8, 1);
        let result = self.var(yes);
        self.each_int(lo, hi, trips, |this, i, exit| {
            let holds = body(this, i)?;
            this.b.def_var(result, holds);
            let on = this.block();
            this.branch_on(holds, on, exit);
            this.switch_to(on);
            Ok(())
        })?;
        Ok(self.b.use_var(result))
    }

    /// Adds one to a count if a condition holds.
    pub fn count_if(&mut self, count: Variable, holds: V) {
        let one = self.b.ins().uextend(types::I64, holds);
        let so_far = self.b.use_var(count);
        let next = self.b.ins().iadd(so_far, one);
        self.b.def_var(count, next);
    }

    /// Loops over the set bits, lowest first. `body` gets the index of the bit and the block to break to.
    pub fn each_bit(
        &mut self,
        words: &[V],
        trips: Option<i64>,
        mut body: impl FnMut(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        if let [word] = words {
            self.repeat(
                [*word],
                trips,
                |_, [word]| word,
                |this, [word], exit| {
                    let (bit, left) = this.lowest_taken(word);
                    body(this, bit, exit)?;
                    Ok([left])
                },
            )?;
            return Ok(());
        }
        // No element is possible.
        let Some(first) = words.first() else { return Ok(()) };
        // A single loop over all words, so that the body is emitted only once.
        let exit = self.block();
        let room = self.stack(words.len() as u32 * 8);
        for (at, word) in words.iter().enumerate() {
            self.store64(*word, room, at as i32 * 8);
        }
        let zero = self.int(0);
        let at = self.var(zero);
        let rest = self.var(*first);
        let (head, refill, inside) = (self.block(), self.block(), self.block());
        let load = self.block();
        self.jump(head);
        self.switch_to_loop(head);
        let word = self.b.use_var(rest);
        self.branch_on(word, inside, refill);
        self.switch_to(refill);
        let number = self.b.use_var(at);
        let next = self.b.ins().iadd_imm_s(number, 1);
        self.b.def_var(at, next);
        let done = self.cmp_imm(IntCC::Equal, next, words.len() as i64);
        self.branch_on(done, exit, load);
        self.switch_to(load);
        let place = self.entry_at(room, next, 8);
        let word = self.load64(place, 0);
        self.b.def_var(rest, word);
        self.jump(head);
        self.switch_to(inside);
        let word = self.b.use_var(rest);
        let (bit, left) = self.lowest_taken(word);
        self.b.def_var(rest, left);
        let number = self.b.use_var(at);
        let first = self.b.ins().ishl_imm_s(number, 6);
        let place = self.b.ins().iadd(first, bit);
        self.times(trips, |this| body(this, place, exit))?;
        self.jump(head);
        self.switch_to(exit);
        Ok(())
    }

    /// Returns the index of the lowest set bit of a word, and the word without it.
    fn lowest_taken(&mut self, word: V) -> (V, V) {
        let bit = self.b.ins().ctz(word);
        let less = self.b.ins().iadd_imm_s(word, -1);
        (bit, self.b.ins().band(word, less))
    }
}
