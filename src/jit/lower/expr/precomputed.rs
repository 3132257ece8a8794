//! Values known at compile time: constants, and tables that the reference computes.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ir::{Builtin, Expr, ExprKind, Slot, Type, Value as Known};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, FIRST_HIDDEN_SLOT, Result, V, unsupported};
use crate::jit::layout::position::small;
use crate::jit::layout::shape::{Sort, Squares, UNSET, from_word};
use crate::jit::layout::slots::{REGISTERS, range_of, words_of};
use crate::jit::layout::tuple::word_in;
use crate::jit::lower::expr::masks::{Universe, bits_among, members};
use crate::jit::mir::IntCC;
use crate::opt::is_grid_state;

/// A combination of small local values as a mixed-radix row number, the last value varying fastest.
#[derive(Debug, Default)]
pub struct Digits(Vec<(Slot, Word)>);

impl Digits {
    /// Adds a value, which must not be optional.
    pub fn push(&mut self, slot: Slot, word: Word) {
        self.0.push((slot, word));
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of combinations.
    pub fn rows(&self) -> i64 {
        self.0.iter().fold(1, |rows, (_, word)| rows.saturating_mul(word.s.size()))
    }

    /// Stores the values of combination `row` in a frame for the reference.
    pub fn fill_frame(&self, mut row: i64, frame: &mut [Known], squares: Squares) {
        for (slot, word) in self.0.iter().rev() {
            frame[*slot] = from_word(word.s.sort, word.s.lo + row % word.s.size(), squares);
            row /= word.s.size();
        }
    }
}

impl Builder<'_> {
    // ---- known values

    /// Returns the value of an expression if it can be evaluated at compile time.
    pub fn constant(&mut self, e: &Expr) -> Option<Known> {
        match &e.kind {
            ExprKind::Value(value) => return Some(value.clone()),
            ExprKind::Option(id) => return Some(self.machine.setup.options[*id].clone()),
            ExprKind::Constant(id) => return Some(self.machine.setup.constants[*id].clone()),
            ExprKind::Local(slot) => return self.known_local(*slot),
            ExprKind::Standing if self.layout.all_in => {
                return Some(Known::list((0..self.layout.players).map(Known::Player).collect()));
            }
            ExprKind::Text(_) => return None,
            _ => {}
        }
        let unchanging = invariants::is_invariant(self.machine, e, &mut |slot| self.is_known(slot));
        if !unchanging {
            return None;
        }
        let mut frame = self.known_frame(e);
        let machine = self.machine;
        let (value, steps) = machine.ask_counted(self.blank, |env| env.eval(e, &mut frame));
        // The reference evaluates it each time.
        self.cost = self.cost.saturating_add(steps);
        value.ok()
    }

    pub(in crate::jit) fn known_local(&self, slot: Slot) -> Option<Known> {
        match self.locals.bound.get(&slot) {
            Some(Val::Const(value)) => Some(value.clone()),
            Some(Val::Word(Word { known: Some(n), s, .. })) => {
                Some(from_word(s.sort, *n, self.layout.squares))
            }
            _ => None,
        }
    }

    /// Whether a local value is known.
    pub fn is_known(&self, slot: Slot) -> bool {
        self.known_local(slot).is_some()
    }

    /// Returns a frame for the reference with the known local values that an expression may read.
    pub fn known_frame(&self, e: &Expr) -> Vec<Known> {
        self.known_frame_up_to(invariants::highest_slot(self.machine, e))
    }

    /// Returns a frame for the reference with the known local values up to slot `highest`.
    pub fn known_frame_up_to(&self, highest: Slot) -> Vec<Known> {
        let known = |slot: Slot| self.known_local(slot).unwrap_or(Known::Unset);
        (0..=highest).map(known).collect()
    }

    /// Looks an invariant expression up in a precomputed table, if it reads few small local values and is
    /// not trivial.
    pub fn tabulated(&mut self, e: &Expr) -> Result<Option<Val>> {
        match matches!(e.kind, ExprKind::Local(_)) || invariants::weight(e) < 7 {
            true => Ok(None),
            false => self.in_table(e),
        }
    }

    /// Looks a builtin without code of its own up in a precomputed table indexed by its arguments, if these
    /// are single values with few possibilities. What a grid holds does not matter to a builtin about its
    /// shape.
    pub fn by_table(&mut self, builtin: Builtin, args: &[Expr], e: &Expr) -> Result<Option<Val>> {
        let about_grid =
            |this: &Self, arg: &Expr| builtin.traits().of_shape && is_grid_state(this.machine, arg);
        let named = self.locals.bound.keys().copied().filter(|slot| *slot < FIRST_HIDDEN_SLOT);
        let free = named.max().unwrap_or(0).max(invariants::highest_slot(self.machine, e)) + 1;
        let mut args = args.to_vec();
        let mut words = Vec::new();
        for arg in &mut args {
            if about_grid(self, arg) || self.constant(arg).is_some() {
                continue;
            }
            if self.type_scalar(&arg.ty).is_none() {
                return Ok(None);
            }
            let word = self.number_of(arg)?;
            arg.kind = ExprKind::Local(free + words.len());
            words.push(word);
        }
        let slots = free..free + words.len();
        slots
            .clone()
            .zip(words)
            .for_each(|(slot, word)| drop(self.locals.bound.insert(slot, Val::Word(word))));
        let looked_up = self.in_table(&Expr { kind: ExprKind::Builtin(builtin, args), ..e.clone() });
        slots.for_each(|slot| drop(self.locals.bound.remove(&slot)));
        looked_up
    }

