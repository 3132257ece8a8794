//! The diagnostics of leaks: who can tell, what about, from which observation, and where.

use super::notice::{self, Asked, Cell, Notice};
use super::parting::Parting;
use super::worlds::{Change, Parted, World, choice_words};
use crate::diag::{Code, Diagnostic};
use crate::eval::{Chosen, Event, Machine, Position, text};
use crate::explore::Step;
use crate::ir::{Game, MoveId, Sight, SquareAt, State, StateId, Value};
use crate::source::Span;

/// The most letters of a value that are shown.
const LETTERS: usize = 60;

/// Returns the diagnostic of two worlds that somebody can tell apart.
pub(super) fn leak(
    machine: &Machine,
    cells: &[Cell],
    world: &World,
    change: &Change,
    parted: &Parted,
    parting: &Parting,
) -> Option<Diagnostic> {
    let game = &machine.game;
    let at = parted.steps.len() - 1;
    let (first, second) = (&world.positions[at + 1], &parted.after);
    let who = match &parted.options {
        Some(options) => game.seat_name(options.seat),
        None => those_who_do_not_know(machine, &parted.knows),
    };
    let of = match parting.secrets.first() {
        Some(cell) => owned(game, &cells[*cell]),
        None => source(game, change, world),
    };
    let message = format!("{who} can tell something about {of}, which no `reveal` has shown");
    let clauses = |notice: Notice, first: &Position, second: &Position| {
        (clause(machine, cells, notice, first, second), clause(machine, cells, notice, second, first))
    };
    let (here, there) = match (&parted.options, &parting.at_once) {
        (Some(options), _) => (options.first.clone(), options.second.clone()),
        (None, Some((notice, first, second))) => clauses(*notice, first, second),
        (None, None) => clauses(*parted.notices.first()?, first, second),
    };
    let label = format!("{here}; had {}: {there}", instead(game, change, world));
    let mut diagnostic = Diagnostic::new(Code::Leak, parting.span, message, label);
    if let Some(cell) = parting.secrets.first() {
        let state = &game.state[cells[*cell].state];
        diagnostic = diagnostic.also(state.span, who_sees(state));
    }
    if let Some((Notice::Cell(cell), ..)) = parting.at_once {
        diagnostic = diagnostic.also(game.state[cells[cell].state].span, "everybody sees this");
    }
    Some(diagnostic.help(HELP))
}

const HELP: &str = "`reveal` it first, or let this depend only on what everybody may know; if the game gives this away on \
     purpose, write `// means it` at the end of the line";

/// Returns the diagnostic of a choice that is announced although it is stored in secret state.
pub(super) fn told(machine: &Machine, mv: MoveId, (state, span): (StateId, Span)) -> Diagnostic {
    let game = &machine.game;
    let (mv, state) = (&game.moves[mv], &game.state[state]);
    let message = format!(
        "everybody is told what is chosen in `{}`, but `{}`, which stores it, is {}",
        mv.name,
        state.name,
        if state.sight == Sight::Owner { "secret" } else { "hidden" }
    );
    let label = "everybody is told, because the move is not secret";
    Diagnostic::new(Code::Leak, span, message, label).also(state.span, who_sees(state)).help(format!(
        "write `secret move {}`, or `reveal {}` before anything else is asked",
        mv.name, state.name
    ))
}

/// Names the seats that may not know.
fn those_who_do_not_know(machine: &Machine, knows: &[usize]) -> String {
    let others: Vec<usize> = (0..machine.setup.players).filter(|seat| !knows.contains(seat)).collect();
    match others[..] {
        [seat] => machine.game.seat_name(seat),
        _ if knows.is_empty() => "everybody".to_string(),
        _ => "everybody else".to_string(),
    }
}

/// Names a piece of state with its owner.
fn owned(game: &Game, cell: &Cell) -> String {
    owned_at(game, cell, "")
}

/// Names a place in a piece of state, such as `[b3]`, with its owner.
fn owned_at(game: &Game, cell: &Cell, place: &str) -> String {
    let name = &game.state[cell.state].name;
    match cell.owner {
        Some(seat) => format!("{}'s `{name}{place}`", game.seat_name(seat)),
        None => format!("`{name}{place}`"),
    }
}

/// Names what differs, if that is not in state.
fn source(game: &Game, change: &Change, world: &World) -> String {
    match (&world.steps[change.at], change.seat) {
        (Step::Choice(picks), Some(seat)) => {
            let mv = picks.iter().find(|(who, _)| *who == seat).map_or(0, |(_, pick)| pick.mv);
            format!("what {} chose in `{}`", game.seat_name(seat), game.moves[mv].name)
        }
        (Step::Chance(name, _), _) => format!("how `{name}` came out"),
        _ => "a secret".to_string(),
    }
}

