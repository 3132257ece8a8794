//! Bit-parallel algorithms on lines, rows and waves of squares.

use crate::ir::{Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value as Known};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::{members, set_mask_bit};
use crate::jit::layout::shape;
use crate::jit::layout::shape::{NONE, Sort, from_word};
use crate::jit::layout::slots::{REGISTERS, words_of};
use crate::jit::lower::expr::masks::Universe;
use crate::jit::lower::expr::precomputed::Digits;
use crate::jit::mir::{Variable, types};

/// What can be reached from some squares.
pub struct Reached {
    /// The squares.
    pub squares: Bits,
    /// The squares that can be entered, if each step leads back as well: what is reached from one of these is
    /// also reached from all others that are reached from it.
    pub together: Option<Vec<V>>,
}

/// Returns the conditions on an element that decides `some` or `all`: of all elements, no element that fails may be there.
pub fn selecting(fold: &Fold) -> Vec<Expr> {
    let mut conditions = Vec::new();
    fold.filter.iter().for_each(|filter| crate::ir::conjuncts(filter.clone(), &mut conditions));
    let body = match fold.kind {
        FoldKind::All => crate::opt::negate(fold.body.clone()),
        _ => fold.body.clone(),
    };
    crate::ir::conjuncts(body, &mut conditions);
    conditions
}

