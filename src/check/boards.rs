//! Squares that none of the boards of a file has.

use super::certain::number;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Form, Game, SquareAt, State};
use crate::source::Span;

/// A board as it is declared, with its size if that is written out.
type Board<'g> = (&'g State, Option<SquareAt>);

/// Returns a report for a square that none of the boards of a game has. Boards whose size is an option may have it.
pub(super) fn on_no_board(game: &Game, square: SquareAt, span: Span) -> Option<Diagnostic> {
    let mut boards = Vec::new();
    game.state.iter().for_each(|state| within(&state.form, state, &mut boards));
    let lacks = |last: SquareAt| square.row > last.row || square.column > last.column;
    let (board, last) = boards.first().copied().and_then(|(board, last)| Some((board, last?)))?;
    if !boards.iter().all(|(_, last)| last.is_some_and(lacks)) {
        return None;
    }
    let label = match boards.len() {
        1 => format!("the squares of `{}` are a1 to {}", board.name, last.words()),
        _ => "no board of this file has it".to_string(),
    };
    let report =
        Diagnostic::new(Code::NoSuchElement, span, format!("there is no square {}", square.words()), label);
    Some(report.also(board.span, "declared here"))
}

/// Adds the boards in a form.
fn within<'g>(form: &'g Form, state: &'g State, boards: &mut Vec<Board<'g>>) {
    match form {
        Form::Grid(rows, columns, of) => {
            let size = |e| u32::try_from(number(e)?.as_i64()?).ok();
            let last = size(rows).zip(size(columns)).map(|(row, column)| SquareAt { row, column });
            boards.push((state, last));
            within(of, state, boards);
        }
        Form::List(_, of) | Form::Set(of) | Form::Bag(of) | Form::Optional(of) | Form::Either(_, of) => {
            within(of, state, boards);
        }
        Form::Map(key, of) => {
            within(key, state, boards);
            within(of, state, boards);
        }
        Form::Tuple(parts) => parts.iter().for_each(|part| within(part, state, boards)),
        _ => {}
    }
}
