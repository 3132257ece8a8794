//! Optimal Pig for two, by value iteration as in T. Neller and C. Presser (The UMAP Journal 25, 2004).

/// Values have converged when no value changes by this much in a sweep.
const STANDING: f64 = 1e-10;

/// The winning probability of the player to choose, by that player's total, the other's, and the turn total.
#[derive(Debug)]
pub struct Pig {
    goal: usize,
    values: Vec<f64>,
}

impl Pig {
    /// Computes the values for a goal.
    pub fn new(goal: usize) -> Pig {
        let mut pig = Pig { goal, values: vec![0.5; goal * goal * goal] };
        // A pair of totals depends on itself, its mirror image, and pairs with a higher sum. So pairs are
        // solved in order of descending sum, each sum to convergence before the next.
        for sum in (0..=2 * (goal - 1)).rev() {
            let pairs = (0..goal).filter_map(|mine| sum.checked_sub(mine).map(|yours| (mine, yours)));
            let pairs: Vec<(usize, usize)> = pairs.filter(|(_, yours)| *yours < goal).collect();
            loop {
                let mut change = 0.0_f64;
                for (mine, yours) in &pairs {
                    for turn in (0..goal - mine).rev() {
                        let new = pig.roll(*mine, *yours, turn).max(pig.hold(*mine, *yours, turn));
                        let at = pig.at(*mine, *yours, turn);
                        change = change.max((new - pig.values[at]).abs());
                        pig.values[at] = new;
                    }
                }
                if change < STANDING {
                    break;
                }
            }
        }
        pig
    }

    fn at(&self, mine: usize, yours: usize, turn: usize) -> usize {
        (mine * self.goal + yours) * self.goal + turn
    }

    /// Returns the winning probability of the player to choose.
    pub fn value(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        if mine + turn >= self.goal { 1.0 } else { self.values[self.at(mine, yours, turn)] }
    }

    /// The same after choosing to roll.
    pub fn roll(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        let ones = 1.0 - self.value(yours, mine, 0);
        (2..=6).fold(ones, |sum, die| sum + self.value(mine, yours, turn + die)) / 6.0
    }

    /// The same after choosing to hold.
    pub fn hold(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        if mine + turn >= self.goal { 1.0 } else { 1.0 - self.value(yours, mine + turn, 0) }
    }
}
