//! Transform: secret lists, a common list that one player may rearrange, a point per term that passes.

use super::{Entry, LIST_LIMIT, Oracle, Outcome, after, check_seats, highest_score, number_option};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use serde_json::{Map, Value};
use std::collections::HashSet;

const CRITERIA: [&str; 4] = ["primes", "fibonacci", "squares", "coprime"];

#[derive(Clone, PartialEq)]
enum Phase {
    Propose,
    Vote,
    Lists,
    Terms,
    Permute,
    Over,
}

#[derive(Clone)]
pub struct Transform {
    n: usize,
    rounds: usize,
    players: usize,
    convolution: bool,
    /// The criterion of every round, or "permutator" if the permutator proposes it.
    option: String,

    round: usize,
    phase: Phase,
    scores: Vec<i64>,
    /// The criteria that have not been vetoed in this round.
    open: Vec<String>,
    /// The criterion of this round.
    criterion: String,
    a: Vec<BigInt>,
    b: Vec<Vec<BigInt>>,
}

impl Transform {
    pub fn new(options: &Map<String, Value>, players: usize) -> Self {
        let option = word_option(options, "criterion", "primes");
        assert!(option == "permutator" || CRITERIA.contains(&option.as_str()));
        let formula = word_option(options, "formula", "written");
        assert!(formula == "written" || formula == "convolution");
        let mut game = Transform {
            n: number_option(options, "n", 4),
            rounds: number_option(options, "rounds_each", 1) * players,
            players,
            convolution: formula == "convolution",
            option,
            round: 0,
            phase: Phase::Over,
            scores: vec![0; players],
            open: Vec::new(),
            criterion: String::new(),
            a: Vec::new(),
            b: Vec::new(),
        };
        game.next_round();
        game
    }

    fn next_round(&mut self) {
        self.a.clear();
        self.round += 1;
        self.phase = if self.round > self.rounds {
            Phase::Over
        } else if self.option == "permutator" {
            self.open = CRITERIA.map(String::from).to_vec();
            Phase::Propose
        } else {
            self.criterion = self.option.clone();
            Phase::Lists
        };
    }

    fn permutator(&self) -> usize {
        (self.round - 1) % self.players + 1
    }

    fn others(&self) -> Vec<usize> {
        (1..=self.players).filter(|&player| player != self.permutator()).collect()
    }

    /// Returns the player who writes the next term, in seat order after the permutator, who is skipped.
    fn term_writer(&self) -> usize {
        let turns = self.a.len() % (self.players - 1);
        (0..turns).fold(after(self.permutator(), self.players), |player, _| after(player, self.players))
    }

    /// Returns the sequence c(p,k), k = 1..n, for the player whose list is `b`.
    fn sequence(&self, b: &[BigInt]) -> Vec<BigInt> {
        (1..=self.n)
            .map(|k| {
                let reach = if self.convolution { k } else { self.n };
                (1..=reach).map(|j| &self.a[reach - j] * &b[j - 1]).sum()
            })
            .collect()
    }

    fn end_round(&mut self) {
        for player in 0..self.players {
            let c = self.sequence(&self.b[player]);
            self.scores[player] += points(&self.criterion, &c);
        }
        self.next_round();
    }

    fn propose(&mut self, entry: &Entry) -> Result<(), String> {
        let [criterion] = entry.arguments("propose", ["criterion"])?;
        let open = self.open.iter().find(|open| criterion == open.as_str());
        self.criterion = open.ok_or("that criterion is not open")?.clone();
        self.phase = if self.open.len() > 1 { Phase::Vote } else { Phase::Lists };
        Ok(())
    }

    fn vote(&mut self, entries: &[Entry]) -> Result<(), String> {
        let mut vetoed = false;
        for entry in entries {
            if entry.name == "veto" {
                vetoed = true;
                entry.arguments("veto", [])?;
            } else {
                entry.arguments("accept", [])?;
            }
        }
        self.phase = if vetoed {
            self.open.retain(|open| *open != self.criterion);
            Phase::Propose
        } else {
            Phase::Lists
        };
        Ok(())
    }

