//! Caches of tables of rows that the reference has counted.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap as HashMap};

use crate::eval::{Counted, table};
use crate::jit::layout::codec::{Memory, load};
use crate::jit::layout::position::{Layout, STANDING};
use crate::jit::layout::shape::{Length, Shape};
use crate::jit::runtime::interpreter::{Interpreter, state_words};
use crate::jit::runtime::questions::QuestionKind;

/// Rows in the format of [`crate::eval::table`], or the ranks of rows.
pub type Table = Arc<[i64]>;

/// The maximum total size of the cached tables with their keys, in words.
const MAX_WORDS: usize = 1 << 20;
/// The maximum number of keys of which it is remembered how many rows were tested.
const MAX_TESTED: usize = 1 << 16;
/// To make a table takes about as long as to test so many rows.
const TESTS_PER_TABLE: i64 = 1 << 10;
/// The maximum length of a key, in words.
const MAX_KEY_WORDS: usize = 1 << 10;

/// Counted rows, and their table unless a value does not fit a word.
type CountedTable = (Arc<Counted>, Option<Table>);

/// Cached tables by key, each with the number of steps that the reference took.
#[derive(Debug, Default)]
pub struct Tables {
    known: HashMap<Vec<i64>, (Table, i64)>,
    /// The tables of counted rows that the reference keeps, by question and address.
    counted: HashMap<(usize, *const Counted), CountedTable>,
    /// How many rows were tested instead of making a table, by the hash of its key.
    tested: HashMap<u64, i64>,
    /// For each question after which rows are being tested, the key of the ranks that will be found, and the steps that were
    /// left before.
    in_test: HashMap<usize, (Vec<i64>, i64)>,
    words: usize,
}

impl Tables {
    /// Returns everything that an answer depends on: the question, its input words, and unless these suffice the state it
    /// reads and, if it asks for them, the seats that are in and the awards. `None` if the question does not ask for
    /// rows, if an input is passed by reference and not by value, or if the key would be too long.
    pub fn key(
        interpreter: &Interpreter,
        number: usize,
        memory: &Memory,
        given: &[&[i64]],
    ) -> Option<Vec<i64>> {
        let question = interpreter
            .questions
            .get(number)
            .filter(|q| matches!(q.kind, QuestionKind::Rows(..) | QuestionKind::Tested))?;
        if !question.inputs.iter().all(|(_, encoding)| encoding.is_by_value()) {
            return None;
        }
        let layout = &interpreter.layout;
        let Layout { players, awards, states, .. } = layout;
        let mut key = vec![number as i64];
        for words in given {
            key.push(words.len() as i64);
            key.extend_from_slice(words);
        }
        let mut add = |words: &[u64]| {
            key.push(words.len() as i64);
            key.extend(words.iter().map(|word| *word as i64));
            (key.len() <= MAX_KEY_WORDS).then_some(())
        };
        if question.by_words {
            return Some(key);
        }
        for state in &question.touched.reads {
            let place = &states[*state];
            // If only one player's state is read and that player is known, the others' state does not matter.
            let slot = question.touched.owners.get(state).copied().flatten();
            let owner = slot.and_then(|slot| question.word_of(slot, given));
            let owner = owner.and_then(|owner| i32::try_from(owner).ok());
            let owners = owner.map_or(0..place.owners as i32, |owner| owner..owner + 1);
            for owner in owners {
                let at = place.at + owner * place.stride;
                if let Shape::Scalar(of) = place.shape {
                    add(&[load(memory, at, of.width()) as u64])?;
                    continue;
                }
                let (fixed, grown) = state_words(layout, place, at, memory);
                // The location of a growing block does not matter.
                let in_block =
                    matches!(place.shape, Shape::List(Length::Growing, _) | Shape::Sorted(_) | Shape::Opaque);
                add(&fixed[usize::from(in_block)..])?;
                add(grown)?;
            }
        }
        if question.touched.standing {
            add(&[memory[STANDING as usize / 8]])?;
        }
        if let Some(at) = awards.filter(|_| question.touched.awards) {
            add(&memory[at as usize / 8..][..*players])?;
        }
        Some(key)
    }

    /// Returns the cached table for a key, and the number of steps it took.
    pub fn find(&self, key: &[i64]) -> Option<(Table, i64)> {
        self.known.get(key).cloned()
    }

    /// Whether it is worth the time to make a table that is otherwise replaced by testing so many rows: whether the tests that
    /// it would have saved until now took longer. So no more than twice the time of the better choice is ever lost, as by who
    /// rents skis until the rent comes up to the price (Karlin, Manasse, Rudolph and Sleator 1988).
    pub fn is_worth_making(&mut self, key: &[i64], rows: i64) -> bool {
        if self.tested.len() >= MAX_TESTED {
            self.tested.clear();
        }
        let tested = self.tested.entry(FxBuildHasher.hash_one(key)).or_default();
        let before = *tested;
        *tested = before.saturating_add(rows);
        before >= TESTS_PER_TABLE
    }

    /// Remembers that rows are tested after a question, with so many steps left.
    pub fn test(&mut self, number: usize, key: Option<Vec<i64>>, fuel: i64) {
        match key {
            Some(key) => self.in_test.insert(number, (key, fuel)),
            None => self.in_test.remove(&number),
        };
    }

    /// Caches the ranks of the rows that were found by tests after a question.
    pub fn keep_tested(&mut self, number: usize, ranks: &[i64], fuel: i64) {
        if let Some((key, before)) = self.in_test.remove(&number) {
            self.keep(key, Table::from(ranks), before - fuel);
        }
    }

    /// Caches a table. If the cache is full, clears it first.
    pub fn keep(&mut self, key: Vec<i64>, table: Table, steps: i64) {
        self.make_room(key.len() + table.len());
        self.known.insert(key, (table, steps));
    }

    /// Returns the table of rows that were counted for a question, which `make` returns. The reference recognises rows that
    /// it counted before by less than what the question reads, so that these are often the same.
    pub fn of_counted(
        &mut self,
        number: usize,
        rows: &Arc<Counted>,
        make: impl FnOnce() -> Option<Vec<i64>>,
    ) -> Option<Table> {
        let key = (number, Arc::as_ptr(rows));
        if let Some((_, table)) = self.counted.get(&key) {
            return table.clone();
        }
        let table = make().map(|words| Table::from(table::with_rows(words)));
        self.make_room(table.as_ref().map_or(1, |table| table.len()));
        // The rows are kept so that no others take their address.
        self.counted.insert(key, (rows.clone(), table.clone()));
        table
    }

    fn make_room(&mut self, words: usize) {
        if self.words + words > MAX_WORDS {
            self.known.clear();
            self.counted.clear();
            self.words = 0;
        }
        self.words += words;
    }
}
