//! What never comes about: parts of the rules that no match met, seats that never win.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sample::sample;
use super::{Finding, Plan, Report, Setting, Sort, Tried, counted};
use crate::ast::{Block, ItemKind, Stmt, StmtKind};
use crate::check::intent::intents;
use crate::diag::{Code, Diagnostic};
use crate::eval::{Part, PartKind};
use crate::ir::{Choice, Expr, ExprKind, Game, Scoring, children};
use crate::play::{Rules, run_examples};
use crate::source::Span;

/// The odds, as a power of ten, from which on it is told that a seat won nothing.
const TOLD: f64 = -6.0;

/// How many matches are played at least before it is said that something happened in none of them.
const LEAST_MATCHES: u64 = 50;

/// Finds the parts of the rules that could have run and never did, in no setting at all, and those that ran in the worked
/// examples alone; what only follows from another of them is left out. A quarter of the plan's effort goes there.
pub(super) fn never_happens(rules: &Rules, plan: &Plan, report: &mut Report) {
    let (watched, coverage) = rules.watched();
    let settings: Vec<Setting> = report.tried.iter().map(|tried| tried.setting.clone()).collect();
    let mut played = Report::default();
    for (number, setting) in settings.iter().enumerate() {
        let Ok(machine) = watched.machine(&setting.options, setting.players) else { continue };
        let share = plan.effort / 4 / settings.len() as u64;
        sample(plan, ((number + settings.len()) as u64, setting, &machine), share, &mut played);
    }
    let matches = played.tried.iter().map(|tried| tried.matches).sum();
    report.broken_off |= played.broken_off;
    played.findings.into_iter().for_each(|finding| report.add(finding));
    report.unchecked = report.broken_off || matches < LEAST_MATCHES || breaks(rules, report);
    if report.unchecked {
        return;
    }
    let (watched, examples) = rules.watched();
    run_examples(&Arc::new(watched));
    let parts = coverage.parts(&rules.game, &rules.source);
    let shown = examples.parts(&rules.game, &rules.source);
    // Where nothing before it ran either, that is a part of its own.
    let silent = |part: &Part| part.ran == 0 && part.of > 0 && is_told(part.kind);
    let never: Vec<(&Part, u64)> = parts
        .iter()
        .zip(&shown)
        .filter(|(part, _)| silent(part))
        .map(|(part, shown)| (part, shown.ran))
        .collect();
    let follows = followers(rules, &never);
    let how = how(report.tried.len() as u64, matches);
    for (part, shown) in never.iter().filter(|(part, _)| !follows.contains(&part.span)) {
        // A move that is chosen nowhere is told once, where it is declared.
        let offer = matches!(part.kind, PartKind::Offer | PartKind::ElseOffer);
        let declared = |other: &Part| other.kind == PartKind::Move && other.label == part.label;
        if offer && never.iter().any(|(other, _)| declared(other)) {
            continue;
        }
        let (sort, cause, message) = match shown {
            0 => (Sort::NeverHappens, Code::NeverHappens, part.kind.never().to_string()),
            _ => {
                let message = format!("{} in play, though it happens in an example", part.kind.never());
                (Sort::ExampleOnly, Code::ExampleOnly, message)
            }
        };
        let diagnostic = Diagnostic::new(cause, part.span, message, label(part));
        report.add(Finding { sort, cause, diagnostic, trace: None, how: how.clone(), proved: false });
    }
}

/// Whether matches break off where that is not meant: then what never happens may follow from it.
fn breaks(rules: &Rules, report: &Report) -> bool {
    let intents = intents(&rules.source);
    let broken = report.findings.iter().filter(|finding| matches!(finding.sort, Sort::Fault | Sort::Stuck));
    broken.map(|finding| &finding.diagnostic).any(|found| !intents.iter().any(|intent| intent.covers(found)))
}

/// Whether it is told where such a part never happens. What is there in case somebody is stuck may be there to be safe, and
/// a condition that always holds leaves nothing undone.
fn is_told(kind: PartKind) -> bool {
    !matches!(kind, PartKind::Stuck | PartKind::PassedOver)
}

/// How often it could have come about.
fn label(part: &Part) -> String {
    let times = counted(part.of, "time", "times");
    match part.kind {
        PartKind::Need | PartKind::Preference => format!("asked {times}"),
        PartKind::Branch | PartKind::Until | PartKind::PassedOver => format!("tested {times}"),
        PartKind::Move | PartKind::Offer | PartKind::ElseOffer => format!("offered {times}"),
        _ => String::new(),
    }
}

/// How it was found that nothing of the kind comes about: over all settings.
fn how(settings: u64, matches: u64) -> String {
    format!(
        "in none of {}, of {}",
        counted(matches, "match", "matches"),
        counted(settings, "setting", "settings")
    )
}

