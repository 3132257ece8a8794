//! Tables of idioms: what people say, and how each is written. A row holds for every value in its holes.
//!
//! In a row, `{x}` is a hole for a value without operators, such as `3` or `board[at]`; `{#n}` for a number; `{e+}` for
//! everything up to what follows in the row, which `{(e)}` writes in brackets if it has operators; `{@x}` for a name that
//! begins no line of the language; `{c…}` for the rest of the line.

use super::build::is_reserved;
use super::grammar::{Grammar, Rule, error_at};
use super::habits::Mistake;
use super::phrases::operand;
use super::report::{is_item_word, statement_form};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;
use pest::Parser;

/// An idiom: as said, as written, and what else there is to know.
struct Idiom {
    said: &'static str,
    written: &'static str,
    note: &'static str,
}

macro_rules! idioms {
    ($($said:literal => $written:literal $(, $note:expr)?;)*) => {
        &[$(Idiom { said: $said, written: $written, note: [$($note,)? ""][0] },)*]
    };
}

// Notes of several rows.
const BESIDE: &str =
    "the name of the grid comes first, and `around` also has the squares that touch at a corner";
const ON_GRID: &str = "… is the name of the grid; `around` also has the squares that touch at a corner";
const CORNERS: &str = "`around` also has the squares that touch at a corner";
const OUT: &str = "with more than two players, `out` puts one of them out of the match";
const IN_ORDER: &str = "moves are made one after the other on lines of their own, first `{a}`, then `{b}`";
const SCENE: &str = "it sets the scene";
const TURN: &str = "a turn ends after its move; `again` gives the mover another one";

