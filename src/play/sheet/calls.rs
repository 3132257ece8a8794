//! The functions of the language in words.

use super::page;
use super::words::{Words, be};
use crate::ast::{BinaryOp, Expr, ExprKind, Inside, Name};
use crate::ir::DIRECTIONS;

/// How a function reads: `{0}` and `{1}` stand for its arguments.
const PHRASES: &[(&str, &str)] = &[
    ("abs", "the absolute value of {0}"),
    ("sign", "the sign of {0}"),
    ("gcd", "the greatest common divisor of {*}"),
    ("lcm", "the least common multiple of {*}"),
    ("root", "the square root of {0}, rounded down"),
    ("divisors", "the divisors of {0}"),
    ("factors", "the prime factors of {0}"),
    ("factorial", "the factorial of {0}"),
    ("choose", "the number of ways to choose {1} of {0}"),
    ("number", "the number with the digits {0}"),
    ("bit", "binary digit {1} (from the right, counting from 0) of {0}"),
    ("popcount", "the number of binary 1s of {0}"),
    ("xor", "the exclusive or of {*}"),
    ("mex", "the smallest number from 0 on that is not in {0}"),
    ("min", "the smallest of {*}"),
    ("max", "the largest of {*}"),
    ("value", "{0}"),
    ("size", "the size of {0}"),
    ("runs", "the run-lengths of {0}"),
    ("bag", "{0}, in any order"),
    ("set", "the different elements of {0}"),
    ("list", "{0}"),
    ("sorted", "{0} in ascending order"),
    ("reversed", "{0} backwards"),
    ("rotated", "{0} from its place {1} + 1 on, then its beginning"),
    ("once", "what occurs just once in {0}"),
    ("copies", "the number of times {0} occurs in {1}"),
    ("sum", "the sum of {0}"),
    ("product", "the product of {0}"),
    ("largest", "the largest of {0}"),
    ("smallest", "the smallest of {0}"),
    ("first", "the first of {0}"),
    ("last", "the last of {0}"),
    ("positions", "the places of {0} in {1}"),
    ("pairs", "the pairs of {0}"),
    ("union", "{0} and {1} together"),
    ("common", "what {0} and {1} share"),
    ("without", "{0} without {1}"),
    ("joined", "{0} written side by side"),
    ("rows", "the rows of {0}"),
    ("columns", "the columns of {0}"),
    ("row", "row {1} of {0}"),
    ("column", "column {1} of {0}"),
    ("diagonals", "the diagonals of {0}"),
    ("squares", "the squares of {0}"),
    ("beside", "the squares that share a side with {1}"),
    ("around", "the squares that share a side or a corner with {1}"),
    ("hexes", "the six hex neighbours of {1}"),
    ("edge", "the squares on the edge of {0}"),
    ("corners", "the corners of {0}"),
    ("filled", "the filled squares of {0}"),
    ("regions", "the connected regions of {0}"),
    ("lines", "the straight lines of {1} neighbouring squares of {0}"),
    ("straight", "the squares just {2} away from {1} in a straight line"),
    ("ray", "the squares from {1} on to the edge, each {2} rows and {3} columns further"),
    ("step", "the square {2} rows and {3} columns on from {1}"),
    ("wrapped", "the square {2} rows and {3} columns on from {1}, round the edges"),
    ("directions", "the {0} directions"),
    ("rectangle", "the squares of the rectangle with corners {1} and {2}"),
    ("following", "the {2} elements that follow {0} in {1}, round its end"),
    ("determinant", "the determinant of {0}"),
    ("inverse", "the places of 1, 2 and so on in {0}"),
];

/// How a function that holds or not reads: when it holds, and when it does not.
const CLAIMS: &[(&str, &str, &str)] = &[
    ("coprime", "{0} and {1} are coprime", "{0} and {1} share a factor"),
    ("prime", "{0} is a prime number", "{0} is not a prime number"),
    ("square", "{0} is a square number", "{0} is not a square number"),
    ("fibonacci", "{0} is a Fibonacci number", "{0} is not a Fibonacci number"),
    ("even", "{0} is even", "{0} is odd"),
    ("odd", "{0} is odd", "{0} is even"),
    ("empty", "{0} is empty", "{0} is not empty"),
    ("full", "{0} is full", "{0} is not full"),
    ("distinct", "all of {0} are different", "something occurs twice in {0}"),
    ("occurs", "{0} stands in {1}, side by side", "{0} does not stand in {1}, side by side"),
    ("palindrome", "{0} reads the same backwards", "{0} does not read the same backwards"),
    ("subset", "all of {0} is in {1}", "not all of {0} is in {1}"),
];

