//! Solving over the graph of all positions: backward induction, retrograde analysis if positions can repeat,
//! or interval iteration if chance draws as well; and the line of best play.

use super::backward::{Values, backward, with_gain};
use super::components::Components;
use super::graph::{Graph, Kind, Restriction, has_cycle};
use super::interval::{ROUGH_TOLERANCE, TOLERANCE, intervals};
use super::part::{Bounds, gained};
use super::payoff::share_of_rank;
use super::retrograde::{Forced, forced};
use super::{
    Concept, Halt, Hero, LineEnd, MAX_LINE, Method, RootDraw, RootMove, Solved, Task, Tie, Watch, Worth,
    best_first, moves, nothing_known, partial, position_after,
};
use crate::engine::{Engine, Outcomes, Stepper, Turn};
use crate::eval::Chosen;
use crate::num::Int;

/// The most bits of the denominator of an exact value. Where more are needed, computing with them takes longer than
/// everything else, and bounds serve as well.
const FRACTION_BITS: u64 = 128;

/// The values of all positions by one of the methods: one entry for each side that is solved for separately.
#[derive(Debug)]
enum Solutions {
    Values(Vec<Values>),
    Forced(Vec<Forced>),
    Intervals(Vec<Vec<Bounds>>),
}

/// Solves a position by building the graph of all positions that can follow it.
pub fn solve<E: Engine>(engine: &E, start: &E::State, task: &Task, watch: &Watch) -> Result<Solved, Halt> {
    let build = |apart| Graph::from(engine, start, (task.goal, apart), None, task.memory, watch);
    let graph = build(true)?;
    match &graph.halted {
        Some(halt) => proved_so_far(engine, start, task, &graph, halt),
        None => Solution::of_graph(task, graph, build, watch)?.solved(engine, start, 0),
    }
}

/// Returns what a part of the graph proves of a position, for at most two sides; otherwise why there is no more of it.
fn proved_so_far<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    graph: &Graph,
    halt: &Halt,
) -> Result<Solved, Halt> {
    let mut solved = nothing_known(engine, start, task, (graph.len() as u64, halt.clone()))?;
    let sides = graph.rule.sides;
    if sides > 2 {
        return Ok(solved);
    }
    let bounds = partial::bounds(graph, &graph.components(), partial::unknown(task.goal));
    let won = graph.won(engine, start)?;
    let worth = |node: usize, gain: &[Int]| {
        let more = [&won, gain].into_iter().filter_map(|won| won.first()).map(Int::to_f64).sum::<f64>();
        let [lower, upper] = bounds[node].map(|bound| bound + more);
        let own = match lower == upper && lower.fract() == 0.0 {
            true => Worth::whole(lower as i64),
            false => Worth::Between(lower, upper),
        };
        let other = own.negative();
        graph.rule.by_seat(&[own, other][..sides])
    };
    solved.worth = worth(0, &[]);
    for (nth, (first, target)) in solved.first.iter_mut().zip(graph.successors(0)).enumerate() {
        first.worth = worth(*target as usize, graph.gain(0, nth));
    }
    if let Some(seat) = solved.seat {
        best_first(&mut solved.first, seat);
    }
    Ok(solved)
}

/// Returns what a position is worth to each seat, of at most two sides, if one seat makes a move only where it has no
/// other; the others know that. `None` if it never has the move beside another one.
pub fn worth_without<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    restriction: Restriction,
    watch: &Watch,
) -> Result<Option<Vec<Worth>>, Halt> {
    let solution = Solution::of(engine, start, task, Some(restriction), watch)?;
    let worth = solution.worth(0, &solution.graph.won(engine, start)?).0;
    Ok(solution.graph.does_without.then_some(worth))
}

fn is_more(a: &Worth, b: &Worth) -> bool {
    match (a, b) {
        (Worth::Exact(a), Worth::Exact(b)) => a > b,
        _ => false,
    }
}

