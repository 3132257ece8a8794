//! Squares that none of the boards of a file has.

use super::certain::number;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Expr, ExprKind, Form, Game, SquareAt, State};
use crate::num::Int;
use crate::source::Span;

/// A board as it is declared, with its last square, at the largest size that its options allow.
type Board<'g> = (&'g State, Option<SquareAt>);

/// Returns a report for a square that none of the boards of a game has, whatever its options are.
pub(super) fn on_no_board(game: &Game, square: SquareAt, span: Span) -> Option<Diagnostic> {
    let mut boards = Vec::new();
    game.state.iter().for_each(|state| within(game, &state.form, state, &mut boards));
    let lacks = |last: SquareAt| square.row > last.row || square.column > last.column;
    let (board, last) = boards.first().copied().and_then(|(board, last)| Some((board, last?)))?;
    if !boards.iter().all(|(_, last)| last.is_some_and(lacks)) {
        return None;
    }
    let label = match boards.len() {
        1 if is_fixed(board) => format!("the squares of `{}` are a1 to {}", board.name, last.words()),
        1 => format!("the squares of `{}` are a1 to {} at most", board.name, last.words()),
        _ => "no board of this file has it".to_string(),
    };
    let report =
        Diagnostic::new(Code::NoSuchElement, span, format!("there is no square {}", square.words()), label);
    Some(report.also(board.span, "declared here"))
}

/// Whether the size of a board is written out.
fn is_fixed(board: &State) -> bool {
    let Form::Grid(rows, columns, _) = &board.form else { return true };
    number(rows).is_some() && number(columns).is_some()
}

/// Returns the largest value of a size: itself, or the end of the range of an option.
fn at_most(e: &Expr, game: &Game) -> Option<Int> {
    match &e.kind {
        ExprKind::Option(at) => match &game.options[*at].form {
            Form::Range(_, high) => number(high),
            _ => None,
        },
        ExprKind::Arith(Arith::Add, a, b) => Some(at_most(a, game)?.add(&at_most(b, game)?)),
        ExprKind::Arith(Arith::Sub, a, b) => Some(at_most(a, game)?.sub(&number(b)?)),
        ExprKind::Arith(Arith::Mul, a, b) => at_most(a, game)?.mul(&at_most(b, game)?).ok(),
        _ => number(e),
    }
}

/// Adds the boards in a form.
fn within<'g>(game: &Game, form: &'g Form, state: &'g State, boards: &mut Vec<Board<'g>>) {
    match form {
        Form::Grid(rows, columns, of) => {
            let size = |e| u32::try_from(at_most(e, game)?.as_i64()?).ok();
            let last = size(rows).zip(size(columns)).map(|(row, column)| SquareAt { row, column });
            boards.push((state, last));
            within(game, of, state, boards);
        }
        Form::List(_, of) | Form::Set(of) | Form::Bag(of) | Form::Optional(of) | Form::Either(_, of) => {
            within(game, of, state, boards);
        }
        Form::Map(key, of) => {
            within(game, key, state, boards);
            within(game, of, state, boards);
        }
        Form::Tuple(parts) => parts.iter().for_each(|part| within(game, part, state, boards)),
        _ => {}
    }
}
