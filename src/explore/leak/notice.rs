//! What everybody can observe: how two positions of one game differ for those who see only public
//! information.

use crate::eval::{Event, Machine, Position, Waiting, elements};
use crate::ir::{Sight, StateId, Value};
use crate::play::offered;

/// Something observable that differs between two worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// What comes next: the match is over, somebody is asked for something, or chance decides.
    Next,
    /// The counter of a named loop around the choice, by the loop's id.
    Pass(usize),
    /// The phases that play is in.
    Phase,
    /// The awarded points of a seat.
    Points(usize),
    /// Whether a seat is in.
    In(usize),
    /// What is announced: reasons for points, and messages to everybody.
    Told,
    /// Whether a cell was revealed.
    Shown(usize),
    /// The value of a public cell.
    Cell(usize),
}

/// A cell of a position: one piece of state, or one seat's copy of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The piece of state.
    pub state: StateId,
    /// The seat that owns it, from 0; `None` for shared state.
    pub owner: Option<usize>,
    /// Who sees it.
    pub sight: Sight,
}

/// Returns the cells of every position of a match, in the order of [`Position::cells`].
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

/// Returns everything that everybody can observe to differ between two positions, at a stop or on the way to
/// one. The shown table and derived scores need no comparison: the checker ensures that they depend on public
/// state only.
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

/// What is asked at a stop, as players perceive it.
#[derive(PartialEq)]
pub(super) enum Asked<'g> {
    /// A choice: the seats, whether it is joint, and the names of the moves.
    Choice(Vec<usize>, bool, Vec<&'g str>),
    /// A draw, by its name.
    Draw(&'g str),
    /// Nothing: the match is over.
    Over,
}

/// Returns what is asked in a position; `None` on the way to a stop.
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

/// Returns the named loops around the choice whose counters differ.
fn passes(machine: &Machine, a: &Position, b: &Position) -> Vec<Notice> {
    let Some(choice) = machine.choice(a) else { return Vec::new() };
    let differs = |id: &usize| {
        let slot = machine.game.loops[*id].1;
        a.frame[slot] != b.frame[slot]
    };
    choice.loops.iter().filter(|id| differs(id)).map(|id| Notice::Pass(*id)).collect()
}

/// Returns what was announced on the way to this position: reasons for points, and messages to everybody.
pub(super) fn reasons(position: &Position) -> Vec<&Event> {
    let told = position.events.iter().flatten();
    told.filter(|event| matches!(event, Event::Award(..) | Event::Said(None, _))).collect()
}

/// Whether a `reveal` shows everybody the difference, now or on the way here.
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

/// Whether the differing thing itself, one of `things` or its counterpart, was turned up: it came to a public
/// place where it was not before, and is in no player's secret state any more.
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

/// Returns the seats that see a difference in secret state of their own.
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

/// Whether `x` stands in one value exactly where `y` stands in the other.
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

/// Returns how often a thing occurs in a value.
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
