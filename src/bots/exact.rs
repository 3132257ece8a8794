//! Exact play: the rest of a match searched to its end, where it is small enough.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::advice::{Advice, Method, MoveStats, Sure};
use super::is_open;
use super::worth::{Proof, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault, Machine, Outcome};
use crate::ir::Interests;
use crate::solve::{Goal, Halt, Knowledge, Solution, Solved, Task, Worth, has_chance, shortest, solve};

/// How many choices ahead it looks at most: each takes a frame of the stack.
const MAX_DEPTH: usize = 200;

/// Of more moves than this none are listed.
const MAX_MOVES: u64 = 4000;

/// How many bytes the positions may take that [`solve`] keeps.
pub(super) const MEMORY: u64 = 1 << 28;

/// Why there is no exact play of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotExact {
    /// Something is hidden.
    Hidden,
    /// Several seats choose at the same time.
    Together,
    /// Of some moves there are so many that only some are tried.
    Sampled,
    /// Chance draws, and more than two sides play.
    ChanceAmongMany,
    /// Chance draws, and the graph of all positions was not to be built.
    Chance,
    /// One of more than two sides decides, among moves equally good for itself, what the seat gets.
    Kingmaker,
    /// Positions come again.
    GoesRound,
    /// A match has too many choices to be followed.
    TooLong,
    /// A seat has too many moves to choose from, or a draw too many outcomes.
    TooWide,
    /// There are more positions than were to be looked at.
    TooManyPositions,
}

/// Whether alpha–beta search can find out who wins: exact play is defined for the game, two sides are opposed, and no chance
/// draws.
pub(super) fn alpha_beta_applies(machine: &Machine) -> bool {
    NotExact::of_game(machine).is_none() && machine.sides().len() == 2 && !has_chance(&machine.game)
}

impl NotExact {
    /// Returns why exact play is not defined for a game at all, whatever its size; `None` if it is: nothing is hidden, seats
    /// choose one at a time, all moves are tried, and where chance draws there are at most two sides.
    pub fn of_game(machine: &Machine) -> Option<NotExact> {
        match () {
            () if !is_open(&machine.game) => Some(NotExact::Hidden),
            () if machine.game.choices.iter().any(|choice| choice.together) => Some(NotExact::Together),
            () if machine.game.choices.iter().any(|choice| machine.game.samples_moves(choice)) => {
                Some(NotExact::Sampled)
            }
            () if has_chance(&machine.game) && machine.sides().len() > 2 => Some(NotExact::ChanceAmongMany),
            () => None,
        }
    }

    /// Whether the search was too small, rather than exact play not defined.
    pub fn is_of_size(self) -> bool {
        use NotExact::{Chance, GoesRound, TooLong, TooManyPositions, TooWide};
        matches!(self, Chance | GoesRound | TooLong | TooWide | TooManyPositions)
    }

    /// Returns the reason why the solver stopped.
    pub fn of_halt(halt: &Halt) -> NotExact {
        match halt {
            Halt::GoesRound | Halt::NoSuchValue => NotExact::GoesRound,
            Halt::TooDeep => NotExact::TooLong,
            Halt::TooManyOutcomes(_) | Halt::TooLarge => NotExact::TooWide,
            Halt::NotOpen => NotExact::Hidden,
            Halt::Interrupted | Halt::OutOfMemory(_) | Halt::Fault(_) => NotExact::TooManyPositions,
        }
    }
}

/// Writes the reason as a sentence without a full stop.
impl fmt::Display for NotExact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotExact::Hidden => write!(f, "something is hidden in this game"),
            NotExact::Together => write!(f, "several choose at the same time in this game"),
            NotExact::Sampled => write!(f, "some moves take any number, of which only some are tried"),
            NotExact::ChanceAmongMany => {
                write!(
                    f,
                    "chance draws in this game and more than two sides play, so that exact play is not defined"
                )
            }
            NotExact::Chance => write!(f, "chance draws in this game"),
            NotExact::Kingmaker => write!(
                f,
                "more than two play against each other, and the choice between moves that are equally good for one can decide \
                 which of the others wins, so that exact play is not defined"
            ),
            NotExact::GoesRound => write!(f, "positions come again in this game"),
            NotExact::TooLong => write!(f, "a match can have more than {MAX_DEPTH} choices"),
            NotExact::TooWide => write!(f, "there are too many moves or outcomes to be listed"),
            NotExact::TooManyPositions => write!(f, "there are too many positions"),
        }
    }
}

