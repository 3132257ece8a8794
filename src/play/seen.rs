//! What one seat knows of a match: its own choices, public actions, and what it sees at each stop. Bots are
//! given this, what a spectator knows, and nothing else of a match.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use super::{Entry, Match, Viewer, chosen, telling};
use crate::engine::WrittenDown;
use crate::engine::unordered::{Order, unseen_orders};
use crate::eval::{Chosen, Event, Fault, Machine, Position, Waiting};
use crate::ir::{ChanceKind, Game, MoveId, Sight, StateId, Value};
use crate::num::Int;

/// What one seat, or a spectator, knows of a match; equal (see [`Seen::is_like`]) for matches that look the same
/// to it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The rules, options and number of players, which are common knowledge.
    pub(crate) machine: Machine,
    /// The seat, from 0; `None` for a spectator.
    pub(crate) seat: Option<usize>,
    /// The choices and draws so far, as the seat knows them.
    pub(crate) history: Vec<KnownEntry>,
    /// What the seat saw at the first stop and after each entry of `history`; `None` within a joint choice.
    pub(crate) perceived: Vec<Option<Perceived>>,
    /// The length of the prefix of `history` whose values the seat knows completely.
    pub(crate) known: usize,
    /// The position after that prefix.
    pub(crate) trunk: Position,
    /// What a spectator knows, if that is less.
    pub(crate) public: Option<Box<Seen>>,
}

/// A choice or a draw, as a seat knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KnownEntry {
    /// The seat that chose, from 0; `None` for a chance draw.
    pub seat: Option<usize>,
    /// The name of the move, or of the draw.
    pub name: String,
    /// The arguments, or the value drawn; `None` if the seat does not know them.
    pub values: Option<Vec<Value>>,
}

/// What a seat sees at a stop.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Perceived {
    /// The value of each cell; `None` for cells the seat does not see.
    pub cells: Vec<Option<Value>>,
    /// The seats that have to choose, and the moves offered.
    asked: Option<(Vec<usize>, Vec<MoveId>)>,
    /// The name of the due draw.
    draw: Option<String>,
    phases: Vec<String>,
    /// The current values of the named loops around the choice.
    pub passes: Vec<Value>,
    is_in: Vec<bool>,
    awards: Vec<Int>,
    /// The messages to this seat or to everybody since the previous stop, and the other events.
    pub told: Vec<Event>,
    /// The number of the seat's legal moves, if it has to choose and the number is finite.
    legal: Option<Int>,
    winners: Option<Vec<usize>>,
}

impl Perceived {
    /// Hashes everything except `passes`, since loop counters keep growing even if everything else repeats, and except what
    /// was only written down.
    pub(crate) fn hash_lasting(&self, written_down: &WrittenDown, state: &mut impl Hasher) {
        let Perceived { cells, asked, draw, phases, passes: _, is_in, awards, told, legal, winners } = self;
        written_down.counted(cells).for_each(|cell| cell.hash(state));
        (asked, draw, phases, is_in, awards, told, legal, winners).hash(state);
    }
}

/// Follows a match for one seat, or for a spectator, and updates its [`Seen`] incrementally instead of from the start.
#[derive(Debug, Clone)]
pub struct Observer {
    seen: Seen,
    /// The entries followed so far, used to detect a different match.
    entries: Vec<Entry>,
    /// The actual position, if the seat does not know everything that led to it.
    hidden: Option<Position>,
    /// The observer for a spectator, if a seat may know more.
    spectator: Option<Box<Observer>>,
    /// The lists from whose order nothing is learned: any order of them stands for the real one.
    unseen_orders: BTreeSet<StateId>,
}

impl Observer {
    /// Creates the observer for a player (from 1), who has seen only the start of the match.
    pub fn new(played: &Match, player: usize) -> Result<Observer, Fault> {
        Observer::at_start(played.machine(), Some(player - 1))
    }

