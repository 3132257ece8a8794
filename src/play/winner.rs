//! What decided a match: the rule that named the winner, or the values that the winner rule compared.

use super::Match;
use super::drawing::numbered_squares;
use super::sheet::compared;
use super::telling::reads_secret;
use crate::eval::{Machine, Position, text};
use crate::ir::{Arith, Expr, ExprKind, Fold, FoldKind, Game, Lambda, Op, SquareAt, Type, Value, WinnerBy};
use crate::source::Span;

/// What decided a match that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The rules named the winner explicitly, at this place.
    Named(Span),
    /// Players were compared by several values in turn, each breaking the ties left by the previous ones.
    Compared(Vec<Comparison>),
    /// The player (from 1) who made the last move, and the move; `None` if nobody moved.
    LastMover(Option<(usize, String)>),
    /// The players (from 1) who were still in.
    LastIn(Vec<usize>),
    /// The rules name no winner.
    Nothing,
}

/// The name under which points appear in a [`Comparison`].
pub(super) const SCORE: &str = "score";

/// A comparison of players by one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Whether the highest value is best.
    pub highest: bool,
    /// The compared value's name or a description of it.
    pub what: String,
    /// The players (from 1) who were still tied, and their values.
    pub values: Vec<(usize, String)>,
}

/// Returns whether the highest score wins, if the winner rule compares scores first; otherwise `None`.
pub fn score_decides(game: &Game) -> Option<bool> {
    let (highest, value) = first_compared(game)?;
    matches!(value.body.kind, ExprKind::Score(_)).then_some(highest)
}

/// Returns the first value by which the winner rule compares players, and whether the highest is best; `None` if it compares
/// none.
pub fn first_compared(game: &Game) -> Option<(bool, &Lambda)> {
    let winner = game.winner.as_ref()?;
    let WinnerBy::Best(by) = &winner.by else { return None };
    by.first().map(|(highest, value)| (*highest != winner.loser, value))
}

/// Returns who alone (from 0) is ahead by that value, secret or not, or the first of a team that is; `None` if nobody is, or if it
/// cannot be evaluated yet.
pub fn ahead(machine: &Machine, position: &Position) -> Option<usize> {
    let (highest, value) = first_compared(&machine.game)?;
    let of = |seat: usize| machine.ask(position, |env| env.call(value, vec![Value::Player(seat)])).ok();
    let values = (0..machine.setup.players).map(of).collect::<Option<Vec<Value>>>()?;
    let best = if highest { values.iter().max()? } else { values.iter().min()? };
    let mut leaders = values.iter().enumerate().filter(|(_, value)| *value == best).map(|(seat, _)| seat);
    let leader = leaders.next()?;
    leaders.all(|other| machine.interests.are_partners(leader, other)).then_some(leader)
}

impl Match {
    /// Returns what decided the match; `None` if it is not over or if a compared value cannot be evaluated.
    pub fn verdict(&self) -> Option<Verdict> {
        if !self.over() {
            return None;
        }
        let game = &self.rules.game;
        let position = self.position();
        if let Some(Op::End(Some(who))) = game.code.get(position.pc) {
            return Some(Verdict::Named(who.span));
        }
        self.so_far()
    }

    /// Returns what would decide the match if it ended now, using public information only: before the end,
    /// comparison stops at the first key that reads secret state. `None` if a value cannot be evaluated.
    pub fn so_far(&self) -> Option<Verdict> {
        let game = &self.rules.game;
        let Some(winner) = &game.winner else { return Some(Verdict::Nothing) };
        let is_in = |player: &usize| self.position().is_in[player - 1];
        Some(match &winner.by {
            WinnerBy::LastMover => Verdict::LastMover(self.last_choice()),
            WinnerBy::LastIn => Verdict::LastIn((1..=self.players()).filter(is_in).collect()),
            WinnerBy::Best(keys) => {
                let open = |(_, key): &&(bool, Lambda)| self.over() || !reads_secret(game, &key.body);
                Verdict::Compared(self.compared(&keys[..keys.iter().take_while(open).count()])?)
            }
        })
    }

    /// Returns the last mover (from 1) and that player's last choice.
    fn last_choice(&self) -> Option<(usize, String)> {
        let mover = self.position().last_mover? + 1;
        let last = self.entries().filter(|entry| entry.player == mover).last()?;
        Some((mover, self.entry_words(last)))
    }

    /// Returns the player (from 1) whose last move breaks the tie that the values compared have left, if that is how the match
    /// was decided.
    pub fn last_mover_among_tied(&self) -> Option<usize> {
        let winner =
            self.rules.game.winner.as_ref().filter(|winner| winner.then_last_mover && self.over())?;
        let WinnerBy::Best(keys) = &winner.by else { return None };
        let (_, tied) = self.ranked(keys)?;
        let mover = self.position().last_mover? + 1;
        (tied.len() > 1 && tied.contains(&mover)).then_some(mover)
    }

    /// Compares the players by one key after another until at most one is left in the lead.
    fn compared(&self, keys: &[(bool, Lambda)]) -> Option<Vec<Comparison>> {
        Some(self.ranked(keys)?.0)
    }

