//! Sentences about what decides who wins, part by part, and about parts that never do.

use super::super::sums::{ENOUGH, proportion};
use super::super::words::shown;
use super::{KnownFigure, VerdictBuilder, widening};
use crate::explore::counted;
use crate::play::and;

/// A part of the winner rule that decides less than this says little about the game.
const OFTEN: f64 = 0.1;

impl VerdictBuilder<'_> {
    /// Says how often each part of the winner rule decides, where there are several.
    pub(super) fn deciders(&mut self) {
        let all = self.report.deciders.first().map_or(0, |first| first.reached);
        if all < ENOUGH {
            return;
        }
        let known = |part: usize| self.known(&format!("winner.{}", part + 1));
        let parts = self.report.deciders.iter().enumerate();
        let parts: Vec<(&str, KnownFigure)> =
            parts.filter_map(|(part, decider)| Some((decider.name.as_str(), known(part)?))).collect();
        let decides = parts.iter().filter(|(_, share)| share.value > 0.0);
        let told: Vec<String> =
            decides.map(|(name, share)| format!("`{name}` in {}", shown(share.figure))).collect();
        // Where the first part decides all, what is to be said is that the others have nothing to do.
        if !told.is_empty() && self.report.deciders[0].decided < all {
            let text = format!("who wins is decided by {} of the matches", and(&told));
            self.say(false, "winner.1", format!("{text}{}", self.in_whose_favour()));
        }
        self.idle_deciders(all);
    }

    /// Names the seats that a tie-break favours.
    fn in_whose_favour(&self) -> String {
        let sides = &self.report.sides;
        let breaks = self.report.deciders.iter().enumerate().skip(1);
        let wider = widening(sides.len() * self.report.deciders.len());
        let told = breaks.filter_map(|(part, decider)| {
            let decided = decider.decided;
            self.known(&format!("winner.{}", part + 1)).filter(|share| share.value >= OFTEN)?;
            let (seat, won) = decider.seats.iter().enumerate().max_by_key(|(_, won)| **won)?;
            let share = proportion(*won as f64, decided);
            let low = share.value - wider * (share.value - share.interval[0]);
            let how = if *won == decided {
                "each time".to_string()
            } else {
                format!("in {} of {decided} matches", won)
            };
            let side = sides.iter().find(|side| side.seats[0] == seat + 1)?;
            (low > 1.0 / sides.len() as f64)
                .then(|| format!("; `{}` decides for {} {how}", decider.name, side.name))
        });
        told.collect()
    }

    /// Names the parts that decide nothing in `all` matches, or everything although others come before them.
    fn idle_deciders(&mut self, all: u64) {
        let deciders = &self.report.deciders;
        let (mut told, mut unneeded) = (Vec::new(), Vec::new());
        for (at, decider) in deciders.iter().enumerate() {
            let (name, reached) = (&decider.name, decider.reached);
            let matches = counted(all, "match", "matches");
            match decider.narrowed {
                _ if at > 0 && decider.decided == all => {
                    let claim = format!("the tie-break `{name}` decides every match");
                    told.push((true, claim.clone(), format!("{claim}: {matches} without exception")));
                }
                0 if at == 0 && deciders.iter().any(|later| later.decided == all) => {}
                0 if at == 0 => {
                    let claim = format!("`{name}` never decides who wins");
                    let text = format!("{claim}: players were level in it in each of {matches}");
                    told.push((true, claim, text));
                }
                0 if reached == 0 => unneeded.push(format!("`{name}`")),
                0 => {
                    let claim = format!("the tie-break `{name}` never breaks a tie");
                    let came = counted(reached, "match that came to it", "matches that came to it");
                    let text = format!("{claim}: players were still level after it in each of {came}");
                    told.push((reached >= ENOUGH, claim, text));
                }
                _ => {}
            }
        }
        if !unneeded.is_empty() {
            let them = if unneeded.len() == 1 { "tie-break" } else { "tie-breaks" };
            let matches = counted(all, "match", "matches");
            let text = format!("the {them} {} never had a tie to break in {matches}", and(&unneeded));
            told.push((false, text.clone(), text));
        }
        for (warning, claim, text) in told {
            self.say_that(&claim, warning, "winner.1", text);
        }
    }
}
