//! Compares the figures of two games, and tests which differences are statistically significant.

use serde::Serialize;

use crate::bots::interval;
use crate::engine::Engine;
use crate::eval::Fault;
use crate::ir::Game;
use crate::lab::study::{Figure, Report, Unit};
use crate::lab::{side_name, winning};
use crate::num::Rng;

/// The half-width of a 95 % confidence interval, in standard deviations.
const Z: f64 = 1.96;
/// The highest acceptable probability of reporting any difference that is due to chance, over all figures
/// together.
const LEVEL: f64 = 0.05;

/// The results of a sample of matches, one by one.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The number of choices in each match.
    lengths: Vec<f64>,
    /// Each side's share of the win in each match: sides that win share it, and if nobody wins, all have 0.
    shares: Vec<Vec<f64>>,
    /// Each seat's points in each match; empty if the game has no scores.
    scores: Vec<Vec<f64>>,
    shared: u64,
    nobody: u64,
    unfinished: u64,
}

/// A figure with its confidence interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Its key, as in a study: `length.choices`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether it is a share, shown in per cent.
    pub share: bool,
    /// The estimate.
    pub value: f64,
    /// The 95 % confidence interval.
    pub interval: (f64, f64),
    /// The number of matches on which it is based; 0 if it is exact.
    pub matches: u64,
}

/// One figure of two games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether it is a share, from 0 to 1.
    pub share: bool,
    /// The estimate in each game.
    pub values: [f64; 2],
    /// The 95 % confidence interval of each.
    pub intervals: [(f64, f64); 2],
    /// The second estimate minus the first.
    pub difference: f64,
    /// The 95 % confidence interval of the difference.
    pub interval: (f64, f64),
    /// The probability that chance alone makes such a difference in any of the figures compared.
    pub chance: f64,
    /// Whether the difference is statistically significant.
    pub differs: bool,
}

impl Compared {
    /// Whether the interval of the difference, by itself, speaks for one.
    pub fn excludes_zero(&self) -> bool {
        self.interval.0 > 0.0 || self.interval.1 < 0.0
    }
}

impl Sample {
    /// Plays the matches with these numbers at random. Shares of the win are those of these sides, each with its seats (from 0).
    pub fn play<E: Engine>(
        engine: &E,
        sides: &[Vec<usize>],
        seed: u64,
        numbers: std::ops::Range<u64>,
        max_moves: u64,
    ) -> Result<Sample, Fault> {
        let mut sample = Sample::default();
        let mut streams: Vec<Rng> = numbers.map(|n| Rng::nth(seed, n)).collect();
        let mut broken = Ok(());
        engine.playouts_per_stream(&mut streams, max_moves, &mut |state, moves| {
            if broken.is_ok() {
                broken = sample.count(engine, sides, state, moves);
            }
        })?;
        broken.map(|()| sample)
    }

    fn count<E: Engine>(
        &mut self,
        engine: &E,
        sides: &[Vec<usize>],
        state: &E::State,
        moves: u64,
    ) -> Result<(), Fault> {
        let players = engine.machine().setup.players;
        self.lengths.push(moves as f64);
        let outcome = engine.outcome(state);
        self.unfinished += u64::from(outcome.is_none());
        let winners = outcome.as_ref().map_or(&[][..], |outcome| &outcome.winners);
        self.nobody += u64::from(outcome.is_some() && winners.is_empty());
        let winning = winning(sides, winners);
        self.shared += u64::from(winning.len() > 1);
        self.shares.resize(sides.len(), Vec::new());
        for (side, shares) in sides.iter().zip(&mut self.shares) {
            shares.push(if winning.contains(&side) { 1.0 / winning.len() as f64 } else { 0.0 });
        }
        if let Some(scores) = engine.scores(state)? {
            self.scores.resize(players, Vec::new());
            for (all, score) in self.scores.iter_mut().zip(&scores) {
                all.push(score.to_f64());
            }
        }
        Ok(())
    }

    /// Adds the matches played after these.
    pub fn join(&mut self, other: Sample) {
        let rows = |own: &mut Vec<Vec<f64>>, more: Vec<Vec<f64>>| {
            own.resize(own.len().max(more.len()), Vec::new());
            own.iter_mut().zip(more).for_each(|(own, more)| own.extend(more));
        };
        self.lengths.extend(other.lengths);
        rows(&mut self.shares, other.shares);
        rows(&mut self.scores, other.scores);
        self.shared += other.shared;
        self.nobody += other.nobody;
        self.unfinished += other.unfinished;
    }

    /// Whether the seats of each of these sides had the same points in every match.
    pub fn has_points_of(&self, sides: &[Vec<usize>]) -> bool {
        let same = |side: &Vec<usize>| side.iter().all(|seat| self.scores[*seat] == self.scores[side[0]]);
        self.scores.is_empty() || sides.iter().all(same)
    }

    /// Returns the number of matches.
    pub fn matches(&self) -> u64 {
        self.lengths.len() as u64
    }
}

