//! Decides when two positions are equivalent, by digesting everything that may still affect play.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use siphasher::sip128::{Hasher128, SipHasher13};

use super::points::Points;
use super::unordered::Order;
use crate::eval::{Machine, Position, Waiting};
use crate::ir::{
    Arith, Change, Effect, Expr, ExprKind, Form, Game, Live, MoveCheck, Op, Place, Scoring, StateId, Value,
    Winner, WinnerBy, changes, children, domain_parts, op_parts, resets,
};

/// A 128-bit SipHash; accidental collisions are negligible.
pub type Key = u128;

/// How many bytes are digested in about the time of one evaluation step, including copying the position.
const BYTES_A_STEP: u64 = 16;

/// Computes the keys that identify the positions of a game.
#[derive(Debug, Clone)]
pub struct Identity {
    live: Live,
    /// Which cells can affect play: those that the rules read, and those that a write can make fail.
    lasting: Vec<bool>,
    /// Which cells the rules read.
    read: Vec<bool>,
    /// How far the order of the elements of each cell, if it is a list, can affect play.
    orders: Vec<Order>,
    /// Whether the last mover can affect play.
    mover: bool,
    /// Whether points awarded so far count.
    awards: bool,
}

impl Identity {
    /// Analyses a game for what may affect play in its positions.
    pub fn of(machine: &Machine) -> Identity {
        let game = &machine.game;
        let read = read_by_play(game);
        let (mut lasting, mut orders, mut read_cells) = (Vec::new(), Vec::new(), Vec::new());
        let by_state = super::unordered::orders(game);
        for (id, state) in game.state.iter().enumerate() {
            let owners = if state.per_player { machine.setup.players } else { 1 };
            let is_read = read.contains(&id);
            read_cells.extend(std::iter::repeat_n(is_read, owners));
            lasting.extend(std::iter::repeat_n(is_read || !unbounded(&state.form), owners));
            let order = by_state.get(&id).copied().unwrap_or(Order::All);
            orders.extend(std::iter::repeat_n(order, owners));
        }
        let mover = |winner: &Winner| winner.then_last_mover || matches!(winner.by, WinnerBy::LastMover);
        let mover = game.winner.as_ref().is_some_and(mover);
        Identity { live: lasting_slots(game), lasting, read: read_cells, orders, mover, awards: true }
    }

    /// Like [`Identity::of`], but leaves out the points won so far; `None` if they affect more than the final
    /// score (see [`Points::of`]).
    pub fn without_points(machine: &Machine) -> Option<Identity> {
        let mut identity = Identity::of(machine);
        match Points::of(&machine.game)? {
            Points::Awarded => identity.awards = false,
            Points::Kept(id) => {
                let owners = if machine.game.state[id].per_player { machine.setup.players } else { 1 };
                let first = machine.setup.bases[id];
                identity.lasting[first..first + owners].fill(false);
            }
        }
        Some(identity)
    }

    /// Returns a key that is equal for positions from which play continues identically and that look the
    /// same.
    pub fn key(&self, position: &Position) -> Key {
        self.key_counted(position).0
    }

    /// Returns [`Identity::key`] and the effort it took, in evaluation steps.
    pub fn key_counted(&self, position: &Position) -> (Key, u64) {
        self.digest(position, |_| true)
    }

    /// Returns a key that is equal for positions from which play continues identically, even if state kept
    /// only for display, such as a log, differs.
    pub fn lasting_key(&self, position: &Position) -> Key {
        self.lasting_key_counted(position).0
    }

    /// Returns [`Identity::lasting_key`] and the effort it took, in evaluation steps.
    pub fn lasting_key_counted(&self, position: &Position) -> (Key, u64) {
        self.digest(position, |cell| self.lasting[cell])
    }

    /// Returns a key that is equal for positions from which play continues identically unless the rules fail: what is
    /// stored and never read does not count, even if it can be out of range.
    pub fn read_key(&self, position: &Position) -> Key {
        self.digest(position, |cell| self.read[cell]).0
    }

