//! Two engines side by side, with the same rules and random numbers; differences are described in words.

pub mod faults;
pub mod maker;
pub mod mutate;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use parlour::diag::Code;
use parlour::engine::Engine;
use parlour::eval::{Chosen, Fault, Machine, Position, Waiting};
use parlour::ir::{Game, Live, Value};
use parlour::jit::Compiled;
use parlour::num::{Int, Rng};
use parlour::play::Rules;

/// A result if the engines agree; otherwise a description of the difference.
pub type Same<T = ()> = Result<T, String>;

/// The result of an operation of one engine: a value or a fault.
type Ended<T> = Result<T, Fault>;

/// A game with fixed options and players, in both engines.
pub struct Pair {
    pub reference: Machine,
    pub compiled: Compiled,
    /// The longest list of moves or outcomes that is compared completely.
    pub listed: usize,
    live: Live,
}

/// Counts of what was compared.
#[derive(Debug, Default, Clone, Copy)]
pub struct Seen {
    /// Choices made.
    pub choices: u64,
    /// Chance events.
    pub draws: u64,
    /// Matches that ended.
    pub ended: u64,
    /// Matches that ended in a fault.
    pub faults: u64,
}

impl Seen {
    pub fn add(&mut self, more: Seen) {
        self.choices += more.choices;
        self.draws += more.draws;
        self.ended += more.ended;
        self.faults += more.faults;
    }
}

/// Compares the results of both engines.
fn equal<T: PartialEq + Debug>(what: &str, reference: &T, compiled: &T) -> Same {
    match reference == compiled {
        true => Ok(()),
        false => Err(format!("{what}:\n  reference {reference:?}\n  compiled  {compiled:?}")),
    }
}

/// Compares how both engines end: with exactly the same fault, or not. Returns `None` after a fault, since
/// there is nothing to go on with.
fn ended<A, B>(what: &str, reference: Ended<A>, compiled: Ended<B>) -> Same<Option<(A, B)>> {
    match (reference, compiled) {
        (Ok(a), Ok(b)) => Ok(Some((a, b))),
        // Each engine counts its own steps, so only the reference may give up on work without end.
        (Err(a), _) if gave_up(&a) => Ok(None),
        (Err(a), Err(b)) => equal(what, &a, &b).map(|()| None),
        (Err(a), Ok(_)) => Err(format!("{what}: only the reference faults: {a:?}")),
        (Ok(_), Err(b)) => Err(format!("{what}: only the compiled engine faults: {b:?}")),
    }
}

/// Whether a fault is about the number of steps, which only the reference counts in this way.
fn gave_up(fault: &Fault) -> bool {
    let steps = ["this takes too long", "the rules go on and on"];
    fault.code == Code::TooMuchWork && steps.iter().any(|words| fault.message.starts_with(words))
}

/// Compares the next numbers of both random streams.
fn same_stream(what: &str, a: &Rng, b: &Rng) -> Same {
    equal(
        &format!("{what}: the stream of chance"),
        &a.clone().below_u64(u64::MAX),
        &b.clone().below_u64(u64::MAX),
    )
}

impl Pair {
    /// Prepares both engines; an error means unfit options or players, or rules that fault at once.
    pub fn new(rules: &Rules, options: &BTreeMap<usize, Value>, players: usize) -> Result<Pair, String> {
        let reference = rules.machine(options, players).map_err(|not| format!("{not:?}"))?;
        let compiled = Compiled::new(reference.clone());
        // Parts may be left to the reference, but not because the code verifier refuses them.
        let refused = compiled.left_out().iter().find(|part| part.text.contains("Verifier"));
        assert!(refused.is_none(), "{refused:?}");
        let live = Live::of(&rules.game);
        Ok(Pair { reference, compiled, listed: 2_000, live })
    }

    fn game(&self) -> &Game {
        &self.reference.game
    }

