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
        "A word or sign stands where nothing can be made of it. The label says what could stand there, the help how the whole line is written.\n\nOne such mistake costs one line: the rest of the file is read as if it were not there."
        wrong: "let top = 2 ^ ^ 3" right: "let top = 2 ^ 3"
    UnclosedText "E0102" "unclosed-text" Error
        "A text begins with a quote and ends with one on the same line. `\\n` in a text begins a new line, `\"` is a quote, `\\{` a brace; what stands in `{ }` is a value to fill in."
        wrong: r#"
table { row: list of 0..1 = [] }
show "row: {row}
"#
        right: r#"
table { row: list of 0..1 = [] }
show "row: {row}"
"#
    UnclosedBracket "E0103" "unclosed-bracket" Error
        "A bracket is opened and never closed. Inside `( )` and `[ ]` line ends do not count, so the mistake may stand further up than it seems; a forgotten `}` shows where a closing brace stands under the wrong line."
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
        "Something is nested deeper, or is longer, than the limit the message names: brackets in one another, words and signs of one statement, functions and rules that use one another. Name a part of it with `let` or `define`, and use the name."
        wrong: "let x = ((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))" right: "let x = 1"
    FileTooLarge "E0105" "file-too-large" Error
        "Rule files are pages, not archives: a file has at most one mebibyte, some forty thousand lines. Long lists of squares or words can be worked out: `[k in 1..99: k * k]`."
        wrong: "" right: ""
    ForeignOperator "E0106" "foreign-operator" Error
        "An operator of another language. Here `=` compares, the words are `and`, `or`, `not` and `mod`, powers are written `a ^ b`, and division says how it rounds: `a div b` or `floor(a / b)`."
        wrong: "let same = 1 == 1 && 7 % 2 = 1" right: "let same = 1 = 1 and 7 mod 2 = 1"
    BadChain "E0107" "bad-chain" Error
        "Comparisons can be chained in one direction: `1 <= x < n`, `a = b = c`. Others are joined with `and`."
        wrong: "let x = 1 < 3 > 2" right: "let x = 1 < 3 and 3 > 2"
    ReservedWord "E0108" "reserved-word" Error
        "The words that hold expressions together (`and`, `or`, `not`, `in`, `is`, `if`, `then`, `else`, `case`, `where`, `while`, `until`, `yes`, `no`, `none`) cannot be names. All others can, with one exception: a move or a rule cannot be called `again`, `end`, `out`, `win`, `reveal`, `conceal` or `shuffle`, for a line that says so has a meaning already."
        wrong: "let until = 10" right: "let last_day = 10"
    TooManyMistakes "E0109" "too-many-mistakes" Error
        "A file has so many mistakes that the rest of them is not told. Mend the first ones; they may have caused the others."
        wrong: "" right: ""

    // ---- E02: names
    UnknownName "E0201" "unknown-name" Error
        "Nothing in reach has this name: no local name, option, constant, piece of state, named seat or symbol. What belongs to players is always written `me.x` or `p.x`; options and constants use only what stands above them."
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
        "A line of play names a move or a rule that the file does not have."
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
        "Behind a dot stands a piece of state declared in `each player { … }`, or one of the language's own: `p.score`, `p.others`, `p.next`, `p.previous`, `p.number`, `s.row`, `s.column`, `t.1`. Functions stand before what they take: `size(row)`."
        wrong: r#"
each player { hand: bag of 1..9 = bag(1..9) }
score = size(me.hnad)
"#
        right: r#"
each player { hand: bag of 1..9 = bag(1..9) }
score = size(me.hand)
"#
    UnknownType "E0205" "unknown-type" Error
        "Types are ranges (`1..9`), `int`, `yes or no`, symbols (`{a, b}`), kinds, `player`, `square`, `optional T`, `list of T`, `set of T`, `bag of T`, `grid r by c of T`, `(T, U)` and `T for each K`."
        wrong: "table { x: integer = 1 }" right: "table { x: int = 1 }"
    DuplicateName "E0206" "duplicate-name" Error
        "Two things of one kind have the same name, so nobody could say which is meant."
        wrong: "let a = 1\nlet a = 2" right: "let a = 1\nlet b = 2"
    Shadowed "E0207" "shadowed" Error
        "A new name hides one that has a meaning already. Names mean one thing in one place; choose another."
        wrong: "let k = 3\nlet s = sum(k in 1..3: k)" right: "let k = 3\nlet s = sum(j in 1..k: j)"
    UnknownLoop "E0208" "unknown-loop" Error
        "State that starts anew `each x` needs a loop of play that is named `as x`."
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
        "A variant names the game it is a variant of: a bundled game, or the path of a rule file from the variant's folder. That one was not found, or is a variant of itself."
        wrong: "variant \"Page\" of \"prozession\" { }" right: "variant \"Page\" of \"procession\" { }"

    // ---- E03: types
    TypeMismatch "E0301" "type-mismatch" Error
        "A value of one type stands where another is needed. The types are numbers, yes or no, symbols, players, squares, texts, and collections of these; none turns into another by itself."
        wrong: r#"
