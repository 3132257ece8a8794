//! Short forms that stand for longer ones, which the checker writes in their place: `4 copies of each of 1..9`.

use super::Checker;
use super::expr::of;
use crate::ast::{self, BinaryOp};
use crate::ir::{Builtin, Domain, Expr, ExprKind, Fold, FoldKind, Source, Type};
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