/// Describes the alternative in the second world.
fn instead(game: &Game, change: &Change, world: &World) -> String {
    match (&world.steps[change.at], &change.step, change.seat) {
        (Step::Choice(one), Step::Choice(other), Some(seat)) => {
            let words = |picks: &[(usize, Chosen)]| {
                let pick = picks.iter().find(|(who, _)| *who == seat);
                pick.map_or(String::new(), |(_, pick)| clipped(&choice_words(game, pick)))
            };
            format!("{} chosen `{}` instead of `{}`", game.seat_name(seat), words(other), words(one))
        }
        (Step::Chance(name, _), ..) => match change.things.pairs.first() {
            Some((x, y)) => {
                let (x, y) = (clipped(&text::words(game, x)), clipped(&text::words(game, y)));
                format!("`{name}` come out with {y} instead of {x}")
            }
            None => format!("`{name}` come out differently"),
        },
        _ => "something secret been different".to_string(),
    }
}

/// Describes an observation as it is in one of the worlds.
fn clause(
    machine: &Machine,
    cells: &[Cell],
    notice: Notice,
    position: &Position,
    other: &Position,
) -> String {
    let game = &*machine.game;
    match notice {
        Notice::Next => match notice::asked(machine, position) {
            Some(Asked::Choice(seats, _, names)) => {
                let seats: Vec<String> = seats.into_iter().map(|seat| game.seat_name(seat)).collect();
                let verb = if seats.len() == 1 { "is" } else { "are" };
                format!("{} {verb} asked for `{}`", seats.join(" and "), names.join("` or `"))
            }
            Some(Asked::Draw(name)) => format!("chance decides `{name}`"),
            Some(Asked::Over) => "the match is over".to_string(),
            None => "play goes on".to_string(),
        },
        Notice::Pass(id) => {
            let (name, slot) = &game.loops[id];
            format!("`{name}` is {}", text::words(game, &position.frame[*slot]))
        }
        Notice::Phase => match position.phases.last() {
            Some(phase) => format!("the phase is `{phase}`"),
            None => "there is no phase".to_string(),
        },
        Notice::Points(seat) => format!("{} has {} points", game.seat_name(seat), position.awards[seat]),
        Notice::In(seat) => {
            format!("{} is {}", game.seat_name(seat), if position.is_in[seat] { "in" } else { "out" })
        }
        Notice::Told => {
            let reasons = notice::reasons(position).into_iter().map(|event| match event {
                Event::Award(_, _, Some(why)) => format!("“{why}”"),
                Event::Said(_, said) => format!("“{said}”"),
                Event::Award(seat, points, None) => format!("{points} for {}", game.seat_name(*seat)),
                _ => String::new(),
            });
            let reasons: Vec<String> = reasons.collect();
            match reasons.as_slice() {
                [] => "nothing is announced".to_string(),
                _ => format!("{} is announced", clipped(&reasons.join(", "))),
            }
        }
        Notice::Shown(cell) => {
            let shown = if position.revealed[cell] { "is" } else { "is not" };
            format!("{} {shown} revealed", owned(game, &cells[cell]))
        }
        Notice::Cell(cell) => value_words(game, &cells[cell], &position.cells[cell], &other.cells[cell]),
    }
}

/// Describes a piece of state in one of the worlds; of a grid or map, only the first place that differs in
/// the other.
fn value_words(game: &Game, cell: &Cell, here: &Value, there: &Value) -> String {
    let differs = match (here, there) {
        (Value::Grid(here), Value::Grid(there)) => {
            let at = here.cells.iter().zip(&there.cells).position(|(here, there)| here != there);
            at.map(|at| {
                let part = |at: usize| u32::try_from(at).map_or(1, |at| at + 1);
                let columns = here.columns.max(1) as usize;
                let square = SquareAt { row: part(at / columns), column: part(at % columns) };
                (Value::Square(square), &here.cells[at])
            })
        }
        (Value::Map(here), Value::Map(there)) => here.iter().find_map(|(key, value)| {
            there.get(key).filter(|there| *there != value).map(|_| (key.clone(), value))
        }),
        _ => None,
    };
    let (place, value) = match differs {
        Some((at, value)) => (format!("[{}]", text::words(game, &at)), value),
        None => (String::new(), here),
    };
    let value = text::words(game, value);
    let value = if value.is_empty() { "empty".to_string() } else { clipped(&value) };
    format!("{} is {value}", owned_at(game, cell, &place))
}

/// Returns a text in one line, truncated if it is long.
fn clipped(text: &str) -> String {
    let line = text.replace('\n', " / ");
    match line.chars().count() > LETTERS {
        true => format!("{}…", line.chars().take(LETTERS).collect::<String>()),
        false => line,
    }
}

/// Says who sees a piece of state that not everybody sees.
fn who_sees(state: &State) -> &'static str {
    if state.sight == Sight::Owner { "only its owner sees this" } else { "nobody sees this" }
}
