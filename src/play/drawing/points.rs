//! Whether the table shows how many points each player has.

use super::pieces::by_seat;
use crate::eval::{Env, Fault};
use crate::ir::{DrawnAs, Expr, ExprKind, Lambda, Scoring, StateId, Type, Value, shown_values};
use crate::play::Match;

/// The origin of a number: two expressions with the same origin are always equal.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The points of a seat, from 0.
    Points(usize),
    /// A piece of state, and the owner and indices that select a part of it.
    State(StateId, Vec<Value>),
    /// A function of the rules with these arguments.
    Function(usize, Vec<Value>),
}

/// Whether the table shows all players' points by seat: as points, as the underlying state, or as stores.
pub fn shows_points(played: &Match) -> bool {
    let game = &played.machine().game;
    let seats = played.players();
    let shown = |env: &Env| -> Result<bool, Fault> {
        let points: Vec<Source> = (0..seats).map(|seat| points(env, seat)).collect::<Result<_, _>>()?;
        for line in game.show.iter().filter(|line| line.drawn != Some(DrawnAs::Text)) {
            let frame = vec![Value::Unset; line.text.frame];
            let values = shown_values(&line.text.body);
            for value in &values {
                let Some((slot, body)) = by_seat(value) else { continue };
                let of = |seat: usize| {
                    let mut frame = frame.clone();
                    frame.resize(frame.len().max(slot + 1), Value::Unset);
                    frame[slot] = Value::Player(seat);
                    source(env, body, &frame)
                };
                let each: Vec<Option<Source>> = (0..seats).map(of).collect::<Result<_, _>>()?;
                if each.iter().flatten().eq(&points) {
                    return Ok(true);
                }
            }
            if line.drawn == Some(DrawnAs::Pits) {
                let stores = values.iter().filter(|value| value.ty == Type::Int);
                let each: Vec<Option<Source>> =
                    stores.map(|value| source(env, value, &frame)).collect::<Result<_, _>>()?;
                if each.iter().flatten().eq(&points) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    };
    played.machine().ask(played.position(), shown).unwrap_or(false)
}

/// Returns the origin of the points of a seat.
fn points(env: &Env, seat: usize) -> Result<Source, Fault> {
    let kept = |lambda: &Lambda| {
        let mut frame = vec![Value::Unset; lambda.frame.max(1)];
        frame[0] = Value::Player(seat);
        source(env, &lambda.body, &frame)
    };
    let kept = match &env.machine.game.scoring {
        Scoring::Each(lambda) => kept(lambda)?,
        Scoring::Named(lambdas) => lambdas.get(seat).map(kept).transpose()?.flatten(),
        Scoring::Awards | Scoring::None => None,
    };
    Ok(kept.unwrap_or(Source::Points(seat)))
}

/// Returns the origin of a value; `None` if it is computed from several.
fn source(env: &Env, e: &Expr, frame: &[Value]) -> Result<Option<Source>, Fault> {
    let value = |e: &Expr| env.eval(e, &mut frame.to_vec());
    Ok(match &e.kind {
        ExprKind::Table(id) => Some(Source::State(*id, Vec::new())),
        ExprKind::Own(id, of) => Some(Source::State(*id, vec![value(of)?])),
        ExprKind::Index(of, at) => match source(env, of, frame)? {
            Some(Source::State(id, mut places)) => {
                places.push(value(at)?);
                Some(Source::State(id, places))
            }
            _ => None,
        },
        ExprKind::Score(of) => match value(of)? {
            Value::Player(seat) => Some(points(env, seat)?),
            _ => None,
        },
        ExprKind::Call(function, args) => {
            let args: Vec<Value> = args.iter().map(value).collect::<Result<_, _>>()?;
            let lambda = &env.machine.game.functions[*function].lambda;
            let mut own = args.clone();
            own.resize(lambda.frame.max(own.len()), Value::Unset);
            Some(source(env, &lambda.body, &own)?.unwrap_or(Source::Function(*function, args)))
        }
        _ => None,
    })
}
