//! Domains: what arguments are chosen from, and what binders go through.

use super::{Expr, Slot, Type};

/// A domain: something that can be tested, counted, gone through and drawn from without being listed.
#[derive(Debug, Clone)]
pub enum Domain {
    /// Every integer.
    Ints,
    /// Every integer from this one on.
    AtLeast(Expr),
    /// From the first to the last.
    Range(Expr, Expr),
    /// The elements of a list, set or bag, the squares of a grid, the keys of a map.
    Values(Expr),
    /// Every order of a list's elements.
    Permutations(Expr),
    /// Every row of k distinct elements.
    Arrangements(Expr, Box<Domain>),
    /// Every subset, of a size where one is given.
    Subsets(Expr, Option<Expr>),
    /// Every row with an element of each.
    Tuples(Vec<Domain>),
    /// Every list of k elements, repeats allowed.
    Lists(Expr, Box<Domain>),
    /// Every list of so many elements or more, up to a length where one is given.
    ListsFrom(Expr, Option<Expr>, Box<Domain>),
    /// What of a domain fulfils a condition, which reads it from a slot.
    Where(Slot, Box<Domain>, Box<Expr>),
}

impl Domain {
    /// The type of its values.
    pub fn element(&self) -> Type {
        let list = |of: Type| Type::List(Box::new(of));
        let of = |e: &Expr| e.ty.element().unwrap_or(Type::Wrong);
        match self {
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) => Type::Int,
            Domain::Values(e) => of(e),
            Domain::Permutations(e) => list(of(e)),
            Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, _, of) => {
                list(of.element())
            }
            Domain::Where(_, of, _) => of.element(),
            Domain::Subsets(e, _) => Type::Set(Box::new(of(e))),
            Domain::Tuples(parts) => Type::Tuple(parts.iter().map(Domain::element).collect()),
        }
    }

    /// Whether there is no end to it, or may be none.
    pub fn endless(&self) -> bool {
        match self {
            Domain::Ints | Domain::AtLeast(_) | Domain::ListsFrom(_, None, _) => true,
            Domain::Range(..) | Domain::Values(_) | Domain::Permutations(_) | Domain::Subsets(..) => false,
            Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, Some(_), of) => {
                of.endless()
            }
            Domain::Tuples(parts) => parts.iter().any(Domain::endless),
            // A condition may bound how long lists become; whether it does turns out when they are counted.
            Domain::Where(_, of, _) => match &**of {
                Domain::ListsFrom(_, None, of) => of.endless(),
                of => of.endless(),
            },
        }
    }

    /// Whether its values are rows of others: lists, sets or tuples that are put together.
    pub fn is_of_rows(&self) -> bool {
        !matches!(
            self,
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) | Domain::Values(_) | Domain::Where(..)
        )
    }
}