/// Parts of values and conditions.
const VALUES: &[Idiom] = idioms! {
    "{k} between {a} and {b}" => "{a} <= {k} <= {b}";
    "{k} is between {a} and {b}" => "{a} <= {k} <= {b}";
    "{k} at least {n}" => "{k} >= {n}";
    "{k} is at least {n}" => "{k} >= {n}";
    "{k} at most {n}" => "{k} <= {n}";
    "{k} is at most {n}" => "{k} <= {n}";
    "{k} is more than {n}" => "{k} > {n}";
    "{k} is greater than {n}" => "{k} > {n}";
    "{k} is larger than {n}" => "{k} > {n}";
    "{k} is bigger than {n}" => "{k} > {n}";
    "{k} is higher than {n}" => "{k} > {n}";
    "{k} is less than {n}" => "{k} < {n}";
    "{k} is fewer than {n}" => "{k} < {n}";
    "{k} is smaller than {n}" => "{k} < {n}";
    "{k} is lower than {n}" => "{k} < {n}";
    "{k} is the same as {n}" => "{k} = {n}";
    "{k} is not the same as {n}" => "{k} != {n}";
    "{k} is equal to {n}" => "{k} = {n}";
    "{k} is not equal to {n}" => "{k} != {n}";
    "{k} is different from {n}" => "{k} != {n}";
    "{k} equals {n}" => "{k} = {n}";
    "{k} equal to {n}" => "{k} = {n}";
    "{k} is divisible by {n}" => "{n} divides {k}";
    "{k} divisible by {n}" => "{n} divides {k}";
    "{k} is a multiple of {n}" => "{n} divides {k}";
    "{k} is a divisor of {n}" => "{k} divides {n}";
    "{k} is a factor of {n}" => "{k} divides {n}";
    "{s} contains {k}" => "{k} in {s}";
    "{s} does not contain {k}" => "{k} not in {s}";
    "{s} includes {k}" => "{k} in {s}";
    "{s} has {k}" => "{k} in {s}";
    "not {s} contains {k}" => "{k} not in {s}";
    "{s} is adjacent to {t}" => "{s} in beside(…, {t})", BESIDE;
    "{s} is next to {t}" => "{s} in beside(…, {t})", BESIDE;
    "{s} is a neighbour of {t}" => "{s} in beside(…, {t})", BESIDE;
    "half of {n}" => "{n} div 2";
    "half {n}" => "{n} div 2";
    "twice {n}" => "2 * {n}";
    "double {n}" => "2 * {n}";
    "{k} squared" => "{k} ^ 2";
    "{a} x {b}" => "{a} * {b}";
    "{a} times {b}" => "{a} * {b}";
    "{a} plus {b}" => "{a} + {b}";
    "{a} minus {b}" => "{a} - {b}";
    "{a} divided by {b}" => "{a} div {b}", "it rounds down";
    "{a} modulo {b}" => "{a} mod {b}";
    "squares of {b}" => "{b}", "a grid stands for its squares where something goes through it";
    "squares on {b}" => "{b}", "a grid stands for its squares where something goes through it";
    "elements of {s}" => "{s}";
    "members of {s}" => "{s}";
    "rows of {b}" => "rows({b})";
    "columns of {b}" => "columns({b})";
    "{x} in empty squares of {b}" => "{x} in {b} where {b}[{x}] is none";
    "{x} in the empty squares of {b}" => "{x} in {b} where {b}[{x}] is none";
    "{x} in free squares of {b}" => "{x} in {b} where {b}[{x}] is none";
    "{x} in occupied squares of {b}" => "{x} in {b} where {b}[{x}] is not none";
    "empty squares of {b}" => "[s in {b} where {b}[s] is none]";
    "empty squares" => "[s in … where …[s] is none]", "… is the name of the grid";
    "free squares" => "[s in … where …[s] is none]", "… is the name of the grid";
    "occupied squares" => "[s in … where …[s] is not none]", "… is the name of the grid";
    "player {#n}" => "seat({n})";
    "seat {#n}" => "seat({n})";
    "next player" => "me.next";
    "the next player" => "me.next";
    "previous player" => "me.previous";
    "the previous player" => "me.previous";
    "other player" => "me.next", "`me.others` are all the others";
    "the other player" => "me.next", "`me.others` are all the others";
    "other players" => "me.others";
    "the other players" => "me.others";
    "all players" => "players";
    "largest({e+} for {x} in {s})" => "largest({x} in {s}: {e})";
    "smallest({e+} for {x} in {s})" => "smallest({x} in {s}: {e})";
    "product({e+} for {x} in {s})" => "product({x} in {s}: {e})";
    "max({e+} for {x} in {s})" => "largest({x} in {s}: {e})";
    "min({e+} for {x} in {s})" => "smallest({x} in {s}: {e})";
    "sum({e+} for {x} in {s})" => "sum({x} in {s}: {e})";
    "any({c+} for {x} in {s})" => "some({x} in {s}: {c})";
    "all({c+} for {x} in {s})" => "all({x} in {s}: {c})";
    "[{e+} for {x} in {s}]" => "[{x} in {s}: {e}]";
    "[..{n}]" => "[1..{n}]", "places are counted from 1, and the last one is included";
    "[:{n}]" => "[1..{n}]", "places are counted from 1, and the last one is included";
    "{l} without {k}" => "without({l}, [{k}])";
    "{s} not empty" => "{s} is not empty";
    "every {x} in {s}: {c…}" => "all({x} in {s}: {c})";
    "[{e+} for {x} in {s} if {c+}]" => "[{x} in {s} where {c}: {e}]";
    "{{e+} for {x} in {s}}" => "set([{x} in {s}: {e}])";
    "{{e+} | {x} in {s}}" => "set([{x} in {s}: {e}])";
    "[{e+} | {x} in {s}]" => "[{x} in {s}: {e}]";
    "{{x} in {s} | {c+}}" => "set([{x} in {s} where {c}])";
    "number of cards in {s}" => "size({s})";
    "number of elements in {s}" => "size({s})";
    "all different({s})" => "distinct({s})";
    "lists of {#n} different {s}" => "arrangements({n}, {s})";
    "exists {x} in {s}: {c…}" => "some({x} in {s}: {c})";
    "exists {x} in {s} where {c…}" => "some({x} in {s}: {c})";
};

