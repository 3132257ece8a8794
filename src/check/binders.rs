//! Functions that go through elements, where something else stands in their parentheses: `count(thrown, d = 2)`,
//! `some(p in players, p.total > 9)`, `some(players.total > 9)`, `size(open = 0)`.

use super::Checker;
use super::advice::sign;
use super::domain::DOMAIN_WORDS;
use super::vocabulary;
use crate::ast::{self, CompareOp, ExprKind, Inside};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::Type;
use crate::source::Span;

/// What functions that ask about elements are called here and in other languages, and how they are called here.
const ASK: &[(&str, &str)] = &[
    ("some", "some"),
    ("any", "some"),
    ("exists", "some"),
    ("all", "all"),
    ("every", "all"),
    ("forall", "all"),
    ("count", "count"),
];

impl<'a> Checker<'a> {
    /// Reports a call whose parentheses hold something else than elements to go through. Returns whether it did.
    pub(super) fn goes_through_nothing(
        &mut self,
        name: &'a ast::Name,
        inside: &'a Inside,
        span: Span,
    ) -> bool {
        if inside.has_tail() {
            return false;
        }
        if self.compared_inside(name, inside, span) {
            return true;
        }
        let Some((_, function)) = ASK.iter().find(|(said, _)| *said == name.text) else { return false };
        let written = match inside.items.as_slice() {
            [one] => self.binder_of_players(function, one.span),
            [list, condition] => self.element_without_in(function, list, condition),
            _ => None,
        };
        let Some(written) = written else { return false };
        let message = format!("`{}` needs something to go through", name.text);
        let report = Diagnostic::new(Code::BadBinder, span, message, "`x in S` is missing");
        self.report(report.help(format!("write `{written}`")).likely_fix(written));
        true
    }

    /// Returns how `count(thrown, d = 2 or d = 5)` is written: the condition is about the only name in it that has no meaning.
    fn element_without_in(&self, function: &str, list: &ast::Expr, condition: &ast::Expr) -> Option<String> {
        let is_condition = matches!(
            condition.kind,
            ExprKind::Compare(..) | ExprKind::Is(..) | ExprKind::Not(_) | ExprKind::Binary(..)
        );
        let mut names = Vec::new();
        unknown_names(condition, &mut |name| {
            let known = self.value_called(name) || matches!(name, "me" | "players" | "standing");
            if !known && !names.contains(&name.to_string()) {
                names.push(name.to_string());
            }
        });
        let [name] = names.as_slice() else { return None };
        let source = self.source?;
        let (list, condition) = (source.slice(list.span), source.slice(condition.span));
        let joins = if function == "count" { " where" } else { ":" };
        let plain = is_condition && !condition.contains(['\n', '"']) && !list.contains('\n');
        plain.then(|| format!("{function}({name} in {list}{joins} {condition})"))
    }

    /// Reports `size(open = 0)`, where the comparison belongs behind the parentheses. Returns whether it did.
    fn compared_inside(&mut self, name: &ast::Name, inside: &Inside, span: Span) -> bool {
        let Some(ast::Expr { kind: ExprKind::Compare(left, links), .. }) = inside.items.last() else {
            return false;
        };
        let [(op, right)] = links.as_slice() else { return false };
        let Some(word) = vocabulary::word(&name.text) else { return false };
        let at = inside.items.len() - 1;
        let takes_conditions = word.ways().any(|way| vocabulary::letter(way, at) == b'x');
        if takes_conditions || matches!(op, CompareOp::In | CompareOp::NotIn) || word.doc.contains("whether")
        {
            return false;
        }
        let Some(source) = self.source else { return false };
        let compared = &source.text[left.span.end..right.span.start];
        let call = source.slice(Span::new(span.start, left.span.end));
        let written = format!("{call}) {} {}", sign(*op), source.slice(right.span));
        if compared.trim() != sign(*op) || written.contains(['\n', '"']) {
            return false;
        }
        let message = format!("`{}` takes a value, and this is a condition", name.text);
        let report = Diagnostic::new(Code::TypeMismatch, inside.items[at].span, message, "yes or no");
        let report = report.help(format!("the comparison stands behind the parentheses: `{written}`"));
        self.report(Diagnostic { fix: Some(Fix::likely(span, written)), ..report });
        true
    }

