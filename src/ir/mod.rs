//! The intermediate representation of a rule file: typed and resolved, with ids instead of names, and with play
//! compiled to a resumable automaton, which stops only at choices and chance events; the work between two stops is
//! bounded. Spans are kept only for messages. `dump` writes a stable text form.

mod bounds;
mod builtin;
mod direction;
mod domain;
mod dump;
mod example;
mod form;
mod influence;
mod interests;
mod inwards;
mod live;
mod public_draws;
mod public_sizes;
mod row_constraints;
mod row_terms;
mod sampling;
mod seats;
mod show;
mod superset;
mod taken_out;
mod types;
mod value;
mod walk;
mod words;

pub use bounds::{
    Bounds, BoundsOnLast, bounds_by_needs, bounds_of, bounds_on_last, conjuncts, implied_for_range,
};
pub use builtin::{FailsWhen, Phrase, ResultFact, Traits, Word};
pub use direction::{DIRECTIONS, Direction};
pub use domain::Domain;
pub use dump::{domain_text, dump, expr_text, form_text, op_text};
pub use example::{Example, ExampleCheck, ExampleLine, ExampleStep};
pub use form::{Bound, Form};
pub use interests::{Interests, Teams};
pub use live::{Live, successors};
pub use public_draws::draw_is_public;
pub use public_sizes::{HidesSize, hides_size, public_sizes, read_for_size};
pub use row_constraints::{RowConstraints, read_by_checks, row_constraints};
pub use row_terms::{Decomposer, Gathering, High, Over, RowCondition, RowPart, Term, TermKind, reads};
pub use sampling::{
    AT_ONCE_SHIFT, COUNTED_ANEW_TRIES, COUNTED_TRIES, FEW_ROWS, FEW_TRIES, MANY_ROWS, MAX_TRIES,
    QUARTER_SHIFT, domain_reads, has_soft_needs, is_dependent, lists_at_once, param_reads,
};
pub use seats::Seats;
pub use show::{DrawnAs, Show, shown_values};
pub use superset::independent_domains;
pub use types::{PartNames, Symbols, TupleParts, Type};
pub use value::{Grid, SquareAt, Squares, Value};
pub use walk::{
    arm_values, arm_values_mut, bound_slots, changes, children, children_mut, domain_parts, domain_parts_mut,
    effect_changes, effect_exprs, free_slots, is_nothing, is_state_read, legality_parts, op_domain_mut,
    op_exprs_mut, op_parts, reads_position, reads_slots, rename_slots, reset_by, resets, states_read,
};
pub use words::{Builtin, WORDS};

use std::collections::BTreeSet;

use crate::source::Span;

/// The index of a local variable in a frame.
pub type Slot = usize;
/// The index of an op in [`Game::code`].
pub type Pc = usize;

/// The index of a symbol in [`Game::symbols`].
pub type SymbolId = usize;
/// The index of a state variable in [`Game::state`].
pub type StateId = usize;
/// The index of a move in [`Game::moves`].
pub type MoveId = usize;
/// The index of a named loop in [`Game::loops`].
pub type LoopId = usize;

/// The most players a match may have.
pub const MAX_PLAYERS: usize = 64;

