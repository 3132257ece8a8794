//! Explanations: the needs of a move one by one, where points come from, and the text of the rules.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::typed::{ParsedLine, ParsedMove, spoken_text};
use super::{Reply, Session, Table, screen, words};
use crate::ast::{File, ItemKind, Stmt, StmtKind};
use crate::diag::nearest;
use crate::eval::Event;
use crate::ir::{Effect, ExprKind, Game, Op, Scoring, SquareAt, TextPart, WinnerBy};
use crate::play::{Comparison, Match, Rules, Verdict, each_statement_of, event_told, why_over};
use crate::source::Span;
use crate::syntax::parse;

/// Words of a question around the move that it is about: `why can't I play b3?`
const BEFORE: &[&str] = &[
    "not", "can't", "cannot", "can", "couldn't", "could", "mustn't", "may", "did", "didn't", "is", "isn't",
    "was", "wasn't", "i", "we", "you", "play",
];
const BEHIND: &[&str] =
    &["refused", "illegal", "legal", "allowed", "forbidden", "possible", "impossible", "not"];

/// Returns the move that a question is about.
fn asked_about<'w>(what: &'w str, is_move: &dyn Fn(&str) -> bool) -> &'w str {
    let mut asked = what.trim_end_matches(['?', '!', '.', ' ']);
    let idle = |word: &str, known: &[&str]| {
        let low = word.to_lowercase().replace('’', "'");
        known.contains(&low.as_str()) && !is_move(&low)
    };
    while let Some((_, rest)) = asked.split_once(' ').filter(|(word, _)| idle(word, BEFORE)) {
        asked = rest.trim_start();
    }
    while let Some((rest, _)) = asked.rsplit_once(' ').filter(|(_, word)| idle(word, BEHIND)) {
        asked = rest.trim_end();
    }
    asked
}

/// The most characters of a value that are shown below a need.
const LONGEST_VALUE: usize = 100;
/// The most characters of a part of somebody's points.
const LONGEST_PART: usize = 1000;

impl Session {
    pub(super) fn why(&mut self, what: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let is_move = |word: &str| table.rules.game.moves.iter().any(|mv| mv.name == word);
        match what {
            "" => match self.refused.clone().filter(|(seat, line)| {
                table.next_seat() == Some(*seat)
                    && matches!(self.parse_line(line), ParsedLine::Move(_) | ParsedLine::Refused(..))
            }) {
                Some((_, line)) => self.why_move(&line),
                None if table.played.over() => Reply::say(winner(table)),
                None => Reply::refuse(
                    "why what? write `:why MOVE` with its values, `:why score` or `:why winner`; after a \
                     refused move, `:why` alone explains it",
                ),
            },
            "score" | "scores" | "points" if !is_move(what) => Reply::say(scores(table, self.style.width)),
            "winner" | "loser" | "win" | "won" | "end" if !is_move(what) => Reply::say(winner(table)),
            _ => self.why_move(asked_about(what, &is_move)),
        }
    }

    fn why_move(&self, line: &str) -> Reply {
        let meant = match self.read_move(line) {
            Ok(meant) => meant,
            Err(reply) => return reply,
        };
        let ParsedMove { seat, ref name, ref args, .. } = meant;
        let Some(table) = &self.table else { return Reply::default() };
        let played = &table.played;
        let needs = match played.needs(seat, name, args) {
            Ok(needs) => needs,
            Err(refused) => return self.refusal(&meant, &refused),
        };
        let legal = needs.iter().all(|need| need.holds);
        let verdict = if legal { "can be played" } else { "is refused" };
        let mut lines = vec![format!("`{}` {verdict}", words::short(&spoken_text(played, name, args)))];
        for need in &needs {
            let mark = if need.holds { "yes" } else { "no " };
            let rule = match &need.rule {
                Some(rule) => rule,
                None if need.holds => "this can be chosen",
                None => &need.reason.text,
            };
            let line = words::line(&played.rules, &need.reason.file, need.reason.line);
            lines.push(format!("  {mark}  {line}: {}", words::short(rule)));
            for (name, value) in &need.values {
                let value = if value.is_empty() { "(empty)" } else { value };
                lines.push(format!("         {name} = {}", words::cut(value, LONGEST_VALUE)));
            }
            if !need.holds && need.rule.is_some() {
                lines.push(format!("       {}", words::short(&need.reason.text)));
            }
        }
        if legal {
            if needs.is_empty() {
                lines.push("  no rule restricts it".to_string());
            }
        } else if let Some(near) = nearest_legal(played, seat, name, args) {
            lines.push(format!("the nearest legal move: {}", words::short(&near)));
        }
        Reply::say(lines.join("\n")).only_for(self.private_seat(seat))
    }

