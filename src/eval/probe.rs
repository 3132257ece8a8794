//! Counts how often each need refuses, by checking needs row by row. Listing legal moves skips rows that fail
//! for the same reason, and so cannot tell.

use std::cell::Cell;

use super::coverage::Coverage;
use super::fold::bind;
use super::legal::Active;
use super::row_filter::{NeedScope, ParamValues};
use super::{Dom, Env, Fault, MAX_STEPS, Machine, Position};
use crate::ir::{Choice, Domain, MoveCheck, MoveId, Offer, Op, Value};
use crate::num::{Int, Rng};

impl Machine {
    /// Checks the needs of the moves offered to a seat, for at most `limit` rows of arguments each: all rows
    /// if there are no more, else random ones. A row is checked up to the first need that refuses it; a need
    /// that binds only where possible refuses if another move meets it. Also returns the steps taken.
    ///
    /// A fault is one of the rules: a player who tries that row meets it too.
    pub fn probe_needs(
        &self,
        position: &Position,
        seat: usize,
        coverage: &Coverage,
        rng: &mut Rng,
        limit: u64,
    ) -> (Result<(), Fault>, u64) {
        let Some(choice) = self.choice(position) else { return (Ok(()), 0) };
        let steps = Cell::new(MAX_STEPS);
        let env = self.env(position, &steps);
        let mut spent = 0;
        let result = env.probe(choice, seat, coverage, Some(rng), limit, &mut spent);
        (result, spent + (MAX_STEPS - steps.get()))
    }

    /// Checks the needs that leave a seat stuck in a choice, at which play does not stop for it.
    pub(super) fn probe_stuck(&self, position: &Position, choice: &Choice, seat: usize, coverage: &Coverage) {
        let steps = Cell::new(MAX_STEPS);
        // Whoever asked whether the seat is stuck has met any fault already.
        let _ = self.env(position, &steps).probe(choice, seat, coverage, None, STUCK_ROWS, &mut 0);
    }
}

/// How many rows of each move are checked to find why a seat is stuck, when coverage is counted.
const STUCK_ROWS: u64 = 32;

/// A seat that has no legal move where it must choose, and why.
#[derive(Debug, Clone)]
pub struct Stuck {
    /// The number of the choice.
    pub choice: usize,
    /// The seat, from 0.
    pub seat: usize,
    /// What refuses the moves offered to it, each move once.
    pub refused: Vec<Refused>,
}

/// How the needs of a move refuse its rows of arguments.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The move.
    pub mv: MoveId,
    /// How many rows were checked.
    pub rows: u64,
    /// Whether there may be more rows.
    pub more: bool,
    /// The needs that were the first to refuse some row: number among the move's checks, and how many rows.
    pub by: Vec<(usize, u64)>,
}

impl Machine {
    /// Returns why the rules fail in a position, if the reason is that a seat that must choose has no legal
    /// move. Checks up to `limit` rows of each move.
    pub fn why_stuck(&self, position: &Position, limit: u64) -> Option<Stuck> {
        let Some(Op::Choose(id)) = self.game.code.get(position.pc) else { return None };
        let choice = &self.game.choices[*id];
        let steps = Cell::new(MAX_STEPS);
        let env = self.env(position, &steps);
        let asked = self.choosing_seats(choice, &env).ok()?;
        let must = |seat: &usize| asked.must.as_ref().is_none_or(|must| must.contains(seat));
        let seat =
            asked.seats.into_iter().filter(must).find(|seat| env.can_move(choice, *seat) == Ok(false))?;
        let coverage = Coverage::new(&self.game);
        env.probe(choice, seat, &coverage, None, limit, &mut 0).ok()?;
        let mut refused: Vec<Refused> = Vec::new();
        for offer in choice.all_offers() {
            if refused.iter().any(|known| known.mv == offer.mv) {
                continue;
            }
            let checks = self.game.moves[offer.mv].checks.iter().enumerate();
            let needs = checks.filter(|(_, check)| matches!(check, MoveCheck::Need { .. }));
            let told: Vec<(usize, (u64, u64))> =
                needs.map(|(number, _)| (number, coverage.need_counts(offer.mv, number))).collect();
            let rows = told.first().map_or(0, |(_, (asked, _))| *asked);
            let by = told.into_iter().map(|(number, (_, times))| (number, times));
            refused.push(Refused {
                mv: offer.mv,
                rows,
                more: rows >= limit,
                by: by.filter(|(_, times)| *times > 0).collect(),
            });
        }
        Some(Stuck { choice: *id, seat, refused })
    }
}

