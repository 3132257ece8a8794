//! `parlour equilibrium`: finds equilibria of games with hidden information or simultaneous choices.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;

use super::files::{Output, can_be_written, keep};
use super::progress::{Progress, interruption};
use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, folded, note, out};
use crate::bots::is_open;
use crate::engine::Engine;
use crate::equilibrium::{Aim, Equilibrium, Search, SearchProgress, Setting, Stop, log10_of_ways};
use crate::eval::{Machine, Setup};
use crate::explore::{counted, thousands};
use crate::ir::{Expr, ExprKind, Form, Game, Value};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::or;

/// About how many nodes and moves a tree has for each way to play it, at most.
const NODES_A_WAY: f64 = 4.0;
/// By what power of ten ways must be fewer to be called so: half as many. What does not matter for how a match is played leaves an
/// estimate the same, since it comes from the same random numbers.
const CLEARLY: f64 = 0.3;

#[derive(Args)]
pub struct EquilibriumArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Play for the difference in scores, not for the win
    #[arg(long, conflicts_with = "own")]
    scores: bool,
    /// Let everybody play for their own score, whatever the others have
    #[arg(long)]
    own: bool,
    /// How much a player may still gain by knowing the others' mixes where regret minimisation stops: on average in
    /// a game of opposed interests, else each
    #[arg(long, value_name = "E", default_value_t = 0.001)]
    within: f64,
    /// How many sweeps regret minimisation may take
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// How many nodes and moves the game tree may have
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    nodes: usize,
    /// Show every information set
    #[arg(long)]
    all: bool,
    /// Write the mixes to a file, for bots to play: `--seat 1=mix:FILE`
    #[arg(long, value_name = "FILE")]
    keep: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &EquilibriumArgs) -> Exit {
    if args.within.is_nan() || args.within <= 0.0 {
        return Err(Failure::Usage(format!("`--within {}` must be above 0", args.within)));
    }
    can_be_written(args.keep.as_ref(), Output::Mixes)?;
    let (rules, machine) = args.game.machine()?;
    let (setup, game) = (machine.setup.clone(), machine.game.clone());
    let aim = match (args.scores, args.own) {
        (true, _) => Aim::Lead,
        (_, true) => Aim::Own,
        _ => Aim::usual(&machine),
    };
    let EquilibriumArgs { within, iterations, nodes, .. } = *args;
    let search = Search { aim, nodes, within, iterations, tremble: 0.0 };
    let together = machine.game.choices.iter().any(|choice| choice.together);
    if is_open(&machine.game) && !together {
        note(
            "note: nothing is secret here, and nobody chooses at the same time as others; `parlour solve` \
             is made for such games",
        );
    }
    let stop = interruption();
    let progress = Progress::new("building the tree");
    let on = |step: SearchProgress| {
        match step {
            SearchProgress::Laid(laid) => progress.tell(0.0, || {
                format!(
                    "{} of at most {} nodes and moves laid out",
                    thousands(laid as u64),
                    thousands(nodes as u64)
                )
            }),
            SearchProgress::Solved(solved, all) => {
                progress.tell(solved as f64 / all as f64, || format!("{solved} of {all} subgames solved"));
            }
        }
        !stop.load(Ordering::SeqCst)
    };
    let (found, size) = match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => find(&Compiled::new(machine), search, &on),
        EngineKind::Reference => find(&machine, search, &on),
    };
    drop(progress);
    let found = match found {
        Ok(found) => found,
        Err(Stop::Fault(found)) => return Err(fault(&rules, &found)),
        Err(Stop::Refused(sentence)) => return Err(Failure::Wrong(format!("error: {sentence}"))),
        Err(Stop::TooLarge { limit, foreseen, .. }) => {
            let smaller = what_can_be_smaller(&game, &setup, limit);
            let sentence = too_large(&smaller, limit, foreseen, size);
            return Err(Failure::Wrong(format!("error: {sentence}")));
        }
        Err(Stop::Interrupted) => {
            note("interrupted while the game tree was being built; there is no result yet");
            return Ok(130);
        }
    };
    let setting = Setting { rules: &rules, setup: &setup };
    match args.format.is_json() {
        true => out(&found.json(&setting, args.all).to_string())?,
        false => out(&folded(&found.words(&setting, args.all)))?,
    }
    if let Some(path) = &args.keep {
        let kept =
            found.bot_json(&setting).map_err(|sentence| Failure::Wrong(format!("error: {sentence}")))?;
        keep(path, &format!("{kept}\n"))?;
    }
    if stop.load(Ordering::SeqCst) {
        note("interrupted: the mixes are the closest found so far");
        return Ok(130);
    }
    if found.distance() > within && found.methods.regret > 0 {
        let doubt = if found.is_zero_sum() { "" } else { ", but in such a game it need not come nearer" };
        note(&format!(
            "note: not yet within {within} after {}; `--iterations N` allows more{doubt}",
            counted(iterations, "iteration", "iterations")
        ));
    }
    Ok(0)
}

/// Finds the equilibrium; if the game is too large for that, also estimates how large it is.
fn find<E: Engine>(
    engine: &E,
    search: Search,
    on: &dyn Fn(SearchProgress) -> bool,
) -> (Result<Equilibrium, Stop>, Option<f64>) {
    let found = Equilibrium::find(engine, search, on);
    let size = match found {
        // What stops the estimate is no reason why the game is too large.
        Err(Stop::TooLarge { .. }) => log10_of_ways(engine).ok().flatten(),
        _ => None,
    };
    (found, size)
}

