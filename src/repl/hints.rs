//! `:hint`: what a bot would play, and why, in words.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::analysis::{about_words, is_unsettled, kingmaker_words, rollouts_words};
use super::dangers::dangers;
use super::prospects::{LEAST_POINTS, Prospects, are_partners, situations};
use super::review::{figure, is_draw, percent, points as points_words};
use super::{Reply, Session, Table, words};
use crate::bots::{
    Advice, Bot, Clock, Effort, KnownValue, Method, Mind, MoveStats, StoppedClock, Sure, is_open,
};
use crate::eval::Chosen;
use crate::ir::Interests;
use crate::play::{Entry, Refused, Rng, Seen, spoken};
use crate::solve::has_chance;

/// The time for advice, in milliseconds.
pub(super) const ADVICE_MS: u64 = 2000;
/// Figures from fewer playouts are not told; only a search that is stopped has so few.
pub(super) const TOO_FEW: u64 = 100;
/// The number of playouts for the answers of others.
const ANSWER: u64 = 200;
/// The least probability of a move in a mix to be mentioned.
const OFTEN: f64 = 0.1;
/// The least probability of all other moves of a mix together to be mentioned.
const LEAST_TOLD: f64 = 0.01;
/// Exact values that differ by less than this are equal.
const ROUNDING: f64 = 1e-9;
/// Values that differ by less than this are described as equal.
const APART: f64 = 0.02;
/// The least difference at which another move is worth mentioning.
const MATTERS: f64 = 0.05;

/// The last advice, kept so that a hint and an analysis of the same position agree.
pub(super) struct KeptAdvice {
    mind: Arc<Mind>,
    entries: Vec<Entry>,
    seat: usize,
    advice: Advice,
}

impl KeptAdvice {
    /// Whether it was given to this seat in the position on the table.
    fn fits(&self, table: &Table, seat: usize) -> bool {
        self.seat == seat
            && Arc::ptr_eq(&self.mind, table.mind())
            && table.played.entries().eq(self.entries.iter())
    }
}

impl Session {
    /// Suggests the best move, and says why.
    pub(super) fn hint(&mut self) -> Reply {
        self.advised(true, hint_words)
    }

    /// Asks a bot for advice to the person who is to choose, and shows it to that person only if need be. If `only_best`, there is
    /// nothing to think about where a single move is possible.
    pub(super) fn advised(
        &mut self,
        only_best: bool,
        tell: impl Fn(&Table, usize, &Advice) -> Result<String, Refused>,
    ) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let Some(seat) = table.next_person() else {
            return Reply::refuse(match (table.played.over(), table.paused) {
                (true, _) => "the match is over; `:new` begins another",
                (false, true) => "no person is to choose; `:go` lets the bots go on",
                (false, false) => "a bot is to choose; ask again when it has moved",
            });
        };
        let said = match only_best && table.played.is_forced(seat).unwrap_or(false) {
            true => table.advice(seat, Bot::Random, &StoppedClock, &mut Rng::new(0)),
            false => self.advice_for(table, seat, Effort::Millis(ADVICE_MS), &*self.disk.clock()),
        };
        match said.and_then(|advice| tell(table, seat, &settled_on(advice))) {
            // The advice reveals what only that seat knows.
            Ok(text) => {
                let knows_more =
                    || Seen::of(&table.played, seat).is_ok_and(|seen| seen.knows_more_than_everybody());
                let private = table.many_people() && knows_more();
                Reply::say(text).only_for(self.private_seat(seat).or(private.then_some(seat)))
            }
            Err(refused) => Reply::refuse(refused.message),
        }
    }
}

