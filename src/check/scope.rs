//! Names in scope: the globals of a file, and the locals of the frame being checked.

use std::collections::HashSet;

use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{Expr, ExprKind, LoopId, Slot, StateId, Type, Value};
use crate::source::Span;

/// A name declared for the whole file.
#[derive(Debug, Clone)]
pub struct Global {
    pub kind: GlobalKind,
    pub ty: Type,
    pub span: Span,
    pub used: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum GlobalKind {
    Option(usize),
    Constant(usize),
    Table(StateId),
    /// A named seat, 0-based.
    Seat(usize),
}

/// A local name.
#[derive(Debug, Clone)]
pub struct Local {
    pub name: String,
    pub slot: Slot,
    pub ty: Type,
    pub span: Span,
    pub used: bool,
    /// Whether to warn if nothing reads it.
    pub watched: bool,
}

/// The frame in which the expressions being checked will be evaluated.
#[derive(Debug, Default)]
pub struct Frame {
    pub locals: Vec<Local>,
    pub size: usize,
    /// Whether it is the automaton's own frame, which holds the loops' pass counters.
    pub in_play: bool,
}

impl Frame {
    pub fn slot(&mut self) -> Slot {
        self.size += 1;
        self.size - 1
    }
}

/// The start of a scope; see [`Checker::open_scope`].
#[derive(Clone, Copy)]
pub struct Mark {
    locals: usize,
    facts: usize,
}

impl Checker<'_> {
    pub(super) fn open_scope(&self) -> Mark {
        Mark { locals: self.frame.locals.len(), facts: self.facts.len() }
    }

    /// Ends a scope: drops its names and warns about those never read.
    pub(super) fn close_scope(&mut self, mark: Mark) {
        self.facts.truncate(mark.facts);
        for local in self.frame.locals.split_off(mark.locals) {
            if local.watched && !local.used && !local.name.starts_with('_') {
                let drawn = self.line_before(local.span).trim_end().ends_with("draw");
                let help = match drawn {
                    true => format!(
                        "it is taken out and put nowhere: write `me.hand += {0}`, or wherever it belongs; if it leaves the game, call it `_{0}`",
                        local.name
                    ),
                    false => "remove it, or start its name with `_`".to_string(),
                };
                self.report(
                    Diagnostic::new(
                        Code::Unused,
                        local.span,
                        format!("`{}` is never used", local.name),
                        "named here",
                    )
                    .help(help),
                );
            }
        }
    }

    /// Binds a new local name. Shadowing is an error.
    pub(super) fn bind(&mut self, name: &ast::Name, ty: Type, watched: bool) -> Slot {
        if name.text != "me" {
            self.refuse_shadow(name);
        }
        let slot = self.frame.slot();
        self.bind_to(name, slot, ty, watched);
        slot
    }

    /// Binds a local name to an existing slot.
    pub(super) fn bind_to(&mut self, name: &ast::Name, slot: Slot, ty: Type, watched: bool) {
        let local = Local { name: name.text.clone(), slot, ty, span: name.span, used: false, watched };
        self.frame.locals.push(local);
    }

    pub(super) fn bind_me(&mut self, slot: Slot, span: Span) {
        self.bind_to(&ast::Name { text: "me".into(), span }, slot, Type::Player, false);
    }

    /// Resolves `table.row` to the state `row`, which is how it is read where a parameter has the same name.
    pub(super) fn table_field(&self, base: &ast::Expr, field: &ast::Name) -> Option<StateId> {
        let ast::ExprKind::Name(table) = &base.kind else { return None };
        if table != "table"
            || self.globals.contains_key(table)
            || self.frame.locals.iter().any(|l| l.name == "table")
        {
            return None;
        }
        match self.globals.get(&field.text)?.kind {
            GlobalKind::Table(id) => Some(id),
            _ => None,
        }
    }

    /// Whether a parameter may share this global name: options, whose value the parameter then is, and state,
    /// which is still reachable through `table.`.
    pub(super) fn may_share_name(&self, name: &str) -> bool {
        matches!(
            self.globals.get(name),
            Some(Global { kind: GlobalKind::Option(_) | GlobalKind::Table(_), .. })
        )
    }

    /// Whether a name is what a `let` names.
    fn is_let(&self, name: Span) -> bool {
        self.line_before(name).rsplit_once("let ").is_some_and(|(_, names)| !names.contains('='))
    }

    /// Whether a name is what a `chance` names.
    fn is_draw(&self, name: Span) -> bool {
        let line = self.line_before(name);
        line.ends_with("chance ") || line.ends_with("draw ")
    }

    pub(super) fn refuse_shadow(&mut self, name: &ast::Name) {
        let earlier = self.frame.locals.iter().rev().find(|l| l.name == name.text).map(|l| l.span);
        let earlier = earlier.or_else(|| self.globals.get(&name.text).map(|g| g.span));
        if matches!(name.text.as_str(), "me" | "players" | "standing" | "int") {
            self.error(
                Code::Shadowed,
                name.span,
                format!("`{}` is a word of the language", name.text),
                "choose another name",
            );
        } else if let Some(earlier) = earlier
            && earlier != name.span
        {
            self.report(
                Diagnostic::new(
                    Code::Shadowed,
                    name.span,
                    format!("`{}` already has a meaning here", name.text),
                    "named again",
                )
                .also(earlier, "first named here")
                .help(match self.globals.get(&name.text) {
                    Some(Global { kind: GlobalKind::Table(_), .. }) if self.is_let(name.span) => format!(
                        "`{0}` is a piece of state: write `{0} := …` to change it, or choose another name",
                        name.text
                    ),
                    Some(Global { kind: GlobalKind::Table(_), .. }) if self.is_draw(name.span) => format!(
                        "to keep the draw in `{0}`, give it another name: `{1}`, then `{0} := drawn`",
                        name.text,
                        match self.line_before(name.span).ends_with("draw ") {
                            true => "draw drawn from …",
                            false => "chance drawn in …",
                        }
                    ),
                    Some(Global { kind: GlobalKind::Table(_), .. }) => format!(
                        "`{0}` is a piece of state, which can be read here as it is; to name something else, choose another name, such as `{0}_`",
                        name.text
                    ),
                    _ => "choose another name".to_string(),
                }),
            );
        }
    }

