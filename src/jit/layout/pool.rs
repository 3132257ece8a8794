//! Growing storage inside a position's memory: lists of words, and pools, which are sets of rows of words.
//!
//! The memory is one vector of 64-bit words. Each growing value has a handle at a fixed place, and the handle
//! names blocks behind the fixed part of the memory. One word names a block: its offset in the low 32 bits
//! and its capacity in the high 32 bits, both in words. A block that has become too small is left behind as
//! garbage, so there is at most as much garbage as memory in use. Copying the memory copies everything, and
//! an all-zero handle is empty.
//!
//! The handle of a list has [`LIST`] words: its block, and its length in elements (maintained by the caller).
//!
//! The handle of a pool has [`POOL`] words: the block of its index, the number of its entries, the block of
//! its data, and the number of data words in use. The data are the entries one after another, each preceded
//! by its length in words. The index is an open-addressing hash table, at most half full, whose capacity is a
//! power of two. Each of its words is 0, or the high half of an entry's hash in the high 32 bits and the
//! offset of the entry in the data plus one in the low 32 bits.
//!
//! The same sequence of operations leaves the same words on every machine.

/// The size of a list's handle in words.
pub const LIST: usize = 2;
/// The size of a pool's handle in words.
pub const POOL: usize = 4;

const LOW: u64 = u32::MAX as u64;
/// The minimum capacity of a block, in words.
const MIN_CAPACITY: usize = 4;

/// Returns the offset and the capacity of a block, in words.
#[inline]
pub fn block(word: u64) -> (usize, usize) {
    ((word & LOW) as usize, (word >> 32) as usize)
}

/// Returns the word that names a block; `None` if offset or capacity do not fit.
fn block_word(offset: usize, capacity: usize) -> Option<u64> {
    Some(u64::from(u32::try_from(offset).ok()?) | u64::from(u32::try_from(capacity).ok()?) << 32)
}

/// Grows the block named at `h` to at least `words` words, keeping its contents and zeroing new words. The
/// capacity at least doubles when it changes. Returns `None`, changing nothing, if the memory would become
/// too large.
#[must_use]
pub fn grow(mem: &mut Vec<u64>, h: usize, words: usize) -> Option<()> {
    let (offset, capacity) = block(mem[h]);
    if words <= capacity {
        return Some(());
    }
    let wanted = words.max(2 * capacity).max(MIN_CAPACITY);
    if capacity > 0 && offset + capacity == mem.len() {
        mem[h] = block_word(offset, wanted)?;
        mem.resize(offset + wanted, 0);
    } else {
        let end = mem.len();
        mem[h] = block_word(end, wanted)?;
        mem.reserve(wanted);
        mem.extend_from_within(offset..offset + capacity);
        mem.resize(end + wanted, 0);
    }
    Some(())
}

/// Hashes words, equally on all machines: multiplies and rotates word by word and mixes well at the end.
#[inline]
pub fn hash(words: &[u64]) -> u64 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ (hash >> 32)
}

/// Returns the index in `mem` of the first free place of a pool's index for a hash.
#[inline]
fn free(mem: &[u64], h: usize, hash: u64) -> usize {
    let (index, capacity) = block(mem[h]);
    let mut at = hash as usize & (capacity - 1);
    while mem[index + at] != 0 {
        at = (at + 1) & (capacity - 1);
    }
    index + at
}

/// Looks an entry up in the index of a pool that has one. Returns `Ok` with its place in `mem`, or `Err` with
/// the place where it would be inserted.
#[inline]
fn find(mem: &[u64], h: usize, entry: &[u64], hash: u64) -> Result<usize, usize> {
    let (index, capacity) = block(mem[h]);
    let (data, _) = block(mem[h + 2]);
    let mut at = hash as usize & (capacity - 1);
    loop {
        let word = mem[index + at];
        if word == 0 {
            return Err(index + at);
        }
        if word & !LOW == hash & !LOW {
            let start = data + (word & LOW) as usize;
            if mem[start - 1] == entry.len() as u64 && mem[start..start + entry.len()] == *entry {
                return Ok(index + at);
            }
        }
        at = (at + 1) & (capacity - 1);
    }
}