impl Session {
    /// Returns advice for a person who is to choose: once a hint was given, the same as long as the match stands there.
    pub(super) fn advice_for(
        &self,
        table: &Table,
        seat: usize,
        effort: Effort,
        clock: &dyn Clock,
    ) -> Result<Advice, Refused> {
        if let Some(kept) = self.kept_advice.borrow().as_ref().filter(|kept| kept.fits(table, seat)) {
            return Ok(kept.advice.clone());
        }
        let seed = Rng::sub_seed(table.played.bots_seed(), u64::MAX / 2 - seat as u64);
        let mut rng = Rng::nth(seed, table.played.entries().count() as u64);
        let bot = Bot::Auto(effort);
        self.disk.progress(Some((0.0, "thinking")));
        // Where people do not wait for a search, they still do for exact values.
        let exact = match effort {
            Effort::Playouts(_) => table.advice_by_solution(seat, clock, &mut rng),
            Effort::Millis(_) => None,
        };
        let said = exact.map_or_else(|| table.advice(seat, bot, clock, &mut rng), Ok);
        self.disk.progress(None);
        // Advice that was cut short by Ctrl-C is worked out again when it is next asked for.
        if let Ok(advice) = &said
            && effort == Effort::Millis(ADVICE_MS)
            && !clock.must_stop()
        {
            let (mind, entries) = (table.mind().clone(), table.played.entries().cloned().collect());
            *self.kept_advice.borrow_mut() = Some(KeptAdvice { mind, entries, seat, advice: advice.clone() });
        }
        said
    }
}

/// Replaces a move that was drawn from the mix but hardly belongs to it by the most frequent one.
pub(super) fn settled_on(mut advice: Advice) -> Advice {
    if advice.is_mixed()
        && !advice.is_in_mix(&advice.best)
        && let Some((most, _)) = advice.moves.iter().zip(&advice.mix).max_by(|(_, a), (_, b)| a.total_cmp(b))
    {
        advice.best = most.chosen.clone();
    }
    advice
}

/// Says that some legal moves were not weighed, where bots see only some of them.
pub(super) fn unweighed(table: &Table, seat: usize) -> Option<String> {
    let only_some = table.played.samples_moves(seat).unwrap_or(false);
    only_some.then(|| {
        "only some of the numbers that the rules allow were weighed; others may be better".to_string()
    })
}

/// Whether advice comes from so few playouts, since it was stopped, that its figures say nothing.
fn is_cut_short(advice: &Advice) -> bool {
    !advice.exact && advice.playouts < TOO_FEW
}

/// Returns a move as people type it.
pub(super) fn advised_move_text(table: &Table, seat: usize, chosen: &Chosen) -> String {
    table.played.entry_words(&table.rules.entry(seat - 1, chosen))
}

pub(super) fn hint_words(table: &Table, seat: usize, advice: &Advice) -> Result<String, Refused> {
    let others: Vec<&MoveStats> =
        advice.moves.iter().filter(|weighed| weighed.chosen != advice.best).collect();
    let mut lines = vec![verdict(table, seat, advice, &others)];
    if is_cut_short(advice) {
        return Ok(lines.join("\n"));
    }
    if advice.best_stats().is_some_and(|best| best.sure == Sure::Kingmaker) {
        lines.extend(kingmaker_words(table, seat, advice));
    }
    lines.extend(unweighed(table, seat));
    let wins_at_once =
        advice.best_stats().and_then(|weighed| weighed.end).is_some_and(|end| end.choices == 1);
    if !others.is_empty() && !advice.is_mixed() && !wins_at_once {
        let prospects = Prospects::of(&table.played, seat);
        lines.extend(prospects.iter().flat_map(|prospects| gains(prospects, table, seat, advice)));
        // Where it is certain what follows, the answers to other moves are thought about; else they are only looked at.
        if after(table, seat, &advice.best).is_some() {
            let warning = match prevented(table, seat, advice, &others)? {
                Some(warning) => Some(warning),
                None => dangers(table, seat, &advice.best, &others),
            };
            lines.extend(warning);
            lines.extend(answer(table, seat, advice));
        } else {
            let [best, next] =
                [&advice.best, &others[0].chosen].map(|chosen| table.rules.entry(seat - 1, chosen));
            // By an equilibrium not all that is hidden is as likely, and what a quick bot answers says little beside it.
            if advice.method != Method::Equilibrium {
                lines.extend(prospects.and_then(|prospects| prospects.risks(&best, &next)));
                lines.extend(likely_answer(table, seat, &advice.best));
            }
        }
    }
    Ok(lines.join("\n"))
}

