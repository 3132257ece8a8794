//! What functions said: one that reads nothing of the position says the same for the same arguments all match long.

use std::sync::OnceLock;

use super::few::Few;
use crate::ir::{Expr, ExprKind, Game, Value, children};

/// How many answers of a function are kept. One that is asked for more has none kept: to find them would take too long.
const FEW: usize = 8;
/// How many steps an answer takes at least that is kept.
const LONG: u64 = 8;

/// The answers of the functions of a game. The steps each took are kept with it, and whoever gets it from here pays
/// them too; so nobody can tell whether it was worked out or found.
#[derive(Debug, Clone)]
pub(super) struct Answers(Vec<Option<Answered>>);

/// What one function said that reads nothing of the position.
#[derive(Debug, Clone, Default)]
pub(super) struct Answered {
    /// Filled where its answers are not worth keeping.
    closed: OnceLock<()>,
    /// By arguments, value and steps.
    answers: Few<Vec<Value>, (Value, u64), FEW>,
}

impl Answers {
    /// No answers yet.
    pub fn new(game: &Game) -> Answers {
        let mut lasting = vec![None; game.functions.len()];
        let all = (0..game.functions.len())
            .map(|function| is_lasting(game, function, &mut lasting).then(Answered::default));
        Answers(all.collect())
    }

    /// Where the answers of a function are kept, if they are.
    pub fn of(&self, function: usize) -> Option<&Answered> {
        self.0[function].as_ref().filter(|answered| answered.closed.get().is_none())
    }
}

impl Answered {
    /// The answer for some arguments, and the steps it took.
    pub fn find(&self, args: &[Value]) -> Option<&(Value, u64)> {
        self.answers.find(|asked| asked == args)
    }

    /// Keeps an answer.
    pub fn keep(&self, args: &[Value], value: &Value, steps: u64) {
        if steps < LONG || !self.answers.keep(args.to_vec(), (value.clone(), steps)) {
            self.closed.get_or_init(|| ());
        }
    }
}

/// Whether a function reads nothing but its arguments and what is fixed when a match starts.
fn is_lasting(game: &Game, function: usize, known: &mut [Option<bool>]) -> bool {
    fn lasting(game: &Game, e: &Expr, known: &mut [Option<bool>]) -> bool {
        let mut all = match &e.kind {
            ExprKind::Table(_)
            | ExprKind::Own(..)
            | ExprKind::Standing
            | ExprKind::IsIn(_)
            | ExprKind::Score(_) => false,
            ExprKind::Call(function, _) => is_lasting(game, *function, known),
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
