//! Why a match cannot begin: the domains and needs that leave the first seat no legal move.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::args::chosen;
use super::why::{bind, operands};
use super::{Match, Rng, Rules};
use crate::eval::{Machine, Position, Refused, Stuck, Waiting};
use crate::ir::{Expr, ExprKind, Move, MoveCheck, Slot, Value, children, domain_parts};
use crate::num::Int;
use crate::source::Span;

/// The maximum number of rows that are checked for each move.
const ROWS: u64 = 1_000;

/// A line of the rules that rules out every move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// The place of the line.
    pub span: Span,
    /// What the line does, and to which move: "`need left > 1` refuses `take`".
    pub told: String,
    /// The operands it compares, as written, and their values.
    pub values: Vec<(String, String)>,
}

impl Match {
    /// Returns the domains and needs that leave the first seat without a legal move, if the match breaks for
    /// that reason; empty if the match begins or breaks for another reason.
    pub fn nothing_to_begin(
        rules: &Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Vec<Blocker> {
        let Ok(machine) = rules.machine(options, players) else { return Vec::new() };
        let Some((position, stuck)) = stuck_before_start(&machine, seed) else { return Vec::new() };
        let Ok(blank) = Match::before_start(rules.clone(), options, players, seed) else { return Vec::new() };
        stuck.refused.iter().flat_map(|refused| blank.blockers(&position, stuck.seat, refused)).collect()
    }

    /// Returns the reasons why a seat (from 0) cannot make one particular move.
    fn blockers(&self, position: &Position, seat: usize, refused: &Refused) -> Vec<Blocker> {
        let mv = &self.rules.game.moves[refused.mv];
        let texts = self.rule_texts(mv);
        let text = |span: Span| {
            let found = texts.iter().find(|(at, _)| *at == span.start);
            found.map_or(String::new(), |(_, text)| text.clone())
        };
        let told = self.machine().ask(position, |env| {
            let mut frame = position.frame.clone();
            frame[mv.me] = Value::Player(seat);
            for param in chosen(mv) {
                let Some(domain) = &param.domain else { continue };
                let from = env.domain(domain, &mut frame, false)?;
                if from.count(param.span)? == Some(Int::ZERO) {
                    let mut parts = Vec::new();
                    domain_parts(domain, &mut parts);
                    let told =
                        format!("`{}` leaves `{}` with nothing to choose from", text(param.span), mv.name);
                    let values = self.operand_values(env, &parts, &frame);
                    return Ok(vec![Blocker { span: param.span, told, values }]);
                }
                frame[param.slot] = from.at(&Int::ZERO);
            }
            let mut out = Vec::new();
            for (number, check) in mv.checks.iter().enumerate() {
                match check {
                    MoveCheck::Let(slots, value) => bind(&mut frame, slots, env, value)?,
                    MoveCheck::Need { cond, span, .. } => {
                        let Some((_, times)) = refused.by.iter().find(|(by, _)| *by == number) else {
                            continue;
                        };
                        let many = match (refused.rows, refused.more) {
                            (1, _) => String::new(),
                            (rows, false) if *times == rows => format!("all {rows} choices of "),
                            (rows, false) => format!("{times} of {rows} choices of "),
                            (_, true) => format!("{times} choices of "),
                        };
                        let told = format!("`{}` refuses {many}`{}`", text(*span), mv.name);
                        let mut parts = Vec::new();
                        operands(cond, &mut parts);
                        // With several rows, show only values that are the same for all of them.
                        parts.retain(|part| refused.rows == 1 || !reads_choice(mv, part));
                        out.push(Blocker {
                            span: *span,
                            told,
                            values: self.operand_values(env, &parts, &frame),
                        });
                    }
                    MoveCheck::SoftNeed { .. } => {}
                }
            }
            Ok(out)
        });
        told.unwrap_or_default()
    }
}

/// Returns who is stuck before the first choice of a match, and in which position.
pub(crate) fn stuck_before_start(machine: &Machine, seed: u64) -> Option<(Position, Stuck)> {
    let position = first_break(machine, seed)?;
    let stuck = machine.why_stuck(&position, ROWS)?;
    Some((position, stuck))
}

/// Returns the position at which the match breaks before its first choice; `None` if the match begins.
fn first_break(machine: &Machine, seed: u64) -> Option<Position> {
    let mut position = machine.blank().ok()?;
    for made in 0.. {
        if machine.run(&mut position).is_err() {
            return Some(position);
        }
        if position.waiting != Waiting::Chance {
            break;
        }
        // Draw the same values as a match with this seed.
        let from = machine.outcomes(&position).ok()?;
        let span = machine.chance(&position)?.span;
        let count = from.count(span).ok()?.unwrap_or(Int::ONE);
        let value = from.at(&Rng::nth(seed, made).below(&count));
        machine.resolve_draw(&mut position, value).ok()?.ok()?;
    }
    None
}

/// Whether an expression reads a parameter of the move, or a `let` of the move.
fn reads_choice(mv: &Move, e: &Expr) -> bool {
    let named = |slot: &Slot| {
        mv.params.iter().any(|param| param.slot == *slot)
            || mv.checks.iter().any(|check| matches!(check, MoveCheck::Let(slots, _) if slots.contains(slot)))
    };
    let mut any = matches!(&e.kind, ExprKind::Local(slot) if named(slot));
    children(e, &mut |child| any = any || reads_choice(mv, child));
    any
}