impl<'g> Env<'g> {
    /// Checks the needs of the offers of a choice: of the first, and of `otherwise` if none of these is
    /// legal. Without `rng`, the first rows are checked.
    fn probe(
        self,
        choice: &'g Choice,
        seat: usize,
        coverage: &Coverage,
        mut rng: Option<&mut Rng>,
        limit: u64,
        spent: &mut u64,
    ) -> Result<(), Fault> {
        let offers = self.active(choice, seat)?;
        let first = choice.offers.iter();
        let others =
            choice.otherwise.iter().filter(|_| !std::ptr::eq(offers.offers, choice.offers.as_slice()));
        for offer in first.chain(others) {
            if self.machine.game.moves[offer.mv].checks.is_empty() {
                continue;
            }
            let mut frame = self.frame();
            self.enter_offer(offer, seat, &mut frame)?;
            let (spent, frame) = (&mut *spent, &mut *frame);
            let mut probe =
                Probe { env: self, offers, offer, seat, coverage, frame, left: limit, spent, meets: None };
            match &mut rng {
                Some(rng) if !probe.fits_limit(0)? => probe.draw(rng)?,
                _ => probe.each(0)?,
            }
        }
        Ok(())
    }
}

/// A walk through rows of arguments of one offer.
struct Probe<'p, 'g> {
    env: Env<'g>,
    offers: Active<'g>,
    offer: &'g Offer,
    seat: usize,
    coverage: &'p Coverage,
    frame: &'p mut Vec<Value>,
    /// How many rows may still be checked.
    left: u64,
    /// The steps taken by earlier rows.
    spent: &'p mut u64,
    /// Whether any move meets the needs that bind only where possible, once known.
    meets: Option<bool>,
}

impl Probe<'_, '_> {
    fn columns(&self) -> usize {
        self.env.machine.rows[self.offer.mv].columns.len()
    }

    /// Returns the values of a parameter and their number: its domain, or what bots draw from if that is
    /// infinite. Windows of single integers are widened, as people and needs often go beyond them.
    fn source(&mut self, at: usize) -> Result<(ParamValues, Int), Fault> {
        let (machine, mv) = (self.env.machine, self.offer.mv);
        let column = &machine.rows[mv].columns[at];
        let param = &machine.game.moves[mv].params[column.param];
        let mut from = self.env.param_values(mv, at, false, NeedScope::Domain, self.frame)?;
        let mut count = from.dom.count(param.span)?;
        if count.is_none() {
            from = match (from.dom, &param.window) {
                (dom @ (Dom::Ints | Dom::AtLeast(_)), Some((low, high))) => {
                    let (low, high) = (self.env.int(low, self.frame)?, self.env.int(high, self.frame)?);
                    let width = high.sub(&low).div_floor(&Int::from(4)).unwrap_or(Int::ZERO);
                    let more = width.max(Int::from(2));
                    ParamValues { dom: dom.within(&(low.sub(&more), high.add(&more))), ..from }
                }
                _ => self.env.param_values(mv, at, true, NeedScope::Domain, self.frame)?,
            };
            count = from.dom.count(param.span)?;
        }
        from.dom.materialise();
        Ok((from, count.unwrap_or(Int::ZERO)))
    }

