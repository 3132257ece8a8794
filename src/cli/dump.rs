//! `parlour dump`: shows a rule file at one stage between text and play.

use clap::{Args, ValueEnum};

#[cfg(feature = "jit")]
use super::compiler;
use super::{Exit, SettingArgs, game_source, load_rules, out};
#[cfg(not(feature = "jit"))]
use super::{Failure, NO_COMPILER};
use crate::ir;
use crate::syntax::{self, layout};

#[derive(Args)]
pub struct DumpArgs {
    #[command(flatten)]
    setting: SettingArgs,
    /// Which stage
    #[arg(long, value_enum, default_value_t = Stage::Ir)]
    stage: Stage,
    /// Leave out a pass of the optimiser
    #[cfg(feature = "jit")]
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
    /// The meaning in one form, with the given or default options and players
    Opt,
    /// The code before it becomes machine code, with the given or default options and players
    Mir,
    /// What the compiler leaves to the reference evaluator, and why; with the given or default options and players
    Jit,
}

pub fn run(args: &DumpArgs) -> Exit {
    #[cfg(feature = "jit")]
    let without = compiler::passes(&args.without)?;
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
        #[cfg(feature = "jit")]
        Stage::Opt => compiler::optimised(&args.setting, &without)?,
        #[cfg(feature = "jit")]
        Stage::Mir => compiler::code(&args.setting)?,
        #[cfg(feature = "jit")]
        Stage::Jit => compiler::compiled(&args.setting)?,
        #[cfg(not(feature = "jit"))]
        Stage::Opt | Stage::Mir | Stage::Jit => return Err(Failure::Usage(NO_COMPILER.to_string())),
    }
    Ok(0)
}
