//! The words of the language that are functions: what each takes, what it gives, what it means.

use crate::ir::{Builtin as B, Type};

/// A function of the language.
#[derive(Debug)]
pub struct Word {
    /// Its name.
    pub name: &'static str,
    /// What computes it; `None` where it is said in terms of others, see `check::grids`.
    pub builtin: Option<B>,
    /// What it takes: one letter an argument, see [`takes`]; a last `*` allows more of the last, `?` makes it optional.
    /// Several ways are parted by `|`.
    pub takes: &'static str,
    /// How it is called, and what it means.
    pub doc: &'static str,
}

macro_rules! words {
    ($($name:literal $builtin:tt $takes:literal $doc:literal)*) => {
        /// Every function of the language, in the order of the manual.
        pub const WORDS: &[Word] =
            &[$(Word { name: $name, builtin: words!(@ $builtin), takes: $takes, doc: $doc },)*];
    };
    (@ -) => { None };
    (@ $builtin:ident) => { Some(B::$builtin) };
}

words! {
    "abs" Abs "n" "`abs(x)`: x without its sign"
    "sign" Sign "n" "`sign(x)`: -1, 0 or 1"
    "gcd" Gcd "nn*" "`gcd(a, b)`: the greatest common divisor, never negative"
    "lcm" Lcm "nn*" "`lcm(a, b)`: the least common multiple, never negative"
    "coprime" Coprime "nn" "`coprime(a, b)`: whether 1 is the only positive common divisor"
    "prime" Prime "n" "`prime(x)`: whether x is a prime number"
    "square" IsSquare "n|nn" "`square(x)`: whether x is 0, 1, 4, 9, …; `square(r, c)`: the square at row r, column c"
    "root" Root "n" "`root(x)`: the square root, rounded down; x must not be negative"
    "fibonacci" Fibonacci "n" "`fibonacci(x)`: whether x is 0, 1, 2, 3, 5, 8, …"
    "even" Even "n" "`even(x)`: whether 2 divides x"
    "odd" Odd "n" "`odd(x)`: whether 2 does not divide x"
    "divisors" Divisors "n" "`divisors(x)`: the set of the positive divisors of x, which is not 0 and less than 2^64 either way"
    "factors" Factors "n" "`factors(x)`: the bag of the prime factors of x, which is not 0 and less than 2^64 either way"
    "factorial" Factorial "n" "`factorial(x)`: 1 * 2 * … * x"
    "choose" Choose "nn" "`choose(n, k)`: how many sets of k there are among n things"
    "digits" Digits "nn?" "`digits(x)`, `digits(x, base)`: the list of digits of x, base 10 unless given"
    "number" Number "ln?" "`number(list)`, `number(list, base)`: the number with these digits"
    "bit" Bit "nn" "`bit(x, k)`: binary digit k of x, 0 or 1; k counts from 0 at the right"
    "popcount" Popcount "n" "`popcount(x)`: how many binary digits of x are 1"
    "xor" Xor "nn*" "`xor(a, b)`: exclusive or, binary digit by binary digit"
    "mex" Mex "c" "`mex(S)`: the smallest of 0, 1, 2, … that is not in S"
    "min" Min "nn*" "`min(a, b)`: the smaller"
    "max" Max "nn*" "`max(a, b)`: the larger"
    "value" Present "x" "`value(x)`: x, which is known to be there; a fault where it is none"
    "size" Size "c" "`size(S)`: how many elements, copies counted"
    "empty" Empty "c" "`empty(S)`: whether there is no element; of a grid: whether every square is empty"
    "full" Full "g" "`full(board)`: whether no square is empty"
    "runs" Runs "l" "`runs(L)`: the lengths of the runs of equal neighbours, in order"
    "bag" ToBag "c?" "`bag(S)`: the elements as a bag; `bag()` is empty"
    "set" ToSet "c?" "`set(S)`: the elements as a set; `set()` is empty"
    "list" ToList "c?" "`list(S)`: the elements as a list; `list()` is empty"
    "sorted" Sorted "c" "`sorted(S)`: the elements as a list, ascending"
    "reversed" Reversed "l|d" "`reversed(L)`: the list backwards; `reversed(d)`: the opposite direction"
    "rotated" Rotated "ln" "`rotated(L, k)`: the list from its element k + 1 on, then its first k"
    "distinct" Distinct "c" "`distinct(S)`: whether no element occurs twice"
    "once" Once "c" "`once(S)`: the set of the elements that occur just once"
    "copies" Copies "xc" "`copies(x, S)`: how often x occurs in S"
    "sum" Sum "c" "`sum(S)`: the sum of the elements"
    "product" Product "c" "`product(S)`: the product of the elements"
    "largest" Largest "c" "`largest(S)`: the largest element; S must not be empty"
    "smallest" Smallest "c" "`smallest(S)`: the smallest element; S must not be empty"
    "first" First "l" "`first(L)`: the first element; L must not be empty"
    "last" Last "l" "`last(L)`: the last element; L must not be empty"
    "positions" Positions "xl" "`positions(x, L)`: the places of x in L, from 1"
    "occurs" Occurs "ll" "`occurs(P, L)`: whether P stands in L as a run of neighbours"
    "palindrome" Palindrome "l" "`palindrome(L)`: whether L reads the same backwards"
    "pairs" Pairs "c" "`pairs(S)`: every pair of elements, (first, second), (first, third), …, (second, third), …"
    "union" Union "cc" "`union(A, B)`: what is in either"
    "common" Common "cc" "`common(A, B)`: what is in both"
    "without" Without "cc" "`without(A, B)`: what is in A and not in B"
    "subset" Subset "cc" "`subset(A, B)`: whether all of A is in B"
    "joined" Joined "l" "`joined(L)`: the elements written side by side"
    "rows" Rows "g" "`rows(board)`: its rows, each a list of squares"
    "columns" Columns "g" "`columns(board)`: its columns, each a list of squares"
    "row" - "gn" "`row(board, k)`: the squares of row k"
    "column" - "gn" "`column(board, k)`: the squares of column k"
    "diagonals" Diagonals "g" "`diagonals(board)`: its diagonals in both directions, each a list of squares"
    "squares" Squares "g" "`squares(board)`: its squares, row by row"
    "edge" Edge "g" "`edge(board)`: the squares on its edge, row by row"
    "corners" Corners "g" "`corners(board)`: the squares at its corners, row by row"
    "filled" - "g" "`filled(board)`: the squares that are not empty, row by row"
    "regions" Regions "c" "`regions(S)`: the squares of S parted into lists that hang together by their sides; of a board: the filled squares, by sides and equal values"
    "lines" Lines "gn" "`lines(board, k)`: every straight line of k neighbouring squares, in rows, columns and diagonals"
    "beside" Beside "gs" "`beside(board, s)`: the squares that share a side with s"
    "around" Around "gs" "`around(board, s)`: the squares that share a side or a corner with s"
    "hexes" Hexes "gs" "`hexes(board, s)`: the six neighbours of s where the rows are shifted, as in Hex"
    "straight" Straight "gsn" "`straight(board, s, k)`: the squares just k away from s in a straight line, in eight directions"
    "ray" Ray "gsnn|gsd" "`ray(board, s, rows, columns)`, `ray(board, s, d)`: the squares from s on, without s, by that step to the edge"
    "step" Step "gsnn|gsd|gsdn" "`step(board, s, rows, columns)`: the square that many rows and columns on, or none; `step(board, s, d)`, `step(board, s, d, k)`: one step or k steps in a direction"
    "wrapped" Wrapped "gsnn|gsd|gsdn" "`wrapped(board, s, rows, columns)`, `wrapped(board, s, d)`, `wrapped(board, s, d, k)`: the same where the edges are joined"
    "directions" - "n" "`directions(4)`: north, east, south, west; `directions(8)`: those between them too, clockwise from north"
    "turned" - "dn" "`turned(d, k)`: the direction k eighths of a turn to the right of d, to the left where k is negative; 2 is a right angle"
    "rectangle" Rectangle "gss" "`rectangle(board, s, t)`: the squares of the rectangle with corners s and t"
    "following" Following "xln" "`following(x, L, k)`: the k elements that follow x in L, where the first follows the last"
    "inverse" Inverse "l" "`inverse(L)`: where each of 1, 2, … stands in L, which is an order of them"
    "determinant" Determinant "m" "`determinant(M)`: of a square grid of numbers, or a list of rows of numbers"
    "seat" Seat "n" "`seat(k)`: the k-th player, counting on round the table"
}

