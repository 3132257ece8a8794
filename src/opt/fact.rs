//! What is known about one value, and what is known where an expression stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::MAX_ELEMENTS;
use crate::ir::Slot;

/// Bounds of integers are limited to ±`UNBOUNDED`, which also stands for an unknown bound.
pub(super) const UNBOUNDED: i128 = 1 << 62;

/// What is known about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The least and the greatest integer it may be; seats count from 0, symbols by their ids, `no` is 0 and
    /// `yes` is 1.
    pub range: (i128, i128),
    /// The numbers of rows and columns of a grid that contains it, if it is a square.
    pub board_size: Option<(i128, i128)>,
    /// The minimum and maximum number of elements, if it is a collection.
    pub size: (i128, i128),
    /// What is known about each of its elements, or about every component of a tuple.
    pub element: Option<Arc<Fact>>,
    /// What is known about each component, if it is a tuple.
    pub parts: Option<Arc<[Fact]>>,
    /// The text of a list expression whose size the value is known not to exceed, if there is one.
    pub index_into: Option<Arc<str>>,
    /// Whether it may be `none`.
    pub optional: bool,
}

impl Default for Fact {
    fn default() -> Fact {
        Fact {
            range: (-UNBOUNDED, UNBOUNDED),
            board_size: None,
            size: (0, UNBOUNDED),
            element: None,
            parts: None,
            index_into: None,
            optional: true,
        }
    }
}

impl Fact {
    /// Creates the fact of an integer in a range.
    pub fn int(low: i128, high: i128) -> Fact {
        Fact { range: (low.max(-UNBOUNDED), high.min(UNBOUNDED)), optional: false, ..Fact::default() }
    }

    pub(super) fn square(rows: i128, columns: i128) -> Fact {
        Fact { board_size: Some((rows, columns)), optional: false, ..Fact::default() }
    }

    /// Creates the fact of a collection from its least and greatest size and the fact of its elements.
    pub fn collection(least: i128, most: i128, element: Fact) -> Fact {
        // Larger collections cannot be built.
        let most = most.clamp(0, MAX_ELEMENTS as i128);
        let element = Some(Arc::new(element));
        Fact { size: (least.clamp(0, most), most), element, optional: false, ..Fact::default() }
    }

    /// Creates the fact of a tuple from those of its components.
    pub fn tuple(parts: impl Iterator<Item = Fact>) -> Fact {
        let parts: Arc<[Fact]> = parts.collect();
        let any = parts.iter().cloned().reduce(|a, b| a.join(&b)).unwrap_or_default();
        let count = parts.len() as i128;
        Fact { parts: Some(parts), ..Fact::collection(count, count, any) }
    }

    /// Returns what is known about a value to which at least one of the two facts applies.
    pub(super) fn join(&self, other: &Fact) -> Fact {
        let within = |a: (i128, i128), b: (i128, i128)| (a.0.min(b.0), a.1.max(b.1));
        let largest = |a: (i128, i128), b: (i128, i128)| (a.0.max(b.0), a.1.max(b.1));
        Fact {
            range: within(self.range, other.range),
            board_size: self.board_size.zip(other.board_size).map(|(a, b)| largest(a, b)),
            size: within(self.size, other.size),
            element: match (&self.element, &other.element) {
                // An empty collection says nothing about elements.
                (Some(_), _) if other.size.1 == 0 => self.element.clone(),
                (_, Some(_)) if self.size.1 == 0 => other.element.clone(),
                (Some(a), Some(b)) => Some(Arc::new(a.join(b))),
                _ => None,
            },
            parts: match (&self.parts, &other.parts) {
                (Some(a), Some(b)) if a.len() == b.len() => {
                    Some(a.iter().zip(b.iter()).map(|(a, b)| a.join(b)).collect())
                }
                _ => None,
            },
            index_into: self.index_into.clone().filter(|of| other.index_into.as_ref() == Some(of)),
            optional: self.optional || other.optional,
        }
    }

    /// Returns what is known about each element.
    pub fn element_fact(&self) -> Fact {
        self.element.as_deref().cloned().unwrap_or_default()
    }

    /// Returns what is known about the component of a tuple at an index from 0.
    pub fn part_fact(&self, at: usize) -> Fact {
        match self.parts.as_ref().and_then(|parts| parts.get(at)) {
            Some(part) => part.clone(),
            None => self.element_fact(),
        }
    }

    /// Returns the maximum number of different values.
    pub(super) fn values(&self) -> i128 {
        let own = match self.board_size {
            Some((rows, columns)) => rows.saturating_mul(columns),
            None => self.range.1.saturating_sub(self.range.0).saturating_add(1).max(0),
        };
        own.saturating_add(i128::from(self.optional)).min(UNBOUNDED)
    }

    /// Returns the integer, if there is only one possibility.
    pub fn exact(&self) -> Option<i128> {
        (self.range.0 == self.range.1).then_some(self.range.0)
    }
}

/// What is known at a point in an expression.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Facts about local variables.
    pub slots: BTreeMap<Slot, Fact>,
    /// Facts about other expressions, by their text, that follow from enclosing conditions.
    pub(super) expr_facts: BTreeMap<String, Fact>,
}

impl Scope {
    /// Records a fact about a local variable.
    pub fn insert(&mut self, slot: Slot, fact: Fact) {
        self.slots.insert(slot, fact);
    }

    /// Records that a local variable has a value, even if nothing else is known about it.
    pub fn mark_set(&mut self, slot: Slot) {
        self.slots.entry(slot).or_default();
    }

    /// Keeps only what another scope says as well.
    pub(super) fn join(&mut self, other: &Scope) {
        self.slots.retain(|slot, fact| match other.slots.get(slot) {
            Some(other) if other != fact => {
                *fact = fact.join(other);
                true
            }
            other => other.is_some(),
        });
        self.expr_facts.retain(|text, fact| match other.expr_facts.get(text) {
            Some(other) => {
                *fact = fact.join(other);
                true
            }
            None => false,
        });
    }

    /// Records that a value is bound to a slot, or the components of a tuple to several.
    pub(super) fn bind_slots(&mut self, slots: &[Slot], fact: Fact) {
        match slots {
            [slot] => self.insert(*slot, fact),
            slots if fact.element.is_some() => {
                slots.iter().enumerate().for_each(|(at, slot)| self.insert(*slot, fact.part_fact(at)));
            }
            slots => slots.iter().for_each(|slot| drop(self.slots.remove(slot))),
        }
    }
}