/// Returns what can be done to a match to leave less to choose or draw, as far as estimates show: number options that are better
/// lowered or raised, with the nearest values that should fit, or else whether fewer should play.
fn what_can_be_smaller(game: &Arc<Game>, setup: &Setup, limit: usize) -> String {
    let now = Ways::of(game, setup, setup.players).unwrap_or(Ways::NO_END);
    let mut better = [("lower", Vec::new()), ("raise", Vec::new())];
    let mut fits = Vec::new();
    for (number, (option, value)) in game.options.iter().zip(&setup.options).enumerate() {
        let Value::Int(value) = value else { continue };
        let (Some(value), (least, most)) = (value.as_i64(), ends(&option.form)) else { continue };
        let with = |value: i64| {
            let mut setup = setup.clone();
            setup.options[number] = Value::int(value);
            Ways::of(game, &setup, setup.players)
        };
        for ((_, names), end) in better.iter_mut().zip([least, most]) {
            let Some((end, ways)) =
                end.filter(|end| *end != value).and_then(|end| outermost(value, end, with))
            else {
                continue;
            };
            if !ways.are_fewer_than(now) {
                continue;
            }
            names.push(format!("`{}`", option.name));
            if ways.fit(limit) {
                let nearest = nearest(value, end, |value| with(value).is_some_and(|ways| ways.fit(limit)));
                fits.push(format!("`--set {}={nearest}`", option.name));
            }
        }
    }
    let told = better.iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<String> = told.map(|(how, names)| format!("{how} {}", or(names))).collect();
    if !told.is_empty() {
        let fits = if fits.is_empty() { String::new() } else { format!(" ({} should fit)", or(&fits)) };
        return format!("{} by `--set` so that there is less to choose or draw{fits}, or ", or(&told));
    }
    let fewer = (setup.players > game.seats.min).then(|| Ways::of(game, setup, game.seats.min)).flatten();
    match fewer.is_some_and(|fewer| fewer.are_fewer_than(now)) {
        true => "let fewer play by `--players N`, or ".to_string(),
        false => String::new(),
    }
}

/// Returns the least and the greatest value of a number option, as far as they are fixed.
fn ends(form: &Form) -> (Option<i64>, Option<i64>) {
    let value = |end: &Expr| match &end.kind {
        ExprKind::Value(Value::Int(end)) => end.as_i64(),
        _ => None,
    };
    match form {
        Form::Range(low, high) => (value(low), value(high)),
        Form::AtLeast(low) => (value(low), None),
        _ => (None, None),
    }
}

/// Returns the value of an option with which a match can begin that is farthest from its present `value` on the way to `end`, with
/// what `with` says of it; looks only at the end, half-way, and next to the present value.
fn outermost(value: i64, end: i64, with: impl Fn(i64) -> Option<Ways>) -> Option<(i64, Ways)> {
    let tried = [end, value.midpoint(end), value + (end - value).signum()];
    tried.into_iter().filter(|tried| *tried != value).find_map(|tried| Some((tried, with(tried)?)))
}

/// Returns the value nearest to `from` that fits, on the way to `end`, which does, if those farther away fit no worse.
fn nearest(from: i64, mut end: i64, fits: impl Fn(i64) -> bool) -> i64 {
    let (step, mut near) = ((end - from).signum(), from);
    while end != near + step {
        let middle = near + (end - near) / 2;
        if fits(middle) { end = middle } else { near = middle }
    }
    end
}

/// How many ways there are to play a match, as a power of ten.
#[derive(Clone, Copy)]
struct Ways(f64);

impl Ways {
    /// That of matches that need not end.
    const NO_END: Ways = Ways(f64::INFINITY);

    /// Estimates it for a match with these options and players; `None` if no such match can begin.
    fn of(game: &Arc<Game>, setup: &Setup, players: usize) -> Option<Ways> {
        let options: BTreeMap<usize, Value> = setup.options.iter().cloned().enumerate().collect();
        let machine = Machine::new(game.clone(), &options, players).ok()?;
        Some(log10_of_ways(&machine).ok().flatten().map_or(Ways::NO_END, Ways))
    }

    /// Whether there are so few that all can be laid out.
    fn fit(self, limit: usize) -> bool {
        10.0_f64.powf(self.0) * NODES_A_WAY < limit as f64
    }

    /// Whether there are fewer by more than an estimate is likely to be off.
    fn are_fewer_than(self, others: Ways) -> bool {
        self.0 < others.0 - CLEARLY
    }
}

/// Says which limit a game exceeds, how large it is as far as that is known, and what can be done; `smaller` says what can
/// be smaller.
fn too_large(smaller: &str, limit: usize, foreseen: Option<f64>, size: Option<f64>) -> String {
    let limit = counted(limit as u64, "node or move", "nodes and moves");
    let over = match foreseen {
        Some(least) => {
            let digit = 10.0_f64.powf(least.log10().floor());
            let least = thousands(((least / digit).floor() * digit) as u64);
            format!("about {least} nodes and moves or more, and `--nodes` allows {limit}")
        }
        None => format!("more than {limit}, which is what `--nodes` allows"),
    };
    let size = match size {
        Some(log) if log < 6.0 => {
            format!("there are about {} ways to play it", thousands(10.0_f64.powf(log).round() as u64))
        }
        Some(log) => format!("there are about 10^{log:.0} ways to play it, as random matches suggest"),
        None => "how large it is, random matches do not show".to_string(),
    };
    format!(
        "this game is too large: its tree has {over}; {size}; {smaller}allow \
         more with `--nodes N`; `parlour simulate` and `parlour study` measure games of any size"
    )
}
