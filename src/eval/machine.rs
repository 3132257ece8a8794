//! The automaton: carries a position from one stop to the next. Its only stops are choices and chance draws.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use super::call_cache::CallCache;
use super::coverage::Coverage;
use super::effect::PositionEditor;
use super::elements::each;
use super::endless::{MAX_OPS, Recurrence};
use super::geometry::SquareListCache;
use super::meter::Meter;
use super::position::Sealed;
use super::rows::MoveRows;
use super::{
    Chosen, Env, Event, Fault, MAX_STEPS, Outcome, Position, Refusal, Setup, Waiting, defaults, text,
};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Chance, Change, Choice, Effect, Expr, Game, Interests, MoveId, Op, Pc, Place, Value, Winner, WinnerBy,
};
use crate::num::Int;
use crate::source::Span;

/// The seats asked in a choice, from 0.
pub(super) struct ChoosingSeats {
    /// The seats, ascending.
    pub seats: Vec<usize>,
    /// The seats that must have a legal move; `None` if all of `seats` must.
    pub must: Option<Vec<usize>>,
}

/// A game with its options and players fixed: everything that is constant during a match.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The game.
    pub game: Arc<Game>,
    /// The options, the constants and the number of players.
    pub setup: Setup,
    /// Whether the players win and lose together, by the rules as they were written.
    pub interests: Interests,
    /// For each move, what is known of its rows in any position.
    pub(super) rows: Arc<[MoveRows]>,
    /// A cache of lists of squares.
    pub(super) square_lists: SquareListCache,
    /// A cache of results of functions.
    pub(super) call_cache: CallCache,
    /// The position at the first stop, once computed.
    start: OnceLock<Position>,
    /// Counts what runs, if coverage is wanted.
    pub(super) watch: Option<Arc<Coverage>>,
    /// Adds up the steps of evaluation, if somebody wants to know them.
    pub(super) meter: Option<Arc<Meter>>,
    /// Whether it is a fault to take out of a list or bag what is not in it.
    pub(super) strict: bool,
}

/// Why a game cannot start: a sentence for people, or a fault in the rules.
#[derive(Debug, Clone)]
pub enum NotStarted {
    /// The options or the number of players do not fit the game.
    Refused(String),
    /// The rules fail during setup.
    Fault(Fault),
}

impl From<Fault> for NotStarted {
    fn from(fault: Fault) -> NotStarted {
        NotStarted::Fault(fault)
    }
}

impl Machine {
    /// Fixes the options (by number; missing ones take their defaults) and the number of players.
    pub fn new(
        game: Arc<Game>,
        given: &BTreeMap<usize, Value>,
        players: usize,
    ) -> Result<Machine, NotStarted> {
        if !game.seats.allow(players) {
            let limit = match game.seats.max {
                None => format!(" (at most {})", crate::ir::MAX_PLAYERS),
                Some(_) => String::new(),
            };
            return Err(NotStarted::Refused(format!(
                "this game is for {}{limit}, not {players}",
                game.seats
            )));
        }
        let mut bases = Vec::new();
        let mut next = 0;
        for state in &game.state {
            bases.push(next);
            next += if state.per_player { players } else { 1 };
        }
        let setup = Setup { options: Vec::new(), constants: Vec::new(), players, bases };
        let mut machine = Machine::set_up(game.clone(), setup);
        let empty = machine.unset_position();
        for (id, option) in game.options.iter().enumerate() {
            let value = match given.get(&id) {
                Some(value) => value.clone(),
                None => machine
                    .ask(&empty, |env| env.eval(&option.default, &mut vec![Value::Unset; game.slots]))?,
            };
            if let Some(range) = machine.ask(&empty, |env| env.misfit(&option.form, &value))? {
                if !given.contains_key(&id) {
                    return Err(defaults::outside(&game, id, &value, &range).into());
                }
                let value = text::words(&game, &value);
                return Err(NotStarted::Refused(format!(
                    "the option `{}` cannot be {value}: it is {range}",
                    option.name
                )));
            }
            machine.setup.options.push(value);
        }
        for constant in &game.constants {
            let value = machine.ask(&empty, |env| env.call(&constant.value, Vec::new()))?;
            machine.setup.constants.push(value);
        }
        for need in &game.setup {
            if let Value::Bool(false) = machine.ask(&empty, |env| env.call(&need.cond, Vec::new()))? {
                let reason = machine.ask(&empty, |env| env.call(&need.reason, Vec::new()))?;
                let reason = text::words(&game, &reason);
                let refused = machine.refused_defaults(need, &reason, given);
                return Err(refused.map_or(NotStarted::Refused(reason), NotStarted::Fault));
            }
        }
        machine.interests = machine.interests_in_teams();
        Ok(machine)
    }