/// Describes the best move, and how it compares with the others.
fn verdict(table: &Table, seat: usize, advice: &Advice, others: &[&MoveStats]) -> String {
    let best = advised_move_text(table, seat, &advice.best);
    let ahead = advice.best_stats();
    let from = match advice.exact {
        true => String::new(),
        false => {
            let rollouts = rollouts_words(advice).map_or(String::new(), |words| format!(", and {words}"));
            format!(" ({}{rollouts})", words::count(advice.playouts as usize, "playout"))
        }
    };
    if let Some(end) = ahead.and_then(|weighed| weighed.end).filter(|end| end.wins(seat - 1)) {
        return match end.choices {
            1 => format!("`{best}` wins at once"),
            _ => {
                let all = match table.played.machine() {
                    machine if machine.is_allied() => "all",
                    machine if machine.is_in_team(seat - 1) => "you and your team",
                    _ => "you",
                };
                format!("`{best}` wins for certain if {all} go on well")
            }
        };
    }
    // Of a choice that needs no thought, nothing was tried; of a search that was stopped at once, perhaps one move.
    if others.is_empty() && (advice.playouts == 0 || !is_cut_short(advice)) {
        return format!("`{best}` is all that is possible");
    }
    if is_cut_short(advice) {
        return format!("`{best}` so far, but the search was stopped too early to say more{from}");
    }
    let lost = others.iter().filter(|other| loses(other)).count();
    let common = table.played.machine().interests == Interests::Common;
    // Two seats have one value, but more may have several equilibria, which are worth something else.
    let of_several = advice.method == Method::Equilibrium && table.played.players() > 2;
    let opponents = &match (table.played.players(), seat) {
        _ if common => String::new(),
        (2, seat) => format!(" if {} plays their best", table.rules.game.seat_name(2 - seat)),
        _ if of_several => " if the others play by the same equilibrium".to_string(),
        _ => " if the others play their best".to_string(),
    };
    if advice.is_mixed() && lost + 1 == advice.moves.len() && ahead.is_some_and(loses) {
        return format!("everything loses{opponents}; `{best}` is as good as any");
    }
    if let Some(settled) = settled(advice).filter(|_| advice.is_mixed()) {
        return format!("{settled}{from}: `{best}` is as good as any");
    }
    if advice.is_mixed() {
        let about = if advice.exact && !of_several { "" } else { "about " };
        if advice.mix.contains(&1.0) {
            return format!(
                "`{best}` gets about {} of the win; there is no need to vary your move{from}",
                percent(advice.value)
            );
        }
        return format!(
            "{}, so vary your move: {}; that gets you {about}{} of the win{from}; drawn by lot for this time: `{best}`",
            why_mixed(table, seat),
            mix_words(table, seat, advice),
            percent(advice.value)
        );
    }
    if lost == others.len() {
        return match ahead.is_some_and(loses) {
            true if common => format!("nothing wins any more; `{best}` holds out as long as any"),
            true => {
                let lasts = |weighed: &MoveStats| weighed.end.map(|end| end.choices);
                let longest = others.iter().any(|other| lasts(other) < ahead.and_then(lasts));
                let as_any = if longest { "holds out as long as any" } else { "is as good as any" };
                format!("everything loses{opponents}; `{best}` {as_any}")
            }
            false if advice.value == 0.0 => {
                format!(
                    "everything else loses for certain, and `{best}` has never won in what was tried{from}"
                )
            }
            false if ahead.is_some_and(|weighed| draws(table, weighed)) => {
                format!("`{best}` draws for certain if you go on well; everything else loses{opponents}")
            }
            false => format!(
                "`{best}` {}; everything else loses{opponents}{from}",
                gets_about(table, seat, advice.value)
            ),
        };
    }
    let worth = percent(advice.value);
    if let (true, Some(score)) = (advice.exact, ahead.and_then(|weighed| weighed.score)) {
        let score = mean_score(score);
        let mean = if has_chance(&table.rules.game) { " on average" } else { "" };
        return match others[0].score.map(mean_score) {
            Some(next) if next != score => format!(
                "`{best}` leads to the best score{mean}, {score}; the next best, `{}`, to {next}",
                advised_move_text(table, seat, &others[0].chosen)
            ),
            _ => format!("`{best}` leads to the best score{mean}, {score}, and other moves do as well"),
        };
    }
    if let Some(KnownValue::Expected(_)) = advice.known() {
        let (next, other) = (advised_move_text(table, seat, &others[0].chosen), percent(others[0].value));
        let gets = match (table.played.players(), common) {
            (1, _) => format!("wins with a chance of {worth} if you go on well"),
            (_, true) => format!("wins with a chance of {worth} if all play their best"),
            _ if table.played.machine().is_in_team(seat - 1) => {
                format!("gets your team {worth} of the win if everyone plays their best")
            }
            _ => format!("gets {worth} of the win if everyone plays their best"),
        };
        return match other == worth {
            // Equal values that are added up in another order differ by rounding.
            _ if (others[0].value - advice.value).abs() < ROUNDING => {
                format!("`{best}` {gets}, and so does `{next}`")
            }
            true => format!("`{best}` {gets}, and `{next}` hardly less"),
            false => format!("`{best}` {gets}; the next best, `{next}`, {other}"),
        };
    }
    if advice.exact {
        let as_good: Vec<String> = others
            .iter()
            .filter(|other| other.value == advice.value)
            .map(|other| format!("`{}`", advised_move_text(table, seat, &other.chosen)))
            .collect();
        let certain = match ahead.is_some_and(|weighed| draws(table, weighed)) {
            true => "draws for certain if you go on well".to_string(),
            false => format!("gets {worth} of the win for certain if you go on well"),
        };
        return match as_good.as_slice() {
            [] => format!("`{best}` {certain}, and nothing else does"),
            few if few.len() <= 3 => {
                format!("`{best}` {certain}, as {} {}", words::and(few), does(few.len()))
            }
            all if all.len() == others.len() => format!("`{best}` {certain}, and so does every other move"),
            many => format!("`{best}` {certain}, and so do {} other moves", many.len()),
        };
    }
    let second = others[0];
    let next = advised_move_text(table, seat, &second.chosen);
    if let Some((score, other)) = ahead.and_then(|weighed| weighed.score).zip(second.score) {
        let (score, other) = (figure(score), figure(other));
        return match score == other {
            true => format!(
                "`{best}` or `{next}`: there is hardly any difference, about {score} at the end{from}"
            ),
            false => {
                format!(
                    "`{best}` gets a score of about {score} at the end; the next best, `{next}`, about {other}{from}"
                )
            }
        };
    }
    if let Some(mean) = hardly_tried(advice) {
        return format!(
            "`{best}` is one of the better moves, but there are too many of them to tell apart so soon; on average, what was \
             tried {}{from}",
            gets_about(table, seat, mean)
        );
    }
    if let Some(settled) = settled(advice).filter(|_| lost == 0 && advice.value < 0.5) {
        return match common {
            true => format!(
                "hardly anything that was tried has won, so `{best}` is little more than a guess{from}"
            ),
            false => format!("{settled}{from}: `{best}` is as good as any"),
        };
    }
    let losing = match lost {
        0 => String::new(),
        1 => "; one of the other moves loses for certain".to_string(),
        n => format!("; {n} of the {} other moves lose for certain", others.len()),
    };
    match advice.value - second.value < APART {
        true => {
            let about = match common {
                true => format!("a chance of about {worth}"),
                false => format!("about {worth} of the win"),
            };
            let difference = match [ahead, Some(second)].into_iter().flatten().any(is_unsettled) {
                true => "which is better is not settled yet",
                false => "there is hardly any difference",
            };
            format!("`{best}` or `{next}`: {difference}, {about}{losing}{from}")
        }
        false => format!(
            "`{best}` {gets}{settled}; the next best, `{next}`, {}{losing}{from}",
            about_words(second),
            gets = gets_about(table, seat, advice.value),
            settled = if ahead.is_some_and(is_unsettled) { ", which is not settled yet" } else { "" },
        ),
    }
}

