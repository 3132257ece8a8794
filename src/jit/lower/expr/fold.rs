//! Binders, and the loops that they become.

use crate::ir::{Arith, Domain, Expr, ExprKind, Fold, FoldKind, Source, Type};
use crate::jit::analysis::invariants;
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{LIMIT, Scalar};
use crate::jit::layout::slots::{REGISTERS, range_of};
use crate::jit::lower::expr::gathered::Elements;
use crate::jit::lower::expr::regions::regions_source;
use crate::jit::mir::{IntCC, Variable, types};

impl Builder<'_> {
    /// Lowers a binder to its value.
    pub fn fold(&mut self, fold: &Fold, ty: &Type) -> Result<Val> {
        let result = self.fold_inside(fold, ty);
        for source in &fold.sources {
            for slot in &source.slots {
                self.locals.bound.remove(slot);
            }
        }
        result
    }

    pub(in crate::jit) fn fold_inside(&mut self, fold: &Fold, ty: &Type) -> Result<Val> {
        if let Some(end) = self.end_of_selection(fold)? {
            return Ok(Val::Word(end));
        }
        match fold.kind {
            FoldKind::All | FoldKind::Some => {
                let v = self.fold_condition(fold)?;
                Ok(Val::Word(self.bool_word(v)))
            }
            FoldKind::Count => {
                if let Some((holding, _)) = self.bit_parallel_fold(fold)? {
                    let most = holding.of.size();
                    let v = self.popcount(&holding);
                    return Ok(Val::Word(Builder::ranged(v, 0, most)));
                }
                if let Some(families) = self.bits_of_lines(fold)? {
                    let words = families.concat();
                    let most = words.len() as i64 * 64;
                    let counts: Vec<V> = words.into_iter().map(|word| self.b.ins().popcnt(word)).collect();
                    let all = counts.into_iter().reduce(|a, b| self.b.ins().iadd(a, b));
                    let v = all.unwrap_or_else(|| self.int(0));
                    return Ok(Val::Word(Builder::ranged(v, 0, most)));
                }
                let zero = self.int(0);
                let count = self.var(zero);
                let done = self.block();
                self.each_fold_element(fold, 0, done, &mut |this, body| {
                    let holds = this.condition(body)?;
                    this.count_if(count, holds);
                    Ok(())
                })?;
                Ok(Val::Word(Builder::ranged(self.b.use_var(count), 0, 1 << 40)))
            }
            FoldKind::Sum | FoldKind::Product | FoldKind::Xor | FoldKind::Gcd | FoldKind::Lcm => {
                self.numbers(fold)
            }
            FoldKind::Largest | FoldKind::Smallest => {
                let zero = self.int(0);
                let (best, found) = (self.var(zero), self.var(zero));
                let least = fold.kind == FoldKind::Smallest;
                let done = self.block();
                let mut range: Option<Scalar> = None;
                self.each_fold_element(fold, 0, done, &mut |this, body| {
                    let word = this.number_of(body)?;
                    range = Some(range.map_or(word.s, |all| all.join(word.s).unwrap_or(word.s)));
                    let (so_far, any) = (this.b.use_var(best), this.b.use_var(found));
                    let next = match least {
                        true => this.b.ins().smin(so_far, word.v),
                        false => this.b.ins().smax(so_far, word.v),
                    };
                    let next = this.b.ins().select(any, next, word.v);
                    this.b.def_var(best, next);
                    let one = this.int(1);
                    this.b.def_var(found, one);
                    Ok(())
                })?;
                let any = self.b.use_var(found);
                self.bail_out_unless(any);
                let s = range.unwrap_or(Scalar::any_int());
                Ok(Val::Word(Word {
                    v: self.b.use_var(best),
                    s: Scalar { optional: false, ..s },
                    known: None,
                }))
            }
            FoldKind::First => {
                let mut elements = Elements::of(self.type_scalar(ty));
                let zero = self.int(0);
                let (value, found, done) = (self.var(zero), self.var(zero), self.block());
                self.each_gathered_word(fold, &mut elements, done, |this, word| {
                    this.b.def_var(value, word);
                    let one = this.int(1);
                    this.b.def_var(found, one);
                    this.jump_away(done);
                })?;
                let any = self.b.use_var(found);
                self.bail_out_unless(any);
                let word = self.b.use_var(value);
                Ok(self.named_element(word, elements))
            }
            FoldKind::Set => match self.fold_bits(fold, ty)? {
                Some(bits) => Ok(Val::Bits(bits)),
                None => {
                    let list = self.fold_list(fold, ty)?;
                    Ok(Val::List(self.set_of_list(list)?))
                }
            },
            FoldKind::List => {
                if let Some(bits) = self.fold_members(fold)? {
                    return Ok(Val::Members(bits));
                }
                Ok(Val::List(self.fold_list(fold, ty)?))
            }
            FoldKind::Bag => match self.fold_list(fold, ty)? {
                list if list.is_of_kept() => unsupported("a bag of large values gathered"),
                list => Ok(Val::BagOfList(list)),
            },
            FoldKind::Reach => {
                if let Some(reached) = self.bit_parallel_reach(fold)? {
                    return Ok(Val::Bits(reached.squares));
                }
                self.reach(fold, ty)
            }
        }
    }

    /// Whether a binder only selects, from a domain that ascends.
    fn selects_ascending(&mut self, fold: &Fold) -> bool {
        invariants::only_filters(fold)
            && match self.known_elements(&fold.sources[0].domain) {
                Some(values) => values.is_sorted_by(|a, b| a < b),
                None => {
                    matches!(&fold.sources[0].domain, Domain::Values(e) if matches!(e.ty, Type::Set(_)))
                }
            }
    }

    /// Returns the largest, the smallest or the first of the elements that a binder selects from a small domain; `None` for other
    /// binders.
    fn end_of_selection(&mut self, fold: &Fold) -> Result<Option<Word>> {
        let stops = fold.kind == FoldKind::First;
        let fits = match (fold.kind, &fold.body.ty) {
            (FoldKind::First, Type::Square | Type::Player | Type::Symbol(_)) => true,
            (FoldKind::First | FoldKind::Largest | FoldKind::Smallest, ty) => *ty == Type::Int,
            _ => false,
        };
        let end = if fits && !stops { self.end_of_row(fold)? } else { None };
        if !fits || end.is_some() || !invariants::only_filters(fold) {
            return Ok(end);
        }
        let mut scope = self.known_scope();
        self.facts.enter(fold, 0, &mut scope);
        // What comes after the first element may fail.
        let fails = |filter: &Expr| self.is_known_by_guard(filter) || !self.facts.total(filter, &scope);
        if stops && (fold.filter.as_ref().is_some_and(fails) || !self.selects_ascending(fold)) {
            return Ok(None);
        }
        let bits = match self.filtered(fold)? {
            None if !stops => self.selected(fold)?,
            found => found.map(|(bits, _)| bits),
        };
        let Some(bits) = bits else { return Ok(None) };
        let any = self.any_bit(&bits);
        self.bail_out_unless(any);
        let at = self.lowest_or_highest_bit(&bits, fold.kind != FoldKind::Largest);
        let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
        Ok(Some(Word { v, s: bits.of, known: None }))
    }

    /// Returns the list that a binder builds as bits, which keep its order; `None` if they cannot.
    pub(in crate::jit) fn fold_members(&mut self, fold: &Fold) -> Result<Option<Bits>> {
        if !self.selects_ascending(fold) {
            return Ok(None);
        }
        match self.filtered(fold)? {
            Some((bits, _)) => Ok(Some(bits)),
            None => self.selected(fold),
        }
    }

    /// Returns the elements of a known small domain that pass a binder's filter, without branches; `None` if
    /// the binder does more than select, or has another domain.
    fn selected(&mut self, fold: &Fold) -> Result<Option<Bits>> {
        let (true, [source]) = (invariants::only_filters(fold), fold.sources.as_slice()) else {
            return Ok(None);
        };
        let Some(values) = self.known_elements(&source.domain) else { return Ok(None) };
        let Some(of) = range_of(&values, self.layout.squares) else { return Ok(None) };
        if of.optional || of.words() > 1 {
            return Ok(None);
        }
        let zero = self.int(0);
        let bits = self.var(zero);
        self.each_known(&values, &source.domain.element(), &source.slots, &mut |this| {
            let val = this.local(source.slots[0])?;
            let word = this.word(val)?;
            let holds = match &fold.filter {
                Some(filter) => this.condition(filter)?,
                None => this.b.ins().iconst(types::I8, 1),
            };
            let place = this.b.ins().iadd_imm_s(word.v, -of.lo);
            this.set_bit_if(holds, bits, place);
            Ok(())
        })?;
        Ok(Some(Bits { words: vec![self.b.use_var(bits)], of }))
    }

    /// Lowers some or all to a one-byte condition.
    pub fn fold_condition(&mut self, fold: &Fold) -> Result<V> {
        if let Some(families) = self.bits_of_lines(fold)? {
            let bits = families.concat().into_iter().reduce(|a, b| self.b.ins().bor(a, b));
            let bits = bits.unwrap_or_else(|| self.int(0));
            let none = if fold.kind == FoldKind::Some { IntCC::NotEqual } else { IntCC::Equal };
            return Ok(self.cmp_imm(none, bits, 0));
        }
        if let Some((holding, domain)) = self.bit_parallel_fold(fold)? {
            if fold.kind == FoldKind::Some {
                return Ok(self.any_bit(&holding));
            }
            return Ok(self.same_bits(&holding.words, &domain.words));
        }
        let all = fold.kind == FoldKind::All;
        let first = self.b.ins().iconst(types::I8, i64::from(all));
        let result = self.var(first);
        let done = self.block();
        self.each_fold_element(fold, 0, done, &mut |this, body| {
            let (hit, on) = (this.block(), this.block());
            match all {
                true => this.branch(body, on, hit)?,
                false => this.branch(body, hit, on)?,
            }
            this.switch_to(hit);
            let found = this.b.ins().iconst(types::I8, i64::from(!all));
            this.b.def_var(result, found);
            this.jump(done);
            this.switch_to(on);
            Ok(())
        })?;
        Ok(self.b.use_var(result))
    }

    pub(in crate::jit) fn numbers(&mut self, fold: &Fold) -> Result<Val> {
        let one = i64::from(matches!(fold.kind, FoldKind::Product | FoldKind::Lcm));
        let first = self.int(one);
        let all = self.var(first);
        let done = self.block();
        // Bounds the sum or product if the number of elements is known.
        let trips = self.trips(fold);
        // If the loop is unrolled, each element has code, and a range, of its own.
        let mut range: Option<(i64, i64)> = Some((one, one));
        let join = |range: Option<(i64, i64)>, (lo, hi): (i64, i64)| {
            range.map(|(low, high)| (low.min(lo), high.max(hi)))
        };
        self.each_fold_element(fold, 0, done, &mut |this, body| {
            let word = this.number_of(body)?;
            let so_far = this.b.use_var(all);
            let limit = i128::from(LIMIT);
            let next = match fold.kind {
                FoldKind::Sum => {
                    let sum = this.b.ins().iadd(so_far, word.v);
                    let ends = trips.map(|n| {
                        let n = i128::from(n);
                        ((i128::from(word.s.lo) * n).min(0), (i128::from(word.s.hi) * n).max(0))
                    });
                    match ends.filter(|(lo, hi)| *lo >= -limit && *hi <= limit) {
                        Some((lo, hi)) => {
                            range = join(range, (lo as i64, hi as i64));
                            sum
                        }
                        None => {
                            range = None;
                            this.within(sum, -2 * limit, 2 * limit).v
                        }
                    }
                }
                FoldKind::Product => {
                    let size = i128::from(word.s.lo.unsigned_abs().max(word.s.hi.unsigned_abs()));
                    let most = trips
                        .and_then(|n| size.max(1).checked_pow(u32::try_from(n).ok()?))
                        .filter(|most| *most <= limit);
                    match most {
                        Some(most) => {
                            let most = most as i64;
                            range = join(range, (if word.s.lo < 0 { -most } else { 0 }, most));
                            this.b.ins().imul(so_far, word.v)
                        }
                        None => {
                            range = None;
                            let so_far = Builder::ranged(so_far, -LIMIT, LIMIT);
                            this.arith(Arith::Mul, so_far, word)?.v
                        }
                    }
                }
                FoldKind::Gcd => {
                    range = None;
                    this.call("gcd", &[so_far, word.v])?
                }
                FoldKind::Lcm => {
                    range = None;
                    this.number_by_call("lcm", &[so_far, word.v])?
                }
                _ => {
                    range = None;
                    if word.s.lo < 0 {
                        let negative = this.cmp_imm(IntCC::SignedLessThan, word.v, 0);
                        this.bail_out_if(negative);
                    }
                    let all = this.b.ins().bxor(so_far, word.v);
                    this.within(all, 0, 2 * limit).v
                }
            };
            this.b.def_var(all, next);
            Ok(())
        })?;
        let v = self.b.use_var(all);
        let (lo, hi) = range.unwrap_or((-LIMIT, LIMIT));
        Ok(Val::Word(Builder::ranged(v, lo, hi)))
    }

    /// Returns the maximum number of elements that a binder visits, if it is known at compile time.
    pub(in crate::jit) fn trips(&mut self, fold: &Fold) -> Option<i64> {
        let mut all = 1i64;
        for source in &fold.sources {
            all = all.checked_mul(self.known_elements(&source.domain)?.len() as i64)?;
        }
        Some(all)
    }

    /// Returns a set as bits; `None` if it has too many possible elements.
    pub fn fold_bits(&mut self, fold: &Fold, ty: &Type) -> Result<Option<Bits>> {
        if let Some((bits, _)) = self.filtered(fold)? {
            return Ok(Some(bits));
        }
        if let Some(bits) = self.selected(fold)? {
            return Ok(Some(bits));
        }
        let Some(of) = self.fold_universe(fold, ty) else {
            return Ok(None);
        };
        let zero = self.int(0);
        let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
        let done = self.block();
        self.each_fold_element(fold, 0, done, &mut |this, body| {
            let val = this.expr(body)?;
            let word = this.word_as(val, of.sort)?;
            let word = this.require_some(word);
            this.must_fit(word, of.lo, of.hi);
            this.set_bit(&vars, of, word.v);
            Ok(())
        })?;
        Ok(Some(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of }))
    }

    /// Returns the universe of a small set or list that a binder builds; `None` if it would be too large.
    pub(in crate::jit) fn fold_universe(&self, fold: &Fold, ty: &Type) -> Option<Scalar> {
        let (Type::Set(_) | Type::List(_)) = ty else { return None };
        let of = self.fold_elements(fold, ty)?;
        (!of.optional && of.words() <= REGISTERS).then_some(of)
    }

    /// Returns the values that the elements of a collection that a binder builds may have.
    fn fold_elements(&self, fold: &Fold, ty: &Type) -> Option<Scalar> {
        let kind = ExprKind::Fold(Box::new(fold.clone()));
        self.element_universe(&Expr { kind, ty: ty.clone(), span: fold.body.span })
    }

    /// Returns the list of a binder's elements.
    fn fold_list(&mut self, fold: &Fold, ty: &Type) -> Result<List> {
        let mut elements = Elements::of(self.fold_elements(fold, ty));
        let (room, known) = self.room_for_elements(fold)?;
        let (words, done) = (self.words_in_scratch(room), self.block());
        self.each_gathered_word(fold, &mut elements, done, |this, word| this.append(words, word))?;
        let len = self.word_count(words);
        Ok(self.list_of_elements(words.at, len, known, elements))
    }

    /// Returns the bytes that the words of all elements of a binder take, and the number of elements if it is known. It is
    /// computed before the loops allocate scratch memory of their own.
    fn room_for_elements(&mut self, fold: &Fold) -> Result<(V, Option<i64>)> {
        let known = self.trips(fold);
        if let Some(trips) = known.filter(|trips| *trips <= 4096) {
            return Ok((self.int(trips * 8), known));
        }
        let size = match fold.sources.as_slice() {
            [source] if known.is_none() => self.source_size(source)?,
            _ => None,
        };
        let size = match size {
            Some(size) => size,
            // Run the loops once to count the elements.
            None => {
                let zero = self.int(0);
                let (count, done) = (self.var(zero), self.block());
                self.each_fold_element(fold, 0, done, &mut |this, _| {
                    let so_far = this.b.use_var(count);
                    let next = this.b.ins().iadd_imm_s(so_far, 1);
                    this.b.def_var(count, next);
                    Ok(())
                })?;
                self.b.use_var(count)
            }
        };
        self.must_be_short(size);
        Ok((self.b.ins().ishl_imm_s(size, 3), known))
    }

    /// Returns the number of elements of a source; `None` for domains of rows, which are gone through to be counted.
    fn source_size(&mut self, source: &Source) -> Result<Option<V>> {
        match &source.domain {
            Domain::Range(low, high) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                Ok(Some(self.span_len(low, high)))
            }
            Domain::Values(e) => {
                if regions_source(e).is_some() && !self.is_marked(&MarkedPart::of(e)) {
                    return Ok(Some(self.int(self.most_regions())));
                }
                let val = self.expr(e)?;
                Ok(Some(self.size(val)?.0))
            }
            _ => Ok(None),
        }
    }

    /// Returns the set of everything that can be reached, element by element.
    pub(in crate::jit) fn reach(&mut self, fold: &Fold, ty: &Type) -> Result<Val> {
        // Where the range of the first elements is not known, they must be among what the steps give.
        let steps = || self.element_universe(&fold.body).filter(|of| !of.optional && of.words() <= REGISTERS);
        let Some(of) = self.fold_universe(fold, ty).or_else(steps) else {
            return unsupported(
                "what can be reached, where too many values may be or their range is not known",
            );
        };
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else {
            return unsupported("what can be reached");
        };
        let [slot] = source.slots.as_slice() else { return unsupported("pairs that can be reached") };
        let val = match &source.domain {
            Domain::Values(start) => self.expr(start)?,
            Domain::Range(low, high) => Val::Span(self.number_of(low)?, self.number_of(high)?),
            _ => return unsupported("what can be reached from this"),
        };
        let first = self.bits(val, of)?;
        let zero = self.int(0);
        let reached: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
        let waiting: Vec<Variable> = first.words.iter().map(|word| self.var(*word)).collect();
        self.while_any_bit(&waiting, of, None, |this, front, head| {
            let at = this.lowest_or_highest_bit(front, true);
            let v = this.b.ins().iadd_imm_s(at, of.lo);
            this.clear_bit(&waiting, at);
            this.locals.bound.insert(*slot, Val::Word(Word { v, s: of, known: None }));
            if let Some(filter) = &fold.filter {
                let on = this.block();
                this.branch(filter, on, head)?;
                this.switch_to(on);
            }
            this.set_bit(&reached, of, v);
            let next = match this.expr_bits(&fold.body)? {
                Some((bits, _)) => this.bits(Val::Bits(bits), of)?,
                None => {
                    let val = this.expr(&fold.body)?;
                    this.bits(val, of)?
                }
            };
            for ((waiting, reached), word) in waiting.iter().zip(&reached).zip(next.words) {
                let (old, seen) = (this.b.use_var(*waiting), this.b.use_var(*reached));
                let new = this.b.ins().band_not(word, seen);
                let all = this.b.ins().bor(old, new);
                this.b.def_var(*waiting, all);
            }
            Ok(())
        })?;
        Ok(Val::Bits(Bits { words: reached.iter().map(|var| self.b.use_var(*var)).collect(), of }))
    }

    pub(in crate::jit) fn clear_bit(&mut self, vars: &[Variable], at: V) {
        let bit = self.bit(at);
        let number = self.b.ins().ushr_imm_s(at, 6);
        for (i, var) in vars.iter().enumerate() {
            let old = self.b.use_var(*var);
            let new = self.b.ins().band_not(old, bit);
            let next = match vars.len() {
                1 => new,
                _ => {
                    let here = self.cmp_imm(IntCC::Equal, number, i as i64);
                    self.b.ins().select(here, new, old)
                }
            };
            self.b.def_var(*var, next);
        }
    }
}
