//! What everybody can notice: where two positions of one game differ for those who see only what is public.

use crate::eval::{Event, Machine, Position, Waiting, elements};
use crate::ir::{Sight, StateId, Value};
use crate::play::offered;

/// Something that is one way in one world and another way in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// The match goes on, somebody is asked for something, or chance decides.
    Next,
    /// The pass of a named loop, by its place around the choice.
    Pass(usize),
    /// The phases that play is in.
    Phase,
    /// The points of a seat.
    Points(usize),
    /// Whether a seat is in.
    In(usize),
    /// What is told of points: the reasons.
    Told,
    /// Whether a cell was revealed.
    Shown(usize),
    /// What stands in a cell that all see.
    Cell(usize),
}

/// A cell of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The piece of state.
    pub state: StateId,
    /// The seat that has it, from 0; nobody has what is on the table.
    pub owner: Option<usize>,
    /// Who sees it.
    pub sight: Sight,
}

/// The cells of every position of a match.
pub(super) fn cells(machine: &Machine) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (id, state) in machine.game.state.iter().enumerate() {
        let sight = state.sight;
        match state.per_player {
            true => cells.extend((0..machine.setup.players).map(|seat| Cell {
                state: id,
                owner: Some(seat),
                sight,
            })),
            false => cells.push(Cell { state: id, owner: None, sight }),
        }
    }
    cells
}

/// All that everybody can notice between two positions at a stop, or on the way to one. What the table shows and derived points
/// are made of public state alone, which the checker sees to.
pub(super) fn differences(machine: &Machine, cells: &[Cell], a: &Position, b: &Position) -> Vec<Notice> {
    let mut found = Vec::new();
    match (asked(machine, a), asked(machine, b)) {
        (here, there) if here != there => found.push(Notice::Next),
        (Some(_), Some(_)) => found.extend(passes(machine, a, b)),
        _ => {}
    }
    if a.phases != b.phases {
        found.push(Notice::Phase);
    }
    for seat in 0..machine.setup.players {
        if a.awards[seat] != b.awards[seat] {
            found.push(Notice::Points(seat));
        }
        if a.is_in[seat] != b.is_in[seat] {
            found.push(Notice::In(seat));
        }
    }
    if found.is_empty() && reasons(a) != reasons(b) {
        found.push(Notice::Told);
    }
    for (at, cell) in cells.iter().enumerate() {
        let public = cell.sight == Sight::Public;
        if !public && a.revealed[at] != b.revealed[at] {
            found.push(Notice::Shown(at));
        }
        if public && a.cells[at] != b.cells[at] {
            found.push(Notice::Cell(at));
        }
    }
    found
}

/// What is asked now, as people hear it: the seats, whether together, and the names of the moves; of a draw its name.
/// `None` on the way to a stop.
#[derive(PartialEq)]
pub(super) enum Asked<'g> {
    /// A choice.
    Choice(Vec<usize>, bool, Vec<&'g str>),
    /// A draw.
    Draw(&'g str),
    /// Nothing more.
    Over,
}

pub(super) fn asked<'g>(machine: &'g Machine, position: &Position) -> Option<Asked<'g>> {
    let game = &*machine.game;
    match &position.waiting {
        Waiting::Nothing => None,
        Waiting::Over => Some(Asked::Over),
        Waiting::Chance => machine.chance(position).map(|chance| Asked::Draw(&chance.name)),
        Waiting::Choice { choice, seats } => {
            let choice = &game.choices[*choice];
            let names =
                offered(machine, position).into_iter().map(|id| game.moves[id].name.as_str()).collect();
            Some(Asked::Choice(seats.clone(), choice.together, names))
        }
    }
}

/// The named loops around the choice whose passes differ.
fn passes(machine: &Machine, a: &Position, b: &Position) -> Vec<Notice> {
    let Some(choice) = machine.choice(a) else { return Vec::new() };
    let differs = |id: &usize| {
        let slot = machine.game.loops[*id].1;
        a.frame[slot] != b.frame[slot]
    };
    choice.loops.iter().filter(|id| differs(id)).map(|id| Notice::Pass(*id)).collect()
}

