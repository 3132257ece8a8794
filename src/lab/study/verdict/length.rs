//! Sentences about the length of a match: whether it is too long and why, and when it is decided.

use serde_json::Value as Json;

use super::super::sums::ENOUGH;
use super::super::words::{shown, whole_number};
use super::{KnownFigure, VerdictBuilder, amount_of, matches_of};
use crate::explore::{counted, thousands};
use crate::play::or;

/// The number of choices from which a match is too long for pencil and paper, in all and of each of several players.
const LONG: f64 = 200.0;
const LONG_OF_EACH: f64 = 60.0;
/// The number of choices from which it is worth telling how many each player makes.
const WORTH_DIVIDING: f64 = 60.0;
/// The share of choices without a use, for one reason, that is worth naming as a reason for a long match.
const IDLE: f64 = 0.2;
/// The most options that are named.
const OPTIONS: usize = 2;
/// The share of matches from which it counts that they end before anybody chooses.
const RARELY: f64 = 0.02;
/// A match that is decided before this part of it is decided early.
const EARLY: f64 = 0.35;
/// A match that is decided before this part of it is decided at once.
const AT_ONCE: f64 = 0.12;

impl VerdictBuilder<'_> {
    /// Whether no match has a choice.
    pub(super) fn has_no_choice(&self) -> bool {
        self.known("length.none").is_some_and(KnownFigure::is_always)
    }

    /// Says so if matches end before anybody chooses.
    fn over_at_once(&mut self) {
        let Some(none) = self.known("length.none") else { return };
        if self.has_no_choice() {
            let text = format!(
                "there is nothing to choose: each of {} ended before the first choice",
                matches_of(none.figure)
            );
            return self.say_that("there is nothing to choose", true, "length.none", text);
        }
        let text = format!("{} of the matches end before anybody chooses", shown(none.figure));
        self.say_that("matches end before anybody chooses", none.low > RARELY, "length.none", text);
    }

    /// Says how long a match is, why it is too long, and when it is decided.
    pub(super) fn length(&mut self) {
        self.over_at_once();
        if self.has_no_choice() {
            return;
        }
        let played = self.report.series.iter().filter(|series| series.key != "forbidden");
        let unfinished = played.filter(|series| series.unfinished > 0);
        let unfinished = unfinished.min_by_key(|series| series.key != "strong");
        if let Some(series) = unfinished {
            let (unfinished, matches) = (series.unfinished, series.matches);
            let limit = self.report.figure("length.choices").and_then(|length| length.missing.as_deref());
            let text = match limit.filter(|_| unfinished == matches && series.key == "strong") {
                Some(none_ended) => format!("{none_ended} ({})", series.players),
                None => {
                    format!(
                        "{} of {} ({}) were given up unfinished",
                        thousands(unfinished),
                        counted(matches, "match", "matches"),
                        series.players
                    )
                }
            };
            let text = format!(
                "{text}: the game may be far too long, or may never end (`parlour check --play` looks for the reason)"
            );
            self.say_that("matches were given up unfinished", true, "length.unfinished", text);
        }
        let Some((length, how)) = self.known_or_random("length.choices", "random.length") else { return };
        let given_up =
            |key: &str| self.report.series.iter().any(|series| series.key == key && series.unfinished > 0);
        let least = if given_up(&length.figure.series) { "at least " } else { "" };
        let most = |key: &str| self.known(key).map(|known| whole_number(known.value));
        // Of few matches, the shortest may well be among the twentieth part that is.
        let many = self.known("length.short").is_some_and(|short| short.low > 0.0);
        let spread = match (most("length.short"), most("length.long")) {
            (Some(short), Some(long)) if many && short != long => {
                format!("nine matches in ten have {short} to {long}")
            }
            _ => String::new(),
        };
        let players = self.report.players;
        let of_each = length.value / players as f64;
        let long = length.low > LONG || players > 1 && length.low / players as f64 > LONG_OF_EACH;
        let choices = amount_of(length.figure, "choice", "choices");
        let each = match players > 1 && (long || length.value >= WORTH_DIVIDING) {
            true => format!("{} for each player", whole_number(of_each)),
            false => String::new(),
        };
        let mut text = match length.figure.interval {
            Some(_) if long => format!("a match is too long for pencil and paper: {least}{choices}{how}"),
            None if long => format!(
                "a match is too long for pencil and paper: {least}{choices} in each of {}{how}",
                matches_of(length.figure)
            ),
            Some(_) => format!("a match is {least}{choices} long{how}"),
            None => format!("each of {} was {least}{choices} long{how}", matches_of(length.figure)),
        };
        if !each.is_empty() {
            text += &format!(", {each}");
        }
        let reasons = if long { self.what_makes_it_long(length.value) } else { String::new() };
        for more in [spread, reasons].iter().filter(|more| !more.is_empty()) {
            text += &format!("; {more}");
        }
        self.say_that("a match is too long for pencil and paper", long, &length.figure.key, text);
        // A match that the winner can force is decided before it begins, which has been said.
        let open = !self.best_shares().is_some_and(|best| self.is_sure(&best));
        if let Some(decided) = self
            .known("decided.at")
            .filter(|decided| open && length.value >= 4.0 && decided.figure.matches >= ENOUGH)
        {
            if decided.high < AT_ONCE && self.draws_first() {
                let text = format!(
                    "what is drawn before the first choice decides a match: between these searches, the winner is clear \
                     after {} of its length",
                    shown(decided.figure)
                );
                let claim = "what is drawn before the first choice decides a match";
                return self.say_that(claim, true, "decided.at", text);
            }
            let early = decided.high < EARLY;
            let much = if early { "early, " } else { "" };
            let level = self.known("draws.share").is_some_and(|level| level.value > 0.0);
            let not_level = if level { " that is not level in the end" } else { "" };
            let text =
                format!("a match{not_level} is decided {much}after {} of its length", shown(decided.figure));
            self.say_that("a match is decided early", early, "decided.at", text);
        }
    }

    /// Says which of so many choices are idle, as far as that was measured, and what shows how to have fewer.
    fn what_makes_it_long(&self, choices: f64) -> String {
        let mut told = Vec::new();
        let at_least = |key: &str, least: f64| self.known(key).filter(|share| share.value >= least);
        if let Some(forced) = at_least("width.forced", IDLE) {
            told.push(format!("{} of the choices have only one legal move", shown(forced.figure)));
        }
        if let Some(again) = at_least("repeats.share", IDLE) {
            told.push(format!("{} of the positions had occurred before in the match", shown(again.figure)));
        }
        let decided = self.known("decided.at").filter(|decided| decided.figure.matches >= ENOUGH);
        if let Some(decided) = decided.filter(|decided| decided.value <= 1.0 - IDLE) {
            let rest = whole_number((1.0 - decided.value) * choices);
            told.push(format!("about {rest} choices are made after it is decided"));
        }
        let is_number = |(_, value): &(&String, &Json)| value.as_i64().is_some_and(|value| value > 1);
        let numbers = self.report.options.iter().filter(is_number).take(OPTIONS);
        let sweeps: Vec<String> = numbers.map(|(name, _)| format!("`--sweep {name}=…`")).collect();
        if !sweeps.is_empty() {
            told.push(format!("{} shows whether another setting makes it shorter", or(&sweeps)));
        }
        told.join("; ")
    }

    /// Whether a match begins with a draw.
    fn draws_first(&self) -> bool {
        self.report.sample.as_ref().is_some_and(|sample| sample["moves"][0]["player"] == 0)
    }
}
