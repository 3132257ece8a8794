//! `parlour arena`: bots play each other on all cores until the result is precise enough; runs can be
//! resumed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use super::cores::{cores, share_out};
use super::files::{self, io_failure};
use super::progress::{Progress, Stopping, interruption};
use super::simulate::{read_bot, read_seat};
use super::{Exit, Failure, FormatArgs, MAX_MOVES, SettingArgs, fault, note, out, width};
use crate::bots::{Bot, Effort, Mind};
use crate::eval::Machine;
use crate::explore::{counted, thousands};
use crate::lab::{Arena, Score, looks, pairings, seatings};
use crate::play::{Refused, Rules};

/// The default number of matches in total if neither `--games` nor `--within` is given.
const GAMES: u64 = 400;
/// The half-widths that can be requested for intervals.
const WITHIN: std::ops::RangeInclusive<f64> = 0.001..=0.5;
/// The greatest numbers of bots and of threads.
const MOST_BOTS: usize = 64;
const MOST_THREADS: usize = 256;
/// The number of encounters of a pairing that are planned at a time.
const PLANNED: u64 = 1000;
/// How often results are saved during play.
const KEEP: Duration = Duration::from_secs(5);

#[derive(Args)]
pub struct ArenaArgs {
    #[command(flatten)]
    setting: SettingArgs,
    /// A bot that takes part, as in mcts:500 (500 playouts a choice); give at least two
    #[arg(long, value_name = "BOT")]
    bot: Vec<String>,
    /// The same by seat, as in 1=mcts:500; each pair plays both ways round anyway
    #[arg(long, value_name = "SEAT=BOT")]
    seat: Vec<String>,
    /// The most matches to play, over all pairs [default: 400, or as many as `--within` takes]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Play until each pair's share of the win is known to within this margin, as in 0.02
    #[arg(long, value_name = "SHARE")]
    within: Option<f64>,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Keep what was played in a file; the same command then continues from it
    #[arg(long, value_name = "FILE")]
    keep: Option<String>,
    /// How many matches to play at a time; this changes only the speed [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[arg(long, value_name = "M", default_value_t = MAX_MOVES, value_parser = clap::value_parser!(u64).range(1..), help = "Give a match up after this many choices, and count it as a draw")]
    max_moves: u64,
    #[command(flatten)]
    format: FormatArgs,
}

impl ArenaArgs {
    /// Returns the bots that take part: first those of seats, in seat order, then the others.
    fn bots(&self, rules: &Rules, machine: &Machine) -> Result<Vec<Bot>, Failure> {
        let usage = |sentence: String| Err(Failure::Usage(sentence));
        let mut seats = BTreeMap::new();
        for text in &self.seat {
            let (seat, bot) = read_seat(text, rules, machine)?;
            if seats.insert(seat, bot).is_some() {
                return usage(format!(
                    "`--seat {text}`: seat {seat} already has a bot; name others with `--bot`"
                ));
            }
        }
        let mut bots: Vec<Bot> = seats.into_values().collect();
        for name in &self.bot {
            bots.push(read_bot(name, rules, machine)?);
        }
        if let Some(twice) = bots.iter().enumerate().find(|(at, bot)| bots[..*at].contains(bot)) {
            let bot = twice.1;
            return usage(format!(
                "`{bot}` is named twice; `simulate --bot {bot}` lets a bot play itself, and bots of \
                 different effort are different bots: `mcts:500`, `mcts:2000`"
            ));
        }
        match bots.len() {
            0 | 1 => usage("an arena needs two bots or more: `--bot mcts:500 --bot greedy`".into()),
            2..=MOST_BOTS => Ok(bots),
            _ => usage(format!("an arena takes at most {MOST_BOTS} bots")),
        }
    }

    /// Returns the greatest number of encounters of each pairing.
    fn encounters(&self, pairings: usize, seatings: usize) -> Result<u64, Failure> {
        let round = (pairings * seatings) as u64;
        match (self.games, self.within) {
            (Some(games), _) if games < round => Err(Failure::Usage(format!(
                "`--games {games}`: at least {round} are needed, for {pairings} {} to play once in each of \
                 {seatings} seatings",
                if pairings == 1 { "pair" } else { "pairs" }
            ))),
            (Some(games), _) => {
                if games % round != 0 {
                    note(&format!(
                        "note: {} are played, not {}: for every pair to meet as often in each of the {seatings} seatings, \
                         their number must be a multiple of {round}",
                        counted(games - games % round, "match", "matches"),
                        thousands(games)
                    ));
                }
                Ok(games / round)
            }
            (None, Some(_)) => Ok(u64::MAX),
            (None, None) => Ok((GAMES / round).max(1)),
        }
    }
}

/// The run of an arena, with the results so far.
struct Course<'a> {
    arena: Arena<'a>,
    pairings: Vec<[usize; 2]>,
    scores: Vec<Score>,
    /// The number of matches in an encounter.
    seatings: usize,
    /// The greatest number of encounters of each pairing, and the requested half-width of its interval.
    most: u64,
    within: Option<f64>,
    threads: usize,
}

