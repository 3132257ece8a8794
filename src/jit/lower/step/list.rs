//! Lists the ids of legal moves.
//!
//! The values of a move's last parameters form a row set (see [`crate::jit::lower::moves`]), and for most row
//! sets the ids are consecutive or correspond to the bits of a set. They are written several at a time; what
//! is written past the last id is overwritten later. So no branch depends on the number of ids.

use crate::engine::Block as Numbers;
use crate::ir::{Choice, Live, MoveId, Offer, Pc};
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::control::UNCHARGED;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::Scalar;
use crate::jit::lower::expr::convert::mask_word;
use crate::jit::lower::moves::listed::ValueRows;
use crate::jit::lower::moves::row_set::RowSet;
use crate::jit::lower::moves::steps::Steps;
use crate::jit::lower::step::numbers::{RankCodec, RankMap};
use crate::jit::mir::{IntCC, Variable, types};
use crate::jit::runtime::call::{CTX_OUT, CTX_OUT_END, ITEM_TASK, LIST};
use crate::opt::Candidates;

/// There is always room for this many ids of one choice.
const RESERVED_IDS: u64 = 1 << 13;
/// How many ids past the last one may be written.
const OVERRUN_IDS: i64 = 16;
/// The size of an id in bytes.
const ID_BYTES: i64 = 4;

impl<'a> Builder<'a> {
    /// Lists the ids of a seat's legal moves.
    pub(super) fn list_moves(&mut self, id: usize, choice: &'a Choice, pc: Pc, live: &Live) -> Result<()> {
        let Some(ids) = self.stepping.as_ref().map(|stepping| stepping.ids) else { return Ok(()) };
        self.load_slots(live.at(pc));
        let seat = self.task_seat();
        let offers: Vec<(&Offer, Option<&Numbers>)> = choice
            .offers
            .iter()
            .chain(&choice.otherwise)
            .enumerate()
            .map(|(at, offer)| (offer, ids.of_offer(id, at)))
            .collect();
        let all: u64 = offers.iter().filter_map(|(_, own)| Some(u64::from((*own)?.count))).sum();
        let begin = self.load64(self.ctx, CTX_OUT);
        let out = IdBuffer { at: self.var(begin), begin: self.var(begin), reserved: false };
        let room = self.int(all.min(RESERVED_IDS) as i64);
        self.reserve_ids(room, &out);
        let out = IdBuffer { reserved: all <= RESERVED_IDS, ..out };
        let (first, rest) = offers.split_at(choice.offers.len());
        self.specialise_by_seat(choice, seat, &mut |this, seat| {
            this.list_offers(&choice.offers, first, seat, &out)
        })?;
        let (begin, here) = (self.b.use_var(out.begin), self.b.use_var(out.at));
        let (some, end) = (self.b.ins().isub(here, begin), self.block());
        self.unless_first(choice, seat, some, end)?;
        self.specialise_by_seat(choice, seat, &mut |this, seat| {
            this.list_offers(&choice.otherwise, rest, seat, &out)
        })?;
        self.jump(end);
        self.switch_to(end);
        let (begin, here, ctx) = (self.b.use_var(out.begin), self.b.use_var(out.at), self.ctx);
        self.store64(here, ctx, CTX_OUT);
        let bytes = self.b.ins().isub(here, begin);
        let count = self.b.ins().ushr_imm_s(bytes, 2);
        if self.empty_list_means_stuck(id) {
            let (some, none, stuck) = (self.block(), self.cold_block(), self.cold_block());
            self.branch_on(count, some, none);
            self.switch_to(none);
            let place = self.step_item();
            let task = self.load64(place, ITEM_TASK);
            let only_asked = self.cmp_imm(IntCC::Equal, task, LIST);
            self.branch_on(only_asked, some, stuck);
            self.switch_to(stuck);
            self.side_exit_stuck(pc);
            self.switch_to(some);
        }
        self.answer(count);
        Ok(())
    }

