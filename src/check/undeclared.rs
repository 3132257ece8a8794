//! Names that stand for something else than the author takes them for: a function without its parentheses, state that
//! nothing declares, a seat that is misspelt, a value that cannot change.

use super::Checker;
use super::advice::collected;
use super::scope::GlobalKind;
use crate::ast::{self, Assign};
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{SquareAt, Type};

impl<'a> Checker<'a> {
    /// Adds to the report of a name that it is a function of the file, and how that is called.
    pub(super) fn function_alone(&self, name: &str, report: Diagnostic) -> Diagnostic {
        let define = self.defines.iter().find(|define| define.name.text == name);
        let params: Vec<&str> = define
            .map_or(Vec::new(), |define| define.params.iter().map(|param| param.text.as_str()).collect());
        let written = format!("{name}({})", params.join(", "));
        let mut report = Diagnostic { message: format!("`{name}` is a function, not a value"), ..report };
        report.labels[0].text = "a function alone".to_string();
        match params.is_empty() {
            true => report.help(format!("write `{written}`")).fix(written),
            false => report.help(format!("say of what: `{written}`")),
        }
    }

    /// Returns the player whose name is meant by one that is close to it: `courrier`, `thieves` for a seat called `thief`.
    pub(super) fn player_near(&self, name: &str) -> Option<String> {
        let locals = self.frame.locals.iter().filter(|local| local.ty == Type::Player && local.name != "me");
        let locals = locals.map(|local| local.name.as_str()).filter(|local| local.len() > 2);
        let known: Vec<&str> = self.game.seats.roles.iter().map(String::as_str).chain(locals).collect();
        let alike = |known: &&&str| {
            let common = known.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
            common >= 4 && common + 2 >= known.chars().count()
        };
        let near = nearest(name, known.iter().copied()).or_else(|| known.iter().find(alike).copied());
        near.map(str::to_string)
    }

