//! Why a match is over: the rule that ended it, found by tracing the last run, and what decided the winner.

use std::collections::BTreeMap;

use super::super::drawing::squares_in_words;
use super::super::names::and;
use super::super::sheet::{Clause, be, clause, winner_comment};
use super::super::why::operands;
use super::super::winner::{SCORE, score_decides};
use super::super::{Entry, Event, Match, Verdict};
use super::decisive::{Witness, find_witness};
use super::{reads_secret, to_be};
use crate::ast::{self, Block, File, ItemKind, Stmt, StmtKind, Stuck, Until};
use crate::eval::{Position, elements, text};
use crate::ir::{Builtin, Compare, Expr, ExprKind, Op, Pc, SquareAt, Type, Value, children};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::parse;

/// What ended a match.
enum Decision<'f> {
    /// The condition at this index of [`LastRun::steps`].
    Condition(usize),
    /// The conditions of an `if` at these indices of [`LastRun::steps`], none of which held, so that its `else` ended the match.
    Otherwise(Vec<usize>),
    /// An `end` or a `win` that stands under no condition.
    Statement(Span),
    /// A seat (from 0) that had no legal move.
    Stuck(usize),
    /// Nobody had a legal move.
    NobodyMoves,
    /// Nobody was in any more.
    NobodyIsIn,
    /// A loop finished; its name, if it has one.
    Done(Option<&'f str>),
    /// The play block ran to its end.
    Whole,
}

/// Calls `on` for each statement of a block, including nested ones.
pub(super) fn each_statement<'f>(block: &'f Block, on: &mut dyn FnMut(&'f Stmt)) {
    for stmt in &block.stmts {
        on(stmt);
        stmt.blocks().into_iter().for_each(|inner| each_statement(inner, on));
    }
}

/// Calls `on` for each statement of play, rules and moves.
pub fn each_statement_of<'f>(file: &'f File, on: &mut dyn FnMut(&'f Stmt)) {
    for item in &file.items {
        match &item.kind {
            ItemKind::Play(block) | ItemKind::Rule(_, _, block) => each_statement(block, on),
            ItemKind::Move(mv) => each_statement(&mv.body, on),
            ItemKind::Standing(stmt) => on(stmt),
            _ => {}
        }
    }
}

/// Whether a seat that is stuck at a choice ends the innermost turns around the choice.
pub(super) fn stuck_ends_turns(played: &Match, choice: Span) -> bool {
    let (file, _) = parse(&played.rules.source);
    // Inner `turns` are visited after outer ones, so the last match is the innermost.
    let mut ends = false;
    each_statement_of(&file, &mut |stmt| {
        if let StmtKind::Turns { before, .. } = &stmt.kind
            && stmt.span.start <= choice.start
            && choice.end <= stmt.span.end
        {
            ends = matches!(before, Some(Until::Stuck(_)));
        }
    });
    ends
}

/// Returns sentences saying why a match is over and how its winner was found; empty if it is not over.
pub fn why_over(played: &Match) -> Vec<String> {
    let mut out = Vec::new();
    if !played.over() {
        return out;
    }
    let reason = played.last_run().and_then(|run| {
        let (file, _) = parse(&played.rules.source);
        reason(played, &run, decision(played, &file, &run.steps))
    });
    out.extend(reason.map(|reason| format!("the end: {reason}")));
    out.extend(winner_reason(played));
    out
}

/// The rule that ended a match; equal for all matches that end by the same rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedBy {
    /// A description that does not depend on the match; for a condition, its source text.
    pub words: String,
    /// The place of the condition, if it is one.
    pub span: Option<Span>,
}

/// Returns the rule that ended a match; `file` is the rules' syntax tree. `None` if the match is not over.
pub fn ended_by(played: &Match, file: &File) -> Option<EndedBy> {
    let run = played.last_run().filter(|_| played.over())?;
    let said = |words: &str| EndedBy { words: words.to_string(), span: None };
    Some(match decision(played, file, &run.steps) {
        Decision::Condition(at) => {
            let span = written_at(played, run.steps.get(at)?.0)?;
            EndedBy { words: one_line(played, span), span: Some(span) }
        }
        Decision::Otherwise(failed) => {
            let written = |at: &usize| written_at(played, run.steps.get(*at)?.0);
            let conds: Vec<Span> = failed.iter().filter_map(written).collect();
            let words = none_holds(conds.iter().map(|span| format!("`{}`", one_line(played, *span))));
            EndedBy { words, span: conds.first().copied() }
        }
        Decision::Statement(span) => EndedBy { words: one_line(played, span), span: Some(span) },
        Decision::Stuck(_) => said("a player has no legal move"),
        Decision::NobodyMoves => said("nobody has a legal move"),
        Decision::NobodyIsIn => said("everybody is out"),
        Decision::Done(Some(name)) if name.chars().count() > 1 => {
            said(&format!("the last {} is over", name.replace('_', " ")))
        }
        Decision::Done(_) | Decision::Whole => said("everything has been played"),
    })
}

