//! The verdict on who stands better, shown after each move if it is wanted; and the review of the match.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::analysis::{is_wide, rollouts_words};
use super::hints::{ADVICE_MS, TOO_FEW};
use super::review::{
    DRAWN, LOST, WON, interrupted, is_draw, nothing_chosen, percent, score_words, text,
    turned as turned_words,
};
use super::{Reply, Session, Table, screen, words};
use crate::bots::{Clock, Deadline, Effort, Measure, Standing, is_open};
use crate::lab::{Review, ReviewProgress, Reviewer, review_effort};
use crate::play::Rng;

/// The effort for a verdict after each move, and how long it may take at most, so that nobody has to wait for it.
const AFTER_EACH_MOVE: Effort = Effort::Playouts(20_000);
const WAIT_MS: u64 = 700;
/// The effort for a verdict that is asked for: as much as for a hint, so that the two agree.
const ASKED_FOR: Effort = Effort::Millis(ADVICE_MS);
/// The least difference between shares of the win at which somebody stands better.
const LEVEL: f64 = 0.1;

/// What a review found.
pub struct Reviewed {
    /// The choices and draws of the match.
    pub entries: Vec<Json>,
    /// What is said of the steps that turned it.
    pub turned: BTreeMap<usize, String>,
}

impl Session {
    /// Turns the verdict on or off; without an argument, shows it once.
    pub(super) fn verdict(&mut self, how: &str) -> Reply {
        let shown = match how {
            "on" => true,
            "off" => false,
            "" => {
                return match self.stands(ASKED_FOR) {
                    Ok(line) => Reply::say(line),
                    Err(sentence) => Reply::refuse(sentence),
                };
            }
            other => {
                return Reply::refuse(format!(
                    "`:verdict {other}`: write `:verdict on` or `:verdict off`; `:verdict` alone says it once"
                ));
            }
        };
        self.verdicts = shown;
        match (shown, self.stands(AFTER_EACH_MOVE)) {
            (false, _) => Reply::say("the verdict is no longer shown"),
            (true, Ok(line)) => Reply::say(format!("after each move you are told who stands better\n{line}")),
            (true, Err(sentence)) => {
                Reply::say(format!("after each move you are told who stands better; {sentence}"))
            }
        }
    }

    /// Returns the verdict if it is turned on and can be given, else an empty text.
    pub(super) fn shown_verdict(&self) -> String {
        let Some(table) = self.table.as_ref().filter(|_| self.verdicts) else { return String::new() };
        // While people make a joint choice nothing changes; bots have already chosen before them.
        let chosen = table.played.sealed().iter().any(|entry| !table.bots.contains_key(&entry.player));
        match table.played.over() || chosen {
            true => String::new(),
            false => self.stands(AFTER_EACH_MOVE).unwrap_or_default(),
        }
    }

    /// Says who stands better by the advice for the person who is to choose, so that hint, analysis and verdict agree. `None`
    /// if somebody else could learn from it, or it says nothing of the others.
    fn stands_by_advice(&self, effort: Effort, clock: &dyn Clock) -> Option<Result<String, String>> {
        let table = self.table.as_ref()?;
        let (played, open) = (&table.played, is_open(&table.rules.game));
        let (seat, seats) = (table.next_person()?, played.players());
        if played.over() || played.machine().sides().len() > 2 || !table.may_be_told() {
            return None;
        }
        let advice = match self.advice_for(table, seat, effort, clock) {
            Ok(advice) => advice,
            Err(refused) => return Some(Err(refused.message)),
        };
        let measure = Measure::of(played.machine());
        let best = advice.best_stats()?;
        let sure = advice.exact || best.end.is_some_and(|end| end.wins(seat - 1));
        let estimate = match measure {
            _ if advice.exact => Standing::of_exact(&advice, seat - 1, played.machine())?,
            _ if sure => Standing::of(best, seat - 1, played.machine())?,
            Measure::Score { .. } => Standing::exactly(vec![best.score?; seats], measure),
            Measure::Share => Standing::expected(seat - 1, advice.value, played.machine())?,
        };
        let (low, high) = advice.interval;
        let off = if sure { 0.0 } else { (high - low) / 2.0 };
        let standing = Standing { exact: sure, playouts: advice.playouts, off, ..estimate };
        let line = standing_words(table, &standing);
        let by = rollouts_words(&advice).map_or(String::new(), |words| format!(", by {words}"));
        Some(Ok(if open { line } else { format!("from what you can know, {line}{by}") }))
    }

