//! Finds why matches do not end that go past a number that must be met exactly: `until pile = 0`, where `pile` may fall
//! below it.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::Setting;
use super::observe::observe;
use crate::diag::{Diagnostic, Label};
use crate::eval::{Machine, Position};
use crate::ir::{Compare, Expr, ExprKind, Op, Pc, Type, Value};
use crate::num::{Int, Rng};
use crate::source::{Source, Span};

/// The fewest matches in which a number went past another before that is said to keep them from ending.
const LEAST_MATCHES: u64 = 3;

/// How a number stood to the one that it is compared with, in one match.
struct Course {
    last: (Int, Int),
    /// What it was before and after it first went past.
    passed: Option<(Int, Int)>,
}

/// Adds to the diagnostics of matches that do not end what they went past. Spends about `effort`.
pub(super) fn tell(
    source: &Source,
    machines: &[(Setting, Machine)],
    found: Vec<&mut Diagnostic>,
    effort: u64,
) {
    if found.is_empty() || machines.is_empty() {
        return;
    }
    // For each comparison: in how many matches, and how it went in the first of them.
    let mut passed: BTreeMap<Span, (u64, (Int, Int))> = BTreeMap::new();
    for (number, (_, machine)) in machines.iter().enumerate() {
        let mut left = effort / machines.len() as u64;
        for nth in 0.. {
            let courses = RefCell::new(BTreeMap::new());
            let on = |pc: Pc, position: &Position| note(machine, pc, position, &mut courses.borrow_mut());
            let mut rng = Rng::nth(Rng::sub_seed(number as u64, 1), nth);
            // Faults are reported elsewhere.
            if let Ok(false) = observe(machine, &on, &mut rng, &mut left)
                && left > 0
            {
                for (place, course) in courses.into_inner() {
                    if let Some(how) = course.passed {
                        passed.entry(place).or_insert((0, how)).0 += 1;
                    }
                }
            }
            if left == 0 {
                break;
            }
        }
    }
    let often = passed.into_iter().filter(|(_, (times, _))| *times >= LEAST_MATCHES);
    let Some((place, (_, (before, after)))) = often.max_by_key(|(_, (times, _))| *times) else { return };
    let Some((what, _)) = source.slice(place).split_once('=') else { return };
    let (what, sign) = (what.trim(), if after < before { "<=" } else { ">=" });
    let met = source.slice(place).replacen('=', sign, 1);
    for diagnostic in found {
        let text = format!("`{what}` went past this, from {before} to {after} in one match");
        diagnostic.labels.push(Label { span: place, text });
        diagnostic.help = Some(format!("let a `need` keep `{what}` from going past it, or write `{met}`"));
    }
}

/// Notes how the numbers stand that the condition of an op compares for equality.
fn note(machine: &Machine, pc: Pc, position: &Position, courses: &mut BTreeMap<Span, Course>) {
    let Op::Unless(condition, _) = &machine.game.code[pc] else { return };
    let mut equalities = Vec::new();
    equalities_of(condition, &mut equalities);
    for (place, a, b) in equalities {
        let number = |e: &Expr| {
            let frame = &mut position.frame.clone();
            match machine.ask(position, |env| env.eval(e, frame)) {
                Ok(Value::Int(n)) => Some(n),
                _ => None,
            }
        };
        let (Some(a), Some(b)) = (number(a), number(b)) else { continue };
        match courses.get_mut(&place) {
            None => {
                courses.insert(place, Course { last: (a, b), passed: None });
            }
            Some(course) => {
                let (was, now) = (course.last.0.cmp(&course.last.1), a.cmp(&b));
                if was != now && was != Ordering::Equal && now != Ordering::Equal && course.passed.is_none() {
                    course.passed = Some((course.last.0.clone(), a.clone()));
                }
                course.last = (a, b);
            }
        }
    }
}

/// Collects the comparisons of two numbers for equality in a condition, with their places.
fn equalities_of<'e>(e: &'e Expr, out: &mut Vec<(Span, &'e Expr, &'e Expr)>) {
    match &e.kind {
        ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            equalities_of(a, out);
            equalities_of(b, out);
        }
        ExprKind::Not(of) => equalities_of(of, out),
        ExprKind::Compare(a, links) => {
            if let [(Compare::Equal, b)] = links.as_slice()
                && a.ty == Type::Int
                && b.ty == Type::Int
            {
                out.push((e.span, a, b));
            }
        }
        _ => {}
    }
}
