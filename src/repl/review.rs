//! A review as text: the curve, the choices that turned the match, and what would have been better.

use std::collections::{BTreeMap, BTreeSet};

use super::curve::Curve;
pub use super::curve::scale;
use super::prospects::Prospects;
use super::{screen, words};
use crate::bots::{Bot, Effort, Measure, NOBODY_WINS, Proof};
use crate::ir::Interests;
use crate::lab::{Luck, MoveValue, Review, ReviewedChoice, Reviewer};
use crate::play::{Look, Match, why_over};

/// The most turning points that are described with their tables.
const TOLD: usize = 5;
/// Sums of shares above this are not shown in per cent, which would be more than 100.
const WHOLE: f64 = 1.005;

/// Formats a review for a screen; `bots` are the seats (from 1) that bots played.
pub fn text(reviewer: &Reviewer, review: &Review, bots: &BTreeMap<usize, Bot>, look: Look) -> String {
    let whole = reviewer.whole;
    let turning = review.turning_points();
    let marks: Vec<usize> = turning.iter().take(TOLD).map(|(step, _)| *step).collect();
    let (points, names) = (curve_by_side(whole, review), sides(whole));
    let curve = Curve {
        points: &points,
        names: &names,
        marks: &marks,
        ended: review.end.is_some(),
        measure: review.measure,
        apart: review.hidden,
    };
    let mut parts = vec![words::paragraph(&heading(whole), look.width)];
    parts.extend(why_over(whole).iter().map(|reason| words::paragraph(reason, look.width)));
    parts.extend(screen::played_by(&whole.rules.game, bots));
    parts.push(curve.text(&look));
    if whole.depth() == 0 {
        parts.push(nothing_chosen(whole).to_string());
        return screen::join(parts);
    }
    if reviewer.steps() == 0 {
        parts.extend(left_out(reviewer).map(|sentence| words::paragraph(&sentence, look.width)));
        return screen::join(parts);
    }
    if !review.stops.is_empty() {
        parts.extend(totals(whole, review).map(|sentence| words::paragraph(&sentence, look.width)));
        parts.push(words::paragraph(&summary(reviewer.whole, review), look.width));
    }
    for (n, (step, judged)) in turning.iter().take(TOLD).enumerate() {
        let head = format!("{}. step {step}: {}", n + 1, turned(whole, judged));
        parts.push(words::paragraph(&head, look.width));
        parts.extend(
            reasons(reviewer, *step, judged).iter().map(|reason| words::paragraph(reason, look.width)),
        );
        let table = table_before(reviewer, *step, look);
        if !table.is_empty() {
            parts.extend(["before it:".to_string(), table]);
        }
    }
    if turning.len() > TOLD {
        let mut steps: Vec<usize> = turning.iter().skip(TOLD).map(|(step, _)| *step).collect();
        steps.sort_unstable();
        steps.dedup();
        let of = if steps.len() == 1 { "a smaller one at step" } else { "smaller ones at steps" };
        parts.push(words::paragraph(&format!("and {of} {}", words::and(&steps)), look.width));
    }
    parts.extend(left_out(reviewer).map(|sentence| words::paragraph(&sentence, look.width)));
    parts.push(words::paragraph(&basis(reviewer, review), look.width));
    screen::join(parts)
}

/// Says how much of a match was reviewed before the review was interrupted.
pub fn interrupted(done: usize, all: usize) -> String {
    match done {
        0 => "interrupted before the first step was reviewed".to_string(),
        done => format!("interrupted after {done} of {all} steps; the review covers only these"),
    }
}

/// Says why there is nothing to review.
pub fn nothing_chosen(whole: &Match) -> &'static str {
    match whole.sealed() {
        [] => "nothing has been chosen yet",
        _ => "nobody knows yet what has been chosen; there is something to review once all have chosen",
    }
}

/// Returns the table before a step, with what was hidden then if the match is over by now.
pub fn table_before(reviewer: &Reviewer, step: usize, look: Look) -> String {
    let before = reviewer.before(step);
    let hidden = if reviewer.whole.over() { screen::laid_open(&before, look) } else { String::new() };
    screen::join(vec![screen::table(&before, look), hidden])
}

