//! Decodes the words that code returns: legal moves, scores, and log rows.

use super::Flat;
use super::builder::data::{Event, Logged};
use super::layout::codec;
use super::layout::slots::SlotShape;
use super::matches::Worker;
use super::runtime::call::Ended;
use crate::engine::Playout;
use crate::eval::{Chosen, Machine, Waiting};
use crate::ir::{Game, Op, Type, Value};
use crate::num::Int;

impl Flat {
    /// Returns every seat's score; `None` if the reference must compute them.
    pub(super) fn scores(&self, worker: &mut Worker, memory: &[u64]) -> Option<Vec<Int>> {
        let entry = self.code.data.entry(self.code.scores?)?;
        let Worker { workspace, spare, .. } = worker;
        spare.clear();
        spare.extend_from_slice(memory);
        self.prepare(workspace, spare);
        let ended = workspace.run(entry, [&mut *spare]);
        (ended == Ended::Done).then(|| workspace.rows.iter().map(|score| Int::from(*score)).collect())
    }

    /// Decodes a value from its words; `None` if they are malformed. `kept` returns a value that the reference keeps.
    fn value<'k>(
        &self,
        shape: &SlotShape,
        words: &mut impl Iterator<Item = i64>,
        kept: impl Fn(i64) -> Option<&'k Value>,
    ) -> Option<Value> {
        match shape.kept() {
            // Lists and sets are kept in different ways, so the type makes no difference.
            Some(of) => of.read(&Type::Wrong, self.layout.squares, words),
            None => kept(words.next()?).cloned(),
        }
    }

    /// Decodes one log row and reports it to `on`; `None` if it is malformed.
    pub(super) fn meaning(&self, game: &Game, words: &[i64], on: &mut dyn FnMut(Playout)) -> Option<()> {
        let mut words = words.iter().copied();
        let number = usize::try_from(words.next()?).ok()?;
        let Logged { event, shapes } = self.code.logged.as_ref()?.get(number)?;
        let seat = usize::try_from(words.next()?).ok()?;
        let mut values: Vec<Value> =
            shapes.iter().map(|shape| self.value(shape, &mut words, |_| None)).collect::<Option<_>>()?;
        match *event {
            Event::Choice { choice, offer } => {
                let choice = &game.choices[choice];
                let mv = choice.all_offers().nth(offer)?.mv;
                on(Playout::Choice(seat, &Chosen { offer, mv, args: values }));
            }
            Event::Chance(pc) => {
                let Op::Chance(chance) = &game.code[pc] else { return None };
                on(Playout::Chance(&chance.name, &values.pop()?));
            }
        }
        Some(())
    }

    /// Returns the legal moves of a seat; `None` if the reference must list them.
    pub(super) fn legal(
        &self,
        worker: &mut Worker,
        machine: &Machine,
        memory: &[u64],
        seat: usize,
        windowed: bool,
    ) -> Option<Vec<Chosen>> {
        let Waiting::Choice { choice, .. } = codec::waiting(&self.layout, memory) else { return None };
        let entry = self.code.data.entry(self.code.lists[choice]?)?;
        let choice = &machine.game.choices[choice];
        let offers: Vec<_> = choice.all_offers().collect();
        let windows = |mv: &crate::ir::Move| mv.params.iter().any(|param| param.window.is_some());
        if !windowed && offers.iter().any(|offer| windows(&machine.game.moves[offer.mv])) {
            return None;
        }
        let Worker { workspace, spare, .. } = worker;
        spare.clear();
        spare.extend_from_slice(memory);
        self.prepare(workspace, spare);
        workspace.context.seat = seat as i64;
        if workspace.run(entry, [&mut *spare]) != Ended::Done {
            return None;
        }
        let mut rows = workspace.rows.iter().copied();
        let mut all = Vec::new();
        while let Some(offer) = rows.next() {
            let offer = usize::try_from(offer).ok()?;
            let mv = offers.get(offer)?.mv;
            let shapes = self.layout.args[mv].as_ref()?;
            let kept = |number| workspace.interpreter_state.kept(number);
            let args =
                shapes.iter().map(|shape| self.value(shape, &mut rows, kept)).collect::<Option<_>>()?;
            all.push(Chosen { offer, mv, args });
        }
        Some(all)
    }
}
