//! A match in play: the list of its choices and draws, and the position they lead to.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::args::{self, move_words};
use super::example::run_given;
use super::seen::recorded;
use super::{Record, Rng, Rules};
use crate::diag::nearest;
use crate::eval::{Chosen, Env, Event, Fault, Machine, NotStarted, Position, Waiting, text};
use crate::ir::{Choice, Expr, Move, MoveId, Place, Value};
use crate::num::Int;
use crate::source::Span;

/// A choice or a draw, as a record keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The player, from 1; 0 is chance.
    pub player: usize,
    /// The move, or what was drawn.
    pub name: String,
    /// The arguments.
    pub args: Vec<(String, Value)>,
}

/// What a move led to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Played {
    /// Players (from 1) who are still to choose at the same time.
    pub waiting_for: Vec<usize>,
    /// What happened when the choice was carried out.
    pub events: Vec<Event>,
    /// Draws of chance that followed.
    pub drawn: Vec<Entry>,
}

/// Why something is refused: a code of the protocol, a sentence, and the reasons with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// `refused`, `not_your_turn`, `invalid_rules` or `limit`.
    pub code: &'static str,
    /// A sentence.
    pub message: String,
    /// The needs that fail.
    pub reasons: Vec<Reason>,
    /// What broke, where the rules broke rather than refused.
    pub fault: Option<Fault>,
}

/// A reason and its place in the rule file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The author's words, with values filled in.
    pub text: String,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The rule file it stands in.
    pub file: String,
}

impl Reason {
    /// Where it stands: `procession.game line 21`.
    pub fn place(&self) -> String {
        format!("{} line {}", self.file, self.line)
    }
}

impl Refused {
    /// A refusal without a place in the rules.
    pub fn new(code: &'static str, message: impl Into<String>) -> Refused {
        Refused { code, message: message.into(), reasons: Vec::new(), fault: None }
    }
}

/// One step: a choice or a joint choice, and the draws that follow it.
#[derive(Debug, Clone, Default)]
struct Step {
    entries: Vec<Entry>,
    /// What happened, each with how many of the entries came before it.
    events: Vec<(usize, Event)>,
}

impl Step {
    fn happened(&mut self, events: Vec<Event>) {
        let made = self.entries.len();
        self.events.extend(events.into_iter().map(|event| (made, event)));
    }
}

/// A match in play.
#[derive(Debug, Clone)]
pub struct Match {
    /// The rules.
    pub rules: Arc<Rules>,
    machine: Machine,
    /// What the next draws come from.
    seed: u64,
    /// Whether `seed` was asked for, so that the draws follow from it; else it is nobody's to know.
    seed_asked: bool,
    /// Draws before the first choice stand in the first step.
    steps: Vec<Step>,
    /// Choices made and not yet open, in the order they came.
    sealed: Vec<Entry>,
    position: Position,
    /// The position before the last step, to tell what it changed.
    pub(super) before: Option<Position>,
    /// How many entries there are.
    made: u64,
    /// What an example gives, until the first choice is made.
    scene: Vec<(Place, Expr)>,
}

impl Match {
    /// Starts a match, and draws what chance decides before the first choice.
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