    pub(super) fn rule(&self, name: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let rules = &table.rules;
        let (file, _) = parse(&rules.source);
        let named = named_parts(&file);
        let names: Vec<&str> = named.iter().fold(Vec::new(), |mut names, (name, _)| {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
            names
        });
        if name.is_empty() {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let listed = words::listed(&names, 2, self.style.width);
            return Reply::say(format!("`:rule NAME` shows the text of one of these:\n{listed}"));
        }
        let found: Vec<Span> =
            named.iter().filter(|(known, _)| known == name).map(|(_, span)| *span).collect();
        if found.is_empty() {
            return Reply::refuse(match nearest(name, names.iter().copied()) {
                Some(near) => format!("no rule is called `{name}`; did you mean `{near}`?"),
                None => format!("no rule is called `{name}`; `:rule` alone lists the names"),
            });
        }
        let texts: Vec<String> = found.into_iter().map(|span| numbered(rules, span)).collect();
        Reply::say(texts.join("\n"))
    }
}

// ---- the nearest legal move

/// Finds a similar legal move: with one number changed by a little, else with the closest arguments.
pub fn nearest_legal(played: &Match, seat: usize, name: &str, args: &Map<String, Json>) -> Option<String> {
    const REACH: i64 = 12;
    const MANY: usize = 2000;
    let game = &played.rules.game;
    let mv = played.offered().into_iter().find(|mv| mv.name == name);
    let legal = |args: &Map<String, Json>| {
        played.why(seat, name, args).is_ok_and(|told| told.iter().all(|(holds, _)| *holds))
    };
    if let Some(mv) = mv {
        for step in 1..=REACH {
            for param in crate::play::chosen(mv) {
                let Some(now) = args.get(&param.name).and_then(Json::as_i64) else { continue };
                for other in [now.saturating_sub(step), now.saturating_add(step)] {
                    let mut near = args.clone();
                    near.insert(param.name.clone(), other.into());
                    if legal(&near) {
                        return Some(spoken_text(played, name, &near));
                    }
                }
            }
        }
    }
    let (moves, _) = played.some_legal(seat, MANY).ok()?;
    let whole = |entry: &&crate::play::Entry| {
        let mv = game.moves.iter().find(|mv| mv.name == entry.name);
        mv.is_some_and(|mv| crate::play::chosen(mv).count() == entry.args.len())
    };
    let distance = |entry: &crate::play::Entry| {
        let own = played.entry_json(entry);
        let apart = args.iter().map(|(param, wanted)| apart(&own["args"][param], wanted));
        let nothing = own["args"].as_object().is_some_and(|args| args.values().any(is_nothing));
        (entry.name != name, apart.sum::<u64>(), nothing)
    };
    moves.iter().filter(whole).min_by_key(|entry| distance(entry)).map(|entry| played.entry_words(entry))
}

/// Whether an argument is an empty collection, which shows little of how values are typed.
fn is_nothing(arg: &Json) -> bool {
    arg.as_array().is_some_and(Vec::is_empty)
}

/// Returns a distance between two arguments: steps between squares or numbers, or differing places of lists.
fn apart(a: &Json, b: &Json) -> u64 {
    const FAR: u64 = 100;
    match (a, b) {
        (a, b) if a == b => 0,
        (Json::Number(a), Json::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.abs_diff(b).min(FAR),
            _ => FAR,
        },
        (Json::String(a), Json::String(b)) => match (SquareAt::read(a), SquareAt::read(b)) {
            (Some(a), Some(b)) => {
                (u64::from(a.row.abs_diff(b.row)) + u64::from(a.column.abs_diff(b.column))).min(FAR)
            }
            _ => FAR,
        },
        (Json::Array(a), Json::Array(b)) => {
            let differ = a.iter().zip(b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len());
            (differ as u64).min(FAR)
        }
        _ => FAR,
    }
}

// ---- points

