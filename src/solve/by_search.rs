//! Solving by search: the values of a position and its moves, found step by step, and the line of best play.
//!
//! Alpha–beta search needs fewer positions where matches are of one length and most moves are alike, proof-number
//! search where one side soon runs out of moves or a few moves decide. Neither can be told from the rules, so both take
//! turns, and each uses what the other has proved: together they need at most about four times what the better needs.

use super::payoff::{Goal, Payoffs, share_of_rank};
use super::search::Search;
use super::symmetry::symmetries;
use super::table::TranspositionTable;
use super::{
    Halt, Knowledge, LineEnd, MAX_LINE, Method, RootMove, Solved, Task, Watch, Worth, balances, best_first,
    moves, position_after,
};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::Chosen;

/// How many positions each method of search may visit before the other one tries; twice as many each time after that.
const FIRST_TURN: u64 = 1 << 22;

/// The lower and the upper bound on a value to the side that is searched for.
type Bounds = (i32, i32);

/// Solves a position for one or two sides, or for each of several sides against all others.
pub fn solve<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    knowledge: &mut Knowledge,
    watch: &Watch,
) -> Result<Solved, Halt> {
    let payoffs = Payoffs::of(engine.machine(), task.goal);
    let sides = payoffs.sides;
    let searches = if sides > 2 { sides } else { 1 };
    let mut stepper = engine.stepper();
    let legal = moves(&mut stepper, start)?;
    let seat = stepper.turn(start).seat();
    let motions = if task.symmetries { symmetries(engine.machine()) } else { Vec::new() };
    let tables: Vec<TranspositionTable> = std::mem::take(knowledge.tables(engine, searches, task));
    let mut found = Progress {
        start,
        legal: &legal,
        // With several sides, every move needs its own value to tell which is best for one of them.
        value_all_moves: task.value_all_moves || sides > 2,
        root: Vec::new(),
        moves: Vec::new(),
        line: (Vec::new(), LineEnd::Unfinished),
        visited: 0,
        numbers: false,
        halted: None,
    };
    let chooses = seat.map(|seat| payoffs.side(seat));
    let mut kept = Vec::new();
    for (of, table) in tables.into_iter().enumerate() {
        let before = found.visited;
        let watched = |looked: u64| watch(before + looked);
        let mut search =
            Search::new(engine, payoffs.clone(), of, table, task.memory_of_numbers(), &motions, &watched);
        let lines = of == chooses.unwrap_or(0) || searches == 1;
        found.search(&mut search, whole_range(task.goal, sides), sides == 1, lines);
        found.visited += search.visited;
        found.numbers |= !search.numbers.is_empty();
        kept.push(search.table);
    }
    if matches!(found.halted, Some(Halt::GoesRound | Halt::TooDeep | Halt::NotOpen | Halt::Fault(_))) {
        return Err(found.halted.unwrap_or(Halt::Interrupted));
    }
    *knowledge.tables(engine, 0, task) = kept;
    let mover = if searches == 1 { 0 } else { chooses.unwrap_or(0) };
    let mut first: Vec<RootMove> = (0..legal.len())
        .map(|nth| {
            let worth = worths(found.moves.iter().map(|moves| moves[nth]), &payoffs);
            RootMove {
                chosen: legal[nth].clone(),
                balance: balances(&worth, &payoffs),
                worth,
                best: is_best(found.root[mover], found.moves[mover][nth], chooses == Some(mover)),
            }
        })
        .collect();
    best_first(&mut first, seat.unwrap_or(0));
    let worth = worths(found.root.iter().copied(), &payoffs);
    Ok(Solved {
        method: if found.numbers { Method::ProofNumbers } else { Method::AlphaBeta },
        balance: balances(&worth, &payoffs),
        worth,
        seat,
        first,
        draws: Vec::new(),
        line: found.line.0,
        line_end: found.line.1,
        is_shortest: false,
        positions: found.visited,
        endless: false,
        ties_decide: false,
        symmetries: motions.iter().map(|(motion, _)| motion.words()).collect(),
        halted: found.halted,
    })
}

/// Whether a move is known to have the same value as the position, whose value has to be known.
fn is_best(root: Bounds, (lower, upper): Bounds, mine: bool) -> bool {
    root.0 == root.1 && if mine { lower >= root.1 } else { upper <= root.0 }
}

