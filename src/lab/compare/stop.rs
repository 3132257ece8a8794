//! Two positions side by side: whether the same may follow, and what follows in both.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Dictionary, Difference, Waits};
use crate::engine::{Engine, Ids, Waiting};
use crate::eval::{Chosen, Fault, Machine};
use crate::explore::Step;
use crate::ir::{MoveId, Value};
use crate::num::{Int, Rng};
use crate::source::Span;

/// Up to how many moves that a choice might offer in some position all legal ones are listed.
const LISTED: u64 = 1 << 16;

/// Two games, and the words of one for the other, both ways.
pub(super) struct Two<'a, E> {
    pub engines: [&'a E; 2],
    /// From the first game to the second, and back.
    words: [Dictionary; 2],
    /// For each choice of either game, whether its moves can be listed.
    listed: [Vec<bool>; 2],
}

/// A step as either game has it.
#[derive(Debug, Clone)]
pub(super) struct Both(pub [Step; 2]);

/// What follows at a place where two games agree.
pub(super) struct Onward {
    /// The steps, as both have them.
    pub steps: Vec<Both>,
    /// Whether these are all.
    pub whole: bool,
}

/// The legal moves of a seat in both games, each with its counterpart.
struct Shared {
    moves: Vec<[Chosen; 2]>,
    whole: bool,
}

