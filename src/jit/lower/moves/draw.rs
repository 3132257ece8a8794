//! Draws a legal move at random like the reference: by listing if there are few rows, by sampling if there
//! are many.

use crate::ir::{
    AT_ONCE_SHIFT, Choice, Domain, Expr, FEW_ROWS, FEW_TRIES, MANY_ROWS, MAX_TRIES, Offer, Param,
    QUARTER_SHIFT, Slot, Type, domain_reads, is_dependent, lists_at_once, param_reads,
};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::words_of;
use crate::jit::lower::moves::listed::{Selector, ValueRows};
use crate::jit::lower::moves::row_set::{KnownRows, RowDomain, RowSet};
use crate::jit::lower::moves::{OnRow, checks_read, chosen};
use crate::jit::mir::IntCC;
use crate::opt::Candidate;

impl Builder<'_> {
    // ---- drawing

    /// Draws a legal move of a seat and passes it to `on`, which leaves the current path; falls through if
    /// there is none. `known` are the legal rows of the only move that is offered, if they are known.
    pub fn draw(&mut self, choice: &Choice, seat: Word, known: &KnownRows, on: OnRow) -> Result<()> {
        let first: Vec<(usize, &Offer)> = choice.offers.iter().enumerate().collect();
        let without_end = |this: &Self, offers: &[Offer]| {
            let moves = &this.machine.game.moves;
            offers.iter().any(|offer| {
                chosen(&moves[offer.mv])
                    .into_iter()
                    .any(|param| param.domain.as_ref().is_some_and(Domain::is_infinite))
            })
        };
        let after = self.block();
        if !choice.otherwise.is_empty() && self.samples(choice.offers.iter()) {
            // Sampling consumes random numbers, so do it only if one of the first offers is legal.
            let can = self.block();
            self.exists(&choice.offers, seat, can)?;
            self.jump(after);
            self.switch_to(can);
        }
        self.draw_among(&first, seat, known, on)?;
        // An infinite domain always has a legal move; if its window has none, that is for the reference.
        if without_end(self, &choice.offers) {
            self.bail_out();
        }
        self.jump(after);
        self.switch_to(after);
        if !choice.otherwise.is_empty() {
            let from = choice.offers.len();
            let rest: Vec<(usize, &Offer)> =
                choice.otherwise.iter().enumerate().map(|(i, o)| (from + i, o)).collect();
            self.draw_among(&rest, seat, &None, on)?;
            if without_end(self, &choice.otherwise) {
                self.bail_out();
            }
        }
        Ok(())
    }

    /// Whether knowing the seat reveals more about an offer's rows: an argument depends on another one and
    /// something reads the seat, or a domain depends on nothing but the seat.
    pub fn seat_matters(&self, choice: &Choice) -> bool {
        let mut offers = choice.all_offers();
        offers.any(|offer| {
            let mv = &self.machine.game.moves[offer.mv];
            let read = checks_read(mv, mv.me) || mv.params.iter().any(|param| param_reads(param, mv.me));
            let params = &self.candidates[offer.mv].all.params;
            is_dependent(mv) && read || params.iter().any(|param| self.known_by_seat(&param.domain, mv.me))
        })
    }

    /// Whether a domain depends on the seat that moves, and on nothing else that changes.
    pub(in crate::jit) fn known_by_seat(&self, domain: &Domain, me: Slot) -> bool {
        domain_reads(domain, me)
            && invariants::is_invariant_domain(self.machine, domain, &mut |slot| slot == me)
    }

    /// Whether a draw may use sampling.
    pub fn may_sample(&self, choice: &Choice) -> bool {
        self.samples(choice.offers.iter()) || self.samples(choice.otherwise.iter())
    }

    /// Whether a draw among offers may use sampling: in the rules as written no argument depends on another, or its domain
    /// is widened, and there may be many rows before the needs are tested.
    fn samples<'o>(&self, offers: impl Iterator<Item = &'o Offer> + Clone) -> bool {
        let tried = offers.clone().all(|offer| self.source_machine.allows_rejection_sampling(offer.mv));
        let is_widened = |offer: &Offer| self.candidates[offer.mv].in_own_domain.iter().any(Option::is_some);
        let mut most = offers.map(|offer| match is_widened(offer) {
            true => None,
            false => self.facts.most_rows(&self.machine.game.moves[offer.mv]),
        });
        let most = most.try_fold(0i64, |all, most| all.checked_add(most?));
        tried && most.is_none_or(|most| most > FEW_ROWS)
    }

    pub(in crate::jit) fn draw_among(
        &mut self,
        offers: &[(usize, &Offer)],
        seat: Word,
        known: &KnownRows,
        on: OnRow,
    ) -> Result<()> {
        if self.samples(offers.iter().map(|(_, offer)| *offer)) {
            self.sample(offers, seat, known, on)?;
        }
        let own: Vec<&Offer> = offers.iter().map(|(_, offer)| *offer).collect();
        self.by_preference(&own, seat, |this| this.draw_listed(offers, seat, known, on))
    }

    pub(in crate::jit) fn type_element(&self, ty: &Type) -> Option<Scalar> {
        ty.element().and_then(|ty| self.type_scalar(&ty))
    }

    /// Returns how many values a parameter is chosen from, before its predicates, and these values.
    pub(in crate::jit) fn candidate_rows(&mut self, param: &Candidate) -> Result<(V, RowSet)> {
        if param.legal_rows {
            let (count, rows) = self.legal_choices(param, None)?;
            return Ok((count, RowSet::Rows(param.slot, count, rows)));
        }
        self.domain_count(&param.domain, param.slot, param.window.as_ref())
    }

    /// Returns the size of a domain, and its elements as a row set.
    pub(in crate::jit) fn domain_count(
        &mut self,
        domain: &Domain,
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<(V, RowSet)> {
        match self.chosen_rows(slot)? {
            Some((count, rows)) => Ok((count, RowSet::Rows(slot, count, rows))),
            None => self.values_count(domain, slot, window),
        }
    }

    /// Does the same for a domain whose rows are not those that are known, or counted, of a parameter.
    pub(in crate::jit) fn values_count(
        &mut self,
        domain: &Domain,
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<(V, RowSet)> {
        if let Domain::Where(_, of, _) = domain {
            return self.values_count(of, slot, window);
        }
        if let Some((low, high)) = self.ends(domain, window)? {
            let count = self.span_len(low, high);
            return Ok((count, RowSet::Span(slot, low, high)));
        }
        if let Some((bits, _)) = self.choice_bits(domain)? {
            return Ok((self.popcount(&bits), RowSet::Bits(slot, bits)));
        }
        if let Some((count, rows)) = self.rows_of(domain, slot, window)? {
            return Ok((count, RowSet::Rows(slot, count, rows)));
        }
        if let Domain::Values(e) = domain {
            let val = self.expr(e)?;
            if let Val::MemoryBits { at, of } = val {
                let (count, _) = self.size(val)?;
                return Ok((count, RowSet::Rows(slot, count, RowDomain::Large(at, of))));
            }
            if let Some(list) = self.distinct_elements(val)? {
                return Ok((list.len, RowSet::Rows(slot, list.len, RowDomain::Listed(list))));
            }
        }
        let (number, count) = self.interpreted_domain(domain, true)?;
        Ok((count, RowSet::Rows(slot, count, RowDomain::Interpreted(number, domain.element()))))
    }

    /// Returns the values of a domain as a span, if they are known and consecutive, such as the squares of a board.
    fn as_span(&mut self, domain: &Domain, row_set: RowSet) -> RowSet {
        let RowSet::Bits(slot, _) = row_set else { return row_set };
        let Some(mut values) = self.known_elements(domain) else { return row_set };
        values.sort();
        values.dedup();
        let Some((words, of)) = words_of(&values, self.layout.squares) else { return row_set };
        match words.as_slice() {
            [first, .., last] if words.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
                RowSet::Span(slot, self.known(*first, of), self.known(*last, of))
            }
            _ => row_set,
        }
    }

    /// Draws rows until one is legal, if there are many rows; makes as many attempts as the reference.
    pub(in crate::jit) fn sample(
        &mut self,
        offers: &[(usize, &Offer)],
        seat: Word,
        legal_rows: &KnownRows,
        on: OnRow,
    ) -> Result<()> {
        let mut total = self.int(0);
        let (mut tries, mut more) = (self.int(0), 0);
        let mut sizes: Vec<(V, Vec<(V, RowSet)>)> = Vec::new();
        for (_, offer) in offers {
            self.bind_offer(offer, seat)?;
            let mut rows = self.int(1);
            let mut others = rows;
            let mut leaves = Vec::new();
            let drawn = &self.candidates[offer.mv].drawn;
            for param in chosen(&self.machine.game.moves[offer.mv]) {
                let Some(domain) = &param.domain else { continue };
                let domain = drawn[leaves.len()].as_ref().unwrap_or(domain);
                let (count, row_set) = match self.candidates[offer.mv].in_own_domain.get(leaves.len()) {
                    Some(Some(_)) => self.values_count(domain, param.slot, None)?,
                    _ => self.domain_count(domain, param.slot, param.window.as_ref())?,
                };
                let (product, over) = self.b.ins().smul_overflow(rows, count);
                self.bail_out_if(over);
                others = rows;
                rows = product;
                leaves.push((count, self.as_span(domain, row_set)));
            }
            let bounds = self.source_machine.bounds_on_last(offer.mv);
            let at_once = lists_at_once(&self.source_machine.game.moves[offer.mv]);
            let share = |this: &mut Self, of: V, shift: u32| this.b.ins().ushr_imm_s(of, shift.into());
            let (most, few) = match bounds {
                _ if leaves.is_empty() => (self.int(0), FEW_TRIES),
                Some(bounds) if bounds.leaves_one => (self.int(0), 0),
                Some(_) => {
                    let quarter = share(self, others, QUARTER_SHIFT);
                    let listed = share(self, rows, AT_ONCE_SHIFT);
                    (self.b.ins().smin(quarter, listed), 0)
                }
                None if at_once => (share(self, rows, AT_ONCE_SHIFT), FEW_TRIES),
                None => (share(self, rows, QUARTER_SHIFT), FEW_ROWS),
            };
            let (sum, over) = self.b.ins().sadd_overflow(tries, most);
            self.bail_out_if(over);
            (tries, more) = (sum, more.max(few));
            let (sum, over) = self.b.ins().sadd_overflow(total, rows);
            self.bail_out_if(over);
            total = sum;
            sizes.push((rows, leaves));
            // Local values bound while evaluating windows stay bound for the draws below.
        }
        let few = self.block();
        let counted = self.source_machine.tries_before_counting(offers.iter().map(|(_, offer)| offer.mv));
        // The reference does not sample very many rows if it can count them by their conditions.
        let mut filtered =
            offers.iter().filter(|(_, offer)| self.source_machine.has_row_filter(offer.mv)).peekable();
        if filtered.peek().is_some() {
            let very_many = self.cmp_imm(IntCC::SignedGreaterThan, total, MANY_ROWS);
            let asked = |(_, offer): &(usize, &Offer)| {
                self.candidates_of(offer.mv).params.iter().any(|param| param.legal_rows)
            };
            if counted.is_some() && filtered.all(asked) {
                self.leave_if(very_many, few);
            } else {
                self.bail_out_if(very_many);
            }
        }
        if counted == Some(0) {
            for (_, offer) in offers {
                self.unbind_offer(offer);
            }
            self.jump(few);
            self.switch_to(few);
            return Ok(());
        }
        let many = self.block();
        let beyond = self.cmp_imm(IntCC::SignedGreaterThan, total, FEW_ROWS);
        self.branch_on(beyond, many, few);
        self.switch_to(many);
        let tries = self.b.ins().iadd_imm_s(tries, more);
        let most = self.int(counted.unwrap_or(MAX_TRIES));
        let tries = self.b.ins().smin(tries, most);
        let one = self.int(1);
        self.each_int(one, tries, None, |this, _, _| {
            let mark = this.b.use_var(this.run.scratch);
            let mut rank = this.below(total);
            let again = this.block();
            for ((number, offer), (rows, leaves)) in offers.iter().zip(&sizes) {
                let (mine, next) = (this.block(), this.block());
                if offers.len() == 1 {
                    this.jump(mine);
                } else {
                    let here = this.cmp(IntCC::UnsignedLessThan, rank, *rows);
                    this.branch_on(here, mine, next);
                }
                this.switch_to(mine);
                this.bind_offer(offer, seat)?;
                let mv = &this.machine.game.moves[offer.mv];
                let counts: Vec<V> = leaves.iter().map(|(count, _)| *count).collect();
                let ranks = this.parts_of_rank(rank, &counts);
                for ((_, row_set), k) in leaves.iter().zip(ranks) {
                    this.bind_row(row_set, k)?;
                }
                let legal = legal_rows.as_ref().filter(|(of, _)| *of == offer.mv).map(|(_, rows)| rows);
                // Where the legal rows are known, they need only be looked up.
                if let Some(rows) = legal {
                    let (is, on) = (this.row_set_has(rows)?, this.block());
                    this.branch_on(is, on, again);
                    this.switch_to(on);
                }
                let tested: Vec<&Param> = if legal.is_some() { Vec::new() } else { chosen(mv) };
                for (at, param) in tested.into_iter().enumerate() {
                    let inside = this.candidates[offer.mv].in_own_domain.get(at).cloned().flatten();
                    if let Some(inside) = &inside {
                        this.all_hold_or(std::slice::from_ref(inside), again)?;
                    }
                    if let Some(Domain::Where(_, _, condition)) = &param.domain
                        && (inside.is_some() || !this.source_machine.counts_rows(offer.mv, at).1)
                    {
                        this.all_hold_or(std::slice::from_ref(&**condition), again)?;
                    }
                }
                if legal.is_none() {
                    this.check_row(mv, again)?;
                }
                let args: Result<Vec<Val>> = chosen(mv).iter().map(|param| this.local(param.slot)).collect();
                on(this, *number, &args?)?;
                this.jump(again);
                this.switch_to(next);
                if offers.len() > 1 {
                    rank = this.b.ins().isub(rank, *rows);
                }
            }
            this.jump(again);
            this.switch_to(again);
            this.b.def_var(this.run.scratch, mark);
            Ok(())
        })?;
        self.jump(few);
        self.switch_to(few);
        for (_, offer) in offers {
            self.unbind_offer(offer);
        }
        Ok(())
    }

    /// Counts the legal rows and selects one of them, if there are few rows or sampling failed.
    pub(in crate::jit) fn draw_listed(
        &mut self,
        offers: &[(usize, &Offer)],
        seat: Word,
        known: &KnownRows,
        on: OnRow,
    ) -> Result<()> {
        let single = |(_, offer): &(usize, &Offer)| chosen(&self.machine.game.moves[offer.mv]).is_empty();
        if offers.len() <= 4 && offers.iter().all(single) {
            return self.draw_single(offers, &mut Vec::new(), seat, on);
        }
        let mut listed = Vec::new();
        let mut total = self.int(0);
        for (number, offer) in offers {
            let rows = self.list_offer(*number, offer, seat, known)?;
            total = self.b.ins().iadd(total, rows.count);
            listed.push(rows);
        }
        let (some, none) = (self.block(), self.block());
        self.branch_on(total, some, none);
        self.switch_to(some);
        let mut k = self.below(total);
        let last = listed.len().saturating_sub(1);
        for (i, (rows, (_, offer))) in listed.iter().zip(offers).enumerate() {
            let (mine, next) = (self.block(), self.block());
            if i == last {
                self.jump(mine);
            } else {
                let here = self.cmp(IntCC::UnsignedLessThan, k, rows.count);
                self.branch_on(here, mine, next);
            }
            self.switch_to(mine);
            self.bind_offer(offer, seat)?;
            let mut on_row = |this: &mut Self| -> Result<()> {
                let args = this.args(offer.mv)?;
                on(this, rows.offer, &args)
            };
            let rest = self.bind_factors(rows, k);
            match &rows.selector {
                Selector::RowSet(row_set) => {
                    self.bind_row(row_set, rest)?;
                    on_row(self)?;
                }
                Selector::Entries(entries) => {
                    self.bind_listed_row(entries, rest)?;
                    on_row(self)?;
                }
                Selector::Counted => self.nth_counted(offer.mv, rest, &mut on_row)?,
                Selector::Few(slot, few) => match self.select_from_spans(*slot, few, rest)? {
                    true => on_row(self)?,
                    false => self.select_from_few(*slot, few, rest, &mut on_row)?,
                },
            }
            self.unbind_offer(offer);
            self.jump(none);
            self.switch_to(next);
            if i != last {
                k = self.b.ins().isub(k, rows.count);
            }
        }
        if !listed.is_empty() {
            self.jump(none);
        }
        self.switch_to(none);
        Ok(())
    }

    /// Selects row number `rest` from the row sets of a few known values, with code for each value.
    fn select_from_few(
        &mut self,
        slot: Slot,
        few: &[ValueRows],
        mut rest: V,
        on_row: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        for (at, (value, count, row_set)) in few.iter().enumerate() {
            let (here, on) = (self.block(), self.block());
            if at + 1 == few.len() {
                self.jump(here);
            } else {
                let inside = self.cmp(IntCC::UnsignedLessThan, rest, *count);
                self.branch_on(inside, here, on);
            }
            self.switch_to(here);
            self.locals.bound.insert(slot, value.clone());
            self.bind_row(row_set, rest)?;
            on_row(self)?;
            self.jump(on);
            self.switch_to(on);
            rest = self.b.ins().isub(rest, *count);
        }
        Ok(())
    }

    /// Does the same without branches if every row set is a span, because the value drawn is unpredictable.
    /// Returns `false` if they are not spans.
    fn select_from_spans(&mut self, slot: Slot, few: &[ValueRows], rest: V) -> Result<bool> {
        let mut spans: Vec<(Word, V, Word, Word)> = Vec::new();
        let mut inner = None;
        for (value, count, row_set) in few {
            let RowSet::Span(own, low, high) = row_set else { return Ok(false) };
            let Ok(value) = self.word(value.clone()) else { return Ok(false) };
            inner = Some(*own);
            spans.push((value, *count, *low, *high));
        }
        let Some(inner) = inner else { return Ok(false) };
        // Joins adjacent parts in pairs until one is left, selecting the value and the shift from row number
        // to element.
        let mut before = self.int(0);
        let mut parts = Vec::new();
        for (value, count, low, high) in spans {
            let shift = self.b.ins().isub(low.v, before);
            parts.push((before, value, shift, Scalar { hi: high.s.hi.max(low.s.lo), ..low.s }));
            before = self.b.ins().iadd(before, count);
        }
        while parts.len() > 1 {
            let mut joined = Vec::new();
            for pair in parts.chunks(2) {
                let [(from, value, shift, s), (beyond, other, moved, of)] = pair else {
                    joined.extend_from_slice(pair);
                    continue;
                };
                let (Some(s), Some(both)) = (s.join(*of), value.s.join(other.s)) else { return Ok(false) };
                let is = self.cmp(IntCC::UnsignedGreaterThanOrEqual, rest, *beyond);
                let v = self.b.ins().select(is, other.v, value.v);
                let shift = self.b.ins().select(is, *moved, *shift);
                joined.push((*from, Word { v, s: both, known: None }, shift, s));
            }
            parts = joined;
        }
        let [(_, value, shift, s)] = parts[..] else { return Ok(false) };
        let v = self.b.ins().iadd(rest, shift);
        self.locals.bound.insert(slot, Val::Word(value));
        self.locals.bound.insert(inner, Val::Word(Builder::ranged(v, s.lo, s.hi)));
        Ok(true)
    }

    /// Draws among offers of one row each, with code for each subset of them that may be legal. There the
    /// number of legal moves is a constant, so the draw need not wait for it.
    fn draw_single<'o>(
        &mut self,
        offers: &[(usize, &'o Offer)],
        legal: &mut Vec<(usize, &'o Offer)>,
        seat: Word,
        on: OnRow,
    ) -> Result<()> {
        if let Some((first, rest)) = offers.split_first() {
            let mv = &self.machine.game.moves[first.1.mv];
            let (without, end) = (self.block(), self.block());
            self.bind_offer(first.1, seat)?;
            self.check_row(mv, without)?;
            self.unbind_offer(first.1);
            legal.push(*first);
            self.draw_single(rest, legal, seat, on)?;
            legal.pop();
            self.jump(end);
            self.switch_to(without);
            if !mv.checks.is_empty() {
                self.draw_single(rest, legal, seat, on)?;
            }
            self.jump(end);
            self.switch_to(end);
            return Ok(());
        }
        if legal.is_empty() {
            return Ok(());
        }
        let k = match legal.len() {
            // Two moves are told apart by the sign; a single one needs no test.
            1 | 2 => self.next_bits(),
            n => {
                let n = self.int(n as i64);
                self.below(n)
            }
        };
        for (i, (number, offer)) in legal.iter().enumerate() {
            let (mine, next) = (self.block(), self.block());
            if i + 1 == legal.len() {
                self.jump(mine);
            } else {
                let here = match legal.len() {
                    2 => self.cmp_imm(IntCC::SignedGreaterThanOrEqual, k, 0),
                    _ => self.cmp_imm(IntCC::Equal, k, i as i64),
                };
                self.branch_on(here, mine, next);
            }
            self.switch_to(mine);
            self.bind_offer(offer, seat)?;
            on(self, *number, &[])?;
            self.unbind_offer(offer);
            self.jump(next);
            self.switch_to(next);
        }
        Ok(())
    }
}
