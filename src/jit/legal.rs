//! Legal moves: whether there is one, one drawn at random, all of them.
//!
//! An offer is gone through parameter by parameter. What the last ones range over becomes a leaf that is counted and
//! drawn from at once: the bits of a set, a span of integers, the rows of a domain that nothing restricts. Parameters
//! before it are loops; those that nothing looks at are factors.

use cranelift::prelude::*;

use super::generate::{Gen, R, nope};
use super::leaf::Leaf;
use super::table;
use super::value::{Bits, Val, Word};
use crate::ir::{Choice, Domain, Expr, ExprKind, Move, MoveCheck, Offer, Param, Slot, Type, domain_parts};
use crate::opt::{Candidate, Candidates};

/// What is done with a drawn or listed row.
pub type Taken<'t> = &'t mut dyn FnMut(&mut Gen, usize, &[Val]) -> R<()>;

pub fn chosen(mv: &Move) -> Vec<&Param> {
    mv.params.iter().filter(|param| param.domain.is_some()).collect()
}

pub fn reads(e: &Expr, slot: Slot) -> bool {
    table::free_slots(e).contains(&slot)
}

pub fn domain_reads(domain: &Domain, slot: Slot) -> bool {
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().any(|part| reads(part, slot))
}

/// Whether a check reads a slot, by itself or through a value it names.
pub fn checks_read(mv: &Move, slot: Slot) -> bool {
    mv.checks.iter().any(|check| reads(check.expr(), slot))
}

/// Whether a parameter's domain or window reads a slot.
pub fn param_reads(param: &Param, slot: Slot) -> bool {
    param.domain.as_ref().is_some_and(|domain| domain_reads(domain, slot))
        || param.window.as_ref().is_some_and(|(low, high)| reads(low, slot) || reads(high, slot))
}

/// Whether a parameter's domain or window reads a parameter before it.
pub fn dependent(mv: &Move) -> bool {
    let params = chosen(mv);
    params
        .iter()
        .enumerate()
        .any(|(i, param)| params[..i].iter().any(|before| param_reads(param, before.slot)))
}

/// Whether a domain has no end.
pub fn endless(domain: &Domain) -> bool {
    match domain {
        Domain::Ints => true,
        Domain::Arrangements(_, of) | Domain::Lists(_, of) => endless(of),
        Domain::Tuples(parts) => parts.iter().any(endless),
        _ => false,
    }
}

