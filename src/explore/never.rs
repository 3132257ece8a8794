//! What never happens: parts of the rules that ran in no match, and seats that never win.

use std::sync::Arc;

use super::intent::are_meant;
use super::joined::{behind, consequences};
use super::sample::MAX_CHOICES;
use super::search::{go, steps_on};
use super::setting::words_of_all;
use super::{Finding, Report, Setting, SettingResult, Sort, Step, counted, played, thousands};
use crate::ast::{Block, ItemKind, Stmt, StmtKind};
use crate::diag::{Code, Diagnostic, Label};
use crate::eval::{Coverage, Part, PartKind};
use crate::ir::{Choice, Expr, ExprKind, Game, Interests, Scoring, children};
use crate::play::{Rules, run_examples};
use crate::source::Span;

/// A seat that won nothing is reported if the odds of that are at most 10 to this power.
const MAX_LOG10_ODDS: f64 = -6.0;

/// The fewest finished matches after which something that happened in none of them is reported.
const LEAST_MATCHES: u64 = 50;

/// After so many finished matches without a winner, it is reported that nobody wins.
const MANY_MATCHES: u64 = 1_000;

/// How often something must at least have been possible before a sample may report that it never happens:
/// what happens once in a hundred times is missed by one in seven samples of this size.
const LEAST_TIMES: u64 = 200;

/// What happens at least once in this many opportunities counts as frequent: fewer than one sample of
/// [`LEAST_TIMES`] in twenty thousand would miss it.
const FREQUENT_ONE_IN: u64 = 20;

/// What was explored while coverage was counted.
struct Evidence {
    /// The settings, in words, and whether these are all.
    settings: String,
    all_settings: bool,
    /// The total number of positions of the settings that were searched completely.
    positions: u64,
    /// The number of settings sampled, their matches, and those in bulk.
    sampled: u64,
    matches: u64,
    in_bulk: u64,
    /// How many of the matches were played to their end, or are of a setting with matches of the maximum
    /// length.
    whole: u64,
}

impl Evidence {
    fn of(rules: &Rules, report: &Report) -> Evidence {
        let (complete, sampled): (Vec<&SettingResult>, Vec<&SettingResult>) =
            report.tried.iter().partition(|tried| tried.complete);
        let sum = |of: fn(&SettingResult) -> u64| sampled.iter().map(|tried| of(tried)).sum();
        Evidence {
            settings: in_words(rules, report),
            all_settings: report.all_settings,
            positions: complete.iter().map(|tried| tried.positions).sum(),
            sampled: sampled.len() as u64,
            matches: sum(|tried| tried.matches),
            in_bulk: sum(|tried| tried.in_bulk),
            whole: sum(|tried| if tried.longest >= MAX_CHOICES { tried.matches } else { tried.finished }),
        }
    }

    /// Whether this is enough to report that something never happens. If most matches were abandoned early,
    /// it may happen only later in a match.
    fn is_enough(&self) -> bool {
        let most = 2 * self.whole >= self.matches;
        self.sampled == 0 && self.positions > 0 || self.whole >= LEAST_MATCHES && most
    }

    /// Describes the evidence that something never happens.
    fn words(&self) -> String {
        let settings = &self.settings;
        let matches = played(self.matches, self.in_bulk);
        let positions = counted(self.positions, "position", "positions");
        match (self.sampled, self.positions) {
            (0, _) => in_none(&positions, settings, self.all_settings),
            (_, 0) => format!("in none of {matches}, with {settings}"),
            _ => format!("in none of {matches} and in none of {positions}, with {settings}"),
        }
    }
}

/// Describes the evidence that something never happens where all positions were searched.
fn in_none(positions: &str, settings: &str, all_settings: bool) -> String {
    if positions.starts_with("1 ") {
        return format!("not in the only position that exists, with {settings}");
    }
    match all_settings {
        true => format!("in none of the {positions} that exist, with {settings}"),
        false => format!("in none of the {positions} that exist in the settings tried: {settings}"),
    }
}

/// The settings that were explored, in words.
fn in_words(rules: &Rules, report: &Report) -> String {
    words_of_all(rules, &report.tried.iter().map(|tried| &tried.setting).collect::<Vec<_>>())
}

