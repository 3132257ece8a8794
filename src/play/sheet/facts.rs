//! The declarations of a file that affect the wording of its sheet.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ast::{File, ItemKind, TypeKind};
use crate::ir::{DIRECTIONS, Direction, Game};
use crate::source::Span;

/// The declarations of a file, indexed for wording.
#[derive(Default)]
pub(super) struct Facts<'a> {
    /// The types of the state, by name.
    pub states: HashMap<&'a str, &'a TypeKind>,
    /// The names of per-player state.
    pub own: Vec<&'a str>,
    /// The names of the rules.
    pub rules: Vec<&'a str>,
    /// The names of the seats.
    pub seats: Vec<&'a str>,
    /// Whether there is only ever one player.
    pub alone: bool,
    /// Whether the rules deal with sets.
    pub has_sets: bool,
    /// The names of the symbols.
    pub symbols: Vec<&'a str>,
    /// The names of the parts of tuples.
    pub parts: Vec<&'a str>,
    /// The names of the grids on the table.
    pub grids: Vec<&'a str>,
    /// The names that are bound to lines of squares.
    pub lines: HashSet<String>,
    /// The functions that return a Boolean.
    pub claims: HashSet<String>,
    /// The names that the sheet has used so far, whose meanings it must explain.
    pub used_names: RefCell<BTreeSet<String>>,
    /// The names of the functions.
    pub defined: Vec<&'a str>,
    /// The spans of calls that take a direction.
    pub directed: BTreeSet<Span>,
    /// The game's names of the eight directions, clockwise from north.
    pub directions: Vec<&'a str>,
    /// Other names that may be typed for directions, each with the game's name.
    other_names: Vec<(&'static str, &'a str)>,
}

impl<'a> Facts<'a> {
    pub fn new(text: &str, file: &'a File, game: &'a Game) -> Facts<'a> {
        let directions = DIRECTIONS.iter().map(|way| game.name_of(way).unwrap_or(way.name)).collect();
        let known = |way: &&Direction| game.name_of(way).is_some();
        let names = DIRECTIONS.iter().filter(known).flat_map(|way| [Some(way.name), way.also]).flatten();
        let other_names = |way: &Direction| {
            let name = game.name_of(way).unwrap_or(way.name);
            let free = |other: &&str| !game.symbols.iter().any(|symbol| symbol == other);
            [Some(way.name), way.also].into_iter().flatten().filter(free).map(move |other| (other, name))
        };
        let complete = DIRECTIONS.iter().all(|way| game.name_of(way).is_some());
        let mut facts = Facts {
            lines: names_of_lines(text),
            directions,
            other_names: DIRECTIONS.iter().filter(|_| complete).flat_map(other_names).collect(),
            directed: game.directed.clone(),
            alone: game.seats.max == Some(1),
            has_sets: ["set of", "sets of", "set(", "subsets(", "= {", "without(", "union("]
                .iter()
                .any(|word| text.contains(word)),
            ..Facts::default()
        };
        for item in &file.items {
            match &item.kind {
                ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                    for state in states {
                        facts.states.insert(&state.name.text, &state.ty.kind);
                        facts.symbols_of(&state.ty.kind);
                        let own = matches!(item.kind, ItemKind::EachPlayer(_));
                        if own {
                            facts.own.push(&state.name.text);
                        } else if matches!(state.ty.kind, TypeKind::Grid { .. }) {
                            facts.grids.push(&state.name.text);
                        }
                    }
                }
                ItemKind::Rule(name, ..) => facts.rules.push(&name.text),
                ItemKind::Define(name, ..) => facts.defined.push(&name.text),
                ItemKind::Kind(_, ty) => facts.symbols_of(&ty.kind),
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
            TypeKind::Tuple(parts) => {
                for part in parts {
                    self.parts.extend(part.name.iter().map(|name| name.text.as_str()));
                    self.symbols_of(&part.ty.kind);
                }
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

    /// Returns a typed symbol as the game prints it: `south` for `down`.
    pub fn printed<'t>(&'t self, typed: &'t str) -> &'t str {
        self.other_names.iter().find(|(other, _)| *other == typed).map_or(typed, |(_, name)| name)
    }

    /// Returns the name of a seat, from 1.
    pub fn seat(&self, number: usize) -> String {
        self.seats
            .get(number.wrapping_sub(1))
            .map_or(format!("player {number}"), |name| name.replace('_', " "))
    }
}

/// Finds the names that iterate over rows, columns, diagonals or lines: `line` in `line in rows(board)`.
fn names_of_lines(text: &str) -> HashSet<String> {
    let mut out = HashSet::new();
    for word in ["rows(", "columns(", "diagonals(", "lines("] {
        for (at, _) in text.match_indices(&format!(" in {word}")) {
            let name = text[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
            out.extend(name.map(str::to_string));
        }
    }
    out
}
