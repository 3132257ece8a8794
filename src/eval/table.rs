//! Rows in one table of words: the automaton of [`super::Counted`], or rows one by one, to be taken by their rank.
//!
//! A table begins with its own length, how many rows there are, how long the longest is, and whether rows are sets. Then come
//! states: how many rows end there, how many ways go on; of each way the rank of the first row that takes it, the element,
//! and where the state lies that it leads to.

use crate::ir::Value;

/// How many words a table begins with.
pub(super) const HEAD: usize = 4;
/// How many words a state has before its ways.
pub(super) const STATE: usize = 2;
/// How many words a way has.
pub(super) const WAY: usize = 3;
/// The element of a way that takes none.
pub(super) const LEFT_OUT: i64 = i64::MIN;

/// Rows as they come, in a table; `None` where an element is no word.
pub fn listed(rows: &[Value], word: &dyn Fn(&Value) -> Option<i64>) -> Option<Vec<i64>> {
    let all: Vec<Vec<Value>> = rows.iter().map(super::elements).collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let is_set = matches!(rows.first(), Some(Value::Set(_)));
    let mut words = vec![0, all.len() as i64, longest as i64, i64::from(is_set), 0, all.len() as i64];
    words.resize(words.len() + all.len() * WAY, 0);
    for (rank, row) in all.iter().enumerate() {
        // A way of its own leads to each row, which goes on without another.
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

/// How many rows a table has.
pub fn count(table: &[i64]) -> i64 {
    table[1]
}

/// How long its longest row is.
pub fn longest(table: &[i64]) -> i64 {
    table[2]
}

/// The row of a rank below the count, from 0.
pub fn at(table: &[i64], rank: i64, row: &mut Vec<i64>) {
    row.clear();
    let (mut rest, mut state) = (rank, HEAD);
    while let [ends, ways, behind @ ..] = &table[state..]
        && rest >= *ends
    {
        let (ways, _) = behind[..*ways as usize * WAY].as_chunks::<WAY>();
        // The last way whose first row is not behind this one.
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
