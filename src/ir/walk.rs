//! Walks over expressions and over the parts of automaton ops.

use std::collections::{BTreeSet, HashSet};

use super::{
    Builtin, Chance, ChanceKind, Change, Domain, Effect, Expr, ExprKind, Fold, Game, Lambda, LoopId, Move,
    MoveCheck, Op, Place, Slot, StateId, TextPart, Value,
};

/// Defines each walk twice, for shared and for mutable references.
macro_rules! walks {
    ($parts:ident, $children:ident, $place:ident, $effect_exprs:ident, $op_exprs:ident, $op_domain:ident $(, $mutable:tt)?) => {
        /// Collects the expressions of a domain.
        pub fn $parts<'e>(domain: &'e $($mutable)? Domain, out: &mut Vec<&'e $($mutable)? Expr>) {
            match domain {
                Domain::Ints => {}
                Domain::Range(a, b) => out.extend([a, b]),
                Domain::Values(e) | Domain::Permutations(e) | Domain::AtLeast(e) => out.push(e),
                Domain::Arrangements(count, of) | Domain::Lists(count, of) => {
                    out.push(count);
                    $parts(of, out);
                }
                Domain::ListsFrom(low, high, of) => {
                    out.push(low);
                    out.extend(high);
                    $parts(of, out);
                }
                Domain::SubsetsFrom(low, high, of) => {
                    out.push(low);
                    out.extend(high);
                    out.push(of);
                }
                Domain::Where(_, of, condition) => {
                    $parts(of, out);
                    out.push(& $($mutable)? **condition);
                }
                Domain::Subsets(of, size) => {
                    out.push(of);
                    out.extend(size);
                }
                Domain::Tuples(parts) => {
                    for part in parts {
                        $parts(part, out);
                    }
                }
            }
        }

        /// Calls `on` with each direct subexpression.
        pub fn $children<'e>(
            e: &'e $($mutable)? Expr,
            on: &mut impl FnMut(&'e $($mutable)? Expr),
        ) {
            let mut parts = Vec::new();
            match & $($mutable)? e.kind {
                ExprKind::Value(_)
                | ExprKind::Option(_)
                | ExprKind::Constant(_)
                | ExprKind::Local(_)
                | ExprKind::Table(_)
                | ExprKind::Players
                | ExprKind::Standing => {}
                ExprKind::Own(_, a)
                | ExprKind::IsIn(a)
                | ExprKind::Score(a)
                | ExprKind::Not(a)
                | ExprKind::Negative(a)
                | ExprKind::IsNone(a)
                | ExprKind::Part(a, _) => parts.push(& $($mutable)? **a),
                ExprKind::Arith(_, a, b)
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b)
                | ExprKind::Index(a, b)
                | ExprKind::Square(a, b)
                | ExprKind::Pick(a, b) => parts.extend([& $($mutable)? **a, & $($mutable)? **b]),
                ExprKind::Compare(a, links) => {
                    parts.push(a);
                    for (_, b) in links {
                        parts.push(b);
                    }
                }
                ExprKind::In(a, domain) => {
                    parts.push(a);
                    $parts(domain, &mut parts);
                }
                ExprKind::If(arms, otherwise) => {
                    for (cond, value) in arms {
                        parts.extend([cond, value]);
                    }
                    parts.push(otherwise);
                }
                ExprKind::Text(pieces) => {
                    for piece in pieces {
                        if let TextPart::Value(value) = piece {
                            parts.push(value);
                        }
                    }
                }
                ExprKind::Call(_, args)
                | ExprKind::Builtin(_, args)
                | ExprKind::Tuple(args)
                | ExprKind::List(args)
                | ExprKind::Set(args) => parts.extend(args),
                ExprKind::With(a, b, c) => {
                    parts.extend([& $($mutable)? **a, & $($mutable)? **b, & $($mutable)? **c]);
                }
                ExprKind::Let(_, value, body) => parts.extend([& $($mutable)? **value, & $($mutable)? **body]),
                ExprKind::Listed(domain) => $parts(domain, &mut parts),
                ExprKind::Fold(fold) => {
                    let Fold { sources, filter, stop, body, .. } = & $($mutable)? **fold;
                    for source in sources {
                        $parts(& $($mutable)? source.domain, &mut parts);
                    }
                    parts.extend(filter);
                    parts.extend(stop);
                    parts.push(body);
                }
            }
            parts.into_iter().for_each(on);
        }

        /// Collects the expressions of a place: its owner and indices.
        fn $place<'e>(place: &'e $($mutable)? Place, out: &mut Vec<&'e $($mutable)? Expr>) {
            out.extend(& $($mutable)? place.owner);
            out.extend(& $($mutable)? place.path);
        }

        /// Returns the expressions of an effect.
        pub fn $effect_exprs(effect: & $($mutable)? Effect) -> Vec<& $($mutable)? Expr> {
            let mut out = Vec::new();
            match effect {
                Effect::Let(_, e) | Effect::Out(e) => out.push(e),
                Effect::Assign(places, values) => {
                    places.into_iter().for_each(|(to, _)| $place(to, &mut out));
                    out.extend(values);
                }
                Effect::Send(e, from, to) | Effect::Deal(e, from, to) => {
                    out.push(e);
                    $place(from, &mut out);
                    $place(to, &mut out);
                }
                Effect::Award(amount, to, why) => {
                    out.extend([amount, to]);
                    out.extend(why);
                }
                Effect::Say(text, to) => {
                    out.push(text);
                    out.extend(to);
                }
                Effect::Reveal(at) | Effect::Conceal(at) => $place(at, &mut out),
                Effect::Reset(_) | Effect::Phase(_) => {}
            }
            out
        }

        /// Returns the expressions of an automaton op, without those of its domain.
        pub fn $op_exprs(op: & $($mutable)? Op) -> Vec<& $($mutable)? Expr> {
            let mut out = Vec::new();
            match op {
                Op::Do(effect, _) => return $effect_exprs(effect),
                Op::Unless(e, _) => out.push(e),
                Op::Next { filter, .. } => out.extend(filter),
                Op::Chance(Chance { kind, .. }) => match kind {
                    ChanceKind::Value(..) => {}
                    ChanceKind::Shuffle(at) | ChanceKind::Draw(at, _) => $place(at, &mut out),
                    ChanceKind::Deal(count, from, to) => {
                        out.push(count);
                        $place(from, &mut out);
                        $place(to, &mut out);
                    }
                },
                Op::End(who) => out.extend(who),
                Op::Jump(_) | Op::Collect { .. } | Op::Choose(_) | Op::Unseal(..) => {}
            }
            out
        }

        /// Returns the domain of an automaton op, if it has one.
        pub fn $op_domain(op: & $($mutable)? Op) -> Option<& $($mutable)? Domain> {
            match op {
                Op::Collect { source, .. }
                | Op::Chance(Chance { kind: ChanceKind::Value(source, _), .. }) => Some(source),
                _ => None,
            }
        }
    };
}