/// Rebuilds the index of a pool with this capacity, a power of two.
fn rebuild_index(mem: &mut Vec<u64>, h: usize, capacity: usize) -> Option<()> {
    let (offset, old) = block(mem[h]);
    let offset = if old > 0 && offset + old == mem.len() { offset } else { mem.len() };
    mem[h] = block_word(offset, capacity)?;
    mem[offset..].fill(0);
    mem.resize(offset + capacity, 0);
    let (data, _) = block(mem[h + 2]);
    let mut start = 1;
    while start <= mem[h + 3] as usize {
        let length = mem[data + start - 1] as usize;
        let hash = hash(&mem[data + start..data + start + length]);
        let at = free(mem, h, hash);
        mem[at] = hash & !LOW | start as u64;
        start += length + 1;
    }
    Some(())
}

/// Whether the pool at `h` holds an entry.
#[inline]
pub fn contains(mem: &[u64], h: usize, entry: &[u64]) -> bool {
    mem[h + 1] != 0 && find(mem, h, entry, hash(entry)).is_ok()
}

/// Inserts an entry into the pool at `h` and returns whether it is new. Returns `None`, leaving the entries
/// unchanged, if the memory would become too large.
#[must_use]
pub fn insert(mem: &mut Vec<u64>, h: usize, entry: &[u64]) -> Option<bool> {
    let count = mem[h + 1] as usize + 1;
    if 2 * count > block(mem[h]).1 {
        rebuild_index(mem, h, (2 * count).next_power_of_two().max(2 * MIN_CAPACITY))?;
    }
    let hash = hash(entry);
    let Err(at) = find(mem, h, entry, hash) else { return Some(false) };
    let start = mem[h + 3] as usize + 1;
    let end = start + entry.len();
    grow(mem, h + 2, end)?;
    let (data, _) = block(mem[h + 2]);
    mem[data + start - 1] = entry.len() as u64;
    mem[data + start..data + end].copy_from_slice(entry);
    mem[at] = hash & !LOW | start as u64;
    mem[h + 1] = count as u64;
    mem[h + 3] = end as u64;
    Some(true)
}

/// Returns the entries of the pool at `h` in insertion order.
pub fn entries(mem: &[u64], h: usize) -> impl Iterator<Item = &[u64]> {
    let (data, _) = block(mem[h + 2]);
    let mut rest = &mem[data..data + mem[h + 3] as usize];
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first()?;
        let (entry, behind) = behind.split_at(*length as usize);
        rest = behind;
        Some(entry)
    })
}

