//! Estimates what a position, or one move in it, is worth to every seat, by the playouts of a trained search.

use super::advice::{Advice, MoveStats, interval_of_search};
use super::worth::{Measure, Proof};
use super::{Course, Effort, NoAdvice, Question, Search, Viewpoint, goes_on};
use crate::engine::Engine;
use crate::eval::{Chosen, Machine};
use crate::num::Rng;

/// The least number of positions that are searched to see whether the rest of a match can be solved, so that
/// hints and estimates of the standing agree on what is certain.
pub(super) const SEARCHED: u64 = 30_000;

/// The same for a single position, where a moment more may be taken.
const SEARCHED_ONCE: u64 = 60_000;

/// How many searches share the effort where more than two sides choose together.
const SEARCHES: u64 = 4;

/// What each seat can expect from the rest of a match, as far as one of the seats knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// What each seat can expect, by `measure`. Shares of the win add up to 1, those of seats that win together counted once.
    pub values: Vec<f64>,
    /// Whether the values are shares of the win, or a score that all seats have in common.
    pub measure: Measure,
    /// The standard error of the score, if that is what is measured.
    pub score_error: f64,
    /// The number of playouts that the values are averaged over.
    pub playouts: u64,
    /// How far the value has moved in the later part of the search.
    pub moved: f64,
    /// How far the values may be off, 19 times in 20, since they come from a few rollouts, or since there was no time for those; 0
    /// if they come from playouts.
    pub off: f64,
    /// How the match ends under best play, if that is certain.
    pub end: Option<Proof>,
    /// Whether the values are exact: everything that can follow was worked out.
    pub exact: bool,
}

impl Standing {
    /// Describes a certain end.
    pub fn certain(end: Proof, seats: usize) -> Standing {
        Standing {
            end: Some(end),
            ..Standing::exactly((0..seats).map(|seat| end.share(seat, seats)).collect(), Measure::Share)
        }
    }

    /// Describes exact values.
    pub fn exactly(values: Vec<f64>, measure: Measure) -> Standing {
        Standing {
            values,
            measure,
            score_error: 0.0,
            playouts: 0,
            moved: 0.0,
            off: 0.0,
            end: None,
            exact: true,
        }
    }

    /// Describes what a choice is worth to all seats that was worked out exactly, given what it is worth to `seat`: what the advised
    /// move is, or the mix of moves.
    pub fn of_exact(advice: &Advice, seat: usize, machine: &Machine) -> Option<Standing> {
        if !advice.is_mixed() {
            return Standing::of(advice.best_stats()?, seat, machine);
        }
        let mut values = vec![0.0; machine.setup.players];
        for (weighed, likely) in advice.moves.iter().zip(&advice.mix) {
            let of_move = Standing::of(weighed, seat, machine)?.values;
            values.iter_mut().zip(of_move).for_each(|(sum, value)| *sum += likely * value);
        }
        Some(Standing::exactly(values, Measure::Share))
    }

    /// Describes what a move that was worked out exactly is worth to all seats, given what it is worth to `seat`.
    pub fn of(weighed: &MoveStats, seat: usize, machine: &Machine) -> Option<Standing> {
        let (seats, measure) = (machine.setup.players, Measure::of(machine));
        match (measure, weighed.score, weighed.end, &weighed.shares) {
            (Measure::Score { .. }, score, ..) => Some(Standing::exactly(vec![score?; seats], measure)),
            (_, _, Some(end), _) => Some(Standing::certain(end, seats)),
            (_, _, _, Some(shares)) => Some(Standing::exactly(shares.clone(), measure)),
            _ => Standing::expected(seat, weighed.value, machine),
        }
    }

    /// Describes the exact share of the win that a seat (from 0) can expect where chance draws; `None` of more than
    /// two sides, since the share of one does not tell those of the others.
    pub fn expected(seat: usize, share: f64, machine: &Machine) -> Option<Standing> {
        let seats = machine.setup.players;
        let partners = machine.interests.partners(seat, seats);
        let of = |other: usize| if partners >> other & 1 == 1 { share } else { 1.0 - share };
        let shares = (machine.sides().len() <= 2).then(|| (0..seats).map(of).collect())?;
        Some(Standing::exactly(shares, Measure::Share))
    }

    /// Whether the values are shares of the win that were estimated.
    pub fn is_estimate_of_share(&self) -> bool {
        self.measure == Measure::Share && !self.exact && self.end.is_none()
    }

    /// Returns the standard error of the value of a seat (from 0).
    pub fn error(&self, seat: usize) -> f64 {
        let value = self.values[seat];
        match self.measure {
            _ if self.exact => 0.0,
            // All or nothing of a few playouts is not certain: P. S. Laplace's rule of succession.
            Measure::Share => {
                let playouts = self.playouts as f64;
                let share = (value * playouts + 1.0) / (playouts + 2.0);
                (share * (1.0 - share) / playouts.max(1.0)).sqrt().hypot(self.off / 1.96)
            }
            Measure::Score { .. } => self.score_error,
        }
    }