/// A whole game, as checked.
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
    /// The comment at the head of the file, which describes the game in a sentence.
    pub summary: Option<String>,
    /// The number of players, and the names of the seats.
    pub seats: Seats,
    /// The names of all symbols, in declaration order.
    pub symbols: Vec<String>,
    /// The kinds, each a name and its symbols.
    pub kinds: Vec<(String, Vec<SymbolId>)>,
    /// The spans of calls that take a direction but could take something else; the rules sheet words these
    /// differently.
    pub directed: BTreeSet<Span>,
    /// The options.
    pub options: Vec<GameOption>,
    /// The constants; each may use those before it.
    pub constants: Vec<Constant>,
    /// The conditions on the options.
    pub setup: Vec<SetupNeed>,
    /// The state variables.
    pub state: Vec<State>,
    /// The functions, instantiated once for each combination of argument types in use.
    pub functions: Vec<Function>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The code of the automaton.
    pub code: Vec<Op>,
    /// The choices, which [`Op::Choose`] refers to by index.
    pub choices: Vec<Choice>,
    /// Where the code of each statement, and of each condition that decides where play continues, begins. A
    /// statement that is compiled at several places has an entry for each.
    pub code_spans: Vec<(Span, Pc)>,
    /// The loops: the word that begins each, and the places of its code, which are left when it ends. A loop
    /// that is compiled at several places has an entry for each.
    pub loop_heads: Vec<(Span, std::ops::Range<Pc>)>,
    /// The named loops: name, and the slot of the iteration number, which counts from 1.
    pub loops: Vec<(String, Slot)>,
    /// The number of slots in the automaton's frame.
    pub slots: usize,
    /// How points are counted.
    pub scoring: Scoring,
    /// How the winner is determined.
    pub winner: Option<Winner>,
    /// How the table is shown, line by line.
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
    /// Its default value.
    pub default: Expr,
    /// Its comment.
    pub doc: Option<String>,
    /// The source span.
    pub span: Span,
}

/// A constant, evaluated once per match.
#[derive(Debug, Clone)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value, which may read the options and earlier constants.
    pub value: Lambda,
}

/// A condition on the options.
#[derive(Debug, Clone)]
pub struct SetupNeed {
    /// The condition.
    pub cond: Lambda,
    /// The message when it fails.
    pub reason: Lambda,
    /// The source span.
    pub span: Span,
}

/// Who may see a state variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Everybody.
    Public,
    /// The seat that owns it.
    Owner,
    /// Nobody.
    Nobody,
}

/// A state variable: one cell, or one for each player.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Whether each player has one.
    pub per_player: bool,
    /// The values it may hold.
    pub form: Form,
    /// Its initial value; `None` leaves it unset. Takes the owner as its parameter if the variable is per
    /// player.
    pub init: Option<Lambda>,
    /// The loop that resets it at each iteration.
    pub reset_by: Option<LoopId>,
    /// Who may see it.
    pub sight: Sight,
    /// Its comment.
    pub doc: Option<String>,
    /// The source span.
    pub span: Span,
}

/// An expression with its own frame; the parameters occupy the first slots.
#[derive(Debug, Clone)]
pub struct Lambda {
    /// The number of parameters.
    pub params: usize,
    /// The number of slots, including the parameters.
    pub frame: usize,
    /// The expression.
    pub body: Expr,
}

