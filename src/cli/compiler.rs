//! The stages of `parlour dump` that belong to the compiler: optimised rules, mid-level IR, and what is not
//! compiled.

use super::{Failure, SettingArgs, fault, out};
use crate::diag::nearest;
use crate::engine::{Engine, Reason};
use crate::jit::Compiled;
use crate::lab::all_reasons;
use crate::num::Rng;
use crate::opt::{self, PASSES};

/// Prints the optimised rules.
pub fn optimised(setting: &SettingArgs, without: &[&'static str]) -> Result<(), Failure> {
    let (rules, machine) = setting.machine()?;
    let optimised = opt::optimise(&machine, without).map_err(|found| fault(&rules, &found))?;
    out(&opt::dump(&optimised))
}

/// Prints the mid-level IR before it becomes machine code.
pub fn code(setting: &SettingArgs) -> Result<(), Failure> {
    let (_, machine) = setting.machine()?;
    let compiled = Compiled::interpreting(machine);
    match compiled.text() {
        Some(text) => out(text.trim_end()),
        None => out("nothing is compiled"),
    }
}

/// Prints what is left to the reference evaluator, and why: parts of the rules, and steps that code gave up in a few
/// random matches.
pub fn compiled(setting: &SettingArgs) -> Result<(), Failure> {
    const MATCHES: u64 = 20;
    const MAX_MOVES: u64 = 200;
    let (rules, machine) = setting.machine()?;
    let compiled = Compiled::new(machine);
    let lines = |reasons: &[Reason]| all_reasons(&rules, reasons).join("\n");
    let asked = compiled.interpreted();
    // A match that ends with an error shows what led to it all the same.
    (0..MATCHES).for_each(|seed| drop(compiled.playout(&mut Rng::new(seed), MAX_MOVES)));
    let given_up: Vec<Reason> = compiled.bailouts().reasons.into_keys().collect();
    if compiled.left_out().is_empty() && asked.is_empty() {
        out(if given_up.is_empty() { "everything is compiled" } else { "every part is compiled" })?;
    }
    let parts = [
        ("left to the reference evaluator".to_string(), compiled.left_out()),
        ("worked out by the reference evaluator while code runs".to_string(), &asked),
        (format!("steps left to the reference evaluator in {MATCHES} random matches"), &given_up),
    ];
    for (title, reasons) in parts.iter().filter(|(_, reasons)| !reasons.is_empty()) {
        out(&format!("{title}:\n{}", lines(reasons)))?;
    }
    Ok(())
}

/// Looks up optimiser passes by name.
pub fn passes(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    let known = || PASSES.iter().map(|pass| pass.name);
    let find = |name: &String| {
        opt::pass(name).map(|pass| pass.name).ok_or_else(|| {
            let hint = match nearest(name, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            Failure::Usage(format!("the optimiser has no pass `{name}`; {hint}"))
        })
    };
    names.iter().map(find).collect()
}
