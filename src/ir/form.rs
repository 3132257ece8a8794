//! The declared shape of a state variable or option: its type with ranges and sizes, which may depend on the
//! options.

use std::collections::BTreeSet;

use super::{Expr, SymbolId, TupleParts, Type};
pub use crate::ast::Bound;

/// The values that a state variable or option may hold.
#[derive(Debug, Clone)]
pub enum Form {
    /// Any integer.
    Int,
    /// The integers from the first to the last, inclusive.
    Range(Box<Expr>, Box<Expr>),
    /// The integers from this one up.
    AtLeast(Box<Expr>),
    /// `yes` or `no`.
    Bool,
    /// One of some symbols, in declaration order.
    Symbols(Vec<SymbolId>),
    /// A player.
    Player,
    /// A square.
    Square,
    /// A value or `none`.
    Optional(Box<Form>),
    /// A list, of limited length if a bound is given.
    List(Option<(Bound, Box<Expr>)>, Box<Form>),
    /// A set.
    Set(Box<Form>),
    /// A bag.
    Bag(Box<Form>),
    /// A grid, with its numbers of rows and columns.
    Grid(Box<Expr>, Box<Expr>, Box<Form>),
    /// A tuple.
    Tuple(TupleParts<Form>),
    /// A value for each key; the value's form comes first.
    Map(Box<Form>, Box<Form>),
    /// One of some symbols, or another kind of value.
    Either(Vec<SymbolId>, Box<Form>),
    /// A form that could not be resolved; already reported.
    Wrong,
}

impl Form {
    /// Whether the values are single values, not collections.
    pub fn is_single(&self) -> bool {
        match self {
            Form::List(..) | Form::Set(_) | Form::Bag(_) | Form::Grid(..) | Form::Map(..) => false,
            Form::Optional(of) | Form::Either(_, of) => of.is_single(),
            Form::Tuple(parts) => parts.iter().all(Form::is_single),
            _ => true,
        }
    }

    /// Returns the type of the values.
    pub fn ty(&self) -> Type {
        match self {
            Form::Int | Form::Range(..) | Form::AtLeast(_) => Type::Int,
            Form::Bool => Type::Bool,
            Form::Symbols(ids) => Type::Symbol(ids.iter().copied().collect::<BTreeSet<_>>()),
            Form::Player => Type::Player,
            Form::Square => Type::Square,
            Form::Optional(of) => Type::Optional(Box::new(of.ty())),
            Form::List(_, of) => Type::List(Box::new(of.ty())),
            Form::Set(of) => Type::Set(Box::new(of.ty())),
            Form::Bag(of) => Type::Bag(Box::new(of.ty())),
            Form::Grid(_, _, of) => Type::Grid(Box::new(of.ty())),
            Form::Tuple(parts) => {
                let types: TupleParts<Type> = parts.iter().map(Form::ty).collect();
                Type::Tuple(types.called(parts.names().cloned()))
            }
            Form::Map(value, key) => Type::Map(Box::new(key.ty()), Box::new(value.ty())),
            Form::Either(ids, of) => Type::Either(ids.iter().copied().collect(), Box::new(of.ty())),
            Form::Wrong => Type::Wrong,
        }
    }
}
