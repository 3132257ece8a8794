//! Tuples in code: packing their parts into a word, and unpacking them.

use crate::ir::{Type, Value as Known};
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{NONE, Scalar, Sort};
use crate::jit::layout::tuple::{TupleLayout, base, common};
use crate::jit::mir::IntCC;

impl Builder<'_> {
    /// Returns the parts of a tuple; `None` for other values.
    pub fn tuple_parts(&mut self, val: &Val, count: usize) -> Option<Vec<Val>> {
        Some(match val {
            Val::Tuple(parts) => parts.clone(),
            Val::Const(Known::List(parts)) => parts.iter().cloned().map(Val::Const).collect(),
            Val::Word(word) => match word.s.sort {
                Sort::Tuple(row) => {
                    let word = self.require_some(*word);
                    self.unpacked(row, word.v).into_iter().map(Val::Word).collect()
                }
                _ => return None,
            },
            // A row of words that stands for a tuple.
            Val::List(list) if !list.is_of_kept() => {
                let places: Vec<V> = (0..count as i64).map(|i| self.int(i)).collect();
                places.into_iter().map(|i| Val::Word(self.element(*list, i))).collect()
            }
            _ => return None,
        })
    }

    fn unpacked(&mut self, row: TupleLayout, word: V) -> Vec<Word> {
        let mut rest = word;
        let mut words = Vec::new();
        for (i, part) in row.parts().into_iter().enumerate().rev() {
            let base = base(part);
            let place = match i {
                0 => rest,
                _ => {
                    let place = self.b.ins().urem_imm_s(rest, base);
                    rest = self.b.ins().udiv_imm_s(rest, base);
                    place
                }
            };
            let mut v = self.b.ins().iadd_imm_s(place, part.lo - i64::from(part.optional));
            if part.optional {
                let none = self.cmp_imm(IntCC::Equal, place, 0);
                let code = self.int(NONE);
                v = self.b.ins().select(none, code, v);
            }
            words.push(Word { v, s: part, known: None });
        }
        words.reverse();
        words
    }

    /// Packs a tuple into a word. If a part does not fit, bails out if `strict`; otherwise the word is −1.
    fn packed_in(&mut self, row: TupleLayout, parts: Vec<Val>, strict: bool) -> Result<Word> {
        let scalars = row.parts();
        if parts.len() != scalars.len() {
            return unsupported("a tuple of another length");
        }
        let zero = self.int(0);
        let mut all = zero;
        let mut misfit: Option<V> = None;
        for (of, part) in scalars.into_iter().zip(parts) {
            let word = match of.sort {
                Sort::Tuple(own) => self.pack_as(own, part, strict)?,
                sort => self.word_as(part, sort)?,
            };
            if word.s.sort != of.sort {
                return unsupported("a part of another sort");
            }
            let from = self.b.ins().iadd_imm_s(word.v, of.lo.wrapping_neg());
            let mut place = self.b.ins().iadd_imm_s(from, i64::from(of.optional));
            let inside = word.s.lo >= of.lo && word.s.hi <= of.hi;
            let none = (word.s.optional && of.optional).then(|| self.cmp_imm(IntCC::Equal, word.v, NONE));
            if let Some(none) = none {
                place = self.b.ins().select(none, zero, place);
            }
            if !inside || word.s.optional && !of.optional {
                let mut out = self.cmp_imm(IntCC::UnsignedGreaterThanOrEqual, from, of.size());
                if let Some(none) = none {
                    out = self.b.ins().band_not(out, none);
                }
                match strict {
                    true => self.bail_out_if(out),
                    false => misfit = Some(misfit.map_or(out, |before| self.b.ins().bor(before, out))),
                }
            }
            let up = self.b.ins().imul_imm_s(all, base(of));
            all = self.b.ins().iadd(up, place);
        }
        let Some(s) = row.scalar() else {
            return unsupported("a very large tuple");
        };
        Ok(match misfit {
            None => Word { v: all, s, known: None },
            Some(out) => {
                let none = self.int(-1);
                let v = self.b.ins().select(out, none, all);
                Word { v, s: Scalar { lo: -1, ..s }, known: None }
            }
        })
    }

    /// Converts a tuple, or a word with another packing, to a word with the given packing.
    pub fn pack_as(&mut self, row: TupleLayout, val: Val, strict: bool) -> Result<Word> {
        match val {
            Val::Word(word) if word.s.sort == Sort::Tuple(row) => Ok(word),
            Val::Word(word) if word.s.optional => {
                let Sort::Tuple(own) = word.s.sort else { return unsupported("no tuple") };
                let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
                let zero = self.int(0);
                let safe = self.b.ins().select(none, zero, word.v);
                let parts = self.unpacked(own, safe).into_iter().map(Val::Word).collect();
                let packed = self.packed_in(row, parts, strict)?;
                let code = self.int(NONE);
                let v = self.b.ins().select(none, code, packed.v);
                Ok(Word { v, s: Scalar { optional: true, ..packed.s }, known: None })
            }
            Val::Const(Known::None) => {
                let v = self.int(NONE);
                let s = Scalar { sort: Sort::Tuple(row), lo: 0, hi: 0, optional: true };
                Ok(Word { v, s, known: Some(NONE) })
            }
            val => match self.tuple_parts(&val, row.parts().len()) {
                Some(parts) => self.packed_in(row, parts, strict),
                None => unsupported(format!("{} where a tuple belongs", val.kind())),
            },
        }
    }

    /// Packs a tuple into a word with a packing of its own.
    pub fn word_of_tuple(&mut self, parts: Vec<Val>) -> Result<Word> {
        let mut scalars = Vec::new();
        for part in &parts {
            scalars.push(self.word(part.clone())?.s);
        }
        match TupleLayout::of(&scalars).map(|all| all.sort) {
            Some(Sort::Tuple(row)) => self.packed_in(row, parts, true),
            _ => unsupported("a tuple of large values"),
        }
    }

    /// Converts a value to be looked up among values of a scalar. If it cannot be one of them, returns a word
    /// that none has.
    pub fn lookup_word(&mut self, val: Val, among: Scalar) -> Result<Word> {
        match among.sort {
            Sort::Tuple(row) => self.pack_as(row, val, false),
            sort => {
                let word = match val {
                    Val::Const(Known::None) => self.word_as(val, sort)?,
                    val => self.word(val)?,
                };
                match word.s.sort {
                    Sort::Tuple(_) => unsupported("a tuple among single values"),
                    _ => self.convert_to_sort(word, sort, false),
                }
            }
        }
    }

    /// Converts two lists so that their elements have the same sort.
    pub fn with_common_sort(&mut self, a: List, b: List) -> Result<(List, List)> {
        if a.of.sort == b.of.sort || a.most == Some(0) || b.most == Some(0) {
            return Ok((a, b));
        }
        match common(a.of, b.of) {
            Some(of) => Ok((self.convert_list(a, of)?, self.convert_list(b, of)?)),
            None => unsupported("lists of different sorts"),
        }
    }

    /// Converts a list so that its elements have the sort of a scalar.
    pub fn convert_list(&mut self, list: List, of: Scalar) -> Result<List> {
        if list.of.sort == of.sort || list.most == Some(0) {
            return Ok(list);
        }
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        self.copy_list(list, at, 8, of)?;
        Ok(List { at, width: 8, of, immutable: true, ..list })
    }

    /// Returns the parts of a tuple type, which may be optional.
    pub fn tuple_types(ty: &Type) -> Option<&[Type]> {
        match ty {
            Type::Tuple(parts) => Some(parts),
            Type::Optional(of) => Builder::tuple_types(of),
            _ => None,
        }
    }
}