/// The statements that never run because one before them in their block never does.
fn followers(rules: &Rules, never: &[(&Part, u64)]) -> BTreeSet<Span> {
    let (file, _) = crate::syntax::parse(&rules.source);
    let starts: BTreeSet<usize> = never.iter().map(|(part, _)| part.span.start).collect();
    let mut found = BTreeSet::new();
    // Whether a condition holds is a matter of its own.
    let carried_out = |stmt: &&Stmt| {
        use StmtKind::{EndWhen, Need, NeedIfPossible, WinWhen};
        !matches!(stmt.kind, Need(..) | NeedIfPossible(..) | EndWhen(_) | WinWhen(..))
    };
    let mut block = |block: &Block| {
        let stmts = block.stmts.iter().filter(carried_out);
        for stmt in stmts.filter(|stmt| starts.contains(&stmt.span.start)).skip(1) {
            let of = never.iter().filter(|(part, _)| part.span.start == stmt.span.start);
            found.extend(of.map(|(part, _)| part.span));
        }
    };
    for item in &file.items {
        if let ItemKind::Move(crate::ast::Move { body, .. })
        | ItemKind::Rule(_, _, body)
        | ItemKind::Play(body) = &item.kind
        {
            each_block(body, &mut block);
        }
    }
    found
}

/// Goes through a block and those within it.
fn each_block(block: &Block, on: &mut dyn FnMut(&Block)) {
    on(block);
    for Stmt { kind, .. } in &block.stmts {
        match kind {
            StmtKind::If(arms, otherwise) => {
                arms.iter().map(|(_, body)| body).chain(otherwise).for_each(|body| each_block(body, on));
            }
            StmtKind::Each { body, .. }
            | StmtKind::Cycle { body, .. }
            | StmtKind::Repeat { body, .. }
            | StmtKind::Turns { body, .. }
            | StmtKind::Phase(_, body) => each_block(body, on),
            _ => {}
        }
    }
}

/// Finds the seats that win in none of the settings they play in.
///
/// Of a sample that is told only where all seats have the same part in the game, and then with the odds of it; where every
/// position was seen it is a fact.
pub(super) fn never_wins(rules: &Rules, report: &mut Report) {
    let seats = report.tried.iter().map(|tried| tried.wins.len()).max().unwrap_or(0);
    let known = false;
    let (mut losers, mut matches, mut odds) = (Vec::new(), 0, f64::NEG_INFINITY);
    for seat in 0..seats {
        let tables = || report.tried.iter().filter(|tried| seat < tried.wins.len());
        let decided = tables().any(|tried| tried.wins.iter().any(|wins| *wins > 0));
        if !decided || tables().any(|tried| tried.wins[seat] > 0) {
            continue;
        }
        let own: f64 = tables().map(odds_of_none).sum();
        if known || own < TOLD && !has_parts(&rules.game) {
            losers.push(rules.game.seat_name(seat));
            (matches, odds) = (tables().map(|tried| tried.finished).sum(), own.max(odds));
        }
    }
    let Some((last, others)) = losers.split_last() else { return };
    let message = match others {
        [] => format!("{last} never wins"),
        _ => format!("{} and {last} never win", others.join(", ")),
    };
    let diagnostic = Diagnostic::new(Code::NeverWins, decided_at(rules), message, "this decides");
    let (how, diagnostic) = match known {
        true => ("in no position that can come about".to_string(), diagnostic),
        false => (
            format!("in none of {}", counted(matches, "match", "matches")),
            diagnostic.help(format!(
                "if all seats were as likely to win, that would come about once in 10^{:.0} times",
                -odds
            )),
        ),
    };
    report.add(Finding {
        sort: Sort::NeverWins,
        cause: Code::NeverWins,
        diagnostic,
        trace: None,
        how,
        proved: known,
    });
}

/// The odds, as a power of ten, that a seat wins none of these matches if all seats are as likely to win.
fn odds_of_none(tried: &Tried) -> f64 {
    let (wins, seats) = (tried.wins.iter().sum::<u64>() as f64, tried.wins.len() as f64);
    let matches = tried.finished as f64;
    // A match that several win counts for each. The same wins in more matches are less of a surprise, so matches that
    // nobody wins may count here too.
    if wins == 0.0 { 0.0 } else { matches * (1.0 - wins / (matches * seats)).log10() }
}

/// Whether seats have parts of their own: points by seat, or choices that only a seat by its number is asked for.
fn has_parts(game: &Game) -> bool {
    fn by_number(e: &Expr) -> bool {
        let reads = |e: &Expr| {
            matches!(
                e.kind,
                ExprKind::Local(_)
                    | ExprKind::Table(_)
                    | ExprKind::Own(..)
                    | ExprKind::Players
                    | ExprKind::Standing
            )
        };
        let mut found = !reads(e);
        children(e, &mut |child| found = found && by_number(child));
        found
    }
    let asked = |choice: &Choice| by_number(&choice.who);
    matches!(game.scoring, Scoring::Named(_)) || game.choices.iter().any(asked)
}

/// The line that decides who wins; where there is none, the head of the file.
fn decided_at(rules: &Rules) -> Span {
    let (file, _) = crate::syntax::parse(&rules.source);
    let of = |wanted: fn(&ItemKind) -> bool| file.items.iter().find(|item| wanted(&item.kind));
    let item =
        of(|kind| matches!(kind, ItemKind::Winner(..))).or(of(|kind| matches!(kind, ItemKind::Game(_))));
    let span = item.map_or(Span::default(), |item| item.span);
    let line = rules.source.slice(span).lines().next().unwrap_or("").trim_end().len();
    Span::new(span.start, span.start + line)
}
