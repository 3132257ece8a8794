//! Caches of tables of rows that the reference has counted.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap as HashMap, FxHashSet as HashSet};

use crate::eval::{Counted, table};
use crate::jit::layout::codec::{Memory, load};
use crate::jit::layout::position::{Layout, STANDING};
use crate::jit::layout::shape::{Length, Shape};
use crate::jit::runtime::questions::{Interpreter, QuestionKind, state_words};

/// Rows in the format of [`crate::eval::table`].
pub type Table = Arc<[i64]>;

/// The maximum total size of the cached tables with their keys, in words.
const MAX_WORDS: usize = 1 << 20;
/// The maximum number of keys of which it is remembered that they were asked for.
const MAX_ASKED: usize = 1 << 16;
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
    /// Hashes of the keys of tables that were asked for, but not made.
    asked: HashSet<u64>,
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
        let question =
            interpreter.questions.get(number).filter(|q| matches!(q.kind, QuestionKind::Rows(..)))?;
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

    /// Whether a table was asked for before; remembers that it was.
    pub fn was_asked(&mut self, key: &[i64]) -> bool {
        if self.asked.len() >= MAX_ASKED {
            self.asked.clear();
        }
        !self.asked.insert(FxBuildHasher.hash_one(key))
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
