//! Values while code is being made: known ones, words in registers, sets as bits, lists in memory.

use crate::ir::Value;
use crate::jit::builder::V;
use crate::jit::layout::shape::{GridShape, Scalar, Shape};

/// A word: a scalar in a register.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// The word.
    pub v: V,
    /// Its sort and range.
    pub s: Scalar,
    /// Its value, where it is known.
    pub known: Option<i64>,
}

/// A small set in registers: bit k stands for the value `of.lo + k`.
#[derive(Debug, Clone)]
pub struct Bits {
    /// The bits, lowest first.
    pub words: Vec<V>,
    /// The possible elements.
    pub of: Scalar,
}

/// How many elements static lists go on behind their end.
pub const RING: i64 = 64;

/// A list in memory.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// The address of the first element.
    pub at: V,
    /// How many elements.
    pub len: V,
    /// Bytes of an element.
    pub width: u32,
    /// The elements; stored with the codes of their width.
    pub of: Scalar,
    /// The most elements it may have, where that is known.
    pub most: Option<i64>,
    /// How many elements it has, where that is known.
    pub exact: Option<i64>,
    /// Whether it goes on behind its end as at its beginning, for [`RING`] elements more.
    pub ring: bool,
    /// Whether nothing can change it: it lies in static data or in scratch memory.
    pub still: bool,
}

/// A value.
#[derive(Debug, Clone)]
pub enum Val {
    /// Known.
    Const(Value),
    /// A scalar.
    Word(Word),
    /// A small set.
    Bits(Bits),
    /// The elements of a small set as a list, ascending.
    Members(Bits),
    /// A large set in memory.
    Field {
        /// Its address.
        at: V,
        /// The possible elements.
        of: Scalar,
    },
    /// A list.
    List(List),
    /// The first element of the list that it is taken out of.
    Head,
    /// The bag of a list's elements.
    Tally(List),
    /// A bag in memory: a count (u32) for each possible element.
    Counts {
        /// Its address.
        at: V,
        /// The possible elements.
        of: Scalar,
    },
    /// The integers from one to another, as a list.
    Span(Word, Word),
    /// A row of values.
    Tuple(Vec<Val>),
    /// A grid in its place.
    Grid {
        /// Its address.
        at: V,
        /// Its shape.
        shape: GridShape,
        /// Whether squares may be unwritten.
        unset: bool,
    },
    /// The values on some squares of a grid, as a list.
    Picked {
        /// The grid's address.
        at: V,
        /// Its shape.
        shape: GridShape,
        /// The squares, as bits.
        squares: Bits,
        /// The squares, in order.
        places: Value,
    },
    /// A map in its place.
    Map {
        /// Its address.
        at: V,
        /// Its keys.
        key: Scalar,
        /// Its values.
        of: Scalar,
        /// Whether they may be unwritten.
        unset: bool,
    },
    /// A large set of lists, bags or numbers, in its place.
    Pool {
        /// Its handle: bytes from the start of the position.
        handle: V,
        /// Its entries.
        of: Shape,
    },
    /// A value that only the reference looks into: its number among those that are kept.
    Kept(V),
    /// All elements of a universe at once; see [`crate::jit::lower::expr::masks`].
    Every,
    /// The rows of all squares at once.
    EveryRow,
    /// The columns of all squares at once.
    EveryColumn,
}

impl Val {
    /// What it is, in the compiler's words.
    pub fn kind(&self) -> &'static str {
        match self {
            Val::Const(_) => "a known value",
            Val::Word(_) | Val::Head => "a single value",
            Val::Bits(_) | Val::Field { .. } => "a set",
            Val::Members(_) | Val::List(_) | Val::Span(..) | Val::Picked { .. } => "a list",
            Val::Tally(_) | Val::Counts { .. } => "a bag",
            Val::Tuple(_) => "a tuple",
            Val::Grid { .. } => "a grid",
            Val::Map { .. } => "a map",
            Val::Pool { .. } => "a large set",
            Val::Kept(_) => "a value kept for the reference",
            Val::Every | Val::EveryRow | Val::EveryColumn => "many values at once",
        }
    }
}

impl List {
    /// A list of eight-byte elements that nothing will change; of at most so many, where that is known.
    pub fn still(at: V, len: V, of: Scalar, most: Option<i64>) -> List {
        List { at, len, width: 8, of, most, exact: None, ring: false, still: true }
    }
}
