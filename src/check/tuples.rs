//! Tuples: their types, whose parts may have names, the kinds of tuples, and the parts of values.

use std::sync::Arc;

use super::{Checker, wrong};
use crate::ast::{self, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Domain, Expr, ExprKind, Fold, FoldKind, Form, PartNames, Source, TupleParts, Type, Value};
use crate::source::Span;

/// A kind of tuples: `kind card: (suit: suit, rank: 1..9)`.
pub(super) struct TupleKind<'a> {
    pub name: &'a ast::Name,
    parts: &'a [ast::TuplePart],
    resolved: Resolved,
}

/// How far the type of a kind is resolved: it may name kinds and options that are declared further down.
enum Resolved {
    Not,
    InProgress,
    As(Form),
}

impl<'a> Checker<'a> {
    // ---- types

    /// Declares a kind of tuples; symbols in the types of its parts are collected like others.
    pub(super) fn declare_tuples(&mut self, name: &'a ast::Name, ty: &'a ast::Type) {
        if let TypeKind::Tuple(parts) = &ty.kind {
            self.type_symbols(ty);
            self.tuple_kinds.push(TupleKind { name, parts, resolved: Resolved::Not });
        }
    }

    /// Whether a kind of tuples is called so.
    pub(super) fn is_kind_of_tuples(&self, name: &str) -> bool {
        self.tuple_kinds.iter().any(|kind| kind.name.text == name)
    }

    /// Returns the names of all kinds, of symbols and of tuples.
    pub(super) fn kinds(&self) -> Vec<String> {
        let symbols = self.game.kinds.iter().map(|(kind, _)| kind);
        symbols.chain(self.tuple_kinds.iter().map(|kind| &kind.name.text)).cloned().collect()
    }