walks!(domain_parts, children, place_exprs, effect_exprs, op_exprs, op_domain);
walks!(domain_parts_mut, children_mut, place_exprs_mut, effect_exprs_mut, op_exprs_mut, op_domain_mut, mut);

impl MoveCheck {
    /// Returns the bound value, or the condition.
    pub fn expr(&self) -> &Expr {
        match self {
            MoveCheck::Let(_, e) => e,
            MoveCheck::Need { cond, .. } | MoveCheck::SoftNeed { cond, .. } => cond,
        }
    }

    /// Returns the message when a need fails.
    pub fn reason(&self) -> Option<&Expr> {
        match self {
            MoveCheck::Let(..) => None,
            MoveCheck::Need { reason, .. } => Some(reason),
            MoveCheck::SoftNeed { reason, .. } => reason.as_ref(),
        }
    }

    /// Returns all its expressions: the bound value, or the condition and its message.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (first, second) = match self {
            MoveCheck::Let(_, e) => (e, None),
            MoveCheck::Need { cond, reason, .. } => (cond, Some(reason)),
            MoveCheck::SoftNeed { cond, reason, .. } => (cond, reason.as_mut()),
        };
        std::iter::once(first).chain(second)
    }
}

/// Returns the expressions of an automaton op, including those of its domain.
pub fn op_parts(op: &Op) -> Vec<&Expr> {
    let mut out = op_exprs(op);
    op_domain(op).into_iter().for_each(|domain| domain_parts(domain, &mut out));
    out
}

