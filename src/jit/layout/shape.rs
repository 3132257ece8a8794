//! How values lie flat: scalars as words with a range, small sets as bits, lists, bags, maps and grids as rows.

use crate::eval::Machine;
use crate::ir::{Form, SquareAt, Type, Value};
use crate::jit::layout::either::{self, Either};
use crate::jit::layout::tuple::{Row, tuple_of};

/// The word of no value.
pub const NONE: i64 = i64::MIN;
/// The word of a place never written.
pub const UNSET: i64 = i64::MIN + 1;
/// Integers of compiled code lie between minus and plus this; a larger one hands the step to the reference. Twice this
/// still fits a word, above the codes of none and unset.
pub const LIMIT: i64 = (1 << 62) - 1;

/// Whether compiled code has a number: it lies within [`LIMIT`].
pub fn fits(n: &i64) -> bool {
    (-LIMIT..=LIMIT).contains(n)
}
/// The largest set that is kept as bits.
const MAX_BITS: i64 = 1 << 22;
/// The largest bag, map or grid that is kept as a row.
const MAX_ROW: i64 = 1 << 16;
/// The most values of which a grid keeps one plane of bits each.
const MAX_PLANES: i64 = 8;

/// The sorts of values that fit a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// An integer: itself.
    Int,
    /// 0 or 1.
    Bool,
    /// The number of a symbol.
    Symbol,
    /// A seat, from 0.
    Player,
    /// (row − 1) × stride + column − 1; the stride is the widest grid's.
    Square,
    /// Parts side by side.
    Tuple(Row),
    /// Of one kind or of another.
    Either(Either),
}

/// A value that fits a word: its sort, the range of its words, whether it may be none ([`NONE`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// The sort.
    pub sort: Sort,
    /// The least word.
    pub lo: i64,
    /// The greatest word.
    pub hi: i64,
    /// Whether it may be none.
    pub optional: bool,
}

impl Scalar {
    /// Integers in a range.
    pub fn int(lo: i64, hi: i64) -> Scalar {
        Scalar { sort: Sort::Int, lo, hi, optional: false }
    }

    /// Any integer that compiled code can hold.
    pub fn any_int() -> Scalar {
        Scalar::int(-LIMIT, LIMIT)
    }

    /// How many values, none not counted.
    pub fn size(self) -> i64 {
        self.hi.saturating_sub(self.lo).saturating_add(1).max(0)
    }

    /// How many words of bits a set of these takes.
    pub fn words(self) -> usize {
        usize::try_from(self.size()).unwrap_or(0).div_ceil(64).max(1)
    }

    /// How many values there are, if the type alone says that they are not very many.
    pub fn few(self) -> Option<i64> {
        let many = match self.sort {
            Sort::Int | Sort::Tuple(_) => true,
            Sort::Either(either) => either.first.sort() == Sort::Int,
            _ => false,
        };
        (!many).then(|| self.size())
    }

    /// The range that holds both.
    pub fn join(self, other: Scalar) -> Option<Scalar> {
        (self.sort == other.sort).then(|| Scalar {
            sort: self.sort,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            optional: self.optional || other.optional,
        })
    }

    /// Bytes of a stored value: its range and two codes below it, for none and for what was never written.
    pub fn width(self) -> u32 {
        let fits = |bits: u32| self.lo >= -(1i64 << (bits - 1)) + 2 && self.hi < 1i64 << (bits - 1);
        match () {
            () if fits(8) => 1,
            () if fits(16) => 2,
            () if fits(32) => 4,
            () => 8,
        }
    }
}

/// The squares of all grids of a game, numbered by rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Squares {
    /// The columns of the widest grid.
    pub stride: i64,
    /// The rows of the highest.
    pub rows: i64,
}

impl Squares {
    /// The squares as scalars.
    pub fn scalar(self) -> Scalar {
        Scalar { sort: Sort::Square, lo: 0, hi: self.rows * self.stride - 1, optional: false }
    }

    /// The number of a square.
    pub fn word(self, square: SquareAt) -> Option<i64> {
        let (row, column) = (i64::from(square.row), i64::from(square.column));
        let on = (1..=self.rows).contains(&row) && (1..=self.stride).contains(&column);
        on.then(|| (row - 1) * self.stride + column - 1)
    }
}

/// Whether each number is one more than the one before it.
pub fn in_a_row(words: &[i64]) -> bool {
    words.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// The word of a value, where one holds it.
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

/// The value of a word.
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
        (_, Sort::Either(either)) => {
            let (sort, word) = either.alone(word);
            from_word(sort, word, squares)
        }
    }
}

/// Which bits a grid keeps beside its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planes {
    /// None.
    Off,
    /// Of the squares that hold none.
    Empty,
    /// Of each value: first none, where it is possible, then from the least to the greatest.
    All,
}

/// A grid's rows, columns and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridShape {
    /// How many rows.
    pub rows: i64,
    /// How many columns.
    pub columns: i64,
    /// What stands on a square.
    pub of: Scalar,
    /// The planes kept.
    pub planes: Planes,
}

