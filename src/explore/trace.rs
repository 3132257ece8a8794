//! A match as data: its setting, choices and draws; convertible to a record, to lines for people, and to an
//! example.

use serde_json::{Map, Value as Json, json};

use super::Setting;
use super::setting::option_words;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting, text};
use crate::ir::Value;
use crate::play::{Record, Rules, chosen, move_words};

/// A match, or the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// What was agreed on.
    pub setting: Setting,
    /// Its choices and draws, in order.
    pub steps: Vec<Step>,
}

/// A step of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A choice: each seat (from 0) with what it chose. In a joint choice, all seats that choose, in their
    /// order.
    Choice(Vec<(usize, Chosen)>),
    /// A draw: its name and its result.
    Chance(String, Value),
}

impl Trace {
    /// A match without any steps yet.
    pub fn begun(setting: Setting) -> Trace {
        Trace { setting, steps: Vec::new() }
    }

    /// Returns the number of choices made; a joint choice counts once for each seat.
    pub fn choices(&self) -> usize {
        self.steps.iter().map(|step| if let Step::Choice(seats) = step { seats.len() } else { 0 }).sum()
    }

    /// Returns the match without its last step.
    pub fn before_last(&self) -> Trace {
        self.upto(self.steps.len().saturating_sub(1))
    }

    /// Returns the match up to this number of steps.
    pub fn upto(&self, steps: usize) -> Trace {
        Trace { setting: self.setting.clone(), steps: self.steps[..steps].to_vec() }
    }

    /// Returns the machine of its setting, if the rules still accept it.
    pub fn machine(&self, rules: &Rules) -> Option<Machine> {
        rules.machine(&self.setting.options, self.setting.players).ok()
    }

    /// Returns the position that the match leads to; `None` if it cannot be played that far.
    pub fn position(&self, machine: &Machine) -> Option<Position> {
        let mut position = machine.start().ok()?;
        for step in &self.steps {
            take(machine, &mut position, step).ok().filter(|taken| *taken)?;
        }
        Some(position)
    }

    /// Returns the record of the match, without a result.
    pub fn record(&self, rules: &Rules) -> Record {
        let game = &rules.game;
        let options = self.setting.options.iter();
        Record {
            game: rules.name.clone(),
            rules: Some(rules.hash.clone()),
            options: options
                .map(|(id, value)| (game.options[*id].name.clone(), text::json(game, value)))
                .collect(),
            players: self.setting.players,
            seed: None,
            moves: self.steps.iter().flat_map(|step| step.entries(rules)).collect(),
            result: None,
        }
    }

    /// Describes the match in lines for people, numbered by step: `1  player 1: take 3`. Draws have no
    /// number.
    pub fn lines(&self, rules: &Rules) -> Vec<String> {
        let steps = self.steps.iter().filter(|step| matches!(step, Step::Choice(_))).count();
        let width = steps.to_string().len();
        let mut number = 0;
        let mut lines = Vec::new();
        for step in &self.steps {
            match step {
                Step::Choice(seats) => {
                    number += 1;
                    for (at, (seat, chosen)) in seats.iter().enumerate() {
                        let number = if at == 0 { number.to_string() } else { String::new() };
                        let (who, what) = (rules.game.seat_name(*seat), choice_words(rules, chosen));
                        lines.push(format!("{number:>width$}  {who}: {what}"));
                    }
                }
                // Nothing was dealt.
                Step::Chance(_, Value::List(items)) if items.is_empty() => {}
                Step::Chance(name, value) => {
                    lines.push(format!("{:width$}  chance: {}", "", chance_words(rules, name, value)));
                }
            }
        }
        lines
    }

    /// Returns the match as an example for the rule file; `None` if there are no steps, because such an
    /// example would be empty.
    pub fn example(&self, rules: &Rules, title: &str) -> Option<String> {
        if self.steps.is_empty() {
            return None;
        }
        let options = self.setting.options.iter();
        let mut with: Vec<String> = options
            .map(|(id, value)| format!("{} = {}", rules.game.options[*id].name, option_words(rules, value)))
            .collect();
        with.push(format!("players = {}", self.setting.players));
        let mut lines = Vec::new();
        for step in &self.steps {
            match step {
                Step::Choice(seats) => lines.extend(
                    seats
                        .iter()
                        .map(|(seat, chosen)| format!("  {}: {}", seat + 1, choice_words(rules, chosen))),
                ),
                Step::Chance(name, value) => {
                    lines.push(format!("  chance {}", chance_words(rules, name, value)))
                }
            }
        }
        Some(format!("example \"{title}\" with {} {{\n{}\n}}", with.join(", "), lines.join("\n")))
    }
}

impl Step {
    /// Returns the entries of a record for this step.
    pub fn entries(&self, rules: &Rules) -> Vec<Json> {
        let game = &rules.game;
        match self {
            Step::Choice(seats) => seats
                .iter()
                .map(|(seat, choice)| {
                    let mv = &game.moves[choice.mv];
                    let args: Map<String, Json> = chosen(mv)
                        .zip(&choice.args)
                        .map(|(param, value)| (param.name.clone(), text::json(game, value)))
                        .collect();
                    json!({ "player": seat + 1, "move": mv.name, "args": args })
                })
                .collect(),
            Step::Chance(name, value) => {
                vec![json!({ "player": 0, "move": name, "args": { "value": text::json(game, value) } })]
            }
        }
    }
}

/// Formats a choice as people type it.
fn choice_words(rules: &Rules, choice: &Chosen) -> String {
    let mv = &rules.game.moves[choice.mv];
    let args: Vec<(String, Value)> =
        chosen(mv).map(|param| param.name.clone()).zip(choice.args.iter().cloned()).collect();
    move_words(&rules.game, &mv.name, &args)
}

fn chance_words(rules: &Rules, name: &str, value: &Value) -> String {
    move_words(&rules.game, name, &[("value".to_string(), value.clone())])
}

/// Takes a step. Returns `false` if it is not possible in this position, which may have changed; the fault is
/// one that occurs on the way to the next stop.
pub fn take(machine: &Machine, position: &mut Position, step: &Step) -> Result<bool, Fault> {
    match step {
        Step::Choice(picks) => {
            let Waiting::Choice { seats, .. } = position.waiting.clone() else { return Ok(false) };
            let together = machine.choice(position).is_some_and(|choice| choice.together);
            let expected = if together { seats.len() } else { 1 };
            if picks.len() != expected || picks.iter().any(|(seat, _)| !seats.contains(seat)) {
                return Ok(false);
            }
            for (seat, chosen) in picks {
                match machine.judge(position, *seat, chosen.mv, &chosen.args)? {
                    Ok(chosen) => machine.choose(position, *seat, chosen)?,
                    Err(_) => return Ok(false),
                }
            }
            Ok(true)
        }
        Step::Chance(name, value) => {
            if machine.chance(position).is_none_or(|chance| chance.name != *name) {
                return Ok(false);
            }
            Ok(machine.draw(position, value.clone())?.is_ok())
        }
    }
}
