//! Options: what values each may have, and its default.

use super::Checker;
use super::certain::{misfit, number};
use super::scope::GlobalKind;
use crate::ast::{self, Item};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Expr, Form, GameOption, Type};
use crate::num::Int;
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn option(&mut self, option: &'a ast::OptionDecl, item: &Item) {
        let Some(written) = &option.ty else {
            let name = &option.name.text;
            let report = Diagnostic::new(
                Code::MissingPart,
                option.name.span,
                format!("the option `{name}` has no type"),
                "`: type` is missing after it",
            );
            // Declare it anyway, so that its uses are no further mistakes.
            let default = if let Some(meant) = type_and_default(&option.default) {
                let between = Span::new(option.name.span.end, option.default.span.start);
                let mut report = report.help(format!(
                    "write the type after `:` and the default after `=`: `option {name}: {meant}`"
                ));
                report.fix = Some(Fix::new(between, ": "));
                self.report(report);
                // The misplaced type declares its symbols.
                if let ast::ExprKind::Compare(ty, _) = &option.default.kind
                    && let ast::ExprKind::Set(all) = &ty.kind
                {
                    for symbol in &all.items {
                        if let ast::ExprKind::Name(name) = &symbol.kind {
                            self.symbol(name);
                        }
                    }
                }
                super::wrong(option.default.span)
            } else {
                self.report(report.help(match &option.default.kind {
                    ast::ExprKind::Binary(ast::BinaryOp::Range, ..) => format!(
                        "write a range after `:` and the default after `=`: `option {name}: 2..9 = 3`"
                    ),
                    default => {
                        let written = self.written(option.default.span);
                        let ty = match default {
                            ast::ExprKind::Bool(_) => "yes or no".to_string(),
                            ast::ExprKind::Number(n) if n.is_negative() => format!("{n}..9"),
                            ast::ExprKind::Number(n) => format!("1..{}", if *n > Int::from(9) { "100" } else { "9" }),
                            _ => "2..9".to_string(),
                        };
                        format!(
                            "say which values it may have: `option {name}: {ty} = {written}`; only a variant gives an inherited option a new default"
                        )
                    }
                }));
                self.expr(&option.default, None)
            };
            let id = self.game.options.len();
            self.global(&option.name, GlobalKind::Option(id), Type::Wrong, true);
            self.game.options.push(GameOption {
                name: option.name.text.clone(),
                form: Form::Wrong,
                default,
                doc: item.doc.clone(),
                span: option.name.span,
            });
            return;
        };
        let form = self.form(written);
        let ty = form.ty();
        let plain = |form: &Form| {
            matches!(
                form,
                Form::Range(..) | Form::AtLeast(_) | Form::Bool | Form::Symbols(_) | Form::Int | Form::Wrong
            )
        };
        if !plain(&form) && !matches!(&form, Form::List(None, of) if plain(of)) {
            self.report(
                Diagnostic::new(
                    Code::BadOption,
                    written.span,
                    "an option is a number, a symbol, yes or no, or a list of these",
                    "too complex for an option",
                )
                .help("write `option n: 2..9 = 4` or `option rule: {strict, loose} = strict`"),
            );
        }
        let default = self.expect(&option.default, &ty);
        self.constant_only(&default, "the default of an option");
        self.option_fits(&option.name.text, written.span, &form, &default);
        let id = self.game.options.len();
        self.global(&option.name, GlobalKind::Option(id), ty, false);
        self.game.options.push(GameOption {
            name: option.name.text.clone(),
            form,
            default,
            doc: item.doc.clone(),
            span: option.name.span,
        });
    }

    /// Checks, as far as the numbers are known, that the range of an option is not empty and contains the
    /// default.
    fn option_fits(&mut self, name: &str, written: Span, form: &Form, default: &Expr) {
        let (low, high) = match form {
            Form::Range(low, high) => (number(low), number(high)),
            Form::AtLeast(low) => (number(low), None),
            _ => return,
        };
        if let (Some(low), Some(high)) = (&low, &high)
            && low > high
        {
            let report = Diagnostic::new(
                Code::BadOption,
                written,
                format!("there are no numbers in {low}..{high}"),
                "it ends before it begins",
            );
            self.report(
                report.help(format!("the smaller number comes first: `option {name}: {high}..{low} = …`")),
            );
            return;
        }
        if let Some(n) = outside(form, default) {
            let message = format!("the option `{name}` cannot be {n}");
            let report = Diagnostic::new(Code::BadOption, default.span, message, "this is its default");
            self.report(
                report
                    .also(written, "these are the numbers it can be")
                    .help("make one of these the default, or widen the range"),
            );
        }
    }
}

/// Returns the number that an expression writes out if an option of this form, as far as its range is known, cannot have
/// it.
pub(super) fn outside(form: &Form, e: &Expr) -> Option<Int> {
    number(e).filter(|n| misfit(n, form).is_some())
}

/// Recognises a type and default written after the `=` of an option: `3 or more = 5`, `2..9 = 4`.
fn type_and_default(e: &ast::Expr) -> Option<String> {
    use ast::{BinaryOp, CompareOp, ExprKind};
    let plain = |e: &ast::Expr| match &e.kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        _ => "…".to_string(),
    };
    let compared = |e: &'_ ast::Expr| match &e.kind {
        ExprKind::Compare(first, links) => match links.as_slice() {
            [(CompareOp::Equal, default)] => Some(((**first).clone(), plain(default))),
            _ => None,
        },
        _ => None,
    };
    match &e.kind {
        // `yes or no = yes` is parsed as `yes or (no = yes)`, and `3 or more = 5` likewise.
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            let (second, default) = compared(right)?;
            let is_type = matches!(&second.kind, ExprKind::Name(word) if word == "more")
                || matches!(second.kind, ExprKind::Bool(_));
            is_type.then(|| format!("{} or {} = {default}", plain(left), plain(&second)))
        }
        _ => {
            let (ty, default) = compared(e)?;
            match &ty.kind {
                ExprKind::Binary(BinaryOp::Range, low, high) => {
                    Some(format!("{}..{} = {default}", plain(low), plain(high)))
                }
                ExprKind::AtLeast(low) => Some(format!("{} or more = {default}", plain(low))),
                ExprKind::Set(all) => {
                    let symbols: Vec<String> = all.items.iter().map(plain).collect();
                    Some(format!("{{{}}} = {default}", symbols.join(", ")))
                }
                _ => None,
            }
        }
    }
}
