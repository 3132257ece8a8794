//! Simulation: plays and counts many random matches.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::ops::Range;

use serde_json::{Value as Json, json};

use super::bailouts::{all_reasons, bailouts_json};
use super::side_name;
use super::study::sums::{Estimate, Moments};
use crate::bots::interval;
use crate::engine::{Engine, RecordEvent};
use crate::eval::{Chosen, Fault, Outcome, text};
use crate::explore::{counted, decimals, thousands};
use crate::ir::{Move, Value};
use crate::num::Int;
use crate::play::{FORMAT, Playout, Rng, Rules, VERSION, move_words, playout};

/// The most choices and draws whose text is cached.
const MOST_TEXTS: usize = 1 << 16;

/// A simulation to run.
#[derive(Debug)]
pub struct Simulation<'a, E> {
    /// The rules.
    pub rules: &'a Rules,
    /// The engine that plays them, with options and number of players fixed.
    pub engine: &'a E,
    /// The seed; together with its number `n` (from 0), it determines the seed of a match.
    pub seed: u64,
    /// The number of choices after which a match is abandoned.
    pub max_moves: u64,
}

/// The totals over the matches of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The number of matches played.
    pub games: u64,
    /// How many of them ended.
    pub finished: u64,
    /// The index of the first one that did not, from 0.
    pub unfinished: Option<u64>,
    /// The fewest and the most choices in a match; `None` if there are no matches yet.
    pub moves: Option<(u64, u64)>,
    /// The total number of choices in all matches.
    pub total_moves: u64,
    /// How many matches each seat won alone.
    pub wins: Vec<u64>,
    /// How many matches several seats won together, by these seats, one bit each.
    pub together: BTreeMap<u64, u64>,
    /// How many matches nobody won.
    pub none: u64,
    /// The sum of each seat's scores, and that of their squares; `None` if the game has no scores.
    pub scores: Option<Vec<[Int; 2]>>,
}

/// The results of some matches of a simulation.
#[derive(Debug, Default)]
pub struct Played {
    /// The totals.
    pub tally: Tally,
    /// The records, one per line, if they were requested.
    pub records: String,
    /// The number of the first match that breaks the rules, and the fault; later matches were not played.
    pub broken: Option<(u64, Fault)>,
    /// The number of the first match in which a bot could not choose, with a sentence that says why.
    pub refused: Option<(u64, String)>,
}

