//! Backward induction: exact values where no position repeats, with chance draws and any number of sides.

use std::collections::HashMap;

use super::components::Components;
use super::graph::{Graph, Kind};
use super::{Halt, Hero, Tie};
use crate::num::{Int, Ratio};

/// The values of all positions to each side.
#[derive(Debug)]
pub struct Values {
    /// For each position, the index of its values in `all`.
    of: Vec<u32>,
    /// The distinct values, by side.
    all: Vec<Vec<Ratio>>,
}

impl Values {
    /// Returns the value of a position to each side, and what else [`Graph::end_values`] has.
    pub fn at(&self, node: usize) -> &[Ratio] {
        &self.all[self.of[node] as usize]
    }

    /// Returns the number of the best move at a position, the first among equals unless `hero` says otherwise.
    pub fn best(&self, graph: &Graph, node: usize, hero: Hero) -> Option<usize> {
        let Kind::Side(side) = graph.kinds[node] else { return None };
        let side = side as usize;
        let targets = graph.successors(node);
        let worth = |nth: &usize| {
            let own = |side: usize| {
                let value = &self.at(targets[*nth] as usize)[side];
                plus(value, graph.gain(node, *nth).get(side))
            };
            match hero {
                Hero::Against(for_whom) if for_whom != side => -&own(for_whom),
                Hero::Against(for_whom) => own(for_whom),
                Hero::Each(_) => own(side),
            }
        };
        let mut best = 0;
        let mut most = worth(&0);
        for nth in 1..targets.len() {
            let worth = worth(&nth);
            if worth > most || worth == most && hero == Hero::Each(Tie::Last) {
                (best, most) = (nth, worth);
            }
        }
        Some(best)
    }
}

/// Computes all values from the ends backward, with each side playing for itself or all against one. `None` if a denominator
/// takes more than `bits` bits: after a draw of each turn, it takes more and more.
pub fn backward(
    graph: &Graph,
    components: &Components,
    hero: Hero,
    bits: u64,
) -> Result<Option<Values>, Halt> {
    let mut values = Values { of: vec![0; graph.len()], all: Vec::new() };
    let mut numbers: HashMap<Vec<Ratio>, u32> = HashMap::new();
    for nodes in components.each() {
        for node in nodes.iter().map(|node| *node as usize) {
            let own = match graph.kinds[node] {
                Kind::Over(payoffs) => graph.end_values(payoffs),
                Kind::Side(_) => {
                    let best = values.best(graph, node, hero).unwrap_or(0);
                    let (target, gain) = (graph.successors(node)[best] as usize, graph.gain(node, best));
                    if gain.iter().all(Int::is_zero) {
                        values.of[node] = values.of[target];
                        continue;
                    }
                    with_gain(values.at(target), gain)
                }
                Kind::Chance => mean(graph, &values, node)?,
            };
            if own.iter().any(|value| value.denominator().bits() > bits) {
                return Ok(None);
            }
            let fresh = values.all.len() as u32;
            values.of[node] = *numbers.entry(own).or_insert_with_key(|own: &Vec<Ratio>| {
                values.all.push(own.clone());
                fresh
            });
        }
    }
    Ok(Some(values))
}

/// Returns the mean of the values after a draw.
fn mean(graph: &Graph, values: &Values, node: usize) -> Result<Vec<Ratio>, Halt> {
    let whole: u64 = graph.weighted(node).map(|(_, times)| u64::from(times)).sum();
    let int = |n: u64| i64::try_from(n).map(Int::from).map_err(|_| Halt::TooLarge);
    let many = graph.weighted(node).next().map_or(0, |(target, _)| values.at(target as usize).len());
    let mut sums = vec![Ratio::ZERO; many];
    for (nth, (target, times)) in graph.weighted(node).enumerate() {
        let share = Ratio::new(&int(u64::from(times))?, &int(whole)?);
        let gain = graph.gain(node, nth);
        for (side, (sum, value)) in sums.iter_mut().zip(values.at(target as usize)).enumerate() {
            *sum = sum.add(&plus(value, gain.get(side)).mul(&share));
        }
    }
    Ok(sums)
}

/// Adds what each side gains, or nothing.
pub fn with_gain(values: &[Ratio], gain: &[Int]) -> Vec<Ratio> {
    values.iter().enumerate().map(|(side, value)| plus(value, gain.get(side))).collect()
}

fn plus(value: &Ratio, gain: Option<&Int>) -> Ratio {
    match gain {
        Some(gain) if !gain.is_zero() => value.add(&Ratio::from(gain.clone())),
        _ => value.clone(),
    }
}
