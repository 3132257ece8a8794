//! The course of one match, noted choice by choice, and its contribution to the sums.

use std::collections::HashSet;

use super::luck::Luck;
use super::offers::{OfferCounts, Offered};
use super::possible::NamedValues;
use super::sums::{Histogram, Moments, PARTS, POINTS, Sums};
use crate::bots::Proof;
use crate::eval::{Machine, Outcome};
use crate::ir::{Game, Interests, MoveId, Value};
use crate::num::Int;
use crate::play::{Entry, first_compared, score_decides};

/// A match in progress.
#[derive(Debug)]
pub(super) struct Course {
    seats: usize,
    /// How ends are valued, and which seats win and lose together.
    compared: Interests,
    sides: Vec<Vec<usize>>,
    /// Whether the highest score wins; `None` if the score does not decide the match.
    highest: Option<bool>,
    /// Whether the winner rule compares players.
    compares: bool,
    choices: u64,
    turns: u64,
    /// The seat that has the turn, if it is only one.
    mover: Option<usize>,
    /// The number of legal moves at each choice; `None` if they are unbounded.
    widths: Vec<Option<f64>>,
    /// By seat, for each move: at how many choices it was legal and a move of another name was, too.
    alternatives: Vec<Vec<u64>>,
    /// What could be chosen, and what was.
    offers: OfferCounts,
    /// The sole leader by score at each stop, from 0.
    leaders: Vec<Option<usize>>,
    /// The positions so far, and how many stops repeated one of them.
    positions: HashSet<u128>,
    repeats: u64,
    /// The number of draws, and of those that could lead to different positions.
    draws: u64,
    open_draws: u64,
    luck: Luck,
}

impl Course {
    pub fn new(machine: &Machine) -> Course {
        let seats = machine.setup.players;
        Course {
            seats,
            compared: compared(machine),
            sides: compared(machine).sides(seats),
            highest: score_decides(&machine.game).filter(|_| seats > 1),
            compares: seats > 1 && first_compared(&machine.game).is_some(),
            choices: 0,
            turns: 0,
            mover: None,
            widths: Vec::new(),
            alternatives: vec![vec![0; machine.game.moves.len()]; seats],
            offers: OfferCounts::default(),
            leaders: Vec::new(),
            positions: HashSet::new(),
            repeats: 0,
            draws: 0,
            open_draws: 0,
            luck: Luck::default(),
        }
    }

    /// Whether it matters who is ahead at each stop.
    pub fn wants_leaders(&self) -> bool {
        self.compares
    }

    /// Returns the number of choices so far.
    pub fn choices(&self) -> u64 {
        self.choices
    }

    /// Returns the number of stops so far; a joint choice is one stop.
    pub fn stops(&self) -> usize {
        self.leaders.len()
    }

    /// Notes a stop at which these seats (one bit each) are to choose and none has chosen yet, and who is ahead. Positions
    /// with equal keys are equal.
    pub fn stop(&mut self, seats: u64, leader: Option<usize>, key: Option<u128>) {
        let alone = (seats.count_ones() == 1).then(|| seats.trailing_zeros() as usize);
        self.turns += u64::from(alone.is_none() || alone != self.mover);
        self.mover = alone;
        self.leaders.push(leader);
        self.repeats += u64::from(key.is_some_and(|key| !self.positions.insert(key)));
    }

    /// Notes a draw, and whether it can lead to different positions.
    pub fn draw(&mut self, matters: bool) {
        self.draws += 1;
        self.open_draws += u64::from(matters);
    }

    /// Notes what was drawn, in words.
    pub fn drawn(&mut self, name: &str, value: String) {
        self.luck.drawn(name, value);
    }

    /// Notes a choice among `width` legal moves.
    pub fn choice(&mut self, width: Option<f64>) {
        self.choices += 1;
        self.widths.push(width);
    }

    /// Notes what can be chosen, and what is.
    pub fn offered(&mut self, game: &Game, offered: &Offered, chosen: &Entry) {
        let own = &mut self.alternatives[chosen.player - 1];
        offered.alternatives().iter().for_each(|mv| own[*mv] += 1);
        self.offers.add(game, offered, chosen);
    }

    /// Notes which values were possible.
    pub fn met(&mut self, named: &NamedValues, mv: MoveId, args: &[Value]) {
        self.offers.met(named, mv, args);
    }

