//! Computed lists of values that fit no word: each element becomes one word, which names what it consists of in
//! scratch memory.

use std::sync::Arc;

use crate::ir::{Compare, Expr, Fold, Type, Value as Known};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::shape::{Index, Scalar};
use crate::jit::mir::{Block, IntCC, Variable, types};

/// What is known of the elements of a list that is being gathered.
type Elements = Option<Kept>;

impl Builder<'_> {
    /// Returns how a value that [`Builder::realised`] has returned is kept.
    fn kept_as(&mut self, val: &Val) -> Result<Kept> {
        Ok(match val {
            Val::Word(word) => Kept::Word(word.s),
            Val::Bits(bits) => Kept::Bits(bits.of),
            Val::List(list) if list.most == Some(0) => Kept::Empty,
            Val::List(list) => Kept::List(list.of),
            Val::BagOfList(list) => Kept::Bag(list.of),
            Val::Gathered(_, of) => Kept::Gathered(of.clone()),
            Val::Tuple(parts) => {
                Kept::Tuple(parts.iter().map(|part| self.kept_as(part)).collect::<Result<_>>()?)
            }
            other => return unsupported(format!("{} within a computed value", other.kind())),
        })
    }

    /// Returns a value of a type as a word, bits, a list, or what consists of these.
    pub(in crate::jit) fn realised(&mut self, val: Val, ty: &Type) -> Result<Val> {
        Ok(match (val, ty) {
            (Val::Cells { at, cells }, ty) if matches!(cells.index, Index::Places(_)) => {
                let of = ty.element().unwrap_or(Type::Never);
                let (count, _) = self.cell_count(at, cells.index);
                let room = self.b.ins().ishl_imm_s(count, 3);
                let mut elements = None;
                let to = self.scratch(room);
                let place = self.var(to);
                self.each_place(at, &cells, |this, val| {
                    let word = this.kept_element(val, &of, &mut elements)?;
                    this.append(place, word);
                    Ok(())
                })?;
                self.list_of_kept(to, count, elements)
            }
            (Val::Const(Known::List(parts)), Type::Tuple(types)) => {
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, ty)| self.realised(Val::Const(part.clone()), ty));
                Val::Tuple(parts.collect::<Result<_>>()?)
            }
            (Val::Const(Known::List(items)), Type::List(of)) if self.is_compound(of) && !items.is_empty() => {
                let vals: Vec<Val> = items.iter().cloned().map(Val::Const).collect();
                self.gathered_from(vals, of)?
            }
            (val @ (Val::Const(_) | Val::Span(..) | Val::Picked { .. }), Type::List(_))
            | (val @ Val::Members(_), _) => Val::List(self.list(val)?),
            (Val::Const(known @ Known::Bag(_)), _) => Val::BagOfList(self.list(Val::Const(known))?),
            (Val::Const(known @ Known::Set(_)), _) => {
                let list = self.list(Val::Const(known))?;
                match list.most {
                    Some(0) => Val::List(list),
                    _ => Val::Bits(self.bits(Val::List(list), list.of)?),
                }
            }
            (Val::Tuple(parts), Type::Tuple(types)) => {
                let parts = parts.into_iter().zip(types).map(|(part, ty)| self.realised(part, ty));
                Val::Tuple(parts.collect::<Result<_>>()?)
            }
            (val @ (Val::Const(_) | Val::Word(_)), _) => Val::Word(self.word(val)?),
            (val, _) => val,
        })
    }

    /// Whether values of a type fit no word, whatever the rules say of their range.
    pub(in crate::jit) fn is_compound(&self, ty: &Type) -> bool {
        match ty {
            Type::List(_) | Type::Set(_) | Type::Bag(_) => true,
            Type::Tuple(parts) => parts.iter().any(|part| self.is_compound(part)),
            _ => false,
        }
    }

    /// Whether a type is that of lists whose elements fit no word.
    pub(in crate::jit) fn lists_compounds(&self, ty: &Type) -> bool {
        matches!(ty, Type::List(of) if self.is_compound(of))
    }

    /// Stores a realised value in scratch memory, and returns the word that names it.
    fn keep(&mut self, val: Val) -> Result<V> {
        Ok(match val {
            Val::Word(word) => word.v,
            Val::Bits(bits) => self.keep_words(&bits.words),
            Val::List(list) | Val::BagOfList(list) => {
                let list = self.immutable_list(Val::List(list))?;
                self.keep_words(&[list.len, list.at])
            }
            Val::Gathered(list, _) => self.keep_words(&[list.len, list.at]),
            Val::Tuple(parts) => {
                let words = parts.into_iter().map(|part| self.keep(part)).collect::<Result<Vec<V>>>()?;
                self.keep_words(&words)
            }
            other => return unsupported(format!("{} within a computed value", other.kind())),
        })
    }

    /// Keeps a list in the form that a slot has; fails if its elements are kept in another form.
    pub(in crate::jit) fn keep_as(&mut self, val: Val, of: &Arc<Kept>) -> Result<V> {
        let val = self.realised(val, &Type::Never)?;
        match (self.kept_as(&val)?.join(&Kept::Gathered(of.clone())), &val) {
            (Some(_), Val::Gathered(..) | Val::List(_)) => self.keep(val),
            _ => unsupported("large values of another kind in a local value"),
        }
    }

    fn keep_words(&mut self, words: &[V]) -> V {
        let room = self.int(words.len() as i64 * 8);
        let at = self.scratch(room);
        for (i, word) in words.iter().enumerate() {
            self.store64(*word, at, i as i32 * 8);
        }
        at
    }

    /// Returns the list of words that a word names.
    pub(in crate::jit) fn kept_list(&mut self, word: V, of: Scalar) -> List {
        let (len, at) = (self.load64(word, 0), self.load64(word, 8));
        List::immutable(at, len, of, None)
    }

    /// Returns the value that a word names.
    pub(in crate::jit) fn named(&mut self, word: V, of: &Kept) -> Val {
        match of {
            Kept::Word(s) => Val::Word(Word { v: word, s: *s, known: None }),
            Kept::Bits(of) => Val::Bits(Bits { words: self.load_words(word, of.words()), of: *of }),
            Kept::List(of) => Val::List(self.kept_list(word, *of)),
            Kept::Bag(of) => Val::BagOfList(self.kept_list(word, *of)),
            Kept::Gathered(of) => Val::Gathered(self.kept_list(word, Scalar::any_int()), of.clone()),
            Kept::Empty => Val::Const(Known::list(Vec::new())),
            Kept::Tuple(parts) => {
                let words = self.load_words(word, parts.len());
                Val::Tuple(words.into_iter().zip(parts).map(|(word, of)| self.named(word, of)).collect())
            }
        }
    }

    /// Keeps an element of a list; fails if it is kept in another way than those before it.
    fn kept_element(&mut self, val: Val, ty: &Type, elements: &mut Elements) -> Result<V> {
        let val = self.realised(val, ty)?;
        let kept = self.kept_as(&val)?;
        let joined = match elements.as_ref() {
            None => Some(kept),
            Some(all) => all.join(&kept),
        };
        match joined {
            None => unsupported("large values of different kinds in one list"),
            joined => {
                *elements = joined;
                self.keep(val)
            }
        }
    }

    /// Stores a word where a variable points to, and moves the variable on.
    fn append(&mut self, place: Variable, word: V) {
        let to = self.b.use_var(place);
        self.store64(word, to, 0);
        let next = self.b.ins().iadd_imm_s(to, 8);
        self.b.def_var(place, next);
    }

    /// Returns the list of the elements whose words lie at an address.
    fn list_of_kept(&mut self, at: V, len: V, elements: Elements) -> Val {
        match elements.unwrap_or(Kept::Empty) {
            Kept::Word(of) => Val::List(List::immutable(at, len, of, None)),
            of => Val::Gathered(List::immutable(at, len, Scalar::any_int(), None), Arc::new(of)),
        }
    }

    /// Returns a list of some values of a type.
    pub(in crate::jit) fn gathered_from(&mut self, vals: Vec<Val>, ty: &Type) -> Result<Val> {
        let mut elements = None;
        let vals = vals.into_iter().map(|val| self.kept_element(val, ty, &mut elements));
        let words = vals.collect::<Result<Vec<V>>>()?;
        let (at, len) = (self.keep_words(&words), self.int(words.len() as i64));
        Ok(self.list_of_kept(at, len, elements))
    }

    /// Lowers a binder that gathers values that fit no word.
    pub(in crate::jit) fn gather(&mut self, fold: &Fold) -> Result<Val> {
        let (room, _) = self.room_for_elements(fold)?;
        let at = self.scratch(room);
        let place = self.var(at);
        let (done, mut elements) = (self.block(), None);
        let outer = std::mem::replace(&mut self.keeps_scratch, true);
        let result = self.each_fold_element(fold, 0, done, &mut |this, body| {
            let val = this.expr(body)?;
            let word = this.kept_element(val, &body.ty, &mut elements)?;
            this.append(place, word);
            Ok(())
        });
        self.keeps_scratch = outer;
        result?;
        let end = self.b.use_var(place);
        let len = self.words_between(at, end);
        Ok(self.list_of_kept(at, len, elements))
    }

    /// Lowers a binder that finds the first of some values that fit no word.
    pub(in crate::jit) fn first_compound(&mut self, fold: &Fold) -> Result<Val> {
        let zero = self.int(0);
        let (value, found, done) = (self.var(zero), self.var(zero), self.block());
        let mut elements = None;
        let outer = std::mem::replace(&mut self.keeps_scratch, true);
        let result = self.each_fold_element(fold, 0, done, &mut |this, body| {
            let val = this.expr(body)?;
            let word = this.kept_element(val, &body.ty, &mut elements)?;
            this.b.def_var(value, word);
            let one = this.int(1);
            this.b.def_var(found, one);
            this.jump_away(done);
            Ok(())
        });
        self.keeps_scratch = outer;
        result?;
        let any = self.b.use_var(found);
        self.bail_out_unless(any);
        let word = self.b.use_var(value);
        Ok(self.named(word, &elements.unwrap_or(Kept::Empty)))
    }

    /// Selects one of several values that fit no word.
    pub(in crate::jit) fn one_of_compounds(
        &mut self,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
    ) -> Result<Val> {
        let zero = self.int(0);
        let (value, end) = (self.var(zero), self.block());
        let mut elements = None;
        self.each_arm(arms, otherwise, |this, value_of| {
            let val = this.expr(value_of)?;
            let word = this.kept_element(val, &value_of.ty, &mut elements)?;
            this.b.def_var(value, word);
            this.jump(end);
            Ok(())
        })?;
        self.switch_to(end);
        let word = self.b.use_var(value);
        Ok(self.named(word, &elements.unwrap_or(Kept::Empty)))
    }

    /// Returns a list of a type as one of gathered values: the words, and how they are kept.
    pub(in crate::jit) fn gathered_list(&mut self, val: Val, ty: &Type) -> Result<(List, Arc<Kept>)> {
        match self.realised(val, ty)? {
            Val::Gathered(list, of) => Ok((list, of)),
            Val::List(list) if list.most == Some(0) => Ok((list, Arc::new(Kept::Empty))),
            other => unsupported(format!("{} where a list of large values belongs", other.kind())),
        }
    }

    /// Returns an argument that is a list of values that fit no word; `None` if its values do.
    pub(in crate::jit) fn gathered_arg(&mut self, e: &Expr) -> Result<Option<(List, Arc<Kept>)>> {
        if !self.lists_compounds(&e.ty) {
            return Ok(None);
        }
        let val = self.expr(e)?;
        self.gathered_list(val, &e.ty).map(Some)
    }

    /// Joins two lists of values that fit no word.
    pub(in crate::jit) fn joined_gathered(&mut self, a: Val, b: Val, ty: &Type) -> Result<Val> {
        let ((a, of), (b, other)) = (self.gathered_list(a, ty)?, self.gathered_list(b, ty)?);
        let Some(of) = of.join(&other) else {
            return unsupported("large values of different kinds in one list");
        };
        let words = |list: List| Val::List(List { of: Scalar::any_int(), ..list });
        Ok(Val::Gathered(self.joined(words(a), words(b))?, Arc::new(of)))
    }

    /// Returns an element of gathered values, by its index from 0, which must exist.
    pub(in crate::jit) fn gathered_element(&mut self, list: List, of: &Kept, index: V) -> Val {
        let word = self.element(list, index);
        self.named(word.v, of)
    }

    /// Loops over gathered values.
    pub(in crate::jit) fn each_gathered(
        &mut self,
        list: List,
        of: &Kept,
        mut body: impl FnMut(&mut Self, Val, Block) -> Result<()>,
    ) -> Result<()> {
        self.each_index(list, |this, i, exit| {
            let val = this.gathered_element(list, of, i);
            body(this, val, exit)
        })
    }

    /// Returns whether a value of a type is among gathered values.
    pub(in crate::jit) fn is_among_gathered(
        &mut self,
        list: List,
        of: &Kept,
        value: Val,
        ty: &Type,
    ) -> Result<V> {
        let missing = self.b.ins().iconst(types::I8, 0);
        let found = self.var(missing);
        self.each_gathered(list, of, |this, val, exit| {
            let same = this.compare(Compare::Equal, val, value.clone(), ty)?;
            this.b.def_var(found, same);
            let on = this.block();
            this.branch_on(same, exit, on);
            this.switch_to(on);
            Ok(())
        })?;
        Ok(self.b.use_var(found))
    }

    /// Returns whether two lists of values that fit no word are equal.
    pub(in crate::jit) fn same_gathered(&mut self, a: Val, b: Val, ty: &Type) -> Result<V> {
        let Some(of) = ty.element() else { return unsupported("a comparison of large values") };
        let ((a, kept), (b, other)) = (self.gathered_list(a, ty)?, self.gathered_list(b, ty)?);
        self.same_throughout(a, b, |this, i| {
            let (x, y) = (this.gathered_element(a, &kept, i), this.gathered_element(b, &other, i));
            this.compare(Compare::Equal, x, y, &of)
        })
    }

    /// Returns gathered values in ascending order, and if `distinct` equal ones once: by insertion, since they are few.
    pub(in crate::jit) fn sorted_gathered(&mut self, list: List, of: &Kept, distinct: bool) -> Result<List> {
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        let (zero, one) = (self.int(0), self.int(1));
        let count = self.var(zero);
        self.each_index(list, |this, i, _| {
            let word = this.element(list, i).v;
            let so_far = this.b.use_var(count);
            let (place, met) = (this.var(zero), this.var(zero));
            let last = this.b.ins().iadd_imm_s(so_far, -1);
            this.each_int(zero, last, None, |this, back, exit| {
                let number = this.b.ins().isub(last, back);
                let other = this.entry_at(at, number, 8);
                let other = this.load64(other, 0);
                let (a, b) = (this.named(word, of), this.named(other, of));
                let order = this.order(a, b)?;
                let (stop, on) = (this.block(), this.block());
                let less = this.cmp_imm(IntCC::SignedLessThan, order, 0);
                this.branch_on(less, on, stop);
                this.switch_to(stop);
                let behind = this.b.ins().iadd_imm_s(number, 1);
                this.b.def_var(place, behind);
                if distinct {
                    let same = this.cmp_imm(IntCC::Equal, order, 0);
                    let same = this.b.ins().uextend(types::I64, same);
                    this.b.def_var(met, same);
                }
                this.jump(exit);
                this.switch_to(on);
                Ok(())
            })?;
            let (insert, on) = (this.block(), this.block());
            let met = this.b.use_var(met);
            this.branch_on(met, on, insert);
            this.switch_to(insert);
            let place = this.b.use_var(place);
            let moved = this.b.ins().isub(last, place);
            this.each_int(zero, moved, None, |this, back, _| {
                let from = this.b.ins().isub(last, back);
                let from = this.entry_at(at, from, 8);
                let word = this.load64(from, 0);
                this.store64(word, from, 8);
                Ok(())
            })?;
            let to = this.entry_at(at, place, 8);
            this.store64(word, to, 0);
            let next = this.b.ins().iadd(so_far, one);
            this.b.def_var(count, next);
            this.jump(on);
            this.switch_to(on);
            Ok(())
        })?;
        let len = self.b.use_var(count);
        Ok(List::immutable(at, len, list.of, list.most))
    }

    /// Returns -1, 0 or 1 as a kept value is less than, equal to or greater than another one of its type.
    fn order(&mut self, a: Val, b: Val) -> Result<V> {
        let ((a, of), (b, other)) = match (a, b) {
            (Val::Word(a), Val::Word(b)) => {
                let more = self.cmp(IntCC::SignedGreaterThan, a.v, b.v);
                let less = self.cmp(IntCC::SignedLessThan, a.v, b.v);
                let (more, less) =
                    (self.b.ins().uextend(types::I64, more), self.b.ins().uextend(types::I64, less));
                return Ok(self.b.ins().isub(more, less));
            }
            (Val::Tuple(a), Val::Tuple(b)) => {
                let mut all = self.int(0);
                for (a, b) in a.into_iter().zip(b) {
                    let (order, level) = (self.order(a, b)?, self.cmp_imm(IntCC::Equal, all, 0));
                    all = self.b.ins().select(level, order, all);
                }
                return Ok(all);
            }
            (Val::Gathered(a, of), Val::Gathered(b, other)) => ((a, Some(of)), (b, Some(other))),
            (a @ (Val::List(_) | Val::Bits(_)), b @ (Val::List(_) | Val::Bits(_))) => {
                ((self.list(a)?, None), (self.list(b)?, None))
            }
            (a, _) => return unsupported(format!("the order of {} among computed values", a.kind())),
        };
        let zero = self.int(0);
        let result = self.var(zero);
        let shorter = self.b.ins().smin(a.len, b.len);
        let last = self.b.ins().iadd_imm_s(shorter, -1);
        let end = self.block();
        self.each_int(zero, last, None, |this, i, _| {
            let element = |this: &mut Self, list: List, of: Option<&Arc<Kept>>| match of {
                Some(of) => this.gathered_element(list, of, i),
                None => Val::Word(this.element(list, i)),
            };
            let (x, y) = (element(this, a, of.as_ref()), element(this, b, other.as_ref()));
            let order = this.order(x, y)?;
            this.b.def_var(result, order);
            let on = this.block();
            this.branch_on(order, end, on);
            this.switch_to(on);
            Ok(())
        })?;
        let len = |list: List| Word { v: list.len, s: Scalar::any_int(), known: None };
        let order = self.order(Val::Word(len(a)), Val::Word(len(b)))?;
        self.b.def_var(result, order);
        self.jump(end);
        self.switch_to(end);
        Ok(self.b.use_var(result))
    }
}
