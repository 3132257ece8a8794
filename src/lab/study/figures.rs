//! Turns the sums of a study into its report: figures, distributions, curves and the ladder.

use serde_json::Value as Json;

use super::super::arena::{Score, parts_of};
use super::super::elo::{Meeting, difference, ratings};
use super::super::standings::tenth;
use super::distributions::{curves, distributions, lead_words, whose_scores};
use super::plan::{Findings, Found, Strand};
use super::possible::MetIds;
use super::report::{Figure, Imperfect, NeverPossible, Report, Rung, Series, Side, Unit};
use super::start::unlike_starts;
use super::sums::{ENOUGH, Estimate, Histogram, Moments, PARTS, Sums, proportion};
use super::terms::constant_terms;
use super::usage::usage;
use super::{Study, verdict};
use crate::bots::{Bot, Effort, NotExact, plays_for_score};
use crate::engine::{Engine, Ids};
use crate::eval::{Machine, text};
use crate::explore::counted;
use crate::ir::Scoring;
use crate::play::first_compared;
use crate::solve::Goal;

/// The fixed attributes of a figure, without its estimate.
pub(super) struct FigureHead<'m> {
    pub key: &'m str,
    pub title: &'m str,
    pub meaning: &'m str,
    pub unit: Unit,
    pub series: &'m str,
}

impl FigureHead<'_> {
    /// Completes the figure with its estimate, or with the reason why there is none.
    pub fn of(self, found: Option<Estimate>, missing: &str) -> Figure {
        let round =
            if self.unit == Unit::Elo { |value: f64| (value * 10.0).round() / 10.0 + 0.0 } else { rounded };
        Figure {
            key: self.key.to_string(),
            title: self.title.to_string(),
            meaning: self.meaning.to_string(),
            unit: self.unit,
            value: found.map(|found| round(found.value)),
            interval: found.map(|found| found.interval.map(|end| round(bounded(self.unit, end)))),
            series: self.series.to_string(),
            matches: found.map_or(0, |found| found.matches),
            missing: found.is_none().then(|| missing.to_string()),
        }
    }

    /// Completes the figure with the mean of numbers that know no bounds. If all are equal, there is no interval.
    pub fn of_mean(self, found: Option<Estimate>, missing: &str) -> Figure {
        let figure = self.of(found, missing);
        Figure { interval: figure.interval.filter(|[low, high]| low < high), ..figure }
    }

    /// Completes the figure with a quantile. Few numbers have none, unless all are equal.
    fn of_quantile(self, numbers: &Histogram, share: f64, missing: &str) -> Figure {
        match numbers.quantile(share) {
            None => self.of_mean(numbers.only(), missing),
            found => self.of(found, missing),
        }
    }
}

/// Rounds to six decimals, because machines may differ in the last digits of roots and logarithms.
pub(super) fn rounded(value: f64) -> f64 {
    // Adding 0 removes the sign of −0.
    (value * 1e6).round() / 1e6 + 0.0
}

/// Clamps an end of an interval to what is possible; shares that are differences may be negative.
fn bounded(unit: Unit, end: f64) -> f64 {
    match unit {
        Unit::Share => end.clamp(-1.0, 1.0),
        // Whoever chooses has a legal move.
        Unit::Moves => end.max(1.0),
        Unit::Choices | Unit::Turns | Unit::Times => end.max(0.0),
        Unit::Points | Unit::Elo => end,
    }
}

/// Why a figure has no estimate while there are few matches.
pub(super) const FEW: &str = "too few matches so far";

/// Why a figure that rests on searches has no estimate.
pub(super) const MISJUDGED: &str =
    "searches misjudge this game, so that what they say of the course of a match is left out";

