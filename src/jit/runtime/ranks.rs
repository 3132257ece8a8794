//! Domains of rows of words, counted and unranked in the order of [`crate::eval::Dom`].

use std::sync::OnceLock;

use crate::eval::table;
use crate::jit::layout::shape::LIMIT;

/// The kind of a domain is the first word of its descriptor; these comments give the words after it.
/// Consecutive integers: the first one and their count.
pub const RANGE: i64 = 0;
/// Given words: their address and count.
pub const ITEMS: i64 = 1;
/// Orders of words: their address and count.
pub const PERMUTATIONS: i64 = 2;
/// Rows of distinct words: their length, and the address of the descriptor of their elements.
pub const ARRANGEMENTS: i64 = 3;
/// Rows of words: their length, and the address of the descriptor of their elements.
pub const LISTS: i64 = 4;
/// Sets of words: the words' address and count, and the size of the sets (−1 for any size).
pub const SUBSETS: i64 = 5;
/// Tuples: the number of parts, and the address of the first of their descriptors.
pub const TUPLES: i64 = 6;
/// Rows in a table: the length of the longest row, twice, and the table's address.
pub const TABLE: i64 = 7;
/// Rows of words, each before those that it begins: their greatest length, the address of the descriptor of their elements,
/// and their least length.
pub const LISTS_FROM: i64 = 8;
/// Sets of words, in the order of their masks: the words' address and count, and the least and the greatest size.
pub const SUBSETS_FROM: i64 = 9;
/// The number of words of a descriptor.
pub const DESCRIPTOR: i64 = 5;

/// The words that an element of a row is chosen from, ascending.
#[derive(Debug, Clone, Copy)]
pub enum Words<'w> {
    /// Consecutive integers: the first one and their count.
    Range(i64, i64),
    /// Given words.
    Items(&'w [i64]),
}

