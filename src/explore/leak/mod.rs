//! Leaks: what players can observe must not depend on what they may not know (noninterference), unless it was
//! opened to them.
//!
//! Two worlds that differ in one secret choice, or in one face-down draw, are played side by side
//! (self-composition: G. Barthe, P. D'Argenio, T. Rezk, 2004). The first difference that a player can observe
//! without being allowed to know is a leak. There are no other sources of secrets, because all other state
//! follows from what everybody knows. A secret is opened
//!
//! - by a `reveal` of state in which the worlds differ;
//! - to a player, by secret state of that player's own;
//! - when the thing itself, not only a part of a card, is turned up: it comes to a public place, and is in no player's secret
//!   state now;
//! - at the end of the match.
//!
//! It is not a leak if a player has no legal move or would have chosen differently: then that player gives
//! the secret away.

mod notice;
mod parting;
mod shrink;
mod words;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Finding, Plan, Report, Setting, Sort, Step, Trace, all, counted, thousands};
use crate::diag::{Code, Diagnostic};
use crate::eval::{Chosen, Machine, Meter, Position, Waiting};
use crate::ir::{
    Change as How, Domain, Effect, Expr, ExprKind, Game, Op, Place, Sight, Slot, StateId, legality_parts,
    states_read,
};
use crate::num::Rng;
use crate::source::Span;
use notice::Cell;
use worlds::{Change, Parted, Things, World};

/// The number of matches in a round.
const ROUND: usize = 8;
/// The most steps of a match that are played.
const STEPS: usize = 120;
/// The most second worlds that are played beside a match.
const WORLDS: usize = 12;
/// The effort charged for a stop, besides the evaluation steps.
const STOP: u64 = 400;

/// A leak: its diagnostic, and the two worlds up to where it shows.
struct Leak {
    diagnostic: Diagnostic,
    /// The declaration of the leaked state, if the secret is in state.
    secret: Option<Span>,
    first: Vec<Step>,
    second: Vec<Step>,
    /// What differs in the second world.
    change: Change,
}

/// The leaks found in a match and its second worlds.
#[derive(Default)]
struct Round {
    leaks: Vec<Leak>,
    pairs: u64,
    stops: u64,
}

/// Searches every setting with several players for leaks, with `effort` for all of them together.
pub(super) fn leaks(plan: &Plan, machines: &[(Setting, Machine)], effort: u64, report: &mut Report) {
    let secret: Vec<&(Setting, Machine)> =
        machines.iter().filter(|(_, machine)| machine.setup.players > 1 && possible(&machine.game)).collect();
    let mut left = effort;
    let mut found: BTreeMap<Span, (Leak, Setting)> = BTreeMap::new();
    let (mut pairs, mut shown) = (0, BTreeMap::<Span, u64>::new());
    let settings = secret.len();
    for (number, (setting, machine)) in secret.into_iter().enumerate() {
        let share = left / (settings - number) as u64;
        let cells = notice::cells(machine);
        let seed = Rng::sub_seed(plan.seed, number as u64);
        let meter = Arc::new(Meter::default());
        let machine = &machine.with_meter(meter.clone());
        let (mut stops, mut matches) = (0, 0);
        let spent = |stops: u64| meter.steps() + STOP * stops;
        while spent(stops) < share {
            if !(plan.watch)(setting, (effort - left + spent(stops)) as f64 / effort as f64) {
                report.broken_off = true;
                break;
            }
            let rounds =
                all(plan.crew, ROUND, |at| round(machine, &cells, Rng::nth(seed, matches + at as u64)));
            matches += ROUND as u64;
            for round in rounds {
                stops += round.stops + 1;
                pairs += round.pairs;
                for leak in round.leaks {
                    let span = leak.diagnostic.span();
                    *shown.entry(span).or_default() += 1;
                    match found.get(&span) {
                        Some((known, _)) if known.first.len() <= leak.first.len() => {}
                        _ => drop(found.insert(span, (leak, setting.clone()))),
                    }
                }
            }
        }
        left = left.saturating_sub(spent(stops));
    }
    for (span, (leak, setting)) in found {
        let steps = plan.effort / super::EFFORT_PER_REPLAY;
        let (leak, setting) = shrink::shrink(machines, leak, setting, steps);
        let of = counted(pairs, "pair", "pairs");
        let how = format!("in {} of {of} of matches that differ in one secret", thousands(shown[&span]));
        let trace = |steps| Some(Trace { setting: setting.clone(), steps });
        report.add(Finding {
            sort: Sort::Leak,
            cause: Code::Leak,
            diagnostic: leak.diagnostic,
            root: leak.secret,
            breaks: false,
            trace: trace(leak.first),
            beside: trace(leak.second),
            how,
            proved: false,
        });
    }
}

