//! Few rows: counting them, keeping them, and selecting one.

use crate::ir::{Domain, Expr, MoveId, Offer, Slot, Type, domain_parts};
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::control::UNCHARGED;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::{Kept, is_compound};
use crate::jit::layout::position::small;
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::{REGISTERS, declared_domain};
use crate::jit::lower::moves::pairs::Pair;
use crate::jit::lower::moves::row_set::{KnownRows, RowSet};
use crate::jit::mir::{IntCC, types};
use crate::opt::{Candidate, Candidates};

/// The maximum number of words of an entry, and of bytes of all entries of an offer. If there are more, rows
/// are only counted, and enumerated again to select one.
const MAX_ENTRY_WORDS: i64 = 2 + 8 + REGISTERS as i64 + 4;
const MAX_BYTES: i64 = 1 << 19;

/// An independent parameter.
pub struct Factor {
    pub slot: Slot,
    pub low: Word,
    pub most: i64,
    pub count: V,
}

/// The counted rows of an offer; listed beforehand if there are loops.
pub struct Listed {
    pub offer: usize,
    /// The factors before the other parameters, and those after them.
    pub outer: Vec<Factor>,
    pub inner: Vec<Factor>,
    /// The number of rows of the other parameters, and of all.
    pub others: V,
    pub count: V,
    pub selector: Selector,
}

/// A known value of a parameter, the number of rows for it, and their row set.
pub type ValueRows = (Val, V, RowSet);

/// The slots of the loop parameters, and how their values are kept.
pub type Outer = Vec<(Slot, Kept)>;

/// What is needed to select one of the rows.
pub enum Selector {
    /// A row set.
    RowSet(RowSet),
    /// A row set for each of a few known values of the parameter before it.
    Few(Slot, Vec<ValueRows>),
    /// Entries listed by loops.
    Entries(Entries),
    /// The rows were only counted, and are enumerated again.
    Counted,
}

/// Entries in scratch memory: the number of rows up to and including this entry, the outer arguments, and the
/// row set's words.
pub struct Entries {
    pub at: V,
    pub outer: Outer,
    pub row_set: RowSetForm,
    pub words: i32,
}

/// The form of the row set that an entry keeps.
#[derive(Clone, PartialEq, Eq)]
pub enum RowSetForm {
    One,
    Bits(Slot, Scalar),
    Pair(Box<Pair>, Scalar),
    Span(Slot, Scalar),
}

impl<'a> Builder<'a> {
    /// Counts an offer's legal rows, and keeps what is needed to select one.
    pub(in crate::jit) fn list_offer(
        &mut self,
        number: usize,
        offer: &Offer,
        seat: Word,
        known: &KnownRows,
    ) -> Result<Listed> {
        self.bind_offer(offer, seat)?;
        if let Some((_, rows)) = known.as_ref().filter(|(of, _)| *of == offer.mv) {
            let (count, selector) = (self.row_set_count(rows), Selector::RowSet(rows.clone()));
            self.unbind_offer(offer);
            let (outer, inner) = (Vec::new(), Vec::new());
            return Ok(Listed { offer: number, outer, inner, others: count, count, selector });
        }
        let of = self.candidates_of(offer.mv);
        let (first, last) = self.factors(of);
        let outer = self.factors_of(&of.params[..first])?;
        let inner = self.factors_of(&of.params[of.params.len() - last..])?;
        let params = &of.params[first..of.params.len() - last];
        let (others, selector) = match params {
            [] => {
                let mut holds = self.b.ins().iconst(types::I8, 1);
                for condition in &of.preconditions {
                    // Each condition is evaluated only if those before it hold.
                    let result = self.var(holds);
                    self.when(holds, |this| {
                        let own = this.condition(condition)?;
                        this.b.def_var(result, own);
                        Ok(())
                    })?;
                    holds = self.b.use_var(result);
                }
                let row_set = RowSet::One(Some(holds));
                (self.row_set_count(&row_set), Selector::RowSet(row_set))
            }
            _ => {
                let direct = match of.preconditions.is_empty() {
                    true => {
                        self.bind_names(of)?;
                        self.row_set(params, true)?
                    }
                    false => None,
                };
                match direct {
                    Some(row_set) => (self.row_set_count(&row_set), Selector::RowSet(row_set)),
                    None => {
                        let few = if of.preconditions.is_empty() { self.few_row_sets(params)? } else { None };
                        match few {
                            Some((count, few)) => (count, Selector::Few(params[0].slot, few)),
                            None if self.entries_fit(params)? => {
                                let (count, entries) = self.list_loops(of, params)?;
                                (count, Selector::Entries(entries))
                            }
                            None => (self.count_rows(of, params)?, Selector::Counted),
                        }
                    }
                }
            }
        };
        let mut count = others;
        for factor in inner.iter().chain(outer.iter().rev()) {
            let (product, over) = self.b.ins().smul_overflow(count, factor.count);
            self.bail_out_if(over);
            count = product;
        }
        self.unbind_offer(offer);
        Ok(Listed { offer: number, outer, inner, others, count, selector })
    }