/// Whole statements.
const STATEMENTS: &[Idiom] = idioms! {
    "nobody wins" => "end";
    "everybody wins" => "win players";
    "everyone wins" => "win players";
    "set {x} to {v…}" => "{x} := {v}";
    "change {x} to {v…}" => "{x} := {v}";
    "add {v} to {x}" => "{x} += {v}";
    "append {v} to {x}" => "{x} += {v}";
    "remove {v} from {x}" => "{x} -= {v}";
    "subtract {v} from {x}" => "{x} -= {v}";
    "increase {x} by {v…}" => "{x} += {v}";
    "decrease {x} by {v…}" => "{x} -= {v}";
    "reduce {x} by {v…}" => "{x} -= {v}";
    "increment {x}" => "{x} += 1";
    "decrement {x}" => "{x} -= 1";
    "swap {a} and {b}" => "({a}, {b}) := ({b}, {a})";
    "swap {a} with {b}" => "({a}, {b}) := ({b}, {a})";
    "swap {a}, {b}" => "({a}, {b}) := ({b}, {a})";
    "exchange {a} and {b}" => "({a}, {b}) := ({b}, {a})";
    "exchange {a} with {b}" => "({a}, {b}) := ({b}, {a})";
    "{p} is out" => "out {p}";
    "{p} drops out" => "out {p}";
    "player {#n} wins when {c…}" => "win seat({n}) when {c}";
    "player {#n} wins if {c…}" => "win seat({n}) when {c}";
    "player {#n} wins" => "win seat({n})";
    "{p} wins when {c…}" => "win {p} when {c}";
    "{p} wins if {c…}" => "win {p} when {c}";
    "{p} wins" => "win {p}";
    "{p} loses when {c…}" => "win {p}.next when {c}", OUT;
    "{p} loses if {c…}" => "win {p}.next when {c}", OUT;
    "{p} loses" => "win {p}.next", OUT;
    "lose {p} when {c…}" => "win {p}.next when {c}", OUT;
    "lose when {c…}" => "win me.next when {c}", OUT;
    "stop when {c…}" => "end when {c}";
    "stop if {c…}" => "end when {c}";
    "finish when {c…}" => "end when {c}";
    "game over when {c…}" => "end when {c}";
    "game over if {c…}" => "end when {c}";
    "game ends when {c…}" => "end when {c}";
    "the game ends when {c…}" => "end when {c}";
    "draw when {c…}" => "end when {c}", "nobody wins a match that ends without a winner";
    "tie when {c…}" => "end when {c}", "nobody wins a match that ends without a winner";
    "game over" => "end";
    "win last mover" => "", "`winner last mover` is a line of its own at the left edge, outside `play`";
    "{@a} and {@b}" => "{a} or {b}", "this offers a choice; moves on lines of their own, `{a}` and `{b}`, are made one after the other";
    "{@a} then {@b}" => "", IN_ORDER;
    "{@a} and then {@b}" => "", IN_ORDER;
    "everyone { {b…}" => "together players { {b}";
    "everybody { {b…}" => "together players { {b}";
    "all players { {b…}" => "together players { {b}";
    "players { {b…}" => "together players { {b}";
    "at once { {b…}" => "together players { {b}";
    "simultaneously { {b…}" => "together players { {b}";
    "everyone {" => "together players {";
    "everybody {" => "together players {";
    "all players {" => "together players {";
    "players {" => "together players {";
    "at once {" => "together players {";
    "simultaneously {" => "together players {";
    "round {#n} { {b…}" => "repeat {n} as round { {b}";
    "round {#n} {" => "repeat {n} as round {";
    "add {#n} points" => "award {n} to me";
    "gain {#n} points" => "award {n} to me";
    "score {#n} points" => "award {n} to me";
    "add {#n} points to {p}" => "award {n} to {p}";
    "{p} scores {#n} points" => "award {n} to {p}";
    "{p} gains {#n} points" => "award {n} to {p}";
    "gain {#n} {@x}" => "me.{x} += {n}";
    "lose {#n} {@x}" => "me.{x} -= {n}";
    "give {p} {#n} {@x}" => "{p}.{x} += {n}";
    "pay {#n} to {p}" => "{p}.… += {n}", "… is what each player has";
    "{x} increases by {v…}" => "{x} += {v}";
    "{x} decreases by {v…}" => "{x} -= {v}";
    "{x} becomes {v…}" => "{x} := {v}";
    "--{x}" => "{x} -= 1";
    "++{x}" => "{x} += 1";
    "flip coin" => "chance coin in 1..2";
    "flip a coin" => "chance coin in 1..2";
    "roll die" => "chance die in 1..6";
    "roll a die" => "chance die in 1..6";
    "roll {#n} dice" => "chance dice in lists({n}, 1..6)";
    "take another turn" => "again";
    "extra turn" => "again";
    "move again" => "again";
    "go again" => "again";
    "play again" => "again";
    "next player" => "", TURN;
    "refuse {t…}" => "", "what a move needs stands at its beginning, with the reason for a refusal: `need C else {t}`";
    "end turn" => "", TURN;
    "end the turn" => "", TURN;
    "player {#n} starts" => "turns from seat({n}) { … }";
    "player {#n} begins" => "turns from seat({n}) { … }";
    "player {#n} goes first" => "turns from seat({n}) { … }";
    "skip next player" => "turns { if me.skipped { me.skipped := no } else { … } }", "who is skipped stands in `each player { skipped: yes or no = no }`";
    "skip the next player" => "turns { if me.skipped { me.skipped := no } else { … } }", "who is skipped stands in `each player { skipped: yes or no = no }`";
    "{m} twice" => "repeat 2 { {m} }";
    "{m} {#n} times" => "repeat {n} { {m} }";
    "foreach {x} in {b…}" => "each {x} in {b}";
    "for each {x} in {b…}" => "each {x} in {b}";
    "for {x} in {b…}" => "each {x} in {b}";
    "deal {n} to each player" => "each p in players { deal {n} from … to p.… }";
    "deal {n} to everyone" => "each p in players { deal {n} from … to p.… }";
    "award {n}" => "award {n} to me";
    "award me {n}" => "award {n} to me";
    "give me {n} points" => "award {n} to me";
    "each turn { {b…}" => "turns { {b}";
    "turns {#n} { {b…}" => "turns as t { {b}", "`until t = {n}` stands behind the block and ends it";
    "turns {#n} times { {b…}" => "turns as t { {b}", "`until t = {n}` stands behind the block and ends it";
    "turns while {c+} { {b…}" => "turns until not ({c}) { {b}";
    "chance ({a}, {d}) in {s…}" => "chance pair in {s}", "then `let ({a}, {d}) = pair`";
    "reveal all {x}" => "each p in players { reveal p.{x} }", "what is on the table is revealed by its name alone";
    "chance {a} in {s}, {b} in {t}" => "chance {a} in {s}", "the other draw, too, has a line of its own";
};

