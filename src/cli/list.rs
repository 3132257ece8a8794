//! `parlour list`: lists the bundled games.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{Exit, Failure, out};
use crate::eval::text;
use crate::ir::{Form, Value};
use crate::play::{Rules, bundled_source, shelves};

/// A bundled game with the default values of its options.
struct Listed {
    rules: Rules,
    defaults: Vec<Value>,
}

pub fn run(as_json: bool) -> Exit {
    let mut groups = Vec::new();
    for (folder, games) in shelves() {
        let listed: Result<Vec<Listed>, Failure> = games.into_iter().map(|(name, _)| listed(&name)).collect();
        groups.push((folder, listed?));
    }
    let all = || groups.iter().flat_map(|(_, games)| games);
    if as_json {
        let games: Vec<Json> = all().map(entry).collect();
        out(&format!("{:#}", Json::Array(games)))?;
        return Ok(0);
    }
    let width = all().map(|game| game.rules.name.len()).max().unwrap_or(0);
    for (folder, games) in &groups {
        if !folder.is_empty() {
            out(&format!("\n{folder}:"))?;
        }
        for Listed { rules, defaults } in games {
            let game = &rules.game;
            out(&format!("{:<width$}  {} ({})", rules.name, game.title, game.seats))?;
            if let Some(summary) = &game.summary {
                out(&format!("{:<width$}  {summary}", ""))?;
            }
            let options = game.options.iter().zip(defaults).map(|(option, value)| {
                format!("{}={} ({})", option.name, text::words(game, value), rules.form_words(&option.form))
            });
            let options: Vec<String> = options.collect();
            if !options.is_empty() {
                out(&format!("{:<width$}  options: {}", "", options.join("; ")))?;
            }
        }
    }
    Ok(0)
}

fn listed(name: &str) -> Result<Listed, Failure> {
    let wrong = |what: &str| Failure::Wrong(format!("error: the bundled {name} {what}"));
    let source = bundled_source(name).ok_or_else(|| wrong("is missing"))?;
    let rules = Rules::load(source).map_err(|_| wrong("does not check"))?;
    let machine = rules.machine(&BTreeMap::new(), rules.default_players());
    let defaults = machine.map_err(|_| wrong("does not start"))?.setup.options;
    Ok(Listed { rules, defaults })
}

fn entry(Listed { rules, defaults }: &Listed) -> Json {
    let game = &rules.game;
    let options: Vec<Json> = game
        .options
        .iter()
        .zip(defaults)
        .map(|(option, value)| {
            let value = text::json(game, value);
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
