//! Transposition tables: bounds on the values of positions, replaced by others when the table is full.

/// About how many bytes an entry takes besides its words, if positions have different numbers of words.
const BOXED_KEY_BYTES: u64 = 32;

/// How many places a table has at first. It grows when needed: small tables fit the processor's caches.
const INITIAL_PLACES: usize = 1 << 12;

/// How many words a cache line has.
const LINE: usize = 8;

/// How many places a position may be stored in.
const PLACES: usize = 2;

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableEntry {
    /// The lower bound on its value.
    pub lower: i32,
    /// The upper bound on its value.
    pub upper: i32,
    /// The best move known, by its number in the list of legal moves; `u16::MAX` if there is none.
    pub best: u16,
}

impl TableEntry {
    /// Nothing is known.
    pub const UNKNOWN: TableEntry = TableEntry { lower: i32::MIN, upper: i32::MAX, best: u16::MAX };

    /// Returns what is known of a position that is worth this much more.
    pub fn plus(self, more: i32) -> TableEntry {
        let lower = if self.lower == i32::MIN { i32::MIN } else { self.lower + more };
        let upper = if self.upper == i32::MAX { i32::MAX } else { self.upper + more };
        TableEntry { lower, upper, ..self }
    }
}

/// Positions, by their key words, and what is known of each. Words are compared in full, so the position
/// found is always the one asked for.
#[derive(Debug)]
pub struct TranspositionTable {
    /// For each place two words (see [`TranspositionTable::pack`]), and the key words if all keys have the
    /// same length.
    slots: Vec<u64>,
    /// Where the first place begins: at the beginning of a cache line, so that few places of a position need two lines.
    first: usize,
    stride: usize,
    /// The key words of each place, once keys differ in length.
    boxed_keys: Option<Vec<Box<[u64]>>>,
    places: usize,
    /// How many places are taken, and how many words `boxed_keys` holds.
    taken: usize,
    boxed_words: u64,
    /// The most bytes that the table may take.
    most: u64,
}

impl TranspositionTable {
    /// Creates a table of at most about `bytes` bytes, for keys of `words` words or, if `None`, of any size. It also takes
    /// keys of other sizes, and is then slower.
    pub fn new(bytes: u64, words: Option<usize>) -> TranspositionTable {
        TranspositionTable::with_places(INITIAL_PLACES, bytes, words)
    }

    fn with_places(places: usize, most: u64, words: Option<usize>) -> TranspositionTable {
        let stride = 2 + words.unwrap_or(0);
        let apart = words.is_none().then(|| vec![Box::default(); places]);
        let slots = vec![0u64; places * stride + LINE - 1];
        #[cfg(feature = "jit")]
        crate::jit::prefer_large_pages(&slots);
        let first = slots.as_ptr().addr().wrapping_neg() / 8 % LINE;
        TranspositionTable { slots, first, stride, boxed_keys: apart, places, taken: 0, boxed_words: 0, most }
    }

    /// Whether it is so full that it forgets positions.
    pub fn is_full(&self) -> bool {
        2 * self.taken > self.places && !self.can_have(2 * self.places)
    }

    /// Whether memory allows this many places.
    fn can_have(&self, places: usize) -> bool {
        let each = self.stride as u64 * 8 + if self.boxed_keys.is_some() { BOXED_KEY_BYTES } else { 0 };
        places as u64 * each + 16 * self.boxed_words <= self.most
    }

    /// Doubles the number of places while this many positions would fill more than half and memory allows.
    pub fn grow_for(&mut self, positions: usize) {
        let mut places = self.places;
        while 2 * positions > places && self.can_have(2 * places) {
            places *= 2;
        }
        if places == self.places {
            return;
        }
        let words = self.boxed_keys.is_none().then_some(self.stride - 2);
        self.replace_by(TranspositionTable::with_places(places, self.most, words));
    }

    /// Moves all that is known to another table, which replaces this one.
    fn replace_by(&mut self, mut other: TranspositionTable) {
        self.each().for_each(|(words, known, effort)| {
            other.add(words, TranspositionTable::hash(words), known, effort)
        });
        *self = other;
    }

