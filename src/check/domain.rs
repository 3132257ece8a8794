//! Domains: what may follow `in`.

use super::subset_sizes::of_known_sizes;
use super::{Checker, wrong};
use crate::ast::{self, BinaryOp, CompareOp};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Builtin, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value};
use crate::source::Span;

/// The functions that make a domain.
pub(super) const DOMAIN_WORDS: &[&str] = &["permutations", "arrangements", "subsets", "tuples", "lists"];

impl<'a> Checker<'a> {
    /// Reports a domain whose elements are iterated although they have no end.
    pub(super) fn must_be_finite(&mut self, domain: &Domain, span: Span) {
        if domain.is_infinite() {
            self.error(Code::Unbounded, span, "the integers have no end", "there would be no end to it");
        }
    }

    /// Returns what is gone through. Reports `{1..6}`, whose only element is a list, and goes through that list.
    pub(super) fn gone_through(&mut self, e: &'a ast::Expr) -> &'a ast::Expr {
        let (inside, kind) = match &e.kind {
            ast::ExprKind::Set(inside) => (inside, "set"),
            ast::ExprKind::List(inside) => (inside, "list"),
            _ => return e,
        };
        let [one @ ast::Expr { kind: ast::ExprKind::Binary(BinaryOp::Range, ..), .. }] =
            inside.items.as_slice()
        else {
            return e;
        };
        if inside.has_tail() {
            return e;
        }
        let (whole, range) = (self.written(e.span), self.written(one.span));
        let inside = self.source.map_or("", |source| source.slice(one.span));
        self.report(
            Diagnostic::new(
                Code::TypeMismatch,
                e.span,
                format!("`{whole}` is a {kind} of one list"),
                "its only element is the whole range",
            )
            .help(format!("write `{range}`"))
            .fix(inside),
        );
        one
    }

    /// Checks what follows `in`: returns the domain and the type of its elements.
    pub(super) fn domain(&mut self, e: &'a ast::Expr) -> (Domain, Type) {
        if self.copies_of_range(e)
            || self.joined_domains(e)
            || self.range_goes_on(e)
            || self.several_domains(e)
            || self.domain_with_default(e)
        {
            return (Domain::Values(wrong(e.span)), Type::Wrong);
        }
        match &e.kind {
            ast::ExprKind::Name(name)
                if name == "int" && !self.frame.locals.iter().any(|l| l.name == "int") =>
            {
                return (Domain::Ints, Type::Int);
            }
            // `yes or no` stands for the two values.
            ast::ExprKind::Binary(BinaryOp::Or, a, b)
                if matches!((&a.kind, &b.kind), (ast::ExprKind::Bool(true), ast::ExprKind::Bool(false))) =>
            {
                let both = Value::set([Value::Bool(true), Value::Bool(false)]);
                let ty = Type::Set(Box::new(Type::Bool));
                return (Domain::Values(Expr { kind: ExprKind::Value(both), ty, span: e.span }), Type::Bool);
            }
            ast::ExprKind::Every(kind) if self.is_kind_of_tuples(&kind.text) => {
                if let Some(all) = self.every_tuple(kind) {
                    return all;
                }
            }
            ast::ExprKind::AtLeast(low) => return (Domain::AtLeast(self.expect(low, &Type::Int)), Type::Int),
            ast::ExprKind::Binary(BinaryOp::Range, a, b) if self.dot_written_twice(a, b) => {
                return (Domain::Values(wrong(e.span)), Type::Wrong);
            }
            ast::ExprKind::Binary(BinaryOp::Range, a, b) => {
                let a = self.expect(a, &Type::Int);
                let b = self.expect(b, &Type::Int);
                return (Domain::Range(a, b), Type::Int);
            }
            ast::ExprKind::Call(name, inside)
                if inside.body.is_none()
                    && inside.filter.is_none()
                    && DOMAIN_WORDS.contains(&name.text.as_str())
                    && !self.defines.iter().any(|d| d.name.text == name.text) =>
            {
                return self.domain_call(name, &inside.items, e.span);
            }
            _ => {}
        }
        let reports = self.diagnostics.len();
        let found = self.expr(e, None);
        // For an unknown function in place of a domain, list the domains there are.
        if let Some(report) = self.diagnostics.get_mut(reports)
            && report.code == Code::UnknownFunction
            && report.help.is_none()
            && matches!(&e.kind, ast::ExprKind::Call(name, _) if name.span == report.span())
        {
            report.help = Some(
                "`in` is followed by `1..n`, `2 or more`, `int`, a list, set, bag, grid or map, or one of `permutations(L)`, `arrangements(k, D)`, `lists(k, D)`, `subsets(S)`, `subsets(k, S)`, `tuples(D, E)`, with a size k or a range of sizes; a condition may come after it: `where C`".to_string(),
            );
        }
        match found.ty.element() {
            Some(Type::Text) => {
                self.texts_to_choose_from(&found);
                (Domain::Values(found), Type::Wrong)
            }
            Some(element) => (Domain::Values(found), element),
            None => {
                let report = match &found.ty {
                    Type::Optional(inner) if inner.element().is_some() => Diagnostic::new(
                        Code::MaybeNone,
                        e.span,
                        "this may be none",
                        "`in` needs something to go through",
                    )
                    .help(self.way_out(e.span)),
                    ty => {
                        let ty = self.words(ty);
                        Diagnostic::new(
                            Code::NoElements,
                            e.span,
                            format!("{ty} has no elements"),
                            "there is nothing to go through",
                        )
                        .help(match (&e.kind, &found.kind) {
                            (_, ExprKind::Builtin(Builtin::Empty, of)) if matches!(of[0].ty, Type::Grid(_)) => {
                                "`empty` asks whether all squares are; `s in board where board[s] is none` goes through the empty ones".to_string()
                            }
                            (ast::ExprKind::Call(name, inside), _)
                                if name.text == "distinct" && inside.items.len() == 1 =>
                            {
                                let of = self.written(inside.items[0].span);
                                format!("`distinct` asks whether all elements differ; `set({of})` has each of them once")
                            }
                            (ast::ExprKind::Number(n), _) => format!("the numbers from 1 to {n} are `1..{n}`"),
                            (ast::ExprKind::Binary(BinaryOp::Sub, low, high), _)
                                if matches!(low.kind, ast::ExprKind::Number(_)) =>
                            {
                                let (low, high) = (self.written(low.span), self.written(high.span));
                                format!("the numbers from {low} to {high} are `{low}..{high}`")
                            }
                            (ast::ExprKind::Tuple(parts), _) => {
                                let parts: Vec<&str> = parts.iter().map(|part| self.written(part.span)).collect();
                                format!("a set of them is written `{{{}}}`", parts.join(", "))
                            }
                            (ast::ExprKind::Name(name), _) if self.line_before(e.span).trim_end().ends_with(" in") => format!(
                                "ranges, lists, sets, bags, grids and maps have elements; a list of this alone is `[{name}]`"
                            ),
                            _ => "ranges, lists, sets, bags, grids and maps have elements".to_string(),
                        })
                    }
                };
                self.report(report);
                (Domain::Values(wrong(e.span)), Type::Wrong)
            }
        }
    }

    /// Reports `1..3 or none`, `1..3 or 7..9` and `1..3 or k in 7..9`, where several domains should be joined. Returns whether
    /// it did.
    fn several_domains(&mut self, domain: &'a ast::Expr) -> bool {
        let mut parts = Vec::new();
        joined_by_or(domain, &mut parts);
        let collects = |part: &&ast::Expr| match &part.kind {
            ast::ExprKind::Binary(BinaryOp::Range, ..) | ast::ExprKind::Set(_) | ast::ExprKind::List(_) => {
                true
            }
            ast::ExprKind::None => true,
            _ => self.type_of_name(part).is_some_and(|ty| ty.element().is_some()),
        };
        if parts.len() < 2 {
            return false;
        }
        if !parts.iter().any(collects) {
            return self.values_joined_by_or(domain, &parts);
        }
        let optional = parts.iter().any(|part| matches!(part.kind, ast::ExprKind::None));
        let lists: Vec<String> = parts
            .iter()
            .map(|part| {
                let text = self.written(part.span);
                match &part.kind {
                    ast::ExprKind::List(_) => text.to_string(),
                    ast::ExprKind::None | ast::ExprKind::Number(_) => format!("[{text}]"),
                    _ if matches!(self.type_of_name(part), Some(Type::Grid(_))) => format!("squares({text})"),
                    _ if matches!(self.type_of_name(part), Some(Type::List(_))) => text.to_string(),
                    _ => format!("list({text})"),
                }
            })
            .collect();
        let written = lists.join(" ++ ");
        let message = "`or` joins conditions, and this is something to choose from";
        let report = Diagnostic::new(Code::TypeMismatch, domain.span, message, "");
        let help = match optional {
            true => format!(
                "with none among them, it is `{written}`, and `is not none` tests what was chosen; or let a move of its own choose nothing: `move pass {{ }}`"
            ),
            false => format!("join them: `{written}`"),
        };
        let whole = !written.contains('…');
        let fix = whole.then(|| Fix { sure: !optional, ..Fix::new(domain.span, written) });
        self.report(Diagnostic { fix, ..report.help(help) });
        true
    }

    /// Reports `k in small or large`, where these are values of which none is a condition. Returns whether it did.
    fn values_joined_by_or(&mut self, domain: &'a ast::Expr, parts: &[&'a ast::Expr]) -> bool {
        let is_value = |part: &&ast::Expr| match &part.kind {
            ast::ExprKind::Number(_) => true,
            _ => self.type_of_name(part).is_some_and(|ty| !matches!(ty, Type::Bool | Type::Wrong)),
        };
        if !parts.iter().all(is_value) {
            return false;
        }
        let all = parts.iter().map(|part| self.written(part.span)).collect::<Vec<_>>().join(", ");
        let message = "`or` joins conditions, and this is something to choose from";
        let report = Diagnostic::new(Code::TypeMismatch, domain.span, message, "");
        let named = parts.iter().find(|part| matches!(part.kind, ast::ExprKind::Name(_)));
        self.report(match named {
            Some(name) => {
                let name = self.written(name.span);
                report.help(format!(
                    "the values themselves are chosen from by `[{all}]`; symbols stand in braces, and have names that nothing else has: `{name}` already has a value"
                ))
            }
            None => report.help(format!("write `[{all}]`")).fix(format!("[{all}]")),
        });
        true
    }

