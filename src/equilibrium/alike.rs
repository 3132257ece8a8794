//! Situations that are played alike, and are laid out only once.

use std::collections::HashMap;

use super::layout::History;
use crate::engine::identity::digest_of;
use crate::explore::Key;
use crate::num::Ratio;

/// Groups of histories that were laid out, by what they have in common with those that are played alike.
#[derive(Default)]
pub(super) struct Groups {
    known: HashMap<Key, Vec<Member>>,
}

/// A history of a group: its node, and the knowledge of each seat.
#[derive(Clone)]
pub(super) struct Member {
    pub node: usize,
    pub knowledge: Vec<usize>,
}

impl Groups {
    /// Looks for a group that is played like this one, of histories that no seat confuses with others; otherwise remembers
    /// this one. Returns the pairs of members: those of the group found, and those of this one.
    ///
    /// Groups are played alike if they consist of the same positions, with the same relative probabilities of draws, and seats
    /// confuse the same of them; and if at most one seat has made other choices on the way, the same in the whole group. What
    /// follows then counts by how likely that seat, and chance, make the group, and so it can be played by the mean of how it
    /// is played in both groups: the game is well-formed (M. Lanctot, R. Gibson, N. Burch, M. Bowling, No-regret learning in
    /// extensive-form games with imperfect recall, 2012).
    pub fn find_or_add<S>(
        &mut self,
        together: &[History<S>],
        key: impl Fn(&History<S>) -> Key,
    ) -> Option<Vec<(Member, Member)>> {
        let first = together.first()?;
        let seats = first.sequences.len();
        let keys: Vec<Key> = together.iter().map(key).collect();
        let is_uniform =
            |seat: &usize| together.iter().all(|history| history.sequences[*seat] == first.sequences[*seat]);
        let uniform: Vec<usize> = (0..seats).filter(is_uniform).collect();
        let free: Vec<Option<usize>> = match uniform.is_empty() {
            true => vec![None],
            false => uniform.into_iter().map(Some).collect(),
        };
        let mut added = Vec::new();
        for free in free {
            let Some((key, members)) = signature(together, &keys, free) else { continue };
            if let Some(known) = self.known.get(&key) {
                return Some(known.iter().cloned().zip(members).collect());
            }
            added.push((key, members));
        }
        self.known.extend(added);
        None
    }
}

/// Returns a digest that only groups played alike have in common if one seat is `free` to have chosen otherwise, and the
/// members in the order in which they correspond. `None` if that is ambiguous.
fn signature<S>(together: &[History<S>], keys: &[Key], free: Option<usize>) -> Option<(Key, Vec<Member>)> {
    let others = |history: &History<S>| {
        let choices = history.sequences.iter().enumerate();
        choices.filter(|(seat, _)| Some(*seat) != free).map(|(_, choice)| *choice).collect::<Vec<_>>()
    };
    let mut order: Vec<(Key, Vec<_>, usize)> =
        together.iter().enumerate().map(|(at, history)| (keys[at], others(history), at)).collect();
    order.sort();
    if order.windows(2).any(|pair| (pair[0].0, &pair[0].1) == (pair[1].0, &pair[1].1)) {
        return None;
    }
    let members: Vec<&History<S>> = order.iter().map(|(.., at)| &together[*at]).collect();
    let first = members.first()?;
    let weights: Vec<Ratio> = members.iter().map(|history| history.weight.div(&first.weight)).collect();
    // What a seat knows, by the first member that it confuses with this one.
    let confused = |seat: usize| {
        let mut number = HashMap::new();
        members
            .iter()
            .enumerate()
            .map(|(at, history)| *number.entry(history.knowledge[seat]).or_insert(at))
            .collect::<Vec<usize>>()
    };
    let knows: Vec<Vec<usize>> = (0..first.knowledge.len()).map(confused).collect();
    let parts: Vec<_> = order.iter().map(|(key, others, _)| (*key, others)).collect();
    let has_chosen = (first.level, first.has_chosen, free);
    let key = digest_of(&(parts, weights, knows, has_chosen));
    let member = |history: &&History<S>| Member { node: history.node, knowledge: history.knowledge.clone() };
    Some((key, members.iter().map(member).collect()))
}
