//! Mixes to play by: a seat's information set is found by what the seat has seen.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::payoffs::share_of;
use super::response::Profile;
use super::solve::NEVER;
use super::tree::{Forced, Kind, Set, Subgame};
use super::{Aim, Equilibrium, Trail, is_public_event};
use crate::engine::WrittenDown;
use crate::eval::{Chosen, Machine};
use crate::explore::Identity;
use crate::play::{KnownEntry, Seen, is_open};

/// What a seat may gain by a best response to mixes that are played by, as a share of the win: mixes that regret minimisation found
/// are nowhere exact.
const MOST_OFF: f64 = 0.01;

/// A move of a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedMove {
    /// The move.
    pub chosen: Chosen,
    /// Its probability.
    pub likely: f64,
    /// The share of the win, from 0 to 1, that each seat gets by it if all play by their mixes before and after it, as far as the
    /// seat that makes it knows; `None` if only the mix is known.
    pub shares: Option<Vec<f64>>,
}

/// The mix of an information set.
#[derive(Debug, Clone)]
pub struct Mix {
    /// The moves.
    pub moves: Vec<MixedMove>,
    /// What the seat may gain by other moves there, as a share of the win; 0 if that is not known.
    pub off: f64,
}

impl Mix {
    /// Whether it is near enough to the best that advice may rest on it: regret minimisation may have ended too early where play
    /// gets to only by mistakes.
    pub fn is_near(&self) -> bool {
        self.off <= MOST_OFF
    }
}

/// Mixes by what a seat has seen.
#[derive(Debug)]
pub struct Mixes {
    /// Whether they maximise scores rather than wins.
    for_points: bool,
    /// The choices and draws before they begin.
    before: Vec<KnownEntry>,
    identity: Identity,
    written_down: WrittenDown,
    /// The mix of each information set, by player (from 1) and what it has seen.
    pub(super) sets: HashMap<(usize, Trail), Mix>,
    /// The situation that stands for this one: the start of a subgame, or a situation that is played alike.
    pub(super) exits: HashMap<(usize, Trail), Trail>,
}

