//! What decided a match: the rule that named the winner, or the values the winner rule compared.

use super::Match;
use crate::eval::text;
use crate::ir::{Op, Value, WinnerBy};
use crate::source::Span;

/// What decided a match that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The rules named the winner where they ended: the place.
    Named(Span),
    /// Players were compared by values, one after another where they were level.
    Compared(Vec<Comparison>),
    /// Who made the last move: a player, from 1, and the move, where somebody moved at all.
    LastMover(Option<(usize, String)>),
    /// Who was still in: players, from 1.
    LastIn(Vec<usize>),
    /// Nothing: the rules name no winner.
    Nothing,
}

/// Players compared by a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Whether the highest value is the best.
    pub highest: bool,
    /// What is compared, as written.
    pub what: String,
    /// The players (from 1) that were level until then, and their values.
    pub values: Vec<(usize, String)>,
}

impl Match {
    /// What decided the match; `None` while it goes on, and where a value cannot be worked out.
    pub fn verdict(&self) -> Option<Verdict> {
        if !self.over() {
            return None;
        }
        let game = &self.rules.game;
        let position = self.position();
        if let Some(Op::End(Some(who))) = game.code.get(position.pc) {
            return Some(Verdict::Named(who.span));
        }
        let Some(winner) = &game.winner else { return Some(Verdict::Nothing) };
        Some(match &winner.by {
            WinnerBy::LastMover => {
                let last = self
                    .entries()
                    .filter(|entry| Some(entry.player) == position.last_mover.map(|seat| seat + 1));
                Verdict::LastMover(last.last().map(|entry| (entry.player, self.entry_words(entry))))
            }
            WinnerBy::LastIn => {
                Verdict::LastIn((1..=self.players()).filter(|player| position.is_in[player - 1]).collect())
            }
            WinnerBy::Best(keys) => {
                let mut left: Vec<usize> = (0..self.players()).collect();
                let mut out = Vec::new();
                for (highest, key) in keys {
                    let value = |seat: usize| {
                        self.machine().ask(position, |env| env.call(key, vec![Value::Player(seat)]))
                    };
                    let values: Vec<(usize, Value)> =
                        left.iter().map(|seat| Some((*seat, value(*seat).ok()?))).collect::<Option<_>>()?;
                    let all = values.iter().map(|(_, value)| value);
                    let best = if *highest { all.max() } else { all.min() }.cloned();
                    out.push(Comparison {
                        highest: *highest,
                        what: self
                            .rules
                            .source
                            .slice(key.body.span)
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" "),
                        values: values
                            .iter()
                            .map(|(seat, value)| (seat + 1, text::words(game, value)))
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
                Verdict::Compared(out)
            }
        })
    }
}
