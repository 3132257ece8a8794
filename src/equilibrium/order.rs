//! The order in which subgames are solved: each after those it leads to, cycles of subgames together.

use crate::solve::Components;

/// A strongly connected component of subgames; `cyclic` is false for a single one without a self-loop.
pub(super) struct Group {
    pub members: Vec<usize>,
    pub cyclic: bool,
}

/// Returns the groups of all subgames, each after those it leads to.
pub(super) fn groups(exits: &[Vec<u32>]) -> Vec<Group> {
    let found = Components::of(exits.len(), |at| &exits[at]);
    let group = |members: &[u32]| Group {
        members: members.iter().rev().map(|member| *member as usize).collect(),
        cyclic: members.len() > 1 || exits[members[0] as usize].contains(&members[0]),
    };
    found.each().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_led_to_comes_first_and_what_goes_round_together() {
        let found = groups(&[vec![1, 2], vec![3], vec![3, 4], vec![], vec![2, 4], vec![5]]);
        let told: Vec<(Vec<usize>, bool)> = found
            .into_iter()
            .map(|group| {
                let mut members = group.members;
                members.sort_unstable();
                (members, group.cyclic)
            })
            .collect();
        assert_eq!(
            told,
            [(vec![3], false), (vec![1], false), (vec![2, 4], true), (vec![0], false), (vec![5], true)]
        );
    }
}
