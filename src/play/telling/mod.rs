//! What is told of a step of a match: what was done, what happened by itself, what changed, why there are points.
//!
//! All of it is made from what one viewer sees before and after, and from what is told to everybody: a telling never says more
//! than a view does. Words for a screen are made here, the screen itself is `repl`.

mod changes;
mod ending;
mod opened;
mod words;

use std::collections::HashSet;

use super::{Entry, Event, Match, Viewer, draw_is_open};
use crate::ast::{ItemKind, StmtKind};
use crate::eval::text;
use crate::ir::{ChanceKind, Expr, ExprKind, Game, Op, Sight, StateId, Value, children};
use crate::num::Int;
use crate::syntax::parse;

pub use ending::{standings, why_over};
pub use opened::is_known;
pub use words::phrased;

/// A piece of state that is seen: whose (from 1; 0 is the table), which, its value.
type Piece = (usize, StateId, Value);

/// What a viewer knows of a match at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glimpse {
    viewer: Viewer,
    /// What is seen.
    pieces: Vec<Piece>,
    /// The table as it is shown, where that is possible.
    table: Option<String>,
    scores: Option<Vec<Int>>,
    phases: Vec<String>,
    /// The named loops, outermost first, and their passes.
    passes: Vec<(String, String)>,
    /// How many choices and draws there were, and how many events.
    entries: usize,
    events: usize,
}

impl Glimpse {
    /// The same viewer before the match began: all that is there has been there, but nothing has happened.
    pub fn blank(self) -> Glimpse {
        Glimpse { entries: 0, events: 0, ..self }
    }

    /// What a viewer knows now.
    pub fn of(played: &Match, viewer: Viewer) -> Glimpse {
        let (phases, passes) = played.place();
        let pieces = played.pieces(viewer).into_iter();
        Glimpse {
            viewer,
            pieces: pieces.map(|(owner, id, value)| (owner, id, value.clone())).collect(),
            table: played.show().ok(),
            scores: played.scores().ok().flatten(),
            phases,
            passes,
            entries: played.entries().count(),
            events: played.events().count(),
        }
    }
}

/// What is told of a step, in sentences without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Telling {
    /// Who chose what.
    pub done: Vec<String>,
    /// What happened without a choice: draws, what was said and shown, who is out or passed over.
    pub happened: Vec<String>,
    /// Whether the table is shown otherwise than before.
    pub table: bool,
    /// What changed and the table does not show.
    pub changed: Vec<String>,
    /// Why points were won.
    pub awards: Vec<String>,
    /// Everybody's points, where they changed.
    pub points: Option<Vec<Int>>,
    /// Phases and rounds that begin.
    pub begins: Vec<String>,
    /// Why the match is over, if it is now.
    pub end: Vec<String>,
}

/// Tells what has happened since a glimpse of the same match.
pub fn tell(before: &Glimpse, played: &Match) -> Telling {
    let game = &played.rules.game;
    let after = Glimpse::of(played, before.viewer);
    let made: Vec<&Entry> = played.entries().skip(before.entries).collect();
    let events: Vec<(usize, &Event)> = played
        .events_in_order()
        .skip(before.events)
        .filter(|(_, event)| heard(event, before.viewer))
        .map(|(at, event)| (at.saturating_sub(before.entries), event))
        .collect();
    let told = |is: &dyn Fn(&Event) -> bool| -> Vec<String> {
        events.iter().filter(|(_, event)| is(event)).map(|(_, event)| event_told(game, event)).collect()
    };
    let choices = made.iter().filter(|entry| entry.player != 0);
    let plain = changes::Plain {
        shown: shown_state(game),
        reset: reset_state(played, &before.passes, &after.passes),
        revealed: events.iter().filter_map(|(_, event)| revealed(event)).collect(),
        // What others chose in secret makes nothing plain.
        made: made
            .iter()
            .copied()
            .filter(|entry| is_open(played, entry) || before.viewer == Viewer::Player(entry.player))
            .collect(),
    };
    Telling {
        done: choices.map(|entry| entry_told(played, entry)).collect(),
        happened: happened(played, &made, &events),
        table: before.table != after.table,
        changed: changes::changes(game, before.viewer, (&before.pieces, &after.pieces), &plain),
        awards: told(&|event| matches!(event, Event::Award(..))),
        begins: if played.over() { Vec::new() } else { begins(played, before, &after) },
        end: why_over(played),
        points: if before.scores == after.scores { None } else { after.scores },
    }
}