    fn list_offers(
        &mut self,
        offers: &'a [Offer],
        numbers: &[(&Offer, Option<&Numbers>)],
        seat: Word,
        out: &IdBuffer,
    ) -> Result<()> {
        let own: Vec<&Offer> = offers.iter().collect();
        self.by_preference_of(&own, seat, &mut |this| {
            for (offer, numbers) in numbers {
                let Some(numbers) = numbers else { return unsupported("moves without numbers") };
                let codecs = this.rank_codecs_of(numbers)?;
                this.bind_offer(offer, seat)?;
                let of = this.candidates_of(offer.mv);
                let listing = Listing { mv: offer.mv, numbers, codecs, of, out };
                let first = this.int(i64::from(numbers.first));
                let end = this.block();
                this.all_hold_or(&of.preconditions, end)?;
                this.bind_names(of)?;
                this.list_offer_numbers(&listing, first)?;
                this.jump(end);
                this.switch_to(end);
                this.unbind_offer(offer);
            }
            Ok(())
        })
    }

    fn list_offer_numbers(&mut self, listing: &Listing<'_, 'a>, first: V) -> Result<()> {
        let params = &listing.of.params;
        if !listing.of.packed.is_empty() {
            return self.row_sets(params, true, &mut |this, row_set| {
                this.each_row(&row_set, &mut |this| {
                    let args = this.args(listing.mv)?;
                    this.list_row(listing, first, 0, &args)
                })
            });
        }
        let (skip, _) = self.factors(listing.of);
        if skip > 0
            && let Some(row_set) = self.row_set(&params[skip..], false)?
        {
            return self.list_shifted_copies(listing, skip, first, &row_set);
        }
        if let Some(row_set) = self.row_set(params, true)? {
            return self.list_row_set(listing, params.len() - row_set_params(&row_set), first, &row_set);
        }
        if let Some((_, few)) = self.few_row_sets(params)? {
            return self.list_few(listing, first, few);
        }
        self.row_sets(params, true, &mut |this, row_set| {
            let outer = params.len() - row_set_params(&row_set);
            let args: Result<Vec<Val>> = params[..outer].iter().map(|param| this.local(param.slot)).collect();
            let from = this.number(first, &listing.codecs, &listing.numbers.params, &args?)?;
            this.list_row_set(listing, outer, from, &row_set)
        })?;
        Ok(())
    }

    /// Lists a row set for each of a few known values of the first parameter.
    fn list_few(&mut self, listing: &Listing<'_, 'a>, first: V, few: Vec<ValueRows>) -> Result<()> {
        let param = &listing.of.params[0];
        for (value, count, row_set) in few {
            let (some, none) = (self.block(), self.block());
            // If the parameter has predicates, the count is 0 where they fail.
            if param.predicates.is_empty() {
                self.jump(some);
            } else {
                self.branch_on(count, some, none);
            }
            self.switch_to(some);
            self.locals.bound.insert(param.slot, value.clone());
            let from = self.number(first, &listing.codecs, &listing.numbers.params, &[value])?;
            self.list_row_set(listing, 1, from, &row_set)?;
            self.locals.bound.remove(&param.slot);
            self.jump(none);
            self.switch_to(none);
        }
        Ok(())
    }