fn find(
    graph: &Graph,
    components: &Components,
    heroes: &[Hero],
    round: bool,
    task: &Task,
    watch: &Watch,
) -> Result<Solutions, Halt> {
    // Several sides that each play for themselves may choose by differences smaller than any bounds show.
    let bounds = heroes.iter().all(|hero| matches!(hero, Hero::Against(_)));
    let chance = graph.has_chance();
    if !round && (task.fractions || !bounds || !chance) {
        let bits = if bounds { FRACTION_BITS } else { u64::MAX };
        let all = heroes.iter().map(|hero| backward(graph, components, *hero, bits));
        if let Some(values) = all.collect::<Result<Option<_>, Halt>>()? {
            return Ok(Solutions::Values(values));
        }
    }
    let sides = heroes.iter().map(|hero| if let Hero::Against(side) = hero { *side } else { 0 });
    if chance {
        let tolerance = if task.fractions { TOLERANCE } else { ROUGH_TOLERANCE };
        let all = sides.map(|side| intervals(graph, components, side, tolerance, watch));
        return Ok(Solutions::Intervals(all.collect::<Result<_, Halt>>()?));
    }
    let all = sides.map(|side| forced(graph, components, side, graph.endless()));
    Ok(Solutions::Forced(all.collect::<Result<_, Halt>>()?))
}

/// Returns a graph if all of it is there.
fn whole(mut graph: Graph) -> Result<Graph, Halt> {
    match graph.halted.take() {
        Some(halt) => Err(halt),
        None => Ok(graph),
    }
}

/// All positions that can follow a position, with their values.
#[derive(Debug)]
pub struct Solution {
    graph: Graph,
    solutions: Solutions,
}

impl Solution {
    /// Solves all positions that can follow `start`.
    pub fn of<E: Engine>(
        engine: &E,
        start: &E::State,
        task: &Task,
        restriction: Option<Restriction>,
        watch: &Watch,
    ) -> Result<Solution, Halt> {
        let build = |apart| Graph::from(engine, start, (task.goal, apart), restriction, task.memory, watch);
        Solution::of_graph(task, whole(build(true)?)?, build, watch)
    }

    /// Solves all positions of a graph; `build` builds it again, with the points apart or not.
    fn of_graph(
        task: &Task,
        mut graph: Graph,
        build: impl Fn(bool) -> Result<Graph, Halt>,
        watch: &Watch,
    ) -> Result<Solution, Halt> {
        let mut components = graph.components();
        if graph.keeps_points_apart() && has_cycle(&graph, &components) {
            // Points could be won again and again.
            graph = whole(build(false)?)?;
            components = graph.components();
        }
        let sides = graph.rule.sides;
        let apart = sides > 2 && task.concept == Concept::Paranoid;
        let heroes: Vec<Hero> = match (apart, sides > 2) {
            (true, _) => (0..sides).map(Hero::Against).collect(),
            (false, true) => vec![Hero::Each(Tie::First)],
            (false, false) => vec![Hero::Against(0)],
        };
        let round = has_cycle(&graph, &components);
        if round && heroes == [Hero::Each(Tie::First)] {
            return Err(Halt::NoSuchValue);
        }
        let solutions = find(&graph, &components, &heroes, round, task, watch)?;
        Ok(Solution { graph, solutions })
    }

    /// Returns what is known of a position that waits for a choice or a draw, if it is one of those that were solved.
    pub fn at<E: Engine>(&self, engine: &E, state: &E::State) -> Result<Option<Solved>, Halt> {
        let node = self.graph.find(engine, state)?;
        node.map(|node| self.solved(engine, state, node)).transpose()
    }

