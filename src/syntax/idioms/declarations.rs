//! What people say where they declare something, and how each is written: parts of a file, state, types, and the lines of
//! `game`. Rows are written as in `tables.rs`.

use super::{Idiom, idioms};

// Notes of several rows.
const KEYS: &str = "the keys are a range such as `1..9`, symbols or players";
const MANY_KEYS: &str = "a value for each key is `{t} for each 1..9`, with few keys that are known in advance; for any numbers, keep a `list of (int, {t})`";
const SQUARES: &str = "a value for each square is a grid: `grid 3 by 3 of {t}`";
const IN_PLAY: &str = "what happens in a match stands in `play { … }`";

/// Whole parts of a file, or their first lines.
pub(super) const ITEMS: &[Idiom] = idioms! {
    "move {@m}" => "move {m} { }";
    "{@x} = {v…}" => "let {x} = {v}";
    "title: {t…}" => "", "the head of a file is `game \"{t}\" { players 2 }`";
    "name: {t…}" => "", "the head of a file is `game \"{t}\" { players 2 }`";
    "game: {t…}" => "", "the head of a file is `game \"{t}\" { players 2 }`";
    "Game: {t…}" => "", "the head of a file is `game \"{t}\" { players 2 }`";
    "constant {@x} = {v…}" => "let {x} = {v}";
    "let {@x}: {t+} = {v…}" => "option {x}: {t} = {v}", "or `let {x} = {v}`, if it is always the same";
    "option {@x}: {t+} ({v})" => "option {x}: {t} = {v}";
    "option players: {t…}" => "", "how many play stands in `game`: `players 2 to 4`";
    "players {n…}" => "", "how many play stands in `game \"…\" { … }`";
    "by {t…}" => "", "`by {t}` stands in `game \"…\" { … }`";
    "action {m…}" => "move {m}";
    "wins {v…}" => "winner {v}";
    "turns {b…}" => "", IN_PLAY;
    "turns {" => "", IN_PLAY;
    "repeat {b…}" => "", IN_PLAY;
    "when {c+} { end }" => "end when {c}";
    "if {c+} { end }" => "end when {c}";
    "winner first to {#n} {@x}" => "", "who reaches it wins at once: `win me when me.{x} >= {n}` in the block of `turns`";
    "winner none" => "", "without a `winner` line nobody wins, unless play says so: `win players when C`";
    "no winner" => "", "without a `winner` line nobody wins, unless play says so: `win players when C`";
    "winner last standing" => "winner last in";
    "winner max({@x})" => "winner highest me.{x}";
    "winner min({@x})" => "winner lowest me.{x}";
    "winner score" => "winner highest score";
    "winner points" => "winner highest score";
    "winner most score" => "winner highest score";
    "winner most points" => "winner highest score";
    "winner highest of {@x}" => "winner highest me.{x}";
    "winner highest score wins" => "winner highest score";
    "winner lowest score wins" => "winner lowest score";
    "winner if {c+} then {p} else {q}" => "", "who wins by a rule of play is written there: `if {c} { win {p} }`, and then `win {q}`";
    "winner player {#n}" => "", "who wins by a rule of play is written there: `win seat({n})`, or `win seat({n}) when C`";
    "winner seat({#n})" => "", "who wins by a rule of play is written there: `win seat({n})`, or `win seat({n}) when C`";
    "winner {p} if {c+} else {q}" => "", "who wins by a rule of play is written there: `if {c} { win {p} }`, and then `win {q}`";
    "winner highest if {c+} then {v}" => "winner highest if {c} then {v} else 0";
    "winner largest({e+})" => "", "the winner has the most of something: `winner highest score`, or `winner highest me.coins` for `coins` that each player has";
    "winner {p} if {c…}" => "", "who wins by a rule of play is written there: `win {p} when {c}`";
    "winner {p} when {c…}" => "", "who wins by a rule of play is written there: `win {p} when {c}`";
    "winner all if {c…}" => "win players when {c}";
    "winner everybody if {c…}" => "win players when {c}";
    "phase {b…}" => "", "phases stand in the block of `play`";
    "for each player {" => "each player {";
    "each player has {" => "each player {";
    "kind {@k}: {@a} | {b…}" => "kind {k}: {a}, …", "the symbols are separated by commas";
    "kind {@k}: {@a} {@b}" => "kind {k}: {a}, {b}";
    "kind {@k}: {@a} {@b} {@c}" => "kind {k}: {a}, {b}, {c}";
    "kind {@k}: {@a} {@b} {@c} {@d}" => "kind {k}: {a}, {b}, {c}, {d}";
    "type {@x} = {v…}" => "kind {x}: …", "the symbols of a kind are listed: `kind colour: red, green`";
};

/// Whole pieces of state.
pub(super) const STATE: &[Idiom] = idioms! {
    "{@x} for each {k}: {t+} = {v…}" => "{x}: {t} for each {k} = {v}";
    "{@x} for each {k}: {t…}" => "{x}: {t} for each {k}";
    "int {@x} = {v…}" => "{x}: int = {v}";
    "bool {@x} = {v…}" => "{x}: yes or no = {v}";
    "{@x}: {t+} = {#n} times {v…}" => "{x}: {t} = {n} copies of {v}";
    "{@x}: {t+} secret = {v…}" => "{x}: {t} = {v} secret";
    "{@x}: {t+} hidden = {v…}" => "{x}: {t} = {v} hidden";
    "{@x}: {t+} = {v+} private" => "{x}: {t} = {v} secret";
    "{@x}: {#n}" => "{x}: int = {n}";
    "secret {@x}: {t+} = {v…}" => "{x}: {t} = {v} secret";
    "hidden {@x}: {t+} = {v…}" => "{x}: {t} = {v} hidden";
    "private {@x}: {t+} = {v…}" => "{x}: {t} = {v} secret";
    "secret {@x}: {t…}" => "{x}: {t} secret";
    "hidden {@x}: {t…}" => "{x}: {t} hidden";
    "private {@x}: {t…}" => "{x}: {t} secret";
    "{@x}: secret {t+} = {v…}" => "{x}: {t} = {v} secret";
    "{@x}: hidden {t+} = {v…}" => "{x}: {t} = {v} hidden";
    "{@x}: private {t+} = {v…}" => "{x}: {t} = {v} secret";
    "{@x}: secret {t…}" => "{x}: {t} secret";
    "{@x}: hidden {t…}" => "{x}: {t} hidden";
    "{@x}: private {t…}" => "{x}: {t} secret";
};

