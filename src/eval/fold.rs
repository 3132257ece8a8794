//! Binders: folds over sources, and reachability.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::elements::{each, visit};
use super::expr::too_large;
use super::{Env, Fault, fault};
use crate::diag::Code;
use crate::ir::{Domain, ExprKind, Fold, FoldKind, Value};
use crate::num::{Int, theory};
use crate::source::Span;

impl Env<'_> {
    pub(super) fn fold(&self, fold: &Fold, frame: &mut Vec<Value>, span: Span) -> Result<Value, Fault> {
        if fold.kind == FoldKind::Reach {
            return self.reach(fold, frame, span);
        }
        let mut gathered = Accumulator::new(fold.kind);
        let begun = self.steps.get();
        let gone_through = self.accumulate(fold, 0, frame, &mut gathered, span);
        gone_through.map_err(|fault| self.label_slow_binder(fault, begun, span))?;
        gathered.finish(fold.kind, span)
    }

    /// Returns the set of all elements that can be reached: those of the source, what the body yields for
    /// each of them, and so on until nothing new is found.
    fn reach(&self, fold: &Fold, frame: &mut Vec<Value>, span: Span) -> Result<Value, Fault> {
        let [source] = fold.sources.as_slice() else { return Ok(Value::set([])) };
        let mut waiting: Vec<Value> = self.domain(&source.domain, frame, false)?.iter(span)?.collect();
        waiting.reverse();
        let mut reached = BTreeSet::new();
        while let Some(item) = waiting.pop() {
            self.tick(span)?;
            if reached.contains(&item) {
                continue;
            }
            self.bind_in_function(&source.slots, item.clone(), frame);
            if let Some(filter) = &fold.filter
                && !self.truth(filter, frame)?
            {
                continue;
            }
            reached.insert(item);
            self.check_size(reached.len(), span)?;
            let next = self.operand(&fold.body, frame)?;
            waiting.extend(each(next.get(frame)));
        }
        Ok(Value::Set(Arc::new(reached)))
    }

    /// Visits the sources from number `depth` on. Returns `false` if it stopped early.
    fn accumulate(
        &self,
        fold: &Fold,
        depth: usize,
        frame: &mut Vec<Value>,
        into: &mut Accumulator,
        span: Span,
    ) -> Result<bool, Fault> {
        let Some(source) = fold.sources.get(depth) else { return self.gather_one(fold, frame, into, span) };
        let last = depth + 1 == fold.sources.len();
        let mut on = |frame: &mut Vec<Value>, item: Value| -> Result<bool, Fault> {
            self.tick(span)?;
            self.bind_in_function(&source.slots, item, frame);
            match last {
                true => self.gather_one(fold, frame, into, span),
                false => self.accumulate(fold, depth + 1, frame, into, span),
            }
        };
        match &source.domain {
            Domain::Values(e) => {
                // Do not create a list of one element only to take it apart.
                if let ExprKind::List(parts) = &e.kind
                    && let [only] = parts.as_slice()
                {
                    self.tick(e.span)?;
                    let only = self.eval(only, frame)?;
                    return on(frame, only);
                }
                let values = self.operand(e, frame)?.into_cow(frame);
                visit(&values, |item| on(frame, item))
            }
            domain => {
                let dom = self.domain(domain, frame, false)?;
                for item in dom.iter(span)? {
                    if !on(frame, item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    #[inline]
    fn gather_one(
        &self,
        fold: &Fold,
        frame: &mut Vec<Value>,
        into: &mut Accumulator,
        span: Span,
    ) -> Result<bool, Fault> {
        if let Some(filter) = &fold.filter
            && !self.truth(filter, frame)?
        {
            return Ok(true);
        }
        if let Some(stop) = &fold.stop
            && !self.truth(stop, frame)?
        {
            return Ok(false);
        }
        match into {
            Accumulator::Truth(truth) => {
                *truth = self.truth(&fold.body, frame)?;
                Ok(*truth == (fold.kind == FoldKind::All))
            }
            into => {
                let value = self.eval(&fold.body, frame)?;
                self.check_size(into.len(), span)?;
                into.add(fold.kind, value, span)
            }
        }
    }

    /// Puts a value into a slot, or the parts of a tuple into several.
    #[inline]
    pub(super) fn bind_in_function(&self, slots: &[usize], value: Value, frame: &mut [Value]) {
        bind(slots, value, &mut frame[self.base..]);
    }
}

/// Puts a value into a slot, or the parts of a tuple into several.
#[inline]
pub(super) fn bind(slots: &[usize], value: Value, frame: &mut [Value]) {
    match (slots, value) {
        ([slot], value) => frame[*slot] = value,
        (slots, Value::List(parts)) => {
            for (slot, part) in slots.iter().zip(parts.iter()) {
                frame[*slot] = part.clone();
            }
        }
        _ => {}
    }
}

/// What a binder has gathered so far.
enum Accumulator {
    Number(Option<Int>),
    Truth(bool),
    First(Option<Value>),
    List(Vec<Value>),
    Set(BTreeSet<Value>),
}

impl Accumulator {
    fn new(kind: FoldKind) -> Accumulator {
        match kind {
            FoldKind::Sum | FoldKind::Count | FoldKind::Xor | FoldKind::Gcd => {
                Accumulator::Number(Some(Int::ZERO))
            }
            FoldKind::Product | FoldKind::Lcm => Accumulator::Number(Some(Int::ONE)),
            FoldKind::Largest | FoldKind::Smallest => Accumulator::Number(None),
            FoldKind::All | FoldKind::Some => Accumulator::Truth(kind == FoldKind::All),
            FoldKind::First => Accumulator::First(None),
            FoldKind::List | FoldKind::Bag => Accumulator::List(Vec::new()),
            FoldKind::Set | FoldKind::Reach => Accumulator::Set(BTreeSet::new()),
        }
    }

    /// Returns the number of elements collected.
    fn len(&self) -> usize {
        match self {
            Accumulator::List(list) => list.len(),
            Accumulator::Set(set) => set.len(),
            _ => 0,
        }
    }

    /// Adds a value. Returns `false` if no further value can change the result.
    fn add(&mut self, kind: FoldKind, value: Value, span: Span) -> Result<bool, Fault> {
        match (self, value) {
            (Accumulator::List(list), value) => list.push(value),
            (Accumulator::Set(set), value) => {
                set.insert(value);
            }
            (Accumulator::First(first), value) => {
                *first = Some(value);
                return Ok(false);
            }
            (Accumulator::Number(Some(count)), Value::Bool(true)) if kind == FoldKind::Count => {
                *count = count.add(&Int::ONE);
            }
            (Accumulator::Number(_), _) if kind == FoldKind::Count => {}
            (Accumulator::Number(number), Value::Int(n)) => {
                *number = Some(match (&*number, kind) {
                    (Some(sum), FoldKind::Sum) => sum.add(&n),
                    (Some(product), FoldKind::Product) => product.mul(&n).map_err(too_large(span))?,
                    (Some(all), FoldKind::Xor) => theory::xor(all, &n),
                    (Some(all), FoldKind::Gcd) => all.gcd(&n),
                    (Some(all), FoldKind::Lcm) => theory::lcm(all, &n).map_err(too_large(span))?,
                    (Some(best), FoldKind::Largest) => best.clone().max(n),
                    (Some(best), FoldKind::Smallest) => best.clone().min(n),
                    (_, _) => n,
                });
            }
            _ => {}
        }
        Ok(true)
    }

    fn finish(self, kind: FoldKind, span: Span) -> Result<Value, Fault> {
        let nothing = || {
            let fault = fault(Code::NoSuchElement, span, "there is nothing to take: no element fits");
            Box::new(fault.help(
                "ask before whether there is one: `if some(x in S: C) { … }`, in a move `need some(x in S: C) else \"…\"`",
            ))
        };
        Ok(match self {
            Accumulator::Truth(truth) => Value::Bool(truth),
            Accumulator::List(list) if kind == FoldKind::Bag => Value::bag(list),
            Accumulator::List(list) => Value::list(list),
            Accumulator::Set(set) => Value::Set(Arc::new(set)),
            Accumulator::First(first) => first.ok_or_else(nothing)?,
            Accumulator::Number(number) => Value::Int(number.ok_or_else(nothing)?),
        })
    }
}
