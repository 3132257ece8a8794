//! Worked examples: plays them under the rules and checks every claim.

use std::sync::Arc;

use serde_json::Value as Json;

use super::why::operands;
use super::{Drawing, EndedBy, Entry, Match, Refused, Rules, args, ended_by, move_words, or};
use crate::ast::Word;
use crate::check::example::one_blank;
use crate::diag::{Code, Diagnostic, Label};
use crate::eval::{Event, Fault, Machine, NotStarted, Position, text};
use crate::ir::{
    Chance, ChanceKind, Change, Effect, Example, ExampleCheck, ExampleLine, ExampleStep, Expr, ExprKind,
    Game, Lambda, LoopId, Op, Place, StateId, Value, children,
};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::parse;

/// The result of running an example.
#[derive(Debug)]
pub struct ExampleReport {
    /// The example's title.
    pub title: String,
    /// The first failure; `None` if the whole example holds.
    pub failure: Option<Diagnostic>,
    /// The table at the failure; if the failed claim is about the table, what it claims is drawn beside it.
    pub table: Option<Drawing>,
}

/// Runs every example of a rule file.
pub fn run_examples(rules: &Arc<Rules>) -> Vec<ExampleReport> {
    rules.game.examples.iter().map(|example| run_example(rules, example)).collect()
}

/// Runs one example of these rules.
pub fn run_example(rules: &Arc<Rules>, example: &Example) -> ExampleReport {
    let (failure, table) = match run(rules, example).map_err(|failed| *failed) {
        Ok(()) => (None, None),
        Err((failure, table)) => (Some(inherited(rules, example, failure)), table),
    };
    ExampleReport { title: example.title.clone(), failure, table }
}

/// Whether the whole example holds.
pub(super) fn holds(rules: &Arc<Rules>, example: &Example) -> bool {
    run(rules, example).is_ok()
}

/// Adds a suggestion to the failure of an example inherited from a base: the variant can drop the example.
fn inherited(rules: &Rules, example: &Example, failure: Diagnostic) -> Diagnostic {
    if !rules.source.is_inherited(example.span) || failure.help.is_some() {
        return failure;
    }
    let title = &example.title;
    failure.help(format!(
        "this example is inherited; if it no longer holds, write `drop example \"{title}\"` in the variant"
    ))
}

type Failure = Box<Diagnostic>;

fn fails(span: Span, message: impl Into<String>, label: impl Into<String>) -> Failure {
    Box::new(Diagnostic::new(Code::ExampleFails, span, message, label))
}

/// Converts a fault in the rules to a failure that also points at the example's line, `span`.
fn broken(span: Span, fault: &Fault) -> Failure {
    let mut failure = fault.clone();
    failure.labels.retain(|label| label.span != Span::default());
    if let Some(label) = failure.labels.first_mut()
        && label.text.is_empty()
    {
        label.text = "here".to_string();
    }
    failure.labels.push(Label { span, text: "caused by this line".to_string() });
    failure
}

/// State that an example sets before play begins: places, and their values.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    /// The state that is given, with its values.
    pub given: Vec<(Place, Expr)>,
    /// The machine that begins as the scene says, if there is one.
    pub machine: Option<Arc<Machine>>,
}

/// Starts a match with the options, players and scene of an example.
pub(super) fn begun(rules: &Arc<Rules>, example: &Example) -> Result<Match, Failure> {
    let options = example.options.iter().cloned().collect();
    let players = example.players.unwrap_or_else(|| rules.default_players());
    let head = Span::new(example.span.start, example.span.start + "example".len());
    let mut played = Match::undrawn(rules.clone(), &options, players, 0).map_err(|not| match not {
        NotStarted::Refused(sentence) => fails(head, sentence, "this example cannot start"),
        NotStarted::Fault(fault) => broken(head, &fault),
    })?;
    let scene: Vec<&ExampleStep> = example
        .lines
        .iter()
        .filter_map(|line| line.step.as_ref())
        .filter(|step| matches!(step, ExampleStep::Scene(..) | ExampleStep::Pass(..)))
        .collect();
    if !scene.is_empty() {
        played.set_scene(&scene).map_err(|fault| broken(head, &fault))?;
    }
    Ok(played)
}

