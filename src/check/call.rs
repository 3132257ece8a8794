//! Calls of functions, and binders.

use super::domain::DOMAIN_WORDS;
use super::expr::of;
use super::unknown::in_small_letters;
use super::vocabulary;
use super::{Checker, wrong};
use crate::ast::{self, CompareOp};
use crate::diag::{Code, Diagnostic, Fix, nearest};
use crate::ir::{
    Builtin, Expr, ExprKind, Fold, FoldKind, Lambda, Slot, Source, Type, Value, WORDS, children,
};
use crate::source::Span;
use crate::syntax::foreign::{Foreign, foreign};
use crate::syntax::{function_idiom, statement_form};

/// The binders: words that may be followed by `(x in S …: body)`.
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
    ("lcm", FoldKind::Lcm),
    ("reach", FoldKind::Reach),
];

/// What the mean of several numbers is called.
const AVERAGES: &[&str] = &["average", "mean", "avg"];

impl<'a> Checker<'a> {
    /// Reports `count(s in board = me)`, where the comparison belongs behind `where`. Returns whether it did.
    fn value_behind_source(&mut self, name: &ast::Name, inside: &ast::Inside) -> bool {
        let [ast::Expr { kind: ast::ExprKind::Compare(element, links), span }] = inside.items.as_slice()
        else {
            return false;
        };
        if inside.has_tail() || !matches!(name.text.as_str(), "count" | "all" | "some") {
            return false;
        }
        if let [(op, value)] = links.as_slice()
            && *op != CompareOp::In
            && let Some(help) =
                self.counted_by_equality(&name.text, element, super::advice::sign(*op), value.span)
        {
            let message = format!("`{}` goes through elements, and gives each a name", name.text);
            self.report(Diagnostic::new(Code::BadBinder, *span, message, "`x in S` is missing").help(help));
            return true;
        }
        let (ast::ExprKind::Name(x), [(CompareOp::In, source), (op, value)]) =
            (&element.kind, links.as_slice())
        else {
            return false;
        };
        let sign = if name.text == "count" { " where" } else { ":" };
        let written = self.written(source.span);
        let on_grid = matches!(self.type_of_name(source), Some(Type::Grid(_)));
        let compared = if on_grid { format!("{written}[{x}]") } else { x.clone() };
        let help = format!(
            "write `{}({x} in {written}{sign} {compared} {} {})`",
            name.text,
            super::advice::sign(*op),
            self.written(value.span)
        );
        let message = format!("`{}` goes through elements, and a condition on them stands apart", name.text);
        self.report(Diagnostic::new(Code::BadBinder, *span, message, "").help(help));
        true
    }

