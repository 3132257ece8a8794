//! Inlining: replaces each call by the function's body. Arguments are bound to names of their own, so they
//! are evaluated exactly once.

use super::rewrite::{At, Rule, made, nodes, rename};
use crate::ir::{Expr, ExprKind, Game};

/// The maximum number of nodes a call may expand to. Functions cannot be recursive, but each may call earlier
/// ones many times.
const MOST_NODES: usize = 50_000;

/// The rule of this pass.
pub struct Inline<'g> {
    /// The game that defines the functions.
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
        // Inline the calls within the function.
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
