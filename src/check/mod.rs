//! From syntax tree to IR: resolves names and types, checks the rules of games, and warns. Running anything
//! is left to `eval` and `play`.

mod advice;
mod amount;
mod binders;
mod blame;
mod boards;
mod branch;
mod call;
mod certain;
mod collections;
mod comparisons;
mod covered;
mod domain;
mod drawn;
mod elements;
mod everybody;
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
mod meant;
mod mentions;
mod missing;
mod mixed;
mod moves;
mod needs;
mod options;
pub(crate) mod picture;
mod place;
mod roles;
mod scope;
mod scoring;
mod secrets;
mod shorthand;
mod slow;
mod splice;
mod standing;
mod state;
mod subset_sizes;
mod template;
mod terms;
mod texts;
mod tuples;
mod undeclared;
mod unknown;
mod unset;
mod unused;
pub mod vocabulary;
mod wholes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::ast;
use crate::diag::{Code, Diagnostic, Severity, any_error, in_order};
use crate::ir::{Expr, ExprKind, Game, LoopId, MoveId, Slot, StateId, SymbolId, Symbols, Type};
use crate::source::{Source, Span};
use crate::syntax::{self, foreign::foreign, layout::closes_nothing};

use facts::Facts;
use scope::{Frame, Global};
use template::{Instance, Template};
use terms::Read;

/// The result of checking a rule file.
#[derive(Debug)]
pub struct Checked {
    /// The game; `None` if there are errors.
    pub game: Option<Game>,
    /// All diagnostics, in file order.
    pub diagnostics: Vec<Diagnostic>,
    /// The warnings that the file marks as intended; `diagnostics` does not contain them.
    pub meant: Vec<Diagnostic>,
}

/// Checks a rule file.
pub fn check(source: &Source) -> Checked {
    let (file, diagnostics) = syntax::parse(source);
    let mut checker = Checker {
        source: Some(source),
        diagnostics: diagnostics.clone(),
        separate_direction_names: true,
        ..Checker::default()
    };
    checker.file(&file);
    if checker.own_ways_are_directions() {
        checker = Checker { source: Some(source), diagnostics, ..Checker::default() };
        checker.file(&file);
    }
    checker.blame_calls();
    checker.blame_choices();
    let Checker { game, mut diagnostics, .. } = checker;
    diagnostics.retain(|d| !follows_from_unread(source, &file, d));
    let braces: Vec<Diagnostic> = diagnostics.iter().filter(|d| is_of_a_brace(d)).cloned().collect();
    diagnostics.retain(|d| !braces.iter().any(|brace| follows_from_a_brace(brace, d)));
    merge_corrections(&file, &mut diagnostics);
    let mut meant = Vec::new();
    if any_error(&diagnostics) {
        // Warnings may be consequences of the errors: something unused may be used in the faulty part.
        diagnostics.retain(|d| d.severity() == Severity::Error);
    } else {
        meant = intent::take_meant(source, &mut diagnostics);
    }
    let diagnostics = diagnostics.into_iter().map(|d| d.whole(source)).collect();
    let diagnostics = truncate_diagnostics(in_order(diagnostics));
    Checked { game: (!any_error(&diagnostics)).then_some(game), diagnostics, meant }
}

/// Maximum nesting depth of values and statements, counted through the functions and rules they use.
const MAX_DEPTH: usize = 200;

/// Maximum number of diagnostics reported for one file.
const MAX_DIAGNOSTICS: usize = 200;

/// Truncates a long list of diagnostics.
fn truncate_diagnostics(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.len() > MAX_DIAGNOSTICS {
        let more = diagnostics.len() - MAX_DIAGNOSTICS;
        let span = diagnostics[MAX_DIAGNOSTICS].span();
        diagnostics.truncate(MAX_DIAGNOSTICS);
        let message = format!("there are {more} more mistakes");
        diagnostics.push(
            Diagnostic::new(Code::TooManyMistakes, span, message, "the first of them")
                .help(format!("fix some of the first {MAX_DIAGNOSTICS}")),
        );
    }
    diagnostics
}