    pub(super) fn call(&mut self, name: &'a ast::Name, inside: &'a ast::Inside, span: Span) -> Expr {
        let is_source = inside.items.first().is_some_and(|e| source_of(e).is_some());
        let tail = inside.has_tail();
        if let Some((_, kind)) = BINDERS.iter().find(|(word, _)| *word == name.text)
            && (tail || is_source)
        {
            return self.fold(*kind, inside, None, span);
        }
        if (tail || is_source)
            && let Some(of) = super::advice::of_elements(&name.text)
        {
            let message = format!("`{}` cannot be used with `x in S`", name.text);
            let report = Diagnostic::new(Code::BadBinder, name.span, message, "it compares single numbers");
            self.report(report.help(format!("`{of}` goes through elements")).fix(of));
            return wrong(span);
        }
        if tail {
            let words = BINDERS.iter().map(|(word, _)| *word);
            let report = Diagnostic::new(
                Code::BadBinder,
                name.span,
                format!("`{}` cannot be used with `x in S`", name.text),
                "not one of the words that can",
            );
            let meant = match name.text.as_str() {
                "any" | "exists" => Some("some"),
                "every" | "each" | "forall" => Some("all"),
                "total" | "add" => Some("sum"),
                _ => None,
            };
            let inside = self.written(span).strip_prefix(name.text.as_str()).map(str::trim);
            let inside = inside.and_then(|text| text.strip_prefix('(')?.strip_suffix(')'));
            let of_a_list = inside.filter(|_| vocabulary::word(&name.text).is_some());
            self.report(match nearest(&name.text, words) {
                _ if let Some((of, condition)) = of_a_list.and_then(|inside| inside.split_once(" where "))
                    && !of.contains(" in ") =>
                {
                    // What the condition looks up in it has the name of what is gone through.
                    let looked_up = condition.split_once(&format!("{of}[")).map_or("", |(_, rest)| rest);
                    let end = looked_up.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
                    let (function, element) = (&name.text, if end > 0 { &looked_up[..end] } else { "x" });
                    report.help(format!(
                        "name what is gone through: `{function}([{element} in {of} where {condition}])`"
                    ))
                }
                _ if let Some(inside) = of_a_list => {
                    let written = format!("{}([{inside}])", name.text);
                    report.help(format!("it takes a whole list: `{written}`")).fix_of(span, written)
                }
                _ if vocabulary::word(&name.text).is_some() => {
                    report.help(format!("it takes a whole list: `{}([x in S where C])`", name.text))
                }
                _ if meant.is_some() => {
                    let meant = meant.unwrap_or_default();
                    let value = if meant == "sum" { "E" } else { "C" };
                    report.help(format!("write `{meant}(x in S: {value})`")).fix(meant)
                }
                Some(near) => report.help(format!("did you mean `{near}`?")).fix(near),
                None if foreign(&name.text).is_some() => {
                    report.help(foreign(&name.text).map_or("", |row| row.says))
                }
                None => report.help("`sum`, `product`, `count`, `all`, `some`, `largest`, `smallest`, `first`, `bag`, `xor` and `gcd` can"),
            });
            return wrong(span);
        }
        if DOMAIN_WORDS.contains(&name.text.as_str()) {
            let (domain, element) = self.domain_call(name, &inside.items, span);
            return of(ExprKind::Listed(Box::new(domain)), Type::List(Box::new(element)), span);
        }
        let defined = self.defines.iter().any(|d| d.name.text == name.text);
        if !defined && self.value_behind_source(name, inside) {
            return wrong(span);
        }
        if !defined && self.goes_through_nothing(name, inside, span) {
            return wrong(span);
        }
        if !defined && self.called_with_key(name, inside) {
            return wrong(span);
        }
        let args: Vec<Expr> = inside.items.iter().map(|e| self.expr(e, None)).collect();
        if !defined && matches!(name.text.as_str(), "count" | "all" | "some") {
            self.report(
                Diagnostic::new(
                    Code::BadBinder,
                    span,
                    format!("`{}` needs something to go through", name.text),
                    "`x in S` is missing",
                )
                .help(match (name.text.as_str(), args.as_slice()) {
                    ("count", [grid, value]) if matches!(grid.ty, Type::Grid(_)) => {
                        let (grid, value) = (self.written(grid.span), self.written(value.span));
                        format!("write `count(s in {grid} where {grid}[s] = {value})`")
                    }
                    ("count", [list, value]) if list.ty.element().is_some() => format!(
                        "how often a value is there is `copies({}, {})`; elements are counted by `count(x in S where …)`",
                        self.written(value.span),
                        self.written(list.span)
                    ),
                    ("count", [value, list]) => format!(
                        "how often a value is there is `copies({}, {})`; elements are counted by `count(x in S where …)`",
                        self.written(value.span),
                        self.written(list.span)
                    ),
                    ("count", [all]) if all.ty.element().is_some() => {
                        format!("write `size({})`; `count(x in S where C)` counts those for which C holds", self.written(all.span))
                    }
                    ("count", _) => "write `count(x in S where …)`".to_string(),
                    (word, _) => match inside.items.first().map(|item| &item.kind) {
                        Some(ast::ExprKind::Field(owner, field)) if self.fields.contains_key(&field.text) => {
                            let owner = self.written(owner.span);
                            format!("write `{word}({owner} in players: {owner}.{})`", field.text)
                        }
                        _ => format!("write `{word}(x in S: …)`"),
                    },
                }),
            );
            return wrong(span);
        }
        self.apply(name, args, span)
    }

