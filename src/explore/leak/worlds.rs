//! Two worlds that differ in one secret: the same match twice, except for one secret choice or one face-down
//! draw.

use std::ops::ControlFlow;

use super::notice::{self, Asked, Cell, Notice};
use crate::eval::{Chosen, Dom, Fault, Machine, Position, Waiting, exchanged, pairs_within};
use crate::explore::Step;
use crate::ir::{ChanceKind, Choice, Game, Type, Value, draw_is_public};
use crate::num::Rng;
use crate::play::{chosen, move_words};

/// How many legal moves are listed to choose another one from.
const LISTED: usize = 200;
/// How often a different move or result is drawn at random.
const TRIES: usize = 4;
/// How many rows of arguments are checked, to see whether a choice is the same in both worlds.
const ROWS: usize = 64;

/// A match in the first world.
pub(super) struct World {
    /// The position at each stop; its events are what happened on the way there.
    pub positions: Vec<Position>,
    /// The steps between them.
    pub steps: Vec<Step>,
}

/// What differs in the second world.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The index of the step that differs, from 0.
    pub at: usize,
    /// The seat whose choice differs, from 0; `None` for a draw.
    pub seat: Option<usize>,
    /// The step as taken in the second world.
    pub step: Step,
    /// The things that differ.
    pub things: Things,
}

/// The things that differ between two worlds.
#[derive(Debug, Clone, Default)]
pub(super) struct Things {
    /// Each of the first world with its counterpart in the second.
    pub pairs: Vec<(Value, Value)>,
    /// How many of them can be turned up by themselves: of a card that is dealt, not its suit.
    whole: usize,
}

impl Things {
    /// Makes things that can all be turned up by themselves.
    fn apart(pairs: Vec<(Value, Value)>) -> Things {
        Things { whole: pairs.len(), pairs }
    }

    /// Makes a thing with its parts, which cannot be turned up without it.
    fn in_one(pairs: Vec<(Value, Value)>) -> Things {
        Things { whole: 1, pairs }
    }

    /// Returns those that can be turned up by themselves.
    pub fn to_turn_up(&self) -> &[(Value, Value)] {
        &self.pairs[..self.whole]
    }
}

/// The point at which somebody can first tell two worlds apart.
pub(super) struct Parted {
    /// The steps of the second world up to there; as many are played in the first.
    pub steps: Vec<Step>,
    /// The second world's position before the last of these steps.
    pub before: Position,
    /// The second world's position after it.
    pub after: Position,
    /// What everybody can observe; if this is empty, `options` is `Some`.
    pub notices: Vec<Notice>,
    /// A row of arguments for which a seat gets different answers in the two worlds.
    pub options: Option<Options>,
    /// The seats that may know the secret, from 0.
    pub knows: Vec<usize>,
}

/// The answers that a seat gets to the same choice in the two worlds.
pub(super) struct Options {
    /// The seat, from 0.
    pub seat: usize,
    /// The answer in the first world.
    pub first: String,
    /// The answer in the second.
    pub second: String,
}

/// Plays a random match of at most `most` steps. A fault ends it.
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

/// Returns a match at its first stop; `None` if the rules break before.
pub(super) fn begun(machine: &Machine) -> Option<World> {
    let mut position = machine.blank().ok()?;
    position.events = Some(Vec::new());
    machine.run(&mut position).ok()?;
    Some(World { positions: vec![position], steps: Vec::new() })
}

/// Takes a step; returns whether that was possible.
pub(super) fn go_on(machine: &Machine, world: &mut World, step: &Step) -> bool {
    let mut position = world.positions[world.steps.len()].clone();
    let Ok(Some(step)) = take(machine, &mut position, step, &[]) else { return false };
    world.steps.push(step);
    world.positions.push(position);
    true
}

/// Returns the change from one step to another; `None` if they are equal or differ in several picks. For a
/// draw, the things that differ are taken from `like`.
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

/// Picks a possible step at random; `None` at the end, or if no move can be drawn.
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

