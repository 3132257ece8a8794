//! Plays choices and draws of a match along what a seat has seen of it, in the engine that bots think with, and tells whether
//! the match still looks the way the seat saw it.
//!
//! What a stop looks like to the engine is known from the first world that looked right to the reference. The reference makes
//! random draws where they are not all listed, and plays whatever the engine tells too little about: where something was told,
//! and where a world comes to another place in the rules.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::repair::{Next, next, pick, ways_to_happen};
use crate::engine::{Engine, Outcomes, Stepper, Turn};
use crate::eval::{Fault, Position};
use crate::ir::{ChanceKind, Effect, Op, Pc, Value};
use crate::num::Rng;
use crate::play::{Seen, find_recorded, matches_perception, passes_at};

/// Where moves have more ids than this, the reference plays, which draws and tests moves without listing them.
const MOST_IDS: u32 = 20_000;

/// A stop, in the form of the reference, of the engine, or in both.
#[derive(Debug, Clone)]
pub(super) struct Stop<S> {
    position: OnceLock<Position>,
    state: OnceLock<S>,
}

/// How a choice or draw of the history is made.
#[derive(Debug, Clone)]
pub(super) struct EntryRule {
    /// What chance takes out of a pile.
    pub takes: Takes,
    /// What the stop before it waits for. Where a world comes to another place in the rules, the reference plays.
    before: Turn,
    /// The id of a choice that the seat knows, if it has one.
    id: Option<u32>,
    /// What the engine sees after it; `None` if the reference has to look.
    wanted: Option<Glance>,
}

/// What chance takes out of a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing, or nobody draws.
    Nothing,
    /// One thing.
    One,
    /// A list of things.
    Several,
}

/// What a seat sees at a stop, as far as the engine can tell.
#[derive(Debug, Clone)]
struct Glance {
    pc: Pc,
    turn: Turn,
    /// `None` while a joint choice is incomplete.
    view: Option<Vec<u64>>,
    /// The passes of the named loops around the choice.
    passes: Vec<Value>,
    /// The number of the seat's legal moves; 0 if it is not to choose.
    legal: u64,
}

/// What was chosen or drawn.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub values: Vec<Value>,
    /// The id of a choice, where it is known.
    id: Option<u32>,
    /// One in how many times it comes about: see [`ways_to_happen`].
    pub ways: f64,
}

/// What the first draw of a match that a seat does not know can come to. Matches with the same options begin alike, so that it is
/// kept for the next one.
pub(super) struct FirstDraw<S>(Mutex<Option<Arc<Drawn<S>>>>);

/// All that a draw can come to.
struct Drawn<S> {
    /// The position before it.
    before: Option<Position>,
    /// How many equally likely outcomes there are.
    ways: usize,
    /// What comes after each one, with its value and its probability. A draw in which the rules fault is not among them.
    after: Vec<(S, Value, f64)>,
}

impl<S> Default for FirstDraw<S> {
    fn default() -> FirstDraw<S> {
        FirstDraw(Mutex::default())
    }
}

impl<S> fmt::Debug for FirstDraw<S> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("FirstDraw")
    }
}

impl<S> FirstDraw<S> {
    fn kept(&self, before: &Position) -> Option<Arc<Drawn<S>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone().filter(|drawn| drawn.before.as_ref() == Some(before))
    }

    fn keep(&self, drawn: Arc<Drawn<S>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(drawn);
    }
}

/// What was chosen or drawn, and the stop after it.
type Played<S> = (Stop<S>, Made);