    fn at_start(machine: &Machine, seat: Option<usize>) -> Result<Observer, Fault> {
        let machine = machine.clone();
        let mut start = machine.blank()?;
        start.events = Some(Vec::new());
        machine.run(&mut start)?;
        let perceived = vec![Some(perceive(&machine, seat, &start)?)];
        let spectator = match seat {
            Some(_) if !is_open(&machine.game) => Some(Box::new(Observer::at_start(&machine, None)?)),
            _ => None,
        };
        let seen =
            Seen { machine, seat, history: Vec::new(), perceived, known: 0, trunk: start, public: None };
        let unseen_orders = unseen_orders(&seen.machine.game);
        Ok(Observer { seen, entries: Vec::new(), hidden: None, spectator, unseen_orders })
    }

    /// Returns what the observer knows of `played` now. If `played` is not a continuation of the match followed
    /// so far, it is followed from its start; it must be a match of the same rules.
    pub fn follow(&mut self, played: &Match) -> Result<&Seen, Fault> {
        if !self.entries.iter().eq(played.entries().take(self.entries.len())) {
            *self = Observer::at_start(&self.seen.machine, self.seen.seat)?;
        }
        for (at, entry) in played.entries().enumerate().skip(self.entries.len()) {
            self.entries.push(entry.clone());
            if !self.note(played, at, entry)? {
                break;
            }
        }
        if self.hidden.is_some() {
            self.learn(played)?;
        }
        if let Some(spectator) = &mut self.spectator {
            let public = spectator.follow(played)?;
            self.seen.public = self.seen.knows_more_than(public).then(|| Box::new(public.clone()));
        }
        Ok(&self.seen)
    }

    /// Adds the entry at index `at`. Returns whether it can follow from the position reached so far.
    fn note(&mut self, played: &Match, at: usize, entry: &Entry) -> Result<bool, Fault> {
        let Seen { machine, seat, history, perceived, known, trunk, .. } = &mut self.seen;
        if history.len() < at {
            return Ok(false);
        }
        let is_own = seat.is_some_and(|seat| entry.player == seat + 1);
        let (who, mut values) = (entry.player.checked_sub(1), values_of(entry));
        let before = self.hidden.as_ref().unwrap_or(trunk);
        let any_order = who.is_none()
            && machine.chance(before).is_some_and(|chance| match &chance.kind {
                ChanceKind::Shuffle(place) => self.unseen_orders.contains(&place.state),
                _ => false,
            });
        if any_order {
            values.iter_mut().for_each(|list| *list = Order::Nothing.canonical(list));
        }
        let is_known = is_own || any_order || telling::is_known(played, at);
        if !is_known {
            self.hidden.get_or_insert_with(|| trunk.clone());
        }
        let position = self.hidden.as_mut().unwrap_or(trunk);
        if !try_apply(machine, position, who, &entry.name, &values)? {
            // A position set by an example need not follow from the entries.
            return Ok(false);
        }
        perceived.push(perceive_if_settled(machine, *seat, position)?);
        history.push(KnownEntry { seat: who, name: entry.name.clone(), values: is_known.then_some(values) });
        if self.hidden.is_none() {
            *known = history.len();
        }
        Ok(true)
    }

    /// Fills in hidden values that have become known, and extends the known prefix accordingly.
    fn learn(&mut self, played: &Match) -> Result<(), Fault> {
        let Seen { machine, history, known, trunk, .. } = &mut self.seen;
        for (at, happened) in history.iter_mut().enumerate().skip(*known) {
            if happened.values.is_none() && telling::is_known(played, at) {
                happened.values = Some(values_of(&self.entries[at]));
            }
        }
        while let Some(KnownEntry { seat, name, values: Some(values) }) = history.get(*known) {
            if !try_apply(machine, trunk, *seat, name, values)? {
                return Ok(());
            }
            *known += 1;
        }
        if *known == history.len() {
            self.hidden = None;
        }
        Ok(())
    }
}

/// Whether everybody knows everything about each position: nothing is secret, hidden or drawn face down.
/// Simultaneous choices are allowed.
pub fn is_open(game: &Game) -> bool {
    game.state.iter().all(|state| state.sight == Sight::Public) && !game.moves.iter().any(|mv| mv.secret)
}

