//! The syntax tree of a rule file, in which every node carries its span. Semantic analysis is left to
//! `check`.

mod example;
mod walk;

use std::collections::HashSet;

use crate::num::Int;
use crate::source::Span;

pub use example::*;

/// A name with its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The source span.
    pub span: Span,
}

/// A rule file: its items in source order.
#[derive(Debug, Clone, Default)]
pub struct File {
    /// The items.
    pub items: Vec<Item>,
    /// Words in the parts that could not be parsed. Diagnostics about these names are suppressed, since the
    /// unparsed parts may declare them.
    pub unread: HashSet<String>,
    /// The text as it was read where corrections were patched in, as long as the file; and where that was.
    pub corrected: Option<(String, Vec<Span>)>,
    /// How this game differs from its base, if it is a variant.
    pub variation: Option<Variation>,
}

/// How a variant differs from its base.
#[derive(Debug, Clone, Default)]
pub struct Variation {
    /// The title of the base.
    pub of: String,
    /// The differences, one line each.
    pub changes: Vec<String>,
}

/// An item of a file, with the comment written above or after it.
#[derive(Debug, Clone)]
pub struct Item {
    /// The kind of item.
    pub kind: ItemKind,
    /// The source span.
    pub span: Span,
    /// Its comment, if it has one, which the rules sheet quotes.
    pub doc: Option<String>,
}

/// The kinds of items.
#[derive(Debug, Clone)]
pub enum ItemKind {
    /// `game "…" { … }`
    Game(Box<Header>),
    /// `option n: 1..9 = 3`
    Option(OptionDecl),
    /// `let top = 2^m - 1`
    Constant(Name, Expr),
    /// `kind suit: clubs, hearts`, `kind card: (suit: suit, rank: 1..9)`: a type of symbols or of tuples
    Kind(Name, Type),
    /// `table { … }`
    Table(Vec<State>),
    /// `each player { … }`
    EachPlayer(Vec<State>),
    /// `show "…"`, `show board as hexes(red, blue)`
    Show(Expr, Option<DrawnAs>),
    /// `move flip(at in 1..n) { … }`
    Move(Move),
    /// `define worth(line) = …`
    Define(Name, Vec<Name>, Expr),
    /// `rule settle(p, q) { … }`
    Rule(Name, Vec<Name>, Block),
    /// `play { … }`
    Play(Block),
    /// `score = …`, `score across = …`
    Score(Option<SeatRef>, Expr),
    /// `winner …`, `loser …`
    Winner(Winner),
    /// `end when …`, `win … when …`, applying throughout the match
    Standing(Box<Stmt>),
    /// `need … else "…"`: a condition on the options
    Need(Expr, Expr),
    /// `example "…" { … }`
    Example(Example),
    /// `drop move flip`, in a variant: the kind of item, and its name
    Drop(Name, Option<Name>),
}

impl Header {
    /// Returns the title as plain text.
    pub fn title_text(&self) -> String {
        let ExprKind::Text(parts) = &self.title.kind else { return String::new() };
        let chars = parts
            .iter()
            .filter_map(|part| if let TextPart::Chars(chars) = part { Some(chars.as_str()) } else { None });
        chars.collect()
    }
}

/// The header of a game.
#[derive(Debug, Clone)]
pub struct Header {
    /// The game's title.
    pub title: Expr,
    /// The base game, if this is a variant: a bundled game's name or a path, with its span.
    pub of: Option<Name>,
    /// The author.
    pub by: Option<String>,
    /// Where the rules come from.
    pub from: Option<String>,
    /// Notes for players.
    pub notes: Vec<String>,
    /// The number of players.
    pub players: Option<Players>,
}

/// The number of players a game allows.
#[derive(Debug, Clone)]
pub struct Players {
    /// The minimum.
    pub min: Int,
    /// The maximum; `None` if unlimited.
    pub max: Option<Int>,
    /// The names of the seats.
    pub called: Vec<Name>,
    /// The source span.
    pub span: Span,
}

/// An option of a game.
#[derive(Debug, Clone)]
pub struct OptionDecl {
    /// Its name.
    pub name: Name,
    /// Its type, a range or symbols; `None` where a variant gives an inherited option another default.
    pub ty: Option<Type>,
    /// Its default value.
    pub default: Expr,
}

/// A state variable.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// Its declared type.
    pub ty: Type,
    /// Its initial value.
    pub init: Option<Expr>,
    /// The loop that resets it at each iteration.
    pub each: Option<Name>,
    /// Who may see it: `secret` its owner, `hidden` nobody.
    pub secrecy: Vec<(Secrecy, Span)>,
    /// Its comment.
    pub doc: Option<String>,
    /// The source span.
    pub span: Span,
}

/// The visibility of a state variable that is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Only its owner sees it.
    Secret,
    /// Nobody sees it.
    Hidden,
}

/// A type as written.
#[derive(Debug, Clone)]
pub struct Type {
    /// The kind of type.
    pub kind: TypeKind,
    /// The source span.
    pub span: Span,
}

