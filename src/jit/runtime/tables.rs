//! Tables of rows that the reference has counted, kept for the next time that the same is asked.

use std::collections::HashMap;
use std::sync::Arc;

use crate::jit::layout::codec::{Memory, load};
use crate::jit::layout::position::{Layout, STANDING};
use crate::jit::layout::shape::{Length, Shape};
use crate::jit::runtime::questions::{Encoding, Interpreter, Task, lies};

/// Rows, as [`crate::eval::table`] reads them.
pub type Table = Arc<[i64]>;

/// How many words tables that are kept may have together, with what was asked.
const MOST: usize = 1 << 20;
/// How long a question may be whose answer is kept, in words.
const LONGEST: usize = 1 << 10;

/// Tables by what was asked, each with the steps that it took the reference.
#[derive(Debug, Default)]
pub struct Tables {
    known: HashMap<Vec<i64>, (Table, i64)>,
    words: usize,
}

impl Tables {
    /// All that an answer depends on, as it lies in memory: the question, the words given, the state, and who is in and what was
    /// awarded where it asks for that. `None` where no rows are asked for, or where words say where a value lies and not what it is.
    pub fn key(
        interpreter: &Interpreter,
        number: usize,
        memory: &Memory,
        given: &[&[i64]],
    ) -> Option<Vec<i64>> {
        let question = interpreter.questions.get(number).filter(|q| matches!(q.task, Task::Rows(_)))?;
        if !question.inputs.iter().all(|(_, encoding)| tells_all(encoding)) {
            return None;
        }
        let Layout { players, awards, states, .. } = &interpreter.layout;
        let mut key = vec![number as i64];
        for words in given {
            key.push(words.len() as i64);
            key.extend_from_slice(words);
        }
        let mut add = |words: &[u64]| {
            key.push(words.len() as i64);
            key.extend(words.iter().map(|word| *word as i64));
            (key.len() <= LONGEST).then_some(())
        };
        for state in &question.touched.reads {
            let place = &states[*state];
            // Where one player's is read, and it is known whose, that of others makes no difference.
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
                let (fixed, grown) = lies(place, at, memory);
                // Where a list lies that grows does not matter.
                let grows = matches!(place.shape, Shape::List(Length::Growing, _) | Shape::Kept);
                add(&fixed[usize::from(grows)..])?;
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

    /// The table that was made when the same was asked, and the steps that took.
    pub fn find(&self, key: &[i64]) -> Option<(Table, i64)> {
        self.known.get(key).cloned()
    }

    /// Keeps a table. When there are too many, none of those before is needed so much that it could not be made anew.
    pub fn keep(&mut self, key: Vec<i64>, table: Table, steps: i64) {
        let words = key.len() + table.len();
        if self.words + words > MOST {
            self.known.clear();
            self.words = 0;
        }
        self.words += words;
        self.known.insert(key, (table, steps));
    }
}

/// Whether the words of a value are all there is to it.
fn tells_all(encoding: &Encoding) -> bool {
    match encoding {
        Encoding::Tuple(parts) => parts.iter().all(tells_all),
        Encoding::Kept | Encoding::Place(_) => false,
        _ => true,
    }
}
