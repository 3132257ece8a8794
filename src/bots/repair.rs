//! Worlds where they are too many to be listed: a match is drawn at random and repaired until it looks as the seat saw it; then
//! it is changed a little again and again.
//!
//! At the first stop that does not look as the seat saw it, what is hidden is repaired: things that are where others should be
//! change places, or something is drawn anew, and what leads no further is taken back (min-conflicts: S. Minton and others,
//! 1992). Changes that keep to what was seen are made as often as makes each world as likely as the rules do (N. Metropolis and
//! others, 1953).

use std::ops::ControlFlow;

use crate::eval::{Fault, Position, elements, exchanged, pairs_within, with_one_for_another};
use crate::ir::Value;
use crate::num::Rng;
use crate::play::{Happened, Seen, happens, perceive_between};

/// How often a world is begun anew before none is found.
const BEGINNINGS: usize = 8;
/// How often a world is repaired before it is begun anew.
const REPAIRS: usize = 400;
/// How many choices of one move are listed to draw from where others are far more often legal.
const LISTED: usize = 1_000;

/// What was chosen or drawn at each place of a match; `None` is drawn anew.
type Kept = Vec<Option<Vec<Value>>>;

/// What is imagined of a match that a seat sees.
pub(super) struct Guess<'s> {
    seen: &'s Seen,
    /// Which choices and draws the seat does not know.
    hidden: Vec<usize>,
}

/// Where a world first looks otherwise than the seat saw it.
struct Gap {
    /// Behind how many choices and draws.
    at: usize,
    /// How much differs there.
    wrong: usize,
    /// What stands in the place of what; nothing stands in two pairs.
    things: Vec<(Value, Value)>,
}

impl Gap {
    /// How far the world is right: the larger, the further.
    fn reached(gap: Option<&Gap>) -> (usize, isize) {
        gap.map_or((usize::MAX, 0), |gap| (gap.at, -(gap.wrong as isize)))
    }
}

/// A match up to some point.
#[derive(Clone)]
pub(super) struct Drawn {
    /// How many choices and draws come before those that stand here: all that the seat knows without a gap.
    known: usize,
    /// The position before each choice and draw behind those, and the last.
    positions: Vec<Position>,
    /// What was chosen and drawn.
    pub values: Vec<Vec<Value>>,
    /// Among how many legal choices each was made, as far as that is not known.
    ways: Vec<f64>,
}

