//! Worlds as a seat may imagine them: matches in which it would have seen just what it has seen.
//!
//! What is hidden is drawn at random from the start on, as the rules draw it, and players whose choices are secret choose at random.
//! At the first stop that does not look as the seat saw it, what is hidden is repaired: things that are where others should be change
//! places, or something is drawn anew, and what leads no further is taken back (min-conflicts: S. Minton and others, 1992). A
//! shuffled pile stays as likely as any other that the seat may hold for true, for two cards that change places do not change the
//! odds of the rest.

use std::ops::ControlFlow;

use crate::eval::{Fault, Position, exchanged, pairs_within, with_one_for_another};
use crate::ir::Value;
use crate::num::Rng;
use crate::play::{Entry, Happened, Seen, happens, perceive_between};

/// How often a world is begun anew before none is found.
const BEGINNINGS: usize = 8;
/// How often a world is repaired before it is begun anew.
const REPAIRS: usize = 400;

/// A match as it may have been.
#[derive(Debug, Clone)]
pub struct World {
    /// The position it has come to.
    pub position: Position,
    /// Its choices and draws, in order.
    pub entries: Vec<Entry>,
}

impl Seen {
    /// A world in which the seat would have seen the same; `None` where none was found. It depends on what the seat knows and on
    /// the numbers drawn, and on nothing else.
    pub fn world(&self, rng: &mut Rng) -> Option<World> {
        (0..BEGINNINGS).find_map(|_| self.imagine(rng).ok().flatten())
    }

    fn imagine(&self, rng: &mut Rng) -> Result<Option<World>, Fault> {
        let mut drawn = Drawn { known: self.known, positions: vec![self.trunk.clone()], values: Vec::new() };
        let mut parted = drawn.go_on(self, &[], rng)?;
        let hidden: Vec<usize> =
            (0..self.history.len()).filter(|at| self.history[*at].values.is_none()).collect();
        for _ in 0..REPAIRS {
            let Some(gap) = &parted else { return Ok(Some(drawn.world(self))) };
            let before: Vec<usize> = hidden.iter().copied().filter(|at| *at < gap.at).collect();
            let (Some(first), Some(last)) = (before.first(), before.last()) else { return Ok(None) };
            let pick = |n: usize, rng: &mut Rng| rng.below_u64(n as u64) as usize;
            // What is kept of what was drawn; `None` is drawn anew.
            let mut kept: Vec<Option<Vec<Value>>> = vec![None; self.known];
            kept.extend(drawn.values.iter().cloned().map(Some));
            let some = before[pick(before.len(), rng)];
            let exchange = |kept: &mut [Option<Vec<Value>>], things: &[(Value, Value)]| {
                kept.iter_mut().flatten().flatten().for_each(|value| *value = exchanged(value, things));
            };
            let from = match pick(if gap.things.is_empty() { 2 } else { 7 }, rng) {
                anew @ 0..2 => {
                    let from = if anew == 0 { *last } else { some };
                    kept[from] = None;
                    from
                }
                2 => {
                    exchange(&mut kept[*last..], &gap.things);
                    *last
                }
                3 => {
                    exchange(&mut kept[*first..], &gap.things[pick(gap.things.len(), rng)..][..1]);
                    *first
                }
                4 => {
                    exchange(&mut kept[*first..], &gap.things);
                    *first
                }
                one => {
                    let from = if one == 5 { *last } else { some };
                    let (here, wanted) = &gap.things[pick(gap.things.len(), rng)];
                    kept[from].iter_mut().flatten().for_each(|value| {
                        *value = with_one_for_another(value, here, wanted);
                    });
                    from
                }
            };
            let mut other = drawn.up_to(from);
            let came = other.go_on(self, &kept, rng)?;
            let reached = |gap: &Option<Gap>| gap.as_ref().map_or((usize::MAX, 0), Gap::reached);
            if reached(&came) >= reached(&parted) {
                (drawn, parted) = (other, came);
            }
        }
        Ok(parted.is_none().then(|| drawn.world(self)))
    }
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
    fn reached(&self) -> (usize, isize) {
        (self.at, -(self.wrong as isize))
    }
}

/// A match up to some point.
struct Drawn {
    /// How many choices and draws come before those that stand here: all that the seat knows without a gap.
    known: usize,
    /// The position before each choice and draw behind those, and the last.
    positions: Vec<Position>,
    /// What was chosen and drawn.
    values: Vec<Vec<Value>>,
}

impl Drawn {
    /// The same match before choice or draw number `at`.
    fn up_to(&self, at: usize) -> Drawn {
        let made = at - self.known;
        Drawn {
            known: self.known,
            positions: self.positions[..=made].to_vec(),
            values: self.values[..made].to_vec(),
        }
    }

    /// Goes on as the seat knows it; what it does not know is as `kept`, or else drawn at random. Where the world first looks
    /// otherwise.
    fn go_on(
        &mut self,
        seen: &Seen,
        kept: &[Option<Vec<Value>>],
        rng: &mut Rng,
    ) -> Result<Option<Gap>, Fault> {
        for at in self.known + self.values.len()..seen.history.len() {
            let happened = &seen.history[at];
            let Some((position, values)) = self.next(seen, happened, kept.get(at), rng)? else {
                return Ok(Some(Gap { at, wrong: usize::MAX / 2, things: Vec::new() }));
            };
            let here = perceive_between(&seen.machine, seen.seat, &position)?;
            self.positions.push(position);
            self.values.push(values);
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

    /// The next position, and what was chosen or drawn; `None` where that cannot be.
    fn next(
        &self,
        seen: &Seen,
        happened: &Happened,
        kept: Option<&Option<Vec<Value>>>,
        rng: &mut Rng,
    ) -> Result<Option<(Position, Vec<Value>)>, Fault> {
        let machine = &seen.machine;
        let Some(before) = self.positions.last() else { return Ok(None) };
        let known = happened.values.as_ref().or(kept.and_then(Option::as_ref));
        if let Some(values) = known {
            let mut position = before.clone();
            if happens(machine, &mut position, happened.seat, &happened.name, values)? {
                return Ok(Some((position, values.clone())));
            }
            if happened.values.is_some() {
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
        let machine = &seen.machine;
        let Some(before) = self.positions.last() else { return Ok(None) };
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
        let at = rng.below_u64(rows.len() as u64) as usize;
        Ok(Some(rows.swap_remove(at)))
    }

    fn world(&self, seen: &Seen) -> World {
        let entry = |(happened, values): (&Happened, &Vec<Value>)| {
            let names = match happened.seat {
                None => vec!["value".to_string()],
                Some(_) => seen.argument_names(&happened.name),
            };
            Entry {
                player: happened.seat.map_or(0, |seat| seat + 1),
                name: happened.name.clone(),
                args: names.into_iter().zip(values.iter().cloned()).collect(),
            }
        };
        let known = seen.history[..self.known].iter().filter_map(|happened| happened.values.as_ref());
        World {
            position: self.positions[self.positions.len() - 1].clone(),
            entries: seen.history.iter().zip(known.chain(&self.values)).map(entry).collect(),
        }
    }
}

/// How many choices of one move are listed to draw from where others are far more often legal.
const LISTED: usize = 1_000;
