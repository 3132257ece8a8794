//! The tutor: before a person makes a move that costs much, it says what the move costs and asks whether it is meant.

use super::review::{figure, percent};
use super::typed::{ParsedMove, Question};
use super::{Reply, Session, Table};
use crate::bots::{Effort, Measure};
use crate::lab::{ReviewedChoice, Reviewer};

/// The effort for advice on the choice, and again for each move that the advice does not tell of.
const EFFORT: Effort = Effort::Millis(1000);

impl Session {
    /// Turns the tutor on or off, or says whether it is on.
    pub(super) fn tutor(&mut self, how: &str) -> Reply {
        let on = match how {
            "on" => true,
            "off" => false,
            "" => {
                return Reply::say(match self.tutors {
                    true => "the tutor is on; `:tutor off` turns it off",
                    false => {
                        "the tutor is off; `:tutor on` lets it warn you before you make a move that costs much"
                    }
                });
            }
            other => {
                return Reply::refuse(format!("`:tutor {other}`: write `:tutor on` or `:tutor off`"));
            }
        };
        self.tutors = on;
        let blind = self.table.as_ref().is_some_and(|table| !table.may_be_told());
        Reply::say(match (on, blind) {
            (false, _) => "you are no longer warned",
            (true, false) => "you are warned before you make a move that costs much",
            (true, true) => {
                "you are warned before you make a move that costs much, but not in this match: others would learn from it \
                 what is hidden from them"
            }
        })
    }

    /// Returns the question whether a person means to make a costly move, if the tutor is on.
    pub(super) fn second_thoughts(&self, meant: &ParsedMove) -> Option<Question> {
        let table = self.table.as_ref().filter(|table| self.tutors && table.may_be_told())?;
        if table.bots.contains_key(&meant.seat) {
            return None;
        }
        let whole = &table.played;
        let entry = whole.meant(meant.seat, &meant.name, &meant.args).ok()?;
        let clock = self.disk.clock();
        // What a hint has found out is known to the tutor, too.
        table.mind().solve_soon(&*clock);
        let advice = self.advice_for(table, meant.seat, EFFORT, &*clock).ok()?;
        let reviewer = Reviewer { whole, mind: table.mind(), effort: EFFORT, seed: 0 };
        self.disk.progress(Some((0.0, "thinking")));
        let judged = reviewer.choice(&entry, advice, &*clock);
        self.disk.progress(None);
        let judged = judged.ok()?;
        let asked = format!("{}; play it all the same?", cost_words(table, &judged)?);
        Some(Question::doubtful(&table.played, meant.clone(), asked))
    }
}

/// Says what a move would cost, without naming a better one; `None` if that is little or nothing.
fn cost_words(table: &Table, judged: &ReviewedChoice) -> Option<String> {
    // A move that belongs to a mix may be taken for one that does not if the mix is only estimated.
    if !judged.is_turning() || judged.mixed && !judged.is_surely_apart() {
        return None;
    }
    let (best, made) = (judged.best.as_ref()?, judged.played.as_ref()?);
    let (text, seat) = (table.played.entry_words(&judged.entry), judged.entry.player - 1);
    let has_won = |end: &Option<crate::bots::Proof>| end.is_some_and(|end| end.wins(seat));
    // By an equilibrium, a move that gets nothing may win all the same if others err.
    let lost = made.exact && made.value == 0.0 && !judged.by_equilibrium;
    Some(match judged.measure {
        Measure::Score { .. } => format!(
            "`{text}` would lead to a score of about {}, and another move to {}",
            figure(made.value),
            figure(best.value)
        ),
        Measure::Share if has_won(&best.end) => {
            let left =
                if lost { "and lose".to_string() } else { format!("and leave {}", percent(made.value)) };
            format!("`{text}` would give away a certain win {left}")
        }
        Measure::Share if lost => format!("`{text}` would lose for certain, and another move would not"),
        Measure::Share => format!(
            "`{text}` would cost about {} of the win: {} instead of {}",
            percent(judged.cost()),
            percent(made.value),
            percent(best.value)
        ),
    })
}
