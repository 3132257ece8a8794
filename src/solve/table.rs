//! What a search knows of positions: bounds of their worth, in a table of a fixed size whose entries give way to others.

/// How many bytes an entry takes beside its words, about, where positions have words of their own number.
const APART: u64 = 32;

/// How many places a table has at first: it grows with what is known, for a small one is nearer to the processor.
const FIRST: usize = 1 << 12;

/// A position is looked for in so many places.
const PLACES: usize = 2;

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// It is worth that much at least, and that much at most.
    pub lower: i32,
    /// See `lower`.
    pub upper: i32,
    /// The move that was best, by its number in the list of legal moves.
    pub best: u16,
}

impl Known {
    /// Nothing.
    pub const NOTHING: Known = Known { lower: i32::MIN, upper: i32::MAX, best: u16::MAX };
}

/// Positions by their words, each with what is known of it. Words are compared whole: what is found is the position that
/// was asked for.
#[derive(Debug)]
pub struct Table {
    /// Of each place two words (see [`Table::pack`]), and the words of its position where all have the same number.
    slots: Vec<u64>,
    stride: usize,
    /// The words of positions, where their numbers differ.
    apart: Option<Vec<Box<[u64]>>>,
    places: usize,
    /// How many of the places are taken, and how many words lie apart.
    taken: usize,
    words_apart: u64,
    /// How many bytes all of it may take.
    most: u64,
}

impl Table {
    /// A table of at most about so many bytes for positions of so many words, or of different numbers of words.
    pub fn new(bytes: u64, words: Option<usize>) -> Table {
        Table::with_places(FIRST, bytes, words)
    }

    fn with_places(places: usize, most: u64, words: Option<usize>) -> Table {
        let stride = 2 + words.unwrap_or(0);
        let apart = words.is_none().then(|| vec![Box::default(); places]);
        Table { slots: vec![0; places * stride], stride, apart, places, taken: 0, words_apart: 0, most }
    }

    /// Takes twice as many places, as long as more than half of them would be taken by so many positions and there is room.
    pub fn grow_for(&mut self, positions: usize) {
        let each = self.stride as u64 * 8 + if self.apart.is_some() { APART } else { 0 };
        let mut places = self.places;
        while 2 * positions > places && 2 * places as u64 * each + 16 * self.words_apart <= self.most {
            places *= 2;
        }
        if places == self.places {
            return;
        }
        let words = self.apart.is_none().then_some(self.stride - 2);
        let mut larger = Table::with_places(places, self.most, words);
        self.each().for_each(|(words, known, effort)| larger.add(words, Table::hash(words), known, effort));
        *self = larger;
    }

    /// A number for the words of a position, from which its places follow: each word is folded in by a product of 128 bits,
    /// after Wang Yi's wyhash.
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

    /// What is known of a position.
    pub fn get(&self, words: &[u64], hash: u64) -> Option<Known> {
        self.get_by(self.heads(hash), words, hash)
    }

    /// The first words of the places where a position of this number may stand: who asks for several positions reads those of all of them
    /// first, for they come from far away.
    #[inline]
    pub fn heads(&self, hash: u64) -> [u64; PLACES] {
        let first = self.place(hash) * self.stride;
        [self.slots[first], self.slots[first + self.stride]]
    }

    /// What is known of a position, by the first words of its places.
    #[inline]
    pub fn get_by(&self, heads: [u64; PLACES], words: &[u64], hash: u64) -> Option<Known> {
        let at = self.find(heads, words, hash)?;
        Some(self.known(at))
    }

