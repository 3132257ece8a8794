//! A match gone through afterwards: at each choice what it was worth to whom, what was played, and what would have been better.
//!
//! Each choice is judged by what the seat that made it knew then, and by that alone. Of a match that is not over only so
//! much is gone through as everybody knows by now, so that nothing can be drawn from it that is still to be played with.

use serde_json::{Value as Json, json};

use crate::bots::{Bot, Clock, Effort, Mind, Proof, Silent, Standing, interval};
use crate::eval::{Chosen, Fault};
use crate::ir::Value;
use crate::play::{Entry, Match, Refused, Rng, Seen, is_known, offered};

/// What a choice must have cost at least to be told of: a twentieth of the win.
const LEAST: f64 = 0.05;

/// A match that is to be reviewed.
#[derive(Debug)]
pub struct Reviewer<'a> {
    /// The match, as far as it went.
    pub whole: &'a Match,
    /// What it is thought over with.
    pub mind: &'a Mind,
    /// How much each look at a choice gets; a choice gets some.
    pub effort: Effort,
    /// What playouts are drawn from.
    pub seed: u64,
}

/// What is worth how much to the seat that chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Worth {
    /// Its expected share of the win, from 0 to 1.
    pub value: f64,
    /// Between what that lies.
    pub interval: (f64, f64),
    /// How the match ends if all play their best, where that is certain.
    pub end: Option<Proof>,
}

/// A choice that was made, and what would have been best.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What was played.
    pub entry: Entry,
    /// What that was worth; `None` where it could not be found out.
    pub played: Option<Worth>,
    /// What would have been better, where something would.
    pub better: Option<Entry>,
    /// What the best was worth.
    pub best: Option<Worth>,
    /// Whether others chose at the same time, so that the best is a mix of moves, of which `better` is the most frequent.
    pub mixed: bool,
}

impl Judged {
    /// What the choice has cost, as a share of the win.
    pub fn cost(&self) -> f64 {
        match (&self.best, &self.played) {
            (Some(best), Some(played)) => (best.value - played.value).max(0.0),
            _ => 0.0,
        }
    }

    /// Whether the ends of the match behind the best and behind what was played are certain.
    fn is_certain(&self) -> bool {
        let certain = |worth: &Option<Worth>| worth.as_ref().is_some_and(|worth| worth.end.is_some());
        certain(&self.best) && certain(&self.played)
    }

    /// Whether it has cost more than chance can explain, and enough to be told of.
    pub fn is_turning(&self) -> bool {
        let apart = match (&self.best, &self.played) {
            (Some(best), Some(played)) => played.interval.1 < best.interval.0,
            _ => false,
        };
        apart && self.better.is_some() && self.cost() >= LEAST
    }
}

/// A step of a match: who stood how before it, and what was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// Its number, from 1.
    pub step: usize,
    /// Each seat's expected share of the win if all had gone on well, before the step; `None` where it could not be found out.
    pub shares: Option<Vec<f64>>,
    /// The choice, or those made together.
    pub choices: Vec<Judged>,
}

/// What a review says of a match.
#[derive(Debug, Clone)]
pub struct Review {
    /// The steps that were gone through, in order.
    pub stops: Vec<Stop>,
    /// The shares of the win at the end; `None` while the match goes on, or where the review did not come so far.
    pub end: Option<Vec<f64>>,
}

impl<'a> Reviewer<'a> {
    /// How many steps can be gone through: all of a match that is over, of others those before the first of which not all
    /// is known to everybody.
    pub fn steps(&self) -> usize {
        if self.whole.over() {
            return self.whole.depth();
        }
        let mut entry = 0;
        let known = |entries: &&[Entry]| {
            let known = (entry..entry + entries.len()).all(|at| is_known(self.whole, at));
            entry += entries.len();
            known
        };
        // The first has the draws before the first choice.
        self.whole.steps().take_while(known).count().saturating_sub(1)
    }

    /// The match before a step, from 1.
    pub fn before(&self, step: usize) -> Match {
        let mut at = self.whole.clone();
        // What is half chosen is no step, and as many steps as there are can be taken back.
        let half = usize::from(!at.sealed().is_empty());
        let _ = at.undo(self.whole.depth() + half + 1 - step);
        at
    }