fn values_of(entry: &Entry) -> Vec<Value> {
    entry.args.iter().map(|(_, value)| value.clone()).collect()
}

impl Seen {
    /// Returns what a player (from 1) knows of a match.
    pub fn of(played: &Match, player: usize) -> Result<Seen, Fault> {
        let mut observer = Observer::new(played, player)?;
        observer.follow(played)?;
        Ok(observer.seen)
    }

    /// Returns the player whose knowledge this is, from 1; 0 for a spectator.
    pub fn player(&self) -> usize {
        self.seat.map_or(0, |seat| seat + 1)
    }

    /// Returns the machine: the game, its options and the number of players.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether the seat knows everything that happened, so that only one position is possible.
    pub fn knows_all(&self) -> bool {
        self.known == self.history.len()
    }

    /// Whether the seat knows or sees anything that a spectator of the same match does not.
    fn knows_more_than(&self, spectator: &Seen) -> bool {
        fn cells(seen: &Seen) -> impl Iterator<Item = &[Option<Value>]> {
            seen.perceived.iter().flatten().map(|sees| sees.cells.as_slice())
        }
        self.history != spectator.history || !cells(self).eq(cells(spectator))
    }

    /// Whether the seat knows anything that not everybody knows.
    pub fn knows_more_than_everybody(&self) -> bool {
        self.public.is_some()
    }

    /// Whether the seat has to choose and has exactly one legal move.
    pub(crate) fn has_one_move(&self) -> bool {
        let last = self.perceived.iter().rev().flatten().next();
        last.is_some_and(|sees| sees.legal == Some(Int::ONE))
    }

    /// Returns the names of the arguments that are chosen for a move.
    pub(crate) fn argument_names(&self, name: &str) -> Vec<String> {
        let mv = self.machine.game.moves.iter().find(|mv| mv.name == name);
        mv.into_iter().flat_map(|mv| chosen(mv).map(|param| param.name.clone())).collect()
    }

    /// Whether two matches look the same to one seat.
    pub fn is_like(&self, other: &Seen) -> bool {
        self.seat == other.seat
            && self.machine.setup.options == other.machine.setup.options
            && self.machine.setup.players == other.machine.setup.players
            && self.history == other.history
            && self.perceived == other.perceived
    }
}

/// Makes a choice (`Some` seat, from 0) or a draw (`None`) at `position`. Returns whether that was possible.
pub(crate) fn try_apply(
    machine: &Machine,
    position: &mut Position,
    seat: Option<usize>,
    name: &str,
    values: &[Value],
) -> Result<bool, Fault> {
    let Some(seat) = seat else {
        forget_events(position);
        let due = machine.chance(position).is_some_and(|chance| chance.name == name);
        let value = values.first().cloned().unwrap_or(Value::None);
        return Ok(due && machine.draw(position, value)?.is_ok());
    };
    let chosen = find_recorded(machine, position, seat, name, values)?;
    let can = chosen.is_some();
    if let Some(chosen) = chosen {
        apply_choice(machine, position, seat, chosen)?;
    }
    Ok(can)
}

/// Makes a legal choice of a seat (from 0).
pub(crate) fn apply_choice(
    machine: &Machine,
    position: &mut Position,
    seat: usize,
    chosen: Chosen,
) -> Result<(), Fault> {
    forget_events(position);
    machine.choose(position, seat, chosen)
}

/// Clears the events, so that each is reported only once.
fn forget_events(position: &mut Position) {
    if let Some(events) = &mut position.events {
        events.clear();
    }
}

