//! Small rule files in which play faults, or numbers outgrow a machine word: a description, and the text
//! without the header.

use parlour::diag::Code;
use parlour::source::Source;

/// Returns a rule file of this table, with its header.
pub fn file(what: &str, text: &str) -> Source {
    Source::new(format!("{what}.game"), &format!("game \"{what}\" {{ players 2 }}\n{text}"))
}

/// A description, the expected code, and the file.
pub const FAULTS: &[(&str, Code, &str)] = &[
    (
        "division by zero in an effect",
        Code::DivisionByZero,
        "table { x: int = 5 }
move m(k in 0..3) { x := x div k }
play { turns until x = 0 { m } }",
    ),
    (
        "division by zero in a need",
        Code::DivisionByZero,
        "table { x: int = 3 }
move m(k in 1..3) {
  need 7 mod (x - k) >= 0 else \"no\"
  x -= 1
}
play { turns until x < -3 { m } }",
    ),
    (
        "division by zero in the end of a loop",
        Code::DivisionByZero,
        "table { x: int = 4 }
move m { x -= 1 }
play { turns until 5 div x > 9 { m } }",
    ),
    (
        "division by zero in a score",
        Code::DivisionByZero,
        "table { x: int = 2 }
each player { y: int = 1 }
move m(k in 1..2) { me.y -= k - 1 }
score = x div me.y
play { turns as t { m } until t = 4 }
winner highest score",
    ),
    (
        "division by zero in a function in a fold",
        Code::DivisionByZero,
        "table { x: int = 0 }
define f(a, b) = a div (a - b)
move m(k in 1..6) { x := sum(j in 1..4: f(j, k)) }
play { turns as t { m } until t = 9 }",
    ),
    (
        "a number out of its range",
        Code::OutOfRange,
        "table { x: 0..9 = 5 }
move m(k in -2..2) { x += k }
play { turns { m } }",
    ),
    (
        "a number far out of its range",
        Code::OutOfRange,
        "table { x: 0..9 = 5 }
move m { x := 2 ^ 70 }
play { turns { m } }",
    ),
    (
        "an element out of its range",
        Code::OutOfRange,
        "table { x: list of 0..9 = [5, 7] }
move m(i in 1..2, k in -2..2) { x[i] += k }
play { turns { m } }",
    ),
    (
        "a range of the options",
        Code::OutOfRange,
        "option n: 1..9 = 4
table { x: -n..2 * n = 0 }
move m(k in 1..n) { x -= k }
play { turns { m } }",
    ),
    (
        "too long a list",
        Code::OutOfRange,
        "table { x: list of at most 4 of 1..3 = [] }
move m(k in 1..3) { x += k }
play { turns { m } }",
    ),
    (
        "too short a list",
        Code::OutOfRange,
        "table { x: list of exactly 3 of 1..3 = [1, 2, 3] }
move m(k in 1..3) { x -= k }
move n(k in 1..3) { x := [j in 1..k: j] }
play { turns { m or n } }",
    ),
    (
        "an element out of its range",
        Code::OutOfRange,
        "table { x: list of 1..3 = [1, 2, 3] }
move m(k in 1..4, i in 1..3) { x[i] := k }
play { turns { m } }",
    ),
    (
        "a square out of its range",
        Code::OutOfRange,
        "table { x: grid 2 by 3 of 1..3 = 1 }
move m(at in x) { x[at] += 1 }
play { turns { m } }",
    ),
    (
        "a value of a map out of its range",
        Code::OutOfRange,
        "table { x: 0..3 for each 1..3 = 0 }
move m(k in 1..3) { x[k] += k }
play { turns { m } }",
    ),
    (
        "an element of a bag out of its range",
        Code::OutOfRange,
        "table { x: bag of 1..3 = bag() }
move m(k in 0..3) { x += k }
play { turns { m } }",
    ),
    (
        "a part of a tuple out of its range",
        Code::OutOfRange,
        "table { x: (1..3, int) = (1, 0) }
move m(k in 0..3) { x := (k, x.2 + 1) }
play { turns { m } }",
    ),
    (
        "a symbol that may not stand there",
        Code::OutOfRange,
        "kind hue: red, green, blue
table { x: {red, green} = red }
move m(k in every hue) { x := k }
play { turns { m } }",
    ),
    (
        "a list joined too long in a row of changes",
        Code::OutOfRange,
        "table {
  x: list of at most 5 of int = [1]
  y: int = 0
}
move m { (y, x) := (size(x), x ++ x) }
play { turns { m } }",
    ),
    (
        "state that was never written",
        Code::Unset,
        "table {
  x: int
  y: int = 0
}
move m { y += 1 }
move n { x := 3 }
play { turns until y > 2 and x = 3 { m or n } }",
    ),
    (
        "a player's state that was never written",
        Code::Unset,
        "each player { x: 1..9 }
move m(k in 1..9) { me.x := k }
move n { me.x := me.next.x }
play { turns as t { m or n } until t = 6 }",
    ),
    (
        "a change before the first value",
        Code::Unset,
        "table { x: int }
move m { x += 1 }
play {
  if size(players) > 9 { x := 1 }
  turns { m }
}",
    ),
    (
        "a square never written",
        Code::Unset,
        "table {
  x: grid 2 by 2 of int
  y: int = 0
}
move m(at in x) {
  y += x[at]
  x[at] := 1
}
play {
  if size(players) > 9 { x[a1] := 1 }
  turns { m }
}",
    ),
    (
        "state unset again at each pass",
        Code::Unset,
        "table {
  x: int each round
  y: int = 0
}
move m { x := 1 }
move n { y += x }
play { repeat as round { turns as t { m or n } until t = 2 } until round = 5 }",
    ),
    (
        "no such place in a list",
        Code::NoSuchElement,
        "table { x: list of int = [5, 6, 7] }
move m(k in 0..3) { x[1] := x[k] }
play { turns { m } }",
    ),
    (
        "a place beyond a list written",
        Code::NoSuchElement,
        "table { x: list of int = [5, 6, 7] }
move m(k in 1..9) { x[k] := 1 }
play { turns { m } }",
    ),
    (
        "a row changed beyond its end",
        Code::NoSuchElement,
        "table { row: list of exactly 4 of 0..2 = [0, 0, 1, 1]
  seen: set of bag of 1..4 = {bag([1, 3])} }
