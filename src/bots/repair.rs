//! Finds worlds that are too many to list: a match is drawn at random and repaired until it looks the way the
//! seat saw it.
//!
//! At the first stop that looks different from what the seat saw, hidden values are repaired: misplaced
//! things are exchanged, or a value is drawn again, and a change that makes the match worse is taken back
//! (min-conflicts: S. Minton and others, 1992).

use std::ops::ControlFlow;

use super::steps::{Made, Steps, Stop, Wanted};
use crate::engine::Engine;
use crate::eval::{Fault, Machine, Position, elements, exchanged, pairs_within, with_one_for_another};
use crate::ir::{ChanceKind, Sight, Value};
use crate::num::Rng;
use crate::play::{KnownEntry, Seen, perceive_if_settled, try_apply};

/// The seed of the searches, which no match is likely to have: it would give them the real draws.
const SEED: u64 = 0x776f_726c_6473;
/// How many times the search for a world starts over at one choice or draw before it fails.
const MAX_RESTARTS: usize = 8;
/// How many repairs are tried before starting over.
const MAX_REPAIRS: usize = 800;
/// The most legal choices of one move that are listed to draw from, if sampling rarely gives that move.
const MAX_LISTED: usize = 1_000;

/// What was chosen or drawn at each place of a match; `None` is to be drawn again.
type Replay = Vec<Option<Vec<Value>>>;

/// The search for a world that agrees with what a seat has seen, kept from one choice of a match to the next. It depends only on
/// what the seat has seen: each choice and draw is added to the world in its turn, and the world is repaired until it fits.
#[derive(Debug, Clone)]
pub(super) struct WorldSearch<S> {
    drawn: SampledMatch<S>,
    rng: Rng,
    failed: bool,
}

/// Repairs matches so that they agree with what a seat has seen.
struct Repairer<'r, 's, E: Engine + 's> {
    engine: &'s E,
    seen: &'s Seen,
    steps: &'r mut Steps<'s, E>,
    /// The indices in the history of choices and draws that the seat does not know.
    hidden: Vec<usize>,
}

/// The rest of a match that was drawn, and the first place at which it looks wrong.
struct Extension<S> {
    stops: Vec<Stop<S>>,
    made: Vec<Made>,
    gap: Option<Mismatch>,
}

/// The first place at which a world looks different from what the seat saw.
struct Mismatch {
    /// After how many choices and draws it is.
    at: usize,
    /// The number of differences there; very large if the match could not go on.
    differences: usize,
    /// Pairs of a misplaced thing and the one expected there; no thing is in two pairs.
    misplaced: Vec<(Value, Value)>,
}

impl Mismatch {
    /// Returns a sort key that grows with how far the world is right.
    fn progress(gap: Option<&Mismatch>) -> (usize, isize) {
        gap.map_or((usize::MAX, 0), |gap| (gap.at, -(gap.differences as isize)))
    }

    /// Compares a position after the first `at` choices and draws with what the seat saw there; `None` if it looks the same.
    fn of(seen: &Seen, position: &Position, at: usize) -> Result<Option<Mismatch>, Fault> {
        let (here, wanted) = (perceive_if_settled(&seen.machine, seen.seat, position)?, &seen.perceived[at]);
        if here == *wanted {
            return Ok(None);
        }
        let (mut differences, mut pairs) = (1, Vec::new());
        if let (Some(here), Some(wanted)) = (&here, wanted) {
            for (one, other) in here.cells.iter().zip(&wanted.cells) {
                if let (Some(one), Some(other)) = (one, other) {
                    pairs.extend(pairs_within(one, other));
                }
            }
            differences += pairs.len();
        }
        let mut misplaced: Vec<(Value, Value)> = Vec::new();
        for (x, y) in pairs {
            let used = |thing: &Value| misplaced.iter().any(|(x, y)| x == thing || y == thing);
            if !used(&x) && !used(&y) {
                misplaced.push((x, y));
            }
        }
        Ok(Some(Mismatch { at, differences, misplaced }))
    }
}