    /// Applies a function of the file or of the language.
    pub(super) fn apply(&mut self, name: &ast::Name, args: Vec<Expr>, span: Span) -> Expr {
        if let Some(id) = self.defines.iter().position(|d| d.name.text == name.text) {
            return self.apply_define(id, args, span);
        }
        let Some(word) = vocabulary::word(&name.text) else {
            let known: Vec<&str> = self
                .defines
                .iter()
                .map(|d| d.name.text.as_str())
                .chain(WORDS.iter().map(|w| w.name))
                .chain(DOMAIN_WORDS.iter().copied())
                .collect();
            let report = Diagnostic::new(
                Code::UnknownFunction,
                name.span,
                match name.text.as_str() {
                    "reach" => "`reach` has no elements to go through".to_string(),
                    other => format!("there is no function called `{other}`"),
                },
                "not found",
            );
            // `buyer is unique` asks for a property.
            let is_predicate = args.first().is_some_and(|first| first.span.start < name.span.start);
            let foreign_predicate = foreign(&name.text)
                .and_then(|row| vocabulary::word(row.here?))
                .is_none_or(|word| word.doc.contains("whether"));
            let report = match self.rules.iter().any(|r| r.name.text == name.text) {
                true => report.help("this is a `rule`: it is a statement and has no value"),
                false => match foreign(&name.text) {
                    _ if name.text == "reach" => {
                        let from = args.first().map_or("…", |arg| self.written(arg.span));
                        report.help(format!("it goes through what is reached: `reach(x in [{from}]: …)`, with what each x leads to after the colon"))
                    }
                    _ if self.value_called(&name.text) => {
                        report.help(self.value_as_function(name, args.first().map(|arg| arg.span)))
                    }
                    _ if matches!(args.as_slice(), [Expr { ty: Type::Grid(_), .. }])
                        && AVERAGES.contains(&name.text.as_str()) =>
                    {
                        let grid = self.written(args[0].span);
                        report.help(format!(
                            "rounded down, it is `sum({grid}[squares({grid})]) div size(squares({grid}))`"
                        ))
                    }
                    _ if matches!(name.text.as_str(), "neighbours" | "neighbors" | "adjacent")
                        && args.len() == 2
                        && args.iter().all(|arg| matches!(arg.ty, Type::Int | Type::Wrong))
                        && let Some(grid) = self.grid_of(|_| true) =>
                    {
                        let [row, column] = [&args[0], &args[1]].map(|arg| self.written(arg.span));
                        report.help(format!(
                            "write `beside({grid}, square({row}, {column}))`; a square can also be chosen as a whole, `s in {grid}`, and `around` has those that touch at a corner as well"
                        ))
                    }
                    _ if let Some(idiom) = function_idiom(self.written(span)) => {
                        let report = report.help(idiom.advice());
                        match idiom.grouped() {
                            Some(text) => {
                                let fix = Fix { sure: idiom.is_sure(), ..Fix::new(span, text) };
                                Diagnostic { fix: Some(fix), ..report }
                            }
                            None => report,
                        }
                    }
                    Some(_) if is_predicate && !foreign_predicate => report.help(
                        "`is` asks for a property, as in `x is prime`; any other condition is written out, as in `count(p in players where p.bid = highest) = 1`",
                    ),
                    Some(Foreign { here: Some(here), says, .. })
                        if vocabulary::word(here).is_some() || *here == "none" =>
                    {
                        report.help(*says).fix(*here)
                    }
                    Some(foreign) => report.help(foreign.says),
                    None if let Some(form) = statement_form(&name.text) => {
                        report.help(format!("it is a line of its own, without a value: `{form}`"))
                    }
                    None if let Some(help) = self.test_of_order(&name.text, &args) => report.help(help),
                    None => match in_small_letters(&name.text) {
                        Some(word) => report.help(format!("write `{word}`")).fix(word),
                        None => report.suggest(&name.text, known),
                    },
                },
            };
            self.report_once(report);
            return wrong(span);
        };
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        let Some(way) = word.way(&types) else {
            let (least, most) = word.counts();
            let report = Diagnostic::new(
                Code::ArgumentCount,
                span,
                format!(
                    "`{}` takes {}, not {}",
                    name.text,
                    count_words(least, most, most == usize::MAX),
                    args.len()
                ),
                format!("{} given", args.len()),
            )
            .help(self.count_advice(&name.text, &args).unwrap_or_else(|| word.doc.to_string()));
            let report = self.several_choices(name, &args, report);
            self.report(report);
            return wrong(span);
        };
        if self.list_first(&name.text, &args, span) {
            return wrong(span);
        }
        if self.in_the_wrong_order(&name.text, way, &args, span) {
            return wrong(span);
        }
        let mut fine = true;
        for (i, arg) in args.iter().enumerate() {
            let letter = vocabulary::letter(way, i);
            if !vocabulary::fits(letter, &arg.ty) {
                fine = false;
                let report = match &arg.ty {
                    Type::Optional(inner) if vocabulary::fits(letter, inner) => Diagnostic::new(
                        Code::MaybeNone,
                        arg.span,
                        "this may be none",
                        format!("`{}` needs {}", name.text, vocabulary::takes(letter)),
                    )
                    .help(self.way_out(arg.span)),
                    ty => {
                        let ty = self.words(ty);
                        Diagnostic::new(
                            Code::TypeMismatch,
                            arg.span,
                            format!("`{}` takes {} here, not {ty}", name.text, vocabulary::takes(letter)),
                            format!("this is {ty}"),
                        )
                        .help(
                            match self
                                .product_with(name, &args)
                                .or_else(|| self.argument_advice(&name.text, letter, arg))
                                .or_else(|| self.never_empty(&name.text, arg))
                            {
                                Some(help) => help,
                                None => super::mixed::test_of_kind(letter, &arg.ty)
                                    .unwrap_or(word.doc)
                                    .to_string(),
                            },
                        )
                    }
                };
                let report = self.several_choices(name, &args, report);
                self.report(report);
            }
        }
        if !fine || args.iter().any(|a| a.ty == Type::Wrong) {
            return wrong(span);
        }
        if word.name == "seat" {
            self.seat_there(&args[0]);
        }
        if let Some(found) = self.lower_word(word.name, way, &args, span) {
            return found;
        }
        let Some(builtin) = word.builtin else { return wrong(span) };
        match builtin.result_type(&types) {
            Some(ty) => of(ExprKind::Builtin(builtin, args), ty, span),
            None if some_may_be_none(builtin, &types) => {
                let at = args.iter().find(|arg| arg.ty.element().is_some()).map_or(span, |arg| arg.span);
                self.report(
                    Diagnostic::new(
                        Code::MaybeNone,
                        at,
                        "some of these may be none",
                        format!("`{}` needs values", name.text),
                    )
                    .help("take only those that are there: `[s in S where board[s] is not none: board[s]]`"),
                );
                wrong(span)
            }
            None => {
                let types: Vec<String> = types.iter().map(|t| self.words(t)).collect();
                let help = self.fitting_arguments(&name.text, &args);
                self.report(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        span,
                        format!("`{}` cannot be used with {}", name.text, types.join(" and ")),
                        "these do not go together",
                    )
                    .help(help.unwrap_or_else(|| word.doc.to_string())),
                );
                wrong(span)
            }
        }
    }

    /// Returns the nesting depth of a value, counted through the functions it calls.
    pub(super) fn depth_of(&self, e: &Expr) -> usize {
        let mut inside = match &e.kind {
            ExprKind::Call(function, _) => self.function_depths.get(*function).copied().unwrap_or(0),
            _ => 0,
        };
        children(e, &mut |part| inside = inside.max(self.depth_of(part)));
        inside + 1
    }

    /// Checks an expression in a frame of its own, with these parameters in the first slots.
    pub(super) fn lambda(
        &mut self,
        params: Vec<(&ast::Name, Type)>,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Lambda {
        let frame = std::mem::take(&mut self.frame);
        let base = self.facts.enter_frame();
        let mark = self.open_scope();
        let count = params.len();
        for (name, ty) in params {
            self.bind(name, ty, true);
        }
        let body = body(self);
        self.close_scope(mark);
        let size = std::mem::replace(&mut self.frame, frame).size;
        self.facts.leave_frame(base);
        Lambda { params: count, frame: size, body }
    }

    /// Checks a lambda over one player, called `me` inside.
    pub(super) fn lambda_me(&mut self, span: Span, body: impl FnOnce(&mut Self) -> Expr) -> Lambda {
        let frame = std::mem::take(&mut self.frame);
        let base = self.facts.enter_frame();
        let slot = self.frame.slot();
        self.bind_me(slot, span);
        let body = body(self);
        let size = std::mem::replace(&mut self.frame, frame).size;
        self.facts.leave_frame(base);
        Lambda { params: 1, frame: size, body }
    }

    pub(super) fn collection(
        &mut self,
        kind: FoldKind,
        inside: &'a ast::Inside,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let tail = inside.has_tail();
        let builder = inside.items.first().is_some_and(|e| source_of(e).is_some());
        if tail || builder {
            return self.fold(kind, inside, want, span);
        }
        // Examples may write a bag as it is printed, and an empty one is written like an empty set.
        let as_bag = (self.shown_values || inside.items.is_empty()) && matches!(want, Some(Type::Bag(_)));
        let want = want.and_then(Type::element);
        let values: Vec<Expr> = inside.items.iter().map(|e| self.expr(e, want.as_ref())).collect();
        let element = Box::new(self.common_for(want.as_ref(), values.iter()));
        match kind {
            FoldKind::Set if as_bag => {
                let list = of(ExprKind::List(values), Type::List(element.clone()), span);
                of(ExprKind::Builtin(Builtin::ToBag, vec![list]), Type::Bag(element), span)
            }
            FoldKind::Set => of(ExprKind::Set(values), Type::Set(element), span),
            _ => of(ExprKind::List(values), Type::List(element), span),
        }
    }

    pub(super) fn fold(
        &mut self,
        kind: FoldKind,
        inside: &'a ast::Inside,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let mark = self.open_scope();
        let mut sources = Vec::new();
        let mut last_element = None;
        let outer = self.upcoming.len();
        for (i, item) in inside.items.iter().enumerate() {
            self.upcoming.truncate(outer);
            self.parts_to_come(item, &inside.items[i + 1..]);
            let Some((pattern, source)) = source_of(item) else {
                self.report(
                    Diagnostic::new(
                        Code::BadBinder,
                        item.span,
                        "this is not of the form `x in S`",
                        "no `in`",
                    )
                    .help(match self.with_a_colon(inside, i, span) {
                        Some(written) => format!("what is said of each stands behind it: `{written}`"),
                        None => self.own_in(item, &inside.items[i + 1..]),
                    }),
                );
                self.upcoming.truncate(outer);
                self.close_scope(mark);
                return wrong(span);
            };
            let source = self.gone_through(source);
            let (domain, element) = self.domain(source);
            self.must_be_finite(&domain, source.span);
            pattern.names.iter().for_each(|name| self.refuse_word(name));
            let slots = self.bind_pattern(&pattern, &element);
            self.assume_element(&slots, &domain, &element, item.span);
            if let [slot] = slots.as_slice() {
                last_element = Some(of(ExprKind::Local(*slot), element.clone(), item.span));
            }
            sources.push(Source { slots, domain });
        }
        self.upcoming.truncate(outer);
        let filter = inside.filter.as_ref().map(|e| {
            let cond = self.expect(e, &Type::Bool);
            self.assume(&cond, true);
            cond
        });
        filter.iter().for_each(|filter| self.assume_gathered(&sources, filter));
        let stop = inside.stop.as_ref().map(|e| {
            let cond = self.expect(e, &Type::Bool);
            self.assume(&cond, true);
            cond
        });
        let want = want.and_then(Type::element);
        let body = inside.body.as_ref().map(|e| self.expr(e, want.as_ref()));
        // Without a body, the elements themselves are collected or counted.
        let body = match (body, kind) {
            (Some(body), _) => body,
            (None, FoldKind::Count) => of(ExprKind::Value(Value::Bool(true)), Type::Bool, span),
            (None, FoldKind::Some) if filter.is_some() => {
                of(ExprKind::Value(Value::Bool(true)), Type::Bool, span)
            }
            (None, FoldKind::All) => {
                self.report(
                    Diagnostic::new(
                        Code::BadBinder,
                        span,
                        "`all` needs a condition after a colon",
                        "no condition",
                    )
                    .help("write `all(x in S: condition)`"),
                );
                self.close_scope(mark);
                return wrong(span);
            }
            (None, FoldKind::Some) => {
                self.report(
                    Diagnostic::new(
                        Code::BadBinder,
                        span,
                        "`some` needs a condition after a colon",
                        "no condition",
                    )
                    .help("write `some(x in S: condition)`"),
                );
                self.close_scope(mark);
                return wrong(span);
            }
            (None, _) => match (sources.len(), last_element.clone()) {
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
                            "this does not say what to take from each element",
                            "the body is missing",
                        )
                        .help("write it after a colon: `(x in S, y in T: x + y)`"),
                    );
                    self.close_scope(mark);
                    return wrong(span);
                }
            },
        };
        if kind == FoldKind::First && body.ty == Type::Bool {
            self.report(
                Diagnostic::new(
                    Code::BadBinder,
                    body.span,
                    "`first` would give the value of this condition, yes or no",
                    "for the first element",
                )
                .help("write `first(x in S where C)` for the first element that meets it"),
            );
        }
        let ty = match (kind, last_element) {
            (FoldKind::Reach, Some(from)) if sources.len() == 1 => self.reach_type(&from, &body),
            (FoldKind::Reach, _) => {
                self.report(
                    Diagnostic::new(Code::BadBinder, span, "`reach` starts from one source", "")
                        .help("write `reach(x in START: what is reached from x)`"),
                );
                Type::Wrong
            }
            _ => self.fold_type(kind, &body),
        };
        if kind == FoldKind::Count {
            // `count(x in S)` does not read x, and that is fine.
            for (pattern, _) in inside.items.iter().filter_map(source_of) {
                for name in &pattern.names {
                    self.local(&name.text);
                }
            }
        }
        self.close_scope(mark);
        of(ExprKind::Fold(Box::new(Fold { kind, sources, filter, stop, body })), ty, span)
    }

    /// `reach(x in START: next)`: the elements of `next` must have a type in common with x.
    fn reach_type(&mut self, from: &Expr, body: &Expr) -> Type {
        let joined = body.ty.element().and_then(|next| next.join(&from.ty));
        if joined.is_none() {
            let (from, next) = (self.words(&from.ty), self.words(&body.ty));
            self.error(
                Code::TypeMismatch,
                body.span,
                format!("this goes from {from} to {next}"),
                format!("this must be a collection, and each element {from}"),
            );
        }
        joined.map_or(Type::Wrong, |ty| Type::Set(Box::new(ty)))
    }

    pub(super) fn fold_type(&mut self, kind: FoldKind, body: &Expr) -> Type {
        let of = Box::new(body.ty.clone());
        match kind {
            FoldKind::Sum | FoldKind::Product | FoldKind::Xor | FoldKind::Gcd | FoldKind::Lcm => {
                self.check_type(body, &Type::Int);
                Type::Int
            }
            FoldKind::Count => {
                self.check_type(body, &Type::Bool);
                Type::Int
            }
            FoldKind::All | FoldKind::Some => {
                self.check_type(body, &Type::Bool);
                Type::Bool
            }
            FoldKind::Largest | FoldKind::Smallest => {
                self.check_type(body, &Type::Int);
                Type::Int
            }
            FoldKind::First | FoldKind::Reach => body.ty.clone(),
            FoldKind::List => Type::List(of),
            FoldKind::Set => Type::Set(of),
            FoldKind::Bag => Type::Bag(of),
        }
    }

    /// Binds one name to an element, or one name to each part of a tuple.
    pub(super) fn bind_pattern(&mut self, pattern: &ast::Pattern, element: &Type) -> Vec<Slot> {
        match (pattern.names.as_slice(), element) {
            ([name], ty) => vec![self.bind(name, ty.clone(), true)],
            (names, Type::Tuple(parts)) if parts.len() == names.len() => {
                names.iter().zip(parts).map(|(name, ty)| self.bind(name, ty.clone(), true)).collect()
            }
            (names, ty) => {
                if *ty != Type::Wrong {
                    self.names_for_parts(pattern, ty);
                }
                names.iter().map(|name| self.bind(name, Type::Wrong, false)).collect()
            }
        }
    }
}

/// Whether the function would accept these types if no element could be none.
fn some_may_be_none(builtin: Builtin, types: &[Type]) -> bool {
    let there = |ty: &Type| match ty {
        Type::List(of) | Type::Set(of) | Type::Bag(of) => match &**of {
            Type::Optional(inner) => Type::List(inner.clone()),
            _ => ty.clone(),
        },
        _ => ty.clone(),
    };
    let there: Vec<Type> = types.iter().map(there).collect();
    there != types && builtin.result_type(&there).is_some()
}

/// Decomposes `x in S` or `(x, y) in S`.
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

pub(super) fn count_words(least: usize, most: usize, many: bool) -> String {
    let noun = |n: usize| if n == 1 { "1 value".to_string() } else { format!("{n} values") };
    match (many, least == most) {
        (true, _) => format!("{least} or more values"),
        (false, true) => noun(least),
        (false, false) => format!("{least} or {}", noun(most)),
    }
}
