//! Legal moves: whether there is one, one drawn at random, all of them.
//!
//! An offer is gone through parameter by parameter. What the last ones range over becomes a leaf that is counted and
//! drawn from at once: the bits of a set, a span of integers, the rows of a domain that nothing restricts. Parameters
//! before it are loops; those that nothing looks at are factors.

use cranelift::prelude::*;

use super::bulk::Universe;
use super::generate::{Gen, R, V, nope};
use super::shape::{NONE, Scalar, Sort};
use super::slots::{REGISTERS, range_of};
use super::table;
use super::value::{Bits, List, Val, Word};
use crate::ir::{
    Choice, Domain, Expr, ExprKind, Fold, FoldKind, Move, MoveCheck, Offer, Param, Slot, Type, domain_parts,
};

/// Up to how many rows the reference lists rather than draws until one is legal.
const FEW: i64 = 64;

/// Rows that are counted and drawn from together.
enum Leaf {
    /// One row, where a condition holds.
    One(Option<V>),
    /// The elements of a set.
    Bits(Slot, Bits),
    /// The squares of a set, as rows and columns.
    Pair(Slot, Slot, Bits),
    /// From some squares to others that lie so far from them: the distances, ascending, and from which squares each.
    Moves(Slot, Slot, Scalar, Vec<(i64, Vec<V>)>),
    /// A span of integers.
    Span(Slot, Word, Word),
    /// Rows of a domain by their rank: how many, and what they are.
    Rows(Slot, V, Rows),
}

/// Domains of rows.
#[derive(Clone)]
enum Rows {
    Permutations(List),
    Arrangements { size: V, n: V, first: Scalar },
}

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

/// What is done with a drawn or listed row.
pub type Taken<'t> = &'t mut dyn FnMut(&mut Gen, usize, &[Val]) -> R<()>;

fn chosen(mv: &Move) -> Vec<&Param> {
    mv.params.iter().filter(|param| param.domain.is_some()).collect()
}

fn reads(e: &Expr, slot: Slot) -> bool {
    table::free_slots(e).contains(&slot)
}

fn domain_reads(domain: &Domain, slot: Slot) -> bool {
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().any(|part| reads(part, slot))
}

/// Whether a check reads a slot, by itself or through a value it names.
fn checks_read(mv: &Move, slot: Slot) -> bool {
    mv.checks.iter().any(|check| match check {
        MoveCheck::Let(_, e) => reads(e, slot),
        MoveCheck::Need { cond, .. } | MoveCheck::Prefer { cond, .. } => reads(cond, slot),
    })
}

/// Whether a parameter's domain or window reads a slot.
fn param_reads(param: &Param, slot: Slot) -> bool {
    param.domain.as_ref().is_some_and(|domain| domain_reads(domain, slot))
        || param.window.as_ref().is_some_and(|(low, high)| reads(low, slot) || reads(high, slot))
}

/// Whether a parameter's domain or window reads a parameter before it.
fn dependent(mv: &Move) -> bool {
    let params = chosen(mv);
    params
        .iter()
        .enumerate()
        .any(|(i, param)| params[..i].iter().any(|before| param_reads(param, before.slot)))
}

fn needs(mv: &Move) -> bool {
    mv.checks.iter().any(|check| matches!(check, MoveCheck::Need { .. }))
}