/// Converts the bounds of each search to values by seat; with two sides, one's gain is the other's loss.
fn worths(bounds: impl Iterator<Item = Bounds>, payoffs: &Payoffs) -> Vec<Worth> {
    let (sides, goal) = (payoffs.sides, payoffs.goal);
    let share = |rank: i32| share_of_rank(i64::from(rank), sides);
    let worth = |(lower, upper): Bounds| match (lower == upper, goal.plays_for_shares(sides)) {
        (true, true) => Worth::Exact(share(lower)),
        (false, true) => Worth::Between(share(lower).to_f64(), share(upper).to_f64()),
        (true, false) => Worth::whole(i64::from(lower)),
        (false, false) => {
            let ((least, most), unknown) = (whole_range(goal, sides), super::unknown(goal, sides).bounds());
            let lower = if lower <= least { unknown.0 } else { f64::from(lower) };
            let upper = if upper >= most { unknown.1 } else { f64::from(upper) };
            Worth::Between(lower, upper)
        }
    };
    let mut all: Vec<Worth> = bounds.map(worth).collect();
    if sides == 2 {
        all.push(all[0].negative());
    }
    payoffs.by_seat(&all)
}

/// Returns the least and the greatest possible payoff.
fn whole_range(goal: Goal, sides: usize) -> Bounds {
    match goal {
        Goal::Win if goal.plays_for_shares(sides) => (0, i32::try_from(sides).unwrap_or(i32::MAX)),
        Goal::Win => (-1, 1),
        Goal::Points { .. } => (i32::MIN, i32::MAX),
    }
}

/// What has been found so far.
struct Progress<'f, E: Engine> {
    start: &'f E::State,
    legal: &'f [Chosen],
    value_all_moves: bool,
    /// The bounds on the value of the position, by search.
    root: Vec<Bounds>,
    /// The bounds on the values of its moves, by search.
    moves: Vec<Vec<Bounds>>,
    line: (Vec<(usize, Chosen)>, LineEnd),
    visited: u64,
    /// Whether proof-number search took part.
    numbers: bool,
    halted: Option<Halt>,
}

impl<E: Engine> Progress<'_, E> {
    /// Searches for one side. If the search is halted, what has been proved until then is kept.
    fn search(&mut self, search: &mut Search<'_, E>, range: Bounds, alone: bool, lines: bool) {
        let mut root = range;
        let mut moves = vec![range; self.legal.len()];
        if self.halted.is_none() {
            let halted = self.prove(search, alone, lines, &mut root, &mut moves);
            self.halted = halted.err();
        }
        self.root.push(root);
        self.moves.push(moves);
    }

    fn prove(
        &mut self,
        search: &mut Search<'_, E>,
        alone: bool,
        lines: bool,
        root: &mut Bounds,
        moves: &mut [Bounds],
    ) -> Result<(), Halt> {
        // An earlier search may have found bounds already.
        let known = search.known(self.start)?;
        *root = (root.0.max(known.lower), root.1.min(known.upper));
        let halted = mtd_f(search, self.start, root, alone);
        let mut behind_moves = Vec::new();
        for (chosen, bounds) in self.legal.iter().zip(moves.iter_mut()) {
            let next = position_after(&mut search.stepper, self.start, chosen)?;
            let known = search.known(&next)?;
            *bounds = (bounds.0.max(known.lower), bounds.1.min(known.upper));
            behind_moves.push(next);
        }
        let maximises = search.maximises(self.start);
        if !moves.is_empty() {
            let best = |of: fn(&Bounds) -> i32| {
                let all = moves.iter().map(of);
                if maximises { all.max() } else { all.min() }.unwrap_or(0)
            };
            *root = (root.0.max(best(|bounds| bounds.0)), root.1.min(best(|bounds| bounds.1)));
        }
        halted?;
        for (next, bounds) in behind_moves.iter().zip(moves.iter_mut()) {
            // No move is better than the position.
            if maximises {
                bounds.1 = bounds.1.min(root.1);
            } else {
                bounds.0 = bounds.0.max(root.0);
            }
            match self.value_all_moves {
                true => mtd_f(search, next, bounds, alone)?,
                false => ask_reaches(search, next, bounds, root.0, maximises)?,
            }
        }
        if lines {
            self.follow(search, root.0, moves)?;
        }
        Ok(())
    }

    /// Follows best play from the start, whose value is `worth`.
    fn follow(&mut self, search: &mut Search<'_, E>, worth: i32, moves: &[Bounds]) -> Result<(), Halt> {
        let mut state = self.start.clone();
        let is_so = |(lower, upper): &Bounds| *lower == worth && *upper == worth;
        let mut nth = moves.iter().position(is_so);
        while self.line.0.len() < MAX_LINE {
            let Turn::Choice { seats, .. } = search.stepper.turn(&state) else {
                self.line.1 = LineEnd::Over;
                return Ok(());
            };
            let legal = super::moves(&mut search.stepper, &state)?;
            let nth = match nth.take() {
                Some(nth) => nth,
                None => self.find_keeping_move(search, &state, &legal, worth)?,
            };
            let Some(chosen) = legal.get(nth) else { return Ok(()) };
            let next = position_after(&mut search.stepper, &state, chosen)?;
            self.line.0.push((seats.trailing_zeros() as usize, chosen.clone()));
            state = next;
        }
        Ok(())
    }

    /// Returns the number of the first move that keeps the value of a position. Moves known to keep it come
    /// before those that need a search; the result is `legal.len()` if there is none.
    fn find_keeping_move(
        &self,
        search: &mut Search<'_, E>,
        state: &E::State,
        legal: &[Chosen],
        worth: i32,
    ) -> Result<usize, Halt> {
        let maximises = search.maximises(state);
        let mut behind_moves = Vec::new();
        for (nth, chosen) in legal.iter().enumerate() {
            let next = position_after(&mut search.stepper, state, chosen)?;
            let known = search.known(&next)?;
            let keeps = if maximises { known.lower >= worth } else { known.upper <= worth };
            if keeps {
                return Ok(nth);
            }
            behind_moves.push((next, (known.lower, known.upper)));
        }
        for (nth, (next, bounds)) in behind_moves.iter_mut().enumerate() {
            ask_reaches(search, next, bounds, worth, maximises)?;
            if if maximises { bounds.0 >= worth } else { bounds.1 <= worth } {
                return Ok(nth);
            }
        }
        Ok(legal.len())
    }
}

