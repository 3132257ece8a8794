//! Effects: changes of a position, applied one after the other and visible immediately.

use std::cell::Cell;
use std::sync::Arc;

use super::elements::{each, element, has};
use super::fold::bind;
use super::{Begun, Dom, Env, Event, Fault, Machine, Position, fault, text};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Change, Domain, Effect, Expr, Form, LoopId, Place, Slot, Value};
use crate::source::Span;

/// A place with its owner and indices evaluated, so that it can be written without evaluating anything else.
pub(super) struct ResolvedPlace {
    /// The index of the cell in [`Position::cells`].
    pub cell: usize,
    state: usize,
    path: Vec<Value>,
    span: Span,
}

impl<'a> Env<'a> {
    pub(super) fn resolve_place(
        &self,
        place: &Place,
        frame: &mut Vec<Value>,
    ) -> Result<ResolvedPlace, Fault> {
        let owner = match &place.owner {
            Some(owner) => self.player(owner, frame)?,
            None => 0,
        };
        let path: Result<Vec<Value>, Fault> = place.path.iter().map(|at| self.eval(at, frame)).collect();
        let cell = self.machine.setup.bases[place.state] + owner;
        Ok(ResolvedPlace { cell, state: place.state, path: path?, span: place.span })
    }

    /// Returns the value at a spot. Fails if nothing is written there.
    pub(super) fn value(&self, spot: &ResolvedPlace) -> Result<&'a Value, Fault> {
        let mut value = &self.position.cells[spot.cell];
        for at in &spot.path {
            value = element(value, at).ok_or_else(|| self.no_place(value, at, spot.span))?;
        }
        match value {
            Value::Unset => Err(self.unwritten(spot.state, spot.span)),
            value => Ok(value),
        }
    }
}

/// A position that is being changed, and what evaluating effects needs.
pub(super) struct PositionEditor<'a> {
    pub machine: &'a Machine,
    pub position: &'a mut Position,
    pub steps: &'a Cell<u64>,
}

