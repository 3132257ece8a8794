//! The number of legal rows of a move and the row of a rank, found by counting rows by their conditions.

use std::collections::BTreeSet;

use super::domain::{count_or_zero, split};
use super::fold::bind;
use super::sieve::{Asks, From};
use super::{Dom, Env, Fault, Machine, fault};
use crate::diag::Code;
use crate::ir::{MoveCheck, MoveId, Value};
use crate::num::Int;
use crate::source::Span;

/// The most values of a parameter that may be visited to count what follows each.
const MOST_ASKED: i64 = 1 << 24;

/// What is known of the number of legal rows.
pub(super) enum Rank {
    /// The exact number.
    Count(Int),
    /// There are infinitely many.
    Endless,
    /// The rows have to be visited one by one.
    Unknown,
}

impl Machine {
    /// Whether some parameter of a move has conditions by which its rows can be counted.
    pub fn sifts(&self, mv: MoveId) -> bool {
        self.rows[mv].chosen.iter().any(|column| column.sieve.is_some())
    }

    /// Whether the rows of a chosen parameter are counted for random draws, and whether the whole condition
    /// of its domain can be gathered.
    pub fn counts(&self, mv: MoveId, at: usize) -> (bool, bool) {
        let sieve = self.rows[mv].chosen[at].sieve.as_ref();
        sieve.map_or((false, false), |sieve| (sieve.drawn_parts() > 0, sieve.asked.whole))
    }

    /// Returns the checks by which the rows of a chosen parameter are counted for random draws, after the
    /// `let`s that they may read.
    pub fn counting_checks(&self, mv: MoveId, at: usize) -> Vec<&MoveCheck> {
        let Some(sieve) = &self.rows[mv].chosen[at].sieve else { return Vec::new() };
        let needs = sieve.asked.needs.iter().filter(|(_, parts)| *parts <= sieve.drawn_parts());
        let needs: Vec<usize> = needs.map(|(check, _)| *check).collect();
        let names: BTreeSet<usize> =
            needs.iter().flat_map(|need| self.rows[mv].names[*need].clone()).collect();
        names.into_iter().chain(needs).map(|check| &self.game.moves[mv].checks[check]).collect()
    }

    /// Whether rows of some parameter are counted by conditions that tie it to other parameters.
    pub(super) fn ties(&self, mv: MoveId) -> bool {
        let sieves = self.rows[mv].chosen.iter().filter_map(|column| column.sieve.as_ref());
        sieves.into_iter().any(|sieve| sieve.asked.condition.parts.len() > sieve.asked.alone)
    }
}

