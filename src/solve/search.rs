//! What alpha–beta search and proof-number search have in common: the positions on the current path with their children,
//! and the table of what has been proved. Each asks whether a position is worth at least a given number.

use std::cmp::Reverse;
use std::ops::Range;

use super::motion::Motion;
use super::payoff::Payoffs;
use super::proof_number::{Numbers, ProofNumbers};
use super::symmetry::Act;
use super::table::{TableEntry, TranspositionTable};
use super::{Halt, Watch, stepper_for};
use crate::engine::{Engine, Stepper, Turn, no_move};
use crate::eval::Chosen;
use crate::ir::{Game, WinnerBy};

/// The most choices the search looks ahead; the positions on the way are kept.
const MAX_DEPTH: usize = 20_000;

/// How many bits of the hash tell quickly that a position does not repeat one on the current path.
const PATH_FILTER_BITS: u32 = 16;

/// Near the root, down to about this many positions, one position stands for all its mirror images. Deeper
/// ones would take longer to mirror than to search, and most of them lie behind mirrored ones.
const MAX_MIRRORED: u64 = 20_000;

/// The most points, of a match or so far, where they are told apart from those still to come.
const MAX_WON: u32 = 1 << 28;

/// Games with more moves than this have no history.
const MAX_HISTORY: u32 = 1 << 22;

/// How many moves are made before their positions are looked up, so that the memory accesses overlap.
const BATCH: usize = 4;

/// The position after a legal move.
#[derive(Debug, Clone)]
pub(super) struct Child {
    /// Its index in [`Search::states`].
    pub at: usize,
    /// The range of its key in [`Search::words`]; empty if the match is over.
    words: Range<usize>,
    pub hash: u64,
    pub known: TableEntry,
    /// What proof-number search makes of it until its bounds are an answer.
    pub numbers: Numbers,
    /// The points won so far, if the table knows only those still to come; otherwise 0.
    won: i32,
    /// The number of the move in the list of legal moves, and the index of its history.
    pub nth: u16,
    pub history: usize,
    /// How many replies the other side has; negative if the same side moves again. 0 unless they are counted.
    replies: i64,
}

/// A legal move that is to be made.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Its number in the list of legal moves, and its id; 0 if moves have no ids.
    nth: u16,
    id: u32,
    /// The index of its history.
    history: usize,
    /// Moves with higher values are made first.
    order: u64,
}

/// A position that is being searched, together with its children.
#[derive(Debug)]
pub(super) struct SearchNode {
    pub maximises: bool,
    /// The index of its first child, and of the next child to search.
    pub first: usize,
    pub next: usize,
    /// Where the words of its children begin.
    first_word: usize,
    /// The range of its own words, and their hash.
    words: Range<usize>,
    pub hash: u64,
    /// See [`Child::won`].
    won: i32,
    /// The best value so far, and the move that leads to it.
    pub worth: i32,
    best: u16,
    /// How many positions had been visited before it.
    pub before: u64,
}

/// A search of a game for one side, which maximises, against all others, which minimise.
pub struct Search<'e, E: Engine + 'e> {
    engine: &'e E,
    /// The stepper that plays the moves.
    pub stepper: E::Stepper<'e>,
    pub(super) payoffs: Payoffs,
    /// The side that maximises.
    pub(super) side: usize,
    /// Whether the table has the values of positions without the points won so far.
    apart: bool,
    /// What is known of positions.
    pub table: TranspositionTable,
    /// What proof-number search has found of positions without an answer.
    pub(super) numbers: ProofNumbers,
    /// How many positions have been visited.
    pub visited: u64,
    watch: &'e Watch<'e>,
    pub(super) frames: Vec<SearchNode>,
    pub(super) children: Vec<Child>,
    pub(super) states: Vec<E::State>,
    /// The key words of the children, one child after the other.
    words: Vec<u64>,
    /// How many frames have a hash that begins with these bits.
    path_filter: Vec<u16>,
    /// How much each move has contributed to cutoffs, by move id and seat.
    pub(super) history: Vec<u32>,
    /// Whether moves that leave few replies are searched first: the last mover wins.
    few_replies_first: bool,
    /// The symmetries of the board, and the depth down to which positions are mirrored by them.
    motions: &'e [(Motion, Vec<Act>)],
    mirror_depth: usize,
    steps: Vec<Step>,
    key: Vec<u64>,
}

