//! Elo ratings: how much stronger one player is than another, estimated from shares of the win.

/// The Elo points per unit of log strength: ten times the strength is 400 points.
const POINTS: f64 = 400.0 / std::f64::consts::LN_10;

/// The most iterations in estimating the strengths, and the change below which they count as converged.
const MOST_ROUNDS: usize = 100_000;
const STANDING: f64 = 1e-12;

/// Formats points with their sign: `+80`, `-12`, `+0`.
pub(super) fn signed(points: f64) -> String {
    // Adding 0 removes the sign of −0.
    format!("{:+.0}", points.round() + 0.0)
}

/// Formats an interval of points, which may be unbounded on one side.
pub(super) fn range(low: f64, high: f64) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{}..{}", signed(low), signed(high)),
        (true, false) => format!("{} or more", signed(low)),
        (false, true) => format!("{} or less", signed(high)),
        (false, false) => "-".to_string(),
    }
}

/// Matches between two players.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    /// The two players, numbered from 0.
    pub players: [usize; 2],
    /// The number of seats that one player had and that the other had; in half of the matches it was the
    /// other way round.
    pub parts: [usize; 2],
    /// The number of matches.
    pub matches: u64,
    /// The sum of the first player's shares of the win.
    pub share: f64,
}

/// A rating in points, relative to the mean of all players, which is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The points.
    pub elo: f64,
    /// The 95 % confidence interval.
    pub interval: (f64, f64),
}

/// Returns how many points stronger one player is than another of whose matches it wins this share, if each
/// has half of the seats on average. Infinite if the share is 0 or 1.
pub fn difference(share: f64, parts: [usize; 2]) -> f64 {
    // A player of strength x against 1 wins ax / (ax + b) of the matches in which it has a seats and the
    // other b, and bx / (bx + a) of the others. The share is the mean of both, which gives a quadratic
    // equation.
    let [a, b] = parts.map(|part| part as f64);
    let middle = (a * a + b * b) * (2.0 * share - 1.0);
    let root = (middle * middle + 16.0 * (a * b).powi(2) * share * (1.0 - share)).sqrt();
    match share {
        ..=0.0 => f64::NEG_INFINITY,
        1.0.. => f64::INFINITY,
        // This form avoids cancellation between nearly equal numbers.
        ..0.5 => POINTS * (4.0 * a * b * share / (root - middle)).ln(),
        _ => POINTS * ((middle + root) / (4.0 * a * b * (1.0 - share))).ln(),
    }
}

/// Returns the ratings of all players, estimated from all their matches.
///
/// Each player has a strength, and wins with a probability proportional to its part of the strengths of all
/// seats (R. Bradley and M. Terry, Biometrika 39, 1952). The maximum-likelihood strengths are found by the MM
/// algorithm of D. Hunter, Annals of Statistics 32, 2004. One drawn match is added to each pairing, so that a
/// player who won everything has a rating too: for a single pairing, this is the mean of a proportion under
/// Jeffreys's prior. The intervals come from the curvature of the likelihood.
pub fn ratings(players: usize, meetings: &[Meeting]) -> Vec<Rating> {
    let counted: Vec<(&Meeting, f64, f64)> =
        meetings.iter().map(|meeting| (meeting, meeting.matches as f64 + 1.0, meeting.share + 0.5)).collect();
    let mut won = vec![0.0; players];
    for (meeting, matches, share) in &counted {
        won[meeting.players[0]] += share;
        won[meeting.players[1]] += matches - share;
    }
    let mut strengths = vec![1.0; players];
    for _ in 0..MOST_ROUNDS {
        let mut sums = vec![0.0; players];
        for (Meeting { players: [i, j], parts, .. }, matches, _) in &counted {
            for [a, b] in ways(parts) {
                let all = a * strengths[*i] + b * strengths[*j];
                sums[*i] += matches / 2.0 * a / all;
                sums[*j] += matches / 2.0 * b / all;
            }
        }
        let mut next: Vec<f64> =
            won.iter().zip(&sums).map(|(won, sum)| if *sum > 0.0 { won / sum } else { 1.0 }).collect();
        let mean = next.iter().map(|strength| strength.ln()).sum::<f64>() / players as f64;
        next.iter_mut().for_each(|strength| *strength /= mean.exp());
        let change = next.iter().zip(&strengths).map(|(new, old)| (new / old).ln().abs());
        let change = change.fold(0.0, f64::max);
        strengths = next;
        if change < STANDING {
            break;
        }
    }
    let spread = spread(&strengths, &counted);
    let rating = |(strength, variance): (&f64, f64)| {
        let (elo, half) = (POINTS * strength.ln(), 1.96 * POINTS * variance.max(0.0).sqrt());
        Rating { elo, interval: (elo - half, elo + half) }
    };
    strengths.iter().zip(spread).map(rating).collect()
}

/// Returns how the seats are divided, both ways round.
fn ways(parts: &[usize; 2]) -> [[f64; 2]; 2] {
    let [a, b] = parts.map(|part| part as f64);
    [[a, b], [b, a]]
}