pub fn run(args: &ArenaArgs) -> Exit {
    let (rules, machine) = args.setting.machine()?;
    let players = machine.setup.players;
    if players < 2 {
        let sentence = "with one player nobody plays anybody; use `parlour simulate`";
        return Err(Failure::Wrong(format!("error: {}: {sentence}", rules.game.title)));
    }
    if machine.is_allied() {
        let sentence = "the players win and lose together, so that both bots of a match would get the same; compare \
                        `parlour simulate --bot …` with one bot and with another";
        return Err(Failure::Wrong(format!("error: {}: {sentence}", rules.game.title)));
    }
    let bots = args.bots(&rules, &machine)?;
    if let Some(within) = args.within.filter(|within| !WITHIN.contains(within)) {
        let (least, most) = WITHIN.into_inner();
        let sentence = format!("`--within {within}`: the margin must be from {least} to {most}, as in 0.02");
        return Err(Failure::Usage(sentence));
    }
    for bot in &bots {
        if matches!(bot, Bot::Mix(file) if file.0.mixes.for_points()) {
            note(&format!(
                "note: {bot} was made for points, and an arena counts wins: its share need not be the best"
            ));
        }
    }
    if bots.contains(&Bot::Hard) {
        note(&format!("note: {}", Bot::hard_words()));
    }
    let threads = args.threads.unwrap_or_else(cores);
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(Failure::Usage(format!("`--threads {threads}`: use from 1 to {MOST_THREADS} threads")));
    }
    let sides = machine.interests.sides(players);
    let (pairings, seatings) = (pairings(bots.len()), seatings(&sides).len());
    let most = args.encounters(pairings.len(), seatings)?;
    let stop = interruption();
    let (mind, clock) = (Mind::new(&machine), Stopping(Arc::clone(&stop)));
    let (setup, max_moves) = (&machine.setup, args.max_moves);
    let (rules, sides, bots, seed) = (&rules, &sides, &bots, args.seed);
    let arena = Arena { rules, setup, sides, bots, mind: &mind, clock: &clock, seed, max_moves };
    let scores = load_checkpoint(args, &arena)?.unwrap_or_else(|| vec![Score::default(); pairings.len()]);
    let timed = |bot: &&Bot| matches!(bot, Bot::Mcts(Effort::Millis(_)) | Bot::Auto(Effort::Millis(_)));
    if let Some(bot) = bots.iter().find(timed) {
        note(&format!(
            "note: `{bot}` thinks by the clock, so what it plays depends on this machine and how busy it is"
        ));
    }
    let mut course = Course { arena, pairings, scores, seatings, most, within: args.within, threads };
    let played = course.play(rules, &stop, args.keep.as_deref());
    // Results are saved even if play failed.
    if let Some(path) = &args.keep {
        keep(path, &course.arena, &course.scores)?;
    }
    played?;
    course.say(args, &stop)
}

/// Reads the saved scores, if there are any.
fn load_checkpoint(args: &ArenaArgs, arena: &Arena) -> Result<Option<Vec<Score>>, Failure> {
    let Some(path) = &args.keep else { return Ok(None) };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let scores = arena.read_checkpoint(&text);
            scores.map(Some).map_err(|sentence| Failure::Wrong(format!("error: {path}: {sentence}")))
        }
        // Writing the file now reveals problems before anything is played.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            keep(path, arena, &vec![Score::default(); pairings(arena.bots.len()).len()])?;
            Ok(None)
        }
        Err(error) => Err(io_failure(path, &error)),
    }
}

fn keep(path: &str, arena: &Arena, scores: &[Score]) -> Result<(), Failure> {
    files::keep(path, &format!("{}\n", arena.checkpoint_json(scores)))
}

