//! What was written: the tree of a rule file, every part with its place. Leaves what it means to `check`.

mod example;
mod walk;

use std::collections::HashSet;

use crate::num::Int;
use crate::source::Span;

pub use example::*;

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A rule file: its items in the order written.
#[derive(Debug, Clone, Default)]
pub struct File {
    /// The items.
    pub items: Vec<Item>,
    /// The words of what could not be read: what they declare is not known.
    pub unread: HashSet<String>,
    /// What differs from the game this is a variant of.
    pub variation: Option<Variation>,
}

/// How a variant differs from its base.
#[derive(Debug, Clone, Default)]
pub struct Variation {
    /// The title of the base.
    pub of: String,
    /// What differs, a line each.
    pub changes: Vec<String>,
}

/// A part of a file, with the comment written above it or behind it.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its place.
    pub span: Span,
    /// Its comment, if it has one: what the sheet of rules says about it.
    pub doc: Option<String>,
}

/// The parts of a file.
#[derive(Debug, Clone)]
pub enum ItemKind {
    /// `game "…" { … }`
    Game(Box<Header>),
    /// `option n: 1..9 = 3`
    Option(OptionDecl),
    /// `let top = 2^m - 1`
    Constant(Name, Expr),
    /// `kind suit: clubs, hearts`
    Kind(Name, Vec<Name>),
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
    /// `end when …`, `win … when …`, for the whole match
    Standing(Box<Stmt>),
    /// `need … else "…"`: a condition on the options
    Need(Expr, Expr),
    /// `example "…" { … }`
    Example(Example),
    /// `drop move flip`: of a variant; what, and its name
    Drop(Name, Option<Name>),
}

impl Header {
    /// The title as plain text.
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
    /// The game this is a variant of: a bundled game's name or a path, and its place.
    pub of: Option<Name>,
    /// The author.
    pub by: Option<String>,
    /// The source.
    pub from: Option<String>,
    /// Notes for players.
    pub notes: Vec<String>,
    /// How many play.
    pub players: Option<Players>,
}

/// How many players a game takes.
#[derive(Debug, Clone)]
pub struct Players {
    /// The fewest.
    pub min: Int,
    /// The most; `None` where there is no end.
    pub max: Option<Int>,
    /// What the seats are called.
    pub called: Vec<Name>,
    /// Its place.
    pub span: Span,
}

/// An option of a game.
#[derive(Debug, Clone)]
pub struct OptionDecl {
    /// Its name.
    pub name: Name,
    /// Its type, a range or symbols; absent where a variant gives an inherited option another default.
    pub ty: Option<Type>,
    /// Its value unless set.
    pub default: Expr,
}

/// A piece of state.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// Its declared type.
    pub ty: Type,
    /// What it holds at first.
    pub init: Option<Expr>,
    /// The loop at each pass of which it starts anew.
    pub each: Option<Name>,
    /// Who sees it: `secret` its owner, `hidden` nobody.
    pub secrecy: Vec<(Secrecy, Span)>,
    /// Its comment.
    pub doc: Option<String>,
    /// Its place.
    pub span: Span,
}

/// Who does not see a piece of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Only its owner sees it.
    Secret,
    /// Nobody sees it.
    Hidden,
}

/// A written type.
#[derive(Debug, Clone)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// The written types.
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
        /// Whether its squares may be empty.
        empty: bool,
        /// How many rows.
        rows: Box<Expr>,
        /// How many columns.
        columns: Box<Expr>,
        /// What stands in a square.
        of: Box<Type>,
    },
    /// `(T, U)`
    Tuple(Vec<Type>),
    /// `T for each K`
    Map(Box<Type>, Box<Type>),
    /// `{x, o} or 1..9`
    Either(Vec<Type>),
}

/// How a list's length is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// `at most n`
    AtMost,
    /// `exactly n`
    Exactly,
}

/// How something shown is drawn for people: `as hexes(red, blue)`
#[derive(Debug, Clone)]
pub struct DrawnAs {
    /// The drawing.
    pub word: Name,
    /// The seats whose sides are drawn.
    pub sides: Vec<Name>,
}

/// A kind of move.
#[derive(Debug, Clone)]
pub struct Move {
    /// Its name.
    pub name: Name,
    /// Whether what is chosen stays secret when chosen.
    pub secret: bool,
    /// What is to be chosen.
    pub params: Vec<Param>,
    /// Its needs, then its effects.
    pub body: Block,
}

/// A parameter of a move.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// What it is chosen from; `None` where the play gives it.
    pub domain: Option<Expr>,
    /// Which of these.
    pub filter: Option<Expr>,
    /// The window bots and simulations choose from.
    pub window: Option<Expr>,
}

