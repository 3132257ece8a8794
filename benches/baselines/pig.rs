//! Pig to 100 for two: rolls or holds at random while both are allowed.

use parlour::num::Rng;

use super::{Baseline, Played};

const GOAL: u64 = 100;

pub struct Pig;

impl Baseline for Pig {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut totals = [0; 2];
        let mut turn_total = 0;
        let mut me = 0;
        let mut choices = 0;
        loop {
            choices += 1;
            let may_roll = totals[me] + turn_total < GOAL;
            if may_roll && rng.below_u64(2) == 0 {
                let die = 1 + rng.below_u64(6);
                if die > 1 {
                    turn_total += die;
                    continue;
                }
            } else {
                totals[me] += turn_total;
                if totals[me] >= GOAL {
                    return Played::won_by(me, choices);
                }
            }
            turn_total = 0;
            me = 1 - me;
        }
    }
}
