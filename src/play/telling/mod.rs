//! Reports of a step of a match: choices, automatic events, changes and the reasons for points.
//!
//! A report is built only from what one viewer sees before and after the step and from public events, so it
//! never reveals more than a view does. The texts are made here; `repl` lays out the screen.

mod again;
mod bookkeeping;
mod changes;
mod decisive;
mod ending;
mod opened;
mod places;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use super::args::{in_words, spoken};
use super::{Begun, Entry, Event, Match, Viewer, drawing};
use crate::eval::text;
use crate::ir::{ChanceKind, Expr, ExprKind, Game, Op, Sight, StateId, Value, children, draw_is_public};
use crate::num::Int;
use crate::syntax::parse;

pub use ending::{EndedBy, decisive_squares, each_statement_of, ended_by, standings, why_over};
pub use opened::is_known;
pub use places::whereabouts;
pub use words::does;
pub(super) use words::to_be;

/// The text for a value that is `none` or unset.
const NOTHING: &str = "_";

/// A visible piece of state: owner (from 1; 0 is the table), id and value.
type Piece = (usize, StateId, Value);

/// What a viewer knows of a match at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glimpse {
    viewer: Viewer,
    /// The visible pieces of state.
    pieces: Vec<Piece>,
    /// The table as shown by the rules; `None` if showing it faults.
    table: Option<String>,
    scores: Option<Vec<Int>>,
    phases: Vec<String>,
    /// The named loops, outermost first, and the text of their current values.
    passes: Vec<(String, String)>,
    /// The number of entries (choices and draws) so far; `events` is the number of events so far.
    entries: usize,
    events: usize,
}

impl Glimpse {
    /// Makes [`tell`] report all entries and events since the start; the state counts as unchanged.
    pub fn blank(self) -> Glimpse {
        Glimpse { entries: 0, events: 0, ..self }
    }

    /// Returns the number of choices and draws before it.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Whether the viewer now sees something that is new and that not everybody sees.
    pub fn has_private_news(&self, played: &Match) -> bool {
        let public = played.pieces(Viewer::Spectator);
        let seen = |(owner, id, value): &(usize, StateId, &Value)| {
            self.pieces.iter().any(|piece| (piece.0, piece.1, &piece.2) == (*owner, *id, *value))
        };
        played.pieces(self.viewer).iter().any(|piece| !public.contains(piece) && !seen(piece))
    }

    /// Returns what a viewer knows now.
    pub fn of(played: &Match, viewer: Viewer) -> Glimpse {
        let (phases, passes) = played.place();
        let pieces = played.pieces(viewer).into_iter();
        let (entries, events) = played.counts();
        Glimpse {
            viewer,
            pieces: pieces.map(|(owner, id, value)| (owner, id, value.clone())).collect(),
            table: played.show().ok(),
            scores: played.scores().ok().flatten(),
            phases,
            passes,
            entries,
            events,
        }
    }
}

/// The report of a step, in sentences without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Telling {
    /// What happened and what it changed, in the order of the match.
    pub course: Vec<Told>,
    /// Whether the shown table changed.
    pub table: bool,
    /// All players' points, if they changed.
    pub points: Option<Vec<Int>>,
    /// Why the match is over, if it is.
    pub end: Vec<String>,
}

/// A part of what happened in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A choice: its number among the entries of the match, and the choice with who made it.
    Choice(usize, String),
    /// A draw: its number among the entries of the match, and its outcome.
    Draw(usize, String),
    /// A message, revealed values, points and their reasons, seats that are out or passed over.
    Event(String),
    /// A message to a player (from 1) alone.
    Private(usize, String),
    /// Something on the table was complete and is cleared away before anybody saw it: the state with it, for
    /// [`Match::with_cells`].
    Cleared(Arc<[Value]>),
    /// A change that the table does not show. All of a step stand before what follows when a phase or a loop begins anew.
    Change(String),
    /// A phase or a round that begins.
    Begins(String),
}

impl Told {
    /// Returns the sentence; `None` for a table.
    pub fn words(&self) -> Option<&str> {
        match self {
            Told::Choice(_, words)
            | Told::Draw(_, words)
            | Told::Event(words)
            | Told::Private(_, words)
            | Told::Change(words)
            | Told::Begins(words) => Some(words),
            Told::Cleared(_) => None,
        }
    }
}

