//! Thousands of random matches of the six games, each judged move by move by an independent oracle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::oracles;
use crate::oracles::{Entry, Oracle, Outcome};
use parlour::eval::Machine;
use parlour::ir::{Type, Value};
use parlour::lab::{Simulation, Tally};
use parlour::play::{Match, Record, Rng, Rules, bundled_source, read_json, replay};
use serde_json::{Map, Value as Json, json};

/// The number of choices after which a simulated match is given up.
const MAX_MOVES: u64 = 200_000;

/// A game with options and players.
struct Case {
    rules: Arc<Rules>,
    options: Map<String, Json>,
    players: usize,
}

fn case(game: &str, options: Json, players: usize) -> Case {
    let source = bundled_source(game).expect("a bundled game");
    let rules = Rules::load(source).unwrap_or_else(|found| panic!("{game} does not check: {found:?}"));
    let Json::Object(options) = options else { panic!("options are an object") };
    Case { rules: Arc::new(rules), options, players }
}

impl Case {
    fn set(&self) -> BTreeMap<usize, Value> {
        let read = |(name, json): (&String, &Json)| {
            let id = self.rules.option_id(name).unwrap();
            (id, read_json(&self.rules.game, &self.rules.game.options[id].form.ty(), json).unwrap())
        };
        self.options.iter().map(read).collect()
    }

    fn machine(&self) -> Machine {
        self.rules.machine(&self.set(), self.players).unwrap()
    }

    fn start(&self, seed: u64) -> Match {
        Match::new(self.rules.clone(), &self.set(), self.players, seed).unwrap()
    }

    fn oracle(&self) -> Box<dyn Oracle> {
        oracles::new(&self.rules.name, &self.options, self.players)
    }

    fn name(&self) -> String {
        format!("{} {} {} players", self.rules.name, Json::Object(self.options.clone()), self.players)
    }

    /// Simulates matches; each is judged, replayed and compared. Returns the records.
    fn simulate(&self, matches: u64) -> Vec<Record> {
        let machine = self.machine();
        let simulation =
            Simulation { rules: &self.rules, engine: &machine, seed: matches, max_moves: MAX_MOVES };
        let mut tally = Tally::default();
        let mut records = Vec::new();
        for n in 0..matches {
            let played = simulation.play(n..n + 1, true);
            tally.join(&played.tally);
            let json: serde_json::Value = serde_json::from_str(&played.records).unwrap();
            let record = Record::read(&json.to_string()).unwrap();
            assert_eq!(record.json(), json);
            let name = format!("{}, match {n}", self.name());
            let moves: Vec<Entry> = record.moves.iter().map(entry).collect();
            let outcome = oracles::replay(&self.rules.name, &record.options, record.players, &moves)
                .unwrap_or_else(|refused| panic!("{name}: the oracle refuses {refused}"));
            assert_eq!(result(record.result.as_ref().unwrap()), outcome, "{name}");
            assert!(outcome.over, "{name}: unfinished");
            let replayed = replay(self.rules.clone(), &record).unwrap();
            assert!(replayed.broken.is_none(), "{name}: {:?}", replayed.broken);
            assert_eq!(replayed.played.result().unwrap(), *record.result.as_ref().unwrap(), "{name}");
            assert_eq!(replayed.played.record().unwrap(), record, "{name}");
            assert!(replayed.played.to_move().is_empty());
            records.push(record);
        }
        assert_eq!((tally.games, tally.finished), (matches, matches), "{}", self.name());
        records
    }

    /// Plays matches choice by choice beside the oracle. Each step compares the complete sets of legal moves,
    /// and the answers to moves made up at random.
    fn compare(&self, matches: u64) -> Vec<usize> {
        (0..matches).map(|seed| self.compare_one(seed)).collect()
    }