/// Says what speaks for the better choice and against the one that was made, as far as the player could know.
pub fn reasons(reviewer: &Reviewer, step: usize, judged: &ReviewedChoice) -> Vec<String> {
    let before = reviewer.before(step);
    let prospects = Prospects::of(&before, judged.entry.player);
    let better = judged.better.as_ref().filter(|_| !judged.mixed);
    let compared = prospects.zip(better).map(|(prospects, better)| prospects.compared(better, &judged.entry));
    compared.unwrap_or_default()
}

/// Describes what was played and how it ended.
pub fn heading(whole: &Match) -> String {
    let steps = words::count(whole.depth(), "step");
    // An unfinished match has a colon in its result.
    let mark = if whole.over() { ':' } else { ',' };
    format!("{}, {steps}{mark} {}", whole.rules.game.title, screen::result(whole))
}

/// Returns the names of the seats.
pub fn names(whole: &Match) -> Vec<String> {
    (0..whole.players()).map(|seat| whole.rules.game.seat_name(seat)).collect()
}

/// Returns the names of those who stand differently: the seats, or those that win and lose together.
pub fn sides(whole: &Match) -> Vec<String> {
    if whole.machine().is_allied() {
        return vec!["the players".to_string()];
    }
    let sides = whole.machine().interests.sides(whole.players());
    sides.iter().map(|side| words::side(&whole.rules.game, side)).collect()
}

/// Returns what each side could expect, step by step; `None` of one that has not chosen yet where something is hidden. The values of
/// the seats of a side are equal.
pub fn curve_by_side(whole: &Match, review: &Review) -> Vec<(usize, Vec<Option<f64>>)> {
    let sides = whole.machine().interests.sides(whole.players());
    let by_side = |values: Vec<Option<f64>>| sides.iter().map(|side| values[side[0]]).collect();
    review.curve().into_iter().map(|(step, values)| (step, by_side(values))).collect()
}

/// Says how many choices turned the match, or cost points.
pub fn summary(whole: &Match, review: &Review) -> String {
    match (review.measure, review.turning_points().len()) {
        (Measure::Share, 0) if review.is_certain() => {
            format!("there was no turning point{}", why_lost(whole, review))
        }
        (Measure::Share, 0) => "no turning point was found".to_string(),
        (Measure::Share, 1) => "one turning point:".to_string(),
        (Measure::Share, n) => format!("{n} turning points, the worst first:"),
        (Measure::Score { .. }, 0) => "no choice is known to have made the score worse".to_string(),
        (Measure::Score { .. }, 1) => "one choice made the score worse:".to_string(),
        (Measure::Score { .. }, n) => format!("{n} choices made the score worse, the worst first:"),
    }
}

/// Adds why a match was lost in which nobody made a mistake, of two sides: it was lost before the first choice, or to choices that
/// could not be foreseen.
fn why_lost(whole: &Match, review: &Review) -> String {
    let (sides, curve) = (sides(whole), curve_by_side(whole, review));
    let ([_, _], Some((_, end)), Some((_, start))) =
        (sides.as_slice(), &review.end.as_ref().and(curve.last()), curve.first())
    else {
        return String::new();
    };
    let Some(loser) = (0..2).find(|side| end[*side] == Some(0.0)) else { return String::new() };
    let mixed = review.stops.iter().flat_map(|stop| &stop.choices).any(|judged| judged.mixed);
    match start[loser] {
        Some(0.0) => format!(": {} could not win if the other side made no mistake", sides[loser]),
        _ if mixed => format!(": {} lost to choices that nobody could foresee", sides[loser]),
        _ => String::new(),
    }
}

/// Says what mistakes cost each player in all, and what the draws brought them; `None` if there were neither.
pub fn totals(whole: &Match, review: &Review) -> Option<String> {
    let names = names(whole);
    let costs = review.costs(whole.players());
    let luck = review.luck(whole);
    let mistakes = match (review.measure, costs.as_slice()) {
        (Measure::Score { .. }, [cost]) => {
            (*cost >= 0.05).then(|| format!("mistakes cost {}", points(*cost)))
        }
        (Measure::Score { .. }, costs) => mistaken_points(costs, &names),
        _ => mistakes(&costs, &names),
    };
    let luck = luck.and_then(|luck| match whole.machine().interests {
        Interests::Common => Some(lucky_together(*luck.first()?, review.measure)),
        interests => {
            let sides_luck = interests.sides(whole.players()).into_iter().map(|side| luck[side[0]]);
            Some(lucky(&sides_luck.collect::<Vec<_>>(), &sides(whole)))
        }
    });
    let both: Vec<String> = mistakes.into_iter().chain(luck).collect();
    (!both.is_empty()).then(|| both.join("; "))
}

