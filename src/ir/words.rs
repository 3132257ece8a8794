//! The table of all functions of the language, one row each: everything that the checker, the optimiser, the
//! engines, the rules sheet and `parlour explain` know about them. Only their evaluation is elsewhere, in
//! `eval/builtin.rs`.

use super::builtin::{
    as_bag, as_list, as_set, bag_of_ints, both, element, int, int_of_ints, int_of_one, ints, ints_of_ints,
    ints_of_one, lines, lines_of_squares, list_of_one, list_of_second, pairs, player, players, present, same,
    set_of_ints, square, square_or_none, squares, text, truth, truth_of_both,
};
use super::{FailsWhen, Phrase, ResultFact, Traits, Word};

/// A row is a name and its parameters; then the builtin, its result type, what is known about its value, when
/// it fails, and `shape` if only the size of its grid matters, or just `-` if the checker desugars it; then
/// its wording on the rules sheet and its help text. After these rows come the builtins without a function
/// name, such as `p.next` and `a ++ b`.
macro_rules! words {
    (
        $($name:literal $takes:literal:
            $($builtin:ident $gives:ident, $known:expr, $fails:ident $(, $shape:ident)?)? $(-)?;
            $phrase:expr $(, each $among:literal)?;
            $doc:literal)*
        nameless { $($other:ident $other_gives:ident, $other_known:expr, $other_fails:ident;)* }
    ) => {
        /// The builtins: functions of the language, and the operations behind operators and fields.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Builtin { $($($builtin,)?)* $($other,)* }

        /// Every function of the language, in the order of the manual.
        pub const WORDS: &[Word] = &[$(Word {
            name: $name,
            takes: $takes,
            builtin: words!(@option $(Builtin::$builtin)?),
            phrase: $phrase,
            element_phrase: words!(@option $($among)?),
            doc: $doc,
        },)*];

        impl Builtin {
            /// Returns the name of its function; for operations without one, a word for them.
            pub fn name(self) -> String {
                let word = WORDS.iter().find(|word| word.builtin == Some(self));
                word.map_or_else(|| format!("{self:?}").to_lowercase(), |word| word.name.to_string())
            }

            /// Returns its row of the table.
            pub fn traits(self) -> &'static Traits {
                match self {
                    $($(Builtin::$builtin => &Traits {
                        result_type: $gives,
                        known: $known,
                        fails: FailsWhen::$fails,
                        of_shape: words!(@flag $($shape)?),
                    },)?)*
                    $(Builtin::$other => &Traits {
                        result_type: $other_gives,
                        known: $other_known,
                        fails: FailsWhen::$other_fails,
                        of_shape: false,
                    },)*
                }
            }
        }
    };
    (@option) => { None };
    (@option $some:expr) => { Some($some) };
    (@flag) => { false };
    (@flag shape) => { true };
}

use Phrase::{ByCount, Claims, Says};
use ResultFact::*;