impl Builder<'_> {
    /// Returns the largest or smallest element of a known row such that a grid is empty at a square that
    /// increases with the element: the highest or lowest of those squares in the grid's plane. `None` for
    /// other forms.
    pub fn end_of_row(&mut self, fold: &Fold) -> Result<Option<Word>> {
        const MAX_ROWS: i64 = 1 << 9;
        let ([source], Some(filter), None) = (fold.sources.as_slice(), &fold.filter, &fold.stop) else {
            return Ok(None);
        };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        if !matches!(&fold.body.kind, ExprKind::Local(body) if body == slot) {
            return Ok(None);
        }
        let ExprKind::IsNone(looked) = &filter.kind else { return Ok(None) };
        let ExprKind::Index(base, at) = &looked.kind else { return Ok(None) };
        let (ExprKind::Table(_), Some(values)) = (&base.kind, self.known_elements(&source.domain)) else {
            return Ok(None);
        };
        let (Some((words, range)), true) = (words_of(&values, self.layout.squares), values.len() > 1) else {
            return Ok(None);
        };
        let free = crate::ir::free_slots(at);
        if !free.contains(slot)
            || !invariants::is_invariant(self.machine, at, &mut |slot| free.contains(&slot))
        {
            return Ok(None);
        }
        let mut others = Digits::default();
        for other in free.iter().filter(|other| *other != slot) {
            match self.local(*other)? {
                Val::Word(word) if word.known.is_none() && !word.s.optional => {
                    others.push(*other, word);
                }
                Val::Word(_) | Val::Const(_) => {}
                _ => return Ok(None),
            }
        }
        if !matches!(base.ty, Type::Grid(_)) {
            return Ok(None);
        }
        let Val::Keyed { at: grid, shape, unset: false } = self.expr(base)? else { return Ok(None) };
        let on = self.mask_of_keys(shape.keys);
        let of = self.layout.squares.scalar();
        if others.rows() > MAX_ROWS || of.words() > REGISTERS {
            return Ok(None);
        }
        // For each combination of the other values, the mask of squares; for each square, its element.
        let (mut masks, mut names) = (Vec::new(), vec![0i64; of.size() as usize]);
        let mut named = vec![false; of.size() as usize];
        let mut frame = self.known_frame_up_to(invariants::highest_slot(self.machine, at));
        for number in 0..others.rows() {
            others.fill_frame(number, &mut frame, self.layout.squares);
            let (mut mask, mut last) = (vec![0u64; of.words()], -1);
            for (value, name) in values.iter().zip(&words) {
                frame[*slot] = value.clone();
                let mut frame = frame.clone();
                let Ok(square) = self.machine.ask(self.blank, |env| env.eval(at, &mut frame)) else {
                    return Ok(None);
                };
                let word = shape::to_word(&square, self.layout.squares);
                let (Known::Square(_), Some(word)) = (&square, word) else { return Ok(None) };
                let place = word as usize;
                let clash = named[place] && names[place] != *name;
                if word <= last || clash || on[place / 64] >> (place % 64) & 1 == 0 {
                    return Ok(None);
                }
                last = word;
                (names[place], named[place]) = (*name, true);
                set_mask_bit(&mut mask, word);
            }
            masks.extend(mask.into_iter().map(|word| word as i64));
        }
        let Some(plane) = self.plane(grid, shape, NONE) else { return Ok(None) };
        self.cost += 20 * values.len() as u64;
        let index = self.row_number(&others);
        let masks = self.load_entry(masks, index, of.words());
        let words = plane.into_iter().zip(masks).map(|(word, mask)| self.b.ins().band(word, mask)).collect();
        let found = Bits { words, of };
        let any = self.any_bit(&found);
        self.bail_out_unless(any);
        let square = self.lowest_or_highest_bit(&found, fold.kind == FoldKind::Smallest);
        let place = self.static_entry(names, square, 1);
        let v = self.load64(place, 0);
        Ok(Some(Word { v, s: range, known: None }))
    }

    /// Returns the elements that some or all elements of another domain go with. Code goes through the elements
    /// of that domain for which the conditions hold that do not depend on the first, and evaluates the others
    /// for all first elements at once.
    pub(in crate::jit) fn bits_of_pairs(
        &mut self,
        fold: &Fold,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        let conditions = selecting(fold);
        let mut parts = Vec::new();
        crate::ir::domain_parts(&source.domain, &mut parts);
        let words = match parts.into_iter().any(|part| self.reads_every(part)) {
            false => self.bits_of_unrelated(source, conditions, universe)?,
            true => match &source.domain {
                Domain::Values(related) => {
                    let selected = self.selected_by_relation(*slot, related, &conditions, universe)?;
                    selected.map(|(relation, bits)| self.preimage(&relation, &bits, universe))
                }
                _ => None,
            },
        };
        Ok(words.map(|words| match fold.kind {
            // All elements go with it unless there is some that does not.
            FoldKind::All => words.into_iter().map(|word| self.b.ins().bnot(word)).collect(),
            _ => words,
        }))
    }

    /// Returns the elements of a universe for which conditions hold with some element of a source that is the same for all of
    /// them, by a loop over the elements of the source.
    fn bits_of_unrelated(
        &mut self,
        source: &Source,
        conditions: Vec<Expr>,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        let mut ordered = true;
        let (mut own, mut both) = (Vec::new(), Vec::new());
        for condition in conditions {
            if self.reads_every(&condition) {
                both.push(condition);
            } else {
                // Something that another condition guards stays behind it.
                ordered &= both.is_empty() || !self.is_known_by_guard(&condition);
                own.push(condition);
            }
        }
        if !ordered {
            return Ok(None);
        }
        let Some((bits, others)) = self.domain_bits(&source.domain)? else { return Ok(None) };
        let zero = self.int(0);
        let found: Vec<Variable> = (0..universe.of.words()).map(|_| self.var(zero)).collect();
        let mut possible = true;
        let mut one = |this: &mut Self| -> Result<()> {
            let everything = Bits { words: this.static_bits(&universe.within), of: universe.of };
            match this.predicate_bits(&both, everything, universe)? {
                Some(bits) => found.iter().zip(bits.words).for_each(|(var, word)| {
                    let so_far = this.b.use_var(*var);
                    let now = this.b.ins().bor(so_far, word);
                    this.b.def_var(*var, now);
                }),
                None => possible = false,
            }
            Ok(())
        };
        // For a constant, a condition on all elements is a few operations on words; for a variable, there may be none.
        const MOST_CONSTANTS: usize = 64;
        let copies = self.unrolled;
        match self.known_elements(&source.domain).filter(|_| own.is_empty()) {
            Some(values) if values.len() * copies <= MOST_CONSTANTS => {
                self.for_each_constant(&values, &[*slot], &mut one)?;
            }
            Some(values) => self.each_known(&values, &source.domain.element(), &[*slot], &mut one)?,
            None => {
                let selected = self.with_every(*slot, |this| this.predicate_bits(&own, bits, &others))?;
                let Some(bits) = selected else { return Ok(None) };
                self.each_in(Val::Bits(bits), &[*slot], &mut one)?;
            }
        }
        self.locals.bound.remove(slot);
        let words = found.iter().map(|var| self.b.use_var(*var)).collect::<Vec<V>>();
        Ok(possible.then_some(words))
    }

    /// Returns the elements for which a condition holds on a square that is computed from the element. It is
    /// evaluated for all squares at once, and looked up there for each of a few elements.
    pub(in crate::jit) fn bits_at_computed(
        &mut self,
        slots: &[Slot],
        value: &Expr,
        body: &Expr,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        const FEW: usize = 8;
        let own: Vec<Slot> =
            crate::ir::free_slots(value).into_iter().filter(|slot| self.is_slot_of_every(*slot)).collect();
        let ([slot], [own]) = (slots, own.as_slice()) else { return Ok(None) };
        let of = self.layout.squares.scalar();
        let few = universe.of.words() == 1 && members(&universe.within).count() <= FEW;
        if !few || value.ty != Type::Square || of.words() > REGISTERS || self.reads_every(body) {
            return Ok(None);
        }
        // It is evaluated for all elements, also where an earlier condition does not hold.
        for element in members(&universe.within) {
            let known = from_word(universe.of.sort, universe.of.lo + element, self.layout.squares);
            self.locals.bound.insert(*own, Val::Const(known));
            let fails = self.may_fail_for_some(value, *own);
            self.locals.bound.insert(*own, Val::Every);
            if fails {
                return Ok(None);
            }
        }
        let squares = self.full_universe(of);
        let Some(words) = self.with_every(*slot, |this| this.bit_parallel(body, &squares))? else {
            return Ok(None);
        };
        let holds = Bits { words, of };
        let mut all = self.int(0);
        for element in members(&universe.within) {
            let known = from_word(universe.of.sort, universe.of.lo + element, self.layout.squares);
            self.locals.bound.insert(*own, Val::Const(known));
            let square = self.expr(value).and_then(|val| self.word_as(val, Sort::Square));
            self.locals.bound.insert(*own, Val::Every);
            let square = self.require_some(square?);
            let bit = self.has_bit(&holds, square);
            let bit = self.b.ins().uextend(types::I64, bit);
            let bit = self.b.ins().ishl_imm_s(bit, element);
            all = self.b.ins().bor(all, bit);
        }
        Ok(Some(vec![all]))
    }

    /// Shifts bits towards the lowest.
    pub fn shift_down(&mut self, words: &[V], by: i64) -> Vec<V> {
        let (skip, shift) = ((by / 64) as usize, by % 64);
        let zero = self.int(0);
        (0..words.len())
            .map(|i| {
                let at = |k: usize| words.get(i + skip + k).copied();
                let low = at(0).map_or(zero, |word| self.b.ins().ushr_imm_s(word, shift));
                match (shift, at(1)) {
                    (1.., Some(next)) => {
                        let high = self.b.ins().ishl_imm_s(next, 64 - shift);
                        self.b.ins().bor(low, high)
                    }
                    _ => low,
                }
            })
            .collect()
    }

    /// Shifts bits towards the highest.
    pub fn shift_up(&mut self, words: &[V], by: i64) -> Vec<V> {
        let (skip, shift) = ((by / 64) as usize, by % 64);
        let zero = self.int(0);
        (0..words.len())
            .map(|i| {
                let at = |k: usize| i.checked_sub(skip + k).map(|i| words[i]);
                let high = at(0).map_or(zero, |word| self.b.ins().ishl_imm_s(word, shift));
                match (shift, at(1)) {
                    (1.., Some(before)) => {
                        let low = self.b.ins().ushr_imm_s(before, 64 - shift);
                        self.b.ins().bor(low, high)
                    }
                    _ => high,
                }
            })
            .collect()
    }

    /// Lowers `reach(s in START: [t in NEAR(s) where P(t)])`, or without a condition, with neighbours that
    /// never change: if the neighbours of all squares are a few translations of the board, expands from all
    /// squares of a wave at once.
    pub fn bit_parallel_reach(&mut self, fold: &Fold) -> Result<Option<Reached>> {
        let [source] = fold.sources.as_slice() else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        if fold.stop.is_some() {
            return Ok(None);
        }
        // All neighbours, or those that a condition selects.
        let (neighbours, entered) = match selected_neighbours(&fold.body, *slot) {
            Some((all, to, filter)) => (all, filter.map(|filter| (to, filter))),
            None => (&fold.body, None),
        };
        let Some((seeds, _)) = self.domain_bits(&source.domain)? else { return Ok(None) };
        let of = seeds.of;
        if of.sort != Sort::Square {
            return Ok(None);
        }
        let everything = self.full_universe(of);
        if self.reads_every(neighbours) {
            return Ok(None);
        }
        let Some(relation) = self.with_every(*slot, |this| this.relation(neighbours, &everything)) else {
            return Ok(None);
        };
        let open = match entered {
            None => None,
            Some((to, filter)) => {
                match self.with_every(to, |this| this.bit_parallel(filter, &relation.to))? {
                    Some(bits) => Some(bits),
                    None => return Ok(None),
                }
            }
        };
        let allowed = match &fold.filter {
            None => None,
            Some(filter) => match self.with_every(*slot, |this| this.bit_parallel(filter, &everything))? {
                Some(bits) => Some(bits),
                None => return Ok(None),
            },
        };
        let masked = |this: &mut Self, bits: Vec<V>, mask: &Option<Vec<V>>| -> Vec<V> {
            match mask {
                None => bits,
                Some(mask) => bits.iter().zip(mask).map(|(a, b)| this.b.ins().band(*a, *b)).collect(),
            }
        };
        let first = masked(self, seeds.words.clone(), &allowed);
        // Squares reached earlier are still reached, and their neighbours are known: the first wave consists
        // of the neighbours that have become reachable since.
        let kept = self.kept_set(fold, of)?;
        // Whether each step leads back as well.
        let together = match (relation.is_mutual(), &open) {
            (false, _) => None,
            (true, None) => Some(self.static_bits(&everything.within)),
            (true, Some(open)) => Some(open.clone()),
        };
        let words = of.words();
        let loaded = |this: &mut Self, set: usize| -> Vec<V> {
            let word = |i: usize| ((set * words + i) * 8) as i32;
            match kept {
                Some(at) => (0..words).map(|i| this.load64(at, word(i))).collect(),
                None => vec![this.int(0); words],
            }
        };
        let (reached, beside) = (loaded(self, 0), loaded(self, 1));
        let opened = masked(self, beside.clone(), &open);
        let opened = masked(self, opened, &allowed);
        let first = first.iter().zip(opened).map(|(a, b)| self.b.ins().bor(*a, b)).collect::<Vec<V>>();
        let first: Vec<V> = first.iter().zip(&reached).map(|(a, b)| self.b.ins().band_not(*a, *b)).collect();
        let all: Vec<V> = first.iter().zip(&reached).map(|(a, b)| self.b.ins().bor(*a, *b)).collect();
        let [wave, reached, beside] =
            [first, all, beside].map(|words| words.iter().map(|word| self.var(*word)).collect::<Vec<_>>());
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let front: Vec<V> = wave.iter().map(|var| self.b.use_var(*var)).collect();
        let any = self.any_bit(&Bits { words: front.clone(), of });
        self.branch_on(any, inside, exit);
        self.switch_to(inside);
        self.times(Some(of.size()), |this| {
            this.cost += 40 * of.size() as u64;
            // Go from all squares of the wave to their neighbours at once.
            let next = this.image(&relation, &front);
            for (beside, word) in beside.iter().zip(&next) {
                let so_far = this.b.use_var(*beside);
                let all = this.b.ins().bor(so_far, *word);
                this.b.def_var(*beside, all);
            }
            let next = masked(this, next, &open);
            let next = masked(this, next, &allowed);
            for ((reached, wave), word) in reached.iter().zip(&wave).zip(next) {
                let so_far = this.b.use_var(*reached);
                let new = this.b.ins().band_not(word, so_far);
                this.b.def_var(*wave, new);
                let all = this.b.ins().bor(so_far, new);
                this.b.def_var(*reached, all);
            }
            Ok(())
        })?;
        self.jump(head);
        self.switch_to(exit);
        let found = [reached, beside].concat().iter().map(|var| self.b.use_var(*var)).collect::<Vec<V>>();
        if let Some(at) = kept {
            found.iter().zip((0..).step_by(8)).for_each(|(word, offset)| self.store64(*word, at, offset));
        }
        Ok(Some(Reached { squares: Bits { words: found[..words].to_vec(), of }, together }))
    }
}

/// Takes `[t in NEAR where P(t): t]` apart, if P does not read `from`.
fn selected_neighbours(e: &Expr, from: Slot) -> Option<(&Expr, Slot, Option<&Expr>)> {
    let ExprKind::Fold(step) = &e.kind else { return None };
    let [Source { slots, domain: Domain::Values(all) }] = step.sources.as_slice() else { return None };
    let [to] = slots.as_slice() else { return None };
    let filter = step.filter.as_ref();
    let plain = matches!(step.kind, FoldKind::List | FoldKind::Set)
        && step.stop.is_none()
        && matches!(&step.body.kind, ExprKind::Local(body) if body == to)
        && !filter.is_some_and(|filter| crate::ir::free_slots(filter).contains(&from));
    plain.then_some((all, *to, filter))
}
