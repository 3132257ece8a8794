//! Steps: rows of two arguments, where the second is at one of a few distances from the first, such as the squares beside a
//! square. The values of the first argument for which a step is possible are bits, so conditions are evaluated for all of them
//! at once.

use crate::ir::{Domain, Expr, ExprKind, Fold, FoldKind, Slot, Type, conjuncts, reads, rename_slots};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::members;
use crate::jit::layout::shape::Scalar;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::lower::moves::row_set::RowSet;
use crate::jit::mir::{IntCC, types};
use crate::opt::Candidate;

/// The most distances.
const MOST_STEPS: usize = 16;

/// Rows of two arguments.
#[derive(Clone)]
pub struct Steps {
    /// The slots of the arguments.
    pub from: Slot,
    pub to: Slot,
    /// The universe of the first argument.
    pub of: Scalar,
    /// The universe of the second argument.
    pub target: Scalar,
    /// The distances from the bit of the first argument to that of the second, ascending, each with the elements from which that
    /// step is possible.
    pub all: Distances,
}

/// Distances, each with a set of elements.
type Distances = Vec<(i64, Vec<V>)>;

impl Builder<'_> {
    /// Returns the row set of two parameters, the second of which is at one of a few distances from the first, under conditions
    /// that can be evaluated for all values at once; `None` of others.
    pub(in crate::jit) fn steps_between(
        &mut self,
        from: &Candidate,
        to: &Candidate,
    ) -> Result<Option<RowSet>> {
        let tied = crate::ir::domain_reads(&to.domain, from.slot)
            || to.predicates.iter().any(|condition| reads(condition, from.slot));
        if !tied || from.legal_rows || to.legal_rows {
            return Ok(None);
        }
        let Some((bits, universe)) = self.choice_bits(&from.domain)? else { return Ok(None) };
        let (found, target) = match self.listed_steps(from, to, &universe)? {
            Some(found) => (found, self.layout.squares.scalar()),
            None => match self.related_steps(from, to, &universe)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        let chosen =
            self.with_every(from.slot, |this| this.predicate_bits(&from.predicates, bits, &universe))?;
        let Some(chosen) = chosen else { return Ok(None) };
        let own = |this: &mut Self, words: Vec<V>| -> Vec<V> {
            words.iter().zip(&chosen.words).map(|(a, b)| this.b.ins().band(*a, *b)).collect()
        };
        let all = found.into_iter().map(|(by, words)| (by, own(self, words))).collect();
        Ok(Some(RowSet::Steps(Steps { from: from.slot, to: to.slot, of: chosen.of, target, all })))
    }

    /// Returns the steps to squares that are listed one by one for each square; `None` of other domains.
    fn listed_steps(
        &mut self,
        from: &Candidate,
        to: &Candidate,
        universe: &Universe,
    ) -> Result<Option<Distances>> {
        match &to.domain {
            Domain::Values(list)
                if to.predicates.is_empty() && to.ty == Type::Square && from.ty == Type::Square =>
            {
                self.with_every(from.slot, |this| this.steps_of(list, universe))
            }
            _ => Ok(None),
        }
    }

    /// Returns the steps to values that the first argument is related to by a relation that never changes, such as being beside,
    /// and for which other conditions hold that depend on the second argument alone; and the universe of these values.
    fn related_steps(
        &mut self,
        from: &Candidate,
        to: &Candidate,
        universe: &Universe,
    ) -> Result<Option<(Distances, Scalar)>> {
        let (mut related, mut conditions) = (None, Vec::new());
        match &to.domain {
            Domain::Values(list) if reads(list, from.slot) => {
                related = Some(list);
                if let ExprKind::Fold(fold) = &list.kind
                    && let [source] = fold.sources.as_slice()
                    && let ([slot], Domain::Values(of)) = (source.slots.as_slice(), &source.domain)
                    && matches!(&fold.body.kind, ExprKind::Local(own) if own == slot)
                    && fold.stop.is_none()
                {
                    related = Some(of);
                    if let Some(filter) = &fold.filter {
                        let mut filter = filter.clone();
                        rename_slots(&mut filter, &mut |own| if own == *slot { to.slot } else { own });
                        conjuncts(filter, &mut conditions);
                    }
                }
            }
            domain if crate::ir::domain_reads(domain, from.slot) => return Ok(None),
            _ => {}
        }
        conditions.extend(to.predicates.iter().cloned());
        let (between, of_target): (Vec<Expr>, Vec<Expr>) =
            conditions.into_iter().partition(|condition| reads(condition, from.slot));
        let every = |this: &mut Self, related: &Expr| {
            this.with_every(from.slot, |this| this.relation(related, universe))
        };
        let (relation, bits) = match related {
            Some(related) if between.is_empty() => {
                let Some(relation) = every(self, related) else { return Ok(None) };
                let words = self.static_bits(&relation.to.within);
                let of = relation.to.of;
                (relation, Bits { words, of })
            }
            Some(_) => return Ok(None),
            None => {
                let Some((bits, others)) = self.choice_bits(&to.domain)? else { return Ok(None) };
                let by_conditions =
                    |this: &mut Self| this.relation_by_conditions(&between, universe, (to.slot, &others));
                match self.with_every(from.slot, by_conditions) {
                    Some(relation) => (relation, bits),
                    None => return Ok(None),
                }
            }
        };
        // With as many distances as elements, it takes no longer to go through these.
        let steps = relation.distances.len();
        if steps > MOST_STEPS || 2 * steps > members(&universe.within).count() {
            return Ok(None);
        }
        let selected =
            self.with_every(to.slot, |this| this.predicate_bits(&of_target, bits, &relation.to))?;
        let Some(selected) = selected else { return Ok(None) };
        let of = selected.of;
        Ok(Some((self.steps_to(&relation, selected.words, universe), of)))
    }

    /// Returns the steps to the squares that a list contains for every square.
    fn steps_of(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Distances>> {
        if let ExprKind::Let(slots, value, body) = &e.kind {
            return match self.reads_every(value) {
                true => Ok(None),
                false => self.with_let(slots, value, |this| this.steps_of(body, universe)),
            };
        }
        let ExprKind::Fold(fold) = &e.kind else { return Ok(None) };
        if fold.kind != FoldKind::List || fold.stop.is_some() {
            return Ok(None);
        }
        let mut steps = Distances::new();
        let done = self.steps_from(fold, 0, &fold.body, fold.filter.as_ref(), universe, &mut steps)?;
        steps.sort_by_key(|(by, _)| *by);
        Ok(done.then_some(steps))
    }

    /// Visits the sources of such a list from index `depth` on: each has few known values, or is a list of
    /// one square, which is substituted for its name.
    fn steps_from(
        &mut self,
        fold: &Fold,
        depth: usize,
        body: &Expr,
        filter: Option<&Expr>,
        universe: &Universe,
        steps: &mut Distances,
    ) -> Result<bool> {
        const MAX_STEPS: usize = 8;
        if let Some(source) = fold.sources.get(depth) {
            let [slot] = source.slots.as_slice() else { return Ok(false) };
            if let Domain::Values(Expr { kind: ExprKind::List(parts), .. }) = &source.domain
                && let [place] = parts.as_slice()
                && self.always(place, universe)
            {
                let body = invariants::substituted(body, *slot, place);
                let filter = filter.map(|filter| invariants::substituted(filter, *slot, place));
                return self.steps_from(fold, depth + 1, &body, filter.as_ref(), universe, steps);
            }
            let Some(values) = self.known_elements(&source.domain).filter(|v| v.len() <= MAX_STEPS) else {
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
        // The squares from which the step is possible at all, and its distance.
        let possible = match filter {
            Some(filter) => self.possible_elements(filter, universe),
            None => universe.within.clone(),
        };
        let narrowed = Universe { of: universe.of, within: possible };
        let Some(by) = self.distance(body, &narrowed, self.layout.squares.scalar()) else { return Ok(false) };
        let words = match filter {
            Some(filter) => match self.bit_parallel(filter, universe)? {
                Some(words) => words,
                None => return Ok(false),
            },
            None => self.static_bits(&universe.within),
        };
        let words: Vec<V> =
            words.iter().zip(&narrowed.within).map(|(a, b)| self.b.ins().band_imm_s(*a, *b as i64)).collect();
        match steps.iter_mut().find(|(known, _)| *known == by) {
            Some((_, known)) => {
                *known = known.iter().zip(words).map(|(a, b)| self.b.ins().bor(*a, b)).collect();
            }
            None => steps.push((by, words)),
        }
        Ok(true)
    }

    pub(in crate::jit) fn union_of(&mut self, steps: &[(i64, Vec<V>)]) -> Vec<V> {
        let all = steps.iter().map(|(_, words)| words.clone());
        all.reduce(|a, b| a.iter().zip(b).map(|(a, b)| self.b.ins().bor(*a, b)).collect()).unwrap_or_default()
    }

    /// Returns the number of rows.
    pub(in crate::jit) fn count_steps(&mut self, steps: &Steps) -> V {
        let mut count = self.int(0);
        for (_, words) in &steps.all {
            let own = self.popcount(&Bits { words: words.clone(), of: steps.of });
            count = self.b.ins().iadd(count, own);
        }
        count
    }

    /// Binds the arguments of the step of some distance from the element with index `at`.
    fn bind_step(&mut self, steps: &Steps, at: V, distance: V) {
        let end = self.b.ins().iadd(at, distance);
        for (slot, index, s) in [(steps.from, at, steps.of), (steps.to, end, steps.target)] {
            let v = self.b.ins().iadd_imm_s(index, s.lo);
            self.locals.bound.insert(slot, Val::Word(Word { v, s, known: None }));
        }
    }

    /// Loops over the rows, with the arguments bound.
    pub(in crate::jit) fn each_step(
        &mut self,
        steps: &Steps,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let all = self.union_of(&steps.all);
        self.each_bit(&all, Some(steps.of.size()), |this, at, _| {
            let here = this.steps_at(steps, at);
            for ((number, _), bit) in steps.all.iter().zip(here) {
                this.when(bit, |this| {
                    let number = this.int(*number);
                    this.bind_step(steps, at, number);
                    body(this)?;
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    /// Binds the arguments of row number `k`, in order of the first argument.
    pub(in crate::jit) fn bind_nth_step(&mut self, steps: &Steps, k: V) -> Result<()> {
        const MOST_COUNTED: usize = 3;
        let (start, rest) = if steps.of.words() == 1 && steps.all.len() <= MOST_COUNTED {
            let sets: Vec<V> = steps.all.iter().map(|(_, words)| words[0]).collect();
            self.nth_in_sets(&sets, k)
        } else {
            self.nth_start(steps, k)?
        };
        // The k-th of the steps from that element.
        let bits = self.steps_at(steps, start);
        let zero = self.int(0);
        let (mut number, mut before) = (zero, zero);
        for ((own, _), bit) in steps.all.iter().zip(&bits) {
            let is_kth = self.cmp(IntCC::Equal, before, rest);
            let there = self.cmp_imm(IntCC::NotEqual, *bit, 0);
            let both = self.b.ins().band(is_kth, there);
            let own = self.int(*own);
            number = self.b.ins().select(both, own, number);
            before = self.b.ins().iadd(before, *bit);
        }
        self.bind_step(steps, start, number);
        Ok(())
    }

    /// Returns whether the arguments that are bound are one of the rows.
    pub(in crate::jit) fn is_step(&mut self, steps: &Steps) -> Result<V> {
        let (from, to) = (self.local(steps.from)?, self.local(steps.to)?);
        let (from, to) = (self.word(from)?, self.word(to)?);
        let at = self.b.ins().iadd_imm_s(from.v, -steps.of.lo);
        let end = self.b.ins().iadd_imm_s(to.v, -steps.target.lo);
        let number = self.b.ins().isub(end, at);
        let mut words = vec![self.int(0); steps.of.words()];
        for (own, possible) in &steps.all {
            let is = self.cmp_imm(IntCC::Equal, number, *own);
            for (word, possible) in words.iter_mut().zip(possible) {
                *word = self.b.ins().select(is, *possible, *word);
            }
        }
        Ok(self.has_bit(&Bits { words, of: steps.of }, from))
    }

    /// Returns whether each step is possible from the element with an index: 1 or 0.
    pub(in crate::jit) fn steps_at(&mut self, steps: &Steps, at: V) -> Vec<V> {
        let v = self.b.ins().iadd_imm_s(at, steps.of.lo);
        let here = Word { v, s: steps.of, known: None };
        let set = |(_, words): &(i64, Vec<V>)| {
            let set = self.has_bit(&Bits { words: words.clone(), of: steps.of }, here);
            self.b.ins().uextend(types::I64, set)
        };
        steps.all.iter().map(set).collect()
    }

    /// Returns the index of the element of row number `k`, and the row's number among those of that element, by visiting the
    /// elements in order.
    fn nth_start(&mut self, steps: &Steps, k: V) -> Result<(V, V)> {
        let all = self.union_of(&steps.all);
        let zero = self.int(0);
        let (start, rest) = (self.var(zero), self.var(k));
        let found = self.block();
        self.each_bit(&all, Some(steps.of.size()), |this, at, _| {
            let bits = this.steps_at(steps, at);
            let count = bits.into_iter().reduce(|a, b| this.b.ins().iadd(a, b)).unwrap_or(zero);
            this.b.def_var(start, at);
            let k = this.b.use_var(rest);
            let on = this.block();
            let inside = this.cmp(IntCC::UnsignedLessThan, k, count);
            this.branch_on(inside, found, on);
            this.switch_to(on);
            let left = this.b.ins().isub(k, count);
            this.b.def_var(rest, left);
            Ok(())
        })?;
        self.jump(found);
        self.switch_to(found);
        Ok((self.b.use_var(start), self.b.use_var(rest)))
    }
}