    /// Puts a value into its slot. Returns `false` if it does not fulfil the condition of its domain.
    fn bind_value(&mut self, at: usize, from: &ParamValues, value: Value) -> Result<bool, Fault> {
        let (machine, mv) = (self.env.machine, self.offer.mv);
        let column = &machine.rows[mv].columns[at];
        let param = &machine.game.moves[mv].params[column.param];
        self.frame[column.slot] = value.clone();
        if !self.env.accepts(param, column, from, self.frame)? {
            return Ok(false);
        }
        // Rows are not checked for conditions they are counted by: evaluate these for coverage.
        if let Some(Domain::Where(slot, _, condition)) = &param.domain {
            self.frame[*slot] = value;
            self.env.truth(condition, self.frame)?;
        }
        Ok(true)
    }

    /// Whether there are no more rows than may be checked, judging by the first value of each parameter.
    fn fits_limit(&mut self, at: usize) -> Result<bool, Fault> {
        let mut rows = Int::ONE;
        for at in at..self.columns() {
            let (from, count) = self.source(at)?;
            rows = match rows.mul(&count) {
                Ok(rows) if rows <= Int::from(self.left) => rows,
                _ => return Ok(false),
            };
            if count.is_zero() {
                return Ok(true);
            }
            let slot = self.env.machine.rows[self.offer.mv].columns[at].slot;
            self.frame[slot] = from.dom.at(&Int::ZERO);
        }
        Ok(true)
    }

    /// Checks all rows from a parameter on.
    fn each(&mut self, at: usize) -> Result<(), Fault> {
        if at == self.columns() {
            return self.check_row();
        }
        let (from, count) = self.source(at)?;
        let mut rank = Int::ZERO;
        while rank < count && self.left > 0 {
            if self.bind_value(at, &from, from.dom.at(&rank))? {
                self.each(at + 1)?;
            }
            rank = rank.add(&Int::ONE);
        }
        Ok(())
    }

    /// Draws rows and checks them, as many as allowed.
    fn draw(&mut self, rng: &mut Rng) -> Result<(), Fault> {
        let alike = !self.env.machine.rows[self.offer.mv].dependent;
        let mut sources: Vec<(ParamValues, Int)> = Vec::new();
        for _ in 0..self.left {
            let mut complete = true;
            for at in 0..self.columns() {
                if !alike {
                    sources.truncate(at);
                }
                if sources.len() <= at {
                    sources.push(self.source(at)?);
                }
                let (from, count) = &sources[at];
                let value = (!count.is_zero()).then(|| from.dom.at(&rng.below(count)));
                complete = match value {
                    Some(value) => self.bind_value(at, &sources[at].0, value)?,
                    None => false,
                };
                if !complete {
                    break;
                }
            }
            match complete {
                true => self.check_row()?,
                false => self.reset_steps(),
            }
        }
        Ok(())
    }

    /// Checks the needs of the row in the frame.
    fn check_row(&mut self) -> Result<(), Fault> {
        self.left = self.left.saturating_sub(1);
        let machine = self.env.machine;
        let mv = self.offer.mv;
        for (number, check) in machine.game.moves[mv].checks.iter().enumerate() {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.env.eval(value, self.frame)?;
                    bind(slots, value, self.frame);
                }
                MoveCheck::Need { cond, .. } => {
                    let holds = self.env.truth(cond, self.frame)?;
                    self.coverage.record_need(mv, number, holds);
                    if !holds {
                        self.reset_steps();
                        return Ok(());
                    }
                }
                MoveCheck::SoftNeed { cond, .. } => {
                    let holds = self.env.truth(cond, self.frame)? || !self.any_meets_soft()?;
                    self.coverage.record_need(mv, number, holds);
                }
            }
        }
        self.reset_steps();
        Ok(())
    }

    fn any_meets_soft(&mut self) -> Result<bool, Fault> {
        if let Some(known) = self.meets {
            return Ok(known);
        }
        let found = self.env.any_meets_soft(self.offers, self.seat, true)?;
        Ok(*self.meets.insert(found))
    }

    /// Grants the next row as many steps as a move that a player tries.
    fn reset_steps(&mut self) {
        *self.spent += MAX_STEPS - self.env.steps.get();
        self.env.steps.set(MAX_STEPS);
    }
}