/// A domain of rows.
#[derive(Debug, Clone)]
pub enum Ranked<'w> {
    /// The distinct orders of these words, which are ascending.
    Permutations(&'w [i64]),
    /// Rows of this many distinct words.
    Arrangements(i64, Words<'w>),
    /// Rows of this many words.
    Lists(i64, Words<'w>),
    /// Rows of at least, and at most, this many words, each before those that it begins.
    ListsFrom(i64, i64, Words<'w>),
    /// The sets of this many of the words, or of any number of them.
    Subsets(Option<i64>, &'w [i64]),
    /// The sets of at least, and at most, this many of the words, in the order of their masks.
    SubsetsFrom(i64, i64, &'w [i64]),
    /// Rows with one word from each of these.
    Tuples(Vec<Words<'w>>),
    /// The rows of a table, in the format of [`crate::eval::table`].
    Table(&'w [i64]),
}

impl Words<'_> {
    fn count(self) -> i64 {
        match self {
            Words::Range(_, count) => count.max(0),
            Words::Items(items) => items.len() as i64,
        }
    }

    /// Returns the place of a word; `None` if it is not among them.
    fn place(self, word: i64) -> Option<i64> {
        match self {
            Words::Range(first, count) => Some(word - first).filter(|place| (0..count).contains(place)),
            Words::Items(items) => items.binary_search(&word).ok().map(|place| place as i64),
        }
    }

    fn at(self, place: i64) -> i64 {
        match self {
            Words::Range(first, _) => first + place,
            Words::Items(items) => items[place as usize],
        }
    }
}

impl Ranked<'_> {
    /// Returns the number of rows; `None` if that is too many for compiled code.
    pub fn count(&self) -> Option<i64> {
        match self {
            Ranked::Permutations(items) => orders(items),
            Ranked::Arrangements(size, of) if *size > of.count() => Some(0),
            Ranked::Arrangements(size, of) => product((0..*size).map(|i| of.count() - i)),
            Ranked::Lists(size, of) => product((0..*size).map(|_| of.count())),
            Ranked::ListsFrom(least, most, _) if least > most => Some(0),
            Ranked::ListsFrom(least, most, of) => beginnings(*least, *most, of.count()).map(|all| all[0]),
            Ranked::Subsets(None, items) => {
                1i64.checked_shl(items.len() as u32).filter(|n| (1..=LIMIT).contains(n))
            }
            Ranked::Subsets(Some(size), items) => choose(items.len() as i64, *size),
            Ranked::SubsetsFrom(least, most, items) => choose_from(items.len() as i64, *least, *most),
            Ranked::Tuples(parts) => product(parts.iter().map(|part| part.count())),
            Ranked::Table(words) => Some(table::count(words)).filter(|count| *count <= LIMIT),
        }
    }

    /// Returns the greatest length of a row.
    pub fn longest(&self) -> usize {
        match self {
            Ranked::Permutations(items) | Ranked::Subsets(None, items) => items.len(),
            Ranked::Arrangements(size, _)
            | Ranked::Lists(size, _)
            | Ranked::ListsFrom(_, size, _)
            | Ranked::Subsets(Some(size), _) => usize::try_from(*size).unwrap_or(0),
            Ranked::SubsetsFrom(_, most, items) => usize::try_from(*most).unwrap_or(0).min(items.len()),
            Ranked::Tuples(parts) => parts.len(),
            Ranked::Table(words) => usize::try_from(table::longest(words)).unwrap_or(0),
        }
    }

    /// Writes the row of the given rank, which must be less than the count, to the beginning of `row`, and returns its length.
    pub fn at(&self, rank: i64, row: &mut [i64]) -> usize {
        match self {
            Ranked::Permutations(items) => order(items, rank, row),
            Ranked::Arrangements(size, of) => {
                let row = &mut row[..*size as usize];
                places(of.count(), rank, row);
                row.iter_mut().for_each(|place| *place = of.at(*place));
                row.len()
            }
            Ranked::Lists(size, of) => mixed((0..*size).map(|_| *of), rank, &mut row[..*size as usize]),
            Ranked::ListsFrom(least, most, of) => {
                let (mut rest, mut len) = (rank, 0);
                let behind = beginnings(*least, *most, of.count()).unwrap_or_default();
                for next in behind.into_iter().skip(1) {
                    // A row stands before those that it begins.
                    if len as i64 >= *least {
                        if rest == 0 {
                            break;
                        }
                        rest -= 1;
                    }
                    row[len] = of.at(rest / next.max(1));
                    rest %= next.max(1);
                    len += 1;
                }
                len
            }
            Ranked::Tuples(parts) => mixed(parts.iter().copied().rev(), rank, &mut row[..parts.len()]),
            Ranked::Table(words) => {
                let mut all = Vec::new();
                table::at(words, rank, &mut all);
                row[..all.len()].copy_from_slice(&all);
                all.len()
            }
            Ranked::Subsets(None, items) => masked(items, rank, row),
            Ranked::SubsetsFrom(least, most, items) => {
                if let Some(masks) = masks(items.len(), *least, *most) {
                    return masked(items, masks[rank as usize].into(), row);
                }
                let (mut rest, mut least, mut most, mut len) = (rank, *least, *most, 0);
                for (i, item) in items.iter().enumerate().rev() {
                    if most == 0 {
                        break;
                    }
                    // Sets without an element come before those with it.
                    let without = choose_from(i as i64, least, most).unwrap_or(LIMIT);
                    if rest >= without {
                        row[len] = *item;
                        len += 1;
                        rest -= without;
                        (least, most) = (least - 1, most - 1);
                    }
                }
                row[..len].reverse();
                len
            }
            Ranked::Subsets(Some(size), items) => {
                let (mut rest, mut len) = (rank, 0);
                for (i, item) in items.iter().enumerate() {
                    let missing = size - len as i64;
                    if missing == 0 {
                        break;
                    }
                    let with = choose((items.len() - i - 1) as i64, missing - 1).unwrap_or(LIMIT);
                    if rest < with {
                        row[len] = *item;
                        len += 1;
                    } else {
                        rest -= with;
                    }
                }
                len
            }
        }
    }

    /// Returns the rank of a row: the inverse of [`Ranked::at`]. `None` if it is not in the domain, or in a table.
    pub fn rank(&self, row: &[i64]) -> Option<i64> {
        match self {
            Ranked::Permutations(items) => rank_of_order(items, row),
            Ranked::Arrangements(size, of) if row.len() as i64 == *size => {
                let places: Vec<i64> = row.iter().map(|word| of.place(*word)).collect::<Option<_>>()?;
                places.iter().enumerate().try_fold(0, |rank, (i, place)| {
                    let before = &places[..i];
                    let smaller = before.iter().filter(|other| *other < place).count() as i64;
                    let rank = rank * (of.count() - i as i64) + place - smaller;
                    (!before.contains(place)).then_some(rank)
                })
            }
            Ranked::Lists(size, of) if row.len() as i64 == *size => {
                row.iter().try_fold(0, |rank, word| Some(rank * of.count() + of.place(*word)?))
            }
            Ranked::ListsFrom(least, most, of) if (*least..=*most).contains(&(row.len() as i64)) => {
                let behind = beginnings(*least, *most, of.count())?;
                let places = row.iter().zip(behind.iter().skip(1)).zip(0..);
                let mut places = places
                    .map(|((word, next), depth)| Some(of.place(*word)? * next + i64::from(depth >= *least)));
                places.try_fold(0, |rank, before| Some(rank + before?))
            }
            Ranked::Tuples(parts) if row.len() == parts.len() => {
                let mut parts = parts.iter().zip(row);
                parts.try_fold(0, |rank, (of, word)| Some(rank * of.count() + of.place(*word)?))
            }
            Ranked::Subsets(size, items) => {
                let places: Vec<i64> =
                    row.iter().map(|word| Words::Items(items).place(*word)).collect::<Option<_>>()?;
                let Some(size) = size else { return Some(places.iter().map(|place| 1 << place).sum()) };
                if places.len() as i64 != *size {
                    return None;
                }
                // Sets with an element come before those without it.
                let (mut rank, mut found) = (0, 0);
                for i in 0..items.len() as i64 {
                    match places.get(found) {
                        None => break,
                        Some(place) if *place == i => found += 1,
                        Some(_) => rank += choose(items.len() as i64 - i - 1, size - found as i64 - 1)?,
                    }
                }
                Some(rank)
            }
            Ranked::SubsetsFrom(least, most, items) if (*least..=*most).contains(&(row.len() as i64)) => {
                let places: Vec<i64> =
                    row.iter().map(|word| Words::Items(items).place(*word)).collect::<Option<_>>()?;
                let before = |(taken, place): (i64, i64)| choose_from(place, least - taken, most - taken);
                (0..).zip(places.into_iter().rev()).map(before).sum()
            }
            Ranked::Arrangements(..)
            | Ranked::Lists(..)
            | Ranked::ListsFrom(..)
            | Ranked::SubsetsFrom(..)
            | Ranked::Tuples(_)
            | Ranked::Table(_) => None,
        }
    }
}

/// Returns how many rows of at least, and at most, so many words of `count` begin in one way, by the number of words that the
/// beginning has, from none on; `None` if these are too many.
fn beginnings(least: i64, most: i64, count: i64) -> Option<Vec<i64>> {
    let mut behind = vec![1; usize::try_from(most).ok()? + 1];
    for depth in (0..behind.len() - 1).rev() {
        let longer = count.checked_mul(behind[depth + 1])?;
        behind[depth] = longer.checked_add(i64::from(depth as i64 >= least)).filter(|all| *all <= LIMIT)?;
    }
    Some(behind)
}

fn product(mut factors: impl Iterator<Item = i64>) -> Option<i64> {
    factors.try_fold(1i64, |all, n| all.checked_mul(n).filter(|all| *all <= LIMIT))
}

/// Writes the words whose bits are set and returns their number.
fn masked(items: &[i64], mask: i64, row: &mut [i64]) -> usize {
    let (mut left, mut len) = (mask, 0);
    while left != 0 {
        row[len] = items[left.trailing_zeros() as usize];
        left &= left - 1;
        len += 1;
    }
    len
}

/// Returns the masks with at least `least` and at most `most` of `n` bits, ascending; `None` if `n` is large. They are listed once
/// for each case: to find one is several times faster than to compute it.
fn masks(n: usize, least: i64, most: i64) -> Option<&'static [u16]> {
    const SIZES: usize = u16::BITS as usize + 1;
    static KNOWN: [OnceLock<Box<[u16]>>; SIZES * SIZES * SIZES] =
        [const { OnceLock::new() }; SIZES * SIZES * SIZES];
    let [least, most] = [least, most].map(|size| size.clamp(0, n as i64) as usize);
    let known = KNOWN.get((n * SIZES + least) * SIZES + most).filter(|_| n < SIZES)?;
    Some(known.get_or_init(|| {
        let sized = |mask: &u16| (least..=most).contains(&(mask.count_ones() as usize));
        (0..=u16::MAX).take(1 << n).filter(sized).collect()
    }))
}

/// Writes a mixed-radix row and returns its length. `backwards` yields the words of each place, last place (the fastest) first.
fn mixed<'w>(backwards: impl Iterator<Item = Words<'w>>, rank: i64, row: &mut [i64]) -> usize {
    let mut rest = rank;
    for (place, words) in row.iter_mut().rev().zip(backwards) {
        let count = words.count().max(1);
        *place = words.at(rest % count);
        rest /= count;
    }
    row.len()
}

/// Writes the row of the given rank among the rows of distinct indices (0-based) below `n`.
pub fn places(n: i64, rank: i64, row: &mut [i64]) {
    let mut rest = rank;
    for (i, place) in row.iter_mut().enumerate().rev() {
        let left = n - i as i64;
        (*place, rest) = (rest % left, rest / left);
    }
    expand_indices(row);
}

/// Converts each index from one among the elements not taken before it to one among all elements, going from
/// the last place back and making room in the places after each.
fn expand_indices(row: &mut [i64]) {
    for i in (0..row.len()).rev() {
        let taken = row[i];
        for place in &mut row[i + 1..] {
            *place += i64::from(*place >= taken);
        }
    }
}

/// Returns the number of distinct orders of ascending words; `None` if that is too many.
fn orders(sorted: &[i64]) -> Option<i64> {
    let mut all: u128 = 1;
    let mut placed: u128 = 0;
    for run in sorted.chunk_by(|a, b| a == b) {
        // The number of places for this run among those taken so far is a binomial coefficient.
        for i in 1..=run.len() as u128 {
            placed += 1;
            all = all.checked_mul(placed)? / i;
        }
    }
    (all <= LIMIT as u128).then_some(all as i64)
}

/// Writes the order of the given rank, in lexicographic order, and returns its length. The share of orders that begin with a given
/// word is the share of its copies among the words left.
fn order(sorted: &[i64], rank: i64, row: &mut [i64]) -> usize {
    let mut left = sorted.to_vec();
    let (mut all, mut rank) = (orders(sorted).unwrap_or(0) as u128, rank as u128);
    for place in &mut row[..sorted.len()] {
        let mut at = 0;
        while at < left.len() {
            let copies = left[at..].iter().take_while(|word| **word == left[at]).count();
            let behind = all * copies as u128 / left.len() as u128;
            if rank < behind || at + copies == left.len() {
                all = behind;
                break;
            }
            rank -= behind;
            at += copies;
        }
        *place = left.remove(at);
    }
    sorted.len()
}

/// Returns the rank of an order in lexicographic order; `None` if it is none of these words.
fn rank_of_order(sorted: &[i64], row: &[i64]) -> Option<i64> {
    let mut left = sorted.to_vec();
    let mut rank = 0;
    for word in row {
        let at = left.iter().position(|other| other == word)?;
        let smaller: Vec<usize> = (0..at).filter(|i| *i == 0 || left[i - 1] != left[*i]).collect();
        for first in smaller {
            let taken = left.remove(first);
            rank += orders(&left)?;
            left.insert(first, taken);
        }
        left.remove(at);
    }
    left.is_empty().then_some(rank)
}

/// Binomial coefficients, by the number of elements and the size of the choice.
static BINOMIALS: [[i64; MOST_KNOWN]; MOST_KNOWN] = {
    let mut all = [[0; MOST_KNOWN]; MOST_KNOWN];
    let mut n = 0;
    while n < MOST_KNOWN {
        all[n][0] = 1;
        let mut k = 1;
        while k <= n {
            all[n][k] = all[n - 1][k - 1] + all[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    all
};

/// The numbers of subsets of up to so many elements, by the number of elements and the greatest size.
static SUMS: [[i64; MOST_SUMMED]; MOST_SUMMED] = {
    let mut all = [[1; MOST_SUMMED]; MOST_SUMMED];
    let mut n = 1;
    while n < MOST_SUMMED {
        let mut k = 1;
        while k <= n {
            all[n][k] = all[n][k - 1] + BINOMIALS[n][k];
            k += 1;
        }
        n += 1;
    }
    all
};

/// The first number of elements whose subsets need not be counted by a word.
const MOST_SUMMED: usize = 63;
/// The first number of elements whose binomial coefficients need not fit a word.
const MOST_KNOWN: usize = 67;

/// Returns the number of subsets of at least `least` and at most `most` of `n` elements; `None` if that is too many.
fn choose_from(n: i64, least: i64, most: i64) -> Option<i64> {
    if let Some(upto) = SUMS.get(n as usize) {
        let upto = |k: i64| if k < 0 { 0 } else { upto[k.min(n) as usize] };
        return Some((upto(most) - upto(least - 1)).max(0)).filter(|all| *all <= LIMIT);
    }
    let sized = |size| choose(n, size);
    (least.max(0)..=most.min(n))
        .try_fold(0, |all: i64, size| all.checked_add(sized(size)?))
        .filter(|all| *all <= LIMIT)
}

/// Returns the number of subsets of size `k` of `n` elements; `None` if that is too many.
fn choose(n: i64, k: i64) -> Option<i64> {
    if k < 0 || k > n {
        return Some(0);
    }
    if let Some(known) = BINOMIALS.get(n as usize) {
        return Some(known[k as usize]).filter(|all| *all <= LIMIT);
    }
    let mut all: u128 = 1;
    for i in 0..k.min(n - k) as u128 {
        all = all.checked_mul(n as u128 - i)? / (i + 1);
        if all > LIMIT as u128 {
            return None;
        }
    }
    Some(all as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Dom;
    use crate::ir::Value;
    use crate::num::Int;

    fn same(ranked: &Ranked, dom: &Dom) {
        let count = dom.count(Default::default()).unwrap().unwrap();
        assert_eq!(ranked.count().map(Int::from), Some(count.clone()), "{ranked:?}");
        let mut room = vec![0; ranked.longest()];
        for rank in 0..count.as_i64().unwrap() {
            let len = ranked.at(rank, &mut room);
            let row = &room[..len];
            let words = row.iter().map(|word| Value::int(*word));
            let value = if matches!(dom, Dom::Subsets(..) | Dom::SubsetsFrom(..)) {
                Value::set(words)
            } else {
                Value::list(words.collect())
            };
            assert_eq!(value, dom.at(&Int::from(rank)), "{ranked:?}, rank {rank}");
            assert_eq!(ranked.rank(row), Some(rank), "{ranked:?}, {row:?}");
        }
    }

    #[test]
    fn rows_are_those_of_the_reference_rank_by_rank() {
        let items = [2, 3, 7, 11, 12];
        let values: Vec<Value> = items.iter().map(|n| Value::int(*n)).collect();
        let of = || Box::new(Dom::Items(values.clone().into()));
        for size in 0..=6 {
            let words = Words::Items(&items);
            same(&Ranked::Arrangements(size, words), &Dom::Arrangements(size as usize, of()));
            if size < 4 {
                same(&Ranked::Lists(size, words), &Dom::Lists(size as usize, of()));
                for least in 0..=size {
                    let whole = Dom::ListsFrom(least as usize, Some(size as usize), of());
                    same(&Ranked::ListsFrom(least, size, words), &whole);
                }
            }
            same(&Ranked::Subsets(Some(size), &items), &Dom::Subsets(values.clone(), Some(size as usize)));
        }
        for (least, most) in [(2, 4), (0, 1), (3, 3), (4, 9), (-2, 2), (3, 2), (0, 0), (0, -1), (6, 8)] {
            let whole = Dom::subsets_from(values.clone(), Int::from(least), Some(Int::from(most)));
            same(&Ranked::SubsetsFrom(least, most, &items), &whole);
        }
        let many: Vec<i64> = (1..=18).collect();
        let whole = Dom::subsets_from(
            many.iter().map(|n| Value::int(*n)).collect(),
            Int::from(1),
            Some(Int::from(3)),
        );
        same(&Ranked::SubsetsFrom(1, 3, &many), &whole);
        same(&Ranked::Subsets(None, &items), &Dom::Subsets(values.clone(), None));
        let range = Dom::Range(Int::from(-1), Int::from(1));
        let parts = vec![Words::Range(-1, 3), Words::Items(&items), Words::Range(5, 0)];
        same(&Ranked::Tuples(parts[..2].to_vec()), &Dom::Tuples(vec![range.clone(), *of()]));
        let empty = Dom::Range(Int::from(5), Int::from(4));
        same(&Ranked::Tuples(parts), &Dom::Tuples(vec![range, *of(), empty]));
        for sorted in [vec![], vec![4], vec![1, 1, 2, 3, 3], vec![1, 2, 3, 4, 5, 6]] {
            let mut times: Vec<(Value, usize)> = Vec::new();
            for run in sorted.chunk_by(|a, b| a == b) {
                times.push((Value::int(run[0]), run.len()));
            }
            same(&Ranked::Permutations(&sorted), &Dom::Permutations(times));
        }
    }

    #[test]
    fn more_rows_than_fit_a_word_are_not_counted() {
        let many: Vec<i64> = (0..70).collect();
        assert_eq!(Ranked::Permutations(&many[..25]).count(), None);
        assert_eq!(Ranked::Subsets(None, &many).count(), None);
        assert_eq!(Ranked::Subsets(Some(35), &many).count(), None);
        assert_eq!(Ranked::Lists(63, Words::Range(0, 2)).count(), None);
        assert_eq!(Ranked::Arrangements(40, Words::Items(&many)).count(), None);
    }
}