/// A match, or the beginning of one, that was drawn.
#[derive(Debug, Clone)]
pub(super) struct SampledMatch<S> {
    /// How many choices and draws the seat knows without a gap; those stored here come after them.
    pub known: usize,
    /// The stop before each of these choices and draws, and the last stop.
    pub stops: Vec<Stop<S>>,
    /// What was chosen or drawn.
    pub made: Vec<Made>,
}

impl<S: Clone> WorldSearch<S> {
    /// Begins where the seat still knows everything; `number` tells apart searches for different worlds.
    pub fn new(seen: &Seen, number: u64) -> WorldSearch<S> {
        WorldSearch { drawn: SampledMatch::at_trunk(seen), rng: Rng::nth(SEED, number), failed: false }
    }

    /// Follows the match to what the seat has seen by now.
    pub fn follow<'s, E: Engine<State = S>>(
        &mut self,
        engine: &'s E,
        seen: &'s Seen,
        steps: &mut Steps<'s, E>,
    ) {
        if self.failed {
            return;
        }
        let mut repairer = Repairer { engine, seen, steps, hidden: hidden_entries(seen) };
        for at in self.drawn.known + self.drawn.made.len()..seen.history.len() {
            self.failed = !self.reach(&mut repairer, at + 1);
            if self.failed {
                return;
            }
            let stop = at - self.drawn.known;
            repairer.steps.learn(&self.drawn.stops[stop], &self.drawn.stops[stop + 1], at);
        }
    }

    /// Returns the world that looks as the seat saw it; `None` if none was found.
    pub fn world(&self, seen: &Seen) -> Option<&SampledMatch<S>> {
        let all = self.drawn.known + self.drawn.made.len() == seen.history.len();
        (all && !self.failed).then_some(&self.drawn)
    }

    /// Extends the world to the first `target` choices and draws; returns whether it fits.
    fn reach<E: Engine<State = S>>(&mut self, repairer: &mut Repairer<E>, target: usize) -> bool {
        for _ in 0..MAX_RESTARTS {
            // A match in which the rules fault is not a possible world.
            if matches!(repairer.reach(&mut self.drawn, target, &mut self.rng), Ok(true)) {
                return true;
            }
            self.drawn = SampledMatch::at_trunk(repairer.seen);
        }
        false
    }
}

impl<E: Engine> Repairer<'_, '_, E> {
    fn reach(
        &mut self,
        drawn: &mut SampledMatch<E::State>,
        target: usize,
        rng: &mut Rng,
    ) -> Result<bool, Fault> {
        let from = drawn.made.len();
        let then = self.extend(drawn, from, target, &[], rng)?;
        let mut gap = drawn.replace(from, then);
        for _ in 0..MAX_REPAIRS {
            let Some(best_gap) = &gap else { break };
            let before = self.hidden.partition_point(|at| *at < drawn.known + drawn.made.len());
            if before == 0 {
                return Ok(false);
            }
            let proposed = self.propose_repair(drawn, &self.hidden[..before], best_gap, rng);
            let Some(from) = drawn.first_change(&proposed) else { continue };
            let other = self.extend(drawn, from, target, &proposed, rng)?;
            if Mismatch::progress(other.gap.as_ref()) >= Mismatch::progress(Some(best_gap)) {
                gap = drawn.replace(from, other);
            }
        }
        Ok(gap.is_none())
    }

