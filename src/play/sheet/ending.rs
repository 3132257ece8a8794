//! The end of a sheet: points, winners, and what its words mean.

use super::page::{self, Page, either, sentence};
use super::words::Words;
use super::{Sheet, calls};
use crate::ast::{Block, Expr, ExprKind, Item, ItemKind, Stmt, StmtKind, Winner, WinnerBy};

impl Sheet<'_> {
    pub(super) fn scoring(&self, page: &mut Page) {
        page.heading("Who wins");
        let scored = self.items().any(|(_, kind)| matches!(kind, ItemKind::Score(..)));
        if !scored && page.says(" score") {
            page.para("Points are scored during play, as told above.");
        }
        let mut words = self.words();
        words.me = "the player";
        for (item, kind) in self.items() {
            let about = item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(doc)));
            match kind {
                ItemKind::Score(who, e) => {
                    let who = who.as_ref().map_or("each player".to_string(), crate::ast::SeatRef::words);
                    page.para(&format!("{}{about}", sentence(&format!("{who} scores {}", words.value(e)))));
                }
                ItemKind::Winner(winner) => page.para(&format!("{}{about}", winner_words(&words, winner))),
                _ => {}
            }
        }
        if !self.items().any(|(_, kind)| matches!(kind, ItemKind::Winner(_))) {
            page.para(if self.wins_in_play() { "Who wins is told above." } else { "Nobody wins." });
        }
    }

    fn wins_in_play(&self) -> bool {
        self.items().any(|(_, kind)| match kind {
            ItemKind::Standing(stmt) => wins(stmt),
            ItemKind::Play(block) | ItemKind::Rule(_, _, block) => block.stmts.iter().any(wins),
            ItemKind::Move(mv) => mv.body.stmts.iter().any(wins),
            _ => false,
        })
    }

    /// What the names stand for that the sheet uses.
    pub(super) fn meanings(&self, page: &mut Page) {
        let mut lines: Vec<String> = Vec::new();
        for (item, kind) in self.items() {
            let words = self.words();
            let about = item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(doc)));
            match kind {
                ItemKind::Constant(name, _) if !self.matters(&name.text) => {}
                ItemKind::Constant(name, e) => {
                    lines.push(format!("{} is {}.{about}", words.name(&name.text), words.value(e)));
                }
                ItemKind::Kind(name, symbols) => {
                    let symbols: Vec<String> = symbols.iter().map(|symbol| symbol.text.clone()).collect();
                    lines.push(format!("A {} is {}.{about}", name.text, either(&symbols, "or")));
                }
                ItemKind::Define(name, params, e) => {
                    let params: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
                    let head = format!("{}({})", name.text, params.join(", "));
                    let text = match claims(e) {
                        true if matches!(e.kind, ExprKind::Case(..) | ExprKind::If(..)) => {
                            format!("{head} holds when this is so: {}", words.claim(e, true))
                        }
                        true => format!("{head} holds when {}", words.claim(e, true)),
                        false => format!("{head} is {}", words.value(e)),
                    };
                    lines.push(format!("{text}.{about}{}", self.remarks(item)));
                }
                _ => {}
            }
        }
        for (used, meaning) in GLOSSARY {
            if used.iter().any(|word| page.says(word) || lines.iter().any(|line| line.contains(word))) {
                lines.push((*meaning).to_string());
            }
        }
        for (numbers, meaning) in INDEX {
            if page.points(*numbers) || lines.iter().any(|line| page::points(line, *numbers)) {
                lines.push((*meaning).to_string());
            }
        }
        if !lines.is_empty() {
            page.heading("What the words mean");
            lines.iter().for_each(|line| page.entry(line));
        }
    }

    /// The comments that stand inside an item.
    fn remarks(&self, item: &Item) -> String {
        let inside =
            self.comments.iter().filter(|c| item.span.start < c.span.start && c.span.end <= item.span.end);
        inside.filter(|c| item.doc.as_deref() != Some(&c.text)).map(|c| format!(" [{}]", c.text)).collect()
    }

    /// Whether a constant is used for anything but the windows that bots draw from.
    fn matters(&self, name: &str) -> bool {
        let text = self.facts.text;
        let windows: Vec<_> = self
            .items()
            .filter_map(|(_, kind)| match kind {
                ItemKind::Move(mv) => Some(mv.params.iter().filter_map(|param| param.window.as_ref())),
                _ => None,
            })
            .flatten()
            .map(|window| window.span)
            .collect();
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let uses = text.match_indices(name).filter(|(at, _)| {
            !text[..*at].ends_with(part)
                && !text[at + name.len()..].starts_with(part)
                && !windows.iter().any(|window| window.start <= *at && *at < window.end)
        });
        uses.count() > 1
    }
}

