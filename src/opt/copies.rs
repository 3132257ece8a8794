//! Reads copies of grids and maps with another value, `board with [s] = me`, without making them: the value at a place
//! of the copy is the other value if it is that place, else what is at that place of the original.
//!
//! Where all that is read of a named copy are single places, or its shape, the name goes; so do names of a move that
//! nothing reads any more.

use super::facts::Facts;
use super::lets::is_trivial;
use super::rewrite::{Rule, RuleContext, condition, count_uses, expr_like, let_in, substitute, take};
use crate::ir::{
    Compare, Domain, Expr, ExprKind, Game, MoveCheck, Slot, Type, children, domain_parts, op_parts,
};

/// The rule of this pass.
pub struct Copies;

impl Rule for Copies {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &mut e.kind {
            ExprKind::Index(..) => read_one_place(e, at),
            ExprKind::Builtin(builtin, args) if builtin.traits().of_shape => {
                args.first_mut().is_some_and(|grid| take_original(grid, at))
            }
            ExprKind::Let(slots, ..) if slots.len() == 1 => drop_name(e, at),
            _ => false,
        }
    }

    fn domain(&self, domain: &mut Domain, _distinct: bool, at: &mut RuleContext) -> bool {
        match domain {
            Domain::Values(of) if matches!(of.ty, Type::Grid(_)) => take_original(of, at),
            _ => false,
        }
    }
}

/// Whether an expression is a grid or a map, which is read in place unless it is a copy.
fn is_kept_in_place(e: &Expr) -> bool {
    matches!(e.ty, Type::Grid(_) | Type::Map(..))
}

/// Whether an expression is a copy of a grid or map with another value, and making it cannot fail.
fn is_copy(e: &Expr, at: &RuleContext) -> bool {
    matches!(e.kind, ExprKind::With(..)) && is_kept_in_place(e) && at.total(e)
}

/// `(board with [s] = x)[t]` becomes `if t = s then x else board[t]`.
fn read_one_place(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Index(base, place) = &mut e.kind else { return false };
    if !is_copy(base, at) {
        return false;
    }
    let ExprKind::With(original, changed, value) = take(base).kind else { return false };
    let place = take(place);
    // The place is compared, and read at: it is worked out once.
    let name = (!is_trivial(&place)).then(|| at.new_slot());
    let local =
        name.map_or_else(|| place.clone(), |slot| expr_like(ExprKind::Local(slot), place.ty.clone(), &place));
    let same = condition(ExprKind::Compare(Box::new(local.clone()), vec![(Compare::Equal, *changed)]), e);
    let other = expr_like(ExprKind::Index(original, Box::new(local)), e.ty.clone(), e);
    let read = expr_like(ExprKind::If(vec![(same, *value)], Box::new(other)), e.ty.clone(), e);
    *e = match name {
        None => read,
        Some(slot) => let_in(slot, place, read, e.span),
    };
    true
}

/// Replaces a copy whose values do not matter by what it is a copy of.
fn take_original(e: &mut Expr, at: &RuleContext) -> bool {
    if !is_copy(e, at) {
        return false;
    }
    let ExprKind::With(original, ..) = take(e).kind else { return false };
    *e = *original;
    true
}

/// Puts a copy in the place of its name, if all that is read of it are places and its shape.
fn drop_name(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Let(slots, value, body) = &mut e.kind else { return false };
    let slot = slots[0];
    if !is_copy(value, at) || !is_state(value) || reads_without_copy(body, slot) < count_uses(body, slot) {
        return false;
    }
    let (mut copy, mut whole) = (take(value), take(body));
    let names = name_parts(&mut copy, &mut || at.new_slot());
    substitute(&mut whole, slot, &copy);
    for (slot, part) in names.into_iter().rev() {
        whole = let_in(slot, part, whole, e.span);
    }
    *e = whole;
    true
}

/// Whether an expression is a grid or map of the state, or a copy of one, or of such a copy.
fn is_state(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::With(base, ..) => is_state(base),
        ExprKind::Table(_) => true,
        ExprKind::Own(_, owner) => is_trivial(owner),
        _ => false,
    }
}

