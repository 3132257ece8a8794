//! Reports state that is read before anything is written to it: reads that no write precedes on any path.
//!
//! This is a definite-assignment analysis turned around: it computes which state is surely unset at each
//! `Pc`. Reading surely unset state is a fault, so a path ends there. A place in the source may be compiled
//! more than once (moves, rules and functions are); it is reported only if every reachable copy of it fails.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Change, Choice, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Form, Game, MoveCheck, Offer, Op, Pc,
    Place, Scoring, StateId, WinnerBy, changes, children, domain_parts, effect_changes, effect_exprs,
    op_parts,
};
use crate::source::Span;

/// Reports the reads that can only fail.
pub(super) fn check(game: &Game, diagnostics: &mut Vec<Diagnostic>) {
    let unset = |(_, state): &(StateId, &crate::ir::State)| match &state.form {
        Form::Grid(_, _, of) | Form::Map(of, _) => state.init.is_none() && !matches!(**of, Form::Optional(_)),
        _ => state.init.is_none(),
    };
    let unset: Unset = game.state.iter().enumerate().filter(unset).map(|(id, _)| id).collect();
    if unset.is_empty() {
        return;
    }
    let mut functions: Vec<Vec<Read>> = Vec::new();
    for function in &game.functions {
        let mut reads = Reads { game, functions: &functions, unset: &unset, found: Vec::new() };
        reads.expr(&function.lambda.body, true);
        let found = reads.found;
        functions.push(found);
    }
    let steps: Vec<Step> =
        game.code.iter().enumerate().map(|(pc, op)| step(game, &functions, &unset, pc, op)).collect();
    let at = surely_unset(&steps, &unset);
    let mut fates: BTreeMap<(Span, StateId), bool> = BTreeMap::new();
    for (step, unset) in steps.iter().zip(&at) {
        let Some(unset) = unset else { continue };
        for read in step.reads.iter().chain(step.exits.iter().flat_map(|exit| &exit.reads)) {
            *fates.entry((read.span, read.state)).or_insert(true) &= unset.contains(&read.state);
        }
    }
    // Scores and winners may be evaluated at any time, so only state that is never written is surely unset.
    let written: Unset = steps.iter().flat_map(|step| step.writes.iter().copied()).collect();
    for e in judged(game) {
        let mut reads = Reads { game, functions: &functions, unset: &unset, found: Vec::new() };
        reads.expr(e, true);
        for read in reads.found {
            *fates.entry((read.span, read.state)).or_insert(true) &= !written.contains(&read.state);
        }
    }
    let mut told = Unset::new();
    for ((span, state), fails) in fates {
        if !fails || !told.insert(state) {
            continue;
        }
        let state = &game.state[state];
        let name = &state.name;
        let first = super::advice::empty_value(&state.form.ty()).unwrap_or("…");
        diagnostics.push(
            Diagnostic::new(
                Code::Unset,
                span,
                format!("`{name}` is read before anything is written to it"),
                "nothing can have written to it before this",
            )
            .also(state.span, "declared without a first value")
            .help(match state.form {
                Form::Grid(..) => format!(
                    "where squares may be empty, declare `{name}: empty grid … of …`; otherwise give all of them a first value, `{name}: grid … = …`"
                ),
                _ => format!(
                    "give it a first value, `{name}: … = {first}`; if there may be none yet, write `{name}: optional … = none`"
                ),
            }),
        );
    }
}

/// Pieces of state that nothing was written to.
type Unset = BTreeSet<StateId>;

/// A read of state that has no initial value.
#[derive(Debug, Clone, Copy)]
struct Read {
    state: StateId,
    span: Span,
    /// Whether the read happens whenever the enclosing expression is evaluated.
    always: bool,
}

/// What a step of the automaton does to state without an initial value.
#[derive(Default)]
struct Step {
    reads: Vec<Read>,
    writes: Vec<StateId>,
    /// State that the step makes unset again.
    clears: Vec<StateId>,
    exits: Vec<Exit>,
}

/// A successor, and the reads that happen only on the way to it.
struct Exit {
    to: Pc,
    reads: Vec<Read>,
}