    /// Compares positions; of the frame, only the slots that may still be read.
    pub fn same(&self, what: &str, a: &Position, b: &Position) -> Same {
        let what = |part: &str| format!("{what}: {part}");
        for (at, (a, b)) in a.cells.iter().zip(&b.cells).enumerate() {
            equal(&what(&format!("cell {at}")), a, b)?;
        }
        equal(&what("cells"), &a.cells.len(), &b.cells.len())?;
        equal(&what("revealed"), &a.revealed, &b.revealed)?;
        equal(&what("who is in"), &a.is_in, &b.is_in)?;
        equal(&what("awards"), &a.awards, &b.awards)?;
        equal(&what("place in the code"), &a.pc, &b.pc)?;
        equal(&what("waiting"), &a.waiting, &b.waiting)?;
        equal(&what("sealed"), &a.sealed, &b.sealed)?;
        equal(&what("phases"), &a.phases, &b.phases)?;
        equal(&what("last mover"), &a.last_mover, &b.last_mover)?;
        equal(&what("draws"), &a.draws, &b.draws)?;
        equal(&what("outcome"), &a.outcome, &b.outcome)?;
        if a.waiting == Waiting::Over {
            return Ok(());
        }
        for slot in self.live.at(a.pc) {
            equal(&what(&format!("slot {slot}")), &a.frame[*slot], &b.frame[*slot])?;
        }
        Ok(())
    }

    // ---- whole matches

    /// Plays a whole match in each engine with one seed. Compares the last position, the length, the scores
    /// and the random stream after it.
    pub fn playout(&self, seed: u64, max_moves: u64) -> Same<Seen> {
        let (mut a, mut b) = (Rng::new(seed), Rng::new(seed));
        let reference = self.reference.playout(&mut a, max_moves);
        let compiled = self.compiled.playout(&mut b, max_moves);
        let what = format!("playout of seed {seed}");
        let Some(((position, moves), (state, made))) = ended(&what, reference, compiled)? else {
            return Ok(Seen { faults: 1, ..Seen::default() });
        };
        equal(&format!("{what}: choices"), &moves, &made)?;
        self.same(&what, &position, &self.compiled.to_position(&state))?;
        same_stream(&what, &a, &b)?;
        self.scores(&what, &position, &state)?;
        equal(&format!("{what}: who has won"), &position.outcome, &self.compiled.outcome(&state))?;
        Ok(Seen { choices: moves, ended: u64::from(position.outcome.is_some()), ..Seen::default() })
    }

    /// Plays a few matches in a row in each engine with one random stream. Compares ends and faults.
    pub fn row(&self, seed: u64, max_moves: u64) -> Same<Seen> {
        const ROW: u64 = 3;
        let what = format!("row of seed {seed}");
        let (mut a, mut b) = (Rng::new(seed), Rng::new(seed));
        let (mut reference, mut compiled) = (Vec::new(), Vec::new());
        let mine = self.reference.playouts(&mut a, max_moves, ROW, &mut |position, moves| {
            reference.push((position.clone(), moves));
        });
        let its = self.compiled.playouts(&mut b, max_moves, ROW, &mut |state, moves| {
            compiled.push((self.compiled.to_position(state), moves));
        });
        let mut seen = Seen::default();
        match ended(&what, mine, its)? {
            Some(_) => same_stream(&what, &a, &b)?,
            None => seen.faults = 1,
        }
        for (at, ((position, moves), (other, made))) in reference.iter().zip(&compiled).enumerate() {
            let what = format!("{what}, match {at}");
            equal(&format!("{what}: choices"), moves, made)?;
            self.same(&what, position, other)?;
            seen.choices += moves;
            seen.ended += u64::from(position.outcome.is_some());
        }
        if seen.faults == 0 {
            equal(&what, &(reference.len() as u64, compiled.len() as u64), &(ROW, ROW))?;
        }
        Ok(seen)
    }

    fn scores(&self, what: &str, position: &Position, state: &<Compiled as Engine>::State) -> Same {
        let what = format!("{what}: scores");
        let scores = ended(&what, Engine::scores(&self.reference, position), self.compiled.scores(state))?;
        scores.map_or(Ok(()), |(a, b)| equal(&what, &a, &b))
    }

