//! Expressions in words: values as phrases, conditions as clauses.

use super::calls;
use super::facts::Facts;
use super::page::{self, join_with, unmarked};
use crate::ast::{BinaryOp, CompareOp, Expr, ExprKind, Inside, IsTest, Name, TextPart, TypeKind};
use crate::check::picture::drawn_line;
use crate::play::args::large;
use crate::play::telling::to_be;

/// Names that read naturally without marks: `the board`, `your hand`. All other names are marked as such.
const NOUNS: &[&str] = &[
    "amount", "bank", "bid", "board", "card", "cell", "change", "choice", "circle", "code", "color",
    "colour", "column", "count", "course", "deck", "die", "digit", "distance", "field", "game", "goal",
    "grid", "guess", "hand", "heap", "hole", "judge", "jar", "length", "level", "line", "list", "loot",
    "map", "market", "number", "order", "pack", "palace", "path", "pile", "pit", "place", "player", "pool",
    "pot", "price", "prize", "purse", "ring", "round", "row", "score", "secret", "shop", "side", "size",
    "square", "stack", "stake", "stall", "store", "streak", "suit", "sum", "table", "target", "tile",
    "total", "tower", "track", "trick", "trump", "turn", "value", "watch", "word", "worth",
];

/// Whether the last word of a name is one of [`NOUNS`].
fn is_noun(name: &str) -> bool {
    name.rsplit('_').next().is_some_and(|word| NOUNS.contains(&word))
}

/// Wording for one part of a file.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub facts: &'a Facts<'a>,
    /// The parameters of the current move; written in capitals, as in its usage line.
    pub params: &'a [&'a str],
    /// How `me` is expressed.
    pub me: &'a str,
    /// Replacements for names bound to known values.
    pub called: &'a [(&'a str, &'a str)],
}

