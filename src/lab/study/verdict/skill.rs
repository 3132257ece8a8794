//! Sentences about skill and chance.

use super::super::report::{DrawOutcomeUse, Unit};
use super::super::sums::ENOUGH;
use super::super::words::{brought, likely, shown};
use super::{KnownFigure, VerdictBuilder, amount_of, matches_of, widening};
use crate::play::and;

/// The Elo points below which thinking twice as long is worth next to nothing.
const LITTLE: f64 = 20.0;
/// A draw that surely moves less than this share of the win hardly matters.
const SLIGHT: f64 = 0.02;
/// Chance that surely explains less than this of the variance of results, in all ways, hardly matters.
const HARDLY: f64 = 0.2;
/// A search whose mean score is surely within so many standard deviations of that of random moves is hardly better: with a
/// quarter of one, it scores more than they do in four matches of seven.
const SLIGHT_GAIN: f64 = 0.25;
/// A search that surely gets this share of the win against random moves shows that choices matter.
const SKILL: f64 = 0.55;

impl<'r> VerdictBuilder<'r> {
    /// Whether searches do no better than random moves: the matches exclude an advantage worth having.
    pub(super) fn shows_no_skill(&self) -> bool {
        let random = self.known("skill.random");
        random.is_some_and(|random| random.low <= 0.5 && random.is_about(0.5))
            || self.score_gain().is_some_and(|(_, slight)| slight)
    }

    /// Returns how many more points searches score than random moves, if a single player plays for points alone, and whether
    /// this is surely little, as compared with how much the scores vary.
    fn score_gain(&self) -> Option<(KnownFigure<'r>, bool)> {
        let always_won = self.known("seat.1.share").is_some_and(|won| won.value == 1.0);
        let gain = self.known("skill.score").filter(|_| self.report.players == 1 && always_won)?;
        let random = self.known("random.seat.1.score")?;
        // One end of the interval may be that of what is possible.
        let half = (random.value - random.low).max(random.high - random.value);
        let spread = half / 1.96 * (random.figure.matches as f64).sqrt();
        let little = SLIGHT_GAIN * spread;
        Some((gain, -little < gain.low && gain.high < little))
    }

    /// Whether searches surely do better than random moves: against them, or alone.
    pub(super) fn shows_skill(&self) -> bool {
        let surely = |key: &str, least: f64| self.known(key).is_some_and(|gain| gain.low > least);
        surely("skill.random", SKILL) || surely("skill.wins", SKILL - 0.5) || surely("skill.score", 0.0)
    }

    /// Whether players never have a choice.
    fn is_forced(&self) -> bool {
        self.known("width.forced").is_some_and(KnownFigure::is_always)
    }