/// Draws and events in the order they came: each event stands with how many of the choices and draws came before it.
fn happened(played: &Match, made: &[&Entry], events: &[(usize, &Event)]) -> Vec<String> {
    let game = &played.rules.game;
    let mut out = Vec::new();
    let mut drawn = 0;
    let mut draws = |until: usize, out: &mut Vec<String>| {
        let until = until.min(made.len());
        let new = made[drawn.min(until)..until].iter().filter(|entry| entry.player == 0);
        out.extend(new.map(|entry| entry_told(played, entry)));
        drawn = until.max(drawn);
    };
    for (at, (before, event)) in events.iter().enumerate() {
        draws(*before, &mut out);
        let dropped = |seat: usize, next: Option<&(usize, &Event)>| matches!(next, Some((_, Event::Out(other))) if *other == seat);
        match event {
            Event::Award(..) => {}
            Event::Stuck(seat, place) => {
                let name = game.seat_name(*seat);
                match dropped(*seat, events.get(at + 1)) {
                    true => out.push(format!("{name} has no legal move and is out")),
                    // What ends the match is told with its end.
                    false if played.over() && at + 1 == events.len() => {}
                    false if ending::stuck_ends_turns(played, *place) => {
                        out.push(format!("{name} has no legal move, which ends these turns"));
                    }
                    false => out.push(format!("{name} has no legal move and is passed over")),
                }
            }
            Event::Out(seat)
                if at > 0 && matches!(events[at - 1].1, Event::Stuck(other, _) if other == seat) => {}
            // Everybody has just heard of the choice itself.
            Event::Revealed(Some(seat), _, value)
                if made.iter().any(|entry| {
                    let same = |(_, arg): &(String, Value)| text::words(game, arg) == *value;
                    entry.player == seat + 1 && is_open(played, entry) && entry.args.iter().any(same)
                }) => {}
            event => out.push(event_told(game, event)),
        }
    }
    draws(made.len(), &mut out);
    words::gather(&mut out);
    out
}

/// What an event shows: whose (from 1; 0 is the table), its name.
fn revealed<'e>(event: &&'e Event) -> Option<(usize, &'e str)> {
    match event {
        Event::Revealed(owner, name, _) => Some((owner.map_or(0, |seat| seat + 1), name.as_str())),
        _ => None,
    }
}

/// Whether a viewer hears of an event.
fn heard(event: &Event, viewer: Viewer) -> bool {
    match event {
        Event::Said(Some(seat), _) => {
            matches!(viewer, Viewer::Everything) || viewer == Viewer::Player(seat + 1)
        }
        _ => true,
    }
}

// ---- choices, draws, events

/// Whether everybody may read a choice or draw when it is made.
fn is_open(played: &Match, entry: &Entry) -> bool {
    match entry.player {
        0 => draw_is_open(&played.rules.game, &entry.name),
        _ => !played.is_secret(entry),
    }
}

/// A choice or a draw as everybody may read it when it is made.
pub fn entry_told(played: &Match, entry: &Entry) -> String {
    let game = &played.rules.game;
    let open = is_open(played, entry);
    if entry.player > 0 {
        let who = game.seat_name(entry.player - 1);
        return match open {
            true => format!("{who}: {}", played.entry_words(entry)),
            false => format!("{who}: {} (secret)", entry.name),
        };
    }
    let value = entry.args.first().map_or(String::new(), |(_, value)| text::words(game, value));
    let name = entry.name.replace('_', " ");
    let kind = game.code.iter().find_map(|op| match op {
        Op::Chance(chance) if chance.name == entry.name => Some(&chance.kind),
        _ => None,
    });
    match (kind, open) {
        (Some(ChanceKind::Shuffle(_)), true) => format!("{name} is shuffled: {value}"),
        (Some(ChanceKind::Shuffle(_)), false) => format!("{name} is shuffled, face down"),
        (Some(ChanceKind::Draw(..)), true) => format!("{name} is drawn: {value}"),
        (Some(ChanceKind::Deal(..)), true) => format!("{name} is dealt from: {value}"),
        (Some(ChanceKind::Deal(..)), false) => format!("{name} is dealt from, face down"),
        (_, true) => format!("{name} is {value}"),
        (_, false) => format!("{name} is drawn, face down"),
    }
}

