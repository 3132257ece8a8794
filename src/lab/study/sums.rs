//! Sums over matches that can be kept and joined, and the means, shares and intervals computed from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::best_play::{BestPlay, Lost};
use super::deciders::Decisions;
use super::luck::Luck;
use super::offers::OfferCounts;
use super::terms::{self, TermRange};
use crate::bots::{NotExact, interval};
use crate::ir::MoveId;

/// The normal quantile of a two-sided 95 % confidence interval.
const Z: f64 = 1.96;

/// The number of matches from which on more of the same would hardly help: a figure that is missing then is missing
/// for another reason.
pub(super) const ENOUGH: u64 = 8;

/// The number of equal parts into which a match is divided to describe its course.
pub(super) const PARTS: usize = 10;
/// The number of points of a curve over the course of a match: the beginning of each part, and the end.
pub(super) const POINTS: usize = PARTS + 1;

/// An estimate with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lab) struct Estimate {
    pub value: f64,
    pub interval: [f64; 2],
    /// The number of matches on which it is based; 0 if it is no estimate, but known.
    pub matches: u64,
}

impl Estimate {
    /// Returns a value that is known.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, interval: [value; 2], matches: 0 }
    }

    /// Returns the estimate of something that cannot be negative.
    pub fn not_negative(self) -> Estimate {
        Estimate { value: self.value.max(0.0), interval: self.interval.map(|end| end.max(0.0)), ..self }
    }

    /// Returns the square root, of something that cannot be negative.
    pub fn root(self) -> Estimate {
        let Estimate { value, interval, matches } = self.not_negative();
        Estimate { value: value.sqrt(), interval: interval.map(f64::sqrt), matches }
    }
}

