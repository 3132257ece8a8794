//! A match in progress: its choices and draws so far, and the position they lead to.

mod undo;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::args::{self, spoken_move};
use super::example::{Scene, run_given};
use super::sheet::preference;
use super::{Reason, Record, Refused, Rng, Rules};
use crate::diag::nearest;
use crate::eval::{Chosen, Env, Event, Fault, Machine, NotStarted, Position, Waiting, text};
use crate::ir::{Choice, Expr, Move, MoveId, Place, Value};
use crate::num::Int;
use crate::source::Span;

/// A choice or a draw, as stored in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The player, from 1; 0 for a chance event.
    pub player: usize,
    /// The name of the move, or of the draw.
    pub name: String,
    /// The arguments by name; a draw has one, named `value`.
    pub args: Vec<(String, Value)>,
}

/// The result of making a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Played {
    /// Players (from 1) who still have to choose in a simultaneous choice.
    pub waiting_for: Vec<usize>,
    /// The events that carrying out the choice produced.
    pub events: Vec<Event>,
    /// The draws that followed.
    pub drawn: Vec<Entry>,
}

/// One step: a choice or a joint choice, and the draws that follow it.
#[derive(Debug, Clone, Default)]
struct Step {
    /// How many entries and events of the match precede it.
    before: (usize, usize),
    entries: Vec<Entry>,
    /// The events, each with the number of this step's entries that precede it.
    events: Vec<(usize, Event)>,
    /// The position from which it was made, kept for some steps so that going back need not begin at the start.
    from: Option<Arc<Position>>,
}

impl Step {
    fn happened(&mut self, events: Vec<Event>) {
        let made = self.entries.len();
        self.events.extend(events.into_iter().map(|event| (made, event)));
    }
}

/// A match in progress.
#[derive(Debug, Clone)]
pub struct Match {
    /// The rules.
    pub rules: Arc<Rules>,
    machine: Machine,
    /// The seed of the random stream for upcoming draws.
    seed: u64,
    /// Whether the user requested `seed`, so that draws are reproducible; otherwise records omit it.
    seed_asked: bool,
    /// The steps so far. The first one holds the draws before the first choice.
    steps: Vec<Step>,
    /// Choices of an incomplete joint choice, not yet revealed, in the order they were made.
    sealed: Vec<Entry>,
    position: Position,
    /// The position before the last step, used to report what the step changed.
    pub(super) before: Option<Arc<Position>>,
    /// The number of entries in `steps`.
    entry_count: u64,
    /// State set by an example's scene; applied until the first choice is made.
    scene: Scene,
    /// The position and the scene that an example begins with.
    given: Option<Box<(Position, Scene)>>,
}

