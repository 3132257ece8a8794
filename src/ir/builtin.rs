//! What is said of a builtin in the table of words: what it gives, what is known of that, when it fails, how it reads.

use super::Type;

/// A function of the language, as people call it.
#[derive(Debug)]
pub struct Word {
    /// Its name.
    pub name: &'static str,
    /// What it takes: one letter an argument, see `check::vocabulary`; a last `*` allows more of the last, `?` makes it
    /// optional. Several ways are parted by `|`.
    pub takes: &'static str,
    /// What computes it; `None` where it is said in terms of others, see `check::grids`.
    pub builtin: Option<super::Builtin>,
    /// How it reads on the sheet of rules.
    pub phrase: Phrase,
    /// How an element `{x}` of its value reads there, where it is no mere element: `square {x} beside {1}`.
    pub among: Option<&'static str>,
    /// How it is called, and what it means.
    pub doc: &'static str,
}

/// How a function reads: `{0}` and `{1}` stand for its arguments, `{*}` for all of them.
#[derive(Debug, Clone, Copy)]
pub enum Phrase {
    /// As a value.
    Says(&'static str),
    /// As something that holds, and as something that does not.
    Claims(&'static str, &'static str),
    /// By the number of its arguments; `play::sheet` words it.
    ByCount,
}

/// What all that works with a builtin goes by.
#[derive(Debug)]
pub struct Traits {
    /// The type of its value; `None` where the arguments do not go together (a sum of symbols, say).
    pub gives: fn(&[Type]) -> Option<Type>,
    /// What is known of its value.
    pub known: Known,
    /// When it fails.
    pub fails: Fails,
    /// Whether it looks only at the size of its grid, not at what stands on it.
    pub of_shape: bool,
}

/// What is known of a value from what is known of the arguments, which count from 0. The checker, the optimiser and the
/// numbers of moves each read it in terms of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// No more than its type says.
    Type,
    /// An integer from the first to the second.
    Between(i64, i64),
    /// An integer that is not negative.
    Natural,
    /// Argument 0 without its sign.
    Magnitude,
    /// The square root of argument 0.
    Root,
    /// How many binary digits argument 0 has, at most.
    Bits,
    /// A divisor of every argument.
    Divides,
    /// The smallest of the arguments.
    Least,
    /// The largest of the arguments.
    Most,
    /// How many elements argument 0 has.
    Size,
    /// At most as many as argument 1 has elements.
    Copies,
    /// A row of the grid of the square.
    Row,
    /// A column of the grid of the square.
    Column,
    /// The number of a seat, from 1.
    SeatNumber,
    /// Every player but one.
    Others,
    /// Argument 0, which is there.
    Present,
    /// An element of argument 0.
    Element,
    /// The sum of the elements of argument 0.
    Sum,
    /// All elements of argument 0.
    All,
    /// The elements of argument 0, each once.
    Different,
    /// Some elements of argument 0.
    SomeOf,
    /// Elements of both arguments.
    Shared,
    /// All elements of two arguments.
    Joined,
    /// Argument 1, as often as argument 0 says.
    Repeated,
    /// As many elements of argument 1 as argument 2 says.
    Following,
    /// Places in argument 1.
    Positions,
    /// Numbers from 1 to the size of argument 0, at most as many; of an order just as many.
    Counts,
    /// Pairs of elements of argument 0.
    Pairs,
    /// The positive divisors of argument 0.
    Divisors,
    /// The prime factors of argument 0.
    Factors,
    /// The digits of argument 0.
    Digits,
    /// A square of the grid, or none.
    Step,
    /// A square of the grid.
    Square,
    /// At most so many squares of the grid.
    Near(u32),
    /// Squares of the grid in one line.
    Line,
    /// Squares of the grid.
    Squares,
    /// The rows of the grid.
    Rows,
    /// The columns of the grid.
    Columns,
    /// Straight lines of the grid, of as many squares as argument 1 says.
    Lines,
    /// Lists of squares of the grid, none of them empty.
    Parts,
}

