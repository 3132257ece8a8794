//! Walks over expressions.

use std::collections::HashSet;

use super::{Domain, Expr, ExprKind, Fold, Slot, TextPart};

/// The expressions of a domain.
pub fn domain_parts<'e>(domain: &'e Domain, out: &mut Vec<&'e Expr>) {
    match domain {
        Domain::Ints => {}
        Domain::Range(a, b) => out.extend([a, b]),
        Domain::Values(e) | Domain::Permutations(e) => out.push(e),
        Domain::Arrangements(count, of) | Domain::Lists(count, of) => {
            out.push(count);
            domain_parts(of, out);
        }
        Domain::Subsets(of, size) => {
            out.push(of);
            out.extend(size);
        }
        Domain::Tuples(parts) => parts.iter().for_each(|part| domain_parts(part, out)),
    }
}

/// Calls `on` with each direct part of an expression.
pub fn children<'e>(e: &'e Expr, on: &mut impl FnMut(&'e Expr)) {
    let domain = |d: &'e Domain, on: &mut dyn FnMut(&'e Expr)| {
        let mut parts = Vec::new();
        domain_parts(d, &mut parts);
        parts.into_iter().for_each(on);
    };
    match &e.kind {
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
        | ExprKind::Part(a, _) => on(a),
        ExprKind::Arith(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b)
        | ExprKind::Square(a, b)
        | ExprKind::Pick(a, b) => {
            on(a);
            on(b);
        }
        ExprKind::Compare(a, links) => {
            on(a);
            links.iter().for_each(|(_, b)| on(b));
        }
        ExprKind::In(a, d) => {
            on(a);
            domain(d, on);
        }
        ExprKind::If(arms, otherwise) => {
            for (cond, value) in arms {
                on(cond);
                on(value);
            }
            on(otherwise);
        }
        ExprKind::Text(parts) => {
            for part in parts {
                if let TextPart::Value(value) = part {
                    on(value);
                }
            }
        }
        ExprKind::Call(_, args)
        | ExprKind::Builtin(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::List(args)
        | ExprKind::Set(args) => args.iter().for_each(on),
        ExprKind::With(a, b, c) => {
            on(a);
            on(b);
            on(c);
        }
        ExprKind::Listed(d) => domain(d, on),
        ExprKind::Fold(fold) => {
            let Fold { sources, filter, stop, body, .. } = &**fold;
            sources.iter().for_each(|source| domain(&source.domain, on));
            filter.iter().chain(stop).for_each(&mut *on);
            on(body);
        }
    }
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

/// Calls `on` with each direct part of an expression, to change it.
pub fn children_mut(e: &mut Expr, on: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
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
        | ExprKind::Part(a, _) => on(a),
        ExprKind::Arith(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b)
        | ExprKind::Square(a, b)
        | ExprKind::Pick(a, b) => {
            on(a);
            on(b);
        }
        ExprKind::Compare(a, links) => {
            on(a);
            links.iter_mut().for_each(|(_, b)| on(b));
        }
        ExprKind::In(a, d) => {
            on(a);
            domain_parts_mut(d, on);
        }
        ExprKind::If(arms, otherwise) => {
            for (cond, value) in arms {
                on(cond);
                on(value);
            }
            on(otherwise);
        }
        ExprKind::Text(parts) => {
            for part in parts {
                if let TextPart::Value(value) = part {
                    on(value);
                }
            }
        }
        ExprKind::Call(_, args)
        | ExprKind::Builtin(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::List(args)
        | ExprKind::Set(args) => args.iter_mut().for_each(on),
        ExprKind::With(a, b, c) => {
            on(a);
            on(b);
            on(c);
        }
        ExprKind::Listed(d) => domain_parts_mut(d, on),
        ExprKind::Fold(fold) => {
            fold.sources.iter_mut().for_each(|source| domain_parts_mut(&mut source.domain, on));
            fold.filter.iter_mut().chain(&mut fold.stop).for_each(&mut *on);
            on(&mut fold.body);
        }
    }
}

fn domain_parts_mut(domain: &mut Domain, on: &mut dyn FnMut(&mut Expr)) {
    match domain {
        Domain::Ints => {}
        Domain::Range(a, b) => {
            on(a);
            on(b);
        }
        Domain::Values(e) | Domain::Permutations(e) => on(e),
        Domain::Arrangements(count, of) | Domain::Lists(count, of) => {
            on(count);
            domain_parts_mut(of, on);
        }
        Domain::Subsets(of, size) => {
            on(of);
            size.iter_mut().for_each(on);
        }
        Domain::Tuples(parts) => parts.iter_mut().for_each(|part| domain_parts_mut(part, on)),
    }
}
