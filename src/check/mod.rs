//! Tree to meaning: names, types, the rules of games, lints. Leaves running anything to `eval` and `play`.

mod amount;
mod branch;
mod call;
mod domain;
mod drawn;
pub(crate) mod example;
mod expr;
mod facts;
mod flow;
mod forget;
mod grids;
mod implied;
pub mod intent;
mod items;
pub mod keywords;
mod line_words;
mod lints;
mod loops;
mod mentions;
mod mixed;
mod moves;
mod options;
pub(crate) mod picture;
mod place;
mod roles;
mod scope;
mod scoring;
mod secrets;
mod slow;
mod splice;
mod state;
mod template;
mod terms;
mod unknown;
mod unset;
pub mod vocabulary;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ast;
use crate::diag::{Code, Diagnostic, Severity, any_error, in_order};
use crate::ir::{Expr, ExprKind, Game, LoopId, MoveId, Slot, StateId, SymbolId, Type};
use crate::source::{Source, Span};
use crate::syntax::{self, foreign::foreign};

use facts::Facts;
use scope::{Frame, Global};
use template::{Instance, Template};
use terms::Read;

/// What checking a rule file gives.
#[derive(Debug)]
pub struct Checked {
    /// The game, where no error stands in the way.
    pub game: Option<Game>,
    /// Everything found, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The warnings that the file says are meant; they are not among the others.
    pub meant: Vec<Diagnostic>,
}

/// Checks a rule file.
pub fn check(source: &Source) -> Checked {
    let (file, diagnostics) = syntax::parse(source);
    let mut checker = Checker { diagnostics: diagnostics.clone(), keeps_apart: true, ..Checker::default() };
    checker.file(&file);
    if checker.own_ways_are_directions() {
        checker = Checker { diagnostics, ..Checker::default() };
        checker.file(&file);
    }
    let Checker { game, mut diagnostics, .. } = checker;
    diagnostics.retain(|d| !follows_from_unread(source, &file, d));
    let mut meant = Vec::new();
    if any_error(&diagnostics) {
        // What nothing uses may be used where the mistake is.
        diagnostics.retain(|d| d.severity() == Severity::Error);
    } else {
        meant = intent::take_meant(source, &mut diagnostics);
    }
    let diagnostics = diagnostics.into_iter().map(|d| d.whole(source)).collect();
    let diagnostics = no_more(in_order(diagnostics));
    Checked { game: (!any_error(&diagnostics)).then_some(game), diagnostics, meant }
}

/// How deep values and statements may nest, counted through the functions and rules they use.
const MAX_DEPTH: usize = 200;

/// How many mistakes of one file are told.
const MAX_DIAGNOSTICS: usize = 200;

/// Stops where nobody reads on.
fn no_more(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.len() > MAX_DIAGNOSTICS {
        let more = diagnostics.len() - MAX_DIAGNOSTICS;
        let span = diagnostics[MAX_DIAGNOSTICS].span();
        diagnostics.truncate(MAX_DIAGNOSTICS);
        let message = format!("there are {more} more mistakes");
        diagnostics.push(
            Diagnostic::new(Code::TooManyMistakes, span, message, "the first of them")
                .help(format!("mend some of the {MAX_DIAGNOSTICS} before")),
        );
    }
    diagnostics
}

/// Whether a name is unknown, or a part missing, only because its declaration could not be read.
fn follows_from_unread(source: &Source, file: &ast::File, diagnostic: &Diagnostic) -> bool {
    match diagnostic.code {
        Code::UnknownName
        | Code::UnknownFunction
        | Code::UnknownMove
        | Code::UnknownField
        | Code::UnknownType
        | Code::CannotChange => {
            let name = source.slice(diagnostic.span());
            // Nobody has declared a word of another language.
            file.unread.contains(name) && (diagnostic.code != Code::UnknownName || foreign(name).is_none())
        }
        Code::UnknownLoop => {
            let loops = ["repeat", "turns", "cycle", "each", "for", "while", "loop"];
            file.unread.contains(source.slice(diagnostic.span()))
                || loops.iter().any(|word| file.unread.contains(*word))
        }
        // A score, or a `show`, that could not be read is there.
        Code::ScoreTwice => file.unread.contains("score"),
        Code::BadExample => {
            source.slice(diagnostic.span()) == "shows"
                && ["show", "print"].iter().any(|word| file.unread.contains(*word))
        }
        // The parts of the whole; an option without a type is a mistake of its own.
        Code::MissingPart => {
            let at = diagnostic.span();
            let option =
                |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Option(o) if o.name.span == at);
            !file.unread.is_empty() && !file.items.iter().any(option)
        }
        _ => false,
    }
}

/// A `define`, checked once for each combination of argument types.
struct Define<'a> {
    name: &'a ast::Name,
    params: &'a [ast::Name],
    body: &'a ast::Expr,
    used: bool,
    /// Whether it is being checked now: a call then would be recursion.
    open: bool,
    /// Whether it speaks of `me`, itself or through a function it calls: then `me` is handed to it.
    of_me: bool,
    instances: HashMap<Vec<Type>, Vec<Instance>>,
}

