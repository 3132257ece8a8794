//! A worked example told as the story of a match: it is played under the rules and narrated move by move.

use std::sync::Arc;

use super::Sheet;
use super::ending::within;
use super::facts::Facts;
use super::page::{Page, Part, join_with, prose, said, sentence};
use crate::ast::{self, Example, ExprKind, ItemKind, Step, Stmt, StmtKind, Word, WordValue};
use crate::eval::Event;
use crate::ir::{self, ExampleCheck, ExampleLine, ExampleStep};
use crate::play::drawing::Figure;
use crate::play::{Match, Rules, example};

/// Builds a story.
struct Story<'s> {
    page: &'s mut Page,
    /// Sentences to be joined to a paragraph before the next figure.
    told: Vec<String>,
    /// The table as last shown.
    shown: String,
    /// Whether the table is shown on one line.
    brief: bool,
    /// The player who moved last, from 1.
    last: Option<usize>,
    /// Whether the line that is told leaves a move unfinished.
    within_move: bool,
    /// Whether a move was made since the table was shown.
    unshown: bool,
}

impl Sheet<'_> {
    /// Returns the first example that holds, preferring ones with moves; a false example is not told.
    fn example_to_tell<'r>(&self, rules: &'r Arc<Rules>) -> Option<(&Example, &'r ir::Example)> {
        let moves = |example: &Example| {
            example.lines.iter().any(|line| matches!(line.step, Some(Step::Move(..) | Step::Board(..))))
        };
        let mut all: Vec<&Example> = self.examples().collect();
        all.sort_by_key(|example| !moves(example));
        all.into_iter().find_map(|written| {
            let meant = rules.game.examples.iter().find(|meant| meant.title == written.title)?;
            example::holds(rules, meant).then_some((written, meant))
        })
    }

    /// Writes an example onto the page.
    pub(super) fn story(&self, page: &mut Page, rules: &Arc<Rules>) {
        let Some((written, meant)) = self.example_to_tell(rules) else { return };
        let Ok(mut played) = example::begun(rules, meant) else { return };
        let before = page.parts.len();
        page.heading("An example");
        page.para(self.opening(written));
        let (told, shown) = (Vec::new(), String::new());
        let (within_move, unshown) = (false, false);
        let mut story = Story { page, told, shown, brief: false, last: None, within_move, unshown };
        story.brief = played.show().is_ok_and(|shows| !shows.trim_end().contains('\n'));
        for line in &written.lines {
            match &line.step {
                Some(Step::Board(name, _)) => {
                    story
                        .told
                        .push(format!("suppose that {} looks like this:", self.words().thing(&name.text)));
                    story.boards(&played, Some(&name.text));
                }
                Some(Step::Scene(place, value)) => {
                    let words = self.words();
                    story.told.push(format!("suppose that {} is {}", words.value(place), words.value(value)));
                }
                _ => {}
            }
        }
        let scene = |line: &&ExampleLine| {
            matches!(
                line.step,
                None | Some(ExampleStep::Scene(..) | ExampleStep::Pass(..) | ExampleStep::Start)
            )
        };
        let first = meant.lines.iter().find(|line| !scene(line)).and_then(|line| line.step.as_ref());
        let states_draws = matches!(first, Some(ExampleStep::Chance(..)));
        if !states_draws && played.draw_all().is_err() {
            story.page.parts.truncate(before);
            return;
        }
        // Draws that come first change what is shown at the start.
        story.unshown = states_draws;
        if story.brief && !states_draws {
            story.table(&played);
        }
        let mut begun = false;
        let mut lines = meant.lines.iter().zip(&written.lines).peekable();
        while let Some((line, written)) = lines.next() {
            let note = self.comments.behind(written.span).map(|(_, note)| note);
            let drawn = match lines.peek() {
                Some((next, _)) => match &next.step {
                    Some(ExampleStep::Chance(name, _)) => Some(name.as_str()),
                    _ => None,
                },
                None => None,
            };
            // A move that draws something is not over before it is drawn.
            begun |= matches!(line.step, Some(ExampleStep::Move(..)));
            story.within_move = drawn.is_some_and(|name| !begun || self.is_drawn_in_a_move(name));
            if story.line(self, &mut played, line, note).is_none() {
                // The example does not hold: omit it.
                story.page.parts.truncate(before);
                return;
            }
        }
        story.end(self, &played);
        if story.page.parts.len() == before + 2 {
            story.page.parts.truncate(before);
        }
    }

    /// Whether a move draws something by this name.
    fn is_drawn_in_a_move(&self, name: &str) -> bool {
        let drawn = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Chance(drawn, ..) | StmtKind::Draw(drawn, _) => drawn.text == name,
            _ => false,
        };
        self.items().any(|(_, kind)| match kind {
            ItemKind::Move(mv) => mv.body.stmts.iter().any(|stmt| within(stmt, &drawn)),
            _ => false,
        })
    }

    /// Returns the example’s title and its settings.
    fn opening(&self, example: &Example) -> String {
        let settings: Vec<String> = example
            .settings
            .iter()
            .map(|(name, value)| match (name.text.as_str(), &value.kind) {
                ("players", ExprKind::Number(n)) => super::players(n.as_usize().unwrap_or(0)),
                (name, _) => format!("{} = {}", self.words().name(name), self.words().value(value)),
            })
            .collect();
        match settings.as_slice() {
            [] => sentence(&prose(&example.title)),
            all => sentence(&format!("{}, with {}", prose(&example.title), join_with(all, "and"))),
        }
    }
}

