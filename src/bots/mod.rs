//! Bots: the computer players, their names and efforts, and the questions they are asked.

mod advice;
mod all_moves;
mod balance;
mod chain;
mod exact;
mod greedy;
mod listing;
mod listings;
mod mcts;
mod mind;
mod mistakes;
mod mixed;
mod passing;
mod proofs;
mod repair;
mod rollouts;
mod standing;
mod steps;
mod whole;
mod worlds;
mod worth;

pub use advice::{Advice, KnownValue, Method, MoveStats, Sure, interval};
pub use exact::{NotExact, exact};
pub use greedy::{LookaheadStyle, one_step_advice};
pub use mcts::{Course, MAX_BYTES, Roots, Search, SearchResult, Viewpoint, amaf_applies};
pub use mind::{Answer, ExactWay, Memory, Mind};
pub use mixed::{MixFile, MixFileRef};
pub use standing::Standing;
pub use worlds::{World, Worlds};
pub use worth::{Measure, Proof, plays_for_score};

pub use crate::play::is_open;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diag::nearest;
use crate::engine::{Engine, Stepper};
use crate::eval::Fault;
use crate::num::Rng;
use crate::solve::{Knowledge, Solution};
use exact::{Exactly, exact_by, exactly};

/// The default number of playouts for one choice.
const PLAYOUTS: u64 = 1000;
/// The number of playouts for one choice at the levels `casual`, `medium` and `hard`: each level beats the one below it about
/// four times in five (`benches/README.md`).
const CASUAL: u64 = 50;
/// The same for `casual` where something is hidden or several choose at the same time: with fewer, its mixes are mere chance.
const CASUAL_IN_SECRET: u64 = 150;
const MEDIUM: u64 = 300;
const HARD: u64 = 5000;
/// How many milliseconds the highest level thinks per choice when people wait for it.
const HARD_MS: u64 = 2000;
/// The largest effort that can be asked for, in playouts or milliseconds.
pub const MOST_EFFORT: u64 = 1_000_000_000;
/// The most positions that exact play looks at; what it finds out about each is kept in memory.
const MAX_POSITIONS: u64 = 500_000;
/// So many positions are looked at even if it takes twice the time that is given for exact play: what is that small should not be
/// estimated only because the machine is busy.
const FEW_POSITIONS: u64 = 5_000;
/// The part of its time that is given for exact play before a search: what is given in vain makes the search weaker.
const EXACT_PART: u64 = 10;
/// The most trees that are grown at the same time, since each takes memory of its own.
const MAX_TREES: usize = 8;

/// Why there is no advice in a game without a winner.
pub const NOBODY_WINS: &str = "by these rules nobody can win, so that no move is better than another; `winner highest score` \
     or the like in the file says who wins";

/// How much a bot thinks about a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A number of playouts: gives the same choice on every machine.
    Playouts(u64),
    /// A number of milliseconds, with as many playouts as fit.
    Millis(u64),
}

impl Effort {
    /// Returns so many times the effort.
    #[must_use]
    pub fn times(self, by: u64) -> Effort {
        match self {
            Effort::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(by)),
            Effort::Millis(ms) => Effort::Millis(ms.saturating_mul(by)),
        }
    }

    /// Returns one of so many equal parts of the effort.
    #[must_use]
    pub fn part(self, of: u64) -> Effort {
        match self {
            Effort::Playouts(playouts) => Effort::Playouts((playouts / of).max(1)),
            Effort::Millis(ms) => Effort::Millis((ms / of).max(1)),
        }
    }
}