/// The kinds of types.
#[derive(Debug, Clone)]
pub enum TypeKind {
    /// `int`, `player`, `square`, or a kind's name
    Name(Name),
    /// `1..n`
    Range(Box<Expr>, Box<Expr>),
    /// `2 or more`
    AtLeast(Box<Expr>),
    /// `yes or no`
    Bool,
    /// `{red, green}`
    Symbols(Vec<Name>),
    /// `optional T`
    Optional(Box<Type>),
    /// `list of T`, `list of at most n of T`, `list of exactly n of T`
    List(Option<(Bound, Box<Expr>)>, Box<Type>),
    /// `set of T`
    Set(Box<Type>),
    /// `bag of T`
    Bag(Box<Type>),
    /// `grid r by c of T`, `empty grid r by c of T`
    Grid {
        /// Whether squares may be empty.
        empty: bool,
        /// The number of rows.
        rows: Box<Expr>,
        /// The number of columns.
        columns: Box<Expr>,
        /// The type of a square's contents.
        of: Box<Type>,
    },
    /// `(T, U)`, `(suit: T, rank: U)`
    Tuple(Vec<TuplePart>),
    /// `T for each K`
    Map(Box<Type>, Box<Type>),
    /// `{x, o} or 1..9`
    Either(Vec<Type>),
}

/// A part of the type of a tuple: `rank: 1..9`
#[derive(Debug, Clone)]
pub struct TuplePart {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
}

/// How a list's length is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// `at most n`
    AtMost,
    /// `exactly n`
    Exactly,
}

/// How a shown value is drawn for people: `as hexes(red, blue)`
#[derive(Debug, Clone)]
pub struct DrawnAs {
    /// The name of the drawing style.
    pub word: Name,
    /// The seats that own the sides of the drawing.
    pub sides: Vec<Name>,
}

/// A move declaration.
#[derive(Debug, Clone)]
pub struct Move {
    /// Its name.
    pub name: Name,
    /// Whether the choice stays secret when it is made.
    pub secret: bool,
    /// The parameters.
    pub params: Vec<Param>,
    /// The needs (preconditions), then the effects.
    pub body: Block,
}

/// A parameter of a move.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// The values to choose from; `None` if the play supplies the argument.
    pub domain: Option<Expr>,
    /// The condition that limits these values.
    pub filter: Option<Expr>,
    /// The sampling window for bots and simulations.
    pub window: Option<Expr>,
}

/// How the winner of a match is determined.
#[derive(Debug, Clone)]
pub struct Winner {
    /// Whether the rule names the loser instead.
    pub loser: bool,
    /// The criterion.
    pub by: WinnerBy,
    /// `, then last mover`: a tie goes to the last mover, if that player is one of those tied.
    pub then_last_mover: bool,
}

/// The criteria that decide a match at its end.
#[derive(Debug, Clone)]
pub enum WinnerBy {
    /// `highest E`, `lowest E`; later entries break ties. `true`: the highest wins.
    Best(Vec<(bool, Expr)>),
    /// The player who moved last.
    LastMover,
    /// Whoever is still in at the end.
    LastIn,
}

/// A block of statements between braces.
#[derive(Debug, Clone)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The source span, including the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The source span.
    pub span: Span,
}

/// One name, or several in parentheses.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The names.
    pub names: Vec<Name>,
    /// The source span.
    pub span: Span,
}

/// The assignment operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assign {
    /// `:=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Take,
    /// `++=`
    Join,
}

/// The end condition of a loop.
#[derive(Debug, Clone)]
pub enum Until {
    /// `until stuck`
    Stuck(Span),
    /// `until C`
    Cond(Expr),
}

/// The moves offered at a choice.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The moves offered.
    pub first: Vec<Choice>,
    /// The moves offered when none of `first` is legal.
    pub otherwise: Vec<Choice>,
    /// Whether a seat without a legal move is skipped.
    pub if_possible: bool,
    /// The source span.
    pub span: Span,
}

/// One move offered at a choice.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The move's name.
    pub name: Name,
    /// Arguments that the play supplies; `None` if there are no parentheses.
    pub given: Option<Vec<Expr>>,
}