/// The failure of an example, and the table at that moment.
type Failed = Box<(Diagnostic, Option<Drawing>)>;

fn run(rules: &Arc<Rules>, example: &Example) -> Result<(), Failed> {
    let failed = |failure: Failure, table: Option<Drawing>| Box::new((*failure, table));
    let mut played = begun(rules, example).map_err(|failure| failed(failure, None))?;
    let mut stated = 0;
    for line in &example.lines {
        stated += usize::from(matches!(line.step, Some(ExampleStep::Chance(..))));
        take_line(&mut played, line)
            .map_err(|failure| failed(unstated(&played, stated, failure), played.table_there()))?;
        for (check, span) in &line.checks {
            hold(&mut played, check, *span)
                .map_err(|failure| failed(unstated(&played, stated, failure), table_at(&played, check)))?;
        }
    }
    // An example may end before a draw, but not before one that has no outcome.
    let last = example.lines.last().map_or(example.span, |line| line.span);
    match played.machine().outcomes(played.position()) {
        Ok(_) => Ok(()),
        Err(fault) => Err(failed(broken(last, &fault), played.table_there())),
    }
}

/// Adds to a failure that draws came out at random, since the example does not state them.
fn unstated(played: &Match, stated: usize, mut failure: Failure) -> Failure {
    let drawn: Vec<&Entry> = played.entries().filter(|entry| entry.player == 0).collect();
    let draws = match (played.shuffled_since_given(), drawn.len().saturating_sub(stated)) {
        (Some(shuffled), _) if stated == 0 => shuffled,
        (_, 0) => return failure,
        _ if stated == 0 && failure.code == Code::ExampleFails => by_chance(&played.rules.game, drawn[0]),
        _ if stated == 0 => return failure,
        (_, 1) => "1 draw before this came out at random: no `chance` line states it".to_string(),
        (_, n) => format!("{n} draws before this came out at random: no `chance` lines state them"),
    };
    failure.help = Some(match failure.help {
        Some(help) => format!("{help}; {draws}"),
        None => draws,
    });
    failure
}

/// Says that a draw came out at random, and how an example states it.
fn by_chance(game: &Game, draw: &Entry) -> String {
    const LONG: usize = 60;
    let line = format!("chance {}", move_words(game, &draw.name, &draw.args));
    let line = if line.len() > LONG { format!("chance {} …", draw.name) } else { line };
    format!("what was drawn came out at random, since no line states it, as `{line}` would")
}

/// Returns the table at a failed claim, compared with what the claim says if it is about the table.
fn table_at(played: &Match, check: &ExampleCheck) -> Option<Drawing> {
    match check {
        ExampleCheck::Board(id, wanted) => Some(played.board_compared(*id, wanted, &played.table_state(*id))),
        ExampleCheck::Shows(wanted) => {
            played.shows_compared(&wanted.trim_end().lines().collect::<Vec<_>>()).ok()
        }
        ExampleCheck::ShowsDrawn(wanted) => {
            played.shows_compared(&wanted.iter().map(String::as_str).collect::<Vec<_>>()).ok()
        }
        _ => played.table_there(),
    }
}