    /// Plays along the first `target` entries of the history from the stop with index `from` on. Values that the seat does not know
    /// are taken from `replay`, or else drawn at random. Goes no further than the first gap.
    fn extend(
        &mut self,
        drawn: &SampledMatch<E::State>,
        from: usize,
        target: usize,
        replay: &[Option<Vec<Value>>],
        rng: &mut Rng,
    ) -> Result<Extension<E::State>, Fault> {
        let mut then = Extension { stops: Vec::new(), made: Vec::new(), gap: None };
        let seen = self.seen;
        for at in drawn.known + from..target {
            let before = then.stops.last().unwrap_or(&drawn.stops[from]);
            let (happened, replay) = (&seen.history[at], replay.get(at).and_then(Option::as_deref));
            if happened.seat.is_some() && self.steps.are_by_engine(at) {
                let values = happened.values.as_deref().or(replay);
                let wanted = values.map_or(Wanted::Random, Wanted::Values);
                if let Some((stop, made)) = self.steps.play(before, at, &wanted, rng)? {
                    then.stops.push(stop);
                    then.made.push(made);
                    continue;
                }
            }
            // The reference tells what is wrong.
            let before = before.position(self.engine);
            let how = Next { replay, strict: false };
            let Some((position, values)) = next(seen, before, happened, how, rng)? else {
                then.gap = Some(Mismatch { at: at + 1, differences: usize::MAX / 2, misplaced: Vec::new() });
                break;
            };
            let ways = ways_to_happen(seen, before, happened, &values)?;
            then.gap = Mismatch::of(seen, &position, at + 1)?;
            then.stops.push(Stop::at(position));
            then.made.push(Made::of(values, ways));
            if then.gap.is_some() {
                break;
            }
        }
        Ok(then)
    }

    /// Returns values that might close a gap on replay. `before` holds the hidden indices ahead of it.
    fn propose_repair(
        &self,
        drawn: &SampledMatch<E::State>,
        before: &[usize],
        gap: &Mismatch,
        rng: &mut Rng,
    ) -> Replay {
        let mut replay = drawn.replay();
        let (first, last) = (before[0], before[before.len() - 1]);
        let some = before[pick(before.len(), rng)];
        let exchange = |replay: &mut [Option<Vec<Value>>], things: &[(Value, Value)]| {
            replay.iter_mut().flatten().flatten().for_each(|value| *value = exchanged(value, things));
        };
        match pick(if gap.misplaced.is_empty() { 4 } else { 9 }, rng) {
            0 => replay[last] = None,
            1 => replay[some] = None,
            2 | 3 => {
                let things = before.iter().filter_map(|at| replay[*at].as_ref()).flatten().flat_map(parts);
                let things: Vec<Value> = things.collect();
                if !things.is_empty() {
                    // What was not dealt may stand in the place of what was.
                    let left = undealt(&self.seen.machine, drawn.position(self.engine));
                    // Whatever was chosen in the open must have been available, mostly to the seat that chose it.
                    let happened = self.seen.history.get(gap.at - 1);
                    let wanted: Vec<Value> = happened.map(chosen_things).unwrap_or_default();
                    let is_known = |thing: &&Value| things.contains(thing) || left.contains(thing);
                    let wanted: Vec<&Value> = wanted.iter().filter(is_known).collect();
                    let held = happened.and_then(|happened| happened.seat);
                    let held =
                        held.map(|seat| held_by(&self.seen.machine, drawn.position(self.engine), seat));
                    let held: Vec<&Value> =
                        held.iter().flatten().filter(|thing| things.contains(thing)).collect();
                    let one = match pick(2, rng) {
                        0 if !wanted.is_empty() => wanted[pick(wanted.len(), rng)].clone(),
                        _ if !left.is_empty() && pick(2, rng) == 0 => left[pick(left.len(), rng)].clone(),
                        _ => things[pick(things.len(), rng)].clone(),
                    };
                    let other = match pick(4, rng) {
                        0 => things[pick(things.len(), rng)].clone(),
                        _ if held.is_empty() => things[pick(things.len(), rng)].clone(),
                        _ => held[pick(held.len(), rng)].clone(),
                    };
                    let seat = happened.and_then(|happened| happened.seat);
                    let trades = pick(4, rng) > 0;
                    let mut trade = |seat| self.trade(&mut replay, drawn, before, (seat, &other, &one), rng);
                    if !(trades && seat.is_some_and(&mut trade)) {
                        match pick(4, rng) {
                            0 => self.put_one(&mut replay, some, (&one, &other), drawn, rng),
                            _ => exchange(&mut replay[first..], &[(one, other)]),
                        }
                    }
                }
            }
            4 => exchange(&mut replay[last..], &gap.misplaced),
            5 => exchange(&mut replay[first..], &gap.misplaced[pick(gap.misplaced.len(), rng)..][..1]),
            6 => exchange(&mut replay[first..], &gap.misplaced),
            one => {
                let from = if one == 7 { last } else { some };
                let (here, wanted) = &gap.misplaced[pick(gap.misplaced.len(), rng)];
                self.put_one(&mut replay, from, (here, wanted), drawn, rng);
            }
        }
        replay
    }