/// A computer player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bot {
    /// Draws each choice uniformly among its legal moves.
    Random,
    /// Plays like a beginner: sees one move ahead and overlooks some moves.
    Easy,
    /// Searches with very few playouts.
    Casual,
    /// Searches with few playouts.
    Medium,
    /// Plays the rest of the match exactly where it can, and searches where it cannot.
    Hard,
    /// Looks one move ahead, using the score if it decides the match, else a few playouts.
    Greedy,
    /// Monte Carlo tree search, and a search to the end of the match where that takes no longer.
    Mcts(Effort),
    /// Monte Carlo tree search alone, which knows no more than its playouts tell: the player of studies, which measure how strength
    /// grows with thought and what mistakes cost, and of matches that are played on quickly. A proof would end either where the rest
    /// of a match is small.
    Tree(Effort),
    /// Exact play, in matches that are small enough to be searched to their end.
    Exact,
    /// Exact play if the rest of the match can be searched within the effort, else tree search.
    Auto(Effort),
    /// Plays mixed strategies that were worked out before.
    Mix(MixFileRef),
}

/// Gives a search the time, requests to hurry, and further threads.
pub trait Clock {
    /// Returns milliseconds since some fixed moment.
    fn millis(&self) -> u64;

    /// Whether the bot should move now with what it knows.
    fn must_stop(&self) -> bool {
        false
    }

    /// Waits a moment for what another thread does.
    fn pause(&self) {
        std::hint::spin_loop();
    }

    /// Runs `own` on this thread and, meanwhile, `other` on up to `_most` further threads, with the number of
    /// the thread. The default implementation has no other threads and only runs `own`.
    fn run_parallel(&self, _most: usize, _other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        own();
    }
}

/// A clock that hurries after some time.
pub struct Deadline<'c> {
    clock: &'c dyn Clock,
    end: u64,
}

impl<'c> Deadline<'c> {
    /// Makes a clock that says that the search must stop as soon as `clock` does, or people have waited for a bot that is not
    /// of the highest level for half as long as for one that is.
    pub fn at_table(clock: &'c dyn Clock) -> Deadline<'c> {
        Deadline::after(clock, HARD_MS / 2)
    }

    /// Makes a clock that says that the search must stop as soon as `clock` does, or so many milliseconds have passed.
    pub fn after(clock: &'c dyn Clock, ms: u64) -> Deadline<'c> {
        Deadline { clock, end: clock.millis().saturating_add(ms) }
    }
}

impl Clock for Deadline<'_> {
    fn millis(&self) -> u64 {
        self.clock.millis()
    }

    fn must_stop(&self) -> bool {
        self.clock.must_stop() || self.clock.millis() >= self.end
    }

    fn pause(&self) {
        self.clock.pause();
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        self.clock.run_parallel(most, other, own);
    }
}

/// A clock that stands still, for efforts given in playouts.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoppedClock;

impl Clock for StoppedClock {
    fn millis(&self) -> u64 {
        0
    }
}

/// Why a bot has no move to offer.
#[derive(Debug, Clone, PartialEq)]
pub enum NoAdvice {
    /// A fault in the rules.
    Broken(Fault),
    /// Another reason, as a sentence.
    Cannot(String),
    /// No world was found in which the seat would have seen what it has seen.
    NoWorld,
}

impl From<Fault> for NoAdvice {
    fn from(fault: Fault) -> NoAdvice {
        NoAdvice::Broken(fault)
    }
}

impl Bot {
    /// The names of all bots; `mcts`, `tree` and `auto` take an effort after a colon.
    pub const NAMES: &'static [&'static str] =
        &["easy", "casual", "medium", "hard", "random", "greedy", "mcts", "tree", "exact", "auto"];

    /// Returns a sentence on how `hard` differs between counted matches and matches that people wait for.
    pub fn hard_words() -> String {
        format!(
            "`hard` is given {HARD} playouts a choice here, which are the same on every machine; at a table it thinks for {} s",
            HARD_MS / 1000
        )
    }

