//! Conditions on lines of squares that never change, such as all rows of four, for all lines at once.
//!
//! Translated copies of a line are tested together: a set of squares, shifted by each square's distance from the line's first
//! square, tells by the place of the first square whether that square of the line is in the set.

use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Type, Value as Known, reads,
};
use crate::jit::analysis::invariants;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::shape;
use crate::jit::layout::slots::REGISTERS;
use crate::jit::lower::expr::lines::selecting;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::types;
use crate::opt::{and, expr_like};

/// Lines that are translated copies of one another.
struct Family {
    /// The distance of each square from the first one, in ascending order.
    steps: Vec<i64>,
    /// The first squares of the lines, as bits.
    begins: Vec<u64>,
}

/// Lines, by families, and all their squares.
struct Lines {
    families: Vec<Family>,
    universe: Universe,
    /// The slot in which conditions read a line.
    slot: Slot,
}

impl Builder<'_> {
    /// Lowers `some`, `all` or the number of lines that never change to the bits of the lines' first squares, for each family of
    /// lines: of those for which the fold's body holds, or does not hold for `all`. Returns `None` for other folds.
    pub(in crate::jit) fn bits_of_lines(&mut self, fold: &Fold) -> Result<Option<Vec<Vec<V>>>> {
        let Some(condition) = selecting(fold).into_iter().reduce(and) else { return Ok(None) };
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        if !matches!(source.domain.element(), Type::List(of) if *of == Type::Square) {
            return Ok(None);
        }
        let Some((lines, squares)) = self.known_lines(*slot, &source.domain, fold.kind == FoldKind::Count)
        else {
            return Ok(None);
        };
        let Some(mut found) = self.bits_by_family(&condition, &lines)? else { return Ok(None) };
        for (bits, family) in found.iter_mut().zip(&lines.families) {
            let bits = bits.iter_mut().zip(&family.begins);
            bits.for_each(|(word, begin)| *word = self.b.ins().band_imm_s(*word, *begin as i64));
        }
        // The reference visits every line.
        self.cost += squares as u64 * (invariants::weight(&condition) + 4);
        Ok(Some(found))
    }

    /// Returns the lines of a domain that never changes, and the number of their squares in all; `None` of other domains, and, if
    /// they are counted, of those in which a line is there twice.
    fn known_lines(&mut self, slot: Slot, domain: &Domain, counted: bool) -> Option<(Lines, usize)> {
        let of = self.layout.squares.scalar();
        let lines = self.known_elements(domain).filter(|_| of.words() <= REGISTERS)?;
        let mut within = vec![0u64; of.words()];
        let (mut families, mut all): (Vec<Family>, usize) = (Vec::new(), 0);
        for line in &lines {
            let mut squares = Vec::new();
            for value in crate::eval::elements(line) {
                let word = shape::to_word(&value, self.layout.squares);
                squares.push(word.filter(|_| matches!(value, Known::Square(_)))?);
            }
            squares.sort_unstable();
            let first = *squares.first()?;
            squares.iter().for_each(|square| set_mask_bit(&mut within, *square));
            all += squares.len();
            let steps: Vec<i64> = squares.iter().map(|square| square - first).collect();
            let place = families.iter().position(|known| known.steps == steps).unwrap_or_else(|| {
                families.push(Family { steps, begins: vec![0; of.words()] });
                families.len() - 1
            });
            let begins = &mut families[place].begins;
            if counted && begins[first as usize / 64] >> (first % 64) & 1 == 1 {
                return None;
            }
            set_mask_bit(begins, first);
        }
        Some((Lines { families, universe: Universe { of, within }, slot }, all))
    }

    /// Returns, for each family, the lines for which a condition holds, by their first squares; where no line begins, any bit may
    /// be set.
    fn bits_by_family(&mut self, e: &Expr, lines: &Lines) -> Result<Option<Vec<Vec<V>>>> {
        let families = || lines.families.iter();
        if !reads(e, lines.slot) {
            if self.may_fail(e) {
                return Ok(None);
            }
            let holds = self.condition(e)?;
            let holds = self.b.ins().uextend(types::I64, holds);
            let all = self.b.ins().ineg(holds);
            return Ok(Some(families().map(|family| vec![all; family.begins.len()]).collect()));
        }
        let is_line = |e: &Expr| matches!(&e.kind, ExprKind::Local(slot) if *slot == lines.slot);
        let along = |fold: &Fold| match fold.sources.as_slice() {
            [source] if fold.stop.is_none() && matches!(&source.domain, Domain::Values(e) if is_line(e)) => {
                source.slots.first().copied().filter(|_| source.slots.len() == 1)
            }
            _ => None,
        };
        match &e.kind {
            ExprKind::Not(a) => {
                let bits = self.bits_by_family(a, lines)?;
                Ok(bits.map(|bits| bits.into_iter().map(|bits| self.inverted(bits)).collect()))
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let Some(mut all) = self.bits_by_family(a, lines)? else { return Ok(None) };
                let Some(others) = self.bits_by_family(b, lines)? else { return Ok(None) };
                let both = matches!(e.kind, ExprKind::And(..));
                for (a, b) in all.iter_mut().flatten().zip(others.into_iter().flatten()) {
                    *a = if both { self.b.ins().band(*a, b) } else { self.b.ins().bor(*a, b) };
                }
                Ok(Some(all))
            }
            ExprKind::In(value, domain)
                if matches!(&**domain, Domain::Values(line) if is_line(line))
                    && !reads(value, lines.slot) =>
            {
                if value.ty != Type::Square || self.may_fail(value) {
                    return Ok(None);
                }
                let slot = self.free_slot(value);
                let square = expr_like(ExprKind::Local(slot), Type::Square, value);
                let links = vec![(Compare::Equal, (**value).clone())];
                let is_it = expr_like(ExprKind::Compare(Box::new(square), links), Type::Bool, value);
                let it = self.squares_where(&[is_it], slot, lines)?;
                Ok(it.map(|it| families().map(|of| self.union_shifted(it.clone(), &of.steps)).collect()))
            }
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::All | FoldKind::Some) => {
                let Some(slot) = along(fold) else { return Ok(None) };
                // All squares are such that there is none that fails.
                let Some(some) = self.squares_where(&selecting(fold), slot, lines)? else { return Ok(None) };
                Ok(Some(match fold.kind {
                    FoldKind::All => {
                        let each = self.inverted(some);
                        families().map(|of| self.intersect_shifted(&each, &of.steps)).collect()
                    }
                    _ => families().map(|of| self.union_shifted(some.clone(), &of.steps)).collect(),
                }))
            }
            ExprKind::Compare(count, links) => match (&count.kind, links.as_slice()) {
                (ExprKind::Fold(fold), [(op, to)]) if fold.kind == FoldKind::Count => {
                    let is_size =
                        matches!(&to.kind, ExprKind::Builtin(Builtin::Size, args) if is_line(&args[0]));
                    let number = match self.constant(to) {
                        Some(Known::Int(number)) => number.as_i64().unwrap_or(i64::MAX),
                        _ if is_size => 0,
                        _ => return Ok(None),
                    };
                    let Some(slot) = along(fold) else { return Ok(None) };
                    let Some(bits) = self.squares_where(&selecting(fold), slot, lines)? else {
                        return Ok(None);
                    };
                    let compared = families().map(|of| {
                        let number = if is_size { of.steps.len() as i64 } else { number };
                        self.number_shifted(&bits, &of.steps, *op, number)
                    });
                    Ok(compared.collect())
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the squares for which conditions hold on the one in `slot` and on no line.
    fn squares_where(&mut self, conditions: &[Expr], slot: Slot, lines: &Lines) -> Result<Option<Vec<V>>> {
        if conditions.iter().any(|condition| reads(condition, lines.slot)) {
            return Ok(None);
        }
        let Some(condition) = conditions.iter().cloned().reduce(and) else { return Ok(None) };
        self.with_every(slot, |this| this.bit_parallel(&condition, &lines.universe))
    }

    pub(in crate::jit) fn inverted(&mut self, bits: Vec<V>) -> Vec<V> {
        bits.into_iter().map(|word| self.b.ins().bnot(word)).collect()
    }

    /// Returns the bits for which the bit at some of these distances is set, wherever all these bits exist.
    fn union_shifted(&mut self, bits: Vec<V>, steps: &[i64]) -> Vec<V> {
        let none = self.inverted(bits);
        let none = self.intersect_shifted(&none, steps);
        self.inverted(none)
    }

    /// Returns the bits for which the number of set bits at these distances compares with a number; `None` for other comparisons.
    fn number_shifted(&mut self, bits: &[V], steps: &[i64], op: Compare, to: i64) -> Option<Vec<V>> {
        let mut moved = Vec::new();
        for step in steps {
            moved.push(if *step == 0 { bits.to_vec() } else { self.shift_down(bits, *step) });
        }
        self.count_per_bit(moved, op, to)
    }

    /// Returns the bits for which the bits at all of these distances are set.
    pub(in crate::jit) fn intersect_shifted(&mut self, bits: &[V], steps: &[i64]) -> Vec<V> {
        let stride = steps.get(1).copied().unwrap_or(1);
        let even = steps.iter().enumerate().all(|(i, step)| *step == stride * i as i64);
        let mut all = bits.to_vec();
        if !even {
            for step in &steps[1..] {
                let moved = self.shift_down(bits, *step);
                all = all.iter().zip(moved).map(|(a, b)| self.b.ins().band(*a, b)).collect();
            }
            return all;
        }
        // Evenly spaced steps: each round at most doubles the length of the runs.
        let mut length = 1;
        while length < steps.len() {
            let more = length.min(steps.len() - length);
            let moved = self.shift_down(&all, stride * more as i64);
            all = all.iter().zip(moved).map(|(a, b)| self.b.ins().band(*a, b)).collect();
            length += more;
        }
        all
    }
}
