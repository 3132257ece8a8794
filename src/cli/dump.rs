//! `parlour dump`: a rule file at one stage on its way from text to play.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use super::{Exit, game_source, load_rules, not_started, out};
use crate::ir;
use crate::jit::Compiled;
use crate::syntax::{self, layout};

#[derive(Args)]
pub struct DumpArgs {
    /// A bundled game's name, or a path to a .game file
    game: String,
    /// Which stage
    #[arg(long, value_enum, default_value_t = Stage::Ir)]
    stage: Stage,
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
    /// What the compiler leaves to the reference evaluator, and why; options and players as they are unless set
    Jit,
}

pub fn run(args: &DumpArgs) -> Exit {
    let source = game_source(&args.game)?;
    match args.stage {
        Stage::Tokens => {
            for token in layout::tokens(&source.text) {
                let at = source.position(token.span.start);
                out(&format!("{}:{} {:?} {:?}", at.line, at.column, token.kind, source.slice(token.span)))?;
            }
        }
        Stage::Layout => out(&layout::layout(&source).masked)?,
        Stage::Ast => out(&format!("{:#?}", syntax::parse(&source).0))?,
        Stage::Ir => out(&ir::dump(&load_rules(&args.game)?.game))?,
        Stage::Jit => {
            let rules = load_rules(&args.game)?;
            let machine = rules.machine(&BTreeMap::new(), rules.default_players());
            let compiled = Compiled::new(machine.map_err(|not| not_started(&rules, not))?);
            match compiled.left_out() {
                [] => out("everything is compiled")?,
                parts => out(&parts.join("\n"))?,
            }
            for (span, why) in compiled.interpreted() {
                let at = rules.source.position(span.start);
                out(&format!("{}:{} the reference works it out: {why}", at.line, at.column))?;
            }
        }
    }
    Ok(0)
}
