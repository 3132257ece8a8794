//! Finds numbers, players and flags that are only bookkeeping, so that their changes need not be reported.

use std::collections::HashSet;

use super::ending::each_statement_of;
use super::state_read;
use crate::ast::{self, Assign, File, ItemKind, Stmt, StmtKind};
use crate::ir::{
    Change, Effect, Expr, ExprKind, Game, Op, Scoring, StateId, Type, WinnerBy, changes, legality_parts,
    op_parts,
};

/// Returns the numbers and players that only affect what is reported anyway: points, tie-breaks, and
/// conditions in the flow of play for which they only count; and flags that only steer the flow of play, such
/// as whether there is a question to answer. Excludes state that affects legal moves, other
/// state, who is to move or who wins, and state that the rules never read, since that is kept for people.
pub(super) fn bookkeeping(game: &Game) -> HashSet<StateId> {
    let note = |id: &StateId| match game.state[*id].form.ty() {
        Type::Int | Type::Player => true,
        Type::Optional(of) => matches!(*of, Type::Int | Type::Player),
        Type::Bool | Type::Symbol(_) => only_flags(game, *id),
        _ => false,
    };
    let read = |e: &Expr| {
        let mut read = HashSet::new();
        state_read(game, e, &mut HashSet::new(), &mut read);
        read
    };
    // State read for these purposes need not be reported.
    let mut aside: HashSet<StateId> = match &game.scoring {
        Scoring::Each(lambda) => read(&lambda.body),
        Scoring::Named(lambdas) => lambdas.iter().flat_map(|lambda| read(&lambda.body)).collect(),
        Scoring::Awards | Scoring::None => HashSet::new(),
    };
    let mut matters: HashSet<StateId> = (0..game.state.len()).filter(|id| !note(id)).collect();
    matters.extend(game.moves.iter().flat_map(legality_parts).flat_map(read));
    for choice in &game.choices {
        let given = choice.all_offers().flat_map(|offer| &offer.given);
        matters.extend([&choice.who].into_iter().chain(&choice.must).chain(given).flat_map(read));
    }
    if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
        for (at, (_, key)) in keys.iter().enumerate() {
            let into = if at == 0 && !matches!(key.body.kind, ExprKind::Score(_)) {
                &mut matters
            } else {
                &mut aside
            };
            into.extend(read(&key.body));
        }
    }
    // State that is read to write other state matters if that state does.
    let mut feeds: Vec<(StateId, StateId)> = Vec::new();
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => {
                for ((place, _), value) in places.iter().zip(values) {
                    feeds.extend(read(value).into_iter().map(|from| (from, place.state)));
                    matters.extend(place.path.iter().chain(&place.owner).flat_map(read));
                }
            }
            Op::Do(Effect::Say(..), _) => {}
            Op::Unless(cond, _) => {
                let (counters, others): (Vec<_>, Vec<_>) =
                    read(cond).into_iter().partition(|id| only_counts(game, *id) || only_flags(game, *id));
                matters.extend(others);
                aside.extend(counters);
            }
            op => matters.extend(op_parts(op).into_iter().flat_map(read)),
        }
    }
    close_over_feeds(&mut matters, &feeds);
    close_over_feeds(&mut aside, &feeds);
    aside.difference(&matters).copied().collect()
}

/// Returns the state that only notes who has made a move: moves set it to `me`, or add `me` to it, under no condition,
/// and everything else sets it back.
pub(super) fn notes_of_movers(game: &Game, file: &File) -> HashSet<StateId> {
    let noted = |id: &StateId| {
        let name = &game.state[*id].name;
        let (mut noted, mut others) = (0, 0);
        for item in &file.items {
            if let ItemKind::Move(mv) = &item.kind {
                noted +=
                    mv.body.stmts.iter().filter(|stmt| writes(stmt, name) == Some(Written::Mover)).count();
            }
        }
        each_statement_of(file, &mut |stmt| {
            others += usize::from(writes(stmt, name).is_some_and(|written| written != Written::Nothing));
        });
        noted > 0 && noted == others
    };
    (0..game.state.len()).filter(|id| !game.state[*id].per_player).filter(noted).collect()
}