/// Drops reports about what was corrected before it was checked if the result has a correction of its own that covers it:
/// `tiles minus k` was read as `tiles - k`, and `without(tiles, {k})` is what is meant.
fn merge_corrections(file: &ast::File, diagnostics: &mut Vec<Diagnostic>) {
    let Some((text, _)) = &file.corrected else { return };
    let read = |d: &Diagnostic| (d.code == Code::Unexpected).then_some(d.fix.as_ref()?.span);
    let places: Vec<Span> = diagnostics.iter().filter_map(read).collect();
    let mut covered = Vec::new();
    for fix in diagnostics.iter_mut().filter(|d| d.code == Code::TypeMismatch).filter_map(|d| d.fix.as_mut())
    {
        for place in &places {
            let whole = &text[place.start..place.end];
            let start = place.start + whole.len() - whole.trim_start().len();
            let end = start + whole.trim().len();
            if fix.span.start <= start && end <= fix.span.end {
                fix.span = Span::new(fix.span.start.min(place.start), fix.span.end.max(place.end));
                covered.push(*place);
            }
        }
    }
    diagnostics.retain(|d| read(d).is_none_or(|place| !covered.contains(&place)));
}

/// Whether a report is about a block that is never closed, or closed too early.
fn is_of_a_brace(report: &Diagnostic) -> bool {
    report.code == Code::UnclosedBracket || report.message == closes_nothing("}")
}

/// Whether a report only follows from one about a brace: a name is known for too long, or no longer.
fn follows_from_a_brace(brace: &Diagnostic, report: &Diagnostic) -> bool {
    let (at, place) = (brace.span().start, report.span().start);
    match brace.code {
        Code::UnclosedBracket => report.code == Code::Shadowed && at < place,
        _ => {
            let outside = report.help.as_deref().is_some_and(|help| help.contains("to the end of its block"));
            report.code == Code::UnknownName && outside && place < at
        }
    }
}

/// Whether a diagnostic, such as an unknown name or a missing part, only follows from a part that could not
/// be read.
fn follows_from_unread(source: &Source, file: &ast::File, diagnostic: &Diagnostic) -> bool {
    match diagnostic.code {
        Code::UnknownName
        | Code::UnknownFunction
        | Code::UnknownMove
        | Code::UnknownField
        | Code::UnknownType
        | Code::CannotChange => {
            // Where a line was corrected, the place may hold something else.
            let named = diagnostic.message.split('`').nth(1);
            let name = named.filter(|_| diagnostic.message.starts_with("there is no"));
            let name = name.unwrap_or_else(|| source.slice(diagnostic.span()));
            // A draw that could not be read may have been meant to give it its name.
            let vague = diagnostic
                .help
                .as_deref()
                .is_none_or(|help| help.starts_with(unknown::KNOWN) || help.starts_with(unknown::SYMBOLS));
            let nameless = file.unread.contains("");
            if nameless && diagnostic.code == Code::UnknownName && (vague || name.len() == 1)
                || nameless && diagnostic.code == Code::UnknownField
            {
                return true;
            }
            // A word of another language is never declared in the file.
            file.unread.contains(name) && (diagnostic.code != Code::UnknownName || foreign(name).is_none())
        }
        Code::UnknownLoop => {
            let loops = ["repeat", "turns", "cycle", "each", "for", "while", "loop"];
            file.unread.contains(source.slice(diagnostic.span()))
                || loops.iter().any(|word| file.unread.contains(*word))
        }
        // A `score` or `show` that could not be read may be the missing one.
        Code::ScoreTwice => file.unread.contains("score"),
        Code::BadExample => {
            source.slice(diagnostic.span()) == "shows"
                && ["show", "print"].iter().any(|word| file.unread.contains(*word))
        }
        // Parts of the whole file; an option without a type is a mistake of its own.
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
    /// Whether it is being checked now, so that a call would be recursion.
    in_progress: bool,
    /// Whether it mentions `me`, directly or through a function it calls; `me` is then an extra first
    /// parameter.
    needs_me: bool,
    instances: HashMap<Vec<Type>, Vec<Instance>>,
}

/// A `rule`, compiled again at each call.
struct Rule<'a> {
    name: &'a ast::Name,
    params: &'a [ast::Name],
    body: &'a ast::Block,
    used: bool,
    in_progress: bool,
}