    fn compare_one(&self, seed: u64) -> usize {
        let mut rng = Rng::nth(0x6a3e5, seed);
        let mut played = self.start(seed);
        let mut oracle = self.oracle();
        let mut steps = 0;
        loop {
            let name = format!("{}, seed {seed}, step {steps}", self.name());
            assert_eq!(played.to_move(), oracle.to_move(), "{name}");
            assert_eq!(result(&played.result().unwrap()), oracle.outcome(), "{name}");
            if played.over() {
                return steps;
            }
            let seats = played.to_move();
            let mut chosen = Vec::new();
            for player in &seats {
                self.compare_legal(&played, &*oracle, *player, &name);
                chosen.push(self.choose(&played, *player, steps, &mut rng));
            }
            for _ in 0..3 {
                self.try_odd_move(&played, &*oracle, &chosen, &mut rng, &name);
            }
            oracle.step(&chosen).unwrap_or_else(|refused| panic!("{name}: the oracle refuses: {refused}"));
            // Simultaneous choices may be made in any order.
            while !chosen.is_empty() {
                let at = rng.below_u64(chosen.len() as u64) as usize;
                let entry = chosen.remove(at);
                let told = played
                    .play(entry.player, &entry.name, &entry.args)
                    .unwrap_or_else(|refused| panic!("{name}: {entry:?} is refused: {}", refused.message));
                let mut left: Vec<usize> = chosen.iter().map(|entry| entry.player).collect();
                left.sort_unstable();
                assert_eq!(told.waiting_for, left, "{name}");
            }
            steps += 1;
        }
    }

    /// Asserts that the moves listed for a player are exactly those of the oracle.
    fn compare_legal(&self, played: &Match, oracle: &dyn Oracle, player: usize, name: &str) {
        let Some(expected) = oracle.legal(player) else {
            let (_, some) = played.legal(player, 20).unwrap();
            assert!(!some.is_empty() && some.len() <= 20, "{name}");
            let accepts = |found: Entry| played.clone().play(player, &found.name, &found.args).is_ok();
            assert!(some.iter().map(|found| entry(&played.entry_json(found))).all(accepts), "{name}");
            return;
        };
        let (count, listed) = played.legal(player, expected.len() + 10).unwrap();
        let listed_keys: BTreeSet<String> =
            listed.iter().map(|found| key(&entry(&played.entry_json(found)))).collect();
        let expected_keys: BTreeSet<String> = expected.iter().map(key).collect();
        assert_eq!(listed_keys, expected_keys, "{name}");
        assert_eq!(listed.len(), expected.len(), "{name}: a move is listed twice");
        assert_eq!(count.and_then(|n| n.as_usize()), Some(expected.len()), "{name}");
    }

    /// Returns a random legal move. Leaving the game is made rare, so that there are long matches, too.
    fn choose(&self, played: &Match, player: usize, steps: usize, rng: &mut Rng) -> Entry {
        loop {
            let drawn = entry(&played.entry_json(&played.random_move(player, rng).unwrap()));
            let leaves = drawn.name == "drop" && steps < 200 && rng.below_u64(10) > 0;
            if !leaves || played.legal(player, 2).unwrap().1.len() == 1 {
                return drawn;
            }
        }
    }

    /// Asserts that a move made up at random is accepted if and only if the oracle accepts it.
    fn try_odd_move(&self, played: &Match, oracle: &dyn Oracle, chosen: &[Entry], rng: &mut Rng, name: &str) {
        let at = rng.below_u64(chosen.len() as u64) as usize;
        let mut step = chosen.to_vec();
        step[at] = self.odd_move(&chosen[at], rng);
        let odd = step[at].clone();
        let accepted = played.clone().play(odd.player, &odd.name, &odd.args).is_ok();
        // The oracle checks a whole step of all players to move, the match each single choice.
        let in_turn = odd.player == chosen[at].player;
        let expected = in_turn && oracle.boxed_clone().step(&step).is_ok();
        let other_seat = chosen.iter().position(|entry| entry.player == odd.player);
        if let (false, Some(other)) = (in_turn, other_seat) {
            let mut step = chosen.to_vec();
            step[other] = odd.clone();
            assert_eq!(accepted, oracle.boxed_clone().step(&step).is_ok(), "{name}: {odd:?}");
            return;
        }
        assert_eq!(accepted, expected, "{name}: {odd:?}");
    }

    /// Returns a move like the given one, or another move of the game, with something changed.
    fn odd_move(&self, like: &Entry, rng: &mut Rng) -> Entry {
        let mut below = |n: usize| rng.below_u64(n as u64) as usize;
        let mut odd = like.clone();
        match below(8) {
            0 => odd.player = below(self.players + 2),
            1 => {
                let names: Vec<String> = odd.args.keys().cloned().collect();
                if !names.is_empty() {
                    odd.args.remove(&names[below(names.len())]);
                }
            }
            2 => {
                odd.args.insert("extra".into(), json!(1));
            }
            3..5 => {
                let mv = &self.rules.game.moves[below(self.rules.game.moves.len())];
                odd.name.clone_from(&mv.name);
                odd.args.clear();
                for param in mv.params.iter().filter(|param| param.domain.is_some()) {
                    odd.args.insert(param.name.clone(), self.odd_value(&param.ty, None, &mut below));
                }
            }
            _ => {
                let mv = self.rules.game.moves.iter().find(|mv| mv.name == odd.name).unwrap();
                for param in &mv.params {
                    let old = odd.args.get(&param.name).cloned();
                    odd.args.insert(param.name.clone(), self.odd_value(&param.ty, old, &mut below));
                }
            }
        }
        odd
    }

