//! Solves two-seat constant-sum subgames exactly: the linear program of the sequence form, by the simplex
//! method on integers.

use std::collections::BTreeMap;

use super::tree::{Kind, Subgame};
use crate::num::{Int, Ratio, times};

/// The maximum number of cells of a program; beyond that, regret minimisation is faster. `MAX_PIVOTS` is the
/// maximum number of pivots per row and column: most programs need two or three, but there is no known bound.
pub(super) const MAX_CELLS: usize = 60_000;
const MAX_PIVOTS: usize = 50;
/// The maximum number of bits of the common denominator of a program's payoffs. If it is longer, as after
/// repeated rounds, payoffs are rounded down to a multiple of 2^-`ROUNDED_BITS`.
const MAX_BITS: u64 = 512;
const ROUNDED_BITS: u32 = 64;

/// The solution of a subgame.
#[derive(Debug)]
pub(super) struct Solution {
    /// Its value for the first seat.
    pub value: Ratio,
    /// The probability of each move of each information set.
    pub mixes: Vec<Vec<Ratio>>,
    /// Whether no payoff was rounded.
    pub exact: bool,
}

/// The sequence form of a subgame: a sequence consists of the moves of one seat on the path to a node.
struct Sequences {
    /// The index of the first sequence of each information set; sequence 0 is the empty one.
    first: Vec<usize>,
    /// The sequence that leads to each information set.
    parent: Vec<usize>,
    /// The number of sequences of each seat.
    count: [usize; 2],
    /// The first seat's expected payoff, weighted by chance, for each pair of sequences of the two seats.
    payoffs: BTreeMap<(usize, usize), Ratio>,
}

impl Sequences {
    fn of(subgame: &Subgame, worth: &dyn Fn(&Kind) -> Ratio) -> Sequences {
        let mut count = [1, 1];
        let mut first = Vec::new();
        for set in &subgame.sets {
            first.push(count[set.seat]);
            count[set.seat] += set.moves.len();
        }
        let mut parent = vec![0; subgame.sets.len()];
        let mut at = vec![([0, 0], Ratio::ONE); subgame.nodes.len()];
        let mut payoffs: BTreeMap<(usize, usize), Ratio> = BTreeMap::new();
        for (node, kind) in subgame.kinds() {
            let (leads, weight) = at[node].clone();
            match kind {
                Kind::Chance(draws) => draws.iter().for_each(|(likely, to)| {
                    at[*to as usize] = (leads, weight.mul(&subgame.chances[*likely as usize]));
                }),
                Kind::Choice(set, targets) => {
                    let seat = subgame.sets[set].seat;
                    parent[set] = leads[seat];
                    for (nth, to) in targets.iter().enumerate() {
                        let mut leads = leads;
                        leads[seat] = first[set] + nth;
                        at[*to as usize] = (leads, weight.clone());
                    }
                }
                Kind::End(_) | Kind::Into(_) => {
                    let cell = payoffs.entry((leads[0], leads[1])).or_insert(Ratio::ZERO);
                    *cell = cell.add(&weight.mul(&worth(&kind)));
                }
            }
        }
        Sequences { first, parent, count, payoffs }
    }
}

