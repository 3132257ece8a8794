//! Bail-outs and side exits: where code abandons a step or stops for the reference evaluator to continue, and
//! the reasons it reports.

use crate::engine::Reason;
use crate::ir::{Game, Live, Op, Pc, Winner, WinnerBy, domain_parts};
use crate::jit::builder::{Builder, V};
use crate::jit::layout::position::Stop;
use crate::jit::mir::Block;
use crate::jit::runtime::call::{BAILED_OUT, CTX_REASON, SIDE_EXIT};
use crate::source::Span;

/// Why code bails out, where known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BailOutReason {
    /// A number lies beyond the limits of compiled integers.
    Large,
    /// A value is out of range for the place that should hold it.
    Range,
    /// A place is read that was never written.
    Unset,
    /// The step needs more scratch memory than there is.
    Memory,
    /// Play takes more steps than are allowed without a stop.
    Steps,
    /// A random number was rejected and must be drawn again to keep the distribution uniform.
    Redraw,
    /// Any other reason.
    Other,
}

impl BailOutReason {
    fn text(self) -> &'static str {
        match self {
            BailOutReason::Large => "a number beyond 64 bits",
            BailOutReason::Range => "a value out of its range",
            BailOutReason::Unset => "a place that was never written",
            BailOutReason::Memory => "more to list at once than there is memory for",
            BailOutReason::Steps => "too much work for one step",
            BailOutReason::Redraw => "a number drawn anew",
            BailOutReason::Other => "a value that compiled code does not hold",
        }
    }
}

impl Builder<'_> {
    /// Emits code that bails out, if it does, at a span.
    pub fn located<T>(&mut self, span: Span, emit: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.span, span);
        let result = emit(self);
        self.span = around;
        result
    }

    /// Returns the block that bails out for no particular reason.
    pub fn bail_out_block(&mut self) -> Block {
        self.bail_out_block_for(BailOutReason::Other)
    }

    /// Returns the block that bails out for this reason at the current span.
    pub fn bail_out_block_for(&mut self, why: BailOutReason) -> Block {
        if let Some(block) = self.bail_out_blocks.get(&(self.span, why)) {
            return *block;
        }
        let block = self.cold_block();
        self.bail_out_blocks.insert((self.span, why), block);
        block
    }

    /// Returns the number by which code reports a reason, adding the reason to the static data if it is new.
    pub fn reason(&mut self, span: Span, text: &str) -> V {
        let reason = Reason { span, text: text.to_string() };
        let known = self.data.reasons.iter().position(|known| *known == reason);
        let number = known.unwrap_or(self.data.reasons.len());
        if known.is_none() {
            self.data.reasons.push(reason);
        }
        self.int(number as i64)
    }

    /// Emits the bail-out blocks requested so far: each stores its reason and leaves the code with `status`.
    pub fn emit_bail_outs(&mut self, status: i64) {
        for ((span, why), block) in std::mem::take(&mut self.bail_out_blocks) {
            self.switch_to(block);
            let (number, ctx) = (self.reason(span, why.text()), self.ctx);
            self.store64(number, ctx, CTX_REASON);
            self.return_status(status);
        }
    }

    /// Bails out if a condition holds.
    pub fn bail_out_if(&mut self, cond: V) {
        self.bail_out_for(BailOutReason::Other, cond);
    }

    /// Bails out for the given reason if a condition holds.
    pub fn bail_out_for(&mut self, why: BailOutReason, cond: V) {
        let (on, bail_out_block) = (self.block(), self.bail_out_block_for(why));
        self.branch_on(cond, bail_out_block, on);
        self.switch_to(on);
    }

    /// Bails out unless a condition holds.
    pub fn bail_out_unless(&mut self, cond: V) {
        let (on, bail_out_block) = (self.block(), self.bail_out_block());
        self.branch_on(cond, on, bail_out_block);
        self.switch_to(on);
    }

    /// Bails out unconditionally; code emitted after this is unreachable.
    pub fn bail_out(&mut self) {
        let bail_out_block = self.bail_out_block();
        self.jump_away(bail_out_block);
    }

    /// Emits a side exit before an op that is not compiled: the reference continues from there.
    pub fn side_exit_before(&mut self, pc: Pc, why: &str, live: &Live) {
        let (reason, ctx) = (self.reason(self.span, why), self.ctx);
        self.store64(reason, ctx, CTX_REASON);
        if self.save_slots(live.at(pc)).is_err() {
            // A live slot has no flat shape, so the reference must redo the whole step.
            return match &self.stepping {
                None => self.return_status(BAILED_OUT),
                Some(_) => {
                    let block = self.bail_out_block();
                    self.jump(block);
                }
            };
        }
        self.wait(pc, Stop::Nothing);
        let side_exit = self.side_exit;
        self.jump(side_exit);
    }

    /// Emits the block that leaves the code by a side exit.
    pub fn emit_side_exit(&mut self) {
        if self.stepping.is_none() {
            self.store_item_result();
        }
        self.return_status(SIDE_EXIT);
    }
}

/// Returns the source span of an op, or the default span if it has none.
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