/// Returns the legal choice of a seat (from 0) that an entry of a record denotes; `None` if there is none.
pub(crate) fn find_recorded(
    machine: &Machine,
    position: &Position,
    seat: usize,
    name: &str,
    values: &[Value],
) -> Result<Option<Chosen>, Fault> {
    let is_asked = matches!(&position.waiting, Waiting::Choice { seats, .. } if seats.contains(&seat));
    for mv in offered(machine, position).into_iter().filter(|_| is_asked) {
        if machine.game.moves[mv].name != name {
            continue;
        }
        if let Some(chosen) = machine.find_legal(position, seat, mv, values)? {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

/// Returns what a seat (from 0; `None` for a spectator) sees at a stop; `None` while a joint choice is incomplete.
pub(crate) fn perceive_if_settled(
    machine: &Machine,
    seat: Option<usize>,
    position: &Position,
) -> Result<Option<Perceived>, Fault> {
    match position.sealed.is_empty() {
        true => perceive(machine, seat, position).map(Some),
        false => Ok(None),
    }
}

/// Whether a position looks like `wanted` to a seat. Compares visible cells first, since that is cheapest.
pub(crate) fn matches_perception(
    machine: &Machine,
    seat: Option<usize>,
    position: &Position,
    wanted: &Option<Perceived>,
) -> Result<bool, Fault> {
    if let Some(wanted) = wanted {
        let differs =
            |(cell, wanted): (&Value, &Option<Value>)| wanted.as_ref().is_some_and(|wanted| cell != wanted);
        if position.cells.iter().zip(&wanted.cells).any(differs) {
            return Ok(false);
        }
    }
    Ok(perceive_if_settled(machine, seat, position)? == *wanted)
}

/// Returns the moves offered at a position to any seat, one per name.
pub(crate) fn offered(machine: &Machine, position: &Position) -> Vec<MoveId> {
    let Some(choice) = machine.choice(position) else { return Vec::new() };
    let mut moves: Vec<MoveId> = Vec::new();
    for offer in choice.all_offers() {
        let name = |mv: &MoveId| &machine.game.moves[*mv].name;
        if moves.iter().all(|known| name(known) != name(&offer.mv)) {
            moves.push(offer.mv);
        }
    }
    moves
}

/// Returns the current values of the named loops around the choice that a position waits for.
pub(crate) fn passes_at(machine: &Machine, position: &Position) -> Vec<Value> {
    let loops = machine.choice(position).map_or(&[][..], |choice| &choice.loops);
    loops.iter().map(|id| position.frame[machine.game.loops[*id].1].clone()).collect()
}

fn perceive(machine: &Machine, seat: Option<usize>, position: &Position) -> Result<Perceived, Fault> {
    let game = &machine.game;
    let viewer = seat.map_or(Viewer::Spectator, |seat| Viewer::Player(seat + 1));
    let mut cells = vec![None; position.cells.len()];
    for (id, state) in game.state.iter().enumerate() {
        let owners = if state.per_player { machine.setup.players } else { 1 };
        for owner in 0..owners {
            let cell = machine.setup.bases[id] + owner;
            if position.revealed[cell] || viewer.may_see(state.sight, owner) {
                cells[cell] = Some(position.cells[cell].clone());
            }
        }
    }
    let choice = machine.choice(position);
    let (mut asked, mut legal) = (None, None);
    if let (Waiting::Choice { seats, .. }, Some(choice)) = (&position.waiting, choice) {
        asked = Some((seats.clone(), offered(machine, position)));
        if let Some(seat) = seat.filter(|seat| seats.contains(seat)) {
            legal = machine.ask(position, |env| env.count_legal(choice, seat, false))?;
        }
    }
    let told = |event: &&Event| match event {
        Event::Said(to, _) => to.is_none_or(|to| Some(to) == seat),
        // Whoever saw it remembers it.
        Event::Began(..) => false,
        _ => true,
    };
    Ok(Perceived {
        cells,
        asked,
        draw: machine.chance(position).map(|chance| chance.name.clone()),
        phases: position.phases.clone(),
        passes: passes_at(machine, position),
        is_in: position.is_in.clone(),
        awards: position.awards.clone(),
        told: position.events.iter().flatten().filter(told).cloned().collect(),
        legal,
        winners: position.outcome.as_ref().map(|outcome| outcome.winners.clone()),
    })
}