impl Telling {
    /// Returns what happened in the order of the match, with the choices if `choices` is set. Draws and events of which
    /// several are told alike are told once, with their number. `table` draws a table that was cleared away.
    pub fn lines(&self, choices: bool, table: &dyn Fn(&[Value]) -> String) -> Vec<String> {
        let mut lines: Vec<(String, usize)> = Vec::new();
        for told in &self.course {
            match told {
                Told::Choice(..) if !choices => {}
                Told::Draw(_, words) | Told::Event(words) | Told::Private(_, words) => match lines.last_mut()
                {
                    Some((last, times)) if *times > 0 && last == words => *times += 1,
                    _ => lines.push((words.clone(), 1)),
                },
                Told::Cleared(cells) => lines.push((table(cells), 0)),
                Told::Choice(_, words) | Told::Change(words) | Told::Begins(words) => {
                    lines.push((words.clone(), 0));
                }
            }
        }
        lines.into_iter().map(|(words, times)| words::repeated(words, times)).collect()
    }
}

/// Reports what has happened since a glimpse of the same match.
pub fn tell(before: &Glimpse, played: &Match) -> Telling {
    let game = &played.rules.game;
    let after = Glimpse::of(played, before.viewer);
    let made: Vec<MadeEntry> = (before.entries..)
        .map_while(|at| Some((at, played.entry(at)?)))
        .map(|(at, entry)| MadeEntry {
            entry,
            // Values revealed in the same step count as public.
            open: is_known(played, at),
            own: before.viewer == Viewer::Player(entry.player),
        })
        .collect();
    let events: Vec<(usize, &Event)> = played
        .events_after(before.events)
        .filter(|(_, event)| heard(event, before.viewer))
        .map(|(at, event)| (at.saturating_sub(before.entries), event))
        .collect();
    let unwritten = drawing::drawn_unwritten(played);
    let drawn = |glimpse: &Glimpse| -> Vec<Value> {
        let on_table = glimpse.pieces.iter().filter(|(_, id, _)| unwritten.contains(id));
        on_table.map(|(_, _, value)| value.clone()).collect()
    };
    let shown = shown_state(played);
    let cleared = |cells: &Arc<[Value]>| {
        let complete = Glimpse::of(&played.with_cells(cells), before.viewer);
        complete.pieces.iter().any(|piece| {
            shown.contains(&piece.1) && !before.pieces.contains(piece) && !after.pieces.contains(piece)
        })
    };
    let cleared = events.iter().position(|(_, event)| match event {
        Event::Began(_, Some(cells)) => cleared(cells),
        _ => false,
    });
    let (file, _) = parse(&played.rules.source);
    let plain = changes::Plain {
        shown,
        kept: {
            let mut kept = bookkeeping::bookkeeping(game);
            kept.extend(bookkeeping::notes_of_movers(game, &file));
            kept.extend(bookkeeping::notes_of_moves(game, &file));
            kept
        },
        reset: reset_state(played, &before.passes, &after.passes),
        revealed: events.iter().filter_map(|(_, event)| revealed(event)).collect(),
        // Secret choices of others explain nothing to the viewer.
        made: made.iter().filter(|made| made.open || made.own).map(|made| made.entry).collect(),
    };
    let begins = if played.over() { Vec::new() } else { places::begins(played, before, &after) };
    // Where something begins that sets state back, what changes from then on is told after that.
    let begun = events.iter().find_map(|(_, event)| match event {
        Event::Began(_, Some(cells)) if !begins.is_empty() => Some(cells),
        _ => None,
    });
    let between = begun.map(|cells| Glimpse::of(&played.with_cells(cells), before.viewer).pieces);
    let changed = |from: &[Piece], to: &[Piece]| changes::changes(game, before.viewer, (from, to), &plain);
    let (changed, later) = match &between {
        Some(between) => (changed(&before.pieces, between), changed(between, &after.pieces)),
        None => (changed(&before.pieces, &after.pieces), Vec::new()),
    };
    let mut course =
        course(played, &made, &events, Found { first: before.entries, cleared, changed, later, begins });
    course.extend(again::goes_again(played, &made, &events, &file).map(Told::Change));
    Telling {
        course,
        table: before.table != after.table || drawn(before) != drawn(&after),
        end: why_over(played),
        points: if before.scores == after.scores { None } else { after.scores },
    }
}

/// What is told of a step besides its choices, draws and events.
struct Found {
    /// The number of the step's first entry.
    first: usize,
    /// The event at which something was cleared away that is to be shown.
    cleared: Option<usize>,
    /// The changes that the table does not show.
    changed: Vec<String>,
    /// Those since something began.
    later: Vec<String>,
    /// The phases and passes that begin, outermost first.
    begins: Vec<(Begun, String)>,
}

/// A choice or a draw since a glimpse.
struct MadeEntry<'a> {
    entry: &'a Entry,
    /// Whether everybody may know by now what it was.
    open: bool,
    /// Whether it is the viewer's own choice.
    own: bool,
}