    /// Reports `k in 1..3 = 1`. Returns whether it did.
    fn domain_with_default(&mut self, domain: &'a ast::Expr) -> bool {
        let ast::ExprKind::Compare(range, links) = &domain.kind else { return false };
        let [(CompareOp::Equal, value)] = links.as_slice() else { return false };
        if !matches!(range.kind, ast::ExprKind::Binary(BinaryOp::Range, ..)) {
            return false;
        }
        let (range, value) = (self.written(range.span), self.written(value.span));
        let message = "what is chosen has no value in advance";
        let help = format!(
            "the player always chooses: leave `= {value}` out; what begins with a value is state, `k: {range} = {value}` in `table {{ … }}`"
        );
        self.report(
            Diagnostic::new(Code::TypeMismatch, domain.span, message, "a domain is needed").help(help),
        );
        true
    }

    /// Reports `lists(1..9, 3)` and `arrangements(board, 2..4)`, where the size stands last. Returns whether it did.
    fn size_comes_first(&mut self, name: &ast::Name, of: &'a ast::Expr, size: &'a ast::Expr) -> bool {
        let range = |e: &ast::Expr| {
            matches!(e.kind, ast::ExprKind::Binary(BinaryOp::Range, ..) | ast::ExprKind::AtLeast(_))
        };
        let number = |this: &Self, e: &ast::Expr| match &e.kind {
            ast::ExprKind::Number(_) => true,
            _ => this.type_of_name(e) == Some(Type::Int),
        };
        let several = matches!(of.kind, ast::ExprKind::List(_) | ast::ExprKind::Set(_))
            || self.type_of_name(of).is_some_and(|ty| ty.element().is_some());
        let swapped = (several || range(of)) && number(self, size) || several && range(size);
        if !swapped || !matches!(name.text.as_str(), "lists" | "arrangements" | "subsets") {
            return false;
        }
        let written = format!("{}({}, {})", name.text, self.written(size.span), self.written(of.span));
        let place = of.span.to(size.span);
        let report = Diagnostic::new(
            Code::TypeMismatch,
            place,
            "the size comes first",
            "these are the other way round",
        );
        let inside = format!("{}, {}", self.written(size.span), self.written(of.span));
        let fix = (!inside.contains('…')).then(|| Fix::new(place, inside));
        self.report(Diagnostic { fix, ..report.help(format!("write `{written}`")) });
        true
    }

