//! Scalar replacement: a short list whose elements change one by one is kept in registers while code runs. It
//! is loaded when code enters a match and stored when it stops, so that no choice waits for the stores of the
//! one before.

use crate::eval::Machine;
use crate::ir::{ChanceKind, Change, Effect, Expr, ExprKind, Op, StateId};
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, unsupported};
use crate::jit::layout::position::{Layout, list_head};
use crate::jit::layout::shape::{Length, Scalar, Shape};
use crate::jit::lower::effect::ResolvedPlace;
use crate::jit::mir::{IntCC, Variable};

/// The maximum number of elements in registers: each access compares every index, and more would be spilled.
const MAX_ELEMENTS: usize = 8;

/// Returns the element type and length of a list in shared state, if it can be kept in registers.
fn replaceable(machine: &Machine, layout: &Layout, state: StateId) -> Option<(Scalar, i64)> {
    let place = &layout.states[state];
    match place.shape {
        Shape::List(Length::Always(n), of)
            if (1..=MAX_ELEMENTS as i64).contains(&n)
                && place.flag.is_none()
                && !machine.game.state[state].per_player
                && changes_by_element(machine, state) =>
        {
            Some((of, n))
        }
        _ => None,
    }
}

/// Whether a list of fixed length is changed element by element, and never as a whole.
fn changes_by_element(machine: &Machine, state: StateId) -> bool {
    let mut inside = false;
    for op in &machine.game.code {
        let whole = match op {
            Op::Do(Effect::Assign(places, _), _) => {
                let mut own = places.iter().map(|(place, _)| place).filter(|place| place.state == state);
                inside |= own.clone().any(|place| !place.path.is_empty());
                own.any(|place| place.path.is_empty())
            }
            Op::Do(Effect::Reset(id), _) => machine.game.state[state].reset_by == Some(*id),
            Op::Chance(chance) => matches!(&chance.kind, ChanceKind::Shuffle(place) if place.state == state),
            // Other changes of the whole list would change its length.
            _ => false,
        };
        if whole {
            return false;
        }
    }
    inside
}

/// Returns the byte offset of element `i` (0-based) in its list.
fn element_at(of: Scalar, i: usize) -> i32 {
    list_head(of) + i as i32 * of.width() as i32
}

impl Builder<'_> {
    /// Loads the lists that are kept in registers, when code enters a match.
    pub(in crate::jit) fn load_register_lists(&mut self) {
        for state in 0..self.layout.states.len() {
            if let Some((of, n)) = replaceable(self.machine, self.layout, state) {
                let zero = self.int(0);
                let vars = (0..n).map(|_| self.var(zero)).collect();
                self.register_lists.0.insert(state, (of, vars));
            }
        }
        self.reload_register_lists();
    }

    /// Loads these lists again, after something else has changed them in memory.
    pub(in crate::jit) fn reload_register_lists(&mut self) {
        for (state, (of, vars)) in self.register_lists.0.clone() {
            let at = self.state_at(state, None);
            for (i, var) in vars.into_iter().enumerate() {
                let word = self.load_scalar(of, false, at, element_at(of, i));
                self.b.def_var(var, word.v);
            }
        }
    }

    /// Stores the lists that are kept in registers.
    pub(in crate::jit) fn store_register_lists(&mut self) {
        for (state, (of, vars)) in self.register_lists.0.clone() {
            let at = self.state_at(state, None);
            for (i, var) in vars.into_iter().enumerate() {
                let v = self.b.use_var(var);
                self.store_scalar(of, Word { v, s: of, known: None }, at, element_at(of, i));
            }
        }
    }

    /// Whether a list is in registers.
    pub(in crate::jit) fn is_in_registers(&self, state: StateId) -> bool {
        self.register_lists.0.contains_key(&state)
    }

    fn register_words(&mut self, of: Scalar, vars: &[Variable]) -> Vec<Word> {
        vars.iter().map(|var| Word { v: self.b.use_var(*var), s: of, known: None }).collect()
    }

    /// Returns the elements of the list that an expression reads, if it is in registers.
    pub(in crate::jit) fn register_elements(&mut self, e: &Expr) -> Option<Vec<Word>> {
        let ExprKind::Table(state) = &e.kind else { return None };
        let (of, vars) = self.register_lists.0.get(state)?.clone();
        Some(self.register_words(of, &vars))
    }

    /// Returns an element of the list that an expression reads, if it is in registers; `at` is 1-based.
    pub(in crate::jit) fn register_element(&mut self, list: &Expr, at: &Expr) -> Result<Option<Word>> {
        let Some(words) = self.register_elements(list) else { return Ok(None) };
        let at = self.number_of(at)?;
        Ok(Some(self.one_of(&words, at)))
    }

    /// Copies a list in registers to the stack, to be used like other lists; `None` if it is in memory.
    pub(in crate::jit) fn register_list(&mut self, state: StateId) -> Option<List> {
        let (of, vars) = self.register_lists.0.get(&state)?.clone();
        let words = self.register_words(of, &vars);
        let n = words.len() as i64;
        let at = self.stack(n as u32 * 8);
        for (i, word) in words.into_iter().enumerate() {
            self.store64(word.v, at, i as i32 * 8);
        }
        let len = self.int(n);
        Some(List { exact: Some(n), ..List::immutable(at, len, of, Some(n)) })
    }

    /// Changes an element of a list in registers; returns `false` if the list is in memory.
    pub(in crate::jit) fn write_register_list(
        &mut self,
        target: &ResolvedPlace,
        change: Change,
        val: &Val,
    ) -> Result<bool> {
        let Some((of, vars)) = self.register_lists.0.get(&target.state).cloned() else { return Ok(false) };
        let [at] = *target.path.as_slice() else { return unsupported("a held list changed as a whole") };
        let words = self.register_words(of, &vars);
        let picked = self.one_of(&words, at);
        let old = (change != Change::Set).then_some(picked);
        let new = self.updated_scalar(old, change, val.clone(), of.sort)?;
        let new = self.must_fit_place(new, of)?;
        let by = match val {
            Val::Word(by) if !of.optional && !by.s.optional => Some(by.v),
            _ => None,
        };
        for (i, (var, word)) in vars.into_iter().zip(words).enumerate() {
            // Each element is changed from its own value, so that it need not wait for the selected one.
            let new = match (by, change) {
                (Some(by), Change::Plus) => self.b.ins().iadd(word.v, by),
                (Some(by), Change::Minus) => self.b.ins().isub(word.v, by),
                _ => new.v,
            };
            let is = self.cmp_imm(IntCC::Equal, at.v, i as i64 + 1);
            let v = self.b.ins().select(is, new, word.v);
            self.b.def_var(var, v);
        }
        Ok(true)
    }

    /// Selects one of some words by a 1-based index; bails out if it is out of range.
    fn one_of(&mut self, words: &[Word], at: Word) -> Word {
        self.must_fit(at, 1, words.len() as i64);
        let known = at.known.and_then(|at| words.get(usize::try_from(at - 1).ok()?));
        if let Some(word) = known {
            return *word;
        }
        let mut found = words[0];
        for (i, word) in words.iter().enumerate().skip(1) {
            let is = self.cmp_imm(IntCC::Equal, at.v, i as i64 + 1);
            found.v = self.b.ins().select(is, word.v, found.v);
        }
        found
    }
}
