//! How large a game tree is, roughly, where it is too large to be laid out.

use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Fault, Waiting};
use crate::num::Rng;
use crate::source::Span;

/// The number of random matches on which the estimate is based.
const MATCHES: u64 = 200;
/// The choices and draws after which a match is taken to have no end.
const LONGEST: u32 = 1_000;

/// Estimates how many ways there are to play a match, as a power of ten: the product of the numbers of possible steps, on
/// average over random matches (D. Knuth, Mathematics of Computation 29, 1975). The most frequent error is that it is too
/// small. `None` if a match did not end, or if something cannot be counted.
pub fn log10_of_ways<E: Engine>(engine: &E) -> Result<Option<f64>, Fault> {
    let mut found = Vec::new();
    for number in 0..MATCHES {
        match ways_in(engine, &mut Rng::nth(0, number))? {
            Some(log) => found.push(log),
            None => return Ok(None),
        }
    }
    let most = found.iter().copied().fold(0.0, f64::max);
    let sum: f64 = found.iter().map(|log| 10.0_f64.powf(log - most)).sum();
    Ok(Some(most + (sum / MATCHES as f64).log10()))
}

/// Plays a match at random; returns the product of the numbers of possible steps, as a power of ten.
fn ways_in<E: Engine>(engine: &E, rng: &mut Rng) -> Result<Option<f64>, Fault> {
    let mut stepper = engine.stepper();
    let mut state = engine.start()?;
    let mut log = 0.0;
    for _ in 0..LONGEST {
        match engine.waiting(&state) {
            Waiting::Over => return Ok(Some(log)),
            Waiting::Chance => {
                let Some(count) = engine.outcomes(&state)?.count(Span::default())? else { return Ok(None) };
                log += count.to_f64().log10();
                engine.play_chance(&mut state, rng, &mut |_, _| {})?;
            }
            _ => {
                let Turn::Choice { seats, .. } = stepper.turn(&state) else { return Ok(None) };
                let seat = seats.trailing_zeros() as usize;
                log += (stepper.count(&state, seat)?.max(1) as f64).log10();
                let Some(chosen) = stepper.draw_legal(&state, seat, rng)? else { return Ok(None) };
                stepper.choose(&mut state, seat, chosen)?;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Rules;
    use crate::source::Source;

    /// Returns the estimate for these moves and this play.
    fn ways(moves: &str, play: &str) -> Option<f64> {
        let text = format!(
            "game \"Ways\" {{ players 2 }}\ntable {{ told: 0..9 = 0 }}\n{moves}\nplay {{ {play} }}\n"
        );
        let rules = Rules::load(Source::new("ways.game", &text)).unwrap_or_else(|found| panic!("{found:?}"));
        let machine = rules.machine(&Default::default(), 2).unwrap();
        log10_of_ways(&machine).unwrap().map(|log| 10.0_f64.powf(log))
    }

    #[test]
    fn where_all_ways_are_alike_their_number_is_exact() {
        let say = "move say(n in 1..4) { told := n }";
        let hold = "each player { held: 0..9 = 0 }\nmove hold(n in 1..4) { me.held := n }";
        let close =
            |found: Option<f64>, exact: f64| assert!((found.unwrap() - exact).abs() < 1e-6, "{found:?}");
        close(ways(say, "repeat 3 { ask seat(1) to say }"), 64.0);
        close(ways(hold, "together players { hold }\nchance die in 1..6\ntold := die"), 96.0);
        // After a 1 there is nothing more to choose, and otherwise four times four: 1 + 3 × 16 = 49.
        let found = ways(say, "ask seat(1) to say\nif told > 1 { repeat 2 { ask seat(2) to say } }").unwrap();
        assert!((found - 49.0).abs() < 5.0, "{found}");
        assert_eq!(ways(say, "turns { say }"), None, "matches have no end");
    }
}