    /// Looks an invariant expression of few small local values up in a precomputed table.
    fn in_table(&mut self, e: &Expr) -> Result<Option<Val>> {
        let Some((index, results)) = self.table_of(e)? else { return Ok(None) };
        // Words take one row; lists take addresses and lengths.
        let squares = self.layout.squares;
        let failing = results.iter().any(Option::is_none);
        let there: Vec<Known> = results.iter().flatten().cloned().collect();
        if let Some(s) = range_of(&there, squares) {
            let word = |value: &Option<Known>| match value {
                Some(value) => word_in(value, s.sort, squares),
                None => Some(UNSET),
            };
            let Some(row) = results.iter().map(word).collect() else { return Ok(None) };
            let place = self.static_entry(row, index, 1);
            let v = self.load64(place, 0);
            if failing {
                let fails = self.cmp_imm(IntCC::Equal, v, UNSET);
                self.bail_out_if(fails);
            }
            return Ok(Some(Val::Word(Word { v, s, known: None })));
        }
        let elements: Vec<Known> = there.iter().flat_map(crate::eval::elements).collect();
        if matches!(e.ty, Type::Set(_)) && !failing {
            return self.set_in_table(index, &there, &elements);
        }
        if !matches!(e.ty, Type::List(_) | Type::Bag(_)) || failing {
            return Ok(None);
        }
        let Some(of) = range_of(&elements, squares) else { return Ok(None) };
        let most = there.iter().map(|list| crate::eval::elements(list).len() as i64).max();
        let mut row = Vec::new();
        for list in &there {
            let words: Option<Vec<i64>> =
                crate::eval::elements(list).iter().map(|item| word_in(item, of.sort, squares)).collect();
            let Some(words) = words else { return Ok(None) };
            row.push(self.data.row(words.iter().copied().cycle().take(len_with_wrap(words.len())).collect()));
            row.push(words.len() as i64);
        }
        let place = self.static_entry(row, index, 2);
        let (at, len) = (self.load64(place, 0), self.load64(place, 8));
        let list = List { at, len, width: 8, of, most, exact: None, wraps: true, immutable: true };
        Ok(Some(if matches!(e.ty, Type::Bag(_)) { Val::BagOfList(list) } else { Val::List(list) }))
    }

    /// Looks a small set up in a table of sets.
    fn set_in_table(&mut self, index: V, sets: &[Known], elements: &[Known]) -> Result<Option<Val>> {
        let squares = self.layout.squares;
        let Some(of) = range_of(elements, squares).filter(|of| small(*of)) else { return Ok(None) };
        let mut row = Vec::new();
        for set in sets {
            let Some(bits) = bits_among(&crate::eval::elements(set), of, squares) else { return Ok(None) };
            row.extend(bits.into_iter().map(|word| word as i64));
        }
        let place = self.static_entry(row, index, of.words());
        let words = (0..of.words()).map(|i| self.load64(place, i as i32 * 8)).collect();
        Ok(Some(Val::Bits(Bits { words, of })))
    }

    /// Returns the elements of one of several known lists, none of which has duplicates, as bits from a static
    /// row. The list is that of a loop over known lists, or decided by few small local values.
    pub(in crate::jit) fn bits_of_known_list(&mut self, e: &Expr) -> Result<Option<(Bits, Universe)>> {
        let looped = match &e.kind {
            ExprKind::Local(slot) => self.known_list(*slot),
            _ => None,
        };
        let (index, lists) = match looped {
            Some((index, lists)) => (index, lists.iter().map(crate::eval::elements).collect::<Vec<_>>()),
            None => {
                let Some((index, results)) = self.table_of(e)? else { return Ok(None) };
                let lists = results.iter().map(|list| list.as_ref().map(crate::eval::elements));
                let Some(lists) = lists.collect::<Option<Vec<_>>>() else { return Ok(None) };
                (index, lists)
            }
        };
        let squares = self.layout.squares;
        let Some(of) = range_of(&lists.concat(), squares) else { return Ok(None) };
        let of = if of.sort == Sort::Square { squares.scalar() } else { of };
        if of.optional || of.words() > REGISTERS {
            return Ok(None);
        }
        let (mut row, mut within) = (Vec::new(), vec![0u64; of.words()]);
        for list in &lists {
            let Some(bits) = bits_among(list, of, squares) else { return Ok(None) };
            if members(&bits).count() != list.len() {
                return Ok(None);
            }
            within.iter_mut().zip(&bits).for_each(|(all, word)| *all |= word);
            row.extend(bits.into_iter().map(|word| word as i64));
        }
        let place = self.static_entry(row, index, of.words());
        let words = (0..of.words()).map(|i| self.load64(place, i as i32 * 8)).collect();
        Ok(Some((Bits { words, of }, Universe { of, within })))
    }

