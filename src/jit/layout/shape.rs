//! Flat representations of values: scalars as words with a range, small sets as bits, lists, bags, maps and
//! grids as arrays.

use std::sync::Arc;

use crate::eval::Machine;
use crate::ir::{Form, Grid, SquareAt, Type, Value};
use crate::jit::layout::either::{self, Either};
use crate::jit::layout::small_set::SmallSet;
use crate::jit::layout::tuple::{TupleLayout, tuple_of, word_in};

/// The word that stands for none.
pub const NONE: i64 = i64::MIN;
/// The word that stands for a place never written.
pub const UNSET: i64 = i64::MIN + 1;
/// Compiled integers lie between minus and plus this; a larger one makes code bail out. Twice the limit still
/// fits a word without colliding with [`NONE`] and [`UNSET`].
pub const LIMIT: i64 = (1 << 62) - 1;

/// Whether compiled code can represent an integer, which must lie within [`LIMIT`].
pub fn fits(n: &i64) -> bool {
    (-LIMIT..=LIMIT).contains(n)
}
/// The greatest number of possible elements of a set that is kept as bits.
const MAX_BITS: i64 = 1 << 22;
/// The greatest number of possible elements of a bag that is kept as counts: so many bits fit registers.
const MAX_COUNTED: i64 = 1 << 9;
/// The greatest number of entries of a map or grid that is kept as an array.
const MAX_ROW: i64 = 1 << 16;
/// The greatest number of values for which a grid keeps one bit plane each.
const MAX_PLANES: i64 = 8;

/// The sorts of values that fit a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The integer itself.
    Int,
    /// 0 or 1.
    Bool,
    /// The id of a symbol.
    Symbol,
    /// A seat, from 0.
    Player,
    /// (row − 1) × stride + column − 1, where the stride is the number of columns of the widest grid.
    Square,
    /// A tuple of scalars packed into one word.
    Tuple(TupleLayout),
    /// A scalar of one of two kinds.
    Either(Either),
    /// A set of few possible elements, as a value of a map or a grid.
    Set(SmallSet),
    /// A value that fits no word, by the word that names it: the number of how it is kept, among those that the builder of code
    /// has numbered. Only the elements of lists in code are of this sort.
    Kept(u32),
}

/// A domain of values that fit a word: a sort, a range of words, and whether [`NONE`] is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// The sort.
    pub sort: Sort,
    /// The least word.
    pub lo: i64,
    /// The greatest word.
    pub hi: i64,
    /// Whether none is included.
    pub optional: bool,
}

impl Scalar {
    /// Integers in a range.
    pub fn int(lo: i64, hi: i64) -> Scalar {
        Scalar { sort: Sort::Int, lo, hi, optional: false }
    }

    /// All integers that compiled code can represent.
    pub fn any_int() -> Scalar {
        Scalar::int(-LIMIT, LIMIT)
    }

    /// Returns the number of values, not counting none.
    pub fn size(self) -> i64 {
        self.hi.saturating_sub(self.lo).saturating_add(1).max(0)
    }

    /// Returns the number of words that a bit set of these values takes.
    pub fn words(self) -> usize {
        usize::try_from(self.size()).unwrap_or(0).div_ceil(64).max(1)
    }

    /// Returns the number of values if the sort alone keeps it small.
    pub fn small_size(self) -> Option<i64> {
        let many = match self.sort {
            Sort::Int | Sort::Tuple(_) | Sort::Set(_) | Sort::Kept(_) => true,
            Sort::Either(either) => either.first.sort() == Sort::Int,
            _ => false,
        };
        (!many).then(|| self.size())
    }

    /// Returns the smallest range that holds both; `None` if the sorts differ.
    pub fn join(self, other: Scalar) -> Option<Scalar> {
        (self.sort == other.sort).then(|| Scalar {
            sort: self.sort,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            optional: self.optional || other.optional,
        })
    }

    /// Returns the size of a stored value in bytes. Its range must leave room for two codes below: none and
    /// unset.
    pub fn width(self) -> u32 {
        // Sets are changed in place, as words of bits.
        if matches!(self.sort, Sort::Set(_)) {
            return 8;
        }
        let fits = |bits: u32| self.lo >= -(1i64 << (bits - 1)) + 2 && self.hi < 1i64 << (bits - 1);
        match () {
            () if fits(8) => 1,
            () if fits(16) => 2,
            () if fits(32) => 4,
            () => 8,
        }
    }
}