/// Reports the parts of the rules that could have run but never did in any setting, and those that ran in the
/// worked examples only. Parts that merely follow from another of them are left out.
///
/// `elsewhere` is the coverage of settings outside the plan: what runs there is only excluded by the options
/// that the plan fixes. Of the `usual` setting, it is also reported if nobody comes to choose in it.
pub(super) fn never_happens(
    rules: &Rules,
    (coverage, elsewhere): (&Coverage, Option<&Coverage>),
    usual: Option<&Setting>,
    report: &mut Report,
) {
    let seen = Evidence::of(rules, report);
    report.unchecked = report.broken_off || !seen.is_enough() || breaks(rules, report);
    if report.unchecked {
        return;
    }
    let (watched, examples) = rules.watched();
    run_examples(&Arc::new(watched));
    let parts = coverage.parts(&rules.game, &rules.source);
    let shown = examples.parts(&rules.game, &rules.source);
    let elsewhere = elsewhere.unwrap_or(coverage).parts(&rules.game, &rules.source);
    // If everything was searched, one opportunity is enough. A part without any follows from another part
    // that never ran.
    let least = if seen.sampled == 0 { 1 } else { LEAST_TIMES };
    let met = parts.iter().filter(|part| is_condition(part.kind));
    report.observed.extend(met.map(|part| (part.span, part.ran * FREQUENT_ONE_IN >= part.of.max(1))));
    // If nobody ever moves, `of` is 0 for every move, but the moves are reported all the same.
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
    let (file, _) = crate::syntax::parse(&rules.source);
    let (behind, consequences) = (behind(&file, &never), consequences(rules, &file, coverage, &never));
    let follows = |span: &Span| behind.contains(span) || consequences.contains_key(span);
    for (part, shown) in never.iter().filter(|(part, _)| !follows(&part.span)) {
        // A move that is never chosen is reported once, at its declaration.
        let offer = matches!(part.kind, PartKind::Offer | PartKind::ElseOffer);
        let declared = |other: &Part| other.kind == PartKind::Move && other.label == part.label;
        if offer && never.iter().any(|(other, _)| declared(other)) {
            continue;
        }
        // Needs are probed for only some of very many choices.
        let need = matches!(part.kind, PartKind::Need | PartKind::Preference);
        let asked = !need || report.tried.iter().all(|tried| tried.all_asked);
        let searched = seen.sampled == 0 && asked;
        let (sort, message) = match shown {
            0 if searched => (Sort::NeverHappens, part.kind.never().to_string()),
            0 => (Sort::NeverHappens, format!("{} in what was tried", part.kind.never())),
            _ => {
                let message = format!("{} in play, though it happens in an example", part.kind.never());
                (Sort::ExampleOnly, message)
            }
        };
        let mut diagnostic = Diagnostic::new(sort.code(), part.span, message, label(part));
        for (span, cause) in consequences.iter().filter(|(_, cause)| cause.part == part.span) {
            let text = format!("nor does this ever happen, since nothing else changes `{}`", cause.state);
            diagnostic.labels.push(Label { span: *span, text });
        }
        let diagnostic = match part.kind {
            PartKind::Need if searched => diagnostic.help(
                "every possible choice meets it, or a need before it refuses the rest: remove it, move it up, or allow \
                 more choices",
            ),
            PartKind::Need => diagnostic.help(
                "not every choice was tried: it may refuse something rare, which more `--seconds` may find; if nothing can \
                 fail it, remove it, move it up, or allow more choices",
            ),
            _ => diagnostic,
        };
        let proved = searched && report.all_settings;
        report.add(Finding::of_many(sort, diagnostic, seen.words(), proved));
    }
    // Where no move is ever made, this has been said of each.
    if !never.iter().any(|(part, _)| moves(part)) {
        nobody_chooses(rules, usual, report);
    }
}

/// Reports that all matches of the usual setting end before anybody chooses.
fn nobody_chooses(rules: &Rules, usual: Option<&Setting>, report: &mut Report) {
    let usual = report.tried.iter().find(|tried| Some(&tried.setting) == usual);
    let silent = |tried: &&SettingResult| {
        !tried.asks && tried.choices == 0 && (tried.complete || tried.finished >= LEAST_MATCHES)
    };
    let (Some(usual), Some(choice)) = (usual.filter(silent), rules.game.choices.first()) else { return };
    let message = "every match ends before anybody chooses";
    let help = "draws may still decide who wins; start with more on the table, or test later whether the match is over; \
                options that leave nothing to play can be excluded by a `need` on them";
    let label = "nobody comes to choose here";
    let diagnostic = Diagnostic::new(Code::NeverHappens, choice.span, message, label).help(help);
    let proved = usual.complete && report.all_settings;
    let finding = Finding::of_many(Sort::NeverHappens, diagnostic, usual.words(rules), proved);
    report.add(finding);
}