/// A function of the rule file, instantiated for particular argument types.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters and body.
    pub lambda: Lambda,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// The source span.
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

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A constant known when the file is checked.
    Value(Value),
    /// An option of the match, by index.
    Option(usize),
    /// A constant of the match, by index.
    Constant(usize),
    /// A local variable.
    Local(Slot),
    /// A shared state variable.
    Table(StateId),
    /// A player's state variable.
    Own(StateId, Box<Expr>),
    /// All players, in seat order.
    Players,
    /// The players still in, in seat order.
    Standing,
    /// Whether a player is still in.
    IsIn(Box<Expr>),
    /// A player's score.
    Score(Box<Expr>),
    /// Logical negation.
    Not(Box<Expr>),
    /// Arithmetic negation.
    Negative(Box<Expr>),
    /// Arithmetic.
    Arith(Arith, Box<Expr>, Box<Expr>),
    /// Conjunction.
    And(Box<Expr>, Box<Expr>),
    /// Disjunction.
    Or(Box<Expr>, Box<Expr>),
    /// A chain of comparisons, which holds if every link does.
    Compare(Box<Expr>, Vec<(Compare, Expr)>),
    /// Whether a value is in a domain.
    In(Box<Expr>, Box<Domain>),
    /// Whether an optional value is `none`.
    IsNone(Box<Expr>),
    /// The value of the first arm whose condition holds, otherwise the last value.
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// A text with interpolated values.
    Text(Vec<TextPart>),
    /// A call of a function, by index.
    Call(usize, Vec<Expr>),
    /// A call of a builtin.
    Builtin(Builtin, Vec<Expr>),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// A component of a tuple; the index counts from 0.
    Part(Box<Expr>, usize),
    /// A list.
    List(Vec<Expr>),
    /// A set.
    Set(Vec<Expr>),
    /// An element of a list, or the value at a square of a grid or a key of a map.
    Index(Box<Expr>, Box<Expr>),
    /// The square at a row and column, both from 1.
    Square(Box<Expr>, Box<Expr>),
    /// The values at several indices.
    Pick(Box<Expr>, Box<Expr>),
    /// A copy of a collection with one value replaced: collection, index, value.
    With(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A domain as a list (ascending for ranges).
    Listed(Box<Domain>),
    /// A binder: a fold over one or more sources.
    Fold(Box<Fold>),
    /// Binds a value to a slot, or destructures a tuple into several, within another expression. Only the
    /// optimiser creates these.
    Let(Vec<Slot>, Box<Expr>, Box<Expr>),
}

/// A part of a text template.
#[derive(Debug, Clone)]
pub enum TextPart {
    /// Literal text.
    Chars(String),
    /// An interpolated value.
    Value(Expr),
}

/// The binder: `sum(x in S, y in T where C while W: body)`.
#[derive(Debug, Clone)]
pub struct Fold {
    /// How the elements are combined.
    pub kind: FoldKind,
    /// The sources; the last varies fastest.
    pub sources: Vec<Source>,
    /// The `where` condition, which selects elements.
    pub filter: Option<Expr>,
    /// The `while` condition; the fold ends at the first element that fails it.
    pub stop: Option<Expr>,
    /// The value folded for each element.
    pub body: Expr,
}

/// A source of a binder.
#[derive(Debug, Clone)]
pub struct Source {
    /// The slots bound to each element; several destructure a tuple.
    pub slots: Vec<Slot>,
    /// The domain to iterate over.
    pub domain: Domain,
}

/// The kinds of folds.
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
    Lcm,
    Reach,
}

impl FoldKind {
    /// Whether it makes no difference how often the same value comes up.
    pub fn counts_once(self) -> bool {
        use FoldKind as F;
        matches!(self, F::All | F::Some | F::Largest | F::Smallest | F::Set)
    }
}

/// A move.
#[derive(Debug, Clone)]
pub struct Move {
    /// Its name.
    pub name: String,
    /// Whether the choice stays secret.
    pub secret: bool,
    /// The slot of the seat that makes the move.
    pub me: Slot,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What decides whether it is legal, in order.
    pub checks: Vec<MoveCheck>,
    /// Its comment.
    pub doc: Option<String>,
    /// The source span.
    pub span: Span,
}

impl Move {
    /// Returns the first parameter of which bots and simulations draw only some of the legal values.
    pub fn sampled_param(&self) -> Option<&Param> {
        self.params.iter().find(|param| param.window.is_some() || param.sampling_domain.is_some())
    }
}

impl Game {
    /// Returns the moves that a choice offers, also those of its `else`.
    pub fn offered(&self, choice: &Choice) -> impl Iterator<Item = &Move> {
        choice.all_offers().map(|offer| &self.moves[offer.mv])
    }

    /// Whether bots and simulations see only some of the legal moves of a choice.
    pub fn samples_moves(&self, choice: &Choice) -> bool {
        self.offered(choice).any(|mv| mv.sampled_param().is_some())
    }
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
    /// The values to choose from; `None` if the play supplies the argument.
    pub domain: Option<Domain>,
    /// The window, as lowest and highest value, that bots and simulations draw integers from.
    pub window: Option<(Expr, Expr)>,
    /// A domain that bots and simulations draw from instead of `domain`; only values that are also in
    /// `domain` count.
    pub sampling_domain: Option<Domain>,
    /// The source span.
    pub span: Span,
}