impl Word {
    /// The ways of calling it: the letters of each.
    pub fn ways(&self) -> impl Iterator<Item = &'static str> {
        self.takes.split('|')
    }

    /// The way that arguments of these types are meant for: the first that they fit, else the first of their number.
    pub fn way(&self, args: &[Type]) -> Option<&'static str> {
        let counts = |way: &&str| {
            let (least, most) = counts(way);
            least <= args.len() && args.len() <= most
        };
        let fit = |way: &&str| args.iter().enumerate().all(|(i, ty)| fits(letter(way, i), ty));
        // Where a direction stands, the way with a direction is meant.
        let meant = |way: &&str| {
            let direction = |ty: &Type| match ty {
                Type::Optional(inner) => fits(b'd', inner),
                ty => fits(b'd', ty),
            };
            args.iter().enumerate().any(|(i, ty)| letter(way, i) == b'd' && direction(ty))
        };
        let all = || self.ways().filter(counts);
        all().find(fit).or_else(|| all().find(meant)).or_else(|| all().next())
    }

    /// How many arguments it takes, at least and at most; `usize::MAX` where there is no end.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.ways().map(counts);
        all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
    }
}

/// How many arguments one way takes, at least and at most.
fn counts(way: &str) -> (usize, usize) {
    let letters = way.bytes().filter(u8::is_ascii_lowercase).count();
    match way.bytes().last() {
        Some(b'*') => (letters, usize::MAX),
        Some(b'?') => (letters - 1, letters),
        _ => (letters, letters),
    }
}

