//! Why a match is over: the rule that ended it, found on the last way through the automaton, and how the winner was found.

use super::super::sheet::clause;
use super::super::why::operands;
use super::super::{Entry, Event, Match, Verdict};
use super::reads_secret;
use crate::ast::{Block, File, ItemKind, Stmt, StmtKind, Stuck, Until};
use crate::eval::text;
use crate::ir::{Expr, ExprKind, Fold, FoldKind, Op, Pc, Type, Value, WinnerBy};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::parse;

/// What ended a match.
enum Decision<'f> {
    /// A condition, at this place of the automaton.
    Condition(Pc),
    /// A seat (from 0) that had no legal move.
    Stuck(usize),
    /// Nobody could move any more.
    NobodyMoves,
    /// Nobody was in any more.
    NobodyIsIn,
    /// A loop came to its end; what it is called, where it has a name.
    Done(Option<&'f str>),
    /// All that the rules have to play.
    Whole,
}

/// Goes through a block and the blocks within.
pub(super) fn each_statement<'f>(block: &'f Block, on: &mut dyn FnMut(&'f Stmt)) {
    for stmt in &block.stmts {
        on(stmt);
        stmt.blocks().into_iter().for_each(|inner| each_statement(inner, on));
    }
}

/// Goes through all statements of play, rules and moves.
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