impl GridShape {
    /// How many planes of bits.
    pub fn plane_count(self) -> usize {
        match self.planes {
            Planes::Off => 0,
            Planes::Empty => 1,
            Planes::All => usize::try_from(self.of.size()).unwrap_or(0) + usize::from(self.of.optional),
        }
    }

    /// The squares of the grid, as numbers.
    pub fn squares(self, squares: Squares) -> impl Iterator<Item = i64> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| row * squares.stride + column))
    }
}

/// How long a list may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// At most so many elements: they lie in their place.
    AtMost(i64),
    /// Exactly so many, or fewer once elements were taken out.
    Exactly(i64),
    /// At most so many, and never more than before. They lie at the end of their place, so that nothing moves when the
    /// first is taken out.
    Shrinking(i64),
    /// Always so many: nothing in the rules changes the length.
    Always(i64),
    /// Any number: they lie in a block that grows.
    Growing,
}

/// How a value lies in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A word.
    Scalar(Scalar),
    /// A set: a bit for each possible element.
    Bits(Scalar),
    /// A bag: a count for each possible element.
    Counts(Scalar),
    /// A bag of integers without bounds: its elements in order. Only in pools.
    Sorted(Scalar),
    /// A list.
    List(Length, Scalar),
    /// A value for each key: key, value.
    Map(Scalar, Scalar),
    /// A grid.
    Grid(GridShape),
    /// A set of lists, bags or integers without bounds: entries of a pool.
    Pool(Box<Shape>),
    /// Anything else: written out in words, in a block that grows. Only the reference looks into it.
    Kept,
}

/// The shape of a declared form. The error says what has none.
pub fn shape_of(machine: &Machine, form: &Form, squares: Squares, unset: bool) -> Result<Shape, String> {
    if let Some(scalar) = scalar_of(machine, form, squares) {
        return Ok(Shape::Scalar(scalar));
    }
    let element = |of: &Form, what: &str| {
        scalar_of(machine, of, squares).ok_or_else(|| format!("{what} whose elements are no single values"))
    };
    let small = |scalar: Scalar, limit: i64| !scalar.optional && scalar.size() <= limit;
    match form {
        Form::List(bound, of) => {
            let of = element(of, "a list")?;
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
            Ok(Shape::List(length, of))
        }
        Form::Set(of) => match scalar_of(machine, of, squares) {
            Some(scalar) if small(scalar, MAX_BITS) => Ok(Shape::Bits(scalar)),
            Some(scalar) => Ok(Shape::Pool(Box::new(Shape::Scalar(scalar)))),
            None => match shape_of(machine, of, squares, false)? {
                shape @ (Shape::List(..) | Shape::Counts(_) | Shape::Sorted(_) | Shape::Bits(_)) => {
                    Ok(Shape::Pool(Box::new(shape)))
                }
                Shape::Pool(_) => Err("a set of large sets".to_string()),
                _ => Err("a set of maps or grids".to_string()),
            },
        },
        Form::Bag(of) => {
            let of = element(of, "a bag")?;
            match small(of, MAX_ROW) {
                true => Ok(Shape::Counts(of)),
                false => Ok(Shape::Sorted(of)),
            }
        }
        Form::Map(value, key) => {
            let (key, of) = (element(key, "keys")?, element(value, "a map")?);
            match small(key, MAX_ROW) {
                true => Ok(Shape::Map(key, of)),
                false => Err("a map with too many keys".to_string()),
            }
        }
        Form::Grid(rows, columns, of) => {
            let of = element(of, "a grid")?;
            let (Some(rows), Some(columns)) = (number(machine, rows), number(machine, columns)) else {
                return Err("a grid of a size that is no number".to_string());
            };
            if rows < 1 || columns < 1 || rows.saturating_mul(columns) > MAX_ROW {
                return Err("a very large grid".to_string());
            }
            let filled = of.optional || !unset;
            let planes = match filled {
                true if of.size().saturating_add(i64::from(of.optional)) <= MAX_PLANES => Planes::All,
                true if of.optional => Planes::Empty,
                _ => Planes::Off,
            };
            Ok(Shape::Grid(GridShape { rows, columns, of, planes }))
        }
        _ => Err("a form that has no flat shape".to_string()),
    }
}

/// A number that depends on options and constants only.
pub fn number(machine: &Machine, e: &crate::ir::Expr) -> Option<i64> {
    let empty = machine.vacant();
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
            // A range without numbers holds nothing; the reference says so.
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
            Row::of(&parts?)
        }
        Form::Either(ids, of) => {
            let symbols = scalar_of(machine, &Form::Symbols(ids.clone()), squares)?;
            either::together(symbols, scalar_of(machine, of, squares)?)
        }
        _ => None,
    }
}

/// The scalars of a type; integers of any size.
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
            Row::of(&parts?)
        }
        Type::Either(ids, of) => {
            let symbols = scalar_of_type(&Type::Symbol(ids.clone()), players, squares)?;
            either::together(symbols, scalar_of_type(of, players, squares)?)
        }
        _ => None,
    }
}

/// Whether symbols that are keys are all between the least and the greatest: a map has a place for each.
pub fn contiguous_keys(form: &Form) -> bool {
    if let Form::Map(_, key) = form { contiguous(key) } else { true }
}

/// Whether the symbols of a form are all between the least and the greatest; others would pass unseen.
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
