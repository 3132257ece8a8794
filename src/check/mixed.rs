//! Values of two kinds, symbols or something else: their types, and what a test says of them.

use super::Checker;
use super::domain::written;
use super::expr::{boxed, of};
use crate::ast::{self, CompareOp, IsTest};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Domain, Expr, ExprKind, Form, Type, Value};
use crate::source::Span;

/// The word that asks whether a value is of this type and no symbol.
fn word_of(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Int => Some("number"),
        Type::Player => Some("player"),
        Type::Square => Some("square"),
        _ => None,
    }
}

/// What to do about a value of two kinds where one of them is needed.
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
    // ---- types

    /// `{x, o} or 1..9`: symbols go together, and one kind of anything else may stand beside them.
    pub(super) fn either(&mut self, kinds: &'a [ast::Type], span: Span) -> Form {
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
                            "a kind of value that is optional cannot stand beside others",
                            "this may be none",
                        )
                        .help("`optional` stands before all of them: `optional {x, o} or 1..9`"),
                    );
                    return Form::Wrong;
                }
                form if other.is_none() && word_of(&form.ty()).is_some() => other = Some(form),
                _ => {
                    self.report(
                        Diagnostic::new(
                            Code::UnknownType,
                            span,
                            "these kinds of values cannot stand side by side",
                            "they could not be told apart",
                        )
                        .help("beside symbols, numbers, players or squares may stand: `{x, o} or 1..9`"),
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

    /// The type that covers all values; that of the place, where it holds values of two kinds and all of these.
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

    /// `x is number`, `x is player`, `x is suit`: whether a value is of that kind, where it may be of another or none.
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
                let message = format!("this is {found}, and never a {word}");
                self.error(Code::TypeMismatch, value.span, message, "known here");
                Some(super::wrong(span))
            }
            Type::Either(..) | Type::Symbol(_) => {
                let kind = self.game.kinds.iter().find(|(kind, _)| kind == word)?.1.clone();
                Some(among(&mut kind.into_iter(), false))
            }
            ty if optional && word_of(ty) == Some(word) => {
                Some(not(of(ExprKind::IsNone(boxed(value.clone())), Type::Bool, span)))
            }
            // Asking again about what is known is fine.
            ty if word_of(ty) == Some(word) && !self.defines.iter().any(|d| d.name.text == word) => {
                (word != "square" || *ty == Type::Square)
                    .then(|| of(ExprKind::Value(Value::Bool(true)), Type::Bool, span))
            }
            _ => None,
        }
    }

    /// Learns from a condition which kind of value stands somewhere. What is known is kept as it is written: `b[s] = x`,
    /// `b[s] != x`, `b[s] is number`, `b[s] is not number`.
    pub(super) fn assume_kind(&mut self, cond: &ast::Expr, holds: bool) {
        match &cond.kind {
            ast::ExprKind::Is(subject, negated, IsTest::Predicate(word)) => {
                let is = if *negated == holds { "is not" } else { "is" };
                self.facts.extend(written(subject).map(|key| format!("{key} {is} {}", word.text)));
            }
            ast::ExprKind::Compare(first, links) => {
                let [(op, value)] = links.as_slice() else { return };
                let equal = match op {
                    CompareOp::Equal | CompareOp::In => holds,
                    CompareOp::NotEqual | CompareOp::NotIn => !holds,
                    _ => return,
                };
                let sides = match (op, &value.kind) {
                    (CompareOp::Equal | CompareOp::NotEqual, _) => vec![(&**first, value), (value, &**first)],
                    (_, ast::ExprKind::Set(inside) | ast::ExprKind::List(inside))
                        if !inside.has_tail() && (!equal || inside.items.len() == 1) =>
                    {
                        inside.items.iter().map(|item| (&**first, item)).collect()
                    }
                    _ => return,
                };
                let sign = if equal { "=" } else { "!=" };
                for (place, value) in sides {
                    if let (Some(key), ast::ExprKind::Name(name)) = (written(place), &value.kind) {
                        self.facts.push(format!("{key} {sign} {name}"));
                    }
                }
            }
            _ => {}
        }
    }

    /// What a value of a type is, by what is known of the place where it stands.
    pub(super) fn known_kind(&self, key: &str, mut ty: Type) -> Type {
        let symbol = |name: &str| self.symbols.get(name).copied();
        for fact in &self.facts {
            let Some((sign, word)) = fact
                .strip_prefix(key)
                .and_then(|rest| rest.strip_prefix(' '))
                .and_then(|rest| rest.rsplit_once(' '))
            else {
                continue;
            };
            let (optional, inner) = match &ty {
                Type::Optional(inner) => (true, &**inner),
                ty => (false, ty),
            };
            let known = match (inner, sign) {
                (Type::Either(_, other), "is") if word_of(other) == Some(word) => (**other).clone(),
                (ty, "is") if optional && word_of(ty) == Some(word) => ty.clone(),
                (Type::Either(ids, other), "is not") if word_of(other) == Some(word) => {
                    let symbols = Type::Symbol(ids.clone());
                    if optional { Type::Optional(Box::new(symbols)) } else { symbols }
                }
                (Type::Either(ids, _), "=") => match symbol(word).filter(|id| ids.contains(id)) {
                    Some(id) => Type::Symbol([id].into()),
                    None => continue,
                },
                (Type::Either(ids, other), "!=") => {
                    let left = ids
                        .iter()
                        .copied()
                        .filter(|id| symbol(word) != Some(*id))
                        .collect::<std::collections::BTreeSet<_>>();
                    let left =
                        if left.is_empty() { (**other).clone() } else { Type::Either(left, other.clone()) };
                    if optional { Type::Optional(Box::new(left)) } else { left }
                }
                _ => continue,
            };
            ty = known;
        }
        ty
    }
}