/// Whether the game has anything that a player may not know.
pub(super) fn possible(game: &Game) -> bool {
    game.moves.iter().any(|mv| mv.secret) || game.state.iter().any(|state| state.sight != Sight::Public)
}

/// Plays a match, and several second worlds that each differ in one of its secrets.
fn round(machine: &Machine, cells: &[Cell], mut rng: Rng) -> Round {
    let world = worlds::play(machine, &mut rng, STEPS);
    let mut round = Round { stops: world.steps.len() as u64, ..Round::default() };
    for _ in 0..WORLDS.min(2 * world.steps.len()) {
        let at = rng.below_u64(world.steps.len() as u64) as usize;
        let leak = match worlds::change(machine, &world, at, &mut rng) {
            Some(change) => parted(machine, cells, &world, &change, &mut round.stops),
            None => change_stored_choice(machine, &world, at, &mut rng)
                .and_then(|change| announced_leak(machine, cells, &world, &change)),
        };
        round.pairs += 1;
        round.leaks.extend(leak);
    }
    round
}

/// Plays the second world beside the first; returns the leak, if somebody can tell them apart who should not.
fn parted(
    machine: &Machine,
    cells: &[Cell],
    world: &World,
    change: &Change,
    stops: &mut u64,
) -> Option<Leak> {
    let parted = worlds::side_by_side(machine, cells, world, change, stops)?;
    leak(machine, cells, world, change, parted)
}

/// Returns the leak in two worlds that somebody can tell apart; `None` if the difference is legitimate.
fn leak(machine: &Machine, cells: &[Cell], world: &World, change: &Change, parted: Parted) -> Option<Leak> {
    let at = parted.steps.len() - 1;
    let (before, after) = (&world.positions[at], &world.positions[at + 1]);
    let parting =
        parting::parting(machine, cells, (before, &world.steps[at]), (&parted.before, &parted.steps[at]))?;
    let by_the_move = at == change.at && change.seat.is_some() && parting.by_the_move;
    let things = change.things.to_turn_up();
    let up = |a: &Position, b: &Position| !by_the_move && notice::turned_up(cells, before, (a, b), things);
    let at_once = parting.at_once.as_ref().is_some_and(|(_, a, b)| up(a, b));
    let opened = at_once || up(after, &parted.after);
    if opened || parting.stuck {
        return None;
    }
    let diagnostic = words::leak(machine, cells, world, change, &parted, &parting)?;
    let secret = parting.secrets.first().map(|cell| machine.game.state[cells[*cell].state].span);
    let first = world.steps[..=at].to_vec();
    Some(Leak { diagnostic, secret, first, second: parted.steps, change: change.clone() })
}

// ---- choices that are announced although they are stored in secret state

/// Replaces one pick of a step by another of the same move, if the move is public but stores what is chosen
/// in secret state.
fn change_stored_choice(machine: &Machine, world: &World, at: usize, rng: &mut Rng) -> Option<Change> {
    let Step::Choice(picks) = &world.steps[at] else { return None };
    let k = rng.below_u64(picks.len() as u64) as usize;
    let (seat, pick) = &picks[k];
    kept(machine, &world.positions[at], pick)?;
    let other = worlds::another(machine, &world.positions[at], *seat, pick, rng, |mv| mv == pick.mv)?;
    let mut second = picks.clone();
    second[k].1 = other;
    Some(Change { at, seat: Some(*seat), step: Step::Choice(second), things: Things::default() })
}

