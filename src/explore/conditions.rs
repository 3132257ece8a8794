//! Finds which part of a condition that never holds is to blame: plays matches, and evaluates every part at
//! each test.

use std::cell::RefCell;

use super::observe::observe;
use super::{Setting, counted};
use crate::diag::Diagnostic;
use crate::eval::{Machine, Position};
use crate::ir::{Expr, ExprKind, Op, Pc, Value};
use crate::num::Rng;
use crate::source::{Source, Span};

/// The fewest tests after which a part is said never to hold.
const LEAST_TESTS: u64 = 20;

/// A conjunction: the ops where play tests it, and how often each of its parts held.
struct Condition {
    pcs: Vec<Pc>,
    parts: Vec<Span>,
    tested: u64,
    held: Vec<u64>,
}

/// Adds to the diagnostics of conditions that never hold which of their parts never hold. Spends about
/// `effort`.
pub(super) fn tell(
    source: &Source,
    machines: &[(Setting, Machine)],
    found: Vec<&mut Diagnostic>,
    effort: u64,
) {
    let Some((_, first)) = machines.first() else { return };
    let conditions = found.iter().map(|diagnostic| Condition::at(first, diagnostic.span()));
    let conditions: Vec<Option<Condition>> = conditions.collect();
    if conditions.iter().all(Option::is_none) {
        return;
    }
    let conditions = RefCell::new(conditions);
    let share = effort / machines.len() as u64;
    for (number, (_, machine)) in machines.iter().enumerate() {
        let mut left = share;
        for nth in 0.. {
            let mut rng = Rng::nth(Rng::sub_seed(number as u64, 0), nth);
            let ask = |pc: Pc, position: &Position| {
                let mut conditions = conditions.borrow_mut();
                let here = conditions.iter_mut().flatten().find(|condition| condition.pcs.contains(&pc));
                if let Some(condition) = here {
                    condition.ask(machine, pc, position);
                }
            };
            // Faults are reported elsewhere.
            let _ = observe(machine, &ask, &mut rng, &mut left);
            if left == 0 {
                break;
            }
        }
    }
    for (diagnostic, condition) in found.into_iter().zip(conditions.into_inner()) {
        if let Some(condition) = condition {
            condition.tell(source, diagnostic);
        }
    }
}

impl Condition {
    /// Returns the condition tested at a place, if it is a conjunction.
    fn at(machine: &Machine, place: Span) -> Option<Condition> {
        let tests = machine.game.code.iter().enumerate().filter_map(|(pc, op)| match op {
            Op::Unless(e, _) if place.start <= e.span.start && e.span.end <= place.end => Some((pc, e)),
            _ => None,
        });
        let tests: Vec<(Pc, &Expr)> = tests.filter(|(_, e)| matches!(e.kind, ExprKind::And(..))).collect();
        let mut parts = Vec::new();
        all_of(tests.first()?.1, &mut parts);
        Some(Condition {
            pcs: tests.iter().map(|(pc, _)| *pc).collect(),
            held: vec![0; parts.len()],
            parts: parts.into_iter().map(|part| part.span).collect(),
            tested: 0,
        })
    }

    /// Evaluates every part when play reaches the test.
    fn ask(&mut self, machine: &Machine, pc: Pc, position: &Position) {
        let Op::Unless(e, _) = &machine.game.code[pc] else { return };
        let mut parts = Vec::new();
        all_of(e, &mut parts);
        self.tested += 1;
        for (part, held) in parts.into_iter().zip(&mut self.held) {
            let frame = &mut position.frame.clone();
            // A part may only be well-defined if those before it hold.
            let value = machine.ask(position, |env| env.eval(part, frame));
            *held += u64::from(value.is_ok_and(|value| value == Value::Bool(true)));
        }
    }

    fn tell(self, source: &Source, diagnostic: &mut Diagnostic) {
        if self.tested < LEAST_TESTS {
            return;
        }
        let tested = counted(self.tested, "test", "tests");
        let never = self.parts.iter().zip(&self.held).filter(|(_, held)| **held == 0);
        let never: Vec<Span> = never.map(|(part, _)| *part).collect();
        for part in &never {
            // Quoted, since the label of a part cannot be told from that of the whole where both begin at one place.
            let words: Vec<&str> = source.slice(*part).split_whitespace().collect();
            let text = format!("`{}` held in none of {tested} in further matches", words.join(" "));
            diagnostic.labels.push(crate::diag::Label { span: *part, text });
        }
        if never.is_empty() {
            diagnostic.help =
                Some(format!("each of its parts held at some point in {tested}, but never all at once"));
        }
    }
}

/// Collects the operands of nested `and`s.
fn all_of<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::And(a, b) => {
            all_of(a, out);
            all_of(b, out);
        }
        _ => out.push(e),
    }
}