    /// Returns a machine with empty caches for a game and its setup.
    pub(super) fn set_up(game: Arc<Game>, setup: Setup) -> Machine {
        let rows = game.moves.iter().map(|mv| MoveRows::of(&game, mv)).collect();
        let answers = CallCache::new(&game);
        Machine {
            interests: game.interests(setup.players),
            game,
            setup,
            rows,
            square_lists: SquareListCache::default(),
            call_cache: answers,
            start: OnceLock::new(),
            watch: None,
            meter: None,
            strict: false,
        }
    }

    /// Returns a machine for the same setup and an equivalent game, for example an optimised one.
    pub fn with_game(&self, game: Arc<Game>) -> Machine {
        Machine { interests: self.interests, ..Machine::set_up(game, self.setup.clone()) }
    }

    /// Returns a machine for the same setup and a game that only begins differently; keeps the coverage.
    pub fn with_opening(&self, game: Arc<Game>) -> Machine {
        Machine { watch: self.watch.clone(), ..self.with_game(game) }
    }

    /// Returns a machine that counts all that runs in `coverage`. What precedes a match is evaluated again to
    /// be counted too, and so is the way to the first stop on every call of [`Machine::start`].
    pub fn with_full_coverage(&self, coverage: Arc<Coverage>) -> Result<Machine, Fault> {
        let game = self.game.clone();
        let machine = Machine { watch: Some(coverage), ..Machine::set_up(game.clone(), self.setup.clone()) };
        let empty = machine.unset_position();
        for option in &game.options {
            machine.ask(&empty, |env| env.eval(&option.default, &mut vec![Value::Unset; game.slots]))?;
        }
        let needs = game.setup.iter().map(|need| &need.cond);
        for lambda in game.constants.iter().map(|constant| &constant.value).chain(needs) {
            machine.ask(&empty, |env| env.call(lambda, Vec::new()))?;
        }
        Ok(machine)
    }

    /// Returns a machine that counts what runs from now on in `coverage`.
    pub fn with_coverage(&self, coverage: Arc<Coverage>) -> Machine {
        Machine { watch: Some(coverage), ..self.clone() }
    }

    /// Returns a machine that adds up the steps of evaluation from now on in `meter`.
    pub fn with_meter(&self, meter: Arc<Meter>) -> Machine {
        Machine { meter: Some(meter), ..self.clone() }
    }

    /// Returns a machine for which it is a fault to take out of a list or bag what is not in it. By the rules, this
    /// changes nothing.
    pub fn strict(&self) -> Machine {
        Machine { strict: true, start: OnceLock::new(), ..self.clone() }
    }

    /// Returns the coverage that counts what runs, if there is one.
    #[inline]
    pub fn coverage(&self) -> Option<&Coverage> {
        self.watch.as_deref()
    }

    /// Returns a position in which no state has been set.
    pub fn unset_position(&self) -> Position {
        let players = self.setup.players;
        let cells: usize = self.game.state.iter().map(|s| if s.per_player { players } else { 1 }).sum();
        Position {
            cells: vec![Value::Unset; cells],
            revealed: vec![false; cells],
            is_in: vec![true; players],
            awards: vec![Int::ZERO; players],
            frame: vec![Value::Unset; self.game.slots],
            pc: 0,
            waiting: Waiting::Nothing,
            sealed: Vec::new(),
            phases: Vec::new(),
            last_mover: None,
            draws: 0,
            outcome: None,
            events: None,
        }
    }

    /// Returns the position before the automaton's first step, with all state at its initial values.
    pub fn blank(&self) -> Result<Position, Fault> {
        let mut position = self.unset_position();
        let steps = self.allowance();
        self.editor(&mut position, &steps).reset(None)?;
        Ok(position)
    }