    /// Returns what [`Identity::lasting_key`] digests, as the number of bytes and the bytes as words, except that lists
    /// whose order does not matter are first sorted. Two positions have the same words only if play continues
    /// identically from both.
    pub fn lasting_words(&self, position: &Position) -> Vec<u64> {
        let mut bytes = if self.orders.iter().all(|order| *order == Order::All) {
            self.bytes(position, |cell| self.lasting[cell])
        } else {
            let mut settled = position.clone();
            let cells = settled.cells.iter_mut().zip(&self.orders);
            for (cell, order) in cells.filter(|(_, order)| **order != Order::All) {
                *cell = order.canonical(cell);
            }
            self.bytes(&settled, |cell| self.lasting[cell])
        };
        let length = bytes.len();
        bytes.words.insert(0, length);
        bytes.words.extend((bytes.used > 0).then_some(bytes.last));
        bytes.words
    }

    /// Returns a key like [`Identity::key`] of the cells that count.
    pub fn key_of(&self, position: &Position, counts: impl Fn(usize) -> bool) -> Key {
        self.digest(position, counts).0
    }

    /// Whether the rules read a cell.
    pub fn reads(&self, cell: usize) -> bool {
        self.read[cell]
    }

    fn digest(&self, position: &Position, counts: impl Fn(usize) -> bool) -> (Key, u64) {
        let bytes = self.bytes(position, counts);
        (bytes.digest(), bytes.len() / BYTES_A_STEP)
    }

    fn bytes(&self, position: &Position, counts: impl Fn(usize) -> bool) -> HashedBytes {
        let mut words = HashedBytes::default();
        for (at, cell) in position.cells.iter().enumerate().filter(|(at, _)| counts(*at)) {
            (cell, position.revealed[at]).hash(&mut words);
        }
        (&position.is_in, position.pc, &position.phases).hash(&mut words);
        if self.awards {
            position.awards.hash(&mut words);
        }
        // At a choice, the seat that is to choose will be the last mover anyway.
        if self.mover && position.waiting == Waiting::Chance {
            position.last_mover.hash(&mut words);
        }
        match &position.waiting {
            Waiting::Choice { choice, seats } => (0, choice, seats).hash(&mut words),
            Waiting::Chance => 1.hash(&mut words),
            Waiting::Over | Waiting::Nothing => 2.hash(&mut words),
        }
        let mut sealed: Vec<_> =
            position.sealed.iter().map(|by| (by.seat, by.offer, by.mv, &by.args)).collect();
        sealed.sort_unstable_by_key(|(seat, ..)| *seat);
        sealed.iter().for_each(|choice| choice.hash(&mut words));
        match &position.outcome {
            Some(outcome) => outcome.winners.hash(&mut words),
            None => self.live.at(position.pc).iter().for_each(|slot| position.frame[*slot].hash(&mut words)),
        }
        words
    }
}

/// What compiled code, which computes such keys from flat memory, has to know.
#[cfg(feature = "jit")]
impl Identity {
    /// Returns how far the order of the elements of a cell can affect play.
    pub fn order(&self, cell: usize) -> Order {
        self.orders[cell]
    }

    /// Returns the slots that can affect play.
    pub fn slots(&self) -> &Live {
        &self.live
    }

    /// Whether a cell can affect play.
    pub fn lasts(&self, cell: usize) -> bool {
        self.lasting[cell]
    }

    /// Whether the points awarded so far count.
    pub fn counts_awards(&self) -> bool {
        self.awards
    }

    /// Whether the last mover can affect play.
    pub fn asks_who_moved(&self) -> bool {
        self.mover
    }
}

/// Returns a digest that is the same on every machine.
pub fn digest_of(what: &impl Hash) -> Key {
    let mut bytes = HashedBytes::default();
    what.hash(&mut bytes);
    bytes.digest()
}

/// Returns a hash that is the same on every machine.
pub fn number_of(what: &impl Hash) -> u64 {
    let mut bytes = HashedBytes::default();
    what.hash(&mut bytes);
    bytes.finish()
}

