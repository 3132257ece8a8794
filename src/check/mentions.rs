//! Which names an expression mentions, syntactically, before names are resolved.

use super::Checker;
use crate::ast::{Expr, ExprKind, Inside, TextPart};

impl Checker<'_> {
    /// Marks the functions that mention `me`, directly or through other functions.
    pub(super) fn find_me(&mut self) {
        loop {
            let needs_me: Vec<&str> =
                self.defines.iter().filter(|d| d.needs_me).map(|d| d.name.text.as_str()).collect();
            let more: Vec<usize> = (0..self.defines.len())
                .filter(|at| {
                    let define = &self.defines[*at];
                    !define.needs_me
                        && !define.params.iter().any(|param| param.text == "me")
                        && mentions(define.body, &mut |name, called| {
                            if called { needs_me.contains(&name) } else { name == "me" }
                        })
                })
                .collect();
            if more.is_empty() {
                return;
            }
            more.into_iter().for_each(|at| self.defines[at].needs_me = true);
        }
    }
}

/// Whether an expression mentions a name that `is` accepts; the second argument of `is` is whether it is
/// called.
pub(super) fn mentions(e: &Expr, is: &mut impl FnMut(&str, bool) -> bool) -> bool {
    let inside = |inside: &Inside, is: &mut _| {
        let tail = [&inside.filter, &inside.stop, &inside.body].into_iter().flatten().map(|e| &**e);
        inside.items.iter().chain(tail).any(|e| mentions(e, is))
    };
    match &e.kind {
        ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Every(_)
        | ExprKind::Board(_)
        | ExprKind::Wrong => false,
        ExprKind::Name(name) => is(name, false),
        ExprKind::Text(parts) => parts.iter().any(|part| match part {
            TextPart::Chars(_) => false,
            TextPart::Filled(value) => mentions(value, is),
        }),
        ExprKind::Call(name, args) => is(&name.text, true) || inside(args, is),
        ExprKind::List(args) | ExprKind::Set(args) => inside(args, is),
        ExprKind::Tuple(values) => values.iter().any(|e| mentions(e, is)),
        ExprKind::Index(base, at) => mentions(base, is) || at.iter().any(|e| mentions(e, is)),
        ExprKind::Is(a, _, test) => {
            matches!(test, crate::ast::IsTest::Predicate(name) if is(&name.text, true)) || mentions(a, is)
        }
        ExprKind::Field(a, _) | ExprKind::Not(a) | ExprKind::Negative(a) | ExprKind::AtLeast(a) => {
            mentions(a, is)
        }
        ExprKind::Binary(_, a, b) => mentions(a, is) || mentions(b, is),
        ExprKind::Compare(a, links) => mentions(a, is) || links.iter().any(|(_, e)| mentions(e, is)),
        ExprKind::With(a, at, b) => mentions(a, is) || at.iter().any(|e| mentions(e, is)) || mentions(b, is),
        ExprKind::If(arms, otherwise) => {
            arms.iter().any(|(c, v)| mentions(c, is) || mentions(v, is)) || mentions(otherwise, is)
        }
        ExprKind::Case(subject, arms, otherwise) => {
            mentions(subject, is)
                || arms.iter().any(|(values, v)| values.iter().any(|e| mentions(e, is)) || mentions(v, is))
                || otherwise.as_ref().is_some_and(|e| mentions(e, is))
        }
    }
}
