//! Expressions in words: values as phrases, conditions as clauses.

use std::collections::{BTreeSet, HashMap};

use super::calls;
use super::page::either;
use crate::ast::{
    BinaryOp, CompareOp, Expr, ExprKind, File, Inside, IsTest, ItemKind, Name, TextPart, TypeKind,
};
use crate::ir::{DIRECTIONS, Direction, Game};
use crate::source::Span;

/// What a file declares, as far as the wording depends on it.
#[derive(Default)]
pub(super) struct Facts<'a> {
    /// The text without its comments.
    pub text: &'a str,
    /// The types of the state, by name.
    pub states: HashMap<&'a str, &'a TypeKind>,
    /// Which of it each player has.
    pub own: Vec<&'a str>,
    /// The names of the rules.
    pub rules: Vec<&'a str>,
    /// What the seats are called.
    pub seats: Vec<&'a str>,
    /// The symbols.
    pub symbols: Vec<&'a str>,
    /// The names of the functions.
    pub defined: Vec<&'a str>,
    /// The calls that take a direction.
    pub directed: BTreeSet<Span>,
    /// What the game calls the eight directions, clockwise from north.
    pub directions: Vec<&'a str>,
}

impl<'a> Facts<'a> {
    pub fn new(text: &'a str, file: &'a File, game: &'a Game) -> Facts<'a> {
        let called = |way: &'a Direction| {
            let own = game.symbols.iter().find(|symbol| way.is_called(symbol));
            own.map_or(way.name, String::as_str)
        };
        let directions = DIRECTIONS.iter().map(called).collect();
        let known = |way: &&Direction| game.symbols.iter().any(|symbol| way.is_called(symbol));
        let names = DIRECTIONS.iter().filter(known).flat_map(|way| [Some(way.name), way.also]).flatten();
        let mut facts = Facts { text, directions, directed: game.directed.clone(), ..Facts::default() };
        for item in &file.items {
            match &item.kind {
                ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                    for state in states {
                        facts.states.insert(&state.name.text, &state.ty.kind);
                        facts.symbols_of(&state.ty.kind);
                        if matches!(item.kind, ItemKind::EachPlayer(_)) {
                            facts.own.push(&state.name.text);
                        }
                    }
                }
                ItemKind::Rule(name, ..) => facts.rules.push(&name.text),
                ItemKind::Define(name, ..) => facts.defined.push(&name.text),
                ItemKind::Kind(_, symbols) => {
                    facts.symbols.extend(symbols.iter().map(|name| name.text.as_str()))
                }
                ItemKind::Option(crate::ast::OptionDecl { ty: Some(ty), .. }) => facts.symbols_of(&ty.kind),
                ItemKind::Game(header) => {
                    let called = header.players.iter().flat_map(|players| &players.called);
                    facts.seats.extend(called.map(|name| name.text.as_str()));
                }
                _ => {}
            }
        }
        let names: Vec<&str> = names.filter(|name| !facts.states.contains_key(name)).collect();
        facts.symbols.extend(names);
        facts
    }

    fn symbols_of(&mut self, ty: &'a TypeKind) {
        match ty {
            TypeKind::Symbols(symbols) => {
                self.symbols.extend(symbols.iter().map(|name| name.text.as_str()));
            }
            TypeKind::Either(kinds) => kinds.iter().for_each(|kind| self.symbols_of(&kind.kind)),
            TypeKind::Grid { of, .. }
            | TypeKind::Optional(of)
            | TypeKind::List(_, of)
            | TypeKind::Set(of)
            | TypeKind::Bag(of) => self.symbols_of(&of.kind),
            _ => {}
        }
    }
}