    fn lists(&mut self, entries: &[Entry]) -> Result<(), String> {
        let mut b = Vec::new();
        for entry in entries {
            let [terms] = entry.arguments("list", ["terms"])?;
            let terms = integers(terms)?;
            if terms.len() != self.n {
                return Err(format!("a list has {} terms", self.n));
            }
            if terms.iter().collect::<HashSet<_>>().len() != self.n {
                return Err("no integer may occur twice in a list".to_string());
            }
            b.push(terms);
        }
        self.b = b;
        self.phase = Phase::Terms;
        Ok(())
    }

    fn term(&mut self, entry: &Entry) -> Result<(), String> {
        let [value] = entry.arguments("term", ["value"])?;
        let value = integer(value)?;
        if self.a.contains(&value) {
            return Err(format!("{value} is in the list already"));
        }
        self.a.push(value);
        if self.a.len() == self.n {
            self.phase = Phase::Permute;
        }
        Ok(())
    }

    fn permute(&mut self, entry: &Entry) -> Result<(), String> {
        let [order] = entry.arguments("permute", ["order"])?;
        let order = integers(order)?;
        if sorted(&order) != sorted(&self.a) {
            return Err("the order must hold the terms of the list, each once".to_string());
        }
        self.a = order;
        self.end_round();
        Ok(())
    }
}

impl Oracle for Transform {
    fn to_move(&self) -> Vec<usize> {
        match self.phase {
            Phase::Propose | Phase::Permute => vec![self.permutator()],
            Phase::Vote => self.others(),
            Phase::Lists => (1..=self.players).collect(),
            Phase::Terms => vec![self.term_writer()],
            Phase::Over => Vec::new(),
        }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        if !self.to_move().contains(&player) {
            return Some(Vec::new());
        }
        match self.phase {
            Phase::Propose => Some(
                self.open
                    .iter()
                    .map(|open| Entry::new(player, "propose", &[("criterion", open.as_str().into())]))
                    .collect(),
            ),
            Phase::Vote => Some(vec![Entry::new(player, "accept", &[]), Entry::new(player, "veto", &[])]),
            Phase::Permute if (1..=self.n).fold(1, usize::saturating_mul) <= LIST_LIMIT => Some(
                arrangements(&self.a)
                    .iter()
                    .map(|order| Entry::new(player, "permute", &[("order", json(order))]))
                    .collect(),
            ),
            Phase::Permute | Phase::Lists | Phase::Terms => None,
            Phase::Over => Some(Vec::new()),
        }
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        match self.phase {
            Phase::Propose => self.propose(&entries[0]),
            Phase::Vote => self.vote(entries),
            Phase::Lists => self.lists(entries),
            Phase::Terms => self.term(&entries[0]),
            Phase::Permute => self.permute(&entries[0]),
            Phase::Over => Err("the match is over".to_string()),
        }
    }

    fn outcome(&self) -> Outcome {
        highest_score(self.phase == Phase::Over, &self.scores)
    }

    fn boxed_clone(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }
}

fn word_option(options: &Map<String, Value>, name: &str, default: &str) -> String {
    options.get(name).map_or(default, |value| value.as_str().expect("this option is a word")).to_string()
}

/// Parses any integer that JSON preserved exactly; numbers that serde_json turned into floats are refused.
fn integer(value: &Value) -> Result<BigInt, String> {
    let text = value.to_string();
    text.parse().map_err(|_| format!("{text} is not an integer this can read"))
}

fn integers(value: &Value) -> Result<Vec<BigInt>, String> {
    let terms = value.as_array().ok_or("a list is needed")?;
    terms.iter().map(integer).collect()
}

/// Returns the list as a JSON argument.
fn json(list: &[BigInt]) -> Value {
    let text: Vec<String> = list.iter().map(BigInt::to_string).collect();
    serde_json::from_str(&format!("[{}]", text.join(","))).expect("integers are JSON")
}

fn sorted(list: &[BigInt]) -> Vec<BigInt> {
    let mut list = list.to_vec();
    list.sort();
    list
}

fn arrangements(list: &[BigInt]) -> Vec<Vec<BigInt>> {
    if list.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in list.iter().enumerate() {
        let rest = [&list[..index], &list[index + 1..]].concat();
        for mut arrangement in arrangements(&rest) {
            arrangement.insert(0, first.clone());
            all.push(arrangement);
        }
    }
    all
}

