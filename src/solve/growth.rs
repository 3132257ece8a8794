//! Why positions are so many: which state keeps growing in random play, so that there is no end to them, and in which state
//! they differ.

use std::collections::{HashSet, VecDeque};

use super::{Halt, moves, position_after};
use crate::engine::{Engine, Machine, Outcomes, Stepper, Turn, Value, identity::Identity};
use crate::eval::{Fault, Position, Waiting, elements};
use crate::ir::Form;
use crate::num::{Int, Rng};

/// How many random matches are tried, and how many steps of each.
const MATCHES: u64 = 8;
const STEPS: usize = 4000;
/// The number of parts of a match in each of which what grows must reach more than in the one before.
const PARTS: usize = 4;

/// State without a declared limit, which reached more and more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    /// Its name in the rules; `None` for points that are awarded.
    pub name: Option<String>,
    /// Whether it is a collection, of which the size grows.
    pub is_collection: bool,
    /// How much it reached.
    pub reached: Int,
    /// After how many choices and draws.
    pub steps: usize,
}

/// How many positions are compared to find in which state they differ.
const COMPARED: usize = 10_000;

/// State in which positions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name in the rules; `None` for points that are awarded.
    pub name: Option<String>,
    /// How many positions there would be if it made no difference.
    pub without: usize,
}

/// Returns the number of positions among the first that come up after this one, and the state in which they differ, beginning
/// with that without which they would be the fewest.
pub fn differences<E: Engine>(engine: &E, start: &E::State) -> Result<(usize, Vec<Difference>), Halt> {
    let machine = engine.machine();
    let identity = Identity::of(machine);
    let mut positions = first_positions(engine, start, &identity)?;
    let mut differences = Vec::new();
    for id in 0..=machine.game.state.len() {
        let declared = machine.game.state.get(id);
        let first = machine.setup.bases.get(id).copied().unwrap_or(0);
        let owners = declared.map_or(0, |of| if of.per_player { machine.setup.players } else { 1 });
        let mut key_without = |position: &mut Position| {
            let cells: Vec<Value> = (first..first + owners)
                .map(|at| std::mem::replace(&mut position.cells[at], Value::Unset))
                .collect();
            let awards = if declared.is_none() { std::mem::take(&mut position.awards) } else { Vec::new() };
            let key = identity.lasting_key(position);
            position.cells.splice(first..first + owners, cells);
            if declared.is_none() {
                position.awards = awards;
            }
            key
        };
        let without: HashSet<_> = positions.iter_mut().map(&mut key_without).collect();
        differences.push(Difference { name: declared.map(|of| of.name.clone()), without: without.len() });
    }
    differences.retain(|difference| difference.without < positions.len());
    differences.sort_by_key(|difference| difference.without);
    Ok((positions.len(), differences))
}

/// Returns the first positions that come up after this one, breadth first, without those in which the match is over.
fn first_positions<E: Engine>(
    engine: &E,
    start: &E::State,
    identity: &Identity,
) -> Result<Vec<Position>, Halt> {
    let (mut stepper, mut outcomes) = (engine.stepper(), Outcomes::default());
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let mut due = VecDeque::from([start.clone()]);
    while let Some(state) = due.pop_front() {
        let position = engine.to_position(&state);
        if stepper.turn(&state) == Turn::Over || !seen.insert(identity.lasting_key(&position)) {
            continue;
        }
        found.push(position);
        if found.len() == COMPARED {
            break;
        }
        // What is due is enough.
        if found.len() + due.len() > 4 * COMPARED {
            continue;
        }
        if stepper.turn(&state) == Turn::Chance {
            for drawn in outcomes.at(engine, &state)?.iter() {
                let mut next = state.clone();
                stepper.resolve_draw(&mut next, drawn)?;
                due.push_back(next);
            }
            continue;
        }
        for chosen in moves(&mut stepper, &state)? {
            due.push_back(position_after(&mut stepper, &state, &chosen)?);
        }
    }
    Ok(found)
}