impl<'e, E: Engine> Search<'e, E> {
    /// Creates a search for a side that starts with the knowledge in a table. `numbers` is the most bytes that the
    /// numbers of proof-number search may take.
    pub fn new(
        engine: &'e E,
        payoffs: Payoffs,
        side: usize,
        table: TranspositionTable,
        numbers: u64,
        motions: &'e [(Motion, Vec<Act>)],
        watch: &'e Watch<'e>,
    ) -> Search<'e, E> {
        let (stepper, apart) = stepper_for(engine, payoffs.goal);
        let moves = stepper.ids().count();
        let history = if moves > MAX_HISTORY { 0 } else { moves as usize };
        let seats = payoffs.seats();
        Search {
            engine,
            stepper,
            payoffs,
            side,
            apart,
            table,
            numbers: ProofNumbers::new(numbers),
            visited: 0,
            watch,
            frames: Vec::new(),
            children: Vec::new(),
            states: Vec::new(),
            words: Vec::new(),
            path_filter: vec![0; 1 << PATH_FILTER_BITS],
            history: vec![0; history * seats],
            few_replies_first: last_mover_wins(&engine.machine().game),
            motions,
            mirror_depth: 0,
            steps: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Makes a position the root of a search; returns its value if the match is over.
    pub(super) fn begin(&mut self, state: &E::State) -> Result<Option<i32>, Halt> {
        self.frames.clear();
        self.children.clear();
        self.words.clear();
        self.path_filter.fill(0);
        if let Some(worth) = self.terminal_value(state)? {
            return Ok(Some(worth));
        }
        self.mirror_depth = self.compute_mirror_depth(state)?;
        self.store_state(0, state);
        let words = self.append_key(0);
        let hash = TranspositionTable::hash(&self.words[words.clone()]);
        let won = self.won(0)?;
        self.children.push(Child { words, hash, won, ..Child::new(0) });
        Ok(None)
    }

    /// Whether the side of this search is to choose.
    pub fn maximises(&self, state: &E::State) -> bool {
        self.stepper.turn(state).seat().is_some_and(|seat| self.payoffs.side(seat) == self.side)
    }

    /// Returns what is known of a position.
    pub fn known(&mut self, state: &E::State) -> Result<TableEntry, Halt> {
        if let Some(worth) = self.terminal_value(state)? {
            return Ok(TableEntry { lower: worth, upper: worth, best: u16::MAX });
        }
        self.store_state(0, state);
        self.frames.clear();
        self.mirror_depth = 1;
        self.write_key(0);
        let known = self.table.get(&self.key, TranspositionTable::hash(&self.key));
        Ok(known.unwrap_or(TableEntry::UNKNOWN).plus(self.won(0)?))
    }

    /// Returns the depth down to which the positions after this one are mirrored.
    fn compute_mirror_depth(&mut self, state: &E::State) -> Result<usize, Halt> {
        if self.motions.is_empty() {
            return Ok(0);
        }
        let seat = self.stepper.turn(state).seat().unwrap_or(0);
        let wide = self.stepper.count(state, seat)?.max(2);
        let most = MAX_MIRRORED / self.motions.len() as u64;
        let powers = std::iter::successors(Some(wide), |all| all.checked_mul(wide));
        Ok(powers.take_while(|all| *all <= most).count() + 1)
    }

    /// Stores the key of `states[at]` in `key`; near the root, the least key of its mirror images.
    fn write_key(&mut self, at: usize) {
        self.stepper.lasting_key(&self.states[at], &mut self.key);
        if self.frames.len() < self.mirror_depth {
            let position = self.engine.to_position(&self.states[at]);
            let mut other = Vec::new();
            for (motion, acts) in self.motions {
                let moved = self.engine.state_of(&motion.position(&position, acts));
                self.stepper.lasting_key(&moved, &mut other);
                if other < self.key {
                    std::mem::swap(&mut other, &mut self.key);
                }
            }
        }
    }

    /// Computes the same key, and appends it to `words`.
    fn append_key(&mut self, at: usize) -> Range<usize> {
        self.write_key(at);
        let from = self.words.len();
        self.words.extend_from_slice(&self.key);
        from..self.words.len()
    }

    /// Returns the value of a position if the match is over.
    fn terminal_value(&mut self, state: &E::State) -> Result<Option<i32>, Halt> {
        if self.stepper.turn(state) != Turn::Over {
            return Ok(None);
        }
        self.payoff(state).map(Some)
    }

    /// Returns the payoff of a finished match, or of the points won so far.
    fn payoff(&self, state: &E::State) -> Result<i32, Halt> {
        let worth = self.payoffs.of_side(self.engine, state, self.side)?.ok_or(Halt::TooLarge)?;
        // Differences of such values must also be small enough.
        match self.apart && worth.unsigned_abs() > MAX_WON {
            true => Err(Halt::TooLarge),
            false => Ok(worth),
        }
    }

    /// Returns what to add to the values in the table for `states[at]`.
    fn won(&self, at: usize) -> Result<i32, Halt> {
        if self.apart { self.payoff(&self.states[at]) } else { Ok(0) }
    }

    fn store_state(&mut self, at: usize, state: &E::State) {
        match self.states.get_mut(at) {
            Some(place) => place.clone_from(state),
            None => self.states.push(state.clone()),
        }
    }

    /// Makes all moves of a position. Returns its value if it is known or one of the moves is known to be
    /// enough; otherwise the children have to be searched.
    pub(super) fn expand(&mut self, at: usize, wanted: i32) -> Result<Option<i32>, Halt> {
        let Child { at, words, hash, won, .. } = self.children[at].clone();
        let Turn::Choice { choice, seats } = self.stepper.turn(&self.states[at]) else {
            return Err(Halt::NotOpen);
        };
        let seat = seats.trailing_zeros() as usize;
        let maximises = self.payoffs.side(seat) == self.side;
        let (before, first, first_word) = (self.visited, self.children.len(), self.words.len());
        // More may be known than when the child was made.
        let known = self.table.get(&self.words[words.clone()], hash).unwrap_or(TableEntry::UNKNOWN).plus(won);
        if known.lower >= wanted {
            return Ok(Some(known.lower));
        }
        if known.upper < wanted {
            return Ok(Some(known.upper));
        }
        if self.frames.len() == MAX_DEPTH {
            return Err(Halt::TooDeep);
        }
        self.path_filter[(hash >> (64 - PATH_FILTER_BITS)) as usize] += 1;
        let worth = if maximises { i32::MIN } else { i32::MAX };
        let best = u16::MAX;
        self.frames.push(SearchNode {
            maximises,
            first,
            next: first,
            first_word,
            words,
            hash,
            won,
            worth,
            best,
            before,
        });
        let chosen = self.list(at, seat, known.best)?;
        if self.steps.is_empty() {
            return Err(Halt::Fault(Box::new(no_move(self.engine.machine(), choice))));
        }
        for nth in 0..self.steps.len() {
            let step = self.steps[nth];
            let child = self.make((at, first + nth), seat, step, chosen.get(usize::from(step.nth)))?;
            self.children.push(child);
            let made = nth + 1;
            if !made.is_multiple_of(BATCH) && made < self.steps.len() {
                continue;
            }
            let from = first + nth / BATCH * BATCH;
            self.probe_children(from);
            let enough = |child: &&Child| match maximises {
                true => child.known.lower >= wanted,
                false => child.known.upper < wanted,
            };
            if let Some(child) = self.children[from..].iter().find(enough) {
                let worth = if maximises { child.known.lower } else { child.known.upper };
                let best = child.nth;
                let Some(frame) = self.frames.last_mut() else { return Ok(None) };
                (frame.worth, frame.best) = (worth, best);
                return Ok(Some(self.close(wanted)));
            }
        }
        if self.few_replies_first {
            self.order_by_replies(first, seat, known.best)?;
        }
        Ok(None)
    }

    /// Orders the children from index `first` on of a position in which `seat` chooses: first the best one known, then
    /// those that leave the other side the fewest replies, and by history among equals.
    fn order_by_replies(&mut self, first: usize, seat: usize, best: u16) -> Result<(), Halt> {
        let Search { stepper, children, states, payoffs, .. } = self;
        for child in &mut children[first..] {
            let state = &states[child.at];
            if let Some(mover) = stepper.turn(state).seat() {
                let replies = i64::try_from(stepper.count(state, mover)?).unwrap_or(i64::MAX);
                child.replies = if payoffs.side(mover) == payoffs.side(seat) { -replies } else { replies };
            }
        }
        children[first..].sort_by_key(|child| (child.nth != best, child.replies));
        Ok(())
    }

    /// Looks up what is known of the children from index `from` on.
    fn probe_children(&mut self, from: usize) {
        let Search { children, table, words, .. } = self;
        let mut heads = [[0; 2]; BATCH];
        for (heads, child) in heads.iter_mut().zip(&children[from..]) {
            *heads = table.heads(child.hash);
        }
        for (heads, child) in heads.into_iter().zip(&mut children[from..]) {
            if !child.words.is_empty()
                && let Some(known) = table.get_with_heads(heads, &words[child.words.clone()], child.hash)
            {
                child.known = known.plus(child.won);
            }
        }
    }

    /// Lists the legal moves of a position in `steps`: first the best move known, then by their history.
    /// Returns the moves if they have no ids.
    fn list(&mut self, at: usize, seat: usize, best: u16) -> Result<Vec<Chosen>, Halt> {
        let Search { stepper, states, steps, history, payoffs, .. } = self;
        steps.clear();
        let mut chosen = Vec::new();
        match stepper.list(&states[at], seat)? {
            Some(ids) => steps.extend(ids.iter().enumerate().map(|(nth, id)| {
                let of = *id as usize * payoffs.seats() + seat;
                let often = history.get(of).map_or(0, |often| u64::from(*often));
                Step {
                    nth: nth as u16,
                    id: *id,
                    history: of,
                    order: if nth == usize::from(best) { u64::MAX } else { often },
                }
            })),
            None => {
                chosen = stepper.legal(&states[at], seat)?;
                steps.extend((0..chosen.len()).map(|nth| Step {
                    nth: nth as u16,
                    id: 0,
                    history: usize::MAX,
                    order: u64::from(nth == usize::from(best)),
                }));
            }
        }
        if steps.len() >= usize::from(u16::MAX) {
            return Err(Halt::TooLarge);
        }
        steps.sort_unstable_by_key(|step| (Reverse(step.order), step.nth));
        Ok(chosen)
    }

    /// Makes a legal move from `states[from]` to `states[at]`. Fails if that position is on the current path.
    fn make(
        &mut self,
        (from, at): (usize, usize),
        seat: usize,
        step: Step,
        chosen: Option<&Chosen>,
    ) -> Result<Child, Halt> {
        if at == self.states.len() {
            let state = self.states[from].clone();
            self.states.push(state);
        } else {
            let (before, behind) = self.states.split_at_mut(at);
            behind[0].clone_from(&before[from]);
        }
        match chosen {
            Some(chosen) => self.stepper.choose(&mut self.states[at], seat, chosen.clone())?,
            None => drop(self.stepper.make(&mut self.states[at], seat, step.id)?),
        }
        self.visited += 1;
        if self.visited.is_multiple_of(1024) && !(self.watch)(self.visited) {
            return Err(Halt::Interrupted);
        }
        let Step { nth, history, .. } = step;
        let mut child = Child { nth, history, ..Child::new(at) };
        if self.stepper.turn(&self.states[at]) == Turn::Over {
            let worth = self.payoff(&self.states[at])?;
            child.known = TableEntry { lower: worth, upper: worth, best: u16::MAX };
            return Ok(child);
        }
        child.won = self.won(at)?;
        child.words = self.append_key(at);
        child.hash = TranspositionTable::hash(&self.words[child.words.clone()]);
        self.table.announce(child.hash);
        if self.path_filter[(child.hash >> (64 - PATH_FILTER_BITS)) as usize] > 0
            && self.is_on_path(child.hash)
        {
            return Err(Halt::GoesRound);
        }
        Ok(child)
    }

    /// Whether the position whose words are in `key` is on the current path.
    fn is_on_path(&self, hash: u64) -> bool {
        self.frames.iter().any(|frame| frame.hash == hash && self.words[frame.words.clone()] == self.key)
    }

    /// Closes the last frame: stores its value in the table and returns it.
    pub(super) fn close(&mut self, wanted: i32) -> i32 {
        let Some(frame) = self.leave() else { return 0 };
        let SearchNode { worth, best, .. } = frame;
        let mut known = TableEntry { best, ..TableEntry::UNKNOWN };
        match worth >= wanted {
            true => known.lower = worth,
            false => known.upper = worth,
        }
        let work = self.visited - frame.before;
        self.table.put(&self.words[frame.words], frame.hash, known.plus(-frame.won), work);
        worth
    }

    /// Leaves the last frame: removes it and its children.
    pub(super) fn leave(&mut self) -> Option<SearchNode> {
        let frame = self.frames.pop()?;
        self.path_filter[(frame.hash >> (64 - PATH_FILTER_BITS)) as usize] -= 1;
        self.words.truncate(frame.first_word);
        self.children.truncate(frame.first);
        Some(frame)
    }
}

/// Whether the winner is the last mover.
fn last_mover_wins(game: &Game) -> bool {
    game.winner.as_ref().is_some_and(|winner| !winner.loser && matches!(winner.by, WinnerBy::LastMover))
}

impl Child {
    /// Returns the child in `states[at]`, of which nothing is known.
    fn new(at: usize) -> Child {
        Child {
            at,
            words: 0..0,
            hash: 0,
            known: TableEntry::UNKNOWN,
            numbers: Numbers::NEW,
            won: 0,
            nth: 0,
            history: 0,
            replies: 0,
        }
    }

    /// Returns what is left to prove to answer whether it is worth `wanted`.
    pub fn numbers_for(&self, wanted: i32) -> Numbers {
        match self.known {
            TableEntry { lower, .. } if lower >= wanted => Numbers::PROVED,
            TableEntry { upper, .. } if upper < wanted => Numbers::DISPROVED,
            _ => self.numbers,
        }
    }

    /// Takes the answer to whether it is worth `wanted` into account: a bound on its value.
    pub fn settle(&mut self, worth: i32, wanted: i32) {
        if worth >= wanted {
            self.known.lower = self.known.lower.max(worth);
        } else {
            self.known.upper = self.known.upper.min(worth);
        }
    }
}

impl SearchNode {
    /// Takes the value of a move into account.
    pub fn take(&mut self, worth: i32, nth: u16) {
        let better = if self.maximises { worth > self.worth } else { worth < self.worth };
        if better {
            (self.worth, self.best) = (worth, nth);
        }
    }
}
