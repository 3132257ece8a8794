//! Static data of the code, and the tables that go with it: it lives as long as the code does.

use std::collections::BTreeMap;

use crate::engine::Reason;
use crate::ir::Pc;
use crate::jit::builder::unsupported::Mark;
use crate::jit::layout::position::ArgShape;
use crate::jit::runtime::questions::Question;

/// Something that happens in a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An offer of a choice is taken.
    Choice {
        /// The choice.
        choice: usize,
        /// The number of the offer.
        offer: usize,
    },
    /// Chance decides at a place of the code.
    Chance(Pc),
}

/// Something that code writes down: what happens, and how its values lie in words.
#[derive(Debug, Clone)]
pub struct Logged {
    /// What happens.
    pub event: Event,
    /// Its arguments, or what came out.
    pub shapes: Vec<ArgShape>,
}

impl Logged {
    /// How many words are written down, from these on.
    pub fn words(&self, row: &[i64]) -> usize {
        self.shapes.iter().fold(2, |at, shape| match shape {
            ArgShape::List(_) => at + 1 + row[at] as usize,
            shape => at + shape.words(),
        })
    }
}

/// Static data of the code: it lives as long as the code does.
#[derive(Debug, Default)]
pub struct Data {
    rows: Vec<Box<[i64]>>,
    known: BTreeMap<Vec<i64>, usize>,
    /// Why code bails out or takes a side exit, by the number that it then writes.
    pub reasons: Vec<Reason>,
    /// The parts that the reference works out, and why.
    pub marks: Vec<(Mark, String)>,
    /// What code may write down of a match, by the number it then gives.
    pub logged: Vec<Logged>,
    /// Whether something happens that cannot be written down.
    pub log_fails: bool,
    /// What code asks it.
    pub questions: Vec<Question>,
}

impl Data {
    /// The address of a row of words.
    pub fn row(&mut self, words: Vec<i64>) -> i64 {
        if let Some(at) = self.known.get(&words) {
            return self.rows[*at].as_ptr() as i64;
        }
        self.known.insert(words.clone(), self.rows.len());
        self.rows.push(words.into_boxed_slice());
        self.rows.last().map_or(0, |row| row.as_ptr() as i64)
    }
}