    /// Returns the sums of this match, given its outcome (`None` if it was abandoned), who is ahead at the end, and the final
    /// scores.
    pub fn sums(mut self, outcome: Option<&Outcome>, leader: Option<usize>, scores: Option<&[Int]>) -> Sums {
        let shares = shares(outcome, self.compared, self.seats);
        self.leaders.push(leader);
        let mut sums = Sums {
            matches: 1,
            unfinished: u64::from(outcome.is_none()),
            choices: self.choices,
            alone: vec![0; self.seats],
            widths: vec![Moments::default(); POINTS],
            leads: vec![Moments::default(); POINTS],
            ..Sums::default()
        };
        sums.length.add(self.choices as i64);
        sums.turns.add(self.turns as i64);
        match outcome.map(|outcome| outcome.winners.as_slice()) {
            Some([one]) => sums.alone[*one] = 1,
            Some([]) => sums.nobody = 1,
            // What a side wins by itself is not shared.
            Some(winners) => sums.shared = u64::from(!self.sides.iter().any(|side| side == winners)),
            None => {}
        }
        if let Some(words) =
            scores.and_then(|scores| scores.iter().map(Int::as_i64).collect::<Option<Vec<_>>>())
        {
            sums.scores = words.iter().map(|_| Histogram::default()).collect();
            if let Some(highest) = self.highest.filter(|_| outcome.is_some()) {
                add_margins(&words, &self.sides, highest, &mut sums);
            }
            sums.scores.iter_mut().zip(words).for_each(|(histogram, score)| histogram.add(score));
        }
        self.add_widths(&mut sums);
        if self.compares {
            self.add_leads(&mut sums, &shares);
        }
        if !self.positions.is_empty() {
            let stops = self.positions.len() as u64 + self.repeats;
            sums.again.add(self.repeats as f64 / stops as f64);
        }
        if self.draws > 0 {
            sums.draws.add(self.open_draws as f64 / self.draws as f64);
        }
        sums.shares = shares;
        sums.alternatives = self.alternatives;
        sums.offers = self.offers;
        sums.luck = self.luck;
        sums
    }

    fn add_widths(&self, sums: &mut Sums) {
        let known: Vec<(usize, f64)> =
            self.widths.iter().enumerate().filter_map(|(at, width)| Some((at, (*width)?))).collect();
        if self.widths.is_empty() {
            return;
        }
        let share = |choices: usize| choices as f64 / self.widths.len() as f64;
        sums.forced.add(share(known.iter().filter(|(_, width)| *width <= 1.0).count()));
        sums.unlimited.add(share(self.widths.len() - known.len()));
        if known.is_empty() {
            return;
        }
        let all: Vec<f64> = known.iter().map(|(_, width)| *width).collect();
        sums.width.add(all.iter().sum::<f64>() / all.len() as f64);
        sums.widest = all.iter().fold(0.0, |most: f64, width| most.max(*width)) as u64;
        for (point, moments) in sums.widths.iter_mut().enumerate() {
            // From the first choice to the last.
            let choice = step_at(point, self.widths.len() - 1);
            if let Some((_, width)) = known.iter().rev().find(|(at, _)| *at <= choice) {
                moments.add(*width);
            }
        }
    }

    fn add_leads(&self, sums: &mut Sums, shares: &[f64]) {
        let mut changes = 0;
        let mut last = None;
        for leader in self.leaders.iter().flatten() {
            changes += u64::from(last.is_some_and(|last| last != leader));
            last = Some(leader);
        }
        sums.lead_changes.add(changes as f64);
        // The last leader is that at the end.
        let stops = self.stops() - 1;
        for (point, moments) in sums.leads.iter_mut().enumerate() {
            if let Some(leader) = self.leaders[step_at(point, stops)] {
                moments.add(shares[leader]);
            }
        }
    }
}

/// Adds by how much each of several seats is ahead of the best of those on other sides, and the first of the second. What is
/// too large for a word is left out.
fn add_margins(scores: &[i64], sides: &[Vec<usize>], highest: bool, sums: &mut Sums) {
    let lead = |seat: usize| {
        let opponents = sides.iter().filter(|side| !side.contains(&seat)).flatten();
        let others = opponents.map(|other| scores[*other]);
        match highest {
            true => scores[seat].checked_sub(others.max()?),
            false => others.min()?.checked_sub(scores[seat]),
        }
    };
    let Some(leads) = (0..scores.len()).map(lead).collect::<Option<Vec<i64>>>() else { return };
    sums.margin.add(leads.iter().copied().max().unwrap_or(0));
    sums.leads_at_end = leads.iter().map(|_| Histogram::default()).collect();
    sums.leads_at_end.iter_mut().zip(leads).for_each(|(histogram, lead)| histogram.add(lead));
}