/// The findings of a study, by strand.
pub(super) struct Parts<'f> {
    pub random: &'f Sums,
    pub strong: &'f Sums,
    /// The results of a single player of each strength, with the index on the ladder.
    pub alone: Vec<(usize, &'f Sums)>,
    /// The pairs that met on the ladder, with their scores.
    pub pairs: Vec<([usize; 2], &'f Score)>,
    /// The moves that were forbidden, with the results.
    pub without: Vec<(usize, &'f Found)>,
}

impl<'f> Parts<'f> {
    fn of<E: Engine>(study: &Study<E>, findings: &'f Findings, nothing: &'f Sums) -> Parts<'f> {
        let (random, strong) = (nothing, nothing);
        let mut parts = Parts { random, strong, alone: Vec::new(), pairs: Vec::new(), without: Vec::new() };
        for (strand, found) in study.strands().into_iter().zip(&findings.0) {
            match (strand, found) {
                (Strand::Without(mv), found) => parts.without.push((mv, found)),
                (Strand::Random, Found::Sums(sums)) => parts.random = &sums.0,
                (Strand::Strong, Found::Sums(sums)) => parts.strong = &sums.0,
                (Strand::Alone(rung), Found::Sums(sums)) => parts.alone.push((rung, &sums.0)),
                (Strand::Pair(a, b), Found::Score(score)) => parts.pairs.push(([a, b], score)),
                _ => {}
            }
        }
        parts
    }

    /// Returns the values that were never possible, neither in random matches nor between the strongest players.
    fn never(&self, machine: &Machine) -> Vec<NeverPossible> {
        let followed = MetIds::of(&Ids::of(machine)).is_some();
        let mut offers = self.strong.offers.clone();
        offers.join(&self.random.offers);
        let random = if followed { self.random.matches } else { 0 };
        match self.strong.matches >= ENOUGH {
            true => offers.never(machine, self.strong.matches + random),
            false => Vec::new(),
        }
    }
}

impl<E: Engine> Study<'_, E> {
    /// Returns the report of the findings.
    pub fn report(&self, findings: &Findings) -> Report {
        let nothing = Sums::default();
        let parts = Parts::of(self, findings, &nothing);
        let game = &self.rules.game;
        let setup = &self.engine.machine().setup;
        let options = text::options_json(game, setup);
        let sides = self.named_sides();
        let mut figures = self.about_length(&parts);
        figures.extend(self.about_choices(&parts));
        figures.extend(self.about_seats(&parts));
        figures.extend(self.about_deciders(&parts));
        figures.extend(self.about_best_play(&parts));
        figures.extend(self.about_leads(&parts));
        figures.extend(self.about_skill(&parts));
        figures.extend(self.about_moves(&parts));
        let mut report = Report {
            game: self.rules.name.clone(),
            title: game.title.clone(),
            rules: self.rules.hash.clone(),
            options,
            players: self.players(),
            is_one_side: self.is_one_side(),
            seats: (0..self.players()).map(|seat| game.seat_name(seat)).collect(),
            seed: self.seed,
            imperfect: imperfect(self.engine.machine()),
            endless: parts.random.best_play.as_ref().is_some_and(|best| best.endless),
            unlike_starts: unlike_starts(self.engine),
            series: self.series(&parts),
            verdict: Vec::new(),
            figures,
            distributions: distributions(self.rules, &sides, parts.random, parts.strong),
            curves: curves(self.rules, &sides, parts.random, parts.strong),
            sides,
            ladder: self.ladder(&parts),
            usage: usage(self.rules, self.engine.machine(), parts.strong, "strong"),
            values: parts.strong.offers.values(game, "strong"),
            same: parts.strong.offers.same(game),
            same_values: parts.strong.offers.same_values(game),
            never: parts.never(self.engine.machine()),
            deciders: self.deciders(&parts),
            constant_terms: constant_terms(self.rules, parts.strong),
            forbidden: self.forbidden_moves(&parts),
            exact_costs: self.costs_are_exact(parts.random),
            draws: self.draws(parts.strong),
            sample: sample(parts.strong),
        };
        report.verdict = verdict::verdict(&report);
        report
    }

    fn series(&self, parts: &Parts) -> Vec<Series> {
        let strong = self.strongest();
        let of = |key: &str, players: String, counts: &[[u64; 3]]| {
            let [matches, unfinished, choices] =
                counts.iter().fold([0; 3], |sum, more| [0, 1, 2].map(|at| sum[at] + more[at]));
            Series { key: key.to_string(), players, matches, unfinished, choices }
        };
        let sums = |sums: &Sums| [sums.matches, sums.unfinished, sums.choices];
        let found = |found: &Found| [found.matches(), found.unfinished(), found.choices()];
        let mut all = vec![
            of("random", "random moves in every seat".to_string(), &[sums(parts.random)]),
            of("strong", format!("{strong} in every seat"), &[sums(parts.strong)]),
        ];
        let names: Vec<String> = self.bots().iter().map(Bot::to_string).collect();
        let alone = self.is_one_side();
        let (players, counts): (String, Vec<[u64; 3]>) = match alone {
            true => {
                let names: Vec<String> = parts.alone.iter().map(|(rung, _)| names[*rung].clone()).collect();
                (names.join(", "), parts.alone.iter().map(|(_, alone)| sums(alone)).collect())
            }
            false => (
                format!("{}, each against the next and the last against the first", names.join(", ")),
                parts.pairs.iter().map(|(_, score)| [score.matches, score.unfinished, score.moves]).collect(),
            ),
        };
        all.push(of("ladder", players, &counts));
        let counts: Vec<[u64; 3]> = parts.without.iter().map(|(_, without)| found(without)).collect();
        if counts.iter().any(|[matches, ..]| *matches > 0) {
            let other = if alone { String::new() } else { format!(" against {strong}") };
            all.push(of("forbidden", format!("{strong} with one move forbidden{other}"), &counts));
        }
        all
    }

    fn about_length(&self, parts: &Parts) -> Vec<Figure> {
        let Sums { length, turns, matches, unfinished, .. } = parts.strong;
        let nothing = Histogram::default();
        let ended = |sums: &Sums| sums.matches == 0 || sums.any_ended();
        let few = &self.why_none_ended(parts.strong.matches, parts.strong.unfinished);
        let figure = |key, title, meaning, unit| FigureHead { key, title, meaning, unit, series: "strong" };
        // If no match reached its end, the limit says nothing about the length of matches.
        let (length, turns) = if ended(parts.strong) { (length, turns) } else { (&nothing, &nothing) };
        let alone = if self.players() == 1 { "a single player has only one turn" } else { few };
        let turns = if self.players() == 1 { None } else { turns.mean() };
        let given_up = (*matches > 0).then(|| proportion(*unfinished as f64, *matches));
        let limit = format!(
            "the share of matches given up because they were not over after {}",
            counted(self.max_moves, "choice", "choices")
        );
        let mut all = vec![
            figure("length.choices", "choices in a match", "how many choices all players make together, on average; a simultaneous choice counts once for each player", Unit::Choices)
                .of_mean(length.mean(), few),
            figure("length.short", "a short match", "one match in twenty has this many choices or fewer", Unit::Choices)
                .of_quantile(length, 0.05, few),
            figure("length.long", "a long match", "one match in twenty has this many choices or more", Unit::Choices)
                .of_quantile(length, 0.95, few),
            figure("length.turns", "turns in a match", "how often the turn passes: several choices in a row by one player are one turn, and so is a simultaneous choice", Unit::Turns)
                .of_mean(turns, alone),
            figure("length.unfinished", "given up", &limit, Unit::Share).of(given_up, FEW),
            FigureHead { key: "random.length", title: "choices at random", meaning: "how many choices a match has when everybody plays at random", unit: Unit::Choices, series: "random" }
                .of_mean(
                    parts.random.length.mean().filter(|_| ended(parts.random)),
                    &self.why_none_ended(parts.random.matches, parts.random.unfinished),
                ),
        ];
        // What nobody has chosen does not depend on who plays.
        let at_once = parts.random.length.0.get(&0).copied().unwrap_or(0);
        if at_once > 0 {
            all.push(
                FigureHead {
                    key: "length.none",
                    title: "over before any choice",
                    meaning: "the share of matches that end before anybody chooses",
                    unit: Unit::Share,
                    series: "random",
                }
                .of(Some(proportion(at_once as f64, parts.random.matches)), FEW),
            );
        }
        all
    }

    /// Returns why there is no figure about the ends of so many matches, of which so many were given up.
    pub(super) fn why_none_ended(&self, matches: u64, unfinished: u64) -> String {
        match matches > 0 && unfinished == matches {
            true => format!("no match ended within {}", counted(self.max_moves, "choice", "choices")),
            false => FEW.to_string(),
        }
    }

    fn about_choices(&self, parts: &Parts) -> Vec<Figure> {
        let endless = "at no choice can the legal moves be counted: they have unlimited arguments";
        let figure = |key, title, meaning, unit| FigureHead { key, title, meaning, unit, series: "strong" };
        let Sums { width, forced, unlimited, again, .. } = parts.strong;
        let why = match () {
            () if parts.strong.matches < 2 => FEW,
            () if parts.strong.choices == 0 => "nobody ever chooses",
            () => endless,
        };
        let unlimited = unlimited.share().filter(|share| share.value > 0.0);
        let meaning = match unlimited {
            None => "how many legal moves a player chooses from, on average over a match",
            Some(_) => {
                "how many legal moves a player chooses from, on average over those choices of a match at which they can be counted"
            }
        };
        let mut all =
            vec![figure("width.mean", "legal moves", meaning, Unit::Moves).of_mean(width.mean(), why)];
        if unlimited.is_some() {
            all.push(
                figure("width.unlimited", "legal moves without limit", "the share of choices at which the legal moves cannot be counted, since they have unlimited arguments", Unit::Share)
                    .of(unlimited, FEW),
            );
        }
        all.extend([
            figure("width.forced", "forced moves", "the share of choices with only one legal move", Unit::Share)
                .of(forced.share(), why),
            FigureHead { key: "random.width", title: "legal moves at random", meaning: "how many legal moves a player chooses from when everybody plays at random; of unlimited numbers, only those that random play draws from", unit: Unit::Moves, series: "random" }
                .of_mean(parts.random.width.mean(), FEW),
            figure("repeats.share", "repeated positions", "the share of positions that occurred earlier in the match, the same in everything that play depends on", Unit::Share)
                .of(again.share(), FEW),
        ]);
        all
    }

    fn about_seats(&self, parts: &Parts) -> Vec<Figure> {
        let mut all = Vec::new();
        let sides = self.named_sides();
        let best = parts.random.best_play.as_ref().map(|best| best.of(0, Unit::Points).value);
        for (series, sums) in [("strong", parts.strong), ("random", parts.random)] {
            let prefix = if series == "random" { "random." } else { "" };
            let how = if series == "random" { " at random" } else { "" };
            let why = self.why_none_ended(sums.matches, sums.unfinished);
            let had = sums.any_ended();
            for Side { name, seats } in &sides {
                let wins = if self.is_one_side() && self.players() > 1 { "win" } else { "wins" };
                let fair = percent(1.0 / sides.len() as f64);
                let meaning = match (sides.len(), seats.len()) {
                    (1, _) => "the share of matches that are won".to_string(),
                    (_, 1) => format!(
                        "{name}'s share of the win: winners share it, and if nobody wins, everybody does; a fair share is {fair}"
                    ),
                    _ => format!(
                        "the share of the win of {name}: teams that win share it, and if nobody wins, all teams do; a fair share is {fair}"
                    ),
                };
                all.push(
                    FigureHead {
                        key: &format!("{prefix}seat.{}.share", seats[0]),
                        title: &format!("{name} {wins}{how}"),
                        meaning: &meaning,
                        unit: Unit::Share,
                        series,
                    }
                    .of(had.then(|| sums.share(seats[0] - 1)), &why),
                );
            }
            let undecided = proportion((sums.shared + sums.nobody + sums.unfinished) as f64, sums.matches);
            if sides.len() > 1 {
                let meaning = match sides.len() < self.players() {
                    true => "the share of matches that several teams win together, or nobody wins",
                    false => "the share of matches that several players win together, or nobody wins",
                };
                all.push(
                    FigureHead {
                        key: &format!("{prefix}draws.share"),
                        title: &format!("no sole winner{how}"),
                        meaning,
                        unit: Unit::Share,
                        series,
                    }
                    .of(had.then_some(undecided), &why),
                );
            }
            if !sums.margin.is_empty() {
                all.push(
                    FigureHead {
                        key: &format!("{prefix}margin.winner"),
                        title: &format!("the winner's lead{how}"),
                        meaning: "by how many points the first is ahead of the second at the end, on average; 0 where they are level",
                        unit: Unit::Points,
                        series,
                    }
                    .of_mean(sums.margin.mean().filter(|_| had), &why),
                );
            }
            for (seat, name) in whose_scores(self.rules, &sides, sums) {
                all.push(
                    FigureHead {
                        key: &format!("{prefix}seat.{}.score", seat + 1),
                        title: &format!("score of {name}{how}"),
                        meaning: "the average score at the end",
                        unit: Unit::Points,
                        series,
                    }
                    .of_mean(self.score(sums, seat, best).filter(|_| had), &why),
                );
            }
        }
        all
    }

    /// Returns the mean score of a seat. Of a single player who plays for the score, none is better than `best`, if that
    /// is known.
    fn score(&self, sums: &Sums, seat: usize, best: Option<f64>) -> Option<Estimate> {
        let mut found = sums.scores[seat].mean()?;
        let [low, high] = &mut found.interval;
        match (best, Goal::usual(self.engine.machine())) {
            (Some(best), Goal::Points { highest: true }) => *high = high.min(best).max(found.value),
            (Some(best), Goal::Points { highest: false }) => *low = low.max(best).min(found.value),
            _ => {}
        }
        Some(found)
    }

    /// Returns the figures about best play, which have values if the game could be searched completely.
    fn about_best_play(&self, parts: &Parts) -> Vec<Figure> {
        let imperfect = imperfect(self.engine.machine());
        let why = match parts.random.no_best_play {
            None => FEW.to_string(),
            Some(NotExact::TooManyPositions) if imperfect.is_some() => format!(
                "the game tree has more than {}; `--positions` allows more, and `parlour equilibrium` as many as you like",
                counted(self.laid_out(), "node or move", "nodes and moves")
            ),
            Some(NotExact::TooManyPositions) => format!(
                "there are more than {}; `--positions` allows more, and `parlour solve` as many as you like",
                counted(self.positions, "position", "positions")
            ),
            Some(why @ (NotExact::Hidden | NotExact::Together)) => {
                format!("{why}; `parlour equilibrium` says how far several players are from one")
            }
            Some(why) if why.is_of_size() => format!("{why}; `parlour solve` can search for longer"),
            Some(why) => why.to_string(),
        };
        let best = parts.random.best_play.as_ref();
        let meaning = match best.is_some_and(|best| best.mixed) {
            true if !self.is_one_side() => {
                "the seat's share of the win if everybody mixes moves so well that none gains by another mix, as `parlour equilibrium` shows them"
            }
            _ if self.is_one_side() => {
                "the share of matches that are won if everybody plays perfectly, found by a complete search"
            }
            _ if self.sides().len() < self.players() => {
                "the team's share of the win if everybody plays perfectly, found by a complete search"
            }
            _ => "the seat's share of the win if everybody plays perfectly, found by a complete search",
        };
        let for_score = plays_for_score(self.engine.machine());
        let figure = |Side { name, seats }: Side| {
            let unit = if for_score { Unit::Points } else { Unit::Share };
            let found = best.map(|best| best.of(seats[0] - 1, unit));
            let title = format!("{name} under best play");
            let key = format!("best.{}", seats[0]);
            let (meaning, unit) = match for_score {
                true if self.draws_chance() => (
                    "the average score if the player plays perfectly, found by a complete search",
                    Unit::Points,
                ),
                true => ("the best possible score, found by a complete search", Unit::Points),
                false => (meaning, Unit::Share),
            };
            FigureHead { key: &key, title: &title, meaning, unit, series: "strong" }.of(found, &why)
        };
        self.named_sides().into_iter().map(figure).collect()
    }

    fn about_leads(&self, parts: &Parts) -> Vec<Figure> {
        let figure = |key, title, meaning, unit| FigureHead { key, title, meaning, unit, series: "strong" };
        let strong = parts.strong;
        let alone = self.is_one_side();
        let lone = match self.players() {
            1 => "there is only one player",
            _ => "all players win or lose together",
        };
        let compared = first_compared(&self.rules.game);
        let no_lead = match (alone, compared) {
            (true, _) => lone,
            (_, None) => "this game is not decided by score",
            _ => FEW,
        };
        let by = lead_words(self.rules);
        let changes = format!("how often in a match another player takes the lead {by}");
        let ahead = format!("the share of the win that goes to whoever leads {by} halfway through a match");
        let few = if alone { lone } else { FEW };
        let half = strong.leads.get(PARTS / 2).and_then(Moments::share);
        let enough = strong.matches >= ENOUGH;
        let no_leader = if enough && no_lead == FEW { "nobody led halfway through a match" } else { no_lead };
        let (unfinished, level) = match enough && few == FEW {
            true if strong.any_ended() => (few, "hardly a match had both a winner and a loser"),
            true => ("no match was played to its end", "no match was played to its end"),
            false => (few, few),
        };
        let misjudged = strong.are_misjudged();
        let [unfinished, level] = [unfinished, level].map(|why| if misjudged { MISJUDGED } else { why });
        vec![
            figure("lead.changes", "the lead changes", &changes, Unit::Times)
                .of_mean(strong.lead_changes.mean(), no_lead),
            figure("lead.half", "the leader at half-time wins", &ahead, Unit::Share)
                .of(half, no_leader),
            figure("favourite.changes", "the favourite changes", "how often another player becomes the favourite by at least a tenth of the win, and by more than the sampling error of the searches; searches at ten points of a match, as seen by the player to choose", Unit::Times)
                .of_mean(strong.looks.turns.mean().filter(|_| !misjudged && !alone), unfinished),
            figure("decided.at", "decided after", "how far into a match each player's expected share of the win comes within a tenth of its final value, and stays there, by the same searches; matches that end level are left out", Unit::Share)
                .of(strong.looks.decided.share().filter(|_| !misjudged), level),
        ]
    }

    fn about_skill(&self, parts: &Parts) -> Vec<Figure> {
        let mut all = Vec::new();
        let bots = self.bots();
        let (first, last) = (bots[0], bots[bots.len() - 1]);
        match self.is_one_side() {
            true => {
                let no_score = match (&self.rules.game.scoring, first_compared(&self.rules.game)) {
                    (Scoring::None, None) => "the game keeps no score",
                    (Scoring::None, Some(_)) => {
                        "the game keeps no score: a single player wins whatever is compared, and `score = …` would say what counts"
                    }
                    _ => FEW,
                };
                let gain = match (scored(parts.random), scored(parts.strong)) {
                    (Some(random), Some(strong)) => Some(estimate_difference(random, strong)),
                    _ => None,
                };
                all.push(
                    FigureHead {
                        key: "skill.score",
                        title: "what searching adds to the score",
                        meaning: &format!("how many more points {last} scores than {first}, on average"),
                        unit: Unit::Points,
                        series: "ladder",
                    }
                    .of(gain, no_score),
                );
                let won = (parts.random.any_ended() && parts.strong.any_ended())
                    .then(|| estimate_difference(parts.random.share(0), parts.strong.share(0)));
                all.push(
                    FigureHead {
                        key: "skill.wins",
                        title: "what searching adds to the wins",
                        meaning: &format!("how many more matches in a hundred {last} wins than {first}"),
                        unit: Unit::Share,
                        series: "ladder",
                    }
                    .of(won, FEW),
                );
            }
            false => {
                let ends = parts.pairs.iter().find(|(pair, _)| *pair == [0, bots.len() - 1]);
                let share = ends.filter(|(_, score)| any_ended(score)).map(|(_, score)| stronger(score));
                let why = ends.map(|(_, score)| self.why_none_ended(score.matches, score.unfinished));
                let why = why.as_deref().unwrap_or(FEW);
                all.push(
                    FigureHead { key: "skill.doubling", title: "thinking twice as long", meaning: "how many Elo points a search gains from twice the playouts, averaged over the steps of the ladder; 100 points mean 64 wins in a hundred", unit: Unit::Elo, series: "ladder" }
                        .of(self.doubling(parts), why),
                );
                all.push(
                    FigureHead {
                        key: "skill.random",
                        title: "searching against random moves",
                        meaning: &format!("{last}'s share of the win against {first}"),
                        unit: Unit::Share,
                        series: "ladder",
                    }
                    .of(share, why),
                );
            }
        }
        all.extend(self.about_chance(parts));
        all.extend(self.about_weight(parts));
        all
    }

    /// Estimates how much stronger a search is than one with half the playouts.
    fn doubling(&self, parts: &Parts) -> Option<Estimate> {
        let (bots, sides_of_each) = (self.bots(), parts_of(&self.sides()));
        let searches = |pair: &[usize; 2]| {
            pair[0] + 1 == pair[1] && pair.iter().all(|rung| matches!(bots[*rung], Bot::Tree(_)))
        };
        let pairs = parts.pairs.iter().filter(|(pair, score)| searches(pair) && any_ended(score));
        let (mut sum, mut variance, mut count, mut matches) = (0.0, 0.0, 0.0, 0);
        for (_, score) in pairs {
            // Add one drawn match, so that a player who won everything has a rating too.
            let n = score.matches as f64 + 1.0;
            let share = 1.0 - (score.share + 0.5) / n;
            let elo = |share: f64| difference(share, sides_of_each);
            let step = 1e-4 * share.min(1.0 - share);
            let slope = (elo(share + step) - elo(share - step)) / (2.0 * step);
            sum += elo(share);
            variance += slope * slope * share * (1.0 - share) / n;
            count += 1.0;
            matches += score.matches;
        }
        (count > 0.0).then(|| {
            let (value, half) = (sum / count, 1.96 * variance.sqrt() / count);
            Estimate { value, interval: [value - half, value + half], matches }
        })
    }

    fn ladder(&self, parts: &Parts) -> Vec<Rung> {
        if !parts.pairs.iter().any(|(_, score)| any_ended(score)) {
            return Vec::new();
        }
        let (bots, sides_of_each) = (self.bots(), parts_of(&self.sides()));
        let met = |([a, b], score): &([usize; 2], &Score)| Meeting {
            players: [*a, *b],
            parts: sides_of_each,
            matches: score.matches,
            share: score.share,
        };
        let meetings: Vec<Meeting> = parts.pairs.iter().map(met).collect();
        let ratings = ratings(bots.len(), &meetings);
        let points = |points: f64| tenth(points).as_f64().unwrap_or(points);
        let rung = |(number, (bot, rating)): (usize, (&Bot, &super::super::elo::Rating))| {
            let below = parts.pairs.iter().find(|(pair, _)| number > 0 && *pair == [number - 1, number]);
            let share = below.filter(|(_, score)| any_ended(score)).map(|(_, score)| stronger(score));
            Rung {
                bot: bot.to_string(),
                playouts: match bot {
                    Bot::Tree(Effort::Playouts(playouts)) => Some(*playouts),
                    _ => None,
                },
                elo: points(rating.elo),
                interval: [points(rating.interval.0), points(rating.interval.1)],
                share: share.map(|share| rounded(share.value)),
                share_interval: share.map(|share| share.interval.map(rounded)),
                matches: below.map_or(0, |(_, score)| score.matches),
            }
        };
        bots.iter().zip(&ratings).enumerate().map(rung).collect()
    }
}

