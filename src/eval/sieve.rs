//! What a parameter is chosen from: its domain, without the rows that fail conditions about it and other parameters.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::counted::Behind;
use super::few::Few;
use super::goals::Later;
use super::ranks::Rank;
use super::rows::Column;
use super::{Counted, Dom, Env, Fault, elements};
use crate::ir::{
    Asked, Bounds, Domain, Expr, ExprKind, Game, Move, MoveCheck, MoveId, Param, Slot, StateId, Value,
    asked_of, bound_slots, children, domain_parts, read_by_checks, reads,
};
use crate::num::Int;
use crate::source::Span;

/// What is asked of the rows of one parameter: by its domain, then by needs.
#[derive(Debug)]
pub(super) struct Sieve {
    /// What is asked, as far as it can be gathered.
    pub asked: Asked,
    /// What of a position all this depends on, where that is found by reading the rules: of what is asked of the parameter
    /// alone, with those before it, with all.
    inputs: [Option<Inputs>; 3],
    /// Which needs are asked of what is drawn from at random.
    pub drawn: Asks,
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

    /// Whether they are single values of the position, and no collections.
    fn are_single(&self, game: &Game) -> bool {
        self.states.iter().all(|state| game.state[*state].form.is_single())
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
        let asked = asked_of(game, mv, param, at).filter(|asked| !asked.condition.terms.is_empty())?;
        let about = read_by_checks(mv);
        let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
        let lets = mv.checks.iter().filter_map(|check| match check {
            MoveCheck::Let(slots, value) => Some((slots, value)),
            _ => None,
        });
        // What is settled with the parameter or behind it is worked out anew.
        let mut named: BTreeSet<Slot> = chosen[at..].iter().map(|param| param.slot).collect();
        named.extend(lets.clone().flat_map(|(slots, _)| slots));
        let inputs = |params: &[&Param], such: &dyn Fn(&BTreeSet<usize>) -> bool| {
            let mut parts: Vec<&Expr> = lets.clone().map(|(_, value)| value).collect();
            for param in params {
                parts.extend(param.window.iter().flat_map(|(low, high)| [low, high]));
                param.domain.iter().chain(&param.tried).for_each(|domain| domain_parts(domain, &mut parts));
            }
            parts.extend(
                mv.checks.iter().zip(&about).filter(|(_, about)| such(about)).map(|(check, _)| check.expr()),
            );
            let mut inputs = Inputs::of(game, parts)?;
            inputs.slots.retain(|slot| !named.contains(slot));
            Some(inputs)
        };
        let inputs = [
            inputs(&[param], &|about| about.len() == 1 && about.contains(&at)),
            inputs(&[param], &|about| about.last() == Some(&at)),
            inputs(&chosen[at..], &|about| about.last() >= Some(&at)),
        ];
        // Where little decides it, rows are counted once for each case; where much does, they are sooner tried.
        let little = inputs[0].as_ref().is_some_and(|inputs| inputs.are_single(game));
        let drawn = if little { Asks::Alone } else { Asks::Domain };
        Some(Sieve { asked, inputs, drawn, kept: Few::default() })
    }

    /// How many parts of what is asked such needs are, with the domain's own.
    fn parts(&self, asks: Asks) -> usize {
        match asks {
            Asks::Domain => self.asked.own,
            Asks::Alone => self.asked.alone,
            Asks::All => self.asked.condition.parts.len(),
        }
    }

    /// How many parts are asked of what is drawn from at random.
    pub fn drawn_parts(&self) -> usize {
        self.parts(self.drawn)
    }

    /// What it depends on whether a row passes so many parts.
    fn inputs(&self, parts: usize) -> Option<&Inputs> {
        let level = usize::from(parts > self.asked.alone) + usize::from(parts > self.asked.before);
        self.inputs[level].as_ref()
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
    /// Whether the values are counted with all that may be chosen behind them.
    pub with_rest: bool,
}

/// Which needs are asked where it is found what a parameter is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// None: only what the domain says.
    Domain,
    /// Those about the parameter alone.
    Alone,
    /// All; the parameters before it stand in the frame.
    All,
}

/// How many steps may be spent to find out what may follow the rows of one parameter.
const MOST_BEHIND: u64 = 1_000_000;
/// How many values of a later parameter are listed to find out what rows must come to.
const MOST_LATER: i64 = 1_024;

impl From {
    /// Whether every value may be chosen, as far as the domain goes.
    pub fn is_exact(&self) -> bool {
        !self.open && self.inside.is_none()
    }
}