move m(at in 2..5, v in 0..2) {
  let changed = row with [at] = v
  need bag(runs(changed)) not in seen else \"seen\"
  row := changed
  seen += bag(runs(row))
}
play { turns { m } }",
    ),
    (
        "an element of an empty list written",
        Code::NoSuchElement,
        "table { x: list of int = [] }
move m(k in 1..2) { x[k] := 1 }
play { turns { m } }",
    ),
    (
        "a slice beyond a list",
        Code::NoSuchElement,
        "table { x: list of int = [5, 6, 7] }
move m(k in 2..5) { x := x[2..k] ++ [k] }
play { turns { m } }",
    ),
    (
        "off the board",
        Code::NoSuchElement,
        "table { x: grid 3 by 2 of int = 0 }
move m(r in 0..3, c in 1..2) { x[r, c] += 1 }
play { turns { m } }",
    ),
    (
        "no such key",
        Code::NoSuchElement,
        "table { x: int for each 2..5 = 0 }
move m(k in 1..5) { x[k] += 1 }
play { turns { m } }",
    ),
    (
        "the first of nothing",
        Code::NoSuchElement,
        "table { x: list of int = [1, 2] }
move m { x -= first(x) }
play { turns { m } }",
    ),
    (
        "the largest of nothing",
        Code::NoSuchElement,
        "table { x: set of 1..9 = {1, 2, 3} }
move m(k in x) { x -= k }
play { turns until largest(j in x where j > 1: j * j) < 0 { m } }",
    ),
    (
        "nothing that fits",
        Code::NoSuchElement,
        "table { x: int = 0 }
move m(k in 1..9) { x := first(j in 1..8 where j >= k) }
play { turns { m } }",
    ),
    (
        "sent and not there",
        Code::NoSuchElement,
        "each player { hand: bag of 1..3 = bag([1, 1, 2, 3]) }
move m(k in 1..3) { send k from me.hand to me.next.hand }
play { turns { m } }",
    ),
    (
        "dealt from too small a pile",
        Code::NoSuchElement,
        "table { pile: list of int = [k in 1..7: k] }
each player { hand: list of int = [] }
move m(k in 0..3) { deal k from pile to me.hand }
play { turns { m } }",
    ),
    (
        "dealt by chance from too small a pile",
        Code::NoSuchElement,
        "table { pile: bag of 1..4 = bag(k in 1..4, j in 1..2: k) }
each player { hand: bag of 1..4 = bag() }
move m { }
play { repeat { each p in players { ask p to m
  deal 3 from pile to p.hand } } }",
    ),
    (
        "nothing left to draw",
        Code::NoSuchElement,
        "table {
  pile: set of 1..4 = set(1..4)
  x: int = 0
}
move m { }
play { turns { m
  draw c from pile
  x += c } }",
    ),
    (
        "not in the ring",
        Code::NoSuchElement,
        "table { x: int = 0 }
move m(k in 1..5) { x := sum(following(k, [j in 1..4: j], 6)) }
play { turns { m } }",
    ),
    (
        "no square there",
        Code::NoSuchElement,
        "table {
  x: grid 2 by 2 of int = 0
  y: int = 1
}
move m(k in -1..2) { y := x[y, k] + 1 }
play { turns { m } }",
    ),
    (
        "nothing left to do",
        Code::Stuck,
        "table { x: set of 1..4 = set(1..4) }
move m(k in x) { x -= k }
play { turns { m } }",
    ),
    (
        "nothing left to do together",
        Code::Stuck,
        "each player { x: set of 1..4 = set(1..me.number + 1) }
move m(k in me.x) { me.x -= k }
play { repeat { together players { m } } }",
    ),
    (
        "nothing in the window",
        Code::Stuck,
        "table { x: int = 0 }
move m(k in int try 1..3) {
  need k > x else \"more than {x}\"
  x := k
}
play { turns { m } }",
    ),
    (
        "chance without end",
        Code::TooMuchWork,
        "table { x: int = 0 }
move m { }
play {
  turns as t { m } until t = 3
  repeat {
    chance d in 1..6
    x += d
  } until x < 0
}",
    ),
    (
        "too large a power",
        Code::TooLarge,
        "table { x: int = 3 }
move m(k in 1..4) { x := x ^ (k * x) }
play { turns as t { m } until t = 30 }",
    ),
    (
        "too large a factorial",
        Code::TooLarge,
        "table { x: int = 3 }
move m(k in 1..4) { x := factorial(10 ^ (2 * k)) mod 7 }
play { turns as t { m } until t = 3 }",
    ),
    (
        "too many copies",
        Code::TooLarge,
        "table { x: int = 3 }
move m(k in 1..7) { x := size((10 ^ k) copies of 0) }
play { turns { m } }",
    ),
    (
        "a negative power",
        Code::BadArgument,
        "table { x: int = 3 }
move m(k in -1..4) { x := 2 ^ k }
play { turns { m } }",
    ),
    (
        "the root of a negative number",
        Code::BadArgument,
        "table { x: int = 3 }
move m(k in -1..4) { x := root(k) }
play { turns { m } }",
    ),
    (
        "no base",
        Code::BadArgument,
        "table { x: int = 3 }
move m(k in 1..4) { x := size(digits(100, k)) }
play { turns { m } }",
    ),
    (
        "no digit of the base",
        Code::BadArgument,
        "table { x: int = 3 }
move m(k in 2..4) { x := number([1, 2, 1, 3], k) }
play { turns { m } }",
    ),
    (
        "the divisors of zero",
        Code::BadArgument,
        "table { x: int = 3 }
move m(k in 0..4) { x := size(divisors(k)) + size(factors(k)) }
play { turns { m } }",
    ),
    (
        "a negative number of copies",
        Code::BadArgument,
        "table { x: list of int = [] }
move m(k in -1..4) { x := k copies of k }
play { turns { m } }",
    ),
    (
        "no order to be inverted",
        Code::BadArgument,
        "table { x: list of int = [] }
move m(k in lists(3, 1..3)) { x := inverse(k) }
play { turns { m } }",
    ),
    (
        "rows that are no square",
        Code::BadArgument,
        "table { x: int = 0 }
move m(k in 1..3) { x := determinant([i in 1..2: [j in 1..k: i ^ j]]) }
play { turns { m } }",
    ),
    (
        "rows of a negative size",
        Code::BadArgument,
        "table { x: int = 2 }
move m(k in arrangements(x, 1..4)) { x -= 1 }
play { turns { m } }",
    ),
    (
        "binary digits of a negative number",
        Code::BadArgument,
        "table { x: int = 2 }
move m(k in -3..4) { x := xor(x, k) + popcount(x) + bit(x, 1) }
play { turns { m } }",
    ),
    (
        "a fault in the second of two changes",
        Code::NoSuchElement,
        "table {
  x: int = 2
  y: list of int = [1, 2, 3]
}
move m(k in 1..4) { (x, y[k]) := (y[1], x) }
play { turns { m } }",
    ),
    (
        "a fault in a move made together",
        Code::DivisionByZero,
        "each player {
  x: int = 2
  y: int = 0
}
move m(k in 0..3) {
  me.y := 6 div (k + me.y)
  me.x := k
}
play { repeat { together players { m } } }",
    ),
    (
        "a fault in a tie",
        Code::NoSuchElement,
        "each player { x: list of int = [] }
move m(k in 1..2) { if k = 2 { me.x += k } }
play { turns as t { m } until t = 2 }
winner highest size(me.x), then lowest first(me.x)",
    ),
];

