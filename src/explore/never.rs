//! What never comes about: parts of the rules that no match met, seats that never win.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::intent::are_meant;
use super::sample::MAX_CHOICES;
use super::search::{go, steps_on};
use super::setting::words_of_all;
use super::{Finding, Report, Setting, Sort, Step, Tried, counted, played, thousands};
use crate::ast::{Block, ItemKind, Stmt, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::eval::{Coverage, Part, PartKind};
use crate::ir::{Choice, Expr, ExprKind, Game, Scoring, children};
use crate::play::{Rules, run_examples};
use crate::source::Span;

/// The odds, as a power of ten, from which on it is told that a seat won nothing.
const TOLD: f64 = -6.0;

/// How many matches are played to their end at least before it is said that something happened in none.
const LEAST_MATCHES: u64 = 50;

/// How often something could have come about at least before a sample says that it never does: what comes about once in a
/// hundred times is missed once in seven samples of this size.
const LEAST_TIMES: u64 = 200;

/// What comes about once in so many times at least is missed by no sample of that size, but for one in twenty thousand.
const OFTEN: u64 = 20;

/// What was gone through while what runs was counted.
struct Seen {
    /// The settings, in words.
    settings: String,
    /// The positions of settings that have no others.
    positions: u64,
    /// How many settings were sampled, the matches of these, and those in bulk.
    sampled: u64,
    matches: u64,
    in_bulk: u64,
    /// How many of the matches were played as far as any is.
    whole: u64,
}

impl Seen {
    fn of(rules: &Rules, report: &Report) -> Seen {
        let (complete, sampled): (Vec<&Tried>, Vec<&Tried>) =
            report.tried.iter().partition(|tried| tried.complete);
        let sum = |of: fn(&Tried) -> u64| sampled.iter().map(|tried| of(tried)).sum();
        Seen {
            settings: in_words(rules, report),
            positions: complete.iter().map(|tried| tried.positions).sum(),
            sampled: sampled.len() as u64,
            matches: sum(|tried| tried.matches),
            in_bulk: sum(|tried| tried.in_bulk),
            whole: sum(|tried| if tried.longest >= MAX_CHOICES { tried.matches } else { tried.finished }),
        }
    }

    /// Whether something that did not happen there can be said not to happen. Where most matches were given up early, it may
    /// be what they never came to.
    fn is_enough(&self) -> bool {
        let most = 2 * self.whole >= self.matches;
        self.sampled == 0 && self.positions > 0 || self.whole >= LEAST_MATCHES && most
    }

    /// How it was found that nothing of the kind happens.
    fn words(&self) -> String {
        let settings = &self.settings;
        let matches = played(self.matches, self.in_bulk);
        let positions = counted(self.positions, "position", "positions");
        match (self.sampled, self.positions) {
            (0, _) => format!("in none of the {positions} there are, with {settings}"),
            (_, 0) => format!("in none of {matches}, with {settings}"),
            _ => format!("in none of {matches} and in none of {positions}, with {settings}"),
        }
    }
}

/// The settings that were tried, in words.
fn in_words(rules: &Rules, report: &Report) -> String {
    words_of_all(rules, &report.tried.iter().map(|tried| &tried.setting).collect::<Vec<_>>())
}

/// Finds the parts of the rules that could have run and never did, in no setting at all, and those that ran in the worked
/// examples alone; what only follows from another of them is left out.
///
/// `elsewhere` is what ran in settings that were not asked for: what runs there is only shut out by what is settled.
pub(super) fn never_happens(
    rules: &Rules,
    coverage: &Coverage,
    elsewhere: Option<&Coverage>,
    report: &mut Report,
) {
    let seen = Seen::of(rules, report);
    report.unchecked = report.broken_off || !seen.is_enough() || breaks(rules, report);
    if report.unchecked {
        return;
    }
    let (watched, examples) = rules.watched();
    run_examples(&Arc::new(watched));
    let parts = coverage.parts(&rules.game, &rules.source);
    let shown = examples.parts(&rules.game, &rules.source);
    let elsewhere = elsewhere.unwrap_or(coverage).parts(&rules.game, &rules.source);
    // Where nothing before it ran either, that is a part of its own.
    let least = if seen.sampled == 0 { 1 } else { LEAST_TIMES };
    let met = parts.iter().filter(|part| is_condition(part.kind));
    report.met.extend(met.map(|part| (part.span, part.ran * OFTEN >= part.of.max(1))));
    // Where nobody ever moves, nothing is offered beside anything.
    let moves = |part: &&Part| part.kind == PartKind::Move;
    let nobody_moves = parts.iter().filter(moves).all(|part| part.ran == 0);
    let silent = |part: &Part| {
        let asked = part.of >= least || nobody_moves && moves(&part);
        part.ran == 0 && asked && is_told(part.kind)
    };
    let all = parts.iter().zip(&shown).zip(&elsewhere);
    let never: Vec<(&Part, u64)> = all
        .filter(|((part, _), elsewhere)| silent(part) && elsewhere.ran == 0)
        .map(|((part, shown), _)| (part, shown.ran))
        .collect();
    let follows = followers(rules, &never);
    for (part, shown) in never.iter().filter(|(part, _)| !follows.contains(&part.span)) {
        // A move that is chosen nowhere is told once, where it is declared.
        let offer = matches!(part.kind, PartKind::Offer | PartKind::ElseOffer);
        let declared = |other: &Part| other.kind == PartKind::Move && other.label == part.label;
        if offer && never.iter().any(|(other, _)| declared(other)) {
            continue;
        }
        let (sort, message) = match shown {
            0 => (Sort::NeverHappens, part.kind.never().to_string()),
            _ => {
                let message = format!("{} in play, though it happens in an example", part.kind.never());
                (Sort::ExampleOnly, message)
            }
        };
        let diagnostic = Diagnostic::new(sort.code(), part.span, message, label(part));
        let diagnostic = match part.kind {
            PartKind::Need => diagnostic.help(
                "all that may be chosen meets it, or a need before it refuses the rest: take it away, move it up, or \
                 let more be chosen",
            ),
            _ => diagnostic,
        };
        // Of very many choices only some were tried.
        let need = matches!(part.kind, PartKind::Need | PartKind::Preference);
        let proved = seen.sampled == 0 && !need;
        report.add(Finding::of_many(sort, diagnostic, seen.words(), proved));
    }
}

/// Whether matches break off where that is not meant: then what never happens may follow from it.
fn breaks(rules: &Rules, report: &Report) -> bool {
    let is_meant = are_meant(rules);
    let mut broken =
        report.findings.iter().filter(|finding| matches!(finding.sort, Sort::Fault | Sort::Stuck));
    broken.any(|finding| !is_meant(&finding.diagnostic))
}

/// Whether it is told where such a part never happens. What is there in case somebody is stuck may be there to be safe, and
/// a condition that always holds leaves nothing undone.
fn is_told(kind: PartKind) -> bool {
    !matches!(kind, PartKind::Stuck | PartKind::PassedOver)
}

/// Whether it is told of nothing but a condition, and what hangs on it, that it never happens; not of a choice, where a match may
/// end or go on for ever as well.
fn is_condition(kind: PartKind) -> bool {
    use PartKind::{
        Arm, Branch, Else, End, EndWhen, Filter, Need, Preference, TieBreak, Until, Win, WinWhen,
    };
    matches!(
        kind,
        Need | Preference | Branch | Else | Filter | Until | End | EndWhen | Win | WinWhen | Arm | TieBreak
    )
}

/// How often it could have come about.
fn label(part: &Part) -> String {
    let times = counted(part.of, "time", "times");
    match part.kind {
        PartKind::Need | PartKind::Preference => format!("asked {times}"),
        PartKind::Branch | PartKind::Until | PartKind::EndWhen | PartKind::WinWhen | PartKind::PassedOver => {
            format!("tested {times}")
        }
        PartKind::Move if part.of == 0 => "nobody can ever move".to_string(),
        PartKind::Move | PartKind::Offer | PartKind::ElseOffer => format!("offered {times}"),
        _ => String::new(),
    }
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
    file.items.iter().filter_map(|item| body(&item.kind)).for_each(|body| each_block(body, &mut block));
    found
}

/// The statements of a part of a file.
pub(super) fn body(kind: &ItemKind) -> Option<&Block> {
    match kind {
        ItemKind::Move(crate::ast::Move { body, .. }) | ItemKind::Rule(_, _, body) | ItemKind::Play(body) => {
            Some(body)
        }
        _ => None,
    }
}

/// Goes through a block and those within it.
pub(super) fn each_block<'b>(block: &'b Block, on: &mut dyn FnMut(&'b Block)) {
    on(block);
    block.stmts.iter().flat_map(Stmt::blocks).for_each(|body| each_block(body, on));
}

/// Finds the seats that win in none of the settings they play in.
///
/// Of a sample that is told only where all seats have the same part in the game, or this one has none, and then with the odds of
/// it; where every position was seen it is a fact.
pub(super) fn never_wins(rules: &Rules, report: &mut Report) {
    let seats = report.tried.iter().map(|tried| tried.wins.len()).max().unwrap_or(0);
    let known = report.tried.iter().all(|tried| tried.complete);
    // Where nothing says who wins, that is told where the file is checked; where matches need not end, who wins may hang on
    // that.
    let nothing_says = rules.warnings.iter().any(|warning| warning.code == Code::NobodyWins);
    if nothing_says || report.findings.iter().any(|finding| finding.sort == Sort::Endless) {
        return;
    }
    let (mut losers, mut matches, mut odds) = (Vec::new(), 0, f64::NEG_INFINITY);
    for seat in 0..seats {
        let tables = || report.tried.iter().filter(|tried| seat < tried.wins.len());
        let decided = tables().any(|tried| tried.wins.iter().any(|wins| *wins > 0));
        if !decided && !known || tables().any(|tried| tried.wins[seat] > 0) {
            continue;
        }
        let own: f64 = tables().map(odds_of_none).sum();
        let idle = !tables().any(|tried| tried.chose[seat]);
        if known || own < TOLD && (idle || !has_parts(&rules.game)) {
            losers.push(rules.game.seat_name(seat));
            (matches, odds) = (tables().map(|tried| tried.finished).sum(), own.max(odds));
        }
    }
    let Some((last, others)) = losers.split_last() else {
        // Twenty matches without a win are told of one of two seats: fewer wins than half its part may be missed by them.
        let often = |tried: &Tried, seat: usize| {
            let fair = tried.finished / tried.wins.len().max(1) as u64;
            tried.wins.get(seat).is_some_and(|wins| *wins > 0 && 2 * wins >= fair)
        };
        let wins = |seat: usize| report.tried.iter().any(|tried| often(tried, seat));
        report.met.push((decided_at(rules), (0..seats).all(wins)));
        return;
    };
    let message = match others {
        [] => format!("{last} never wins"),
        _ => format!("{} and {last} never win", others.join(", ")),
    };
    let shares = shares(rules, report, known);
    let in_settings = in_words(rules, report);
    let (how, help) = match known {
        true => {
            let positions = report.tried.iter().map(|tried| tried.positions).sum();
            let positions = counted(positions, "position", "positions");
            (format!("in none of the {positions} there are, with {in_settings}"), shares)
        }
        false => (
            format!(
                "in none of {}, with {in_settings}",
                counted(matches, "finished match", "finished matches")
            ),
            format!(
                "{shares}; if all seats were as likely to win, that would come about once in 10^{:.0} times",
                -odds
            ),
        ),
    };
    let diagnostic = Diagnostic::new(Code::NeverWins, decided_at(rules), message, "this decides").help(help);
    report.add(Finding::of_many(Sort::NeverWins, diagnostic, how, known));
}

/// How many each seat won of all that came to an end, and in which order seats chose in a match of the largest table.
fn shares(rules: &Rules, report: &Report, known: bool) -> String {
    let seats = report.tried.iter().map(|tried| tried.wins.len()).max().unwrap_or(0);
    let won = (0..seats).map(|seat| {
        let won: u64 = report.tried.iter().filter_map(|tried| tried.wins.get(seat)).sum();
        let won = if won == 0 { "none".to_string() } else { thousands(won) };
        format!("{} has {won}", rules.game.seat_name(seat))
    });
    let won: Vec<String> = won.collect();
    let of = match known {
        true => "in all last positions".to_string(),
        false => {
            let finished = report.tried.iter().map(|tried| tried.finished).sum();
            format!("in {}", counted(finished, "match", "matches"))
        }
    };
    let order = report.tried.iter().rfind(|tried| tried.wins.len() == seats);
    let order = order.map_or(Vec::new(), |tried| order_of_choices(rules, &tried.setting, 2 * seats));
    let order: Vec<String> = order.into_iter().map(|seat| rules.game.seat_name(seat)).collect();
    let chose = match order.is_empty() {
        true => String::new(),
        false => format!("; in one of them the first choices were those of {}", order.join(", ")),
    };
    format!("of the wins {of} {}{chose}", won.join(", "))
}

/// Who chooses in a match, one after the other, from 0: the first so many choices.
fn order_of_choices(rules: &Rules, setting: &Setting, most: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let machine = rules.machine(&setting.options, setting.players);
    let Ok(machine) = machine else { return order };
    let Ok(mut position) = machine.start() else { return order };
    while order.len() < most
        && let Ok((steps, ..)) = steps_on(&machine, &position)
        && let Some(step) = steps.first()
    {
        if let Step::Choice(picks) = step {
            order.extend(picks.iter().map(|(seat, _)| *seat));
        }
        if go(&machine, &mut position, step).is_err() {
            break;
        }
    }
    order
}

/// The odds, as a power of ten, that a seat wins none of these matches if all seats are as likely to win. Those alone count
/// that were played at random.
fn odds_of_none(tried: &Tried) -> f64 {
    let (wins, seats) = (tried.wins.iter().sum::<u64>() as f64, tried.wins.len() as f64);
    // A match that several win counts for each. The same wins in more matches are less of a surprise, so matches that
    // nobody wins may count here too.
    match tried.complete || wins == 0.0 {
        true => 0.0,
        false => tried.at_random as f64 * (1.0 - wins / (tried.finished as f64 * seats)).log10(),
    }
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

/// The line that decides who wins: the rule that says so, or where play says it first, or the head of the file.
fn decided_at(rules: &Rules) -> Span {
    let (file, _) = crate::syntax::parse(&rules.source);
    let of = |wanted: fn(&ItemKind) -> bool| {
        file.items.iter().find(|item| wanted(&item.kind)).map(|item| item.span)
    };
    let mut wins = None;
    for body in file.items.iter().filter_map(|item| body(&item.kind)) {
        each_block(body, &mut |block| {
            let mut stmts = block.stmts.iter();
            let win = stmts.find(|stmt| matches!(stmt.kind, StmtKind::Win(_) | StmtKind::WinWhen(..)));
            wins = wins.or(win.map(|stmt| stmt.span));
        });
    }
    let rule = of(|kind| matches!(kind, ItemKind::Winner(..)));
    let span = rule.or(wins).or(of(|kind| matches!(kind, ItemKind::Game(_)))).unwrap_or_default();
    let line = rules.source.slice(span).lines().next().unwrap_or("").trim_end().len();
    Span::new(span.start, span.start + line)
}