    /// Lets a seat have a thing that it wants instead of one that it was dealt and still holds; where another seat holds what it
    /// wants, that seat gets the other thing. So nothing is taken that was needed before. Returns `false` if it is not to be had.
    fn trade(
        &self,
        replay: &mut Replay,
        drawn: &SampledMatch<E::State>,
        before: &[usize],
        (seat, given, wanted): (usize, &Value, &Value),
        rng: &mut Rng,
    ) -> bool {
        let machine = &self.seen.machine;
        let holds = |position: &Position, seat: usize, thing: &Value| {
            held_by(machine, position, seat).iter().filter(|held| *held == thing).count()
        };
        let dealt = |at: usize, seat: usize, thing: &Value| {
            let holds = |at: usize| holds(drawn.stops[at - drawn.known].position(self.engine), seat, thing);
            self.deals(drawn, at) && holds(at + 1) > holds(at)
        };
        let here: Vec<usize> = before.iter().copied().filter(|at| dealt(*at, seat, given)).collect();
        let undealt = undealt(machine, drawn.position(self.engine)).contains(wanted);
        let others = (0..machine.setup.players).filter(|other| *other != seat);
        let others: Vec<usize> =
            others.filter(|other| holds(drawn.position(self.engine), *other, wanted) > 0).collect();
        let there = before.iter().filter(|at| others.iter().any(|other| dealt(**at, *other, wanted)));
        let there: Vec<Option<usize>> =
            undealt.then_some(None).into_iter().chain(there.map(|at| Some(*at))).collect();
        if here.is_empty() || there.is_empty() || given == wanted {
            return false;
        }
        let here = here[pick(here.len(), rng)];
        put_for(replay[here].as_deref_mut().unwrap_or_default(), given, wanted);
        if let Some(there) = there[pick(there.len(), rng)] {
            put_for(replay[there].as_deref_mut().unwrap_or_default(), wanted, given);
        }
        true
    }

    /// Whether chance deals or draws from a pile at a place of the history.
    fn deals(&self, drawn: &SampledMatch<E::State>, at: usize) -> bool {
        if self.seen.history[at].seat.is_some() {
            return false;
        }
        let chance = self.seen.machine.chance(drawn.stops[at - drawn.known].position(self.engine));
        chance.is_some_and(|chance| matches!(chance.kind, ChanceKind::Deal(..) | ChanceKind::Draw(..)))
    }