/// Whole lines of an example.
const EXAMPLE_LINES: &[Idiom] = idioms! {
    "start: {v…}" => "", "`given x = 3` sets the scene, `start shows \"…\"` checks what the table looks like at the start";
    "start {x} = {v…}" => "given {x} = {v}", SCENE;
    "with {x} = {v…}" => "given {x} = {v}", "options stand behind the title: `example \"…\" with n = 5 { … }`";
    "set {x} to {v…}" => "given {x} = {v}", SCENE;
    "let {x} = {v…}" => "given {x} = {v}", SCENE;
    "{x} := {v…}" => "given {x} = {v}", SCENE;
    "{x} = {v…}" => "given {x} = {v}", "it sets the scene; `expect {x} = {v}` checks what is there";
    "{@x}: {#n}" => "given {x} = {n}", SCENE;
    "setup {v…}" => "", "`given x = 3` sets the scene, one line for each piece of state";
    "roll {#n}" => "chance … {n}", "… is the name in the draw's line: `chance die 4` for `chance die in 1..6`";
    "roll {@x} {#n}" => "chance {x} {n}";
    "roll {@x}: {#n}" => "chance {x} {n}";
    "draw {@x} {#n}" => "chance {x} {n}";
};

/// Whole parts of a file, or their first lines.
const ITEMS: &[Idiom] = idioms! {
    "move {@m}" => "move {m} { }";
    "{@x} = {v…}" => "let {x} = {v}";
    "winner first to {#n} {@x}" => "", "who reaches it wins at once: `win me when me.{x} >= {n}` in the block of `turns`";
    "winner all if {c…}" => "win players when {c}";
    "winner everybody if {c…}" => "win players when {c}";
    "phase {b…}" => "", "phases stand in the block of `play`";
    "type {@x} = {v…}" => "kind {x}: …", "the symbols of a kind are listed: `kind colour: red, green`";
};

