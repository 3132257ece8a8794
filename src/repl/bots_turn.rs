//! The bots at the table, which choose as soon as it is their turn. If they think in the background, the
//! session goes on answering lines, and likely questions are thought about while people choose.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::review::{DRAWN, percent};
use super::screen::{self, StepReport};
use super::{Session, Table};
use crate::bots::{Answer, Bot, Clock, Deadline, Effort, KnownValue, Memory, Mind};
use crate::play::{Match, Refused, Rng};

/// The number of choices in a row after which the bots pause.
const MAX_IN_A_ROW: usize = 1000;

/// The most moves of a person that are answered in advance, and the effort to find the likeliest of them.
const MAX_ANTICIPATED: usize = 16;
const ANTICIPATION_EFFORT: Effort = Effort::Playouts(200);

/// A choice that a bot has to make.
#[derive(Debug, Clone)]
pub struct Task {
    mind: Arc<Mind>,
    played: Match,
    seat: usize,
    bot: Bot,
}

impl Task {
    /// Returns the bot's choice.
    pub fn choice(&self, clock: &dyn Clock) -> Result<Answer, Refused> {
        // A forced move needs no thought.
        let bot = if self.played.is_forced(self.seat)? { Bot::Random } else { self.bot };
        let deadline = Deadline::at_table(clock);
        // With a seed, the match must be the same on every machine.
        let hurries = matches!(bot, Bot::Easy | Bot::Casual | Bot::Medium) && self.played.seed().is_none();
        let clock: &dyn Clock = if hurries { &deadline } else { clock };
        self.mind.answer(&mut Memory::default(), &self.played, self.seat, bot, clock)
    }

    /// Whether another task has the same answer. The seeds are only compared if they were given.
    pub fn is_like(&self, other: &Task) -> bool {
        Arc::ptr_eq(&self.mind, &other.mind)
            && (self.seat, self.bot) == (other.seat, other.bot)
            && self.played.seed() == other.played.seed()
            && self.played.entries().eq(other.played.entries())
    }
}

/// A position in which a person is to choose, and bots will be asked next.
#[derive(Debug, Clone)]
pub struct Outlook {
    mind: Arc<Mind>,
    played: Match,
    person: usize,
    bots: BTreeMap<usize, Bot>,
}

impl Outlook {
    /// Returns what bots will be asked if the person makes one of its best moves, best first. This affects
    /// only what is thought about in advance, never what is chosen.
    pub fn tasks(&self, clock: &dyn Clock) -> Vec<Task> {
        let said = self.mind.advise_player(
            &self.played,
            self.person,
            Bot::Mcts(ANTICIPATION_EFFORT),
            clock,
            &mut Rng::new(0),
        );
        let moves = said.map_or(Vec::new(), |advice| advice.moves);
        let after = |chosen| {
            let mut played = self.played.clone();
            let made = played.make(&played.rules.entry(self.person - 1, chosen)).ok()?;
            // The results of chance events are not known in advance, unless there is a seed.
            let foreseen = made.drawn.is_empty() || played.seed().is_some();
            let seat = played.to_move().into_iter().find(|seat| self.bots.contains_key(seat));
            let seat = seat.filter(|_| foreseen)?;
            Some(Task { mind: self.mind.clone(), played, seat, bot: self.bots[&seat] })
        };
        moves.iter().take(MAX_ANTICIPATED).filter_map(|weighed| after(&weighed.chosen)).collect()
    }

    /// Whether another outlook has the same tasks.
    pub fn is_like(&self, other: &Outlook) -> bool {
        Arc::ptr_eq(&self.mind, &other.mind)
            && (self.person, &self.bots) == (other.person, &other.bots)
            && self.played.seed() == other.played.seed()
            && self.played.entries().eq(other.played.entries())
    }
}

/// Thinks for the bots in the background. This never changes a choice made with an effort in playouts.
pub trait BackgroundThinker {
    /// Returns a bot's choice once it is known; until then it is thought about, and any other thinking stops.
    fn choice(&mut self, task: Task) -> Option<Result<Answer, Refused>>;

    /// Called while a person is to choose: thinks in advance about `outlook`, if there is one.
    fn expect(&mut self, outlook: Option<Outlook>);

    /// Begins to solve the game as a whole, once for each mind.
    fn solve(&mut self, mind: &Arc<Mind>);

    /// Whether the choice that was asked for last is known now.
    fn is_ready(&self) -> bool;

    /// Makes the bot choose now. Returns whether this is the first request to do so.
    fn hurry(&mut self) -> bool;
}

impl Session {
    /// Lets the bots choose until a person is to choose, the match is over, or they have made
    /// `MAX_IN_A_ROW` choices.
    pub(super) fn bots_turn(&mut self) -> String {
        let Some(table) = &self.table else { return String::new() };
        let steps = StepReport::from(table.played.clone(), self.screen());
        self.bots_answer(steps)
    }