impl<'a, E: Engine> Two<'a, E> {
    pub fn new(engines: [&'a E; 2], words: Dictionary) -> Two<'a, E> {
        let back = words.reversed(&engines[1].machine().game);
        let listed = engines.map(|engine| {
            let machine = engine.machine();
            let ids = Ids::of(machine);
            let small = |choice: usize| {
                let rule = &machine.game.choices[choice];
                let offers = 0..rule.offers.len() + rule.otherwise.len();
                let counts =
                    offers.map(|offer| ids.of_offer(choice, offer).map(|block| u64::from(block.count)));
                counts.sum::<Option<u64>>().is_some_and(|all| all <= LISTED)
            };
            (0..machine.game.choices.len()).map(small).collect()
        });
        Two { engines, words: [words, back], listed }
    }

    /// The first positions of both; `None` where the rules of both break before.
    pub fn start(&self) -> Result<Option<[E::State; 2]>, Difference> {
        both(self.engines.map(Engine::start))
    }

    /// What follows in both, at most `most` steps, and where moves cannot be listed `tried` of each game; the error is what is
    /// not the same here.
    pub fn onward(&self, at: &[E::State; 2], most: usize, tried: usize) -> Result<Onward, Difference> {
        let waits = [0, 1].map(|game| self.waits(game, &at[game]));
        let [one, other] = &waits;
        // Draws that correspond may have other names.
        let alike = match (one, other) {
            (Waits::Chance(_), Waits::Chance(_)) => true,
            (one, other) => one == other,
        };
        if !alike {
            return Err(Difference::Waits(waits));
        }
        match one {
            Waits::Seats(seats) => self.choices(at, seats, most, tried),
            Waits::Chance(_) => self.draws(at, tried),
            Waits::Over => self.ends(at).map(|()| Onward { steps: Vec::new(), whole: true }),
        }
    }

    /// The positions that a step leads to; `None` where the rules of both break on the way.
    pub fn go(&self, at: &[E::State; 2], step: &Both) -> Result<Option<[E::State; 2]>, Difference> {
        both([0, 1].map(|game| {
            let (engine, mut state) = (self.engines[game], at[game].clone());
            match &step.0[game] {
                Step::Choice(picks) => {
                    for (seat, chosen) in picks {
                        engine.choose(&mut state, *seat, chosen.clone())?;
                    }
                }
                Step::Chance(_, value) => drop(engine.draw(&mut state, value.clone())?),
            }
            Ok(state)
        }))
    }

    /// A step at random, for a place where not all are listed: drawn in the first game. `None` where nothing can be drawn.
    pub fn drawn(&self, at: &[E::State; 2], rng: &mut Rng) -> Result<Option<Both>, Difference> {
        let engine = self.engines[0];
        match self.waits(0, &at[0]) {
            Waits::Seats(seats) => {
                let mut picks: [Vec<(usize, Chosen)>; 2] = Default::default();
                for seat in seats {
                    let Ok(Some(chosen)) = engine.draw_legal(&at[0], seat, rng) else { return Ok(None) };
                    match self.counterpart(at, seat, 0, &chosen) {
                        Some(there) => picks[1].push((seat, there)),
                        None => return Err(self.refused(at, seat, 0, chosen)),
                    }
                    picks[0].push((seat, chosen));
                }
                Ok(Some(Both(picks.map(Step::Choice))))
            }
            Waits::Chance(name) => {
                let Ok(domain) = engine.outcomes(&at[0]) else { return Ok(None) };
                let Ok(Some(count)) = domain.count(Span::default()) else { return Ok(None) };
                let value = domain.at(&rng.below(&count));
                let step = Step::Chance(name, value.clone());
                let there = self.words[0].value(&value).filter(|there| self.can_come(1, &at[1], there));
                match (there, self.waits(1, &at[1])) {
                    (Some(there), Waits::Chance(name)) => Ok(Some(Both([step, Step::Chance(name, there)]))),
                    _ => Err(Difference::Outcome { possible_in: 0, step }),
                }
            }
            Waits::Over => Ok(None),
        }
    }

    fn waits(&self, game: usize, state: &E::State) -> Waits {
        let engine = self.engines[game];
        match engine.waiting(state) {
            Waiting::Choice { choice, mut seats } => {
                if !engine.machine().game.choices[choice].together {
                    seats.truncate(1);
                }
                Waits::Seats(seats)
            }
            Waiting::Chance => {
                let position = engine.position(state);
                Waits::Chance(
                    engine.machine().chance(&position).map_or(String::new(), |chance| chance.name.clone()),
                )
            }
            Waiting::Over | Waiting::Nothing => Waits::Over,
        }
    }

    fn ends(&self, at: &[E::State; 2]) -> Result<(), Difference> {
        let winners = [0, 1].map(|game| {
            let outcome = self.engines[game].outcome(&at[game]);
            let mut winners = outcome.map_or(Vec::new(), |outcome| outcome.winners);
            winners.sort_unstable();
            winners
        });
        if winners[0] != winners[1] {
            return Err(Difference::Winners(winners));
        }
        match both([0, 1].map(|game| self.engines[game].scores(&at[game])))? {
            Some(scores) if scores[0] != scores[1] => Err(Difference::Scores(scores)),
            _ => Ok(()),
        }
    }

    /// The choices of all who are to choose, in every combination.
    fn choices(
        &self,
        at: &[E::State; 2],
        seats: &[usize],
        most: usize,
        tried: usize,
    ) -> Result<Onward, Difference> {
        let mut whole = true;
        let mut rows: Vec<[Vec<(usize, Chosen)>; 2]> = vec![Default::default()];
        for seat in seats {
            let Some(shared) = self.shared(at, *seat, tried)? else {
                return Ok(Onward { steps: Vec::new(), whole: true });
            };
            whole &= shared.whole;
            let longer = rows.iter().flat_map(|row| {
                shared.moves.iter().map(move |chosen| {
                    let mut row = row.clone();
                    (0..2).for_each(|game| row[game].push((*seat, chosen[game].clone())));
                    row
                })
            });
            let mut longer: Vec<_> = longer.take(most + 1).collect();
            whole &= longer.len() <= most;
            longer.truncate(most);
            rows = longer;
        }
        Ok(Onward { steps: rows.into_iter().map(|row| Both(row.map(Step::Choice))).collect(), whole })
    }

    /// The legal moves of a seat; `None` where the rules of both break when they are looked for.
    fn shared(&self, at: &[E::State; 2], seat: usize, tried: usize) -> Result<Option<Shared>, Difference> {
        let Some([first, second]) = both([0, 1].map(|game| self.legal(game, &at[game], seat, tried)))? else {
            return Ok(None);
        };
        let mut moves = Vec::new();
        if first.1 && second.1 {
            // What both list to the end is compared as sets: a move may be offered twice, and in another order.
            let mut left: BTreeMap<(MoveId, Vec<Value>), Chosen> = BTreeMap::new();
            for chosen in &second.0 {
                left.entry((chosen.mv, chosen.args.clone())).or_insert_with(|| chosen.clone());
            }
            let mut seen: BTreeMap<(MoveId, Vec<Value>), ()> = BTreeMap::new();
            for chosen in first.0 {
                if seen.insert((chosen.mv, chosen.args.clone()), ()).is_some() {
                    continue;
                }
                let there = self.words[0].chosen(&chosen).and_then(|there| left.remove(&there));
                match there {
                    Some(there) => moves.push([chosen, there]),
                    None => return Err(self.refused(at, seat, 0, chosen)),
                }
            }
            if let Some((_, chosen)) = left.pop_first() {
                return Err(self.refused(at, seat, 1, chosen));
            }
        } else {
            for chosen in first.0 {
                match self.counterpart(at, seat, 0, &chosen) {
                    Some(there) => moves.push([chosen, there]),
                    None => return Err(self.refused(at, seat, 0, chosen)),
                }
            }
            for chosen in second.0 {
                if self.counterpart(at, seat, 1, &chosen).is_none() {
                    return Err(self.refused(at, seat, 1, chosen));
                }
            }
        }
        Ok(Some(Shared { moves, whole: first.1 && second.1 }))
    }

    /// The legal moves of a seat in one game, at most `most` where they cannot be listed; whether these are all.
    fn legal(
        &self,
        game: usize,
        state: &E::State,
        seat: usize,
        most: usize,
    ) -> Result<(Vec<Chosen>, bool), Fault> {
        let engine = self.engines[game];
        let Waiting::Choice { choice, .. } = engine.waiting(state) else { return Ok((Vec::new(), true)) };
        let machine = engine.machine();
        let rule = &machine.game.choices[choice];
        if self.listed[game][choice] {
            // What bots do not try is legal too.
            return Ok((engine.legal(state, seat, true)?, !is_windowed(machine, choice)));
        }
        let mut moves = Vec::new();
        machine.ask(&engine.position(state), |env| {
            env.each_legal(rule, seat, true, &mut |chosen| {
                moves.push(chosen);
                if moves.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })?;
        let whole = moves.len() <= most && !is_windowed(machine, choice);
        moves.truncate(most);
        Ok((moves, whole))
    }

    /// A legal move of one game as the other has it, if it is legal there.
    fn counterpart(&self, at: &[E::State; 2], seat: usize, game: usize, chosen: &Chosen) -> Option<Chosen> {
        let (mv, args) = self.words[game].chosen(chosen)?;
        let engine = self.engines[1 - game];
        engine.machine().judge(&engine.position(&at[1 - game]), seat, mv, &args).ok()?.ok()
    }

    /// A move of one game that the other refuses, made in one step with the choices of all others.
    fn refused(&self, at: &[E::State; 2], seat: usize, game: usize, chosen: Chosen) -> Difference {
        let there = self.words[game].chosen(&chosen);
        let engine = self.engines[1 - game];
        let judged =
            there.map(|(mv, args)| engine.machine().judge(&engine.position(&at[1 - game]), seat, mv, &args));
        let refused = match judged {
            None => None,
            Some(Ok(Err(refusal))) => Some((refusal.text, refusal.span)),
            Some(Err(fault)) => Some((fault.message.clone(), fault.span())),
            Some(Ok(Ok(_))) => Some(("it is legal there in other words".to_string(), Default::default())),
        };
        let mut picks = Vec::new();
        if let Waits::Seats(seats) = self.waits(game, &at[game]) {
            for other in seats {
                let own = if other == seat { Some(chosen.clone()) } else { self.any(game, &at[game], other) };
                picks.extend(own.map(|own| (other, own)));
            }
        }
        Difference::Move { allowed_by: game, step: Step::Choice(picks), seat, refused }
    }

    /// The first legal move of a seat.
    fn any(&self, game: usize, state: &E::State, seat: usize) -> Option<Chosen> {
        self.legal(game, state, seat, 1).ok()?.0.into_iter().next()
    }

    /// The outcomes of a draw that is due in both.
    fn draws(&self, at: &[E::State; 2], most: usize) -> Result<Onward, Difference> {
        let none = Onward { steps: Vec::new(), whole: true };
        let Some([first, second]) = both([0, 1].map(|game| self.outcomes(game, &at[game], most)))? else {
            return Ok(none);
        };
        let names = [0, 1].map(|game| match self.waits(game, &at[game]) {
            Waits::Chance(name) => name,
            _ => String::new(),
        });
        let step = |game: usize, value: &Value| Step::Chance(names[game].clone(), value.clone());
        let whole = first.1 && second.1;
        let mut steps = Vec::new();
        for value in first.0.keys() {
            let there = self.words[0].value(value).filter(|there| self.can_come(1, &at[1], there));
            match there {
                Some(there) => steps.push(Both([step(0, value), step(1, &there)])),
                None => return Err(Difference::Outcome { possible_in: 0, step: step(0, value) }),
            }
        }
        for value in second.0.keys() {
            if !self.words[1].value(value).is_some_and(|back| self.can_come(0, &at[0], &back)) {
                return Err(Difference::Outcome { possible_in: 1, step: step(1, value) });
            }
        }
        if whole {
            let total = |counts: &BTreeMap<Value, u64>| counts.values().sum::<u64>();
            let (one, other) = (total(&first.0), total(&second.0));
            for (value, count) in &first.0 {
                let there = self.words[0].value(value).and_then(|there| second.0.get(&there));
                if there.is_none_or(|there| count * other != there * one) {
                    return Err(Difference::Odds);
                }
            }
        }
        Ok(Onward { steps, whole })
    }

    /// What a draw can bring and how often each is among its outcomes; whether these are all.
    fn outcomes(
        &self,
        game: usize,
        state: &E::State,
        most: usize,
    ) -> Result<(BTreeMap<Value, u64>, bool), Fault> {
        let engine = self.engines[game];
        let domain = engine.outcomes(state)?;
        let position = engine.position(state);
        let span = engine.machine().chance(&position).map_or(Default::default(), |chance| chance.span);
        let mut counts = BTreeMap::new();
        for value in domain.iter(span)?.take(most) {
            *counts.entry(value).or_insert(0) += 1;
        }
        let whole = domain.count(span)?.is_some_and(|all| all <= Int::from(most as u64));
        Ok((counts, whole))
    }

    /// Whether a draw can come out so.
    fn can_come(&self, game: usize, state: &E::State, value: &Value) -> bool {
        matches!(self.engines[game].draw(&mut state.clone(), value.clone()), Ok(Ok(())) | Err(_))
    }
}

/// Whether one of the moves of a choice takes more than what is listed of it: what bots draw from.
fn is_windowed(machine: &Machine, choice: usize) -> bool {
    let (game, rule) = (&machine.game, &machine.game.choices[choice]);
    let mut offers = rule.offers.iter().chain(&rule.otherwise);
    offers.any(|offer| {
        let mut params = game.moves[offer.mv].params.iter();
        params.any(|param| param.window.is_some() || param.tried.is_some())
    })
}

/// What both say; `None` where the rules of both break. Where those of one break, that is the difference.
fn both<T>(results: [Result<T, Fault>; 2]) -> Result<Option<[T; 2]>, Difference> {
    match results {
        [Ok(first), Ok(second)] => Ok(Some([first, second])),
        [Err(_), Err(_)] => Ok(None),
        [Err(fault), _] => Err(Difference::Broken { game: 0, fault: Box::new(fault) }),
        [_, Err(fault)] => Err(Difference::Broken { game: 1, fault: Box::new(fault) }),
    }
}
