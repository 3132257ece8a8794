//! Shortens pairs of worlds that show a leak: in the smallest setting, with fewer steps and smaller choices.

use super::notice::{self, Cell};
use super::worlds::{self, Change, World};
use super::{Leak, announced_leak, parted};
use crate::eval::Machine;
use crate::explore::shrink::{adapt_step, delta_debug, elsewhere, smaller};
use crate::explore::{Setting, Step};

/// A step of both worlds: the first world's, and the second's if it differs.
type Pair = (Step, Option<Step>);

/// Finds the smallest setting that shows a leak, and a short match there. Replays about `steps` steps at
/// most.
pub(super) fn shrink(
    machines: &[(Setting, Machine)],
    leak: Leak,
    setting: Setting,
    steps: u64,
) -> (Leak, Setting) {
    let mut left = steps;
    for (tried, machine) in machines.iter().filter(|(tried, _)| tried.players > 1) {
        let cells = notice::cells(machine);
        let mut share = if *tried == setting { left } else { left / 2 };
        let before = share;
        let again = Replayer { machine, cells: &cells, leak: &leak };
        if let Some(shown) = again.shown(&pairs(&leak), &mut share) {
            return (again.shortened(shown, &mut share), tried.clone());
        }
        left -= before - share;
        if *tried == setting {
            break;
        }
    }
    (leak, setting)
}

/// Returns the steps of a leak, side by side.
fn pairs(leak: &Leak) -> Vec<Pair> {
    let differs = |at: usize| (at == leak.change.at).then(|| leak.change.step.clone());
    leak.first.iter().enumerate().map(|(at, step)| (step.clone(), differs(at))).collect()
}

/// Replays pairs of worlds.
struct Replayer<'a> {
    machine: &'a Machine,
    cells: &'a [Cell],
    leak: &'a Leak,
}

impl Replayer<'_> {
    fn shortened(&self, leak: Leak, left: &mut u64) -> Leak {
        let mut best = leak;
        loop {
            let before = best.first.len();
            delta_debug(pairs(&best), &mut |rest| {
                let shown = self.shown(rest, left)?;
                let shorter = pairs(&shown);
                if shown.first.len() < best.first.len() {
                    best = shown;
                }
                Some(shorter)
            });
            best = self.with_smaller_choices(best, left);
            if *left == 0 || best.first.len() >= before {
                return best;
            }
        }
    }

    /// Replaces choices by smaller ones, one after the other, while the pair still shows the leak and does
    /// not get longer.
    fn with_smaller_choices(&self, mut best: Leak, left: &mut u64) -> Leak {
        for at in 0..best.first.len() {
            for second in [false, true] {
                for k in 0..self.machine.setup.players {
                    while let Some(less) = self.with_smaller_choice(&best, (at, second, k), left) {
                        best = less;
                    }
                }
            }
        }
        best
    }

    /// Replaces the pick at index `k` of step `at` by a smaller one, in the second world if `second`.
    fn with_smaller_choice(
        &self,
        best: &Leak,
        (at, second, k): (usize, bool, usize),
        left: &mut u64,
    ) -> Option<Leak> {
        let items = pairs(best);
        let (first, other) = items.get(at)?;
        let Step::Choice(picks) = (if second { other.as_ref()? } else { first }) else { return None };
        let (seat, chosen) = picks.get(k)?;
        let world = self.world(&items[..at], left)?;
        let less =
            smaller(self.machine, world.positions.last()?, (*seat, chosen), &elsewhere(&best.first, at));
        less.into_iter().find_map(|other| {
            let mut items = items.clone();
            let step = if second { items[at].1.as_mut()? } else { &mut items[at].0 };
            if let Step::Choice(picks) = step {
                picks[k].1 = other;
            }
            let shown = self.shown(&items, left)?;
            let same = (&shown.first, &shown.second) == (&best.first, &best.second);
            (!same && shown.first.len() <= best.first.len()).then_some(shown)
        })
    }

    /// Returns the first world of these steps; those that are not possible are left out.
    fn world(&self, items: &[Pair], left: &mut u64) -> Option<World> {
        Some(self.worlds(items, left)?.0)
    }

    fn worlds(&self, items: &[Pair], left: &mut u64) -> Option<(World, Option<Change>)> {
        let mut world = worlds::begun(self.machine)?;
        let mut change = None;
        for (step, other) in items {
            *left = left.checked_sub(1)?;
            let position = world.positions.last()?;
            let Ok(Some(step)) = adapt_step(self.machine, position, step) else { continue };
            if let Some(other) = other {
                let other = adapt_step(self.machine, position, other).ok()??;
                change = Some(worlds::between(world.steps.len(), &step, other, &self.leak.change)?);
            }
            if !worlds::go_on(self.machine, &mut world, &step) {
                break;
            }
        }
        Some((world, change))
    }

    /// Replays pairs of steps; returns the leak if they show it.
    fn shown(&self, items: &[Pair], left: &mut u64) -> Option<Leak> {
        let (world, change) = self.worlds(items, left)?;
        let change = change?;
        if change.at >= world.steps.len() {
            return None;
        }
        *left = left.checked_sub((world.steps.len() - change.at) as u64)?;
        let shown = parted(self.machine, self.cells, &world, &change, &mut 0)
            .or_else(|| announced_leak(self.machine, self.cells, &world, &change))?;
        (shown.diagnostic.span() == self.leak.diagnostic.span()).then_some(shown)
    }
}
