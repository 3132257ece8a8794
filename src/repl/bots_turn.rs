//! The bots at the table: they choose as soon as it is their turn.

use super::screen::{self, Steps};
use super::{Disk, Session};
use crate::bots::Clock;

/// How many choices bots make in a row before they ask whether to go on.
const MANY: usize = 1000;

/// The clock of the outside.
pub(super) struct OfDisk<'d>(pub &'d dyn Disk);

impl Clock for OfDisk<'_> {
    fn millis(&self) -> u64 {
        self.0.millis()
    }

    fn hurries(&self) -> bool {
        self.0.hurries()
    }
}

impl Session {
    /// Lets the bots choose until a person is to choose, the match is over, or they have gone on for long.
    pub(super) fn bots_turn(&mut self) -> String {
        let Some(table) = &self.table else { return String::new() };
        let steps = Steps::from(table.played.clone(), self.screen());
        self.bots_answer(steps)
    }

    /// The same, told together with what a person has just done.
    pub(super) fn bots_answer(&mut self, mut steps: Steps) -> String {
        let look = self.screen();
        let clock = OfDisk(&*self.disk);
        let Some(table) = &mut self.table else { return String::new() };
        // Who only watches wants to see every step.
        let watched = table.people().is_empty();
        let mut parts = Vec::new();
        for made in 0.. {
            if table.paused {
                break;
            }
            let due =
                table.played.to_move().into_iter().find_map(|seat| Some((seat, *table.bots.get(&seat)?)));
            let Some((seat, bot)) = due else { break };
            if made == MANY {
                table.paused = true;
                steps.note(format!("the bots have made {MANY} choices; `:go` lets them go on"));
                break;
            }
            let name = format!("{} ({})", table.rules.game.seat_name(seat - 1), bot);
            let before = table.glimpse();
            let done = table.bot_choice(seat, bot, &clock).and_then(|entry| {
                let json = table.played.entry_json(&entry);
                let args = json["args"].as_object().cloned().unwrap_or_default();
                table.play(seat, &entry.name, &args)
            });
            match done {
                Ok(done) if done.waiting_for.is_empty() => {
                    steps.made(table, &before, true);
                    if watched {
                        let next = Steps::from(table.played.clone(), look);
                        parts.push(std::mem::replace(&mut steps, next).text(table));
                    }
                }
                Ok(_) if table.next_person().is_some() => steps.note(format!("{name} has chosen")),
                Ok(_) => {}
                Err(refused) => {
                    table.paused = true;
                    steps.note(format!(
                        "{name} cannot choose: {}; choose for it with `{seat}: MOVE`, or `:seat {seat} person`",
                        refused.message
                    ));
                    break;
                }
            }
        }
        parts.push(steps.text(table));
        screen::join(parts)
    }
}
