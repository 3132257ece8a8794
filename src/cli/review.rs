//! `parlour review`: analyses a match for its turning points.

use std::io::IsTerminal;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::files::{Output, can_be_written, keep};
use super::progress::{Progress, Stopping, interruption};
use super::replay::{read_record, record_named, recorded_bots};
use super::review_page::page;
use super::{Exit, Failure, FormatArgs, fault, look, note, out};
use crate::bots::{Clock, Effort, Mind};
use crate::lab::{REVIEW_EFFORT, Review, ReviewProgress, Reviewer, review_effort};
use crate::repl::review::{interrupted, text};
use crate::repl::terminal::thinking::run_parallel;

#[derive(Args)]
pub struct ReviewArgs {
    /// A record: a file, the name of a saved match, that of a game for its latest match, or `-` for standard input; without
    /// one, the latest match that is over
    record: Option<String>,
    /// The rules, if the record's game is not bundled or you want to try others
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000), help = format!("How many playouts to judge each choice with [default: {}, or fewer in long matches, and where much is hidden or chosen at the same time]", default_playouts()))]
    playouts: Option<u64>,
    /// How long to judge each choice instead, in milliseconds
    #[arg(long, value_name = "N", conflicts_with = "playouts", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    ms: Option<u64>,
    /// The random seed for playouts
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also write the review as one HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// Words instead of a curve, for screen readers
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// The clock of a review, which offers all cores.
struct AllCores(Stopping);

impl Clock for AllCores {
    fn millis(&self) -> u64 {
        self.0.millis()
    }

    fn must_stop(&self) -> bool {
        self.0.must_stop()
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        run_parallel(most, other, own);
    }
}

/// Returns the number of playouts if none is given, for the help.
fn default_playouts() -> String {
    match REVIEW_EFFORT {
        Effort::Playouts(playouts) => playouts.to_string(),
        Effort::Millis(ms) => format!("{ms} ms"),
    }
}

pub fn run(args: &ReviewArgs) -> Exit {
    can_be_written(args.html.as_ref(), Output::Page)?;
    let name = record_named(args.record.as_deref())?;
    let (rules, record, recorded) = read_record(&name, args.game.as_deref())?;
    let wrong = |what: String| Failure::Wrong(format!("error: {name}: {what}"));
    let replayed = crate::play::replay(Arc::clone(&rules), &record).map_err(&wrong)?;
    if let Some((at, refused)) = replayed.wrong(&record).map_err(|found| fault(&rules, &found))? {
        return Err(wrong(match replayed.broken {
            Some(_) => format!("entry {} cannot be played: {}", at + 1, refused.message),
            None => refused.message,
        }));
    }
    let whole = replayed.played;
    let effort = match (args.ms, args.playouts) {
        (Some(ms), _) => Effort::Millis(ms),
        (None, Some(playouts)) => Effort::Playouts(playouts),
        (None, None) => review_effort(&whole),
    };
    let mind = Mind::of(&whole);
    let reviewer = Reviewer { whole: &whole, mind: &mind, effort, seed: args.seed };
    let clock = AllCores(Stopping(interruption()));
    let all = reviewer.steps();
    let progress = Progress::new("no step reviewed yet");
    let mut tell = |done: ReviewProgress| progress.tell(done.share(), || done.words());
    let stops = reviewer.stops(&clock, &mut tell).map_err(|refused| match &refused.fault {
        Some(found) => fault(&rules, found),
        None => wrong(refused.message),
    })?;
    drop(progress);
    let done = stops.len();
    let bots = recorded_bots(&record, &recorded);
    let review = Review::of(&reviewer, stops);
    if args.format.is_json() {
        let result = whole.result().map_err(|found| fault(&rules, &found))?;
        let mut object = json!({
            "game": rules.name, "players": whole.players(), "result": result, "seed": args.seed,
            "reviewed": done, "moves": whole.depth(),
        });
        match effort {
            Effort::Playouts(playouts) => object["playouts"] = json!(playouts),
            Effort::Millis(ms) => object["ms"] = json!(ms),
        }
        if let (Some(object), Some(review)) = (object.as_object_mut(), review.json(&whole).as_object()) {
            object.extend(review.clone());
        }
        out(&object.to_string())?;
    } else {
        let terminal = std::io::stdout().is_terminal();
        out(&text(&reviewer, &review, &bots, look(terminal, args.plain)))?;
    }
    if let Some(path) = &args.html {
        keep(path, &page(&reviewer, &review, &bots))?;
    }
    if done < all {
        note(&interrupted(done, all));
        return Ok(130);
    }
    Ok(0)
}