    /// Returns the interval that the value of a seat (from 0) lies in, 19 times in 20; that of a common score covers sampling
    /// error only.
    pub fn interval(&self, seat: usize) -> (f64, f64) {
        match self.measure {
            Measure::Share if !self.exact => {
                interval_of_search(self.values[seat], self.playouts, self.moved.hypot(self.off))
            }
            _ => self.sampling_interval(seat),
        }
    }

    /// Returns the 95% confidence interval that covers sampling error only, for comparisons of values that move alike as more
    /// becomes known of the replies.
    pub fn sampling_interval(&self, seat: usize) -> (f64, f64) {
        let value = self.values[seat];
        match self.measure {
            Measure::Share if !self.exact => interval_of_search(value, self.playouts, self.off),
            _ => (value - 1.96 * self.error(seat), value + 1.96 * self.error(seat)),
        }
    }
}

/// What a search by one seat says of courses that the match may take.
#[derive(Debug)]
pub struct Judged {
    /// The best move, or one that was drawn from the mix.
    pub best: Chosen,
    /// What each seat can expect at the end of each course.
    pub shares: Vec<Vec<f64>>,
    /// What the seat itself can expect on average, whatever course the match takes; 0 if that was not asked.
    pub on_average: f64,
}

/// What a search found out about a choice.
#[derive(Debug)]
pub struct Weighed {
    /// What the choice is worth to every seat.
    pub standing: Standing,
    /// The best move, or one that was drawn from the mix.
    pub best: Chosen,
    /// Whether moves are mixed.
    pub mixed: bool,
    /// What that move, or the mix, is worth to the seat that is to choose, by all playouts in which it was made.
    pub value: f64,
}

impl Weighed {
    /// Returns the mean of what several searches by a seat (from 0) have found.
    fn mean(all: Vec<Weighed>, seat: usize) -> Weighed {
        let count = all.len() as f64;
        let mean = |of: &dyn Fn(&Weighed) -> f64| all.iter().map(of).sum::<f64>() / count;
        let seats = all.first().map_or(0, |weighed| weighed.standing.values.len());
        let values: Vec<f64> =
            (0..seats).map(|seat| mean(&|weighed| weighed.standing.values[seat])).collect();
        let own = values[seat];
        let spread = mean(&|weighed| (weighed.standing.values[seat] - own).powi(2)) / (count - 1.0);
        let (value, moved) = (mean(&|weighed| weighed.value), mean(&|weighed| weighed.standing.moved));
        let playouts = all.iter().map(|weighed| weighed.standing.playouts).sum();
        let mut all = all.into_iter();
        let first = all.next().expect("several searches were made");
        let off = first.standing.off.hypot(1.96 * spread.sqrt());
        let standing = Standing { values, moved, playouts, off, ..first.standing };
        Weighed { standing, value, ..first }
    }
}