/// A step in deciding whether a move is legal.
#[derive(Debug, Clone)]
pub enum MoveCheck {
    /// Binds a value to slots.
    Let(Vec<Slot>, Expr),
    /// A need (precondition) with its reason.
    Need {
        /// The condition.
        cond: Expr,
        /// The message when it fails.
        reason: Expr,
        /// The source span.
        span: Span,
    },
    /// A soft need, which applies only if some choice of the offered moves that have such needs satisfies all
    /// of its move's.
    SoftNeed {
        /// The condition.
        cond: Expr,
        /// The message when it fails.
        reason: Option<Expr>,
        /// The source span.
        span: Span,
    },
}

/// An assignable location: a state variable, or a part of one.
#[derive(Debug, Clone)]
pub struct Place {
    /// The state variable.
    pub state: StateId,
    /// Its owner, if the variable is per player.
    pub owner: Option<Expr>,
    /// The indices into the value, outermost first.
    pub path: Vec<Expr>,
    /// The source span.
    pub span: Span,
}

/// How an assignment changes a [`Place`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Replaces the value.
    Set,
    /// Adds a number.
    Plus,
    /// Subtracts a number.
    Minus,
    /// Adds one element.
    Insert,
    /// Removes one element, if present.
    Remove,
    /// Adds all elements of a collection.
    Join,
}

/// A bounded state change, during which play does not stop.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Binds a value to a slot, or destructures a tuple into several.
    Let(Vec<Slot>, Expr),
    /// Assigns to places; all values are computed before the first assignment.
    Assign(Vec<(Place, Change)>, Vec<Expr>),
    /// Moves one element from one place to another; fails if it is not at the first.
    Send(Expr, Place, Place),
    /// Awards points: amount, player, reason.
    Award(Expr, Expr, Option<Expr>),
    /// Announces a text to a seat, or to everybody. Does not affect play.
    Say(Expr, Option<Expr>),
    /// Reveals a cell to everybody until it is next written.
    Reveal(Place),
    /// Hides a revealed cell again.
    Conceal(Place),
    /// Removes a seat from play.
    Out(Expr),
    /// Moves the given number of elements from the front of a list to another place.
    Deal(Expr, Place, Place),
    /// Resets the state variables of a loop to their initial values.
    Reset(LoopId),
    /// Enters a named phase; `None` leaves the innermost phase.
    Phase(Option<String>),
}

/// An instruction of the automaton.
#[derive(Debug, Clone)]
pub enum Op {
    /// Applies an effect.
    Do(Effect, Span),
    /// Jumps.
    Jump(Pc),
    /// Jumps unless a condition holds.
    Unless(Expr, Pc),
    /// Begins a loop: lists a domain's elements into a slot and resets the counter.
    Collect {
        /// The domain.
        source: Domain,
        /// The slot of the list.
        list: Slot,
        /// The slot of the index, from 0, of the next element.
        at: Slot,
    },
    /// Binds the next element that passes the filter; jumps to `exit` if there is none.
    Next {
        /// The slot of the list.
        list: Slot,
        /// The slot of the index, from 0, of the next element.
        at: Slot,
        /// The slots bound to the element.
        slots: Vec<Slot>,
        /// Which elements are visited, evaluated at each step.
        filter: Option<Expr>,
        /// Whether the loop wraps around after the last element.
        cyclic: bool,
        /// Where to continue when the loop ends.
        exit: Pc,
    },
    /// Stops for a choice, by one seat or by several together.
    Choose(usize),
    /// Takes the next sealed move of a joint choice, fills the move's slots and jumps to its effects; jumps
    /// to the `Pc` if none is left.
    Unseal(usize, Pc),
    /// Stops for a chance event.
    Chance(Chance),
    /// Ends the match, won by the given seat or seats; if none are given, the winner rule decides.
    End(Option<Expr>),
}

