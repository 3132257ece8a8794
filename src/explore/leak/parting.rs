//! Where two worlds part: the first place in the rules whose effect differs between the worlds in a way that
//! everybody can observe.

use std::cell::Cell as Steps;
use std::collections::HashSet;

use super::notice::{self, Cell, Notice};
use crate::eval::{MAX_STEPS, Machine, Position, Waiting};
use crate::explore::Step;
use crate::ir::{Expr, ExprKind, Game, Op, Pc, Sight, StateId, children, op_parts, successors};
use crate::source::Span;

/// The most ops that are examined between two stops.
const MOST: usize = 4_000;

/// A place where two worlds part.
pub(super) struct Parting {
    /// The place in the rules.
    pub span: Span,
    /// What can be observed right there, with the positions of both worlds; `None` if only the control flow
    /// differs.
    pub at_once: Option<(Notice, Position, Position)>,
    /// The secret cells that differ and are read there; if none are read there, all that differ.
    pub secrets: Vec<usize>,
    /// Whether it is caused by the effects of the chosen move itself, rather than by play after them.
    pub by_the_move: bool,
    /// Whether a seat that is asked has no legal move in one of the worlds.
    pub stuck: bool,
}

/// The ops executed from one stop to the next, each with the position after it; the first entry (`None`) is
/// the choice or draw.
type OpTrail = Vec<(Option<Pc>, Position)>;

/// Finds where two worlds part, given a position and the next step of each.
pub(super) fn parting(
    machine: &Machine,
    cells: &[Cell],
    first: (&Position, &Step),
    second: (&Position, &Step),
) -> Option<Parting> {
    let (a, b) = (op_trail(machine, first)?, op_trail(machine, second)?);
    let notices = |i: usize, j: usize| notice::differences(machine, cells, &a[i].1, &b[j].1);
    let same = |i: usize, j: usize| notices(i, j).is_empty();
    let (mut i, mut j) = (0, 0);
    while i + 1 < a.len() && j + 1 < b.len() && same(i, j) {
        if a[i + 1].0 == b[j + 1].0 {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        // The worlds take different paths. That does not matter if both must come to the same op again with
        // nothing to observe in between.
        let (left, right) = (a.len() - 1 - i, b.len() - 1 - j);
        let meets = (3..=left + right).find_map(|far| {
            let near = far.saturating_sub(right).max(1)..=left.min(far - 1);
            near.map(|more| (i + more, j + far - more)).find(|(to, other)| {
                a[*to].0 == b[*other].0
                    && same(to - 1, other - 1)
                    && must_pass(&machine.game, a[i].0, a[*to].0)
            })
        });
        match meets {
            Some((to, other)) => (i, j) = (to - 1, other - 1),
            None => break,
        }
    }
    let ((pc, here), (_, there)) = (&a[i], &b[j]);
    let (before, other) = (&a[i.saturating_sub(1)].1, &b[j.saturating_sub(1)].1);
    let differing: Vec<usize> = (0..cells.len())
        .filter(|cell| cells[*cell].sight != Sight::Public && before.cells[*cell] != other.cells[*cell])
        .collect();
    let read = pc.map_or(HashSet::new(), |pc| states_read(&machine.game, pc));
    let (of_op, others): (Vec<usize>, Vec<usize>) =
        differing.iter().partition(|cell| read.contains(&cells[**cell].state));
    let choice = machine.choice(first.0);
    let own = a.iter().position(|(pc, _)| choice.is_some_and(|choice| *pc == Some(choice.done)));
    Some(Parting {
        span: match pc {
            Some(pc) => span(&machine.game, *pc),
            None => choice.map(|choice| choice.span).or(machine.chance(first.0).map(|chance| chance.span))?,
        },
        at_once: notices(i, j).first().map(|notice| (*notice, here.clone(), there.clone())),
        secrets: if of_op.is_empty() { others } else { of_op },
        by_the_move: choice.is_some() && own.is_none_or(|own| i < own),
        stuck: pc.is_some_and(|pc| stuck(&machine.game, pc, here, there)),
    })
}

/// Whether `to` postdominates `from`: every path from `from` to the end of the match passes it.
fn must_pass(game: &Game, from: Option<Pc>, to: Option<Pc>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return false };
    let mut seen = HashSet::from([to]);
    let mut open = vec![from];
    while let Some(pc) = open.pop() {
        if matches!(game.code[pc], Op::End(_)) {
            return false;
        }
        open.extend(successors(game, pc).into_iter().filter(|next| seen.insert(*next)));
    }
    true
}