    /// Returns how `some(p in players, p.total > 9)` is written, whose last part is no element to go through.
    pub(super) fn with_a_colon(&self, inside: &Inside, at: usize, whole: Span) -> Option<String> {
        let last = inside.items.get(at).filter(|_| at > 0 && at + 1 == inside.items.len())?;
        let text = self.source?.text.get(whole.start..whole.end)?;
        let split = last.span.start.checked_sub(whole.start)?;
        let (head, value) = (text.get(..split)?.trim_end().strip_suffix(',')?, text.get(split..)?);
        let counts = head.starts_with("count") || inside.body.is_some();
        let joins = if counts { " where" } else { ":" };
        let fits = !text.contains(['\n', '"']) && inside.filter.is_none() && inside.body.is_none();
        fits.then(|| format!("{head}{joins} {value}"))
    }

    /// Notes a name for all lists, subsets or the like that there are: `let thrown = lists(3, 1..6)`.
    pub(super) fn note_choices(&mut self, pattern: &'a ast::Pattern, value: &'a ast::Expr) {
        if let ([name], ExprKind::Call(function, _)) = (pattern.names.as_slice(), &value.kind)
            && DOMAIN_WORDS.contains(&function.text.as_str())
        {
            self.choices_named.push((name, value));
        }
    }

    /// Replaces reports about uses of such a name as if it were one of them by a single one, where it is named.
    pub(super) fn blame_choices(&mut self) {
        for (name, value) in std::mem::take(&mut self.choices_named) {
            let Some(source) = self.source else { return };
            let names = |line: &str| {
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.any(|word| word == name.text)
            };
            let follows = |d: &Diagnostic| {
                let at = d.span().start;
                let line = source.text[..at].rfind('\n').map_or(0, |at| at + 1);
                let line = source.text[line..].lines().next().unwrap_or("");
                d.code == Code::TypeMismatch
                    && name.span.end < at
                    && d.message.contains("list")
                    && names(line)
            };
            let before = self.diagnostics.len();
            self.diagnostics.retain(|d| !follows(d));
            if self.diagnostics.len() == before {
                continue;
            }
            let all = self.written(value.span);
            let message = format!("`{}` is the list of all there are, not one of them", name.text);
            let report = Diagnostic::new(Code::TypeMismatch, value.span, message, "all of them");
            self.report(report.help(format!(
                "one of them at random is `chance {0} in {all}`; one that a player chooses is a parameter of a move, `{0} in {all}`",
                name.text
            )));
        }
    }

    /// Returns what a player has that is of a type which is needed in place of the player, if there is one such thing.
    pub(super) fn own_that_fits(&self, fits: impl Fn(&Type) -> bool) -> Option<String> {
        let mut fields: Vec<&String> = self
            .fields
            .iter()
            .filter(|(_, id)| fits(&self.game.state[**id].form.ty()))
            .map(|(name, _)| name)
            .collect();
        fields.sort();
        match fields.as_slice() {
            [one] => Some((*one).clone()),
            _ => None,
        }
    }
}

/// Calls `found` for the names in a value, but not for those that it introduces or that stand behind a dot.
fn unknown_names(e: &ast::Expr, found: &mut impl FnMut(&str)) {
    if let ExprKind::Name(name) = &e.kind {
        found(name);
    }
    // What goes through elements has names of its own.
    let binds = |inside: &Inside| inside.has_tail();
    if matches!(&e.kind, ExprKind::Call(_, inside) | ExprKind::List(inside) | ExprKind::Set(inside) if binds(inside))
    {
        return;
    }
    e.parts().into_iter().for_each(|part| unknown_names(part, found));
}
