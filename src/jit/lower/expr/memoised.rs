//! Memoisation: what takes long to compute from a few numbers is kept by these numbers, and looked up from then on (D. Michie,
//! "Memo functions and machine learning", 1968). Small numbers have a place for each combination of them; large ones share
//! places by their hash, and the last combination is kept.

use std::collections::BTreeSet;

use crate::ir::{
    Arith, Builtin, Expr, ExprKind, Slot, Type, bound_slots, children, children_mut, reads, rename_slots,
};
use crate::jit::analysis::invariants;
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, FIRST_HIDDEN_SLOT, Result, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::lower::expr::precomputed::Digits;
use crate::jit::mir::{IntCC, Variable};
use crate::jit::runtime::call::CTX_MEMO;
use crate::opt::work;

/// The greatest number of combinations of numbers of which each has a place.
const MOST_KEPT: i64 = 1 << 16;
/// Of more combinations, those that came up last are kept, in so many places by a hash of their numbers, as a power of two.
const HASHED_SHIFT: u32 = 12;
/// To look a value up takes about as long as to evaluate so many nodes.
const LOOKUP: u64 = 64;

/// The form of a value in its words.
#[derive(Clone, Copy)]
enum Form {
    Word(Word),
    Bits(Scalar),
    List(List),
}

