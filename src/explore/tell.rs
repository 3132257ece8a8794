//! Completes the diagnostics of findings: which needs left a seat stuck and what to do about it at that kind
//! of choice, the values of variables where the rules broke, and what changes in a cycle and what does not.

use std::cell::RefCell;

use super::endless;
use super::identity::Identity;
use super::never::{body, each_block};
use super::search::go;
use super::{Finding, Setting, Sort, Step, Trace, thousands};
use crate::ast::{Choices, StmtKind};
use crate::diag::{Code, Diagnostic, Label};
use crate::eval::{Fault, Machine, Position, Refused, Stuck, text};
use crate::ir::{
    Chance, ChanceKind, Change, Effect, Expr, ExprKind, MoveCheck, Op, Param, Place, Slot, StateId, Value,
    children, op_parts,
};
use crate::play::{Rules, stuck_before_start};
use crate::source::Span;

/// How many rows of arguments of each move are examined to explain why a seat is stuck.
const ROWS: u64 = 1_000;
/// The most names listed, and the most letters of a value.
const NAMES: usize = 5;
const LETTERS: usize = 40;

/// Completes the diagnostic of a finding that a match shows.
pub(super) fn tell(rules: &Rules, machines: &[(Setting, Machine)], finding: &mut Finding) {
    let Some(trace) = &finding.trace else { return };
    let Some((_, machine)) = machines.iter().find(|(setting, _)| *setting == trace.setting) else { return };
    match finding.sort {
        Sort::Stuck => {
            let why = broken(machine, trace).and_then(|position| machine.why_stuck(&position, ROWS));
            if let Some(stuck) = why {
                tell_stuck(rules, machine, &stuck, &mut finding.diagnostic);
            }
        }
        // The cause of too much work is not in one place.
        Sort::Fault if finding.cause != Code::TooMuchWork => {
            let Some(position) = broken(machine, trace) else { return };
            let there = FaultSite { machine, position: &position, last: trace.steps.last() };
            let span = finding.diagnostic.span();
            finding.root = there.root(span, finding.cause);
            if let Some(values) = there.values(span) {
                let label = &mut finding.diagnostic.labels[0].text;
                *label = if label.is_empty() { values } else { format!("{label}; {values}") };
            }
        }
        Sort::NotThere => {
            let Some(position) = broken(&machine.strict(), trace) else { return };
            let there = FaultSite { machine, position: &position, last: trace.steps.last() };
            if let Some(values) = there.values(finding.diagnostic.span()) {
                let label = &mut finding.diagnostic.labels[0].text;
                *label = format!("{label}; {values}");
            }
            finding.diagnostic.help = there.way_to_take_out(rules);
        }
        Sort::Endless => {
            if let Some(words) = way_round(machine, trace) {
                finding.diagnostic.help = Some(format!("{words}; {}", endless::HELP));
            }
        }
        _ => {}
    }
}

/// Returns the position before the op that breaks the rules; if nothing breaks, the last position of the
/// match.
fn broken(machine: &Machine, trace: &Trace) -> Option<Position> {
    let mut position = machine.blank().ok()?;
    if let Some(before) = breaks(machine, &mut position) {
        return Some(before);
    }
    for step in &trace.steps {
        let taken = match step {
            Step::Choice(picks) => picks
                .iter()
                .all(|(seat, chosen)| machine.accept(&mut position, *seat, chosen.clone()).is_ok()),
            Step::Chance(_, value) => {
                machine.resolve_draw(&mut position, value.clone()).is_ok_and(|done| done.is_ok())
            }
        };
        if !taken {
            break;
        }
        if let Some(before) = breaks(machine, &mut position) {
            return Some(before);
        }
    }
    Some(position)
}

/// Runs to the next stop. If the rules break on the way, returns the position before the op that breaks them,
/// because that op may have left something half written.
fn breaks(machine: &Machine, position: &mut Position) -> Option<Position> {
    let mut again = position.clone();
    let before = RefCell::new(position.clone());
    if machine.run(position).is_ok() {
        return None;
    }
    let _ = machine.run_observed(&mut again, |_, there| {
        if there.pc == position.pc {
            before.replace(there.clone());
        }
        Ok(())
    });
    Some(before.into_inner())
}

// ---- stuck seats

/// Completes the fault of a seat that is stuck before the first choice of a match.
pub fn why_stuck(rules: &Rules, machine: &Machine, mut fault: Fault) -> Fault {
    if fault.code == Code::Stuck
        && let Some((_, stuck)) = stuck_before_start(machine, 0)
    {
        tell_stuck(rules, machine, &stuck, &mut fault);
    }
    fault
}

