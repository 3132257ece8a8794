//! `:analyse`: what each move is worth, as a table.

use super::hints::{advised_move_text, draws, mix_words, settled, unweighed, why_mixed};
use super::review::{figure, percent};
use super::{Reply, Session, Table, screen, words};
use crate::bots::{Advice, KnownValue, Method, MoveStats, Proof, Sure};
use crate::ir::Interests;

/// A move that was tried less often than this says nothing.
const HARDLY: u64 = 10;
/// One that was tried less often than this says nothing if its range is wide, too.
const SELDOM: u64 = 200;
/// A range wider than this part of the whole win tells nothing of who stands better.
const WIDE: f64 = 0.5;
/// What is said of a value whose range is that wide.
const UNSETTLED: &str = "not settled yet";
/// The most moves that an analysis lists unless it is asked for all, and the most moves of the expected line.
const LISTED: usize = 12;
const EXPECTED: usize = 8;

/// How many moves an analysis lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HowMany {
    All,
    /// The best ones. This is what is typed to see all.
    Few(&'static str),
}

impl Session {
    /// Lists moves with their values: the best ones, or `all`.
    pub(super) fn analyse(&mut self, which: &str) -> Reply {
        let how_many = match which {
            "" => HowMany::Few(":analyse all"),
            "all" => HowMany::All,
            other => {
                return Reply::refuse(format!(
                    "`:analyse` takes `all`, to list every move, but got `{other}`"
                ));
            }
        };
        let room = self.style.width;
        self.advised(false, |table, seat, advice| Ok(analysis_words(table, seat, advice, (how_many, room))))
    }
}

/// Says how many legal moves were not weighed since the best one was certain before.
fn left_out(table: &Table, seat: usize, advice: &Advice) -> Option<String> {
    const COUNTED: usize = 1000;
    let (legal, false) = table.played.some_legal(seat, COUNTED).ok()? else { return None };
    match legal.len().checked_sub(advice.moves.len())? {
        0 => None,
        1 => Some("one other move was not weighed".to_string()),
        n => Some(format!("{n} other moves were not weighed")),
    }
}

/// Describes how the match ends after a move under best play, if its value is exact.
fn end_words(table: &Table, weighed: &MoveStats) -> Option<String> {
    let within = match weighed.end.map(|end| end.choices) {
        None | Some(Proof::SOME) => String::new(),
        Some(within) => format!(" within {within}"),
    };
    Some(match (weighed.sure, weighed.value) {
        (Sure::Estimated | Sure::Kingmaker, _) => return None,
        (Sure::Expected, _) => "exact".to_string(),
        _ if draws(table, weighed) => format!("draws{within}"),
        (_, 1.0) => format!("wins{within}"),
        (_, 0.0) => format!("loses{within}"),
        _ => "certain".to_string(),
    })
}

/// Says why the values of some moves are estimates although everything that can follow was looked at.
pub(super) fn kingmaker_words(table: &Table, seat: usize, advice: &Advice) -> Option<String> {
    let made = advice.moves.iter().filter(|weighed| weighed.sure == Sure::Kingmaker);
    let made: Vec<String> =
        made.map(|weighed| format!("`{}`", advised_move_text(table, seat, &weighed.chosen))).collect();
    let after = match made.as_slice() {
        [] => return None,
        few if few.len() <= 3 => format!("after {}", words::or(few)),
        all if all.len() == advice.moves.len() => "whatever you play".to_string(),
        many => format!("after {} of the moves", many.len()),
    };
    Some(format!(
        "{after}, a player who gains nothing by it can decide what you get, so that this is an estimate"
    ))
}

/// How much an estimate of what a move is worth says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing.
    Nothing,
    /// A little: its range leaves nearly everything open.
    Little,
    /// Something.
    Enough,
}

impl Says {
    fn of(weighed: &MoveStats) -> Says {
        let wide = is_wide(weighed.interval());
        match weighed.visits {
            _ if weighed.is_exact() => Says::Enough,
            ..HARDLY => Says::Nothing,
            ..SELDOM if wide => Says::Nothing,
            _ if wide => Says::Little,
            _ => Says::Enough,
        }
    }
}

/// Describes what a move is worth as far as it was estimated, and how sure that is.
fn estimate_words(weighed: &MoveStats) -> (String, String) {
    match Says::of(weighed) {
        Says::Nothing if weighed.visits < HARDLY => ("?".to_string(), "hardly tried".to_string()),
        Says::Nothing => ("?".to_string(), UNSETTLED.to_string()),
        Says::Little => (percent(weighed.value), UNSETTLED.to_string()),
        Says::Enough => (percent(weighed.value), range_words(weighed.interval())),
    }
}