/// Count, sum and sum of squares of numbers, one per match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::lab) struct Moments {
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Moments {
    /// Returns the moments of so many numbers with this sum and this sum of squares.
    pub fn of(count: u64, sum: f64, squares: f64) -> Moments {
        Moments { count, sum, squares }
    }

    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub fn join(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Returns the mean, without an interval.
    pub fn average(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// Returns the mean with Student's interval; `None` for fewer than two numbers. Of equal numbers, the interval has
    /// no width, which says nothing of numbers not seen: see [`Moments::bounded`].
    pub fn mean(&self) -> Option<Estimate> {
        if self.count < 2 {
            return None;
        }
        let n = self.count as f64;
        let mean = self.sum / n;
        // Suppress rounding errors where the variance should be 0.
        let variance = ((self.squares - n * mean * mean) / (n - 1.0)).max(0.0);
        let variance = if variance < 1e-12 * mean * mean { 0.0 } else { variance };
        let half = student(self.count - 1) * (variance / n).sqrt();
        Some(Estimate { value: mean, interval: [mean - half, mean + half], matches: self.count })
    }

    /// Returns the mean of numbers that lie between `least` and `most`. Few equal numbers say little: something
    /// that occurs with probability `p` is missed by `n` of them with probability (1 − p)ⁿ, and could shift the
    /// mean by `p` times the distance to a bound. So the interval is never narrower than what is missed with
    /// 2.5 % (for a share of 0 or 1, the interval of C. Clopper and E. Pearson, Biometrika 26, 1934).
    pub fn bounded(&self, [least, most]: [f64; 2]) -> Option<Estimate> {
        let found = self.mean()?;
        let missed = 1.0 - 0.025_f64.powf(1.0 / self.count as f64);
        let value = found.value.clamp(least, most);
        let low = found.interval[0].min(value - missed * (value - least)).max(least);
        let high = found.interval[1].max(value + missed * (most - value)).min(most);
        Some(Estimate { value, interval: [low, high], matches: self.count })
    }

    /// Returns the mean of shares.
    pub fn share(&self) -> Option<Estimate> {
        self.bounded([0.0, 1.0])
    }

    /// Returns the mean of differences of shares.
    pub fn difference(&self) -> Option<Estimate> {
        self.bounded([-1.0, 1.0])
    }
}

/// Returns the half-width of Student's 95 % interval of a mean, in standard errors: the expansion of M.
/// Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.5.
fn student(freedom: u64) -> f64 {
    let n = freedom as f64;
    let z = Z;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    let fourth = 79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z;
    z + first / n + second / n.powi(2) + third / n.powi(3) + fourth / 92_160.0 / n.powi(4)
}

/// Returns a share of matches with Wilson's interval.
pub(super) fn proportion(sum: f64, count: u64) -> Estimate {
    let value = if count == 0 { 0.0 } else { (sum / count as f64).clamp(0.0, 1.0) };
    let (low, high) = interval(value, count);
    // Rounding must not exclude 0 or 1.
    let low = if value == 0.0 { 0.0 } else { low };
    let high = if value == 1.0 { 1.0 } else { high };
    Estimate { value, interval: [low, high], matches: count }
}

/// How often each number occurred.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Histogram(pub BTreeMap<i64, u64>);

impl Histogram {
    pub fn add(&mut self, value: i64) {
        *self.0.entry(value).or_default() += 1;
    }

    pub fn join(&mut self, other: &Histogram) {
        other.0.iter().for_each(|(value, count)| *self.0.entry(*value).or_default() += count);
    }

    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the mean with its interval.
    pub fn mean(&self) -> Option<Estimate> {
        let mut moments = Moments::default();
        for (value, count) in &self.0 {
            let (value, count) = (*value as f64, *count as f64);
            moments.sum += value * count;
            moments.squares += value * value * count;
        }
        moments.count = self.count();
        moments.mean()
    }

    /// Returns the number that all numbers are equal to; `None` if they differ, or if there are fewer than two.
    pub fn only(&self) -> Option<Estimate> {
        let (value, matches) =
            self.0.first_key_value().filter(|(_, count)| self.0.len() == 1 && **count > 1)?;
        Some(Estimate { matches: *matches, ..Estimate::exact(*value as f64) })
    }

    /// Returns the least number that at least this share of the numbers does not exceed. The interval is between the
    /// ranks given by the binomial distribution (W. Conover, Practical Nonparametric Statistics, 1999, 3.2). `None` if
    /// there are too few numbers to have such ranks.
    pub fn quantile(&self, share: f64) -> Option<Estimate> {
        let n = self.count();
        let at = |rank: u64| {
            let mut before = 0;
            let found = self.0.iter().find(|(_, count)| {
                before += **count;
                before >= rank
            });
            found.map(|(value, _)| *value as f64)
        };
        let (low, high) = ranks_of_quantile(n, share);
        Some(Estimate {
            value: at(((share * n as f64).ceil() as u64).max(1))?,
            interval: [Some(low).filter(|low| *low > 0).and_then(at)?, at(high)?],
            matches: n,
        })
    }
}

/// Returns the ranks, from 1, between which a quantile lies among `n` numbers, missed on either side with a probability of
/// at most 2.5 %: 0, or `n` + 1, if there is no such rank. That many numbers do not exceed the quantile as there are
/// successes in `n` trials with probability `share`.
fn ranks_of_quantile(n: u64, share: f64) -> (u64, u64) {
    // In logarithms, since the probabilities of many trials are too small for numbers with a floating point.
    let step = |k: u64| ((n - k) as f64 / (k + 1) as f64).ln() + (share / (1.0 - share)).ln();
    let mut log = n as f64 * (1.0 - share).ln();
    let (mut at_most, mut low) = (0.0, 0);
    let mut likely = Vec::new();
    for k in 0..=n {
        likely.push(log.exp());
        at_most += log.exp();
        if at_most <= 0.025 {
            low = k + 1;
        }
        if k < n {
            log += step(k);
        }
    }
    let (mut at_least, mut high) = (0.0, n + 1);
    for (k, likely) in likely.iter().enumerate().rev() {
        at_least += likely;
        if at_least > 0.025 {
            break;
        }
        high = k as u64;
    }
    (low, high)
}

/// Results of paired matches that have something in common.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pairs {
    count: u64,
    products: f64,
    squares: f64,
    /// By seat.
    sums: Vec<f64>,
}

impl Pairs {
    /// Adds a pair of results, each with a number for each seat.
    pub fn add(&mut self, one: &[f64], two: &[f64]) {
        self.count += 1;
        self.sums.resize(one.len(), 0.0);
        for ((one, two), sum) in one.iter().zip(two).zip(&mut self.sums) {
            self.products += one * two;
            self.squares += (one * one + two * two) / 2.0;
            *sum += (one + two) / 2.0;
        }
    }

    pub fn join(&mut self, other: &Pairs) {
        self.count += other.count;
        self.products += other.products;
        self.squares += other.squares;
        self.sums.resize(self.sums.len().max(other.sums.len()), 0.0);
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
    }

    /// Returns the share of the variance that is between pairs, which is what the two of a pair have in
    /// common: R. Fisher's intraclass correlation, with the interval of his transformation (Statistical
    /// Methods for Research Workers, 1925, §38 to 40). `None` for few pairs, or if all results are equal.
    pub fn in_common(&self) -> Option<Estimate> {
        if self.count < ENOUGH {
            return None;
        }
        let n = self.count as f64;
        let of_means: f64 = self.sums.iter().map(|sum| (sum / n).powi(2)).sum();
        let variance = self.squares / n - of_means;
        if variance < 1e-9 {
            return None;
        }
        let found = ((self.products / n - of_means) / variance).clamp(-1.0, 1.0);
        // A correlation of 1 is not quite certain with this many pairs.
        let z = found.clamp(-1.0 + 1.0 / n, 1.0 - 1.0 / n).atanh();
        let half = Z / (n - 1.5).sqrt();
        let bound = |z: f64| z.tanh().max(0.0);
        let high = if found > 1.0 - 1e-9 { 1.0 } else { bound(z + half) };
        Some(Estimate { value: found.max(0.0), interval: [bound(z - half), high], matches: self.count })
    }
}

/// Matches and their twins, a chain in which each match has something in common with the next one: a match and its twin
/// have the same draws, a twin and the match after it the same choices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Twins {
    same_draws: Pairs,
    same_choices: Pairs,
    /// The results of the first match and of the last twin.
    ends: Option<[Vec<f64>; 2]>,
}

