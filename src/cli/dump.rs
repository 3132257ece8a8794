//! `parlour dump`: a rule file at one stage on its way from text to play.

use clap::{Args, ValueEnum};

use super::{Exit, Failure, SettingArgs, fault, game_source, load_rules, out};
use crate::diag::nearest;
use crate::engine::Reason;
use crate::ir;
use crate::jit::Compiled;
use crate::lab::reason_words;
use crate::opt::{self, PASSES};
use crate::syntax::{self, layout};

#[derive(Args)]
pub struct DumpArgs {
    #[command(flatten)]
    setting: SettingArgs,
    /// Which stage
    #[arg(long, value_enum, default_value_t = Stage::Ir)]
    stage: Stage,
    /// A pass of the optimiser to leave out
    #[arg(long, value_name = "PASS")]
    without: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The tokens, each with its place
    Tokens,
    /// The text the grammar reads, after layout
    Layout,
    /// The tree
    Ast,
    /// The meaning
    Ir,
    /// The meaning in one form, options and players as they are unless set
    Opt,
    /// What the compiler leaves to the reference evaluator, and why; options and players as they are unless set
    Jit,
}

pub fn run(args: &DumpArgs) -> Exit {
    let without = passes(&args.without)?;
    let source = game_source(&args.setting.game)?;
    match args.stage {
        Stage::Tokens => {
            for token in layout::tokens(&source.text) {
                let at = source.position(token.span.start);
                out(&format!("{}:{} {:?} {:?}", at.line, at.column, token.kind, source.slice(token.span)))?;
            }
        }
        Stage::Layout => out(&layout::layout(&source).masked)?,
        Stage::Ast => out(&format!("{:#?}", syntax::parse(&source).0))?,
        Stage::Ir => out(&ir::dump(&load_rules(&args.setting.game)?.game))?,
        Stage::Opt => {
            let (rules, machine) = args.setting.machine()?;
            let optimised = opt::optimise(&machine, &without).map_err(|found| fault(&rules, &found))?;
            out(&opt::dump(&optimised))?;
        }
        Stage::Jit => {
            let (rules, machine) = args.setting.machine()?;
            let compiled = Compiled::new(machine);
            let lines = |reasons: &[Reason]| {
                let mut lines: Vec<String> =
                    reasons.iter().map(|reason| reason_words(&rules, reason)).collect();
                // A rule stands in the code wherever it is used.
                lines.dedup();
                lines.join("\n")
            };
            let asked = compiled.interpreted().into_iter();
            let asked: Vec<Reason> =
                asked.map(|(span, why)| Reason { span, text: why.to_string() }).collect();
            if compiled.left_out().is_empty() && asked.is_empty() {
                out("everything is compiled")?;
            }
            if !compiled.left_out().is_empty() {
                out(&format!("left to the reference evaluator:\n{}", lines(compiled.left_out())))?;
            }
            if !asked.is_empty() {
                out(&format!("worked out by the reference while code runs:\n{}", lines(&asked)))?;
            }
        }
    }
    Ok(0)
}

/// The passes with these names.
fn passes(names: &[String]) -> Result<Vec<&'static str>, Failure> {
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