table { heap: int = 21 }
score = if heap then 1 else 0
"#
        right: r#"
table { heap: int = 21 }
score = if heap > 0 then 1 else 0
"#
    MaybeNone "E0302" "maybe-none" Error
        "An optional value may be none, and a value is needed. Test it with `is not none` first: from there on it is a value, in the same condition, in what the condition decides, in the needs and effects behind a need, wherever the test stands (in a `define`, in the filter of a list or of a domain). What is known to be there without a test is said with `value(x)`."
        wrong: "table { mark: optional 1..3 = none }\nscore = mark + 1" right: "table { mark: optional 1..3 = none }\nscore = if mark is not none then mark + 1 else 0"
    ArgumentCount "E0303" "argument-count" Error
        "A function, rule, move or assignment gets more or fewer values than it takes. `parlour explain gcd` tells what a function of the language takes."
        wrong: "let x = gcd(4)" right: "let x = gcd(4, 6)"
    NoCommonType "E0304" "no-common-type" Error
        "Values that stand for each other (the arms of an `if`, the elements of a list) must be of one type."
        wrong: "let x = if 1 < 2 then 1 else yes" right: "let x = if 1 < 2 then 1 else 0"
    NoElements "E0305" "no-elements" Error
        "What stands behind `in` must have elements: a range, a list, a set, a bag, a grid (its squares) or a map (its keys)."
        wrong: "let x = sum(k in 5: k)" right: "let x = sum(k in 1..5: k)"
    CannotIndex "E0306" "cannot-index" Error
        "Only lists, grids and maps have places. Lists take a number from 1, grids a square or a row and a column, maps a key."
        wrong: "let x = 5[1]" right: "let x = [5][1]"
    MissingCase "E0307" "missing-case" Error
        "A `case` must say what happens for every value. Give every symbol an arm, or end with `else: …`."
        wrong: "option size: {small, large} = small\nlet x = case size {\n  small: 1\n}" right: "option size: {small, large} = small\nlet x = case size {\n  small: 1\n  large: 2\n}"
    Recursion "E0308" "recursion" Error
        "A function or rule uses itself, perhaps by way of another. Everything in a rule file ends, so none can; go through a list or a range instead."
        wrong: r#"
define factorial_of(n) = if n = 0 then 1 else n * factorial_of(n - 1)
let y = factorial_of(3)
"#
        right: r#"
