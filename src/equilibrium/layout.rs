//! Lays out the extensive form of a match, split into subgames: wherever all seats have the same knowledge,
//! the rest of the match is a subgame, and is laid out only once however it is reached.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::alike::Groups;
use super::draft::{Draft, Moves};
use super::knowledge::{Action, Knowledge};
use super::payoffs::payoffs;
use super::size::at_least;
use super::tree::{Act, Forced, Node, Set, Step, Subgame, Tree};
use super::{Aim, Stop, Trail};
use crate::engine::{Engine, Stepper, Turn, no_move};
use crate::eval::{Chosen, Fault, Position, Waiting};
use crate::explore::{Identity, Key};
use crate::ir::Value;
use crate::num::{Int, Ratio, Rng};
use crate::play::is_open;
use crate::source::Span;

/// After so many nodes and draws, random matches show whether the tree is far too large. Smaller ones are laid out sooner.
const FORESEEN_AT: usize = 20_000;

/// The moves of so many positions are counted before they are made; about so many of them are followed by one move.
const FORESEEN_FROM: usize = 1_000;
const SAMPLED: usize = 256;
/// From this level on, situations may differ only in the order of two choices after the one that hides something.
const MERGED_LEVEL: usize = 3;

/// Situations that are played alike are merged in subgames that have so many nodes already: of smaller ones, the linear program
/// may be small enough, which needs a tree.
const MERGED_FROM: usize = 2_000;

/// The number of steps between two calls of `goes_on`.
const PROGRESS_INTERVAL: usize = 256;

/// A seat's last choice between several moves in a subgame: its information set, and the number of the move in it.
type Sequence = Option<(u32, u32)>;

/// A path through a subgame to a position where something has to be chosen or drawn.
pub(super) struct History<S> {
    state: S,
    /// The knowledge of each seat, as an id from `Knowledge`.
    pub knowledge: Vec<usize>,
    /// The last choice of each seat.
    pub sequences: Vec<Sequence>,
    /// The node at the end of the path, and its level.
    pub node: usize,
    pub level: usize,
    /// The probability that chance contributes to the path, from the root.
    pub weight: Ratio,
    /// The index of its last step.
    last_step: usize,
    /// A bit set of the seats that have chosen between several moves.
    pub has_chosen: u64,
}

/// The start of a subgame: positions that nobody can tell apart.
struct Start<S> {
    places: Vec<WeightedState<S>>,
    has_chosen: u64,
}

/// A position in which a subgame may begin, with its probability and the last step of a path to it.
struct WeightedState<S> {
    state: S,
    weight: Ratio,
    last_step: usize,
}

/// One possible outcome of a sequence of draws.
struct DrawState<S> {
    state: S,
    knowledge: Vec<usize>,
    weight: Ratio,
    last_step: usize,
}

pub(super) struct Layout<'e, 'g, E: Engine> {
    engine: &'e E,
    seats: usize,
    aim: Aim,
    /// Whether there is no hidden information.
    open: bool,
    identity: Identity,
    knowledge: Knowledge<'e>,
    /// The positions that the match begins with.
    roots: Vec<E::State>,
    /// The subgames, by the positions in which they begin and their probabilities.
    known: HashMap<Vec<(Key, Ratio)>, usize>,
    starts: Vec<Option<Start<E::State>>>,
    steps: Vec<Step>,
    /// The different choices and draws, and their indices.
    acts: Vec<Act>,
    act_indices: HashMap<Act, u32>,
    /// The different lists of moves to choose from.
    moves: Moves,
    /// The number of nodes and draws laid out so far, and its limit.
    laid_out: usize,
    limit: usize,
    goes_on: &'g dyn Fn(usize) -> bool,
}

