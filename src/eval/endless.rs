//! Play that goes on without a choice: positions that recur between two stops, and the loops they are in.

use std::collections::BTreeSet;

use super::{Fault, Machine, Position};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Game, Pc};
use crate::source::Span;

/// The most steps that the automaton may take without a choice or a draw.
pub(super) const MAX_OPS: u64 = 20_000_000;
/// The number of steps after which a position is first remembered.
const FIRST_LOOK: u64 = 1 << 12;
/// How many further steps are taken to see which loop goes on.
const FOLLOWED: usize = 10_000;

/// Notices when a position recurs (R. P. Brent, BIT 20, 1980): it remembers one position and compares those
/// that follow, and replaces it by a later one each time the number of steps has doubled.
pub(super) struct Recurrence {
    known: Option<Position>,
    next: u64,
}

impl Recurrence {
    /// Nothing remembered yet.
    pub fn new() -> Recurrence {
        Recurrence { known: None, next: FIRST_LOOK }
    }

    /// Looks at the position after this many steps. Returns whether it is the remembered one, so that play
    /// goes on for ever.
    #[inline]
    pub fn recurs(&mut self, steps: u64, position: &Position) -> bool {
        if steps < FIRST_LOOK {
            return false;
        }
        if steps == self.next {
            self.known = Some(Position { events: None, ..position.clone() });
            self.next *= 2;
            return false;
        }
        self.known.as_ref().is_some_and(|known| known.pc == position.pc && is_same(known, position))
    }
}

/// Whether play continues in the same way from two positions between stops.
fn is_same(a: &Position, b: &Position) -> bool {
    a.frame == b.frame
        && a.cells == b.cells
        && a.awards == b.awards
        && a.is_in == b.is_in
        && a.last_mover == b.last_mover
        && a.revealed == b.revealed
        && a.phases == b.phases
        && a.sealed == b.sealed
}

impl Machine {
    /// Returns the fault of play that comes back to a position between two stops.
    pub(super) fn goes_round(&self, position: &Position) -> Fault {
        let message = "play goes round here for ever without anybody choosing";
        Box::new(
            Diagnostic::new(Code::TooMuchWork, self.loop_at(position), message, "nothing changes any more")
                .help("end the loop when nobody can choose any more: `until` takes such a condition"),
        )
    }

    /// Returns the fault of play that takes more than [`MAX_OPS`] steps between two stops.
    pub(super) fn goes_on(&self, position: &Position) -> Fault {
        let message = "the rules go on and on here without anybody choosing";
        Box::new(Diagnostic::new(Code::TooMuchWork, self.loop_at(position), message, "").help(format!(
            "at most {} million steps may pass between two choices; end the loop when nobody can choose any more, let loops go through fewer values (`each y in x + 1..n`), or work a value out in one line: `sum(k in S: E)`",
            MAX_OPS / 1_000_000
        )))
    }

    /// Returns the head of the innermost loop that play does not leave in the next steps.
    fn loop_at(&self, position: &Position) -> Span {
        let mut ahead = Position { events: None, ..position.clone() };
        // What is looked at again here is not play.
        let mut machine = self.clone();
        (machine.watch, machine.meter) = (None, None);
        let mut met = BTreeSet::from([ahead.pc]);
        let steps = machine.allowance();
        for _ in 0..FOLLOWED {
            if machine.step(&mut ahead, &steps).is_err() {
                break;
            }
            met.insert(ahead.pc);
        }
        let (first, last) = (met.first().copied().unwrap_or(0), met.last().copied().unwrap_or(0));
        head_around(&self.game, first, last)
    }
}

/// Returns the head of the innermost loop whose code has all places from `first` to `last`; where there is
/// none, that of the innermost one around `first`.
fn head_around(game: &Game, first: Pc, last: Pc) -> Span {
    let innermost = |holds: &dyn Fn(&std::ops::Range<Pc>) -> bool| {
        game.loop_heads.iter().filter(|(_, code)| holds(code)).min_by_key(|(_, code)| code.len())
    };
    let around = innermost(&|code| code.contains(&first) && code.contains(&last));
    around.or_else(|| innermost(&|code| code.contains(&first))).map_or(Span::default(), |(head, _)| *head)
}
