//! Monte Carlo tree search: from the same position again and again, or from worlds that a seat thinks possible.

use siphasher::sip128::SipHasher13;

use super::advice::{Advice, Weighed, interval};
use super::amaf::Made;
use super::regret::{Joint, Mix, drawn};
use super::standing::Standing;
use super::tree::{Arm, Edge, Marks, Tree};
use super::worth::{Proof, Worth};
use crate::engine::{Engine, Stepper, Told, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// After how many choices a playout is given up; nobody has won it.
const MAX_CHOICES: u64 = 3000;

/// How deep the tree may go; rules that go round would have no end.
const MAX_DEPTH: usize = 500;

/// A step down the tree takes about as long as so many random choices. Playouts that are shorter than the way to where they begin
/// are worth several from there, and at most so many.
const CHOICES_A_STEP: u64 = 4;
const MAX_BUNDLE: u64 = 8;
/// While there were fewer playouts than this, each is worth a way of its own; and so on for each one more in a bundle.
const PLAYOUTS_A_BUNDLE: u64 = 500;

/// A move that was tried on the way down.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    arm: usize,
    edge: usize,
    /// Whether nothing but this move decided what came next.
    alone: bool,
}

/// What a search has come to.
#[derive(Debug)]
pub struct Grown {
    tree: Tree,
    playouts: u64,
}

/// A search for the best move of one seat.
///
/// In open games with one choice at a time it is UCT for any number of players, each for himself, with proofs of ends; a
/// position that several ways of one length lead to is one node. Draws of chance are made anew at each visit. Where something is hidden
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
    /// What the last playouts brought, by seat: the shares of the win, and with the margins mixed in, added up.
    rewards: Vec<(f64, f64)>,
    /// How many playouts that were.
    bundle: u32,
    /// What was made in the last playout, where that tells of each move.
    made: Option<Made>,
    /// The bytes of a position.
    bytes: Vec<u8>,
    /// The edge of each number at the arm that is looked at.
    marks: Marks,
    fault: Option<Fault>,
    /// The one move of the seat that is looked at, where the others are of no interest.
    only: Option<Chosen>,
    /// The shares of the win that playouts brought each seat, added up, and how many they were.
    brought: (Vec<f64>, u64),
}