impl<E: Engine> Simulation<'_, E> {
    /// Plays the matches with these numbers, in order, and writes their records if `records` is set.
    pub fn play(&self, numbers: Range<u64>, records: bool) -> Played {
        let mut played = Played::default();
        let Played { tally, records: lines, .. } = &mut played;
        let result = match records {
            true => self.record(numbers.clone(), tally, lines),
            false => self.count_all(numbers.clone(), tally),
        };
        played.broken = result.err().map(|fault| (numbers.start + played.tally.games, fault));
        played
    }

    /// Plays matches without records.
    fn count_all(&self, numbers: Range<u64>, tally: &mut Tally) -> Result<(), Fault> {
        let mut streams: Vec<Rng> = numbers.map(|n| Rng::nth(self.seed, n)).collect();
        let mut broken = Ok(());
        self.engine.playouts_per_stream(&mut streams, self.max_moves, &mut |state, moves| {
            if broken.is_ok() {
                broken = self.count(state, moves, tally).map(drop);
            }
        })?;
        broken
    }

    /// Plays matches with their records, one per line.
    fn record(&self, numbers: Range<u64>, tally: &mut Tally, lines: &mut String) -> Result<(), Fault> {
        let seeds: Vec<u64> = numbers.map(|n| Rng::sub_seed(self.seed, n)).collect();
        let mut streams: Vec<Rng> = seeds.iter().map(|seed| Rng::new(*seed)).collect();
        let mut seeds = seeds.iter();
        let head = self.record_head();
        // Cache the text of choices and draws that occur again.
        let mut texts: HashMap<Box<[i64]>, String> = HashMap::new();
        let mut entries = String::new();
        let mut broken = Ok(());
        self.engine.record(&mut streams, self.max_moves, &mut |told| match told {
            RecordEvent::Words(words) => {
                match texts.get(words) {
                    Some(text) => entries.push_str(text),
                    None => self.engine.decode(words, &mut |step| {
                        let text = self.record_entry(step);
                        entries.push_str(&text);
                        if texts.len() < MOST_TEXTS {
                            texts.insert(words.into(), text);
                        }
                    }),
                }
                entries.push(',');
            }
            RecordEvent::Step(step) => {
                entries.push_str(&self.record_entry(step));
                entries.push(',');
            }
            RecordEvent::Over(state, moves) => {
                entries.pop();
                if let (Ok(()), Some(seed)) = (&broken, seeds.next()) {
                    match self.count(state, moves, tally) {
                        Ok(scores) => {
                            let result = result(self.engine.outcome(state), scores);
                            let _ =
                                writeln!(lines, "{head}{seed},\"moves\":[{entries}],\"result\":{result}}}");
                        }
                        Err(fault) => broken = Err(fault),
                    }
                }
                entries.clear();
            }
        })?;
        broken
    }

    /// Returns the beginning of a record up to the value of its seed, which is the same for all matches.
    fn record_head(&self) -> String {
        let setup = &self.engine.machine().setup;
        let options = text::options_json(&self.rules.game, setup);
        let head = json!({
            "format": FORMAT,
            "version": VERSION,
            "game": self.rules.name,
            "rules": self.rules.hash,
            "options": options,
            "players": setup.players,
        });
        format!("{},\"seed\":", head.to_string().trim_end_matches('}'))
    }

    /// Formats a choice or draw as an entry of a record.
    fn record_entry(&self, step: Playout) -> String {
        let game = &self.rules.game;
        let entry = match step {
            Playout::Choice(seat, chosen) => {
                let mv = &game.moves[chosen.mv];
                let args: serde_json::Map<String, Json> =
                    named(mv, chosen).map(|(name, value)| (name, text::json(game, &value))).collect();
                json!({ "player": seat + 1, "move": mv.name, "args": args })
            }
            Playout::Chance(name, value) => {
                json!({ "player": 0, "move": name, "args": { "value": text::json(game, value) } })
            }
        };
        entry.to_string()
    }

    /// Adds a match to the tally, and returns its scores.
    fn count(&self, end: &E::State, moves: u64, tally: &mut Tally) -> Result<Option<Vec<Int>>, Fault> {
        let scores = self.engine.scores(end)?;
        let players = self.engine.machine().setup.players;
        tally.add(players, self.engine.outcome(end), moves, scores.as_deref());
        Ok(scores)
    }

    /// Returns the choices and draws of match number `n` as lines of an example, as far as the match goes.
    /// Empty if it breaks before the first choice.
    pub fn example_lines(&self, n: u64) -> Vec<String> {
        let game = &self.rules.game;
        let mut lines = Vec::new();
        let mut rng = Rng::new(Rng::sub_seed(self.seed, n));
        let _ = playout(self.engine, &mut rng, self.max_moves, &mut |told| {
            lines.push(match told {
                Playout::Choice(seat, chosen) => {
                    let mv = &game.moves[chosen.mv];
                    let args: Vec<(String, Value)> = named(mv, chosen).collect();
                    format!("  {}: {}", seat + 1, move_words(game, &mv.name, &args))
                }
                Playout::Chance(name, value) => {
                    format!("  chance {}", move_words(game, name, &[("value".to_string(), value.clone())]))
                }
            });
        });
        lines
    }

    /// Formats lines of match number `n` as an example for the rule file, to show a match that breaks.
    pub fn example(&self, n: u64, lines: &[String]) -> String {
        let game = &self.rules.game;
        let setup = &self.engine.machine().setup;
        let options = game.options.iter().zip(&setup.options);
        let mut with: Vec<String> = options
            .map(|(option, value)| format!("{} = {}", option.name, text::words(game, value)))
            .collect();
        with.push(format!("players = {}", setup.players));
        format!(
            "example \"match {n} of seed {}\" with {} {{\n{}\n}}",
            self.seed,
            with.join(", "),
            lines.join("\n")
        )
    }
}

