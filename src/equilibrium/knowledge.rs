//! What seats have seen on their way to a node, as a number: two ways have one where the seat cannot tell them apart.

use std::collections::HashMap;

use crate::bots::{Trail, is_told};
use crate::eval::{Fault, Machine, Position};
use crate::ir::Value;
use crate::play::{Happened, Perceived, perceive_between};

/// What happened at once: choices of seats (from 0) that chose together, or a draw of chance.
pub(super) type Deed<'d> = (Option<usize>, &'d str, &'d [Value]);

/// The numbers of what seats have seen since a subgame began.
pub(super) struct Knowledge<'m> {
    machine: &'m Machine,
    /// What was known before, what happened since as the seat knows it, and what it sees now.
    known: HashMap<(usize, Vec<Happened>, Perceived), usize>,
    /// By number, how a bot finds it again.
    trails: Vec<Trail>,
}

impl<'m> Knowledge<'m> {
    pub fn new(machine: &'m Machine) -> Knowledge<'m> {
        Knowledge { machine, known: HashMap::new(), trails: Vec::new() }
    }

    /// Forgets all: a subgame begins, where every seat knows but where it is.
    pub fn begin(&mut self) {
        self.known.clear();
        self.trails.clear();
    }

    /// A number that nothing had before.
    pub fn fresh(&mut self, trail: Trail) -> usize {
        self.trails.push(trail);
        self.trails.len() - 1
    }

    /// How a bot finds again what has this number.
    pub fn trail(&self, number: usize) -> Trail {
        self.trails[number]
    }

    /// What a seat knows that knew `before`, once this has happened and led to that position. Perfect recall: the seat forgets
    /// neither what it chose nor what it saw.
    pub fn after(
        &mut self,
        before: usize,
        seat: usize,
        deeds: &[Deed],
        position: &Position,
    ) -> Result<usize, Fault> {
        let Some(sees) = perceive_between(self.machine, seat, position)? else { return Ok(before) };
        let happened = deeds.iter().map(|(who, name, values)| {
            let knows = *who == Some(seat) || is_told(&self.machine.game, *who, name);
            Happened { seat: *who, name: (*name).to_string(), values: knows.then(|| values.to_vec()) }
        });
        let key: (usize, Vec<Happened>, Perceived) = (before, happened.collect(), sees);
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let number = self.fresh(self.trails[before].after(&key.1, &key.2));
        self.known.insert(key, number);
        Ok(number)
    }
}
