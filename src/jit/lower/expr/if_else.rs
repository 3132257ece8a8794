//! `if … else …` as a value: one of several single values, sets or lists.

use crate::ir::{Expr, ExprKind, Type};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, Unsupported, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::common;
use crate::jit::mir::{Block, Variable};

impl Builder<'_> {
    /// Lowers a value that conditions select.
    pub(in crate::jit) fn if_else(
        &mut self,
        e: &Expr,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
    ) -> Result<Val> {
        let ty = &e.ty;
        let scalar = self.type_scalar(ty);
        let optional = matches!(ty, Type::Optional(of) if is_compound(of));
        let of_compounds = matches!(ty, Type::List(of) | Type::Set(of) if is_compound(of));
        if optional || of_compounds || matches!(ty, Type::Bag(_) | Type::Grid(_) | Type::Map(..)) {
            return self.one_of_compounds(arms, otherwise, ty);
        }
        let set = match ty {
            Type::Set(_) => self.element_universe(e),
            _ => None,
        };
        // A set in which none may be is a list of different elements.
        let listed = matches!(ty, Type::List(_)) || set.is_some_and(|of| of.optional);
        if scalar.is_none() && listed {
            return self.one_of_lists(arms, otherwise);
        }
        if let Type::Tuple(types) = ty {
            // Parts that fit words may together fit none.
            let single: Option<Vec<Scalar>> = types.iter().map(|ty| self.type_scalar(ty)).collect();
            let Some(of) = single else { return self.one_of_tuples(arms, otherwise, types) };
            let words = self.one_of_words(arms, otherwise, &of, |this, value| {
                let val = this.expr(value)?;
                let Some(parts) = this.tuple_parts(&val, of.len()) else {
                    return unsupported("a choice between large values");
                };
                parts.into_iter().zip(&of).map(|(part, of)| this.word_as(part, of.sort)).collect()
            })?;
            return Ok(Val::Tuple(words.into_iter().map(Val::Word).collect()));
        }
        if let Some(of) = scalar {
            let words = self.one_of_words(arms, otherwise, &[of], |this, value| {
                let val = this.expr(value)?;
                Ok(vec![this.word_as(val, of.sort)?])
            })?;
            return Ok(Val::Word(words[0]));
        }
        let Some(of) = set.filter(|of| of.words() <= REGISTERS) else {
            return unsupported("a choice between large values");
        };
        let words =
            self.one_of_words(arms, otherwise, &vec![Scalar::any_int(); of.words()], |this, value| {
                let val = this.expr(value)?;
                let words = this.bits(val, of)?.words;
                Ok(words.into_iter().map(|v| Word { v, s: Scalar::any_int(), known: None }).collect())
            })?;
        Ok(Val::Bits(Bits { words: words.into_iter().map(|word| word.v).collect(), of }))
    }

    /// Selects one of several rows of words of these domains, in ranges that are no wider than necessary.
    fn one_of_words(
        &mut self,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
        of: &[Scalar],
        mut words_of: impl FnMut(&mut Self, &Expr) -> Result<Vec<Word>>,
    ) -> Result<Vec<Word>> {
        let (zero, end) = (self.int(0), self.block());
        let vars: Vec<Variable> = of.iter().map(|_| self.var(zero)).collect();
        let mut joined: Vec<Option<Scalar>> = vec![None; of.len()];
        self.each_arm(arms, otherwise, |this, value| {
            for (number, word) in words_of(this, value)?.into_iter().enumerate() {
                this.b.def_var(vars[number], word.v);
                joined[number] = Some(match joined[number] {
                    None => word.s,
                    Some(all) => all.join(word.s).unwrap_or(of[number]),
                });
            }
            this.jump(end);
            Ok(())
        })?;
        self.switch_to(end);
        let ranges = joined.into_iter().zip(of).map(|(joined, of)| joined.unwrap_or(*of));
        Ok(vars.iter().zip(ranges).map(|(var, s)| Word { v: self.b.use_var(*var), s, known: None }).collect())
    }

    /// Selects one of several tuples that fit no word, part by part.
    fn one_of_tuples(&mut self, arms: &[(Expr, Expr)], otherwise: &Expr, types: &[Type]) -> Result<Val> {
        let part_of = |value: &Expr, at: usize| match &value.kind {
            ExprKind::Tuple(parts) => parts[at].clone(),
            _ => Expr {
                kind: ExprKind::Part(Box::new(value.clone()), at),
                ty: types[at].clone(),
                span: value.span,
            },
        };
        let parts: Result<Vec<Val>> = (0..types.len())
            .map(|at| {
                let own = arms.iter().map(|(cond, value)| (cond.clone(), part_of(value, at))).collect();
                let kind = ExprKind::If(own, Box::new(part_of(otherwise, at)));
                self.expr(&Expr { kind, ty: types[at].clone(), span: otherwise.span })
            })
            .collect();
        Ok(Val::Tuple(parts?))
    }

    /// Lowers each value where the condition before it is the first that holds; `lower` ends the block.
    pub(in crate::jit) fn each_arm(
        &mut self,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
        mut lower: impl FnMut(&mut Self, &Expr) -> Result<()>,
    ) -> Result<()> {
        for (cond, value) in arms {
            let (yes, no) = (self.block(), self.block());
            self.branch(cond, yes, no)?;
            self.switch_to(yes);
            lower(self, value)?;
            self.switch_to(no);
        }
        lower(self, otherwise)
    }

    /// Selects one of several lists. Their common element type is known only after all have been lowered;
    /// lists with other words are copied then.
    fn one_of_lists(&mut self, arms: &[(Expr, Expr)], otherwise: &Expr) -> Result<Val> {
        let zero = self.int(0);
        let (at, len, end) = (self.var(zero), self.var(zero), self.block());
        let mut branches: Vec<(Block, List)> = Vec::new();
        self.each_arm(arms, otherwise, |this, value| {
            let val = this.expr(value)?;
            let (list, on) = (this.immutable_list(val)?, this.block());
            this.jump(on);
            branches.push((on, list));
            Ok(())
        })?;
        let mut most = Some(0i64);
        // A list that is always empty has no element type.
        let mut of: Option<Scalar> = None;
        for (_, list) in branches.iter().filter(|(_, list)| list.most != Some(0)) {
            most = most.zip(list.most).map(|(a, b)| a.max(b));
            of = Some(match of {
                None => list.of,
                Some(all) => {
                    common(all, list.of).ok_or(Unsupported("lists of mixed sorts".to_string(), None))?
                }
            });
        }
        let of = of.unwrap_or(branches[0].1.of);
        for (on, list) in branches {
            self.switch_to(on);
            let mut from = list.at;
            if list.of.sort != of.sort && list.most != Some(0) {
                let bytes = self.b.ins().ishl_imm_s(list.len, 3);
                from = self.scratch(bytes);
                self.copy_list(list, from, 8, of)?;
            }
            self.b.def_var(at, from);
            self.b.def_var(len, list.len);
            self.jump(end);
        }
        self.switch_to(end);
        Ok(Val::List(List::immutable(self.b.use_var(at), self.b.use_var(len), of, most)))
    }
}