/// Collects the hashed data as bytes to digest in one go: hashing many small parts one by one would take
/// several times as long. Numbers are encoded the same way on every machine.
#[derive(Default)]
struct HashedBytes {
    /// The bytes, eight to a word from its lowest bits on.
    words: Vec<u64>,
    /// The bytes of the word that is not full yet, and how many they are.
    last: u64,
    used: u32,
}

impl HashedBytes {
    /// Returns the number of bytes.
    fn len(&self) -> u64 {
        8 * self.words.len() as u64 + u64::from(self.used)
    }

    /// Appends the lowest `count` bytes of a number that has no others.
    fn push(&mut self, n: u64, count: u32) {
        self.last |= n << (8 * self.used);
        let used = self.used + count;
        self.used = used % 8;
        if used >= 8 {
            self.words.push(self.last);
            // What did not fit.
            self.last = n.checked_shr(8 * (count - self.used)).unwrap_or(0);
        }
    }

    fn digest(&self) -> Key {
        let mut hasher = SipHasher13::new();
        self.words.iter().for_each(|word| hasher.write(&word.to_le_bytes()));
        hasher.write(&self.last.to_le_bytes()[..self.used as usize]);
        hasher.finish128().as_u128()
    }
}

impl Hasher for HashedBytes {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.push(u64::from(*byte), 1));
    }

    fn write_u8(&mut self, n: u8) {
        self.push(u64::from(n), 1);
    }

    fn write_u32(&mut self, n: u32) {
        self.push(u64::from(n), 4);
    }

    fn write_u64(&mut self, n: u64) {
        self.push(n, 8);
    }

    fn write_usize(&mut self, n: usize) {
        self.push(n as u64, 8);
    }

    // Enum discriminants, which are small.
    fn write_isize(&mut self, n: isize) {
        self.push(u64::from(n as u8), 1);
    }

    fn finish(&self) -> u64 {
        self.digest() as u64
    }
}

/// Returns the slots that affect play. Loop counters are shown at every choice and are incremented from their
/// own values; a counter that nothing else reads does not affect play.
fn lasting_slots(game: &Game) -> Live {
    let mut game = game.clone();
    game.choices.iter_mut().for_each(|choice| choice.loops.clear());
    for (_, slot) in game.loops.clone() {
        let mut uncounted = game.clone();
        for op in &mut uncounted.code {
            if let Op::Do(Effect::Let(slots, value), _) = op
                && *slots == [slot]
            {
                value.kind = ExprKind::Value(Value::int(0));
            }
        }
        let live = Live::of(&uncounted);
        if (0..uncounted.code.len()).all(|pc| !live.at(pc).contains(&slot)) {
            game = uncounted;
        }
    }
    Live::of(&game)
}

/// Whether a place accepts any value of its type, so that writing to it never fails, however long a match
/// lasts.
fn unbounded(form: &Form) -> bool {
    match form {
        Form::Int | Form::Bool | Form::Player | Form::Square => true,
        Form::List(None, of) | Form::Set(of) | Form::Bag(of) | Form::Optional(of) => unbounded(of),
        Form::Tuple(parts) => parts.iter().all(unbounded),
        _ => false,
    }
}

/// Returns the state variables that affect play: those read by moves, their checks, scores and the winner
/// rule, but not by the shown table. A variable that is only added to its own value does not count as read.
fn read_by_play(game: &Game) -> BTreeSet<StateId> {
    let mut read = read_before_end(game);
    match &game.scoring {
        Scoring::None | Scoring::Awards => {}
        Scoring::Each(lambda) => reads(&lambda.body, &mut read),
        Scoring::Named(lambdas) => lambdas.iter().for_each(|lambda| reads(&lambda.body, &mut read)),
    }
    if let Some(Winner { by: WinnerBy::Best(keys), .. }) = &game.winner {
        keys.iter().for_each(|(_, lambda)| reads(&lambda.body, &mut read));
    }
    read.states
}

/// What rules read.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// The state variables.
    pub states: BTreeSet<StateId>,
    /// Whether they read the scores.
    pub scores: bool,
}

