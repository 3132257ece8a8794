//! Figures about what moves cost and what draws decide.

use super::Study;
use super::figures::{FEW, FigureHead, MISJUDGED, Parts, any_ended, estimate_difference, scored};
use super::plan::Found;
use super::report::{Figure, Unit};
use super::sums::{ENOUGH, Estimate, Moments};
use crate::bots::plays_for_score;
use crate::engine::Engine;
use crate::eval::Machine;
use crate::solve::Goal;

/// Why there is no figure for a game without a move that is never legal together with others.
const NO_ALTERNATIVE: &str = "there is never a choice between it and another move";

/// Returns the unit of what moves cost and draws bring.
pub(super) fn unit_of(machine: &Machine) -> Unit {
    if plays_for_score(machine) { Unit::Points } else { Unit::Share }
}

impl<E: Engine> Study<'_, E> {
    pub(super) fn about_weight(&self, parts: &Parts) -> [Figure; 2] {
        let looks = &parts.strong.looks;
        let why = match parts.strong.matches >= ENOUGH {
            true => "no choice had moves that could be compared one by one",
            false => FEW,
        };
        let for_score = plays_for_score(self.engine.machine());
        let (unit, what) = match (for_score, self.players()) {
            (true, _) => (Unit::Points, "how many points a player loses"),
            (false, 1) => (Unit::Share, "how much less often a player wins"),
            _ => (Unit::Share, "the share of the win that a player loses"),
        };
        let exact = self.costs_are_exact(parts.random);
        let second = match exact {
            true => {
                "the second-best of the legal moves, if play is perfect from there on (0 where two are equally good)"
            }
            false => "the move that a search ranks second, if such searches play on",
        };
        let ranked = format!("{what} with {second}, on average; based on single choices, not matches");
        let drawn = "the same for a move drawn from all legal ones, including the best";
        let misjudged = !exact && parts.strong.are_misjudged();
        let why = if misjudged { MISJUDGED } else { why };
        let of = |(key, title, meaning, found): (&str, &str, &str, &Moments)| {
            let found = match (for_score, exact) {
                // No move is better than the best.
                (true, true) => found.mean().map(Estimate::not_negative),
                (false, true) => found.share(),
                (true, false) => found.mean(),
                (false, false) => found.difference(),
            };
            let found = found.filter(|_| !misjudged);
            FigureHead { key, title, meaning, unit, series: "strong" }.of(found, why)
        };
        [
            ("weight.second", "the second-best move costs", ranked.as_str(), &looks.second),
            ("weight.blind", "a random move costs", drawn, &looks.blind),
        ]
        .map(of)
    }

    pub(super) fn about_chance(&self, parts: &Parts) -> Vec<Figure> {
        let strong = parts.strong;
        let figure =
            |key, title, meaning| FigureHead { key, title, meaning, unit: Unit::Share, series: "strong" };
        let enough = strong.matches >= ENOUGH;
        let twins = &strong.twins;
        // What the rules show needs no matches.
        let [alone, together] = match () {
            () if !self.draws_chance() => [Some(Estimate::exact(0.0)); 2],
            () if self.rules.game.chance_alone_decides() => [Some(Estimate::exact(1.0)); 2],
            () => [twins.by_draws(), twins.with_draws()],
        };
        let varied = alone.is_some() || together.is_some();
        let why = if enough && !varied { "all matches have the same result" } else { FEW };
        let mut all = vec![
            figure("chance.share", "what chance alone decides", "how much of the variance of results between these players chance alone explains, measured by pairs of matches with the same chance events and different choices (I. Sobol's first-order index, 1993); what chance and choices do together is not included")
                .of(alone, why),
            figure("chance.total", "what chance has a part in", "how much of that variance chance explains alone or together with choices, measured by pairs of matches with different chance events and choices by the same random numbers (T. Homma and A. Saltelli's total index, 1996); the rest is decided by choices alone")
                .of(together, why),
        ];
        if self.draws_chance() {
            let why = if enough { "hardly a match had any draw" } else { FEW };
            all.push(
                figure("chance.draws", "draws that matter", "the share of draws that can lead to different positions, in everything that play depends on")
                    .of(strong.draws.share(), why),
            );
        }
        all.extend(self.about_draws(strong, self.costs_are_exact(parts.random)));
        all
    }

    pub(super) fn about_moves(&self, parts: &Parts) -> Vec<Figure> {
        let game = &self.rules.game;
        let strong = parts.strong;
        let for_score = plays_for_score(self.engine.machine());
        let unit = if for_score { Unit::Points } else { Unit::Share };
        let what = match (for_score, self.is_one_side()) {
            (true, _) => "how many points a player loses",
            (false, true) => "how many of the matches are no longer won",
            _ => "the share of the win that a player loses",
        };
        let against = if !self.is_one_side() { ", against one who plays freely" } else { "" };
        let cost = |(mv, found): &(usize, &Found)| {
            let name = &game.moves[*mv].name;
            let has_alternative = !strong.has_no_alternative(*mv);
            let known = parts.random.best_without(*mv).filter(|cost| *cost > 0.0 || has_alternative);
            let exact = known.map(Estimate::exact);
            let (how, series) =
                if exact.is_some() { (" under best play", "strong") } else { ("", "forbidden") };
            let none_ended = self.why_none_ended(found.matches(), found.unfinished());
            let why = if has_alternative { &none_ended } else { NO_ALTERNATIVE };
            FigureHead {
                key: &format!("without.{name}"),
                title: &format!("without {name}"),
                meaning: &format!(
                    "{what}{how} by making the move {name} only when there is no other{against}"
                ),
                unit,
                series,
            }
            .of(exact.or_else(|| self.cost(parts, found).filter(|_| has_alternative)), why)
        };
        if parts.without.is_empty() {
            return vec![
                FigureHead {
                    key: "without",
                    title: "without a move",
                    meaning: &format!("{what} when one of the moves is forbidden"),
                    unit,
                    series: "forbidden",
                }
                .of(None, "there is only one kind of move"),
            ];
        }
        parts.without.iter().map(cost).collect()
    }

    /// Returns what a forbidden move costs in matches, if there are any.
    fn cost(&self, parts: &Parts, without: &Found) -> Option<Estimate> {
        let sums = match without {
            _ if without.matches() == 0 => return None,
            Found::Score(score) if !any_ended(score) => return None,
            Found::Score(score) => {
                let (low, high) = score.interval();
                let (value, interval) = (0.5 - score.mean(), [0.5 - high, 0.5 - low]);
                return Some(Estimate { value, interval, matches: score.matches });
            }
            Found::Sums(sums) => &sums.0,
        };
        match Goal::usual(self.engine.machine()) {
            Goal::Points { highest: true } => Some(estimate_difference(scored(sums)?, scored(parts.strong)?)),
            Goal::Points { highest: false } => {
                Some(estimate_difference(scored(parts.strong)?, scored(sums)?))
            }
            Goal::Win => Some(estimate_difference(sums.share(0), parts.strong.share(0))),
        }
    }
}
