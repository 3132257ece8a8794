//! Sentences about choices and single moves: how many there are, which matter, which are never made.

use super::super::figures::percent;
use super::super::report::{Figure, Place, Unit, Usage, ValueUse};
use super::super::sums::ENOUGH;
use super::super::words::shown;
use super::{EXACT, KnownFigure, VerdictBuilder, amount_of, matches_of, widening};
use crate::explore::{counted, thousands};
use crate::play::{and, or};

/// A move is called needless if forbidding it surely costs less than this share of the win.
const USELESS: f64 = 0.06;
/// How a move that is forbidden is played.
const RARELY: &str = "only where there is no other move";
/// A value that at random would have been chosen this often, and never was, is not left out by chance: that happens in
/// one case in three thousand.
const SURELY_SEEN: f64 = 8.0;

impl<'r> VerdictBuilder<'r> {
    pub(super) fn choices(&mut self) {
        match self.known("width.forced") {
            Some(forced) if forced.is_always() => {
                return self.say(
                    true,
                    "width.forced",
                    "there is nothing to choose: there is only ever one legal move".into(),
                );
            }
            Some(forced) if forced.low > 0.5 => {
                let text = format!(
                    "{} of the choices are forced: there is only one legal move",
                    shown(forced.figure)
                );
                self.say_that("most choices are forced", true, "width.forced", text);
            }
            _ => {}
        }
        if let Some((width, how)) = self.known_or_random("width.mean", "random.width") {
            let moves = amount_of(width.figure, "legal move", "legal moves");
            let mut text = match width.figure.interval {
                Some(_) => format!("a player chooses from {moves}{how}"),
                None => format!(
                    "a player chooses from {moves} on average in each of {}{how}",
                    matches_of(width.figure)
                ),
            };
            if let Some(unlimited) = self.known("width.unlimited") {
                text += &match unlimited.value < 1.0 {
                    true => format!(
                        ", not counting the {} of the choices at which there is no limit to them",
                        shown(unlimited.figure)
                    ),
                    false => ", of those that random play draws from: there is no limit to them".to_string(),
                };
            }
            self.say(false, &width.figure.key, text);
        }
        if let Some(repeats) = self.known("repeats.share").filter(|repeats| repeats.low > 0.1) {
            let text =
                format!("{} of the positions occurred earlier in the same match", shown(repeats.figure));
            self.say_that("positions occur again in the same match", true, "repeats.share", text);
        }
        self.weights();
    }

    /// Says what moves other than the best one cost.
    fn weights(&mut self) {
        if self.has_only_one_result() {
            return;
        }
        let after = if self.report.exact_costs { " if play is perfect from there on" } else { "" };
        if let (Some(second), Some(blind)) = (self.known("weight.second"), self.known("weight.blind"))
            && blind.figure.unit == Unit::Points
        {
            let (second, blind) = (shown(second.figure), amount_of(blind.figure, "point", "points"));
            let text =
                format!("the second-best move costs {second}, one drawn from all moves {blind}{after}");
            self.say(false, "weight.blind", text);
        }
        let of_share = |known: &KnownFigure| known.figure.unit == Unit::Share && known.is_narrow();
        if let Some(blind) = self.known("weight.blind").filter(of_share) {
            let light = blind.high < 0.02;
            let skilled = self.shows_skill();
            let text = match (light, self.known("weight.second")) {
                (true, _) if skilled => format!(
                    "a single random move costs {} of the win{after}, but a search wins by all its moves together",
                    shown(blind.figure)
                ),
                (true, _) => {
                    format!(
                        "choices hardly matter: a random move costs {} of the win{after}",
                        shown(blind.figure)
                    )
                }
                (_, Some(second)) => format!(
                    "the second-best move costs {} of the win, one drawn from all moves {}{after}",
                    shown(second.figure),
                    shown(blind.figure)
                ),
                _ => format!("a random move costs {} of the win{after}", shown(blind.figure)),
            };
            self.say_that("choices hardly matter", light && !skilled, "weight.blind", text);
        }
    }