fn fill(phrase: &str, args: &[String]) -> String {
    let all = super::page::either(args, "and");
    let mut out = phrase.replace("{*}", &all);
    for (i, arg) in args.iter().enumerate() {
        out = out.replace(&format!("{{{i}}}"), arg);
    }
    out
}

/// A function that holds or not, as a clause.
pub(super) fn claim(name: &str, args: &[String], holds: bool) -> Option<String> {
    let (_, yes, no) = CLAIMS.iter().find(|(known, ..)| *known == name)?;
    Some(fill(if holds { yes } else { no }, args))
}

/// How an element of what a function gives is named: `square t that shares a side with s`.
const AMONG: &[(&str, &str)] = &[
    ("rows", "row {x} of {0}"),
    ("columns", "column {x} of {0}"),
    ("diagonals", "diagonal {x} of {0}"),
    ("lines", "straight line {x} of {1} neighbouring squares (in a row, a column or a diagonal)"),
    ("squares", "square {x} of {0}"),
    ("edge", "square {x} on the edge of {0}"),
    ("beside", "square {x} that shares a side with {1}"),
    ("around", "square {x} that shares a side or a corner with {1}"),
    ("hexes", "hex neighbour {x} of {1}"),
    ("divisors", "divisor {x} of {0}"),
    ("pairs", "pair {x} of {0}"),
    ("subsets", "choice {x} of {0} out of {1}"),
];

/// An element `what` of what a function gives, where there is a word for it.
pub(super) fn among(name: &str, what: &str, args: &[String]) -> Option<String> {
    let (_, phrase) = AMONG.iter().find(|(known, _)| *known == name)?;
    let needed = if phrase.contains("{1}") { 2 } else { 1 };
    (args.len() >= needed).then(|| fill(&phrase.replace("{x}", what), args))
}

/// Whether a word is a function, a binder or a domain of the language.
pub(super) fn known(name: &str) -> bool {
    const OTHERS: &[&str] =
        &["all", "arrangements", "count", "lists", "permutations", "reach", "some", "subsets", "tuples"];
    crate::check::vocabulary::word(name).is_some() || OTHERS.contains(&name)
}

/// What is gone through, as several: `squares s where …`.
fn several(over: &str) -> String {
    const MANY: &[(&str, &str)] = &[
        ("square ", "squares "),
        ("player ", "players "),
        ("hex neighbour ", "hex neighbours "),
        ("row ", "rows "),
        ("column ", "columns "),
        ("diagonal ", "diagonals "),
        ("divisor ", "divisors "),
        ("pair ", "pairs "),
        ("straight line ", "straight lines "),
    ];
    let many = MANY.iter().find_map(|(one, many)| Some(format!("{many}{}", over.strip_prefix(one)?)));
    many.unwrap_or_else(|| over.to_string()).replacen(" that shares ", " that share ", 1)
}

