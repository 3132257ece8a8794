//! The verdict of a study: its report in a few plain sentences, with what may be wrong with the game.

use super::figures::percent;
use super::report::{Figure, Imperfect, Remark, Report, Unit};
use super::sums::ENOUGH;
use super::words::shown;
use crate::explore::counted;
use crate::play::and;

/// A game is called unfair if a seat's share differs from a fair one by this or more.
const UNFAIR: f64 = 0.1;
/// Exact shares that differ by less than this are equal.
const EXACT: f64 = 1e-6;
/// The share from which something happens nearly always.
const NEARLY: f64 = 0.8;
/// The share of the win from which whoever leads halfway hardly ever loses.
const NEARLY_SURE: f64 = 0.9;
/// The matches that a seat must win without exception before it is said to win whatever is played: then it loses less than
/// one in a hundred, with 95 % confidence.
const FOREGONE: u64 = 300;
/// The number of choices from which a match is too long for pencil and paper.
const LONG: f64 = 300.0;
/// A match that is decided before this part of it is decided early.
const EARLY: f64 = 0.35;
/// The Elo points below which thinking twice as long is worth next to nothing.
const LITTLE: f64 = 20.0;
/// A search that gets no more than this share of the win against random moves shows no skill.
const NO_SKILL: f64 = 0.6;
/// A search that surely gets this share of the win against random moves shows that choices matter.
const SKILL: f64 = 0.55;
/// A move is called needless if forbidding it surely costs less than this share of the win.
const USELESS: f64 = 0.06;
/// The largest half-width of a share's interval with which a negative statement is made about a game.
const NARROW: f64 = 0.1;

/// Returns the sentences about a report, warnings first.
pub(super) fn verdict(report: &Report) -> Vec<Remark> {
    let mut says = VerdictBuilder { report, remarks: Vec::new() };
    says.best_play();
    says.seats();
    says.length();
    says.leads();
    says.skill();
    says.chance();
    says.choices();
    says.moves();
    let mut remarks = says.remarks;
    remarks.sort_by_key(|remark| !remark.warning);
    remarks
}

/// Returns the factor by which intervals must be widened when this many questions are asked at once, so that with
/// 95 % confidence all answers are right (C. Bonferroni).
fn widening(questions: usize) -> f64 {
    match questions {
        0 | 1 => 1.0,
        several => normal_quantile(0.025 / several as f64) / normal_quantile(0.025),
    }
}

/// Returns that factor for comparing the seats with a fair share. The shares of two seats are a single question.
fn widening_of_seats(seats: usize) -> f64 {
    if seats == 2 { 1.0 } else { widening(seats) }
}

/// Returns the value that a standard normal variable exceeds with this probability, which must be below a
/// half: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.2.23; the error is less than
/// 0.0005.
fn normal_quantile(chance: f64) -> f64 {
    let t = (-2.0 * chance.ln()).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    t - above / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
}

struct VerdictBuilder<'r> {
    report: &'r Report,
    remarks: Vec<Remark>,
}

/// A figure with an estimate.
#[derive(Clone, Copy)]
struct KnownFigure<'r> {
    figure: &'r Figure,
    value: f64,
    low: f64,
    high: f64,
}

impl KnownFigure<'_> {
    /// Returns the figure with an interval `times` as wide.
    fn wider(self, times: f64) -> Self {
        let KnownFigure { figure, value, low, high } = self;
        KnownFigure {
            figure,
            value,
            low: value - times * (value - low),
            high: value + times * (high - value),
        }
    }

    /// Whether a share is that of something that always happened, in enough matches to say so.
    fn is_always(self) -> bool {
        self.value == 1.0 && self.low > 0.5
    }

    fn is_narrow(self) -> bool {
        (self.high - self.low) / 2.0 <= NARROW
    }
}

