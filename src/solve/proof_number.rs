//! Depth-first proof-number search (df-pn: A. Nagai, Ph.D. thesis, University of Tokyo, 2002): whether a position is
//! worth at least a given number, looking first where the fewest positions seem to be missing from a proof.
//!
//! The numbers of a position say how many positions behind it must still be shown to be worth enough, or not to be, at
//! least. They only guide the search: what is proved is stored in the table of [`Search`], which compares positions in
//! full, so that both searches of this folder use what the other has proved.

use super::Halt;
use super::search::{Search, SearchNode};
use crate::engine::{Engine, Stepper};

/// A question is given up, for this turn, when what is left to prove or to disprove reaches this.
const MOST: u32 = 1 << 30;

/// What is left to prove, or to disprove, where that is impossible.
const NEVER: u32 = u32::MAX;

/// How many places the table of numbers has at first, and how many a position may be stored in.
const INITIAL_PLACES: usize = 1 << 12;
const PLACES: usize = 2;

/// How many positions are still needed, at least, to answer a question about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// To prove that it is worth enough: 0 if it is, [`NEVER`] if it is not.
    pub proof: u32,
    /// To prove that it is not: 0 if it is not, [`NEVER`] if it is.
    pub disproof: u32,
}

impl Numbers {
    /// A position that has not been looked at.
    pub const NEW: Numbers = Numbers { proof: 1, disproof: 1 };
    /// A position that is worth enough.
    pub const PROVED: Numbers = Numbers { proof: 0, disproof: NEVER };
    /// A position that is not.
    pub const DISPROVED: Numbers = Numbers { proof: NEVER, disproof: 0 };

    fn work(self) -> u64 {
        u64::from(self.proof) + u64::from(self.disproof)
    }
}

/// The numbers of positions, by the hashes of their keys and of the question. Positions with equal hashes are mistaken
/// for each other, which does no harm: the numbers only guide the search.
#[derive(Debug)]
pub struct ProofNumbers {
    /// For each place the hash (0 if it is empty) and the numbers.
    slots: Vec<(u64, Numbers)>,
    taken: usize,
    /// The most bytes that the table may take.
    most: u64,
}

impl ProofNumbers {
    /// Creates a table of at most about `bytes` bytes.
    pub fn new(bytes: u64) -> ProofNumbers {
        ProofNumbers { slots: vec![(0, Numbers::NEW); INITIAL_PLACES], taken: 0, most: bytes }
    }

    /// Whether no question was left without an answer so far.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Returns the numbers that were stored last.
    fn get(&self, hash: u64) -> Option<Numbers> {
        let first = self.place(hash);
        self.slots[first..first + PLACES].iter().find(|(of, _)| *of == hash).map(|(_, numbers)| *numbers)
    }

    /// Stores numbers. Of two places, one keeps the position with the larger numbers, the other the latest.
    fn put(&mut self, hash: u64, numbers: Numbers) {
        let bytes = (2 * self.slots.len() * size_of::<(u64, Numbers)>()) as u64;
        if 2 * self.taken > self.slots.len() && bytes <= self.most {
            let places = vec![(0, Numbers::NEW); 2 * self.slots.len()];
            let before = std::mem::replace(&mut self.slots, places);
            self.taken = 0;
            before.into_iter().filter(|(of, _)| *of != 0).for_each(|(of, numbers)| self.add(of, numbers));
        }
        self.add(hash, numbers);
    }

    fn add(&mut self, hash: u64, numbers: Numbers) {
        let first = self.place(hash);
        let places = &mut self.slots[first..first + PLACES];
        let at = match places.iter().position(|(of, _)| *of == hash || *of == 0) {
            Some(at) => at,
            None => usize::from(places[0].1.work() > numbers.work()),
        };
        self.taken += usize::from(places[at].0 == 0);
        places[at] = (hash, numbers);
    }

    fn place(&self, hash: u64) -> usize {
        let pairs = (self.slots.len() / PLACES) as u128;
        ((u128::from(hash) * pairs) >> 64) as usize * PLACES
    }
}

/// What the side to choose still needs, at least, in a position: its own number and that of the other side.
#[derive(Debug, Clone, Copy)]
struct View {
    own: u32,
    other: u32,
}

