//! Things that change places: what one world has where another has something else.

use super::elements;
use crate::ir::Value;

/// A value in which each thing and its counterpart have changed places.
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

/// Two things that stand for each other, and the parts of them that do.
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

/// A value in which one thing of a list is another.
pub fn with_one_for_another(value: &Value, thing: &Value, other: &Value) -> Value {
    let Value::List(items) = value else { return if value == thing { other.clone() } else { value.clone() } };
    let mut items = items.to_vec();
    if let Some(item) = items.iter_mut().find(|item| *item == thing) {
        *item = other.clone();
    }
    Value::list(items)
}
