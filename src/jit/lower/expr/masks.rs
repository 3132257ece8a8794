//! Bit-parallel evaluation: conditions on all squares or small numbers at once, as bits.
//!
//! A condition on one local value becomes a row of bits, one for each element of its universe: planes of
//! grids, sets, and static rows for what never changes, combined by and, or, not. Bits outside the domain are
//! meaningless. If a form might fail for some element, it is left to plain loops.

use crate::ir::{Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Type, Value as Known};
use crate::jit::analysis::evaluated::ByElement;
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::{bits_among, members, set_mask_bit};
use crate::jit::layout::shape::{NONE, Scalar, Sort, from_word};
use crate::jit::layout::slots::{REGISTERS, range_of};
use crate::jit::lower::expr::precomputed::Digits;
use crate::jit::lower::expr::static_masks::MAX_EVALUATIONS;
use crate::jit::mir::{Variable, types};

/// The greatest number of values for each of which a condition is evaluated.
const MAX_VALUES: i64 = 9;

/// The elements that are evaluated at once: the possible ones, and those that may occur.
#[derive(Debug, Clone)]
pub struct Universe {
    /// The possible elements.
    pub of: Scalar,
    /// The elements that may occur, as bits.
    pub within: Vec<u64>,
}

impl Builder<'_> {
    /// Whether a slot holds the value that stands for all elements.
    pub(in crate::jit) fn is_slot_of_every(&self, slot: Slot) -> bool {
        matches!(self.locals.bound.get(&slot), Some(Val::Every))
    }

    /// Whether an expression is the value that stands for all elements.
    pub(in crate::jit) fn is_every(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Local(slot) if self.is_slot_of_every(slot))
    }

    /// Whether an expression reads the value that stands for all elements.
    pub fn reads_every(&self, e: &Expr) -> bool {
        crate::ir::free_slots(e).iter().any(|slot| self.is_slot_of_every(*slot))
    }

    /// Returns the bits of a condition for all elements; `None` if it cannot be evaluated for all at once.
    pub fn bit_parallel(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        self.node()?;
        // The reference evaluates it for each element.
        self.cost = self.cost.saturating_add(4 * universe.of.size() as u64);
        let words = universe.of.words();
        if !self.reads_every(e) {
            let holds = self.condition(e)?;
            let one = self.b.ins().uextend(types::I64, holds);
            let all = self.b.ins().ineg(one);
            return Ok(Some(vec![all; words]));
        }
        let free = crate::ir::free_slots(e);
        let never_changes = invariants::is_invariant(self.machine, e, &mut |slot| free.contains(&slot));
        if never_changes && let Some(bits) = self.by_inputs(e, universe, i64::MAX)? {
            return Ok(Some(bits));
        }
        if let Some(bits) = self.bit_parallel_kind(e, universe)? {
            return Ok(Some(bits));
        }
        if let Some(bits) = self.by_threshold(e, universe)? {
            return Ok(Some(bits));
        }
        match self.by_value(e, universe)? {
            Some(bits) => Ok(Some(bits)),
            None => self.by_inputs(e, universe, MAX_EVALUATIONS),
        }
    }

    /// Returns the bits of a condition that depends on the elements only through one grid lookup: for each
    /// value that the grid may hold, the squares that hold it, if the condition holds for that value.
    fn by_value(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        let mut accesses = Vec::new();
        if !self.accesses_of(e, &mut accesses) {
            return Ok(None);
        }
        let Some(first) = accesses.first() else { return Ok(None) };
        let game = &self.machine.game;
        let text = crate::ir::expr_text(game, first);
        if accesses.iter().any(|lookup| crate::ir::expr_text(game, lookup) != text) {
            return Ok(None);
        }
        let Some(lookup) = self.lookup(first, universe)? else { return Ok(None) };
        let of = lookup.of;
        if of.size().saturating_add(of.optional.into()) > MAX_VALUES {
            return Ok(None);
        }
        // What fails for some value would fail even if no element, or none that counts, has that value.
        let of_a_name = |name: Slot| {
            let mut of_a_name = e.clone();
            substitute_lookup(&mut of_a_name, &text, &ExprKind::Local(name), game);
            of_a_name
        };
        if self.may_fail_for_values(first, of_a_name) {
            return Ok(None);
        }
        let values = of.optional.then_some(NONE).into_iter().chain(of.lo..=of.hi);
        let zero = self.int(0);
        let mut all = vec![zero; universe.of.words()];
        for value in values {
            let mut cond = e.clone();
            let known = from_word(of.sort, value, self.layout.squares);
            substitute_lookup(&mut cond, &text, &ExprKind::Value(known.clone()), game);
            let holds = match self.constant(&cond) {
                Some(Known::Bool(false)) => continue,
                Some(Known::Bool(true)) => None,
                // Values of another kind than the expression's type cannot occur here without an earlier
                // failure.
                _ if accesses.iter().any(|lookup| !may_be(&lookup.ty, &known)) => continue,
                _ => Some(self.condition(&cond)?),
            };
            let word = Word { v: self.int(value), s: of, known: Some(value) };
            let Some(mut bits) = self.holding(&lookup, word, universe) else { return Ok(None) };
            if let Some(holds) = holds {
                let wide = self.b.ins().uextend(types::I64, holds);
                let mask = self.b.ins().ineg(wide);
                bits = bits.into_iter().map(|word| self.b.ins().band(word, mask)).collect();
            }
            all = all.into_iter().zip(bits).map(|(a, b)| self.b.ins().bor(a, b)).collect();
        }
        Ok(Some(all))
    }

    /// Collects the grid lookups through which an expression depends on the elements; `false` if it also
    /// depends on them in other ways.
    fn accesses_of<'e>(&self, e: &'e Expr, out: &mut Vec<&'e Expr>) -> bool {
        if !self.reads_every(e) {
            return true;
        }
        match &e.kind {
            ExprKind::Index(base, _) if matches!(base.kind, ExprKind::Table(_) | ExprKind::Own(..)) => {
                out.push(e);
                true
            }
            ExprKind::Not(_)
            | ExprKind::IsNone(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::If(..)
            | ExprKind::Arith(..)
            | ExprKind::Negative(_)
            | ExprKind::Part(..)
            | ExprKind::In(..)
            | ExprKind::Builtin(..) => {
                let mut all = true;
                crate::ir::children(e, &mut |part| all = all && self.accesses_of(part, out));
                all
            }
            _ => false,
        }
    }

    /// Returns the bits of a condition according to its form.
    fn bit_parallel_kind(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        let words = universe.of.words();
        match &e.kind {
            ExprKind::If(arms, otherwise) => {
                let Some(mut result) = self.bit_parallel(otherwise, universe)? else { return Ok(None) };
                for (cond, value) in arms.iter().rev() {
                    let (Some(c), Some(v)) =
                        (self.bit_parallel(cond, universe)?, self.bit_parallel(value, universe)?)
                    else {
                        return Ok(None);
                    };
                    for i in 0..words {
                        let yes = self.b.ins().band(c[i], v[i]);
                        let no = self.b.ins().band_not(result[i], c[i]);
                        result[i] = self.b.ins().bor(yes, no);
                    }
                }
                Ok(Some(result))
            }
            ExprKind::Not(a) => {
                let Some(a) = self.bit_parallel(a, universe)? else { return Ok(None) };
                Ok(Some(a.into_iter().map(|word| self.b.ins().bnot(word)).collect()))
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let both = matches!(e.kind, ExprKind::And(..));
                // The second operand of `and` is evaluated only where the first can hold; that of `or`, only
                // where the first can fail.
                let within = match both {
                    true => self.possible_elements(a, universe),
                    false => self.possible_elements(&crate::opt::negate((**a).clone()), universe),
                };
                let narrowed = Universe { of: universe.of, within };
                if !self.reads_every(a) && self.reads_every(b) && self.may_fail(b) {
                    return self.behind_guard(a, b, both, &narrowed);
                }
                let Some(x) = self.bit_parallel(a, universe)? else { return Ok(None) };
                let Some(y) = self.bit_parallel(b, &narrowed)? else { return Ok(None) };
                let words = x.into_iter().zip(y).map(|(x, y)| match both {
                    true => self.b.ins().band(x, y),
                    false => self.b.ins().bor(x, y),
                });
                Ok(Some(words.collect()))
            }
            ExprKind::Let(slots, value, body) => match self.reads_every(value) {
                true => self.bits_at_computed(slots, value, body, universe),
                false => self.with_let(slots, value, |this| this.bit_parallel(body, universe)),
            },
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::Some | FoldKind::All) => {
                self.bits_of_pairs(fold, universe)
            }
            ExprKind::IsNone(a) => {
                let Some(lookup) = self.lookup(a, universe)? else { return Ok(None) };
                let none = self.word_as(Val::Const(Known::None), lookup.of.sort)?;
                Ok(self.holding(&lookup, none, universe))
            }
            ExprKind::Index(..) if e.ty == Type::Bool => {
                let Some(lookup) = self.lookup(e, universe)? else { return Ok(None) };
                let yes = self.word_as(Val::Const(Known::Bool(true)), lookup.of.sort)?;
                Ok(self.holding(&lookup, yes, universe))
            }
            ExprKind::In(value, domain) => {
                let Domain::Values(source) = &**domain else { return Ok(None) };
                if !self.is_every(value) {
                    return self.membership_for_all(value, source, universe);
                }
                if self.reads_every(source) {
                    return Ok(None);
                }
                // Elements that no candidate can be make no difference.
                match self.distinct(source)? {
                    Val::Bits(bits) | Val::Members(bits) if bits.of.sort == universe.of.sort => {
                        Ok(Some(self.restricted(bits, universe.of).words))
                    }
                    Val::Const(value) => Ok(Some(self.known_restricted(&value, universe.of).words)),
                    _ => Ok(None),
                }
            }
            ExprKind::Compare(a, links) => {
                let [(op, b)] = links.as_slice() else { return Ok(None) };
                if let ExprKind::Fold(fold) = &a.kind
                    && fold.kind == FoldKind::Count
                    && let Some(bits) = self.bits_of_count(fold, (*op, b), universe)?
                {
                    return Ok(Some(bits));
                }
                if !matches!(op, Compare::Equal | Compare::NotEqual) {
                    return self.ordered((a, *op, b), universe);
                }
                let itself = match (self.is_every(a), self.is_every(b)) {
                    (true, false) => Some(b),
                    (false, true) => Some(&**a),
                    _ => None,
                };
                if let Some(other) = itself.filter(|other| !self.reads_every(other)) {
                    let val = self.expr(other)?;
                    let word = self.word_as(val, universe.of.sort)?;
                    if word.s.sort != universe.of.sort {
                        return Ok(None);
                    }
                    let bits = self.bits_of_word(universe.of, word);
                    return Ok(Some(match op {
                        Compare::Equal => bits,
                        _ => bits.into_iter().map(|word| self.b.ins().bnot(word)).collect(),
                    }));
                }
                let (lookup, other) = match (self.reads_every(a), self.reads_every(b)) {
                    (true, false) => (self.lookup(a, universe)?, b),
                    (false, true) => (self.lookup(b, universe)?, &**a),
                    _ => return Ok(None),
                };
                let Some(lookup) = lookup else { return Ok(None) };
                let val = self.expr(other)?;
                let word = self.word_as(val, lookup.of.sort)?;
                let Some(bits) = self.holding(&lookup, word, universe) else { return Ok(None) };
                if *op == Compare::Equal {
                    return Ok(Some(bits));
                }
                Ok(Some(bits.into_iter().map(|word| self.b.ins().bnot(word)).collect()))
            }
            _ => Ok(None),
        }
    }

    /// Returns the bits of `a and b` or `a or b`, if `a` does not depend on the elements and `b` may fail
    /// without it: `b` is evaluated only if `a` does not decide the result.
    fn behind_guard(
        &mut self,
        a: &Expr,
        b: &Expr,
        both: bool,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let all = self.int(if both { 0 } else { -1 });
        let result: Vec<Variable> = (0..universe.of.words()).map(|_| self.var(all)).collect();
        let (open, end) = (self.block(), self.block());
        let (yes, no) = if both { (open, end) } else { (end, open) };
        self.branch(a, yes, no)?;
        self.switch_to(open);
        let words = self.bit_parallel(b, universe)?;
        result.iter().zip(words.iter().flatten()).for_each(|(var, word)| self.b.def_var(*var, *word));
        self.jump(end);
        self.switch_to(end);
        Ok(words.map(|_| result.iter().map(|var| self.b.use_var(*var)).collect()))
    }

    /// Returns the elements for which a condition can hold, judging by what never changes.
    pub fn possible_elements(&mut self, e: &Expr, universe: &Universe) -> Vec<u64> {
        if let ExprKind::And(a, b) = &e.kind {
            let within = self.possible_elements(a, universe);
            return self.possible_elements(b, &Universe { of: universe.of, within });
        }
        let Some(values) = self.values_for_all(e, universe) else {
            return universe.within.clone();
        };
        let mut within = vec![0u64; universe.within.len()];
        for (element, value) in values {
            if !matches!(value, Some(Known::Bool(false))) {
                set_mask_bit(&mut within, element);
            }
        }
        within
    }

    /// Returns the value of an expression for each element, if the expression never changes and reads nothing
    /// else unknown; the value is `None` where evaluation fails. Returns `None` for other expressions.
    pub(in crate::jit) fn values_for_all(&mut self, e: &Expr, universe: &Universe) -> Option<ByElement> {
        let free = crate::ir::free_slots(e);
        let unknown: Vec<Slot> = free.iter().copied().filter(|slot| !self.is_known(*slot)).collect();
        let [every] = unknown.as_slice() else { return None };
        if !self.is_slot_of_every(*every)
            || !invariants::is_invariant(self.machine, e, &mut |slot| free.contains(&slot))
        {
            return None;
        }
        let key = self.evaluation(e, &Digits::default(), &(every, universe));
        let (values, steps) = self.evaluated.values.get(key, || {
            let mut frame = self.known_frame(e);
            self.value_at_each(e, *every, &self.elements(universe), &mut frame)
        });
        self.cost = self.cost.saturating_add(steps);
        Some(values)
    }

    /// Returns the elements of a universe with their places.
    pub(in crate::jit) fn elements(&self, universe: &Universe) -> Vec<(i64, Known)> {
        let Universe { of, within } = universe;
        members(within).map(|at| (at, from_word(of.sort, of.lo + at, self.layout.squares))).collect()
    }

    /// Returns the value of an expression, where a slot of the frame holds each of some elements, `None` where evaluation
    /// fails; and the steps in all.
    pub(in crate::jit) fn value_at_each(
        &self,
        e: &Expr,
        every: Slot,
        elements: &[(i64, Known)],
        frame: &mut Vec<Known>,
    ) -> (ByElement, u64) {
        let (mut values, mut all) = (Vec::with_capacity(elements.len()), 0u64);
        for (at, element) in elements {
            frame[every] = element.clone();
            let (answer, steps) = self.machine.ask_counted(self.blank, |env| env.eval(e, frame));
            all = all.saturating_add(steps);
            values.push((*at, answer.ok()));
        }
        (values, all)
    }

    /// Whether an expression has a value for all elements, judging by what never changes.
    pub fn always(&mut self, e: &Expr, universe: &Universe) -> bool {
        match self.values_for_all(e, universe) {
            Some(values) => values.iter().all(|(_, value)| value.is_some()),
            None => self.constant(e).is_some(),
        }
    }

    // ---- universes

    /// Returns the elements of a domain as bits, with their universe; `None` if they have no such form.
    pub fn domain_bits(&mut self, domain: &Domain) -> Result<Option<(Bits, Universe)>> {
        if let Some(values) = self.known_elements(domain) {
            return Ok(self.known_bits(&values));
        }
        let Domain::Values(e) = domain else { return Ok(None) };
        self.expr_bits(e)
    }

    /// Returns known values as bits; `None` if there are duplicates, which bits cannot count, or too many
    /// elements.
    pub fn known_bits(&mut self, values: &[Known]) -> Option<(Bits, Universe)> {
        let of = range_of(values, self.layout.squares)?;
        let of = if of.sort == Sort::Square { self.layout.squares.scalar() } else { of };
        if of.optional || of.words() > REGISTERS {
            return None;
        }
        let within = bits_among(values, of, self.layout.squares)?;
        let distinct = members(&within).count() == values.len();
        let words = self.static_bits(&within);
        distinct.then_some((Bits { words, of }, Universe { of, within }))
    }

    /// Loads known bits into registers.
    pub fn static_bits(&mut self, words: &[u64]) -> Vec<V> {
        words.iter().map(|word| self.int(*word as i64)).collect()
    }

    pub(in crate::jit) fn full_universe(&self, of: Scalar) -> Universe {
        let within =
            (0..of.words()).map(|i| crate::jit::lower::expr::convert::mask_word(of.size(), i)).collect();
        Universe { of, within }
    }

    /// Returns a collection without duplicates, in ascending order, as bits; `None` if it has no such form.
    pub fn expr_bits(&mut self, e: &Expr) -> Result<Option<(Bits, Universe)>> {
        match &e.kind {
            ExprKind::Let(slots, value, body) if !self.reads_every(e) => {
                self.with_let(slots, value, |this| this.expr_bits(body))
            }
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set) => {
                self.filtered(fold)
            }
            ExprKind::Builtin(Builtin::ToSet | Builtin::ToList, args) => self.expr_bits(&args[0]),
            _ if matches!(e.ty, Type::Set(_))
                || matches!(e.kind, ExprKind::Local(_) | ExprKind::Standing) =>
            {
                match self.expr(e)? {
                    Val::Bits(bits) | Val::Members(bits) => {
                        let universe = self.full_universe(bits.of);
                        Ok(Some((bits, universe)))
                    }
                    _ => self.bits_of_known_list(e),
                }
            }
            _ if matches!(e.ty, Type::List(_)) => self.bits_of_known_list(e),
            _ => Ok(None),
        }
    }

    /// Returns `[s in D where C: s]` as bits.
    pub(in crate::jit) fn filtered(&mut self, fold: &Fold) -> Result<Option<(Bits, Universe)>> {
        let [source] = fold.sources.as_slice() else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        let same = matches!(&fold.body.kind, ExprKind::Local(body) if body == slot);
        if !same || fold.stop.is_some() {
            return Ok(None);
        }
        let Some((bits, universe)) = self.domain_bits(&source.domain)? else { return Ok(None) };
        let Some(filter) = &fold.filter else { return Ok(Some((bits, universe))) };
        let Some(mask) = self.with_every(*slot, |this| this.bit_parallel(filter, &universe))? else {
            return Ok(None);
        };
        let words = bits.words.iter().zip(mask).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        Ok(Some((Bits { words, of: bits.of }, universe)))
    }

    /// Runs `work` while a slot stands for all elements.
    pub fn with_every<T>(&mut self, slot: Slot, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.locals.bound.insert(slot, Val::Every);
        let result = work(self);
        match before {
            Some(val) => self.locals.bound.insert(slot, val),
            None => self.locals.bound.remove(&slot),
        };
        result
    }

    /// Returns the elements of a domain that can be evaluated at compile time, in order.
    pub fn known_elements(&mut self, domain: &Domain) -> Option<Vec<Known>> {
        self.known_values(domain, false)
    }

    /// Returns the values that an argument can be chosen from, each once, if they can be evaluated at compile time.
    pub fn known_choices(&mut self, domain: &Domain) -> Option<Vec<Known>> {
        self.known_values(domain, true)
    }

    fn known_values(&mut self, domain: &Domain, distinct: bool) -> Option<Vec<Known>> {
        if let Domain::Values(e) = domain
            && let ExprKind::Local(slot) = &e.kind
            && let Some(Val::Const(value)) = self.locals.bound.get(slot)
        {
            return Some(crate::eval::elements(value));
        }
        if !invariants::is_invariant_domain(self.machine, domain, &mut |slot| self.is_known(slot)) {
            return None;
        }
        let mut parts = Vec::new();
        crate::ir::domain_parts(domain, &mut parts);
        let most = parts.iter().map(|e| invariants::highest_slot(self.machine, e)).max().unwrap_or(0);
        let read = parts.iter().flat_map(|e| crate::ir::free_slots(e));
        let known: Vec<_> = read.map(|slot| self.known_local(slot)).collect();
        let text = crate::ir::domain_text(&self.machine.game, domain);
        self.evaluated.elements.get(format!("{text} {known:?} {distinct}"), || {
            let frame = self.known_frame_up_to(most);
            invariants::elements_of(self.machine, self.blank, domain, frame, distinct)
        })
    }

    /// Returns the elements that satisfy all conditions, for parameters bound to [`Val::Every`] and the like;
    /// `None` if a condition cannot be evaluated for all elements at once.
    pub(in crate::jit) fn predicate_bits(
        &mut self,
        predicates: &[Expr],
        bits: Bits,
        universe: &Universe,
    ) -> Result<Option<Bits>> {
        let mut words = bits.words;
        let mut universe = universe.clone();
        for (number, predicate) in predicates.iter().enumerate() {
            // What may fail is evaluated only if some element is left, as by the reference.
            words = match number > 0 && self.may_fail(predicate) {
                true => {
                    let left = self.any_bit(&Bits { words: words.clone(), of: bits.of });
                    let all = words;
                    let vars: Vec<Variable> = all.iter().map(|word| self.var(*word)).collect();
                    let (some, end) = (self.block(), self.block());
                    self.branch_on(left, some, end);
                    self.switch_to(some);
                    let mask = self.bit_parallel(predicate, &universe)?;
                    for ((var, word), mask) in vars.iter().zip(&all).zip(mask.iter().flatten()) {
                        let both = self.b.ins().band(*word, *mask);
                        self.b.def_var(*var, both);
                    }
                    self.jump(end);
                    self.switch_to(end);
                    if mask.is_none() {
                        return Ok(None);
                    }
                    vars.into_iter().map(|var| self.b.use_var(var)).collect()
                }
                false => {
                    let Some(mask) = self.bit_parallel(predicate, &universe)? else { return Ok(None) };
                    words.iter().zip(mask).map(|(a, b)| self.b.ins().band(*a, b)).collect()
                }
            };
            // Later conditions are evaluated only where this one can hold.
            universe.within = self.possible_elements(predicate, &universe);
        }
        Ok(Some(Bits { words, of: bits.of }))
    }

    // ---- folds over all elements

    /// Returns two sets for a fold: the elements for which its body holds, and its domain, both filtered. For
    /// some, all and count.
    pub fn bit_parallel_fold(&mut self, fold: &Fold) -> Result<Option<(Bits, Bits)>> {
        let [source] = fold.sources.as_slice() else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        if fold.stop.is_some() {
            return Ok(None);
        }
        let Some((bits, universe)) = self.domain_bits(&source.domain)? else { return Ok(None) };
        let mut domain = bits.words.clone();
        if let Some(filter) = &fold.filter {
            let Some(mask) = self.with_every(*slot, |this| this.bit_parallel(filter, &universe))? else {
                return Ok(None);
            };
            domain = domain.iter().zip(mask).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        }
        let Some(body) = self.with_every(*slot, |this| this.bit_parallel(&fold.body, &universe))? else {
            return Ok(None);
        };
        let holding = domain.iter().zip(body).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        Ok(Some((Bits { words: holding, of: bits.of }, Bits { words: domain, of: bits.of })))
    }
}

/// Whether a value of a type may be this one, judging by its kind.
fn may_be(ty: &Type, value: &Known) -> bool {
    match (ty, value) {
        (Type::Optional(of), value) => *value == Known::None || may_be(of, value),
        (Type::Either(_, of), value) => matches!(value, Known::Symbol(_)) || may_be(of, value),
        (Type::Int, value) => matches!(value, Known::Int(_)),
        (Type::Symbol(_), value) => matches!(value, Known::Symbol(_)),
        (Type::Player, value) => matches!(value, Known::Player(_)),
        (Type::Square, value) => matches!(value, Known::Square(_)),
        (Type::Tuple(_), value) => matches!(value, Known::List(_)),
        _ => true,
    }
}

/// Replaces every lookup with the given text by a value.
fn substitute_lookup(e: &mut Expr, text: &str, value: &ExprKind, game: &crate::ir::Game) {
    if matches!(e.kind, ExprKind::Index(..)) && crate::ir::expr_text(game, e) == text {
        e.kind = value.clone();
        return;
    }
    crate::ir::children_mut(e, &mut |part| substitute_lookup(part, text, value, game));
}