/// Returns what affects play before its end, as [`read_by_play`] does, but without what only scores and the
/// winner rule read.
pub(super) fn read_before_end(game: &Game) -> Reads {
    let mut read = Reads::default();
    let all = |exprs: Vec<&Expr>, read: &mut Reads| exprs.into_iter().for_each(|e| reads(e, read));
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => assignment_reads(places, values, &mut read),
            // Announcements do not affect later play.
            Op::Do(Effect::Say(..), _) => {}
            _ => {
                all(op_parts(op), &mut read);
                all(resets(game, op).filter_map(|(_, init)| Some(&init?.body)).collect(), &mut read);
                read.states.extend(changes(op).into_iter().map(|(place, _)| place.state));
            }
        }
    }
    for choice in &game.choices {
        all([&choice.who].into_iter().chain(&choice.must).collect(), &mut read);
        let offers = choice.all_offers();
        offers.for_each(|offer| all(offer.given.iter().collect(), &mut read));
    }
    for mv in &game.moves {
        for param in &mv.params {
            let mut exprs: Vec<&Expr> = param.window.iter().flat_map(|(low, high)| [low, high]).collect();
            param
                .domain
                .iter()
                .chain(&param.sampling_domain)
                .for_each(|domain| domain_parts(domain, &mut exprs));
            all(exprs, &mut read);
        }
        all(mv.checks.iter().map(MoveCheck::expr).collect(), &mut read);
    }
    all(game.functions.iter().map(|function| &function.lambda.body).collect(), &mut read);
    read
}

fn assignment_reads(places: &[(Place, Change)], values: &[Expr], read: &mut Reads) {
    for (place, change) in places {
        place.owner.iter().chain(&place.path).for_each(|e| reads(e, read));
        // An element must exist to be changed.
        if !place.path.is_empty() && *change != Change::Set {
            read.states.insert(place.state);
        }
    }
    let mut of_values = Reads::default();
    values.iter().for_each(|value| reads(value, &mut of_values));
    if let [(place, _)] = places
        && values.iter().all(cannot_fail)
    {
        of_values.states.remove(&place.state);
    }
    read.states.extend(of_values.states);
    read.scores |= of_values.scores;
}

/// Whether evaluating an expression never fails: a fault would depend on all that it reads.
fn cannot_fail(e: &Expr) -> bool {
    let mut total = match &e.kind {
        ExprKind::Arith(op, ..) => matches!(op, Arith::Add | Arith::Sub | Arith::Mul),
        ExprKind::Value(_)
        | ExprKind::Option(_)
        | ExprKind::Constant(_)
        | ExprKind::Local(_)
        | ExprKind::Table(_)
        | ExprKind::Own(..)
        | ExprKind::Players
        | ExprKind::Negative(_)
        | ExprKind::If(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Not(_)
        | ExprKind::Tuple(_)
        | ExprKind::List(_)
        | ExprKind::Set(_) => true,
        _ => false,
    };
    children(e, &mut |part| total = total && cannot_fail(part));
    total
}

fn reads(e: &Expr, read: &mut Reads) {
    match &e.kind {
        ExprKind::Table(id) | ExprKind::Own(id, _) => {
            read.states.insert(*id);
        }
        ExprKind::Score(_) => read.scores = true,
        _ => {}
    }
    children(e, &mut |part| reads(part, read));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_digested_as_they_are_written() {
        let (mut bytes, mut plain) = (HashedBytes::default(), Vec::new());
        for n in 0..500u64 {
            let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match n % 4 {
                0 => bytes.write_u64(word),
                1 => bytes.write_u32(word as u32),
                2 => bytes.write_u8(word as u8),
                _ => bytes.write(&word.to_le_bytes()[..(n % 8) as usize]),
            }
            let count = [8, 4, 1, n as usize % 8][n as usize % 4];
            plain.extend_from_slice(&word.to_le_bytes()[..count]);
            assert_eq!(bytes.len(), plain.len() as u64);
            assert_eq!(bytes.digest(), SipHasher13::new().hash(&plain).as_u128());
        }
    }
}
