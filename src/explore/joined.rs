//! Which parts of the rules never run only because another part never does: they are not reported on their own.

use std::collections::{BTreeMap, BTreeSet};

use super::never::{body, each_block};
use crate::ast::{BinaryOp, Block, Expr, ExprKind, File, ItemKind, Stmt, StmtKind, Until};
use crate::eval::{Coverage, Part, PartKind};
use crate::ir::changes;
use crate::play::Rules;
use crate::source::Span;

/// Returns the spans of statements that never run because an earlier statement of their block never does, or is a loop
/// that never ends.
pub fn behind(file: &File, never: &[(&Part, u64)]) -> BTreeSet<Span> {
    let starts: BTreeSet<usize> = never.iter().map(|(part, _)| part.span.start).collect();
    let mut found = BTreeSet::new();
    // Whether a condition holds is a separate question.
    let carried_out = |stmt: &&Stmt| {
        use StmtKind::{EndWhen, Need, NeedIfPossible, WinWhen};
        !matches!(stmt.kind, Need(..) | NeedIfPossible(..) | EndWhen(_) | WinWhen(..))
    };
    let endless = |stmt: &Stmt| {
        let ends: Vec<Span> = match &stmt.kind {
            StmtKind::Turns { before, after, .. } => {
                [before, after].into_iter().flatten().filter_map(span_of_until).collect()
            }
            StmtKind::Repeat { until, .. } | StmtKind::Cycle { until, .. } => {
                until.iter().filter_map(span_of_until).collect()
            }
            _ => Vec::new(),
        };
        never.iter().any(|(part, _)| part.kind == PartKind::Until && ends.contains(&part.span))
    };
    let mut block = |block: &Block| {
        let stmts: Vec<&Stmt> = block.stmts.iter().filter(carried_out).collect();
        let reached = stmts.iter().position(|stmt| endless(stmt)).map_or(stmts.len(), |at| at + 1);
        let silent = |stmt: &&&Stmt| starts.contains(&stmt.span.start);
        let first = stmts[..reached].iter().filter(silent).skip(1);
        for stmt in first.chain(stmts[reached..].iter().filter(silent)) {
            let of = never.iter().filter(|(part, _)| part.span.start == stmt.span.start);
            found.extend(of.map(|(part, _)| part.span));
        }
    };
    file.items.iter().filter_map(|item| body(&item.kind)).for_each(|body| each_block(body, &mut block));
    found
}

/// Returns the place of the condition that ends a loop.
fn span_of_until(until: &Until) -> Option<Span> {
    match until {
        Until::Cond(condition) => Some(condition.span),
        Until::Stuck(_) => None,
    }
}

/// Why a part never runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The other part, of which this is a consequence.
    pub part: Span,
    /// The state that would change there, and changes nowhere else.
    pub state: String,
}

/// Returns the parts that never run because their condition needs state to change that only changes behind another part
/// that never runs, such as a bonus for which nobody ever qualifies.
pub fn consequences(
    rules: &Rules,
    file: &File,
    coverage: &Coverage,
    never: &[(&Part, u64)],
) -> BTreeMap<Span, Cause> {
    let unchanged = unchanged(rules, file, coverage, never);
    if unchanged.is_empty() {
        return BTreeMap::new();
    }
    let mut found = BTreeMap::new();
    for (condition, part) in conditions(file) {
        if !never.iter().any(|(own, _)| own.span == part) {
            continue;
        }
        let reason = all_of(condition).into_iter().find_map(|part| {
            let mut read = BTreeSet::new();
            names(part, &mut read);
            read.retain(|name| rules.game.state.iter().any(|state| state.name == **name));
            let first = read.first()?;
            read.iter().all(|name| unchanged.contains_key(*name)).then(|| unchanged.get_key_value(*first))?
        });
        if let Some((state, cause)) = reason
            && *cause != part
        {
            found.insert(part, Cause { part: *cause, state: state.clone() });
        }
    }
    first_causes(found)
}

/// Traces each consequence back to a part that is none; of parts that follow from each other, the first is none.
fn first_causes(mut found: BTreeMap<Span, Cause>) -> BTreeMap<Span, Cause> {
    let parts: Vec<Span> = found.keys().copied().collect();
    for part in &parts {
        let mut at = *part;
        for _ in 0..parts.len() {
            match found.get(&at) {
                Some(cause) if cause.part == *part => {
                    found.remove(part);
                    break;
                }
                Some(cause) => at = cause.part,
                None => break,
            }
        }
    }
    let first = |mut at: Span| {
        while let Some(cause) = found.get(&at) {
            at = cause.part;
        }
        at
    };
    found
        .iter()
        .map(|(part, cause)| (*part, Cause { part: first(*part), state: cause.state.clone() }))
        .collect()
}