/// Gives names to the places and the other values of a copy, or of copies of copies, unless they take no work. Returns
/// the names and what they stand for.
fn name_parts(copy: &mut Expr, new_slot: &mut dyn FnMut() -> Slot) -> Vec<(Slot, Expr)> {
    let ExprKind::With(base, place, value) = &mut copy.kind else { return Vec::new() };
    let mut names = name_parts(base, new_slot);
    for part in [place, value] {
        if !is_trivial(part) {
            let slot = new_slot();
            let local = expr_like(ExprKind::Local(slot), part.ty.clone(), part);
            names.push((slot, std::mem::replace(&mut **part, local)));
        }
    }
    names
}

/// Counts how often an expression reads a place or the shape of a grid or map that is named by a slot, or copies it.
fn reads_without_copy(e: &Expr, slot: Slot) -> usize {
    let is_name = |e: &Expr| usize::from(matches!(e.kind, ExprKind::Local(own) if own == slot));
    let of_domain = |domain: &Domain| match domain {
        Domain::Values(of) if matches!(of.ty, Type::Grid(_)) => is_name(of),
        _ => 0,
    };
    let mut count = match &e.kind {
        ExprKind::Index(base, _) | ExprKind::With(base, ..) => is_name(base),
        ExprKind::Builtin(builtin, args) if builtin.traits().of_shape => args.first().map_or(0, is_name),
        ExprKind::Fold(fold) => fold.sources.iter().map(|source| of_domain(&source.domain)).sum(),
        ExprKind::In(_, domain) | ExprKind::Listed(domain) => of_domain(domain),
        _ => 0,
    };
    children(e, &mut |part| count += reads_without_copy(part, slot));
    count
}

/// Puts copies that moves name into the checks that read them, and drops names that nothing reads. Where effects read a
/// copy it keeps its name for them, since the original may have changed by then.
pub fn of_moves(facts: &Facts, game: &mut Game) -> bool {
    let mut changed = false;
    let mut frame = game.slots;
    for number in 0..game.moves.len() {
        let scope = facts.of_move(&game.moves[number]);
        let mut at = RuleContext { facts, scope, frame: &mut frame };
        for check in (0..game.moves[number].checks.len()).rev() {
            let MoveCheck::Let(slots, value) = &game.moves[number].checks[check] else { continue };
            let (&[slot], true) = (slots.as_slice(), at.total(value)) else { continue };
            let lasts = is_read_after_checks(game, number, slot);
            changed |= read_in_checks(&mut game.moves[number].checks, check, (slot, lasts), &mut at);
        }
    }
    game.slots = frame;
    changed
}

/// Whether effects, or the domains of a move, read a slot.
fn is_read_after_checks(game: &Game, number: usize, slot: Slot) -> bool {
    let mut parts: Vec<&Expr> = game.code.iter().flat_map(op_parts).collect();
    for param in &game.moves[number].params {
        let domains = param.domain.iter().chain(&param.sampling_domain);
        domains.for_each(|domain| domain_parts(domain, &mut parts));
    }
    parts.iter().any(|e| count_uses(e, slot) > 0)
}

/// Puts the copy that a check names into the later ones. Drops the name if nothing else reads it; `lasts` says whether
/// something after the checks does.
fn read_in_checks(
    checks: &mut Vec<MoveCheck>,
    check: usize,
    (slot, lasts): (Slot, bool),
    at: &mut RuleContext,
) -> bool {
    let count = |checks: &[MoveCheck], of: &dyn Fn(&Expr, Slot) -> usize| -> usize {
        checks.iter().map(|check| of(check.expr(), slot)).sum()
    };
    let rest = &checks[check + 1..];
    let used = count(rest, &count_uses);
    let in_reasons = rest.iter().filter_map(MoveCheck::reason).any(|reason| count_uses(reason, slot) > 0);
    if used == 0 && !in_reasons && !lasts {
        checks.remove(check);
        return true;
    }
    let MoveCheck::Let(_, value) = &checks[check] else { return false };
    if used == 0 || !is_copy(value, at) || !is_state(value) || count(rest, &reads_without_copy) < used {
        return false;
    }
    let MoveCheck::Let(slots, mut copy) = checks.remove(check) else { return false };
    let names = name_parts(&mut copy, &mut || at.new_slot());
    for later in &mut checks[check..] {
        later.exprs_mut().for_each(|e| substitute(e, slot, &copy));
    }
    let named = names.into_iter().map(|(slot, part)| MoveCheck::Let(vec![slot], part));
    let kept = lasts.then_some(MoveCheck::Let(slots, copy));
    checks.splice(check..check, named.chain(kept));
    true
}
