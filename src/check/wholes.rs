//! Grids, maps and tuples as wholes where their parts are needed, and the other way round: `board := 0`,
//! `trips[1].2 := k`, `(a, b) := pair`, `(a, b) < (c, d)`.

use super::Checker;
use super::tuples::place_of;
use crate::ast::{self, Assign, BinaryOp};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Compare, Expr, ExprKind, Type, Value};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::operand;

impl<'a> Checker<'a> {
    /// Reports a single value for a whole grid or map, as in `board := 0`. Returns whether it did.
    pub(super) fn value_for_all(&mut self, place: Span, ty: &Type, found: &Expr) -> bool {
        let (Type::Grid(of) | Type::Map(_, of)) = ty else { return false };
        let nothing = matches!(**of, Type::Optional(_)) && !of.accepts(&found.ty) && is_nothing(found);
        if ty.accepts(&found.ty) || !of.accepts(&found.ty) && !nothing {
            return false;
        }
        let names: &[&str] = if matches!(ty, Type::Grid(_)) { &["s", "t", "at"] } else { &["k", "n", "i"] };
        let free = |name: &&&str| !self.value_called(name);
        let at = names.iter().find(free).copied().unwrap_or(names[0]);
        let place = self.written(place);
        let value = if nothing { "none" } else { self.written(found.span) };
        let help =
            format!("give each place its value: `each {at} in {place} {{ {place}[{at}] := {value} }}`");
        self.mismatch(found, ty, Some(help));
        true
    }

