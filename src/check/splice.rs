//! `row[a..b] := list`: replaces a slice of a list by another list, of any length.

use super::Checker;
use super::expr::{boxed, of};
use super::flow::{Around, NOT_OWN, local, number};
use crate::ast::{self, Assign, BinaryOp};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Builtin, Change, Domain, Effect, Expr, ExprKind, Op, Slot, Type};
use crate::source::Span;

impl<'a> Checker<'a> {
    /// Checks an assignment to a slice of a list. Returns whether the statement is one.
    ///
    /// The row becomes the elements before the slice, the new list, and the elements after it. Reading the
    /// slice first checks that it lies within the row. An empty slice replaces nothing: the list is inserted
    /// before `a`.
    pub(super) fn splice(
        &mut self,
        target: &'a ast::Expr,
        op: Assign,
        value: &'a ast::Expr,
        around: &Around<'a>,
        span: Span,
    ) -> bool {
        let ast::ExprKind::Index(base, at) = &target.kind else { return false };
        let [ast::Expr { kind: ast::ExprKind::Binary(BinaryOp::Range, low, high), .. }] = at.as_slice()
        else {
            return false;
        };
        let mark = self.diagnostics.len();
        let Some((place, ty @ Type::List(_))) = self.place_or_none(base) else {
            self.diagnostics.truncate(mark);
            return false;
        };
        if op != Assign::Set {
            self.report(
                Diagnostic::new(
                    Code::CannotChange,
                    span,
                    "only `:=` can change part of a list",
                    "a different sign",
                )
                .help("write `row[a..b] := row[a..b] ++ …`"),
            );
            return true;
        }
        self.check_own_write(around, span, NOT_OWN, Some(&place));
        let (low, high) = (self.expect(low, &Type::Int), self.expect(high, &Type::Int));
        let (first, last) = (self.named(low, span), self.named(high, span));
        let whole = self.expr(base, None);
        let (first, last) = (local(first, Type::Int, span), local(last, Type::Int, span));
        let one = || boxed(number(1, span));
        let int = |kind| of(kind, Type::Int, span);
        let stretch = |from: Expr, to: Expr| {
            let places = Domain::Range(from, to);
            let places = of(ExprKind::Listed(Box::new(places)), Type::List(Box::new(Type::Int)), target.span);
            of(ExprKind::Pick(boxed(whole.clone()), boxed(places)), ty.clone(), target.span)
        };
        self.named(stretch(first.clone(), last.clone()), span);
        let new = self.expect(value, &ty);
        let before = stretch(number(1, span), int(ExprKind::Arith(Arith::Sub, boxed(first.clone()), one())));
        let next = int(ExprKind::Arith(Arith::Add, boxed(last), one()));
        let behind = int(ExprKind::Builtin(Builtin::Max, vec![first, next]));
        let behind = stretch(behind, int(ExprKind::Builtin(Builtin::Size, vec![whole.clone()])));
        let join = |a, b| of(ExprKind::Builtin(Builtin::JoinLists, vec![a, b]), ty.clone(), span);
        let row = join(join(before, new), behind);
        self.emit(Op::Do(Effect::Assign(vec![(place, Change::Set)], vec![row]), span));
        true
    }

    /// Evaluates a value here and returns the slot that holds it.
    fn named(&mut self, value: Expr, span: Span) -> Slot {
        let slot = self.frame.slot();
        self.emit(Op::Do(Effect::Let(vec![slot], value), span));
        slot
    }
}