impl Gen<'_> {
    /// Binds who moves and what the play gives.
    fn enter(&mut self, offer: &Offer, seat: Word) -> R<()> {
        let mv = &self.machine.game.moves[offer.mv];
        if mv.checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. })) {
            return nope(format!("`{}` has a need that binds only where possible", mv.name));
        }
        let mut given = Vec::new();
        for e in &offer.given {
            given.push(self.expr(e)?);
        }
        let params = mv.params.iter().filter(|param| param.domain.is_none());
        for (param, val) in params.zip(given) {
            self.locals.bound.insert(param.slot, val);
        }
        self.locals.bound.insert(mv.me, Val::Word(seat));
        Ok(())
    }

    /// Takes the names of a move away again.
    fn leave(&mut self, offer: &Offer) {
        let mv = &self.machine.game.moves[offer.mv];
        self.locals.bound.remove(&mv.me);
        for param in &mv.params {
            self.locals.bound.remove(&param.slot);
        }
        for check in &mv.checks {
            if let MoveCheck::Let(slots, _) = check {
                slots.iter().for_each(|slot| drop(self.locals.bound.remove(slot)));
            }
        }
    }

    /// Judges the row whose arguments are bound: goes to `no` where a need fails, on where all hold.
    pub fn judge(&mut self, mv: &Move, no: Block) -> R<()> {
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, e) => {
                    // A value that no need looks at is named when the move is carried out.
                    let used = slots.iter().any(|slot| checks_read(mv, *slot));
                    if used {
                        let val = self.expr(e)?;
                        self.bind(slots, val)?;
                    } else if !self.harmless(e) {
                        self.expr(e)?;
                    }
                }
                MoveCheck::Need { cond, .. } => {
                    let on = self.block();
                    self.branch(cond, on, no)?;
                    self.at(on);
                }
                MoveCheck::Prefer { .. } => return nope("a need that binds only where possible"),
            }
        }
        Ok(())
    }

    /// Whether working an expression out can never fail, seen from its form alone.
    fn harmless(&self, e: &Expr) -> bool {
        matches!(
            e.kind,
            ExprKind::Local(_) | ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_)
        )
    }

    // ---- leaves

    /// The window that a domain of integers is narrowed to.
    fn window(&mut self, param: &Param) -> R<Option<(Word, Word)>> {
        match &param.window {
            Some((low, high)) => Ok(Some((self.number_of(low)?, self.number_of(high)?))),
            None => Ok(None),
        }
    }

    /// A domain of integers: its ends.
    fn ends(&mut self, domain: &Domain, param: &Param) -> R<Option<(Word, Word)>> {
        match domain {
            Domain::Ints => self.window(param),
            Domain::Range(low, high) => Ok(Some((self.number_of(low)?, self.number_of(high)?))),
            Domain::Values(e) => match &super::slots::peek(self.machine, e).kind {
                ExprKind::Listed(inner) if matches!(**inner, Domain::Range(..)) => match self.expr(e)? {
                    Val::Span(low, high) => Ok(Some((low, high))),
                    _ => Ok(None),
                },
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The distinct elements of a domain as bits; `None` where it has no such form.
    fn choice_bits(&mut self, domain: &Domain) -> R<Option<(Bits, Universe)>> {
        if let Some(mut values) = self.fixed_here(domain) {
            values.sort();
            values.dedup();
            let Some(of) = range_of(&values, self.layout.squares) else { return Ok(None) };
            let of = if of.sort == Sort::Square { self.layout.squares.scalar() } else { of };
            if of.optional || of.words() > REGISTERS {
                return Ok(None);
            }
            let mut within = vec![0u64; of.words()];
            for value in &values {
                let Some(word) = super::shape::to_word(value, self.layout.squares) else { return Ok(None) };
                within[(word - of.lo) as usize / 64] |= 1 << ((word - of.lo) % 64);
            }
            let words = within.iter().map(|word| self.int(*word as i64)).collect();
            return Ok(Some((Bits { words, of }, Universe { of, within })));
        }
        match domain {
            Domain::Values(e) => self.distinct_bits(e),
            _ => Ok(None),
        }
    }

    fn distinct_bits(&mut self, e: &Expr) -> R<Option<(Bits, Universe)>> {
        let whole = |bits: Bits| {
            let of = bits.of;
            let within = (0..of.words()).map(|i| super::expr::mask_word(of.size(), i)).collect();
            Some((bits, Universe { of, within }))
        };
        if let Some(found) = self.expr_bits(e)? {
            return Ok(Some(found));
        }
        match (&e.kind, &e.ty) {
            (ExprKind::Call(id, args), Type::List(_) | Type::Set(_)) => {
                let lambda = &self.machine.game.functions[*id].lambda;
                let args: R<Vec<Val>> = args.iter().map(|arg| self.expr(arg)).collect();
                self.lambda(lambda, args?, |this, body| this.distinct_bits(body))
            }
            (ExprKind::Fold(fold), ty) if matches!(fold.kind, FoldKind::List | FoldKind::Set) => {
                Ok(whole(self.fold_bits(fold, ty)?))
            }
            (_, Type::Bag(_)) => match self.expr(e)? {
                Val::Counts { at, of } if of.words() <= REGISTERS => {
                    let zero = self.int(0);
                    let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
                    let (lo, hi) = (self.int(of.lo), self.int(of.hi));
                    self.each_int(lo, hi, Some(of.size()), |this, v, _| {
                        let count = this.count_of(at, of, Word { v, s: of, known: None });
                        let (some, on) = (this.block(), this.block());
                        this.fork(count, some, on);
                        this.at(some);
                        this.set_bit(&vars, of, v);
                        this.jump(on);
                        this.at(on);
                        Ok(())
                    })?;
                    Ok(whole(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of }))
                }
                _ => Ok(None),
            },
            (_, Type::List(of)) => {
                let Some(of) = self.type_scalar(of) else { return Ok(None) };
                let val = self.expr(e)?;
                let of = match &val {
                    Val::List(list) if of.sort == Sort::Int => list.of,
                    _ => of,
                };
                if of.optional || of.words() > REGISTERS {
                    return Ok(None);
                }
                Ok(whole(self.bits(val, of)?))
            }
            _ => Ok(None),
        }
    }

    /// The bits of the rows that meet every check, for a parameter that stands for all; `None` where a check has no
    /// such form.
    fn checked_bits(&mut self, mv: &Move, bits: Bits, universe: &Universe) -> R<Option<Bits>> {
        let mut words = bits.words;
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, e) => {
                    if slots.iter().any(|slot| checks_read(mv, *slot)) {
                        return Ok(None);
                    }
                    if !self.bulk_harmless(e) {
                        return Ok(None);
                    }
                }
                MoveCheck::Need { cond, .. } => {
                    let Some(mask) = self.bulk(cond, universe)? else { return Ok(None) };
                    words = words.iter().zip(mask).map(|(a, b)| self.b.ins().band(*a, b)).collect();
                }
                MoveCheck::Prefer { .. } => return Ok(None),
            }
        }
        Ok(Some(Bits { words, of: bits.of }))
    }

    /// Whether a value that only the effects use may be left out while judging: the reference works it out for each
    /// row, and so it must be one that cannot fail for a row that meets the needs before it.
    fn bulk_harmless(&self, e: &Expr) -> bool {
        // `largest(r in 1..rows where board[r, column] is none: r)` and the like may fail; they are worked out.
        self.harmless(e)
    }

    /// The leaf of the last parameters from number `at` on; how many parameters it takes, 0 for none.
    fn leaf(&mut self, mv: &Move, params: &[&Param], at: usize) -> R<Option<Leaf>> {
        let rest = &params[at..];
        match rest {
            [] => Ok(None),
            [from, to] if dependent(mv) => self.moves_leaf(mv, from, to),
            [row, column] => {
                // A row and a column that go over a whole grid are its squares.
                let (Some(Domain::Range(..)), Some(Domain::Range(..))) = (&row.domain, &column.domain) else {
                    return Ok(None);
                };
                let (Some(rows), Some(columns)) = (
                    row.domain.as_ref().and_then(|d| self.fixed_here(d)),
                    column.domain.as_ref().and_then(|d| self.fixed_here(d)),
                ) else {
                    return Ok(None);
                };
                let squares = self.layout.squares;
                let ends = |values: &[crate::ir::Value]| range_of(values, squares).map(|s| (s.lo, s.hi));
                let (Some((top, bottom)), Some((left, right))) = (ends(&rows), ends(&columns)) else {
                    return Ok(None);
                };
                let of = squares.scalar();
                let fits = top >= 1 && left >= 1 && bottom <= squares.rows && right <= squares.stride;
                if !fits || of.words() > REGISTERS {
                    return Ok(None);
                }
                let mut within = vec![0u64; of.words()];
                for r in top..=bottom {
                    for c in left..=right {
                        let square = (r - 1) * squares.stride + c - 1;
                        within[square as usize / 64] |= 1 << (square % 64);
                    }
                }
                let words = within.iter().map(|word| self.int(*word as i64)).collect();
                self.locals.bound.insert(row.slot, Val::EveryRow);
                self.locals.bound.insert(column.slot, Val::EveryColumn);
                let checked = self.checked_bits(mv, Bits { words, of }, &Universe { of, within });
                self.locals.bound.remove(&row.slot);
                self.locals.bound.remove(&column.slot);
                Ok(checked?.map(|bits| Leaf::Pair(row.slot, column.slot, bits)))
            }
            [param] => {
                let Some(domain) = &param.domain else { return Ok(None) };
                if !needs(mv)
                    && mv.checks.is_empty()
                    && let Some((low, high)) = self.ends(domain, param)?
                {
                    return Ok(Some(Leaf::Span(param.slot, low, high)));
                }
                if matches!(domain, Domain::Ints) {
                    return Ok(None);
                }
                if let Some(leaf) = self.tested_one_by_one(mv, param)? {
                    return Ok(Some(leaf));
                }
                if let Some((bits, universe)) = self.choice_bits(domain)? {
                    let slot = param.slot;
                    let checked = self.with_every(slot, |this| this.checked_bits(mv, bits, &universe))?;
                    return Ok(checked.map(|bits| Leaf::Bits(slot, bits)));
                }
                if mv.checks.is_empty()
                    && let Some((count, rows)) = self.rows_of(domain, param)?
                {
                    return Ok(Some(Leaf::Rows(param.slot, count, rows)));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// From squares to squares: the second domain is a list of a few places, each as far from the first's square for
    /// all, under conditions that hold for all squares at once.
    fn moves_leaf(&mut self, mv: &Move, from: &Param, to: &Param) -> R<Option<Leaf>> {
        let (Some(first), Some(Domain::Values(list)), true) =
            (&from.domain, &to.domain, mv.checks.is_empty())
        else {
            return Ok(None);
        };
        if to.ty != Type::Square || from.ty != Type::Square {
            return Ok(None);
        }
        let Some((squares, universe)) = self.choice_bits(first)? else { return Ok(None) };
        let slot = from.slot;
        let Some(mut steps) = self.with_every(slot, |this| this.steps_of(list, &universe))? else {
            return Ok(None);
        };
        for (_, words) in &mut steps {
            *words = words.iter().zip(&squares.words).map(|(a, b)| self.b.ins().band(*a, *b)).collect();
        }
        Ok(Some(Leaf::Moves(slot, to.slot, squares.of, steps)))
    }

    /// The places that a list names for every square: how far each lies from it, and from which squares it is named.
    fn steps_of(&mut self, e: &Expr, universe: &Universe) -> R<Option<Vec<(i64, Vec<V>)>>> {
        if let ExprKind::Call(id, args) = &e.kind {
            let lambda = &self.machine.game.functions[*id].lambda;
            let mut bound = Vec::new();
            for arg in args {
                bound.push(match &arg.kind {
                    ExprKind::Local(slot) if matches!(self.locals.bound.get(slot), Some(Val::Every)) => {
                        Val::Every
                    }
                    _ if self.reads_every(arg) => return Ok(None),
                    _ => self.expr(arg)?,
                });
            }
            return self.lambda(lambda, bound, |this, body| this.steps_of(body, universe));
        }
        let ExprKind::Fold(fold) = &e.kind else { return Ok(None) };
        if fold.kind != FoldKind::List || fold.stop.is_some() {
            return Ok(None);
        }
        let mut steps: Vec<(i64, Vec<V>)> = Vec::new();
        let done = self.steps_from(fold, 0, &fold.body, fold.filter.as_ref(), universe, &mut steps)?;
        steps.sort_by_key(|(by, _)| *by);
        Ok(done.then_some(steps))
    }

    /// Goes through the sources of such a list from number `depth` on: few known values, or a list of one place, which
    /// is put where its name stands.
    fn steps_from(
        &mut self,
        fold: &Fold,
        depth: usize,
        body: &Expr,
        filter: Option<&Expr>,
        universe: &Universe,
        steps: &mut Vec<(i64, Vec<V>)>,
    ) -> R<bool> {
        const FEW_STEPS: usize = 8;
        if let Some(source) = fold.sources.get(depth) {
            let [slot] = source.slots.as_slice() else { return Ok(false) };
            if let Domain::Values(Expr { kind: ExprKind::List(parts), .. }) = &source.domain
                && let [place] = parts.as_slice()
            {
                let body = table::replaced(body, *slot, place);
                let filter = filter.map(|filter| table::replaced(filter, *slot, place));
                return self.steps_from(fold, depth + 1, &body, filter.as_ref(), universe, steps);
            }
            let Some(values) = self.fixed_here(&source.domain).filter(|v| v.len() <= FEW_STEPS) else {
                return Ok(false);
            };
            for value in values {
                self.locals.bound.insert(*slot, Val::Const(value));
                if !self.steps_from(fold, depth + 1, body, filter, universe, steps)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        // From where there is such a place at all, and how far it lies.
        let possible = match filter {
            Some(filter) => self.possible(filter, universe),
            None => universe.within.clone(),
        };
        let narrowed = Universe { of: universe.of, within: possible };
        let Some(by) = self.distance(body, &narrowed) else { return Ok(false) };
        let words = match filter {
            Some(filter) => match self.bulk(filter, universe)? {
                Some(words) => words,
                None => return Ok(false),
            },
            None => universe.within.iter().map(|word| self.int(*word as i64)).collect(),
        };
        let words: Vec<V> =
            words.iter().zip(&narrowed.within).map(|(a, b)| self.b.ins().band_imm(*a, *b as i64)).collect();
        match steps.iter_mut().find(|(known, _)| *known == by) {
            Some((_, known)) => {
                *known = known.iter().zip(words).map(|(a, b)| self.b.ins().bor(*a, b)).collect();
            }
            None => steps.push((by, words)),
        }
        Ok(true)
    }

    fn union_of(&mut self, steps: &[(i64, Vec<V>)]) -> Vec<V> {
        let all = steps.iter().map(|(_, words)| words.clone());
        all.reduce(|a, b| a.iter().zip(b).map(|(a, b)| self.b.ins().bor(*a, b)).collect()).unwrap_or_default()
    }

    /// Binds the squares of move number `k`, by the squares they start from.
    fn nth_move(&mut self, from: Slot, to: Slot, of: Scalar, steps: &[(i64, Vec<V>)], k: V) -> R<()> {
        let all = self.union_of(steps);
        let zero = self.int(0);
        let (start, end) = (self.var(zero), self.var(zero));
        let rest = self.var(k);
        let found = self.block();
        self.each_bit(&all, Some(of.size()), |this, at, _| {
            let here = Word { v: at, s: of, known: None };
            let bits: Vec<V> = steps
                .iter()
                .map(|(_, words)| {
                    let set = this.has_bit(&Bits { words: words.clone(), of }, here);
                    this.b.ins().uextend(types::I64, set)
                })
                .collect();
            let count = bits.iter().copied().reduce(|a, b| this.b.ins().iadd(a, b));
            let count = count.unwrap_or(zero);
            let k = this.b.use_var(rest);
            let left = this.b.ins().isub(k, count);
            this.b.def_var(rest, left);
            let (hit, on) = (this.block(), this.block());
            let inside = this.cmp(IntCC::UnsignedLessThan, k, count);
            this.fork(inside, hit, on);
            this.at(hit);
            this.b.def_var(start, at);
            // The k-th of the places that are named from here.
            let mut place = zero;
            let mut before = zero;
            for ((by, _), bit) in steps.iter().zip(&bits) {
                let is_kth = this.cmp(IntCC::Equal, before, k);
                let named = this.cmp_imm(IntCC::NotEqual, *bit, 0);
                let both = this.b.ins().band(is_kth, named);
                let there = this.b.ins().iadd_imm(at, *by);
                place = this.b.ins().select(both, there, place);
                before = this.b.ins().iadd(before, *bit);
            }
            this.b.def_var(end, place);
            this.jump(found);
            this.at(on);
            Ok(())
        })?;
        self.jump(found);
        self.at(found);
        let (start, end) = (self.b.use_var(start), self.b.use_var(end));
        self.locals.bound.insert(from, Val::Word(Word { v: start, s: of, known: None }));
        self.locals.bound.insert(to, Val::Word(Word { v: end, s: of, known: None }));
        Ok(())
    }

    /// Few known values under one need that has no form for all at once: each is tested by itself.
    fn tested_one_by_one(&mut self, mv: &Move, param: &Param) -> R<Option<Leaf>> {
        const FEW_VALUES: usize = 8;
        let [MoveCheck::Need { cond, .. }] = mv.checks.as_slice() else { return Ok(None) };
        let plain = matches!(&cond.kind, ExprKind::Compare(a, links)
            if links.len() == 1 && matches!(&a.kind, ExprKind::Index(..)) && self.known_scalar(&links[0].1));
        let Some(mut values) = param.domain.as_ref().filter(|_| plain).and_then(|d| self.fixed_here(d))
        else {
            return Ok(None);
        };
        values.sort();
        values.dedup();
        let Some(of) = range_of(&values, self.layout.squares) else { return Ok(None) };
        if of.optional || of.sort == Sort::Square || of.words() > 1 || values.len() > FEW_VALUES {
            return Ok(None);
        }
        let mut all = self.int(0);
        for value in values {
            let at = super::shape::to_word(&value, self.layout.squares).unwrap_or(of.lo) - of.lo;
            self.locals.bound.insert(param.slot, Val::Const(value));
            let holds = self.truth(cond)?;
            let bit = self.b.ins().uextend(types::I64, holds);
            let bit = self.b.ins().ishl_imm(bit, at);
            all = self.b.ins().bor(all, bit);
        }
        self.locals.bound.remove(&param.slot);
        Ok(Some(Leaf::Bits(param.slot, Bits { words: vec![all], of })))
    }

    fn known_scalar(&mut self, e: &Expr) -> bool {
        self.constant(e).is_some()
    }

    /// A domain of rows, and how many it has.
    fn rows_of(&mut self, domain: &Domain, param: &Param) -> R<Option<(V, Rows)>> {
        match domain {
            Domain::Permutations(e) => {
                let val = self.expr(e)?;
                let list = match val {
                    Val::Tally(list) => list,
                    val => self.list(val)?,
                };
                let list = self.still_list(Val::List(list))?;
                let count = self.call("orders", &[list.at, list.len])?;
                let large = self.cmp_imm(IntCC::Equal, count, NONE);
                self.give_up_if(large);
                Ok(Some((count, Rows::Permutations(list))))
            }
            Domain::Arrangements(size, of) => {
                let size = self.number_of(size)?;
                self.must_fit(size, 0, 1 << 12);
                let Some((low, high)) = self.ends(of, param)? else { return nope("rows of something else") };
                let n = self.span_len(low, high);
                let count = self.call("arrangements", &[n, size.v])?;
                let large = self.cmp_imm(IntCC::Equal, count, NONE);
                self.give_up_if(large);
                let first = Scalar { hi: high.s.hi.max(low.s.lo), ..low.s };
                // The least element is known only to the code; it is kept beside the sizes.
                let rows = Rows::Arrangements { size: size.v, n, first };
                self.locals.bound.insert(usize::MAX - param.slot, Val::Word(low));
                Ok(Some((count, rows)))
            }
            _ => Ok(None),
        }
    }

    fn leaf_count(&mut self, leaf: &Leaf) -> V {
        match leaf {
            Leaf::One(None) => self.int(1),
            Leaf::One(Some(cond)) => self.b.ins().uextend(types::I64, *cond),
            Leaf::Bits(_, bits) | Leaf::Pair(_, _, bits) => self.popcount(&bits.clone()),
            Leaf::Moves(_, _, of, steps) => {
                let counts: Vec<V> = steps
                    .iter()
                    .map(|(_, words)| self.popcount(&Bits { words: words.clone(), of: *of }))
                    .collect();
                counts.into_iter().reduce(|a, b| self.b.ins().iadd(a, b)).unwrap_or_else(|| self.int(0))
            }
            Leaf::Span(_, low, high) => self.span_len(*low, *high),
            Leaf::Rows(_, count, _) => *count,
        }
    }

    /// Binds the arguments of row number `k` of a leaf.
    fn leaf_row(&mut self, leaf: &Leaf, k: V) -> R<()> {
        match leaf {
            Leaf::One(_) => {}
            Leaf::Bits(slot, bits) => {
                let at = self.nth_bit(bits, k);
                let v = self.b.ins().iadd_imm(at, bits.of.lo);
                self.locals.bound.insert(*slot, Val::Word(Word { v, s: bits.of, known: None }));
            }
            Leaf::Pair(row, column, bits) => {
                let at = self.nth_bit(bits, k);
                let squares = self.layout.squares;
                let (up, along) =
                    (self.b.ins().udiv_imm(at, squares.stride), self.b.ins().urem_imm(at, squares.stride));
                let (r, c) = (self.b.ins().iadd_imm(up, 1), self.b.ins().iadd_imm(along, 1));
                self.locals.bound.insert(*row, Val::Word(Gen::ranged(r, 1, squares.rows)));
                self.locals.bound.insert(*column, Val::Word(Gen::ranged(c, 1, squares.stride)));
            }
            Leaf::Moves(from, to, of, steps) => self.nth_move(*from, *to, *of, steps, k)?,
            Leaf::Span(slot, low, high) => {
                let v = self.b.ins().iadd(low.v, k);
                let word = Gen::ranged(v, low.s.lo, high.s.hi.max(low.s.lo));
                self.locals.bound.insert(*slot, Val::Word(word));
            }
            Leaf::Rows(slot, _, rows) => {
                let list = self.row_at(*slot, rows, k)?;
                self.locals.bound.insert(*slot, Val::List(list));
            }
        }
        Ok(())
    }

    fn row_at(&mut self, slot: Slot, rows: &Rows, rank: V) -> R<List> {
        let (len, of) = match rows {
            Rows::Permutations(list) => (list.len, list.of),
            Rows::Arrangements { size, first, .. } => (*size, *first),
        };
        let bytes = self.b.ins().ishl_imm(len, 3);
        let at = self.scratch(bytes);
        match rows {
            Rows::Permutations(list) => {
                self.call("order_at", &[list.at, list.len, rank, at])?;
            }
            Rows::Arrangements { size, n, .. } => {
                let Some(Val::Word(low)) = self.locals.bound.get(&(usize::MAX - slot)).cloned() else {
                    return nope("rows whose least element is lost");
                };
                self.call("arrangement_at", &[*n, *size, low.v, rank, at])?;
            }
        }
        Ok(List { at, len, width: 8, of, most: None, exact: None, ring: false, still: true })
    }

    // ---- going through all rows

    /// The parameters before the leaf that nothing looks at: how many.
    fn factors(&mut self, mv: &Move, params: &[&Param]) -> usize {
        let mut count = 0;
        for (i, param) in params.iter().enumerate() {
            let looked = checks_read(mv, param.slot)
                || params[i + 1..].iter().any(|later| param_reads(later, param.slot));
            let plain = matches!(param.domain, Some(Domain::Range(..)));
            if looked || !plain || i + 1 == params.len() {
                break;
            }
            count += 1;
        }
        count
    }

    /// Goes through the outer parameters and gives each leaf to `on`. Slots of the outer parameters are bound.
    fn each_leaf(
        &mut self,
        mv: &Move,
        params: &[&Param],
        at: usize,
        on: &mut dyn FnMut(&mut Self, Leaf) -> R<()>,
    ) -> R<()> {
        if let Some(leaf) = self.leaf(mv, params, at)? {
            return on(self, leaf);
        }
        let Some(param) = params.get(at) else {
            // Every parameter is bound: the needs decide.
            let no = self.block();
            if !mv.checks.is_empty() {
                self.judge(mv, no)?;
            }
            on(self, Leaf::One(None))?;
            self.jump(no);
            self.at(no);
            return Ok(());
        };
        self.each_choice(param, &mut |this| this.each_leaf(mv, params, at + 1, on))
    }

    /// Goes through the distinct values of a parameter in order.
    fn each_choice(&mut self, param: &Param, body: &mut dyn FnMut(&mut Self) -> R<()>) -> R<()> {
        let Some(domain) = &param.domain else { return body(self) };
        let slots = [param.slot];
        if let Some((low, high)) = self.ends(domain, param)? {
            return self.each_in(Val::Span(low, high), &slots, body);
        }
        if let Some((bits, _)) = self.choice_bits(domain)? {
            return self.each_in(Val::Bits(bits), &slots, body);
        }
        if let Domain::Values(e) = domain
            && matches!(e.ty, Type::Set(_))
        {
            let val = self.expr(e)?;
            return self.each_in(val, &slots, body);
        }
        if let Some((count, rows)) = self.rows_of(domain, param)? {
            let zero = self.int(0);
            let last = self.b.ins().iadd_imm(count, -1);
            return self.each_int(zero, last, None, |this, rank, _| {
                let list = this.row_at(param.slot, &rows, rank)?;
                this.locals.bound.insert(param.slot, Val::List(list));
                body(this)
            });
        }
        nope(format!("the parameter `{}` has a domain of rows", param.name))
    }

    /// Goes through all legal rows of an offer's leaves, one row at a time.
    fn each_row(&mut self, leaf: &Leaf, body: &mut dyn FnMut(&mut Self) -> R<()>) -> R<()> {
        match leaf {
            Leaf::One(_) => body(self),
            Leaf::Bits(slot, bits) => self.each_in(Val::Bits(bits.clone()), &[*slot], body),
            Leaf::Moves(from, to, of, steps) => {
                let all = self.union_of(steps);
                self.each_bit(&all, Some(of.size()), |this, at, _| {
                    this.locals.bound.insert(*from, Val::Word(Word { v: at, s: *of, known: None }));
                    for (by, words) in steps {
                        let here = this.has_bit(
                            &Bits { words: words.clone(), of: *of },
                            Word { v: at, s: *of, known: None },
                        );
                        let (some, on) = (this.block(), this.block());
                        this.fork(here, some, on);
                        this.at(some);
                        let v = this.b.ins().iadd_imm(at, *by);
                        this.locals.bound.insert(*to, Val::Word(Word { v, s: *of, known: None }));
                        body(this)?;
                        this.jump(on);
                        this.at(on);
                    }
                    Ok(())
                })
            }
            Leaf::Span(slot, low, high) => self.each_in(Val::Span(*low, *high), &[*slot], body),
            Leaf::Pair(row, column, bits) => {
                let squares = self.layout.squares;
                let (row, column) = (*row, *column);
                self.each_bit(&bits.words, Some(bits.of.size()), |this, at, _| {
                    let (up, along) = (
                        this.b.ins().udiv_imm(at, squares.stride),
                        this.b.ins().urem_imm(at, squares.stride),
                    );
                    let (r, c) = (this.b.ins().iadd_imm(up, 1), this.b.ins().iadd_imm(along, 1));
                    this.locals.bound.insert(row, Val::Word(Gen::ranged(r, 1, squares.rows)));
                    this.locals.bound.insert(column, Val::Word(Gen::ranged(c, 1, squares.stride)));
                    body(this)
                })
            }
            Leaf::Rows(slot, count, rows) => {
                let zero = self.int(0);
                let last = self.b.ins().iadd_imm(*count, -1);
                self.each_int(zero, last, None, |this, rank, _| {
                    let list = this.row_at(*slot, rows, rank)?;
                    this.locals.bound.insert(*slot, Val::List(list));
                    body(this)
                })
            }
        }
    }

    /// Goes to `yes` where a seat has a legal move among these offers, on where it has none.
    pub fn exists(&mut self, offers: &[Offer], seat: Word, yes: Block) -> R<()> {
        for offer in offers {
            self.enter(offer, seat)?;
            let mv = &self.machine.game.moves[offer.mv];
            let params = chosen(mv);
            // Among all integers there is always one that fits.
            let endless = params.first().is_some_and(|param| self.endless(param));
            if endless {
                self.jump(yes);
                let dead = self.block();
                self.at(dead);
                self.leave(offer);
                continue;
            }
            if params.iter().any(|param| self.endless(param)) {
                return nope("a domain without end behind another parameter");
            }
            let skip = self.factors(mv, &params);
            for param in &params[..skip] {
                let Some(domain) = &param.domain else { continue };
                let Some((low, high)) = self.ends(domain, param)? else { continue };
                let none = self.block();
                let some = self.block();
                let any = self.cmp(IntCC::SignedLessThanOrEqual, low.v, high.v);
                self.fork(any, some, none);
                self.at(none);
                // Nothing to choose for this parameter: no row at all.
                self.give_up();
                self.at(some);
            }
            self.each_leaf(mv, &params, skip, &mut |this, leaf| {
                let count = this.leaf_count(&leaf);
                let on = this.block();
                this.fork(count, yes, on);
                this.at(on);
                Ok(())
            })?;
            self.leave(offer);
        }
        Ok(())
    }

    fn endless(&self, param: &Param) -> bool {
        fn unbounded(domain: &Domain) -> bool {
            match domain {
                Domain::Ints => true,
                Domain::Arrangements(_, of) | Domain::Lists(_, of) => unbounded(of),
                Domain::Tuples(parts) => parts.iter().any(unbounded),
                _ => false,
            }
        }
        param.domain.as_ref().is_some_and(unbounded)
    }

    /// Gives every legal row of a seat to `on`, in order.
    pub fn all_rows(&mut self, choice: &Choice, seat: Word, on: Taken) -> R<()> {
        let first: Vec<(usize, &Offer)> = choice.offers.iter().enumerate().collect();
        self.rows_of_offers(&first, seat, on)?;
        if choice.otherwise.is_empty() {
            return Ok(());
        }
        let end = self.block();
        self.exists(&choice.offers, seat, end)?;
        let from = choice.offers.len();
        let rest: Vec<(usize, &Offer)> =
            choice.otherwise.iter().enumerate().map(|(i, o)| (from + i, o)).collect();
        self.rows_of_offers(&rest, seat, on)?;
        self.jump(end);
        self.at(end);
        Ok(())
    }

    fn rows_of_offers(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        for (number, offer) in offers {
            self.enter(offer, seat)?;
            let mv = &self.machine.game.moves[offer.mv];
            let params = chosen(mv);
            self.each_leaf(mv, &params, 0, &mut |this, leaf| {
                this.each_row(&leaf, &mut |this| {
                    let args: R<Vec<Val>> = params.iter().map(|param| this.local(param.slot)).collect();
                    on(this, *number, &args?)
                })
            })?;
            self.leave(offer);
        }
        Ok(())
    }

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
    fn known_by_seat(&self, domain: &Domain, me: Slot) -> bool {
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

    fn samples(&mut self, offers: &[(usize, &Offer)], seat: Word) -> R<bool> {
        let simple = offers.iter().all(|(_, offer)| !dependent(&self.machine.game.moves[offer.mv]));
        Ok(simple && self.most_rows(offers, seat)?.is_none_or(|most| most > FEW))
    }

    fn draw_among(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        if self.samples(offers, seat)? {
            self.sample(offers, seat, on)?;
        }
        self.draw_listed(offers, seat, on)
    }

    /// The most rows there can be before any need is asked, where that is known.
    fn most_rows(&mut self, offers: &[(usize, &Offer)], seat: Word) -> R<Option<i64>> {
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

    fn type_element(&self, ty: &Type) -> Option<Scalar> {
        ty.element().and_then(|ty| self.type_scalar(&ty))
    }

    /// The size of a domain and its element of a rank.
    fn domain_count(&mut self, param: &Param) -> R<(V, Option<Leaf>)> {
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
    fn sample(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
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
    fn draw_listed(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
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
    fn draw_single(
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
    fn list_offer(&mut self, number: usize, offer: &Offer, seat: Word) -> R<Listed> {
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
    fn few_leaves(
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
    fn list_loops(&mut self, mv: &Move, params: &[&Param], skip: usize) -> R<(V, Entries)> {
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
    fn is_leaf(&mut self, param: &Param, mv: &Move) -> bool {
        let Some(domain) = &param.domain else { return false };
        let span = mv.checks.is_empty() && matches!(domain, Domain::Range(..));
        span || self.most_of(param).is_ok_and(|most| most.is_none())
    }

    fn most_of(&mut self, param: &Param) -> R<Option<i64>> {
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
    fn take_factors(&mut self, rows: &Listed, k: V) -> V {
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
    fn take(&mut self, entries: &Entries, k: V) -> R<()> {
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