impl Twins {
    /// Adds the results of a match and its twin.
    pub fn add(&mut self, one: Vec<f64>, twin: Vec<f64>) {
        let mut more = Twins::default();
        more.same_draws.add(&one, &twin);
        more.ends = Some([one, twin]);
        self.join(&more);
    }

    /// Appends a chain that continues this one.
    pub fn join(&mut self, other: &Twins) {
        self.same_draws.join(&other.same_draws);
        if let (Some([_, twin]), Some([next, _])) = (&self.ends, &other.ends) {
            self.same_choices.add(twin, next);
        }
        self.same_choices.join(&other.same_choices);
        match (&mut self.ends, &other.ends) {
            (Some([_, last]), Some([_, end])) => *last = end.clone(),
            (None, ends) => self.ends = ends.clone(),
            (Some(_), None) => {}
        }
    }

    /// Returns the share of the variance that draws explain by themselves.
    pub fn by_draws(&self) -> Option<Estimate> {
        self.same_draws.in_common()
    }

    /// Returns the share of the variance that draws explain by themselves or together with choices: all that choices do not
    /// explain by themselves.
    pub fn with_draws(&self) -> Option<Estimate> {
        let Estimate { value, interval: [low, high], matches } = self.same_choices.in_common()?;
        Some(Estimate { value: 1.0 - value, interval: [1.0 - high, 1.0 - low], matches })
    }
}