    /// Lists a row set that is the same for all values of the first `skip` parameters: once, then as shifted
    /// copies.
    fn list_shifted_copies(
        &mut self,
        listing: &Listing<'_, 'a>,
        skip: usize,
        first: V,
        row_set: &RowSet,
    ) -> Result<()> {
        let mut from = first;
        let mut spans = Vec::new();
        for (i, param) in listing.of.params[..skip].iter().enumerate() {
            let Some((low, high)) = self.ends(&param.domain, param.window.as_ref())? else {
                return unsupported("a factor without ends");
            };
            let stride: i64 = listing.codecs[i + 1..].iter().map(|codec| codec.count).product();
            let rank = self.rank(&listing.codecs[i], &listing.numbers.params[i].0, Val::Word(low))?;
            let more = self.b.ins().imul_imm_s(rank, stride);
            from = self.b.ins().iadd(from, more);
            spans.push((self.span_len(low, high), stride));
        }
        // If one of the parameters has no values, there are no moves.
        let end = self.block();
        for (count, _) in &spans {
            self.leave_unless(*count, end);
        }
        self.list_row_set(listing, skip, from, row_set)?;
        let mut listed = self.row_set_count(row_set);
        // From the last of these parameters to the first, repeat everything listed so far.
        for (count, stride) in spans.into_iter().rev() {
            let bytes = self.b.ins().imul_imm_s(listed, ID_BYTES);
            let (all, over) = self.b.ins().smul_overflow(listed, count);
            self.bail_out_if(over);
            self.reserve_ids(all, listing.out);
            listed = all;
            let here = self.b.use_var(listing.out.at);
            let source = self.b.ins().isub(here, bytes);
            let one = self.int(1);
            let last = self.b.ins().iadd_imm_s(count, -1);
            self.each_int(one, last, None, |this, times, _| {
                let more = this.b.ins().imul_imm_s(times, stride);
                this.copy_numbers(source, bytes, more, listing.out)?;
                Ok(())
            })?;
        }
        self.jump(end);
        self.switch_to(end);
        Ok(())
    }

    /// Appends a copy of the listed ids in `source`, adding `more` to each.
    fn copy_numbers(&mut self, source: V, bytes: V, more: V, out: &IdBuffer) -> Result<()> {
        let more = self.four_times(more);
        let to = self.b.use_var(out.at);
        let end = self.b.ins().iadd(to, bytes);
        let inside = |this: &mut Self, [_, here]: [V; 2]| this.cmp(IntCC::UnsignedLessThan, here, end);
        self.repeat([source, to], UNCHARGED, inside, |this, [from, here], _| {
            for i in 0..2 {
                let four = this.b.ins().load(types::I32X4, from, i * 16);
                let four = this.b.ins().iadd(four, more);
                this.b.ins().store(four, here, i * 16);
            }
            Ok([from, here].map(|at| this.b.ins().iadd_imm_s(at, 32)))
        })?;
        self.b.def_var(out.at, end);
        Ok(())
    }

    /// Returns a number in each of four lanes.
    fn four_times(&mut self, number: V) -> V {
        let lane = self.b.ins().ireduce(types::I32, number);
        self.b.ins().splat(types::I32X4, lane)
    }

    /// Writes an id, and advances past it if `stays` is 1 (or `None`).
    fn list_number(&mut self, number: V, stays: Option<V>, out: &IdBuffer) {
        let to = self.b.use_var(out.at);
        self.store_u(4, number, to, 0);
        let next = match stays {
            None => self.b.ins().iadd_imm_s(to, ID_BYTES),
            Some(stays) => {
                let bytes = self.b.ins().imul_imm_s(stays, ID_BYTES);
                self.b.ins().iadd(to, bytes)
            }
        };
        self.b.def_var(out.at, next);
    }

