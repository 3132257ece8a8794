//! Matches between bots, counted like those of a simulation.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use super::simulate::Played;
use crate::bots::{Bot, Clock, Memory, Mind};
use crate::eval::{NotStarted, Outcome, Setup};
use crate::play::{Entry, Match, Refused, Rng, Rules};

/// Matches in which bots have the seats.
pub struct Contest<'a> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The options and the number of players.
    pub setup: &'a Setup,
    /// The bot of each seat.
    pub bots: &'a [Bot],
    /// What the bots think with.
    pub mind: &'a Mind,
    /// The bots' clock. Once it hurries, matches are abandoned, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed; together with its number `n` (from 0), it determines the seed of a match.
    pub seed: u64,
    /// The number of choices after which a match is abandoned.
    pub max_moves: u64,
}

impl Contest<'_> {
    /// Plays the matches with these numbers, in order, and writes their records if `records` is set.
    pub fn play(&self, numbers: Range<u64>, records: bool) -> Played {
        let mut played = Played::default();
        for n in numbers {
            match self.end(n).and_then(|end| end.map(|end| end.count(records, &mut played)).transpose()) {
                Ok(Some(())) => {}
                Ok(None) => break,
                Err(refused) => {
                    match refused.fault {
                        Some(fault) => played.broken = Some((n, fault)),
                        None => played.refused = Some((n, refused.message)),
                    }
                    break;
                }
            }
        }
        played
    }

    /// Plays match number `n` to its end, or up to the most choices. `None`: it was abandoned because the
    /// clock hurries.
    pub fn end(&self, n: u64) -> Result<Option<End>, Refused> {
        let (mut end, mut memory) = (self.begin(n)?, Memory::default());
        while !end.at.to_move().is_empty() && end.moves < self.max_moves {
            if self.clock.must_stop() {
                return Ok(None);
            }
            let entry = match self.chosen(&mut memory, &end.at) {
                // Some bots have no answer when they are interrupted.
                Err(refused) if refused.fault.is_none() && self.clock.must_stop() => return Ok(None),
                chosen => chosen?,
            };
            end.at.make(&entry)?;
            end.moves += 1;
        }
        Ok(Some(end))
    }

    /// Returns match number `n` before its first choice.
    fn begin(&self, n: u64) -> Result<End, Refused> {
        let options = self.setup.options.iter().cloned().enumerate().collect();
        let seed = Rng::sub_seed(self.seed, n);
        let begun = Match::new(self.rules.clone(), &options, self.setup.players, seed);
        let at = begun.map_err(|not| match not {
            NotStarted::Refused(sentence) => Refused::new("refused", sentence),
            NotStarted::Fault(fault) => Refused { fault: Some(fault), ..Refused::new("invalid_rules", "") },
        })?;
        Ok(End { at, moves: 0 })
    }

    /// Returns the next choice; in a joint choice, that of the first player who has yet to choose.
    fn chosen(&self, memory: &mut Memory, at: &Match) -> Result<Entry, Refused> {
        let player = at.to_move()[0];
        self.mind.answer(memory, at, player, self.bots[player - 1], self.clock).map(|answer| answer.entry)
    }

    /// Returns the choices and draws of match number `n` as lines of an example, up to and including the
    /// choice that breaks the rules. Empty if it breaks before the first choice.
    pub fn example_lines(&self, n: u64) -> Vec<String> {
        let Ok(End { mut at, .. }) = self.begin(n) else { return Vec::new() };
        let (mut last, mut memory) = (None, Memory::default());
        for _ in 0..self.max_moves {
            let Some(entry) = Some(&at)
                .filter(|at| !at.to_move().is_empty())
                .and_then(|at| self.chosen(&mut memory, at).ok())
            else {
                break;
            };
            if at.make(&entry).is_err() {
                last = Some(entry);
                break;
            }
        }
        let line = |entry: &Entry| match entry.player {
            0 => format!("  chance {}", at.entry_words(entry)),
            player => format!("  {player}: {}", at.entry_words(entry)),
        };
        at.entries().chain(at.sealed()).chain(&last).map(line).collect()
    }
}

/// A match that bots have played.
pub struct End {
    /// The match where it ended or was abandoned.
    pub at: Match,
    /// The number of choices made.
    pub moves: u64,
}

impl End {
    /// Returns the winners, from 0; `None` if the match was abandoned.
    pub fn outcome(&self) -> Option<Outcome> {
        let winners = self.at.winners().iter().map(|player| player - 1).collect();
        self.at.over().then_some(Outcome { winners })
    }

    /// Counts the match, and writes its record if `records` is set.
    fn count(&self, records: bool, played: &mut Played) -> Result<(), Refused> {
        let End { at, moves } = self;
        let scores = at.scores().map_err(|fault| at.broken(&fault))?;
        played.tally.add(at.players(), self.outcome(), *moves, scores.as_deref());
        if records {
            let record = at.record().map_err(|fault| at.broken(&fault))?;
            let _ = writeln!(played.records, "{}", record.json());
        }
        Ok(())
    }
}

/// Describes who plays which seat, such as "mcts:500 against greedy".
pub fn seating(bots: &[Bot]) -> String {
    bots.iter().map(Bot::to_string).collect::<Vec<_>>().join(" against ")
}
