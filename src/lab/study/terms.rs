//! The terms of which a score is the sum: whether they ever differ.

use serde::{Deserialize, Serialize};

use super::report::ConstantTerm;
use super::sums::{ENOUGH, Sums, each};
use crate::eval::{Env, Fault, Machine};
use crate::ir::{Arith, Expr, ExprKind, Game, Lambda, Scoring, Value, WinnerBy, states_read};
use crate::play::{Match, Rules};
use crate::source::Span;

/// How deeply functions are followed to the terms in them.
const DEEP: usize = 8;

/// The least and the greatest value of a term at the end of matches, for any player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TermRange {
    range: Option<[i64; 2]>,
    /// Whether some value was no small number.
    unknown: bool,
}

impl TermRange {
    fn add(&mut self, value: &Value) {
        let number = match value {
            Value::Int(number) => number.as_i64(),
            _ => None,
        };
        self.join(&TermRange { range: number.map(|number| [number; 2]), unknown: number.is_none() });
    }

    pub fn join(&mut self, other: &TermRange) {
        self.unknown |= other.unknown;
        self.range = match (self.range, other.range) {
            (Some([least, most]), Some([low, high])) => Some([least.min(low), most.max(high)]),
            (own, other) => own.or(other),
        };
    }

    fn only(&self) -> Option<i64> {
        let [least, most] = self.range.filter(|_| !self.unknown)?;
        (least == most).then_some(least)
    }
}

/// Returns the formulas by which players are compared or scored, with the only seat that each is for.
fn formulas(game: &Game) -> Vec<(&Lambda, Option<usize>)> {
    let scores: Vec<(&Lambda, Option<usize>)> = match &game.scoring {
        Scoring::None | Scoring::Awards => Vec::new(),
        Scoring::Each(formula) => vec![(formula, None)],
        Scoring::Named(formulas) => {
            formulas.iter().enumerate().map(|(seat, one)| (one, Some(seat))).collect()
        }
    };
    // Where there are several parts, it is told how often each of them decides.
    let keys = match game.winner.as_ref().map(|winner| (&winner.by, winner.then_last_mover)) {
        Some((WinnerBy::Best(keys), false)) if keys.len() == 1 => keys.as_slice(),
        _ => &[],
    };
    let keys = keys.iter().map(|(_, key)| (key, None));
    scores.into_iter().chain(keys.filter(|(key, _)| !matches!(key.body.kind, ExprKind::Score(_)))).collect()
}

/// Calls `on` with each term of a sum, in the functions that it calls, too; `depth` of them are open.
fn each_term<'g>(game: &'g Game, e: &'g Expr, depth: usize, on: &mut dyn FnMut(&'g Expr)) {
    match &e.kind {
        ExprKind::Arith(Arith::Add | Arith::Sub, a, b) => {
            [a, b].into_iter().for_each(|side| each_term(game, side, depth, on));
        }
        ExprKind::Call(function, _) if depth < DEEP => {
            each_term(game, &game.functions[*function].lambda.body, depth + 1, on);
        }
        _ => on(e),
    }
}

/// Evaluates the terms of a sum in the same order.
fn evaluate(
    env: &Env,
    e: &Expr,
    depth: usize,
    frame: &mut Vec<Value>,
    out: &mut Vec<Value>,
) -> Result<(), Fault> {
    match &e.kind {
        ExprKind::Arith(Arith::Add | Arith::Sub, a, b) => {
            evaluate(env, a, depth, frame, out)?;
            evaluate(env, b, depth, frame, out)
        }
        ExprKind::Call(function, args) if depth < DEEP => {
            let lambda = &env.machine.game.functions[*function].lambda;
            let mut inner = args.iter().map(|arg| env.eval(arg, frame)).collect::<Result<Vec<_>, _>>()?;
            inner.resize(lambda.frame.max(inner.len()), Value::Unset);
            evaluate(env, &lambda.body, depth + 1, &mut inner, out)
        }
        _ => {
            out.push(env.eval(e, frame)?);
            Ok(())
        }
    }
}

/// Returns the range of each term at the end of a match, in the order of the formulas. Empty if a term has no value.
pub(super) fn ranges(end: &Match) -> Vec<TermRange> {
    let machine: &Machine = end.machine();
    let mut all = Vec::new();
    for (formula, only) in formulas(&machine.game) {
        let mut ranges: Vec<TermRange> = Vec::new();
        for seat in (0..end.players()).filter(|seat| only.is_none_or(|only| only == *seat)) {
            let mut values = Vec::new();
            let found = machine.ask(end.position(), |env| {
                let mut frame = vec![Value::Unset; formula.frame.max(1)];
                frame[0] = Value::Player(seat);
                evaluate(env, &formula.body, 0, &mut frame, &mut values)
            });
            if found.is_err() {
                return Vec::new();
            }
            ranges.resize(values.len(), TermRange::default());
            ranges.iter_mut().zip(&values).for_each(|(range, value)| range.add(value));
        }
        all.extend(ranges);
    }
    all
}

/// Returns the terms that read the position and yet had the same value for every player in all of many matches.
pub(super) fn constant_terms(rules: &Rules, sums: &Sums) -> Vec<ConstantTerm> {
    let game = &rules.game;
    let mut terms: Vec<(Span, bool)> = Vec::new();
    for (formula, _) in formulas(game) {
        each_term(game, &formula.body, 0, &mut |term| {
            let mut read = Default::default();
            states_read(game, term, &mut read);
            terms.push((term.span, !read.is_empty()));
        });
    }
    let ended = sums.matches - sums.unfinished;
    if ended < ENOUGH || sums.terms.len() != terms.len() {
        return Vec::new();
    }
    let found = terms.iter().zip(&sums.terms).filter(|((_, reads), _)| *reads);
    let mut all: Vec<ConstantTerm> = Vec::new();
    for ((span, _), range) in found {
        let Some(value) = range.only() else { continue };
        let (file, _) = rules.source.file_at(span.start);
        all.push(ConstantTerm {
            term: rules.source.slice(*span).split_whitespace().collect::<Vec<_>>().join(" "),
            file: file.rsplit(['/', '\\']).next().unwrap_or(file).to_string(),
            line: rules.source.position(span.start).line,
            value,
            matches: ended,
        });
    }
    all
}

/// Joins the ranges of several matches.
pub(super) fn join(own: &mut Vec<TermRange>, others: &[TermRange]) {
    each(own, others, TermRange::join);
}