/// Whole pieces of state.
const STATE: &[Idiom] = idioms! {
    "{@x} for each {k}: {t+} = {v…}" => "{x}: {t} for each {k} = {v}";
    "{@x} for each {k}: {t…}" => "{x}: {t} for each {k}";
};

/// Types of state and options.
const TYPES: &[Idiom] = idioms! {
    "grid of {r} by {c} {t}" => "grid {r} by {c} of {t}";
    "grid of {r} by {c}" => "grid {r} by {c} of 1..9";
    "grid of {r} by {c} of {t}" => "grid {r} by {c} of {t}";
    "list of {#n} {t}" => "list of exactly {n} of {t}";
    "list of {#n} numbers" => "list of exactly {n} of int";
    "deck of {t}" => "list of {t}";
    "pile of {t}" => "list of {t}";
    "stack of {t}" => "list of {t}";
    "hand of {t}" => "set of {t}";
    "list of {#n} of {t}" => "list of exactly {n} of {t}", "or `at most`, if it may be shorter";
    "grid {r} x {c} of {t}" => "grid {r} by {c} of {t}";
    "{r} by {c} grid of {t}" => "grid {r} by {c} of {t}";
    "{r} x {c} grid of {t}" => "grid {r} by {c} of {t}";
    "map {k} to {t}" => "{t} for each {k}";
    "map of {k} to {t}" => "{t} for each {k}";
    "map from {k} to {t}" => "{t} for each {k}";
    "number from {a} to {b}" => "{a}..{b}";
    "number between {a} and {b}" => "{a}..{b}";
    "from {a} to {b}" => "{a}..{b}";
    "even {r}" => "{r}", "a `need` asks for the rest: `need x is even else …`";
    "odd {r}" => "{r}", "a `need` asks for the rest: `need x is odd else …`";
    "prime {r}" => "{r}", "a `need` asks for the rest: `need x is prime else …`";
};

/// Whole calls of functions that the language does not have.
const CALLS: &[Idiom] = idioms! {
    "div({a+}, {b+})" => "{(a)} div {(b)}";
    "floor_div({a+}, {b+})" => "{(a)} div {(b)}";
    "quotient({a+}, {b+})" => "{(a)} div {(b)}";
    "mod({a+}, {b+})" => "{(a)} mod {(b)}";
    "modulo({a+}, {b+})" => "{(a)} mod {(b)}";
    "remainder({a+}, {b+})" => "{(a)} mod {(b)}";
    "rem({a+}, {b+})" => "{(a)} mod {(b)}";
    "pow({a+}, {b+})" => "{(a)} ^ {(b)}";
    "power({a+}, {b+})" => "{(a)} ^ {(b)}";
    "divides({a+}, {b+})" => "{(a)} divides {(b)}";
    "divisible({a+}, {b+})" => "{(b)} divides {(a)}";
    "is_divisible({a+}, {b+})" => "{(b)} divides {(a)}";
    "is_even({a+})" => "{(a)} is even";
    "is_odd({a+})" => "{(a)} is odd";
    "is_prime({a+})" => "{(a)} is prime";
    "isprime({a+})" => "{(a)} is prime";
    "is_square({a+})" => "square({a})";
    "is_empty({a+})" => "{(a)} is empty";
    "isempty({a+})" => "{(a)} is empty";
    "isqrt({a+})" => "root({a})", "it rounds down";
    "digit_sum({a+})" => "sum(digits({a}))";
    "digitsum({a+})" => "sum(digits({a}))";
    "sum_of_digits({a+})" => "sum(digits({a}))";
    "total({a+})" => "sum({a})";
    "average({a+})" => "sum({a}) div size({a})", "it rounds down";
    "contains({a+}, {b+})" => "{(b)} in {(a)}";
    "includes({a+}, {b+})" => "{(b)} in {(a)}";
    "has({a+}, {b+})" => "{(b)} in {(a)}";
    "index({a+}, {b+})" => "first(positions({b}, {a}))";
    "indexof({a+}, {b+})" => "first(positions({b}, {a}))";
    "index_of({a+}, {b+})" => "first(positions({b}, {a}))";
    "position({a+}, {b+})" => "first(positions({a}, {b}))";
    "concat({a+}, {b+})" => "{(a)} ++ {(b)}";
    "join({a+}, {b+})" => "{(a)} ++ {(b)}";
    "player({a+})" => "seat({a})";
    "shuffled({a+})" => "", "`shuffle deck` in `play` leaves the order of a list on the table to chance";
    "shuffle({a+})" => "", "`shuffle deck` is a line of its own, in `play`";
    "neighbours({a+}, {b+})" => "beside({a}, {b})", CORNERS;
    "neighbors({a+}, {b+})" => "beside({a}, {b})", CORNERS;
    "neighbours({a+})" => "beside(…, {a})", ON_GRID;
    "neighbors({a+})" => "beside(…, {a})", ON_GRID;
    "adjacent({a+}, {b+})" => "{(b)} in beside(…, {(a)})", ON_GRID;
    "next({a+})" => "{(a)}.next";
    "previous({a+})" => "{(a)}.previous";
    "opponent({a+})" => "{(a)}.next", "`me.others` are all the others";
    "other({a+})" => "{(a)}.next", "`me.others` are all the others";
    "row({a+})" => "{(a)}.row";
    "column({a+})" => "{(a)}.column";
    "col({a+})" => "{(a)}.column";
};