impl<'r> VerdictBuilder<'r> {
    fn known(&self, key: &str) -> Option<KnownFigure<'r>> {
        let figure = self.report.figure(key)?;
        let (value, [low, high]) = (figure.value?, figure.ends()?);
        Some(KnownFigure { figure, value, low, high })
    }

    fn say(&mut self, warning: bool, figure: &str, text: String) {
        self.say_that(&text.clone(), warning, figure, text);
    }

    /// Adds a sentence that makes a claim with figures.
    fn say_that(&mut self, claim: &str, warning: bool, figure: &str, text: String) {
        // What is claimed is true only of what is warned of.
        let claim = if warning { claim.to_string() } else { text.clone() };
        self.remarks.push(Remark { warning, text, figure: figure.to_string(), claim });
    }

    /// Says who wins if all play perfectly.
    fn best_play(&mut self) {
        let shares: Vec<KnownFigure> =
            (1..=self.report.players).filter_map(|seat| self.known(&format!("best.{seat}"))).collect();
        let [first, ..] = shares.as_slice() else { return };
        let key = first.figure.key.clone();
        if first.figure.unit == Unit::Points {
            let text =
                format!("perfect play scores {}: the game was searched completely", shown(first.figure));
            return self.say(false, &key, text);
        }
        if self.report.players == 1 {
            let text = match first.value {
                0.0 => "the game cannot be won".to_string(),
                1.0 => "the game can be won".to_string(),
                _ => format!("perfect play wins {} of the matches", shown(first.figure)),
            };
            return self.say(first.value == 0.0, &key, format!("{text}: it was searched completely"));
        }
        let winners: Vec<&str> = shares
            .iter()
            .zip(&self.report.seats)
            .filter(|(share, _)| share.value > 0.0)
            .map(|(_, name)| name.as_str())
            .collect();
        if !self.is_sure(&shares) {
            let each = shares.iter().zip(&self.report.seats);
            let each: Vec<String> =
                each.map(|(share, name)| format!("{name} gets {}", shown(share.figure))).collect();
            let fair = 1.0 / shares.len() as f64;
            let off = shares.iter().map(|share| (share.value - fair).abs()).fold(0.0, f64::max);
            let unfair = off >= UNFAIR - EXACT;
            let (claim, measure) = match (unfair, off < EXACT) {
                (true, _) => ("the game is unfair: ", format!("; a fair share is {}", percent(fair))),
                (_, true) => ("the game is fair: ", String::new()),
                _ => ("", String::new()),
            };
            let text = format!("{claim}if everybody plays perfectly, {} of the win{measure}", and(&each));
            return self.say_that("the game is unfair if everybody plays perfectly", unfair, &key, text);
        }
        if self.report.endless {
            let text =
                "the match never ends if everybody plays perfectly: whoever would lose can prevent its end";
            return self.say(true, &key, text.to_string());
        }
        // Best play is for the win, which a player with scores to look at may not expect.
        let goal = if self.known("seat.1.score").is_some() { " for the win" } else { "" };
        let drawn = if self.has_chance() { ", whatever is drawn" } else { "" };
        let win = match winners.as_slice() {
            [one] => format!("{one} wins"),
            several => format!("{} share the win", and(several)),
        };
        let text = format!("the game is solved: {win} if everybody plays perfectly{goal}{drawn}");
        self.say(true, &key, text);
    }

    /// Returns each seat's share of the win under best play; `None` if it is not known, or if the game has only
    /// one player.
    fn best_shares(&self) -> Option<Vec<KnownFigure<'r>>> {
        let seats = (1..=self.report.players).filter(|_| self.report.players > 1);
        let shares: Vec<KnownFigure> = seats.map_while(|seat| self.known(&format!("best.{seat}"))).collect();
        (!shares.is_empty()).then_some(shares)
    }

    /// Whether anything is drawn by chance in this game.
    fn has_chance(&self) -> bool {
        self.known("chance.share").is_none_or(|chance| chance.figure.matches > 0)
    }

    /// Whether best play always has the same winners, rather than shares that are averages over chance and mixes of moves.
    fn is_sure(&self, best: &[KnownFigure]) -> bool {
        let winners = best.iter().filter(|share| share.value > 0.0).count() as f64;
        let mixed = self.has_chance() || self.report.imperfect.is_some();
        (!mixed || winners == 1.0)
            && best.iter().all(|share| share.value == 0.0 || (share.value * winners - 1.0).abs() < EXACT)
    }

    /// Says what the seats get between searches where it is known what they get under best play: that is what
    /// the game is worth, and a difference from it shows the limits of the searches.
    fn seats_of_searches(&mut self, shares: &[KnownFigure<'r>], best: &[KnownFigure<'r>]) {
        let searches = match self.report.ladder.last() {
            Some(strongest) => format!("between searches ({})", strongest.bot),
            None => "between searches".to_string(),
        };
        let wider = widening_of_seats(shares.len());
        let seats = || shares.iter().zip(best).zip(&self.report.seats);
        let more = seats().filter(|((share, best), _)| share.wider(wider).low > best.value + EXACT);
        let gain = |((share, best), _): &((&KnownFigure, &KnownFigure), &String)| share.value - best.value;
        let Some(((share, worth), name)) = more.max_by(|a, b| gain(a).total_cmp(&gain(b))) else {
            let each: Vec<String> =
                seats().map(|((share, _), name)| format!("{name} gets {}", shown(share.figure))).collect();
            let text = format!("{searches} {} of the win", and(&each));
            return self.say(false, &shares[0].figure.key, text);
        };
        let winner = seats().find(|((_, best), _)| best.value == 1.0);
        let (worth, found) = match winner {
            Some(((share, _), winner)) => {
                let found = if share.low > 0.5 { "do not always find it" } else { "do not find it" };
                (format!("although {winner} can force the win"), found)
            }
            None => (format!("although best play gives it {}", shown(worth.figure)), "do not find it"),
        };
        let text = format!(
            "{searches} {name} gets {}, {worth}: searches of this strength {found}",
            shown(share.figure)
        );
        self.say(false, &share.figure.key, text);
    }

    /// Returns the figure with key `key`, or with key `random` if stronger players have not played yet, and
    /// the words to add in that case.
    fn known_or_random(&self, key: &str, random: &str) -> Option<(KnownFigure<'r>, &'static str)> {
        let known = self.known(key).map(|known| (known, ""));
        known.or_else(|| Some((self.known(random)?, " in random play")))
    }

    /// Says whether the seats are balanced, and whether anybody wins.
    fn seats(&mut self) {
        let seats = self.report.players;
        let shares = (1..=seats).filter_map(|seat| {
            self.known_or_random(&format!("seat.{seat}.share"), &format!("random.seat.{seat}.share"))
        });
        let shares: Vec<(KnownFigure, &str)> = shares.collect();
        let [(first, how), ..] = shares.as_slice() else { return };
        let (first, how) = (*first, *how);
        if seats == 1 {
            return self.alone(first, how);
        }
        if let Some((drawn, how)) =
            self.known_or_random("draws.share", "random.draws.share").filter(|(drawn, _)| drawn.low >= NEARLY)
        {
            let text = format!("{} of the matches have no sole winner{how}", shown(drawn.figure));
            self.say_that("most matches have no sole winner", true, &drawn.figure.key, text);
        }
        self.foregone();
        if let Some(best) = self.best_shares() {
            let shares: Vec<KnownFigure> = shares.iter().map(|(share, _)| *share).collect();
            return self.seats_of_searches(&shares, &best);
        }
        let fair = 1.0 / seats as f64;
        let wider = widening_of_seats(seats);
        let of_all =
            shares.iter().zip(&self.report.seats).map(|((share, _), name)| (share.wider(wider), name));
        let of_all: Vec<(KnownFigure, &String)> = of_all.collect();
        let better: Vec<&(KnownFigure, &String)> =
            of_all.iter().filter(|(share, _)| share.low > fair).collect();
        let worse: Vec<&(KnownFigure, &String)> =
            of_all.iter().filter(|(share, _)| share.high < fair).collect();
        if better.is_empty() && worse.is_empty() {
            let narrow = shares.iter().all(|(share, _)| share.is_narrow());
            let each = shares.iter().zip(&self.report.seats);
            let each: Vec<String> =
                each.map(|((share, _), name)| format!("{name} {}", shown(share.figure))).collect();
            let seen = match narrow {
                true => "no seat shows an advantage",
                false => "too few matches to say which seat has an advantage",
            };
            let caveat = if narrow { self.caveat(how) } else { String::new() };
            return self.say(false, &first.figure.key, format!("{seen}{how}: {}{caveat}", each.join(", ")));
        }
        let unfair = better.iter().any(|(share, _)| share.low > fair + UNFAIR)
            || worse.iter().any(|(share, _)| share.high < fair - UNFAIR);
        // With two seats, one share implies the other.
        let (named, what) =
            if better.is_empty() { (&worse, "a disadvantage") } else { (&better, "an advantage") };
        let names: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        let each: Vec<String> = named.iter().map(|(share, _)| shown(share.figure)).collect();
        // Where players must guess, or decide who of the others wins, the results are those of these players, and the
        // game may favour others.
        let theirs = self.report.imperfect.is_some() || seats > 2;
        let by_searches = if theirs && how.is_empty() { " when searches play" } else { how };
        let unfairly = if unfair && !theirs { "the game is unfair: " } else { "" };
        let claim = format!("{unfairly}{} {have} {what}{by_searches}", and(&names));
        let mut text = format!("{claim}: {} of the win; a fair share is {}", and(&each), percent(fair));
        let key = named[0].0.figure.key.clone();
        for (share, name) in worse.iter().filter(|_| seats > 2 && !better.is_empty()) {
            text.push_str(&format!("; {name} has {}", shown(share.figure)));
        }
        text.push_str(&self.caveat(how));
        self.say_that(&claim, unfair, &key, text);
    }

    /// Says so if one seat wins whatever is played.
    fn foregone(&mut self) {
        let seats = (1..=self.report.players).zip(&self.report.seats);
        let always = seats
            .filter_map(|(seat, name)| Some((self.known(&format!("random.seat.{seat}.share"))?, name)))
            .find(|(share, _)| share.is_always() && share.figure.matches >= FOREGONE);
        let Some((share, name)) = always else { return };
        let text = format!(
            "{name} won each of {} of random moves: no choice seems to decide who wins",
            matches_of(share.figure)
        );
        let key = share.figure.key.clone();
        self.say_that("one seat wins whatever is played", true, &key, text);
    }

    /// Returns what to add to the shares of the seats where something is hidden or chosen at the same time, so
    /// that searches need not play near their best. `how` is empty if searches played, and not moves at random.
    fn caveat(&self, how: &str) -> String {
        let why = match self.report.imperfect {
            Some(Imperfect::Hidden) => "something is hidden in this game",
            Some(Imperfect::Together) => "several choose at the same time in this game",
            None if self.report.players > 2 && how.is_empty() => {
                return "; who cannot win may decide which of the others does, so this shows how these searches play"
                    .to_string();
            }
            None => return String::new(),
        };
        let whose = if how.is_empty() { "how these searches play" } else { "random play" };
        let value = if self.report.players == 2 {
            ", which `parlour equilibrium` finds if the game is small"
        } else {
            ""
        };
        format!("; {why}, so this shows {whose} and need not be near the value of the game{value}")
    }

    /// Says how a single player fares.
    fn alone(&mut self, won: KnownFigure, how: &str) {
        if won.value == 1.0 {
            let scored = self.known_or_random("seat.1.score", "random.seat.1.score").is_some();
            let at_random = self.known("random.seat.1.share").filter(|at_random| at_random.value < 1.0);
            let text = match at_random {
                Some(at_random) => {
                    format!("searches win every match, random moves {} of them", shown(at_random.figure))
                }
                None if scored => format!("every match is won{how}: the score is what counts"),
                None => format!("every match is won{how}: the rules leave no way to lose"),
            };
            self.say(false, &won.figure.key, text);
        } else {
            self.say_that(
                "the player hardly ever wins",
                won.high < 0.01,
                &won.figure.key,
                format!("the player wins {} of the matches{how}", shown(won.figure)),
            );
        }
        if let Some((score, how)) = self.known_or_random("seat.1.score", "random.seat.1.score") {
            self.say(
                false,
                &score.figure.key,
                format!(
                    "the player scores {} {}{how}",
                    amount_of(score.figure, "point", "points"),
                    on_average(score.figure)
                ),
            );
        }
    }

    fn length(&mut self) {
        let played = self.report.series.iter().filter(|series| series.key != "forbidden");
        let unfinished = played.filter(|series| series.unfinished > 0);
        let unfinished = unfinished.min_by_key(|series| series.key != "strong");
        if let Some(series) = unfinished {
            let (unfinished, matches) = (series.unfinished, series.matches);
            let limit = self.report.figure("length.choices").and_then(|length| length.missing.as_deref());
            let text = match limit.filter(|_| unfinished == matches && series.key == "strong") {
                Some(none_ended) => format!("{none_ended} ({})", series.players),
                None => {
                    format!("{unfinished} of {matches} matches ({}) were given up unfinished", series.players)
                }
            };
            let text = format!(
                "{text}: the game may be far too long, or may never end (`parlour check --play` looks for the reason)"
            );
            self.say_that("matches were given up unfinished", true, "length.unfinished", text);
        }
        let Some((length, how)) = self.known_or_random("length.choices", "random.length") else { return };
        let given_up =
            |key: &str| self.report.series.iter().any(|series| series.key == key && series.unfinished > 0);
        let least = if given_up(&length.figure.series) { "at least " } else { "" };
        let most = |key: &str| self.known(key).map(|known| format!("{:.0}", known.value));
        // Of few matches, the shortest may well be among the twentieth part that is.
        let many = self.known("length.short").is_some_and(|short| short.low > 0.0);
        let spread = match (most("length.short"), most("length.long")) {
            (Some(short), Some(long)) if many && short != long => {
                format!("; nine matches in ten have {short} to {long}")
            }
            _ => String::new(),
        };
        let long = length.low > LONG;
        let much = if long { ", which is too long for pencil and paper" } else { "" };
        let choices = amount_of(length.figure, "choice", "choices");
        let text = match length.figure.interval {
            Some(_) => format!("a match is {least}{choices} long{how}{much}{spread}"),
            None => format!("each of {} was {least}{choices} long{how}{much}", matches_of(length.figure)),
        };
        self.say_that("a match is too long for pencil and paper", long, &length.figure.key, text);
        // A match that the winner can force is decided before it begins, which has been said.
        let open = !self.best_shares().is_some_and(|best| self.is_sure(&best));
        if let Some(decided) = self.known("decided.at").filter(|_| open && length.value >= 4.0) {
            let early = decided.high < EARLY;
            let much = if early { "early, " } else { "" };
            let text = format!("a match is decided {much}after {} of its length", shown(decided.figure));
            self.say_that("a match is decided early", early, "decided.at", text);
        }
    }

    /// Says so if a lead halfway through a match decides it, or is a burden.
    fn leads(&mut self) {
        let Some(half) = self.known("lead.half") else { return };
        let share = shown(half.figure);
        if half.high < 1.0 / self.report.players as f64 {
            let text =
                format!("it is better not to lead: whoever leads at half-time gets {share} of the win");
            self.say_that("it is better not to lead at half-time", true, "lead.half", text);
        } else if half.low >= NEARLY_SURE {
            let text =
                format!("whoever leads at half-time hardly ever loses: the leader gets {share} of the win");
            self.say(false, "lead.half", text);
        }
    }

    /// Whether searches do no better than random moves, as far as the matches tell.
    fn shows_no_skill(&self) -> bool {
        let random = self.known("skill.random");
        random.is_some_and(|random| random.low <= 0.5 && random.high <= NO_SKILL && random.is_narrow())
    }

    /// Whether searches surely do better than random moves.
    fn shows_skill(&self) -> bool {
        self.known("skill.random").is_some_and(|random| random.low >= SKILL)
    }

    fn skill(&mut self) {
        if self.known("width.forced").is_some_and(KnownFigure::is_always) {
            return;
        }
        let random = self.known("skill.random");
        if let Some(random) = random.filter(|_| self.shows_no_skill()) {
            let text = format!(
                "skill does not seem to matter: a search gets {} of the win against random moves",
                shown(random.figure)
            );
            return self.say_that("skill does not seem to matter", true, "skill.random", text);
        }
        if let Some(random) = random {
            let text = match random.low > 0.5 {
                true => format!("a search gets {} of the win against random moves", shown(random.figure)),
                false => format!(
                    "too few matches to say whether skill matters: a search gets {} of the win against random moves",
                    shown(random.figure)
                ),
            };
            self.say(false, "skill.random", text);
        }
        if let Some(doubling) = self.known("skill.doubling") {
            let elo = shown(doubling.figure);
            let text = match () {
                () if doubling.low > 0.0 => format!("thinking twice as long is worth {elo} Elo"),
                () if doubling.high < 0.0 => {
                    format!("more thought loses here: thinking twice as long is worth {elo} Elo")
                }
                () if doubling.high < LITTLE => {
                    format!("thinking twice as long is worth next to nothing: {elo} Elo")
                }
                () => format!("too few matches to say what thinking twice as long is worth: {elo} Elo"),
            };
            self.say(false, "skill.doubling", text);
        }
        let played_for = self.known("seat.1.share").is_some_and(|won| won.value < 1.0);
        if let Some(wins) = self.known("skill.wins").filter(|_| played_for) {
            let text =
                format!("a search wins {} more of the matches than random moves do", shown(wins.figure));
            self.say(false, "skill.wins", text);
        }
    }

    fn chance(&mut self) {
        if !self.has_chance() {
            return self.say(false, "chance.share", "nothing is left to chance".to_string());
        }
        let draws = self.known("chance.draws").filter(|draws| draws.figure.matches >= ENOUGH);
        if let Some(draws) = draws.filter(|draws| draws.value == 0.0) {
            let text = format!(
                "chance decides nothing: in {}, no draw could lead to different positions",
                matches_of(draws.figure)
            );
            return self.say_that("chance decides nothing", true, "chance.draws", text);
        }
        let Some(chance) = self.known("chance.share") else { return };
        // If every match is won, there is nothing to explain.
        if self.known("seat.1.share").is_some_and(|won| self.report.players == 1 && won.value == 1.0) {
            return;
        }
        let all = chance.low >= 0.9 && !self.shows_skill();
        let whose = if self.report.players == 1 { "of" } else { "between" };
        let explains = format!("explains {} of the results {whose} these searches", shown(chance.figure));
        let text = match all {
            true => {
                let nearly = if chance.value < 1.0 { "nearly " } else { "" };
                format!("chance decides {nearly}everything: it {explains}")
            }
            // What is added to a die modulo its sides says nothing of the sum, but neither does the choice.
            false if self.shows_no_skill() => {
                format!(
                    "no choice seems to improve the odds, so that chance decides, though by itself it only {explains}"
                )
            }
            // What is explained wholly leaves nothing to choices of players who are as good as one another.
            false if chance.low >= 0.9 => {
                format!("chance decides between equals: it {explains}; against random moves choices matter")
            }
            false => {
                format!("chance alone {explains}, not counting what it decides together with choices")
            }
        };
        self.say_that("chance decides everything or nearly everything", all, "chance.share", text);
    }

    fn choices(&mut self) {
        match self.known("width.forced") {
            Some(forced) if forced.is_always() => {
                return self.say(
                    true,
                    "width.forced",
                    "there is nothing to choose: there is only ever one legal move".into(),
                );
            }
            Some(forced) if forced.low > 0.5 => {
                let text = format!(
                    "{} of the choices are forced: there is only one legal move",
                    shown(forced.figure)
                );
                self.say_that("most choices are forced", true, "width.forced", text);
            }
            _ => {}
        }
        if let Some((width, how)) = self.known_or_random("width.mean", "random.width") {
            let moves = amount_of(width.figure, "legal move", "legal moves");
            let text = match width.figure.interval {
                Some(_) => format!("a player chooses from {moves}{how}"),
                None => format!(
                    "a player chooses from {moves} on average in each of {}{how}",
                    matches_of(width.figure)
                ),
            };
            self.say(false, &width.figure.key, text);
        }
        if let Some(repeats) = self.known("repeats.share").filter(|repeats| repeats.low > 0.1) {
            let text =
                format!("{} of the positions occurred earlier in the same match", shown(repeats.figure));
            self.say_that("positions occur again in the same match", true, "repeats.share", text);
        }
        if let (Some(second), Some(blind)) = (self.known("weight.second"), self.known("weight.blind"))
            && blind.figure.unit == Unit::Points
        {
            let (second, blind) = (shown(second.figure), amount_of(blind.figure, "point", "points"));
            let text = format!("the second-best move costs {second}, one drawn from all moves {blind}");
            self.say(false, "weight.blind", text);
        }
        let of_share = |known: &KnownFigure| known.figure.unit == Unit::Share && known.is_narrow();
        if let Some(blind) = self.known("weight.blind").filter(of_share) {
            let light = blind.high < 0.02;
            let skilled = self.shows_skill();
            let text = match (light, self.known("weight.second")) {
                (true, _) if skilled => format!(
                    "a single random move costs {} of the win, but a search wins by all its moves together",
                    shown(blind.figure)
                ),
                (true, _) => {
                    format!("choices hardly matter: a random move costs {} of the win", shown(blind.figure))
                }
                (_, Some(second)) => format!(
                    "the second-best move costs {} of the win, one drawn from all moves {}",
                    shown(second.figure),
                    shown(blind.figure)
                ),
                _ => format!("a random move costs {} of the win", shown(blind.figure)),
            };
            self.say_that("choices hardly matter", light && !skilled, "weight.blind", text);
        }
    }

    fn moves(&mut self) {
        let costs = self.report.figures.iter().filter(|figure| figure.key.starts_with("without."));
        let costs: Vec<KnownFigure> = costs.filter_map(|figure| self.known(&figure.key)).collect();
        // Among several moves, one may seem to harm by chance.
        let wider = widening(costs.iter().filter(|cost| cost.figure.series == "forbidden").count());
        for cost in &costs {
            let name = &cost.figure.key["without.".len()..];
            let whole = if self.report.players == 1 { "of the matches" } else { "of the win" };
            let on_average = if self.report.players > 1 { " on average over the seats" } else { "" };
            let loses = match cost.figure.unit {
                Unit::Points => amount_of(cost.figure, "point", "points"),
                _ if cost.figure.series == "strong" => format!("{} {whole}", percent(cost.value)),
                _ => format!("{} {whole}", shown(cost.figure)),
            };
            let text = if cost.figure.series == "strong" {
                match () {
                    () if cost.value < EXACT => {
                        format!("the move {name} is not needed: best play does as well without it")
                    }
                    () if cost.value < USELESS => {
                        format!("the move {name} is hardly needed: best play loses {loses} without it")
                    }
                    () => format!("best play loses {loses}{on_average} without the move {name}"),
                }
            } else if cost.wider(wider).high < 0.0 {
                let gain = Figure {
                    value: Some(-cost.value),
                    interval: Some([-cost.high, -cost.low]),
                    ..cost.figure.clone()
                };
                let unit = if cost.figure.unit == Unit::Points { "points" } else { whole };
                format!("searches do better without the move {name}: by {} {unit}", shown(&gain))
            } else if cost.high < USELESS {
                match cost.value > 0.0 || cost.figure.unit == Unit::Points {
                    true => format!("the move {name} is not needed: to be without it costs searches {loses}"),
                    false => format!(
                        "the move {name} is not needed: searches do as well without it, within {} {whole}",
                        percent(cost.value.abs().max(cost.high).max(-cost.low))
                    ),
                }
            } else {
                continue;
            };
            self.say(false, &cost.figure.key, text);
        }
        let series = self.report.series.iter().find(|series| series.key == "strong");
        if series.is_none_or(|series| series.matches < ENOUGH) {
            return;
        }
        for unused in self.report.usage.iter().filter(|usage| usage.ran == 0) {
            let text = match unused.kind.as_str() {
                "move" if unused.of == 0 => format!("the move {} is never offered", unused.label),
                "move" => format!("the move {} is offered but never made", unused.label),
                "award" => {
                    format!("`{}` ({} line {}) never gives points", unused.label, unused.file, unused.line)
                }
                "need" => format!(
                    "`{}` ({} line {}) never refuses anything",
                    unused.label, unused.file, unused.line
                ),
                _ => continue,
            };
            // What a need is there for may be rare.
            self.say(unused.kind != "need", "usage", format!("{text} when searches play"));
        }
    }
}

/// Formats the number of matches on which a figure is based: `1,000 matches`.
fn matches_of(figure: &Figure) -> String {
    counted(figure.matches, "match", "matches")
}

/// Returns the words after a mean: it is one of matches that differ, or the same in each.
fn on_average(figure: &Figure) -> String {
    match figure.interval {
        Some(_) => "on average".to_string(),
        None => format!("in each of {}", matches_of(figure)),
    }
}

/// Formats a figure with the noun for what it counts: `1 choice`, `9.76 (9.41..10.1) choices`.
fn amount_of(figure: &Figure, one: &str, many: &str) -> String {
    let shown = shown(figure);
    let noun = if shown == "1" { one } else { many };
    format!("{shown} {noun}")
}