/// Takes the step of a line. If the line expects a refusal, the step must be refused for that reason.
fn take_line(played: &mut Match, line: &ExampleLine) -> Result<(), Failure> {
    let wants_refusal = line.checks.iter().find_map(|(check, span)| match check {
        ExampleCheck::Refused(words) => Some((words, *span)),
        _ => None,
    });
    if let Some(step) = &line.step {
        let end = line.checks.first().map_or(line.span.end, |(_, check)| check.start);
        let head = Span::new(line.span.start, end.max(line.span.start + 1));
        let met = wants_refusal.and_then(|(words, _)| met_needs(played, step, words.as_deref()));
        let refusal = take_step(played, step, head)?;
        match (refusal, wants_refusal) {
            (Some(Refused { fault: Some(fault), .. }), _) => return Err(broken(line.span, &fault)),
            (None, None) => {}
            (None, Some((_, span))) => {
                let mut failure = fails(span, "the move is accepted", "the example says it is refused");
                failure.help = met;
                return Err(failure);
            }
            (Some(_), None) if played.over() => return Err(over_already(played, step, line.span)),
            (Some(refused), None) => {
                let message = format!("the move is refused: {}", refused.message);
                let mut failure = fails(head, message, "the example plays it here");
                failure.help = to_choose(played, step);
                return Err(failure);
            }
            (Some(refused), Some((words, span))) => {
                if let Some(words) = words
                    && !has_words(&refused.message, words)
                {
                    let message = format!("the move is refused for another reason: {}", refused.message);
                    return Err(fails(span, message, format!("the example says `{words}`")));
                }
            }
        }
    }
    Ok(())
}

/// Whether a sentence has these words, whole ones.
fn has_words(sentence: &str, words: &str) -> bool {
    let goes_on = |before: &str, after: &str| {
        before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)
    };
    sentence.match_indices(words).any(|(at, found)| {
        let (before, after) = (&sentence[..at], &sentence[at + found.len()..]);
        !goes_on(before, found) && !goes_on(found, after)
    })
}

