//! Figures about what moves cost and what draws decide.

use super::super::arena::seatings;
use super::Study;
use super::figures::{FEW, FigureHead, MISJUDGED, Parts, any_ended, estimate_difference, scored};
use super::plan::Found;
use super::report::{Figure, ForbiddenMove, Side, Unit};
use super::sums::{ENOUGH, Estimate, Moments, Sums};
use crate::bots::plays_for_score;
use crate::engine::Engine;
use crate::eval::{Coverage, Machine, Part, PartKind};
use crate::ir::MoveId;
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

    /// Returns the sides that have a move beside another one, and so something to do without.
    fn could_do_without(&self, parts: &Parts, mv: MoveId) -> Vec<Side> {
        let seats = match parts.random.best_without(mv) {
            Some(lost) => lost.seats.clone(),
            None => parts.strong.could_do_without(mv),
        };
        let had = |side: &Side| side.seats.iter().any(|seat| seats.contains(&(seat - 1)));
        self.named_sides().into_iter().filter(had).collect()
    }

    /// Returns, for each forbidden move, the sides that it is forbidden to.
    pub(super) fn forbidden_moves(&self, parts: &Parts) -> Vec<ForbiddenMove> {
        let of = |(mv, _): &(MoveId, &Found)| ForbiddenMove {
            name: self.rules.game.moves[*mv].name.clone(),
            sides: self.could_do_without(parts, *mv).into_iter().map(|side| side.name).collect(),
        };
        parts.without.iter().map(of).collect()
    }

    /// Returns why a move costs nothing that could be measured, if nobody has it beside another one.
    fn why_not_forbidden(&self, strong: &Sums, mv: MoveId) -> &'static str {
        let game = &self.rules.game;
        let offered = Coverage::new(game).parts(game, &self.rules.source);
        let of_move = |part: &Part| part.kind == PartKind::Move && part.label == game.moves[mv].name;
        let mut offered = offered.iter().zip(&strong.usage).filter(|(part, _)| of_move(part));
        match offered.all(|(_, [_, of])| *of == 0) {
            _ if strong.matches == 0 => FEW,
            true => "it is never offered",
            false if strong.offers.possible(mv) == Some(0) => "it is never possible",
            false => NO_ALTERNATIVE,
        }
    }

    pub(super) fn about_moves(&self, parts: &Parts) -> Vec<Figure> {
        let game = &self.rules.game;
        let strong = parts.strong;
        let for_score = plays_for_score(self.engine.machine());
        let unit = if for_score { Unit::Points } else { Unit::Share };
        let what = |who: &str| match (for_score, self.is_one_side()) {
            (true, _) => "how many points a player loses".to_string(),
            (false, true) => "how many of the matches are no longer won".to_string(),
            _ => format!("the share of the win that {who} loses"),
        };
        let against = if !self.is_one_side() { ", against one who plays freely" } else { "" };
        let cost = |(mv, found): &(usize, &Found)| {
            let name = &game.moves[*mv].name;
            let sides = self.could_do_without(parts, *mv);
            let who = match sides.as_slice() {
                [one] if !self.is_one_side() => one.name.as_str(),
                _ => "a player",
            };
            let what = what(who);
            let known = parts.random.best_without(*mv).filter(|_| !sides.is_empty());
            let exact = known.map(|lost| Estimate::exact(lost.cost));
            let (how, series) =
                if exact.is_some() { (" under best play", "strong") } else { ("", "forbidden") };
            let none_ended = self.why_none_ended(found.matches(), found.unfinished());
            let why =
                if sides.is_empty() { self.why_not_forbidden(strong, *mv) } else { none_ended.as_str() };
            FigureHead {
                key: &format!("without.{name}"),
                title: &format!("without {name}"),
                meaning: &format!(
                    "{what}{how} by making the move {name} only when there is no other{against}"
                ),
                unit,
                series,
            }
            .of(exact.or_else(|| self.cost(parts, found, &sides)), why)
        };
        if parts.without.is_empty() {
            return vec![
                FigureHead {
                    key: "without",
                    title: "without a move",
                    meaning: &format!("{} when one of the moves is forbidden", what("a player")),
                    unit,
                    series: "forbidden",
                }
                .of(None, "there is only one kind of move"),
            ];
        }
        parts.without.iter().map(cost).collect()
    }

    /// Returns what a forbidden move costs in matches, if there are any. Those count in which one of these sides has to do
    /// without it; the others are between equals, who share the win evenly over all seatings.
    fn cost(&self, parts: &Parts, without: &Found, sides: &[Side]) -> Option<Estimate> {
        let sums = match without {
            _ if without.matches() == 0 || sides.is_empty() => return None,
            Found::Score(score) if !any_ended(score) => return None,
            Found::Score(score) => {
                let all = seatings(&self.sides());
                let does_without = |seating: &&Vec<usize>| {
                    sides.iter().any(|side| side.seats.iter().any(|seat| seating[seat - 1] == 0))
                };
                let times = all.len() as f64 / all.iter().filter(does_without).count() as f64;
                let (low, high) = score.interval();
                let value = times * (0.5 - score.mean());
                let interval = [times * (0.5 - high), times * (0.5 - low)];
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
