//! Warnings about rules that take too long in play, because very many values are enumerated or tested one by
//! one.
//!
//! The work of each part of a game is estimated in evaluator steps: first with the default options, then with
//! state as large as it may become, then with each option at its upper end. Unbounded amounts are ignored.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use super::amount::{Amount, Amounts, Setting, about, number, values};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Builtin, Chance, ChanceKind, Compare, Decomposer, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Form,
    Game, Lambda, Move, MoveCheck, Op, Param, RowConstraints, Scoring, Slot, Type, WinnerBy, children,
    domain_parts, op_parts, read_by_checks, row_constraints,
};
use crate::source::Span;

/// Limit on evaluator steps from one choice to the next (`eval::MAX_STEPS`).
const MOST_STEPS: f64 = 1e8;

/// Log2 of the number of rows that a choice may enumerate or sample.
const MOST_ROWS: f64 = 22.0;

/// Log2 of the number of values of other parameters for each of which rows may be counted.
const MOST_TIED: f64 = 6.0;

/// Number of rows tried, at most, until one fulfils a condition that many rows fulfil.
const TRIES: f64 = 64.0;

/// Limit on steps of the automaton from one choice to the next (`eval::machine`).
const MOST_OPS: f64 = 2e7;

/// Maximum number of elements of a collection (`eval::MAX_ELEMENTS`).
const MOST_ELEMENTS: f64 = 4e6;

/// The share of the whole work from which a part is to blame.
const GOOD_PART: f64 = 0.4;

/// Parts with fewer steps than this are not examined further.
const SMALL: f64 = 1000.0;

/// Factor on the default at which an option without an upper end is tried.
const GROWTH: f64 = 10.0;

/// Maximum number of options tried at their upper ends.
const OPTIONS: usize = 16;

/// How many values of an option, from its upper end down, are tried to find one that the setup conditions
/// allow.
const VALUES: usize = 1000;

/// Reports what takes too long.
pub(super) fn check(checker: &mut Checker) {
    let game = &checker.game;
    let mut told = BTreeSet::new();
    let mut reports = Vec::new();
    for (setting, when) in settings(game) {
        let amounts = Amounts::new(game, setting);
        let mut finder = Finder { game, amounts, often: BTreeMap::new(), when, reports: Vec::new() };
        finder.game();
        reports.extend(finder.reports.into_iter().filter(|report| told.insert(report.span())));
    }
    checker.diagnostics.extend(reports);
}

// ---- settings

/// Returns the settings to examine, in order, each with its wording for messages.
fn settings(game: &Game) -> Vec<(Setting, String)> {
    let mut usual =
        Setting { options: vec![None; game.options.len()], players: game.seats.min as f64, grown: false };
    for (at, option) in game.options.iter().enumerate() {
        if let Amount::Number(n, _) = Amounts::new(game, usual.clone()).amount(&option.default) {
            usual.options[at] = Some(n);
        }
    }
    let mut all = vec![(usual.clone(), String::new())];
    all.push((
        Setting { grown: true, ..usual.clone() },
        " when the state it reads is at its largest".to_string(),
    ));
    for (at, option) in game.options.iter().enumerate().take(OPTIONS) {
        let Some(default) = usual.options[at] else { continue };
        let top = match &option.form {
            Form::Range(_, high) => match Amounts::new(game, usual.clone()).amount(high) {
                Amount::Number(_, high) if high.is_finite() => high,
                _ => continue,
            },
            Form::AtLeast(_) | Form::Int => default * GROWTH,
            _ => continue,
        };
        let with = |n: f64| {
            let mut setting = usual.clone();
            setting.options[at] = Some(n);
            setting
        };
        let below = (0..VALUES).map(|less| top - less as f64).take_while(|n| *n > default);
        if let Some(n) = below.into_iter().find(|n| allowed(game, with(*n))) {
            all.push((with(n), format!(" with `{} = {n}`", option.name)));
        }
    }
    if let Some(most) = game.seats.max.filter(|most| *most > game.seats.min) {
        all.push((Setting { players: most as f64, ..usual }, format!(" with {most} players")));
    }
    all
}

/// Whether the setup conditions may hold.
fn allowed(game: &Game, setting: Setting) -> bool {
    let mut amounts = Amounts::new(game, setting);
    game.setup.iter().all(|need| holds(&mut amounts, &need.cond.body) != Some(false))
}

