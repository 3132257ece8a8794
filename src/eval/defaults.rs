//! Settings with which no match can begin because of the file itself: defaults that do not fit their options or that a
//! `need` at the left edge refuses.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fault, Machine, text};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Expr, ExprKind, Form, Game, SetupNeed, Value, children};
use crate::num::Int;

/// So many values of an option are tried to find one that a `need` accepts.
const MOST_TRIED: i64 = 200;

/// The fault of a default that its own option cannot have.
pub(super) fn outside(game: &Game, option: usize, value: &Value, range: &str) -> Fault {
    let option = &game.options[option];
    let message =
        format!("the option `{}` cannot be {}: it is {range}", option.name, text::words(game, value));
    let report = Diagnostic::new(Code::BadOption, option.default.span, message, "this is its default");
    Box::new(report.help("make one of these the default, or widen the range"))
}

impl Machine {
    /// Returns the fault of defaults that a `need` at the left edge refuses, for `reason`. `None` if the need is about the
    /// settings that somebody gave.
    pub(super) fn refused_defaults(
        &self,
        need: &SetupNeed,
        reason: &str,
        given: &BTreeMap<usize, Value>,
    ) -> Option<Fault> {
        let read = options_read(&self.game, &need.cond.body);
        if self.setup.players != self.game.seats.min || read.iter().any(|id| given.contains_key(id)) {
            return None;
        }
        let message = match reason {
            "" => "the defaults do not satisfy this `need`".to_string(),
            reason => format!("no match can begin with the defaults: {reason}"),
        };
        let mut report = Diagnostic::new(Code::BadOption, need.cond.body.span, message, "this does not hold");
        for id in &read {
            let (option, value) = (&self.game.options[*id], &self.setup.options[*id]);
            let label = format!("`{}` is {} here", option.name, text::words(&self.game, value));
            report = report.also(option.default.span, label);
        }
        let names: Vec<String> = read.iter().map(|id| format!("`{}`", self.game.options[*id].name)).collect();
        let help = match (names.as_slice(), read.first()) {
            ([], _) => "it holds in no match: change it or what it reads".to_string(),
            ([name], Some(id)) => match self.accepted(*id, need) {
                Some(Some(value)) => {
                    format!("it holds for {value}: change the default of {name}, or the `need`")
                }
                Some(None) => format!(
                    "it holds for no value that {name} can have: change the `need`, or the range of {name}"
                ),
                None => format!("change the default of {name}, or the `need`"),
            },
            (names, _) => format!("change the defaults of {}, or the `need`", names.join(" and ")),
        };
        Some(Box::new(report.help(help)))
    }

    /// Returns the value of an option nearest to its default that a `need` accepts, and inside that `None` if it accepts
    /// none; `None` if that is too much to try.
    fn accepted(&self, option: usize, need: &SetupNeed) -> Option<Option<Int>> {
        let empty = self.unset_position();
        let bound = |e: &Expr| {
            let value = self.ask(&empty, |env| env.eval(e, &mut vec![Value::Unset; self.game.slots])).ok()?;
            whole(&value)
        };
        let Form::Range(low, high) = &self.game.options[option].form else { return None };
        let (low, high) = (bound(low)?, bound(high)?);
        let default = whole(&self.setup.options[option])?;
        if high.checked_sub(low)? > MOST_TRIED {
            return None;
        }
        let mut values: Vec<i64> = (low..=high).collect();
        values.sort_by_key(|value| (value.abs_diff(default), *value));
        for value in values {
            let mut setup = self.setup.clone();
            setup.options[option] = Value::Int(Int::from(value));
            setup.constants.clear();
            let mut machine = Machine::set_up(self.game.clone(), setup);
            for constant in &self.game.constants {
                let value = machine.ask(&empty, |env| env.call(&constant.value, Vec::new())).ok()?;
                machine.setup.constants.push(value);
            }
            if machine.ask(&empty, |env| env.call(&need.cond, Vec::new())).ok()? == Value::Bool(true) {
                return Some(Some(Int::from(value)));
            }
        }
        Some(None)
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(n) => n.as_i64(),
        _ => None,
    }
}

/// Returns the options that an expression reads, also through constants and functions.
fn options_read(game: &Game, e: &Expr) -> BTreeSet<usize> {
    let mut read = BTreeSet::new();
    let (mut constants, mut functions) = (BTreeSet::new(), BTreeSet::new());
    let mut left = vec![e];
    while let Some(e) = left.pop() {
        match &e.kind {
            ExprKind::Option(id) => drop(read.insert(*id)),
            ExprKind::Constant(id) if constants.insert(*id) => left.push(&game.constants[*id].value.body),
            ExprKind::Call(id, _) if functions.insert(*id) => left.push(&game.functions[*id].lambda.body),
            _ => {}
        }
        children(e, &mut |part| left.push(part));
    }
    read
}