/// Says that none of these conditions holds.
fn none_holds(conds: impl Iterator<Item = String>) -> String {
    let conds: Vec<String> = conds.collect();
    match conds.as_slice() {
        [one] => format!("{one} does not hold"),
        [one, other] => format!("neither {one} nor {other} holds"),
        several => format!("none of {} holds", several.join(", ")),
    }
}

/// Returns the span of the condition at `pc`: the shortest of the spans that map to it.
fn written_at(played: &Match, pc: Pc) -> Option<Span> {
    let game = &played.rules.game;
    let Op::Unless(cond, _) = &game.code[pc] else { return None };
    let spans = game.code_spans.iter().filter(|(_, at)| *at == pc).map(|(span, _)| *span);
    Some(spans.min_by_key(|span| span.end - span.start).unwrap_or(cond.span))
}

/// Returns the squares that satisfied the condition that ended a match, such as four in a line.
pub fn decisive_squares(played: &Match) -> Vec<SquareAt> {
    let found = || {
        let run = played.last_run().filter(|_| played.over())?;
        let (file, _) = parse(&played.rules.source);
        let Decision::Condition(at) = decision(played, &file, &run.steps) else { return None };
        let (cond, position) = condition_at(played, &run, at)?;
        Some(witness_in(played, cond, &position).squares)
    };
    found().unwrap_or_default()
}

/// The automaton's last run, from the last choice or draw on.
struct LastRun {
    /// The position where it begins.
    from: Position,
    /// The number of steps omitted before `steps`.
    before: usize,
    /// The ops it executed last, each as its own pc and the pc that followed.
    steps: Vec<(Pc, Pc)>,
}

impl Match {
    /// Traces the automaton's last run. `None` if the match cannot be replayed, as one with a scene.
    fn last_run(&self) -> Option<LastRun> {
        let options = self.machine().setup.options.iter().cloned().enumerate().collect();
        let entries: Vec<&Entry> = self.entries().collect();
        let from = match entries.split_last() {
            None => self.machine().blank().ok()?,
            Some((last, before)) => {
                let mut played =
                    Match::undrawn(self.rules.clone(), &options, self.players(), self.bots_seed()).ok()?;
                before.iter().try_for_each(|entry| played.repeat(entry).ok()?.then_some(()))?;
                let mut position = played.position().clone();
                match last.player {
                    0 => {
                        self.machine().resolve_draw(&mut position, last.args.first()?.1.clone()).ok()?.ok()?
                    }
                    player => {
                        let (seat, chosen) =
                            played.judge(player, &last.name, &played.args_json(last)).ok()?;
                        self.machine().accept(&mut position, seat, chosen).ok()?;
                    }
                }
                position
            }
        };
        let (before, steps) = self.machine().run_traced(&mut from.clone()).ok()?;
        Some(LastRun { from, before, steps })
    }
}

/// Returns the condition at step `at` and the position in which it was evaluated.
fn condition_at<'m>(played: &'m Match, run: &LastRun, at: usize) -> Option<(&'m Expr, Position)> {
    let (pc, _) = run.steps.get(at)?;
    let Op::Unless(cond, _) = &played.rules.game.code[*pc] else { return None };
    let mut position = run.from.clone();
    played.machine().run_steps(&mut position, run.before + at).ok()?;
    Some((cond, position))
}

/// Finds what satisfied a condition in a position. Empty if the condition reads secret state.
fn witness_in(played: &Match, cond: &Expr, position: &Position) -> Witness {
    let game = &played.rules.game;
    if reads_secret(game, cond) {
        return Witness::default();
    }
    let found = played.machine().ask(position, |env| Ok(find_witness(env, game, cond, &position.frame)));
    found.unwrap_or_default()
}

