//! Loops over domains and collections, element by element.

use std::rc::Rc;

use crate::ir::{
    Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value as Known, children_mut, free_slots,
};
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::{Scalar, Shape, is_consecutive};
use crate::jit::layout::slots::words_of;
use crate::jit::lower::expr::lines::Reached;
use crate::jit::lower::expr::regions::regions_source;
use crate::jit::mir::{Block, Variable, types};

/// The most copies of the body of nested loops that are unrolled.
const MAX_COPIES: usize = 16;

impl Builder<'_> {
    // ---- loops

    /// Loops over a binder's elements that pass its filter. The body may jump to `done`, where code
    /// continues.
    pub(in crate::jit) fn each_fold_element(
        &mut self,
        fold: &Fold,
        depth: usize,
        done: Block,
        body: &mut dyn FnMut(&mut Self, &Expr) -> Result<()>,
    ) -> Result<()> {
        let Some(source) = fold.sources.get(depth) else {
            if fold.filter.is_none() && fold.stop.is_none() {
                return body(self, &fold.body);
            }
            let skip = self.block();
            if let Some(filter) = &fold.filter {
                let mark = self.b.use_var(self.run.scratch);
                let (on, off) = (self.block(), if self.keeps_scratch { self.block() } else { skip });
                self.branch(filter, on, off)?;
                if self.keeps_scratch {
                    // Even so, nothing that the filter computes is kept.
                    self.switch_to(off);
                    self.b.def_var(self.run.scratch, mark);
                    self.jump(skip);
                }
                self.switch_to(on);
                self.b.def_var(self.run.scratch, mark);
            }
            if let Some(stop) = &fold.stop {
                let on = self.block();
                self.branch(stop, on, done)?;
                self.switch_to(on);
            }
            body(self, &fold.body)?;
            self.jump(skip);
            self.switch_to(skip);
            return Ok(());
        };
        if depth > 0 || !self.each_selected(fold, body)? {
            self.each_source(fold, source, &mut |this| this.each_fold_element(fold, depth + 1, done, body))?;
        }
        if depth == 0 {
            self.jump(done);
            self.switch_to(done);
        }
        Ok(())
    }

    /// Loops over the elements of a binder's source; those of a large set in any order, if the result is the same.
    fn each_source(
        &mut self,
        fold: &Fold,
        source: &Source,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let state = match &source.domain {
            Domain::Values(Expr { kind: ExprKind::Table(state) | ExprKind::Own(state, _), .. }) => {
                Some(*state)
            }
            _ => None,
        };
        let kinds = matches!(fold.kind, FoldKind::First | FoldKind::List | FoldKind::Reach);
        let ordered = kinds || fold.stop.is_some();
        if let (Some(state), Domain::Values(e), false) = (state, &source.domain, ordered)
            && let Shape::Pool(_) = self.layout.states[state].shape
            && let Val::Pool { handle, of } = self.expr(e)?
        {
            return self.each_entry(handle, &of, &source.slots, body);
        }
        self.each_of(&source.domain, &source.slots, body)
    }

    /// Loops over the elements of a domain that pass a filter that is evaluated for all of them at once. Where
    /// the body depends on an element only through what can be reached from it, elements that reach one another
    /// are visited once, if a result counts once. Returns `false` if the binder has another form.
    fn each_selected(
        &mut self,
        fold: &Fold,
        body: &mut dyn FnMut(&mut Self, &Expr) -> Result<()>,
    ) -> Result<bool> {
        const MANY: usize = 8;
        use FoldKind as F;
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return Ok(false) };
        let [slot] = source.slots.as_slice() else { return Ok(false) };
        let counts_once = fold.kind.counts_once();
        let unordered =
            counts_once || matches!(fold.kind, F::Sum | F::Product | F::Xor | F::Gcd | F::Lcm | F::Bag);
        let name = self.hidden_slot();
        let shared = if counts_once { shared_reach(&fold.body, *slot, name) } else { None };
        if fold.filter.is_none() && shared.is_none() {
            return Ok(false);
        }
        let ascending = match self.known_elements(&source.domain) {
            Some(values) if values.len() < MANY => return Ok(false),
            Some(values) => values.windows(2).all(|pair| pair[0] < pair[1]),
            None => matches!(&source.domain, Domain::Values(e) if matches!(e.ty, Type::Set(_))),
        };
        if !unordered && !ascending {
            return Ok(false);
        }
        let Some((Bits { mut words, of }, universe)) = self.domain_bits(&source.domain)? else {
            return Ok(false);
        };
        if let Some(filter) = &fold.filter {
            let Some(mask) = self.with_every(*slot, |this| this.bit_parallel(filter, &universe))? else {
                return Ok(false);
            };
            words = words.iter().zip(mask).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        }
        let Some((reach, rest)) = shared else {
            self.each_in(Val::Bits(Bits { words, of }), &source.slots, &mut |this| body(this, &fold.body))?;
            return Ok(true);
        };
        let left: Vec<Variable> = words.into_iter().map(|word| self.var(word)).collect();
        self.while_any_bit(&left, of, Some(of.size()), |this, open, _| {
            let at = this.lowest_or_highest_bit(open, true);
            let element = Word { v: this.b.ins().iadd_imm_s(at, of.lo), s: of, known: None };
            this.clear_bit(&left, at);
            this.bind(&[*slot], Val::Word(element))?;
            let reached = match &reach.kind {
                ExprKind::Fold(fold) => this.bit_parallel_reach(fold)?,
                _ => None,
            };
            let val = match reached {
                None => this.expr(&reach)?,
                Some(Reached { squares, together }) => {
                    if let Some(together) = together.filter(|_| of == squares.of) {
                        let mutual = this.has_bit(&Bits { words: together, of }, element);
                        let mutual = this.b.ins().uextend(types::I64, mutual);
                        let mutual = this.b.ins().ineg(mutual);
                        for (var, word) in left.iter().zip(&squares.words) {
                            let (so_far, same) = (this.b.use_var(*var), this.b.ins().band(*word, mutual));
                            let rest = this.b.ins().band_not(so_far, same);
                            this.b.def_var(*var, rest);
                        }
                    }
                    Val::Bits(squares)
                }
            };
            this.bind(&[name], val)?;
            body(this, &rest)
        })?;
        Ok(true)
    }

    /// Loops while a bit is set in `left`, at most `trips` times if a bound is known; `body` must clear bits. It gets
    /// the bits, and the block to go on to with the next ones.
    pub(in crate::jit) fn while_any_bit(
        &mut self,
        left: &[Variable],
        of: Scalar,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, &Bits, Block) -> Result<()>,
    ) -> Result<()> {
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let open = Bits { words: left.iter().map(|var| self.b.use_var(*var)).collect(), of };
        let any = self.any_bit(&open);
        self.branch_on(any, inside, exit);
        self.switch_to(inside);
        self.times(trips, |this| body(this, &open, head))?;
        self.jump(head);
        self.switch_to(exit);
        Ok(())
    }

    /// Binds a value to a slot, or the parts of a tuple to several.
    pub fn bind(&mut self, slots: &[Slot], val: Val) -> Result<()> {
        match (slots, val) {
            ([slot], val) => {
                self.locals.bound.insert(*slot, val);
            }
            (slots, Val::Const(Known::List(parts))) => {
                for (slot, part) in slots.iter().zip(parts.iter()) {
                    self.locals.bound.insert(*slot, Val::Const(part.clone()));
                }
            }
            (slots, other) => match self.tuple_parts(&other, slots.len()) {
                Some(parts) => {
                    for (slot, part) in slots.iter().zip(parts) {
                        self.locals.bound.insert(*slot, part);
                    }
                }
                None => return unsupported(format!("{} taken apart", other.kind())),
            },
        }
        Ok(())
    }

    /// Loops over a domain's elements in order, bound to slots.
    pub fn each_of(
        &mut self,
        domain: &Domain,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if let Some(values) = self.known_elements(domain) {
            return self.each_known(&values, &domain.element(), slots, body);
        }
        match domain {
            Domain::Range(low, high) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                self.each_between(low, high, slots, body)
            }
            Domain::Values(e) => {
                if let Some(squares) = regions_source(e)
                    && !self.is_marked(&MarkedPart::of(e))
                {
                    let result = self.each_region(squares, &mut |this, region| {
                        this.bind(slots, region)?;
                        body(this)
                    });
                    return result.map_err(|unsupported| unsupported.blame(|| MarkedPart::of(e)));
                }
                if let ExprKind::List(parts) = &e.kind
                    && e.ty.element().is_none_or(|of| self.type_scalar(&of).is_none())
                    && self.unrolled * parts.len() <= MAX_COPIES
                {
                    return self.each_part(parts, slots, body);
                }
                let val = match self.expr(e)? {
                    Val::Const(value) => {
                        let values = crate::eval::elements(&value);
                        return self.each_known(&values, &domain.element(), slots, body);
                    }
                    // Values kept by the reference are fetched one by one.
                    Val::Opaque(_) => return self.each_interpreted(domain, false, slots, body),
                    val => val,
                };
                self.each_in(val, slots, body)
            }
            Domain::Subsets(of, Some(size)) => {
                let Some(Known::Int(size)) = self.constant(size) else {
                    return self.each_interpreted(domain, false, slots, body);
                };
                let Some(size) = size.as_usize().filter(|n| *n <= 4) else {
                    return self.each_interpreted(domain, false, slots, body);
                };
                let val = self.expr(of)?;
                let universe = match &val {
                    Val::Bits(bits) | Val::Members(bits) => bits.of,
                    _ => return self.each_interpreted(domain, false, slots, body),
                };
                let list = self.list(val)?;
                let zero = self.int(0);
                let none = vec![zero; universe.words()];
                self.subsets(list, universe, size, zero, none, slots, body)
            }
            Domain::Tuples(parts) if parts.len() == slots.len() => self.each_tuple(parts, slots, body),
            Domain::Tuples(parts) => {
                let [slot] = slots else { return unsupported("a row taken apart") };
                self.in_parts(parts.len(), *slot, body, |this, slots, body| {
                    this.each_tuple(parts, slots, body)
                })
            }
            _ => match self.described_rows(domain, None)? {
                Some((count, rows)) => self.each_below(count, None, |this, rank, _| {
                    let mark = this.b.use_var(this.run.scratch);
                    let val = this.row_at(&rows, rank)?;
                    this.bind(slots, val)?;
                    body(this)?;
                    this.release_scratch(mark);
                    Ok(())
                }),
                None => self.each_interpreted(domain, false, slots, body),
            },
        }
    }

    pub(in crate::jit) fn each_tuple(
        &mut self,
        parts: &[Domain],
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some((first, rest)) = parts.split_first() else { return body(self) };
        self.each_of(first, &slots[..1], &mut |this| this.each_tuple(rest, &slots[1..], body))
    }

    #[allow(clippy::too_many_arguments)]
    pub(in crate::jit) fn subsets(
        &mut self,
        list: List,
        of: Scalar,
        size: usize,
        from: V,
        chosen: Vec<V>,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if size == 0 {
            self.bind(slots, Val::Bits(Bits { words: chosen, of }))?;
            return body(self);
        }
        let last = self.b.ins().iadd_imm_s(list.len, -1);
        self.each_int(from, last, list.most, |this, i, _| {
            let item = this.element(list, i);
            let vars: Vec<Variable> = chosen.iter().map(|word| this.var(*word)).collect();
            this.set_bit(&vars, of, item.v);
            let words = vars.iter().map(|var| this.b.use_var(*var)).collect();
            let next = this.b.ins().iadd_imm_s(i, 1);
            this.subsets(list, of, size - 1, next, words, slots, body)
        })
    }

    pub(in crate::jit) fn each_between(
        &mut self,
        low: Word,
        high: Word,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let trips = high.s.hi.saturating_sub(low.s.lo).saturating_add(1);
        let s = Scalar::int(low.s.lo, high.s.hi.max(low.s.lo));
        self.each_int(low.v, high.v, Some(trips), |this, v, _| {
            this.bind(slots, Val::Word(Word { v, s, known: None }))?;
            body(this)
        })
    }

    /// Unrolls a loop over a list written out whose elements fit no word. All of them are evaluated before the first
    /// is used, as the reference does.
    fn each_part(
        &mut self,
        parts: &[Expr],
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let vals = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<Val>>>()?;
        let around = self.unrolled;
        self.unrolled *= parts.len().max(1);
        for val in vals {
            self.bind(slots, val)?;
            body(self)?;
        }
        self.unrolled = around;
        Ok(())
    }

    /// Runs a loop over tuples that binds one slot for each part, so that another slot is the whole tuple.
    pub(in crate::jit) fn in_parts(
        &mut self,
        count: usize,
        whole: Slot,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
        each: impl FnOnce(&mut Self, &[Slot], &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let hidden: Vec<Slot> = (0..count).map(|_| self.hidden_slot()).collect();
        each(self, &hidden, &mut |this| {
            let parts: Result<Vec<Val>> = hidden.iter().map(|slot| this.local(*slot)).collect();
            this.locals.bound.insert(whole, Val::Tuple(parts?));
            body(this)
        })
    }

    /// Generates `body` once for each of some known values, which is a constant there.
    pub(in crate::jit) fn for_each_constant(
        &mut self,
        values: &[Known],
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let around = self.unrolled;
        self.unrolled *= values.len().max(1);
        for value in values {
            self.bind(slots, Val::Const(value.clone()))?;
            body(self)?;
        }
        self.unrolled = around;
        Ok(())
    }

    /// Loops over known values of a type; if there are several slots, each is bound to a part of the value.
    pub(in crate::jit) fn each_known(
        &mut self,
        values: &[Known],
        ty: &Type,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if let (Type::Tuple(parts), [slot]) = (ty, slots)
            && !is_compound(ty)
            && !values.contains(&Known::None)
        {
            return self.in_parts(parts.len(), *slot, body, |this, slots, body| {
                this.each_known(values, ty, slots, body)
            });
        }
        // Unrolls loops over few values, limiting the total number of copies of nested loops. Once the
        // unrolled code is long, the remaining values share a loop.
        const MAX_UNROLLED: usize = 6;
        const MAX_INSTS: usize = 250;
        let mut values = values;
        if values.len() <= MAX_UNROLLED && self.unrolled * values.len() <= MAX_COPIES {
            let around = self.unrolled;
            self.unrolled *= values.len().max(1);
            let begun = self.b.func.num_insts();
            while let Some((value, rest)) = values.split_first() {
                if rest.len() > 1 && self.b.func.num_insts() - begun > MAX_INSTS {
                    break;
                }
                self.bind(slots, Val::Const(value.clone()))?;
                body(self)?;
                values = rest;
            }
            self.unrolled = around;
            if values.is_empty() {
                return Ok(());
            }
        }
        // Static rows side by side, one for each slot.
        let squares = self.layout.squares;
        let columns: Vec<Vec<Known>> = match slots {
            [_] => vec![values.to_vec()],
            slots => (0..slots.len())
                .map(|at| {
                    let part = |value: &Known| match value {
                        Known::List(parts) => parts.get(at).cloned(),
                        _ => None,
                    };
                    values.iter().map(part).collect::<Option<Vec<Known>>>().unwrap_or_default()
                })
                .collect(),
        };
        if columns.iter().any(|column| column.len() != values.len()) {
            return unsupported("values of different shapes gone through");
        }
        let words: Vec<Option<(Vec<i64>, Scalar)>> =
            columns.iter().map(|column| words_of(column, squares)).collect();
        let trips = Some(values.len() as i64);
        if let [Some((words, s))] = words.as_slice()
            && is_consecutive(words)
            && !s.optional
        {
            let (lo, hi, s) = (self.int(s.lo), self.int(s.hi), *s);
            return self.each_int(lo, hi, trips, |this, v, _| {
                this.bind(slots, Val::Word(Word { v, s, known: None }))?;
                body(this)
            });
        }
        let (zero, last) = (self.int(0), self.int(values.len() as i64 - 1));
        let alone: Option<Rc<[Known]>> = (slots.len() == 1).then(|| values.into());
        self.each_int(zero, last, trips, |this, i, _| {
            for (at, ((words, column), slot)) in words.iter().zip(&columns).zip(slots).enumerate() {
                let val = match words {
                    Some((words, s)) => {
                        let place = this.static_entry(words.clone(), i, 1);
                        Val::Word(Word { v: this.load64(place, 0), s: *s, known: None })
                    }
                    None => {
                        let ty = match ty {
                            Type::Tuple(parts) if slots.len() > 1 => &parts[at],
                            ty => ty,
                        };
                        let column: Vec<Option<Known>> = column.iter().cloned().map(Some).collect();
                        let Some(val) = this.one_of_known(i, &column, ty)? else {
                            return unsupported("lists of large values gone through");
                        };
                        if let (Some(lists), Val::List(_)) = (&alone, &val) {
                            this.locals.one_of.insert(*slot, (i, lists.clone()));
                        }
                        val
                    }
                };
                this.locals.bound.insert(*slot, val);
            }
            body(this)
        })
    }

    /// Loops over the values of a collection.
    pub fn each_value_in(
        &mut self,
        collection: Val,
        mut body: impl FnMut(&mut Self, Val) -> Result<()>,
    ) -> Result<()> {
        let slot = self.hidden_slot();
        let result = self.each_in(collection, &[slot], &mut |this| {
            let val = this.local(slot)?;
            body(this, val)
        });
        self.locals.bound.remove(&slot);
        result
    }

    /// Loops over a collection.
    pub fn each_in(
        &mut self,
        val: Val,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match val {
            Val::Bits(bits) | Val::Members(bits) => {
                let of = bits.of;
                self.each_bit(&bits.words, Some(of.size()), |this, bit, _| {
                    let v = if of.lo == 0 { bit } else { this.b.ins().iadd_imm_s(bit, of.lo) };
                    this.bind(slots, Val::Word(Word { v, s: of, known: None }))?;
                    body(this)
                })
            }
            Val::MemoryBits { at, of } => {
                let (zero, last) = (self.int(0), self.int(of.words() as i64 - 1));
                self.each_int(zero, last, Some(of.words() as i64), |this, i, _| {
                    let place = this.entry_at(at, i, 8);
                    let word = this.load64(place, 0);
                    let first = this.b.ins().ishl_imm_s(i, 6);
                    // Charged per set bit, because large sets are mostly empty.
                    this.each_bit(&[word], None, |this, bit, _| {
                        let sum = this.b.ins().iadd(first, bit);
                        let v = this.b.ins().iadd_imm_s(sum, of.lo);
                        this.bind(slots, Val::Word(Word { v, s: of, known: None }))?;
                        body(this)
                    })
                })
            }
            Val::Span(low, high) => self.each_between(low, high, slots, body),
            Val::Keyed { shape, .. } => self.each_key(shape.keys, |this, key| {
                this.bind(slots, Val::Word(key))?;
                body(this)
            }),
            Val::Cells { at, cells } => self.each_cell(at, &cells, slots, body),
            Val::Counts { at, of } => {
                let (lo, hi) = (self.int(of.lo), self.int(of.hi));
                self.each_int(lo, hi, Some(of.size()), |this, v, _| {
                    let times = this.count_of(at, of, Word { v, s: of, known: None });
                    let one = this.int(1);
                    this.each_int(one, times, None, |this, _, _| {
                        this.bind(slots, Val::Word(Word { v, s: of, known: None }))?;
                        body(this)
                    })
                })
            }
            Val::BagOfList(list) => {
                let sorted = self.sorted(list)?;
                self.each_in(Val::List(sorted), slots, body)
            }
            other => {
                let list = self.any_list(other)?;
                self.each_item(list, |this, item, _| {
                    let val = this.opened(item);
                    this.bind(slots, val)?;
                    body(this)
                })
            }
        }
    }
}

