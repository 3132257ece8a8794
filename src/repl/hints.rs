//! `:hint` and `:analyse`: what a bot would play in one's place, and why, in words that people can use.

use super::bots_turn::OfDisk;
use super::{Reply, Session, Table, screen};
use crate::bots::{Advice, Bot, Effort, Still, Weighed, interval, is_open};
use crate::eval::Chosen;
use crate::play::{Refused, Rng};

/// How long a hint may take, and an analysis, in milliseconds.
const HINT_MS: u64 = 1000;
const ANALYSIS_MS: u64 = 3000;
/// How many moves an analysis lists, and how many of the line that is expected.
const LISTED: usize = 12;
const EXPECTED: usize = 8;
/// How far apart two values are that differ to people.
const APART: f64 = 0.02;

impl Session {
    /// The best move, and why.
    pub(super) fn hint(&self) -> Reply {
        self.advised(HINT_MS, hint_words)
    }

    /// All moves with what they are worth.
    pub(super) fn analyse(&self) -> Reply {
        self.advised(ANALYSIS_MS, |table, seat, advice| Ok(analysis_words(table, seat, advice)))
    }

    /// What a bot says to the person who is to choose, for that person's eyes.
    fn advised(&self, ms: u64, words: impl Fn(&Table, usize, &Advice) -> Result<String, Refused>) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game()) };
        let Some(seat) = table.next_person() else {
            return Reply::refuse(match table.played.over() {
                true => "the match is over; `:new` begins another",
                false => "no person is to choose; `:go` lets the bots go on",
            });
        };
        let seed = Rng::sub_seed(table.played.bots_seed(), u64::MAX / 2 - seat as u64);
        let mut rng = Rng::nth(seed, table.played.entries().count() as u64);
        let bot = Bot::Auto(Effort::Millis(ms));
        let said = table.advice(seat, bot, &OfDisk(&*self.disk), &mut rng);
        match said.and_then(|advice| words(table, seat, &advice)) {
            Ok(text) => Reply::say(text).only_for(self.eyes(seat)),
            Err(refused) => Reply::refuse(refused.message),
        }
    }
}

/// A move as people type it.
fn typed(table: &Table, seat: usize, chosen: &Chosen) -> String {
    table.played.entry_words(&table.rules.entry(seat - 1, chosen))
}

/// "62 %"
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn hint_words(table: &Table, seat: usize, advice: &Advice) -> Result<String, Refused> {
    let best = typed(table, seat, &advice.best);
    let ahead = advice.weighed();
    let others: Vec<&Weighed> = advice.moves.iter().filter(|weighed| weighed.chosen != advice.best).collect();
    let from = match advice.exact {
        true => String::new(),
        false => format!(" ({})", super::words::count(advice.playouts as usize, "playout")),
    };
    let end = ahead.and_then(|weighed| weighed.end);
    let wins = |weighed: &Weighed| weighed.end.is_some_and(|end| end.wins(seat - 1));
    if let (Some(end), true) = (end, ahead.is_some_and(wins)) {
        return Ok(match end.choices {
            1 => format!("`{best}` wins at once"),
            n => format!("`{best}` wins for certain, after {n} choices at most if you go on well"),
        });
    }
    if others.is_empty() {
        return Ok(format!("`{best}` is all that is possible"));
    }
    if advice.mixed {
        let next = "what is best depends on what the others choose at the same time, so it is drawn";
        return Ok(format!("`{best}`: {next}; you get about {} of the win{from}", percent(advice.value)));
    }
    let loses = |weighed: &Weighed| weighed.value == 0.0 && weighed.end.is_some();
    if others.iter().all(|other| loses(other)) {
        return Ok(match ahead.is_some_and(loses) {
            true => format!("everything loses against the best play; `{best}` holds out longest"),
            false => format!("`{best}`: {}", else_words(table, seat, &others)?),
        });
    }
    if advice.exact {
        let as_good = others.iter().filter(|other| other.value == advice.value).count();
        let worth = percent(advice.value);
        return Ok(match as_good {
            0 => format!("`{best}` gets {worth} of the win for certain, and nothing else does"),
            _ => format!("`{best}` gets {worth} of the win for certain, and so do {as_good} other moves"),
        });
    }
    let second = others[0];
    let next = typed(table, seat, &second.chosen);
    let lost: Vec<&Weighed> = others.iter().copied().filter(|other| loses(other)).collect();
    let threat = match lost.len() {
        0 => String::new(),
        1 => "; one of the other moves loses for certain".to_string(),
        n if 2 * n > others.len() => {
            format!("; {n} of the {} other moves lose: {}", others.len(), else_words(table, seat, &lost)?)
        }
        n => format!("; {n} of the {} other moves lose for certain", others.len()),
    };
    Ok(match advice.value - second.value < APART {
        true => format!(
            "`{best}` or `{next}`: there is hardly any difference, about {} of the win{threat}{from}",
            percent(advice.value)
        ),
        false => format!(
            "`{best}` gets about {} of the win; the next best, `{next}`, about {}{threat}{from}",
            percent(advice.value),
            percent(second.value)
        ),
    })
}