    /// Goes through one step, from 1. It depends on the match up to there, the effort and the seed; on the clock only where
    /// the effort is by it.
    pub fn stop(&self, step: usize, clock: &dyn Clock) -> Result<Stop, Refused> {
        let at = self.before(step);
        let made = self.whole.steps().nth(step).unwrap_or_default();
        let mut choices = Vec::new();
        let mut views: Vec<Vec<f64>> = Vec::new();
        for entry in made.iter().filter(|entry| entry.player != 0) {
            let (judged, shares) = self.judged(&at, entry, clock)?;
            choices.push(judged);
            views.extend(shares);
        }
        // Those who chose together may see it differently.
        let mean = |seat: usize| views.iter().map(|shares| shares[seat]).sum::<f64>() / views.len() as f64;
        let shares = (!views.is_empty()).then(|| (0..at.players()).map(mean).collect());
        Ok(Stop { step, shares, choices })
    }

    /// What a choice was worth, and what each seat could expect before it, by what the seat that made it knew. What seems
    /// to have cost something is looked at again with twice the effort, and other playouts: of many choices, some seem so by
    /// chance.
    fn judged(
        &self,
        at: &Match,
        entry: &Entry,
        clock: &dyn Clock,
    ) -> Result<(Judged, Option<Vec<f64>>), Refused> {
        let seen = Seen::of(at, entry.player).map_err(|fault| at.broken(&fault))?;
        let seed = Rng::sub_seed(self.seed, entry.player as u64);
        let mut rng = Rng::nth(seed, at.depth() as u64);
        let first = self.looked_at((at, entry, &seen), self.effort, clock, &mut rng)?;
        if !first.0.is_turning() || first.0.is_certain() {
            return Ok(first);
        }
        let twice = match self.effort {
            Effort::Playouts(playouts) => Effort::Playouts(2 * playouts),
            Effort::Millis(ms) => Effort::Millis(2 * ms),
        };
        self.looked_at((at, entry, &seen), twice, clock, &mut rng)
    }

