//! Two worlds that differ in one thing which somebody may not know: the same match twice, but for one secret choice or one draw
//! that is made face down.

use std::ops::ControlFlow;

use super::notice::{self, Asked, Cell, Notice};
use crate::eval::{Chosen, Dom, Fault, Machine, Position, Waiting, exchanged, pairs_within};
use crate::explore::Step;
use crate::ir::{ChanceKind, Choice, Game, Type, Value};
use crate::num::Rng;
use crate::play::{chosen, draw_is_open, move_words};

/// How many legal moves are listed to choose another one from.
const LISTED: usize = 200;
/// How often something else is looked for at random.
const TRIES: usize = 4;
/// How many rows of arguments are asked about, to see whether a choice is the same in both worlds.
const ROWS: usize = 64;

/// A match in the first world.
pub(super) struct World {
    /// The position at each stop; what happened on the way to it stands in its events.
    pub positions: Vec<Position>,
    /// The steps between them.
    pub steps: Vec<Step>,
}

/// What differs in the second world.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The number of the step that differs, from 0.
    pub at: usize,
    /// Whose choice differs, from 0; nobody's where it is a draw.
    pub seat: Option<usize>,
    /// The step as it is in the second world.
    pub step: Step,
    /// What stands in the place of what: the first world's thing, the second's.
    pub things: Vec<(Value, Value)>,
}

/// Where somebody first notices in which of two worlds the match is played.
pub(super) struct Parted {
    /// The steps of the second world, up to there; as many are played in the first.
    pub steps: Vec<Step>,
    /// The position of the second world before the last of them.
    pub before: Position,
    /// The position of the second world behind it.
    pub after: Position,
    /// What can be noticed by all; where that is nothing, a seat can choose otherwise.
    pub notices: Vec<Notice>,
    /// What a seat that is asked is told in either world and not in the other.
    pub options: Option<Options>,
    /// Who may know, from 0.
    pub knows: Vec<usize>,
}

/// What a seat can choose in one of two worlds, and what it is told in the other.
pub(super) struct Options {
    /// The seat, from 0.
    pub seat: usize,
    /// What is said in the first world.
    pub first: String,
    /// What is said in the second.
    pub second: String,
}

/// Plays a match at random, up to so many steps. What breaks the rules ends it.
pub(super) fn play(machine: &Machine, rng: &mut Rng, most: usize) -> World {
    let Some(mut world) = begun(machine) else { return World { positions: Vec::new(), steps: Vec::new() } };
    while world.steps.len() < most {
        let position = &world.positions[world.steps.len()];
        let Ok(Some(step)) = any_step(machine, position, rng) else { break };
        if !go_on(machine, &mut world, &step) {
            break;
        }
    }
    world
}

/// A match that stands at its first stop; `None` where it breaks before.
pub(super) fn begun(machine: &Machine) -> Option<World> {
    let mut position = machine.blank().ok()?;
    position.events = Some(Vec::new());
    machine.run(&mut position).ok()?;
    Some(World { positions: vec![position], steps: Vec::new() })
}

/// Takes a step; whether that was possible.
pub(super) fn go_on(machine: &Machine, world: &mut World, step: &Step) -> bool {
    let mut position = world.positions[world.steps.len()].clone();
    let Ok(Some(step)) = take(machine, &mut position, step, &[]) else { return false };
    world.steps.push(step);
    world.positions.push(position);
    true
}

/// What differs where one step stands in the first world and another in the second, as something `like` it differed; `None` where
/// nothing does.
pub(super) fn between(at: usize, first: &Step, second: Step, like: &Change) -> Option<Change> {
    if *first == second {
        return None;
    }
    let (seat, things) = match (first, &second) {
        (Step::Choice(one), Step::Choice(other)) => {
            let mut picks = one.iter().zip(other).filter(|(a, b)| a != b);
            let ((seat, a), (_, b)) = picks.next()?;
            if picks.next().is_some() {
                return None;
            }
            (Some(*seat), counterparts(a, b))
        }
        _ => (None, like.things.clone()),
    };
    Some(Change { at, seat, step: second, things })
}