    fn solved<E: Engine>(&self, engine: &E, state: &E::State, node: usize) -> Result<Solved, Halt> {
        let mut stepper = engine.stepper();
        let legal = moves(&mut stepper, state)?;
        let seat = stepper.turn(state).seat();
        let won = self.graph.won(engine, state)?;
        let (worth, balance) = self.worth(node, &won);
        let mut first: Vec<RootMove> = legal
            .iter()
            .zip(self.graph.successors(node))
            .enumerate()
            .map(|(nth, (chosen, target))| {
                let gain = won.iter().zip(self.graph.gain(node, nth)).map(|(won, gain)| won.add(gain));
                let (worth, balance) = self.worth(*target as usize, &gain.collect::<Vec<Int>>());
                RootMove { chosen: chosen.clone(), worth, balance, best: false }
            })
            .collect();
        if let Some(seat) = seat {
            // If bounds overlap, several moves may be best.
            let most = first.iter().map(|first| first.worth[seat].bounds().0).fold(f64::MIN, f64::max);
            let exact: Option<Worth> = first
                .iter()
                .map(|first| &first.worth[seat])
                .filter(|worth| matches!(worth, Worth::Exact(_)))
                .reduce(|best, next| if is_more(next, best) { next } else { best })
                .cloned();
            for first in &mut first {
                first.best = match &exact {
                    Some(best) => first.worth[seat] == *best,
                    None => first.worth[seat].bounds().1 >= most,
                };
            }
        }
        best_first(&mut first, seat.unwrap_or(0));
        let (line, line_end) = self.follow(engine, state, node)?;
        Ok(Solved {
            method: match &self.solutions {
                Solutions::Values(_) => Method::Backward,
                Solutions::Forced(_) => Method::Retrograde,
                Solutions::Intervals(_) => Method::Intervals,
            },
            worth,
            balance,
            seat,
            first,
            draws: self.draws(engine, state)?,
            line,
            line_end,
            is_shortest: false,
            positions: self.graph.len() as u64,
            ties_decide: self.ties_decide(node)?,
            endless: matches!(&self.solutions, Solutions::Forced(all) if all.iter().all(|one| one.endless[node])),
            symmetries: Vec::new(),
            halted: None,
        })
    }

    /// Returns the outcomes of the draw that a position waits for, if it waits for one.
    fn draws<E: Engine>(&self, engine: &E, state: &E::State) -> Result<Vec<RootDraw>, Halt> {
        let mut stepper = engine.stepper();
        if stepper.turn(state) != Turn::Chance {
            return Ok(Vec::new());
        }
        let mut draws = Vec::new();
        for outcome in Outcomes::default().at(engine, state)?.iter() {
            let mut next = state.clone();
            stepper.resolve_draw(&mut next, outcome)?;
            let Some(target) = self.graph.find(engine, &next)? else { continue };
            let (worth, balance) = self.worth(target, &self.graph.won(engine, &next)?);
            draws.push(RootDraw { outcome: outcome.clone(), worth, balance });
        }
        Ok(draws)
    }

    /// Whether a position is worth something else if each of several sides takes the last of equally good moves.
    fn ties_decide(&self, node: usize) -> Result<bool, Halt> {
        let Solutions::Values(values) = &self.solutions else { return Ok(false) };
        let sides = self.graph.rule.sides;
        let ([first], true) = (values.as_slice(), sides > 2) else { return Ok(false) };
        let last = backward(&self.graph, &self.graph.components(), Hero::Each(Tie::Last), u64::MAX)?;
        let Some(last) = last else { return Ok(false) };
        Ok(first.at(node)[..sides] != last.at(node)[..sides])
    }

    /// Returns the value of a position to each seat, with what they have `won` before if that is no part of it, and
    /// [`Solved::balance`].
    fn worth(&self, node: usize, won: &[Int]) -> (Vec<Worth>, Vec<Worth>) {
        let (worth, balance) = self.worth_to_sides(node, won);
        (self.graph.rule.by_seat(&worth), self.graph.rule.by_seat(&balance))
    }