/// Returns the places that an effect changes and how, in order; a move from one place to another removes
/// first, then adds. Excludes variables reset by [`Effect::Reset`].
pub fn effect_changes(effect: &Effect) -> Vec<(&Place, Change)> {
    match effect {
        Effect::Assign(places, _) => places.iter().map(|(place, change)| (place, *change)).collect(),
        Effect::Send(_, from, to) => vec![(from, Change::Remove), (to, Change::Insert)],
        Effect::Deal(_, from, to) => vec![(from, Change::Remove), (to, Change::Join)],
        Effect::Let(..)
        | Effect::Award(..)
        | Effect::Say(..)
        | Effect::Reveal(_)
        | Effect::Conceal(_)
        | Effect::Out(_)
        | Effect::Reset(_)
        | Effect::Phase(_) => Vec::new(),
    }
}

/// Returns the places that an op changes and how, as [`effect_changes`] does; a shuffle counts as setting the
/// list.
pub fn changes(op: &Op) -> Vec<(&Place, Change)> {
    match op {
        Op::Do(effect, _) => effect_changes(effect),
        Op::Chance(chance) => match &chance.kind {
            ChanceKind::Value(..) => Vec::new(),
            ChanceKind::Shuffle(at) => vec![(at, Change::Set)],
            ChanceKind::Draw(from, _) => vec![(from, Change::Remove)],
            ChanceKind::Deal(_, from, to) => vec![(from, Change::Remove), (to, Change::Join)],
        },
        Op::Jump(_)
        | Op::Unless(..)
        | Op::Collect { .. }
        | Op::Next { .. }
        | Op::Choose(_)
        | Op::Unseal(..)
        | Op::End(_) => Vec::new(),
    }
}

/// Returns the state variables that an op resets to their initial values, with what those are computed from.
pub fn resets<'g>(game: &'g Game, op: &Op) -> impl Iterator<Item = (StateId, Option<&'g Lambda>)> {
    let pass = if let Op::Do(Effect::Reset(pass), _) = op { Some(*pass) } else { None };
    pass.into_iter().flat_map(|pass| reset_by(game, pass))
}

/// Returns the state variables that a loop resets at each iteration, with what their initial values are computed
/// from.
pub fn reset_by(game: &Game, pass: LoopId) -> impl Iterator<Item = (StateId, Option<&Lambda>)> {
    let states = game.state.iter().enumerate().filter(move |(_, state)| state.reset_by == Some(pass));
    states.map(|(id, state)| (id, state.init.as_ref()))
}

/// Whether a collection is written out as empty.
pub fn is_nothing(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::List(parts) | ExprKind::Set(parts) => parts.is_empty(),
        ExprKind::Value(Value::List(items)) => items.is_empty(),
        ExprKind::Value(Value::Set(items)) => items.is_empty(),
        ExprKind::Value(Value::Bag(items)) => items.is_empty(),
        ExprKind::Builtin(Builtin::ToList | Builtin::ToSet | Builtin::ToBag, of) => of.iter().all(is_nothing),
        _ => false,
    }
}

/// Whether an expression itself, not its parts, reads the state, the scores or which players are in.
pub fn is_state_read(e: &Expr) -> bool {
    matches!(
        &e.kind,
        ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Standing | ExprKind::IsIn(_) | ExprKind::Score(_)
    )
}

/// Whether an expression reads the position: its state, scores or players, directly or perhaps in a function.
pub fn reads_position(e: &Expr) -> bool {
    let mut found = is_state_read(e) || matches!(e.kind, ExprKind::Call(..));
    children(e, &mut |part| found = found || reads_position(part));
    found
}

