//! Types and domains in words: the values that state may hold, and the values to choose from.

use super::page::join_with;
use super::words::{Words, be};
use crate::ast::{BinaryOp, Bound, Expr, ExprKind, TuplePart, Type, TypeKind};
use crate::diag::nouns::{with_article, with_s};
use crate::play::telling::to_be;

impl Words<'_> {
    /// Describes one value of a type: `a number from 1 to n`.
    pub(super) fn one(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Name(name) => match name.text.as_str() {
                "int" => "a whole number".to_string(),
                kind => with_article(&kind.replace('_', " ")),
            },
            TypeKind::Range(low, high) => match self.few(low, high) {
                Some(numbers) => join_with(&numbers, "or"),
                None => format!("a number from {} to {}", self.value(low), self.value(high)),
            },
            TypeKind::AtLeast(low) => format!("a number, {} or more", self.value(low)),
            TypeKind::Bool => "yes or no".to_string(),
            TypeKind::Symbols(names) => {
                join_with(&names.iter().map(|name| name.text.replace('_', " ")).collect::<Vec<_>>(), "or")
            }
            TypeKind::Optional(of) => format!("{}, or none", self.one(of)),
            TypeKind::List(bound, of) => {
                let (article, length) = self.length(bound.as_ref());
                format!("{article} list of {length}{}", self.many(of))
            }
            TypeKind::Set(of) => format!("a set of {}", self.many(of)),
            TypeKind::Bag(of) => format!("a bag of {}", self.many(of)),
            TypeKind::Grid { empty, rows, columns, of } => {
                let inside = match empty {
                    true => format!("empty or {}", self.one(of)),
                    false => self.one(of),
                };
                let (rows, columns) = (self.value(rows), self.value(columns));
                format!("{rows} rows of {columns} squares, each {inside}")
            }
            TypeKind::Tuple(parts) => match self.alike(parts) {
                Some(many) => format!("{} {many}", small_number(parts.len())),
                None => join_with(&self.parts_of_tuple(parts), "and"),
            },
            TypeKind::Either(kinds) => {
                join_with(&kinds.iter().map(|kind| self.one(kind)).collect::<Vec<_>>(), "or")
            }
            TypeKind::Map(of, key) => format!("{} for each {}", self.one(of), bare(&self.one(key))),
        }
    }

    /// Describes several values of a type: `numbers from 1 to n`.
    fn many(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Name(name) if name.text == "int" => "whole numbers".to_string(),
            // A kind may already be called by the plural.
            TypeKind::Name(name) if to_be(&name.text) == "are" => name.text.replace('_', " "),
            TypeKind::Name(name) => with_s(&name.text.replace('_', " ")),
            TypeKind::Range(low, high) => match self.few(low, high) {
                Some(numbers) => {
                    let many: Vec<String> = numbers.iter().map(|number| format!("{number}s")).collect();
                    join_with(&many, "and")
                }
                None => format!("numbers from {} to {}", self.value(low), self.value(high)),
            },
            TypeKind::AtLeast(low) => format!("numbers, each {} or more", self.value(low)),
            TypeKind::List(bound, of) => {
                let (_, length) = self.length(bound.as_ref());
                format!("lists of {length}{}", self.many(of))
            }
            TypeKind::Set(of) => format!("sets of {}", self.many(of)),
            TypeKind::Bag(of) => format!("bags of {}", self.many(of)),
            TypeKind::Optional(of) => format!("{} (or none)", self.many(of)),
            TypeKind::Tuple(parts) => {
                let several = match parts.len() {
                    2 => "pairs",
                    3 => "triples",
                    _ => "combinations",
                };
                if let Some(many) = self.alike(parts) {
                    return format!("{several} of {many}");
                }
                let parts = self.parts_of_tuple(parts);
                if parts.iter().any(|part| part.contains(" of ") && !part.starts_with("one of ")) {
                    return format!("entries, each of them {}", join_with(&parts, "and"));
                }
                format!("{several} of {}", join_with(&parts, "and"))
            }
            _ => format!("values, each {}", self.one(ty)),
        }
    }

    /// Describes the parts of a tuple one by one; a pair within it is one of them.
    pub(super) fn parts_of_tuple(&self, parts: &[TuplePart]) -> Vec<String> {
        let one = |ty: &Type| match &ty.kind {
            TypeKind::Tuple(inner) if inner.len() == 2 => format!("a pair of {}", self.one(ty)),
            TypeKind::Tuple(_) => format!("a combination of {}", self.one(ty)),
            TypeKind::Symbols(_) => format!("one of {}", self.one(ty)),
            _ => self.one(ty),
        };
        let part = |part: &TuplePart| {
            let Some(name) = &part.name else { return one(&part.ty) };
            let name = name.text.replace('_', " ");
            match (&part.ty.kind, one(&part.ty)) {
                (TypeKind::Name(kind), one) if kind.text.replace('_', " ") == name => one,
                // "a number from 1 to 9" is "a rank from 1 to 9".
                (TypeKind::Range(..) | TypeKind::AtLeast(_), one) if one.starts_with("a number") => {
                    with_article(&one.replacen("a number", &name, 1))
                }
                (_, one) => format!("{one} ({name})"),
            }
        };
        parts.iter().map(part).collect()
    }

    /// Describes the parts of a tuple together if they are numbers of the same range or the like.
    fn alike(&self, parts: &[TuplePart]) -> Option<String> {
        let simple = matches!(
            parts.first()?.ty.kind,
            TypeKind::Name(_) | TypeKind::Range(..) | TypeKind::AtLeast(_) | TypeKind::Symbols(_)
        ) && parts.iter().all(|part| part.name.is_none());
        let many: Vec<String> = parts.iter().map(|part| self.many(&part.ty)).collect();
        let alike = simple && many.iter().all(|one| *one == many[0]) && !many[0].contains(',');
        alike.then(|| many[0].clone())
    }

    fn length(&self, bound: Option<&(Bound, Box<Expr>)>) -> (&'static str, String) {
        match bound {
            None => ("a", String::new()),
            Some((Bound::AtMost, n)) => ("a", format!("at most {} ", self.value(n))),
            Some((Bound::Exactly, n)) => ("a", format!("exactly {} ", self.value(n))),
        }
    }

    /// Returns the numbers of a range if there are two.
    fn few(&self, low: &Expr, high: &Expr) -> Option<Vec<String>> {
        let number = |e: &Expr| match &e.kind {
            ExprKind::Number(n) => n.as_i64(),
            _ => None,
        };
        let (low, high) = (number(low)?, number(high)?);
        (high.checked_sub(low)? == 1).then(|| vec![low.to_string(), high.to_string()])
    }

    /// Describes a domain: `any number from 1 to n`.
    pub(super) fn domain(&self, what: &str, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Name(name) if name == "int" => "any whole number".to_string(),
            ExprKind::Name(name) if name == "players" => "any player".to_string(),
            ExprKind::Name(name) if name == "standing" => "any player who is still in".to_string(),
            ExprKind::Binary(BinaryOp::Range, low, high) => match self.few(low, high) {
                Some(numbers) => join_with(&numbers, "or"),
                None => format!("any number from {} to {}", self.value(low), self.value(high)),
            },
            ExprKind::Set(inside) | ExprKind::List(inside) if self.selects(inside) => {
                match self.selection(what, inside) {
                    // The element has no noun of its own, as in `K from 1 to n`.
                    Some((source, conditions)) if self.among(what, &source).starts_with(what) => {
                        format!("{}{conditions}", self.domain(what, &source))
                    }
                    _ => format!("any {}", self.among(what, e).replacen(&format!(" {what}"), "", 1)),
                }
            }
            ExprKind::Set(inside) | ExprKind::List(inside)
                if inside.body.is_none() && inside.filter.is_none() && !inside.items.is_empty() =>
            {
                join_with(&self.values(&inside.items), "or")
            }
            _ if is_yes_or_no(e) => "yes or no".to_string(),
            ExprKind::Call(name, inside) if inside.body.is_none() && inside.filter.is_none() => {
                match (name.text.as_str(), inside.items.as_slice()) {
                    ("arrangements", [k, of]) => {
                        format!("{} different {}, in any order", self.how_many(k), self.choices(of))
                    }
                    ("lists", [k, of]) if self.is_players(k) => {
                        format!("{}, one for each player, repeats allowed", self.choices(of))
                    }
                    ("lists", [k, of]) => {
                        format!("{} {}, repeats allowed", self.how_many(k), self.choices(of))
                    }
                    ("subsets", [of]) => format!("any {}, or none", self.choices(of)),
                    ("subsets", [k, of]) => format!("any {} {}", self.how_many(k), self.choices(of)),
                    ("directions", [Expr { kind: ExprKind::Number(n), .. }])
                        if self.is_word("directions") =>
                    {
                        let every = if n.as_usize() == Some(4) { 2 } else { 1 };
                        let names = self.facts.directions.iter().step_by(every);
                        join_with(&names.map(|name| (*name).to_string()).collect::<Vec<_>>(), "or")
                    }
                    ("filled", [of]) if self.is_word("filled") => {
                        format!("any filled square of {}", self.value(of))
                    }
                    ("permutations" | "tuples", _) => self.value(e),
                    ("squares", _) if self.facts.grids.len() == 1 => "any square".to_string(),
                    _ => one_of(&self.value(e)),
                }
            }
            ExprKind::Every(kind) => format!("any {}", kind.text.replace('_', " ")),
            ExprKind::AtLeast(low) => format!("any number, {} or more", self.value(low)),
            _ if self.is_grid(e) && self.facts.grids.len() == 1 => "any square".to_string(),
            _ if self.is_grid(e) => format!("any square of {}", self.value(e)),
            _ => one_of(&self.value(e)),
        }
    }

    /// Describes a domain with its filter.
    pub(super) fn domain_where(&self, what: &str, e: &Expr, filter: Option<&Expr>) -> String {
        let Some(filter) = filter else { return self.domain(what, e) };
        let domain = match (&e.kind, all_differ(filter)) {
            (ExprKind::Call(name, inside), true) if name.text == "lists" && inside.items.len() == 2 => {
                format!("{} {}", self.how_many(&inside.items[0]), self.choices(&inside.items[1]))
            }
            _ => self.domain(what, e),
        };
        format!("{domain}, where {}", self.clause(filter, true))
    }

    /// Describes the length of lists: `3`, `1 to 4`, `2 or more`.
    pub(super) fn how_many(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Range, low, high) => {
                format!("{} to {}", self.value(low), self.value(high))
            }
            ExprKind::AtLeast(low) => format!("{} or more", self.value(low)),
            _ => self.value(e),
        }
    }

    /// Describes the elements of a domain in the plural: `whole numbers`, `numbers from 1 to n`.
    fn choices(&self, of: &Expr) -> String {
        match &of.kind {
            ExprKind::Name(name) if name == "int" => "whole numbers".to_string(),
            ExprKind::Binary(BinaryOp::Range, low, high) => {
                format!("numbers from {} to {}", self.value(low), self.value(high))
            }
            _ => format!("elements of {}", self.value(of)),
        }
    }

    /// Whether an expression is the number of players.
    pub(super) fn is_players(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Call(name, inside) if name.text == "size"
            && matches!(inside.items.as_slice(), [Expr { kind: ExprKind::Name(of), .. }] if of == "players"))
    }

    fn is_grid(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                matches!(self.facts.states.get(name.as_str()), Some(TypeKind::Grid { .. }))
            }
            _ => false,
        }
    }
}

/// Whether a domain is written `yes or no`, which stands for the two values.
pub(super) fn is_yes_or_no(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            matches!((&a.kind, &b.kind), (ExprKind::Bool(true), ExprKind::Bool(false)))
        }
        _ => false,
    }
}

/// Describes an element of a collection: `one of the divisors of 6`, `one from your hand`.
fn one_of(all: &str) -> String {
    let many = be(all) == "are" || all.starts_with("what ");
    format!("one {} {all}", if many { "of" } else { "from" })
}

/// Returns a small number as a word.
fn small_number(n: usize) -> String {
    match n {
        2 => "two".to_string(),
        3 => "three".to_string(),
        4 => "four".to_string(),
        n => n.to_string(),
    }
}

/// Removes the article of a phrase.
fn bare(phrase: &str) -> &str {
    phrase.strip_prefix("a ").or(phrase.strip_prefix("an ")).unwrap_or(phrase)
}

/// Whether a condition says among other things that all elements differ.
fn all_differ(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => all_differ(a) || all_differ(b),
        ExprKind::Call(name, _) => name.text == "distinct",
        _ => false,
    }
}
