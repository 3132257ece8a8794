//! Rows in one table of words, to be looked up by rank: the automaton of [`super::Counted`], or listed rows.
//!
//! A table begins with its length, the number of rows, the length of the longest row, whether rows are sets, and
//! the position of the rows themselves, or 0 if it does not have them. Then come the states: the number of rows that end there, the number of ways, and for each way the
//! rank of the first row that takes it, the element, and the position of the state it leads to. The rows, if they are
//! few, come last: each with its length, in as many words as the longest takes.

use crate::ir::Value;

/// The place of the length of the longest row.
pub const LONGEST: usize = 2;
/// The number of words at the beginning of a table.
pub(super) const HEAD: usize = 5;
/// The number of words of a state before its ways.
pub(super) const STATE: usize = 2;
/// The number of words of a way.
pub(super) const WAY: usize = 3;
/// The element of a way that takes no element.
pub(super) const LEFT_OUT: i64 = i64::MIN;

/// Returns a table of the given rows, in order; `None` if an element does not fit a word.
pub fn listed(rows: &[Value], word: &dyn Fn(&Value) -> Option<i64>) -> Option<Vec<i64>> {
    let all: Vec<Vec<Value>> = rows.iter().map(super::elements).collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let is_set = matches!(rows.first(), Some(Value::Set(_)));
    let mut words = vec![0, all.len() as i64, longest as i64, i64::from(is_set), 0, 0, all.len() as i64];
    words.resize(words.len() + all.len() * WAY, 0);
    for (rank, row) in all.iter().enumerate() {
        // A way from the first state leads to each row's own chain of states, which has no branches.
        let way = HEAD + STATE + rank * WAY;
        let next = words.len() as i64;
        words[way..way + WAY].copy_from_slice(&[rank as i64, LEFT_OUT, next]);
        for item in row {
            let next = (words.len() + STATE + WAY) as i64;
            words.extend([0, 1, 0, word(item)?, next]);
        }
        words.extend([1, 0]);
    }
    words[0] = words.len() as i64;
    Some(words)
}

/// Adds the rows to a table if they are few: each is then read without following the states.
pub fn with_rows(mut table: Vec<i64>) -> Vec<i64> {
    const MAX_ROWS: i64 = 256;
    const MAX_WORDS: i64 = 1 << 12;
    let room = longest(&table).saturating_add(1);
    if count(&table) > MAX_ROWS || count(&table).saturating_mul(room) > MAX_WORDS {
        return table;
    }
    let mut rows = Vec::new();
    let mut row = Vec::new();
    for rank in 0..count(&table) {
        at(&table, rank, &mut row);
        rows.push(row.len() as i64);
        rows.extend_from_slice(&row);
        rows.resize((rank + 1) as usize * room as usize, 0);
    }
    table[4] = table.len() as i64;
    table.extend(rows);
    table[0] = table.len() as i64;
    table
}

/// Returns the number of rows in a table.
pub fn count(table: &[i64]) -> i64 {
    table[1]
}

/// Returns the length of the longest row.
pub fn longest(table: &[i64]) -> i64 {
    table[LONGEST]
}

/// Stores the row of a rank, which is 0-based and must be below the count, in `row`.
pub fn at(table: &[i64], rank: i64, row: &mut Vec<i64>) {
    row.clear();
    if let begin @ 1.. = table[4] as usize {
        let own = &table[begin + rank as usize * (longest(table) as usize + 1)..];
        row.extend_from_slice(&own[1..][..own[0] as usize]);
        return;
    }
    let (mut rest, mut state) = (rank, HEAD);
    while let [ends, ways, behind @ ..] = &table[state..]
        && rest >= *ends
    {
        let (ways, _) = behind[..*ways as usize * WAY].as_chunks::<WAY>();
        // The last way whose first row is not after this one.
        let way = ways.partition_point(|[first, ..]| *first <= rest);
        let Some([first, element, to]) = way.checked_sub(1).map(|way| ways[way]) else { break };
        if element != LEFT_OUT {
            row.push(element);
        }
        rest -= first;
        state = to as usize;
    }
    if table[3] == 1 {
        row.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_with_and_without_their_own_place() {
        let word = |value: &Value| if let Value::Int(n) = value { n.as_i64() } else { None };
        let list = |items: &[i64]| Value::list(items.iter().map(|n| Value::int(*n)).collect());
        let set = |items: &[i64]| Value::set(items.iter().map(|n| Value::int(*n)));
        let rows = [&[][..], &[4], &[1, 2, 3], &[5, 6], &[3, 9]];
        for values in [rows.map(list).to_vec(), rows.map(set).to_vec(), Vec::new()] {
            let plain = listed(&values, &word).unwrap();
            let with = with_rows(plain.clone());
            assert_eq!((count(&with), with[0]), (count(&plain), with.len() as i64));
            assert!(with[4] > 0);
            for rank in 0..count(&plain) {
                let (mut a, mut b) = (vec![7], vec![8, 9]);
                at(&plain, rank, &mut a);
                at(&with, rank, &mut b);
                assert_eq!(a, b, "rank {rank}");
            }
        }
    }
}