/// Solves a subgame by the linear program of its sequence form (D. Koller, N. Megiddo, B. von Stengel, 1996),
/// of which matrix games are a special case. `worth` returns the first seat's value of an end or of the next
/// subgame. `None` if the program is too large or takes too many pivots, if nodes were merged, or `goes_on` returns `false`.
///
/// Payoffs are shifted to be positive, so that no seat gains by a plan that wastes some of its weight. The
/// constraints can then be inequalities that hold at the origin: the program needs no first phase, and the
/// second seat's plan is the dual solution.
pub(super) fn solve(
    subgame: &Subgame,
    worth: &dyn Fn(&Kind) -> Ratio,
    max_cells: usize,
    goes_on: &dyn Fn() -> bool,
) -> Option<Solution> {
    let sets = |seat: usize| (0..subgame.sets.len()).filter(move |set| subgame.sets[*set].seat == seat);
    let sizes = subgame.sets.iter().map(|set| set.moves.len());
    // A node of the sequence form has one path to it.
    if subgame.merged || sizes.sum::<usize>() > max_cells {
        return None;
    }
    let last = |kind: &Kind| matches!(kind, Kind::End(_) | Kind::Into(_));
    let least = subgame.kinds().map(|(_, kind)| kind).filter(last).map(|kind| worth(&kind)).min();
    let shift = Ratio::ONE.sub(&least.unwrap_or(Ratio::ZERO));
    let Sequences { first, parent, count, payoffs } = Sequences::of(subgame, &|node| worth(node).add(&shift));
    // Columns: the first seat's nonempty sequences, then the values of the second seat's information sets.
    let own: Vec<usize> = sets(0).collect();
    let others: Vec<usize> = sets(1).collect();
    let columns = count[0] - 1 + others.len();
    let rows = own.len() + count[1] - 1;
    if columns.saturating_mul(rows) > max_cells {
        return None;
    }
    let (unit, payoffs, exact) = to_integers(payoffs);
    let column_of: BTreeMap<usize, usize> =
        others.iter().enumerate().map(|(at, set)| (*set, count[0] - 1 + at)).collect();
    let mut cells = vec![vec![Int::ZERO; columns + 1]; rows + 1];
    for (row, set) in own.iter().enumerate() {
        // The weights of a set's sequences add up to at most the weight of the sequence that leads to it.
        let size = subgame.sets[*set].moves.len();
        cells[row][first[*set] - 1..first[*set] - 1 + size].fill(Int::ONE);
        match parent[*set] {
            0 => cells[row][columns] = Int::ONE,
            before => cells[row][before - 1] = Int::from(-1),
        }
    }
    let row_of = |sequence: usize| match sequence {
        0 => rows,
        behind => own.len() + behind - 1,
    };
    for set in &others {
        // To the first seat, a set is worth at most as much as any of its moves. Last row: the objective.
        let column = column_of[set];
        for nth in 0..subgame.sets[*set].moves.len() {
            cells[row_of(first[*set] + nth)][column] = Int::ONE;
        }
        cells[row_of(parent[*set])][column] = Int::from(-1);
    }
    for ((one, two), payoff) in payoffs {
        match (one, two) {
            (0, 0) => cells[rows][columns] = payoff,
            (0, two) => cells[row_of(two)][columns] = payoff,
            (one, two) => cells[row_of(two)][one - 1] = -&payoff,
        }
    }
    let dictionary = Dictionary::new(cells).optimise(goes_on)?;
    let plans = [dictionary.primal(), dictionary.dual()];
    let value = dictionary.value().div(&Ratio::from(unit)).sub(&shift);
    let mixes = subgame.sets.iter().enumerate().map(|(number, set)| {
        let from = match set.seat {
            0 => first[number] - 1,
            _ => row_of(first[number]),
        };
        let weights = &plans[set.seat][from..from + set.moves.len()];
        let sum = weights.iter().fold(Ratio::ZERO, |sum, weight| sum.add(weight));
        match sum.is_zero() {
            // This set is never reached under optimal play.
            true => vec![Ratio::new(&Int::ONE, &Int::from(weights.len())); weights.len()],
            false => weights.iter().map(|weight| weight.div(&sum)).collect(),
        }
    });
    Some(Solution { value, mixes: mixes.collect(), exact })
}

/// Scales payoffs to integers: returns the common factor, the integers, and whether none was rounded.
fn to_integers(payoffs: BTreeMap<(usize, usize), Ratio>) -> (Int, BTreeMap<(usize, usize), Int>, bool) {
    let mut unit = Int::ONE;
    for payoff in payoffs.values() {
        let below = payoff.denominator();
        if let Some(more) = below.div_floor(&unit.gcd(below)) {
            unit = times(&unit, &more);
        }
        if unit.bits() > MAX_BITS {
            break;
        }
    }
    let exact = unit.bits() <= MAX_BITS;
    if !exact {
        unit = (0..ROUNDED_BITS).fold(Int::ONE, |unit, _| unit.add(&unit));
    }
    let whole = |payoff: &Ratio| {
        let scaled = times(payoff.numerator(), &unit);
        scaled.div_floor(payoff.denominator()).unwrap_or(Int::ZERO)
    };
    let payoffs = payoffs.iter().map(|(at, payoff)| (*at, whole(payoff))).collect();
    (unit, payoffs, exact)
}

