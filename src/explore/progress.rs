//! Progress of exploring: the effort spent, and the most that may still be spent.

use super::{Plan, Setting};

/// The progress of a plan through its phases. How much of its budget a phase needs is not known in advance,
/// because much is saved when positions recur. So progress is the effort spent relative to what could still
/// be spent, and it may jump.
pub struct Progress<'p> {
    plan: &'p Plan<'p>,
    /// The effort spent so far.
    spent: u64,
    /// The most effort that may still be spent.
    ahead: u64,
}

impl<'p> Progress<'p> {
    /// No effort spent, and at most `ahead` to spend.
    pub fn new(plan: &'p Plan<'p>, ahead: u64) -> Progress<'p> {
        Progress { plan, spent: 0, ahead }
    }

    /// Runs a phase with a budget. `work` reports its progress as a share of the budget, and returns its
    /// result with the effort it used.
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
        let mut progress = Progress::new(&plan, 100);
        for (budget, shares, used) in [(40, [0.0, 0.5], 20), (60, [0.0, 1.0], 60)] {
            progress.phase(budget, |plan| {
                assert!(shares.iter().all(|share| (plan.watch)(&setting, *share)));
                ((), used)
            });
        }
        assert_eq!(*told.borrow(), [0.0, 20.0, 25.0, 100.0]);
    }
}
