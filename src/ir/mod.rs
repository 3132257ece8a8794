//! What a rule file means: typed and resolved, ids instead of names, play as a resumable automaton.
//!
//! Nothing here refers to the text but for the spans that messages need. The automaton's only stops are
//! choices and draws of chance; everything between two stops is bounded. `dump` writes a stable text form.

mod asked;
mod bounds;
mod builtin;
mod direction;
mod domain;
mod dump;
mod example;
mod form;
mod inwards;
mod live;
mod row_terms;
mod sampling;
mod seats;
mod show;
mod types;
mod value;
mod walk;
mod words;

pub use asked::{Asked, asked_of, read_by_checks};
pub use bounds::{Bounds, bounds_by_needs, bounds_of, conjuncts};
pub use builtin::{Fails, Known, Phrase, Traits, Word};
pub use direction::{DIRECTIONS, Direction};
pub use domain::Domain;
pub use dump::{domain_text, dump, expr_text, op_text};
pub use example::{Example, ExampleCheck, ExampleLine, ExampleStep};
pub use form::{Bound, Form};
pub use live::{Live, exits};
pub use row_terms::{Gathering, High, Over, Reader, RowCondition, RowPart, Term, TermKind, reads};
pub use sampling::{
    FEW_ROWS, MANY_ROWS, MOST_TRIES, TRIED_SHARE, domain_reads, is_dependent, is_tried, param_reads, prefers,
};
pub use seats::Seats;
pub use show::{DrawnAs, Show, shown_values};
pub use types::Type;
pub use value::{Grid, SquareAt, Squares, Value};
pub use walk::{
    bound_slots, changes, children, children_mut, domain_parts, domain_parts_mut, effect_changes,
    effect_exprs, free_slots, legality_parts, op_domain_mut, op_exprs_mut, op_parts, reads_slots,
};
pub use words::{Builtin, WORDS};

use std::collections::BTreeSet;

use crate::source::Span;

/// A place in a frame of local values.
pub type Slot = usize;
/// A place in the automaton's code.
pub type Pc = usize;

/// A symbol, by its number in [`Game::symbols`].
pub type SymbolId = usize;
/// A piece of state, by its number in [`Game::state`].
pub type StateId = usize;
/// A move, by its number in [`Game::moves`].
pub type MoveId = usize;
/// A named loop, by its number in [`Game::loops`].
pub type LoopId = usize;

/// The most players a match may have.
pub const MAX_PLAYERS: usize = 64;

/// A whole game.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// Its title.
    pub title: String,
    /// Its author.
    pub by: Option<String>,
    /// Where its rules come from.
    pub from: Option<String>,
    /// Notes for players.
    pub notes: Vec<String>,
    /// The comment at the head of the file: the game in a sentence.
    pub summary: Option<String>,
    /// How many play.
    pub seats: Seats,
    /// The texts of all symbols, in the order of their declaration.
    pub symbols: Vec<String>,
    /// The kinds: a name and its symbols.
    pub kinds: Vec<(String, Vec<SymbolId>)>,
    /// The calls that take a direction and could take something else, by their places: the sheet words them otherwise.
    pub directed: BTreeSet<Span>,
    /// The options.
    pub options: Vec<GameOption>,
    /// The constants, each may use those before it.
    pub constants: Vec<Constant>,
    /// Conditions on the options.
    pub setup: Vec<SetupNeed>,
    /// The state.
    pub state: Vec<State>,
    /// The functions, one for each combination of argument types in use.
    pub functions: Vec<Function>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The automaton.
    pub code: Vec<Op>,
    /// The choices of the automaton.
    pub choices: Vec<Choice>,
    /// Where the code of what is written begins: of statements, and of the conditions that decide where play goes on.
    /// What is compiled anew at several places stands here several times.
    pub places: Vec<(Span, Pc)>,
    /// The named loops: name, and the slot that counts passes from 1.
    pub loops: Vec<(String, Slot)>,
    /// How many slots the automaton's frame has.
    pub slots: usize,
    /// How points are counted.
    pub scoring: Scoring,
    /// How the match is decided.
    pub winner: Option<Winner>,
    /// How the table is written, line by line.
    pub show: Vec<Show>,
    /// The worked examples.
    pub examples: Vec<Example>,
}

