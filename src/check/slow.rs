//! Warnings of choices that take too long: very many rows, of which something has to be asked one by one.

use std::cmp::Ordering;

use super::Checker;
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Arith, Asked, Builtin, Compare, Domain, Expr, ExprKind, Game, Move, MoveCheck, Param, Value, asked_of,
    read_by_checks,
};

/// Up to how many rows, as a power of two, a choice may be gone through or tried at random.
const MOST: f64 = 22.0;
/// Up to how many values, as a power of two, rows may be tied to that are counted for each of them.
const MOST_TIED: f64 = 8.0;

/// Reports the conditions that very many rows must be asked for.
pub(super) fn choices(checker: &mut Checker) {
    let mut reports = Vec::new();
    let game = &checker.game;
    for mv in &game.moves {
        for (at, param) in mv.params.iter().filter(|param| param.domain.is_some()).enumerate() {
            let Some(asked) = asked_of(game, mv, param, at) else { continue };
            let Some(rows) = drawn_rows(game, param).filter(|rows| *rows > MOST) else { continue };
            let Some(span) = asked.missed.first() else { continue };
            let many = many(rows);
            reports.push(
                Diagnostic::new(
                    Code::SlowChoice,
                    *span,
                    format!("`{}` has {many}, and this is asked of them one by one", param.name),
                    "cannot be counted element by element",
                )
                .also(param.span, "chosen here")
                .help("`sum`, `product`, `count`, `all` or `some` over its elements, the largest, the smallest, `distinct`, an order (`sorted(row) = row`) and neighbours (`row[k] < row[k + 1]`) are fast; or say what bots draw from: `try D`"),
            );
        }
    }
    for mv in &game.moves {
        reports.extend(joined_choice(game, mv));
    }
    checker.diagnostics.extend(reports);
}

/// A need that reads several parameters which have very many rows together, and by which none of them is counted: the
/// first need, where nothing before it has left any out, or one that ties a row to too many values.
fn joined_choice(game: &Game, mv: &Move) -> Option<Diagnostic> {
    let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
    let asked: Vec<Option<Asked>> =
        chosen.iter().enumerate().map(|(at, param)| asked_of(game, mv, param, at)).collect();
    let about = read_by_checks(mv);
    let needs = mv.checks.iter().enumerate().filter_map(|(number, check)| match check {
        MoveCheck::Need { cond, .. } => Some((number, cond)),
        _ => None,
    });
    let (cond, last) = needs.enumerate().find_map(|(place, (number, cond))| {
        // Inequalities leave most rows in: one is soon found.
        if let ExprKind::Compare(_, links) = &cond.kind
            && links.iter().all(|(sign, _)| !matches!(sign, Compare::Equal | Compare::Divides))
        {
            return None;
        }
        let read = about[number].iter().copied();
        let last = read.clone().last().filter(|_| read.len() > 1)?;
        let counts = |at: &usize| {
            let needs = asked[*at].iter().flat_map(|asked| &asked.needs);
            needs.into_iter().any(|(need, _)| *need == number)
        };
        let values = |at: usize| drawn_rows(game, chosen[at]);
        let all = (0..=last).map(values).sum::<Option<f64>>()?;
        let row = read
            .clone()
            .filter(counts)
            .max_by(|a, b| values(*a).partial_cmp(&values(*b)).unwrap_or(Ordering::Equal));
        let slow = match row {
            None => place == 0 && all.is_finite(),
            // It is counted once for each value of what stands before it.
            Some(row) => {
                let others = read.filter(|at| *at != row);
                let others = others.filter(|at| !counts(at) || values(*at).is_some_and(|rows| rows > MOST));
                others.map(|at| values(at)).sum::<Option<f64>>()? > MOST_TIED
            }
        };
        (slow && all > MOST).then_some((cond, last))
    })?;
    let all = chosen[..=last].iter().map(|param| drawn_rows(game, param)).sum::<Option<f64>>()?;
    let names: Vec<String> = chosen[..=last].iter().map(|param| format!("`{}`", param.name)).collect();
    let many = many(all);
    Some(
        Diagnostic::new(
            Code::SlowChoice,
            cond.span,
            format!("{} have {many} together, and this is asked of them one by one", names.join(", ")),
            "asked when all of them are chosen",
        )
        .also(chosen[0].span, "chosen here")
        .help("let a parameter be chosen from what the others leave: `b in divisors(a)`, `b in [x in 1..n where …]`; or ask of `a` alone what can be asked of it, in a need before this one"),
    )
}