/// Says what mistakes cost each player as shares of the win; `None` if they cost nothing.
fn mistakes(costs: &[f64], names: &[String]) -> Option<String> {
    // In one match, a win can be given away and given back many times.
    let many = costs.iter().any(|cost| *cost > WHOLE);
    let each: Vec<String> = costs
        .iter()
        .zip(names)
        .filter(|(cost, _)| **cost >= 0.005)
        .map(|(cost, name)| match many {
            true => format!("{name} lost {}", wins(*cost)),
            false => format!("{name} {}", percent(*cost)),
        })
        .collect();
    (!each.is_empty()).then(|| match many {
        true => format!("by mistakes, {}, for a win that is given back can be lost again", words::and(&each)),
        false => format!("mistakes cost {} of the win", words::and(&each)),
    })
}

/// Formats a sum of shares of the win as "2.4 wins", with two decimals if it is small.
fn wins(sum: f64) -> String {
    let figure = if sum < 0.1 { format!("{sum:.2}") } else { format!("{sum:.1}") };
    match figure.as_str() {
        "1.0" => "1 win".to_string(),
        _ => format!("{} wins", figure.strip_suffix(".0").unwrap_or(&figure)),
    }
}

/// Says what mistakes cost in points of a common score, by player; `None` if they cost nothing.
fn mistaken_points(costs: &[f64], names: &[String]) -> Option<String> {
    let each = costs.iter().zip(names).filter(|(cost, _)| **cost >= 0.05);
    let each: Vec<String> = each.map(|(cost, name)| format!("{name} lost {}", points(*cost))).collect();
    (!each.is_empty()).then(|| format!("by mistakes, {}", words::and(&each)))
}

/// Says what the draws brought players who win and lose together, or one who plays alone.
fn lucky_together(luck: Luck, measure: Measure) -> String {
    if !luck.is_sure() {
        return "luck with the draws made no difference that can be measured".to_string();
    }
    let (low, high) = luck.interval();
    let (what, low, high) = match luck.gain < 0.0 {
        true => ("bad luck with the draws cost", -high, -low),
        false => ("luck with the draws was worth", low, high),
    };
    let between = match luck.error {
        0.0 => String::new(),
        _ => format!(" ({} to {})", amount(measure, low), amount(measure, high)),
    };
    let worth = match measure {
        Measure::Share => format!("{} of the win", percent(luck.gain.abs())),
        Measure::Score { .. } => points(luck.gain.abs()),
    };
    format!("{what} {worth}{between}")
}

/// Says whom the draws helped.
fn lucky(luck: &[Luck], names: &[String]) -> String {
    let many = luck.iter().any(|luck| luck.gain.abs() > WHOLE);
    let most = luck.iter().zip(names).max_by(|(a, _), (b, _)| a.gain.total_cmp(&b.gain));
    match (luck, most) {
        ([_, _], Some((luck, name))) if luck.is_sure() => {
            let (low, high) = luck.interval();
            let between = match luck.error {
                0.0 => String::new(),
                _ if many => format!(" ({low:.1} to {high:.1})"),
                _ => format!(" ({} to {})", percent(low), percent(high)),
            };
            if many {
                return format!("luck with the draws was worth {} to {name}{between}", wins(luck.gain));
            }
            format!("luck with the draws was worth {} of the win to {name}{between}", percent(luck.gain))
        }
        (luck, _) if many && luck.iter().any(|luck| luck.is_sure()) => {
            let each = luck.iter().zip(names).map(|(luck, name)| format!("{name} {:+.1}", luck.gain));
            format!("luck with the draws, in wins: {}", each.collect::<Vec<_>>().join(", "))
        }
        (luck, _) if luck.iter().any(|luck| luck.is_sure()) => {
            let each =
                luck.iter().zip(names).map(|(luck, name)| format!("{name} {:+.0} %", 100.0 * luck.gain));
            format!("luck with the draws, as shares of the win: {}", each.collect::<Vec<_>>().join(", "))
        }
        _ => "luck with the draws made no difference that can be measured".to_string(),
    }
}

