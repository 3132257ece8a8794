//! What a bot thinks with: the game of a match, compiled if possible, and the worlds that its seat may be in.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::{Arc, Mutex};

use super::exact::alpha_beta_applies;
use super::listing::{Branch, Listing};
use super::listings::{KeptListings, Listings};
use super::mixed::advice_by;
use super::repair::random_unit;
use super::standing::{SEARCHED, Weighed};
use super::whole::{MAX_LOOKED, SOON_LOOKED, Whole, WholeGame};
use super::{
    Advice, Bot, Clock, Deadline, Effort, KnownValue, MixFileRef, NoAdvice, Question, Standing, Viewpoint,
    Wanted, Worlds, amaf_applies, is_open,
};
use crate::engine::Engine;
use crate::equilibrium::Mix;
use crate::eval::{Chosen, Machine, Position};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::{Entry, Match, Observer, Refused, Rng, Seen};
use crate::solve::{Knowledge, Solution};

#[cfg(feature = "jit")]
pub(super) type Fast = Compiled;
#[cfg(not(feature = "jit"))]
pub(super) type Fast = Machine;

/// Where the worlds are too many to be listed: how many playouts start in known ones for each new one, which takes longer to
/// draw than a playout. The first playouts start in a new world each.
const PLAYOUTS_A_WORLD: u64 = 8;
const FIRST_WORLDS: usize = 16;
/// How many milliseconds people wait for the solution of the whole game before something else is tried.
const SOON_MS: u64 = 500;
/// In how many positions at most a match may be whose rest is solved.
const MAX_POSITIONS: usize = 1000;
/// The part of its time that a bot waits for the solution of the whole game, as long as that is not known to take longer.
const WHOLE_PART: u64 = 4;
/// The most worlds that are kept.
const MAX_WORLDS: usize = 1000;
/// How many times in a row no world may be found before the bot gives up.
const MAX_FAILURES: usize = 3;

/// The engine that bots think with. It is made once per match, since compiling takes time.
#[derive(Debug)]
pub struct Mind {
    pub(super) engine: Fast,
    /// Whether moves are only ever added, so that AMAF applies: see [`amaf_applies`].
    adds: bool,
    whole: WholeGame,
    /// What searches that were given time have proved.
    proofs: Mutex<Knowledge>,
    listings: KeptListings<State>,
}

type State = <Fast as Engine>::State;

/// What the bots of one match keep between their choices: what each seat has seen, and the worlds it may be in. It affects
/// no choice.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// By player, from 1.
    seats: BTreeMap<usize, SeatMemory>,
}

#[derive(Debug, Clone)]
struct SeatMemory {
    observer: Observer,
    listings: Option<Listings<State>>,
}

/// A bot's choice, and what it knows of the rest of the match.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The choice.
    pub entry: Entry,
    /// What the bot knows of the rest of the match.
    pub known: Option<KnownValue>,
}

/// A way to work out advice exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactWay {
    /// From the solution of the whole game, if that is known.
    BySolution,
    /// By a search of the rest of the match to its end that looks at no more than so many positions.
    ToTheEnd {
        /// The most positions.
        positions: u64,
    },
}

impl Mind {
    /// Prepares to think about matches with these rules, options and players.
    pub fn new(machine: &Machine) -> Mind {
        #[cfg(feature = "jit")]
        let engine = Compiled::new(machine.clone());
        #[cfg(not(feature = "jit"))]
        let engine = machine.clone();
        // A fault in these random matches is ignored here; it is reported when play meets it.
        let adds = is_open(&machine.game) && amaf_applies(&engine).unwrap_or(false);
        #[cfg(feature = "jit")]
        let engine = if adds { Compiled::recording(machine.clone()) } else { engine };
        Mind {
            engine,
            adds,
            whole: WholeGame::default(),
            proofs: Mutex::default(),
            listings: KeptListings::default(),
        }
    }

    /// Prepares to think about `played` and other matches with the same setup.
    pub fn of(played: &Match) -> Mind {
        Mind::new(played.machine())
    }

    /// Solves the game as a whole, if that is how positions get exact values in it and it is small enough. Done once;
    /// whoever asks meanwhile waits. `tell` is told how many moves and outcomes have been looked at.
    pub fn solve_whole_game(&self, clock: &dyn Clock, tell: &mut dyn FnMut(u64)) {
        self.whole.solve(&self.engine, MAX_LOOKED, clock, tell);
    }