impl<'q, E: Engine + Sync> Question<'q, E>
where
    E::State: Sync,
{
    /// Returns what the choice is worth to every seat, if the rest of the match can be searched to its end within the
    /// effort; `builds_graph` says whether to build the graph of all positions if there is no other way.
    fn exact_standing(
        &mut self,
        effort: Effort,
        builds_graph: bool,
        rng: &mut Rng,
    ) -> Result<Option<Standing>, NoAdvice> {
        let machine = self.engine.machine();
        let exact = self.solve_exactly(rng, effort, builds_graph)?.ok();
        Ok(exact.as_ref().and_then(|advice| Standing::of_exact(advice, self.seat, machine)))
    }

    /// Returns what the choice is worth to every seat, if the rest of the match is small enough to be worked out, by building
    /// the graph of all positions if there is no other way.
    pub fn proved_standing(&mut self, rng: &mut Rng) -> Result<Option<Standing>, NoAdvice> {
        self.exact_standing(Effort::Playouts(SEARCHED_ONCE), true, rng)
    }

    /// Returns what the choice is worth to every seat, if a little of the effort, or a search of `least` positions, suffices to search
    /// the rest of the match to its end.
    pub fn standing_by_little(
        &mut self,
        (effort, least): (Effort, u64),
        rng: &mut Rng,
    ) -> Result<Option<Standing>, NoAdvice> {
        let little = match effort {
            Effort::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(2).max(least)),
            Effort::Millis(ms) => Effort::Millis(ms / 4),
        };
        // Building the graph of all positions takes too long where it is done again for each move of a match.
        let builds_graph = Measure::of(self.engine.machine()) != Measure::Share;
        self.exact_standing(little, builds_graph, rng)
    }

    /// Whether a search mixes moves where it starts.
    fn mixes(&mut self, search: &Search<'q, E>, rng: &Rng) -> bool {
        (self.root)(Viewpoint::Own, &mut rng.clone()).is_some_and(|state| search.mixes_at(&state))
    }

    /// Makes a search for what the choice, or only the move `only`, is worth, and says whether moves are mixed.
    fn search_for(&mut self, only: Option<&Chosen>, effort: Effort, rng: &Rng) -> (Search<'q, E>, bool) {
        let mut search = self.new_search(effort);
        // Against a single move the others would choose differently, so what they know must not depend on it.
        let mixes = self.mixes(&search, rng);
        if let Some(chosen) = only.filter(|_| !mixes) {
            search.only(chosen.clone());
        }
        (search, mixes)
    }

    /// Estimates what the choice, or only the move `only`, is worth to every seat. Where more than two sides choose together, a
    /// search settles on one of many equilibria, such as one in which two stand in each other's way for the good of a third. So
    /// several searches share the effort, and how far they are apart counts as uncertainty.
    pub fn weigh(
        &mut self,
        only: Option<&Chosen>,
        effort: Effort,
        rng: &mut Rng,
    ) -> Result<Weighed, NoAdvice> {
        let several = self.engine.machine().sides().len() > 2;
        if !several || !self.mixes(&self.new_search(effort), rng) {
            return self.weigh_once(only, effort, rng);
        }
        let mut all = Vec::new();
        for _ in 0..SEARCHES {
            all.push(self.weigh_once(only, effort.part(SEARCHES), rng)?);
        }
        Ok(Weighed::mean(all, self.seat))
    }

    /// Estimates what the choice, or only the move `only`, is worth to every seat. The search spends the first half of the
    /// effort on learning which moves are good, and only the playouts of the second half are counted: a mean over
    /// all of them would include weaker play. Where moves are mixed, a single one is valued against the mixes of the
    /// others.
    fn weigh_once(
        &mut self,
        only: Option<&Chosen>,
        effort: Effort,
        rng: &mut Rng,
    ) -> Result<Weighed, NoAdvice> {
        let (mut search, mixes) = self.search_for(only, effort, rng);
        let (half, rest) = match effort {
            Effort::Playouts(playouts) => (Effort::Playouts(playouts / 2), effort),
            Effort::Millis(ms) => (Effort::Millis(ms / 2), Effort::Millis(ms - ms / 2)),
        };
        search.run(self.root, rng, &goes_on(half, self.clock, u64::MAX));
        let learned = search.playouts();
        if mixes {
            search.settle(only);
        } else {
            search.reset_totals();
        }
        // `goes_on` measures time from here, but counts playouts from the start of the search.
        let goes_on = goes_on(rest, self.clock, u64::MAX);
        search.run(self.root, rng, &|done| done == learned || goes_on(done));
        let found = search.standing()?.zip(search.advice(rng)?);
        let (standing, advice) = found.ok_or_else(not_comparable)?;
        Ok(Weighed { standing, mixed: advice.is_mixed(), value: advice.value, best: advice.best })
    }

    /// Searches for the seat with half of the effort, and then tells what every seat can expect at the end of each of some
    /// courses from positions that are possible as far as the seat knows: if it makes the move `only`, or else its best one.
    /// What the seats have learned, they have learned from all positions that are possible. `averaged` says whether to tell, too,
    /// what the seat can expect on average.
    pub fn judge(
        &mut self,
        (only, averaged): (Option<&Chosen>, bool),
        courses: &[Course<E::State>],
        playouts: u64,
        rng: &mut Rng,
    ) -> Result<Judged, NoAdvice> {
        let (mut search, mixes) = self.search_for(only, Effort::Playouts(playouts), rng);
        search.run(self.root, rng, &goes_on(Effort::Playouts(playouts / 2), self.clock, u64::MAX));
        let advice = search.advice(rng)?.ok_or_else(not_comparable)?;
        search.settle(only.or_else(|| Some(&advice.best).filter(|_| !mixes)));
        let each = (playouts / 4).max(1);
        let shares = courses.iter().map(|course| search.shares_after(course, each, rng)).collect();
        let (mut on_average, begun) = (0.0, if averaged { (playouts / 2).max(1) } else { 0 });
        for _ in 0..begun {
            let Some(end) = (self.root)(Viewpoint::Own, rng) else { return Err(NoAdvice::NoWorld) };
            let course = Course { stops: Vec::new(), end };
            on_average += search.shares_after(&course, 1, rng)[self.seat] / begun as f64;
        }
        Ok(Judged { best: advice.best, shares, on_average })
    }
}

fn not_comparable() -> NoAdvice {
    NoAdvice::Cannot("the moves of this choice cannot be compared with each other".to_string())
}