/// If an expression depends on a local value only through what can be reached from it, returns that `reach` and
/// the expression with a name in its place.
fn shared_reach(e: &Expr, slot: Slot, name: Slot) -> Option<(Expr, Expr)> {
    fn replaced(e: &mut Expr, slot: Slot, name: Slot, free: &[Slot]) -> Option<Expr> {
        if let ExprKind::Fold(fold) = &e.kind
            && fold.kind == FoldKind::Reach
            && let [Source { domain: Domain::Values(start), .. }] = fold.sources.as_slice()
            && let ExprKind::List(parts) | ExprKind::Set(parts) = &start.kind
            && matches!(parts.as_slice(), [Expr { kind: ExprKind::Local(own), .. }] if *own == slot)
            && free_slots(e).iter().all(|read| free.contains(read))
        {
            let named = Expr { kind: ExprKind::Local(name), ty: e.ty.clone(), span: e.span };
            return Some(std::mem::replace(e, named));
        }
        let mut found = None;
        children_mut(e, &mut |part| {
            if found.is_none() {
                found = replaced(part, slot, name, free);
            }
        });
        found
    }
    let mut rest = e.clone();
    let reach = replaced(&mut rest, slot, name, &free_slots(e))?;
    (!free_slots(&rest).contains(&slot)).then_some((reach, rest))
}
