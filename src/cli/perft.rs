//! `parlour perft`: counts move sequences.

use std::sync::atomic::Ordering;

use clap::Args;
use serde_json::{Value as Json, json};

use super::progress::{Progress, interruption};
use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, note, out};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::{Perft, PerftLine, perft_watched};

/// The greatest depth.
const MAX_DEPTH: usize = 100;

#[derive(Args)]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many choices deep; a joint choice counts as one, and chance draws multiply the count but are not steps
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
    let stop = interruption();
    let progress = Progress::new("counting");
    let mut looks = 0u32;
    let mut on = |share: f64| {
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(1024) {
            progress.tell(share, || format!("{:.1} % counted", share * 100.0));
        }
        !stop.load(Ordering::SeqCst)
    };
    let counted = match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => perft_watched(&Compiled::new(machine), args.depth, &mut on),
        EngineKind::Reference => perft_watched(&machine, args.depth, &mut on),
    };
    drop(progress);
    let Perft { lines, share } = counted.map_err(|found| fault(&rules, &found))?;
    tell(args, &lines)?;
    if share < 1.0 {
        note(&format!(
            "interrupted after about {:.2} % of the work: the counts are at least these",
            share * 100.0
        ));
        return Ok(130);
    }
    Ok(0)
}

/// Prints the counts.
fn tell(args: &PerftArgs, lines: &[PerftLine]) -> Result<(), Failure> {
    if args.format.is_json() {
        let lines: Vec<Json> = lines
            .iter()
            .map(
                |line| json!({ "depth": line.depth, "sequences": line.sequences, "finished": line.finished }),
            )
            .collect();
        return out(&Json::Array(lines).to_string());
    }
    out("depth        sequences         finished")?;
    for line in lines {
        out(&format!("{:>5} {:>16} {:>16}", line.depth, line.sequences, line.finished))?;
    }
    Ok(())
}
