//! One condition of the rules in words, as the sheet has it: for those who ask why a match is over.

use super::comments::{Comments, describes};
use super::facts::Facts;
use super::fill;
use super::page::unmarked;
use super::words::Words;
use crate::ast::{Block, Expr, File, ItemKind, Stmt, StmtKind, Until};
use crate::ir::{Game, Type};
use crate::play::Match;
use crate::source::Span;
use crate::syntax::layout::layout;
use crate::syntax::parse;

/// A condition that ends something, by its place: what its author says of it, where that describes it, else the condition itself.
pub(in crate::play) fn clause(played: &Match, cond: Span) -> Option<String> {
    let rules = &played.rules;
    let (mut file, _) = parse(&rules.source);
    let laid = layout(&rules.source);
    let comments = Comments::new(&laid.masked, &laid.comments);
    if let Some((_, note)) = comments.behind(cond).filter(|(_, note)| describes(note)) {
        return Some(unmarked(note.trim_end_matches('.'), ("", ""), ("", "")));
    }
    let options = played.options().map(|(_, value)| value.clone()).enumerate().collect();
    fill::fill(&mut file, &rules.game, &options, Some(played.players()));
    let facts = facts(&laid.masked, &file, &rules.game);
    let words = Words { me: "the player", ..Words::new(&facts) };
    let found = conditions(&file).into_iter().find(|e| e.span == cond);
    found.map(|e| unmarked(&words.claim(e, true), ("", ""), ("", "")))
}

fn facts<'f>(text: &str, file: &'f File, game: &'f Game) -> Facts<'f> {
    let mut facts = Facts::new(text, file, game);
    let claims = game.functions.iter().filter(|function| function.lambda.body.ty == Type::Bool);
    facts.claims.extend(claims.map(|function| function.name.clone()));
    facts
}

/// The conditions of a file that end something, or decide whether something is done.
fn conditions(file: &File) -> Vec<&Expr> {
    fn stmt<'f>(s: &'f Stmt, out: &mut Vec<&'f Expr>) {
        let until = |until: &'f Option<Until>| match until {
            Some(Until::Cond(cond)) => Some(cond),
            _ => None,
        };
        match &s.kind {
            StmtKind::EndWhen(cond) | StmtKind::WinWhen(_, cond) => out.push(cond),
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
