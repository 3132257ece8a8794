//! Eliminates names within expressions: a value is substituted for its name if it is not evaluated more often
//! than before, or costs next to nothing. An unused name is dropped, unless evaluating its value could fail.

use super::rewrite::{Rule, RuleContext, count_uses, let_in, substitute, take, with_fresh_slots};
use crate::ir::{Builtin, Expr, ExprKind, Slot, Type, children};

/// The rule of this pass.
pub struct Lets;

impl Rule for Lets {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let ExprKind::Let(slots, value, body) = &mut e.kind else { return false };
        let [slot] = slots.as_slice() else {
            let ExprKind::Tuple(parts) = &mut value.kind else { return false };
            // Bind the components one by one; no component reads the other names.
            let mut inner = take(body);
            for (slot, part) in slots.iter().zip(parts).rev() {
                inner = let_in(*slot, take(part), inner, body.span);
            }
            *e = inner;
            return true;
        };
        let slot = *slot;
        let count = count_uses(body, slot);
        let total = at.total(value);
        if count == 0 && !total {
            return false;
        }
        let once = count == 1 && read_at_most_once(body, slot) && (total || always_reads(body, slot));
        let free = count == 0 || is_trivial(value) || total && is_cheap(value);
        if !(free || once) {
            return false;
        }
        let (value, mut body) = (take(value), take(body));
        match count {
            0 => {}
            1 => substitute(&mut body, slot, &value),
            _ => replace_each(&mut body, slot, &value, at),
        }
        *e = body;
        true
    }
}

/// Substitutes a copy of a value for each use of a name; the binders of each copy get slots of their own.
fn replace_each(e: &mut Expr, slot: Slot, value: &Expr, at: &mut RuleContext) {
    if matches!(&e.kind, ExprKind::Local(own) if *own == slot) {
        let span = e.span;
        *e = Expr { span, ..with_fresh_slots(value, at) };
        return;
    }
    crate::ir::children_mut(e, &mut |part| replace_each(part, slot, value, at));
}

/// Whether evaluating an expression takes no work.
pub fn is_trivial(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Value(_)
        | ExprKind::Option(_)
        | ExprKind::Constant(_)
        | ExprKind::Local(_)
        | ExprKind::Players => true,
        // A grid or map in the state is accessed in place, not copied.
        ExprKind::Table(_) => matches!(e.ty, Type::Grid(_) | Type::Map(..)),
        _ => false,
    }
}

/// Whether an expression takes only a few instructions: a single value, computed without a loop.
pub fn is_cheap(e: &Expr) -> bool {
    fn cost(e: &Expr) -> Option<usize> {
        let own = match &e.kind {
            ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_) | ExprKind::Local(_) => 0,
            ExprKind::Table(_) | ExprKind::Own(..) => 1,
            ExprKind::Not(_) | ExprKind::Negative(_) | ExprKind::IsNone(_) | ExprKind::IsIn(_) => 1,
            ExprKind::Arith(..) | ExprKind::Index(..) | ExprKind::Square(..) | ExprKind::Part(..) => 1,
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Compare(..) | ExprKind::If(..) => 2,
            ExprKind::Builtin(builtin, _) => match builtin {
                Builtin::Abs | Builtin::Sign | Builtin::Min | Builtin::Max | Builtin::Even | Builtin::Odd => {
                    1
                }
                Builtin::Row | Builtin::Column | Builtin::Index | Builtin::After | Builtin::Before => 1,
                Builtin::Seat | Builtin::Step | Builtin::Wrapped => 2,
                _ => return None,
            },
            _ => return None,
        };
        let mut all = Some(own);
        children(e, &mut |part| all = all.zip(cost(part)).map(|(a, b)| a + b));
        all
    }
    const MAX_COST: usize = 8;
    let single = matches!(
        e.ty,
        Type::Int | Type::Bool | Type::Symbol(_) | Type::Player | Type::Square | Type::Optional(_)
    );
    single && cost(e).is_some_and(|cost| cost <= MAX_COST)
}

/// Whether an expression reads a local variable outside of loops only.
fn read_at_most_once(e: &Expr, slot: Slot) -> bool {
    if let ExprKind::Fold(fold) = &e.kind {
        let first = fold.sources.first().map(|source| &source.domain);
        let mut parts = Vec::new();
        first.into_iter().for_each(|domain| crate::ir::domain_parts(domain, &mut parts));
        let outside: usize = parts.iter().map(|part| count_uses(part, slot)).sum();
        return outside == count_uses(e, slot) && parts.into_iter().all(|part| read_at_most_once(part, slot));
    }
    let mut all = true;
    children(e, &mut |part| all = all && read_at_most_once(part, slot));
    all
}

/// Whether an expression always reads a local variable if its evaluation succeeds.
pub fn always_reads(e: &Expr, slot: Slot) -> bool {
    match &e.kind {
        ExprKind::Local(own) => *own == slot,
        ExprKind::And(a, _) | ExprKind::Or(a, _) => always_reads(a, slot),
        ExprKind::If(arms, otherwise) => {
            let first = arms.first().is_some_and(|(cond, _)| always_reads(cond, slot));
            first || arms.iter().all(|(_, value)| always_reads(value, slot)) && always_reads(otherwise, slot)
        }
        ExprKind::Compare(first, links) => {
            always_reads(first, slot) || links.first().is_some_and(|(_, second)| always_reads(second, slot))
        }
        ExprKind::Fold(fold) => {
            let mut parts = Vec::new();
            fold.sources
                .iter()
                .take(1)
                .for_each(|source| crate::ir::domain_parts(&source.domain, &mut parts));
            parts.into_iter().any(|part| always_reads(part, slot))
        }
        _ => {
            let mut any = false;
            children(e, &mut |part| any = any || always_reads(part, slot));
            any
        }
    }
}