    /// Adds what is known of a position; `work` is how many positions were looked at to know it. Of the places where it may
    /// stand one is for what took most work, the other for what comes last.
    pub fn put(&mut self, words: &[u64], hash: u64, known: Known, work: u64) {
        let effort = u64::from(64 - work.leading_zeros());
        if let Some(at) = self.find(self.heads(hash), words, hash) {
            let before = self.known(at);
            let known = Known {
                lower: known.lower.max(before.lower),
                upper: known.upper.min(before.upper),
                best: if known.best == u16::MAX { before.best } else { known.best },
            };
            let effort = effort.max(self.slots[at * self.stride] >> 8 & 0xff);
            return self.pack(at, hash, known, effort);
        }
        self.grow_for(self.taken);
        self.add(words, hash, known, effort);
    }

    /// Adds a position that is not there yet, with the effort that [`Table::each`] tells.
    pub fn add(&mut self, words: &[u64], hash: u64, known: Known, effort: u64) {
        if self.apart.is_none() && words.len() != self.stride - 2 {
            return;
        }
        let first = self.place(hash);
        let dear = self.slots[first * self.stride] >> 8 & 0xff;
        let at =
            if dear <= effort && self.slots[(first + 1) * self.stride] & 1 == 1 { first } else { first + 1 };
        self.taken += usize::from(self.slots[at * self.stride] & 1 == 0);
        self.pack(at, hash, known, effort);
        match &mut self.apart {
            Some(apart) => {
                self.words_apart += words.len() as u64;
                self.words_apart -= apart[at].len() as u64;
                apart[at] = words.into();
            }
            None => {
                let from = at * self.stride + 2;
                self.slots[from..from + words.len()].copy_from_slice(words);
            }
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Each position that is known, by its words; and how much effort that took, from 0 to 64.
    pub fn each(&self) -> impl Iterator<Item = (&[u64], Known, u64)> {
        (0..self.places)
            .filter(|at| self.slots[at * self.stride] & 1 == 1)
            .map(|at| (self.words(at), self.known(at), self.slots[at * self.stride] >> 8 & 0xff))
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
        match &self.apart {
            Some(apart) => &apart[at],
            None => &self.slots[at * self.stride + 2..(at + 1) * self.stride],
        }
    }

    fn known(&self, at: usize) -> Known {
        let (head, bounds) = (self.slots[at * self.stride], self.slots[at * self.stride + 1]);
        Known { lower: bounds as u32 as i32, upper: (bounds >> 32) as u32 as i32, best: (head >> 16) as u16 }
    }

    /// The first word: 32 bits of the hash, the best move, the effort, and a bit that says that something stands here.
    fn pack(&mut self, at: usize, hash: u64, known: Known, effort: u64) {
        let head = (hash & 0xffff_ffff) << 32 | u64::from(known.best) << 16 | effort << 8 | 1;
        let bounds = u64::from(known.upper as u32) << 32 | u64::from(known.lower as u32);
        self.slots[at * self.stride] = head;
        self.slots[at * self.stride + 1] = bounds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many positions a table of so many bytes still knows; what it says of them is what was put there.
    fn found(bytes: u64, width: Option<usize>, all: u64) -> usize {
        let mut table = Table::new(bytes, width);
        let words = |n: u64| [n, n * n, 7];
        for n in 0..all {
            let known = Known { lower: -(n as i32), upper: n as i32, best: n as u16 };
            table.put(&words(n), Table::hash(&words(n)), known, n % 100);
        }
        let found = (0..2 * all).filter(|n| {
            let known = table.get(&words(*n), Table::hash(&words(*n)));
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
            // What has no room gives way; where there is room, nearly all is kept.
            assert!((3000..=4096).contains(&found(1 << 12, width, 20_000)));
            assert!(found(1 << 24, width, 20_000) > 15_000);
        }
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let mut table = Table::new(1 << 12, Some(1));
        let hash = Table::hash(&[5]);
        table.put(&[5], hash, Known { lower: 1, ..Known::NOTHING }, 1);
        table.put(&[5], hash, Known { upper: 4, ..Known::NOTHING }, 1);
        assert_eq!(table.get(&[5], hash), Some(Known { lower: 1, upper: 4, best: u16::MAX }));
        assert_eq!(table.get(&[6], Table::hash(&[6])), None);
    }
}