/// The numbering of squares, shared by all grids of a game, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Squares {
    /// The number of columns of the widest grid.
    pub stride: i64,
    /// The number of rows of the tallest grid.
    pub rows: i64,
}

impl Squares {
    /// Returns the domain of all squares.
    pub fn scalar(self) -> Scalar {
        Scalar { sort: Sort::Square, lo: 0, hi: self.rows * self.stride - 1, optional: false }
    }

    /// Returns the number of a square; `None` if it lies on no grid.
    pub fn word(self, square: SquareAt) -> Option<i64> {
        let (row, column) = (i64::from(square.row), i64::from(square.column));
        let on = (1..=self.rows).contains(&row) && (1..=self.stride).contains(&column);
        on.then(|| (row - 1) * self.stride + column - 1)
    }
}

/// Whether each number is one more than its predecessor.
pub fn is_consecutive(words: &[i64]) -> bool {
    words.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// Returns the word of a scalar value; `None` if it does not fit one.
pub fn to_word(value: &Value, squares: Squares) -> Option<i64> {
    Some(match value {
        Value::Unset => UNSET,
        Value::None => NONE,
        Value::Int(n) => n.as_i64().filter(fits)?,
        Value::Bool(b) => i64::from(*b),
        Value::Symbol(id) => i64::try_from(*id).ok()?,
        Value::Player(seat) => i64::try_from(*seat).ok()?,
        Value::Square(square) => squares.word(*square)?,
        _ => return None,
    })
}

/// Returns the value of a word.
pub fn from_word(sort: Sort, word: i64, squares: Squares) -> Value {
    let number = || usize::try_from(word).unwrap_or(0);
    match (word, sort) {
        (UNSET, _) => Value::Unset,
        (NONE, _) => Value::None,
        (_, Sort::Int) => Value::int(word),
        (_, Sort::Bool) => Value::Bool(word != 0),
        (_, Sort::Symbol) => Value::Symbol(number()),
        (_, Sort::Player) => Value::Player(number()),
        (_, Sort::Square) => {
            let part = |n: i64| u32::try_from(n + 1).unwrap_or(1);
            Value::Square(SquareAt { row: part(word / squares.stride), column: part(word % squares.stride) })
        }
        (_, Sort::Tuple(row)) => tuple_of(row, word, squares),
        (_, Sort::Set(set)) => set.value(word, squares),
        (_, Sort::Kept(_)) => Value::Unset,
        (_, Sort::Either(either)) => {
            let (sort, word) = either.alone(word);
            from_word(sort, word, squares)
        }
    }
}

/// Which bit planes a grid keeps beside its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planes {
    /// No planes.
    Off,
    /// One plane, of the squares that hold none.
    Empty,
    /// One plane per value: first none, where it is possible, then from the least to the greatest.
    All,
}

/// What the values of a map or a grid are found by. The place of a value among them is the distance of its key from the
/// first one, or the number of its square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// The keys of a map.
    Of(Scalar),
    /// The squares of a grid.
    Squares {
        /// The number of rows.
        rows: i64,
        /// The number of columns.
        columns: i64,
    },
}

impl Keys {
    /// Returns their domain.
    pub fn scalar(self, squares: Squares) -> Scalar {
        match self {
            Keys::Of(key) => key,
            Keys::Squares { .. } => squares.scalar(),
        }
    }

    /// Returns their number.
    pub fn count(self) -> i64 {
        match self {
            Keys::Of(key) => key.size(),
            Keys::Squares { rows, columns } => rows * columns,
        }
    }

    /// Returns the number of places, including those in the gaps between the rows of a grid.
    pub fn places(self, squares: Squares) -> i64 {
        match self {
            Keys::Of(key) => key.size(),
            Keys::Squares { rows, columns } => (rows - 1) * squares.stride + columns,
        }
    }

