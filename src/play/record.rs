//! Records: a match as one JSON object, and replaying it under the rules.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{Match, Refused, Rules, and};
use crate::eval::NotStarted;
use crate::ir::Value;

/// The value of the field `format` in a record.
pub const FORMAT: &str = "parlour-record";
/// The version of the record format.
pub const VERSION: u64 = 1;

/// A record: the rules, options and players, and every choice and draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The game's name.
    pub game: String,
    /// The hash of the rules that the match was played under.
    pub rules: Option<String>,
    /// The options.
    pub options: Map<String, Json>,
    /// The number of players.
    pub players: usize,
    /// The seed, if one was requested.
    pub seed: Option<u64>,
    /// Choices and draws, each with `player`, `move` and `args`.
    pub moves: Vec<Json>,
    /// The result at the end of the recorded moves.
    pub result: Option<Json>,
}

/// The serialised form of a record; unknown fields are ignored.
#[derive(Serialize, Deserialize)]
struct Written {
    format: String,
    version: u64,
    game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    #[serde(default)]
    options: Map<String, Json>,
    players: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    moves: Vec<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Json>,
}

/// Returns how many records a text holds, if it holds several and nothing else.
fn several(text: &str) -> Option<usize> {
    let mut count = 0;
    for json in serde_json::Deserializer::from_str(text).into_iter::<Json>() {
        json.ok()?.get("format").and_then(Json::as_str).filter(|format| *format == FORMAT)?;
        count += 1;
    }
    (count > 1).then_some(count)
}

impl Record {
    /// Reads a record. The error is a sentence.
    pub fn read(text: &str) -> Result<Record, String> {
        let text = text.trim_start_matches('\u{feff}');
        let json: Json = serde_json::from_str(text).map_err(|error| match several(text) {
            Some(count) => format!(
                "this file holds {count} records, as `simulate --records` writes them, one a line: copy one of its \
                 lines to a file of its own"
            ),
            None => format!("this is not a record: {error}"),
        })?;
        match json.get("format").and_then(Json::as_str) {
            Some(FORMAT) => {}
            Some(other) => {
                return Err(format!("this is not a record: its format is `{other}`, not `{FORMAT}`"));
            }
            None => return Err(format!("this is not a record: it has no `\"format\":\"{FORMAT}\"`")),
        }
        match json.get("version").and_then(Json::as_u64) {
            Some(VERSION) => {}
            other => {
                let other = other.map_or("none".to_string(), |n| n.to_string());
                return Err(format!("this record has version {other}; only version {VERSION} can be read"));
            }
        }
        // Parse the text again: converting the `Json` value would lose digits of long numbers.
        let written: Written =
            serde_json::from_str(text).map_err(|error| format!("this record is damaged: {error}"))?;
        let Written { game, rules, options, players, seed, moves, result, .. } = written;
        Ok(Record { game, rules, options, players, seed, moves, result })
    }

    /// Returns the record as JSON.
    pub fn json(&self) -> Json {
        let Record { game, rules, options, players, seed, moves, result } = self.clone();
        let written = Written {
            format: FORMAT.into(),
            version: VERSION,
            game,
            rules,
            options,
            players,
            seed,
            moves,
            result,
        };
        serde_json::to_value(written).unwrap_or(Json::Null)
    }

    /// Whether this record is of the same match as another one, made earlier: it begins with the same rules and entries.
    pub fn continues(&self, earlier: &Record) -> bool {
        let begun_alike =
            (&self.game, &self.options, self.players) == (&earlier.game, &earlier.options, earlier.players);
        let same = |(a, b): (&Json, &Json)| ["player", "move", "args"].iter().all(|part| a[part] == b[part]);
        begun_alike
            && earlier.moves.len() <= self.moves.len()
            && earlier.moves.iter().zip(&self.moves).all(same)
    }

    /// Whether this record has the same rules, beginning and entries as another one, whatever their results.
    pub fn is_same_match(&self, other: &Record) -> bool {
        *self == Record { result: self.result.clone(), ..other.clone() }
    }

    /// Starts the match of a record, with no entries played yet. The error is a sentence.
    pub fn start(&self, rules: Arc<Rules>) -> Result<Match, String> {
        let mut options = std::collections::BTreeMap::new();
        for (name, json) in &self.options {
            let id = rules.option_id(name)?;
            let ty = rules.game.options[id].form.ty();
            let value = super::read_json(&rules.game, &ty, json)
                .map_err(|error| format!("the option `{name}`: {error}"))?;
            options.insert(id, value);
        }
        Match::undrawn(rules, &options, self.players, self.seed.unwrap_or(0)).map_err(|not| match not {
            NotStarted::Refused(sentence) => sentence,
            NotStarted::Fault(fault) => fault.message.clone(),
        })
    }
}

/// The result of replaying a record.
#[derive(Debug)]
pub struct Replayed {
    /// The match after the entries that could be replayed.
    pub played: Match,
    /// The index (from 0) of the entry that fails and the reason; `None` if all could be replayed.
    pub broken: Option<(usize, Refused)>,
}

/// Replays a record under the given rules. The error is a sentence saying why the match cannot start.
pub fn replay(rules: Arc<Rules>, record: &Record) -> Result<Replayed, String> {
    replay_told(rules, record, &mut |_| ())
}

