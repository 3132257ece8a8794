//! What can decide a match: whether who wins can depend on what players choose, or on what is drawn. A dependence analysis
//! of the whole automaton: what is computed from something that depends on a cause depends on it, too, and so does all
//! that is done or left undone by a condition that depends on it, up to the place where its branches meet again.

use std::collections::BTreeSet;

use super::{
    ChanceKind, Choice, Effect, Expr, ExprKind, Game, Move, MoveCheck, Op, Pc, Place, Scoring, Slot, StateId,
    WinnerBy, changes, children, legality_parts, op_parts, resets, successors,
};

/// What a result may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// What players choose.
    Choices,
    /// What is drawn.
    Draws,
}

impl Game {
    /// Whether chance alone decides who wins: players have choices, but whatever they choose, the result is the same.
    pub fn chance_alone_decides(&self) -> bool {
        let draws = self.code.iter().any(|op| matches!(op, Op::Chance(_)));
        let decides = draws && self.choices.iter().any(|choice| chooses(self, choice));
        decides && !self.result_depends_on(Cause::Choices) && self.result_depends_on(Cause::Draws)
    }

    /// Whether the result can depend on a cause: who wins, and for one player the score. If not, it certainly does not.
    fn result_depends_on(&self, cause: Cause) -> bool {
        Influence::of(self, cause).reaches_result()
    }
}

/// Whether there is anything to choose: between moves, or a value.
fn chooses(game: &Game, choice: &Choice) -> bool {
    choice.all_offers().count() > 1 || game.offered(choice).any(|mv| !is_given(mv))
}

/// Whether play supplies all arguments of a move.
fn is_given(mv: &Move) -> bool {
    mv.params.iter().all(|param| param.domain.is_none())
}

/// Returns the slots that a move fills: its arguments and what its checks bind.
fn filled(mv: &Move) -> impl Iterator<Item = Slot> {
    let bound = mv.checks.iter().flat_map(|check| match check {
        MoveCheck::Let(slots, _) => slots.as_slice(),
        MoveCheck::Need { .. } | MoveCheck::SoftNeed { .. } => &[],
    });
    mv.params.iter().map(|param| param.slot).chain(bound.copied())
}

/// What depends on a cause.
struct Influence<'g> {
    game: &'g Game,
    cause: Cause,
    states: BTreeSet<StateId>,
    slots: BTreeSet<Slot>,
    /// The ops that are executed or not, or a different number of times.
    ops: BTreeSet<Pc>,
    scores: bool,
    standing: bool,
    last_mover: bool,
    /// The winner whom an end of play names.
    named: bool,
}

