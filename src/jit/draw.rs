//! Drawing a legal move at random, as the reference draws it: by listing few rows, by trying among many.

use cranelift::prelude::*;

use super::generate::{Gen, R, V, nope};
use super::leaf::Leaf;
use super::legal::{Taken, chosen, dependent, domain_reads};
use super::shape::{Scalar, Sort};
use super::slots::REGISTERS;
use super::table;
use super::value::{Bits, Val, Word};
use crate::ir::{Choice, Domain, Move, Offer, Param, Slot, Type};

/// Up to how many rows the reference lists rather than draws until one is legal.
const FEW: i64 = 64;

/// A parameter that nothing looks at.
struct Factor {
    slot: Slot,
    low: Word,
    most: i64,
    count: V,
}

/// An offer's rows: listed beforehand where there are loops.
struct Listed {
    offer: usize,
    factors: Vec<Factor>,
    count: V,
    inner: V,
    kept: Kept,
}

/// What is needed to take one of the rows.
enum Kept {
    /// A leaf.
    Leaf(Leaf),
    /// A leaf for each of few known values of the parameter before it: the value, how many rows, the leaf.
    Few(Slot, Vec<(Val, V, Leaf)>),
    /// Entries listed under loops.
    Entries(Entries),
}

/// Entries in scratch memory: how many rows up to and with this one, the outer arguments, the leaf's words.
struct Entries {
    at: V,
    outer: Vec<(Slot, Scalar)>,
    leaf: Stored,
    words: i32,
}

/// What is kept of a leaf.
#[derive(Clone, PartialEq, Eq)]
enum Stored {
    One,
    Bits(Slot, Scalar),
    Pair(Slot, Slot, Scalar),
    Span(Slot, Scalar),
}

