//! Rows in one table of words, to be looked up by rank: the automaton of [`super::Counted`], or listed rows.
//!
//! A table begins with its length, the number of rows, the length of the longest row, and whether rows are
//! sets. Then come the states: the number of rows that end there, the number of ways, and for each way the
//! rank of the first row that takes it, the element, and the position of the state it leads to.

use crate::ir::Value;

/// The number of words at the beginning of a table.
pub(super) const HEAD: usize = 4;
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
    let mut words = vec![0, all.len() as i64, longest as i64, i64::from(is_set), 0, all.len() as i64];
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

/// Returns the number of rows in a table.
pub fn count(table: &[i64]) -> i64 {
    table[1]
}

/// Returns the length of the longest row.
pub fn longest(table: &[i64]) -> i64 {
    table[2]
}

/// Stores the row of a rank, which is 0-based and must be below the count, in `row`.
pub fn at(table: &[i64], rank: i64, row: &mut Vec<i64>) {
    row.clear();
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
