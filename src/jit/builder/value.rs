//! Values during code generation: constants, words in registers, sets as bits, lists in memory.

use crate::ir::Value;
use crate::jit::builder::V;
use crate::jit::layout::shape::{Cells, KeyedShape, Keys, Scalar, Shape, Sort};
use crate::jit::mir::Variable;

/// A scalar in a register.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// The register.
    pub v: V,
    /// The sort and range of the value.
    pub s: Scalar,
    /// The value itself, if it is known at compile time.
    pub known: Option<i64>,
}

/// A small set in registers: bit `k` stands for the value `of.lo + k`.
#[derive(Debug, Clone)]
pub struct Bits {
    /// The words of the bit set, lowest bits first.
    pub words: Vec<V>,
    /// The domain of the elements.
    pub of: Scalar,
}

/// A list in memory.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// The address of the first element.
    pub at: V,
    /// The number of elements.
    pub len: V,
    /// The size of an element in bytes.
    pub width: u32,
    /// The domain of the elements, which are stored with the codes of their width. Those that fit no word are named by words.
    pub of: Scalar,
    /// The greatest possible number of elements, if known.
    pub most: Option<i64>,
    /// The exact number of elements, if known.
    pub exact: Option<i64>,
    /// Whether the list is immutable because it lies in static data or scratch memory.
    pub immutable: bool,
}

/// A list of words that is being written.
#[derive(Debug, Clone, Copy)]
pub struct WordWriter {
    /// The address of the first word.
    pub at: V,
    /// The address behind the last word so far.
    pub end: Variable,
}

/// A value of the code being generated.
#[derive(Debug, Clone)]
pub enum Val {
    /// A value known at compile time.
    Const(Value),
    /// A scalar in a register.
    Word(Word),
    /// A small set in registers.
    Bits(Bits),
    /// The elements of a small set as an ascending list.
    Members(Bits),
    /// A large set, as a bit set in memory.
    MemoryBits {
        /// The address.
        at: V,
        /// The domain of the elements.
        of: Scalar,
    },
    /// A list in memory.
    List(List),
    /// The bag of a list's elements.
    BagOfList(List),
    /// A bag in memory: a `u32` count for each possible element.
    Counts {
        /// The address.
        at: V,
        /// The domain of the elements.
        of: Scalar,
    },
    /// The list of all integers from the first word to the second, inclusive.
    Span(Word, Word),
    /// A tuple of values.
    Tuple(Vec<Val>),
    /// A map or a grid of single values in place, in the position's memory.
    Keyed {
        /// The address.
        at: V,
        /// The shape.
        shape: KeyedShape,
        /// Whether values may be unset.
        unset: bool,
    },
    /// The values on some squares of a grid, as a list.
    Picked {
        /// The address of the grid.
        at: V,
        /// The shape of the grid.
        shape: KeyedShape,
        /// The squares, as bits.
        squares: Bits,
        /// The squares, in order.
        places: Value,
    },
    /// A map, a grid or a list of collections, or a collection that may be none, in place.
    Cells {
        /// The address; for a list, that of its handle.
        at: V,
        /// The shape.
        cells: Cells,
    },
    /// A computed collection that may be none: the list of the word that names it, or an empty one.
    Optional(List),
    /// A large set of lists, bags or integers, in place.
    Pool {
        /// The pool's handle, as a byte offset from the start of the position.
        handle: V,
        /// The shape of the entries.
        of: Shape,
    },
    /// The number of a value that is kept for the reference evaluator; code never looks inside it.
    Opaque(V),
    /// All elements of a universe at once, as a bit mask; see [`crate::jit::lower::expr::masks`].
    Every,
}

impl Val {
    /// Returns a description of the kind of value, for messages about unsupported code.
    pub fn kind(&self) -> &'static str {
        match self {
            Val::Const(_) => "a known value",
            Val::Word(_) => "a single value",
            Val::Bits(_) | Val::MemoryBits { .. } => "a set",
            Val::Members(_) | Val::List(_) | Val::Span(..) | Val::Picked { .. } => "a list",
            Val::BagOfList(_) | Val::Counts { .. } => "a bag",
            Val::Tuple(_) => "a tuple",
            Val::Keyed { shape: KeyedShape { keys: Keys::Of(_), .. }, .. } => "a map",
            Val::Keyed { .. } => "a grid",
            Val::Cells { .. } => "a collection of collections",
            Val::Optional(..) => "a collection that may be none",
            Val::Pool { .. } => "a large set",
            Val::Opaque(_) => "a value that only the reference engine reads",
            Val::Every => "many values at once",
        }
    }
}

impl List {
    /// Whether the elements are values that fit no word.
    pub fn is_of_kept(&self) -> bool {
        matches!(self.of.sort, Sort::Kept(_))
    }

    /// Creates an immutable list of eight-byte elements, of which there are at most `most` if that is known.
    pub fn immutable(at: V, len: V, of: Scalar, most: Option<i64>) -> List {
        List { at, len, width: 8, of, most, exact: None, immutable: true }
    }
}
