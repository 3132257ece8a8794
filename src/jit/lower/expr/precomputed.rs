//! Values known at compile time: constants, and tables that the reference computes.

use std::rc::Rc;

use crate::ir::{Builtin, Expr, ExprKind, Slot, Type, Value as Known};
use crate::jit::analysis::evaluated::Table;
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, FIRST_HIDDEN_SLOT, Result, V};
use crate::jit::layout::bits::{bits_among, members, set_mask_bit};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::position::small;
use crate::jit::layout::shape::{NONE, Scalar, Sort, Squares, UNSET, from_word};
use crate::jit::layout::slots::{REGISTERS, range_of};
use crate::jit::layout::tuple::{range_of_tuples, word_in};
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::IntCC;
use crate::opt::{is_grid_state, work};

/// The greatest number of entries of a table.
const MAX_ENTRIES: i64 = 1 << 14;
/// The most work to compute a table, in nodes that are evaluated.
const MAX_WORK: u64 = 1 << 18;
/// The greatest number of parts of a known collection.
const MAX_PARTS: i64 = 1 << 14;

/// A combination of small local values as a mixed-radix row number, the last value varying fastest. None comes after all
/// other values.
#[derive(Debug, Default)]
pub struct Digits(Vec<(Slot, Word)>);

impl Digits {
    /// Adds a value.
    pub fn push(&mut self, slot: Slot, word: Word) {
        self.0.push((slot, word));
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of combinations.
    pub fn rows(&self) -> i64 {
        self.0.iter().fold(1, |rows, (_, word)| rows.saturating_mul(radix(word.s)))
    }

    /// Stores the values of combination `row` in a frame for the reference.
    pub fn fill_frame(&self, mut row: i64, frame: &mut [Known], squares: Squares) {
        for (slot, word) in self.0.iter().rev() {
            let digit = row % radix(word.s);
            let own = if digit < word.s.size() { word.s.lo + digit } else { NONE };
            frame[*slot] = from_word(word.s.sort, own, squares);
            row /= radix(word.s);
        }
    }
}

/// Returns the number of values of a domain, with none if it is included.
fn radix(of: Scalar) -> i64 {
    of.size().saturating_add(of.optional.into())
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

    /// Returns a slot such that neither it nor any after it has a value or is used in an expression.
    pub(in crate::jit) fn free_slot(&self, e: &Expr) -> Slot {
        let named = self.locals.bound.keys().copied().filter(|slot| *slot < FIRST_HIDDEN_SLOT);
        named.max().unwrap_or(0).max(invariants::highest_slot(self.machine, e)) + 1
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
        let free = self.free_slot(e);
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
        self.one_of_known(index, &results, &e.ty)
    }

    /// Returns the value with number `index`, from 0, among known values of one type; bails out if it is
    /// missing. Returns `None` if such values have no code.
    pub(in crate::jit) fn one_of_known(
        &mut self,
        index: V,
        values: &[Option<Known>],
        ty: &Type,
    ) -> Result<Option<Val>> {
        match ty {
            ty if self.fits_no_row(ty) => {
                // Any value stands for one that is missing.
                let Some(any) = values.iter().flatten().next() else { return Ok(None) };
                let all: Vec<Known> = values.iter().map(|one| one.as_ref().unwrap_or(any)).cloned().collect();
                let Some((words, of)) = self.keep_known(&all, ty) else { return Ok(None) };
                self.bail_out_if_missing(index, values);
                let word = self.load_entry(words, index, 1)[0];
                Ok(Some(self.named(word, &of)))
            }
            Type::Set(_) | Type::List(_) | Type::Bag(_) => {
                let contents = contents(values.iter().map(Option::as_ref), self.layout.squares);
                let Some((contents, of)) = contents else { return Ok(None) };
                self.bail_out_if_missing(index, values);
                Ok(Some(match ty {
                    Type::Set(_) if small(of) => Val::Bits(self.one_of_known_sets(index, &contents, of)),
                    Type::Bag(_) => Val::BagOfList(self.one_of_known_lists(index, &contents, of)),
                    _ => Val::List(self.one_of_known_lists(index, &contents, of)),
                }))
            }
            _ => Ok(self.one_of_known_words(index, values).map(Val::Word)),
        }
    }

    /// Whether values of a type are neither single values nor collections of these.
    fn fits_no_row(&self, ty: &Type) -> bool {
        match ty {
            Type::Set(of) | Type::List(of) | Type::Bag(of) => is_compound(of),
            ty => is_compound(ty),
        }
    }

    /// Bails out if the value with number `index`, from 0, is missing.
    fn bail_out_if_missing(&mut self, index: V, values: &[Option<Known>]) {
        if values.contains(&None) {
            let absent = values.iter().map(|value| i64::from(value.is_none())).collect();
            let absent = self.load_entry(absent, index, 1);
            let absent = self.cmp_imm(IntCC::NotEqual, absent[0], 0);
            self.bail_out_if(absent);
        }
    }

    /// Returns the collection with number `index`, from 0, among known ones of one type; `None` if such collections
    /// have no code.
    pub(in crate::jit) fn one_of_known_collections(
        &mut self,
        index: V,
        collections: &[Known],
    ) -> Result<Option<Val>> {
        let element = Box::new(Type::Wrong);
        let ty = match collections.first() {
            Some(Known::List(_)) => Type::List(element),
            Some(Known::Set(_)) => Type::Set(element),
            Some(Known::Bag(_)) => Type::Bag(element),
            _ => return Ok(None),
        };
        let collections: Vec<Option<Known>> = collections.iter().cloned().map(Some).collect();
        self.one_of_known(index, &collections, &ty)
    }

    /// Returns the single value with number `index`, from 0, among known ones; bails out if it is missing.
    /// Returns `None` if they fit no words of one sort.
    fn one_of_known_words(&mut self, index: V, values: &[Option<Known>]) -> Option<Word> {
        let squares = self.layout.squares;
        let there: Vec<Known> = values.iter().flatten().cloned().collect();
        let s = elements_range(&there, squares)?;
        let word = |value: &Option<Known>| match value {
            Some(value) => word_in(value, s.sort, squares),
            None => Some(UNSET),
        };
        let row: Vec<i64> = values.iter().map(word).collect::<Option<_>>()?;
        let place = self.static_entry(row, index, 1);
        let v = self.load64(place, 0);
        if there.len() < values.len() {
            let fails = self.cmp_imm(IntCC::Equal, v, UNSET);
            self.bail_out_if(fails);
        }
        Some(Word { v, s, known: None })
    }

    /// Returns the small set with number `index`, from 0, among some.
    fn one_of_known_sets(&mut self, index: V, sets: &[Vec<i64>], of: Scalar) -> Bits {
        let mut row = Vec::new();
        for set in sets {
            let mut bits = vec![0u64; of.words()];
            set.iter().for_each(|word| set_mask_bit(&mut bits, word - of.lo));
            row.extend(bits.into_iter().map(|word| word as i64));
        }
        Bits { words: self.load_entry(row, index, of.words()), of }
    }

    /// Returns the list with number `index`, from 0, among some.
    fn one_of_known_lists(&mut self, index: V, lists: &[Vec<i64>], of: Scalar) -> List {
        let most = lists.iter().map(|list| list.len() as i64).max().unwrap_or(0);
        let exact = lists.iter().all(|list| list.len() as i64 == most).then_some(most);
        let (mut elements, mut places) = (Vec::new(), Vec::new());
        for list in lists {
            places.extend([elements.len() as i64 * 8, list.len() as i64]);
            elements.extend(list);
        }
        let (behind, len) = match exact {
            Some(len) => (self.b.ins().imul_imm_s(index, len * 8), self.int(len)),
            None => {
                let place = self.load_entry(places, index, 2);
                (place[0], place[1])
            }
        };
        let first = self.static_row(elements);
        let at = self.b.ins().iadd(first, behind);
        List { at, len, width: 8, of, most: Some(most), exact, immutable: true }
    }

    /// Returns the elements of one of several known lists, none of which has duplicates, as bits from a static
    /// row. The list is that of a loop over known lists, or decided by few small local values or by the keys of
    /// a known collection.
    pub(in crate::jit) fn bits_of_known_list(&mut self, e: &Expr) -> Result<Option<(Bits, Universe)>> {
        let looped = match &e.kind {
            ExprKind::Local(slot) => self.known_list(*slot),
            _ => None,
        };
        let (index, lists) = match looped {
            Some((index, lists)) => (index, lists.iter().map(crate::eval::elements).collect::<Vec<_>>()),
            None => {
                let found = match self.table_of(e)? {
                    Some(found) => Some(found),
                    None => self.known_parts(e)?.map(|(index, parts)| (index, parts.into())),
                };
                let Some((index, results)) = found else { return Ok(None) };
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
        let words = self.load_entry(row, index, of.words());
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
    fn table_of(&mut self, e: &Expr) -> Result<Option<(V, Table)>> {
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
        let work = work(e, self.facts, &self.known_scope());
        if work.saturating_mul(digits.rows() as u64) > MAX_WORK {
            return Ok(None);
        }
        if !invariants::is_invariant(self.machine, e, &mut |slot| free.contains(&slot)) {
            return Ok(None);
        }
        let (results, most) = self.evaluated.tables.get(self.evaluation(e, &digits, &()), || {
            let mut frame = self.known_frame(e);
            let (mut results, mut most) = (Vec::new(), 0);
            for row in 0..digits.rows() {
                digits.fill_frame(row, &mut frame, self.layout.squares);
                let (value, steps) = self.machine.ask_counted(self.blank, |env| env.eval(e, &mut frame));
                most = most.max(steps);
                results.push(value.ok());
            }
            (results.into(), most)
        });
        self.cost = self.cost.saturating_add(most);
        let index = self.row_number(&digits);
        Ok(Some((index, results)))
    }

    /// Returns a text that says what the values of an expression for all combinations of digits depend on.
    pub(in crate::jit) fn evaluation(&self, e: &Expr, digits: &Digits, more: &dyn std::fmt::Debug) -> String {
        let known: Vec<_> = crate::ir::free_slots(e).into_iter().map(|slot| self.known_local(slot)).collect();
        let digits: Vec<_> = digits.0.iter().map(|(slot, word)| (slot, word.s)).collect();
        format!("{} {known:?} {digits:?} {more:?}", crate::ir::expr_text(&self.machine.game, e))
    }

    /// Returns the row number for the current values.
    pub fn row_number(&mut self, digits: &Digits) -> V {
        self.mixed_radix(digits.0.iter().map(|(_, word)| *word))
    }

    /// Returns the number whose mixed-radix digits are the distances of words from the ends of their ranges, the
    /// last word varying fastest.
    fn mixed_radix(&mut self, words: impl IntoIterator<Item = Word>) -> V {
        let mut number = None;
        for word in words {
            let mut digit = match word.s.lo {
                0 => word.v,
                lo => self.b.ins().iadd_imm_s(word.v, -lo),
            };
            if word.s.optional {
                let (none, last) = (self.cmp_imm(IntCC::Equal, word.v, NONE), self.int(word.s.size()));
                digit = self.b.ins().select(none, last, digit);
            }
            number = Some(match number {
                None => digit,
                Some(number) => {
                    let up = self.b.ins().imul_imm_s(number, radix(word.s));
                    self.b.ins().iadd(up, digit)
                }
            });
        }
        number.unwrap_or_else(|| self.int(0))
    }

    /// Loads entry `index` of a static row whose entries have `words` words.
    pub fn load_entry(&mut self, row: Vec<i64>, index: V, words: usize) -> Vec<V> {
        let place = self.static_entry(row, index, words);
        self.load_words(place, words)
    }

    /// Returns the address of entry `index` of a static row whose entries have `words` words.
    pub fn static_entry(&mut self, row: Vec<i64>, index: V, words: usize) -> V {
        let at = self.static_row(row);
        let offset = self.b.ins().imul_imm_s(index, words as i64 * 8);
        self.b.ins().iadd(at, offset)
    }

    /// Returns what lies at changing keys in a known collection: `prices[good]`, `roads[from][to]`. Returns
    /// `None` for other expressions, and if there are too many combinations of keys.
    pub(in crate::jit) fn part_of_known(&mut self, e: &Expr) -> Result<Option<Val>> {
        match self.known_parts(e)? {
            Some((index, values)) => self.one_of_known(index, &values, &e.ty),
            None => Ok(None),
        }
    }

    /// Lowers a collection of which only the distinct elements matter. A list that lies at changing keys in a
    /// known collection becomes a set.
    pub(in crate::jit) fn distinct(&mut self, e: &Expr) -> Result<Val> {
        if let Type::List(of) = &e.ty
            && self.constant(e).is_none()
            && let Some((index, lists)) = self.known_parts(e)?
            && let Some(set) = self.one_of_known(index, &lists, &Type::Set(of.clone()))?
        {
            return Ok(set);
        }
        self.expr(e)
    }

    /// Returns the number of the current one, from 0, among all parts of a known collection that an expression
    /// may give by its keys, and these parts, with gaps where there are no such keys. Returns `None` for other
    /// expressions, and if there are too many combinations of keys.
    fn known_parts(&mut self, e: &Expr) -> Result<Option<(V, Vec<Option<Known>>)>> {
        let (mut base, mut keys) = (e, Vec::new());
        let whole = loop {
            let ExprKind::Index(of, key) = &base.kind else { return Ok(None) };
            keys.push(&**key);
            base = of;
            if let Some(whole) = self.constant(base) {
                break whole;
            }
        };
        let (mut parts, mut ranges) = (vec![Some(whole)], Vec::new());
        for _ in &keys {
            let Some((among, inner)) = self.parts_by_key(&parts) else { return Ok(None) };
            ranges.push(among);
            parts = inner;
        }
        let mut digits = Vec::new();
        for (key, among) in keys.into_iter().rev().zip(ranges) {
            let key = self.word_of(key)?;
            let key = self.convert_to_sort(key, among.sort, true)?;
            let key = self.require_some(key);
            self.must_fit(key, among.lo, among.hi);
            digits.push(Word { s: among, ..key });
        }
        Ok(Some((self.mixed_radix(digits), parts)))
    }

    /// Returns the range of the keys of some lists or maps, and for each collection in turn its values from the
    /// least key to the greatest.
    fn parts_by_key(&self, collections: &[Option<Known>]) -> Option<(Scalar, Vec<Option<Known>>)> {
        let squares = self.layout.squares;
        let mut entries: Vec<Vec<(Known, Known)>> = Vec::new();
        for collection in collections {
            entries.push(match collection {
                None => Vec::new(),
                Some(Known::List(items)) => {
                    (1i64..).map(|at| Known::Int(at.into())).zip(items.iter().cloned()).collect()
                }
                Some(Known::Map(map)) => {
                    map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
                }
                Some(_) => return None,
            });
        }
        let keys: Vec<Known> = entries.iter().flatten().map(|(key, _)| key.clone()).collect();
        let among = range_of(&keys, squares).filter(|among| !among.optional)?;
        let size = among.size();
        if size.saturating_mul(entries.len() as i64) > MAX_PARTS {
            return None;
        }
        let mut values = vec![None; size as usize * entries.len()];
        for (row, entries) in values.chunks_mut(size as usize).zip(entries) {
            for (key, value) in entries {
                row[(word_in(&key, among.sort, squares)? - among.lo) as usize] = Some(value);
            }
        }
        Some((among, values))
    }

    /// Returns the address of a static row of words.
    pub fn static_row(&mut self, words: Vec<i64>) -> V {
        self.static_row_word(words).v
    }

    /// Returns the address of a static row of words, which is known now.
    pub fn static_row_word(&mut self, words: Vec<i64>) -> Word {
        let at = self.data.row(words);
        Word { v: self.b.ins().static_addr(at), s: Scalar::any_int(), known: Some(at) }
    }
}

/// Returns the elements of some collections as words, and the scalar that holds them all; a missing collection counts as
/// empty.
fn contents<'a>(
    collections: impl Iterator<Item = Option<&'a Known>>,
    squares: Squares,
) -> Option<(Vec<Vec<i64>>, Scalar)> {
    let items: Vec<Vec<Known>> =
        collections.map(|all| all.map(crate::eval::elements).unwrap_or_default()).collect();
    let of = elements_range(&items.concat(), squares)?;
    let words = |items: &Vec<Known>| items.iter().map(|item| word_in(item, of.sort, squares)).collect();
    Some((items.iter().map(words).collect::<Option<_>>()?, of))
}

/// Returns the sort and range of the elements of a collection; `None` if they fit no words.
pub(in crate::jit) fn elements_range(items: &[Known], squares: Squares) -> Option<Scalar> {
    range_of(items, squares).or_else(|| range_of_tuples(items, squares))
}