impl Story<'_> {
    /// Makes a paragraph of the sentences so far.
    fn flush(&mut self) {
        if !self.told.is_empty() {
            let told: Vec<String> = self.told.drain(..).map(|text| sentence(&text)).collect();
            self.page.para(told.join(" "));
        }
    }

    /// Shows the table if it has changed.
    fn table(&mut self, played: &Match) {
        let Ok(shows) = played.show() else { return };
        let shows = shows.trim_end().to_string();
        if shows != self.shown && !shows.is_empty() {
            self.flush();
            self.page.parts.push(Part::Verbatim(shows.lines().map(str::to_string).collect()));
        }
        self.shown = shows;
    }

    /// Draws the grids on the table: all of them, or the one called `wanted`.
    fn boards(&mut self, played: &Match, wanted: Option<&str>) {
        self.flush();
        let named = |names: &[String]| wanted.is_none_or(|wanted| names.iter().any(|name| name == wanted));
        for (_, figure) in drawn(played).into_iter().filter(|(names, _)| named(names)) {
            self.page.parts.push(Part::of(figure));
        }
    }

    /// Plays a line and narrates it; `None` if the line does not hold.
    fn line(
        &mut self,
        sheet: &Sheet,
        played: &mut Match,
        line: &crate::ir::ExampleLine,
        note: Option<String>,
    ) -> Option<()> {
        let refused = line.checks.iter().any(|(check, _)| matches!(check, ExampleCheck::Refused(_)));
        let events = played.events().count();
        let depth = played.depth();
        if let Some(step) = &line.step {
            let mover = match step {
                ExampleStep::Move(seat, ..) => seat.or(played.to_move().first().copied()),
                _ => None,
            };
            let refusal = example::take_step(played, step, line.span).ok()?;
            match (step, refusal) {
                (ExampleStep::Move(_, name, words), refusal) if refusal.is_some() == refused => {
                    let who = mover?;
                    let play = said(&format!("{}{}", name.replace('_', " "), typed(sheet.facts, words)));
                    let seat = sheet.facts.seat(who);
                    self.told.push(match refusal {
                        Some(refusal) => {
                            format!(
                                "{seat} cannot play {play} now: {}",
                                prose(refusal.message.trim_end_matches('.'))
                            )
                        }
                        None if self.last == Some(who) => format!("{seat} plays again: {play}"),
                        None => format!("{seat} plays {play}"),
                    });
                    self.last = if refused { self.last } else { Some(who) };
                }
                (ExampleStep::Chance(name, words), None) => {
                    let value = |word: &Word| drawn_value(sheet.facts, &word.value);
                    let drawn: Vec<String> = words.iter().map(value).collect();
                    self.told.push(format!("{} is drawn: {}", sheet.words().name(name), drawn.join(" ")));
                }
                (_, None) => {}
                (_, Some(_)) => return None,
            }
        }
        if let (Some(note), Some(last)) = (note, self.told.last_mut()) {
            last.push_str(&format!(" ({note})"));
        }
        let new: Vec<Event> = played.events().skip(events).map(|(_, event)| event.clone()).collect();
        for event in &new {
            self.event(sheet, event);
        }
        self.unshown |= played.depth() > depth;
        if self.brief && self.unshown && !self.within_move {
            self.table(played);
            self.unshown = false;
        }
        for (check, _) in &line.checks {
            if let ExampleCheck::Shows(shows) = check
                && !self.brief
                && drawn(played).is_empty()
            {
                self.flush();
                self.page.parts.push(Part::Verbatim(shows.lines().map(str::to_string).collect()));
            }
            if let ExampleCheck::Scores(scores) = check {
                let each: Vec<String> = scores
                    .iter()
                    .enumerate()
                    .map(|(i, score)| format!("{} has {score}", sheet.facts.seat(i + 1)))
                    .collect();
                self.told.push(format!("points so far: {}", join_with(&each, "and")));
            }
        }
        Some(())
    }

    fn event(&mut self, sheet: &Sheet, event: &Event) {
        match event {
            Event::Award(_, points, _) if points.is_zero() => {}
            Event::Award(seat, points, why) => {
                let of = if points.to_string() == "1" { "point" } else { "points" };
                let why = why.as_ref().map_or(String::new(), |why| format!(" ({})", prose(why)));
                self.told.push(format!("{} scores {points} {of}{why}", sheet.facts.seat(seat + 1)));
            }
            Event::Out(seat) => self.told.push(format!("{} is out", sheet.facts.seat(seat + 1))),
            Event::Said(..) | Event::Stuck(..) | Event::Revealed(..) | Event::Began(..) => {}
        }
    }

    /// Tells how the example ends.
    fn end(&mut self, sheet: &Sheet, played: &Match) {
        if !drawn(played).is_empty() && played.depth() > 0 {
            let when = if played.over() { "at the end, the table looks" } else { "now the table looks" };
            self.told.push(format!("{when} like this:"));
            self.boards(played, None);
        }
        let winners: Vec<String> = played.winners().into_iter().map(|seat| sheet.facts.seat(seat)).collect();
        self.told.push(match (played.over(), winners.as_slice()) {
            (false, _) => "and so on".to_string(),
            (true, []) if played.machine().is_allied() => "the match is over, and all lose".to_string(),
            (true, []) => "the match is over, and nobody wins".to_string(),
            (true, [one]) => format!("the match is over, and {one} wins"),
            (true, many) => format!("the match is over; {} share the win", join_with(many, "and")),
        });
        self.flush();
    }
}

