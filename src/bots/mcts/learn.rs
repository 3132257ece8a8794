//! Backpropagation: what a search learns from its playouts, on the way back up the tree.

use super::Search;
use super::regret::Joint;
use super::tree::Edge;
use crate::bots::worth::Proof;
use crate::engine::Engine;

impl<E: Engine> Search<'_, E> {
    /// Propagates the rewards of the last bundle up the path, and `end`, the certain end after its last move.
    pub(super) fn learn(&mut self, mut end: Option<Proof>) {
        let seats = self.worth.seats;
        let mut path = self.path.as_slice();
        while let Some(last) = path.last() {
            let node = last.node;
            let (before, steps) = path.split_at(path.len() - self.tree.arms(node).len());
            for step in steps {
                let arm = self.tree.arm_mut(node, step.arm);
                let rewards = self.rewards[arm.seat];
                arm.visits += self.bundle;
                self.tree.edge_mut(node, step.arm, step.edge).learn(self.bundle, rewards);
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
        self.learn_together();
        if self.made.is_some() {
            self.learn_from_made();
        }
    }

    /// Records the reward as a hint for the moves each seat made later in the playout, at each node of the
    /// path.
    fn learn_from_made(&mut self) {
        let Some(made) = &mut self.made else { return };
        for step in self.path.iter().rev() {
            let (arm, edge) =
                (self.tree.arm(step.node, step.arm), self.tree.edge(step.node, step.arm, step.edge));
            // The `only` move of the root has no id and no siblings to compare with.
            if arm.rows {
                continue;
            }
            made.moves.push((arm.seat, edge.id));
            self.marks.set(self.tree.edges(arm));
            let reward = (self.rewards[arm.seat].1 / f64::from(self.bundle)) as f32;
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
    fn learn_together(&mut self) {
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
                    let reward = self.rewards[arm.seat].1 / f64::from(self.bundle);
                    self.tree.mixes[mix].regret_alone(self.path[from - 1].edge, reward, &means);
                }
                continue;
            }
            let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
            let bundle = f64::from(self.bundle);
            let rewards: Vec<f64> = arms.iter().map(|arm| self.rewards[arm.seat].1 / bundle).collect();
            self.tree.joint.add(node, Joint::key(chosen.iter().copied()), &rewards);
            for (at, arm) in arms.iter().enumerate() {
                let Some(mix) = arm.mix else { continue };
                let key_with = |edge: usize| {
                    Joint::key(chosen.iter().enumerate().map(|(n, e)| if n == at { edge } else { *e }))
                };
                let reached = self.tree.joint.mean(node, key_with(chosen[at]), at).unwrap_or(rewards[at]);
                for edge in 0..arm.known() {
                    // A move never met with these choices of the others is valued at its overall mean.
                    let known = &self.tree.edges(arm)[edge];
                    let met = self.tree.joint.mean(node, key_with(edge), at);
                    let mean = (known.visits > 0).then(|| known.reward / f64::from(known.visits));
                    let regret = met.or(mean).unwrap_or(0.5) - reached;
                    self.tree.mixes[mix].regret(edge, regret);
                }
            }
        }
    }
}