    pub(super) fn moves(&mut self) {
        if self.has_no_choice() {
            return;
        }
        if !self.has_only_one_result() {
            self.costs();
        }
        self.unused();
    }

    /// Says what it costs to play single moves only where nothing else is possible.
    fn costs(&mut self) {
        let never_offered = self.never_offered();
        let costs = self.report.figures.iter().filter(|figure| {
            figure.key.strip_prefix("without.").is_some_and(|name| !never_offered.contains(&name))
        });
        let costs: Vec<KnownFigure> = costs.filter_map(|figure| self.known(&figure.key)).collect();
        // Among several moves, one may seem to harm by chance.
        let wider = widening(costs.iter().filter(|cost| cost.figure.series == "forbidden").count());
        for cost in &costs {
            let text = match cost.figure.series.as_str() {
                "strong" => Some(self.cost_under_best_play(*cost)),
                _ => self.cost_between_searches(*cost, wider),
            };
            if let Some(text) = text {
                self.say(false, &cost.figure.key, text);
            }
        }
    }

    /// Returns what a share of the win is a part of.
    fn whole(&self) -> &'static str {
        if self.report.is_one_side { "of the matches" } else { "of the win" }
    }

    /// Returns whose choices a forbidden move limits, if not those of all alike.
    fn only_who(&self, name: &str) -> String {
        let all = self.report.sides.len();
        let forbidden = self.report.forbidden.iter().find(|forbidden| forbidden.name == name);
        let sides = forbidden.map_or(&[][..], |forbidden| forbidden.sides.as_slice());
        match sides {
            [] => String::new(),
            some if some.len() == all => String::new(),
            [one] => format!("; only {one} can choose between it and another move"),
            some => format!("; only {} can choose between it and another move", and(some)),
        }
    }

    /// Says what a move is worth to a perfect player.
    fn cost_under_best_play(&self, cost: KnownFigure) -> String {
        let name = &cost.figure.key["without.".len()..];
        let without = format!("a perfect player who makes it {RARELY}");
        let only = self.only_who(name);
        let on_average = match only.is_empty() && !self.report.is_one_side {
            true => ", on average over the seats",
            false => only.as_str(),
        };
        let worth = match cost.figure.unit {
            Unit::Points => amount_of(cost.figure, "point", "points"),
            _ => format!("{} {}", percent(cost.value), self.whole()),
        };
        match () {
            () if cost.value < EXACT => format!("`{name}` is not needed: {without} does as well{only}"),
            () if cost.value < USELESS => {
                format!("`{name}` is hardly needed: {without} loses {worth}{on_average}")
            }
            () => format!("`{name}` is worth {worth}: {without} loses that much{on_average}"),
        }
    }

    /// Returns what searches lose or gain, if they gain, or surely lose next to nothing. With `wider` intervals, what is
    /// said of all moves together is right.
    fn cost_between_searches(&self, cost: KnownFigure, wider: f64) -> Option<String> {
        let name = &cost.figure.key["without.".len()..];
        let (without, only) = (format!("a search that makes it {RARELY}"), self.only_who(name));
        let whole = self.whole();
        let amount = |figure: &Figure| match figure.unit {
            Unit::Points => amount_of(figure, "point", "points"),
            _ => format!("{} {whole}", shown(figure)),
        };
        if cost.wider(wider).high < 0.0 {
            let gain = Figure {
                value: Some(-cost.value),
                interval: Some([-cost.high, -cost.low]),
                ..cost.figure.clone()
            };
            return Some(format!(
                "searches do better without `{name}`: {without} gains {}{only}",
                amount(&gain)
            ));
        }
        let text = match cost.value > 0.0 || cost.figure.unit == Unit::Points {
            true => format!("`{name}` is hardly needed: {without} loses {}{only}", amount(cost.figure)),
            false => format!(
                "`{name}` seems not to be needed: {without} does as well, and loses at most {:.0} % {whole}{only}",
                (100.0 * cost.high.max(0.0)).ceil()
            ),
        };
        (cost.high < USELESS).then_some(text)
    }

    /// Whether there are enough matches of searches to say what they never do.
    fn knows_what_never_happens(&self) -> bool {
        let series = self.report.series.iter().find(|series| series.key == "strong");
        series.is_some_and(|series| series.matches >= ENOUGH)
    }

    /// Returns the names of the moves that are never offered when searches play. Nothing else is said of them.
    fn never_offered(&self) -> Vec<&'r str> {
        let unused = self.report.usage.iter().filter(|usage| usage.kind == "move" && usage.of == 0);
        let mut names: Vec<&str> = Vec::new();
        for usage in unused.filter(|usage| usage.ran == 0 && self.knows_what_never_happens()) {
            if !names.contains(&usage.label.as_str()) {
                names.push(&usage.label);
            }
        }
        names
    }

    /// Says which parts of the rules searches never use.
    fn unused(&mut self) {
        if !self.knows_what_never_happens() {
            return;
        }
        let never_offered: Vec<String> =
            self.never_offered().iter().map(|name| format!("`{name}`")).collect();
        let options = if self.report.options.is_empty() { "" } else { " with these options" };
        match never_offered.as_slice() {
            [] => {}
            [one] => {
                self.say(
                    true,
                    "usage",
                    format!("the move {one} is never offered{options} when searches play"),
                );
            }
            several => {
                let text =
                    format!("the moves {} are never offered{options} when searches play", and(several));
                self.say(true, "usage", text);
            }
        }
        // Where a part had no opportunity, something else is to blame, and that is said.
        let is_cause = |usage: &&Usage| usage.of > 0;
        for unused in self.report.usage.iter().filter(|usage| usage.ran == 0).filter(is_cause) {
            let Usage { label, file, line, .. } = unused;
            let text = match unused.kind.as_str() {
                "move" if unused.last_resort && unused.possible == Some(0) => format!(
                    "the move `{label}` is never possible when searches play: it is offered only where no other move is possible"
                ),
                "move" => match unused.possible {
                    Some(0) => {
                        format!("the move `{label}` is on offer but never possible when searches play")
                    }
                    Some(choices) => format!(
                        "the move `{label}` is never made when searches play, though it is possible at {}: nobody wants it",
                        counted(choices, "choice", "choices")
                    ),
                    // No choice was looked at.
                    None => continue,
                },
                "award" => format!("`{label}` ({file} line {line}) never gives points when searches play"),
                "need" => {
                    let end = |end: &Place| format!("`{}` ({} line {})", end.label, end.file, end.line);
                    let ends: Vec<String> = unused.ends_first.iter().map(end).collect();
                    let cause = match ends.len() {
                        0 => String::new(),
                        1 => format!(": {} comes first", ends[0]),
                        _ => format!(": {} come first", and(&ends)),
                    };
                    format!("`{label}` ({file} line {line}) never refuses anything when searches play{cause}")
                }
                "filter" if unused.of >= ENOUGH => {
                    format!(
                        "`where {label}` ({file} line {line}) never lets anything through when searches play"
                    )
                }
                _ => continue,
            };
            // What a need or a loop is there for may be rare.
            let may_be_rare = matches!(unused.kind.as_str(), "need" | "filter");
            self.say(!may_be_rare, "usage", text);
        }
        self.constant_conditions();
        self.constant_terms();
        self.unused_values();
        self.same_moves();
        self.same_values();
        self.never_possible();
    }

    /// Says which conditions of an `if` never held, and which always did. What they are there for may be rare.
    fn constant_conditions(&mut self) {
        for (always, how, otherwise) in [
            (false, "never held", ("it does", "they do")),
            (true, "always held", ("it does not", "they do not")),
        ] {
            let conditions = self.report.usage.iter().filter(|usage| usage.kind == "branch");
            let told = |Usage { label, file, line, .. }: &Usage| format!("`if {label}` ({file} line {line})");
            let conditions = conditions.filter(|usage| (usage.ran > 0) == always);
            let conditions: Vec<String> = conditions.map(told).collect();
            let (which, they) = match conditions.as_slice() {
                [] => continue,
                [one] => (format!("{one} {how} when searches played"), otherwise.0),
                several => {
                    (format!("these conditions {how} when searches played: {}", and(several)), otherwise.1)
                }
            };
            let text = format!("{which}; `parlour check --play` looks for matches in which {they}");
            self.say(false, "usage", text);
        }
    }

    /// Says which terms of the score never differ, so that nobody is ahead by them.
    fn constant_terms(&mut self) {
        for constant in &self.report.constant_terms {
            let claim = format!("`{}` never makes a difference", constant.term);
            let everybody = if self.report.players > 1 { " for every player" } else { "" };
            let text = format!(
                "`{}` ({} line {}) never makes a difference: it was {}{everybody} at the end of each of {}",
                constant.term,
                constant.file,
                constant.line,
                constant.value,
                counted(constant.matches, "match", "matches")
            );
            self.say_that(&claim, true, "usage", text);
        }
    }

    /// Says which values of a parameter do the same.
    fn same_values(&mut self) {
        for same in &self.report.same_values {
            let [name, parameter] = [&same.name, &same.parameter];
            let words: Vec<&str> = same.values.iter().map(String::as_str).collect();
            let claim = match same.all {
                true => format!("it makes no difference which {parameter} `{name}` is made with"),
                false => format!("`{name}` does the same with {parameter} {}", and(&words)),
            };
            let choices = counted(same.choices, "choice", "choices");
            let which = match words.len() {
                2 => "both lead",
                _ => "each two of them lead",
            };
            let values = if same.all { format!(" {}", and(&words)) } else { String::new() };
            let text = format!(
                "{claim}{values}: at each of {choices} or more where they were compared, {which} to the same position"
            );
            self.say_that(&claim, true, "values", text);
        }
    }

    /// Says which values that the rules name are never possible.
    fn never_possible(&mut self) {
        for never in &self.report.never {
            let text = format!(
                "`{}` was never possible with `{}` {} in {}: the rules name more values than they ever allow",
                never.name,
                never.parameter,
                never.which,
                counted(never.matches, "match", "matches")
            );
            self.say(false, "values", text);
        }
    }

    /// Says which values searches never choose, though at random they would have chosen them often enough to be sure.
    fn unused_values(&mut self) {
        for used in &self.report.values {
            let never = |value: &&ValueUse| value.chosen == 0 && value.expected >= SURELY_SEEN;
            let never: Vec<&ValueUse> = used.values.iter().filter(never).collect();
            let made = used.values.iter().any(|value| value.chosen > 0);
            let Some(seldom) = never.iter().map(|value| value.possible).min().filter(|_| made) else {
                continue;
            };
            let words: Vec<&str> = never.iter().map(|value| value.value.as_str()).collect();
            let each = match words.len() {
                1 => ("it is", ""),
                _ => ("each is", " or more"),
            };
            let text = format!(
                "`{}` is never made with {} {} when searches play, though {} possible at {}{} choices",
                used.name,
                used.parameter,
                or(&words),
                each.0,
                thousands(seldom),
                each.1
            );
            let claim = format!("`{}` is never made with {} {}", used.name, used.parameter, or(&words));
            self.say_that(&claim, true, "values", text);
        }
    }

    /// Says which moves do what other moves do as well.
    fn same_moves(&mut self) {
        for same in &self.report.same {
            let claim = match same.mutual {
                true => format!("`{}` and `{}` do the same", same.name, same.other),
                false => format!("`{}` does nothing that `{}` does not do as well", same.name, same.other),
            };
            let lead = if same.mutual {
                "both lead to the same positions"
            } else {
                "the second also leads where the first does"
            };
            let choices = counted(same.choices, "choice", "choices");
            let text = format!("{claim}: at each of {choices} where both are possible, {lead}");
            self.say_that(&claim, true, "values", text);
        }
    }
}
