//! A cache of results of functions that read nothing of the position and so always return the same.

use std::sync::OnceLock;

use super::append_only_cache::AppendOnlyCache;
use crate::ir::{Expr, ExprKind, Game, Value, children};

/// How many results of a function are kept. If there are more, none are: searching would take too long.
const MAX_RESULTS: usize = 8;
/// The fewest steps that a result must take to be kept.
const MIN_STEPS: u64 = 8;

/// The cached results of the functions of a game. Each is kept with the steps it took, and a cache hit costs
/// these steps too, so that caching is not observable.
#[derive(Debug, Clone)]
pub(super) struct CallCache(Vec<Option<FunctionCache>>);

/// The cached results of a function that reads nothing of the position.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionCache {
    /// Set once the results are not worth keeping.
    closed: OnceLock<()>,
    /// The value and the steps it took, by arguments.
    answers: AppendOnlyCache<Vec<Value>, (Value, u64), MAX_RESULTS>,
}

impl CallCache {
    /// Creates an empty cache.
    pub fn new(game: &Game) -> CallCache {
        let mut lasting = vec![None; game.functions.len()];
        let all = (0..game.functions.len())
            .map(|function| is_cacheable(game, function, &mut lasting).then(FunctionCache::default));
        CallCache(all.collect())
    }

    /// Returns the cache of a function, if its results are kept.
    pub fn of(&self, function: usize) -> Option<&FunctionCache> {
        self.0[function].as_ref().filter(|answered| answered.closed.get().is_none())
    }
}

impl FunctionCache {
    /// Returns the result for some arguments and the steps it took.
    pub fn find(&self, args: &[Value]) -> Option<&(Value, u64)> {
        self.answers.find(|asked| asked == args)
    }

    /// Keeps a result, or gives up the cache if it is full or the result took few steps.
    pub fn insert(&self, args: &[Value], value: &Value, steps: u64) {
        if steps < MIN_STEPS || !self.answers.insert(args.to_vec(), (value.clone(), steps)) {
            self.closed.get_or_init(|| ());
        }
    }
}

/// Whether a function reads nothing but its arguments and what is fixed when a match starts.
fn is_cacheable(game: &Game, function: usize, known: &mut [Option<bool>]) -> bool {
    fn lasting(game: &Game, e: &Expr, known: &mut [Option<bool>]) -> bool {
        let mut all = match &e.kind {
            ExprKind::Table(_)
            | ExprKind::Own(..)
            | ExprKind::Standing
            | ExprKind::IsIn(_)
            | ExprKind::Score(_) => false,
            ExprKind::Call(function, _) => is_cacheable(game, *function, known),
            _ => true,
        };
        children(e, &mut |part| all = all && lasting(game, part, known));
        all
    }
    if let Some(known) = known[function] {
        return known;
    }
    let found = lasting(game, &game.functions[function].lambda.body, known);
    known[function] = Some(found);
    found
}