    /// Returns the position at the first stop.
    pub fn start(&self) -> Result<Position, Fault> {
        if let Some(start) = self.start.get() {
            return Ok(start.clone());
        }
        let mut position = self.blank()?;
        self.run(&mut position)?;
        if self.watch.is_some() {
            return Ok(position);
        }
        Ok(self.start.get_or_init(|| position).clone())
    }

    /// Assigns a value to a place, as the scene of an example does.
    pub fn set(&self, position: &mut Position, place: &Place, value: &Expr) -> Result<(), Fault> {
        let steps = self.allowance();
        let effect = Effect::Assign(vec![(place.clone(), Change::Set)], vec![value.clone()]);
        self.editor(position, &steps).execute(&effect, place.span)
    }

    pub(super) fn editor<'a>(
        &'a self,
        position: &'a mut Position,
        steps: &'a Cell<u64>,
    ) -> PositionEditor<'a> {
        PositionEditor { machine: self, position, steps }
    }

    /// Returns the context for evaluating expressions in a position; `steps` holds the steps left.
    pub fn env<'a>(&'a self, position: &'a Position, steps: &'a Cell<u64>) -> Env<'a> {
        Env { machine: self, position, steps, base: 0 }
    }

    /// Evaluates `question` in a position, with a fresh allowance of steps.
    pub fn ask<'a, T>(
        &'a self,
        position: &'a Position,
        question: impl FnOnce(&Env<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.ask_counted(position, question).0
    }

    /// Like [`Machine::ask`], and also returns the number of steps taken.
    pub fn ask_counted<'a, T>(
        &'a self,
        position: &'a Position,
        question: impl FnOnce(&Env<'_>) -> Result<T, Fault>,
    ) -> (Result<T, Fault>, u64) {
        let steps = self.allowance();
        let answer = question(&self.env(position, &steps));
        (answer, MAX_STEPS - steps.get())
    }

    /// Like [`Machine::ask`], but fails after so many steps.
    pub fn ask_within<'a, T>(
        &'a self,
        position: &'a Position,
        most: u64,
        question: impl FnOnce(&Env<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let steps = self.allowance_of(most);
        question(&self.env(position, &steps))
    }

    /// Runs to the next stop.
    pub fn run(&self, position: &mut Position) -> Result<(), Fault> {
        self.run_observed(position, |_, _| Ok(()))
    }

    /// Like [`Machine::run`], but calls `behind` after each op with its address; it may change the position.
    #[inline]
    pub fn run_observed(
        &self,
        position: &mut Position,
        behind: impl Fn(Pc, &mut Position) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let steps = self.allowance();
        position.waiting = Waiting::Nothing;
        let (mut taken, mut recurrence) = (0, Recurrence::new());
        let mut run = || {
            while taken < MAX_OPS {
                let pc = position.pc;
                taken += 1;
                self.step(position, &steps)?;
                behind(pc, position)?;
                if !matches!(position.waiting, Waiting::Nothing) {
                    return Ok(());
                }
                if recurrence.recurs(taken, position) {
                    return Err(self.goes_round(position));
                }
            }
            Err(self.goes_on(position))
        };
        let ran = run();
        steps.count_run(taken);
        ran
    }

    /// Runs to the next stop as [`Machine::run`] does and returns the last steps taken: how many steps
    /// precede them, and for each the address of its op and the address at which play continued.
    pub fn run_traced(&self, position: &mut Position) -> Result<(usize, Vec<(Pc, Pc)>), Fault> {
        const LENGTH: usize = 10_000;
        let steps = self.allowance();
        position.waiting = Waiting::Nothing;
        let mut trail = VecDeque::new();
        let mut before = 0;
        for _ in 0..MAX_OPS {
            let pc = position.pc;
            self.step(position, &steps)?;
            if trail.len() == LENGTH {
                trail.pop_front();
                before += 1;
            }
            trail.push_back((pc, position.pc));
            if !matches!(position.waiting, Waiting::Nothing) {
                break;
            }
        }
        Ok((before, trail.into()))
    }

    /// Takes `count` steps of the automaton from a position.
    pub fn run_steps(&self, position: &mut Position, count: usize) -> Result<(), Fault> {
        let steps = Cell::new(MAX_STEPS);
        position.waiting = Waiting::Nothing;
        (0..count).try_for_each(|_| self.step(position, &steps))
    }

    /// Carries out the op at the position's address.
    pub fn step(&self, position: &mut Position, steps: &Cell<u64>) -> Result<(), Fault> {
        let mut next = position.pc + 1;
        if let Some(coverage) = self.coverage() {
            coverage.record_op(position.pc);
        }
        let mut hand = self.editor(position, steps);
        match &self.game.code[hand.position.pc] {
            Op::Do(effect, span) => hand.execute(effect, *span)?,
            Op::Jump(to) => next = *to,
            Op::Unless(cond, to) => {
                if !hand.with_frame(|env, frame| env.truth(cond, frame))? {
                    next = *to;
                } else if let Some(coverage) = self.coverage() {
                    coverage.record_condition(position.pc);
                }
            }
            Op::Collect { source, list, at } => hand.collect(source, *list, *at)?,
            Op::Next { list, at, slots, filter, cyclic, exit } => {
                if !hand.next_element(*list, *at, slots, filter.as_ref(), *cyclic)? {
                    next = *exit;
                } else if let Some(coverage) = self.coverage() {
                    coverage.record_condition(position.pc);
                }
            }
            Op::Choose(id) => return self.stop_for_choice(*id, hand.position, steps),
            Op::Unseal(_, exit) => {
                if hand.position.sealed.is_empty() {
                    next = *exit;
                } else {
                    let sealed = hand.position.sealed.remove(0);
                    return self.enter_effects(sealed, hand.position, steps);
                }
            }
            Op::Chance(_) => {
                position.waiting = Waiting::Chance;
                return Ok(());
            }
            Op::End(who) => {
                let won = match who {
                    Some(who) => Some(hand.with_frame(|env, frame| self.named_seats(who, env, frame))?),
                    None => None,
                };
                return self.finish(position, won);
            }
        }
        position.pc = next;
        Ok(())
    }

    /// Returns the seats that are asked in a choice.
    pub(super) fn choosing_seats(&self, choice: &Choice, env: &Env) -> Result<ChoosingSeats, Fault> {
        let mut frame = env.frame();
        let mut named = |who: &Expr| self.named_seats(who, env, &mut frame);
        let mut seats: Vec<usize> = named(&choice.who)?;
        let must = choice.must.as_ref().map(&mut named).transpose()?;
        let is_in = &env.position.is_in;
        seats.retain(|seat| is_in.get(*seat) == Some(&true));
        Ok(ChoosingSeats { seats, must })
    }

    /// Returns the seats that an expression names, a player or several, each once and in order.
    fn named_seats(&self, who: &Expr, env: &Env, frame: &mut Vec<Value>) -> Result<Vec<usize>, Fault> {
        let mut seats: Vec<usize> = match env.eval(who, frame)? {
            Value::Player(seat) if seat < self.setup.players => vec![seat],
            Value::Player(_) => vec![env.player(who, frame)?],
            several => {
                let seat = |v| if let Value::Player(p) = v { Some(p) } else { None };
                each(&several).filter_map(seat).collect()
            }
        };
        seats.sort_unstable();
        seats.dedup();
        Ok(seats)
    }

    /// Stops for a choice, or continues elsewhere if nobody has a choice or somebody is stuck.
    fn stop_for_choice(&self, id: usize, position: &mut Position, steps: &Cell<u64>) -> Result<(), Fault> {
        let choice = &self.game.choices[id];
        let ChoosingSeats { seats, must } = self.choosing_seats(choice, &self.env(position, steps))?;
        if seats.is_empty() {
            position.pc = choice.done;
            return Ok(());
        }
        let mut able = Vec::with_capacity(seats.len());
        for seat in &seats {
            if self.env(position, steps).can_move(choice, *seat)? {
                able.push(*seat);
                continue;
            }
            if let Some(coverage) = self.coverage() {
                coverage.record_stuck(id);
                self.probe_stuck(position, choice, *seat, coverage);
            }
            if let Some(events) = &mut position.events {
                events.push(Event::Stuck(*seat, choice.span));
            }
            if must.as_ref().is_some_and(|must| !must.contains(seat)) {
                continue;
            }
            let Some(to) = choice.stuck else {
                let name = self.game.seat_name(*seat);
                return Err(Box::new(
                    Diagnostic::new(Code::Stuck, choice.span, format!("{name} has no legal move, and no rule says what happens then"), "chosen here")
                        .help("say what happens then: `until stuck`, `skipping stuck` or `dropping stuck` at `turns`, `if possible` after `ask` or in `together`, or a move after `else`"),
                ));
            };
            position.pc = to;
            return Ok(());
        }
        if able.is_empty() {
            position.pc = choice.done;
            return Ok(());
        }
        if let Some(coverage) = self.coverage() {
            able.iter().for_each(|_| coverage.record_choice(id));
        }
        position.waiting = Waiting::Choice { choice: id, seats: able };
        position.draws = 0;
        Ok(())
    }

    /// Returns the choice that a position waits for.
    pub fn choice(&self, position: &Position) -> Option<&Choice> {
        match &position.waiting {
            Waiting::Choice { choice, .. } => Some(&self.game.choices[*choice]),
            _ => None,
        }
    }

    /// Returns the chance draw that a position waits for.
    pub fn chance(&self, position: &Position) -> Option<&Chance> {
        self.chance_at(position.pc).filter(|_| position.waiting == Waiting::Chance)
    }

    /// Returns the chance draw at a place of the automaton.
    pub fn chance_at(&self, pc: Pc) -> Option<&Chance> {
        match self.game.code.get(pc) {
            Some(Op::Chance(chance)) => Some(chance),
            _ => None,
        }
    }

    /// Judges a move of a seat that is to choose, without changing the position.
    pub fn judge(
        &self,
        position: &Position,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Result<Chosen, Refusal>, Fault> {
        let Some(choice) = self.choice(position) else {
            let text = "nobody is to choose now".to_string();
            return Ok(Err(Refusal { text, span: Span::default(), outside: None }));
        };
        let steps = self.allowance();
        self.env(position, &steps).refusal(choice, seat, mv, args)
    }

    /// Returns the choice that a move of a seat makes, if it is to choose and the move is legal. [`Machine::judge`] also
    /// says why it is not.
    pub fn find_legal(
        &self,
        position: &Position,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Option<Chosen>, Fault> {
        let Some(choice) = self.choice(position) else { return Ok(None) };
        let steps = self.allowance();
        self.env(position, &steps).find_legal(choice, seat, mv, args)
    }

    /// Makes a choice that was judged legal. Play continues once all seats that choose together have chosen.
    pub fn choose(&self, position: &mut Position, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        match self.accept(position, seat, chosen)? {
            true => self.run(position),
            false => Ok(()),
        }
    }

    /// Like [`Machine::choose`], but play does not continue. Returns whether it can: whether all have chosen.
    pub fn accept(&self, position: &mut Position, seat: usize, chosen: Chosen) -> Result<bool, Fault> {
        let Waiting::Choice { choice, seats } = &mut position.waiting else { return Ok(false) };
        let id = *choice;
        seats.retain(|other| *other != seat);
        let complete = seats.is_empty();
        let sealed = Sealed { seat, offer: chosen.offer, mv: chosen.mv, args: chosen.args };
        let steps = self.allowance();
        if !self.game.choices[id].together {
            self.enter_effects(sealed, position, &steps)?;
            return Ok(true);
        }
        let at = position.sealed.partition_point(|other| other.seat < seat);
        position.sealed.insert(at, sealed);
        if complete {
            position.pc += 1;
            position.waiting = Waiting::Nothing;
        }
        Ok(complete)
    }

    /// Fills the slots of a chosen move and jumps to its effects.
    fn enter_effects(&self, sealed: Sealed, position: &mut Position, steps: &Cell<u64>) -> Result<(), Fault> {
        let Some(id) = self.current_choice(position) else { return Ok(()) };
        let choice = &self.game.choices[id];
        if let Some(coverage) = self.coverage() {
            coverage.record_offer(id, sealed.offer);
        }
        let offer = choice.all_offers().nth(sealed.offer);
        let Some(offer) = offer else { return Ok(()) };
        position.last_mover = Some(sealed.seat);
        let mut hand = self.editor(position, steps);
        hand.with_frame(|env, frame| {
            env.enter_offer(offer, sealed.seat, frame)?;
            let params =
                env.machine.game.moves[offer.mv].params.iter().filter(|param| param.domain.is_some());
            for (param, value) in params.zip(sealed.args) {
                frame[param.slot] = value;
            }
            // Evaluate the checks again for the values they name. Others who chose at the same time may have
            // changed the position, but nothing that this move reads. Otherwise nothing changed, so all needs
            // hold.
            match choice.together {
                true => env.judge(offer.mv, frame).map(|_| ())?,
                false => env.bind_lets(offer.mv, frame)?,
            }
            Ok(())
        })?;
        position.waiting = Waiting::Nothing;
        position.pc = offer.target;
        Ok(())
    }

    /// Returns the number of the choice that is being carried out.
    fn current_choice(&self, position: &Position) -> Option<usize> {
        match self.game.code.get(position.pc) {
            Some(Op::Choose(id) | Op::Unseal(id, _)) => Some(*id),
            _ => None,
        }
    }

    // ---- the end of a match

    /// Returns those who win and lose together, each with its seats (from 0), in the order of their first seats.
    pub fn sides(&self) -> Vec<Vec<usize>> {
        self.interests.sides(self.setup.players)
    }

    /// Whether there are several players, who win and lose together.
    pub fn is_allied(&self) -> bool {
        self.setup.players > 1 && self.interests == Interests::Common
    }

    /// Whether a seat (from 0) wins and loses together with others, but not with all.
    pub fn is_in_team(&self, seat: usize) -> bool {
        self.interests.is_in_teams() && self.interests.partners(seat, self.setup.players).count_ones() > 1
    }

    fn finish(&self, position: &mut Position, won: Option<Vec<usize>>) -> Result<(), Fault> {
        let winners = match (won, &self.game.winner) {
            (Some(seats), _) => seats,
            (None, None) => Vec::new(),
            (None, Some(winner)) => self.decide(position, winner)?,
        };
        position.outcome = Some(Outcome { winners });
        position.waiting = Waiting::Over;
        position.draws = 0;
        Ok(())
    }

    fn decide(&self, position: &Position, winner: &Winner) -> Result<Vec<usize>, Fault> {
        let all = 0..self.setup.players;
        if let Some(coverage) = self.coverage() {
            coverage.record_criterion(0);
        }
        let mut named: Vec<usize> = match &winner.by {
            WinnerBy::LastMover => position.last_mover.into_iter().collect(),
            WinnerBy::LastIn => all.clone().filter(|seat| position.is_in[*seat]).collect(),
            WinnerBy::Best(keys) => {
                let mut left: Vec<usize> = all.clone().collect();
                for (at, (highest, key)) in keys.iter().enumerate() {
                    if at > 0
                        && left.len() > 1
                        && let Some(coverage) = self.coverage()
                    {
                        coverage.record_criterion(at);
                    }
                    let values: Result<Vec<Value>, Fault> = left
                        .iter()
                        .map(|seat| self.ask(position, |env| env.call(key, vec![Value::Player(*seat)])))
                        .collect();
                    let values = values?;
                    let best = if *highest { values.iter().max() } else { values.iter().min() }.cloned();
                    left = left
                        .into_iter()
                        .zip(values)
                        .filter(|(_, v)| Some(v) == best.as_ref())
                        .map(|(s, _)| s)
                        .collect();
                }
                left
            }
        };
        if winner.then_last_mover
            && let Some(last) = position.last_mover.filter(|last| named.contains(last))
        {
            named = vec![last];
        }
        // If nobody has moved, nobody loses, and so nobody wins.
        if winner.loser && !named.is_empty() {
            return Ok(all.filter(|seat| !named.contains(seat)).collect());
        }
        Ok(named)
    }

    /// Returns every player's score; `None` if the game keeps none.
    pub fn scores(&self, position: &Position) -> Result<Option<Vec<Int>>, Fault> {
        (0..self.setup.players).map(|seat| self.ask(position, |env| env.score(seat))).collect()
    }

    /// Returns the text of the table, as the game's `show` lines define it.
    pub fn show(&self, position: &Position) -> Result<String, Fault> {
        let mut lines = Vec::new();
        for line in &self.game.show {
            let value = self.ask(position, |env| env.call(&line.text, Vec::new()));
            match value {
                Ok(value) => lines.push(text::words(&self.game, &value)),
                Err(fault) if fault.code == Code::Unset => lines.push("_".to_string()),
                Err(fault) => return Err(fault),
            }
        }
        Ok(lines.join("\n"))
    }
}