/// A description, and the file: in some match a number does not fit a word.
pub const LARGE: &[(&str, &str)] = &[
    (
        // Three times 2^60, so one random number in sixteen is rejected and drawn again.
        "one of very many moves",
        "table {
  x: int = 0
  all: int = 0
}
move m(k in 1..3458764513820540928) {
  x := k mod 1000
  all += k
}
play { turns as t { m } until t = 12 }",
    ),
    (
        "sums past a word",
        "table { x: int = 9223372036854775800 }
move m(k in 1..5) { x += k }
play { turns as t { m } until t = 12 }",
    ),
    (
        "sums past a word and back",
        "table {
  x: int = 9223372036854775800
  y: int = -9223372036854775800
  most: int = 0
}
move m(k in 1..20) {
  x += k
  y -= k
  most := max(most, x)
}
move n(k in 1..20) {
  x -= k
  y += k
}
play { turns as t { m or n } until t = 30 }",
    ),
    (
        "the least word",
        "table {
  x: int = 0
  y: int = 0
  board: grid 3 by 3 of int = 0
}
move m(k in 60..64) {
  let least = -9223372036854775807 - 1
  x := least
  y := (-2) ^ k
  board[2, 2] += size([s in squares(board) where step(board, s, least, 0) is not none: s])
}
play { turns as t { m } until t = 12 }",
    ),
    (
        "products and powers",
        "table {
  x: int = 7
  y: int = 1
}
move m(k in 2..9) {
  x := x * k
  y := y - x * x
}
move n(k in 2..5) { x := x ^ k mod (10 ^ 30 + 57) }
play { turns as t { m or n } until t = 40 }",
    ),
    (
        "all that is done with large numbers",
        "table {
  x: int = 123456789
  y: int = -98765432123456789
  b: list of int = []
}
define r(a) = a mod 1000000007
move m(k in 1..9) {
  x := x * 31415926535 + k
  y := -x div 3 - abs(y)
  b := [r(x), r(y), gcd(x, y), sign(y), x mod k, y div k, min(x, y) mod 97, if x > y then 1 else 2]
}
move n(k in 1..4) {
  need even(x) or odd(y) or x divides y else \"no\"
  x := root(abs(x)) + popcount(abs(y)) + bit(abs(x), 70) + size(digits(abs(x), k + 1)) + xor(abs(x), abs(y)) mod 10 ^ 40
  y := lcm(x mod 1000, y mod 1000)
}
play { turns as t { m or n } until t = 20 }
score = x + me.number
winner highest score",
    ),
    (
        "folds past a word",
        "table {
  x: int = 0
  y: int = 0
  z: list of int = [2, 3]
}
move m(k in 15..30) {
  x := product(j in 1..k: j)
  y := sum(j in 1..k: 2 ^ (3 * j))
  z += largest(j in 1..k: j ^ j) - smallest(j in 1..k: -(j ^ j))
}
play { turns as t { m } until t = 6 }
score = sum(z) + product(z) mod 10 ^ 20
winner lowest score",
    ),
    (
        "awards past a word",
        "table { x: int = 1 }
move m(k in 1..9) {
  x := x * 1000 + k
  award x to me
  award -x * 1000 to me.next
}
play { turns as t { m } until t = 12 }
winner highest score",
    ),
    (
        "large numbers in sets, bags, keys and comparisons",
        "table {
  s: set of int = {}
  b: bag of int = bag()
  l: list of (int, int) = []
  x: int = 4611686018427387904
}
move m(k in 1..3) {
  x := x + x - k
  s += x
  b += x div 2 ^ 40
  l += (x, k)
}
move n(k in s) {
  need k in s and k <= largest(s) else \"no\"
  s -= k
  x := x - k
}
play { turns as t { m or n } until t = 20 }",
    ),
    (
        "large ranges to draw from",
        "table { x: int = 0 }
move m(k in 1..2 ^ 80) { x := k }
move n(k in int try 0..10 ^ 25) { x -= k }
play { turns as t { m or n } until t = 9 }",
    ),
    (
        // No row is a span, although the greatest and the least word are adjacent if additions wrap around.
        "rows that begin with the greatest of words",
        "let last = [9223372036854775807, -9223372036854775808]
let rows = [[2, 3], last]
table {
  x: int = 0
  y: int = 0
  most: int = 0
}
move m(k in rows[1]) {
  let row = if me = seat(1) then last else [5, 6]
  y += size([v in row where v > 0: v]) + sum(v in row: v mod 7)
  chance c in [9223372036854775807, -9223372036854775808]
  x += c mod 5 + k mod 3
  most := c * 4
}
play {
  each v in last { y += v mod 9 }
  turns as t { m } until t = 9
}",
    ),
    (
        "the greatest and least of words",
        "table {
  x: int = -9223372036854775807
  y: int = 0
  most: int = 0
}
move m {
  x -= 1
  y := -x
  most := max(most, y)
}
move n {
  x := x div -1
  y := abs(x) * -1
}
move o { (x, y) := (y mod 9223372036854775807, x * x) }
play { turns as t { m or n or o } until t = 9 }",
    ),
];