/// What the argument at a place, from 0, must be.
pub fn letter(way: &str, at: usize) -> u8 {
    let letters = way.trim_end_matches(['*', '?']).as_bytes();
    letters.get(at).or(letters.last()).copied().unwrap_or(b'x')
}

/// The function with this name.
pub fn word(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

/// What an argument letter stands for, in people's words.
pub fn takes(letter: u8) -> &'static str {
    match letter {
        b'n' => "a number",
        b'l' => "a list",
        b'c' => "a list, a set or a bag",
        b'g' => "a grid",
        b's' => "a square",
        b'd' => "a direction",
        b'm' => "a grid of numbers or a list of rows of numbers",
        _ => "a value",
    }
}

/// Whether a value of this type may be an argument of this letter.
pub fn fits(letter: u8, ty: &Type) -> bool {
    match (letter, ty) {
        (_, Type::Wrong) | (b'x', _) => true,
        (b'n', ty) => *ty == Type::Int,
        (b'l', ty) => matches!(ty, Type::List(_)),
        (b'c', ty) => ty.element().is_some(),
        (b'g', ty) => matches!(ty, Type::Grid(_)),
        (b's', ty) => *ty == Type::Square,
        (b'd', ty) => matches!(ty, Type::Symbol(_)),
        (b'm', Type::Grid(of)) => matches!(**of, Type::Int | Type::Wrong),
        (b'm', Type::List(row)) => match &**row {
            Type::List(of) => matches!(**of, Type::Int | Type::Wrong),
            row => *row == Type::Wrong,
        },
        _ => false,
    }
}

/// The type of the result; `None` where the arguments do not go together (a sum of symbols, say).
pub fn result(builtin: B, args: &[Type]) -> Option<Type> {
    use Type::{Bool, Int, List, Never, Player, Set, Square, Text};
    let list = |of: Type| List(Box::new(of));
    let element = |i: usize| args.get(i).map_or(Some(Never), Type::element);
    let numbers = |i: usize| element(i).is_some_and(|t| Int.accepts(&t));
    Some(match builtin {
        B::Coprime
        | B::Prime
        | B::IsSquare
        | B::Fibonacci
        | B::Even
        | B::Odd
        | B::Empty
        | B::Full
        | B::Distinct
        | B::Palindrome => Bool,
        B::Abs
        | B::Sign
        | B::Gcd
        | B::Lcm
        | B::Root
        | B::Factorial
        | B::Choose
        | B::Bit
        | B::Popcount
        | B::Xor
        | B::Min
        | B::Max
        | B::Size
        | B::Determinant => Int,
        B::Present => match &args[0] {
            Type::Optional(of) => (**of).clone(),
            ty => ty.clone(),
        },
        B::Mex | B::Sum | B::Product | B::Number => numbers(0).then_some(Int)?,
        B::Copies => element(1)?.join(&args[0]).map(|_| Int)?,
        B::Positions => element(1)?.join(&args[0]).map(|_| list(Int))?,
        B::Divisors => Set(Box::new(Int)),
        B::Factors => Type::Bag(Box::new(Int)),
        B::Digits | B::Runs => list(Int),
        B::ToBag => Type::Bag(Box::new(element(0)?)),
        B::ToSet | B::Once => Set(Box::new(element(0)?)),
        B::ToList | B::Sorted => list(element(0)?),
        B::Reversed | B::Rotated => args[0].clone(),
        B::Largest | B::Smallest | B::First | B::Last => element(0)?,
        B::Occurs | B::Subset => element(0)?.join(&element(1)?).map(|_| Bool)?,
        B::Union | B::Common | B::Without => args[0].join(&args[1])?,
        B::Pairs => list(Type::Tuple(vec![element(0)?, element(0)?])),
        B::Joined => Text,
        B::Rows | B::Columns | B::Diagonals | B::Lines => list(list(Square)),
        B::Regions => Square.accepts(&element(0)?).then(|| list(list(Square)))?,
        B::Squares
        | B::Edge
        | B::Corners
        | B::Beside
        | B::Around
        | B::Hexes
        | B::Straight
        | B::Ray
        | B::Rectangle => list(Square),
        B::Step => Type::Optional(Box::new(Square)),
        B::Wrapped => Square,
        B::Following => element(1)?.join(&args[0]).map(list)?,
        B::Inverse => numbers(0).then_some(list(Int))?,
        B::Seat => Player,
        B::Others => list(Player),
        B::After | B::Before => Player,
        B::Index | B::Row | B::Column => Int,
        B::JoinLists => args[0].join(&args[1])?,
        B::CopiesOf => list(args[1].clone()),
    })
}
