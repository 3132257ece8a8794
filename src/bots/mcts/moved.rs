//! How far the values of the moves to choose from have moved while a search went on. A mean over playouts errs for two reasons: the
//! luck in the playouts, of which their number tells, and what is not yet known of the replies, of which it does not. As
//! more becomes known of them, values move; and what has moved in the later part of a search has hardly come to rest.

use super::Search;
use crate::engine::Engine;

/// The first time that a value is noted, in visits of the move; then whenever there are twice as many.
const FIRST: u32 = 8;
/// Values are compared with those that were noted since the visits were this part of what they are now; `benches/README.md`
/// says how the part was chosen.
const LATER_PART: u32 = 32;

/// The values of a move in the course of a search: (visits, value), the last one that of now.
#[derive(Debug, Default)]
struct Course {
    noted: Vec<(u32, f64)>,
    now: (u32, f64),
}

/// The courses of all moves at the root, by arm and edge.
#[derive(Debug, Default)]
pub(super) struct Moved(Vec<Vec<Course>>);

impl Moved {
    fn note(&mut self, (arm, edge): (usize, usize), visits: u32, value: f64) {
        if self.0.len() <= arm {
            self.0.resize_with(arm + 1, Vec::new);
        }
        let courses = &mut self.0[arm];
        if courses.len() <= edge {
            courses.resize_with(edge + 1, Course::default);
        }
        let Course { noted, now } = &mut courses[edge];
        *now = (visits, value);
        if visits >= noted.last().map_or(FIRST, |(before, _)| 2 * before) {
            noted.push(*now);
        }
    }

    /// Returns by how much the value of a move has differed, in the later part of the search, from what it is in the end.
    pub fn of(&self, arm: usize, edge: usize) -> f64 {
        let Some(Course { noted, now }) = self.0.get(arm).and_then(|courses| courses.get(edge)) else {
            return 0.0;
        };
        let later = noted.iter().filter(|(visits, _)| *visits >= now.0 / LATER_PART);
        later.map(|(_, value)| (value - now.1).abs()).fold(0.0, f64::max)
    }
}

impl<E: Engine> Search<'_, E> {
    /// Notes what the moves are worth now that the last descent has made at the root.
    pub(super) fn note_moved(&mut self) {
        for step in self.path.iter().take_while(|step| step.is_at_root()) {
            let edge = self.tree.edge(step.node, step.arm, step.edge);
            self.moved.note((step.arm, step.edge), edge.visits, edge.mean());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_later_part_of_a_search_counts() {
        let mut moved = Moved::default();
        assert_eq!(moved.of(0, 3), 0.0);
        // Noted at 8, 17, 34, 68 and 136 visits.
        for (visits, value) in
            [(8, 0.875), (9, 0.1), (17, 0.5), (34, 0.75), (68, 0.5), (136, 0.5), (140, 0.625)]
        {
            moved.note((1, 3), visits, value);
        }
        assert_eq!(moved.of(1, 3), 0.25);
        // 8 visits are less than a thirty-second of 300.
        moved.note((1, 3), 300, 0.625);
        assert_eq!(moved.of(1, 3), 0.125);
        assert_eq!(moved.of(1, 2), 0.0);
    }
}
