//! Sentences about the seats: who wins under best play, and who wins more than a fair share.

use super::super::figures::percent;
use super::super::report::{Imperfect, Side, Unit};
use super::super::words::{shown, shown_shares};
use super::{EXACT, KnownFigure, VerdictBuilder, amount_of, matches_of, on_average, widening};
use crate::explore::{counted, thousands};
use crate::play::and;

/// A game is called unfair if a seat's share differs from a fair one by this or more.
const UNFAIR: f64 = 0.1;
/// The share from which something happens nearly always.
const NEARLY: f64 = 0.8;
/// How much wider than for 95 % an interval must be, to be sure but for one case in five hundred.
const SURELY: f64 = 1.6;
/// The matches that a seat must win without exception before it is said to win whatever is played: then it loses less than
/// one in a hundred, with 95 % confidence.
const FOREGONE: u64 = 300;
/// A game of one side that random moves surely win with more than this share of the matches can hardly be lost.
const HARDLY_LOST: f64 = 0.95;
/// The most numbers that are told in which the seats differ at the start.
const UNLIKE: usize = 3;

/// Returns that factor for comparing the seats with a fair share. The shares of two seats are a single question.
fn widening_of_seats(seats: usize) -> f64 {
    if seats == 2 { 1.0 } else { widening(seats) }
}

/// Formats the shares of all seats, rounded so that they add up.
fn shown_of(shares: &[KnownFigure]) -> Vec<String> {
    shown_shares(&shares.iter().map(|share| share.figure).collect::<Vec<_>>())
}

