//! Why a need never refuses anything: because a rule that ends the match, or a loop of it, comes first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::Engine;
use crate::eval::{Coverage, Fault, Machine, Part, PartKind, Waiting};
use crate::ir::{Game, Op};
use crate::num::Rng;
use crate::play::Rules;
use crate::source::Span;

/// So many random matches are played with and without each rule that ends matches, of so many choices and draws each at most.
const MATCHES: u64 = 40;
const STEPS: usize = 200;
/// How many rows of each offered move are asked whether the needs refuse them.
const ROWS: u64 = 24;
/// The most rules that end matches of which this is asked.
const MOST_ENDS: usize = 8;

/// Returns, for each of these needs, the indices of the parts that end the match, or a loop, before the need refuses anything: without
/// them, and only without them, random matches come to where it does. If one of them is enough, it is only that one. The
/// needs are given by where they begin.
pub(super) fn ends_first(
    rules: &Rules,
    machine: &Machine,
    parts: &[Part],
    needs: &[usize],
) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); needs.len()];
    let is_end = |part: &Part| {
        use PartKind::{End, EndWhen, Until, Win, WinWhen};
        matches!(part.kind, Win | WinWhen | End | EndWhen | Until) && part.ran > 0
    };
    let ends: Vec<usize> = (0..parts.len()).filter(|at| is_end(&parts[*at])).take(MOST_ENDS).collect();
    let refusing_without = |ends: &[usize]| {
        let ends: Vec<&Part> = ends.iter().map(|at| &parts[*at]).collect();
        without(machine, &ends).map_or(BTreeSet::new(), |endless| refusing(rules, &endless))
    };
    // What refuses at random is avoided by those who know better, not by the rules.
    let (at_random, endless) = (refusing(rules, machine), refusing_without(&ends));
    let mut left: BTreeSet<usize> = (0..needs.len())
        .filter(|need| endless.contains(&needs[*need]) && !at_random.contains(&needs[*need]))
        .collect();
    for end in &ends {
        if left.is_empty() || ends.len() == 1 {
            break;
        }
        let refused = refusing_without(&[*end]);
        for need in left.clone().into_iter().filter(|need| refused.contains(&needs[*need])) {
            found[need] = vec![*end];
            left.remove(&need);
        }
    }
    left.into_iter().for_each(|need| found[need].clone_from(&ends));
    found
}

/// Returns the game without these rules that end matches or loops; `None` if it has none of them.
fn without(machine: &Machine, ends: &[&Part]) -> Option<Machine> {
    let mut game = Game::clone(&machine.game);
    // The last op ends a match that has nothing left to do.
    let last = game.code.len() - 1;
    let mut jumps = BTreeMap::new();
    for end in ends {
        let inside = |span: &Span| end.span.start <= span.start && span.end <= end.span.end;
        for (_, begin) in game.code_spans.iter().filter(|(span, _)| inside(span)) {
            let jump = (*begin..last).find_map(|pc| match (&game.code[pc], end.kind) {
                (Op::Unless(_, on), PartKind::Until) => Some((pc, *on)),
                (Op::End(_), kind) if kind != PartKind::Until => Some((pc, pc + 1)),
                _ => None,
            });
            jumps.extend(jump);
        }
    }
    if jumps.is_empty() {
        return None;
    }
    jumps.into_iter().for_each(|(pc, on)| game.code[pc] = Op::Jump(on));
    let options = machine.setup.options.iter().cloned().enumerate().collect();
    Machine::new(Arc::new(game), &options, machine.setup.players).ok()
}

/// Returns where the needs begin that refuse something in random matches.
fn refusing(rules: &Rules, machine: &Machine) -> BTreeSet<usize> {
    let coverage = Arc::new(Coverage::new(&machine.game));
    // Where all choices are refused, play does not stop: that is counted on the way.
    let machine = machine.with_coverage(coverage.clone());
    for number in 0..MATCHES {
        // Rules that were written to end before can break; then what was seen until then counts.
        let _ = play(&machine, &coverage, &mut Rng::nth(0, number));
    }
    let parts = coverage.parts(&rules.game, &rules.source);
    let refused = parts.iter().filter(|part| part.kind == PartKind::Need && part.ran > 0);
    refused.map(|part| part.span.start).collect()
}

/// Plays a random match, and counts what the needs refuse at each choice.
fn play(machine: &Machine, coverage: &Coverage, rng: &mut Rng) -> Result<(), Fault> {
    let mut position = Engine::start(machine)?;
    for _ in 0..STEPS {
        match &position.waiting {
            Waiting::Over | Waiting::Nothing => break,
            Waiting::Chance => {
                let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
                if machine.draw(&mut position, value)?.is_err() {
                    break;
                }
            }
            Waiting::Choice { seats, .. } => {
                let Some(seat) = seats.first().copied() else { break };
                machine.probe_needs(&position, seat, coverage, rng, ROWS).0?;
                let Some(chosen) = machine.draw_legal(&position, seat, rng)? else { break };
                machine.choose(&mut position, seat, chosen)?;
            }
        }
    }
    Ok(())
}
