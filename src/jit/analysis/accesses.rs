//! The slots and the state that expressions, choices and ops read and write.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::{Machine, ScalarConditions};
use crate::ir::{
    ChanceKind, Choice, Domain, Effect, Expr, ExprKind, MoveCheck, MoveId, Op, Param, Place, Scoring, Slot,
    StateId, WinnerBy, children, domain_parts, effect_changes, effect_exprs, legality_parts, reset_by,
};
use crate::opt::is_grid_state;

/// The state that some part of the rules reads and writes.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// The pieces of state it reads.
    pub reads: BTreeSet<StateId>,
    /// The pieces of state it writes.
    pub writes: BTreeSet<StateId>,
    /// For each per-player piece of state that it reads: the slot holding the owner if every read uses that
    /// same slot, else `None`.
    pub owners: BTreeMap<StateId, Option<Slot>>,
    /// Whether it asks which seats are still in.
    pub standing: bool,
    /// Whether it reads awarded points.
    pub awards: bool,
}

/// The state and the slots that some part of the rules reads and writes.
#[derive(Debug, Clone)]
pub struct Accesses<'m> {
    machine: &'m Machine,
    /// The state.
    pub touched: Touched,
    /// The expressions that are evaluated in the play frame.
    pub play_frame_exprs: Vec<&'m Expr>,
    /// The slots that the part binds itself, so that it does not read their previous values.
    pub bound_inside: BTreeSet<Slot>,
    /// The slots that the part fills for later ops.
    pub fills: Vec<Slot>,
    functions: BTreeSet<usize>,
    scores: bool,
    /// Whether the expressions being visited are evaluated in the play frame, not in a function's own frame.
    in_play_frame: bool,
}

impl<'m> Accesses<'m> {
    fn new(machine: &'m Machine) -> Accesses<'m> {
        Accesses {
            machine,
            touched: Touched::default(),
            play_frame_exprs: Vec::new(),
            bound_inside: BTreeSet::new(),
            fills: Vec::new(),
            functions: BTreeSet::new(),
            scores: false,
            in_play_frame: true,
        }
    }

    /// Returns what evaluating an expression accesses.
    pub fn of_expr(machine: &'m Machine, e: &'m Expr) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        accesses.reads(e);
        accesses
    }