/// Says which part of the match the review omits, and why.
pub fn left_out(reviewer: &Reviewer) -> Option<String> {
    if reviewer.whole.rules.game.nobody_can_win() {
        return Some(NOBODY_WINS.to_string());
    }
    let (told, all) = (reviewer.steps(), reviewer.whole.depth());
    (told < all).then(|| {
        format!(
            "from step {} on, something is hidden that still matters for the match, so the review stops \
             there; it goes on once the match is over",
            told + 1
        )
    })
}

/// Explains the figures and what they are based on.
pub fn basis(reviewer: &Reviewer, review: &Review) -> String {
    let value = match review.measure {
        Measure::Share if reviewer.whole.machine().interests == Interests::Common => "a chance of a win",
        Measure::Share => "a share of the win",
        Measure::Score { .. } => "a score",
    };
    let effort = match reviewer.effort {
        Effort::Playouts(playouts) => {
            words::count(usize::try_from(playouts).unwrap_or(usize::MAX), "playout")
        }
        Effort::Millis(ms) => format!("{ms} ms"),
    };
    let choices = || review.stops.iter().flat_map(|stop| &stop.choices);
    let (all, by_equilibrium) = (choices().count(), choices().filter(|judged| judged.by_equilibrium).count());
    let equilibrium = match reviewer.whole.players() {
        2 => "an equilibrium of the game",
        _ => "an equilibrium of the game, of which there may be several",
    };
    let basis = format!("{value} is what the player who chose could expect, knowing what they knew then");
    let given = match by_equilibrium {
        some if some == all => return format!("{basis}, by {equilibrium}"),
        _ if review.is_certain() => return format!("{basis}; all of it is exact"),
        0 => format!("each move was given {effort}"),
        some => {
            let are = if some == 1 { "is" } else { "are" };
            format!(
                "{some} of {all} choices {are} judged by {equilibrium}; of the others, each move was given {effort}"
            )
        }
    };
    format!(
        "{basis}; {given}; what is certain was searched to the end of the match, and all else is an estimate that a longer \
         search may change{}",
        rollouts_words(reviewer, review)
    )
}

/// Says of which players the shares come from rollouts.
fn rollouts_words(reviewer: &Reviewer, review: &Review) -> String {
    let judged = || review.stops.iter().flat_map(|stop| &stop.choices).filter(|judged| judged.rollouts > 0);
    let players: BTreeSet<usize> = judged().map(|judged| judged.entry.player).collect();
    let players: Vec<usize> = players.into_iter().collect();
    match judged().map(|judged| judged.rollouts).max() {
        None => String::new(),
        Some(most) => format!(
            "; those of {} come from up to {most} matches that quick bots played on, since random moves tell too \
             little there",
            words::seats(&reviewer.whole.rules.game, &players)
        ),
    }
}

/// Says that a match of two ends in a draw.
pub const DRAWN: &str = "it is a draw if both play their best";

/// Says that players who win and lose together win, or cannot win any more.
pub const WON: &str = "all win if all play their best";
pub const LOST: &str = "nobody can win any more";

/// Whether a certain end is a draw: of two players or teams, neither wins, or both do.
pub fn is_draw(end: Proof, seats: usize) -> bool {
    end.interests.sides(seats).len() == 2 && end.share(0, seats) == 0.5
}

/// Formats what a seat can expect: "64 %", or a score with at most one decimal.
pub fn amount(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Share => percent(value),
        Measure::Score { .. } => figure(value),
    }
}

/// Formats a number with at most one decimal.
pub fn figure(number: f64) -> String {
    let tenths = format!("{number:.1}");
    match tenths.strip_suffix(".0") {
        Some("-0") => "0".to_string(),
        whole => whole.map(str::to_string).unwrap_or(tenths),
    }
}

/// Formats a number of points, with at most one decimal, or two if it is less than one.
pub fn points(number: f64) -> String {
    let figure = match number.abs() < 0.95 {
        true => format!("{number:.2}").trim_end_matches('0').trim_end_matches('.').to_string(),
        false => figure(number),
    };
    let points = if figure == "1" { "point" } else { "points" };
    format!("{figure} {points}")
}

