//! Walks over expressions.

use std::collections::{BTreeSet, HashSet};

use super::{Domain, Expr, ExprKind, Fold, Move, MoveCheck, Slot, TextPart};

/// The two walks, to look and to change: the same steps, by shared or by unique reference.
macro_rules! walks {
    ($parts:ident, $children:ident $(, $mutable:tt)?) => {
        /// The expressions of a domain.
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

        /// Calls `on` with each direct part of an expression.
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
    };
}

walks!(domain_parts, children);
walks!(domain_parts_mut, children_mut, mut);

/// The expressions that decide which arguments of a move are legal: those of its checks, then of its domains.
pub fn legality_parts(mv: &Move) -> Vec<&Expr> {
    let mut parts: Vec<&Expr> = mv.checks.iter().map(MoveCheck::expr).collect();
    let domains = mv.params.iter().flat_map(|param| param.domain.iter().chain(&param.tried));
    domains.for_each(|domain| domain_parts(domain, &mut parts));
    parts
}

/// The slots that the binders in an expression fill.
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

/// Whether a domain reads one of these slots.
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