/// Returns what is surely unset before each step; `None` for an unreachable step.
fn surely_unset(steps: &[Step], all: &Unset) -> Vec<Option<Unset>> {
    let mut at: Vec<Option<Unset>> = vec![None; steps.len()];
    let mut waiting = Vec::new();
    if let Some(first) = at.first_mut() {
        *first = Some(all.clone());
        waiting.push(0);
    }
    while let Some(pc) = waiting.pop() {
        let Some(unset) = at[pc].clone() else { continue };
        let fails = |reads: &[Read]| reads.iter().any(|read| read.always && unset.contains(&read.state));
        let step = &steps[pc];
        if fails(&step.reads) {
            continue;
        }
        let mut after = unset.clone();
        after.retain(|state| !step.writes.contains(state));
        after.extend(&step.clears);
        for exit in step.exits.iter().filter(|exit| !fails(&exit.reads)) {
            let Some(there) = at.get_mut(exit.to) else { continue };
            let joined = match there {
                Some(there) => there.intersection(&after).copied().collect(),
                None => after.clone(),
            };
            if there.as_ref() != Some(&joined) {
                *there = Some(joined);
                waiting.push(exit.to);
            }
        }
    }
    at
}

/// Returns the expressions that are evaluated for points and winners.
fn judged(game: &Game) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = match &game.scoring {
        Scoring::None | Scoring::Awards => Vec::new(),
        Scoring::Each(lambda) => vec![&lambda.body],
        Scoring::Named(lambdas) => lambdas.iter().map(|lambda| &lambda.body).collect(),
    };
    if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
        found.extend(keys.iter().map(|(_, lambda)| &lambda.body));
    }
    found
}

fn step(game: &Game, functions: &[Vec<Read>], unset: &Unset, pc: Pc, op: &Op) -> Step {
    let mut reads = Reads { game, functions, unset, found: Vec::new() };
    let (mut writes, mut clears) = (Vec::new(), Vec::new());
    let mut exits: Vec<Exit> = Vec::new();
    let on = |to: Pc| Exit { to, reads: Vec::new() };
    match op {
        Op::Do(effect, _) => {
            reads.effect(effect, &mut writes);
            if let Effect::Reset(pass) = effect {
                clears.extend(unset.iter().filter(|id| game.state[**id].reset_by == Some(*pass)));
            }
            exits.push(on(pc + 1));
        }
        Op::Jump(to) => exits.push(on(*to)),
        Op::Unless(cond, to) => {
            reads.expr(cond, true);
            exits.extend([on(pc + 1), on(*to)]);
        }
        Op::Collect { source, .. } => {
            reads.domain(source, true);
            exits.push(on(pc + 1));
        }
        Op::Next { filter, exit, .. } => {
            filter.iter().for_each(|filter| reads.expr(filter, false));
            exits.extend([on(pc + 1), on(*exit)]);
        }
        Op::Choose(id) => {
            let choice = &game.choices[*id];
            reads.expr(&choice.who, true);
            choice.must.iter().for_each(|must| reads.expr(must, true));
            match choice.together {
                true => exits.push(on(pc + 1)),
                false => exits.extend(reads.offers(choice)),
            }
            exits.extend([choice.done].into_iter().chain(choice.stuck).map(on));
        }
        Op::Unseal(id, exit) => {
            exits.extend(reads.offers(&game.choices[*id]));
            exits.push(on(*exit));
        }
        Op::Chance(_) => {
            op_parts(op).into_iter().for_each(|e| reads.expr(e, true));
            changes(op).into_iter().for_each(|(place, _)| reads.change(place, true, &mut writes));
            exits.push(on(pc + 1));
        }
        Op::End(who) => who.iter().for_each(|who| reads.expr(who, true)),
    }
    Step { reads: reads.found, writes, clears, exits }
}

/// Collects reads of state without an initial value.
struct Reads<'g> {
    game: &'g Game,
    /// The reads of each function before the current one.
    functions: &'g [Vec<Read>],
    unset: &'g Unset,
    found: Vec<Read>,
}