    // ---- step by step

    /// Plays a match step by step in both engines and compares everything that can be queried at each stop.
    pub fn lockstep(&self, seed: u64, max_moves: u64, until: Instant) -> Same<Seen> {
        let mut walk = Walk { pair: self, rng: Rng::new(seed), seen: Seen::default(), until };
        walk.run(max_moves).map_err(|what| format!("seed {seed}, {what}"))?;
        Ok(walk.seen)
    }

    /// Compares matches of many seeds in each way: whole ones first, since they are fast, then step by step.
    /// Stops early when time is up, but not before the whole matches of one seed.
    pub fn matches(&self, seeds: u64, max_moves: u64, time: Duration) -> Same<Seen> {
        let (mut seen, until) = (Seen::default(), Instant::now() + time);
        for seed in 0..seeds {
            seen.add(self.playout(seed, max_moves)?);
            seen.add(self.row(seed, max_moves)?);
            seen.add(self.lockstep(seed, max_moves, until)?);
            if Instant::now() > until {
                break;
            }
        }
        Ok(seen)
    }
}

/// A match in both engines at once.
struct Walk<'p> {
    pair: &'p Pair,
    rng: Rng,
    seen: Seen,
    until: Instant,
}

type State = <Compiled as Engine>::State;

impl Walk<'_> {
    fn run(&mut self, max_moves: u64) -> Same {
        let Pair { reference, compiled, .. } = self.pair;
        let Some((mut position, mut state)) = ended("start", Engine::start(reference), compiled.start())?
        else {
            self.seen.faults += 1;
            return Ok(());
        };
        loop {
            let what = format!("choice {}, draw {}", self.seen.choices, self.seen.draws);
            self.pair.same(&what, &position, &compiled.to_position(&state))?;
            equal(&format!("{what}: waiting"), &position.waiting, &compiled.waiting(&state))?;
            equal(
                &format!("{what}: fresh"),
                &Engine::nobody_has_chosen(reference, &position),
                &compiled.nobody_has_chosen(&state),
            )?;
            self.pair.scores(&what, &position, &state)?;
            if self.rng.below_u64(4) == 0 {
                // The engine must take over a position of the reference, and return it unchanged.
                state = compiled.state_of(&position);
                self.pair.same(&format!("{what}: entered"), &position, &compiled.to_position(&state))?;
            }
            let went_on = match &position.waiting {
                Waiting::Over | Waiting::Nothing => {
                    self.seen.ended += 1;
                    return Ok(());
                }
                _ if Instant::now() > self.until => return Ok(()),
                _ if self.seen.choices >= max_moves && Engine::nobody_has_chosen(reference, &position) => {
                    return Ok(());
                }
                Waiting::Choice { seats, .. } => {
                    // Simultaneous choices may be made in any order.
                    let seat = seats[self.rng.below_u64(seats.len() as u64) as usize];
                    self.seen.choices += 1;
                    self.choose(&what, &mut position, &mut state, seat)?
                }
                Waiting::Chance => {
                    self.seen.draws += 1;
                    self.draw(&what, &mut position, &mut state)?
                }
            };
            if !went_on {
                self.seen.faults += 1;
                return Ok(());
            }
        }
    }

    /// Lists, draws and makes moves of a seat. Returns `false` after a fault.
    fn choose(&mut self, what: &str, position: &mut Position, state: &mut State, seat: usize) -> Same<bool> {
        let Pair { reference, compiled, .. } = self.pair;
        let what = format!("{what}, seat {seat}");
        let mut listed = None;
        for windowed in [false, true] {
            let what = format!("{what}: legal, windowed {windowed}");
            // A long list is not compared, nor one that exceeds the limits of the reference.
            let Some(mine) = self.few(position, seat, windowed) else { continue };
            let Some((mine, all)) = ended(&what, mine, compiled.legal(state, seat, windowed))? else {
                continue;
            };
            for (a, b) in mine.iter().zip(&all) {
                equal(&what, &self.words(a), &self.words(b))?;
            }
            equal(&what, &mine, &all)?;
            listed = windowed.then_some(mine);
        }
        let mut other = self.rng.clone();
        let drawn = ended(
            &format!("{what}: draw of a move"),
            Engine::draw_legal(reference, position, seat, &mut self.rng),
            compiled.draw_legal(state, seat, &mut other),
        )?;
        let Some((mine, its)) = drawn else { return Ok(false) };
        same_stream(&format!("{what}: draw of a move"), &self.rng, &other)?;
        equal(&format!("{what}: draw of a move"), &mine, &its)?;
        let Some(mut chosen) = mine else { return Ok(false) };
        // Now and then the last listed move is made instead, since bugs tend to be at the end.
        if let Some(last) = listed.and_then(|mut all| all.pop())
            && self.rng.below_u64(4) == 0
        {
            chosen = last;
        }
        let what = format!("{what}: {}", self.words(&chosen));
        let made = ended(
            &what,
            Engine::choose(reference, position, seat, chosen.clone()),
            compiled.choose(state, seat, chosen),
        )?;
        Ok(made.is_some())
    }

    /// Returns the reference's list of moves; `None` if it is too long or takes too many steps.
    fn few(&self, position: &Position, seat: usize, windowed: bool) -> Option<Ended<Vec<Chosen>>> {
        let choice = self.pair.reference.choice(position)?;
        let mut all = Vec::new();
        let listed = self.pair.reference.ask(position, |env| {
            env.each_legal(choice, seat, windowed, &mut |chosen| {
                all.push(chosen);
                match all.len() > self.pair.listed {
                    true => std::ops::ControlFlow::Break(()),
                    false => std::ops::ControlFlow::Continue(()),
                }
            })
        });
        match listed {
            Ok(()) if all.len() > self.pair.listed => None,
            Ok(()) => Some(Ok(all)),
            Err(fault) if gave_up(&fault) => None,
            Err(fault) => Some(Err(fault)),
        }
    }

    /// Makes a chance event in both engines. Returns `false` after a fault.
    fn draw(&mut self, what: &str, position: &mut Position, state: &mut State) -> Same<bool> {
        let Pair { reference, compiled, .. } = self.pair;
        let what = format!("{what}: chance");
        let doms = ended(&what, Engine::outcomes(reference, position), compiled.outcomes(state))?;
        let Some((mine, its)) = doms else { return Ok(false) };
        let span = reference.chance(position).map(|chance| chance.span).unwrap_or_default();
        let Some((count, others)) = ended(&what, mine.count(span), its.count(span))? else {
            return Ok(false);
        };
        equal(&format!("{what}: outcomes"), &count, &others)?;
        let count = count.unwrap_or(Int::ONE);
        if count <= Int::from(self.pair.listed) {
            let lists = ended(&what, mine.iter(span), its.iter(span))?;
            if let Some((mine, its)) = lists {
                equal(&format!("{what}: outcomes"), &mine.collect::<Vec<_>>(), &its.collect::<Vec<_>>())?;
            }
        }
        // An impossible outcome must be refused in the same words.
        let odd = Value::Text("odd".to_string().into());
        let refused = ended(
            &what,
            Engine::draw(reference, &mut position.clone(), odd.clone()),
            compiled.draw(&mut state.clone(), odd),
        )?;
        if let Some((mine, its)) = refused {
            equal(&format!("{what}: refusal"), &mine, &its)?;
        }
        let rank = self.rng.below(&count);
        let (value, other) = (mine.at(&rank), its.at(&rank));
        equal(&format!("{what}: outcome {rank}"), &value, &other)?;
        let drawn =
            ended(&what, Engine::draw(reference, position, value.clone()), compiled.draw(state, value))?;
        match drawn {
            Some((mine, its)) => equal(&what, &mine, &its).map(|()| true),
            None => Ok(false),
        }
    }

    fn words(&self, chosen: &Chosen) -> String {
        format!("{} {:?} (offer {})", self.pair.game().moves[chosen.mv].name, chosen.args, chosen.offer)
    }
}