/// Returns the state variables that are written somewhere, but never were, each with the part that never ran in front of
/// the first place where it is written.
fn unchanged(
    rules: &Rules,
    file: &File,
    coverage: &Coverage,
    never: &[(&Part, u64)],
) -> BTreeMap<String, Span> {
    let mut found = BTreeMap::new();
    for (state, declared) in rules.game.state.iter().enumerate() {
        let writes = rules.game.code_spans.iter().filter(|(_, pc)| {
            let op = rules.game.code.get(*pc);
            op.is_some_and(|op| changes(op).iter().any(|(place, _)| place.state == state))
        });
        let writes: Vec<_> = writes.collect();
        if writes.iter().any(|(_, pc)| coverage.op_count(*pc) > 0) {
            continue;
        }
        let causes: Option<Vec<Span>> = writes.iter().map(|(span, _)| in_front(file, never, *span)).collect();
        if let Some(cause) = causes.and_then(|causes| causes.first().copied()) {
            found.insert(declared.name.clone(), cause);
        }
    }
    found
}

/// Returns the innermost condition or the move that never comes about, so that a statement at a place is not carried out.
fn in_front(file: &File, never: &[(&Part, u64)], place: Span) -> Option<Span> {
    let is_within = |of: Span| of.start <= place.start && place.end <= of.end;
    let silent = |kind: PartKind, span: Span| {
        never.iter().any(|(part, _)| part.kind == kind && part.span == span).then_some(span)
    };
    let mut found = None;
    for item in file.items.iter().filter(|item| is_within(item.span)) {
        if let ItemKind::Move(mv) = &item.kind {
            found = found.or(silent(PartKind::Move, mv.name.span));
        }
        let Some(body) = body(&item.kind) else { continue };
        each_block(body, &mut |block| {
            for stmt in &block.stmts {
                if let StmtKind::If(arms, _) = &stmt.kind {
                    let arm = arms.iter().find(|(_, body)| is_within(body.span));
                    found = arm.and_then(|(cond, _)| silent(PartKind::Branch, cond.span)).or(found);
                }
            }
        });
    }
    found
}

/// Returns the conditions of a file, each with the span of the part that runs where it holds.
fn conditions(file: &File) -> Vec<(&Expr, Span)> {
    fn in_expr<'f>(e: &'f Expr, out: &mut Vec<(&'f Expr, Span)>) {
        if let ExprKind::If(arms, _) = &e.kind {
            out.extend(arms.iter().map(|(cond, value)| (cond, value.span)));
        }
        e.parts().into_iter().for_each(|part| in_expr(part, out));
    }
    fn in_stmt<'f>(stmt: &'f Stmt, out: &mut Vec<(&'f Expr, Span)>) {
        match &stmt.kind {
            StmtKind::If(arms, _) => out.extend(arms.iter().map(|(cond, _)| (cond, cond.span))),
            StmtKind::EndWhen(cond) | StmtKind::WinWhen(_, cond) => out.push((cond, stmt.span)),
            _ => {}
        }
        stmt.exprs().into_iter().for_each(|e| in_expr(e, out));
    }
    let mut out = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Score(_, e) | ItemKind::Define(_, _, e) => in_expr(e, &mut out),
            ItemKind::Standing(stmt) => in_stmt(stmt, &mut out),
            kind => {
                let block = body(kind).into_iter();
                block.for_each(|body| {
                    each_block(body, &mut |block| block.stmts.iter().for_each(|stmt| in_stmt(stmt, &mut out)))
                });
            }
        }
    }
    out
}

/// Returns the operands of nested `and`s.
fn all_of(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [all_of(a), all_of(b)].concat(),
        _ => vec![e],
    }
}

/// Adds the names that an expression reads, be it on the table or of a player.
fn names<'e>(e: &'e Expr, out: &mut BTreeSet<&'e str>) {
    match &e.kind {
        ExprKind::Name(name) => _ = out.insert(name),
        ExprKind::Field(_, name) => _ = out.insert(&name.text),
        _ => {}
    }
    e.parts().into_iter().for_each(|part| names(part, out));
}
