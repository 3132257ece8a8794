//! Legal moves: tested, counted, iterated and drawn, without listing domains unless necessary.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::domain::count_or_zero;
use super::fold::bind;
use super::ranks::RowCount;
use super::row_filter::{NeedScope, ParamValues};
use super::rows::{OnRow, Row, Walk};
use super::{Env, Fault, fault, note_search};
use crate::diag::Code;
use crate::ir::{
    AT_ONCE_SHIFT, COUNTED_TRIES, Choice, Domain, FEW_ROWS, FEW_TRIES, MANY_ROWS, MAX_TRIES, MoveCheck,
    MoveId, Offer, QUARTER_SHIFT, Value, lists_at_once,
};
use crate::num::Int;

/// A move with the arguments that were chosen, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chosen {
    /// The number of the offer, counting the first offers and then the `otherwise` offers.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// The chosen arguments.
    pub args: Vec<Value>,
}

/// The offers open to a seat now: the first offers of a choice, or its `otherwise` offers.
#[derive(Clone, Copy)]
pub(super) struct Active<'g> {
    /// The number of the first of these offers.
    pub(super) from: usize,
    pub(super) offers: &'g [Offer],
}

impl<'g> Active<'g> {
    pub(super) fn each(self) -> impl Iterator<Item = (usize, &'g Offer)> {
        self.offers.iter().enumerate().map(move |(at, offer)| (self.from + at, offer))
    }
}

