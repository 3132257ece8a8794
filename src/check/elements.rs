//! Advice for what is said of several elements at once: `row[-k or more]`, `4 copies of 1..9`, `bag(1..9) * 4`,
//! `largest(row, 2)`, `gcd(k, row)`, `let (a, b) = row`.

use super::advice::{collected, of_elements, on_squares};
use super::{Checker, vocabulary};
use crate::ast::{self, BinaryOp};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Builtin, Expr, ExprKind, FoldKind, Type};
use crate::source::Span;
use crate::syntax::operand;

/// Functions of a grid and one of its squares.
const GRID_FIRST: &[&str] = &["beside", "around", "hexes"];

/// Returns the place that is the k-th from the end of a list.
fn from_end(list: &str, k: &str) -> String {
    match k.parse::<u64>() {
        Ok(1) => format!("size({list})"),
        Ok(k) if k > 1 => format!("size({list}) - {}", k - 1),
        _ if k.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') => {
            format!("size({list}) - {k} + 1")
        }
        _ => format!("size({list}) - ({k}) + 1"),
    }
}

impl<'a> Checker<'a> {
    /// Reports `row[3 or more]` and `row[-k or more]`. Returns whether it did.
    pub(super) fn open_stretch(&mut self, base: &Type, at: &'a ast::Expr, list: Span) -> bool {
        let (Type::List(_), ast::ExprKind::Binary(BinaryOp::Or, low, more)) = (base, &at.kind) else {
            return false;
        };
        if !matches!(&more.kind, ast::ExprKind::Name(name) if name == "more") {
            return false;
        }
        let (start, list) = (list.start, self.written(list));
        let low = self.written(low.span);
        let message = "a stretch of a list has two ends";
        let report = Diagnostic::new(Code::TypeMismatch, at.span, message, "the other end is missing");
        self.report(match low.strip_prefix('-').map(str::trim) {
            Some(k) => {
                let written = format!("last({list}, {k})");
                let fix = Fix::new(Span::new(start, at.span.end + 1), written.clone());
                Diagnostic { fix: Some(fix), ..report.help(format!("the last {k} are `{written}`")) }
            }
            None => {
                let written = format!("{low}..size({list})");
                report.help(format!("places are counted from 1: `{list}[{written}]`")).fix(written)
            }
        });
        true
    }

    /// Reports `4 copies of 1..9`, where `copies of` takes only the 1. Returns whether it did.
    pub(super) fn copies_of_range(&mut self, range: &'a ast::Expr) -> bool {
        let ast::ExprKind::Binary(BinaryOp::Range, low, high) = &range.kind else { return false };
        let ast::ExprKind::Binary(BinaryOp::Copies, count, first) = &low.kind else { return false };
        let (from, to) = (self.written(first.span), self.written(high.span));
        let written = format!("{} copies of each of {from}..{to}", self.written(count.span));
        let message = "`copies of` repeats a single value, here only the first end of the range";
        let report = Diagnostic::new(Code::TypeMismatch, range.span, message, "a range is needed");
        let fix = Fix::new(range.span, written.clone());
        self.report(Diagnostic { fix: Some(fix), ..report.help(format!("write `{written}`")) });
        true
    }

    /// Returns how to write a list or a bag with each element of another several times.
    pub(super) fn each_several_times(&self, of: &str, times: &str, bag: bool) -> String {
        let copies = format!("{times} copies of each of {of}");
        match bag {
            true => format!("the bag with each of them {times} times is `bag({copies})`"),
            false => format!("each of them {times} times is `{copies}`"),
        }
    }

    /// Returns what to write for a list, set or bag times a number.
    pub(super) fn many_times(&self, a: &Expr, b: &Expr) -> Option<String> {
        let (all, times) = match (collected(&a.ty), collected(&b.ty)) {
            (Some(_), None) if b.ty == Type::Int => (a, b),
            (None, Some(_)) if a.ty == Type::Int => (b, a),
            _ => return None,
        };
        let (text, times) = (self.written(all.span), self.written(times.span));
        if collected(&all.ty) == Some(&Type::Player) {
            return Some(format!("how many players there are is `size({text})`: `{times} * size({text})`"));
        }
        let inside = match &all.kind {
            ExprKind::Builtin(Builtin::ToBag, of) => of.first().map_or(text, |of| self.written(of.span)),
            _ => text,
        };
        Some(match &all.ty {
            Type::List(of) if **of == Type::Int => format!(
                "`[x in {text}: {times} * x]` multiplies each; each of them {times} times is `{times} copies of each of {text}`"
            ),
            Type::Bag(_) => self.each_several_times(inside, times, true),
            _ => self.each_several_times(inside, times, false),
        })
    }