/// How many values a parameter is drawn from, as a power of two.
fn drawn_rows(game: &Game, param: &Param) -> Option<f64> {
    rows(game, param.tried.as_ref().or(param.domain.as_ref())?)
}

/// A number of values, a power of two, in words.
fn many(rows: f64) -> String {
    match rows.is_finite() {
        true => format!("about 10^{} values", (rows * std::f64::consts::LOG10_2).floor()),
        false => "values without end".to_string(),
    }
}

/// How many rows a domain has with the options as they are unless set, as a power of two; `None` where that turns out in
/// play.
fn rows(game: &Game, domain: &Domain) -> Option<f64> {
    Some(match domain {
        Domain::Ints | Domain::AtLeast(_) => f64::INFINITY,
        Domain::Range(low, high) => (number(game, high)? - number(game, low)? + 1.0).max(1.0).log2(),
        Domain::Values(e) => size(game, e)?.max(1.0).log2(),
        Domain::Permutations(e) => {
            let size = size(game, e)?.min(1e4) as u32;
            (1..=size).map(|n| f64::from(n).log2()).sum()
        }
        Domain::Lists(count, of) | Domain::Arrangements(count, of) => number(game, count)? * rows(game, of)?,
        Domain::ListsFrom(_, None, of) => {
            if rows(game, of)? > 0.0 {
                f64::INFINITY
            } else {
                0.0
            }
        }
        Domain::ListsFrom(_, Some(high), of) => number(game, high)? * rows(game, of)?,
        Domain::Subsets(of, None) => size(game, of)?,
        Domain::Subsets(of, Some(count)) => number(game, count)? * size(game, of)?.max(1.0).log2(),
        Domain::Tuples(parts) => parts.iter().map(|part| rows(game, part)).sum::<Option<f64>>()?,
        Domain::Where(_, of, _) => rows(game, of)?,
    })
}

/// How many elements a collection has.
fn size(game: &Game, e: &Expr) -> Option<f64> {
    Some(match &e.kind {
        ExprKind::Players | ExprKind::Standing => game.seats.min as f64,
        ExprKind::List(parts) | ExprKind::Set(parts) => parts.len() as f64,
        ExprKind::Listed(domain) => rows(game, domain)?.exp2(),
        ExprKind::Value(Value::Set(items)) => items.len() as f64,
        ExprKind::Value(Value::List(items)) => items.len() as f64,
        ExprKind::Constant(id) => size(game, &game.constants.get(*id)?.value.body)?,
        _ => return None,
    })
}

/// A number that is known before play.
fn number(game: &Game, e: &Expr) -> Option<f64> {
    Some(match &e.kind {
        ExprKind::Value(Value::Int(n)) => n.as_i64()? as f64,
        ExprKind::Option(id) => number(game, &game.options.get(*id)?.default)?,
        ExprKind::Constant(id) => number(game, &game.constants.get(*id)?.value.body)?,
        ExprKind::Negative(a) => -number(game, a)?,
        ExprKind::Builtin(Builtin::Size, args) => size(game, args.first()?)?,
        ExprKind::Arith(op, a, b) => {
            let (a, b) = (number(game, a)?, number(game, b)?);
            match op {
                Arith::Add => a + b,
                Arith::Sub => a - b,
                Arith::Mul => a * b,
                Arith::Div => (a / b).floor(),
                Arith::Pow => a.powf(b),
                Arith::Mod => return None,
            }
        }
        _ => return None,
    })
}
