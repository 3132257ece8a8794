//! Logs choices and draws while matches are played: rows of words that give the event, the seat, and the
//! values.

use crate::ir::{Offer, Pc};
use crate::jit::builder::data::{Event, Logged};
use crate::jit::builder::value::{List, Val};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::SlotShape;

/// Stands in place of an event's number when a match is over.
pub const MATCH_OVER: i64 = -1;

impl Builder<'_> {
    /// Logs a choice, if code logs.
    pub(in crate::jit) fn log_choice(
        &mut self,
        (choice, number): (usize, usize),
        offer: &Offer,
        seat: V,
        args: &[Val],
    ) -> Result<()> {
        let Some(shapes) = self.layout.args[offer.mv].clone().filter(|_| self.logs) else { return Ok(()) };
        let words = self.args_words(offer, args)?;
        self.log(Event::Choice { choice, offer: number }, seat, words, shapes)
    }

    /// Logs the result of a draw, if code logs; only single values and lists of them can be logged.
    pub(in crate::jit) fn log_chance(&mut self, pc: Pc, val: Val) -> Result<()> {
        let (words, shape) = match val {
            Val::Word(word) => (vec![word.v], SlotShape::Word(word.s)),
            Val::List(list) if !list.is_of_kept() => {
                let list = self.immutable_list(Val::List(list))?;
                (vec![list.at, list.len], SlotShape::List(list.of))
            }
            _ => {
                self.disable_logging();
                return Ok(());
            }
        };
        if !self.logs {
            return Ok(());
        }
        let nobody = self.int(0);
        self.log(Event::Chance(pc), nobody, vec![words], vec![shape])
    }

    /// Disables logging: something happens here that cannot be logged, so no match of the game is.
    pub(in crate::jit) fn disable_logging(&mut self) {
        self.data.logging_disabled = true;
    }

    /// Logs the end of a match, if code logs.
    pub(in crate::jit) fn log_over(&mut self) -> Result<()> {
        if !self.logs {
            return Ok(());
        }
        let over = self.int(MATCH_OVER);
        self.push_row(&[over], Vec::new(), &[])
    }

    fn log(&mut self, event: Event, seat: V, words: Vec<Vec<V>>, shapes: Vec<SlotShape>) -> Result<()> {
        if shapes.iter().any(|shape| matches!(shape, SlotShape::Opaque(_))) {
            self.disable_logging();
            return Ok(());
        }
        let number = self.int(self.data.logged.len() as i64);
        self.push_row(&[number, seat], words, &shapes)?;
        self.data.logged.push(Logged { event, shapes });
        Ok(())
    }

    /// Appends a row to the output: its head, then the words of the arguments. For a list, these are its
    /// length and its elements.
    pub(in crate::jit) fn push_row(
        &mut self,
        head: &[V],
        words: Vec<Vec<V>>,
        shapes: &[SlotShape],
    ) -> Result<()> {
        let mark = self.b.use_var(self.run.scratch);
        let is_list = |shape: &SlotShape| matches!(shape, SlotShape::List(_));
        let fixed = head.len() + words.iter().map(Vec::len).sum::<usize>();
        let mut size = self.int(8 * fixed as i64);
        for (words, _) in words.iter().zip(shapes).filter(|(_, shape)| is_list(shape)) {
            let bytes = self.b.ins().ishl_imm_s(words[1], 3);
            size = self.b.ins().iadd(size, bytes);
        }
        let row = self.scratch(size);
        for (i, word) in head.iter().enumerate() {
            self.store64(*word, row, i as i32 * 8);
        }
        let first = self.b.ins().iadd_imm_s(row, 8 * head.len() as i64);
        let place = self.var(first);
        for (words, shape) in words.into_iter().zip(shapes) {
            let at = self.b.use_var(place);
            let next = if is_list(shape) {
                let (list, len) = (words[0], words[1]);
                self.store64(len, at, 0);
                let next = self.b.ins().iadd_imm_s(at, 8);
                let of = Scalar::any_int();
                self.copy_list(List::immutable(list, len, of, None), next, 8, of)?;
                let bytes = self.b.ins().ishl_imm_s(len, 3);
                self.b.ins().iadd(next, bytes)
            } else {
                for (i, word) in words.iter().enumerate() {
                    self.store64(*word, at, i as i32 * 8);
                }
                self.b.ins().iadd_imm_s(at, words.len() as i64 * 8)
            };
            self.b.def_var(place, next);
        }
        let (ctx, end) = (self.ctx, self.b.use_var(place));
        let count = self.words_between(row, end);
        self.call("push_row", &[ctx, row, count])?;
        self.b.def_var(self.run.scratch, mark);
        Ok(())
    }
}
