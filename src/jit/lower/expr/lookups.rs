//! Lookups in grids, maps and lists at many elements at once: which of them hold a value, as bits.
//!
//! Grids keep a bit plane for each of few values. Where there is none, as in maps and lists, narrow values are compared
//! several at a time, in the lanes of one word (L. Lamport, "Multiple byte processing with full-word instructions", 1975).

use crate::ir::{Compare, Expr, ExprKind, Type, Value as Known};
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::members;
use crate::jit::layout::shape::{KeyedShape, Keys, Length, NONE, Planes, Scalar, Shape, Sort};
use crate::jit::layout::tuple::word_in;
use crate::jit::lower::expr::convert::mask_word;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::{IntCC, types};

/// The greatest number of values that are compared one by one.
const MAX_COMPARED: i64 = 16;

/// A lookup in a grid, a map or a list at every element of a universe.
pub struct Lookup {
    held: Held,
    /// The domain of the values looked up.
    pub of: Scalar,
    /// The number of values that lie one after another, including the gaps between the rows of a grid.
    len: i64,
    /// The distance from an element's bit to the index of the value looked up, from 0.
    by: i64,
}

/// Where the values looked up are.
enum Held {
    /// In a grid, which may have planes for some values or for all.
    Grid(V, Box<KeyedShape>),
    /// One after another in memory, from this address on.
    Memory(V),
    /// In registers.
    Registers(Vec<Word>),
}

/// The places of a grid, a map or a list, as far as the rules tell.
struct Places {
    /// The domain of the values.
    of: Scalar,
    /// The domain of the squares, keys or places, in the order of the values.
    keys: Scalar,
    /// Which of them exist, as bits.
    exist: Vec<u64>,
    /// See [`Lookup::len`].
    len: i64,
}

/// What a value looked up is tested for.
#[derive(Clone, Copy)]
enum Test {
    /// Whether it is this one.
    Is(V),
    /// Whether it is greater than this one.
    IsAbove(V),
}