impl Env<'_> {
    /// Returns the rows of a chosen parameter to draw from at random; `None` if they are too many to be
    /// counted. The seat, the parameters that the play gives and the earlier parameters must be in the frame.
    pub fn rows_of(&self, mv: MoveId, at: usize, frame: &mut Vec<Value>) -> Result<Option<Dom>, Fault> {
        let sieve = self.machine.rows[mv].chosen[at].sieve.as_ref();
        let asks = sieve.map_or(Asks::Domain, |sieve| sieve.drawn);
        let from = self.chosen_from(mv, at, true, asks, frame)?;
        let (_, whole) = self.machine.counts(mv, at);
        let none = from.dom.count(Span::default())? == Some(Int::ZERO);
        Ok(Some(from.dom).filter(|_| !from.open || !whole || none))
    }

    /// Counts the legal rows of a move; its seat and the parameters that the play gives must be in the frame.
    pub(super) fn count_rows(
        &self,
        mv: MoveId,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Rank, Fault> {
        let rows = &self.machine.rows[mv];
        // Without conditions to count by, visiting the rows skips more of them.
        let plain = self.machine.game.moves[mv].checks.is_empty() && !rows.dependent;
        if rows.prefers || !plain && !self.machine.sifts(mv) {
            return Ok(Rank::Unknown);
        }
        let count = self.count_from(mv, 0, windowed, frame)?;
        match &count {
            Rank::Count(count) if !count.is_zero() && !self.held(mv, None, 0, frame)? => {
                Ok(Rank::Count(Int::ZERO))
            }
            _ => Ok(count),
        }
    }

    /// Whether the needs hold whose last chosen parameter is number `last` (`None`: those that read none),
    /// except needs that the rows of that parameter have passed. Evaluates the `let`s they read.
    fn held(
        &self,
        mv: MoveId,
        last: Option<usize>,
        passed: usize,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        let rows = &self.machine.rows[mv];
        let asked = |number: usize| {
            let sieve = last.and_then(|at| rows.chosen[at].sieve.as_ref());
            let needs = sieve.iter().flat_map(|sieve| &sieve.asked.needs);
            let mut counted = needs.filter(|(_, parts)| *parts <= passed).map(|(check, _)| *check);
            rows.about[number].last().copied() == last && !counted.any(|check| check == number)
        };
        let checks = &self.machine.game.moves[mv].checks;
        let mut known = BTreeSet::new();
        for (number, check) in checks.iter().enumerate() {
            let MoveCheck::Need { cond, .. } = check else { continue };
            if !asked(number) {
                continue;
            }
            for name in &rows.names[number] {
                if let MoveCheck::Let(slots, value) = &checks[*name]
                    && known.insert(*name)
                {
                    let value = self.eval(value, frame)?;
                    bind(slots, value, frame);
                }
            }
            if !self.truth(cond, frame)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts the rows that begin with the first `at` arguments in the frame.
    pub(super) fn count_from(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Rank, Fault> {
        let Some((from, span)) = self.column_from(mv, at, windowed, frame)? else {
            return Ok(Rank::Count(Int::ONE));
        };
        if from.with_rest && from.is_exact() {
            return Ok(Rank::Count(count_or_zero(&from.dom)));
        }
        if self.is_free(mv, at, &from) {
            let behind = match self.count_from(mv, at + 1, windowed, frame)? {
                Rank::Count(behind) => behind,
                unknown => return Ok(unknown),
            };
            let Some(count) = from.dom.count(span)? else { return Ok(Rank::Endless) };
            let all = count.mul(&behind);
            return all
                .map(Rank::Count)
                .map_err(|_| fault(Code::TooLarge, span, "there are too many moves to count"));
        }
        if from.dom.count(span)?.is_some_and(|count| count > Int::from(MOST_ASKED)) {
            return Ok(Rank::Unknown);
        }
        let Some(values) = from.dom.values(span)? else { return Ok(Rank::Endless) };
        let mut total = Int::ZERO;
        for value in values {
            if self.goes_on(mv, at, &from, value, frame)? {
                match self.count_from(mv, at + 1, windowed, frame)? {
                    Rank::Count(count) => total = total.add(&count),
                    unknown => return Ok(unknown),
                }
            }
        }
        Ok(Rank::Count(total))
    }

    /// Returns the values of the `at`-th chosen parameter, without rows that fail needs they are counted by,
    /// and the span of the parameter; `None` if there is no such parameter.
    fn column_from(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Option<(From, Span)>, Fault> {
        let Some(column) = self.machine.rows[mv].chosen.get(at) else { return Ok(None) };
        let span = self.machine.game.moves[mv].params[column.param].span;
        let from = self.chosen_from(mv, at, windowed, Asks::All, frame)?;
        Ok(Some((from, span)))
    }

    /// Whether the `at`-th chosen parameter may take any of its values, whatever else is chosen.
    fn is_free(&self, mv: MoveId, at: usize, from: &From) -> bool {
        let rows = &self.machine.rows[mv];
        let column = &rows.chosen[at];
        let needs = column.sieve.iter().flat_map(|sieve| &sieve.asked.needs);
        let passed: Vec<usize> =
            needs.filter(|(_, parts)| *parts <= from.passed).map(|(check, _)| *check).collect();
        let checks = self.machine.game.moves[mv].checks.iter().enumerate();
        let mut needs = checks.filter(|(_, check)| matches!(check, MoveCheck::Need { .. }));
        from.is_exact()
            && !column.read
            && needs.all(|(number, _)| !rows.about[number].contains(&at) || passed.contains(&number))
    }

    /// Puts a value of the `at`-th parameter into the frame. Returns whether it meets all conditions so far.
    fn goes_on(
        &self,
        mv: MoveId,
        at: usize,
        from: &From,
        value: Value,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        let column = &self.machine.rows[mv].chosen[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        self.tick(param.span)?;
        frame[column.slot] = value;
        Ok(self.takes(param, column, from, frame)? && self.held(mv, Some(at), from.passed, frame)?)
    }

    /// Puts the arguments of a rank into the frame. The rank must be below the result of [`Env::count_rows`].
    pub(super) fn row_of_rank(&self, mv: MoveId, rank: Int, frame: &mut Vec<Value>) -> Result<(), Fault> {
        let (mut rank, mut at) = (rank, 0);
        while let Some((from, span)) = self.column_from(mv, at, true, frame)? {
            let slot = self.machine.rows[mv].chosen[at].slot;
            let behind = |frame: &mut Vec<Value>| match self.count_from(mv, at + 1, true, frame)? {
                Rank::Count(behind) => Ok(behind),
                Rank::Endless | Rank::Unknown => {
                    Err(fault(Code::BadArgument, span, "the integers have no end"))
                }
            };
            if let Dom::Counted(counted) = &from.dom
                && from.with_rest
                && from.is_exact()
            {
                (frame[slot], rank) = counted.at_with_rest(&rank);
            } else if self.is_free(mv, at, &from) {
                let (rest, number) = split(&rank, &behind(frame)?);
                frame[slot] = from.dom.at(&number);
                rank = rest;
            } else {
                for value in from.dom.iter(span)? {
                    if self.goes_on(mv, at, &from, value, frame)? {
                        let behind = behind(frame)?;
                        if rank < behind {
                            break;
                        }
                        rank = rank.sub(&behind);
                    }
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns the values of a domain that fulfil a condition, which reads the value from `slot`.
    pub(super) fn sifted(
        &self,
        slot: crate::ir::Slot,
        of: Dom,
        condition: &crate::ir::Expr,
        frame: &mut Vec<Value>,
    ) -> Result<Dom, Fault> {
        let game = &self.machine.game;
        let mut reader = crate::ir::Reader::new(&game.functions, slot, game.slots);
        let whole = reader.take(condition);
        let parts = reader.found.parts.len();
        let mut dom = of;
        if count_or_zero(&dom) != Int::ZERO || dom.count(condition.span)?.is_none() {
            let (counted, passed) =
                self.counted_rows(&dom, &reader.found, parts, None, frame, condition.span)?;
            if let Some(counted) = counted {
                dom = Dom::Counted(std::sync::Arc::new(counted));
                if whole && passed == parts {
                    return Ok(dom);
                }
            }
        }
        let mut kept = Vec::new();
        for value in dom.iter(condition.span)? {
            self.tick(condition.span)?;
            frame[slot] = value.clone();
            if self.truth(condition, frame)? {
                self.room(kept.len(), condition.span)?;
                kept.push(value);
            }
        }
        Ok(Dom::Items(kept.into()))
    }
}
