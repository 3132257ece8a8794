//! Which hidden collections everybody can count, because their sizes follow from what everybody sees: a hand to
//! which cards are dealt face down, or a pile from which cards are drawn.

use std::collections::{BTreeSet, HashSet};

use super::{
    Builtin, ChanceKind, Change, Compare, Domain, Effect, Expr, ExprKind, FoldKind, Game, MoveCheck, Op, Pc,
    Place, Sight, Slot, StateId, Type, children, draw_is_public, is_nothing, op_parts,
};
use crate::source::Span;

/// Returns the hidden collections whose sizes everybody can follow: they grow and shrink by public amounts, and no
/// secret decides whether they do. Public sizes may depend on one another, so this is a greatest fixpoint. The
/// analysis is conservative: doubtful collections are left out.
pub fn public_sizes(game: &Game) -> BTreeSet<StateId> {
    let state = game.state.iter().enumerate();
    let hidden = state
        .filter(|(_, state)| state.sight != Sight::Public && state.form.ty().is_collection())
        .map(|(id, _)| id)
        .collect();
    public_among(game, hidden)
}

/// Returns those of some hidden collections whose sizes everybody can follow, if no other hidden size is public.
fn public_among(game: &Game, mut hidden: BTreeSet<StateId>) -> BTreeSet<StateId> {
    loop {
        let secret = Secrets::but_for(game, &hidden);
        let open: BTreeSet<StateId> =
            hidden.iter().copied().filter(|id| count_is_open(&secret, *id)).collect();
        if open == hidden {
            return open;
        }
        hidden = open;
    }
}

/// Returns the collection that an expression reads only for its size or for whether it is empty, and the player who
/// has it unless it is on the table.
pub fn read_for_size(e: &Expr) -> Option<(StateId, Option<&Expr>)> {
    let of = match &e.kind {
        ExprKind::Builtin(Builtin::Size | Builtin::Empty, of) => of.first()?,
        ExprKind::Compare(a, links) => match links.as_slice() {
            [(Compare::Equal | Compare::NotEqual, b)] if is_nothing(b) => a,
            [(Compare::Equal | Compare::NotEqual, b)] if is_nothing(a) => b,
            _ => return None,
        },
        _ => return None,
    };
    place_of(of)
}

/// Returns the piece of state that an expression reads as a whole, and the player whose it is unless it is on the table.
pub(super) fn place_of(e: &Expr) -> Option<(StateId, Option<&Expr>)> {
    match &e.kind {
        ExprKind::Table(id) => Some((*id, None)),
        ExprKind::Own(id, owner) => Some((*id, Some(owner))),
        _ => None,
    }
}

/// Returns the expression of a collection, or the call of a function, that all values of a domain are elements of.
fn source(domain: &Domain) -> Option<&Expr> {
    match domain {
        Domain::Where(_, of, _) => source(of),
        Domain::Values(of) => source_of_elements(of),
        _ => None,
    }
}

pub(super) fn source_of_elements(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Call(..) => Some(e),
        ExprKind::Builtin(Builtin::ToSet | Builtin::ToList | Builtin::Sorted | Builtin::Reversed, of) => {
            source_of_elements(of.first()?)
        }
        ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
            let [from] = fold.sources.as_slice() else { return None };
            let selects = matches!(fold.body.kind, ExprKind::Local(own) if from.slots == [own]);
            source(&from.domain).filter(|_| selects)
        }
        _ => None,
    }
}

fn count_is_open(secret: &Secrets, id: StateId) -> bool {
    spoiler(secret, id).is_none()
}

/// Why not everybody can tell how many elements a collection has.
#[derive(Debug, Clone, Copy)]
pub struct HidesSize {
    /// Where the rules change the size of a collection by what not everybody knows.
    pub place: Span,
    /// That collection, from whose size that of the other one follows if it is not the same.
    pub state: StateId,
    /// Whether something is taken out there that may not be there.
    pub takes_out: bool,
}

