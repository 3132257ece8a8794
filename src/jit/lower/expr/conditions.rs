//! Conditions: as one-byte values, and as branches.

use crate::ir::{Builtin, Compare, Domain, Expr, ExprKind, Slot, Type, Value as Known};
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::{Cells, Index, KeyedShape, Keys, NONE, Scalar, Sort, UNSET};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::common;
use crate::jit::lower::expr::precomputed::elements_range;
use crate::jit::mir::{Block, IntCC, types};
use crate::opt::{Fact, Scope};

/// Up to how many known lists or sets a value is compared with by code for each of them, where it is looked up among them;
/// more are gone through.
const MAX_COMPARED: usize = 64;

impl Builder<'_> {
    // ---- conditions as values

    /// Lowers a condition to a one-byte value.
    pub fn condition(&mut self, e: &Expr) -> Result<V> {
        self.node()?;
        if let Some(Known::Bool(known)) = self.constant(e) {
            return Ok(self.b.ins().iconst(types::I8, i64::from(known)));
        }
        let mark = MarkedPart::of(e);
        if !self.is_marked(&mark) {
            return self.condition_kind(e).map_err(|unsupported| unsupported.blame(|| mark));
        }
        let val = self.interpreted(e)?;
        let word = self.word_as(val, Sort::Bool)?;
        Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0))
    }

    fn condition_kind(&mut self, e: &Expr) -> Result<V> {
        match &e.kind {
            ExprKind::Not(a) => {
                let v = self.condition(a)?;
                Ok(self.b.ins().bxor_imm_s(v, 1))
            }
            ExprKind::And(..) | ExprKind::Or(..) => {
                let (yes, no, end) = (self.block(), self.block(), self.block());
                let zero = self.b.ins().iconst(types::I8, 0);
                let result = self.var(zero);
                self.branch(e, yes, no)?;
                self.switch_to(yes);
                let one = self.b.ins().iconst(types::I8, 1);
                self.b.def_var(result, one);
                self.jump(end);
                self.switch_to(no);
                let zero = self.b.ins().iconst(types::I8, 0);
                self.b.def_var(result, zero);
                self.jump(end);
                self.switch_to(end);
                Ok(self.b.use_var(result))
            }
            ExprKind::Compare(first, links) => self.compared(first, links),
            ExprKind::In(value, domain) => {
                if let Some(val) = self.tabulated(e)? {
                    let word = self.word(val)?;
                    return Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0));
                }
                self.is_in(value, domain)
            }
            ExprKind::IsNone(a) => {
                let val = self.expr(a)?;
                if let Val::Optional(..) | Val::Cells { .. } = val {
                    let present = self.is_present(&val);
                    return Ok(self.b.ins().bxor_imm_s(present, 1));
                }
                let word = self.word(val)?;
                if !word.s.optional {
                    return Ok(self.b.ins().iconst(types::I8, 0));
                }
                Ok(self.cmp_imm(IntCC::Equal, word.v, NONE))
            }
            ExprKind::IsIn(who) => {
                let who = self.player_of(who)?;
                let standing = self.standing();
                Ok(self.has_bit(&standing, who))
            }
            ExprKind::Let(slots, value, body) => self.with_let(slots, value, |this| this.condition(body)),
            ExprKind::Builtin(builtin, _) => {
                if let Some(val) = self.tabulated(e)? {
                    let word = self.word(val)?;
                    return Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0));
                }
                self.memoised_condition(e, |this, own| {
                    let ExprKind::Builtin(_, args) = &own.kind else { return this.condition_kind(own) };
                    match this.builtin_condition(*builtin, args)? {
                        Some(v) => Ok(v),
                        None => unsupported(format!("`{}`", builtin.name())),
                    }
                })
            }
            ExprKind::Fold(_) => self.memoised_condition(e, |this, own| match &own.kind {
                ExprKind::Fold(fold) => this.fold_condition(fold),
                _ => this.condition_kind(own),
            }),
            _ => {
                let val = self.expr(e)?;
                let word = self.word_as(val, Sort::Bool)?;
                let word = self.require_some(word);
                Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0))
            }
        }
    }

    /// Branches to `yes` if a condition holds and to `no` otherwise, ending the block.
    pub fn branch(&mut self, e: &Expr, yes: Block, no: Block) -> Result<()> {
        if let Some(Known::Bool(known)) = self.constant(e) {
            self.jump(if known { yes } else { no });
            return Ok(());
        }
        match &e.kind {
            ExprKind::And(a, b) => {
                let on = self.block();
                self.branch(a, on, no)?;
                self.switch_to(on);
                self.branch(b, yes, no)
            }
            ExprKind::Or(a, b) => {
                let on = self.block();
                self.branch(a, yes, on)?;
                self.switch_to(on);
                self.branch(b, yes, no)
            }
            ExprKind::Not(a) => self.branch(a, no, yes),
            ExprKind::Let(slots, value, body) => {
                self.with_let(slots, value, |this| this.branch(body, yes, no))
            }
            _ => {
                let cond = self.condition(e)?;
                self.branch_on(cond, yes, no);
                Ok(())
            }
        }
    }

    pub(in crate::jit) fn compared(&mut self, first: &Expr, links: &[(Compare, Expr)]) -> Result<V> {
        let mut left = self.expr(first)?;
        if let [(op, right)] = links {
            let right = self.expr(right)?;
            return self.compare(*op, left, right, wider(&first.ty, &links[0].1.ty));
        }
        let end = self.block();
        let zero = self.b.ins().iconst(types::I8, 0);
        let result = self.var(zero);
        let mut ty = &first.ty;
        for (op, e) in links {
            let right = self.expr(e)?;
            let holds = self.compare(*op, left, right.clone(), wider(ty, &e.ty))?;
            ty = &e.ty;
            self.b.def_var(result, holds);
            self.leave_unless(holds, end);
            left = right;
        }
        self.jump(end);
        self.switch_to(end);
        Ok(self.b.use_var(result))
    }

    /// Compares two values.
    pub fn compare(&mut self, op: Compare, a: Val, b: Val, ty: &Type) -> Result<V> {
        let scalar = |val: &Val| match val {
            Val::Word(_) => true,
            Val::Const(value) => !matches!(
                value,
                Known::List(_)
                    | Known::Set(_)
                    | Known::Bag(_)
                    | Known::Grid(_)
                    | Known::Map(_)
                    | Known::Text(_)
            ),
            _ => false,
        };
        if scalar(&a) && scalar(&b) {
            let sort = |val: &Val| if let Val::Word(word) = val { Some(word.s.sort) } else { None };
            let mut sorts = [sort(&a), sort(&b)].into_iter().flatten();
            let two = sorts.clone().find(|sort| matches!(sort, Sort::Either(_)));
            let sort = two.or(sorts.next()).unwrap_or(Sort::Int);
            let among = Scalar { sort, ..Scalar::any_int() };
            let (a, b) = match (op, sort) {
                (Compare::Equal | Compare::NotEqual, _) => {
                    (self.lookup_word(a, among)?, self.lookup_word(b, among)?)
                }
                (Compare::Divides, Sort::Either(_)) => {
                    (self.word_as(a, Sort::Int)?, self.word_as(b, Sort::Int)?)
                }
                (_, Sort::Either(_)) => (self.comparable_number(a)?, self.comparable_number(b)?),
                _ => (self.word_as(a, sort)?, self.word_as(b, sort)?),
            };
            let cc = match op {
                Compare::Equal => IntCC::Equal,
                Compare::NotEqual => IntCC::NotEqual,
                Compare::Less => IntCC::SignedLessThan,
                Compare::AtMost => IntCC::SignedLessThanOrEqual,
                Compare::Greater => IntCC::SignedGreaterThan,
                Compare::AtLeast => IntCC::SignedGreaterThanOrEqual,
                Compare::Divides => return self.divides(a, b),
            };
            if a.s.sort != b.s.sort {
                return unsupported("a comparison of different sorts");
            }
            return Ok(self.cmp(cc, a.v, b.v));
        }
        let equal = match op {
            Compare::Equal | Compare::NotEqual => self.same(a, b, ty)?,
            _ => return unsupported("an order of large values"),
        };
        Ok(if op == Compare::Equal { equal } else { self.b.ins().bxor_imm_s(equal, 1) })
    }

    pub(in crate::jit) fn divides(&mut self, a: Word, b: Word) -> Result<V> {
        let (a, b) = (self.require_some(a), self.require_some(b));
        // 0 divides nothing but 0.
        let zero = self.cmp_imm(IntCC::Equal, a.v, 0);
        let huge = self.int(i64::MAX);
        let by = self.b.ins().select(zero, huge, a.v);
        let rest = self.b.ins().srem(b.v, by);
        Ok(self.cmp_imm(IntCC::Equal, rest, 0))
    }

    /// Returns whether a number is one of the divisors of another, without listing them unless they are known beforehand.
    fn is_divisor(&mut self, value: &Expr, args: &[Expr]) -> Result<V> {
        let divisors = Expr {
            kind: ExprKind::Builtin(Builtin::Divisors, args.to_vec()),
            ty: Type::Set(Box::new(Type::Int)),
            span: value.span,
        };
        let own = self.expr(value)?;
        if let Some(known) = self.by_table(Builtin::Divisors, args, &divisors)? {
            return self.has(known, own);
        }
        let (own, of) = (self.word(own)?, self.number_of(&args[0])?);
        let none = self.cmp_imm(IntCC::Equal, of.v, 0);
        self.bail_out_if(none);
        let positive = self.cmp_imm(IntCC::SignedGreaterThan, own.v, 0);
        let divides = self.divides(own, of)?;
        Ok(self.b.ins().band(positive, divides))
    }

    /// Returns whether two collections of one type are equal.
    pub(in crate::jit) fn same(&mut self, a: Val, b: Val, ty: &Type) -> Result<V> {
        match ty {
            Type::Set(of) if is_compound(of) => {
                // The lists of their elements are sorted.
                self.same_gathered(a, b, ty)
            }
            Type::Set(of) => {
                let Some(of) = self.type_scalar(of) else {
                    return unsupported("sets of large values compared");
                };
                self.same_sets(a, b, of)
            }
            Type::Optional(of) if is_compound(of) => self.same_optional(a, b, of),
            Type::List(of) if is_compound(of) => self.same_gathered(a, b, ty),
            Type::List(_) => {
                let (a, b) = (self.list(a)?, self.list(b)?);
                let (a, b) = self.with_common_sort(a, b)?;
                self.same_throughout(a, b, |this, i| {
                    let (x, y) = (this.element(a, i), this.element(b, i));
                    Ok(this.cmp(IntCC::Equal, x.v, y.v))
                })
            }
            Type::Tuple(types) => {
                let (a, b) = (self.tuple_parts(&a, types.len()), self.tuple_parts(&b, types.len()));
                let (Some(a), Some(b)) = (a, b) else { return unsupported("tuples compared") };
                let mut all = self.b.ins().iconst(types::I8, 1);
                for ((a, b), ty) in a.into_iter().zip(b).zip(types) {
                    let same = self.compare(Compare::Equal, a, b, ty)?;
                    all = self.b.ins().band(all, same);
                }
                Ok(all)
            }
            ty @ Type::Optional(_) if Builder::tuple_types(ty).is_some() => {
                // One of them is a word.
                let sort = match (&a, &b) {
                    (Val::Word(word), _) | (_, Val::Word(word)) => word.s.sort,
                    _ => Sort::Int,
                };
                let Sort::Tuple(row) = sort else { return unsupported("tuples compared") };
                let (a, b) = (self.pack_as(row, a, false)?, self.pack_as(row, b, false)?);
                Ok(self.cmp(IntCC::Equal, a.v, b.v))
            }
            Type::Grid(_) | Type::Map(..) => self.same_keyed(&a, &b),
            Type::Bag(of) if !is_compound(of) => self.same_bags(a, b, of),
            _ => unsupported("a comparison of bags of large values"),
        }
    }

    /// Returns whether two sets with elements of a domain are equal.
    pub(in crate::jit) fn same_sets(&mut self, a: Val, b: Val, of: Scalar) -> Result<V> {
        let universe = match (self.element_scalar(&a), self.element_scalar(&b)) {
            (Some(x), Some(y)) => common(x, y),
            (x, y) => x.or(y),
        };
        let universe = universe.map(|of| Scalar { optional: false, ..of });
        let universe = universe.filter(|of| of.words() <= REGISTERS).unwrap_or(of);
        let ((a, none), (b, other)) = (self.bits_and_none(a, universe)?, self.bits_and_none(b, universe)?);
        let same = self.same_bits(&a.words, &b.words);
        Ok(match (none, other) {
            (None, None) => same,
            (Some(any), None) | (None, Some(any)) => {
                let no_none = self.b.ins().bxor_imm_s(any, 1);
                self.b.ins().band(same, no_none)
            }
            (Some(any), Some(other)) => {
                let alike = self.cmp(IntCC::Equal, any, other);
                self.b.ins().band(same, alike)
            }
        })
    }

    /// Returns whether two lists are of the same length, and `same` holds at each index, from 0.
    pub(in crate::jit) fn same_throughout(
        &mut self,
        a: List,
        b: List,
        same: impl FnOnce(&mut Self, V) -> Result<V>,
    ) -> Result<V> {
        let same_len = self.cmp(IntCC::Equal, a.len, b.len);
        let result = self.var(same_len);
        self.when(same_len, |this| {
            let zero = this.int(0);
            let last = this.b.ins().iadd_imm_s(a.len, -1);
            let same = this.all_hold(zero, last, a.most.or(b.most), same)?;
            this.b.def_var(result, same);
            Ok(())
        })?;
        Ok(self.b.use_var(result))
    }

    pub(in crate::jit) fn is_in(&mut self, value: &Expr, domain: &Domain) -> Result<V> {
        match domain {
            Domain::Range(low, high) => {
                let value = self.lookup_number(value)?;
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                let above = self.cmp(IntCC::SignedGreaterThanOrEqual, value.v, low.v);
                let below = self.cmp(IntCC::SignedLessThanOrEqual, value.v, high.v);
                let both = self.b.ins().band(above, below);
                if !value.s.optional {
                    return Ok(both);
                }
                let present = self.cmp_imm(IntCC::NotEqual, value.v, NONE);
                Ok(self.b.ins().band(both, present))
            }
            Domain::AtLeast(low) => {
                let value = self.lookup_number(value)?;
                let low = self.number_of(low)?;
                let from = self.cmp(IntCC::SignedGreaterThanOrEqual, value.v, low.v);
                let present = self.cmp_imm(IntCC::NotEqual, value.v, NONE);
                Ok(self.b.ins().band(from, present))
            }
            Domain::Ints => {
                let value = self.lookup_number(value)?;
                Ok(self.cmp_imm(IntCC::SignedGreaterThan, value.v, UNSET))
            }
            Domain::Values(Expr { kind: ExprKind::Builtin(Builtin::Divisors, args), .. })
                if self.type_scalar(&value.ty).is_some_and(|of| !of.optional) =>
            {
                self.is_divisor(value, args)
            }
            Domain::Values(source) => {
                let ty = &value.ty;
                let value = self.expr(value)?;
                let source = self.distinct(source)?;
                match &source {
                    Val::List(list) if list.is_of_kept() => self.is_among_gathered(*list, value, ty),
                    Val::Const(all) if matches!(ty, Type::List(_) | Type::Set(_)) => {
                        self.is_one_of(value, &crate::eval::elements(all), ty)
                    }
                    _ => self.has(source, value),
                }
            }
            _ => unsupported("a test against a domain of rows"),
        }
    }

    /// Returns whether a list or a set is one of some known ones.
    fn is_one_of(&mut self, value: Val, known: &[Known], ty: &Type) -> Result<V> {
        if known.len() > MAX_COMPARED {
            let Some((words, of)) = self.keep_known(known, ty) else {
                return unsupported("a list or a set looked up among many others");
            };
            let (at, len) = (self.static_row(words), self.int(known.len() as i64));
            let list = List::immutable(at, len, self.kept_scalar(&of), Some(known.len() as i64));
            return self.is_among_gathered(list, value, ty);
        }
        let value = match ty {
            Type::List(_) => Val::List(self.list(value)?),
            _ => value,
        };
        let mut any = self.b.ins().iconst(types::I8, 0);
        for one in known {
            let same = self.same(value.clone(), Val::Const(one.clone()), ty)?;
            any = self.b.ins().bor(any, same);
        }
        Ok(any)
    }

    /// Lowers a value to be looked up among numbers; a value of another kind becomes a word that no number
    /// has.
    fn lookup_number(&mut self, e: &Expr) -> Result<Word> {
        let word = self.word_of(e)?;
        self.convert_to_sort(word, Sort::Int, false)
    }

    /// Whether evaluating a condition may fail if the guard before it is not tested.
    pub(in crate::jit) fn may_fail(&self, e: &Expr) -> bool {
        self.is_known_by_guard(e) || !self.facts.total(e, &self.known_scope())
    }

    /// Whether evaluating an expression may fail for some values of a local and not for others.
    pub(in crate::jit) fn may_fail_for_some(&self, e: &Expr, slot: Slot) -> bool {
        let (mut e, mut scope) = (e.clone(), self.known_scope());
        self.assume_the_rest(&mut e, slot, &mut scope);
        self.is_known_by_guard(&e) || !self.facts.total(&e, &scope)
    }

    /// Whether evaluating an expression may fail for some of the values that one of its parts can have, and not for
    /// others. `of_a_name` returns the expression with a local in the place of the part.
    pub(in crate::jit) fn may_fail_for_values(&self, part: &Expr, of_a_name: impl Fn(Slot) -> Expr) -> bool {
        let mut scope = self.known_scope();
        let name = self.fresh_name(&scope);
        scope.insert(name, self.facts.of(part, &scope));
        let mut e = of_a_name(name);
        self.assume_the_rest(&mut e, name, &mut scope);
        !self.facts.total(&e, &scope)
    }

    /// Returns a slot that nothing uses.
    fn fresh_name(&self, scope: &Scope) -> Slot {
        scope.slots.keys().next_back().map_or(0, |last| last + 1).max(self.machine.game.slots)
    }

    /// Puts names that have a value in the place of all parts that do not depend on a local.
    fn assume_the_rest(&self, e: &mut Expr, slot: Slot, scope: &mut Scope) {
        if !crate::ir::reads(e, slot) {
            let name = self.fresh_name(scope);
            let known = self.facts.of(e, scope);
            scope.insert(name, Fact { optional: false, ..known });
            e.kind = ExprKind::Local(name);
            return;
        }
        crate::ir::children_mut(e, &mut |part| self.assume_the_rest(part, slot, scope));
    }

    /// Returns what is known of the local values.
    pub(in crate::jit) fn known_scope(&self) -> Scope {
        let mut scope = Scope::default();
        for slot in self.locals.bound.keys() {
            match self.fact_of_slot(*slot) {
                Some(fact) => scope.insert(*slot, fact),
                None => scope.mark_set(*slot),
            }
        }
        scope
    }

    /// Whether an expression uses an optional value that a guard has shown to be present.
    pub(in crate::jit) fn is_known_by_guard(&self, e: &Expr) -> bool {
        let optional = |ty: &Type| matches!(ty, Type::Optional(_));
        let declared = match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => optional(&self.machine.game.state[*id].form.ty()),
            ExprKind::Local(slot) => {
                matches!(self.locals.bound.get(slot), Some(Val::Word(word)) if word.s.optional)
            }
            _ => false,
        };
        let mut any = declared && !optional(&e.ty);
        crate::ir::children(e, &mut |part| any = any || self.is_known_by_guard(part));
        any
    }

    /// Returns whether a collection contains a value.
    pub fn has(&mut self, collection: Val, value: Val) -> Result<V> {
        if let Val::Pool { handle, of } = &collection {
            let (at, words) = self.entry(of, value)?;
            let ctx = self.ctx;
            let found = self.call("pool_has", &[ctx, *handle, at, words])?;
            return Ok(self.cmp_imm(IntCC::NotEqual, found, 0));
        }
        if let Val::Cells { at, cells } = &collection {
            return self.is_among_cells(*at, cells, value);
        }
        let among = self.element_scalar(&collection);
        let word = match among {
            Some(of) => self.lookup_word(value, of)?,
            None => self.word(value)?,
        };
        if let Some(bits) = self.picked_with(&collection, word) {
            return Ok(self.any_bit(&bits));
        }
        match collection {
            Val::Bits(bits) | Val::Members(bits) => Ok(self.has_bit(&bits, word)),
            Val::MemoryBits { at, of } => {
                let from = self.b.ins().iadd_imm_s(word.v, -of.lo);
                let in_range = self.cmp_imm(IntCC::UnsignedLessThan, from, of.size());
                let zero = self.int(0);
                let from = self.b.ins().select(in_range, from, zero);
                let bit = self.memory_bit(at, from);
                Ok(self.b.ins().band(bit, in_range))
            }
            Val::Counts { at, of } => {
                let count = self.count_of(at, of, word);
                Ok(self.cmp_imm(IntCC::NotEqual, count, 0))
            }
            Val::Span(lo, hi) => {
                let above = self.cmp(IntCC::SignedGreaterThanOrEqual, word.v, lo.v);
                let below = self.cmp(IntCC::SignedLessThanOrEqual, word.v, hi.v);
                Ok(self.b.ins().band(above, below))
            }
            Val::Keyed { shape, .. } => Ok(self.is_key(shape.keys, word)),
            Val::Const(value) => {
                if let Some(of) = among
                    && !of.optional
                    && of.words() <= REGISTERS
                {
                    let bits = self.known_restricted(&value, of);
                    return Ok(self.has_bit(&bits, word));
                }
                let list = self.list(Val::Const(value))?;
                self.list_has(list, word)
            }
            Val::BagOfList(list) => self.list_has(list, word),
            other => {
                let list = self.list(other)?;
                self.list_has(list, word)
            }
        }
    }

    /// Returns the scalar of a collection's elements, if they are single values.
    pub(in crate::jit) fn element_scalar(&self, collection: &Val) -> Option<Scalar> {
        Some(match collection {
            Val::Bits(Bits { of, .. }) | Val::Members(Bits { of, .. }) => *of,
            Val::MemoryBits { of, .. } | Val::Counts { of, .. } => *of,
            Val::List(list) | Val::BagOfList(list) if !list.is_of_kept() => list.of,
            Val::Picked { shape, .. } => shape.of,
            Val::Keyed { shape: KeyedShape { keys: Keys::Of(key), .. }, .. }
            | Val::Cells { cells: Cells { index: Index::Keyed(Keys::Of(key)), .. }, .. } => *key,
            Val::Const(value) => elements_range(&crate::eval::elements(value), self.layout.squares)?,
            _ => return None,
        })
    }

    /// Returns the bit of a large set at an index, which must be in range.
    pub fn memory_bit(&mut self, at: V, number: V) -> V {
        let word = self.b.ins().ushr_imm_s(number, 6);
        let place = self.entry_at(at, word, 8);
        let word = self.load64(place, 0);
        let moved = self.b.ins().ushr(word, number);
        let bit = self.b.ins().band_imm_s(moved, 1);
        self.cmp_imm(IntCC::NotEqual, bit, 0)
    }

    /// Returns how often a bag contains an element; 0 outside of its universe.
    pub fn count_of(&mut self, at: V, of: Scalar, word: Word) -> V {
        let from = self.b.ins().iadd_imm_s(word.v, -of.lo);
        let in_range = self.cmp_imm(IntCC::UnsignedLessThan, from, of.size());
        let zero = self.int(0);
        let safe = self.b.ins().select(in_range, from, zero);
        let place = self.entry_at(at, safe, 4);
        let count = self.load_u(4, place, 0);
        self.b.ins().select(in_range, count, zero)
    }

    pub(in crate::jit) fn list_has(&mut self, list: List, word: Word) -> Result<V> {
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm_s(list.len, -1);
        let others = self.all_hold(zero, last, list.most, |this, i| {
            let item = this.element(list, i);
            Ok(this.cmp(IntCC::NotEqual, item.v, word.v))
        })?;
        Ok(self.b.ins().bxor_imm_s(others, 1))
    }
}

/// Returns the type of two that are compared of which one may be none if any may.
fn wider<'t>(a: &'t Type, b: &'t Type) -> &'t Type {
    if matches!(b, Type::Optional(_)) { b } else { a }
}
