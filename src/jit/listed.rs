//! Few rows: counted, kept, and one of them taken.

use cranelift::prelude::*;

use super::generate::{Gen, R, V, nope};
use super::leaf::Leaf;
use super::layout::small;
use super::legal::chosen;
use super::shape::Scalar;
use super::slots::{REGISTERS, stored};
use super::value::{Bits, Val, Word};
use crate::ir::{Domain, Move, Offer, Param, Slot};

/// A parameter that nothing looks at.
pub struct Factor {
    pub slot: Slot,
    pub low: Word,
    pub most: i64,
    pub count: V,
}

/// An offer's rows: listed beforehand where there are loops.
pub struct Listed {
    pub offer: usize,
    pub factors: Vec<Factor>,
    pub count: V,
    pub inner: V,
    pub kept: Kept,
}

/// A known value of a parameter: how many rows there are for it, and their leaf.
pub type Case = (Val, V, Leaf);

/// The arguments that loops have bound.
pub type Outer = Vec<(Slot, Scalar)>;

/// What is needed to take one of the rows.
pub enum Kept {
    /// A leaf.
    Leaf(Leaf),
    /// A leaf for each of few known values of the parameter before it.
    Few(Slot, Vec<Case>),
    /// Entries listed under loops.
    Entries(Entries),
    /// They were only counted, and are gone through once more.
    Counted,
}

/// Entries in scratch memory: how many rows up to and with this one, the outer arguments, the leaf's words.
pub struct Entries {
    pub at: V,
    pub outer: Outer,
    pub leaf: Stored,
    pub words: i32,
}

/// What is kept of a leaf.
#[derive(Clone, PartialEq, Eq)]
pub enum Stored {
    One,
    Bits(Slot, Scalar),
    Pair(Slot, Slot, Scalar),
    Span(Slot, Scalar),
}

impl Gen<'_> {
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
                None if self.entries_fit(mv, &params[skip..])? => {
                    let (count, entries) = self.list_loops(mv, &params, skip)?;
                    Listed { offer: number, factors, count, inner: count, kept: Kept::Entries(entries) }
                }
                None => {
                    let zero = self.int(0);
                    let total = self.var(zero);
                    self.each_leaf(mv, &params, skip, &mut |this, leaf| {
                        let (so_far, count) = (this.b.use_var(total), this.leaf_count(&leaf));
                        let sum = this.b.ins().iadd(so_far, count);
                        this.b.def_var(total, sum);
                        Ok(())
                    })?;
                    let count = self.b.use_var(total);
                    Listed { offer: number, factors, count, inner: count, kept: Kept::Counted }
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
    ) -> R<Option<(V, Vec<Case>)>> {
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

    /// Whether the rows of loops over parameters can be kept as entries: single values, and of those behind the first
    /// it is known how many there are at most.
    fn entries_fit(&mut self, mv: &Move, params: &[&Param]) -> R<bool> {
        const MOST: usize = 8;
        let squares = self.layout.squares;
        for (i, param) in params.iter().enumerate() {
            let (Some(domain), Some(own)) = (&param.domain, self.type_scalar(&param.ty)) else { return Ok(false) };
            // As the last one, and without a check, it is counted and drawn from at once.
            let at_once = i + 1 == params.len() && mv.checks.is_empty();
            let fits = match domain {
                Domain::Range(..) | Domain::Ints if i == 0 || at_once => true,
                Domain::Values(_) if i == 0 || self.most_of(param)?.is_some() => true,
                Domain::Values(e) => at_once && small(stored(self.machine, e, squares).unwrap_or(own)),
                _ => self.most_of(param)?.is_some(),
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(params.len() <= MOST)
    }

    /// Binds the arguments of row number `k` of an offer's rows, which are gone through until it comes.
    pub(super) fn nth_counted(
        &mut self,
        mv: &Move,
        k: V,
        taken: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let params = chosen(mv);
        let skip = self.factors(mv, &params);
        let rest = self.var(k);
        self.each_leaf(mv, &params, skip, &mut |this, leaf| {
            let (k, count) = (this.b.use_var(rest), this.leaf_count(&leaf));
            let (here, on) = (this.block(), this.block());
            let inside = this.cmp(IntCC::UnsignedLessThan, k, count);
            this.fork(inside, here, on);
            this.at(here);
            this.leaf_row(&leaf, k)?;
            taken(this)?;
            this.jump(on);
            this.at(on);
            let left = this.b.ins().isub(k, count);
            this.b.def_var(rest, left);
            Ok(())
        })
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
        let mut found: Option<(Outer, Stored, i32)> = None;
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
                Leaf::Bits(slot, _) | Leaf::Span(slot, ..) => vec![*slot],
                Leaf::Rows(slot, ..) | Leaf::Items(slot, _) | Leaf::Asked(slot, ..) => vec![*slot],
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
                Leaf::Rows(..) | Leaf::Moves(..) | Leaf::Items(..) | Leaf::Asked(..) => {
                    return nope("rows within rows");
                }
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
                self.type_element(&e.ty).and_then(Scalar::few)
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
                self.at_loop(head);
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
