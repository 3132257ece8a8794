//! Which moves are legal: tested, counted, gone through and drawn, without listing a domain that need not be.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::expr::bind;
use super::{Dom, Env, Fault, fault, text};
use crate::diag::Code;
use crate::ir::{Choice, Expr, ExprKind, MoveCheck, MoveId, Offer, Value};
use crate::num::Int;
use crate::source::Span;

/// A move with its arguments: those that are chosen, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chosen {
    /// The offer: its number among the first offers, then the others.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// The chosen arguments.
    pub args: Vec<Value>,
}

/// Why a move is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The sentence for the player.
    pub text: String,
    /// The place in the rule file that says so.
    pub span: Span,
}

/// A need as `why` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Whether it holds.
    pub holds: bool,
    /// Its reason with the values filled in; for a need that holds, what would be said if it failed.
    pub reason: String,
    /// Its place.
    pub span: Span,
}

/// The offers a seat may use now, with their numbers.
type Active<'g> = Vec<(usize, &'g Offer)>;

impl<'g> Env<'g> {
    /// The offers of a choice that are open to a seat: the first ones, or the others where none of these is legal.
    fn active(&self, choice: &'g Choice, seat: usize) -> Result<Active<'g>, Fault> {
        let first: Active = choice.offers.iter().enumerate().collect();
        if choice.otherwise.is_empty() || self.some_legal(&first, seat)? {
            return Ok(first);
        }
        let from = choice.offers.len();
        Ok(choice.otherwise.iter().enumerate().map(|(i, offer)| (from + i, offer)).collect())
    }

    fn some_legal(&self, offers: &Active, seat: usize) -> Result<bool, Fault> {
        let found = self.walk(offers, seat, false, &mut |_| ControlFlow::Break(()))?;
        Ok(found.is_break())
    }

    /// Whether a seat has any legal move. A choice among all integers always counts as one.
    pub fn can_move(&self, choice: &'g Choice, seat: usize) -> Result<bool, Fault> {
        let offers = self.active(choice, seat)?;
        self.some_legal(&offers, seat)
    }

    /// Goes through the legal moves of a seat in order. With `windowed`, integers come from their windows;
    /// without, a parameter that has no end counts as one legal move with nothing chosen.
    pub fn each_legal(
        &self,
        choice: &'g Choice,
        seat: usize,
        windowed: bool,
        on: &mut dyn FnMut(Chosen) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let offers = self.active(choice, seat)?;
        let _ = self.walk(&offers, seat, windowed, on)?;
        Ok(())
    }

    fn walk(
        &self,
        offers: &Active,
        seat: usize,
        windowed: bool,
        on: &mut dyn FnMut(Chosen) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Fault> {
        // Needs that bind only where possible: first see whether any move meets them.
        let prefers = offers.iter().any(|(_, offer)| self.prefers(offer));
        let mut binding = false;
        if prefers {
            let _ = self.walk_each(offers, seat, windowed, &mut |_, meets| {
                binding |= meets;
                if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
        self.walk_each(offers, seat, windowed, &mut |chosen, meets| match binding && !meets {
            true => ControlFlow::Continue(()),
            false => on(chosen),
        })
    }

    fn prefers(&self, offer: &Offer) -> bool {
        self.game.moves[offer.mv].checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. }))
    }

    fn walk_each(
        &self,
        offers: &Active,
        seat: usize,
        windowed: bool,
        on: &mut dyn FnMut(Chosen, bool) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Fault> {
        let mut frame = self.position.frame.clone();
        for (number, offer) in offers {
            self.enter(offer, seat, &mut frame)?;
            let mut args = Vec::new();
            if self.walk_params(*number, offer, 0, windowed, &mut frame, &mut args, on)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    #[allow(clippy::too_many_arguments)]
    fn walk_params(
        &self,
        number: usize,
        offer: &Offer,
        at: usize,
        windowed: bool,
        frame: &mut Vec<Value>,
        args: &mut Vec<Value>,
        on: &mut dyn FnMut(Chosen, bool) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Fault> {
        let mv = &self.game.moves[offer.mv];
        let Some(param) = mv.params.get(at) else {
            self.tick(mv.span)?;
            return Ok(match self.judge(offer.mv, frame)? {
                Judged::Fails => ControlFlow::Continue(()),
                Judged::Holds { meets } => {
                    on(Chosen { offer: number, mv: offer.mv, args: args.clone() }, meets)
                }
            });
        };
        let Some(domain) = &param.domain else {
            return self.walk_params(number, offer, at + 1, windowed, frame, args, on);
        };
        let mut dom = self.domain(domain, frame, true)?;
        if windowed {
            dom = dom.within(self.window(param, frame)?.as_ref());
        }
        if dom.count(param.span)?.is_none() {
            // Among all integers there is always one that fits.
            return Ok(on(Chosen { offer: number, mv: offer.mv, args: Vec::new() }, true));
        }
        for value in dom.iter(param.span)? {
            frame[param.slot] = value.clone();
            args.push(value);
            let flow = self.walk_params(number, offer, at + 1, windowed, frame, args, on)?;
            args.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn window(&self, param: &crate::ir::Param, frame: &mut Vec<Value>) -> Result<Option<(Int, Int)>, Fault> {
        match &param.window {
            Some((low, high)) => Ok(Some((self.int(low, frame)?, self.int(high, frame)?))),
            None => Ok(None),
        }
    }

    /// Fills in who moves and what the play gives.
    pub(super) fn enter(&self, offer: &Offer, seat: usize, frame: &mut Vec<Value>) -> Result<(), Fault> {
        let mv = &self.game.moves[offer.mv];
        let given: Result<Vec<Value>, Fault> = offer.given.iter().map(|e| self.eval(e, frame)).collect();
        let mut given = given?.into_iter();
        for param in mv.params.iter().filter(|param| param.domain.is_none()) {
            frame[param.slot] = given.next().unwrap_or(Value::Unset);
        }
        frame[mv.me] = Value::Player(seat);
        Ok(())
    }

    /// Judges the move whose arguments stand in the frame.
    pub(super) fn judge(&self, mv: MoveId, frame: &mut Vec<Value>) -> Result<Judged, Fault> {
        let mut meets = true;
        for check in &self.game.moves[mv].checks {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.eval(value, frame)?;
                    bind(slots, value, frame);
                }
                MoveCheck::Need { cond, .. } => {
                    if !self.truth(cond, frame)? {
                        return Ok(Judged::Fails);
                    }
                }
                MoveCheck::Prefer { cond, .. } => meets &= self.truth(cond, frame)?,
            }
        }
        Ok(Judged::Holds { meets })
    }

    // ---- one move

    /// Finds the offer a move would take, and says why it would be refused.
    pub fn refusal(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Result<Chosen, Refusal>, Fault> {
        let offers = self.active(choice, seat)?;
        let mut mine: Active = offers.iter().filter(|(_, offer)| offer.mv == mv).copied().collect();
        if mine.is_empty() {
            // None of the first offers is legal: this one says why.
            mine = choice.offers.iter().enumerate().filter(|(_, offer)| offer.mv == mv).collect();
        }
        if mine.is_empty() {
            let name = &self.game.moves[mv].name;
            let text = match choice.otherwise.iter().any(|offer| offer.mv == mv) {
                true => format!("`{name}` is only for those who cannot move otherwise"),
                false => format!("`{name}` is not one of the moves here"),
            };
            return Ok(Err(Refusal { text, span: choice.span }));
        }
        let mut first: Option<Refusal> = None;
        for (number, offer) in mine {
            let told = self.told(offer, seat, args)?;
            let refused = told.into_iter().find(|told| !told.holds);
            let refusal = match refused {
                None => match self.unpreferred(&offers, offer, seat, args)? {
                    None => return Ok(Ok(Chosen { offer: number, mv, args: args.to_vec() })),
                    Some(refusal) => refusal,
                },
                Some(told) => Refusal { text: told.reason, span: told.span },
            };
            first.get_or_insert(refusal);
        }
        Ok(Err(first.unwrap_or(Refusal { text: "this move is not possible".into(), span: choice.span })))
    }

    /// Every domain and need of a move in order, up to the first that fails.
    pub fn why(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Vec<Told>, Fault> {
        let offers = self.active(choice, seat)?;
        match offers.iter().find(|(_, offer)| offer.mv == mv) {
            Some((_, offer)) => self.told(offer, seat, args),
            None => Ok(Vec::new()),
        }
    }

    fn told(&self, offer: &Offer, seat: usize, args: &[Value]) -> Result<Vec<Told>, Fault> {
        let mv = &self.game.moves[offer.mv];
        let mut frame = self.position.frame.clone();
        self.enter(offer, seat, &mut frame)?;
        let mut told = Vec::new();
        let mut args = args.iter();
        for param in &mv.params {
            let Some(domain) = &param.domain else { continue };
            let dom = self.domain(domain, &mut frame, true)?;
            let Some(value) = args.next() else { break };
            let holds = dom.contains(value);
            let words = text::words(self.game, value);
            let reason = format!("`{}` cannot be {words}: {}", param.name, self.describe(&dom));
            told.push(Told { holds, reason, span: param.span });
            if !holds {
                return Ok(told);
            }
            frame[param.slot] = value.clone();
        }
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.eval(value, &mut frame)?;
                    bind(slots, value, &mut frame);
                }
                MoveCheck::Need { cond, reason, span } => {
                    let holds = self.truth(cond, &mut frame)?;
                    let reason = self.reason(reason, holds, &mut frame)?;
                    told.push(Told { holds, reason, span: *span });
                    if !holds {
                        return Ok(told);
                    }
                }
                MoveCheck::Prefer { .. } => {}
            }
        }
        Ok(told)
    }

    /// The reason of a need, with its values filled in.
    fn reason(&self, reason: &Expr, holds: bool, frame: &mut Vec<Value>) -> Result<String, Fault> {
        match self.eval(reason, frame) {
            Ok(value) => Ok(text::words(self.game, &value)),
            // A reason may speak of what is there only when the need fails.
            Err(_) if holds => Ok(String::new()),
            Err(fault) => Err(fault),
        }
    }

    /// Why a move that meets every need is refused all the same: others meet a need that binds where possible.
    fn unpreferred(
        &self,
        offers: &Active,
        offer: &Offer,
        seat: usize,
        args: &[Value],
    ) -> Result<Option<Refusal>, Fault> {
        if !self.prefers(offer) {
            return Ok(None);
        }
        let mv = &self.game.moves[offer.mv];
        let mut frame = self.position.frame.clone();
        self.enter(offer, seat, &mut frame)?;
        for (param, value) in mv.params.iter().filter(|param| param.domain.is_some()).zip(args) {
            frame[param.slot] = value.clone();
        }
        if let Judged::Holds { meets: true } = self.judge(offer.mv, &mut frame)? {
            return Ok(None);
        }
        let mut possible = false;
        let _ = self.walk_each(offers, seat, true, &mut |_, meets| {
            possible |= meets;
            if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if !possible {
            return Ok(None);
        }
        let told = mv.checks.iter().find_map(|check| match check {
            MoveCheck::Prefer { reason, span, .. } => Some((reason, *span)),
            _ => None,
        });
        let Some((reason, span)) = told else { return Ok(None) };
        let text = match reason {
            Some(reason) => text::words(self.game, &self.eval(reason, &mut frame)?),
            None => "another move must be made while it is possible".to_string(),
        };
        Ok(Some(Refusal { text, span }))
    }

    /// What a domain holds, in people's words.
    pub fn describe(&self, dom: &Dom) -> String {
        let shown = |n: &Int| n.to_string();
        match dom {
            Dom::Ints => "any whole number".to_string(),
            Dom::Range(low, high) if low == high => format!("only {} is possible", shown(low)),
            Dom::Range(low, high) if low > high => "nothing is possible".to_string(),
            Dom::Range(low, high) => format!("{} to {} are possible", shown(low), shown(high)),
            Dom::Items(items) if items.is_empty() => "nothing is possible".to_string(),
            Dom::Items(items) if items.len() <= 20 => {
                let words: Vec<String> = items.iter().map(|item| text::words(self.game, item)).collect();
                format!("possible: {}", words.join(", "))
            }
            Dom::Items(items) => format!("{} values are possible", items.len()),
            Dom::Permutations(items) => {
                let all: Vec<String> = items
                    .iter()
                    .flat_map(|(item, times)| std::iter::repeat_n(text::words(self.game, item), *times))
                    .collect();
                format!("it must be an order of {}", all.join(", "))
            }
            Dom::Arrangements(size, of) => format!("{size} different values are needed, {}", inner(of)),
            Dom::Lists(size, of) => format!("{size} values are needed, {}", inner(of)),
            Dom::Subsets(items, None) => format!("a set of some of {} values is needed", items.len()),
            Dom::Subsets(items, Some(size)) => format!("a set of {size} of {} values is needed", items.len()),
            Dom::Tuples(parts) => format!("{} values are needed", parts.len()),
        }
    }

    // ---- counting and drawing

    /// How many legal moves a seat has; `None` where a domain has no end.
    pub fn count_legal(&self, choice: &'g Choice, seat: usize) -> Result<Option<Int>, Fault> {
        let offers = self.active(choice, seat)?;
        let mut total = Int::ZERO;
        let mut frame = self.position.frame.clone();
        for (number, offer) in &offers {
            self.enter(offer, seat, &mut frame)?;
            let mv = &self.game.moves[offer.mv];
            if mv.checks.is_empty() && !dependent(mv) {
                match self.product(offer, false, &mut frame)? {
                    Some((count, _)) => total = total.add(&count),
                    None => return Ok(None),
                }
                continue;
            }
            let mut endless = false;
            let mut count = 0u64;
            let one = vec![(*number, *offer)];
            let all = if self.prefers(offer) { &offers } else { &one };
            let _ = self.walk(all, seat, false, &mut |chosen| {
                if chosen.offer == *number {
                    endless |= chosen.args.len() < mv.params.iter().filter(|p| p.domain.is_some()).count();
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

    /// The domains of an offer whose domains do not depend on one another, and how many rows they have.
    fn product(
        &self,
        offer: &Offer,
        windowed: bool,
        frame: &mut Vec<Value>,
    ) -> Result<Option<(Int, Vec<Dom>)>, Fault> {
        let mut total = Int::ONE;
        let mut doms = Vec::new();
        for param in &self.game.moves[offer.mv].params {
            let Some(domain) = &param.domain else { continue };
            let mut dom = self.domain(domain, frame, true)?;
            if windowed {
                dom = dom.within(self.window(param, frame)?.as_ref());
            }
            let Some(count) = dom.count(param.span)? else { return Ok(None) };
            total = total
                .mul(&count)
                .map_err(|_| fault(Code::TooLarge, param.span, "there are too many moves to count"))?;
            doms.push(dom);
        }
        Ok(Some((total, doms)))
    }

    /// Draws a legal move, each equally likely; `below(n)` gives a uniform number from 0 to n − 1.
    ///
    /// Where there are few rows of arguments the legal ones are listed. Where there are many, rows are drawn
    /// until one is legal, which is uniform too; when that takes as long as listing would, they are listed.
    pub fn draw_legal(
        &self,
        choice: &'g Choice,
        seat: usize,
        below: &mut dyn FnMut(&Int) -> Int,
    ) -> Result<Option<Chosen>, Fault> {
        const FEW: i64 = 64;
        let offers = self.active(choice, seat)?;
        let mut frame = self.position.frame.clone();
        let simple =
            offers.iter().all(|(_, offer)| !dependent(&self.game.moves[offer.mv]) && !self.prefers(offer));
        if simple {
            let mut rows = Vec::new();
            let mut total = Int::ZERO;
            for (number, offer) in &offers {
                self.enter(offer, seat, &mut frame)?;
                let Some((count, doms)) = self.product(offer, true, &mut frame)? else {
                    return Err(fault(Code::BadArgument, choice.span, "nobody can draw from all integers"));
                };
                total = total.add(&count);
                rows.push((*number, *offer, count, doms));
            }
            if total > Int::from(FEW) {
                let tries = total
                    .div_floor(&Int::from(4))
                    .and_then(|n| n.as_i64())
                    .unwrap_or(i64::MAX)
                    .saturating_add(FEW);
                for _ in 0..tries.min(10_000_000) {
                    self.tick(choice.span)?;
                    let mut rank = below(&total);
                    let Some((number, offer, _, doms)) = rows.iter().find(|(_, _, count, _)| {
                        let here = rank < *count;
                        if !here {
                            rank = rank.sub(count);
                        }
                        here
                    }) else {
                        continue;
                    };
                    let Value::List(row) = Dom::Tuples(doms.clone()).at(&rank) else { continue };
                    self.enter(offer, seat, &mut frame)?;
                    let params =
                        self.game.moves[offer.mv].params.iter().filter(|param| param.domain.is_some());
                    for (param, value) in params.zip(row.iter()) {
                        frame[param.slot] = value.clone();
                    }
                    if let Judged::Holds { .. } = self.judge(offer.mv, &mut frame)? {
                        return Ok(Some(Chosen { offer: *number, mv: offer.mv, args: row.to_vec() }));
                    }
                }
            }
        }
        let mut all = Vec::new();
        let _ = self.walk(&offers, seat, true, &mut |chosen| {
            all.push(chosen);
            ControlFlow::Continue(())
        })?;
        if all.is_empty() {
            return Ok(None);
        }
        let at = below(&Int::from(all.len())).as_usize().unwrap_or(0);
        Ok(Some(all.swap_remove(at)))
    }
}

/// The verdict on a move.
pub(super) enum Judged {
    /// A need fails.
    Fails,
    /// Every need holds; whether those that bind only where possible hold too.
    Holds { meets: bool },
}

fn inner(of: &Dom) -> String {
    match of {
        Dom::Ints => "any whole numbers".to_string(),
        Dom::Range(low, high) => format!("from {low} to {high}"),
        _ => "of those that are possible".to_string(),
    }
}

fn reads(e: &Expr, slots: &HashSet<usize>) -> bool {
    let mut found = matches!(&e.kind, ExprKind::Local(slot) if slots.contains(slot));
    crate::ir::children(e, &mut |child| found = found || reads(child, slots));
    found
}

/// Whether a parameter's domain or window reads a parameter before it.
fn dependent(mv: &crate::ir::Move) -> bool {
    let mut slots: HashSet<usize> = HashSet::new();
    for param in &mv.params {
        if let Some(domain) = &param.domain {
            let window = param.window.iter().flat_map(|(low, high)| [low, high]);
            if crate::ir::reads_slots(domain, &slots) || window.into_iter().any(|end| reads(end, &slots)) {
                return true;
            }
            slots.insert(param.slot);
        }
    }
    false
}