    /// One look at a choice.
    fn looked_at(
        &self,
        (at, entry, seen): (&Match, &Entry, &Seen),
        effort: Effort,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<(Judged, Option<Vec<f64>>), Refused> {
        let unjudged = Judged { entry: entry.clone(), played: None, better: None, best: None, mixed: false };
        let broken = |fault: Fault| at.broken(&fault);
        let advice = match self.mind.advise(seen, Bot::Auto(effort), clock, rng) {
            Ok(advice) => advice,
            Err(Silent::Broken(fault)) => return Err(broken(fault)),
            Err(_) => return Ok((unjudged, None)),
        };
        let Some(chosen) = chosen_of(at, entry).map_err(broken)? else { return Ok((unjudged, None)) };
        let mut look = |only: Option<&Chosen>| match self.mind.weigh(seen, only, effort, clock, rng) {
            Ok(standing) => Ok(Some(standing)),
            Err(Silent::Broken(fault)) => Err(broken(fault)),
            Err(_) => Ok(None),
        };
        let seat = entry.player - 1;
        if advice.is_mixed() {
            // Against one move that is certain the others would choose otherwise; what each was worth in the mix is known.
            let weighed = advice.moves.iter().find(|weighed| weighed.chosen == chosen);
            let played = weighed.map(|weighed| Worth {
                value: weighed.value,
                interval: interval(weighed.value, weighed.visits),
                end: None,
            });
            let best = Worth { value: advice.value, interval: advice.interval, end: None };
            let first = advice.moves.first().filter(|first| first.chosen != chosen);
            let better = first.map(|first| at.rules.entry(seat, &first.chosen));
            let shares = match at.players() {
                2 => Some(two(seat, advice.value)),
                _ => look(None)?.map(|standing| standing.shares),
            };
            return Ok((Judged { played, better, best: Some(best), mixed: true, ..unjudged }, shares));
        }
        let seats = at.players();
        let end_of = |chosen: &Chosen| {
            let weighed = advice.moves.iter().find(|weighed| weighed.chosen == *chosen);
            let end = weighed.and_then(|weighed| weighed.end);
            end.map(|end| Standing::certain(end, seats))
        };
        let mut weigh = |chosen: &Chosen| match end_of(chosen) {
            Some(standing) => Ok(Some(standing)),
            None => look(Some(chosen)),
        };
        let Some(played) = weigh(&chosen)? else { return Ok((unjudged, None)) };
        let best = if advice.best == chosen { None } else { weigh(&advice.best)? };
        let best = best.filter(|best| best.shares[seat] > played.shares[seat]);
        let better = best.as_ref().map(|_| at.rules.entry(seat, &advice.best));
        let standing = best.unwrap_or_else(|| played.clone());
        let worth =
            |of: &Standing| Worth { value: of.shares[seat], interval: of.interval(seat), end: of.end };
        let judged =
            Judged { played: Some(worth(&played)), better, best: Some(worth(&standing)), ..unjudged };
        Ok((judged, Some(standing.shares)))
    }
}

/// A choice that was made, as those who think about it name it.
fn chosen_of(at: &Match, entry: &Entry) -> Result<Option<Chosen>, Fault> {
    let (machine, position) = (at.machine(), at.position());
    let values: Vec<Value> = entry.args.iter().map(|(_, value)| value.clone()).collect();
    for mv in offered(machine, position) {
        if machine.game.moves[mv].name == entry.name
            && let Ok(chosen) = machine.judge(position, entry.player - 1, mv, &values)?
        {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

/// The shares of two seats, of which one is known.
fn two(seat: usize, value: f64) -> Vec<f64> {
    if seat == 0 { vec![value, 1.0 - value] } else { vec![1.0 - value, value] }
}

impl Review {
    /// Puts steps that were gone through together.
    pub fn of(reviewer: &Reviewer, stops: Vec<Stop>) -> Review {
        let whole = reviewer.whole;
        let winners: Vec<usize> = whole.winners().iter().map(|player| player - 1).collect();
        let end = Standing::certain(Proof::of(&winners), whole.players()).shares;
        let reached = whole.over() && stops.len() == whole.depth();
        Review { stops, end: reached.then_some(end) }
    }

    /// The choices that turned the match, with the numbers of their steps, the worst first.
    pub fn turning_points(&self) -> Vec<(usize, &Judged)> {
        let each = self.stops.iter().flat_map(|stop| stop.choices.iter().map(|judged| (stop.step, judged)));
        let mut turning: Vec<(usize, &Judged)> = each.filter(|(_, judged)| judged.is_turning()).collect();
        turning.sort_by(|(_, a), (_, b)| b.cost().total_cmp(&a.cost()));
        turning
    }

    /// Who stood how before each step, and at the end: the number of the step, and each seat's share. Steps of which it is
    /// not known are passed over.
    pub fn curve(&self) -> Vec<(usize, Vec<f64>)> {
        let stops = self.stops.iter().filter_map(|stop| Some((stop.step, stop.shares.clone()?)));
        let end = self.end.iter().map(|end| (self.stops.len() + 1, end.clone()));
        stops.chain(end).collect()
    }

    /// The review as JSON: `steps`, and in `turning_points` the same choices once more, the worst first.
    pub fn json(&self, whole: &Match) -> Json {
        let steps = self.stops.iter().map(|stop| {
            let choices = stop.choices.iter().map(|judged| judged.json(whole));
            json!({ "step": stop.step, "shares": stop.shares.as_deref().map(rounded), "choices": choices.collect::<Vec<_>>() })
        });
        let turning = self.turning_points().into_iter().map(|(step, judged)| {
            let mut json = judged.json(whole);
            json["step"] = json!(step);
            json
        });
        json!({
            "end": self.end.as_deref().map(rounded),
            "turning_points": turning.collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

impl Judged {
    fn json(&self, whole: &Match) -> Json {
        let worth = |worth: &Option<Worth>| match worth {
            None => Json::Null,
            Some(Worth { value, interval: (low, high), end }) => json!({
                "value": round(*value), "interval": [round(*low), round(*high)], "exact": end.is_some(),
            }),
        };
        let mut json = whole.entry_json(&self.entry);
        json["played"] = worth(&self.played);
        json["best"] = worth(&self.best);
        json["better"] = self.better.as_ref().map_or(Json::Null, |better| {
            let entry = whole.entry_json(better);
            json!({ "move": entry["move"], "args": entry["args"] })
        });
        json["mixed"] = json!(self.mixed);
        json["cost"] = json!(round(self.cost()));
        json["turning"] = json!(self.is_turning());
        json
    }
}

fn rounded(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|share| round(*share)).collect()
}

/// To a thousandth.
fn round(share: f64) -> f64 {
    (1000.0 * share).round() / 1000.0
}
