//! Solves subgames in order, each after those it leads to: backward induction with mixed strategies.

use super::order::{Group, groups};
use super::program::{self, Solution};
use super::refined::Refined;
use super::regret::{Minimised, minimise};
use super::response::{Amount, Profile};
use super::tree::{Kind, Set, Subgame, Tree};
use super::{Avoided, Equilibrium, Methods, Search, SearchProgress};
use crate::num::{Int, Ratio};

/// The number of fractional bits to which inexact values are rounded.
pub(super) const VALUE_BITS: u32 = 40;
/// The maximum number of passes over subgames that form a cycle; `CONVERGED` is the change that ends them.
const MAX_ROUNDS: usize = 5_000;
const CONVERGED: f64 = 1e-9;
/// The probability from which a mix may be replaced by its likeliest move, if it is a best response.
const NEARLY_PURE: f64 = 0.9;
/// The maximum number of attempts with a stricter bound, if errors of nested subgames add up to too much.
const MAX_TRIES: usize = 4;
/// The maximum number of cells of a linear program that only gives a subgame's value, since its mixes take mistakes into account.
const SMALL_PROGRAM: usize = 3_000;

/// Solves the subgames and holds the results so far.
struct Solver<'t> {
    tree: &'t Tree,
    search: Search,
    /// The exploitability at which regret minimisation stops in each subgame.
    within: f64,
    on: &'t dyn Fn(SearchProgress) -> bool,
    /// The value of each subgame for each seat; 0 until it is solved.
    values: Vec<Vec<Ratio>>,
    mixes: Vec<Vec<Vec<Ratio>>>,
    /// Mixes that take mistakes into account, where those of a subgame have been found.
    refined: Vec<Option<Refined>>,
    /// Whether nothing was rounded so far.
    exact: bool,
    methods: Methods,
    solved: usize,
}

pub(super) fn solve(tree: Tree, search: Search, on: &dyn Fn(SearchProgress) -> bool) -> Equilibrium {
    let exits: Vec<Vec<u32>> = tree.subgames.iter().map(Subgame::exits).collect();
    let groups = groups(&exits);
    let goes_round = groups.iter().any(|group| group.cyclic);
    let mut within = search.within;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let mut solver = Solver::new(&tree, search, within, on);
        solver.exact = !goes_round;
        groups.iter().for_each(|group| solver.group(group));
        let trembling = solver.trembling();
        let Solver { values: subgame_values, mixes, methods, exact, .. } = solver;
        let floats: Vec<Vec<Vec<f64>>> = mixes
            .iter()
            .map(|sets| sets.iter().map(|mix| mix.iter().map(Ratio::to_f64).collect()).collect())
            .collect();
        let (mut fractions, mut values, mut best) = (None, Vec::new(), Vec::new());
        for seat in 0..tree.seats {
            if exact {
                let (value, most) = value_and_best(&tree, &groups, &mixes, seat);
                values.push(value.to_f64());
                best.push(most.sub(&value).to_f64());
                fractions.get_or_insert_with(Vec::new).push(value);
            } else {
                let (value, most) = value_and_best(&tree, &groups, &floats, seat);
                values.push(value);
                best.push((most - value).max(0.0));
            }
        }
        let distance = distance(&best, tree.sum.is_some());
        // Of mixes that take mistakes into account, the distance hardly depends on the bound.
        let is_last = search.tremble > 0.0 || methods.regret == 0 || attempt == MAX_TRIES;
        let enough = distance <= search.within || is_last;
        if enough || methods.iterations >= search.iterations || !on(SearchProgress::Solved(0, groups.len())) {
            let (reach, avoided) = (reach(&tree, &groups, &floats), avoided(&tree, &floats));
            let exact = exact.then_some(mixes);
            let floats_of = |values: &Vec<Ratio>| values.iter().map(Ratio::to_f64).collect();
            let subgame_values = subgame_values.iter().map(floats_of).collect();
            return Equilibrium {
                mixes: floats,
                exact,
                trembling,
                subgame_values,
                reach,
                avoided,
                values,
                fractions,
                regrets: best,
                methods,
                cyclic: goes_round,
                search,
                tree,
            };
        }
        within /= 4.0;
    }
}

