//! Conditional expressions: `if` and `case`.

use std::collections::BTreeSet;

use super::expr::{boxed, of};
use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Compare, Domain, Expr, ExprKind, Fold, FoldKind, Source, Type, Value};
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn if_expr(
        &mut self,
        arms: &'a [(ast::Expr, ast::Expr)],
        otherwise: &'a ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let mark = self.facts.len();
        let mut out = Vec::new();
        for (cond, value) in arms {
            let checked = self.expect(cond, &Type::Bool);
            let inner = self.facts.len();
            self.assume(&checked, true);
            let value = self.expr(value, want);
            self.facts.truncate(inner);
            self.assume(&checked, false);
            out.push((checked, value));
        }
        let otherwise = self.expr(otherwise, want);
        self.facts.truncate(mark);
        let ty = self.common_for(want, out.iter().map(|(_, value)| value).chain([&otherwise]));
        of(ExprKind::If(out, boxed(otherwise)), ty, span)
    }

    /// Returns the common type of all values; reports an error if there is none.
    pub(super) fn common<'e>(&mut self, values: impl Iterator<Item = &'e Expr>) -> Type {
        let mut ty = Type::Never;
        for value in values {
            match ty.join(&value.ty) {
                Some(joined) => ty = joined,
                None => {
                    let (x, y) = (self.words(&ty), self.words(&value.ty));
                    self.error(
                        Code::NoCommonType,
                        value.span,
                        format!("these values have no common type: {x}, then {y}"),
                        format!("this is {y}"),
                    );
                    return Type::Wrong;
                }
            }
        }
        ty
    }

    pub(super) fn case(
        &mut self,
        subject: &'a ast::Expr,
        arms: &'a [(Vec<ast::Expr>, ast::Expr)],
        otherwise: Option<&'a ast::Expr>,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let subject = self.expr(subject, None);
        let slot = self.frame.slot();
        let local = of(ExprKind::Local(slot), subject.ty.clone(), subject.span);
        let mark = self.facts.len();
        self.assume_value(&[slot], &subject);
        let mut out = Vec::new();
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        for (labels, value) in arms {
            let mut cond: Option<Expr> = None;
            for label in labels {
                let label = self.expr(label, Some(&subject.ty));
                self.comparable(Compare::Equal, &subject.ty, subject.span, &label);
                if let ExprKind::Value(Value::Symbol(id)) = label.kind
                    && !covered.insert(id)
                {
                    self.error(Code::DuplicateName, label.span, "this case is given twice", "never reached");
                }
                let at = label.span;
                let test = of(
                    ExprKind::Compare(boxed(local.clone()), vec![(Compare::Equal, label)]),
                    Type::Bool,
                    at,
                );
                cond = Some(match cond {
                    None => test,
                    Some(before) => of(ExprKind::Or(boxed(before), boxed(test)), Type::Bool, at),
                });
            }
            let inner = self.facts.len();
            cond.iter().for_each(|cond| self.assume(cond, true));
            let value = self.expr(value, want);
            self.facts.truncate(inner);
            if let Some(cond) = cond {
                self.assume(&cond, false);
                out.push((cond, value));
            }
        }
        let last = match (otherwise, &subject.ty) {
            (Some(value), _) => self.expr(value, want),
            (None, Type::Symbol(ids)) if ids.is_subset(&covered) => match out.pop() {
                Some((_, value)) => value,
                None => wrong(span),
            },
            (None, Type::Wrong) => wrong(span),
            (None, ty) => {
                let missing: Vec<String> = match ty {
                    Type::Symbol(ids) => {
                        ids.difference(&covered).map(|id| format!("`{}`", self.game.symbols[*id])).collect()
                    }
                    _ => vec!["all values".to_string()],
                };
                self.report(
                    Diagnostic::new(
                        Code::MissingCase,
                        subject.span,
                        format!("this `case` does not cover {}", missing.join(", ")),
                        match ty {
                            Type::Symbol(_) => "it can be that too",
                            _ => "it can be anything else too",
                        },
                    )
                    .help("add a case for every value, or end with `else: …`"),
                );
                return wrong(span);
            }
        };
        self.facts.truncate(mark);
        let ty = self.common_for(want, out.iter().map(|(_, value)| value).chain([&last]));
        let body = of(ExprKind::If(out, boxed(last)), ty.clone(), span);
        // Evaluates the subject once: `first(s in [subject]: body)`.
        let list = Type::List(Box::new(subject.ty.clone()));
        let at = subject.span;
        let one = Domain::Values(of(ExprKind::List(vec![subject]), list, at));
        let sources = vec![Source { slots: vec![slot], domain: one }];
        let fold = Fold { kind: FoldKind::First, sources, filter: None, stop: None, body };
        of(ExprKind::Fold(Box::new(fold)), ty, span)
    }
}