/// The best move of the seat to choose in a position, by all that can follow; or the reason why it cannot be known, such as that
/// `goes_on`, asked with the number of positions looked at so far, says no.
///
/// A search with a table of positions prefers quick wins and late losses. Where chance draws, positions come again or one side
/// plays alone for its score, [`solve`] builds the graph of all positions instead, if `builds_graph` allows it: that takes much
/// longer before it turns out to be too much.
pub fn exact<E: Engine>(
    engine: &E,
    state: &E::State,
    goes_on: &dyn Fn(u64) -> bool,
    builds_graph: bool,
) -> Result<Result<Advice, NotExact>, Fault> {
    Ok(exactly(engine, state, goes_on, builds_graph)?.advice)
}

/// What can be said exactly of a choice.
pub(super) struct Exactly {
    /// The best move with its value.
    pub advice: Result<Advice, NotExact>,
    /// The moves whose value is exact, best first, if those of others are not.
    pub settled: Vec<MoveStats>,
    /// The moves whose value depends on a seat that gains nothing by it.
    pub kingmaker: Vec<Chosen>,
}

impl From<NotExact> for Exactly {
    fn from(why: NotExact) -> Exactly {
        Exactly { advice: Err(why), settled: Vec::new(), kingmaker: Vec::new() }
    }
}

/// Like [`exact`]; if that is not known of all moves, also returns those of which it is known.
pub(super) fn exactly<E: Engine>(
    engine: &E,
    state: &E::State,
    goes_on: &dyn Fn(u64) -> bool,
    builds_graph: bool,
) -> Result<Exactly, Fault> {
    if let Some(why) = NotExact::of_game(engine.machine()) {
        return Ok(why.into());
    }
    let chance = has_chance(&engine.machine().game);
    let no_graph = if chance { NotExact::Chance } else { NotExact::TooManyPositions };
    let mut stepper = engine.stepper();
    let Turn::Choice { seats, .. } = stepper.turn(state) else { return Ok(no_graph.into()) };
    let seat = seats.trailing_zeros() as usize;
    if stepper.count(state, seat)? > MAX_MOVES {
        return Ok(NotExact::TooWide.into());
    }
    let by_graph = || {
        let advice = by_solving(engine, state, seat, goes_on)?;
        Ok(Exactly { advice, settled: Vec::new(), kingmaker: Vec::new() })
    };
    if chance || plays_for_score(engine.machine()) {
        return if builds_graph { by_graph() } else { Ok(no_graph.into()) };
    }
    let searched = search_to_the_end(engine, stepper, state, seat, goes_on)?;
    let solves = engine.machine().sides().len() <= 2;
    if builds_graph && solves && searched.missing == Some(NotExact::GoesRound) {
        return by_graph();
    }
    // Nothing is better than a move that wins.
    let wins = searched.moves.first().is_some_and(|best| best.value == 1.0);
    let (missing, settled) = match searched.missing {
        Some(_) => {
            (searched.missing.filter(|why| !(wins && *why == NotExact::Kingmaker)), searched.moves.clone())
        }
        None => (None, Vec::new()),
    };
    let kingmaker = searched.kingmaker.clone();
    let advice = match missing {
        Some(why) => Err(why),
        None => searched.advice().ok_or(NotExact::TooManyPositions),
    };
    Ok(Exactly { advice, settled, kingmaker })
}

/// What a search to the end of the match has found out about a choice.
struct Searched {
    /// The moves whose value is exact, best first.
    moves: Vec<MoveStats>,
    /// Why there are others.
    missing: Option<NotExact>,
    /// The moves whose value depends on a seat that gains nothing by it.
    kingmaker: Vec<Chosen>,
    /// How many positions were looked at.
    looked: u64,
    /// A line of best play that begins with the first move.
    line: Vec<(usize, Chosen)>,
}

impl Searched {
    fn advice(self) -> Option<Advice> {
        let advice = Advice::of(self.moves, Method::Exact)?;
        Some(Advice { playouts: self.looked, line: self.line, ..advice })
    }
}

