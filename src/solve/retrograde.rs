//! Values where positions can repeat and nothing is drawn: which ends can be forced, found from the ends
//! backward as in endgame tables (T. Ströhlein 1970, K. Thompson 1986). If none can, the match is endless.

use super::Halt;
use super::components::Components;
use super::graph::{Graph, Kind, is_cyclic};

/// The value of each position to one side, with the others playing against it.
#[derive(Debug)]
pub struct Forced {
    /// The value.
    pub worth: Vec<i64>,
    /// Whether the match is endless under best play.
    pub endless: Vec<bool>,
    /// The move to play, by its number in the list of legal moves.
    pub best: Vec<u32>,
    /// How many choices are left until the forced end.
    length: Vec<u32>,
}

/// Computes the values of all positions to a side; an endless match is worth `never`.
pub fn forced(graph: &Graph, components: &Components, side: usize, never: i64) -> Result<Forced, Halt> {
    let all = graph.len();
    let mut forced = Forced {
        worth: vec![never; all],
        endless: vec![false; all],
        best: vec![0; all],
        length: vec![0; all],
    };
    // The index of each position in its component.
    let mut numbers = vec![u32::MAX; all];
    for nodes in components.each() {
        if is_cyclic(graph, nodes) {
            nodes.iter().enumerate().for_each(|(at, node)| numbers[*node as usize] = at as u32);
            Round::new(graph, &numbers, nodes, side, never).work_out(&mut forced);
            nodes.iter().for_each(|node| numbers[*node as usize] = u32::MAX);
            continue;
        }
        let node = nodes[0] as usize;
        match graph.kinds[node] {
            Kind::Over(payoffs) => {
                forced.worth[node] = graph.payoffs[payoffs as usize][side].as_i64().ok_or(Halt::TooLarge)?;
            }
            _ => forced.choose(graph, node, side, never, |_| true),
        }
    }
    Ok(forced)
}

impl Forced {
    /// Chooses the best of the moves that `may` allows. Among moves of equal value, it takes one that is near
    /// to an end if the end is wanted, and far from it otherwise.
    fn choose(&mut self, graph: &Graph, node: usize, side: usize, never: i64, may: impl Fn(u32) -> bool) {
        let sign = if graph.kinds[node] == Kind::Side(side as u32) { 1 } else { -1 };
        let rank = |target: u32| {
            let worth = self.worth[target as usize];
            let length = i64::from(self.length[target as usize]);
            let wanted = i128::from(sign) * (i128::from(worth) - i128::from(never)) > 0;
            (i128::from(sign) * i128::from(worth), if wanted { -length } else { length })
        };
        let targets = graph.successors(node).iter().copied().enumerate().filter(|(_, target)| may(*target));
        let best = targets.reduce(|best, next| if rank(next.1) > rank(best.1) { next } else { best });
        if let Some((nth, target)) = best {
            let target = target as usize;
            self.best[node] = nth as u32;
            self.worth[node] = self.worth[target];
            self.length[node] = self.length[target].saturating_add(1);
            self.endless[node] = self.endless[target];
        }
    }
}

/// A component whose positions can repeat.
struct Round<'g> {
    graph: &'g Graph,
    nodes: &'g [u32],
    numbers: &'g [u32],
    side: usize,
    never: i64,
    /// For each position, the positions of the component that lead to it, and by which move.
    before: Vec<Vec<(u32, u32)>>,
    /// The edges out of the component: from where, by which move, to where.
    exits: Vec<(u32, u32, u32)>,
}

impl<'g> Round<'g> {
    fn new(graph: &'g Graph, numbers: &'g [u32], nodes: &'g [u32], side: usize, never: i64) -> Round<'g> {
        let mut before = vec![Vec::new(); nodes.len()];
        let mut exits = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            for (nth, target) in graph.successors(*node as usize).iter().enumerate() {
                match numbers.get(*target as usize) {
                    Some(&number) if number != u32::MAX => {
                        before[number as usize].push((at as u32, nth as u32));
                    }
                    _ => exits.push((at as u32, nth as u32, *target)),
                }
            }
        }
        Round { graph, nodes, numbers, side, never, before, exits }
    }

    /// Finds which ends can be forced: first by the side, the best before others, then by the others.
    fn work_out(&self, forced: &mut Forced) {
        let mut decided = vec![false; self.nodes.len()];
        for mine in [true, false] {
            let sign = if mine { 1 } else { -1 };
            let rank = |target: u32| i128::from(sign) * i128::from(forced.worth[target as usize]);
            let floor = i128::from(sign) * i128::from(self.never);
            let mut exits: Vec<(i128, u32, (u32, u32, u32))> = self
                .exits
                .iter()
                .filter(|exit| rank(exit.2) > floor)
                .map(|exit| (-rank(exit.2), forced.length[exit.2 as usize], *exit))
                .collect();
            exits.sort_unstable();
            self.attract(forced, &mut decided, mine, exits);
        }
        // From the remaining positions the match goes on, or ends with the same value.
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| !decided[*at]) {
            let node = *node as usize;
            let goes_on = |target: u32| match self.numbers[target as usize] {
                u32::MAX => forced.worth[target as usize] == self.never,
                number => !decided[number as usize],
            };
            let nth = self.graph.successors(node).iter().position(|target| goes_on(*target));
            forced.best[node] = nth.unwrap_or(0) as u32;
            forced.endless[node] = true;
            debug_assert!(!decided[at]);
        }
    }

    /// Decides the positions from which one side can force the ends behind `exits`, best and shortest first.
    fn attract(
        &self,
        forced: &mut Forced,
        decided: &mut [bool],
        mine: bool,
        exits: Vec<(i128, u32, (u32, u32, u32))>,
    ) {
        // For each position, how many edges do not lead there yet.
        let mut left: Vec<usize> =
            self.nodes.iter().map(|node| self.graph.successors(*node as usize).len()).collect();
        let mut queue = std::collections::VecDeque::new();
        let mut exits = exits.into_iter().peekable();
        while let Some((rank, _, (at, nth, target))) = exits.next() {
            queue.push_back((at, nth, target));
            while let Some((_, _, next)) = exits.next_if(|next| next.0 == rank) {
                queue.push_back(next);
            }
            while let Some((at, nth, target)) = queue.pop_front() {
                let node = self.nodes[at as usize] as usize;
                left[at as usize] -= 1;
                let chooses = (self.graph.kinds[node] == Kind::Side(self.side as u32)) == mine;
                if decided[at as usize] || !chooses && left[at as usize] > 0 {
                    continue;
                }
                decided[at as usize] = true;
                forced.worth[node] = forced.worth[target as usize];
                forced.best[node] = nth;
                forced.length[node] = forced.length[target as usize].saturating_add(1);
                forced.endless[node] = false;
                for (before, nth) in &self.before[at as usize] {
                    queue.push_back((*before, *nth, node as u32));
                }
            }
        }
    }
}
