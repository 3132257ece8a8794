//! Matches between bots, counted like those of a simulation.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use super::simulate::Played;
use crate::bots::{Bot, Clock, Memory, Mind};
use crate::eval::{NotStarted, Outcome, Setup};
use crate::play::{Match, Refused, Rng, Rules};

/// Matches in which bots have the seats.
pub struct Contest<'a> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The options, and how many play.
    pub setup: &'a Setup,
    /// The bot of each seat.
    pub bots: &'a [Bot],
    /// What they think with.
    pub mind: &'a Mind,
    /// Their clock. Once it hurries, matches are given up where they are, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed; match n (from 0) plays with a seed that both fix.
    pub seed: u64,
    /// After how many choices a match is given up.
    pub max_moves: u64,
}

impl Contest<'_> {
    /// Plays the matches with these numbers, in order, with their records if they are wanted.
    pub fn play(&self, numbers: Range<u64>, records: bool) -> Played {
        let mut played = Played::default();
        for n in numbers {
            match self.play_one(Rng::sub_seed(self.seed, n), records, &mut played) {
                Ok(true) => {}
                Ok(false) => break,
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

    /// Plays a match and counts it. `false`: it was given up, since the clock hurries.
    fn play_one(&self, seed: u64, records: bool, played: &mut Played) -> Result<bool, Refused> {
        let options = self.setup.options.iter().cloned().enumerate().collect();
        let begun = Match::new(self.rules.clone(), &options, self.setup.players, seed);
        let mut at = begun.map_err(|not| match not {
            NotStarted::Refused(sentence) => Refused::new("refused", sentence),
            NotStarted::Fault(fault) => Refused { fault: Some(fault), ..Refused::new("invalid_rules", "") },
        })?;
        let (mut moves, mut memory) = (0, Memory::default());
        while let (Some(player), true) = (at.to_move().first().copied(), moves < self.max_moves) {
            if self.clock.hurries() {
                return Ok(false);
            }
            let bot = self.bots[player - 1];
            let entry = self.mind.choose_next(&mut memory, &at, player, bot, self.clock)?;
            at.make(&entry)?;
            moves += 1;
        }
        let scores = at.scores().map_err(|fault| at.broken(&fault))?;
        let winners: Vec<usize> = at.winners().iter().map(|player| player - 1).collect();
        let outcome = at.over().then_some(Outcome { winners });
        played.tally.add(self.setup.players, outcome, moves, scores.as_deref());
        if records {
            let record = at.record().map_err(|fault| at.broken(&fault))?;
            let _ = writeln!(played.records, "{}", record.json());
        }
        Ok(true)
    }
}

/// Who plays which seat, as in "mcts:500 against greedy".
pub fn seating(bots: &[Bot]) -> String {
    bots.iter().map(Bot::to_string).collect::<Vec<_>>().join(" against ")
}