    /// Says who stands better, as far as everybody at the table may know. The error is a sentence.
    fn stands(&self, effort: Effort) -> Result<String, String> {
        // Getting ready to think is not thinking.
        self.table.as_ref().map(Table::mind);
        let clock = self.disk.clock();
        let soon = (effort == AFTER_EACH_MOVE).then(|| Deadline::after(&*clock, WAIT_MS));
        let clock: &dyn Clock = soon.as_ref().map_or(&*clock, |soon| soon);
        match self.stands_by_advice(effort, clock) {
            Some(said) => said,
            None => self.stands_by_playouts(effort, clock),
        }
    }

    /// Says who stands better by what the next choice is worth to all, whoever makes it.
    fn stands_by_playouts(&self, effort: Effort, clock: &dyn Clock) -> Result<String, String> {
        let Some(table) = &self.table else { return Err(self.no_game_message()) };
        let played = &table.played;
        if played.over() {
            return Err("the match is over; `:review` says what turned it".to_string());
        }
        let open = is_open(&table.rules.game);
        let people = table.people();
        let seat = match people.as_slice() {
            _ if table.has_no_secrets() => table.next_seat().ok_or("it is nobody's turn")?,
            [person] if played.to_move().contains(person) => *person,
            [_] => {
                return Err("something is hidden here, so you are told only when it is your turn".to_string());
            }
            [] => return Err("something is hidden here, and nobody at the table may know it".to_string()),
            _ => {
                return Err(
                    "something is hidden here and several people are playing, so nobody is told how the \
                     others stand"
                        .to_string(),
                );
            }
        };
        let seed = Rng::sub_seed(played.bots_seed(), u64::MAX / 3 - seat as u64);
        let mut rng = Rng::nth(seed, played.entries().count() as u64);
        self.disk.progress(Some((0.0, "thinking")));
        let standing = table.standing(seat, effort, clock, &mut rng);
        self.disk.progress(None);
        let standing = standing.map_err(|refused| refused.message)?;
        let line = standing_words(table, &standing);
        Ok(if open { line } else { format!("from what you can know, {line}") })
    }

    /// Reviews the match on the table.
    pub(super) fn review(&mut self) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let whole = &table.played;
        if whole.depth() == 0 {
            return Reply::refuse(nothing_chosen(whole));
        }
        let clock = self.disk.clock();
        let reviewer = Reviewer { whole, mind: table.mind(), effort: review_effort(whole), seed: 0 };
        let all = reviewer.steps();
        let mut told = |progress: ReviewProgress| {
            self.disk.progress(Some((progress.share(), &progress.words())));
        };
        told(ReviewProgress { steps: 0, all, again: None, solving: None });
        let found = reviewer.stops(&*clock, &mut told);
        self.disk.progress(None);
        let stops = match found {
            Ok(stops) => stops,
            Err(refused) => return Reply::refuse(refused.message),
        };
        let done = stops.len();
        let review = Review::of(&reviewer, stops);
        let mut turned: BTreeMap<usize, String> = BTreeMap::new();
        for (step, judged) in review.turning_points() {
            let sentence = turned_words(whole, judged);
            turned.entry(step).and_modify(|said| said.push_str(&format!("; {sentence}"))).or_insert(sentence);
        }
        let mut told = text(&reviewer, &review, &table.bots, self.screen());
        if done < all {
            told = screen::join(vec![told, interrupted(done, all)]);
        }
        self.reviewed = Some(Reviewed { entries: table.entries(), turned });
        Reply::say(told)
    }
}