/// A step that can be taken here; `None` at the end, and where nothing can be drawn.
fn any_step(machine: &Machine, position: &Position, rng: &mut Rng) -> Result<Option<Step>, Fault> {
    if let Some(chance) = machine.chance(position) {
        let value = machine.draw_chance(position, &mut |n| rng.below(n))?;
        return Ok(Some(Step::Chance(chance.name.clone(), value)));
    }
    let (Some(choice), Waiting::Choice { seats, .. }) = (machine.choice(position), &position.waiting) else {
        return Ok(None);
    };
    let mut picks = Vec::new();
    for seat in seats {
        let drawn = machine.ask(position, |env| env.draw_legal(choice, *seat, &mut |n| rng.below(n)))?;
        let Some(drawn) = drawn else { return Ok(None) };
        picks.push((*seat, drawn));
    }
    Ok(Some(Step::Choice(picks)))
}

/// Takes a step, or the nearest that nobody can tell from it: where a secret choice or a draw face down cannot be made here, the
/// same with each of the `things` and its counterpart changing places. The step that was taken; `None` where there is none.
fn take(
    machine: &Machine,
    position: &mut Position,
    step: &Step,
    things: &[(Value, Value)],
) -> Result<Option<Step>, Fault> {
    position.events = Some(Vec::new());
    match step {
        Step::Choice(picks) => {
            let mut taken = Vec::new();
            for (seat, pick) in picks {
                let mut judged = machine.judge(position, *seat, pick.mv, &pick.args)?;
                if judged.is_err() && machine.game.moves[pick.mv].secret {
                    let args: Vec<Value> = pick.args.iter().map(|arg| exchanged(arg, things)).collect();
                    judged = machine.judge(position, *seat, pick.mv, &args)?;
                }
                let Ok(judged) = judged else { return Ok(None) };
                taken.push((*seat, judged));
            }
            for (seat, pick) in &taken {
                machine.choose(position, *seat, pick.clone())?;
            }
            Ok(Some(Step::Choice(taken)))
        }
        Step::Chance(name, value) => {
            if machine.chance(position).is_none_or(|chance| chance.name != *name) {
                return Ok(None);
            }
            if machine.draw(position, value.clone())?.is_ok() {
                return Ok(Some(step.clone()));
            }
            let other = exchanged(value, things);
            if draw_is_open(&machine.game, name) || machine.draw(position, other.clone())?.is_err() {
                return Ok(None);
            }
            Ok(Some(Step::Chance(name.clone(), other)))
        }
    }
}

// ---- what may differ

/// Another way for a step to go that somebody may not know of; `None` where all may know it, or nothing else is possible.
pub(super) fn change(machine: &Machine, world: &World, at: usize, rng: &mut Rng) -> Option<Change> {
    let position = &world.positions[at];
    match &world.steps[at] {
        Step::Chance(name, value) => {
            if draw_is_open(&machine.game, name) {
                return None;
            }
            let (other, things) = other_draw(machine, position, value, rng)?;
            Some(Change { at, seat: None, step: Step::Chance(name.clone(), other), things })
        }
        Step::Choice(picks) => {
            let secret = |mv: usize| machine.game.moves[mv].secret;
            let hidden: Vec<usize> = (0..picks.len()).filter(|k| secret(picks[*k].1.mv)).collect();
            let k = *hidden.get(below(rng, hidden.len())?)?;
            let (seat, pick) = &picks[k];
            let other = another(machine, position, *seat, pick, rng, secret)?;
            let things = counterparts(pick, &other);
            let mut picks = picks.clone();
            picks[k].1 = other;
            Some(Change { at, seat: Some(*seat), step: Step::Choice(picks), things })
        }
    }
}

/// Another legal choice of a seat, of moves that fit.
pub(super) fn another(
    machine: &Machine,
    position: &Position,
    seat: usize,
    pick: &Chosen,
    rng: &mut Rng,
    fits: impl Fn(usize) -> bool,
) -> Option<Chosen> {
    let choice = machine.choice(position)?;
    let mut others = legal(machine, position, choice, seat, LISTED).ok()?;
    if others.len() >= LISTED {
        for _ in 0..TRIES {
            let drawn = machine.ask(position, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)));
            others.extend(drawn.ok()?);
        }
    }
    others.retain(|other| other != pick && fits(other.mv));
    others.get(below(rng, others.len())?).cloned()
}