/// Returns the number of terms that meet the criterion.
fn points(criterion: &str, c: &[BigInt]) -> i64 {
    let count = match criterion {
        "primes" => c.iter().filter(|x| is_prime(x)).count(),
        "fibonacci" => c.iter().filter(|x| is_fibonacci(x)).count(),
        "squares" => c.iter().filter(|x| is_square(x)).count(),
        "coprime" => c.windows(2).filter(|x| x[0].gcd(&x[1]).is_one()).count(),
        _ => panic!("there is no criterion {criterion}"),
    };
    count as i64
}

fn is_square(x: &BigInt) -> bool {
    !x.is_negative() && x.sqrt().pow(2) == *x
}

fn is_fibonacci(x: &BigInt) -> bool {
    let (mut this, mut next) = (BigInt::zero(), BigInt::one());
    while this < *x {
        (this, next) = (next.clone(), this + next);
    }
    this == *x
}

/// The Miller-Rabin test; with these bases it is proved correct below 3.3 * 10^24 (Sorenson and Webster).
fn is_prime(x: &BigInt) -> bool {
    let bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41].map(BigInt::from);
    if *x < BigInt::from(2) {
        return false;
    }
    if let Some(base) = bases.iter().find(|base| x.is_multiple_of(base)) {
        return x == base;
    }
    let less: BigInt = x - 1;
    let twos = less.trailing_zeros().expect("x is more than 1");
    let odd = &less >> twos;
    bases.iter().all(|base| {
        let mut power = base.modpow(&odd, x);
        if power.is_one() || power == less {
            return true;
        }
        for _ in 1..twos {
            power = power.modpow(&BigInt::from(2), x);
            if power == less {
                return true;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::options;
    use super::*;
    use serde_json::json;

    fn list(player: usize, terms: Value) -> Entry {
        Entry::new(player, "list", &[("terms", terms)])
    }

    fn term(player: usize, value: i64) -> [Entry; 1] {
        [Entry::new(player, "term", &[("value", value.into())])]
    }

    fn permute(player: usize, order: Value) -> [Entry; 1] {
        [Entry::new(player, "permute", &[("order", order)])]
    }

    fn propose(player: usize, criterion: &str) -> [Entry; 1] {
        [Entry::new(player, "propose", &[("criterion", criterion.into())])]
    }

    /// Plays one round: lists 1 2 and 3 -1, terms 2 3 by player 2, rearranged to 3 2.
    fn first_round(rules: &str) -> Transform {
        let mut game = Transform::new(&options(rules), 2);
        game.step(&[list(1, json!([1, 2])), list(2, json!([3, -1]))]).unwrap();
        game.step(&term(2, 2)).unwrap();
        assert!(game.step(&term(2, 2)).unwrap_err().contains("already"));
        game.step(&term(2, 3)).unwrap();
        assert_eq!(game.legal(1).unwrap().len(), 2);
        assert!(game.step(&permute(1, json!([3, 3]))).is_err());
        game.step(&permute(1, json!([3, 2]))).unwrap();
        game
    }

    #[test]
    fn both_readings_of_the_formula() {
        // The sequences are 3, 8 and 9, 3.
        let game = first_round(r#"{"n":2,"formula":"convolution"}"#);
        assert_eq!(game.scores, [1, 1]);
        // The sequences are 8, 8 and 3, 3.
        let game = first_round(r#"{"n":2}"#);
        assert_eq!(game.scores, [0, 2]);
        let game = first_round(r#"{"n":2,"criterion":"fibonacci"}"#);
        assert_eq!(game.scores, [2, 2]);
        let rules = r#"{"n":2,"formula":"convolution","criterion":"coprime"}"#;
        assert_eq!(first_round(rules).scores, [1, 0]);
        let rules = r#"{"n":2,"formula":"convolution","criterion":"squares"}"#;
        assert_eq!(first_round(rules).scores, [0, 1]);
    }

    #[test]
    fn the_permutator_changes_and_the_rounds_end() {
        let mut game = first_round(r#"{"n":2}"#);
        assert_eq!(game.permutator(), 2);
        game.step(&[list(1, json!([0, 1])), list(2, json!([0, 2]))]).unwrap();
        game.step(&term(1, 0)).unwrap();
        game.step(&term(1, 1)).unwrap();
        game.step(&permute(2, json!([1, 0]))).unwrap();
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!((outcome.winners, outcome.scores), (vec![2], Some(vec![0, 4])));
    }

    #[test]
    fn terms_go_round_the_table_without_the_permutator() {
        let mut game = Transform::new(&options("{}"), 4);
        game.round = 3;
        game.phase = Phase::Terms;
        let mut writers = Vec::new();
        for value in 0..4 {
            writers.extend(game.to_move());
            game.step(&term(game.to_move()[0], value)).unwrap();
        }
        assert_eq!(writers, [4, 1, 2, 4]);
        assert_eq!(game.to_move(), [3]);
        assert_eq!(game.legal(3).unwrap().len(), 24);
    }

    #[test]
    fn long_arrangements_are_not_listed() {
        let mut game = Transform::new(&options(r#"{"n":50}"#), 2);
        game.phase = Phase::Permute;
        assert!(game.legal(1).is_none());
    }

    #[test]
    fn vetoes_strike_criteria_until_the_last_stands() {
        let mut game = Transform::new(&options(r#"{"criterion":"permutator"}"#), 3);
        let vote = |second, third| [Entry::new(2, second, &[]), Entry::new(3, third, &[])];
        for (left, criterion) in [(4, "primes"), (3, "coprime"), (2, "squares")] {
            assert_eq!(game.to_move(), [1]);
            assert_eq!(game.legal(1).unwrap().len(), left);
            game.step(&propose(1, criterion)).unwrap();
            assert_eq!(game.to_move(), [2, 3]);
            game.step(&vote("accept", "veto")).unwrap();
            assert!(game.step(&propose(1, criterion)).is_err());
        }
        game.step(&propose(1, "fibonacci")).unwrap();
        assert_eq!(game.to_move(), [1, 2, 3]);

        let mut game = Transform::new(&options(r#"{"criterion":"permutator"}"#), 3);
        game.step(&propose(1, "coprime")).unwrap();
        game.step(&vote("accept", "accept")).unwrap();
        assert_eq!(game.to_move(), [1, 2, 3]);
        assert_eq!(game.criterion, "coprime");
    }

    #[test]
    fn lists_hold_n_distinct_integers() {
        let mut game = Transform::new(&options(r#"{"n":2}"#), 2);
        let good = || list(1, json!([-1, u64::MAX]));
        assert!(game.step(&[good(), list(2, json!([1, 1]))]).is_err());
        assert!(game.step(&[good(), list(2, json!([1]))]).is_err());
        assert!(game.step(&[good(), list(2, json!([1, 2.5]))]).is_err());
        assert!(game.step(&[good(), list(2, json!([1, "2"]))]).is_err());
        game.step(&[good(), list(2, json!([0, 1]))]).unwrap();
    }

    #[test]
    fn the_criteria() {
        let passing =
            |good: fn(&BigInt) -> bool| -> Vec<i32> { (-5..=34).filter(|&x| good(&x.into())).collect() };
        assert_eq!(passing(is_prime), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]);
        assert_eq!(passing(is_fibonacci), [0, 1, 2, 3, 5, 8, 13, 21, 34]);
        assert_eq!(passing(is_square), [0, 1, 4, 9, 16, 25]);
        let trial = |x: i32| x > 1 && (2..x).take_while(|d| d * d <= x).all(|d| x % d != 0);
        assert!((0..20_000).all(|x| is_prime(&x.into()) == trial(x)));
        assert!(is_prime(&(BigInt::from(2).pow(61) - 1)));
        assert!(!is_prime(&(BigInt::from(2).pow(67) - 1)));

        let coprime = |c: &[i32]| {
            let c: Vec<BigInt> = c.iter().map(|&x| x.into()).collect();
            points("coprime", &c)
        };
        assert_eq!(coprime(&[1]), 0);
        assert_eq!(coprime(&[0, -1, 0, 0, 2, -3, 9]), 3);
    }
}
