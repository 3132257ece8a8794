//! Two positions side by side: whether the same steps are possible in both, and where they lead.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::{Dictionary, Difference, Waits};
use crate::engine::{Engine, Ids, Waiting};
use crate::eval::{Chosen, Dom, Fault, Machine};
use crate::explore::Step;
use crate::ir::{MoveId, Value};
use crate::num::{Int, Rng};
use crate::source::Span;

/// All legal moves of a choice are listed if it offers at most this many moves over all positions.
const LISTED: u64 = 1 << 16;

/// Two games, with the translations between them.
pub(super) struct GamePair<'a, E> {
    pub engines: [&'a E; 2],
    /// From the first game to the second, and back.
    words: [Dictionary; 2],
    /// For each choice of each game, whether its moves can be listed.
    listed: [Vec<bool>; 2],
}

/// A step as each game has it.
#[derive(Debug, Clone)]
pub(super) struct StepPair(pub [Step; 2]);

/// How many steps from one place are listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepLimits {
    /// The most combinations of choices.
    pub steps: usize,
    /// How many moves of each game are tried if they cannot be listed.
    pub moves: usize,
    /// The most outcomes of a draw.
    pub outcomes: usize,
    /// How many outcomes of each game are tried if there are more.
    pub tried: usize,
    /// The seed by which these are drawn.
    pub seed: u64,
}

/// The possible steps from a place where two games agree.
pub(super) struct NextSteps {
    /// The steps, as both games have them.
    pub steps: Vec<StepPair>,
    /// Whether these are all.
    pub exhaustive: bool,
}

/// The legal moves of a seat in both games, each with its counterpart.
struct Shared {
    moves: Vec<[Chosen; 2]>,
    exhaustive: bool,
}

/// A draw that is due in one of the games.
struct Draw {
    /// Its name, and where it stands in the rules.
    name: String,
    span: Span,
    /// What it can come to, and how many equally likely outcomes that are; `None` if there is no end of them.
    domain: Dom,
    count: Option<Int>,
}

