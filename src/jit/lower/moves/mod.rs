//! Legal moves: whether one exists, drawing one at random, listing all of them.
//!
//! An offer is enumerated parameter by parameter. The values of the last parameters become a row set, which
//! is counted and drawn from as a whole: the bits of a set, a span of integers, the rows of an unrestricted
//! domain. The parameters before it become loops; independent ones become factors.

pub mod counted_rows;
pub mod decoded_rows;
pub mod draw;
pub mod listed;
pub mod pairs;
pub mod preferences;
pub mod row_domains;
pub mod row_set;
pub mod steps;
pub mod tried_rows;

use crate::ir::{
    Choice, Domain, Expr, ExprKind, MANY_ROWS, Move, MoveCheck, MoveId, Offer, Param, Slot, Type,
    domain_reads, reads,
};
use crate::jit::builder::state::Preferences;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::lower::moves::row_set::{KnownRows, RowDomain, RowSet};
use crate::jit::mir::{Block, IntCC};
use crate::opt::{Candidate, Candidates};

/// Receives a drawn or listed row: the number of its offer, and its arguments.
pub type OnRow<'t> = &'t mut dyn FnMut(&mut Builder, usize, &[Val]) -> Result<()>;

pub fn chosen(mv: &Move) -> Vec<&Param> {
    mv.params.iter().filter(|param| param.domain.is_some()).collect()
}

/// Whether a check reads a slot, directly or through a value it names.
pub fn checks_read(mv: &Move, slot: Slot) -> bool {
    mv.checks.iter().any(|check| reads(check.expr(), slot))
}