/// Returns where the rules change the size of a hidden collection by what not everybody knows, or that of another one on
/// which it depends.
pub fn hides_size(game: &Game, id: StateId) -> Option<HidesSize> {
    let state = game.state.iter().enumerate();
    let hidden = state.filter(|(_, state)| state.sight != Sight::Public && state.form.ty().is_collection());
    let hidden: BTreeSet<StateId> = hidden.map(|(id, _)| id).collect();
    let cause = |state: StateId, sizes: &BTreeSet<StateId>| {
        let (place, takes_out) = spoiler(&Secrets::but_for(game, sizes), state)?;
        Some(HidesSize { place, state, takes_out })
    };
    // What is secret even if all other sizes are public is a cause of its own.
    cause(id, &hidden)
        .or_else(|| {
            hidden.iter().filter(|other| **other != id).find_map(|other| {
                let cause = cause(*other, &hidden)?;
                let without = public_among(game, hidden.iter().copied().filter(|id| id != other).collect());
                (!without.contains(&id)).then_some(cause)
            })
        })
        .or_else(|| {
            let mut sizes = public_sizes(game);
            sizes.insert(id);
            cause(id, &sizes)
        })
}

/// Returns the first place at which the size of a collection comes to depend on a secret, and whether something is taken out
/// there.
fn spoiler(secret: &Secrets, id: StateId) -> Option<(Span, bool)> {
    let counted = |pc: Pc, op: &Op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            // Who can tell what is known only once the value has no mistake.
            let own = |((place, _), value): &(&(Place, Change), &Expr)| {
                place.state == id && value.ty != Type::Wrong
            };
            places.iter().zip(values).filter(own).all(|((place, change), value)| {
                place.path.is_empty() && secret.counts(pc, place, *change, value)
            })
        }
        Op::Do(Effect::Deal(count, from, to), _) => !touches_any(id, [from, to]) || !secret.is_in(count),
        Op::Chance(chance) => match &chance.kind {
            ChanceKind::Deal(count, from, to) => !touches_any(id, [from, to]) || !secret.is_in(count),
            _ => true,
        },
        _ => true,
    };
    let span = |op: &Op| match op {
        Op::Do(_, span) => *span,
        Op::Chance(chance) => chance.span,
        _ => Span::default(),
    };
    let guarded = secret.decided();
    let init = secret.game.state[id].init.as_ref().filter(|init| secret.is_in(&init.body));
    let mut ops = secret.game.code.iter().enumerate();
    let spoils = |(pc, op): &(usize, &Op)| {
        let decided = guarded.iter().any(|(from, to)| (from..to).contains(&pc));
        !counted(*pc, op) || touches(secret.game, op, id) && decided
    };
    let removes = |pc: Pc, op: &Op| match op {
        Op::Do(Effect::Assign(places, _), _) => {
            !counted(pc, op) && places.iter().any(|(to, change)| to.state == id && *change == Change::Remove)
        }
        _ => false,
    };
    let first = init.map(|init| (init.body.span, false));
    first.or_else(|| ops.find(spoils).map(|(pc, op)| (span(op), removes(pc, op))))
}

fn touches_any<'p>(id: StateId, places: impl IntoIterator<Item = &'p Place>) -> bool {
    places.into_iter().any(|place| place.state == id)
}

/// Whether an op may change the size of a piece of state.
fn touches(game: &Game, op: &Op, id: StateId) -> bool {
    match op {
        Op::Do(Effect::Assign(places, _), _) => touches_any(id, places.iter().map(|(place, _)| place)),
        Op::Do(Effect::Send(_, from, to) | Effect::Deal(_, from, to), _) => touches_any(id, [from, to]),
        Op::Do(Effect::Reset(pass), _) => game.state[id].reset_by == Some(*pass),
        Op::Chance(chance) => match &chance.kind {
            ChanceKind::Deal(_, from, to) => touches_any(id, [from, to]),
            ChanceKind::Draw(from, _) => touches_any(id, [from]),
            ChanceKind::Value(..) | ChanceKind::Shuffle(_) => false,
        },
        _ => false,
    }
}

/// What is secret in a game: the slots that may hold secret values.
pub(super) struct Secrets<'g> {
    pub(super) game: &'g Game,
    slots: HashSet<Slot>,
    /// The hidden state whose size is public.
    sizes: &'g BTreeSet<StateId>,
}