    /// Returns their places, in order.
    pub fn each_place(self, squares: Squares) -> impl Iterator<Item = i64> {
        let (rows, columns) = match self {
            Keys::Of(key) => (1, key.size()),
            Keys::Squares { rows, columns } => (rows, columns),
        };
        (0..rows).flat_map(move |row| (0..columns).map(move |column| row * squares.stride + column))
    }

    /// Returns the values of a map or a grid with these keys, each with its place; `None` for other values.
    pub fn values_of(self, value: &Value, squares: Squares) -> Option<Vec<(i64, &Value)>> {
        match (self, value) {
            (Keys::Of(key), Value::Map(map)) if map.len() as i64 == key.size() => {
                let place = |word: i64| (key.lo..=key.hi).contains(&word).then_some(word - key.lo);
                let entry = |(k, item)| Some((place(word_in(k, key.sort, squares)?)?, item));
                map.iter().map(entry).collect()
            }
            (Keys::Squares { rows, columns }, Value::Grid(grid))
                if (i64::from(grid.rows), i64::from(grid.columns)) == (rows, columns) =>
            {
                Some(self.each_place(squares).zip(&grid.cells).collect())
            }
            _ => None,
        }
    }

    /// Returns the map or the grid with the value that `at` returns for each place.
    pub fn value_with(self, squares: Squares, at: impl Fn(i64) -> Value) -> Value {
        let values = self.each_place(squares).map(at);
        match self {
            Keys::Of(key) => {
                let keys = (key.lo..=key.hi).map(|word| from_word(key.sort, word, squares));
                Value::Map(Arc::new(keys.zip(values).collect()))
            }
            Keys::Squares { rows, columns } => {
                let size = |n: i64| u32::try_from(n).unwrap_or(1);
                Value::Grid(Arc::new(Grid {
                    rows: size(rows),
                    columns: size(columns),
                    cells: values.collect(),
                }))
            }
        }
    }
}

/// The shape of a map or a grid of single values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyedShape {
    /// What its values are found by.
    pub keys: Keys,
    /// The domain of the values.
    pub of: Scalar,
    /// The planes that it keeps, if it is a grid.
    pub planes: Planes,
}

impl KeyedShape {
    /// Returns the number of bit planes.
    pub fn plane_count(self) -> usize {
        match self.planes {
            Planes::Off => 0,
            Planes::Empty => 1,
            Planes::All => usize::try_from(self.of.size()).unwrap_or(0) + usize::from(self.of.optional),
        }
    }

    /// Returns the index of the plane for a word; `None` if it keeps none for it.
    pub fn plane_of(self, word: i64) -> Option<usize> {
        match self.planes {
            Planes::Off => None,
            Planes::Empty => (word == NONE).then_some(0),
            Planes::All if word == NONE => self.of.optional.then_some(0),
            Planes::All => {
                let at = word - self.of.lo + i64::from(self.of.optional);
                usize::try_from(at).ok().filter(|at| *at < self.plane_count())
            }
        }
    }

    /// Returns the offset at which the values begin, after the planes.
    pub fn head(self, squares: Squares) -> i32 {
        i32::try_from(self.plane_count() * squares.scalar().words() * 8).unwrap_or(0)
    }
}

/// The bounds on the length of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// At most this many elements, stored in place.
    AtMost(i64),
    /// Exactly this many, or fewer after elements were removed; stored in place.
    Exactly(i64),
    /// Always this many: no rule changes the length.
    Always(i64),
    /// Any number, stored in a growing block.
    Growing,
}

impl Length {
    /// Returns the greatest number of elements; `None` if there is none.
    pub fn most(self) -> Option<i64> {
        match self {
            Length::AtMost(n) | Length::Exactly(n) | Length::Always(n) => Some(n),
            Length::Growing => None,
        }
    }

    /// Whether a list may have this many elements at some time.
    pub fn allows(self, count: i64) -> bool {
        match self {
            Length::Always(n) => count == n,
            length => length.most().is_none_or(|most| count <= most),
        }
    }
}

/// How the collections of [`Cells`] are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// By the keys of a map or the squares of a grid.
    Keyed(Keys),
    /// By their places in a list of such a length. Whatever its length is, they lie in a growing block; those that
    /// were removed lie behind the others, so that their own blocks are used again.
    Places(Length),
    /// The only one, of a value that may be none. It lies behind a word that is 1 if there is one, and otherwise 0.
    Optional,
}

