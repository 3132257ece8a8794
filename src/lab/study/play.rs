//! The matches of a study: how a match of each kind is played and examined.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::super::arena::{Score, seatings};
use super::super::bailouts::place_words;
use super::super::contest::End;
use super::super::coverage::play_again;
use super::course::{Course, compared, shares, step_at};
use super::offers::{COMPARED, Offered};
use super::possible::{MetIds, NamedValues};
use super::sums::{Moments, PARTS, POINTS, Sums};
use super::terms::ranges;
use super::{Stage, Study};
use crate::ast::File;
use crate::bots::{Bot, Effort, Memory, NoAdvice, Standing};
use crate::engine::{Engine, Stepper, Turn, no_move};
use crate::eval::{Chosen, Fault, NotStarted, Outcome, text};
use crate::explore::{Identity, counted};
use crate::ir::{MoveId, Op, Value};
use crate::num::Int;
use crate::play::{Entry, Match, Record, Refused, Rng, Seen, ahead, ended_by, replay_told};
use crate::source::Span;

/// How many legal moves are listed to find one other than a given move, and how many outcomes of a draw to find two
/// that differ.
const LISTED: usize = 1000;
/// The seed by which choices are compared or not.
const COMPARING: u64 = 0;
/// A match counts as decided while each seat's expected share is this close to its final share.
const NEAR: f64 = 0.1;
/// The seat with the highest expected share is the favourite if it is ahead of the next by this much.
const AHEAD: f64 = 0.1;

/// The player in a seat.
#[derive(Debug, Clone, Copy)]
pub(super) struct Player {
    /// The bot.
    pub bot: Bot,
    /// A move that it makes only if it has no other.
    pub forbidden: Option<MoveId>,
}

impl From<Bot> for Player {
    fn from(bot: Bot) -> Player {
        Player { bot, forbidden: None }
    }
}

/// The seeds of the choices and of the draws of a match.
#[derive(Debug, Clone, Copy)]
struct Seeds {
    choices: u64,
    draws: u64,
}

fn refused(fault: Fault) -> Refused {
    Refused { fault: Some(fault), ..Refused::new("invalid_rules", "") }
}

