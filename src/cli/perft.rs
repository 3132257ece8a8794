//! `parlour perft`: counts move sequences.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::{Value as Json, json};

use super::progress::{Progress, interruption};
use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, note, out};
use crate::engine::Engine;
use crate::eval::Fault;
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::{Perft, PerftLine, Rules, perft_watched};
use crate::solve::has_chance;

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
    if has_chance(&machine.game) {
        note(
            "note: a chance draw is no step, but sequences with different outcomes of a draw or a shuffle are \
             counted apart",
        );
    }
    match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => count(args, &rules, &Compiled::new(machine)),
        EngineKind::Reference => count(args, &rules, &machine),
    }
}

/// Counts, and prints the counts: all together as JSON, and for people each depth as soon as it is counted.
fn count<E: Engine>(args: &PerftArgs, rules: &Rules, engine: &E) -> Exit {
    let stop = interruption();
    if args.format.is_json() {
        let Perft { lines, share } =
            counted(engine, args.depth, &stop).map_err(|found| fault(rules, &found))?;
        let lines: Vec<Json> = lines
            .iter()
            .map(
                |line| json!({ "depth": line.depth, "sequences": line.sequences, "finished": line.finished }),
            )
            .collect();
        out(&Json::Array(lines).to_string())?;
        return Ok(interrupted("the work", share));
    }
    // Whether there are matches that go on.
    let mut on = true;
    for depth in 1..=args.depth {
        let (mut line, mut share) = (PerftLine { depth, ..PerftLine::default() }, 1.0);
        if on {
            let found = counted(engine, depth, &stop).map_err(|found| fault(rules, &found))?;
            (line, share) = (found.lines.last().copied().unwrap_or(line), found.share);
            on = line.sequences > line.finished;
        }
        if depth == 1 {
            out("depth        sequences         finished")?;
        }
        out(&format!("{:>5} {:>16} {:>16}", line.depth, line.sequences, line.finished))?;
        if share < 1.0 {
            return Ok(interrupted(&format!("depth {depth}"), share));
        }
    }
    Ok(0)
}

/// Counts the sequences of up to `depth` choices, with a progress line.
fn counted<E: Engine>(engine: &E, depth: usize, stop: &AtomicBool) -> Result<Perft, Fault> {
    let progress = Progress::new("counting");
    let mut looks = 0u32;
    perft_watched(engine, depth, &mut |share| {
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(1024) {
            progress.tell(share, || format!("{:.1} % of depth {depth} counted", share * 100.0));
        }
        !stop.load(Ordering::SeqCst)
    })
}

/// Returns the exit code; says if the count was interrupted after this share of what was to be counted.
fn interrupted(what: &str, share: f64) -> u8 {
    if share >= 1.0 {
        return 0;
    }
    note(&format!("interrupted after about {:.2} % of {what}: the counts are at least these", share * 100.0));
    130
}