/// Types of state and options.
pub(super) const TYPES: &[Idiom] = idioms! {
    "grid of {r} by {c} {t}" => "grid {r} by {c} of {t}";
    "grid of {r} by {c}" => "grid {r} by {c} of 1..9";
    "grid of {r} by {c} of {t}" => "grid {r} by {c} of {t}";
    "list of {#n} {t}" => "list of exactly {n} of {t}";
    "list of {#n} numbers" => "list of exactly {n} of int";
    "list of {#n} {@x} of {t}" => "list of exactly {n} of {t}";
    "lists of {@x} {t}" => "list of {t}", "say in a comment what they are, or in the name";
    "list of {@x} {t}" => "list of {t}", "say in a comment what they are, or in the name";
    "set of {@x} {t}" => "set of {t}", "say in a comment what they are, or in the name";
    "{t} list" => "list of {t}";
    "{t} set" => "set of {t}";
    "deck of {t}" => "list of {t}";
    "pile of {t}" => "list of {t}";
    "stack of {t}" => "list of {t}";
    "hand of {t}" => "set of {t}";
    "array {#n} of {t}" => "list of exactly {n} of {t}";
    "array of {#n} {t}" => "list of exactly {n} of {t}";
    "array of {t}" => "list of {t}";
    "matrix {r} by {c} of {t}" => "grid {r} by {c} of {t}";
    "matrix {r} x {c} of {t}" => "grid {r} by {c} of {t}";
    "{#n} dice" => "list of exactly {n} of 1..6", "its first value may be `{n} copies of 1`";
    "(list of {t})" => "list of {t}", "brackets are for tuples, such as `(1..9, 1..9)`";
    "(set of {t})" => "set of {t}", "brackets are for tuples, such as `(1..9, 1..9)`";
    "list of {#n} of {t}" => "list of exactly {n} of {t}", "or `at most`, if it may be shorter";
    "grid {r} x {c} of {t}" => "grid {r} by {c} of {t}";
    "{r} by {c} grid of {t}" => "grid {r} by {c} of {t}";
    "{r} x {c} grid of {t}" => "grid {r} by {c} of {t}";
    "map {k} to {t}" => "{t} for each {k}", KEYS;
    "map of {k} to {t}" => "{t} for each {k}", KEYS;
    "list of up to {#n} of {t}" => "list of at most {n} of {t}";
    "list of up to {n} {t}" => "list of at most {n} of {t}";
    "map from {k} to {t}" => "{t} for each {k}", KEYS;
    "dict of {k} to {t}" => "{t} for each {k}", KEYS;
    "dictionary of {k} to {t}" => "{t} for each {k}", KEYS;
    "map of int to {t}" => "", MANY_KEYS;
    "map from int to {t}" => "", MANY_KEYS;
    "map int to {t}" => "", MANY_KEYS;
    "dict of int to {t}" => "", MANY_KEYS;
    "map of square to {t}" => "", SQUARES;
    "map from square to {t}" => "", SQUARES;
    "map square to {t}" => "", SQUARES;
    "dict of square to {t}" => "", SQUARES;
    "number from {a} to {b}" => "{a}..{b}";
    "{#a} ≤ {@x} ≤ {#b}" => "{a}..{b}";
    "{#a} <= {@x} <= {#b}" => "{a}..{b}";
    "number between {a} and {b}" => "{a}..{b}";
    "from {a} to {b}" => "{a}..{b}";
    "even {r}" => "{r}", "a `need` asks for the rest: `need x is even else …`";
    "odd {r}" => "{r}", "a `need` asks for the rest: `need x is odd else …`";
    "prime {r}" => "{r}", "a `need` asks for the rest: `need x is prime else …`";
};

/// Whole lines of `game "…" { … }`.
pub(super) const GAME_LINES: &[Idiom] = idioms! {
    "{#n} players" => "players {n}";
    "for {#n} players" => "players {n}";
    "players {#a}-{#b}" => "players {a} to {b}";
    "players {#a} - {#b}" => "players {a} to {b}";
    "players {#a}, {#b}" => "", "any number from one to another plays: `players {a} to {b}`";
    "players at least {#n}" => "players {n} or more";
    "players {#n} or more players" => "players {n} or more";
    "players up to {#n}" => "players 2 to {n}", "or from 1";
    "players at most {#n}" => "players 2 to {n}", "or from 1";
    "players two" => "players 2";
    "players three" => "players 3";
    "players four" => "players 4";
    "players any" => "players 2 or more", "from 2 or from 1";
    "players {#n} called {@a} and {@b}" => "players {n} called {a}, {b}";
    "players {#n} called {@a} {@b}" => "players {n} called {a}, {b}";
    "players {#n}: {@a}, {@b}" => "players {n} called {a}, {b}";
    "players {@a}, {@b}" => "players 2 called {a}, {b}";
    "players are {@a} and {@b}" => "players 2 called {a}, {b}";
};