/// Explains where everybody's points come from.
fn scores(table: &Table, width: usize) -> String {
    let played = &table.played;
    let rules = &table.rules;
    let game = &rules.game;
    let mut lines = Vec::new();
    let formulas: Vec<_> = match &game.scoring {
        Scoring::None => {
            let ranked = matches!(game.winner.as_ref().map(|rule| &rule.by), Some(WinnerBy::Best(_)));
            lines.push(match ranked {
                true => "the winner is found without a `score`".to_string(),
                false => "this game has no points".to_string(),
            });
            Vec::new()
        }
        Scoring::Awards => {
            lines.extend(awards(table));
            Vec::new()
        }
        Scoring::Each(lambda) => vec![lambda; played.players()],
        Scoring::Named(lambdas) => lambdas.iter().collect(),
    };
    if !formulas.is_empty() {
        match played.scores() {
            Ok(Some(scores)) => {
                for (seat, (score, lambda)) in scores.iter().zip(formulas).enumerate() {
                    let at = line_of(rules, lambda.body.span);
                    let text = one_line(rules, lambda.body.span);
                    lines.push(format!("{} has {score} = {text} ({at})", game.seat_name(seat)));
                    let parts = played.parts_of_points(lambda, seat).into_iter();
                    let told =
                        parts.map(|(part, value)| format!("{part}: {}", words::cut(&value, LONGEST_PART)));
                    lines.extend(told.map(|told| words::folded(&told, 2, width)));
                }
            }
            Ok(None) => {}
            Err(fault) => {
                lines.push(format!("the points cannot be counted: {}", played.broken(&fault).message));
            }
        }
    }
    let rule = winner_rule(rules);
    // Without points and without a rule that compares players, the course of play decides.
    if matches!(game.scoring, Scoring::None) && rule.is_none() {
        lines.extend(ends(rules));
    }
    lines.extend(rule);
    if matches!(game.scoring, Scoring::None) {
        lines.extend(stands(played));
    }
    lines.extend(meanings(rules, &lines));
    screen::join(lines)
}

/// Describes how the players stand by the winner rule, as far as everybody may know.
fn stands(played: &Match) -> Vec<String> {
    let game = &played.rules.game;
    match played.so_far() {
        Some(Verdict::Compared(by)) if by.is_empty() => {
            vec!["  what is compared is secret until the end".to_string()]
        }
        Some(verdict) => judged(game, verdict),
        None => Vec::new(),
    }
}

/// Lists the statements that end turns or the match, with their lines.
fn ends(rules: &Rules) -> Vec<String> {
    const MANY: usize = 6;
    let (file, _) = parse(&rules.source);
    let mut lines = Vec::new();
    let mut conditions: BTreeMap<usize, String> = BTreeMap::new();
    each_statement_of(&file, &mut |stmt| {
        if let StmtKind::If(arms, otherwise) = &stmt.kind {
            let arms = arms.iter().map(|(cond, body)| (format!("if {}: ", one_line(rules, cond.span)), body));
            let otherwise = otherwise.iter().map(|body| ("otherwise: ".to_string(), body));
            for (condition, body) in arms.chain(otherwise) {
                // What stands on the line of the condition is shown with it.
                let alone = |inner: &&Stmt| {
                    let (start, inner) = (body.span.start, inner.span.start);
                    rules.source.position(start).line != rules.source.position(inner).line
                };
                let below = body.stmts.iter().filter(alone);
                conditions.extend(below.map(|inner| (inner.span.start, condition.clone())));
            }
        }
        let ends = match &stmt.kind {
            StmtKind::EndWhen(_) | StmtKind::WinWhen(..) | StmtKind::Win(_) | StmtKind::End => true,
            StmtKind::Turns { before, after, .. } => before.is_some() || after.is_some(),
            _ => false,
        };
        if ends {
            let condition = conditions.get(&stmt.span.start).map_or("", String::as_str);
            lines.push(format!("  {condition}{} ({})", rule_at(rules, stmt.span), line_of(rules, stmt.span)));
        }
    });
    lines.dedup();
    lines.truncate(MANY);
    if !lines.is_empty() {
        lines.insert(0, "what ends turns or the match:".to_string());
    }
    lines
}

/// Says where to find the functions that are mentioned in `lines`.
fn meanings(rules: &Rules, lines: &[String]) -> Option<String> {
    const MANY: usize = 3;
    let spoken = |name: &str| {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        lines.iter().any(|line| line.split(|c| !letter(c)).any(|word| word == name))
    };
    let named =
        rules.game.functions.iter().map(|function| function.name.as_str()).filter(|name| spoken(name));
    let rules: Vec<String> = named.take(MANY).map(|name| format!("`:rule {name}`")).collect();
    let verb = if rules.len() == 1 { "shows" } else { "show" };
    (!rules.is_empty()).then(|| format!("{} {verb} what that is", words::and(&rules)))
}