/// An option.
#[derive(Debug, Clone)]
pub struct GameOption {
    /// Its name.
    pub name: String,
    /// The values it may have.
    pub form: Form,
    /// Its value unless set.
    pub default: Expr,
    /// What its comment says.
    pub doc: Option<String>,
    /// Its place.
    pub span: Span,
}

/// A constant of a match.
#[derive(Debug, Clone)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value, in terms of options and constants before it.
    pub value: Lambda,
}

/// A condition on the options.
#[derive(Debug, Clone)]
pub struct SetupNeed {
    /// The condition.
    pub cond: Lambda,
    /// What is said when it fails.
    pub reason: Lambda,
    /// Its place.
    pub span: Span,
}

/// Who sees a piece of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Everybody.
    Public,
    /// The seat that owns it.
    Owner,
    /// Nobody.
    Nobody,
}

/// A piece of state: one cell, or one for each player.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Whether each player has one.
    pub per_player: bool,
    /// The values it may hold.
    pub form: Form,
    /// What it holds at first; unset where absent. Its one parameter is the owner, if it has one.
    pub init: Option<Lambda>,
    /// The loop at each pass of which it starts anew.
    pub each: Option<LoopId>,
    /// Who sees it.
    pub sight: Sight,
    /// What its comment says.
    pub doc: Option<String>,
    /// Its place.
    pub span: Span,
}

/// An expression with a frame of its own; its parameters are the first slots.
#[derive(Debug, Clone)]
pub struct Lambda {
    /// How many parameters.
    pub params: usize,
    /// How many slots, parameters included.
    pub frame: usize,
    /// The expression.
    pub body: Expr,
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it computes.
    pub lambda: Lambda,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Its place.
    pub span: Span,
}

/// The operators on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

/// The comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Divides,
}

/// The expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A value known when the file is checked.
    Value(Value),
    /// An option of the match.
    Option(usize),
    /// A constant of the match.
    Constant(usize),
    /// A local value.
    Local(Slot),
    /// State on the table.
    Table(StateId),
    /// State of a player.
    Own(StateId, Box<Expr>),
    /// All players, in seat order.
    Players,
    /// The players that are in, in seat order.
    Standing,
    /// Whether a player is in.
    IsIn(Box<Expr>),
    /// A player's score.
    Score(Box<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// The negative.
    Negative(Box<Expr>),
    /// Arithmetic.
    Arith(Arith, Box<Expr>, Box<Expr>),
    /// Both.
    And(Box<Expr>, Box<Expr>),
    /// Either.
    Or(Box<Expr>, Box<Expr>),
    /// A chain of comparisons.
    Compare(Box<Expr>, Vec<(Compare, Expr)>),
    /// Whether a value is in a domain.
    In(Box<Expr>, Box<Domain>),
    /// Whether a value is there.
    IsNone(Box<Expr>),
    /// The first arm whose condition holds, else the last value.
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// A text with values filled in.
    Text(Vec<TextPart>),
    /// A call of a function.
    Call(usize, Vec<Expr>),
    /// A word of the language.
    Builtin(Builtin, Vec<Expr>),
    /// A row of values.
    Tuple(Vec<Expr>),
    /// Part of a tuple, from 0.
    Part(Box<Expr>, usize),
    /// A list.
    List(Vec<Expr>),
    /// A set.
    Set(Vec<Expr>),
    /// An element of a list, the value at a square of a grid or at a key of a map.
    Index(Box<Expr>, Box<Expr>),
    /// The square at a row and column, from 1.
    Square(Box<Expr>, Box<Expr>),
    /// The values at many places.
    Pick(Box<Expr>, Box<Expr>),
    /// A copy with another value at a place.
    With(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A domain as a list (of ranges: ascending).
    Listed(Box<Domain>),
    /// Something gathered over sources.
    Fold(Box<Fold>),
    /// A value under a name, or a tuple taken apart, within another expression. Only the optimiser makes these.
    Let(Vec<Slot>, Box<Expr>, Box<Expr>),
}

/// A part of a text.
#[derive(Debug, Clone)]
pub enum TextPart {
    /// Letters.
    Chars(String),
    /// A value.
    Value(Expr),
}

/// The one binder: `sum(x in S, y in T where C while W: body)`.
#[derive(Debug, Clone)]
pub struct Fold {
    /// What is gathered.
    pub kind: FoldKind,
    /// The sources, the last the fastest.
    pub sources: Vec<Source>,
    /// Which elements count.
    pub filter: Option<Expr>,
    /// Where it stops.
    pub stop: Option<Expr>,
    /// What is gathered of each element.
    pub body: Expr,
}

/// A source of a binder.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where an element goes; several slots take a tuple apart.
    pub slots: Vec<Slot>,
    /// The elements.
    pub domain: Domain,
}