impl View {
    /// Returns numbers as the side sees them that is to choose: the one that maximises or the other.
    fn of(numbers: Numbers, maximises: bool) -> View {
        let Numbers { proof, disproof } = numbers;
        let (own, other) = if maximises { (proof, disproof) } else { (disproof, proof) };
        View { own, other }
    }

    /// Returns the numbers that are seen.
    fn numbers(self, maximises: bool) -> Numbers {
        let View { own, other } = self;
        let (proof, disproof) = if maximises { (own, other) } else { (other, own) };
        Numbers { proof, disproof }
    }
}

/// What the children of a position make of it.
struct Survey {
    seen: View,
    /// The child that needs the least, and what the next best needs.
    next: usize,
    second: u32,
    /// How many children the other side still has to answer.
    open: u32,
}

impl<E: Engine> Search<'_, E> {
    /// Asks the same as [`Search::ask`], visiting about `most` positions; `None` if that does not suffice.
    pub fn prove(&mut self, state: &E::State, wanted: i32, most: u64) -> Result<Option<i32>, Halt> {
        let until = self.visited.saturating_add(most);
        let mut done = match self.begin(state)? {
            Some(worth) => Some(worth),
            None => self.expand(0, wanted)?,
        };
        // A position is left when the numbers of the side to choose there reach these.
        let mut limits = vec![View { own: MOST, other: MOST }];
        if done.is_none() {
            self.number_children(wanted)?;
        }
        loop {
            if let Some(worth) = done.take() {
                limits.pop();
                let Some(frame) = self.frames.last() else { return Ok(Some(worth)) };
                self.children[frame.next - 1].settle(worth, wanted);
            }
            let (Some(frame), Some(limit)) = (self.frames.last(), limits.last()) else { return Ok(None) };
            let Survey { seen, next, second, open } = self.survey(frame, wanted);
            let maximises = frame.maximises;
            if seen.own == 0 || seen.other == 0 {
                done = Some(self.close_solved(wanted));
                continue;
            }
            if seen.own >= limit.own || seen.other >= limit.other || self.visited >= until {
                let numbers = seen.numbers(maximises);
                self.numbers.put(number_key(frame.hash, wanted), numbers);
                self.leave();
                limits.pop();
                let Some(frame) = self.frames.last() else { return Ok(None) };
                self.children[frame.next - 1].numbers = numbers;
                continue;
            }
            // Some more than the second best may need, so that the search does not go back and forth between
            // both (1 + epsilon: J. Pawlewicz and L. Lew, Computers and Games 2006).
            let own = limit.own.min(second.saturating_add(second / 4).saturating_add(1));
            let other = limit.other - (open - 1);
            let behind = View { own, other }.numbers(maximises);
            if let Some(frame) = self.frames.last_mut() {
                frame.next = next + 1;
            }
            done = self.expand(next, wanted)?;
            limits.push(View::of(behind, self.frames.last().is_some_and(|frame| frame.maximises)));
            if done.is_none() {
                self.number_children(wanted)?;
            }
        }
    }

    /// Sets the numbers of the children of the last frame. In a new position, the side to choose needs one good move,
    /// and the other side an answer to each (mobility initialisation: see A. Kishimoto and others, ICGA Journal 35, 2012).
    fn number_children(&mut self, wanted: i32) -> Result<(), Halt> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let Search { children, numbers, stepper, states, payoffs, side, .. } = self;
        for child in &mut children[frame.first..] {
            if child.numbers_for(wanted) != Numbers::NEW {
                continue;
            }
            child.numbers = match numbers.get(number_key(child.hash, wanted)) {
                Some(numbers) => numbers,
                None => {
                    let state = &states[child.at];
                    let mover = stepper.turn(state).seat().unwrap_or(0);
                    let other =
                        u32::try_from(stepper.count(state, mover)?).unwrap_or(MOST).clamp(1, MOST - 1);
                    View { own: 1, other }.numbers(payoffs.side(mover) == *side)
                }
            };
        }
        Ok(())
    }

    /// Puts the numbers of a position's children together.
    fn survey(&self, frame: &SearchNode, wanted: i32) -> Survey {
        let nothing = View { own: NEVER, other: 0 };
        let mut found = Survey { seen: nothing, next: frame.first, second: NEVER, open: 0 };
        for (at, child) in self.children.iter().enumerate().skip(frame.first) {
            let view = View::of(child.numbers_for(wanted), frame.maximises);
            found.seen.other = found.seen.other.max(view.other);
            found.open += u32::from(view.other > 0);
            if view.own < found.seen.own {
                found.second = found.seen.own;
                (found.seen.own, found.next) = (view.own, at);
            } else {
                found.second = found.second.min(view.own);
            }
        }
        // The most that one of them needs, and one for each of the rest, instead of the sum: many positions can be
        // reached in several ways (weak proof numbers: T. Ueda and others, Computers and Games 2008).
        if found.seen.other != NEVER {
            found.seen.other += found.open.saturating_sub(1);
        }
        found
    }

    /// Closes the last frame, whose children answer the question.
    fn close_solved(&mut self, wanted: i32) -> i32 {
        if let Some(frame) = self.frames.last_mut() {
            for child in &self.children[frame.first..] {
                if child.known.lower >= wanted {
                    frame.take(child.known.lower, child.nth);
                } else if child.known.upper < wanted {
                    frame.take(child.known.upper, child.nth);
                }
            }
        }
        self.close(wanted)
    }
}