    /// Returns advice for a name that is given a value in one part of the file and stands in another, but is declared
    /// nowhere.
    pub(super) fn declared_by_value(&self, name: &str) -> Option<String> {
        let text = &self.source?.text;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let places = || {
            text.match_indices(name).map(|(at, _)| at).filter(|at| {
                let end = at + name.len();
                !text[..*at].ends_with(|c| is_word(c) || c == '.') && !text[end..].starts_with(is_word)
            })
        };
        let value = places().find_map(|at| {
            let line = text[at + name.len()..].lines().next()?.strip_prefix(" := ")?;
            let begins = text[..at].trim_end_matches(' ').ends_with(['\n', '{']);
            begins.then(|| line.split("//").next().unwrap_or("").trim_end_matches([' ', '}']))
        })?;
        // Parts of the file begin at the left edge.
        let part = |at: usize| text[..at].lines().filter(|line| line.starts_with(is_word)).count();
        let parts: std::collections::BTreeSet<usize> = places().map(part).collect();
        if parts.len() < 2 {
            return None;
        }
        let declared = match value {
            "yes" | "no" => format!("{name}: yes or no = no"),
            "me" => format!("{name}: player"),
            value if value.starts_with("seat(") || self.game.seats.roles.iter().any(|role| role == value) => {
                format!("{name}: player")
            }
            value if !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit()) => {
                format!("{name}: int = 0")
            }
            _ => {
                return Some(format!(
                    "what changes during play is declared in `table {{ … }}`, `{name}` with its type and its first value"
                ));
            }
        };
        Some(format!("what changes during play is declared in `table {{ … }}`: `{declared}`"))
    }

    /// Returns advice for a name that looks like a square and is none: `a0`, `A1`.
    pub(super) fn no_square(&self, name: &str) -> Option<String> {
        let grid = self.grid_of(|_| true)?;
        let column = name.chars().next().filter(char::is_ascii_alphabetic)?;
        let row = &name[1..];
        let digits = !row.is_empty() && row.len() < 3 && row.bytes().all(|c| c.is_ascii_digit());
        let small = column.to_ascii_lowercase();
        match row {
            _ if !digits => None,
            "0" => Some(format!("the rows of `{grid}` are counted from 1: `{small}1`")),
            row if column.is_ascii_uppercase() => {
                Some(format!("the columns of `{grid}` are small letters: `{small}{row}`"))
            }
            _ => None,
        }
    }

    /// Reports what is changed but is no piece of state.
    pub(super) fn not_a_place(&mut self, e: &'a ast::Expr, known: &Type) {
        let message = match &e.kind {
            ast::ExprKind::Name(name) => {
                let what = match self.globals.get(name).map(|global| global.kind) {
                    Some(GlobalKind::Table(_)) if self.local(name).is_some() => "is chosen here",
                    _ if self.local(name).is_some() => "names a value",
                    Some(GlobalKind::Option(_)) => "is an option",
                    Some(GlobalKind::Constant(_)) => "is a constant",
                    Some(GlobalKind::Seat(_)) => "is a player",
                    None if self.symbols.contains_key(name) => "is a symbol",
                    None if SquareAt::read(name).is_some() => "names a square",
                    _ => "is a word of the language",
                };
                format!("`{name}` {what} and cannot change")
            }
            _ => "this is a computed value and cannot change".to_string(),
        };
        let report = Diagnostic::new(Code::CannotChange, e.span, message, "not a piece of state");
        let named = match &e.kind {
            ast::ExprKind::Name(name) => self.frame.locals.iter().rev().find(|local| local.name == *name),
            _ => None,
        };
        let named = named.map(|local| local.span).filter(|at| *at != e.span && self.written(*at) != "…");
        let is_me = self.written(e.span) == "me";
        let report = match named.filter(|_| !is_me) {
            Some(at) => report.also(at, "given its value here"),
            None => report,
        };
        let help = self
            .part_of_tuple(e, None)
            .map(|whole| format!("a tuple changes as a whole: `{whole}`"))
            .or_else(|| self.dealt_to_each(e.span, known))
            .or_else(|| self.own_instead(e, known))
            .or_else(|| self.place_in_brackets(e));
        let part = self.part_of_tuple(e, None).is_some();
        let message =
            if part { "a part of a tuple cannot change by itself".into() } else { report.message.clone() };
        let help = help.unwrap_or_else(|| {
            "what changes must be declared in `table { … }` or `each player { … }`".to_string()
        });
        self.report(Diagnostic { message, ..report }.help(help));
    }

    /// `number := number` for `me.number`, `courier := square(1, 1)` for `courier.at`: what a player has is meant.
    fn own_instead(&mut self, e: &'a ast::Expr, known: &Type) -> Option<String> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        let rest = self.source?.text.get(e.span.end..)?.lines().next()?.split("//").next()?;
        let rest = rest.trim_end().trim_end_matches('}').trim_end();
        let changes = [" := ", " += ", " -= ", " ++= "].iter().any(|sign| rest.starts_with(sign));
        if !changes || rest.contains('{') {
            return None;
        }
        if self.fields.contains_key(name) {
            let me = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player)?.name.clone();
            return Some(format!("each player has `{name}`, too: write `{me}.{name}{rest}`"));
        }
        let player = *known == Type::Player;
        let mut own: Vec<&String> = self.fields.keys().filter(|_| player).collect();
        own.sort();
        match own.as_slice() {
            [] => None,
            [one] => Some(format!("what a player has can change: `{name}.{one}{rest}`")),
            _ => {
                let own: Vec<String> = own.iter().map(|own| format!("`{name}.{own}`")).collect();
                Some(format!("what a player has can change: {}", own.join(" or ")))
            }
        }
    }

    /// `value(s) := 0`, where `value` has a place for each s.
    fn place_in_brackets(&self, e: &ast::Expr) -> Option<String> {
        let ast::ExprKind::Call(name, _) = &e.kind else { return None };
        let global = self.globals.get(&name.text)?;
        let places = matches!(global.ty, Type::List(_) | Type::Grid(_) | Type::Map(..));
        let inside = self.written(e.span).strip_prefix(name.text.as_str())?.trim();
        let inside = inside.strip_prefix('(')?.strip_suffix(')')?;
        places.then(|| format!("a place in it is written in square brackets: `{}[{inside}]`", name.text))
    }

    /// Reports `number += named`, where the place that changes stands on the other side. Returns whether it did.
    pub(super) fn sides_exchanged(
        &mut self,
        target: &'a ast::Expr,
        op: Assign,
        value: &'a ast::Expr,
    ) -> bool {
        // What is state on both sides may be meant as it is written.
        let named = match &target.kind {
            ast::ExprKind::Name(name) => self.frame.locals.iter().any(|local| local.name == *name),
            ast::ExprKind::Field(..) | ast::ExprKind::Call(..) => self.place_or_none_quietly(target),
            _ => false,
        };
        if !named {
            return false;
        }
        let reports = self.diagnostics.len();
        let place = self.place_or_none(value);
        let known = self.expr(target, None);
        let fine = self.diagnostics.len() == reports;
        self.diagnostics.truncate(reports);
        let Some((_, ty)) = place.filter(|_| fine && known.ty != Type::Wrong) else { return false };
        let fits = match op {
            Assign::Set => ty.accepts(&known.ty),
            Assign::Add | Assign::Take => collected(&ty).is_some_and(|of| of.accepts(&known.ty)),
            Assign::Join => ty.accepts(&known.ty),
        };
        let (place, value) = (self.written(value.span), self.written(target.span));
        if !fits || place == "…" || value == "…" {
            return false;
        }
        let sign = match op {
            Assign::Set => ":=",
            Assign::Add => "+=",
            Assign::Take => "-=",
            Assign::Join => "++=",
        };
        let what =
            if matches!(target.kind, ast::ExprKind::Name(_)) { "names a value" } else { "is worked out" };
        let message = format!("`{value}` {what} and cannot change");
        let report = Diagnostic::new(Code::CannotChange, target.span, message, "not a piece of state");
        let help = format!("what changes stands in front of the sign: `{place} {sign} {value}`");
        self.report(report.help(help));
        true
    }

    /// Whether something that looks like a place is none.
    fn place_or_none_quietly(&mut self, e: &'a ast::Expr) -> bool {
        let reports = self.diagnostics.len();
        let none = self.place_or_none(e).is_none();
        self.diagnostics.truncate(reports);
        none
    }
}