#[derive(Default)]
struct Checker<'a> {
    /// The text of the file.
    source: Option<&'a Source>,
    game: Game,
    diagnostics: Vec<Diagnostic>,
    symbols: HashMap<String, SymbolId>,
    /// The symbols of the eight directions, once the file mentions directions.
    directions: Option<[SymbolId; 8]>,
    /// Whether the file's own symbols `left`, `up` and so on are kept apart from the directions.
    separate_direction_names: bool,
    /// The symbols kept apart that way.
    separated: BTreeSet<SymbolId>,
    /// Whether one of `separated` is used as a direction after all.
    uses_separated: bool,
    /// Whether the file uses `north`, `east` and so on.
    uses_main_names: bool,
    /// Whether the file uses `up`, `right` and so on.
    uses_alias_names: bool,
    globals: HashMap<String, Global>,
    /// Everything the file declares: where, and whether it changes during play.
    declared: HashMap<String, (Span, bool)>,
    /// Whether the seat of some `score` is invalid; missing scores are then not reported.
    has_bad_score_seat: bool,
    /// Current nesting depth, counted through functions and rules.
    depth: usize,
    /// The nesting depth of each function's value.
    function_depths: Vec<usize>,
    /// Number of rule calls compiled so far.
    rule_calls: usize,
    /// The rules that stand in blocks, by place, and whether they are ever tested.
    standing: BTreeMap<Span, (&'a ast::Stmt, bool)>,
    /// The state of players by name, written `p.name`; these names are separate from the globals.
    fields: HashMap<String, StateId>,
    /// Further places of mistakes that are reported once.
    gathered: HashSet<Span>,
    state_spans: Vec<Span>,
    defines: Vec<Define<'a>>,
    /// The names that are given to all lists, subsets or the like that there are, and what these are.
    choices_named: Vec<(&'a ast::Name, &'a ast::Expr)>,
    /// The calls of these functions.
    calls: Vec<blame::Call>,
    rules: Vec<Rule<'a>>,
    moves: HashMap<String, MoveId>,
    move_items: Vec<&'a ast::Move>,
    /// The names of the kinds that the file declares.
    kind_names: Vec<&'a ast::Name>,
    /// The kinds of tuples among them.
    tuple_kinds: Vec<tuples::TupleKind<'a>>,
    /// The kinds that are mentioned by their names.
    kinds_named: BTreeSet<String>,
    /// The symbols that are mentioned as values.
    symbols_named: BTreeSet<SymbolId>,
    offered: Vec<bool>,
    loops: HashMap<String, LoopId>,
    frame: Frame,
    /// The slots of the names bound by moves' `let`s, by the spans of the names.
    let_slots: HashMap<Span, Slot>,
    roles: roles::Roles,
    /// How many moves and rules enclose the current place. Inside them, names may refer to the pass counters
    /// of the loops around each place that offers or calls them.
    inline_depth: usize,
    /// The loops whose pass counters were read that way, in the order they were read.
    passes_read: Vec<LoopId>,
    /// The same for the heads of moves.
    head_passes: HashMap<MoveId, Vec<LoopId>>,
    /// The facts known at the current point.
    facts: Facts,
    /// Number of slots made by [`Checker::fresh`].
    fresh_slots: usize,
    /// The function being checked, with what it requires of its callers.
    template: Option<Template>,
    /// What each function of the game reads.
    function_reads: Vec<BTreeSet<Read>>,
    /// Comparisons of symbols by span: the report to make if no use of the enclosing function or rule
    /// compares symbols that can be equal; `None` once one does.
    never_equal: HashMap<Span, Option<Diagnostic>>,
    /// The names that are given further right in the parentheses being checked.
    upcoming: Vec<advice::Upcoming>,
    /// The names bound by statements of play, moves and rules, and where.
    named_in_lines: HashMap<&'a str, Span>,
    /// The position in the code of each [`flow::Label`], once known.
    labels: Vec<Option<usize>>,
    /// Whether a seat can go out.
    can_be_out: bool,
    awards: bool,
    /// The words of the parts that could not be read.
    unread: Option<&'a HashSet<String>>,
    /// The text as it was read where corrections were patched in, and where that was.
    corrected: Option<&'a (String, Vec<Span>)>,
    /// Whether an `expect` of an example is being checked.
    in_example: bool,
    /// Whether a value is being checked that may be written as it is printed.
    shown_values: bool,
    /// Whether a key of `winner` is being checked.
    in_winner: bool,
    /// Whether there is a grid, so that `b3` may name a square.
    has_grid: bool,
}

