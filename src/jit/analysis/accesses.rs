//! What expressions, choices and steps of play look at, and what they change: local values and state.

use std::collections::BTreeSet;

use crate::eval::Machine;
use crate::ir::{
    ChanceKind, Choice, Domain, Effect, Expr, ExprKind, MoveCheck, Op, Place, Scoring, Slot, StateId,
    WinnerBy, children, domain_parts, legality_parts,
};
use crate::opt::is_grid_state;

/// The state that something looks at and changes.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// What it reads.
    pub reads: BTreeSet<StateId>,
    /// What it writes.
    pub writes: BTreeSet<StateId>,
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
            Effect::Let(slots, e) => {
                self.reads(e);
                self.fills.extend(slots);
            }
            Effect::Assign(places, values) => {
                places.iter().for_each(|(place, _)| self.writes(place));
                values.iter().for_each(|e| self.reads(e));
            }
            Effect::Send(e, from, to) | Effect::Deal(e, from, to) => {
                self.reads(e);
                self.writes(from);
                self.writes(to);
            }
            Effect::Award(amount, to, _) => {
                self.reads(amount);
                self.reads(to);
            }
            // These change no value of the place.
            Effect::Reveal(place) | Effect::Conceal(place) => self.place(place),
            Effect::Out(who) => self.reads(who),
            Effect::Reset(id) => {
                for (state, declared) in self.machine.game.state.iter().enumerate() {
                    if declared.each == Some(*id) {
                        self.touched.writes.insert(state);
                        declared.init.iter().for_each(|init| self.look(&init.body));
                    }
                }
            }
            Effect::Say(..) | Effect::Phase(_) => {}
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

    /// The state that an expression looks at.
    fn look(&mut self, e: &'m Expr) {
        let machine = self.machine;
        match &e.kind {
            ExprKind::Table(state) | ExprKind::Own(state, _) => {
                self.touched.reads.insert(*state);
            }
            ExprKind::Call(id, _) if self.functions.insert(*id) => {
                self.look(&machine.game.functions[*id].lambda.body);
            }
            ExprKind::Score(_) if !std::mem::replace(&mut self.scores, true) => match &machine.game.scoring {
                Scoring::Each(lambda) => self.look(&lambda.body),
                Scoring::Named(all) => all.iter().for_each(|lambda| self.look(&lambda.body)),
                Scoring::None | Scoring::Awards => {}
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
