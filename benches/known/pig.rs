//! Pig for two, played optimally: value iteration as T. Neller and C. Presser do it (The UMAP Journal 25, 2004).

/// The change of a sweep below which values stand.
const STANDING: f64 = 1e-10;

/// The chance to win of who is to choose, by their total, the other's, and the turn's.
#[derive(Debug)]
pub struct Pig {
    goal: usize,
    values: Vec<f64>,
}

impl Pig {
    /// Works it out for a goal.
    pub fn new(goal: usize) -> Pig {
        let mut pig = Pig { goal, values: vec![0.5; goal * goal * goal] };
        // Pairs of totals lead to themselves, each other, and higher ones: those of the highest sum come first, and stand before
        // the next are begun.
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

    /// The chance to win of who is to choose.
    pub fn value(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        if mine + turn >= self.goal { 1.0 } else { self.values[self.at(mine, yours, turn)] }
    }

    /// The same once they have chosen to roll.
    pub fn roll(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        let ones = 1.0 - self.value(yours, mine, 0);
        (2..=6).fold(ones, |sum, die| sum + self.value(mine, yours, turn + die)) / 6.0
    }

    /// The same once they have chosen to hold.
    pub fn hold(&self, mine: usize, yours: usize, turn: usize) -> f64 {
        if mine + turn >= self.goal { 1.0 } else { 1.0 - self.value(yours, mine + turn, 0) }
    }
}
