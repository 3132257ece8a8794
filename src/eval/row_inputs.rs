//! What conditions on a row depend on besides the row: the values by which it is recognised that rows were counted before.

use std::collections::BTreeSet;

use super::Env;
use crate::ir::{Expr, ExprKind, Game, Slot, StateId, Type, Value, bound_slots, children, free_slots};

/// The inputs of some conditions.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The largest parts of the conditions that can be evaluated before the row is chosen.
    pub parts: Vec<Input>,
    /// The state that functions read to which the row, or a part of it, is passed.
    states: BTreeSet<StateId>,
}

/// A value that a condition depends on.
#[derive(Debug)]
pub struct Input {
    /// The value.
    pub value: Expr,
    /// Whether it is evaluated for every row for which the condition is.
    pub always: bool,
}

impl Inputs {
    /// Collects what some expressions depend on, besides slots that are filled later; `None` if that cannot be told.
    pub fn of<'e>(
        game: &Game,
        conditions: impl IntoIterator<Item = &'e Expr>,
        later: &BTreeSet<Slot>,
    ) -> Option<Inputs> {
        let mut inputs = Inputs::default();
        for condition in conditions {
            let later: BTreeSet<Slot> = later.union(&bound_slots(condition)).copied().collect();
            inputs.add(game, condition, &later, true)?;
        }
        Some(inputs)
    }

    fn add(&mut self, game: &Game, e: &Expr, later: &BTreeSet<Slot>, always: bool) -> Option<()> {
        let slots = free_slots(e);
        if slots.is_empty() && is_constant(game, e) {
            return Some(());
        }
        if slots.iter().all(|slot| !later.contains(slot)) {
            self.parts.push(Input { value: e.clone(), always });
            return Some(());
        }
        let always = match &e.kind {
            ExprKind::And(first, second) | ExprKind::Or(first, second) => {
                self.add(game, first, later, always)?;
                return self.add(game, second, later, false);
            }
            ExprKind::Call(function, _) => {
                self.add_state(game, &game.functions[*function].lambda.body)?;
                always
            }
            ExprKind::If(..) | ExprKind::Fold(_) => false,
            _ => always,
        };
        let mut whole = Some(());
        children(e, &mut |part| whole = whole.and_then(|()| self.add(game, part, later, always)));
        whole
    }

    /// Adds the state that an expression reads; `None` if it reads the position in another way.
    fn add_state(&mut self, game: &Game, e: &Expr) -> Option<()> {
        match &e.kind {
            ExprKind::Table(state) | ExprKind::Own(state, _) => {
                self.states.insert(*state);
            }
            ExprKind::Call(function, _) => self.add_state(game, &game.functions[*function].lambda.body)?,
            ExprKind::Standing | ExprKind::IsIn(_) | ExprKind::Score(_) => return None,
            _ => {}
        }
        let mut whole = Some(());
        children(e, &mut |part| whole = whole.and_then(|()| self.add_state(game, part)));
        whole
    }

    /// Whether all state that is read for them holds single values, and they depend on the position in no other way.
    pub fn read_scalar_state(&self, game: &Game) -> bool {
        let mut read = Inputs { states: self.states.clone(), ..Inputs::default() };
        self.parts.iter().all(|part| read.add_state(game, &part.value).is_some())
            && read.states.iter().all(|state| game.state[*state].form.is_single())
    }

    /// Whether all are single values, not collections.
    pub fn are_scalar(&self, game: &Game) -> bool {
        self.parts.iter().all(|part| is_scalar(&part.value.ty))
            && self.states.iter().all(|state| game.state[*state].form.is_single())
    }

    /// Whether there are none.
    pub fn are_none(&self) -> bool {
        self.parts.is_empty() && self.states.is_empty()
    }

    /// Whether they are only known by the state that functions read.
    pub fn include_state(&self) -> bool {
        !self.states.is_empty()
    }

    /// Returns their current values; `None` if one cannot be evaluated.
    pub fn current_values(&self, env: &Env, frame: &mut Vec<Value>) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(self.parts.len());
        self.add_current_values(env, frame, &mut values).map(|()| values)
    }

    /// Appends their current values.
    pub fn add_current_values(
        &self,
        env: &Env,
        frame: &mut Vec<Value>,
        values: &mut Vec<Value>,
    ) -> Option<()> {
        let setup = &env.machine.setup;
        for part in &self.parts {
            values.push(env.eval(&part.value, frame).ok()?);
        }
        for state in &self.states {
            let count = if env.machine.game.state[*state].per_player { setup.players } else { 1 };
            values.extend_from_slice(&env.position.cells[setup.bases[*state]..][..count]);
        }
        Some(())
    }
}

/// Whether an expression without free slots depends on no position.
fn is_constant(game: &Game, e: &Expr) -> bool {
    let mut read = Inputs::default();
    read.add_state(game, e).is_some() && read.states.is_empty()
}

/// Whether the values of a type are not made of others.
fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Optional(of) | Type::Either(_, of) => is_scalar(of),
        Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Grid(_) | Type::Map(..) | Type::Tuple(_) => false,
        _ => true,
    }
}
