//! How a `show` line is drawn: checks the word after `as`, and that the line shows something to draw that
//! way.

use super::Checker;
use crate::ast;
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{DrawnAs, Expr, Type, shown_values};

/// The words that may follow `as`.
const DRAWINGS: [&str; 4] = ["hexes", "pits", "cards", "text"];

impl Checker<'_> {
    /// Resolves the drawing requested for what a line shows.
    pub(super) fn drawn_as(&mut self, drawn: &ast::DrawnAs, shown: &Expr) -> Option<DrawnAs> {
        let word = drawn.word.text.as_str();
        let wanted = match word {
            "hexes" => DrawnAs::Hexes(self.sides(drawn)),
            "pits" => DrawnAs::Pits,
            "cards" => DrawnAs::Cards,
            "text" => DrawnAs::Text,
            _ => {
                let message = format!("there is no drawing called `{word}`");
                let report = Diagnostic::new(Code::UnknownName, drawn.word.span, message, "not known here");
                let report = match nearest(word, DRAWINGS) {
                    Some(_) => report.suggest(word, DRAWINGS),
                    None => report.help(
                        "there are `as hexes`, `as pits`, `as cards` and `as text`; boards need no `as`",
                    ),
                };
                self.report(report);
                return None;
            }
        };
        if word != "hexes"
            && let Some(first) = drawn.sides.first()
        {
            let message = format!("`{word}` takes no seats");
            let report = Diagnostic::new(Code::ArgumentCount, first.span, message, "not needed");
            self.report(report.help(format!("write `as {word}`")));
        }
        let (fits, needs): (fn(&Type) -> bool, _) = match word {
            "hexes" => (|ty| matches!(ty, Type::Grid(_)), "a grid: `show board as hexes`"),
            "pits" => (
                |ty| matches!(ty, Type::List(_) | Type::Map(..)),
                "a list of numbers for each row of pits: `show piles as pits`",
            ),
            "cards" => (
                |ty| matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Int | Type::Tuple(_)),
                "a list or a set: `show pile as cards`",
            ),
            _ => return Some(wanted),
        };
        if !shown_values(shown).iter().any(|value| matches!(value.ty, Type::Wrong) || fits(&value.ty)) {
            let message = format!("this cannot be drawn as {word}");
            let report = Diagnostic::new(Code::TypeMismatch, drawn.word.span, message, "asked for here");
            self.report(report.also(shown.span, "this is what is shown").help(format!("it needs {needs}")));
        }
        Some(wanted)
    }

    /// Returns the two seats, 0-based, whose sides a board of hexes shows.
    fn sides(&mut self, drawn: &ast::DrawnAs) -> Option<(usize, usize)> {
        let help = "seats get names in the header: `players 2 called red, blue`";
        let seats: Vec<Option<usize>> = drawn.sides.iter().map(|name| self.named_seat(name, help)).collect();
        match seats.as_slice() {
            [] => None,
            [one, other] => Some(((*one)?, (*other)?)),
            _ => {
                let message = "a board of hexes has two pairs of sides";
                let report =
                    Diagnostic::new(Code::ArgumentCount, drawn.word.span, message, "two seats are needed");
                self.report(report.help(
                    "write `as hexes(red, blue)`: the first and last row are red's, the first and last column blue's",
                ));
                None
            }
        }
    }
}
