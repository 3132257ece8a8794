//! Patterns in the rule language: the form of a value, and what replaces it.
//!
//! One capital letter stands for any value, or for the names of a source; two stand for one or more sources.
//! Names that only the replacement binds are fresh at each place.

use std::collections::BTreeMap;

use parlour::ast::*;
use parlour::source::Source;
use parlour::syntax::parse;

use super::facts::Facts;
use super::print;
use super::walk;

/// What the letters of a pattern stand for.
pub type Bound = BTreeMap<String, Vec<Expr>>;

/// Parses a pattern.
pub fn read(text: &str) -> Expr {
    let (mut file, diagnostics) = parse(&Source::new("pattern", &format!("define pattern() = {text}")));
    assert!(diagnostics.is_empty(), "`{text}` cannot be read: {diagnostics:?}");
    match file.items.pop().map(|item| item.kind) {
        Some(ItemKind::Define(_, _, body)) => body,
        _ => panic!("`{text}` is no value"),
    }
}

/// Returns the name if it consists of exactly this many capital letters.
fn letters(e: &Expr, count: usize) -> Option<&str> {
    match &e.kind {
        ExprKind::Name(name) if name.len() == count && name.bytes().all(|c| c.is_ascii_uppercase()) => {
            Some(name)
        }
        _ => None,
    }
}

/// Returns what the letters stand for, if a value matches a pattern.
pub fn matched(pattern: &Expr, e: &Expr) -> Option<Bound> {
    let mut bound = Bound::new();
    fits(pattern, e, &mut bound).then_some(bound)
}

fn fits(pattern: &Expr, e: &Expr, bound: &mut Bound) -> bool {
    use ExprKind as K;
    if let Some(letter) = letters(pattern, 1) {
        return put(letter, vec![e.clone()], bound);
    }
    match (&pattern.kind, &e.kind) {
        (K::Name(a), K::Name(b)) => a == b,
        (K::Number(a), K::Number(b)) => a == b,
        (K::Bool(a), K::Bool(b)) => a == b,
        (K::None, K::None) => true,
        (K::Call(a, all), K::Call(b, others)) => a.text == b.text && inside(all, others, bound),
        (K::List(all), K::List(others)) | (K::Set(all), K::Set(others)) => inside(all, others, bound),
        (K::Tuple(a), K::Tuple(b)) => every(a, b, bound),
        (K::Index(a, at), K::Index(b, other)) => fits(a, b, bound) && every(at, other, bound),
        (K::Field(a, field), K::Field(b, other)) => field.text == other.text && fits(a, b, bound),
        (K::Not(a), K::Not(b)) | (K::Negative(a), K::Negative(b)) => fits(a, b, bound),
        (K::Binary(op, a, b), K::Binary(other, c, d)) => {
            op == other && fits(a, c, bound) && fits(b, d, bound)
        }
        (K::Compare(a, links), K::Compare(b, others)) => {
            links.len() == others.len()
                && fits(a, b, bound)
                && links.iter().zip(others).all(|((op, a), (other, b))| op == other && fits(a, b, bound))
        }
        (K::Is(a, not, test), K::Is(b, other_not, other)) => {
            not == other_not && same_test(test, other) && fits(a, b, bound)
        }
        (K::If(arms, last), K::If(others, other_last)) => {
            arms.len() == others.len()
                && arms.iter().zip(others).all(|((a, b), (c, d))| fits(a, c, bound) && fits(b, d, bound))
                && fits(last, other_last, bound)
        }
        _ => false,
    }
}

fn same_test(a: &IsTest, b: &IsTest) -> bool {
    match (a, b) {
        (IsTest::None, IsTest::None) | (IsTest::In, IsTest::In) | (IsTest::Out, IsTest::Out) => true,
        (IsTest::Predicate(a), IsTest::Predicate(b)) => a.text == b.text,
        _ => false,
    }
}

fn every(patterns: &[Expr], all: &[Expr], bound: &mut Bound) -> bool {
    if let [before @ .., rest] = patterns
        && let Some(letters) = letters(rest, 2)
    {
        let count = before.len();
        return all.len() > count
            && all.iter().all(|item| walk::source(item).is_some())
            && every(before, &all[..count], bound)
            && put(letters, all[count..].to_vec(), bound);
    }
    patterns.len() == all.len() && patterns.iter().zip(all).all(|(pattern, e)| fits(pattern, e, bound))
}

fn inside(pattern: &Inside, all: &Inside, bound: &mut Bound) -> bool {
    let tails = [(&pattern.filter, &all.filter), (&pattern.stop, &all.stop), (&pattern.body, &all.body)];
    every(&pattern.items, &all.items, bound)
        && tails.into_iter().all(|(pattern, e)| match (pattern, e) {
            (None, None) => true,
            (Some(pattern), Some(e)) => fits(pattern, e, bound),
            _ => false,
        })
}

fn put(letters: &str, all: Vec<Expr>, bound: &mut Bound) -> bool {
    let text = |all: &[Expr]| all.iter().map(print::expr).collect::<Vec<_>>();
    match bound.get(letters) {
        Some(known) => text(known) == text(&all),
        None => {
            bound.insert(letters.to_string(), all);
            true
        }
    }
}

/// Returns a pattern with values for its letters.
pub fn filled(pattern: &Expr, bound: &Bound, facts: &Facts) -> Expr {
    let mut e = pattern.clone();
    let fresh: BTreeMap<String, String> = walk::bound(&e)
        .into_iter()
        .filter(|name| !name.bytes().all(|c| c.is_ascii_uppercase()))
        .map(|name| (name.clone(), facts.fresh(&name)))
        .collect();
    walk::rename(&mut e, &|name| fresh.get(name).cloned());
    fill(&mut e, bound);
    e
}

fn fill(e: &mut Expr, bound: &Bound) {
    if let Some(letter) = letters(e, 1) {
        *e = bound[letter][0].clone();
        return;
    }
    match &mut e.kind {
        ExprKind::Call(_, inside) | ExprKind::List(inside) | ExprKind::Set(inside) => {
            let items = std::mem::take(&mut inside.items);
            for mut item in items {
                match letters(&item, 2) {
                    Some(all) => inside.items.extend(bound[all].iter().cloned()),
                    None => {
                        fill(&mut item, bound);
                        inside.items.push(item);
                    }
                }
            }
            let tail = [&mut inside.filter, &mut inside.stop, &mut inside.body];
            tail.into_iter().flatten().for_each(|part| fill(part, bound));
        }
        _ => walk::children_mut(e).into_iter().for_each(|child| fill(child, bound)),
    }
}