/// Adds the state variables that an expression reads, in the functions that it calls too.
pub fn states_read(game: &Game, e: &Expr, read: &mut BTreeSet<StateId>) {
    let mut functions = BTreeSet::new();
    let mut left = vec![e];
    while let Some(e) = left.pop() {
        match &e.kind {
            ExprKind::Table(state) | ExprKind::Own(state, _) => {
                read.insert(*state);
            }
            ExprKind::Call(function, _) if functions.insert(*function) => {
                left.push(&game.functions[*function].lambda.body);
            }
            _ => {}
        }
        children(e, &mut |part| left.push(part));
    }
}

/// Returns the expressions that decide which arguments of a move are legal: those of its checks, then of its
/// domains.
pub fn legality_parts(mv: &Move) -> Vec<&Expr> {
    let mut parts: Vec<&Expr> = mv.checks.iter().map(MoveCheck::expr).collect();
    let domains = mv.params.iter().flat_map(|param| param.domain.iter().chain(&param.sampling_domain));
    domains.for_each(|domain| domain_parts(domain, &mut parts));
    parts
}

/// Returns the slots that binders within an expression fill.
pub fn bound_slots(e: &Expr) -> BTreeSet<Slot> {
    let mut found = BTreeSet::new();
    match &e.kind {
        ExprKind::Fold(fold) => {
            found.extend(fold.sources.iter().flat_map(|source| source.slots.iter().copied()))
        }
        ExprKind::Let(slots, ..) => found.extend(slots.iter().copied()),
        _ => {}
    }
    children(e, &mut |child| found.extend(bound_slots(child)));
    found
}

/// Returns the slots that an expression reads and does not bind itself.
pub fn free_slots(e: &Expr) -> Vec<Slot> {
    let bound = bound_slots(e);
    let mut found = Vec::new();
    fn walk(e: &Expr, found: &mut Vec<Slot>) {
        if let ExprKind::Local(slot) = &e.kind {
            found.push(*slot);
        }
        children(e, &mut |child| walk(child, found));
    }
    walk(e, &mut found);
    found.sort_unstable();
    found.dedup();
    found.retain(|slot| !bound.contains(slot));
    found
}

/// Whether a domain reads any of these slots.
pub fn reads_slots(domain: &Domain, slots: &HashSet<Slot>) -> bool {
    fn reads(e: &Expr, slots: &HashSet<Slot>) -> bool {
        let mut found = matches!(&e.kind, ExprKind::Local(slot) if slots.contains(slot));
        children(e, &mut |child| found = found || reads(child, slots));
        found
    }
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().any(|part| reads(part, slots))
}

/// Renames every slot that an expression reads or binds.
pub fn rename_slots(e: &mut Expr, names: &mut dyn FnMut(Slot) -> Slot) {
    match &mut e.kind {
        ExprKind::Local(slot) => *slot = names(*slot),
        ExprKind::Let(slots, ..) => slots.iter_mut().for_each(|slot| *slot = names(*slot)),
        ExprKind::Fold(fold) => {
            let slots = fold.sources.iter_mut().flat_map(|source| &mut source.slots);
            slots.for_each(|slot| *slot = names(*slot));
        }
        _ => {}
    }
    children_mut(e, &mut |part| rename_slots(part, names));
}

/// Returns the values that an `if` may have: those of its arms and of its `else`.
pub fn arm_values<'e>(arms: &'e [(Expr, Expr)], otherwise: &'e Expr) -> impl Iterator<Item = &'e Expr> {
    arms.iter().map(|(_, value)| value).chain([otherwise])
}

/// Returns the values that an `if` may have, to be changed.
pub fn arm_values_mut<'e>(
    arms: &'e mut [(Expr, Expr)],
    otherwise: &'e mut Expr,
) -> impl Iterator<Item = &'e mut Expr> {
    arms.iter_mut().map(|(_, value)| value).chain([otherwise])
}