/// How the match is decided.
#[derive(Debug, Clone)]
pub struct Winner {
    /// Whether this names the loser.
    pub loser: bool,
    /// How.
    pub by: WinnerBy,
    /// `, then last mover`: a tie goes to whoever moved last, if that is one of those who are level.
    pub then_last_mover: bool,
}

/// The ways to decide a match at its end.
#[derive(Debug, Clone)]
pub enum WinnerBy {
    /// `highest E`, `lowest E`, then ties by the next.
    Best(Vec<(bool, Expr)>),
    /// Whoever moved last.
    LastMover,
    /// Whoever is still in.
    LastIn,
}

/// Statements between braces.
#[derive(Debug, Clone)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Its place, with the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// One name, or several in parentheses.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The names.
    pub names: Vec<Name>,
    /// Its place.
    pub span: Span,
}

/// How an assignment changes its place.
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

/// When a loop ends.
#[derive(Debug, Clone)]
pub enum Until {
    /// `until stuck`
    Stuck(Span),
    /// `until C`
    Cond(Expr),
}

/// Moves to choose among.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The moves offered.
    pub first: Vec<Choice>,
    /// The moves offered when none of the first is legal.
    pub otherwise: Vec<Choice>,
    /// Whether who has no legal move is passed over.
    pub if_possible: bool,
    /// Its place.
    pub span: Span,
}

/// One move offered.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The move's name.
    pub name: Name,
    /// Values for the parameters that the play gives; `None` where no parentheses stand.
    pub given: Option<Vec<Expr>>,
}

/// The statements of moves, rules and play.
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
    /// `say "…" to P`; to all where nobody is named
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
        /// What each element is called.
        pattern: Pattern,
        /// What is gone through.
        source: Expr,
        /// Which elements.
        filter: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// What is done.
        body: Block,
    },
    /// `cycle x in S where C until D { }`
    Cycle {
        /// What each element is called.
        pattern: Pattern,
        /// What is gone through, again and again.
        source: Expr,
        /// Which elements.
        filter: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// When it ends.
        until: Option<Until>,
        /// What is done.
        body: Block,
    },
    /// `repeat N as round { } until C`
    Repeat {
        /// How often; for ever where absent.
        count: Option<Expr>,
        /// The loop's name: its number of passes, from 1.
        label: Option<Name>,
        /// What is done.
        body: Block,
        /// When it ends, tested after each pass.
        until: Option<Until>,
    },
    /// `turns by L from P as k until C skipping stuck { } until C`
    Turns {
        /// Whose turns; everybody's where absent.
        by: Option<Expr>,
        /// Who begins.
        from: Option<Expr>,
        /// The loop's name.
        label: Option<Name>,
        /// Tested before each turn.
        before: Option<Until>,
        /// What happens to who is stuck.
        stuck: Option<Stuck>,
        /// A turn.
        body: Block,
        /// Tested after each turn.
        after: Option<Until>,
    },
    /// `ask P to A or B else C`
    Ask(Expr, Choices),
    /// `together L { A or B }`
    Together(Expr, Choices),
    /// `together { ask p to A … ask q to B or C }`
    TogetherAsk(Vec<(Expr, Choices)>),
    /// `flip or pass`: whose turn it is chooses; or a rule's name with parentheses
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
    /// `A := E` and its like
    Assign(Expr, Assign, Expr),
    /// What could not be read; already reported.
    Wrong,
}

/// What happens to a seat that is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Its turn is passed over.
    Skip,
    /// It is out.
    Drop,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// A part of a text.
#[derive(Debug, Clone)]
pub enum TextPart {
    /// Letters.
    Chars(String),
    /// A value to fill in.
    Filled(Expr),
}

/// Operators between two values.
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
    Range,
    And,
    Or,
}

/// Operators that compare.
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

/// What `is` may be followed by.
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

/// What stands between the brackets of a call, a list or a set.
#[derive(Debug, Clone, Default)]
pub struct Inside {
    /// The values, or the sources `x in S` of a builder.
    pub items: Vec<Expr>,
    /// `where C`
    pub filter: Option<Box<Expr>>,
    /// `while C`
    pub stop: Option<Box<Expr>>,
    /// `: body`
    pub body: Option<Box<Expr>>,
}

impl Inside {
    /// Whether anything stands behind the values or sources: `where`, `while` or a body.
    pub fn has_tail(&self) -> bool {
        self.filter.is_some() || self.stop.is_some() || self.body.is_some()
    }
}

/// The expressions.
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
    /// `2 or more`, as a domain.
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
    /// `a + b` and its like
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
    /// What could not be read; already reported.
    Wrong,
}