/// When working a builtin out fails, its arguments being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    /// Never.
    Never,
    /// Where argument 0 is none.
    None,
    /// Where argument 0 has no elements.
    Empty,
    /// Where an argument is negative.
    Negative,
    /// Where argument 0 is not positive, or so large that it cannot be factored.
    Unfactored,
    /// Where something else is amiss, that nothing known beforehand rules out.
    Perhaps,
}

impl super::Builtin {
    /// The type of its value for arguments of these types; `None` where they do not go together.
    pub fn gives(self, args: &[Type]) -> Option<Type> {
        (self.traits().gives)(args)
    }
}

// ---- the types of values

fn list(of: Type) -> Type {
    Type::List(Box::new(of))
}

/// The elements of an argument; of one that is left out, nothing.
fn elements(args: &[Type], at: usize) -> Option<Type> {
    args.get(at).map_or(Some(Type::Never), Type::element)
}

/// Whether the elements of the first argument are numbers.
fn numbers(args: &[Type]) -> bool {
    elements(args, 0).is_some_and(|of| Type::Int.accepts(&of))
}

/// What the first argument and the elements of the second have in common.
fn one_of(args: &[Type]) -> Option<Type> {
    elements(args, 1)?.join(&args[0])
}

/// What the elements of two arguments have in common.
fn of_both(args: &[Type]) -> Option<Type> {
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

/// A number of many numbers.
pub(super) fn int_of_ints(args: &[Type]) -> Option<Type> {
    numbers(args).then_some(Type::Int)
}

/// Numbers of many numbers.
pub(super) fn ints_of_ints(args: &[Type]) -> Option<Type> {
    numbers(args).then(|| list(Type::Int))
}

/// Parts of many squares.
pub(super) fn lines_of_squares(args: &[Type]) -> Option<Type> {
    Type::Square.accepts(&elements(args, 0)?).then(|| list(list(Type::Square)))
}

/// A number that says how the first argument is in the second.
pub(super) fn int_of_one(args: &[Type]) -> Option<Type> {
    one_of(args).map(|_| Type::Int)
}

/// Numbers that say where the first argument is in the second.
pub(super) fn ints_of_one(args: &[Type]) -> Option<Type> {
    one_of(args).map(|_| list(Type::Int))
}

/// Elements of the second argument, beside the first.
pub(super) fn list_of_one(args: &[Type]) -> Option<Type> {
    one_of(args).map(list)
}

/// Whether something holds of the elements of two arguments.
pub(super) fn truth_of_both(args: &[Type]) -> Option<Type> {
    of_both(args).map(|_| Type::Bool)
}

/// As both arguments.
pub(super) fn both(args: &[Type]) -> Option<Type> {
    args[0].join(&args[1])
}

/// As the first argument.
pub(super) fn same(args: &[Type]) -> Option<Type> {
    Some(args[0].clone())
}

/// As the first argument, which is there.
pub(super) fn present(args: &[Type]) -> Option<Type> {
    Some(match &args[0] {
        Type::Optional(of) => (**of).clone(),
        ty => ty.clone(),
    })
}

/// An element of the first argument.
pub(super) fn element(args: &[Type]) -> Option<Type> {
    elements(args, 0)
}

/// The elements of the first argument as a list.
pub(super) fn as_list(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(list)
}

/// The elements of the first argument as a set.
pub(super) fn as_set(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(|of| Type::Set(Box::new(of)))
}

/// The elements of the first argument as a bag.
pub(super) fn as_bag(args: &[Type]) -> Option<Type> {
    elements(args, 0).map(|of| Type::Bag(Box::new(of)))
}

/// Pairs of elements of the first argument.
pub(super) fn pairs(args: &[Type]) -> Option<Type> {
    let of = elements(args, 0)?;
    Some(list(Type::Tuple(vec![of.clone(), of])))
}

/// Many of the second argument.
pub(super) fn list_of_second(args: &[Type]) -> Option<Type> {
    Some(list(args[1].clone()))
}
