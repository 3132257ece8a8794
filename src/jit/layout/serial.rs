//! Serialises values of any type to words and back; values without a flat shape are stored like this in a
//! growing block.

use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use crate::ir::{Grid, SquareAt, Value};
use crate::num::Int;

/// Tags in the lowest byte of a value's first word; the rest of that word is a number or a length.
const UNSET: u64 = 0;
const NONE: u64 = 1;
const SMALL: u64 = 2;
const LARGE: u64 = 3;
const BOOL: u64 = 4;
const SYMBOL: u64 = 5;
const PLAYER: u64 = 6;
const SQUARE: u64 = 7;
const TEXT: u64 = 8;
const LIST: u64 = 9;
const SET: u64 = 10;
const BAG: u64 = 11;
const GRID: u64 = 12;
const MAP: u64 = 13;

/// Serialises a value to words.
pub fn words_of(value: &Value) -> Vec<u64> {
    let mut words = Vec::new();
    write_value(value, &mut words);
    words
}

fn write_value(value: &Value, words: &mut Vec<u64>) {
    let head = |sort: u64, n: usize| sort | (n as u64) << 8;
    match value {
        Value::Unset => words.push(UNSET),
        Value::None => words.push(NONE),
        Value::Int(Int::Small(n)) => words.extend([SMALL, *n as u64]),
        Value::Int(Int::Big(n)) => {
            let (sign, digits) = n.to_u64_digits();
            words.extend([head(LARGE, digits.len()), u64::from(sign == Sign::Minus)]);
            words.extend(digits);
        }
        Value::Bool(b) => words.push(head(BOOL, usize::from(*b))),
        Value::Symbol(id) => words.push(head(SYMBOL, *id)),
        Value::Player(seat) => words.push(head(PLAYER, *seat)),
        Value::Square(at) => words.extend([head(SQUARE, at.row as usize), u64::from(at.column)]),
        Value::Text(text) => {
            words.push(head(TEXT, text.len()));
            words.extend(text.as_bytes().chunks(8).map(|bytes| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            }));
        }
        Value::List(items) => {
            words.push(head(LIST, items.len()));
            items.iter().for_each(|item| write_value(item, words));
        }
        Value::Set(items) => {
            words.push(head(SET, items.len()));
            items.iter().for_each(|item| write_value(item, words));
        }
        Value::Bag(items) => {
            words.push(head(BAG, items.len()));
            for (item, times) in items.iter() {
                words.push(*times as u64);
                write_value(item, words);
            }
        }
        Value::Grid(grid) => {
            words.extend([head(GRID, grid.rows as usize), u64::from(grid.columns)]);
            grid.cells.iter().for_each(|cell| write_value(cell, words));
        }
        Value::Map(map) => {
            words.push(head(MAP, map.len()));
            for (key, item) in map.iter() {
                write_value(key, words);
                write_value(item, words);
            }
        }
    }
}

/// Returns the value that words encode; no words at all encode a place that was never written.
pub fn value_of(words: &[u64]) -> Value {
    let mut rest = words.iter().copied();
    read_value(&mut rest)
}

fn read_value(words: &mut dyn Iterator<Item = u64>) -> Value {
    let Some(head) = words.next() else { return Value::Unset };
    let n = (head >> 8) as usize;
    let mut word = || words.next().unwrap_or_default();
    let number = |n: u64| u32::try_from(n).unwrap_or_default();
    match head & 0xff {
        NONE => Value::None,
        SMALL => Value::int(word() as i64),
        LARGE => {
            let sign = if word() == 1 { Sign::Minus } else { Sign::Plus };
            let halves = (0..n).flat_map(|_| {
                let digit = word();
                [digit as u32, (digit >> 32) as u32]
            });
            Value::Int(Int::from(BigInt::new(sign, halves.collect())))
        }
        BOOL => Value::Bool(n == 1),
        SYMBOL => Value::Symbol(n),
        PLAYER => Value::Player(n),
        SQUARE => Value::Square(SquareAt { row: number(n as u64), column: number(word()) }),
        TEXT => {
            let mut bytes: Vec<u8> = (0..n.div_ceil(8)).flat_map(|_| word().to_le_bytes()).collect();
            bytes.truncate(n);
            Value::Text(String::from_utf8(bytes).unwrap_or_default().into())
        }
        LIST => Value::list((0..n).map(|_| read_value(words)).collect()),
        SET => Value::set((0..n).map(|_| read_value(words))),
        BAG => Value::Bag(Arc::new(
            (0..n)
                .map(|_| {
                    let times = words.next().unwrap_or_default() as usize;
                    (read_value(words), times)
                })
                .collect(),
        )),
        GRID => {
            let (rows, columns) = (number(n as u64), number(word()));
            let cells = (0..u64::from(rows) * u64::from(columns)).map(|_| read_value(words)).collect();
            Value::Grid(Arc::new(Grid { rows, columns, cells }))
        }
        MAP => Value::Map(Arc::new((0..n).map(|_| (read_value(words), read_value(words))).collect())),
        _ => Value::Unset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_value_comes_back() {
        let large =
            |sign| Value::Int(Int::from(BigInt::from(sign) * BigInt::from(i64::MAX) * BigInt::from(5)));
        let square = Value::Square(SquareAt { row: 3, column: 300 });
        let items = vec![
            Value::Unset,
            Value::None,
            Value::int(-7),
            large(1),
            large(-1),
            Value::Bool(true),
            Value::Symbol(4),
            Value::Player(1),
            square.clone(),
            Value::Text("nine letters ½".to_string().into()),
            Value::Text(String::new().into()),
        ];
        let list = Value::list(items.clone());
        let grid = Value::Grid(Arc::new(Grid { rows: 1, columns: 2, cells: vec![list.clone(), square] }));
        let map = Value::Map(Arc::new([(Value::int(1), list.clone()), (Value::int(2), grid)].into()));
        let all = [list, Value::set(items.clone()), Value::bag([items.clone(), items].concat()), map];
        for value in &all {
            assert_eq!(value_of(&words_of(value)), *value);
        }
        assert_eq!(value_of(&words_of(&Value::list(all.to_vec()))), Value::list(all.to_vec()));
    }
}