/// Whether who is stuck at a choice ends the turns it stands in.
pub(super) fn stuck_ends_turns(played: &Match, choice: Span) -> bool {
    let (file, _) = parse(&played.rules.source);
    // The innermost turns come last.
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

/// Why a match is over, and what else found its winner, in sentences; nothing while it goes on.
pub fn why_over(played: &Match) -> Vec<String> {
    let mut out = Vec::new();
    if !played.over() {
        return out;
    }
    let (file, _) = parse(&played.rules.source);
    if let Some(trail) = played.last_trail() {
        let reason = reason(played, decision(played, &file, &trail));
        out.extend(reason.map(|reason| format!("the end: {reason}")));
    }
    out.extend(judged(played));
    out
}

impl Match {
    /// The last way through the automaton, from the last choice or draw on: its places, and where play went on behind each.
    /// `None` where the match cannot be played again, as one that an example has set up.
    fn last_trail(&self) -> Option<Vec<(Pc, Pc)>> {
        let options = self.machine().setup.options.iter().cloned().enumerate().collect();
        let entries: Vec<&Entry> = self.entries().collect();
        let Some((last, before)) = entries.split_last() else {
            let mut position = self.machine().blank().ok()?;
            return self.machine().trail(&mut position).ok();
        };
        let mut played =
            Match::undrawn(self.rules.clone(), &options, self.players(), self.bots_seed()).ok()?;
        before.iter().try_for_each(|entry| played.repeat(entry).ok()?.then_some(()))?;
        let mut position = played.position().clone();
        match last.player {
            0 => self.machine().settle(&mut position, last.args.first()?.1.clone()).ok()?.ok()?,
            player => {
                let (seat, chosen) = played.judge(player, &last.name, &played.args_json(last)).ok()?;
                self.machine().accept(&mut position, seat, chosen).ok()?;
            }
        }
        self.machine().trail(&mut position).ok()
    }
}

/// What was decided last on the way to the end.
fn decision<'f>(played: &Match, file: &'f File, trail: &[(Pc, Pc)]) -> Decision<'f> {
    let game = &played.rules.game;
    let Some((end, _)) = trail.last().copied() else { return Decision::Whole };
    let mut loops: Vec<&'f Stmt> = Vec::new();
    let mut untils: Vec<Span> = Vec::new();
    each_statement_of(file, &mut |stmt| {
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
    let written = |pc: Pc| game.places.iter().filter(move |(_, at)| *at == pc).map(|(span, _)| *span);
    // `end when C` and `win p when C`, and `end` and `win p` behind an `if`: what stands around the end has held.
    let holds = |(pc, next): &&(Pc, Pc)| matches!(&game.code[*pc], Op::Unless(_, to) if *next == pc + 1 && *pc < end && end < *to);
    if let Some((pc, _)) = trail.iter().rev().find(holds)
        && end + 1 < game.code.len()
    {
        return Decision::Condition(*pc);
    }
    for (pc, next) in trail.iter().rev() {
        match &game.code[*pc] {
            Op::Choose(id) if game.choices[*id].stuck == Some(*next) => {
                let stuck = played.events().filter_map(|(_, event)| match event {
                    Event::Stuck(seat, _) => Some(*seat),
                    _ => None,
                });
                return stuck.last().map_or(Decision::Whole, Decision::Stuck);
            }
            Op::Unless(..) if *next == pc + 1 && written(*pc).any(|span| untils.contains(&span)) => {
                return Decision::Condition(*pc);
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
    Decision::Whole
}

fn until_span(until: &Until) -> Span {
    match until {
        Until::Stuck(span) => *span,
        Until::Cond(cond) => cond.span,
    }
}

/// Whether somebody chooses something in a loop.
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

/// The reason in a sentence; nothing where the rules just have no more.
fn reason(played: &Match, decision: Decision) -> Option<String> {
    let game = &played.rules.game;
    Some(match decision {
        Decision::Stuck(seat) => format!("{} has no legal move", game.seat_name(seat)),
        Decision::NobodyMoves => "nobody has a legal move".to_string(),
        Decision::NobodyIsIn => "nobody is in any more".to_string(),
        Decision::Done(Some(name)) if name.chars().count() > 1 => {
            format!("the last {} is over", name.replace('_', " "))
        }
        Decision::Done(_) | Decision::Whole => "all has been played".to_string(),
        Decision::Condition(pc) => {
            let Op::Unless(cond, _) = &game.code[pc] else { return None };
            let span = game.places.iter().filter(|(_, at)| *at == pc).map(|(span, _)| *span);
            // Of a statement and the condition it begins with, the condition.
            let span = span.min_by_key(|span| span.end - span.start).unwrap_or(cond.span);
            let words = clause(played, span).unwrap_or_else(|| one_line(played, span));
            let mut values = values(played, cond);
            // What the words end with need not be said once more.
            let said = |told: &str| {
                told.rsplit_once(" is ").is_some_and(|(_, value)| words.ends_with(&format!(" is {value}")))
            };
            values.retain(|told| !said(told));
            match values.is_empty() {
                true => words,
                false => format!("{words} ({})", values.join(", ")),
            }
        }
    })
}

fn one_line(played: &Match, span: Span) -> String {
    played.rules.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What met a condition: the first elements that fulfil its `some`, else the values that it compares.
fn values(played: &Match, cond: &Expr) -> Vec<String> {
    const MANY: usize = 3;
    const LONG: usize = 40;
    // That a condition held is told by the end itself; what it was judged by may be secret still.
    if reads_secret(&played.rules.game, cond) {
        return Vec::new();
    }
    let found = witness(played, cond).or_else(|| {
        let mut parts = Vec::new();
        operands(cond, &mut parts);
        // What was agreed on has its value in the words already.
        let agreed = |part: &Expr| matches!(part.kind, ExprKind::Option(_) | ExprKind::Constant(_));
        parts.retain(|part| !agreed(part) && !matches!(part.ty, Type::Grid(_) | Type::Map(..)));
        let position = played.position();
        let worth =
            played.machine().ask(position, |env| Ok(played.worth(env, &parts, &position.frame))).ok()?;
        let told = worth.into_iter().map(|(name, value)| format!("{name} is {value}"));
        Some(told.collect::<Vec<_>>())
    });
    let mut found = found.unwrap_or_default();
    found.retain(|told| told.chars().count() <= LONG && !told.contains('\n'));
    found.truncate(MANY);
    found
}

/// The first elements that fulfil a `some`, or one that stands in a condition joined by `and` and `or`.
fn witness(played: &Match, cond: &Expr) -> Option<Vec<String>> {
    match &cond.kind {
        ExprKind::And(a, b) | ExprKind::Or(a, b) => witness(played, a).or_else(|| witness(played, b)),
        ExprKind::Fold(fold) if fold.kind == FoldKind::Some => {
            let slots: Vec<_> = fold.sources.iter().flat_map(|source| &source.slots).collect();
            let local =
                |slot: &usize| Expr { kind: ExprKind::Local(*slot), ty: Type::Wrong, span: cond.span };
            let body = Expr {
                kind: ExprKind::Tuple(slots.into_iter().map(local).collect()),
                ty: Type::Wrong,
                span: cond.span,
            };
            let filter = match fold.filter.clone() {
                Some(filter) => Expr {
                    kind: ExprKind::And(Box::new(filter), Box::new(fold.body.clone())),
                    ty: Type::Bool,
                    span: cond.span,
                },
                None => fold.body.clone(),
            };
            let first = Fold { kind: FoldKind::First, filter: Some(filter), body, ..(**fold).clone() };
            let first = Expr { kind: ExprKind::Fold(Box::new(first)), ty: Type::Wrong, span: cond.span };
            let position = played.position();
            let found =
                played.machine().ask(position, |env| env.eval(&first, &mut position.frame.clone())).ok()?;
            let Value::List(found) = found else { return None };
            let game = &played.rules.game;
            Some(found.iter().map(|value| spaced(&text::words(game, value))).collect())
        }
        _ => None,
    }
}

/// Words with a blank behind each comma.
fn spaced(words: &str) -> String {
    words.split(',').map(str::trim_start).collect::<Vec<_>>().join(", ")
}

/// What is compared, as people call it, where it is something with a name: `rank()` is the rank, `me.taken` taken.
fn called(what: &str) -> String {
    let name = what.trim_start_matches("me.").trim_end_matches("()");
    match name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => name.replace('_', " "),
        false => what.to_string(),
    }
}

/// How the winner rule found who won, where the points do not show it.
fn judged(played: &Match) -> Option<String> {
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
            0 => Some("nobody is left in".to_string()),
            many => Some(format!("{many} players are left in")),
        },
        Verdict::Compared(by) => {
            let told = by
                .into_iter()
                .filter(|by| by.what != "score" && by.what != "me.score" && by.values.len() > 1);
            let told = told.map(|by| {
                let way = if by.highest { "highest" } else { "lowest" };
                let each: Vec<String> = by
                    .values
                    .into_iter()
                    .map(|(player, value)| format!("{} {value}", name(player)))
                    .collect();
                format!("the {way} {} decides: {}", called(&by.what), each.join(", "))
            });
            let told: Vec<String> = told.collect();
            (!told.is_empty()).then(|| told.join("; "))
        }
    }
}

/// Everybody's points in order, the best first, with their places: who is level shares one.
pub fn standings(game: &crate::ir::Game, scores: &[Int]) -> Vec<String> {
    let lowest = matches!(game.winner.as_ref().map(|winner| (&winner.by, winner.loser)),
        Some((WinnerBy::Best(keys), loser)) if keys.first().is_some_and(|(highest, key)| matches!(key.body.kind, ExprKind::Score(_)) && *highest == loser));
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