impl<'r> VerdictBuilder<'r> {
    /// Returns the names of the sides.
    fn names(&self) -> impl Iterator<Item = &'r str> {
        self.report.sides.iter().map(|side| side.name.as_str())
    }

    /// Says so if the same side won all matches that were played.
    pub(super) fn only_result(&mut self) {
        let Some(side) = self.winner_of_all() else { return };
        let best = if self.best_shares().is_some() { "; best play ends that way, too" } else { "" };
        let text = format!(
            "every match seen ended the same way: {} won all {} of them, with random moves and with searches{best}",
            side.name,
            thousands(self.matches())
        );
        let key = side.key("seat");
        self.say_that("every match seen ended the same way", true, &key, text);
    }

    /// Returns the number of matches of all series.
    fn matches(&self) -> u64 {
        self.report.series.iter().map(|series| series.matches).sum()
    }

    /// Returns the side that won all matches alone, if these are many, and wins under best play if that is known.
    pub(super) fn winner_of_all(&self) -> Option<&'r Side> {
        let is = |value: Option<f64>, one: f64| value.is_none_or(|value| (value - one).abs() < EXACT);
        // Bots that have every seat equally often are even if the seat decides.
        let ladder = &self.report.ladder;
        let even =
            ladder.iter().all(|rung| is(rung.share, 0.5)) && is(self.report.value("skill.random"), 0.5);
        let wins_all = |side: &&Side| {
            let always = |of: &str| self.known(&side.key(of)).is_some_and(KnownFigure::is_always);
            always("seat") && always("random.seat") && is(self.report.value(&side.key("best")), 1.0)
        };
        let several = !self.report.is_one_side && even && self.matches() >= FOREGONE;
        self.report.sides.iter().find(|side| several && wins_all(side))
    }

    /// Says who wins if all play perfectly.
    pub(super) fn best_play(&mut self) {
        let sides = &self.report.sides;
        let shares: Vec<KnownFigure> =
            sides.iter().filter_map(|side| self.known(&side.key("best"))).collect();
        let [first, ..] = shares.as_slice() else { return };
        let key = first.figure.key.clone();
        if first.figure.unit == Unit::Points {
            let text = format!(
                "perfect play scores {}: the game was searched completely",
                amount_of(first.figure, "point", "points")
            );
            return self.say(false, &key, text);
        }
        if self.report.is_one_side {
            let text = match first.value {
                0.0 => "the game cannot be won".to_string(),
                1.0 => "the game can be won".to_string(),
                _ => format!("perfect play wins {} of the matches", shown(first.figure)),
            };
            return self.say(first.value == 0.0, &key, format!("{text}: it was searched completely"));
        }
        let winners: Vec<&str> = shares
            .iter()
            .zip(sides)
            .filter(|(share, _)| share.value > 0.0)
            .map(|(_, side)| side.name.as_str())
            .collect();
        if !self.is_sure(&shares) {
            let each = self.what_each_gets(&shares);
            let fair = 1.0 / shares.len() as f64;
            let off = shares.iter().map(|share| (share.value - fair).abs()).fold(0.0, f64::max);
            let unfair = off >= UNFAIR - EXACT;
            let (claim, measure) = match (unfair, off < EXACT) {
                (true, _) => ("the game is unfair: ", format!("; a fair share is {}", percent(fair))),
                (_, true) => ("the game is fair: ", String::new()),
                _ => ("", String::new()),
            };
            let text = format!("{claim}if everybody plays perfectly, {each} of the win{measure}");
            return self.say_that("the game is unfair if everybody plays perfectly", unfair, &key, text);
        }
        if self.report.endless {
            let text =
                "the match never ends if everybody plays perfectly: whoever would lose can prevent its end";
            return self.say(true, &key, text.to_string());
        }
        // Best play is for the win, which a player with scores to look at may not expect.
        let goal = if self.known("seat.1.score").is_some() { " for the win" } else { "" };
        let drawn = if self.has_chance() { ", whatever is drawn" } else { "" };
        let win = match winners.as_slice() {
            [one] => format!("{one} wins"),
            several => format!("{} share the win", and(several)),
        };
        let text = format!("the game is solved: {win} if everybody plays perfectly{goal}{drawn}");
        self.say(true, &key, text);
    }

    /// Returns each side's share of the win under best play; `None` if it is not known, or if the game has only
    /// one side.
    pub(super) fn best_shares(&self) -> Option<Vec<KnownFigure<'r>>> {
        let sides = self.report.sides.iter().filter(|_| !self.report.is_one_side);
        let shares: Vec<KnownFigure> = sides.map_while(|side| self.known(&side.key("best"))).collect();
        (!shares.is_empty()).then_some(shares)
    }

    /// Whether best play always has the same winners, rather than shares that are averages over chance and mixes of moves.
    pub(super) fn is_sure(&self, best: &[KnownFigure]) -> bool {
        let winners = best.iter().filter(|share| share.value > 0.0).count() as f64;
        let mixed = self.has_chance() || self.report.imperfect.is_some();
        (!mixed || winners == 1.0)
            && best.iter().all(|share| share.value == 0.0 || (share.value * winners - 1.0).abs() < EXACT)
    }

    /// Says what the sides get between searches where it is known what they get under best play: that is what
    /// the game is worth, and a difference from it shows the limits of the searches.
    pub(super) fn seats_of_searches(&mut self, shares: &[KnownFigure<'r>], best: &[KnownFigure<'r>]) {
        // No match between searches may have ended yet.
        if shares[0].figure.series == "random" {
            let text = format!("with random moves {} of the win", self.what_each_gets(shares));
            return self.say(false, &shares[0].figure.key, text);
        }
        let searches = match self.report.ladder.last() {
            Some(strongest) => format!("between searches ({})", strongest.bot),
            None => "between searches".to_string(),
        };
        let winner = shares.iter().zip(best).zip(self.names()).find(|((_, best), _)| best.value == 1.0);
        // Chance alone brings a share about that differs a little from one of which nobody is sure.
        let wider = widening_of_seats(shares.len()) * if winner.is_some() { 1.0 } else { SURELY };
        let seats = || shares.iter().zip(best).zip(self.names());
        let more = seats().filter(|((share, best), _)| share.wider(wider).low > best.value + EXACT);
        let gain = |((share, best), _): &((&KnownFigure, &KnownFigure), &str)| share.value - best.value;
        let Some(((share, worth), name)) = more.max_by(|a, b| gain(a).total_cmp(&gain(b))) else {
            let text = format!("{searches} {} of the win", self.what_each_gets(shares));
            return self.say(false, &shares[0].figure.key, text);
        };
        let gets = format!("{searches} {name} gets {}", shown(share.figure));
        let text = match winner {
            Some(((share, _), winner)) => {
                let always = if share.low > 0.5 { "always " } else { "" };
                format!(
                    "{gets}, although {winner} can force the win: searches of this strength do not {always}find it"
                )
            }
            None => {
                let others: Vec<&str> = self.names().filter(|other| *other != name).collect();
                let more = match others.as_slice() {
                    [other] => format!("{other} errs"),
                    _ => "the others err".to_string(),
                };
                format!(
                    "{gets}, where best play gives it {}: searches of this strength err, and {more} more",
                    shown(worth.figure)
                )
            }
        };
        self.say(false, &share.figure.key, text);
    }

    /// Says whether the seats are balanced, and whether anybody wins.
    pub(super) fn seats(&mut self) {
        let sides = self.report.sides.len();
        let shares = self.report.sides.iter();
        let shares =
            shares.filter_map(|side| self.known_or_random(&side.key("seat"), &side.key("random.seat")));
        let shares: Vec<(KnownFigure, &str)> = shares.collect();
        let [(first, how), ..] = shares.as_slice() else { return };
        let (first, how) = (*first, *how);
        if self.report.is_one_side {
            return self.alone(first, how);
        }
        if self.has_only_one_result() {
            return;
        }
        if let Some((drawn, how)) =
            self.known_or_random("draws.share", "random.draws.share").filter(|(drawn, _)| drawn.low > 0.5)
        {
            let text = format!("{} of the matches have no sole winner{how}", shown(drawn.figure));
            let nearly_all = drawn.low >= NEARLY;
            self.say_that("most matches have no sole winner", nearly_all, &drawn.figure.key, text);
        }
        self.foregone();
        if let Some(best) = self.best_shares() {
            let shares: Vec<KnownFigure> = shares.iter().map(|(share, _)| *share).collect();
            return self.seats_of_searches(&shares, &best);
        }
        let fair = 1.0 / sides as f64;
        let wider = widening_of_seats(sides);
        let of_all = shares.iter().zip(self.names()).map(|((share, _), name)| (share.wider(wider), name));
        let of_all: Vec<(KnownFigure, &str)> = of_all.collect();
        let better: Vec<&(KnownFigure, &str)> = of_all.iter().filter(|(share, _)| share.low > fair).collect();
        let worse: Vec<&(KnownFigure, &str)> = of_all.iter().filter(|(share, _)| share.high < fair).collect();
        if better.is_empty() && worse.is_empty() {
            let shares: Vec<KnownFigure> = shares.iter().map(|(share, _)| *share).collect();
            return self.no_better_seat(&shares, how);
        }
        let unfair = better.iter().any(|(share, _)| share.low > fair + UNFAIR)
            || worse.iter().any(|(share, _)| share.high < fair - UNFAIR);
        // With two sides, one share implies the other.
        let (named, what) =
            if better.is_empty() { (&worse, "a disadvantage") } else { (&better, "an advantage") };
        let names: Vec<&str> = named.iter().map(|(_, name)| *name).collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        let each: Vec<String> = named.iter().map(|(share, _)| shown(share.figure)).collect();
        // Where players must guess, or decide who of the others wins, or where these searches play no better if they think
        // longer, the results are those of these players, and the game may favour others.
        let theirs = self.report.imperfect.is_some() || sides > 2 || !self.thought_helps();
        let by_searches = if theirs && how.is_empty() { " when searches play" } else { how };
        let unfairly = if unfair && !theirs { "the game is unfair: " } else { "" };
        let claim = format!("{unfairly}{} {have} {what}{by_searches}", and(&names));
        let mut text = format!("{claim}: {} of the win; a fair share is {}", and(&each), percent(fair));
        let key = named[0].0.figure.key.clone();
        for (share, name) in worse.iter().filter(|_| sides > 2 && !better.is_empty()) {
            text.push_str(&format!("; {name} has {}", shown(share.figure)));
        }
        // What random moves bring shows whether the seat is better for all, or only for those who know how.
        if how.is_empty() {
            text.push_str(&self.better_at_random());
        }
        text.push_str(&self.caveat(how));
        self.say_that(&claim, unfair, &key, text);
    }

    /// Whether searches surely play better if they think longer.
    fn thought_helps(&self) -> bool {
        self.known("skill.doubling").is_some_and(|doubling| doubling.low > 0.0)
    }

    /// Says that no seat is better than the others, or that the matches do not tell. `how` is empty if searches played,
    /// and not moves at random.
    fn no_better_seat(&mut self, shares: &[KnownFigure<'r>], how: &str) {
        let fair = 1.0 / shares.len() as f64;
        let about = shares.iter().all(|share| share.is_about(fair));
        let each: Vec<String> =
            self.names().zip(shown_of(shares)).map(|(name, share)| format!("{name} {share}")).collect();
        let each = each.join(", ");
        let unfair = self.surest_at_random().filter(|_| !about && how.is_empty());
        if let Some((share, name)) = unfair.filter(|(share, _)| share.low > fair + UNFAIR) {
            let claim = format!("with random moves {name} has a large advantage");
            let text = format!(
                "{claim}: {} of the win, where a fair share is {}; too few matches to say whether {name} keeps it when \
                 searches play: {each}",
                shown(share.figure),
                percent(fair)
            );
            return self.say_that(&claim, true, &share.figure.key, text);
        }
        let at_random = if how.is_empty() { self.better_at_random() } else { String::new() };
        let whose = if at_random.is_empty() { how } else { " when searches play" };
        let (seen, caveat) = match about {
            true => ("no seat shows an advantage", self.caveat(how)),
            false => ("too few matches to say which seat is better", String::new()),
        };
        let text = format!("{seen}{whose}: {each}{at_random}{caveat}");
        self.say(false, &shares[0].figure.key, text);
    }

    /// Returns the side that does best with random moves, with its share, whose interval allows for the number of sides.
    fn surest_at_random(&self) -> Option<(KnownFigure<'r>, &'r str)> {
        let sides = &self.report.sides;
        let share = |side: &'r Side| {
            let share = self.known(&side.key("random.seat"))?;
            Some((share.wider(widening_of_seats(sides.len())), side.name.as_str()))
        };
        let known = sides.iter().filter_map(share);
        known.max_by(|(a, _), (b, _)| a.value.total_cmp(&b.value))
    }

    /// Returns a side that surely gets much more than a fair share of the win: under best play if that is known, else
    /// between searches or with random moves.
    fn favoured(&self) -> Option<&'r Side> {
        let sides = &self.report.sides;
        let much = 1.0 / sides.len() as f64 + UNFAIR;
        let wider = widening_of_seats(sides.len());
        let most = |of: &str| {
            let share = |side: &Side| self.known(&side.key(of));
            sides.iter().find(|side| share(side).is_some_and(|share| share.wider(wider).low > much))
        };
        match self.best_shares() {
            Some(best) => {
                sides.iter().zip(best).find(|(_, best)| best.value >= much - EXACT).map(|(side, _)| side)
            }
            None => most("seat").or_else(|| most("random.seat")),
        }
    }

    /// Says what tells the side that gets much more than its share from the others before the match begins.
    pub(super) fn head_start(&mut self) {
        let Some(favoured) = self.favoured() else { return };
        let key = favoured.key("seat");
        let starts = &self.report.unlike_starts;
        let first = favoured.seats[0] - 1;
        if let Some(start) = starts.iter().find(|start| start.ahead == Some(first)) {
            let others = self.report.sides.iter().filter(|side| *side != favoured);
            let others: Vec<String> = others
                .map(|side| format!("{} with {}", side.name, start.values[side.seats[0] - 1]))
                .collect();
            let claim = format!("{} has a head start", favoured.name);
            let own = start.values[first];
            let points = if own == 1 { "point" } else { "points" };
            let text = format!("{claim}: it begins with {own} {points}, {}", and(&others));
            return self.say_that(&claim, true, &key, text);
        }
        let unlike = starts.iter().filter_map(|start| {
            let each = self.report.seats.iter().zip(&start.values);
            let each: Vec<String> = each.map(|(name, value)| format!("{value} for {name}")).collect();
            Some(format!("`{}` is {}", start.name.as_ref()?, and(&each)))
        });
        let unlike: Vec<String> = unlike.take(UNLIKE).collect();
        if !unlike.is_empty() {
            let text = format!("the players do not begin alike: {}", unlike.join("; "));
            self.say(false, &key, text);
        }
    }

    /// Returns what to add where searches show no seat to be better, but random moves do.
    fn better_at_random(&self) -> String {
        let sides = &self.report.sides;
        let fair = 1.0 / sides.len() as f64;
        let known = sides.iter().filter_map(|side| {
            let share = self.known(&side.key("random.seat"))?;
            Some((share, share.wider(widening_of_seats(sides.len())), &side.name))
        });
        let known: Vec<_> = known.collect();
        let gets = |(share, _, name): &(KnownFigure, KnownFigure, &String)| {
            format!("{name} gets {}", shown(share.figure))
        };
        let better: Vec<String> = known.iter().filter(|(_, wider, _)| wider.low > fair).map(gets).collect();
        let worse: Vec<String> = known.iter().filter(|(_, wider, _)| wider.high < fair).map(gets).collect();
        match if better.is_empty() { worse } else { better } {
            none if none.is_empty() => String::new(),
            some => format!("; with random moves {}", and(&some)),
        }
    }

    /// Lists the shares of all sides: `player 1 gets 60 % and player 2 gets 40 %`.
    fn what_each_gets(&self, shares: &[KnownFigure]) -> String {
        let each: Vec<String> =
            self.names().zip(shown_of(shares)).map(|(name, share)| format!("{name} gets {share}")).collect();
        and(&each)
    }

    /// Says so if one seat wins whatever is played: with random moves, and between searches.
    pub(super) fn foregone(&mut self) {
        let always = |side: &Side| {
            let searched = self.known(&side.key("seat")).is_none_or(KnownFigure::is_always);
            self.known(&side.key("random.seat")).filter(|share| searched && share.is_always())
        };
        let sides = self.report.sides.iter();
        let always = sides
            .filter_map(|side| Some((always(side)?, &side.name)))
            .find(|(share, _)| share.figure.matches >= FOREGONE);
        let Some((share, name)) = always else { return };
        let text = format!(
            "{name} won each of {} of random moves: no choice seems to decide who wins",
            matches_of(share.figure)
        );
        let key = share.figure.key.clone();
        self.say_that("one seat wins whatever is played", true, &key, text);
    }

    /// Returns what to add to the shares of the seats where something is hidden or chosen at the same time, so
    /// that searches need not play near their best. `how` is empty if searches played, and not moves at random.
    pub(super) fn caveat(&self, how: &str) -> String {
        let why = match self.report.imperfect {
            Some(Imperfect::Hidden) => "something is hidden in this game",
            Some(Imperfect::Together) => "several choose at the same time in this game",
            None if self.report.sides.len() > 2 && how.is_empty() => {
                return "; who cannot win may decide which of the others does, so this shows how these searches play"
                    .to_string();
            }
            None if how.is_empty() && !self.thought_helps() => {
                return "; these searches do not surely play better if they think longer, so others may get something else"
                    .to_string();
            }
            None => return String::new(),
        };
        let whose = if how.is_empty() { "how these searches play" } else { "random play" };
        let value = if self.report.players == 2 {
            ", which `parlour equilibrium` finds if the game is small"
        } else {
            ""
        };
        format!("; {why}, so this shows {whose} and need not be near the value of the game{value}")
    }

    /// Whether a single side nearly always wins, even with random moves, and no score says how well.
    fn is_hardly_lost(&self) -> bool {
        let scored = self.known_or_random("seat.1.score", "random.seat.1.score").is_some();
        let surely = |key: &str| self.known(key).is_none_or(|won| won.low > HARDLY_LOST);
        let at_random = self.known("random.seat.1.share").is_some_and(|won| won.low > HARDLY_LOST);
        self.report.is_one_side && !scored && at_random && surely("best.1")
    }

    /// Says how a single player fares.
    pub(super) fn alone(&mut self, won: KnownFigure, how: &str) {
        let hardly_lost = self.is_hardly_lost();
        if won.value == 1.0 {
            let scored = self.known_or_random("seat.1.score", "random.seat.1.score").is_some();
            let at_random = self.known("random.seat.1.share").filter(|at_random| at_random.value < 1.0);
            let series = ["seat.1.share", "random.seat.1.share"].into_iter();
            let played = series.filter_map(|key| Some(self.known(key)?.figure.matches));
            let text = match at_random {
                Some(at_random) => {
                    format!("searches win every match, random moves {} of them", shown(at_random.figure))
                }
                None if scored => format!("every match is won{how}: the score is what counts"),
                None => format!(
                    "none of {} was lost, and there is no score that could count",
                    counted(played.sum(), "match", "matches")
                ),
            };
            let (claim, easy) = match hardly_lost {
                true => ("the game can hardly be lost", "the game can hardly be lost: "),
                false => (text.as_str(), ""),
            };
            self.say_that(claim, hardly_lost, &won.figure.key, format!("{easy}{text}"));
        } else if !self.cannot_be_won() {
            let (claim, wins) = match self.report.players {
                1 => ("the player hardly ever wins", "the player wins"),
                _ => ("the players hardly ever win", "all win together in"),
            };
            let text = format!("{wins} {} of the matches{how}", shown(won.figure));
            let hardly_won = won.high < 0.01;
            match hardly_lost && !hardly_won {
                true => {
                    let claim = "the game can hardly be lost";
                    self.say_that(claim, true, &won.figure.key, format!("{claim}: {text}"));
                }
                false => self.say_that(claim, hardly_won, &won.figure.key, text),
            }
        }
        if self.report.players > 1 {
            return;
        }
        if let Some((score, how)) = self.known_or_random("seat.1.score", "random.seat.1.score") {
            self.say(
                false,
                &score.figure.key,
                format!(
                    "the player scores {} {}{how}",
                    amount_of(score.figure, "point", "points"),
                    on_average(score.figure)
                ),
            );
        }
    }
}
