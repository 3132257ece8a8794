//! The bots at the table: they choose as soon as it is their turn. Where somebody thinks for them beside the session, it answers
//! other lines meanwhile, and what they will be asked is thought about while people choose.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::screen::{self, Steps};
use super::{Disk, Session, Table};
use crate::bots::{Answer, Bot, Clock, Effort, Memory, Mind};
use crate::play::{Match, Refused, Rng};

/// How many choices bots make in a row before they ask whether to go on.
const MANY: usize = 1000;

/// After how many of a person's moves the answer is thought about beforehand, and how long it is looked for the likeliest of
/// them, in playouts.
const FORESEEN: usize = 16;
const LOOK: Effort = Effort::Playouts(200);

/// A choice of a bot.
#[derive(Debug, Clone)]
pub struct Task {
    mind: Arc<Mind>,
    played: Match,
    seat: usize,
    bot: Bot,
}

impl Task {
    /// What the bot chooses.
    pub fn choice(&self, clock: &dyn Clock) -> Result<Answer, Refused> {
        self.mind.answer(&mut Memory::default(), &self.played, self.seat, self.bot, clock)
    }

    /// Whether what is chosen here is chosen there. Where nobody asked for a seed, that of a match is no part of it.
    pub fn is_like(&self, other: &Task) -> bool {
        Arc::ptr_eq(&self.mind, &other.mind)
            && (self.seat, self.bot) == (other.seat, other.bot)
            && self.played.seed() == other.played.seed()
            && self.played.entries().eq(other.played.entries())
    }
}

/// What a match may come to: a person is to choose, and bots will be.
#[derive(Debug, Clone)]
pub struct Outlook {
    mind: Arc<Mind>,
    played: Match,
    person: usize,
    bots: BTreeMap<usize, Bot>,
}

impl Outlook {
    /// What bots will be asked if the person makes one of the moves that are best for it, the best first. Which they are decides
    /// what is thought about, and never what is chosen.
    pub fn tasks(&self, clock: &dyn Clock) -> Vec<Task> {
        let said = self.mind.tell(&self.played, self.person, Bot::Mcts(LOOK), clock, &mut Rng::new(0));
        let moves = said.map_or(Vec::new(), |advice| advice.moves);
        let after = |chosen| {
            let mut played = self.played.clone();
            let made = played.make(&played.rules.entry(self.person - 1, chosen)).ok()?;
            // What chance brings is not known beforehand.
            let foreseen = made.drawn.is_empty() || played.seed().is_some();
            let seat = played.to_move().into_iter().find(|seat| self.bots.contains_key(seat));
            let seat = seat.filter(|_| foreseen)?;
            Some(Task { mind: self.mind.clone(), played, seat, bot: self.bots[&seat] })
        };
        moves.iter().take(FORESEEN).filter_map(|weighed| after(&weighed.chosen)).collect()
    }

    /// Whether the same is to be expected there.
    pub fn is_like(&self, other: &Outlook) -> bool {
        Arc::ptr_eq(&self.mind, &other.mind)
            && (self.person, &self.bots) == (other.person, &other.bots)
            && self.played.seed() == other.played.seed()
            && self.played.entries().eq(other.played.entries())
    }
}

/// Who thinks for the bots beside the session. Who thinks, and when, changes no choice of a bot whose effort is in playouts.
pub trait Aside {
    /// What a bot chooses, once that is known; until then it is thought about, and what else was is given up.
    fn choice(&mut self, task: Task) -> Option<Result<Answer, Refused>>;

    /// A person is to choose: meanwhile it is thought about what may come, where there is anything to think about.
    fn expect(&mut self, outlook: Option<Outlook>);

    /// Whether what was asked last is known now.
    fn is_ready(&self) -> bool;