    /// Reports a map in a sum, a difference or a product: `stock * price`. Returns whether it did.
    pub(super) fn map_as_number(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            _ => return false,
        };
        let is_map = |e: &Expr| matches!(&e.ty, Type::Map(_, of) if **of == Type::Int);
        let Some(map) = [a, b].into_iter().find(|e| is_map(e)) else { return false };
        let k = ["k", "n", "i"].into_iter().find(|k| !self.value_called(k)).unwrap_or("k");
        let one = |e: &Expr| match is_map(e) {
            true => format!("{}[{k}]", self.written(e.span)),
            false => self.written(e.span).to_string(),
        };
        let (keys, each) = (self.written(map.span), format!("{} {sign} {}", one(a), one(b)));
        let help = format!("work it out key by key: `sum({k} in {keys}: {each})` adds it up for all keys");
        let message = format!("this is {}, not a number", self.words(&map.ty));
        self.report(Diagnostic::new(Code::TypeMismatch, map.span, message, "a number is needed").help(help));
        true
    }

    /// Reports a square in a sum or a difference: `me.at + way`. Returns whether it did.
    pub(super) fn square_as_number(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        let sums = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let (square, by) = match (&a.ty, &b.ty) {
            (Type::Square, _) => (a, b),
            (_, Type::Square) if op == BinaryOp::Add => (b, a),
            _ => return false,
        };
        let Some(grid) = self.grid_of(|_| true).filter(|_| sums && by.ty != Type::Wrong) else {
            return false;
        };
        let (from, way) = (self.written(square.span), self.written(by.span));
        let help = match &by.ty {
            Type::Symbol(_) => {
                format!("`step({grid}, {from}, {way})` is the square one step away, or none beyond the edge")
            }
            Type::Tuple(parts) if parts.len() == 2 => format!(
                "`step({grid}, {from}, rows, columns)` is the square that many rows and columns away, or none beyond the edge"
            ),
            Type::Int => format!(
                "a square has a row and a column: `step({grid}, {from}, {way}, 0)` is {way} rows further, or none; what stands there is                  `{grid}[{from}]`"
            ),
            _ => return false,
        };
        let message = "this is a square, not a number";
        self.report(
            Diagnostic::new(Code::TypeMismatch, square.span, message, "a number is needed").help(help),
        );
        true
    }

    /// Returns what a statement that begins with several players does to one of them, who is called p; `…` if it does not
    /// begin with them.
    pub(super) fn done_to_p(&self, players: Span) -> String {
        let text = self.source.map_or("", |source| &*source.text);
        let rest = text.get(players.end..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let rest = rest.split("//").next().unwrap_or("").trim_end();
        match self.line_before(players).trim().is_empty() && rest.starts_with('.') {
            true => format!("p{rest}"),
            false => "…".to_string(),
        }
    }

    /// Returns a tuple that is written out with its parts in the order of these types.
    pub(super) fn in_this_order(&self, types: &[Type], found: &Expr) -> Option<String> {
        let ExprKind::Tuple(items) = &found.kind else { return None };
        let mut left: Vec<&Expr> = items.iter().collect();
        let mut written = Vec::new();
        for ty in types {
            let at = left.iter().position(|item| ty.accepts(&item.ty))?;
            written.push(self.written(left.remove(at).span));
        }
        left.is_empty().then(|| format!("({})", written.join(", ")))
    }

    /// Returns advice for the assignment to a part of a tuple; `value` is what it should become, if that is known.
    pub(super) fn part_of_tuple(&mut self, target: &'a ast::Expr, value: Option<&str>) -> Option<String> {
        let ast::ExprKind::Field(base, part) = &target.kind else { return None };
        let (_, Type::Tuple(types)) = self.place_or_none(base)? else { return None };
        let part = place_of(&types, &part.text)?;
        let base = self.written(base.span);
        let parts: Vec<String> = (0..types.len())
            .map(|at| match at == part {
                true => value.unwrap_or("…").to_string(),
                false => format!("{base}.{}", types.label(at)),
            })
            .collect();
        Some(format!("{base} := ({})", parts.join(", ")))
    }

    /// Reports an assignment to a part of a tuple, with the assignment of the whole tuple. Returns whether it did.
    pub(super) fn part_assigned(&mut self, target: &'a ast::Expr, op: Assign, value: &'a ast::Expr) -> bool {
        let (old, new) = (self.written(target.span), self.written(value.span));
        let new = match op {
            Assign::Set => new.to_string(),
            Assign::Add => format!("{old} + {new}"),
            Assign::Take if operand(new) == Some(new) => format!("{old} - {new}"),
            Assign::Take => format!("{old} - ({new})"),
            Assign::Join => return false,
        };
        let Some(whole) = self.part_of_tuple(target, Some(&new)) else { return false };
        self.expr(value, None);
        let message = "a part of a tuple cannot change by itself";
        let report = Diagnostic::new(Code::CannotChange, target.span, message, "not a piece of state");
        let report = report.help(format!("a tuple changes as a whole: `{whole}`"));
        // What is too long to quote cannot be corrected either.
        let fix = (!whole.contains('…')).then(|| Fix::new(target.span.to(value.span), whole));
        self.report(Diagnostic { fix, ..report });
        true
    }

    /// Reports one value for several places: `(a, b) := pair`.
    pub(super) fn several_from_one(&mut self, target: Span, targets: &'a [ast::Expr], value: &'a ast::Expr) {
        let found = self.expr(value, None);
        if found.ty == Type::Wrong {
            return;
        }
        let message = format!("{} values are needed here, in parentheses", targets.len());
        let report = Diagnostic::new(Code::TypeMismatch, value.span, message, "this is one value");
        let fits = matches!(&found.ty, Type::Tuple(parts) if parts.len() == targets.len());
        if !fits {
            return self.report(report);
        }
        let (places, whole) = (self.written(target), self.written(value.span));
        let new = |target: &ast::Expr| matches!(&target.kind, ast::ExprKind::Name(name) if !self.value_called(name) && !self.fields.contains_key(name));
        if targets.iter().all(new) {
            let written = format!("let {places} = {whole}");
            let report = report.help(format!("to name the parts of a tuple, write `{written}`"));
            let fix = (!written.contains('…')).then(|| Fix::new(target.to(value.span), written));
            return self.report(Diagnostic { fix, ..report });
        }
        let parts = |of: &str| {
            let parts: Vec<String> = (1..=targets.len()).map(|at| format!("{of}.{at}")).collect();
            format!("({})", parts.join(", "))
        };
        let plain = operand(whole) == Some(whole) && !whole.contains('(');
        self.report(match plain {
            true => {
                let written = parts(whole);
                report.help(format!("write `{places} := {written}`")).fix(written)
            }
            false => {
                let written = parts("pair");
                report.help(format!("name it first, `let pair = {whole}`; then `{places} := {written}`"))
            }
        });
    }

    /// Returns how to compare two tuples of numbers by their first parts, then by their second, and so on.
    pub(super) fn tuple_order(&self, op: Compare, left: (&Type, Span), right: &Expr) -> Option<String> {
        let (Type::Tuple(a), Type::Tuple(b)) = (left.0, &right.ty) else { return None };
        let orders = matches!(op, Compare::Less | Compare::AtMost | Compare::Greater | Compare::AtLeast);
        if !orders || a != b {
            return None;
        }
        if !a.iter().all(|part| *part == Type::Int) {
            let part = a.iter().position(|part| *part == Type::Int)? + 1;
            let (a, b) = (self.written(left.1), self.written(right.span));
            return Some(format!("compare a part of each: `{a}.{part} {} {b}.{part}`", sign(op)));
        }
        let (a, b) = (self.parts(left.1, a.len())?, self.parts(right.span, b.len())?);
        let strict = if matches!(op, Compare::Less | Compare::AtMost) { "<" } else { ">" };
        let mut ways = Vec::new();
        for at in 0..a.len() {
            let last = at + 1 == a.len();
            let equal: String = (0..at).map(|at| format!("{} = {} and ", a[at], b[at])).collect();
            let sign = if last { sign(op) } else { strict };
            ways.push(format!("{equal}{} {sign} {}", a[at], b[at]));
        }
        Some(format!("compare part by part: `{}`", ways.join(" or ")))
    }

    /// Returns advice where a square or a tuple is needed, and its parts stand in other brackets or in another order.
    pub(super) fn square_or_tuple(&self, want: &Type, found: &Expr) -> Option<String> {
        let want = if let Type::Optional(of) = want { &**of } else { want };
        let text = self.written(found.span);
        let (ExprKind::Tuple(items) | ExprKind::List(items)) = &found.kind else { return None };
        let texts: Vec<&str> = items.iter().map(|item| self.written(item.span)).collect();
        let written = texts.join(", ");
        match want {
            Type::Square if items.len() == 2 && items.iter().all(|item| item.ty == Type::Int) => {
                Some(format!("a square is written with its row and its column: `square({written})`"))
            }
            Type::Tuple(parts) if matches!(found.kind, ExprKind::List(_)) && parts.len() == items.len() => {
                let fits = parts.iter().zip(items).all(|(part, item)| part.accepts(&item.ty));
                fits.then(|| format!("a tuple stands in round brackets: `({written})`"))
            }
            Type::Tuple(parts) if text != "…" => {
                let other = self.in_this_order(parts, found)?;
                Some(format!("its parts have another order: `{other}`"))
            }
            _ => None,
        }
    }

    /// Returns advice for a comparison of a square with what is none: `to = (n, n)`, `to = square(n)`.
    fn square_compared(&self, left: &Type, right: &Expr) -> Option<String> {
        if *left != Type::Square {
            return None;
        }
        let number = self.written(right.span).strip_prefix("square(").and_then(|rest| rest.strip_suffix(')'));
        match number {
            Some(n) if right.ty == Type::Bool => Some(format!(
                "`square({n})` asks whether {n} is a square number; a square of a board is `square({n}, {n})`, with its row and its column"
            )),
            _ => self.square_or_tuple(left, right),
        }
    }

    /// Whether a part of a value has another type than is needed, which was reported.
    pub(super) fn is_faulty(&self, value: Span) -> bool {
        let inside = |at: Span| value.start <= at.start && at.end <= value.end && at != value;
        self.diagnostics.iter().any(|d| d.code == Code::TypeMismatch && inside(d.span()))
    }

    /// Reports a comparison of two seats by their names: `courier = thief`.
    pub(super) fn two_seats(&mut self, op: Compare, left: &Expr, right: &Expr) {
        let (ExprKind::Value(Value::Player(a)), ExprKind::Value(Value::Player(b))) =
            (&left.kind, &right.kind)
        else {
            return;
        };
        let equals = match op {
            Compare::Equal => "=",
            Compare::NotEqual => "!=",
            _ => return,
        };
        if a == b {
            return;
        }
        let (x, y) = (self.written(left.span), self.written(right.span));
        let message = format!("`{x}` and `{y}` are two players, and never equal");
        let report = Diagnostic::new(Code::TypeMismatch, left.span.to(right.span), message, "");
        let mut own: Vec<&String> = self.fields.keys().collect();
        own.sort();
        self.report(match own.first() {
            Some(own) => report.help(format!("what they have may be equal: `{x}.{own} {equals} {y}.{own}`")),
            None => report.help(format!("whose turn it is, is asked by `me {equals} {x}`")),
        });
    }

    /// Returns advice for the comparison of two values that can never be equal.
    pub(super) fn equality_advice(&self, op: Compare, left: (&Type, Span), right: &Expr) -> Option<String> {
        let other = (&right.ty, right.span);
        self.square_compared(left.0, right)
            .or_else(|| self.part_compared(left, right, op))
            .or_else(|| self.on_square(left.0, left.1, other.0))
            .or_else(|| self.on_square(other.0, other.1, left.0))
            .or_else(|| self.seat_as_number(left, other))
            .or_else(|| self.flag_as_number(op, left, right))
            .or_else(|| self.symbol_in_quotes(left.1, other.1))
            .or_else(|| self.nothing_compared(op, left, right))
    }

    /// `left = []`: whether a set or a bag is empty.
    fn nothing_compared(&self, op: Compare, left: (&Type, Span), right: &Expr) -> Option<String> {
        let (ExprKind::List(parts) | ExprKind::Set(parts)) = &right.kind else { return None };
        let holds = matches!(left.0, Type::Set(_) | Type::Bag(_) | Type::List(_) | Type::Grid(_));
        let is = if op == Compare::Equal { "is" } else { "is not" };
        let whole = self.written(left.1);
        (holds && parts.is_empty())
            .then(|| format!("whether nothing is in it is asked by `{whole} {is} empty`"))
    }

    /// `up: int for each 1..2 = [1, 1]`: the first values of all places in a list.
    pub(super) fn one_for_all(&self, found: &Expr, before: Option<&str>) -> Option<String> {
        let ExprKind::List(parts) = &found.kind else { return None };
        let (name, ty) = before?.split_once(": ")?;
        let first = self.written(parts.first()?.span);
        let alike = parts.iter().all(|part| self.written(part.span) == first);
        (ty.contains(" for each ") || ty.starts_with("grid ")).then(|| match alike {
            true => format!("one value stands for all places: `{name}: {ty} = {first}`"),
            false => format!("all places begin with one value, `{name}: {ty} = {first}`; `play` can change some of them first"),
        })
    }

    /// Returns advice for `done = 1`, where `done` is yes or no.
    fn flag_as_number(&self, op: Compare, left: (&Type, Span), right: &Expr) -> Option<String> {
        let (ExprKind::Value(Value::Int(n)), Type::Bool) = (&right.kind, left.0) else { return None };
        let text = self.written(left.1);
        match (n.as_i64()?, op) {
            (1, Compare::Equal) | (0, Compare::NotEqual) => {
                Some(format!("what is yes or no is a condition by itself: `{text}`"))
            }
            (0, Compare::Equal) | (1, Compare::NotEqual) => {
                Some(format!("what is yes or no is a condition by itself: `not {text}`"))
            }
            _ => None,
        }
    }

    /// Returns advice for `board[at] = me`, where a part of a tuple is meant, and `leaders = me`, where an element of a
    /// collection is.
    fn part_compared(&self, left: (&Type, Span), right: &Expr, op: Compare) -> Option<String> {
        let equals = if op == Compare::Equal { "=" } else { "!=" };
        let (a, b) = (self.written(left.1), self.written(right.span));
        let plain = |ty: &Type, other: &Type| *other != Type::Wrong && ty.join(other).is_some();
        let (whole, text, one, other) = match (left.0, &right.ty) {
            (whole @ (Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Bag(_)), one) => {
                (whole, a, one, b)
            }
            (one, whole @ (Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Bag(_))) => {
                (whole, b, one, a)
            }
            _ => return None,
        };
        if let Type::Tuple(parts) = whole {
            let part = parts.label(parts.iter().position(|part| plain(part, one))?);
            return Some(format!("compare a part of it: `{text}.{part} {equals} {other}`"));
        }
        if *one == Type::Int && whole.element() != Some(Type::Int) {
            return Some(format!("how many there are is `size({text})`"));
        }
        let brackets = match whole {
            Type::List(_) => format!("[{other}]"),
            Type::Set(_) => format!("{{{other}}}"),
            _ => format!("bag([{other}])"),
        };
        let inside = if op == Compare::Equal { "in" } else { "not in" };
        whole.element().filter(|element| plain(element, one)).map(|_| {
            format!("`{other} {inside} {text}` asks whether it is among them, `{text} {equals} {brackets}` whether it is the only one")
        })
    }

    /// Returns how the parts of a tuple are written.
    fn parts(&self, tuple: Span, count: usize) -> Option<Vec<String>> {
        let text = self.written(tuple);
        if let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
            let simple = parts.len() == count && !inside.contains(['(', '[', '{']);
            return simple.then(|| parts.into_iter().map(str::to_string).collect());
        }
        (operand(text) == Some(text)).then(|| (1..=count).map(|at| format!("{text}.{at}")).collect())
    }
}

/// Returns an order as it is written.
fn sign(op: Compare) -> &'static str {
    match op {
        Compare::AtMost => "<=",
        Compare::Greater => ">",
        Compare::AtLeast => ">=",
        _ => "<",
    }
}

/// Whether a value stands for nothing in other languages: 0, or an empty collection.
fn is_nothing(found: &Expr) -> bool {
    match &found.kind {
        ExprKind::Value(Value::Int(n)) => *n == Int::ZERO,
        ExprKind::List(parts) | ExprKind::Set(parts) => parts.is_empty(),
        _ => false,
    }
}