/// The maximum number of rows and of columns of a board on a sheet.
const MOST: usize = 19;

/// Draws the public grids on the table; each figure comes with the names of its grids.
pub(super) fn drawn(played: &Match) -> Vec<(Vec<String>, Figure)> {
    played.figures(MOST)
}

impl Part {
    /// Converts a figure to a part of a page.
    pub(super) fn of(figure: Figure) -> Part {
        match figure {
            Figure::Board(board) => Part::Board(board),
            Figure::Lines(lines, told) => Part::Figure(lines, told),
        }
    }
}

/// Formats the arguments of a move as people type them.
fn typed(facts: &Facts, args: &[Word]) -> String {
    let nested = |item: &WordValue| matches!(item, WordValue::List(_));
    let word = |(at, word): (usize, &Word)| match &word.value {
        // At the prompt, the elements of a list at the end stand alone.
        WordValue::List(items) if at + 1 == args.len() && items.is_empty() => " none".to_string(),
        WordValue::List(items) if at + 1 == args.len() && !items.iter().any(nested) => {
            items.iter().map(|item| format!(" {}", word_value(facts, item))).collect()
        }
        value => format!(" {}", word_value(facts, value)),
    };
    args.iter().enumerate().map(word).collect()
}

/// Formats what was drawn: the elements of a list stand alone, and a tuple of a name and numbers is written as it is typed.
fn drawn_value(facts: &Facts, value: &WordValue) -> String {
    let item = |item: &WordValue| match item {
        WordValue::List(parts)
            if parts.iter().any(|part| matches!(part, WordValue::Text(_)))
                && !parts.iter().any(|part| matches!(part, WordValue::List(_))) =>
        {
            parts.iter().map(|part| word_value(facts, part)).collect::<Vec<_>>().join(" ")
        }
        item => word_value(facts, item),
    };
    match value {
        WordValue::List(items) if items.is_empty() => "nothing".to_string(),
        WordValue::List(items) => items.iter().map(item).collect::<Vec<_>>().join(", "),
        value => word_value(facts, value),
    }
}

fn word_value(facts: &Facts, value: &WordValue) -> String {
    match value {
        WordValue::Number(n) => n.to_string(),
        WordValue::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        WordValue::Text(text) => facts.printed(text).replace('_', " "),
        WordValue::List(items) => {
            let items: Vec<String> = items.iter().map(|item| word_value(facts, item)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// Returns the first use of a move in the examples that is accepted and has no named arguments, as typed.
pub(super) fn sample<'e>(
    facts: &Facts,
    examples: impl Iterator<Item = &'e Example>,
    name: &str,
) -> Option<String> {
    examples.flat_map(|example| &example.lines).find_map(|line| match &line.step {
        Some(Step::Move(_, made, args)) if made.text == name && !args.is_empty() => {
            let refused = line.checks.iter().any(|check| matches!(check.kind, ast::CheckKind::Refused(_)));
            // Named arguments may be in another order.
            let named = args.iter().any(|word| word.name.is_some());
            (!refused && !named).then(|| format!("{}{}", name.replace('_', " "), typed(facts, args)))
        }
        _ => None,
    })
}
