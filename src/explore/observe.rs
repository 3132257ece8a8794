//! Plays random matches while each op is observed.

use super::sample::STOP;
use crate::eval::{Fault, Machine, Position, Waiting};
use crate::ir::Pc;
use crate::num::Rng;

/// The number of stops after which a match is left.
const MAX_STOPS: u64 = 200;

/// Plays a random match, and calls `on` before each op. Spends what is `left` of an effort. Returns whether the match ended.
pub(super) fn observe(
    machine: &Machine,
    on: &dyn Fn(Pc, &Position),
    rng: &mut Rng,
    left: &mut u64,
) -> Result<bool, Fault> {
    let behind = |pc: Pc, position: &mut Position| {
        on(pc, position);
        Ok(())
    };
    let mut position = machine.blank()?;
    *left = left.saturating_sub(STOP);
    machine.run_observed(&mut position, behind)?;
    for _ in 0..MAX_STOPS {
        *left = left.saturating_sub(STOP);
        match position.waiting.clone() {
            Waiting::Choice { choice, seats } => {
                let choice = &machine.game.choices[choice];
                let together = choice.together;
                for seat in if together { seats.as_slice() } else { &seats[..1] } {
                    let (drawn, steps) = machine
                        .ask_counted(&position, |env| env.draw_legal(choice, *seat, &mut |n| rng.below(n)));
                    *left = left.saturating_sub(steps);
                    let Some(drawn) = drawn? else { return Ok(false) };
                    if machine.accept(&mut position, *seat, drawn)? {
                        machine.run_observed(&mut position, behind)?;
                    }
                }
            }
            Waiting::Chance => {
                let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
                let on = |position: &mut Position| machine.run_observed(position, behind);
                let _ = machine.draw_then(&mut position, value, on)?;
            }
            Waiting::Over | Waiting::Nothing => return Ok(true),
        }
        if *left == 0 {
            break;
        }
    }
    Ok(false)
}