impl Builder<'_> {
    /// Returns the value of an expression that takes long and depends on a few small numbers alone, computed by `compute` when
    /// these come up for the first time; `None` for other expressions.
    pub(in crate::jit) fn memoised(
        &mut self,
        e: &Expr,
        compute: impl FnOnce(&mut Self, &Expr) -> Result<Val>,
    ) -> Result<Option<Val>> {
        let keeps_one = match &e.ty {
            Type::Set(of) | Type::List(of) => self.type_scalar(of).is_some(),
            ty => self.type_scalar(ty).is_some(),
        };
        let takes_long = matches!(e.kind, ExprKind::Fold(_) | ExprKind::Builtin(..));
        if !keeps_one || !takes_long || self.memoising || work(e, self.facts, &self.known_scope()) < LOOKUP {
            return Ok(None);
        }
        let (mut own, mut inputs) = (e.clone(), Vec::new());
        let free = self.free_slot(e);
        self.take_inputs(&mut own, &bound_slots(e), free, &mut inputs);
        let is_input = |slot: Slot| slot >= free && slot - free < inputs.len();
        if inputs.is_empty()
            || inputs.iter().any(|input| self.may_fail(input))
            || !invariants::is_invariant(self.machine, &own, &mut |slot| is_input(slot))
        {
            return Ok(None);
        }
        let mut words = Vec::new();
        for input in &inputs {
            let word = self.word_of(input)?;
            if word.s.optional {
                return Ok(None);
            }
            words.push(word);
        }
        let function = self.function_text(&own, free);
        let kept = self.kept_by((function, &e.ty), &words, |this| {
            this.memoising = true;
            let slots = free..free + words.len();
            for (slot, word) in slots.clone().zip(&words) {
                this.locals.bound.insert(slot, Val::Word(*word));
            }
            let computed = compute(this, &own);
            slots.for_each(|slot| drop(this.locals.bound.remove(&slot)));
            this.memoising = false;
            computed
        });
        kept.map(Some)
    }

    /// Returns the value of a type that a function, which is told apart from all others by a text, has of some inputs: computed by
    /// `compute` when they come up for the first time, and then kept.
    pub(in crate::jit) fn kept_by(
        &mut self,
        (function, ty): (String, &Type),
        inputs: &[Word],
        compute: impl FnOnce(&mut Self) -> Result<Val>,
    ) -> Result<Val> {
        let mut digits = Digits::default();
        inputs.iter().enumerate().for_each(|(at, word)| digits.push(at, *word));
        let ranges: Vec<Scalar> = inputs.iter().map(|word| word.s).collect();
        let function = format!("{function} for {ranges:?}");
        let hashed = digits.rows() > MOST_KEPT;
        let rows = if hashed { 1 << HASHED_SHIFT } else { digits.rows() };
        let keys: Vec<V> = inputs.iter().filter(|_| hashed).map(|word| word.v).collect();
        let key_words = keys.len() as i64;
        let flags = self.data.memo(format!("whether {function}"), rows);
        let keys_from = self.data.memo(format!("the inputs of {function}"), rows * key_words);
        let (Some(flags), Some(keys_from)) = (flags, keys_from) else { return compute(self) };
        let index = if hashed { self.hash_of(&keys) } else { self.row_number(&digits) };
        let flag_at = self.memo_entry(flags, index, 1);
        let flag = self.load64(flag_at, 0);
        let (mut hit, miss, end) = (self.block(), self.cold_block(), self.block());
        self.branch_on(flag, hit, miss);
        if hashed {
            self.switch_to(hit);
            let keys_at = self.memo_entry(keys_from, index, key_words);
            for (number, key) in keys.iter().enumerate() {
                let kept = self.load64(keys_at, 8 * number as i32);
                let same = self.cmp(IntCC::Equal, kept, *key);
                hit = self.block();
                self.branch_on(same, hit, miss);
                self.switch_to(hit);
            }
        }

        self.switch_to(miss);
        let (mark, before) = (self.b.use_var(self.run.scratch), self.b.use_var(self.run.fuel));
        let computed = compute(self)?;
        let Some((form, words)) = self.words_to_keep(&computed, ty)? else {
            // Nothing is ever kept.
            self.jump(end);
            self.switch_to(hit);
            self.bail_out();
            self.switch_to(end);
            return Ok(computed);
        };
        let kept: Vec<Variable> = words.iter().map(|word| self.var(*word)).collect();
        // Values are kept only while there is room for what is computed of them.
        let values = self.data.memo(format!("{} of {function}", words.len()), rows * words.len() as i64);
        let (store, skip) = (self.block(), self.block());
        match (values, form) {
            (None, _) => self.jump(skip),
            (Some(_), Form::List(list)) => {
                // Lists that are kept stay where they are.
                self.leave_if(flag, skip);
                self.leave_unless(words[0], skip);
                let bytes = self.b.ins().imul_imm_s(words[1], i64::from(list.width));
                let ctx = self.ctx;
                let copy = self.call("keep_list", &[ctx, words[0], bytes])?;
                self.b.def_var(kept[0], copy);
                self.branch_on(copy, store, skip);
            }
            (Some(_), _) => self.jump(store),
        }
        self.switch_to(store);
        let after = self.b.use_var(self.run.fuel);
        let used = self.b.ins().isub(before, after);
        let flag_or_one = self.b.ins().iadd_imm_s(used, 1);
        let place = self.memo_entry(values.unwrap_or(flags), index, kept.len() as i64);
        for (at, var) in kept.iter().enumerate() {
            let word = self.b.use_var(*var);
            self.store64(word, place, 8 * at as i32);
        }
        self.store64(flag_or_one, flag_at, 0);
        if hashed {
            let keys_at = self.memo_entry(keys_from, index, key_words);
            keys.iter().enumerate().for_each(|(number, key)| self.store64(*key, keys_at, 8 * number as i32));
        }
        self.b.def_var(self.run.scratch, mark);
        self.jump(end);
        self.switch_to(skip);
        words.iter().zip(&kept).for_each(|(word, var)| self.b.def_var(*var, *word));
        self.jump(end);

        self.switch_to(hit);
        // As many steps as when it was computed.
        let fuel = self.b.use_var(self.run.fuel);
        let without = self.b.ins().isub(fuel, flag);
        let left = self.b.ins().iadd_imm_s(without, 1);
        self.b.def_var(self.run.fuel, left);
        let out = self.cmp_imm(IntCC::SignedLessThan, left, 0);
        self.bail_out_for(BailOutReason::Steps, out);
        let place = self.memo_entry(values.unwrap_or(flags), index, kept.len() as i64);
        for (at, var) in kept.iter().enumerate() {
            let word = self.load64(place, 8 * at as i32);
            self.b.def_var(*var, word);
        }
        self.jump(end);

        self.switch_to(end);
        let words = kept.iter().map(|var| self.b.use_var(*var)).collect::<Vec<V>>();
        Ok(match form {
            Form::Word(word) => Val::Word(Word { v: words[0], known: None, ..word }),
            Form::Bits(of) => Val::Bits(Bits { words, of }),
            Form::List(list) => Val::List(List { at: words[0], len: words[1], immutable: true, ..list }),
        })
    }

    /// Does the same for a condition, which is computed each time if it is not kept.
    pub(in crate::jit) fn memoised_condition(
        &mut self,
        e: &Expr,
        compute: impl Fn(&mut Self, &Expr) -> Result<V>,
    ) -> Result<V> {
        let kept = self.memoised(e, |this, own| {
            let v = compute(this, own)?;
            Ok(Val::Word(this.bool_word(v)))
        })?;
        let Some(val) = kept else { return compute(self, e) };
        let word = self.word(val)?;
        Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0))
    }

    /// Returns a text that is the same for the same function of inputs, which are in slots from `free` on.
    fn function_text(&self, own: &Expr, free: Slot) -> String {
        let mut renamed = own.clone();
        let rename = |slot: Slot| if slot >= free { slot - free + FIRST_HIDDEN_SLOT } else { slot };
        rename_slots(&mut renamed, &mut |slot| rename(slot));
        crate::ir::expr_text(&self.machine.game, &renamed)
    }

    /// Returns the number of the place for some numbers, by their hash (Fibonacci hashing: D. E. Knuth, "The Art of Computer
    /// Programming", volume 3, 6.4).
    fn hash_of(&mut self, numbers: &[V]) -> V {
        const GOLDEN: i64 = 0x9e37_79b9_7f4a_7c15_u64 as i64;
        let mut hash = self.int(0);
        for number in numbers {
            let mixed = self.b.ins().iadd(hash, *number);
            hash = self.b.ins().imul_imm_s(mixed, GOLDEN);
        }
        self.b.ins().ushr_imm_s(hash, i64::from(64 - HASHED_SHIFT))
    }

    /// Returns the address of entry `index` of `words` words in the memory of kept values, after its first `from` words.
    fn memo_entry(&mut self, from: i64, index: V, words: i64) -> V {
        let ctx = self.ctx;
        let memory = self.load64(ctx, CTX_MEMO);
        let first = self.b.ins().iadd_imm_s(memory, from * 8);
        self.entry_at(first, index, words * 8)
    }

    /// Returns the words of a value of a type, and how they are read again; `None` if it cannot be kept.
    fn words_to_keep(&mut self, val: &Val, ty: &Type) -> Result<Option<(Form, Vec<V>)>> {
        if self.type_scalar(ty).is_some() {
            let word = self.word(val.clone())?;
            return Ok(Some((Form::Word(word), vec![word.v])));
        }
        Ok(match val {
            Val::Bits(bits) | Val::Members(bits) => Some((Form::Bits(bits.of), bits.words.clone())),
            Val::Span(..) | Val::List(_) => {
                let list = self.list(val.clone())?;
                Some((Form::List(list), vec![list.at, list.len]))
            }
            _ => None,
        })
    }

    /// Replaces the largest parts of an expression that are single values, simple, and independent of what is bound in it
    /// (`bound`), by slots from `free` on, and known local values by themselves; `inputs` are the parts that the slots stand for.
    pub(in crate::jit) fn take_inputs(
        &self,
        e: &mut Expr,
        bound: &BTreeSet<Slot>,
        free: Slot,
        inputs: &mut Vec<Expr>,
    ) {
        let mut simple = self.type_scalar(&e.ty).is_some() && !bound.iter().any(|slot| reads(e, *slot));
        simple = simple && is_simple(e) && !matches!(e.kind, ExprKind::Value(_));
        if let ExprKind::Arith(Arith::Add | Arith::Sub, a, b) = &mut e.kind
            && simple
            && matches!(b.kind, ExprKind::Value(_))
        {
            // Sums that differ by a number depend on the same.
            return self.take_inputs(a, bound, free, inputs);
        }
        if !simple {
            return children_mut(e, &mut |part| self.take_inputs(part, bound, free, inputs));
        }
        if let ExprKind::Local(slot) = e.kind
            && let Some(known) = self.known_local(slot)
        {
            e.kind = ExprKind::Value(known);
            return;
        }
        let text = crate::ir::expr_text(&self.machine.game, e);
        let known = inputs.iter().position(|other| crate::ir::expr_text(&self.machine.game, other) == text);
        let at = known.unwrap_or_else(|| {
            inputs.push(e.clone());
            inputs.len() - 1
        });
        e.kind = ExprKind::Local(free + at);
    }
}

/// Whether an expression consists of nothing but single values, parts of collections, their sizes and ends, and arithmetic.
fn is_simple(e: &Expr) -> bool {
    let own = matches!(
        e.kind,
        ExprKind::Builtin(Builtin::First | Builtin::Last | Builtin::Size | Builtin::Min | Builtin::Max, _)
            | ExprKind::Local(_)
            | ExprKind::Value(_)
            | ExprKind::Table(_)
            | ExprKind::Own(..)
            | ExprKind::Arith(..)
            | ExprKind::Negative(_)
            | ExprKind::Index(..)
            | ExprKind::Part(..)
            | ExprKind::Option(_)
            | ExprKind::Constant(_)
    );
    let mut all = own;
    children(e, &mut |part| all = all && is_simple(part));
    all
}
