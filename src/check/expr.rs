//! Expressions: their names, types and domains.

use std::collections::BTreeSet;

use super::scope::GlobalKind;
use super::vocabulary::{self, WORDS};
use super::{Checker, wrong};
use crate::ast::{self, BinaryOp, CompareOp, IsTest};
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Function, Lambda, Slot, Source,
    TextPart, Type, Value,
};
use crate::source::Span;

/// How many instances one function may have.
const MAX_INSTANCES: usize = 200;

/// The binders: the words that may be followed by `(x in S …: body)`.
const BINDERS: &[(&str, FoldKind)] = &[
    ("sum", FoldKind::Sum),
    ("product", FoldKind::Product),
    ("count", FoldKind::Count),
    ("all", FoldKind::All),
    ("some", FoldKind::Some),
    ("largest", FoldKind::Largest),
    ("smallest", FoldKind::Smallest),
    ("first", FoldKind::First),
    ("bag", FoldKind::Bag),
    ("xor", FoldKind::Xor),
    ("gcd", FoldKind::Gcd),
];

fn of(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl<'a> Checker<'a> {
    /// Checks an expression that must have a type.
    pub(super) fn expect(&mut self, e: &'a ast::Expr, want: &Type) -> Expr {
        let found = self.expr(e, Some(want));
        self.demand(&found, want);
        found
    }

    /// Reports an expression that does not have the type wanted.
    pub(super) fn demand(&mut self, found: &Expr, want: &Type) {
        if want.accepts(&found.ty) {
            return;
        }
        match &found.ty {
            Type::Optional(inner) if want.accepts(inner) => self.report(
                Diagnostic::new(Code::MaybeNone, found.span, "this may be none", "a value is needed here")
                    .help("test it with `is not none` first"),
            ),
            ty => {
                let (want, ty) = (self.words(want), self.words(ty));
                self.error(
                    Code::TypeMismatch,
                    found.span,
                    format!("this is {ty}, not {want}"),
                    format!("{want} is needed"),
                );
            }
        }
    }

    /// Checks an expression; `want` helps symbols find their meaning.
    pub(super) fn expr(&mut self, e: &'a ast::Expr, want: Option<&Type>) -> Expr {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Number(n) => of(ExprKind::Value(Value::Int(n.clone())), Type::Int, span),
            ast::ExprKind::Bool(b) => of(ExprKind::Value(Value::Bool(*b)), Type::Bool, span),
            ast::ExprKind::None => {
                of(ExprKind::Value(Value::None), Type::Optional(Box::new(Type::Never)), span)
            }
            ast::ExprKind::Text(parts) => self.text(parts, span),
            ast::ExprKind::Every(name) => self.every(name, span),
            ast::ExprKind::Name(name) => {
                let found = self.name(name, want, span);
                self.narrowed(e, found)
            }
            ast::ExprKind::Field(base, field) => {
                let found = self.field(base, field, span);
                self.narrowed(e, found)
            }
            ast::ExprKind::Index(base, at) => {
                let found = self.index(base, at, span);
                self.narrowed(e, found)
            }
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
            ast::ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b, span),
            ast::ExprKind::Compare(first, links) => self.compare(first, links, span),
            ast::ExprKind::Is(a, negated, test) => self.is(a, *negated, test, span),
            ast::ExprKind::With(base, at, value) => self.with(base, at, value, span),
            ast::ExprKind::If(arms, otherwise) => self.if_expr(arms, otherwise, want, span),
            ast::ExprKind::Case(subject, arms, otherwise) => {
                self.case(subject, arms, otherwise.as_deref(), want, span)
            }
            ast::ExprKind::Wrong => wrong(span),
        }
    }

    /// Reads a text; what is filled in may be of any type.
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

    fn name(&mut self, name: &str, want: Option<&Type>, span: Span) -> Expr {
        if let Some(id) = self.wanted_symbol(name, want) {
            return of(ExprKind::Value(Value::Symbol(id)), Type::Symbol([id].into()), span);
        }
        if let Some((slot, ty)) = self.local(name) {
            return of(ExprKind::Local(slot), ty, span);
        }
        if let Some(global) = self.globals.get_mut(name) {
            global.used = true;
            let ty = global.ty.clone();
            return match global.kind {
                GlobalKind::Option(id) => of(ExprKind::Option(id), ty, span),
                GlobalKind::Constant(id) => of(ExprKind::Constant(id), ty, span),
                GlobalKind::Seat(seat) => of(ExprKind::Value(Value::Player(seat)), Type::Player, span),
                GlobalKind::Table(id) => {
                    self.state_read[id] = true;
                    of(ExprKind::Table(id), ty, span)
                }
            };
        }
        let players = Type::List(Box::new(Type::Player));
        match name {
            "players" => return of(ExprKind::Players, players, span),
            "standing" => return of(ExprKind::Standing, players, span),
            _ => {}
        }
        if let Some(id) = self.symbols.get(name) {
            return of(ExprKind::Value(Value::Symbol(*id)), Type::Symbol([*id].into()), span);
        }
        let mut report =
            Diagnostic::new(Code::UnknownName, span, format!("nothing is called `{name}`"), "not known here");
        if self.fields.contains_key(name) {
            report = report.help(format!("each player has a `{name}`: write `me.{name}` or `p.{name}`"));
        } else if name == "me" {
            report = report.help("nobody moves here; `me` is known in moves, in turns and in scores");
        } else if let Some(near) = self.near_name(name) {
            report = report.help(format!("did you mean `{near}`?")).fix(near);
        }
        self.report(report);
        wrong(span)
    }

    /// A symbol, where the place wants symbols and this is one of them.
    fn wanted_symbol(&self, name: &str, want: Option<&Type>) -> Option<usize> {
        let mut want = want?;
        while let Type::Optional(inner) = want {
            want = inner;
        }
        let Type::Symbol(ids) = want else { return None };
        self.symbols.get(name).copied().filter(|id| ids.contains(id))
    }

    fn every(&mut self, name: &ast::Name, span: Span) -> Expr {
        let Some((_, ids)) = self.game.kinds.iter().find(|(kind, _)| *kind == name.text) else {
            let kinds: Vec<String> = self.game.kinds.iter().map(|(kind, _)| kind.clone()).collect();
            let report = Diagnostic::new(
                Code::UnknownType,
                name.span,
                format!("no kind is called `{}`", name.text),
                "",
            );
            self.report(report.suggest(&name.text, kinds.iter().map(String::as_str)));
            return wrong(span);
        };
        let ty = Type::Symbol(ids.iter().copied().collect());
        of(
            ExprKind::Value(Value::set(ids.iter().map(|id| Value::Symbol(*id)))),
            Type::Set(Box::new(ty)),
            span,
        )
    }

    fn field(&mut self, base: &'a ast::Expr, field: &ast::Name, span: Span) -> Expr {
        let base = self.expr(base, None);
        let name = field.text.as_str();
        match (&base.ty, name) {
            (Type::Wrong, _) => wrong(span),
            (Type::Player, _) if self.fields.contains_key(name) => {
                let id = self.fields[name];
                self.state_read[id] = true;
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
                let own = ["score", "others", "next", "previous", "number"];
                let known: Vec<String> =
                    self.fields.keys().cloned().chain(own.iter().map(|s| (*s).to_string())).collect();
                let report = Diagnostic::new(
                    Code::UnknownField,
                    field.span,
                    format!("players have nothing called `{name}`"),
                    "not declared in `each player`",
                );
                self.report(report.suggest(name, known.iter().map(String::as_str)));
                wrong(span)
            }
            (Type::Square, "row") => of(ExprKind::Builtin(Builtin::Row, vec![base]), Type::Int, span),
            (Type::Square, "column") => of(ExprKind::Builtin(Builtin::Column, vec![base]), Type::Int, span),
            (Type::Tuple(parts), _) => match name.parse::<usize>() {
                Ok(i) if (1..=parts.len()).contains(&i) => {
                    let ty = parts[i - 1].clone();
                    of(ExprKind::Part(boxed(base), i - 1), ty, span)
                }
                _ => {
                    let parts = parts.len();
                    self.error(
                        Code::UnknownField,
                        field.span,
                        format!("a tuple of {parts} has no part `{name}`"),
                        "",
                    );
                    wrong(span)
                }
            },
            (ty, _) => {
                let ty = self.words(ty);
                self.error(Code::UnknownField, field.span, format!("{ty} has no `{name}`"), "");
                wrong(span)
            }
        }
    }

    // ---- places in collections

    fn index(&mut self, base: &'a ast::Expr, at: &'a [ast::Expr], span: Span) -> Expr {
        let base = self.expr(base, None);
        let Some((at, many)) = self.index_key(&base.ty, at, base.span) else { return wrong(span) };
        let element = match &base.ty {
            Type::List(of) | Type::Grid(of) => (**of).clone(),
            Type::Map(_, value) => (**value).clone(),
            _ => return wrong(span),
        };
        match many {
            true => of(ExprKind::Pick(boxed(base), boxed(at)), Type::List(Box::new(element)), span),
            false => of(ExprKind::Index(boxed(base), boxed(at)), element, span),
        }
    }

    /// Checks what stands in `[ ]` behind a value of type `base`; whether it names many places.
    pub(super) fn index_key(
        &mut self,
        base: &Type,
        at: &'a [ast::Expr],
        base_span: Span,
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
                let found = self.expr(one, Some(&key));
                if !matches!(base, Type::Map(..))
                    && Type::List(Box::new(key.clone())).accepts(&found.ty)
                    && found.ty != Type::Wrong
                {
                    return Some((found, true));
                }
                self.demand(&found, &key);
                Some((found, false))
            }
            (Type::List(_) | Type::Map(..), more) => {
                let place = more[0].span.to(more[more.len() - 1].span);
                self.error(
                    Code::CannotIndex,
                    place,
                    "one place belongs here, not two",
                    "only a grid has rows and columns",
                );
                None
            }
            (Type::Optional(inner), _) if inner.element().is_some() => {
                self.report(
                    Diagnostic::new(
                        Code::MaybeNone,
                        base_span,
                        "this may be none",
                        "nothing can be looked up in it",
                    )
                    .help("test it with `is not none` first"),
                );
                None
            }
            (ty, _) => {
                let ty = self.words(ty);
                self.report(
                    Diagnostic::new(
                        Code::CannotIndex,
                        base_span,
                        format!("{ty} has no places"),
                        "cannot be followed by `[ ]`",
                    )
                    .help("lists, grids and maps have places"),
                );
                None
            }
        }
    }

    fn with(&mut self, base: &'a ast::Expr, at: &'a [ast::Expr], value: &'a ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let Some((at, false)) = self.index_key(&base.ty, at, base.span) else { return wrong(span) };
        let element = match &base.ty {
            Type::List(of) | Type::Grid(of) => (**of).clone(),
            Type::Map(_, value) => (**value).clone(),
            _ => return wrong(span),
        };
        let value = self.expr(value, Some(&element));
        let Some(joined) = element.join(&value.ty) else {
            self.demand(&value, &element);
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

    fn binary(
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
                let left = self.expect(a, &Type::Bool);
                let mark = self.facts.len();
                self.assume(a, op == BinaryOp::And);
                let right = self.expect(b, &Type::Bool);
                self.facts.truncate(mark);
                let kind = match op {
                    BinaryOp::And => ExprKind::And(boxed(left), boxed(right)),
                    _ => ExprKind::Or(boxed(left), boxed(right)),
                };
                return of(kind, Type::Bool, span);
            }
            BinaryOp::Range => {
                let (domain, _) = self.domain(whole);
                return of(ExprKind::Listed(Box::new(domain)), Type::List(Box::new(Type::Int)), span);
            }
            BinaryOp::Copies => {
                let count = self.expect(a, &Type::Int);
                let value = self.expr(b, None);
                let ty = Type::List(Box::new(value.ty.clone()));
                return of(ExprKind::Builtin(Builtin::CopiesOf, vec![count, value]), ty, span);
            }
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
                            "",
                        )
                        .help("`++` joins two lists, two sets or two bags"),
                    );
                    return wrong(span);
                };
                return of(ExprKind::Builtin(Builtin::JoinLists, vec![a, b]), ty, span);
            }
        };
        let a = self.expect(a, &Type::Int);
        let b = self.expect(b, &Type::Int);
        of(ExprKind::Arith(arith, boxed(a), boxed(b)), Type::Int, span)
    }

    fn compare(&mut self, first: &'a ast::Expr, links: &'a [(CompareOp, ast::Expr)], span: Span) -> Expr {
        if let [(op @ (CompareOp::In | CompareOp::NotIn), source)] = links {
            let (domain, element) = self.domain(source);
            let value = self.expr(first, Some(&element));
            if value.ty.join(&element).is_none() {
                let (x, y) = (self.words(&value.ty), self.words(&element));
                self.error(
                    Code::TypeMismatch,
                    first.span,
                    format!("this is {x}; what it is looked for in holds {y}"),
                    "can never be in it",
                );
            }
            let inside = of(ExprKind::In(boxed(value), Box::new(domain)), Type::Bool, span);
            return match op {
                CompareOp::In => inside,
                _ => of(ExprKind::Not(boxed(inside)), Type::Bool, span),
            };
        }
        // The side that is typed first helps the other find its symbols.
        let right_first = matches!(&first.kind, ast::ExprKind::Name(n) if self.symbols.contains_key(n) && self.globals.get(n).is_none());
        let hint = if right_first && links.len() == 1 { Some(self.quiet_type(&links[0].1)) } else { None };
        let first = self.expr(first, hint.as_ref());
        let mut previous = first.ty.clone();
        let mut out = Vec::new();
        for (op, e) in links {
            let value = self.expr(e, Some(&previous));
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
                        Diagnostic::new(Code::BadChain, span, "`in` does not form a chain", "")
                            .help("join two comparisons with `and`"),
                    );
                    return wrong(span);
                }
            };
            self.comparable(op, &previous, &value);
            previous = value.ty.clone();
            out.push((op, value));
        }
        of(ExprKind::Compare(boxed(first), out), Type::Bool, span)
    }

    fn comparable(&mut self, op: Compare, left: &Type, right: &Expr) {
        if matches!(op, Compare::Equal | Compare::NotEqual) {
            let disjoint =
                matches!((left, &right.ty), (Type::Symbol(a), Type::Symbol(b)) if a.is_disjoint(b));
            if left.join(&right.ty).is_none() || disjoint {
                let (x, y) = (self.words(left), self.words(&right.ty));
                self.error(
                    Code::TypeMismatch,
                    right.span,
                    format!("{x} can never equal {y}"),
                    format!("this is {y}"),
                );
            }
            return;
        }
        let ordered = |ty: &Type| matches!(ty, Type::Int | Type::Wrong);
        if !ordered(left) {
            let left = self.words(left);
            self.error(
                Code::TypeMismatch,
                right.span,
                format!("only numbers are compared so; the left side is {left}"),
                "compared with this",
            );
        } else {
            self.demand(right, &Type::Int);
        }
    }

    /// The type an expression would have; what is wrong with it is left to its own turn.
    fn quiet_type(&mut self, e: &'a ast::Expr) -> Type {
        let reports = self.diagnostics.len();
        let ty = self.expr(e, None).ty;
        self.diagnostics.truncate(reports);
        ty
    }

    fn is(&mut self, a: &'a ast::Expr, negated: bool, test: &'a IsTest, span: Span) -> Expr {
        let found = match test {
            IsTest::None => {
                let mark = self.facts.len();
                // Asking again about what is known is fine.
                let value = self.expr(a, None);
                self.facts.truncate(mark);
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
                let value = self.expr(a, None);
                let found = self.apply(name, vec![value], span);
                self.demand(&found, &Type::Bool);
                found
            }
        };
        if negated { of(ExprKind::Not(boxed(found)), Type::Bool, span) } else { found }
    }

    fn if_expr(
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
            self.assume(cond, true);
            let value = self.expr(value, want);
            self.facts.truncate(inner);
            self.assume(cond, false);
            out.push((checked, value));
        }
        let otherwise = self.expr(otherwise, want);
        self.facts.truncate(mark);
        let ty = self.common(out.iter().map(|(_, value)| value).chain([&otherwise]));
        of(ExprKind::If(out, boxed(otherwise)), ty, span)
    }

    /// The type that covers all values, or a report.
    fn common<'e>(&mut self, values: impl Iterator<Item = &'e Expr>) -> Type {
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

    fn case(
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
        let mut out = Vec::new();
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        for (labels, value) in arms {
            let mut cond: Option<Expr> = None;
            for label in labels {
                let label = self.expr(label, Some(&subject.ty));
                self.comparable(Compare::Equal, &subject.ty, &label);
                if let ExprKind::Value(Value::Symbol(id)) = label.kind
                    && !covered.insert(id)
                {
                    self.error(Code::DuplicateName, label.span, "this case is given twice", "never reached");
                }
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
            let value = self.expr(value, want);
            if let Some(cond) = cond {
                out.push((cond, value));
            }
        }
        let last = match (otherwise, &subject.ty) {
            (Some(value), _) => self.expr(value, want),
            (None, Type::Symbol(ids)) if ids.is_subset(&covered) => match out.pop() {
                Some((_, value)) => value,
                None => wrong(span),
            },
            (None, Type::Wrong) => wrong(span),
            (None, ty) => {
                let missing: Vec<String> = match ty {
                    Type::Symbol(ids) => {
                        ids.difference(&covered).map(|id| format!("`{}`", self.game.symbols[*id])).collect()
                    }
                    _ => vec!["an `else`".to_string()],
                };
                self.report(
                    Diagnostic::new(
                        Code::MissingCase,
                        span,
                        format!("{} is missing here", missing.join(", ")),
                        "",
                    )
                    .help("give every case, or end with `else: …`"),
                );
                return wrong(span);
            }
        };
        let ty = self.common(out.iter().map(|(_, value)| value).chain([&last]));
        let body = of(ExprKind::If(out, boxed(last)), ty.clone(), span);
        // The subject is computed once: `first(s in [subject]: body)`.
        let list = Type::List(Box::new(subject.ty.clone()));
        let at = subject.span;
        let one = Domain::Values(of(ExprKind::List(vec![subject]), list, at));
        let sources = vec![Source { slots: vec![slot], domain: one }];
        let fold = Fold { kind: FoldKind::First, sources, filter: None, stop: None, body };
        of(ExprKind::Fold(Box::new(fold)), ty, span)
    }

    // ---- calls and binders

    fn call(&mut self, name: &'a ast::Name, inside: &'a ast::Inside, span: Span) -> Expr {
        let is_source = inside.items.first().is_some_and(|e| source_of(e).is_some());
        let tail = inside.filter.is_some() || inside.stop.is_some() || inside.body.is_some();
        if let Some((_, kind)) = BINDERS.iter().find(|(word, _)| *word == name.text)
            && (tail || is_source)
        {
            return self.fold(*kind, inside, None, span);
        }
        if tail {
            let words = BINDERS.iter().map(|(word, _)| *word);
            let report = Diagnostic::new(
                Code::BadBinder,
                name.span,
                format!("`{}` does not go through `x in S`", name.text),
                "not one of the words that do",
            );
            self.report(match nearest(&name.text, words) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report.help("`sum`, `product`, `count`, `all`, `some`, `largest`, `smallest`, `first`, `bag`, `xor` and `gcd` do"),
            });
            return wrong(span);
        }
        if matches!(name.text.as_str(), "permutations" | "arrangements" | "subsets" | "tuples" | "lists") {
            let (domain, element) = self.domain_call(name, &inside.items, span);
            return of(ExprKind::Listed(Box::new(domain)), Type::List(Box::new(element)), span);
        }
        let defined = self.defines.iter().any(|d| d.name.text == name.text);
        let args = inside.items.iter().map(|e| self.expr(e, None)).collect();
        if !defined && matches!(name.text.as_str(), "count" | "all" | "some") {
            self.report(
                Diagnostic::new(
                    Code::BadBinder,
                    span,
                    format!("`{}` needs something to go through", name.text),
                    "",
                )
                .help(format!("write `{}(x in S where …)`", name.text)),
            );
            return wrong(span);
        }
        self.apply(name, args, span)
    }

    /// Applies a function of the file or of the language.
    fn apply(&mut self, name: &ast::Name, args: Vec<Expr>, span: Span) -> Expr {
        if let Some(id) = self.defines.iter().position(|d| d.name.text == name.text) {
            return self.apply_define(id, args, span);
        }
        let Some(word) = vocabulary::word(&name.text) else {
            let known: Vec<&str> = self
                .defines
                .iter()
                .map(|d| d.name.text.as_str())
                .chain(WORDS.iter().map(|w| w.name))
                .collect();
            let report = Diagnostic::new(
                Code::UnknownFunction,
                name.span,
                format!("no function is called `{}`", name.text),
                "not known",
            );
            let report = match self.rules.iter().any(|r| r.name.text == name.text) {
                true => report.help("this is a `rule`: it is a statement of its own and has no value"),
                false => report.suggest(&name.text, known),
            };
            self.report(report);
            return wrong(span);
        };
        let letters: Vec<u8> = word.takes.bytes().filter(u8::is_ascii_lowercase).collect();
        let optional = word.takes.ends_with('?');
        let many = word.takes.ends_with('*');
        let least = letters.len() - usize::from(optional);
        if args.len() < least || (args.len() > letters.len() && !many) {
            self.report(
                Diagnostic::new(
                    Code::ArgumentCount,
                    span,
                    format!(
                        "`{}` takes {}, not {}",
                        name.text,
                        count_words(least, letters.len(), many),
                        args.len()
                    ),
                    "",
                )
                .help(word.doc),
            );
            return wrong(span);
        }
        let mut fine = true;
        for (i, arg) in args.iter().enumerate() {
            let letter = *letters.get(i).unwrap_or(&letters[letters.len() - 1]);
            if !vocabulary::fits(letter, &arg.ty) {
                fine = false;
                let report = match &arg.ty {
                    Type::Optional(inner) if vocabulary::fits(letter, inner) => Diagnostic::new(
                        Code::MaybeNone,
                        arg.span,
                        "this may be none",
                        format!("`{}` needs {}", name.text, vocabulary::takes(letter)),
                    )
                    .help("test it with `is not none` first"),
                    ty => {
                        let ty = self.words(ty);
                        Diagnostic::new(
                            Code::TypeMismatch,
                            arg.span,
                            format!("`{}` takes {} here, not {ty}", name.text, vocabulary::takes(letter)),
                            format!("this is {ty}"),
                        )
                        .help(word.doc)
                    }
                };
                self.report(report);
            }
        }
        if !fine || args.iter().any(|a| a.ty == Type::Wrong) {
            return wrong(span);
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        match vocabulary::result(word.builtin, &types) {
            Some(ty) => of(ExprKind::Builtin(word.builtin, args), ty, span),
            None => {
                let types: Vec<String> = types.iter().map(|t| self.words(t)).collect();
                self.report(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        span,
                        format!("`{}` cannot be used with {}", name.text, types.join(" and ")),
                        "",
                    )
                    .help(word.doc),
                );
                wrong(span)
            }
        }
    }

    fn apply_define(&mut self, id: usize, args: Vec<Expr>, span: Span) -> Expr {
        let define = &mut self.defines[id];
        define.used = true;
        let (name, params, body) = (define.name, define.params, define.body);
        if args.len() != params.len() {
            let message = format!(
                "`{}` takes {}, not {}",
                name.text,
                count_words(params.len(), params.len(), false),
                args.len()
            );
            self.report(
                Diagnostic::new(Code::ArgumentCount, span, message, "").also(name.span, "defined here"),
            );
            return wrong(span);
        }
        if define.open {
            self.report(
                Diagnostic::new(
                    Code::Recursion,
                    span,
                    format!("`{}` is called while it is being computed", name.text),
                    "",
                )
                .also(name.span, "defined here")
                .help("functions cannot be recursive; go through a list or a range instead"),
            );
            return wrong(span);
        }
        if args.iter().any(|a| a.ty == Type::Wrong) {
            return wrong(span);
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        if let Some((instance, ty)) = define.instances.get(&types) {
            return of(ExprKind::Call(*instance, args), ty.clone(), span);
        }
        if define.instances.len() >= MAX_INSTANCES {
            self.error(
                Code::TooDeep,
                span,
                format!("`{}` is used with more than {MAX_INSTANCES} combinations of types", name.text),
                "",
            );
            return wrong(span);
        }
        define.open = true;
        let lambda =
            self.lambda(params.iter().zip(types.iter().cloned()).collect(), |this| this.expr(body, None));
        let ty = lambda.body.ty.clone();
        let instance = self.game.functions.len();
        self.game.functions.push(Function { name: name.text.clone(), lambda });
        let define = &mut self.defines[id];
        define.open = false;
        define.instances.insert(types, (instance, ty.clone()));
        of(ExprKind::Call(instance, args), ty, span)
    }

    /// Checks an expression in a frame of its own, with these parameters in its first slots.
    pub(super) fn lambda(
        &mut self,
        params: Vec<(&ast::Name, Type)>,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Lambda {
        let frame = std::mem::take(&mut self.frame);
        let facts = std::mem::take(&mut self.facts);
        let mark = self.open_scope();
        let count = params.len();
        for (name, ty) in params {
            self.bind(name, ty, true);
        }
        let body = body(self);
        self.close_scope(mark);
        let size = std::mem::replace(&mut self.frame, frame).size;
        self.facts = facts;
        Lambda { params: count, frame: size, body }
    }

    /// A lambda over one player, called `me` inside.
    pub(super) fn lambda_me(&mut self, span: Span, body: impl FnOnce(&mut Self) -> Expr) -> Lambda {
        let frame = std::mem::take(&mut self.frame);
        let slot = self.frame.slot();
        self.bind_me(slot, span);
        let body = body(self);
        let size = std::mem::replace(&mut self.frame, frame).size;
        Lambda { params: 1, frame: size, body }
    }

    fn collection(
        &mut self,
        kind: FoldKind,
        inside: &'a ast::Inside,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let tail = inside.filter.is_some() || inside.stop.is_some() || inside.body.is_some();
        let builder = inside.items.first().is_some_and(|e| source_of(e).is_some());
        if tail || builder {
            return self.fold(kind, inside, want, span);
        }
        let want = want.and_then(Type::element);
        let values: Vec<Expr> = inside.items.iter().map(|e| self.expr(e, want.as_ref())).collect();
        let element = Box::new(self.common(values.iter()));
        match kind {
            FoldKind::Set => of(ExprKind::Set(values), Type::Set(element), span),
            _ => of(ExprKind::List(values), Type::List(element), span),
        }
    }

    fn fold(&mut self, kind: FoldKind, inside: &'a ast::Inside, want: Option<&Type>, span: Span) -> Expr {
        let mark = self.open_scope();
        let mut sources = Vec::new();
        let mut last_element = None;
        for item in &inside.items {
            let Some((pattern, source)) = source_of(item) else {
                self.report(
                    Diagnostic::new(Code::BadBinder, item.span, "this is not of the form `x in S`", "")
                        .help("every part before `where` or `:` names an element and what it is taken from"),
                );
                self.close_scope(mark);
                return wrong(span);
            };
            let (domain, element) = self.domain(source);
            if let Domain::Ints = domain {
                self.error(
                    Code::Unbounded,
                    source.span,
                    "the integers have no end",
                    "cannot be gone through",
                );
            }
            let slots = self.bind_pattern(&pattern, &element);
            if let [slot] = slots.as_slice() {
                last_element = Some(of(ExprKind::Local(*slot), element.clone(), item.span));
            }
            sources.push(Source { slots, domain });
        }
        let filter = inside.filter.as_ref().map(|e| {
            let cond = self.expect(e, &Type::Bool);
            self.assume(e, true);
            cond
        });
        let stop = inside.stop.as_ref().map(|e| {
            let cond = self.expect(e, &Type::Bool);
            self.assume(e, true);
            cond
        });
        let want = want.and_then(Type::element);
        let body = inside.body.as_ref().map(|e| self.expr(e, want.as_ref()));
        // Without a body the elements themselves are gathered, or counted.
        let body = match (body, kind) {
            (Some(body), _) => body,
            (None, FoldKind::Count) => of(ExprKind::Value(Value::Bool(true)), Type::Bool, span),
            (None, FoldKind::Some) if filter.is_some() => {
                of(ExprKind::Value(Value::Bool(true)), Type::Bool, span)
            }
            (None, FoldKind::All) => {
                self.report(
                    Diagnostic::new(Code::BadBinder, span, "`all` needs a condition behind a colon", "")
                        .help("write `all(x in S: condition)`"),
                );
                self.close_scope(mark);
                return wrong(span);
            }
            (None, FoldKind::Some) => {
                self.report(
                    Diagnostic::new(Code::BadBinder, span, "`some` needs a condition behind a colon", "")
                        .help("write `some(x in S: condition)`"),
                );
                self.close_scope(mark);
                return wrong(span);
            }
            (None, _) => match (sources.len(), last_element) {
                (1, Some(element)) => {
                    let name = &inside.items[0];
                    if let Some((pattern, _)) = source_of(name) {
                        self.local(&pattern.names[0].text);
                    }
                    element
                }
                _ => {
                    self.report(
                        Diagnostic::new(
                            Code::BadBinder,
                            span,
                            "what is gathered of each element is missing",
                            "",
                        )
                        .help("say it behind a colon: `(x in S, y in T: x + y)`"),
                    );
                    self.close_scope(mark);
                    return wrong(span);
                }
            },
        };
        let ty = self.fold_type(kind, &body);
        if kind == FoldKind::Count {
            // `count(x in S)` reads nothing of x, and is fine.
            for (pattern, _) in inside.items.iter().filter_map(source_of) {
                for name in &pattern.names {
                    self.local(&name.text);
                }
            }
        }
        self.close_scope(mark);
        of(ExprKind::Fold(Box::new(Fold { kind, sources, filter, stop, body })), ty, span)
    }

    fn fold_type(&mut self, kind: FoldKind, body: &Expr) -> Type {
        let of = Box::new(body.ty.clone());
        match kind {
            FoldKind::Sum | FoldKind::Product | FoldKind::Xor | FoldKind::Gcd => {
                self.demand(body, &Type::Int);
                Type::Int
            }
            FoldKind::Count => {
                self.demand(body, &Type::Bool);
                Type::Int
            }
            FoldKind::All | FoldKind::Some => {
                self.demand(body, &Type::Bool);
                Type::Bool
            }
            FoldKind::Largest | FoldKind::Smallest => {
                self.demand(body, &Type::Int);
                Type::Int
            }
            FoldKind::First => body.ty.clone(),
            FoldKind::List => Type::List(of),
            FoldKind::Set => Type::Set(of),
            FoldKind::Bag => Type::Bag(of),
        }
    }

    /// Names for an element: one for all of it, or one for each part of a tuple.
    pub(super) fn bind_pattern(&mut self, pattern: &ast::Pattern, element: &Type) -> Vec<Slot> {
        match (pattern.names.as_slice(), element) {
            ([name], ty) => vec![self.bind(name, ty.clone(), true)],
            (names, Type::Tuple(parts)) if parts.len() == names.len() => {
                names.iter().zip(parts).map(|(name, ty)| self.bind(name, ty.clone(), true)).collect()
            }
            (names, ty) => {
                if *ty != Type::Wrong {
                    let ty = self.words(ty);
                    self.error(
                        Code::TypeMismatch,
                        pattern.span,
                        format!("{} names for {ty}", names.len()),
                        "the parts do not match",
                    );
                }
                names.iter().map(|name| self.bind(name, Type::Wrong, false)).collect()
            }
        }
    }

    // ---- domains

    /// What stands behind `in`: a domain, and the type of its elements.
    pub(super) fn domain(&mut self, e: &'a ast::Expr) -> (Domain, Type) {
        match &e.kind {
            ast::ExprKind::Name(name)
                if name == "int" && !self.frame.locals.iter().any(|l| l.name == "int") =>
            {
                return (Domain::Ints, Type::Int);
            }
            ast::ExprKind::Binary(BinaryOp::Range, a, b) => {
                let a = self.expect(a, &Type::Int);
                let b = self.expect(b, &Type::Int);
                return (Domain::Range(a, b), Type::Int);
            }
            ast::ExprKind::Call(name, inside) if inside.body.is_none() && inside.filter.is_none() => {
                if matches!(
                    name.text.as_str(),
                    "permutations" | "arrangements" | "subsets" | "tuples" | "lists"
                ) && !self.defines.iter().any(|d| d.name.text == name.text)
                {
                    return self.domain_call(name, &inside.items, e.span);
                }
            }
            _ => {}
        }
        let found = self.expr(e, None);
        match found.ty.element() {
            Some(element) => (Domain::Values(found), element),
            None => {
                let report = match &found.ty {
                    Type::Optional(inner) if inner.element().is_some() => {
                        Diagnostic::new(Code::MaybeNone, e.span, "this may be none", "cannot be gone through")
                            .help("test it with `is not none` first")
                    }
                    ty => {
                        let ty = self.words(ty);
                        Diagnostic::new(
                            Code::NoElements,
                            e.span,
                            format!("{ty} has no elements"),
                            "cannot be gone through",
                        )
                        .help("a range, list, set, bag, grid or map has elements")
                    }
                };
                self.report(report);
                (Domain::Values(wrong(e.span)), Type::Wrong)
            }
        }
    }

    fn domain_call(&mut self, name: &ast::Name, items: &'a [ast::Expr], span: Span) -> (Domain, Type) {
        let bad = |this: &mut Self, takes: &str| {
            this.error(
                Code::ArgumentCount,
                span,
                format!("`{}` takes {takes}", name.text),
                format!("{} given", items.len()),
            );
            (Domain::Values(wrong(span)), Type::Wrong)
        };
        match (name.text.as_str(), items) {
            ("permutations", [list]) => {
                let list = self.expr(list, None);
                let Some(element) = list.ty.element() else {
                    self.demand(&list, &Type::List(Box::new(Type::Int)));
                    return (Domain::Values(wrong(span)), Type::Wrong);
                };
                (Domain::Permutations(list), Type::List(Box::new(element)))
            }
            ("permutations", _) => bad(self, "a list"),
            ("arrangements" | "lists", [count, of]) => {
                let count = self.expect(count, &Type::Int);
                let (domain, element) = self.domain(of);
                let ty = Type::List(Box::new(element));
                match name.text.as_str() {
                    "lists" => (Domain::Lists(count, Box::new(domain)), ty),
                    _ => (Domain::Arrangements(count, Box::new(domain)), ty),
                }
            }
            ("arrangements" | "lists", _) => bad(self, "a size and what its elements are taken from"),
            ("subsets", [of] | [_, of]) => {
                let size = (items.len() == 2).then(|| self.expect(&items[0], &Type::Int));
                let set = self.expr(of, None);
                let Some(element) = set.ty.element() else {
                    self.demand(&set, &Type::Set(Box::new(Type::Int)));
                    return (Domain::Values(wrong(span)), Type::Wrong);
                };
                (Domain::Subsets(set, size), Type::Set(Box::new(element)))
            }
            ("subsets", _) => bad(self, "a set, or a size and a set"),
            ("tuples", [_, _, ..]) => {
                let (domains, types) = items.iter().map(|e| self.domain(e)).unzip();
                (Domain::Tuples(domains), Type::Tuple(types))
            }
            _ => bad(self, "two or more sources"),
        }
    }

    // ---- what is known not to be none

    /// Learns from a condition that it holds, or that it does not.
    pub(super) fn assume(&mut self, cond: &ast::Expr, holds: bool) {
        match &cond.kind {
            ast::ExprKind::Is(subject, negated, IsTest::None) if *negated == holds => {
                self.facts.extend(written(subject));
            }
            ast::ExprKind::Not(inner) => self.assume(inner, !holds),
            ast::ExprKind::Binary(BinaryOp::And, a, b) if holds => {
                self.assume(a, true);
                self.assume(b, true);
            }
            ast::ExprKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.assume(a, false);
                self.assume(b, false);
            }
            _ => {}
        }
    }

    fn narrowed(&mut self, e: &ast::Expr, mut found: Expr) -> Expr {
        if let Type::Optional(inner) = &found.ty
            && !self.facts.is_empty()
            && let Some(key) = written(e)
            && self.facts.contains(&key)
        {
            found.ty = (**inner).clone();
        }
        found
    }
}

/// Takes `x in S` or `(x, y) in S` apart.
pub(super) fn source_of(e: &ast::Expr) -> Option<(ast::Pattern, &ast::Expr)> {
    let ast::ExprKind::Compare(subject, links) = &e.kind else { return None };
    let [(CompareOp::In, source)] = links.as_slice() else { return None };
    let name = |e: &ast::Expr| match &e.kind {
        ast::ExprKind::Name(text) => Some(ast::Name { text: text.clone(), span: e.span }),
        _ => None,
    };
    let names = match &subject.kind {
        ast::ExprKind::Tuple(parts) => parts.iter().map(name).collect::<Option<Vec<_>>>()?,
        _ => vec![name(subject)?],
    };
    Some((ast::Pattern { names, span: subject.span }, source))
}

/// An expression as a key for what is known of it; `None` where that is not tracked.
pub(super) fn written(e: &ast::Expr) -> Option<String> {
    match &e.kind {
        ast::ExprKind::Name(name) => Some(name.clone()),
        ast::ExprKind::Number(n) => Some(n.to_string()),
        ast::ExprKind::Field(base, field) => Some(format!("{}.{}", written(base)?, field.text)),
        ast::ExprKind::Index(base, at) => {
            let at: Option<Vec<String>> = at.iter().map(written).collect();
            Some(format!("{}[{}]", written(base)?, at?.join(",")))
        }
        ast::ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            Some(format!("({} {op:?} {})", written(a)?, written(b)?))
        }
        _ => None,
    }
}

fn count_words(least: usize, most: usize, many: bool) -> String {
    let noun = |n: usize| if n == 1 { "1 value".to_string() } else { format!("{n} values") };
    match (many, least == most) {
        (true, _) => format!("{} or more", noun(least)),
        (false, true) => noun(least),
        (false, false) => format!("{least} or {}", noun(most)),
    }
}