    pub(super) fn skill(&mut self) {
        if self.is_forced() || self.has_no_choice() || self.has_only_one_result() {
            return;
        }
        let random = self.known("skill.random");
        // Elsewhere, a fair share is what each of all the seats should get.
        let even = if self.report.sides.len() > 2 { ", where 50 % is even" } else { "" };
        if let Some(random) = random.filter(|_| self.shows_no_skill()) {
            if self.report.imperfect.is_some() {
                // What is safe against everybody need not win from the weak.
                let text = format!(
                    "a search gets {} of the win against random moves{even}: here it plays what is safe, and does not look for what beats them",
                    shown(random.figure)
                );
                return self.say(false, "skill.random", text);
            }
            let text = format!(
                "skill does not seem to matter: a search gets {} of the win against random moves{even}",
                shown(random.figure)
            );
            return self.say_that("skill does not seem to matter", true, "skill.random", text);
        }
        if let Some(random) = random {
            let gets =
                format!("a search gets {} of the win against random moves{even}", shown(random.figure));
            let text = match () {
                () if random.low > 0.5 => gets,
                () if random.high < 0.5 => format!("searches play worse than random moves: {gets}"),
                () => format!("too few matches to say whether skill matters: {gets}"),
            };
            self.say(false, "skill.random", text);
        }
        self.greedy_beats_searches();
        if let Some(doubling) = self.known("skill.doubling") {
            let elo = shown(doubling.figure);
            let text = match () {
                () if doubling.low > 0.0 => format!("thinking twice as long is worth {elo} Elo"),
                () if doubling.high < 0.0 => {
                    format!("more thought loses here: thinking twice as long is worth {elo} Elo")
                }
                () if doubling.high < LITTLE => {
                    format!("thinking twice as long is worth next to nothing: {elo} Elo")
                }
                () => format!("too few matches to say what thinking twice as long is worth: {elo} Elo"),
            };
            self.say(false, "skill.doubling", text);
        }
        if let Some((gain, slight)) = self.score_gain() {
            let more = format!(
                "a search scores {} more than random moves do",
                amount_of(gain.figure, "point", "points")
            );
            let text = match () {
                () if slight => format!("skill does not seem to matter: {more}"),
                () if gain.low > 0.0 || gain.high < 0.0 => more,
                () => format!("too few matches to say whether skill matters: {more}"),
            };
            self.say_that("skill does not seem to matter", slight, "skill.score", text);
        }
        let played_for = self.known("seat.1.share").is_some_and(|won| won.value < 1.0);
        if let Some(wins) = self.known("skill.wins").filter(|_| played_for) {
            let more = shown(wins.figure);
            let text = match () {
                () if wins.low > 0.0 => {
                    format!("a search wins {more} more of the matches than random moves do")
                }
                () if wins.high < 0.0 || wins.is_about(0.0) => {
                    format!(
                        "a search does not win more often than random moves do: {more} more of the matches"
                    )
                }
                () => format!(
                    "too few matches to say whether a search wins more often than random moves do: {more} more of the matches"
                ),
            };
            self.say(false, "skill.wins", text);
        }
    }

    /// Says so if a player who looks one move ahead is stronger than every search.
    fn greedy_beats_searches(&mut self) {
        let ladder = &self.report.ladder;
        let searches = ladder.iter().filter(|rung| rung.playouts.is_some());
        let (Some(greedy), Some(best)) = (
            ladder.iter().find(|rung| rung.bot == "greedy"),
            searches.max_by(|a, b| a.elo.total_cmp(&b.elo)),
        ) else {
            return;
        };
        // The rating of the strongest search is surely lower.
        if best.interval[1] >= greedy.elo {
            return;
        }
        let claim = "looking one move ahead is stronger than every search here";
        let text = format!(
            "{claim}: greedy has {:.0} Elo more than {}; what is said of strong play is about these searches, and better \
             players may get something else",
            greedy.elo - best.elo,
            best.bot
        );
        self.say_that(claim, true, "skill.doubling", text);
    }