impl<'g> Secrets<'g> {
    /// Computes the secret slots, given that the sizes of `sizes` are public.
    fn but_for(game: &'g Game, sizes: &'g BTreeSet<StateId>) -> Secrets<'g> {
        let moves = game.moves.iter().filter(|mv| mv.secret);
        let slots = moves.flat_map(|mv| mv.params.iter().map(|param| param.slot)).collect();
        let mut secret = Secrets { game, slots, sizes };
        loop {
            let before = secret.slots.len();
            for mv in &game.moves {
                for check in &mv.checks {
                    if let MoveCheck::Let(slots, value) = check
                        && secret.is_in(value)
                    {
                        secret.slots.extend(slots);
                    }
                }
            }
            for offer in game.choices.iter().flat_map(|choice| choice.all_offers()) {
                let given = game.moves[offer.mv].params.iter().filter(|param| param.domain.is_none());
                let told = given.zip(&offer.given).filter(|(_, value)| secret.is_in(value));
                let slots: Vec<Slot> = told.map(|(param, _)| param.slot).collect();
                secret.slots.extend(slots);
            }
            for op in &game.code {
                let more: Vec<Slot> = match op {
                    Op::Do(Effect::Let(slots, value), _) if secret.is_in(value) => slots.clone(),
                    Op::Chance(chance) if !draw_is_public(game, &chance.name) => match chance.kind {
                        ChanceKind::Value(_, slot) | ChanceKind::Draw(_, slot) => vec![slot],
                        _ => Vec::new(),
                    },
                    Op::Collect { list, .. } if secret.decides(op) => vec![*list],
                    Op::Next { list, slots, .. } if secret.slots.contains(list) => slots.clone(),
                    _ => Vec::new(),
                };
                secret.slots.extend(more);
            }
            if secret.slots.len() == before {
                return secret;
            }
        }
    }

    /// Whether the value of an expression may reveal a secret.
    pub(super) fn is_in(&self, e: &Expr) -> bool {
        let hidden = |id: StateId| self.game.state[id].sight != Sight::Public;
        if let Some((id, owner)) = read_for_size(e)
            && self.sizes.contains(&id)
        {
            return owner.is_some_and(|owner| self.is_in(owner));
        }
        let here = match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => hidden(*id),
            ExprKind::Local(slot) => self.slots.contains(slot),
            ExprKind::Call(function, _) => {
                let body = &self.game.functions[*function].lambda.body;
                Secrets { slots: HashSet::new(), ..*self }.is_in(body)
            }
            _ => false,
        };
        let mut found = here;
        children(e, &mut |child| found = found || self.is_in(child));
        found
    }

    /// Whether a change alters the size of a collection by a public amount.
    fn counts(&self, pc: Pc, place: &Place, change: Change, value: &Expr) -> bool {
        // Inserting an element that a set already contains does not enlarge it.
        let copies = !matches!(self.game.state[place.state].form.ty(), Type::Set(_));
        match change {
            Change::Set => self.is_counted(pc, value),
            Change::Insert => copies,
            Change::Join => copies && self.is_counted(pc, value),
            Change::Remove => self.takes_out_known(pc, value, (place.state, place.owner.as_ref())),
            _ => false,
        }
    }

    /// Whether everybody knows how many elements a value has.
    fn is_counted(&self, pc: Pc, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Table(id) if self.sizes.contains(id) => true,
            ExprKind::Own(id, owner) if self.sizes.contains(id) => !self.is_in(owner),
            ExprKind::List(_) => true,
            ExprKind::Set(items) if items.len() <= 1 => true,
            ExprKind::If(arms, otherwise) => {
                let known = arms.iter().all(|(cond, value)| !self.is_in(cond) && self.is_counted(pc, value));
                known && self.is_counted(pc, otherwise)
            }
            ExprKind::Builtin(Builtin::ToBag | Builtin::ToList | Builtin::Sorted | Builtin::Reversed, of) => {
                of.iter().all(|of| self.is_counted(pc, of))
            }
            ExprKind::Builtin(Builtin::JoinLists, parts) => {
                parts.iter().all(|part| self.is_counted(pc, part))
            }
            // An element that is there is taken out.
            ExprKind::Builtin(Builtin::Without, parts) => match parts.as_slice() {
                [from, Expr { kind: ExprKind::List(out) | ExprKind::Set(out), .. }] if out.len() == 1 => {
                    let there = |from| self.takes_out_known(pc, &out[0], from);
                    self.is_counted(pc, from) && place_of(from).is_some_and(there)
                }
                _ => !self.is_in(e),
            },
            _ => !self.is_in(e),
        }
    }

    /// Returns the collection that all values of a domain are in, and the variable that says whose it is.
    pub(super) fn source_of(&self, domain: &Domain) -> Option<(StateId, Option<Slot>)> {
        match source(domain)? {
            Expr { kind: ExprKind::Table(id), .. } => Some((*id, None)),
            Expr { kind: ExprKind::Own(id, owner), .. } => Some((*id, Some(self.variable(owner)?))),
            Expr { kind: ExprKind::Call(function, args), .. } => {
                match source_of_elements(&self.game.functions[*function].lambda.body)? {
                    Expr { kind: ExprKind::Table(id), .. } => Some((*id, None)),
                    Expr { kind: ExprKind::Own(id, owner), .. } => match owner.kind {
                        // The slots of a function are its own, and its parameters come first.
                        ExprKind::Local(own) => Some((*id, Some(self.variable(args.get(own)?)?))),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the variable that an expression is nothing but, by its first name.
    pub(super) fn variable(&self, e: &Expr) -> Option<Slot> {
        match e.kind {
            ExprKind::Local(slot) => Some(self.first_name(slot)),
            _ => None,
        }
    }

    /// Returns the variable that another is only another name of, as a parameter of a rule is.
    pub(super) fn first_name(&self, slot: Slot) -> Slot {
        let named = self.game.code.iter().filter_map(|op| match op {
            Op::Do(Effect::Let(slots, value), _) if slots.contains(&slot) => Some(value),
            _ => None,
        });
        match named.collect::<Vec<_>>().as_slice() {
            [Expr { kind: ExprKind::Local(earlier), .. }] if *earlier != slot => self.first_name(*earlier),
            _ => slot,
        }
    }

    /// Whether the successor of an op may reveal a secret.
    fn decides(&self, op: &Op) -> bool {
        match op {
            Op::Unless(..) | Op::Collect { .. } | Op::Next { .. } => {
                let listed = matches!(op, Op::Next { list, .. } if self.slots.contains(list) && !self.is_of_all(*list));
                listed || op_parts(op).into_iter().any(|part| self.is_in(part))
            }
            _ => false,
        }
    }

    /// Whether what is gone through is all that is in a collection whose size is public, so that everybody knows how often.
    fn is_of_all(&self, list: Slot) -> bool {
        let whole = |domain: &Domain| match domain {
            Domain::Values(of) => place_of(of).is_some_and(|(id, owner)| {
                self.sizes.contains(&id) && owner.is_none_or(|owner| !self.is_in(owner))
            }),
            _ => false,
        };
        self.game.code.iter().all(|op| match op {
            Op::Collect { source, list: into, .. } if *into == list => whole(source),
            _ => true,
        })
    }

    /// Returns the ranges of ops, as `from..to`, that are executed or skipped depending on a secret.
    fn decided(&self) -> Vec<(Pc, Pc)> {
        let mut out = Vec::new();
        for (pc, op) in self.game.code.iter().enumerate() {
            let to = match op {
                _ if !self.decides(op) => continue,
                Op::Unless(_, to) | Op::Next { exit: to, .. } => *to,
                _ => continue,
            };
            // The `else` arm ends at the target of the jump before it.
            let end = match self.game.code.get(to.wrapping_sub(1)) {
                Some(Op::Jump(end)) => to.max(*end),
                _ => to,
            };
            out.push((pc.min(to), pc.max(end)));
        }
        // A choice between several moves, of which some are secret.
        for choice in &self.game.choices {
            let offers = || choice.all_offers();
            if offers().count() > 1 && offers().any(|offer| self.game.moves[offer.mv].secret) {
                let from = offers().map(|offer| offer.target).min().unwrap_or(choice.done);
                out.push((from.min(choice.done), from.max(choice.done)));
            }
        }
        out
    }
}
