//! The verdict of a study: its report in a few plain sentences, with what may be wrong with the game.

mod deciders;
mod length;
mod moves;
mod seats;
mod skill;

use super::report::{Figure, Remark, Report, Unit};
use super::words::shown;
use crate::explore::counted;

/// Exact shares that differ by less than this are equal.
const EXACT: f64 = 1e-6;
/// The share of the win from which whoever leads halfway hardly ever loses.
const NEARLY_SURE: f64 = 0.9;
/// The largest half-width of the interval of a share that is worth telling.
const NARROW: f64 = 0.1;
/// The share of the win from which an advantage is worth having: 58 wins in a hundred, about 55 Elo points. An effect is
/// denied only if the interval excludes one of this size, as that of most studies with the usual margin does.
const WORTH_HAVING: f64 = 0.08;

/// Returns the sentences about a report, warnings first.
pub(super) fn verdict(report: &Report) -> Vec<Remark> {
    let mut says = VerdictBuilder { report, remarks: Vec::new() };
    says.only_result();
    says.best_play();
    says.seats();
    says.head_start();
    says.deciders();
    says.length();
    says.leads();
    says.skill();
    says.chance();
    says.draws();
    says.choices();
    says.moves();
    let mut remarks = says.remarks;
    remarks.sort_by_key(|remark| !remark.warning);
    remarks
}

/// Returns the factor by which intervals must be widened when this many questions are asked at once, so that with
/// 95 % confidence all answers are right (C. Bonferroni).
fn widening(questions: usize) -> f64 {
    match questions {
        0 | 1 => 1.0,
        several => normal_quantile(0.025 / several as f64) / normal_quantile(0.025),
    }
}

/// Returns the value that a standard normal variable exceeds with this probability, which must be below a
/// half: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.2.23; the error is less than
/// 0.0005.
fn normal_quantile(chance: f64) -> f64 {
    let t = (-2.0 * chance.ln()).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    t - above / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
}

struct VerdictBuilder<'r> {
    report: &'r Report,
    remarks: Vec<Remark>,
}

/// A figure with an estimate.
#[derive(Clone, Copy)]
struct KnownFigure<'r> {
    figure: &'r Figure,
    value: f64,
    low: f64,
    high: f64,
}

impl KnownFigure<'_> {
    /// Returns the figure with an interval `times` as wide.
    fn wider(self, times: f64) -> Self {
        let KnownFigure { figure, value, low, high } = self;
        KnownFigure {
            figure,
            value,
            low: value - times * (value - low),
            high: value + times * (high - value),
        }
    }

    /// Whether a share is that of something that always happened, in enough matches to say so.
    fn is_always(self) -> bool {
        self.value == 1.0 && self.low > 0.5
    }

    fn is_narrow(self) -> bool {
        (self.high - self.low) / 2.0 <= NARROW
    }

    /// Whether a share is so close to `even` that no advantage worth having is left.
    fn is_about(self, even: f64) -> bool {
        even - WORTH_HAVING < self.low && self.high < even + WORTH_HAVING
    }
}

impl<'r> VerdictBuilder<'r> {
    fn known(&self, key: &str) -> Option<KnownFigure<'r>> {
        let figure = self.report.figure(key)?;
        let (value, [low, high]) = (figure.value?, figure.ends()?);
        Some(KnownFigure { figure, value, low, high })
    }

    fn say(&mut self, warning: bool, figure: &str, text: String) {
        self.say_that(&text.clone(), warning, figure, text);
    }

    /// Adds a sentence that makes a claim with figures.
    fn say_that(&mut self, claim: &str, warning: bool, figure: &str, text: String) {
        // What is claimed is true only of what is warned of.
        let claim = if warning { claim.to_string() } else { text.clone() };
        self.remarks.push(Remark { warning, text, figure: figure.to_string(), claim });
    }

    /// Whether anything is drawn by chance in this game.
    fn has_chance(&self) -> bool {
        self.known("chance.share").is_none_or(|chance| chance.figure.matches > 0 || chance.value > 0.0)
    }

    /// Whether a complete search has shown that a single side cannot win.
    fn cannot_be_won(&self) -> bool {
        let best = self.known("best.1").filter(|best| best.figure.unit == Unit::Share);
        self.report.is_one_side && best.is_some_and(|best| best.value == 0.0)
    }

    /// Whether a single side that does not play for points won every match, at random or not.
    fn cannot_be_lost(&self) -> bool {
        let for_win = self.known("best.1").is_none_or(|best| best.figure.unit == Unit::Share);
        let always = |key: &str| self.known(key).is_some_and(KnownFigure::is_always);
        self.report.is_one_side && for_win && always("seat.1.share") && always("random.seat.1.share")
    }

    /// Whether nothing that players do can be seen to change the result, so that what moves cost is no question.
    fn has_only_one_result(&self) -> bool {
        self.cannot_be_won() || self.cannot_be_lost() || self.winner_of_all().is_some()
    }

    /// Returns the figure with key `key`, or with key `random` if stronger players have not played yet, and
    /// the words to add in that case.
    fn known_or_random(&self, key: &str, random: &str) -> Option<(KnownFigure<'r>, &'static str)> {
        let known = self.known(key).map(|known| (known, ""));
        known.or_else(|| Some((self.known(random)?, " in random play")))
    }

    /// Says so if a lead halfway through a match decides it, or is a burden.
    fn leads(&mut self) {
        let Some(half) = self.known("lead.half") else { return };
        let share = shown(half.figure);
        if half.high < 1.0 / self.report.sides.len() as f64 {
            // Who can lead then, and how long the match goes on, may depend on how it ends.
            let text = format!("whoever leads at half-time gets only {share} of the win");
            self.say(false, "lead.half", text);
        } else if half.low >= NEARLY_SURE {
            let text =
                format!("whoever leads at half-time hardly ever loses: the leader gets {share} of the win");
            self.say(false, "lead.half", text);
        }
    }
}

/// Formats the number of matches on which a figure is based: `1,000 matches`.
fn matches_of(figure: &Figure) -> String {
    counted(figure.matches, "match", "matches")
}

/// Returns the words after a mean: it is one of matches that differ, or the same in each.
fn on_average(figure: &Figure) -> String {
    match figure.interval {
        Some(_) => "on average".to_string(),
        None => format!("in each of {}", matches_of(figure)),
    }
}

/// Formats a figure with the noun for what it counts: `1 choice`, `9.76 (9.41..10.1) choices`.
fn amount_of(figure: &Figure, one: &str, many: &str) -> String {
    let shown = shown(figure);
    let noun = if shown == "1" { one } else { many };
    format!("{shown} {noun}")
}