/// Returns the figures of a sample of matches with these sides; points are those `by_side` or those of each seat.
pub fn estimates(sample: &Sample, game: &Game, sides: &[Vec<usize>], by_side: bool) -> Vec<Estimate> {
    let players = sides.iter().map(Vec::len).sum();
    let matches = sample.matches();
    let share = |key: &str, title: String, mean: f64| Estimate {
        key: key.to_string(),
        title,
        share: true,
        value: mean,
        interval: interval(mean, matches),
        matches,
    };
    let part = |count: u64| count as f64 / matches.max(1) as f64;
    let mut all = vec![mean_of("length.choices", "choices in a match".to_string(), &sample.lengths)];
    for (side, shares) in sides.iter().zip(&sample.shares) {
        let mean = shares.iter().sum::<f64>() / matches.max(1) as f64;
        let title = match side.as_slice() {
            [seat] => format!("{}'s share of the win", game.seat_name(*seat)),
            _ if sides.len() == 1 => "all players win".to_string(),
            _ => format!("share of {}", side_name(game, side, players)),
        };
        all.push(share(&format!("seat.{}.share", side[0] + 1), title, mean));
    }
    all.push(share("draws.shared", "several share the win".to_string(), part(sample.shared)));
    all.push(share("draws.nobody", "nobody wins".to_string(), part(sample.nobody)));
    let whose = if by_side { sides.to_vec() } else { (0..players).map(|seat| vec![seat]).collect() };
    for side in whose.iter().filter(|_| !sample.scores.is_empty()) {
        let title = match side.as_slice() {
            [seat] => format!("{}'s points", game.seat_name(*seat)),
            _ => format!("points of {}", side_name(game, side, players)),
        };
        all.push(mean_of(&format!("seat.{}.score", side[0] + 1), title, &sample.scores[side[0]]));
    }
    all.push(share("length.unfinished", "given up unfinished".to_string(), part(sample.unfinished)));
    all
}

/// Returns the figures of a study that have a value. Titles that occur several times are followed by their
/// keys.
pub fn studied(report: &Report) -> Vec<Estimate> {
    let one = |figure: &Figure| {
        let [low, high] = figure.ends()?;
        let unique = report.figures.iter().filter(|other| other.title == figure.title).count() == 1;
        let title = if unique { figure.title.clone() } else { format!("{} ({})", figure.title, figure.key) };
        Some(Estimate {
            key: figure.key.clone(),
            title,
            share: figure.unit == Unit::Share,
            value: figure.value?,
            interval: (low, high),
            matches: figure.matches,
        })
    };
    report.figures.iter().filter_map(one).collect()
}

/// Estimates a mean and its interval from the sample variance.
fn mean_of(key: &str, title: String, values: &[f64]) -> Estimate {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let half = Z * (squares / (n - 1.0).max(1.0) / n).sqrt();
    let (interval, matches) = ((mean - half, mean + half), values.len() as u64);
    Estimate { key: key.to_string(), title, share: false, value: mean, interval, matches }
}

/// Compares the figures that both games have; significant differences come first.
///
/// The interval of a difference is computed from those of both figures, which may be asymmetric (G. Zou and
/// A. Donner, Statistics in Medicine 27, 2008; for two shares with Wilson's intervals it is R. Newcombe's
/// method 10, the same journal 17, 1998). With many figures, some differ by chance: S. Holm's correction
/// (Scandinavian Journal of Statistics 6, 1979) keeps the probability of any false report at 1 in 20. Shares
/// that are 0 in both games are left out.
pub fn compare_figures(first: &[Estimate], second: &[Estimate]) -> Vec<Compared> {
    let pairs = first.iter().filter_map(|one| Some((one, second.iter().find(|other| other.key == one.key)?)));
    compare_pairs(pairs.map(|pair| ((), pair))).into_iter().map(|(_, figure)| figure).collect()
}

/// Does that for any pairs of estimates, each with a name for the pair; the correction is for all of them together.
pub(in crate::lab) fn compare_pairs<'e, N>(
    pairs: impl Iterator<Item = (N, (&'e Estimate, &'e Estimate))>,
) -> Vec<(N, Compared)> {
    let mut all: Vec<(N, Compared)> = pairs
        .filter(|(_, (one, other))| !one.share || one.value != 0.0 || other.value != 0.0)
        .map(|(name, (one, other))| (name, compared(one, other)))
        .collect();
    all.sort_by(|(_, one), (_, other)| one.chance.total_cmp(&other.chance));
    // Holm's correction: multiply the smallest probability by the number of figures, the next by one less,
    // and so on.
    let count = all.len();
    let mut least = 0.0_f64;
    for (rank, (_, figure)) in all.iter_mut().enumerate() {
        least = least.max((figure.chance * (count - rank) as f64).min(1.0));
        figure.chance = rounded(least);
        figure.differs = least < LEVEL;
    }
    all
}