/// Returns the yes-or-no state that only notes that a move was made: moves set it to one and the same value, under no
/// condition, and everything else sets it to the other.
pub(super) fn notes_of_moves(game: &Game, file: &File) -> HashSet<StateId> {
    let noted = |id: &StateId| {
        let name = &game.state[*id].name;
        let written = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(place, Assign::Set, value) if root(place) == Some(name) => match value.kind {
                ast::ExprKind::Bool(value) => Some(Some(value)),
                _ => Some(None),
            },
            _ => writes(stmt, name).map(|_| None),
        };
        let moves = file.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Move(mv) => Some(mv.body.stmts.iter().filter_map(written)),
            _ => None,
        });
        let by_moves: Vec<Option<bool>> = moves.flatten().collect();
        let Some(Some(value)) = by_moves.first().copied() else { return false };
        let mut all = Vec::new();
        each_statement_of(file, &mut |stmt| all.extend(written(stmt)));
        let same = all.iter().filter(|written| **written == Some(value)).count();
        by_moves.len() == same && all.iter().all(Option::is_some)
    };
    (0..game.state.len()).filter(|id| game.state[*id].form.ty() == Type::Bool).filter(noted).collect()
}

/// What a statement writes into a piece of state.
#[derive(PartialEq, Eq)]
enum Written {
    /// The player who makes the move.
    Mover,
    /// Nothing: it is set back.
    Nothing,
    /// Something else.
    Other,
}

fn writes(stmt: &Stmt, name: &str) -> Option<Written> {
    let is_it = |place: &ast::Expr| root(place) == Some(name);
    match &stmt.kind {
        StmtKind::Assign(place, how, value) if is_it(place) => Some(match (&place.kind, how, &value.kind) {
            (ast::ExprKind::Name(_), Assign::Set | Assign::Add, ast::ExprKind::Name(who)) if who == "me" => {
                Written::Mover
            }
            (ast::ExprKind::Name(_), Assign::Set, ast::ExprKind::None) => Written::Nothing,
            (
                ast::ExprKind::Name(_),
                Assign::Set,
                ast::ExprKind::List(inside) | ast::ExprKind::Set(inside),
            ) if inside.items.is_empty() => Written::Nothing,
            _ => Written::Other,
        }),
        StmtKind::Assign(ast::Expr { kind: ast::ExprKind::Tuple(places), .. }, ..) => {
            places.iter().any(is_it).then_some(Written::Other)
        }
        StmtKind::Send(_, from, to) | StmtKind::Deal(_, from, to) => {
            (is_it(from) || is_it(to)).then_some(Written::Other)
        }
        StmtKind::Shuffle(of) | StmtKind::Draw(_, of) => is_it(of).then_some(Written::Other),
        _ => None,
    }
}

/// Returns the name of the state that a place belongs to.
fn root(place: &ast::Expr) -> Option<&str> {
    match &place.kind {
        ast::ExprKind::Name(name) => Some(name),
        ast::ExprKind::Index(base, _) => root(base),
        ast::ExprKind::Field(_, name) => Some(&name.text),
        _ => None,
    }
}

/// Adds the state that feeds the given state, transitively.
fn close_over_feeds(state: &mut HashSet<StateId>, feeds: &[(StateId, StateId)]) {
    loop {
        let known = state.len();
        for (from, to) in feeds {
            if state.contains(to) {
                state.insert(*from);
            }
        }
        if state.len() == known {
            return;
        }
    }
}

/// Whether the rules set a piece of state to what has a name, such as a choice or a draw.
pub(super) fn takes_names(game: &Game, id: StateId) -> bool {
    game.code.iter().any(|op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            let named = |value: &Expr| matches!(value.kind, ExprKind::Local(_));
            let mut writes = places.iter().zip(values).filter(|((place, _), _)| place.state == id);
            writes.any(|((_, change), value)| *change == Change::Set && named(value))
        }
        _ => false,
    })
}

/// Whether a Boolean or symbol on the table is only ever set to constants.
fn only_flags(game: &Game, id: StateId) -> bool {
    let state = &game.state[id];
    let constant = |op: &Op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            places.iter().zip(values).filter(|((place, _), _)| place.state == id).all(
                |((_, change), value)| {
                    matches!(change, Change::Set) && matches!(value.kind, ExprKind::Value(_))
                },
            )
        }
        op => changes(op).iter().all(|(place, _)| place.state != id),
    };
    !state.per_player
        && matches!(state.form.ty(), Type::Bool | Type::Symbol(_))
        && game.code.iter().all(constant)
}

/// Whether a number on the table only counts: it is only incremented by constants or set to a constant.
fn only_counts(game: &Game, id: StateId) -> bool {
    let mut counts = false;
    let fixed = |e: &Expr| matches!(e.kind, ExprKind::Value(_));
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => {
                for ((place, change), value) in
                    places.iter().zip(values).filter(|((place, _), _)| place.state == id)
                {
                    match change {
                        Change::Plus if fixed(value) && place.path.is_empty() => counts = true,
                        Change::Set if fixed(value) => {}
                        _ => return false,
                    }
                }
            }
            op if changes(op).iter().any(|(place, _)| place.state == id) => return false,
            _ => {}
        }
    }
    counts && !game.state[id].per_player
}
