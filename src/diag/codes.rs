//! The table of diagnostics: for each code its slug, its meaning, a wrong file and the corrected one.

use std::fmt;

use super::in_play::*;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The rules cannot be played.
    Error,
    /// The rules can be played, but hardly as intended.
    Warning,
}

impl Severity {
    /// Returns `error` or `warning`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// The page that `parlour explain` shows for a code.
#[derive(Debug)]
pub struct Page {
    /// The code: `E0201`.
    pub code: &'static str,
    /// Its name: `unknown-name`.
    pub slug: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// What it means and what to do.
    pub text: &'static str,
    /// Lines that cause it when checked, or when the example among them is run. Any `game`, `play` or
    /// `winner` may be added if they lack one. Empty if no snippet can show it.
    pub wrong: &'static str,
    /// The same lines, corrected.
    pub right: &'static str,
}

macro_rules! codes {
    ($($name:ident $code:literal $slug:literal $severity:ident
        $text:literal wrong: $wrong:tt right: $right:tt)*) => {
        /// A kind of diagnostic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $text] $name,)*
        }

        impl Code {
            /// All codes, in ascending order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the code's page.
            pub fn page(self) -> &'static Page {
                match self {
                    $(Code::$name => {
                        const PAGE: Page = Page {
                            code: $code, slug: $slug, severity: Severity::$severity,
                            text: $text, wrong: $wrong.trim_ascii(), right: $right.trim_ascii(),
                        };
                        &PAGE
                    })*
                }
            }
        }
    };
}

impl Code {
    /// Returns the code for its number or slug: `E0201`, `e0201` or `unknown-name`.
    pub fn find(text: &str) -> Option<Code> {
        let page = |code: &Code| code.page();
        Code::ALL.iter().copied().find(|c| page(c).code.eq_ignore_ascii_case(text) || page(c).slug == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.page().code)
    }
}