/// The kinds of statements, in moves, rules and play.
#[derive(Debug, Clone)]
pub enum StmtKind {
    /// `let x = E`
    Let(Pattern, Expr),
    /// `need C else "…"`
    Need(Expr, Expr),
    /// `need if possible C`
    NeedIfPossible(Expr, Option<Expr>),
    /// `award E to P for "…"`
    Award(Expr, Expr, Option<Expr>),
    /// `say "…" to P`; to everybody if no recipient is given
    Say(Expr, Option<Expr>),
    /// `send X from A to B`
    Send(Expr, Expr, Expr),
    /// `reveal S`
    Reveal(Expr),
    /// `conceal S`
    Conceal(Expr),
    /// `out P`
    Out(Expr),
    /// `again`
    Again,
    /// `if C { } else if D { } else { }`
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `each x in S where C as k { }`
    Each {
        /// The names bound to each element.
        pattern: Pattern,
        /// The collection to iterate over.
        source: Expr,
        /// The condition that selects elements.
        filter: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// The loop body.
        body: Block,
    },
    /// `cycle x in S where C until D { }`
    Cycle {
        /// The names bound to each element.
        pattern: Pattern,
        /// The collection to iterate over, repeatedly.
        source: Expr,
        /// The condition that selects elements.
        filter: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// The end condition.
        until: Option<Until>,
        /// The loop body.
        body: Block,
    },
    /// `repeat N as round { } until C`
    Repeat {
        /// The number of iterations; unlimited if absent.
        count: Option<Expr>,
        /// The loop's name, which holds the iteration number, from 1.
        label: Option<Name>,
        /// The loop body.
        body: Block,
        /// The end condition, tested after each iteration.
        until: Option<Until>,
    },
    /// `turns by L from P as k until C skipping stuck { } until C`
    Turns {
        /// The seats that take turns; all seats if absent.
        by: Option<Expr>,
        /// The seat that begins.
        from: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// The end condition tested before each turn.
        before: Option<Until>,
        /// What happens to a stuck seat.
        stuck: Option<Stuck>,
        /// The body: one turn.
        body: Block,
        /// The end condition tested after each turn.
        after: Option<Until>,
    },
    /// `ask P to A or B else C`
    Ask(Expr, Choices),
    /// `together L { A or B }`
    Together(Expr, Choices),
    /// `together { ask p to A … ask q to B or C }`
    TogetherAsk(Vec<(Expr, Choices)>),
    /// `flip or pass`, chosen by the seat whose turn it is; or a call of a rule, with parentheses
    Choose(Choices),
    /// `chance die in 1..6`
    Chance(Name, Expr, Option<Expr>),
    /// `shuffle row`
    Shuffle(Expr),
    /// `draw x from pile`
    Draw(Name, Expr),
    /// `deal N from A to B`
    Deal(Expr, Expr, Expr),
    /// `phase opening { }`
    Phase(Name, Block),
    /// `end when C`
    EndWhen(Expr),
    /// `win P when C`
    WinWhen(Expr, Expr),
    /// `win P`
    Win(Expr),
    /// `end`
    End,
    /// `A := E` and the other assignment operators
    Assign(Expr, Assign, Expr),
    /// A statement that could not be parsed; already reported.
    Wrong,
}

/// What happens to a seat that is stuck, that is, has no legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Its turn is skipped.
    Skip,
    /// It drops out.
    Drop,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The source span.
    pub span: Span,
}

/// A part of a text template.
#[derive(Debug, Clone)]
pub enum TextPart {
    /// Literal text.
    Chars(String),
    /// An interpolated value.
    Filled(Expr),
}

/// Binary operators, other than comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Join,
    Copies,
    CopiesOfEach,
    Range,
    And,
    Or,
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    NotIn,
    Divides,
}

/// The tests that may follow `is`.
#[derive(Debug, Clone)]
pub enum IsTest {
    /// `is none`
    None,
    /// `is in`
    In,
    /// `is out`
    Out,
    /// `is prime`
    Predicate(Name),
}

/// The contents of the brackets of a call, a list or a set.
#[derive(Debug, Clone, Default)]
pub struct Inside {
    /// The values, or the sources `x in S` of a binder.
    pub items: Vec<Expr>,
    /// `where C`
    pub filter: Option<Box<Expr>>,
    /// `while C`
    pub stop: Option<Box<Expr>>,
    /// `: body`
    pub body: Option<Box<Expr>>,
}

impl Inside {
    /// Whether a `where`, `while` or body follows the values or sources.
    pub fn has_tail(&self) -> bool {
        self.filter.is_some() || self.stop.is_some() || self.body.is_some()
    }
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// `42`
    Number(Int),
    /// `"…{x}…"`
    Text(Vec<TextPart>),
    /// `yes`, `no`
    Bool(bool),
    /// `none`
    None,
    /// `every suit`
    Every(Name),
    /// `2 or more`, as a domain
    AtLeast(Box<Expr>),
    /// `x`
    Name(String),
    /// `f(…)`
    Call(Name, Inside),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `[…]`
    List(Inside),
    /// `{…}`
    Set(Inside),
    /// `a[i]`, `a[i, j]`
    Index(Box<Expr>, Vec<Expr>),
    /// `p.hand`, `pair.1`
    Field(Box<Expr>, Name),
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Negative(Box<Expr>),
    /// `a + b` and the other binary operators
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `x is prime`, `x is not none`
    Is(Box<Expr>, bool, IsTest),
    /// `row with [i] = v`
    With(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// `if a then b else c`
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// `case e { a: x, … }`
    Case(Box<Expr>, Vec<(Vec<Expr>, Expr)>, Option<Box<Expr>>),
    /// A drawn board, row by row: the first value of a grid, or what one becomes
    Board(Vec<Name>),
    /// An expression that could not be parsed; already reported.
    Wrong,
}