/// Returns the mean worth of all that was tried, if the best move was tried so few times that its own worth is luck.
fn hardly_tried(advice: &Advice) -> Option<f64> {
    /// Chance moves the mean of so many tries by a quarter.
    const FEW: u64 = 50;
    advice.best_stats().filter(|best| best.visits < FEW && advice.rollouts == 0)?;
    let tried: u64 = advice.moves.iter().map(|weighed| weighed.visits).sum();
    let sum: f64 = advice.moves.iter().map(|weighed| weighed.value * weighed.visits as f64).sum();
    (tried > 0).then(|| sum / tried as f64)
}

/// Says that the choice makes no difference to who wins, if all moves have always lost or always won in what was tried.
pub(super) fn settled(advice: &Advice) -> Option<&'static str> {
    /// Shares of the win closer to none or all than this are never far from it either way.
    const HARDLY: f64 = 0.005;
    // What is left to win is no more than the luck in the playouts.
    const LOST: f64 = 0.015;
    match () {
        () if advice.value < LOST => Some("whatever you play, you hardly ever win now"),
        () if advice.moves.iter().all(|weighed| weighed.value > 1.0 - HARDLY) => {
            Some("whatever you play, you nearly always win now")
        }
        () => None,
    }
}

/// Formats a score that was worked out, with at most two decimals.
fn mean_score(score: f64) -> String {
    let hundredths = format!("{score:.2}");
    hundredths.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Says about how much of the win a move gets.
fn gets_about(table: &Table, seat: usize, share: f64) -> String {
    let machine = table.played.machine();
    gets(machine.interests, table.played.players(), machine.is_in_team(seat - 1), share)
}

fn gets(interests: Interests, players: usize, in_team: bool, share: f64) -> String {
    /// Between two, a share of the win that is no further from a half than this is called even.
    const EVEN: f64 = 0.05;
    match interests {
        Interests::Common => format!("wins with a chance of about {}", percent(share)),
        _ if interests.sides(players).len() == 2 && (share - 0.5).abs() < EVEN => {
            format!("keeps it about even ({} of the win)", percent(share))
        }
        _ if in_team => format!("gets your team about {} of the win", percent(share)),
        _ => format!("gets about {} of the win", percent(share)),
    }
}

fn does(how_many: usize) -> &'static str {
    if how_many == 1 { "does" } else { "do" }
}

