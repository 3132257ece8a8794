//! Expressions: resolves their names and types.

use super::missing::WAY_OUT;
use super::scope::GlobalKind;
use super::shorthand::copies_as_bag;
use super::{Checker, vocabulary, wrong};
use super::{advice, grids};
use crate::ast::{self, BinaryOp, CompareOp, IsTest};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, FoldKind, SquareAt, TextPart, Type, Value};
use crate::source::Span;
use crate::syntax::foreign::foreign;

pub(super) fn of(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl<'a> Checker<'a> {
    /// Checks an expression that must have type `want`.
    pub(super) fn expect(&mut self, e: &'a ast::Expr, want: &Type) -> Expr {
        let found = self.expr(e, Some(want));
        self.check_type(&found, want);
        found
    }

    /// Reports an expression that does not have the type `want`.
    pub(super) fn check_type(&mut self, found: &Expr, want: &Type) {
        if want.accepts(&found.ty) {
            return;
        }
        if let ExprKind::If(arms, otherwise) = &found.kind {
            // The arm that does not fit says more than the whole.
            arms.iter()
                .map(|(_, value)| value)
                .chain([&**otherwise])
                .for_each(|arm| self.check_type(arm, want));
            return;
        }
        if self.empty_of_another_kind(found, want)
            || self.meant_by_value(found, want)
            || self.wrapped(found, want)
        {
            return;
        }
        match &found.ty {
            Type::Optional(inner) if **inner == Type::Never => self.none_where(want, found.span),
            Type::Optional(inner) if want.accepts(inner) => self.report(
                Diagnostic::new(Code::MaybeNone, found.span, "this may be none", "a value is needed here")
                    .help(self.way_out(found.span)),
            ),
            _ => {
                let help = self.advice(want, found);
                self.mismatch(found, want, help);
            }
        }
    }

    /// Checks an expression; the expected type `want` helps to resolve symbols.
    pub(super) fn expr(&mut self, e: &'a ast::Expr, want: Option<&Type>) -> Expr {
        if !self.deeper(1, e.span) {
            return wrong(e.span);
        }
        let checked = self.expr_kind(e, want);
        self.depth -= 1;
        self.narrowed(checked)
    }

    /// Checks an expression without narrowing its type: facts that it is not none are ignored.
    pub(super) fn expr_unnarrowed(&mut self, e: &'a ast::Expr) -> Expr {
        if !self.deeper(1, e.span) {
            return wrong(e.span);
        }
        let checked = self.expr_kind(e, None);
        self.depth -= 1;
        checked
    }

    fn expr_kind(&mut self, e: &'a ast::Expr, want: Option<&Type>) -> Expr {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Number(n) => of(ExprKind::Value(Value::Int(n.clone())), Type::Int, span),
            ast::ExprKind::Bool(b) => of(ExprKind::Value(Value::Bool(*b)), Type::Bool, span),
            ast::ExprKind::None => {
                of(ExprKind::Value(Value::None), Type::Optional(Box::new(Type::Never)), span)
            }
            ast::ExprKind::Text(parts) => self.text(parts, span),
            ast::ExprKind::Every(name) => self.every(name, span),
            ast::ExprKind::Name(name) => self.name(name, want, span),
            ast::ExprKind::Field(base, field) => self.field(base, field, span),
            ast::ExprKind::Index(base, at) => self.index(base, at, span),
            ast::ExprKind::Call(name, inside) => self.call(name, inside, span),
            ast::ExprKind::Tuple(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|p| self.expr(p, None)).collect();
                let ty = Type::Tuple(parts.iter().map(|p| p.ty.clone()).collect());
                of(ExprKind::Tuple(parts), ty, span)
            }
            ast::ExprKind::List(inside) => self.collection(FoldKind::List, inside, want, span),
            ast::ExprKind::Set(inside) => self.collection(FoldKind::Set, inside, want, span),
            ast::ExprKind::Not(a) => {
                let a = self.expect(a, &Type::Bool);
                of(ExprKind::Not(boxed(a)), Type::Bool, span)
            }
            ast::ExprKind::Negative(a) => {
                let a = self.expect(a, &Type::Int);
                of(ExprKind::Negative(boxed(a)), Type::Int, span)
            }
            ast::ExprKind::Binary(op, a, b) => {
                let made = self.binary(e, *op, a, b, span);
                copies_as_bag(e, made, want)
            }
            ast::ExprKind::Compare(first, links) => self.compare(first, links, span),
            ast::ExprKind::Is(a, negated, test) => self.is(a, *negated, test, span),
            ast::ExprKind::With(base, at, value) => self.with(base, at, value, span),
            ast::ExprKind::If(arms, otherwise) => self.if_expr(arms, otherwise, want, span),
            ast::ExprKind::Case(subject, arms, otherwise) => {
                self.case(subject, arms, otherwise.as_deref(), want, span)
            }
            ast::ExprKind::Board(_) => self.misplaced_board(span),
            ast::ExprKind::AtLeast(_) => {
                self.error(
                    Code::Misplaced,
                    span,
                    "a range without an upper end is not a value",
                    "use it only after `in`",
                );
                wrong(span)
            }
            ast::ExprKind::Wrong => wrong(span),
        }
    }

    /// Checks a text; the values filled in may be of any type.
    pub(super) fn text(&mut self, parts: &'a [ast::TextPart], span: Span) -> Expr {
        let parts = parts
            .iter()
            .map(|part| match part {
                ast::TextPart::Chars(chars) => TextPart::Chars(chars.clone()),
                ast::TextPart::Filled(value) => TextPart::Value(self.expr(value, None)),
            })
            .collect();
        of(ExprKind::Text(parts), Type::Text, span)
    }

    // ---- names

    pub(super) fn name(&mut self, name: &str, want: Option<&Type>, span: Span) -> Expr {
        if let Some(id) = self.wanted_symbol(name, want) {
            self.note_symbol(name, id);
            return of(ExprKind::Value(Value::Symbol(id)), Type::Symbol([id].into()), span);
        }
        if let Some((slot, ty)) = self.local(name) {
            return of(ExprKind::Local(slot), ty, span);
        }
        if let Some(score) = self.judged_score(name, span) {
            return score;
        }
        if let Some(global) = self.globals.get_mut(name) {
            global.used = true;
            let ty = global.ty.clone();
            return match global.kind {
                GlobalKind::Option(id) => of(ExprKind::Option(id), ty, span),
                GlobalKind::Constant(id) => of(ExprKind::Constant(id), ty, span),
                GlobalKind::Seat(seat) => of(ExprKind::Value(Value::Player(seat)), Type::Player, span),
                GlobalKind::Table(id) => of(ExprKind::Table(id), ty, span),
            };
        }
        let players = Type::List(Box::new(Type::Player));
        match name {
            "players" => return of(ExprKind::Players, players, span),
            "standing" => return of(ExprKind::Standing, players, span),
            _ => {}
        }
        if let Some(id) = self.symbols.get(name).copied() {
            self.note_symbol(name, id);
            return of(ExprKind::Value(Value::Symbol(id)), Type::Symbol([id].into()), span);
        }
        // A square as people write it, if nothing else has that name.
        if let Some(square) =
            SquareAt::read(name).filter(|_| self.has_grid && !self.fields.contains_key(name))
        {
            return of(ExprKind::Value(Value::Square(square)), Type::Square, span);
        }
        if let Some(slot) = self.pass_of(name) {
            return of(ExprKind::Local(slot), Type::Int, span);
        }
        if let Some((declared, changes)) = self.declared.get(name).copied() {
            self.report(match changes {
                true => Diagnostic::new(
                    Code::NotConstant,
                    span,
                    format!("`{name}` changes during play, but this is fixed before play"),
                    "changes during play",
                )
                .also(declared, "declared here")
                .help("write `define f() = …` for a value that is worked out each time"),
                // It is declared above, and its error is reported there.
                false if declared < span => return wrong(span),
                false => Diagnostic::new(
                    Code::UnknownName,
                    span,
                    format!("`{name}` is declared further down"),
                    "not known yet",
                )
                .also(declared, "declared here")
                .help("options and constants can use only what is declared above them"),
            });
            return wrong(span);
        }
        if self.speaks_of_directions(name) {
            return self.name(name, want, span);
        }
        self.unknown_name(name, want, span);
        wrong(span)
    }

    /// Resolves a symbol where `want` is a symbol type that contains it, or whose kind does.
    pub(super) fn wanted_symbol(&self, name: &str, want: Option<&Type>) -> Option<usize> {
        let mut want = want?;
        while let Type::Optional(inner) = want {
            want = inner;
        }
        let (Type::Symbol(ids) | Type::Either(ids, _)) = want else { return None };
        let fits = |id: &usize| ids.contains(id) || self.of_one_kind(want, &Type::Symbol([*id].into()));
        self.symbols.get(name).copied().filter(fits)
    }

    pub(super) fn field(&mut self, base: &'a ast::Expr, field: &ast::Name, span: Span) -> Expr {
        if let Some(id) = self.table_field(base, field) {
            if let Some(global) = self.globals.get_mut(&field.text) {
                global.used = true;
            }
            return of(ExprKind::Table(id), self.game.state[id].form.ty(), span);
        }
        let base = self.expr(base, None);
        let name = field.text.as_str();
        match (&base.ty, name) {
            (Type::Wrong, _) => wrong(span),
            (Type::Player, _) if self.fields.contains_key(name) => {
                let id = self.fields[name];
                let ty = self.game.state[id].form.ty();
                of(ExprKind::Own(id, boxed(base)), ty, span)
            }
            (Type::Player, "score") => of(ExprKind::Score(boxed(base)), Type::Int, span),
            (Type::Player, "others") => {
                of(ExprKind::Builtin(Builtin::Others, vec![base]), Type::List(Box::new(Type::Player)), span)
            }
            (Type::Player, "next") => of(ExprKind::Builtin(Builtin::After, vec![base]), Type::Player, span),
            (Type::Player, "previous") => {
                of(ExprKind::Builtin(Builtin::Before, vec![base]), Type::Player, span)
            }
            (Type::Player, "number") => of(ExprKind::Builtin(Builtin::Index, vec![base]), Type::Int, span),
            (Type::Player, _) => {
                let report = self.unknown_field(field, span);
                self.report_once(report);
                wrong(span)
            }
            (Type::Square, "row") => of(ExprKind::Builtin(Builtin::Row, vec![base]), Type::Int, span),
            (Type::Square, "column") => of(ExprKind::Builtin(Builtin::Column, vec![base]), Type::Int, span),
            (Type::Tuple(_), _) => self.part_of(base, field, span),
            (Type::Optional(inner), _) if matches!(**inner, Type::Player | Type::Square | Type::Tuple(_)) => {
                self.report(
                    Diagnostic::new(
                        Code::MaybeNone,
                        base.span,
                        "this may be none",
                        format!("`.{name}` needs a value"),
                    )
                    .help(self.way_out(base.span)),
                );
                wrong(span)
            }
            (ty, _) => {
                let words = self.words(ty);
                let report = Diagnostic::new(
                    Code::UnknownField,
                    field.span,
                    format!("{words} has no `{name}`"),
                    "not a part of it",
                );
                let function = vocabulary::word(name).map(|word| word.name);
                let function =
                    function.or_else(|| self.defines.iter().find(|d| d.name.text == name).map(|_| name));
                self.report_once(match function {
                    _ if let Some(help) = self.meant_by_part(name, base.span, ty) => report.help(help),
                    Some(function) => {
                        let function = match advice::of_elements(function) {
                            Some(of) if ty.element().is_some() => of,
                            _ => function,
                        };
                        let base = self.written(base.span);
                        report.help(format!("write the function first: `{function}({base})`"))
                    }
                    None if *ty == Type::Square => grids::suggest_part(report, name),
                    None if *ty == Type::List(Box::new(Type::Player)) && self.fields.contains_key(name) => {
                        let players = self.written(base.span);
                        report.help(format!(
                            "each of them has one: `[p in {players}: p.{name}]` are all of these"
                        ))
                    }
                    None => match foreign(name) {
                        Some(foreign) => report.help(foreign.says),
                        None if self.value_called(name) && !matches!(ty, Type::Int | Type::Bool) => {
                            let base = self.written(base.span);
                            report.help(format!(
                                "a place in it is written in square brackets: `{base}[{name}]`"
                            ))
                        }
                        None => report,
                    },
                });
                wrong(span)
            }
        }
    }

    // ---- indexing

    pub(super) fn index(&mut self, base: &'a ast::Expr, at: &'a [ast::Expr], span: Span) -> Expr {
        let base = self.expr(base, None);
        let Some((at, many)) = self.index_key(&base.ty, at, base.span, false) else { return wrong(span) };
        let Some(element) = base.ty.at_index() else { return wrong(span) };
        match many {
            _ if at.ty == Type::Wrong => wrong(span),
            true => of(ExprKind::Pick(boxed(base), boxed(at)), Type::List(Box::new(element)), span),
            false => of(ExprKind::Index(boxed(base), boxed(at)), element, span),
        }
    }

    /// Checks the index of a value of type `base`. Also returns whether the index is a list of places.
    /// `changed` is whether the place is written.
    pub(super) fn index_key(
        &mut self,
        base: &Type,
        at: &'a [ast::Expr],
        base_span: Span,
        changed: bool,
    ) -> Option<(Expr, bool)> {
        match (base, at) {
            (Type::Wrong, _) => None,
            (Type::Grid(_), [row, column]) => {
                let row = self.expect(row, &Type::Int);
                let column = self.expect(column, &Type::Int);
                let span = row.span.to(column.span);
                Some((of(ExprKind::Square(boxed(row), boxed(column)), Type::Square, span), false))
            }
            (Type::Grid(_) | Type::List(_) | Type::Map(..), [one]) => {
                let key = match base {
                    Type::Grid(_) => Type::Square,
                    Type::Map(key, _) => (**key).clone(),
                    _ => Type::Int,
                };
                if self.open_stretch(base, one, base_span) {
                    return None;
                }
                let found = self.expr(one, Some(&key));
                if !matches!(base, Type::Map(..))
                    && Type::List(Box::new(key.clone())).accepts(&found.ty)
                    && found.ty != Type::Wrong
                {
                    return Some((found, true));
                }
                if self.places_one_by_one((base, base_span), &found, &key, changed) {
                    return Some((wrong(found.span), false));
                }
                self.check_type(&found, &key);
                Some((found, false))
            }
            (Type::List(_) | Type::Map(..), more) => {
                let place = more[0].span.to(more[more.len() - 1].span);
                let report = Diagnostic::new(
                    Code::CannotIndex,
                    place,
                    "one place is needed here, not two",
                    "only a grid has rows and columns",
                );
                let nested = base.at_index().is_some_and(|of| of.at_index().is_some());
                let base = self.written(base_span);
                let each: String = more.iter().map(|at| format!("[{}]", self.written(at.span))).collect();
                self.report(match nested {
                    true => report
                        .help(format!("a list in a list has a pair of brackets of its own: `{base}{each}`")),
                    false => report,
                });
                None
            }
            (Type::Optional(inner), _) if inner.element().is_some() => {
                self.report(
                    Diagnostic::new(Code::MaybeNone, base_span, "this may be none", "`[ ]` needs a value")
                        .help(self.way_out(base_span)),
                );
                None
            }
            (_, at) => {
                self.no_places(base, base_span, at);
                None
            }
        }
    }

    pub(super) fn with(
        &mut self,
        base: &'a ast::Expr,
        at: &'a [ast::Expr],
        value: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let base = self.expr(base, None);
        let Some((at, false)) = self.index_key(&base.ty, at, base.span, false) else { return wrong(span) };
        let Some(element) = base.ty.at_index() else { return wrong(span) };
        let value = self.expr(value, Some(&element));
        let Some(joined) = element.join(&value.ty) else {
            self.check_type(&value, &element);
            return wrong(span);
        };
        let ty = match &base.ty {
            Type::List(_) => Type::List(Box::new(joined)),
            Type::Grid(_) => Type::Grid(Box::new(joined)),
            other => other.clone(),
        };
        of(ExprKind::With(boxed(base), boxed(at), boxed(value)), ty, span)
    }

    // ---- operators

    pub(super) fn binary(
        &mut self,
        whole: &'a ast::Expr,
        op: BinaryOp,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let arith = match op {
            BinaryOp::Add => Arith::Add,
            BinaryOp::Sub => Arith::Sub,
            BinaryOp::Mul => Arith::Mul,
            BinaryOp::Div => Arith::Div,
            BinaryOp::Mod => Arith::Mod,
            BinaryOp::Pow => Arith::Pow,
            BinaryOp::And | BinaryOp::Or => {
                if self.collections_joined(op, a, b, span) || op == BinaryOp::Or && self.values_or(a, b, span)
                {
                    return wrong(span);
                }
                let left = self.expect(a, &Type::Bool);
                let mark = self.facts.len();
                self.assume(&left, op == BinaryOp::And);
                let right = self.expr(b, Some(&Type::Bool));
                if !self.several_values(op, a, &right) {
                    self.check_type(&right, &Type::Bool);
                }
                self.facts.truncate(mark);
                let kind = match op {
                    BinaryOp::And => ExprKind::And(boxed(left), boxed(right)),
                    _ => ExprKind::Or(boxed(left), boxed(right)),
                };
                return of(kind, Type::Bool, span);
            }
            BinaryOp::Range => {
                let (domain, element) = self.domain(whole);
                if element == Type::Wrong {
                    return wrong(span);
                }
                return of(ExprKind::Listed(Box::new(domain)), Type::List(Box::new(Type::Int)), span);
            }
            BinaryOp::Copies => return self.copies_of_one(a, b, span),
            BinaryOp::CopiesOfEach => return self.copies_of_each(a, b, span),
            BinaryOp::Join => {
                let a = self.expr(a, None);
                let b = self.expr(b, Some(&a.ty));
                let joinable =
                    |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Wrong);
                let joined = a.ty.join(&b.ty).filter(|_| joinable(&a.ty) && joinable(&b.ty));
                let Some(ty) = joined else {
                    let (x, y) = (self.words(&a.ty), self.words(&b.ty));
                    self.report(
                        Diagnostic::new(
                            Code::NoCommonType,
                            span,
                            format!("`++` cannot join {x} and {y}"),
                            "these do not go together",
                        )
                        .help(self.joined_as_collections(&a, &b)),
                    );
                    return wrong(span);
                };
                return of(ExprKind::Builtin(Builtin::JoinLists, vec![a, b]), ty, span);
            }
        };
        let (a, b) = (self.expr(a, Some(&Type::Int)), self.expr(b, Some(&Type::Int)));
        if self.list_as_number(op, &a, &b)
            || self.map_as_number(op, &a, &b)
            || self.square_as_number(op, &a, &b)
        {
            return wrong(span);
        }
        // Where one side is wrong already, nothing is known of the other, and `tiles - used - k` may be meant for a set.
        let known = |e: &Expr| Type::Int.accepts(&e.ty);
        let joins = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        if a.ty == Type::Wrong && (joins || !known(&b)) || b.ty == Type::Wrong && !known(&a) {
            return wrong(span);
        }
        self.check_type(&a, &Type::Int);
        self.check_type(&b, &Type::Int);
        of(ExprKind::Arith(arith, boxed(a), boxed(b)), Type::Int, span)
    }

    pub(super) fn compare(
        &mut self,
        first: &'a ast::Expr,
        links: &'a [(CompareOp, ast::Expr)],
        span: Span,
    ) -> Expr {
        if let [(op @ (CompareOp::In | CompareOp::NotIn), source)] = links {
            let (domain, element) = self.domain(source);
            let value = self.expr(first, Some(&element));
            if value.ty.join(&element).is_none() {
                let (x, y) = (self.words(&value.ty), self.words(&element));
                let mut report = Diagnostic::new(
                    Code::TypeMismatch,
                    first.span,
                    format!("this is {x}, but what it is looked for in holds {y}"),
                    "can never be in it",
                );
                if let Domain::Values(source) = &domain {
                    report.help = self.never_in(&value, source, &element);
                }
                self.report(report);
            }
            let inside = of(ExprKind::In(boxed(value), Box::new(domain)), Type::Bool, span);
            return match op {
                CompareOp::In => inside,
                _ => of(ExprKind::Not(boxed(inside)), Type::Bool, span),
            };
        }
        // If the left side is a symbol, the type of the right side helps to resolve it.
        let right_first = matches!(&first.kind, ast::ExprKind::Name(n) if self.symbols.contains_key(n) && !self.globals.contains_key(n));
        let mut ready = None;
        let hint = match links {
            [(_, right)] if right_first => {
                let reports = self.diagnostics.len();
                let right = self.expr(right, None);
                let ty = right.ty.clone();
                // A right side without a type of its own is checked again, against the type of the left side.
                match ty == Type::Wrong {
                    true => self.diagnostics.truncate(reports),
                    false => ready = Some(right),
                }
                Some(ty)
            }
            _ => None,
        };
        let first = self.expr(first, hint.as_ref());
        let (mut previous, mut at) = (first.ty.clone(), first.span);
        let mut out = Vec::new();
        for (op, e) in links {
            let value = ready.take().unwrap_or_else(|| self.expr(e, Some(&previous)));
            let op = match op {
                CompareOp::Equal => Compare::Equal,
                CompareOp::NotEqual => Compare::NotEqual,
                CompareOp::Less => Compare::Less,
                CompareOp::AtMost => Compare::AtMost,
                CompareOp::Greater => Compare::Greater,
                CompareOp::AtLeast => Compare::AtLeast,
                CompareOp::Divides => Compare::Divides,
                CompareOp::In | CompareOp::NotIn => {
                    self.report(
                        Diagnostic::new(Code::BadChain, span, "`in` cannot be part of a chain", "")
                            .help("join two comparisons with `and`"),
                    );
                    return wrong(span);
                }
            };
            self.comparable(op, &previous, at, &value);
            self.two_seats(op, out.last().map_or(&first, |(_, left)| left), &value);
            (previous, at) = (value.ty.clone(), value.span);
            out.push((op, value));
        }
        of(ExprKind::Compare(boxed(first), out), Type::Bool, span)
    }

    /// Reports values that cannot be compared with `op`; `at` is the span of the left one.
    pub(super) fn comparable(&mut self, op: Compare, left: &Type, at: Span, right: &Expr) {
        if matches!(op, Compare::Equal | Compare::NotEqual) {
            let symbols = |ty: &Type| {
                matches!(ty, Type::Symbol(_))
                    || matches!(ty, Type::Optional(of) if matches!(**of, Type::Symbol(_)))
            };
            let equal = left.join(&right.ty).is_some();
            let disjoint =
                matches!((left, &right.ty), (Type::Symbol(a), Type::Symbol(b)) if a.is_disjoint(b));
            if equal && !disjoint {
                if symbols(left) {
                    self.never_equal.insert(right.span, None);
                }
                return;
            }
            if self.is_faulty(at) || self.is_faulty(right.span) {
                return;
            }
            let (x, y) = (self.words(left), self.words(&right.ty));
            let report = Diagnostic::new(
                Code::TypeMismatch,
                right.span,
                format!("{x} can never equal {y}"),
                format!("this is {y}"),
            );
            match equal {
                // A function is meant for all symbols of a kind, whichever of them one use passes.
                true if self.template.is_some() && self.of_one_kind(left, &right.ty) => {}
                // Another use of the enclosing function or rule may pass other symbols.
                true => drop(self.never_equal.entry(right.span).or_insert(Some(report))),
                false => {
                    let help = self.equality_advice(op, (left, at), right);
                    self.report(Diagnostic { help, ..report });
                }
            }
            return;
        }
        let ordered = |ty: &Type| matches!(ty, Type::Int | Type::Wrong);
        if let Type::Optional(inner) = left
            && **inner == Type::Int
        {
            let help = match (self.way_out(at), self.written(at)) {
                (help, text) if help == WAY_OUT && text != "…" => format!(
                    "say what counts where nothing is there: `{text} is not none and …`, or `{text} is none or …`; if you know it is there, write `value({text})`"
                ),
                (help, _) => help,
            };
            self.report(
                Diagnostic::new(Code::MaybeNone, at, "this may be none", "compared as a number").help(help),
            );
            self.check_type(right, &Type::Int);
        } else if !ordered(left) {
            let words = self.words(left);
            let message = format!("only numbers can be compared this way; the left side is {words}");
            let report = Diagnostic::new(Code::TypeMismatch, right.span, message, "compared with this");
            let order = self.tuple_order(op, (left, at), right);
            let left = wrong_as(left, at);
            self.report(Diagnostic { help: order.or_else(|| self.advice(&Type::Int, &left)), ..report });
        } else {
            self.check_type(right, &Type::Int);
        }
    }

    /// Whether all these symbols belong to one kind.
    fn of_one_kind(&self, a: &Type, b: &Type) -> bool {
        let (Type::Symbol(a), Type::Symbol(b)) = (a, b) else { return false };
        self.game.kinds.iter().any(|(_, kind)| a.iter().chain(b).all(|id| kind.contains(id)))
    }

    pub(super) fn is(&mut self, a: &'a ast::Expr, negated: bool, test: &'a IsTest, span: Span) -> Expr {
        let found = match test {
            IsTest::None => {
                let value = self.expr_unnarrowed(a);
                of(ExprKind::IsNone(boxed(value)), Type::Bool, span)
            }
            IsTest::In | IsTest::Out => {
                let player = self.expect(a, &Type::Player);
                let inside = of(ExprKind::IsIn(boxed(player)), Type::Bool, span);
                match test {
                    IsTest::In => inside,
                    _ => of(ExprKind::Not(boxed(inside)), Type::Bool, span),
                }
            }
            IsTest::Predicate(name) => {
                let value = self.expr_unnarrowed(a);
                if let Some(test) = self.kind_test(name, &value, span) {
                    return if negated { of(ExprKind::Not(boxed(test)), Type::Bool, span) } else { test };
                }
                let elsewhere = foreign(&name.text).is_some_and(|row| row.here == Some("none"));
                if elsewhere {
                    // It means `none`, whatever the other language calls it.
                    self.unknown_name(&name.text, None, name.span);
                }
                if elsewhere || name.text == "empty" && matches!(value.ty, Type::Optional(_)) {
                    // A square of a grid may be called empty.
                    of(ExprKind::IsNone(boxed(value)), Type::Bool, span)
                } else {
                    let value = self.narrowed(value);
                    let found = self.apply(name, vec![value], span);
                    self.check_type(&found, &Type::Bool);
                    found
                }
            }
        };
        if negated { of(ExprKind::Not(boxed(found)), Type::Bool, span) } else { found }
    }
}

/// An expression of which only the type and the place matter.
fn wrong_as(ty: &Type, span: Span) -> Expr {
    Expr { ty: ty.clone(), ..wrong(span) }
}
