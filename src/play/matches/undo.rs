//! Going back in a match, and playing its entries again.

use super::{Match, Scene};
use crate::eval::Fault;
use crate::ir::Value;
use crate::play::Entry;
use crate::play::seen::find_recorded;

/// The position is kept before one in so many steps. Going back repeats no more than these.
pub(super) const STEPS_BETWEEN: usize = 16;

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
        self.after_step(0)
    }

    /// Returns the match as it was after a step; unchanged if it has not come that far.
    #[must_use]
    pub fn after_step(&self, step: usize) -> Match {
        let mut earlier = self.clone();
        earlier.go_back_to(step);
        earlier
    }

    /// Returns the match as it was before the step that entry number `at` belongs to, or after the first draws if it is one
    /// of them, and the number of entries made until then.
    pub fn before_step_of(&self, at: usize) -> (Match, usize) {
        let step = self.steps.partition_point(|step| step.before.0 <= at).saturating_sub(2);
        (self.after_step(step), self.steps[step].before.0 + self.steps[step].entries.len())
    }

    /// Goes back to what was after a step.
    pub fn go_back_to(&mut self, step: usize) {
        if step < self.depth() || !self.sealed.is_empty() {
            self.sealed.clear();
            self.restore(step);
        }
    }

    /// Goes back to the position after step `keep` by replaying the match's own entries from the last position before it that was
    /// kept, or from the start. The choices of an incomplete joint choice are kept if no step is taken back.
    pub(super) fn restore(&mut self, keep: usize) {
        let keep = keep.min(self.depth());
        let sealed = if keep == self.depth() { std::mem::take(&mut self.sealed) } else { Vec::new() };
        let known = (1..=keep).rev().find_map(|step| Some((step, self.steps[step].from.clone()?)));
        let first = known.as_ref().map_or(0, |(step, _)| *step);
        let entries: Vec<Entry> =
            self.steps[first..=keep].iter().flat_map(|step| step.entries.clone()).chain(sealed).collect();
        if let Some((step, from)) = known {
            self.steps.truncate(step);
            self.sealed.clear();
            self.entry_count = self.counts().0 as u64;
            self.scene = Scene::default();
            self.position = (*from).clone();
            // An entry that was legal once is legal again.
            self.repeat_all(entries.iter());
        } else if let Some((fresh, _)) = self.replayed(entries.iter(), self.seed) {
            *self = Match { seed_asked: self.seed_asked, ..fresh };
        }
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
        let whole = fresh.repeat_all(entries);
        Some((fresh, whole))
    }

    /// Repeats entries until one cannot be made. Returns whether all could.
    fn repeat_all<'e>(&mut self, mut entries: impl Iterator<Item = &'e Entry>) -> bool {
        entries.all(|entry| matches!(self.repeat(entry), Ok(true)))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::num::Rng;
    use crate::play::{Rules, bundled, bundled_source};

    /// Matches to go back in, longer than the steps between two positions that are kept.
    const STEPS: usize = 2 * STEPS_BETWEEN + 9;

    #[test]
    fn going_back_leads_to_what_was_there() {
        for (game, _) in bundled() {
            let rules = Arc::new(Rules::load(bundled_source(&game).unwrap()).unwrap());
            let players = rules.default_players();
            let mut played = Match::new(Arc::clone(&rules), &BTreeMap::new(), players, 5).unwrap();
            let mut rng = Rng::new(7);
            let mut was = vec![played.clone()];
            while !played.over() && was.len() < STEPS {
                let player = played.to_move()[0];
                let Ok(entry) = played.random_move(player, &mut rng) else { break };
                played.make(&entry).unwrap();
                if played.sealed().is_empty() {
                    was.push(played.clone());
                }
            }
            for (step, was) in was.iter().enumerate() {
                let now = played.after_step(step);
                assert_eq!(now.position, was.position, "{}: step {step}", game);
                assert_eq!(
                    (now.before(), now.counts()),
                    (was.before(), was.counts()),
                    "{}: step {step}",
                    game
                );
                assert!(now.entries().eq(was.entries()) && now.events().eq(was.events()), "{}", game);
                assert_eq!(now.entry_count, was.entry_count);
                // It goes on as it did.
                let mut again = now;
                for entries in played.steps().skip(step + 1) {
                    entries.iter().for_each(|entry| assert!(again.repeat(entry).unwrap()));
                }
                assert_eq!(again.position, played.position, "{}: from step {step}", game);
            }
            for at in 0..played.entries().count() {
                let (before, made) = played.before_step_of(at);
                let first = was[0].entries().count();
                assert!(made <= at.max(first) && before.counts().0 == made, "{}: entry {at}", game);
            }
        }
    }
}