    /// Compares the players by one key after another, and also returns who (from 1) is left in the lead.
    fn ranked(&self, keys: &[(bool, Lambda)]) -> Option<(Vec<Comparison>, Vec<usize>)> {
        let position = self.position();
        let mut left: Vec<usize> = (0..self.players()).collect();
        let mut out = Vec::new();
        for (highest, key) in keys {
            let value =
                |seat: usize| self.machine().ask(position, |env| env.call(key, vec![Value::Player(seat)]));
            let values: Vec<(usize, Value)> =
                left.iter().map(|seat| Some((*seat, value(*seat).ok()?))).collect::<Option<_>>()?;
            let all = values.iter().map(|(_, value)| value);
            let best = if *highest { all.max() } else { all.min() }.cloned();
            out.push(Comparison {
                highest: *highest,
                what: match key.body.kind {
                    ExprKind::Score(_) => SCORE.to_string(),
                    _ => compared(self, key.body.span).unwrap_or_else(|| self.one_line(key.body.span)),
                },
                values: values
                    .iter()
                    .map(|(seat, value)| (seat + 1, text::spoken(&self.rules.game, value)))
                    .collect(),
            });
            left = values
                .into_iter()
                .filter(|(_, value)| Some(value) == best.as_ref())
                .map(|(seat, _)| seat)
                .collect();
            if left.len() < 2 {
                break;
            }
        }
        Some((out, left.into_iter().map(|seat| seat + 1).collect()))
    }

    /// Returns the parts of a score formula for a seat (from 0) with their values: the terms of a sum, or the
    /// elements that are counted or summed. Empty if the formula has no such parts.
    pub fn parts_of_points(&self, formula: &Lambda, seat: usize) -> Vec<(String, String)> {
        let mut frame = vec![Value::Unset; formula.frame.max(1)];
        if formula.params > 0 {
            frame[0] = Value::Player(seat);
        }
        let worth = |parts: &[&Expr]| {
            let told = self.machine().ask(self.position(), |env| Ok(self.operand_values(env, parts, &frame)));
            told.unwrap_or_default()
        };
        let mut terms = Vec::new();
        terms_of(&formula.body, &mut terms);
        match &formula.body.kind {
            ExprKind::Fold(fold) => self.gathered(fold, &frame),
            _ if terms.len() > 1 => worth(&terms),
            ExprKind::Index(_, at) => worth(&[at]),
            _ => Vec::new(),
        }
    }

    /// Returns the elements that a count or sum includes; for a sum, with each nonzero contribution.
    fn gathered(&self, fold: &Fold, frame: &[Value]) -> Vec<(String, String)> {
        let counts = fold.kind == FoldKind::Count;
        if !counts && fold.kind != FoldKind::Sum {
            return Vec::new();
        }
        let span = fold.body.span;
        let part = |kind: ExprKind, ty: Type| Expr { kind, ty, span };
        let filter = match (counts, fold.filter.clone()) {
            (true, Some(filter)) => {
                Some(part(ExprKind::And(Box::new(filter), Box::new(fold.body.clone())), Type::Bool))
            }
            (true, None) => Some(fold.body.clone()),
            (false, filter) => filter,
        };
        let slots = fold.sources.iter().flat_map(|source| &source.slots);
        let names = slots.map(|slot| part(ExprKind::Local(*slot), Type::Wrong)).collect();
        let brings = if counts { Vec::new() } else { vec![fold.body.clone()] };
        let element = part(ExprKind::Tuple(names), Type::Wrong);
        let body = part(ExprKind::Tuple([vec![element], brings].concat()), Type::Wrong);
        let list = Fold { kind: FoldKind::List, filter, body, ..fold.clone() };
        let list = part(ExprKind::Fold(Box::new(list)), Type::Wrong);
        let listed = self.machine().ask(self.position(), |env| env.eval(&list, &mut frame.to_vec()));
        let Ok(Value::List(items)) = listed else { return Vec::new() };
        let game = &self.rules.game;
        let drawn = |value: &Value| {
            let numbered = squares_of(value).and_then(|squares| numbered_squares(self, &squares));
            numbered.unwrap_or_else(|| text::spoken(game, value))
        };
        let told: Vec<String> = items
            .iter()
            .filter_map(|item| {
                let Value::List(parts) = item else { return None };
                let names = parts.first().map(&drawn)?;
                match parts.get(1) {
                    None => Some(names),
                    Some(brings) if *brings == Value::int(0) => None,
                    Some(brings) => Some(format!("{} for {names}", text::spoken(game, brings))),
                }
            })
            .collect();
        let what = if counts { "counted" } else { "summed" };
        if told.is_empty() { Vec::new() } else { vec![(what.to_string(), told.join("; "))] }
    }
}

/// Returns the squares of which a value consists; `None` if it contains anything else.
fn squares_of(value: &Value) -> Option<Vec<SquareAt>> {
    match value {
        Value::Square(square) => Some(vec![*square]),
        Value::List(parts) if !parts.is_empty() => {
            Some(parts.iter().map(squares_of).collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// Collects the terms of a chain of additions and subtractions.
fn terms_of<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Arith(Arith::Add | Arith::Sub, a, b) => {
            [a, b].into_iter().for_each(|side| terms_of(side, out))
        }
        _ => out.push(e),
    }
}