/// Describes the same in a sentence, after the move: `about 40 %`.
pub(super) fn about_words(weighed: &MoveStats) -> String {
    let about = format!("about {}", percent(weighed.value));
    match Says::of(weighed) {
        Says::Nothing if weighed.visits < HARDLY => "was hardly tried".to_string(),
        Says::Nothing => "is not settled yet".to_string(),
        Says::Little => format!("{about}, which is {UNSETTLED}"),
        Says::Enough => about,
    }
}

/// Whether what a move is worth is not settled yet.
pub(super) fn is_unsettled(weighed: &MoveStats) -> bool {
    Says::of(weighed) != Says::Enough
}

/// Describes the matches that shares come from, if they refuted what the search itself said.
pub(super) fn rollouts_words(advice: &Advice) -> Option<String> {
    (advice.rollouts > 0).then(|| format!("{} matches that quick bots played on", advice.rollouts))
}

/// Whether an interval leaves nearly everything open.
pub(super) fn is_wide((low, high): (f64, f64)) -> bool {
    high - low > WIDE
}

/// Formats an interval in whole per cents, rounded outwards, since a search is never surer than that.
fn range_words((low, high): (f64, f64)) -> String {
    format!("{:.0} to {:.0} %", (100.0 * low).floor(), (100.0 * high).ceil())
}

