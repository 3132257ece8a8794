//! Undercut by backward induction: each pair of totals is a matrix game over shares of the win.

use std::collections::HashMap;

use super::matrix::equilibrium;

/// The rules. D. Hofstadter, Metamagical Themas, Scientific American, August 1982.
pub const RULES: &str = r#"// Name a number; undercut the other by one and take both.

game "Undercut" {
  by "Robert Boeninger and Douglas Hofstadter"
  players 2
}

option goal: 1..100 = 12

each player {
  total: int = 0
  named: 1..5
}

show "{[p in players: p.total]}"

// Name a number from 1 to 5.
move call(number in 1..5) {
  me.named := number
}

play {
  repeat {
    together players { call }
    let one = seat(1).named
    let two = seat(2).named
    if one + 1 = two {
      seat(1).total += one + two
    } else if two + 1 = one {
      seat(2).total += one + two
    } else {
      seat(1).total += one
      seat(2).total += two
    }
  } until some(p in players: p.total >= goal)
}

score = me.total

winner highest score
"#;

/// The numbers that can be named.
pub const NUMBERS: std::ops::RangeInclusive<u32> = 1..=5;

/// Returns the points that a pair of named numbers earns each player.
pub fn points([one, two]: [u32; 2]) -> [u32; 2] {
    match (one, two) {
        (one, two) if one + 1 == two => [one + two, 0],
        (one, two) if two + 1 == one => [0, one + two],
        points => points.into(),
    }
}

/// Memoized values of pairs of totals.
#[derive(Debug)]
pub struct Undercut {
    goal: u32,
    values: HashMap<[u32; 2], f64>,
}

impl Undercut {
    /// Matches to `goal` points.
    pub fn new(goal: u32) -> Undercut {
        Undercut { goal, values: HashMap::new() }
    }

    /// Returns player 1's shares of the win: a row per number of player 1, a column per number of player 2.
    pub fn matrix(&mut self, totals: [u32; 2]) -> Vec<Vec<f64>> {
        let mut entry = |named: [u32; 2]| {
            let [one, two] = points(named);
            self.value([totals[0] + one, totals[1] + two])
        };
        NUMBERS.map(|one| NUMBERS.map(|two| entry([one, two])).collect()).collect()
    }

    /// Returns player 1's share of the win in equilibrium.
    pub fn value(&mut self, totals: [u32; 2]) -> f64 {
        if totals.iter().any(|total| *total >= self.goal) {
            return match totals[0].cmp(&totals[1]) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
        if let Some(value) = self.values.get(&totals) {
            return *value;
        }
        let (value, _) = equilibrium(&self.matrix(totals));
        self.values.insert(totals, value);
        value
    }
}
