//! What expressions, choices and steps of play look at, and what they change: local values and state.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::Machine;
use crate::ir::{
    ChanceKind, Choice, Domain, Effect, Expr, ExprKind, MoveCheck, MoveId, Op, Param, Place, Scoring, Slot,
    StateId, WinnerBy, children, domain_parts, effect_changes, effect_exprs, legality_parts,
};
use crate::opt::is_grid_state;

/// The state that something looks at and changes.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// What it reads.
    pub reads: BTreeSet<StateId>,
    /// What it writes.
    pub writes: BTreeSet<StateId>,
    /// Of state that is a player's, the slot of the one player whose it reads; `None` where it reads others'.
    pub owners: BTreeMap<StateId, Option<Slot>>,
    /// Whether it asks who is in.
    pub standing: bool,
    /// Whether it asks for points that were awarded.
    pub awards: bool,
}

/// What something looks at and changes.
#[derive(Debug)]
pub struct Accesses<'m> {
    machine: &'m Machine,
    /// The state.
    pub touched: Touched,
    /// The expressions that read local values.
    pub parts: Vec<&'m Expr>,
    /// The local values that are named on the way, and not read from before.
    pub named: BTreeSet<Slot>,
    /// The local values that are left behind.
    pub fills: Vec<Slot>,
    functions: BTreeSet<usize>,
    scores: bool,
    /// Whether what is looked at stands in the frame of play.
    outside: bool,
}

impl<'m> Accesses<'m> {
    fn new(machine: &'m Machine) -> Accesses<'m> {
        Accesses {
            machine,
            touched: Touched::default(),
            parts: Vec::new(),
            named: BTreeSet::new(),
            fills: Vec::new(),
            functions: BTreeSet::new(),
            scores: false,
            outside: true,
        }
    }

    /// What an expression looks at.
    pub fn of_expr(machine: &'m Machine, e: &'m Expr) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        accesses.reads(e);
        accesses
    }

    /// What it takes to fill in a domain's values.
    pub fn of_domain(machine: &'m Machine, domain: &'m Domain) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        accesses.domain(domain);
        accesses
    }

    /// What it takes to count the rows that a parameter is drawn from: the chosen one of number `at` of a move.
    pub fn of_rows(machine: &'m Machine, mv: MoveId, at: usize, param: &'m Param) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        for check in machine.counting_checks(mv, at) {
            accesses.reads(check.expr());
            if let MoveCheck::Let(slots, _) = check {
                accesses.named.extend(slots);
            }
        }
        accesses.named.insert(param.slot);
        param.domain.iter().for_each(|domain| accesses.domain(domain));
        if let Some((low, high)) = &param.window {
            accesses.reads(low);
            accesses.reads(high);
        }
        accesses
    }

    /// What it takes to judge the moves of a choice.
    pub fn of_choice(machine: &'m Machine, choice: &'m Choice) -> Accesses<'m> {
        let mut accesses = Accesses::new(machine);
        for offer in choice.offers.iter().chain(&choice.otherwise) {
            let mv = &machine.game.moves[offer.mv];
            offer.given.iter().for_each(|e| accesses.reads(e));
            legality_parts(mv).into_iter().for_each(|e| accesses.reads(e));
            for (low, high) in mv.params.iter().filter_map(|param| param.window.as_ref()) {
                accesses.reads(low);
                accesses.reads(high);
            }
            accesses.named.insert(mv.me);
            accesses.named.extend(mv.params.iter().map(|param| param.slot));
            for check in &mv.checks {
                if let MoveCheck::Let(slots, _) = check {
                    accesses.named.extend(slots);
                }
            }
        }
        accesses
    }

    /// What an op looks at and changes.
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
                    keys.iter().for_each(|(_, key)| accesses.look(&key.body));
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
                for (state, declared) in self.machine.game.state.iter().enumerate() {
                    if declared.each == Some(*id) {
                        self.touched.writes.insert(state);
                        declared.init.iter().for_each(|init| self.look(&init.body));
                    }
                }
            }
            // What is told makes no difference to play.
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
            self.named.insert(*slot);
        }
        parts.into_iter().for_each(|e| self.reads(e));
    }

    /// An expression in the frame of play.
    fn reads(&mut self, e: &'m Expr) {
        self.parts.push(e);
        self.look(e);
    }

    /// What an expression looks at that has a frame of its own.
    fn look_inside(&mut self, e: &'m Expr) {
        let outside = std::mem::replace(&mut self.outside, false);
        self.look(e);
        self.outside = outside;
    }

    /// The state that an expression looks at.
    fn look(&mut self, e: &'m Expr) {
        let machine = self.machine;
        match &e.kind {
            ExprKind::Table(state) => {
                self.touched.reads.insert(*state);
            }
            ExprKind::Own(state, owner) => {
                self.touched.reads.insert(*state);
                let slot = match &owner.kind {
                    ExprKind::Local(slot) if self.outside => Some(*slot),
                    _ => None,
                };
                let known = self.touched.owners.entry(*state).or_insert(slot);
                *known = known.filter(|known| slot == Some(*known));
            }
            ExprKind::Standing | ExprKind::IsIn(_) => self.touched.standing = true,
            ExprKind::Call(id, _) if self.functions.insert(*id) => {
                self.look_inside(&machine.game.functions[*id].lambda.body);
            }
            ExprKind::Score(_) if !std::mem::replace(&mut self.scores, true) => match &machine.game.scoring {
                Scoring::Each(lambda) => self.look_inside(&lambda.body),
                Scoring::Named(all) => all.iter().for_each(|lambda| self.look_inside(&lambda.body)),
                Scoring::None => {}
                Scoring::Awards => self.touched.awards = true,
            },
            // Only the size of the grid is looked at, and that never changes.
            ExprKind::Builtin(builtin, args)
                if builtin.traits().of_shape
                    && args.first().is_some_and(|grid| is_grid_state(machine, grid)) =>
            {
                args[1..].iter().for_each(|arg| self.look(arg));
                return;
            }
            _ => {}
        }
        children(e, &mut |child| self.look(child));
    }
}