impl PositionEditor<'_> {
    fn env(&self) -> Env<'_> {
        self.machine.env(self.position, self.steps)
    }

    /// Evaluates something in the automaton's frame.
    pub fn with_frame<T>(
        &mut self,
        work: impl FnOnce(&Env, &mut Vec<Value>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut frame = std::mem::take(&mut self.position.frame);
        let result = work(&self.env(), &mut frame);
        self.position.frame = frame;
        result
    }

    /// Stores a domain's elements as a list in slot `list`, and sets the counter in slot `at` to 0.
    pub fn collect(&mut self, source: &Domain, list: Slot, at: Slot) -> Result<(), Fault> {
        let items = self.with_frame(|env, frame| {
            let dom = env.domain(source, frame, false)?;
            if !matches!(dom, Dom::Items(_) | Dom::Elements(_)) {
                let count = dom.count(Span::default())?.and_then(|n| n.as_usize());
                env.check_size(count.unwrap_or(usize::MAX), Span::default())?;
            }
            dom.list(Span::default())
        })?;
        self.position.frame[list] = items;
        self.position.frame[at] = Value::int(0);
        Ok(())
    }

    /// Binds the next element of a list that passes a filter. Returns `false` if there is none.
    pub fn next_element(
        &mut self,
        list: Slot,
        at: Slot,
        slots: &[Slot],
        filter: Option<&Expr>,
        cyclic: bool,
    ) -> Result<bool, Fault> {
        let frame = &mut self.position.frame;
        let (Value::Int(from), Value::List(items)) = (&frame[at], frame[list].clone()) else {
            return Ok(false);
        };
        let mut place = from.as_usize().unwrap_or(0);
        let mut found = false;
        for _ in 0..items.len() {
            if place >= items.len() {
                if !cyclic {
                    break;
                }
                place = 0;
            }
            bind(slots, items[place].clone(), &mut self.position.frame);
            place += 1;
            found = match filter {
                Some(filter) => self.with_frame(|env, frame| env.truth(filter, frame))?,
                None => true,
            };
            if found {
                break;
            }
        }
        self.position.frame[at] = Value::int(place);
        Ok(found)
    }

    pub fn execute(&mut self, effect: &Effect, span: Span) -> Result<(), Fault> {
        match effect {
            Effect::Let(slots, value) => {
                let value = self.with_frame(|env, frame| env.eval(value, frame))?;
                bind(slots, value, &mut self.position.frame);
            }
            Effect::Assign(places, values) => {
                if let ([(place, change)], [value]) = (places.as_slice(), values.as_slice()) {
                    let (spot, value) = self.with_frame(|env, frame| {
                        Ok((env.resolve_place(place, frame)?, env.eval(value, frame)?))
                    })?;
                    return self.write(&spot, *change, value);
                }
                let (spots, values) = self.with_frame(|env, frame| {
                    let spots: Result<Vec<ResolvedPlace>, Fault> =
                        places.iter().map(|(p, _)| env.resolve_place(p, frame)).collect();
                    let values: Result<Vec<Value>, Fault> =
                        values.iter().map(|v| env.eval(v, frame)).collect();
                    Ok((spots?, values?))
                })?;
                for ((spot, value), (_, change)) in spots.iter().zip(values).zip(places) {
                    self.write(spot, *change, value)?;
                }
            }
            Effect::Send(value, from, to) => {
                let (value, from, to) = self.with_frame(|env, frame| {
                    Ok((
                        env.eval(value, frame)?,
                        env.resolve_place(from, frame)?,
                        env.resolve_place(to, frame)?,
                    ))
                })?;
                self.take_out(&from, &value)?;
                self.write(&to, Change::Insert, value)?;
            }
            Effect::Award(amount, to, why) => {
                let listening = self.position.events.is_some();
                let (amount, to, why) = self.with_frame(|env, frame| {
                    let why = match why {
                        Some(why) if listening => {
                            Some(text::words(&env.machine.game, &env.eval(why, frame)?))
                        }
                        _ => None,
                    };
                    Ok((env.int(amount, frame)?, env.player(to, frame)?, why))
                })?;
                self.position.awards[to] = self.position.awards[to].add(&amount);
                if !amount.is_zero() {
                    self.push_event(Event::Award(to, amount, why));
                }
            }
            Effect::Say(said, to) => self.say(said, to.as_ref()),
            Effect::Reveal(place) | Effect::Conceal(place) => {
                let shown = matches!(effect, Effect::Reveal(_));
                let state = &self.machine.game.state[place.state];
                let base = self.machine.setup.bases[place.state];
                let cells = match state.per_player && place.owner.is_none() {
                    true => base..base + self.machine.setup.players,
                    false => {
                        let cell = self.with_frame(|env, frame| env.resolve_place(place, frame))?.cell;
                        cell..cell + 1
                    }
                };
                for cell in cells {
                    let before = std::mem::replace(&mut self.position.revealed[cell], shown);
                    if shown && !before && self.position.events.is_some() {
                        let owner = state.per_player.then_some(cell - base);
                        let value = text::spoken(&self.machine.game, &self.position.cells[cell]);
                        self.push_event(Event::Revealed(owner, state.name.clone(), value));
                    }
                }
            }
            Effect::Out(who) => {
                let seat = self.with_frame(|env, frame| env.player(who, frame))?;
                if std::mem::replace(&mut self.position.is_in[seat], false) {
                    self.push_event(Event::Out(seat));
                }
            }
            Effect::Deal(count, from, to) => {
                let (count, from, to) = self.with_frame(|env, frame| {
                    Ok((
                        env.int(count, frame)?,
                        env.resolve_place(from, frame)?,
                        env.resolve_place(to, frame)?,
                    ))
                })?;
                let pile: &[Value] = match self.env().value(&from)? {
                    Value::List(items) => items,
                    _ => &[],
                };
                let Some(dealt) = count.as_usize().and_then(|n| Some(pile.get(..n)?.to_vec())) else {
                    let (name, has) = (&self.machine.game.state[from.state].name, pile.len());
                    let message = format!("{count} cannot be dealt from `{name}`: it has {has}");
                    return Err(fault(Code::NoSuchElement, span, message));
                };
                self.deal(&from, &to, dealt)?;
            }
            Effect::Reset(id) => self.begin_pass(*id)?,
            Effect::Phase(Some(name)) => {
                self.position.phases.push(name.clone());
                self.push_event(Event::Began(Begun::Phase(name.clone()), None));
            }
            Effect::Phase(None) => {
                self.position.phases.pop();
            }
        }
        Ok(())
    }

    /// Reports what the rules say, if somebody listens. This must not affect play: faults are reported as
    /// text, and the steps are not charged to the transition.
    fn say(&mut self, said: &Expr, to: Option<&Expr>) {
        if self.position.events.is_none() {
            return;
        }
        let mut frame = self.position.frame.clone();
        let told = self.machine.ask(self.position, |env| {
            let seat = to.map(|to| env.player(to, &mut frame)).transpose()?;
            Ok((seat, text::words(&env.machine.game, &env.eval(said, &mut frame)?)))
        });
        let (seat, words) =
            told.unwrap_or_else(|fault| (None, format!("(this message cannot be shown: {})", fault.message)));
        self.push_event(Event::Said(seat, words));
    }

    pub fn push_event(&mut self, event: Event) {
        if let Some(events) = &mut self.position.events {
            events.push(event);
        }
    }

    /// Sets back what a loop resets, and reports what began and what stood there, if somebody listens.
    fn begin_pass(&mut self, of: LoopId) -> Result<(), Fault> {
        let before = self.position.events.is_some().then(|| self.position.cells.clone());
        self.reset(Some(of))?;
        if let Some(before) = before {
            let begun = Begun::Pass(self.machine.game.loops[of].0.clone());
            self.push_event(Event::Began(begun, (before != self.position.cells).then(|| before.into())));
        }
        Ok(())
    }

    /// Sets state to its initial value: all of it, or only what the loop `of` resets.
    pub fn reset(&mut self, of: Option<LoopId>) -> Result<(), Fault> {
        for (id, state) in self.machine.game.state.iter().enumerate() {
            if of.is_some() && state.reset_by != of {
                continue;
            }
            let seats = if state.per_player { self.machine.setup.players } else { 1 };
            for seat in 0..seats {
                let env = self.env();
                let value = env.initial(
                    &state.form,
                    state.init.as_ref(),
                    state.per_player.then_some(seat),
                    state.span,
                )?;
                let misfit = env.misfit(&state.form, &value)?;
                self.refuse_misfit(id, &[], &value, misfit, state.span)?;
                let cell = self.machine.setup.bases[id] + seat;
                self.position.cells[cell] = value;
                self.position.revealed[cell] = false;
            }
        }
        Ok(())
    }

    /// Refuses a value that does not fit into a part of state, which is named by its path.
    fn refuse_misfit(
        &self,
        state: usize,
        path: &[Value],
        value: &Value,
        misfit: Option<String>,
        span: Span,
    ) -> Result<(), Fault> {
        let Some(words) = misfit else { return Ok(()) };
        let state = &self.machine.game.state[state];
        let shown: String = match text::spoken(&self.machine.game, value).chars().take(60).collect::<String>()
        {
            shown if shown.is_empty() => "an empty list".to_string(),
            shown => shown,
        };
        let path = path.iter().map(|at| format!("[{}]", text::words(&self.machine.game, at)));
        Err(Box::new(
            Diagnostic::new(
                Code::OutOfRange,
                span,
                format!("`{}{}` cannot hold {shown}", state.name, path.collect::<String>()),
                format!("it can hold {words}"),
            )
            .also(state.span, "declared here"),
        ))
    }

    /// Changes the value at a spot. The cell is changed in place, so that large sets are not copied.
    pub fn write(&mut self, spot: &ResolvedPlace, change: Change, value: Value) -> Result<(), Fault> {
        let mut cell = std::mem::replace(&mut self.position.cells[spot.cell], Value::Unset);
        let done = self.change(&mut cell, spot, change, value);
        self.position.cells[spot.cell] = cell;
        self.position.revealed[spot.cell] = false;
        done
    }

    fn change(
        &self,
        cell: &mut Value,
        spot: &ResolvedPlace,
        change: Change,
        value: Value,
    ) -> Result<(), Fault> {
        let env = self.env();
        let state = &self.machine.game.state[spot.state];
        // An inserted element is checked alone, without checking those that are already there.
        let element = match (&state.form, change) {
            (Form::List(None, of) | Form::Set(of) | Form::Bag(of), Change::Insert)
                if spot.path.is_empty() =>
            {
                Some(of)
            }
            _ => None,
        };
        if let Some(of) = element {
            let misfit = env.misfit(of, &value)?;
            self.refuse_misfit(spot.state, &[], &value, misfit, spot.span)?;
        }
        let mut target = &mut *cell;
        for at in &spot.path {
            target = env.slot_of(target, at, spot.span)?;
        }
        if self.machine.strict
            && change == Change::Remove
            && matches!(target, Value::List(_) | Value::Bag(_))
            && !has(target, &value)
        {
            let what = text::spoken(&self.machine.game, &value);
            let message = format!("{what} is taken out of `{}`, but is not in it", state.name);
            return Err(Box::new(Diagnostic::new(
                Code::NotThere,
                spot.span,
                message,
                "this changes nothing",
            )));
        }
        apply(target, change, value, &state.name, spot.span)?;
        if element.is_some() || change == Change::Remove {
            return Ok(());
        }
        let misfit = env.misfit_after(&state.form, cell, &spot.path, change)?;
        if misfit.is_none() {
            return Ok(());
        }
        let mut part = &*cell;
        for at in &spot.path {
            part = super::elements::element(part, at).unwrap_or(part);
        }
        self.refuse_misfit(spot.state, &spot.path, part, misfit, spot.span)
    }

    /// Removes one element. Fails if it is not there.
    pub fn take_out(&mut self, spot: &ResolvedPlace, value: &Value) -> Result<(), Fault> {
        if !has(self.env().value(spot)?, value) {
            let name = &self.machine.game.state[spot.state].name;
            return Err(fault(
                Code::NoSuchElement,
                spot.span,
                format!("`{name}` has no {} to give", text::spoken(&self.machine.game, value)),
            ));
        }
        self.write(spot, Change::Remove, value.clone())
    }

    /// Moves these elements from one pile to another.
    pub fn deal(&mut self, from: &ResolvedPlace, to: &ResolvedPlace, dealt: Vec<Value>) -> Result<(), Fault> {
        for value in dealt {
            self.take_out(from, &value)?;
            self.write(to, Change::Insert, value)?;
        }
        Ok(())
    }
}

