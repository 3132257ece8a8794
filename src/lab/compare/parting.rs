//! Where two games part, and how.

use serde_json::{Value as Json, json};

use super::{Comparison, Side};
use crate::engine::Engine;
use crate::eval::{Chosen, Fault, text};
use crate::explore::{Setting, Step, Trace, take};
use crate::ir::Value;
use crate::num::Int;
use crate::play::{Record, Rules, and, move_words};
use crate::source::Span;

/// A place at which two games part.
#[derive(Debug, Clone)]
pub struct Parting {
    /// The steps that lead there, as each game has them.
    pub steps: [Vec<Step>; 2],
    /// The difference found there.
    pub difference: Difference,
    /// The number of the random match in which it was found, from 0; `None` if it was found by the search of
    /// all positions, so that no parting is fewer choices away.
    pub in_match: Option<u64>,
}

/// A difference between two games at one place. Seats count from 0, and games are 0 and 1.
#[derive(Debug, Clone)]
pub enum Difference {
    /// The games wait for different things.
    Waits([Waits; 2]),
    /// A move that only one of them allows.
    Move {
        /// The game that allows it.
        allowed_by: usize,
        /// The step in which it is made, including the other picks of a joint choice.
        step: Step,
        /// The seat that makes it.
        seat: usize,
        /// Why the other game refuses it, and the place of that in its rule file; `None` if it has no such
        /// move.
        refused: Option<(String, Span)>,
    },
    /// A result of a draw that is possible in only one of them.
    Outcome {
        /// The game in which it is possible.
        possible_in: usize,
        /// The draw.
        step: Step,
    },
    /// The results of a draw have different probabilities.
    Odds,
    /// The winners differ.
    Winners([Vec<usize>; 2]),
    /// The points at the end differ.
    Scores([Option<Vec<Int>>; 2]),
    /// The rules of only one of them break here.
    Broken {
        /// The game whose rules break.
        game: usize,
        /// The fault.
        fault: Box<Fault>,
    },
}

/// What a game waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waits {
    /// The choice of one seat, or a joint choice of several.
    Seats(Vec<usize>),
    /// A draw, by its name.
    Chance(String),
    /// Nothing: the match is over.
    Over,
}

impl Parting {
    /// Returns the number of choices that lead to the place; a joint choice counts once.
    pub fn choices(&self) -> usize {
        self.steps[0].iter().filter(|step| matches!(step, Step::Choice(_))).count()
    }

    /// Describes the difference in a sentence, with the names of the games.
    pub fn words<E: Engine>(&self, sides: &[Side<E>; 2]) -> String {
        let [first, second] = sides;
        let name = |game: usize| sides[game].name.as_str();
        match &self.difference {
            Difference::Waits([one, other]) => format!(
                "in {}, {}; in {}, {}",
                first.name,
                one.words(first.rules),
                second.name,
                other.words(second.rules)
            ),
            Difference::Move { allowed_by, step, seat, refused } => {
                let (by, against) = (&sides[*allowed_by], &sides[1 - allowed_by]);
                let made = match step {
                    Step::Choice(picks) => picks.iter().find(|(who, _)| who == seat),
                    Step::Chance(..) => None,
                };
                let named = made.map(|(_, chosen)| &by.rules.game.moves[chosen.mv].name);
                let made = made.map_or(String::new(), |(_, chosen)| choice_words(by.rules, chosen));
                let why = match refused {
                    Some((why, span)) => format!("refuses it: {why}{}", place(against.rules, *span)),
                    None if named
                        .is_some_and(|name| against.rules.game.moves.iter().any(|mv| mv.name == *name)) =>
                    {
                        "has it with other arguments".to_string()
                    }
                    None => "has no such move".to_string(),
                };
                let who = by.rules.game.seat_name(*seat);
                format!("{} allows {who} `{made}`; {} {why}", by.name, against.name)
            }
            Difference::Outcome { possible_in, step } => {
                let by = &sides[*possible_in];
                let drawn = match step {
                    Step::Chance(name, value) => chance_words(by.rules, name, value),
                    Step::Choice(_) => String::new(),
                };
                format!("chance can produce `{drawn}` in {} but not in {}", by.name, name(1 - possible_in))
            }
            Difference::Odds => {
                format!(
                    "the outcomes of this chance event have different odds in {} and {}",
                    name(0),
                    name(1)
                )
            }
            Difference::Winners(winners) => {
                let each = |game: usize| match winners[game].as_slice() {
                    [] => "nobody wins".to_string(),
                    seats => {
                        let names: Vec<String> =
                            seats.iter().map(|seat| sides[game].rules.game.seat_name(*seat)).collect();
                        format!("{} {}", and(&names), if seats.len() == 1 { "wins" } else { "win" })
                    }
                };
                let over =
                    format!("the match is over: in {}, {}; in {}, {}", name(0), each(0), name(1), each(1));
                over + &self.scores_differ_earlier(sides)
            }
            Difference::Scores(scores) => {
                let each = |game: usize| match &scores[game] {
                    None => "there is no score".to_string(),
                    Some(scores) => {
                        format!("the scores are {}", listed(scores))
                    }
                };
                let over =
                    format!("the match is over: in {}, {}; in {}, {}", name(0), each(0), name(1), each(1));
                over + &self.scores_differ_earlier(sides)
            }
            Difference::Broken { game, fault } => {
                let place = place(sides[*game].rules, fault.span());
                format!(
                    "the rules of {} break here: {}{place}; those of {} do not",
                    name(*game),
                    fault.message,
                    name(1 - game)
                )
            }
        }
    }