/// Says why a mix is better than any single move.
pub(super) fn why_mixed(table: &Table, seat: usize) -> String {
    let other = (table.played.players() == 2).then(|| table.rules.game.seat_name(2 - seat));
    match (table.played.together(), other) {
        (true, Some(other)) => format!("{other} chooses at the same time"),
        (true, None) => "others choose at the same time".to_string(),
        (false, Some(other)) => format!("{other} must not foresee what you choose"),
        (false, None) => "others must not foresee what you choose".to_string(),
    }
}

/// Whether a move certainly loses.
fn loses(weighed: &MoveStats) -> bool {
    weighed.value == 0.0 && weighed.is_exact()
}

/// Whether a move certainly ends in a draw of two players.
pub(super) fn draws(table: &Table, weighed: &MoveStats) -> bool {
    weighed.end.is_some_and(|end| is_draw(end, table.played.players()))
}

/// Lists the moves of a mix, most frequent first, including the one that was drawn, as in "`bid 4` most often
/// (35 %), `bid 5` (30 %)".
pub(super) fn mix_words(table: &Table, seat: usize, advice: &Advice) -> String {
    let mut all: Vec<(&MoveStats, f64)> = advice.moves.iter().zip(advice.mix.iter().copied()).collect();
    all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    // The deviation of a mix that is even, found by search, from a mix that is exactly even.
    let even = 1.0 / all.len().max(1) as f64;
    if all.iter().all(|(_, likely)| *likely < OFTEN && (even / 2.0..=even * 2.0).contains(likely)) {
        return "all moves about as often".to_string();
    }
    if all.first().is_none_or(|(_, most)| *most < OFTEN) {
        return format!("none of {} stands out", words::count(all.len(), "move"));
    }
    let alike = all.get(1).is_some_and(|(_, second)| percent(*second) == percent(all[0].1));
    let tells = |weighed: &MoveStats, likely: f64| likely >= OFTEN || weighed.chosen == advice.best;
    let (told, rest): (Vec<_>, Vec<_>) =
        all.iter().enumerate().partition(|(_, (weighed, likely))| tells(weighed, *likely));
    let mut each: Vec<String> = told
        .iter()
        .map(|(n, (weighed, likely))| {
            let often = if *n == 0 && !alike { " most often" } else { "" };
            format!("`{}`{often} ({})", advised_move_text(table, seat, &weighed.chosen), percent(*likely))
        })
        .collect();
    let seldom: f64 = rest.iter().map(|(_, (_, likely))| likely).sum();
    if seldom >= LEAST_TOLD {
        // All that is told adds up to the whole.
        let shown: f64 = told.iter().map(|(_, (_, likely))| (100.0 * likely).round() / 100.0).sum();
        each.push(format!("others ({})", percent((1.0 - shown).max(0.0))));
    }
    each.join(", ")
}

