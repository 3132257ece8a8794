//! The plan of a study: which matches are played in which order, when there are enough, and what is kept of
//! them.

use std::ops::Range;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::super::arena::{Arena, Score, looks, seatings};
use super::super::checkpoint::{Checkpoint, differs};
use super::Study;
use super::play::Player;
use super::sums::{ENOUGH, Sums};
use crate::ast::File;
use crate::engine::Engine;
use crate::ir::MoveId;
use crate::play::{Refused, Rng};
use crate::solve::Knowledge;
use crate::syntax::parse;

/// The name and version of the format of a kept file.
const FORMAT: &str = "parlour-study";
const VERSION: u64 = 11;

/// How many random matches are played for each match between bots; they take hardly any time.
const RANDOM: u64 = 8;
/// The random matches that are played at once after the first few.
const RANDOM_AT_ONCE: u64 = 128;
/// The number of random matches in one task.
const BATCH: u64 = 16;
/// The numbers of matches after which stages end before the first check whether there are enough.
const EARLY: [u64; 4] = [2, 4, 8, 16];
/// The most moves that are forbidden, each in matches of its own.
const FORBIDDEN: usize = 6;

/// A kind of match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strand {
    /// All seats play at random.
    Random,
    /// The strongest player has every seat.
    Strong,
    /// The player of this index on the ladder has the only seat.
    Alone(usize),
    /// Two players on the ladder, by their indices, play each other.
    Pair(usize, usize),
    /// The strongest player plays itself, or alone, with one side not allowed to make this move.
    Without(MoveId),
}

/// The results of one kind of match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Sums over matches with the same players.
    #[doc(hidden)]
    Sums(Box<SumsKept>),
    /// The score of two sides against each other.
    Score(Score),
}

/// Sums, in the form in which they are serialised.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SumsKept(pub(super) Sums);

/// The results of a study so far: one for each strand, in the order of [`Study::strands`].
#[derive(Debug, Clone, PartialEq)]
pub struct Findings(pub(super) Vec<Found>);

/// A unit of work: matches or encounters of a strand, by their numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    strand: usize,
    numbers: Range<u64>,
}

/// What is played between two checks: tasks that can run in any order and in parallel.
#[derive(Debug)]
pub struct Stage {
    /// The tasks of the stage.
    pub tasks: Vec<Task>,
    /// The syntax tree of the rule file.
    pub(super) file: File,
    /// What is known of positions, if the costs of moves are to be worked out to the end.
    pub(super) knowledge: Option<Mutex<Knowledge>>,
}

/// When to stop playing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enough {
    /// The most matches per strand.
    pub matches: u64,
    /// The interval half-widths to reach: absolute for shares of the win, relative for lengths.
    pub within: f64,
}

impl Found {
    /// Whether the intervals are as narrow as this.
    fn is_narrow(&self, within: f64) -> bool {
        match self {
            Found::Score(score) => score.half_width() <= within,
            Found::Sums(sums) => is_narrow(&sums.0, within),
        }
    }

    /// Returns the number of matches, or of encounters.
    fn count(&self) -> u64 {
        match self {
            Found::Sums(sums) => sums.0.matches,
            Found::Score(score) => score.encounters,
        }
    }

    /// Returns the number of matches.
    pub fn matches(&self) -> u64 {
        match self {
            Found::Sums(sums) => sums.0.matches,
            Found::Score(score) => score.matches,
        }
    }

    /// Returns the number of matches that were abandoned.
    pub(super) fn unfinished(&self) -> u64 {
        match self {
            Found::Sums(sums) => sums.0.unfinished,
            Found::Score(score) => score.unfinished,
        }
    }

    /// Returns the number of choices in all matches.
    pub(super) fn choices(&self) -> u64 {
        match self {
            Found::Sums(sums) => sums.0.choices,
            Found::Score(score) => score.moves,
        }
    }

    fn join(&mut self, other: &Found) {
        match (self, other) {
            (Found::Sums(own), Found::Sums(other)) => own.0.join(&other.0),
            (Found::Score(own), Found::Score(other)) => *own += other,
            _ => {}
        }
    }
}