/// What was told on the way here: why points were given, what the rules say to all.
pub(super) fn reasons(position: &Position) -> Vec<&Event> {
    let told = position.events.iter().flatten();
    told.filter(|event| matches!(event, Event::Award(..) | Event::Said(None, _))).collect()
}

/// Whether a `reveal` shows everybody what differs: now, or on the way here.
pub(super) fn opened(cells: &[Cell], a: &Position, b: &Position) -> bool {
    let stands = cells.iter().enumerate().any(|(at, cell)| {
        cell.sight != Sight::Public && a.revealed[at] && b.revealed[at] && a.cells[at] != b.cells[at]
    });
    let told = |event: &Event| {
        let Event::Revealed(owner, name, value) = event else { return false };
        b.events.iter().flatten().any(|other| match other {
            Event::Revealed(whose, called, shown) => (whose, called) == (owner, name) && shown != value,
            _ => false,
        })
    };
    stands || a.events.iter().flatten().any(told)
}

/// Whether the thing itself that differs, one of `things` or its counterpart, was turned up: it came to a place that all see, where it
/// was not before, and it is in no secret state of a player any more.
pub(super) fn turned_up(
    cells: &[Cell],
    before: &Position,
    (a, b): (&Position, &Position),
    things: &[(Value, Value)],
) -> bool {
    let more = |at: usize, x: &Value, y: &Value| {
        let (here, there) = (&a.cells[at], &b.cells[at]);
        times(here, x) > times(there, x) && times(there, y) > times(here, y)
    };
    let in_place = |at: usize, x: &Value, y: &Value| in_place(&a.cells[at], &b.cells[at], x, y);
    let came = |at: usize, x: &Value, y: &Value| {
        let more =
            |of: &Position, thing: &Value| times(&of.cells[at], thing) > times(&before.cells[at], thing);
        more(a, x) || more(b, y)
    };
    let shown = |x: &Value, y: &Value| {
        cells.iter().enumerate().any(|(at, cell)| {
            cell.sight == Sight::Public && (in_place(at, x, y) || more(at, x, y) && came(at, x, y))
        }) && !cells
            .iter()
            .enumerate()
            .any(|(at, cell)| cell.sight == Sight::Owner && (in_place(at, x, y) || more(at, x, y)))
    };
    things.iter().any(|(x, y)| shown(x, y) || shown(y, x))
}

/// The seats that see a difference in secret state of their own.
pub(super) fn told_alone<'c>(
    cells: &'c [Cell],
    a: &'c Position,
    b: &'c Position,
) -> impl Iterator<Item = usize> + 'c {
    cells
        .iter()
        .enumerate()
        .filter(|(at, cell)| cell.sight == Sight::Owner && a.cells[*at] != b.cells[*at])
        .filter_map(|(_, cell)| cell.owner)
}

/// Whether one thing stands in a value where the other does in the other value.
fn in_place(here: &Value, there: &Value, x: &Value, y: &Value) -> bool {
    (here, there) == (x, y)
        || match (here, there) {
            (Value::List(a), Value::List(b)) => a.iter().zip(b.iter()).any(|(a, b)| in_place(a, b, x, y)),
            (Value::Grid(a), Value::Grid(b)) => {
                a.cells.iter().zip(&b.cells).any(|(a, b)| in_place(a, b, x, y))
            }
            (Value::Map(a), Value::Map(b)) => a.values().zip(b.values()).any(|(a, b)| in_place(a, b, x, y)),
            _ => false,
        }
}

/// How often a thing stands in a value.
fn times(value: &Value, thing: &Value) -> usize {
    if value == thing {
        return 1;
    }
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => {
            elements(value).iter().map(|part| times(part, thing)).sum()
        }
        Value::Grid(grid) => grid.cells.iter().map(|part| times(part, thing)).sum(),
        Value::Map(map) => map.values().map(|part| times(part, thing)).sum(),
        _ => 0,
    }
}