/// Whether a condition holds; `None` if that depends on numbers that are not known exactly.
fn holds(amounts: &mut Amounts, e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Not(a) => holds(amounts, a).map(|a| !a),
        ExprKind::And(a, b) => match (holds(amounts, a), holds(amounts, b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => a.zip(b).map(|_| true),
        },
        ExprKind::Or(a, b) => match (holds(amounts, a), holds(amounts, b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (a, b) => a.zip(b).map(|_| false),
        },
        ExprKind::Compare(first, links) => {
            let mut left = amounts.amount(first);
            let mut all = Some(true);
            for (sign, right) in links {
                let right = amounts.amount(right);
                let (Amount::Number(a, b), Amount::Number(c, d)) = (&left, &right) else { return None };
                if a != b || c != d {
                    return None;
                }
                let one = match sign {
                    Compare::Equal => a == c,
                    Compare::NotEqual => a != c,
                    Compare::Less => a < c,
                    Compare::AtMost => a <= c,
                    Compare::Greater => a > c,
                    Compare::AtLeast => a >= c,
                    Compare::Divides => *a != 0.0 && c % a == 0.0,
                };
                all = all.map(|all| all && one);
                left = right;
            }
            all
        }
        _ => None,
    }
}

// ---- work

/// Estimates the work of a game in one setting.
struct Finder<'g> {
    game: &'g Game,
    amounts: Amounts<'g>,
    /// Which functions return conditions that hold often; see [`Finder::holds_often`].
    often: BTreeMap<usize, bool>,
    /// The wording of the setting for messages.
    when: String,
    reports: Vec<Diagnostic>,
}

impl<'g> Finder<'g> {
    fn game(&mut self) {
        let game = self.game;
        self.bind_frame();
        for constant in &game.constants {
            self.lambda(&constant.value);
        }
        for need in &game.setup {
            self.lambda(&need.cond);
        }
        for state in &game.state {
            state.init.iter().for_each(|init| self.lambda(init));
        }
        for mv in &game.moves {
            let mut domains = Vec::new();
            let params = mv.params.iter();
            params
                .flat_map(|p| p.sampling_domain.iter().chain(&p.domain))
                .for_each(|d| offered(d, &mut domains));
            domains.into_iter().for_each(|e| self.weigh(e));
            self.rows_asked(mv);
            self.needs(mv);
        }
        for choice in &game.choices {
            self.weigh(&choice.who);
            let offers = choice.all_offers();
            offers.flat_map(|offer| &offer.given).for_each(|e| self.weigh(e));
        }
        for op in &game.code {
            if let Op::Chance(Chance { kind: ChanceKind::Value(domain, _), .. }) = op {
                self.drawn(domain);
            }
        }
        self.code();
        for line in &game.show {
            self.lambda(&line.text);
        }
        match &game.scoring {
            Scoring::None | Scoring::Awards => {}
            Scoring::Each(score) => self.lambda(score),
            Scoring::Named(scores) => scores.iter().for_each(|score| self.lambda(score)),
        }
        if let Some(WinnerBy::Best(by)) = game.winner.as_ref().map(|winner| &winner.by) {
            by.iter().for_each(|(_, value)| self.lambda(value));
        }
    }

    /// Weighs an expression that is evaluated in a frame of its own.
    fn lambda(&mut self, lambda: &'g Lambda) {
        self.amounts.enter(&[]);
        self.weigh(&lambda.body);
        self.amounts.leave();
    }

    /// Binds the names of the automaton's frame, those of moves first. A slot that several `let`s write is
    /// unknown.
    fn bind_frame(&mut self) {
        let game = self.game;
        for mv in &game.moves {
            for param in &mv.params {
                if let Some(domain) = &param.domain {
                    let amount = self.amounts.of_domain(domain);
                    self.amounts.bind(&[param.slot], amount);
                }
            }
            for check in &mv.checks {
                if let MoveCheck::Let(slots, value) = check {
                    let amount = self.amounts.amount(value);
                    self.amounts.bind(slots, amount);
                }
            }
        }
        let mut written: BTreeMap<Slot, usize> = BTreeMap::new();
        for op in &game.code {
            if let Op::Do(Effect::Let(slots, _), _) = op {
                slots.iter().for_each(|slot| *written.entry(*slot).or_default() += 1);
            }
        }
        for op in &game.code {
            match op {
                Op::Do(Effect::Let(slots, value), _) => {
                    let amount = match slots.iter().all(|slot| written[slot] == 1) {
                        true => self.amounts.amount(value),
                        false => Amount::Unknown,
                    };
                    self.amounts.bind(slots, amount);
                }
                Op::Collect { source, list, .. } => {
                    let size = self.amounts.rows(source).map(f64::exp2);
                    let of = self.amounts.of_domain(source);
                    self.amounts.bind(&[*list], Amount::Many(size, Box::new(of)));
                }
                Op::Next { list, slots, .. } => {
                    let of = self.amounts.named(*list).elements();
                    self.amounts.bind(slots, of);
                }
                Op::Chance(chance) => {
                    if let ChanceKind::Value(domain, slot) = &chance.kind {
                        let amount = self.amounts.of_domain(domain);
                        self.amounts.bind(&[*slot], amount);
                    }
                }
                _ => {}
            }
        }
    }
    // ---- choices