impl Builder<'_> {
    /// Returns the lookup that an expression makes at every element, if it finds a value for each: at the place of the
    /// element itself, or at the same distance from all of them.
    pub(in crate::jit) fn lookup(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Lookup>> {
        let ExprKind::Index(base, at) = &e.kind else { return Ok(None) };
        let Some(places) = self.places_of(base).filter(|_| !self.reads_every(base)) else { return Ok(None) };
        let by = match self.is_every(at) && universe.of.sort == places.keys.sort {
            true => Some(universe.of.lo - places.keys.lo),
            false => self.distance(at, universe, places.keys),
        };
        let Some(by) = by else { return Ok(None) };
        let exists = |bit: i64| {
            let at = bit + by;
            at >= 0 && places.exist.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
        };
        if !members(&universe.within).all(exists) {
            return Ok(None);
        }
        let Places { of, len, .. } = places;
        let in_lanes = lanes(of).is_some();
        if !in_lanes && len > MAX_COMPARED && !matches!(base.ty, Type::Grid(..)) {
            return Ok(None);
        }
        let held = match self.expr(base)? {
            Val::Keyed { at, shape, .. } if matches!(shape.keys, Keys::Squares { .. }) => {
                Held::Grid(at, Box::new(shape))
            }
            Val::Keyed { at, .. } | Val::List(List { at, .. }) if in_lanes => Held::Memory(at),
            Val::Keyed { at, .. } | Val::List(List { at, .. }) => {
                let offset = |i: i64| i as i32 * of.width() as i32;
                Held::Registers((0..len).map(|i| self.load_scalar(of, false, at, offset(i))).collect())
            }
            _ => return Ok(None),
        };
        Ok(Some(Lookup { held, of, len, by }))
    }

    /// Returns the places of state whose values lie one after another and are all written.
    fn places_of(&self, base: &Expr) -> Option<Places> {
        let (ExprKind::Table(state) | ExprKind::Own(state, _)) = &base.kind else { return None };
        let (place, squares) = (&self.layout.states[*state], self.layout.squares);
        let all = |keys: Scalar| (0..keys.words()).map(|i| mask_word(keys.size(), i)).collect();
        Some(match place.shape {
            Shape::List(_, of) if matches!(of.sort, Sort::Set(_)) => return None,
            Shape::Keyed(KeyedShape { keys: Keys::Of(_), of, .. }) if matches!(of.sort, Sort::Set(_)) => {
                return None;
            }
            Shape::Keyed(shape) if !place.unset => Places {
                of: shape.of,
                keys: shape.keys.scalar(squares),
                exist: self.mask_of_keys(shape.keys),
                len: shape.keys.places(squares),
            },
            Shape::List(Length::Always(len), of) if place.flag.is_none() => {
                let keys = Scalar::int(1, len);
                Places { of, keys, exist: all(keys), len }
            }
            _ => return None,
        })
    }

    /// Returns the elements whose value is a word, as bits; `None` if they cannot be found at once.
    pub(in crate::jit) fn holding(
        &mut self,
        lookup: &Lookup,
        word: Word,
        universe: &Universe,
    ) -> Option<Vec<V>> {
        let of = lookup.of;
        if let Held::Grid(at, shape) = &lookup.held
            && let Some(plane) = self.plane_of_word(*at, **shape, word)
        {
            return Some(self.shift_plane(lookup.by, plane, universe));
        }
        let fits = match word.known {
            Some(NONE) => of.optional,
            Some(known) => (of.lo..=of.hi).contains(&known),
            None => true,
        };
        if !fits {
            let zero = self.int(0);
            return Some(vec![zero; universe.of.words()]);
        }
        if word.s.sort != of.sort {
            return None;
        }
        self.passing(lookup, Test::Is(word.v), universe)
    }

    /// Returns the bits of a comparison of a number looked up with one that is the same for all elements.
    pub(in crate::jit) fn ordered(
        &mut self,
        (a, op, b): (&Expr, Compare, &Expr),
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let (lookup, op, other) = match (self.reads_every(a), self.reads_every(b)) {
            (true, false) => (self.lookup(a, universe)?, op, b),
            (false, true) => (self.lookup(b, universe)?, op.mirrored(), a),
            _ => return Ok(None),
        };
        let Some(lookup) = lookup.filter(|of| of.of.sort == Sort::Int && !of.of.optional) else {
            return Ok(None);
        };
        let by_plane = matches!(&lookup.held, Held::Grid(_, shape) if shape.planes == Planes::All);
        let (limit, negative) = match op {
            Compare::Greater => (0, false),
            Compare::AtLeast => (-1, false),
            Compare::Less => (-1, true),
            Compare::AtMost => (0, true),
            Compare::Equal | Compare::NotEqual | Compare::Divides => return Ok(None),
        };
        if by_plane || other.ty != Type::Int {
            return Ok(None);
        }
        let number = self.number_of(other)?.v;
        let limit = self.b.ins().iadd_imm_s(number, limit);
        let Some(bits) = self.passing(&lookup, Test::IsAbove(limit), universe) else { return Ok(None) };
        Ok(Some(match negative {
            true => bits.into_iter().map(|word| self.b.ins().bnot(word)).collect(),
            false => bits,
        }))
    }

    /// Returns the elements whose values pass a test, as bits.
    fn passing(&mut self, lookup: &Lookup, test: Test, universe: &Universe) -> Option<Vec<V>> {
        let at = match &lookup.held {
            Held::Registers(words) => return Some(self.passing_each(words, lookup.by, test, universe)),
            Held::Memory(at) => *at,
            Held::Grid(at, shape) => {
                let head = shape.head(self.layout.squares);
                self.b.ins().iadd_imm_s(*at, head.into())
            }
        };
        let lanes = lanes(lookup.of)?;
        let test = self.test_of_lanes(test, lookup.of);
        let zero = self.int(0);
        let mut words = vec![zero; universe.of.words()];
        for group in 0..universe.of.words() as i64 * 64 / lanes {
            let (word, bit) = (group * lanes / 64, group * lanes % 64);
            if universe.within[word as usize] >> bit & mask_word(lanes, 0) == 0 {
                continue;
            }
            // At either end, the lanes are those of the first or the last values. Whatever lies behind fewer values than
            // there are lanes is the value of no element.
            let index = (group * lanes + lookup.by).clamp(0, (lookup.len - lanes).max(0));
            let values = self.load64(at, (index * i64::from(lookup.of.width())) as i32);
            let found = self.passing_lanes(values, test, lanes);
            let moved = match index - lookup.by - 64 * word {
                up @ 0.. => self.b.ins().ishl_imm_s(found, up),
                down => self.b.ins().ushr_imm_s(found, -down),
            };
            words[word as usize] = self.b.ins().bor(words[word as usize], moved);
        }
        Some(words)
    }

    /// Like [`Builder::passing`], for values in registers.
    fn passing_each(&mut self, values: &[Word], by: i64, test: Test, universe: &Universe) -> Vec<V> {
        let zero = self.int(0);
        let mut words = vec![zero; universe.of.words()];
        for bit in members(&universe.within) {
            let value = values[(bit + by) as usize].v;
            let passes = match test {
                Test::Is(word) => self.cmp(IntCC::Equal, value, word),
                Test::IsAbove(limit) => self.cmp(IntCC::SignedGreaterThan, value, limit),
            };
            let wide = self.b.ins().uextend(types::I64, passes);
            let moved = self.b.ins().ishl_imm_s(wide, bit % 64);
            words[bit as usize / 64] = self.b.ins().bor(words[bit as usize / 64], moved);
        }
        words
    }

    /// Repeats what values are compared with in each lane, with the codes of stored values.
    fn test_of_lanes(&mut self, test: Test, of: Scalar) -> Test {
        let bits = i64::from(of.width()) * 8;
        let (none, unset) = (-1 << (bits - 1), (-1 << (bits - 1)) + 1);
        let word = match test {
            Test::Is(word) => {
                let off = self.b.ins().iadd_imm_s(word, -of.lo);
                let outside = self.cmp_imm(IntCC::UnsignedGreaterThan, off, of.hi - of.lo);
                // A value that is never there is like none that is stored.
                let (none, unset) = (self.int(none), self.int(unset));
                let code = self.b.ins().select(outside, unset, word);
                match of.optional {
                    true => {
                        let is_none = self.cmp_imm(IntCC::Equal, word, NONE);
                        self.b.ins().select(is_none, none, code)
                    }
                    false => code,
                }
            }
            Test::IsAbove(limit) => {
                let (low, high) = (self.int(of.lo - 1), self.int(of.hi));
                let limit = self.b.ins().smax(limit, low);
                self.b.ins().smin(limit, high)
            }
        };
        let lane = self.b.ins().band_imm_s(word, (1 << bits) - 1);
        let repeated = self.b.ins().imul_imm_s(lane, (u64::MAX / mask_word(bits, 0)) as i64);
        match test {
            Test::Is(_) => Test::Is(repeated),
            Test::IsAbove(_) => Test::IsAbove(repeated),
        }
    }

    /// Returns the lanes of a word whose values pass a test with the same value in each lane, as the lowest bits.
    fn passing_lanes(&mut self, values: V, test: Test, lanes: i64) -> V {
        let bits = 64 / lanes;
        let high = ((u64::MAX / mask_word(bits, 0)) << (bits - 1)) as i64;
        // The highest bit of each lane.
        let found = match test {
            Test::Is(word) => {
                // A lane without any difference is the only one where no sum or difference has the highest bit.
                let differs = self.b.ins().bxor(values, word);
                let rest = self.b.ins().band_imm_s(differs, !high);
                let carried = self.b.ins().iadd_imm_s(rest, !high);
                let any = self.b.ins().bor(carried, differs);
                let any = self.b.ins().band_imm_s(any, high);
                self.b.ins().bxor_imm_s(any, high)
            }
            Test::IsAbove(limit) => {
                // Signed numbers are ordered as unsigned ones are once the highest bit is turned. With it set in one
                // and unset in the other, no lane borrows from the next.
                let (a, b) = (self.b.ins().bxor_imm_s(values, high), self.b.ins().bxor_imm_s(limit, high));
                let (from, less) = (self.b.ins().bor_imm_s(b, high), self.b.ins().band_imm_s(a, !high));
                let rest = self.b.ins().isub(from, less);
                let above = self.b.ins().band_not(a, b);
                let differs = self.b.ins().bxor(a, b);
                let by_rest = self.b.ins().bor(differs, rest);
                let by_rest = self.b.ins().bnot(by_rest);
                let found = self.b.ins().bor(above, by_rest);
                self.b.ins().band_imm_s(found, high)
            }
        };
        // The product moves the bit of each lane to its place among the highest ones.
        let low = self.b.ins().ushr_imm_s(found, bits - 1);
        let places = (0..lanes).fold(0u64, |all, lane| all | 1 << (64 - lanes - (bits - 1) * lane));
        let product = self.b.ins().imul_imm_s(low, places as i64);
        self.b.ins().ushr_imm_s(product, 64 - lanes)
    }

    /// Returns the distance from each element's bit to the index of the square, key or place that `at` gives, if it is the
    /// same for all elements.
    pub(in crate::jit) fn distance(&mut self, at: &Expr, universe: &Universe, keys: Scalar) -> Option<i64> {
        let mut by = None;
        for (element, key) in self.values_for_all(at, universe)? {
            let key = key?;
            if matches!(key, Known::Square(_)) != (keys.sort == Sort::Square) {
                return None;
            }
            let here = word_in(&key, keys.sort, self.layout.squares)? - keys.lo - element;
            if *by.get_or_insert(here) != here {
                return None;
            }
        }
        by
    }

    /// Shifts a plane so that each element's bit is that of the square at a distance.
    fn shift_plane(&mut self, by: i64, plane: Vec<V>, universe: &Universe) -> Vec<V> {
        let zero = self.int(0);
        let mut words = match by {
            0 => plane,
            by @ 1.. => self.shift_down(&plane, by),
            by => {
                let mut wide = plane;
                wide.resize(wide.len().max(universe.of.words()), zero);
                self.shift_up(&wide, -by)
            }
        };
        words.resize(universe.of.words(), zero);
        words
    }

    /// Returns the squares of a grid that hold a known word, as bits; `None` if the grid keeps no plane for
    /// it.
    pub(in crate::jit) fn plane(&mut self, grid: V, shape: KeyedShape, word: i64) -> Option<Vec<V>> {
        let words = self.layout.squares.scalar().words();
        if word == NONE && !shape.of.optional {
            let zero = self.int(0);
            return Some(vec![zero; words]);
        }
        let plane = shape.plane_of(word)?;
        Some((0..words).map(|i| self.load64(grid, ((plane * words + i) * 8) as i32)).collect())
    }

    /// Returns the squares of a grid that hold a word, as bits; `None` if the grid keeps no plane for it.
    pub fn plane_of_word(&mut self, grid: V, shape: KeyedShape, word: Word) -> Option<Vec<V>> {
        if word.known == Some(NONE) {
            return self.plane(grid, shape, NONE);
        }
        if let Some(known) = word.known {
            if !(shape.of.lo..=shape.of.hi).contains(&known) {
                let zero = self.int(0);
                return Some(vec![zero; self.layout.squares.scalar().words()]);
            }
            return self.plane(grid, shape, known);
        }
        if shape.planes != Planes::All || word.s.optional || word.s.sort != shape.of.sort {
            return None;
        }
        self.must_fit(word, shape.of.lo, shape.of.hi);
        let words = self.layout.squares.scalar().words();
        let number = self.b.ins().iadd_imm_s(word.v, i64::from(shape.of.optional) - shape.of.lo);
        let place = self.entry_at(grid, number, words as i64 * 8);
        Some(self.load_words(place, words))
    }
}

/// Returns how many values of a domain lie in one word of memory, if that is worth anything.
fn lanes(of: Scalar) -> Option<i64> {
    let lanes = 8 / i64::from(of.width());
    (lanes >= 4).then_some(lanes)
}
