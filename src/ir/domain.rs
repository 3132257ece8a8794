//! Domains: the values that arguments are chosen from and that binders range over.

use super::{Expr, Slot, Type};

/// A domain: values that can be tested, counted, iterated and sampled without being listed.
#[derive(Debug, Clone)]
pub enum Domain {
    /// Every integer.
    Ints,
    /// Every integer from this one up.
    AtLeast(Expr),
    /// The integers from the first to the last, inclusive.
    Range(Expr, Expr),
    /// The elements of a list, set or bag, the squares of a grid, the keys of a map.
    Values(Expr),
    /// Every permutation of a list's elements.
    Permutations(Expr),
    /// Every list of k distinct elements.
    Arrangements(Expr, Box<Domain>),
    /// Every subset, of the given size if there is one.
    Subsets(Expr, Option<Expr>),
    /// Every subset of at least the first number of elements, and at most the second if there is one.
    SubsetsFrom(Expr, Option<Expr>, Expr),
    /// Every tuple with one component from each domain.
    Tuples(Vec<Domain>),
    /// Every list of k elements, repeats allowed.
    Lists(Expr, Box<Domain>),
    /// Every list of at least the first number of elements, and at most the second if there is one.
    ListsFrom(Expr, Option<Expr>, Box<Domain>),
    /// The values of a domain that satisfy a condition, which reads the value from the slot.
    Where(Slot, Box<Domain>, Box<Expr>),
}

impl Domain {
    /// Returns the domain without its condition, and the condition if there is one, so that it can be tested for one
    /// value only.
    pub fn without_condition(&self) -> (&Domain, Option<&Expr>) {
        match self {
            Domain::Where(_, of, condition) => (of, Some(condition)),
            domain => (domain, None),
        }
    }

    /// Returns the type of its values.
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
            Domain::Subsets(e, _) | Domain::SubsetsFrom(_, _, e) => Type::Set(Box::new(of(e))),
            Domain::Tuples(parts) => Type::Tuple(parts.iter().map(Domain::element).collect()),
        }
    }

    /// Whether it is infinite, or may be.
    pub fn is_infinite(&self) -> bool {
        match self {
            Domain::Ints | Domain::AtLeast(_) | Domain::ListsFrom(_, None, _) => true,
            Domain::Range(..)
            | Domain::Values(_)
            | Domain::Permutations(_)
            | Domain::Subsets(..)
            | Domain::SubsetsFrom(..) => false,
            Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, Some(_), of) => {
                of.is_infinite()
            }
            Domain::Tuples(parts) => parts.iter().any(Domain::is_infinite),
            // A condition may bound the length of lists; that is found out when they are counted.
            Domain::Where(_, of, _) => match &**of {
                Domain::ListsFrom(_, None, of) => of.is_infinite(),
                of => of.is_infinite(),
            },
        }
    }

    /// Whether its values are rows: lists, sets or tuples composed of other values.
    pub fn is_of_rows(&self) -> bool {
        !matches!(
            self,
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) | Domain::Values(_) | Domain::Where(..)
        )
    }
}
