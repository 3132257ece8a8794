//! Monte Carlo tree search: from the same position again and again, or from worlds that a seat thinks possible.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::advice::{Advice, Weighed, interval};
use super::regret::{Joint, drawn, key};
use super::standing::Standing;
use super::tree::{Arm, Node, Tree};
use super::worth::{Proof, Worth};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// After how many choices a playout is given up; nobody has won it.
const MAX_CHOICES: u64 = 3000;

/// How deep the tree may go; rules that go round would have no end.
const MAX_DEPTH: usize = 500;

/// A move that was tried on the way down.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    arm: usize,
    edge: usize,
    /// Whether nothing but this move decided what came next.
    alone: bool,
}

/// A search for the best move of one seat.
///
/// In open games with one choice at a time it is UCT for any number of players, each for himself, with proofs of ends.
/// Draws of chance are made anew at each visit; behind them each position has a node of its own. Where something is hidden
/// the root is another world each time, and nodes stand for what was chosen, not for positions: information-set search with
/// a single observer (P. Cowling, E. Powley, D. Whitehouse, 2012). Where several choose together each mixes its moves.
pub struct Search<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    worth: Worth,
    /// The seat that is advised, from 0.
    seat: usize,
    /// Whether everybody knows everything, so that a node is one position.
    open: bool,
    tree: Tree,
    playouts: u64,
    path: Vec<Step>,
    /// The rewards of a playout, by seat: the share of the win, and with the margin mixed in.
    rewards: Vec<(f64, f64)>,
    /// The edge of each number at the node that is looked at, plus one.
    marks: Vec<u32>,
    fault: Option<Fault>,
    /// The one move of the seat that is looked at, where the others are of no interest.
    only: Option<Chosen>,
    /// The shares of the win that playouts brought each seat, added up, and how many they were.
    brought: (Vec<f64>, u64),
}

