//! Reference implementations of the six games, written straight from the documents, to judge other playouts.

mod binary_scramble;
mod numbers_to_number;
mod numerical_card_game;
mod procession;
mod sum_of_products;
mod transform;

use serde_json::{Map, Value};

/// Domains larger than this are not listed.
const LIST_LIMIT: usize = 5000;

/// One move of one player, as it stands in a record; players count from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub player: usize,
    pub name: String,
    pub args: Map<String, Value>,
}

/// How a match stands: winners are empty until it is over, scores are None where the game keeps none.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub over: bool,
    pub winners: Vec<usize>,
    pub scores: Option<Vec<i64>>,
}

/// A match under way.
pub trait Oracle {
    /// The seats that choose now, in seat order; empty exactly when the match is over.
    fn to_move(&self) -> Vec<usize>;
    /// Every legal move of that seat now, or None where they are too many to list.
    fn legal(&self, player: usize) -> Option<Vec<Entry>>;
    /// Plays one step: one entry for each seat to move, in seat order. A refused step changes nothing.
    fn step(&mut self, entries: &[Entry]) -> Result<(), String>;
    fn outcome(&self) -> Outcome;
    fn boxed_clone(&self) -> Box<dyn Oracle>;
}

/// Opens a match; options that are missing take their defaults.
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

/// Plays a record from the start; a refusal names the move, counted from 0, that its step begins with.
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

/// For each depth from 1 on: the sequences of that many steps, and those of them that end the match.
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

/// Every combination of one legal move for each seat to move; none when the match is over.
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

    /// The arguments of a move that must have this name and exactly these arguments.
    fn arguments<const N: usize>(&self, name: &str, keys: [&str; N]) -> Result<[&Value; N], String> {
        if self.name != name {
            return Err(format!("the move here is {name}, not {}", self.name));
        }
        if self.args.len() != N || !keys.iter().all(|key| self.args.contains_key(*key)) {
            return Err(format!("{name} takes exactly the arguments {keys:?}"));
        }
        Ok(keys.map(|key| &self.args[key]))
    }

    /// The same, where every argument is a whole number from 0 on.
    fn numbers<const N: usize>(&self, name: &str, keys: [&str; N]) -> Result<[usize; N], String> {
        let values = self.arguments(name, keys)?;
        if !values.iter().all(|value| value.is_u64()) {
            return Err(format!("the arguments of {name} are counting numbers"));
        }
        Ok(values.map(|value| value.as_u64().expect("just checked") as usize))
    }
}

/// A step holds one entry for each seat to move, in seat order.
fn check_seats(to_move: &[usize], entries: &[Entry]) -> Result<(), String> {
    if to_move.is_empty() {
        return Err("the match is over".to_string());
    }
    if !entries.iter().map(|entry| entry.player).eq(to_move.iter().copied()) {
        return Err(format!("the players to move are {to_move:?}"));
    }
    Ok(())
}

/// The outcome of a game that the highest score wins; a shared best score is shared.
fn highest_score(over: bool, scores: &[i64]) -> Outcome {
    let best = scores.iter().max();
    let winners = (1..=scores.len()).filter(|player| over && scores.get(player - 1) == best).collect();
    Outcome { over, winners, scores: Some(scores.to_vec()) }
}

/// The player after this one round the table.
fn after(player: usize, players: usize) -> usize {
    player % players + 1
}

/// The lengths of the runs of a row, smallest first, so that equal multisets are equal lists.
fn run_multiset(row: &[u8]) -> Vec<usize> {
    let mut lengths: Vec<usize> = row.chunk_by(|a, b| a == b).map(<[u8]>::len).collect();
    lengths.sort_unstable();
    lengths
}

/// A whole-number option, or its default.
fn number_option(options: &Map<String, Value>, name: &str, default: usize) -> usize {
    options
        .get(name)
        .map_or(default, |value| value.as_u64().expect("this option is a counting number") as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options from JSON text.
    pub fn options(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).expect("options are a JSON object")
    }

    /// Prints and returns what `perft` counts.
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
