//! Chance draws: the possible outcomes, a random outcome, and how play continues from it.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::domain::tally;
use super::elements::each;
use super::{Dom, Env, Fault, MAX_DRAWS, MAX_STEPS, Machine, Position, elements, fault, text};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Chance, ChanceKind, Change, Place, Value};
use crate::num::Int;
use crate::source::Span;

/// More ways than these, such as the orders of very many cards, are not told apart.
const MOST_WAYS: f64 = 1e150;

impl<'a> Env<'a> {
    /// Returns the collection at a place.
    fn pile(&self, place: &Place, frame: &mut Vec<Value>) -> Result<&'a Value, Fault> {
        self.value(&self.resolve_place(place, frame)?)
    }

    fn outcomes(&self, chance: &Chance) -> Result<Dom, Fault> {
        let mut frame = self.frame();
        let items = |pile: &Value| Dom::Items(elements(pile).into());
        let dom = match &chance.kind {
            ChanceKind::Value(domain, _) => self.domain(domain, &mut frame, false)?,
            ChanceKind::Shuffle(place) => Dom::orders_of(each(self.pile(place, &mut frame)?)),
            ChanceKind::Draw(place, _) => items(self.pile(place, &mut frame)?),
            ChanceKind::Deal(count, place, _) => {
                let size = self.int(count, &mut frame)?.as_usize().unwrap_or(usize::MAX);
                // Cards are dealt one by one with equal ones told apart, so that hands have their true odds.
                Dom::Arrangements(size, Box::new(items(self.pile(place, &mut frame)?)))
            }
        };
        if dom.count(chance.span)? == Some(Int::ZERO) {
            let message = match &chance.kind {
                ChanceKind::Deal(count, place, _) => {
                    let (count, has) =
                        (self.int(count, &mut frame)?, elements(self.pile(place, &mut frame)?).len());
                    format!("{count} cannot be dealt from `{}`: it has {has}", chance.name)
                }
                _ => format!("there is nothing to draw for `{}`", chance.name),
            };
            return Err(fault(Code::NoSuchElement, chance.span, message));
        }
        Ok(dom)
    }
}

impl Machine {
    /// Returns the outcomes of the draw that a position waits for, all equally likely.
    pub fn outcomes(&self, position: &Position) -> Result<Dom, Fault> {
        match self.chance(position) {
            Some(chance) => self.ask(position, |env| env.outcomes(chance)),
            None => Ok(Dom::Items(Vec::new().into())),
        }
    }

    /// Returns one in how many times a draw comes out as a value, which must be possible: the number of equally likely outcomes for
    /// each of them that has this value, or `MOST_WAYS`.
    pub fn ways_to_draw(&self, position: &Position, value: &Value) -> Result<f64, Fault> {
        if let Some(Chance { kind: ChanceKind::Shuffle(place), .. }) = self.chance(position) {
            return self.ask(position, |env| {
                let (mut before, mut ways) = (BTreeMap::new(), 1.0_f64);
                for (at, item) in each(env.pile(place, &mut env.frame())?).enumerate() {
                    let alike = before.entry(item).or_insert(0_usize);
                    *alike += 1;
                    ways *= (at + 1) as f64 / *alike as f64;
                }
                Ok(ways.min(MOST_WAYS))
            });
        }
        let (dom, span) =
            (self.outcomes(position)?, self.chance(position).map_or(Span::default(), |c| c.span));
        let all = dom.count(span)?.unwrap_or(Int::ONE).to_f64();
        Ok((all / dom.copies(value).max(Int::ONE).to_f64()).min(MOST_WAYS))
    }

    /// Draws an outcome at random; `below(n)` must return a uniform number from 0 to n − 1.
    ///
    /// A shuffle swaps each element, from the last one down, with one at or before it (R. Durstenfeld, CACM
    /// 7, 1964); everything else is drawn by its rank.
    pub fn draw_chance(
        &self,
        position: &Position,
        below: &mut dyn FnMut(&Int) -> Int,
    ) -> Result<Value, Fault> {
        let Some(Chance { kind: ChanceKind::Shuffle(place), .. }) = self.chance(position) else {
            let dom = self.outcomes(position)?;
            let span = self.chance(position).map_or(Span::default(), |chance| chance.span);
            return Ok(dom.at(&below(&dom.count(span)?.unwrap_or(Int::ONE))));
        };
        let mut pile = self.ask(position, |env| Ok(elements(env.pile(place, &mut env.frame())?)))?;
        for i in (1..pile.len()).rev() {
            let j = below(&Int::from(i + 1)).as_usize().unwrap_or(0);
            pile.swap(i, j);
        }
        Ok(Value::list(pile))
    }

