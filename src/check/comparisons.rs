//! Comparisons of whole numbers that are settled by the range of one side, or by other comparisons that must hold as
//! well.

use std::cmp::Ordering;

use super::Checker;
use super::certain::number;
use super::terms::same;
use crate::ir::{Arith, Compare, Domain, Expr, ExprKind, Form, Game, Type, children};
use crate::num::Int;
use crate::source::Span;

/// A value as a term, if it has one, and a number that is added to it: `length + 1`, `30`.
#[derive(Clone)]
pub(super) struct Sum<'e> {
    term: Option<&'e Expr>,
    number: Int,
}

impl<'e> Sum<'e> {
    /// Takes a value apart.
    pub fn of(e: &'e Expr) -> Sum<'e> {
        let plus = |of: &'e Expr, n: Int| {
            let sum = Sum::of(of);
            Sum { number: sum.number.add(&n), ..sum }
        };
        if let Some(number) = number(e) {
            return Sum { term: None, number };
        }
        match &e.kind {
            ExprKind::Arith(Arith::Add, a, b) => match (number(a), number(b)) {
                (Some(n), _) => plus(b, n),
                (_, Some(n)) => plus(a, n),
                _ => Sum { term: Some(e), number: Int::ZERO },
            },
            ExprKind::Arith(Arith::Sub, a, b) => match number(b) {
                Some(n) => plus(a, Int::ZERO.sub(&n)),
                None => Sum { term: Some(e), number: Int::ZERO },
            },
            _ => Sum { term: Some(e), number: Int::ZERO },
        }
    }

    /// Compares two sums whose terms are the same.
    fn cmp(&self, game: &Game, other: &Sum) -> Option<Ordering> {
        let alike = match (self.term, other.term) {
            (None, None) => true,
            (Some(one), Some(other)) => same(game, one, other),
            _ => false,
        };
        alike.then(|| self.number.cmp(&other.number))
    }

    /// Returns the end of a range, if it does not change during a match.
    fn end(e: &'e Expr) -> Option<Sum<'e>> {
        let sum = Sum::of(e);
        sum.term.is_none_or(is_fixed).then_some(sum)
    }

    fn words(&self, checker: &Checker) -> String {
        let Some(term) = self.term else { return self.number.to_string() };
        let term = checker.written(term.span);
        match self.number.cmp(&Int::ZERO) {
            Ordering::Equal => term.to_string(),
            Ordering::Greater => format!("{term} + {}", self.number),
            Ordering::Less => format!("{term} - {}", Int::ZERO.sub(&self.number)),
        }
    }
}

/// Whether a value depends on nothing but options and constants.
fn is_fixed(e: &Expr) -> bool {
    let own = matches!(
        e.kind,
        ExprKind::Option(_) | ExprKind::Constant(_) | ExprKind::Value(_) | ExprKind::Arith(..)
    );
    let mut all = own;
    children(e, &mut |part| all = all && is_fixed(part));
    all
}

/// Consecutive numbers: the least and the greatest, where there is one.
#[derive(Clone)]
pub(super) struct Numbers<'e>(Option<Sum<'e>>, Option<Sum<'e>>);

impl<'e> Numbers<'e> {
    /// The numbers from 0 up.
    pub fn from_zero() -> Numbers<'e> {
        Numbers(Some(Sum { term: None, number: Int::ZERO }), None)
    }