codes! {
    // ---- E01: parsing
    Unexpected "E0101" "unexpected" Error
        "A word or sign is in a place where it makes no sense. The label says what could be there instead, and the help shows how the whole line is written.\n\nSuch a mistake costs only its own line: the rest of the file is read as if that line were not there."
        wrong: "let top = 2 ^ ^ 3" right: "let top = 2 ^ 3"
    UnclosedText "E0102" "unclosed-text" Error
        "A text begins with a quote and must end with one on the same line. In a text, `\\n` starts a new line, `\"` is a quote, `\\{` is a brace, and `{ }` holds a value to fill in."
        wrong: r#"
table { row: list of 0..1 = [] }
show "row: {row}
"#
        right: r#"
table { row: list of 0..1 = [] }
show "row: {row}"
"#
    UnclosedBracket "E0103" "unclosed-bracket" Error
        "A bracket is opened and never closed. Inside `( )` and `[ ]` line ends do not count, so the mistake may be further up than it seems. If a closing brace lines up with the wrong line, a `}` was probably forgotten before it."
        wrong: r#"
table { x: int = 0 }
move add(k in 1..9) {
  if k > 5 {
    x += k
}
"#
        right: r#"
table { x: int = 0 }
move add(k in 1..9) {
  if k > 5 {
    x += k
  }
}
"#
    TooDeep "E0104" "too-deep" Error
        "Something is nested more deeply, or is longer, than the limit that the message names: brackets inside brackets, the words and signs of one statement, functions and rules that call one another. Give a part of it a name with `let` or `define`, and use the name."
        wrong: "let x = ((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))" right: "let x = 1"
    FileTooLarge "E0105" "file-too-large" Error
        "A rule file can have at most one mebibyte, about forty thousand lines. Instead of writing out long lists of squares or words, compute them: `[k in 1..99: k * k]`."
        wrong: "" right: ""
    ForeignOperator "E0106" "foreign-operator" Error
        "This operator comes from another language. In Parlour `=` compares, the words are `and`, `or`, `not` and `mod`, powers are written `a ^ b`, and division says how it rounds: `a div b` or `floor(a / b)`."
        wrong: "let same = 1 == 1 && 7 % 2 = 1" right: "let same = 1 = 1 and 7 mod 2 = 1"
    BadChain "E0107" "bad-chain" Error
        "Comparisons can be chained only in one direction: `1 <= x < n`, `a = b = c`. Join all others with `and`."
        wrong: "let x = 1 < 3 > 2" right: "let x = 1 < 3 and 3 > 2"
    ReservedWord "E0108" "reserved-word" Error
        "The words that hold expressions together (`and`, `or`, `not`, `in`, `is`, `if`, `then`, `else`, `case`, `where`, `while`, `until`, `yes`, `no`, `none`) cannot be names. All other words can, with one exception: a move or a rule cannot be called `again`, `end`, `out`, `win`, `reveal`, `conceal` or `shuffle`, because a line with that word already has a meaning."
        wrong: "let until = 10" right: "let last_day = 10"
    TooManyMistakes "E0109" "too-many-mistakes" Error
        "The file has so many mistakes that the rest of them are not shown. Fix the first ones; they may have caused the others."
        wrong: "" right: ""

    // ---- E02: names
    UnknownName "E0201" "unknown-name" Error
        "Nothing known here has this name: no local name, option, constant, piece of state, named seat or symbol. State that belongs to players is always written `me.x` or `p.x`; options and constants can use only what is declared above them."
        wrong: r#"
table { heap: int = 21 }
show "{haep} left"
"#
        right: r#"
table { heap: int = 21 }
show "{heap} left"
"#
    UnknownFunction "E0202" "unknown-function" Error
        "Neither the file nor the language has a function of this name. `parlour explain words` lists those of the language; `define` makes new ones."
        wrong: "let x = sie([1, 2])" right: "let x = size([1, 2])"
    UnknownMove "E0203" "unknown-move" Error
        "A line of play names a move or a rule that the file does not declare."
        wrong: r#"
move pass { }
play {
  each p in players { ask p to pas }
}
"#
        right: r#"
move pass { }
play {
  each p in players { ask p to pass }
}
"#
    UnknownField "E0204" "unknown-field" Error
        "After a dot comes a piece of state declared in `each player { … }`, or a field of the language: `p.score`, `p.others`, `p.next`, `p.previous`, `p.number`, `s.row`, `s.column`, `t.1`. Functions are written before what they take: `size(row)`."
        wrong: r#"
each player { hand: bag of 1..9 = bag(1..9) }
score = size(me.hnad)
"#
        right: r#"
each player { hand: bag of 1..9 = bag(1..9) }
score = size(me.hand)
"#
    UnknownType "E0205" "unknown-type" Error
        "Types are ranges (`1..9`), `int`, `yes or no`, symbols (`{a, b}`), kinds, `player`, `square`, `optional T`, `list of T`, `set of T`, `bag of T`, `grid r by c of T`, `(T, U)` or `(name: T, name: U)`, and `T for each K`."
        wrong: "table { x: integer = 1 }" right: "table { x: int = 1 }"
    DuplicateName "E0206" "duplicate-name" Error
        "Two things of the same kind have the same name, so it is unclear which one is meant."
        wrong: "let a = 1\nlet a = 2" right: "let a = 1\nlet b = 2"
    Shadowed "E0207" "shadowed" Error
        "A new name hides one that already has a meaning. A name means only one thing at a time; choose another."
        wrong: "let k = 3\nlet s = sum(k in 1..3: k)" right: "let k = 3\nlet s = sum(j in 1..k: j)"
    UnknownLoop "E0208" "unknown-loop" Error
        "State that is declared `each x` starts afresh at every pass of the loop `x`, so some loop of play must be named `as x`."
        wrong: r#"
table { sum: int = 0 each rund }
move add(k in 1..9) {
  sum += k
}
play {
  repeat 3 as round { each p in players { ask p to add } }
}
"#
        right: r#"
table { sum: int = 0 each round }
move add(k in 1..9) {
  sum += k
}
play {
  repeat 3 as round { each p in players { ask p to add } }
}
"#
    UnknownGame "E0209" "unknown-game" Error
        "A variant names the game that it is based on: a bundled game, or the path of a rule file from the variant's folder. This game was not found, or the variant is based on itself."
        wrong: "variant \"Page\" of \"prozession\" { }" right: "variant \"Page\" of \"procession\" { }"

    // ---- E03: types
    TypeMismatch "E0301" "type-mismatch" Error
        "A value has one type where another is needed. The types are numbers, yes or no, symbols, players, squares, texts, and collections of these; no type is converted into another automatically."
        wrong: r#"
table { heap: int = 21 }
score = if heap then 1 else 0
"#
        right: r#"
table { heap: int = 21 }
score = if heap > 0 then 1 else 0
"#
    MaybeNone "E0302" "maybe-none" Error
        "An optional value may be none, but a value is needed here. Test it with `is not none` first. From there on it counts as a value: in the rest of the condition, in what the condition decides, and in the needs and effects after a need, even if the test is in a `define` or in the filter of a list or a domain. If you know without a test that it is there, write `value(x)`."
        wrong: "table { mark: optional 1..3 = none }\nscore = mark + 1" right: "table { mark: optional 1..3 = none }\nscore = if mark is not none then mark + 1 else 0"
    ArgumentCount "E0303" "argument-count" Error
        "A function, rule, move or assignment gets more or fewer values than it takes. `parlour explain gcd` shows what a function of the language takes."
        wrong: "let x = gcd(4)" right: "let x = gcd(4, 6)"
    NoCommonType "E0304" "no-common-type" Error
        "Values that can take each other's place (the branches of an `if`, the elements of a list) must have the same type."
        wrong: "let x = if 1 < 2 then 1 else yes" right: "let x = if 1 < 2 then 1 else 0"
    NoElements "E0305" "no-elements" Error
        "What comes after `in` must have elements: a range, a list, a set, a bag, a grid (its squares) or a map (its keys)."
        wrong: "let x = sum(k in 5: k)" right: "let x = sum(k in 1..5: k)"
    CannotIndex "E0306" "cannot-index" Error
        "Only lists, grids and maps have places. Look up a list by a number from 1, a grid by a square or by row and column, a map by a key."
        wrong: "let x = 5[1]" right: "let x = [5][1]"
    MissingCase "E0307" "missing-case" Error
        "A `case` must say what happens for every value. It needs a case for every symbol, or for every number that there can be: 1, 2 and 3 for a parameter `k in 1..3`. Otherwise, end it with `else: …`."
        wrong: "option size: {small, large} = small\nlet x = case size {\n  small: 1\n}" right: "option size: {small, large} = small\nlet x = case size {\n  small: 1\n  large: 2\n}"
    Recursion "E0308" "recursion" Error
        "A function or rule uses itself, perhaps by way of another. Rules must always come to an end, so recursion is not possible; go through a list or a range instead."
        wrong: r#"
define factorial_of(n) = if n = 0 then 1 else n * factorial_of(n - 1)
let y = factorial_of(3)
"#
        right: r#"
define factorial_of(n) = product(k in 1..n: k)
let y = factorial_of(3)
"#
    BadBinder "E0309" "bad-binder" Error
        "To go through elements, write `word(x in S where C: body)`, where the word is one of sum, product, count, all, some, largest, smallest, first, bag, xor, gcd; or use `{ }` or `[ ]` to make a set or a list."
        wrong: "let x = all(k in 1..3)" right: "let x = all(k in 1..3: k > 0)"
    NotConstant "E0310" "not-constant" Error
        "Options, constants, the ranges of types and sizes are fixed when a match starts, so they cannot use anything that changes during play."
        wrong: "table { x: int = 1 }\nlet y = x" right: "let y = 1\ntable { x: int = y }"
    Unbounded "E0311" "unbounded" Error
        "There is no end to the integers. Players can choose from them, with a range for bots (`in int try -9..9`), but nothing can go through all of them or draw one by chance."
        wrong: "let x = sum(k in int: k)" right: "let x = sum(k in 1..9: k)"

    // ---- E04: the rules of games
    MissingPart "E0401" "missing-part" Error
        "A rule file needs a `game` that says how many players it is for, and a `play` that says how it is played. An option needs a type: `option n: 1..9 = 3`."
        wrong: r#"
game "Page" { players 2 }
move pass { }
"#
        right: r#"
game "Page" { players 2 }
move pass { }
play {
  each p in players { ask p to pass }
}
winner last mover
"#
    RepeatedPart "E0402" "repeated-part" Error
        "A file can have only one `game`, one `play` and one `winner` or `loser`. Tie-breaks go into the same `winner`: `winner highest score, then lowest me.number`."
        wrong: "winner highest score\nwinner lowest score" right: "winner highest score"
    NeedAfterEffect "E0403" "need-after-effect" Error
        "A move is judged by the position before it, so its needs come before its first effect. What must hold after the effect can be said in terms of the position before it."
        wrong: r#"
table { heap: int = 21 }
move take(k in 1..3) {
  heap -= k
  need heap >= 0 else "not so many are left"
}
play {
  turns until heap = 0 { take }
}
"#
        right: r#"
table { heap: int = 21 }
move take(k in 1..3) {
  need k <= heap else "not so many are left"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#
    Misplaced "E0404" "misplaced" Error
        "Something is right in itself but not allowed here: a choice where it is nobody's turn, a loop inside a move, `secret` state on the table, where nobody owns it. The label and the help say where it belongs."
        wrong: r#"
move pass { }
play {
  pass
}
"#
        right: r#"
move pass { }
play {
  each p in players { ask p to pass }
}
"#
    EndlessLoop "E0405" "endless-loop" Error
        "A loop without a number of passes must offer a choice or draw by chance; otherwise it would never stop."
        wrong: r#"
table { x: int = 0 }
play {
  repeat { x += 1 } until x > 9
}
"#
        right: r#"
table { x: int = 0 }
play {
  repeat 10 { x += 1 }
}
"#
    TogetherWrites "E0406" "together-writes" Error
        "Moves chosen together happen at the same time, so there is no saying which of two comes first. They may change only what belongs to their own player. Note the choice in `me.…`, and do the rest after `together`."
        wrong: r#"
table { best: int = 0 }
move bid(k in 1..9) {
  best := max(best, k)
}
play {
  together players { bid }
}
"#
        right: r#"
table { best: int = 0 }
each player { offer: 1..9 = 1 }
move bid(k in 1..9) {
  me.offer := k
}
play {
  together players { bid }
  best := largest(p in players: p.offer)
}
"#
    SecretShown "E0407" "secret-shown" Error
        "Everybody sees what is shown and what is scored, so it cannot depend on anything secret."
        wrong: "each player { hand: 1..9 = 1 secret }\nscore = me.hand" right: "each player { hand: 1..9 = 1 }\nscore = me.hand"
    NeedReadsSecret "E0408" "need-reads-secret" Error
        "Players must be able to tell which of their moves are legal, so needs and domains can read only what the player who moves can see."
        wrong: r#"
table { top: 1..9 = 3 hidden }
move guess(k in 1..9) {
  need k < top else "too large"
}
play {
  each p in players { ask p to guess }
}
"#
        right: r#"
table { top: 1..9 = 3 }
move guess(k in 1..9) {
  need k < top else "too large"
}
play {
  each p in players { ask p to guess }
}
"#
    CannotChange "E0409" "cannot-change" Error
        "Only state can change: what is declared in `table { … }` and `each player { … }`, and its parts. Options and constants are fixed for a match, and a name given by `let` keeps its value."
        wrong: r#"
let a = 1
play {
  a := 2
}
"#
        right: r#"
table { a: int = 1 }
play {
  a := 2
}
"#
    BadPlayers "E0410" "bad-players" Error
        "A game has 1 to 64 players: `players 2`, `players 3 to 5`, `players 2 or more`. If the number is fixed, the players can have names: `players 2 called across, down`."
        wrong: "game \"Page\" { players 4 to 2 }" right: "game \"Page\" { players 2 to 4 }"
    BadOption "E0411" "bad-option" Error
        "An option is a number from a range, a symbol, yes or no, or a list of these, so that it can be set in a single word. Its default must be one of its values, and a match must be able to begin with the defaults: every `need` at the left edge must hold for them."
        wrong: "option start: set of int = {1}" right: "option start: 1..9 = 1"
    ScoreTwice "E0412" "score-twice" Error
        "Points are counted in only one way: by `award`, by one `score = …`, or by a `score NAME = …` for each named seat, in the order of the seats."
        wrong: "score = 1\nscore = 2" right: "score = 1"

    // ---- E05: examples
    BadExample "E0501" "bad-example" Error
        "A line of an example cannot be understood: it names a player or an option that the game does not have, draws a board with uneven rows, or gives a value that would have to be computed."
        wrong: "option n: 1..3 = 1\nexample \"x\" with n = 1 + 1 { }" right: "option n: 1..3 = 1\nexample \"x\" with n = 2 { }"
    ExampleFails "E0502" "example-fails" Error
        "A worked example and the rules disagree: the table shows something else, a move is refused or is not, the points differ. Either of them may be wrong. `parlour test` runs the examples."
        wrong: r#"
table { heap: int = 5 }
show "{heap} left"
move take(k in 1..3) {
  heap -= k
}
play {
  turns until heap <= 0 { take }
}
example "two taken" {
  1: take 2 shows "2 left"
}
"#
        right: r#"
table { heap: int = 5 }
show "{heap} left"
move take(k in 1..3) {
  heap -= k
}
play {
  turns until heap <= 0 { take }
}
example "two taken" {
  1: take 2 shows "3 left"
}
"#

    // ---- W06: warnings
    Unused "W0601" "unused" Warning
        "Something is declared and never used. To keep an unused name, start it with `_`."
        wrong: "let forgotten = 3" right: "let used = 3\nscore = used"
    NeverOffered "W0602" "never-offered" Warning
        "The file declares a move that play never offers."
        wrong: r#"
move pass { }
move wait { }
play {
  each p in players { ask p to pass }
}
"#
        right: r#"
move pass { }
move wait { }
play {
  each p in players { ask p to pass or wait }
}
"#
    NobodyWins "W0603" "nobody-wins" Warning
        "Nothing in the file says who wins, or it is decided by a score that nobody ever gets. Write `winner highest score`, `winner last mover` or `winner last in`, or `win p when …` in play."
        wrong: r#"
game "Page" { players 2 }
move pass { }
play {
  each p in players { ask p to pass }
}
"#
        right: r#"
game "Page" { players 2 }
move pass { }
play {
  each p in players { ask p to pass }
}
winner last mover
"#

    NoEnd "W0604" "no-end" Warning
        "A loop of play goes on until something ends it: an `until`, a player with no legal move, `out`, `end` or `win`. This file has nothing of the kind."
        wrong: "move pass { }\nplay { turns { pass } }" right: "move pass { }\nplay { each p in players { ask p to pass } }"
    SlowChoice "W0605" "slow-choice" Warning
        "There is a limit to the work between one choice and the next, and this may exceed it: with the default options, with state at its largest, or with an option at its upper end, as the message says. An expression over several ranges goes through all their combinations; let a later name depend on the earlier ones, or use a range of just the values that meet the condition (`divisors(n)`). A choice takes as much work as there are values that a need must test one by one. Conditions on rows are fast if they can be tested from left to right: sums, products, counts, `all` and `some` over the elements, the largest, the smallest, `distinct`, orders, neighbours. Use one of these, choose from fewer values, or say what bots draw from: `try D`."
        wrong: "move bid(row in lists(12, 0..9)) {\n  need palindrome(row) else \"both ways\"\n}\nplay { each p in players { ask p to bid } }"
        right: "move bid(row in lists(12, 0..9)) {\n  need all(k in 1..6: row[k] = 7) and sum(row) = 50 else \"sevens\"\n}\nplay { each p in players { ask p to bid } }"

    AlwaysWins "W0606" "always-wins" Warning
        "It is settled before the match who wins: the winner rule compares a value that is the same for all players, or `win p` stands in a loop over the players, where it ends the match for the first of them. Write `winner highest me.…` to tell them apart. If they win or lose together, write `win players` or `win players when C`, and no `winner`: unless that happens, nobody wins."
        wrong: r#"
table { row: list of int = [] }
move add(n in 1..3) { row += n }
play {
  turns as turn { add } until turn = 6
  if sum(row) = 12 {
    each p in players { win p }
  }
}
"#
        right: r#"
table { row: list of int = [] }
move add(n in 1..3) { row += n }
play {
  turns as turn { add } until turn = 6
  if sum(row) = 12 {
    win players
  }
}
"#
    CommentDivides "W0607" "comment-divides" Warning
        "In some languages `//` divides; here it begins a comment, and what stands before it is the whole value. Write `a div b` for the quotient rounded down."
        wrong: "option coins: 1..9 = 7\nscore = coins // 2" right: "option coins: 1..9 = 7\nscore = coins div 2"
    NeverEqual "W0608" "never-equal" Warning
        "A value is compared with a number that it can never be, or can never be above or below, so the comparison is always false, or always true. An empty square is `none`, not 0. It is the same with `is none` for what always holds a value, and with two comparisons that must both hold and never do together."
        wrong: "table { board: empty grid 3 by 3 of 1..9 }\nscore = count(s in board where board[s] = 0)" right: "table { board: empty grid 3 by 3 of 1..9 }\nscore = count(s in board where board[s] is none)"
    OpenPile "W0609" "open-pile" Warning
        "What only its owner may see is dealt or drawn from a pile that everybody sees: who looks at the pile knows it. Write `hidden` after the first value of the pile."
        wrong: "table { deck: list of 1..9 = 1..9 }\neach player { hand: list of 1..9 = [] secret }\nplay {\n  shuffle deck\n  each p in players { deal 3 from deck to p.hand }\n}" right: "table { deck: list of 1..9 = 1..9 hidden }\neach player { hand: list of 1..9 = [] secret }\nplay {\n  shuffle deck\n  each p in players { deal 3 from deck to p.hand }\n}"
    NoSuchSeat "W0610" "no-such-seat" Warning
        "Seats are numbered from 1 and counted on round the table, so with two players `seat(3)` is the first of them and `seat(0)` the last. Where such a number is written out, it is probably a slip."
        wrong: "play { turns from seat(0) as t until t > 4 { pass } }\nmove pass { }" right: "play { turns from seat(2) as t until t > 4 { pass } }\nmove pass { }"
    ChanceDecides "W0611" "chance-decides" Warning
        "Whatever the players choose, who wins is the same: the winner depends on draws, and on nothing that a move changes, not even on how long the match goes on. Let something that moves change count for the winner."
        wrong: r#"
each player {
  kept: 0..9 = 0
  lot: 0..6 = 0
}
move keep(n in 1..9) { me.kept := n }
play {
  each p in players { ask p to keep }
  each p in players {
    chance d in 1..6
    p.lot := d
  }
}
winner highest me.lot
"#
        right: r#"
each player {
  kept: 0..9 = 0
  lot: 0..6 = 0
}
move keep(n in 1..9) { me.kept := n }
play {
  each p in players { ask p to keep }
  each p in players {
    chance d in 1..6
    p.lot := d
  }
}
winner highest me.lot * me.kept
"#
    NeverTested "W0612" "never-tested" Warning
        "A rule with `when` is tested after each choice and each draw in the block that it stands in. In a block without any, such as that of most moves, it is never tested: write `if C { win me }` there. What `until stuck` says is tested where whoever has the turn must make a move, written without `ask` and without `if possible`; in `turns` without such a choice it makes no difference."
        wrong: "table { n: 0..9 = 0 }\nmove add(k in 1..3) {\n  n := min(n + k, 9)\n  win me when n = 9\n}\nplay { turns as t until t > 9 { add } }" right: "table { n: 0..9 = 0 }\nmove add(k in 1..3) {\n  n := min(n + k, 9)\n  if n = 9 { win me }\n}\nplay { turns as t until t > 9 { add } }"
    HalfUsed "W0613" "half-used" Warning
        "A piece of state is only read or only written. If nothing changes it, a line of the rules is missing, or it is a constant: `let NAME = …` at the left edge. If neither the rules nor a `show` line reads it, it makes no difference to the match, and people see it only where it changes."
        wrong: r#"
table { said: list of 1..9 = [] }
show "{said}"
move say(n in 1..9) {
  need n not in said else "{n} was said before"
}
play { turns until stuck { say } }
winner last mover
"#
        right: r#"
table { said: list of 1..9 = [] }
show "{said}"
move say(n in 1..9) {
  need n not in said else "{n} was said before"
  said += n
}
play { turns until stuck { say } }
winner last mover
"#
    ZeroQuotient "W0614" "zero-quotient" Warning
        "`div` rounds down, so a quotient is 0 where what is divided is always less than what it is divided by: `1 div 3` is 0, and so is everything times that. Multiply before dividing: a third of `pile` is `pile * 1 div 3`, or `pile div 3`."
        wrong: "table { pile: 0..60 = 60 }\nmove take(n in 1..20) {\n  need n <= pile * (1 div 3) else \"at most a third\"\n  pile -= n\n}\nplay { turns until stuck { take } }\nwinner last mover" right: "table { pile: 0..60 = 60 }\nmove take(n in 1..20) {\n  need n <= pile div 3 else \"at most a third\"\n  pile -= n\n}\nplay { turns until stuck { take } }\nwinner last mover"

    // ---- E07: evaluating rules
    DivisionByZero "E0701" "division-by-zero" Error
        "Nothing can be divided by zero, with `div`, `mod` or `/`. Keep zero out of the domain, or refuse it with a `need`."
        wrong: (DIVISION_BY_ZERO.0) right: (DIVISION_BY_ZERO.1)
    OutOfRange "E0702" "out-of-range" Error
        "A piece of state is given a value outside its declared type, or the range that something is chosen from ends before it begins. Where that is certain, as in `n := 12` for `n: 0..9`, it is reported before play. Declare a wider type, or refuse the move with a `need`."
        wrong: (OUT_OF_RANGE.0) right: (OUT_OF_RANGE.1)
    Unset "E0703" "unset" Error
        "State declared without a first value is read before anything was written to it. Give it a first value, or write to it first."
        wrong: (UNSET.0) right: (UNSET.1)
    NoSuchElement "E0704" "no-such-element" Error
        "A list, grid, map or pile has no such place or element, or there is nothing to take. Places are numbered from 1, so `row[0]` is never there: that is reported before play. Choose only from what is there (`at in 1..size(row)`, `card in pile`), or test for it first."
        wrong: (NO_SUCH_ELEMENT.0) right: (NO_SUCH_ELEMENT.1)
    TooMuchWork "E0705" "too-much-work" Error
        "The rules ask for more computation in one step than the limit that the message names. An expression over several ranges has as many steps as they have combinations; use a narrower range, or one that depends on the names before it. `parlour check` warns of this beforehand where it can (W0605)."
        wrong: (TOO_MUCH_WORK.0) right: (TOO_MUCH_WORK.1)
    TooLarge "E0706" "too-large" Error
        "A number or a collection would be larger than the limit that the message names."
        wrong: (TOO_LARGE.0) right: (TOO_LARGE.1)
    Stuck "E0707" "stuck" Error
        "It is a player's turn to choose, but the player has no legal move, and no rule says what happens then. After `ask` and in `together`, `if possible` passes over players with no legal move; at `turns`, write `until stuck`, `skipping stuck` or `dropping stuck`; anywhere, you can offer another move after `else`. `parlour check --play` says how many of the choices each need refused; a choice counts for the first need that refuses it."
        wrong: (STUCK.0) right: (STUCK.1)
    BadArgument "E0708" "bad-argument" Error
        "A function gets a value that it is not defined for: the root of a negative number, the digits in base 1, the divisors of 0."
        wrong: (BAD_ARGUMENT.0) right: (BAD_ARGUMENT.1)
    NothingThere "E0709" "nothing-there" Error
        "`value(x)` says that x is known to be there, but here it is none. If that can happen, test it with `is not none`; otherwise make sure that something is written to it first."
        wrong: "table { mark: optional 1..3 = none }\nscore = value(mark)\nexample \"at once\" {\n  start scores 0, 0\n}"
        right: "table { mark: optional 1..3 = 2 }\nscore = value(mark)\nexample \"at once\" {\n  start scores 2, 2\n}"

    // ---- E08: found by playing
    Fault "E0801" "fault" Error
        "The rules break during play: state is read before it is written, a number leaves its range, a list has no such element, a limit is reached. The message ends with the code of what went wrong, which has a page of its own. The match shows how play gets there, and the report says which values the names had at that point. Refuse the moves that lead there with a `need`, or say what happens in that case. If the same unset state or the same list breaks the rules at several lines, there is one report, which lists the other lines too."
        wrong: (FAULT.0) right: (FAULT.1)
    Leak "E0802" "leak" Error
        "Something that a player can notice (the table, what may be chosen, why a move is refused, who is asked) depends on a secret that no `reveal` has opened. Two matches that differ only in the secret were played side by side, up to the first difference noticed by a seat that may not know it. Open the secret first, or let play go on in the same way whatever the secret is. What comes to a public place as it is, such as a card that is turned up or `shown := hidden_number`, is taken to be opened on purpose; what follows from it (`hidden_number mod 2`, a card's suit) is not. If a secret shows at several lines, there is one report, at the line that the shortest match reaches, which lists the other lines too; lines marked `// means it` are left out."
        wrong: (LEAK.0) right: (LEAK.1)
    Endless "W0803" "endless" Warning
        "A match may never end: a position comes up again, and nothing in the rules stops it from coming up again and again. The help names the state that changes on the way round and comes back to what it was, and the state that does not change at all; what ends the match depends on neither. Make every turn bring the end closer, forbid earlier positions, or limit the passes of the loop: `turns as turn { … } until turn = 40`, `repeat 40 { … }`."
        wrong: (ENDLESS.0) right: (ENDLESS.1)
    NeverHappens "W0804" "never-happens" Warning
        "This happened in no match: a move that nobody could make, a need that refuses nothing, a branch that is never taken, an end that never comes; or every match of the usual setting ended before anybody chose. Either it can be removed, or what should lead to it is wrong."
        wrong: (NEVER_HAPPENS.0) right: (NEVER_HAPPENS.1)
    NeverWins "W0805" "never-wins" Warning
        "A seat won no match at all. If every position of the settings tried was seen, it cannot win in these; otherwise the help says how unlikely this would be if the seats were equal. It also says how many matches each seat won, and in which order they chose. The same is reported where nobody ever wins alone, since all players share every match."
        wrong: (NEVER_WINS.0) right: (NEVER_WINS.1)
    ExampleOnly "W0806" "example-only" Warning
        "This happens in a worked example of the file but in no match: the example sets up a position that play does not reach, or plays a move that is never legal there. Either the example shows something impossible, or what should lead to it is missing."
        wrong: (EXAMPLE_ONLY.0) right: (EXAMPLE_ONLY.1)
    IdleOption "W0807" "idle-option" Warning
        "An option can be set, but whatever its value, the same choices give the same match. Use it where it was meant to matter, or remove it."
        wrong: (IDLE_OPTION.0) right: (IDLE_OPTION.1)
    NotFoundAgain "W0808" "not-found-again" Warning
        "`// means it` says that a finding at this line is intended, but there is no such finding. This is reported only if it is certain: either every position of every setting was seen, or the only finding possible at this line is that something never happens there (a need that refuses, a condition, an option, a seat that wins), and it did happen. A run may miss what is merely rare, so such marks are left alone; so are all marks in a game with secrets, because leaks are only sampled. Remove the comment, or move it to the line that is meant."
        wrong: (NOT_FOUND_AGAIN.0) right: (NOT_FOUND_AGAIN.1)
    NotThere "W0809" "not-there" Warning
        "An element is taken out of a list or a bag that does not have it. This changes nothing, and what is counted on is wrong from there on: what somebody pays with, but does not have, still reaches the other. Let a `need` ask whether it is there, or choose it from what is there. Where nothing is meant to happen then, `if x in row { row -= x }` says so. Nothing is reported of sets: an element is not in the set afterwards, whether or not it was before."
        wrong: (NOT_THERE.0) right: (NOT_THERE.1)
}