    /// Lists the ids of a row set for the parameters from index `at` on; `from` is the id so far, given the
    /// parameters before it.
    fn list_row_set(
        &mut self,
        listing: &Listing<'_, 'a>,
        at: usize,
        from: V,
        row_set: &RowSet,
    ) -> Result<()> {
        let out = listing.out;
        let codecs = &listing.codecs[at..];
        match (row_set, codecs) {
            (RowSet::One(cond), []) => {
                let one = self.int(1);
                self.reserve_ids(one, out);
                let stays = cond.map(|cond| self.b.ins().uextend(types::I64, cond));
                self.list_number(from, stays, out);
                Ok(())
            }
            (RowSet::Bits(_, bits), [RankCodec { kind: RankMap::Consecutive(of), .. }]) => {
                let from = self.b.ins().iadd_imm_s(from, bits.of.lo - of.lo);
                self.list_bits(from, bits, out);
                Ok(())
            }
            (RowSet::Bits(_, bits), [RankCodec { kind: RankMap::Listed(_, words), .. }])
                if runs(words).len() <= 16 =>
            {
                // Consecutive words have consecutive ranks.
                let mut rank = 0;
                for (low, high) in runs(words) {
                    let part = self.part_of(bits, low, high);
                    let first = self.b.ins().iadd_imm_s(from, rank + part.of.lo - low);
                    self.list_bits(first, &part, out);
                    rank += high - low + 1;
                }
                Ok(())
            }
            (
                RowSet::Pair(pair, bits),
                [
                    RankCodec { kind: RankMap::Consecutive(majors), .. },
                    RankCodec { kind: RankMap::Consecutive(minors), count },
                ],
            ) if pair.in_order && *count == pair.minor.1.size() && minors.lo == pair.minor.1.lo => {
                let from = self.b.ins().iadd_imm_s(from, (pair.major.1.lo - majors.lo) * count);
                self.list_bits(from, bits, out);
                Ok(())
            }
            (RowSet::Span(_, low, high), [RankCodec { kind: RankMap::Consecutive(of), .. }]) => {
                let first = self.b.ins().iadd(from, low.v);
                let first = self.b.ins().iadd_imm_s(first, -of.lo);
                let count = self.span_len(*low, *high);
                self.list_span(first, count, out)?;
                Ok(())
            }
            (RowSet::Rows(_, count, _), [RankCodec { kind: RankMap::Rows(..), count: all }]) => {
                // If the domain is all that there may be in any position, ranks are consecutive.
                let (whole, part, end) = (self.block(), self.block(), self.block());
                let all = self.cmp_imm(IntCC::Equal, *count, *all);
                self.branch_on(all, whole, part);
                self.switch_to(whole);
                self.list_span(from, *count, out)?;
                self.jump(end);
                self.switch_to(part);
                self.list_each_row(listing, at, from, row_set)?;
                self.jump(end);
                self.switch_to(end);
                Ok(())
            }
            (
                RowSet::Steps(steps),
                [
                    RankCodec { kind: RankMap::Consecutive(first), .. },
                    RankCodec { kind: RankMap::Consecutive(second), count },
                ],
            ) => self.list_steps(from, steps, (first, second, *count), out),
            _ => self.list_each_row(listing, at, from, row_set),
        }
    }

    /// Lists the ids of a row set row by row.
    fn list_each_row(
        &mut self,
        listing: &Listing<'_, 'a>,
        at: usize,
        from: V,
        row_set: &RowSet,
    ) -> Result<()> {
        let params = &listing.of.params[at..];
        self.each_row(row_set, &mut |this| {
            let args: Result<Vec<Val>> = params.iter().map(|param| this.local(param.slot)).collect();
            this.list_row(listing, from, at, &args?)
        })
    }

    /// Lists the id of a row by its arguments from index `at` on; `from` is the id so far, given those before.
    fn list_row(&mut self, listing: &Listing<'_, 'a>, from: V, at: usize, args: &[Val]) -> Result<()> {
        let (codecs, doms) = (&listing.codecs[at..], &listing.numbers.params[at..]);
        let number = self.number(from, codecs, doms, args)?;
        let one = self.int(1);
        self.reserve_ids(one, listing.out);
        self.list_number(number, None, listing.out);
        Ok(())
    }

    /// Returns the part of a set with elements from `low` to `high`.
    fn part_of(&mut self, bits: &Bits, low: i64, high: i64) -> Bits {
        let (from, upto) = (low.max(bits.of.lo), high.min(bits.of.hi));
        let of = Scalar { lo: from, hi: upto.max(from), ..bits.of };
        if from > upto {
            return Bits { words: vec![self.int(0)], of };
        }
        let shift = from - bits.of.lo;
        let (word, by) = ((shift / 64) as usize, shift % 64);
        let mut words = Vec::new();
        for i in 0..of.words() {
            let mut v = bits.words[word + i];
            if by > 0 {
                v = self.b.ins().ushr_imm_s(v, by);
                if let Some(above) = bits.words.get(word + i + 1) {
                    let above = self.b.ins().ishl_imm_s(*above, 64 - by);
                    v = self.b.ins().bor(v, above);
                }
            }
            let mask = mask_word(of.size(), i);
            words.push(if mask == u64::MAX { v } else { self.b.ins().band_imm_s(v, mask as i64) });
        }
        Bits { words, of }
    }

