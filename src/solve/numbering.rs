//! Positions numbered by their key words, in the order in which they are met.

use super::table::TranspositionTable;

/// How many places there are at first.
const INITIAL_PLACES: usize = 1 << 10;

/// The entry of a free place. Others have one more than a number, so that none is 0.
const FREE: u64 = 0;

/// The positions met so far. Their words stand one after the other in one vector, and an open-addressing hash table
/// holds only their numbers: that is a third of the memory of a map with boxed keys.
#[derive(Debug)]
pub struct Numbering {
    words: Vec<u64>,
    /// Where the words of each position end.
    ends: Vec<usize>,
    /// The numbers, each at the first free place after the one that its hash says; a power of two of them, at
    /// most half of them taken. The upper half of an entry is that of the hash, so that few words are compared in vain.
    places: Vec<u64>,
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering { words: Vec::new(), ends: Vec::new(), places: vec![FREE; INITIAL_PLACES] }
    }
}

impl Numbering {
    /// The most positions to number: what is met while the moves of the last one are made still gets numbers.
    pub const MOST: usize = 1 << 31;

    /// Returns the number of a position by its words, from 0.
    pub fn find(&self, words: &[u64]) -> Option<u32> {
        self.place(words, TranspositionTable::hash(words)).ok()
    }

    /// Announces that a position with this hash will be looked up, so that memory is read until then.
    #[inline]
    pub fn announce(&self, hash: u64) {
        #[cfg(feature = "jit")]
        crate::jit::prefetch(&self.places, hash as usize & (self.places.len() - 1));
        #[cfg(not(feature = "jit"))]
        let _ = hash;
    }

    /// Returns the number of a position by its words and their hash, a new one if it has none, and whether it is new.
    pub fn number(&mut self, words: &[u64], hash: u64) -> (u32, bool) {
        match self.place(words, hash) {
            Ok(number) => (number, false),
            Err(place) => {
                let fresh = self.skip();
                self.words.extend_from_slice(words);
                self.ends[fresh as usize] = self.words.len();
                self.places[place] = entry(fresh, hash);
                if 2 * self.ends.len() > self.places.len() {
                    self.grow();
                }
                (fresh, true)
            }
        }
    }

    /// Gives the next number to nothing that is found by words, and returns it.
    pub fn skip(&mut self) -> u32 {
        let fresh = self.ends.len() as u32;
        self.ends.push(self.words.len());
        fresh
    }

    /// Returns how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        8 * (self.words.len() + self.ends.len() + self.places.len()) as u64
    }

    fn words(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let first = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[first..self.ends[number]]
    }

    /// Returns the number of a position, or the free place where it belongs.
    fn place(&self, words: &[u64], hash: u64) -> Result<u32, usize> {
        let last = self.places.len() - 1;
        let mut place = hash as usize & last;
        loop {
            let there = self.places[place];
            let number = (there as u32).wrapping_sub(1);
            match there {
                FREE => return Err(place),
                _ if there == entry(number, hash) && self.words(number) == words => return Ok(number),
                _ => place = (place + 1) & last,
            }
        }
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.places);
        let last = 2 * old.len() - 1;
        let mut places = vec![FREE; 2 * old.len()];
        #[cfg(feature = "jit")]
        crate::jit::prefer_large_pages(&places);
        for there in old.into_iter().filter(|there| *there != FREE) {
            let mut place = TranspositionTable::hash(self.words(there as u32 - 1)) as usize & last;
            while places[place] != FREE {
                place = (place + 1) & last;
            }
            places[place] = there;
        }
        self.places = places;
    }
}

/// Returns the entry of a number at its place.
fn entry(number: u32, hash: u64) -> u64 {
    hash >> 32 << 32 | (u64::from(number) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers stay what they are while the table grows, whatever the lengths of keys, and skipped ones are never found.
    #[test]
    fn words_keep_their_numbers() {
        let mut numbering = Numbering::default();
        let words = |n: u64| vec![n * n; 1 + n as usize % 3];
        let mut numbers = Vec::new();
        for n in 0..5000 {
            if n % 7 == 0 {
                numbering.skip();
            }
            let (number, new) = numbering.number(&words(n), TranspositionTable::hash(&words(n)));
            assert!(new);
            numbers.push(number);
        }
        for (n, number) in (0..5000).zip(&numbers) {
            assert_eq!(numbering.number(&words(n), TranspositionTable::hash(&words(n))), (*number, false));
        }
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(numbering.find(&[5000 * 5000; 2]), None);
        assert_eq!(numbers.last(), Some(&(4999 + 715)));
    }
}
