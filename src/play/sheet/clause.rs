//! Single conditions of the rules in the words of the sheet, used to explain why a match is over.

use super::comments::{Comments, describes};
use super::facts::Facts;
use super::fill;
use super::page::{prose, unmarked};
use super::words::Words;
use crate::ast::{
    BinaryOp, Block, CompareOp, Expr, ExprKind, File, ItemKind, Stmt, StmtKind, Until, Winner, WinnerBy,
};
use crate::ir::{Game, Move, MoveCheck, Type};
use crate::play::Match;
use crate::source::Span;
use crate::syntax::layout::layout;
use crate::syntax::parse;

/// A condition in words.
#[derive(Debug, Default)]
pub(in crate::play) struct Clause {
    /// The author's comment if it describes the condition, else the condition in words.
    pub said: String,
    /// Whether `said` names the elements for which the condition holds.
    pub of_elements: bool,
    /// The wording of each requested part; `None` if it is not in the condition.
    pub parts: Vec<Option<String>>,
}

/// Describes the condition at span `cond`, of which the part at `held` held, or did not if `holds` is false. `me` is the wording of `me`, if known;
/// `elements` are the rows for which its `some` holds; `parts` are spans of parts whose wording is wanted.
pub(in crate::play) fn clause(
    played: &Match,
    (cond, held): (Span, Span),
    holds: bool,
    me: Option<&str>,
    elements: &[Vec<String>],
    parts: &[Span],
) -> Option<Clause> {
    let rules = &played.rules;
    let (mut file, _) = parse(&rules.source);
    let laid = layout(&rules.source);
    let comments = Comments::new(&laid.masked, &laid.comments);
    let options = played.options().map(|(_, value)| value.clone()).enumerate().collect();
    fill::fill(&mut file, &rules.game, &options, Some(played.players()));
    let facts = facts(&laid.masked, &file, &rules.game);
    let words = Words { me: me.unwrap_or("the player"), ..Words::new(&facts) };
    let text = |text: &str| unmarked(text, ("", ""), ("", ""));
    let e = conditions(&file).into_iter().find(|e| e.span == cond);
    let name = |span: &Span| Some(text(&words.value(part(e?, *span)?)));
    let parts = parts.iter().map(name).collect();
    // A comment says what holds.
    let own = comments.behind(cond).map(|(_, note)| note).filter(|note| holds && describes(note));
    if let Some(note) = own.or_else(|| described(&file, &words, part(e?, held)?, holds)) {
        let said = within_a_sentence(&text(note.trim_end_matches('.')), &facts);
        return Some(Clause { said, of_elements: false, parts });
    }
    let e = part(e?, held)?;
    if let Some(said) = of_elements(&words, e, elements).filter(|_| holds) {
        return Some(Clause { said: text(&said), of_elements: true, parts });
    }
    let telling = if holds { without_identities(&words, e) } else { vec![e] };
    let said: Vec<String> = telling.into_iter().map(|e| words.clause(e, holds)).collect();
    Some(Clause { said: text(&said.join(" and ")), of_elements: false, parts })
}

/// Returns the conditions that must all hold for one to hold, without those that say that something is itself, as `me = fox` does of
/// fox; the condition itself if there are none of these.
fn without_identities<'e>(words: &Words, e: &'e Expr) -> Vec<&'e Expr> {
    fn conjuncts<'e>(e: &'e Expr, all: &mut Vec<&'e Expr>) {
        match &e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => [a, b].into_iter().for_each(|e| conjuncts(e, all)),
            _ => all.push(e),
        }
    }
    let is_identity = |e: &&Expr| match &e.kind {
        ExprKind::Compare(a, chain) => match chain.as_slice() {
            [(CompareOp::Equal, b)] => words.value(a) == words.value(b),
            _ => false,
        },
        _ => false,
    };
    let mut all = Vec::new();
    conjuncts(e, &mut all);
    let (same, telling): (Vec<&Expr>, Vec<&Expr>) = all.into_iter().partition(is_identity);
    if same.is_empty() || telling.is_empty() { vec![e] } else { telling }
}