/// Returns the variance of the logarithm of each strength, given that their mean is fixed: the diagonal of
/// the pseudo-inverse of the likelihood's curvature. To compute it, add 1/n to each entry, invert, and
/// subtract 1/n again: the null space of the curvature consists of the constant vectors.
fn spread(strengths: &[f64], counted: &[(&Meeting, f64, f64)]) -> Vec<f64> {
    let n = strengths.len();
    let part = 1.0 / n as f64;
    let mut curvature = vec![vec![part; n]; n];
    for (Meeting { players: [i, j], parts, .. }, matches, _) in counted {
        for [a, b] in ways(parts) {
            let wins = a * strengths[*i] / (a * strengths[*i] + b * strengths[*j]);
            let weight = matches / 2.0 * wins * (1.0 - wins);
            curvature[*i][*i] += weight;
            curvature[*j][*j] += weight;
            curvature[*i][*j] -= weight;
            curvature[*j][*i] -= weight;
        }
    }
    inverse_diagonal(curvature).into_iter().map(|variance| variance - part).collect()
}

/// Returns the diagonal of the inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination.
fn inverse_diagonal(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let n = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|column| if column == at { 1.0 } else { 0.0 }));
    }
    for at in 0..n {
        let pivot = matrix[at][at];
        matrix[at].iter_mut().for_each(|value| *value /= pivot);
        let row = matrix[at].clone();
        for (_, values) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = values[at];
            values.iter_mut().zip(&row).for_each(|(value, by)| *value -= factor * by);
        }
    }
    (0..n).map(|at| matrix[at][n + at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(players: [usize; 2], matches: u64, share: f64) -> Meeting {
        Meeting { players, parts: [1, 1], matches, share }
    }

    #[test]
    fn differences_are_those_of_the_scale() {
        // Ten wins to one is ten times the strength; three to one is 400 times the decimal logarithm of 3.
        assert!((difference(10.0 / 11.0, [1, 1]) - 400.0).abs() < 1e-9);
        assert!((difference(0.75, [1, 1]) - 190.848_501_888).abs() < 1e-6);
        assert!((difference(0.25, [2, 2]) + 190.848_501_888).abs() < 1e-6);
        assert_eq!(difference(0.5, [2, 1]), 0.0);
        assert_eq!(difference(1.0, [1, 1]), f64::INFINITY);
        // Twice the strength at a table for three: 4 of 5 with two seats, 2 of 4 with one; 0.65 on average.
        assert!((difference(0.65, [2, 1]) - 400.0 * 2f64.log10()).abs() < 1e-9);
    }

    #[test]
    fn ratings_are_those_of_win_rates_that_fit() {
        // Strengths 9, 3 and 1: three to one between neighbours, nine to one between the ends.
        let n = 10_000_000;
        let meetings = [met([0, 1], n, 0.75 * 1e7), met([0, 2], n, 0.9 * 1e7), met([1, 2], n, 0.75 * 1e7)];
        let found = ratings(3, &meetings);
        for (rating, elo) in found.iter().zip([190.8485, 0.0, -190.8485]) {
            assert!((rating.elo - elo).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn intervals_are_those_of_one_proportion() {
        // 99 matches and a drawn one, of which half are won: the variance of the log odds is 1 / (100 · ¼),
        // and each rating is half of the difference.
        let found = ratings(2, &[met([0, 1], 99, 49.5)]);
        let half = 1.96 * POINTS * (1.0_f64 / 25.0).sqrt() / 2.0;
        assert!((found[0].interval.1 - half).abs() < 1e-6 && found[0].elo.abs() < 1e-9, "{found:?}");
        // A player who won everything has a rating.
        let found = ratings(2, &[met([0, 1], 100, 100.0)]);
        let whole = found[0].elo - found[1].elo;
        assert!((whole - difference(100.5 / 101.0, [1, 1])).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn who_is_rated_so_is_expected_to_win_what_was_won() {
        let meetings = [
            Meeting { players: [0, 1], parts: [2, 1], matches: 60, share: 41.5 },
            Meeting { players: [0, 2], parts: [2, 1], matches: 30, share: 3.0 },
            Meeting { players: [1, 2], parts: [2, 1], matches: 90, share: 44.25 },
        ];
        let found = ratings(3, &meetings);
        let strength = |player: usize| (found[player].elo / POINTS).exp();
        for player in 0..3 {
            let (mut won, mut expected) = (0.0, 0.0);
            for Meeting { players, matches, share, .. } in &meetings {
                let Some(side) = players.iter().position(|other| *other == player) else { continue };
                let (me, you, all) = (strength(player), strength(players[1 - side]), *matches as f64 + 1.0);
                won += if side == 0 { share + 0.5 } else { all - share - 0.5 };
                expected += all / 2.0 * (2.0 * me / (2.0 * me + you) + me / (me + 2.0 * you));
            }
            assert!((won - expected).abs() < 1e-6, "player {player}: {won} won, {expected} expected");
        }
    }
}