/// A `rule`, compiled anew at each call.
struct Rule<'a> {
    name: &'a ast::Name,
    params: &'a [ast::Name],
    body: &'a ast::Block,
    used: bool,
    open: bool,
}

#[derive(Default)]
struct Checker<'a> {
    game: Game,
    diagnostics: Vec<Diagnostic>,
    symbols: HashMap<String, SymbolId>,
    /// The symbols of the eight directions, once the file speaks of them.
    directions: Option<[SymbolId; 8]>,
    /// Whether symbols of the file's own that are called `left` and the like are taken to be no directions.
    keeps_apart: bool,
    /// Those that were kept apart so, and whether one of them is used as a direction all the same.
    apart: BTreeSet<SymbolId>,
    goes_by_apart: bool,
    /// Whether it calls one of them `north`, `east`, … somewhere, and whether `up`, `right`, ….
    says_north: bool,
    says_up: bool,
    globals: HashMap<String, Global>,
    /// What the file declares anywhere: where, and whether it changes during play.
    declared: HashMap<String, (Span, bool)>,
    /// Whether a score names no seat of the game: then nothing more is said of who has one.
    score_astray: bool,
    /// How deep what is being checked is, through functions and rules.
    depth: usize,
    /// How deep the value of each function of the game is.
    function_depths: Vec<usize>,
    /// How many calls of rules have been compiled.
    calls: usize,
    /// State of players lives behind `p.`, so its names are their own.
    fields: HashMap<String, StateId>,
    state_spans: Vec<Span>,
    defines: Vec<Define<'a>>,
    rules: Vec<Rule<'a>>,
    moves: HashMap<String, MoveId>,
    move_items: Vec<&'a ast::Move>,
    offered: Vec<bool>,
    loops: HashMap<String, LoopId>,
    frame: Frame,
    /// The slots of the names that a move's `let`s give, by the places of the names.
    let_slots: HashMap<Span, Slot>,
    roles: roles::Roles,
    /// How many moves and rules deep we are: what they say may read the passes of the loops around each place that
    /// offers or calls them.
    inside: usize,
    /// The loops whose passes were read so, in the order they were met.
    passes_read: Vec<LoopId>,
    /// Those that the heads of moves read.
    head_passes: HashMap<MoveId, Vec<LoopId>>,
    /// What is known right here.
    facts: Facts,
    /// How many names there are in what is known that stand in no frame.
    named: usize,
    /// The function that is being checked, and what its calls would have to bring.
    template: Option<Template>,
    /// What each function of the game reads.
    function_reads: Vec<BTreeSet<Read>>,
    /// Comparisons of symbols, by their place: a report where no use of the function or rule around it brings symbols
    /// that can be equal.
    never_equal: HashMap<Span, Option<Diagnostic>>,
    /// The names that lines of play, moves and rules give to values, and where.
    named_in_lines: HashMap<&'a str, Span>,
    labels: Vec<Option<usize>>,
    /// Whether some seat can be taken out.
    can_be_out: bool,
    awards: bool,
    /// The words of what could not be read.
    unread: Option<&'a HashSet<String>>,
    /// Whether what is being checked is what an example expects.
    in_example: bool,
    /// Whether there is a grid, so that `b3` can be a square.
    has_grid: bool,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message, label));
    }

    fn words(&self, ty: &Type) -> String {
        ty.words(&self.game.symbols)
    }

    /// Goes some steps deeper, through brackets, functions and rules; `false`, and a report, where that is too
    /// deep. A statement, and a call of a rule, are two steps: they take more of the stack.
    fn deeper(&mut self, steps: usize, span: Span) -> bool {
        if self.depth + steps > MAX_DEPTH {
            self.too_deep(span);
            return false;
        }
        self.depth += steps;
        true
    }

    fn too_deep(&mut self, span: Span) {
        if self.diagnostics.iter().any(|d| d.code == Code::TooDeep) {
            return;
        }
        self.report(
            Diagnostic::new(
                Code::TooDeep,
                span,
                "functions and rules use one another too deeply here",
                format!("at most {MAX_DEPTH} steps deep"),
            )
            .help("work some of it out first, and keep it in a `let` or in state"),
        );
    }

    fn symbol(&mut self, name: &str) -> SymbolId {
        if let Some(id) = self.symbols.get(name) {
            return *id;
        }
        let id = self.game.symbols.len();
        self.game.symbols.push(name.to_string());
        self.symbols.insert(name.to_string(), id);
        id
    }
}

/// An expression that was reported; it is quiet from here on.
fn wrong(span: Span) -> Expr {
    Expr { kind: ExprKind::Value(crate::ir::Value::None), ty: Type::Wrong, span }
}
