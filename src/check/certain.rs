//! Reports faults that are certain before play: places that no list, grid or map of this shape has, values that a piece of
//! state can never hold, and comparisons that always come out the same.
//!
//! Only what holds for all values of the options counts. A line that names an option or a constant may be meant for
//! other values of it, and stand behind a condition that keeps it from running with this one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use super::boards::on_no_board;
use super::comparisons::{Numbers, Sum, contradiction};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Arith, Bound, Builtin, Chance, ChanceKind, Change, Compare, Domain, Effect, Expr, ExprKind, Form, Game,
    Lambda, MoveCheck, Op, Place, Scoring, Slot, State, StateId, Type, Value, WinnerBy, children, op_parts,
};
use crate::num::Int;
use crate::source::Span;

/// Reports what can only fail.
pub(super) fn check(checker: &mut Checker) {
    let mut faults = Faults {
        checker,
        found: Vec::new(),
        chosen: BTreeMap::new(),
        params: BTreeSet::new(),
        in_function: false,
    };
    let game = &checker.game;
    faults.in_function = true;
    game.functions.iter().for_each(|function| faults.expr(&function.lambda.body));
    faults.in_function = false;
    outside_functions(game).into_iter().for_each(|e| faults.expr(e));
    for mv in &game.moves {
        let chosen = mv
            .params
            .iter()
            .filter_map(|param| Some((param.slot, Numbers::of_domain(param.domain.as_ref()?)?)));
        faults.chosen = chosen.collect();
        faults.params = mv.params.iter().map(|param| param.slot).collect();
        mv.checks.iter().for_each(|check| faults.expr(check.expr()));
        let needs = mv.checks.iter().filter(|check| matches!(check, MoveCheck::Need { .. }));
        faults.together(needs.map(MoveCheck::expr));
    }
    faults.chosen.clear();
    faults.params.clear();
    let params = game.moves.iter().flat_map(|mv| &mv.params);
    params.filter_map(|param| param.domain.as_ref()).for_each(|domain| faults.chosen_from(domain));
    for op in &game.code {
        match op {
            Op::Do(effect, _) => faults.effect(effect),
            Op::Chance(Chance { kind: ChanceKind::Value(domain, _), .. })
            | Op::Collect { source: domain, .. } => {
                faults.chosen_from(domain);
            }
            _ => {}
        }
    }
    game.constants.iter().for_each(|constant| faults.expr(&constant.value.body));
    for state in &game.state {
        if let Some(init) = &state.init {
            faults.expr(&init.body);
            faults.first_value(state, &init.body);
        }
    }
    let mut told = BTreeSet::new();
    let mut found = faults.found;
    // What is compiled at several places is reported once.
    found.retain(|report| told.insert(report.span()));
    // The same mistake in several places is one.
    found.into_iter().for_each(|report| checker.report_once(report));
}

/// Returns the expressions of a game but for the conditions of moves; the parts of each are to be visited too.
pub(super) fn expressions(game: &Game) -> Vec<&Expr> {
    let functions = game.functions.iter().map(|function| &function.lambda.body);
    functions.chain(outside_functions(game)).collect()
}

/// Returns the expressions of a game but for its functions and the conditions of moves.
fn outside_functions(game: &Game) -> Vec<&Expr> {
    let mut all = Vec::new();
    for mv in &game.moves {
        for domain in mv.params.iter().flat_map(|param| &param.domain) {
            crate::ir::domain_parts(domain, &mut all);
        }
    }
    all.extend(game.code.iter().flat_map(op_parts));
    let body = |lambda| {
        let Lambda { body, .. }: &Lambda = lambda;
        body
    };
    all.extend(game.show.iter().map(|line| body(&line.text)));
    match &game.scoring {
        Scoring::None | Scoring::Awards => {}
        Scoring::Each(score) => all.push(body(score)),
        Scoring::Named(scores) => all.extend(scores.iter().map(body)),
    }
    if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
        all.extend(keys.iter().map(|(_, key)| body(key)));
    }
    all
}