/// Formats the score that a seat can expect; `exact` is whether that was worked out.
pub fn score_words(score: f64, exact: bool) -> String {
    let about = if exact { "" } else { "about " };
    format!("a score of {about}{}", figure(score))
}

/// Formats a share as "64 %".
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Describes what a choice did to the match, and what would have been better.
pub fn turned(whole: &Match, judged: &ReviewedChoice) -> String {
    let seat = judged.entry.player - 1;
    let who = whole.rules.game.seat_name(seat);
    let made = whole.entry_words(&judged.entry);
    let (Some(best), Some(played), Some(better)) = (&judged.best, &judged.played, &judged.better) else {
        return format!("{who} played `{made}`");
    };
    let better = whole.entry_words(better);
    if judged.mixed {
        let instead = match percent(judged.often) == percent(1.0) {
            true => format!("`{better}`"),
            false => format!("varying the move, with `{better}` most often,"),
        };
        return format!(
            "{who} played `{made}`, which gets about {} of the win against what the others would choose; \
             {instead} gets {}",
            percent(played.value),
            percent(best.value)
        );
    }
    if let Measure::Score { .. } = judged.measure {
        return format!(
            "{who} played `{made}`, which leads to {}; `{better}` leads to {}",
            score_words(played.value, played.exact),
            score_words(best.value, best.exact)
        );
    }
    let left = left(whole, seat, played);
    match best.end {
        Some(end) if end.wins(seat) => {
            // How long it takes depends on a defence that nobody has searched for its length.
            let wins = if end.choices == 1 { "wins at once" } else { "wins for certain" };
            format!("{who} missed a win: `{better}` {wins}; after `{made}` {left}")
        }
        Some(end) => {
            let stood = certain(whole, seat, end);
            format!("{who} played `{made}`, after which {left}; with `{better}` {stood}")
        }
        None => {
            let stood = match (whole.players(), best.value) {
                _ if whole.machine().is_allied() => {
                    return format!(
                        "the chance of a win was {}; after {who}'s `{made}` {left}; `{better}` was better",
                        percent(best.value)
                    );
                }
                (_, value) if whole.machine().is_in_team(seat) => {
                    format!("had about {} of the win with their team", percent(value))
                }
                (2, ..0.47) => {
                    format!("was behind, {} to {}", percent(best.value), percent(1.0 - best.value))
                }
                (2, 0.53..) => format!("was ahead, {} to {}", percent(best.value), percent(1.0 - best.value)),
                (2, value) => format!("was about level, {} to {}", percent(value), percent(1.0 - value)),
                (_, value) => format!("had about {} of the win", percent(value)),
            };
            format!("{who} {stood}; after `{made}` {left}; `{better}` was better")
        }
    }
}

/// Describes what a seat (from 0) could still expect after its choice.
fn left(whole: &Match, seat: usize, played: &MoveValue) -> String {
    match played.end {
        Some(end) => certain(whole, seat, end),
        None if whole.machine().is_allied() => format!("it was about {}", percent(played.value)),
        None => format!("{} had about {}", whole.rules.game.seat_name(seat), percent(played.value)),
    }
}

/// Describes how the match ends under best play, given a certain end; `seat` (from 0) made the choice.
fn certain(whole: &Match, seat: usize, end: Proof) -> String {
    let game = &whole.rules.game;
    let winners = end.winners;
    let winners: Vec<usize> =
        (1..=whole.players()).filter(|player| winners >> (player - 1) & 1 == 1).collect();
    let names = words::seats(game, &winners);
    match winners.as_slice() {
        [] if whole.machine().is_allied() => LOST.to_string(),
        _ if whole.machine().is_allied() => WON.to_string(),
        _ if is_draw(end, whole.players()) => DRAWN.to_string(),
        [] => "nobody wins if all play their best".to_string(),
        [one] if *one == seat + 1 => format!("{names} wins for certain"),
        _ if end.wins(seat) => format!("{names} win together for certain"),
        [one, _, ..] if end.wins(one - 1) => format!("{names} win together against any defence"),
        [_] => format!("{names} wins against any defence"),
        _ => format!("{names} share the win if all play their best"),
    }
}