fn search_to_the_end<'e, E: Engine>(
    engine: &'e E,
    stepper: E::Stepper<'e>,
    state: &E::State,
    seat: usize,
    goes_on: &'e dyn Fn(u64) -> bool,
) -> Result<Searched, Fault> {
    let (seats, sides) = (engine.machine().setup.players, engine.machine().sides().len());
    let mut solver = Solver {
        engine,
        stepper,
        seats,
        sides,
        looked: 0,
        goes_on,
        exact_lengths: false,
        known: HashMap::new(),
        why: None,
    };
    let legal = solver.stepper.legal(state, seat)?;
    let mut ends = solver.ends(state, seat, &legal)?;
    let mut missing = solver.why.take();
    if missing.is_none() {
        // Who wins is known now; how soon takes a search of its own, for which the effort may not suffice.
        (solver.exact_lengths, solver.known) = (true, HashMap::new());
        let better = solver.ends(state, seat, &legal)?;
        if solver.why.is_none() {
            ends = better;
        }
    }
    let (mut moves, mut kingmaker) = (Vec::with_capacity(legal.len()), Vec::new());
    for (chosen, ends) in legal.into_iter().zip(ends) {
        let Some(value) = ends.share(seat, seats) else {
            missing.get_or_insert(NotExact::Kingmaker);
            kingmaker.push(chosen);
            continue;
        };
        let end = ends.one();
        moves.push(MoveStats { visits: 1, sure: Sure::Certain, end, ..MoveStats::new(chosen, value) });
    }
    let rank = |weighed: &MoveStats| settled_rank(weighed, seat, seats);
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    let line = match moves.first() {
        Some(first) => solver.line(state, seat, first)?,
        None => Vec::new(),
    };
    Ok(Searched { moves, missing, kingmaker, looked: solver.looked, line })
}

/// Returns a sort key of a move whose value is exact, greater for better moves: those that win soonest or lose last come before
/// others of the same value.
pub(super) fn settled_rank(weighed: &MoveStats, seat: usize, seats: usize) -> (f64, Option<(f64, f64)>) {
    (weighed.value, weighed.end.map(|end| end.rank(seat, seats)))
}