impl Guess<'_> {
    /// Of what a seat knows.
    pub fn new(seen: &Seen) -> Guess<'_> {
        let hidden = (seen.known..seen.history.len()).filter(|at| seen.history[*at].values.is_none());
        Guess { seen, hidden: hidden.collect() }
    }

    /// A world; `None` where none was found.
    pub fn find(&self, rng: &mut Rng) -> Option<Drawn> {
        (0..BEGINNINGS).find_map(|_| self.repaired(rng).ok().flatten())
    }

    fn repaired(&self, rng: &mut Rng) -> Result<Option<Drawn>, Fault> {
        let mut drawn = Drawn {
            known: self.seen.known,
            positions: vec![self.seen.trunk.clone()],
            values: Vec::new(),
            ways: Vec::new(),
        };
        let mut parted = drawn.go_on(self.seen, &[], false, rng)?;
        for _ in 0..REPAIRS {
            let Some(gap) = &parted else { break };
            let before = self.hidden.partition_point(|at| *at < drawn.known + drawn.values.len());
            if before == 0 {
                return Ok(None);
            }
            let kept = self.mended(&drawn, &self.hidden[..before], gap, rng);
            let Some(from) = drawn.changed(&kept) else { continue };
            let mut other = drawn.up_to(from);
            let came = other.go_on(self.seen, &kept, false, rng)?;
            if Gap::reached(came.as_ref()) >= Gap::reached(parted.as_ref()) {
                (drawn, parted) = (other, came);
            }
        }
        Ok(parted.is_none().then_some(drawn))
    }

    /// What a match is drawn again with, which might close a gap; `before` it stands what is hidden.
    fn mended(&self, drawn: &Drawn, before: &[usize], gap: &Gap, rng: &mut Rng) -> Kept {
        let mut kept = drawn.kept();
        let (first, last) = (before[0], before[before.len() - 1]);
        let some = before[pick(before.len(), rng)];
        let exchange = |kept: &mut [Option<Vec<Value>>], things: &[(Value, Value)]| {
            kept.iter_mut().flatten().flatten().for_each(|value| *value = exchanged(value, things));
        };
        match pick(if gap.things.is_empty() { 4 } else { 9 }, rng) {
            0 => kept[last] = None,
            1 => kept[some] = None,
            2 | 3 => {
                // What was chosen in the open must have been there to be chosen.
                let own = self.seen.history.get(gap.at - 1).and_then(|happened| happened.values.as_ref());
                let wanted: Vec<Value> = own.into_iter().flatten().cloned().collect();
                let things = before.iter().filter_map(|at| kept[*at].as_ref()).flatten().flat_map(parts);
                let things: Vec<Value> = things.collect();
                if !things.is_empty() {
                    let other = things[pick(things.len(), rng)].clone();
                    let one = match pick(2, rng) {
                        0 if !wanted.is_empty() => wanted[pick(wanted.len(), rng)].clone(),
                        _ => things[pick(things.len(), rng)].clone(),
                    };
                    exchange(&mut kept[first..], &[(one, other)]);
                }
            }
            4 => exchange(&mut kept[last..], &gap.things),
            5 => exchange(&mut kept[first..], &gap.things[pick(gap.things.len(), rng)..][..1]),
            6 => exchange(&mut kept[first..], &gap.things),
            one => {
                let from = if one == 7 { last } else { some };
                let (here, wanted) = &gap.things[pick(gap.things.len(), rng)];
                kept[from].iter_mut().flatten().for_each(|value| {
                    *value = with_one_for_another(value, here, wanted);
                });
            }
        }
        kept
    }

    /// Changes a world a little, where it then still looks as the seat saw it.
    pub fn change(&self, drawn: &mut Drawn, rng: &mut Rng) {
        if let Ok(Some(other)) = self.changed(drawn, rng) {
            *drawn = other;
        }
    }

    fn changed(&self, drawn: &Drawn, rng: &mut Rng) -> Result<Option<Drawn>, Fault> {
        let mut kept = drawn.kept();
        let at = self.hidden[pick(self.hidden.len(), rng)];
        let values = &drawn.values[at - drawn.known];
        let anew = match values.first() {
            // Two places of a row, or of two rows of which one is drawn here, change their contents.
            Some(Value::List(row)) if row.len() > 1 && pick(4, rng) > 0 => {
                let mut row = row.to_vec();
                let (one, other) = (pick(row.len(), rng), pick(row.len(), rng));
                row.swap(one, other);
                if let Some(kept) = &mut kept[at] {
                    kept[0] = Value::list(row);
                }
                false
            }
            _ => {
                kept[at] = None;
                true
            }
        };
        let Some(from) = drawn.changed(&kept) else { return Ok(None) };
        let mut other = drawn.up_to(from);
        if other.go_on(self.seen, &kept, true, rng)?.is_some() {
            return Ok(None);
        }
        // What is drawn anew is drawn as likely as it is; for all else the odds of both worlds are compared.
        let since = from - drawn.known + usize::from(anew);
        let odds: f64 =
            drawn.ways[since..].iter().zip(&other.ways[since..]).map(|(now, then)| now / then).product();
        Ok((unit(rng) < odds).then_some(other))
    }
}

/// A number from 0 to 1.
pub(super) fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn pick(n: usize, rng: &mut Rng) -> usize {
    rng.below_u64(n as u64) as usize
}

/// The things that a value is made of; itself, where it is no collection.
fn parts(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => elements(value),
        value => vec![value.clone()],
    }
}

