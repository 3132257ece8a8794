//! Narrows what state can hold to what the rules write: a `set of int` to which only numbers from 1 to 60 are added is a
//! `set of 1..60`. A flow-insensitive analysis of intervals (P. Cousot, R. Cousot, 1976), without iteration: a value that
//! depends on the state itself, such as a sum, has the range that the state is declared with.

use std::collections::BTreeMap;

use super::fact::{Fact, Scope};
use super::facts::Facts;
use crate::ir::{
    ChanceKind, Change, Effect, Expr, ExprKind, Form, Game, MoveCheck, Op, Place, Slot, StateId, Type, Value,
};
use crate::source::Span;

/// Integers beyond these are too many to be listed anyway.
const MOST: i128 = 1 << 31;

/// Narrows the forms of a game's state. Returns whether any changed.
pub fn narrow(facts: &Facts, game: &mut Game) -> bool {
    let scope = names(facts, game);
    let narrower: Vec<Option<Form>> = (0..game.state.len())
        .map(|id| {
            let form = &game.state[id].form;
            let leaf = leaf(form).filter(|leaf| is_wide(leaf))?;
            let written = Written { facts, scope: &scope, game, id }.all()?;
            let narrower = narrowed(leaf, &written)?;
            Some(with_leaf(form, narrower))
        })
        .collect();
    let mut changed = false;
    for (state, form) in game.state.iter_mut().zip(narrower) {
        changed |= form.is_some();
        state.form = form.unwrap_or_else(|| state.form.clone());
    }
    changed
}

/// Returns what is known of the names of the moves and of the play, whichever of their values they hold.
fn names(facts: &Facts, game: &Game) -> Scope {
    let mut all: BTreeMap<Slot, Fact> = BTreeMap::new();
    let mut fill = |slot: Slot, fact: Fact| {
        let joined = all.get(&slot).map_or(fact.clone(), |known| known.join(&fact));
        all.insert(slot, joined);
    };
    let nothing = Scope::default();
    for mv in &game.moves {
        let known = facts.of_move(mv);
        known.slots.iter().for_each(|(slot, fact)| fill(*slot, fact.clone()));
        for check in &mv.checks {
            if let MoveCheck::Let(slots, e) = check {
                let fact = if let [_] = slots.as_slice() { facts.of(e, &known) } else { Fact::default() };
                slots.iter().for_each(|slot| fill(*slot, fact.clone()));
            }
        }
    }
    for op in &game.code {
        match op {
            Op::Do(Effect::Let(slots, e), _) => {
                let fact = if let [_] = slots.as_slice() { facts.of(e, &nothing) } else { Fact::default() };
                slots.iter().for_each(|slot| fill(*slot, fact.clone()));
            }
            Op::Collect { list, at, .. } => {
                [*list, *at].into_iter().for_each(|slot| fill(slot, Fact::default()))
            }
            Op::Next { slots, at, .. } => {
                slots.iter().chain([at]).for_each(|slot| fill(*slot, Fact::default()));
            }
            Op::Chance(chance) => match &chance.kind {
                ChanceKind::Value(domain, slot) => fill(*slot, facts.of_domain(domain, &nothing)),
                ChanceKind::Draw(_, slot) => fill(*slot, Fact::default()),
                ChanceKind::Shuffle(_) | ChanceKind::Deal(..) => {}
            },
            _ => {}
        }
    }
    let mut scope = Scope::default();
    all.into_iter().for_each(|(slot, fact)| scope.insert(slot, fact));
    scope
}

/// What the rules write to a piece of state.
struct Written<'a, 'm> {
    facts: &'a Facts<'m>,
    scope: &'a Scope,
    game: &'a Game,
    id: StateId,
}

impl Written<'_, '_> {
    /// Returns what is known of all values that the state ever holds, or of the elements if it holds collections. `None` if
    /// nothing is, or nothing is ever written.
    fn all(&self) -> Option<Fact> {
        let mut facts = Vec::new();
        if let Some(init) = &self.game.state[self.id].init {
            facts.extend(self.whole(&init.body)?);
        }
        for op in &self.game.code {
            match op {
                Op::Do(Effect::Assign(places, values), _) => {
                    for ((place, change), value) in places.iter().zip(values) {
                        if place.state == self.id {
                            facts.extend(self.assigned(place, *change, value)?);
                        }
                    }
                }
                Op::Do(Effect::Send(value, _, to), _) if to.state == self.id => {
                    facts.push(self.facts.of(value, self.scope));
                }
                Op::Do(Effect::Deal(_, from, to), _) if to.state == self.id => facts.push(self.dealt(from)),
                Op::Chance(chance) => match &chance.kind {
                    ChanceKind::Deal(_, from, to) if to.state == self.id => facts.push(self.dealt(from)),
                    _ => {}
                },
                _ => {}
            }
        }
        facts.into_iter().reduce(|a, b| a.join(&b))
    }

