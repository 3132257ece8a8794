//! How far exploring is: what is spent, and the most that is still to be done.

use super::{Plan, Setting};

/// The way of a plan through its phases. How much of a phase's budget is needed nobody knows before: much is saved where a
/// position is met again. So what is done is compared with what could still come, and the share that is done may leap.
pub struct Way<'p> {
    plan: &'p Plan<'p>,
    /// The effort that is spent.
    spent: u64,
    /// The most that is to be spent.
    ahead: u64,
}

impl<'p> Way<'p> {
    /// Nothing is done, and so much is ahead.
    pub fn new(plan: &'p Plan<'p>, ahead: u64) -> Way<'p> {
        Way { plan, spent: 0, ahead }
    }

    /// A phase with its budget. What is told while it lasts is a share of it, and gives what of it was spent.
    pub fn phase<T>(&mut self, budget: u64, work: impl FnOnce(&Plan) -> (T, u64)) -> T {
        self.ahead = self.ahead.saturating_sub(budget);
        let (spent, budget) = (self.spent as f64, budget as f64);
        let whole = (spent + budget + self.ahead as f64).max(1.0);
        let watch = |setting: &Setting, share: f64| {
            (self.plan.watch)(setting, (spent + share.min(1.0) * budget) / whole)
        };
        let (made, used) = work(&Plan { watch: &watch, ..self.plan.clone() });
        self.spent += used;
        made
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_is_saved_brings_the_end_nearer() {
        let told = RefCell::new(Vec::new());
        let watch = |_: &Setting, share: f64| {
            told.borrow_mut().push((share * 100.0).round());
            true
        };
        let setting = Setting { options: BTreeMap::new(), players: 2 };
        let plan = Plan { watch: &watch, ..Plan::default() };
        let mut way = Way::new(&plan, 100);
        for (budget, shares, used) in [(40, [0.0, 0.5], 20), (60, [0.0, 1.0], 60)] {
            way.phase(budget, |plan| {
                assert!(shares.iter().all(|share| (plan.watch)(&setting, *share)));
                ((), used)
            });
        }
        assert_eq!(*told.borrow(), [0.0, 20.0, 25.0, 100.0]);
    }
}
