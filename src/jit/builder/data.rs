//! Static data of the code and its tables; it lives as long as the code does.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap as HashMap;

use crate::engine::Reason;
use crate::ir::{Pc, Type, Value};
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::layout::entries::PlainEntries;
use crate::jit::layout::kept::Kept;
use crate::jit::layout::slots::SlotShape;
use crate::jit::runtime::questions::Question;

/// An event of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A seat takes an offer of a choice.
    Choice {
        /// The index of the choice.
        choice: usize,
        /// The index of the offer.
        offer: usize,
    },
    /// Chance decides at this op.
    Chance(Pc),
}

/// An event that code logs, and how its values are laid out in words.
#[derive(Debug, Clone)]
pub struct Logged {
    /// The event.
    pub event: Event,
    /// The shapes of the move's arguments, or of the values that chance decided.
    pub shapes: Vec<SlotShape>,
}

impl Logged {
    /// Returns the number of words of the log record that begins `row`.
    pub fn words(&self, row: &[i64]) -> usize {
        self.shapes.iter().fold(2, |at, shape| match shape {
            SlotShape::List(_) => at + 1 + row[at] as usize,
            shape => at + shape.words(),
        })
    }
}

/// Static data of the code; it lives as long as the code does.
#[derive(Debug, Default)]
pub struct Data {
    rows: BTreeSet<Box<[i64]>>,
    /// The reasons for bail-outs and side exits, by the number that code writes.
    pub reasons: Vec<Reason>,
    /// The parts that the reference evaluates, and why.
    pub marked_parts: Vec<(MarkedPart, String)>,
    /// The events that code may log, by the number that it writes.
    pub logged: Vec<Logged>,
    /// Whether some event cannot be logged.
    pub logging_disabled: bool,
    /// The questions that code asks the reference.
    pub questions: Vec<Question>,
    /// The shapes whose entries helpers encode.
    pub plain_entries: Vec<PlainEntries>,
    /// The number of words of memory for values that code keeps.
    pub memo_words: i64,
    memos: BTreeMap<String, i64>,
    /// The words that name known values of a type, and how these are kept.
    pub kept: HashMap<(Vec<Value>, Type), (Vec<i64>, Kept)>,
}

impl Data {
    /// Reserves so many words of memory for values that code keeps, or finds those that are reserved for the same purpose, and
    /// returns the number of the first, from 0; `None` if there would be too many in all.
    pub fn memo(&mut self, purpose: String, words: i64) -> Option<i64> {
        const MOST_WORDS: i64 = 1 << 21;
        if let Some(known) = self.memos.get(&purpose) {
            return Some(*known);
        }
        let first = self.memo_words;
        self.memo_words = first.checked_add(words).filter(|all| *all <= MOST_WORDS)?;
        self.memos.insert(purpose, first);
        Some(first)
    }

    /// Returns the address of a static row of words; equal rows share one address.
    pub fn row(&mut self, words: Vec<i64>) -> i64 {
        if let Some(row) = self.rows.get(words.as_slice()) {
            return row.as_ptr() as i64;
        }
        let row = words.into_boxed_slice();
        let at = row.as_ptr() as i64;
        self.rows.insert(row);
        at
    }
}