    /// The bot is to move now. Whether it is told so for the first time.
    fn hurry(&mut self) -> bool;
}

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
        let aside = &mut self.aside;
        let Some(table) = &mut self.table else { return String::new() };
        // Who only watches wants to see every step.
        let watched = table.people().is_empty();
        let mut parts = Vec::new();
        for made in 0.. {
            if table.paused {
                break;
            }
            let Some((seat, bot)) = table.due() else { break };
            if made == MANY {
                table.paused = true;
                steps.note(format!("the bots have made {MANY} choices; `:go` lets them go on"));
                break;
            }
            let name = format!("{} ({})", table.rules.game.seat_name(seat - 1), bot);
            let before = table.glimpse();
            let task = Task {
                mind: table.mind().clone(),
                played: table.played.clone(),
                seat,
                bot: table.as_seated(bot),
            };
            let chosen = match aside.as_mut() {
                Some(aside) => aside.choice(task),
                None => Some(task.choice(&clock)),
            };
            let Some(chosen) = chosen else { break };
            let sees = chosen.as_ref().ok().and_then(|answer| table.sees_more(seat, answer));
            let done = chosen.and_then(|Answer { entry, .. }| {
                let json = table.played.entry_json(&entry);
                let args = json["args"].as_object().cloned().unwrap_or_default();
                table.play(seat, &entry.name, &args)
            });
            // What nobody can change any more needs no saying.
            if let Some(sees) = sees.filter(|_| !table.played.over()) {
                steps.note(format!("{name} has searched the rest of the match to its end: {sees}"));
            }
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
    /// Somebody thinks for the bots beside the session from now on.
    pub fn think_aside(&mut self, aside: Box<dyn Aside>) {
        self.aside = Some(aside);
    }

    /// Whether nothing is waited for but what a bot chooses, which is thought about beside the session.
    pub fn waits_for_bot(&self) -> bool {
        let waits = |table: &Table| !table.paused && table.next_person().is_none() && table.due().is_some();
        self.aside.is_some() && self.table.as_ref().is_some_and(waits)
    }

    /// Whether the bot that is waited for has chosen.
    pub fn bot_is_ready(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| aside.is_ready())
    }

    /// The bot that is waited for is to move now. Whether it is told so for the first time.
    pub fn hurry_bot(&mut self) -> bool {
        self.waits_for_bot() && self.aside.as_mut().is_some_and(|aside| aside.hurry())
    }

    /// Lets bots that have been thought for make their choices, and others be thought for. What came of it.
    pub fn bots_go_on(&mut self) -> String {
        let (Some(aside), Some(table)) = (&mut self.aside, &self.table) else { return String::new() };
        if table.paused || table.due().is_none() {
            aside.expect(table.outlook());
            return String::new();
        }
        let stands = |table: &Table| (table.played.depth(), table.played.sealed().len(), table.paused);
        let before = stands(table);
        let told = self.bots_turn();
        match self.table.as_ref().map(stands) == Some(before) {
            true => told,
            false => screen::join(vec![told, self.before_choice(), self.keep()]),
        }
    }
}

impl Table {
    /// What a bot knows of the end that it did not say before, in words.
    fn sees_more(&mut self, seat: usize, answer: &Answer) -> Option<String> {
        let share = answer.certain?;
        if self.foreseen.insert(seat, share) == Some(share) {
            return None;
        }
        let alone = self.played.machine().setup.players == 1;
        Some(match share {
            1.0 => "it wins".to_string(),
            0.0 if alone => "it cannot win any more".to_string(),
            0.0 => "it loses if the others play their best".to_string(),
            _ => "nobody wins alone if all play their best".to_string(),
        })
    }

    /// The first bot that is to choose.
    fn due(&self) -> Option<(usize, Bot)> {
        self.played.to_move().into_iter().find_map(|seat| Some((seat, *self.bots.get(&seat)?)))
    }

    /// What bots will be asked once a person has chosen, where it takes them time; nothing while several are to choose.
    fn outlook(&self) -> Option<Outlook> {
        let slow = self.bots.iter().filter(|(_, bot)| !matches!(bot, Bot::Random | Bot::Easy));
        let bots: BTreeMap<usize, Bot> = slow.map(|(seat, bot)| (*seat, self.as_seated(*bot))).collect();
        match self.played.to_move().as_slice() {
            [person] if !bots.is_empty() && !self.paused => Some(Outlook {
                mind: self.mind().clone(),
                played: self.played.clone(),
                person: *person,
                bots,
            }),
            _ => None,
        }
    }
}
