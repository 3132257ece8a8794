//! Advice for values that do not fit: how to get from what the author wrote to what is needed there.

use super::Checker;
use super::call::source_of;
use super::mixed;
use crate::ast::{self, BinaryOp, CompareOp};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Builtin, Expr, ExprKind, Type, Value};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::operand;

/// A name that a later parameter of a move or a later part of a binder gives.
pub(super) struct Upcoming {
    /// The name.
    pub name: String,
    /// Where it is named.
    pub span: Span,
    /// The name of the parameter or part that is being checked.
    pub before: String,
    /// The place of that parameter or part.
    pub within: Span,
}

/// Returns the elements' type of a list, a set or a bag.
pub(super) fn collected(ty: &Type) -> Option<&Type> {
    match ty {
        Type::List(of) | Type::Set(of) | Type::Bag(of) => Some(of),
        _ => None,
    }
}

/// Returns how the values on all squares of a grid are written.
pub(super) fn on_squares(grid: &str) -> String {
    format!("{grid}[squares({grid})]")
}

/// Returns how the value of a type that holds nothing is written.
pub(super) fn empty_value(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Optional(_) => Some("none"),
        Type::List(_) => Some("[]"),
        Type::Set(_) => Some("{}"),
        Type::Bag(_) => Some("bag()"),
        _ => None,
    }
}

