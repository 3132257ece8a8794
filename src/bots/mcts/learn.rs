//! Backpropagation: what a search learns from its playouts, on the way back up the tree.

use super::Search;
use super::joint::JointStats;
use super::tree::Edge;
use crate::bots::worth::Proof;
use crate::engine::Engine;

impl<E: Engine> Search<'_, E> {
    /// Propagates the rewards of the last batch up the path, and `end`, the certain end after its last move. How
    /// many playouts a batch has depends on where it begins. So above a draw of chance, or a choice among hidden
    /// things, it counts as one playout: else outcomes that bring larger batches would count more often than they
    /// come up. Returns how many playouts it counts as at the root.
    pub(super) fn backpropagate(&mut self, mut end: Option<Proof>) -> u32 {
        let seats = self.model.seats;
        let mut counted = self.batch_size;
        let mut path = self.path.as_slice();
        while let Some(last) = path.last() {
            let node = last.node;
            let (before, steps) = path.split_at(path.len() - self.tree.arms(node).len());
            if !last.decides {
                counted = 1;
            }
            let share = f64::from(counted) / f64::from(self.batch_size);
            for step in steps {
                let arm = self.tree.arm_mut(node, step.arm);
                let (won, reward) = self.rewards[arm.seat];
                arm.visits += counted;
                self.tree.edge_mut(node, step.arm, step.edge).learn(counted, (share * won, share * reward));
            }
            let certain = end.filter(|_| last.decides).map(Proof::before);
            end = certain.and_then(|end| match steps {
                [step] => self.tree.prove(node, step.arm, step.edge, end, seats),
                steps => {
                    let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
                    self.tree.prove_together(node, &chosen, end, seats)
                }
            });
            path = before;
        }
        self.update_regrets();
        if self.amaf_moves.is_some() {
            self.learn_amaf();
        }
        counted
    }

    /// Records the reward as a hint for the moves each seat made later in the playout, at each node of the
    /// path.
    fn learn_amaf(&mut self) {
        let Some(made) = &mut self.amaf_moves else { return };
        for step in self.path.iter().rev() {
            let (arm, edge) =
                (self.tree.arm(step.node, step.arm), self.tree.edge(step.node, step.arm, step.edge));
            // The `only` move of the root has no id and no siblings to compare with.
            if arm.uses_stored_moves {
                continue;
            }
            made.moves.push((arm.seat, edge.id));
            self.marks.set(self.tree.edges(arm));
            let reward = (self.rewards[arm.seat].1 / f64::from(self.batch_size)) as f32;
            let seat = arm.seat;
            for (_, id) in made.moves.iter().filter(|(by, _)| *by == seat) {
                if let Some(edge) = self.marks.edge_of(*id) {
                    self.tree.edge_mut(step.node, step.arm, edge).hint(reward);
                }
            }
            self.marks.clear(self.tree.edges(self.tree.arm(step.node, step.arm)));
        }
        made.moves.clear();
    }

    /// Updates the regrets of seats that chose together or in secret: what other moves would have brought.
    fn update_regrets(&mut self) {
        let mut from = 0;
        while from < self.path.len() {
            let node = self.path[from].node;
            let arms = self.tree.arms(node).to_vec();
            let steps = &self.path[from..from + arms.len()];
            from += arms.len();
            if let [arm] = arms.as_slice() {
                if let Some(mix) = arm.mix {
                    let mean = |edge: &Edge| match edge.visits {
                        0 => 0.5,
                        visits => edge.reward / f64::from(visits),
                    };
                    let means: Vec<f64> = self.tree.edges(arm).iter().map(mean).collect();
                    let reward = self.rewards[arm.seat].1 / f64::from(self.batch_size);
                    self.tree.mixes[mix].update_from_own_reward(self.path[from - 1].edge, reward, &means);
                }
                continue;
            }
            let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
            let batch = f64::from(self.batch_size);
            let rewards: Vec<f64> = arms.iter().map(|arm| self.rewards[arm.seat].1 / batch).collect();
            let results: Vec<(f64, f64)> = arms
                .iter()
                .zip(&rewards)
                .map(|(arm, reward)| (*reward, self.rewards[arm.seat].0 / batch))
                .collect();
            self.tree.joint.add(node, JointStats::key(chosen.iter().copied()), &results);
            for (at, arm) in arms.iter().enumerate() {
                let Some(mix) = arm.mix else { continue };
                let key_with = |edge: usize| {
                    JointStats::key(chosen.iter().enumerate().map(|(n, e)| if n == at { edge } else { *e }))
                };
                let reached = self.tree.joint.mean(node, key_with(chosen[at]), at).unwrap_or(rewards[at]);
                for edge in 0..arm.edge_count() {
                    // A move never met with these choices of the others is valued at its overall mean.
                    let known = &self.tree.edges(arm)[edge];
                    let observed = self.tree.joint.mean(node, key_with(edge), at);
                    let mean = (known.visits > 0).then(|| known.reward / f64::from(known.visits));
                    let regret = observed.or(mean).unwrap_or(0.5) - reached;
                    self.tree.mixes[mix].add_regret(edge, regret);
                }
            }
        }
    }
}