    /// Makes room for `count` more ids.
    fn reserve_ids(&mut self, count: V, out: &IdBuffer) {
        if out.reserved {
            return;
        }
        let (here, ctx) = (self.b.use_var(out.at), self.ctx);
        let end = self.entry_at(here, count, ID_BYTES);
        let end = self.b.ins().iadd_imm_s(end, OVERRUN_IDS * ID_BYTES);
        let limit = self.load64(ctx, CTX_OUT_END);
        let full = self.cmp(IntCC::UnsignedGreaterThan, end, limit);
        let (more, on) = (self.cold_block(), self.block());
        self.branch_on(full, more, on);
        self.switch_to(more);
        let large = self.cmp_imm(IntCC::UnsignedGreaterThan, count, MAX_IDS);
        self.bail_out_for(BailOutReason::Memory, large);
        self.store64(here, ctx, CTX_OUT);
        let wanted = self.b.ins().iadd_imm_s(count, OVERRUN_IDS);
        if self.call("more_ids", &[ctx, wanted]).is_ok() {
            // The ids may have been moved.
            let (begin, now) = (self.b.use_var(out.begin), self.load64(ctx, CTX_OUT));
            let bytes = self.b.ins().isub(here, begin);
            let begin = self.b.ins().isub(now, bytes);
            self.b.def_var(out.begin, begin);
            self.b.def_var(out.at, now);
        }
        self.jump(on);
        self.switch_to(on);
    }

    /// Lists an id for each set bit, counting from the id of bit 0. Handles a byte at a time with a table of
    /// bit indices, and advances by the number of bits set.
    fn list_bits(&mut self, from: V, bits: &Bits, out: &IdBuffer) {
        const MAX_SINGLE_BITS: i64 = 3;
        let count = self.popcount(bits);
        self.reserve_ids(count, out);
        let row = self.static_row(places_in_bytes());
        for (i, word) in bits.words.iter().enumerate() {
            let first = i as i64 * 64;
            let size = (bits.of.size() - first).min(64);
            for byte in 0..(size + 7) / 8 {
                let shifted = if byte == 0 { *word } else { self.b.ins().ushr_imm_s(*word, byte * 8) };
                let to = self.b.use_var(out.at);
                let here = first + byte * 8;
                let left = size - byte * 8;
                if left <= MAX_SINGLE_BITS {
                    self.list_few_bits(from, here, shifted, left, out);
                    continue;
                }
                let set = if left <= 8 { shifted } else { self.b.ins().band_imm_s(shifted, 0xff) };
                let at = self.entry_at(row, set, 8);
                let places = self.b.ins().uload8x8(at, 0);
                let base = self.b.ins().iadd_imm_s(from, here);
                let base = self.four_times(base);
                let low = self.b.ins().uwiden_low(places);
                let low = self.b.ins().iadd(low, base);
                self.b.ins().store(low, to, 0);
                if left > 4 {
                    let high = self.b.ins().uwiden_high(places);
                    let high = self.b.ins().iadd(high, base);
                    self.b.ins().store(high, to, 16);
                }
                let many = self.b.ins().popcnt(set);
                let next = self.entry_at(to, many, ID_BYTES);
                self.b.def_var(out.at, next);
            }
        }
    }

    /// Lists a few bits: writes the id of each, and advances past it only if the bit is set.
    fn list_few_bits(&mut self, from: V, here: i64, word: V, count: i64, out: &IdBuffer) {
        for i in 0..count {
            let number = self.b.ins().iadd_imm_s(from, here + i);
            let bit = if i == 0 { word } else { self.b.ins().ushr_imm_s(word, i) };
            let bit = self.b.ins().band_imm_s(bit, 1);
            self.list_number(number, Some(bit), out);
        }
    }