    /// Gives a draw an outcome and continues play. The inner error says that the outcome is impossible.
    pub fn draw(&self, position: &mut Position, value: Value) -> Result<Result<(), String>, Fault> {
        self.draw_then(position, value, |position| self.run(position))
    }

    /// Like [`Machine::draw`], but `on` continues play.
    pub fn draw_then(
        &self,
        position: &mut Position,
        value: Value,
        on: impl FnOnce(&mut Position) -> Result<(), Fault>,
    ) -> Result<Result<(), String>, Fault> {
        let Some(chance) = self.chance(position) else { return Ok(Err("no draw of chance is due".into())) };
        count_draw(position, chance)?;
        match self.resolve_draw(position, value)? {
            Ok(()) => on(position).map(Ok),
            refused => Ok(refused),
        }
    }

    /// Gives a draw an outcome without continuing play. The inner error says that the outcome is impossible.
    pub fn resolve_draw(&self, position: &mut Position, value: Value) -> Result<Result<(), String>, Fault> {
        let Some(chance) = self.chance(position) else { return Ok(Err("no draw of chance is due".into())) };
        if !self.can_come_out(position, chance, &value)? {
            return Ok(Err(format!(
                "`{}` cannot come out as {}",
                chance.name,
                text::words(&self.game, &value)
            )));
        }
        self.apply_outcome(position, chance, value).map(Ok)
    }

    /// Whether a value is an outcome of the draw that a position waits for.
    fn can_come_out(&self, position: &Position, chance: &Chance, value: &Value) -> Result<bool, Fault> {
        // The orders are compared, and not counted first: their number is large.
        if let (ChanceKind::Shuffle(place), Value::List(order)) = (&chance.kind, value) {
            return self.ask(position, |env| {
                let pile = elements(env.pile(place, &mut env.frame())?);
                Ok(sorted(&pile) == sorted(order))
            });
        }
        Ok(match (&chance.kind, self.outcomes(position)?) {
            // A record does not tell equal cards apart.
            (ChanceKind::Deal(..), Dom::Arrangements(size, of)) => match (value, &*of) {
                (Value::List(dealt), Dom::Items(items)) => {
                    let pile = tally(items);
                    dealt.len() == size
                        && tally(dealt).iter().all(|(card, n)| pile.get(card).is_some_and(|m| n <= m))
                }
                _ => false,
            },
            (_, dom) => dom.contains(value),
        })
    }

    /// Calls `on` with a random outcome, as [`Machine::draw_chance`] draws it, applies it and continues play.
    pub fn play_chance(
        &self,
        position: &mut Position,
        below: &mut dyn FnMut(&Int) -> Int,
        on: &mut dyn FnMut(&Chance, &Value),
    ) -> Result<(), Fault> {
        let Some(chance) = self.chance(position) else { return Ok(()) };
        let value = self.draw_chance(position, below)?;
        on(chance, &value);
        count_draw(position, chance)?;
        self.apply_outcome(position, chance, value)?;
        self.run(position)
    }

    /// Applies an outcome that is known to be possible.
    fn apply_outcome(&self, position: &mut Position, chance: &Chance, value: Value) -> Result<(), Fault> {
        let steps = Cell::new(MAX_STEPS);
        let mut hand = self.editor(position, &steps);
        match &chance.kind {
            ChanceKind::Value(_, slot) => hand.position.frame[*slot] = value,
            ChanceKind::Shuffle(place) => {
                let spot = hand.with_frame(|env, frame| env.resolve_place(place, frame))?;
                hand.write(&spot, Change::Set, value)?;
            }
            ChanceKind::Draw(place, slot) => {
                let spot = hand.with_frame(|env, frame| env.resolve_place(place, frame))?;
                hand.take_out(&spot, &value)?;
                hand.position.frame[*slot] = value;
            }
            ChanceKind::Deal(_, from, to) => {
                let (from, to) = hand.with_frame(|env, frame| {
                    Ok((env.resolve_place(from, frame)?, env.resolve_place(to, frame)?))
                })?;
                hand.deal(&from, &to, elements(&value))?;
            }
        }
        position.pc += 1;
        Ok(())
    }
}

fn sorted(values: &[Value]) -> Vec<&Value> {
    let mut sorted: Vec<&Value> = values.iter().collect();
    sorted.sort_unstable();
    sorted
}

/// Counts a draw, and fails if more than [`MAX_DRAWS`] follow one another.
fn count_draw(position: &mut Position, chance: &Chance) -> Result<(), Fault> {
    if position.draws >= MAX_DRAWS {
        let message = "chance draws go on and on without anybody choosing";
        return Err(Box::new(
            Diagnostic::new(Code::TooMuchWork, chance.span, message, "drawn here").help(format!(
                "there can be at most {MAX_DRAWS} draws between two choices; offer a move in this loop, or end it"
            )),
        ));
    }
    position.draws += 1;
    Ok(())
}