    /// Returns the hash of a position's words, which determines its places. Each word is folded in by a
    /// product of 128 bits, after Wang Yi's wyhash.
    pub fn hash(words: &[u64]) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let all = words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| {
            fold(hash ^ word ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9)
        });
        fold(all ^ 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db)
    }

    /// Returns what is known of a position.
    pub fn get(&self, words: &[u64], hash: u64) -> Option<TableEntry> {
        self.get_with_heads(self.heads(hash), words, hash)
    }

    /// Returns the first words of the places where a position with this hash may be stored. To look up
    /// several positions, read the heads of all of them first, so that the memory accesses overlap.
    #[inline]
    pub fn heads(&self, hash: u64) -> [u64; PLACES] {
        let first = self.at(self.place(hash));
        [self.slots[first], self.slots[first + self.stride]]
    }

    /// Announces that [`TranspositionTable::heads`] will be asked for this hash, so that memory is read until then.
    #[inline]
    pub fn announce(&self, hash: u64) {
        #[cfg(feature = "jit")]
        crate::jit::prefetch(&self.slots, self.at(self.place(hash)));
        #[cfg(not(feature = "jit"))]
        let _ = hash;
    }

    /// Returns where the words of a place begin.
    #[inline]
    fn at(&self, place: usize) -> usize {
        self.first + place * self.stride
    }

    /// Returns what is known of a position, given the heads of its places.
    #[inline]
    pub fn get_with_heads(&self, heads: [u64; PLACES], words: &[u64], hash: u64) -> Option<TableEntry> {
        let at = self.find(heads, words, hash)?;
        Some(self.known(at))
    }

    /// Adds what is known of a position; `work` is the number of positions visited to find it. Of its two
    /// places, one keeps the entry that took the most work, the other the latest.
    pub fn put(&mut self, words: &[u64], hash: u64, known: TableEntry, work: u64) {
        let effort = u64::from(64 - work.leading_zeros());
        if let Some(at) = self.find(self.heads(hash), words, hash) {
            let before = self.known(at);
            let known = TableEntry {
                lower: known.lower.max(before.lower),
                upper: known.upper.min(before.upper),
                best: if known.best == u16::MAX { before.best } else { known.best },
            };
            let effort = effort.max(self.slots[self.at(at)] >> 8 & 0xff);
            return self.pack(at, hash, known, effort);
        }
        self.grow_for(self.taken);
        self.add(words, hash, known, effort);
    }

    /// Adds a position that is not in the table, with its effort as in [`TranspositionTable::each`].
    pub fn add(&mut self, words: &[u64], hash: u64, known: TableEntry, effort: u64) {
        if self.boxed_keys.is_none() && words.len() != self.stride - 2 {
            self.replace_by(TranspositionTable::with_places(self.places, self.most, None));
        }
        let first = self.place(hash);
        let dear = self.slots[self.at(first)] >> 8 & 0xff;
        let at = if dear <= effort && self.slots[self.at(first + 1)] & 1 == 1 { first } else { first + 1 };
        self.taken += usize::from(self.slots[self.at(at)] & 1 == 0);
        self.pack(at, hash, known, effort);
        match &mut self.boxed_keys {
            Some(apart) => {
                self.boxed_words += words.len() as u64;
                self.boxed_words -= apart[at].len() as u64;
                apart[at] = words.into();
            }
            None => {
                let from = self.at(at) + 2;
                self.slots[from..from + words.len()].copy_from_slice(words);
            }
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Returns the known positions: words, what is known, and the effort (bit length of the work, 0 to 64).
    pub fn each(&self) -> impl Iterator<Item = (&[u64], TableEntry, u64)> {
        (0..self.places)
            .filter(|at| self.slots[self.at(*at)] & 1 == 1)
            .map(|at| (self.words(at), self.known(at), self.slots[self.at(at)] >> 8 & 0xff))
    }

    fn place(&self, hash: u64) -> usize {
        let pairs = (self.places / PLACES) as u128;
        ((u128::from(hash) * pairs) >> 64) as usize * PLACES
    }

    #[inline]
    fn find(&self, heads: [u64; PLACES], words: &[u64], hash: u64) -> Option<usize> {
        let first = self.place(hash);
        (0..PLACES).map(|nth| (first + nth, heads[nth])).find_map(|(at, head)| {
            let like = head & 1 == 1 && head >> 32 == hash & 0xffff_ffff;
            (like && self.words(at) == words).then_some(at)
        })
    }

    fn words(&self, at: usize) -> &[u64] {
        match &self.boxed_keys {
            Some(apart) => &apart[at],
            None => &self.slots[self.at(at) + 2..self.at(at + 1)],
        }
    }

    fn known(&self, at: usize) -> TableEntry {
        let (head, bounds) = (self.slots[self.at(at)], self.slots[self.at(at) + 1]);
        TableEntry {
            lower: bounds as u32 as i32,
            upper: (bounds >> 32) as u32 as i32,
            best: (head >> 16) as u16,
        }
    }

    /// Writes the head (32 bits of the hash, the best move, the effort, a bit for "taken") and the bounds.
    fn pack(&mut self, at: usize, hash: u64, known: TableEntry, effort: u64) {
        let head = (hash & 0xffff_ffff) << 32 | u64::from(known.best) << 16 | effort << 8 | 1;
        let bounds = u64::from(known.upper as u32) << 32 | u64::from(known.lower as u32);
        let at = self.at(at);
        (self.slots[at], self.slots[at + 1]) = (head, bounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many of `all` positions a table of `bytes` bytes still knows, and checks what it knows.
    fn found(bytes: u64, width: Option<usize>, all: u64) -> usize {
        let mut table = TranspositionTable::new(bytes, width);
        let words = |n: u64| [n, n * n, 7];
        for n in 0..all {
            let known = TableEntry { lower: -(n as i32), upper: n as i32, best: n as u16 };
            table.put(&words(n), TranspositionTable::hash(&words(n)), known, n % 100);
        }
        let found = (0..2 * all).filter(|n| {
            let known = table.get(&words(*n), TranspositionTable::hash(&words(*n)));
            let told = known.map(|known| (known.lower, known.upper, known.best));
            assert!(told.is_none_or(|told| told == (-(*n as i32), *n as i32, *n as u16)));
            told.is_some()
        });
        let found = found.count();
        assert_eq!((found, table.taken), (table.each().count(), table.each().count()));
        found
    }

    #[test]
    fn what_is_found_is_what_was_put_there() {
        for width in [Some(3), None] {
            // Entries are replaced when the table is full; otherwise nearly all are kept.
            assert!((3000..=4096).contains(&found(1 << 12, width, 20_000)));
            assert!(found(1 << 24, width, 20_000) > 15_000);
        }
    }

    #[test]
    fn keys_of_other_lengths_are_kept_too() {
        let mut table = TranspositionTable::new(1 << 20, Some(2));
        let is_long = |n: u64| n >= 500 && n.is_multiple_of(3);
        let words = |n: u64| vec![n; if is_long(n) { 3 } else { 2 }];
        let known = |n: u64| TableEntry { lower: n as i32, ..TableEntry::UNKNOWN };
        for n in 0..1000 {
            table.put(&words(n), TranspositionTable::hash(&words(n)), known(n), 1);
        }
        // Some are replaced, like those of usual lengths.
        let found = |n: &u64| {
            let told = table.get(&words(*n), TranspositionTable::hash(&words(*n)));
            assert!(told.is_none_or(|told| told == known(*n)), "{n}");
            told.is_some()
        };
        assert!((0..1000).filter(found).count() > 900);
        assert!((0..1000).filter(|n| is_long(*n)).filter(found).count() > 150);
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let mut table = TranspositionTable::new(1 << 12, Some(1));
        let hash = TranspositionTable::hash(&[5]);
        table.put(&[5], hash, TableEntry { lower: 1, ..TableEntry::UNKNOWN }, 1);
        table.put(&[5], hash, TableEntry { upper: 4, ..TableEntry::UNKNOWN }, 1);
        assert_eq!(table.get(&[5], hash), Some(TableEntry { lower: 1, upper: 4, best: u16::MAX }));
        assert_eq!(table.get(&[6], TranspositionTable::hash(&[6])), None);
    }
}