fn tell_stuck(rules: &Rules, machine: &Machine, stuck: &Stuck, diagnostic: &mut Diagnostic) {
    let why: Vec<String> = stuck.refused.iter().map(|refused| why_refused(rules, machine, refused)).collect();
    for refused in &stuck.refused {
        let params = machine.game.moves[refused.mv].params.iter().filter(|param| param.domain.is_some());
        if refused.rows == 0 {
            let label =
                |param: &Param| Label { span: param.span, text: "there is nothing to choose from".into() };
            diagnostic.labels.extend(params.map(label).next_back());
        }
        for (check, times) in &refused.by {
            if let MoveCheck::Need { span, .. } = &machine.game.moves[refused.mv].checks[*check] {
                let label = match refused.rows {
                    1 => "this refuses it".to_string(),
                    _ => format!("this refuses {}", thousands(*times)),
                };
                diagnostic.labels.push(Label { span: *span, text: label });
            }
        }
    }
    let way_out = way_out(rules, machine.game.choices[stuck.choice].span);
    diagnostic.help = Some(format!("{}; {way_out}", why.join(", and ")));
}

/// Describes how many rows of a move there are, and which needs refuse them: `all 12 choices of `take` are
/// refused: 9 by "…" (line 14), 3 by …`.
fn why_refused(rules: &Rules, machine: &Machine, refused: &Refused) -> String {
    let mv = &machine.game.moves[refused.mv];
    if refused.rows == 0 {
        return format!("`{}` has nothing to choose from", mv.name);
    }
    let by = |check: usize| match &mv.checks[check] {
        MoveCheck::Need { reason, span, .. } => {
            let line = rules.source.position(span.start).line;
            match rules.source.slice(reason.span) {
                reason if reason.starts_with('"') => format!("{reason} (line {line})"),
                // The reason is computed, or none was written.
                _ => format!("`{}` (line {line})", rules.source.slice(*span).lines().next().unwrap_or("")),
            }
        }
        _ => String::new(),
    };
    let each: Vec<String> =
        refused.by.iter().map(|(check, times)| format!("{} by {}", thousands(*times), by(*check))).collect();
    let rows = thousands(refused.rows);
    let all = if refused.more { format!("the first {rows}") } else { format!("all {rows}") };
    match refused.by.as_slice() {
        [(check, _)] if refused.rows == 1 => format!("`{}` is refused by {}", mv.name, by(*check)),
        [(check, _)] => format!("{all} choices of `{}` are refused by {}", mv.name, by(*check)),
        _ => format!("{all} choices of `{}` are refused: {}", mv.name, each.join(", ")),
    }
}

/// Suggests what to write at a choice for seats that have no legal move there.
fn way_out(rules: &Rules, choice: Span) -> String {
    let (file, _) = crate::syntax::parse(&rules.source);
    let mut found = None;
    let is_it = |choices: &Choices| choice.start <= choices.span.start && choices.span.end <= choice.end;
    for body in file.items.iter().filter_map(|item| body(&item.kind)) {
        each_block(body, &mut |block| {
            for stmt in &block.stmts {
                let offered: Vec<&Choices> = match &stmt.kind {
                    StmtKind::Ask(_, choices)
                    | StmtKind::Together(_, choices)
                    | StmtKind::Choose(choices) => vec![choices],
                    StmtKind::TogetherAsk(lines) => lines.iter().map(|(_, choices)| choices).collect(),
                    _ => Vec::new(),
                };
                let it = offered.into_iter().find(|choices| is_it(choices));
                found = found.or(it.map(|choices| (stmt, choices)));
            }
        });
    }
    let Some((stmt, choices)) = found else { return "say what happens then".to_string() };
    let offered = rules.source.slice(choices.span).trim();
    let otherwise = match choices.otherwise.as_slice() {
        [] => format!("offer a move after `else`: `{offered} else …`"),
        _ => "make sure that the move after `else` is always legal".to_string(),
    };
    let passed_over = match stmt.kind {
        StmtKind::Ask(..) => format!("to skip players who can make none, write `… {offered} if possible`"),
        StmtKind::Together(..) | StmtKind::TogetherAsk(_) => {
            format!("to leave out players who can make none, write `{offered} if possible`")
        }
        _ => "with `turns`, `until stuck` ends them then, `skipping stuck` skips stuck players, `dropping stuck` takes \
              them out of the match"
            .to_string(),
    };
    format!("{passed_over}; or {otherwise}")
}

// ---- faults

/// The state of the match where the rules broke.
struct FaultSite<'a> {
    machine: &'a Machine,
    position: &'a Position,
    /// The last step of the match, which names its arguments.
    last: Option<&'a Step>,
}

