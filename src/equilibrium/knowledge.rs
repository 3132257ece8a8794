//! Knowledge of seats as ids: two paths have the same id for a seat if it cannot tell them apart.

use std::collections::HashMap;

use super::{Trail, is_public_event};
use crate::engine::WrittenDown;
use crate::engine::identity::{Key, digest_of};
use crate::eval::{Fault, Machine, Position};
use crate::ir::Value;
use crate::play::{KnownEntry, perceive_if_settled};

/// A choice of a seat (from 0) or a chance draw (`None`): the seat, name and arguments (or value drawn).
pub(super) type Action<'d> = (Option<usize>, &'d str, &'d [Value]);

/// Assigns ids to what seats have seen since a subgame began.
pub(super) struct Knowledge<'m> {
    machine: &'m Machine,
    /// What makes no difference to play or knowledge.
    pub written_down: WrittenDown,
    /// Ids by previous knowledge and a digest of what has happened since, as the seat knows it, and of what it sees now.
    known: HashMap<(usize, Key), usize>,
    /// The key by which a bot finds each id again.
    trails: Vec<Trail>,
}

impl<'m> Knowledge<'m> {
    pub fn new(machine: &'m Machine) -> Knowledge<'m> {
        Knowledge {
            machine,
            written_down: WrittenDown::of(machine),
            known: HashMap::new(),
            trails: Vec::new(),
        }
    }

    /// Resets everything for a new subgame, at whose start every seat knows only where it is.
    pub fn begin(&mut self) {
        self.known.clear();
        self.trails.clear();
    }

    /// Returns a new id.
    pub fn new_id(&mut self, trail: Trail) -> usize {
        self.trails.push(trail);
        self.trails.len() - 1
    }

    /// Returns the key by which a bot finds this id again.
    pub fn trail(&self, number: usize) -> Trail {
        self.trails[number]
    }

    /// Returns a seat's knowledge after `actions` have led to `position`, given its knowledge `before`.
    /// Recall is perfect: the seat forgets neither its choices nor what it saw.
    pub fn after(
        &mut self,
        before: usize,
        seat: usize,
        actions: &[Action],
        position: &Position,
    ) -> Result<usize, Fault> {
        let Some(sees) = perceive_if_settled(self.machine, Some(seat), position)? else { return Ok(before) };
        let happened = actions.iter().map(|(who, name, values)| {
            let knows = *who == Some(seat) || is_public_event(&self.machine.game, *who, name);
            KnownEntry { seat: *who, name: (*name).to_string(), values: knows.then(|| values.to_vec()) }
        });
        let happened: Vec<KnownEntry> = happened.collect();
        let fresh = self.trails.len();
        let number = *self.known.entry((before, digest_of(&(&happened, &sees)))).or_insert(fresh);
        if number == fresh {
            self.new_id(self.trails[before].after(&happened, &sees, &self.written_down));
        }
        Ok(number)
    }
}