impl<'t> Solver<'t> {
    fn new(
        tree: &'t Tree,
        search: Search,
        within: f64,
        on: &'t dyn Fn(SearchProgress) -> bool,
    ) -> Solver<'t> {
        let all = tree.subgames.len();
        Solver {
            tree,
            search,
            within,
            on,
            values: vec![vec![Ratio::ZERO; tree.seats]; all],
            mixes: vec![Vec::new(); all],
            refined: vec![None; all],
            exact: true,
            methods: Methods::default(),
            solved: 0,
        }
    }

    /// Solves the subgames of a group. If they form a cycle, repeats this, as if the match ended after one
    /// more round each time, until the values converge (L. Shapley, 1953): an infinite match is worth 0.
    fn group(&mut self, group: &Group) {
        let before = self.methods;
        for _ in 0..MAX_ROUNDS {
            let mut change = 0.0_f64;
            self.methods = Methods { iterations: self.methods.iterations, ..before };
            for member in &group.members {
                let old = self.values[*member].clone();
                self.subgame(*member);
                for (old, new) in old.iter().zip(&mut self.values[*member]) {
                    if group.cyclic {
                        *new = Ratio::near(new.to_f64(), VALUE_BITS);
                    }
                    change = change.max((new.to_f64() - old.to_f64()).abs());
                }
            }
            if !group.cyclic
                || change < CONVERGED
                || !(self.on)(SearchProgress::Solved(self.solved, self.tree.subgames.len()))
            {
                break;
            }
        }
        self.solved += group.members.len();
        (self.on)(SearchProgress::Solved(self.solved, self.tree.subgames.len()));
    }

    fn subgame(&mut self, number: usize) {
        let tree = self.tree;
        let subgame = &tree.subgames[number];
        let choosers = subgame.choosers();
        if choosers.len() < 2 {
            self.methods.alone += 1;
            let first = subgame.sets.iter().map(|set| even_mix(&[0], set.moves.len()));
            let mut mixes: Vec<Vec<Ratio>> = first.collect();
            if let [seat] = choosers.as_slice() {
                let played = Profile { subgame, mixes: &mixes };
                let (_, best) = played.best(*seat, &|next| self.values[next][*seat].clone());
                for (mix, best) in mixes.iter_mut().zip(best).filter(|(_, best)| !best.is_empty()) {
                    // Among more than two, nothing tells whom a seat favours that gains nothing itself.
                    let made = if tree.seats > 2 { best.as_slice() } else { &best[..1] };
                    *mix = even_mix(made, mix.len());
                }
            }
            self.values[number] = self.worth(subgame, &mixes);
            self.mixes[number] = mixes;
            return;
        }
        let progress = SearchProgress::Solved(self.solved, tree.subgames.len());
        let worth = |kind: &Kind| match kind {
            Kind::End(payoffs) => payoffs[0].clone(),
            Kind::Into(next) => self.values[*next][0].clone(),
            _ => Ratio::ZERO,
        };
        let cells = if self.search.tremble > 0.0 { SMALL_PROGRAM } else { program::MAX_CELLS };
        if let Some(sum) = &tree.sum
            && let Some(Solution { value, mixes, exact }) =
                program::solve(subgame, &worth, cells, &|| (self.on)(progress))
        {
            self.methods.programs += 1;
            self.exact = self.exact && exact;
            self.values[number] = vec![value.clone(), sum.sub(&value)];
            self.mixes[number] = mixes;
            return;
        }
        self.methods.regret += 1;
        let into = |next: usize, seat: usize| self.values[next][seat].to_f64();
        let goes_on = || (self.on)(progress);
        let Minimised { mixes, iterations } = match self.search.tremble > 0.0 {
            true => {
                let (refined, iterations) = Refined::of(tree, subgame, &self.search, &into, &goes_on);
                Minimised { mixes: self.refined[number].insert(refined).meant.clone(), iterations }
            }
            false => {
                let limits = (self.within, self.search.iterations);
                minimise(subgame, tree.sum.is_some(), 0.0, &into, limits, &goes_on)
            }
        };
        self.methods.iterations = self.methods.iterations.max(iterations);
        if let Some(mixes) = self.round_to_pure(subgame, &choosers, &mixes) {
            self.values[number] = self.worth(subgame, &mixes);
            self.mixes[number] = mixes;
            return;
        }
        self.exact = false;
        let played = Profile { subgame, mixes: &mixes };
        let into = |next: usize, seat: usize| self.values[next][seat].to_f64();
        let value = |seat: usize| Ratio::near(played.value(seat, &|next| into(next, seat)), VALUE_BITS);
        self.values[number] = (0..tree.seats).map(value).collect();
        self.mixes[number] = mixes.iter().map(|mix| near(mix)).collect();
    }

    /// Replaces the mixes by ones that take mistakes into account, if there are any, and returns them as they are played then.
    fn trembling(&mut self) -> Vec<Vec<Vec<f64>>> {
        if self.search.tremble == 0.0 {
            return Vec::new();
        }
        let mut played = Vec::new();
        for (number, subgame) in self.tree.subgames.iter().enumerate() {
            let refined = match self.refined[number].take() {
                Some(refined) => refined,
                None if subgame.choosers().len() < 2 => {
                    Refined::with_mistakes(&self.mixes[number], &self.search)
                }
                None => {
                    let into = |next: usize, seat: usize| self.values[next][seat].to_f64();
                    let progress = SearchProgress::Solved(self.solved, self.tree.subgames.len());
                    let goes_on = || (self.on)(progress);
                    let (refined, iterations) =
                        Refined::of(self.tree, subgame, &self.search, &into, &goes_on);
                    self.methods.iterations = self.methods.iterations.max(iterations);
                    self.mixes[number] = refined.meant.iter().map(|mix| near(mix)).collect();
                    self.exact = false;
                    refined
                }
            };
            played.push(refined.played);
        }
        played
    }

    /// Returns the value of a subgame for each seat under exact mixes.
    fn worth(&self, subgame: &Subgame, mixes: &[Vec<Ratio>]) -> Vec<Ratio> {
        let played = Profile { subgame, mixes };
        let value = |seat: usize| played.value(seat, &|next| self.values[next][seat].clone());
        (0..self.tree.seats).map(value).collect()
    }

    /// Rounds each mix to its likeliest move, and returns the result if no seat gains by deviating: a pure
    /// equilibrium, which regret minimisation approaches without ever reaching it.
    fn round_to_pure(
        &self,
        subgame: &Subgame,
        choosers: &[usize],
        mixes: &[Vec<f64>],
    ) -> Option<Vec<Vec<Ratio>>> {
        // A seat that mixes several moves is indifferent between them.
        if mixes.iter().any(|mix| mix.iter().all(|likely| *likely < NEARLY_PURE)) {
            return None;
        }
        let pure = |mix: &Vec<f64>| {
            let best = (1..mix.len()).fold(0, |best, at| if mix[at] > mix[best] { at } else { best });
            even_mix(&[best], mix.len())
        };
        let mixes: Vec<Vec<Ratio>> = mixes.iter().map(pure).collect();
        let values = self.worth(subgame, &mixes);
        let played = Profile { subgame, mixes: &mixes };
        let best = |seat: usize| played.best(seat, &|next| self.values[next][seat].clone()).0;
        choosers.iter().all(|seat| best(*seat) == values[*seat]).then_some(mixes)
    }
}