    /// Reports conditions on rows that cannot be tested by scanning a row from left to right.
    fn rows_asked(&mut self, mv: &'g Move) {
        for (at, param) in mv.params.iter().filter(|param| param.domain.is_some()).enumerate() {
            let Some(asked) = row_constraints(self.game, mv, param, at) else { continue };
            let Some(rows) = self.log2_rows(param).filter(|rows| *rows > MOST_ROWS) else { continue };
            let Some(span) = asked.ungathered.first() else { continue };
            let message =
                format!("`{}` has {}{}, and this tests them one by one", param.name, values(rows), self.when);
            self.reports.push(
                Diagnostic::new(Code::SlowChoice, *span, message, "cannot be tested element by element")
                    .also(param.span, "chosen here")
                    .help("fast conditions use `sum`, `product`, `count`, `all` or `some` over its elements, the largest, the smallest, `distinct`, an order (`sorted(row) = row`) or neighbours (`row[k] < row[k + 1]`); or say what bots draw from: `try D`"),
            );
        }
    }

    /// Reports a draw from very many rows with a condition that cannot be tested by scanning a row from left
    /// to right.
    fn drawn(&mut self, domain: &'g Domain) {
        let Domain::Where(slot, of, condition) = domain else { return };
        let told = of.is_of_rows()
            && Decomposer::new(&self.game.functions, *slot, self.game.slots).decompose(condition);
        let Some(rows) = self.amounts.rows(of).filter(|rows| rows.is_finite() && !told) else { return };
        if rows > MOST_ROWS {
            let message =
                format!("this is drawn from {}{}, which are tested one by one", values(rows), self.when);
            self.reports.push(
                Diagnostic::new(Code::SlowChoice, condition.span, message, "tested for each value")
                    .help("draw one part at a time from what is left; or use conditions that are fast: `sum`, `product`, `count`, `all` or `some` over its elements, the largest, the smallest, `distinct`, an order or neighbours"),
            );
        }
    }

    /// Reports needs that are tested on very many rows of arguments, or that take long themselves. Stops
    /// after a need that few rows fulfil, since the number of rows left is then unknown.
    fn needs(&mut self, mv: &'g Move) {
        let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
        let constraints: Vec<Option<RowConstraints>> =
            chosen.iter().enumerate().map(|(at, param)| row_constraints(self.game, mv, param, at)).collect();
        let read = read_by_checks(mv);
        for (number, (check, about)) in mv.checks.iter().zip(&read).enumerate() {
            let e = check.expr();
            if let MoveCheck::Let(..) = check {
                self.weigh(e);
                continue;
            }
            let counts = |at: &usize| {
                constraints[*at].iter().flat_map(|asked| &asked.needs).any(|(need, _)| *need == number)
            };
            if about.iter().any(counts) && !self.is_tied(&chosen, about, counts) {
                continue;
            }
            let asked: &[&Param] = match (about.first(), about.last()) {
                (Some(first), Some(last)) if first == last => &chosen[*first..=*first],
                (_, Some(last)) => &chosen[..=*last],
                _ => &[],
            };
            let rows = asked.iter().map(|param| self.log2_rows(param)).sum::<Option<f64>>();
            let rows = rows.filter(|rows| rows.is_finite());
            // One of many is found soon, except in a range tried from one end, where none may be left.
            let ranged = matches!(asked, [param] if matches!(param.domain, Some(Domain::Range(..))));
            let often = !ranged && !matches!(check, MoveCheck::SoftNeed { .. }) && self.holds_often(e);
            let times = match (rows, often) {
                (Some(rows), false) => rows.exp2(),
                (Some(rows), true) => rows.exp2().min(TRIES),
                (None, _) => 1.0,
            };
            let before = self.reports.len();
            self.weigh(e);
            // A part of this need may have been reported as one that rows cannot be counted by.
            let inside =
                |told: &Diagnostic| e.span.start <= told.span().start && told.span().end <= e.span.end;
            if before == self.reports.len() && times > 1.0 && !self.reports.iter().any(inside) {
                self.asked_of_many(e, asked, times);
            }
            if !self.holds_often(e) {
                return;
            }
        }
    }