    /// Returns what enumerating a domain accesses.
    pub fn of_domain(machine: &'m Machine, domain: &'m Domain) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        accesses.domain(domain);
        accesses
    }

    /// Returns what counting the legal rows of a parameter accesses.
    pub fn of_legal_rows(machine: &'m Machine, mv: MoveId, at: usize, param: &'m Param) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        for check in machine.checks_of_rows(mv, at) {
            accesses.reads(check.expr());
            if let MoveCheck::Let(slots, _) = check {
                accesses.bound_inside.extend(slots);
            }
        }
        accesses.bound_inside.insert(param.slot);
        param.domain.iter().for_each(|domain| accesses.domain(domain));
        accesses
    }

    /// Returns what counting the rows of a parameter by some conditions on single values accesses.
    pub fn of_scalar_rows(
        machine: &'m Machine,
        conditions: &ScalarConditions<'m>,
        param: &'m Param,
    ) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        conditions.domain.iter().chain(&conditions.conditions).for_each(|e| accesses.reads(e));
        accesses.bound_inside.insert(param.slot);
        accesses
    }

    /// Returns what judging the legality of a choice's moves accesses.
    pub fn of_choice(machine: &'m Machine, choice: &'m Choice) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        for offer in choice.all_offers() {
            let mv = &machine.game.moves[offer.mv];
            offer.given.iter().for_each(|e| accesses.reads(e));
            legality_parts(mv).into_iter().for_each(|e| accesses.reads(e));
            for (low, high) in mv.params.iter().filter_map(|param| param.window.as_ref()) {
                accesses.reads(low);
                accesses.reads(high);
            }
            accesses.bound_inside.insert(mv.me);
            accesses.bound_inside.extend(mv.params.iter().map(|param| param.slot));
            for check in &mv.checks {
                if let MoveCheck::Let(slots, _) = check {
                    accesses.bound_inside.extend(slots);
                }
            }
        }
        accesses
    }

    /// Returns what executing an op accesses.
    pub fn of_op(machine: &'m Machine, op: &'m Op) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        match op {
            Op::Do(effect, _) => accesses.effect(effect),
            Op::Chance(chance) => match &chance.kind {
                ChanceKind::Value(domain, slot) => {
                    accesses.domain(domain);
                    accesses.fills.push(*slot);
                }
                ChanceKind::Shuffle(place) => accesses.writes(place),
                ChanceKind::Draw(place, slot) => {
                    accesses.writes(place);
                    accesses.fills.push(*slot);
                }
                ChanceKind::Deal(count, from, to) => {
                    accesses.reads(count);
                    accesses.writes(from);
                    accesses.writes(to);
                }
            },
            Op::End(Some(who)) => accesses.reads(who),
            Op::End(None) => {
                if let Some(WinnerBy::Best(keys)) = machine.game.winner.as_ref().map(|winner| &winner.by) {
                    keys.iter().for_each(|(_, key)| accesses.collect_reads(&key.body));
                }
            }
            Op::Jump(_)
            | Op::Unless(..)
            | Op::Collect { .. }
            | Op::Next { .. }
            | Op::Choose(_)
            | Op::Unseal(..) => {}
        }
        accesses
    }

    fn effect(&mut self, effect: &'m Effect) {
        match effect {
            Effect::Reset(id) => {
                for (state, init) in reset_by(&self.machine.game, *id) {
                    self.touched.writes.insert(state);
                    init.iter().for_each(|init| self.collect_reads(&init.body));
                }
            }
            // Messages do not influence play.
            Effect::Say(..) => {}
            Effect::Award(amount, to, _) => {
                self.reads(amount);
                self.reads(to);
            }
            effect => {
                effect_exprs(effect).into_iter().for_each(|e| self.reads(e));
                self.touched.writes.extend(effect_changes(effect).into_iter().map(|(place, _)| place.state));
                if let Effect::Let(slots, _) = effect {
                    self.fills.extend(slots);
                }
            }
        }
    }

    fn writes(&mut self, place: &'m Place) {
        self.place(place);
        self.touched.writes.insert(place.state);
    }

    fn place(&mut self, place: &'m Place) {
        place.owner.iter().chain(&place.path).for_each(|e| self.reads(e));
    }

    fn domain(&mut self, domain: &'m Domain) {
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        if let Domain::Where(slot, ..) = domain {
            self.bound_inside.insert(*slot);
        }
        parts.into_iter().for_each(|e| self.reads(e));
    }

    /// Whether nothing of what is read changes during play, apart from the values in slots that are `known`.
    pub fn is_unchanging(&self, known: &dyn Fn(Slot) -> bool) -> bool {
        let free = |e: &&Expr| crate::ir::free_slots(e).into_iter();
        let settled = |slot: Slot| self.bound_inside.contains(&slot) || known(slot);
        self.touched.reads.is_empty()
            && !self.touched.standing
            && !self.touched.awards
            && self.play_frame_exprs.iter().flat_map(free).all(settled)
    }

    /// Returns the slots whose values are read.
    pub fn slots_read(&self) -> BTreeSet<Slot> {
        let free = self.play_frame_exprs.iter().flat_map(|e| crate::ir::free_slots(e));
        free.filter(|slot| !self.bound_inside.contains(slot)).collect()
    }

    /// Records an expression that is evaluated in the play frame.
    fn reads(&mut self, e: &'m Expr) {
        self.play_frame_exprs.push(e);
        self.collect_reads(e);
    }

    /// Visits an expression that is evaluated in a frame of its own.
    fn collect_reads_in_own_frame(&mut self, e: &'m Expr) {
        let in_play_frame = std::mem::replace(&mut self.in_play_frame, false);
        self.collect_reads(e);
        self.in_play_frame = in_play_frame;
    }

    /// Collects the state that an expression reads.
    fn collect_reads(&mut self, e: &'m Expr) {
        let machine = self.machine;
        match &e.kind {
            ExprKind::Table(state) => {
                self.touched.reads.insert(*state);
            }
            ExprKind::Own(state, owner) => {
                self.touched.reads.insert(*state);
                let slot = match &owner.kind {
                    ExprKind::Local(slot) if self.in_play_frame => Some(*slot),
                    _ => None,
                };
                let known = self.touched.owners.entry(*state).or_insert(slot);
                *known = known.filter(|known| slot == Some(*known));
            }
            ExprKind::Standing | ExprKind::IsIn(_) => self.touched.standing = true,
            ExprKind::Call(id, _) if self.functions.insert(*id) => {
                self.collect_reads_in_own_frame(&machine.game.functions[*id].lambda.body);
            }
            ExprKind::Score(_) if !std::mem::replace(&mut self.scores, true) => match &machine.game.scoring {
                Scoring::Each(lambda) => self.collect_reads_in_own_frame(&lambda.body),
                Scoring::Named(all) => {
                    all.iter().for_each(|lambda| self.collect_reads_in_own_frame(&lambda.body))
                }
                Scoring::None => {}
                Scoring::Awards => self.touched.awards = true,
            },
            // Only the size of the grid is read, which never changes.
            ExprKind::Builtin(builtin, args)
                if builtin.traits().of_shape
                    && args.first().is_some_and(|grid| is_grid_state(machine, grid)) =>
            {
                args[1..].iter().for_each(|arg| self.collect_reads(arg));
                return;
            }
            _ => {}
        }
        children(e, &mut |child| self.collect_reads(child));
    }
}
