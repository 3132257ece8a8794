//! Lists, sets and bags that are put together, compared or reduced where signs of numbers or words of conditions are
//! written, and collections whose only element is another one: `tiles - k`, `tiles and row`, `{1..9}`.

use super::Checker;
use super::advice::{collected, empty_value};
use crate::ast::{self, BinaryOp};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Expr, ExprKind, Type};
use crate::source::Span;

/// Returns the function that makes a collection of the kind of this type.
fn maker(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::List(_) => Some("list"),
        Type::Set(_) => Some("set"),
        Type::Bag(_) => Some("bag"),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Reports an empty collection that is written as one of another kind, as in `row := {}`. Returns whether
    /// it did.
    pub(super) fn empty_of_another_kind(&mut self, found: &Expr, want: &Type) -> bool {
        let (ExprKind::List(parts) | ExprKind::Set(parts)) = &found.kind else { return false };
        let kind = match want {
            Type::List(_) => "list",
            Type::Set(_) => "set",
            Type::Bag(_) => "bag",
            _ => return false,
        };
        let Some(written) = empty_value(want).filter(|_| parts.is_empty()) else { return false };
        let (ty, want) = (self.words(&found.ty), self.words(want));
        let message = format!("this is {ty}, not {want}");
        self.report(
            Diagnostic::new(Code::TypeMismatch, found.span, message, format!("{want} is needed"))
                .help(format!("an empty {kind} is written `{written}`"))
                .fix(written),
        );
        true
    }

    /// Returns how a collection is written as one of the kind of `kind`.
    fn as_kind(&self, kind: &Type, found: &Expr) -> Option<String> {
        let (make, text) = (maker(kind)?, self.written(found.span));
        let inside = || text.get(1..text.len() - 1).unwrap_or("");
        Some(match (&found.kind, kind) {
            _ if maker(&found.ty) == Some(make) => text.to_string(),
            (ExprKind::List(_), Type::Set(_)) if text.starts_with('[') => format!("{{{}}}", inside()),
            (ExprKind::Set(_), Type::List(_)) if text.starts_with('{') => format!("[{}]", inside()),
            _ => format!("{make}({text})"),
        })
    }

    /// Returns how a function of two collections of one kind is called with these two.
    fn called_with(&self, function: &str, a: &Expr, b: &Expr) -> Option<String> {
        let kind = match (&a.ty, &b.ty) {
            // What is left of a collection is of its kind.
            (first, _) if function == "without" => first,
            (set @ Type::Set(_), _) | (_, set @ Type::Set(_)) => set,
            (bag @ Type::Bag(_), _) | (_, bag @ Type::Bag(_)) => bag,
            (first, _) => first,
        };
        Some(format!("{function}({}, {})", self.as_kind(kind, a)?, self.as_kind(kind, b)?))
    }

    /// Says what `++` joins, and how an element is joined to a collection.
    pub(super) fn joined_as_collections(&self, a: &Expr, b: &Expr) -> String {
        let (first, other) = (self.written(a.span), self.written(b.span));
        let is_element = |of: &Type, one: &Type| collected(of).is_some_and(|of| of.accepts(one));
        let alone = |kind: &Type, text: &str| match kind {
            Type::Set(_) => format!("{{{text}}}"),
            Type::Bag(_) => format!("bag([{text}])"),
            _ => format!("[{text}]"),
        };
        match () {
            () if is_element(&b.ty, &a.ty) => {
                format!("a single element needs brackets: `{} ++ {other}`", alone(&b.ty, first))
            }
            () if is_element(&a.ty, &b.ty) => {
                format!("a single element needs brackets: `{first} ++ {}`", alone(&a.ty, other))
            }
            () => "`++` joins two lists, two sets or two bags".to_string(),
        }
    }

    /// Returns advice for a function that takes two collections of one kind, given two of different kinds.
    pub(super) fn of_one_kind_each(&self, function: &str, a: &Expr, b: &Expr) -> Option<String> {
        collected(&a.ty)?.join(collected(&b.ty)?)?;
        if maker(&a.ty) == maker(&b.ty) {
            return None;
        }
        Some(format!("both must be of one kind: `{}`", self.called_with(function, a, b)?))
    }

    /// Returns what is left of a collection without another one (`whole`) or without an element, and the correction of their
    /// difference.
    pub(super) fn left_of(&self, a: &Expr, b: &Expr, whole: bool) -> Option<(String, Option<Fix>)> {
        let (first, other) = (self.written(a.span), self.written(b.span));
        let (written, statement) = match (&a.ty, whole) {
            (_, true) => (self.called_with("without", a, b)?, String::new()),
            (ty, false) => {
                let one = match ty {
                    Type::Set(_) => format!("{{{other}}}"),
                    Type::Bag(_) => format!("bag([{other}])"),
                    _ => format!("[{other}]"),
                };
                // Only what has a place of its own can be taken from.
                let is_place = first.chars().all(|c| c.is_alphanumeric() || "_.[] ".contains(c));
                let statement = match is_place && !first.starts_with('[') {
                    true => format!("; the statement `{first} -= {other}` takes it out"),
                    false => String::new(),
                };
                (format!("without({first}, {one})"), statement)
            }
        };
        let text = self.source.map_or("", |source| &*source.text);
        let between = text.get(a.span.end..b.span.start).unwrap_or("").trim();
        // A bracket around one of them is not in its span.
        let plain = !between.contains(['(', ')']) && !written.contains('…');
        let fix = plain.then(|| Fix::new(a.span.to(b.span), written.clone()));
        Some((format!("`{written}` is what is left{statement}"), fix))
    }

    /// Returns how players are written who are listed by their numbers: `{1, 3}`.
    pub(super) fn seats_with_numbers(&self, found: &Expr) -> Option<String> {
        let (ExprKind::List(parts) | ExprKind::Set(parts)) = &found.kind else { return None };
        let seats: Vec<String> =
            parts.iter().map(|part| format!("seat({})", self.written(part.span))).collect();
        Some(format!("players are not numbers: write `[{}]`", seats.join(", ")))
    }

    /// Reports `tiles and row` as what is gone through, and `tiles and k > 3`. Returns whether it did.
    pub(super) fn joined_domains(&mut self, domain: &'a ast::Expr) -> bool {
        let (mut first, mut second) = match &domain.kind {
            ast::ExprKind::Binary(BinaryOp::And, a, b) => (&**a, &**b),
            _ => return false,
        };
        while let ast::ExprKind::Binary(BinaryOp::And, a, b) = &first.kind {
            (first, second) = (a, b);
        }
        let reports = self.diagnostics.len();
        let a = self.expr(first, None);
        let Some(of) = collected(&a.ty).filter(|of| **of != Type::Wrong && self.diagnostics.len() == reports)
        else {
            self.diagnostics.truncate(reports);
            return false;
        };
        // A condition may be about what is not named yet.
        let tests =
            matches!(second.kind, ast::ExprKind::Compare(..) | ast::ExprKind::Is(..) | ast::ExprKind::Not(_));
        let b = if tests { None } else { Some(self.expr(second, None)) };
        self.diagnostics.truncate(reports);
        let joins = |b: &Expr| collected(&b.ty).is_some_and(|other| of.join(other).is_some());
        let message = "`and` joins conditions, and this is something to choose from";
        match b.filter(joins) {
            Some(b) => {
                let Some(written) = self.called_with("common", &a, &b) else { return false };
                let either = self.called_with("union", &a, &b).unwrap_or_default();
                let help = format!("what is in both is `{written}`, what is in either `{either}`");
                let report =
                    Diagnostic::new(Code::TypeMismatch, domain.span, message, "these are two collections");
                let alone = first.span.to(second.span) == domain.span;
                self.report(if alone { report.help(help).likely_fix(written) } else { report.help(help) });
            }
            None => {
                let (source, condition) =
                    (self.written(first.span), self.written(Span::new(second.span.start, domain.span.end)));
                let help = format!(
                    "a condition on what is taken stands behind `where`: `{source} where {condition}`"
                );
                let report =
                    Diagnostic::new(Code::TypeMismatch, first.span, message, "no condition").help(help);
                let text = self.source.map_or("", |source| &*source.text);
                let between = text.get(first.span.end..second.span.start).unwrap_or("");
                let place =
                    between.find("and").map(|at| Span::new(first.span.end + at, first.span.end + at + 3));
                self.report(match place.filter(|_| between.trim() == "and") {
                    Some(place) => report.fix_of(place, "where"),
                    None => report,
                });
            }
        }
        true
    }

    /// Reports `tiles and row` as a value, where what is in both is meant. Returns whether it did.
    pub(super) fn collections_joined(
        &mut self,
        op: BinaryOp,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        span: Span,
    ) -> bool {
        let (Some(left), Some(right)) = (self.type_of_name(a), self.type_of_name(b)) else { return false };
        let (Some(of), Some(other)) = (collected(&left), collected(&right)) else { return false };
        if of.join(other).is_none() {
            return false;
        }
        let (a, b) = (self.expr(a, None), self.expr(b, None));
        let both = self.called_with("common", &a, &b).unwrap_or_default();
        let either = self.called_with("union", &a, &b).unwrap_or_default();
        let (word, meant) = if op == BinaryOp::And { ("and", both.clone()) } else { ("or", either.clone()) };
        let help = format!("what is in both is `{both}`, what is in either `{either}`");
        let message = format!("`{word}` joins conditions, and these are collections");
        let report = Diagnostic::new(Code::TypeMismatch, span, message, "these are two collections");
        // Brackets around one of them are not in its span.
        let alone = a.span.to(b.span) == span;
        let report = report.help(help);
        self.report(if alone { report.likely_fix(meant) } else { report });
        true
    }

    /// Reports a collection whose elements are collections, where their elements are wanted: `{1..9}` for `set(1..9)`.
    /// Returns whether it did.
    pub(super) fn wrapped(&mut self, found: &Expr, want: &Type) -> bool {
        let Some((written, help)) = self.unwrapped(found, want) else { return false };
        let fix = (!written.contains('…')).then(|| Fix::new(found.span, written));
        self.mismatch_with(found, want, Some(help), fix);
        true
    }

    /// Returns how the elements of the collections in another one are written, with advice.
    fn unwrapped(&self, found: &Expr, want: &Type) -> Option<(String, String)> {
        let (ExprKind::List(items) | ExprKind::Set(items)) = &found.kind else { return None };
        let inner = collected(collected(&found.ty)?)?;
        if !collected(want)?.accepts(inner) {
            return None;
        }
        let make = maker(want)?;
        Some(match items.as_slice() {
            [] => return None,
            [one] if maker(&one.ty) == Some(make) => {
                let one = self.written(one.span);
                (one.to_string(), format!("leave the brackets out: `{one}` is a {make} already"))
            }
            [one] => {
                let written = format!("{make}({})", self.written(one.span));
                (written.clone(), format!("`{written}` is the {make} of its elements"))
            }
            _ => {
                let lists: Option<Vec<String>> = items.iter().map(|item| self.as_list(item)).collect();
                let joined = lists?.join(" ++ ");
                let written = if make == "list" { joined } else { format!("{make}({joined})") };
                (written.clone(), format!("`++` joins lists: `{written}`"))
            }
        })
    }

    /// Returns how a collection is written as a list that can be joined to another one.
    fn as_list(&self, item: &Expr) -> Option<String> {
        let text = self.written(item.span);
        let range = text.contains("..") && !text.starts_with(['[', '(']);
        if range {
            Some(format!("list({text})"))
        } else {
            self.as_kind(&Type::List(Box::new(Type::Int)), item)
        }
    }
}
