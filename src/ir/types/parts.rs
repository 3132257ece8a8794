//! The parts of a tuple's type or form. They may have names, which are only for people: two tuples with parts of
//! the same types are of the same type, whatever their parts are called.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// What a tuple and its parts are called: `kind card: (suit: colour, rank: 1..9)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartNames {
    /// The name of the kind, if it is declared as one.
    pub kind: Option<String>,
    /// The names of the parts that have one, in the order of the parts.
    pub parts: Vec<Option<String>>,
}

/// The parts of a tuple's type or form, in order.
#[derive(Debug, Clone)]
pub struct TupleParts<T> {
    of: Vec<T>,
    names: Option<Arc<PartNames>>,
}

impl<T> TupleParts<T> {
    /// Returns the same parts with names; `None` takes their names away.
    pub fn called(self, names: Option<Arc<PartNames>>) -> TupleParts<T> {
        TupleParts { names, ..self }
    }

    /// Returns the names, if there are any.
    pub fn names(&self) -> Option<&Arc<PartNames>> {
        self.names.as_ref()
    }

    /// Returns the name of the kind, if the tuple is declared as one.
    pub fn kind(&self) -> Option<&str> {
        self.names.as_ref()?.kind.as_deref()
    }

    /// Returns the name of the part at a 0-based place, if it has one.
    pub fn name(&self, at: usize) -> Option<&str> {
        self.names.as_ref()?.parts.get(at)?.as_deref()
    }

    /// Returns how the part at a 0-based place is written behind a dot: its name, or its number, from 1.
    pub fn label(&self, at: usize) -> String {
        self.name(at).map_or_else(|| (at + 1).to_string(), str::to_string)
    }

    /// Returns the 0-based place of the part that is called so.
    pub fn called_so(&self, name: &str) -> Option<usize> {
        self.names.as_ref()?.parts.iter().position(|part| part.as_deref() == Some(name))
    }

    /// Returns the names that parts have which may come from here or from there: none if the two disagree.
    pub fn common_names<U>(&self, other: &TupleParts<U>) -> Option<Arc<PartNames>> {
        match (&self.names, &other.names) {
            (Some(a), Some(b)) if a == b => Some(a.clone()),
            (Some(a), Some(b)) if a.parts == b.parts => {
                Some(Arc::new(PartNames { kind: None, parts: b.parts.clone() }))
            }
            (Some(_), Some(_)) => None,
            (a, b) => a.clone().or(b.clone()),
        }
    }
}

impl<T> Deref for TupleParts<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.of
    }
}

impl<T> From<Vec<T>> for TupleParts<T> {
    fn from(of: Vec<T>) -> TupleParts<T> {
        TupleParts { of, names: None }
    }
}

impl<T> FromIterator<T> for TupleParts<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> TupleParts<T> {
        Vec::from_iter(all).into()
    }
}

impl<'a, T> IntoIterator for &'a TupleParts<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.of.iter()
    }
}

impl<T: PartialEq> PartialEq for TupleParts<T> {
    fn eq(&self, other: &TupleParts<T>) -> bool {
        self.of == other.of
    }
}

impl<T: Eq> Eq for TupleParts<T> {}

impl<T: Hash> Hash for TupleParts<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.of.hash(state);
    }
}