impl<'a> Gen<'a> {
    /// Binds who moves and what the play gives.
    pub(super) fn enter(&mut self, offer: &Offer, seat: Word) -> R<()> {
        let mv = &self.machine.game.moves[offer.mv];
        if mv.checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. })) {
            return nope(format!("`{}` has a need that binds only where possible", mv.name));
        }
        let mut given = Vec::new();
        for e in &offer.given {
            given.push(self.expr(e)?);
        }
        let params = mv.params.iter().filter(|param| param.domain.is_none());
        for (param, val) in params.zip(given) {
            self.locals.bound.insert(param.slot, val);
        }
        self.locals.bound.insert(mv.me, Val::Word(seat));
        Ok(())
    }

    /// Takes the names of a move away again.
    pub(super) fn leave(&mut self, offer: &Offer) {
        let mv = &self.machine.game.moves[offer.mv];
        self.locals.bound.remove(&mv.me);
        for param in &mv.params {
            self.locals.bound.remove(&param.slot);
        }
        for check in &mv.checks {
            if let MoveCheck::Let(slots, _) = check {
                slots.iter().for_each(|slot| drop(self.locals.bound.remove(slot)));
            }
        }
    }

    /// Judges the row whose arguments are bound: goes to `no` where a need fails, on where all hold.
    pub fn judge(&mut self, mv: &Move, no: Block) -> R<()> {
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, e) => {
                    // A value that no need looks at is named when the move is carried out.
                    let used = slots.iter().any(|slot| checks_read(mv, *slot));
                    if used {
                        let val = self.expr(e)?;
                        self.bind(slots, val)?;
                    } else if !self.harmless(e) {
                        self.expr(e)?;
                    }
                }
                MoveCheck::Need { cond, .. } => {
                    let on = self.block();
                    self.branch(cond, on, no)?;
                    self.at(on);
                }
                MoveCheck::Prefer { .. } => return nope("a need that binds only where possible"),
            }
        }
        Ok(())
    }

    /// Whether working an expression out can never fail, seen from its form alone.
    pub(super) fn harmless(&self, e: &Expr) -> bool {
        matches!(
            e.kind,
            ExprKind::Local(_) | ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_)
        )
    }

    // ---- going through all rows

    /// How many parameters at the beginning nothing looks at, and how many at the end; at least one lies between.
    pub(super) fn factors(&self, of: &Candidates) -> (usize, usize) {
        let params = &of.params;
        let alone = |i: usize| {
            let param = &params[i];
            let later = params[i + 1..].iter().any(|later| {
                domain_reads(&later.domain, param.slot)
                    || later.predicates.iter().any(|p| reads(p, param.slot))
            });
            param.predicates.is_empty() && !later && matches!(param.domain, Domain::Range(..))
        };
        let most = params.len().saturating_sub(1);
        let first = (0..most).take_while(|i| alone(*i)).count();
        // What an argument before it decides is no factor.
        let free =
            |i: usize| alone(i) && !params[..i].iter().any(|p| domain_reads(&params[i].domain, p.slot));
        let last = (first + 1..params.len()).rev().take_while(|i| free(*i)).count();
        (first, last)
    }

    /// Goes through the outer parameters and gives each leaf to `on`. Slots of the outer parameters are bound.
    pub(super) fn each_leaf(
        &mut self,
        of: &'a Candidates,
        params: &'a [Candidate],
        on: &mut dyn FnMut(&mut Self, Leaf) -> R<()>,
    ) -> R<()> {
        let none = self.block();
        self.all_hold_or(&of.before, none)?;
        self.prepare_change(of)?;
        self.leaves(params, on)?;
        self.changed_row = None;
        self.jump(none);
        self.at(none);
        Ok(())
    }

    /// Goes on where all of these conditions hold, else to `no`.
    pub(super) fn all_hold_or(&mut self, conditions: &[Expr], no: Block) -> R<()> {
        for condition in conditions {
            let on = self.block();
            self.branch(condition, on, no)?;
            self.at(on);
        }
        Ok(())
    }

    /// The same, within loops over the parameters before these.
    fn leaves(&mut self, params: &'a [Candidate], on: &mut dyn FnMut(&mut Self, Leaf) -> R<()>) -> R<()> {
        if let Some(leaf) = self.leaf(params)? {
            return on(self, leaf);
        }
        let Some((param, rest)) = params.split_first() else { return on(self, Leaf::One(None)) };
        self.each_choice(param, &mut |this| {
            let no = this.block();
            this.all_hold_or(&param.predicates, no)?;
            this.leaves(rest, on)?;
            this.jump(no);
            this.at(no);
            Ok(())
        })
    }

    /// Goes through the distinct values of a parameter in order.
    pub(super) fn each_choice(
        &mut self,
        param: &Candidate,
        body: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let domain = &param.domain;
        let slots = [param.slot];
        if let Some((low, high)) = self.ends(domain, param.window.as_ref())? {
            return self.each_in(Val::Span(low, high), &slots, body);
        }
        if let Some((bits, _)) = self.choice_bits(domain)? {
            return self.each_in(Val::Bits(bits), &slots, body);
        }
        if let Domain::Values(e) = domain
            && matches!(e.ty, Type::Set(_))
        {
            let val = self.expr(e)?;
            return self.each_in(val, &slots, body);
        }
        if let Some((count, rows)) = self.rows_of(domain, param.slot, param.window.as_ref())? {
            let zero = self.int(0);
            let last = self.b.ins().iadd_imm(count, -1);
            return self.each_int(zero, last, None, |this, rank, _| {
                let list = this.row_at(param.slot, &rows, rank)?;
                this.locals.bound.insert(param.slot, Val::List(list));
                body(this)
            });
        }
        nope(format!("the parameter `{}` has a domain of rows", param.name))
    }

    /// Goes through all legal rows of an offer's leaves, one row at a time.
    pub(super) fn each_row(&mut self, leaf: &Leaf, body: &mut dyn FnMut(&mut Self) -> R<()>) -> R<()> {
        match leaf {
            Leaf::One(_) => body(self),
            Leaf::Bits(slot, bits) => self.each_in(Val::Bits(bits.clone()), &[*slot], body),
            Leaf::Moves(from, to, of, steps) => {
                let all = self.union_of(steps);
                self.each_bit(&all, Some(of.size()), |this, at, _| {
                    this.locals.bound.insert(*from, Val::Word(Word { v: at, s: *of, known: None }));
                    for (by, words) in steps {
                        let here = this.has_bit(
                            &Bits { words: words.clone(), of: *of },
                            Word { v: at, s: *of, known: None },
                        );
                        let (some, on) = (this.block(), this.block());
                        this.fork(here, some, on);
                        this.at(some);
                        let v = this.b.ins().iadd_imm(at, *by);
                        this.locals.bound.insert(*to, Val::Word(Word { v, s: *of, known: None }));
                        body(this)?;
                        this.jump(on);
                        this.at(on);
                    }
                    Ok(())
                })
            }
            Leaf::Span(slot, low, high) => self.each_in(Val::Span(*low, *high), &[*slot], body),
            Leaf::Items(slot, list) => self.each_in(Val::List(*list), &[*slot], body),
            Leaf::Pair(pair, bits) if pair.by_rows => {
                self.each_bit(&bits.words, Some(bits.of.size()), |this, at, _| {
                    this.bind_square(*pair, at);
                    body(this)
                })
            }
            Leaf::Pair(pair, bits) => {
                let count = self.popcount(bits);
                let (zero, last) = (self.int(0), self.b.ins().iadd_imm(count, -1));
                self.each_int(zero, last, Some(bits.of.size()), |this, k, _| {
                    let at = this.nth_by_columns(bits, k);
                    this.bind_square(*pair, at);
                    body(this)
                })
            }
            Leaf::Rows(slot, count, rows) => {
                let zero = self.int(0);
                let last = self.b.ins().iadd_imm(*count, -1);
                self.each_int(zero, last, None, |this, rank, _| {
                    let list = this.row_at(*slot, rows, rank)?;
                    this.locals.bound.insert(*slot, Val::List(list));
                    body(this)
                })
            }
        }
    }

    /// Goes to `yes` where a seat has a legal move among these offers, on where it has none.
    pub fn exists(&mut self, offers: &[Offer], seat: Word, yes: Block) -> R<()> {
        for offer in offers {
            self.enter(offer, seat)?;
            let of = &self.candidates[offer.mv];
            // Among all integers there is always one that fits.
            if of.params.first().is_some_and(|param| endless(&param.domain)) {
                self.leave_for(yes);
                self.leave(offer);
                continue;
            }
            if of.params.iter().any(|param| endless(&param.domain)) {
                return nope("a domain without end behind another parameter");
            }
            let (first, last) = self.factors(of);
            let none = self.block();
            for param in of.params[..first].iter().chain(&of.params[of.params.len() - last..]) {
                let Some((low, high)) = self.ends(&param.domain, param.window.as_ref())? else { continue };
                let some = self.block();
                let any = self.cmp(IntCC::SignedLessThanOrEqual, low.v, high.v);
                // Nothing to choose for this parameter: no row at all.
                self.fork(any, some, none);
                self.at(some);
            }
            self.each_leaf(of, &of.params[first..of.params.len() - last], &mut |this, leaf| {
                let count = this.leaf_count(&leaf);
                let on = this.block();
                this.fork(count, yes, on);
                this.at(on);
                Ok(())
            })?;
            self.jump(none);
            self.at(none);
            self.leave(offer);
        }
        Ok(())
    }

    /// Gives every legal row of a seat to `on`, in order.
    pub fn all_rows(&mut self, choice: &Choice, seat: Word, on: Taken) -> R<()> {
        let first: Vec<(usize, &Offer)> = choice.offers.iter().enumerate().collect();
        self.rows_of_offers(&first, seat, on)?;
        if choice.otherwise.is_empty() {
            return Ok(());
        }
        let end = self.block();
        self.exists(&choice.offers, seat, end)?;
        let from = choice.offers.len();
        let rest: Vec<(usize, &Offer)> =
            choice.otherwise.iter().enumerate().map(|(i, o)| (from + i, o)).collect();
        self.rows_of_offers(&rest, seat, on)?;
        self.jump(end);
        self.at(end);
        Ok(())
    }

    pub(super) fn rows_of_offers(&mut self, offers: &[(usize, &Offer)], seat: Word, on: Taken) -> R<()> {
        for (number, offer) in offers {
            self.enter(offer, seat)?;
            let of = &self.candidates[offer.mv];
            self.each_leaf(of, &of.params, &mut |this, leaf| {
                this.each_row(&leaf, &mut |this| {
                    let args: R<Vec<Val>> = of.params.iter().map(|param| this.local(param.slot)).collect();
                    on(this, *number, &args?)
                })
            })?;
            self.leave(offer);
        }
        Ok(())
    }
}