/// Returns the arguments of a choice with their names.
fn named(mv: &Move, chosen: &Chosen) -> impl Iterator<Item = (String, Value)> {
    crate::play::chosen(mv).map(|param| param.name.clone()).zip(chosen.args.iter().cloned())
}

/// Formats the result field of a record.
fn result(outcome: Option<Outcome>, scores: Option<Vec<Int>>) -> String {
    let row = |items: Vec<String>| format!("[{}]", items.join(","));
    let over = outcome.is_some();
    let winners = outcome.iter().flat_map(|o| o.winners.iter().map(|seat| (seat + 1).to_string()));
    let winners = row(winners.collect());
    let scores = scores.map_or("null".to_string(), |scores| {
        row(scores.iter().map(|score| text::json_int(score).to_string()).collect())
    });
    format!("{{\"over\":{over},\"winners\":{winners},\"scores\":{scores}}}")
}

impl Tally {
    pub(super) fn add(
        &mut self,
        players: usize,
        outcome: Option<Outcome>,
        moves: u64,
        scores: Option<&[Int]>,
    ) {
        self.games += 1;
        self.total_moves += moves;
        let (least, most) = self.moves.unwrap_or((moves, moves));
        self.moves = Some((least.min(moves), most.max(moves)));
        self.wins.resize(players, 0);
        if outcome.is_none() {
            self.unfinished.get_or_insert(self.games - 1);
        }
        if let Some(outcome) = outcome {
            self.finished += 1;
            match outcome.winners.as_slice() {
                [] => self.none += 1,
                [one] => self.wins[*one] += 1,
                several => *self.together.entry(bits(several)).or_default() += 1,
            }
        }
        if let Some(scores) = scores {
            let sums = self.scores.get_or_insert_with(|| vec![[Int::ZERO, Int::ZERO]; players]);
            for ([sum, squares], score) in sums.iter_mut().zip(scores) {
                *sum = sum.add(score);
                // Only the interval is lost with what is too large to be squared.
                *squares = score.mul(score).map_or(Int::ZERO, |square| squares.add(&square));
            }
        }
    }