    pub(super) fn domain_call(
        &mut self,
        name: &ast::Name,
        items: &'a [ast::Expr],
        span: Span,
    ) -> (Domain, Type) {
        let bad = |this: &mut Self, takes: &str| {
            this.error(
                Code::ArgumentCount,
                span,
                format!("`{}` takes {takes}", name.text),
                format!("{} given", items.len()),
            );
            (Domain::Values(wrong(span)), Type::Wrong)
        };
        if let [of, size] = items
            && self.size_comes_first(name, of, size)
        {
            return (Domain::Values(wrong(span)), Type::Wrong);
        }
        if let Some(of_sizes) = self.of_sizes(name, items, span) {
            return of_sizes;
        }
        match (name.text.as_str(), items) {
            ("permutations", [list]) => {
                let list = self.expr(list, None);
                let Some(element) = list.ty.element() else {
                    self.check_type(&list, &Type::List(Box::new(Type::Int)));
                    return (Domain::Values(wrong(span)), Type::Wrong);
                };
                (Domain::Permutations(list), Type::List(Box::new(element)))
            }
            ("permutations", _) => bad(self, "a list"),
            ("lists", [ast::Expr { kind: ast::ExprKind::AtLeast(low), .. }, of]) => {
                let low = self.expect(low, &Type::Int);
                let (domain, element) = self.domain(of);
                (Domain::ListsFrom(low, None, Box::new(domain)), Type::List(Box::new(element)))
            }
            ("lists", [ast::Expr { kind: ast::ExprKind::Binary(BinaryOp::Range, low, high), .. }, of]) => {
                let (low, high) = (self.expect(low, &Type::Int), self.expect(high, &Type::Int));
                let (domain, element) = self.domain(of);
                (Domain::ListsFrom(low, Some(high), Box::new(domain)), Type::List(Box::new(element)))
            }
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
                    self.check_type(&set, &Type::Set(Box::new(Type::Int)));
                    return (Domain::Values(wrong(span)), Type::Wrong);
                };
                (Domain::Subsets(set, size), Type::Set(Box::new(element)))
            }
            ("subsets", _) => bad(self, "a set, or a size and a set"),
            ("tuples", [_, _, ..]) => {
                let (domains, types): (_, Vec<Type>) = items.iter().map(|e| self.domain(e)).unzip();
                (Domain::Tuples(domains), Type::Tuple(types.into()))
            }
            _ => bad(self, "two or more sources"),
        }
    }

    /// Checks a domain with an optional condition on the chosen value, which is bound to `name`. The returned
    /// slot is the one that `name` has from here on.
    pub(super) fn domain_where(
        &mut self,
        name: &'a ast::Name,
        domain: &'a ast::Expr,
        filter: Option<&'a ast::Expr>,
    ) -> (Domain, Type, Slot) {
        let domain = self.gone_through(domain);
        let (of, ty) = self.domain(domain);
        let (of, slot, before) = match of {
            Domain::Where(slot, of, condition) => (*of, slot, Some(*condition)),
            of => (of, self.frame.slot(), None),
        };
        let Some(filter) = filter else {
            let of = match before {
                Some(condition) => Domain::Where(slot, Box::new(of), Box::new(condition)),
                None => of,
            };
            return (of, ty, slot);
        };
        let mark = self.frame.locals.len();
        self.bind_to(name, slot, ty.clone(), true);
        let condition = self.expect(filter, &Type::Bool);
        self.frame.locals.truncate(mark);
        let condition = before.into_iter().chain([condition]).reduce(both).expect("there is a condition");
        let (of, condition) = match of_known_sizes(of, condition, slot) {
            (of, Some(condition)) => (of, condition),
            (of, None) => return (of, ty, slot),
        };
        let listed = matches!(of, Domain::Range(..) | Domain::Values(_));
        if !listed {
            return (Domain::Where(slot, Box::new(of), Box::new(condition)), ty, slot);
        }
        // A domain that can be listed becomes what an author could write as well: `[x in D where C]`.
        let local = |slot| Expr { kind: ExprKind::Local(slot), ty: ty.clone(), span: domain.span };
        let fold = Fold {
            kind: FoldKind::List,
            sources: vec![Source { slots: vec![slot], domain: of }],
            filter: Some(condition),
            stop: None,
            body: local(slot),
        };
        let list = Type::List(Box::new(ty.clone()));
        let listed = Expr { kind: ExprKind::Fold(Box::new(fold)), ty: list, span: domain.span };
        (Domain::Values(listed), ty, self.frame.slot())
    }
}

/// Joins two conditions by `and`.
pub(super) fn both(a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty.clone(), a.span.to(b.span));
    Expr { kind: ExprKind::And(Box::new(a), Box::new(b)), ty, span }
}

/// Collects the parts that `or` joins, and of a part such as `k in 7..9` what follows `in`.
pub(super) fn joined_by_or<'e>(e: &'e ast::Expr, parts: &mut Vec<&'e ast::Expr>) {
    match &e.kind {
        ast::ExprKind::Binary(BinaryOp::Or, left, right) => {
            joined_by_or(left, parts);
            joined_by_or(right, parts);
        }
        ast::ExprKind::Compare(_, links) if !parts.is_empty() => match links.as_slice() {
            [(CompareOp::In, source)] => parts.push(source),
            _ => parts.push(e),
        },
        _ => parts.push(e),
    }
}
