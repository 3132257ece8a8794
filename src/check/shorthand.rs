//! Short forms that stand for longer ones, which the checker writes in their place: `4 copies of each of 1..9`,
//! `subsets(1..3, S)`, `last(L, 3)`, `increasing(L)`.

use super::expr::{boxed, of};
use super::{Checker, wrong};
use crate::ast::{self, BinaryOp};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Source, Type, Value};
use crate::num::Int;
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn copies_of_one(&mut self, count: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Expr {
        let count = self.expect(count, &Type::Int);
        let value = self.expr(value, None);
        let ty = Type::List(Box::new(value.ty.clone()));
        of(ExprKind::Builtin(Builtin::CopiesOf, vec![count, value]), ty, span)
    }

    /// Makes `k copies of each of S` to `[c in S, copy in k copies of c: copy]`.
    pub(super) fn copies_of_each(
        &mut self,
        count: &'a ast::Expr,
        of_each: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let count = self.expect(count, &Type::Int);
        let of_each = self.gone_through(of_each);
        let (domain, element) = self.domain(of_each);
        self.must_be_finite(&domain, of_each.span);
        let list = |ty: Type| Type::List(Box::new(ty));
        self.bind_once(&[count], |this, count| {
            let (one, copy) = (this.frame.slot(), this.frame.slot());
            let value = of(ExprKind::Local(one), element.clone(), span);
            let copies = ExprKind::Builtin(Builtin::CopiesOf, vec![count[0].clone(), value]);
            let copies = of(copies, list(element.clone()), span);
            let sources = vec![
                Source { slots: vec![one], domain },
                Source { slots: vec![copy], domain: Domain::Values(copies) },
            ];
            let body = of(ExprKind::Local(copy), element.clone(), span);
            let fold = Fold { kind: FoldKind::List, sources, filter: None, stop: None, body };
            of(ExprKind::Fold(Box::new(fold)), list(element.clone()), span)
        })
    }

    /// Makes `first(L, k)` to `L[1..k]`, and `last(L, k)` to `L[size(L) - k + 1..size(L)]`.
    pub(super) fn stretch_at_end(&mut self, first: bool, list: &Expr, k: &Expr, span: Span) -> Expr {
        self.bind_once(&[list.clone(), k.clone()], |_, values| {
            let [list, k] = values else { return wrong(span) };
            let one = int(ExprKind::Value(Value::int(1)), span);
            let (from, to) = match first {
                true => (one, k.clone()),
                false => {
                    let size = int(ExprKind::Builtin(Builtin::Size, vec![list.clone()]), span);
                    let before = ExprKind::Arith(Arith::Sub, boxed(size.clone()), boxed(k.clone()));
                    let from = ExprKind::Arith(Arith::Add, boxed(int(before, span)), boxed(one));
                    (int(from, span), size)
                }
            };
            let places = ExprKind::Listed(Box::new(Domain::Range(from, to)));
            let places = of(places, Type::List(Box::new(Type::Int)), span);
            of(ExprKind::Pick(boxed(list.clone()), boxed(places)), list.ty.clone(), span)
        })
    }

    /// Makes `increasing(L)` to `all(k in 1..size(L) - 1: L[k] < L[k + 1])`.
    pub(super) fn in_order(&mut self, upwards: bool, list: &Expr, span: Span) -> Expr {
        self.bind_once(std::slice::from_ref(list), |this, list| {
            let slot = this.frame.slot();
            let place = || boxed(int(ExprKind::Local(slot), span));
            let one = || boxed(int(ExprKind::Value(Value::int(1)), span));
            let element = |at| int(ExprKind::Index(boxed(list[0].clone()), at), span);
            let next = boxed(int(ExprKind::Arith(Arith::Add, place(), one()), span));
            let op = if upwards { Compare::Less } else { Compare::Greater };
            let rises = ExprKind::Compare(boxed(element(place())), vec![(op, element(next))]);
            let size = boxed(int(ExprKind::Builtin(Builtin::Size, vec![list[0].clone()]), span));
            let end = int(ExprKind::Arith(Arith::Sub, size, one()), span);
            let sources = vec![Source { slots: vec![slot], domain: Domain::Range(*one(), end) }];
            let body = of(rises, Type::Bool, span);
            let fold = Fold { kind: FoldKind::All, sources, filter: None, stop: None, body };
            of(ExprKind::Fold(Box::new(fold)), Type::Bool, span)
        })
    }

    /// Reads `subsets(1..3, S)`, and makes `arrangements(1..3, D)` to `lists(1..3, D) where distinct(c)`.
    pub(super) fn of_sizes(
        &mut self,
        name: &ast::Name,
        items: &'a [ast::Expr],
        span: Span,
    ) -> Option<(Domain, Type)> {
        let [sizes, source] = items else { return None };
        let of_subsets = match name.text.as_str() {
            "subsets" => true,
            "arrangements" => false,
            _ => return None,
        };
        let (low, high) = match &sizes.kind {
            ast::ExprKind::Binary(BinaryOp::Range, low, high) => (low, Some(high)),
            ast::ExprKind::AtLeast(low) => (low, None),
            _ => return None,
        };
        let bad = Some((Domain::Values(wrong(span)), Type::Wrong));
        let slot = self.frame.slot();
        let low = self.expect(low, &Type::Int);
        let high = high.map(|high| self.expect(high, &Type::Int));
        if of_subsets {
            let set = self.expr(source, None);
            let Some(element) = set.ty.element() else {
                self.check_type(&set, &Type::Set(Box::new(Type::Int)));
                return bad;
            };
            let ty = Type::Set(Box::new(element));
            // No set has fewer elements than none.
            let any = matches!(&low.kind, ExprKind::Value(Value::Int(n)) if *n <= Int::ZERO);
            let domain = if any && high.is_none() {
                Domain::Subsets(set, None)
            } else {
                Domain::SubsetsFrom(low, high, set)
            };
            return Some((domain, ty));
        }
        let Some(high) = high else {
            let (low, of) = (self.written(low.span), self.written(source.span));
            let message = "an arrangement has no more elements than there are";
            let report = Diagnostic::new(Code::TypeMismatch, sizes.span, message, "two ends are needed");
            self.report(
                report.help(format!("with all of them at most: `arrangements({low}..size({of}), {of})`")),
            );
            return bad;
        };
        let (domain, element) = self.domain(source);
        let ty = Type::List(Box::new(element));
        let chosen = of(ExprKind::Local(slot), ty.clone(), span);
        let condition = Box::new(of(ExprKind::Builtin(Builtin::Distinct, vec![chosen]), Type::Bool, span));
        let lists = Domain::ListsFrom(low, Some(high), Box::new(domain));
        Some((Domain::Where(slot, Box::new(lists), condition), ty))
    }
}

fn int(kind: ExprKind, span: Span) -> Expr {
    of(kind, Type::Int, span)
}

/// Makes a list that is written as copies a bag, where a bag is wanted.
pub(super) fn copies_as_bag(written: &ast::Expr, made: Expr, want: Option<&Type>) -> Expr {
    match (want, &made.ty) {
        (Some(Type::Bag(_)), Type::List(element)) if is_of_copies(written) => {
            let (ty, span) = (Type::Bag(element.clone()), made.span);
            of(ExprKind::Builtin(Builtin::ToBag, vec![made]), ty, span)
        }
        _ => made,
    }
}

/// Whether something is written as copies, or as several lists of which one is.
fn is_of_copies(e: &ast::Expr) -> bool {
    match &e.kind {
        ast::ExprKind::Binary(BinaryOp::Copies | BinaryOp::CopiesOfEach, ..) => true,
        ast::ExprKind::Binary(BinaryOp::Join, a, b) => is_of_copies(a) || is_of_copies(b),
        _ => false,
    }
}
