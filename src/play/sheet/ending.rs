//! The final sections of a sheet: points, how a match ends, who wins, and what its words mean.

use super::Sheet;
use super::comments::describes;
use super::page::{Line, Page, Part, join_with, prose, said, sentence};
use super::statements::{Outline, count};
use super::words::Words;
use crate::ast::{
    Block, Expr, ExprKind, ItemKind, Name, Stmt, StmtKind, Stuck, TypeKind, Until, Winner, WinnerBy,
};

impl Sheet<'_> {
    pub(super) fn scoring(&self, page: &mut Page) {
        let scored = self.items().any(|(_, kind)| matches!(kind, ItemKind::Score(..)));
        let awarded = self.anywhere(&|stmt| matches!(stmt.kind, StmtKind::Award(..)));
        if !scored && !awarded {
            return;
        }
        page.heading("Points");
        let mut words = self.words();
        words.me = if self.facts.alone { "you" } else { "the player" };
        for (item, kind) in self.items() {
            if let ItemKind::Score(who, e) = kind {
                if self.facts.alone {
                    let told = item.doc.as_deref().filter(|doc| describes(doc)).map(prose);
                    page.para(sentence(&format!("your points: {}", told.unwrap_or_else(|| words.value(e)))));
                    continue;
                }
                let who = who.as_ref().map_or("each player".to_string(), |who| who.words().replace('_', " "));
                page.para(match &item.doc {
                    Some(doc) if describes(doc) => sentence(&format!("the points of {who}: {}", prose(doc))),
                    _ => sentence(&format!("the points of {who}: {}", words.value(e))),
                });
            }
        }
        if awarded {
            page.para(match scored {
                true => "Points scored during play, as described above, are added to this.",
                false => "Points are scored during play, as described above, and add up until the end.",
            });
        }
    }

    /// Writes how a match ends and who wins.
    pub(super) fn ending(&self, page: &mut Page) {
        page.heading("The end and the winner");
        let play = self.items().find_map(|(_, kind)| match kind {
            ItemKind::Play(block) => Some(block),
            _ => None,
        });
        let last = play.and_then(|block| block.stmts.last());
        page.para(self.last_of_play(last));
        let mut outline = Outline::new(self.words(), &self.comments);
        if let Some(block) = play {
            outline.decisions(block);
        }
        for (_, kind) in self.items() {
            if let ItemKind::Standing(stmt) = kind {
                outline.alone(stmt);
            }
        }
        page.outline(outline.finish());
        if let Some(told) = self.decided_by_moves() {
            page.para(told);
        }
        let mut words = self.words();
        words.me = "the player";
        let mut decided = false;
        for (item, kind) in self.items() {
            if let ItemKind::Winner(winner) = kind {
                decided = true;
                let about =
                    item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(&prose(doc))));
                page.para(format!("{}{about}", winner_words(&words, winner)));
            }
        }
        if decided {
            return;
        }
        let ends = |stmt: &Stmt| matches!(stmt.kind, StmtKind::End | StmtKind::EndWhen(_) | StmtKind::Out(_));
        let decided = last.is_some_and(endless) || last.is_some_and(always_wins);
        let decided = decided && !self.anywhere(&ends);
        match (self.anywhere(&wins), decided) {
            (true, true) if self.facts.alone => {}
            (true, false) if self.facts.alone => {
                page.para("If you have not won when the match is over, you have lost.");
            }
            (true, true) => page.para("There are no draws."),
            _ if self.anywhere(&wins) && !self.anywhere(&wins_alone) => {
                page.para("If the players have not won when the match is over, all lose.");
            }
            (true, false) => page.para("If nobody has won when the match is over, it is a draw."),
            (false, _) => page.para("Nobody wins."),
        }
    }

    /// Says which moves can decide the match at once, which is told with them.
    fn decided_by_moves(&self) -> Option<String> {
        let decides = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Win(_) | StmtKind::End);
        let moves: Vec<String> = self
            .items()
            .filter_map(|(_, kind)| match kind {
                ItemKind::Move(mv) => Some(mv),
                _ => None,
            })
            .filter(|mv| mv.body.stmts.iter().any(|stmt| within(stmt, &decides)))
            .map(|mv| said(&mv.name.text.replace('_', " ")))
            .collect();
        let moves = (!moves.is_empty()).then(|| join_with(&moves, "or"))?;
        Some(format!("Before that, {moves} can end it at once, as said there."))
    }

    /// Describes what ends a match that nothing else has ended.
    fn last_of_play(&self, last: Option<&Stmt>) -> String {
        let cannot = "As soon as the player to move has no legal move, the match is over";
        match last.map(|stmt| &stmt.kind) {
            Some(StmtKind::Turns { before: Some(Until::Stuck(_)), after: None, .. }) => format!("{cannot}."),
            Some(StmtKind::Turns { stuck: Some(Stuck::Skip), before: None, after: None, .. }) => {
                "When nobody can move, the match is over.".to_string()
            }
            Some(StmtKind::Turns { stuck: Some(Stuck::Drop), before: None, after: None, .. }) => {
                "When everybody is out, the match is over.".to_string()
            }
            Some(StmtKind::Turns { .. }) if last.is_some_and(endless) => {
                match self.anywhere(&|stmt| matches!(stmt.kind, StmtKind::Out(_))) {
                    true => "The turns go on until the match is decided or everybody is out.".to_string(),
                    false => "The turns go on until the match is decided.".to_string(),
                }
            }
            Some(StmtKind::Turns { .. }) => "When the turns are over, the match is over.".to_string(),
            Some(_) => "When everything above has been played, the match is over.".to_string(),
            None => "The match is over at once.".to_string(),
        }
    }

    /// Whether any statement of the file, including nested ones, satisfies a predicate.
    pub(super) fn anywhere(&self, is: &dyn Fn(&Stmt) -> bool) -> bool {
        self.items().any(|(_, kind)| match kind {
            ItemKind::Standing(stmt) => within(stmt, is),
            ItemKind::Play(block) | ItemKind::Rule(_, _, block) => block.stmts.iter().any(|s| within(s, is)),
            ItemKind::Move(mv) => mv.body.stmts.iter().any(|s| within(s, is)),
            _ => false,
        })
    }

    /// Explains the names that the sheet uses; an explanation may use further names.
    pub(super) fn meanings(&self, page: &mut Page) {
        let items: Vec<_> = self.items().collect();
        let mut told: Vec<Option<Vec<Part>>> = items.iter().map(|_| None).collect();
        loop {
            let mut more = false;
            for ((item, kind), told) in items.iter().zip(&mut told) {
                if told.is_none() && (self.is_met(page, kind) || self.is_spoken_of(page, item)) {
                    *told = Some(self.meaning(item.doc.as_deref().map(prose), item.span, kind));
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
        let mut parts: Vec<Part> = told.into_iter().flatten().flatten().collect();
        let defined = Page { parts: std::mem::take(&mut parts) };
        let mut lines = Vec::new();
        for (used, meaning) in GLOSSARY {
            // An author’s “sets of three” are none of the language.
            let meant = !used[0].ends_with("set of") || self.facts.has_sets;
            if meant && used.iter().any(|word| page.says(word) || defined.says(word)) {
                lines.push(Part::Entry(String::new(), (*meaning).to_string()));
            }
        }
        if !defined.parts.is_empty() || !lines.is_empty() {
            page.heading("What the words mean");
            page.parts.extend(defined.parts);
            page.parts.extend(lines);
        }
    }

    /// Whether the sheet has used the name of an item that needs an explanation.
    fn is_met(&self, page: &Page, kind: &ItemKind) -> bool {
        let met = |name: &Name| self.facts.used_names.borrow().contains(&name.text);
        match kind {
            ItemKind::Kind(name, ty) => {
                let symbols: &[Name] = if let TypeKind::Symbols(all) = &ty.kind { all } else { &[] };
                [name].into_iter().chain(symbols).any(|name| page.says(&name.text.replace('_', " ")))
            }
            ItemKind::Constant(name, e) => {
                met(name) && !matches!(e.kind, ExprKind::Number(_) | ExprKind::Bool(_))
            }
            ItemKind::Define(name, ..) => met(name),
            _ => false,
        }
    }

    /// Whether the text of the page mentions a function that its author has described.
    fn is_spoken_of(&self, page: &Page, item: &crate::ast::Item) -> bool {
        match &item.kind {
            ItemKind::Define(name, ..) => {
                let known = item.doc.as_deref().is_some_and(describes) && name.text.len() > 3;
                let word = name.text.replace('_', " ");
                let ends = [" ", ".", ",", ";", ":", ")"];
                known && ends.iter().any(|end| page.says(&format!(" {word}{end}")))
            }
            _ => false,
        }
    }

    fn meaning(&self, doc: Option<String>, span: crate::source::Span, kind: &ItemKind) -> Vec<Part> {
        let words = self.words();
        let doc = doc.filter(|doc| describes(doc));
        let mut inside = self.comments.inside(span);
        inside.retain(|note| doc.as_ref() != Some(note));
        let entry = |head: String, text: &str| vec![Part::Entry(headed(&head), sentence(text))];
        match kind {
            ItemKind::Constant(name, e) => {
                let value = words.value(e);
                let text = match doc {
                    Some(doc) if count(&value) <= 10 => format!("{value}. {}", sentence(&doc)),
                    Some(doc) => doc,
                    None => value,
                };
                entry(words.name(&name.text), &text)
            }
            ItemKind::Kind(name, ty) => {
                let what = match &ty.kind {
                    TypeKind::Symbols(symbols) => {
                        let symbols: Vec<String> =
                            symbols.iter().map(|symbol| symbol.text.replace('_', " ")).collect();
                        format!("one of {}", join_with(&symbols, "and"))
                    }
                    _ => words.one(ty),
                };
                let about = doc.map_or(String::new(), |doc| format!(". {}", sentence(&doc)));
                entry(words.name(&name.text), &format!("{what}{about}"))
            }
            ItemKind::Define(name, params, e) => {
                let params: Vec<String> = params.iter().map(|param| words.name(&param.text)).collect();
                let claim = self.facts.claims.contains(&name.text);
                let head = match claim {
                    true if params.is_empty() => words.noun(&name.text),
                    true => format!("{} for {}", words.noun(&name.text), join_with(&params, "and")),
                    false => words.own_call(&name.text, &params),
                };
                match doc {
                    Some(doc) => entry(head, &doc),
                    None => formula(&words, head, e, claim),
                }
                .into_iter()
                .chain(inside.into_iter().map(|note| Part::Entry(String::new(), sentence(&note))))
                .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Formats the head of an explanation.
fn headed(head: &str) -> String {
    sentence(head).trim_end_matches('.').to_string()
}

/// Explains a function that has no describing comment; a function by cases takes a line per case.
fn formula(words: &Words, head: String, e: &Expr, claim: bool) -> Vec<Part> {
    let head = headed(&head);
    let told = |e: &Expr| if claim { words.clause(e, true) } else { words.value(e) };
    let mut lines = Vec::new();
    match &e.kind {
        ExprKind::If(arms, otherwise) => {
            for (cond, value) in arms {
                lines.push(format!("if {}: {}", words.clause(cond, true), told(value)));
            }
            lines.push(format!("otherwise: {}", told(otherwise)));
        }
        ExprKind::Case(what, arms, otherwise) => {
            let what = words.value(what);
            for (when, value) in arms {
                lines.push(format!("if {what} is {}: {}", join_with(&words.values(when), "or"), told(value)));
            }
            lines.extend(otherwise.iter().map(|value| format!("otherwise: {}", told(value))));
        }
        _ => {}
    }
    if !lines.is_empty() {
        let lines = lines.iter().map(|text| Line { depth: 0, text: sentence(text) });
        return vec![Part::Entry(head, "as follows.".to_string()), Part::Outline(lines.collect())];
    }
    let text = if claim { format!("this holds when {}", told(e)) } else { told(e) };
    match super::statements::parts(e, true).filter(|_| count(&text) > 34) {
        Some((all, parts)) if claim => {
            let holds =
                if all { "this holds when all of these do:" } else { "this holds when one of these does:" };
            let line =
                |(part, holds): (&Expr, bool)| Line { depth: 0, text: sentence(&words.clause(part, holds)) };
            vec![Part::Entry(head, holds.to_string()), Part::Outline(parts.into_iter().map(line).collect())]
        }
        _ => vec![Part::Entry(head, sentence(&text))],
    }
}

/// Words used on the sheet, and the explanation that is added for them.
const GLOSSARY: &[(&[&str], &str)] = &[
    (&["a set of", "sets of"], "A set holds things in no particular order, each of them only once."),
    (
        &["a bag of", "bags of"],
        "A bag holds things in no particular order; the same thing may be in it several times.",
    ),
    (
        &["run-lengths"],
        "Run-lengths are the lengths of the stretches of equal neighbours: those of 0,0,1,0 are 2,1,1.",
    ),
    (
        &["hex neighbour"],
        "A square has six hex neighbours: those to its left and right, the one above it and the one to the right of that, the one below it and the one to the left of that.",
    ),
    (
        &[" columns on from "],
        "Rows are counted downwards, columns to the right; negative numbers go the other way.",
    ),
    (&["coprime"], "Coprime numbers have no common divisor except 1."),
    (
        &["share a factor", "shares a factor"],
        "Numbers share a factor if one greater than 1 divides them both.",
    ),
    (
        &["Fibonacci"],
        "The Fibonacci numbers are 0, 1, 2, 3, 5, 8, 13 and so on, each the sum of the two before it.",
    ),
    (
        &["in secret and at the same time"],
        "Secret choices are revealed once everybody has chosen, and carried out in seat order.",
    ),
    (
        &[" rounded down"],
        "To round down is to take the next whole number below: 7 divided by 2, rounded down, is 3.",
    ),
    (&["straight line"], "A straight line runs along a row, a column or a diagonal, without gaps."),
];

/// Whether turns continue until something else ends the match.
fn endless(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Turns { before: None, after: None, stuck: None, .. })
}

/// Whether a statement lets somebody win in any case.
fn always_wins(stmt: &Stmt) -> bool {
    let all = |block: &Block| block.stmts.iter().any(always_wins);
    match &stmt.kind {
        StmtKind::Win(_) => true,
        StmtKind::If(arms, Some(otherwise)) => arms.iter().all(|(_, block)| all(block)) && all(otherwise),
        _ => false,
    }
}

/// Whether a statement makes somebody win.
fn wins(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Win(_) | StmtKind::WinWhen(..))
}

/// Whether a statement lets somebody win other than all players together.
fn wins_alone(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Win(who) | StmtKind::WinWhen(who, _) => {
            !matches!(&who.kind, ExprKind::Name(name) if name == "players")
        }
        _ => false,
    }
}

/// Whether a statement, or one nested in it, leaves something to chance.
pub(super) fn draws(stmt: &Stmt) -> bool {
    within(stmt, &|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Chance(..) | StmtKind::Draw(..) | StmtKind::Deal(..) | StmtKind::Shuffle(_)
        )
    })
}

/// Whether a statement, or one nested in it, satisfies a predicate.
pub(super) fn within(stmt: &Stmt, is: &dyn Fn(&Stmt) -> bool) -> bool {
    let inside = |block: &Block| block.stmts.iter().any(|stmt| within(stmt, is));
    is(stmt)
        || match &stmt.kind {
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
                format!("whoever has the {way} {}", words.noun(&name.text))
            }
            // The formula follows the sentence.
            _ => format!("whoever has the {way} value"),
        }
    };
    let formula = |e: &Expr| match &e.kind {
        ExprKind::Name(name) if name == "score" => None,
        ExprKind::Field(who, _) if matches!(&who.kind, ExprKind::Name(me) if me == "me") => None,
        _ => Some(words.value(e)),
    };
    let verb = if winner.loser { "loses" } else { "wins" };
    let all = match &winner.by {
        WinnerBy::LastMover if winner.loser => format!("the last player to move {verb}"),
        WinnerBy::LastMover => {
            format!("the last player to move {verb}; if nobody has moved, nobody {verb}")
        }
        WinnerBy::LastIn => format!("whoever is still in at the end {verb}"),
        WinnerBy::Best(keys) if words.facts.alone => {
            let aims = keys.iter().map(|(highest, e)| {
                let way = if *highest { "highest" } else { "lowest" };
                let what = match &e.kind {
                    ExprKind::Name(name) => words.noun(name),
                    ExprKind::Field(_, name) => words.noun(&name.text),
                    _ => "value".to_string(),
                };
                format!("the {way} {what}")
            });
            format!("the aim is {}", aims.collect::<Vec<_>>().join(", and next "))
        }
        WinnerBy::Best(keys) => {
            let mut text = format!("{} {verb}", keys.first().map(best).unwrap_or_default());
            for key in keys.iter().skip(1) {
                text.push_str(&format!("; in a tie, {}", best(key)));
            }
            if winner.then_last_mover {
                text.push_str("; in a tie, whoever made the last move of the match");
            }
            let share = if winner.loser { "lose together" } else { "share the win" };
            let still = if keys.len() > 1 || winner.then_last_mover { "still " } else { "" };
            text.push_str(&format!("; players who are {still}tied {share}"));
            text
        }
    };
    let others = if winner.loser { ", and everybody else wins" } else { "" };
    let mut out = sentence(&format!("{all}{others}"));
    if let WinnerBy::Best(keys) = &winner.by {
        for value in keys.iter().filter_map(|(_, e)| formula(e)) {
            out.push_str(&format!(" The value is {value}."));
        }
    }
    out
}