/// Describes what the need of a move at `need` prefers, if it is one that only applies where possible and has no
/// reason of its own.
pub(in crate::play) fn preference(played: &Match, mv: &Move, need: Span) -> Option<String> {
    let cond = mv.checks.iter().find_map(|check| match check {
        MoveCheck::SoftNeed { cond, reason: None, span } if *span == need => Some(cond.span),
        _ => None,
    })?;
    let rules = &played.rules;
    let (file, _) = parse(&rules.source);
    let laid = layout(&rules.source);
    let note = Comments::new(&laid.masked, &laid.comments).behind(need).map(|(_, note)| note.to_string());
    let facts = facts(&laid.masked, &file, &rules.game);
    let params: Vec<&str> = mv.params.iter().map(|param| param.name.as_str()).collect();
    let words = Words { params: &params, ..Words::new(&facts) };
    let text = |text: &str| unmarked(text, ("", ""), ("", ""));
    Some(match note.filter(|note| describes(note)) {
        Some(note) => within_a_sentence(&text(note.trim_end_matches('.')), &facts),
        None => text(&words.clause(conditions(&file).into_iter().find(|e| e.span == cond)?, true)),
    })
}

/// Describes the value at span `key` that a winner rule compares: by its name if it has one, else in words.
pub(in crate::play) fn compared(played: &Match, key: Span) -> Option<String> {
    let rules = &played.rules;
    let (mut file, _) = parse(&rules.source);
    let options = played.options().map(|(_, value)| value.clone()).enumerate().collect();
    fill::fill(&mut file, &rules.game, &options, Some(played.players()));
    let laid = layout(&rules.source);
    let facts = facts(&laid.masked, &file, &rules.game);
    let words = Words { me: "the player", ..Words::new(&facts) };
    let keys = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Winner(Winner { by: WinnerBy::Best(keys), .. }) => Some(keys),
        _ => None,
    });
    let (_, e) = keys.flatten().find(|(_, e)| e.span == key)?;
    let me = |e: &Expr| matches!(&e.kind, ExprKind::Name(name) if name == "me");
    Some(match &e.kind {
        ExprKind::Field(who, name) if me(who) => name.text.replace('_', " "),
        ExprKind::Call(name, inside) if !words.is_word(&name.text) && inside.items.iter().all(me) => {
            name.text.replace('_', " ")
        }
        _ => {
            let text = unmarked(&words.value(e), ("", ""), ("", ""));
            text.strip_prefix("the ").map_or_else(|| format!("value of {text}"), str::to_string)
        }
    })
}

/// Returns the author's comment on the winner rule, if it is one sentence.
pub(in crate::play) fn winner_comment(played: &Match) -> Option<String> {
    let (file, _) = parse(&played.rules.source);
    let item = file.items.iter().find(|item| matches!(item.kind, ItemKind::Winner(_)))?;
    let doc = item.doc.as_deref().filter(|doc| describes(doc))?;
    let text = unmarked(&one_sentence(&prose(doc))?, ("", ""), ("", ""));
    Some(within_a_sentence(&text, &Facts::new("", &file, &played.rules.game)))
}

/// Adapts a comment for use within a sentence: lower-cases its first word unless that is a name.
fn within_a_sentence(comment: &str, facts: &Facts) -> String {
    let word = comment.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let name = facts.seats.contains(&word) || facts.symbols.contains(&word);
    let mut rest = comment.chars();
    match rest.next() {
        Some(first) if !name && !word.chars().skip(1).any(char::is_uppercase) && word != "I" => {
            first.to_lowercase().chain(rest).collect()
        }
        _ => comment.to_string(),
    }
}

/// Removes a comment's full stop; `None` if it has several sentences, which would not fit.
fn one_sentence(comment: &str) -> Option<String> {
    let comment = comment.trim_end_matches('.');
    (!comment.contains(". ")).then(|| comment.to_string())
}

/// Finds the part of an expression with this span.
fn part(e: &Expr, span: Span) -> Option<&Expr> {
    if e.span == span {
        return Some(e);
    }
    e.parts().into_iter().find_map(|e| part(e, span))
}