/// Returns the match after a move; `None` if anything is hidden, several choose together or chance draws
/// after the move, since the match can then not be viewed from another seat.
pub(super) fn after(table: &Table, seat: usize, chosen: &Chosen) -> Option<Table> {
    if !is_open(&table.rules.game) || table.played.together() {
        return None;
    }
    let mut after = table.clone();
    let made = after.played.make(&table.rules.entry(seat - 1, chosen)).ok()?;
    made.drawn.is_empty().then_some(after)
}

/// Describes what the best move brings at once, and which other good move would bring more.
fn gains(prospects: &Prospects, table: &Table, seat: usize, advice: &Advice) -> Vec<String> {
    /// How many of the next best moves are looked at.
    const LOOKED_AT: usize = 10;
    let best = table.rules.entry(seat - 1, &advice.best);
    let Some(ways) = prospects.ways(&best) else { return Vec::new() };
    let others = advice.moves.iter().filter(|weighed| weighed.chosen != advice.best).take(LOOKED_AT);
    let more = others.filter_map(|other| {
        let points = prospects.ways(&table.rules.entry(seat - 1, &other.chosen))?.points();
        (points - ways.points() >= LEAST_POINTS).then_some((points, other))
    });
    let most = more.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(points, other)| {
        let less = match other.value < advice.value - APART && other.score.is_none() {
            true if loses(other) => ", but loses for certain".to_string(),
            true => format!(", but gets {}", about_words(other)),
            false => String::new(),
        };
        let other = advised_move_text(table, seat, &other.chosen);
        format!("`{other}` would bring {} at once{less}", points_words(points))
    });
    prospects.gains(&best, &ways, "you").into_iter().chain(most).collect()
}