impl Gen<'_> {
    // ---- drawing

    /// Draws a legal move of a seat and gives it to `on`, which leaves for elsewhere; goes on where there is none.
    pub fn draw(&mut self, choice: &Choice, seat: Word, on: Taken) -> R<()> {
        let first: Vec<(usize, &Offer)> = choice.offers.iter().enumerate().collect();
        let endless = |this: &Self, offers: &[Offer]| {
            let moves = &this.machine.game.moves;
            offers.iter().any(|offer| chosen(&moves[offer.mv]).into_iter().any(|param| this.endless(param)))
        };
        let after = self.block();
        if !choice.otherwise.is_empty() && self.samples(&first, seat)? {
            // Trying takes numbers from the stream: only where one of the first offers is legal.
            let can = self.block();
            self.exists(&choice.offers, seat, can)?;
            self.jump(after);
            self.at(can);
        }
        self.draw_among(&first, seat, on)?;
        // A domain without end always has a move; a window without one is for the reference.
        if endless(self, &choice.offers) {
            self.give_up();
        }
        self.jump(after);
        self.at(after);
        if !choice.otherwise.is_empty() {
            let from = choice.offers.len();
            let rest: Vec<(usize, &Offer)> =
                choice.otherwise.iter().enumerate().map(|(i, o)| (from + i, o)).collect();
            self.draw_among(&rest, seat, on)?;
            if endless(self, &choice.otherwise) {
                self.give_up();
            }
        }
        Ok(())
    }

    /// Whether an argument of a choice depends on another, or on nothing but who moves.
    pub fn depends(&self, choice: &Choice) -> bool {
        let mut offers = choice.offers.iter().chain(&choice.otherwise);
        offers.any(|offer| {
            let mv = &self.machine.game.moves[offer.mv];
            let by_seat = |param: &Param| param.domain.as_ref().is_some_and(|d| self.known_by_seat(d, mv.me));
            dependent(mv) || mv.params.iter().any(by_seat)
        })
    }

    /// Whether a domain is known as soon as it is known who moves.
    pub(super) fn known_by_seat(&self, domain: &Domain, me: Slot) -> bool {
        domain_reads(domain, me) && table::unchanging_domain(self.machine, domain, &mut |slot| slot == me)
    }

    /// Whether a draw may go by trial and error.
    pub fn may_sample(&mut self, choice: &Choice, seat: Word) -> R<bool> {
        for offers in [&choice.offers, &choice.otherwise] {
            let offers: Vec<(usize, &Offer)> = offers.iter().enumerate().collect();
            if self.samples(&offers, seat)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn samples(&mut self, offers: &[(usize, &Offer)], seat: Word) -> R<bool> {
        let simple = offers.iter().all(|(_, offer)| !dependent(&self.machine.game.moves[offer.mv]));
        Ok(simple && self.most_rows(offers, seat)?.is_none_or(|most| most > FEW))
    }

    pub(super) fn draw_among(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        if self.samples(offers, seat)? {
            self.sample(offers, seat, on)?;
        }
        self.draw_listed(offers, seat, on)
    }

    /// The most rows there can be before any need is asked, where that is known.
    pub(super) fn most_rows(&mut self, offers: &[(usize, &Offer)], seat: Word) -> R<Option<i64>> {
        let mut all: i64 = 0;
        for (_, offer) in offers {
            self.enter(offer, seat)?;
            let mut product: Option<i64> = Some(1);
            for param in chosen(&self.machine.game.moves[offer.mv]) {
                let Some(domain) = &param.domain else { continue };
                let most = match self.fixed_here(domain) {
                    Some(values) => Some(values.len() as i64),
                    None => match domain {
                        Domain::Values(e) => match self.type_element(&e.ty) {
                            Some(of) if of.sort != Sort::Int => Some(of.size()),
                            _ => match self.expr(e)? {
                                Val::Bits(bits) | Val::Members(bits) => Some(bits.of.size()),
                                Val::Span(low, high) => {
                                    Some(high.s.hi.saturating_sub(low.s.lo).saturating_add(1).max(0))
                                }
                                Val::Field { of, .. } | Val::Counts { of, .. } => Some(of.size()),
                                _ => None,
                            },
                        },
                        _ => None,
                    },
                };
                product = product.zip(most).and_then(|(a, b)| a.checked_mul(b));
            }
            self.leave(offer);
            let Some(product) = product else { return Ok(None) };
            all = all.saturating_add(product);
        }
        Ok(Some(all))
    }

    pub(super) fn type_element(&self, ty: &Type) -> Option<Scalar> {
        ty.element().and_then(|ty| self.type_scalar(&ty))
    }

    /// The size of a domain and its element of a rank.
    pub(super) fn domain_count(&mut self, param: &Param) -> R<(V, Option<Leaf>)> {
        let Some(domain) = &param.domain else { return nope("a parameter without a domain") };
        if let Some((low, high)) = self.ends(domain, param)? {
            let count = self.span_len(low, high);
            return Ok((count, Some(Leaf::Span(param.slot, low, high))));
        }
        if let Some((bits, _)) = self.choice_bits(domain)? {
            return Ok((self.popcount(&bits), Some(Leaf::Bits(param.slot, bits))));
        }
        if let Some((count, rows)) = self.rows_of(domain, param)? {
            return Ok((count, Some(Leaf::Rows(param.slot, count, rows))));
        }
        nope(format!("the parameter `{}` has a domain of rows", param.name))
    }

    /// Where there are many rows: draws until one is legal, as often as the reference does.
    pub(super) fn sample(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        let mut total = self.int(0);
        let mut sizes: Vec<(V, Vec<(V, Leaf)>)> = Vec::new();
        for (_, offer) in offers {
            self.enter(offer, seat)?;
            let mut rows = self.int(1);
            let mut leaves = Vec::new();
            for param in chosen(&self.machine.game.moves[offer.mv]) {
                let (count, leaf) = self.domain_count(param)?;
                let (product, over) = self.b.ins().smul_overflow(rows, count);
                self.give_up_if(over);
                rows = product;
                if let Some(leaf) = leaf {
                    leaves.push((count, leaf));
                }
            }
            let (sum, over) = self.b.ins().sadd_overflow(total, rows);
            self.give_up_if(over);
            total = sum;
            sizes.push((rows, leaves));
            // The windows' own names stay bound for the draws below.
        }
        let (many, few) = (self.block(), self.block());
        let beyond = self.cmp_imm(IntCC::SignedGreaterThan, total, FEW);
        self.fork(beyond, many, few);
        self.at(many);
        let quarter = self.b.ins().ushr_imm(total, 2);
        let tries = self.b.ins().iadd_imm(quarter, FEW);
        let most = self.int(10_000_000);
        let tries = self.b.ins().smin(tries, most);
        let one = self.int(1);
        self.each_int(one, tries, None, |this, _, _| {
            let mut rank = this.below(total);
            let again = this.block();
            for ((number, offer), (rows, leaves)) in offers.iter().zip(&sizes) {
                let (mine, next) = (this.block(), this.block());
                if offers.len() == 1 {
                    this.jump(mine);
                } else {
                    let here = this.cmp(IntCC::UnsignedLessThan, rank, *rows);
                    this.fork(here, mine, next);
                }
                this.at(mine);
                this.enter(offer, seat)?;
                let mv = &this.machine.game.moves[offer.mv];
                let mut rest = rank;
                for (i, (count, leaf)) in leaves.iter().enumerate().rev() {
                    let k = match i {
                        0 => rest,
                        _ => {
                            let k = this.b.ins().urem(rest, *count);
                            rest = this.b.ins().udiv(rest, *count);
                            k
                        }
                    };
                    this.leaf_row(leaf, k)?;
                }
                this.judge(mv, again)?;
                let args: R<Vec<Val>> = chosen(mv).iter().map(|param| this.local(param.slot)).collect();
                on(this, *number, &args?)?;
                let dead = this.block();
                this.jump(dead);
                this.at(dead);
                this.jump(again);
                this.at(next);
                if offers.len() > 1 {
                    rank = this.b.ins().isub(rank, *rows);
                }
            }
            this.jump(again);
            this.at(again);
            Ok(())
        })?;
        self.jump(few);
        self.at(few);
        for (_, offer) in offers {
            self.leave(offer);
        }
        Ok(())
    }

    /// Where there are few rows, or after many tries: the legal ones are counted and one of them is taken.
    pub(super) fn draw_listed(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        let mut listed = Vec::new();
        let mut total = self.int(0);
        for (number, offer) in offers {
            let rows = self.list_offer(*number, offer, seat)?;
            total = self.b.ins().iadd(total, rows.count);
            listed.push(rows);
        }
        if listed.iter().all(|rows| matches!(rows.kept, Kept::Leaf(Leaf::One(_)))) && listed.len() <= 4 {
            return self.draw_single(&listed, &mut Vec::new(), offers, seat, on);
        }
        let (some, none) = (self.block(), self.block());
        self.fork(total, some, none);
        self.at(some);
        let mut k = self.below(total);
        let last = listed.len().saturating_sub(1);
        for (i, (rows, (_, offer))) in listed.iter().zip(offers).enumerate() {
            let (mine, next) = (self.block(), self.block());
            if i == last {
                self.jump(mine);
            } else {
                let here = self.cmp(IntCC::UnsignedLessThan, k, rows.count);
                self.fork(here, mine, next);
            }
            self.at(mine);
            self.enter(offer, seat)?;
            let mv = &self.machine.game.moves[offer.mv];
            let mut taken = |this: &mut Self| -> R<()> {
                let args: R<Vec<Val>> = chosen(mv).iter().map(|param| this.local(param.slot)).collect();
                on(this, rows.offer, &args?)?;
                let dead = this.block();
                this.jump(dead);
                this.at(dead);
                Ok(())
            };
            let rest = self.take_factors(rows, k);
            match &rows.kept {
                Kept::Leaf(leaf) => {
                    self.leaf_row(leaf, rest)?;
                    taken(self)?;
                }
                Kept::Entries(entries) => {
                    self.take(entries, rest)?;
                    taken(self)?;
                }
                Kept::Few(slot, few) => {
                    let mut rest = rest;
                    for (at, (value, count, leaf)) in few.iter().enumerate() {
                        let (here, on) = (self.block(), self.block());
                        if at + 1 == few.len() {
                            self.jump(here);
                        } else {
                            let inside = self.cmp(IntCC::UnsignedLessThan, rest, *count);
                            self.fork(inside, here, on);
                        }
                        self.at(here);
                        self.locals.bound.insert(*slot, value.clone());
                        self.leaf_row(leaf, rest)?;
                        taken(self)?;
                        self.jump(on);
                        self.at(on);
                        rest = self.b.ins().isub(rest, *count);
                    }
                }
            }
            self.leave(offer);
            self.jump(none);
            self.at(next);
            if i != last {
                k = self.b.ins().isub(k, rows.count);
            }
        }
        if !listed.is_empty() {
            self.jump(none);
        }
        self.at(none);
        Ok(())
    }

    /// Offers of one row each: code for each set of them that is legal. So the number of legal moves is known in
    /// each, and the draw need not wait until it is worked out.
    pub(super) fn draw_single(
        &mut self,
        listed: &[Listed],
        legal: &mut Vec<usize>,
        offers: &[(usize, &Offer)],
        seat: Word,
        on: Taken,
    ) -> R<()> {
        let at = offers.len() - listed.len();
        if let Some((rows, rest)) = listed.split_first() {
            let Kept::Leaf(Leaf::One(cond)) = &rows.kept else { return nope("a row of several") };
            let (with, without, end) = (self.block(), self.block(), self.block());
            match cond {
                Some(cond) => self.fork(*cond, with, without),
                None => self.jump(with),
            }
            self.at(with);
            legal.push(at);
            self.draw_single(rest, legal, offers, seat, on)?;
            legal.pop();
            self.jump(end);
            self.at(without);
            if cond.is_some() {
                self.draw_single(rest, legal, offers, seat, on)?;
            }
            self.jump(end);
            self.at(end);
            return Ok(());
        }
        if legal.is_empty() {
            return Ok(());
        }
        let k = self.below_known(legal.len() as i64);
        for (i, at) in legal.iter().enumerate() {
            let (mine, next) = (self.block(), self.block());
            if i + 1 == legal.len() {
                self.jump(mine);
            } else {
                let here = self.cmp_imm(IntCC::Equal, k, i as i64);
                self.fork(here, mine, next);
            }
            self.at(mine);
            let (number, offer) = offers[*at];
            self.enter(offer, seat)?;
            on(self, number, &[])?;
            self.leave(offer);
            let dead = self.block();
            self.jump(dead);
            self.at(dead);
            self.jump(next);
            self.at(next);
        }
        Ok(())
    }

    /// Counts an offer's legal rows, and keeps what is needed to take one.
    pub(super) fn list_offer(&mut self, number: usize, offer: &Offer, seat: Word) -> R<Listed> {
        self.enter(offer, seat)?;
        let mv = &self.machine.game.moves[offer.mv];
        let params = chosen(mv);
        let skip = self.factors(mv, &params);
        let mut factors = Vec::new();
        for param in &params[..skip] {
            let Some(domain) = &param.domain else { continue };
            let Some((low, high)) = self.ends(domain, param)? else { return nope("a factor without ends") };
            let count = self.span_len(low, high);
            let most = high.s.hi.max(low.s.lo);
            factors.push(Factor { slot: param.slot, low, most, count });
        }
        let direct = match params.len() - skip {
            0 => {
                let no = self.block();
                let zero = self.b.ins().iconst(types::I8, 0);
                let holds = self.var(zero);
                if mv.checks.is_empty() {
                    Some(Leaf::One(None))
                } else {
                    self.judge(mv, no)?;
                    let one = self.b.ins().iconst(types::I8, 1);
                    self.b.def_var(holds, one);
                    self.jump(no);
                    self.at(no);
                    Some(Leaf::One(Some(self.b.use_var(holds))))
                }
            }
            _ => self.leaf(mv, &params, skip)?,
        };
        let mut result = match direct {
            Some(leaf) => {
                let count = self.leaf_count(&leaf);
                Listed { offer: number, factors, count, inner: count, kept: Kept::Leaf(leaf) }
            }
            None => match self.few_leaves(mv, &params, skip)? {
                Some((count, few)) => {
                    let kept = Kept::Few(params[skip].slot, few);
                    Listed { offer: number, factors, count, inner: count, kept }
                }
                None => {
                    let (count, entries) = self.list_loops(mv, &params, skip)?;
                    Listed { offer: number, factors, count, inner: count, kept: Kept::Entries(entries) }
                }
            },
        };
        for factor in &result.factors {
            let (count, over) = self.b.ins().smul_overflow(result.count, factor.count);
            self.give_up_if(over);
            result.count = count;
        }
        self.leave(offer);
        Ok(result)
    }

    /// Two parameters, the first of few known values, with a leaf for each of them: nothing need be listed.
    pub(super) fn few_leaves(
        &mut self,
        mv: &Move,
        params: &[&Param],
        skip: usize,
    ) -> R<Option<(V, Vec<(Val, V, Leaf)>)>> {
        const FEW_VALUES: usize = 8;
        let [first, _] = &params[skip..] else { return Ok(None) };
        let Some(mut values) = first.domain.as_ref().and_then(|domain| self.fixed_here(domain)) else {
            return Ok(None);
        };
        values.sort();
        values.dedup();
        if values.len() > FEW_VALUES {
            return Ok(None);
        }
        let mut all = self.int(0);
        let mut few = Vec::new();
        for value in values {
            self.locals.bound.insert(first.slot, Val::Const(value.clone()));
            let Some(leaf) = self.leaf(mv, params, skip + 1)? else {
                self.locals.bound.remove(&first.slot);
                return Ok(None);
            };
            let count = self.leaf_count(&leaf);
            all = self.b.ins().iadd(all, count);
            few.push((Val::Const(value), count, leaf));
        }
        Ok(Some((all, few)))
    }

    /// Lists the leaves under loops into scratch memory.
    pub(super) fn list_loops(&mut self, mv: &Move, params: &[&Param], skip: usize) -> R<(V, Entries)> {
        // Room for all entries, asked for before the loops ask for theirs.
        let outer: Vec<&Param> = params[skip..].to_vec();
        const WIDEST: i64 = 2 + 8 + REGISTERS as i64 + 4;
        let mut room = self.int(WIDEST * 8);
        let last = outer.len() - 1;
        for (i, param) in outer.iter().enumerate() {
            // The last parameter is a loop too, or a leaf with one entry for each of those before it.
            let count = match i {
                0 => self.domain_count(param)?.0,
                _ if i == last && self.is_leaf(param, mv) => continue,
                _ => match self.most_of(param)? {
                    Some(most) => self.int(most),
                    None => return nope("moves whose number has no bound"),
                },
            };
            let (product, over) = self.b.ins().smul_overflow(room, count);
            self.give_up_if(over);
            room = product;
        }
        let large = self.cmp_imm(IntCC::UnsignedGreaterThan, room, 1 << 19);
        self.give_up_if(large);
        let at = self.scratch(room);
        let end = self.b.ins().iadd(at, room);
        let place = self.var(at);
        let zero = self.int(0);
        let total = self.var(zero);
        let mut found: Option<(Vec<(Slot, Scalar)>, Stored, i32)> = None;
        self.each_leaf(mv, params, skip, &mut |this, leaf| {
            let count = this.leaf_count(&leaf);
            let (some, on) = (this.block(), this.block());
            this.fork(count, some, on);
            this.at(some);
            let so_far = this.b.use_var(total);
            let sum = this.b.ins().iadd(so_far, count);
            this.b.def_var(total, sum);
            let to = this.b.use_var(place);
            // What is no leaf after all may have more entries than were reckoned with.
            let widest = this.b.ins().iadd_imm(to, WIDEST * 8);
            let full = this.cmp(IntCC::UnsignedGreaterThan, widest, end);
            this.give_up_if(full);
            this.store64(sum, to, 0);
            let own: Vec<Slot> = match &leaf {
                Leaf::One(_) => Vec::new(),
                Leaf::Bits(slot, _) | Leaf::Span(slot, ..) | Leaf::Rows(slot, ..) => vec![*slot],
                Leaf::Pair(row, column, _) | Leaf::Moves(row, column, ..) => vec![*row, *column],
            };
            let mut words = 1;
            let mut kept = Vec::new();
            for param in params[skip..].iter().filter(|param| !own.contains(&param.slot)) {
                let Val::Word(word) = this.local(param.slot)? else { return nope("rows within rows") };
                this.store64(word.v, to, words * 8);
                words += 1;
                kept.push((param.slot, word.s));
            }
            let stored = match &leaf {
                Leaf::One(_) => Stored::One,
                Leaf::Bits(slot, bits) => {
                    bits.words.iter().for_each(|word| {
                        this.store64(*word, to, words * 8);
                        words += 1;
                    });
                    Stored::Bits(*slot, bits.of)
                }
                Leaf::Pair(row, column, bits) => {
                    bits.words.iter().for_each(|word| {
                        this.store64(*word, to, words * 8);
                        words += 1;
                    });
                    Stored::Pair(*row, *column, bits.of)
                }
                Leaf::Span(slot, low, high) => {
                    this.store64(low.v, to, words * 8);
                    words += 1;
                    Stored::Span(*slot, Scalar { hi: high.s.hi.max(low.s.lo), ..low.s })
                }
                Leaf::Rows(..) | Leaf::Moves(..) => return nope("rows within rows"),
            };
            if i64::from(words) > WIDEST {
                return nope("a move with very many parameters");
            }
            let next = this.b.ins().iadd_imm(to, i64::from(words) * 8);
            this.b.def_var(place, next);
            this.jump(on);
            this.at(on);
            match &mut found {
                None => found = Some((kept, stored, words)),
                // The loops were unrolled: every pass keeps the same words, with ranges of its own.
                Some((all, leaf, width)) => {
                    match (leaf, stored) {
                        (Stored::Span(_, s), Stored::Span(_, other)) => *s = s.join(other).unwrap_or(*s),
                        (leaf, stored) if *leaf == stored => {}
                        _ => return nope("rows of different shapes"),
                    }
                    if *width != words {
                        return nope("rows of different shapes");
                    }
                    for ((_, all), (_, s)) in all.iter_mut().zip(kept) {
                        *all = all.join(s).unwrap_or(*all);
                    }
                }
            }
            Ok(())
        })?;
        let Some((outer, leaf, words)) = found else { return nope("no rows at all") };
        Ok((self.b.use_var(total), Entries { at, outer, leaf, words }))
    }

    /// Whether the last parameter will be a leaf, so that entries are one for each of those before it.
    pub(super) fn is_leaf(&mut self, param: &Param, mv: &Move) -> bool {
        let Some(domain) = &param.domain else { return false };
        let span = mv.checks.is_empty() && matches!(domain, Domain::Range(..));
        span || self.most_of(param).is_ok_and(|most| most.is_none())
    }

    pub(super) fn most_of(&mut self, param: &Param) -> R<Option<i64>> {
        let Some(domain) = &param.domain else { return Ok(None) };
        if let Some(values) = self.fixed_here(domain) {
            return Ok(Some(values.len() as i64));
        }
        Ok(match domain {
            Domain::Values(e) => {
                self.type_element(&e.ty).filter(|of| of.sort != Sort::Int).map(|of| of.size())
            }
            _ => None,
        })
    }

    /// Binds the factors of legal row number `k` of an offer; the number of the row among the others.
    pub(super) fn take_factors(&mut self, rows: &Listed, k: V) -> V {
        if rows.factors.is_empty() {
            return k;
        }
        let mut ranks = self.b.ins().udiv(k, rows.inner);
        let whole = self.b.ins().imul(ranks, rows.inner);
        let rest = self.b.ins().isub(k, whole);
        for (i, factor) in rows.factors.iter().enumerate().rev() {
            let rank = match i {
                0 => ranks,
                _ => {
                    let rank = self.b.ins().urem(ranks, factor.count);
                    ranks = self.b.ins().udiv(ranks, factor.count);
                    rank
                }
            };
            let v = self.b.ins().iadd(factor.low.v, rank);
            let word = Word { v, s: Scalar { hi: factor.most, ..factor.low.s }, known: None };
            self.locals.bound.insert(factor.slot, Val::Word(word));
        }
        rest
    }

    /// Binds the arguments of listed row number `k`.
    pub(super) fn take(&mut self, entries: &Entries, k: V) -> R<()> {
        let size = i64::from(entries.words) * 8;
        let (entry, before) = match entries.leaf {
            // One row an entry: the entry's number is the row's.
            Stored::One => {
                let offset = self.b.ins().imul_imm(k, size);
                (self.b.ins().iadd(entries.at, offset), k)
            }
            _ => {
                let zero = self.int(0);
                let (at, before) = (self.var(entries.at), self.var(zero));
                let (head, on, found) = (self.block(), self.block(), self.block());
                self.jump(head);
                self.at(head);
                let here = self.b.use_var(at);
                let upto = self.load64(here, 0);
                let inside = self.cmp(IntCC::UnsignedLessThan, k, upto);
                self.fork(inside, found, on);
                self.at(on);
                self.b.def_var(before, upto);
                let next = self.b.ins().iadd_imm(here, size);
                self.b.def_var(at, next);
                self.jump(head);
                self.at(found);
                (self.b.use_var(at), self.b.use_var(before))
            }
        };
        let mut words = 1;
        for (slot, s) in &entries.outer {
            let v = self.load64(entry, words * 8);
            words += 1;
            self.locals.bound.insert(*slot, Val::Word(Word { v, s: *s, known: None }));
        }
        let rest = self.b.ins().isub(k, before);
        let bits_at = |this: &mut Self, of: Scalar| Bits {
            words: (0..of.words()).map(|i| this.load64(entry, (words + i as i32) * 8)).collect(),
            of,
        };
        let leaf = match &entries.leaf {
            Stored::One => Leaf::One(None),
            Stored::Bits(slot, of) => Leaf::Bits(*slot, bits_at(self, *of)),
            Stored::Pair(row, column, of) => Leaf::Pair(*row, *column, bits_at(self, *of)),
            Stored::Span(slot, s) => {
                let v = self.load64(entry, words * 8);
                let low = Word { v, s: *s, known: None };
                Leaf::Span(*slot, low, low)
            }
        };
        self.leaf_row(&leaf, rest)
    }
}