impl Reads<'_> {
    /// Collects the reads of `e`; `always` is whether `e` is evaluated whenever the enclosing expression is.
    fn expr(&mut self, e: &Expr, always: bool) {
        match &e.kind {
            // Texts show unset state as a gap.
            ExprKind::Text(_) => {}
            ExprKind::Table(id) | ExprKind::Own(id, _) => {
                if !self.has_places(*id) {
                    self.read(*id, e.span, always);
                }
                children(e, &mut |owner| self.expr(owner, always));
            }
            ExprKind::Index(base, at) => {
                if let ExprKind::Table(id) | ExprKind::Own(id, _) = base.kind
                    && self.has_places(id)
                {
                    self.read(id, e.span, always);
                }
                self.expr(base, always);
                self.expr(at, always);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a, always);
                self.expr(b, false);
            }
            ExprKind::Compare(first, links) => {
                self.expr(first, always);
                for (place, (_, value)) in links.iter().enumerate() {
                    self.expr(value, always && place == 0);
                }
            }
            ExprKind::If(..) => {
                let mut first = always;
                children(e, &mut |part| {
                    self.expr(part, first);
                    first = false;
                });
            }
            ExprKind::Fold(fold) => self.fold(fold, always),
            ExprKind::Call(function, args) => {
                args.iter().for_each(|arg| self.expr(arg, always));
                let inside = self.functions.get(*function).into_iter().flatten();
                self.found.extend(inside.map(|read| Read { always: read.always && always, ..*read }));
            }
            _ => children(e, &mut |part| self.expr(part, always)),
        }
    }

    fn fold(&mut self, fold: &Fold, always: bool) {
        // A `case` is a fold over the single value it tests.
        let case = fold.kind == FoldKind::First
            && matches!(fold.sources.as_slice(), [source]
                if matches!(&source.domain, Domain::Values(Expr { kind: ExprKind::List(parts), .. }) if parts.len() == 1));
        for (place, source) in fold.sources.iter().enumerate() {
            self.domain(&source.domain, always && place == 0);
        }
        let rest = fold.filter.iter().chain(&fold.stop).chain([&fold.body]);
        rest.for_each(|part| self.expr(part, always && case && fold.filter.is_none()));
    }

    fn domain(&mut self, domain: &Domain, always: bool) {
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        parts.into_iter().for_each(|part| self.expr(part, always));
    }

    /// Whether the elements of a piece of state exist from the start, even if unset.
    fn has_places(&self, id: StateId) -> bool {
        matches!(self.game.state[id].form, Form::Grid(..) | Form::Map(..))
    }

    fn read(&mut self, state: StateId, span: Span, always: bool) {
        if self.unset.contains(&state) {
            self.found.push(Read { state, span, always });
        }
    }

    fn effect(&mut self, effect: &Effect, writes: &mut Vec<StateId>) {
        match effect {
            // The reason is evaluated only when it is shown to somebody.
            Effect::Award(amount, to, _) => [amount, to].into_iter().for_each(|e| self.expr(e, true)),
            effect => effect_exprs(effect).into_iter().for_each(|e| self.expr(e, true)),
        }
        for (place, change) in effect_changes(effect) {
            self.change(place, change != Change::Set, writes);
        }
    }

    /// Records a write to a place, and a read if the operation also reads it.
    fn change(&mut self, place: &Place, read: bool, writes: &mut Vec<StateId>) {
        if read && (!self.has_places(place.state) || !place.path.is_empty()) {
            self.read(place.state, place.span, true);
        }
        writes.push(place.state);
    }

    /// Returns the successors into the moves of a choice; on each, the legality of its move is evaluated.
    fn offers(&self, choice: &Choice) -> Vec<Exit> {
        choice.all_offers().map(|offer| self.offer(offer)).collect()
    }

    fn offer(&self, offer: &Offer) -> Exit {
        let mut reads = Reads { found: Vec::new(), ..*self };
        let mv = &self.game.moves[offer.mv];
        offer.given.iter().for_each(|given| reads.expr(given, true));
        mv.params
            .iter()
            .filter_map(|param| param.domain.as_ref())
            .for_each(|domain| reads.domain(domain, true));
        for check in &mv.checks {
            // A preferred condition binds only if some row fulfils it, so it may not be evaluated.
            reads.expr(check.expr(), !matches!(check, MoveCheck::SoftNeed { .. }));
        }
        Exit { to: offer.target, reads: reads.found }
    }
}
