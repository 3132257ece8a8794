//! Calls of builtin functions in words.

use super::page;
use super::words::{Words, be};
use crate::ast::{BinaryOp, CompareOp, Expr, ExprKind, Inside, Name};
use crate::check::vocabulary;
use crate::ir::{DIRECTIONS, Phrase};

fn fill(phrase: &str, args: &[String]) -> String {
    let all = super::page::join_with(args, "and");
    let mut out = phrase.replace("{*}", &all);
    for (i, arg) in args.iter().enumerate() {
        out = out.replace(&format!("{{{i}}}"), arg);
    }
    out
}

/// Returns a clause for a builtin predicate.
pub(super) fn claim(name: &str, args: &[String], holds: bool) -> Option<String> {
    match vocabulary::word(name)?.phrase {
        Phrase::Claims(yes, no) => Some(fill(if holds { yes } else { no }, args)),
        Phrase::Says(_) | Phrase::ByCount => None,
    }
}

/// Describes an element `what` of a builtin's result, if possible: `square t that shares a side with s`.
pub(super) fn among(name: &str, what: &str, args: &[String]) -> Option<String> {
    let phrase = match name {
        "subsets" => "choice {x} of {0} out of {1}",
        name => vocabulary::word(name)?.element_phrase?,
    };
    let needed = if phrase.contains("{1}") { 2 } else { 1 };
    (args.len() >= needed).then(|| fill(&phrase.replace("{x}", what), args))
}

/// Whether a name is a builtin function, binder or domain.
pub(super) fn known(name: &str) -> bool {
    const OTHERS: &[&str] =
        &["all", "arrangements", "count", "lists", "permutations", "reach", "some", "subsets", "tuples"];
    vocabulary::word(name).is_some() || OTHERS.contains(&name)
}

