//! Which part of the winner rule decides matches, and for whom.

use serde::{Deserialize, Serialize};

use super::Study;
use super::figures::{FigureHead, Parts};
use super::report::{Decider, Figure, Unit};
use super::sums::{each, proportion};
use crate::engine::Engine;
use crate::eval::Outcome;
use crate::ir::{Lambda, Winner, WinnerBy};
use crate::play::{Match, Rules, Verdict};

/// How many matches each part of the winner rule decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Decisions {
    /// By part, and by the seat that it left alone.
    parts: Vec<Vec<u64>>,
    /// The matches after which several players were level in all parts.
    level: u64,
}

impl Decisions {
    /// Adds the end of a match.
    pub fn add(&mut self, rules: &Rules, end: &Match, outcome: &Outcome) {
        let Some(winner) = &rules.game.winner else { return };
        let (Some(Verdict::Compared(compared)), Some(parts)) = (end.verdict(), names(rules, winner)) else {
            return;
        };
        let Some(last) = compared.last() else { return };
        let named: Vec<usize> = match winner.loser {
            true => (0..end.players()).filter(|seat| !outcome.winners.contains(seat)).collect(),
            false => outcome.winners.clone(),
        };
        let [seat] = named.as_slice() else {
            self.level += 1;
            return;
        };
        // The last comparison leaves one player, unless the last mover is chosen from several.
        let own = last.values.iter().find(|(player, _)| *player == seat + 1).map(|(_, value)| value);
        let tied = last.values.iter().filter(|(_, value)| Some(value) == own).count() > 1;
        self.decide(if tied { parts.len() - 1 } else { compared.len() - 1 }, *seat);
    }

    fn decide(&mut self, part: usize, seat: usize) {
        self.parts.resize(self.parts.len().max(part + 1), Vec::new());
        let seats = &mut self.parts[part];
        seats.resize(seats.len().max(seat + 1), 0);
        seats[seat] += 1;
    }

    pub fn join(&mut self, other: &Decisions) {
        each(&mut self.parts, &other.parts, |own, others| each(own, others, |own, others| *own += others));
        self.level += other.level;
    }

    fn of(&self, part: usize) -> u64 {
        self.parts.get(part).map_or(0, |seats| seats.iter().sum())
    }

    fn all(&self) -> u64 {
        self.level + (0..self.parts.len()).map(|part| self.of(part)).sum::<u64>()
    }
}

/// Returns the parts of a rule that compares players, as they are written; `None` if it compares none.
fn names(rules: &Rules, winner: &Winner) -> Option<Vec<String>> {
    let WinnerBy::Best(keys) = &winner.by else { return None };
    let key = |(highest, key): &(bool, Lambda)| {
        let text = rules.source.slice(key.body.span).split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} {text}", if *highest { "highest" } else { "lowest" })
    };
    let last = winner.then_last_mover.then(|| "last mover".to_string());
    Some(keys.iter().map(key).chain(last).collect())
}

impl<E: Engine> Study<'_, E> {
    /// Returns the parts of a winner rule that has several.
    fn parts_of_winner(&self) -> Vec<String> {
        let names = self.rules.game.winner.as_ref().and_then(|winner| names(self.rules, winner));
        names.filter(|names| names.len() > 1 && self.players() > 1).unwrap_or_default()
    }

    /// Returns how often each part of the winner rule decided a match.
    pub(super) fn deciders(&self, parts: &Parts) -> Vec<Decider> {
        let found = &parts.strong.decisions;
        let names = self.parts_of_winner().into_iter().enumerate();
        let one = |(part, name)| Decider {
            name,
            reached: found.all() - (0..part).map(|before| found.of(before)).sum::<u64>(),
            seats: (0..self.players())
                .map(|seat| found.parts.get(part).and_then(|seats| seats.get(seat)).copied().unwrap_or(0))
                .collect(),
        };
        names.map(one).collect()
    }

    pub(super) fn about_deciders(&self, parts: &Parts) -> Vec<Figure> {
        let found = &parts.strong.decisions;
        let all = found.all();
        let none = "no match was decided by comparing players".to_string();
        let none_ended = self.why_none_ended(parts.strong.matches, parts.strong.unfinished);
        let why = if parts.strong.any_ended() { none } else { none_ended };
        let names = self.parts_of_winner();
        let figure = |(key, title, meaning, matches): (String, String, &str, u64)| {
            FigureHead { key: &key, title: &title, meaning, unit: Unit::Share, series: "strong" }
                .of((all > 0).then(|| proportion(matches as f64, all)), &why)
        };
        let level = (
            "winner.level".to_string(),
            "level to the last".to_string(),
            "the share of these matches in which several players are level in all of these",
            found.level,
        );
        let meaning = "the share of the matches in which players are compared that this part of the winner rule decides: \
                       it leaves one player";
        let several = !names.is_empty();
        let each = names.into_iter().enumerate().map(|(part, name)| {
            (format!("winner.{}", part + 1), format!("decided by {name}"), meaning, found.of(part))
        });
        each.chain(several.then_some(level)).map(figure).collect()
    }
}