/// Like [`replay`], but also calls `on` with the match before each entry.
pub fn replay_told(
    rules: Arc<Rules>,
    record: &Record,
    on: &mut dyn FnMut(&Match),
) -> Result<Replayed, String> {
    let mut played = record.start(rules)?;
    for (at, entry) in record.moves.iter().enumerate() {
        on(&played);
        if let Err(refused) = again(&mut played, entry) {
            return Ok(Replayed { played, broken: Some((at, refused)) });
        }
    }
    if !played.sealed().is_empty() {
        // A record must not end within a joint choice.
        let missing: Vec<String> = played.to_move().iter().map(ToString::to_string).collect();
        let refused =
            Refused::new("refused", format!("the choice of player {} is missing", missing.join(" and ")));
        let at = record.moves.len();
        return Ok(Replayed { played, broken: Some((at, refused)) });
    }
    Ok(Replayed { played, broken: None })
}

/// Replays one entry of a record.
fn again(played: &mut Match, entry: &Json) -> Result<(), Refused> {
    let damaged = |what: &str| Refused::new("refused", format!("this entry is damaged: {what}"));
    let player = entry.get("player").and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok());
    let player = player.ok_or_else(|| damaged("`player` must be a number"))?;
    let name = entry.get("move").and_then(Json::as_str).ok_or_else(|| damaged("`move` must be text"))?;
    let empty = Map::new();
    let args = match entry.get("args") {
        Some(Json::Object(args)) => args,
        None => &empty,
        Some(_) => return Err(damaged("`args` must be an object")),
    };
    if player == 0 {
        let json = args.get("value").ok_or_else(|| damaged("a draw needs `value`"))?;
        let (due, value): (String, Value) =
            played.read_draw(json).map_err(|sentence| Refused::new("refused", sentence))?;
        if due != name {
            return Err(Refused::new("refused", format!("`{due}` is to be drawn here, not `{name}`")));
        }
        return match played.draw(value) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(sentence)) => Err(Refused::new("refused", sentence)),
            Err(fault) => Err(played.broken(&fault)),
        };
    }
    played.play_undrawn(player, name, args).map(|_| ())
}

impl Record {
    /// Returns a sentence if the recorded result contradicts the one that the moves lead to. The record may
    /// omit parts of the result. The result of a record made under other rules is not checked.
    pub fn contradicted(&self, played: &Match) -> Result<Option<String>, crate::eval::Fault> {
        let under_others = self.rules.as_ref().is_some_and(|hash| *hash != played.rules.hash);
        let Some(said) = self.result.as_ref().filter(|_| !under_others) else { return Ok(None) };
        let found = played.result()?;
        let agree = match said {
            Json::Object(said) => said.iter().all(|(name, said)| found.get(name).is_none_or(|is| is == said)),
            _ => false,
        };
        let told = |result: &Json| result_told(played, result);
        Ok((!agree).then(|| {
            format!("this record says that {}, but its moves lead to this: {}", told(said), told(&found))
        }))
    }
}

/// Describes a result as it stands in a record, which may leave parts of it out.
fn result_told(played: &Match, result: &Json) -> String {
    let name = |seat: &Json| match seat.as_u64().and_then(|seat| usize::try_from(seat).ok()) {
        Some(seat) if (1..=played.players()).contains(&seat) => played.rules.game.seat_name(seat - 1),
        _ => seat.to_string(),
    };
    let mut parts = Vec::new();
    let winners = result["winners"].as_array().map(|all| all.iter().map(name).collect::<Vec<_>>());
    match winners.as_deref() {
        _ if result["over"] == false => parts.push("the match is not over".to_string()),
        Some([]) => parts.push("nobody wins".to_string()),
        Some([one]) => parts.push(format!("{one} wins")),
        Some(several) => parts.push(format!("{} share the win", and(several))),
        None => {}
    }
    if let Some(scores) = result["scores"].as_array() {
        let scores: Vec<String> = scores.iter().map(Json::to_string).collect();
        parts.push(format!("the scores are {}", and(&scores)));
    }
    match parts.is_empty() {
        true => format!("the result is {result}"),
        false => parts.join(" and "),
    }
}

impl Replayed {
    /// Returns the first error and its entry's index (from 0); a wrong result comes after the last entry.
    pub fn wrong(&self, record: &Record) -> Result<Option<(usize, Refused)>, crate::eval::Fault> {
        if let Some(broken) = &self.broken {
            return Ok(Some(broken.clone()));
        }
        let contradicted = record.contradicted(&self.played)?;
        Ok(contradicted.map(|sentence| (record.moves.len(), Refused::new("refused", sentence))))
    }

    /// Returns the output of `parlour replay --json`.
    pub fn json(&self, record: &Record) -> Result<Json, crate::eval::Fault> {
        let result = self.played.result()?;
        Ok(match &self.wrong(record)? {
            None => json!({
                "ok": true,
                "moves": record.moves.len(),
                "result": result,
                "state": self.played.view(super::Viewer::Everything)?,
            }),
            Some((at, refused)) => json!({
                "ok": false,
                "at": at,
                "move": record.moves.get(*at),
                "error": refused.json(),
                "result": result,
            }),
        })
    }
}

impl Refused {
    /// Returns the refusal in the form that the protocol and `replay --json` use.
    pub fn json(&self) -> Json {
        json!({ "code": self.code, "message": self.message, "reasons": self.reasons_json() })
    }

    /// Returns the reasons as JSON: text, line and column (from 1).
    pub fn reasons_json(&self) -> Json {
        self.reasons
            .iter()
            .map(|reason| json!({ "text": reason.text, "line": reason.line, "column": reason.column }))
            .collect()
    }
}