/// What happened besides the choices, in a sentence.
pub fn event_told(game: &Game, event: &Event) -> String {
    match event {
        Event::Award(seat, points, reason) => {
            let name = game.seat_name(*seat);
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
            let (verb, many) = match points.is_negative() {
                true => ("loses", Int::ZERO.sub(points)),
                false => ("scores", points.clone()),
            };
            let unit = if many == Int::ONE { "point" } else { "points" };
            format!("{name} {verb} {many} {unit}{reason}")
        }
        Event::Said(_, words) => words.clone(),
        Event::Stuck(seat, _) => format!("{} has no legal move", game.seat_name(*seat)),
        Event::Out(seat) => format!("{} is out", game.seat_name(*seat)),
        Event::Revealed(None, name, value) => format!("{} is {value}", name.replace('_', " ")),
        Event::Revealed(Some(seat), name, value) => {
            format!("{}'s {} is {value}", game.seat_name(*seat), name.replace('_', " "))
        }
    }
}

// ---- what need not be told

/// The state that the rules' `show` reads: the table makes it plain.
fn shown_state(game: &Game) -> HashSet<StateId> {
    let mut out = HashSet::new();
    game.show.iter().for_each(|line| state_read(game, &line.text.body, &mut HashSet::new(), &mut out));
    out
}

/// The state that an expression reads, in functions too.
fn state_read(game: &Game, e: &Expr, known: &mut HashSet<usize>, out: &mut HashSet<StateId>) {
    match &e.kind {
        ExprKind::Table(state) | ExprKind::Own(state, _) => {
            out.insert(*state);
        }
        ExprKind::Call(function, _) if known.insert(*function) => {
            state_read(game, &game.functions[*function].lambda.body, known, out);
        }
        _ => {}
    }
    children(e, &mut |child| state_read(game, child, known, out));
}

/// Whether an expression reads state that is not public by itself.
pub fn reads_secret(game: &Game, e: &Expr) -> bool {
    let mut read = HashSet::new();
    state_read(game, e, &mut HashSet::new(), &mut read);
    read.into_iter().any(|state| game.state[state].sight != Sight::Public)
}

/// The state that a loop has started anew, its pass being another.
fn reset_state(played: &Match, before: &[(String, String)], after: &[(String, String)]) -> HashSet<StateId> {
    let game = &played.rules.game;
    let pass = |of: &[(String, String)], name: &str| {
        of.iter().find(|(known, _)| known == name).map(|(_, n)| n.clone())
    };
    let anew = |state: &&crate::ir::State| {
        let Some((name, _)) = state.each.and_then(|id| game.loops.get(id)) else { return false };
        pass(before, name) != pass(after, name)
    };
    game.state.iter().enumerate().filter(|(_, state)| anew(state)).map(|(id, _)| id).collect()
}

/// The phases that begin, and the pass of the outermost loop that goes on; turns are told by whose they are.
fn begins(played: &Match, before: &Glimpse, after: &Glimpse) -> Vec<String> {
    let mut out: Vec<String> = after
        .phases
        .iter()
        .filter(|phase| !before.phases.contains(phase))
        .map(|phase| format!("{} begins", phase.replace('_', " ")))
        .collect();
    let mut new = after
        .passes
        .iter()
        .filter(|pass| pass.0.chars().count() > 1 && !before.passes.contains(pass))
        .peekable();
    let turns = if new.peek().is_some() { names_of_turns(played) } else { HashSet::new() };
    out.extend(
        new.find(|(name, _)| !turns.contains(name))
            .map(|(name, pass)| format!("{} {pass} begins", name.replace('_', " "))),
    );
    out
}

/// What the file calls its `turns`.
fn names_of_turns(played: &Match) -> HashSet<String> {
    let (file, _) = parse(&played.rules.source);
    let mut out = HashSet::new();
    for item in &file.items {
        let (ItemKind::Play(block) | ItemKind::Rule(_, _, block)) = &item.kind else { continue };
        ending::each_statement(block, &mut |stmt| {
            if let StmtKind::Turns { label: Some(label), .. } = &stmt.kind {
                out.insert(label.text.clone());
            }
        });
    }
    out
}