    fn odd_value(&self, ty: &Type, old: Option<Json>, below: &mut dyn FnMut(usize) -> usize) -> Json {
        match (ty, old) {
            (_, Some(old)) if below(4) == 0 => old,
            (_, _) if below(12) == 0 => match below(5) {
                0 => Json::Null,
                1 => json!("1"),
                2 => json!([1, 2]),
                3 => json!(1.5),
                _ => json!({ "at": 1 }),
            },
            (Type::Int, _) => json!(below(16) as i64 - 2),
            (Type::Symbol(_), _) => {
                let names: Vec<&str> = self.rules.game.symbols.iter().map(String::as_str).collect();
                json!(names.get(below(names.len() + 1)).unwrap_or(&"unheard-of"))
            }
            (Type::List(_), Some(Json::Array(mut items))) if !items.is_empty() => {
                let (at, to) = (below(items.len()), below(items.len()));
                match below(5) {
                    0 => items[at] = items[to].clone(),
                    1 => items[at] = json!(below(30) as i64 - 15),
                    2 => drop(items.remove(at)),
                    3 => items.push(json!(below(30))),
                    _ => items.swap(at, to),
                }
                Json::Array(items)
            }
            _ => (0..below(5)).map(|_| json!(below(16) as i64 - 8)).collect(),
        }
    }
}

/// Converts an entry of a record to that of the oracles.
fn entry(json: &Json) -> Entry {
    Entry {
        player: json["player"].as_u64().unwrap() as usize,
        name: json["move"].as_str().unwrap().to_string(),
        args: json["args"].as_object().unwrap().clone(),
    }
}

/// Returns a move without its player as text; equal moves have equal texts.
fn key(entry: &Entry) -> String {
    let args: BTreeMap<&String, String> =
        entry.args.iter().map(|(name, value)| (name, value.to_string())).collect();
    format!("{} {args:?}", entry.name)
}

/// Converts a record's result to that of the oracles.
fn result(json: &Json) -> Outcome {
    let numbers =
        |json: &Json| -> Vec<i64> { json.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect() };
    Outcome {
        over: json["over"].as_bool().unwrap(),
        winners: numbers(&json["winners"]).into_iter().map(|n| n as usize).collect(),
        scores: match &json["scores"] {
            Json::Null => None,
            scores => Some(numbers(scores)),
        },
    }
}

/// Returns the number of multisets of positive integers with the sum n.
fn partitions(n: usize) -> usize {
    let mut ways = vec![0_usize; n + 1];
    ways[0] = 1;
    for part in 1..=n {
        for sum in part..=n {
            ways[sum] += ways[sum - part];
        }
    }
    ways[n]
}

#[test]
fn procession() {
    assert_eq!((partitions(5), partitions(12), partitions(40)), (7, 77, 37338));
    for n in 1..=12 {
        for players in 2..=5 {
            let case = case("procession", json!({ "n": n }), players);
            for record in case.simulate(8) {
                let moves = record.moves.len();
                assert!(moves < partitions(n), "each move makes a multiset of run-lengths that is new");
                let winners = record.result.unwrap()["winners"].clone();
                // Turns go round from player 1, and the last mover wins; if n is 1, nobody can move.
                assert_eq!(winners, if n == 1 { json!([]) } else { json!([(moves - 1) % players + 1]) });
            }
            case.compare(4);
        }
    }
    for players in [2, 5] {
        let case = case("procession", json!({ "n": 40 }), players);
        assert!(case.simulate(2).iter().all(|record| record.moves.len() < partitions(40)));
        case.compare(1);
    }
    case("procession", json!({}), 2).simulate(10);
}

