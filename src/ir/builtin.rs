//! The vocabulary of the table of builtins: the type of the result, what is known about it, when evaluation
//! fails, and how a call is worded.

use super::Type;

/// A function of the language, as authors write it.
#[derive(Debug)]
pub struct Word {
    /// Its name.
    pub name: &'static str,
    /// The parameters, one letter each (see `check::vocabulary`); a final `*` repeats the last one, and `?`
    /// makes it optional. Alternatives are separated by `|`.
    pub takes: &'static str,
    /// The builtin that computes it; `None` if the checker desugars it (see `check::grids`).
    pub builtin: Option<super::Builtin>,
    /// How a call is worded on the rules sheet.
    pub phrase: Phrase,
    /// How an element `{x}` of its value is worded, if not plainly: `square {x} beside {1}`.
    pub element_phrase: Option<&'static str>,
    /// Its signature and meaning.
    pub doc: &'static str,
}

/// How a call is worded: `{0}` and `{1}` stand for its arguments, `{*}` for all of them.
#[derive(Debug, Clone, Copy)]
pub enum Phrase {
    /// A noun phrase for the value.
    Says(&'static str),
    /// A predicate, in its affirmative and its negative form.
    Claims(&'static str, &'static str),
    /// Depends on the number of arguments; `play::sheet` words it.
    ByCount,
}

/// What the rest of the program needs to know about a builtin.
#[derive(Debug)]
pub struct Traits {
    /// Computes the type of the result; `None` if the argument types do not fit together (a sum of symbols,
    /// say).
    pub result_type: fn(&[Type]) -> Option<Type>,
    /// What is known about its value.
    pub known: ResultFact,
    /// When evaluation fails.
    pub fails: FailsWhen,
    /// Whether it depends only on the size of its grid, not on the contents.
    pub of_shape: bool,
}

/// What is known about a result, given what is known about the arguments (numbered from 0). The checker, the
/// optimiser and the move numbering ([`crate::engine::Ids`]) each interpret it in their own domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFact {
    /// No more than the type implies.
    Type,
    /// An integer between the two bounds, inclusive.
    Between(i64, i64),
    /// A non-negative integer.
    Natural,
    /// The absolute value of argument 0.
    Magnitude,
    /// The square root of argument 0, rounded down.
    Root,
    /// At most the number of binary digits of argument 0.
    Bits,
    /// A divisor of every argument.
    Divides,
    /// The smallest of the arguments.
    Least,
    /// The largest of the arguments.
    Most,
    /// The number of elements of argument 0.
    Size,
    /// At most the number of elements of argument 1.
    Copies,
    /// The row of a square, within the grid.
    Row,
    /// The column of a square, within the grid.
    Column,
    /// The number of a seat, from 1.
    SeatNumber,
    /// All players but one.
    Others,
    /// Argument 0, known not to be `none`.
    Present,
    /// An element of argument 0.
    Element,
    /// The sum of the elements of argument 0.
    Sum,
    /// All elements of argument 0.
    All,
    /// The elements of argument 0, without repeats.
    Different,
    /// Some elements of argument 0.
    SomeOf,
    /// Elements common to both arguments.
    Shared,
    /// All elements of both arguments.
    Joined,
    /// Argument 1, repeated as many times as argument 0 says.
    Repeated,
    /// Elements of argument 1, as many as argument 2 says.
    Following,
    /// Indices into argument 1.
    Positions,
    /// Integers from 1 to the size of argument 0, and at most that many of them; exactly that many for an
    /// order.
    Counts,
    /// Pairs of elements of argument 0.
    Pairs,
    /// The positive divisors of argument 0.
    Divisors,
    /// The prime factors of argument 0.
    Factors,
    /// The digits of argument 0.
    Digits,
    /// A square of the grid, or `none`.
    Step,
    /// A square of the grid.
    Square,
    /// At most the given number of squares of the grid.
    Near(u32),
    /// Squares of the grid that lie in one line.
    Line,
    /// Squares of the grid.
    Squares,
    /// The rows of the grid.
    Rows,
    /// The columns of the grid.
    Columns,
    /// Straight lines of the grid, each with as many squares as argument 1 says.
    Lines,
    /// Non-empty lists of squares of the grid.
    Parts,
}

/// When evaluating a builtin on valid arguments fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailsWhen {
    /// Never.
    Never,
    /// If argument 0 is `none`.
    None,
    /// If argument 0 is empty.
    Empty,
    /// If an argument is negative.
    Negative,
    /// If argument 0 is 0, or too large to be factored.
    Unfactored,
    /// If argument 0 is negative, or argument 1, a base, is less than 2.
    Base,
    /// If a count among the arguments is negative, or the result has too many elements.
    TooMany,
    /// If an element of argument 0 is no digit in the base, which is argument 1 or 10, or if the result is too large.
    NoDigit,
    /// In other cases, which cannot be ruled out statically.
    Perhaps,
}

