//! Reference implementations of the six games, written directly from the documents, to judge matches.

mod binary_scramble;
mod numbers_to_number;
mod numerical_card_game;
mod procession;
mod sum_of_products;
mod transform;

use serde_json::{Map, Value};

/// Domains larger than this are not listed.
const LIST_LIMIT: usize = 5000;

/// One move of one player, as in a record; players are numbered from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub player: usize,
    pub name: String,
    pub args: Map<String, Value>,
}

/// The result so far: `winners` is empty until the match is over, `scores` is `None` if the game has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub over: bool,
    pub winners: Vec<usize>,
    pub scores: Option<Vec<i64>>,
}

/// A match in progress.
pub trait Oracle {
    /// Returns the players who choose now, in seat order; empty if and only if the match is over.
    fn to_move(&self) -> Vec<usize>;
    /// Returns every legal move of a player now; `None` if they are too many to list.
    fn legal(&self, player: usize) -> Option<Vec<Entry>>;
    /// Plays one step: one entry per player to move, in seat order. A refused step changes nothing.
    fn step(&mut self, entries: &[Entry]) -> Result<(), String>;
    fn outcome(&self) -> Outcome;
    fn boxed_clone(&self) -> Box<dyn Oracle>;
}

/// Begins a match; missing options take their defaults.
pub fn new(game: &str, options: &Map<String, Value>, players: usize) -> Box<dyn Oracle> {
    match game {
        "procession" => Box::new(procession::Procession::new(options, players)),
        "sum-of-products" => Box::new(sum_of_products::SumOfProducts::new(options)),
        "binary-scramble" => Box::new(binary_scramble::BinaryScramble::new(options, players)),
        "numbers-to-number" => Box::new(numbers_to_number::NumbersToNumber::new(options)),
        "transform" => Box::new(transform::Transform::new(options, players)),
        "numerical-card-game" => Box::new(numerical_card_game::NumericalCardGame::new(options, players)),
        _ => panic!("there is no game {game}"),
    }
}

/// Plays a record from the start; an error names the first move (from 0) of the refused step.
pub fn replay(
    game: &str,
    options: &Map<String, Value>,
    players: usize,
    moves: &[Entry],
) -> Result<Outcome, String> {
    let mut oracle = new(game, options, players);
    let mut at = 0;
    while at < moves.len() {
        let end = moves.len().min(at + oracle.to_move().len().max(1));
        oracle.step(&moves[at..end]).map_err(|sentence| format!("move {at}: {sentence}"))?;
        at = end;
    }
    Ok(oracle.outcome())
}

/// For each depth from 1 on: the number of sequences of that many steps, and how many of them end the match.
pub fn perft(o: &dyn Oracle, depth: usize) -> Vec<(u64, u64)> {
    let mut counts = vec![(0, 0); depth];
    count_sequences(o, &mut counts);
    counts
}

fn count_sequences(o: &dyn Oracle, counts: &mut [(u64, u64)]) {
    let Some((here, deeper)) = counts.split_first_mut() else {
        return;
    };
    for entries in joint_choices(o) {
        let mut next = o.boxed_clone();
        next.step(&entries).expect("a listed move is legal");
        here.0 += 1;
        here.1 += u64::from(next.outcome().over);
        count_sequences(&*next, deeper);
    }
}

/// Returns every combination of one legal move per player to move; empty when the match is over.
fn joint_choices(o: &dyn Oracle) -> Vec<Vec<Entry>> {
    let seats = o.to_move();
    if seats.is_empty() {
        return Vec::new();
    }
    let mut joint = vec![Vec::new()];
    for seat in seats {
        let legal = o.legal(seat).expect("perft needs moves that can be listed");
        joint = joint
            .iter()
            .flat_map(|before| {
                legal.iter().map(move |entry| [before.as_slice(), std::slice::from_ref(entry)].concat())
            })
            .collect();
    }
    joint
}

impl Entry {
    pub fn new(player: usize, name: &str, args: &[(&str, Value)]) -> Entry {
        Entry {
            player,
            name: name.to_string(),
            args: args.iter().map(|(key, value)| (key.to_string(), value.clone())).collect(),
        }
    }

