//! Liveness analysis: which slots of the automaton's frame may still be read, at each op.

use std::collections::BTreeSet;

use super::{
    Chance, ChanceKind, Domain, Effect, Expr, ExprKind, Game, MoveCheck, Offer, Op, Pc, Place, Slot,
    children, domain_parts, effect_exprs,
};

/// The live slots at each op. The values in other slots do not affect the match.
#[derive(Debug, Clone)]
pub struct Live(Vec<BTreeSet<Slot>>);

impl Live {
    /// Computes the live slots of a game, as a least fixpoint: a slot is live at an op if the op reads it, or
    /// if it is live at a successor and not filled on the way there.
    pub fn of(game: &Game) -> Live {
        let steps: Vec<Step> = (0..game.code.len()).map(|pc| Step::of(game, pc)).collect();
        let mut live: Vec<BTreeSet<Slot>> = steps.iter().map(|step| step.reads.clone()).collect();
        loop {
            let mut settled = true;
            for (pc, step) in steps.iter().enumerate().rev() {
                for (to, fills) in &step.successors {
                    let behind = live.get(*to).into_iter().flatten();
                    let more: Vec<Slot> = behind
                        .filter(|slot| !fills.contains(slot) && !live[pc].contains(slot))
                        .copied()
                        .collect();
                    settled &= more.is_empty();
                    live[pc].extend(more);
                }
            }
            if settled {
                return Live(live);
            }
        }
    }

    /// Returns the slots that may still be read when the automaton continues or waits at `pc`: by the code,
    /// when moves are judged or drawn, or when the iteration numbers of the loops around a choice are shown.
    pub fn at(&self, pc: Pc) -> &BTreeSet<Slot> {
        static NONE: BTreeSet<Slot> = BTreeSet::new();
        self.0.get(pc).unwrap_or(&NONE)
    }
}

/// Returns the successors of an op; at a stop, the choice or chance event happens in between.
pub fn successors(game: &Game, pc: Pc) -> Vec<Pc> {
    Step::of(game, pc).successors.into_iter().map(|(to, _)| to).collect()
}

/// The reads and successors of one op.
#[derive(Default)]
struct Step {
    /// The slots read before the op fills them.
    reads: BTreeSet<Slot>,
    /// The successors, each with the slots that are certain to be filled on the way there.
    successors: Vec<(Pc, BTreeSet<Slot>)>,
}

impl Step {
    fn of(game: &Game, pc: Pc) -> Step {
        let mut reads = Reads::default();
        let mut successors = Vec::new();
        let none = BTreeSet::new;
        match &game.code[pc] {
            Op::Do(effect, _) => {
                effect_exprs(effect).into_iter().for_each(|e| reads.expr(e));
                let fills = if let Effect::Let(slots, _) = effect { slots.as_slice() } else { &[] };
                successors.push((pc + 1, fills.iter().copied().collect()));
            }
            Op::Jump(to) => successors.push((*to, none())),
            Op::Unless(cond, to) => {
                reads.expr(cond);
                successors.extend([(pc + 1, none()), (*to, none())]);
            }
            Op::Collect { source, list, at } => {
                reads.domain(source);
                successors.push((pc + 1, [*list, *at].into()));
            }
            Op::Next { list, at, slots, filter, exit, .. } => {
                reads.slots.extend([*list, *at]);
                reads.filled.extend(slots);
                filter.iter().for_each(|filter| reads.expr(filter));
                successors.extend([(pc + 1, slots.iter().copied().collect()), (*exit, none())]);
            }
            Op::Choose(id) => {
                let choice = &game.choices[*id];
                reads.expr(&choice.who);
                choice.must.iter().for_each(|must| reads.expr(must));
                reads.slots.extend(choice.loops.iter().map(|id| game.loops[*id].1));
                for offer in choice.all_offers() {
                    let fills = reads.offer(game, offer, false);
                    if !choice.together {
                        successors.push((offer.target, fills));
                    }
                }
                if choice.together {
                    successors.push((pc + 1, none()));
                }
                successors.push((choice.done, none()));
                successors.extend(choice.stuck.map(|to| (to, none())));
            }
            Op::Unseal(id, exit) => {
                let choice = &game.choices[*id];
                for offer in choice.all_offers() {
                    let fills = reads.offer(game, offer, true);
                    successors.push((offer.target, fills));
                }
                successors.push((*exit, none()));
            }
            Op::Chance(chance) => successors.push((pc + 1, reads.chance(chance))),
            Op::End(who) => who.iter().for_each(|who| reads.expr(who)),
        }
        Step { reads: reads.slots, successors }
    }
}