    /// Says where the scores differ for the first time if that is before the place; otherwise empty.
    fn scores_differ_earlier<E: Engine>(&self, sides: &[Side<E>; 2]) -> String {
        let machines = sides.each_ref().map(|side| side.engine.machine());
        let starts = machines.map(|machine| machine.start().ok());
        let [Some(one), Some(other)] = starts else { return String::new() };
        let (mut at, mut choices) = ([one, other], 0);
        for steps in self.steps[0].iter().zip(&self.steps[1]) {
            let scores = [0, 1].map(|game| machines[game].scores(&at[game]).ok().flatten());
            if let [Some(one), Some(other)] = scores
                && one != other
            {
                let when = match choices {
                    0 => "from the start".to_string(),
                    1 => "after the first choice".to_string(),
                    several => format!("after {several} choices"),
                };
                let [first, second] = sides.each_ref().map(|side| &side.name);
                let (one, other) = (listed(&one), listed(&other));
                return format!("; the scores differ {when}: {one} in {first} and {other} in {second}");
            }
            let taken =
                [(0, steps.0), (1, steps.1)].map(|(game, step)| take(machines[game], &mut at[game], step));
            if !taken.iter().all(|taken| matches!(taken, Ok(true))) {
                break;
            }
            choices += usize::from(matches!(steps.0, Step::Choice(_)));
        }
        String::new()
    }

    /// Returns the match in each game: up to the parting, followed by the step that only this game allows, if
    /// there is one.
    pub fn traces<E: Engine>(&self, sides: &[Side<E>; 2]) -> [Trace; 2] {
        let of = |game: usize| {
            let setup = &sides[game].engine.machine().setup;
            let options = setup.options.iter().cloned().enumerate().collect();
            let mut steps = self.steps[game].clone();
            match &self.difference {
                Difference::Move { allowed_by: by, step, .. }
                | Difference::Outcome { possible_in: by, step }
                    if *by == game =>
                {
                    steps.push(step.clone());
                }
                _ => {}
            }
            Trace { setting: Setting { players: setup.players, options }, steps }
        };
        [of(0), of(1)]
    }

    /// Returns [`Parting::traces`] as records.
    pub fn records<E: Engine>(&self, sides: &[Side<E>; 2]) -> [Record; 2] {
        let [first, second] = self.traces(sides);
        [first.record(sides[0].rules), second.record(sides[1].rules)]
    }

    /// Returns an identifier of the kind of difference, for programs.
    fn kind(&self) -> &'static str {
        match self.difference {
            Difference::Waits(_) => "waits",
            Difference::Move { .. } => "move",
            Difference::Outcome { .. } => "outcome",
            Difference::Odds => "odds",
            Difference::Winners(_) => "winners",
            Difference::Scores(_) => "scores",
            Difference::Broken { .. } => "broken",
        }
    }
}

fn listed(scores: &[Int]) -> String {
    scores.iter().map(Int::to_string).collect::<Vec<_>>().join(", ")
}

impl Waits {
    fn words(&self, rules: &Rules) -> String {
        match self {
            Waits::Seats(seats) => {
                let names: Vec<String> = seats.iter().map(|seat| rules.game.seat_name(*seat)).collect();
                match names.as_slice() {
                    [one] => format!("{one} chooses next"),
                    [several @ .., last] => format!("{} and {last} choose together", several.join(", ")),
                    [] => "nobody chooses next".to_string(),
                }
            }
            Waits::Chance(name) => format!("chance decides `{name}`"),
            Waits::Over => "the match is over".to_string(),
        }
    }
}

impl Comparison {
    /// Returns the JSON that `parlour compare --json` prints.
    pub fn json<E: Engine>(&self, sides: &[Side<E>; 2]) -> Json {
        let renamed: Vec<Json> = self
            .renamed
            .iter()
            .map(|one| json!({ "kind": one.kind, "first": one.names[0], "second": one.names[1] }))
            .collect();
        let parting = self.parting.as_ref().map(|parting| {
            let records: Vec<Json> = parting.records(sides).iter().map(Record::json).collect();
            json!({
                "choices": parting.choices(),
                "kind": parting.kind(),
                "words": parting.words(sides),
                "shortest": self.parts_nowhere_earlier(),
                "records": records,
            })
        });
        let games: Vec<Json> = sides.iter().map(Side::json).collect();
        json!({
            "games": games,
            "equal": match (&self.parting, self.trees.complete) {
                (Some(_), _) => Json::Bool(false),
                (None, true) if !self.hides => Json::Bool(true),
                (None, _) => Json::Null,
            },
            "hides": self.hides,
            "unread": self.unread,
            "depth": self.trees.depth,
            "positions": self.trees.positions,
            "sampled": self.trees.sampled,
            "matches": self.matches,
            "renamed": renamed,
            "parting": parting,
        })
    }
}

impl<E: Engine> Side<'_, E> {
    fn json(&self) -> Json {
        let (game, setup) = (&self.rules.game, &self.engine.machine().setup);
        let options: serde_json::Map<String, Json> = game
            .options
            .iter()
            .zip(&setup.options)
            .map(|(option, value)| (option.name.clone(), text::json(game, value)))
            .collect();
        json!({ "game": self.rules.name, "rules": self.rules.hash, "options": options, "players": setup.players })
    }
}

/// Formats the place of a span in parentheses: ` (mine.game line 12)`.
fn place(rules: &Rules, span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    let (at, (file, _)) = (rules.source.position(span.start), rules.source.file_at(span.start));
    format!(" ({file} line {})", at.line)
}

fn choice_words(rules: &Rules, choice: &Chosen) -> String {
    let entry = rules.entry(0, choice);
    move_words(&rules.game, &entry.name, &entry.args)
}

fn chance_words(rules: &Rules, name: &str, value: &Value) -> String {
    move_words(&rules.game, name, &[("value".to_string(), value.clone())])
}
