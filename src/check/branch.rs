//! Conditional expressions: `if` and `case`.

use super::covered::{LeftOut, in_words};
use super::domain::joined_by_or;
use super::expr::{boxed, of};
use super::terms::same;
use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Compare, Domain, Expr, ExprKind, Fold, FoldKind, Source, Type};
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
        let mut given: Vec<Expr> = Vec::new();
        for (labels, value) in arms {
            let mut cond: Option<Expr> = None;
            for label in labels {
                if self.either_label(label, &subject.ty) {
                    cond.get_or_insert_with(|| wrong(label.span));
                    continue;
                }
                let label = self.expr(label, Some(&subject.ty));
                if self.several_labels(&label, &subject) {
                    cond.get_or_insert_with(|| wrong(label.span));
                    continue;
                }
                self.comparable(Compare::Equal, &subject.ty, subject.span, &label);
                let plain = matches!(label.kind, ExprKind::Value(_) | ExprKind::Negative(_));
                if plain && given.iter().any(|before| same(&self.game, before, &label)) {
                    self.error(Code::DuplicateName, label.span, "this case is given twice", "never reached");
                }
                given.push(label.clone());
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
            (None, Type::Wrong) => wrong(span),
            // A case that cannot be read may be the missing one.
            (None, _) if let Some(unknown) = given.iter().find(|label| label.ty == Type::Wrong) => {
                self.suggest_case(unknown.span, &subject, &given);
                wrong(span)
            }
            (None, _) => match (self.left_out(&subject, &given), out.pop()) {
                (LeftOut::These(missing), Some((_, value))) if missing.is_empty() => value,
                (left_out, _) => {
                    self.report(missing_case(&subject, left_out));
                    return wrong(span);
                }
            },
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

impl<'a> Checker<'a> {
    /// Reports the values of a case that are joined by `or`: `1 or 2: 3`. Returns whether it did.
    fn either_label(&mut self, label: &'a ast::Expr, subject: &Type) -> bool {
        let mut values = Vec::new();
        joined_by_or(label, &mut values);
        if values.len() < 2 || matches!(subject, Type::Bool | Type::Wrong) {
            return false;
        }
        let texts: Vec<&str> = values.iter().map(|value| self.written(value.span)).collect();
        let written = texts.join(", ");
        let message = "the values of a case are separated by commas";
        let report = Diagnostic::new(Code::TypeMismatch, label.span, message, "`or` joins conditions");
        let report = report.help(format!("write `{written}: …`"));
        self.report(if written.contains('…') { report } else { report.fix(written) });
        true
    }

    /// Adds to the report of a case with an unknown name which cases are missing.
    fn suggest_case(&mut self, unknown: Span, subject: &Expr, given: &[Expr]) {
        let known: Vec<Expr> = given.iter().filter(|label| label.ty != Type::Wrong).cloned().collect();
        let LeftOut::These(missing) = self.left_out(subject, &known) else { return };
        let Some(report) = self.diagnostics.iter_mut().find(|d| d.span() == unknown) else { return };
        report.help = Some(match missing.as_slice() {
            [] => "each case is there without it".to_string(),
            [one] => format!("the case that is missing is `{one}`", one = one.trim_matches('`')),
            _ => format!("the cases that are missing are {}", in_words(&missing, "and")),
        });
        report.fix = None;
    }

    /// Reports a collection of values where the values of a case are listed: `1..3: 3`. Returns whether it did.
    fn several_labels(&mut self, label: &Expr, subject: &Expr) -> bool {
        let several =
            label.ty.element().is_some_and(|of| of != Type::Never && of.join(&subject.ty).is_some());
        if !several || label.ty.join(&subject.ty).is_some() {
            return false;
        }
        let (text, whole) = (self.written(subject.span), self.written(label.span));
        let mut help = format!("`if {text} in {whole} then … else …` asks whether it is one of them");
        let ends = whole.split_once("..").map(|(low, high)| (low.parse::<i64>(), high.parse::<i64>()));
        let few = match ends {
            Some((Ok(low), Ok(high))) if low <= high && high - low < 12 => {
                let all: Vec<String> = (low..=high).map(|n| n.to_string()).collect();
                Some(all.join(", "))
            }
            _ => None,
        };
        if let Some(few) = &few {
            help = format!("write `{few}: …`; {help}");
        }
        let message = "the values of a case are listed one by one";
        let report = Diagnostic::new(Code::TypeMismatch, label.span, message, "these are several").help(help);
        self.report(match few {
            Some(few) => report.fix(few),
            None => report,
        });
        true
    }
}

/// Returns a report for a `case` without `else` that leaves something out.
fn missing_case(subject: &Expr, left_out: LeftOut) -> Diagnostic {
    let (message, label) = match left_out {
        LeftOut::These(missing) if !missing.is_empty() => {
            let have = if missing.len() == 1 && !missing[0].contains("..") { "has" } else { "have" };
            let too = format!("it can be {} too", in_words(&missing, "or"));
            (format!("{} {have} no case", in_words(&missing, "and")), too)
        }
        _ if subject.ty == Type::Int => (
            "this `case` does not cover all numbers".to_string(),
            "it can be any other number too".to_string(),
        ),
        _ => ("this `case` does not cover all values".to_string(), "it can be anything else too".to_string()),
    };
    let report = Diagnostic::new(Code::MissingCase, subject.span, message, label);
    report.help("add a case for every value, or end with `else: …`")
}