/// Whether exactly one of the worlds leaves a choice because a seat is stuck there, while play gives no
/// values to the moves offered.
fn stuck(game: &Game, pc: Pc, a: &Position, b: &Position) -> bool {
    let Op::Choose(id) = game.code[pc] else { return false };
    let choice = &game.choices[id];
    let left = |position: &Position| Some(position.pc) == choice.stuck;
    left(a) != left(b) && choice.all_offers().all(|offer| offer.given.is_empty())
}

/// Executes a step and the ops up to the next stop.
fn op_trail(machine: &Machine, (before, step): (&Position, &Step)) -> Option<OpTrail> {
    let mut position = before.clone();
    position.events = Some(Vec::new());
    match step {
        Step::Choice(picks) => {
            for (seat, pick) in picks {
                machine.accept(&mut position, *seat, pick.clone()).ok()?;
            }
        }
        Step::Chance(_, value) => machine.resolve_draw(&mut position, value.clone()).ok()?.ok()?,
    }
    position.waiting = Waiting::Nothing;
    let steps = Steps::new(MAX_STEPS);
    let mut way = vec![(None, position.clone())];
    while position.waiting == Waiting::Nothing && way.len() < MOST {
        let pc = position.pc;
        machine.step(&mut position, &steps).ok()?;
        way.push((Some(pc), position.clone()));
    }
    Some(way)
}

/// Returns the place of an op in the rules.
fn span(game: &Game, pc: Pc) -> Span {
    let named = match &game.code[pc] {
        Op::Do(_, span) => Some(*span),
        Op::Unless(e, _) | Op::Next { filter: Some(e), .. } | Op::End(Some(e)) => Some(e.span),
        Op::Choose(id) | Op::Unseal(id, _) => Some(game.choices[*id].span),
        Op::Chance(chance) => Some(chance.span),
        _ => None,
    };
    // Other ops are placed at what they read: a loop is placed at its list.
    let parts = parts(game, pc);
    let reads = |e: &&&Expr| !secrets_of(game, [**e]).is_empty();
    named.or_else(|| parts.iter().find(reads).or(parts.first()).map(|e| e.span)).unwrap_or_default()
}

/// Returns the secret and hidden state that an op reads.
fn states_read(game: &Game, pc: Pc) -> HashSet<StateId> {
    secrets_of(game, parts(game, pc))
}

/// Returns the secret and hidden state that expressions read.
fn secrets_of<'g>(game: &'g Game, parts: impl IntoIterator<Item = &'g Expr>) -> HashSet<StateId> {
    fn read(game: &Game, e: &Expr, called: &mut HashSet<usize>, out: &mut HashSet<StateId>) {
        match &e.kind {
            ExprKind::Table(state) | ExprKind::Own(state, _) if game.state[*state].sight != Sight::Public => {
                out.insert(*state);
            }
            ExprKind::Call(function, _) if called.insert(*function) => {
                read(game, &game.functions[*function].lambda.body, called, out);
            }
            _ => {}
        }
        children(e, &mut |part| read(game, part, called, out));
    }
    let mut out = HashSet::new();
    let mut called = HashSet::new();
    parts.into_iter().for_each(|e| read(game, e, &mut called, &mut out));
    out
}

/// Returns the expressions of an op: its own, and those that determine the list of its loop or the offers of
/// its choice.
fn parts(game: &Game, pc: Pc) -> Vec<&Expr> {
    let mut out = op_parts(&game.code[pc]);
    match &game.code[pc] {
        Op::Next { list, .. } => {
            let fills = |op: &&Op| matches!(op, Op::Collect { list: filled, .. } if filled == list);
            out.extend(game.code.iter().filter(fills).flat_map(op_parts));
        }
        Op::Choose(id) => {
            let choice = &game.choices[*id];
            out.push(&choice.who);
            out.extend(choice.all_offers().flat_map(|offer| &offer.given));
        }
        _ => {}
    }
    out
}