/// Collections in memory, one after another: the values of a map or a grid, the elements of a list, or one collection or
/// none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// How they are found.
    pub index: Index,
    /// The shape of each.
    pub of: Box<Shape>,
}

/// The representation of a value in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar(Scalar),
    /// A set, with a bit for each possible element.
    Bits(Scalar),
    /// A bag: a count for each possible element, the number of its elements, and a bit for each possible element.
    Counts(Scalar),
    /// A bag of elements with a large domain, as an ascending list in a growing block.
    Sorted(Scalar),
    /// A list.
    List(Length, Scalar),
    /// A map or a grid of single values.
    Keyed(KeyedShape),
    /// A set of collections, or of scalars with a large domain: the entries of a pool.
    Pool(Box<Shape>),
    /// A map, a grid or a list of collections, or a collection that may be none.
    Cells(Cells),
    /// A tuple of which some part fits no word: its parts, each from a multiple of eight bytes on.
    Parts(Vec<Shape>),
    /// Anything else, serialised into a growing block. Only the reference evaluator looks inside.
    Opaque,
}

impl Shape {
    /// Returns what the values are found by, if it is that of a map or a grid.
    pub fn keys(&self) -> Option<Keys> {
        match self {
            Shape::Keyed(KeyedShape { keys, .. }) | Shape::Cells(Cells { index: Index::Keyed(keys), .. }) => {
                Some(*keys)
            }
            _ => None,
        }
    }

    /// Whether it is that of a collection that may be none.
    pub fn is_optional(&self) -> bool {
        matches!(self, Shape::Cells(cells) if cells.index == Index::Optional)
    }

    /// Whether a part of the value lies in growing blocks.
    pub fn grows(&self) -> bool {
        match self {
            Shape::List(Length::Growing, _) | Shape::Sorted(_) | Shape::Pool(_) | Shape::Opaque => true,
            Shape::Cells(cells) => matches!(cells.index, Index::Places(_)) || cells.of.grows(),
            Shape::Parts(parts) => parts.iter().any(Shape::grows),
            _ => false,
        }
    }
}

/// Whether a form is that of tuples with integers of any size, which have too little room in one word.
fn shares_a_word(machine: &Machine, form: &Form, squares: Squares) -> bool {
    let Form::Tuple(parts) = form else { return false };
    let any = |of: Scalar| of.sort == Sort::Int && of.lo <= -LIMIT && of.hi >= LIMIT;
    parts.iter().any(|part| scalar_of(machine, part, squares).is_some_and(any))
}