/// What is to be chosen or drawn.
pub(super) enum Wanted<'w> {
    /// The same as before.
    Same(&'w Made),
    /// These values.
    Values(&'w [Value]),
    /// Something at random.
    Random,
}

/// Plays choices and draws of the history.
pub(super) struct Steps<'s, E: Engine + 's> {
    engine: &'s E,
    stepper: E::Stepper<'s>,
    seen: &'s Seen,
    /// How each choice and draw after the known beginning is made, as far as a world has come.
    pub rules: Arc<Vec<EntryRule>>,
    /// Whether the engine can tell everything: moves are few enough to be listed, and the rules of the game say nothing, which
    /// might depend on what is hidden.
    can_tell: bool,
    outcomes: Outcomes,
    words: Vec<u64>,
}

impl<S> Stop<S> {
    pub fn at(position: Position) -> Stop<S> {
        Stop { position: OnceLock::from(position), state: OnceLock::new() }
    }

    fn of(state: S) -> Stop<S> {
        Stop { position: OnceLock::new(), state: OnceLock::from(state) }
    }

    pub fn position<E: Engine<State = S>>(&self, engine: &E) -> &Position {
        self.position.get_or_init(|| {
            let position = self.state.get().map(|state| engine.to_position(state));
            Position { events: Some(Vec::new()), ..position.expect("a stop has one form or the other") }
        })
    }

    pub fn state<E: Engine<State = S>>(&self, engine: &E) -> &S {
        self.state.get_or_init(|| {
            let position = self.position.get().expect("a stop has one form or the other");
            // Nobody reads the events of an imagined match.
            engine.state_of(&Position { events: None, ..position.clone() })
        })
    }
}

impl Made {
    /// What was chosen or drawn by the reference.
    pub fn of(values: Vec<Value>, ways: f64) -> Made {
        Made { values, id: None, ways }
    }
}

impl<'s, E: Engine> Steps<'s, E> {
    pub fn new(engine: &'s E, seen: &'s Seen, rules: Arc<Vec<EntryRule>>) -> Steps<'s, E> {
        let says = engine.machine().game.code.iter().any(|op| matches!(op, Op::Do(Effect::Say(..), _)));
        let (stepper, outcomes) = (engine.stepper(), Outcomes::default());
        let can_tell = !says && stepper.ids().count() <= MOST_IDS;
        Steps { engine, stepper, seen, rules, can_tell, outcomes, words: Vec::new() }
    }

    /// Whether it is known how the choice or draw at an index of the history is made.
    pub fn knows_rule(&self, at: usize) -> bool {
        self.rules.len() > at - self.seen.known
    }

    /// Learns from a world that looks right how the choice or draw at an index of the history is made, unless that is known.
    pub fn learn(&mut self, before: &Stop<E::State>, after: &Stop<E::State>, at: usize) {
        if self.rules.len() == at - self.seen.known {
            let by_reference =
                EntryRule { takes: Takes::Nothing, before: Turn::Over, id: None, wanted: None };
            let rule = self.rule(before, after, at).unwrap_or(by_reference);
            Arc::make_mut(&mut self.rules).push(rule);
        }
    }

    fn rule(
        &mut self,
        before: &Stop<E::State>,
        after: &Stop<E::State>,
        at: usize,
    ) -> Result<EntryRule, Fault> {
        let (machine, happened) = (self.engine.machine(), &self.seen.history[at]);
        let before = before.position(self.engine);
        let chance = machine.chance(before).map(|chance| &chance.kind);
        let takes = match chance {
            Some(ChanceKind::Deal(..)) => Takes::Several,
            Some(ChanceKind::Draw(..)) => Takes::One,
            Some(ChanceKind::Value(..) | ChanceKind::Shuffle(_)) | None => Takes::Nothing,
        };
        let ids = self.stepper.ids();
        let listed = |turn: Turn| match turn {
            Turn::Choice { choice, .. } => ids.has(choice),
            Turn::Chance | Turn::Over => true,
        };
        let turns = [before, after.position(self.engine)].map(|position| Turn::of(&position.waiting));
        let id = match (turns[0], happened.seat, &happened.values) {
            (Turn::Choice { choice, .. }, Some(seat), Some(values)) if ids.has(choice) => {
                let chosen = find_recorded(machine, before, seat, &happened.name, values)?;
                chosen.and_then(|chosen| ids.id(choice, &chosen))
            }
            _ => None,
        };
        let told = self.seen.perceived[at + 1].as_ref().is_some_and(|sees| !sees.told.is_empty());
        let by_engine = turns.into_iter().all(listed)
            && (happened.values.is_none() || id.is_some())
            && !told
            && self.can_tell;
        let wanted = by_engine.then(|| self.glance(after.state(self.engine), at)).transpose()?;
        Ok(EntryRule { takes, before: turns[0], id, wanted })
    }

    /// Looks at the stop after a choice or draw.
    fn glance(&mut self, state: &E::State, at: usize) -> Result<Glance, Fault> {
        let (seat, sees) = (self.seen.seat, self.seen.perceived[at + 1].as_ref());
        let legal = seat.map_or(Ok(0), |seat| self.stepper.count(state, seat))?;
        let view = sees.is_some().then(|| {
            self.stepper.view_key(state, seat, &mut self.words);
            self.words.clone()
        });
        let passes = sees.map_or(Vec::new(), |sees| sees.passes.clone());
        Ok(Glance { pc: self.engine.pc(state), turn: self.stepper.turn(state), view, passes, legal })
    }

    /// How a choice or draw is made, if the engine can tell what it looks like afterwards.
    fn by_engine(&self, at: usize) -> Option<&EntryRule> {
        self.rules.get(at - self.seen.known).filter(|rule| rule.wanted.is_some())
    }

    /// Whether the engine can tell what it looks like after a choice or draw.
    pub fn are_by_engine(&self, at: usize) -> bool {
        self.by_engine(at).is_some()
    }

    /// Whether chance draws at an index of the history, or the choice there is among ways to make a single move.
    pub fn is_one_move(&self, at: usize) -> bool {
        let machine = self.engine.machine();
        match self.rules.get(at - self.seen.known).map(|rule| rule.before) {
            Some(Turn::Chance) => true,
            Some(Turn::Choice { choice, .. }) => {
                let mut moves = machine.game.choices[choice].all_offers().map(|offer| offer.mv);
                let first = moves.next();
                moves.all(|mv| Some(mv) == first)
            }
            Some(Turn::Over) | None => false,
        }
    }

    /// Whether the stop after a choice or draw looks the way the seat saw it.
    fn fits(&mut self, state: &E::State, at: usize) -> Result<bool, Fault> {
        let (rules, engine, seat) = (self.rules.clone(), self.engine, self.seen.seat);
        let Some(wanted) = rules.get(at - self.seen.known).and_then(|rule| rule.wanted.as_ref()) else {
            return Ok(false);
        };
        let asked = |turn: Turn| match turn {
            Turn::Choice { seats, .. } => Some(seats),
            Turn::Chance => Some(0),
            Turn::Over => None,
        };
        if asked(self.stepper.turn(state)) != asked(wanted.turn) {
            return Ok(false);
        }
        if let Some(view) = &wanted.view {
            self.stepper.view_key(state, seat, &mut self.words);
            if self.words != *view {
                return Ok(false);
            }
        }
        if engine.pc(state) != wanted.pc {
            // Another place in the rules may look the same.
            let position = Position { events: Some(Vec::new()), ..engine.to_position(state) };
            return matches_perception(engine.machine(), seat, &position, &self.seen.perceived[at + 1]);
        }
        if let (Some(seat), 1..) = (seat, wanted.legal)
            && self.stepper.count(state, seat)? != wanted.legal
        {
            return Ok(false);
        }
        Ok(wanted.passes.is_empty()
            || passes_at(engine.machine(), &engine.to_position(state)) == wanted.passes)
    }

    /// Makes the choice or draw at an index of the history; `None` if it is impossible, or looks different afterwards from what
    /// the seat saw.
    pub fn play(
        &mut self,
        before: &Stop<E::State>,
        at: usize,
        wanted: &Wanted,
        rng: &mut Rng,
    ) -> Result<Option<Played<E::State>>, Fault> {
        let (engine, stepper) = (self.engine, &self.stepper);
        let here = |rule: &&EntryRule| stepper.turn(before.state(engine)) == rule.before;
        let (Some(rule), Some(seat)) = (self.by_engine(at).filter(here), self.seen.history[at].seat) else {
            return self.play_in_reference(before.position(engine), at, wanted, rng);
        };
        let known = rule.id;
        let before = before.state(engine);
        let made = match wanted {
            Wanted::Same(made) if known.or(made.id).is_some() => {
                Some(Made { id: known.or(made.id), ..(*made).clone() })
            }
            Wanted::Same(Made { values, .. }) => self.choice_of(before, (at, seat), values)?,
            Wanted::Values(values) if known.is_some() => {
                Some(Made { values: values.to_vec(), id: known, ways: 1.0 })
            }
            Wanted::Values(values) => self.choice_of(before, (at, seat), values)?,
            Wanted::Random => {
                let (choice, ids) = self.choices(before, at, seat)?;
                let drawn = if ids.is_empty() { None } else { Some(ids[pick(ids.len(), rng)]) };
                drawn.and_then(|id| self.made(choice, id))
            }
        };
        let Some((made, id)) = made.and_then(|made| made.id.map(|id| (made, id))) else { return Ok(None) };
        let found = self.choose_id(before, at, (seat, id))?;
        Ok(found.map(|(state, ways)| (Stop::of(state), Made { ways, ..made })))
    }

    /// Returns the legal choice of a seat with these arguments, if there is one.
    fn choice_of(
        &mut self,
        before: &E::State,
        (at, seat): (usize, usize),
        values: &[Value],
    ) -> Result<Option<Made>, Fault> {
        let (choice, legal) = self.choices(before, at, seat)?;
        let offers = self.engine.machine().game.choices[choice].all_offers().count();
        let blocks = (0..offers).filter_map(|offer| self.stepper.ids().of_offer(choice, offer));
        let ids: Vec<u32> = blocks.filter_map(|block| block.id(values)).collect();
        let id = legal.into_iter().find(|id| ids.contains(id));
        Ok(id.map(|id| Made { values: values.to_vec(), id: Some(id), ways: 1.0 }))
    }

    /// Returns the choice with an id.
    fn made(&self, choice: usize, id: u32) -> Option<Made> {
        let chosen = self.stepper.ids().chosen(choice, id)?;
        Some(Made { values: chosen.args, id: Some(id), ways: 1.0 })
    }

    /// Makes a choice by its id, if it is legal and looks right; also returns in how many ways the seat could choose, or 1 if
    /// the choice is known.
    fn choose_id(
        &mut self,
        before: &E::State,
        at: usize,
        (seat, id): (usize, u32),
    ) -> Result<Option<(E::State, f64)>, Fault> {
        let mut ways = 1.0;
        // A seat knows which of its own moves are legal, whatever is hidden from it.
        if self.seen.seat != Some(seat) {
            let is_known = self.seen.history[at].values.is_some();
            let is_legal = if is_known {
                self.stepper.is_legal(before, seat, id)?
            } else {
                let ids = self.stepper.list(before, seat)?.unwrap_or_default();
                ways = ids.len() as f64;
                ids.contains(&id)
            };
            if !is_legal {
                return Ok(None);
            }
        }
        let mut state = before.clone();
        let fits = self.stepper.make(&mut state, seat, id)? && self.fits(&state, at)?;
        Ok(fits.then_some((state, ways)))
    }

    /// Returns the choice that a position waits for, and the ids of the legal ones of the move that a seat made.
    fn choices(&mut self, before: &E::State, at: usize, seat: usize) -> Result<(usize, Vec<u32>), Fault> {
        let Turn::Choice { choice, .. } = self.stepper.turn(before) else { return Ok((0, Vec::new())) };
        let mut ids = self.stepper.list(before, seat)?.unwrap_or_default().to_vec();
        let (game, name) = (&self.engine.machine().game, &self.seen.history[at].name);
        let numbers = self.stepper.ids();
        ids.retain(|id| numbers.move_of(choice, *id).is_some_and(|mv| game.moves[mv].name == *name));
        Ok((choice, ids))
    }

    fn play_in_reference(
        &mut self,
        before: &Position,
        at: usize,
        wanted: &Wanted,
        rng: &mut Rng,
    ) -> Result<Option<Played<E::State>>, Fault> {
        let happened = &self.seen.history[at];
        let (replay, id) = match wanted {
            Wanted::Same(made) => (Some(made.values.as_slice()), made.id),
            Wanted::Values(values) => (Some(*values), None),
            Wanted::Random => (None, None),
        };
        let how = Next { replay, strict: true };
        let Some((position, values)) = next(self.seen, before, happened, how, rng)? else { return Ok(None) };
        let machine = self.engine.machine();
        if !matches_perception(machine, self.seen.seat, &position, &self.seen.perceived[at + 1])? {
            return Ok(None);
        }
        let ways = ways_to_happen(self.seen, before, happened, &values)?;
        Ok(Some((Stop::at(position), Made { values, id, ways })))
    }

    /// Calls `add` with each way in which the choice or draw at an index of the history may have been made so that it looks right,
    /// with the stop after it and its probability. Returns how many were tried, which must not be more than `room`. `first` keeps
    /// what the first draw can come to.
    pub fn each(
        &mut self,
        before: &Stop<E::State>,
        at: usize,
        (room, first): (usize, &FirstDraw<E::State>),
        add: &mut dyn FnMut(Stop<E::State>, Vec<Value>, f64),
    ) -> Result<Followed, Fault> {
        let Some(rule) = self.by_engine(at) else { return Ok(Followed::ByReference) };
        let (id, happened, before) = (rule.id, &self.seen.history[at], before.state(self.engine));
        if self.stepper.turn(before) != rule.before {
            return Ok(Followed::ByReference);
        }
        match (happened.seat, &happened.values) {
            (Some(_), Some(_)) if room == 0 => Ok(Followed::TooMany),
            (Some(seat), Some(values)) => {
                let Some(id) = id else { return Ok(Followed::ByReference) };
                if let Some((state, _)) = self.choose_id(before, at, (seat, id))? {
                    add(Stop::of(state), values.clone(), 1.0);
                }
                Ok(Followed::Tried(1))
            }
            (Some(seat), None) => {
                let ways = self.stepper.count(before, seat)?;
                if ways > room as u64 {
                    return Ok(Followed::TooMany);
                }
                let (choice, ids) = self.choices(before, at, seat)?;
                for id in &ids {
                    let mut state = before.clone();
                    // A branch in which the rules fault is not a possible world.
                    if matches!(self.stepper.make(&mut state, seat, *id), Ok(true))
                        && self.fits(&state, at)?
                        && let Some(made) = self.made(choice, *id)
                    {
                        add(Stop::of(state), made.values, 1.0 / ways as f64);
                    }
                }
                Ok(Followed::Tried(if ids.is_empty() { 1 } else { ways as usize }))
            }
            (None, None) => {
                let Some(drawn) = self.drawn(before, at, (room, first))? else {
                    return Ok(Followed::TooMany);
                };
                for (state, value, likely) in &drawn.after {
                    if self.fits(state, at)? {
                        add(Stop::of(state.clone()), vec![value.clone()], *likely);
                    }
                }
                Ok(Followed::Tried(drawn.ways))
            }
            (None, Some(_)) => Ok(Followed::ByReference),
        }
    }

    /// Returns all that the draw at an index of the history can come to, unless there are more ways than `room`.
    fn drawn(
        &mut self,
        before: &E::State,
        at: usize,
        (room, first): (usize, &FirstDraw<E::State>),
    ) -> Result<Option<Arc<Drawn<E::State>>>, Fault> {
        let trunk = (at == self.seen.known).then_some(&self.seen.trunk);
        if let Some(kept) = trunk.and_then(|trunk| first.kept(trunk)) {
            return Ok((kept.ways <= room).then_some(kept));
        }
        let Some(outcomes) = self.outcomes.at_most(self.engine, before, room)? else { return Ok(None) };
        let ways = outcomes.first().map_or(1, |outcome| outcome.of as usize);
        if ways > room {
            return Ok(None);
        }
        let mut after = Vec::with_capacity(outcomes.len());
        for outcome in outcomes.iter() {
            let mut state = before.clone();
            if self.stepper.resolve_draw(&mut state, outcome).is_ok() {
                after.push((state, outcome.value.clone(), outcome.times as f64 / ways as f64));
            }
        }
        let drawn = Arc::new(Drawn { before: trunk.cloned(), ways, after });
        if trunk.is_some() {
            first.keep(drawn.clone());
        }
        Ok(Some(drawn))
    }
}

/// How a world was followed by an entry of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// In so many ways, right or not.
    Tried(usize),
    /// There are too many ways.
    TooMany,
    /// Not at all, since the reference has to look.
    ByReference,
}
