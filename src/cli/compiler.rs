//! The stages of `parlour dump` that belong to the compiler: optimised rules, mid-level IR, and what is not
//! compiled.

use super::{Failure, SettingArgs, fault, out};
use crate::diag::nearest;
use crate::engine::{Engine, Reason};
use crate::jit::Compiled;
use crate::lab::all_reasons;
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

/// Prints what is left to the reference evaluator, and why.
pub fn compiled(setting: &SettingArgs) -> Result<(), Failure> {
    let (rules, machine) = setting.machine()?;
    let compiled = Compiled::new(machine);
    let lines = |reasons: &[Reason]| all_reasons(&rules, reasons).join("\n");
    let asked = compiled.interpreted();
    if compiled.left_out().is_empty() && asked.is_empty() {
        out("everything is compiled")?;
    }
    if !compiled.left_out().is_empty() {
        out(&format!("left to the reference evaluator:\n{}", lines(compiled.left_out())))?;
    }
    if !asked.is_empty() {
        out(&format!("worked out by the reference evaluator while code runs:\n{}", lines(&asked)))?;
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