impl<E: Engine> Study<'_, E> {
    /// Plays the random matches with these numbers, by the engine.
    pub(super) fn at_random(&self, numbers: Range<u64>, seed: u64) -> Result<Option<Sums>, Refused> {
        let mut stepper = self.engine.stepper();
        let mut sums = Sums::default();
        let first = numbers.start == 0;
        let mut met = MetIds::of(stepper.ids());
        for n in numbers {
            if self.clock.must_stop() {
                return Ok(None);
            }
            let one = self.one_at_random(&mut stepper, &mut Rng::nth(seed, n), &mut met).map_err(refused)?;
            sums.join(&one);
        }
        if let Some(met) = met {
            let named = NamedValues::of(self.engine.machine());
            for (mv, args) in met.moves(stepper.ids()) {
                sums.offers.met(&named, mv, &args);
            }
        }
        // With the first of them, as no other matches are played as soon.
        if first {
            match self.best_play().map_err(refused)? {
                Ok(found) => {
                    sums.best_without = self.best_without(&found).map_err(refused)?;
                    sums.best_play = Some(found);
                }
                // An interrupted search does not show that the game is too large.
                Err(_) if self.clock.must_stop() => {}
                Err(why) => sums.no_best_play = Some(why),
            }
        }
        Ok(Some(sums))
    }

    fn one_at_random(
        &self,
        stepper: &mut E::Stepper<'_>,
        rng: &mut Rng,
        met: &mut Option<MetIds>,
    ) -> Result<Sums, Fault> {
        let engine = self.engine;
        let mut state = engine.start()?;
        let mut course = Course::new(engine.machine());
        stepper.chance(&mut state, rng)?;
        while let Turn::Choice { choice, seats } = stepper.turn(&state) {
            if engine.nobody_has_chosen(&state) {
                if course.choices() >= self.max_moves {
                    break;
                }
                let leader =
                    course.wants_leaders().then(|| ahead(engine.machine(), &engine.to_position(&state)));
                course.stop(seats, leader.flatten(), None);
            }
            let seat = seats.trailing_zeros() as usize;
            course.choice(Some(stepper.count(&state, seat)? as f64));
            if let Some(met) = met
                && let Some(ids) = stepper.list(&state, seat)?
            {
                met.add(ids);
            }
            let Some(chosen) = stepper.draw_legal(&state, seat, rng)? else {
                return Err(no_move(engine.machine(), choice));
            };
            stepper.choose(&mut state, seat, chosen)?;
            stepper.chance(&mut state, rng)?;
        }
        let leader = ahead(engine.machine(), &engine.to_position(&state));
        Ok(course.sums(engine.outcome(&state).as_ref(), leader, engine.scores(&state)?.as_deref()))
    }

    /// Returns the result of a match, one number per seat: shares of the win, or the score in a game of one
    /// player that has scores.
    fn result(&self, outcome: Option<&Outcome>, scores: Option<&[Int]>) -> Vec<f64> {
        match scores {
            Some(scores) if self.players() == 1 => scores.iter().map(Int::to_f64).collect(),
            _ => shares(outcome, compared(self.engine.machine()), self.players()),
        }
    }

    /// Plays match number `n` with the same player in every seat, and examines it if `stage` is given. If the game has
    /// draws, also plays a twin match with the same draws and the choices of match `n` + 1: its seed of choices, so that
    /// nothing but the draws makes a difference between the two.
    pub(super) fn self_play_match(
        &self,
        player: Player,
        n: u64,
        seed: u64,
        stage: Option<&Stage>,
    ) -> Result<Option<Sums>, Refused> {
        let players = vec![player; self.players()];
        let draws = Rng::sub_seed(Rng::sub_seed(seed, u64::MAX), n);
        let seeds = |twin: u64| Seeds { choices: Rng::sub_seed(seed, 2 * (n + twin)), draws };
        let mut course = Course::new(self.engine.machine());
        let Some(end) = self.play(&players, seeds(0), Some(&mut course))? else { return Ok(None) };
        let scores = scores(&end.at)?;
        let stops = course.stops();
        let leader = ahead(end.at.machine(), end.at.position());
        let mut sums = course.sums(end.outcome().as_ref(), leader, scores.as_deref());
        let Some(stage) = stage else { return Ok(Some(sums)) };
        let result = self.result(end.outcome().as_ref(), scores.as_deref());
        if self.draws_chance() {
            let Some(twin) = self.play(&players, seeds(1), None)? else { return Ok(None) };
            let scores = self::scores(&twin.at)?;
            let twin = self.result(twin.outcome().as_ref(), scores.as_deref());
            sums.twins.add(result, twin);
        }
        if let Some(outcome) = end.outcome() {
            sums.decisions.add(self.rules, &end.at, &outcome);
            sums.terms = ranges(&end.at);
        }
        sums.ends.insert(self.ending(&end, &stage.file), 1);
        let record = end.at.record().map_err(|fault| end.at.broken(&fault))?;
        let line = record.json().to_string();
        sums.usage = self.usage_in(&line)?;
        // Examine every other match only, because that takes about as long as playing it.
        if n.is_multiple_of(2) && !self.look_back(&end, &record, (n / 2, stops), stage, &mut sums)? {
            return Ok(None);
        }
        sums.samples.push((sums.choices, line));
        Ok(Some(sums))
    }

    /// Replays a match, and returns how often each part of the rules ran, and of how many times.
    fn usage_in(&self, record: &str) -> Result<Vec<[u64; 2]>, Refused> {
        let (rules, coverage) = self.rules.watched();
        play_again(&Arc::new(rules), record).map_err(|sentence| Refused::new("refused", sentence))?;
        let parts = coverage.parts(&self.rules.game, &self.rules.source);
        Ok(parts.iter().map(|part| [part.ran, part.of]).collect())
    }

    /// Plays encounter number `n` between a bot that must avoid a move and one that need not, in all
    /// seatings.
    pub(super) fn encounter_without(
        &self,
        (bot, mv): (Bot, MoveId),
        n: u64,
        seed: u64,
    ) -> Result<Option<Score>, Refused> {
        let mut score = Score { encounters: 1, ..Score::default() };
        let sides = self.sides();
        let who = [Player { bot, forbidden: Some(mv) }, Player::from(bot)];
        for (number, seating) in seatings(&sides).iter().enumerate() {
            let players: Vec<Player> = seating.iter().map(|bot| who[*bot]).collect();
            let own = Rng::sub_seed(Rng::sub_seed(seed, n), number as u64);
            let seeds = Seeds { choices: own, draws: Rng::sub_seed(own, u64::MAX) };
            let Some(end) = self.play(&players, seeds, None)? else { return Ok(None) };
            score.count(&sides, seating, &end);
        }
        Ok(Some(score))
    }

    /// Plays a match to its end, or up to the most choices, and notes its course if requested. `None`: it was
    /// abandoned because the clock hurries.
    fn play(
        &self,
        players: &[Player],
        seeds: Seeds,
        mut course: Option<&mut Course>,
    ) -> Result<Option<End>, Refused> {
        let setup = &self.engine.machine().setup;
        let options = setup.options.iter().cloned().enumerate().collect();
        let begun = Match::undrawn(Arc::clone(self.rules), &options, setup.players, seeds.choices);
        let at = begun.map_err(|not| match not {
            NotStarted::Refused(sentence) => Refused::new("refused", sentence),
            NotStarted::Fault(fault) => refused(fault),
        })?;
        let identity = Identity::of(self.engine.machine());
        let mut end = End { at, moves: 0 };
        let (mut memory, mut made) = (Memory::default(), BTreeMap::new());
        let named = course.is_some().then(|| NamedValues::of(self.engine.machine()));
        let mut last = 0;
        loop {
            while end.at.draw_due() {
                if let Some(course) = &mut course {
                    course.draw(draw_matters(&end.at, &identity));
                }
                let drawn = self.draw(&mut end.at, (last, seeds.draws), &mut made)?;
                if let (Some(course), Some((name, value))) = (&mut course, drawn) {
                    course.drawn(&name, text::words(&self.rules.game, &value));
                }
            }
            let Some(player) = end.at.to_move().first().copied() else { return Ok(Some(end)) };
            if self.clock.must_stop() {
                return Ok(None);
            }
            let fresh = end.at.sealed().is_empty();
            if fresh && end.moves >= self.max_moves {
                return Ok(Some(end));
            }
            if let Some(course) = &mut course {
                if fresh {
                    let seats = end.at.to_move().iter().fold(0, |all, player| all | 1 << (player - 1));
                    let leader = course.wants_leaders().then(|| ahead(end.at.machine(), end.at.position()));
                    course.stop(seats, leader.flatten(), Some(identity.lasting_key(end.at.position())));
                }
                course.choice(end.at.legal(player, 0)?.0.map(|count| count.to_f64()));
            }
            last = if end.at.together() { 0 } else { player };
            let entry = self.chosen(&mut memory, &end.at, player, players[player - 1])?;
            if let Some(course) = &mut course {
                let offered = self.offered(&end.at, (player, course.choices()), &identity)?;
                course.offered(&self.rules.game, &offered, &entry);
                if let Some(named) = &named {
                    offered.legal.iter().for_each(|row| course.met(named, row.mv, &row.args));
                }
            }
            let args = end.at.entry_json(&entry)["args"].as_object().cloned().unwrap_or_default();
            end.at.play_undrawn(player, &entry.name, &args)?;
            end.moves += 1;
        }
    }

    /// Makes the draw that is due. Draws have a separate random stream for each name and each player whose
    /// choice precedes them, so that in matches with the same draws a player has the same luck regardless of
    /// the other players' choices. Returns its name and what was drawn.
    fn draw(
        &self,
        at: &mut Match,
        (player, seed): (usize, u64),
        made: &mut BTreeMap<(usize, String), u64>,
    ) -> Result<Option<(String, Value)>, Refused> {
        let (machine, position) = (at.machine(), at.position());
        let Some(chance) = machine.chance(position) else { return Ok(None) };
        let names = machine.game.code.iter().filter_map(|op| match op {
            Op::Chance(chance) => Some(chance.name.as_str()),
            _ => None,
        });
        let name = names.take_while(|name| *name != chance.name).count() as u64;
        let number = made.entry((player, chance.name.clone())).or_default();
        let mut rng = Rng::nth(Rng::sub_seed(Rng::sub_seed(seed, name), player as u64), *number);
        *number += 1;
        let value =
            machine.draw_chance(position, &mut |n| rng.below(n)).map_err(|fault| at.broken(&fault))?;
        let drawn = (chance.name.clone(), value.clone());
        let _ = at.draw(value).map_err(refused)?;
        Ok(Some(drawn))
    }

    /// Returns the choice of a player (from 1).
    fn chosen(&self, memory: &mut Memory, at: &Match, player: usize, who: Player) -> Result<Entry, Refused> {
        let entry = self.mind.answer(memory, at, player, who.bot, self.clock)?.entry;
        let Some(mv) = who.forbidden.filter(|mv| self.rules.game.moves[*mv].name == entry.name) else {
            return Ok(entry);
        };
        let mut rng = Rng::nth(Rng::sub_seed(at.bots_seed(), player as u64), at.entries().count() as u64);
        let advice = self.mind.advise_player(at, player, who.bot, self.clock, &mut rng)?;
        let mut others: Vec<(&Chosen, u64)> = advice
            .moves
            .iter()
            .filter(|other| other.chosen.mv != mv)
            .map(|other| (&other.chosen, other.visits))
            .collect();
        if !advice.is_mixed() {
            others.truncate(1);
        }
        let all: u64 = others.iter().map(|(_, visits)| visits.max(&1)).sum();
        if all > 0 {
            let mut at = rng.below_u64(all);
            let drawn = others.iter().find(|(_, visits)| {
                let visits = *visits.max(&1);
                let here = at < visits;
                at = at.saturating_sub(visits);
                here
            });
            if let Some((chosen, _)) = drawn {
                return Ok(self.rules.entry(player - 1, chosen));
            }
        }
        let (machine, position) = (at.machine(), at.position());
        let Some(choice) = machine.choice(position) else { return Ok(entry) };
        let mut legal = Vec::new();
        let listed = machine.ask(position, |env| {
            env.each_legal(choice, player - 1, true, &mut |other| {
                legal.extend((other.mv != mv).then_some(other));
                if legal.len() < LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        });
        listed.map_err(|fault| at.broken(&fault))?;
        match legal.len() as u64 {
            0 => Ok(entry),
            many => Ok(self.rules.entry(player - 1, &legal[rng.below_u64(many) as usize])),
        }
    }

    /// Lists the moves that a player (from 1) can make here, as far as there are not too many. Where moves of several names
    /// are possible, it also compares the positions after them; at some of the other choices, too, by their `number`.
    fn offered(
        &self,
        at: &Match,
        (player, number): (usize, u64),
        identity: &Identity,
    ) -> Result<Offered, Refused> {
        let (machine, position) = (at.machine(), at.position());
        let Some(choice) = machine.choice(position) else { return Ok(Offered::default()) };
        let mut legal = Vec::new();
        let asked = machine.ask(position, |env| {
            env.each_legal(choice, player - 1, true, &mut |chosen| {
                legal.push(chosen);
                if legal.len() < LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        });
        asked.map_err(|fault| at.broken(&fault))?;
        let whole = legal.len() < LISTED;
        let moves: BTreeSet<MoveId> = match whole {
            true => legal.iter().map(|chosen| chosen.mv).collect(),
            false => {
                let possible = machine.ask(position, |env| env.possible_moves(choice, player - 1));
                possible.map_err(|fault| at.broken(&fault))?
            }
        };
        let several = moves.len() > 1;
        // One of four, without a pattern, so that no player is left out.
        let compares = several || Rng::nth(COMPARING, number).below_u64(4) == 0;
        let mut after = Vec::new();
        if whole && compares && legal.len() <= COMPARED && !at.together() {
            for chosen in &legal {
                let mut next = position.clone();
                next.events = None;
                // Where a move breaks the rules, nothing is compared.
                if machine.choose(&mut next, player - 1, chosen.clone()).is_err() {
                    after.clear();
                    break;
                }
                after.push(identity.lasting_key(&next));
            }
        }
        Ok(Offered { legal, whole, moves, after })
    }

    /// Describes the rule by which a match ended, with its line in the file if it has one.
    fn ending(&self, end: &End, file: &File) -> String {
        match ended_by(&end.at, file) {
            Some(by) => match by.span {
                Some(span) => {
                    format!("{}: {}", place_words(self.rules, span), by.words)
                }
                None => by.words,
            },
            None => format!("given up after {}", counted(self.max_moves, "choice", "choices")),
        }
    }

    /// Evaluates each of several seats' expected share at ten moments of a match, the cost of alternatives at two choices,
    /// and what the outcomes of two draws bring. `false`: it was abandoned because the clock hurries.
    fn look_back(
        &self,
        end: &End,
        record: &Record,
        (number, stops): (u64, usize),
        stage: &Stage,
        sums: &mut Sums,
    ) -> Result<bool, Refused> {
        let seats = self.players();
        let points = if seats > 1 { PARTS } else { 0 };
        let looked: Vec<usize> = (0..points).map(|point| step_at(point, stops)).collect();
        // Every choice is as likely as any other, and the two are half a match apart.
        let first =
            Rng::nth(Rng::sub_seed(u64::MAX, stops as u64), number).below_u64(stops.max(1) as u64) as usize;
        let weighed = [first, (first + stops / 2) % stops.max(1)];
        let draws = end.at.entries().filter(|entry| entry.player == 0).count();
        let first =
            Rng::nth(Rng::sub_seed(u64::MAX / 2, draws as u64), number).below_u64(draws.max(1) as u64);
        let searched = [first as usize, (first as usize + draws / 2) % draws.max(1)];
        let (mut at, mut drawn, mut seen): (usize, usize, Vec<(usize, Standing)>) = (0, 0, Vec::new());
        let mut trouble = None;
        let Sums { looks, luck, .. } = sums;
        let mut on = |played: &Match| {
            if played.draw_due() && trouble.is_none() && !self.clock.must_stop() {
                if searched.contains(&drawn) {
                    trouble = self.search_draw(played, drawn as u64, stage, luck).err();
                }
                drawn += 1;
            }
            if played.to_move().is_empty() || !played.sealed().is_empty() || trouble.is_some() {
                return;
            }
            let stop = at;
            at += 1;
            if self.clock.must_stop() {
                return;
            }
            if looked.contains(&stop) {
                match self.standing(played, stop as u64) {
                    Ok(Some(standing)) if self.engine.machine().is_allied() => {
                        let values = vec![1.0 / seats as f64; seats];
                        seen.push((stop, Standing { values, ..standing }));
                    }
                    Ok(Some(standing)) => seen.push((stop, standing)),
                    Ok(None) => {}
                    Err(refused) => trouble = Some(refused),
                }
            }
            if weighed.contains(&stop) {
                trouble = self.weigh(played, stop as u64, stage, looks).err().or(trouble.take());
            }
        };
        replay_told(Arc::clone(self.rules), record, &mut on)
            .map_err(|sentence| Refused::new("refused", sentence))?;
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        if self.clock.must_stop() {
            return Ok(false);
        }
        let outcome = end.outcome();
        let found = shares(outcome.as_ref(), compared(self.engine.machine()), seats);
        looks.favourite = vec![Moments::default(); POINTS];
        looks.seats = vec![vec![Moments::default(); PARTS]; seats];
        let best = |shares: &[f64]| shares.iter().copied().fold(0.0, f64::max);
        for (point, at) in looked.iter().enumerate() {
            // Each match counts at each point, with the latest standing that was found by then.
            let latest = seen.iter().rev().find(|(stop, _)| stop <= at).or(seen.first());
            let Some((_, standing)) = latest else { break };
            looks.favourite[point].add(best(&standing.values));
            standing.values.iter().zip(&mut looks.seats).for_each(|(share, seat)| seat[point].add(*share));
        }
        if outcome.is_some() && !seen.is_empty() {
            looks.favourite[PARTS].add(best(&found));
        }
        let firsts: Vec<usize> = self.sides().iter().map(|side| side[0]).collect();
        let (mut last, mut changes) = (None, 0);
        for (_, standing) in &seen {
            let shares = &standing.values;
            let mut order = firsts.clone();
            order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
            let [first, second, ..] = order[..] else { break };
            // A lead within the statistical error of the playouts does not make a favourite.
            if shares[first] >= shares[second] + AHEAD
                && standing.interval(first).0 > standing.interval(second).1
            {
                changes += u64::from(last.is_some_and(|last| last != first));
                last = Some(first);
            }
        }
        // A match that ends level is not decided before its end.
        let is_level = found.iter().all(|share| *share == found[0]);
        if outcome.is_some() && !seen.is_empty() {
            looks.turns.add(changes as f64);
        }
        if outcome.is_some() && !seen.is_empty() && !is_level {
            let near = |look: &&(usize, Standing)| {
                look.1.values.iter().zip(&found).all(|(expected, found)| (expected - found).abs() <= NEAR)
            };
            let decided = seen.iter().rev().take_while(near).last();
            looks.decided.add(decided.map_or(1.0, |(stop, ..)| *stop as f64 / stops as f64));
        }
        Ok(true)
    }

    /// Returns each seat's expected share, from the knowledge of the seat that is to choose.
    fn standing(&self, played: &Match, stop: u64) -> Result<Option<Standing>, Refused> {
        let player = played.to_move()[0];
        let mut rng = Rng::nth(Rng::sub_seed(played.bots_seed(), u64::MAX / 2), stop);
        let effort = Effort::Playouts(self.playouts);
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        // Over many matches, that each seat is favoured where it chooses evens out; asking the others takes far longer.
        match self.mind.weigh(&seen, None, effort, self.clock, &mut rng) {
            Ok(standing) => Ok(Some(standing)),
            Err(NoAdvice::Broken(fault)) => Err(played.broken(&fault)),
            Err(_) => Ok(None),
        }
    }
}

/// Whether the draw that is due can lead to different positions, as far as its outcomes can be listed.
fn draw_matters(at: &Match, identity: &Identity) -> bool {
    let (machine, position) = (at.machine(), at.position());
    let Ok(outcomes) = machine.outcomes(position) else { return true };
    let Ok(mut outcomes) = outcomes.iter(Span::default()) else { return true };
    let key = |value: Value| {
        let mut next = position.clone();
        machine.draw(&mut next, value).ok().map(|_| identity.read_key(&next))
    };
    let first = outcomes.next().and_then(key);
    let differ = outcomes.by_ref().take(LISTED).any(|value| key(value).is_none_or(|key| Some(key) != first));
    differ || outcomes.next().is_some()
}

/// Returns every player's score.
fn scores(at: &Match) -> Result<Option<Vec<Int>>, Refused> {
    at.scores().map_err(|fault| at.broken(&fault))
}
