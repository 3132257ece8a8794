//! How long it takes to evaluate an expression, in nodes, as far as facts tell.

use super::fact::Scope;
use super::facts::Facts;
use crate::ir::{Builtin, Domain, Expr, ExprKind, Type, children, domain_parts};

/// To find divisors, factors, or whether a number is prime, takes about as long as to evaluate so many nodes.
const DIVISIONS: u64 = 64;
/// The estimated number of elements of a domain of which nothing is known.
const UNKNOWN_SIZE: i128 = 16;
/// A number of elements above which nothing is taken to be known.
const MANY: i128 = 1 << 20;

/// Estimates how many nodes are evaluated for the value of an expression.
pub fn work(e: &Expr, facts: &Facts, scope: &Scope) -> u64 {
    let mut inside = 0u64;
    if let ExprKind::Fold(fold) = &e.kind {
        let mut rounds = 1u64;
        for source in &fold.sources {
            rounds = rounds.saturating_mul(elements(&source.domain, facts, scope));
        }
        for part in fold.filter.iter().chain(&fold.stop).chain([&fold.body]) {
            inside = inside.saturating_add(work(part, facts, scope));
        }
        let sources = fold.sources.iter().map(|source| work_of_domain(&source.domain, facts, scope));
        let before: u64 = sources.fold(0, u64::saturating_add);
        return before.saturating_add(inside.saturating_mul(rounds)).min(1 << 40);
    }
    let own = match &e.kind {
        ExprKind::Builtin(Builtin::Divisors | Builtin::Factors | Builtin::Prime, _) => DIVISIONS,
        // A value is compared with each element of a list, and one that is no single value with each of any collection.
        ExprKind::In(value, domain) => match &**domain {
            Domain::Values(of) if matches!(of.ty, Type::List(_)) || value.ty.is_collection() => {
                elements(domain, facts, scope)
            }
            _ => 1,
        },
        _ => 1,
    };
    children(e, &mut |part| inside = inside.saturating_add(work(part, facts, scope)));
    own.saturating_add(inside).min(1 << 40)
}

fn work_of_domain(domain: &Domain, facts: &Facts, scope: &Scope) -> u64 {
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().map(|part| work(part, facts, scope)).fold(0, u64::saturating_add)
}

/// Estimates the number of elements of a domain: the most that it may have, if that is known.
fn elements(domain: &Domain, facts: &Facts, scope: &Scope) -> u64 {
    let (_, most) = facts.count(domain, scope);
    let most = if most > MANY { UNKNOWN_SIZE } else { most };
    u64::try_from(most.max(1)).unwrap_or(1)
}