/// The best move of a seat (from 0) of at most two sides, with the expected value of each move.
fn by_solving<E: Engine>(
    engine: &E,
    state: &E::State,
    seat: usize,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Result<Advice, NotExact>, Fault> {
    let machine = engine.machine();
    let goal = Goal::usual(machine);
    let task = Task { value_all_moves: true, fractions: false, symmetries: false, ..Task::new(goal, MEMORY) };
    let solved = solve(engine, state, &task, &mut Knowledge::default(), goes_on).map_err(|fault| *fault)?;
    match &solved.halted {
        Some(halt) => Ok(Err(NotExact::of_halt(halt))),
        None => Ok(by_solution(machine, with_shortest_line(engine, state, solved, goes_on), seat)),
    }
}

/// Replaces the line of best play of a single side by the shortest one, so that who follows it makes progress.
fn with_shortest_line<E: Engine>(
    engine: &E,
    state: &E::State,
    solved: Solved,
    goes_on: &dyn Fn(u64) -> bool,
) -> Solved {
    let (machine, Some(Worth::Exact(worth))) = (engine.machine(), solved.worth.first()) else {
        return solved;
    };
    if machine.sides().len() > 1 {
        return solved;
    }
    match shortest(engine, state, Goal::usual(machine), worth, goes_on) {
        Ok(Some(line)) => Solved { line, ..solved },
        _ => solved,
    }
}

/// The best move of the seat that is to choose (from 0), of at most two sides, in a position of a game that was solved as a whole;
/// `None` if it is no position of that game.
pub fn exact_by<E: Engine>(
    solution: &Solution,
    engine: &E,
    state: &E::State,
) -> Result<Option<Advice>, Fault> {
    let Some(seat) = engine.stepper().turn(state).seat() else { return Ok(None) };
    match solution.at(engine, state) {
        Ok(Some(solved)) => {
            let solved = with_shortest_line(engine, state, solved, &|_| true);
            Ok(by_solution(engine.machine(), solved, seat).ok())
        }
        Err(Halt::Fault(fault)) => Err(*fault),
        Ok(None) | Err(_) => Ok(None),
    }
}

/// The best move of a seat (from 0) in a solved position.
pub(super) fn by_solution(machine: &Machine, solved: Solved, seat: usize) -> Result<Advice, NotExact> {
    let (goal, sides) = (Goal::usual(machine), machine.sides().len());
    let mut moves = Vec::new();
    for first in &solved.first {
        let worth = first.worth[seat].settled().ok_or(NotExact::GoesRound)?;
        let figure = goal.score_or_share(worth, sides);
        let (value, score) = match goal {
            Goal::Points { .. } => (1.0, Some(figure)),
            Goal::Win => (figure, None),
        };
        let known = MoveStats::new(first.chosen.clone(), value);
        moves.push((worth, MoveStats { score, visits: 1, sure: Sure::Expected, ..known }));
    }
    // Where positions come again, not every move that keeps the value makes progress: the first of the line does.
    let best = solved.line.first().map(|(_, chosen)| chosen.clone());
    let rank = |(worth, weighed): &(f64, MoveStats)| (Some(&weighed.chosen) == best.as_ref(), *worth);
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    let moves = moves.into_iter().map(|(_, weighed)| weighed).collect();
    let (playouts, line) = (solved.positions, solved.line);
    let advice = Advice::of(moves, Method::Exact).map(|advice| Advice { playouts, line, ..advice });
    advice.ok_or(NotExact::TooManyPositions)
}

/// How a match may end from a position if all play their best: in one way, or in several ways if somebody who gains nothing by it
/// decides among them. These are the results of all subgame-perfect equilibria in pure strategies.
#[derive(Debug, Clone, PartialEq)]
enum Ends {
    One(Proof),
    Several(Rc<[Proof]>),
}

impl Ends {
    fn all(&self) -> &[Proof] {
        match self {
            Ends::One(end) => std::slice::from_ref(end),
            Ends::Several(ends) => ends,
        }
    }

    /// Returns the end if there is one only.
    fn one(&self) -> Option<Proof> {
        match self {
            Ends::One(end) => Some(*end),
            Ends::Several(_) => None,
        }
    }

    /// Returns the same ends as seen one choice earlier.
    fn before(self) -> Ends {
        match self {
            Ends::One(end) => Ends::One(end.before()),
            several @ Ends::Several(_) => several,
        }
    }

    /// Returns the share of the win that a seat gets at each of the ends, if it is the same.
    fn share(&self, seat: usize, seats: usize) -> Option<f64> {
        let mut shares = self.all().iter().map(|end| end.share(seat, seats));
        let first = shares.next()?;
        shares.all(|share| share == first).then_some(first)
    }

    /// Returns the ends if a seat has the choice between these and others: it can count on the better one of what it gets at
    /// the worst end of each.
    fn or(self, others: Ends, seat: usize, (seats, sides): (usize, usize)) -> Ends {
        if let (Ends::One(own), Ends::One(other)) = (&self, &others)
            && (sides <= 2
                || own.winners == other.winners
                || own.share(seat, seats) != other.share(seat, seats))
        {
            return if other.rank(seat, seats) > own.rank(seat, seats) { others } else { self };
        }
        let worst = |ends: &Ends| ends.all().iter().map(|end| end.share(seat, seats)).fold(1.0, f64::min);
        let least = worst(&self).max(worst(&others));
        let both = self.all().iter().chain(others.all());
        let kept = both.filter(|end| end.share(seat, seats) >= least);
        // How soon it comes to one of several ends depends on the choice among them.
        let mut kept: Vec<Proof> = kept.map(|end| Proof { choices: Proof::SOME, ..*end }).collect();
        kept.sort_by_key(|end| end.winners);
        kept.dedup();
        match kept.as_slice() {
            [end] => Ends::One(*end),
            _ => Ends::Several(kept.into()),
        }
    }
}

/// Who wins from each position, as far as it was looked at: every side plays for the greatest share of the win, and among
/// equals for a win soon or a loss late. Unless lengths are to be exact, the first win that is found is taken: the match
/// then ends after no more choices than are said.
struct Solver<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    seats: usize,
    sides: usize,
    /// How many positions have been looked at, and whether to go on with so many.
    looked: u64,
    goes_on: &'e dyn Fn(u64) -> bool,
    /// Whether to look for the soonest win.
    exact_lengths: bool,
    /// By key of position; `None` for one that is being looked at, or that could not be solved.
    known: HashMap<Vec<u64>, Option<Ends>>,
    /// Why the search has stopped.
    why: Option<NotExact>,
}

