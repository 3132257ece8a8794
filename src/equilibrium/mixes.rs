//! Mixes to play by: a seat's information set is found by what the seat has seen.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::response::Profile;
use super::solve::NEVER;
use super::tree::{Forced, Kind};
use super::{Aim, Avoided, Equilibrium, Trail, is_public_event};
use crate::engine::WrittenDown;
use crate::eval::{Chosen, Machine};
use crate::explore::Identity;
use crate::play::{KnownEntry, Seen, is_open};

/// What a seat may gain by a best response to mixes that are played by, and by how much the best move of an information set may be
/// better than its mix, as shares of the win: mixes that regret minimisation found are nowhere exact.
const MOST_OFF: f64 = 0.01;

/// A move that is made less often than this part of how often the most frequent one is does not belong to a mix that regret
/// minimisation found.
const LEFT_OVER: f64 = 0.005;

/// A move of a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedMove {
    /// The move.
    pub chosen: Chosen,
    /// Its probability.
    pub likely: f64,
    /// The share of the win, from 0 to 1, that it gets if all play by their mixes before and after it; `None` if that is not known,
    /// since only the mix is, or since play never gets to some of what may follow, where mixes are arbitrary. It is no more than the
    /// mix gets then.
    pub share: Option<f64>,
}

/// Mixes by what a seat has seen.
#[derive(Debug)]
pub struct Mixes {
    /// Whether they maximise scores rather than wins.
    for_points: bool,
    /// What a seat may gain by a best response, as a share of the win; 0 if they are exact.
    pub off: f64,
    identity: Identity,
    written_down: WrittenDown,
    /// The mix of each information set, by player (from 1) and what it has seen.
    pub(super) sets: HashMap<(usize, Trail), Vec<MixedMove>>,
    /// The situation that stands for this one: the start of a subgame, or a situation that is played alike.
    pub(super) exits: HashMap<(usize, Trail), Trail>,
}

impl Mixes {
    /// Returns mixes of no information set of a machine's match.
    pub(super) fn new(machine: &Machine, for_points: bool) -> Mixes {
        Mixes {
            for_points,
            off: 0.0,
            identity: Identity::of(machine),
            written_down: WrittenDown::of(machine),
            sets: HashMap::new(),
            exits: HashMap::new(),
        }
    }

    /// Whether they maximise scores rather than wins.
    pub fn for_points(&self) -> bool {
        self.for_points
    }

    /// Returns the mix of a seat in the situation that it sees; `None` if there is none, as where play never gets to.
    pub fn at(&self, seen: &Seen) -> Option<&[MixedMove]> {
        self.sets.get(&(seen.player(), self.trail(seen))).map(Vec::as_slice)
    }

    /// Returns what a seat has seen since the last subgame began.
    pub(crate) fn trail(&self, seen: &Seen) -> Trail {
        let game = &seen.machine().game;
        if is_open(game) {
            return Trail::of(&self.identity, &seen.trunk);
        }
        let player = seen.player();
        let (mut trail, mut since) = (Trail::begin(0), Vec::new());
        for (happened, sees) in seen.history.iter().zip(seen.perceived.iter().skip(1)) {
            // Values that the seat learned only later were unknown at the time.
            let knew =
                happened.seat == Some(player - 1) || is_public_event(game, happened.seat, &happened.name);
            since.push(KnownEntry { values: happened.values.clone().filter(|_| knew), ..happened.clone() });
            let Some(sees) = sees else { continue };
            trail = trail.after(&since, sees, &self.written_down);
            since.clear();
            trail = self.exits.get(&(player, trail)).copied().unwrap_or(trail);
        }
        trail
    }
}

