//! Values as text for people, and as JSON.

use serde_json::{Map, Number, Value as Json, json};

use super::Setup;
use crate::ir::{Game, Grid, Value};
use crate::num::Int;

/// Returns a value as people read it: lists as `3,1,1`, sets as `{1, 2}`, nothing as `_`, squares as `b3`.
pub fn words(game: &Game, value: &Value) -> String {
    let all =
        |values: &mut dyn Iterator<Item = String>, between: &str| values.collect::<Vec<_>>().join(between);
    match value {
        Value::Unset | Value::None => "_".to_string(),
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => if *b { "yes" } else { "no" }.to_string(),
        Value::Symbol(id) => game.symbols[*id].clone(),
        Value::Player(seat) => game.seat_name(*seat),
        Value::Square(square) => square.words(),
        Value::Text(text) => text.to_string(),
        Value::List(items) => all(&mut items.iter().map(|item| nested(game, item)), ","),
        Value::Set(items) => format!("{{{}}}", all(&mut items.iter().map(|item| nested(game, item)), ", ")),
        Value::Bag(_) => {
            let items = super::elements(value);
            format!("{{{}}}", all(&mut items.iter().map(|item| nested(game, item)), ", "))
        }
        Value::Grid(grid) => picture(game, grid),
        Value::Map(map) => {
            all(&mut map.iter().map(|(k, v)| format!("{}: {}", nested(game, k), nested(game, v))), ", ")
        }
    }
}

/// Returns a value inside another: lists get parentheses, so that they do not run together.
fn nested(game: &Game, value: &Value) -> String {
    match value {
        Value::List(_) => format!("({})", words(game, value)),
        Value::Player(seat) => game.seats.roles.get(*seat).cloned().unwrap_or_else(|| (seat + 1).to_string()),
        _ => words(game, value),
    }
}

/// Returns a grid with one line per row, aligned columns, and `.` for an empty square.
fn picture(game: &Game, grid: &Grid) -> String {
    let cell = |value: &Value| match value {
        Value::None | Value::Unset => ".".to_string(),
        value => nested(game, value),
    };
    let cells: Vec<String> = grid.cells.iter().map(cell).collect();
    let width = cells.iter().map(|c| c.chars().count()).max().unwrap_or(1);
    let rows: Vec<String> = cells
        .chunks(grid.columns.max(1) as usize)
        .map(|row| row.iter().map(|c| format!("{c:>width$}")).collect::<Vec<_>>().join(" "))
        .collect();
    rows.join("\n")
}

/// Returns the elements side by side: `00010`, `01_0`.
pub fn joined(game: &Game, items: &[Value]) -> String {
    items.iter().map(|item| nested(game, item)).collect()
}

/// Returns the options of a match by name, as JSON.
pub fn options_json(game: &Game, setup: &Setup) -> Map<String, Json> {
    let options = game.options.iter().zip(&setup.options);
    options.map(|(option, value)| (option.name.clone(), json(game, value))).collect()
}

/// Returns a value as JSON: players count from 1, sets and bags become arrays, squares and symbols strings.
pub fn json(game: &Game, value: &Value) -> Json {
    match value {
        Value::Unset | Value::None => Json::Null,
        Value::Int(n) => json_int(n),
        Value::Bool(b) => json!(b),
        Value::Symbol(id) => json!(game.symbols[*id]),
        Value::Player(seat) => json!(seat + 1),
        Value::Square(square) => json!(square.words()),
        Value::Text(text) => json!(&**text),
        Value::List(_) | Value::Set(_) | Value::Bag(_) => {
            super::elements(value).iter().map(|item| json(game, item)).collect()
        }
        Value::Grid(grid) => grid
            .cells
            .chunks(grid.columns.max(1) as usize)
            .map(|row| row.iter().map(|cell| json(game, cell)).collect::<Json>())
            .collect(),
        Value::Map(map) => Json::Object(map.iter().map(|(k, v)| (nested(game, k), json(game, v))).collect()),
    }
}

/// Returns an integer as JSON, exact at any size.
pub fn json_int(n: &Int) -> Json {
    match n {
        Int::Small(n) => json!(n),
        Int::Big(n) => n.to_string().parse::<Number>().map_or(Json::Null, Json::Number),
    }
}
