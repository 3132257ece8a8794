//! Backpropagation: what a search learns from its playouts, on the way back up the tree.

use super::joint::JointStats;
use super::tree::Edge;
use super::{Search, Step};
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
        let path = std::mem::take(&mut self.path);
        self.learn_where_it_ended(&path);
        let mut left = path.len();
        for steps in path.chunk_by(Step::at_same_stop).rev() {
            let Some(last) = steps.last() else { continue };
            left -= steps.len();
            if !last.decides {
                counted = 1;
            }
            let share = f64::from(counted) / f64::from(self.batch_size);
            for step in steps {
                let seat = self.tree.arm(step.node, step.arm).seat;
                if self.learns(seat) && !self.is_settled(step) {
                    let (won, reward) = self.rewards[seat];
                    self.tree.arm_mut(step.node, step.arm).visits += counted;
                    if self.draws && steps.len() == 1 && self.expect_after(step, counted) {
                        continue;
                    }
                    let edge = self.tree.edge_mut(step.node, step.arm, step.edge);
                    edge.learn(counted, (share * won, share * reward));
                }
            }
            self.update_regrets(steps);
            if let [step] = steps
                && self.draws
            {
                self.expect(step, path[..left].last(), counted);
            }
            let certain = end.filter(|_| last.decides).map(Proof::before);
            end = certain.and_then(|end| match steps {
                [step] => self.tree.prove(step.node, step.arm, step.edge, end, seats),
                steps => {
                    let chosen: Vec<usize> = steps.iter().map(|step| step.edge).collect();
                    self.tree.prove_together(last.node, &chosen, end, seats)
                }
            });
        }
        self.path = path;
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
            made.add(arm.seat, edge.id);
            let (seat, reward) = (arm.seat, (self.rewards[arm.seat].1 / f64::from(self.batch_size)) as f32);
            self.tree.add_hints(step.node, step.arm, reward, made.by(seat));
        }
        made.clear();
    }

    /// Whether nothing more is learned where a step begins.
    fn is_settled(&self, step: &Step) -> bool {
        self.settled.is_some() && step.is_at_root()
    }

    /// Updates the regrets of seats that chose together at a stop, or in secret: what other moves would have brought.
    fn update_regrets(&mut self, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            let arm = *self.tree.arm(step.node, step.arm);
            let Some(mix) = arm.mix.filter(|_| self.learns(arm.seat) && !self.is_settled(step)) else {
                continue;
            };
            let (won, reward) = self.rewards[arm.seat];
            let batch = f64::from(self.batch_size);
            let (won, reward) = (won / batch, reward / batch);
            let mean = |edge: &Edge| match edge.visits {
                0 => 0.5,
                visits => edge.reward / f64::from(visits),
            };
            let means: Vec<f64> = self.tree.edges(&arm).iter().map(mean).collect();
            let drawn = |step: &Step| self.tree.arm(step.node, step.arm).draws_afresh();
            // The same choices of others hardly come up twice where they are drawn.
            if steps.len() == 1 || steps.iter().enumerate().any(|(n, other)| n != at && drawn(other)) {
                self.tree.mixes[mix].update_from_own_reward(step.edge, reward, &means);
                continue;
            }
            let others = steps.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, other)| {
                let edge = self.tree.edge(other.node, other.arm, other.edge);
                self.move_token(other.node, other.arm, edge)
            });
            let others = JointStats::key_of_others(others);
            let place = (step.node, step.arm);
            self.tree.joint.add(place, step.edge, others, (reward, won));
            let reached = self.tree.joint.mean(place, step.edge, others).unwrap_or(reward);
            for (edge, mean) in means.iter().enumerate() {
                // A move never met with these choices of the others is valued at its overall mean.
                let observed = self.tree.joint.mean(place, edge, others);
                self.tree.mixes[mix].add_regret(edge, observed.unwrap_or(*mean) - reached);
            }
        }
    }
}