    fn factors_of(&mut self, params: &[Candidate]) -> Result<Vec<Factor>> {
        let factor = |param: &Candidate| {
            let Some((low, high)) = self.ends(&param.domain, param.window.as_ref())? else {
                return unsupported("a factor without ends");
            };
            let count = self.span_len(low, high);
            Ok(Factor { slot: param.slot, low, most: high.s.hi.max(low.s.lo), count })
        };
        params.iter().map(factor).collect()
    }

    /// Returns a row set for each value of the first of two parameters, if it has few known values: then no
    /// rows need be listed.
    pub(in crate::jit) fn few_row_sets(
        &mut self,
        params: &[Candidate],
    ) -> Result<Option<(V, Vec<ValueRows>)>> {
        const MAX_VALUES: usize = 8;
        let [first, second] = params else { return Ok(None) };
        let Some(mut values) = self.known_elements(&first.domain) else { return Ok(None) };
        values.sort();
        values.dedup();
        if values.len() > MAX_VALUES || first.ty == Type::Square {
            return Ok(None);
        }
        let mut all = self.int(0);
        let mut few = Vec::new();
        for value in values {
            self.locals.bound.insert(first.slot, Val::Const(value.clone()));
            // The second is evaluated also where a condition of the first fails.
            let mut behind: Vec<&Expr> = first.predicates.iter().skip(1).chain(&second.predicates).collect();
            domain_parts(&second.domain, &mut behind);
            let guarded = !first.predicates.is_empty() && behind.into_iter().any(|e| self.may_fail(e));
            let row_set = if guarded { None } else { self.row_set(&params[1..], false)? };
            let Some(row_set) = row_set else {
                self.locals.bound.remove(&first.slot);
                return Ok(None);
            };
            let mut count = self.row_set_count(&row_set);
            let zero = self.int(0);
            for predicate in &first.predicates {
                let holds = self.condition(predicate)?;
                count = self.b.ins().select(holds, count, zero);
            }
            all = self.b.ins().iadd(all, count);
            few.push((Val::Const(value), count, row_set));
        }
        Ok(Some((all, few)))
    }

