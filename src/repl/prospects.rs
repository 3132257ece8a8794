//! What a move brings at once, and what it lets the next player do, as far as the player who asks can know: over all that
//! chance may draw after it, and over what may be hidden.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::review::{figure, percent, points as points_words};
use super::words;
use crate::bots::{Worlds, is_open};
use crate::engine::Outcomes;
use crate::eval::{Event, Fault, Machine, Position, Waiting};
use crate::play::{Entry, Match, Rng, Seen, Value, find_recorded};

/// How many ways in which a move can come out are looked at for what it brings: enough for all throws of four dice. If there
/// are more, as many are drawn, which leaves an error of a hundredth.
const WAYS: usize = 2000;
/// How many positions that a player may be in are drawn if these are too many to look at all of them, and in how many ways a
/// move can come out for what the next player can do then: enough for all throws of two dice.
const DRAWN: usize = 400;
const FEW: usize = 40;
/// How many answers to each are looked at, and in how many ways each can come out: those of a die.
const ANSWERS: usize = 40;
const THROWS: usize = 6;
/// Chances below this are not told.
const LEAST: f64 = 0.005;
/// The least difference in points that is told.
pub(super) const LEAST_POINTS: f64 = 0.05;

/// What may follow at once from a player's next move.
pub(super) struct Prospects<'m> {
    played: &'m Match,
    /// The player who is to choose, from 1.
    seat: usize,
    /// The positions that the player may be in, each with its probability; only the one on the table if the player knows
    /// everything.
    worlds: Vec<(Position, f64)>,
    /// Whether these are all, and their probabilities are certain.
    all: bool,
}

/// A way in which a move can come out, up to the next choice or the end.
struct Way {
    position: Position,
    chance: f64,
    /// How many points it brings to the player who moves, if there are points.
    gain: Option<f64>,
}

/// All ways in which a move can come out, or some that were drawn.
pub(super) struct Ways {
    ways: Vec<Way>,
    /// Whether these are all.
    all: bool,
}

/// What a player can do at once in answer to a move.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Threat {
    /// The player, from 1.
    player: usize,
    /// How likely there is an answer that wins at once.
    wins: f64,
    /// The most points that an answer brings at once, on average.
    points: f64,
    /// Whether everything that may follow was looked at.
    exact: bool,
}

impl<'m> Prospects<'m> {
    /// Looks at the next choice of a player (from 1); `None` if others choose at the same time, or nothing is found that fits what
    /// the player knows.
    pub(super) fn of(played: &'m Match, seat: usize) -> Option<Prospects<'m>> {
        if played.together() {
            return None;
        }
        let seen = Seen::of(played, seat).ok()?;
        if seen.knows_all() {
            let worlds = vec![(played.position().clone(), 1.0)];
            return Some(Prospects { played, seat, worlds, all: true });
        }
        let mut worlds = Worlds::new(&seen);
        if let Some(worlds) = worlds.all(WAYS) {
            // What others chose unseen is only taken to be as likely as anything else.
            let all = !seen.history.iter().any(|made| made.seat.is_some() && made.values.is_none());
            return Some(Prospects { played, seat, worlds, all });
        }
        let mut rng = Rng::new(0);
        let drawn: Vec<Position> =
            (0..DRAWN).map_while(|_| worlds.draw(&mut rng)).map(|world| world.position).collect();
        let likely = 1.0 / drawn.len() as f64;
        let worlds: Vec<_> = drawn.into_iter().map(|position| (position, likely)).collect();
        (!worlds.is_empty()).then_some(Prospects { played, seat, worlds, all: false })
    }

    fn machine(&self) -> &'m Machine {
        self.played.machine()
    }

    /// Returns the ways in which a move can come out; `None` if it breaks the rules in one of them.
    pub(super) fn ways(&self, entry: &Entry) -> Option<Ways> {
        self.some_ways(entry, WAYS)
    }

