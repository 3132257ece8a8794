//! How the table is shown as text, and which drawing the author asked for.

use std::fmt;

use super::{Expr, ExprKind, Lambda, TextPart};

/// A line of the shown table, and how it is drawn for people.
#[derive(Debug, Clone)]
pub struct Show {
    /// The text, or a single value.
    pub text: Lambda,
    /// The drawing the author asked for; if absent, the types decide.
    pub drawn: Option<DrawnAs>,
}

/// The drawing styles an author may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawnAs {
    /// A hexagonal board, in which each row is shifted right by half a cell. The seats (from 0), if given,
    /// own the first and last row and the first and last column, respectively.
    Hexes(Option<(usize, usize)>),
    /// Pits with counts, and stores.
    Pits,
    /// Cards on the table.
    Cards,
    /// The plain text.
    Text,
}

impl fmt::Display for DrawnAs {
    /// Writes the style as in a rule file, but with seat numbers, from 1, instead of seat names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawnAs::Hexes(None) => f.write_str("hexes"),
            DrawnAs::Hexes(Some((one, other))) => write!(f, "hexes({}, {})", one + 1, other + 1),
            DrawnAs::Pits => f.write_str("pits"),
            DrawnAs::Cards => f.write_str("cards"),
            DrawnAs::Text => f.write_str("text"),
        }
    }
}

/// Returns the values shown: those interpolated into a text, or the single value.
pub fn shown_values(shown: &Expr) -> Vec<&Expr> {
    match &shown.kind {
        ExprKind::Text(parts) => parts
            .iter()
            .filter_map(|part| match part {
                TextPart::Value(value) => Some(value),
                TextPart::Chars(_) => None,
            })
            .collect(),
        _ => vec![shown],
    }
}