/// Returns a leak if what was chosen in the changed step is announced with its move, and stands unchanged in
/// secret state that no `reveal` opens before the next stop.
fn announced_leak(machine: &Machine, cells: &[Cell], world: &World, change: &Change) -> Option<Leak> {
    let (at, seat) = (change.at, change.seat?);
    let Step::Choice(picks) = &world.steps[at] else { return None };
    let (_, pick) = picks.iter().find(|(who, _)| *who == seat)?;
    let kept = kept(machine, &world.positions[at], pick)?;
    let after = worlds::behind(machine, world, change)?;
    let first = &world.positions[at + 1];
    let owned = |cell: &Cell| cell.owner.is_none_or(|owner| owner == seat);
    let cell = cells.iter().position(|cell| cell.state == kept.0 && owned(cell))?;
    let secret = |position: &Position| !position.revealed[cell] && position.waiting != Waiting::Over;
    let stays = secret(first) && secret(&after) && first.cells[cell] != after.cells[cell];
    if !stays || !notice::differences(machine, cells, first, &after).is_empty() {
        return None;
    }
    let diagnostic = words::told(machine, pick.mv, kept);
    let secret = Some(machine.game.state[kept.0].span);
    let first = world.steps[..=at].to_vec();
    let mut second = first.clone();
    second[at] = change.step.clone();
    Some(Leak { diagnostic, secret, first, second, change: change.clone() })
}

/// Returns the mover's secret state, or hidden state, into which a public move writes a chosen argument unchanged, or at a
/// chosen place, and the place of that write. What is added to a collection may have been seen elsewhere before; so that counts only if
/// the rules reveal that state somewhere, or if what can be chosen does not depend on what everybody sees.
fn kept(machine: &Machine, position: &Position, pick: &Chosen) -> Option<(StateId, Span)> {
    let game = &machine.game;
    let mv = &game.moves[pick.mv];
    let choice = machine.choice(position)?;
    let offer = choice.all_offers().nth(pick.offer)?;
    if mv.secret {
        return None;
    }
    let revealed = |state: StateId| {
        game.code.iter().any(|op| matches!(op, Op::Do(Effect::Reveal(place), _) if place.state == state))
    };
    let unseen = !legality_parts(mv).into_iter().any(|part| reads_public_state(game, part));
    let own_secret = |place: &Place| {
        let own = matches!(place.owner, Some(ref owner) if matches!(owner.kind, ExprKind::Local(slot) if slot == mv.me));
        own && game.state[place.state].sight == Sight::Owner
    };
    let hidden = |place: &Place| game.state[place.state].sight == Sight::Nobody;
    let chosen = mv.params.iter().filter(|param| param.domain.is_some()).map(|param| param.slot);
    // The slots that hold what was chosen, or one element of it.
    let mut chosen: BTreeSet<Slot> = chosen.collect();
    let is_chosen =
        |e: &Expr, chosen: &BTreeSet<Slot>| matches!(e.kind, ExprKind::Local(slot) if chosen.contains(&slot));
    for op in game.code[offer.target..].iter().take_while(|op| !matches!(op, Op::Choose(_) | Op::Unseal(..)))
    {
        match op {
            Op::Collect { source: Domain::Values(of), list, .. } if is_chosen(of, &chosen) => {
                chosen.insert(*list);
            }
            Op::Next { list, slots, .. } if chosen.contains(list) => chosen.extend(slots),
            Op::Do(Effect::Assign(places, values), _) => {
                let keeps = |((place, how), value): &(&(Place, How), &Expr)| {
                    let whole = match how {
                        How::Set => true,
                        How::Minus | How::Remove => false,
                        How::Plus | How::Insert | How::Join => unseen || revealed(place.state),
                    };
                    let at_chosen = unseen && place.path.iter().any(|index| is_chosen(index, &chosen));
                    let set = matches!(how, How::Set);
                    (own_secret(place) || hidden(place) && set)
                        && (whole && is_chosen(value, &chosen) || at_chosen)
                };
                if let Some(((place, _), _)) = places.iter().zip(values).find(keeps) {
                    return Some((place.state, place.span));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether an expression reads state that everybody sees, in the functions that it calls too.
fn reads_public_state(game: &Game, e: &Expr) -> bool {
    let mut read = BTreeSet::new();
    states_read(game, e, &mut read);
    read.into_iter().any(|state| game.state[state].sight == Sight::Public)
}
