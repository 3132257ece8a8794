//! How values that fit no word are kept in scratch memory, each named by one word.

use std::sync::Arc;

use crate::ir::Type;
use crate::jit::layout::shape::{Scalar, Squares, scalar_of_type};

/// How a value is kept in one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The word of a single value.
    Word(Scalar),
    /// The address of a set's bits.
    Bits(Scalar),
    /// The address of a list's length and the address of its elements.
    List(Scalar),
    /// The same of the list of a bag's elements.
    Bag(Scalar),
    /// The same of a list of values that fit no word.
    Gathered(Arc<Kept>),
    /// A list without elements.
    Empty,
    /// The address of a tuple's parts.
    Tuple(Vec<Kept>),
}

impl Kept {
    /// Returns how the values of both are kept, if in the same way but for their ranges.
    pub fn join(&self, other: &Kept) -> Option<Kept> {
        Some(match (self, other) {
            (Kept::Word(a), Kept::Word(b)) => Kept::Word(a.join(*b)?),
            (Kept::List(a), Kept::List(b)) => Kept::List(a.join(*b)?),
            (Kept::Bag(a), Kept::Bag(b)) => Kept::Bag(a.join(*b)?),
            (Kept::Gathered(a), Kept::Gathered(b)) => Kept::Gathered(Arc::new(a.join(b)?)),
            (Kept::Empty, list @ (Kept::List(_) | Kept::Gathered(_)))
            | (list @ (Kept::List(_) | Kept::Gathered(_)), Kept::Empty) => list.clone(),
            (Kept::Tuple(a), Kept::Tuple(b)) if a.len() == b.len() => {
                Kept::Tuple(a.iter().zip(b).map(|(a, b)| a.join(b)).collect::<Option<_>>()?)
            }
            (a, b) => return (a == b).then(|| a.clone()),
        })
    }

    /// Returns how values of a type that fits no word are kept if their ranges are not known; `None` if single values within
    /// may be kept in several ways.
    pub fn of_type(ty: &Type, players: usize, squares: Squares) -> Option<Kept> {
        let single = |ty: &Type| match ty {
            Type::Int | Type::Bool | Type::Symbol(_) | Type::Player | Type::Square => {
                scalar_of_type(ty, players, squares)
            }
            _ => None,
        };
        match ty {
            Type::List(of) => match single(of) {
                Some(of) => Some(Kept::List(of)),
                None => Some(Kept::Gathered(Arc::new(Kept::of_type(of, players, squares)?))),
            },
            Type::Tuple(parts) if parts.iter().any(|part| single(part).is_none()) => {
                let one = |ty| single(ty).map(Kept::Word).or_else(|| Kept::of_type(ty, players, squares));
                Some(Kept::Tuple(parts.iter().map(one).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}