/// A chance event.
#[derive(Debug, Clone)]
pub struct Chance {
    /// The name used in match records.
    pub name: String,
    /// What is drawn.
    pub kind: ChanceKind,
    /// The source span.
    pub span: Span,
}

/// The kinds of chance events.
#[derive(Debug, Clone)]
pub enum ChanceKind {
    /// Draws a value of a domain into a slot.
    Value(Domain, Slot),
    /// Shuffles a list.
    Shuffle(Place),
    /// Removes one element from a pile, into a slot.
    Draw(Place, Slot),
    /// Moves the given number of elements from a bag or set to another place.
    Deal(Expr, Place, Place),
}

/// A choice by one seat, or by several together.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The seat, or the list of seats, to choose.
    pub who: Expr,
    /// Whether the seats choose simultaneously and in secret.
    pub together: bool,
    /// The moves offered.
    pub offers: Vec<Offer>,
    /// The moves offered if none of `offers` is legal.
    pub otherwise: Vec<Offer>,
    /// Where play continues if no move is legal; `None` makes that a fault.
    pub stuck: Option<Pc>,
    /// In a joint choice, the seats that must have a legal move; other seats without one are skipped. `None`
    /// means that all of them must.
    pub must: Option<Expr>,
    /// Where play continues after the effects of the chosen move.
    pub done: Pc,
    /// The enclosing named loops, outermost first.
    pub loops: Vec<LoopId>,
    /// The source span.
    pub span: Span,
}

impl Choice {
    /// Returns all offers, those of `otherwise` last. Offers are numbered in this order, from 0.
    pub fn all_offers(&self) -> impl Iterator<Item = &Offer> {
        self.offers.iter().chain(&self.otherwise)
    }

    /// Returns all offers, in the same order, to be changed.
    pub fn all_offers_mut(&mut self) -> impl Iterator<Item = &mut Offer> {
        self.offers.iter_mut().chain(&mut self.otherwise)
    }
}

/// A move offered at a choice.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The move.
    pub mv: MoveId,
    /// The arguments that the play supplies.
    pub given: Vec<Expr>,
    /// Where the code of its effects begins.
    pub target: Pc,
}

/// How points are counted.
#[derive(Debug, Clone, Default)]
pub enum Scoring {
    /// The game keeps no score.
    #[default]
    None,
    /// The sum of awards.
    Awards,
    /// One formula, evaluated for each player.
    Each(Lambda),
    /// A separate formula for each named seat.
    Named(Vec<Lambda>),
}

/// How the winner is determined when play ends.
#[derive(Debug, Clone)]
pub struct Winner {
    /// Whether the rule names the losers instead, so that everybody else wins.
    pub loser: bool,
    /// The criterion.
    pub by: WinnerBy,
    /// Whether a tie goes to the last mover, if that player is one of those tied.
    pub then_last_mover: bool,
}

/// The criteria that decide a match.
#[derive(Debug, Clone)]
pub enum WinnerBy {
    /// The best by a value of each player; later entries break ties. `true`: the highest wins.
    Best(Vec<(bool, Lambda)>),
    /// The player who moved last.
    LastMover,
    /// Whoever is still in at the end.
    LastIn,
}

impl Game {
    /// Returns the display name of a seat (from 0).
    pub fn seat_name(&self, seat: usize) -> String {
        match (self.seats.player_names.get(seat).and_then(Option::as_ref), self.seats.roles.get(seat)) {
            (Some(name), Some(role)) => format!("{name} ({role})"),
            (Some(name), None) => name.clone(),
            (None, Some(role)) => role.clone(),
            (None, None) => format!("player {}", seat + 1),
        }
    }
}