/// Empties the pool at `h` but keeps its blocks. Takes no longer than filling it took.
pub fn clear(mem: &mut [u64], h: usize) {
    let (index, capacity) = block(mem[h]);
    let (data, _) = block(mem[h + 2]);
    if 16 * mem[h + 1] as usize > capacity {
        mem[index..index + capacity].fill(0);
    } else {
        // Few entries in a large index: clear only the runs of words in which the entries stand.
        let mut start = 1;
        while start <= mem[h + 3] as usize {
            let length = mem[data + start - 1] as usize;
            let mut at = hash(&mem[data + start..data + start + length]) as usize & (capacity - 1);
            while mem[index + at] != 0 {
                mem[index + at] = 0;
                at = (at + 1) & (capacity - 1);
            }
            start += length + 1;
        }
    }
    mem[h + 1] = 0;
    mem[h + 3] = 0;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::num::Rng;

    /// A memory of three pools and three lists of pairs, with their expected contents.
    struct Model {
        mem: Vec<u64>,
        pools: [Vec<Vec<u64>>; 3],
        lists: [Vec<u64>; 3],
    }

    const POOLS: [usize; 3] = [1, 1 + POOL, 1 + 2 * POOL];
    const LISTS: [usize; 3] = [13, 13 + LIST, 13 + 2 * LIST];
    const FIXED: usize = 13 + 3 * LIST;

    impl Model {
        fn new() -> Model {
            Model { mem: vec![0; FIXED], pools: Default::default(), lists: Default::default() }
        }

        fn check(&self) {
            for (h, held) in POOLS.into_iter().zip(&self.pools) {
                assert!(entries(&self.mem, h).eq(held.iter().map(Vec::as_slice)));
                assert_eq!(self.mem[h + 1], held.len() as u64);
                assert!(held.iter().all(|entry| contains(&self.mem, h, entry)));
            }
            for (h, held) in LISTS.into_iter().zip(&self.lists) {
                let (offset, capacity) = block(self.mem[h]);
                assert!(held.len() <= capacity);
                assert_eq!(self.mem[offset..offset + held.len()], **held);
            }
        }
    }

    fn play(seed: u64, steps: usize) -> Model {
        let mut rng = Rng::new(seed);
        let mut model = Model::new();
        let mut seen: [BTreeSet<Vec<u64>>; 3] = Default::default();
        for step in 0..steps {
            let one = rng.below_u64(3) as usize;
            match rng.below_u64(1000) {
                0..600 => {
                    // Few different words, so that entries repeat and some are prefixes of others.
                    let length = rng.below_u64(6);
                    let entry: Vec<u64> = (0..length).map(|_| rng.below_u64(4) << (20 * one)).collect();
                    let new = seen[one].insert(entry.clone());
                    assert_eq!(contains(&model.mem, POOLS[one], &entry), !new);
                    assert_eq!(insert(&mut model.mem, POOLS[one], &entry), Some(new));
                    assert!(contains(&model.mem, POOLS[one], &entry));
                    if new {
                        model.pools[one].push(entry);
                    }
                }
                600..980 => {
                    let (h, length) = (LISTS[one], model.lists[one].len());
                    assert_eq!(grow(&mut model.mem, h, length + 2), Some(()));
                    let end = block(model.mem[h]).0 + length;
                    for at in 0..2 {
                        let word = rng.below_u64(1 << 40);
                        model.mem[end + at] = word;
                        model.lists[one].push(word);
                    }
                    model.mem[h + 1] += 1;
                }
                980..985 => {
                    clear(&mut model.mem, POOLS[one]);
                    let held = std::mem::take(&mut model.pools[one]);
                    assert!(held.iter().all(|entry| !contains(&model.mem, POOLS[one], entry)));
                    let (index, capacity) = block(model.mem[POOLS[one]]);
                    assert!(model.mem[index..index + capacity].iter().all(|word| *word == 0));
                    seen[one].clear();
                }
                985..990 => {}
                _ => {}
            }
            if step % 64 == 0 {
                model.check();
            }
        }
        model.check();
        model
    }

    #[test]
    fn lists_and_pools_in_one_memory_hold_what_was_put_in() {
        for seed in 0..40 {
            play(seed, 2000);
        }
    }

    #[test]
    fn the_same_operations_leave_the_same_words() {
        assert_eq!(play(5, 3000).mem, play(5, 3000).mem);
    }

    #[test]
    fn many_entries_take_room_in_proportion() {
        let mut mem = vec![0; POOL];
        for n in 0..100_000u64 {
            assert_eq!(insert(&mut mem, 0, &[n, n << 32]), Some(true));
        }
        assert!((0..200_000).all(|n| contains(&mem, 0, &[n, n << 32]) == (n < 100_000)));
        assert!(mem.len() < 100_000 * 20, "{}", mem.len());
        // Clearing a large pool that is nearly empty is as fast as clearing a small one.
        clear(&mut mem, 0);
        for n in 0..100_000 {
            assert_eq!(insert(&mut mem, 0, &[n]), Some(true));
            clear(&mut mem, 0);
        }
    }

    #[test]
    fn entries_of_small_numbers_spread_over_the_index() {
        let mut tails = BTreeSet::new();
        for a in 0..64u64 {
            for b in 0..64u64 {
                tails.insert(hash(&[a, b]) & 0xFFFF);
            }
        }
        // 4096 throws into 65536 boxes hit about 3969 different ones.
        assert!(tails.len() > 3900, "{}", tails.len());
    }

    #[test]
    fn what_is_too_large_is_refused_and_changes_nothing() {
        let mut mem = vec![0; LIST];
        assert_eq!(grow(&mut mem, 0, 3), Some(()));
        let before = mem.clone();
        assert_eq!(grow(&mut mem, 0, 1 << 32), None);
        assert_eq!(grow(&mut mem, 0, usize::MAX), None);
        assert_eq!(mem, before);
        assert!(!contains(&[0; POOL], 0, &[]));
        assert_eq!(entries(&[0; POOL], 0).count(), 0);
    }
}
