//! Exchanging values within values: what one world has where another has something else.

use super::elements;
use crate::ir::Value;

/// Returns a copy of `value` in which the two things of each pair are swapped.
pub fn exchanged(value: &Value, things: &[(Value, Value)]) -> Value {
    for (x, y) in things {
        if value == x {
            return y.clone();
        }
        if value == y {
            return x.clone();
        }
    }
    match value {
        Value::List(items) => Value::list(items.iter().map(|item| exchanged(item, things)).collect()),
        Value::Set(items) => Value::set(items.iter().map(|item| exchanged(item, things))),
        value => value.clone(),
    }
}

/// Returns the pair of two things that correspond to each other, and the pairs of their differing parts.
pub fn pairs_within(x: &Value, y: &Value) -> Vec<(Value, Value)> {
    let parts = |of: &Value, other: &Value| -> Vec<Value> {
        match of {
            Value::Set(_) | Value::Bag(_) => {
                let mut others = elements(other);
                let mut own = elements(of);
                own.retain(|part| match others.iter().position(|other| other == part) {
                    Some(at) => {
                        others.swap_remove(at);
                        false
                    }
                    None => true,
                });
                own
            }
            Value::List(items) => items.to_vec(),
            _ => Vec::new(),
        }
    };
    let mut pairs = Vec::new();
    if x != y {
        pairs.push((x.clone(), y.clone()));
        for (x, y) in parts(x, y).iter().zip(&parts(y, x)) {
            pairs.extend(pairs_within(x, y));
        }
    }
    pairs
}

/// Returns a copy of `value` with `thing` replaced by `other`: the first one in a list, or the value itself.
pub fn with_one_for_another(value: &Value, thing: &Value, other: &Value) -> Value {
    let Value::List(items) = value else { return if value == thing { other.clone() } else { value.clone() } };
    let mut items = items.to_vec();
    if let Some(item) = items.iter_mut().find(|item| *item == thing) {
        *item = other.clone();
    }
    Value::list(items)
}