/// Finds the idiom that a whole call of a function is which the language does not have.
pub fn function_idiom(call: &str) -> Option<Found<'_>> {
    CALLS.iter().find_map(|row| row.find(call).filter(|found| found.said.len() == call.len()))
}

/// Returns a report about an idiom around the token of a mistake in a value.
pub fn value(mistake: &Mistake) -> Option<Diagnostic> {
    around(VALUES, mistake).filter(|_| !mistake.is_in_type())
}

/// Returns a report about an idiom around the token of a mistake in a type.
pub fn ty(mistake: &Mistake) -> Option<Diagnostic> {
    around(TYPES, mistake)
}

fn around(table: &'static [Idiom], mistake: &Mistake) -> Option<Diagnostic> {
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next().unwrap_or("");
    let starts = line.char_indices().map(|(at, _)| at).filter(|at| begins_token(line, *at));
    let found =
        starts.flat_map(|start| table.iter().filter_map(move |row| Some((row, row.find(&line[start..])?))));
    let around = |said: &Span| said.start <= mistake.token.start && mistake.token.start < said.end;
    let (row, said, found) = found
        .map(|(row, found)| (row, mistake.span_of(found.said), found))
        .filter(|(row, said, found)| around(said) && reads(row, *said, &found.written, mistake))
        .max_by_key(|(_, said, _)| said.end - said.start)?;
    let report = row.report(mistake.masked, said, &found);
    Some(match found.written.contains('…') {
        true => report,
        false => Diagnostic { fix: Some(Fix::new(said, found.written)), ..report },
    })
}

/// Returns a report about a line that is an idiom as a whole.
pub fn line(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let table = match rule {
        Rule::one_statement => STATEMENTS,
        Rule::one_example_line => EXAMPLE_LINES,
        Rule::one_item => ITEMS,
        Rule::one_state => STATE,
        _ => return None,
    };
    let text = masked[part.start..part.end].trim();
    let line = text.lines().next()?.trim_end();
    let row = table.iter().find_map(|row| Some((row, row.find(line)?)));
    let (row, found) = row.filter(|(_, found)| found.said.len() == line.len())?;
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + line.len());
    let report = row.report(masked, place, &found);
    Some(match found.written.contains('…') || found.written.is_empty() {
        true => report,
        false => Diagnostic { fix: Some(Fix::new(place, found.written)), ..report },
    })
}

/// A place where an idiom was found.
pub struct Found<'t> {
    said: &'t str,
    written: String,
    note: String,
}

