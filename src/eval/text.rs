//! Values as text for people, and as JSON.

use serde_json::{Map, Number, Value as Json, json};
use unicode_width::UnicodeWidthStr;

use super::Setup;
use crate::ir::{Game, Grid, Type, Value};
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

/// Returns a value for sentences: like [`words`], but a tuple of a name and numbers is written as it is typed, `hearts 3`.
pub fn spoken(game: &Game, value: &Value) -> String {
    let all = |between: &str| {
        let items: Vec<String> = super::elements(value).iter().map(|item| spoken(game, item)).collect();
        items.join(between)
    };
    let is_named = |value: &Value| match value {
        Value::List(items) => {
            let named = items.iter().filter(|item| matches!(item, Value::Symbol(_))).count();
            (1..items.len()).contains(&named)
        }
        _ => false,
    };
    match value {
        Value::List(_) if is_named(value) => all(" "),
        Value::List(items) if items.iter().all(is_named) => all(", "),
        Value::Set(items) if items.iter().all(is_named) => format!("{{{}}}", all(", ")),
        Value::Bag(items) if items.keys().all(is_named) => format!("{{{}}}", all(", ")),
        value => words(game, value),
    }
}

/// Returns a value of a type as it stands in a text of the rules: like [`spoken`] if tuples may be in it, else like
/// [`words`].
pub fn of_type(game: &Game, ty: &Type, value: &Value) -> String {
    fn has_tuples(ty: &Type) -> bool {
        match ty {
            Type::Tuple(_) => true,
            Type::Optional(of) => has_tuples(of),
            ty => ty.element().is_some_and(|of| has_tuples(&of)),
        }
    }
    if has_tuples(ty) { spoken(game, value) } else { words(game, value) }
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
    let width = cells.iter().map(|c| wide(c)).max().unwrap_or(1);
    let rows: Vec<String> = cells
        .chunks(grid.columns.max(1) as usize)
        .map(|row| row.iter().map(|c| to_the_right(c, width)).collect::<Vec<_>>().join(" "))
        .collect();
    rows.join("\n")
}

/// Returns the number of columns that a text takes on a screen: wide letters take two, combining marks none.
pub fn wide(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Returns the number of bytes at the start of a text that take at most `columns` columns: at least one letter.
pub fn fitting(text: &str, columns: usize) -> usize {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let fit = ends.clone().take_while(|end| wide(&text[..*end]) <= columns).last();
    fit.or_else(|| ends.clone().next()).unwrap_or(0)
}

/// Appends spaces to a text until it takes `width` columns.
pub fn to_the_left(text: &str, width: usize) -> String {
    format!("{text}{:gap$}", "", gap = width.saturating_sub(wide(text)))
}

/// Puts spaces before a text until it takes `width` columns.
pub fn to_the_right(text: &str, width: usize) -> String {
    format!("{:gap$}{text}", "", gap = width.saturating_sub(wide(text)))
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
