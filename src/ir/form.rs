//! The declared shape of a place: its type with ranges and sizes, which may depend on the options.

use std::collections::BTreeSet;

use super::{Expr, SymbolId, Type};
pub use crate::ast::Bound;

/// The values a place may hold.
#[derive(Debug, Clone)]
pub enum Form {
    /// Any integer.
    Int,
    /// The integers from the first to the last.
    Range(Box<Expr>, Box<Expr>),
    /// The integers from this one on.
    AtLeast(Box<Expr>),
    /// `yes` or `no`.
    Bool,
    /// Some symbols, in the order of their declaration.
    Symbols(Vec<SymbolId>),
    /// A player.
    Player,
    /// A square.
    Square,
    /// A value or none.
    Optional(Box<Form>),
    /// A list, of bounded length where it says so.
    List(Option<(Bound, Box<Expr>)>, Box<Form>),
    /// A set.
    Set(Box<Form>),
    /// A bag.
    Bag(Box<Form>),
    /// A grid with its rows and columns.
    Grid(Box<Expr>, Box<Expr>, Box<Form>),
    /// A row of values.
    Tuple(Vec<Form>),
    /// A value for each key: value, key.
    Map(Box<Form>, Box<Form>),
    /// One of some symbols, or something else.
    Either(Vec<SymbolId>, Box<Form>),
    /// What could not be read; already reported.
    Wrong,
}

impl Form {
    /// Whether a value is a single one, and no collection of values.
    pub fn is_single(&self) -> bool {
        match self {
            Form::List(..) | Form::Set(_) | Form::Bag(_) | Form::Grid(..) | Form::Map(..) => false,
            Form::Optional(of) | Form::Either(_, of) => of.is_single(),
            Form::Tuple(parts) => parts.iter().all(Form::is_single),
            _ => true,
        }
    }

    /// The type of the values.
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
            Form::Tuple(parts) => Type::Tuple(parts.iter().map(Form::ty).collect()),
            Form::Map(value, key) => Type::Map(Box::new(key.ty()), Box::new(value.ty())),
            Form::Either(ids, of) => Type::Either(ids.iter().copied().collect(), Box::new(of.ty())),
            Form::Wrong => Type::Wrong,
        }
    }
}