/// Takes a step, or its counterpart that nobody can distinguish from it: if a secret choice or face-down draw
/// is not possible here, the same with `things` exchanged for their counterparts. Returns the step taken;
/// `None` if neither is possible.
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
            if draw_is_public(&machine.game, name) || machine.draw(position, other.clone())?.is_err() {
                return Ok(None);
            }
            Ok(Some(Step::Chance(name.clone(), other)))
        }
    }
}

// ---- changes to a step

/// Picks another result for a step that somebody may not know; `None` if everybody may know it, or nothing
/// else is possible.
pub(super) fn change(machine: &Machine, world: &World, at: usize, rng: &mut Rng) -> Option<Change> {
    let position = &world.positions[at];
    match &world.steps[at] {
        Step::Chance(name, value) => {
            if draw_is_public(&machine.game, name) {
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

/// Picks another legal choice of a seat among the moves that satisfy `fits`.
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

/// Returns the first `most` legal choices of a seat.
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

/// Picks another result of a draw, and returns it with the things that differ.
fn other_draw(
    machine: &Machine,
    position: &Position,
    value: &Value,
    rng: &mut Rng,
) -> Option<(Value, Things)> {
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
            Some((other, Things::apart(things)))
        }
        // Swap two items.
        (ChanceKind::Shuffle(_), Value::List(items)) => {
            let i = below(rng, items.len())?;
            let different: Vec<usize> = (0..items.len()).filter(|j| items[*j] != items[i]).collect();
            let j = *different.get(below(rng, different.len())?)?;
            let mut items = items.to_vec();
            items.swap(i, j);
            let things = pairs_within(&items[i], &items[j]);
            Some((Value::list(items), Things::in_one(things)))
        }
        // Exchange a dealt card for one that stayed in the pile.
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
            Some((Value::list(dealt), Things::in_one(pairs_within(&x, &y))))
        }
        _ => None,
    }
}

fn below(rng: &mut Rng, n: usize) -> Option<usize> {
    (n > 0).then(|| rng.below_u64(n as u64) as usize)
}

/// Pairs the differing things in two choices of the same move; empty for two different moves.
fn counterparts(one: &Chosen, other: &Chosen) -> Things {
    let same = one.mv == other.mv;
    let pairs = one.args.iter().zip(&other.args).filter(|_| same);
    Things::apart(pairs.flat_map(|(x, y)| pairs_within(x, y)).collect())
}

// ---- playing both worlds

/// Plays the second world beside the first, up to the first difference that somebody observes who may not
/// know. `None` if there is none: the secret was opened, the worlds became equal again, or a player would
/// have chosen differently.
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
        steps.push(take(machine, &mut after, step, &change.things.pairs).ok()??);
        let first = &world.positions[at + 1];
        if *first == after || first.waiting == Waiting::Over && after.waiting == Waiting::Over {
            return None;
        }
        // A difference in a player's own secret state is known to that player and to nobody else.
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

/// Finds a seat that is asked, may not know, and has a choice that is legal in only one of the worlds, or is
/// refused with different words. Only values that play gives to a move can cause this, because the mover sees
/// everything else that legality depends on.
fn options(machine: &Machine, a: &Position, b: &Position, knows: &[usize]) -> Option<Options> {
    let (Some(Asked::Choice(seats, ..)), Some(choice), Some(other)) =
        (notice::asked(machine, a), machine.choice(a), machine.choice(b))
    else {
        return None;
    };
    if choice.all_offers().all(|offer| offer.given.is_empty()) {
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
                    Ok(_) => format!("{} may choose `{words}`", machine.game.seat_name(seat)),
                    Err(refusal) => format!("`{words}` is refused with “{}”", refusal.text),
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

/// Formats a choice as people type it.
pub(super) fn choice_words(game: &Game, choice: &Chosen) -> String {
    let mv = &game.moves[choice.mv];
    let names = chosen(mv).map(|param| param.name.clone());
    move_words(game, &mv.name, &names.zip(choice.args.iter().cloned()).collect::<Vec<_>>())
}

/// Returns rows of arguments that may be refused: small numbers, and values that are legal in other rows.
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

/// Returns the second world's position after the step that differs.
pub(super) fn behind(machine: &Machine, world: &World, change: &Change) -> Option<Position> {
    let mut position = world.positions[change.at].clone();
    take(machine, &mut position, &change.step, &[]).ok()??;
    Some(position)
}