/// Lays out an engine's match with at most `limit` nodes, or the rest of one `from` where all seats know the same: the positions that
/// it may have come to, and their probabilities. `goes_on` is told their number; `false` interrupts.
pub(super) fn lay_out<E: Engine>(
    engine: &E,
    from: &[(Position, f64)],
    aim: Aim,
    limit: usize,
    goes_on: &dyn Fn(usize) -> bool,
) -> Result<Tree, Stop> {
    let machine = engine.machine();
    let seats = machine.setup.players;
    let mut layout = Layout {
        engine,
        seats,
        aim,
        open: is_open(&machine.game),
        identity: Identity::of(machine),
        knowledge: Knowledge::new(machine),
        known: HashMap::new(),
        roots: Vec::new(),
        starts: Vec::new(),
        steps: vec![Step { before: 0, act: 0 }],
        acts: Vec::new(),
        act_indices: HashMap::new(),
        moves: Moves::default(),
        laid_out: 0,
        limit,
        goes_on,
    };
    let place = |(position, likely): &(Position, f64)| {
        let events = (!layout.open).then(Vec::new);
        let state = engine.state_of(&Position { events, ..position.clone() });
        WeightedState { state, weight: Ratio::near(*likely, super::solve::VALUE_BITS), last_step: 0 }
    };
    let places = match from {
        [] => vec![WeightedState { state: layout.start()?, weight: Ratio::ONE, last_step: 0 }],
        from => from.iter().map(place).collect(),
    };
    layout.roots = places.iter().map(|place| place.state.clone()).collect();
    layout.begin(places, 0);
    let mut subgames = Vec::new();
    while let Some(start) = layout.starts.get_mut(subgames.len()) {
        let Some(start) = start.take() else { break };
        subgames.push(layout.subgame(subgames.len(), start)?);
    }
    let mut tree = Tree { seats, subgames, steps: layout.steps, acts: layout.acts, sum: None };
    tree.sum = if seats == 2 { tree.common_sum() } else { None };
    Ok(tree)
}

impl<E: Engine> Layout<'_, '_, E> {
    /// Returns the position at the first stop. If something is hidden, it records events (private messages).
    fn start(&self) -> Result<E::State, Stop> {
        if self.open {
            return Ok(self.engine.start()?);
        }
        let machine = self.engine.machine();
        let mut position = machine.blank()?;
        position.events = Some(Vec::new());
        machine.run(&mut position)?;
        Ok(self.engine.state_of(&position))
    }

    fn key(&self, state: &E::State) -> Key {
        let position = self.engine.to_position(state);
        // If something is hidden, state that the rules never read may still inform players.
        if self.open {
            self.identity.lasting_key(&position)
        } else {
            self.knowledge.written_down.key(&position)
        }
    }