    /// Does that for each side.
    fn worth_to_sides(&self, node: usize, won: &[Int]) -> (Vec<Worth>, Vec<Worth>) {
        let sides = self.graph.rule.sides;
        let shared = self.graph.plays_for_shares();
        let mut all: Vec<Worth> = match &self.solutions {
            Solutions::Values(values) => {
                let of = |side: usize| values[if values.len() > 1 { side } else { 0 }].at(node);
                let worth = |side: usize| Worth::Exact(with_gain(of(side), won).swap_remove(side));
                let balance = |side: usize| Worth::Exact(of(side)[sides + side].clone());
                let balances = if shared { (0..sides).map(balance).collect() } else { Vec::new() };
                return ((0..sides).map(worth).collect(), balances);
            }
            Solutions::Forced(all) => {
                let worth = |forced: &Forced| match shared {
                    true => Worth::Exact(share_of_rank(forced.worth[node], sides)),
                    false => Worth::whole(forced.worth[node]),
                };
                all.iter().map(worth).collect()
            }
            Solutions::Intervals(all) => {
                let endless = self.graph.endless_value();
                let worth = |(side, bounds): (usize, &Vec<Bounds>)| {
                    let more = endless + won.get(side).map_or(0.0, Int::to_f64);
                    let [lower, upper] = bounds[node];
                    Worth::Between(lower + more, upper + more)
                };
                all.iter().enumerate().map(worth).collect()
            }
        };
        if sides == 2 {
            all.push(all[0].negative());
        }
        let certain = !matches!(self.solutions, Solutions::Intervals(_));
        let balances =
            if shared { all.iter().map(|share| share.balance(certain)).collect() } else { Vec::new() };
        (all, balances)
    }

    /// Returns the number of the move to play at a position; `hero` is the side whose own values are used.
    fn best(&self, node: usize, hero: usize) -> Option<usize> {
        match &self.solutions {
            Solutions::Values(values) => match values.as_slice() {
                [values] if self.graph.rule.sides > 2 => {
                    values.best(&self.graph, node, Hero::Each(Tie::First))
                }
                [values] => values.best(&self.graph, node, Hero::Against(0)),
                apart => apart[hero].best(&self.graph, node, Hero::Against(hero)),
            },
            Solutions::Forced(all) => Some(all[hero.min(all.len() - 1)].best[node] as usize),
            Solutions::Intervals(all) => {
                let of = hero.min(all.len() - 1);
                let Kind::Side(side) = self.graph.kinds[node] else { return None };
                let targets = self.graph.successors(node);
                let worth = |nth: usize| {
                    let gain = gained(&self.graph, node, nth, of);
                    match side as usize == of {
                        true => all[of][targets[nth] as usize][0] + gain,
                        false => -all[of][targets[nth] as usize][1] - gain,
                    }
                };
                (0..targets.len()).reduce(|best, next| if worth(next) > worth(best) { next } else { best })
            }
        }
    }

    /// Follows best play from a position up to the end, a chance draw, or a position that repeats.
    fn follow<E: Engine>(
        &self,
        engine: &E,
        start: &E::State,
        node: usize,
    ) -> Result<(Vec<(usize, Chosen)>, LineEnd), Halt> {
        let mut stepper = engine.stepper();
        let (mut state, mut node) = (start.clone(), node);
        let hero = stepper.turn(start).seat().map_or(0, |seat| self.graph.rule.side(seat));
        let mut line = Vec::new();
        let mut met = std::collections::BTreeSet::new();
        while line.len() < MAX_LINE {
            match self.graph.kinds[node] {
                Kind::Over(_) => return Ok((line, LineEnd::Over)),
                Kind::Chance => return Ok((line, LineEnd::Chance)),
                Kind::Side(_) if !met.insert(node) => return Ok((line, LineEnd::Repetition)),
                Kind::Side(_) => {}
            }
            let seat = stepper.turn(&state).seat().unwrap_or(0);
            let legal = moves(&mut stepper, &state)?;
            let Some(nth) = self.best(node, hero).filter(|nth| *nth < legal.len()) else { break };
            state = position_after(&mut stepper, &state, &legal[nth])?;
            line.push((seat, legal[nth].clone()));
            node = self.graph.successors(node)[nth] as usize;
        }
        Ok((line, LineEnd::Unfinished))
    }
}