impl<'a> Words<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Words<'a> {
        Words { facts, params: &[], me: "you", called: &[] }
    }

    /// Returns a name without an article, marked unless it cannot be confused with a word of the sentence.
    pub fn name(&self, name: &str) -> String {
        if let Some((_, words)) = self.called.iter().find(|(known, _)| *known == name) {
            return (*words).to_string();
        }
        self.facts.used_names.borrow_mut().insert(name.to_string());
        if self.params.contains(&name) {
            return large(name);
        }
        // `_p` is a name that its binder does not use.
        let name = name.trim_start_matches('_');
        let letter = name.chars().count() == 1 && !matches!(name, "a" | "A" | "i" | "I");
        let plain = letter || self.facts.seats.contains(&name) || self.facts.symbols.contains(&name);
        if plain { name.replace('_', " ") } else { page::name(name) }
    }

    /// Returns the name of something owned or computed; nouns are not marked.
    pub fn noun(&self, name: &str) -> String {
        self.facts.used_names.borrow_mut().insert(name.to_string());
        if is_noun(name) { name.replace('_', " ") } else { page::name(name) }
    }

    /// Returns the name of something on the table: `the board`, `“left”`.
    pub fn thing(&self, name: &str) -> String {
        let known = self.facts.states.contains_key(name) && !self.params.contains(&name);
        if known && is_noun(name) { format!("the {}", self.noun(name)) } else { self.name(name) }
    }

    /// Returns a possessive phrase: `your hand`, `Ann’s hand`.
    pub fn of(&self, owner: &str, what: &str) -> String {
        match owner {
            "you" => format!("your {what}"),
            "all players" => format!("everybody’s {what}"),
            // "The partner of Ann's tricks" would be read as the partner of tricks.
            owner
                if owner.starts_with("the player ")
                    || owner.starts_with("the ") && owner.contains(" of ") =>
            {
                format!("the {what} of {owner}")
            }
            owner => format!("{}’s {what}", owner.trim_end_matches("’s")),
        }
    }

    /// Whether a function is a builtin and not redefined in the file.
    pub fn is_word(&self, function: &str) -> bool {
        calls::known(function) && !self.facts.defined.contains(&function)
    }

    /// Returns a value as a phrase.
    pub fn value(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Name(name) => match name.as_str() {
                name if self.params.contains(&name) => self.name(name),
                "me" => self.me.to_string(),
                "players" => "all players".to_string(),
                "standing" => "the players still in".to_string(),
                "score" => "the score".to_string(),
                name => self.thing(name),
            },
            ExprKind::Number(n) => n.to_string().replace('-', "−"),
            ExprKind::Text(parts) => format!("“{}”", self.filled(parts)),
            ExprKind::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
            ExprKind::None => "nothing".to_string(),
            ExprKind::Every(kind) => format!("every {}", kind.text),
            ExprKind::Board(rows) => {
                let rows = rows.iter().map(|row| drawn_line(&row.text).trim());
                rows.collect::<Vec<_>>().join(" / ")
            }
            ExprKind::AtLeast(low) => format!("the numbers from {} up", self.value(low)),
            ExprKind::Call(name, inside) => self.call(name, inside, e),
            ExprKind::Tuple(items) => {
                let items =
                    items.iter().map(|item| self.written_out(item).unwrap_or_else(|| self.value(item)));
                format!("({})", items.collect::<Vec<_>>().join(", "))
            }
            ExprKind::List(inside) => self.gathered("list", inside),
            ExprKind::Set(inside) => self.gathered("set", inside),
            ExprKind::Index(base, at) => self.element(base, at),
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Negative(a) => format!("−{}", self.atom(a)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::With(base, at, to) => format!(
                "{} with place {} changed to {}",
                self.value(base),
                self.values(at).join(", "),
                self.value(to)
            ),
            ExprKind::If(arms, otherwise) => self.choice(arms, otherwise),
            ExprKind::Case(what, arms, otherwise) => self.case(what, arms, otherwise.as_deref()),
            _ => format!("whether {}", self.clause(e, true)),
        }
    }

    /// Describes a choice of values. A choice within it is in parentheses, and semicolons part values that
    /// have commas themselves.
    fn choice(&self, arms: &[(Expr, Expr)], otherwise: &Expr) -> String {
        let branch = |e: &Expr| match e.kind {
            ExprKind::If(..) => self.atom(e),
            _ => self.value(e),
        };
        let mut parts: Vec<String> =
            arms.iter().map(|(c, v)| format!("{} if {}", branch(v), self.clause(c, true))).collect();
        parts.push(format!("otherwise {}", branch(otherwise)));
        let commas = parts.iter().any(|part| part.contains(','));
        parts.join(if commas { "; " } else { ", " })
    }

    pub fn values(&self, items: &[Expr]) -> Vec<String> {
        items.iter().map(|item| self.value(item)).collect()
    }

    /// Returns a value as an operand: in parentheses if it is longer than a few words.
    fn atom(&self, e: &Expr) -> String {
        let text = self.value(e);
        let plain = text.starts_with("the number of players")
            || text.split_whitespace().count() <= 2
            || text.split_whitespace().count() <= 5
                && text.starts_with("the ")
                && matches!(e.kind, ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(..));
        // "The price of WHAT + 1" would be read as that of WHAT + 1.
        let of_key = matches!(&e.kind, ExprKind::Index(base, _) if self.is_map(base));
        match !plain || of_key || matches!(e.kind, ExprKind::Binary(..) | ExprKind::If(..)) {
            true => format!("({text})"),
            false => text,
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let sign = |sign: &str| format!("{} {sign} {}", self.atom(a), self.atom(b));
        // Omit parentheses of sums within sums, and of products within products or sums.
        let chain = |sign: &str, free: &[BinaryOp]| {
            let left = match &a.kind {
                ExprKind::Binary(inner, ..) if free.contains(inner) => self.value(a),
                _ => self.atom(a),
            };
            let right = match &b.kind {
                ExprKind::Binary(BinaryOp::Mul, ..) if free.contains(&BinaryOp::Mul) => self.value(b),
                _ => self.atom(b),
            };
            format!("{left} {sign} {right}")
        };
        let (x, y) = (self.value(a), self.value(b));
        match op {
            BinaryOp::Add => chain("+", &[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]),
            BinaryOp::Sub => chain("−", &[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]),
            BinaryOp::Mul => chain("×", &[BinaryOp::Mul]),
            BinaryOp::Pow => match y.as_str() {
                "2" => format!("{} squared", self.atom(a)),
                "3" => format!("{} cubed", self.atom(a)),
                _ => sign("to the power of"),
            },
            BinaryOp::Div => format!("{} divided by {}, rounded down", self.atom(a), self.atom(b)),
            BinaryOp::Mod => format!("the remainder of {} divided by {}", self.atom(a), self.atom(b)),
            BinaryOp::Join => {
                let first = self.elements(a, &x);
                // What a clause ends with would be read together with what follows.
                let comma = if first.contains(" where ") { "," } else { "" };
                format!("{first}{comma} followed by {}", self.elements(b, &y))
            }
            BinaryOp::Copies => format!("{x} copies of {y}"),
            BinaryOp::CopiesOfEach => match &b.kind {
                ExprKind::Binary(BinaryOp::Range, low, high) => {
                    format!("{x} copies of each number from {} to {}", self.value(low), self.value(high))
                }
                _ => match y.strip_prefix("every ") {
                    Some(every) => format!("{x} copies of each {every}"),
                    None => format!("{x} copies of each of {y}"),
                },
            },
            BinaryOp::Range => format!("the numbers from {x} to {y}"),
            BinaryOp::And | BinaryOp::Or => {
                let word = if op == BinaryOp::And { "and" } else { "or" };
                format!("whether {} {word} {}", self.clause(a, true), self.clause(b, true))
            }
        }
    }

    /// Returns a list in words; the elements of one that is written out are named themselves.
    fn elements<'t>(&self, list: &Expr, words: &'t str) -> &'t str {
        let written_out = matches!(&list.kind, ExprKind::List(inside) if !inside.has_tail());
        let words = if written_out { words.strip_prefix("the list ").unwrap_or(words) } else { words };
        if written_out { words.strip_prefix("just ").unwrap_or(words) } else { words }
    }

    fn field(&self, base: &Expr, name: &Name) -> String {
        let owner = self.value(base);
        let name = name.text.as_str();
        if self.facts.own.contains(&name) {
            return self.of(&owner, &self.noun(name));
        }
        if self.facts.parts.contains(&name) {
            let part = name.replace('_', " ");
            return match owner.contains(' ') {
                true => format!("the {part} of {owner}"),
                false => self.of(&owner, &part),
            };
        }
        match name {
            "others" if owner == "you" => "the other players".to_string(),
            "others" => format!("the players other than {owner}"),
            "next" if owner == "the player" => "the next player".to_string(),
            "previous" if owner == "the player" => "the previous player".to_string(),
            "next" => format!("the player after {owner}"),
            "previous" => format!("the player before {owner}"),
            "row" | "column" => format!("the {name} of {owner}"),
            "number" if owner == "you" => "your seat number".to_string(),
            "number" => format!("the seat number of {owner}"),
            part if part.chars().all(|c| c.is_ascii_digit()) => format!("part {part} of {owner}"),
            name => self.of(&owner, name),
        }
    }

    fn case(&self, what: &Expr, arms: &[(Vec<Expr>, Expr)], otherwise: Option<&Expr>) -> String {
        let arm = |(i, (when, value)): (usize, &(Vec<Expr>, Expr))| {
            format!("{} if {}", self.value(value), self.when(what, i, when))
        };
        let mut out: Vec<String> = arms.iter().enumerate().map(arm).collect();
        out.extend(otherwise.map(|value| format!("otherwise {}", self.value(value))));
        out.join(", ")
    }

    /// Returns the condition of a `case` arm; only the first arm names the value that is tested.
    fn when(&self, what: &Expr, arm: usize, when: &[Expr]) -> String {
        let what = if arm == 0 { self.value(what) } else { "it".to_string() };
        format!("{what} is {}", join_with(&self.values(when), "or"))
    }

    // ---- texts

    /// Returns the author's text; values that would be filled in appear by name or as `…`.
    pub fn filled(&self, parts: &[TextPart]) -> String {
        let part = |part: &TextPart| match part {
            TextPart::Chars(chars) => chars.clone(),
            TextPart::Filled(e) => match &e.kind {
                ExprKind::Number(n) => n.to_string(),
                ExprKind::Name(name) if self.params.contains(&name.as_str()) => large(name),
                ExprKind::Name(name) if name.chars().count() == 1 => name.clone(),
                _ => "…".to_string(),
            },
        };
        page::prose(&parts.iter().map(part).collect::<String>())
    }

    /// Returns what is said, with what is filled in as a description in brackets.
    pub fn spoken(&self, e: &Expr) -> String {
        let ExprKind::Text(parts) = &e.kind else { return self.value(e) };
        let part = |part: &TextPart| match part {
            TextPart::Chars(chars) => chars.clone(),
            TextPart::Filled(e) => format!("[{}]", unmarked(&self.value(e), ("", ""), ("", ""))),
        };
        format!("“{}”", page::prose(&parts.iter().map(part).collect::<String>()))
    }

    /// Returns the reason of a need or award.
    pub fn reason(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Text(parts) => self.filled(parts),
            _ => self.value(e),
        }
    }

    // ---- elements

    /// Describes an element of a list, a grid or a map.
    fn element(&self, base: &Expr, at: &[Expr]) -> String {
        if let [Expr { kind: ExprKind::Binary(BinaryOp::Range, low, high), .. }] = at {
            return format!("places {} to {} of {}", self.value(low), self.value(high), self.value(base));
        }
        if let ([key], true) = (at, self.is_map(base)) {
            let map = self.value(base);
            let article = matches!(base.kind, ExprKind::Name(_)) && !map.starts_with("the ");
            return format!("{}{map} of {}", if article { "the " } else { "" }, self.value(key));
        }
        let Some(of) = self.grid(base) else {
            let places: Vec<String> = at.iter().map(|at| self.place(at)).collect();
            return match places.as_slice() {
                // "Place the price of the list" would be read as something to do.
                [one] if ["the ", "your ", "place ", "part "].iter().any(|word| one.starts_with(word)) => {
                    format!("the entry of {} whose place is {one}", self.value(base))
                }
                _ => format!("place {} of {}", places.join(", "), self.value(base)),
            };
        };
        match (at, of) {
            ([line], _) if self.is_line(line) => format!("what stands in {}", self.value(line)),
            (at, TypeKind::Name(name)) if name.text == "player" => {
                format!("the owner of {}", self.square(base, at))
            }
            (at, TypeKind::Range(..)) => format!("the number in {}", self.square(base, at)),
            (at, TypeKind::Name(name)) if name.text == "int" => {
                format!("the number in {}", self.square(base, at))
            }
            (at, _) => format!("what stands in {}", self.square(base, at)),
        }
    }

    /// Describes an index; one with clauses of its own is put in parentheses.
    pub fn place(&self, at: &Expr) -> String {
        match at.kind {
            ExprKind::If(..) | ExprKind::Case(..) => self.atom(at),
            _ => self.value(at),
        }
    }

    /// Returns the type of a grid's squares, if the expression names a grid on the table.
    fn grid(&self, e: &Expr) -> Option<&'a TypeKind> {
        match &e.kind {
            ExprKind::Name(name) => match self.facts.states.get(name.as_str())? {
                TypeKind::Grid { of, .. } => Some(&of.kind),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an index denotes several squares.
    fn is_line(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => self.facts.lines.contains(name.as_str()),
            ExprKind::Index(base, _) => self.is_line(base) || matches!(base.kind, ExprKind::Call(..)),
            ExprKind::Call(name, _) if self.is_word(&name.text) => matches!(
                name.text.as_str(),
                "squares"
                    | "edge"
                    | "beside"
                    | "around"
                    | "hexes"
                    | "straight"
                    | "ray"
                    | "rectangle"
                    | "row"
                    | "column"
            ),
            ExprKind::Call(name, _) => self.facts.lines.contains(name.text.as_str()),
            ExprKind::List(_) | ExprKind::Set(_) => true,
            _ => false,
        }
    }

    /// Describes a square of a grid.
    pub fn square(&self, base: &Expr, at: &[Expr]) -> String {
        let which = match at {
            [one] => match self.value(one) {
                text if text.starts_with("the ") && text.contains("square") => text,
                // The word "square" is needed, since this text alone does not say that it is one.
                text if text.starts_with("the ")
                    || text.starts_with("your ")
                    || text.starts_with("place ")
                    || text.contains('’') =>
                {
                    format!("the square at {text}")
                }
                text => format!("square {text}"),
            },
            [row, column] => format!("the square in row {}, column {}", self.value(row), self.value(column)),
            at => format!("square {}", self.values(at).join(", ")),
        };
        match self.facts.grids.len() {
            0 | 1 => which,
            _ => format!("{which} of {}", self.value(base)),
        }
    }

    /// Describes the single square that an expression reads, and returns the type of the grid's squares.
    fn whole_square(&self, e: &Expr) -> Option<(String, &'a TypeKind)> {
        let ExprKind::Index(base, at) = &e.kind else { return None };
        let of = self.grid(base)?;
        if matches!(at.as_slice(), [one] if self.is_line(one) || matches!(one.kind, ExprKind::Binary(BinaryOp::Range, ..)))
        {
            return None;
        }
        Some((self.square(base, at), of))
    }

    /// Returns a predicate for the owner: `yours`, `red’s`.
    pub fn possessive(&self, owner: &Expr) -> String {
        match self.value(owner).as_str() {
            "you" => "yours".to_string(),
            owner => format!("{owner}’s"),
        }
    }

    // ---- collections

    /// Describes what a binder iterates over: `k from 1 to n where …`.
    pub fn over(&self, inside: &Inside) -> String {
        let sources: Vec<String> = inside
            .items
            .iter()
            .map(|item| match &item.kind {
                ExprKind::Compare(what, chain) if chain.len() == 1 => {
                    self.among(&self.value(what), &chain[0].1)
                }
                _ => self.value(item),
            })
            .collect();
        let mut out = join_with(&sources, "and");
        if let Some(filter) = &inside.filter {
            out.push_str(&format!(" where {}", self.clause(filter, true)));
        }
        if let Some(stop) = &inside.stop {
            out.push_str(&format!(" as long as {}", self.clause(stop, true)));
        }
        out
    }

    /// Describes an element and its source: `k from 1 to n`, `player p`, `square s`, `x in …`.
    pub fn among(&self, what: &str, source: &Expr) -> String {
        match &source.kind {
            ExprKind::Binary(BinaryOp::Range, low, high) => {
                format!("{what} from {} to {}", self.value(low), self.value(high))
            }
            ExprKind::Name(name) if name == "players" => format!("player {what}"),
            ExprKind::Name(name) if name == "standing" => format!("player {what} who is still in"),
            ExprKind::Name(_) if self.grid(source).is_some() => match self.facts.grids.len() {
                1 => format!("square {what}"),
                _ => format!("square {what} of {}", self.value(source)),
            },
            ExprKind::Every(kind) => format!("{} {what}", kind.text),
            ExprKind::List(inside) | ExprKind::Set(inside) if self.selects(inside) => {
                self.among_selected(what, inside)
            }
            ExprKind::List(inside) if !inside.has_tail() => {
                format!("{what} of {}", join_with(&self.values(&inside.items), "and"))
            }
            ExprKind::Call(name, inside) if !inside.has_tail() => {
                let args = self.values(&inside.items);
                calls::among(&name.text, what, &args)
                    .unwrap_or_else(|| format!("{what} of {}", self.value(source)))
            }
            ExprKind::Field(owner, name) if name.text == "others" => {
                format!("player {what} other than {}", self.value(owner))
            }
            _ => format!("{what} in {}", self.value(source)),
        }
    }

    // ---- conditions

    /// Returns a condition as a clause, negated unless `holds`.
    pub fn clause(&self, e: &Expr, holds: bool) -> String {
        match &e.kind {
            ExprKind::Bool(yes) => if *yes == holds { "always" } else { "never" }.to_string(),
            ExprKind::Not(a) => self.clause(a, !holds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let both = (*op == BinaryOp::And) == holds;
                let side = |e: &Expr| {
                    let mixed = matches!(&e.kind, ExprKind::Binary(other, ..) if other != op);
                    let clause = self.clause(e, holds);
                    if mixed && !both { format!("({clause})") } else { clause }
                };
                // Within `and`, an operand that is an `or` begins with `either`.
                let grouped = |e: &Expr| match &e.kind {
                    ExprKind::Binary(other @ (BinaryOp::And | BinaryOp::Or), ..) if other != op && both => {
                        format!("either {}", self.clause(e, holds))
                    }
                    _ => side(e),
                };
                format!("{} {} {}", grouped(a), if both { "and" } else { "or" }, grouped(b))
            }
            ExprKind::Compare(a, chain) => self.comparison(a, chain, holds),
            ExprKind::Is(a, negated, test) => self.test(a, test, holds != *negated),
            ExprKind::Call(name, inside) => self.claim_of_call(name, inside, e, holds),
            ExprKind::Case(what, arms, otherwise) => {
                let arm = |(i, (when, then)): (usize, &(Vec<Expr>, Expr))| {
                    format!("if {}, {}", self.when(what, i, when), self.clause(then, holds))
                };
                let mut out: Vec<String> = arms.iter().enumerate().map(arm).collect();
                out.extend(otherwise.iter().map(|then| format!("otherwise, {}", self.clause(then, holds))));
                out.join("; ")
            }
            ExprKind::If(arms, otherwise) => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|(c, then)| format!("if {}, {}", self.clause(c, true), self.clause(then, holds)))
                    .collect();
                format!("{}; otherwise, {}", arms.join("; "), self.clause(otherwise, holds))
            }
            _ => {
                let value = match self.whole_square(e) {
                    Some((square, _)) => format!("the entry in {square}"),
                    None => self.value(e),
                };
                // A Boolean takes `is`, even if it is called `digs`.
                format!("{value} is {}", if holds { "yes" } else { "no" })
            }
        }
    }

    fn comparison(&self, a: &Expr, chain: &[(CompareOp, Expr)], holds: bool) -> String {
        // A chain of comparisons holds if all of them do; its negation is that one of them fails.
        let mut left = a;
        let mut clauses = Vec::new();
        for (op, right) in chain {
            let empty = self.emptiness(left, *op, right, holds);
            clauses.push(empty.unwrap_or_else(|| self.relation(left, *op, right, holds)));
            left = right;
        }
        clauses.join(if holds { " and " } else { " or " })
    }

    fn relation(&self, a: &Expr, op: CompareOp, b: &Expr, holds: bool) -> String {
        use CompareOp::{AtLeast, AtMost, Divides, Equal, Greater, In, Less, NotEqual, NotIn};
        if let (Some(_), Equal | NotEqual, ExprKind::None) = (self.whole_square(a), op, &b.kind) {
            return self.test(a, &IsTest::None, holds == (op == Equal));
        }
        if let (Some((square, of)), Equal | NotEqual) = (self.whole_square(a), op) {
            let equal = (op == Equal) == holds;
            let player = matches!(of, TypeKind::Name(name) if name.text == "player");
            return match (player, equal) {
                (true, true) => format!("{square} is {}", self.possessive(b)),
                (true, false) => format!("{square} is not {}", self.possessive(b)),
                (false, true) => format!("{square} holds {}", self.value(b)),
                (false, false) => format!("{square} does not hold {}", self.value(b)),
            };
        }
        let (x, y) = (self.subject(a), self.value(b));
        let is = if matches!(b.kind, ExprKind::Bool(_)) { "is" } else { be(&x) };
        let op = match (op, holds) {
            (op, true) => op,
            (Equal, _) => NotEqual,
            (NotEqual, _) => Equal,
            (Less, _) => AtLeast,
            (AtLeast, _) => Less,
            (Greater, _) => AtMost,
            (AtMost, _) => Greater,
            (In, _) => NotIn,
            (NotIn, _) => In,
            (Divides, _) => return format!("{x} does not divide {y}"),
        };
        match op {
            Equal => format!("{x} {is} {y}"),
            NotEqual => format!("{x} {is} not {y}"),
            Less => format!("{x} {is} less than {y}"),
            AtMost => format!("{x} {is} at most {y}"),
            Greater => format!("{x} {is} greater than {y}"),
            AtLeast => format!("{x} {is} at least {y}"),
            In | NotIn => {
                let not = if op == NotIn { " not" } else { "" };
                match &b.kind {
                    ExprKind::Binary(BinaryOp::Range, low, high) => {
                        format!("{x} {is}{not} from {} to {}", self.value(low), self.value(high))
                    }
                    ExprKind::List(inside) | ExprKind::Set(inside)
                        if !inside.has_tail() && !inside.items.is_empty() =>
                    {
                        format!("{x} {is}{not} {}", join_with(&self.values(&inside.items), "or"))
                    }
                    ExprKind::Name(name) if matches!(name.as_str(), "players" | "standing") => {
                        format!("{x} {is}{not} one of {y}")
                    }
                    ExprKind::Index(base, at)
                        if self.grid(base).is_some()
                            && matches!(at.as_slice(), [line] if self.is_line(line)) =>
                    {
                        let stands = if op == NotIn { "does not stand" } else { "stands" };
                        format!("{x} {stands} in {}", self.value(&at[0]))
                    }
                    _ => format!("{x} {is}{not} in {y}"),
                }
            }
            Divides => format!("{x} divides {y}"),
        }
    }

    fn test(&self, a: &Expr, test: &IsTest, holds: bool) -> String {
        let x = self.subject(a);
        match test {
            // Of a square, that is the same as none.
            IsTest::Predicate(name) if name.text == "empty" && self.whole_square(a).is_some() => {
                self.test(a, &IsTest::None, holds)
            }
            IsTest::None => match (self.whole_square(a), &a.kind) {
                (Some((square, _)), _) => format!("{square} is {}empty", if holds { "" } else { "not " }),
                (_, ExprKind::Field(..)) => format!("{x} {} set", if holds { "is not" } else { "is" }),
                (_, ExprKind::Name(name)) if self.facts.states.contains_key(name.as_str()) => {
                    format!("{x} {} set", if holds { "is not" } else { "is" })
                }
                (_, ExprKind::Index(..)) => {
                    format!("{x} {}", if holds { "is nothing" } else { "is something" })
                }
                _ => format!("{x} {}", if holds { "does not exist" } else { "exists" }),
            },
            IsTest::In => format!("{x} {} {}", be(&x), if holds { "still in" } else { "out" }),
            IsTest::Out => format!("{x} {} {}", be(&x), if holds { "out" } else { "still in" }),
            IsTest::Predicate(name) => calls::claim(&name.text, std::slice::from_ref(&x), holds)
                .unwrap_or_else(|| match self.facts.defined.contains(&name.text.as_str()) {
                    true => self.own_claim(&name.text, &[x], holds),
                    // A kind of value, as in `board[s] is number`.
                    false => format!("{x} {} a {}", if holds { "is" } else { "is not" }, name.text),
                }),
        }
    }

    /// Returns the subject of a clause; if it ends with a remark, the remark is closed by a comma.
    fn subject(&self, e: &Expr) -> String {
        let text = self.value(e);
        if text.ends_with(", in any order") || text.ends_with(", rounded down") {
            format!("{text},")
        } else {
            text
        }
    }

    /// Whether an expression names a map whose keys are no numbers: those are like the places of a list.
    fn is_map(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) if !self.params.contains(&name.as_str()) => name,
            ExprKind::Field(_, name) => &name.text,
            _ => return false,
        };
        match self.facts.states.get(name.as_str()) {
            Some(TypeKind::Map(_, key)) => !matches!(key.kind, TypeKind::Range(..)),
            _ => false,
        }
    }

    /// Whether an expression names a list.
    pub fn is_list(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Field(_, name) => &name.text,
            _ => return false,
        };
        matches!(self.facts.states.get(name.as_str()), Some(TypeKind::List(..)))
    }
}

/// Returns `is` or `are`, whichever fits the subject.
pub(in crate::play) fn be(subject: &str) -> &'static str {
    const MANY: &[&str] = &[
        "all ",
        "the players ",
        "the run-lengths ",
        "the divisors ",
        "the prime factors ",
        "the digits ",
        "the pairs ",
        "the squares ",
        "the straight lines ",
        "the corners ",
        "the numbers ",
        "the places ",
        "places ",
        "the other players",
    ];
    // Possessives of a single word can be plural: `Ann’s points`.
    let subject = unmarked(subject, ("", ""), ("", ""));
    // Only of what comes first: `place 1 of Ann’s points` is one.
    let head = subject.split(" of ").next().unwrap_or(&subject);
    let own = head.strip_prefix("your ").or_else(|| Some(head.rsplit_once("’s ")?.1));
    let plural = own.is_some_and(|own| !own.contains(' ') && to_be(own) == "are");
    let many = subject == "you" || plural || MANY.iter().any(|start| subject.starts_with(start));
    if many { "are" } else { "is" }
}
