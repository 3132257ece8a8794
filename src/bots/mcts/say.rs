//! Turns the result of a search into advice.

use std::collections::HashSet;

use super::Search;
use super::joint::Others;
use super::regret::sample_index;
use super::totals::Totals;
use super::tree::{Arm, Edge};
use crate::bots::advice::{Advice, Method, MoveStats, Sure, interval_of_search};
use crate::bots::standing::Standing;
use crate::bots::worth::Measure;
use crate::engine::{Engine, Stepper};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// A move that was tried less often has no mean to be compared with others.
pub(super) const OFTEN: u32 = 16;
/// A move that was tried no more often than this is not expected of anybody.
const HARDLY_TRIED: u32 = 10;

/// How many standard errors two values must differ by to be different surely, and the difference in the share of the win
/// that is nothing.
pub(super) const SURE: f64 = 2.0;
pub(super) const CLOSE: f64 = 0.02;

impl<E: Engine> Search<'_, E> {
    /// Returns what each seat could expect on average since [`Search::reset_totals`], or the end if that is certain;
    /// `None` if there were no playouts. The error is a fault met when there is no tree.
    pub fn standing(&self) -> Result<Option<Standing>, Fault> {
        let seats = self.model.seats;
        let Some(root) = self.tree.root() else { return self.fault.clone().map_or(Ok(None), Err) };
        let own = self.tree.arms(0).iter().flat_map(|arm| self.tree.edges(arm));
        let own = own.filter(|_| self.only.is_some()).filter_map(|edge| self.tree.proof(edge)).next();
        if let Some(end) = root.proof.or(own) {
            return Ok(Some(Standing::certain(end, seats)));
        }
        let Totals { shares, playouts, score } = &self.totals;
        if *playouts == 0 {
            return Ok(None);
        }
        let measure = Measure::of(self.engine.machine());
        let (values, score_error) = match measure {
            Measure::Score { .. } => (vec![score.mean(); seats], score.standard_error()),
            Measure::Share => (shares.iter().map(|sum| sum / *playouts as f64).collect(), 0.0),
        };
        let (playouts, moved) = (*playouts, self.moved_of_best());
        Ok(Some(Standing {
            values,
            measure,
            score_error,
            playouts,
            moved,
            off: 0.0,
            end: None,
            exact: false,
        }))
    }

    /// Returns how far the value of the advised seat's most frequent move has moved.
    fn moved_of_best(&self) -> f64 {
        let at = self.tree.arms(0).iter().position(|arm| arm.seat == self.seat);
        let best = |arm: &usize| {
            let edges = self.tree.edges(self.tree.arm(0, *arm));
            (0..edges.len()).max_by_key(|edge| edges[*edge].visits)
        };
        at.and_then(|arm| Some(self.moved.of(arm, best(&arm)?))).unwrap_or(0.0)
    }

    /// Returns how many seats choose together at the root.
    fn root_choosers(&self) -> usize {
        let others = self.others_at_root.keys().next().map_or(0, Vec::len);
        self.tree.arms(0).len() + others
    }

    /// Returns the average mix of an arm, by edge; `None` if it does not mix.
    fn mix_of(&self, node: u32, arm: usize) -> Option<Vec<f64>> {
        let arm = self.tree.arm(node, arm);
        Some(self.tree.mixes[arm.mix?].average(arm.edge_count()))
    }

    /// Returns the advice. `rng` draws a mixed move. Returns `None`, or the fault met, if no move was found.
    pub fn advice(&self, rng: &mut Rng) -> Result<Option<Advice>, Fault> {
        let seats = self.model.seats;
        let arm = self.tree.root().and_then(|_| self.tree.arms(0).iter().find(|arm| arm.seat == self.seat));
        let Some((root, arm)) = self.tree.root().zip(arm).filter(|(_, arm)| arm.edge_count() > 0) else {
            return match &self.fault {
                Some(fault) => Err(fault.clone()),
                None => Ok(None),
            };
        };
        let edges = self.tree.edges(arm);
        let mut order: Vec<usize> = (0..edges.len()).filter(|at| edges[*at].visits > 0).collect();
        let mix = arm.mix.map(|mix| self.tree.mixes[mix].average(edges.len()));
        // A seat with a certainly winning move does not need to mix.
        let wins = |edge: &Edge| self.tree.proof(edge).is_some_and(|proof| proof.wins(self.seat));
        let mix = mix.filter(|_| !edges.iter().any(wins));
        let together = mix.is_some();
        // Who wins and loses together wants to be foreseen, and makes the move that brings the most.
        let varies = together && self.engine.machine().interests.are_opposed();
        let mix = mix.unwrap_or_default();
        // Of moves that are as good as the most frequent as far as can be told, the one that tells the seat the most
        // comes first.
        let first = edges.iter().max_by_key(|edge| edge.visits);
        let as_good = |edge: &Edge| first.is_some_and(|first| self.is_as_good(edge, first));
        let often = |edge: &Edge| match self.tells.get(&edge.id) {
            Some(tells) if as_good(edge) => f64::from(first.map_or(0, |first| first.visits)) + tells,
            _ => f64::from(edge.visits),
        };
        let rank = |at: usize| {
            let edge = &edges[at];
            let often = match together {
                true if varies => mix[at],
                true if edge.visits < OFTEN => f64::NEG_INFINITY,
                true => edge.reward / f64::from(edge.visits),
                false => often(edge),
            };
            match self.tree.proof(edge) {
                Some(proof) if proof.wins(self.seat) => (2.0, -f64::from(proof.choices), 0.0),
                Some(proof) if proof.share(self.seat, seats) == 0.0 => (0.0, f64::from(proof.choices), often),
                // If all ends are certain, the share decides instead of the visits.
                Some(proof) if root.proof.is_some() => (1.0, proof.share(self.seat, seats), often),
                _ => (1.0, often, edge.reward / f64::from(edge.visits)),
            }
        };
        order.sort_by(|a, b| rank(*b).partial_cmp(&rank(*a)).unwrap_or(std::cmp::Ordering::Equal));
        let at = self.tree.arms(0).iter().position(|arm| arm.seat == self.seat);
        let against = at.and_then(|at| self.values_against_mixes(at));
        let value = |at: usize| {
            let edge = &edges[at];
            let mean = || against.as_ref().and_then(|values| values[at]).unwrap_or(edge.mean());
            self.tree.proof(edge).map_or_else(mean, |proof| proof.share(self.seat, seats))
        };
        let mix = match at.filter(|_| varies) {
            Some(at) => self.without_dominated(self.without_worse(mix, edges, &value), at),
            None => mix,
        };
        if varies {
            order.sort_by(|a, b| mix[*b].total_cmp(&mix[*a]));
        }
        let moved = |edge: usize| at.map_or(0.0, |arm| self.moved.of(arm, edge));
        let moves = order.iter().filter_map(|at| {
            let edge = &edges[*at];
            let chosen = self.chosen(root.choice, arm, edge)?;
            let (visits, end) = (u64::from(edge.visits), self.tree.proof(edge));
            let score = self.model.score(edge.reward / f64::from(edge.visits));
            let moved = moved(*at);
            let known = MoveStats::new(chosen, value(*at));
            Some(MoveStats { score, visits, moved, sure: Sure::by_end(end), end, ..known })
        });
        let moves: Vec<MoveStats> = moves.collect();
        let likely: Vec<f64> = match varies {
            true => order.iter().filter_map(|at| mix.get(*at).copied()).collect(),
            false => Vec::new(),
        };
        let best = if varies { sample_index(&mix, rng) } else { order[0] };
        let Some(chosen) = self.chosen(root.choice, arm, &edges[best]) else { return Ok(None) };
        // A mix is worth the weighted mean of its moves, without the exploration.
        let (value, visits, moved) = match (varies, root.proof) {
            (true, Some(end)) => (end.share(self.seat, seats), u64::from(edges[best].visits), 0.0),
            (true, None) => {
                let of_mix = |what: &dyn Fn(usize) -> f64| -> f64 {
                    mix.iter().enumerate().map(|(at, likely)| likely * what(at)).sum()
                };
                (of_mix(&value), u64::from(arm.visits), of_mix(&moved))
            }
            (false, _) => (value(best), u64::from(edges[best].visits), moved(best)),
        };
        let exact = root.proof.is_some();
        let line = if together { Vec::new() } else { self.line(best) };
        let interval = if exact { (value, value) } else { interval_of_search(value, visits, moved) };
        Ok(Some(Advice {
            best: chosen,
            value,
            interval,
            playouts: self.playouts,
            rollouts: 0,
            method: if self.open { Method::Tree } else { Method::Worlds },
            exact,
            moves,
            mix: likely,
            line,
        }))
    }

    /// Returns a mix without the moves that are surely worth less, against what the others do, than one that was tried often:
    /// they are left from the beginning of the search, or the others are so many that the mixes do not settle (S. Ganzfried,
    /// T. Sandholm, K. Waugh, 2012: thresholding).
    fn without_worse(&self, mix: Vec<f64>, edges: &[Edge], value: &impl Fn(usize) -> f64) -> Vec<f64> {
        let error = |at: usize| 0.5 / f64::from(edges[at].visits.max(1)).sqrt();
        let tried = (0..mix.len()).filter(|at| edges[*at].visits >= OFTEN);
        let sure = tried.map(|at| value(at) - SURE * error(at)).fold(0.0, f64::max);
        let kept = |at: usize| value(at) + SURE * error(at) >= sure - CLOSE;
        let kept: Vec<f64> =
            mix.iter().enumerate().map(|(at, often)| if kept(at) { *often } else { 0.0 }).collect();
        match kept.iter().sum::<f64>() {
            0.0 => mix,
            total => kept.into_iter().map(|often| often / total).collect(),
        }
    }

    /// Whether a move was tried often, or half as often as the most frequent one if none was, and its mean reward is not lower than that
    /// of this one by more than the standard error.
    fn is_as_good(&self, edge: &Edge, most_frequent: &Edge) -> bool {
        let mean = |edge: &Edge| edge.reward / f64::from(edge.visits.max(1));
        // The deviation of a reward is at most half its range.
        let error = 0.5 * self.tree.span / f64::from(edge.visits.max(1)).sqrt();
        let often = if most_frequent.visits < OFTEN { most_frequent.visits / 2 } else { OFTEN };
        edge.visits >= often && mean(edge) + error >= mean(most_frequent)
    }

    /// Returns what each move of an arm at the root is worth against the mixes of those that choose together with
    /// it, by edge: its mean over all playouts includes what the others only tried. `None` if it chooses alone, or if the others
    /// have too many moves to mix them.
    fn values_against_mixes(&self, arm: usize) -> Option<Vec<Option<f64>>> {
        let likely = |(node, arm): (u32, usize)| -> Option<Vec<(u64, f64)>> {
            // What was drawn last says nothing of what is drawn.
            if self.tree.arm(node, arm).draws_afresh() {
                return None;
            }
            let (mix, edges) = (self.mix_of(node, arm)?, self.tree.edges(self.tree.arm(node, arm)));
            let token = |edge| self.move_token(node, arm, edge);
            Some(edges.iter().map(token).zip(mix).filter(|(_, likely)| *likely > 0.0).collect())
        };
        let way = |times: f64, others: Vec<(u32, usize)>| -> Option<Others> {
            Some((times, others.into_iter().map(likely).collect::<Option<_>>()?))
        };
        let ways = self.others_of(arm)?.into_iter().zip(self.times_of_others());
        let ways: Option<Vec<Others>> = ways.map(|(others, times)| way(times, others)).collect();
        let edges = self.tree.edges(self.tree.arm(0, arm)).iter();
        let means: Vec<Option<f64>> = edges.map(|edge| (edge.visits > 0).then(|| edge.mean())).collect();
        self.tree.joint.values_against((0, arm), &means, &ways?)
    }

    /// Returns the nodes and arms of those that may choose together with an arm at the root, for each of the ways in
    /// which they may stand. `None` if it chooses alone.
    pub(super) fn others_of(&self, arm: usize) -> Option<Vec<Vec<(u32, usize)>>> {
        if self.root_choosers() < 2 {
            return None;
        }
        Some(match self.open {
            true => {
                let others = (0..self.tree.arms(0).len()).filter(|other| *other != arm);
                vec![others.map(|other| (0, other)).collect()]
            }
            false => {
                let nodes = self.others_at_root.keys();
                nodes.map(|nodes| nodes.iter().map(|node| (*node, 0)).collect()).collect()
            }
        })
    }

    /// Returns how many times the others stood in each of these ways.
    fn times_of_others(&self) -> Vec<f64> {
        match self.open {
            true => vec![1.0],
            false => self.others_at_root.values().map(|times| *times as f64).collect(),
        }
    }

    /// Returns the move of an edge with its arguments.
    fn chosen(&self, choice: usize, arm: &Arm, edge: &Edge) -> Option<Chosen> {
        match arm.uses_stored_moves {
            true => self.tree.stored_moves.get(edge.id as usize).cloned(),
            false => self.stepper.ids().chosen(choice, edge.id),
        }
    }

    /// Returns the expected line that starts with edge `first` of the root: seats (from 0) and their moves.
    /// It stops where chance or several seats decide, or a move was hardly tried.
    fn line(&self, first: usize) -> Vec<(usize, Chosen)> {
        let (mut node, mut edge) = (0, first);
        let (mut line, mut seen) = (Vec::new(), HashSet::new());
        while let [arm] = self.tree.arms(node) {
            let taken = &self.tree.edges(arm)[edge];
            let Some(chosen) = self.chosen(self.tree.node(node).choice, arm, taken) else { break };
            line.push((arm.seat, chosen));
            node = taken.child;
            // If the rules loop, so may the line.
            if node == 0 || !seen.insert(node) {
                break;
            }
            let [arm] = self.tree.arms(node) else { break };
            let edges = self.tree.edges(arm);
            let proven = self.tree.node(node).proof;
            let rank = |at: &usize| {
                let edge = &edges[*at];
                (proven.is_some() && self.tree.proof(edge) == proven, edge.visits)
            };
            match (0..edges.len()).max_by_key(rank) {
                Some(next) if edges[next].visits > HARDLY_TRIED || proven.is_some() => edge = next,
                _ => break,
            }
        }
        line
    }
}
