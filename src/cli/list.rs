//! `parlour list`: the bundled games.

use serde_json::{Value as Json, json};

use super::{Exit, Failure, out};
use crate::eval::text;
use crate::ir::{Form, Game, Seats};
use crate::play::{Rules, bundled, bundled_source};

pub fn run(as_json: bool) -> Exit {
    let mut games = Vec::new();
    for (name, _) in bundled() {
        let source =
            bundled_source(&name).ok_or_else(|| Failure::Wrong(format!("error: {name} is missing")))?;
        let rules = Rules::load(source)
            .map_err(|_| Failure::Wrong(format!("error: the bundled {name} does not check")))?;
        games.push(rules);
    }
    if as_json {
        let games: Vec<Json> = games.iter().map(entry).collect();
        out(&format!("{:#}", Json::Array(games)))?;
        return Ok(0);
    }
    let width = games.iter().map(|rules| rules.name.len()).max().unwrap_or(0);
    for rules in &games {
        let game = &rules.game;
        out(&format!("{:<width$}  {} ({})", rules.name, game.title, players(&game.seats)))?;
        if let Some(summary) = &game.summary {
            out(&format!("{:<width$}  {summary}", ""))?;
        }
        if !game.options.is_empty() {
            let options = game.options.iter().map(|option| {
                format!(
                    "{}={} ({})",
                    option.name,
                    default(game, &option.default),
                    rules.form_words(&option.form)
                )
            });
            out(&format!("{:<width$}  options: {}", "", options.collect::<Vec<_>>().join("; ")))?;
        }
    }
    Ok(0)
}

/// How many play, in words.
pub fn players(seats: &Seats) -> String {
    match (seats.min, seats.max) {
        (1, Some(1)) => "1 player".to_string(),
        (min, Some(max)) if min == max => format!("{min} players"),
        (min, Some(max)) => format!("{min} to {max} players"),
        (min, None) => format!("{min} or more players"),
    }
}

fn default(game: &Game, e: &crate::ir::Expr) -> String {
    match &e.kind {
        crate::ir::ExprKind::Value(value) => text::words(game, value),
        _ => "computed".to_string(),
    }
}

fn entry(rules: &Rules) -> Json {
    let game = &rules.game;
    let options: Vec<Json> = game
        .options
        .iter()
        .map(|option| {
            let value = match &option.default.kind {
                crate::ir::ExprKind::Value(value) => text::json(game, value),
                _ => Json::Null,
            };
            let values: Json = match &option.form {
                Form::Symbols(ids) => ids.iter().map(|id| game.symbols[*id].clone()).collect(),
                Form::Bool => json!([false, true]),
                form => json!(rules.form_words(form)),
            };
            json!({ "name": option.name, "default": value, "values": values, "about": option.doc })
        })
        .collect();
    json!({
        "name": rules.name,
        "title": game.title,
        "summary": game.summary,
        "players": { "min": game.seats.min, "max": game.seats.max },
        "options": options,
    })
}
