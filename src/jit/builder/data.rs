//! Static data of the code, and the tables that go with it: it lives as long as the code does.

use std::collections::BTreeMap;

use crate::engine::Reason;
use crate::jit::builder::unsupported::Mark;
use crate::jit::runtime::questions::Question;

/// Static data of the code: it lives as long as the code does.
#[derive(Debug, Default)]
pub struct Data {
    rows: Vec<Box<[i64]>>,
    known: BTreeMap<Vec<i64>, usize>,
    /// Why code bails out or takes a side exit, by the number that it then writes.
    pub reasons: Vec<Reason>,
    /// The parts that the reference works out, and why.
    pub marks: Vec<(Mark, String)>,
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
