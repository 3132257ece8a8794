//! Inlining: a function's body in the place of each call. Arguments are worked out once, under names of their own, so
//! that nothing is evaluated that was not before, and nothing twice.

use super::rewrite::{At, Rule, made, nodes, rename};
use crate::ir::{Expr, ExprKind, Game};

/// How many nodes one call may become. Functions cannot be recursive, but each may use the one before it many times.
const MOST_NODES: usize = 50_000;

/// The rule.
pub struct Inline<'g> {
    /// The game with its functions.
    pub game: &'g Game,
}

impl Rule for Inline<'_> {
    fn expr(&self, e: &mut Expr, at: &mut At) -> bool {
        let ExprKind::Call(id, args) = &mut e.kind else { return false };
        let lambda = &self.game.functions[*id].lambda;
        let mut body = lambda.body.clone();
        let first = *at.frame;
        *at.frame += lambda.frame;
        rename(&mut body, &mut |slot| first + slot);
        // What the function calls itself.
        super::rewrite::expr(self, &mut body, at);
        if nodes(&body) > MOST_NODES {
            return false;
        }
        let args = std::mem::take(args);
        for (param, arg) in args.into_iter().enumerate().rev() {
            let ty = body.ty.clone();
            body = made(ExprKind::Let(vec![first + param], Box::new(arg), Box::new(body)), ty, e);
        }
        e.kind = body.kind;
        true
    }
}