impl<'e, E: Engine> Search<'e, E> {
    /// A search for a seat (from 0) from positions in which it is to choose; `open` says whether everybody knows all there
    /// is to know of a position, `adds` whether all moves of a playout are to be learnt from: see [`super::only_adds`].
    pub fn new(engine: &'e E, seat: usize, open: bool, adds: bool) -> Search<'e, E> {
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
            bundle: 0,
            made: adds.then(Made::default),
            bytes: Vec::new(),
            marks: Marks::default(),
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
        while goes_on(self.playouts) && self.tree.root().is_none_or(|root| root.proof.is_none()) {
            let Some(state) = root(rng) else { return };
            self.path.clear();
            // Where a rule breaks, or too much is asked, the playout has brought nobody anything.
            let end = self.descend(state, rng, goes_on).unwrap_or_else(|fault| {
                self.end(Proof::of(&[]));
                self.fault.get_or_insert(fault);
                None
            });
            let (brought, counted) = &mut self.brought;
            brought.resize(self.worth.seats, 0.0);
            brought.iter_mut().zip(&self.rewards).for_each(|(sum, (share, _))| *sum += share);
            *counted += u64::from(self.bundle);
            self.learn(end);
            self.playouts += u64::from(self.bundle);
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
        let Some(root) = self.tree.root() else { return self.fault.clone().map_or(Ok(None), Err) };
        let own = self.tree.arms(0).iter().flat_map(|arm| self.tree.edges(arm));
        let own = own.filter(|_| self.only.is_some()).filter_map(|edge| self.tree.proof(edge)).next();
        if let Some(end) = root.proof.or(own) {
            return Ok(Some(Standing::certain(end, seats)));
        }
        let (brought, playouts) = &self.brought;
        let shares: Vec<f64> = brought.iter().map(|sum| sum / *playouts as f64).collect();
        Ok((*playouts > 0).then_some(Standing { shares, playouts: *playouts, end: None }))
    }

    /// Goes down the tree, adds a node, and plays on to the end: how it ends, where that is certain of the last move.
    fn descend(
        &mut self,
        mut state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        if self.tree.root().is_none() && self.node(&state, true)?.is_none() {
            return self.play_on(state, rng, goes_on);
        }
        let mut at = 0;
        loop {
            let begun = self.path.len();
            if !self.pick(at, &state, rng)? {
                break;
            }
            let picked = begun..self.path.len();
            if let [Step { node, arm, edge, .. }] = self.path[picked.clone()]
                && let Some(proof) = self.tree.proof(self.tree.edge(node, arm, edge))
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
                self.bundle = 1;
                let end = self.worth.rewards(self.engine, &state, &mut self.rewards)?;
                return Ok(end.filter(|_| alone));
            }
            let next = self.below(&state, (at, begun), alone)?;
            if next == 0 || self.path.len() >= MAX_DEPTH {
                break;
            }
            if let Some(proof) = self.tree.node(next).proof {
                self.end(proof);
                return Ok(Some(proof).filter(|_| alone));
            }
            at = next;
        }
        self.play_on(state, rng, goes_on)
    }

    /// The node of a position that the steps from `begun` on have led to from node `at`; 0 where there is none and none is to be
    /// made.
    fn below(&mut self, state: &E::State, (at, begun): (u32, usize), alone: bool) -> Result<u32, Fault> {
        let first = self.path[begun];
        let edge = self.tree.edge(at, first.arm, first.edge);
        if alone && edge.below != 0 {
            return Ok(edge.below);
        }
        let grows = edge.visits > 0 && self.tree.has_room();
        let key = self.key(state, (at, begun));
        let below = match self.tree.met.get(&key).copied() {
            Some(node) => node,
            None if !grows => 0,
            None => match self.node(state, false)? {
                Some(node) => *self.tree.met.entry(key).or_insert(node),
                None => 0,
            },
        };
        if alone {
            self.tree.edge_mut(at, first.arm, first.edge).below = below;
        }
        Ok(below)
    }

    /// Plays on at random to the end, once or several times. Where all moves of a playout are learnt from, those of the first are.
    fn play_on(
        &mut self,
        state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        let mut last = state.clone();
        let choices = match &mut self.made {
            None => self.engine.play_on(&mut last, rng, MAX_CHOICES)?,
            Some(made) => {
                let (engine, ids) = (self.engine, self.stepper.ids());
                let mut hear = |told: Told<E::State>| made.hear(engine, ids, &told);
                engine.play_on_told(&mut last, rng, MAX_CHOICES, &mut hear)?
            }
        };
        self.worth.rewards(self.engine, &last, &mut self.rewards)?;
        self.bundle = 1;
        let steps = CHOICES_A_STEP * self.path.len() as u64;
        let worth = (steps / choices.max(1)).min(self.playouts / PLAYOUTS_A_BUNDLE).min(MAX_BUNDLE - 1);
        let mut sums = Vec::new();
        for more in 1..=worth {
            if !goes_on(self.playouts + more) {
                break;
            }
            if more == 1 {
                sums.clone_from(&self.rewards);
            }
            last.clone_from(&state);
            self.engine.play_on(&mut last, rng, MAX_CHOICES)?;
            self.worth.rewards(self.engine, &last, &mut self.rewards)?;
            for ((share, reward), more) in sums.iter_mut().zip(&self.rewards) {
                (*share, *reward) = (*share + more.0, *reward + more.1);
            }
            self.bundle += 1;
        }
        if self.bundle > 1 {
            self.rewards = sums;
        }
        Ok(None)
    }

    /// The rewards of an end that is certain.
    fn end(&mut self, proof: Proof) {
        let seats = self.worth.seats;
        self.bundle = 1;
        self.rewards.clear();
        self.rewards.extend((0..seats).map(|seat| proof.share(seat, seats)).map(|share| (share, share)));
    }

    /// What tells nodes apart: in an open game the position, with how many choices led there, so no way leads round; where something
    /// is hidden, the node before, what was chosen there, and who is to choose what.
    fn key(&mut self, state: &E::State, (at, begun): (u32, usize)) -> u128 {
        self.bytes.clear();
        let words = if self.open {
            self.stepper.key(state, &mut self.bytes);
            [self.path.len() as u64, 0, 0, 0]
        } else {
            let chosen = Joint::key(self.path[begun..].iter().map(|step| step.edge));
            match self.stepper.turn(state) {
                Turn::Choice { choice, seats } => [u64::from(at), chosen, choice as u64, seats],
                Turn::Chance | Turn::Over => [u64::from(at), chosen, u64::MAX, 0],
            }
        };
        self.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        SipHasher13::new().hash(&self.bytes).as_u128()
    }

    /// Adds a node for a position; `None` where nobody is to choose.
    fn node(&mut self, state: &E::State, root: bool) -> Result<Option<u32>, Fault> {
        let Turn::Choice { choice, seats } = self.stepper.turn(state) else { return Ok(None) };
        let together = seats.count_ones() > 1;
        let drawn = !self.stepper.ids().has(choice);
        let mut arms = Vec::new();
        for seat in (0..self.worth.seats).filter(|seat| seats >> seat & 1 == 1) {
            // What it can choose itself a seat knows, whatever is hidden from it.
            let fixed = self.open || root && seat == self.seat;
            let mix = self.tree.mixes.len();
            if together {
                self.tree.mixes.push(Mix::default());
            }
            let only = self.only.is_some() && root && seat == self.seat;
            arms.push(Arm::new(seat, fixed, drawn || only, mix));
        }
        let node = self.tree.add(choice, &arms);
        for (at, arm) in arms.iter().enumerate().filter(|(_, arm)| arm.fixed) {
            if let Some(only) = self.only.clone().filter(|_| root && arm.seat == self.seat) {
                self.tree.rows.push(only);
                self.tree.add_edge(node, at, self.tree.rows.len() as u32 - 1);
            }
            if arm.drawn {
                continue;
            }
            let Some(ids) = self.stepper.list(state, arm.seat)? else { continue };
            // A move that was never tried may be known from where it was made later.
            match together || self.made.is_some() {
                true => ids.iter().for_each(|id| _ = self.tree.add_edge(node, at, *id)),
                false => self.tree.add_untried(node, at, ids),
            }
        }
        Ok(Some(node))
    }

    /// Picks a move for everybody who chooses at a node. `false`: somebody has none that is known.
    fn pick(&mut self, node: u32, state: &E::State, rng: &mut Rng) -> Result<bool, Fault> {
        let begun = self.path.len();
        let arms = self.tree.arms(node).len();
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
        let arm = *self.tree.arm(node, at);
        if self.only.is_some() && node == 0 && arm.seat == self.seat {
            return Ok(Some(0));
        }
        if arm.drawn && !arm.fixed {
            return self.pick_unnamed(node, at, state, rng);
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
        } else if arm.has_untried() && (node == 0 || arm.widens()) {
            return Ok(Some(self.tree.try_one(node, at, |left| rng.below_u64(left))));
        }
        let arm = self.tree.arm(node, at);
        if !together {
            return Ok(match self.made {
                None => self.tree.best(arm, None),
                Some(_) if arm.visits == 0 => Some(rng.below_u64(arm.known() as u64) as usize),
                Some(_) => self.tree.best_by_all(arm),
            });
        }
        let all: Vec<usize> = (0..arm.known()).collect();
        let mix = arm.mix;
        Ok((!all.is_empty()).then(|| self.tree.mixes[mix].draw(&all, all.len(), rng)))
    }

    /// Picks a move that has no number where what is legal varies: any, and all of them are one edge, whose move is another each time.
    fn pick_unnamed(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        let Some(chosen) = self.stepper.draw_legal(state, arm.seat, rng)? else { return Ok(None) };
        match self.tree.edges(&arm).first().copied() {
            Some(edge) => self.tree.rows[edge.id as usize] = chosen,
            None => drop(self.edge_of(node, at, chosen)),
        }
        Ok(Some(0))
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
        let arm = *self.tree.arm(node, at);
        let Some(ids) = self.stepper.list(state, arm.seat)? else { return Ok(None) };
        let edges = self.tree.edges(&arm);
        self.marks.set(edges);
        let (mut legal, mut new) = (Vec::new(), Vec::new());
        for id in ids {
            match self.marks.edge_of(*id) {
                None => new.push(*id),
                Some(edge) => legal.push(edge),
            }
        }
        self.marks.clear(edges);
        legal.iter().for_each(|edge| self.tree.edge_mut(node, at, *edge).could += 1);
        if together {
            for id in new {
                legal.push(self.tree.add_edge(node, at, id));
            }
            let (mix, edges) = (arm.mix, self.tree.arm(node, at).known());
            return Ok((!legal.is_empty()).then(|| self.tree.mixes[mix].draw(&legal, edges, rng)));
        }
        if !new.is_empty() && (arm.widens() || legal.is_empty()) {
            let id = new[rng.below_u64(new.len() as u64) as usize];
            let edge = self.tree.add_edge(node, at, id);
            self.tree.edge_mut(node, at, edge).could = 1;
            return Ok(Some(edge));
        }
        Ok(self.tree.best(&arm, Some(&legal)))
    }

    /// The edge of a move without number, which may be there already.
    fn edge_of(&mut self, node: u32, at: usize, chosen: Chosen) -> usize {
        let edges = self.tree.edges(self.tree.arm(node, at));
        if let Some(known) = edges.iter().position(|edge| self.tree.rows[edge.id as usize] == chosen) {
            return known;
        }
        self.tree.rows.push(chosen);
        self.tree.add_edge(node, at, self.tree.rows.len() as u32 - 1)
    }

    fn make(&mut self, state: &mut E::State, step: Step) -> Result<(), Fault> {
        let arm = self.tree.arm(step.node, step.arm);
        let id = self.tree.edge(step.node, step.arm, step.edge).id;
        match arm.drawn {
            true => self.stepper.choose(state, arm.seat, self.tree.rows[id as usize].clone()),
            false => self.stepper.make(state, arm.seat, id).map(drop),
        }
    }

    /// Takes what playouts brought back up the tree, and the end that is certain behind its last move.
    fn learn(&mut self, mut end: Option<Proof>) {
        let seats = self.worth.seats;
        for step in self.path.iter().rev() {
            let arm = self.tree.arm_mut(step.node, step.arm);
            let rewards = self.rewards[arm.seat];
            arm.visits += self.bundle;
            self.tree.edge_mut(step.node, step.arm, step.edge).learn(self.bundle, rewards);
            end = end
                .filter(|_| step.alone)
                .and_then(|end| self.tree.prove(step.node, step.arm, step.edge, end.before(), seats));
        }
        self.learn_together();
        if self.made.is_some() {
            self.learn_from_made();
        }
    }

    /// Takes what the playout brought to the moves that its seats made later on, at every node of the way.
    fn learn_from_made(&mut self) {
        let Some(made) = &mut self.made else { return };
        for step in self.path.iter().rev() {
            let (arm, edge) =
                (self.tree.arm(step.node, step.arm), self.tree.edge(step.node, step.arm, step.edge));
            // A move that is looked at alone has no number, and stands beside no others.
            if arm.drawn {
                continue;
            }
            made.moves.push((arm.seat, edge.id));
            self.marks.set(self.tree.edges(arm));
            let reward = (self.rewards[arm.seat].1 / f64::from(self.bundle)) as f32;
            let seat = arm.seat;
            for (_, id) in made.moves.iter().filter(|(by, _)| *by == seat) {
                if let Some(edge) = self.marks.edge_of(*id) {
                    self.tree.edge_mut(step.node, step.arm, edge).hint(reward);
                }
            }
            self.marks.clear(self.tree.edges(self.tree.arm(step.node, step.arm)));
        }
        made.moves.clear();
    }

    /// What each of those who chose together would have got with its other moves, and so regrets.
    fn learn_together(&mut self) {
        let mut from = 0;
        while from < self.path.len() {
            let node = self.path[from].node;
            let arms = self.tree.arms(node).to_vec();
            let steps = &self.path[from..from + arms.len()];
            from += arms.len();
            if arms.len() == 1 {
                continue;
            }
            let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
            let bundle = f64::from(self.bundle);
            let rewards: Vec<f64> = arms.iter().map(|arm| self.rewards[arm.seat].1 / bundle).collect();
            self.tree.joint.add(node, Joint::key(chosen.iter().copied()), &rewards);
            for (at, arm) in arms.iter().enumerate() {
                let key_with = |edge: usize| {
                    Joint::key(chosen.iter().enumerate().map(|(n, e)| if n == at { edge } else { *e }))
                };
                let reached = self.tree.joint.mean(node, key_with(chosen[at]), at).unwrap_or(rewards[at]);
                for edge in 0..arm.known() {
                    // What was never met with the others' choices is worth what it brought against whatever.
                    let known = &self.tree.edges(arm)[edge];
                    let met = self.tree.joint.mean(node, key_with(edge), at);
                    let mean = (known.visits > 0).then(|| known.reward / f64::from(known.visits));
                    let regret = met.or(mean).unwrap_or(0.5) - reached;
                    self.tree.mixes[arm.mix].regret(edge, regret);
                }
            }
        }
    }

    /// What it has come to, for another search from the same position.
    pub fn grown(self) -> Grown {
        Grown { tree: self.tree, playouts: self.playouts }
    }

    /// Adds what another search from the same position knows of the moves there.
    pub fn join(&mut self, other: &Grown) {
        self.playouts += other.playouts;
        if self.tree.root().is_some() && other.tree.root().is_some() {
            self.tree.join_root(&other.tree, self.worth.seats);
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
        let arm = self.tree.root().and_then(|_| self.tree.arms(0).iter().find(|arm| arm.seat == self.seat));
        let Some((root, arm)) = self.tree.root().zip(arm).filter(|(_, arm)| arm.known() > 0) else {
            return match &self.fault {
                Some(fault) => Err(fault.clone()),
                None => Ok(None),
            };
        };
        let edges = self.tree.edges(arm);
        let together = self.tree.arms(0).len() > 1;
        let mut order: Vec<usize> = (0..edges.len()).filter(|at| edges[*at].visits > 0).collect();
        let mix = if together { self.tree.mixes[arm.mix].average(edges.len()) } else { Vec::new() };
        let rank = |at: usize| {
            let edge = &edges[at];
            let often = if together { mix[at] } else { f64::from(edge.visits) };
            match self.tree.proof(edge) {
                Some(proof) if proof.wins(self.seat) => (2.0, -f64::from(proof.choices), 0.0),
                Some(proof) if proof.share(self.seat, seats) == 0.0 => (0.0, f64::from(proof.choices), often),
                // Among ends that are all certain the share decides, not how often they were tried.
                Some(proof) if root.proof.is_some() => (1.0, proof.share(self.seat, seats), often),
                _ => (1.0, often, edge.reward / f64::from(edge.visits)),
            }
        };
        order.sort_by(|a, b| rank(*b).partial_cmp(&rank(*a)).unwrap_or(std::cmp::Ordering::Equal));
        let value = |at: usize| {
            let edge = &edges[at];
            self.tree.proof(edge).map_or(edge.mean(), |proof| proof.share(self.seat, seats))
        };
        let moves = order.iter().filter_map(|at| {
            let edge = &edges[*at];
            let chosen = self.chosen(root.choice, arm, edge)?;
            let (visits, end) = (u64::from(edge.visits), self.tree.proof(edge));
            Some(Weighed { chosen, value: value(*at), visits, end })
        });
        let moves: Vec<Weighed> = moves.collect();
        let best = if together { drawn(&mix, rng) } else { order[0] };
        let Some(chosen) = self.chosen(root.choice, arm, &edges[best]) else { return Ok(None) };
        let (value, visits) = (value(best), u64::from(edges[best].visits));
        // What is mixed is worth what the mix has brought.
        let (value, visits) = match together {
            true => {
                let sum: f64 = edges.iter().map(|edge| edge.share).sum();
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
    fn chosen(&self, choice: usize, arm: &Arm, edge: &Edge) -> Option<Chosen> {
        match arm.drawn {
            true => self.tree.rows.get(edge.id as usize).cloned(),
            false => self.stepper.ids().chosen(choice, edge.id),
        }
    }

    /// The moves that are expected from a move on: seats (from 0) and what they choose, as far as nothing but their choices
    /// decides and each was tried a few times.
    fn line(&self, first: usize) -> Vec<(usize, Chosen)> {
        let (mut node, mut edge) = (0, first);
        let mut line = Vec::new();
        while let [arm] = self.tree.arms(node) {
            let taken = &self.tree.edges(arm)[edge];
            let Some(chosen) = self.chosen(self.tree.node(node).choice, arm, taken) else { break };
            line.push((arm.seat, chosen));
            node = taken.below;
            if node == 0 {
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
                Some(next) if edges[next].visits > 2 || proven.is_some() => edge = next,
                _ => break,
            }
        }
        line
    }
}