    /// The names that are offered to people.
    pub const LEVELS: &'static [&'static str] = &["easy", "casual", "medium", "hard", "random"];

    /// Parses a bot's name, such as `hard`, `mcts:500` or `auto:200ms`. The error is a sentence.
    pub fn parse(text: &str) -> Result<Bot, String> {
        let (name, effort) = match text.split_once(':') {
            Some((name, effort)) => (name, Some(effort)),
            None => (text, None),
        };
        let bot = match name {
            "random" => Bot::Random,
            "easy" => Bot::Easy,
            "casual" => Bot::Casual,
            "medium" => Bot::Medium,
            "hard" => Bot::Hard,
            "greedy" => Bot::Greedy,
            "exact" => Bot::Exact,
            "mcts" => Bot::Mcts(Effort::Playouts(PLAYOUTS)),
            "tree" => Bot::Tree(Effort::Playouts(PLAYOUTS)),
            "auto" => Bot::Auto(Effort::Playouts(PLAYOUTS)),
            "mix" => {
                return Err("`mix:FILE`, which plays what `parlour equilibrium --keep FILE` found, can sit down only by `--seat` and \
                            `--bot` of a command"
                    .to_string());
            }
            _ => {
                return Err(match nearest(name, Bot::NAMES.iter().copied()) {
                    Some(near) => format!("no bot is called `{name}`; did you mean `{near}`?"),
                    None => format!(
                        "no bot is called `{name}`; there are {}, and `mix:FILE` of `parlour equilibrium --keep FILE`",
                        Bot::NAMES.join(", ")
                    ),
                });
            }
        };
        match (bot, effort) {
            (bot, None) => Ok(bot),
            (Bot::Mcts(_), Some(effort)) => Ok(Bot::Mcts(read_effort(name, effort)?)),
            (Bot::Tree(_), Some(effort)) => Ok(Bot::Tree(read_effort(name, effort)?)),
            (Bot::Auto(_), Some(effort)) => Ok(Bot::Auto(read_effort(name, effort)?)),
            (_, Some(effort)) => {
                Err(format!("`{name}` takes no effort; write `{name}`, or `mcts:{effort}` for a search"))
            }
        }
    }

    /// Returns the bot to use when people wait for it: the highest level then thinks by the clock.
    #[must_use]
    pub fn at_table(self) -> Bot {
        match self {
            Bot::Hard => Bot::Auto(Effort::Millis(HARD_MS)),
            bot => bot,
        }
    }

    /// How much the bot looks at to solve the game as a whole before it chooses; `None` if it does not, or is given time.
    fn solves_whole_game(self) -> Option<u64> {
        match self {
            Bot::Exact => Some(whole::MAX_LOOKED),
            Bot::Hard => Some(whole::SOON_LOOKED),
            _ => None,
        }
    }

    /// Returns the bot with this effort; bots without an effort are returned as they are.
    #[must_use]
    pub fn with(self, effort: Effort) -> Bot {
        match self {
            Bot::Mcts(_) => Bot::Mcts(effort),
            Bot::Tree(_) => Bot::Tree(effort),
            Bot::Auto(_) | Bot::Casual | Bot::Medium | Bot::Hard => Bot::Auto(effort),
            bot => bot,
        }
    }
}

impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, effort) = match self {
            Bot::Random => ("random", None),
            Bot::Easy => ("easy", None),
            Bot::Casual => ("casual", None),
            Bot::Medium => ("medium", None),
            Bot::Hard => ("hard", None),
            Bot::Greedy => ("greedy", None),
            Bot::Exact => ("exact", None),
            Bot::Mcts(effort) => ("mcts", Some(effort)),
            Bot::Tree(effort) => ("tree", Some(effort)),
            Bot::Auto(effort) => ("auto", Some(effort)),
            Bot::Mix(MixFileRef(file)) => return write!(f, "mix:{}", file.name),
        };
        match effort {
            None | Some(Effort::Playouts(PLAYOUTS)) => write!(f, "{name}"),
            Some(Effort::Playouts(playouts)) => write!(f, "{name}:{playouts}"),
            Some(Effort::Millis(ms)) => write!(f, "{name}:{ms}ms"),
        }
    }
}