/// Asks whether the position after a move is worth as much as the best move.
fn ask_reaches<E: Engine>(
    search: &mut Search<'_, E>,
    state: &E::State,
    bounds: &mut Bounds,
    worth: i32,
    maximises: bool,
) -> Result<(), Halt> {
    let open =
        if maximises { bounds.0 < worth && bounds.1 >= worth } else { bounds.1 > worth && bounds.0 <= worth };
    if open {
        let wanted = if maximises { worth } else { worth + 1 };
        update_bounds(bounds, answer(search, state, wanted)?, wanted);
    }
    Ok(())
}

/// Asks until the value of a position is known, each time about the number found last (MTD(f): A. Plaat and
/// others, Artificial Intelligence 87, 1996). For a single side, starting low would gain nothing.
fn mtd_f<E: Engine>(
    search: &mut Search<'_, E>,
    state: &E::State,
    bounds: &mut Bounds,
    alone: bool,
) -> Result<(), Halt> {
    let mut wanted = if alone { i32::MAX } else { 0 };
    while bounds.0 < bounds.1 {
        wanted = wanted.clamp(bounds.0.saturating_add(1), bounds.1);
        let worth = answer(search, state, wanted)?;
        update_bounds(bounds, worth, wanted);
        wanted = if worth >= wanted { worth.saturating_add(1) } else { worth };
    }
    Ok(())
}

/// Asks whether a position is worth at least `wanted`, as [`Search::ask`] does.
fn answer<E: Engine>(search: &mut Search<'_, E>, state: &E::State, wanted: i32) -> Result<i32, Halt> {
    let mut most = FIRST_TURN;
    loop {
        if let Some(worth) = search.ask(state, wanted, most)? {
            return Ok(worth);
        }
        if let Some(worth) = search.prove(state, wanted, most)? {
            return Ok(worth);
        }
        most *= 2;
    }
}

/// Takes the answer to a question into account.
fn update_bounds(bounds: &mut Bounds, worth: i32, wanted: i32) {
    match worth >= wanted {
        true => bounds.0 = bounds.0.max(worth),
        false => bounds.1 = bounds.1.min(worth),
    }
}