    /// Returns what is known of the elements of the pile from which cards are dealt.
    fn dealt(&self, from: &Place) -> Fact {
        let ty = self.game.state[from.state].form.ty();
        let pile = Expr { kind: ExprKind::Table(from.state), ty, span: Span::default() };
        match from.path.is_empty() {
            true => self.facts.of(&pile, self.scope).element_fact(),
            false => Fact::default(),
        }
    }

    /// Returns what is known of what an assignment adds; `None` if nothing is.
    fn assigned(&self, place: &Place, change: Change, value: &Expr) -> Option<Vec<Fact>> {
        let is_collection = value.ty.element().is_some();
        match (place.path.len(), change) {
            (_, Change::Remove) => Some(Vec::new()),
            (0, Change::Set | Change::Join) => self.whole(value),
            (1, Change::Set) | (0, Change::Insert) if !is_collection => {
                Some(vec![self.facts.of(value, self.scope)])
            }
            _ => None,
        }
    }

    /// Returns what is known of the elements of a value that becomes the whole state, or of the value itself if it is a
    /// single one.
    fn whole(&self, value: &Expr) -> Option<Vec<Fact>> {
        if let ExprKind::Value(Value::None) = value.kind {
            return Some(Vec::new());
        }
        let fact = self.facts.of(value, self.scope);
        match &value.ty {
            Type::Grid(_) | Type::Map(..) => None,
            Type::List(_) | Type::Set(_) | Type::Bag(_) => match fact.size {
                (_, 0) => Some(Vec::new()),
                _ => Some(vec![fact.element_fact()]),
            },
            _ => Some(vec![fact]),
        }
    }
}

/// Returns the form of the single values that a piece of state holds or consists of; `None` if these are collections.
fn leaf(form: &Form) -> Option<&Form> {
    match form {
        Form::Set(of) | Form::List(_, of) | Form::Bag(of) | Form::Grid(_, _, of) | Form::Map(of, _) => {
            Some(&**of).filter(|of| of.is_single())
        }
        form => Some(form).filter(|form| form.is_single()),
    }
}

/// Whether a form of single values has integers without end.
fn is_wide(form: &Form) -> bool {
    match form {
        Form::Int | Form::AtLeast(_) => true,
        Form::Optional(of) => is_wide(of),
        Form::Tuple(parts) => parts.iter().any(is_wide),
        _ => false,
    }
}

/// Returns the form of those values of a form of which this is known; `None` if it is no narrower.
fn narrowed(form: &Form, fact: &Fact) -> Option<Form> {
    match form {
        Form::Int | Form::AtLeast(_) => {
            let (low, high) = fact.range;
            let end = |n: i128| {
                let value = Value::int(i64::try_from(n).ok()?);
                Some(Box::new(Expr { kind: ExprKind::Value(value), ty: Type::Int, span: Span::default() }))
            };
            let bounded = -MOST < low && low <= high && high < MOST;
            bounded.then(|| Some(Form::Range(end(low)?, end(high)?))).flatten()
        }
        Form::Optional(of) => Some(Form::Optional(Box::new(narrowed(of, fact)?))),
        Form::Tuple(parts) => {
            let each: Vec<Option<Form>> =
                parts.iter().enumerate().map(|(at, part)| narrowed(part, &fact.part_fact(at))).collect();
            let any = each.iter().any(Option::is_some);
            let parts = each.into_iter().zip(parts).map(|(new, part)| new.unwrap_or_else(|| part.clone()));
            any.then(|| Form::Tuple(parts.collect()))
        }
        _ => None,
    }
}

/// Returns a form with another form of single values.
fn with_leaf(form: &Form, leaf: Form) -> Form {
    let leaf = Box::new(leaf);
    match form {
        Form::Set(_) => Form::Set(leaf),
        Form::List(bound, _) => Form::List(bound.clone(), leaf),
        Form::Bag(_) => Form::Bag(leaf),
        Form::Grid(rows, columns, _) => Form::Grid(rows.clone(), columns.clone(), leaf),
        Form::Map(_, key) => Form::Map(leaf, key.clone()),
        _ => *leaf,
    }
}