impl Mixes {
    /// Returns mixes of no information set of a machine's match.
    pub(super) fn new(machine: &Machine, for_points: bool) -> Mixes {
        Mixes {
            for_points,
            before: Vec::new(),
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

    /// Returns mixes for the rest of a match which begin with what a seat has seen so far, where no seat knows more.
    #[must_use]
    pub fn after(self, seen: &Seen) -> Mixes {
        let before = if is_open(&seen.machine().game) { Vec::new() } else { seen.history.clone() };
        Mixes { before, ..self }
    }

    /// Returns the mix of a seat in the situation that it sees; `None` if there is none, as where play never gets to.
    pub fn at(&self, seen: &Seen) -> Option<&Mix> {
        if !seen.history.starts_with(&self.before) {
            return None;
        }
        self.sets.get(&(seen.player(), self.trail(seen)))
    }

    /// Returns what a seat has seen since the last subgame began.
    pub(crate) fn trail(&self, seen: &Seen) -> Trail {
        let game = &seen.machine().game;
        if is_open(game) {
            return Trail::of(&self.identity, &seen.trunk);
        }
        let player = seen.player();
        let (mut trail, mut since) = (Trail::begin(0), Vec::new());
        let behind = seen.history.iter().zip(seen.perceived.iter().skip(1)).skip(self.before.len());
        for (happened, sees) in behind {
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
    /// Returns the mixes of an equilibrium between seats that play for the win, with what each move gets; it must take mistakes
    /// into account ([`Search::tremble`](super::Search::tremble)). Left out are information sets that a seat could not tell apart.
    /// `None` if regret minimisation ended too early.
    ///
    /// Where two seats have opposed interests, all equilibria have the same value, and a mix of one goes with those of every other
    /// (J. von Neumann, 1928), so that advice by one of them holds whatever the other seat plays. Of more seats, it is one
    /// equilibrium of perhaps several; seats that are alike are alike in it, too, since regret minimisation begins evenly.
    pub fn mixes(&self, machine: &Machine) -> Option<Mixes> {
        debug_assert!(self.search.tremble > 0.0);
        let regret = self.regrets.iter().fold(0.0, |most: f64, regret| most.max(*regret));
        let off = share_of(regret, self.tree.seats) - share_of(0.0, self.tree.seats);
        if self.search.aim != Aim::Win || off > MOST_OFF {
            return None;
        }
        let mut mixes = Mixes::new(machine, false);
        let mut ambiguous = HashSet::new();
        let mut add = |seat: usize, trail: Trail, mix: Mix| match mixes.sets.entry((seat + 1, trail)) {
            Entry::Occupied(same) => drop(ambiguous.insert(*same.key())),
            Entry::Vacant(free) => drop(free.insert(mix)),
        };
        for (number, subgame) in self.tree.subgames.iter().enumerate() {
            let (meant, played) = (&self.mixes[number], &self.trembling[number]);
            let into = |seat: usize| move |next: usize| self.subgame_values[next][seat];
            let expected = Expected {
                subgame,
                seats: self.tree.seats,
                others: self.by_seat(|seat| Profile { subgame, mixes: meant }.reach(Some(seat))),
                with_mistakes: self.by_seat(|seat| Profile { subgame, mixes: played }.reach(Some(seat))),
                values: self.by_seat(|seat| Profile { subgame, mixes: meant }.node_values(seat, &into(seat))),
            };
            for (set, mix) in subgame.sets.iter().zip(meant) {
                let shares: Vec<Vec<f64>> =
                    (0..set.moves.len()).map(|nth| expected.after_move(set, nth)).collect();
                let own = |shares: &Vec<f64>| shares[set.seat];
                let mean: f64 = mix.iter().zip(&shares).map(|(likely, shares)| likely * own(shares)).sum();
                let of_best = shares.iter().map(own).fold(0.0, f64::max);
                let moves = set.moves.iter().zip(mix).zip(shares);
                let moves = moves.map(|((chosen, likely), shares)| MixedMove {
                    chosen: chosen.clone(),
                    likely: *likely,
                    shares: Some(shares),
                });
                add(set.seat, set.trail, Mix { moves: moves.collect(), off: off.max(of_best - mean) });
            }
            for Forced { seat, chosen, nodes, trail } in &subgame.forced {
                let shares = Some(expected.shares(*seat, nodes, |node| node));
                let moves = vec![MixedMove { chosen: chosen.clone(), likely: 1.0, shares }];
                add(*seat, *trail, Mix { moves, off });
            }
            mixes.exits.extend(subgame.exits.iter().map(|(seat, at, to)| ((seat + 1, *at), *to)));
        }
        ambiguous.iter().for_each(|set| drop(mixes.sets.remove(set)));
        Some(mixes)
    }

    fn by_seat<T>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        (0..self.tree.seats).map(of).collect()
    }
}

/// What seats can expect in a subgame.
struct Expected<'s> {
    subgame: &'s Subgame,
    seats: usize,
    /// For each seat: how often the other seats and chance lead to each node, and how often if they make mistakes.
    others: Vec<Vec<f64>>,
    with_mistakes: Vec<Vec<f64>>,
    /// For each seat: its value of each node, if nobody makes mistakes from there.
    values: Vec<Vec<f64>>,
}

impl Expected<'_> {
    /// Returns the shares of the win that all seats can expect, as far as the seat of an information set knows, if it makes the
    /// `nth` of its moves there.
    fn after_move(&self, set: &Set, nth: usize) -> Vec<f64> {
        let target = |node: u32| match self.subgame.kind(node as usize) {
            Kind::Choice(_, targets) => targets[nth],
            _ => node,
        };
        self.shares(set.seat, &set.nodes, target)
    }

    /// Returns the shares of the win that all seats can expect where one seat cannot tell these nodes apart, if play goes on at the
    /// `target` of each of them. Others have made a mistake only if play would not have come there otherwise.
    fn shares(&self, seat: usize, nodes: &[u32], target: impl Fn(u32) -> u32) -> Vec<f64> {
        let sum = |of: &dyn Fn(usize) -> f64| nodes.iter().map(|node| of(*node as usize)).sum::<f64>();
        let meant = sum(&|node| self.others[seat][node]) > NEVER;
        let others = if meant { &self.others[seat] } else { &self.with_mistakes[seat] };
        let all = sum(&|node| others[node]);
        let of_seat = |values: &Vec<f64>| {
            let value = sum(&|node| others[node] * values[target(node as u32) as usize]) / all;
            share_of(value, self.seats)
        };
        self.values.iter().map(of_seat).collect()
    }
}