/// Returns the last step that has been reached at one of the [`POINTS`] of a course from step 0 to step `last`.
pub(super) fn step_at(point: usize, last: usize) -> usize {
    point * last / PARTS
}

/// Returns how a study values an end: it compares the sides, and those that win together have equal shares; but a single
/// player wins or loses, and so do players who all play on one side.
pub(crate) fn compared(machine: &Machine) -> Interests {
    let against_the_game = machine.interests == Interests::Common && !machine.game.nobody_can_win();
    match machine.setup.players == 1 || against_the_game {
        true => Interests::Common,
        false if machine.interests.is_in_teams() => machine.interests,
        false => Interests::Opposed,
    }
}

/// Returns each seat's share of the win: the winners share it; if nobody wins or the match was abandoned, all
/// seats do. Of players who all play on one side, each has all of it or nothing; each of a team has what the team gets.
pub(super) fn shares(outcome: Option<&Outcome>, interests: Interests, seats: usize) -> Vec<f64> {
    let end = Proof::of(outcome.map_or(&[], |outcome| &outcome.winners), interests);
    (0..seats).map(|seat| end.share(seat, seats)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Rules;
    use crate::source::Source;

    const RULES: &str = r#"// Points.

game "Points" {
  players 2
}

each player {
  points: int = 0
}

// Take some points.
move take(many in 1..3) {
  me.points += many
}

play {
  repeat 3 {
    each p in players { ask p to take }
  }
}

score = me.points
winner highest score
"#;

    #[test]
    fn a_match_written_down_by_hand_has_the_sums_worked_out_by_hand() {
        let rules = Rules::load(Source::new("points.game", RULES)).unwrap();
        let machine = rules.machine(&Default::default(), 2).unwrap();
        let mut course = Course::new(&machine);
        assert!(course.wants_leaders());
        // Level, the first ahead, level, the second ahead, the first ahead at the end.
        for (at, leader) in [None, Some(0), None, Some(1)].into_iter().enumerate() {
            course.stop(1 << (at % 2), leader, Some(at as u128 % 3));
            course.choice(Some([3.0, 1.0, 4.0, 4.0][at]));
        }
        [true, false, false, false].into_iter().for_each(|matters| course.draw(matters));
        let end = [9, 3].map(Int::from);
        let sums = course.sums(Some(&Outcome { winners: vec![0] }), Some(0), Some(&end));
        assert_eq!((sums.matches, sums.choices, sums.unfinished), (1, 4, 0));
        assert_eq!((sums.alone.as_slice(), sums.shares.as_slice()), (&[1, 0][..], &[1.0, 0.0][..]));
        let value = |moments: &Moments| {
            let mut twice = *moments;
            twice.join(moments);
            twice.mean().unwrap().value
        };
        assert_eq!((value(&sums.width), sums.widest), (3.0, 4));
        assert_eq!((value(&sums.forced), value(&sums.again)), (0.25, 0.25));
        assert_eq!(value(&sums.draws), 0.25);
        // Leaders: first, second, first.
        assert_eq!(value(&sums.lead_changes), 2.0);
        // The second stop is reached after a quarter of the match, the third after a half and the fourth after
        // three quarters; at the first and third nobody led.
        let led: Vec<u64> = sums.leads.iter().map(|moments| moments.count).collect();
        assert_eq!(led, [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]);
        assert_eq!([3, 4, 8, 9, 10].map(|point| value(&sums.leads[point])), [1.0, 1.0, 0.0, 0.0, 1.0]);
        // From the first choice to the last.
        let widths: Vec<f64> = sums.widths.iter().map(value).collect();
        assert_eq!(widths, [3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0]);
        assert_eq!(sums.scores[0].mean(), None, "one match has no spread");
        let only = |histogram: &Histogram| histogram.0.keys().copied().collect::<Vec<_>>();
        assert_eq!((only(&sums.margin), only(&sums.leads_at_end[1])), (vec![6], vec![-6]));
        assert_eq!(sums.turns.0.keys().copied().collect::<Vec<_>>(), [4]);
    }
}