    /// Starts a match; draws of chance wait for [`Match::draw`].
    pub fn undrawn(
        rules: Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Result<Match, NotStarted> {
        let mut this = Match::laid_out(rules, options, players, seed)?;
        this.machine.run(&mut this.position)?;
        let happened = this.position.events.replace(Vec::new()).unwrap_or_default();
        this.steps[0].happened(happened);
        Ok(this)
    }

    /// A match before anything is played: its state has its first values.
    pub(super) fn laid_out(
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
            made: 0,
            scene: Vec::new(),
        })
    }

    // ---- what is asked

    /// The seed that all draws follow from; `None` where chance comes from outside.
    pub fn seed(&self) -> Option<u64> {
        self.seed_asked.then_some(self.seed)
    }

    /// What bots choose by.
    pub fn bots_seed(&self) -> u64 {
        self.seed
    }

    /// From here on chance comes from outside, this number of it; no record tells the number.
    pub fn take_chance(&mut self, fresh: u64) {
        (self.seed, self.seed_asked) = (fresh, false);
    }

    /// How many play.
    pub fn players(&self) -> usize {
        self.machine.setup.players
    }

    /// The options: name and value.
    pub fn options(&self) -> impl Iterator<Item = (&str, &Value)> {
        let names = self.rules.game.options.iter().map(|option| option.name.as_str());
        names.zip(&self.machine.setup.options)
    }

    /// The players (from 1) who are to choose now.
    pub fn to_move(&self) -> Vec<usize> {
        match &self.position.waiting {
            Waiting::Choice { seats, .. } => seats.iter().map(|seat| seat + 1).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether several choose together now, in secret.
    pub fn together(&self) -> bool {
        self.machine.choice(&self.position).is_some_and(|choice| choice.together)
    }

    /// Whether the match is over.
    pub fn over(&self) -> bool {
        self.position.waiting == Waiting::Over
    }

    /// Whether a draw of chance is due, as after a replay that ends before it.
    pub fn draw_due(&self) -> bool {
        self.position.waiting == Waiting::Chance
    }

    /// The choices and draws so far, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.steps.iter().flat_map(|step| &step.entries)
    }

    /// The same step by step: a choice or a joint choice, and the draws behind it; the first has draws alone.
    pub fn steps(&self) -> impl Iterator<Item = &[Entry]> {
        self.steps.iter().map(|step| step.entries.as_slice())
    }

    /// What happened so far: with each event the number of the step it belongs to.
    pub fn events(&self) -> impl Iterator<Item = (usize, &Event)> {
        self.steps
            .iter()
            .enumerate()
            .flat_map(|(i, step)| step.events.iter().map(move |(_, event)| (i, event)))
    }

    /// What happened so far: with each event how many choices and draws of the match came before it.
    pub(super) fn events_in_order(&self) -> impl Iterator<Item = (usize, &Event)> {
        let before = self.steps.iter().scan(0, |made, step| {
            let before = *made;
            *made += step.entries.len();
            Some((before, step))
        });
        before.flat_map(|(before, step)| step.events.iter().map(move |(made, event)| (before + made, event)))
    }

    /// How many choices (a joint one counts once) were made.
    pub fn depth(&self) -> usize {
        self.steps.len() - 1
    }

    /// Choices that are made and not yet open.
    pub fn sealed(&self) -> &[Entry] {
        &self.sealed
    }

    /// The winners, from 1; empty while the match goes on.
    pub fn winners(&self) -> Vec<usize> {
        self.position.outcome.iter().flat_map(|outcome| outcome.winners.iter().map(|seat| seat + 1)).collect()
    }

    /// Every player's score; `None` where the game keeps none.
    pub fn scores(&self) -> Result<Option<Vec<Int>>, Fault> {
        self.machine.scores(&self.position)
    }

    /// The result as a record has it.
    pub fn result(&self) -> Result<Json, Fault> {
        let scores = self.scores()?.map(|scores| scores.iter().map(text::json_int).collect::<Vec<_>>());
        Ok(json!({ "over": self.over(), "winners": self.winners(), "scores": scores }))
    }

    /// How the table is written.
    pub fn show(&self) -> Result<String, Fault> {
        self.machine.show(&self.position)
    }

    /// Goes on under the same rules, in which people have other names.
    pub fn rename(&mut self, rules: Arc<Rules>) {
        self.machine = self.machine.opened(rules.game.clone());
        self.rules = rules;
    }

    /// The phases we are in, outermost first, and the passes of the named loops around the choice.
    pub fn place(&self) -> (Vec<String>, Vec<(String, String)>) {
        let loops = self.machine.choice(&self.position).map_or(Vec::new(), |choice| choice.loops.clone());
        let passes = loops.iter().map(|id| {
            let (name, slot) = &self.rules.game.loops[*id];
            (name.clone(), text::words(&self.rules.game, &self.position.frame[*slot]))
        });
        (self.position.phases.clone(), passes.collect())
    }

    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// The position before the last step.
    pub(super) fn before(&self) -> Option<&Position> {
        self.before.as_ref()
    }

    /// Goes on from another position, as a scene of an example sets it.
    pub(super) fn put(&mut self, position: Position, scene: Vec<(Place, Expr)>) {
        self.scene = scene;
        self.position = position;
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Asks the needs of what those who are to choose are offered, of at most `limit` rows of arguments of each move, where
    /// somebody counts what runs.
    pub fn probe(&self, rng: &mut Rng, limit: u64) -> Result<(), Fault> {
        let Some(coverage) = self.rules.watch.as_ref() else { return Ok(()) };
        for player in self.to_move() {
            self.machine.probe_needs(&self.position, player - 1, coverage, rng, limit).0?;
        }
        Ok(())
    }

    /// A fault as a refusal: the rules break, or a limit is hit.
    pub fn broken(&self, fault: &Fault) -> Refused {
        use crate::diag::Code;
        let code = match fault.code {
            Code::TooMuchWork | Code::TooLarge => "limit",
            _ => "invalid_rules",
        };
        let reason = self.reason(&fault.message, fault.span());
        let place = format!(" ({})", reason.place());
        let message = format!("{}{place}", fault.message);
        Refused { code, message, reasons: vec![reason], fault: Some(fault.clone()) }
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
                Err(Refused::new("not_your_turn", format!("{} has chosen already", name(player))))
            }
            Some(_) => {
                let who: Vec<String> = to_move.iter().map(|player| name(*player)).collect();
                Err(Refused::new(
                    "not_your_turn",
                    format!("it is not {}'s turn but {}'s", name(player), who.join("'s and ")),
                ))
            }
            None => Err(Refused::new("not_your_turn", "a draw of chance is due")),
        }
    }

    /// Whether it is for a player (from 1) to choose; the error says who is to.
    pub fn must_choose(&self, player: usize) -> Result<(), Refused> {
        self.seat(player).map(drop)
    }

    // ---- moves

    /// The legal moves of a player: how many (`None`: no end), and the first `limit` of them; where there is no
    /// end, those in the window that bots draw from.
    pub fn legal(&self, player: usize, limit: usize) -> Result<(Option<Int>, Vec<Entry>), Refused> {
        let (seat, choice) = self.seat(player)?;
        let ask = |env: &Env| {
            let count = env.count_legal(choice, seat)?;
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

    /// The first legal moves of a player, without counting them all, and whether there are more. A move with
    /// an argument that has no end stands once, without arguments.
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

    /// A legal move drawn at random, each as likely as the others.
    pub fn random_move(&self, player: usize, rng: &mut Rng) -> Result<Entry, Refused> {
        let (seat, choice) = self.seat(player)?;
        let drawn =
            self.machine.ask(&self.position, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)));
        match drawn.map_err(|fault| self.broken(&fault))? {
            Some(chosen) => Ok(self.rules.entry(seat, &chosen)),
            None => Err(Refused::new("refused", "there is no legal move in the window that bots draw from")),
        }
    }

    /// The move of this name. The error suggests one of those offered.
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
        Err(Refused::new("refused", format!("no move is called `{name}`{hint}")))
    }

    /// A move by its name, and its arguments as values.
    fn read_move(&self, name: &str, args: &Map<String, Json>) -> Result<(MoveId, Vec<Value>), Refused> {
        let mv = self.find_move(name)?;
        let id = self.rules.game.moves.iter().position(|other| other.name == mv.name).unwrap_or(0);
        let values = args::read_args(&self.rules.game, mv, args);
        Ok((id, values.map_err(|error| Refused::new("refused", error))?))
    }

    /// Reads and judges a move without making it.
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
                let reason = self.reason(&refusal.text, refusal.span);
                Err(Refused { reasons: vec![reason], ..Refused::new("refused", refusal.text) })
            }
        }
    }

    /// Makes a move. A refused move changes nothing; draws of chance that follow are made.
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

    /// Makes a move as [`Match::legal`] lists it; otherwise like [`Match::play`].
    pub fn make(&mut self, entry: &Entry) -> Result<Played, Refused> {
        self.play(entry.player, &entry.name, &self.args_json(entry))
    }

    /// Makes a move; draws of chance wait for [`Match::draw`].
    pub fn play_undrawn(
        &mut self,
        player: usize,
        name: &str,
        args: &Map<String, Json>,
    ) -> Result<Played, Refused> {
        let (seat, chosen) = self.judge(player, name, args)?;
        self.carry_out(seat, chosen)
    }

    /// Makes a choice of a seat (from 0) that was judged legal; draws of chance wait.
    fn carry_out(&mut self, seat: usize, chosen: Chosen) -> Result<Played, Refused> {
        let (player, entry) = (seat + 1, self.rules.entry(seat, &chosen));
        let together = self.together();
        let mut waiting_for = self.to_move();
        waiting_for.retain(|other| together && *other != player);
        if self.sealed.is_empty() {
            self.before = Some(self.position.clone());
        }
        if let Err(fault) = self.machine.choose(&mut self.position, seat, chosen) {
            let refused = self.broken(&fault);
            self.restore(self.depth());
            return Err(refused);
        }
        self.scene.clear();
        self.sealed.push(entry);
        if !waiting_for.is_empty() {
            return Ok(Played { waiting_for, ..Played::default() });
        }
        let mut entries = std::mem::take(&mut self.sealed);
        entries.sort_by_key(|entry| entry.player);
        let events = self.position.events.replace(Vec::new()).unwrap_or_default();
        self.made += entries.len() as u64;
        let mut step = Step { entries, events: Vec::new() };
        step.happened(events.clone());
        self.steps.push(step);
        Ok(Played { events, ..Played::default() })
    }

    /// Every need of a move in order, up to the first that fails: whether it holds, its words, its place.
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

    /// Draws all that is due, each from the stream that the seed and the number of the draw fix.
    pub fn draw_all(&mut self) -> Result<(), Fault> {
        while self.draw_due() {
            let dom = self.machine.outcomes(&self.position)?;
            let span = self.machine.chance(&self.position).map_or(Span::default(), |chance| chance.span);
            let count = dom.count(span)?.unwrap_or(Int::ONE);
            let value = dom.at(&Rng::nth(self.seed, self.made).below(&count));
            let _ = self.draw(value)?;
        }
        Ok(())
    }

    /// Lets the draw that is due come out so. The inner error is a sentence: it cannot.
    pub fn draw(&mut self, value: Value) -> Result<Result<(), String>, Fault> {
        let Some(chance) = self.machine.chance(&self.position) else {
            return Ok(Err("no draw of chance is due".into()));
        };
        let entry =
            Entry { player: 0, name: chance.name.clone(), args: vec![("value".to_string(), value.clone())] };
        let (machine, scene) = (&self.machine, &self.scene);
        let on = |position: &mut Position| run_given(machine, position, scene);
        match machine.draw_then(&mut self.position, value, on) {
            Ok(Ok(())) => {}
            Ok(Err(sentence)) => return Ok(Err(sentence)),
            Err(fault) => {
                self.restore(self.depth());
                return Err(fault);
            }
        }
        self.made += 1;
        let events = self.position.events.replace(Vec::new()).unwrap_or_default();
        if let Some(step) = self.steps.last_mut() {
            step.entries.push(entry);
            step.happened(events);
        }
        Ok(Ok(()))
    }

    /// What the draw that is due is called, and an outcome of it read from JSON. The error is a sentence.
    pub fn read_draw(&self, json: &Json) -> Result<(String, Value), String> {
        let chance = self.machine.chance(&self.position).ok_or("no draw of chance is due")?;
        let dom = self.machine.outcomes(&self.position).map_err(|fault| fault.message)?;
        let value = args::read_outcome(&self.rules.game, &dom, json);
        let value = value.ok_or_else(|| format!("`{}` cannot come out as {json}", chance.name))?;
        Ok((chance.name.clone(), value))
    }

    // ---- going back

    /// Takes back so many steps (a joint choice is one, and so is a part of one that is not yet complete).
    /// The error says how many could be taken back.
    pub fn undo(&mut self, steps: usize) -> Result<(), usize> {
        let partial = usize::from(!self.sealed.is_empty());
        if steps > self.depth() + partial {
            return Err(self.depth() + partial);
        }
        if partial > 0 {
            // The open part of a joint choice goes first.
            self.sealed.clear();
        }
        self.restore(self.depth() + partial - steps);
        Ok(())
    }

    /// Goes back to the position behind step `keep` by playing the record again: a match is its record.
    /// Choices already made of a joint choice not yet complete are kept where nothing else goes.
    fn restore(&mut self, keep: usize) {
        let sealed = if keep == self.depth() { std::mem::take(&mut self.sealed) } else { Vec::new() };
        let options = self.machine.setup.options.iter().cloned().enumerate().collect();
        let Ok(mut fresh) = Match::undrawn(self.rules.clone(), &options, self.players(), self.seed) else {
            return;
        };
        for entry in
            self.steps[..=keep.min(self.depth())].iter().flat_map(|step| &step.entries).chain(&sealed)
        {
            if !matches!(fresh.repeat(entry), Ok(true)) {
                break; // what was legal once is legal again
            }
        }
        fresh.seed_asked = self.seed_asked;
        *self = fresh;
    }

    /// Makes an entry of the match's own record again; whether that was possible.
    pub(super) fn repeat(&mut self, entry: &Entry) -> Result<bool, Fault> {
        let values: Vec<Value> = entry.args.iter().map(|(_, value)| value.clone()).collect();
        let Some(seat) = entry.player.checked_sub(1) else {
            return Ok(self.draw(values.first().cloned().unwrap_or(Value::None))?.is_ok());
        };
        let chosen = recorded(&self.machine, &self.position, seat, &entry.name, &values)?;
        Ok(chosen.is_some_and(|chosen| self.carry_out(seat, chosen).is_ok()))
    }

    // ---- records

    /// The record of the match.
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

    /// An entry as a record has it.
    pub fn entry_json(&self, entry: &Entry) -> Json {
        json!({ "player": entry.player, "move": entry.name, "args": self.args_json(entry) })
    }

    pub(super) fn args_json(&self, entry: &Entry) -> Map<String, Json> {
        let game = &self.rules.game;
        entry.args.iter().map(|(name, value)| (name.clone(), text::json(game, value))).collect()
    }

    /// An entry as people type it.
    pub fn entry_words(&self, entry: &Entry) -> String {
        move_words(&self.rules.game, &entry.name, &entry.args)
    }

    /// Whether an entry's arguments are kept from others: a move declared `secret`.
    pub fn is_secret(&self, entry: &Entry) -> bool {
        self.rules.game.moves.iter().any(|mv| mv.secret && mv.name == entry.name) && entry.player != 0
    }
}
