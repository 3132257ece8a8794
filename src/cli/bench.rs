//! `parlour bench`: times random playouts on one thread.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::progress::{Progress, interruption};
use super::{EngineKind, Exit, FormatArgs, GameArgs, MAX_PLAYOUT, fault, not_seconds, note, out};
use crate::engine::Engine;
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::{all_reasons, bailouts_json, bailouts_words, reasons_with_counts};
use crate::play::{Rng, Rules};

/// Rows that are counted anew less than once in as many choices are not told of.
const SELDOM: u64 = 100;

/// The approximate duration of a batch of playouts.
const BATCH: Duration = Duration::from_millis(1);

#[derive(Args)]
pub struct BenchArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many seconds to run
    #[arg(long, value_name = "T", default_value_t = 5.0)]
    seconds: f64,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &BenchArgs) -> Exit {
    let limit = Duration::try_from_secs_f64(args.seconds).map_err(|_| not_seconds(args.seconds))?;
    let loading = Instant::now();
    let (rules, machine) = args.game.machine()?;
    match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => time(args, &rules, &Compiled::new(machine), limit, loading.elapsed()),
        EngineKind::Reference => time(args, &rules, &machine, limit, loading.elapsed()),
    }
}

fn time<E: Engine>(args: &BenchArgs, rules: &Rules, engine: &E, limit: Duration, loading: Duration) -> Exit {
    let mut rng = Rng::new(args.seed);
    let (mut playouts, mut moves) = (0u64, 0u64);
    let stop = interruption();
    let progress = Progress::new("the first playout");
    let begun = Instant::now();
    // Read the clock only once per batch, because reading it takes as long as a short playout.
    let mut batch = 1;
    while playouts == 0 || begun.elapsed() < limit && !stop.load(Ordering::Relaxed) {
        let before = Instant::now();
        engine
            .playouts(&mut rng, MAX_PLAYOUT, batch, &mut |_, made| moves += made)
            .map_err(|found| fault(rules, &found))?;
        playouts += batch;
        if before.elapsed() < BATCH {
            batch *= 2;
        }
        progress.tell(begun.elapsed().as_secs_f64() / args.seconds, || format!("{playouts} playouts"));
    }
    drop(progress);
    let seconds = begun.elapsed().as_secs_f64();
    let stopped = stop.load(Ordering::SeqCst);
    if stopped {
        note(&format!(
            "interrupted after {seconds:.2} of {} s; the figures cover only these, and are less exact",
            args.seconds
        ));
    }
    let status = if stopped { 130 } else { 0 };
    let per_second = |n: u64| n as f64 / seconds;
    let mean = moves as f64 / playouts as f64;
    let asked = all_reasons(rules, &engine.interpreted());
    let counted = reasons_with_counts(rules, &engine.counted_anew());
    if args.format.is_json() {
        let figures = json!({
            "playouts": playouts,
            "moves": moves,
            "seconds": seconds,
            "playouts_per_second": per_second(playouts),
            "moves_per_second": per_second(moves),
            "mean_length": mean,
            "load_seconds": loading.as_secs_f64(),
            "engine": engine.name(),
            "bailouts": bailouts_json(rules, &engine.bailouts(), moves),
            "interpreted": asked,
            "counted_anew": counted.into_iter().collect::<BTreeMap<_, _>>(),
        });
        out(&figures.to_string())?;
        return Ok(status);
    }
    out(&format!(
        "{}: {playouts} playouts in {seconds:.2} s, {} engine, one thread",
        rules.game.title,
        engine.name()
    ))?;
    out(&format!("  playouts a second  {:.0}", per_second(playouts)))?;
    out(&format!("  choices a second   {:.0}", per_second(moves)))?;
    out(&format!("  mean length        {mean:.2}"))?;
    out(&format!("  time to load       {:.1} ms", loading.as_secs_f64() * 1000.0))?;
    if let Some(sentence) = bailouts_words(rules, &engine.bailouts(), moves) {
        out(&format!("  {sentence}"))?;
    }
    if !asked.is_empty() {
        out("  code asks the reference engine, which takes longer, for:")?;
    }
    for part in asked {
        out(&format!("    {part}"))?;
    }
    for (part, times) in counted.into_iter().filter(|(_, times)| times * SELDOM > moves) {
        let often = times as f64 / moves as f64;
        out(&format!("  counted anew {often:.2} times a choice, since what they depend on changes: {part}"))?;
    }
    Ok(status)
}
