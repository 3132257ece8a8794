//! Finds worlds that are too many to list: a match is drawn at random and repaired until it looks the way the
//! seat saw it; further worlds are found by small random changes.
//!
//! At the first stop that looks different from what the seat saw, hidden values are repaired: misplaced
//! things are exchanged, or a value is drawn again, and a change that makes the match worse is taken back
//! (min-conflicts: S. Minton and others, 1992). Changes to a complete world are accepted with the probability
//! that makes each world as likely as the rules do (N. Metropolis and others, 1953).

use std::ops::ControlFlow;

use crate::eval::{Fault, Machine, Position, elements, exchanged, pairs_within, with_one_for_another};
use crate::ir::{ChanceKind, Sight, Value};
use crate::num::Rng;
use crate::play::{KnownEntry, Seen, perceive_if_settled, try_apply};

/// How many times the search for a world starts over before it fails.
const MAX_RESTARTS: usize = 8;
/// How many repairs are tried before starting over.
const MAX_REPAIRS: usize = 800;
/// The most legal choices of one move that are listed to draw from, if sampling rarely gives that move.
const MAX_LISTED: usize = 1_000;

/// What was chosen or drawn at each place of a match; `None` is to be drawn again.
type Replay = Vec<Option<Vec<Value>>>;

/// Builds matches that agree with what a seat has seen.
pub(super) struct WorldSampler<'s> {
    seen: &'s Seen,
    /// The indices in the history of choices and draws that the seat does not know.
    hidden: Vec<usize>,
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
}

/// A match, or the beginning of one, that was drawn.
#[derive(Clone)]
pub(super) struct SampledMatch {
    /// How many choices and draws the seat knows without a gap; those stored here come after them.
    known: usize,
    /// The position before each of these choices and draws, and the last position.
    positions: Vec<Position>,
    /// What was chosen or drawn.
    pub values: Vec<Vec<Value>>,
    /// The number of legal choices at each choice that the seat does not know; 1 for the others.
    choice_counts: Vec<f64>,
}

