//! Values of mixed types, either a symbol or something else: their types, and what tests imply about them.

use std::collections::BTreeSet;

use super::Checker;
use super::expr::{boxed, of};
use super::facts::Fact;
use super::vocabulary;
use crate::ast;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Domain, Expr, ExprKind, Form, Type, Value};
use crate::source::Span;

/// Returns the word that tests whether a mixed value has this type and is no symbol.
fn word_of(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Int => Some("number"),
        Type::Player => Some("player"),
        Type::Square => Some("square"),
        _ => None,
    }
}

/// Returns advice for a mixed value passed where an argument of one of its types is needed.
pub(super) fn test_of_kind(letter: u8, found: &Type) -> Option<&'static str> {
    match found {
        Type::Optional(inner) => test_of_kind(letter, inner),
        Type::Either(_, of) if vocabulary::fits(letter, of) => test_first(of, found),
        _ => None,
    }
}

/// Returns advice for a mixed value used where one of its types is needed.
pub(super) fn test_first(want: &Type, found: &Type) -> Option<&'static str> {
    match found {
        Type::Optional(inner) => test_first(want, inner),
        Type::Either(_, of) if want.accepts(of) => match **of {
            Type::Player => Some("test it with `is player` first"),
            Type::Square => Some("test it with `is square` first"),
            _ => Some("test it with `is number` first"),
        },
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Returns advice for a comparison with the name of a symbol in quotation marks.
    pub(super) fn symbol_in_quotes(&self, left: Span, right: Span) -> Option<String> {
        let quoted = [left, right].map(|side| self.written(side).strip_prefix('"')?.strip_suffix('"'));
        let name = quoted.into_iter().flatten().find(|name| self.symbols.contains_key(*name))?;
        Some(format!("a symbol is written without quotation marks: `{name}`"))
    }

    // ---- types

    /// Resolves `{x, o} or 1..9`: any number of symbols, and at most one other type.
    /// Returns the names of some types if none of them is known: `red or black`.
    fn only_unknown(&self, kinds: &'a [ast::Type]) -> Option<Vec<&'a str>> {
        let unknown = |kind: &'a ast::Type| match &kind.kind {
            ast::TypeKind::Name(name) if !self.is_type_name(&name.text) => Some(name.text.as_str()),
            _ => None,
        };
        kinds.iter().map(unknown).collect()
    }

    pub(super) fn either(&mut self, kinds: &'a [ast::Type], span: Span) -> Form {
        let (none, others): (Vec<&ast::Type>, Vec<&ast::Type>) = kinds
            .iter()
            .partition(|kind| matches!(&kind.kind, ast::TypeKind::Name(name) if name.text == "none"));
        if !none.is_empty() {
            let others: Vec<&str> = others.into_iter().map(|kind| self.written(kind.span)).collect();
            let whole = format!("optional {}", others.join(" or "));
            let message = "a type that allows `none` begins with `optional`";
            let report = Diagnostic::new(Code::UnknownType, span, message, "a value or none");
            let report = report.help(format!("write `{whole}`"));
            self.report(if whole.contains('…') { report } else { report.fix(whole) });
            return Form::Wrong;
        }
        if let Some(names) = self.only_unknown(kinds) {
            let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("there are no types called {}", listed.join(" and "));
            let symbols = format!("{{{}}}", names.join(", "));
            let report = Diagnostic::new(Code::UnknownType, span, message, "not types");
            self.report(report.help(format!("symbols are written in braces: `{symbols}`")).fix(symbols));
            return Form::Wrong;
        }
        let mut symbols = Vec::new();
        let mut other = None;
        for kind in kinds {
            match self.form(kind) {
                Form::Wrong => return Form::Wrong,
                Form::Symbols(ids) => {
                    let new: Vec<usize> = ids.into_iter().filter(|id| !symbols.contains(id)).collect();
                    symbols.extend(new);
                }
                Form::Optional(_) | Form::Either(..) => {
                    self.report(
                        Diagnostic::new(
                            Code::UnknownType,
                            kind.span,
                            "an optional type cannot be one of several types",
                            "this may be none",
                        )
                        .help("put `optional` in front of them all: `optional {x, o} or 1..9`"),
                    );
                    return Form::Wrong;
                }
                form if other.is_none() && word_of(&form.ty()).is_some() => other = Some(form),
                _ => {
                    self.report(
                        Diagnostic::new(
                            Code::UnknownType,
                            span,
                            "these types cannot be combined",
                            "they could not be told apart",
                        )
                        .help("symbols can be combined with numbers, players or squares: `{x, o} or 1..9`"),
                    );
                    return Form::Wrong;
                }
            }
        }
        match (other, symbols.is_empty()) {
            (None, _) => Form::Symbols(symbols),
            (Some(form), true) => form,
            (Some(form), false) => Form::Either(symbols, Box::new(form)),
        }
    }

    /// Returns the common type of all values, or `want` if that is mixed and accepts all of them.
    pub(super) fn common_for<'e>(
        &mut self,
        want: Option<&Type>,
        values: impl Iterator<Item = &'e Expr> + Clone,
    ) -> Type {
        let inner = match want {
            Some(Type::Optional(inner)) => Some(&**inner),
            want => want,
        };
        match (inner, want) {
            (Some(Type::Either(..)), Some(want)) if values.clone().all(|e| want.accepts(&e.ty)) => {
                want.clone()
            }
            _ => self.common(values),
        }
    }

    // ---- tests

    /// Lowers `x is number`, `x is player` and `x is suit`: whether a mixed or optional value is of that
    /// kind.
    pub(super) fn kind_test(&mut self, word: &ast::Name, value: &Expr, span: Span) -> Option<Expr> {
        let word = word.text.as_str();
        let (optional, ty) = match &value.ty {
            Type::Optional(inner) => (true, &**inner),
            ty => (false, ty),
        };
        let not = |e: Expr| of(ExprKind::Not(boxed(e)), Type::Bool, span);
        let among = |ids: &mut dyn Iterator<Item = usize>, none: bool| {
            let none = none.then_some(Value::None);
            let set = Value::set(ids.map(Value::Symbol).chain(none));
            let set = of(ExprKind::Value(set), Type::Set(Box::new(value.ty.clone())), span);
            of(ExprKind::In(boxed(value.clone()), Box::new(Domain::Values(set))), Type::Bool, span)
        };
        match ty {
            Type::Either(ids, other) if word_of(other) == Some(word) => {
                Some(not(among(&mut ids.iter().copied(), optional)))
            }
            Type::Symbol(_)
                if matches!(word, "number" | "player")
                    && !self.defines.iter().any(|d| d.name.text == word) =>
            {
                let found = self.words(&value.ty);
                let message = format!("this is {found}, so never a {word}");
                self.error(Code::TypeMismatch, value.span, message, "no need to test it");
                Some(super::wrong(span))
            }
            Type::Either(..) | Type::Symbol(_) => {
                let kind = self.game.kinds.iter().find(|(kind, _)| kind == word)?.1.clone();
                self.kinds_named.insert(word.to_string());
                Some(among(&mut kind.into_iter(), false))
            }
            ty if optional && word_of(ty) == Some(word) => {
                Some(not(of(ExprKind::IsNone(boxed(value.clone())), Type::Bool, span)))
            }
            // Testing what is already known is allowed.
            ty if word_of(ty) == Some(word) && !self.defines.iter().any(|d| d.name.text == word) => {
                (word != "square" || *ty == Type::Square)
                    .then(|| of(ExprKind::Value(Value::Bool(true)), Type::Bool, span))
            }
            _ => None,
        }
    }

    /// Returns the facts implied by a mixed value being (`holds`) or not being one of some values.
    pub(super) fn kind_facts(&self, value: &Expr, among: &Expr, holds: bool) -> Vec<Fact> {
        let mut symbols = BTreeSet::new();
        let mut add = |one: &Value| match one {
            Value::Symbol(id) => symbols.insert(*id),
            _ => false,
        };
        let all = match &among.kind {
            ExprKind::Value(Value::Set(items)) => {
                items.iter().all(|one| matches!(one, Value::None) || add(one))
            }
            ExprKind::Set(items) | ExprKind::List(items) => items.iter().all(|item| match &item.kind {
                ExprKind::Value(one) => matches!(one, Value::None) || add(one),
                _ => false,
            }),
            ExprKind::Value(one) => add(one),
            _ => false,
        };
        match all && matches!(inner_of(&value.ty), Type::Either(..)) {
            true => vec![Fact::Symbols(value.clone(), symbols, holds)],
            false => Vec::new(),
        }
    }

    /// Returns the type of a value, narrowed by the symbols it is known to be or not to be.
    pub(super) fn known_kind(&mut self, e: &Expr) -> Type {
        let Type::Either(ids, other) = inner_of(&e.ty) else { return e.ty.clone() };
        let (mut ids, mut beside) = (ids.clone(), true);
        for (of, is) in self.known_symbols(e) {
            if is {
                ids.retain(|id| of.contains(id));
                beside = false;
            } else {
                ids.retain(|id| !of.contains(id));
            }
        }
        let known = match (ids.is_empty(), beside) {
            (_, false) => Type::Symbol(ids),
            (true, true) => (**other).clone(),
            (false, true) => Type::Either(ids, other.clone()),
        };
        match &e.ty {
            Type::Optional(_) => Type::Optional(Box::new(known)),
            _ => known,
        }
    }
}

/// Returns the type without `optional`.
fn inner_of(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        ty => ty,
    }
}