    /// Lists `count` consecutive ids; the first eight are written unconditionally.
    fn list_span(&mut self, first: V, count: V, out: &IdBuffer) -> Result<()> {
        self.reserve_ids(count, out);
        let to = self.b.use_var(out.at);
        let end = self.entry_at(to, count, ID_BYTES);
        let rows = self.static_row(vec![1 << 32, 2 | 3 << 32, 4 | 4 << 32, 4 | 4 << 32]);
        let step = self.b.ins().load(types::I32X4, rows, 0);
        let fours = self.b.ins().load(types::I32X4, rows, 16);
        let first = self.four_times(first);
        let mut now = self.b.ins().iadd(first, step);
        for i in 0..2 {
            self.b.ins().store(now, to, i * 16);
            now = self.b.ins().iadd(now, fours);
        }
        let behind = self.b.ins().iadd_imm_s(to, 32);
        let more = |this: &mut Self, [here, _]: [V; 2]| this.cmp(IntCC::UnsignedLessThan, here, end);
        self.repeat([behind, now], UNCHARGED, more, |this, [here, now], _| {
            this.b.ins().store(now, here, 0);
            Ok([this.b.ins().iadd_imm_s(here, 16), this.b.ins().iadd(now, fours)])
        })?;
        self.b.def_var(out.at, end);
        Ok(())
    }

    /// Lists steps without a branch for each: each id is written, and the next one overwrites it unless the step exists.
    fn list_steps(
        &mut self,
        from: V,
        steps: &Steps,
        (first, second, count): (&Scalar, &Scalar, i64),
        out: &IdBuffer,
    ) -> Result<()> {
        let of = steps.of;
        let most = self.count_steps(steps);
        self.reserve_ids(most, out);
        let all = self.union_of(&steps.all);
        self.each_bit(&all, Some(of.size()), |this, at, _| {
            let rank = this.b.ins().iadd_imm_s(at, of.lo - first.lo);
            let row = this.entry_at(from, rank, count);
            let end = this.b.ins().iadd_imm_s(at, steps.target.lo - second.lo);
            let row = this.b.ins().iadd(row, end);
            let there = match of.words() {
                1 => {
                    let shifted = |(_, words): &(i64, Vec<V>)| this.b.ins().ushr(words[0], at);
                    let shifted: Vec<V> = steps.all.iter().map(shifted).collect();
                    shifted.into_iter().map(|word| this.b.ins().band_imm_s(word, 1)).collect()
                }
                _ => this.steps_at(steps, at),
            };
            for ((by, _), bit) in steps.all.iter().zip(there) {
                let number = this.b.ins().iadd_imm_s(row, *by);
                this.list_number(number, Some(bit), out);
            }
            Ok(())
        })
    }
}

/// The maximum number of ids listed at once.
const MAX_IDS: i64 = crate::eval::MAX_ELEMENTS as i64;

/// Where ids are listed.
#[derive(Clone, Copy)]
struct IdBuffer {
    /// The address of the next id.
    at: Variable,
    /// The address of the first id.
    begin: Variable,
    /// Whether there is always room for all ids.
    reserved: bool,
}

/// The moves of an offer being listed.
struct Listing<'l, 'a> {
    mv: MoveId,
    numbers: &'l Numbers,
    codecs: Vec<RankCodec>,
    of: &'a Candidates,
    out: &'l IdBuffer,
}

/// Returns the number of parameters that a row set covers.
fn row_set_params(row_set: &RowSet) -> usize {
    match row_set {
        RowSet::One(_) => 0,
        RowSet::Bits(..) | RowSet::Span(..) | RowSet::Rows(..) => 1,
        RowSet::Pair(..) | RowSet::Steps(..) => 2,
    }
}

/// Returns the first and last word of each run of consecutive words.
fn runs(words: &[i64]) -> Vec<(i64, i64)> {
    words.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1])).collect()
}

/// For each byte, returns the indices of its set bits as eight bytes in a word; unused bytes are 0.
fn places_in_bytes() -> Vec<i64> {
    let places = |byte: u64| {
        let places: Vec<u8> = (0..8u8).filter(|bit| byte >> bit & 1 == 1).collect();
        let mut row = [0; 8];
        row[..places.len()].copy_from_slice(&places);
        i64::from_le_bytes(row)
    };
    (0..256).map(places).collect()
}