    /// Reports `last(2, row)`, where the list comes first. Returns whether it did.
    pub(super) fn list_first(&mut self, function: &str, args: &[Expr], span: Span) -> bool {
        let [k @ Expr { ty: Type::Int, .. }, list @ Expr { ty: Type::List(_), .. }] = args else {
            return false;
        };
        if !matches!(function, "first" | "last") {
            return false;
        }
        let written = format!("{function}({}, {})", self.written(list.span), self.written(k.span));
        let report = Diagnostic::new(Code::TypeMismatch, span, "the list comes first", "the other way round");
        self.report(report.help(format!("write `{written}`")).fix(written));
        true
    }

    /// Reports `lines(3, board)`, where two values of which neither fits would fit in each other's places. Returns whether
    /// they do.
    pub(super) fn in_the_wrong_order(
        &mut self,
        function: &str,
        way: &str,
        args: &[Expr],
        span: Span,
    ) -> bool {
        let fits = |at: usize, arg: &Expr| vocabulary::fits(vocabulary::letter(way, at), &arg.ty);
        let wrong: Vec<usize> = (0..args.len()).filter(|at| !fits(*at, &args[*at])).collect();
        let (a, b) = match (&wrong[..], args.len()) {
            ([a, b], _) => (*a, *b),
            // A value of any type may be the collection that is needed in the other place.
            ([_], 2) => (0, 1),
            _ => return false,
        };
        let known = args[a].ty != Type::Wrong && args[b].ty != Type::Wrong;
        if !known || !fits(a, &args[b]) || !fits(b, &args[a]) {
            return false;
        }
        let mut order: Vec<&str> = args.iter().map(|arg| self.written(arg.span)).collect();
        order.swap(a, b);
        let written = format!("{function}({})", order.join(", "));
        let message = format!("the values of `{function}` stand in another order");
        let report = Diagnostic::new(Code::TypeMismatch, span, message, "the other way round");
        let report = report.help(format!("write `{written}`"));
        self.report(if written.contains('…') { report } else { report.fix(written) });
        true
    }

    /// Returns advice for a function called with the wrong number of arguments.
    pub(super) fn count_advice(&self, function: &str, args: &[Expr]) -> Option<String> {
        let list = |arg: &Expr| matches!(arg.ty, Type::List(_));
        match (of_elements(function), args) {
            (Some(of), [one]) if collected(&one.ty).is_some() => {
                Some(format!("write `{of}({})`: it looks at the elements", self.written(one.span)))
            }
            (Some(of), [one]) if matches!(one.ty, Type::Grid(_)) => {
                let values = on_squares(self.written(one.span));
                Some(format!("write `{of}({values})`: it looks at the elements"))
            }
            (None, [first, ..])
                if !matches!(first.ty, Type::Grid(_)) && self.lacks_its_grid(function, args) =>
            {
                let grid = self.grid_of(|_| true)?;
                let args: Vec<&str> = args.iter().map(|arg| self.written(arg.span)).collect();
                Some(format!("the grid comes first: `{function}({grid}, {})`", args.join(", ")))
            }
            (None, [square]) if GRID_FIRST.contains(&function) && square.ty == Type::Square => {
                let grid = self.grid_of(|_| true)?;
                Some(format!("the grid comes first: `{function}({grid}, {})`", self.written(square.span)))
            }
            (None, [one]) if function == "positions" && list(one) => {
                let list = self.written(one.span);
                Some(format!("`1..size({list})` are all places; `positions(x, {list})` are those of x"))
            }
            (None, [a, b])
                if matches!(function, "bag" | "set" | "list") && [a, b].iter().all(|n| n.ty == Type::Int) =>
            {
                let (a, b) = (self.written(a.span), self.written(b.span));
                Some(format!(
                    "the numbers from the first to the second are `{function}({a}..{b})`, the two alone `{function}([{a}, {b}])`"
                ))
            }
            (None, [_, _, _, ..]) if matches!(function, "bag" | "set" | "list") => {
                let args: Vec<&str> = args.iter().map(|arg| self.written(arg.span)).collect();
                Some(format!("the elements stand in brackets: `{function}([{}])`", args.join(", ")))
            }
            (None, [a, b]) if matches!(function, "largest" | "smallest") => {
                let (all, k) = match (collected(&a.ty), collected(&b.ty)) {
                    (Some(_), None) if b.ty == Type::Int => (a, b),
                    (None, Some(_)) if a.ty == Type::Int => (b, a),
                    _ => return self.single_numbers(function, args),
                };
                let (all, k) = (self.written(all.span), self.written(k.span));
                let place = if function == "smallest" { k.to_string() } else { from_end(all, k) };
                let which = match k {
                    "1" => function.to_string(),
                    "2" => format!("second {function}"),
                    "3" => format!("third {function}"),
                    k => format!("{k}-th {function}"),
                };
                Some(format!("the {which} is `sorted({all})[{place}]`"))
            }
            (None, [_, _, ..]) if matches!(function, "largest" | "smallest") => {
                self.single_numbers(function, args)
            }
            (None, [one])
                if matches!(function, "gcd" | "lcm" | "xor") && collected(&one.ty) == Some(&Type::Int) =>
            {
                let all = self.written(one.span);
                Some(format!("that of all its elements is `{function}(x in {all}: x)`"))
            }
            _ => None,
        }
    }