/// Returns the number that an expression writes out.
pub(super) fn number(e: &Expr) -> Option<Int> {
    match &e.kind {
        ExprKind::Value(Value::Int(n)) => Some(n.clone()),
        ExprKind::Negative(of) => Some(Int::from(0).sub(&number(of)?)),
        ExprKind::Arith(Arith::Add, a, b) => Some(number(a)?.add(&number(b)?)),
        ExprKind::Arith(Arith::Sub, a, b) => Some(number(a)?.sub(&number(b)?)),
        ExprKind::Arith(Arith::Mul, a, b) => number(a)?.mul(&number(b)?).ok(),
        ExprKind::Arith(Arith::Div, a, b) => number(a)?.div_floor(&number(b)?),
        ExprKind::Arith(Arith::Mod, a, b) => number(a)?.modulo(&number(b)?),
        _ => None,
    }
}

/// Returns how many elements a list has that an expression writes out.
fn written_length(e: &Expr) -> Option<Int> {
    match &e.kind {
        ExprKind::List(parts) => Some(Int::from(parts.len())),
        ExprKind::Builtin(Builtin::CopiesOf, args) => number(&args[0]),
        _ => None,
    }
}

/// Returns the row and the column of a square that an expression writes out.
fn square(e: &Expr) -> Option<(Int, Int)> {
    match &e.kind {
        ExprKind::Value(Value::Square(at)) => {
            Some((Int::from(i64::from(at.row)), Int::from(i64::from(at.column))))
        }
        ExprKind::Square(row, column) => Some((number(row)?, number(column)?)),
        _ => None,
    }
}

/// Returns the form of what stands at a place of a collection.
pub(super) fn inner(form: &Form) -> Option<&Form> {
    match form {
        Form::List(_, of) | Form::Grid(_, _, of) | Form::Map(of, _) => Some(of),
        _ => None,
    }
}

/// Returns the form of the elements of a list, a set or a bag.
fn element(form: &Form) -> Option<&Form> {
    match form {
        Form::List(_, of) | Form::Set(of) | Form::Bag(of) => Some(of),
        _ => None,
    }
}

/// Returns the values that one place can hold, in words, if the number is none of them.
pub(super) fn misfit(n: &Int, form: &Form) -> Option<String> {
    match form {
        Form::Range(low, high) => {
            let (low, high) = (number(low), number(high));
            let under = low.as_ref().is_some_and(|low| n < low);
            let over = high.as_ref().is_some_and(|high| n > high);
            (under || over).then(|| match (low, high) {
                (Some(low), Some(high)) => format!("{low}..{high}"),
                (Some(low), None) => format!("{low} or more"),
                (_, high) => format!("{} or less", high.unwrap_or(Int::from(0))),
            })
        }
        Form::AtLeast(low) => number(low).filter(|low| n < low).map(|low| format!("{low} or more")),
        Form::Optional(of) | Form::Either(_, of) => misfit(n, of),
        _ => None,
    }
}

/// Returns a value that a place of this form can hold.
fn first_of(form: &Form) -> Option<String> {
    match form {
        Form::Range(low, _) | Form::AtLeast(low) => number(low).map(|low| low.to_string()),
        Form::Optional(_) => Some("none".to_string()),
        _ => match form.ty() {
            Type::Int => Some("0".to_string()),
            Type::Bool => Some("no".to_string()),
            _ => None,
        },
    }
}

/// Calls `on` with each number that a value writes out and its place cannot hold, and with what it can.
fn misfits<'e>(value: &'e Expr, form: &Form, on: &mut impl FnMut(&'e Expr, &Int, String)) {
    match (&value.kind, form) {
        (ExprKind::If(arms, otherwise), _) => {
            arms.iter().map(|(_, value)| value).chain([&**otherwise]).for_each(|arm| misfits(arm, form, on));
        }
        (_, Form::Optional(of)) => misfits(value, of, on),
        (ExprKind::Tuple(parts), Form::Tuple(forms)) => {
            parts.iter().zip(forms).for_each(|(part, form)| misfits(part, form, on));
        }
        (ExprKind::List(parts) | ExprKind::Set(parts), _) => {
            let of = element(form).into_iter();
            of.for_each(|of| parts.iter().for_each(|part| misfits(part, of, on)));
        }
        _ => {
            if let Some(n) = number(value)
                && let Some(words) = misfit(&n, form)
            {
                on(value, &n, words);
            }
        }
    }
}