    /// Whether a need that rows are counted by ties them to too many values of other parameters, since rows
    /// are counted once for each of those.
    fn is_tied(
        &mut self,
        chosen: &[&Param],
        about: &BTreeSet<usize>,
        counts: impl Fn(&usize) -> bool,
    ) -> bool {
        let rows: Vec<(usize, Option<f64>)> =
            about.iter().map(|at| (*at, self.log2_rows(chosen[*at]))).collect();
        let most = rows
            .iter()
            .filter(|(at, _)| counts(at))
            .max_by(|a, b| a.1.unwrap_or_default().total_cmp(&b.1.unwrap_or_default()));
        let Some((row, _)) = most else { return false };
        let others = rows.iter().filter(|(at, _)| at != row);
        let others = others.filter(|(at, rows)| !counts(at) || rows.is_some_and(|rows| rows > MOST_ROWS));
        others.map(|(_, rows)| *rows).sum::<Option<f64>>().is_some_and(|rows| rows > MOST_TIED)
    }

    /// Reports a need that takes too long because it is tested on so many rows.
    fn asked_of_many(&mut self, e: &'g Expr, asked: &[&Param], times: f64) {
        self.amounts.reset_budget();
        let work = self.work(e);
        if times * work <= MOST_STEPS {
            return;
        }
        let names: Vec<String> = asked.iter().map(|param| format!("`{}`", param.name)).collect();
        let (have, label) = match names.len() {
            1 => ("has", "tested for each value"),
            _ => ("have", "tested only when all of them are chosen"),
        };
        let together = if names.len() > 1 { " together" } else { "" };
        let long =
            if work > 1e4 { format!(" and takes {} steps each time", about(work)) } else { String::new() };
        let message = format!(
            "{} {have} {}{together}{}, and this tests them one by one{long}",
            names.join(", "),
            values(times.log2()),
            self.when
        );
        let help = match names.len() {
            1 => {
                "choose only from values that meet it: `divisors(n)`, `[x in 1..n where …]`, `k in a..b` with a narrower range; or keep in state what does not depend on the choice"
            }
            _ => {
                "let a parameter depend on the ones before it: `b in divisors(a)`, `b in [x in 1..n where …]`; or test what concerns `a` alone in an earlier need"
            }
        };
        let report = Diagnostic::new(Code::SlowChoice, e.span, message, label);
        self.reports.push(report.also(asked[0].span, "chosen here").help(help));
    }