    /// Returns the index of the subgame that begins in these places; adds it if it is new.
    fn begin(&mut self, places: Vec<WeightedState<E::State>>, has_chosen: u64) -> usize {
        let mut by_key: BTreeMap<Key, WeightedState<E::State>> = BTreeMap::new();
        let whole = places.iter().fold(Ratio::ZERO, |sum, place| sum.add(&place.weight));
        for WeightedState { state, weight, last_step } in places {
            let weight = weight.div(&whole);
            match by_key.entry(self.key(&state)) {
                Entry::Occupied(mut same) => same.get_mut().weight = same.get().weight.add(&weight),
                Entry::Vacant(free) => drop(free.insert(WeightedState { state, weight, last_step })),
            }
        }
        let key = by_key.iter().map(|(key, place)| (*key, place.weight.clone())).collect();
        let next = self.starts.len();
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.starts.push(Some(Start { places: by_key.into_values().collect(), has_chosen }));
        }
        number
    }

    fn subgame(&mut self, number: usize, start: Start<E::State>) -> Result<Subgame, Stop> {
        self.knowledge.begin();
        let mut draft = Draft::default();
        draft.subgame.last_step = start.places.first().map_or(0, |place| place.last_step);
        let root = draft.node(0);
        let knowledge: Vec<usize> =
            (0..self.seats).map(|_| self.knowledge.new_id(Trail::begin(number))).collect();
        let alone = start.places.len() == 1;
        let mut frontier = Vec::new();
        let mut ways = Vec::new();
        for WeightedState { state, weight, last_step } in start.places {
            let (node, level) = if alone { (root, 0) } else { (draft.node(1), 1) };
            ways.push((weight.clone(), node));
            let (knowledge, has_chosen) = (knowledge.clone(), start.has_chosen);
            let sequences = vec![None; self.seats];
            frontier.push(History {
                state,
                knowledge,
                sequences,
                node,
                level,
                weight,
                last_step,
                has_chosen,
            });
        }
        if !alone {
            draft.chance(root, ways);
        }
        let mut is_root = true;
        while !frontier.is_empty() {
            let (mut due, mut all) = (Vec::new(), 0);
            let merges = !self.open && draft.levels.len() >= MERGED_FROM;
            let mut groups = Groups::default();
            for together in components(frontier, self.seats) {
                all += together.len();
                match if is_root { None } else { self.begin_if_public(&together) } {
                    Some(number) => {
                        for history in &together {
                            draft.subgame.nodes[history.node] = Node::Into(number as u32);
                            let trails =
                                history.knowledge.iter().map(|knowledge| self.knowledge.trail(*knowledge));
                            let start = Trail::begin(number);
                            let leads = trails.enumerate().map(|(seat, trail)| (seat, trail, start));
                            draft.subgame.exits.extend(leads.filter(|_| !self.open));
                        }
                    }
                    None if merges && self.merge(&mut draft, &together, &mut groups) => {}
                    None => due.extend(together),
                }
            }
            self.foresee(&due, all)?;
            frontier = Vec::new();
            for history in due {
                self.expand(&mut draft, history, &mut frontier)?;
            }
            is_root = false;
        }
        let Draft { mut subgame, levels, same, .. } = draft;
        subgame.sort(&levels, &same);
        Ok(subgame)
    }

    /// Merges histories that no seat confuses with others with such a group that is played alike. Returns whether there is one.
    fn merge(&mut self, draft: &mut Draft, together: &[History<E::State>], groups: &mut Groups) -> bool {
        let Some(pairs) = groups.find_or_add(together, |history| self.key(&history.state)) else {
            return false;
        };
        for (there, here) in pairs {
            draft.same[here.node] = there.node as u32;
            for (seat, (from, to)) in here.knowledge.iter().zip(&there.knowledge).enumerate() {
                let (from, to) = (self.knowledge.trail(*from), self.knowledge.trail(*to));
                draft.subgame.exits.extend((from != to).then_some((seat, from, to)));
            }
        }
        draft.subgame.merged = true;
        true
    }

    fn is_over(&self, state: &E::State) -> bool {
        matches!(self.engine.waiting(state), Waiting::Over | Waiting::Nothing)
    }

    /// Returns the subgame that begins with histories that no seat confuses with others, if there is one:
    /// either each seat has the same knowledge in all of them, so that only chance weights them, or they all
    /// are one position, so that their weights do not matter. `None` otherwise, or if the match is over.
    fn begin_if_public(&mut self, together: &[History<E::State>]) -> Option<usize> {
        let first = together.first()?;
        if self.is_over(&first.state) {
            return None;
        }
        let (last_step, has_chosen) = (first.last_step, first.has_chosen);
        if together.iter().all(|history| history.knowledge == first.knowledge) {
            let places = together.iter().map(|History { state, weight, last_step, .. }| WeightedState {
                state: state.clone(),
                weight: weight.clone(),
                last_step: *last_step,
            });
            let places = places.collect();
            return Some(self.begin(places, has_chosen));
        }
        let key = self.key(&first.state);
        let same = together.iter().all(|history| self.key(&history.state) == key);
        same.then(|| {
            self.begin(
                vec![WeightedState { state: first.state.clone(), weight: Ratio::ONE, last_step }],
                has_chosen,
            )
        })
    }

    /// Adds to the number of items laid out; fails if the limit is exceeded or the caller interrupts.
    fn charge(&mut self, many: usize) -> Result<(), Stop> {
        let before = self.laid_out;
        self.laid_out = self.laid_out.saturating_add(many);
        if self.laid_out > self.limit {
            return Err(self.too_large(None));
        }
        if before < FORESEEN_AT && self.laid_out >= FORESEEN_AT {
            let enough = 2.0 * self.limit as f64;
            let foreseen = at_least(self.engine, &self.roots, |state| self.key(state), enough)?;
            if foreseen > enough {
                return Err(self.too_large(Some(foreseen)));
            }
        }
        if self.laid_out / PROGRESS_INTERVAL != before / PROGRESS_INTERVAL && !(self.goes_on)(self.laid_out) {
            return Err(Stop::Interrupted);
        }
        Ok(())
    }

    /// Fails if the positions that are `due` to be expanded, of `all` that were reached on this level, have more moves than the
    /// limit allows, or if far more moves than it allows can be expected of them and the positions after them. Of these, a few
    /// are looked at, and as large a share as here is taken to be laid out already.
    fn foresee(&self, due: &[History<E::State>], all: usize) -> Result<(), Stop> {
        if due.len() < FORESEEN_FROM {
            return Ok(());
        }
        let mut stepper = self.engine.stepper();
        let every = due.len() / SAMPLED;
        let (mut rng, mut looked, mut after) = (Rng::new(0), 0.0, 0.0);
        let mut moves = 0.0;
        for (nth, history) in due.iter().enumerate() {
            let own = rows(&mut stepper, &history.state)?;
            moves += own;
            let Turn::Choice { seats, .. } = stepper.turn(&history.state) else { continue };
            if nth % every == 0 && seats.is_power_of_two() {
                let (seat, mut state) = (seats.trailing_zeros() as usize, history.state.clone());
                if let Some(chosen) = stepper.draw_legal(&state, seat, &mut rng)? {
                    stepper.choose(&mut state, seat, chosen)?;
                    looked += own;
                    after += own * rows(&mut stepper, &state)?;
                }
            }
        }
        let fresh = due.len() as f64 / all as f64;
        let next = if looked > 0.0 { moves * fresh * after / looked } else { 0.0 };
        let (sure, likely) = (self.laid_out as f64 + moves, self.laid_out as f64 + moves + next);
        // More may be alike after the next moves, unless nothing was where several choices could come in another order.
        let none_alike = due.len() == all && due[0].level >= MERGED_LEVEL;
        let doubt = if none_alike { 2.0 } else { 10.0 };
        match sure > self.limit as f64 || likely > doubt * self.limit as f64 {
            true => Err(self.too_large(Some(likely))),
            false => Ok(()),
        }
    }

    fn too_large(&self, foreseen: Option<f64>) -> Stop {
        Stop::TooLarge { limit: self.limit, subgames: self.starts.len(), foreseen }
    }

    fn expand(
        &mut self,
        draft: &mut Draft,
        history: History<E::State>,
        next: &mut Vec<History<E::State>>,
    ) -> Result<(), Stop> {
        self.charge(1)?;
        match self.engine.waiting(&history.state) {
            Waiting::Choice { choice, seats } => {
                let (node, level, state) = (history.node, history.level, history.state.clone());
                let mut turn = Choosing { choice, seats, history, made: Vec::new() };
                self.choose(draft, &mut turn, (node, level), &state, next)
            }
            Waiting::Chance => self.chance(draft, &history, next),
            Waiting::Over | Waiting::Nothing => self.end(draft, history.node, &history.state),
        }
    }

    fn end(&self, draft: &mut Draft, node: usize, state: &E::State) -> Result<(), Stop> {
        draft.end(node, payoffs(self.engine, self.aim, state)?);
        Ok(())
    }

    /// Enumerates the moves of the next seat of `turn`, then those of the others, which do not see them.
    fn choose(
        &mut self,
        draft: &mut Draft,
        turn: &mut Choosing<E::State>,
        (node, level): (usize, usize),
        state: &E::State,
        next: &mut Vec<History<E::State>>,
    ) -> Result<(), Stop> {
        let Some(seat) = turn.seats.get(turn.made.len()).copied() else {
            if self.is_over(state) {
                self.charge(1)?;
                return self.end(draft, node, state);
            }
            let history = self.history_after(turn, (node, level), state)?;
            next.push(history);
            return Ok(());
        };
        let moves = self.engine.legal(state, seat, true)?;
        if moves.is_empty() {
            return Err(no_move(self.engine.machine(), turn.choice).into());
        }
        // A seat with one move has no choice and gets no node. Others may not see that, and a set is in one
        // level, so the level increases anyway.
        let only = moves.len() == 1;
        let (mut targets, mut set) = (Vec::new(), 0);
        if only {
            draft.levels[node] = level as u32 + 1;
            self.note_forced(draft, turn, seat, &moves[0], node);
        } else {
            self.charge(moves.len())?;
            set = self.set(draft, turn, seat, &moves)?;
            targets = draft.choice(node, set, level + 1);
        }
        for (at, chosen) in moves.into_iter().enumerate() {
            let mut state = state.clone();
            let sequence = (!only).then_some((set as u32, at as u32));
            turn.made.push((seat, chosen.clone(), sequence));
            self.engine.choose(&mut state, seat, chosen)?;
            let to = (targets.get(at).copied().unwrap_or(node), level + 1);
            self.choose(draft, turn, to, &state, next)?;
            turn.made.pop();
        }
        Ok(())
    }

    /// Notes that a seat has a single move at a node.
    fn note_forced(
        &self,
        draft: &mut Draft,
        turn: &Choosing<E::State>,
        seat: usize,
        chosen: &Chosen,
        node: usize,
    ) {
        let history = &turn.history;
        let forced = &mut draft.subgame.forced;
        let at = *draft.forced.entry((seat, history.knowledge[seat])).or_insert_with(|| {
            let (chosen, trail) = (chosen.clone(), self.trail_of(history, seat));
            forced.push(Forced { seat, chosen, nodes: Vec::new(), trail });
            forced.len() - 1
        });
        forced[at].nodes.push(node as u32);
    }

    /// Returns the key by which a bot finds a seat's situation again.
    fn trail_of(&self, history: &History<E::State>, seat: usize) -> Trail {
        match self.open {
            true => Trail::of(&self.identity, &self.engine.to_position(&history.state)),
            false => self.knowledge.trail(history.knowledge[seat]),
        }
    }

    /// Returns the information set of a seat that has to choose; adds it if it is new.
    fn set(
        &mut self,
        draft: &mut Draft,
        turn: &Choosing<E::State>,
        seat: usize,
        moves: &[Chosen],
    ) -> Result<usize, Stop> {
        let history = &turn.history;
        let trail = self.trail_of(history, seat);
        let (sets, lists) = (&mut draft.subgame.sets, &mut self.moves);
        let set = *draft.sets.entry((seat, history.knowledge[seat])).or_insert_with(|| {
            let is_first = history.has_chosen & 1 << seat == 0;
            sets.push(Set {
                seat,
                moves: lists.one(moves),
                nodes: Vec::new(),
                last_step: history.last_step,
                is_first,
                trail,
            });
            sets.len() - 1
        });
        if *sets[set].moves != *moves {
            let game = &self.engine.machine().game;
            return Err(Stop::Refused(format!(
                "what {} may choose depends on something they have not seen, so it gives that away; `parlour check --play` finds where",
                game.seat_name(seat)
            )));
        }
        Ok(set)
    }

    /// Returns the history after all seats in `turn` have chosen.
    fn history_after(
        &mut self,
        turn: &Choosing<E::State>,
        (node, level): (usize, usize),
        state: &E::State,
    ) -> Result<History<E::State>, Stop> {
        let game = self.engine.machine().game.clone();
        let mut last_step = turn.history.last_step;
        let mut actions: Vec<Action> = Vec::new();
        let (mut has_chosen, mut sequences) = (turn.history.has_chosen, turn.history.sequences.clone());
        for (seat, chosen, sequence) in &turn.made {
            actions.push((Some(*seat), &game.moves[chosen.mv].name, &chosen.args));
            if sequence.is_some() {
                has_chosen |= 1 << seat;
                sequences[*seat] = *sequence;
            }
        }
        for action in &actions {
            last_step = self.step(last_step, *action);
        }
        let (state, mut knowledge) = self.observe(state, &turn.history.knowledge, &actions)?;
        if self.open {
            knowledge = self.open_knowledge();
        }
        Ok(History {
            state,
            knowledge,
            sequences,
            node,
            level,
            weight: turn.history.weight.clone(),
            last_step,
            has_chosen,
        })
    }

    /// Returns a position reached by `actions` and each seat's knowledge in it (empty if nothing is hidden).
    fn observe(
        &mut self,
        state: &E::State,
        before: &[usize],
        actions: &[Action],
    ) -> Result<(E::State, Vec<usize>), Stop> {
        if self.open {
            return Ok((state.clone(), Vec::new()));
        }
        let mut position = self.engine.to_position(state);
        let mut knowledge = Vec::with_capacity(self.seats);
        for (seat, before) in before.iter().enumerate() {
            knowledge.push(self.knowledge.after(*before, seat, actions, &position)?);
        }
        // Report each event only once.
        position.events = Some(Vec::new());
        Ok((self.engine.state_of(&position), knowledge))
    }

    fn open_knowledge(&mut self) -> Vec<usize> {
        // Without hidden information, bots identify the place by its position.
        let number = self.knowledge.new_id(Trail::begin(0));
        vec![number; self.seats]
    }

    fn step(&mut self, before: usize, (seat, name, values): Action) -> usize {
        let act = Act { seat, name: name.to_string(), values: values.to_vec() };
        let act = *self.act_indices.entry(act).or_insert_with_key(|act| {
            self.acts.push(act.clone());
            self.acts.len() as u32 - 1
        });
        self.steps.push(Step { before: before as u32, act });
        self.steps.len() - 1
    }

    /// Resolves draws until somebody has to choose or the match is over. Outcomes with the same position and
    /// the same knowledge of all seats are merged.
    fn chance(
        &mut self,
        draft: &mut Draft,
        history: &History<E::State>,
        next: &mut Vec<History<E::State>>,
    ) -> Result<(), Stop> {
        let History { state, knowledge, last_step, .. } = history;
        let first = DrawState {
            state: state.clone(),
            knowledge: knowledge.clone(),
            weight: Ratio::ONE,
            last_step: *last_step,
        };
        let (mut due, mut drawn) = (vec![first], Vec::new());
        while !due.is_empty() {
            let mut merged: Vec<DrawState<E::State>> = Vec::new();
            let mut places = HashMap::new();
            for before in due {
                for after in self.draws(&before)? {
                    let place = (self.key(&after.state), after.knowledge.clone());
                    let at = *places.entry(place).or_insert(merged.len());
                    match merged.get_mut(at) {
                        Some(same) => same.weight = same.weight.add(&after.weight),
                        None => merged.push(after),
                    }
                }
            }
            let more = |drawn: &DrawState<E::State>| self.engine.waiting(&drawn.state) == Waiting::Chance;
            let (again, done): (Vec<_>, Vec<_>) = merged.into_iter().partition(more);
            drawn.extend(done);
            due = again;
        }
        let mut ways = Vec::new();
        for DrawState { state, mut knowledge, weight, last_step } in drawn {
            self.charge(1)?;
            let (level, has_chosen) = (history.level + 1, history.has_chosen);
            let node = draft.node(level);
            ways.push((weight.clone(), node));
            if self.is_over(&state) {
                self.end(draft, node, &state)?;
                continue;
            }
            if self.open {
                knowledge = self.open_knowledge();
            }
            let weight = weight.mul(&history.weight);
            let sequences = history.sequences.clone();
            next.push(History { state, knowledge, sequences, node, level, weight, last_step, has_chosen });
        }
        draft.chance(history.node, ways);
        Ok(())
    }

    /// Returns the possible outcomes of one draw; equal values are merged.
    fn draws(&mut self, before: &DrawState<E::State>) -> Result<Vec<DrawState<E::State>>, Stop> {
        let machine = self.engine.machine();
        let position = self.engine.to_position(&before.state);
        let Some(chance) = machine.chance(&position) else { return Ok(Vec::new()) };
        let (name, span): (String, Span) = (chance.name.clone(), chance.span);
        let outcomes = self.engine.outcomes(&before.state)?;
        let many = outcomes.count(span)?.and_then(|many| many.as_usize()).unwrap_or(usize::MAX);
        self.charge(many)?;
        let mut values: BTreeMap<Value, usize> = BTreeMap::new();
        outcomes.iter(span)?.for_each(|value| *values.entry(value).or_default() += 1);
        let mut drawn = Vec::with_capacity(values.len());
        for (value, times) in values {
            let mut state = before.state.clone();
            if self.engine.draw(&mut state, value.clone())?.is_err() {
                continue; // every listed value is a possible outcome
            }
            let action: Action = (None, &name, std::slice::from_ref(&value));
            let last_step = self.step(before.last_step, action);
            let (state, knowledge) = self.observe(&state, &before.knowledge, &[action])?;
            let weight = before.weight.mul(&Ratio::new(&Int::from(times), &Int::from(many)));
            drawn.push(DrawState { state, knowledge, weight, last_step });
        }
        Ok(drawn)
    }
}