    /// Whether the rows of loops over parameters can be kept as entries: the arguments are single values, and
    /// those after the first have a known maximum number, with few enough combinations.
    fn entries_fit(&mut self, params: &[Candidate]) -> Result<bool> {
        const MAX_PARAMS: usize = 8;
        let squares = self.layout.squares;
        let mut entries = 1i64;
        for (i, param) in params.iter().enumerate() {
            if i == 0 || i + 1 < params.len() || !self.is_row_set(param) {
                // If no maximum is known here, it is checked at run time.
                entries = entries.saturating_mul(self.max_count(param)?.unwrap_or(1));
            }
            let Some(own) = self.type_scalar(&param.ty) else { return Ok(false) };
            // The last parameter, if it has no condition, is counted and drawn from as a whole.
            let at_once = i + 1 == params.len() && param.predicates.is_empty();
            let fits = match &param.domain {
                Domain::Range(..) | Domain::Ints | Domain::AtLeast(_) if i == 0 || at_once => true,
                Domain::Values(_) if i == 0 || self.max_count(param)?.is_some() => true,
                Domain::Values(e) => {
                    at_once && small(declared_domain(self.machine, e, squares).unwrap_or(own))
                }
                _ => self.max_count(param)?.is_some(),
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(params.len() <= MAX_PARAMS && entries.saturating_mul(MAX_ENTRY_WORDS * 8) <= MAX_BYTES)
    }

    /// Counts the rows by enumerating them.
    pub(in crate::jit) fn count_rows(&mut self, of: &'a Candidates, params: &'a [Candidate]) -> Result<V> {
        let zero = self.int(0);
        let total = self.var(zero);
        self.each_row_set(of, params, &mut |this, row_set| {
            let (so_far, count) = (this.b.use_var(total), this.row_set_count(&row_set));
            let sum = this.b.ins().iadd(so_far, count);
            this.b.def_var(total, sum);
            Ok(())
        })?;
        Ok(self.b.use_var(total))
    }

    /// Binds the arguments of row number `k` of a move by enumerating the rows up to it, then emits `on_row`.
    pub(in crate::jit) fn nth_counted(
        &mut self,
        mv: MoveId,
        k: V,
        on_row: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let of = self.candidates_of(mv);
        let (first, last) = self.factors(of);
        self.nth_row(of, &of.params[first..of.params.len() - last], k, on_row)
    }

    /// Does the same for row number `k` of some parameters of a candidate set.
    pub(in crate::jit) fn nth_row(
        &mut self,
        of: &'a Candidates,
        params: &'a [Candidate],
        k: V,
        on_row: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let rest = self.var(k);
        self.each_row_set(of, params, &mut |this, row_set| {
            let (k, count) = (this.b.use_var(rest), this.row_set_count(&row_set));
            let inside = this.cmp(IntCC::UnsignedLessThan, k, count);
            this.when(inside, |this| {
                this.bind_row(&row_set, k)?;
                on_row(this)?;
                Ok(())
            })?;
            let left = this.b.ins().isub(k, count);
            this.b.def_var(rest, left);
            Ok(())
        })
    }

    /// Lists the row sets of loops in scratch memory.
    fn list_loops(&mut self, of: &'a Candidates, params: &'a [Candidate]) -> Result<(V, Entries)> {
        // Allocate room for all entries, before the loops allocate scratch memory of their own.
        let mut room = self.int(MAX_ENTRY_WORDS * 8);
        let last = params.len() - 1;
        for (i, param) in params.iter().enumerate() {
            // The last parameter is a loop too, unless it is a row set with one entry for each combination of
            // those before it.
            let count = match i {
                0 => self.candidate_count(param)?,
                _ if i == last && self.is_row_set(param) => continue,
                _ => match self.max_count(param)? {
                    Some(most) => self.int(most),
                    None => return unsupported("moves whose number has no bound"),
                },
            };
            let (product, over) = self.b.ins().smul_overflow(room, count);
            self.bail_out_if(over);
            room = product;
        }
        let large = self.cmp_imm(IntCC::UnsignedGreaterThan, room, MAX_BYTES);
        self.bail_out_for(BailOutReason::Memory, large);
        let at = self.scratch(room);
        let end = self.b.ins().iadd(at, room);
        let place = self.var(at);
        let zero = self.int(0);
        let total = self.var(zero);
        let mut found: Option<(Outer, RowSetForm, i32)> = None;
        let keeps = params.iter().any(|param| is_compound(&param.ty));
        self.keeping_scratch(keeps, |this| {
            let mut entry = |this: &mut Self, row_set: RowSet| {
                let count = this.row_set_count(&row_set);
                let (some, on) = (this.block(), this.block());
                this.branch_on(count, some, on);
                this.switch_to(some);
                let so_far = this.b.use_var(total);
                let sum = this.b.ins().iadd(so_far, count);
                this.b.def_var(total, sum);
                let to = this.b.use_var(place);
                // A parameter that turned out not to be a row set may need more entries than expected.
                let widest = this.b.ins().iadd_imm_s(to, MAX_ENTRY_WORDS * 8);
                let full = this.cmp(IntCC::UnsignedGreaterThan, widest, end);
                this.bail_out_for(BailOutReason::Memory, full);
                this.store64(sum, to, 0);
                let own: Vec<Slot> = match &row_set {
                    RowSet::One(_) => Vec::new(),
                    RowSet::Bits(slot, _) | RowSet::Span(slot, ..) | RowSet::Rows(slot, ..) => vec![*slot],
                    RowSet::Pair(pair, _) => vec![pair.major.0, pair.minor.0],
                    RowSet::Steps(steps) => vec![steps.from, steps.to],
                };
                let mut words = 1;
                let mut outer = Vec::new();
                for param in params.iter().filter(|param| !own.contains(&param.slot)) {
                    let val = this.local(param.slot)?;
                    let (word, kept) = this.kept_argument(val, &param.ty)?;
                    this.store64(word, to, words * 8);
                    words += 1;
                    outer.push((param.slot, kept));
                }
                let stored = match &row_set {
                    RowSet::One(_) => RowSetForm::One,
                    RowSet::Bits(slot, bits) => {
                        bits.words.iter().for_each(|word| {
                            this.store64(*word, to, words * 8);
                            words += 1;
                        });
                        RowSetForm::Bits(*slot, bits.of)
                    }
                    RowSet::Pair(pair, bits) => {
                        bits.words.iter().for_each(|word| {
                            this.store64(*word, to, words * 8);
                            words += 1;
                        });
                        RowSetForm::Pair(pair.clone(), bits.of)
                    }
                    RowSet::Span(slot, low, high) => {
                        this.store64(low.v, to, words * 8);
                        words += 1;
                        RowSetForm::Span(*slot, Scalar { hi: high.s.hi.max(low.s.lo), ..low.s })
                    }
                    RowSet::Rows(..) | RowSet::Steps(..) => {
                        return unsupported("rows that are kept one by one");
                    }
                };
                if i64::from(words) > MAX_ENTRY_WORDS {
                    return unsupported("a move with very many parameters");
                }
                let next = this.b.ins().iadd_imm_s(to, i64::from(words) * 8);
                this.b.def_var(place, next);
                this.jump(on);
                this.switch_to(on);
                match &mut found {
                    None => found = Some((outer, stored, words)),
                    // Unrolled loops: every iteration stores the same words, but with its own ranges.
                    Some((all, row_set, width)) => {
                        match (row_set, stored) {
                            (RowSetForm::Span(_, s), RowSetForm::Span(_, other)) => {
                                *s = s.join(other).unwrap_or(*s)
                            }
                            (row_set, stored) if *row_set == stored => {}
                            _ => return unsupported("rows of different shapes"),
                        }
                        if *width != words {
                            return unsupported("rows of different shapes");
                        }
                        for ((_, all), (_, s)) in all.iter_mut().zip(outer) {
                            let Some(joined) = all.join(&s) else {
                                return unsupported("rows of different shapes");
                            };
                            *all = joined;
                        }
                    }
                }
                Ok(())
            };
            this.each_row_set(of, params, &mut |this, row_set| match &row_set {
                RowSet::One(_) | RowSet::Bits(..) | RowSet::Pair(..) | RowSet::Span(..) => {
                    entry(this, row_set)
                }
                // Other rows are kept one by one.
                _ => {
                    let count = this.row_set_count(&row_set);
                    this.each_below(count, None, |this, k, _| {
                        this.bind_row(&row_set, k)?;
                        entry(this, RowSet::One(None))
                    })
                }
            })
        })?;
        let Some((outer, row_set, words)) = found else { return unsupported("no rows at all") };
        if !keeps {
            // There are seldom as many entries as there is room for.
            let used = self.b.use_var(place);
            self.release_scratch(used);
        }
        Ok((self.b.use_var(total), Entries { at, outer, row_set, words }))
    }

    /// Whether the last parameter will be a row set, so that there is one entry for each combination of those
    /// before it.
    fn is_row_set(&mut self, param: &Candidate) -> bool {
        let span = param.predicates.is_empty() && matches!(param.domain, Domain::Range(..));
        span || self.max_count(param).is_ok_and(|most| most.is_none())
    }

    /// Returns the number of values of a parameter before conditions are tested.
    fn candidate_count(&mut self, param: &Candidate) -> Result<V> {
        let known = self.max_count(param)?;
        match known {
            Some(most) => Ok(self.int(most)),
            None => Ok(self.candidate_rows(param)?.0),
        }
    }

    fn max_count(&mut self, param: &Candidate) -> Result<Option<i64>> {
        if param.legal_rows {
            return Ok(None);
        }
        if let Some(values) = self.known_elements(&param.domain) {
            return Ok(Some(values.len() as i64));
        }
        Ok(match &param.domain {
            Domain::Values(e) => self.type_element(&e.ty).and_then(Scalar::small_size),
            Domain::Range(..) => param.most,
            _ => None,
        })
    }

    /// Binds the factors of legal row number `k` of an offer. Returns the row's number among the other
    /// parameters' rows.
    pub(in crate::jit) fn bind_factors(&mut self, rows: &Listed, k: V) -> V {
        let counts = |factors: &[Factor]| factors.iter().map(|factor| factor.count).collect::<Vec<V>>();
        let mut ranks =
            self.parts_of_rank(k, &[counts(&rows.outer), vec![rows.others], counts(&rows.inner)].concat());
        let rest = ranks.remove(rows.outer.len());
        for (factor, rank) in rows.outer.iter().chain(&rows.inner).zip(ranks) {
            let v = self.b.ins().iadd(factor.low.v, rank);
            let word = Word { v, s: Scalar { hi: factor.most, ..factor.low.s }, known: None };
            self.locals.bound.insert(factor.slot, Val::Word(word));
        }
        rest
    }

    /// Binds the arguments of listed row number `k`.
    pub(in crate::jit) fn bind_listed_row(&mut self, entries: &Entries, k: V) -> Result<()> {
        let size = i64::from(entries.words) * 8;
        let (entry, before) = match entries.row_set {
            // One row per entry: the entry's number is the row's.
            RowSetForm::One => {
                let offset = self.b.ins().imul_imm_s(k, size);
                (self.b.ins().iadd(entries.at, offset), k)
            }
            _ => {
                let zero = self.int(0);
                let beyond = |this: &mut Self, [here, _]: [V; 2]| {
                    let upto = this.load64(here, 0);
                    this.cmp(IntCC::UnsignedGreaterThanOrEqual, k, upto)
                };
                let [at, before] =
                    self.repeat([entries.at, zero], UNCHARGED, beyond, |this, [here, _], _| {
                        Ok([this.b.ins().iadd_imm_s(here, size), this.load64(here, 0)])
                    })?;
                (at, before)
            }
        };
        let mut words = 1;
        for (slot, kept) in &entries.outer {
            let word = self.load64(entry, words * 8);
            words += 1;
            let val = self.named(word, kept);
            self.locals.bound.insert(*slot, val);
        }
        let rest = self.b.ins().isub(k, before);
        let bits_at = |this: &mut Self, of: Scalar| Bits {
            words: (0..of.words()).map(|i| this.load64(entry, (words + i as i32) * 8)).collect(),
            of,
        };
        let row_set = match &entries.row_set {
            RowSetForm::One => RowSet::One(None),
            RowSetForm::Bits(slot, of) => RowSet::Bits(*slot, bits_at(self, *of)),
            RowSetForm::Pair(pair, of) => RowSet::Pair(pair.clone(), bits_at(self, *of)),
            RowSetForm::Span(slot, s) => {
                let v = self.load64(entry, words * 8);
                let low = Word { v, s: *s, known: None };
                RowSet::Span(*slot, low, low)
            }
        };
        self.bind_row(&row_set, rest)
    }
}
