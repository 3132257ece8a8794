//! Lists and sets in words: those that are written out, and those that are built.

use super::NUMBER_WORDS;
use super::fill::substitute;
use super::page::join_with;
use super::words::Words;
use crate::ast::{Expr, ExprKind, Inside};
use crate::play::args::large;

impl Words<'_> {
    /// Describes a list or set literal or builder.
    pub(super) fn gathered(&self, kind: &str, inside: &Inside) -> String {
        if inside.items.is_empty() {
            return format!("an empty {kind}");
        }
        let built = inside.body.is_some() || inside.filter.is_some() || inside.stop.is_some();
        if !built {
            if let Some(inner) = self.collections(&inside.items) {
                return inner;
            }
            let items = self.values(&inside.items);
            return match (kind, items.as_slice()) {
                ("set", [one]) => format!("just {one}"),
                (_, [one]) if !one.starts_with('(') => format!("just {one}"),
                ("set", items) => join_with(items, "and"),
                (kind, items) => format!("the {kind} {}", items.join(", ")),
            };
        }
        match inside.body.as_ref().filter(|_| !self.selects(inside)) {
            Some(body) => format!("the {kind} of {} for each {}", self.value(body), self.over(inside)),
            None => format!("every {}", self.over(inside)),
        }
    }

    /// Describes lists or sets that are written out within another one: `the lists (1) and (2, 3)`, `two empty lists`.
    fn collections(&self, items: &[Expr]) -> Option<String> {
        let kind = match &items.first()?.kind {
            ExprKind::List(_) => "list",
            ExprKind::Set(_) => "set",
            _ => return None,
        };
        let written: Vec<String> = items.iter().map(|item| self.written_out(item)).collect::<Option<_>>()?;
        let plural = if items.len() == 1 { "" } else { "s" };
        let empty = items.iter().all(|item| {
            matches!(&item.kind, ExprKind::List(inside) | ExprKind::Set(inside) if inside.items.is_empty())
        });
        Some(match (empty, NUMBER_WORDS.get(items.len() - 1)) {
            (true, Some(_)) if items.len() == 1 => format!("an empty {kind}"),
            (true, Some(number)) => format!("{number} empty {kind}s"),
            (true, None) => format!("{} empty {kind}s", items.len()),
            (false, _) => format!("the {kind}{plural} {}", join_with(&written, "and")),
        })
    }

    /// Returns a list or a set that is written out, in brackets.
    pub(super) fn written_out(&self, e: &Expr) -> Option<String> {
        let (ExprKind::List(inside) | ExprKind::Set(inside)) = &e.kind else { return None };
        if inside.has_tail() {
            return None;
        }
        let items =
            inside.items.iter().map(|item| self.written_out(item).unwrap_or_else(|| self.value(item)));
        let items = items.collect::<Vec<_>>().join(", ");
        Some(match &e.kind {
            _ if items.is_empty() => "(empty)".to_string(),
            ExprKind::Set(_) => format!("{{{items}}}"),
            _ => format!("({items})"),
        })
    }

    /// Whether a builder collects the elements it iterates over unchanged.
    pub fn selects(&self, inside: &Inside) -> bool {
        let [Expr { kind: ExprKind::Compare(what, _), .. }] = inside.items.as_slice() else { return false };
        let built = inside.body.is_some() || inside.filter.is_some() || inside.stop.is_some();
        built
            && inside.body.as_ref().is_none_or(|body| match (&body.kind, &what.kind) {
                (ExprKind::Name(body), ExprKind::Name(what)) => body == what,
                _ => false,
            })
    }

    /// Describes an element of a builder that filters, such as `[t in board where C]`, under another name.
    pub(super) fn among_selected(&self, what: &str, inside: &Inside) -> String {
        match self.selection(what, inside) {
            Some((source, conditions)) => format!("{}{conditions}", self.among(what, &source)),
            None => format!("{what} of what follows: every {}", self.over(inside)),
        }
    }

    /// Returns what a builder that filters selects from, and its conditions on an element called `what`.
    pub(super) fn selection(&self, what: &str, inside: &Inside) -> Option<(Expr, String)> {
        let (name, source) = match &inside.items.first()?.kind {
            ExprKind::Compare(name, chain) => match (&name.kind, chain.as_slice()) {
                (ExprKind::Name(name), [(_, source)]) => (name, source),
                _ => return None,
            },
            _ => return None,
        };
        let called = self.params.iter().find(|param| large(param) == what).copied().unwrap_or(what);
        let mut conditions = String::new();
        for (word, part) in [("where", &inside.filter), ("as long as", &inside.stop)] {
            if let Some(part) = part {
                let mut part = (**part).clone();
                substitute(&mut part, name, ExprKind::Name(called.to_string()));
                conditions.push_str(&format!(" {word} {}", self.clause(&part, true)));
            }
        }
        Some((source.clone(), conditions))
    }
}