/// Lists the moves with their values, all of them or the first ones, what is expected to follow, and what all this is based on.
pub(super) fn analysis_words(
    table: &Table,
    seat: usize,
    advice: &Advice,
    (how_many, room): (HowMany, usize),
) -> String {
    let most = if how_many == HowMany::All { usize::MAX } else { LISTED };
    let mut likely: Vec<Option<f64>> = advice.mix.iter().copied().map(Some).collect();
    likely.resize(advice.moves.len(), None);
    let mut listed: Vec<(&MoveStats, Option<f64>)> = advice.moves.iter().zip(likely).collect();
    listed.sort_by(|(_, a), (_, b)| b.unwrap_or(0.0).total_cmp(&a.unwrap_or(0.0)));
    let worked_out = advice.moves.iter().all(MoveStats::is_exact);
    let tries =
        |moves: &[(&MoveStats, Option<f64>)]| moves.iter().map(|(weighed, _)| weighed.visits).sum::<u64>();
    let (tried_in_all, tried_more) = (tries(&listed), tries(listed.get(most..).unwrap_or_default()));
    let rows: Vec<[String; 5]> = listed
        .into_iter()
        .take(most)
        .map(|(weighed, likely)| {
            let mv = advised_move_text(table, seat, &weighed.chosen);
            // What was worked out does not depend on how often it was tried.
            let visits = if weighed.is_exact() { String::new() } else { weighed.visits.to_string() };
            let often = likely.map_or(String::new(), percent);
            if let Some(score) = weighed.score {
                return [mv, often, figure(score), String::new(), visits];
            }
            let (worth, sure) = match end_words(table, weighed) {
                Some(words) => (percent(weighed.value), words),
                None => estimate_words(weighed),
            };
            [mv, often, worth, sure, visits]
        })
        .collect();
    let scores = advice.moves.iter().any(|weighed| weighed.score.is_some());
    let (worth, sure) = match table.played.machine() {
        _ if scores => ("score", ""),
        machine if machine.interests == Interests::Common => ("to win", "how sure"),
        machine if machine.is_in_team(seat - 1) => ("for your team", "how sure"),
        _ => ("of the win", "how sure"),
    };
    let tried = if rows.iter().all(|row| row[4].is_empty()) { "" } else { "tried" };
    let often = if advice.is_mixed() { "how often" } else { "" };
    let head = ["move", often, worth, sure, tried].map(str::to_string);
    let width =
        |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    // In a narrow window the last column is left out; if that is not enough, the figures stand below the moves.
    let mut columns: Vec<usize> = (0..5).filter(|column| widths[*column] > 0).collect();
    let fit = |columns: &[usize], room: usize| {
        columns.iter().map(|column| widths[*column] + 2).sum::<usize>() <= room + 2
    };
    let below = columns.len() > 1
        && !fit(&columns, room)
        && (columns.len() < 3 || !fit(&columns[..columns.len() - 1], room));
    let first = if below { columns.remove(0) } else { columns[0] };
    while columns.len() > 1 && !fit(&columns, if below { room.saturating_sub(2) } else { room }) {
        columns.pop();
    }
    let line = |row: &[String; 5]| {
        let cell = |column: &usize| format!("{:<width$}", row[*column], width = widths[*column]);
        let cells = columns.iter().map(cell).collect::<Vec<_>>().join("  ");
        match below {
            true => format!("{}\n  {}", row[first], cells.trim_end()),
            false => cells.trim_end().to_string(),
        }
    };
    let mut lines = vec![line(&head)];
    lines.extend(rows.iter().map(line));
    if let Some(more @ 1..) = advice.moves.len().checked_sub(most) {
        let tried = match worked_out {
            true => String::new(),
            false => format!(", tried {}", words::count(tried_more as usize, "time")),
        };
        let all = match how_many {
            HowMany::All => String::new(),
            HowMany::Few(typed) => format!("; `{typed}` lists them"),
        };
        lines.push(format!("and {more} more{tried}{all}"));
    }
    lines.extend(kingmaker_words(table, seat, advice));
    lines.extend(unweighed(table, seat));
    lines.extend(left_out(table, seat, advice));
    let game = &table.rules.game;
    let expected = advice.line.iter().take(EXPECTED).map(|(seat, chosen)| {
        let made = advised_move_text(table, seat + 1, chosen);
        if table.played.players() == 1 { made } else { format!("{}: {made}", game.seat_name(*seat)) }
    });
    let more = match advice.line.len().saturating_sub(EXPECTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let expected = expected.collect::<Vec<_>>().join(", ") + &more;
    let expected = if advice.line.len() > 1 { format!("expected: {expected}") } else { String::new() };
    let certain = advice.moves.iter().filter(|weighed| weighed.is_exact()).count();
    let from = match (advice.exact, advice.known()) {
        _ if advice.method == Method::Equilibrium => {
            let off = (advice.interval.1 - advice.value).max(advice.value - advice.interval.0);
            let (nobody, others) = match table.played.players() {
                2 => ("neither player", ""),
                _ => ("nobody alone", "; there may be others, which are worth something else"),
            };
            match (1000.0 * off).ceil() / 10.0 {
                0.0 => format!("from an equilibrium of the game, which {nobody} gains by leaving{others}"),
                gain => format!("from mixes near an equilibrium of the game: {nobody} gains more than {gain} % of the win by leaving them{others}"),
            }
        }
        (true, Some(KnownValue::End(_))) => match certain {
            all if all == advice.moves.len() => "the end is certain if all play their best".to_string(),
            1 => "the end after the first move is certain if all play their best; the others were not worked out".to_string(),
            some => format!(
                "the end after {some} of the moves is certain if all play their best; the others were not worked out"
            ),
        },
        (true, _) => format!("everything that can follow was worked out: {} positions", advice.playouts),
        (false, _) => {
            let playouts = words::count(advice.playouts as usize, "playout");
            let tried = match tried_in_all == advice.playouts {
                true => String::new(),
                false => format!(", in which these moves were tried {} in all", words::count(tried_in_all as usize, "time")),
            };
            let ranges = if scores { "" } else { "; the ranges allow for luck in the playouts, and for how far values have moved as the search went on" };
            let rollouts = rollouts_words(advice).map_or(String::new(), |words| format!("; the shares are those of {words}"));
            format!("from {playouts} of {}{tried}{ranges}{rollouts}", advice.method.name())
        }
    };
    let alone = advice.mix.contains(&1.0);
    let mix = match advice.is_mixed() {
        _ if advice.moves.len() == 1 => String::new(),
        true if let Some(settled) = settled(advice) => settled.to_string(),
        true if alone => {
            format!(
                "{}, but to vary your move is no better than `{}`",
                why_mixed(table, seat),
                advised_move_text(table, seat, &advice.best)
            )
        }
        true => format!("{}, so vary your move: {}", why_mixed(table, seat), mix_words(table, seat, advice)),
        false => String::new(),
    };
    screen::join(vec![lines.join("\n"), expected, mix, from])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_says_nothing_is_not_shown() {
        let said = |visits: u64, moved: f64| {
            let chosen = crate::eval::Chosen { offer: 0, mv: 0, args: Vec::new() };
            let (worth, sure) = estimate_words(&MoveStats { visits, moved, ..MoveStats::new(chosen, 0.5) });
            format!("{worth}, {sure}")
        };
        assert_eq!(said(9, 0.0), "?, hardly tried");
        assert_eq!(said(10, 0.0), "?, not settled yet");
        assert_eq!(said(100, 0.3), "?, not settled yet");
        assert_eq!(said(100, 0.0), "50 %, 40 to 60 %");
        assert_eq!(said(5000, 0.3), "50 %, not settled yet");
        assert_eq!(said(5000, 0.1), "50 %, 39 to 61 %");
    }
}