impl Found<'_> {
    /// Says how it is written, if it is, and what else there is to know.
    pub fn advice(&self) -> String {
        if self.written.is_empty() {
            return self.note.clone();
        }
        // The block of a statement goes on below.
        let goes_on = if self.written.ends_with('{') { " … }" } else { "" };
        let also = if self.note.is_empty() { String::new() } else { format!("; {}", self.note) };
        format!("write `{}{goes_on}`{also}", self.written)
    }

    /// Returns how it is written as a part of a larger value: in brackets if it has operators. `None` if something is
    /// left for the author to fill in.
    pub fn grouped(&self) -> Option<String> {
        (!self.written.is_empty() && !self.written.contains('…')).then(|| grouped(&self.written))
    }
}

/// Returns a value in brackets if it has operators.
fn grouped(value: &str) -> String {
    if operand(value) == Some(value) { value.to_string() } else { format!("({value})") }
}

impl Idiom {
    /// Finds the idiom at the beginning of a text.
    fn find<'t>(&self, text: &'t str) -> Option<Found<'t>> {
        let mut rest = text;
        let (mut written, mut note) = (self.written.to_string(), self.note.to_string());
        let mut pieces = self.said;
        while !pieces.is_empty() {
            if let Some(after) = pieces.strip_prefix(' ') {
                pieces = after;
                let trimmed = rest.trim_start_matches(' ');
                if trimmed.len() == rest.len() && !rest.starts_with(|c: char| "|{}".contains(c)) {
                    return None;
                }
                rest = trimmed;
            } else if let Some((hole, after)) = hole(pieces) {
                pieces = after;
                let value = filling(hole, rest, after).filter(|value| !value.is_empty())?;
                let name = format!("{{{}}}", bare(hole));
                written = written.replace(&format!("{{({})}}", bare(hole)), &grouped(value));
                written = written.replace(&name, value);
                note = note.replace(&name, value);
                rest = &rest[value.len()..];
            } else {
                let length = literal(pieces);
                let (word, after) = pieces.split_at(length);
                rest = rest.strip_prefix(word)?;
                pieces = after;
                if word.ends_with(is_word) && rest.starts_with(is_word) {
                    return None;
                }
            }
        }
        Some(Found { said: &text[..text.len() - rest.len()], written, note })
    }

    /// Returns the report about a place where it is said.
    fn report(&self, masked: &str, said: Span, found: &Found) -> Diagnostic {
        let text = &masked[said.start..said.end];
        let message = format!("`{text}` is written in another way");
        let nothing = format!("`{text}` is not written");
        let report = |message| Diagnostic::new(Code::Unexpected, said, message, "");
        report(if found.written.is_empty() { nothing } else { message }).help(found.advice())
    }
}

/// Returns the name of the hole that a row begins with, and what follows it.
fn hole(pieces: &str) -> Option<(&str, &str)> {
    let (name, after) = pieces.strip_prefix('{')?.split_once('}')?;
    let named = bare(name);
    (!named.is_empty() && named.chars().all(char::is_alphabetic)).then_some((name, after))
}

/// Returns the name of a hole without the signs of its kind.
fn bare(hole: &str) -> &str {
    hole.trim_start_matches(['#', '@', '(']).trim_end_matches(['…', '+', ')'])
}

/// Returns the length of the word or sign that a row begins with.
fn literal(pieces: &str) -> usize {
    match pieces.find(|c| !is_word(c)) {
        Some(0) => pieces.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => pieces.len(),
    }
}

/// Returns the value that a text begins with, for a hole with `after` behind it.
fn filling<'t>(hole: &str, text: &'t str, after: &str) -> Option<&'t str> {
    if hole.ends_with('…') {
        return Some(text.trim_end());
    }
    if hole.ends_with('+') {
        let end = after.trim_start();
        let end = &end[..literal(end)];
        return Some(text[..outside_brackets(text, end)?].trim_end());
    }
    let value = operand(text)?;
    let fits = match hole.starts_with('#') {
        true => value.chars().all(|c| c.is_ascii_digit()),
        _ if hole.starts_with('@') => {
            let word = value.chars().all(is_word) && value.starts_with(char::is_alphabetic);
            let word = word && !is_reserved(value);
            word && !is_item_word(value) && statement_form(value).is_none()
        }
        false => !is_reserved(value) && !matches!(value, "need" | "let" | "win" | "for" | "end"),
    };
    fits.then_some(value)
}