/// What happens if another move is made, all of which lose: where the next one wins at once, by what.
fn else_words(table: &Table, seat: usize, others: &[&Weighed]) -> Result<String, Refused> {
    let soon = others.iter().find(|other| other.end.is_some_and(|end| end.choices == 2));
    let Some(other) = soon.filter(|_| is_open(&table.rules.game)) else {
        return Ok("everything else loses against the best play".to_string());
    };
    // Nothing is hidden here, so that it can be looked at from the other side.
    let mut after = table.clone();
    let made = after.played.make(&table.rules.entry(seat - 1, &other.chosen))?;
    let (Some(winner), true) = (after.played.to_move().first().copied(), made.drawn.is_empty()) else {
        return Ok("everything else loses at once".to_string());
    };
    let bot = Bot::Mcts(Effort::Playouts(1000));
    let reply = after.advice(winner, bot, &Still, &mut Rng::new(0))?;
    let by = typed(&after, winner, &reply.best);
    let name = table.rules.game.seat_name(winner - 1);
    Ok(format!("else {name} wins, by `{by}` for one"))
}

fn analysis_words(table: &Table, seat: usize, advice: &Advice) -> String {
    let rows: Vec<[String; 4]> = advice
        .moves
        .iter()
        .take(LISTED)
        .map(|weighed| {
            let (low, high) = interval(weighed.value, weighed.visits);
            let between = match weighed.end {
                Some(_) => "certain".to_string(),
                None => format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
            };
            [typed(table, seat, &weighed.chosen), percent(weighed.value), between, weighed.visits.to_string()]
        })
        .collect();
    let head = ["move", "of the win", "between", "tried"].map(str::to_string);
    let width =
        |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let line = |row: &[String; 4]| {
        let cell = |column: usize| format!("{:<width$}", row[column], width = widths[column]);
        (0..4).map(cell).collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let mut lines = vec![line(&head)];
    lines.extend(rows.iter().map(line));
    if advice.moves.len() > LISTED {
        lines.push(format!("and {} more", advice.moves.len() - LISTED));
    }
    let game = &table.rules.game;
    let expected = advice
        .line
        .iter()
        .take(EXPECTED)
        .map(|(seat, chosen)| format!("{}: {}", game.seat_name(*seat), typed(table, seat + 1, chosen)));
    let expected = expected.collect::<Vec<_>>().join(", ");
    let expected = if advice.line.len() > 1 { format!("expected: {expected}") } else { String::new() };
    let from = match advice.exact {
        true => "the end is certain if all play their best".to_string(),
        false => format!("from {}", super::words::count(advice.playouts as usize, "playout")),
    };
    screen::join(vec![lines.join("\n"), expected, from])
}