/// The search through one game.
struct Faults<'c, 'a> {
    checker: &'c Checker<'a>,
    found: Vec<Diagnostic>,
    /// The numbers that the parameters of the move at hand are chosen from.
    chosen: BTreeMap<Slot, Numbers<'c>>,
    /// The parameters of the move at hand.
    params: BTreeSet<Slot>,
    /// Whether the body of a function is at hand, which may get something else elsewhere.
    in_function: bool,
}

impl<'c> Faults<'c, '_> {
    fn expr(&mut self, e: &'c Expr) {
        match &e.kind {
            ExprKind::Index(base, at) | ExprKind::With(base, at, _) => {
                let changed = matches!(e.kind, ExprKind::With(..));
                let report = self.place((&base.ty, self.form_of(base), base.span), at, changed);
                self.found.extend(report);
            }
            ExprKind::Pick(base, places) => self.stretch(base, places),
            ExprKind::Value(Value::Square(at)) => {
                let report = on_no_board(&self.checker.game, *at, e.span);
                self.found.extend(report);
            }
            ExprKind::IsNone(place) => {
                let report = self.never_none(place);
                self.found.extend(report);
            }
            ExprKind::And(a, b) => self.together([&**a, &**b]),
            ExprKind::Compare(a, links) => {
                let firsts = [&**a].into_iter().chain(links.iter().map(|(_, b)| b));
                for (a, (op, b)) in firsts.zip(links) {
                    let whole = Span::new(a.span.start, b.span.end);
                    let differs = || self.never_equal(*op, a, b).or_else(|| self.never_equal(*op, b, a));
                    let one_way = || {
                        self.one_way(a, *op, b, whole).or_else(|| self.one_way(b, op.mirrored(), a, whole))
                    };
                    let report = differs().or_else(one_way);
                    self.found.extend(report);
                }
            }
            ExprKind::Fold(fold) => fold.sources.iter().for_each(|source| self.chosen_from(&source.domain)),
            ExprKind::Arith(Arith::Mul, a, b) => {
                let part = [(a, b), (b, a)].into_iter().find_map(|(part, whole)| {
                    let (above, below) = self.always_zero(part)?;
                    Some(self.zero_quotient(part, (above, below), Some(whole)))
                });
                if let Some(report) = part {
                    self.found.push(report);
                    return;
                }
            }
            ExprKind::Arith(Arith::Div | Arith::Mod, _, below)
                if number(below).is_some_and(|n| n.is_zero()) =>
            {
                let message = format!("`{}` divides by 0", self.checker.written(e.span));
                let report = Diagnostic::new(Code::DivisionByZero, below.span, message, "");
                self.found.push(report.help("divide by a number that is not 0"));
            }
            ExprKind::Arith(Arith::Div, ..) => {
                if let Some(parts) = self.always_zero(e) {
                    let report = self.zero_quotient(e, parts, None);
                    self.found.push(report);
                    return;
                }
            }
            _ => {}
        }
        children(e, &mut |part| self.expr(part));
    }

    /// Returns the two parts of a quotient that is always 0, as what is divided is less than what it is divided by.
    fn always_zero(&self, e: &'c Expr) -> Option<(&'c Expr, &'c Expr)> {
        let ExprKind::Arith(Arith::Div, above, below) = &e.kind else { return None };
        let (above, below) = (&**above, &**below);
        number(below).filter(|below| *below > Int::ZERO)?;
        let numbers = match number(above) {
            Some(n) if n.is_zero() => return None,
            Some(_) => Numbers::of_value(above),
            None => self.numbers(above)?,
        };
        let settles = |op, n: &'c Expr| numbers.settle(&self.checker.game, op, &Sum::of(n));
        let is_less = settles(Compare::Less, below) == Some(true);
        (is_less && numbers.is_never_negative(&self.checker.game)).then_some((above, below))
    }

    /// Returns a report for a quotient that is always 0, and for the product that it is a factor of.
    fn zero_quotient(
        &self,
        quotient: &Expr,
        (above, below): (&'c Expr, &'c Expr),
        product: Option<&Expr>,
    ) -> Diagnostic {
        let written = |e: &Expr| self.checker.written(e.span);
        let text = format!("{} div {}", written(above), written(below));
        let label = match number(above) {
            Some(_) => "rounded down".to_string(),
            None => {
                let numbers = self.numbers(above).map(|numbers| numbers.words(self.checker));
                format!("`{}` is {}", written(above), numbers.unwrap_or_default())
            }
        };
        let report =
            Diagnostic::new(Code::ZeroQuotient, quotient.span, format!("`{text}` is always 0"), label);
        report.help(match product {
            Some(whole) => format!(
                "`div` rounds down, so multiply first: `{} * {} div {}`",
                written(whole),
                written(above),
                written(below)
            ),
            None if number(above).is_some() => format!(
                "`div` rounds down; such a part of something is `x * {} div {}`",
                written(above),
                written(below)
            ),
            None => format!(
                "`div` rounds down, and `{0}` never reaches {1}; what is left over is `{0} mod {1}`",
                written(above),
                written(below)
            ),
        })
    }

    /// Returns the declaration and the form of a piece of state, or of a place in it.
    fn form_of(&self, e: &Expr) -> Option<(StateId, &'c Form)> {
        match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => Some((*id, &self.checker.game.state[*id].form)),
            ExprKind::Index(base, _) => {
                let (id, form) = self.form_of(base)?;
                Some((id, inner(form)?))
            }
            _ => None,
        }
    }

    /// Returns a report for the test whether something is none that always holds a value.
    fn never_none(&self, place: &Expr) -> Option<Diagnostic> {
        if let ExprKind::Local(slot) = &place.kind {
            return match self.params.contains(slot) {
                true => self.chosen_never_none(place),
                false => self.named_never_none(place),
            };
        }
        let (id, form) = self.form_of(place)?;
        if matches!(form, Form::Optional(_) | Form::Wrong) {
            return None;
        }
        let state = &self.checker.game.state[id];
        let help = match (&state.form, &place.kind) {
            (Form::Grid(..), ExprKind::Index(..)) => {
                format!("squares may be empty in an `empty grid`: `{}: empty grid … of …`", state.name)
            }
            _ if place.ty.element().is_some() => {
                let text = self.checker.written(place.span);
                let help = format!("whether nothing is in it is asked by `{text} is empty`");
                let report = self.told_never_none(place, "");
                return Some(report.also(state.span, "declared here").help(help));
            }
            _ => "only what is declared with an `optional` type may be none".to_string(),
        };
        let report = self.told_never_none(place, "it always holds a value");
        Some(report.also(state.span, "declared here").help(help))
    }

    /// Reports that something is never none; `label` says why.
    fn told_never_none(&self, place: &Expr, label: &str) -> Diagnostic {
        let message = format!("`{}` is never none", self.checker.written(place.span));
        Diagnostic::new(Code::NeverEqual, place.span, message, label)
    }

    /// Returns a report for the test whether something with a name is none that always is a value.
    fn named_never_none(&self, place: &Expr) -> Option<Diagnostic> {
        if self.in_function || matches!(place.ty, Type::Optional(_) | Type::Wrong | Type::Never) {
            return None;
        }
        Some(self.told_never_none(place, "it always is a value").help(
            "`first`, `largest` and `smallest` need something to take: ask before whether there is one, `some(x in S: C)`",
        ))
    }

    /// Returns a report for the test whether a parameter is none that is always chosen.
    fn chosen_never_none(&self, place: &Expr) -> Option<Diagnostic> {
        if matches!(place.ty, Type::Optional(_) | Type::Wrong) {
            return None;
        }
        let text = self.checker.written(place.span);
        let report = self.told_never_none(place, "it is always chosen");
        let mut grids = self.checker.game.state.iter().filter(|state| {
            let empty = match &state.form {
                Form::Grid(_, _, of) => matches!(**of, Form::Optional(_)),
                _ => false,
            };
            empty && !state.per_player && place.ty == Type::Square
        });
        Some(match (grids.next(), grids.next()) {
            (Some(grid), None) => {
                report.help(format!("what stands on the square is `{}[{text}]`", grid.name))
            }
            _ => report,
        })
    }

    /// Returns a report for a comparison with a number that the place on the other side can never hold.
    fn never_equal(&self, op: Compare, place: &Expr, value: &Expr) -> Option<Diagnostic> {
        if !matches!(op, Compare::Equal | Compare::NotEqual) {
            return None;
        }
        let (id, form) = self.form_of(place)?;
        let n = number(value)?;
        let words = misfit(&n, form)?;
        let text = self.checker.written(place.span);
        let or_none = if matches!(form, Form::Optional(_)) { " or none" } else { "" };
        let (never, none) = match op {
            Compare::Equal => ("never", "none"),
            _ => ("always other than", "not none"),
        };
        let report = Diagnostic::new(
            Code::NeverEqual,
            value.span,
            format!("`{text}` is {never} {n}"),
            format!("it is {words}{or_none}"),
        )
        .also(self.checker.game.state[id].span, "declared here");
        Some(match form {
            Form::Optional(_) => {
                report.help(format!("where nothing stands it is `none`: write `{text} is {none}`"))
            }
            _ => report,
        })
    }

    /// Returns the numbers that a value can be, as far as its declaration tells.
    fn numbers(&self, e: &Expr) -> Option<Numbers<'c>> {
        match &e.kind {
            ExprKind::Local(slot) => self.chosen.get(slot).cloned(),
            ExprKind::Builtin(Builtin::Size, _) => Some(Numbers::from_zero()),
            _ => Numbers::of_form(self.form_of(e)?.1),
        }
    }

    /// Returns a report for a comparison that comes out the same whatever the other side is.
    fn one_way(&self, value: &Expr, op: Compare, n: &'c Expr, whole: Span) -> Option<Diagnostic> {
        let numbers = self.numbers(value)?;
        let holds = numbers.settle(&self.checker.game, op, &Sum::of(n))?;
        // A bound that repeats a declaration in other words than a number does no harm.
        if holds && number(n).is_none() {
            return None;
        }
        let (value, text) = (self.checker.written(value.span), self.checker.written(whole));
        let always = if holds { "always" } else { "never" };
        let label = format!("`{value}` is {}", numbers.words(self.checker));
        Some(Diagnostic::new(Code::NeverEqual, whole, format!("`{text}` is {always} true"), label))
    }

    /// Reports comparisons that can never hold together, though they must.
    fn together(&mut self, conditions: impl IntoIterator<Item = &'c Expr>) {
        if let Some((one, other)) = contradiction(&self.checker.game, conditions) {
            let (first, second) = (self.checker.written(one), self.checker.written(other));
            let message = format!("`{second}` never holds together with `{first}`, and both must hold");
            let report = Diagnostic::new(Code::NeverEqual, other, message, "this must hold as well");
            let report = report.also(one, "this must hold");
            let between = self
                .checker
                .source
                .map_or("", |source| source.text.get(one.end..other.start).unwrap_or_default());
            self.found.push(match between.trim() {
                "and" => report.help("if either of them is enough, write `or`"),
                _ => report,
            });
        }
    }

    /// Returns a report for a place that a list, a grid or a map does not have. `changed` is whether it is
    /// written.
    fn place(
        &self,
        (ty, form, base): (&Type, Option<(StateId, &Form)>, Span),
        at: &Expr,
        changed: bool,
    ) -> Option<Diagnostic> {
        let text = self.checker.written(base);
        let report = |message: String, label: &str| {
            Diagnostic::new(Code::NoSuchElement, at.span, message, label.to_string())
        };
        let one = Int::from(1);
        let found = match ty {
            Type::List(_) => number(at).and_then(|n| match n.cmp(&one) {
                Ordering::Less => Some(
                    report(format!("there is no place {n} in a list"), "places are numbered from 1")
                        .help(from_the_end(&n, text, changed)),
                ),
                _ => {
                    let (_, Form::List(Some((bound, size)), _)) = form? else { return None };
                    let size = number(size).filter(|size| n > *size)?;
                    let most = if *bound == Bound::AtMost { "at most " } else { "" };
                    let message = format!("there is no place {n} in a list of {most}{size}");
                    Some(report(message, &format!("the last place is {size}")))
                }
            }),
            Type::Grid(_) => square(at).and_then(|(row, column)| {
                if row < one || column < one {
                    let message = format!("there is no square in row {row}, column {column}");
                    return Some(
                        report(message, "rows and columns are numbered from 1")
                            .help(format!("the first square is `{text}[1, 1]`")),
                    );
                }
                let (_, Form::Grid(rows, columns, _)) = form? else { return None };
                let (rows, columns) = (number(rows)?, number(columns)?);
                (row > rows || column > columns).then(|| {
                    let message = format!(
                        "there is no square in row {row}, column {column} of a grid of {rows} by {columns}"
                    );
                    report(message, "the row comes first, then the column")
                })
            }),
            Type::Map(..) => number(at).and_then(|n| {
                let (_, Form::Map(_, key)) = form? else { return None };
                let words = misfit(&n, key)?;
                Some(report(format!("`{text}` has no place {n}"), &format!("its keys are {words}")))
            }),
            _ => None,
        };
        found.map(|report| match form {
            Some((id, _)) if report.help.is_none() => {
                report.also(self.checker.game.state[id].span, "declared here")
            }
            _ => report,
        })
    }

    /// Reports a range without numbers that something is chosen or drawn from, or that something goes through: `k in 3..1`.
    fn chosen_from(&mut self, domain: &Domain) {
        match domain {
            Domain::Where(_, of, _) => self.chosen_from(of),
            Domain::Range(low, high) => {
                let (Some(from), Some(to)) = (number(low), number(high)) else { return };
                if from > to {
                    let span = Span::new(low.span.start, high.span.end);
                    let message = format!("there are no numbers in {from}..{to}");
                    let report = Diagnostic::new(Code::OutOfRange, span, message, "it ends before it begins");
                    self.found.push(report.help(format!("the smaller number comes first: `{to}..{from}`")));
                }
            }
            _ => {}
        }
    }

    /// Reports `row[0..3]`: several places, the first of which no list has.
    fn stretch(&mut self, base: &Expr, places: &Expr) {
        let (Type::List(_), ExprKind::Listed(domain)) = (&base.ty, &places.kind) else { return };
        let Domain::Range(low, high) = &**domain else { return };
        let some = |low: &Int| number(high).is_some_and(|high| high >= *low);
        let end = number(high)
            .filter(Int::is_negative)
            .filter(|_| self.checker.written(high.span).starts_with('-'));
        let low_end = number(low).filter(|n| *n < Int::from(1) && (some(n) || end.is_some()));
        let Some((n, at)) = low_end.map(|n| (n, low.span)).or(end.map(|n| (n, high.span))) else { return };
        let text = self.checker.written(base.span);
        // The place that a number means which counts from the end.
        let place = |e: &Expr| match number(e).filter(Int::is_negative).and_then(|n| n.as_i64()) {
            Some(-1) => format!("size({text})"),
            Some(n) => format!("size({text}) - {}", n.unsigned_abs() - 1),
            None => self.checker.written(e.span).to_string(),
        };
        let help = match n.is_negative() {
            true => format!("counted from the end, it is `{text}[{}..{}]`", place(low), place(high)),
            false => format!("the first two are `{text}[1..2]`"),
        };
        let message = format!("there is no place {n} in a list");
        let report = Diagnostic::new(Code::NoSuchElement, at, message, "places are numbered from 1");
        self.found.push(report.help(help));
    }

    fn effect(&mut self, effect: &Effect) {
        let Effect::Assign(places, values) = effect else { return };
        for ((place, change), value) in places.iter().zip(values) {
            let state = &self.checker.game.state[place.state];
            let mut form = Some(&state.form);
            for at in &place.path {
                let Some(here) = form else { break };
                let base = Span::new(place.span.start, self.end_of_base(place, at));
                let report = self.place((&here.ty(), Some((place.state, here)), base), at, true);
                self.found.extend(report);
                form = inner(here);
            }
            let form = match change {
                Change::Set | Change::Join => form,
                Change::Insert => form.and_then(element),
                Change::Plus | Change::Minus | Change::Remove => None,
            };
            let Some(form) = form else { continue };
            self.value(state, form, value);
        }
    }

    /// Reports a first value that cannot be held. That of a grid or a map may be one value for all places.
    fn first_value(&mut self, state: &State, value: &Expr) {
        match &state.form {
            form @ (Form::Grid(_, _, of) | Form::Map(of, _)) => {
                let all = matches!(value.ty, Type::Grid(_) | Type::Map(..));
                self.value(state, if all { form } else { of }, value);
            }
            form => self.value(state, form, value),
        }
    }

    /// Reports a list that is written out with another number of elements than its place holds.
    fn length(&mut self, state: &State, form: &Form, value: &Expr) {
        let (Form::List(Some((bound, size)), _), Some(n)) = (form, written_length(value)) else { return };
        let Some(size) = number(size) else { return };
        let (fits, words) = match bound {
            Bound::Exactly => (n == size, format!("exactly {size}")),
            Bound::AtMost => (n <= size, format!("at most {size}")),
        };
        if fits {
            return;
        }
        let elements = if n == Int::from(1) { "element" } else { "elements" };
        let message = format!("`{}` cannot hold a list of {n} {elements}", state.name);
        let report = Diagnostic::new(Code::OutOfRange, value.span, message, format!("it holds {words}"))
            .also(state.span, "declared here");
        self.found.push(match &value.kind {
            ExprKind::List(parts) if parts.len() == 1 && *bound == Bound::Exactly => {
                let one = self.checker.written(parts[0].span);
                report.help(format!("the same value {size} times is `{size} copies of {one}`"))
            }
            ExprKind::List(parts) if parts.is_empty() && *bound == Bound::Exactly => {
                let first = match form {
                    Form::List(_, of) => first_of(of),
                    _ => None,
                };
                let first = first.unwrap_or_else(|| "…".to_string());
                report.help(format!(
                    "all its places hold something from the beginning: `{size} copies of {first}`; a list that grows is `list of at most {size} of …`"
                ))
            }
            _ => report,
        });
    }

    /// Reports what a piece of state, or a place in it, cannot hold.
    fn value(&mut self, state: &State, form: &Form, value: &Expr) {
        self.length(state, form, value);
        misfits(value, form, &mut |part, n, words| {
            let message = format!("`{}` cannot hold {n}", state.name);
            let whole = if let Form::Optional(of) = form { of } else { form };
            let here = if matches!(whole, Form::Tuple(_)) { " in this part" } else { "" };
            let label = format!("it can hold {words}{here}");
            self.found.push(
                Diagnostic::new(Code::OutOfRange, part.span, message, label)
                    .also(state.span, "declared here"),
            );
        });
    }

    /// Returns where the text before `[at]` ends.
    fn end_of_base(&self, place: &Place, at: &Expr) -> usize {
        let start = place.span.start;
        let text = self.checker.source.map_or("", |source| source.slice(Span::new(start, at.span.start)));
        start + text.rfind('[').unwrap_or(0)
    }
}

/// Returns advice for a place that is counted as in other languages: from 0, or backwards from the end.
fn from_the_end(n: &Int, list: &str, changed: bool) -> String {
    match n.as_i64() {
        Some(0) => format!("the first place is `{list}[1]`"),
        Some(-1) if !changed => format!("the last element is `last({list})`"),
        Some(-1) => format!("the last place is `{list}[size({list})]`"),
        Some(n) => format!("from the end it is `{list}[size({list}) - {}]`", n.unsigned_abs() - 1),
        None => format!("the first place is `{list}[1]`"),
    }
}