impl<'a, E: Engine> GamePair<'a, E> {
    pub fn new(engines: [&'a E; 2], words: Dictionary) -> GamePair<'a, E> {
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
        GamePair { engines, words: [words, back], listed }
    }

    /// Returns the first positions of both games; `None` if the rules of both break before that.
    pub fn start(&self) -> Result<Option<[E::State; 2]>, Difference> {
        both(self.engines.map(Engine::start))
    }

    /// Returns the steps possible in both games, within these limits. The error is the difference found here.
    pub fn next_steps(&self, at: &[E::State; 2], limits: StepLimits) -> Result<NextSteps, Difference> {
        let waits = [0, 1].map(|game| self.waits(game, &at[game]));
        let [one, other] = &waits;
        // Corresponding draws may have different names.
        let alike = match (one, other) {
            (Waits::Chance(_), Waits::Chance(_)) => true,
            (one, other) => one == other,
        };
        if !alike {
            return Err(Difference::Waits(waits));
        }
        match one {
            Waits::Seats(seats) => self.choices(at, seats, limits.steps, limits.moves),
            Waits::Chance(_) => self.draws(at, limits),
            Waits::Over => self.ends(at).map(|()| NextSteps { steps: Vec::new(), exhaustive: true }),
        }
    }

    /// Returns the positions that a step leads to; `None` if the rules of both games break on the way.
    pub fn go(&self, at: &[E::State; 2], step: &StepPair) -> Result<Option<[E::State; 2]>, Difference> {
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

    /// Draws a random step in one of the games, for places where not all steps are listed. `None` if nothing
    /// can be drawn.
    pub fn drawn(&self, at: &[E::State; 2], rng: &mut Rng) -> Result<Option<StepPair>, Difference> {
        let game = rng.below_u64(2) as usize;
        let engine = self.engines[game];
        match self.waits(game, &at[game]) {
            Waits::Seats(seats) => {
                let mut picks: [Vec<(usize, Chosen)>; 2] = Default::default();
                for seat in seats {
                    let Ok(Some(chosen)) = engine.draw_legal(&at[game], seat, rng) else { return Ok(None) };
                    match self.counterpart(at, seat, game, &chosen) {
                        Some(there) => picks[1 - game].push((seat, there)),
                        None => return Err(self.refused(at, seat, game, chosen)),
                    }
                    picks[game].push((seat, chosen));
                }
                Ok(Some(StepPair(picks.map(Step::Choice))))
            }
            Waits::Chance(_) => {
                let Some(draws) = both([0, 1].map(|game| self.draw(game, &at[game])))? else {
                    return Ok(None);
                };
                let value = match &draws[game].count {
                    Some(count) if !count.is_zero() => draws[game].domain.at(&rng.below(count)),
                    _ => return Ok(None),
                };
                let step = self.outcome(at, &draws, game, value)?;
                if same_odds(&draws, &step) { Ok(Some(step)) } else { Err(Difference::Odds) }
            }
            Waits::Over => Ok(None),
        }
    }

    /// Returns the step of an outcome of one game; the other must have it, too.
    fn outcome(
        &self,
        at: &[E::State; 2],
        draws: &[Draw; 2],
        game: usize,
        value: Value,
    ) -> Result<StepPair, Difference> {
        let other = 1 - game;
        let step = |game: usize, value: &Value| Step::Chance(draws[game].name.clone(), value.clone());
        let there = self.words[game].value(&value).filter(|there| self.can_come(other, &at[other], there));
        let Some(there) = there else {
            return Err(Difference::Outcome { possible_in: game, step: step(game, &value) });
        };
        let values = if game == 0 { [&value, &there] } else { [&there, &value] };
        Ok(StepPair([step(0, values[0]), step(1, values[1])]))
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
                let position = engine.to_position(state);
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

    /// Returns all combinations of the choices of these seats.
    fn choices(
        &self,
        at: &[E::State; 2],
        seats: &[usize],
        most: usize,
        tried: usize,
    ) -> Result<NextSteps, Difference> {
        let mut whole = true;
        let mut rows: Vec<[Vec<(usize, Chosen)>; 2]> = vec![Default::default()];
        for seat in seats {
            let Some(shared) = self.shared(at, *seat, tried)? else {
                return Ok(NextSteps { steps: Vec::new(), exhaustive: true });
            };
            whole &= shared.exhaustive;
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
        Ok(NextSteps {
            steps: rows.into_iter().map(|row| StepPair(row.map(Step::Choice))).collect(),
            exhaustive: whole,
        })
    }

    /// Returns the legal moves of a seat; `None` if listing them breaks the rules of both games.
    fn shared(&self, at: &[E::State; 2], seat: usize, tried: usize) -> Result<Option<Shared>, Difference> {
        let Some([first, second]) = both([0, 1].map(|game| self.legal(game, &at[game], seat, tried)))? else {
            return Ok(None);
        };
        let mut moves = Vec::new();
        if first.1 && second.1 {
            // Complete lists are compared as sets: a move may be offered twice, and in another order.
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
        Ok(Some(Shared { moves, exhaustive: first.1 && second.1 }))
    }

    /// Returns the legal moves of a seat in one game, at most `most` if they cannot be listed, and whether
    /// these are all.
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
            // Moves outside the window that bots try are legal too, so this may not be all of them.
            return Ok((engine.legal(state, seat, true)?, !is_windowed(machine, choice)));
        }
        let mut moves = Vec::new();
        machine.ask(&engine.to_position(state), |env| {
            env.each_legal(rule, seat, true, &mut |chosen| {
                moves.push(chosen);
                if moves.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })?;
        let whole = moves.len() <= most && !is_windowed(machine, choice);
        moves.truncate(most);
        Ok((moves, whole))
    }

    /// Translates a legal move of one game to the other; `None` if it is not legal there.
    fn counterpart(&self, at: &[E::State; 2], seat: usize, game: usize, chosen: &Chosen) -> Option<Chosen> {
        let (mv, args) = self.words[game].chosen(chosen)?;
        let engine = self.engines[1 - game];
        engine.machine().judge(&engine.to_position(&at[1 - game]), seat, mv, &args).ok()?.ok()
    }

    /// Returns the difference for a move of one game that the other refuses, with choices of all other seats
    /// that choose in the same step.
    fn refused(&self, at: &[E::State; 2], seat: usize, game: usize, chosen: Chosen) -> Difference {
        let there = self.words[game].chosen(&chosen);
        let engine = self.engines[1 - game];
        let judged = there
            .map(|(mv, args)| engine.machine().judge(&engine.to_position(&at[1 - game]), seat, mv, &args));
        let refused = match judged {
            None => None,
            Some(Ok(Err(refusal))) => Some((refusal.text, refusal.span)),
            Some(Err(fault)) => Some((fault.message.clone(), fault.span())),
            Some(Ok(Ok(_))) => {
                Some(("it is legal there, but written differently".to_string(), Default::default()))
            }
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

    /// Returns the first legal move of a seat.
    fn any(&self, game: usize, state: &E::State, seat: usize) -> Option<Chosen> {
        self.legal(game, state, seat, 1).ok()?.0.into_iter().next()
    }

    /// Returns the results of a draw that is due in both games.
    fn draws(&self, at: &[E::State; 2], limits: StepLimits) -> Result<NextSteps, Difference> {
        let mut next = NextSteps { steps: Vec::new(), exhaustive: true };
        let Some(draws) = both([0, 1].map(|game| self.draw(game, &at[game])))? else { return Ok(next) };
        let Some([first, second]) = both([0, 1].map(|game| draws[game].outcomes(limits)))? else {
            return Ok(next);
        };
        next.exhaustive = first.1 && second.1;
        for value in first.0 {
            next.steps.push(self.outcome(at, &draws, 0, value)?);
        }
        let back = second.0.into_iter().map(|value| self.outcome(at, &draws, 1, value));
        let back = back.collect::<Result<Vec<_>, _>>()?;
        if !next.exhaustive {
            next.steps.extend(back);
        }
        match next.steps.iter().all(|step| same_odds(&draws, step)) {
            true => Ok(next),
            false => Err(Difference::Odds),
        }
    }

    /// Returns the draw that is due in a game.
    fn draw(&self, game: usize, state: &E::State) -> Result<Draw, Fault> {
        let engine = self.engines[game];
        let domain = engine.outcomes(state)?;
        let position = engine.to_position(state);
        let chance = engine.machine().chance(&position);
        let (name, span) = chance.map_or_else(Default::default, |chance| (chance.name.clone(), chance.span));
        Ok(Draw { count: domain.count(span)?, name, span, domain })
    }

    /// Whether a draw can have this result; also true if it breaks the rules, which shows when it is made.
    fn can_come(&self, game: usize, state: &E::State, value: &Value) -> bool {
        matches!(self.engines[game].draw(&mut state.clone(), value.clone()), Ok(Ok(())) | Err(_))
    }
}

impl Draw {
    /// Returns the possible results, each once, or some random ones if there are many; and whether these are all.
    fn outcomes(&self, limits: StepLimits) -> Result<(BTreeSet<Value>, bool), Fault> {
        match &self.count {
            Some(count) if *count > Int::from(limits.outcomes) => {
                let mut rng = Rng::new(limits.seed);
                Ok(((0..limits.tried).map(|_| self.domain.at(&rng.below(count))).collect(), false))
            }
            Some(_) => Ok((self.domain.iter(self.span)?.collect(), true)),
            None => Ok((BTreeSet::new(), false)),
        }
    }
}

/// Whether a step is as likely in both games.
fn same_odds(draws: &[Draw; 2], step: &StepPair) -> bool {
    let of = |game: usize| match &step.0[game] {
        Step::Chance(_, value) => draws[1 - game].count.as_ref()?.mul(&draws[game].domain.copies(value)).ok(),
        Step::Choice(_) => None,
    };
    of(0) == of(1)
}

/// Whether the moves of a choice are listed only within a window, the one that bots draw from.
fn is_windowed(machine: &Machine, choice: usize) -> bool {
    machine.game.samples_moves(&machine.game.choices[choice])
}

/// Combines the results of both games; `None` if the rules of both break. If only one of them breaks, that is
/// the difference.
fn both<T>(results: [Result<T, Fault>; 2]) -> Result<Option<[T; 2]>, Difference> {
    match results {
        [Ok(first), Ok(second)] => Ok(Some([first, second])),
        [Err(_), Err(_)] => Ok(None),
        [Err(fault), _] => Err(Difference::Broken { game: 0, fault: Box::new(fault) }),
        [_, Err(fault)] => Err(Difference::Broken { game: 1, fault: Box::new(fault) }),
    }
}