impl<'a> Builder<'a> {
    /// Binds the seat that moves and the given parameters of an offer's move.
    pub(in crate::jit) fn bind_offer(&mut self, offer: &Offer, seat: Word) -> Result<()> {
        let mv = &self.machine.game.moves[offer.mv];
        if mv.params.iter().any(|param| param.sampling_domain.is_some()) {
            return unsupported("a choice among what is tried");
        }
        self.current_move = offer.mv;
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

    /// Evaluates what is named in a candidate set, once its preconditions are known to hold.
    pub(in crate::jit) fn bind_names(&mut self, of: &Candidates) -> Result<()> {
        for (slot, value) in &of.names {
            let bits = if let Type::Set(_) = value.ty { self.distinct_bits(value)? } else { None };
            let val = match bits {
                Some((bits, _)) => Val::Bits(bits),
                None => self.expr(value)?,
            };
            self.bind(&[*slot], val)?;
        }
        Ok(())
    }

    /// Returns the chosen arguments of a move of which the values of all candidates are bound.
    pub(in crate::jit) fn args(&mut self, mv: MoveId) -> Result<Vec<Val>> {
        for (slot, row) in &self.candidates_of(mv).packed {
            let row = self.expr(row)?;
            self.bind(&[*slot], row)?;
        }
        chosen(&self.machine.game.moves[mv]).into_iter().map(|param| self.local(param.slot)).collect()
    }

    fn unbind_names(&mut self, of: &Candidates) {
        of.names.iter().for_each(|(slot, _)| drop(self.locals.bound.remove(slot)));
    }

    /// Unbinds the local values of an offer's move.
    pub(in crate::jit) fn unbind_offer(&mut self, offer: &Offer) {
        let mv = &self.machine.game.moves[offer.mv];
        let of = self.candidates_of(offer.mv);
        self.unbind_names(of);
        of.params.iter().for_each(|param| drop(self.locals.bound.remove(&param.slot)));
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

    /// Checks the row whose arguments are bound: branches to `no` if a need fails, falls through if all hold.
    pub fn check_row(&mut self, mv: &Move, no: Block) -> Result<()> {
        let binds = self.preferences == Preferences::Bind;
        let mut meets: Option<V> = None;
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, e) => {
                    // A value that no need reads is computed when the move is carried out.
                    let used = slots.iter().any(|slot| checks_read(mv, *slot));
                    if used {
                        let val = self.located(e.span, |this| this.expr(e))?;
                        self.bind(slots, val)?;
                    } else if !self.cannot_fail(e) {
                        self.expr(e)?;
                    }
                }
                MoveCheck::Need { cond, .. } => {
                    let on = self.block();
                    self.located(cond.span, |this| this.branch(cond, on, no))?;
                    self.switch_to(on);
                }
                // The checks after it are evaluated in either case.
                MoveCheck::SoftNeed { cond, .. } if binds => {
                    let holds = self.condition(cond)?;
                    meets = Some(meets.map_or(holds, |all| self.b.ins().band(all, holds)));
                }
                MoveCheck::SoftNeed { .. } => {}
            }
        }
        if let Some(meets) = meets {
            self.leave_unless(meets, no);
        }
        Ok(())
    }

    /// Whether evaluating an expression can never fail, judging by its form alone.
    pub(in crate::jit) fn cannot_fail(&self, e: &Expr) -> bool {
        matches!(
            e.kind,
            ExprKind::Local(_) | ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_)
        )
    }

    // ---- enumerating all rows

    /// Returns the candidate set of a move: the preferred one, if preferences bind now.
    pub(in crate::jit) fn candidates_of(&self, mv: MoveId) -> &'a Candidates {
        let of = &self.candidates[mv];
        match (&of.satisfying_soft_needs, self.preferences) {
            (Some(preferred), Preferences::Bind) => preferred,
            _ => &of.all,
        }
    }

    /// Returns how many parameters at the beginning and at the end are independent of all others. At least
    /// one parameter remains between them.
    pub(in crate::jit) fn factors(&self, of: &Candidates) -> (usize, usize) {
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
        // A parameter whose domain depends on an earlier argument is not a factor.
        let free =
            |i: usize| alone(i) && !params[..i].iter().any(|p| domain_reads(&params[i].domain, p.slot));
        let last = (first + 1..params.len()).rev().take_while(|i| free(*i)).count();
        (first, last)
    }

    /// Checks the conditions of a candidate set, then passes each row set to `on`, with the outer parameters
    /// bound.
    pub(in crate::jit) fn each_row_set(
        &mut self,
        of: &'a Candidates,
        params: &'a [Candidate],
        on: &mut dyn FnMut(&mut Self, RowSet) -> Result<()>,
    ) -> Result<()> {
        let none = self.block();
        self.all_hold_or(&of.preconditions, none)?;
        let named = of.names.iter().any(|(slot, _)| self.locals.bound.contains_key(slot));
        if !named {
            self.bind_names(of)?;
        }
        self.row_sets(params, true, on)?;
        if !named {
            self.unbind_names(of);
        }
        self.jump(none);
        self.switch_to(none);
        Ok(())
    }

    /// Falls through if all conditions hold; otherwise branches to `no`.
    pub(in crate::jit) fn all_hold_or(&mut self, conditions: &[Expr], no: Block) -> Result<()> {
        for condition in conditions {
            let on = self.block();
            self.located(condition.span, |this| this.branch(condition, on, no))?;
            self.switch_to(on);
        }
        Ok(())
    }

    /// Passes each row set of these parameters to `on`; unless `alone`, inside loops over the parameters
    /// before them.
    pub(in crate::jit) fn row_sets(
        &mut self,
        params: &'a [Candidate],
        alone: bool,
        on: &mut dyn FnMut(&mut Self, RowSet) -> Result<()>,
    ) -> Result<()> {
        if let Some(row_set) = self.row_set(params, alone)? {
            return on(self, row_set);
        }
        let Some((param, rest)) = params.split_first() else { return on(self, RowSet::One(None)) };
        self.each_value(param, &mut |this| {
            let (no, mark) = (this.block(), this.b.use_var(this.run.scratch));
            this.all_hold_or(&param.predicates, no)?;
            this.row_sets(rest, false, on)?;
            this.jump(no);
            this.switch_to(no);
            this.release_scratch(mark);
            Ok(())
        })
    }

    /// Loops over the distinct tuples with one part from each domain, in order, with one slot for each part.
    fn each_tuple_of_values(
        &mut self,
        parts: &[Domain],
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (Some((first, rest)), Some(slot)) = (parts.split_first(), slots.first()) else {
            return body(self);
        };
        let part = Candidate {
            name: String::new(),
            slot: *slot,
            ty: first.element(),
            domain: first.clone(),
            number: None,
            window: None,
            most: None,
            predicates: Vec::new(),
            legal_rows: false,
        };
        self.each_value(&part, &mut |this| this.each_tuple_of_values(rest, &slots[1..], body))
    }

    /// Loops over the distinct values of a parameter, in order.
    pub(in crate::jit) fn each_value(
        &mut self,
        param: &Candidate,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let domain = &param.domain;
        let slots = [param.slot];
        if param.legal_rows {
            let (_, row_set) = self.candidate_rows(param)?;
            return self.each_row(&row_set, body);
        }
        if let Some((low, high)) = self.ends(domain, param.window.as_ref())? {
            return self.each_in(Val::Span(low, high), &slots, body);
        }
        if let Some((bits, _)) = self.choice_bits(domain)? {
            return self.each_in(Val::Bits(bits), &slots, body);
        }
        if let Domain::Tuples(parts) = domain
            && !domain.is_infinite()
        {
            return self.in_parts(parts.len(), param.slot, body, |this, slots, body| {
                this.each_tuple_of_values(parts, slots, body)
            });
        }
        if let Domain::Values(e) = domain
            && matches!(&e.ty, Type::Set(of) if !is_compound(of))
        {
            let val = self.expr(e)?;
            return self.each_in(val, &slots, body);
        }
        let (count, row_set) = self.domain_count(domain, param.slot, param.window.as_ref())?;
        if let Domain::Where(..) = domain {
            // The reference counts very many rows by the other conditions too.
            let very_many = self.cmp_imm(IntCC::SignedGreaterThan, count, MANY_ROWS);
            self.bail_out_if(very_many);
        }
        self.each_row(&row_set, body)
    }

    /// Loops over the rows of a row set, with the arguments bound.
    pub(in crate::jit) fn each_row(
        &mut self,
        row_set: &RowSet,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match row_set {
            RowSet::One(_) => body(self),
            RowSet::Bits(slot, bits) => self.each_in(Val::Bits(bits.clone()), &[*slot], body),
            RowSet::Steps(steps) => self.each_step(steps, body),
            RowSet::Span(slot, low, high) => self.each_in(Val::Span(*low, *high), &[*slot], body),
            RowSet::Rows(slot, _, RowDomain::Large(at, of)) => {
                self.each_in(Val::MemoryBits { at: *at, of: *of }, &[*slot], body)
            }
            RowSet::Pair(pair, bits) if pair.in_order => {
                self.each_bit(&bits.words, Some(bits.of.size()), |this, at, _| {
                    this.bind_pair(pair, at);
                    body(this)
                })
            }
            RowSet::Pair(_, bits) => {
                let count = self.popcount(bits);
                self.each_below(count, Some(bits.of.size()), |this, k, _| {
                    this.bind_row(row_set, k)?;
                    body(this)
                })
            }
            RowSet::Rows(..) => {
                let count = self.row_set_count(row_set);
                self.each_below(count, None, |this, rank, _| {
                    let mark = this.b.use_var(this.run.scratch);
                    this.bind_row(row_set, rank)?;
                    body(this)?;
                    this.release_scratch(mark);
                    Ok(())
                })
            }
        }
    }

    /// Branches to `yes` if a seat has a legal move among these offers; otherwise falls through. Returns the legal rows if they
    /// are known at `yes`.
    pub fn exists(&mut self, offers: &[Offer], seat: Word, yes: Block) -> Result<KnownRows> {
        let offers: Vec<&Offer> = offers.iter().collect();
        let mut found = None;
        self.by_preference(&offers, seat, |this| {
            found = this.exists_with_preferences(&offers, seat, yes)?;
            Ok(())
        })?;
        Ok(found.filter(|_| !offers.iter().any(|offer| self.prefers(offer))))
    }

    /// Does the same for rows that are legal while preferences bind, or while they are ignored.
    pub(in crate::jit) fn exists_with_preferences(
        &mut self,
        offers: &[&Offer],
        seat: Word,
        yes: Block,
    ) -> Result<KnownRows> {
        let mut known = None;
        for offer in offers {
            self.bind_offer(offer, seat)?;
            let of = self.candidates_of(offer.mv);
            // An infinite domain always contains a legal value, whatever the parameters before it are.
            // Preferences, however, are only tested within the window.
            let tested = self.preferences == Preferences::Bind && self.prefers(offer);
            let without_end = of.params.iter().position(|param| param.domain.is_infinite());
            if let Some(before) = without_end.filter(|_| !tested) {
                self.each_combination(&of.params[..before], &mut |this| {
                    this.jump_away(yes);
                    Ok(())
                })?;
                self.unbind_offer(offer);
                continue;
            }
            let (first, last) = self.factors(of);
            let none = self.block();
            for param in of.params[..first].iter().chain(&of.params[of.params.len() - last..]) {
                let Some((low, high)) = self.ends(&param.domain, param.window.as_ref())? else { continue };
                let some = self.block();
                let any = self.cmp(IntCC::SignedLessThanOrEqual, low.v, high.v);
                // A parameter without values leaves no rows.
                self.branch_on(any, some, none);
                self.switch_to(some);
            }
            let params = &of.params[first..of.params.len() - last];
            if !self.some_row_passes(of, params, yes, none)? {
                self.each_row_set(of, params, &mut |this, row_set| {
                    let count = this.row_set_count(&row_set);
                    this.leave_if(count, yes);
                    if offers.len() == 1 && of.packed.is_empty() && row_set.covers(&of.params) {
                        known = Some((offer.mv, row_set));
                    }
                    Ok(())
                })?;
            }
            self.jump(none);
            self.switch_to(none);
            self.unbind_offer(offer);
        }
        Ok(known)
    }

    /// Branches to `yes` if a single parameter has a legal row, otherwise to `none` or on, where its legal rows are those that the
    /// reference counts; returns whether they are.
    fn some_row_passes(
        &mut self,
        of: &'a Candidates,
        params: &[Candidate],
        yes: Block,
        none: Block,
    ) -> Result<bool> {
        let [param @ Candidate { legal_rows: true, .. }] = params else { return Ok(false) };
        self.all_hold_or(&of.preconditions, none)?;
        self.bind_names(of)?;
        let (count, _) = self.legal_choices(param, Some(yes))?;
        self.unbind_names(of);
        self.leave_if(count, yes);
        Ok(true)
    }

    /// Loops over all combinations of the parameters' values.
    fn each_combination(
        &mut self,
        params: &[Candidate],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some((first, rest)) = params.split_first() else { return body(self) };
        self.each_value(first, &mut |this| this.each_combination(rest, body))
    }

    /// Passes every legal row of a seat to `on`, in order.
    pub fn all_rows(&mut self, choice: &Choice, seat: Word, on: OnRow) -> Result<()> {
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
        self.switch_to(end);
        Ok(())
    }

    pub(in crate::jit) fn rows_of_offers(
        &mut self,
        offers: &[(usize, &Offer)],
        seat: Word,
        on: OnRow,
    ) -> Result<()> {
        let own: Vec<&Offer> = offers.iter().map(|(_, offer)| *offer).collect();
        self.by_preference_of(&own, seat, &mut |this| this.rows_with_preferences(offers, seat, on))
    }

    fn rows_with_preferences(&mut self, offers: &[(usize, &Offer)], seat: Word, on: OnRow) -> Result<()> {
        for (number, offer) in offers {
            self.bind_offer(offer, seat)?;
            let of = self.candidates_of(offer.mv);
            self.each_row_set(of, &of.params, &mut |this, row_set| {
                this.each_row(&row_set, &mut |this| {
                    let args = this.args(offer.mv)?;
                    on(this, *number, &args)
                })
            })?;
            self.unbind_offer(offer);
        }
        Ok(())
    }
}