/// Returns where a word or sign first comes in a text, outside all brackets.
fn outside_brackets(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        let whole = !(text[..at].ends_with(is_word) && sign.starts_with(is_word));
        if depth == 0 && whole && text[at..].starts_with(sign) {
            return Some(at);
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '"' => return None,
            _ => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word or a sign begins at a place in a line.
fn begins_token(line: &str, at: usize) -> bool {
    let goes_on = line[..at].ends_with(|c| is_word(c) || c == '.');
    line[at..].starts_with(|c: char| !c.is_whitespace()) && !(goes_on && line[at..].starts_with(is_word))
}

/// Whether the part can be read further than the idiom once that is written as the row says.
fn reads(row: &Idiom, said: Span, written: &str, mistake: &Mistake) -> bool {
    if row.written.contains('…') {
        return true;
    }
    let part = mistake.part;
    let (before, after) = (&mistake.masked[part.start..said.start], &mistake.masked[said.end..part.end]);
    match Grammar::parse(mistake.rule, &format!("{before}{written}{after}")) {
        Ok(_) => true,
        Err(error) => error_at(&error) >= before.len() + written.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills the holes of a row by their names; `{#n}` by a number and the rest of a line by `rest`.
    fn filled(row: &Idiom, text: &str, rest: &str) -> String {
        let mut out = String::new();
        let mut pieces = text;
        while let Some(c) = pieces.chars().next() {
            let Some((name, after)) = hole(pieces) else {
                out.push(c);
                pieces = &pieces[c.len_utf8()..];
                continue;
            };
            let name = bare(name);
            let holds = |hole: &str| row.said.contains(hole);
            out += match name {
                "n" if holds("{#n}") => "3",
                name if holds(&format!("{{{name}…}}")) => rest,
                name => name,
            };
            pieces = after;
        }
        out
    }

    #[test]
    fn what_is_said_cannot_be_read_and_what_is_written_can() {
        let value = |text: &str| format!("let y = {text}");
        let ty = |text: &str| format!("x: {text}");
        let same = str::to_string;
        type Written<'w> = &'w dyn Fn(&str) -> String;
        let tables: [(_, _, Written); 7] = [
            (VALUES, Rule::one_statement, &value),
            (CALLS, Rule::one_statement, &value),
            (TYPES, Rule::one_state, &ty),
            (STATEMENTS, Rule::one_statement, &same),
            (EXAMPLE_LINES, Rule::one_example_line, &same),
            (ITEMS, Rule::one_item, &same),
            (STATE, Rule::one_state, &same),
        ];
        for (table, rule, line) in tables {
            for row in table {
                let rest = match row.said {
                    said if rule == Rule::one_state && said.contains("{t…}") => "1..9",
                    said if said.ends_with("{ {b…}") => "put }",
                    said if said.ends_with("{b…}") => "y { x := 1 }",
                    _ => "y > 3",
                };
                let said = filled(row, row.said, rest);
                let bound = row.said.starts_with("{x} in ");
                let line = |text: &str| if bound { format!("let y = [{text}]") } else { line(text) };
                // Functions that do not exist are found when names are resolved.
                let read = Grammar::parse(rule, &line(&said)).is_ok();
                assert_eq!(read, std::ptr::eq(table, CALLS), "{said}");
                let found = row.find(&said).unwrap_or_else(|| panic!("is not found: {said}"));
                assert_eq!((found.said, found.written), (said.as_str(), filled(row, row.written, rest)));
                let written = filled(row, row.written, rest);
                if !written.contains('…') && !written.is_empty() {
                    let block = if written.ends_with('{') { " put }" } else { "" };
                    let written = format!("{written}{block}");
                    assert!(Grammar::parse(rule, &line(&written)).is_ok(), "cannot be read: {written}");
                }
            }
        }
    }
}
