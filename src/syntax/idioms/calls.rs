//! Calls of functions that the language does not have, and how each is written. Rows are written as in `tables.rs`.

use super::tables::{EQUALS, OTHERS, PLACES, ROUNDS_DOWN};
use super::{Idiom, idioms};

// Notes of several rows.
const ON_GRID: &str = "… is the name of the grid; `around` also has the squares that touch at a corner";
const SEAT: &str = "for the number of a player's seat, from 1";
const CORNERS: &str = "`around` also has the squares that touch at a corner";

const BOTH_ENDS: &str = "both ends are included";

/// Whole calls of functions that the language does not have.
pub(super) const CALLS: &[Idiom] = idioms! {
    "clamp({x+}, {a+}, {b+})" => "max({a}, min({b}, {x}))";
    "clip({x+}, {a+}, {b+})" => "max({a}, min({b}, {x}))";
    "between({x+}, {a+}, {b+})" => "{(a)} <= {(x)} <= {(b)}", "both ends are included";
    "majority({a+})" => "2 * {(a)} > size(players)", "as many as say yes, more than half of all players";
    "is_majority({a+})" => "2 * {(a)} > size(players)", "as many as say yes, more than half of all players";
    "div({a+}, {b+})" => "{(a)} div {(b)}";
    "floor_div({a+}, {b+})" => "{(a)} div {(b)}";
    "quotient({a+}, {b+})" => "{(a)} div {(b)}";
    "mod({a+}, {b+})" => "{(a)} mod {(b)}";
    "modulo({a+}, {b+})" => "{(a)} mod {(b)}";
    "remainder({a+}, {b+})" => "{(a)} mod {(b)}";
    "rem({a+}, {b+})" => "{(a)} mod {(b)}";
    "range({a+}, {b+})" => "{(a)}..{(b)} - 1", BOTH_ENDS;
    "range({a+})" => "0..{(a)} - 1", BOTH_ENDS;
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
    "isqrt({a+})" => "root({a})", ROUNDS_DOWN;
    "digit_sum({a+})" => "sum(digits({a}))";
    "digitsum({a+})" => "sum(digits({a}))";
    "sum_of_digits({a+})" => "sum(digits({a}))";
    "position({@p})" => "{p}.number", SEAT;
    "index({@p})" => "{p}.number", SEAT;
    "seat_number({@p})" => "{p}.number", SEAT;
    "seat_of({@p})" => "{p}.number", SEAT;
    "total({a+})" => "sum({a})";
    "average({a+})" => "sum({a}) div size({a})", ROUNDS_DOWN;
    "mean({a+})" => "sum({a}) div size({a})", ROUNDS_DOWN;
    "avg({a+})" => "sum({a}) div size({a})", ROUNDS_DOWN;
    "median({a+})" => "sorted({a})[(size({a}) + 1) div 2]", "of the two in the middle, it is the lower one";
    "is_sorted({a+})" => "{(a)} = sorted({a})";
    "second_largest({a+})" => "sorted({a})[size({a}) - 1]", EQUALS;
    "second_smallest({a+})" => "sorted({a})[2]", EQUALS;
    "kth_largest({a+}, {b+})" => "sorted({a})[size({a}) + 1 - {(b)}]", EQUALS;
    "nth_largest({a+}, {b+})" => "sorted({a})[size({a}) + 1 - {(b)}]", EQUALS;
    "kth_smallest({a+}, {b+})" => "sorted({a})[{b}]", EQUALS;
    "nth_smallest({a+}, {b+})" => "sorted({a})[{b}]", EQUALS;
    "slice({a+}, {b+}, {c+})" => "{(a)}[{b}..{c}]", PLACES;
    "sublist({a+}, {b+}, {c+})" => "{(a)}[{b}..{c}]", PLACES;
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
    "draw({a+})" => "", "`draw card from {a}` is a line of its own; from then on `card` is what was drawn";
    "shuffled({a+})" => "", "`shuffle deck` in `play` leaves the order of a list on the table to chance";
    "shuffle({a+})" => "", "`shuffle deck` is a line of its own, in `play`";
    "neighbours({a+}, {b+})" => "beside({a}, {b})", CORNERS;
    "neighbors({a+}, {b+})" => "beside({a}, {b})", CORNERS;
    "neighbours({a+})" => "beside(…, {a})", ON_GRID;
    "neighbors({a+})" => "beside(…, {a})", ON_GRID;
    "adjacent({a+}, {b+})" => "{(b)} in beside(…, {(a)})", ON_GRID;
    "next({a+})" => "{(a)}.next";
    "previous({a+})" => "{(a)}.previous";
    "opponent({a+})" => "{(a)}.next", OTHERS;
    "other({a+})" => "{(a)}.next", OTHERS;
    "row({a+})" => "{(a)}.row";
    "column({a+})" => "{(a)}.column";
    "col({a+})" => "{(a)}.column";
};
