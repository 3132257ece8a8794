//! Options whose value changes nothing: matches with the same choices are played side by side under different
//! values.

use super::sample::STOP;
use super::{Finding, Identity, Plan, Report, Setting, SettingResult, Sort, counted};
use crate::diag::{Code, Diagnostic};
use crate::eval::{Chosen, Fault, Machine, Position, Waiting};
use crate::ir::{Expr, ExprKind, Form, children};
use crate::num::Rng;
use crate::play::Rules;
use crate::source::Span;

/// How many matches are played side by side for each pair of values.
const MATCHES: u64 = 6;
/// The number of stops after which a match is abandoned.
const MAX_STOPS: usize = 500;
/// A lower bound on the effort for comparisons, because a comparison that is broken off shows nothing.
const LEAST_EFFORT: u64 = 1_000_000;

/// Reports the options that change nothing in any of the settings. Uses a tenth of the plan's effort.
pub(super) fn options(rules: &Rules, plan: &Plan, machines: &[(Setting, Machine)], report: &mut Report) {
    let share = (plan.effort / 10).max(LEAST_EFFORT);
    // An option that bounds another one has an effect, and the checker warns of an option that nothing reads.
    let game = &rules.game;
    let told = |span: Span| rules.warnings.iter().any(|warning| warning.span() == span);
    let free: Vec<usize> = (0..game.options.len())
        .filter(|id| !plan.options.contains_key(id) && !told(game.options[*id].span))
        .filter(|id| !game.options.iter().any(|other| bounds(*id, &other.form)))
        .collect();
    let each = share / free.len().max(1) as u64;
    for id in free {
        let mut work = Work { seed: Rng::sub_seed(plan.seed, id as u64), left: each, matches: 0 };
        match work.idle(id, machines) {
            Some(true) if !ends_differ(id, &report.tried) => {
                report.add(finding(rules, id, machines, work.matches));
            }
            Some(_) => report.observed.push((game.options[id].span, true)),
            None if work.left == 0 => report.uncompared.push(game.options[id].name.clone()),
            None => {}
        }
    }
}

/// Whether the same matches in bulk had different results in two settings that differ in this option alone.
fn ends_differ(id: usize, tried: &[SettingResult]) -> bool {
    let mut twins = tried.iter().enumerate().flat_map(|(at, one)| {
        tried[at + 1..]
            .iter()
            .filter(move |other| differ_in(&one.setting, &other.setting, id))
            .map(move |other| (one, other))
    });
    twins.any(|(one, other)| one.digests.iter().zip(&other.digests).any(|(one, other)| one != other))
}

