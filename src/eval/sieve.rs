//! What a parameter is chosen from: its domain, without the rows that fail conditions about it alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::few::Few;
use super::rows::Column;
use super::{Counted, Dom, Env, Fault};
use crate::ir::{
    Asked, Domain, Expr, ExprKind, Game, Move, MoveCheck, Param, Slot, StateId, Value, asked_of, bound_slots,
    children, domain_parts, read_by_checks,
};
use crate::num::Int;
use crate::source::Span;

/// What is asked of the rows of one parameter, whatever else is chosen: by its domain, then by needs.
#[derive(Debug)]
pub(super) struct Sieve {
    /// What is asked, as far as it can be gathered.
    pub asked: Asked,
    /// What of a position all this depends on, where that is found by reading the rules.
    inputs: Option<Inputs>,
    /// Rows that were counted before.
    kept: Few<Question, Answer, KEPT>,
}

/// Which rows were counted: those that bots draw from or all, how many parts of the condition they passed, and what they
/// depend on.
type Question = (bool, usize, Vec<Value>);
/// What was found, how many parts it passed, and how many steps that took.
type Answer = (Option<Arc<Counted>>, usize, u64);

/// How many answers of one parameter are kept, and how large one may be that is.
const KEPT: usize = 32;
const MAX_KEPT: usize = 400_000;

/// What of a position something depends on.
#[derive(Debug, Default)]
struct Inputs {
    slots: BTreeSet<Slot>,
    states: BTreeSet<StateId>,
}

impl Inputs {
    /// What some expressions depend on that stand outside functions; `None` where that is not a matter of single values.
    fn of<'e>(game: &Game, parts: impl IntoIterator<Item = &'e Expr>) -> Option<Inputs> {
        let mut inputs = Inputs::default();
        for part in parts {
            let bound = bound_slots(part);
            inputs.add(game, part, Some(&bound))?;
        }
        Some(inputs)
    }

    /// With `bound`, names are of the frame but for those that are bound; without, they are a function's own.
    fn add(&mut self, game: &Game, e: &Expr, bound: Option<&BTreeSet<Slot>>) -> Option<()> {
        match &e.kind {
            ExprKind::Local(slot) if bound.is_some_and(|bound| !bound.contains(slot)) => {
                self.slots.insert(*slot);
            }
            ExprKind::Table(state) | ExprKind::Own(state, _) => {
                self.states.insert(*state);
            }
            ExprKind::Call(function, _) => self.add(game, &game.functions[*function].lambda.body, None)?,
            ExprKind::Standing | ExprKind::IsIn(_) | ExprKind::Score(_) => return None,
            _ => {}
        }
        let mut whole = Some(());
        children(e, &mut |part| whole = whole.and_then(|()| self.add(game, part, bound)));
        whole
    }

    /// What they are now.
    fn now(&self, env: &Env, frame: &[Value]) -> Vec<Value> {
        let setup = &env.machine.setup;
        let cells = self.states.iter().flat_map(|state| {
            let count = if env.machine.game.state[*state].per_player { setup.players } else { 1 };
            &env.position.cells[setup.bases[*state]..][..count]
        });
        self.slots.iter().map(|slot| &frame[*slot]).chain(cells).cloned().collect()
    }
}

impl Sieve {
    /// Of a parameter, the chosen one of number `at`; `None` where nothing is asked that can be gathered.
    pub fn of(game: &Game, mv: &Move, param: &Param, at: usize) -> Option<Sieve> {
        let asked = asked_of(game, mv, param, at).filter(|asked| !asked.condition.parts.is_empty())?;
        let mut parts: Vec<&Expr> = param.window.iter().flat_map(|(low, high)| [low, high]).collect();
        param.domain.iter().chain(&param.tried).for_each(|domain| domain_parts(domain, &mut parts));
        let mut named = BTreeSet::from([param.slot]);
        for (check, about) in mv.checks.iter().zip(read_by_checks(mv)) {
            match check {
                MoveCheck::Let(slots, value) => {
                    named.extend(slots);
                    parts.push(value);
                }
                check if about.contains(&at) && about.len() == 1 => parts.push(check.expr()),
                _ => {}
            }
        }
        let mut inputs = Inputs::of(game, parts);
        inputs.iter_mut().for_each(|inputs| inputs.slots.retain(|slot| !named.contains(slot)));
        Some(Sieve { asked, inputs, kept: Few::default() })
    }
}