    /// Says what each draw decides, and which of its outcomes are lucky.
    pub(super) fn draws(&mut self) {
        if self.has_only_one_result() {
            return;
        }
        for draw in &self.report.draws {
            let key = format!("chance.draw.{}", draw.name);
            let Some(swing) = self.known(&key).filter(|swing| swing.figure.matches >= ENOUGH) else {
                continue;
            };
            let (name, shares) = (&draw.name, draw.unit == Unit::Share);
            let whole = match (shares, self.report.players) {
                (false, _) => " points",
                (true, _) if self.report.is_one_side => " of the matches",
                (true, _) => " of the win",
            };
            if shares && swing.high < SLIGHT {
                let text =
                    format!("what `{name}` draws hardly matters: each moves {}{whole}", shown(swing.figure));
                self.say_that(&format!("what `{name}` draws hardly matters"), true, &key, text);
                continue;
            }
            if swing.low <= 0.0 {
                continue;
            }
            // Of many outcomes, one may seem lucky by chance.
            let wider = widening(draw.outcomes.len());
            let ends = |outcome: &DrawOutcomeUse| {
                let (gain, [low, high]) = (outcome.gain?, outcome.interval?);
                Some((gain - wider * (gain - low), gain + wider * (high - gain)))
            };
            let by_gain = |a: &&DrawOutcomeUse, b: &&DrawOutcomeUse| {
                a.gain.unwrap_or(0.0).total_cmp(&b.gain.unwrap_or(0.0))
            };
            let lucky = |outcome: &&DrawOutcomeUse| ends(outcome).is_some_and(|(low, _)| low > 0.0);
            let unlucky = |outcome: &&DrawOutcomeUse| ends(outcome).is_some_and(|(_, high)| high < 0.0);
            let best = draw.outcomes.iter().filter(lucky).max_by(by_gain);
            let worst = draw.outcomes.iter().filter(unlucky).min_by(by_gain);
            let told = |what: &str, outcome: &DrawOutcomeUse| {
                format!(
                    "{what} is {} ({}, drawn with {})",
                    outcome.value,
                    brought(draw.unit, outcome),
                    likely(outcome)
                )
            };
            let extremes: Vec<String> = [("the luckiest", best), ("the unluckiest", worst)]
                .into_iter()
                .filter_map(|(what, outcome)| Some(told(what, outcome?)))
                .collect();
            let for_whom = if extremes.is_empty() {
                String::new()
            } else {
                format!("; for {}, {}", draw.whose, and(&extremes))
            };
            let text =
                format!("each draw of `{name}` typically moves {}{whole}{for_whom}", shown(swing.figure));
            self.say(false, &key, text);
        }
    }

    pub(super) fn chance(&mut self) {
        if !self.has_chance() {
            return self.say(false, "chance.share", "nothing is left to chance".to_string());
        }
        let draws = self.known("chance.draws").filter(|draws| draws.figure.matches >= ENOUGH);
        if let Some(draws) = draws.filter(|draws| draws.value == 0.0) {
            let text = format!(
                "chance decides nothing: in {}, no draw could lead to different positions",
                matches_of(draws.figure)
            );
            return self.say_that("chance decides nothing", true, "chance.draws", text);
        }
        let Some(chance) = self.known("chance.share") else { return };
        if chance.figure.matches == 0 {
            let text =
                "chance alone decides who wins: by the rules, nothing that a player chooses can change it";
            return self.say(true, "chance.share", text.to_string());
        }
        let idle = self.report.is_one_side || self.is_forced() || self.shows_no_skill();
        let all = chance.low >= 0.9 && idle && !self.shows_skill();
        let whose = if self.report.is_one_side { "of" } else { "between" };
        let explains = format!("explains {} of the results {whose} these searches", shown(chance.figure));
        let text = match all {
            true => {
                let nearly = if chance.value < 1.0 { "nearly " } else { "" };
                format!("chance decides {nearly}everything: it {explains}")
            }
            // What is added to a die modulo its sides says nothing of the sum, but neither does the choice.
            false if self.shows_no_skill() => {
                format!(
                    "no choice seems to improve the odds, so that chance decides, though by itself it only {explains}"
                )
            }
            // What is explained wholly leaves nothing to choices of players who are as good as one another.
            false if chance.low >= 0.9 => match self.report.is_one_side {
                true => {
                    format!("chance decides how well a search does: it {explains}; random moves do worse")
                }
                _ if self.shows_skill() => format!(
                    "chance decides between equals: it {explains}; against random moves choices matter"
                ),
                _ => format!("chance decides between equals: it {explains}"),
            },
            false => match self.known("chance.total") {
                Some(total) if total.high < HARDLY => {
                    format!(
                        "chance hardly matters: alone and together with choices, it explains {} of the results {whose} these searches",
                        shown(total.figure)
                    )
                }
                Some(total) => {
                    format!("chance alone {explains}, and {} together with choices", shown(total.figure))
                }
                None => {
                    format!("chance alone {explains}, not counting what it decides together with choices")
                }
            },
        };
        let claim = if all {
            "chance decides everything or nearly everything"
        } else {
            "no choice seems to improve the odds"
        };
        self.say_that(claim, all || self.shows_no_skill(), "chance.share", text);
    }
}