/// Returns the shape of a declared form, whose value may be unset if `unset`. The error says what has no
/// shape.
pub fn shape_of(machine: &Machine, form: &Form, squares: Squares, unset: bool) -> Result<Shape, String> {
    if let Some(scalar) = scalar_of(machine, form, squares).filter(|_| !shares_a_word(machine, form, squares))
    {
        return Ok(Shape::Scalar(scalar));
    }
    let element = |of: &Form, what: &str| {
        scalar_of(machine, of, squares).ok_or_else(|| format!("{what} whose elements are no single values"))
    };
    // Maps and grids hold small sets in words.
    let held = |of: &Form| match of {
        Form::Set(of) => scalar_of(machine, of, squares).and_then(SmallSet::scalar_of),
        of => scalar_of(machine, of, squares),
    };
    let small = |scalar: Scalar, limit: i64| !scalar.optional && scalar.size() <= limit;
    match form {
        Form::List(bound, of) => {
            let length = match bound {
                None => Length::Growing,
                Some((kind, size)) => match (number(machine, size), kind) {
                    (Some(n), crate::ir::Bound::AtMost) if n >= crate::eval::MAX_ELEMENTS as i64 => {
                        Length::Growing
                    }
                    (Some(n), _) if !(0..=MAX_ROW).contains(&n) => {
                        return Err("a list of a length out of bounds".to_string());
                    }
                    (Some(n), crate::ir::Bound::AtMost) => Length::AtMost(n),
                    (Some(n), crate::ir::Bound::Exactly) => Length::Exactly(n),
                    (None, _) => return Err("a list of a length that is no number".to_string()),
                },
            };
            match scalar_of(machine, of, squares) {
                Some(of) => Ok(Shape::List(length, of)),
                None => cells(machine, Index::Places(length), of, squares),
            }
        }
        Form::Set(of) => match scalar_of(machine, of, squares) {
            Some(scalar) if small(scalar, MAX_BITS) => Ok(Shape::Bits(scalar)),
            Some(scalar) => Ok(Shape::Pool(Box::new(Shape::Scalar(scalar)))),
            None => match shape_of(machine, of, squares, false)? {
                shape if has_entries(&shape) => Ok(Shape::Pool(Box::new(shape))),
                _ => Err("a set of large sets".to_string()),
            },
        },
        Form::Bag(of) => {
            let of = element(of, "a bag")?;
            match small(of, MAX_COUNTED) {
                true => Ok(Shape::Counts(of)),
                false => Ok(Shape::Sorted(of)),
            }
        }
        Form::Map(value, key) => {
            let key = element(key, "keys")?;
            let keys = Keys::Of(key);
            match (small(key, MAX_ROW), held(value)) {
                (true, Some(of)) => Ok(Shape::Keyed(KeyedShape { keys, of, planes: Planes::Off })),
                (true, None) => cells(machine, Index::Keyed(keys), value, squares),
                (false, _) => Err("a map with too many keys".to_string()),
            }
        }
        Form::Grid(rows, columns, of) => {
            let (Some(rows), Some(columns)) = (number(machine, rows), number(machine, columns)) else {
                return Err("a grid of a size that is no number".to_string());
            };
            if rows < 1 || columns < 1 || rows.saturating_mul(columns) > MAX_ROW {
                return Err("a very large grid".to_string());
            }
            let keys = Keys::Squares { rows, columns };
            let Some(of) = held(of) else { return cells(machine, Index::Keyed(keys), of, squares) };
            let filled = of.optional || !unset;
            let planes = match filled {
                _ if matches!(of.sort, Sort::Set(_)) => Planes::Off,
                true if of.size().saturating_add(i64::from(of.optional)) <= MAX_PLANES => Planes::All,
                true if of.optional => Planes::Empty,
                _ => Planes::Off,
            };
            Ok(Shape::Keyed(KeyedShape { keys, of, planes }))
        }
        Form::Optional(of) => cells(machine, Index::Optional, of, squares),
        Form::Tuple(parts) => {
            let parts = parts.iter().map(|part| part_of(machine, part, squares));
            Ok(Shape::Parts(parts.collect::<Result<_, _>>()?))
        }
        _ => Err("a form that has no flat shape".to_string()),
    }
}

/// Whether values of a shape can be the entries of a pool: whether equal values have equal words.
fn has_entries(shape: &Shape) -> bool {
    match shape {
        Shape::Cells(Cells { index: Index::Places(_) | Index::Optional, of }) => has_entries(of),
        Shape::Parts(parts) => parts.iter().all(has_entries),
        Shape::Cells(_) | Shape::Pool(_) | Shape::Opaque => false,
        _ => true,
    }
}

/// Returns the shape of collections of a form that are found in this way.
fn cells(machine: &Machine, index: Index, of: &Form, squares: Squares) -> Result<Shape, String> {
    let of = Box::new(part_of(machine, of, squares)?);
    Ok(Shape::Cells(Cells { index, of }))
}

/// Returns the shape of what lies within another value.
fn part_of(machine: &Machine, form: &Form, squares: Squares) -> Result<Shape, String> {
    match shape_of(machine, form, squares, false)? {
        Shape::Keyed(_) => Err("maps or grids within another value".to_string()),
        shape => Ok(shape),
    }
}

/// Evaluates an integer that depends only on options and constants.
pub fn number(machine: &Machine, e: &crate::ir::Expr) -> Option<i64> {
    let empty = machine.unset_position();
    if !crate::ir::free_slots(e).is_empty() {
        return None;
    }
    let mut frame = vec![Value::Unset; machine.game.slots];
    match machine.ask(&empty, |env| env.eval(e, &mut frame)) {
        Ok(Value::Int(n)) => n.as_i64().filter(fits),
        _ => None,
    }
}

