//! The words of the language that are not functions: what each means, a line each, for `parlour explain`.

/// Words and what they mean.
pub const KEYWORDS: &[(&str, &str)] = &[
    ("option", "`option n: 1..9 = 3`: what players agree on before play; a variant writes `option n = 5`"),
    ("let", "`let x = E`: at the left edge a constant of the match; in a move or in play a name for a value"),
    ("kind", "`kind suit: clubs, hearts`: symbols with a name; `every suit` is the set of them"),
    ("every", "`every suit`: the set of a kind's symbols"),
    ("define", "`define f(x, y) = E`, `define g() = E`: a function; called `f(1, 2)`, `g()`"),
    (
        "rule",
        "`rule r(x) { … }`, `rule s() { … }`: statements with a name, called `r(1)`, `s()` in moves and in play",
    ),
    (
        "need",
        "`need C else \"reason\"`: a move is legal only where C holds; `need if possible C` binds where some move meets it",
    ),
    ("given", "`move put(given k, at in 1..9)`: play gives k, `ask p to put(3)`; only `at` is chosen"),
    (
        "try",
        "`value in int try -9..9`: all of the domain is legal; bots and simulations draw from what `try` says",
    ),
    (
        "where",
        "`parts in lists(size(players), 0..12) where sum(parts) = 12`: only what fulfils the condition; in binders and loops it leaves elements out",
    ),
    (
        "lists",
        "`lists(3, D)`, `lists(1..4, D)`, `lists(2 or more, D)`: every list of so many elements, repeats allowed",
    ),
    ("arrangements", "`arrangements(k, D)`: every row of k different elements"),
    ("permutations", "`permutations(L)`: every order of the elements"),
    ("subsets", "`subsets(S)`, `subsets(k, S)`: every set of elements of S, of one size where given"),
    ("tuples", "`tuples(D, E)`: every pair, triple, … with an element of each"),
    (
        "splice",
        "`row[a..b] := list`: the list takes the place of a stretch, as long or not; an empty stretch puts it in before a",
    ),
    ("secret", "state that only its owner sees; `secret move`: what is chosen stays secret"),
    ("hidden", "state that nobody sees"),
    ("reveal", "`reveal S`: everybody sees it until it is written again; `conceal S` takes that back"),
    (
        "each",
        "`each x in S where C { … }`: once for each element; behind state, `each round`: starts anew at every pass of that loop",
    ),
    (
        "repeat",
        "`repeat n as k { … } until C`: so many passes, k counts them from 1; without n there must be a choice or a draw in it",
    ),
    ("cycle", "`cycle x in S where C until D { … }`: goes through S again and again"),
    (
        "turns",
        "`turns by L from p as k until C skipping stuck { … } until D`: round the table; `me` has the turn",
    ),
    (
        "until",
        "behind a block: tested after each pass; before it: tested before each; `until stuck`: when who is to choose has no legal move",
    ),
    (
        "stuck",
        "`turns until stuck`, `skipping stuck`, `dropping stuck`: what happens when who has the turn has no legal move",
    ),
    (
        "ask",
        "`ask p to A or B else C`: one choice by one seat; C only where neither A nor B is legal; with `if possible` behind it, who has no legal move is passed over",
    ),
    (
        "together",
        "`together L { A or B }`: all of L choose in secret; then the effects run in seat order; they write only `me.…`; `together { ask p to A … }` gives each seat moves of its own",
    ),
    ("again", "in a move: the same seat chooses once more, the one asked or the one whose turn it is"),
    ("out", "`out p`: p takes no further part and keeps its score; `p is in`, `p is out`"),
    ("phase", "`phase opening { … }`: a name for a stretch of play, shown at the prompt"),
    ("award", "`award 2 to p for \"why\"`: points, with a reason that is kept"),
    ("send", "`send x from A to B`: moves one element; it must be there"),
    (
        "chance",
        "`chance die in 1..6`: a draw, kept in the record; also `shuffle row`, `draw x from pile`, `deal 3 from pile to hand`",
    ),
    ("shuffle", "`shuffle row`: a new order of a list, drawn by chance"),
    ("draw", "`draw x from pile`: takes one element out by chance and names it"),
    ("deal", "`deal 3 from row to me.hand`: the first three of a list, or three by chance of a set or bag"),
    (
        "end",
        "`end`: the match is over, the winner rule decides; `end when C`: tested after each choice or draw while the block it stands in is played",
    ),
    ("win", "`win p`: the match is over and p has won; `win p when C`: tested like `end when`"),
    (
        "winner",
        "`winner highest E, then lowest F`, `winner last mover`, `winner last in`; in E, `me` is the player judged and `score` its points",
    ),
    ("loser", "`loser last mover` and its like: all others win"),
    (
        "score",
        "`score = E` for every player `me`, `score NAME = E` or `score seat(1) = E` for one seat; `p.score` reads it",
    ),
    ("show", "`show \"{row}\"`, `show board`: how the table is written, a line each"),
    ("case", "`case e { a: 1; b, c: 2 }`, an arm a line; the last may be `else: …`"),
    ("with", "`row with [i] = v`: a copy with another value at one place"),
    ("copies", "`3 copies of 0` is [0, 0, 0]; `copies(x, S)` counts"),
    (
        "variant",
        "`variant \"Title\" of \"game\" { }`: a game like another; parts of the same name are replaced, others added, `drop move m` drops one",
    ),
    ("drop", "`drop move m`, `drop example \"title\"`: in a variant, a part that is not inherited"),
    (
        "example",
        "`example \"title\" with n = 3, players = 2 { … }`: a worked example that `parlour test` runs",
    ),
    ("shows", "`shows \"…\"`: in an example, the whole of what the table shows; `\\n` between lines"),
    (
        "refused",
        "`1: flip 4 refused \"words\"`: in an example, a move that is refused, with these words in the reason",
    ),
];