/// Collects the slots that are read before they are filled.
#[derive(Default)]
struct Reads {
    slots: BTreeSet<Slot>,
    filled: BTreeSet<Slot>,
}

impl Reads {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Local(slot) => {
                if !self.filled.contains(slot) {
                    self.slots.insert(*slot);
                }
            }
            ExprKind::Fold(fold) => {
                let outside = self.filled.clone();
                for source in &fold.sources {
                    self.domain(&source.domain);
                    self.filled.extend(&source.slots);
                }
                fold.filter.iter().chain(&fold.stop).for_each(|e| self.expr(e));
                self.expr(&fold.body);
                self.filled = outside;
            }
            ExprKind::Let(slots, value, body) => {
                self.expr(value);
                let outside = self.filled.clone();
                self.filled.extend(slots);
                self.expr(body);
                self.filled = outside;
            }
            _ => children(e, &mut |part| self.expr(part)),
        }
    }

    fn domain(&mut self, domain: &Domain) {
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        let outside = self.filled.clone();
        // The condition is evaluated for each value, which is in the slot.
        if let Domain::Where(slot, ..) = domain {
            self.filled.insert(*slot);
        }
        parts.into_iter().for_each(|part| self.expr(part));
        self.filled = outside;
    }

    fn place(&mut self, place: &Place) {
        place.owner.iter().chain(&place.path).for_each(|e| self.expr(e));
    }

    /// Adds the reads of a chance event; returns the slots it fills.
    fn chance(&mut self, chance: &Chance) -> BTreeSet<Slot> {
        match &chance.kind {
            ChanceKind::Value(domain, slot) => {
                self.domain(domain);
                [*slot].into()
            }
            ChanceKind::Shuffle(place) => {
                self.place(place);
                BTreeSet::new()
            }
            ChanceKind::Draw(place, slot) => {
                self.place(place);
                [*slot].into()
            }
            ChanceKind::Deal(count, from, to) => {
                self.expr(count);
                self.place(from);
                self.place(to);
                BTreeSet::new()
            }
        }
    }

    /// Adds the reads needed to judge and apply the move of an offer; returns the slots that are filled when
    /// its effects begin. A `sealed` move is judged once more, for the values it names.
    fn offer(&mut self, game: &Game, offer: &Offer, sealed: bool) -> BTreeSet<Slot> {
        let mv = &game.moves[offer.mv];
        offer.given.iter().for_each(|given| self.expr(given));
        let outside = self.filled.clone();
        self.filled.insert(mv.me);
        self.filled.extend(mv.params.iter().filter(|param| param.domain.is_none()).map(|param| param.slot));
        if !sealed {
            // Windows may be evaluated together, before any argument is chosen.
            for (low, high) in mv.params.iter().filter_map(|param| param.window.as_ref()) {
                self.expr(low);
                self.expr(high);
            }
        }
        for param in &mv.params {
            if !sealed {
                param.domain.iter().chain(&param.sampling_domain).for_each(|domain| self.domain(domain));
            }
            self.filled.insert(param.slot);
        }
        // A need that held when the move was chosen may fail when it is unsealed; later names are not bound
        // then.
        let mut sure = None;
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, value) => {
                    self.expr(value);
                    self.filled.extend(slots);
                }
                MoveCheck::Need { cond, reason, .. } => {
                    self.expr(cond);
                    // A reason may read the values of the condition's binders at the point of failure.
                    let named = self.filled.clone();
                    self.filled.extend(super::bound_slots(cond));
                    self.expr(reason);
                    self.filled = named;
                    if sealed && sure.is_none() {
                        sure = Some(self.filled.clone());
                    }
                }
                MoveCheck::SoftNeed { cond, reason, .. } => {
                    self.expr(cond);
                    let named = self.filled.clone();
                    self.filled.extend(super::bound_slots(cond));
                    reason.iter().for_each(|reason| self.expr(reason));
                    self.filled = named;
                }
            }
        }
        let filled = std::mem::replace(&mut self.filled, outside);
        sure.unwrap_or(filled)
    }
}