fn apply(target: &mut Value, change: Change, value: Value, name: &str, span: Span) -> Result<(), Fault> {
    let number = |target: &Value, value: &Value| match (target, value) {
        (Value::Int(a), Value::Int(b)) => Some((a.clone(), b.clone())),
        _ => None,
    };
    if matches!(target, Value::Unset) && change != Change::Set {
        return Err(fault(Code::Unset, span, format!("`{name}` is changed before it is written")));
    }
    match (change, &mut *target) {
        // A single value is assigned to every key.
        (Change::Set, Value::Map(map)) if !matches!(value, Value::Map(_)) => {
            Arc::make_mut(map).values_mut().for_each(|each| *each = value.clone());
        }
        (Change::Set, _) => *target = value,
        (Change::Plus | Change::Minus, old) => {
            if let Some((a, b)) = number(old, &value) {
                *target = Value::Int(if change == Change::Plus { a.add(&b) } else { a.sub(&b) });
            }
        }
        (Change::Insert, Value::List(items)) => Arc::make_mut(items).push(value),
        (Change::Insert, Value::Set(items)) => {
            Arc::make_mut(items).insert(value);
        }
        (Change::Insert, Value::Bag(items)) => *Arc::make_mut(items).entry(value).or_insert(0) += 1,
        (Change::Remove, Value::List(items)) => {
            if let Some(at) = items.iter().position(|item| *item == value) {
                Arc::make_mut(items).remove(at);
            }
        }
        (Change::Remove, Value::Set(items)) => {
            Arc::make_mut(items).remove(&value);
        }
        (Change::Remove, Value::Bag(items)) => {
            let items = Arc::make_mut(items);
            if let Some(times) = items.get_mut(&value) {
                *times -= 1;
                if *times == 0 {
                    items.remove(&value);
                }
            }
        }
        (Change::Join, old) => {
            let more = each(&value);
            match old {
                Value::List(items) => Arc::make_mut(items).extend(more),
                Value::Set(items) => Arc::make_mut(items).extend(more),
                Value::Bag(items) => {
                    let items = Arc::make_mut(items);
                    for item in more {
                        *items.entry(item).or_insert(0) += 1;
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
    if elements_of(target) > super::MAX_ELEMENTS {
        return Err(fault(
            Code::TooLarge,
            span,
            format!("`{name}` would have more than {} elements", super::MAX_ELEMENTS),
        ));
    }
    Ok(())
}

fn elements_of(value: &Value) -> usize {
    match value {
        Value::List(items) => items.len(),
        Value::Set(items) => items.len(),
        Value::Bag(items) => items.len(),
        _ => 0,
    }
}