impl<'g> Env<'g> {
    /// Returns the offers of a choice open to a seat: the first, or `otherwise` if none of these is legal.
    pub(super) fn active(&self, choice: &'g Choice, seat: usize) -> Result<Active<'g>, Fault> {
        let first = Active { from: 0, offers: &choice.offers };
        if choice.otherwise.is_empty() || self.some_legal(first, seat)? {
            return Ok(first);
        }
        Ok(Active { from: choice.offers.len(), offers: &choice.otherwise })
    }

    /// Whether any of some offers can be taken by a seat.
    pub(super) fn some_legal(&self, offers: Active, seat: usize) -> Result<bool, Fault> {
        let found = self.walk(offers, seat, false, &mut |_| ControlFlow::Break(()))?;
        Ok(found.is_break())
    }

    /// Whether a seat has any legal move. A choice from an infinite domain always counts as one.
    pub fn can_move(&self, choice: &'g Choice, seat: usize) -> Result<bool, Fault> {
        let offers = self.active(choice, seat)?;
        self.some_legal(offers, seat)
    }

    /// Calls `on` with each legal move of a seat, in order. With `windowed`, integers come from their
    /// windows; without, a move with an infinite parameter counts as one legal move without arguments.
    pub fn each_legal(
        &self,
        choice: &'g Choice,
        seat: usize,
        windowed: bool,
        on: &mut dyn FnMut(Chosen) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let offers = self.active(choice, seat)?;
        let _ = self.walk(offers, seat, windowed, &mut |row| on(row.to_chosen()))?;
        Ok(())
    }

    /// Returns the moves that a seat can make with some arguments, without listing them; integers come from their windows.
    pub fn possible_moves(&self, choice: &'g Choice, seat: usize) -> Result<BTreeSet<MoveId>, Fault> {
        let offers = self.active(choice, seat)?;
        let binds = self.any_meets_soft(offers, seat, true)?;
        let mut moves = BTreeSet::new();
        for (number, offer) in offers.each() {
            let found =
                self.walk_offer(number, offer, seat, true, &mut |row| match !binds || row.meets_soft {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                })?;
            if found.is_break() {
                moves.insert(offer.mv);
            }
        }
        Ok(moves)
    }

    fn walk(
        &self,
        offers: Active,
        seat: usize,
        windowed: bool,
        on: &mut OnRow,
    ) -> Result<ControlFlow<()>, Fault> {
        // If some needs bind only where possible, first see whether a choice of their moves meets them. Moves
        // without such needs are legal in either case.
        if !self.any_meets_soft(offers, seat, windowed)? {
            return self.walk_each(offers, seat, windowed, on);
        }
        self.walk_each(offers, seat, windowed, &mut |row| match row.meets_soft {
            true => on(row),
            false => ControlFlow::Continue(()),
        })
    }

    /// Whether some choice of a move with needs that bind only where possible meets them. Moves that have no
    /// such needs are not looked at.
    pub(super) fn any_meets_soft(&self, offers: Active, seat: usize, windowed: bool) -> Result<bool, Fault> {
        for (number, offer) in offers.each() {
            if !self.machine.rows[offer.mv].has_soft_needs {
                continue;
            }
            let found = self.walk_offer(number, offer, seat, windowed, &mut |row| match row.meets_soft {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })?;
            if found.is_break() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn walk_each(
        &self,
        offers: Active,
        seat: usize,
        windowed: bool,
        on: &mut OnRow,
    ) -> Result<ControlFlow<()>, Fault> {
        for (number, offer) in offers.each() {
            if self.walk_offer(number, offer, seat, windowed, on)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn walk_offer(
        &self,
        number: usize,
        offer: &Offer,
        seat: usize,
        windowed: bool,
        on: &mut OnRow,
    ) -> Result<ControlFlow<()>, Fault> {
        let mut frame = self.frame();
        self.enter_offer(offer, seat, &mut frame)?;
        let (mv, frame) = (offer.mv, &mut frame);
        let mut walk = Walk { env: self, number, mv, windowed, precomputed: &[], frame, on };
        let walked = walk.rows(0).map_err(|fault| note_search(fault, &self.machine.game.moves[mv]))?;
        Ok(match walked {
            ControlFlow::Break(()) => ControlFlow::Break(()),
            ControlFlow::Continue(_) => ControlFlow::Continue(()),
        })
    }

    /// Writes the seat that moves and the parameters that the play gives into the frame.
    pub(super) fn enter_offer(
        &self,
        offer: &Offer,
        seat: usize,
        frame: &mut Vec<Value>,
    ) -> Result<(), Fault> {
        let mv = &self.machine.game.moves[offer.mv];
        if !offer.given.is_empty() {
            let given: Result<Vec<Value>, Fault> = offer.given.iter().map(|e| self.eval(e, frame)).collect();
            let params = mv.params.iter().filter(|param| param.domain.is_none());
            for (param, value) in params.zip(given?) {
                frame[param.slot] = value;
            }
        }
        frame[mv.me] = Value::Player(seat);
        Ok(())
    }

    /// Judges the move whose arguments are in the frame.
    pub(super) fn judge(&self, mv: MoveId, frame: &mut Vec<Value>) -> Result<Judged, Fault> {
        let mut meets = true;
        for (number, check) in self.machine.game.moves[mv].checks.iter().enumerate() {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.eval(value, frame)?;
                    bind(slots, value, frame);
                }
                MoveCheck::Need { cond, .. } => {
                    if !self.truth(cond, frame)? {
                        return Ok(Judged::Fails { need: number });
                    }
                }
                MoveCheck::SoftNeed { cond, .. } => meets &= self.truth(cond, frame)?,
            }
        }
        Ok(Judged::Holds { meets_soft: meets })
    }

    /// Finds the offer that a move takes; `None` if the move is not legal. [`Env::refusal`] says why.
    pub fn find_legal(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Option<Chosen>, Fault> {
        let offers = self.active(choice, seat)?;
        for (number, offer) in offers.each().filter(|(_, offer)| offer.mv == mv) {
            let mut frame = self.frame();
            self.enter_offer(offer, seat, &mut frame)?;
            if !self.bind_args(mv, args, &mut frame)? {
                continue;
            }
            let legal = match self.judge(mv, &mut frame)? {
                Judged::Fails { .. } => false,
                Judged::Holds { meets_soft } => meets_soft || !self.any_meets_soft(offers, seat, true)?,
            };
            if legal {
                return Ok(Some(Chosen { offer: number, mv, args: args.to_vec() }));
            }
        }
        Ok(None)
    }

    /// Writes the arguments of a move into the frame. Returns `false` if one is not among the values of its domain, or
    /// if their number is wrong.
    fn bind_args(&self, mv: MoveId, args: &[Value], frame: &mut Vec<Value>) -> Result<bool, Fault> {
        let mut args = args.iter();
        for param in &self.machine.game.moves[mv].params {
            let Some(domain) = &param.domain else { continue };
            let Some(value) = args.next() else { return Ok(false) };
            // The condition is tested for this value only.
            let (whole, condition) = domain.without_condition();
            if !self.domain(whole, frame, true)?.contains(value) {
                return Ok(false);
            }
            frame[param.slot] = value.clone();
            if let Some(condition) = condition
                && !self.truth(condition, frame)?
            {
                return Ok(false);
            }
        }
        Ok(args.next().is_none())
    }

    /// Evaluates the `let`s of a legal move into the frame.
    pub(super) fn bind_lets(&self, mv: MoveId, frame: &mut Vec<Value>) -> Result<(), Fault> {
        for check in &self.machine.game.moves[mv].checks {
            if let MoveCheck::Let(slots, value) = check {
                let value = self.eval(value, frame)?;
                bind(slots, value, frame);
            }
        }
        Ok(())
    }

    // ---- counting and drawing

    /// Returns the number of legal moves of a seat; `None` if it is infinite, which it is not with `windowed`: then integers come
    /// from their windows.
    pub fn count_legal(&self, choice: &'g Choice, seat: usize, windowed: bool) -> Result<Option<Int>, Fault> {
        let offers = self.active(choice, seat)?;
        let mut total = Int::ZERO;
        let mut frame = self.frame();
        for (number, offer) in offers.each() {
            self.enter_offer(offer, seat, &mut frame)?;
            match self.count_rows(offer.mv, windowed, &mut frame)? {
                RowCount::Count(count) => {
                    total = total.add(&count);
                    continue;
                }
                RowCount::Infinite => return Ok(None),
                RowCount::Unknown => {}
            }
            let rows = &self.machine.rows[offer.mv];
            let (mut endless, mut count) = (false, 0u64);
            let binds = rows.has_soft_needs && self.any_meets_soft(offers, seat, windowed)?;
            let _ = self.walk_offer(number, offer, seat, windowed, &mut |row| {
                if !binds || row.meets_soft {
                    endless |= row.columns.len() < rows.columns.len();
                    count += 1;
                }
                ControlFlow::Continue(())
            })?;
            if endless {
                return Ok(None);
            }
            total = total.add(&Int::from(count));
        }
        Ok(Some(total))
    }

    /// Returns the domains of an offer, widened if they depend on other arguments, and the number of their rows; `None` if
    /// infinite. With `sifted`, leaves out rows that fail needs about a single parameter.
    fn product(
        &self,
        offer: &Offer,
        sifted: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Option<(Int, Vec<ParamValues>)>, Fault> {
        let mut total = Int::ONE;
        let mut doms = Vec::new();
        let mv = &self.machine.game.moves[offer.mv];
        for (at, column) in self.machine.rows[offer.mv].columns.iter().enumerate() {
            let param = &mv.params[column.param];
            let asks = if sifted { NeedScope::Alone } else { NeedScope::Drawn };
            let mut from = match &self.machine.rows[offer.mv].widened[at] {
                Some(domain) => ParamValues::widened(
                    self.domain(domain.without_condition().0, frame, true)?,
                    matches!(param.domain, Some(Domain::Where(..))),
                ),
                None => self.param_values(offer.mv, at, true, asks, frame)?,
            };
            self.narrow(&mut from.dom, &self.machine.rows[offer.mv].bounds[at], frame);
            let Some(count) = from.dom.count(param.span)? else { return Ok(None) };
            total = total
                .mul(&count)
                .map_err(|_| fault(Code::TooLarge, param.span, "there are too many moves to count"))?;
            doms.push(from);
        }
        Ok(Some((total, doms)))
    }

    /// Draws a legal move, each equally likely; `below(n)` must return a uniform number from 0 to n − 1.
    ///
    /// Few rows of arguments are listed. Many rows, or rows that are all legal, are sampled until one is
    /// legal, which is uniform too. If sampling takes as long as listing would, or very many rows can be
    /// counted by their conditions, the legal rows are ranked, or listed if they cannot be ranked.
    pub fn draw_legal(
        &self,
        choice: &'g Choice,
        seat: usize,
        below: &mut dyn FnMut(&Int) -> Int,
    ) -> Result<Option<Chosen>, Fault> {
        let offers = self.active(choice, seat)?;
        if offers.offers.iter().all(|offer| self.machine.allows_rejection_sampling(offer.mv)) {
            let mut frame = self.frame();
            let all = |sifted: bool, frame: &mut Vec<Value>| -> Result<(Int, Vec<_>), Fault> {
                let mut all = Vec::with_capacity(offers.offers.len());
                let mut total = Int::ZERO;
                for (number, offer) in offers.each() {
                    self.enter_offer(offer, seat, frame)?;
                    let Some((count, doms)) = self.product(offer, sifted, frame)? else {
                        return Err(fault(
                            Code::BadArgument,
                            choice.span,
                            "nobody can draw from all integers",
                        ));
                    };
                    total = total.add(&count);
                    all.push((number, offer, count, doms));
                }
                Ok((total, all))
            };
            let (mut total, mut drawn) = all(false, &mut frame)?;
            if total > Int::from(MANY_ROWS)
                && offers.offers.iter().any(|offer| self.machine.has_row_filter(offer.mv))
            {
                let moves = offers.offers.iter().map(|offer| offer.mv);
                if self.machine.tries_before_counting(moves).is_some()
                    && let Some(ranked) = self.draw_ranked(offers, seat, None, below)?
                {
                    return Ok(ranked);
                }
                let sifted = all(true, &mut frame)?;
                // Most rows may be legal; then sampling is faster, so the steps spent on ranking are limited.
                if sifted.0 > Int::from(MANY_ROWS)
                    && let Some(ranked) = self.draw_ranked(offers, seat, Some(MAX_RANKED_STEPS), below)?
                {
                    return Ok(ranked);
                }
                (total, drawn) = sifted;
            }
            let exact = |(_, offer, _, doms): &DrawnOffer| {
                self.machine.game.moves[offer.mv].checks.is_empty() && doms.iter().all(ParamValues::is_exact)
            };
            let free = drawn.iter().all(exact);
            if total > Int::from(FEW_ROWS) || free && !total.is_zero() {
                let tries = self.most_tries(&drawn, &total);
                // If all rows are legal, each domain is asked for one value only and need not be laid out.
                if !free && tries > 0 {
                    drawn
                        .iter_mut()
                        .for_each(|(.., doms)| doms.iter_mut().for_each(|from| from.dom.materialise()));
                }
                for _ in 0..tries {
                    self.tick(choice.span)?;
                    let mut rank = below(&total);
                    let Some((number, offer, _, doms)) = drawn.iter().find(|(_, _, count, _)| {
                        let here = rank < *count;
                        if !here {
                            rank = rank.sub(count);
                        }
                        here
                    }) else {
                        continue;
                    };
                    self.enter_offer(offer, seat, &mut frame)?;
                    let columns = &self.machine.rows[offer.mv].columns;
                    let parts = doms.iter().map(|from| &from.dom);
                    super::domain::unrank_each(parts, rank, |at, value| frame[columns[at].slot] = value);
                    let params = &self.machine.game.moves[offer.mv].params;
                    let mut taken = true;
                    for (column, from) in columns.iter().zip(doms) {
                        taken = taken && self.accepts(&params[column.param], column, from, &mut frame)?;
                    }
                    if taken && let Judged::Holds { .. } = self.judge(offer.mv, &mut frame)? {
                        let row =
                            Row { offer: *number, mv: offer.mv, meets_soft: true, columns, frame: &frame };
                        return Ok(Some(row.to_chosen()));
                    }
                }
            }
            let as_drawn = |offer: &Offer| {
                let rows = &self.machine.rows[offer.mv];
                !self.machine.has_row_filter(offer.mv) && rows.widened.iter().all(Option::is_none)
            };
            if offers.offers.iter().all(as_drawn) {
                let mut listed = MoveList::new();
                for (number, offer, _, doms) in &drawn {
                    self.enter_offer(offer, seat, &mut frame)?;
                    let (mv, frame, on) = (offer.mv, &mut frame, &mut |row: &Row| listed.push(row));
                    let _ =
                        Walk { env: self, number: *number, mv, windowed: true, precomputed: doms, frame, on }
                            .rows(0)?;
                }
                return Ok(listed.draw(below));
            }
        }
        if let Some(ranked) = self.draw_ranked(offers, seat, None, below)? {
            return Ok(ranked);
        }
        let (mut listed, mut endless) = (MoveList::new(), false);
        let _ = self.walk(offers, seat, true, &mut |row| {
            // A condition that cannot be evaluated does not bound the rows of a parameter.
            endless |= row.columns.len() < self.machine.rows[row.mv].columns.len();
            listed.push(row)
        })?;
        if endless {
            let message = "nobody can draw one of infinitely many moves";
            return Err(fault(Code::BadArgument, choice.span, message));
        }
        Ok(listed.draw(below))
    }

    /// Returns how many of all rows are tried at most before the legal ones are listed.
    fn most_tries(&self, drawn: &[DrawnOffer], all: &Int) -> i64 {
        let (mut tries, mut more) = (Int::ZERO, 0);
        for (_, offer, rows, doms) in drawn {
            let Some((_, others)) = doms.split_last() else {
                more = more.max(FEW_TRIES);
                continue;
            };
            let (most, few) = match &self.machine.rows[offer.mv].bounds_on_last {
                Some(bounds) if bounds.leaves_one => (Int::ZERO, 0),
                Some(_) => {
                    // Each count is a factor of that of all rows, which is not too large.
                    let others = others.iter().map(|from| count_or_zero(&from.dom));
                    let others = others.fold(Int::ONE, |all, count| all.mul(&count).unwrap_or(all));
                    (shifted(&others, QUARTER_SHIFT).min(shifted(rows, AT_ONCE_SHIFT)), 0)
                }
                None if lists_at_once(&self.machine.game.moves[offer.mv]) => {
                    (shifted(rows, AT_ONCE_SHIFT), FEW_TRIES)
                }
                None => (shifted(rows, QUARTER_SHIFT), FEW_ROWS),
            };
            (tries, more) = (tries.add(&most), more.max(few));
        }
        let mut counted = self.machine.tries_before_counting(drawn.iter().map(|(_, offer, ..)| offer.mv));
        if *all > Int::from(MANY_ROWS) {
            // They turned out to be too many to be counted.
            counted = counted.map(|_| COUNTED_TRIES);
        }
        tries.as_i64().unwrap_or(i64::MAX).saturating_add(more).min(counted.unwrap_or(MAX_TRIES))
    }

    /// Draws a legal move by its rank among all legal moves; `None` if they cannot be counted without being
    /// listed. `most` limits the steps for moves whose parameters are tied to one another.
    fn draw_ranked(
        &self,
        offers: Active,
        seat: usize,
        most: Option<u64>,
        below: &mut dyn FnMut(&Int) -> Int,
    ) -> Result<Option<Option<Chosen>>, Fault> {
        let most = most.map(Cell::new);
        if !offers.offers.iter().any(|offer| self.machine.has_row_filter(offer.mv)) {
            return Ok(None);
        }
        let mut frame = self.frame();
        let (mut total, mut counts) = (Int::ZERO, Vec::new());
        for (number, offer) in offers.each() {
            self.enter_offer(offer, seat, &mut frame)?;
            let count = match most.as_ref().filter(|_| self.machine.has_cross_needs(offer.mv)) {
                Some(most) => self.count_within(most, |env| env.count_rows(offer.mv, true, &mut frame)),
                None => match self.count_rows(offer.mv, true, &mut frame)? {
                    RowCount::Count(count) => Some(count),
                    RowCount::Infinite | RowCount::Unknown => None,
                },
            };
            let Some(count) = count else { return Ok(None) };
            total = total.add(&count);
            counts.push((number, offer, count));
        }
        if total.is_zero() {
            return Ok(Some(None));
        }
        let mut rank = below(&total);
        for (number, offer, count) in counts {
            if rank < count {
                self.enter_offer(offer, seat, &mut frame)?;
                self.unrank_row(offer.mv, rank, &mut frame)?;
                let columns = &self.machine.rows[offer.mv].columns;
                let row = Row { offer: number, mv: offer.mv, meets_soft: true, columns, frame: &frame };
                return Ok(Some(Some(row.to_chosen())));
            }
            rank = rank.sub(&count);
        }
        Ok(None)
    }
}

/// An offer of which a move is drawn: its number, the offer, how many rows it has before the needs are tested, and the
/// values of its parameters.
type DrawnOffer<'g> = (usize, &'g Offer, Int, Vec<ParamValues>);

/// The most steps for counting rows whose parameters are tied to one another, before sampling is tried.
const MAX_RANKED_STEPS: u64 = 20_000_000;

/// Moves in order. All arguments share one vector, so that moves need no allocation of their own.
struct MoveList {
    /// For each move: its offer, the move, and the end of its arguments in `args`.
    moves: Vec<(usize, MoveId, usize)>,
    args: Vec<Value>,
}

impl MoveList {
    /// Creates an empty list with room for a typical number of moves.
    fn new() -> MoveList {
        MoveList { moves: Vec::with_capacity(32), args: Vec::with_capacity(32) }
    }

    fn push(&mut self, row: &Row) -> ControlFlow<()> {
        self.args.extend(row.args().cloned());
        self.moves.push((row.offer, row.mv, self.args.len()));
        ControlFlow::Continue(())
    }

    /// Draws one of the moves; `None` if there are none.
    fn draw(&self, below: &mut dyn FnMut(&Int) -> Int) -> Option<Chosen> {
        if self.moves.is_empty() {
            return None;
        }
        Some(self.chosen(below(&Int::from(self.moves.len())).as_usize().unwrap_or(0)))
    }

    fn chosen(&self, at: usize) -> Chosen {
        let begin = at.checked_sub(1).map_or(0, |before| self.moves[before].2);
        let (offer, mv, end) = self.moves[at];
        Chosen { offer, mv, args: self.args[begin..end].to_vec() }
    }
}

/// The verdict on a move.
pub(super) enum Judged {
    /// The check with this number is a need that fails.
    Fails { need: usize },
    /// Every need holds; `meets_soft` says whether those that bind only where possible hold too.
    Holds { meets_soft: bool },
}

/// Returns a count divided by a power of two, rounded down.
fn shifted(count: &Int, by: u32) -> Int {
    count.div_floor(&Int::from(1 << by)).unwrap_or(Int::ZERO)
}