/// The wording of one part of a file.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub facts: &'a Facts<'a>,
    /// What is chosen with the move at hand: written large, as in its usage.
    pub params: &'a [&'a str],
    /// What `me` is called.
    pub me: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Words<'a> {
        Words { facts, params: &[], me: "you" }
    }

    /// The text of a place as it is written, on one line, what is chosen written large.
    pub fn source(&self, span: Span) -> String {
        let text = self.facts.text.get(span.start..span.end).unwrap_or("");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain(Some(' ')) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            let param = self.params.contains(&word.as_str());
            out.push_str(&if param { word.to_uppercase() } else { word.clone() });
            word.clear();
            out.push(c);
        }
        out.trim_end().replace(" * ", " × ")
    }

    /// A name: in backticks where it could be taken for a word of the sentence.
    pub fn name(&self, name: &str) -> String {
        let plain = name.chars().count() == 1 && !matches!(name, "a" | "A" | "i" | "I");
        match name {
            name if self.params.contains(&name) => name.to_uppercase(),
            name if plain || self.facts.seats.contains(&name) || self.facts.symbols.contains(&name) => {
                name.to_string()
            }
            name => format!("`{name}`"),
        }
    }

    /// What belongs to somebody.
    pub fn of(&self, owner: &str, what: &str) -> String {
        match owner {
            "you" => format!("your {what}"),
            "all players" => format!("everybody's {what}"),
            owner if owner.starts_with("the player ") => format!("the {what} of {owner}"),
            owner => format!("{owner}'s {what}"),
        }
    }

    /// Whether a function is one of the language, and not of the file.
    pub fn is_word(&self, function: &str) -> bool {
        calls::known(function) && !self.facts.defined.contains(&function)
    }

    /// Whether an expression is a formula, best read as it is written.
    fn formula(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Number(_) => true,
            ExprKind::Name(name) => !matches!(name.as_str(), "me" | "players" | "standing" | "score"),
            ExprKind::Call(name, inside) => {
                !self.is_word(&name.text)
                    && inside.filter.is_none()
                    && inside.stop.is_none()
                    && inside.body.is_none()
                    && inside.items.iter().all(|item| self.formula(item))
            }
            ExprKind::Index(base, at) => self.formula(base) && at.iter().all(|at| self.formula(at)),
            ExprKind::Negative(a) => self.formula(a),
            ExprKind::Binary(op, a, b) => {
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Pow)
                    && self.formula(a)
                    && self.formula(b)
            }
            _ => false,
        }
    }

    /// A value, as a phrase.
    pub fn value(&self, e: &Expr) -> String {
        if let ExprKind::Name(name) = &e.kind {
            return match name.as_str() {
                "me" => self.me.to_string(),
                "players" => "all players".to_string(),
                "standing" => "the players still in".to_string(),
                "score" => "the score".to_string(),
                name => self.name(name),
            };
        }
        if self.formula(e) {
            return self.source(e.span);
        }
        match &e.kind {
            ExprKind::Text(parts) => format!("“{}”", self.filled(parts, true)),
            ExprKind::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
            ExprKind::None => "none".to_string(),
            ExprKind::Every(kind) => format!("every {}", kind.text),
            ExprKind::AtLeast(low) => format!("the numbers from {} on", self.value(low)),
            ExprKind::Call(name, inside) => self.call(name, inside, e),
            ExprKind::Tuple(items) => format!("({})", self.values(items).join(", ")),
            ExprKind::List(inside) => self.gathered("list", inside),
            ExprKind::Set(inside) => self.gathered("set", inside),
            ExprKind::Index(base, at) => match &base.kind {
                ExprKind::Name(name) => format!("{name}[{}]", self.values(at).join(", ")),
                _ => format!("place {} of {}", self.values(at).join(", "), self.value(base)),
            },
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Negative(a) => format!("-{}", self.atom(a)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::With(base, at, to) => format!(
                "{} with place {} changed to {}",
                self.value(base),
                self.values(at).join(", "),
                self.value(to)
            ),
            ExprKind::If(arms, otherwise) => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|(c, v)| format!("{} if {}", self.value(v), self.claim(c, true)))
                    .collect();
                format!("{}, otherwise {}", arms.join(", "), self.value(otherwise))
            }
            ExprKind::Case(what, arms, otherwise) => self.case(what, arms, otherwise.as_deref()),
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::Is(..) => {
                format!("whether {}", self.claim(e, true))
            }
            _ => self.source(e.span),
        }
    }

    pub fn values(&self, items: &[Expr]) -> Vec<String> {
        items.iter().map(|item| self.value(item)).collect()
    }

    /// A value inside a formula: in parentheses where it is more than a word.
    fn atom(&self, e: &Expr) -> String {
        let text = self.value(e);
        let plain = text.starts_with("the number of players") || text.starts_with("the length of ");
        match !plain && !self.formula(e) && text.contains(' ') || matches!(e.kind, ExprKind::Binary(..)) {
            true => format!("({text})"),
            false => text,
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let sign = |sign: &str| format!("{} {sign} {}", self.atom(a), self.atom(b));
        let (x, y) = (self.value(a), self.value(b));
        match op {
            BinaryOp::Add => sign("+"),
            BinaryOp::Sub => sign("-"),
            BinaryOp::Mul => sign("×"),
            BinaryOp::Pow => sign("^"),
            BinaryOp::Div => format!("{} divided by {}, rounded down", self.atom(a), self.atom(b)),
            BinaryOp::Mod => format!("the remainder of {} divided by {}", self.atom(a), self.atom(b)),
            BinaryOp::Join => format!("{x} followed by {y}"),
            BinaryOp::Copies => format!("{x} copies of {y}"),
            BinaryOp::Range => format!("{x} to {y}"),
            BinaryOp::And | BinaryOp::Or => {
                let word = if op == BinaryOp::And { "and" } else { "or" };
                format!("whether {} {word} {}", self.claim(a, true), self.claim(b, true))
            }
        }
    }

    fn field(&self, base: &Expr, name: &Name) -> String {
        let owner = self.value(base);
        let name = name.text.as_str();
        if self.facts.own.contains(&name) {
            return self.of(&owner, &format!("`{name}`"));
        }
        match name {
            "others" => format!("the players other than {owner}"),
            "next" => format!("the player after {owner}"),
            "previous" => format!("the player before {owner}"),
            "row" | "column" => format!("the {name} of {owner}"),
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

    /// The condition of an arm: the first names what is looked at.
    fn when(&self, what: &Expr, arm: usize, when: &[Expr]) -> String {
        let what = if arm == 0 { self.value(what) } else { "it".to_string() };
        format!("{what} is {}", either(&self.values(when), "or"))
    }

    /// A text with its values left readable: what is chosen by its name, other values as `…` or in words.
    pub fn filled(&self, parts: &[TextPart], whole: bool) -> String {
        let part = |part: &TextPart| match part {
            TextPart::Chars(chars) => chars.clone(),
            TextPart::Filled(e) => match &e.kind {
                ExprKind::Name(name) if self.params.contains(&name.as_str()) => name.to_uppercase(),
                ExprKind::Name(name) if !whole && name.chars().count() == 1 => name.clone(),
                _ if whole => format!("{{{}}}", self.value(e)),
                _ => "…".to_string(),
            },
        };
        parts.iter().map(part).collect()
    }

    /// A reason as it is told: with `…` where a value is filled in.
    pub fn reason(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Text(parts) => self.filled(parts, false),
            _ => self.value(e),
        }
    }

    // ---- what is gathered

    /// A list or a set, written out or built.
    fn gathered(&self, kind: &str, inside: &Inside) -> String {
        if inside.items.is_empty() {
            return format!("an empty {kind}");
        }
        let built = inside.body.is_some() || inside.filter.is_some() || inside.stop.is_some();
        if !built {
            let items = self.values(&inside.items);
            return match (kind, items.as_slice()) {
                ("set", [one]) => format!("just {one}"),
                ("set", items) => either(items, "and"),
                (kind, items) => format!("the {kind} {}", items.join(", ")),
            };
        }
        match inside.body.as_ref().filter(|_| !self.selects(inside)) {
            Some(body) => format!("the {kind} of {} for each {}", self.value(body), self.over(inside)),
            None => format!("the {kind} of every {}", self.over(inside)),
        }
    }

    /// Whether a builder gathers what it goes through, as it is.
    pub fn selects(&self, inside: &Inside) -> bool {
        let [Expr { kind: ExprKind::Compare(what, _), .. }] = inside.items.as_slice() else { return false };
        let built = inside.body.is_some() || inside.filter.is_some() || inside.stop.is_some();
        built
            && inside.body.as_ref().is_none_or(|body| match (&body.kind, &what.kind) {
                (ExprKind::Name(body), ExprKind::Name(what)) => body == what,
                _ => false,
            })
    }

    /// What a binder goes through: `k from 1 to n where …`.
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
        let mut out = either(&sources, "and each");
        if let Some(filter) = &inside.filter {
            out.push_str(&format!(" where {}", self.claim(filter, true)));
        }
        if let Some(stop) = &inside.stop {
            out.push_str(&format!(" as long as {}", self.claim(stop, true)));
        }
        out
    }

    /// `x` and where it comes from: `k from 1 to n`, `player p`, `x in …`.
    pub fn among(&self, what: &str, source: &Expr) -> String {
        match &source.kind {
            ExprKind::Binary(BinaryOp::Range, low, high) => {
                format!("{what} from {} to {}", self.value(low), self.value(high))
            }
            ExprKind::Name(name) if name == "players" => format!("player {what}"),
            ExprKind::Name(name) if name == "standing" => format!("player {what} who is still in"),
            ExprKind::List(inside) if inside.body.is_none() && inside.filter.is_none() => {
                format!("{what} of {}", either(&self.values(&inside.items), "and"))
            }
            ExprKind::Call(..) => format!("{what} of {}", self.value(source)),
            ExprKind::Field(owner, name) if name.text == "others" => {
                format!("player {what} other than {}", self.value(owner))
            }
            _ => format!("{what} in {}", self.value(source)),
        }
    }

    // ---- conditions

    /// A condition as a clause; the opposite of it where `holds` is no.
    pub fn claim(&self, e: &Expr, holds: bool) -> String {
        match &e.kind {
            ExprKind::Bool(yes) => if *yes == holds { "always" } else { "never" }.to_string(),
            ExprKind::Not(a) => self.claim(a, !holds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let both = (*op == BinaryOp::And) == holds;
                let side = |e: &Expr| {
                    let mixed = matches!(&e.kind, ExprKind::Binary(other, ..) if other != op);
                    let clause = self.claim(e, holds);
                    if mixed && !both { format!("({clause})") } else { clause }
                };
                // Of two clauses joined by `and`, one with `or` in it begins with `either`.
                let grouped = |e: &Expr| match &e.kind {
                    ExprKind::Binary(other @ (BinaryOp::And | BinaryOp::Or), ..) if other != op && both => {
                        format!("either {}", self.claim(e, holds))
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
                    format!("if {}, {}", self.when(what, i, when), self.claim(then, holds))
                };
                let mut out: Vec<String> = arms.iter().enumerate().map(arm).collect();
                out.extend(otherwise.iter().map(|then| format!("otherwise, {}", self.claim(then, holds))));
                out.join("; ")
            }
            ExprKind::If(arms, otherwise) => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|(c, then)| format!("if {}, {}", self.claim(c, true), self.claim(then, holds)))
                    .collect();
                format!("{}; otherwise, {}", arms.join("; "), self.claim(otherwise, holds))
            }
            _ => format!("{} {} {}", self.value(e), be(&self.value(e)), if holds { "yes" } else { "no" }),
        }
    }

    fn comparison(&self, a: &Expr, chain: &[(CompareOp, Expr)], holds: bool) -> String {
        if let ([(op, b)], true) = (chain, chain.len() == 1) {
            return self.relation(a, *op, b, holds);
        }
        let mut left = a;
        let mut clauses = Vec::new();
        for (op, right) in chain {
            clauses.push(self.relation(left, *op, right, true));
            left = right;
        }
        let all = clauses.join(" and ");
        if holds { all } else { format!("it is not so that {all}") }
    }

    fn relation(&self, a: &Expr, op: CompareOp, b: &Expr, holds: bool) -> String {
        use CompareOp::{AtLeast, AtMost, Divides, Equal, Greater, In, Less, NotEqual, NotIn};
        let (x, y) = (self.subject(a), self.value(b));
        let is = be(&x);
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
            In => format!("{x} {is} in {y}"),
            NotIn => format!("{x} {is} not in {y}"),
            Divides => format!("{x} divides {y}"),
        }
    }

    fn test(&self, a: &Expr, test: &IsTest, holds: bool) -> String {
        let x = self.subject(a);
        let is = if holds { be(&x).to_string() } else { format!("{} not", be(&x)) };
        match test {
            IsTest::None if self.in_grid(a) => format!("{x} {is} empty"),
            IsTest::None => format!("{x} {is} none"),
            IsTest::In => format!("{x} {} {}", be(&x), if holds { "still in" } else { "out" }),
            IsTest::Out => format!("{x} {} {}", be(&x), if holds { "out" } else { "still in" }),
            IsTest::Predicate(name) => calls::claim(&name.text, std::slice::from_ref(&x), holds)
                .unwrap_or_else(|| match self.facts.defined.contains(&name.text.as_str()) {
                    true => format!("{x} {is} {}", name.text),
                    // A kind of value, as in `board[s] is number`.
                    false => format!("{x} {is} a {}", name.text),
                }),
        }
    }

    /// A value that a clause is about: a remark behind it is closed with a comma.
    fn subject(&self, e: &Expr) -> String {
        let text = self.value(e);
        if text.ends_with(", in any order") || text.ends_with(", rounded down") {
            format!("{text},")
        } else {
            text
        }
    }

    /// Whether a name is that of a list.
    pub fn is_list(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Field(_, name) => &name.text,
            _ => return false,
        };
        matches!(self.facts.states.get(name.as_str()), Some(TypeKind::List(..)))
    }

    /// Whether a place is a square of a grid, which may be empty.
    fn in_grid(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Index(base, _) => match &base.kind {
                ExprKind::Name(name) => {
                    matches!(self.facts.states.get(name.as_str()), Some(TypeKind::Grid { .. }))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// `is` or `are`, as it fits.
pub(super) fn be(subject: &str) -> &'static str {
    const MANY: &[&str] = &[
        "all ",
        "the players ",
        "the run-lengths ",
        "the divisors ",
        "the prime factors ",
        "the digits ",
        "the pairs ",
    ];
    let many = subject == "you" || MANY.iter().any(|start| subject.starts_with(start));
    if many { "are" } else { "is" }
}