    /// Looks for the solution of the game for as long as somebody waits for it who wants to know of a choice, unless that was in vain
    /// before.
    pub fn solve_soon(&self, clock: &dyn Clock) {
        self.whole.solve_in(&self.engine, SOON_MS, clock);
    }

    /// Returns the solution of the game that a bot plays by: what it takes part of its time to look for, if it is given time, and
    /// otherwise always the same.
    fn solution_for(&self, bot: Bot, clock: &dyn Clock) -> Option<&Whole> {
        match (bot.solves_whole_game(), bot) {
            (Some(within), _) => {
                self.whole.solve(&self.engine, within, clock, &mut |_| ());
                self.whole.known(within)
            }
            (None, Bot::Auto(Effort::Millis(ms))) => {
                self.whole.solve_in(&self.engine, ms / WHOLE_PART, clock);
                self.whole.known(MAX_LOOKED)
            }
            (None, _) => None,
        }
    }

    /// Returns advice by mixes that a bot plays by, if there are any.
    fn by_mixes_for(
        &self,
        bot: Bot,
        solution: Option<&Whole>,
        seen: &Seen,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Option<Advice> {
        match bot {
            Bot::Auto(Effort::Millis(ms)) => {
                let soon = Deadline::after(clock, ms / WHOLE_PART);
                self.by_mixes(solution, (MAX_LOOKED, true), seen, &soon, rng)
            }
            // A bot that cannot search plays by what it has.
            bot => {
                let within = (bot.solves_whole_game()?, bot != Bot::Exact);
                self.by_mixes(solution, within, seen, clock, rng)
            }
        }
    }

    /// Returns advice by the mix of a seat's information set, if mixes of the whole game are known and there is one, or else are found
    /// for the rest of the match. `near` says whether it must be near enough to rely on it.
    fn by_mixes(
        &self,
        solution: Option<&Whole>,
        (within, near): (u64, bool),
        seen: &Seen,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Option<Advice> {
        let usable = |mix: &&Mix| !near || mix.is_near();
        let of_whole = solution.and_then(Whole::mixes).and_then(|mixes| mixes.at(seen));
        if let Some(mix) = of_whole.filter(usable) {
            return Some(advice_by(mix, seen, rng));
        }
        let positions = || match is_open(&seen.machine().game) {
            true => Some(vec![(seen.trunk.clone(), 1.0)]),
            false if seen.public.is_some() => None,
            false => Worlds::of(&self.engine, seen, &self.listing_of(seen)).all(MAX_POSITIONS),
        };
        let mixes = self.whole.rest(&self.engine, (seen, &positions), within, clock)?;
        mixes.at(seen).filter(usable).map(|mix| advice_by(mix, seen, rng))
    }

    /// Returns the choice of `player` (from 1) made by `bot`. With an effort in playouts, it is always the
    /// same in the same position of the same match.
    pub fn choose(
        &self,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
    ) -> Result<Entry, Refused> {
        self.answer(&mut Memory::default(), played, player, bot, clock).map(|answer| answer.entry)
    }

    /// Like [`Mind::choose`], with a memory for one match; also returns what the bot knows of the end.
    pub fn answer(
        &self,
        memory: &mut Memory,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
    ) -> Result<Answer, Refused> {
        played.must_choose(player)?;
        // Chance events use the streams of the seed itself, so bots have a seed of their own.
        let own = Rng::sub_seed(played.bots_seed(), u64::MAX - player as u64);
        let mut rng = Rng::nth(own, played.entries().count() as u64);
        if bot != Bot::Random && !played.rules.game.nobody_can_win() {
            match self.advise_with_memory(memory, played, player, bot, clock, &mut rng) {
                Ok(advice) => {
                    let entry = played.rules.entry(player - 1, &advice.best);
                    // What a seat expects by its secrets would tell of them.
                    let known = advice.known().filter(|_| is_open(&played.rules.game));
                    return Ok(Answer { entry, known });
                }
                Err(NoAdvice::NoWorld) => {}
                Err(silent) => return Err(refused(played, silent)),
            }
        }
        // A seat knows its own legal moves, whatever is hidden from it, so a random move gives nothing away.
        Ok(Answer { entry: played.random_move(player, &mut rng)?, known: None })
    }

    /// Returns advice for `player` (from 1), who is to choose, based only on what that player knows.
    pub fn advise_player(
        &self,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, Refused> {
        self.advise_player_about(Wanted::Best, played, player, bot, clock, rng)
    }

    /// The same, about what the player wants to know.
    pub(super) fn advise_player_about(
        &self,
        wanted: Wanted,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, Refused> {
        played.must_choose(player)?;
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        self.advise_about(wanted, &seen, bot, clock, rng).map_err(|silent| refused(played, silent))
    }

    fn advise_with_memory(
        &self,
        memory: &mut Memory,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, NoAdvice> {
        let seat = match memory.seats.entry(player) {
            Slot::Occupied(known) => known.into_mut(),
            Slot::Vacant(free) => {
                free.insert(SeatMemory { observer: Observer::new(played, player)?, listings: None })
            }
        };
        let seen = seat.observer.follow(played)?;
        if let Bot::Mix(MixFileRef(file)) = bot {
            return file.advise(seen, rng);
        }
        let solution = self.solution_for(bot, clock);
        if let Some(advice) = self.by_mixes_for(bot, solution, seen, clock, rng) {
            return Ok(advice);
        }
        let listings = seat.listings.get_or_insert_with(|| self.listings.both(&self.engine, seen));
        listings.follow(&self.engine, seen, &self.listings);
        let solution = solution.and_then(Whole::values);
        self.ask_listed((seen, listings), solution, clock, rng, |question, rng| question.ask(bot, rng))
    }

    /// Returns what each seat can expect, based on what `player` (from 1), who is to choose, knows.
    pub fn standing(
        &self,
        played: &Match,
        player: usize,
        effort: Effort,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Standing, Refused> {
        played.must_choose(player)?;
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        let known = self.standing_by_little(&seen, (effort, SEARCHED), clock, rng);
        if let Some(known) = known.map_err(|silent| refused(played, silent))? {
            return Ok(known);
        }
        let weighed = self.ask(&seen, None, clock, rng, |question, rng| question.weigh(None, effort, rng));
        let Weighed { mut standing, best, mixed, .. } = weighed.map_err(|silent| refused(played, silent))?;
        let best = Some(&best).filter(|_| !mixed);
        self.balance((played, &seen), best, (&standing, true), clock, rng)?.correct(&mut standing);
        Ok(standing)
    }

    fn standing_by_little(
        &self,
        seen: &Seen,
        effort: (Effort, u64),
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Option<Standing>, NoAdvice> {
        self.ask(seen, None, clock, rng, |question, rng| question.standing_by_little(effort, rng))
    }

    /// Returns what each seat can expect in a position in which `player` (from 1) is to choose, if the rest of the
    /// match is small enough to be worked out.
    pub fn proved_standing(
        &self,
        played: &Match,
        player: usize,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Option<Standing>, Refused> {
        played.must_choose(player)?;
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        let known = self.whole.known(MAX_LOOKED);
        if let Some(advice) = self.by_mixes(known, (SOON_LOOKED, true), &seen, clock, rng) {
            return Ok(Standing::of_exact(&advice, player - 1, played.machine()));
        }
        let proved = self.ask(&seen, known.and_then(Whole::values), clock, rng, |question, rng| {
            question.proved_standing(rng)
        });
        proved.map_err(|silent| refused(played, silent))
    }

    /// Returns a bot's advice to a seat that is to choose. With an effort in playouts, it depends only on
    /// what the seat knows and on `rng`, and is the same on every machine.
    pub fn advise(
        &self,
        seen: &Seen,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, NoAdvice> {
        self.advise_about(Wanted::Best, seen, bot, clock, rng)
    }

    fn advise_about(
        &self,
        wanted: Wanted,
        seen: &Seen,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, NoAdvice> {
        match bot {
            Bot::Mix(MixFileRef(file)) => file.advise(seen, rng),
            bot => {
                let solution = self.solution_for(bot, clock);
                if let Some(advice) = self.by_mixes_for(bot, solution, seen, clock, rng) {
                    return Ok(advice);
                }
                self.ask(seen, solution.and_then(Whole::values), clock, rng, |question, rng| {
                    question.ask_about(wanted, bot, rng)
                })
            }
        }
    }

    /// Returns exact advice to a seat that is to choose, if it can be worked out in this way.
    pub fn advise_exactly(
        &self,
        seen: &Seen,
        way: ExactWay,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Option<Advice>, NoAdvice> {
        let solution = match way {
            ExactWay::BySolution => {
                let known = self.whole.known(MAX_LOOKED);
                if let Some(advice) = self.by_mixes(known, (SOON_LOOKED, true), seen, clock, rng) {
                    return Ok(Some(advice));
                }
                match known.and_then(Whole::values) {
                    None => return Ok(None),
                    values => values,
                }
            }
            ExactWay::ToTheEnd { .. } => None,
        };
        self.ask(seen, solution, clock, rng, |question, rng| {
            Ok(match way {
                ExactWay::BySolution => question.solve_exactly(rng, Effort::Playouts(0), false)?.ok(),
                ExactWay::ToTheEnd { positions } => {
                    question.solve_exactly(rng, Effort::Playouts(positions), true)?.ok()
                }
            })
        })
    }

    /// Whether [`Mind::advise_by_proof`] applies: exact play is defined for the game, two sides are opposed, and no chance draws.
    pub fn can_prove(&self) -> bool {
        alpha_beta_applies(self.engine.machine())
    }

    /// Returns advice to a seat that is to choose which tells who wins after each move, but not how soon, if a search that looks at
    /// no more than so many positions proves that. Uses what `knowledge` holds of this game, and adds what is found.
    pub fn advise_by_proof(
        &self,
        seen: &Seen,
        (knowledge, positions): (&mut Knowledge, u64),
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Option<Advice>, NoAdvice> {
        let effort = Effort::Playouts(positions);
        self.ask(seen, None, clock, rng, |question, rng| {
            Ok(question.solve_all_moves_by(knowledge, rng, effort, None)?)
        })
    }

    /// Estimates what a choice of a seat, or only one of its moves, is worth to every seat, as far as that
    /// seat knows, and as it judges it: see [`Mind::balance`]. If little effort suffices, the rest of the match is searched to
    /// its end, unless it is about a single move.
    pub fn weigh(
        &self,
        seen: &Seen,
        only: Option<&Chosen>,
        effort: Effort,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Standing, NoAdvice> {
        let known = match only {
            None => self.standing_by_little(seen, (effort, 0), clock, rng)?,
            Some(_) => None,
        };
        match known {
            Some(known) => Ok(known),
            None => self
                .ask(seen, None, clock, rng, |question, rng| question.weigh(only, effort, rng))
                .map(|weighed| weighed.standing),
        }
    }

    /// Returns the position of a match for the engine.
    pub(super) fn state_of(&self, played: &Match) -> State {
        // Nobody reads the events of an imagined match.
        self.engine.state_of(&Position { events: None, ..played.position().clone() })
    }

    /// Returns the worlds that a seat may be in.
    pub(super) fn listing_of(&self, seen: &Seen) -> Arc<Listing<State>> {
        self.listings.of(&self.engine, seen)
    }

    /// Asks a question about a choice, with positions taken from worlds that the seat, or a spectator, may be in.
    pub(super) fn ask<T>(
        &self,
        seen: &Seen,
        solution: Option<&Solution>,
        clock: &dyn Clock,
        rng: &mut Rng,
        what: impl FnOnce(&mut Question<Fast>, &mut Rng) -> Result<T, NoAdvice>,
    ) -> Result<T, NoAdvice> {
        self.ask_listed((seen, &self.listings.both(&self.engine, seen)), solution, clock, rng, what)
    }

    fn ask_listed<T>(
        &self,
        (seen, listings): (&Seen, &Listings<State>),
        solution: Option<&Solution>,
        clock: &dyn Clock,
        rng: &mut Rng,
        what: impl FnOnce(&mut Question<Fast>, &mut Rng) -> Result<T, NoAdvice>,
    ) -> Result<T, NoAdvice> {
        let mut drawn = Drawn::new(&self.engine, seen, listings);
        let mut root = |of: Viewpoint, rng: &mut Rng| drawn.draw(of, rng);
        let mut question = Question {
            engine: &self.engine,
            seat: seen.player() - 1,
            root: &mut root,
            more_roots: &|| {
                let mut drawn = Drawn::new(&self.engine, seen, listings);
                Box::new(move |of, rng| drawn.draw(of, rng))
            },
            clock,
            use_amaf: self.adds,
            solution,
            proofs: &self.proofs,
        };
        let said = what(&mut question, rng);
        if drawn.own.not_found() { Err(NoAdvice::NoWorld) } else { said }
    }
}

/// Positions that are possible as far as a seat knows, and as far as everybody knows.
struct Drawn<'s> {
    own: Positions<'s>,
    /// `None` if nobody knows more than everybody.
    of_all: Option<Positions<'s>>,
}

impl<'s> Drawn<'s> {
    fn new(engine: &'s Fast, seen: &'s Seen, listings: &'s Listings<State>) -> Drawn<'s> {
        let public = seen.public.as_deref().zip(listings.public.as_ref());
        let of_all = public.map(|(seen, listing)| Positions::new(engine, seen, listing));
        Drawn { own: Positions::new(engine, seen, &listings.own), of_all }
    }

    fn draw(&mut self, of: Viewpoint, rng: &mut Rng) -> Option<State> {
        match of {
            Viewpoint::Own => self.own.draw(rng),
            Viewpoint::Public => self.of_all.as_mut()?.draw(rng),
        }
    }
}

/// Positions in which a seat, or a spectator, would have seen what it has seen.
struct Positions<'s> {
    engine: &'s Fast,
    worlds: Worlds<'s, Fast>,
    /// Whether everything is known, so that there is one position.
    one: bool,
    /// All worlds, if they are listed.
    listed: Option<Listed<'s>>,
    drawn: Vec<State>,
    asked: u64,
    failures: usize,
}

impl<'s> Positions<'s> {
    fn new(engine: &'s Fast, seen: &'s Seen, listing: &'s Listing<State>) -> Positions<'s> {
        Positions {
            engine,
            worlds: Worlds::of(engine, seen, listing),
            one: seen.knows_all(),
            listed: listing.worlds().map(Listed::new),
            drawn: Vec::new(),
            asked: 0,
            failures: 0,
        }
    }

    /// Draws a position: of the listed worlds, each as often as it is likely, and of others now and then a new one, else one of
    /// those drawn before. `None` if none was found.
    fn draw(&mut self, rng: &mut Rng) -> Option<State> {
        if let Some(listed) = &self.listed {
            let drawn = listed.draw(self.engine, rng);
            self.failures += usize::from(drawn.is_none());
            return drawn;
        }
        let due = self.drawn.len() < FIRST_WORLDS || self.asked.is_multiple_of(PLAYOUTS_A_WORLD);
        let more = due && !self.one && self.drawn.len() < MAX_WORLDS;
        self.asked += 1;
        while (more || self.drawn.is_empty()) && self.failures < MAX_FAILURES {
            let Some(world) = self.worlds.draw_state(rng) else {
                self.failures += 1;
                continue;
            };
            self.drawn.push(world);
            self.failures = 0;
            return self.drawn.last().cloned();
        }
        match self.drawn.len() {
            0 => None,
            1 => self.drawn.first().cloned(),
            all => self.drawn.get(rng.below_u64(all as u64) as usize).cloned(),
        }
    }

    /// Whether positions were looked for, and none was found.
    fn not_found(&self) -> bool {
        self.drawn.is_empty() && self.failures > 0
    }
}

/// The listed worlds.
struct Listed<'s> {
    worlds: &'s [Branch<State>],
    /// For each world, the weight of all up to it.
    weights: Vec<f64>,
}

impl<'s> Listed<'s> {
    fn new(worlds: &'s [Branch<State>]) -> Listed<'s> {
        let mut weight = 0.0;
        let up_to = |world: &Branch<_>| {
            weight += world.weight;
            weight
        };
        Listed { worlds, weights: worlds.iter().map(up_to).collect() }
    }

    fn draw(&self, engine: &Fast, rng: &mut Rng) -> Option<State> {
        let number = match self.worlds.len() {
            1 => 0,
            all => {
                let at = random_unit(rng) * self.weights.last()?;
                self.weights.partition_point(|weight| *weight <= at).min(all - 1)
            }
        };
        Some(self.worlds.get(number)?.stop.state(engine).clone())
    }
}

/// Turns a bot's failure into the message that is shown at the table.
fn refused(played: &Match, silent: NoAdvice) -> Refused {
    match silent {
        NoAdvice::Broken(fault) => played.broken(&fault),
        NoAdvice::Cannot(sentence) => Refused::new("refused", sentence),
        NoAdvice::NoWorld => Refused::new(
            "refused",
            "found no way the match could have led to what this player sees; the bot `random` can still play",
        ),
    }
}
