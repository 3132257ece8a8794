//! Monotone parts of a game: squares that are filled once, sets that are only inserted into, and conditions
//! that stay true.

use crate::eval::Machine;
use crate::ir::{
    Change, Compare, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Form, Op, Pc, StateId, Type, successors,
};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::analysis::invariants;
use crate::opt::CandidateSets;

/// A game with the candidate sets of its moves.
#[derive(Clone, Copy)]
pub struct Growth<'a> {
    /// The optimised game.
    pub machine: &'a Machine,
    /// The candidate sets of its moves, by `MoveId`.
    pub candidates: &'a [CandidateSets],
}

impl Growth<'_> {
    /// Whether the result of a `reach` fold only grows while the local values stay the same: its sources only
    /// grow, and the conditions under which it spreads stay true.
    pub fn reach_grows(self, fold: &Fold) -> bool {
        let kept = |e: &Option<Expr>| e.as_ref().is_none_or(|e| self.is_monotone(e, true));
        fold.kind == FoldKind::Reach
            && fold.stop.is_none()
            && fold.sources.iter().all(|source| self.domain_grows(&source.domain))
            && kept(&fold.filter)
            && self.elements_grow(&fold.body)
    }

    /// Whether a domain only gains elements.
    fn domain_grows(self, domain: &Domain) -> bool {
        match domain {
            _ if invariants::is_invariant_domain(self.machine, domain, &mut |_| true) => true,
            Domain::Values(e) => self.elements_grow(e),
            _ => false,
        }
    }

    /// Whether a list or set only gains elements.
    fn elements_grow(self, e: &Expr) -> bool {
        match &e.kind {
            _ if self.is_invariant(e) => true,
            ExprKind::Table(state) => self.only_inserted(*state),
            ExprKind::Listed(domain) => self.domain_grows(domain),
            ExprKind::Fold(fold) => {
                matches!(fold.kind, FoldKind::List | FoldKind::Set)
                    && fold.stop.is_none()
                    && fold.sources.iter().all(|source| self.domain_grows(&source.domain))
                    && fold.filter.as_ref().is_none_or(|filter| self.is_monotone(filter, true))
                    && self.is_invariant(&fold.body)
            }
            _ => false,
        }
    }

    /// Whether a condition that has become `outcome` keeps that value while the local values stay the same.
    fn is_monotone(self, e: &Expr, outcome: bool) -> bool {
        match &e.kind {
            _ if self.is_invariant(e) => true,
            ExprKind::Not(e) => self.is_monotone(e, !outcome),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.is_monotone(a, outcome) && self.is_monotone(b, outcome)
            }
            ExprKind::IsNone(e) => !outcome && self.filled_square(e),
            ExprKind::Compare(a, rest) => match rest.as_slice() {
                [(Compare::Equal, b)] => {
                    let is = |square: &Expr, value: &Expr| {
                        self.filled_square(square)
                            && self.is_invariant(value)
                            && !matches!(value.ty, Type::Optional(_))
                    };
                    outcome && (is(a, b) || is(b, a))
                }
                _ => false,
            },
            ExprKind::In(value, domain) => outcome && self.is_invariant(value) && self.domain_grows(domain),
            _ => false,
        }
    }

    fn is_invariant(self, e: &Expr) -> bool {
        invariants::is_invariant(self.machine, e, &mut |_| true)
    }

    /// Whether an expression reads a fixed square of a grid whose squares are filled only once.
    fn filled_square(self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Index(grid, at) => match grid.kind {
                ExprKind::Table(state) => self.is_invariant(at) && self.filled_once(state),
                _ => false,
            },
            _ => false,
        }
    }

    /// The ops that write a piece of state.
    fn writes(self, state: StateId) -> impl Iterator<Item = Pc> {
        let writes = move |pc: &Pc| {
            let accesses = Accesses::of_op(self.machine, &self.machine.game.code[*pc]);
            accesses.touched.writes.contains(&state)
        };
        (0..self.machine.game.code.len()).filter(writes)
    }

    /// Whether the state is a set into which elements are only inserted.
    fn only_inserted(self, state: StateId) -> bool {
        let of_game = &self.machine.game;
        let inserted = |pc: Pc| match &of_game.code[pc] {
            Op::Do(Effect::Assign(places, _), _) => places.iter().all(|(place, change)| {
                place.state != state
                    || place.path.is_empty() && matches!(change, Change::Insert | Change::Join)
            }),
            _ => false,
        };
        matches!(of_game.state[state].form, Form::Set(..)) && self.writes(state).all(inserted)
    }

    /// Whether the state is a grid whose squares are written only by moves that need them to be empty, and
    /// are never emptied.
    fn filled_once(self, state: StateId) -> bool {
        matches!(self.machine.game.state[state].form, Form::Grid(..))
            && self.writes(state).all(|pc| self.fills_an_empty_square(state, pc))
    }

    fn fills_an_empty_square(self, state: StateId, pc: Pc) -> bool {
        let game = &self.machine.game;
        let Op::Do(Effect::Assign(places, values), _) = &game.code[pc] else { return false };
        let ([(place, Change::Set)], [value]) = (places.as_slice(), values.as_slice()) else { return false };
        let [Expr { kind: ExprKind::Local(at), .. }] = place.path.as_slice() else { return false };
        if matches!(value.ty, Type::Optional(_)) {
            return false;
        }
        // Walk back to the start of the move: no op on the way may write the grid or rebind the slot.
        let mut begin = pc;
        loop {
            let before: Vec<Pc> =
                (0..game.code.len()).filter(|from| successors(game, *from).contains(&begin)).collect();
            if before.iter().all(|from| matches!(game.code[*from], Op::Choose(_))) {
                return before.into_iter().all(|from| self.offers_empty_squares(state, *at, from, begin));
            }
            let [from] = before.as_slice() else { return false };
            let accesses = Accesses::of_op(self.machine, &game.code[*from]);
            let plain = matches!(game.code[*from], Op::Do(..) | Op::Jump(_));
            if !plain
                || *from >= begin
                || accesses.touched.writes.contains(&state)
                || accesses.fills.contains(at)
            {
                return false;
            }
            begin = *from;
        }
    }

    /// Whether every move by which a choice leads to `target` needs the square in slot `at` to be empty.
    fn offers_empty_squares(self, state: StateId, at: usize, choose: Pc, target: Pc) -> bool {
        let Op::Choose(id) = self.machine.game.code[choose] else { return false };
        let choice = &self.machine.game.choices[id];
        let empty = |e: &Expr| match &e.kind {
            ExprKind::IsNone(e) => match &e.kind {
                ExprKind::Index(grid, square) => {
                    matches!(grid.kind, ExprKind::Table(own) if own == state)
                        && matches!(square.kind, ExprKind::Local(slot) if slot == at)
                }
                _ => false,
            },
            _ => false,
        };
        let elsewhere = choice.done != target && choice.stuck != Some(target);
        let mut offers = choice.all_offers().filter(|offer| offer.target == target);
        elsewhere
            && !choice.together
            && offers.all(|offer| {
                let params = &self.candidates[offer.mv].all.params;
                params.iter().flat_map(|param| &param.predicates).any(empty)
            })
    }
}