/// What a parameter is chosen from.
#[derive(Debug)]
pub(super) struct From {
    /// The values, in order.
    pub dom: Dom,
    /// Whether its condition has still to be asked of each.
    pub open: bool,
    /// What it is chosen from at most, where the values are tried for it.
    pub inside: Option<Dom>,
    /// How many parts of the parameter's sieve its values passed.
    pub passed: usize,
}

impl From {
    /// Whether every value may be chosen, as far as the domain goes.
    pub fn is_exact(&self) -> bool {
        !self.open && self.inside.is_none()
    }
}

impl Env<'_> {
    /// What a parameter is chosen from; with `sifted`, without rows that fail the needs that are about it alone.
    pub(super) fn chosen_from(
        &self,
        param: &Param,
        column: &Column,
        domain: &Domain,
        windowed: bool,
        sifted: bool,
        frame: &mut Vec<Value>,
    ) -> Result<From, Fault> {
        // Few rows are sooner asked one by one than counted.
        const FEW: i64 = 4_096;
        let (whole, asks) = match domain {
            Domain::Where(_, of, _) => (&**of, true),
            domain => (domain, false),
        };
        let (mut dom, mut inside) = (self.domain(whole, frame, true)?, None);
        if let Some(tried) = param.tried.as_ref().filter(|_| windowed) {
            inside = Some(std::mem::replace(&mut dom, self.domain(tried, frame, true)?));
        }
        if let Some((low, high)) = param.window.as_ref().filter(|_| windowed) {
            dom = dom.within(&(self.int(low, frame)?, self.int(high, frame)?));
        }
        let mut from = From { dom, open: asks, inside, passed: 0 };
        let Some(sieve) = &column.sieve else { return Ok(from) };
        let parts = if sifted { sieve.asked.condition.parts.len() } else { sieve.asked.own };
        let few = || -> Result<bool, Fault> {
            Ok(from.dom.count(param.span)?.is_some_and(|count| count <= Int::from(FEW)))
        };
        if parts == 0 || !asks && few()? || asks && from.dom.count(param.span)? == Some(Int::ZERO) {
            return Ok(from);
        }
        let (counted, passed) = self.counted_once(&from.dom, sieve, windowed, parts, frame, param.span)?;
        if let Some(counted) = counted {
            from.open = asks && !(sieve.asked.whole && passed >= sieve.asked.own);
            (from.dom, from.passed) = (Dom::Counted(counted), passed);
        }
        Ok(from)
    }

    /// The rows of a domain that fulfil a condition, as they were counted before where nothing changed since. Who finds
    /// them pays the steps all the same, so that nobody can tell.
    fn counted_once(
        &self,
        dom: &Dom,
        sieve: &Sieve,
        windowed: bool,
        parts: usize,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<(Option<Arc<Counted>>, usize), Fault> {
        let left = self.steps.get();
        let inputs = sieve.inputs.as_ref().map(|inputs| inputs.now(self, frame));
        let known = inputs.as_ref().and_then(|now| {
            sieve.kept.find(|(with, of, inputs)| (*with, *of) == (windowed, parts) && inputs == now)
        });
        if let Some((counted, passed, steps)) = known
            && *steps <= left
        {
            self.steps.set(left - steps);
            return Ok((counted.clone(), *passed));
        }
        let (counted, passed) = self.counted_rows(dom, &sieve.asked.condition, parts, frame, span)?;
        let counted = counted.map(Arc::new);
        if let Some(inputs) = inputs
            && counted.as_ref().is_none_or(|counted| counted.ways() <= MAX_KEPT)
        {
            let steps = left - self.steps.get();
            sieve.kept.keep((windowed, parts, inputs), (counted.clone(), passed, steps));
        }
        Ok((counted, passed))
    }

    /// Whether a parameter may have the value that stands in the frame and comes from `from`.
    pub(super) fn takes(
        &self,
        param: &Param,
        column: &Column,
        from: &From,
        frame: &mut Vec<Value>,
    ) -> Result<bool, Fault> {
        if from.inside.as_ref().is_some_and(|inside| !inside.contains(&frame[column.slot])) {
            return Ok(false);
        }
        match &param.domain {
            Some(Domain::Where(_, _, condition)) if from.open => self.truth(condition, frame),
            _ => Ok(true),
        }
    }
}