impl<'g> Influence<'g> {
    /// Computes a least fixpoint.
    fn of(game: &'g Game, cause: Cause) -> Influence<'g> {
        let (states, slots, ops) = <_>::default();
        let (scores, standing, last_mover, named) = <_>::default();
        let mut found = Influence { game, cause, states, slots, ops, scores, standing, last_mover, named };
        let behind = joins(game);
        loop {
            let before = found.size();
            for pc in 0..game.code.len() {
                if found.op(pc) {
                    found.branch(pc, &behind);
                }
            }
            found.scores |= match &game.scoring {
                Scoring::None | Scoring::Awards => false,
                Scoring::Each(score) => found.depends_in_frame(&score.body, false),
                Scoring::Named(scores) => {
                    scores.iter().any(|score| found.depends_in_frame(&score.body, false))
                }
            };
            if found.size() == before {
                return found;
            }
        }
    }

    /// Returns how much depends on the cause so far.
    fn size(&self) -> usize {
        let flags = [self.scores, self.standing, self.last_mover, self.named];
        let flags = flags.into_iter().filter(|flag| *flag).count();
        self.states.len() + self.slots.len() + self.ops.len() + flags
    }

    fn reaches_result(&self) -> bool {
        let game = self.game;
        let by_rule = game.winner.as_ref().is_some_and(|winner| {
            let by = match &winner.by {
                WinnerBy::Best(keys) => keys.iter().any(|(_, key)| self.depends_in_frame(&key.body, false)),
                WinnerBy::LastMover => self.last_mover,
                WinnerBy::LastIn => self.standing,
            };
            by || winner.then_last_mover && self.last_mover
        });
        self.named || by_rule || game.seats.min == 1 && self.scores
    }

    /// Whether an expression of the automaton depends on the cause.
    fn depends(&self, e: &Expr) -> bool {
        self.depends_in_frame(e, true)
    }

    /// `automaton`: the slots are those of the automaton, and not those of a function.
    fn depends_in_frame(&self, e: &Expr, automaton: bool) -> bool {
        let mut functions = BTreeSet::new();
        let mut left = vec![(e, automaton)];
        while let Some((e, automaton)) = left.pop() {
            let itself = match &e.kind {
                ExprKind::Local(slot) => automaton && self.slots.contains(slot),
                ExprKind::Table(state) | ExprKind::Own(state, _) => self.states.contains(state),
                ExprKind::Standing | ExprKind::IsIn(_) => self.standing,
                ExprKind::Score(_) => self.scores,
                _ => false,
            };
            if itself {
                return true;
            }
            if let ExprKind::Call(function, _) = &e.kind
                && functions.insert(*function)
            {
                left.push((&self.game.functions[*function].lambda.body, false));
            }
            children(e, &mut |part| left.push((part, automaton)));
        }
        false
    }

    /// Whether it depends on the cause which arguments are legal, apart from what the arguments are.
    fn legality_depends(&self, choice: &Choice) -> bool {
        choice.all_offers().any(|offer| {
            let mv = &self.game.moves[offer.mv];
            let own: BTreeSet<Slot> = if is_given(mv) { BTreeSet::new() } else { filled(mv).collect() };
            let outer = Influence {
                slots: self.slots.difference(&own).copied().collect(),
                states: self.states.clone(),
                ops: BTreeSet::new(),
                ..*self
            };
            let parts = legality_parts(mv).into_iter().chain(&offer.given);
            parts.into_iter().any(|part| outer.depends(part))
        })
    }

    /// Notes what an op changes. Returns whether it depends on the cause where play continues.
    fn op(&mut self, pc: Pc) -> bool {
        let game = self.game;
        let op = &game.code[pc];
        let controlled = self.ops.contains(&pc);
        let depends = controlled || op_parts(op).into_iter().any(|part| self.depends(part));
        if depends {
            self.states.extend(changes(op).iter().map(|(place, _)| place.state));
        }
        if controlled {
            self.states.extend(resets(game, op).map(|(state, _)| state));
        }
        match op {
            Op::Do(effect, _) => {
                match effect {
                    Effect::Let(slots, _) if depends => self.slots.extend(slots),
                    Effect::Award(..) => self.scores |= depends,
                    Effect::Out(_) => self.standing |= depends,
                    Effect::Deal(_, from, to) => self.flows(from, to),
                    _ => {}
                }
                false
            }
            Op::Unless(..) => depends,
            Op::Collect { list, at, .. } => {
                self.slots.extend([*list, *at].iter().filter(|_| depends));
                false
            }
            Op::Next { list, at, slots, .. } => {
                let depends = depends || [list, at].iter().any(|slot| self.slots.contains(slot));
                self.slots.extend(slots.iter().chain([at]).filter(|_| depends));
                depends
            }
            Op::Choose(id) | Op::Unseal(id, _) => self.choice(&game.choices[*id], op, controlled),
            Op::Chance(chance) => {
                let drawn = self.cause == Cause::Draws;
                match &chance.kind {
                    ChanceKind::Value(_, slot) => self.slots.extend(Some(*slot).filter(|_| depends || drawn)),
                    ChanceKind::Shuffle(at) => self.states.extend(Some(at.state).filter(|_| drawn)),
                    ChanceKind::Draw(from, slot) => {
                        self.states.extend(Some(from.state).filter(|_| drawn));
                        self.slots.extend(Some(*slot).filter(|_| self.states.contains(&from.state)));
                    }
                    ChanceKind::Deal(_, from, to) => {
                        self.states.extend(Some(from.state).filter(|_| drawn));
                        self.flows(from, to);
                    }
                }
                false
            }
            Op::End(who) => {
                self.named |= who.is_some() && depends;
                false
            }
            Op::Jump(_) => false,
        }
    }

    /// Notes that what is taken from one place comes to another.
    fn flows(&mut self, from: &Place, to: &Place) {
        self.states.extend(Some(to.state).filter(|_| self.states.contains(&from.state)));
    }

    /// Notes what a choice fills. Returns whether it depends on the cause where play continues.
    fn choice(&mut self, choice: &Choice, op: &Op, controlled: bool) -> bool {
        let game = self.game;
        let legality = self.legality_depends(choice);
        let must = choice.must.as_ref();
        let skips = must.is_some() && (legality || must.is_some_and(|must| self.depends(must)));
        let who = controlled || self.depends(&choice.who) || skips;
        self.last_mover |= who;
        let chosen = self.cause == Cause::Choices;
        for offer in choice.all_offers() {
            let mv = &game.moves[offer.mv];
            let given = offer.given.iter().any(|given| self.depends(given));
            let bound = mv.checks.iter().any(|check| self.depends(check.expr()));
            if who || given || bound || chosen && !is_given(mv) {
                self.slots.extend(filled(mv));
            }
            self.slots.extend(Some(mv.me).filter(|_| who));
        }
        let several = choice.all_offers().count() > 1;
        let stuck = matches!(op, Op::Choose(_)) && (choice.stuck.is_some() || several) && legality;
        who || stuck || several && chosen
    }

    /// Notes the ops between a branch and the place where its ways meet again.
    fn branch(&mut self, pc: Pc, behind: &[BTreeSet<Pc>]) {
        let mut left = successors(self.game, pc);
        let mut seen = BTreeSet::new();
        while let Some(at) = left.pop() {
            let joined = at != pc && behind[pc].contains(&at);
            if !joined && at < self.game.code.len() && seen.insert(at) {
                left.extend(successors(self.game, at));
            }
        }
        self.ops.extend(seen);
    }
}

/// Returns for each op the ops that play comes to in any case after it, if it ends: those that post-dominate it.
fn joins(game: &Game) -> Vec<BTreeSet<Pc>> {
    let all: BTreeSet<Pc> = (0..game.code.len()).collect();
    let mut found = vec![all; game.code.len()];
    loop {
        let mut settled = true;
        for pc in (0..game.code.len()).rev() {
            let mut ways = successors(game, pc).into_iter().filter_map(|to| found.get(to));
            let mut joined = ways.next().cloned().unwrap_or_default();
            ways.for_each(|way| joined.retain(|at| way.contains(at)));
            joined.insert(pc);
            settled &= joined == found[pc];
            found[pc] = joined;
        }
        if settled {
            return found;
        }
    }
}
