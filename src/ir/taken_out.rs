//! What is certainly there when it is taken out of a collection, so that everybody can tell how many elements leave:
//! values that a move chose from the collection, or that one of its needs asks for there.

use std::collections::BTreeSet;

use super::public_sizes::{Secrets, place_of, source_of_elements};
use super::{
    Builtin, Change, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Move, MoveCheck, Op, Pc, ResultFact,
    Slot, Source, StateId, Type, children_mut, rename_slots, successors,
};

/// A collection, and the variable that says whose it is unless it is on the table.
type Owned = (StateId, Option<Slot>);

impl Secrets<'_> {
    /// Whether everybody can tell how many elements the op at `pc` takes out of a collection with a value.
    pub(super) fn takes_out_known(
        &self,
        pc: Pc,
        value: &Expr,
        (id, owner): (StateId, Option<&Expr>),
    ) -> bool {
        let Some(owner) = owner.map_or(Some(None), |owner| self.variable(owner).map(Some)) else {
            return false;
        };
        let place = (id, owner);
        if self.is_element_of(value, place) {
            return true;
        }
        let within = match self.is_there(value, place) || self.named_before(value, place) {
            true => None,
            false => match self.pass_over_chosen(value, place).or_else(|| self.named_there(value, place)) {
                Some(next) => Some(next),
                None => return false,
            },
        };
        self.is_first_taken(pc, value, id, within)
    }

    /// Whether a value was chosen from a collection or asked for there by its move, and is in it therefore.
    pub(super) fn is_there(&self, value: &Expr, place: Owned) -> bool {
        self.is_chosen_so(
            value,
            |domain| self.source_of(domain) == Some(place),
            |condition, slot| self.says_there(condition, slot, place),
        )
    }

    /// Whether a value is an argument of a move of which the domain says something, or a condition of the domain or a need,
    /// given the slot from which it reads the value.
    fn is_chosen_so(
        &self,
        value: &Expr,
        by_domain: impl Fn(&Domain) -> bool,
        by_condition: impl Fn(&Expr, Slot) -> bool,
    ) -> bool {
        let ExprKind::Local(slot) = value.kind else { return false };
        let slot = self.first_name(slot);
        let Some((mv, domain)) = self.param(slot) else { return false };
        let from = domain.is_some_and(|domain| {
            by_domain(domain)
                || self.conditions(domain).iter().any(|(own, condition)| by_condition(condition, *own))
        });
        from || self.needs(mv).iter().any(|need| by_condition(need, slot))
    }

    /// Whether a value is computed as an element of a collection: `largest(me.hand)`, `me.hand[1]`,
    /// `first(c in me.hand where c > 3)`.
    fn is_element_of(&self, value: &Expr, place: Owned) -> bool {
        let of = match &value.kind {
            ExprKind::Builtin(word, args) if word.traits().known == ResultFact::Element => args.first(),
            ExprKind::Index(list, _) if matches!(list.ty, Type::List(_)) => Some(&**list),
            ExprKind::Fold(fold) => match (fold.kind, fold.sources.as_slice(), &fold.body.kind) {
                (
                    FoldKind::First | FoldKind::Largest | FoldKind::Smallest,
                    [Source { slots, domain: Domain::Values(of) }],
                    ExprKind::Local(own),
                ) if *slots == [*own] => Some(of),
                _ => None,
            },
            _ => None,
        };
        of.and_then(source_of_elements).is_some_and(|of| self.owned(of) == Some(place))
    }

    /// Whether a value is an element of a collection that has a name from before its move: `let card = last(me.hand)`.
    fn named_before(&self, value: &Expr, place: Owned) -> bool {
        let Some(slot) = self.variable(value) else { return false };
        self.game.moves.iter().flat_map(|mv| &mv.checks).any(|check| match check {
            MoveCheck::Let(slots, named) => *slots == [slot] && self.is_element_of(named, place),
            _ => false,
        })
    }

    /// Returns the op that names an element of a collection, for a value that is that name: `let card = last(p.hand)`.
    fn named_there(&self, value: &Expr, place: Owned) -> Option<Pc> {
        let slot = self.variable(value)?;
        let mut names = self.game.code.iter().enumerate().filter_map(|(pc, op)| match op {
            Op::Do(Effect::Let(slots, value), _) if *slots == [slot] => Some((pc, value)),
            _ => None,
        });
        let ((pc, named), None) = (names.next()?, names.next()) else { return None };
        self.is_element_of(named, place).then_some(pc)
    }

    /// Returns the op that binds a value to each of several different elements of a collection, which everybody knows.
    fn pass_over_chosen(&self, value: &Expr, place: Owned) -> Option<Pc> {
        let ExprKind::Local(slot) = value.kind else { return None };
        let slot = self.first_name(slot);
        let code = || self.game.code.iter().enumerate();
        let mut passes = code().filter_map(|(pc, op)| match op {
            Op::Next { list, slots, .. } if *slots == [slot] => Some((pc, *list)),
            _ => None,
        });
        let ((next, list), None) = (passes.next()?, passes.next()) else { return None };
        let source = code().find_map(|(_, op)| match op {
            Op::Collect { source, list: into, .. } if *into == list => Some(source),
            _ => None,
        })?;
        let Domain::Values(all) = source else { return None };
        if self.owned(all) == Some(place) {
            return Some(next);
        }
        let (all, made_set) = match &all.kind {
            ExprKind::Builtin(Builtin::ToSet, of) => (of.first()?, true),
            _ => (all, false),
        };
        let distinct = made_set
            || matches!(all.ty, Type::Set(_))
            || matches!(self.game.state[place.0].form.ty(), Type::Set(_));
        (distinct && !self.is_in(all) && self.all_there(all, place)).then_some(next)
    }

    /// Whether all elements of a value were chosen from a collection or asked for there by its move.
    pub(super) fn all_there(&self, all: &Expr, place: Owned) -> bool {
        self.is_chosen_so(
            all,
            |domain| self.rows_from(domain) == Some(place),
            |condition, slot| self.says_all(condition, slot, place),
        )
    }

    /// Whether nothing was taken out of a collection before, in the same move, that could leave less there than the value at
    /// `pc` needs. `within` is the op that gives the value anew in each pass of a loop.
    fn is_first_taken(&self, pc: Pc, value: &Expr, id: StateId, within: Option<Pc>) -> bool {
        let is_set = matches!(self.game.state[id].form.ty(), Type::Set(_));
        let known = !self.is_in(value);
        self.game.code.iter().enumerate().filter(|(at, _)| *at == pc || self.shrinks(*at, id)).all(
            |(at, op)| {
                // Which of several known values are equal is known, too, and a set has each of them once.
                let public = match op {
                    Op::Do(Effect::Assign(places, values), _) => {
                        let own = places.iter().zip(values).filter(|((place, _), _)| place.state == id);
                        own.into_iter()
                            .all(|((_, change), value)| *change == Change::Remove && !self.is_in(value))
                    }
                    _ => false,
                };
                is_set && known && public || !self.leads_to(at, pc, within.filter(|_| at == pc))
            },
        )
    }

    /// Whether play goes from one op to another within one move, without passing `but`.
    fn leads_to(&self, from: Pc, to: Pc, but: Option<Pc>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = successors(self.game, from);
        while let Some(pc) = open.pop() {
            let stops = matches!(self.game.code.get(pc), None | Some(Op::Choose(_) | Op::Unseal(..)));
            if stops || but == Some(pc) || !seen.insert(pc) {
                continue;
            }
            if pc == to {
                return true;
            }
            open.extend(successors(self.game, pc));
        }
        false
    }

    /// Whether an op may take something out of a collection.
    fn shrinks(&self, pc: Pc, id: StateId) -> bool {
        let op = &self.game.code[pc];
        match op {
            Op::Do(Effect::Assign(places, _), _) => places
                .iter()
                .any(|(place, change)| place.state == id && matches!(change, Change::Set | Change::Remove)),
            Op::Do(Effect::Send(_, from, _) | Effect::Deal(_, from, _), _) => from.state == id,
            Op::Do(Effect::Reset(pass), _) => self.game.state[id].reset_by == Some(*pass),
            Op::Chance(chance) => match &chance.kind {
                super::ChanceKind::Deal(_, from, _) | super::ChanceKind::Draw(from, _) => from.state == id,
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the move of a parameter, and what it is chosen from.
    fn param(&self, slot: Slot) -> Option<(&Move, Option<&Domain>)> {
        self.game.moves.iter().find_map(|mv| {
            let param = mv.params.iter().find(|param| param.slot == slot)?;
            Some((mv, param.domain.as_ref()))
        })
    }

    /// Whether a condition says that the value of a slot is in a collection.
    fn says_there(&self, condition: &Expr, slot: Slot, place: Owned) -> bool {
        let ExprKind::In(value, domain) = &condition.kind else { return false };
        let named = matches!(value.kind, ExprKind::Local(at) if self.first_name(at) == slot || at == slot);
        named && self.source_of(domain) == Some(place)
    }

    /// Whether a condition says that all elements of the value of a slot are in a collection.
    fn says_all(&self, condition: &Expr, slot: Slot, place: Owned) -> bool {
        let is =
            |e: &Expr| matches!(e.kind, ExprKind::Local(at) if at == slot || self.first_name(at) == slot);
        match &condition.kind {
            ExprKind::Builtin(Builtin::Subset, args) => match args.as_slice() {
                [part, all] => {
                    let part = match &part.kind {
                        ExprKind::Builtin(Builtin::ToSet, of) => of.first().unwrap_or(part),
                        _ => part,
                    };
                    is(part) && source_of_elements(all).and_then(|all| self.owned(all)) == Some(place)
                }
                _ => false,
            },
            ExprKind::Fold(fold) => {
                let Fold { kind: FoldKind::All, filter: None, stop: None, sources, body } = &**fold else {
                    return false;
                };
                let [source] = sources.as_slice() else { return false };
                let Domain::Values(of) = &source.domain else { return false };
                let [own] = source.slots.as_slice() else { return false };
                is(of) && self.conjuncts(body, 1).iter().any(|part| self.says_there(part, *own, place))
            }
            _ => false,
        }
    }

    /// Returns the collection that all elements of the rows of a domain are in.
    fn rows_from(&self, domain: &Domain) -> Option<Owned> {
        match domain {
            Domain::Where(_, of, _) => self.rows_from(of),
            Domain::Subsets(of, _) | Domain::SubsetsFrom(_, _, of) | Domain::Permutations(of) => {
                self.owned(source_of_elements(of)?)
            }
            Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, _, of) => {
                self.source_of(of)
            }
            _ => None,
        }
    }

    /// Returns the collection that an expression is, and the variable that says whose.
    fn owned(&self, e: &Expr) -> Option<Owned> {
        let (id, owner) = place_of(e)?;
        match owner {
            Some(owner) => Some((id, Some(self.variable(owner)?))),
            None => Some((id, None)),
        }
    }

    /// Returns the conditions of a domain, each with the slot from which it reads the value.
    fn conditions(&self, domain: &Domain) -> Vec<(Slot, Expr)> {
        match domain {
            Domain::Where(own, of, condition) => {
                let mut all = self.conditions(of);
                all.extend(self.conjuncts(condition, 1).into_iter().map(|part| (*own, part)));
                all
            }
            // A filtered list: `[k in 1..9 where C]`.
            Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) => {
                match (fold.sources.as_slice(), &fold.filter) {
                    ([source], Some(filter))
                        if matches!(fold.kind, FoldKind::List | FoldKind::Set)
                            && matches!(fold.body.kind, ExprKind::Local(own) if source.slots == [own]) =>
                    {
                        let mut all = self.conditions(&source.domain);
                        let parts = self.conjuncts(filter, 1).into_iter();
                        all.extend(parts.map(|part| (source.slots[0], part)));
                        all
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Returns the parts of the needs of a move, all of which hold.
    fn needs(&self, mv: &Move) -> Vec<Expr> {
        let needs = mv.checks.iter().map(|check| match check {
            MoveCheck::Need { cond, .. } => self.conjuncts(cond, 1),
            _ => Vec::new(),
        });
        needs.flatten().collect()
    }

    /// Returns the parts of a condition that all hold if it does, also those of the functions that it calls; `depth` counts
    /// these.
    fn conjuncts(&self, e: &Expr, depth: usize) -> Vec<Expr> {
        match &e.kind {
            ExprKind::And(a, b) => [self.conjuncts(a, depth), self.conjuncts(b, depth)].concat(),
            ExprKind::Call(function, args) if depth < MAX_CALLS => {
                let mut body = self.game.functions[*function].lambda.body.clone();
                // The slots of a function are its own, and its parameters come first.
                let own = depth * FAR;
                rename_slots(&mut body, &mut |slot| slot + own);
                put_arguments(&mut body, own, args);
                self.conjuncts(&body, depth + 1)
            }
            _ => vec![e.clone()],
        }
    }
}

/// How far apart the slots of a function and of its caller are put, more than either has.
const FAR: usize = 1 << 24;
/// The number of functions that are looked into, each called by the one before.
const MAX_CALLS: usize = 8;

/// Puts the arguments of a call in the place of the parameters, which begin with the slot `first`.
fn put_arguments(e: &mut Expr, first: Slot, args: &[Expr]) {
    if let ExprKind::Local(slot) = e.kind
        && let Some(arg) = slot.checked_sub(first).and_then(|at| args.get(at))
    {
        *e = arg.clone();
        return;
    }
    children_mut(e, &mut |child| put_arguments(child, first, args));
}