impl Match {
    /// Starts a match and makes the draws that precede the first choice.
    pub fn new(
        rules: Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Result<Match, NotStarted> {
        let mut this = Match::undrawn(rules, options, players, seed)?;
        this.draw_all()?;
        Ok(this)
    }

    /// Starts a match without making draws; a due draw waits for [`Match::draw`].
    pub fn undrawn(
        rules: Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Result<Match, NotStarted> {
        let mut this = Match::before_start(rules, options, players, seed)?;
        this.machine.run(&mut this.position)?;
        let happened = this.position.events.replace(Vec::new()).unwrap_or_default();
        this.steps[0].happened(happened);
        Ok(this)
    }

    /// Creates a match before anything has run: its state holds the initial values.
    pub(super) fn before_start(
        rules: Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Result<Match, NotStarted> {
        let machine = rules.machine(options, players)?;
        let mut position = machine.blank()?;
        position.events = Some(Vec::new());
        Ok(Match {
            rules,
            machine,
            seed,
            seed_asked: true,
            steps: vec![Step::default()],
            sealed: Vec::new(),
            position,
            before: None,
            entry_count: 0,
            scene: Scene::default(),
            given: None,
        })
    }

    // ---- queries

    /// Returns the seed that determines all draws; `None` if the seed was not requested by the user.
    pub fn seed(&self) -> Option<u64> {
        self.seed_asked.then_some(self.seed)
    }

    /// Returns the seed from which bots derive theirs.
    pub fn bots_seed(&self) -> u64 {
        self.seed
    }

    /// Replaces the seed by `fresh`, which came from outside; from now on records omit the seed.
    pub fn reseed(&mut self, fresh: u64) {
        (self.seed, self.seed_asked) = (fresh, false);
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        self.machine.setup.players
    }

    /// Returns the name and value of each option.
    pub fn options(&self) -> impl Iterator<Item = (&str, &Value)> {
        let names = self.rules.game.options.iter().map(|option| option.name.as_str());
        names.zip(&self.machine.setup.options)
    }

    /// Returns the players (from 1) who have to choose now.
    pub fn to_move(&self) -> Vec<usize> {
        match &self.position.waiting {
            Waiting::Choice { seats, .. } => seats.iter().map(|seat| seat + 1).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the current choice is a joint one, made by several players in secret.
    pub fn together(&self) -> bool {
        self.machine.choice(&self.position).is_some_and(|choice| choice.together)
    }

    /// Whether the match is over.
    pub fn over(&self) -> bool {
        self.position.waiting == Waiting::Over
    }

    /// Whether a draw is due, for example after replaying a record that ends just before it.
    pub fn draw_due(&self) -> bool {
        self.position.waiting == Waiting::Chance
    }

    /// Returns the choices and draws so far, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.steps.iter().flat_map(|step| &step.entries)
    }

    /// Returns choice or draw number `at` (from 0).
    pub fn entry(&self, at: usize) -> Option<&Entry> {
        let step = self.steps.partition_point(|step| step.before.0 <= at).checked_sub(1)?;
        self.steps[step].entries.get(at - self.steps[step].before.0)
    }

    /// Returns the numbers of entries and of events so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        let last = self.steps.last();
        last.map_or((0, 0), |step| (step.before.0 + step.entries.len(), step.before.1 + step.events.len()))
    }

    /// Returns the entries by step: a choice or joint choice and the draws after it; step 0 has only draws.
    pub fn steps(&self) -> impl Iterator<Item = &[Entry]> {
        self.steps.iter().map(|step| step.entries.as_slice())
    }

    /// Returns the events so far, each with the index of its step.
    pub fn events(&self) -> impl Iterator<Item = (usize, &Event)> {
        self.steps
            .iter()
            .enumerate()
            .flat_map(|(i, step)| step.events.iter().map(move |(_, event)| (i, event)))
    }

    /// Returns the events but for the first `skip`, each with the number of entries of the match that precede it.
    pub(super) fn events_after(&self, skip: usize) -> impl Iterator<Item = (usize, &Event)> {
        let from = self.steps.partition_point(|step| step.before.1 + step.events.len() <= skip);
        let skip = skip - self.steps.get(from).map_or(skip, |step| step.before.1);
        let order = self.steps[from..]
            .iter()
            .flat_map(|step| step.events.iter().map(move |event| (step.before.0, event)));
        order.skip(skip).map(|(before, (made, event))| (before + made, event))
    }

    /// Returns the number of choices made so far; a joint choice counts once.
    pub fn depth(&self) -> usize {
        self.steps.len() - 1
    }

    /// Returns the choices that are made but not yet revealed.
    pub fn sealed(&self) -> &[Entry] {
        &self.sealed
    }

    /// Returns the winners, from 1; empty until the match is over.
    pub fn winners(&self) -> Vec<usize> {
        self.position.outcome.iter().flat_map(|outcome| outcome.winners.iter().map(|seat| seat + 1)).collect()
    }

    /// Returns every player's score; `None` if the game keeps no scores.
    pub fn scores(&self) -> Result<Option<Vec<Int>>, Fault> {
        self.machine.scores(&self.position)
    }

    /// Returns the result in the form that a record stores.
    pub fn result(&self) -> Result<Json, Fault> {
        let scores = self.scores()?.map(|scores| scores.iter().map(text::json_int).collect::<Vec<_>>());
        Ok(json!({ "over": self.over(), "winners": self.winners(), "scores": scores }))
    }

    /// Renders the table by the `show` lines of the rules.
    pub fn show(&self) -> Result<String, Fault> {
        self.machine.show(&self.position)
    }

    /// Switches to rules that differ from the current ones only in the players' names.
    pub fn rename(&mut self, rules: Arc<Rules>) {
        self.machine = self.machine.with_opening(rules.game.clone());
        self.rules = rules;
    }

    /// Returns the current phases, outermost first, and the names and values of the loops around the choice.
    pub fn place(&self) -> (Vec<String>, Vec<(String, String)>) {
        let loops = self.machine.choice(&self.position).map_or(Vec::new(), |choice| choice.loops.clone());
        let passes = loops.iter().map(|id| {
            let (name, slot) = &self.rules.game.loops[*id];
            (name.clone(), text::words(&self.rules.game, &self.position.frame[*slot]))
        });
        (self.position.phases.clone(), passes.collect())
    }

    /// Returns the match with other state on the table, such as that before something was cleared away.
    pub fn with_cells(&self, cells: &[Value]) -> Match {
        let mut other = self.clone();
        other.position.cells = cells.to_vec();
        other
    }

    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the position before the last step.
    pub(super) fn before(&self) -> Option<&Position> {
        self.before.as_deref()
    }

    /// Returns the state that an example has given, with its values.
    pub(super) fn given(&self) -> &[(Place, Expr)] {
        self.given.as_ref().map_or(&[], |given| given.1.given.as_slice())
    }

    /// Replaces the position, as the scene of an example does; `scene` holds until a choice is made.
    pub(super) fn set_position(&mut self, position: Position, scene: Scene) {
        self.given = Some(Box::new((position.clone(), scene.clone())));
        self.scene = scene;
        self.position = position;
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Evaluates the needs of the moves offered to the players to move, for at most `limit` rows of each
    /// move, so that coverage counts them. Does nothing unless the rules are [watched](Rules::watched).
    pub fn probe(&self, rng: &mut Rng, limit: u64) -> Result<(), Fault> {
        let Some(coverage) = self.rules.watch.as_ref() else { return Ok(()) };
        for player in self.to_move() {
            self.machine.probe_needs(&self.position, player - 1, coverage, rng, limit).0?;
        }
        Ok(())
    }

    /// Converts a fault to a refusal: `limit` if a limit was exceeded, otherwise `invalid_rules`.
    pub fn broken(&self, fault: &Fault) -> Refused {
        use crate::diag::Code;
        let code = match fault.code {
            Code::TooMuchWork | Code::TooLarge => "limit",
            _ => "invalid_rules",
        };
        let reason = self.reason(&fault.message, fault.span());
        let place = format!(" ({})", reason.place());
        let message = format!("{}{place}", fault.message);
        Refused { reasons: vec![reason], fault: Some(fault.clone()), ..Refused::new(code, message) }
    }

    fn reason(&self, text: &str, span: Span) -> Reason {
        let at = self.rules.source.position(span.start);
        let (file, _) = self.rules.source.file_at(span.start);
        Reason { text: text.to_string(), line: at.line, column: at.column, file: file.to_string() }
    }

    fn seat(&self, player: usize) -> Result<(usize, &Choice), Refused> {
        if self.over() {
            return Err(Refused::new("refused", "the match is over"));
        }
        let to_move = self.to_move();
        let name = |player: usize| self.rules.game.seat_name(player - 1);
        if player == 0 || player > self.players() {
            return Err(Refused::new(
                "refused",
                format!("there is no player {player}; this match has {}", self.players()),
            ));
        }
        match self.machine.choice(&self.position) {
            Some(choice) if to_move.contains(&player) => Ok((player - 1, choice)),
            Some(_) if self.sealed.iter().any(|entry| entry.player == player) => {
                Err(Refused::new("not_your_turn", format!("{} has already chosen", name(player))))
            }
            Some(_) => {
                let who: Vec<String> = to_move.iter().map(|player| name(*player)).collect();
                Err(Refused::new(
                    "not_your_turn",
                    format!("it is {}'s turn, not {}'s", who.join("'s and "), name(player)),
                ))
            }
            None => Err(Refused::new("not_your_turn", "a random draw has to be made first")),
        }
    }

    /// Checks that a player (from 1) has to choose now; the error explains why not.
    pub fn must_choose(&self, player: usize) -> Result<(), Refused> {
        self.seat(player).map(drop)
    }

    // ---- moves

    /// Returns the number of legal moves of a player (`None` if infinite) and the first `limit` of them. If
    /// the number is infinite, the listed moves are those in the window that bots sample from.
    pub fn legal(&self, player: usize, limit: usize) -> Result<(Option<Int>, Vec<Entry>), Refused> {
        let (seat, choice) = self.seat(player)?;
        let ask = |env: &Env| {
            let count = env.count_legal(choice, seat, false)?;
            let mut moves = Vec::new();
            if limit > 0 {
                env.each_legal(choice, seat, count.is_none(), &mut |chosen| {
                    moves.push(self.rules.entry(seat, &chosen));
                    if moves.len() < limit {
                        std::ops::ControlFlow::Continue(())
                    } else {
                        std::ops::ControlFlow::Break(())
                    }
                })?;
            }
            Ok((count, moves))
        };
        self.machine.ask(&self.position, ask).map_err(|fault| self.broken(&fault))
    }

    /// Returns the first legal moves of a player, without counting them all, and whether there are more. A
    /// move with an unbounded parameter is listed once, without arguments.
    pub fn some_legal(&self, player: usize, limit: usize) -> Result<(Vec<Entry>, bool), Refused> {
        let (seat, choice) = self.seat(player)?;
        let ask = |env: &Env| {
            let mut moves = Vec::new();
            env.each_legal(choice, seat, false, &mut |chosen| {
                moves.push(self.rules.entry(seat, &chosen));
                match moves.len() <= limit {
                    true => std::ops::ControlFlow::Continue(()),
                    false => std::ops::ControlFlow::Break(()),
                }
            })?;
            Ok(moves)
        };
        let mut moves = self.machine.ask(&self.position, ask).map_err(|fault| self.broken(&fault))?;
        let more = moves.len() > limit;
        moves.truncate(limit);
        Ok((moves, more))
    }

    /// Whether bots see only some of the legal moves of a player.
    pub fn samples_moves(&self, player: usize) -> Result<bool, Refused> {
        let (_, choice) = self.seat(player)?;
        Ok(self.machine.game.samples_moves(choice))
    }

    /// Whether a player has a single legal move, without any number to choose.
    pub fn is_forced(&self, player: usize) -> Result<bool, Refused> {
        Ok(!self.samples_moves(player)? && self.some_legal(player, 2)?.0.len() == 1)
    }

    /// Samples a legal move uniformly.
    pub fn random_move(&self, player: usize, rng: &mut Rng) -> Result<Entry, Refused> {
        Ok(self.rules.entry(player - 1, &self.random_choice(player, rng)?))
    }

    /// Like [`Match::random_move`], as a choice.
    pub(crate) fn random_choice(&self, player: usize, rng: &mut Rng) -> Result<Chosen, Refused> {
        let (seat, choice) = self.seat(player)?;
        let drawn =
            self.machine.ask(&self.position, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)));
        drawn.map_err(|fault| self.broken(&fault))?.ok_or_else(|| {
            Refused::new("refused", "there is no legal move in the window that bots draw from")
        })
    }

    /// Returns the move with this name. The error suggests one of the offered moves.
    pub(crate) fn find_move(&self, name: &str) -> Result<&Move, Refused> {
        if let Some(mv) = self.rules.game.moves.iter().find(|mv| mv.name == name) {
            return Ok(mv);
        }
        let offered: Vec<&str> = self.offered().iter().map(|mv| mv.name.as_str()).collect();
        let hint = match nearest(name, offered.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if offered.is_empty() => String::new(),
            None => format!("; you can play {}", offered.join(", ")),
        };
        Err(Refused::new("refused", format!("there is no move called `{name}`{hint}")))
    }

    /// Looks up a move by name and reads its arguments.
    fn read_move(&self, name: &str, args: &Map<String, Json>) -> Result<(MoveId, Vec<Value>), Refused> {
        let mv = self.find_move(name)?;
        let id = self.rules.game.moves.iter().position(|other| other.name == mv.name).unwrap_or(0);
        let values = args::read_args(&self.rules.game, mv, args);
        Ok((id, values.map_err(|error| Refused::new("refused", error))?))
    }

    /// Reads a move and checks that it is legal, without making it.
    pub fn meant(&self, player: usize, name: &str, args: &Map<String, Json>) -> Result<Entry, Refused> {
        let (seat, chosen) = self.judge(player, name, args)?;
        Ok(self.rules.entry(seat, &chosen))
    }

    /// Reads a move and checks that it is legal, without making it. Returns the seat (from 0) and the choice.
    pub(super) fn judge(
        &self,
        player: usize,
        name: &str,
        args: &Map<String, Json>,
    ) -> Result<(usize, Chosen), Refused> {
        let (seat, choice) = self.seat(player)?;
        let (id, args) = self.read_move(name, args)?;
        let judged = self.machine.ask(&self.position, |env| env.refusal(choice, seat, id, &args));
        match judged.map_err(|fault| self.broken(&fault))? {
            Ok(chosen) => Ok((seat, chosen)),
            Err(refusal) => {
                let preferred = preference(self, &self.rules.game.moves[id], refusal.span);
                let text = match preferred {
                    Some(preferred) => format!("{}: if possible, {preferred}", refusal.text),
                    None => refusal.text,
                };
                let reason = self.reason(&text, refusal.span);
                let outside = refusal.outside;
                Err(Refused { reasons: vec![reason], outside, ..Refused::new("refused", text) })
            }
        }
    }

    /// Makes a move and the draws that follow it. A refused move changes nothing.
    pub fn play(&mut self, player: usize, name: &str, args: &Map<String, Json>) -> Result<Played, Refused> {
        let mut played = self.play_undrawn(player, name, args)?;
        if played.waiting_for.is_empty() && self.draw_due() {
            let from = self.steps.last().map_or(0, |step| step.entries.len());
            if let Err(fault) = self.draw_all() {
                let refused = self.broken(&fault);
                self.restore(self.depth() - 1);
                return Err(refused);
            }
            if let Some(step) = self.steps.last() {
                played.drawn = step.entries[from..].to_vec();
                played.events = step.events.iter().map(|(_, event)| event.clone()).collect();
            }
        }
        Ok(played)
    }

    /// Makes a move as listed by [`Match::legal`]; otherwise like [`Match::play`].
    pub fn make(&mut self, entry: &Entry) -> Result<Played, Refused> {
        self.play(entry.player, &entry.name, &self.args_json(entry))
    }

    /// Makes a move without the draws that follow; a due draw waits for [`Match::draw`].
    pub fn play_undrawn(
        &mut self,
        player: usize,
        name: &str,
        args: &Map<String, Json>,
    ) -> Result<Played, Refused> {
        let (seat, chosen) = self.judge(player, name, args)?;
        self.carry_out(seat, chosen)
    }

    /// Makes a choice of a seat (from 0) that was judged legal, without the draws that follow.
    fn carry_out(&mut self, seat: usize, chosen: Chosen) -> Result<Played, Refused> {
        let (player, entry) = (seat + 1, self.rules.entry(seat, &chosen));
        let together = self.together();
        let mut waiting_for = self.to_move();
        waiting_for.retain(|other| together && *other != player);
        if self.sealed.is_empty() {
            self.before = Some(Arc::new(self.position.clone()));
        }
        if let Err(fault) = self.machine.choose(&mut self.position, seat, chosen) {
            let refused = self.broken(&fault);
            self.restore(self.depth());
            return Err(refused);
        }
        self.scene = Scene::default();
        self.sealed.push(entry);
        if !waiting_for.is_empty() {
            return Ok(Played { waiting_for, ..Played::default() });
        }
        let mut entries = std::mem::take(&mut self.sealed);
        entries.sort_by_key(|entry| entry.player);
        let events = self.position.events.replace(Vec::new()).unwrap_or_default();
        self.entry_count += entries.len() as u64;
        let from = self.before.clone().filter(|_| self.steps.len().is_multiple_of(undo::STEPS_BETWEEN));
        let mut step = Step { before: self.counts(), entries, events: Vec::new(), from };
        step.happened(events.clone());
        self.steps.push(step);
        Ok(Played { events, ..Played::default() })
    }

    /// Evaluates the needs of a move in order, up to the first that fails: result, reason and place of each.
    pub fn why(
        &self,
        player: usize,
        name: &str,
        args: &Map<String, Json>,
    ) -> Result<Vec<(bool, Reason)>, Refused> {
        let (seat, choice) = self.seat(player)?;
        let (id, values) = self.read_move(name, args)?;
        let told = self.machine.ask(&self.position, |env| env.why(choice, seat, id, &values));
        let told = told.map_err(|fault| self.broken(&fault))?;
        let mut out: Vec<(bool, Reason)> =
            told.into_iter().map(|t| (t.holds, self.reason(&t.reason, t.span))).collect();
        if out.iter().all(|(holds, _)| *holds)
            && let Err(refused) = self.judge(player, name, args)
        {
            out.extend(refused.reasons.into_iter().map(|reason| (false, reason)));
        }
        Ok(out)
    }

    // ---- chance

    /// Makes all due draws. Each uses the stream determined by the seed and the number of preceding entries.
    pub fn draw_all(&mut self) -> Result<(), Fault> {
        while self.draw_due() {
            let dom = self.machine.outcomes(&self.position)?;
            let span = self.machine.chance(&self.position).map_or(Span::default(), |chance| chance.span);
            let count = dom.count(span)?.unwrap_or(Int::ONE);
            let value = dom.at(&Rng::nth(self.seed, self.entry_count).below(&count));
            let _ = self.draw(value)?;
        }
        Ok(())
    }

    /// Resolves the due draw to `value`. The inner error is a sentence: the draw has no such outcome.
    pub fn draw(&mut self, value: Value) -> Result<Result<(), String>, Fault> {
        let Some(chance) = self.machine.chance(&self.position) else {
            return Ok(Err("no random draw is due here".into()));
        };
        let entry =
            Entry { player: 0, name: chance.name.clone(), args: vec![("value".to_string(), value.clone())] };
        let (machine, scene) = (&self.machine, &self.scene);
        let opening = scene.machine.as_deref().unwrap_or(machine);
        let on = |position: &mut Position| run_given(opening, position, &scene.given);
        match machine.draw_then(&mut self.position, value, on) {
            Ok(Ok(())) => {}
            Ok(Err(sentence)) => return Ok(Err(sentence)),
            Err(fault) => {
                self.restore(self.depth());
                return Err(fault);
            }
        }
        self.entry_count += 1;
        let events = self.position.events.replace(Vec::new()).unwrap_or_default();
        if let Some(step) = self.steps.last_mut() {
            step.entries.push(entry);
            step.happened(events);
        }
        Ok(Ok(()))
    }

    /// Returns the name of the due draw and the outcome that `json` denotes. The error is a sentence.
    pub fn read_draw(&self, json: &Json) -> Result<(String, Value), String> {
        let chance = self.machine.chance(&self.position).ok_or("no random draw is due here")?;
        let dom = self.machine.outcomes(&self.position).map_err(|fault| fault.message)?;
        let value = args::read_outcome(&self.rules.game, &dom, json);
        let value = value.ok_or_else(|| format!("`{}` cannot come up as {json}", chance.name))?;
        Ok((chance.name.clone(), value))
    }

    // ---- records

    /// Returns the record of the match.
    pub fn record(&self) -> Result<Record, Fault> {
        let game = &self.rules.game;
        Ok(Record {
            game: self.rules.name.clone(),
            rules: Some(self.rules.hash.clone()),
            options: self
                .options()
                .map(|(name, value)| (name.to_string(), text::json(game, value)))
                .collect(),
            players: self.players(),
            seed: self.seed(),
            moves: self.entries().map(|entry| self.entry_json(entry)).collect(),
            result: Some(self.result()?),
        })
    }

    /// Returns an entry in the form that a record stores.
    pub fn entry_json(&self, entry: &Entry) -> Json {
        json!({ "player": entry.player, "move": entry.name, "args": self.args_json(entry) })
    }

    pub(super) fn args_json(&self, entry: &Entry) -> Map<String, Json> {
        let game = &self.rules.game;
        entry.args.iter().map(|(name, value)| (name.clone(), text::json(game, value))).collect()
    }

    /// Returns an entry in words that people read, and may type.
    pub fn entry_words(&self, entry: &Entry) -> String {
        spoken_move(&self.rules.game, &entry.name, &entry.args)
    }

    /// Whether an entry's arguments are hidden from the other players, because its move is declared `secret`.
    pub fn is_secret(&self, entry: &Entry) -> bool {
        self.rules.game.moves.iter().any(|mv| mv.secret && mv.name == entry.name) && entry.player != 0
    }
}