/// Says who stands better.
fn standing_words(table: &Table, standing: &Standing) -> String {
    let (game, machine) = (&table.rules.game, table.played.machine());
    let (allied, sides) = (machine.is_allied(), machine.interests.sides(standing.values.len()));
    // Those who win and lose together stand alike.
    let shares: Vec<f64> = sides.iter().map(|side| standing.values[side[0]]).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
    let name = |side: usize| words::side(game, &sides[side]);
    let verb =
        |side: usize, one: &'static str, many: &'static str| if sides[side].len() == 1 { one } else { many };
    if let (Measure::Score { .. }, [score, ..]) = (standing.measure, standing.values.as_slice()) {
        let who = if standing.values.len() == 1 { name(0) } else { "the players".to_string() };
        return format!("{who} can expect {}", score_words(*score, standing.exact));
    }
    if standing.playouts < TOO_FEW && !standing.exact {
        return format!(
            "too early to say: the search was stopped after {}",
            words::count(standing.playouts as usize, "playout")
        );
    }
    if let Some(end) = standing.end {
        let seats = standing.values.len();
        let winners: Vec<usize> = (1..=seats).filter(|player| end.winners >> (player - 1) & 1 == 1).collect();
        return match winners.as_slice() {
            [] if allied => LOST.to_string(),
            _ if allied => WON.to_string(),
            _ if is_draw(end, seats) => DRAWN.to_string(),
            [] => "nobody wins if all play their best".to_string(),
            [_] => format!("{} wins if all play their best", words::seats(game, &winners)),
            [one, ..] if end.wins(one - 1) => {
                format!("{} win together if all play their best", words::seats(game, &winners))
            }
            _ => format!("{} share the win if all play their best", words::seats(game, &winners)),
        };
    }
    // What those who do not stand best can expect.
    let others = |sides: &[usize]| -> String {
        let has = |side: &usize| {
            format!("{} {} {}", name(*side), verb(*side, "has", "have"), percent(shares[*side]))
        };
        let each: Vec<String> = sides.iter().map(has).collect();
        if each.is_empty() { String::new() } else { format!("; {}", words::and(&each)) }
    };
    match order.as_slice() {
        [] => String::new(),
        [one, ..] if allied => format!("the players win with a chance of {}", percent(shares[*one])),
        [one] => format!("{} wins with a chance of {}", name(*one), percent(shares[*one])),
        [first, second, ..] if shares[*first] - shares[*second] < LEVEL => {
            let level = |side: &usize| shares[*first] - shares[*side] < LEVEL;
            let level: Vec<usize> = (0..shares.len()).filter(level).collect();
            let each: Vec<String> = level.iter().map(|side| percent(shares[*side])).collect();
            let (about, shares_of) = match each.iter().all(|share| *share == each[0]) {
                true => ("", format!("about {} each", each[0])),
                false => ("about ", words::and(&each)),
            };
            let behind =
                others(&order.iter().copied().filter(|side| !level.contains(side)).collect::<Vec<_>>());
            let who = match machine.interests.is_in_teams() {
                // Names of teams are lists themselves.
                true => {
                    let names = level.iter().map(|side| name(*side)).collect::<Vec<_>>();
                    names.join(&format!(" are {about}level with "))
                }
                false => {
                    let players: Vec<usize> = level.iter().map(|side| side + 1).collect();
                    format!("{} are {about}level", words::seats(game, &players))
                }
            };
            format!("{who} ({shares_of}){behind}")
        }
        [first, ..] if is_wide(standing.interval(sides[*first][0])) => {
            format!(
                "it is not settled yet who stands better, perhaps {} ({})",
                name(*first),
                percent(shares[*first])
            )
        }
        [first, ..] if percent(shares[*first]) == percent(1.0) => {
            format!("{} {} as good as won", name(*first), verb(*first, "has", "have"))
        }
        [first, _] => {
            format!(
                "{} {} better ({})",
                name(*first),
                verb(*first, "stands", "stand"),
                percent(shares[*first])
            )
        }
        [first, rest @ ..] => {
            let best = format!("{} {} best", name(*first), verb(*first, "stands", "stand"));
            format!("{best} ({}){}", percent(shares[*first]), others(rest))
        }
    }
}