    /// Adds the matches played after these.
    pub fn join(&mut self, other: &Tally) {
        self.unfinished = self.unfinished.or(other.unfinished.map(|n| self.games + n));
        self.games += other.games;
        self.finished += other.finished;
        self.total_moves += other.total_moves;
        other.together.iter().for_each(|(seats, n)| *self.together.entry(*seats).or_default() += n);
        self.none += other.none;
        self.moves = match (self.moves, other.moves) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, two) => one.or(two),
        };
        add_each(&mut self.wins, &other.wins, 0, |sum, more| sum + more);
        if let Some(more) = &other.scores {
            let add = |[sum, squares]: &[Int; 2], more: &[Int; 2]| [sum.add(&more[0]), squares.add(&more[1])];
            add_each(self.scores.get_or_insert_default(), more, [Int::ZERO, Int::ZERO], add);
        }
    }

    /// Returns the JSON that `parlour simulate --json` prints.
    pub fn json<E: Engine>(&self, simulation: &Simulation<E>) -> Json {
        let setup = &simulation.engine.machine().setup;
        let options = text::options_json(&simulation.rules.game, setup);
        let (min, max) = self.moves.unwrap_or((0, 0));
        json!({
            "games": self.games,
            "finished": self.finished,
            "seed": simulation.seed,
            "players": setup.players,
            "options": options,
            "moves": { "min": min, "mean": mean(&Int::from(self.total_moves), self.games), "max": max },
            "wins": self.wins,
            "shared": self.together.values().sum::<u64>(),
            "none": self.none,
            "scores": self.scores.as_ref().map(|sums| {
                json!({ "mean": sums.iter().map(|[sum, _]| mean(sum, self.games)).collect::<Vec<_>>() })
            }),
            "bailouts": bailouts_json(simulation.rules, &simulation.engine.bailouts(), self.total_moves),
            "interpreted": all_reasons(simulation.rules, &simulation.engine.interpreted()),
        })
    }

    /// Formats the tally for people, shares and mean scores with 95 % intervals; `how` describes how the matches were played.
    pub fn words<E: Engine>(&self, simulation: &Simulation<E>, how: &str) -> String {
        let game = &simulation.rules.game;
        let share = |n: u64| {
            let share = n as f64 / self.games.max(1) as f64;
            let (low, high) = interval(share, self.games);
            let percent = |share: f64| decimals(100.0 * share, 1);
            format!("{}: {} % ({}..{})", thousands(n), percent(share), percent(low), percent(high))
        };
        let mut lines = vec![format!(
            "{}: {} {how}, seed {}",
            game.title,
            counted(self.games, "match", "matches"),
            simulation.seed
        )];
        if self.games == 0 {
            lines.push("  no match was played, so there is nothing to tell".to_string());
            return lines.join("\n");
        }
        lines.push(format!("  choices in a match  {}", self.length_words()));
        let players = self.wins.len();
        let sides = simulation.engine.machine().interests.sides(players);
        let mut shared: u64 = self.together.values().sum();
        for side in &sides {
            let own = bits(side);
            // What a team wins by itself is not shared.
            let wins = match side.as_slice() {
                [seat] => self.wins[*seat],
                _ => self.together.get(&own).copied().unwrap_or(0),
            };
            shared -= if side.len() > 1 { wins } else { 0 };
            let others = self.together.iter().filter(|(seats, _)| **seats != own && *seats & own == own);
            let shares: u64 = others.map(|(_, n)| n).sum();
            let shares = if shares > 0 { format!(", shares {}", share(shares)) } else { String::new() };
            lines.push(format!("  {:<18}  wins {}{shares}", side_name(game, side, players), share(wins)));
        }
        if sides.len() > 1 {
            lines.push(format!("  shared              {}", share(shared)));
        }
        if players > 1 {
            lines.push(format!("  nobody              {}", share(self.none)));
        }
        if let Some(sums) = &self.scores {
            let mean = |[sum, squares]: &[Int; 2]| {
                let mean = decimals(mean(sum, self.games), 2);
                match Moments::of(self.games, real(sum), real(squares)).mean() {
                    Some(Estimate { interval: [low, high], .. }) if low < high => {
                        format!("{mean} ({}..{})", decimals(low, 2), decimals(high, 2))
                    }
                    _ => mean,
                }
            };
            let means: Vec<String> = sums.iter().map(mean).collect();
            lines.push(format!("  mean scores         {}", means.join(", ")));
        }
        if self.finished < self.games {
            let left = self.games - self.finished;
            lines.push(format!(
                "  unfinished          {}: stopped after {}",
                thousands(left),
                counted(simulation.max_moves, "choice", "choices")
            ));
        }
        lines.join("\n")
    }

    /// Describes how many choices the matches had.
    fn length_words(&self) -> String {
        let (min, max) = self.moves.unwrap_or((0, 0));
        match min == max {
            true => format!("{} in every match", thousands(min)),
            false => {
                let mean = mean(&Int::from(self.total_moves), self.games);
                format!("{} to {}, {mean:.2} on average", thousands(min), thousands(max))
            }
        }
    }
}

/// Returns seats (from 0) as bits.
fn bits(seats: &[usize]) -> u64 {
    seats.iter().fold(0, |all, seat| all | 1 << seat)
}

/// Adds numbers seat by seat.
fn add_each<T: Clone>(sums: &mut Vec<T>, more: &[T], zero: T, add: impl Fn(&T, &T) -> T) {
    sums.resize(sums.len().max(more.len()), zero);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = add(sum, more));
}

fn mean(sum: &Int, of: u64) -> f64 {
    if of == 0 { 0.0 } else { real(sum) / of as f64 }
}

/// Returns an integer as a floating-point number, as near as there is one.
fn real(n: &Int) -> f64 {
    n.as_i64().map_or_else(|| n.to_string().parse().unwrap_or(f64::NAN), |n| n as f64)
}