define factorial_of(n) = product(k in 1..n: k)
let y = factorial_of(3)
"#
    BadBinder "E0309" "bad-binder" Error
        "Gathering is written `word(x in S where C: body)`, with one of the words sum, product, count, all, some, largest, smallest, first, bag, xor, gcd, or in `{ }` and `[ ]`."
        wrong: "let x = all(k in 1..3)" right: "let x = all(k in 1..3: k > 0)"
    NotConstant "E0310" "not-constant" Error
        "Options, constants, ranges of types and sizes are fixed when a match starts, so they cannot use what changes during play."
        wrong: "table { x: int = 1 }\nlet y = x" right: "let y = 1\ntable { x: int = y }"
    Unbounded "E0311" "unbounded" Error
        "The integers have no end: they can be chosen from, with a window for bots (`in int try -9..9`), but not gone through or drawn by chance."
        wrong: "let x = sum(k in int: k)" right: "let x = sum(k in 1..9: k)"

    // ---- E04: the rules of games
    MissingPart "E0401" "missing-part" Error
        "A rule file needs a `game` that says how many play, and a `play` that says how. An option needs a type: `option n: 1..9 = 3`."
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
        "A file has one `game`, one `play` and one `winner` or `loser`. Ties are broken in one `winner`: `winner highest score, then lowest me.number`."
        wrong: "winner highest score\nwinner lowest score" right: "winner highest score"
    NeedAfterEffect "E0403" "need-after-effect" Error
        "A move is judged on the position before it, so its needs stand before its first effect. What would be true behind the effect can be said before it."
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
        "Something is right in itself and cannot stand here: a choice where it is nobody's turn, a loop inside a move, `secret` on the table, where nobody owns anything. The label and the help say where it belongs."
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
        "A loop without a number of passes must offer a choice or draw by chance, or it would never stop."
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
        "Moves chosen together happen at the same time, so they write only what is their mover's own: two of them could not be told which was first. Note the choice in `me.…`, and do the rest behind `together`."
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
        "What is shown, and what is scored, everybody sees; it cannot be made of what is secret."
        wrong: "each player { hand: 1..9 = 1 secret }\nscore = me.hand" right: "each player { hand: 1..9 = 1 }\nscore = me.hand"
    NeedReadsSecret "E0408" "need-reads-secret" Error
        "Players must be able to tell which of their moves are legal, so a need and a domain read only what the mover sees."
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
        "Only state changes: what is declared in `table { … }` and `each player { … }`, and places in it. Options and constants are fixed for a match, and `let` names a value once."
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
        "A game has 1 to 64 players: `players 2`, `players 3 to 5`, `players 2 or more`; a fixed number can be called by name: `players 2 called across, down`."
        wrong: "game \"Page\" { players 4 to 2 }" right: "game \"Page\" { players 2 to 4 }"
    BadOption "E0411" "bad-option" Error
        "An option is a number from a range, a symbol, yes or no, or a list of these, so that it can be set in a word."
        wrong: "option start: set of int = {1}" right: "option start: 1..9 = 1"
    ScoreTwice "E0412" "score-twice" Error
        "Points are counted in one way: by `award`, by one `score = …`, or by a `score NAME = …` for each named seat, in the order of the seats."
        wrong: "score = 1\nscore = 2" right: "score = 1"

    // ---- E05: examples
    BadExample "E0501" "bad-example" Error
        "A line of an example cannot be understood: a player or an option that the game does not have, a board drawn with uneven rows, a value that has to be worked out."
        wrong: "option n: 1..3 = 1\nexample \"x\" with n = 1 + 1 { }" right: "option n: 1..3 = 1\nexample \"x\" with n = 2 { }"
    ExampleFails "E0502" "example-fails" Error
        "A worked example says one thing and the rules another: the table shows something else, a move is refused or is not, the points differ. Either may be wrong; `parlour test` runs the examples."
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
        "Something is declared and never used. A name that begins with `_` may stay unused."
        wrong: "let forgotten = 3" right: "let used = 3\nscore = used"
    NeverOffered "W0602" "never-offered" Warning
        "A move stands in the file, and play never offers it."
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
        "Nothing in the file says who wins, or it is decided by a score that nobody ever gets. Say `winner highest score`, `winner last mover`, `winner last in`, or `win p when …` in play."
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
        "A loop of play goes round until something ends it: an `until`, a stuck player, `out`, `end` or `win`. This file has nothing of the kind."
        wrong: "move pass { }\nplay { turns { pass } }" right: "move pass { }\nplay { each p in players { ask p to pass } }"
    SlowChoice "W0605" "slow-choice" Warning
        "From one choice to the next only so much can be worked out, and this may be more: with the options as they are unless set, with state as large as it may be, or with an option at its upper end, as the message says. A binder over several ranges goes through all combinations of them; let a later name go through what the earlier ones leave, or a range be what fulfils the condition (`divisors(n)`). A choice is as much work as it has values that a need is asked of one by one. Conditions on rows that are told from left to right are counted by: sums, products, counts, `all` and `some` over the elements, the largest, the smallest, `distinct`, orders, neighbours. Ask one of these, choose among less, or say what bots draw from: `try D`."
        wrong: "move bid(row in lists(12, 0..9)) {\n  need palindrome(row) else \"both ways\"\n}\nplay { each p in players { ask p to bid } }"
        right: "move bid(row in lists(12, 0..9)) {\n  need all(k in 1..6: row[k] = 7) and sum(row) = 50 else \"sevens\"\n}\nplay { each p in players { ask p to bid } }"

    // ---- E07: evaluating rules
    DivisionByZero "E0701" "division-by-zero" Error
        "Nothing can be divided by zero, with `div`, `mod` or `/`. Keep zero out of the domain, or refuse it with a `need`."
        wrong: (DIVISION_BY_ZERO.0) right: (DIVISION_BY_ZERO.1)
    OutOfRange "E0702" "out-of-range" Error
        "A place is given a value that its declared type does not hold. Give it a wider type, or refuse the move with a `need`."
        wrong: (OUT_OF_RANGE.0) right: (OUT_OF_RANGE.1)
    Unset "E0703" "unset" Error
        "State declared without a first value is read before anything was written to it. Give it a first value, or write to it first."
        wrong: (UNSET.0) right: (UNSET.1)
    NoSuchElement "E0704" "no-such-element" Error
        "A list, grid, map or pile has no such place or element, or there is nothing to take. Choose from what is there (`at in 1..size(row)`, `card in pile`), or test for it."
        wrong: (NO_SUCH_ELEMENT.0) right: (NO_SUCH_ELEMENT.1)
    TooMuchWork "E0705" "too-much-work" Error
        "The rules ask for more computation in one step than the limit the message names. A gathering over several ranges has as many steps as all combinations of them; a narrower range, or one that depends on the names before it, helps. `parlour check` says so beforehand where it can (W0605)."
        wrong: (TOO_MUCH_WORK.0) right: (TOO_MUCH_WORK.1)
    TooLarge "E0706" "too-large" Error
        "A number or a collection would be larger than the limit the message names."
        wrong: (TOO_LARGE.0) right: (TOO_LARGE.1)
    Stuck "E0707" "stuck" Error
        "A player is to choose, has no legal move, and no rule says what happens then. Behind `ask` and in `together`, `if possible` passes over who can make none; at `turns` say `until stuck`, `skipping stuck` or `dropping stuck`; anywhere a move can be offered behind `else`. `parlour check --play` says which needs refused how many of the choices there were, each choice counted at the first need that refuses it."
        wrong: (STUCK.0) right: (STUCK.1)
    BadArgument "E0708" "bad-argument" Error
        "A function gets a value it has no meaning for: the root of a negative number, the digits in base 1, the divisors of 0."
        wrong: (BAD_ARGUMENT.0) right: (BAD_ARGUMENT.1)
    NothingThere "E0709" "nothing-there" Error
        "`value(x)` is x where its author knows that it is there, and here it is none. Test it with `is not none` where that may be, or see to it that something is written first."
        wrong: "table { mark: optional 1..3 = none }\nscore = value(mark)\nexample \"at once\" {\n  start scores 0, 0\n}"
        right: "table { mark: optional 1..3 = 2 }\nscore = value(mark)\nexample \"at once\" {\n  start scores 2, 2\n}"

    // ---- E08: found by playing
    Fault "E0801" "fault" Error
        "In play the rules break: a place is read before it is written, a number leaves its range, a list has no such element, a limit is hit. The message ends with the code of what broke, which has a page of its own. The match shows how play comes there, and the report what the names at that place stood for: refuse what leads there with a `need`, or say what happens then. Where the same unset state or the same list breaks the rules at several lines, that is one report, with the other lines beside it."
        wrong: (FAULT.0) right: (FAULT.1)
    Leak "E0802" "leak" Error
        "What somebody can notice (the table, what may be chosen, why a move is refused, who is asked) comes to depend on a secret that no `reveal` has opened. Two matches that differ in the secret alone were played side by side, up to the first difference that a seat can notice which may not know it. Open the secret first, or let play go on in the same way whatever it is. A secret that shows at several lines is one report, at the line that the shortest match shows, with the other lines beside it; a line marked `// means it` is left out of it."
        wrong: (LEAK.0) right: (LEAK.1)
    Endless "W0803" "endless" Warning
        "A match need not end: a position comes again, and nothing in the rules stops it from coming again and again. The help names the state that comes back to what it was on the way round, and the state that does not change at all; what ends the match hangs on neither. Let every turn bring the end nearer, forbid what was there before, or bound the turns: `turns as turn { … } until turn = 40`."
        wrong: (ENDLESS.0) right: (ENDLESS.1)
    NeverHappens "W0804" "never-happens" Warning
        "No match met this: a move that nobody could make, a need that refuses nothing, a branch that is never taken, an end that never comes. Either it can go, or what leads there is not as it was meant."
        wrong: (NEVER_HAPPENS.0) right: (NEVER_HAPPENS.1)
    NeverWins "W0805" "never-wins" Warning
        "A seat won no match at all. Where every position was seen, it cannot win; else the help says how unlikely that is if the seats were equal. It says too how many each seat won, and in which order they chose."
        wrong: (NEVER_WINS.0) right: (NEVER_WINS.1)
    ExampleOnly "W0806" "example-only" Warning
        "This happens in a worked example of the file and in no match: the example sets a scene that play does not reach, or plays a move that is never legal there. Either the example shows what cannot be, or what leads there is missing."
        wrong: (EXAMPLE_ONLY.0) right: (EXAMPLE_ONLY.1)
    IdleOption "W0807" "idle-option" Warning
        "An option can be set, and whatever its value, the same choices give the same match. Use it where it was meant to count, or drop it."
        wrong: (IDLE_OPTION.0) right: (IDLE_OPTION.1)
    NotFoundAgain "W0808" "not-found-again" Warning
        "`// means it` says that a finding at this line is intended, and there is none. That is told only where it is sure: every position of every setting was seen; or the line can be marked for nothing but that something never happens there (a need that refuses, a condition, an option, a seat that wins), and it did happen. What is only rare may be missed by a run, and its mark is left alone; so is every mark in a game that has secrets, for leaks are sampled. Take the comment away, or put it at the line that is meant."
        wrong: (NOT_FOUND_AGAIN.0) right: (NOT_FOUND_AGAIN.1)
}