impl Words<'_> {
    /// A call, as a phrase.
    pub(super) fn call(&self, name: &Name, inside: &Inside, e: &Expr) -> String {
        let word = name.text.as_str();
        let binder = inside.body.is_some() || inside.filter.is_some() || inside.stop.is_some();
        if binder {
            return self.binder(word, inside, e);
        }
        let args = self.values(&inside.items);
        if !self.is_word(word) {
            return match self.facts.claims.contains(word) {
                true => format!("whether {}", self.own_claim(word, &args, true)),
                false => self.own_call(word, &args),
            };
        }
        if self.facts.directed.contains(&e.span)
            && let Some(phrase) = self.directed(word, &args, &inside.items)
        {
            return phrase;
        }
        match (word, args.as_slice(), inside.items.as_slice()) {
            ("square", [row, column], _) => format!("the square at row {row}, column {column}"),
            ("directions", [count], _) if count == "4" || count == "8" => {
                format!("the {} directions", if count == "4" { "four" } else { "eight" })
            }
            ("seat", _, [Expr { kind: ExprKind::Number(n), .. }]) => {
                n.as_usize().map_or(format!("player {n}"), |n| self.facts.seat(n))
            }
            ("seat", [one], _) => format!("player number {one} (counting on round the table)"),
            ("bag" | "set" | "list", [], _) => format!("an empty {word}"),
            ("bag", _, [Expr { kind: ExprKind::Binary(BinaryOp::Range, low, high), .. }]) => {
                format!("one of each number from {} to {}", self.value(low), self.value(high))
            }
            ("min", [a, b], _) => format!("the smaller of {a} and {b}"),
            ("max", [a, b], _) => format!("the larger of {a} and {b}"),
            ("size", [one], [of]) => match one.as_str() {
                "all players" => "the number of players".to_string(),
                "the players still in" => "the number of players still in".to_string(),
                one if one.starts_with("every ") => {
                    format!("the number of {}", several(one.trim_start_matches("every ")))
                }
                one if self.is_list(of) => format!("the length of {one}"),
                _ => fill("the size of {0}", &args),
            },
            ("count", [one], _) => format!("how many {one} there are"),
            ("digits", [x, base], _) => format!("the digits of {x} in base {base}"),
            ("digits", [x], _) => format!("the digits of {x}"),
            ("number", [x, base], _) => format!("the number with the digits {x} in base {base}"),
            ("permutations", [x], _) => format!("{x}, in any order"),
            ("arrangements", [k, of], _) => format!("{k} different elements of {of} in any order"),
            ("lists", [_, of], [k, _]) => {
                format!("{} elements of {of}, the same one as often as you like", self.how_many(k))
            }
            ("subsets", [of], _) => format!("any elements of {of}, or none"),
            ("subsets", [k, of], _) => format!("any {k} elements of {of}"),
            ("tuples", args, _) => format!("one each of {}", super::page::either(args, "and")),
            _ => match PHRASES.iter().find(|(known, _)| *known == word) {
                Some((_, phrase)) => fill(phrase, &args),
                None if claim(word, &args, true).is_some() => format!("whether {}", self.claim(e, true)),
                None if self.facts.claims.contains(word) => {
                    format!("whether {}", self.own_claim(word, &args, true))
                }
                None => self.own_call(word, &args),
            },
        }
    }

    /// A call that takes a direction.
    fn directed(&self, word: &str, args: &[String], items: &[Expr]) -> Option<String> {
        let literal = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => DIRECTIONS.iter().any(|way| way.is_called(name)),
            _ => false,
        };
        let named = items.get(2).is_some_and(literal);
        let steps = |k: &str| if k == "1" { "1 step".to_string() } else { format!("{k} steps") };
        let square = |s: &str, d: &str, k: Option<&str>| match (k, named) {
            (None, true) => format!("the square {d} of {s}"),
            (None, false) => format!("the next square from {s} in the direction {d}"),
            (Some(k), true) => format!("the square {} {d} of {s}", steps(k)),
            (Some(k), false) => format!("the square {} from {s} in the direction {d}", steps(k)),
        };
        Some(match (word, args) {
            ("step", [_, s, d]) => square(s, d, None),
            ("step", [_, s, d, k]) => square(s, d, Some(k)),
            ("wrapped", [_, s, d]) => format!("{}, round the edges", square(s, d, None)),
            ("wrapped", [_, s, d, k]) => format!("{}, round the edges", square(s, d, Some(k))),
            ("ray", [_, s, d]) if named => format!("the squares {d} of {s}, on to the edge"),
            ("ray", [_, s, d]) => format!("the squares from {s} on to the edge in the direction {d}"),
            ("reversed", [d]) => format!("the opposite of {d}"),
            ("turned", [d, k]) => match k.as_str() {
                "2" => format!("{d} turned a quarter to the right"),
                "-2" => format!("{d} turned a quarter to the left"),
                "4" | "-4" => format!("the opposite of {d}"),
                "1" => format!("{d} turned an eighth to the right"),
                "-1" => format!("{d} turned an eighth to the left"),
                k => format!("{d} turned by {k} eighths of a turn to the right"),
            },
            _ => return None,
        })
    }

    /// Something gathered over sources.
    fn binder(&self, word: &str, inside: &Inside, e: &Expr) -> String {
        let over = self.over(inside);
        let body = inside.body.as_ref();
        let value = || body.map_or(String::new(), |body| self.value(body));
        let clause = || body.map_or(String::new(), |body| format!(" for which {}", self.claim(body, true)));
        match word {
            "sum" | "product" => format!("the {word} of {} for each {over}", value()),
            "xor" => format!("the exclusive or of {} for each {over}", value()),
            "gcd" => format!("the greatest common divisor of {} for each {over}", value()),
            "largest" | "smallest" | "first" if self.selects(inside) => format!("the {word} {over}"),
            "reach" => self.reached(inside),
            "largest" | "smallest" if body.is_some() => format!("the {word} {} for any {over}", value()),
            "first" if body.is_some() => format!("{}, for the first {over}", value()),
            "largest" | "smallest" | "first" => format!("the {word} {over}{}", clause()),
            "count" => format!("the number of {}{}", several(&over), clause()),
            "bag" => format!("the bag of {} for each {over}", value()),
            _ => format!("whether {}", self.claim(e, true)),
        }
    }

    /// All that can be reached: from where, by which steps, over what.
    fn reached(&self, inside: &Inside) -> String {
        let start = |item: &Expr| match &item.kind {
            ExprKind::Compare(what, chain) if chain.len() == 1 => (self.value(what), self.value(&chain[0].1)),
            _ => ("x".to_string(), self.value(item)),
        };
        let (what, from) = inside.items.first().map_or_else(Default::default, start);
        let next = inside.body.as_ref().map_or(String::new(), |body| self.value(body));
        let only = inside.filter.as_ref().map_or(String::new(), |c| {
            format!("; only such {what} belong to it for which {}", self.claim(c, true))
        });
        format!(
            "all that can be reached: it begins with {from}; from each {what} in it, it goes on to {next}{only}"
        )
    }

    /// The value of a function of the file.
    pub(super) fn own_call(&self, name: &str, args: &[String]) -> String {
        let label = self.noun(name);
        match args {
            [] => format!("the {label}"),
            [one]
                if one == "you" || one.starts_with("player ") || self.facts.seats.contains(&one.as_str()) =>
            {
                self.of(one, &label)
            }
            [one] => format!("the {label} of {one}"),
            args => format!("the {label} for {}", page::either(args, "and")),
        }
    }

    /// A condition that the file has given a name.
    pub(super) fn own_claim(&self, name: &str, args: &[String], holds: bool) -> String {
        let label = self.noun(name);
        let holds = if holds { "holds" } else { "does not hold" };
        match args {
            [] => format!("{label} {holds}"),
            args => format!("{label} {holds} for {}", page::either(args, "and")),
        }
    }

    /// A call that holds or not, as a clause.
    pub(super) fn claim_of_call(&self, name: &Name, inside: &Inside, e: &Expr, holds: bool) -> String {
        let word = name.text.as_str();
        let binder = inside.body.is_some() || inside.filter.is_some();
        if binder && matches!(word, "all" | "some") {
            let every = (word == "all") == holds;
            let over = self.over(inside);
            return match (&inside.body, every) {
                (Some(body), true) => format!("for every {over}, {}", self.claim(body, holds)),
                (Some(body), false) => format!("for some {over}, {}", self.claim(body, holds)),
                (None, true) => format!("there is no {over}"),
                (None, false) => format!("there is some {over}"),
            };
        }
        if !binder
            && self.is_word(word)
            && let Some(clause) = claim(word, &self.values(&inside.items), holds)
        {
            return clause;
        }
        if !self.is_word(word) {
            return self.own_claim(word, &self.values(&inside.items), holds);
        }
        let value = self.value(e);
        format!("{value} {} {}", be(&value), if holds { "yes" } else { "no" })
    }
}

#[cfg(test)]
mod tests {
    use crate::check::vocabulary::WORDS;

    #[test]
    fn every_function_of_the_language_has_its_words() {
        // These are worded by the number of their arguments.
        let others = ["seat", "digits", "turned"];
        for word in WORDS {
            let phrase = super::PHRASES.iter().any(|(name, _)| *name == word.name);
            assert!(
                phrase
                    || super::claim(word.name, &["x".to_string(), "y".to_string()], true).is_some()
                    || others.contains(&word.name),
                "{} has none",
                word.name
            );
        }
    }
}