/// A linear program in dictionary form: maximises the objective in the last row, subject to rows bounded by
/// their last cells and nonnegative variables. All cells are integers over one common denominator (J.
/// Edmonds, 1967; as in D. Avis's lrs), so nothing is rounded and no fractions need to be reduced.
struct Dictionary {
    cells: Vec<Vec<Int>>,
    denominator: Int,
    /// The variable of each row; `free_vars` holds that of each column.
    basic_vars: Vec<usize>,
    free_vars: Vec<usize>,
}

impl Dictionary {
    /// Creates a dictionary from rows whose last cells are nonnegative.
    fn new(cells: Vec<Vec<Int>>) -> Dictionary {
        let (rows, columns) = (cells.len() - 1, cells[0].len() - 1);
        let basic = (columns..columns + rows).collect();
        Dictionary { cells, denominator: Int::ONE, basic_vars: basic, free_vars: (0..columns).collect() }
    }

    /// Pivots to the optimum by R. Bland's rule (1977), which prevents cycling: the first variable that
    /// improves the objective enters, and the first that could leave does. `None` if it takes too long.
    fn optimise(mut self, goes_on: &dyn Fn() -> bool) -> Option<Dictionary> {
        let (rows, columns) = (self.basic_vars.len(), self.free_vars.len());
        for _ in 0..(rows + columns) * MAX_PIVOTS {
            let improves = |column: &usize| self.cells[rows][*column].is_negative();
            let enters = (0..columns).filter(improves).min_by_key(|column| self.free_vars[*column]);
            let Some(enters) = enters else { return Some(self) };
            let leaving = (0..rows).filter(|row| self.cells[*row][enters] > Int::ZERO);
            let leaves = leaving.min_by(|a, b| {
                let (one, two) = (&self.cells[*a], &self.cells[*b]);
                let (left, right) = (times(&one[columns], &two[enters]), times(&two[columns], &one[enters]));
                left.cmp(&right).then(self.basic_vars[*a].cmp(&self.basic_vars[*b]))
            });
            // Plans are bounded, so some row always leaves.
            self.pivot(leaves?, enters);
            if !goes_on() {
                return None;
            }
        }
        None
    }

    fn pivot(&mut self, pivot_row: usize, pivot_col: usize) {
        let row = self.cells[pivot_row].clone();
        let (by, unit) = (row[pivot_col].clone(), self.denominator.clone());
        for (at, cells) in self.cells.iter_mut().enumerate() {
            if at == pivot_row {
                cells[pivot_col] = unit.clone();
                continue;
            }
            let factor = cells[pivot_col].clone();
            for (cell, other) in cells.iter_mut().zip(&row) {
                let less = times(&factor, other);
                if cell.is_zero() && less.is_zero() {
                    continue;
                }
                // The division is exact: the dividend is a multiple of the previous denominator.
                *cell = times(cell, &by).sub(&less).div_floor(&unit).unwrap_or(Int::ZERO);
            }
            cells[pivot_col] = -&factor;
        }
        self.denominator = by;
        std::mem::swap(&mut self.basic_vars[pivot_row], &mut self.free_vars[pivot_col]);
    }

    fn value(&self) -> Ratio {
        self.ratio(&self.cells[self.basic_vars.len()][self.free_vars.len()])
    }

    fn ratio(&self, cell: &Int) -> Ratio {
        Ratio::new(cell, &self.denominator)
    }

    /// Returns the values of the original variables.
    fn primal(&self) -> Vec<Ratio> {
        let columns = self.free_vars.len();
        let mut values = vec![Ratio::ZERO; columns];
        for (row, variable) in self.basic_vars.iter().enumerate().filter(|(_, variable)| **variable < columns)
        {
            values[*variable] = self.ratio(&self.cells[row][columns]);
        }
        values
    }

