//! The words of the language that are not functions, each explained in a line for `parlour explain`.

use super::vocabulary::word;
use crate::syntax::foreign::{foreign, foreign_sign};

/// Explanations of words; words that share one are separated by spaces.
pub const KEYWORDS: &[(&str, &str)] = &[
    ("option", "`option n: 1..9 = 3`: what players agree on before play; a variant writes `option n = 5`"),
    (
        "let",
        "`let x = E`: at the left edge, a constant of the match; in a move or in play, a name for a value",
    ),
    ("kind", "`kind suit: clubs, hearts`: symbols with a name; `every suit` is the set of them"),
    (
        "direction north northeast east southeast south southwest west northwest up right down left",
        "`heading: direction = north`: one of `north`, `northeast`, `east`, …; `up`, `right`, `down` and `left` are north, east, south and west",
    ),
    ("every", "`every suit`, `every card`: the set of a kind's symbols, or of all its tuples"),
    ("define", "`define f(x, y) = E`, `define g() = E`: a function; called `f(1, 2)`, `g()`"),
    (
        "rule",
        "`rule r(x) { … }`, `rule s() { … }`: statements with a name, called `r(1)`, `s()` in moves and in play",
    ),
    (
        "need",
        "`need C else \"reason\"`: a move is legal only if C holds; `need if possible C` applies only while some choice meets it",
    ),
    (
        "given",
        "`move put(given k, at in 1..9)`: play gives k, `ask p to put(3)`; the player chooses only `at`",
    ),
    (
        "try",
        "`value in int try -9..9`: the whole domain is legal, but bots and simulations draw only from what follows `try`",
    ),
    (
        "where",
        "`parts in lists(size(players), 0..12) where sum(parts) = 12`: only what meets the condition; in loops, `sum` and the like, other elements are skipped",
    ),
    (
        "lists",
        "`lists(3, D)`, `lists(1..4, D)`, `lists(2 or more, D)`: every list of that many elements, repeats allowed",
    ),
    (
        "arrangements",
        "`arrangements(k, D)`, `arrangements(1..3, D)`: every row of k different elements, or of as many as a range says",
    ),
    ("permutations", "`permutations(L)`: every order of the elements"),
    (
        "subsets",
        "`subsets(S)`, `subsets(k, S)`, `subsets(1..3, S)`, `subsets(2 or more, S)`: every set of elements of S, of that size if one is given; a set has each element once, also where S is a list or a bag with several copies of it",
    ),
    ("tuples", "`tuples(D, E)`: every pair, triple, … with an element of each"),
    (
        "[a..b]",
        "`row[a..b] := list`: the list replaces the elements from a to b, whatever its length; an empty stretch inserts it before a",
    ),
    (
        "secret",
        "`hand: set of 1..9 = {} secret`: state that only its owner sees; `secret move`: the choice stays secret",
    ),
    ("hidden", "`top: 1..9 = 3 hidden`: state that nobody sees"),
    ("reveal conceal", "`reveal S`: everybody sees it until it is written again, or until `conceal S`"),
    (
        "each",
        "`each x in S where C { … }`: once for each element; after a piece of state, `each round`: it starts afresh at every pass of that loop",
    ),
    (
        "repeat",
        "`repeat n as k { … } until C`: n passes, which k counts from 1; without n, the block must contain a choice or a draw",
    ),
    ("cycle", "`cycle x in S where C until D { … }`: goes through S again and again"),
    (
        "turns",
        "`turns by L from p as k until C skipping stuck { … } until D`: round the table; `me` has the turn",
    ),
    (
        "until",
        "`until C` after a block: tested after each pass; before a block: tested before each pass; `until stuck`: until the player to choose has no legal move",
    ),
    (
        "stuck skipping dropping",
        "`turns until stuck`, `skipping stuck`, `dropping stuck`: what happens when the player whose turn it is has no legal move",
    ),
    (
        "ask",
        "`ask p to A or B else C`: one choice by one seat; C only if neither A nor B is legal; with `if possible` after it, a seat with no legal move is passed over",
    ),
    (
        "together",
        "`together L { A or B }`: all of L choose in secret, then the effects run in seat order and may change only `me.…`; `together { ask p to A … }` gives each seat its own moves; with `if possible`, seats with no legal move are left out",
    ),
    (
        "again",
        "`again`, in a move: the same seat, the one asked or the one whose turn it is, chooses once more",
    ),
    ("out", "`out p`: p takes no further part and keeps its score; `p is in`, `p is out`"),
    ("phase", "`phase opening { … }`: a name for a stretch of play, shown at the prompt"),
    ("award", "`award 2 to p for \"why\"`: points for p; the reason is kept with them"),
    (
        "say",
        "`say \"{p} takes the pot of {pot}\"`: told to everybody at the table as it happens, or to one player: `say \"…\" to p`",
    ),
    ("send", "`send x from A to B`: moves one element; it must be there"),
    (
        "chance",
        "`chance die in 1..6`: a random draw, kept in the record; also `shuffle row`, `draw x from pile`, `deal 3 from pile to hand`",
    ),
    ("shuffle", "`shuffle row`: puts a list into a random order"),
    ("draw", "`draw x from pile`: takes out a random element and names it x"),
    (
        "deal",
        "`deal 3 from row to me.hand`: moves the first three of a list, or a random three of a set or bag",
    ),
    (
        "end",
        "`end`: the match is over and the winner rule decides; `end when C`: tested after each choice or draw while its block is being played",
    ),
    (
        "win",
        "`win p`: the match is over and p has won, or all of `win players`; `win p when C`: tested like `end when`",
    ),
    (
        "winner",
        "`winner highest E, then lowest F, then last mover`, `winner last mover`, `winner last in`; in E, `me` is the player judged and `score` its points",
    ),
    ("loser", "`loser last mover` and the like: all others win"),
    (
        "score",
        "`score = E` for every player `me`, `score NAME = E` or `score seat(1) = E` for one seat; `p.score` reads it",
    ),
    (
        "show",
        "`show \"{row}\"`, `show board`: what the table shows, one line each; `as hexes`, `as pits`, `as cards` or `as text` after it: how it is drawn",
    ),
    ("case", "`case e { … }` with one arm per line, `a: 1` or `b, c: 2`; the last may be `else: …`"),
    ("with", "`row with [i] = v`: a copy with another value at one place"),
    (
        "copies",
        "`3 copies of 0` is [0, 0, 0]; `4 copies of each of 1..9`: a list of four of each, or a bag of them where a bag is declared; `copies(x, S)` counts",
    ),
    (
        "variant",
        "`variant \"Title\" of \"game\" { }`: a game based on another; parts with the same name are replaced, others are added, `drop move m` removes one",
    ),
    ("drop", "`drop move m`, `drop example \"title\"`: in a variant, a part that it does not inherit"),
    (
        "example",
        "`example \"title\" with n = 3, players = 2 { … }`: a worked example that `parlour test` runs",
    ),
    ("shows", "`shows \"…\"`: in an example, everything the table shows; `\\n` between lines"),
    (
        "refused",
        "`1: flip 4 refused \"words\"`: in an example, a move that is refused, with these words in the reason",
    ),
    ("game", "`game \"Title\" { players 2 }`: the head of a file; it may hold `by`, `from` and `note` too"),
    (
        "players called",
        "`players 2`, `players 3 to 5`, `players 2 or more`, `players 2 called red, blue`: in `game`, how many play; in a value, `players` is a list of all of them",
    ),
    (
        "by note",
        "`by \"…\"`, `from \"…\"`, `note \"…\"`: who made a game, where it comes from, a note for its rules sheet; `turns by L from p` gives an order and who begins",
    ),
    (
        "from",
        "`from \"a book\"`: where a game comes from; `turns from p`: who begins; `send x from A to B`, `draw x from pile`: where something is taken from",
    ),
    (
        "table",
        "`table { heap: int = 21 }`: state that all players share, one line each: name, type, first value",
    ),
    (
        "player",
        "`each player { hand: set of 1..9 = {} }`: state that every player has, read as `me.hand`, `p.hand`; `player` is also a type",
    ),
    (
        "move",
        "`move put(value in 1..9, at in 1..n) { … }`: what a player may choose; needs first, then what it does",
    ),
    ("play", "`play { … }`: how play goes, from the first choice to the last"),
    ("int", "`x: int = 0`: any whole number, of any size"),
    (
        ".. range",
        "`1..9`: the whole numbers from 1 to 9, ends included; a type, a domain, or part of a list, `L[2..3]`; `2 or more` has no upper end",
    ),
    ("more", "`2 or more`: a range without an upper end, as a type, a domain or a number of players"),
    ("yes no", "`wild: yes or no = no`: the type of what is true or false, and its two values"),
    ("{ }", "`{a, b}`: as a type, one of these symbols; as a value, a set; `{k in S where C: E}` makes one"),
    (
        "optional none",
        "`last: optional int = none`: a value or none; test it with `is not none` before using it",
    ),
    (
        "list",
        "`row: list of 0..1 = [0, 1]`: values in an order, `row[1]` the first; also `list of exactly 5 of T`, `list of at most 5 of T`",
    ),
    ("at most exactly", "`list of at most 5 of 1..9`, `list of exactly n of 0..1`: how long a list may be"),
    ("set", "`seen: set of int = {}`: values in no order, each at most once"),
    (
        "bag",
        "`deck: bag of 1..9 = bag(1..9)`: values in no order, copies allowed; four of each: `4 copies of each of 1..9`",
    ),
    (
        "grid",
        "`board: grid 3 by 4 of int = 0`: a value on every square; `empty grid 3 by 4 of T`: squares may be empty; `board[s]`, `board[row, column]`; rows below, such as `| 1 . 2`, draw the first value",
    ),
    ("square", "`at: square`: a place on a grid, written `b3`, with `s.row` and `s.column`"),
    (
        "row column",
        "`s.row`, `s.column`: where a square stands, from 1; `board[row, column]` is what stands there",
    ),
    ("for key", "`points: int for each 1..6 = 0`: a value for each key, read as `points[3]`"),
    (
        "( )",
        "`(int, player)`, `(count: int, by: player)`: a tuple; its parts are `t.1` and `t.2`, or `t.count` and `t.by`; `f(x)` calls a function",
    ),
    (":=", "`x := E`: gives state a new value; `(a, b) := (E, F)` gives several at once"),
    (
        "+= -=",
        "`x += E`, `x -= E`: adds to a number or takes from it; puts one element into a collection or takes it out",
    ),
    ("++=", "`L ++= M`: puts all elements of M into L"),
    ("++", "`L ++ M`: two lists as one"),
    ("= !=", "`a = b`, `a != b`: whether they are equal or not; `=` changes nothing, `:=` does"),
    ("< <= > >=", "`1 <= x < n`: compares numbers, in one direction at a time"),
    (
        "+ - * div mod",
        "`a + b`, `a - b`, `a * b`, `a div b` (rounded down), `a mod b` (never negative): whole numbers",
    ),
    ("floor", "`floor(a / b)`: the quotient rounded down, like `a div b`"),
    ("^", "`a ^ b`: a to the power of b"),
    ("divides", "`a divides b`: whether b is a multiple of a"),
    (
        "and or not",
        "`C and D`, `C or D`, `not C`: combine conditions; in play, `A or B` offers two moves to choose from",
    ),
    (
        "in",
        "`x in S`, `x not in S`: whether x is an element of S; `each x in S`, `sum(x in S: E)`: all of them, one by one",
    ),
    (
        "is",
        "`x is none`, `s is empty`, `p is in`, `p is out`, `k is prime`: a test; `is not` is its opposite",
    ),
    (
        "if then else",
        "`if C then a else b`: one of two values; `if C { … } else if D { … } else { … }`: which block is carried out; `need C else \"…\"`: a reason",
    ),
    ("while", "`sum(k in S while C: E)`: stops at the first element that does not meet C"),
    (
        "count all some",
        "`count(x in S: C)`, `all(x in S: C)`, `some(x in S: C)`: how many elements meet C, whether all do, whether any does",
    ),
    (
        "reach",
        "`reach(x in START: NEXT)`: START, what NEXT gives for each element, and so on until nothing new is found: regions, connections",
    ),
    ("me", "`me`: the player who moves, who has the turn, or whose points are counted"),
    ("p.number", "`p.number`: the number of a player's seat, from 1; `seat(1)` is the player of the first"),
    ("standing", "`standing`: the players who are in"),
    ("others", "`p.others`: the other players, beginning with the one after p"),
    (
        "next previous",
        "`p.next`, `p.previous`: the player after p, before p; in an example, `next: flip 4` is a move of whoever is to move",
    ),
    ("as", "`repeat 3 as round`, `turns as turn`: names a loop and counts its passes from 1"),
    (
        "when",
        "`end when C`, `win p when C`: rules that apply throughout their block, or throughout the match",
    ),
    (
        "possible",
        "`need if possible C`: if any choices that meet every other need also meet C, the other choices of the move are illegal; moves without such a need stay legal",
    ),
    (
        "highest lowest",
        "`winner highest E`, `winner lowest E`: whoever has the most or the least; `, then lowest F` for ties",
    ),
    (
        "mover",
        "`winner last mover`: whoever made the last move; `, then last mover` breaks ties this way; `winner last in`: everybody still in at the end; during play, keep who has chosen: `chooser := me` in the move or after the choice in the block of `turns`",
    ),
    (
        "to",
        "`ask p to put`, `award 2 to p`, `send x from A to B`, `players 3 to 5`: for whom, where to, up to how many",
    ),
    ("of", "`list of T`, `set of T`, `3 copies of 0`, `variant \"…\" of \"game\"`: of what"),
    ("start", "`start shows \"…\"`: in an example, what the table shows before the first move"),
    ("expect", "`expect C`: in an example, a condition that holds there"),
    ("over winners", "`over, winner 1`, `winners 1, 2`, `no winner`: in an example, how the match has ended"),
    ("scores", "`scores 3, 1`: in an example, the points of the players in their order"),
    (
        "//",
        "`// to the end of the line`: a comment; after or right above a declaration, it is that declaration's description",
    ),
];