    /// Whether a condition can be expected to hold for one of a few values: inequalities can, equations
    /// cannot.
    fn holds_often(&mut self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Compare(_, links) => {
                links.iter().all(|(sign, _)| !matches!(sign, Compare::Equal | Compare::Divides))
            }
            ExprKind::And(a, b) => self.holds_often(a) && self.holds_often(b),
            ExprKind::Or(a, b) => self.holds_often(a) || self.holds_often(b),
            ExprKind::Not(_) | ExprKind::IsNone(_) => true,
            ExprKind::Builtin(word, _) => {
                matches!(word, Builtin::Prime | Builtin::Coprime | Builtin::Even | Builtin::Odd)
            }
            ExprKind::Call(id, _) => {
                if let Some(known) = self.often.get(id) {
                    return *known;
                }
                let game = self.game;
                let often = game.functions.get(*id).is_some_and(|of| self.holds_often(&of.lambda.body));
                self.often.insert(*id, often);
                often
            }
            _ => false,
        }
    }

    /// Returns log2 of the number of values that a parameter is drawn from.
    fn log2_rows(&mut self, param: &Param) -> Option<f64> {
        self.amounts.rows(param.sampling_domain.as_ref().or(param.domain.as_ref())?)
    }

    // ---- code of play

    /// Weighs each step of the automaton times the number of passes of the loops around it between two
    /// choices.
    fn code(&mut self) {
        let game = self.game;
        let mut times = vec![1.0; game.code.len()];
        for (end, op) in game.code.iter().enumerate() {
            let Op::Jump(top) = op else { continue };
            let passes = if *top <= end { self.passes(*top, end) } else { None };
            for count in &mut times[(*top).min(end)..=end] {
                *count *= passes.unwrap_or(1.0);
            }
        }
        let all: f64 = times.iter().filter(|times| **times > 1.0).sum();
        let mut most: Option<(f64, &Op)> = None;
        for (op, times) in game.code.iter().zip(times) {
            let before = self.reports.len();
            op_parts(op).into_iter().for_each(|e| self.weigh(e));
            self.amounts.reset_budget();
            let work = times * op_parts(op).into_iter().map(|e| self.work(e)).sum::<f64>();
            let many = work > MOST_STEPS || all > MOST_OPS && times > 1.0;
            if many && before == self.reports.len() && most.is_none_or(|(most, _)| work > most) {
                most = Some((work, op));
            }
        }
        let Some((_, op)) = most else { return };
        let place = match op {
            Op::Do(_, span) => *span,
            op => op_parts(op).first().map_or(Span::default(), |e| e.span),
        };
        let message = format!("this is done {} times{} without anybody choosing", about(all), self.when);
        self.reports.push(
            Diagnostic::new(Code::SlowChoice, place, message, "that is how often the loops around it repeat")
                .help("let a loop go through fewer values (`each y in x + 1..n`), or work a value out in one line: `sum(k in S: E)` over what matters"),
        );
    }

    /// Returns the number of passes of a loop; `None` if it contains a choice or a draw, or the number is
    /// unknown.
    fn passes(&mut self, top: usize, end: usize) -> Option<f64> {
        let inside = &self.game.code[top..=end];
        if inside.iter().any(|op| matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..))) {
            return None;
        }
        inside.iter().find_map(|op| match op {
            Op::Next { list, cyclic: false, exit, .. } if *exit == end + 1 => {
                self.amounts.named(*list).size()
            }
            Op::Unless(cond, exit) if *exit == end + 1 => match &cond.kind {
                ExprKind::Compare(_, links) => match links.as_slice() {
                    [(Compare::Less, limit)] => match self.amounts.amount(limit) {
                        Amount::Number(_, high) if high.is_finite() => Some(high),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
    }

    // ---- expressions

    /// Reports an expression if evaluating it once takes too long.
    fn weigh(&mut self, e: &'g Expr) {
        self.amounts.reset_budget();
        let work = self.work(e);
        if work <= MOST_STEPS {
            return;
        }
        self.blame(e, work, &mut Vec::new());
    }

    /// Descends to the parts that take most of the work of an expression and reports them. `calls` are the
    /// calls on the way.
    fn blame(&mut self, e: &'g Expr, work: f64, calls: &mut Vec<Span>) {
        let (mut parts, mut count) = (Vec::new(), None);
        match &e.kind {
            ExprKind::Fold(fold) => {
                count = self.amounts.bind_sources(fold);
                parts.extend(fold.filter.iter().chain([&fold.body]));
                fold.sources.iter().for_each(|source| domain_parts(&source.domain, &mut parts));
            }
            _ => children(e, &mut |part| parts.push(part)),
        }
        let heavy = self.heavy(parts, work);
        if !heavy.is_empty() {
            heavy.into_iter().for_each(|(work, part)| self.blame(part, work, calls));
            return;
        }
        if let ExprKind::Call(id, args) = &e.kind
            && let Some(function) = self.game.functions.get(*id)
        {
            calls.push(e.span);
            self.amounts.enter(args);
            self.blame(&function.lambda.body, work, calls);
            self.amounts.leave();
            calls.pop();
            return;
        }
        let count = count.or_else(|| self.amounts.amount(e).size());
        let message = match count {
            Some(count) => format!("this goes through {}{}", values(count.log2()), self.when),
            None => format!("this takes {} steps to work out{}", about(work), self.when),
        };
        let label = match count {
            Some(count) if count > MOST_ELEMENTS && !matches!(e.kind, ExprKind::Fold(_)) => {
                format!("a collection has at most {} elements", number(MOST_ELEMENTS))
            }
            _ => format!("the limit between two choices is {} steps", number(MOST_STEPS)),
        };
        let mut report = Diagnostic::new(Code::SlowChoice, e.span, message, label);
        for call in calls {
            report = report.also(*call, "used here");
        }
        self.reports.push(report.help(faster(e)));
    }

    /// Returns the parts that take too long by themselves, heaviest first; if none does, the heaviest part if
    /// its share of the work is large enough.
    fn heavy(&mut self, parts: Vec<&'g Expr>, work: f64) -> Vec<(f64, &'g Expr)> {
        let mut weighed: Vec<(f64, &Expr)> = parts.into_iter().map(|part| (self.work(part), part)).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
        let alone = weighed.iter().filter(|(inner, _)| *inner > MOST_STEPS).count();
        let good = weighed.first().is_some_and(|(inner, _)| *inner > SMALL && *inner > work * GOOD_PART);
        weighed.truncate(if good { alone.max(1) } else { alone });
        weighed
    }

    /// Estimates the evaluator steps of an expression: one for each part, times how often it is evaluated.
    fn work(&mut self, e: &Expr) -> f64 {
        if self.amounts.exhausts_budget() {
            return 0.0;
        }
        let mut all = 1.0;
        match &e.kind {
            ExprKind::Fold(fold) => return self.fold_work(fold),
            ExprKind::Call(id, args) => {
                all += args.iter().map(|arg| self.work(arg)).sum::<f64>();
                if let Some(function) = self.game.functions.get(*id) {
                    self.amounts.enter(args);
                    all += self.work(&function.lambda.body);
                    self.amounts.leave();
                }
            }
            ExprKind::If(arms, otherwise) => {
                let mut most = self.work(otherwise);
                for (cond, value) in arms {
                    all += self.work(cond);
                    most = most.max(self.work(value));
                }
                all += most;
            }
            ExprKind::Listed(_) | ExprKind::Builtin(Builtin::Pairs, _) => {
                children(e, &mut |part| all += self.work(part));
                all += build_work(self.amounts.amount(e).size());
            }
            _ => children(e, &mut |part| all += self.work(part)),
        }
        all
    }

    /// Estimates the work of a fold. One that stops early counts as one pass, and a body after a filter that
    /// rarely holds is ignored.
    fn fold_work(&mut self, fold: &Fold) -> f64 {
        let mut all = 1.0;
        let mut parts = Vec::new();
        fold.sources.iter().for_each(|source| domain_parts(&source.domain, &mut parts));
        for part in parts {
            all += self.work(part);
        }
        let count = self.amounts.bind_sources(fold);
        if fold.filter.is_none() && matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) {
            all += build_work(count);
        }
        let stops = fold.stop.is_some() || matches!(fold.kind, FoldKind::First | FoldKind::Reach);
        let count = if stops { 1.0 } else { count.unwrap_or(1.0) };
        let filtered = fold.filter.as_ref().map(|filter| (self.work(filter), self.holds_often(filter)));
        let body = self.work(&fold.body);
        all + count
            * match filtered {
                Some((filter, false)) => 1.0 + filter,
                Some((filter, true)) => 1.0 + filter + body,
                None => 1.0 + body,
            }
    }
}

/// Returns the work of building a collection. One that exceeds the element limit counts as too slow.
fn build_work(size: Option<f64>) -> f64 {
    match size {
        Some(size) if size > MOST_ELEMENTS => MOST_STEPS + size,
        size => size.unwrap_or(0.0),
    }
}

/// Collects the expressions evaluated before a value is chosen from a domain; conditions are tested later.
fn offered<'e>(domain: &'e Domain, out: &mut Vec<&'e Expr>) {
    match domain {
        Domain::Where(_, of, _) => offered(of, out),
        domain => domain_parts(domain, out),
    }
}

/// Returns a suggestion for a faster form of an expression.
fn faster(e: &Expr) -> &'static str {
    match &e.kind {
        ExprKind::Fold(fold) if fold.sources.iter().all(|source| of_squares(&source.domain)) => {
            "go through only the squares that matter: `lines(board, 3)`, `beside(board, s)`, `ray(board, s, d)`, `regions(board)`; or keep in state what would otherwise be computed again each time"
        }
        ExprKind::Fold(fold) if fold.sources.len() > 1 => {
            "let a later name depend on the earlier ones: `b in a + 1..n`, `b in divisors(a)`; a name that an equation settles is not needed: test `n - a` instead of `b`"
        }
        ExprKind::Fold(_) => {
            "go through fewer values: `divisors(n)` instead of `1..n`, `k in 1..root(n)`, the elements of a list; or keep in state what would otherwise be computed again each time: `total += x`"
        }
        ExprKind::Builtin(Builtin::Pairs, _) => {
            "count equal elements instead of going through pairs: `copies(x, L)` for each possible x"
        }
        _ => {
            "work out less at once: name with `let` what is used several times, and keep in state what would otherwise be computed again each time"
        }
    }
}

/// Whether a domain is all squares of a grid.
fn of_squares(domain: &Domain) -> bool {
    matches!(domain, Domain::Values(e) if matches!(e.ty, Type::Grid(_)))
}