    /// Like [`Session::bots_turn`], but the report begins with `steps`, which a person has just made.
    pub(super) fn bots_answer(&mut self, mut steps: StepReport) -> String {
        let look = self.screen();
        let clock = self.disk.clock();
        let thinker = &mut self.thinker;
        let Some(table) = &mut self.table else { return String::new() };
        // If only bots play, the people watching see every step.
        let watched = table.people().is_empty();
        let mut parts = Vec::new();
        for made in 0.. {
            if table.paused {
                break;
            }
            let Some((seat, bot)) = table.next_bot() else { break };
            if made == MAX_IN_A_ROW {
                table.paused = true;
                steps.note(format!("the bots have made {MAX_IN_A_ROW} choices; `:go` lets them go on"));
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
            let chosen = match thinker.as_mut() {
                Some(thinker) => thinker.choice(task),
                None => Some(task.choice(&*clock)),
            };
            let Some(chosen) = chosen else { break };
            let sees = chosen.as_ref().ok().and_then(|answer| table.new_certainty(seat, answer));
            // Who wins is told only to those who want to know how everybody stands.
            let sees = sees.filter(|(first, _)| *first || self.verdicts);
            let done = chosen.and_then(|Answer { entry, .. }| {
                let json = table.played.entry_json(&entry);
                let args = json["args"].as_object().cloned().unwrap_or_default();
                table.play(seat, &entry.name, &args)
            });
            // After the end there is no point in saying it.
            if let Some((_, end)) = sees.filter(|_| !table.played.over()) {
                // What has been drawn since may have changed it.
                let drawn = matches!(table.played.entries().last(), Some(entry) if entry.player == 0);
                let end = if self.verdicts && !drawn { format!(": {end}") } else { String::new() };
                steps.note(format!("{name} has worked out the rest of the match{end}"));
            }
            match done {
                Ok(done) if done.waiting_for.is_empty() => {
                    steps.push_step(table, &before, true);
                    if watched {
                        let next = StepReport::from(table.played.clone(), look);
                        parts.push(std::mem::replace(&mut steps, next).text(table));
                    }
                }
                Ok(_) if table.next_person().is_some() => steps.note(format!("{name} has chosen")),
                Ok(_) => {}
                Err(refused) => {
                    table.paused = true;
                    // What breaks may lie ahead.
                    let ahead =
                        if refused.fault.is_some() { "the rules break as it looks ahead: " } else { "" };
                    steps.note(format!(
                        "{name} cannot choose: {ahead}{}; choose for it with `{seat}: MOVE`, or `:seat {seat} person`",
                        refused.message
                    ));
                    break;
                }
            }
        }
        parts.push(steps.text(table));
        screen::join(parts)
    }
    /// Makes the bots think in the background from now on.
    pub fn think_in_background(&mut self, thinker: Box<dyn BackgroundThinker>) {
        self.thinker = Some(thinker);
    }

    /// Whether the session waits only for a bot that thinks in the background.
    pub fn waits_for_bot(&self) -> bool {
        let waits =
            |table: &Table| !table.paused && table.next_person().is_none() && table.next_bot().is_some();
        self.thinker.is_some() && self.table.as_ref().is_some_and(waits)
    }

    /// Whether the bot that is waited for has chosen.
    pub fn bot_is_ready(&self) -> bool {
        self.thinker.as_ref().is_some_and(|thinker| thinker.is_ready())
    }

    /// Makes the bot that is waited for choose now. Returns whether this is the first request to do so.
    pub fn hurry_bot(&mut self) -> bool {
        self.waits_for_bot() && self.thinker.as_mut().is_some_and(|thinker| thinker.hurry())
    }

    /// Lets bots that have finished thinking choose, and the next ones think. Returns what happened.
    pub fn bots_go_on(&mut self) -> String {
        let (Some(thinker), Some(table)) = (&mut self.thinker, &self.table) else { return String::new() };
        if let Some(mind) = table.known_mind() {
            thinker.solve(mind);
        }
        if table.paused || table.next_bot().is_none() {
            thinker.expect(table.outlook());
            return String::new();
        }
        let stands = |table: &Table| (table.played.depth(), table.played.sealed().len(), table.paused);
        let before = stands(table);
        let told = self.bots_turn();
        match self.table.as_ref().map(stands) == Some(before) {
            true => told,
            false => screen::join(vec![told, self.before_choice(), self.store_match()]),
        }
    }
}

impl Table {
    /// Returns what a bot knows about the end and has not announced yet, with whether it knows the end for the
    /// first time.
    fn new_certainty(&mut self, seat: usize, answer: &Answer) -> Option<(bool, String)> {
        let known = answer.known?;
        let (KnownValue::End(share) | KnownValue::Expected(share)) = known;
        let said = self.announced_shares.insert(seat, share);
        let (alone, allied) = (self.played.players() == 1, self.played.machine().is_allied());
        let in_team = self.played.machine().is_in_team(seat - 1);
        let end = match known {
            KnownValue::Expected(_) if said.is_some() => return None,
            KnownValue::Expected(share) if allied => {
                format!("all win with a chance of {} if all play their best", percent(share))
            }
            KnownValue::Expected(share) => {
                let whose = if in_team { "its team" } else { "it" };
                format!("{whose} gets {} of the win if everyone plays their best", percent(share))
            }
            KnownValue::End(_) if said == Some(share) => return None,
            KnownValue::End(1.0) if allied => "all win if all play their best".to_string(),
            KnownValue::End(1.0) if in_team => "its team wins if all of it play their best".to_string(),
            KnownValue::End(1.0) => "it wins".to_string(),
            KnownValue::End(0.0) if allied => "nobody can win any more".to_string(),
            KnownValue::End(0.0) if alone => "it cannot win any more".to_string(),
            KnownValue::End(0.0) => "it loses if the others play their best".to_string(),
            KnownValue::End(_) if self.played.players() == 2 => DRAWN.to_string(),
            KnownValue::End(_) => "nobody wins alone if all play their best".to_string(),
        };
        Some((said.is_none(), end))
    }

    /// Returns the first bot that is to choose.
    fn next_bot(&self) -> Option<(usize, Bot)> {
        self.played.to_move().into_iter().find_map(|seat| Some((seat, *self.bots.get(&seat)?)))
    }

    /// Returns what slow bots may be asked after a person's choice; `None` if several choose or bots wait.
    fn outlook(&self) -> Option<Outlook> {
        let slow = self.bots.iter().filter(|(_, bot)| !matches!(bot, Bot::Random | Bot::Easy | Bot::Casual));
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
