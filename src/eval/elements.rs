//! The elements of a value: iterated, or accessed by place.

use std::collections::{btree_map, btree_set};
use std::sync::Arc;

use crate::ir::{SquareAt, Squares, Value};

/// Iterator over the elements of a value.
#[derive(Debug, Clone)]
pub enum Elements<'v> {
    /// The elements of a list.
    List(std::slice::Iter<'v, Value>),
    /// The elements of a set, ascending.
    Set(btree_set::Iter<'v, Value>),
    /// The elements of a bag, ascending: the current one with its remaining copies, and those after it.
    Bag(Option<(&'v Value, usize)>, btree_map::Iter<'v, Value, usize>),
    /// The squares of a grid, row by row.
    Grid(Squares),
    /// The keys of a map, ascending.
    Map(btree_map::Keys<'v, Value, Value>),
    /// A value without elements.
    Nothing,
}

/// Returns an iterator over the elements of a value in their fixed order; copies in bags come one by one.
pub(super) fn each(value: &Value) -> Elements<'_> {
    match value {
        Value::List(items) => Elements::List(items.iter()),
        Value::Set(items) => Elements::Set(items.iter()),
        Value::Bag(items) => Elements::Bag(None, items.iter()),
        Value::Grid(grid) => Elements::Grid(grid.squares()),
        Value::Map(map) => Elements::Map(map.keys()),
        _ => Elements::Nothing,
    }
}

/// Calls `on` with the elements of a value, in the order of [`each`], until it returns `false`. Returns
/// `false` in that case, and otherwise `true`.
pub(super) fn visit<E>(value: &Value, mut on: impl FnMut(Value) -> Result<bool, E>) -> Result<bool, E> {
    // The two most frequent kinds have loops of their own.
    match value {
        Value::List(items) => {
            for item in items.iter() {
                if !on(item.clone())? {
                    return Ok(false);
                }
            }
        }
        Value::Grid(grid) => {
            for row in 1..=grid.rows {
                for column in 1..=grid.columns {
                    if !on(Value::Square(SquareAt { row, column }))? {
                        return Ok(false);
                    }
                }
            }
        }
        value => {
            for item in each(value) {
                if !on(item)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Returns copies of the elements of a value, in the order of `each`.
pub fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        value => each(value).collect(),
    }
}

impl Iterator for Elements<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Elements::List(items) => items.next().cloned(),
            Elements::Set(items) => items.next().cloned(),
            Elements::Bag(same, items) => loop {
                match same {
                    Some((item, copies @ 1..)) => {
                        *copies -= 1;
                        return Some(item.clone());
                    }
                    _ => *same = items.next().map(|(item, copies)| Some((item, *copies)))?,
                }
            },
            Elements::Grid(squares) => squares.next().map(Value::Square),
            Elements::Map(keys) => keys.next().cloned(),
            Elements::Nothing => None,
        }
    }

    /// Exact except for the copies in bags and the squares of grids.
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Elements::List(items) => items.size_hint(),
            Elements::Set(items) => items.size_hint(),
            Elements::Map(keys) => keys.size_hint(),
            Elements::Bag(_, items) => (items.len(), None),
            Elements::Grid(_) => (0, None),
            Elements::Nothing => (0, Some(0)),
        }
    }
}

/// Whether a collection contains an element.
pub(super) fn has(collection: &Value, value: &Value) -> bool {
    match collection {
        Value::List(items) => items.contains(value),
        Value::Set(items) => items.contains(value),
        Value::Bag(items) => items.contains_key(value),
        Value::Map(map) => map.contains_key(value),
        Value::Grid(grid) => matches!(value, Value::Square(square) if grid.at(*square).is_some()),
        _ => false,
    }
}

/// Returns the element at a 1-based place of a list, a square of a grid or a key of a map, if there is one.
#[inline]
pub(super) fn element<'v>(base: &'v Value, at: &Value) -> Option<&'v Value> {
    match (base, at) {
        (Value::List(items), Value::Int(n)) => items.get(n.as_usize()?.checked_sub(1)?),
        (Value::Grid(grid), Value::Square(square)) => grid.at(*square).map(|at| &grid.cells[at]),
        (Value::Map(map), key) => map.get(key),
        _ => None,
    }
}

/// Like [`element`], but mutable.
pub(super) fn element_mut<'v>(base: &'v mut Value, at: &Value) -> Option<&'v mut Value> {
    match (base, at) {
        (Value::List(items), Value::Int(n)) => Arc::make_mut(items).get_mut(n.as_usize()?.checked_sub(1)?),
        (Value::Grid(grid), Value::Square(square)) => {
            let at = grid.at(*square)?;
            Some(&mut Arc::make_mut(grid).cells[at])
        }
        (Value::Map(map), key) => Arc::make_mut(map).get_mut(key),
        _ => None,
    }
}