    /// Says what `every` goes through for a kind.
    pub(super) fn elements_of_kind(&self, name: &str) -> &'static str {
        if self.is_kind_of_tuples(name) { "all of them" } else { "its symbols" }
    }

    /// Returns the form of a kind of tuples that is named at a place, if there is one of this name.
    pub(super) fn form_of_kind(&mut self, name: &ast::Name) -> Option<Form> {
        let at = self.tuple_kinds.iter().position(|kind| kind.name.text == name.text)?;
        self.kinds_named.insert(name.text.clone());
        match &self.tuple_kinds[at].resolved {
            Resolved::As(form) => return Some(form.clone()),
            Resolved::InProgress => {
                let message = format!("`{}` cannot be a part of itself", name.text);
                self.error(Code::UnknownType, name.span, message, "this would have no end");
                return Some(Form::Wrong);
            }
            Resolved::Not => {}
        }
        self.tuple_kinds[at].resolved = Resolved::InProgress;
        let form = self.tuple_form(self.tuple_kinds[at].parts, Some(name.text.clone()));
        self.tuple_kinds[at].resolved = Resolved::As(form.clone());
        Some(form)
    }

    /// Checks the kinds of tuples that nothing names.
    pub(super) fn check_kinds(&mut self) {
        for at in 0..self.tuple_kinds.len() {
            let kind = &self.tuple_kinds[at];
            if matches!(kind.resolved, Resolved::Not) {
                self.tuple_form(kind.parts, None);
            }
        }
    }

    /// Returns the form of a tuple with these parts; `kind` is the name of its kind, if it is declared as one.
    pub(super) fn tuple_form(&mut self, parts: &'a [ast::TuplePart], kind: Option<String>) -> Form {
        for (at, part) in parts.iter().enumerate() {
            let earlier = parts[..at].iter().filter_map(|part| part.name.as_ref());
            if let Some(name) = &part.name
                && let Some(first) = earlier.into_iter().find(|earlier| earlier.text == name.text)
            {
                self.duplicate(name, first.span);
            }
        }
        let forms: TupleParts<Form> = parts.iter().map(|part| self.form(&part.ty)).collect();
        let named = kind.is_some() || parts.iter().any(|part| part.name.is_some());
        let names = named.then(|| {
            let parts = parts.iter().map(|part| part.name.as_ref().map(|name| name.text.clone())).collect();
            Arc::new(PartNames { kind, parts })
        });
        Form::Tuple(forms.called(names))
    }

    // ---- `every card`

    /// Returns the domain `every card` of a kind of tuples, and the type of its elements; `None` if no such kind
    /// is called so.
    pub(super) fn every_tuple(&mut self, name: &ast::Name) -> Option<(Domain, Type)> {
        let form = self.form_of_kind(name)?;
        let domain = match self.all_values(&form, name.span) {
            Ok(domain) => domain,
            Err(part) => {
                if !matches!(form, Form::Wrong) && !part.is_empty() {
                    let message = format!("`every {}` would have no end, or cannot be listed", name.text);
                    let report =
                        Diagnostic::new(Code::Unbounded, name.span, message, format!("it has {part}"));
                    self.report(report.help(
                        "the parts of what is gone through are ranges, symbols, `yes or no`, players, or tuples of these",
                    ));
                }
                Domain::Values(wrong(name.span))
            }
        };
        Some((domain, form.ty()))
    }

    /// Returns the set of all tuples of a kind.
    pub(super) fn every_tuple_as_set(&mut self, name: &ast::Name, span: Span) -> Option<Expr> {
        let (domain, ty) = self.every_tuple(name)?;
        if matches!(&domain, Domain::Values(_)) {
            return Some(wrong(span));
        }
        let slot = self.frame.slot();
        let body = Expr { kind: ExprKind::Local(slot), ty: ty.clone(), span };
        let sources = vec![Source { slots: vec![slot], domain }];
        let fold = Fold { kind: FoldKind::Set, sources, filter: None, stop: None, body };
        Some(Expr { kind: ExprKind::Fold(Box::new(fold)), ty: Type::Set(Box::new(ty)), span })
    }

    /// Returns all values of a form; otherwise what it has that cannot be listed, in words.
    fn all_values(&self, form: &Form, span: Span) -> Result<Domain, String> {
        let values = |kind: ExprKind| Domain::Values(Expr { kind, ty: Type::Set(Box::new(form.ty())), span });
        let set = |all: Vec<Value>| values(ExprKind::Value(Value::set(all)));
        Ok(match form {
            Form::Range(low, high) => Domain::Range((**low).clone(), (**high).clone()),
            Form::Bool => set(vec![Value::Bool(true), Value::Bool(false)]),
            Form::Symbols(ids) => set(ids.iter().map(|id| Value::Symbol(*id)).collect()),
            Form::Player => {
                let ty = Type::List(Box::new(Type::Player));
                Domain::Values(Expr { kind: ExprKind::Players, ty, span })
            }
            Form::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.all_values(part, span));
                Domain::Tuples(parts.collect::<Result<_, _>>()?)
            }
            Form::Wrong => return Err(String::new()),
            other => return Err(self.words(&other.ty())),
        })
    }

    // ---- parts

    /// Returns the part `.rank` or `.2` of a tuple.
    pub(super) fn part_of(&mut self, base: Expr, field: &ast::Name, span: Span) -> Expr {
        let Type::Tuple(parts) = &base.ty else { return wrong(span) };
        match place_of(parts, &field.text) {
            Some(at) => {
                let ty = parts[at].clone();
                Expr { kind: ExprKind::Part(Box::new(base), at), ty, span }
            }
            None => {
                self.unknown_part(base.span, field, &parts.clone());
                wrong(span)
            }
        }
    }

    /// Reports a part that a tuple does not have: `card.suit`.
    fn unknown_part(&mut self, base: Span, field: &ast::Name, parts: &TupleParts<Type>) {
        let (name, count) = (field.text.as_str(), parts.len());
        let whole = match parts.kind() {
            Some(kind) => format!("a {}", kind.replace('_', " ")),
            None => format!("a tuple of {count}"),
        };
        let message = format!("{whole} has no part `{name}`");
        let each = parts.iter().enumerate();
        let each: Vec<String> =
            each.map(|(i, ty)| format!("`.{}` is {}", parts.label(i), self.words(ty))).collect();
        let names: Vec<&str> = (0..count).filter_map(|at| parts.name(at)).collect();
        if !names.is_empty() {
            let report = Diagnostic::new(Code::UnknownField, field.span, message, "not a part of it");
            let meant = self.part_called(name, parts).and_then(|at| parts.name(at));
            let report = match meant {
                Some(part) => report.help(each.join(", ")).likely_fix(part),
                None => report.suggest(name, names),
            };
            let report = if report.help.is_none() { report.help(each.join(", ")) } else { report };
            return self.report(report);
        }
        let label = format!("its parts are `.1` to `.{count}`");
        let report = Diagnostic::new(Code::UnknownField, field.span, message, label);
        self.report(match self.part_called(name, parts) {
            Some(at) => {
                let base = self.written(base);
                let help = format!(
                    "write `{base}.{}`, or name the parts where the type is declared, `({name}: …)`; {}",
                    at + 1,
                    each.join(", ")
                );
                report.help(help).likely_fix((at + 1).to_string())
            }
            None => report.help(each.join(", ")),
        });
    }

    /// Returns the 0-based place of the only part of a tuple that can be called so.
    fn part_called(&self, name: &str, parts: &[Type]) -> Option<usize> {
        const NUMBERS: &[&str] =
            &["number", "rank", "value", "worth", "points", "amount", "count", "size", "price"];
        const PLAYERS: &[&str] = &["player", "owner", "who", "seat"];
        let kind = self.game.kinds.iter().find(|(kind, _)| kind == name).map(|(_, ids)| ids);
        let fits = |ty: &Type| match ty {
            Type::Symbol(of) => kind.is_some_and(|ids| ids.iter().all(|id| of.contains(id))),
            Type::Int => NUMBERS.contains(&name),
            Type::Player => PLAYERS.contains(&name),
            Type::Square => matches!(name, "square" | "at" | "place"),
            _ => false,
        };
        let mut found = parts.iter().enumerate().filter(|(_, ty)| fits(ty));
        let (at, _) = found.next()?;
        found.next().is_none().then_some(at)
    }
}

/// Returns the 0-based place of a part by its name or its number, from 1.
pub(super) fn place_of(parts: &TupleParts<Type>, written: &str) -> Option<usize> {
    let by_number = || written.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < parts.len());
    parts.called_so(written).or_else(by_number)
}