/// Parses `500` or `200ms`. The error is a sentence.
fn read_effort(name: &str, text: &str) -> Result<Effort, String> {
    let (number, effort): (&str, fn(u64) -> Effort) = match text.strip_suffix("ms") {
        Some(number) => (number, Effort::Millis),
        None => (text, Effort::Playouts),
    };
    match number.parse() {
        Ok(number @ 1..=MOST_EFFORT) => Ok(effort(number)),
        _ => Err(format!(
            "`{name}:{text}`: behind the colon stands how many playouts a choice gets, or how many milliseconds, from 1 to {MOST_EFFORT}: \
             `{name}:500` or `{name}:200ms`"
        )),
    }
}

/// What a bot is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A move to make.
    Best,
    /// What each move is worth, in the time there is.
    All,
}

/// A choice that a bot is asked about.
pub struct Question<'q, E: Engine> {
    /// The engine that plays the game.
    pub engine: &'q E,
    /// The seat that is to choose, from 0.
    pub seat: usize,
    /// Returns a position that is possible as far as the seat, or everybody, knows.
    pub root: &'q mut Roots<'q, E::State>,
    /// Returns a source of such positions for another thread.
    pub more_roots: &'q (dyn Fn() -> Box<Roots<'q, E::State>> + Sync),
    /// The clock.
    pub clock: &'q dyn Clock,
    /// Whether moves are only ever added: see [`amaf_applies`].
    pub use_amaf: bool,
    /// The solution of the whole game, if it is to be used.
    pub solution: Option<&'q Solution>,
    /// What earlier searches for a proof have found in this game, for those that are given time.
    pub proofs: &'q Mutex<Knowledge>,
}

/// What is done on another core beside a search: it is told whether to go on, and returns whether the search can end.
type Beside<'b> = &'b (dyn Fn(&dyn Fn() -> bool) -> bool + Sync);

impl<'q, E: Engine> Question<'q, E> {
    /// Returns a search that has not looked at anything yet, for this effort.
    fn new_search(&self, effort: Effort) -> Search<'q, E> {
        let mut search =
            Search::new(self.engine, self.seat, is_open(&self.engine.machine().game), self.use_amaf);
        if let Effort::Playouts(playouts) = effort {
            search.expect_playouts(playouts);
        }
        search
    }
}