impl super::Builtin {
    /// Returns the type of its value for arguments of these types; `None` if they do not fit together.
    pub fn result_type(self, args: &[Type]) -> Option<Type> {
        (self.traits().result_type)(args)
    }
}

// ---- result types

fn list(of: Type) -> Type {
    Type::List(Box::new(of))
}

/// The element type of an argument; [`Type::Never`] if the argument is omitted.
fn elements(args: &[Type], at: usize) -> Option<Type> {
    args.get(at).map_or(Some(Type::Never), Type::element)
}

/// Whether the elements of the first argument are integers.
fn numbers(args: &[Type]) -> bool {
    elements(args, 0).is_some_and(|of| Type::Int.accepts(&of))
}

/// The join of the first argument's type and the element type of the second.
fn join_with_element(args: &[Type]) -> Option<Type> {
    elements(args, 1)?.join(&args[0])
}

/// The join of the element types of two arguments.
fn join_elements(args: &[Type]) -> Option<Type> {
    elements(args, 0)?.join(&elements(args, 1)?)
}

pub(super) fn int(_: &[Type]) -> Option<Type> {
    Some(Type::Int)
}

pub(super) fn truth(_: &[Type]) -> Option<Type> {
    Some(Type::Bool)
}

pub(super) fn text(_: &[Type]) -> Option<Type> {
    Some(Type::Text)
}

pub(super) fn player(_: &[Type]) -> Option<Type> {
    Some(Type::Player)
}

pub(super) fn square(_: &[Type]) -> Option<Type> {
    Some(Type::Square)
}

pub(super) fn square_or_none(_: &[Type]) -> Option<Type> {
    Some(Type::Optional(Box::new(Type::Square)))
}

pub(super) fn players(_: &[Type]) -> Option<Type> {
    Some(list(Type::Player))
}

pub(super) fn ints(_: &[Type]) -> Option<Type> {
    Some(list(Type::Int))
}

pub(super) fn squares(_: &[Type]) -> Option<Type> {
    Some(list(Type::Square))
}

pub(super) fn lines(_: &[Type]) -> Option<Type> {
    Some(list(list(Type::Square)))
}

pub(super) fn set_of_ints(_: &[Type]) -> Option<Type> {
    Some(Type::Set(Box::new(Type::Int)))
}

pub(super) fn bag_of_ints(_: &[Type]) -> Option<Type> {
    Some(Type::Bag(Box::new(Type::Int)))
}

/// An integer, from a collection of integers.
pub(super) fn int_of_ints(args: &[Type]) -> Option<Type> {
    numbers(args).then_some(Type::Int)
}

/// A list of integers, from a collection of integers.
pub(super) fn ints_of_ints(args: &[Type]) -> Option<Type> {
    numbers(args).then(|| list(Type::Int))
}

/// A list of lists of squares, from a collection of squares.
pub(super) fn lines_of_squares(args: &[Type]) -> Option<Type> {
    Type::Square.accepts(&elements(args, 0)?).then(|| list(list(Type::Square)))
}

/// An integer, from a value and a collection that may contain it.
pub(super) fn int_of_one(args: &[Type]) -> Option<Type> {
    join_with_element(args).map(|_| Type::Int)
}

/// A list of integers, from a value and a collection that may contain it.
pub(super) fn ints_of_one(args: &[Type]) -> Option<Type> {
    join_with_element(args).map(|_| list(Type::Int))
}

/// A list of elements of the second argument, which may also contain the first.
pub(super) fn list_of_one(args: &[Type]) -> Option<Type> {
    join_with_element(args).map(list)
}

/// A truth value, from two collections with compatible elements.
pub(super) fn truth_of_both(args: &[Type]) -> Option<Type> {
    join_elements(args).map(|_| Type::Bool)
}

/// The join of both argument types.
pub(super) fn both(args: &[Type]) -> Option<Type> {
    args[0].join(&args[1])
}

/// The type of the first argument.
pub(super) fn same(args: &[Type]) -> Option<Type> {
    Some(args[0].clone())
}

/// The type of the first argument, no longer optional.
pub(super) fn present(args: &[Type]) -> Option<Type> {
    Some(match &args[0] {
        Type::Optional(of) => (**of).clone(),
        ty => ty.clone(),
    })
}

/// The element type of the first argument.
pub(super) fn element(args: &[Type]) -> Option<Type> {
    elements(args, 0)
}

/// A list of the first argument's elements.
pub(super) fn as_list(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(list)
}

/// A set of the first argument's elements.
pub(super) fn as_set(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(|of| Type::Set(Box::new(of)))
}

/// A bag of the first argument's elements.
pub(super) fn as_bag(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(|of| Type::Bag(Box::new(of)))
}

/// A list of pairs of the first argument's elements.
pub(super) fn pairs(args: &[Type]) -> Option<Type> {
    let of = elements(args, 0)?;
    Some(list(Type::Tuple(vec![of.clone(), of].into())))
}

/// A list of values like the second argument.
pub(super) fn list_of_second(args: &[Type]) -> Option<Type> {
    Some(list(args[1].clone()))
}