/// What a binder gathers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FoldKind {
    Sum,
    Product,
    Count,
    All,
    Some,
    Largest,
    Smallest,
    First,
    List,
    Set,
    Bag,
    Xor,
    Gcd,
    Reach,
}

/// A move.
#[derive(Debug, Clone)]
pub struct Move {
    /// Its name.
    pub name: String,
    /// Whether what was chosen stays secret.
    pub secret: bool,
    /// The slot of the seat that moves.
    pub me: Slot,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What makes it legal, in order.
    pub checks: Vec<MoveCheck>,
    /// What its comment says.
    pub doc: Option<String>,
    /// Its place.
    pub span: Span,
}

/// A parameter of a move.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its slot.
    pub slot: Slot,
    /// Its type.
    pub ty: Type,
    /// What it is chosen from; `None` where the play gives it.
    pub domain: Option<Domain>,
    /// The window bots and simulations draw integers from.
    pub window: Option<(Expr, Expr)>,
    /// What bots and simulations draw it from instead of its domain; of that, what is in the domain.
    pub tried: Option<Domain>,
    /// Its place.
    pub span: Span,
}

/// A step of judging whether a move is legal.
#[derive(Debug, Clone)]
pub enum MoveCheck {
    /// Names a value.
    Let(Vec<Slot>, Expr),
    /// A need with its reason.
    Need {
        /// The condition.
        cond: Expr,
        /// What is said when it fails.
        reason: Expr,
        /// Its place.
        span: Span,
    },
    /// A need that binds only where some legal choice meets it.
    Prefer {
        /// The condition.
        cond: Expr,
        /// What is said when it fails.
        reason: Option<Expr>,
        /// Its place.
        span: Span,
    },
}

impl MoveCheck {
    /// The value it names, or its condition.
    pub fn expr(&self) -> &Expr {
        match self {
            MoveCheck::Let(_, e) => e,
            MoveCheck::Need { cond, .. } | MoveCheck::Prefer { cond, .. } => cond,
        }
    }
}

/// A place that can be changed.
#[derive(Debug, Clone)]
pub struct Place {
    /// The piece of state.
    pub state: StateId,
    /// Whose, where each player has one.
    pub owner: Option<Expr>,
    /// The indices into it, outermost first.
    pub path: Vec<Expr>,
    /// Its place in the text.
    pub span: Span,
}

/// How an assignment changes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Puts a value.
    Set,
    /// Adds a number.
    Plus,
    /// Takes a number away.
    Minus,
    /// Adds one element.
    Insert,
    /// Takes one element out, where it is there.
    Remove,
    /// Joins all elements.
    Join,
}

/// A change of the position, bounded and without a stop.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Names a value, or takes a tuple apart.
    Let(Vec<Slot>, Expr),
    /// Changes places; all values are computed before the first change.
    Assign(Vec<(Place, Change)>, Vec<Expr>),
    /// Moves one element from one place to another; fails where it is not there.
    Send(Expr, Place, Place),
    /// Gives points.
    Award(Expr, Expr, Option<Expr>),
    /// Tells people something as it happens: a text, to a seat or to all. Play is the same without it.
    Say(Expr, Option<Expr>),
    /// Shows a cell to everybody until it is written again.
    Reveal(Place),
    /// Hides a cell again.
    Conceal(Place),
    /// Takes a seat out.
    Out(Expr),
    /// Takes the first so many elements of a list.
    Deal(Expr, Place, Place),
    /// Starts anew what a loop resets.
    Reset(LoopId),
    /// Names what is being played now; `None` leaves the innermost name.
    Phase(Option<String>),
}