/// Determines what ended the match from the trail of its last run.
fn decision<'f>(played: &Match, file: &'f File, trail: &[(Pc, Pc)]) -> Decision<'f> {
    let game = &played.rules.game;
    let Some((end, _)) = trail.last().copied() else { return Decision::Whole };
    let mut loops: Vec<&'f Stmt> = Vec::new();
    let mut untils: Vec<Span> = Vec::new();
    // The conditions of rules that end a match, and of each `if`, with those before it in the same `if`.
    let mut conditions: BTreeMap<Span, &'f [(ast::Expr, Block)]> = BTreeMap::new();
    each_statement_of(file, &mut |stmt| {
        match &stmt.kind {
            StmtKind::If(arms, _) => {
                conditions.extend(arms.iter().enumerate().map(|(at, (cond, _))| (cond.span, &arms[..=at])))
            }
            StmtKind::EndWhen(cond) | StmtKind::WinWhen(_, cond) => {
                conditions.insert(cond.span, &[]);
            }
            _ => {}
        }
        match &stmt.kind {
            StmtKind::Turns { before, after, .. } => {
                untils.extend([before, after].into_iter().flatten().map(until_span))
            }
            StmtKind::Repeat { until, .. } | StmtKind::Cycle { until, .. } => {
                untils.extend(until.as_ref().map(until_span))
            }
            StmtKind::Each { .. } => {}
            _ => return,
        }
        loops.push(stmt);
    });
    let written = |pc: Pc| game.code_spans.iter().filter(move |(_, at)| *at == pc).map(|(span, _)| *span);
    // The last op is that which ends a match whose play block has run to its end.
    let stated = end + 1 < game.code.len();
    // `end when C`, `win p when C`, `end` or `win p` inside an `if`: the condition around the end held; in an
    // `else`, those before it did not. The code of an arm ends with a jump to where the `if` is over.
    for (at, (pc, next)) in trail.iter().enumerate().rev().filter(|_| stated) {
        let Op::Unless(_, to) = &game.code[*pc] else { continue };
        let Some(arms) = written(*pc).find_map(|span| conditions.get(&span)) else { continue };
        if *next == pc + 1 && *pc < end && end < *to {
            return Decision::Condition(at);
        }
        if next == to && *to <= end && matches!(&game.code[to - 1], Op::Jump(over) if end < *over) {
            let failed = |cond: Span| {
                let mut steps = trail[..=at].iter();
                steps.rposition(|(pc, _)| written(*pc).any(|span| span == cond))
            };
            return Decision::Otherwise(arms.iter().filter_map(|(cond, _)| failed(cond.span)).collect());
        }
    }
    for (at, (pc, next)) in trail.iter().enumerate().rev() {
        match &game.code[*pc] {
            Op::Choose(id) if game.choices[*id].stuck == Some(*next) => {
                let stuck = played.events().filter_map(|(_, event)| match event {
                    Event::Stuck(seat, _) => Some(*seat),
                    _ => None,
                });
                return stuck.last().map_or(Decision::Whole, Decision::Stuck);
            }
            Op::Unless(..) if *next == pc + 1 && written(*pc).any(|span| untils.contains(&span)) => {
                return Decision::Condition(at);
            }
            Op::Unless(cond, to) if next == to => {
                let Some(stmt) = loops.iter().find(|stmt| stmt.span == cond.span) else { continue };
                match &stmt.kind {
                    StmtKind::Turns { stuck: Some(Stuck::Skip), .. } => return Decision::NobodyMoves,
                    StmtKind::Repeat { label, .. } if chooses(file, stmt) => {
                        return Decision::Done(label.as_ref().map(|label| label.text.as_str()));
                    }
                    _ => {}
                }
            }
            Op::Next { list, exit, cyclic, .. } if next == exit => {
                let listed = game.code[..*pc]
                    .iter()
                    .rposition(|op| matches!(op, Op::Collect { list: of, .. } if of == list));
                let begun: Vec<Span> = listed.into_iter().flat_map(written).collect();
                let Some(stmt) = loops.iter().find(|stmt| begun.contains(&stmt.span)) else { continue };
                match &stmt.kind {
                    StmtKind::Turns { .. } => return Decision::NobodyIsIn,
                    StmtKind::Each { label, .. } if !cyclic && chooses(file, stmt) => {
                        return Decision::Done(label.as_ref().map(|label| label.text.as_str()));
                    }
                    StmtKind::Cycle { .. } => return Decision::Done(None),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let statement = written(end).min_by_key(|span| span.end - span.start).filter(|_| stated);
    statement.map_or(Decision::Whole, Decision::Statement)
}

fn until_span(until: &Until) -> Span {
    match until {
        Until::Stuck(span) => *span,
        Until::Cond(cond) => cond.span,
    }
}

/// Whether a choice is made within a loop.
fn chooses(file: &File, stmt: &Stmt) -> bool {
    fn within(file: &File, stmt: &Stmt, depth: usize) -> bool {
        match &stmt.kind {
            StmtKind::Ask(..) | StmtKind::Together(..) | StmtKind::TogetherAsk(..) => true,
            StmtKind::Choose(choices) => choices.first.iter().any(|choice| {
                let rule = file.items.iter().find_map(|item| match &item.kind {
                    ItemKind::Rule(name, _, body) if name.text == choice.name.text => Some(body),
                    _ => None,
                });
                rule.is_none_or(|body| {
                    depth > 0 && body.stmts.iter().any(|stmt| within(file, stmt, depth - 1))
                })
            }),
            _ => stmt
                .blocks()
                .into_iter()
                .any(|block| block.stmts.iter().any(|stmt| within(file, stmt, depth))),
        }
    }
    within(file, stmt, 20)
}

/// Describes the reason in a sentence.
fn reason(played: &Match, run: &LastRun, decision: Decision) -> Option<String> {
    let game = &played.rules.game;
    let told = |at: usize, met: bool| {
        let (pc, _) = run.steps.get(at)?;
        let (cond, position) = condition_at(played, run, at)?;
        Some(condition_words(played, cond, written_at(played, *pc)?, &position, met))
    };
    Some(match decision {
        Decision::Stuck(seat) => format!("{} has no legal move", game.seat_name(seat)),
        Decision::NobodyMoves => "nobody has a legal move".to_string(),
        Decision::NobodyIsIn => "everybody is out".to_string(),
        Decision::Done(Some(name)) if name.chars().count() > 1 => {
            format!("the last {} is over", name.replace('_', " "))
        }
        Decision::Done(_) | Decision::Whole => "everything has been played".to_string(),
        Decision::Condition(at) => told(at, true)?,
        Decision::Otherwise(failed) => {
            and(&failed.into_iter().filter_map(|at| told(at, false)).collect::<Vec<_>>())
        }
        Decision::Statement(span) => format!("by the rule “{}”", one_line(played, span)),
    })
}

/// Describes a condition that held in a position or did not, with the squares, elements or values by which it did.
fn condition_words(played: &Match, cond: &Expr, span: Span, position: &Position, met: bool) -> String {
    const MANY: usize = 3;
    const LONG: usize = 40;
    let game = &played.rules.game;
    let holds = |side: &Expr| {
        let value = played.machine().ask(position, |env| env.eval(side, &mut position.frame.clone()));
        value.is_ok_and(|value| value == Value::Bool(true))
    };
    // Of alternatives, report the one that held, and of conditions that must all hold the one that did not, unless that could
    // leak a secret.
    let mut held = cond;
    if !reads_secret(game, cond) {
        while let (ExprKind::Or(a, b), true) | (ExprKind::And(a, b), false) = (&held.kind, met) {
            held = if holds(a) == met { a } else { b };
        }
    }
    let place = if held.span == cond.span { span } else { held.span };
    let witness = if met { witness_in(played, held, position) } else { Witness::default() };
    let words = |value: &Value| text::spoken(game, value);
    // Values short enough for a sentence: players, squares, numbers and symbols.
    let short = |value: &Value| match value {
        Value::Player(_) | Value::Square(_) | Value::Int(_) | Value::Symbol(_) => Some(words(value)),
        _ => None,
    };
    let row = |row: &Vec<Value>| row.iter().map(short).collect::<Option<Vec<String>>>();
    let elements_told = witness.elements.iter().map(row).collect::<Option<Vec<_>>>().unwrap_or_default();
    let mut parts = Vec::new();
    // The end itself reveals that the condition held, but the values it read may still be secret.
    if !reads_secret(game, held) {
        operands(held, &mut parts);
        // What is empty or not is told rather than its size.
        parts = parts.into_iter().map(|part| tested_for_emptiness(held, part)).collect();
    }
    // The text already contains the values of constants and options; boards and maps are too long.
    parts.retain(|part| !is_fixed(part) && !matches!(part.ty, Type::Grid(_) | Type::Map(..)));
    let value = |part: &Expr| {
        let value = played.machine().ask(position, |env| env.eval(part, &mut position.frame.clone()));
        // The text already says that a collection is empty.
        let empty = |value: &Value| part.ty.element().is_some() && elements(value).is_empty();
        let value = value.ok().filter(|value| !empty(value))?;
        let of = if part.ty.element().is_some() { elements(&value) } else { Vec::new() };
        let players = !of.is_empty() && of.iter().all(|one| matches!(one, Value::Player(_)));
        Some(if players { and(&of.iter().map(words).collect::<Vec<_>>()) } else { words(&value) })
    };
    let spans: Vec<Span> = parts.iter().map(|part| part.span).collect();
    let mover = mover(played, held, position);
    let Clause { said, of_elements, parts: names } =
        clause(played, (span, place), met, mover.as_deref(), &elements_told, &spans).unwrap_or_else(|| {
            let written = one_line(played, span);
            let said = if met { written } else { none_holds([format!("“{written}”")].into_iter()) };
            Clause { said, ..Clause::default() }
        });
    let squares = if of_elements && witness.squares.len() < 2 { &[][..] } else { &witness.squares };
    let mut evidence: Vec<String> = match () {
        () if !squares.is_empty() => vec![squares_in_words(played, squares)],
        () if of_elements => Vec::new(),
        () if !witness.elements.is_empty() => {
            let told = witness.elements.iter().flatten().map(words);
            told.filter(|told| !said.ends_with(&format!(" is {told}"))).collect()
        }
        () => {
            let named = parts.iter().zip(names).filter_map(|(part, name)| Some((name?, value(part)?)));
            // Do not repeat a value that the text ends with.
            let named: Vec<(String, String)> = named
                .filter(|(name, value)| name != value && !said.ends_with(&format!(" {} {value}", be(name))))
                .collect();
            let alone = named.len() == 1;
            let told = named.into_iter().map(|(name, value)| match alone && said.starts_with(&name) {
                true if be(&name) == "are" => format!("they are {value}"),
                true => format!("it is {value}"),
                false => format!("{name} {} {value}", be(&name)),
            });
            told.filter(|told| told.chars().count() <= LONG && !told.contains('\n')).collect()
        }
    };
    evidence.extend(meaning(played, held, &said));
    evidence.dedup();
    evidence.truncate(MANY);
    let said = quoted(said);
    match evidence.is_empty() {
        true => said,
        false => format!("{said} ({})", evidence.join(", ")),
    }
}

/// Returns the comment on the state that a condition compares with a fixed value, if the condition is told by its name:
/// `passes is 2` alone says little.
fn meaning(played: &Match, held: &Expr, said: &str) -> Option<String> {
    const LONG: usize = 60;
    let ExprKind::Compare(first, rest) = &held.kind else { return None };
    let ([(_, second)], ExprKind::Table(state)) = (rest.as_slice(), &first.kind) else { return None };
    let state = is_fixed(second).then(|| &played.rules.game.state[*state])?;
    let name = state.name.replace('_', " ");
    let doc = state.doc.as_ref()?.split_whitespace().collect::<Vec<_>>().join(" ");
    (said.starts_with(&name) && doc.chars().count() <= LONG).then(|| format!("{name}: {doc}"))
}

/// Puts a sentence in quotes, as a rule, if it addresses the player whom the rule is about: "you win" must not
/// seem to be said to whoever reads it.
fn quoted(said: String) -> String {
    let mut words = said.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    match words.any(|word| matches!(word.as_str(), "you" | "your" | "yours" | "yourself")) {
        true => format!("by the rule “{said}”"),
        false => said,
    }
}

/// Returns what a condition tests for being empty, if this is its size; else the part itself.
fn tested_for_emptiness<'e>(cond: &Expr, part: &'e Expr) -> &'e Expr {
    let ExprKind::Compare(_, rest) = &cond.kind else { return part };
    let [(op, Expr { kind: ExprKind::Value(Value::Int(bound)), .. })] = rest.as_slice() else { return part };
    let tests = match op {
        Compare::Equal | Compare::NotEqual | Compare::Greater | Compare::AtMost => *bound == Int::ZERO,
        Compare::Less | Compare::AtLeast => *bound == Int::ONE,
        Compare::Divides => false,
    };
    match &part.kind {
        ExprKind::Builtin(Builtin::Size, of) if tests => of.first().unwrap_or(part),
        _ => part,
    }
}

/// Whether a value is constant for the whole match: literals, options, constants, and expressions of these.
fn is_fixed(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_) => true,
        ExprKind::List(_)
        | ExprKind::Set(_)
        | ExprKind::Tuple(_)
        | ExprKind::Arith(..)
        | ExprKind::Negative(_) => {
            let mut fixed = true;
            children(e, &mut |part| fixed &= is_fixed(part));
            fixed
        }
        _ => false,
    }
}

