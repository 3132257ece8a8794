//! Going back in a match, and playing its entries again.

use super::Match;
use crate::eval::Fault;
use crate::ir::Value;
use crate::play::Entry;
use crate::play::seen::find_recorded;

impl Match {
    /// Takes back `steps` steps; a joint choice is one step, and so is the part of an incomplete one that was
    /// made. The error is the number of steps that could be taken back.
    pub fn undo(&mut self, steps: usize) -> Result<(), usize> {
        let partial = usize::from(!self.sealed.is_empty());
        if steps > self.depth() + partial {
            return Err(self.depth() + partial);
        }
        if partial > 0 {
            // The incomplete joint choice is taken back first.
            self.sealed.clear();
        }
        self.restore(self.depth() + partial - steps);
        Ok(())
    }

    /// Returns the match as it was before anything was played.
    #[must_use]
    pub fn at_start(&self) -> Match {
        let mut start = self.clone();
        start.sealed.clear();
        start.restore(0);
        start
    }

    /// Goes back to the position after step `keep` by replaying the match's own entries from the start. The
    /// choices of an incomplete joint choice are kept if no step is taken back.
    pub(super) fn restore(&mut self, keep: usize) {
        let sealed = if keep == self.depth() { std::mem::take(&mut self.sealed) } else { Vec::new() };
        let kept = self.steps[..=keep.min(self.depth())].iter().flat_map(|step| &step.entries);
        // An entry that was legal once is legal again.
        let Some((fresh, _)) = self.replayed(kept.chain(&sealed), self.seed) else { return };
        *self = Match { seed_asked: self.seed_asked, ..fresh };
    }

    /// Returns a match with the same rules, options and players in which these entries were made, and later draws come from
    /// `seed`; `None` if they cannot be made one after the other.
    pub fn with_entries(&self, entries: &[Entry], seed: u64) -> Option<Match> {
        self.replayed(entries.iter(), seed).filter(|(_, whole)| *whole).map(|(fresh, _)| fresh)
    }

    /// Replays entries from the start, and says whether all could be made.
    fn replayed<'e>(&self, entries: impl Iterator<Item = &'e Entry>, seed: u64) -> Option<(Match, bool)> {
        let options = self.machine.setup.options.iter().cloned().enumerate().collect();
        let mut fresh = Match::undrawn(self.rules.clone(), &options, self.players(), seed).ok()?;
        if let Some(given) = self.given.clone() {
            fresh.set_position(given.0, given.1);
        }
        for entry in entries {
            if !matches!(fresh.repeat(entry), Ok(true)) {
                return Some((fresh, false));
            }
        }
        Some((fresh, true))
    }

    /// Repeats an entry of the match's own record. Returns whether that was possible.
    pub(in crate::play) fn repeat(&mut self, entry: &Entry) -> Result<bool, Fault> {
        let values: Vec<Value> = entry.args.iter().map(|(_, value)| value.clone()).collect();
        let Some(seat) = entry.player.checked_sub(1) else {
            return Ok(self.draw(values.first().cloned().unwrap_or(Value::None))?.is_ok());
        };
        let chosen = find_recorded(&self.machine, &self.position, seat, &entry.name, &values)?;
        Ok(chosen.is_some_and(|chosen| self.carry_out(seat, chosen).is_ok()))
    }
}
