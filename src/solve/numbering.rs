//! Positions numbered by their key words, in the order in which they are met.

use super::table::TranspositionTable;

/// How many places there are at first.
const INITIAL_PLACES: usize = 1 << 10;

/// The place of no position.
const FREE: u32 = u32::MAX;

/// The positions met so far. Their words stand one after the other in one vector, and an open-addressing hash table
/// holds only their numbers: that is a third of the memory of a map with boxed keys.
#[derive(Debug)]
pub struct Numbering {
    words: Vec<u64>,
    /// Where the words of each position end.
    ends: Vec<usize>,
    /// The numbers, each at the first free place after the one that its hash says; a power of two of them, at
    /// most half of them taken.
    places: Vec<u32>,
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
        self.place(words).ok()
    }

    /// Returns the number of a position by its words, a new one if it has none, and whether it is new.
    pub fn number(&mut self, words: &[u64]) -> (u32, bool) {
        match self.place(words) {
            Ok(number) => (number, false),
            Err(place) => {
                let fresh = self.skip();
                self.words.extend(words);
                self.ends[fresh as usize] = self.words.len();
                self.places[place] = fresh;
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
        8 * (self.words.len() + self.ends.len()) as u64 + 4 * self.places.len() as u64
    }

    fn words(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let first = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[first..self.ends[number]]
    }

    /// Returns the number of a position, or the free place where it belongs.
    fn place(&self, words: &[u64]) -> Result<u32, usize> {
        let last = self.places.len() - 1;
        let mut place = TranspositionTable::hash(words) as usize & last;
        loop {
            match self.places[place] {
                FREE => return Err(place),
                number if self.words(number) == words => return Ok(number),
                _ => place = (place + 1) & last,
            }
        }
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.places);
        let last = 2 * old.len() - 1;
        let mut places = vec![FREE; 2 * old.len()];
        for number in old.into_iter().filter(|number| *number != FREE) {
            let mut place = TranspositionTable::hash(self.words(number)) as usize & last;
            while places[place] != FREE {
                place = (place + 1) & last;
            }
            places[place] = number;
        }
        self.places = places;
    }
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
            let (number, new) = numbering.number(&words(n));
            assert!(new);
            numbers.push(number);
        }
        for (n, number) in (0..5000).zip(&numbers) {
            assert_eq!(numbering.number(&words(n)), (*number, false));
        }
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(numbering.find(&[5000 * 5000; 2]), None);
        assert_eq!(numbers.last(), Some(&(4999 + 715)));
    }
}
