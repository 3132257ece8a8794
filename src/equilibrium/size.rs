//! How large a game tree is, roughly, where it is too large to be laid out.

use std::collections::HashMap;

use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Fault, Waiting};
use crate::explore::Key;
use crate::num::Rng;
use crate::source::Span;

/// The number of random matches on which the estimate is based.
const MATCHES: u64 = 200;
/// The choices and draws after which a match is taken to have no end.
const LONGEST: u32 = 1_000;

/// How many matches are compared step by step, and for how many steps.
const COMPARED: u64 = 4096;
const STEPS: usize = 64;
/// So many pairs of equal positions more than were found are assumed, and this many times the square root of their number, so
/// that a lower bound is hardly ever too high.
const MORE_PAIRS: f64 = 6.0;
const DEVIATIONS: f64 = 3.0;

/// Returns how many nodes and moves a tree has at least, as random matches from where it begins show: where few of many random positions at one depth are
/// equal, there are many of them, and each is laid out. Stops looking where they are more than `enough`.
pub fn at_least<E: Engine>(
    engine: &E,
    starts: &[E::State],
    key: impl Fn(&E::State) -> Key,
    enough: f64,
) -> Result<f64, Fault> {
    let mut stepper = engine.stepper();
    let starts = starts.iter().cycle().zip(0..COMPARED);
    let mut matches: Vec<(E::State, Rng)> =
        starts.map(|(start, number)| (start.clone(), Rng::nth(0, number))).collect();
    let mut most = 0.0f64;
    for _ in 0..STEPS {
        let (mut times, mut moves) = (HashMap::<Key, u64>::new(), 0);
        for (state, _) in &matches {
            *times.entry(key(state)).or_default() += 1;
            if let Turn::Choice { seats, .. } = stepper.turn(state) {
                moves += stepper.count(state, seats.trailing_zeros() as usize)?;
            }
        }
        let all = matches.len() as f64;
        let pairs: f64 = times.values().map(|times| (times * (times - 1) / 2) as f64).sum();
        let positions = all * (all - 1.0) / 2.0 / (pairs + DEVIATIONS * pairs.sqrt() + MORE_PAIRS);
        most = most.max(positions * (1.0 + moves as f64 / all));
        if most > enough {
            break;
        }
        let mut after = Vec::with_capacity(matches.len());
        for (mut state, mut rng) in matches {
            match stepper.turn(&state) {
                Turn::Over => continue,
                Turn::Chance => engine.play_chance(&mut state, &mut rng, &mut |_, _| {})?,
                Turn::Choice { seats, .. } => {
                    let seat = seats.trailing_zeros() as usize;
                    let Some(chosen) = stepper.draw_legal(&state, seat, &mut rng)? else { continue };
                    stepper.choose(&mut state, seat, chosen)?;
                }
            }
            after.push((state, rng));
        }
        matches = after;
        if matches.len() < 2 {
            break;
        }
    }
    Ok(most)
}

/// Estimates how many ways there are to play a match, as a power of ten: the product of the numbers of possible steps, on
/// average over random matches (D. Knuth, Mathematics of Computation 29, 1975). The most frequent error is that it is too
/// small. `None` if a match did not end, or if something cannot be counted.
pub fn log10_of_ways<E: Engine>(engine: &E) -> Result<Option<f64>, Fault> {
    log10_of_ways_from(engine, &engine.start()?, MATCHES)
}

/// The same of the rest of a match from a position, by so many random matches.
pub fn log10_of_ways_from<E: Engine>(
    engine: &E,
    start: &E::State,
    matches: u64,
) -> Result<Option<f64>, Fault> {
    let mut found = Vec::new();
    for number in 0..matches {
        match ways_in(engine, start.clone(), &mut Rng::nth(0, number))? {
            Some(log) => found.push(log),
            None => return Ok(None),
        }
    }
    let most = found.iter().copied().fold(0.0, f64::max);
    let sum: f64 = found.iter().map(|log| 10.0_f64.powf(log - most)).sum();
    Ok(Some(most + (sum / matches as f64).log10()))
}

/// Plays a match at random; returns the product of the numbers of possible steps, as a power of ten.
fn ways_in<E: Engine>(engine: &E, mut state: E::State, rng: &mut Rng) -> Result<Option<f64>, Fault> {
    let mut stepper = engine.stepper();
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
    fn a_lower_bound_is_below_the_number_and_near_it_where_matches_are_many_enough() {
        let text = "game \"Told\" { players 2 }\ntable { told: list of 0..9 = [] }\n\
                    move say(n in 1..6) { told += n }\nplay { repeat 5 { ask seat(1) to say } }\nscore = size(told)\n\
                    winner highest told[1]\n";
        let rules = Rules::load(Source::new("told.game", text)).unwrap_or_else(|found| panic!("{found:?}"));
        let machine = rules.machine(&Default::default(), 2).unwrap();
        let identity = crate::explore::Identity::of(&machine);
        let bound = |enough: f64| {
            at_least(&machine, &[machine.start().unwrap()], |state| identity.key(state), enough).unwrap()
        };
        // The last choice has 6⁴ positions with 6 moves each.
        let exact = 6.0f64.powi(4) * 7.0;
        assert!((0.8 * exact..exact).contains(&bound(f64::MAX)), "{}", bound(f64::MAX));
        assert!(bound(100.0) < exact / 2.0, "it stops at enough");
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