    /// Returns the arguments of a move that must have this name and exactly these arguments.
    fn arguments<const N: usize>(&self, name: &str, keys: [&str; N]) -> Result<[&Value; N], String> {
        if self.name != name {
            return Err(format!("the move here is {name}, not {}", self.name));
        }
        if self.args.len() != N || !keys.iter().all(|key| self.args.contains_key(*key)) {
            return Err(format!("{name} takes exactly the arguments {keys:?}"));
        }
        Ok(keys.map(|key| &self.args[key]))
    }

    /// The same for arguments that are all whole numbers from 0 on.
    fn numbers<const N: usize>(&self, name: &str, keys: [&str; N]) -> Result<[usize; N], String> {
        let values = self.arguments(name, keys)?;
        if !values.iter().all(|value| value.is_u64()) {
            return Err(format!("the arguments of {name} are counting numbers"));
        }
        Ok(values.map(|value| value.as_u64().expect("just checked") as usize))
    }
}

/// Checks that a step has one entry for each player to move, in seat order.
fn check_seats(to_move: &[usize], entries: &[Entry]) -> Result<(), String> {
    if to_move.is_empty() {
        return Err("the match is over".to_string());
    }
    if !entries.iter().map(|entry| entry.player).eq(to_move.iter().copied()) {
        return Err(format!("the players to move are {to_move:?}"));
    }
    Ok(())
}

/// Returns the outcome of a game that the highest score wins; tied players win together.
fn highest_score(over: bool, scores: &[i64]) -> Outcome {
    let best = scores.iter().max();
    let winners = (1..=scores.len()).filter(|player| over && scores.get(player - 1) == best).collect();
    Outcome { over, winners, scores: Some(scores.to_vec()) }
}

/// Returns the next player round the table.
fn after(player: usize, players: usize) -> usize {
    player % players + 1
}

/// Returns the run-lengths of a row in ascending order, so equal multisets are equal lists.
fn run_multiset(row: &[u8]) -> Vec<usize> {
    let mut lengths: Vec<usize> = row.chunk_by(|a, b| a == b).map(<[u8]>::len).collect();
    lengths.sort_unstable();
    lengths
}

/// Returns a whole-number option, or its default.
fn number_option(options: &Map<String, Value>, name: &str, default: usize) -> usize {
    options
        .get(name)
        .map_or(default, |value| value.as_u64().expect("this option is a counting number") as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses options from JSON text.
    pub fn options(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).expect("options are a JSON object")
    }

    /// Prints and returns the counts of `perft`.
    pub fn show_perft(game: &str, text: &str, players: usize, depth: usize) -> Vec<(u64, u64)> {
        let counts = perft(&*new(game, &options(text), players), depth);
        println!("{game} {text} players {players}");
        for (index, (sequences, finished)) in counts.iter().enumerate() {
            println!("  depth {}: {sequences} {finished}", index + 1);
        }
        let total: u64 = counts.iter().map(|(_, finished)| finished).sum();
        println!("  finished in all: {total}");
        counts
    }

    #[test]
    fn replay_says_which_move_is_refused() {
        let flip = |player, at: u64| Entry::new(player, "flip", &[("at", at.into())]);
        let play = |moves: &[Entry]| replay("procession", &options(r#"{"n":5}"#), 2, moves);
        assert!(!play(&[flip(1, 4)]).unwrap().over);
        assert!(play(&[flip(1, 4), flip(1, 1)]).unwrap_err().starts_with("move 1:"));
        assert!(play(&[flip(1, 4), flip(2, 6)]).unwrap_err().starts_with("move 1:"));
    }

    #[test]
    fn replay_takes_a_joint_choice_whole() {
        let choose = |player, n: u64| Entry::new(player, "choose", &[("number", n.into())]);
        let play = |moves: &[Entry]| replay("numbers-to-number", &options("{}"), 2, moves);
        assert!(!play(&[choose(1, 4), choose(2, 4)]).unwrap().over);
        assert!(play(&[choose(1, 4)]).is_err());
        assert!(play(&[choose(2, 4), choose(1, 4)]).is_err());
    }
}