impl Equilibrium {
    /// Returns the mixes of an equilibrium between two seats that play for the win, with what each move gets. Left out are information
    /// sets at which mixes are arbitrary, since somebody keeps play away from them, and those that a seat could not
    /// tell apart.
    ///
    /// Where two seats have opposed interests, all equilibria have the same value, and a mix of one goes with those of every other
    /// (J. von Neumann, 1928), so that advice by one of them holds whatever the other seat plays. It is not so of more seats.
    pub fn mixes(&self, machine: &Machine) -> Option<Mixes> {
        // Payoffs are twice as far apart as shares.
        if !self.is_zero_sum() || self.search.aim != Aim::Win || self.distance() > 2.0 * MOST_OFF {
            return None;
        }
        let mut mixes = Mixes::new(machine, false);
        mixes.off = if self.exact.is_some() { 0.0 } else { self.distance() / 2.0 };
        let mut ambiguous = HashSet::new();
        let mut add =
            |seat: usize, trail: Trail, moves: Vec<MixedMove>| match mixes.sets.entry((seat + 1, trail)) {
                Entry::Occupied(same) => drop(ambiguous.insert(*same.key())),
                Entry::Vacant(free) => drop(free.insert(moves)),
            };
        for (number, subgame) in self.tree.subgames.iter().enumerate() {
            let profile = Profile { subgame, mixes: &self.mixes[number] };
            let seats: Vec<SeatValues> = (0..self.tree.seats)
                .map(|seat| SeatValues::of(&profile, seat, &|next| self.subgame_values[next][seat]))
                .collect();
            let reached = only_reached(&profile, &self.avoided[number]);
            for (at, set) in subgame.sets.iter().enumerate() {
                let mix = match &self.exact {
                    Some(_) => self.mixes[number][at].clone(),
                    None => without_leftovers(&self.mixes[number][at]),
                };
                let target = |node: u32, nth: usize| match subgame.kind(node as usize) {
                    Kind::Choice(_, targets) => targets[nth],
                    _ => node,
                };
                let shares: Option<Vec<f64>> = (0..set.moves.len())
                    .map(|nth| seats[set.seat].share(&set.nodes, |node| target(node, nth)))
                    .collect();
                let Some(shares) = shares else { continue };
                let mean: f64 = mix.iter().zip(&shares).map(|(likely, share)| likely * share).sum();
                if shares.iter().copied().fold(0.0, f64::max) - mean > MOST_OFF {
                    continue;
                }
                let is_known = |nth: usize| {
                    let leads = |node: &u32| seats[set.seat].others[*node as usize] > NEVER;
                    let mut nodes = set.nodes.iter().copied().filter(leads);
                    nodes.all(|node| reached[target(node, nth) as usize])
                };
                let moves = set.moves.iter().zip(shares).enumerate();
                let moves = moves.map(|(nth, (chosen, share))| MixedMove {
                    chosen: chosen.clone(),
                    likely: mix[nth],
                    share: Some(share).filter(|_| mix[nth] > 0.0 || is_known(nth)),
                });
                add(set.seat, set.trail, moves.collect());
            }
            for Forced { seat, chosen, nodes, trail } in &subgame.forced {
                if let Some(share) = seats[*seat].share(nodes, |node| node) {
                    let only = MixedMove { chosen: chosen.clone(), likely: 1.0, share: Some(share) };
                    add(*seat, *trail, vec![only]);
                }
            }
            mixes.exits.extend(subgame.exits.iter().map(|(seat, at, to)| ((seat + 1, *at), *to)));
        }
        ambiguous.iter().for_each(|set| drop(mixes.sets.remove(set)));
        Some(mixes)
    }
}

/// Returns for each node of a subgame whether play gets from there, by the mixes, only to information sets that it gets to from the
/// start as well. At others, mixes need only be good enough to keep play away.
fn only_reached(profile: &Profile<f64>, avoided: &[Option<Avoided>]) -> Vec<bool> {
    let mut reached = vec![true; profile.subgame.nodes.len()];
    for (node, kind) in profile.subgame.kinds().rev() {
        reached[node] = match kind {
            Kind::Chance(draws) => draws.iter().all(|(_, to)| reached[*to as usize]),
            Kind::Choice(set, targets) => {
                let mut made = profile.mixes[set].iter().zip(targets).filter(|(likely, _)| **likely > NEVER);
                avoided[set].is_none() && made.all(|(_, to)| reached[*to as usize])
            }
            Kind::End(_) | Kind::Into(_) => true,
        };
    }
    reached
}

/// Returns a mix that regret minimisation found without the moves that are left over in it because it ended.
fn without_leftovers(mix: &[f64]) -> Vec<f64> {
    let least = LEFT_OVER * mix.iter().copied().fold(0.0, f64::max);
    let kept = |likely: &f64| if *likely < least { 0.0 } else { *likely };
    let whole: f64 = mix.iter().map(kept).sum();
    mix.iter().map(|likely| kept(likely) / whole).collect()
}

/// What a seat can expect in a subgame.
struct SeatValues {
    /// How often the other seat and chance lead to each node, and how often the seat's own moves do.
    others: Vec<f64>,
    own: Vec<f64>,
    /// The seat's value of each node.
    values: Vec<f64>,
}

impl SeatValues {
    fn of(profile: &Profile<f64>, seat: usize, into: &dyn Fn(usize) -> f64) -> SeatValues {
        let (others, own) = (profile.reach(Some(seat)), profile.own_reach(seat));
        SeatValues { others, own, values: profile.node_values(seat, into) }
    }

    /// Returns the share of the win that the seat can expect where it cannot tell these nodes apart, if play goes on at the `target` of
    /// each of them. `None` if play never gets there.
    fn share(&self, nodes: &[u32], target: impl Fn(u32) -> u32) -> Option<f64> {
        let sum = |of: &dyn Fn(u32) -> f64| nodes.iter().map(|node| of(*node)).sum::<f64>();
        let others = sum(&|node| self.others[node as usize]);
        if others <= NEVER || sum(&|node| self.own[node as usize]) <= NEVER {
            return None;
        }
        let value = sum(&|node| self.others[node as usize] * self.values[target(node) as usize]) / others;
        // A sole winner has 1, and a loser −1.
        Some(((value + 1.0) / 2.0).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_dropped_and_many_even_moves_are_not() {
        assert_eq!(without_leftovers(&[0.75, 0.001, 0.249]), [0.75 / 0.999, 0.0, 0.249 / 0.999]);
        let even = vec![1.0 / 1000.0; 1000];
        assert!(without_leftovers(&even).iter().all(|likely| (likely - 0.001).abs() < 1e-12));
    }
}