    /// Puts one thing where another is in what was chosen or drawn at a place of the history. Where a list was shuffled,
    /// one of each changes places; elsewhere the other thing is taken instead.
    fn put_one(
        &self,
        replay: &mut Replay,
        at: usize,
        (here, wanted): (&Value, &Value),
        drawn: &SampledMatch<E::State>,
        rng: &mut Rng,
    ) {
        let before = drawn.stops[at - drawn.known].position(self.engine);
        let chance = self.seen.machine.chance(before).map(|chance| &chance.kind);
        let shuffled = matches!(chance, Some(ChanceKind::Shuffle(_)));
        for value in replay[at].iter_mut().flatten() {
            *value = match &*value {
                Value::List(items) if shuffled => {
                    let places = |thing: &Value| -> Vec<usize> {
                        (0..items.len()).filter(|at| items[*at] == *thing).collect()
                    };
                    let (from, to) = (places(here), places(wanted));
                    let mut items = items.to_vec();
                    if !from.is_empty() && !to.is_empty() {
                        items.swap(from[pick(from.len(), rng)], to[pick(to.len(), rng)]);
                    }
                    Value::list(items)
                }
                value => with_one_for_another(value, here, wanted),
            };
        }
    }
}

/// Puts one thing in the place of another in what was chosen or drawn at a place of the history.
fn put_for(values: &mut [Value], thing: &Value, other: &Value) {
    for value in values {
        *value = with_one_for_another(value, thing, other);
    }
}

/// Returns the indices in the history of choices and draws that the seat does not know.
pub(super) fn hidden_entries(seen: &Seen) -> Vec<usize> {
    (seen.known..seen.history.len()).filter(|at| seen.history[*at].values.is_none()).collect()
}

/// Returns a random number in 0..1.
pub(super) fn random_unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

pub(super) fn pick(n: usize, rng: &mut Rng) -> usize {
    rng.below_u64(n as u64) as usize
}

/// Returns what a choice names: its arguments, and the tuples of arguments that stand side by side.
fn chosen_things(happened: &KnownEntry) -> Vec<Value> {
    let args = happened.values.as_deref().unwrap_or_default();
    let tuples = (2..=args.len()).flat_map(|size| args.windows(size).map(|part| Value::list(part.to_vec())));
    args.iter().cloned().chain(tuples).collect()
}

/// Returns the elements of what a seat has in a position.
fn held_by(machine: &Machine, position: &Position, seat: usize) -> Vec<Value> {
    let own = machine.game.state.iter().zip(&machine.setup.bases).filter(|(state, _)| state.per_player);
    own.flat_map(|(_, base)| parts(&position.cells[base + seat])).collect()
}

/// Returns the elements of what lies on the table unseen by all in a position.
pub(super) fn undealt(machine: &Machine, position: &Position) -> Vec<Value> {
    let piles = machine.game.state.iter().zip(&machine.setup.bases);
    let piles = piles.filter(|(state, _)| !state.per_player && state.sight == Sight::Nobody);
    let piles = piles.filter(|(state, _)| state.form.ty().is_collection());
    piles.flat_map(|(_, base)| parts(&position.cells[*base])).collect()
}

/// Returns the elements of a collection, or the value itself if it is not one.
pub(super) fn parts(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => elements(value),
        value => vec![value.clone()],
    }
}

impl<S> SampledMatch<S> {
    /// Returns the beginning of a match, as far as the seat knows everything.
    fn at_trunk(seen: &Seen) -> SampledMatch<S> {
        SampledMatch { known: seen.known, stops: vec![Stop::at(seen.trunk.clone())], made: Vec::new() }
    }

    /// Returns the last position.
    fn position<E: Engine<State = S>>(&self, engine: &E) -> &Position {
        self.stops[self.stops.len() - 1].position(engine)
    }

    /// Returns what was chosen and drawn, by index in the history.
    fn replay(&self) -> Replay {
        let mut replay: Replay = vec![None; self.known];
        replay.extend(self.made.iter().map(|made| Some(made.values.clone())));
        replay
    }

    /// Returns the index of the stop before the first choice or draw that `replay` would change.
    fn first_change(&self, replay: &Replay) -> Option<usize> {
        let differs = |(replay, made): (&Option<Vec<Value>>, &Made)| replay.as_ref() != Some(&made.values);
        replay[self.known..].iter().zip(&self.made).position(differs)
    }