/// Describes how the next player is likely to answer, where something is hidden or chance draws after the move: what a quick bot
/// answers in most of the situations that may come about.
fn likely_answer(table: &Table, seat: usize, best: &Chosen) -> Option<String> {
    const SITUATIONS: u64 = 12;
    if table.played.together() {
        return None;
    }
    let entry = table.rules.entry(seat - 1, best);
    let (mut answers, mut moves, mut all) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new(), 0);
    let mut alternatives = false;
    for (seed, mut at) in (0..).zip(situations(&table.played, seat, SITUATIONS)?) {
        at.make(&entry).ok()?;
        let next = match at.to_move().as_slice() {
            // Nobody answers what ends the match.
            [] => {
                all += 1;
                continue;
            }
            [next] if *next != seat => *next,
            _ => return None,
        };
        let (bot, mut rng) = (Bot::Auto(Effort::Playouts(ANSWER)), Rng::new(seed));
        let reply = table.mind().advise_player(&at, next, bot, &StoppedClock, &mut rng).ok()?;
        let entry = at.rules.entry(next - 1, &reply.best);
        *answers.entry((next, at.entry_words(&entry))).or_default() += 1;
        alternatives |= at.offered_to(next).iter().any(|mv| mv.name != entry.name);
        *moves.entry((next, entry.name)).or_default() += 1;
        all += 1;
    }
    let ((next, answer), times) = answers.into_iter().max_by_key(|(_, times)| *times)?;
    let ((_, mv), of_move) = moves.into_iter().max_by_key(|(_, times)| *times)?;
    let (best, name) = (advised_move_text(table, seat, best), table.rules.game.seat_name(next - 1));
    let answer_with = if are_partners(&table.played, seat, next) { "go on with" } else { "answer" };
    match () {
        () if 2 * times >= all => {
            Some(format!("after `{best}`, {name} is likely to {answer_with} `{answer}`"))
        }
        // With which values is less certain.
        () if alternatives && 4 * of_move >= 3 * all => {
            let mv = spoken(&table.rules.game, &mv);
            Some(format!("after `{best}`, {name} is likely to {answer_with} `{mv}` of some kind"))
        }
        () => None,
    }
}

/// Describes what a move brings at once to the player who is called `who`, as in "brings 2 points and lets you choose again".
fn at_once(table: &Table, seat: usize, chosen: &Chosen, who: &str) -> Option<String> {
    let prospects = Prospects::of(&table.played, seat)?;
    prospects.at_once(&prospects.ways(&table.rules.entry(seat - 1, chosen))?, who)
}