    /// The only number that a value is which never changes.
    pub fn of_value(e: &'e Expr) -> Numbers<'e> {
        Numbers(Some(Sum::of(e)), Some(Sum::of(e)))
    }

    /// Whether none of them is below 0.
    pub fn is_never_negative(&self, game: &Game) -> bool {
        self.settle(game, Compare::AtLeast, &Sum { term: None, number: Int::ZERO }) == Some(true)
    }

    /// Returns the numbers that a place of this form holds.
    pub fn of_form(form: &'e Form) -> Option<Numbers<'e>> {
        match form {
            Form::Range(low, high) => Some(Numbers(Sum::end(low), Sum::end(high))),
            Form::AtLeast(low) => Some(Numbers(Sum::end(low), None)),
            _ => None,
        }
    }

    /// Returns the numbers of a domain whose ends do not change.
    pub fn of_domain(domain: &'e Domain) -> Option<Numbers<'e>> {
        match domain {
            Domain::Where(_, of, _) => Numbers::of_domain(of),
            Domain::Range(low, high) => Some(Numbers(Some(Sum::end(low)?), Some(Sum::end(high)?))),
            Domain::AtLeast(low) => Some(Numbers(Some(Sum::end(low)?), None)),
            _ => None,
        }
    }

    /// Returns whether a comparison of each of these with a value comes out the same, and how.
    pub fn settle(&self, game: &Game, op: Compare, n: &Sum) -> Option<bool> {
        let Numbers(low, high) = self;
        let (under, over) =
            (high.as_ref().and_then(|high| high.cmp(game, n)), low.as_ref().and_then(|low| low.cmp(game, n)));
        let (all_less, all_greater) = (under == Some(Ordering::Less), over == Some(Ordering::Greater));
        let (at_most, at_least) = (under.is_some_and(Ordering::is_le), over.is_some_and(Ordering::is_ge));
        match op {
            Compare::Less if all_less => Some(true),
            Compare::Less if at_least => Some(false),
            Compare::AtMost if at_most => Some(true),
            Compare::AtMost if all_greater => Some(false),
            Compare::Greater if all_greater => Some(true),
            Compare::Greater if at_most => Some(false),
            Compare::AtLeast if at_least => Some(true),
            Compare::AtLeast if all_less => Some(false),
            Compare::Equal if all_less || all_greater => Some(false),
            Compare::NotEqual if all_less || all_greater => Some(true),
            _ => None,
        }
    }

    /// Returns these numbers in words.
    pub fn words(&self, checker: &Checker) -> String {
        let words = |end: &Option<Sum>| end.as_ref().map(|end| end.words(checker));
        match (words(&self.0), words(&self.1)) {
            (Some(low), Some(high)) if low == high => low,
            (Some(low), Some(high)) => format!("{low}..{high}"),
            (Some(low), None) => format!("{low} or more"),
            (None, Some(high)) => format!("{high} or less"),
            (None, None) => "any number".to_string(),
        }
    }
}

/// A comparison of a term with another value: `n > quantity + 1`.
struct Link<'e> {
    term: &'e Expr,
    op: Compare,
    /// The other value, without what is added to the term.
    bound: Sum<'e>,
    span: Span,
}

impl<'e> Link<'e> {
    fn of(a: &'e Expr, op: Compare, b: &'e Expr) -> Option<Link<'e>> {
        let (left, right) = (Sum::of(a), Sum::of(b));
        let bound = Sum { number: right.number.sub(&left.number), ..right };
        let is_number = op != Compare::Divides && a.ty == Type::Int && b.ty == Type::Int;
        is_number.then_some(Link { term: left.term?, op, bound, span: Span::new(a.span.start, b.span.end) })
    }

    /// Returns the least and the greatest number that the term may be, beyond the term of the bound.
    fn ends(&self) -> (Option<Int>, Option<Int>) {
        let (n, one) = (self.bound.number.clone(), Int::from(1));
        match self.op {
            Compare::Less => (None, Some(n.sub(&one))),
            Compare::AtMost => (None, Some(n)),
            Compare::Greater => (Some(n.add(&one)), None),
            Compare::AtLeast => (Some(n), None),
            Compare::Equal => (Some(n.clone()), Some(n)),
            Compare::NotEqual | Compare::Divides => (None, None),
        }
    }

    /// Whether no number meets both.
    fn excludes(&self, game: &Game, other: &Link) -> bool {
        if !same(game, self.term, other.term) || self.bound.cmp(game, &other.bound).is_none() {
            return false;
        }
        let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
        let beyond =
            |low: Option<Int>, high: Option<Int>| low.zip(high).is_some_and(|(low, high)| low > high);
        let differs = matches!(
            (self.op, other.op),
            (Compare::Equal, Compare::NotEqual) | (Compare::NotEqual, Compare::Equal)
        );
        beyond(low, other_high)
            || beyond(other_low, high)
            || differs && self.bound.number == other.bound.number
    }
}

/// Returns two comparisons among conditions that must all hold which never hold together.
pub(super) fn contradiction<'e>(
    game: &Game,
    conditions: impl IntoIterator<Item = &'e Expr>,
) -> Option<(Span, Span)> {
    let mut links: Vec<Link> = Vec::new();
    conditions.into_iter().for_each(|condition| gather(condition, &mut links));
    let pair = |(at, link): (usize, &Link<'e>)| {
        let before =
            links[..at].iter().find(|before| link.span != before.span && link.excludes(game, before));
        before.map(|before| (before.span, link.span))
    };
    links.iter().enumerate().find_map(pair)
}

/// Gathers the comparisons that hold if a condition does, each from both sides.
fn gather<'e>(condition: &'e Expr, links: &mut Vec<Link<'e>>) {
    match &condition.kind {
        ExprKind::And(a, b) => [a, b].into_iter().for_each(|part| gather(part, links)),
        ExprKind::Compare(first, rest) => {
            let firsts = [&**first].into_iter().chain(rest.iter().map(|(_, b)| b));
            for (a, (op, b)) in firsts.zip(rest) {
                links.extend(Link::of(a, *op, b));
                links.extend(Link::of(b, op.mirrored(), a));
            }
        }
        _ => {}
    }
}
