//! How the table is written, and how authors want it drawn.

use std::fmt;

use super::{Expr, ExprKind, Lambda, TextPart};

/// A line of how the table is written, and how it is drawn for people.
#[derive(Debug, Clone)]
pub struct Show {
    /// What is written.
    pub text: Lambda,
    /// How the author wants it drawn; as its types suggest where absent.
    pub drawn: Option<DrawnAs>,
}

/// The drawings an author may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawnAs {
    /// A grid of six-sided fields, each row half a field further to the right; the seats (from 0) whose sides are the first
    /// and last row and the first and last column, where that is said.
    Hexes(Option<(usize, usize)>),
    /// Pits with numbers, and stores.
    Pits,
    /// Cards on the table.
    Cards,
    /// As it is written.
    Text,
}

impl fmt::Display for DrawnAs {
    /// As it stands in a rule file, with numbers of seats, from 1, for their names.
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

/// What is shown: the values that a text is filled with, or the one value.
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