/// Sums over matches of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub matches: u64,
    pub unfinished: u64,
    pub choices: u64,
    /// Distributions of the choices and of the turns in a match.
    pub length: Histogram,
    pub turns: Histogram,
    /// The sum of each seat's shares of the win, and how many matches each won alone.
    pub shares: Vec<f64>,
    pub alone: Vec<u64>,
    /// The finished matches with several winners, and those with none.
    pub shared: u64,
    pub nobody: u64,
    /// Each seat's scores; matches with a score too large for a word are left out.
    pub scores: Vec<Histogram>,
    /// How far each seat is ahead of the best of the others in the end, and how far the first is ahead of the second; empty
    /// if the score does not decide.
    #[serde(default)]
    pub leads_at_end: Vec<Histogram>,
    #[serde(default)]
    pub margin: Histogram,
    /// The mean number of legal moves in a match, and the number at each of its [`POINTS`].
    pub width: Moments,
    pub widths: Vec<Moments>,
    /// The most legal moves at any choice.
    pub widest: u64,
    /// The share of a match's choices with only one legal move, of those with unlimited ones, of its positions that occurred
    /// before, and of its draws that could lead to different positions.
    pub forced: Moments,
    pub unlimited: Moments,
    pub again: Moments,
    pub draws: Moments,
    /// How often the lead in points changes, and the share of the win that the leader at each of the
    /// [`POINTS`] gets in the end.
    pub lead_changes: Moments,
    pub leads: Vec<Moments>,
    /// What each seat gets under best play, if that was found.
    pub best_play: Option<BestPlay>,
    /// Why that was not found.
    pub no_best_play: Option<NotExact>,
    /// What best play loses without each of the moves, as far as that was found.
    pub best_without: Vec<Option<Lost>>,
    /// By seat, for each move: at how many choices it was legal and a move of another name was, too.
    pub alternatives: Vec<Vec<u64>>,
    /// What could be chosen, and what was.
    pub offers: OfferCounts,
    /// How many matches ended in each way.
    pub ends: BTreeMap<String, u64>,
    /// Which part of the winner rule decided the matches.
    #[serde(default)]
    pub decisions: Decisions,
    /// The values at the end of the terms of the score.
    #[serde(default)]
    pub terms: Vec<TermRange>,
    /// The results of examining positions in the course of matches.
    pub looks: Evaluations,
    /// What draws decided, by name.
    #[serde(default)]
    pub luck: Luck,
    /// Pairs of matches with the same draws, and with the same choices.
    pub twins: Twins,
    /// How often each part of the rules ran, and how often it could have.
    pub usage: Vec<[u64; 2]>,
    /// The first few matches: the number of choices, and the record.
    pub samples: Vec<(u64, String)>,
}

/// Results of searches in the course of matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Evaluations {
    /// The expected share of the seat that stands best, at each of the [`POINTS`] of the match.
    pub favourite: Vec<Moments>,
    /// Each seat's expected share at the beginning of each part of the match; what it gets in the end is in
    /// [`Sums::shares`].
    pub seats: Vec<Vec<Moments>>,
    /// The share of a match after which it was decided, of matches that do not end level.
    pub decided: Moments,
    /// How often the favourite changed.
    pub turns: Moments,
    /// The cost of the second-best move, and of a random one.
    pub second: Moments,
    pub blind: Moments,
}

impl Sums {
    /// Whether what searches expected of a seat, at some part of the matches, is not what it got: on average, what is expected is
    /// the same throughout a match, as the value of a position is the mean of those that can follow.
    pub fn are_misjudged(&self) -> bool {
        /// Searches favour the seat that is to choose by up to about so much.
        const FAVOURED: f64 = 0.15;
        let differs = |expected: Estimate, got: Estimate| {
            let ([low, high], [least, most]) = (expected.interval, got.interval);
            low - FAVOURED > most || high + FAVOURED < least
        };
        let seats = self.looks.seats.iter().enumerate();
        seats.into_iter().any(|(seat, parts)| {
            let got = self.any_ended().then(|| self.share(seat));
            let expected = parts.iter().filter_map(Moments::share);
            got.is_some_and(|got| expected.into_iter().any(|expected| differs(expected, got)))
        })
    }

    /// The number of sample matches that are kept.
    pub const SAMPLES: usize = 9;