pub fn scalar_of(machine: &Machine, form: &Form, squares: Squares) -> Option<Scalar> {
    let plain = |sort, lo, hi| Some(Scalar { sort, lo, hi, optional: false });
    match form {
        Form::Int => Some(Scalar::any_int()),
        Form::Range(low, high) => {
            // An empty range has no values; the reference reports it.
            let (low, high) = (number(machine, low)?, number(machine, high)?);
            (low <= high).then(|| Scalar::int(low, high))
        }
        Form::AtLeast(low) => {
            let low = number(machine, low)?;
            Some(Scalar { lo: low, ..Scalar::any_int() })
        }
        Form::Bool => plain(Sort::Bool, 0, 1),
        Form::Symbols(ids) => {
            let id = |id: Option<&usize>| id.and_then(|id| i64::try_from(*id).ok());
            plain(Sort::Symbol, id(ids.iter().min())?, id(ids.iter().max())?)
        }
        Form::Player => plain(Sort::Player, 0, i64::try_from(machine.setup.players).ok()? - 1),
        Form::Square => Some(squares.scalar()),
        Form::Optional(of) => {
            let of = scalar_of(machine, of, squares)?;
            (!of.optional).then_some(Scalar { optional: true, ..of })
        }
        Form::Tuple(parts) => {
            let parts: Option<Vec<Scalar>> =
                parts.iter().map(|part| scalar_of(machine, part, squares)).collect();
            TupleLayout::of(&parts?)
        }
        Form::Either(ids, of) => {
            let symbols = scalar_of(machine, &Form::Symbols(ids.clone()), squares)?;
            either::join_kinds(symbols, scalar_of(machine, of, squares)?)
        }
        _ => None,
    }
}

/// Returns the scalar domain of a type, with integers of any size; `None` if its values do not fit a word.
pub fn scalar_of_type(ty: &Type, players: usize, squares: Squares) -> Option<Scalar> {
    let plain = |sort, lo, hi| Some(Scalar { sort, lo, hi, optional: false });
    let id = |id: Option<&usize>| id.and_then(|id| i64::try_from(*id).ok());
    match ty {
        Type::Int => Some(Scalar::any_int()),
        Type::Bool => plain(Sort::Bool, 0, 1),
        Type::Symbol(ids) => plain(Sort::Symbol, id(ids.iter().min())?, id(ids.iter().max())?),
        Type::Player => plain(Sort::Player, 0, i64::try_from(players).ok()? - 1),
        Type::Square => Some(squares.scalar()),
        Type::Optional(of) => {
            let of = scalar_of_type(of, players, squares)?;
            (!of.optional).then_some(Scalar { optional: true, ..of })
        }
        Type::Tuple(parts) => {
            let parts: Option<Vec<Scalar>> =
                parts.iter().map(|part| scalar_of_type(part, players, squares)).collect();
            TupleLayout::of(&parts?)
        }
        Type::Either(ids, of) => {
            let symbols = scalar_of_type(&Type::Symbol(ids.clone()), players, squares)?;
            either::join_kinds(symbols, scalar_of_type(of, players, squares)?)
        }
        _ => None,
    }
}

/// Whether the symbols among a map's keys have no gaps between their ids, as a map has a place for every id.
pub fn contiguous_keys(form: &Form) -> bool {
    if let Form::Map(_, key) = form { contiguous(key) } else { true }
}

/// Whether the symbols of a form have no gaps between their ids; a symbol from a gap would pass range checks.
pub fn contiguous(form: &Form) -> bool {
    match form {
        Form::Symbols(ids) | Form::Either(ids, _) => {
            let (least, greatest) = (ids.iter().min(), ids.iter().max());
            matches!((least, greatest), (Some(a), Some(b)) if b - a + 1 == ids.len())
        }
        Form::Optional(of) | Form::List(_, of) | Form::Set(of) | Form::Bag(of) | Form::Grid(_, _, of) => {
            contiguous(of)
        }
        Form::Map(value, key) => contiguous(value) && contiguous(key),
        Form::Tuple(parts) => parts.iter().all(contiguous),
        _ => true,
    }
}