/// Returns the state that kept growing in a random match from this position that did not end, of what tells positions
/// apart. Nothing is returned where the first few matches end.
pub fn growing<E: Engine>(engine: &E, start: &E::State) -> Result<Vec<Growth>, Fault> {
    let machine = engine.machine();
    let start = engine.to_position(start);
    let identity = Identity::of(machine);
    let (mut last, mut sizes) = (start.clone(), Vec::new());
    for number in 0..MATCHES {
        last.clone_from(&start);
        sizes = followed(machine, &mut last, &mut Rng::nth(0, number))?;
        if sizes.len() == STEPS {
            break;
        }
    }
    if sizes.len() < STEPS {
        return Ok(Vec::new());
    }
    let part = sizes.len() / PARTS;
    let grown = (0..=machine.game.state.len()).filter_map(|state| {
        let most = |number: usize| sizes[number * part..][..part].iter().map(|sizes| &sizes[state]).max();
        let mosts: Vec<&Int> = (0..PARTS).filter_map(most).collect();
        let grows = mosts.windows(2).all(|two| two[0] < two[1]);
        let (declared, matters) = match machine.game.state.get(state) {
            Some(declared) => {
                let first = machine.setup.bases[state];
                let owners = if declared.per_player { machine.setup.players } else { 1 };
                (Some(declared), (first..first + owners).any(|cell| counts(&identity, &last, cell)))
            }
            None => (None, true),
        };
        (grows && matters).then(|| Growth {
            name: declared.map(|declared| declared.name.clone()),
            is_collection: declared.is_some_and(|declared| !declared.form.is_single()),
            reached: (*mosts[PARTS - 1]).clone(),
            steps: sizes.len(),
        })
    });
    Ok(grown.collect())
}

/// Whether positions that differ only in this cell are told apart.
fn counts(identity: &Identity, position: &Position, cell: usize) -> bool {
    let mut other = position.clone();
    other.cells[cell] = Value::Unset;
    identity.lasting_key(&other) != identity.lasting_key(position)
}

/// Plays a random match, and returns how large each state variable was after each step, and the points, last.
fn followed(machine: &Machine, at: &mut Position, rng: &mut Rng) -> Result<Vec<Vec<Int>>, Fault> {
    at.events = None;
    let mut sizes = Vec::new();
    while sizes.len() < STEPS {
        match &at.waiting {
            Waiting::Over | Waiting::Nothing => break,
            Waiting::Chance => {
                let value = machine.draw_chance(at, &mut |n| rng.below(n))?;
                if machine.draw(at, value)?.is_err() {
                    break;
                }
            }
            Waiting::Choice { seats, .. } => {
                let Some(seat) = seats.first().copied() else { break };
                let Some(chosen) = machine.draw_legal(at, seat, rng)? else { break };
                machine.choose(at, seat, chosen)?;
            }
        }
        sizes.push(measured(machine, at));
    }
    Ok(sizes)
}

/// Returns how large each state variable without a declared limit is, at most of all owners, and the points awarded.
fn measured(machine: &Machine, at: &Position) -> Vec<Int> {
    let size = |form: &Form, value: &Value| match (form, value) {
        (Form::Int | Form::AtLeast(_), Value::Int(n)) => n.abs(),
        (Form::List(None, _) | Form::Bag(_), value @ (Value::List(_) | Value::Bag(_))) => {
            Int::from(elements(value).len() as i64)
        }
        _ => Int::ZERO,
    };
    let states = machine.game.state.iter().enumerate().map(|(id, state)| {
        let first = machine.setup.bases[id];
        let owners = if state.per_player { machine.setup.players } else { 1 };
        let cells = &at.cells[first..first + owners];
        cells.iter().map(|value| size(&state.form, value)).max().unwrap_or(Int::ZERO)
    });
    let points = at.awards.iter().map(Int::abs).max().unwrap_or(Int::ZERO);
    states.chain([points]).collect()
}
