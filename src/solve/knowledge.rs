//! What searches know of positions, to be stored and used again.

use super::table::{TableEntry, TranspositionTable};
use super::{Concept, Task, has_chance, stepper_for};
use crate::engine::{Engine, Stepper};

/// The transposition tables of searches: one for each side that needs a search of its own.
#[derive(Debug, Default)]
pub struct Knowledge {
    tables: Vec<TranspositionTable>,
}

impl Knowledge {
    /// Whether a game is solved by search. Otherwise its position graph is built, and nothing is kept.
    pub fn searches<E: Engine>(&self, engine: &E, task: &Task) -> bool {
        let sides = engine.machine().sides().len();
        !has_chance(&engine.machine().game) && (sides <= 2 || task.concept == Concept::Paranoid)
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().all(TranspositionTable::is_empty)
    }

    /// Whether memory is so full that positions are forgotten.
    pub fn is_full(&self) -> bool {
        self.tables.iter().any(TranspositionTable::is_full)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.tables.clear();
    }

    /// Returns at least `searches` tables, adding new ones to those that exist.
    pub(super) fn tables<E: Engine>(
        &mut self,
        engine: &E,
        searches: usize,
        task: &Task,
    ) -> &mut Vec<TranspositionTable> {
        let words = stepper_for(engine, task.goal).0.lasting_key_words();
        let memory = task.memory - task.memory_of_numbers();
        while self.tables.len() < searches {
            self.tables.push(TranspositionTable::new(memory / searches as u64, words));
        }
        &mut self.tables
    }

    /// Passes everything to `on` as bytes, one piece per position. Numbers are little-endian: table (1 byte),
    /// number of words (4), words (8 each), bounds (4 each), best move (2), effort (1).
    pub fn each_piece(&self, on: &mut dyn FnMut(&[u8])) {
        let mut piece = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            for (words, known, effort) in table.each() {
                piece.clear();
                piece.push(at as u8);
                piece.extend((words.len() as u32).to_le_bytes());
                words.iter().for_each(|word| piece.extend(word.to_le_bytes()));
                piece.extend(known.lower.to_le_bytes());
                piece.extend(known.upper.to_le_bytes());
                piece.extend(known.best.to_le_bytes());
                piece.push(effort as u8);
                on(&piece);
            }
        }
    }

    /// Reads what [`Knowledge::each_piece`] wrote for the same task; `None` if the bytes are damaged.
    pub fn read<E: Engine>(engine: &E, task: &Task, bytes: &[u8]) -> Option<Knowledge> {
        let mut knowledge = Knowledge::default();
        let sides = engine.machine().sides().len();
        let searches = if sides > 2 { sides } else { 1 };
        let tables = knowledge.tables(engine, searches, task);
        // Tables that are as large as before have room for every position.
        let mut counts = vec![0; tables.len()];
        let mut rest = bytes;
        while !rest.is_empty() {
            *counts.get_mut(Piece::take(&mut rest)?.table)? += 1;
        }
        tables.iter_mut().zip(counts).for_each(|(table, count)| table.grow_for(count));
        let (mut rest, mut words) = (bytes, Vec::new());
        while !rest.is_empty() {
            let piece = Piece::take(&mut rest)?;
            words.clear();
            words.extend(piece.words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
            tables[piece.table].add(&words, TranspositionTable::hash(&words), piece.known, piece.effort);
        }
        Some(knowledge)
    }
}

/// What [`Knowledge::each_piece`] writes for one position.
struct Piece<'b> {
    table: usize,
    words: &'b [u8],
    known: TableEntry,
    effort: u64,
}

impl<'b> Piece<'b> {
    /// Takes the next piece; `None` if it is cut short.
    fn take(bytes: &mut &'b [u8]) -> Option<Piece<'b>> {
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at_checked(count)?;
            *bytes = rest;
            Some(taken)
        };
        let table = usize::from(take(1)?[0]);
        let count = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        let words = take(count.checked_mul(8)?)?;
        let lower = i32::from_le_bytes(take(4)?.try_into().ok()?);
        let upper = i32::from_le_bytes(take(4)?.try_into().ok()?);
        let best = u16::from_le_bytes(take(2)?.try_into().ok()?);
        let effort = u64::from(take(1)?[0]);
        Some(Piece { table, words, known: TableEntry { lower, upper, best }, effort })
    }
}