/// Whether matches break off unintentionally: then what never happens may be a consequence of that.
fn breaks(rules: &Rules, report: &Report) -> bool {
    let is_meant = are_meant(rules);
    let breaks = |finding: &&Finding| finding.breaks && matches!(finding.sort, Sort::Fault | Sort::Stuck);
    let mut broken = report.findings.iter().filter(breaks);
    broken.any(|finding| !is_meant(&finding.diagnostic))
}

/// Whether a part of this kind is reported when it never runs. Handling of stuck seats may be a safety
/// measure, and nothing is lost if the condition of an `if` without `else` always holds.
fn is_told(kind: PartKind) -> bool {
    !matches!(kind, PartKind::Stuck | PartKind::PassedOver)
}

/// Whether nothing but "never happens" can be reported at a part of this kind: true of conditions and of what
/// depends on them, but not of choices, at which a match may also break off or go on for ever.
fn is_condition(kind: PartKind) -> bool {
    use PartKind::{
        Arm, Branch, Else, End, EndWhen, Filter, Need, Preference, TieBreak, Until, Win, WinWhen,
    };
    matches!(
        kind,
        Need | Preference | Branch | Else | Filter | Until | End | EndWhen | Win | WinWhen | Arm | TieBreak
    )
}

/// Describes how often a part could have run.
fn label(part: &Part) -> String {
    let times = counted(part.of, "time", "times");
    match part.kind {
        PartKind::Need | PartKind::Preference => format!("checked {times}"),
        PartKind::Branch | PartKind::Until | PartKind::EndWhen | PartKind::WinWhen | PartKind::PassedOver => {
            format!("tested {times}")
        }
        PartKind::Move if part.of == 0 => "nobody can ever move".to_string(),
        PartKind::Move | PartKind::Offer | PartKind::ElseOffer => format!("offered {times}"),
        _ => String::new(),
    }
}

/// Returns the statements of an item of the file.
pub(super) fn body(kind: &ItemKind) -> Option<&Block> {
    match kind {
        ItemKind::Move(crate::ast::Move { body, .. }) | ItemKind::Rule(_, _, body) | ItemKind::Play(body) => {
            Some(body)
        }
        _ => None,
    }
}

/// Calls `on` for a block and all blocks within it.
pub(super) fn each_block<'b>(block: &'b Block, on: &mut dyn FnMut(&'b Block)) {
    on(block);
    block.stmts.iter().flat_map(Stmt::blocks).for_each(|body| each_block(body, on));
}