/// How places are written: by one number or by two.
const INDEX: &[(usize, &str)] = &[
    (1, "x[3], say, is what stands at place 3 of x."),
    (2, "x[2, 1], say, is the square of x in row 2, column 1."),
];

/// Words of the sheet that are explained where they are used.
const GLOSSARY: &[(&[&str], &str)] = &[
    (&["a set of", "sets of"], "A set holds things in no order, each of them once."),
    (&["a bag of", "bags of"], "A bag holds things in no order; the same thing may be in it more than once."),
    (
        &["run-lengths"],
        "Run-lengths are the lengths of the stretches of equal neighbours: those of 0,0,1,0 are 2,1,1.",
    ),
    (&["coprime", "share a factor"], "Coprime numbers have no common divisor but 1."),
    (
        &["Fibonacci"],
        "The Fibonacci numbers are 0, 1, 2, 3, 5, 8, 13 and so on, each the sum of the two before.",
    ),
    (
        &["in seat order", "choose in secret"],
        "What is chosen in secret is carried out in the order of the seats.",
    ),
];

/// Whether an expression holds or not, by its look.
fn claims(e: &Expr) -> bool {
    use crate::ast::BinaryOp;
    match &e.kind {
        ExprKind::Compare(..) | ExprKind::Is(..) | ExprKind::Not(_) | ExprKind::Bool(_) => true,
        ExprKind::Binary(op, ..) => matches!(op, BinaryOp::And | BinaryOp::Or),
        ExprKind::Call(name, _) => {
            matches!(name.text.as_str(), "all" | "some") || calls::is_claim(&name.text)
        }
        ExprKind::Case(_, arms, _) => arms.iter().all(|(_, then)| claims(then)),
        ExprKind::If(arms, _) => arms.iter().all(|(_, then)| claims(then)),
        _ => false,
    }
}

/// Whether a statement, or one in it, lets somebody win.
fn wins(stmt: &Stmt) -> bool {
    let inside = |block: &Block| block.stmts.iter().any(wins);
    match &stmt.kind {
        StmtKind::Win(_) | StmtKind::WinWhen(..) => true,
        StmtKind::If(arms, otherwise) => {
            arms.iter().any(|(_, block)| inside(block)) || otherwise.as_ref().is_some_and(inside)
        }
        StmtKind::Each { body, .. }
        | StmtKind::Cycle { body, .. }
        | StmtKind::Repeat { body, .. }
        | StmtKind::Turns { body, .. }
        | StmtKind::Phase(_, body) => inside(body),
        _ => false,
    }
}

fn winner_words(words: &Words, winner: &Winner) -> String {
    let best = |(highest, e): &(bool, Expr)| {
        let way = if *highest { "highest" } else { "lowest" };
        match &e.kind {
            ExprKind::Name(name) if name == "score" => format!("the {way} score"),
            ExprKind::Field(who, name) if matches!(&who.kind, ExprKind::Name(me) if me == "me") => {
                format!("the {way} {}", words.name(&name.text))
            }
            _ => format!("the {way} value of {}", words.value(e)),
        }
    };
    let verb = if winner.loser { "loses" } else { "wins" };
    let all = match &winner.by {
        WinnerBy::LastMover => format!("the last player to move {verb}"),
        WinnerBy::LastIn => format!("whoever is still in at the end {verb}"),
        WinnerBy::Best(keys) => {
            let mut text = format!("{} {verb}", keys.first().map(best).unwrap_or_default());
            for key in keys.iter().skip(1) {
                text.push_str(&format!("; of those who are level, {}", best(key)));
            }
            let share = if winner.loser { "lose together" } else { "share the win" };
            text.push_str(&format!("; players who are level {share}"));
            text
        }
    };
    let others = if winner.loser { ", and everybody else wins" } else { "" };
    sentence(&format!("{all}{others}"))
}
