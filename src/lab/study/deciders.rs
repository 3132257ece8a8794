//! Which part of the winner rule decides matches, and for whom.

use serde::{Deserialize, Serialize};

use super::Study;
use super::figures::{FigureHead, Parts};
use super::report::{Decider, Figure, Unit};
use super::sums::{each, proportion};
use crate::engine::Engine;
use crate::eval::Outcome;
use crate::ir::{Lambda, Winner, WinnerBy};
use crate::play::{Comparison, Match, Rules, Verdict};

/// What one part of the winner rule did, in numbers of matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct PartCounts {
    /// Several players were level in the parts before it.
    reached: u64,
    /// It left some of them out.
    narrowed: u64,
    /// It was the last to do so.
    decided: u64,
    /// Of these: by the seat that it left alone, or the first seat of the team.
    seats: Vec<u64>,
}

/// What the parts of the winner rule did in several matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Decisions {
    parts: Vec<PartCounts>,
    /// The matches in which players were compared, and those after which all were level in everything.
    all: u64,
    level: u64,
}

impl Decisions {
    /// Adds the end of a match.
    pub fn add(&mut self, rules: &Rules, end: &Match, outcome: &Outcome) {
        let Some(winner) = &rules.game.winner else { return };
        let (Some(Verdict::Compared(compared)), Some(parts)) = (end.verdict(), names(rules, winner)) else {
            return;
        };
        let named: Vec<usize> = match winner.loser {
            true => (0..end.players()).filter(|seat| !outcome.winners.contains(seat)).collect(),
            false => outcome.winners.clone(),
        };
        let Some((last, first)) = compared.last().zip(named.first()) else { return };
        // Partners are level in everything, so a team counts as one.
        let interests = end.machine().interests;
        let stands_for_side =
            |player: &usize| !(1..*player).any(|other| interests.are_partners(other - 1, player - 1));
        let sides = |players: &mut dyn Iterator<Item = usize>| players.filter(stands_for_side).count();
        // All who are named have the same value in the last comparison, and so have those whom only the last move leaves out.
        let own = last.values.iter().find(|(player, _)| *player == first + 1).map(|(_, value)| value);
        let level = last.values.iter().filter(|(_, value)| Some(value) == own);
        let level = sides(&mut level.map(|(player, _)| *player));
        let in_it = |comparison: &Comparison| sides(&mut comparison.values.iter().map(|(player, _)| *player));
        let mut left: Vec<usize> = compared.iter().map(in_it).collect();
        left.push(level);
        if winner.then_last_mover && level > 1 {
            left.push(named.len());
        }
        self.parts.resize(self.parts.len().max(parts.len()), PartCounts::default());
        let mut decided = None;
        for (part, sizes) in left.windows(2).enumerate() {
            if part > 0 && sizes[0] == 1 {
                break;
            }
            self.parts[part].reached += 1;
            if sizes[1] < sizes[0] {
                self.parts[part].narrowed += 1;
                decided = Some(part);
            }
        }
        self.all += 1;
        let Some(part) = decided else {
            self.level += 1;
            return;
        };
        let counts = &mut self.parts[part];
        counts.decided += 1;
        if sides(&mut named.iter().map(|seat| seat + 1)) == 1 {
            counts.seats.resize(end.players(), 0);
            counts.seats[*first] += 1;
        }
    }

    pub fn join(&mut self, other: &Decisions) {
        each(&mut self.parts, &other.parts, |own, others| {
            own.reached += others.reached;
            own.narrowed += others.narrowed;
            own.decided += others.decided;
            each(&mut own.seats, &others.seats, |own, others| *own += others);
        });
        self.all += other.all;
        self.level += other.level;
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
        let one = |(part, name)| {
            let PartCounts { reached, narrowed, decided, mut seats } =
                found.parts.get(part).cloned().unwrap_or_default();
            seats.resize(self.players(), 0);
            Decider { name, reached, narrowed, decided, seats }
        };
        names.map(one).collect()
    }

    pub(super) fn about_deciders(&self, parts: &Parts) -> Vec<Figure> {
        let found = &parts.strong.decisions;
        let all = found.all;
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
            "the share of these matches in which all players are level in all of these",
            found.level,
        );
        let meaning = "the share of the matches in which players are compared that this part of the winner rule decides: \
                       it is the last to leave somebody out";
        let several = !names.is_empty();
        let each = names.into_iter().enumerate().map(|(part, name)| {
            let decided = found.parts.get(part).map_or(0, |counts| counts.decided);
            (format!("winner.{}", part + 1), format!("decided by {name}"), meaning, decided)
        });
        each.chain(several.then_some(level)).map(figure).collect()
    }
}
