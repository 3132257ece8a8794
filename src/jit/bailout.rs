//! Bail-outs: where code gives a step up, or stops for the reference to go on, and what it says of it.

use cranelift::prelude::*;

use super::call::{CTX_REASON, GAVE_UP, LEFT_OFF};
use super::generate::{Gen, V};
use crate::engine::Reason;
use crate::ir::{Game, Live, Op, Pc, Winner, WinnerBy, domain_parts};
use crate::source::Span;

/// Why code gives up, where that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A number beyond the limits of compiled integers.
    Large,
    /// A value that its place may not hold.
    Range,
    /// A place that was never written is read.
    Unset,
    /// More scratch memory than a step has.
    Memory,
    /// More steps than may pass without a stop.
    Steps,
    /// A number of the stream of chance that is drawn anew, so that all are equally likely.
    Redraw,
    /// Anything else.
    Other,
}

impl Why {
    fn text(self) -> &'static str {
        match self {
            Why::Large => "a number too large for a word",
            Why::Range => "a value out of its range",
            Why::Unset => "a place that was never written",
            Why::Memory => "more to list than there is memory for",
            Why::Steps => "too much work for one step",
            Why::Redraw => "a number drawn anew",
            Why::Other => "a value that code has no form for",
        }
    }
}

impl Gen<'_> {
    /// Where a step goes that the reference must do.
    pub fn giveup(&mut self) -> Block {
        self.giveup_for(Why::Other)
    }

    /// Where a step goes that the reference must do for this reason.
    pub fn giveup_for(&mut self, why: Why) -> Block {
        if let Some(block) = self.giveups.get(&(self.span, why)) {
            return *block;
        }
        let block = self.block_aside();
        self.giveups.insert((self.span, why), block);
        block
    }

    /// The number by which code names a reason.
    pub fn reason(&mut self, span: Span, text: &str) -> V {
        let reason = Reason { span, text: text.to_string() };
        let known = self.data.reasons.iter().position(|known| *known == reason);
        let number = known.unwrap_or(self.data.reasons.len());
        if known.is_none() {
            self.data.reasons.push(reason);
        }
        self.int(number as i64)
    }

    /// All ways to give up: each names its reason and leaves the code.
    pub fn give_ups(&mut self) {
        for ((span, why), block) in std::mem::take(&mut self.giveups) {
            self.at(block);
            let (number, ctx) = (self.reason(span, why.text()), self.ctx);
            self.store64(number, ctx, CTX_REASON);
            self.exit(GAVE_UP);
        }
    }

    /// Hands the step to the reference where a condition holds.
    pub fn give_up_if(&mut self, cond: V) {
        self.give_up_for(Why::Other, cond);
    }

    /// The same, for a reason that is told.
    pub fn give_up_for(&mut self, why: Why, cond: V) {
        let (on, giveup) = (self.block(), self.giveup_for(why));
        self.fork(cond, giveup, on);
        self.at(on);
    }

    /// Hands the step to the reference unless a condition holds.
    pub fn give_up_unless(&mut self, cond: V) {
        let (on, giveup) = (self.block(), self.giveup());
        self.fork(cond, on, giveup);
        self.at(on);
    }

    /// Hands the step to the reference; what follows is never reached.
    pub fn give_up(&mut self) {
        let giveup = self.giveup();
        self.leave_for(giveup);
    }

    /// Stops before an op that is not compiled: the reference goes on from here.
    pub fn leave_off(&mut self, pc: Pc, why: &str, live: &Live) {
        let (reason, ctx) = (self.reason(self.span, why), self.ctx);
        self.store64(reason, ctx, CTX_REASON);
        if self.save_slots(live.at(pc)).is_err() {
            // Something is named here that flat memory does not hold: the step is the reference's from its beginning.
            return self.exit(GAVE_UP);
        }
        self.wait(pc, 0);
        let left_off = self.left_off;
        self.jump(left_off);
    }

    /// Leaves the code where the reference is to go on: with what was in registers written back.
    pub fn leave_to_reference(&mut self) {
        self.let_go();
        self.tell_place();
        self.exit(LEFT_OFF);
    }
}

/// The place in the rules that an op comes from, where it has one.
pub fn op_span(game: &Game, pc: Pc) -> Span {
    let first = |domain| {
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        parts.first().map_or(Span::default(), |part| part.span)
    };
    match &game.code[pc] {
        Op::Do(_, span) => *span,
        Op::Unless(cond, _) => cond.span,
        Op::Collect { source, .. } => first(source),
        Op::Next { list, .. } => {
            let fills = |op: &&Op| matches!(op, Op::Collect { list: own, .. } if own == list);
            match game.code.iter().find(fills) {
                Some(Op::Collect { source, .. }) => first(source),
                _ => Span::default(),
            }
        }
        Op::Choose(id) | Op::Unseal(id, _) => game.choices[*id].span,
        Op::Chance(chance) => chance.span,
        Op::End(Some(who)) => who.span,
        Op::End(None) => match &game.winner {
            Some(Winner { by: WinnerBy::Best(keys), .. }) => {
                keys.first().map_or(Span::default(), |(_, key)| key.body.span)
            }
            _ => Span::default(),
        },
        Op::Jump(_) => Span::default(),
    }
}