impl<E: Engine + Sync> Question<'_, E>
where
    E::State: Sync,
{
    /// Returns the bot's advice on the choice.
    pub fn ask(&mut self, bot: Bot, rng: &mut Rng) -> Result<Advice, NoAdvice> {
        self.ask_about(Wanted::Best, bot, rng)
    }

    /// Returns the bot's advice on the choice.
    pub fn ask_about(&mut self, wanted: Wanted, bot: Bot, rng: &mut Rng) -> Result<Advice, NoAdvice> {
        let advice = match bot {
            Bot::Random => self.random(rng)?,
            Bot::Easy => self.look_ahead(LookaheadStyle::Beginner, rng)?,
            Bot::Greedy => self.look_ahead(LookaheadStyle::Greedy, rng)?,
            Bot::Exact => {
                let found = self.solve_exactly(rng, Effort::Playouts(MAX_POSITIONS), true)?;
                let found =
                    found.map_err(|why| match self.clock.must_stop() && why == NotExact::TooManyPositions {
                        true => NoAdvice::Cannot(
                            "the search was stopped before it had reached the end of the match".to_string(),
                        ),
                        false => why_not_exact(why),
                    });
                Some(found?)
            }
            Bot::Mcts(effort) => self.search_and_prove(rng, effort)?,
            Bot::Tree(effort) => self.search(rng, effort)?,
            Bot::Casual => {
                let game = &self.engine.machine().game;
                let secret = !is_open(game) || game.choices.iter().any(|choice| choice.together);
                self.search(rng, Effort::Playouts(if secret { CASUAL_IN_SECRET } else { CASUAL }))?
            }
            Bot::Medium => self.search(rng, Effort::Playouts(MEDIUM))?,
            Bot::Hard => self.solve_or_search(rng, Effort::Playouts(HARD))?,
            Bot::Auto(Effort::Millis(ms)) if wanted == Wanted::All => self.weigh_all_moves(rng, ms)?,
            Bot::Auto(effort) => self.solve_or_search(rng, effort)?,
            // Mixes are looked up by what a seat has seen, which is not known here.
            Bot::Mix(_) => return Err(NoAdvice::NoWorld),
        };
        let Some(mut advice) = advice else {
            return Err(NoAdvice::Cannot(
                "there is no legal move in the window that bots draw from".to_string(),
            ));
        };
        self.hope_for_mistakes(&mut advice, rng)?;
        if matches!(bot, Bot::Easy | Bot::Casual | Bot::Medium) {
            self.rather_do_something(&mut advice, rng)?;
        }
        Ok(advice)
    }

    fn look_ahead(&mut self, style: LookaheadStyle, rng: &mut Rng) -> Result<Option<Advice>, Fault> {
        let clock = self.clock;
        one_step_advice(
            self.engine,
            self.seat,
            &mut |rng| (self.root)(Viewpoint::Own, rng),
            rng,
            style,
            clock,
        )
    }

    fn random(&mut self, rng: &mut Rng) -> Result<Option<Advice>, Fault> {
        let Some(state) = (self.root)(Viewpoint::Own, &mut rng.clone()) else { return Ok(None) };
        let drawn = self.engine.stepper().draw_legal(&state, self.seat, rng)?;
        let weighed = |chosen| MoveStats::new(chosen, 1.0 / self.engine.machine().setup.players as f64);
        Ok(drawn.and_then(|chosen| Advice::of(vec![weighed(chosen)], Method::Random)))
    }

    fn solve_exactly(
        &mut self,
        rng: &mut Rng,
        effort: Effort,
        builds_graph: bool,
    ) -> Result<Result<Advice, NotExact>, Fault> {
        Ok(self.look_exactly(rng, effort, builds_graph)?.advice)
    }

    /// Returns what can be said exactly of the choice within the effort.
    fn look_exactly(&mut self, rng: &mut Rng, effort: Effort, builds_graph: bool) -> Result<Exactly, Fault> {
        if let Some(why) = NotExact::of_game(self.engine.machine()) {
            return Ok(why.into());
        }
        // Where nothing is hidden, the position is known.
        let Some(state) = (self.root)(Viewpoint::Own, rng) else { return Ok(NotExact::Hidden.into()) };
        if let Some(solution) = self.solution
            && let Some(advice) = exact_by(solution, self.engine, &state)?
        {
            return Ok(Exactly { advice: Ok(advice), settled: Vec::new(), kingmaker: Vec::new() });
        }
        let in_time = goes_on(effort, self.clock, MAX_POSITIONS);
        let soon = goes_on(effort.times(2), self.clock, FEW_POSITIONS);
        let by_clock = matches!(effort, Effort::Millis(_));
        exactly(self.engine, &state, &|looked| in_time(looked) || by_clock && soon(looked), builds_graph)
    }

    /// Searches from the position, or from one world after the other if something is hidden. With an effort in time, it does
    /// so on several cores, each of which draws its own worlds and grows its own tree. Their statistics of the root's moves
    /// are added up (root parallelisation: G. Chaslot, M. Winands, J. van den Herik, 2008). An effort in playouts uses one
    /// core, so that the result is the same on every machine.
    fn search(&mut self, rng: &mut Rng, effort: Effort) -> Result<Option<Advice>, Fault> {
        self.search_beside(rng, effort, None)
    }

    /// Searches, while something else is done on another core, if there is one and the effort is one in time.
    fn search_beside(
        &mut self,
        rng: &mut Rng,
        effort: Effort,
        beside: Option<Beside>,
    ) -> Result<Option<Advice>, Fault> {
        let goes_on = goes_on(effort, self.clock, u64::MAX);
        let mut search = self.new_search(effort);
        if let Effort::Playouts(_) = effort {
            search.run(self.root, rng, &goes_on);
            return search.advice(rng);
        }
        let (seed, over, done) = (rng.next_u64(), AtomicBool::new(false), AtomicBool::new(false));
        let Question { engine, seat, more_roots, use_amaf, clock, .. } = *self;
        let root = &mut *self.root;
        let grown = Mutex::new(Vec::new());
        let other = |number: usize| {
            // If it ends without the search being able to, the core grows a tree, too.
            if let Some(beside) = beside.filter(|_| number == 0)
                && beside(&|| !over.load(Ordering::Relaxed))
            {
                done.store(true, Ordering::Relaxed);
                return;
            }
            let mut search = Search::new(engine, seat, is_open(&engine.machine().game), use_amaf);
            let mut rng = Rng::nth(seed, number as u64);
            search.run(&mut *more_roots(), &mut rng, &|_| !over.load(Ordering::Relaxed));
            grown.lock().unwrap_or_else(PoisonError::into_inner).push((number, search.into_result()));
        };
        clock.run_parallel(MAX_TREES - 1, &other, &mut || {
            search.run(root, rng, &|playouts| goes_on(playouts) && !done.load(Ordering::Relaxed));
            over.store(true, Ordering::Relaxed);
        });
        let mut trees = grown.into_inner().unwrap_or_else(PoisonError::into_inner);
        trees.sort_by_key(|(number, _)| *number);
        trees.iter().for_each(|(_, tree)| search.join(tree));
        search.advice(rng)
    }

    /// Plays exactly if that takes no more than part of the effort, else searches with the rest.
    fn solve_or_search(&mut self, rng: &mut Rng, effort: Effort) -> Result<Option<Advice>, Fault> {
        let (part, rest) = match effort {
            Effort::Playouts(playouts) => (Effort::Playouts(playouts.saturating_mul(2)), effort),
            Effort::Millis(ms) => (Effort::Millis(ms / EXACT_PART), Effort::Millis(ms - ms / EXACT_PART)),
        };
        match self.solve_exactly(rng, part, true)? {
            Ok(advice) => Ok(Some(advice)),
            Err(_) => self.search_and_prove(rng, rest),
        }
    }
}