impl MadeEntry<'_> {
    fn told(&self, played: &Match) -> String {
        match self.entry.player > 0 && (self.open || self.own) {
            true => entry_in_full(played, self.entry),
            false => entry_told(played, self.entry).words,
        }
    }
}

/// Puts what happened in chronological order. Each event comes with the number of entries in `made` that precede it.
fn course(played: &Match, made: &[MadeEntry], events: &[(usize, &Event)], found: Found) -> Vec<Told> {
    let game = &played.rules.game;
    let mut out = Vec::new();
    let mut changed = Some(found.changed);
    let mut told = 0;
    let mut entries = |until: usize, out: &mut Vec<Told>| {
        let until = until.min(made.len());
        for (at, made) in made.iter().enumerate().take(until).skip(told) {
            out.push(match made.entry.player {
                0 => Told::Draw(found.first + at, made.told(played)),
                _ => Told::Choice(found.first + at, made.told(played)),
            });
        }
        told = until.max(told);
    };
    for (at, (before, event)) in events.iter().enumerate() {
        entries(*before, &mut out);
        let dropped = |seat: usize, next: Option<&(usize, &Event)>| matches!(next, Some((_, Event::Out(other))) if *other == seat);
        match event {
            Event::Began(begun, cells) => {
                if let Some(cells) = cells.as_ref().filter(|_| found.cleared == Some(at)) {
                    out.push(Told::Cleared(cells.clone()));
                }
                out.extend(changed.take().into_iter().flatten().map(Told::Change));
                let again =
                    |(_, later): &(usize, &Event)| matches!(later, Event::Began(other, _) if other == begun);
                if let Some((_, words)) = found.begins.iter().find(|(new, _)| new == begun)
                    && !events[at + 1..].iter().any(again)
                {
                    out.push(Told::Begins(words.clone()));
                }
            }
            Event::Stuck(seat, place) => {
                let name = game.seat_name(*seat);
                out.push(Told::Event(match dropped(*seat, events.get(at + 1)) {
                    true => format!("{name} has no legal move and is out"),
                    // A seat stuck at the end of the match is reported as part of the end.
                    false if played.over() && at + 1 == events.len() => continue,
                    false if ending::stuck_ends_turns(played, *place) => {
                        format!("{name} has no legal move, so these turns end")
                    }
                    false => format!("{name} has no legal move and is skipped"),
                }));
            }
            Event::Out(seat)
                if at > 0 && matches!(events[at - 1].1, Event::Stuck(other, _) if other == seat) => {}
            // The choice itself has just been reported to everybody.
            Event::Revealed(Some(seat), _, value)
                if made.iter().any(|made| {
                    let same = |(_, arg): &(String, Value)| text::spoken(game, arg) == *value;
                    made.entry.player == seat + 1 && made.open && made.entry.args.iter().any(same)
                }) => {}
            // There was no value to show.
            Event::Revealed(_, _, value) if value == NOTHING => {}
            Event::Said(Some(seat), words) => out.push(Told::Private(seat + 1, in_words(game, words))),
            event => out.extend(event_told(game, event).map(Told::Event)),
        }
    }
    entries(made.len(), &mut out);
    out.extend(changed.into_iter().flatten().chain(found.later).map(Told::Change));
    out
}

/// Returns the owner (from 1; 0 is the table) and name of the state that an event reveals.
fn revealed<'e>(event: &&'e Event) -> Option<(usize, &'e str)> {
    match event {
        Event::Revealed(owner, name, _) => Some((owner.map_or(0, |seat| seat + 1), name.as_str())),
        _ => None,
    }
}

/// Whether a viewer is told of an event.
fn heard(event: &Event, viewer: Viewer) -> bool {
    match event {
        Event::Said(Some(seat), _) => {
            matches!(viewer, Viewer::Everything) || viewer == Viewer::Player(seat + 1)
        }
        _ => true,
    }
}

// ---- choices, draws, events

/// Whether everybody may see a choice or draw when it is made.
fn is_open(played: &Match, entry: &Entry) -> bool {
    match entry.player {
        0 => draw_is_public(&played.rules.game, &entry.name),
        _ => !played.is_secret(entry),
    }
}

/// A choice or a draw in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryTold {
    /// The words.
    pub words: String,
    /// Whether the words leave out what was chosen or drawn.
    pub hidden: bool,
}