/// Returns the function that finds the largest or smallest element, for the one that compares single numbers.
pub(super) fn of_elements(name: &str) -> Option<&'static str> {
    match name {
        "max" => Some("largest"),
        "min" => Some("smallest"),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Returns advice for a value where one of type `want` is needed.
    pub(super) fn advice(&self, want: &Type, found: &Expr) -> Option<String> {
        if let Some(help) = self.copies(want, found) {
            return Some(help);
        }
        let text = self.written(found.span);
        if let Some(help) = self.square_or_tuple(want, found) {
            return Some(help);
        }
        let fixed = match (want, &found.ty) {
            (_, Type::Text) => return self.instead_of_text(found.span),
            (Type::Bool, Type::Optional(of)) if **of != Type::Bool => {
                return Some(format!(
                    "`{text} is none` asks whether nothing is there, `{text} is not none` whether something is"
                ));
            }
            (Type::Bool, Type::Int) => "compare it with something: `x > 0`",
            (Type::Player, Type::Int) if let Some(help) = self.player_with_it(found) => return Some(help),
            (Type::Player, Type::Int) if let ExprKind::Own(_, owner) = &found.kind => {
                let owner = self.written(owner.span);
                return Some(format!("`{text}` is what a player has, and the player is `{owner}`"));
            }
            (Type::Player, Type::Int) => {
                return Some(match found.kind {
                    ExprKind::Value(_) => format!("`seat({text})` is player {text}"),
                    _ => format!("the player with this number is `seat({text})`"),
                });
            }
            (Type::Player, ty) if collected(ty) == Some(&Type::Int) => return self.seats_with_numbers(found),
            (Type::Optional(of), Type::Int) if **of == Type::Player => match &found.kind {
                ExprKind::Value(Value::Int(n)) if *n == Int::ZERO => "where nobody is, write `none`",
                _ => "`seat(1)` is player 1",
            },
            (Type::List(of), Type::List(ints)) if **of == Type::Player && **ints == Type::Int => {
                "`seat(1)` is player 1: `[seat(1), seat(2)]`"
            }
            (Type::Player, Type::List(of)) if **of == Type::Player => {
                return Some(format!(
                    "take them one by one: `each p in {text} {{ {} }}`",
                    self.done_to_p(found.span)
                ));
            }
            (Type::Square, Type::Int) => return Some(self.square_chosen_by_number(found)),
            (Type::Bag(_), Type::Set(_)) if matches!(found.kind, ExprKind::Set(_)) => {
                let inner = text.trim_start_matches('{').trim_end_matches('}');
                return Some(format!("a set has each element once; `bag([{inner}])` is a bag"));
            }
            (Type::Bag(_), Type::List(_) | Type::Set(_)) => "`bag(…)` makes a bag of its elements",
            (Type::Set(_), Type::List(_) | Type::Bag(_)) => "`set(…)` makes a set of its elements",
            (Type::List(_), Type::Set(_) | Type::Bag(_)) => "`list(…)` makes a list of its elements",
            (Type::Int, ty) if collected(ty).is_some() => return self.number_of(found),
            (Type::Int, Type::Grid(of)) if **of == Type::Int => {
                return Some(format!("`sum({})` adds its numbers up", on_squares(text)));
            }
            (want, Type::Square) => return self.on_square(&Type::Square, found.span, want),
            (want, ty) if collected(ty).is_some_and(|of| want.accepts(of)) => {
                return Some(format!(
                    "take them one by one: `each x in {text} {{ … }}`, or inside a value `[x in {text}: …]`"
                ));
            }
            (Type::List(of), ty) if of.accepts(ty) && self.declared_length(found.span).is_some() => {
                let length = self.declared_length(found.span).unwrap_or_default();
                return Some(format!("every element has a value: `{length} copies of {text}`"));
            }
            (Type::Bool, ty) if collected(ty).is_some() => {
                return Some(format!("`{text} is not empty` asks whether anything is in it"));
            }
            (Type::List(of), ty) if of.accepts(ty) && *ty != Type::Wrong => {
                return Some(format!("`[{text}]` is a list of one"));
            }
            (Type::Set(of), ty) if of.accepts(ty) && *ty != Type::Wrong => {
                return Some(format!("`{{{text}}}` is a set of one"));
            }
            (Type::Tuple(parts), Type::Tuple(_)) if let Some(written) = self.in_this_order(parts, found) => {
                return Some(format!("its parts have another order: `{written}`"));
            }
            (want, Type::Tuple(parts))
                if *want != Type::Bool && parts.iter().filter(|of| want.accepts(of)).count() == 1 =>
            {
                let part = parts.label(parts.iter().position(|of| want.accepts(of))?);
                // `sum(l in lots where C)`
                if let Some((name, _)) = text.split_once(" in ") {
                    return Some(format!("say what counts of it, behind a colon: `{text} …: {name}.{part}`"));
                }
                let whole = self.source.map_or("", |source| source.slice(found.span));
                let single = operand(whole) == Some(whole) && !whole.starts_with('(');
                return single.then(|| match text {
                    "…" => format!("a part of it fits: put `.{part}` behind it"),
                    text => format!("a part of it fits: `{text}.{part}`"),
                });
            }
            (want, ty) => mixed::test_first(want, ty)?,
        };
        Some(fixed.to_string())
    }

    /// Returns advice for a function that has no meaning for the types of its arguments.
    pub(super) fn fitting_arguments(&self, function: &str, args: &[Expr]) -> Option<String> {
        match args {
            [grid @ Expr { ty: Type::Grid(_), .. }] => {
                let values = on_squares(self.written(grid.span));
                Some(format!("`{function}({values})` takes what stands on its squares"))
            }
            [squares] if collected(&squares.ty) == Some(&Type::Square) => {
                let grid = self.grid_of(|of| *of == Type::Int)?;
                let squares = self.written(squares.span);
                Some(format!("`{function}({grid}[{squares}])` takes what stands on them"))
            }
            [a, b] => self.of_one_kind_each(function, a, b),
            _ => None,
        }
    }

    /// Reports `1..8 ++ [none]`, where `..` takes the rest as its end, and `k in 2..9 not in ring`. Returns whether it
    /// did.
    pub(super) fn range_goes_on(&mut self, domain: &'a ast::Expr) -> bool {
        let (what, help) = match &domain.kind {
            ast::ExprKind::Binary(BinaryOp::Range, low, end) => {
                let (from, to, rest) = match (&low.kind, &end.kind) {
                    // `1..4 ++ 7..9`
                    (ast::ExprKind::Binary(BinaryOp::Range, from, to), _) => {
                        let ast::ExprKind::Binary(BinaryOp::Join, to, second) = &to.kind else {
                            return false;
                        };
                        (from, to, format!("list({}..{})", self.written(second.span), self.written(end.span)))
                    }
                    (_, ast::ExprKind::Binary(BinaryOp::Join, high, rest)) => {
                        (low, high, self.written(rest.span).to_string())
                    }
                    _ => return false,
                };
                let help =
                    format!("write `list({}..{}) ++ {rest}`", self.written(from.span), self.written(to.span));
                ("`..` takes all of this as its end", help)
            }
            ast::ExprKind::Compare(range, links) => {
                let ast::ExprKind::Binary(BinaryOp::Range, low, high) = &range.kind else { return false };
                let [(op @ (CompareOp::In | CompareOp::NotIn), source)] = links.as_slice() else {
                    return false;
                };
                let (from, to, source) =
                    (self.written(low.span), self.written(high.span), self.written(source.span));
                let sign = sign(*op);
                let help =
                    format!("a condition comes after `where`: `k in {from}..{to} where k {sign} {source}`");
                ("this asks whether a range is in something", help)
            }
            _ => return false,
        };
        self.report(Diagnostic::new(Code::TypeMismatch, domain.span, what, "a range is needed").help(help));
        true
    }

    /// Returns advice for a comparison of a player with a number.
    pub(super) fn seat_as_number(&self, left: (&Type, Span), right: (&Type, Span)) -> Option<String> {
        let player = |ty: &Type| match ty {
            Type::Optional(of) => **of == Type::Player,
            ty => *ty == Type::Player,
        };
        let (who, number) = match (left, right) {
            ((a, who), (Type::Int, number)) if player(a) => (who, number),
            ((Type::Int, number), (b, who)) if player(b) => (who, number),
            _ => return None,
        };
        let (who, number) = (self.written(who), self.written(number));
        Some(match number.parse::<usize>() {
            Ok(0) if [left, right].iter().any(|(ty, _)| matches!(ty, Type::Optional(_))) => {
                format!("where nobody is, it is none: `{who} is none`")
            }
            Ok(seat) => match seat.checked_sub(1).and_then(|at| self.game.seats.roles.get(at)) {
                Some(name) => format!("player {seat} is `{name}`, or `seat({seat})`"),
                None => format!("player {seat} is written `seat({seat})`"),
            },
            Err(_) => format!("take the player's number: `{who}.number`"),
        })
    }

    /// Reports a list, set, bag or tuple in a sum or difference, as in `L + x`. Returns whether it did.
    pub(super) fn list_as_number(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        // `row + [3] + [4]` is one mistake.
        if a.ty == Type::Wrong && collected(&b.ty).is_some() {
            return op == BinaryOp::Add;
        }
        let (help, fix) = match self.instead_of_sum(op, a, b) {
            Some((help, fix)) => (help, fix),
            None => return false,
        };
        let wrong = if a.ty == Type::Int { b } else { a };
        let message = format!("this is {}, not a number", self.words(&wrong.ty));
        let report =
            Diagnostic::new(Code::TypeMismatch, wrong.span, message, "a number is needed").help(help);
        self.report(Diagnostic { fix, ..report });
        true
    }

    /// Returns what to write instead of a sum or difference that begins with a list, set, bag or tuple.
    fn instead_of_sum(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<(String, Option<Fix>)> {
        let (first, other) = (self.written(a.span), self.written(b.span));
        let sign = match (op, &a.kind) {
            (BinaryOp::Add, _) => "+",
            (BinaryOp::Sub, _) => "-",
            (BinaryOp::Mul, ExprKind::List(items))
                if items.len() == 1 && collected(&items[0].ty).is_some() =>
            {
                let help = self.each_several_times(self.written(items[0].span), other, false);
                return Some((help, None));
            }
            (BinaryOp::Mul, ExprKind::List(items)) if items.len() == 1 => {
                return Some((format!("write `{other} copies of {}`", self.written(items[0].span)), None));
            }
            (BinaryOp::Mul, _) => return self.many_times(a, b).map(|help| (help, None)),
            _ => return None,
        };
        if let Type::Tuple(parts) = &a.ty {
            let each = (0..parts.len()).map(|at| format!("{first}.{} {sign} …", parts.label(at)));
            let each: Vec<String> = each.collect();
            return Some((format!("a tuple is counted with part by part: `({})`", each.join(", ")), None));
        }
        let of = collected(&a.ty)?;
        let whole = collected(&b.ty).is_some() && (a.ty.join(&b.ty).is_some() || !of.accepts(&b.ty));
        if !whole && (!of.accepts(&b.ty) || b.ty == Type::Wrong) {
            return None;
        }
        let help = match (op, whole) {
            (BinaryOp::Add, true) => return Some(self.joined_by(a, b)),
            (BinaryOp::Add, false) if matches!(a.ty, Type::Bag(_)) => format!(
                "the statement `{first} += {other}` adds to `{first}`; `{first} ++ bag([{other}])` is the larger bag"
            ),
            (BinaryOp::Add, false) if matches!(a.ty, Type::Set(_)) => format!(
                "the statement `{first} += {other}` adds to `{first}`; `{first} ++ {{{other}}}` is the larger set"
            ),
            (BinaryOp::Add, false) => format!(
                "`{first} ++ [{other}]` is the longer list; the statement `{first} += {other}` adds to `{first}`"
            ),
            (_, whole) => return self.left_of(a, b, whole),
        };
        Some((help, None))
    }

    /// Returns how many elements the list has that a first value is given in its declaration.
    fn declared_length(&self, first: Span) -> Option<&str> {
        let (_, ty) =
            self.line_before(first).trim_end().strip_suffix('=')?.split_once(": list of exactly ")?;
        let (length, _) = ty.split_once(" of ")?;
        Some(length)
    }

    /// Returns how to make one number of a collection.
    pub(super) fn number_of(&self, found: &Expr) -> Option<String> {
        let text = self.written(found.span);
        // `coins: int = 0..9`
        let before = self.line_before(found.span).trim().strip_suffix('=').map(str::trim_end);
        if let (Some((name, _)), Some((low, _))) =
            (before.and_then(|before| before.split_once(": ")), text.split_once(".."))
        {
            return Some(format!("a range is a type: write `{name}: {text} = {low}`"));
        }
        if let Some(one) = self.one_for_all(found, before) {
            return Some(one);
        }
        Some(match collected(&found.ty)? {
            Type::Int => format!("`sum({text})` adds them up, `size({text})` counts them"),
            _ => format!("`size({text})` counts its elements"),
        })
    }

    /// Returns how to write a list that has each element of another several times, for copies of that list.
    fn copies(&self, want: &Type, found: &Expr) -> Option<String> {
        let ExprKind::Builtin(Builtin::CopiesOf, args) = &found.kind else { return None };
        let [count, copied] = args.as_slice() else { return None };
        let of = collected(want)?;
        let list = match &copied.kind {
            // `[1..10]`
            ExprKind::List(items) if items.len() == 1 && collected(&items[0].ty).is_some() => &items[0],
            _ => copied,
        };
        let (shown, times) = (self.written(list.span), self.written(count.span));
        if !std::ptr::eq(list, copied) && of.accepts(&list.ty) {
            return Some(format!("leave the inner brackets out: `{times} copies of ({shown})`"));
        }
        let fits = collected(&list.ty).is_some_and(|item| of.accepts(item));
        fits.then(|| {
            let whole = format!("{times} copies of each of {shown}");
            format!("copies of a list are lists; its elements, each {times} times: `{whole}`")
        })
    }

    /// Reports `x = a or b`, where `b` is a value instead of a condition. `right` is the checked `b`. Returns
    /// whether it did.
    pub(super) fn several_values(&mut self, op: BinaryOp, left: &'a ast::Expr, right: &Expr) -> bool {
        if matches!(right.ty, Type::Bool | Type::Wrong) {
            return false;
        }
        let Some((subject, compared, mut values)) = compared_values(op, left) else { return false };
        values.push(right.span);
        let subject = self.written(subject);
        let texts: Vec<&str> = values.iter().map(|value| self.written(*value)).collect();
        let (word, list) = (if op == BinaryOp::And { "and" } else { "or" }, texts.join(", "));
        let none = texts.contains(&"none");
        let instead = match compared {
            CompareOp::Equal if op == BinaryOp::Or && !none => format!("{subject} in {{{list}}}"),
            CompareOp::NotEqual if !none => format!("{subject} not in {{{list}}}"),
            // What is never none need not be compared with it.
            compared if none && self.is_never_none(subject) => {
                let values = texts.iter().filter(|text| **text != "none");
                let parts: Vec<String> =
                    values.map(|text| self.one_compared(subject, compared, text, right)).collect();
                parts.join(&format!(" {word} "))
            }
            compared => {
                let parts: Vec<String> =
                    texts.iter().map(|text| self.one_compared(subject, compared, text, right)).collect();
                parts.join(&format!(" {word} "))
            }
        };
        // Of several values, the ones further left were reported already.
        self.diagnostics.retain(|d| {
            !(d.code == Code::TypeMismatch
                && values[0].end <= d.span().start
                && d.span().end <= right.span.start)
        });
        let found = self.words(&right.ty);
        self.report(
            Diagnostic::new(
                Code::TypeMismatch,
                values[1].to(right.span),
                format!("`{word}` joins conditions, and this is {found}"),
                "yes or no is needed",
            )
            .help(format!("write `{instead}`")),
        );
        true
    }

    /// Whether a name is known to hold a value that is never none.
    fn is_never_none(&self, name: &str) -> bool {
        let local = self.frame.locals.iter().rev().find(|local| local.name == name).map(|local| &local.ty);
        let ty = local.or(self.globals.get(name).map(|global| &global.ty));
        ty.is_some_and(|ty| !matches!(ty, Type::Optional(_) | Type::Wrong))
    }

    /// Writes one of several comparisons out; the last of the values is `last`.
    fn one_compared(&self, subject: &str, op: CompareOp, value: &str, last: &Expr) -> String {
        let single = value.chars().all(|c| c.is_ascii_digit())
            || value == self.written(last.span) && last.ty.element().is_none();
        match op {
            CompareOp::Equal | CompareOp::In if value == "none" => format!("{subject} is none"),
            CompareOp::NotEqual | CompareOp::NotIn if value == "none" => format!("{subject} is not none"),
            CompareOp::In if single => format!("{subject} = {value}"),
            CompareOp::NotIn if single => format!("{subject} != {value}"),
            op => format!("{subject} {} {value}", sign(op)),
        }
    }

    /// Returns advice for `v in S` where `v` can never be in S.
    pub(super) fn never_in(&self, value: &Expr, source: &Expr, element: &Type) -> Option<String> {
        let (v, s) = (self.written(value.span), self.written(source.span));
        let joins = |ty: &Type| *ty != Type::Wrong && value.ty.join(ty).is_some();
        if let (Type::Tuple(parts), Type::Tuple(of)) = (&value.ty, element)
            && parts.len() < of.len()
            && let ExprKind::Tuple(items) = &value.kind
        {
            let same: Vec<String> = items
                .iter()
                .enumerate()
                .map(|(at, item)| format!("t.{} = {}", of.label(at), self.written(item.span)))
                .collect();
            let help = format!("compare the parts of each: `some(t in {s}: {})`", same.join(" and "));
            return Some(help);
        }
        match &source.ty {
            Type::List(_) | Type::Set(_)
                if *element == Type::Square
                    && let Some(grid) = self.grid_of(joins) =>
            {
                Some(format!("`{grid}[{s}]` are the values on these squares: `{v} in {grid}[{s}]`"))
            }
            _ if value.ty == Type::Player && *element == Type::Int => {
                Some(format!("the number of a player's seat is `{v}.number`: `{v}.number in {s}`"))
            }
            Type::Grid(of) if joins(of) => {
                Some(format!("a grid is gone through by its squares; `{}` holds the values", on_squares(s)))
            }
            Type::Map(_, of) if joins(of) => {
                Some(format!("a map is gone through by its keys; `[k in {s}: {s}[k]]` holds the values"))
            }
            Type::List(_) | Type::Set(_) | Type::Bag(_) => {
                if let (ExprKind::List(items) | ExprKind::Set(items), Some(inner)) =
                    (&source.kind, collected(element))
                    && let [one] = items.as_slice()
                    && joins(inner)
                {
                    return Some(format!("leave the brackets out: `{v} in {}`", self.written(one.span)));
                }
                if collected(element).is_some_and(joins) {
                    return Some(format!("look into each of them: `some(x in {s}: {v} in x)`"));
                }
                let whole = collected(&value.ty).is_some_and(|of| of.join(element).is_some());
                whole.then(|| format!("`subset({v}, {s})` asks whether all of them are in it"))
            }
            _ => None,
        }
    }

    /// Reports several places in `[ ]`, where the elements of a set or a bag should be gone through. `changed`
    /// is whether the place is written. Returns whether it did.
    pub(super) fn places_one_by_one(
        &mut self,
        base: (&Type, Span),
        found: &Expr,
        key: &Type,
        changed: bool,
    ) -> bool {
        if key.accepts(&found.ty) || !collected(&found.ty).is_some_and(|of| key.accepts(of)) {
            return false;
        }
        let (base, base_span) = base;
        let (base_text, text) = (self.written(base_span), self.written(found.span));
        let x = if *key == Type::Square { "s" } else { "k" };
        let help = match base {
            _ if changed => {
                format!("change them one by one: `each {x} in {text} {{ {base_text}[{x}] := … }}`")
            }
            Type::List(of) | Type::Grid(of) | Type::Map(_, of) if **of == Type::Int => format!(
                "`sum({x} in {text}: {base_text}[{x}])` adds up what is there, `[{x} in {text}: {base_text}[{x}]]` lists it"
            ),
            _ => format!("`[{x} in {text}: {base_text}[{x}]]` lists what is there"),
        };
        self.mismatch(found, key, Some(help));
        true
    }

    /// Reports a value that has another type than `want`.
    pub(super) fn mismatch(&mut self, found: &Expr, want: &Type, help: Option<String>) {
        self.mismatch_with(found, want, help, None);
    }

    /// Reports a value that has another type than `want`, with a correction.
    pub(super) fn mismatch_with(
        &mut self,
        found: &Expr,
        want: &Type,
        help: Option<String>,
        fix: Option<Fix>,
    ) {
        let (want, ty) = (self.words(want), self.words(&found.ty));
        let mut report = Diagnostic::new(
            Code::TypeMismatch,
            found.span,
            format!("this is {ty}, not {want}"),
            format!("{want} is needed"),
        );
        (report.help, report.fix) = (help, fix);
        // The same value that does not fit in the same way is one mistake.
        let text = self.written(found.span);
        let alike = |d: &Diagnostic| d.message == report.message && self.written(d.span()) == text;
        match text != "…" && self.diagnostics.iter().any(alike) {
            true => self.report_once(report),
            false => self.report(report),
        }
    }

    /// Returns advice for an argument that does not fit the letter of a function's parameter.
    pub(super) fn argument_advice(&self, function: &str, letter: u8, found: &Expr) -> Option<String> {
        let text = self.written(found.span);
        match (letter, &found.ty) {
            (letter, Type::Player)
                if let Some(own) = self.own_that_fits(|ty| super::vocabulary::fits(letter, ty)) =>
            {
                Some(format!("what is needed here is something that the player has: `{text}.{own}`"))
            }
            (b'c', Type::Int) if matches!(function, "sum" | "product" | "largest" | "smallest") => {
                Some(format!("`{text}` is a single number already: leave out `{function}( )`"))
            }
            (b'n', ty) if collected(ty) == Some(&Type::Int) => match of_elements(function) {
                Some(of) => Some(format!("`{of}({text})` looks at its elements")),
                None => self.gone_through_by(function, found).or_else(|| self.number_of(found)),
            },
            (b'c', Type::Square) if function == "empty" => {
                let grid = self.grid_of(|of| matches!(of, Type::Optional(_)))?;
                Some(format!("a square is only a place: write `{grid}[{text}] is empty`"))
            }
            (b'c', Type::Optional(of)) if function == "empty" && collected(of).is_none() => {
                Some(format!("what is not there is none: write `{text} is none`"))
            }
            (b'n', Type::Square) if matches!(function, "row" | "column") => {
                Some(format!("the {function} of a square is a part of it: write `{text}.{function}`"))
            }
            (b'n', Type::Square) => self.on_square(&Type::Square, found.span, &Type::Int),
            (_, Type::Set(of) | Type::Bag(of)) if matches!(function, "first" | "last") => {
                let end = if function == "first" { "smallest" } else { "largest" };
                Some(match **of {
                    Type::Int => format!("only a list has an order; `{end}({text})` is the {end} element"),
                    _ => format!("only a list has an order: write `{function}(sorted({text}))`"),
                })
            }
            _ => None,
        }
    }

    /// Reports points that are changed by an assignment; `target` is written `p.score`. Returns whether it did.
    pub(super) fn score_is_awarded(
        &mut self,
        target: &'a ast::Expr,
        op: ast::Assign,
        value: &'a ast::Expr,
    ) -> bool {
        let ast::ExprKind::Field(owner, field) = &target.kind else { return false };
        if field.text != "score" || self.fields.contains_key("score") {
            return false;
        }
        let reports = self.diagnostics.len();
        let owner = self.expr(owner, None);
        if owner.ty != Type::Player || self.diagnostics.len() > reports {
            return false;
        }
        let value = self.expect(value, &Type::Int);
        let (points, to) = (self.written(value.span), self.written(owner.span));
        let help = match op {
            ast::Assign::Add => format!("write `award {points} to {to}`"),
            ast::Assign::Take if points.contains(' ') => format!("write `award -({points}) to {to}`"),
            ast::Assign::Take => format!("write `award -{points} to {to}`"),
            _ => {
                format!("write `award n to {to}` to add n points, or count them at the end with `score = …`")
            }
        };
        self.report(
            Diagnostic::new(
                Code::CannotChange,
                target.span,
                "points are awarded; they cannot be set",
                "not a piece of state",
            )
            .help(help),
        );
        true
    }

    /// Notes the names of the parameters after this one.
    pub(super) fn params_to_come(&mut self, param: &ast::Param, later: &[ast::Param]) {
        let Some(next) = later.first() else { return self.upcoming.clear() };
        let within = Span::new(param.name.span.start, next.name.span.start);
        self.upcoming = later.iter().map(|later| upcoming(&later.name, &param.name, within)).collect();
    }

    /// Notes the names of the parts of a binder after this one.
    pub(super) fn parts_to_come(&mut self, part: &ast::Expr, later: &[ast::Expr]) {
        let Some((before, _)) = source_of(part) else { return };
        for (pattern, _) in later.iter().filter_map(source_of) {
            let names = pattern.names.iter().map(|name| upcoming(name, &before.names[0], part.span));
            self.upcoming.extend(names);
        }
    }

    /// Returns advice for a part of a binder that is not of the form `x in S`; `later` are the parts after it.
    pub(super) fn own_in(&self, part: &ast::Expr, later: &[ast::Expr]) -> String {
        match (&part.kind, later.iter().find_map(source_of)) {
            (ast::ExprKind::Name(name), Some((_, source))) => {
                format!("give each name its own `in`: `{name} in {}`", self.written(source.span))
            }
            (ast::ExprKind::Name(name), None) if name == "players" => {
                "give each of them a name: `p in players`".to_string()
            }
            (ast::ExprKind::Name(name), None)
                if self.type_of_name(part).is_some_and(|ty| ty.element().is_some()) =>
            {
                format!("give each element a name: `x in {name}`")
            }
            _ => "every part before `where` or `:` names an element and what it is taken from".to_string(),
        }
    }

    /// Reports a name that is given only further right, in the same parentheses. Returns whether it did.
    pub(super) fn comes_later(&mut self, name: &str, span: Span) -> bool {
        let inside = |within: Span| within.start <= span.start && span.end <= within.end;
        let Some(later) = self.upcoming.iter().find(|later| later.name == name && inside(later.within))
        else {
            return false;
        };
        let report = Diagnostic::new(
            Code::UnknownName,
            span,
            format!("there is nothing called `{name}` yet"),
            "not known here",
        )
        .also(later.span, "named here")
        .help(format!("`{name}` is chosen after `{}`: put it first", later.before));
        self.report(report);
        true
    }
}

fn upcoming(name: &ast::Name, before: &ast::Name, within: Span) -> Upcoming {
    Upcoming { name: name.text.clone(), span: name.span, before: before.text.clone(), within }
}

/// Decomposes `x = a`, or what is left of the last value in `x = a or b or c`: the place of `x`, the
/// comparison, and the places of the values.
fn compared_values(op: BinaryOp, e: &ast::Expr) -> Option<(Span, CompareOp, Vec<Span>)> {
    match &e.kind {
        ast::ExprKind::Compare(subject, links) => match links.as_slice() {
            [(compared, value)] => Some((subject.span, *compared, vec![value.span])),
            _ => None,
        },
        // `and` binds more tightly than `or`.
        ast::ExprKind::Binary(BinaryOp::And, _, right) if op == BinaryOp::Or => compared_values(op, right),
        ast::ExprKind::Binary(same, left, right) if *same == op => match compared_values(op, right) {
            Some(found) => Some(found),
            None => {
                let (subject, compared, mut values) = compared_values(op, left)?;
                values.push(right.span);
                Some((subject, compared, values))
            }
        },
        _ => None,
    }
}

/// Returns a comparison as it is written.
pub(super) fn sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "=",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::AtMost => "<=",
        CompareOp::Greater => ">",
        CompareOp::AtLeast => ">=",
        CompareOp::Divides => "divides",
        CompareOp::In => "in",
        CompareOp::NotIn => "not in",
    }
}