    /// Whether a function takes a grid first, and then what it is given here.
    fn lacks_its_grid(&self, function: &str, args: &[Expr]) -> bool {
        let Some(word) = vocabulary::word(function) else { return false };
        word.ways().any(|way| {
            let letters = way.trim_end_matches(['*', '?']).len();
            let rest = args.iter().enumerate();
            let mut fit = rest.map(|(at, arg)| vocabulary::fits(vocabulary::letter(way, at + 1), &arg.ty));
            vocabulary::letter(way, 0) == b'g' && letters == args.len() + 1 && fit.all(|fits| fits)
        })
    }

    /// Returns advice for a value with the name of a function that is multiplied without a sign: `rows (rows + 1)`.
    pub(super) fn product_with(&self, name: &ast::Name, args: &[Expr]) -> Option<String> {
        let [Expr { ty: Type::Int, span, .. }] = args else { return None };
        let local =
            self.frame.locals.iter().rev().find(|local| local.name == name.text).map(|local| &local.ty);
        let ty = local.or(self.globals.get(&name.text).map(|global| &global.ty))?;
        let (function, factor) = (&name.text, self.written(*span));
        (*ty == Type::Int).then(|| format!("a product has a sign: `{function} * ({factor})`"))
    }

    fn single_numbers(&self, function: &str, args: &[Expr]) -> Option<String> {
        if args.iter().any(|arg| collected(&arg.ty).is_some()) {
            let joined: Vec<String> = args
                .iter()
                .map(|arg| match &arg.ty {
                    Type::List(_) => self.written(arg.span).to_string(),
                    ty if collected(ty).is_some() => format!("list({})", self.written(arg.span)),
                    _ => format!("[{}]", self.written(arg.span)),
                })
                .collect();
            return Some(format!("write `{function}({})`: it looks at the elements", joined.join(" ++ ")));
        }
        let single = if function == "largest" { "max" } else { "min" };
        let args: Vec<&str> = args.iter().map(|arg| self.written(arg.span)).collect();
        Some(format!("write `{single}({})`: it compares single numbers", args.join(", ")))
    }

    /// Returns advice for a collection where a function compares single numbers, and can also go through elements.
    pub(super) fn gone_through_by(&self, function: &str, found: &Expr) -> Option<String> {
        let all = self.written(found.span);
        matches!(function, "gcd" | "lcm" | "xor")
            .then(|| format!("that of all its elements is `{function}(x in {all}: x)`, a single number"))
    }