impl Env<'_> {
    /// What the chosen parameter of number `at` is chosen from, without rows that fail needs of this kind.
    pub(super) fn chosen_from(
        &self,
        mv: MoveId,
        at: usize,
        windowed: bool,
        asks: Asks,
        frame: &mut Vec<Value>,
    ) -> Result<From, Fault> {
        // Few rows are sooner asked one by one than counted.
        const FEW: i64 = 4_096;
        let column = &self.machine.rows[mv].chosen[at];
        let param = &self.machine.game.moves[mv].params[column.param];
        // What is chosen has a domain.
        let (whole, conditional) = match param.domain.as_ref().unwrap_or(&Domain::Ints) {
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
        let mut from = From { dom, open: conditional, inside, passed: 0, with_rest: false };
        let Some(sieve) = &column.sieve else { return Ok(from) };
        let parts = sieve.parts(asks);
        let count = from.dom.count(param.span)?;
        let few = count.as_ref().is_some_and(|count| *count <= Int::from(FEW));
        let sooner_asked = few && parts > sieve.drawn_parts();
        if parts == 0 || !conditional && sooner_asked || conditional && count == Some(Int::ZERO) {
            return Ok(from);
        }
        let spent = Cell::new(MOST_BEHIND);
        let follow = |row: Value, frame: &mut Vec<Value>| {
            frame[column.slot] = row;
            self.within(&spent, |env| env.count_from(mv, at + 1, windowed, frame))
        };
        let behind = match parts > sieve.asked.before {
            true => {
                let later = self.later(mv, at, windowed, frame);
                Some(Behind { settled: sieve.asked.before, later, count: &follow })
            }
            false => None,
        };
        let question = (windowed, parts);
        let (counted, passed) =
            self.counted_once(&from.dom, sieve, question, behind.as_ref(), frame, param.span)?;
        if let Some(counted) = counted {
            from.open = conditional && !(sieve.asked.whole && passed >= sieve.asked.own);
            from.with_rest = passed > sieve.asked.before;
            (from.dom, from.passed) = (Dom::Counted(counted), passed);
        }
        Ok(from)
    }

    /// Counts with so many steps at most, which are taken from those that are left; `None` where these do not do, where
    /// there is no end, or where the rules go wrong: then rows are asked one by one, and say so.
    pub(super) fn within(
        &self,
        most: &Cell<u64>,
        count: impl FnOnce(&Self) -> Result<Rank, Fault>,
    ) -> Option<Int> {
        let left = self.steps.get();
        let allowed = most.get().min(left);
        self.steps.set(allowed);
        let found = count(self);
        let spent = allowed - self.steps.get();
        self.steps.set(left - spent);
        most.set(most.get() - spent);
        match found {
            Ok(Rank::Count(count)) => Some(count),
            Ok(Rank::Endless | Rank::Unknown) | Err(_) => None,
        }
    }

    /// The values that the parameters behind the one of number `at` may have at most, where they are few and known.
    fn later(&self, mv: MoveId, at: usize, windowed: bool, frame: &mut Vec<Value>) -> Vec<Later> {
        let columns = &self.machine.rows[mv].chosen;
        let settled_later = |param: &Param| {
            let mut parts: Vec<&Expr> = param.window.iter().flat_map(|(low, high)| [low, high]).collect();
            param.domain.iter().chain(&param.tried).for_each(|domain| domain_parts(domain, &mut parts));
            columns[at..].iter().any(|column| parts.iter().any(|part| reads(part, column.slot)))
        };
        let mut later = Vec::new();
        for (number, column) in columns.iter().enumerate().skip(at + 1) {
            let (slot, param) = (column.slot, &self.machine.game.moves[mv].params[column.param]);
            let mut values = || {
                if settled_later(param) || param.domain.as_ref().is_some_and(Domain::is_of_rows) {
                    return None;
                }
                let from = self.chosen_from(mv, number, windowed, Asks::Domain, frame).ok()?;
                let count = from.dom.count(param.span).ok()??;
                (count <= Int::from(MOST_LATER))
                    .then(|| from.dom.iter(param.span).ok().map(Iterator::collect))?
            };
            later.push((slot, values()));
        }
        later
    }

    /// The rows of a domain that fulfil a condition, as they were counted before where nothing changed since. Who finds
    /// them pays the steps all the same, so that nobody can tell.
    fn counted_once(
        &self,
        dom: &Dom,
        sieve: &Sieve,
        (windowed, parts): (bool, usize),
        behind: Option<&Behind>,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<(Option<Arc<Counted>>, usize), Fault> {
        let left = self.steps.get();
        let inputs = sieve.inputs(parts).map(|inputs| inputs.now(self, frame));
        let known = inputs.as_ref().and_then(|now| {
            sieve.kept.find(|(with, of, inputs)| (*with, *of) == (windowed, parts) && inputs == now)
        });
        if let Some((counted, passed, steps)) = known
            && *steps <= left
        {
            self.steps.set(left - steps);
            return Ok((counted.clone(), *passed));
        }
        let (counted, passed) = self.counted_rows(dom, &sieve.asked.condition, parts, behind, frame, span)?;
        let counted = counted.map(Arc::new);
        if let Some(inputs) = inputs
            && counted.as_ref().is_none_or(|counted| counted.ways() <= MAX_KEPT)
        {
            let steps = left - self.steps.get();
            sieve.kept.keep((windowed, parts, inputs), (counted.clone(), passed, steps));
        }
        Ok((counted, passed))
    }

    /// Leaves out of what integers are chosen from those that needs rule out, as far as that can be worked out.
    pub(super) fn narrow(&self, dom: &mut Dom, bounds: &Bounds, frame: &mut Vec<Value>) {
        let ends = |bounds: &[Expr], frame: &mut Vec<Value>| -> Vec<Int> {
            bounds.iter().filter_map(|bound| self.int(bound, frame).ok()).collect()
        };
        let least = ends(&bounds.least, frame).into_iter().max();
        let most = ends(&bounds.most, frame).into_iter().min();
        if least.is_none() && most.is_none() {
            return;
        }
        let within = |value: &Value| match value {
            Value::Int(n) => {
                least.as_ref().is_none_or(|least| n >= least) && most.as_ref().is_none_or(|most| n <= most)
            }
            _ => true,
        };
        match dom {
            Dom::Range(low, high) => {
                least.iter().for_each(|least| *low = low.clone().max(least.clone()));
                most.iter().for_each(|most| *high = high.clone().min(most.clone()));
            }
            Dom::Items(items) => {
                *dom = Dom::Items(Arc::new(items.iter().filter(|item| within(item)).cloned().collect()))
            }
            Dom::Elements(of) => {
                *dom = Dom::Items(Arc::new(elements(of).into_iter().filter(within).collect()))
            }
            _ => {}
        }
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