impl WorldSampler<'_> {
    /// Prepares to build worlds from what a seat knows.
    pub fn new(seen: &Seen) -> WorldSampler<'_> {
        let hidden = (seen.known..seen.history.len()).filter(|at| seen.history[*at].values.is_none());
        WorldSampler { seen, hidden: hidden.collect() }
    }

    /// Finds a world; `None` if none was found.
    pub fn find(&self, rng: &mut Rng) -> Option<SampledMatch> {
        (0..MAX_RESTARTS).find_map(|_| self.try_repair(rng).ok().flatten())
    }

    fn try_repair(&self, rng: &mut Rng) -> Result<Option<SampledMatch>, Fault> {
        let mut drawn = SampledMatch {
            known: self.seen.known,
            positions: vec![self.seen.trunk.clone()],
            values: Vec::new(),
            choice_counts: Vec::new(),
        };
        let mut best_gap = drawn.extend(self.seen, &[], false, rng)?;
        for _ in 0..MAX_REPAIRS {
            let Some(gap) = &best_gap else { break };
            let before = self.hidden.partition_point(|at| *at < drawn.known + drawn.values.len());
            if before == 0 {
                return Ok(None);
            }
            let proposed = self.propose_repair(&drawn, &self.hidden[..before], gap, rng);
            let Some(from) = drawn.first_change(&proposed) else { continue };
            let mut other = drawn.truncated(from);
            let other_gap = other.extend(self.seen, &proposed, false, rng)?;
            if Mismatch::progress(other_gap.as_ref()) >= Mismatch::progress(best_gap.as_ref()) {
                (drawn, best_gap) = (other, other_gap);
            }
        }
        Ok(best_gap.is_none().then_some(drawn))
    }

    /// Returns values that might close a gap on replay. `before` holds the hidden indices ahead of it.
    fn propose_repair(
        &self,
        drawn: &SampledMatch,
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
                    let left = undealt(&self.seen.machine, drawn.position());
                    // Whatever was chosen in the open must have been available, mostly to the seat that chose it.
                    let happened = self.seen.history.get(gap.at - 1);
                    let wanted: Vec<Value> = happened.map(chosen_things).unwrap_or_default();
                    let is_known = |thing: &&Value| things.contains(thing) || left.contains(thing);
                    let wanted: Vec<&Value> = wanted.iter().filter(is_known).collect();
                    let held = happened.and_then(|happened| happened.seat);
                    let held = held.map(|seat| held_by(&self.seen.machine, drawn.position(), seat));
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
        drawn: &SampledMatch,
        before: &[usize],
        (seat, given, wanted): (usize, &Value, &Value),
        rng: &mut Rng,
    ) -> bool {
        let machine = &self.seen.machine;
        let holds = |position: &Position, seat: usize, thing: &Value| {
            held_by(machine, position, seat).iter().filter(|held| *held == thing).count()
        };
        let dealt = |at: usize, seat: usize, thing: &Value| {
            let [earlier, later] = [at, at + 1].map(|at| &drawn.positions[at - drawn.known]);
            self.deals(drawn, at) && holds(later, seat, thing) > holds(earlier, seat, thing)
        };
        let here: Vec<usize> = before.iter().copied().filter(|at| dealt(*at, seat, given)).collect();
        let undealt = undealt(machine, drawn.position()).contains(wanted);
        let others = (0..machine.setup.players).filter(|other| *other != seat);
        let others: Vec<usize> = others.filter(|other| holds(drawn.position(), *other, wanted) > 0).collect();
        let there = before.iter().filter(|at| others.iter().any(|other| dealt(**at, *other, wanted)));
        let there: Vec<Option<usize>> =
            undealt.then_some(None).into_iter().chain(there.map(|at| Some(*at))).collect();
        if here.is_empty() || there.is_empty() || given == wanted {
            return false;
        }
        let here = here[pick(here.len(), rng)];
        put_for(replay, here, given, wanted);
        if let Some(there) = there[pick(there.len(), rng)] {
            put_for(replay, there, wanted, given);
        }
        true
    }

    /// Whether chance deals or draws from a pile at a place of the history.
    fn deals(&self, drawn: &SampledMatch, at: usize) -> bool {
        let chance = self.seen.machine.chance(&drawn.positions[at - drawn.known]);
        chance.is_some_and(|chance| matches!(chance.kind, ChanceKind::Deal(..) | ChanceKind::Draw(..)))
    }

    /// Puts one thing where another is in what was chosen or drawn at a place of the history. Where a list was shuffled,
    /// one of each changes places; elsewhere the other thing is taken instead.
    fn put_one(
        &self,
        replay: &mut Replay,
        at: usize,
        (here, wanted): (&Value, &Value),
        drawn: &SampledMatch,
        rng: &mut Rng,
    ) {
        let before = &drawn.positions[at - drawn.known];
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

    /// Tries a small change to a world, which is made only if it still looks the way the seat saw it.
    pub fn change(&self, drawn: &mut SampledMatch, rng: &mut Rng) {
        if let Ok(Some(other)) = self.perturbed(drawn, rng) {
            *drawn = other;
        }
    }

    fn perturbed(&self, drawn: &SampledMatch, rng: &mut Rng) -> Result<Option<SampledMatch>, Fault> {
        let mut replay = drawn.replay();
        let at = self.hidden[pick(self.hidden.len(), rng)];
        let values = &drawn.values[at - drawn.known];
        let anew = match values.first() {
            // Usually exchanges one of the things that were dealt for another, dealt elsewhere or not at all. All are told apart, so
            // this leads back as often as it leads there.
            Some(value) if self.deals(drawn, at) && pick(4, rng) > 0 => {
                let dealt = parts(value);
                let elsewhere =
                    self.hidden.iter().filter(|other| **other != at && self.deals(drawn, **other));
                let dealt_elsewhere = elsewhere.flat_map(|other| {
                    let values = &drawn.values[*other - drawn.known];
                    values.iter().flat_map(parts).map(|thing| (Some(*other), thing))
                });
                let left = undealt(&self.seen.machine, drawn.position());
                let others: Vec<(Option<usize>, Value)> =
                    dealt_elsewhere.chain(left.into_iter().map(|thing| (None, thing))).collect();
                if others.is_empty() || dealt.is_empty() {
                    return Ok(None);
                }
                let (own, (there, other)) =
                    (&dealt[pick(dealt.len(), rng)], &others[pick(others.len(), rng)]);
                put_for(&mut replay, at, own, other);
                if let Some(there) = there {
                    put_for(&mut replay, *there, other, own);
                }
                false
            }
            // Usually swaps two elements of the list (such as a shuffled deck) instead of drawing it again.
            Some(Value::List(row)) if row.len() > 1 && pick(4, rng) > 0 => {
                let mut row = row.to_vec();
                let (one, other) = (pick(row.len(), rng), pick(row.len(), rng));
                row.swap(one, other);
                if let Some(replay) = &mut replay[at] {
                    replay[0] = Value::list(row);
                }
                false
            }
            _ => {
                replay[at] = None;
                true
            }
        };
        let Some(from) = drawn.first_change(&replay) else { return Ok(None) };
        let mut other = drawn.truncated(from);
        if other.extend(self.seen, &replay, true, rng)?.is_some() {
            return Ok(None);
        }
        // The probability of the value drawn again cancels out; the other choices give the acceptance ratio.
        let since = from - drawn.known + usize::from(anew);
        let odds: f64 = drawn.choice_counts[since..]
            .iter()
            .zip(&other.choice_counts[since..])
            .map(|(now, then)| now / then)
            .product();
        Ok((random_unit(rng) < odds).then_some(other))
    }
}