/// The longest text of the author that is repeated in advice, in bytes.
const LONGEST: usize = 40;

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.code == Code::MaybeNone && self.is_known_to_be_missing(&diagnostic) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    /// Whether it was already reported that a value may be none, in the same move. Adds the place to that report.
    fn is_known_to_be_missing(&mut self, diagnostic: &Diagnostic) -> bool {
        let place = diagnostic.span();
        let text = self.written(place);
        let around = self.move_around(place);
        let both_cases = |report: &Diagnostic| {
            report.help.as_ref().is_some_and(|help| help.starts_with(missing::BOTH_CASES))
        };
        let same = |known: &Diagnostic| {
            known.code == Code::MaybeNone
                && (known.help == diagnostic.help
                    || both_cases(known)
                        && (both_cases(diagnostic) || diagnostic.help.as_deref() == Some(missing::WAY_OUT)))
                && self.written(known.span()) == text
                && self.move_around(known.span()) == around
        };
        let known = self.diagnostics.iter().position(same).filter(|_| text != "…" && around.is_some());
        let Some(known) = known.map(|at| &mut self.diagnostics[at]) else { return false };
        if known.labels.iter().all(|label| label.span != place) {
            *known = known.clone().also(place, "and here");
        }
        true
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message, label));
    }

    fn words(&self, ty: &Type) -> String {
        ty.words(&Symbols { names: &self.game.symbols, kinds: &self.game.kinds })
    }

    /// Returns what the author wrote at a place, as it was read if it was corrected; `…` if it is long or goes over several
    /// lines.
    fn written(&self, span: Span) -> &'a str {
        let overlaps = |at: &Span| at.start < span.end && span.start < at.end;
        let text = match self.corrected {
            Some((text, places)) if places.iter().any(overlaps) => text.get(span.start..span.end),
            _ => self.source.map(|source| source.slice(span)),
        };
        match text.unwrap_or("").trim() {
            "" => "…",
            text if text.len() > LONGEST || text.contains(['\n', '`']) => "…",
            text => text,
        }
    }

    /// Goes `steps` levels deeper, through brackets, functions and rules. Reports an error and returns
    /// `false` if that is too deep. Statements and rule calls count two steps, because they use more of the
    /// stack.
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
                "functions and rules call one another too deeply here",
                format!("calls can be at most {MAX_DEPTH} deep"),
            )
            .help("work out part of it first, and keep that in a `let` or in state"),
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

/// The expression used after an error was reported; it causes no further reports.
fn wrong(span: Span) -> Expr {
    Expr { kind: ExprKind::Value(crate::ir::Value::None), ty: Type::Wrong, span }
}