/// Returns how far from an equilibrium it is if each seat could gain this much by a best response: the mean for two
/// seats with opposed interests, whose gains add up to how far their values are apart, else the greatest.
pub(super) fn distance(gains: &[f64], opposed: bool) -> f64 {
    match opposed {
        true => gains.iter().sum::<f64>() / gains.len() as f64,
        false => gains.iter().copied().fold(0.0, f64::max),
    }
}

/// Returns a mix as fractions.
fn near(mix: &[f64]) -> Vec<Ratio> {
    mix.iter().map(|likely| Ratio::near(*likely, VALUE_BITS)).collect()
}

/// Returns the mix that chooses some of so many moves equally often.
fn even_mix(chosen: &[usize], moves: usize) -> Vec<Ratio> {
    let each = Ratio::new(&Int::ONE, &Int::from(chosen.len()));
    (0..moves).map(|at| if chosen.contains(&at) { each.clone() } else { Ratio::ZERO }).collect()
}

/// Returns a seat's value of the match, and its value if it played a best response to the others' mixes.
fn value_and_best<A: Amount>(tree: &Tree, groups: &[Group], mixes: &[Vec<Vec<A>>], seat: usize) -> (A, A) {
    let zero = A::of(&Ratio::ZERO);
    let mut values = vec![(zero.clone(), zero); tree.subgames.len()];
    for group in groups {
        for _ in 0..MAX_ROUNDS {
            let mut stands = true;
            for member in &group.members {
                let played = Profile { subgame: &tree.subgames[*member], mixes: &mixes[*member] };
                let new = (
                    played.value(seat, &|next| values[next].0.clone()),
                    played.best(seat, &|next| values[next].1.clone()).0,
                );
                stands = stands && new == values[*member];
                values[*member] = new;
            }
            if !group.cyclic || stands {
                break;
            }
        }
    }
    values.swap_remove(0)
}