fn finding(rules: &Rules, id: usize, machines: &[(Setting, Machine)], matches: u64) -> Finding {
    let option = &rules.game.options[id];
    let mut values: Vec<String> = Vec::new();
    for (setting, _) in machines {
        let value = super::setting::option_words(rules, &setting.options[&id]);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let values = match values.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let message = format!(
        "the option `{}` changes nothing: with {values}, the same choices lead to the same match",
        option.name
    );
    let diagnostic = Diagnostic::new(Code::IdleOption, option.span, message, "declared here")
        .help("make the rules depend on it, or remove it");
    let how = format!("in {} played side by side", counted(matches, "match", "matches"));
    Finding::of_many(Sort::IdleOption, diagnostic, how, false)
}

/// The comparison of matches under different values of one option.
struct Work {
    seed: u64,
    /// The effort left.
    left: u64,
    /// The number of matches compared to their ends.
    matches: u64,
}

impl Work {
    /// Whether an option changes nothing between any two settings that differ in it alone; `None` if there
    /// are no such settings, or if the effort does not suffice.
    fn idle(&mut self, id: usize, machines: &[(Setting, Machine)]) -> Option<bool> {
        let mut compared = false;
        for (at, (setting, machine)) in machines.iter().enumerate() {
            let others = machines[at + 1..].iter();
            let mut twins = others.filter(|(other, _)| differ_in(setting, other, id));
            // Comparing each setting with the next one links all of them in a chain.
            let Some((_, twin)) = twins.next() else { continue };
            let identity = Identity::of(machine);
            for number in 0..MATCHES {
                match self.same([machine, twin], &identity, &mut Rng::nth(self.seed, number)) {
                    Ok(Some(true)) => (compared, self.matches) = (true, self.matches + 1),
                    Ok(Some(false)) => return Some(false),
                    // Faults are reported elsewhere.
                    Ok(None) | Err(_) => return None,
                }
            }
        }
        compared.then_some(true)
    }

    /// Whether a match goes the same way in two settings; `None` if the effort does not suffice.
    fn same(
        &mut self,
        [a, b]: [&Machine; 2],
        identity: &Identity,
        rng: &mut Rng,
    ) -> Result<Option<bool>, Fault> {
        let (mut one, mut two) = (a.start()?, b.start()?);
        for _ in 0..MAX_STOPS {
            if !alike(&one, &two, identity)
                || a.show(&one)? != b.show(&two)?
                || a.scores(&one)? != b.scores(&two)?
            {
                return Ok(Some(false));
            }
            match one.waiting.clone() {
                Waiting::Choice { seats, .. } => {
                    // If the legal moves differ, the same random numbers soon draw different moves.
                    let (seat, mut again) = (seats[0], rng.clone());
                    let chosen = self.drawn(a, &one, seat, rng)?;
                    if chosen != self.drawn(b, &two, seat, &mut again)? {
                        return Ok(Some(false));
                    }
                    if self.left == 0 {
                        return Ok(None);
                    }
                    let Some(chosen) = chosen else { return Ok(Some(true)) };
                    a.choose(&mut one, seat, chosen.clone())?;
                    b.choose(&mut two, seat, chosen)?;
                }
                Waiting::Chance => {
                    let mut again = rng.clone();
                    let value = a.draw_chance(&one, &mut |n| rng.below(n))?;
                    if value != b.draw_chance(&two, &mut |n| again.below(n))? {
                        return Ok(Some(false));
                    }
                    self.left = self.left.saturating_sub(STOP);
                    if a.draw(&mut one, value.clone())? != b.draw(&mut two, value)? {
                        return Ok(Some(false));
                    }
                }
                Waiting::Over | Waiting::Nothing => break,
            }
        }
        Ok(Some(true))
    }

    /// Draws a legal move of a seat at random.
    fn drawn(
        &mut self,
        machine: &Machine,
        position: &Position,
        seat: usize,
        rng: &mut Rng,
    ) -> Result<Option<Chosen>, Fault> {
        let Some(choice) = machine.choice(position) else { return Ok(None) };
        let (drawn, steps) =
            machine.ask_counted(position, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)));
        self.left = self.left.saturating_sub(steps + STOP);
        drawn
    }
}

/// Whether a form has a bound that reads this option.
fn bounds(id: usize, form: &Form) -> bool {
    match form {
        Form::Range(low, high) => reads(id, low) || reads(id, high),
        Form::AtLeast(low) => reads(id, low),
        Form::List(size, of) => size.as_ref().is_some_and(|(_, size)| reads(id, size)) || bounds(id, of),
        _ => false,
    }
}

fn reads(id: usize, e: &Expr) -> bool {
    let mut found = matches!(e.kind, ExprKind::Option(read) if read == id);
    children(e, &mut |child| found = found || reads(id, child));
    found
}

/// Whether two settings differ in this option and in nothing else.
fn differ_in(one: &Setting, other: &Setting, id: usize) -> bool {
    one.players == other.players
        && one.options.iter().all(|(at, value)| (other.options[at] == *value) == (*at != id))
}

/// Whether two positions are the same to the players. Frames are not compared, because they may hold the
/// option itself, and neither is state that the rules never read: it may store the option.
fn alike(one: &Position, two: &Position, identity: &Identity) -> bool {
    let mut cells = one.cells.iter().zip(&two.cells).enumerate();
    cells.all(|(at, (one, two))| one == two || !identity.reads(at))
        && one.is_in == two.is_in
        && one.awards == two.awards
        && one.waiting == two.waiting
        && one.phases == two.phases
        && one.revealed == two.revealed
        && one.outcome == two.outcome
}