/// Describes a choice or a draw as everybody may see it when it is made.
pub fn entry_told(played: &Match, entry: &Entry) -> EntryTold {
    let game = &played.rules.game;
    let hidden = !is_open(played, entry);
    if entry.player > 0 {
        let words = match hidden {
            true => format!("{}: {} (secret)", game.seat_name(entry.player - 1), spoken(game, &entry.name)),
            false => entry_in_full(played, entry),
        };
        return EntryTold { words, hidden };
    }
    let value = drawn_in_full(played, entry);
    let name = entry.name.replace('_', " ");
    let kind = game.code.iter().find_map(|op| match op {
        Op::Chance(chance) if chance.name == entry.name => Some(&chance.kind),
        _ => None,
    });
    let deed = match kind {
        Some(ChanceKind::Shuffle(_)) => format!("{} shuffled", words::to_be(&name)),
        Some(ChanceKind::Draw(pile, _)) => {
            format!("is drawn from the {}", game.state[pile.state].name.replace('_', " "))
        }
        Some(ChanceKind::Deal(..)) => {
            let dealt = format!("dealt from the {name}");
            let words = if hidden { format!("{dealt}, face down") } else { format!("{dealt}: {value}") };
            return EntryTold { words, hidden };
        }
        _ if hidden => "is drawn".to_string(),
        _ => return EntryTold { words: format!("{name} {} {value}", words::to_be(&name)), hidden },
    };
    let words = match hidden {
        true => format!("{name} {deed}, face down"),
        false => format!("{name} {deed}: {value}"),
    };
    EntryTold { words, hidden }
}

/// Describes a choice (with its player) or a draw in full, without hiding anything.
pub fn entry_in_full(played: &Match, entry: &Entry) -> String {
    match entry.player {
        0 => format!("{} {}", entry.name.replace('_', " "), drawn_in_full(played, entry)),
        player => format!("{}: {}", played.rules.game.seat_name(player - 1), played.entry_words(entry)),
    }
}

/// Returns the outcome of a draw.
pub fn drawn_in_full(played: &Match, entry: &Entry) -> String {
    entry.args.first().map_or(String::new(), |(_, value)| text::spoken(&played.rules.game, value))
}

/// Describes an event in a sentence; `None` if it is shown otherwise.
pub fn event_told(game: &Game, event: &Event) -> Option<String> {
    Some(match event {
        Event::Award(seat, points, reason) => {
            let name = game.seat_name(*seat);
            let reason =
                reason.as_ref().map_or(String::new(), |reason| format!(": {}", in_words(game, reason)));
            let (verb, many) = match points.is_negative() {
                true => ("loses", Int::ZERO.sub(points)),
                false => ("scores", points.clone()),
            };
            let unit = if many == Int::ONE { "point" } else { "points" };
            format!("{name} {verb} {many} {unit}{reason}")
        }
        Event::Said(_, words) => in_words(game, words),
        Event::Stuck(seat, _) => format!("{} has no legal move", game.seat_name(*seat)),
        Event::Out(seat) => format!("{} is out", game.seat_name(*seat)),
        Event::Revealed(owner, name, value) => {
            let name = name.replace('_', " ");
            let whose = owner.map_or(String::new(), |seat| format!("{}'s ", game.seat_name(seat)));
            format!("{whose}{name} {} {value}", to_be(&name))
        }
        Event::Began(..) => return None,
    })
}

// ---- what need not be reported

/// Returns the state visible on the table: what the rules' `show` lines read, and what is drawn besides.
fn shown_state(played: &Match) -> HashSet<StateId> {
    let game = &played.rules.game;
    let mut out: HashSet<StateId> = drawing::drawn_unwritten(played).into_iter().collect();
    game.show.iter().for_each(|line| state_read(game, &line.text.body, &mut HashSet::new(), &mut out));
    out
}

/// Collects the state that an expression reads, also through functions; `known` holds those visited.
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

/// Whether an expression reads state that is not declared public.
pub fn reads_secret(game: &Game, e: &Expr) -> bool {
    let mut read = HashSet::new();
    state_read(game, e, &mut HashSet::new(), &mut read);
    read.into_iter().any(|state| game.state[state].sight != Sight::Public)
}

/// Returns the state that was reset because its loop began another pass.
fn reset_state(played: &Match, before: &[(String, String)], after: &[(String, String)]) -> HashSet<StateId> {
    let game = &played.rules.game;
    let pass = |of: &[(String, String)], name: &str| {
        of.iter().find(|(known, _)| known == name).map(|(_, n)| n.clone())
    };
    let anew = |state: &&crate::ir::State| {
        let Some((name, _)) = state.reset_by.and_then(|id| game.loops.get(id)) else { return false };
        pass(before, name) != pass(after, name)
    };
    game.state.iter().enumerate().filter(|(_, state)| anew(state)).map(|(id, _)| id).collect()
}
