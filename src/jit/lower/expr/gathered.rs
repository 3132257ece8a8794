//! Computed lists of values that fit no word: each element becomes one word, which names what it consists of in
//! scratch memory.

use std::sync::Arc;

use crate::ir::{Compare, Expr, Fold, Type, Value as Known};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::{Kept, is_compound};
use crate::jit::layout::shape::{Index, Scalar, Sort};
use crate::jit::layout::tuple::{TupleLayout, common};
use crate::jit::lower::expr::keyed::keyed_at;
use crate::jit::mir::{Block, IntCC, types};

/// How the elements of a list that is being computed become words.
pub(in crate::jit) enum Elements {
    /// Each is a word.
    Single {
        /// The values that elements may have.
        of: Scalar,
        /// The range of those so far.
        range: Option<Scalar>,
    },
    /// Each fits no word, so that a word names it; and how those so far are kept.
    Compound(Option<Kept>),
}

impl Elements {
    /// Returns how elements become words, given the values that they may have if they fit one.
    pub fn of(single: Option<Scalar>) -> Elements {
        match single {
            Some(of) => Elements::Single { of, range: None },
            None => Elements::Compound(None),
        }
    }
}

impl Builder<'_> {
    /// Returns the domain of the words that name values that are kept in a way.
    pub(in crate::jit) fn kept_scalar(&mut self, of: &Kept) -> Scalar {
        if let Kept::Word(of) = of {
            return *of;
        }
        let number = self.kept_forms.iter().position(|known| **known == *of).unwrap_or_else(|| {
            self.kept_forms.push(Arc::new(of.clone()));
            self.kept_forms.len() - 1
        });
        Scalar { sort: Sort::Kept(u32::try_from(number).unwrap_or(u32::MAX)), ..Scalar::any_int() }
    }

    /// Returns how values are kept, given the domain of the words that name them.
    pub(in crate::jit) fn kept_form(&self, of: Scalar) -> Arc<Kept> {
        match of.sort {
            Sort::Kept(number) => self.kept_forms[number as usize].clone(),
            _ => Arc::new(Kept::Word(of)),
        }
    }

    /// Returns the value that an element of a list is or names.
    pub(in crate::jit) fn opened(&mut self, element: Word) -> Val {
        match element.s.sort {
            Sort::Kept(_) => {
                let of = self.kept_form(element.s);
                self.named(element.v, &of)
            }
            _ => Val::Word(element),
        }
    }

    /// Returns a domain that holds the elements of two lists.
    pub(in crate::jit) fn common_elements(&mut self, a: Scalar, b: Scalar) -> Option<Scalar> {
        if let (Sort::Kept(_), Sort::Kept(_)) = (a.sort, b.sort) {
            let of = self.kept_form(a).join(&self.kept_form(b))?;
            return Some(self.kept_scalar(&of));
        }
        common(a, b)
    }

    /// Returns how a value that [`Builder::realised`] has returned is kept.
    fn kept_as(&mut self, val: &Val) -> Result<Kept> {
        Ok(match val {
            Val::Word(word) => Kept::Word(word.s),
            Val::Bits(bits) => Kept::Bits(bits.of),
            Val::List(list) if list.most == Some(0) => Kept::Empty,
            Val::List(list) if list.is_of_kept() => Kept::Gathered(self.kept_form(list.of)),
            Val::List(list) => Kept::List(list.of),
            Val::BagOfList(list) => Kept::Bag(list.of),
            Val::Optional(list) if list.most == Some(0) => Kept::None,
            Val::Optional(list) => Kept::Optional(self.kept_form(list.of)),
            Val::Tuple(parts) => {
                Kept::Tuple(parts.iter().map(|part| self.kept_as(part)).collect::<Result<_>>()?)
            }
            val if let Some((_, of)) = self.keyed(val) => Kept::Keyed(Arc::new(of)),
            other => return unsupported(format!("{} within a computed value", other.kind())),
        })
    }

    /// Returns a value of a type as a word, bits, a list, or what consists of these.
    pub(in crate::jit) fn realised(&mut self, val: Val, ty: &Type) -> Result<Val> {
        Ok(match (val, ty) {
            (val, Type::Optional(of)) if is_compound(ty) => self.optional(val, of)?,
            (Val::Cells { at, cells }, ty) if matches!(cells.index, Index::Places(_)) => {
                let of = ty.element().unwrap_or(Type::Never);
                let (count, _) = self.cell_count(at, cells.index);
                let room = self.b.ins().ishl_imm_s(count, 3);
                let mut elements = Elements::Compound(None);
                let words = self.words_in_scratch(room);
                self.each_place(at, &cells, |this, val| {
                    let word = this.element_word(val, &of, &mut elements)?;
                    this.append(words, word);
                    Ok(())
                })?;
                Val::List(self.list_of_elements(words.at, count, None, elements))
            }
            (Val::Pool { handle, of }, _) => self.pool_elements(handle, &of)?,
            (Val::Const(Known::List(parts)), Type::Tuple(types)) => {
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, ty)| self.realised(Val::Const(part.clone()), ty));
                Val::Tuple(parts.collect::<Result<_>>()?)
            }
            (Val::Const(known), Type::List(of) | Type::Set(of))
                if is_compound(of) && !crate::eval::elements(&known).is_empty() =>
            {
                let Some((words, of)) = self.keep_known(&[known], ty) else {
                    return unsupported("known values of different kinds");
                };
                let word = self.name_of_known(words[0], &of);
                self.named(word, &of)
            }
            (val @ (Val::Const(_) | Val::Span(..) | Val::Picked { .. }), Type::List(_))
            | (val @ Val::Members(_), _) => Val::List(self.list(val)?),
            (val @ (Val::Const(Known::Bag(_)) | Val::Counts { .. }), _) => {
                Val::BagOfList(self.unordered_list(val)?)
            }
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
            (val @ Val::MemoryBits { .. }, _) => Val::List(self.elements_in_memory(val)?),
            (val @ (Val::Const(_) | Val::Word(_)), _) => Val::Word(self.word(val)?),
            (val, _) => val,
        })
    }

    /// Whether a type is that of lists whose elements fit no word.
    pub(in crate::jit) fn lists_compounds(&self, ty: &Type) -> bool {
        matches!(ty, Type::List(of) if is_compound(of))
    }

    /// Keeps a value in a given form, and returns the word that names it. Bails out if a single value is out of range.
    pub(in crate::jit) fn keep_as(&mut self, val: Val, to: &Kept) -> Result<V> {
        match (val, to) {
            (Val::Const(known), of) => match self.known_word(&known, of) {
                Some(word) => Ok(self.name_of_known(word, of)),
                None => unsupported("a known value that does not fit its place"),
            },
            (Val::Tuple(parts), Kept::Tuple(of)) if parts.len() == of.len() => {
                let words = parts.into_iter().zip(of).map(|(part, of)| self.keep_as(part, of));
                let words = words.collect::<Result<Vec<V>>>()?;
                Ok(self.keep_words(&words))
            }
            (val, Kept::Keyed(of)) => match self.copied(&val)? {
                Some((at, own)) if own.fits(of) => Ok(at),
                _ => unsupported(format!("{} as a map or a grid of another form", val.kind())),
            },
            (Val::Optional(list), Kept::Optional(of)) if self.kept_form(list.of).fits(of) => {
                Ok(self.keep_words(&[list.len, list.at]))
            }
            (Val::Optional(list), Kept::None) => Ok(self.keep_words(&[list.len, list.at])),
            (val, Kept::Optional(of)) => {
                let (some, end) = (self.block(), self.block());
                let zero = self.int(0);
                let none = self.keep_words(&[zero, zero]);
                let word = self.var(none);
                let present = self.is_present(&val);
                self.branch_on(present, some, end);
                self.switch_to(some);
                let val = self.present(val)?;
                let (own, one) = (self.keep_as(val, of)?, self.int(1));
                let own = self.keep_words(&[own]);
                let own = self.keep_words(&[one, own]);
                self.b.def_var(word, own);
                self.jump(end);
                self.switch_to(end);
                Ok(self.b.use_var(word))
            }
            (val, Kept::Word(of)) => {
                let word = self.word_as(val, of.sort)?;
                Ok(self.must_fit_place(word, *of)?.v)
            }
            (val, Kept::Bits(of)) => {
                let words = self.bits(val, *of)?.words;
                Ok(self.keep_words(&words))
            }
            (val, Kept::List(of) | Kept::Bag(of)) => {
                let list = if let Kept::Bag(_) = to { self.unordered_list(val)? } else { self.list(val)? };
                let list = self.immutable_list(Val::List(list))?;
                let list = self.convert_list(list, *of)?;
                Ok(self.keep_words(&[list.len, list.at]))
            }
            (Val::List(list), Kept::Gathered(_) | Kept::Empty) if list.most == Some(0) => {
                Ok(self.keep_words(&[list.len, list.at]))
            }
            (Val::List(list), Kept::Gathered(of)) if self.kept_form(list.of).fits(of) => {
                Ok(self.keep_words(&[list.len, list.at]))
            }
            (val @ (Val::List(_) | Val::Cells { .. }), Kept::Gathered(of)) => {
                let (len, _) = self.size(val.clone())?;
                let room = self.b.ins().ishl_imm_s(len, 3);
                let words = self.words_in_scratch(room);
                self.keeping_scratch(true, |this| {
                    this.each_value_in(val, |this, val| {
                        let word = this.keep_as(val, of)?;
                        this.append(words, word);
                        Ok(())
                    })
                })?;
                let len = self.word_count(words);
                Ok(self.keep_words(&[len, words.at]))
            }
            (val, _) => unsupported(format!("{} as a local value that fits no word", val.kind())),
        }
    }

    pub(in crate::jit) fn keep_words(&mut self, words: &[V]) -> V {
        let room = self.int(words.len() as i64 * 8);
        let at = self.scratch(room);
        for (i, word) in words.iter().enumerate() {
            self.store64(*word, at, i as i32 * 8);
        }
        at
    }

    /// Stores known values of a type in static data. Returns the word that names each, and how they are kept; `None` if code
    /// does not keep such values.
    pub(in crate::jit) fn keep_known(&mut self, values: &[Known], ty: &Type) -> Option<(Vec<i64>, Kept)> {
        let key = (values.to_vec(), ty.clone());
        if let Some(known) = self.data.kept.get(&key) {
            return Some(known.clone());
        }
        let of = Kept::of_values(values, ty, self.layout.squares)?;
        let words: Vec<i64> =
            values.iter().map(|value| self.known_word(value, &of)).collect::<Option<_>>()?;
        self.data.kept.insert(key, (words.clone(), of.clone()));
        Some((words, of))
    }

    /// Stores a known value in static data, and returns the word that names it; `None` if it cannot be kept in this way.
    pub(in crate::jit) fn known_word(&mut self, value: &Known, of: &Kept) -> Option<i64> {
        let mut words = Vec::new();
        of.write(value, self.layout.squares, &mut words)?;
        of.build(&mut words.into_iter(), &mut |row| Some(self.data.row(row)))
    }

    /// Returns the word that names a known value, given what [`Self::known_word`] returns: a single value by itself, others by the
    /// address of what is stored.
    fn name_of_known(&mut self, word: i64, of: &Kept) -> V {
        match of {
            Kept::Word(_) => self.int(word),
            _ => self.b.ins().static_addr(word),
        }
    }

    /// Returns the list of words that a word names.
    pub(in crate::jit) fn kept_list(&mut self, word: V, of: Scalar) -> List {
        let (len, at) = (self.load64(word, 0), self.load64(word, 8));
        List::immutable(at, len, of, None)
    }

    /// Returns the value that a word names.
    pub(in crate::jit) fn named(&mut self, word: V, kept: &Kept) -> Val {
        match kept {
            Kept::Word(s) => Val::Word(Word { v: word, s: *s, known: None }),
            Kept::Bits(of) => Val::Bits(Bits { words: self.load_words(word, of.words()), of: *of }),
            Kept::List(of) => Val::List(self.kept_list(word, *of)),
            Kept::Bag(of) => Val::BagOfList(self.kept_list(word, *of)),
            Kept::Gathered(of) | Kept::Optional(of) => {
                let s = self.kept_scalar(of);
                let list = self.kept_list(word, s);
                if let Kept::Optional(_) = kept { Val::Optional(list) } else { Val::List(list) }
            }
            Kept::Empty => Val::Const(Known::list(Vec::new())),
            Kept::None => Val::Const(Known::None),
            Kept::Tuple(parts) => {
                let words = self.load_words(word, parts.len());
                Val::Tuple(words.into_iter().zip(parts).map(|(word, of)| self.named(word, of)).collect())
            }
            Kept::Keyed(of) => keyed_at(word, of),
        }
    }

    /// Returns the word of an element; fails if the element is kept in another way than those before it.
    pub(in crate::jit) fn element_word(&mut self, val: Val, ty: &Type, elements: &mut Elements) -> Result<V> {
        match elements {
            Elements::Single { of, range } => {
                let word = self.word_as(val, of.sort)?;
                let word = if of.optional { word } else { self.require_some(word) };
                *range = Some(range.map_or(word.s, |all| all.join(word.s).unwrap_or(*of)));
                Ok(word.v)
            }
            Elements::Compound(all) => {
                let val = self.realised(val, ty)?;
                let val = match all {
                    Some(Kept::Keyed(first)) => self.reshaped(val, first)?,
                    _ => val,
                };
                let kept = self.kept_as(&val)?;
                let joined = match all.as_ref() {
                    None => Some(kept.clone()),
                    Some(all) => all.join(&kept),
                };
                let Some(joined) = joined else {
                    return unsupported("large values of different kinds in one list");
                };
                *all = Some(joined);
                self.keep_as(val, &kept)
            }
        }
    }

    /// Returns the domain of the words of such elements.
    fn scalar_of_elements(&mut self, elements: Elements) -> Scalar {
        match elements {
            Elements::Single { of, range } => range.unwrap_or(of),
            Elements::Compound(all) => self.kept_scalar(&all.unwrap_or(Kept::Empty)),
        }
    }

    /// Returns the element that a word stands for.
    pub(in crate::jit) fn named_element(&mut self, v: V, elements: Elements) -> Val {
        let s = self.scalar_of_elements(elements);
        self.opened(Word { v, s, known: None })
    }

    /// Returns the list of the elements whose words lie at an address.
    pub(in crate::jit) fn list_of_elements(
        &mut self,
        at: V,
        len: V,
        most: Option<i64>,
        elements: Elements,
    ) -> List {
        List::immutable(at, len, self.scalar_of_elements(elements), most)
    }

    /// Returns a list of some values of a type that fit no word.
    pub(in crate::jit) fn gathered_from(&mut self, vals: Vec<Val>, ty: &Type) -> Result<List> {
        let mut elements = Elements::Compound(None);
        let vals = vals.into_iter().map(|val| self.element_word(val, ty, &mut elements));
        let words = vals.collect::<Result<Vec<V>>>()?;
        let (at, len) = (self.keep_words(&words), self.int(words.len() as i64));
        Ok(self.list_of_elements(at, len, Some(words.len() as i64), elements))
    }

    /// Runs a binder with the word of each element. The body may jump to `done`, where code continues.
    pub(in crate::jit) fn each_gathered_word(
        &mut self,
        fold: &Fold,
        elements: &mut Elements,
        done: Block,
        mut body: impl FnMut(&mut Self, V),
    ) -> Result<()> {
        let keeps = matches!(elements, Elements::Compound(_));
        self.keeping_scratch(keeps, |this| {
            this.each_fold_element(fold, 0, done, &mut |this, value| {
                let val = this.expr(value)?;
                let word = this.element_word(val, &value.ty, elements)?;
                body(this, word);
                Ok(())
            })
        })
    }

    /// Returns the word that names an argument of a type, and how it is kept.
    pub(in crate::jit) fn kept_argument(&mut self, val: Val, ty: &Type) -> Result<(V, Kept)> {
        if !is_compound(ty) {
            let word = self.word(val)?;
            return Ok((word.v, Kept::Word(word.s)));
        }
        let val = self.realised(val, ty)?;
        let kept = self.kept_as(&val)?;
        Ok((self.keep_as(val, &kept)?, kept))
    }

    /// Selects one of several values that fit no word.
    pub(in crate::jit) fn one_of_compounds(
        &mut self,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
        ty: &Type,
    ) -> Result<Val> {
        let zero = self.int(0);
        let (value, end) = (self.var(zero), self.block());
        let mut elements = Elements::Compound(None);
        self.each_arm(arms, otherwise, |this, value_of| {
            let val = this.expr(value_of)?;
            let word = this.element_word(val, ty, &mut elements)?;
            this.b.def_var(value, word);
            this.jump(end);
            Ok(())
        })?;
        self.switch_to(end);
        let word = self.b.use_var(value);
        Ok(self.named_element(word, elements))
    }

    /// Returns a list of a type whose values fit no word.
    pub(in crate::jit) fn gathered_list(&mut self, val: Val, ty: &Type) -> Result<List> {
        match self.realised(val, ty)? {
            Val::List(list) if list.is_of_kept() => Ok(list),
            Val::List(list) if list.most == Some(0) => {
                Ok(List { of: self.kept_scalar(&Kept::Empty), ..list })
            }
            other => unsupported(format!("{} where a list of large values belongs", other.kind())),
        }
    }

    /// Returns an argument as a list, also of values that fit no word.
    pub(in crate::jit) fn any_list_arg(&mut self, e: &Expr) -> Result<List> {
        let val = self.expr(e)?;
        if self.lists_compounds(&e.ty) { self.gathered_list(val, &e.ty) } else { self.unordered_list(val) }
    }

    /// Returns a copy of a list of values that fit no word, with another value at a 1-based place.
    pub(in crate::jit) fn gathered_with(&mut self, base: &Expr, at: &Expr, value: &Expr) -> Result<Val> {
        let val = self.expr(base)?;
        let list = self.gathered_list(val, &base.ty)?;
        let place = self.number_of(at)?;
        let mut elements = Elements::Compound(Some((*self.kept_form(list.of)).clone()));
        let val = self.expr(value)?;
        let v = self.element_word(val, &value.ty, &mut elements)?;
        let s = self.scalar_of_elements(elements);
        self.list_with(list, place, Word { v, s, known: None })
    }

    /// Returns the pairs of the elements of a collection, (first, second), (first, third), … (second, third), …
    pub(in crate::jit) fn pairs_of(&mut self, collection: &Expr) -> Result<Val> {
        let Some(ty) = collection.ty.element() else { return unsupported("pairs of a single value") };
        let val = self.expr(collection)?;
        let list = if is_compound(&ty) { self.gathered_list(val, &collection.ty)? } else { self.list(val)? };
        let single = TupleLayout::of(&[list.of, list.of]);
        let pair = Type::Tuple(vec![ty.clone(), ty].into());
        let fewer = self.b.ins().iadd_imm_s(list.len, -1);
        let twice = self.b.ins().imul(list.len, fewer);
        let count = self.b.ins().ushr_imm_s(twice, 1);
        let room = self.b.ins().ishl_imm_s(count, 3);
        let (words, mut elements) = (self.words_in_scratch(room), Elements::of(single));
        self.keeping_scratch(single.is_none(), |this| {
            this.each_index(list, |this, i, _| {
                let (next, last) = (this.b.ins().iadd_imm_s(i, 1), this.b.ins().iadd_imm_s(list.len, -1));
                this.each_int(next, last, list.most, |this, k, _| {
                    let parts = [i, k].map(|place| this.element_value(list, place));
                    let word = this.element_word(Val::Tuple(parts.to_vec()), &pair, &mut elements)?;
                    this.append(words, word);
                    Ok(())
                })
            })
        })?;
        let most = list.most.map(|most| most.saturating_mul(most - 1) / 2);
        Ok(Val::List(self.list_of_elements(words.at, count, most, elements)))
    }

    /// Returns the value of an element of a list, by its index from 0, which must exist.
    pub(in crate::jit) fn element_value(&mut self, list: List, index: V) -> Val {
        let element = self.element(list, index);
        self.opened(element)
    }

    /// Returns whether a value of a type is among gathered values.
    pub(in crate::jit) fn is_among_gathered(&mut self, list: List, value: Val, ty: &Type) -> Result<V> {
        let missing = self.b.ins().iconst(types::I8, 0);
        let found = self.var(missing);
        self.each_item(list, |this, item, exit| {
            let val = this.opened(item);
            let same = this.compare(Compare::Equal, val, value.clone(), ty)?;
            this.b.def_var(found, same);
            this.leave_if(same, exit);
            Ok(())
        })?;
        Ok(self.b.use_var(found))
    }

    /// Returns whether two lists of values that fit no word are equal.
    pub(in crate::jit) fn same_gathered(&mut self, a: Val, b: Val, ty: &Type) -> Result<V> {
        let Some(of) = ty.element() else { return unsupported("a comparison of large values") };
        let (a, b) = (self.gathered_list(a, ty)?, self.gathered_list(b, ty)?);
        self.same_throughout(a, b, |this, i| {
            let (x, y) = (this.element_value(a, i), this.element_value(b, i));
            this.compare(Compare::Equal, x, y, &of)
        })
    }

    /// Returns gathered values in ascending order, and if `distinct` equal ones once: by insertion, since they are few.
    pub(in crate::jit) fn sorted_gathered(&mut self, list: List, distinct: bool) -> Result<List> {
        let of = self.kept_form(list.of);
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
                let (a, b) = (this.named(word, &of), this.named(other, &of));
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
    pub(in crate::jit) fn order(&mut self, a: Val, b: Val) -> Result<V> {
        let (a, b) = match (a, b) {
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
            (a @ (Val::List(_) | Val::Bits(_)), b @ (Val::List(_) | Val::Bits(_))) => {
                (self.any_list(a)?, self.any_list(b)?)
            }
            (a, _) => return unsupported(format!("the order of {} among computed values", a.kind())),
        };
        let zero = self.int(0);
        let result = self.var(zero);
        let shorter = self.b.ins().smin(a.len, b.len);
        let last = self.b.ins().iadd_imm_s(shorter, -1);
        let end = self.block();
        self.each_int(zero, last, None, |this, i, _| {
            let (x, y) = (this.element_value(a, i), this.element_value(b, i));
            let order = this.order(x, y)?;
            this.b.def_var(result, order);
            this.leave_if(order, end);
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