/// Returns the author's comment on a condition that is a call and holds, or not: `// Whether nobody can pay.` above `define
/// broke()`. Parameters in the comment are replaced by the arguments.
fn described(file: &File, words: &Words, e: &Expr, holds: bool) -> Option<String> {
    let (e, holds) = match &e.kind {
        ExprKind::Not(e) => (&**e, !holds),
        _ => (e, holds),
    };
    let ExprKind::Call(called, inside) = &e.kind else { return None };
    let (item, params) = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Define(name, params, _) if name.text == called.text => Some((item, params)),
        _ => None,
    })?;
    let doc = prose(item.doc.as_deref().filter(|doc| describes(doc))?);
    let mut doc = one_sentence(doc.strip_prefix("Whether ").unwrap_or(&doc))?;
    for (param, arg) in params.iter().zip(&inside.items) {
        let said = with_word(&doc, &param.text, &words.value(arg));
        // A comment must mention every parameter, and `a` would be confused with the article.
        if said == doc || param.text == "a" {
            return None;
        }
        doc = said;
    }
    Some(if holds { doc } else { format!("it is no longer the case that {doc}") })
}

/// Replaces each occurrence of a word in a text.
fn with_word(text: &str, word: &str, other: &str) -> String {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| letter(c) != letter(first)).unwrap_or(rest.len());
        out.push_str(if &rest[..end] == word { other } else { &rest[..end] });
        rest = &rest[end..];
    }
    out
}

/// Describes a `some` by the elements for which it holds: `Ann’s bulls are 4 and Ben’s bulls are 4`. Each
/// element is a row with a value for each name.
fn of_elements(words: &Words, e: &Expr, elements: &[Vec<String>]) -> Option<String> {
    const MANY: usize = 3;
    let ExprKind::Call(word, inside) = &e.kind else { return None };
    let name = |item: &'_ Expr| match &item.kind {
        ExprKind::Compare(what, _) => match &what.kind {
            ExprKind::Name(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    let names: Vec<String> = inside.items.iter().map(name).collect::<Option<_>>()?;
    let known = elements.iter().all(|row| row.len() == names.len());
    if word.text != "some" || !known || elements.is_empty() || elements.len() > MANY {
        return None;
    }
    let said = |row: &Vec<String>| {
        let called: Vec<(&str, &str)> =
            names.iter().map(String::as_str).zip(row.iter().map(String::as_str)).collect();
        let words = Words { called: &called, ..*words };
        let conds = [&inside.filter, &inside.body].into_iter().flatten();
        conds.map(|cond| words.clause(cond, true)).collect::<Vec<_>>().join(" and ")
    };
    let all: Vec<String> = elements.iter().map(said).collect();
    // A number does not say where it stands: `12 is at least 12`.
    let is_bare = |said: &String| {
        let first = said.split(' ').next().unwrap_or("");
        first.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '−' | ','))
    };
    (!all.iter().any(is_bare)).then(|| all.join(" and "))
}

fn facts<'f>(text: &str, file: &'f File, game: &'f Game) -> Facts<'f> {
    let mut facts = Facts::new(text, file, game);
    let claims = game.functions.iter().filter(|function| function.lambda.body.ty == Type::Bool);
    facts.claims.extend(claims.map(|function| function.name.clone()));
    facts
}

/// Returns the conditions in a file that end something, those of `if` statements, and what moves prefer.
fn conditions(file: &File) -> Vec<&Expr> {
    fn stmt<'f>(s: &'f Stmt, out: &mut Vec<&'f Expr>) {
        let until = |until: &'f Option<Until>| match until {
            Some(Until::Cond(cond)) => Some(cond),
            _ => None,
        };
        match &s.kind {
            StmtKind::EndWhen(cond) | StmtKind::WinWhen(_, cond) | StmtKind::NeedIfPossible(cond, _) => {
                out.push(cond);
            }
            StmtKind::If(arms, _) => out.extend(arms.iter().map(|(cond, _)| cond)),
            StmtKind::Repeat { until: end, .. } | StmtKind::Cycle { until: end, .. } => {
                out.extend(until(end))
            }
            StmtKind::Turns { before, after, .. } => {
                out.extend(until(before).into_iter().chain(until(after)))
            }
            _ => {}
        }
        s.blocks().into_iter().for_each(|inner| block(inner, out));
    }
    fn block<'f>(b: &'f Block, out: &mut Vec<&'f Expr>) {
        b.stmts.iter().for_each(|s| stmt(s, out));
    }
    let mut out = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Play(body) | ItemKind::Rule(_, _, body) => block(body, &mut out),
            ItemKind::Move(mv) => block(&mv.body, &mut out),
            ItemKind::Standing(s) => stmt(s, &mut out),
            _ => {}
        }
    }
    out
}