#[test]
fn sum_of_products() {
    for n in 1..=6 {
        let case = case("sum-of-products", json!({ "n": n }), 2);
        for record in case.simulate(if n < 5 { 30 } else { 10 }) {
            assert_eq!(record.moves.len(), n * n, "the game is over after n^2 turns");
        }
        assert!(case.compare(if n < 5 { 10 } else { 2 }).iter().all(|steps| *steps == n * n));
    }
    case("sum-of-products", json!({}), 2).simulate(10);
}

#[test]
fn binary_scramble() {
    for (turns, target, players) in [
        (1, 1, 2),
        (1, 1000, 2),
        (2, 1, 2),
        (2, 10, 2),
        (2, 1000, 2),
        (4, 3, 2),
        (5, 10, 2),
        (1, 2, 3),
        (2, 1000, 3),
        (3, 4, 3),
        (4, 10, 3),
        (1, 5, 4),
        (2, 1000, 4),
        (3, 7, 4),
    ] {
        let options = json!({ "turns_each": turns, "target": target });
        let case = case("binary-scramble", options, players);
        let digits = turns * players;
        for record in case.simulate(12) {
            let flips = record.moves.len() - digits;
            assert!(flips < 1 << digits, "no list comes twice");
            let scores = result(&record.result.unwrap()).scores.unwrap();
            assert!(scores.iter().all(|score| *score <= target), "one point a move ends it in time");
            assert!(record.moves[..digits].iter().all(|entry| entry["move"] == "append"));
            assert!(record.moves[digits..].iter().all(|entry| entry["move"] == "flip"));
        }
        case.compare(6);
    }
    case("binary-scramble", json!({}), 2).simulate(10);
    case("binary-scramble", json!({ "turns_each": 30, "target": 1000 }), 4).simulate(1);
}

#[test]
fn numbers_to_number() {
    for m in 2..=8 {
        let case = case("numbers-to-number", json!({ "m": m }), 2);
        let top = (1 << m) - 1;
        let choices = top / m * m;
        for record in case.simulate(if m < 7 { 16 } else { 5 }) {
            assert_eq!(record.moves.len(), 2 * choices, "floor((2^m - 1) / m) rounds of m choices");
            for player in 1..=2 {
                let mine = record.moves.iter().filter(|entry| entry["player"] == player);
                let numbers: BTreeSet<String> = mine.map(|e| e["args"]["number"].to_string()).collect();
                assert_eq!(numbers.len(), choices, "nobody writes a number twice");
            }
        }
        assert!(case.compare(if m < 7 { 4 } else { 1 }).iter().all(|steps| *steps == choices));
    }
    case("numbers-to-number", json!({}), 2).simulate(10);
}

#[test]
fn transform() {
    for players in 2..=4 {
        for n in 1..=5 {
            for formula in ["written", "convolution"] {
                for criterion in ["primes", "fibonacci", "squares", "coprime", "permutator"] {
                    let rounds_each = 1 + (n + players) % 2;
                    let options = json!({
                        "n": n, "formula": formula, "criterion": criterion, "rounds_each": rounds_each,
                    });
                    let case = case("transform", options, players);
                    for record in case.simulate(3) {
                        let named = |name| record.moves.iter().filter(|e| e["move"] == name).count();
                        let rounds = rounds_each * players;
                        assert_eq!(named("permute"), rounds);
                        assert_eq!(named("list"), rounds * players);
                        assert_eq!(named("term"), rounds * n);
                        let scores = result(&record.result.unwrap()).scores.unwrap();
                        assert!(scores.iter().all(|score| *score <= (rounds * n) as i64));
                    }
                    case.compare(3);
                }
            }
        }
    }
    let wide = json!({ "n": 12, "formula": "convolution", "limit": 1_000_000, "rounds_each": 2 });
    case("transform", wide, 3).simulate(10);
    case("transform", json!({}), 2).simulate(10);
    // The window contains n different numbers, however small the limit is.
    case("transform", json!({ "n": 50, "limit": 1, "criterion": "coprime" }), 2).simulate(3);
}

#[test]
fn numerical_card_game() {
    for m in 1..=12 {
        for players in 2..=5 {
            let case = case("numerical-card-game", json!({ "m": m }), players);
            for record in case.simulate(10) {
                let drops = record.moves.iter().filter(|entry| entry["move"] == "drop").count();
                assert!(drops <= players);
                let points: i64 = result(&record.result.unwrap()).scores.unwrap().iter().sum();
                assert!(points <= 2 * record.moves.len() as i64, "a pair shares four points at most");
            }
            case.compare(5);
        }
    }
    case("numerical-card-game", json!({}), 2).simulate(10);
}