/// Returns the winner rule as written.
fn winner_rule(rules: &Rules) -> Option<String> {
    let (file, _) = parse(&rules.source);
    let item = file.items.iter().find(|item| matches!(item.kind, ItemKind::Winner(_)))?;
    Some(format!("{} ({})", one_line(rules, item.span), line_of(rules, item.span)))
}

// ---- the winner

/// Explains who wins, and by which rule with which values; before the end, how the players stand.
fn winner(table: &Table) -> String {
    let played = &table.played;
    let rules = &table.rules;
    let rule = || winner_rule(rules).unwrap_or_else(|| "no rule compares the players at the end".to_string());
    let Some(verdict) = played.verdict() else {
        return match played.over() {
            true => screen::join(vec![screen::result(played), rule()]),
            false => {
                let mut lines = vec![format!("the match is not over: {}", words::turn_words(played)), rule()];
                lines.extend(stands(played));
                lines.extend(ends(rules));
                lines.extend(meanings(rules, &lines));
                screen::join(lines)
            }
        };
    };
    let mut lines = vec![screen::result(played)];
    lines.extend(why_over(played).into_iter().filter(|line| line.starts_with("the end: ")));
    match verdict {
        Verdict::Named(span) => lines.push(format!("{} ({})", rule_at(rules, span), line_of(rules, span))),
        Verdict::Nothing => {
            lines.push("the rules name no winner".to_string());
            lines.extend(ends(rules));
        }
        verdict => {
            lines.push(rule());
            lines.extend(judged(&rules.game, verdict));
            lines.extend(played.last_mover_among_tied().map(|player| {
                format!("  {} made the last move, which breaks the tie", rules.game.seat_name(player - 1))
            }));
        }
    }
    lines.extend(meanings(rules, &lines));
    screen::join(lines)
}

/// Describes what the winner rule is based on, with its values.
fn judged(game: &Game, verdict: Verdict) -> Vec<String> {
    let name = |player: usize| game.seat_name(player - 1);
    match verdict {
        Verdict::Compared(by) => {
            let line = |Comparison { highest, what, values }: Comparison| {
                let values =
                    values.iter().map(|(player, value)| format!("{} {}", name(*player), words::short(value)));
                let best = if highest { "highest" } else { "lowest" };
                format!("  {best} {what}: {}", values.collect::<Vec<_>>().join(", "))
            };
            by.into_iter().map(line).collect()
        }
        Verdict::LastMover(Some((player, choice))) => {
            vec![format!("  {} made the last move: {}", name(player), words::short(&choice))]
        }
        Verdict::LastMover(None) => vec!["  nobody made a move".to_string()],
        Verdict::LastIn(players) => vec![format!("  still in: {}", words::seats(game, &players))],
        Verdict::Named(_) | Verdict::Nothing => Vec::new(),
    }
}

/// Returns the line of the rules at a span, without a trailing comment.
fn rule_at(rules: &Rules, span: Span) -> String {
    let (_, file) = rules.source.file_at(span.start);
    let text = rules.source.slice(file);
    let line = rules.source.position(span.start).line;
    let line = text.lines().nth(line - 1).unwrap_or("");
    line.split("//").next().unwrap_or("").trim().trim_end_matches('{').trim().to_string()
}

/// Lists every award: how many points, to whom, after which choice, why, and its line if that is clear.
fn awards(table: &Table) -> Vec<String> {
    let played = &table.played;
    let rules = &table.rules;
    let mut lines: Vec<String> = Vec::new();
    for seat in 0..played.players() {
        let mut own = Vec::new();
        for (step, event) in played.events() {
            let Event::Award(who, _, reason) = event else { continue };
            if *who != seat {
                continue;
            }
            let line = award_line(rules, reason.as_deref());
            let line = line.map_or(String::new(), |line| format!(" ({line})"));
            let told = event_told(&rules.game, event).unwrap_or_default();
            // Steps are numbered as in `:history`.
            let when = if step == 0 { "before the first choice".to_string() } else { format!("step {step}") };
            own.push(format!("  {when}: {told}{line}"));
        }
        let total =
            played.scores().ok().flatten().and_then(|scores| scores.get(seat).map(ToString::to_string));
        lines.push(format!("{} has {}", rules.game.seat_name(seat), total.unwrap_or_default()));
        if own.is_empty() {
            own.push("  nothing has been awarded".to_string());
        }
        lines.extend(own);
    }
    lines
}