    pub fn join(&mut self, other: &Sums) {
        self.matches += other.matches;
        self.unfinished += other.unfinished;
        self.choices += other.choices;
        self.length.join(&other.length);
        self.turns.join(&other.turns);
        each(&mut self.shares, &other.shares, |sum, more| *sum += more);
        each(&mut self.alone, &other.alone, |sum, more| *sum += more);
        self.shared += other.shared;
        self.nobody += other.nobody;
        each(&mut self.scores, &other.scores, Histogram::join);
        each(&mut self.leads_at_end, &other.leads_at_end, Histogram::join);
        self.margin.join(&other.margin);
        self.width.join(&other.width);
        each(&mut self.widths, &other.widths, Moments::join);
        self.widest = self.widest.max(other.widest);
        self.forced.join(&other.forced);
        self.unlimited.join(&other.unlimited);
        self.again.join(&other.again);
        self.draws.join(&other.draws);
        self.lead_changes.join(&other.lead_changes);
        each(&mut self.leads, &other.leads, Moments::join);
        other.ends.iter().for_each(|(end, count)| *self.ends.entry(end.clone()).or_default() += count);
        self.best_play = self.best_play.take().or_else(|| other.best_play.clone());
        self.no_best_play = self.no_best_play.or(other.no_best_play);
        each(&mut self.best_without, &other.best_without, |own, others| {
            *own = own.take().or_else(|| others.clone());
        });
        each(&mut self.alternatives, &other.alternatives, |own, others| {
            each(own, others, |sum, more| *sum += more);
        });
        self.offers.join(&other.offers);
        self.decisions.join(&other.decisions);
        terms::join(&mut self.terms, &other.terms);
        self.looks.join(&other.looks);
        self.luck.join(&other.luck);
        self.twins.join(&other.twins);
        each(&mut self.usage, &other.usage, |sum, more| {
            sum[0] += more[0];
            sum[1] += more[1];
        });
        let free = Sums::SAMPLES.saturating_sub(self.samples.len());
        self.samples.extend(other.samples.iter().take(free).cloned());
    }

    /// Returns a seat's share of the win.
    pub fn share(&self, seat: usize) -> Estimate {
        proportion(self.shares.get(seat).copied().unwrap_or(0.0), self.matches)
    }

    /// Returns what best play loses without a move, if that was found.
    pub fn best_without(&self, mv: MoveId) -> Option<&Lost> {
        self.best_without.get(mv)?.as_ref()
    }

    /// Returns the seats (from 0) for which a move was legal together with a move of another name.
    pub fn could_do_without(&self, mv: MoveId) -> Vec<usize> {
        let had = |seat: &usize| self.alternatives[*seat].get(mv).is_some_and(|choices| *choices > 0);
        (0..self.alternatives.len()).filter(had).collect()
    }

    /// Whether a move was never legal together with a move of another name.
    pub fn has_no_alternative(&self, mv: MoveId) -> bool {
        self.matches > 0 && self.could_do_without(mv).is_empty()
    }

    /// Whether a match was played to its end.
    pub fn any_ended(&self) -> bool {
        self.unfinished < self.matches
    }

    /// Returns half the width of the widest interval of a seat's share.
    pub fn half_width(&self) -> f64 {
        let halves = (0..self.shares.len()).map(|seat| {
            let [low, high] = self.share(seat).interval;
            (high - low) / 2.0
        });
        halves.fold(0.0, f64::max)
    }
}

impl Evaluations {
    fn join(&mut self, other: &Evaluations) {
        each(&mut self.favourite, &other.favourite, Moments::join);
        each(&mut self.seats, &other.seats, |own, others| each(own, others, Moments::join));
        self.decided.join(&other.decided);
        self.turns.join(&other.turns);
        self.second.join(&other.second);
        self.blind.join(&other.blind);
    }
}

