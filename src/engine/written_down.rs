//! What is written down for players to read and makes no difference otherwise, where something is hidden.

use super::identity::{Identity, Key};
use super::unordered::{Order, orders};
use crate::eval::{Machine, Position};
use crate::ir::{Change, Effect, Expr, Form, Game, Op, Sight, StateId, Value, changes, states_read};

/// Computes keys of positions that are equal only if play continues identically and every seat learns the same from it.
///
/// What was only written down for players to read, such as a log of questions and answers, does not count where it is public
/// and each write shows the same whatever was written before: what is assigned, or added to the end of a list. Nor does
/// the order of such a list if the rules only search it.
#[derive(Debug)]
pub(crate) struct WrittenDown {
    identity: Identity,
    /// By cell, how much of its order counts; `None` if it does not count at all.
    counts: Vec<Option<Order>>,
}

impl WrittenDown {
    /// Analyses a game for what is only written down.
    pub fn of(machine: &Machine) -> WrittenDown {
        let game = &machine.game;
        let identity = Identity::of(machine);
        let orders = orders(game);
        let mut counts = Vec::new();
        for (id, state) in game.state.iter().enumerate() {
            let owners = if state.per_player { machine.setup.players } else { 1 };
            let order = orders.get(&id).copied().unwrap_or(Order::All);
            let how = match shows_what_is_written(game, id) {
                true if !identity.reads(counts.len()) => None,
                true => Some(order),
                false => Some(Order::All),
            };
            counts.extend(std::iter::repeat_n(how, owners));
        }
        WrittenDown { identity, counts }
    }

    /// Returns the key of a position.
    pub fn key(&self, position: &Position) -> Key {
        let unordered = |how: &Option<Order>| !matches!(how, None | Some(Order::All));
        let counts = |cell: usize| self.counts[cell].is_some();
        if !self.counts.iter().any(unordered) {
            return self.identity.key_of(position, counts);
        }
        let mut sorted = position.clone();
        for (at, cell) in sorted.cells.iter_mut().enumerate() {
            if let Some(Some(how)) = self.counts.get(at) {
                *cell = how.canonical(cell);
            }
        }
        self.identity.key_of(&sorted, counts)
    }

    /// Returns what counts of the cells that a seat sees.
    pub fn counted<'c>(&'c self, cells: &'c [Option<Value>]) -> impl Iterator<Item = Option<Value>> + 'c {
        cells.iter().zip(&self.counts).map(|(cell, how)| Some((*how)?.canonical(cell.as_ref()?)))
    }
}

/// Whether everybody sees a state, and each write to it can be told from others regardless of what it held before, and fails
/// regardless of that.
fn shows_what_is_written(game: &Game, id: StateId) -> bool {
    let state = &game.state[id];
    let mentions = |e: &Expr| {
        let mut read = Default::default();
        states_read(game, e, &mut read);
        read.contains(&id)
    };
    let fits = |change: Change| match change {
        Change::Set => true,
        Change::Insert | Change::Join => matches!(state.form, Form::List(None, _)),
        Change::Plus | Change::Minus => matches!(state.form, Form::Int),
        Change::Remove => false,
    };
    let written = |op: &Op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            places.iter().filter(|(place, _)| place.state == id).all(|(place, change)| {
                let simply = place.path.is_empty() && !place.owner.iter().any(mentions);
                simply && fits(*change) && !values.iter().any(mentions)
            })
        }
        Op::Do(Effect::Say(what, to), _) => !mentions(what) && !to.iter().any(mentions),
        op => changes(op).iter().all(|(place, _)| place.state != id),
    };
    state.sight == Sight::Public && state.reset_by.is_none() && game.code.iter().all(written)
}
