//! Playouts: matches played at random on a bare position, without a record unless one is asked for.

use super::Rng;
use crate::diag::Code;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting, fault};
use crate::ir::Value;
use crate::num::Int;
use crate::source::Span;

/// What a playout tells of as it goes.
#[derive(Debug)]
pub enum Playout<'p> {
    /// A seat (from 0) has chosen.
    Choice(usize, &'p Chosen),
    /// Chance has decided: the name, and what came out.
    Chance(&'p str, &'p Value),
}

/// Plays from the start to the end, each choice uniform among the legal moves; at most `max_moves` choices.
///
/// A joint choice is drawn seat by seat. Whether the match came to its end is in the position returned.
pub fn playout(
    machine: &Machine,
    rng: &mut Rng,
    max_moves: u64,
    on: &mut dyn FnMut(Playout),
) -> Result<(Position, u64), Fault> {
    let mut position = machine.start()?;
    let mut moves = 0;
    loop {
        match &position.waiting {
            Waiting::Choice { seats, .. } => {
                let seats = seats.clone();
                if moves >= max_moves && position.sealed.is_empty() {
                    return Ok((position, moves));
                }
                for seat in seats {
                    let drawn = match machine.choice(&position) {
                        Some(choice) => machine
                            .ask(&position, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)))?,
                        None => None,
                    };
                    let Some(chosen) = drawn else {
                        let span = machine.choice(&position).map_or(Span::default(), |choice| choice.span);
                        return Err(fault(
                            Code::Stuck,
                            span,
                            "there is no legal move in the window that bots draw from",
                        ));
                    };
                    on(Playout::Choice(seat, &chosen));
                    moves += 1;
                    machine.choose(&mut position, seat, chosen)?;
                }
            }
            Waiting::Chance => {
                let dom = machine.outcomes(&position)?;
                let span = machine.chance(&position).map_or(Span::default(), |chance| chance.span);
                let value = dom.at(&rng.below(&dom.count(span)?.unwrap_or(Int::ONE)));
                if let Some(chance) = machine.chance(&position) {
                    on(Playout::Chance(&chance.name, &value));
                }
                let _ = machine.draw(&mut position, value)?;
            }
            Waiting::Over | Waiting::Nothing => return Ok((position, moves)),
        }
    }
}