/// Describes what would happen otherwise: how the next player would answer another move that is worse. If
/// most other moves lose it is one that loses soonest, else the next best.
fn prevented(
    table: &Table,
    seat: usize,
    advice: &Advice,
    others: &[&MoveStats],
) -> Result<Option<String>, Refused> {
    let lost = others.iter().filter(|other| loses(other)).count();
    let soonest =
        others.iter().filter(|other| loses(other)).min_by_key(|other| other.end.map(|end| end.choices));
    // Of those who win and lose together, nobody is to be prevented from anything.
    if table.played.machine().interests == Interests::Common {
        return Ok(None);
    }
    let (ahead, losing) = (advice.best_stats().is_some_and(loses), 2 * lost > others.len());
    let other = match soonest.filter(|_| losing && !ahead) {
        Some(soonest) => *soonest,
        None if advice.value - others[0].value >= MATTERS => others[0],
        None => return Ok(None),
    };
    let Some(instead) = after(table, seat, &other.chosen) else { return Ok(None) };
    let next = match instead.played.to_move().as_slice() {
        [next] if !are_partners(&table.played, seat, *next) => *next,
        _ => return Ok(None),
    };
    // What was worked out for the choice can be worked out for the reply.
    let effort = if advice.exact { advice.playouts.saturating_mul(4).max(ANSWER) } else { ANSWER };
    let forced = instead.played.is_forced(next)?;
    let reply = instead.advice(next, Bot::Auto(Effort::Playouts(effort)), &StoppedClock, &mut Rng::new(0))?;
    let name = table.rules.game.seat_name(next - 1);
    let (made, answer) =
        (advised_move_text(table, seat, &other.chosen), advised_move_text(&instead, next, &reply.best));
    if let Some(end) = reply.best_stats().and_then(|weighed| weighed.end).filter(|end| end.wins(next - 1)) {
        return Ok(Some(match end.choices {
            1 => format!("`{made}` instead would let {name} win at once by `{answer}`"),
            _ => format!("`{made}` instead would let {name} answer `{answer}` and win for certain"),
        }));
    }
    // The reply is worth telling if it is a choice, and leaves less than the best move does.
    let known = match reply.known() {
        Some(KnownValue::End(share) | KnownValue::Expected(share)) => Some(share),
        None => None,
    };
    let harmless = known.is_some_and(|share| match table.played.players() {
        2 => 1.0 - share >= advice.value,
        _ => share == 0.0,
    });
    if forced || harmless {
        return Ok(None);
    }
    // An answer that is expected in any case is not let by the other move.
    let expected = advice.line.get(1).filter(|(seat, _)| *seat == next - 1);
    let ends = known.is_some() && reply.best_stats().is_some_and(|weighed| weighed.end.is_some());
    if !ends && expected.is_some_and(|(_, expected)| *expected == reply.best) {
        return Ok(None);
    }
    let entry = instead.rules.entry(next - 1, &reply.best);
    let there = after(table, seat, &advice.best);
    let taken =
        there.is_some_and(|mut there| there.played.to_move() == [next] && there.played.make(&entry).is_err());
    // A certain loss is described as such, even if the answer comes from few playouts.
    let comes = match loses(other) {
        true => " and win for certain".to_string(),
        false => match reply.known() {
            Some(KnownValue::End(_)) if reply.best_stats().is_some_and(|weighed| draws(table, weighed)) => {
                " and draw for certain".to_string()
            }
            Some(KnownValue::End(share)) => format!(" and get {} of the win for certain", percent(share)),
            Some(KnownValue::Expected(share)) => format!(" and get {} of the win", percent(share)),
            // The few playouts for the reply say less than what the move was given, which is told of the next best already.
            None if other.chosen == others[0].chosen => match at_once(&instead, next, &reply.best, &name) {
                Some(gains) => format!(", which {gains}"),
                None if taken => String::new(),
                None => return Ok(None),
            },
            None => format!(" and leave you about {} of the win", percent(other.value)),
        },
    };
    let best = advised_move_text(table, seat, &advice.best);
    let answered = format!("`{answer}`{comes}");
    Ok(Some(match taken {
        true => format!("after `{made}`, {name} would answer {answered}; `{best}` rules that out"),
        false => format!("`{made}` instead would let {name} answer {answered}"),
    }))
}

/// Describes the expected answer of the next player.
fn answer(table: &Table, seat: usize, advice: &Advice) -> Option<String> {
    let (next, chosen) = advice.line.get(1).filter(|(next, _)| *next != seat - 1)?;
    let name = table.rules.game.seat_name(*next);
    let best = advised_move_text(table, seat, &advice.best);
    let answer = if are_partners(&table.played, seat, *next + 1) { "go on with" } else { "answer" };
    Some(format!(
        "after `{best}`, {name} is expected to {answer} `{}`",
        advised_move_text(table, *next + 1, chosen)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_even_is_called_so() {
        assert_eq!(gets(Interests::Opposed, 2, false, 0.48), "keeps it about even (48 % of the win)");
        assert_eq!(gets(Interests::Opposed, 2, false, 0.42), "gets about 42 % of the win");
        assert_eq!(gets(Interests::Opposed, 3, false, 0.48), "gets about 48 % of the win");
        assert_eq!(gets(Interests::Common, 2, false, 0.48), "wins with a chance of about 48 %");
        // One against a team of two has no team.
        let sides = Interests::of_teams(&[0, 1, 1]);
        assert_eq!(gets(sides, 3, true, 0.42), "gets your team about 42 % of the win");
        assert_eq!(gets(sides, 3, false, 0.58), "gets about 58 % of the win");
    }
}