/// Says which needs of a move hold although the example says that they refuse it, and for which values: of those whose
/// reasons have the words of the example, or of all if it has none.
fn met_needs(played: &mut Match, step: &ExampleStep, words: Option<&str>) -> Option<String> {
    let ExampleStep::Move(seat, name, given) = step else { return None };
    played.draw_all().ok()?;
    let player = seat.or(played.to_move().first().copied())?;
    let args = args::read_words(&played.rules.game, played.find_move(name).ok()?, given).ok()?;
    let mut needs = played.needs(player, name, &args).ok()?;
    needs.retain(|need| need.rule.as_ref().is_some_and(|rule| rule.starts_with("need ")));
    if let Some(words) = words {
        let told = needs.len();
        needs.retain(|need| has_words(&need.reason.text, words));
        if needs.is_empty() {
            let none = if told == 0 { "has no needs" } else { "has no need with these words in its reason" };
            return Some(format!("`{name}` {none}"));
        }
    }
    let told: Vec<String> = needs
        .iter()
        .filter_map(|need| {
            let values = need.values.iter().map(|(written, value)| format!("`{written}` is {value}"));
            let values: Vec<String> = values.collect();
            let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
            Some(format!("`{}` holds{values}", need.rule.as_ref()?))
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Says who is to choose, and among which moves, where a step makes a move that is not on offer.
fn to_choose(played: &Match, step: &ExampleStep) -> Option<String> {
    let ExampleStep::Move(_, name, _) = step else { return None };
    let (machine, game) = (played.machine(), &played.rules.game);
    let choice = machine.choice(played.position())?;
    let offers = choice.offers.iter().chain(&choice.otherwise);
    let mut names: Vec<String> = Vec::new();
    for offer in offers {
        let name = format!("`{}`", game.moves[offer.mv].name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let chosen = |seat: &usize| played.sealed().iter().any(|entry| entry.player == *seat);
    let open = played.to_move().into_iter().filter(|seat| !chosen(seat));
    let seats: Vec<String> = open.map(|seat| game.seat_name(seat - 1)).collect();
    let verb = if seats.len() == 1 { "is" } else { "are" };
    let absent = !names.contains(&format!("`{name}`")) && !seats.is_empty();
    absent.then(|| format!("{} {verb} to choose first: {}", seats.join(" and "), or(&names)))
}

/// Reports a move made after the end. The need that refuses the move may also be what made the match end.
fn over_already(played: &Match, step: &ExampleStep, span: Span) -> Failure {
    let begun = if played.depth() == 0 { "before its first move" } else { "before this move" };
    let failure = fails(span, format!("the match is over {begun}"), "the example plays it here");
    let refusing = match step {
        ExampleStep::Move(seat, name, words) => played.find_move(name).ok().and_then(|mv| {
            let args = args::read_words(&played.rules.game, mv, words).ok()?;
            played.refusing_need(seat.unwrap_or(1), name, &args)
        }),
        _ => None,
    };
    let stuck = matches!(played.events().last(), Some((_, Event::Stuck(..))));
    Box::new(match refusing {
        Some((need, reason)) if stuck => failure
            .also(need, format!("this need refuses it: {reason}"))
            .help("where no move is legal, a match that goes on until a player is stuck is over; is the condition of the need the wrong way round?"),
        _ => match (played.events().last(), ended_by(played, &parse(&played.rules.source).0)) {
            (Some((_, Event::Stuck(seat, ..))), _) => {
                let name = played.rules.game.seat_name(*seat);
                failure.help(format!("it ended because {name} had no legal move"))
            }
            (_, Some(EndedBy { words, span: Some(span) })) => {
                failure.also(span, "this ended it").help(format!("it ended by `{words}`"))
            }
            (_, Some(EndedBy { words, .. })) => failure.help(format!("it ended because {words}")),
            _ => failure.help("look at what ends it: `until`, `stuck`, `end when`, `win`"),
        },
    })
}

/// Takes one step. Returns the refusal if the move is refused.
pub(super) fn take_step(
    played: &mut Match,
    step: &ExampleStep,
    span: Span,
) -> Result<Option<Refused>, Failure> {
    match step {
        ExampleStep::Start if played.depth() == 0 => Ok(None),
        ExampleStep::Start => {
            Err(fails(span, "the match has already begun", "`start` must come before the first move"))
        }
        ExampleStep::Scene(..) | ExampleStep::Pass(..) if played.depth() == 0 => Ok(None),
        ExampleStep::Scene(..) | ExampleStep::Pass(..) => {
            Err(fails(span, "the match has already begun", "scenes must come before the first move"))
        }
        ExampleStep::Move(seat, name, words) => {
            settle(played, span)?;
            let player = match (seat, played.to_move().first()) {
                (Some(player), _) => *player,
                (None, Some(player)) => *player,
                (None, None) => return Err(fails(span, "it is nobody's turn", "the match is over")),
            };
            let mv = match played.find_move(name) {
                Ok(mv) => mv.clone(),
                Err(refused) => return Ok(Some(refused)),
            };
            let args = match args::read_words(&played.rules.game, &mv, words) {
                Ok(args) => args,
                Err(sentence) => return Ok(Some(Refused::new("refused", sentence))),
            };
            let players = played.machine().setup.players;
            if player > players {
                let message = format!("there is no player {player}: the example has {players} players");
                return Err(fails(span, message, "the example plays it here"));
            }
            Ok(played.play_undrawn(player, name, &args).err())
        }
        ExampleStep::Chance(name, words) => take_draw(played, name, words, span).map(|()| None),
    }
}

/// Makes a draw with the outcome that a line states. It must be the next draw of the match.
fn take_draw(played: &mut Match, name: &str, words: &[Word], span: Span) -> Result<(), Failure> {
    let number = played.entries().filter(|entry| entry.player == 0).count() + 1;
    let label = "the example states this draw";
    let Some(due) = played.machine().chance(played.position()).map(|chance| chance.name.clone()) else {
        let instead = match played.to_move().as_slice() {
            [] => "the match is over".to_string(),
            [player] => format!("player {player} is to choose"),
            _ => "several players are to choose".to_string(),
        };
        return Err(fails(span, format!("nothing is drawn here: {instead}"), label));
    };
    if due != *name {
        let message = format!("draw {number} of the match is that of `{due}`, not of `{name}`");
        let help = "draws are stated in the order in which they are made, from the first after a choice on; those that no line states come out at random";
        return Err(Box::new(fails(span, message, label).help(help)));
    }
    let value = [Some(chance_json(words)), row_of_one(words)]
        .into_iter()
        .flatten()
        .find_map(|json| played.read_draw(&json).ok());
    let done = match value {
        Some((_, value)) => played.draw(value).map_err(|fault| broken(span, &fault))?,
        None => Err(String::new()),
    };
    if done.is_ok() {
        return Ok(());
    }
    let stated: Vec<&str> = words.iter().map(|word| played.rules.source.slice(word.span)).collect();
    let message = format!("draw {number} of the match, of `{due}`, cannot be {}", stated.join(" "));
    let failure = fails(span, message, label);
    Err(Box::new(match possible_draw(played, words) {
        Some(help) => failure.help(help),
        None => *failure,
    }))
}

/// Says what the next draw could be; if it is a row and another number of elements was stated, how many it has.
fn possible_draw(played: &Match, words: &[Word]) -> Option<String> {
    let dom = played.machine().outcomes(played.position()).ok()?;
    let (game, value) = (&played.rules.game, dom.at(&Int::ZERO));
    let due = &played.machine().chance(played.position())?.name;
    let line = format!("chance {}", move_words(game, due, &[("value".to_string(), value.clone())]));
    let stated = match chance_json(words) {
        Json::Array(items) => items.len(),
        _ => 1,
    };
    let count = match &value {
        Value::List(items) if items.len() != stated => {
            format!("all {} elements are stated, in order, and here are {stated}; ", items.len())
        }
        _ => String::new(),
    };
    Some(format!("{count}it could be, for example, `{line}`"))
}

/// Makes due draws that the example does not mention, as determined by the seed.
fn settle(played: &mut Match, span: Span) -> Result<(), Failure> {
    played.draw_all().map_err(|fault| broken(span, &fault))
}

fn chance_json(words: &[Word]) -> Json {
    match words {
        [one] => args::word_json(&one.value),
        many => many.iter().map(|word| args::word_json(&word.value)).collect(),
    }
}

/// Returns a single word as a row of one element, as in `chance deck 5` for a deal of one card.
fn row_of_one(words: &[Word]) -> Option<Json> {
    match words {
        [one] => Some(Json::Array(vec![args::word_json(&one.value)])),
        _ => None,
    }
}

fn hold(played: &mut Match, check: &ExampleCheck, span: Span) -> Result<(), Failure> {
    let fault = |fault: Fault| broken(span, &fault);
    match check {
        ExampleCheck::Refused(_) => Ok(()),
        ExampleCheck::Shows(wanted) => {
            let shown = played.show().map_err(fault)?;
            if shown.trim_end() == wanted.trim_end() {
                return Ok(());
            }
            Err(shows_otherwise(&shown, span))
        }
        ExampleCheck::ShowsDrawn(wanted) => {
            let shown = played.show().map_err(fault)?;
            let lines: Vec<String> = shown.lines().map(one_blank).collect();
            match without_empty_end(&lines) == without_empty_end(wanted) {
                true => Ok(()),
                false => Err(shows_otherwise(&shown, span)),
            }
        }
        ExampleCheck::Board(id, wanted) => {
            let held = played.table_state(*id);
            if held == *wanted {
                return Ok(());
            }
            let game = &played.rules.game;
            let mut failure =
                fails(span, format!("`{}` is different", game.state[*id].name), "the example says otherwise");
            failure.help = Some(format!("it is{}", as_picture(&text::words(game, &held))));
            Err(failure)
        }
        ExampleCheck::Scores(wanted) => match played.scores().map_err(fault)? {
            Some(scores) if scores == *wanted => Ok(()),
            Some(scores) => {
                let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
                Err(fails(
                    span,
                    format!("the scores are {}", scores.join(", ")),
                    "the example says otherwise",
                ))
            }
            None => Err(fails(span, "this game keeps no score", "")),
        },
        ExampleCheck::Expect(lambda) => match played.holds(lambda).map_err(fault)? {
            true => Ok(()),
            false => {
                let mut failure = fails(span, "this does not hold", "the example says it does");
                let helps = played.values_in(lambda).into_iter().chain(played.changed_since_given(lambda));
                let help = helps.collect::<Vec<_>>().join("; ");
                failure.help = (!help.is_empty()).then_some(help);
                Err(failure)
            }
        },
        ExampleCheck::Over => {
            if played.over() {
                return Ok(());
            }
            let player = played.to_move().first().copied().unwrap_or(1);
            let mut failure = fails(span, "the match is not over", "the example says it is");
            if let Ok((_, moves)) = played.legal(player, 1)
                && let Some(entry) = moves.first()
            {
                let words = move_words(&played.rules.game, &entry.name, &entry.args);
                failure.help =
                    Some(format!("{} can play `{words}`", played.rules.game.seat_name(player - 1)));
            }
            Err(failure)
        }
        ExampleCheck::Winners(wanted) => {
            let winners = played.winners();
            if winners == *wanted && played.over() {
                return Ok(());
            }
            let names: Vec<String> =
                winners.iter().map(|player| played.rules.game.seat_name(player - 1)).collect();
            let message = match (played.over(), names.as_slice()) {
                (false, _) => "nobody has won yet: the match is not over".to_string(),
                (true, []) => "nobody wins".to_string(),
                (true, [one]) => format!("{one} wins"),
                (true, many) => format!("{} win", many.join(" and ")),
            };
            Err(fails(span, message, "the example says otherwise"))
        }
    }
}

impl Match {
    /// Applies the scene and runs to the first stop. Given values hold from the start, also in loop passes
    /// that begin before the first choice, and override assignments made before it. Passes of loops that begin
    /// later initialise their state as usual.
    fn set_scene(&mut self, scene: &[&ExampleStep]) -> Result<(), Fault> {
        let mut position = self.machine().blank()?;
        position.events = Some(Vec::new());
        let mut opening = (*self.machine().game).clone();
        let mut given = Vec::new();
        for step in scene {
            match step {
                ExampleStep::Scene(place, value) => {
                    self.machine().set(&mut position, place, value)?;
                    opening.state[place.state].reset_by = None;
                    given.push((place.clone(), value.clone()));
                }
                ExampleStep::Pass(id, pass) => {
                    let pass = self.machine().ask(&position, |env| env.eval(pass, &mut Vec::new()))?;
                    begin_with(&mut opening, *id, pass);
                }
                _ => {}
            }
        }
        let machine = self.machine().with_opening(Arc::new(opening));
        run_given(&machine, &mut position, &given)?;
        self.set_position(position, Scene { given, machine: Some(Arc::new(machine)) });
        Ok(())
    }

    /// Returns the value of a piece of state on the table.
    fn table_state(&self, id: StateId) -> Value {
        self.position().cells[self.machine().setup.bases[id]].clone()
    }

    /// Says which values a condition compares, if it names any.
    fn values_in(&self, lambda: &Lambda) -> Option<String> {
        let mut parts = Vec::new();
        operands(&lambda.body, &mut parts);
        let frame = vec![Value::Unset; lambda.frame];
        let values =
            self.machine().ask(self.position(), |env| Ok(self.operand_values(env, &parts, &frame))).ok()?;
        let told: Vec<String> = values.iter().map(|(name, value)| format!("`{name}` is {value}")).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Says which piece of state in a condition was given, and has been dealt to since.
    fn changed_since_given(&self, lambda: &Lambda) -> Option<String> {
        fn mentions(e: &Expr, id: StateId) -> bool {
            let own = matches!(&e.kind, ExprKind::Table(of) | ExprKind::Own(of, _) if *of == id);
            let mut found = own;
            children(e, &mut |part| found |= mentions(part, id));
            found
        }
        let machine = self.machine();
        let eval = |e: &Expr| machine.ask(self.position(), |env| env.eval(e, &mut Vec::new())).ok();
        self.given().iter().find_map(|(place, value)| {
            let state = &machine.game.state[place.state];
            let owner = match place.owner.as_ref().map(eval) {
                None => 0,
                Some(Some(Value::Player(seat))) => seat,
                Some(_) => return None,
            };
            let now = &self.position().cells[machine.setup.bases[place.state] + owner];
            let dealt = machine.game.code.iter().any(|op| match op {
                Op::Do(Effect::Deal(_, _, to), _) => to.state == place.state,
                Op::Chance(Chance { kind: ChanceKind::Deal(_, _, to), .. }) => to.state == place.state,
                _ => false,
            });
            let changed = place.path.is_empty() && dealt && eval(value).is_some_and(|given| given != *now);
            (changed && mentions(&lambda.body, place.state)).then(|| {
                format!(
                    "`{}` was given, and play has changed it since: what is dealt comes on top",
                    state.name
                )
            })
        })
    }

    /// Says how an example states the order of a list that it gives and that is shuffled at random.
    fn shuffled_since_given(&self) -> Option<String> {
        let drawn = |name: &str| self.entries().any(|entry| entry.player == 0 && entry.name == name);
        let game = &self.machine().game;
        let mut shuffles = game.code.iter().filter_map(|op| match op {
            Op::Chance(Chance { kind: ChanceKind::Shuffle(place), name, .. }) => Some((place.state, name)),
            _ => None,
        });
        let (id, name) = shuffles.find(|(id, name)| {
            self.given().iter().any(|(place, _)| place.state == *id) && drawn(name.as_str())
        })?;
        let list = &game.state[id].name;
        Some(format!(
            "`{list}` was given, and then shuffled: the order that comes out is stated as a draw, `chance {name} [2, 1, …]`"
        ))
    }

    fn holds(&self, lambda: &Lambda) -> Result<bool, Fault> {
        let value = self.machine().ask(self.position(), |env| env.call(lambda, Vec::new()))?;
        Ok(value == Value::Bool(true))
    }
}

/// Runs to the next stop. State in `given` is set again after each assignment that would replace it.
pub(super) fn run_given(
    machine: &Machine,
    position: &mut Position,
    given: &[(Place, Expr)],
) -> Result<(), Fault> {
    machine.run_observed(position, |pc, position| {
        let Op::Do(Effect::Assign(places, _), _) = &machine.game.code[pc] else { return Ok(()) };
        let set = |state| places.iter().any(|(p, how)| p.state == state && matches!(how, Change::Set));
        let mut kept = given.iter().filter(|(place, _)| set(place.state));
        kept.try_for_each(|(place, value)| machine.set(position, place, value))
    })
}

/// Changes the start of a game so that the first pass of loop `id` has the number `pass` (from 1).
fn begin_with(game: &mut Game, id: LoopId, pass: Value) {
    let counter = game.loops[id].1;
    for op in &mut game.code {
        // A loop sets its counter to 0 before its first pass, and each pass starts by adding 1.
        if let Op::Do(Effect::Let(slots, value), _) = op
            && *slots == [counter]
            && let ExprKind::Value(Value::Int(_)) = value.kind
            && let Value::Int(pass) = &pass
        {
            value.kind = ExprKind::Value(Value::Int(pass.sub(&Int::ONE)));
        }
    }
}

/// Returns lines without the empty ones at the end, which an example may draw or leave out.
fn without_empty_end(lines: &[String]) -> &[String] {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    &lines[..end]
}

/// Reports that the table is not shown as the example says.
fn shows_otherwise(shown: &str, span: Span) -> Failure {
    let mut failure = fails(
        span,
        format!("the table shows `{}`", shown.replace('\n', "\\n")),
        "the example says otherwise",
    );
    if shown.contains('\n') {
        failure.message = "the table shows something else".to_string();
        failure.help = Some(format!("it shows{}", as_picture(shown)));
    }
    failure
}

/// Formats lines of text as they are written after `shows` in an example.
fn as_picture(shown: &str) -> String {
    shown.lines().map(|line| format!("\n  | {line}")).collect()
}
