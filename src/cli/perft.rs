//! `parlour perft`: counts move sequences.

use clap::Args;
use serde_json::{Value as Json, json};

use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, out};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::perft;

/// How deep is counted at most.
const MAX_DEPTH: usize = 100;

#[derive(Args)]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many choices deep: those who choose together count as one, and each draw of chance multiplies without a step
    #[arg(long, value_name = "D")]
    depth: usize,
    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &PerftArgs) -> Exit {
    if args.depth > MAX_DEPTH {
        return Err(Failure::Usage(format!(
            "`--depth {}` is too deep; at most {MAX_DEPTH} is possible",
            args.depth
        )));
    }
    let (rules, machine) = args.game.machine()?;
    let lines = match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => perft(&Compiled::new(machine), args.depth),
        EngineKind::Reference => perft(&machine, args.depth),
    };
    let lines = lines.map_err(|found| fault(&rules, &found))?;
    if args.format.is_json() {
        let lines: Vec<Json> = lines
            .iter()
            .map(
                |line| json!({ "depth": line.depth, "sequences": line.sequences, "finished": line.finished }),
            )
            .collect();
        out(&Json::Array(lines).to_string())?;
        return Ok(0);
    }
    out("depth        sequences         finished")?;
    for line in lines {
        out(&format!("{:>5} {:>16} {:>16}", line.depth, line.sequences, line.finished))?;
    }
    Ok(0)
}