impl<'e, E: Engine> Search<'e, E> {
    /// A search for a seat (from 0) from positions in which it is to choose; `open` says whether everybody knows all there
    /// is to know of a position.
    pub fn new(engine: &'e E, seat: usize, open: bool) -> Search<'e, E> {
        Search {
            engine,
            stepper: engine.stepper(),
            worth: Worth::of(engine.machine()),
            seat,
            open,
            tree: Tree::default(),
            playouts: 0,
            path: Vec::new(),
            rewards: Vec::new(),
            marks: Vec::new(),
            fault: None,
            only: None,
            brought: (Vec::new(), 0),
        }
    }

    /// Looks at one move of the seat alone, which is legal.
    pub fn only(&mut self, chosen: Chosen) {
        self.only = Some(chosen);
    }

    /// Searches from what `root` gives at each playout, until it gives nothing more, `goes_on` (asked with the number of
    /// playouts so far) says no, or the end is certain.
    pub fn run(
        &mut self,
        root: &mut dyn FnMut(&mut Rng) -> Option<E::State>,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) {
        while goes_on(self.playouts) && self.tree.nodes.first().is_none_or(|root| root.proof.is_none()) {
            let Some(state) = root(rng) else { return };
            self.path.clear();
            // Where a rule breaks, or too much is asked, the playout has brought nobody anything.
            let end = self.playout(state, rng).unwrap_or_else(|fault| {
                let seats = self.worth.seats;
                let share = Proof::of(&[]).share(0, seats);
                self.rewards = vec![(share, share); seats];
                self.fault.get_or_insert(fault);
                None
            });
            let (brought, counted) = &mut self.brought;
            brought.resize(self.worth.seats, 0.0);
            brought.iter_mut().zip(&self.rewards).for_each(|(sum, (share, _))| *sum += share);
            *counted += 1;
            self.learn(end);
            self.playouts += 1;
        }
    }

    /// Forgets what playouts have brought so far, but not what was learned from them.
    pub fn count_anew(&mut self) {
        self.brought = (Vec::new(), 0);
    }

    /// What the playouts have brought each seat since [`Search::count_anew`], or the end, where that is certain; `None`
    /// where no move was found. The error is what broke then.
    pub fn standing(&self) -> Result<Option<Standing>, Fault> {
        let seats = self.worth.seats;
        let Some(root) = self.tree.nodes.first() else { return self.fault.clone().map_or(Ok(None), Err) };
        let own = root.arms.iter().flat_map(|arm| &arm.edges).filter(|_| self.only.is_some());
        if let Some(end) = root.proof.or(own.filter_map(|edge| edge.proof).next()) {
            return Ok(Some(Standing::certain(end, seats)));
        }
        let (brought, playouts) = &self.brought;
        let shares: Vec<f64> = brought.iter().map(|sum| sum / *playouts as f64).collect();
        Ok((*playouts > 0).then_some(Standing { shares, playouts: *playouts, end: None }))
    }

    /// Goes down the tree, adds a node, and plays on to the end: how it ends, where that is certain of the last move.
    fn playout(&mut self, mut state: E::State, rng: &mut Rng) -> Result<Option<Proof>, Fault> {
        if self.tree.nodes.is_empty() {
            let Some(root) = self.node(&state, true)? else { return Ok(None) };
            self.tree.add(root);
        }
        let mut at = 0;
        loop {
            let begun = self.path.len();
            let known = self.pick(at, &state, rng)?;
            if !known {
                break;
            }
            let picked = begun..self.path.len();
            if let [Step { node, arm, edge, .. }] = self.path[picked.clone()]
                && let Some(proof) = self.tree.nodes[node as usize].arms[arm].edges[edge].proof
            {
                self.end(proof);
                return Ok(None);
            }
            for step in picked.clone() {
                self.make(&mut state, self.path[step])?;
            }
            let by_chance = self.stepper.chance(&mut state, rng)?;
            let alone = self.open && picked.len() == 1 && !by_chance;
            self.path[begun].alone = alone;
            if self.stepper.turn(&state) == Turn::Over {
                let end = self.worth.rewards(self.engine, &state, &mut self.rewards)?;
                return Ok(end.filter(|_| alone));
            }
            let first = self.path[begun];
            let edge = &self.tree.nodes[at as usize].arms[first.arm].edges[first.edge];
            let (below, visited) = (edge.below, edge.visits > 0);
            let chosen = Joint::key(self.path[picked].iter().map(|step| step.edge));
            let place = if alone { None } else { Some((at, key(chosen, self.met(&state, by_chance)))) };
            let next = match place {
                None => Some(below).filter(|below| *below != 0),
                Some(place) => self.tree.below.get(&place).copied(),
            };
            match next {
                Some(next) if self.path.len() < MAX_DEPTH => {
                    if let Some(proof) = self.tree.nodes[next as usize].proof {
                        self.end(proof);
                        return Ok(None);
                    }
                    at = next;
                }
                Some(_) => break,
                None => {
                    if visited
                        && self.tree.has_room()
                        && let Some(node) = self.node(&state, false)?
                    {
                        let node = self.tree.add(node);
                        match place {
                            None => {
                                self.tree.nodes[at as usize].arms[first.arm].edges[first.edge].below = node;
                            }
                            Some(place) => drop(self.tree.below.insert(place, node)),
                        }
                    }
                    break;
                }
            }
        }
        self.engine.play_on(&mut state, rng, MAX_CHOICES)?;
        self.worth.rewards(self.engine, &state, &mut self.rewards)?;
        Ok(None)
    }

    /// The rewards of an end that is certain.
    fn end(&mut self, proof: Proof) {
        let seats = self.worth.seats;
        self.rewards.clear();
        self.rewards.extend((0..seats).map(|seat| proof.share(seat, seats)).map(|share| (share, share)));
    }

    /// What tells nodes apart that lie behind the same choices. In an open game it is the position, where chance has made
    /// it; where something is hidden, only who is to choose what.
    fn met(&mut self, state: &E::State, by_chance: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.stepper.turn(state) {
            _ if self.open && by_chance => {
                let mut bytes = Vec::new();
                self.stepper.key(state, &mut bytes);
                bytes.hash(&mut hasher);
            }
            Turn::Choice { choice, seats } if !self.open => (choice, seats).hash(&mut hasher),
            _ => {}
        }
        hasher.finish()
    }

    /// A node for a position; `None` where its moves have no numbers and what is legal varies.
    fn node(&mut self, state: &E::State, root: bool) -> Result<Option<Node>, Fault> {
        let Turn::Choice { choice, seats } = self.stepper.turn(state) else { return Ok(None) };
        let together = seats.count_ones() > 1;
        let drawn = !self.stepper.ids().has(choice);
        let mut arms = Vec::new();
        for seat in (0..self.worth.seats).filter(|seat| seats >> seat & 1 == 1) {
            // What it can choose itself a seat knows, whatever is hidden from it.
            let fixed = self.open || root && seat == self.seat;
            if drawn && !fixed {
                return Ok(None);
            }
            let mut arm = Arm { seat, fixed, drawn, ..Arm::default() };
            if let Some(only) = self.only.clone().filter(|_| root && seat == self.seat) {
                self.tree.rows.push(only);
                arm.drawn = true;
                arm.add(self.tree.rows.len() as u32 - 1);
                arms.push(arm);
                continue;
            }
            if fixed && let Some(ids) = self.stepper.list(state, seat)?.filter(|_| !drawn) {
                match together {
                    true => ids.iter().for_each(|id| _ = arm.add(*id)),
                    false => arm.untried = ids.to_vec(),
                }
            }
            arms.push(arm);
        }
        Ok(Some(Node { choice, arms, proof: None }))
    }

    /// Picks a move for everybody who chooses at a node. `false`: somebody has none that is known.
    fn pick(&mut self, node: u32, state: &E::State, rng: &mut Rng) -> Result<bool, Fault> {
        let begun = self.path.len();
        let arms = self.tree.nodes[node as usize].arms.len();
        for arm in 0..arms {
            let picked = self.pick_one(node, arm, state, arms > 1, rng)?;
            let Some(edge) = picked else {
                self.path.truncate(begun);
                return Ok(false);
            };
            self.path.push(Step { node, arm, edge, alone: false });
        }
        Ok(true)
    }

    fn pick_one(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        together: bool,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = &self.tree.nodes[node as usize].arms[at];
        if self.only.is_some() && node == 0 && arm.seat == self.seat {
            return Ok(Some(0));
        }
        if arm.drawn {
            if arm.widens()
                && let Some(chosen) = self.stepper.draw_legal(state, arm.seat, rng)?
            {
                let edge = self.edge_of(node, at, chosen);
                if !together {
                    return Ok(Some(edge));
                }
            }
        } else if !arm.fixed {
            return self.pick_legal(node, at, state, together, rng);
        } else if !arm.untried.is_empty() && (node == 0 || arm.widens()) {
            let n = rng.below_u64(arm.untried.len() as u64) as usize;
            let id = self.tree.nodes[node as usize].arms[at].untried.swap_remove(n);
            return Ok(Some(self.tree.add_edge(node, at, id)));
        }
        let arm = &mut self.tree.nodes[node as usize].arms[at];
        if !together {
            return Ok(arm.best(None, self.worth.seats));
        }
        let all: Vec<usize> = (0..arm.edges.len()).collect();
        Ok((!all.is_empty()).then(|| arm.mix.draw(&all, all.len(), rng)))
    }

    /// Picks among the moves that are legal in this world.
    fn pick_legal(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        together: bool,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = &mut self.tree.nodes[node as usize].arms[at];
        let Some(ids) = self.stepper.list(state, arm.seat)? else { return Ok(None) };
        let most =
            ids.iter().chain(arm.edges.iter().map(|edge| &edge.id)).max().map_or(0, |id| *id as usize + 1);
        if self.marks.len() < most {
            self.marks.resize(most, 0);
        }
        for (edge, n) in arm.edges.iter().zip(1..) {
            self.marks[edge.id as usize] = n;
        }
        let (mut legal, mut new) = (Vec::new(), Vec::new());
        for id in ids {
            match self.marks[*id as usize] {
                0 => new.push(*id),
                n => legal.push(n as usize - 1),
            }
        }
        for edge in &arm.edges {
            self.marks[edge.id as usize] = 0;
        }
        legal.iter().for_each(|edge| arm.edges[*edge].could += 1);
        if together {
            for id in new {
                legal.push(self.tree.add_edge(node, at, id));
            }
            let arm = &mut self.tree.nodes[node as usize].arms[at];
            let edges = arm.edges.len();
            return Ok((!legal.is_empty()).then(|| arm.mix.draw(&legal, edges, rng)));
        }
        if !new.is_empty() && (arm.widens() || legal.is_empty()) {
            let id = new[rng.below_u64(new.len() as u64) as usize];
            let edge = self.tree.add_edge(node, at, id);
            self.tree.nodes[node as usize].arms[at].edges[edge].could = 1;
            return Ok(Some(edge));
        }
        Ok(arm.best(Some(&legal), self.worth.seats))
    }

    /// The edge of a move without number, which may be there already.
    fn edge_of(&mut self, node: u32, at: usize, chosen: Chosen) -> usize {
        let edges = &self.tree.nodes[node as usize].arms[at].edges;
        if let Some(known) = edges.iter().position(|edge| self.tree.rows[edge.id as usize] == chosen) {
            return known;
        }
        self.tree.rows.push(chosen);
        self.tree.add_edge(node, at, self.tree.rows.len() as u32 - 1)
    }

    fn make(&mut self, state: &mut E::State, step: Step) -> Result<(), Fault> {
        let arm = &self.tree.nodes[step.node as usize].arms[step.arm];
        let id = arm.edges[step.edge].id;
        match arm.drawn {
            true => self.stepper.choose(state, arm.seat, self.tree.rows[id as usize].clone()),
            false => self.stepper.make(state, arm.seat, id).map(drop),
        }
    }

    /// Takes what a playout brought back up the tree, and the end that is certain behind its last move.
    fn learn(&mut self, mut end: Option<Proof>) {
        let seats = self.worth.seats;
        for step in self.path.iter().rev() {
            let node = &mut self.tree.nodes[step.node as usize];
            let together = node.arms.len() > 1;
            let arm = &mut node.arms[step.arm];
            let (share, reward) = self.rewards[arm.seat];
            arm.visits += 1;
            let edge = &mut arm.edges[step.edge];
            edge.visits += 1;
            edge.share += share;
            edge.reward += reward;
            end = match end.filter(|_| step.alone && !together) {
                Some(proof) => {
                    // An end that was known before is known here as it was.
                    edge.proof = edge.proof.or(Some(proof.before()));
                    node.proof = node.settled(seats);
                    node.proof
                }
                None => None,
            };
        }
        self.learn_together();
    }

    /// What each of those who chose together would have got with its other moves, and so regrets.
    fn learn_together(&mut self) {
        let mut from = 0;
        while from < self.path.len() {
            let node = self.path[from].node;
            let arms = self.tree.nodes[node as usize].arms.len();
            let steps = &self.path[from..from + arms];
            from += arms;
            if arms == 1 {
                continue;
            }
            let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
            let arms = &mut self.tree.nodes[node as usize].arms;
            let rewards: Vec<f64> = arms.iter().map(|arm| self.rewards[arm.seat].1).collect();
            self.tree.joint.add(node, Joint::key(chosen.iter().copied()), &rewards);
            for (at, arm) in arms.iter_mut().enumerate() {
                let key_with = |edge: usize| {
                    Joint::key(chosen.iter().enumerate().map(|(n, e)| if n == at { edge } else { *e }))
                };
                let reached = self.tree.joint.mean(node, key_with(chosen[at]), at).unwrap_or(rewards[at]);
                for edge in 0..arm.edges.len() {
                    // What was never met with the others' choices is worth what it brought against whatever.
                    let known = &arm.edges[edge];
                    let met = self.tree.joint.mean(node, key_with(edge), at);
                    let mean = (known.visits > 0).then(|| known.reward / f64::from(known.visits));
                    arm.mix.regret(edge, met.or(mean).unwrap_or(0.5) - reached);
                }
            }
        }
    }

    /// How many playouts there were.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// What the search has come to. `rng` draws the choice where several choose together. The error is what broke where no
    /// move was found.
    pub fn advice(&self, rng: &mut Rng) -> Result<Option<Advice>, Fault> {
        let seats = self.worth.seats;
        let arm = self.tree.nodes.first().and_then(|root| root.arms.iter().find(|arm| arm.seat == self.seat));
        let Some((root, arm)) = self.tree.nodes.first().zip(arm).filter(|(_, arm)| !arm.edges.is_empty())
        else {
            return match &self.fault {
                Some(fault) => Err(fault.clone()),
                None => Ok(None),
            };
        };
        let together = root.arms.len() > 1;
        let mut order: Vec<usize> = (0..arm.edges.len()).filter(|at| arm.edges[*at].visits > 0).collect();
        let mix = arm.mix.average(arm.edges.len());
        let rank = |at: usize| {
            let edge = &arm.edges[at];
            let often = if together { mix[at] } else { f64::from(edge.visits) };
            match edge.proof {
                Some(proof) if proof.wins(self.seat) => (2.0, -f64::from(proof.choices), 0.0),
                Some(proof) if proof.share(self.seat, seats) == 0.0 => (0.0, f64::from(proof.choices), often),
                // Among ends that are all certain the share decides, not how often they were tried.
                Some(proof) if root.proof.is_some() => (1.0, proof.share(self.seat, seats), often),
                _ => (1.0, often, edge.reward / f64::from(edge.visits)),
            }
        };
        order.sort_by(|a, b| rank(*b).partial_cmp(&rank(*a)).unwrap_or(std::cmp::Ordering::Equal));
        let value = |at: usize| {
            let edge = &arm.edges[at];
            edge.proof.map_or(edge.mean(), |proof| proof.share(self.seat, seats))
        };
        let moves = order.iter().filter_map(|at| {
            let edge = &arm.edges[*at];
            let chosen = self.chosen(root.choice, arm, *at)?;
            Some(Weighed { chosen, value: value(*at), visits: u64::from(edge.visits), end: edge.proof })
        });
        let moves: Vec<Weighed> = moves.collect();
        let best = if together { drawn(&mix, rng) } else { order[0] };
        let Some(chosen) = self.chosen(root.choice, arm, best) else { return Ok(None) };
        let (value, visits) = (value(best), u64::from(arm.edges[best].visits));
        // What is mixed is worth what the mix has brought.
        let (value, visits) = match together {
            true => {
                let sum: f64 = arm.edges.iter().map(|edge| edge.share).sum();
                (sum / f64::from(arm.visits.max(1)), u64::from(arm.visits))
            }
            false => (value, visits),
        };
        let exact = root.proof.is_some();
        let line = if together { Vec::new() } else { self.line(best) };
        let interval = if exact { (value, value) } else { interval(value, visits) };
        Ok(Some(Advice {
            best: chosen,
            value,
            interval,
            playouts: self.playouts,
            exact,
            mixed: together,
            moves,
            line,
        }))
    }

    /// A move with its arguments.
    fn chosen(&self, choice: usize, arm: &Arm, edge: usize) -> Option<Chosen> {
        let id = arm.edges[edge].id;
        match arm.drawn {
            true => self.tree.rows.get(id as usize).cloned(),
            false => self.stepper.ids().chosen(choice, id),
        }
    }

    /// The moves that are expected from a move on: seats (from 0) and what they choose, as far as nothing but their choices
    /// decides and each was tried a few times.
    fn line(&self, first: usize) -> Vec<(usize, Chosen)> {
        let (mut node, mut edge) = (0, first);
        let mut line = Vec::new();
        while let [arm] = self.tree.nodes[node].arms.as_slice() {
            let Some(chosen) = self.chosen(self.tree.nodes[node].choice, arm, edge) else { break };
            line.push((arm.seat, chosen));
            node = arm.edges[edge].below as usize;
            if node == 0 {
                break;
            }
            let [arm] = self.tree.nodes[node].arms.as_slice() else { break };
            let proven = self.tree.nodes[node].proof;
            let rank = |at: &usize| {
                let edge = &arm.edges[*at];
                (proven.is_some() && edge.proof == proven, edge.visits)
            };
            match (0..arm.edges.len()).max_by_key(rank) {
                Some(next) if arm.edges[next].visits > 2 || proven.is_some() => edge = next,
                _ => break,
            }
        }
        line
    }
}