/// How often something is reached in a match, on average.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reach {
    /// The number of times.
    pub times: f64,
    /// Whether that is a lower bound: play goes round for longer than it was followed, perhaps for ever.
    pub at_least: bool,
}

/// A set that is reached more seldom than this once its subgame has begun is not reached: that is rounding.
pub(super) const NEVER: f64 = 1e-12;

/// Returns by whose choices each information set is never reached once its subgame has begun.
fn avoided(tree: &Tree, mixes: &[Vec<Vec<f64>>]) -> Vec<Vec<Option<Avoided>>> {
    let of = |(subgame, mixes): (&Subgame, &Vec<Vec<f64>>)| {
        let profile = Profile { subgame, mixes };
        let (all, own): (Vec<f64>, Vec<Vec<f64>>) =
            (profile.reach(None), (0..tree.seats).map(|seat| profile.own_reach(seat)).collect());
        let often =
            |set: &Set, reach: &[f64]| set.nodes.iter().map(|node| reach[*node as usize]).sum::<f64>();
        let one = |set: &Set| match often(set, &all) > NEVER {
            true => None,
            false if often(set, &own[set.seat]) > NEVER => Some(Avoided::Others),
            false => Some(Avoided::Own),
        };
        subgame.sets.iter().map(one).collect()
    };
    tree.subgames.iter().zip(mixes).map(of).collect()
}

/// Returns how often each information set is reached in a match, on average.
fn reach(tree: &Tree, groups: &[Group], mixes: &[Vec<Vec<f64>>]) -> Vec<Vec<Reach>> {
    let mut reach: Vec<Vec<Reach>> =
        tree.subgames.iter().map(|subgame| vec![Reach::default(); subgame.sets.len()]).collect();
    let mut begun = vec![0.0; tree.subgames.len()];
    begun[0] = 1.0;
    for group in groups.iter().rev() {
        let mut moved = 0.0;
        for _ in 0..MAX_ROUNDS {
            moved = 0.0_f64;
            for member in &group.members {
                let often = std::mem::take(&mut begun[*member]);
                if often == 0.0 {
                    continue;
                }
                moved = moved.max(often);
                let subgame = &tree.subgames[*member];
                let nodes = Profile { subgame, mixes: &mixes[*member] }.reach(None);
                for (node, kind) in subgame.kinds() {
                    match kind {
                        Kind::Into(next) => begun[next] += often * nodes[node],
                        Kind::Choice(set, _) => reach[*member][set].times += often * nodes[node],
                        Kind::Chance(_) | Kind::End(_) => {}
                    }
                }
            }
            if !group.cyclic || moved < CONVERGED {
                break;
            }
        }
        let at_least = group.cyclic && moved >= CONVERGED;
        for member in &group.members {
            reach[*member].iter_mut().for_each(|reach| reach.at_least = at_least);
        }
    }
    reach
}
