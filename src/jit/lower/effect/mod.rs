//! Effects: changes of the position in memory.

pub mod bag;
pub mod cells;
pub mod deal;
pub mod pool;
pub mod whole;
pub mod write;

use crate::ir::{Change, Effect, Expr, LoopId, Place, Slot, StateId, Type, Value as Known, form_text};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::{self, STANDING};
use crate::jit::layout::shape::{Cells, Index, LIMIT, Scalar, Shape, Sort};
use crate::jit::layout::slots::{COUNTER, SlotShape};
use crate::jit::mir::IntCC;

/// A place with its owner and index evaluated.
pub struct ResolvedPlace {
    /// The piece of state.
    pub state: StateId,
    /// The owner, for state that each player has.
    pub owner: Option<Word>,
    /// The indices into it, from the outermost inwards.
    pub path: Vec<Word>,
}

impl Builder<'_> {
    /// Lowers an effect.
    pub fn effect(&mut self, effect: &Effect) -> Result<()> {
        match effect {
            Effect::Let(slots, e) => {
                let val = self.expr(e)?;
                self.store_slots(slots, val)
            }
            Effect::Assign(places, values) => {
                let mut spots = Vec::new();
                for (place, _) in places {
                    spots.push(self.resolve_place(place)?);
                }
                let mut vals = Vec::new();
                for ((place, _), value) in places.iter().zip(values) {
                    let val = self.assigned(place, value)?;
                    vals.push(if places.len() > 1 { self.snapshot(val)? } else { val });
                }
                for ((target, (_, change)), val) in spots.iter().zip(places).zip(vals) {
                    self.write(target, *change, val)?;
                }
                Ok(())
            }
            Effect::Send(value, from, to) => {
                let value = self.word_of(value)?;
                let (from, to) = (self.resolve_place(from)?, self.resolve_place(to)?);
                self.remove_element(&from, value)?;
                self.write(&to, Change::Insert, Val::Word(value))
            }
            Effect::Award(amount, to, _) => {
                let (amount, to) = (self.number_of(amount)?, self.player_of(to)?);
                let Some(at) = self.layout.awards else { return unsupported("awards without a place") };
                self.add_points(at, to.v, amount);
                Ok(())
            }
            Effect::Reveal(place) | Effect::Conceal(place) => {
                let shown = matches!(effect, Effect::Reveal(_));
                let Some(at) = self.layout.revealed else { return Ok(()) };
                let base = self.machine.setup.bases[place.state] as i64;
                let each = self.machine.game.state[place.state].per_player && place.owner.is_none();
                let cells: Vec<V> = match (&place.owner, each) {
                    (_, true) => (0..self.layout.players as i64).map(|seat| self.int(base + seat)).collect(),
                    (Some(owner), _) => {
                        let owner = self.player_of(owner)?;
                        vec![self.b.ins().iadd_imm_s(owner.v, base)]
                    }
                    (None, _) => vec![self.int(base)],
                };
                for cell in cells {
                    self.set_revealed(at, cell, shown);
                }
                Ok(())
            }
            Effect::Out(who) => {
                let who = self.player_of(who)?;
                let base = self.base();
                let bit = self.bit(who.v);
                let old = self.load64(base, STANDING);
                let new = self.b.ins().band_not(old, bit);
                self.store64(new, base, STANDING);
                Ok(())
            }
            Effect::Deal(count, from, to) => self.deal_from_top(count, from, to),
            Effect::Reset(id) => self.reset(*id),
            // Nobody reads messages while code plays.
            Effect::Say(..) => Ok(()),
            Effect::Phase(name) => {
                let Some(at) = self.layout.phases else { return Ok(()) };
                let base = self.base();
                let depth = self.load_u(1, base, at);
                let next = match name {
                    Some(name) => {
                        let Some(id) = self.layout.phase_names.iter().position(|known| known == name) else {
                            return unsupported("a phase without a number");
                        };
                        let full = self.cmp_imm(IntCC::Equal, depth, i64::from(position::MAX_PHASES));
                        self.bail_out_if(full);
                        let place = self.b.ins().iadd(base, depth);
                        let id = self.int(id as i64);
                        self.store_u(1, id, place, at + 1);
                        self.b.ins().iadd_imm_s(depth, 1)
                    }
                    None => {
                        let one = self.int(1);
                        let high = self.b.ins().umax(depth, one);
                        self.b.ins().iadd_imm_s(high, -1)
                    }
                };
                self.store_u(1, next, base, at);
                Ok(())
            }
        }
    }

    /// Adds to a seat's points.
    fn add_points(&mut self, at: i32, seat: V, amount: Word) {
        let base = self.base();
        let place = self.entry_at(base, seat, 8);
        let old = self.load64(place, at);
        let sum = self.b.ins().iadd(old, amount.v);
        let limit = i128::from(LIMIT);
        let (low, high) = (i128::from(amount.s.lo).max(-limit), i128::from(amount.s.hi).min(limit));
        let new = self.within(sum, low - limit, high + limit);
        self.store64(new.v, place, at);
    }

    /// Lowers the value of an assignment in the form that its place takes.
    pub(in crate::jit) fn assigned(&mut self, place: &Place, value: &Expr) -> Result<Val> {
        let val = self.expr(value)?;
        match self.layout.states[place.state].shape {
            Shape::Scalar(of) => Ok(Val::Word(self.word_as(val, of.sort)?)),
            _ => Ok(val),
        }
    }

    /// Returns a value that later changes do not affect.
    pub(in crate::jit) fn snapshot(&mut self, val: Val) -> Result<Val> {
        match val {
            Val::List(_) => Ok(Val::List(self.immutable_list(val)?)),
            Val::BagOfList(list) => Ok(Val::BagOfList(self.immutable_list(Val::List(list))?)),
            Val::Tuple(parts) => {
                let parts: Result<Vec<Val>> = parts.into_iter().map(|part| self.snapshot(part)).collect();
                Ok(Val::Tuple(parts?))
            }
            val @ Val::Keyed { .. } => self.keyed_snapshot(val),
            Val::Pool { handle, of } => self.pool_elements(handle, &of),
            val @ Val::MemoryBits { .. } => Ok(Val::List(self.elements_in_memory(val)?)),
            val @ Val::Counts { .. } => Ok(Val::BagOfList(self.unordered_list(val)?)),
            Val::Cells { at, cells } if matches!(cells.index, Index::Places(_)) => {
                self.realised(Val::Cells { at, cells }, &Type::Never)
            }
            Val::Cells { .. } => unsupported("several large values changed at once"),
            val => Ok(val),
        }
    }

    /// Stores values in slots of the automaton.
    pub fn store_slots(&mut self, slots: &[Slot], val: Val) -> Result<()> {
        if slots.len() > 1 {
            let Some(parts) = self.tuple_parts(&val, slots.len()) else {
                return unsupported(format!("{} taken apart", val.kind()));
            };
            for (slot, part) in slots.iter().zip(parts) {
                self.store_slots(&[*slot], part)?;
            }
            return Ok(());
        }
        let Some(found) = self.vars.get(&slots[0]).cloned() else {
            return unsupported("a local value of a type that compiled code cannot hold");
        };
        if found.counter_offset.is_some() {
            return Ok(());
        }
        let words = self.words_for_slot(&found.shape, val)?;
        for (var, word) in found.vars.iter().zip(words) {
            self.b.def_var(*var, word);
        }
        Ok(())
    }

    /// Returns the words of a value in a slot of a shape. Bails out if it does not fit.
    pub(in crate::jit) fn words_for_slot(&mut self, shape: &SlotShape, val: Val) -> Result<Vec<V>> {
        Ok(match shape {
            SlotShape::Word(s) => {
                let word = self.word_as(val, s.sort)?;
                if word.s.sort != s.sort {
                    return unsupported("a local value of another sort");
                }
                let counter = s.hi == COUNTER && word.s.hi == COUNTER + 1;
                if word.s.lo < s.lo || word.s.hi > s.hi && !counter || word.s.optional && !s.optional {
                    self.must_fit_place(word, *s)?;
                }
                vec![word.v]
            }
            SlotShape::Bits(of) | SlotShape::Members(of) => self.bits(val, *of)?.words,
            SlotShape::List(of) | SlotShape::Set(of) => {
                let list = self.immutable_list(val)?;
                let list = self.convert_list(list, *of)?;
                vec![list.at, list.len]
            }
            SlotShape::Span => match val {
                Val::Span(lo, hi) => vec![lo.v, hi.v],
                other => return unsupported(format!("{} where a span belongs", other.kind())),
            },
            SlotShape::Bag(of) => {
                let list = self.unordered_list(val)?;
                let list = self.immutable_list(Val::List(list))?;
                let list = self.convert_list(list, *of)?;
                vec![list.at, list.len]
            }
            SlotShape::Kept(of) => vec![self.keep_as(val, of)?],
            SlotShape::Fixed(_) => Vec::new(),
            SlotShape::Opaque(ty) => vec![self.opaque_index(val, ty)?],
        })
    }

    /// Describes state that only the reference reads and changes.
    pub(in crate::jit) fn only_interpreted(&self, state: StateId) -> String {
        let game = &self.machine.game;
        let state = &game.state[state];
        let ty = form_text(game, &state.form);
        format!("`{}: {ty}`, a type that compiled code does not hold", state.name)
    }

    pub(in crate::jit) fn resolve_place(&mut self, place: &Place) -> Result<ResolvedPlace> {
        let owner = match &place.owner {
            Some(owner) => Some(self.player_of(owner)?),
            None => None,
        };
        let path = place.path.iter().map(|at| self.number_of(at)).collect::<Result<_>>()?;
        Ok(ResolvedPlace { state: place.state, owner, path })
    }

    /// Returns the value at a place.
    pub(in crate::jit) fn value_at(&mut self, target: &ResolvedPlace) -> Result<Val> {
        let whole = self.state(target.state, target.owner)?;
        target.path.iter().try_fold(whole, |val, at| {
            let val = self.present(val)?;
            self.held_at(&val, *at)
        })
    }

    /// Marks a cell as revealed or hidden.
    pub(in crate::jit) fn set_revealed(&mut self, at: i32, cell: V, shown: bool) {
        let base = self.base();
        let word = self.b.ins().ushr_imm_s(cell, 6);
        let place = self.entry_at(base, word, 8);
        let bit = self.bit(cell);
        let old = self.load64(place, at);
        let new = match shown {
            true => self.b.ins().bor(old, bit),
            false => self.b.ins().band_not(old, bit),
        };
        self.store64(new, place, at);
    }

    /// Removes one element, which must be there.
    pub(in crate::jit) fn remove_element(&mut self, target: &ResolvedPlace, word: Word) -> Result<()> {
        let contents = self.value_at(target)?;
        let present = self.has(contents, Val::Word(word))?;
        self.bail_out_unless(present);
        self.write(target, Change::Remove, Val::Word(word))
    }

    /// Gives the state of a loop that is restarted its initial values.
    pub(in crate::jit) fn reset(&mut self, id: LoopId) -> Result<()> {
        for (state, declared) in self.machine.game.state.iter().enumerate() {
            if declared.reset_by != Some(id) {
                continue;
            }
            let owners = if declared.per_player { self.layout.players } else { 1 };
            for owner in 0..owners {
                let s = Scalar { sort: Sort::Player, lo: 0, hi: 0, optional: false };
                let owner = declared.per_player.then(|| self.known(owner as i64, s));
                let target = ResolvedPlace { state, owner, path: Vec::new() };
                self.store_initial_value(&target)?;
            }
        }
        Ok(())
    }

    pub(in crate::jit) fn store_initial_value(&mut self, target: &ResolvedPlace) -> Result<()> {
        let declared = &self.machine.game.state[target.state];
        let place = self.layout.states[target.state].clone();
        let at = self.state_at(target.state, target.owner);
        self.unreveal(target.state, target.owner);
        let val = match &declared.init {
            Some(lambda) => {
                let args: Vec<Val> = target.owner.into_iter().map(Val::Word).collect();
                Some(self.lambda(lambda, args, |this, body| this.expr(body))?)
            }
            None => None,
        };
        match (&place.shape, val) {
            (Shape::Keyed(shape), None) if !shape.of.optional => {
                unsupported("a map or a grid started anew without values")
            }
            (Shape::Keyed(shape), val) => {
                self.write_keyed(*shape, at, val.unwrap_or(Val::Const(Known::None)))
            }
            (Shape::Cells(Cells { index: Index::Keyed(_), of }), None) => {
                if !of.is_optional() {
                    return unsupported("a collection of collections started anew without values");
                }
                self.write(target, Change::Set, Val::Const(Known::None))
            }
            (Shape::Scalar(of), None) => {
                let width = of.width();
                let least = if width == 8 { i64::MIN } else { -(1i64 << (width * 8 - 1)) };
                let code = self.int(least + 1);
                self.store_u(width, code, at, 0);
                Ok(())
            }
            (_, None) => {
                if let Some(flag) = place.flag {
                    let zero = self.int(0);
                    self.store_u(1, zero, at, flag);
                }
                Ok(())
            }
            (_, Some(val)) => self.write(target, Change::Set, val),
        }
    }

    /// Hides a cell again when it is written.
    pub fn unreveal(&mut self, state: StateId, owner: Option<Word>) {
        if let Some(at) = self.layout.revealed
            && self.machine.game.state[state].sight != crate::ir::Sight::Public
        {
            let first = self.machine.setup.bases[state] as i64;
            let cell = match owner {
                Some(owner) => self.b.ins().iadd_imm_s(owner.v, first),
                None => self.int(first),
            };
            self.set_revealed(at, cell, false);
        }
    }
}