impl Findings {
    /// Returns the number of matches played.
    pub fn matches(&self) -> u64 {
        self.0.iter().map(Found::matches).sum()
    }

    /// Returns how many choices a random match has on average; 0 if none was played.
    pub fn random_length(&self) -> u64 {
        self.0.first().map_or(0, |random| random.choices() / random.matches().max(1))
    }
}

impl<E: Engine> Study<'_, E> {
    /// Returns the kinds of matches by which this game is studied.
    pub fn strands(&self) -> Vec<Strand> {
        let mut strands = vec![Strand::Random, Strand::Strong];
        let rungs = self.bots().len();
        if self.is_one_side() {
            // The first and the last are `Random` and `Strong`.
            strands.extend((1..rungs - 1).map(Strand::Alone));
        } else {
            strands.extend((1..rungs).map(|rung| Strand::Pair(rung - 1, rung)));
            strands.push(Strand::Pair(0, rungs - 1));
        }
        strands.extend(self.forbidden().map(Strand::Without));
        strands
    }

    /// Returns the moves that are forbidden, each in matches of its own.
    pub(super) fn forbidden(&self) -> Range<MoveId> {
        match self.rules.game.moves.len() {
            0 | 1 => 0..0,
            moves => 0..moves.min(FORBIDDEN),
        }
    }

    /// Whether matches without a move would show nothing: its cost is known, or there is nothing else to do
    /// where it can be made.
    fn is_needless(&self, strand: Strand, findings: &Findings) -> bool {
        let (Strand::Without(mv), Found::Sums(random), Found::Sums(strong)) =
            (strand, &findings.0[0], &findings.0[1])
        else {
            return false;
        };
        random.0.best_without(mv).is_some() || strong.0.has_no_alternative(mv)
    }

    /// Whether a strand waits for matches of others. Random matches come first, so that a game with long matches
    /// shows it at once; whether to play without a move depends on the first match of the strongest players.
    fn waits(strand: Strand, findings: &Findings) -> bool {
        let none_of = |strand: usize| findings.0[strand].count() == 0;
        match strand {
            Strand::Random => false,
            Strand::Without(_) => none_of(0) || none_of(1),
            _ => none_of(0),
        }
    }

    /// Returns empty findings.
    pub fn begin(&self) -> Findings {
        let nothing = |strand| match self.has_sides(strand) {
            true => Found::Score(Score::default()),
            false => Found::Sums(Box::default()),
        };
        Findings(self.strands().into_iter().map(nothing).collect())
    }

    /// Whether two sides play each other in the matches of a strand.
    fn has_sides(&self, strand: Strand) -> bool {
        !self.is_one_side() && matches!(strand, Strand::Pair(..) | Strand::Without(_))
    }

    /// Returns the number of matches per unit of a strand: per encounter, or one.
    fn unit(&self, strand: Strand) -> u64 {
        if self.has_sides(strand) { seatings(&self.sides()).len() as u64 } else { 1 }
    }

    /// Returns how many matches a strand has for each match of the others.
    fn times(strand: Strand) -> u64 {
        if strand == Strand::Random { RANDOM } else { 1 }
    }

    /// Returns the numbers of units after which stages end, each with whether to check then whether there are
    /// enough.
    fn ends(&self, strand: Strand) -> impl Iterator<Item = (u64, bool)> {
        let (unit, times) = (self.unit(strand), Self::times(strand));
        let early = EARLY.map(|matches| (matches.div_ceil(unit) * times, false)).into_iter();
        early.chain(looks(unit as usize).map(move |look| (look * times, true)))
    }

    /// Returns the most units of a strand.
    fn most(&self, strand: Strand, enough: Enough) -> u64 {
        (enough.matches.saturating_mul(Self::times(strand)) / self.unit(strand)).max(1)
    }

    /// Whether a strand has enough matches.
    fn is_done(&self, strand: Strand, found: &Found, enough: Enough) -> bool {
        let count = found.count();
        // Where every match is given up at the limit, more of them would only take long.
        let endless = found.matches() >= ENOUGH && found.unfinished() == found.matches();
        if endless || count >= self.most(strand, enough) {
            return true;
        }
        let end = self.ends(strand).find(|(end, _)| *end >= count);
        end == Some((count, true)) && found.is_narrow(enough.within)
    }

    /// Whether the intervals of all strands are as narrow as asked, and not only as narrow as the most matches make them.
    pub fn is_narrow(&self, findings: &Findings, within: f64) -> bool {
        let mut strands = self.strands().into_iter().zip(&findings.0);
        strands.all(|(strand, found)| {
            Self::waits(strand, findings) || self.is_needless(strand, findings) || found.is_narrow(within)
        })
    }

    /// Returns the next stage; `None` if there are enough matches of every strand.
    pub fn stage(&self, findings: &Findings, enough: Enough) -> Option<Stage> {
        let mut tasks = Vec::new();
        for (number, (strand, found)) in self.strands().into_iter().zip(&findings.0).enumerate() {
            if Self::waits(strand, findings)
                || self.is_needless(strand, findings)
                || self.is_done(strand, found, enough)
            {
                continue;
            }
            let (count, most) = (found.count(), self.most(strand, enough));
            // Random matches take hardly any time, and tell something where searches take too much of it.
            let least = if strand == Strand::Random && count > 0 { RANDOM_AT_ONCE } else { 0 };
            let end = self.ends(strand).find(|(end, _)| *end > count && *end >= least);
            let end = end.map_or(most, |(end, _)| end.min(most));
            let size = if strand == Strand::Random { BATCH } else { 1 };
            let mut next = count;
            while next < end {
                tasks.push(Task { strand: number, numbers: next..(next + size).min(end) });
                next += size;
            }
        }
        if tasks.is_empty() {
            return None;
        }
        // Random matches first; then longest tasks first, so that nobody waits for them at the end.
        let order = |task: &Task| match self.effort(task) {
            0 => 0,
            effort => u64::MAX - effort,
        };
        tasks.sort_by_key(|task| (order(task), task.strand, task.numbers.start));
        let (file, _) = parse(&self.rules.source);
        let knowledge = match &findings.0[0] {
            Found::Sums(random) => self.costs_are_exact(&random.0).then(Mutex::default),
            Found::Score(_) => None,
        };
        Some(Stage { tasks, file, knowledge })
    }

    /// Estimates how long a task takes, roughly in playouts per choice.
    fn effort(&self, task: &Task) -> u64 {
        match self.strands()[task.strand] {
            Strand::Random => 0,
            Strand::Strong => 2 * self.playouts,
            Strand::Alone(rung) => self.playouts >> (self.bots().len() - 1 - rung),
            Strand::Pair(_, rung) => self.playouts >> (self.bots().len() - rung),
            Strand::Without(_) => 2 * self.playouts,
        }
    }

    /// Estimates the total number of matches from the findings so far.
    pub fn expected(&self, findings: &Findings, enough: Enough) -> u64 {
        let each = self.strands().into_iter().zip(&findings.0).map(|(strand, found)| {
            let most = self.most(strand, enough).saturating_mul(self.unit(strand));
            let wanted = 1.96_f64.powi(2) * 0.25 / enough.within.powi(2);
            match self.is_needless(strand, findings) || self.is_done(strand, found, enough) {
                true => found.matches(),
                false => (wanted as u64).max(found.matches()).min(most),
            }
        });
        each.sum()
    }

    /// Runs a task. `None` if the clock hurries: the task was abandoned, or a bot may have been cut short in
    /// it.
    pub fn carry_out(&self, stage: &Stage, task: &Task) -> Result<Option<Found>, Refused> {
        let found = self.found(stage, task)?;
        Ok(found.filter(|_| !self.clock.must_stop()))
    }

    fn found(&self, stage: &Stage, task: &Task) -> Result<Option<Found>, Refused> {
        let strand = self.strands()[task.strand];
        let seed = Rng::sub_seed(self.seed, task.strand as u64);
        let sums = |sums: Option<Sums>| sums.map(|sums| Found::Sums(Box::new(SumsKept(sums))));
        let first = task.numbers.start;
        Ok(match strand {
            Strand::Random => sums(self.at_random(task.numbers.clone(), seed)?),
            Strand::Strong => {
                sums(self.self_play_match(self.strongest().into(), first, seed, Some(stage))?)
            }
            Strand::Alone(rung) => sums(self.self_play_match(self.bots()[rung].into(), first, seed, None)?),
            Strand::Pair(weaker, stronger) => {
                let Study { rules, mind, clock, max_moves, .. } = *self;
                let (bots, setup, sides) = (self.bots(), &self.engine.machine().setup, &self.sides());
                let arena = Arena { rules, setup, sides, bots: &bots, mind, clock, seed, max_moves };
                arena.encounter([weaker, stronger], first)?.map(Found::Score)
            }
            Strand::Without(mv) if self.is_one_side() => {
                let player = Player { bot: self.strongest(), forbidden: Some(mv) };
                sums(self.self_play_match(player, first, seed, None)?)
            }
            Strand::Without(mv) => {
                self.encounter_without((self.strongest(), mv), first, seed)?.map(Found::Score)
            }
        })
    }

    /// Adds the results of a stage, in the order of its tasks' matches; `None` for tasks that were abandoned. Of each
    /// strand, those before its first abandoned task count: the matches after it may be the shorter ones, and will be
    /// played again when the study continues.
    pub fn add(&self, findings: &mut Findings, stage: &Stage, found: Vec<Option<Found>>) {
        let mut order: Vec<(&Task, Option<Found>)> = stage.tasks.iter().zip(found).collect();
        order.sort_by_key(|(task, _)| (task.strand, task.numbers.start));
        let mut abandoned = None;
        for (task, found) in order {
            match found {
                Some(found) if abandoned != Some(task.strand) => findings.0[task.strand].join(&found),
                _ => abandoned = Some(task.strand),
            }
        }
    }

    // ---- kept files

    fn checkpoint(&self) -> Checkpoint<'_> {
        Checkpoint {
            format: FORMAT,
            version: VERSION,
            command: "study",
            rules: self.rules,
            setup: &self.engine.machine().setup,
            seed: self.seed,
            max_moves: self.max_moves,
        }
    }

    /// Returns the content of a file that keeps the findings.
    pub fn checkpoint_json(&self, findings: &Findings) -> Json {
        let mut kept = self.checkpoint().head();
        kept["playouts"] = json!(self.playouts);
        kept["positions"] = json!(self.positions);
        kept["found"] = json!(findings.0);
        kept
    }

    /// Reads kept findings. The error is a sentence.
    pub fn read_checkpoint(&self, text: &str) -> Result<Findings, String> {
        let checkpoint = self.checkpoint();
        let kept = checkpoint.read(text)?;
        if kept["playouts"] != self.playouts {
            return Err(differs("playouts", &kept["playouts"], &json!(self.playouts)));
        }
        if kept["positions"] != self.positions {
            return Err(differs("positions", &kept["positions"], &json!(self.positions)));
        }
        let found: Vec<Found> =
            serde_json::from_value(kept["found"].clone()).map_err(|_| checkpoint.not_ours())?;
        let fits = |(found, strand): (&Found, &Strand)| match (found, strand) {
            (Found::Score(score), strand) if self.has_sides(*strand) => {
                score.encounters * self.unit(*strand) == score.matches
            }
            (Found::Sums(_), strand) => !self.has_sides(*strand),
            _ => false,
        };
        let strands = self.strands();
        match found.len() == strands.len() && found.iter().zip(&strands).all(fits) {
            true => Ok(Findings(found)),
            false => {
                Err("its figures are inconsistent: something else has changed it; use another file".into())
            }
        }
    }
}

/// Whether the seats' shares of the win and the length have narrow enough intervals.
fn is_narrow(sums: &Sums, within: f64) -> bool {
    let long = sums.length.mean().is_some_and(|length| {
        let [low, high] = length.interval;
        (high - low) / 2.0 <= within * length.value
    });
    long && sums.half_width() <= within
}