/// The first legal choices of a seat.
fn legal(
    machine: &Machine,
    position: &Position,
    choice: &Choice,
    seat: usize,
    most: usize,
) -> Result<Vec<Chosen>, Fault> {
    let mut found = Vec::new();
    machine.ask(position, |env| {
        env.each_legal(choice, seat, true, &mut |row| {
            found.push(row);
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    })?;
    Ok(found)
}

/// Something else that a draw can come out as, and what is exchanged for what.
fn other_draw(
    machine: &Machine,
    position: &Position,
    value: &Value,
    rng: &mut Rng,
) -> Option<(Value, Vec<(Value, Value)>)> {
    let kind = &machine.chance(position)?.kind;
    let mut again = || {
        (0..TRIES).find_map(|_| {
            let other = machine.draw_chance(position, &mut |n| rng.below(n)).ok()?;
            (other != *value).then_some(other)
        })
    };
    match (kind, value) {
        (ChanceKind::Value(..) | ChanceKind::Draw(..), _) => {
            let other = again()?;
            let things = pairs_within(value, &other);
            Some((other, things))
        }
        // Two that change places.
        (ChanceKind::Shuffle(_), Value::List(items)) => {
            let i = below(rng, items.len())?;
            let different: Vec<usize> = (0..items.len()).filter(|j| items[*j] != items[i]).collect();
            let j = *different.get(below(rng, different.len())?)?;
            let mut items = items.to_vec();
            items.swap(i, j);
            let things = pairs_within(&items[i], &items[j]);
            Some((Value::list(items), things))
        }
        // One card for another that stayed in the pile.
        (ChanceKind::Deal(..), Value::List(dealt)) => {
            let Ok(Dom::Arrangements(_, of)) = machine.outcomes(position) else { return None };
            let Dom::Items(pile) = &*of else { return None };
            let times = |items: &[Value], thing: &Value| items.iter().filter(|item| *item == thing).count();
            let left: Vec<&Value> =
                pile.iter().filter(|card| times(pile, card) > times(dealt, card)).collect();
            let y = (*left.get(below(rng, left.len())?)?).clone();
            let given: Vec<usize> = (0..dealt.len()).filter(|at| dealt[*at] != y).collect();
            let at = *given.get(below(rng, given.len())?)?;
            let mut dealt = dealt.to_vec();
            let x = std::mem::replace(&mut dealt[at], y.clone());
            Some((Value::list(dealt), pairs_within(&x, &y)))
        }
        _ => None,
    }
}

fn below(rng: &mut Rng, n: usize) -> Option<usize> {
    (n > 0).then(|| rng.below_u64(n as u64) as usize)
}

/// What stands in the place of what, in two choices of one move; of two moves nothing does.
fn counterparts(one: &Chosen, other: &Chosen) -> Vec<(Value, Value)> {
    let same = one.mv == other.mv;
    one.args.iter().zip(&other.args).filter(|_| same).flat_map(|(x, y)| pairs_within(x, y)).collect()
}

// ---- side by side

/// Plays the second world beside the first, to the first difference that somebody notices who may not know. `None` where there is
/// none: it was opened, the worlds are one again, or a player would have chosen otherwise.
pub(super) fn side_by_side(
    machine: &Machine,
    cells: &[Cell],
    world: &World,
    change: &Change,
    stops: &mut u64,
) -> Option<Parted> {
    let mut before = world.positions[change.at].clone();
    let mut steps: Vec<Step> = world.steps[..change.at].to_vec();
    let mut knows: Vec<usize> = change.seat.into_iter().collect();
    for (at, step) in world.steps.iter().enumerate().skip(change.at) {
        *stops += 1;
        let step = if at == change.at { &change.step } else { step };
        let mut after = before.clone();
        steps.push(take(machine, &mut after, step, &change.things).ok()??);
        let first = &world.positions[at + 1];
        if *first == after || first.waiting == Waiting::Over && after.waiting == Waiting::Over {
            return None;
        }
        // What differs in a player's own secret state is told to that player, and to no other.
        knows.extend(notice::told_alone(cells, first, &after));
        knows.sort_unstable();
        knows.dedup();
        if knows.len() == machine.setup.players || notice::opened(cells, first, &after) {
            return None;
        }
        let notices = notice::differences(machine, cells, first, &after);
        let options = if notices.is_empty() { options(machine, first, &after, &knows) } else { None };
        if !notices.is_empty() || options.is_some() {
            return Some(Parted { steps, before, after, notices, options, knows });
        }
        before = after;
    }
    None
}

/// A seat that is asked, may not know, and can choose other things in one world than in the other, or is refused with other words.
/// Only what play gives to a move can bring this about, for all else that legality reads its mover sees.
fn options(machine: &Machine, a: &Position, b: &Position, knows: &[usize]) -> Option<Options> {
    let (Some(Asked::Choice(seats, ..)), Some(choice), Some(other)) =
        (notice::asked(machine, a), machine.choice(a), machine.choice(b))
    else {
        return None;
    };
    if choice.offers.iter().chain(&choice.otherwise).all(|offer| offer.given.is_empty()) {
        return None;
    }
    let of_seat = |seat: usize| -> Result<Option<Options>, Fault> {
        let mut rows = legal(machine, a, choice, seat, ROWS)?;
        rows.extend(legal(machine, b, other, seat, ROWS)?);
        rows.extend(tried(machine, choice, &rows));
        for row in rows {
            let told = |position: &Position| -> Result<String, Fault> {
                let judged = machine.judge(position, seat, row.mv, &row.args)?;
                let words = choice_words(&machine.game, &row);
                Ok(match judged {
                    Ok(_) => format!("{} may `{words}`", machine.game.seat_name(seat)),
                    Err(refusal) => format!("`{words}` is refused, “{}”", refusal.text),
                })
            };
            let (first, second) = (told(a)?, told(b)?);
            if first != second {
                return Ok(Some(Options { seat, first, second }));
            }
        }
        Ok(None)
    };
    seats.into_iter().filter(|seat| !knows.contains(seat)).find_map(|seat| of_seat(seat).ok().flatten())
}

/// A choice as people type it.
pub(super) fn choice_words(game: &Game, choice: &Chosen) -> String {
    let mv = &game.moves[choice.mv];
    let names = chosen(mv).map(|param| param.name.clone());
    move_words(game, &mv.name, &names.zip(choice.args.iter().cloned()).collect::<Vec<_>>())
}

/// Rows of arguments that may well be refused: small numbers, and what is legal elsewhere.
fn tried(machine: &Machine, choice: &Choice, legal: &[Chosen]) -> Vec<Chosen> {
    let mut rows = Vec::new();
    for (number, offer) in choice.offers.iter().enumerate() {
        let mut of_move = vec![Vec::new()];
        for (k, param) in chosen(&machine.game.moves[offer.mv]).enumerate() {
            let known = legal.iter().filter(|row| row.mv == offer.mv).map(|row| row.args[k].clone());
            let values: Vec<Value> = match param.ty {
                Type::Int => (-1..10).map(Value::int).collect(),
                _ => known.take(8).collect(),
            };
            let longer = |row: &Vec<Value>| {
                values.iter().map(|value| row.iter().chain([value]).cloned().collect()).collect::<Vec<_>>()
            };
            of_move = of_move.iter().flat_map(longer).take(ROWS).collect();
        }
        rows.extend(of_move.into_iter().map(|args| Chosen { offer: number, mv: offer.mv, args }));
    }
    rows
}

/// The position of the second world behind the step that differs.
pub(super) fn behind(machine: &Machine, world: &World, change: &Change) -> Option<Position> {
    let mut position = world.positions[change.at].clone();
    take(machine, &mut position, &change.step, &[]).ok()??;
    Some(position)
}
