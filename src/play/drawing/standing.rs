//! Men: things on a board that are not in its grid but in state that holds squares, such as `at: square`.

use std::collections::BTreeMap;

use super::signs::{Cell, Signs};
use crate::eval::{Position, elements, text::words};
use crate::ir::{Effect, Expr, ExprKind, Game, Grid, Op, Place, SquareAt, State, StateId, Type, Value};
use crate::play::{Match, Viewer};

/// What stands on a square besides the contents of the grid.
pub struct MarkedSquare {
    /// The square.
    pub at: SquareAt,
    /// The square as it is typed.
    pub name: String,
    /// What stands there; empty if it has just left.
    pub markers: Vec<Cell>,
    /// Whether that changed with the last choice.
    pub changed: bool,
}

/// The state that stands on the boards of a match.
#[derive(Default)]
pub struct Markers(Vec<StateId>);

impl Markers {
    /// Finds the state that holds squares, if all grids have the same size: then its board is unambiguous.
    pub fn of(played: &Match, grid: &Grid) -> Markers {
        let game = &played.machine().game;
        let position = played.position();
        let state = || game.state.iter().enumerate();
        let one_size =
            state().filter(|(_, state)| matches!(state.form.ty(), Type::Grid(_))).all(|(id, state)| {
                let same =
                    |grid: &Grid, other: &Grid| (grid.rows, grid.columns) == (other.rows, other.columns);
                match &position.cells[played.machine().setup.bases[id]] {
                    Value::Grid(other) => !state.per_player && same(grid, other),
                    _ => true,
                }
            });
        let stands = |(id, state): &(StateId, &State)| {
            of_squares(&state.form.ty()) && (state.per_player || !only_repeats(game, *id))
        };
        Markers(if one_size { state().filter(stands).map(|(id, _)| id).collect() } else { Vec::new() })
    }

    /// Returns the ids of the state.
    pub fn states(self) -> Vec<StateId> {
        self.0
    }

    /// Returns the type that needs signs: players, if any of the state is per player.
    pub fn types(&self, game: &Game) -> Option<&'static Type> {
        self.0.iter().any(|id| game.state[*id].per_player).then_some(&Type::Player)
    }

    /// Returns what stands on squares now and did before the last choice; each piece of state gets a sign.
    pub fn marked_squares(&self, played: &Match, signs: &mut Signs) -> Vec<MarkedSquare> {
        let marks: Vec<(StateId, String)> =
            self.0.iter().map(|id| (*id, signs.mark(&played.machine().game.state[*id].name))).collect();
        let now = men(played, played.position(), &marks, signs);
        let before = played.before().map(|position| men(played, position, &marks, signs));
        let gone = before.iter().flat_map(BTreeMap::keys).filter(|at| !now.contains_key(at));
        let squares: Vec<SquareAt> = now.keys().chain(gone).copied().collect();
        let stand = |at: SquareAt| MarkedSquare {
            name: words(&played.machine().game, &Value::Square(at)),
            changed: before.as_ref().is_some_and(|before| before.get(&at) != now.get(&at)),
            markers: now.get(&at).cloned().unwrap_or_default(),
            at,
        };
        squares.into_iter().map(stand).collect()
    }
}

/// Returns the men on each square in a position; a sign is the owners' signs followed by the mark.
fn men(
    played: &Match,
    position: &Position,
    marks: &[(StateId, String)],
    signs: &Signs,
) -> BTreeMap<SquareAt, Vec<Cell>> {
    let game = &played.machine().game;
    let mut found: BTreeMap<SquareAt, Vec<Cell>> = BTreeMap::new();
    for (id, mark) in marks {
        let state = &game.state[*id];
        let kind = state.name.replace('_', " ");
        let base = played.machine().setup.bases[*id];
        let mut standing: BTreeMap<SquareAt, Vec<Cell>> = BTreeMap::new();
        for owner in 0..if state.per_player { played.players() } else { 1 } {
            if !played.sees(Viewer::Spectator, state.sight, base + owner, owner) {
                continue;
            }
            let seat = signs.seat(owner);
            let (sign, words, hue) = match state.per_player {
                true => (seat.sign, format!("{kind} of {}", seat.words), seat.hue),
                false => (String::new(), kind.clone(), None),
            };
            for at in squares(&position.cells[base + owner]) {
                let man = Cell { sign: sign.clone(), words: words.clone(), hue, changed: false };
                standing.entry(at).or_default().push(man);
            }
        }
        for (at, men) in standing {
            let words: Vec<&str> = men.iter().map(|man| man.words.as_str()).collect();
            found.entry(at).or_default().push(Cell {
                sign: men.iter().map(|man| man.sign.as_str()).chain([mark.as_str()]).collect(),
                words: words.join(" and "),
                hue: if men.len() == 1 { men[0].hue } else { None },
                changed: false,
            });
        }
    }
    found
}

/// Whether values of a type are squares or collections of squares.
fn of_squares(ty: &Type) -> bool {
    match ty {
        Type::Square => true,
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) => of_squares(of),
        _ => false,
    }
}

/// Returns the squares in such a value.
fn squares(value: &Value) -> Vec<SquareAt> {
    match value {
        Value::Square(at) => vec![*at],
        Value::List(_) | Value::Set(_) | Value::Bag(_) => elements(value).iter().flat_map(squares).collect(),
        _ => Vec::new(),
    }
}

/// Whether a piece of state only repeats what a grid says: whenever it is set to a square, that square of a
/// grid is written too, as in `board[s] := me` and `latest := s`.
fn only_repeats(game: &Game, id: StateId) -> bool {
    let runs = game.code.split(|op| !matches!(op, Op::Do(..)));
    let mut any = false;
    for run in runs {
        let writes: Vec<(&Place, &Expr)> = run
            .iter()
            .filter_map(|op| match op {
                Op::Do(Effect::Assign(places, values), _) => {
                    Some(places.iter().map(|(place, _)| place).zip(values))
                }
                _ => None,
            })
            .flatten()
            .collect();
        for (_, value) in writes.iter().filter(|(place, _)| place.state == id) {
            let ExprKind::Local(slot) = value.kind else {
                if matches!(value.kind, ExprKind::Value(Value::None)) {
                    continue;
                }
                return false;
            };
            let written = writes.iter().any(|(place, _)| {
                matches!(place.path.as_slice(), [Expr { kind: ExprKind::Local(at), .. }] if *at == slot)
            });
            if !written {
                return false;
            }
            any = true;
        }
    }
    any
}