/// A choice in progress, seat by seat.
struct Choosing<S> {
    choice: usize,
    seats: Vec<usize>,
    history: History<S>,
    /// The seats that have chosen, their choices, and, if they had an alternative, their information set and the number of
    /// the move in it.
    made: Vec<(usize, Chosen, Sequence)>,
}

/// Returns how many moves, or combinations of moves of seats that choose together, a position has; 1 for a draw.
fn rows<S: Stepper>(stepper: &mut S, state: &S::State) -> Result<f64, Fault> {
    let Turn::Choice { mut seats, .. } = stepper.turn(state) else {
        return Ok(f64::from(u8::from(stepper.turn(state) == Turn::Chance)));
    };
    let mut rows = 1.0;
    while seats != 0 {
        rows *= stepper.count(state, seats.trailing_zeros() as usize)? as f64;
        seats &= seats - 1;
    }
    Ok(rows)
}

/// Partitions histories into groups such that no seat confuses histories of different groups: it is common
/// knowledge which group the players are in (R. Aumann, 1976). The order of histories is preserved.
fn components<S>(frontier: Vec<History<S>>, seats: usize) -> Vec<Vec<History<S>>> {
    let mut parent: Vec<usize> = (0..frontier.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for seat in 0..seats {
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (at, history) in frontier.iter().enumerate() {
            let other = *first.entry(history.knowledge[seat]).or_insert(at);
            let (a, b) = (root(&mut parent, at), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<History<S>>> = BTreeMap::new();
    for (at, history) in frontier.into_iter().enumerate() {
        groups.entry(root(&mut parent, at)).or_default().push(history);
    }
    groups.into_values().collect()
}