/// Puts what is iterated over into the plural: `squares s where …`.
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
    /// Returns the clause for a comparison of a size that says whether something is empty: `size(x) > 0`.
    pub(super) fn emptiness(&self, a: &Expr, op: CompareOp, b: &Expr, holds: bool) -> Option<String> {
        use CompareOp::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
        let (ExprKind::Call(name, inside), ExprKind::Number(bound)) = (&a.kind, &b.kind) else { return None };
        let [of] = inside.items.as_slice() else { return None };
        // What is told by a number cannot be empty: `the number of players still in`.
        if name.text != "size" || self.value(a).starts_with("the number of ") {
            return None;
        }
        let empty = match (op, bound.as_usize()?) {
            (Equal | AtMost, 0) | (Less, 1) => true,
            (NotEqual | Greater, 0) | (AtLeast, 1) => false,
            _ => return None,
        };
        claim("empty", &[self.value(of)], empty == holds)
    }

    /// Returns a call as a phrase.
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
            ("square", [row, column], _) => format!("the square in row {row}, column {column}"),
            ("directions", [count], _) if count == "4" || count == "8" => {
                format!("the {} directions", if count == "4" { "four" } else { "eight" })
            }
            // The row of a square is called so.
            ("row" | "column", _, [_, Expr { kind: ExprKind::Field(of, part), .. }]) if part.text == word => {
                format!("the {word} of {}", self.value(of))
            }
            ("seat", _, [Expr { kind: ExprKind::Number(n), .. }]) => {
                n.as_usize().map_or(format!("player {n}"), |n| self.facts.seat(n))
            }
            ("seat", [one], _) => format!("player number {one} (counting round the table)"),
            ("bag" | "set" | "list", [], _) => format!("an empty {word}"),
            ("bag", _, [Expr { kind: ExprKind::Binary(BinaryOp::Range, low, high), .. }]) => {
                format!("one of each number from {} to {}", self.value(low), self.value(high))
            }
            ("following", [x, list, k], _) if !k.chars().all(|c| c.is_ascii_digit()) => {
                format!("the elements that follow {x} in {list}, round its end; their number is {k}")
            }
            ("first" | "last", [list, k], _) => format!("the {word} {k} of {list}"),
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
            ("arrangements", [_, of], [k, _]) => {
                format!("{} different elements of {of} in any order", self.how_many(k))
            }
            ("lists", [_, of], [k, _]) if self.is_players(k) => {
                format!("an element of {of} for each player")
            }
            ("lists", [_, of], [k, _]) => {
                format!("{} elements of {of}, repeats allowed", self.how_many(k))
            }
            ("subsets", [of], _) => format!("any elements of {of}, or none"),
            ("subsets", [_, of], [k, _]) => format!("any {} elements of {of}", self.how_many(k)),
            ("tuples", args, _) => format!("one each of {}", super::page::join_with(args, "and")),
            _ => match vocabulary::word(word).map(|word| word.phrase) {
                Some(Phrase::Says(phrase)) => fill(phrase, &args),
                Some(Phrase::Claims(..)) => format!("whether {}", self.clause(e, true)),
                Some(Phrase::ByCount) | None => self.own_call(word, &args),
            },
        }
    }

    /// Returns the phrase for a call that takes a direction.
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
            ("ray", [_, s, d]) if named => format!("the squares {d} of {s}, as far as the edge"),
            ("ray", [_, s, d]) => format!("the squares from {s} to the edge in the direction {d}"),
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

    /// Returns the phrase for a binder.
    fn binder(&self, word: &str, inside: &Inside, e: &Expr) -> String {
        let over = self.over(inside);
        let body = inside.body.as_ref();
        let value = || body.map_or(String::new(), |body| self.value(body));
        let which = if inside.filter.is_some() { "and" } else { "for which" };
        let clause = || body.map_or(String::new(), |body| format!(" {which} {}", self.clause(body, true)));
        match word {
            "sum" | "product" => format!("the {word} of {} for each {over}", value()),
            "xor" => format!("the exclusive or of {} for each {over}", value()),
            "gcd" => format!("the greatest common divisor of {} for each {over}", value()),
            "lcm" => format!("the least common multiple of {} for each {over}", value()),
            "largest" | "smallest" | "first" if self.selects(inside) => format!("the {word} {over}"),
            "reach" => self.reached(inside),
            "largest" | "smallest" if body.is_some() => {
                format!("the {word} value of {} for any {over}", value())
            }
            "first" if body.is_some() => format!("{}, for the first {over}", value()),
            "largest" | "smallest" | "first" => format!("the {word} {over}{}", clause()),
            "count" => format!("the number of {}{}", several(&over), clause()),
            "bag" => format!("the bag of {} for each {over}", value()),
            _ => format!("whether {}", self.clause(e, true)),
        }
    }

    /// Describes a `reach`: where it starts, its steps, and which elements count.
    fn reached(&self, inside: &Inside) -> String {
        let start = |item: &Expr| match &item.kind {
            ExprKind::Compare(what, chain) if chain.len() == 1 => (self.value(what), self.value(&chain[0].1)),
            _ => ("x".to_string(), self.value(item)),
        };
        let (what, from) = inside.items.first().map_or_else(Default::default, start);
        let next = inside.body.as_ref().map_or(String::new(), |body| self.value(body));
        let only = inside.filter.as_ref().map_or(String::new(), |c| {
            format!("; only those {what} count for which {}", self.clause(c, true))
        });
        format!(
            "everything that can be reached: start with {from}; from each {what} reached, go on to {next}{only}"
        )
    }

    /// Returns the phrase for a call of a function of the file.
    pub(super) fn own_call(&self, name: &str, args: &[String]) -> String {
        let mut label = self.noun(name);
        // The runs of b, for `runs_of(b)`.
        if let (true, Some(at)) = (name.ends_with("_of") && args.len() == 1, label.rfind(" of")) {
            label.replace_range(at..at + " of".len(), "");
        }
        match args {
            [] => format!("the {label}"),
            [one]
                if one == "you" || one.starts_with("player ") || self.facts.seats.contains(&one.as_str()) =>
            {
                self.of(one, &label)
            }
            [one] => format!("the {label} of {one}"),
            args => format!("the {label} for {}", page::join_with(args, "and")),
        }
    }

    /// Returns a clause for a predicate defined in the file.
    pub(super) fn own_claim(&self, name: &str, args: &[String], holds: bool) -> String {
        let label = self.noun(name);
        let holds = if holds { "holds" } else { "does not hold" };
        match args {
            [] => format!("{label} {holds}"),
            args => format!("{label} {holds} for {}", page::join_with(args, "and")),
        }
    }

    /// Returns a call of a predicate as a clause.
    pub(super) fn claim_of_call(&self, name: &Name, inside: &Inside, e: &Expr, holds: bool) -> String {
        let word = name.text.as_str();
        let binder = inside.body.is_some() || inside.filter.is_some();
        if binder && matches!(word, "all" | "some") {
            let every = (word == "all") == holds;
            let over = self.over(inside);
            return match (&inside.body, every) {
                (Some(body), true) => format!("for every {over}, {}", self.clause(body, holds)),
                (Some(body), false) => format!("for some {over}, {}", self.clause(body, holds)),
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
    use crate::ir::{Phrase, WORDS};

    #[test]
    fn what_is_worded_by_the_number_of_its_arguments_is_worded_here() {
        let worded = include_str!("calls.rs").split("#[cfg(test)]").next().unwrap();
        for word in WORDS.iter().filter(|word| matches!(word.phrase, Phrase::ByCount)) {
            assert!(worded.contains(&format!("(\"{}\", [", word.name)), "{} has no words", word.name);
        }
    }
}
