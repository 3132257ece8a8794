//! Searches the positions of two games together, breadth-first, so that the first parting found is one of the
//! nearest.

use std::collections::HashSet;

use super::stop::{GamePair, StepLimits, StepPair};
use super::{Difference, Limits, Parting, Work};
use crate::engine::Engine;
use crate::explore::{Crew, Identity, Key, Step, all};

/// How many pairs of positions the crew is given at once. Results do not depend on which thread handles which
/// pair.
const CHUNK: usize = 64;
/// The most steps followed from one pair, and how many moves of each game are tried if they cannot be listed. With
/// many positions to compare, more outcomes of a draw are followed; of too many, so few that the search gets deep.
const MOST_STEPS: usize = 4_000;
const MOST_TRIED: usize = 400;
const MOST_DRAWN: usize = 16;
/// The most steps followed per pair, on average.
const STEPS_A_PAIR: u64 = 16;

/// How far the game trees were compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trees {
    /// The number of distinct pairs of positions compared.
    pub positions: u64,
    /// The number of choices up to which everything was compared; a joint choice counts once.
    pub depth: u64,
    /// Whether some choices or draws had so many possibilities that only some were tried.
    pub sampled: bool,
    /// Whether everything was compared to the end, without omissions.
    pub complete: bool,
}

/// A pair of positions that was reached.
struct Node {
    /// The pair from which it was reached, and the step; `None` for the start.
    from: Option<(u32, StepPair)>,
}

/// A pair of positions with its keys.
type Reached<S> = ([S; 2], [Key; 2]);

/// The result of examining a pair.
struct PairResult<S> {
    /// Each step with the pair it leads to; `None` if the rules of both games break.
    to: Vec<(StepPair, Option<Reached<S>>)>,
    exhaustive: bool,
    /// The difference found, and the step after which it shows; `None` for the step if it shows right here.
    difference: Option<(Option<StepPair>, Difference)>,
}

/// Compares two games until they part, everything up to so many choices is compared, or a limit is reached.
pub(super) fn compare<E: Engine + Sync>(
    two: &GamePair<E>,
    limits: &Limits,
    choices: Option<u64>,
    crew: Crew,
) -> (Trees, Option<Parting>)
where
    E::State: Send + Sync,
{
    let mut trees = Trees { complete: true, ..Trees::default() };
    let start = match two.start() {
        Ok(Some(start)) => start,
        Ok(None) => return (trees, None),
        Err(difference) => return (trees, Some(parting(&[], None, None, difference))),
    };
    let identities = two.engines.map(|engine| Identity::of(engine.machine()));
    let keys = |at: &[E::State; 2]| {
        [0, 1].map(|game| identities[game].lasting_key(&two.engines[game].to_position(&at[game])))
    };
    let mut known: HashSet<[Key; 2]> = HashSet::from([keys(&start)]);
    let mut nodes = vec![Node { from: None }];
    let outcomes = MOST_STEPS.max(usize::try_from(limits.positions).unwrap_or(usize::MAX) / CHUNK);
    let (moves, tried) = (MOST_TRIED, MOST_DRAWN);
    let most = StepLimits { steps: MOST_STEPS, moves, outcomes, tried, seed: limits.seed };
    let mut steps = 0;
    // The pairs at one depth; draws do not increase the depth.
    let mut open = vec![(0, start)];
    let mut later = Vec::new();
    while !open.is_empty() {
        if choices.is_some_and(|choices| trees.depth >= choices) {
            trees.complete = false;
            return (trees, None);
        }
        let mut drawn = Vec::new();
        for chunk in open.chunks(CHUNK) {
            let spent = trees.positions >= limits.positions || steps >= limits.positions * STEPS_A_PAIR;
            if spent || !(limits.watch)(Work::Positions, trees.positions) {
                trees.complete = false;
                return (trees, None);
            }
            let looked = all(crew, chunk.len(), |at| look(two, &chunk[at].1, most, &keys));
            for ((node, _), looked) in chunk.iter().zip(looked) {
                trees.positions += 1;
                trees.sampled |= !looked.exhaustive;
                trees.complete &= looked.exhaustive;
                steps += looked.to.len() as u64;
                if let Some((step, difference)) = looked.difference {
                    trees.complete = false;
                    return (trees, Some(parting(&nodes, Some(*node), step, difference)));
                }
                for (step, to) in looked.to {
                    let Some((to, key)) = to else { continue };
                    if known.insert(key) {
                        let next =
                            if matches!(step.0[0], Step::Chance(..)) { &mut drawn } else { &mut later };
                        next.push((nodes.len() as u32, to));
                        nodes.push(Node { from: Some((*node, step)) });
                    }
                }
            }
        }
        open = drawn;
        if open.is_empty() {
            open = std::mem::take(&mut later);
            trees.depth += 1;
        }
    }
    // The last level had no choices.
    trees.depth -= 1;
    (trees, None)
}

fn look<E: Engine>(
    two: &GamePair<E>,
    at: &[E::State; 2],
    limits: StepLimits,
    keys: &impl Fn(&[E::State; 2]) -> [Key; 2],
) -> PairResult<E::State> {
    let mut looked = PairResult { to: Vec::new(), exhaustive: true, difference: None };
    let onward = match two.next_steps(at, limits) {
        Ok(onward) => onward,
        Err(difference) => {
            looked.difference = Some((None, difference));
            return looked;
        }
    };
    looked.exhaustive = onward.exhaustive;
    for step in onward.steps {
        match two.go(at, &step) {
            Ok(to) => looked.to.push((
                step,
                to.map(|to| {
                    let keys = keys(&to);
                    (to, keys)
                }),
            )),
            Err(difference) => {
                looked.difference = Some((Some(step), difference));
                break;
            }
        }
    }
    looked
}

/// Builds the parting reached by the path to a pair and one more step.
fn parting(nodes: &[Node], node: Option<u32>, step: Option<StepPair>, difference: Difference) -> Parting {
    let mut way: Vec<StepPair> = step.into_iter().collect();
    let mut at = node;
    while let Some((from, step)) = at.and_then(|at| nodes[at as usize].from.as_ref()) {
        way.push(step.clone());
        at = Some(*from);
    }
    way.reverse();
    Parting {
        steps: [0, 1].map(|game| way.iter().map(|step| step.0[game].clone()).collect()),
        difference,
        in_match: None,
    }
}