impl<'a> FaultSite<'a> {
    /// Returns the expressions being evaluated at a place: those of the current op if it contains the place,
    /// otherwise those of the need, function or shown line that does.
    fn about(&self, span: Span) -> Vec<&'a Expr> {
        let game = &self.machine.game;
        let holds = |e: &&Expr| e.span.start <= span.start && span.end <= e.span.end;
        if let Some(op) = game.code.get(self.position.pc) {
            let parts = op_parts(op);
            let whole = matches!(op, Op::Do(_, whole) if whole.start <= span.start && span.end <= whole.end);
            if whole || parts.iter().any(holds) {
                return parts;
            }
        }
        let checks = game.moves.iter().flat_map(|mv| &mv.checks).map(MoveCheck::expr);
        let bodies = game.functions.iter().map(|function| &function.lambda.body);
        let shown = game.show.iter().map(|line| &line.text.body);
        checks.chain(bodies).chain(shown).filter(holds).take(1).collect()
    }

    /// Describes the values of the names at a place: `heap` is 1, `k` is 2.
    fn values(&self, span: Span) -> Option<String> {
        let mut named: Vec<(String, String)> = Vec::new();
        if let Some(Op::Do(Effect::Assign(places, _), whole)) = self.machine.game.code.get(self.position.pc)
            && whole.start <= span.start
            && span.end <= whole.end
        {
            // Compound assignments read their places too.
            let changed = places.iter().filter(|(_, change)| *change != Change::Set);
            changed.for_each(|(place, _)| self.name_place(place, &mut named));
        }
        self.about(span).into_iter().for_each(|e| self.name(e, &mut named));
        named.truncate(NAMES);
        let words: Vec<String> = named.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        (!words.is_empty()).then(|| format!("here {}", words.join(", ")))
    }

    /// Says how to write that something is taken out only where it is.
    fn way_to_take_out(&self, rules: &Rules) -> Option<String> {
        let Some(Op::Do(Effect::Assign(places, values), whole)) =
            self.machine.game.code.get(self.position.pc)
        else {
            return None;
        };
        let ([(place, _)], [value]) = (places.as_slice(), values.as_slice()) else { return None };
        let words = |span: Span| rules.source.slice(span).trim();
        let (from, what, line) = (words(place.span), words(value.span), words(*whole));
        Some(format!(
            "let a `need` ask before whether it is there, `{what} in {from}`; where nothing shall happen otherwise, write \
             `if {what} in {from} {{ {line} }}`"
        ))
    }

    fn name_place(&self, place: &Place, named: &mut Vec<(String, String)>) {
        match &place.owner {
            Some(owner) => self.name_own(place.state, owner, named),
            None => self.add(self.state_name(place.state), self.table(place.state), named),
        }
        place.path.iter().for_each(|e| self.name(e, named));
    }

    fn name(&self, e: &Expr, named: &mut Vec<(String, String)>) {
        match &e.kind {
            ExprKind::Local(slot) => {
                if let Some(name) = self.local_name(*slot) {
                    self.add(format!("`{name}`"), &self.position.frame[*slot], named);
                }
            }
            ExprKind::Table(state) => self.add(self.state_name(*state), self.table(*state), named),
            ExprKind::Own(state, owner) => self.name_own(*state, owner, named),
            _ => {}
        }
        children(e, &mut |part| self.name(part, named));
    }

    /// Returns the local values. While the choices of a player are listed, that player is the mover.
    fn frame(&self) -> Vec<Value> {
        let game = &self.machine.game;
        let mut frame = self.position.frame.clone();
        if let Some(Op::Choose(id)) = game.code.get(self.position.pc) {
            let choice = &game.choices[*id];
            if let Ok(who @ Value::Player(_)) =
                self.machine.ask(self.position, |env| env.eval(&choice.who, &mut frame.clone()))
            {
                choice.all_offers().for_each(|offer| frame[game.moves[offer.mv].me] = who.clone());
            }
        }
        frame
    }

    fn name_own(&self, state: StateId, owner: &Expr, named: &mut Vec<(String, String)>) {
        let frame = &mut self.frame();
        let seat = match self.machine.ask(self.position, |env| env.eval(owner, frame)) {
            Ok(Value::Player(seat)) if seat < self.machine.setup.players => seat,
            _ => return,
        };
        let name = format!("{}'s {}", self.machine.game.seat_name(seat), self.state_name(state));
        self.add(name, &self.position.cells[self.machine.setup.bases[state] + seat], named);
    }

    fn add(&self, name: String, value: &Value, named: &mut Vec<(String, String)>) {
        if named.iter().any(|(known, _)| *known == name) {
            return;
        }
        let words = text::words(&self.machine.game, value);
        // A board takes many lines, and the match shows it.
        if words.contains('\n') {
            return;
        }
        let value = match value {
            Value::Unset => "has no value yet".to_string(),
            _ if words.is_empty() => "is empty".to_string(),
            _ if words.chars().count() > LETTERS => {
                format!("is {}…", words.chars().take(LETTERS).collect::<String>())
            }
            _ => format!("is {words}"),
        };
        named.push((name, value));
    }

    fn table(&self, state: StateId) -> &Value {
        &self.position.cells[self.machine.setup.bases[state]]
    }

    fn state_name(&self, state: StateId) -> String {
        format!("`{}`", self.machine.game.state[state].name)
    }

    /// Returns the name of a local slot in the rules: an argument of the last move, a loop counter, or a
    /// drawn value.
    fn local_name(&self, slot: Slot) -> Option<&str> {
        let game = &self.machine.game;
        let made = match self.last {
            Some(Step::Choice(picks)) => picks.as_slice(),
            _ => &[],
        };
        let params = made.iter().flat_map(|(_, chosen)| &game.moves[chosen.mv].params);
        let param = params.into_iter().find(|param| param.slot == slot).map(|param| param.name.as_str());
        let of_loop =
            || game.loops.iter().find(|(_, counter)| *counter == slot).map(|(name, _)| name.as_str());
        let drawn = || {
            game.code.iter().find_map(|op| match op {
                Op::Chance(Chance {
                    name,
                    kind: ChanceKind::Value(_, drawn) | ChanceKind::Draw(_, drawn),
                    ..
                }) if *drawn == slot => Some(name.as_str()),
                _ => None,
            })
        };
        param.or_else(of_loop).or_else(drawn)
    }

    /// Returns the declaration of the state that is unset, or lacks the element: the state read at the place,
    /// if it is only one.
    fn root(&self, span: Span, cause: Code) -> Option<Span> {
        if !matches!(cause, Code::Unset | Code::NoSuchElement) {
            return None;
        }
        let mut read: Vec<StateId> = Vec::new();
        let mut open = self.about(span);
        while let Some(e) = open.pop() {
            if let ExprKind::Table(state) | ExprKind::Own(state, _) = &e.kind
                && span.start <= e.span.start
                && e.span.end <= span.end
                && !read.contains(state)
            {
                read.push(*state);
            }
            children(e, &mut |part| open.push(part));
        }
        match read[..] {
            [state] => Some(self.machine.game.state[state].span),
            _ => None,
        }
    }
}