/// Whether a match of two sides was played to its end.
pub(super) fn any_ended(score: &Score) -> bool {
    score.unfinished < score.matches
}

/// Returns the share of the win of the second player, who is the stronger.
fn stronger(score: &Score) -> Estimate {
    let (low, high) = score.interval();
    Estimate { value: 1.0 - score.mean(), interval: [1.0 - high, 1.0 - low], matches: score.matches }
}

/// Returns the mean score of a game of one player.
pub(super) fn scored(sums: &Sums) -> Option<Estimate> {
    sums.scores.first()?.mean()
}

/// Returns the difference of two estimates, second minus first: independent errors add up in squares (R.
/// Newcombe, Statistics in Medicine 17, 1998, method 10).
pub(super) fn estimate_difference(first: Estimate, second: Estimate) -> Estimate {
    let value = second.value - first.value;
    let below = (second.value - second.interval[0]).hypot(first.interval[1] - first.value);
    let above = (second.interval[1] - second.value).hypot(first.value - first.interval[0]);
    Estimate { value, interval: [value - below, value + above], matches: first.matches + second.matches }
}

/// Formats a share in whole per cent, or with one decimal if it is not close to a whole number.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match (percent - percent.round()).abs() < 0.05 {
        true => format!("{percent:.0} %"),
        false => format!("{percent:.1} %"),
    }
}

/// Returns the match of median length among the first few.
fn sample(sums: &Sums) -> Option<Json> {
    let mut samples: Vec<&(u64, String)> = sums.samples.iter().collect();
    samples.sort_by_key(|(choices, _)| *choices);
    let (_, record) = samples.get(samples.len().saturating_sub(1) / 2)?;
    serde_json::from_str(record).ok()
}

impl Report {
    /// Describes the setting in the rules' own words: `3 players, n=5`.
    pub fn setting(&self) -> String {
        let players =
            if self.players == 1 { "1 player".to_string() } else { format!("{} players", self.players) };
        let value = |value: &Json| match value {
            Json::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
            Json::String(word) => word.clone(),
            value => value.to_string(),
        };
        let options = self.options.iter().map(|(name, set)| format!("{name}={}", value(set)));
        std::iter::once(players).chain(options).collect::<Vec<_>>().join(", ")
    }
}

/// Returns what makes players of a game choose without knowing the position.
fn imperfect(machine: &Machine) -> Option<Imperfect> {
    match NotExact::of_game(machine)? {
        NotExact::Hidden => Some(Imperfect::Hidden),
        NotExact::Together => Some(Imperfect::Together),
        _ => None,
    }
}