/// Reports the seats that win in none of the settings in which they play.
///
/// Based on a sample, a seat is reported only if all seats have the same role in the game or this seat never
/// chooses, and then with the odds; if every position was searched, it is a fact.
pub(super) fn never_wins(rules: &Rules, report: &mut Report) {
    let seats = report.tried.iter().map(|tried| tried.wins.len()).max().unwrap_or(0);
    let known = report.tried.iter().all(|tried| tried.complete);
    // If nothing says who wins, the checker warns of that.
    if rules.warnings.iter().any(|warning| warning.code == Code::NobodyWins) {
        return;
    }
    // The rule by which somebody would win never applies, which is reported as such.
    let place = decided_at(rules);
    let idle = |finding: &Finding| finding.sort == Sort::NeverHappens && finding.diagnostic.span() == place;
    if report.findings.iter().any(idle) {
        return;
    }
    // If matches need not end, perhaps none does; that nobody wins is then no surprise.
    let endless = report.findings.iter().any(|finding| finding.sort == Sort::Endless);
    // Where nobody wins any of very many matches, probably nobody can.
    let finished: u64 = report.tried.iter().map(|tried| tried.finished).sum();
    if !endless && (known || finished >= MANY_MATCHES) && always_shared(rules, report) {
        let in_settings = in_words(rules, report);
        let positions = report.tried.iter().map(|tried| tried.positions).sum();
        let how = match known {
            true => in_none(&counted(positions, "position", "positions"), &in_settings, report.all_settings),
            false => format!(
                "in none of {}, with {in_settings}",
                counted(finished, "finished match", "finished matches")
            ),
        };
        let message = "nobody ever wins alone: all players share every match";
        let help = "what is compared is always the same for all of them: compare something that can differ, or break the tie, as in `…, then last mover`";
        let diagnostic = Diagnostic::new(Code::NeverWins, place, message, "this decides who wins").help(help);
        return report.add(Finding::of_many(Sort::NeverWins, diagnostic, how, known && report.all_settings));
    }
    let often = finished >= MANY_MATCHES
        && rules.game.winner.is_some()
        && report.tried.iter().all(|tried| tried.wins.iter().all(|n| *n == 0));
    let (mut losers, mut matches, mut odds) = (Vec::new(), 0, f64::NEG_INFINITY);
    for seat in 0..seats {
        let tables = || report.tried.iter().filter(|tried| seat < tried.wins.len());
        let decided = tables().any(|tried| tried.wins.iter().any(|wins| *wins > 0));
        if !decided && (!known && !often || endless) || tables().any(|tried| tried.wins[seat] > 0) {
            continue;
        }
        if !decided && !known {
            losers.push(rules.game.seat_name(seat));
            (matches, odds) = (tables().map(|tried| tried.finished).sum(), f64::NEG_INFINITY);
            continue;
        }
        let own: f64 = tables().map(odds_of_none).sum();
        let idle = !tables().any(|tried| tried.chose[seat]);
        if known || own < MAX_LOG10_ODDS && (idle || !has_parts(&rules.game)) {
            losers.push(rules.game.seat_name(seat));
            (matches, odds) = (tables().map(|tried| tried.finished).sum(), own.max(odds));
        }
    }
    let Some((last, others)) = losers.split_last() else {
        // Twenty matches without a win are reported for one of two seats; a seat with less than half of its
        // fair share of wins might be missed by so few matches.
        let often = |tried: &SettingResult, seat: usize| {
            let fair = tried.finished / tried.wins.len().max(1) as u64;
            tried.wins.get(seat).is_some_and(|wins| *wins > 0 && 2 * wins >= fair)
        };
        let wins = |seat: usize| report.tried.iter().any(|tried| often(tried, seat));
        report.observed.push((decided_at(rules), (0..seats).all(wins)));
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
            (in_none(&positions, &in_settings, report.all_settings), shares)
        }
        false => (
            format!(
                "in none of {}, with {in_settings}",
                counted(matches, "finished match", "finished matches")
            ),
            match odds.is_finite() {
                false => "no match had a winner".to_string(),
                true => format!(
                    "{shares}; if all seats were equally likely to win, this would happen once in 10^{:.0} times",
                    -odds
                ),
            },
        ),
    };
    let diagnostic =
        Diagnostic::new(Code::NeverWins, decided_at(rules), message, "this decides who wins").help(help);
    report.add(Finding::of_many(Sort::NeverWins, diagnostic, how, known && report.all_settings));
}

/// Whether players who play against each other share every end that was seen, in all settings.
fn always_shared(rules: &Rules, report: &Report) -> bool {
    report.tried.iter().all(|tried| {
        let (seats, ends) = (tried.wins.len(), tried.finished + tried.ends);
        let opposed = seats > 1 && rules.game.interests(seats) == Interests::Opposed;
        opposed && ends > 0 && tried.wins.iter().all(|wins| *wins == ends)
    })
}

/// Describes how many wins each seat has, and the order in which seats chose in a match of the setting with
/// the most players.
fn shares(rules: &Rules, report: &Report, known: bool) -> String {
    let seats = report.tried.iter().map(|tried| tried.wins.len()).max().unwrap_or(0);
    // The wins of a setting whose positions were all searched are final positions, not matches.
    let played = || report.tried.iter().filter(|tried| known || tried.finished > 0);
    let won = (0..seats).map(|seat| {
        let won: u64 = played().filter_map(|tried| tried.wins.get(seat)).sum();
        let won = if won == 0 { "none".to_string() } else { thousands(won) };
        format!("{} {won}", rules.game.seat_name(seat))
    });
    let won: Vec<String> = won.collect();
    let of = match known {
        true => "in all final positions".to_string(),
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
        false => format!("; in one of them, the first choices were made by {}", order.join(", ")),
    };
    format!("wins {of}: {}{chose}", won.join(", "))
}

/// Returns the seats (from 0) that make the first `most` choices of a match, in order.
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

/// Returns the odds, as a power of ten, that a seat wins none of these matches if all seats are equally
/// likely to win. Only matches played uniformly at random count.
fn odds_of_none(tried: &SettingResult) -> f64 {
    let (wins, seats) = (tried.wins.iter().sum::<u64>() as f64, tried.wins.len() as f64);
    // A match with several winners counts for each of them. The same number of wins in more matches is less
    // surprising, so matches without a winner may count here too.
    match tried.complete || wins == 0.0 {
        true => 0.0,
        false => tried.at_random as f64 * (1.0 - wins / (tried.finished as f64 * seats)).log10(),
    }
}

/// Whether seats have roles of their own: named scores, or choices that are asked of one particular seat.
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

/// Returns the place that decides who wins: the `winner` rule, else the first `win` statement, else the first
/// line of the game's head.
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