    /// Returns at most so many ways in which a move can come out, but one for each world.
    fn some_ways(&self, entry: &Entry, most: usize) -> Option<Ways> {
        let (machine, seat) = (self.machine(), self.seat - 1);
        let most = (most / self.worlds.len()).max(1);
        let (mut ways, mut all, mut rng) = (Vec::new(), self.all, Rng::new(0));
        let values: Vec<Value> = entry.args.iter().map(|(_, value)| value.clone()).collect();
        for (world, likely) in &self.worlds {
            let chosen = find_recorded(machine, world, seat, &entry.name, &values).ok()??;
            let before = points_of(machine, world, seat);
            let mut made = Position { events: Some(Vec::new()), ..world.clone() };
            machine.choose(&mut made, seat, chosen).ok()?;
            let drawn = match all_draws(machine, &made, most).ok()? {
                Some(drawn) => drawn,
                None => {
                    all = false;
                    some_draws(machine, &made, most, &mut rng).ok()?
                }
            };
            ways.extend(drawn.into_iter().map(|(position, chance)| {
                let gain = points_of(machine, &position, seat).zip(before).map(|(now, before)| now - before);
                Way { position, chance: chance * likely, gain }
            }));
        }
        Some(Ways { ways, all })
    }

    /// Describes what a move brings at once to the player who makes it and is called `who`: "brings 2 points and lets you choose
    /// again".
    pub(super) fn at_once(&self, ways: &Ways, who: &str) -> Option<String> {
        let seat = self.seat - 1;
        let ends = |won: bool| ways.chance(|way| has_won(self.machine(), &way.position, seat) == Some(won));
        let again = Some(self.again(ways)).filter(|again| *again >= LEAST && !self.is_always(*again));
        // What adds up to the whole is told so.
        let (wins, loses) = (hundredths(ends(true)), ends(false));
        let loses = if hundredths(ends(true) + loses) == 1.0 { 1.0 - wins } else { loses };
        let parts = [
            ways.likely(wins).map(|chance| format!("wins at once{chance}")),
            ways.likely(loses).map(|chance| format!("loses at once{chance}")),
            ways.gain_words(),
            again
                .and_then(|again| ways.likely(again))
                .map(|chance| format!("lets {who} choose again{chance}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| words::and(&parts))
    }

    /// How likely the player chooses again at once, where others play as well.
    fn again(&self, ways: &Ways) -> f64 {
        match self.played.players() {
            1 => 0.0,
            _ => ways.chance(|way| next_of(&way.position) == Some(self.seat - 1)),
        }
    }

    /// Whether the player chooses again as likely after every other move, so that it says nothing of one.
    fn is_always(&self, again: f64) -> bool {
        /// How many of the legal moves are looked at.
        const LOOKED_AT: usize = 10;
        let Ok((legal, _)) = self.played.some_legal(self.seat, LOOKED_AT) else { return false };
        legal.len() > 1
            && legal.iter().all(|entry| {
                self.some_ways(entry, FEW).is_some_and(|ways| (self.again(&ways) - again).abs() < LEAST)
            })
    }

    /// Says what a move brings at once, and what the rules say then, in a sentence each.
    pub(super) fn gains(&self, entry: &Entry, ways: &Ways, who: &str) -> Vec<String> {
        let made = self.played.entry_words(entry);
        let (certain, likely) = ways.told(self.seat - 1);
        let certain = certain.join("; ");
        let first = match (self.at_once(ways, who), certain.as_str()) {
            (None, "") => None,
            (None, certain) => Some(format!("at once after `{made}`: {certain}")),
            (Some(gains), "") => Some(format!("`{made}` {gains}")),
            (Some(gains), certain) => Some(format!("`{made}` {gains} ({certain})")),
        };
        let second =
            (!likely.is_empty()).then(|| format!("perhaps at once after `{made}`: {}", likely.join("; ")));
        first.into_iter().chain(second).collect()
    }

    /// Returns what the next player can do at once after a move; `None` if it is not one certain opponent who is next.
    fn threat(&self, ways: &Ways) -> Option<Threat> {
        let machine = self.machine();
        let going_on = || ways.ways.iter().filter(|way| way.position.waiting != Waiting::Over);
        let player = next_of(&going_on().next()?.position)? + 1;
        let certain = going_on().all(|way| next_of(&way.position) == Some(player - 1));
        if !certain || player == self.seat || are_partners(self.played, self.seat, player) {
            return None;
        }
        let mut threat = Threat { player, wins: 0.0, points: 0.0, exact: ways.all };
        for way in going_on() {
            let (wins, points) = best_answer(machine, &way.position, player - 1).ok()?;
            threat.wins += way.chance * wins;
            threat.points += way.chance * points;
        }
        Some(threat)
    }
}

impl Ways {
    /// How likely something holds.
    fn chance(&self, holds: impl Fn(&Way) -> bool) -> f64 {
        self.ways.iter().filter(|way| holds(way)).map(|way| way.chance).sum()
    }

    /// Describes how likely something is, behind what it is: nothing if it is certain. `None` if it hardly ever is.
    fn likely(&self, chance: f64) -> Option<String> {
        match chance {
            ..LEAST => None,
            chance if chance > 1.0 - LEAST => Some(String::new()),
            chance => Some(format!(" with a chance of {}{}", self.about(), percent(chance))),
        }
    }

    fn about(&self) -> &'static str {
        if self.all { "" } else { "about " }
    }

    /// Returns how many points the player who moves gets, on average; 0 if there are no points.
    pub(super) fn points(&self) -> f64 {
        self.ways.iter().map(|way| way.chance * way.gain.unwrap_or(0.0)).sum()
    }

    /// Describes the points that the move brings: "brings 2 points", "costs about 1.4 points on average".
    fn gain_words(&self) -> Option<String> {
        let (mean, first) = (self.points(), self.ways.first()?.gain);
        let same = self.ways.iter().all(|way| way.gain == first);
        let points = figure(mean.abs());
        let brings = if mean < 0.0 { "costs" } else { "brings" };
        let what = if points == "1" { "point" } else { "points" };
        match (points.as_str(), same) {
            ("0", _) => None,
            (_, true) => Some(format!("{brings} {points} {what}")),
            (_, false) => Some(format!("{brings} {}{points} {what} on average", self.about())),
        }
    }

    /// Returns what the rules say to everybody or to this seat (from 0), and how likely.
    fn said_to(&self, seat: usize) -> Vec<(String, f64)> {
        let mut said: Vec<(String, f64)> = Vec::new();
        for way in &self.ways {
            let told = way.position.events.iter().flatten().filter_map(|event| match event {
                Event::Said(to, text) => to.is_none_or(|to| to == seat).then_some(text),
                Event::Award(to, _, why) => why.as_ref().filter(|_| *to == seat),
                _ => None,
            });
            // What is said twice in one way is still as likely as the way.
            for text in told.collect::<BTreeSet<_>>() {
                match said.iter_mut().find(|(known, _)| known == text) {
                    Some((_, chance)) => *chance += way.chance,
                    None => said.push((text.clone(), way.chance)),
                }
            }
        }
        said
    }

    /// Returns what the rules say however the move comes out, and what they say in some of the ways, most likely first.
    fn told(&self, seat: usize) -> (Vec<String>, Vec<String>) {
        /// What is less likely is not told, and no more than so much.
        const LIKELY: f64 = 0.1;
        const MOST: usize = 3;
        let (certain, mut likely): (Vec<_>, Vec<_>) =
            self.said_to(seat).into_iter().partition(|(_, chance)| *chance > 1.0 - LEAST);
        likely.retain(|(_, chance)| *chance >= LIKELY);
        likely.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let likely = likely.into_iter().take(MOST);
        let likely = likely.map(|(text, chance)| format!("{text} ({}{})", self.about(), percent(chance)));
        (certain.into_iter().map(|(text, _)| text).collect(), likely.collect())
    }
}

impl Prospects<'_> {
    /// Compares what the best move and another let the next player do at once; `None` if something is hidden, since a player may
    /// not know which answer wins.
    pub(super) fn risks(&self, best: &Entry, other: &Entry) -> Option<String> {
        if !is_open(&self.machine().game) {
            return None;
        }
        let threat = |entry| self.threat(&self.some_ways(entry, FEW)?);
        let (after_best, after_other) = (threat(best), threat(other));
        let player = after_best.or(after_other)?.player;
        let [after_best, after_other] =
            [after_best, after_other].map(|threat| threat.filter(|threat| threat.player == player));
        let name = self.played.rules.game.seat_name(player - 1);
        let [best, other] = [best, other].map(|entry| self.played.entry_words(entry));
        let about = |threat: Threat| if threat.exact { "" } else { "about " };
        let chance = |threat: Threat| match threat.wins > 1.0 - LEAST {
            true => String::new(),
            false => format!(" with a chance of {}{}", about(threat), percent(threat.wins)),
        };
        let points = |threat: Threat| format!("{}{}", about(threat), figure(threat.points));
        let wins = |threat: Option<Threat>| threat.filter(|threat| threat.wins >= LEAST);
        let scores = |threat: Option<Threat>| threat.filter(|threat| threat.points >= LEAST_POINTS);
        Some(match (wins(after_best), wins(after_other), scores(after_best), scores(after_other)) {
            (Some(threat), None, ..) => {
                format!("after `{best}`, {name} can win at once{}", chance(threat))
            }
            (Some(threat), Some(more), ..) if chance(threat) == chance(more) => {
                format!("after `{best}` and after `{other}`, {name} can win at once{}", chance(threat))
            }
            (Some(threat), Some(more), ..) => {
                let more = if chance(more).is_empty() { " for certain".to_string() } else { chance(more) };
                format!("after `{best}`, {name} can win at once{}; after `{other}`,{more}", chance(threat))
            }
            (None, Some(threat), ..) => {
                let not = if after_best.is_some() { format!(", after `{best}` not") } else { String::new() };
                format!("after `{other}`, {name} can win at once{}{not}", chance(threat))
            }
            (None, None, Some(threat), None) => {
                format!("after `{best}`, {name} can get {} at once", points_words(threat.points))
            }
            (None, None, Some(threat), Some(more)) if points(threat) == points(more) => {
                format!(
                    "after `{best}` and after `{other}`, {name} can get {} at once",
                    points_words(threat.points)
                )
            }
            (None, None, Some(threat), Some(more)) => format!(
                "after `{best}`, {name} can get {} at once; after `{other}`, {}",
                points_words(threat.points),
                points(more)
            ),
            (None, None, None, Some(threat)) => {
                format!("after `{other}`, {name} can get {} at once", points_words(threat.points))
            }
            (None, None, None, None) => return None,
        })
    }

    /// Says what speaks for a move and against another that was made instead: what each brings at once, where that differs, and
    /// what each lets the next player do.
    pub(super) fn compared(&self, better: &Entry, made: &Entry) -> Vec<String> {
        let both = [better, made].map(|entry| Some((entry, self.ways(entry)?)));
        let who = self.played.rules.game.seat_name(self.seat - 1);
        let at_once = both
            .each_ref()
            .map(|both| both.as_ref().map(|(_, ways)| (self.at_once(ways, &who), ways.told(self.seat - 1))));
        let gains = both.iter().flatten().flat_map(|(entry, ways)| self.gains(entry, ways, &who));
        let gains = if at_once[0] == at_once[1] { Vec::new() } else { gains.collect() };
        gains.into_iter().chain(self.risks(better, made)).collect()
    }
}

/// Rounds a share to the hundredths in which it is told.
fn hundredths(share: f64) -> f64 {
    (100.0 * share).round() / 100.0
}

/// Whether two players (from 1) win and lose together.
pub(super) fn are_partners(played: &Match, one: usize, other: usize) -> bool {
    let partners = played.machine().interests.partners(one - 1, played.players());
    partners >> (other - 1) & 1 == 1
}

/// Returns matches that a player (from 1) cannot tell from `played`, each with luck of its own from there on; fewer than `count` if
/// no more are found.
pub(super) fn situations(played: &Match, seat: usize, count: u64) -> Option<Vec<Match>> {
    let seen = Seen::of(played, seat).ok()?;
    let (mut worlds, mut rng) = (Worlds::new(&seen), Rng::new(0));
    let mut situation = |seed| match seen.knows_all() {
        true => {
            let mut at = played.clone();
            at.reseed(seed);
            Some(at)
        }
        false => played.with_entries(&worlds.draw(&mut rng)?.entries, seed),
    };
    Some((0..count).map_while(&mut situation).collect())
}

/// Returns the seat (from 0) that is to choose next, if it is only one.
fn next_of(position: &Position) -> Option<usize> {
    match &position.waiting {
        Waiting::Choice { seats, .. } => (seats.len() == 1).then(|| seats[0]),
        _ => None,
    }
}

/// Returns whether a seat (from 0) has won or lost; `None` if the match goes on, or if opponents share the win.
fn has_won(machine: &Machine, position: &Position, seat: usize) -> Option<bool> {
    let winners = &position.outcome.as_ref()?.winners;
    let decided = !winners.is_empty() && (machine.is_allied() || winners.len() < machine.setup.players);
    decided.then(|| winners.contains(&seat))
}

/// Returns the points of a seat (from 0).
fn points_of(machine: &Machine, position: &Position, seat: usize) -> Option<f64> {
    machine.scores(position).ok().flatten()?.get(seat)?.as_i64().map(|points| points as f64)
}

/// Goes through all draws up to the next choice; `None` if they can come out in more ways than `most`.
fn all_draws(machine: &Machine, from: &Position, most: usize) -> Result<Option<Vec<(Position, f64)>>, Fault> {
    let mut outcomes = Outcomes::default();
    let (mut due, mut done) = (vec![(from.clone(), 1.0)], Vec::new());
    while let Some((position, chance)) = due.pop() {
        if position.waiting != Waiting::Chance {
            done.push((position, chance));
            continue;
        }
        let room = most.saturating_sub(due.len() + done.len());
        let Some(listed) = outcomes.at_most(machine, &position, room)? else { return Ok(None) };
        for outcome in listed.iter() {
            let mut drawn = position.clone();
            if machine.draw(&mut drawn, outcome.value.clone())?.is_ok() {
                due.push((drawn, chance * outcome.times as f64 / outcome.of as f64));
            }
        }
    }
    Ok(Some(done))
}

/// Draws up to the next choice so many times.
fn some_draws(
    machine: &Machine,
    from: &Position,
    times: usize,
    rng: &mut Rng,
) -> Result<Vec<(Position, f64)>, Fault> {
    let mut draw = || {
        let mut drawn = from.clone();
        while drawn.waiting == Waiting::Chance {
            machine.play_chance(&mut drawn, &mut |count| rng.below(count), &mut |_, _| ())?;
        }
        Ok((drawn, 1.0 / times as f64))
    };
    (0..times).map(|_| draw()).collect()
}

/// Returns how likely a seat (from 0) that is to choose can win at once, and the most points that it can get at once, on average.
fn best_answer(machine: &Machine, position: &Position, seat: usize) -> Result<(f64, f64), Fault> {
    let Some(choice) = machine.choice(position) else { return Ok((0.0, 0.0)) };
    let mut legal = Vec::new();
    machine.ask(position, |env| {
        env.each_legal(choice, seat, true, &mut |chosen| {
            legal.push(chosen);
            if legal.len() < ANSWERS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    })?;
    let before = points_of(machine, position, seat);
    let (mut wins, mut most) = (0.0_f64, 0.0_f64);
    for chosen in legal {
        let mut made = position.clone();
        machine.choose(&mut made, seat, chosen)?;
        let Some(ways) = all_draws(machine, &made, THROWS)? else { continue };
        let (mut likely, mut mean) = (0.0, 0.0);
        for (after, chance) in ways {
            likely += if has_won(machine, &after, seat) == Some(true) { chance } else { 0.0 };
            let gain = points_of(machine, &after, seat).zip(before).map_or(0.0, |(now, before)| now - before);
            mean += chance * gain;
        }
        (wins, most) = (wins.max(likely), most.max(mean));
    }
    Ok((wins, most))
}