/// A step of the automaton.
#[derive(Debug, Clone)]
pub enum Op {
    /// A change.
    Do(Effect, Span),
    /// Goes on elsewhere.
    Jump(Pc),
    /// Goes on elsewhere unless a condition holds.
    Unless(Expr, Pc),
    /// Lists a domain's elements into a slot and sets the counter before the first.
    Collect {
        /// The elements.
        source: Domain,
        /// Where they go.
        list: Slot,
        /// The number of the element to come, from 0.
        at: Slot,
    },
    /// Takes the next element that passes the filter; leaves the loop where there is none.
    Next {
        /// The elements.
        list: Slot,
        /// The number of the element to come, from 0.
        at: Slot,
        /// Where the element goes.
        slots: Vec<Slot>,
        /// Which elements count, tested now.
        filter: Option<Expr>,
        /// Whether the first follows the last.
        cyclic: bool,
        /// Where the loop ends.
        exit: Pc,
    },
    /// A seat chooses, or several together: a stop.
    Choose(usize),
    /// Takes the next sealed choice of a joint choice: fills its move's slots and goes to its effects.
    Unseal(usize, Pc),
    /// Chance decides: a stop.
    Chance(Chance),
    /// The match is won by a seat, or ends (then the winner rule decides).
    End(Option<Expr>),
}

/// A draw of chance.
#[derive(Debug, Clone)]
pub struct Chance {
    /// What the record calls it.
    pub name: String,
    /// What is drawn.
    pub kind: ChanceKind,
    /// Its place.
    pub span: Span,
}

/// The sorts of chance.
#[derive(Debug, Clone)]
pub enum ChanceKind {
    /// One value of a domain, into a slot.
    Value(Domain, Slot),
    /// A new order of a list.
    Shuffle(Place),
    /// One element out of a pile, into a slot.
    Draw(Place, Slot),
    /// So many elements out of a bag or set, to another place.
    Deal(Expr, Place, Place),
}

/// A choice by one seat, or by several together.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The seat, or the list of seats.
    pub who: Expr,
    /// Whether the seats choose together, in secret.
    pub together: bool,
    /// The moves offered.
    pub offers: Vec<Offer>,
    /// The moves offered where none of the first is legal.
    pub otherwise: Vec<Offer>,
    /// Where play goes on when nothing is legal; an error where absent.
    pub stuck: Option<Pc>,
    /// Of seats that choose together, those who must have a legal move; the others are passed over without one. All of
    /// them must where absent.
    pub must: Option<Expr>,
    /// Where play goes on behind the effects of what was chosen.
    pub done: Pc,
    /// The named loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// Its place.
    pub span: Span,
}

/// A move offered in a choice.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The move.
    pub mv: MoveId,
    /// Values of the parameters that the play gives.
    pub given: Vec<Expr>,
    /// Where its effects begin.
    pub target: Pc,
}

/// How points are counted.
#[derive(Debug, Clone, Default)]
pub enum Scoring {
    /// The game keeps no score.
    #[default]
    None,
    /// By awards.
    Awards,
    /// By one formula for each player.
    Each(Lambda),
    /// By a formula for each named seat.
    Named(Vec<Lambda>),
}

/// How the match is decided when play ends.
#[derive(Debug, Clone)]
pub struct Winner {
    /// Whether it names the losers: everybody else wins.
    pub loser: bool,
    /// How.
    pub by: WinnerBy,
    /// Whether a tie goes to whoever moved last, if that is one of those who are level.
    pub then_last_mover: bool,
}

/// The ways to decide a match.
#[derive(Debug, Clone)]
pub enum WinnerBy {
    /// The best by a value of each player; ties by the next. `true`: the highest.
    Best(Vec<(bool, Lambda)>),
    /// Whoever moved last.
    LastMover,
    /// Whoever is in at the end.
    LastIn,
}

impl Game {
    /// The name of a seat (from 0) as people read it.
    pub fn seat_name(&self, seat: usize) -> String {
        match (self.seats.named.get(seat).and_then(Option::as_ref), self.seats.called.get(seat)) {
            (Some(name), Some(role)) => format!("{name} ({role})"),
            (Some(name), None) => name.clone(),
            (None, Some(role)) => role.clone(),
            (None, None) => format!("player {}", seat + 1),
        }
    }
}