impl Drawn {
    /// The position it has come to.
    pub fn position(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    /// What was chosen and drawn, by its number in the match.
    fn kept(&self) -> Kept {
        let mut kept: Kept = vec![None; self.known];
        kept.extend(self.values.iter().cloned().map(Some));
        kept
    }

    /// The first choice or draw that is to be another.
    fn changed(&self, kept: &Kept) -> Option<usize> {
        let differs = |(kept, made): (&Option<Vec<Value>>, &Vec<Value>)| kept.as_ref() != Some(made);
        kept[self.known..].iter().zip(&self.values).position(differs).map(|at| at + self.known)
    }

    /// The same match before choice or draw number `at`.
    fn up_to(&self, at: usize) -> Drawn {
        let made = at - self.known;
        Drawn {
            known: self.known,
            positions: self.positions[..=made].to_vec(),
            values: self.values[..made].to_vec(),
            ways: self.ways[..made].to_vec(),
        }
    }

    /// Goes on as the seat knows it; what it does not know is as `kept`, or else drawn at random; where this is `strict`, only
    /// what is not kept is drawn. Where the world first looks otherwise.
    fn go_on(
        &mut self,
        seen: &Seen,
        kept: &[Option<Vec<Value>>],
        strict: bool,
        rng: &mut Rng,
    ) -> Result<Option<Gap>, Fault> {
        for at in self.known + self.values.len()..seen.history.len() {
            let happened = &seen.history[at];
            let ways = self.ways_of(seen, happened)?;
            let kept = kept.get(at).and_then(Option::as_ref);
            let Some((position, values)) = self.next(seen, happened, kept, strict, rng)? else {
                return Ok(Some(Gap { at: at + 1, wrong: usize::MAX / 2, things: Vec::new() }));
            };
            let here = perceive_between(&seen.machine, seen.seat, &position)?;
            self.positions.push(position);
            self.values.push(values);
            self.ways.push(ways);
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
            return Ok(Some(Gap { at: at + 1, wrong, things }));
        }
        Ok(None)
    }

    /// Among how many legal choices one was made that the seat does not know; 1 where that is known, drawn or has no end.
    fn ways_of(&self, seen: &Seen, happened: &Happened) -> Result<f64, Fault> {
        let (None, Some(seat)) = (&happened.values, happened.seat) else { return Ok(1.0) };
        let (machine, before) = (&seen.machine, self.position());
        let Some(choice) = machine.choice(before) else { return Ok(1.0) };
        let count = machine.ask(before, |env| env.count_legal(choice, seat))?;
        Ok(count.and_then(|count| count.as_i64()).map_or(1.0, |count| count as f64))
    }

    /// The next position, and what was chosen or drawn; `None` where that cannot be.
    fn next(
        &self,
        seen: &Seen,
        happened: &Happened,
        kept: Option<&Vec<Value>>,
        strict: bool,
        rng: &mut Rng,
    ) -> Result<Option<(Position, Vec<Value>)>, Fault> {
        let (machine, before) = (&seen.machine, self.position());
        if let Some(values) = happened.values.as_ref().or(kept) {
            let mut position = before.clone();
            if happens(machine, &mut position, happened.seat, &happened.name, values)? {
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
        let done = happens(machine, &mut position, happened.seat, &happened.name, &values)?;
        Ok(done.then_some((position, values)))
    }

    /// A legal choice of a move of this name, each as likely as the others.
    fn choose(
        &self,
        seen: &Seen,
        happened: &Happened,
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
        // Others are offered far more often: the move itself is listed.
        let mut rows = Vec::new();
        machine.ask(before, |env| {
            env.each_legal(choice, seat, false, &mut |chosen| {
                if named(chosen.mv) {
                    rows.push(chosen.args);
                }
                if rows.len() < LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        })?;
        if rows.is_empty() {
            return Ok(None);
        }
        Ok(Some(rows.swap_remove(pick(rows.len(), rng))))
    }
}