fn compared(one: &Estimate, other: &Estimate) -> Compared {
    let difference = other.value - one.value;
    let apart = |a: f64, b: f64| (a * a + b * b).sqrt();
    let down = apart(other.value - other.interval.0, one.interval.1 - one.value);
    let up = apart(other.interval.1 - other.value, one.value - one.interval.0);
    let margin = if difference > 0.0 { down } else { up };
    let chance = match margin > 0.0 {
        true => two_sided(Z * difference.abs() / margin),
        false if difference == 0.0 => 1.0,
        false => chance_of_parting(one.matches, other.matches),
    };
    let round = |(low, high): (f64, f64)| (rounded(low), rounded(high));
    Compared {
        key: one.key.clone(),
        title: one.title.clone(),
        share: one.share,
        values: [rounded(one.value), rounded(other.value)],
        intervals: [round(one.interval), round(other.interval)],
        difference: rounded(difference),
        interval: round((difference - down, difference + up)),
        chance,
        differs: false,
    }
}

/// Returns the greatest probability with which matches of the same kind have one value in all of the first so many, and
/// another in all of the others: that of numbers of which the first value makes up its part. If one of the values is
/// exact, they differ for certain.
fn chance_of_parting(first: u64, second: u64) -> f64 {
    if first == 0 || second == 0 {
        return 0.0;
    }
    let all = (first + second) as f64;
    let part = |matches: u64| (matches as f64 / all).powf(matches as f64);
    part(first) * part(second)
}

/// Returns the probability that a standard normal variable is at least this far from 0, on either side: the
/// complementary error function by the Chebyshev fit of W. Press and others, Numerical Recipes, 2nd edition,
/// § 6.2, with a relative error below 1.2e-7.
fn two_sided(z: f64) -> f64 {
    const FIT: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    let series = FIT.iter().rev().fold(0.0, |sum, factor| sum * t + factor);
    (t * (series - x * x).exp()).min(1.0)
}

/// Rounds to six significant digits, so that machines agree.
fn rounded(value: f64) -> f64 {
    // Adding 0 removes the sign of −0.
    format!("{value:.5e}").parse().unwrap_or(value) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(key: &str, mean: f64, matches: u64) -> Estimate {
        let (title, interval) = (key.to_string(), interval(mean, matches));
        Estimate { key: key.to_string(), title, share: true, value: mean, interval, matches }
    }

    #[test]
    fn chances_are_those_of_the_normal_distribution() {
        let known = [
            (0.0, 1.0),
            (1.0, 0.317_310_508),
            (1.959_963_985, 0.05),
            (3.0, 0.002_699_796),
            (6.0, 1.973_175e-9),
        ];
        for (z, chance) in known {
            assert!((two_sided(z) / chance - 1.0_f64).abs() < 1e-6, "{z}: {}", two_sided(z));
        }
    }

    #[test]
    fn the_interval_of_a_difference_is_the_published_one() {
        // Newcombe's example: 56 of 70 against 48 of 80, method 10: 0.0524 to 0.3339.
        let found = compared(&share("x", 0.6, 80), &share("x", 0.8, 70));
        let (low, high) = found.interval;
        assert!((low - 0.0524).abs() < 1e-4 && (high - 0.3339).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn many_figures_are_held_to_more() {
        // Ten figures, one of which would be significant on its own: 5 percentage points more in 1000
        // matches.
        let mut first: Vec<Estimate> = (0..9).map(|n| share(&n.to_string(), 0.5, 1000)).collect();
        let mut second = first.clone();
        first.push(share("x", 0.5, 1000));
        second.push(share("x", 0.55, 1000));
        let alone = compare_figures(&first[9..], &second[9..]);
        assert!(alone[0].differs && alone[0].chance > 0.02 && alone[0].chance < 0.03, "{alone:?}");
        let among = compare_figures(&first, &second);
        assert!(among.iter().all(|figure| !figure.differs), "{among:?}");
        second[9] = share("x", 0.6, 1000);
        let among = compare_figures(&first, &second);
        assert!(among[0].differs && among[0].key == "x", "{among:?}");
        assert!(among[1..].iter().all(|figure| !figure.differs && figure.chance == 1.0), "{among:?}");
    }

    #[test]
    fn what_is_the_same_in_every_match_differs_if_there_are_enough() {
        let nine = mean_of("length.choices", String::new(), &[9.0; 100]);
        let eight = mean_of("length.choices", String::new(), &[8.0; 100]);
        let found = compare_figures(std::slice::from_ref(&nine), &[eight]);
        assert!(found[0].differs && found[0].interval == (-1.0, -1.0), "{found:?}");
        let found = compare_figures(std::slice::from_ref(&nine), std::slice::from_ref(&nine));
        assert!(!found[0].differs && found[0].chance == 1.0, "{found:?}");
        // Two coins that fall alike twice each do so otherwise with probability 1/16.
        let [one, other] = [1.0, 0.0].map(|side| mean_of("length.choices", String::new(), &[side; 2]));
        let found = compare_figures(&[one], &[other]);
        assert!(!found[0].differs && found[0].chance == 0.0625, "{found:?}");
    }
}
