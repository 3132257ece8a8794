//! The types of values, as inferred by the checker; ranges are left to [`super::Form`].

mod parts;

use std::collections::BTreeSet;

use super::{DIRECTIONS, SymbolId};
use crate::diag::nouns::{with_article, with_s};

pub use parts::{PartNames, TupleParts};

/// The type of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// The type of an erroneous expression; already reported, and compatible with every type to avoid
    /// follow-up errors.
    Wrong,
    /// The type without values, such as the element type of `[]`.
    Never,
    /// An integer.
    Int,
    /// `yes` or `no`.
    Bool,
    /// One of some symbols.
    Symbol(BTreeSet<SymbolId>),
    /// A player.
    Player,
    /// A square of a grid.
    Square,
    /// A text.
    Text,
    /// A value or `none`.
    Optional(Box<Type>),
    /// A list.
    List(Box<Type>),
    /// A set.
    Set(Box<Type>),
    /// A bag (multiset).
    Bag(Box<Type>),
    /// A grid.
    Grid(Box<Type>),
    /// A tuple of values of different types.
    Tuple(TupleParts<Type>),
    /// A map; the key type comes first.
    Map(Box<Type>, Box<Type>),
    /// One of some symbols, or another kind of value.
    Either(BTreeSet<SymbolId>, Box<Type>),
}

impl Type {
    /// Whether a value of type `other` is allowed where this type is expected.
    pub fn accepts(&self, other: &Type) -> bool {
        use Type::*;
        match (self, other) {
            (Wrong, _) | (_, Wrong | Never) => true,
            (Symbol(a), Symbol(b)) => !a.is_disjoint(b),
            (Optional(a), Optional(b)) => a.accepts(b),
            (Optional(a), b) => a.accepts(b),
            (List(a), List(b)) | (Set(a), Set(b)) | (Bag(a), Bag(b)) | (Grid(a), Grid(b)) => a.accepts(b),
            (Map(k, v), Map(l, w)) => k.accepts(l) && v.accepts(w),
            (Tuple(a), Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.accepts(b)),
            (Either(ids, of), Either(others, other)) => !ids.is_disjoint(others) && of.accepts(other),
            (Either(ids, _), Symbol(others)) => !ids.is_disjoint(others),
            (Either(_, of), other) => of.accepts(other),
            (a, b) => a == b,
        }
    }

    /// Whether its values are lists, sets or bags.
    pub fn is_collection(&self) -> bool {
        matches!(self, Type::List(_) | Type::Set(_) | Type::Bag(_))
    }

    /// Whether this is type `ty`, looking through `optional` and taking the non-symbol alternative of
    /// [`Type::Either`].
    pub fn is_of(&self, ty: &Type) -> bool {
        match ty {
            Type::Optional(inner) => self.is_of(inner),
            Type::Either(_, other) => **other == *self,
            ty => ty == self,
        }
    }

    /// Returns the smallest type that accepts both; `None` if there is none.
    pub fn join(&self, other: &Type) -> Option<Type> {
        use Type::*;
        let boxed = |a: &Type, b: &Type| a.join(b).map(Box::new);
        Some(match (self, other) {
            (Wrong, _) | (_, Wrong) => Wrong,
            (Never, a) | (a, Never) => a.clone(),
            (Symbol(a), Symbol(b)) => Symbol(a.union(b).copied().collect()),
            (Optional(a), Optional(b)) => Optional(boxed(a, b)?),
            (Optional(a), b) | (b, Optional(a)) => Optional(boxed(a, b)?),
            (List(a), List(b)) => List(boxed(a, b)?),
            (Set(a), Set(b)) => Set(boxed(a, b)?),
            (Bag(a), Bag(b)) => Bag(boxed(a, b)?),
            (Grid(a), Grid(b)) => Grid(boxed(a, b)?),
            (Map(k, v), Map(l, w)) => Map(boxed(k, l)?, boxed(v, w)?),
            (Tuple(a), Tuple(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b).map(|(a, b)| a.join(b)).collect::<Option<TupleParts<Type>>>()?;
                Tuple(parts.called(a.common_names(b)))
            }
            (Either(ids, of), Either(others, other)) => {
                Either(ids.union(others).copied().collect(), boxed(of, other)?)
            }
            (Either(ids, of), Symbol(others)) | (Symbol(others), Either(ids, of)) => {
                Either(ids.union(others).copied().collect(), of.clone())
            }
            (Either(ids, of), other) | (other, Either(ids, of)) => Either(ids.clone(), boxed(of, other)?),
            (a, b) if a == b => a.clone(),
            _ => return None,
        })
    }

