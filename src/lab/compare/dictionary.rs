//! Translates moves and symbols of one game into those of another.

use crate::eval::Chosen;
use crate::ir::{Game, Grid, Move, MoveId, SymbolId, Value};
use crate::play::chosen;

/// A translation of the moves and symbols of one game into those of another.
#[derive(Debug, Clone)]
pub struct Dictionary {
    moves: Vec<Option<Known>>,
    symbols: Vec<Option<SymbolId>>,
    /// What has another name there, or takes its arguments in another order.
    pub renamed: Vec<Renamed>,
}

/// A move of the other game.
#[derive(Debug, Clone)]
struct Known {
    mv: MoveId,
    /// For each of its arguments, the index of the corresponding argument here.
    order: Vec<usize>,
}

/// One thing with two names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// `move` or `symbol`.
    pub kind: &'static str,
    /// Its name in each game; for a move, followed by its parameters if those differ.
    pub names: [String; 2],
}

impl Dictionary {
    /// Matches moves and symbols that have the same name.
    pub fn by_name(from: &Game, to: &Game) -> Dictionary {
        let moves = matching(&move_names(from), &move_names(to));
        Dictionary::of([from, to], moves, matching(&symbol_names(from), &symbol_names(to)))
    }

    /// Like [`Dictionary::by_name`], but also pairs the moves and symbols that remain in both games, in their
    /// order. `None` if none remain, or not equally many in both.
    pub fn by_order(from: &Game, to: &Game) -> Option<Dictionary> {
        let (of_moves, of_symbols) =
            ([move_names(from), move_names(to)], [symbol_names(from), symbol_names(to)]);
        let mut moves = matching(&of_moves[0], &of_moves[1]);
        let mut symbols = matching(&of_symbols[0], &of_symbols[1]);
        let paired = pair(&mut moves, of_moves[1].len())? + pair(&mut symbols, of_symbols[1].len())?;
        (paired > 0).then(|| Dictionary::of([from, to], moves, symbols))
    }

    fn of(games: [&Game; 2], moves: Vec<Option<MoveId>>, symbols: Vec<Option<SymbolId>>) -> Dictionary {
        let [from, to] = games;
        let mut renamed = Vec::new();
        let known = |(at, there): (usize, Option<MoveId>)| {
            let (mv, other) = (&from.moves[at], &to.moves[there?]);
            let [own, others] =
                [mv, other].map(|mv| chosen(mv).map(|param| param.name.as_str()).collect::<Vec<_>>());
            if own.len() != others.len() {
                return None;
            }
            if own != others {
                let words = |mv: &Move, params: &[&str]| format!("{} {}", mv.name, params.join(" "));
                renamed.push(Renamed { kind: "move", names: [words(mv, &own), words(other, &others)] });
            } else if mv.name != other.name {
                renamed.push(Renamed { kind: "move", names: [mv.name.clone(), other.name.clone()] });
            }
            // If all parameters have the same names, match them by name, otherwise by position.
            let by_name: Option<Vec<usize>> =
                others.iter().map(|name| own.iter().position(|own| own == name)).collect();
            Some(Known { mv: there?, order: by_name.unwrap_or_else(|| (0..own.len()).collect()) })
        };
        let moves = moves.into_iter().enumerate().map(known).collect();
        for (at, there) in symbols.iter().enumerate() {
            let names = there.map(|there| [from.symbols[at].clone(), to.symbols[there].clone()]);
            let names = names.filter(|[own, other]| own != other);
            renamed.extend(names.map(|names| Renamed { kind: "symbol", names }));
        }
        Dictionary { moves, symbols, renamed }
    }

    /// Returns the inverse translation.
    pub fn reversed(&self, to: &Game) -> Dictionary {
        let mut moves = vec![None; to.moves.len()];
        for (mv, known) in self.moves.iter().enumerate().filter_map(|(mv, known)| Some((mv, known.as_ref()?)))
        {
            let mut order = vec![0; known.order.len()];
            known.order.iter().enumerate().for_each(|(there, here)| order[*here] = there);
            moves[known.mv] = Some(Known { mv, order });
        }
        let mut symbols = vec![None; to.symbols.len()];
        for (at, there) in self.symbols.iter().enumerate() {
            if let Some(there) = there {
                symbols[*there] = Some(at);
            }
        }
        Dictionary { moves, symbols, renamed: Vec::new() }
    }

    /// Translates a move with its arguments; `None` if it has no counterpart.
    pub fn chosen(&self, chosen: &Chosen) -> Option<(MoveId, Vec<Value>)> {
        let known = self.moves[chosen.mv].as_ref()?;
        let args: Option<Vec<Value>> =
            known.order.iter().map(|at| self.value(chosen.args.get(*at)?)).collect();
        Some((known.mv, args?))
    }

    /// Translates a value; `None` if a symbol in it has no counterpart.
    pub fn value(&self, value: &Value) -> Option<Value> {
        let all = |values: &[Value]| values.iter().map(|value| self.value(value)).collect::<Option<Vec<_>>>();
        Some(match value {
            Value::Symbol(id) => Value::Symbol(self.symbols[*id]?),
            Value::List(items) => Value::list(all(items)?),
            Value::Set(items) => {
                let items: Option<Vec<Value>> = items.iter().map(|value| self.value(value)).collect();
                Value::set(items?)
            }
            Value::Bag(counts) => {
                let counts: Option<_> =
                    counts.iter().map(|(value, count)| Some((self.value(value)?, *count))).collect();
                Value::Bag(std::sync::Arc::new(counts?))
            }
            Value::Map(entries) => {
                let entries: Option<_> =
                    entries.iter().map(|(key, value)| Some((self.value(key)?, self.value(value)?))).collect();
                Value::Map(std::sync::Arc::new(entries?))
            }
            Value::Grid(grid) => {
                let Grid { rows, columns, cells } = &**grid;
                let grid = Grid { rows: *rows, columns: *columns, cells: all(cells)? };
                Value::Grid(std::sync::Arc::new(grid))
            }
            same => same.clone(),
        })
    }
}

fn move_names(game: &Game) -> Vec<&str> {
    game.moves.iter().map(|mv| mv.name.as_str()).collect()
}

fn symbol_names(game: &Game) -> Vec<&str> {
    game.symbols.iter().map(String::as_str).collect()
}

fn matching(from: &[&str], to: &[&str]) -> Vec<Option<usize>> {
    from.iter().map(|name| to.iter().position(|other| other == name)).collect()
}

/// Pairs the unmatched entries in their order, and returns how many there were; `None` if one side has more
/// of them than the other.
fn pair(known: &mut [Option<usize>], count: usize) -> Option<usize> {
    let free: Vec<usize> = (0..count).filter(|at| !known.contains(&Some(*at))).collect();
    let open: Vec<&mut Option<usize>> = known.iter_mut().filter(|there| there.is_none()).collect();
    if open.len() != free.len() {
        return None;
    }
    open.into_iter().zip(&free).for_each(|(open, free)| *open = Some(*free));
    Some(free.len())
}
