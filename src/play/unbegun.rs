//! Why a match cannot begin: which domains and needs leave who is asked first nothing to play, each with its values.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::args::chosen;
use super::why::{bind, operands};
use super::{Match, Rng, Rules};
use crate::eval::{Machine, Position, Refused, Waiting};
use crate::ir::{Expr, ExprKind, Move, MoveCheck, Slot, Value, children, domain_parts};
use crate::num::Int;
use crate::source::Span;

/// How many rows of arguments of each move are asked about.
const ROWS: u64 = 1_000;

/// A line of the rules that leaves nothing to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// The place of the line.
    pub span: Span,
    /// What it says, and of which move: "`need left > 1` refuses `take`".
    pub told: String,
    /// What it compares, as written, and the values of that.
    pub values: Vec<(String, String)>,
}

impl Match {
    /// What leaves nothing to play to who is asked first, in a match that breaks there; nothing where it breaks for another
    /// reason, or begins.
    pub fn nothing_to_begin(
        rules: &Arc<Rules>,
        options: &BTreeMap<usize, Value>,
        players: usize,
        seed: u64,
    ) -> Vec<Nothing> {
        let Ok(machine) = rules.machine(options, players) else { return Vec::new() };
        let Some(position) = first_break(&machine, seed) else { return Vec::new() };
        let Some(stuck) = machine.why_stuck(&position, ROWS) else { return Vec::new() };
        let Ok(blank) = Match::laid_out(rules.clone(), options, players, seed) else { return Vec::new() };
        stuck.refused.iter().flat_map(|refused| blank.left_nothing(&position, stuck.seat, refused)).collect()
    }

    /// What of one move leaves nothing to a seat (from 0).
    fn left_nothing(&self, position: &Position, seat: usize, refused: &Refused) -> Vec<Nothing> {
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
                    let told = format!("`{}` leaves `{}` nothing to choose from", text(param.span), mv.name);
                    let values = self.worth(env, &parts, &frame);
                    return Ok(vec![Nothing { span: param.span, told, values }]);
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
                        // Of many choices, only what is the same for all has a value to show.
                        parts.retain(|part| refused.rows == 1 || !reads_choice(mv, part));
                        out.push(Nothing { span: *span, told, values: self.worth(env, &parts, &frame) });
                    }
                    MoveCheck::Prefer { .. } => {}
                }
            }
            Ok(out)
        });
        told.unwrap_or_default()
    }
}

/// The position at the first choice that nobody can make; `None` where the match begins.
fn first_break(machine: &Machine, seed: u64) -> Option<Position> {
    let mut position = machine.blank().ok()?;
    for made in 0.. {
        if machine.run(&mut position).is_err() {
            return Some(position);
        }
        if position.waiting != Waiting::Chance {
            break;
        }
        // As a match of this seed draws.
        let from = machine.outcomes(&position).ok()?;
        let span = machine.chance(&position)?.span;
        let count = from.count(span).ok()?.unwrap_or(Int::ONE);
        let value = from.at(&Rng::nth(seed, made).below(&count));
        machine.settle(&mut position, value).ok()?.ok()?;
    }
    None
}

/// Whether an expression reads what is chosen, or what a `let` of the move has made of it.
fn reads_choice(mv: &Move, e: &Expr) -> bool {
    let named = |slot: &Slot| {
        mv.params.iter().any(|param| param.slot == *slot)
            || mv.checks.iter().any(|check| matches!(check, MoveCheck::Let(slots, _) if slots.contains(slot)))
    };
    let mut any = matches!(&e.kind, ExprKind::Local(slot) if named(slot));
    children(e, &mut |child| any = any || reads_choice(mv, child));
    any
}
