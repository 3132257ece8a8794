//! States of a condition's automaton from which no matching row continues: what may still be gathered misses the goal.

use super::{UNGATHERED, Weights, power};
use crate::eval::counted::Shape;
use crate::ir::{FoldKind, Gathering, Over, TermKind, Value};

impl Weights<'_, '_> {
    /// Computes the least and the most that may still be gathered after each number of elements.
    pub(super) fn bound_remainder(
        &mut self,
        at: usize,
        shape: &Shape,
        fixed: Option<usize>,
        frame: &mut Vec<Value>,
    ) -> Result<(), usize> {
        let filled = &self.terms[at];
        let bounded = filled.goal != (None, None) && !filled.looks_back();
        let Some(kind) = filled.gathering().map(|gathering| gathering.kind).filter(|_| bounded) else {
            return Ok(());
        };
        if !matches!(kind, FoldKind::Sum | FoldKind::Count | FoldKind::Product) {
            return Ok(());
        }
        let neutral = i128::from(kind == FoldKind::Product);
        let by_place = filled.by_place()
            || shape.by_place()
            || matches!(filled.gathering(), Some(Gathering { over: Over::Places { .. }, .. }));
        let mut bounds = |this: &mut Self, before: usize| -> Result<(i128, i128), usize> {
            let mut bounds: Option<(i128, i128)> = shape.is_set().then_some((neutral, neutral));
            for element in 0..shape.at(before).len() as u32 {
                let adds = this.weight(at, shape, before, 0, element, frame)?.unwrap_or(neutral);
                let (least, most) = bounds.unwrap_or((adds, adds));
                bounds = Some((least.min(adds), most.max(adds)));
            }
            Ok(bounds.unwrap_or((neutral, neutral)))
        };
        match fixed {
            Some(size) => {
                let mut rest = vec![(neutral, neutral)];
                let same = if by_place { None } else { Some(bounds(self, 0)?) };
                for before in (0..size).rev() {
                    let own = match same {
                        Some(own) => own,
                        None => bounds(self, before)?,
                    };
                    let after = rest[rest.len() - 1];
                    rest.push(match kind {
                        FoldKind::Product => (after.0.saturating_mul(own.0), after.1.saturating_mul(own.1)),
                        _ => (after.0.saturating_add(own.0), after.1.saturating_add(own.1)),
                    });
                    // A product with factors below 1 is not monotonic.
                    if kind == FoldKind::Product && own.0 < 1 {
                        return Ok(());
                    }
                }
                rest.reverse();
                self.terms[at].remaining = rest;
            }
            None if !by_place => {
                let own = bounds(self, 0)?;
                self.terms[at].per_element = Some(own).filter(|own| kind != FoldKind::Product || own.0 >= 1);
            }
            None => {}
        }
        Ok(())
    }

    /// Whether no matching row continues from `size` elements for which a term has come to `so_far`.
    pub(super) fn is_dead(&self, at: usize, so_far: i128, size: usize, shape: &Shape) -> bool {
        let filled = &self.terms[at];
        let Some(kind) = filled.gathering().map(|gathering| gathering.kind) else {
            return match filled.term.kind {
                TermKind::Distinct => filled.always.is_some() && so_far == -1,
                _ => false,
            };
        };
        if let Some(always) = filled.always {
            return so_far != always;
        }
        let (low, high) = filled.goal;
        let misses = |least: Option<i128>, most: Option<i128>| {
            matches!((least, high), (Some(least), Some(high)) if least > high)
                || matches!((most, low), (Some(most), Some(low)) if most < low)
        };
        match kind {
            FoldKind::Largest => misses(Some(so_far), None),
            FoldKind::Smallest if so_far != UNGATHERED => misses(None, Some(so_far)),
            FoldKind::Lcm => {
                let sought = low.filter(|goal| low == high && *goal != 0);
                sought.is_some_and(|goal| so_far == 0 || goal % so_far != 0)
            }
            FoldKind::Sum | FoldKind::Count | FoldKind::Product => {
                let product = kind == FoldKind::Product;
                if product
                    && let (Some(low), Some(high)) = (low, high)
                    && low == high
                    && low != 0
                    && (so_far == 0 || low % so_far != 0)
                {
                    return true;
                }
                let (least, most) = match (filled.remaining.get(size), filled.per_element) {
                    (Some((least, most)), _) => (Some(*least), Some(*most)),
                    (None, Some((least, most))) => {
                        let missing = shape.low.saturating_sub(size);
                        let left = shape.high.map(|high| high.saturating_sub(size));
                        match product {
                            true => (Some(power(least, missing)), left.map(|left| power(most, left))),
                            false => {
                                let times = |n: usize| i128::try_from(n).unwrap_or(i128::MAX);
                                let least = match least < 0 {
                                    true => left.map(|left| least.saturating_mul(times(left))),
                                    false => Some(least.saturating_mul(times(missing))),
                                };
                                let most = match most > 0 {
                                    true => left.map(|left| most.saturating_mul(times(left))),
                                    false => Some(most.saturating_mul(times(missing))),
                                };
                                (least, most)
                            }
                        }
                    }
                    (None, None) => return false,
                };
                let whole = |rest: i128| match product {
                    true => so_far.saturating_mul(rest),
                    false => so_far.saturating_add(rest),
                };
                misses(least.map(whole), most.map(whole))
            }
            _ => false,
        }
    }
}