    /// Returns the number of the list that a slot holds, from 0, and all lists that it may hold, if these are
    /// known.
    fn known_list(&mut self, slot: Slot) -> Option<(V, Rc<[Known]>)> {
        if let Some(found) = self.locals.one_of.get(&slot) {
            return Some(found.clone());
        }
        let (counter, lists) = self.vars.get(&slot).filter(|_| self.locals.automaton)?.one_of.clone()?;
        let behind = self.b.use_var(counter);
        Some((self.b.ins().iadd_imm_s(behind, -1), lists))
    }

    /// Evaluates an expression for all combinations of its local values. Returns the index of the current
    /// combination, and the values by index.
    fn table_of(&mut self, e: &Expr) -> Result<Option<(V, Vec<Option<Known>>)>> {
        const MAX_ENTRIES: i64 = 1 << 12;
        let free = crate::ir::free_slots(e);
        let mut digits = Digits::default();
        for slot in &free {
            if self.is_known(*slot) {
                continue;
            }
            let Ok(Val::Word(word)) = self.local(*slot) else { return Ok(None) };
            if word.s.optional {
                return Ok(None);
            }
            digits.push(*slot, word);
        }
        if digits.is_empty() || digits.rows() > MAX_ENTRIES {
            return Ok(None);
        }
        if !invariants::is_invariant(self.machine, e, &mut |slot| free.contains(&slot)) {
            return Ok(None);
        }
        let mut frame = self.known_frame(e);
        let (mut results, mut most) = (Vec::new(), 0);
        for row in 0..digits.rows() {
            digits.fill_frame(row, &mut frame, self.layout.squares);
            let mut frame = frame.clone();
            let (value, steps) = self.machine.ask_counted(self.blank, |env| env.eval(e, &mut frame));
            most = most.max(steps);
            results.push(value.ok());
        }
        self.cost = self.cost.saturating_add(most);
        let index = self.row_number(&digits);
        Ok(Some((index, results)))
    }

    /// Returns the row number for the current values.
    pub fn row_number(&mut self, digits: &Digits) -> V {
        let mut number = None;
        for (_, word) in &digits.0 {
            let digit = match word.s.lo {
                0 => word.v,
                lo => self.b.ins().iadd_imm_s(word.v, -lo),
            };
            number = Some(match number {
                None => digit,
                Some(number) => {
                    let up = self.b.ins().imul_imm_s(number, word.s.size());
                    self.b.ins().iadd(up, digit)
                }
            });
        }
        number.unwrap_or_else(|| self.int(0))
    }

    /// Returns the address of entry `index` of a static row whose entries have `words` words.
    pub fn static_entry(&mut self, row: Vec<i64>, index: V, words: usize) -> V {
        let at = self.static_row(row);
        let offset = self.b.ins().imul_imm_s(index, words as i64 * 8);
        self.b.ins().iadd(at, offset)
    }

    /// Looks a key up in a known map, using a static row from its least key to its greatest.
    pub fn look_up_known(&mut self, map: &BTreeMap<Known, Known>, at: Word) -> Result<Word> {
        const MAX_ENTRIES: i64 = 1 << 12;
        let squares = self.layout.squares;
        let (keys, values): (Vec<Known>, Vec<Known>) =
            map.iter().map(|(key, value)| (key.clone(), value.clone())).unzip();
        let (Some((keys, among)), Some((values, s))) = (words_of(&keys, squares), words_of(&values, squares))
        else {
            return unsupported("a known map of many values");
        };
        let (least, most) = (among.lo, among.hi);
        if most - least >= MAX_ENTRIES {
            return unsupported("a known map of keys far apart");
        }
        let mut row = vec![UNSET; (most - least) as usize + 1];
        keys.iter().zip(values).for_each(|(key, value)| row[(key - least) as usize] = value);
        let gaps = row.contains(&UNSET);
        let at = self.convert_to_sort(at, among.sort, true)?;
        let at = self.require_some(at);
        self.must_fit(at, least, most);
        let from = self.b.ins().iadd_imm_s(at.v, -least);
        let place = self.static_entry(row, from, 1);
        let v = self.load64(place, 0);
        if gaps {
            let missing = self.cmp_imm(IntCC::Equal, v, UNSET);
            self.bail_out_if(missing);
        }
        Ok(Word { v, s, known: None })
    }

    /// Returns the address of a static row of words.
    pub fn static_row(&mut self, words: Vec<i64>) -> V {
        let at = self.data.row(words);
        self.b.ins().static_addr(at)
    }
}

/// Returns the number of elements stored for a static list, including those repeated past its end.
pub fn len_with_wrap(len: usize) -> usize {
    if len == 0 { 0 } else { len + crate::jit::builder::value::WRAP_COUNT as usize }
}
