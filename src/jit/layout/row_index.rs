//! Tables from rows of words to bits, as static data: an open-addressing hash table, at most half full.
//!
//! A table consists of its length in words; its capacity, a power of two; the number of words that the bits of a row take; for
//! each place, the offset of a row's entry in the table, or 0; and the entries: the length of the row, its words, and its bits.

use super::pool::hash;

/// The words before the places.
const HEAD: usize = 3;

/// Makes a table; the rows differ, and all have as many words of bits.
pub fn table(rows: &[(Vec<u64>, Vec<u64>)]) -> Vec<u64> {
    let capacity = (2 * rows.len()).next_power_of_two().max(2);
    let width = rows.first().map_or(0, |(_, bits)| bits.len());
    let mut all = vec![0; HEAD + capacity];
    all[1..HEAD].copy_from_slice(&[capacity as u64, width as u64]);
    for (row, bits) in rows {
        let mut place = hash(row) as usize & (capacity - 1);
        while all[HEAD + place] != 0 {
            place = (place + 1) & (capacity - 1);
        }
        all[HEAD + place] = all.len() as u64;
        all.push(row.len() as u64);
        all.extend(row.iter().chain(bits));
    }
    all[0] = all.len() as u64;
    all
}

/// Returns the bits of a row; `None` if it is not in the table.
pub fn find<'t>(table: &'t [u64], row: &[u64]) -> Option<&'t [u64]> {
    let (capacity, width) = (table[1] as usize, table[2] as usize);
    let mut place = hash(row) as usize & (capacity - 1);
    loop {
        let entry = table[HEAD + place] as usize;
        if entry == 0 {
            return None;
        }
        let (len, words) = (table[entry] as usize, entry + 1);
        if table[words..words + len] == *row {
            return Some(&table[words + len..words + len + width]);
        }
        place = (place + 1) & (capacity - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_with_their_bits() {
        let row = |n: u64| vec![n % 7, n / 7, n * n % 11];
        let rows: Vec<(Vec<u64>, Vec<u64>)> = (0..40).map(|n| (row(n), vec![n, n + 1])).collect();
        let all = table(&rows);
        for (row, own) in &rows {
            assert_eq!(find(&all, row), Some(own.as_slice()));
        }
        assert_eq!((find(&all, &[9, 9, 9]), find(&all, &rows[3].0[..2])), (None, None));
        assert_eq!(find(&table(&[]), &[1]), None);
    }
}
