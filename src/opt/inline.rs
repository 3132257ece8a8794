//! Inlining: replaces each call by the function's body. Arguments are bound to names of their own, so they
//! are evaluated exactly once.

use super::rewrite::{Rule, RuleContext, let_in};
use crate::ir::{Expr, ExprKind, Game, children, rename_slots};

/// The maximum number of nodes a call may expand to. Functions cannot be recursive, but each may call earlier
/// ones many times.
const MOST_NODES: usize = 50_000;

/// The rule of this pass.
pub struct Inline<'g> {
    /// The game that defines the functions.
    game: &'g Game,
    /// The number of nodes of each function's body once the calls within it are inlined.
    sizes: Vec<usize>,
}

impl Inline<'_> {
    /// Creates the rule for a game, which is not the one that is rewritten.
    pub fn new(game: &Game) -> Inline<'_> {
        let mut sizes = vec![None; game.functions.len()];
        let sizes = (0..game.functions.len()).map(|id| expanded(game, id, &mut sizes)).collect();
        Inline { game, sizes }
    }
}

/// Returns the number of nodes of a function's body, counting the bodies of the functions it calls.
fn expanded(game: &Game, id: usize, sizes: &mut [Option<usize>]) -> usize {
    fn nodes(game: &Game, e: &Expr, sizes: &mut [Option<usize>]) -> usize {
        let mut count = match e.kind {
            ExprKind::Call(id, _) => expanded(game, id, sizes),
            _ => 1,
        };
        children(e, &mut |part| count = count.saturating_add(nodes(game, part, sizes)));
        count
    }
    match sizes[id] {
        Some(known) => known,
        None => {
            let size = nodes(game, &game.functions[id].lambda.body, sizes);
            sizes[id] = Some(size);
            size
        }
    }
}

impl Rule for Inline<'_> {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let ExprKind::Call(id, args) = &mut e.kind else { return false };
        if self.sizes[*id] > MOST_NODES {
            return false;
        }
        let lambda = &self.game.functions[*id].lambda;
        let mut body = lambda.body.clone();
        let first = *at.frame;
        *at.frame += lambda.frame;
        rename_slots(&mut body, &mut |slot| first + slot);
        // Inline the calls within the function.
        super::rewrite::expr(self, &mut body, at);
        let args = std::mem::take(args);
        for (param, arg) in args.into_iter().enumerate().rev() {
            body = let_in(first + param, arg, body, e.span);
        }
        e.kind = body.kind;
        true
    }
}