impl Course<'_> {
    /// Plays until all pairings are done or Ctrl-C is pressed.
    fn play(&mut self, rules: &Rules, stop: &AtomicBool, path: Option<&str>) -> Result<(), Failure> {
        let progress = Progress::new("no match has finished yet");
        let mut kept = Instant::now();
        loop {
            let work = self.next();
            if work.is_empty() || stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            let before = self.matches();
            let ahead = before + (work.len() * self.seatings) as u64;
            let whole = self.expected().max(ahead);
            let mut failed = None;
            self.carry_out(&work, &mut |course| {
                let matches = course.matches();
                let most = if course.within.is_some() { "about " } else { "" };
                progress.tell(matches as f64 / whole as f64, || {
                    format!("{} of {most}{} matches", thousands(matches), thousands(whole))
                });
                if let Some(path) = path.filter(|_| kept.elapsed() > KEEP) {
                    failed = keep(path, &course.arena, &course.scores).err();
                    kept = Instant::now();
                }
                failed.is_none()
            })
            .map_err(|(pairing, refused)| self.refused(rules, pairing, refused))?;
            if let Some(failure) = failed {
                return Err(failure);
            }
        }
    }

    fn matches(&self) -> u64 {
        self.scores.iter().map(|score| score.matches).sum()
    }

    /// Whether a pairing has played enough encounters.
    fn is_done(&self, score: &Score) -> bool {
        score.encounters >= self.most
            || self.within.is_some_and(|within| score.is_enough(within, self.seatings))
    }

    /// Estimates the total number of matches from the shares so far.
    fn expected(&self) -> u64 {
        let of = |score: &Score| match self.within {
            _ if self.is_done(score) => score.matches,
            Some(within) => score.needed(within).min(self.most.saturating_mul(self.seatings as u64)),
            None => self.most * self.seatings as u64,
        };
        self.scores.iter().map(of).sum()
    }

    /// Returns the next encounters to play as (pairing, number), by number first. They extend at most to the
    /// next point at which it is checked whether a pairing is done.
    fn next(&self) -> Vec<(usize, u64)> {
        let target = |score: &Score| {
            if self.is_done(score) {
                return score.encounters;
            }
            let look = looks(self.seatings).find(|look| *look > score.encounters);
            let look = look.filter(|_| self.within.is_some()).unwrap_or(self.most);
            look.min(self.most).min(score.encounters.saturating_add(PLANNED))
        };
        let ranges = self.scores.iter().map(|score| score.encounters..target(score));
        let all = ranges.enumerate().flat_map(|(pairing, range)| range.map(move |n| (pairing, n)));
        let mut all: Vec<(usize, u64)> = all.collect();
        all.sort_by_key(|(pairing, n)| (*n, *pairing));
        all
    }

    /// Plays encounters on all threads and adds their scores in the order of each pairing, so that results do
    /// not depend on the number of threads. After each, `on` decides whether to continue. Returns the error
    /// of the earliest encounter that failed.
    fn carry_out(
        &mut self,
        work: &[(usize, u64)],
        on: &mut dyn FnMut(&Self) -> bool,
    ) -> Result<(), (usize, Refused)> {
        let Course { arena, pairings, threads, .. } = &*self;
        let Arena { rules, setup, sides, bots, mind, clock, seed, max_moves } = *arena;
        let arena = Arena { rules, setup, sides, bots, mind, clock, seed, max_moves };
        let (pairings, threads) = (pairings.clone(), *threads);
        let play = |at: usize| {
            let (pairing, n) = work[at];
            arena.encounter(pairings[pairing], n)
        };
        // Encounters that finished before an earlier one of their pairing.
        let mut waiting = BTreeMap::new();
        let mut first: Option<(usize, Refused)> = None;
        share_out(threads, work.len(), &play, &mut |at, played| {
            match played {
                Ok(Some(score)) => {
                    waiting.insert(work[at], score);
                }
                Ok(None) => return false,
                Err(refused) => {
                    if first.as_ref().is_none_or(|(before, _)| at < *before) {
                        first = Some((at, refused));
                    }
                    return false;
                }
            }
            let (pairing, _) = work[at];
            while let Some(score) = waiting.remove(&(pairing, self.scores[pairing].encounters)) {
                self.scores[pairing] += &score;
            }
            on(self)
        });
        match first {
            Some((at, refused)) => Err((work[at].0, refused)),
            None => Ok(()),
        }
    }

    /// Describes why a match could not continue.
    fn refused(&self, rules: &Rules, pairing: usize, refused: Refused) -> Failure {
        let [first, second] = self.pairings[pairing].map(|bot| self.arena.bots[bot]);
        match refused.fault {
            Some(found) => {
                note(&format!(
                    "a match of {first} against {second} runs into a fault in the rules, in play or in a \
                     bot's search:"
                ));
                fault(rules, &found)
            }
            None => Failure::Wrong(format!("error: {first} against {second}: {}", refused.message)),
        }
    }

    /// Prints the results.
    fn say(self, args: &ArenaArgs, stop: &AtomicBool) -> Exit {
        let whole = self.expected();
        let short = self.within.filter(|within| self.scores.iter().any(|score| score.half_width() > *within));
        let standings = self.arena.standings(self.scores);
        if args.format.is_json() {
            out(&standings.json(&self.arena).to_string())?;
        } else if standings.matches() > 0 {
            out(&standings.words(&self.arena, width()))?;
        }
        if stop.load(Ordering::SeqCst) {
            let way = match &args.keep {
                Some(path) => format!("the same command continues from {path}"),
                None => "with `--keep FILE` a run can be continued".to_string(),
            };
            note(&match standings.matches() {
                0 => format!("interrupted before a match had ended; nothing is known yet; {way}"),
                some => format!(
                    "interrupted after {}; the figures cover only these; {way}",
                    counted(some, "match", "matches")
                ),
            });
            return Ok(130);
        }
        if let Some(within) = short {
            note(&format!(
                "note: not known to within {within} yet; it looks as if that takes about {} matches",
                thousands(whole)
            ));
        }
        Ok(0)
    }
}
