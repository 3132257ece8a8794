//! Where play is: the current phases and passes of named loops, in nesting order.

use std::collections::HashSet;

use super::super::{Begun, Match};
use super::ending::each_statement;
use super::{Glimpse, to_be};
use crate::ast::{ItemKind, Stmt, StmtKind};
use crate::syntax::parse;

/// A phase or named loop of the rule file.
struct Named {
    name: String,
    /// Whether it is a phase.
    phase: bool,
    /// Whether it is a `turns` loop, whose passes are not reported: whose turn it is says the same.
    turns: bool,
}

/// Returns the phases and named loops of the rules in source order, so outer ones precede inner ones.
fn named(played: &Match) -> Vec<Named> {
    let (file, _) = parse(&played.rules.source);
    let mut out = Vec::new();
    let mut note = |stmt: &Stmt| {
        let name = match &stmt.kind {
            StmtKind::Phase(name, _) => Some(name),
            StmtKind::Each { label, .. }
            | StmtKind::Cycle { label, .. }
            | StmtKind::Repeat { label, .. }
            | StmtKind::Turns { label, .. } => label.as_ref(),
            _ => None,
        };
        let phase = matches!(stmt.kind, StmtKind::Phase(..));
        let turns = matches!(stmt.kind, StmtKind::Turns { .. });
        out.extend(name.map(|name| Named { name: name.text.clone(), phase, turns }));
    };
    for item in &file.items {
        if let ItemKind::Play(block) | ItemKind::Rule(_, _, block) = &item.kind {
            each_statement(block, &mut |stmt| note(stmt));
        }
    }
    out
}

/// Sorts phases and passes of loops, each with a sentence about it, by nesting.
fn nested(
    known: &[Named],
    phases: impl Iterator<Item = (String, String)>,
    passes: impl Iterator<Item = (String, String)>,
) -> Vec<(Begun, String)> {
    let at = |begun: &Begun| {
        let is = |named: &Named| match begun {
            Begun::Phase(name) => named.phase && named.name == *name,
            Begun::Pass(name) => !named.phase && named.name == *name,
        };
        known.iter().position(is).unwrap_or(known.len())
    };
    let mut all: Vec<(Begun, String)> = phases
        .map(|(name, said)| (Begun::Phase(name), said))
        .chain(passes.map(|(name, said)| (Begun::Pass(name), said)))
        .collect();
    // Names not found in the file come last, in their own order.
    all.sort_by_key(|(begun, _)| at(begun));
    all
}

/// Whether a loop's name is meant for people; one-letter names are not.
fn for_people(name: &str) -> bool {
    name.chars().count() > 1
}

/// Returns where play is, outermost first: `year 2`, `planting`. Loops with one-letter names are omitted.
pub fn whereabouts(played: &Match) -> Vec<String> {
    let (phases, passes) = played.place();
    let passes: Vec<(String, String)> = passes.into_iter().filter(|(name, _)| for_people(name)).collect();
    if phases.is_empty() && passes.is_empty() {
        return Vec::new();
    }
    let places = nested(
        &named(played),
        phases.into_iter().map(|name| (name.clone(), name.replace('_', " "))),
        passes.into_iter().map(|(name, pass)| (name.clone(), format!("{} {pass}", name.replace('_', " ")))),
    );
    places.into_iter().map(|(_, place)| place).collect()
}

/// Reports the phases that begin, and the new pass of the outermost loop other than `turns`.
pub(super) fn begins(played: &Match, before: &Glimpse, after: &Glimpse) -> Vec<(Begun, String)> {
    let phases: Vec<&String> = after.phases.iter().filter(|phase| !before.phases.contains(phase)).collect();
    let new: Vec<&(String, String)> =
        after.passes.iter().filter(|pass| for_people(&pass.0) && !before.passes.contains(pass)).collect();
    if phases.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let known = named(played);
    let turns: HashSet<&str> =
        known.iter().filter(|named| named.turns).map(|named| named.name.as_str()).collect();
    let pass = new.into_iter().find(|(name, _)| !turns.contains(name.as_str()));
    let begin = |what: String| format!("{what} {}", if to_be(&what) == "are" { "begin" } else { "begins" });
    nested(
        &known,
        phases.into_iter().map(|name| (name.clone(), begin(name.replace('_', " ")))),
        pass.into_iter()
            .map(|(name, pass)| (name.clone(), begin(format!("{} {pass}", name.replace('_', " "))))),
    )
}