/// Returns who `me` is in a condition, if the condition mentions `me`.
fn mover(played: &Match, cond: &Expr, position: &Position) -> Option<String> {
    fn find<'e>(played: &Match, e: &'e Expr) -> Option<&'e Expr> {
        if e.ty == Type::Player && played.rules.source.slice(e.span).trim() == "me" {
            return Some(e);
        }
        let mut found = None;
        children(e, &mut |child| found = found.or_else(|| find(played, child)));
        found
    }
    let me = find(played, cond)?;
    let who = played.machine().ask(position, |env| env.eval(me, &mut position.frame.clone())).ok()?;
    Some(text::spoken(&played.rules.game, &who))
}

fn one_line(played: &Match, span: Span) -> String {
    played.rules.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says how the winner rule determined the winner, unless the points already show it.
fn winner_reason(played: &Match) -> Option<String> {
    let game = &played.rules.game;
    let name = |player: usize| game.seat_name(player - 1);
    match played.verdict()? {
        Verdict::Named(..) | Verdict::Nothing | Verdict::LastMover(None) => None,
        Verdict::LastMover(Some((player, _))) => {
            let lost = if game.winner.as_ref()?.loser { ", and loses" } else { "" };
            Some(format!("{} made the last move{lost}", name(player)))
        }
        Verdict::LastIn(left) => match left.len() {
            1 => None,
            0 => Some("nobody is still in".to_string()),
            many => Some(format!("{many} players are still in")),
        },
        Verdict::Compared(by) => {
            let by: Vec<_> = by.into_iter().filter(|by| by.what != SCORE && by.values.len() > 1).collect();
            // If only one value was compared, use the author's comment on the winner rule.
            let comment = winner_comment(played).filter(|_| by.len() == 1);
            let told = by.into_iter().map(|by| {
                let way = if by.highest { "highest" } else { "lowest" };
                let each: Vec<String> = by
                    .values
                    .into_iter()
                    .map(|(player, value)| format!("{} has {value}", name(player)))
                    .collect();
                let said = comment.clone().map(quoted).unwrap_or_else(|| {
                    let many = !by.what.contains(' ') && to_be(&by.what) == "are";
                    format!("the {way} {} {}", by.what, if many { "decide" } else { "decides" })
                });
                format!("{said}: {}", each.join(", "))
            });
            let mut told: Vec<String> = told.collect();
            if let Some(player) = played.last_mover_among_tied() {
                told.push(format!("{} made the last move, which breaks the tie", name(player)));
            }
            (!told.is_empty()).then(|| told.join("; "))
        }
    }
}

/// Formats all players' points, best first, with their ranks; tied players share a rank.
pub fn standings(game: &crate::ir::Game, scores: &[Int]) -> Vec<String> {
    let lowest = score_decides(game) == Some(false);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| if lowest { scores[*a].cmp(&scores[*b]) } else { scores[*b].cmp(&scores[*a]) });
    let names: Vec<String> = (0..scores.len()).map(|seat| game.seat_name(seat)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let digits = scores.iter().map(|score| score.to_string().len()).max().unwrap_or(0);
    order
        .iter()
        .map(|seat| {
            let place = 1 + order.iter().take_while(|other| scores[**other] != scores[*seat]).count();
            let (name, score) = (&names[*seat], scores[*seat].to_string());
            format!("{place}. {name:<width$}  {score:>digits$}")
        })
        .collect()
}
