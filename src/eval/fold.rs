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
        let mut gathered = Gathered::new(fold.kind);
        let begun = self.steps.get();
        let gone_through = self.gather(fold, 0, frame, &mut gathered, span);
        gone_through.map_err(|fault| self.gone_through(fault, begun, span))?;
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
            self.bind(&source.slots, item.clone(), frame);
            if let Some(filter) = &fold.filter
                && !self.truth(filter, frame)?
            {
                continue;
            }
            reached.insert(item);
            self.room(reached.len(), span)?;
            let next = self.operand(&fold.body, frame)?;
            waiting.extend(each(next.get(frame)));
        }
        Ok(Value::Set(Arc::new(reached)))
    }

    /// Visits the sources from number `depth` on. Returns `false` if it stopped early.
    fn gather(
        &self,
        fold: &Fold,
        depth: usize,
        frame: &mut Vec<Value>,
        into: &mut Gathered,
        span: Span,
    ) -> Result<bool, Fault> {
        let Some(source) = fold.sources.get(depth) else { return self.gather_one(fold, frame, into, span) };
        let last = depth + 1 == fold.sources.len();
        let mut on = |frame: &mut Vec<Value>, item: Value| -> Result<bool, Fault> {
            self.tick(span)?;
            self.bind(&source.slots, item, frame);
            match last {
                true => self.gather_one(fold, frame, into, span),
                false => self.gather(fold, depth + 1, frame, into, span),
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
                let values = self.operand(e, frame)?.apart(frame);
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
        into: &mut Gathered,
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
            Gathered::Truth(truth) => {
                *truth = self.truth(&fold.body, frame)?;
                Ok(*truth == (fold.kind == FoldKind::All))
            }
            into => {
                let value = self.eval(&fold.body, frame)?;
                self.room(into.len(), span)?;
                into.add(fold.kind, value, span)
            }
        }
    }

    /// Puts a value into a slot, or the parts of a tuple into several.
    #[inline]
    pub(super) fn bind(&self, slots: &[usize], value: Value, frame: &mut [Value]) {
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
enum Gathered {
    Number(Option<Int>),
    Truth(bool),
    First(Option<Value>),
    List(Vec<Value>),
    Set(BTreeSet<Value>),
}

impl Gathered {
    fn new(kind: FoldKind) -> Gathered {
        match kind {
            FoldKind::Sum | FoldKind::Count | FoldKind::Xor | FoldKind::Gcd => {
                Gathered::Number(Some(Int::ZERO))
            }
            FoldKind::Product => Gathered::Number(Some(Int::ONE)),
            FoldKind::Largest | FoldKind::Smallest => Gathered::Number(None),
            FoldKind::All | FoldKind::Some => Gathered::Truth(kind == FoldKind::All),
            FoldKind::First => Gathered::First(None),
            FoldKind::List | FoldKind::Bag => Gathered::List(Vec::new()),
            FoldKind::Set | FoldKind::Reach => Gathered::Set(BTreeSet::new()),
        }
    }

    /// Returns the number of elements collected.
    fn len(&self) -> usize {
        match self {
            Gathered::List(list) => list.len(),
            Gathered::Set(set) => set.len(),
            _ => 0,
        }
    }

    /// Adds a value. Returns `false` if no further value can change the result.
    fn add(&mut self, kind: FoldKind, value: Value, span: Span) -> Result<bool, Fault> {
        match (self, value) {
            (Gathered::List(list), value) => list.push(value),
            (Gathered::Set(set), value) => {
                set.insert(value);
            }
            (Gathered::First(first), value) => {
                *first = Some(value);
                return Ok(false);
            }
            (Gathered::Number(Some(count)), Value::Bool(true)) if kind == FoldKind::Count => {
                *count = count.add(&Int::ONE);
            }
            (Gathered::Number(_), _) if kind == FoldKind::Count => {}
            (Gathered::Number(number), Value::Int(n)) => {
                *number = Some(match (&*number, kind) {
                    (Some(sum), FoldKind::Sum) => sum.add(&n),
                    (Some(product), FoldKind::Product) => product.mul(&n).map_err(too_large(span))?,
                    (Some(all), FoldKind::Xor) => theory::xor(all, &n),
                    (Some(all), FoldKind::Gcd) => all.gcd(&n),
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
        let nothing = || fault(Code::NoSuchElement, span, "there is nothing to take: no element fits");
        Ok(match self {
            Gathered::Truth(truth) => Value::Bool(truth),
            Gathered::List(list) if kind == FoldKind::Bag => Value::bag(list),
            Gathered::List(list) => Value::list(list),
            Gathered::Set(set) => Value::Set(Arc::new(set)),
            Gathered::First(first) => first.ok_or_else(nothing)?,
            Gathered::Number(number) => Value::Int(number.ok_or_else(nothing)?),
        })
    }
}