/// Explains why exact play is impossible.
fn why_not_exact(why: NotExact) -> NoAdvice {
    let why = match why {
        NotExact::Hidden | NotExact::Together => {
            format!("{why}, so that a match cannot be searched to its end")
        }
        NotExact::TooManyPositions => {
            format!(
                "the rest of the match cannot be searched to its end: it takes more than {MAX_POSITIONS} positions"
            )
        }
        why if why.is_of_size() => format!("the rest of the match cannot be searched to its end: {why}"),
        why => why.to_string(),
    };
    NoAdvice::Cannot(format!(
        "{why}; `auto` searches to the end where it can, and plays on by tree search where not"
    ))
}

/// How many playouts a search does although it is to stop at once, and for how many milliseconds at most: with fewer it
/// would move at random.
const LEAST_PLAYOUTS: u64 = 500;
const LEAST_MILLIS: u64 = 100;

/// Returns a predicate that says, for a number of finished playouts or positions, whether to do another one:
/// the effort is not used up, fewer than `most` are done, and the clock does not hurry.
fn goes_on(effort: Effort, clock: &dyn Clock, most: u64) -> impl Fn(u64) -> bool {
    let begun = clock.millis();
    move |done| {
        let left = match effort {
            Effort::Playouts(playouts) => done < playouts,
            Effort::Millis(ms) => done == 0 || clock.millis().saturating_sub(begun) < ms,
        };
        let few = || done < LEAST_PLAYOUTS && clock.millis().saturating_sub(begun) < LEAST_MILLIS;
        left && done < most && (done == 0 || !clock.must_stop() || few())
    }
}