/// Puts one thing in the place of another in what was chosen or drawn at a place of the history.
fn put_for(replay: &mut Replay, at: usize, thing: &Value, other: &Value) {
    for value in replay[at].iter_mut().flatten() {
        *value = with_one_for_another(value, thing, other);
    }
}

/// Returns a random number in 0..1.
pub(super) fn random_unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn pick(n: usize, rng: &mut Rng) -> usize {
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
fn undealt(machine: &Machine, position: &Position) -> Vec<Value> {
    let piles = machine.game.state.iter().zip(&machine.setup.bases);
    let piles = piles.filter(|(state, _)| !state.per_player && state.sight == Sight::Nobody);
    let piles = piles.filter(|(state, _)| state.form.ty().is_collection());
    piles.flat_map(|(_, base)| parts(&position.cells[*base])).collect()
}

/// Returns the elements of a collection, or the value itself if it is not one.
fn parts(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => elements(value),
        value => vec![value.clone()],
    }
}

impl SampledMatch {
    /// Returns the last position.
    pub fn position(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    /// Returns what was chosen and drawn, by index in the history.
    fn replay(&self) -> Replay {
        let mut replay: Replay = vec![None; self.known];
        replay.extend(self.values.iter().cloned().map(Some));
        replay
    }

    /// Returns the index of the first choice or draw that `replay` would change.
    fn first_change(&self, replay: &Replay) -> Option<usize> {
        let differs = |(replay, made): (&Option<Vec<Value>>, &Vec<Value>)| replay.as_ref() != Some(made);
        replay[self.known..].iter().zip(&self.values).position(differs).map(|at| at + self.known)
    }

    /// Returns the same match up to choice or draw number `at`, without it.
    fn truncated(&self, at: usize) -> SampledMatch {
        let made = at - self.known;
        SampledMatch {
            known: self.known,
            positions: self.positions[..=made].to_vec(),
            values: self.values[..made].to_vec(),
            choice_counts: self.choice_counts[..made].to_vec(),
        }
    }

    /// Plays on along the history. Values that the seat does not know are taken from `replay`, or else drawn at
    /// random; if `strict`, an impossible replayed value is not drawn again. Returns the first gap, if any.
    fn extend(
        &mut self,
        seen: &Seen,
        replay: &[Option<Vec<Value>>],
        strict: bool,
        rng: &mut Rng,
    ) -> Result<Option<Mismatch>, Fault> {
        for at in self.known + self.values.len()..seen.history.len() {
            let happened = &seen.history[at];
            let ways = self.count_choices(seen, happened)?;
            let replay = replay.get(at).and_then(Option::as_ref);
            let Some((position, values)) = self.next(seen, happened, replay, strict, rng)? else {
                return Ok(Some(Mismatch { at: at + 1, differences: usize::MAX / 2, misplaced: Vec::new() }));
            };
            let here = perceive_if_settled(&seen.machine, seen.seat, &position)?;
            self.positions.push(position);
            self.values.push(values);
            self.choice_counts.push(ways);
            let wanted = &seen.perceived[at + 1];
            if here == *wanted {
                continue;
            }
            let (mut wrong, mut pairs) = (1, Vec::new());
            if let (Some(here), Some(wanted)) = (&here, wanted) {
                for (one, other) in here.cells.iter().zip(&wanted.cells) {
                    if let (Some(one), Some(other)) = (one, other) {
                        pairs.extend(pairs_within(one, other));
                    }
                }
                wrong += pairs.len();
            }
            let mut things: Vec<(Value, Value)> = Vec::new();
            for (x, y) in pairs {
                let used = |thing: &Value| things.iter().any(|(x, y)| x == thing || y == thing);
                if !used(&x) && !used(&y) {
                    things.push((x, y));
                }
            }
            return Ok(Some(Mismatch { at: at + 1, differences: wrong, misplaced: things }));
        }
        Ok(None)
    }

    /// Returns the number of legal choices at a choice that the seat does not know; 1 if it knows, chance
    /// draws or there are infinitely many.
    fn count_choices(&self, seen: &Seen, happened: &KnownEntry) -> Result<f64, Fault> {
        let (None, Some(seat)) = (&happened.values, happened.seat) else { return Ok(1.0) };
        let (machine, before) = (&seen.machine, self.position());
        let Some(choice) = machine.choice(before) else { return Ok(1.0) };
        let count = machine.ask(before, |env| env.count_legal(choice, seat))?;
        Ok(count.and_then(|count| count.as_i64()).map_or(1.0, |count| count as f64))
    }

    /// Returns the next position and what was chosen or drawn; `None` if it is impossible.
    fn next(
        &self,
        seen: &Seen,
        happened: &KnownEntry,
        replay: Option<&Vec<Value>>,
        strict: bool,
        rng: &mut Rng,
    ) -> Result<Option<(Position, Vec<Value>)>, Fault> {
        let (machine, before) = (&seen.machine, self.position());
        if let Some(values) = happened.values.as_ref().or(replay) {
            let mut position = before.clone();
            if try_apply(machine, &mut position, happened.seat, &happened.name, values)? {
                return Ok(Some((position, values.clone())));
            }
            if happened.values.is_some() || strict {
                return Ok(None);
            }
        }
        let values = match happened.seat {
            None if machine.chance(before).is_none() => return Ok(None),
            None => vec![machine.draw_chance(before, &mut |n| rng.below(n))?],
            Some(seat) => match self.choose(seen, happened, seat, rng)? {
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
        &self,
        seen: &Seen,
        happened: &KnownEntry,
        seat: usize,
        rng: &mut Rng,
    ) -> Result<Option<Vec<Value>>, Fault> {
        let (machine, before) = (&seen.machine, self.position());
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
}