/// Returns the explanation of a word, a sign, or a phrase as the manual writes it.
///
/// Words of this language come first, then the words of other languages, with what to write instead.
pub fn explained(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(lines) = lines_of(text) {
        return Some(match foreign(text) {
            Some(row) => format!("{lines}\nif you know it from another language: {}", row.says),
            None => lines,
        });
    }
    if let Some(row) = foreign(text).or_else(|| foreign_sign(text)) {
        return Some(format!("`{}` is not a word of this language: {}", row.word, row.says));
    }
    if text.ends_with("..") {
        return Some(format!(
            "a range has two ends, `2..9`, or no upper end: `2 or more`\n{}",
            lines_of("..")?
        ));
    }
    // A phrase: use its first known word.
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1);
    words
        .clone()
        .find_map(lines_of)
        .or_else(|| {
            let signs = [":=", "++=", "+=", "-=", "++", ".."];
            signs.iter().find(|sign| text.contains(**sign)).and_then(|sign| lines_of(sign))
        })
        .or_else(|| (text.starts_with('{')).then(|| lines_of("{")).flatten())
}

/// Returns the explanations of a word or sign.
fn lines_of(text: &str) -> Option<String> {
    let keywords =
        KEYWORDS.iter().filter(|(words, _)| words.split(' ').any(|word| word == text)).map(|(_, doc)| *doc);
    let lines: Vec<&str> = keywords.chain(word(text).map(|word| word.doc)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