    /// Returns the values of the dual variables, one per row.
    fn dual(&self) -> Vec<Ratio> {
        let (rows, columns) = (self.basic_vars.len(), self.free_vars.len());
        let mut values = vec![Ratio::ZERO; rows];
        for (column, variable) in
            self.free_vars.iter().enumerate().filter(|(_, variable)| **variable >= columns)
        {
            values[*variable - columns] = self.ratio(&self.cells[rows][column]);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equilibrium::Trail;
    use crate::equilibrium::tree::{Node, Set};
    use crate::eval::Chosen;
    use crate::num::Rng;

    fn set(seat: usize, moves: usize, nodes: Vec<u32>) -> Set {
        let moves = (0..moves).map(|offer| Chosen { offer, mv: 0, args: Vec::new() });
        Set { seat, moves: moves.collect(), nodes, last_step: 0, is_first: true, trail: Trail::begin(0) }
    }

    /// Creates the subgame of a matrix of the first seat's payoffs; the first seat chooses the row.
    fn matrix(rows: &[Vec<i64>]) -> Subgame {
        let (many, columns) = (rows.len() as u32, rows[0].len() as u32);
        let (ends, all) = (1 + many, 1 + many + many * columns);
        let mut nodes = vec![Node::Choice(0, 0)];
        nodes.extend((0..many).map(|row| Node::Choice(1, many + row * columns)));
        nodes.extend((0..many * columns).map(Node::End));
        let whole = |value: i64| Ratio::from(Int::from(value));
        let payoffs = rows.iter().flatten().map(|value| vec![whole(*value), whole(-value)]).collect();
        let levels = [0, 1, ends, all].windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
        let sets = vec![set(0, rows.len(), vec![0]), set(1, rows[0].len(), (1..ends).collect())];
        Subgame { nodes, targets: (1..all).collect(), payoffs, levels, sets, ..Subgame::default() }
    }

    fn worth(kind: &Kind) -> Ratio {
        match kind {
            Kind::End(worth) => worth[0].clone(),
            _ => Ratio::ZERO,
        }
    }

    fn words(mix: &[Ratio]) -> Vec<String> {
        mix.iter().map(Ratio::to_string).collect()
    }

    #[test]
    fn mixes_are_those_worked_out_by_hand() {
        // Matching pennies in which two heads pay double.
        let solved = solve(&matrix(&[vec![2, -1], vec![-1, 1]]), &worth, MAX_CELLS, &|| true).unwrap();
        assert_eq!(solved.value.to_string(), "1/5");
        assert_eq!(words(&solved.mixes[0]), ["2/5", "3/5"]);
        assert_eq!(words(&solved.mixes[1]), ["2/5", "3/5"]);
        // A saddle point: pure strategies.
        let solved = solve(&matrix(&[vec![3, 1, 4], vec![0, -1, 7]]), &worth, MAX_CELLS, &|| true).unwrap();
        assert_eq!(solved.value.to_string(), "1");
        assert_eq!(
            (words(&solved.mixes[0]), words(&solved.mixes[1])),
            (vec!["1".into(), "0".into()], vec!["0".into(), "1".into(), "0".into()])
        );
    }

    #[test]
    fn neither_mix_can_be_bettered_whatever_the_matrix() {
        let mut rng = Rng::new(5);
        for size in 1..30_u64 {
            let (many, columns) = (1 + rng.below_u64(7), 1 + rng.below_u64(7));
            let mut row = || (0..columns).map(|_| rng.below_u64(size) as i64 - 9).collect::<Vec<_>>();
            let rows: Vec<Vec<i64>> = (0..many).map(|_| row()).collect();
            let solved = solve(&matrix(&rows), &worth, MAX_CELLS, &|| true).unwrap();
            let [ones, twos] = [&solved.mixes[0], &solved.mixes[1]];
            let cell = |row: usize, column: usize| Ratio::from(Int::from(rows[row][column]));
            let sum = |parts: Vec<Ratio>| parts.iter().fold(Ratio::ZERO, |sum, part| sum.add(part));
            for column in 0..columns as usize {
                let parts = (0..many as usize).map(|row| ones[row].mul(&cell(row, column)));
                assert!(sum(parts.collect()) >= solved.value, "{rows:?}");
            }
            for row in 0..many as usize {
                let parts = (0..columns as usize).map(|column| twos[column].mul(&cell(row, column)));
                assert!(sum(parts.collect()) <= solved.value, "{rows:?}");
            }
        }
    }
}