    /// Replaces what comes after the stop with index `from`, and returns the gap there.
    fn replace(&mut self, from: usize, mut then: Extension<S>) -> Option<Mismatch> {
        self.stops.truncate(from + 1);
        self.made.truncate(from);
        self.stops.append(&mut then.stops);
        self.made.append(&mut then.made);
        then.gap
    }
}

/// Returns one in how many times chance draws what was drawn, whether the seat knows it or not: what it has seen drawn from a pile
/// tells it what may be left there. Of a choice that the seat does not know, returns the number of legal ones; 1 if it knows
/// the choice or there are infinitely many.
pub(super) fn ways_to_happen(
    seen: &Seen,
    before: &Position,
    happened: &KnownEntry,
    values: &[Value],
) -> Result<f64, Fault> {
    let machine = &seen.machine;
    let seat = match (happened.seat, values.first()) {
        (None, Some(value)) => return machine.ways_to_draw(before, value),
        (Some(seat), _) if happened.values.is_none() => seat,
        _ => return Ok(1.0),
    };
    let Some(choice) = machine.choice(before) else { return Ok(1.0) };
    let count = machine.ask(before, |env| env.count_legal(choice, seat, false))?;
    Ok(count.and_then(|count| count.as_i64()).map_or(1.0, |count| count as f64))
}

/// How a choice or draw of the history is made.
pub(super) struct Next<'n> {
    /// The values to use if the seat does not know them; `None` to draw them at random.
    pub replay: Option<&'n [Value]>,
    /// Whether to draw nothing if these values are impossible.
    pub strict: bool,
}

/// Returns the position after a choice or draw of the history, and what was chosen or drawn; `None` if it is impossible.
pub(super) fn next(
    seen: &Seen,
    before: &Position,
    happened: &KnownEntry,
    Next { replay, strict }: Next,
    rng: &mut Rng,
) -> Result<Option<(Position, Vec<Value>)>, Fault> {
    let machine = &seen.machine;
    if let Some(values) = happened.values.as_deref().or(replay) {
        let mut position = before.clone();
        if try_apply(machine, &mut position, happened.seat, &happened.name, values)? {
            return Ok(Some((position, values.to_vec())));
        }
        if happened.values.is_some() || strict {
            return Ok(None);
        }
    }
    let values = match happened.seat {
        None if machine.chance(before).is_none() => return Ok(None),
        None => vec![machine.draw_chance(before, &mut |n| rng.below(n))?],
        Some(seat) => match choose(seen, before, happened, seat, rng)? {
            Some(values) => values,
            None => return Ok(None),
        },
    };
    let mut position = before.clone();
    let done = try_apply(machine, &mut position, happened.seat, &happened.name, &values)?;
    Ok(done.then_some((position, values)))
}

/// Draws the arguments of a legal choice of the move with this name, uniformly.
fn choose(
    seen: &Seen,
    before: &Position,
    happened: &KnownEntry,
    seat: usize,
    rng: &mut Rng,
) -> Result<Option<Vec<Value>>, Fault> {
    let machine = &seen.machine;
    let Some(choice) = machine.choice(before) else { return Ok(None) };
    let named = |mv: usize| machine.game.moves[mv].name == happened.name;
    for _ in 0..8 {
        let drawn = machine.ask(before, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)))?;
        match drawn {
            Some(chosen) if named(chosen.mv) => return Ok(Some(chosen.args)),
            Some(_) => {}
            None => return Ok(None),
        }
    }
    // Other moves are far more often drawn, so this move's choices are listed instead.
    let mut rows = Vec::new();
    machine.ask(before, |env| {
        env.each_legal(choice, seat, false, &mut |chosen| {
            if named(chosen.mv) {
                rows.push(chosen.args);
            }
            if rows.len() < MAX_LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    })?;
    if rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(rows.swap_remove(pick(rows.len(), rng))))
}