    /// Returns the element type, if values of this type have elements.
    pub fn element(&self) -> Option<Type> {
        match self {
            Type::List(of) | Type::Set(of) | Type::Bag(of) => Some((**of).clone()),
            Type::Grid(_) => Some(Type::Square),
            Type::Map(key, _) => Some((**key).clone()),
            Type::Wrong => Some(Type::Wrong),
            _ => None,
        }
    }

    /// Returns the type of what lies at an index, a key or a square, if values of this type are read in that way.
    pub fn at_index(&self) -> Option<Type> {
        match self {
            Type::List(of) | Type::Grid(of) | Type::Map(_, of) => Some((**of).clone()),
            _ => None,
        }
    }

    /// Returns a description of the type for messages.
    pub fn words(&self, symbols: &Symbols) -> String {
        use Type::*;
        let of = |name: &str, of: &Type| match of {
            Never => format!("an empty {name}"),
            _ => format!("a {name} of {}", of.plural(symbols)),
        };
        match self {
            Wrong => "something unknown".into(),
            Never => "nothing".into(),
            Int => "a number".into(),
            Bool => "yes or no".into(),
            Symbol(ids) if every_direction(ids, symbols.names) => "a direction".into(),
            Symbol(ids) => match symbols.kind(ids) {
                Some(kind) => with_article(&kind),
                None => {
                    let names: Vec<&str> = ids.iter().map(|id| symbols.names[*id].as_str()).collect();
                    match names.as_slice() {
                        [one] => (*one).to_string(),
                        names => format!("one of {}", names.join(", ")),
                    }
                }
            },
            Player => "a player".into(),
            Square => "a square".into(),
            Text => "a text".into(),
            Optional(of) if **of == Never => "none".into(),
            Optional(of) => format!("{}, or none", of.words(symbols)),
            List(t) => of("list", t),
            Set(t) => of("set", t),
            Bag(t) => of("bag", t),
            Grid(t) => of("grid", t),
            Tuple(parts) => match parts.kind() {
                Some(kind) => with_article(&kind.replace('_', " ")),
                None => in_parentheses(parts, |part| part.words(symbols)),
            },
            Map(key, value) => {
                let key = key.words(symbols);
                let key = key.strip_prefix("a ").or(key.strip_prefix("an ")).unwrap_or(&key);
                format!("{} for each {key}", value.words(symbols))
            }
            Either(ids, of) => format!("{}, or {}", Symbol(ids.clone()).words(symbols), of.words(symbols)),
        }
    }

    fn plural(&self, symbols: &Symbols) -> String {
        match self {
            Type::Int => "numbers".into(),
            Type::Player => "players".into(),
            Type::Square => "squares".into(),
            Type::Symbol(ids) if every_direction(ids, symbols.names) => "directions".into(),
            Type::Symbol(ids) if let Some(kind) = symbols.kind(ids) => with_s(&kind),
            Type::List(of) => format!("lists of {}", of.plural(symbols)),
            Type::Set(of) => format!("sets of {}", of.plural(symbols)),
            Type::Bag(of) => format!("bags of {}", of.plural(symbols)),
            Type::Optional(of) => format!("optional {}", of.plural(symbols)),
            Type::Tuple(parts) => match parts.kind() {
                Some(kind) => with_s(&kind.replace('_', " ")),
                None => in_parentheses(parts, |part| part.plural(symbols)),
            },
            other => other.words(symbols),
        }
    }
}

/// The names of symbols, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Symbols<'g> {
    /// The names of all symbols.
    pub names: &'g [String],
    /// The kinds by whose names all their symbols are called together.
    pub kinds: &'g [(String, Vec<SymbolId>)],
}

impl Symbols<'_> {
    /// Returns the kind that has exactly these symbols, in words.
    fn kind(&self, ids: &BTreeSet<SymbolId>) -> Option<String> {
        let all = |(_, of): &&(String, Vec<SymbolId>)| {
            of.len() == ids.len() && of.iter().all(|id| ids.contains(id))
        };
        self.kinds.iter().find(all).map(|(kind, _)| kind.replace('_', " "))
    }
}

/// Describes the parts of a tuple, each behind its name if it has one.
fn in_parentheses(parts: &TupleParts<Type>, words: impl Fn(&Type) -> String) -> String {
    let part = |(at, part): (usize, &Type)| match parts.name(at) {
        Some(name) => format!("{name}: {}", words(part)),
        None => words(part),
    };
    format!("({})", parts.iter().enumerate().map(part).collect::<Vec<_>>().join(", "))
}

/// Whether these symbols are exactly the eight directions.
fn every_direction(ids: &BTreeSet<SymbolId>, symbols: &[String]) -> bool {
    let called = |id: &SymbolId| DIRECTIONS.iter().any(|way| way.is_called(&symbols[*id]));
    ids.len() == DIRECTIONS.len() && ids.iter().all(called)
}