/// Joins lists item by item, extending the shorter one with defaults.
pub(super) fn each<T: Default + Clone>(own: &mut Vec<T>, others: &[T], join: impl Fn(&mut T, &T)) {
    own.resize(own.len().max(others.len()), T::default());
    own.iter_mut().zip(others).for_each(|(own, other)| join(own, other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_must_be_what_is_got() {
        let expecting = |share: f64| {
            let mut parts = vec![Moments::default(); PARTS];
            (0..20).for_each(|_| parts.iter_mut().for_each(|part| part.add(share)));
            let looks = Evaluations { seats: vec![Vec::new(), parts], ..Evaluations::default() };
            Sums { matches: 40, shares: vec![20.0, 20.0], looks, ..Sums::default() }
        };
        assert!(!expecting(0.5).are_misjudged() && !expecting(0.6).are_misjudged());
        assert!(expecting(0.01).are_misjudged() && expecting(0.99).are_misjudged());
        // Where no match was played to its end, nobody got anything.
        assert!(!Sums { unfinished: 40, ..expecting(0.01) }.are_misjudged());
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Student's t for a 95 % interval, from tables: 5 degrees 2.571, 10 degrees 2.228, 30 degrees 2.042.
        for (freedom, t) in [(5, 2.571), (10, 2.228), (30, 2.042), (1_000_000, 1.96)] {
            assert!((student(freedom) - t).abs() < 3e-3, "{freedom}: {}", student(freedom));
        }
        // Of 1, 2, 3, 4, 5: mean 3, variance 2.5, standard error 0.7071, 4 degrees of freedom.
        let mut moments = Moments::default();
        (1..=5).for_each(|n| moments.add(f64::from(n)));
        let found = moments.mean().unwrap();
        assert_eq!(found.value, 3.0);
        assert!((found.interval[1] - 3.0 - 2.776 * 0.5_f64.sqrt()).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn few_equal_numbers_do_not_make_a_mean_certain() {
        let of = |n: u64, value: f64| {
            let mut moments = Moments::default();
            (0..n).for_each(|_| moments.add(value));
            moments
        };
        // Clopper and Pearson's limits for 0 of n, from tables: 4: 60.2 %, 10: 30.8 %, 100: 3.62 %.
        for (n, limit) in [(4, 0.602), (10, 0.308), (100, 0.0362)] {
            let [low, high] = of(n, 0.0).share().unwrap().interval;
            assert!(low == 0.0 && (high - limit).abs() < 1e-3, "{n}: {high}");
            let [low, high] = of(n, 0.0).difference().unwrap().interval;
            assert!((high - limit).abs() < 1e-3 && (low + limit).abs() < 1e-3, "{n}: {low}..{high}");
            let [low, high] = of(n, 1.0).share().unwrap().interval;
            assert!(high == 1.0 && (1.0 - low - limit).abs() < 1e-3, "{n}: {low}");
        }
        // Where numbers vary, the interval is Student's.
        let mut moments = of(50, 0.2);
        moments.join(&of(50, 0.6));
        assert_eq!(moments.share().unwrap().interval, moments.mean().unwrap().interval);
        assert_eq!(of(1, 0.0).share(), None);
    }

    #[test]
    fn quantiles_are_ranks() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|n| histogram.add(n));
        let found = histogram.quantile(0.5).unwrap();
        // P(X ≤ 39) = 0.0176 and P(X ≤ 40) = 0.0284 of a hundred coins.
        assert_eq!((found.value, found.interval), (50.0, [40.0, 61.0]));
        // All of a hundred are below the value that one in twenty exceeds with 0.95¹⁰⁰ = 0.0059.
        assert_eq!(histogram.quantile(0.95).unwrap().interval, [90.0, 100.0]);
        assert_eq!(histogram.mean().unwrap().value, 50.5);
        assert_eq!(Histogram::default().quantile(0.5), None);
        // Of 40 numbers, the greatest can fall short of the value that one in twenty exceeds: 0.95⁴⁰ = 0.13.
        let mut few = Histogram::default();
        (1..=40).for_each(|n| few.add(n));
        assert_eq!(few.quantile(0.95), None);
        assert_eq!(few.quantile(0.05), None);
    }

    #[test]
    fn what_pairs_have_in_common_is_the_variance_between_them() {
        // With probability one half, both coins of a pair are the same; otherwise both are thrown
        // independently: a half in common.
        let mut rng = crate::num::Rng::new(3);
        let mut pairs = Pairs::default();
        for _ in 0..20_000 {
            let same = rng.below_u64(2) == 0;
            let one = rng.below_u64(2) as f64;
            let two = if same { one } else { rng.below_u64(2) as f64 };
            pairs.add(&[one, 1.0 - one], &[two, 1.0 - two]);
        }
        let found = pairs.in_common().unwrap();
        assert!((found.value - 0.5).abs() < 0.03 && found.interval[0] < 0.5 && 0.5 < found.interval[1]);
        let mut always = Pairs::default();
        (0..20).for_each(|_| always.add(&[1.0, 0.0], &[1.0, 0.0]));
        assert_eq!(always.in_common(), None, "nothing varies");
    }

    #[test]
    fn sums_joined_are_sums_of_all() {
        let some = |from: i64, to: i64| {
            let mut sums = Sums { widths: vec![Moments::default(); POINTS], ..Sums::default() };
            for n in from..to {
                sums.matches += 1;
                sums.length.add(n % 7);
                sums.widths[0].add(n as f64);
            }
            sums
        };
        let (mut one, two) = (some(0, 10), some(10, 30));
        one.join(&two);
        assert_eq!(one, some(0, 30));
    }
}