/// Returns the hash of a position and a question about it.
fn number_key(hash: u64, wanted: i32) -> u64 {
    (hash ^ u64::from(wanted as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Machine;
    use crate::num::Rng;
    use crate::play::{Rules, bundled_source};
    use crate::solve::payoff::{Goal, Payoffs};
    use crate::solve::position_after;
    use crate::solve::table::TranspositionTable;

    #[test]
    fn it_answers_what_alpha_beta_search_answers() {
        let win = Goal::Win;
        type Options<'o> = &'o [(&'o str, &'o str)];
        let games: [(&str, Options, Goal); 5] = [
            ("tic-tac-toe", &[], win),
            ("hex", &[("n", "3")], win),
            ("procession", &[("n", "5")], win),
            ("dots-and-boxes", &[("rows", "1"), ("columns", "2")], Goal::Points { highest: true }),
            ("kalah", &[("holes", "2"), ("seeds", "2")], win),
        ];
        for (name, options, goal) in games {
            let rules = Rules::load(bundled_source(name).unwrap()).unwrap();
            let machine = rules.machine(&rules.read_options(options.iter().copied()).unwrap(), 2).unwrap();
            let mut rng = Rng::new(7);
            let mut state = Machine::start(&machine).unwrap();
            // All positions of one match: from the start, where much is open, to the end.
            loop {
                for wanted in [-1, 0, 1, 2] {
                    let search = || {
                        let table = TranspositionTable::new(1 << 22, None);
                        Search::new(&machine, Payoffs::of(&machine, goal), 0, table, 1 << 22, &[], &|_| true)
                    };
                    let asked = search().ask(&state, wanted, u64::MAX).unwrap().unwrap();
                    let (mut proving, mut proved) = (search(), None);
                    // However often it is interrupted.
                    while proved.is_none() {
                        proved = proving.prove(&state, wanted, 100).unwrap();
                    }
                    assert_eq!(asked >= wanted, proved >= Some(wanted), "{name}: at least {wanted}?");
                }
                let legal = crate::solve::moves(&mut machine.stepper(), &state).unwrap();
                let Some(last) = legal.len().checked_sub(1) else { break };
                let chosen = &legal[rng.below_u64(last as u64 + 1) as usize];
                state = position_after(&mut machine.stepper(), &state, chosen).unwrap();
            }
        }
    }

    #[test]
    fn numbers_are_forgotten_when_memory_is_full_and_not_before() {
        let found = |bytes: u64| {
            let mut table = ProofNumbers::new(bytes);
            let numbers = |n: u32| Numbers { proof: n, disproof: 2 * n };
            (1..20_000u32).for_each(|n| table.put(TranspositionTable::hash(&[u64::from(n)]), numbers(n)));
            let all = (1..20_000u32).map(|n| (n, table.get(TranspositionTable::hash(&[u64::from(n)]))));
            all.filter(|(n, found)| {
                assert!(found.is_none_or(|found| found == numbers(*n)));
                found.is_some()
            })
            .count()
        };
        assert!((3000..=4096).contains(&found(1 << 16)));
        assert!(found(1 << 24) > 15_000);
    }
}