// ---- endless matches

/// Describes which state changes in the cycle that a match ends with, and which does not.
fn way_round(machine: &Machine, trace: &Trace) -> Option<String> {
    let identity = Identity::of(machine);
    let mut position = machine.start().ok()?;
    let mut stops = vec![position.clone()];
    for step in &trace.steps {
        go(machine, &mut position, step).ok()?;
        stops.push(position.clone());
    }
    let end = identity.lasting_key(&position);
    let from = stops[..trace.steps.len()].iter().rposition(|stop| identity.lasting_key(stop) == end)?;
    let round = &stops[from..];
    let game = &machine.game;
    let (mut changes, mut stays) = (Vec::new(), Vec::new());
    for (id, state) in game.state.iter().enumerate() {
        let base = machine.setup.bases[id];
        let cells = base..base + if state.per_player { machine.setup.players } else { 1 };
        let same = |a: &Position, b: &Position| a.cells[cells.clone()] == b.cells[cells.clone()];
        if !same(&round[0], &position) {
            continue;
        }
        let moved = round.iter().any(|stop| !same(stop, &position));
        if moved { &mut changes } else { &mut stays }.push(format!("`{}`", state.name));
    }
    let listed = |names: &[String]| {
        let more = match names.len().saturating_sub(NAMES) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        format!("{}{more}", names[..names.len().min(NAMES)].join(", "))
    };
    let is = |names: &[String], one: &str, many: &str| {
        format!("{} {}", listed(names), if names.len() == 1 { one } else { many })
    };
    Some(match (changes.as_slice(), stays.as_slice()) {
        ([], []) => return None,
        ([], stays) => format!("in this cycle, {}", is(stays, "does not change", "do not change")),
        (changes, []) => format!(
            "in this cycle, {}",
            is(changes, "comes back to its old value", "come back to their old values")
        ),
        (changes, stays) => format!(
            "in this cycle, {}, and {}",
            is(changes, "comes back to its old value", "come back to their old values"),
            is(stays, "does not change", "do not change")
        ),
    })
}