impl<E: Engine> Solver<'_, E> {
    fn interests(&self) -> Interests {
        self.engine.machine().interests
    }

    /// Stops the search for a reason.
    fn stop(&mut self, why: NotExact) -> Result<Option<Ends>, Fault> {
        self.why = Some(why);
        Ok(None)
    }

    /// How a match may end after each of the legal moves of a seat, up to the first one after which that cannot be known.
    fn ends(&mut self, state: &E::State, seat: usize, legal: &[Chosen]) -> Result<Vec<Ends>, Fault> {
        let mut ends = Vec::with_capacity(legal.len());
        for chosen in legal {
            let mut next = state.clone();
            self.stepper.choose(&mut next, seat, chosen.clone())?;
            let Some(end) = self.solve(&next, 0)? else { break };
            ends.push(end.before());
        }
        Ok(ends)
    }

    /// Returns a line of best play that begins with a move: seats (from 0) and their moves.
    fn line(
        &mut self,
        state: &E::State,
        seat: usize,
        first: &MoveStats,
    ) -> Result<Vec<(usize, Chosen)>, Fault> {
        let (mut line, mut next) = (vec![(seat, first.chosen.clone())], state.clone());
        self.stepper.choose(&mut next, seat, first.chosen.clone())?;
        while let (Some(end @ Ends::One(_)), Turn::Choice { seats, .. }) =
            (self.solve(&next, 0)?, self.stepper.turn(&next))
        {
            let seat = seats.trailing_zeros() as usize;
            let mut found = None;
            for chosen in self.stepper.legal(&next, seat)? {
                let mut after = next.clone();
                self.stepper.choose(&mut after, seat, chosen.clone())?;
                if self.solve(&after, 0)?.map(Ends::before).as_ref() == Some(&end) {
                    found = Some((chosen, after));
                    break;
                }
            }
            let Some((chosen, after)) = found else { break };
            line.push((seat, chosen));
            next = after;
        }
        Ok(line)
    }

    /// How a match may end from a position; `None` where that cannot be known.
    fn solve(&mut self, state: &E::State, depth: usize) -> Result<Option<Ends>, Fault> {
        let seat = match self.stepper.turn(state) {
            Turn::Over => {
                let end = |outcome: Outcome| Ends::One(Proof::of(&outcome.winners, self.interests()));
                return Ok(self.engine.outcome(state).map(end));
            }
            Turn::Choice { seats, .. } if seats.count_ones() == 1 => seats.trailing_zeros() as usize,
            _ => return self.stop(NotExact::Together),
        };
        if depth == MAX_DEPTH {
            return self.stop(NotExact::TooLong);
        }
        let mut key = Vec::new();
        self.stepper.lasting_key(state, &mut key);
        match self.known.get(&key) {
            Some(Some(known)) => return Ok(Some(known.clone())),
            // The search ends at the first position that cannot be solved, so this one is still being looked at.
            Some(None) => return self.stop(NotExact::GoesRound),
            None => {}
        }
        if !(self.goes_on)(self.looked) {
            return self.stop(NotExact::TooManyPositions);
        }
        self.looked += 1;
        self.known.insert(key.clone(), None);
        // Moves that have no numbers are listed with their arguments.
        let (ids, chosen) = match self.stepper.list(state, seat)?.map(<[u32]>::to_vec) {
            Some(ids) => (ids, Vec::new()),
            None if self.stepper.count(state, seat)? > MAX_MOVES => return self.stop(NotExact::TooWide),
            None => (Vec::new(), self.stepper.legal(state, seat)?),
        };
        let mut successors = Vec::with_capacity(ids.len() + chosen.len());
        for id in ids {
            let mut next = state.clone();
            self.stepper.make(&mut next, seat, id)?;
            successors.push(next);
        }
        for chosen in chosen {
            let mut next = state.clone();
            self.stepper.choose(&mut next, seat, chosen)?;
            successors.push(next);
        }
        let ends = successors.iter().filter_map(|next| self.engine.outcome(next));
        let mut ends = ends.map(|outcome| Proof::of(&outcome.winners, self.interests()));
        if let Some(win) = ends.find(|end| end.wins(seat)) {
            let end = Ends::One(win.before());
            self.known.insert(key, Some(end.clone()));
            return Ok(Some(end));
        }
        let mut best: Option<Ends> = None;
        for next in successors {
            let Some(end) = self.solve(&next, depth + 1)? else { return Ok(None) };
            let end = end.before();
            if !self.exact_lengths && end.one().is_some_and(|end| end.wins(seat)) {
                // Whatever the other moves lead to, this is as good.
                best = Some(end);
                break;
            }
            best = Some(match best {
                Some(best) => best.or(end, seat, (self.seats, self.sides)),
                None => end,
            });
        }
        self.known.insert(key, best.clone());
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Position;
    use crate::play::Rules;
    use crate::source::Source;

    /// Returns the winners at the ends of all equilibria, from the definition: a seat may make a move that ends so if, after each
    /// other move, an end may follow that is no better for it.
    fn equilibria(machine: &Machine, state: &Position) -> Vec<u64> {
        let seats = machine.setup.players;
        let stepper = machine.stepper();
        let Turn::Choice { seats: seat, .. } = stepper.turn(state) else {
            let winners = Engine::outcome(machine, state).unwrap().winners;
            return vec![Proof::of(&winners, Interests::Opposed).winners];
        };
        let seat = seat.trailing_zeros() as usize;
        let after = after_each(machine, state, seat);
        let share =
            |winners: u64| Proof { winners, choices: 0, interests: Interests::Opposed }.share(seat, seats);
        let mut all = Vec::new();
        for (at, ends) in after.iter().enumerate() {
            let others = || after.iter().enumerate().filter(|(other, _)| *other != at);
            let holds =
                |end: &u64| others().all(|(_, ends)| ends.iter().any(|other| share(*other) <= share(*end)));
            all.extend(ends.iter().copied().filter(holds));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn after_each(machine: &Machine, state: &Position, seat: usize) -> Vec<Vec<u64>> {
        let mut stepper = machine.stepper();
        let legal = stepper.legal(state, seat).unwrap().into_iter();
        let after = legal.map(|chosen| {
            let mut next = state.clone();
            machine.stepper().choose(&mut next, seat, chosen).unwrap();
            equilibria(machine, &next)
        });
        after.collect()
    }

    /// Of three, one who loses anyway decides who of the others wins.
    #[test]
    fn a_value_is_exact_if_it_does_not_depend_on_who_gains_nothing() {
        let heap = |stones: usize| {
            format!(
                "game \"Heap\" {{ players 3 }}\ntable {{ heap: 0..20 = {stones} }}\n\
                 move take(k in 1..3) {{\n  need k <= heap else \"too many\"\n  heap -= k\n}}\n\
                 play {{ turns until stuck {{ take }} }}\nwinner last mover\n"
            )
        };
        let row = "game \"Row\" { players 3 }\ntable { taken: set of 1..7 = {} }\neach player { sum_taken: 0..30 = 0 }\n\
                   move take(k in 1..7) {\n  need k not in taken and k - 1 not in taken and k + 1 not in taken else \"beside another\"\n\
                   taken += k\n me.sum_taken += k }\nplay { turns until stuck { take } }\nwinner highest me.sum_taken\n";
        let gift = "game \"Gift\" { players 3 }\neach player { gifts: 0..3 = 0 }\nmove wait(turns in 1..2) { }\n\
                    move give(to in players where to != me) { to.gifts += 1 }\n\
                    play { ask seat(1) to wait\n ask seat(1) to give }\nwinner highest me.gifts\n";
        let (mut certain, mut open, mut several) = (0, 0, 0);
        for text in (3..12).map(heap).chain([row, gift].map(str::to_string)) {
            let rules = Rules::load(Source::new("three.game", &text)).unwrap();
            let machine = rules.machine(&Default::default(), 3).unwrap();
            let state = Machine::start(&machine).unwrap();
            let found = exactly(&machine, &state, &|_| true, false).unwrap();
            let Exactly { advice, settled, kingmaker } = found;
            let told = match (&advice, settled.is_empty()) {
                (Ok(advice), true) => advice.moves.clone(),
                _ => settled,
            };
            let legal = machine.stepper().legal(&state, 0).unwrap();
            for (chosen, ends) in legal.into_iter().zip(after_each(&machine, &state, 0)) {
                let share =
                    |winners: u64| Proof { winners, choices: 0, interests: Interests::Opposed }.share(0, 3);
                let exact = ends.iter().all(|end| share(*end) == share(ends[0]));
                let said = told.iter().find(|weighed| weighed.chosen == chosen);
                assert_eq!(said.is_some(), exact, "{text}{chosen:?}: {ends:?}");
                assert_eq!(kingmaker.contains(&chosen), !exact, "{text}{chosen:?}: {ends:?}");
                certain += usize::from(exact);
                open += usize::from(!exact);
                let Some(said) = said else { continue };
                assert_eq!((said.value, said.sure), (share(ends[0]), Sure::Certain), "{text}{chosen:?}");
                assert_eq!(
                    said.end.map(|end| end.winners),
                    Some(ends[0]).filter(|_| ends.len() == 1),
                    "{text}"
                );
                several += usize::from(ends.len() > 1);
            }
            let all = told.len() == machine.stepper().legal(&state, 0).unwrap().len();
            assert_eq!(advice.is_ok(), all || told.first().is_some_and(|best| best.value == 1.0), "{text}");
        }
        assert!(certain > 5 && open > 5 && several > 0, "{certain} {open} {several}");
    }
}
