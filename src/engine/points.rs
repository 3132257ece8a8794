//! Points that only add up: rules that never read them play on in the same way however many there are.

use super::identity::read_before_end;
use crate::ir::{
    Change, Effect, Expr, ExprKind, Form, Game, Op, Place, Scoring, StateId, Winner, WinnerBy, children,
};

/// Where the points are that only the final score reads, each with factor 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// The awards.
    Awarded,
    /// This state, which is only added to and subtracted from.
    Kept(StateId),
}

impl Points {
    /// Finds them; `None` if points can affect play before its end, or if scores are computed in any other way.
    pub fn of(game: &Game) -> Option<Points> {
        let points = match &game.scoring {
            Scoring::Awards => Points::Awarded,
            Scoring::Each(lambda) => match &lambda.body.kind {
                ExprKind::Table(id) => Points::Kept(*id),
                ExprKind::Own(id, owner) if !names(owner, *id) => Points::Kept(*id),
                _ => return None,
            },
            Scoring::None | Scoring::Named(_) => return None,
        };
        let read = read_before_end(game);
        if read.scores {
            return None;
        }
        if let Points::Kept(id) = points {
            let state = &game.state[id];
            // Any integer fits, and there is always one.
            let whole = matches!(state.form, Form::Int) && state.init.is_some() && state.reset_by.is_none();
            let added = game.code.iter().all(|op| is_added(op, id));
            if !whole || !added || read.states.contains(&id) {
                return None;
            }
        }
        is_compared(game.winner.as_ref(), points).then_some(points)
    }

    /// Whether an expression is the points of somebody.
    fn are(self, e: &Expr) -> bool {
        match (&e.kind, self) {
            (ExprKind::Score(_), _) => true,
            (ExprKind::Table(id) | ExprKind::Own(id, _), Points::Kept(own)) => *id == own,
            _ => false,
        }
    }

    /// Whether an expression mentions the points of anybody.
    fn are_in(self, e: &Expr) -> bool {
        let mut found = self.are(e);
        children(e, &mut |part| found = found || self.are_in(part));
        found
    }
}

/// Whether the rule for the winner at most compares points, which cannot fail.
fn is_compared(winner: Option<&Winner>, points: Points) -> bool {
    let Some(Winner { by: WinnerBy::Best(keys), .. }) = winner else { return true };
    keys.iter().all(|(_, lambda)| points.are(&lambda.body) || !points.are_in(&lambda.body))
}

/// Whether an op changes a state only by adding or subtracting numbers that do not depend on it.
fn is_added(op: &Op, id: StateId) -> bool {
    let Op::Do(Effect::Assign(places, values), _) = op else { return true };
    let adds = |(place, change): &(Place, Change)| {
        place.state != id || place.path.is_empty() && matches!(change, Change::Plus | Change::Minus)
    };
    places.iter().all(|(place, _)| place.state != id)
        || places.iter().all(adds) && !values.iter().any(|value| names(value, id))
}

/// Whether an expression mentions a state.
fn names(e: &Expr, id: StateId) -> bool {
    let mut found = matches!(&e.kind, ExprKind::Table(other) | ExprKind::Own(other, _) if *other == id);
    children(e, &mut |part| found = found || names(part, id));
    found
}