words! {
    "abs" "n": Abs int, Magnitude, Never;
        Says("the absolute value of {0}");
        "`abs(x)`: x without its sign"
    "sign" "n": Sign int, Between(-1, 1), Never;
        Says("the sign of {0}");
        "`sign(x)`: -1, 0 or 1"
    "gcd" "nn*": Gcd int, Divides, Never;
        Says("the greatest common divisor of {*}");
        "`gcd(a, b)`: the greatest common divisor, never negative"
    "lcm" "nn*": Lcm int, Natural, Perhaps;
        Says("the least common multiple of {*}");
        "`lcm(a, b)`: the least common multiple, never negative"
    "coprime" "nn": Coprime truth, Type, Never;
        Claims("{0} and {1} are coprime", "{0} and {1} share a factor");
        "`coprime(a, b)`: whether 1 is the only positive common divisor"
    "prime" "n": Prime truth, Type, Never;
        Claims("{0} is a prime number", "{0} is not a prime number");
        "`prime(x)`: whether x is a prime number"
    "square" "n|nn": IsSquare truth, Type, Never;
        Claims("{0} is a square number", "{0} is not a square number");
        "`square(x)`: whether x is 0, 1, 4, 9, …; `square(r, c)`: the square at row r, column c"
    "root" "n": Root int, Root, Negative;
        Says("the square root of {0}, rounded down");
        "`root(x)`: the square root, rounded down; x must not be negative"
    "fibonacci" "n": Fibonacci truth, Type, Never;
        Claims("{0} is a Fibonacci number", "{0} is not a Fibonacci number");
        "`fibonacci(x)`: whether x is 0, 1, 2, 3, 5, 8, …"
    "even" "n": Even truth, Type, Never;
        Claims("{0} is even", "{0} is odd");
        "`even(x)`: whether 2 divides x"
    "odd" "n": Odd truth, Type, Never;
        Claims("{0} is odd", "{0} is even");
        "`odd(x)`: whether 2 does not divide x"
    "divisors" "n": Divisors set_of_ints, Divisors, Unfactored;
        Says("the divisors of {0}"), each "divisor {x} of {0}";
        "`divisors(x)`: the set of the positive divisors of x; x must not be 0, and must lie between -2^64 and 2^64"
    "factors" "n": Factors bag_of_ints, Factors, Unfactored;
        Says("the prime factors of {0}");
        "`factors(x)`: the bag of the prime factors of x; x must not be 0, and must lie between -2^64 and 2^64"
    "factorial" "n": Factorial int, Type, Perhaps;
        Says("the factorial of {0}");
        "`factorial(x)`: 1 * 2 * … * x"
    "choose" "nn": Choose int, Type, Perhaps;
        Says("the number of ways to choose {1} of {0}");
        "`choose(n, k)`: how many sets of k there are among n things"
    "digits" "nn?": Digits ints, Digits, Base;
        ByCount;
        "`digits(x)`, `digits(x, base)`: the list of digits of x, base 10 unless given"
    "number" "ln?": Number int_of_ints, Type, NoDigit;
        Says("the number with the digits {0}");
        "`number(list)`, `number(list, base)`: the number with these digits"
    "bit" "nn": Bit int, Between(0, 1), Negative;
        Says("binary digit {1} (from the right, counting from 0) of {0}");
        "`bit(x, k)`: binary digit k of x, 0 or 1; k counts from 0 at the right"
    "popcount" "n": Popcount int, Bits, Negative;
        Says("the number of binary 1s of {0}");
        "`popcount(x)`: how many binary digits of x are 1"
    "xor" "nn*": Xor int, Type, Negative;
        Says("the exclusive or of {*}");
        "`xor(a, b)`: exclusive or, binary digit by binary digit"
    "mex" "c": Mex int_of_ints, Natural, Never;
        Says("the smallest number from 0 on that is not in {0}");
        "`mex(S)`: the smallest of 0, 1, 2, … that is not in S"
    "min" "nn*": Min int, Least, Never;
        Says("the smallest of {*}");
        "`min(a, b)`: the smaller"
    "max" "nn*": Max int, Most, Never;
        Says("the largest of {*}");
        "`max(a, b)`: the larger"
    "value" "x": Present present, Present, None;
        Says("{0}");
        "`value(x)`: x, if you know it is there; it is a fault if x is none"
    "size" "c": Size int, Size, Never;
        Says("the size of {0}");
        "`size(S)`: how many elements, copies counted"
    "empty" "c": Empty truth, Type, Never;
        Claims("{0} is empty", "{0} is not empty");
        "`empty(S)`: whether there is no element; of a grid: whether every square is empty"
    "full" "g": Full truth, Type, Never;
        Claims("{0} is full", "{0} is not full");
        "`full(board)`: whether no square is empty"
    "runs" "l": Runs ints, Counts, Never;
        Says("the run-lengths of {0}");
        "`runs(L)`: the lengths of the runs of equal neighbours, in order"
    "bag" "c?": ToBag as_bag, All, Never;
        Says("{0}, in any order");
        "`bag(S)`: the elements as a bag; `bag()` is empty"
    "set" "c?": ToSet as_set, Different, Never;
        Says("the different elements of {0}");
        "`set(S)`: the elements as a set; `set()` is empty"
    "list" "c?": ToList as_list, All, Never;
        Says("{0}");
        "`list(S)`: the elements as a list; `list()` is empty"
    "sorted" "c": Sorted as_list, All, Never;
        Says("{0} in ascending order");
        "`sorted(S)`: the elements as a list, ascending"
    "reversed" "l|d": Reversed same, All, Never;
        Says("{0} backwards");
        "`reversed(L)`: the list backwards; `reversed(d)`: the opposite direction"
    "rotated" "ln": Rotated same, All, Never;
        Says("{0} from its place {1} + 1 on, then its beginning");
        "`rotated(L, k)`: the list from its element k + 1 on, then its first k"
    "increasing" "i": -;
        Claims("each element of {0} is larger than the one before", "not each element of {0} is larger than the one before");
        "`increasing(L)`: whether each element is larger than the one before it"
    "decreasing" "i": -;
        Claims("each element of {0} is smaller than the one before", "not each element of {0} is smaller than the one before");
        "`decreasing(L)`: whether each element is smaller than the one before it"
    "distinct" "c": Distinct truth, Type, Never;
        Claims("all of {0} are different", "something occurs twice in {0}");
        "`distinct(S)`: whether no element occurs twice"
    "once" "c": Once as_set, SomeOf, Never;
        Says("what occurs exactly once in {0}");
        "`once(S)`: the set of the elements that occur exactly once"
    "copies" "xc": Copies int_of_one, Copies, Never;
        Says("the number of times {0} occurs in {1}");
        "`copies(x, S)`: how often x occurs in S"
    "sum" "c": Sum int_of_ints, Sum, Never;
        Says("the sum of {0}");
        "`sum(S)`: the sum of the elements"
    "product" "c": Product int_of_ints, Type, Perhaps;
        Says("the product of {0}");
        "`product(S)`: the product of the elements"
    "largest" "c": Largest element, Element, Empty;
        Says("the largest of {0}");
        "`largest(S)`: the largest element; S must not be empty"
    "smallest" "c": Smallest element, Element, Empty;
        Says("the smallest of {0}");
        "`smallest(S)`: the smallest element; S must not be empty"
    "first" "l|ln": First element, Element, Empty;
        Says("the first of {0}");
        "`first(L)`, `first(L, k)`: the first element, or the list of the first k; L must have as many"
    "last" "l|ln": Last element, Element, Empty;
        Says("the last of {0}");
        "`last(L)`, `last(L, k)`: the last element, or the list of the last k; L must have as many"
    "positions" "xl": Positions ints_of_one, Positions, Never;
        Says("the places of {0} in {1}");
        "`positions(x, L)`: the places of x in L, from 1"
    "occurs" "ll": Occurs truth_of_both, Type, Never;
        Claims("{0} appears in {1} without gaps", "{0} does not appear in {1} without gaps");
        "`occurs(P, L)`: whether P appears in L as a run of neighbours"
    "palindrome" "l": Palindrome truth, Type, Never;
        Claims("{0} reads the same backwards", "{0} does not read the same backwards");
        "`palindrome(L)`: whether L reads the same backwards"
    "pairs" "c": Pairs pairs, Pairs, TooMany;
        Says("the pairs of {0}"), each "pair {x} of {0}";
        "`pairs(S)`: every pair of elements, (first, second), (first, third), …, (second, third), …"
    "union" "cc": Union both, Joined, Never;
        Says("{0} and {1} together");
        "`union(A, B)`: what is in either"
    "common" "cc": Common both, Shared, Never;
        Says("what {0} and {1} share");
        "`common(A, B)`: what is in both"
    "without" "cc": Without both, SomeOf, Never;
        Says("{0} without {1}");
        "`without(A, B)`: what is in A and not in B"
    "subset" "cc": Subset truth_of_both, Type, Never;
        Claims("all of {0} is in {1}", "not all of {0} is in {1}");
        "`subset(A, B)`: whether all of A is in B"
    "joined" "l": Joined text, Type, Perhaps;
        Says("{0} written side by side");
        "`joined(L)`: the elements written side by side"
    "rows" "g": Rows lines, Rows, Never, shape;
        Says("the rows of {0}"), each "row {x} of {0}";
        "`rows(board)`: its rows, each a list of squares"
    "columns" "g": Columns lines, Columns, Never, shape;
        Says("the columns of {0}"), each "column {x} of {0}";
        "`columns(board)`: its columns, each a list of squares"
    "row" "gn": -;
        Says("row {1} of {0}");
        "`row(board, k)`: the squares of row k"
    "column" "gn": -;
        Says("column {1} of {0}");
        "`column(board, k)`: the squares of column k"
    "diagonals" "g": Diagonals lines, Parts, Never, shape;
        Says("the diagonals of {0}, short ones too,"), each "diagonal {x}, however short, of {0}";
        "`diagonals(board)`: its diagonals in both directions, also the short ones down to a single corner, each a list of squares; `lines(board, 3)` has all lines of three"
    "squares" "g": Squares squares, Squares, Never, shape;
        Says("the squares of {0}"), each "square {x} of {0}";
        "`squares(board)`: its squares, row by row"
    "edge" "g": Edge squares, Squares, Never, shape;
        Says("the squares on the edge of {0}"), each "square {x} on the edge of {0}";
        "`edge(board)`: the squares on its edge, row by row"
    "corners" "g": Corners squares, Near(4), Never, shape;
        Says("the corners of {0}");
        "`corners(board)`: the squares at its corners, row by row"
    "filled" "g": -;
        Says("the filled squares of {0}");
        "`filled(board)`: the squares that are not empty, row by row"
    "regions" "c": Regions lines_of_squares, Parts, Never;
        Says("the connected regions of {0}");
        "`regions(S)`: the squares of S, split into lists connected by their sides; of a board: the filled squares, connected by sides and equal values"
    "lines" "gn": Lines lines, Lines, Never, shape;
        Says("the straight lines of {1} neighbouring squares of {0}"), each "straight line {x} of {1} neighbouring squares (in a row, a column or a diagonal)";
        "`lines(board, k)`: every straight line of k neighbouring squares, in rows, columns and diagonals"
    "beside" "gs": Beside squares, Near(4), Never, shape;
        Says("the squares that share a side with {1}"), each "square {x} that shares a side with {1}";
        "`beside(board, s)`: the squares that share a side with s"
    "around" "gs": Around squares, Near(8), Never, shape;
        Says("the squares that share a side or a corner with {1}"), each "square {x} that shares a side or a corner with {1}";
        "`around(board, s)`: the squares that share a side or a corner with s"
    "hexes" "gs": Hexes squares, Near(6), Never, shape;
        Says("the six hex neighbours of {1}"), each "hex neighbour {x} of {1}";
        "`hexes(board, s)`: the six neighbours of s where the rows are shifted, as in Hex"
    "straight" "gsn": Straight squares, Near(8), Never, shape;
        Says("the squares exactly {2} away from {1} in a straight line");
        "`straight(board, s, k)`: the squares exactly k away from s in a straight line, in eight directions"
    "ray" "gsnn|gsd": Ray squares, Line, Never, shape;
        Says("the squares from {1} on to the edge, each {2} rows and {3} columns further");
        "`ray(board, s, rows, columns)`, `ray(board, s, d)`: the squares from s to the edge by that step, without s itself"
    "step" "gsnn|gsd|gsdn": Step square_or_none, Step, Never, shape;
        Says("the square {2} rows and {3} columns on from {1}");
        "`step(board, s, rows, columns)`: the square that many rows and columns away, or none; `step(board, s, d)`, `step(board, s, d, k)`: one step or k steps in a direction"
    "wrapped" "gsnn|gsd|gsdn": Wrapped square, Square, Never, shape;
        Says("the square {2} rows and {3} columns on from {1}, round the edges");
        "`wrapped(board, s, rows, columns)`, `wrapped(board, s, d)`, `wrapped(board, s, d, k)`: like `step`, with opposite edges joined"
    "directions" "n": -;
        Says("the {0} directions");
        "`directions(4)`: north, east, south, west; `directions(8)`: also those in between, clockwise from north"
    "turned" "dn": -;
        ByCount;
        "`turned(d, k)`: the direction k eighths of a turn to the right of d, to the left where k is negative; 2 is a right angle"
    "rectangle" "gss": Rectangle squares, Squares, Never, shape;
        Says("the squares of the rectangle with corners {1} and {2}");
        "`rectangle(board, s, t)`: the squares of the rectangle with corners s and t"
    "following" "xln": Following list_of_one, Following, Perhaps;
        Says("the {2} elements that follow {0} in {1}, round its end");
        "`following(x, L, k)`: the k elements that follow x in L, with the first coming after the last"
    "inverse" "l": Inverse ints_of_ints, Counts, Perhaps;
        Says("the places of 1, 2 and so on in {0}");
        "`inverse(L)`: the place of each of 1, 2, … in L, which is a rearrangement of them"
    "determinant" "m": Determinant int, Type, Perhaps;
        Says("the determinant of {0}");
        "`determinant(M)`: of a square grid of numbers, or a list of rows of numbers"
    "seat" "n": Seat player, Type, Never;
        ByCount;
        "`seat(k)`: the k-th player, counting on round the table"
    nameless {
        Others players, Others, None;
        After player, Type, None;
        Before player, Type, None;
        Index int, SeatNumber, None;
        Row int, Row, None;
        Column int, Column, None;
        JoinLists both, Joined, TooMany;
        CopiesOf list_of_second, Repeated, TooMany;
    }
}