/// Returns the lines, three at most, of the awards that can give this reason; `None` if none or more.
fn award_line(rules: &Rules, reason: Option<&str>) -> Option<String> {
    let mut spans: Vec<Span> = Vec::new();
    for op in &rules.game.code {
        let Op::Do(Effect::Award(_, _, text), span) = op else { continue };
        let fits = match (text.as_ref().map(|text| &text.kind), reason) {
            (None, None) => true,
            (Some(ExprKind::Text(parts)), Some(reason)) => reads(parts, reason),
            (Some(_), Some(_)) => true,
            _ => false,
        };
        if fits && !spans.contains(span) {
            spans.push(*span);
        }
    }
    // Several rules may give the same reason.
    let lines: Vec<String> = spans.iter().map(|span| line_of(rules, *span)).collect();
    (1..=3).contains(&lines.len()).then(|| lines.join(" or "))
}

/// Whether a text with placeholders can produce this string.
fn reads(parts: &[TextPart], text: &str) -> bool {
    match parts {
        [] => text.is_empty(),
        [TextPart::Chars(chars), rest @ ..] => {
            text.strip_prefix(chars.as_str()).is_some_and(|text| reads(rest, text))
        }
        [TextPart::Value(_), rest @ ..] => {
            (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| reads(rest, &text[at..]))
        }
    }
}

// ---- the text of the rules

/// Returns the line on which a span begins.
fn line_of(rules: &Rules, span: Span) -> String {
    let (file, _) = rules.source.file_at(span.start);
    words::line(rules, file, rules.source.position(span.start).line)
}

fn one_line(rules: &Rules, span: Span) -> String {
    rules.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the parts of a rule file with their names, or with the keyword that introduces them.
fn named_parts(file: &File) -> Vec<(String, Span)> {
    let mut out = Vec::new();
    for item in &file.items {
        let (names, states): (Vec<&str>, &[crate::ast::State]) = match &item.kind {
            ItemKind::Game(_) => (vec!["game"], &[]),
            ItemKind::Option(option) => (vec![&option.name.text], &[]),
            ItemKind::Constant(name, _) | ItemKind::Kind(name, _) => (vec![&name.text], &[]),
            ItemKind::Define(name, ..) | ItemKind::Rule(name, ..) => (vec![&name.text], &[]),
            ItemKind::Table(states) => (vec!["table"], states),
            ItemKind::EachPlayer(states) => (vec!["player"], states),
            ItemKind::Show(..) => (vec!["show"], &[]),
            ItemKind::Move(mv) => (vec![&mv.name.text], &[]),
            ItemKind::Play(_) => (vec!["play"], &[]),
            ItemKind::Score(..) => (vec!["score"], &[]),
            ItemKind::Winner(_) => (vec!["winner"], &[]),
            ItemKind::Standing(_) => (vec!["end"], &[]),
            ItemKind::Need(..) => (vec!["need"], &[]),
            ItemKind::Example(_) => (vec!["example"], &[]),
            ItemKind::Drop(..) => (vec!["drop"], &[]),
        };
        out.extend(names.into_iter().map(|name| (name.to_string(), item.span)));
        out.extend(states.iter().map(|state| (state.name.text.clone(), state.span)));
    }
    out
}

/// Returns the numbered lines of a part and the comment above it, headed by the file's name if a base's.
fn numbered(rules: &Rules, span: Span) -> String {
    let (name, file) = rules.source.file_at(span.start);
    let lines: Vec<&str> = rules.source.slice(file).lines().collect();
    let end = span.start + rules.source.slice(span).trim_end().len();
    let mut first = rules.source.position(span.start).line - 1;
    let last = (rules.source.position(end).line - 1).min(lines.len().saturating_sub(1));
    while first > 0 && lines[first - 1].trim_start().starts_with("//") {
        first -= 1;
    }
    let shown = lines[first.min(last)..=last].iter().enumerate();
    let shown = shown.map(|(i, line)| format!("{:>4}  {line}", first + i + 1));
    let of = (name != rules.source.name).then(|| format!("of {name}:"));
    of.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}