    /// Refuses a word that has a meaning as the name of what a function goes through, as in `count(red in dice)`.
    pub(super) fn refuse_word(&mut self, name: &ast::Name) {
        let is_symbol = self.symbols.contains_key(&name.text);
        if !is_symbol && name.text != "me" {
            return;
        }
        let what = if is_symbol { "is a symbol" } else { "is the player who moves" };
        let message = format!("`{}` {what}, so it cannot name what this goes through", name.text);
        let report = Diagnostic::new(Code::Shadowed, name.span, message, "choose another name");
        self.report(report.help(format!(
            "`copies({0}, S)` counts how often it occurs, `{0} in S` asks whether it does",
            name.text
        )));
    }

    /// Returns the slot of the pass counter of a loop around the place that offers this move or calls this
    /// rule.
    pub(super) fn pass_of(&mut self, name: &str) -> Option<Slot> {
        let id = *self.loops.get(name).filter(|_| self.inline_depth > 0 && self.frame.in_play)?;
        self.passes_read.push(id);
        Some(self.game.loops[id].1)
    }

    /// Reports the first of the loops in `read` that is not among those around this place, if any.
    pub(super) fn passes_are_here(&mut self, read: &[LoopId], loops: &[LoopId], name: &ast::Name) {
        let Some(missing) = read.iter().find(|id| !loops.contains(id)) else { return };
        let label = self.game.loops[*missing].0.clone();
        self.report_once(
            Diagnostic::new(
                Code::UnknownLoop,
                name.span,
                format!(
                    "`{}` uses `{label}`, which counts the passes of a loop that is not around this place",
                    name.text
                ),
                format!("not inside a loop called `{label}`"),
            )
            .help(format!(
                "name the loop it is in: `… as {label} {{ … }}`, or pass the number on as a `given` parameter"
            )),
        );
    }

    pub(super) fn local(&mut self, name: &str) -> Option<(Slot, Type)> {
        let local = self.frame.locals.iter_mut().rev().find(|l| l.name == name)?;
        local.used = true;
        Some((local.slot, local.ty.clone()))
    }

    /// Returns the known name closest to a mistyped one: locals, globals, symbols and words of the language.
    pub(super) fn near_name(&self, name: &str) -> Option<String> {
        // Looking up thousands of names for thousands of mistakes would take minutes.
        if self.diagnostics.len() > super::MAX_DIAGNOSTICS {
            return None;
        }
        let mut known: HashSet<&str> = ["players", "standing"].into();
        known.extend(self.frame.locals.iter().map(|l| l.name.as_str()));
        known.extend(self.globals.keys().map(String::as_str));
        known.extend(self.symbols.keys().map(String::as_str));
        nearest(name, known).map(str::to_string)
    }

    /// Returns the set of all symbols or tuples of a kind.
    pub(super) fn every(&mut self, name: &ast::Name, span: Span) -> Expr {
        if let Some(all) = self.every_tuple_as_set(name, span) {
            return all;
        }
        if name.text == super::grids::KIND && !self.game.kinds.iter().any(|(kind, _)| *kind == name.text) {
            self.directions();
        }
        let Some((_, ids)) = self.game.kinds.iter().find(|(kind, _)| *kind == name.text) else {
            let kinds = self.kinds();
            let report = Diagnostic::new(
                Code::UnknownType,
                name.span,
                format!("there is no kind called `{}`", name.text),
                "not a kind",
            );
            self.report(report.suggest(&name.text, kinds.iter().map(String::as_str)));
            return wrong(span);
        };
        self.kinds_named.insert(name.text.clone());
        let ty = Type::Symbol(ids.iter().copied().collect());
        let all = Value::set(ids.iter().map(|id| Value::Symbol(*id)));
        Expr { kind: ExprKind::Value(all), ty: Type::Set(Box::new(ty)), span }
    }

    /// Returns the 0-based seat of a name; `unnamed` is the help shown if no seat has a name.
    pub(super) fn named_seat(&mut self, name: &ast::Name, unnamed: &str) -> Option<usize> {
        let known = self.game.seats.roles.clone();
        let found = known.iter().position(|called| *called == name.text);
        if found.is_none() {
            let message = format!("there is no seat called `{}`", name.text);
            let report = Diagnostic::new(Code::UnknownName, name.span, message, "not in `players … called`");
            self.report(match known.is_empty() {
                _ if name.text == "over" => {
                    report.help("that the match is over comes first: `over, winner 1`")
                }
                true => report.help(unnamed),
                false => report.suggest(&name.text, known.iter().map(String::as_str)),
            });
        }
        found
    }
}