    /// Returns advice for the largest or smallest value of the players, or its name, where the player is needed who has it.
    pub(super) fn player_with_it(&self, found: &Expr) -> Option<String> {
        let named = match &found.kind {
            ExprKind::Local(slot) => Some(self.frame.locals.iter().find(|local| local.slot == *slot)?),
            ExprKind::Fold(fold) => {
                let extreme = matches!(fold.kind, FoldKind::Largest | FoldKind::Smallest);
                (extreme && fold.filter.is_none()).then_some(None)?
            }
            _ => return None,
        };
        // What the name is declared to be, or the value itself.
        let value = match named {
            Some(local) => {
                let line = self.source?.text.get(local.span.end..)?.lines().next()?;
                line.split("//").next()?.trim().strip_prefix('=')?.trim()
            }
            None => self.written(found.span),
        };
        let (function, rest) = value.split_once('(')?;
        let (name, rest) = rest.split_once(" in ")?;
        let (source, own) = rest.strip_suffix(')')?.split_once(':')?;
        let (source, own) = (source.trim(), own.trim());
        if !matches!(function, "largest" | "smallest") || source.contains(" where ") {
            return None;
        }
        let those = |best: &str| {
            format!(
                "`first({name} in {source} where {own} = {best})` is one of those who have it, `[{name} in {source} where {own} = \
                 {best}]` are all"
            )
        };
        Some(match named {
            Some(local) => {
                format!("`{0}` is what somebody has, not who has it: {1}", local.name, those(&local.name))
            }
            None => format!(
                "it is what somebody has, not who has it: with `let best = {value}` before, {}",
                those("best")
            ),
        })
    }

    /// Reports several names for a value that is no tuple.
    pub(super) fn names_for_parts(&mut self, pattern: &ast::Pattern, ty: &Type) {
        let words = self.words(ty);
        let names: Vec<&str> = pattern.names.iter().map(|name| name.text.as_str()).collect();
        let message = format!("{} names for {words}", names.len());
        let report = Diagnostic::new(Code::TypeMismatch, pattern.span, message, "the parts do not match");
        let rest = self.source.and_then(|source| source.text.get(pattern.span.end..)).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let line = line.split("//").next().unwrap_or("").trim();
        self.report(match (ty, line.strip_prefix('=').map(str::trim)) {
            (Type::List(_), Some(value)) => {
                let parts = match value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
                    Some(inside) => format!("a tuple is written in round brackets: `({inside})`"),
                    None => format!(
                        "only a tuple has parts with names; a list has places: `let all = {value}`, and then `all[1]`, `all[2]`"
                    ),
                };
                report.help(parts)
            }
            (Type::List(_), None) => report.help("only a tuple has parts with names; the places of a list are `x[1]`, `x[2]`"),
            (Type::Optional(_), Some(value)) => report.help(format!("it may be none: where it is not, its parts are those of `value({value})`")),
            (Type::Square, _) => report.help("a square has a row and a column: `s.row`, `s.column`"),
            (Type::Tuple(parts), _) => report.help(format!("it has {} parts, and each needs a name", parts.len())),
            (_, None) if let ([place, element], Some(list)) = (names.as_slice(), line.strip_prefix("in ").and_then(operand)) => {
                report.help(format!(
                    "an element has one name; where its place is needed, go through the places: `{place} in 1..size({list})`, with `{list}[{place}]` for `{element}`"
                ))
            }
            _ => report,
        });
    }

    /// Returns what joins two lists, sets or bags that are added, and the correction.
    pub(super) fn joined_by(&self, a: &Expr, b: &Expr) -> (String, Option<Fix>) {
        let (first, other) = (self.written(a.span), self.written(b.span));
        let place = matches!(a.kind, ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Index(..));
        let also = match place {
            true => format!("; `{first} ++= {other}`, on a line of its own, adds them all to `{first}`"),
            false => String::new(),
        };
        let text = self.source.map_or("", |source| &*source.text);
        let between = text.get(a.span.end..b.span.start).unwrap_or("");
        let sign = between.find('+').map(|at| Span::new(a.span.end + at, a.span.end + at + 1));
        let alone = text.get(b.span.end..).and_then(|rest| rest.lines().next()).is_some_and(|rest| {
            let rest = rest.split("//").next().unwrap_or("").trim();
            rest.is_empty()
        });
        let begins = text.get(..a.span.start).is_some_and(|before| before.trim_end().ends_with('='));
        let sure = alone && begins && a.ty.join(&b.ty).is_some();
        let fix = sign.map(|sign| Fix { sure, ..Fix::new(sign, "++") });
        (format!("`{first} ++ {other}` joins them{also}"), fix)
    }
}
