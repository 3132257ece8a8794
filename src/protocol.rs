//! The engine protocol: JSON-RPC 2.0, one request and one response per line. Reading and writing the lines is
//! left to the command line.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::bots::{Bot, Clock, Effort, MOST_EFFORT, Mind};
use crate::diag::{Diagnostic, nearest};
use crate::eval::{Chosen, Fault, NotStarted, text};
use crate::ir::Value;
use crate::play::{Match, Refused, Rng, Rules, Viewer, read_json, with_bases};
use crate::source::Source;

/// The maximum number of open matches.
pub const MAX_MATCHES: usize = 10_000;
/// How many moves `legal` lists by default.
const DEFAULT_LIMIT: usize = 1000;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const SERVER_ERROR: i64 = -32000;

const METHODS: &[&str] =
    &["hello", "new", "legal", "play", "view", "undo", "why", "result", "record", "advise", "close"];

/// Finds the source of a game by its name or path. The error is a sentence.
pub type Finder = Box<dyn Fn(&str) -> Result<Source, String>>;

/// The number of games for which [`Mind`]s are cached, because compiling a game takes longer than asking a
/// bot.
const MAX_MINDS: usize = 8;

/// A [`Mind`], with the rules (by hash), options and number of players it was compiled for.
type Ready = ((String, Vec<Value>, usize), Mind);

/// The engine, which holds the open matches.
pub struct Engine {
    find: Finder,
    clock: Box<dyn Clock>,
    minds: Vec<Ready>,
    matches: BTreeMap<u64, Match>,
    last: u64,
}

/// A JSON-RPC error.
struct Error {
    code: i64,
    message: String,
    data: Option<Json>,
}

impl Error {
    fn params(message: impl Into<String>) -> Error {
        Error { code: INVALID_PARAMS, message: message.into(), data: None }
    }

    fn server(code: &str, message: impl Into<String>, reasons: Json) -> Error {
        Error {
            code: SERVER_ERROR,
            message: message.into(),
            data: Some(json!({ "code": code, "reasons": reasons })),
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Error {
        let reasons = refused.reasons_json();
        Error::server(refused.code, refused.message, reasons)
    }
}

type Answer = Result<Json, Error>;

impl Engine {
    /// Creates an engine without matches. The clock limits bots whose effort is given in milliseconds.
    pub fn new(find: Finder, clock: Box<dyn Clock>) -> Engine {
        Engine { find, clock, minds: Vec::new(), matches: BTreeMap::new(), last: 0 }
    }

    /// Answers one line; `None` if there is nothing to answer (an empty line, a notification).
    pub fn line(&mut self, line: &str) -> Option<String> {
        if line.trim().is_empty() {
            return None;
        }
        let request: Json = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                return Some(failure(&Json::Null, PARSE_ERROR, &format!("this line is not JSON: {error}")));
            }
        };
        let id = request.get("id").cloned();
        let invalid =
            |message: &str| Some(failure(&id.clone().unwrap_or(Json::Null), INVALID_REQUEST, message));
        let Json::Object(request) = &request else {
            return invalid("a request must be one JSON object");
        };
        if !matches!(id, None | Some(Json::Null | Json::String(_) | Json::Number(_))) {
            return Some(failure(&Json::Null, INVALID_REQUEST, "`id` must be a number, a string or null"));
        }
        if request.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return invalid("`jsonrpc` must be \"2.0\"");
        }
        let Some(method) = request.get("method").and_then(Json::as_str) else {
            return invalid("`method` must be a string");
        };
        let empty = Map::new();
        let answer = match request.get("params") {
            None => self.call(method, &empty),
            Some(Json::Object(params)) => self.call(method, params),
            Some(_) => Err(Error::params("`params` must be an object of named parameters")),
        };
        // A request without an id is a notification, which is executed but not answered.
        let id = id?;
        Some(match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string(),
            Err(Error { code, message, data }) => {
                let mut error = json!({ "code": code, "message": message });
                if let Some(data) = data {
                    error["data"] = data;
                }
                json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
            }
        })
    }

    fn call(&mut self, method: &str, params: &Map<String, Json>) -> Answer {
        match method {
            "hello" => Ok(json!({
                "engine": "parlour",
                "version": env!("CARGO_PKG_VERSION"),
                "protocol": 1,
                "methods": METHODS,
            })),
            "new" => self.start(params),
            "legal" => self.legal(params),
            "play" => self.play(params),
            "view" => self.view(params),
            "undo" => self.undo(params),
            "why" => self.why(params),
            "result" => self.with(params, |played| played.result()),
            "record" => self.with(params, |played| Ok(played.record()?.json())),
            "advise" => self.advise(params),
            "close" => {
                let (id, _) = self.find(params)?;
                self.matches.remove(&id);
                Ok(json!({}))
            }
            _ => {
                let hint =
                    nearest(method, METHODS.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
                let message = format!("no method is called `{method}`{}", hint.unwrap_or_default());
                Err(Error { code: METHOD_NOT_FOUND, message, data: None })
            }
        }
    }

    fn start(&mut self, params: &Map<String, Json>) -> Answer {
        let source = match (params.get("game"), params.get("source")) {
            (Some(Json::String(game)), None) => (self.find)(game).map_err(Error::params)?,
            (None, Some(Json::String(text))) => {
                with_bases(Source::new("source.game", text), &|base, _| (self.find)(base).ok())
            }
            _ => {
                return Err(Error::params(
                    "`new` takes either `game`, a name or path, or `source`, the text of a rule file",
                ));
            }
        };
        let rules = match Rules::load(source.clone()) {
            Ok(rules) => Arc::new(rules),
            Err(found) => return Err(invalid_rules(&source, &found)),
        };
        let mut options = BTreeMap::new();
        let none = Map::new();
        let given = match params.get("options") {
            None | Some(Json::Null) => &none,
            Some(Json::Object(given)) => given,
            Some(_) => return Err(Error::params("`options` must be an object")),
        };
        for (name, json) in given {
            let id = rules.option_id(name).map_err(Error::params)?;
            let ty = rules.game.options[id].form.ty();
            let value = read_json(&rules.game, &ty, json)
                .map_err(|error| Error::params(format!("the option `{name}`: {error}")))?;
            options.insert(id, value);
        }
        let players = match params.get("players") {
            None | Some(Json::Null) => rules.default_players(),
            Some(_) => number(params, "players")?,
        };
        let seed = seed_of(params)?;
        if self.matches.len() >= MAX_MATCHES {
            let message = format!("{MAX_MATCHES} matches are open; close one first");
            return Err(Error::server("limit", message, json!([])));
        }
        let played = Match::new(rules.clone(), &options, players, seed).map_err(|not| match not {
            NotStarted::Refused(sentence) => Error::server("refused", sentence, json!([])),
            NotStarted::Fault(fault) => invalid_rules(&rules.source, &[*fault]),
        })?;
        self.last += 1;
        let to_move = played.to_move();
        self.matches.insert(self.last, played);
        Ok(json!({ "match": self.last, "to_move": to_move }))
    }

    /// Returns the match that a request refers to, with its id.
    fn find(&mut self, params: &Map<String, Json>) -> Result<(u64, &mut Match), Error> {
        let id = match params.get("match") {
            Some(id) => id.as_u64(),
            None => return Err(Error::params("`match` is missing: give the number that `new` returned")),
        };
        let no_such = || {
            let message = format!("no match {} is open", params.get("match").unwrap_or(&Json::Null));
            Error::server("no_such_match", message, json!([]))
        };
        let id = id.ok_or_else(no_such)?;
        match self.matches.get_mut(&id) {
            Some(played) => Ok((id, played)),
            None => Err(no_such()),
        }
    }

    fn with(
        &mut self,
        params: &Map<String, Json>,
        answer: impl FnOnce(&mut Match) -> Result<Json, Fault>,
    ) -> Answer {
        let (_, played) = self.find(params)?;
        answer(played).map_err(|fault| played.broken(&fault).into())
    }

    fn legal(&mut self, params: &Map<String, Json>) -> Answer {
        let limit = match params.get("limit") {
            None | Some(Json::Null) => DEFAULT_LIMIT,
            Some(_) => number(params, "limit")?,
        };
        let (_, played) = self.find(params)?;
        let player = number(params, "player")?;
        let (count, moves) = played.legal(player, limit)?;
        let truncated = count.as_ref().is_none_or(|count| *count > crate::num::Int::from(moves.len()));
        let moves: Vec<Json> = moves
            .iter()
            .map(|entry| {
                let entry = played.entry_json(entry);
                json!({ "move": entry["move"], "args": entry["args"] })
            })
            .collect();
        Ok(json!({ "count": count.as_ref().map(text::json_int), "moves": moves, "truncated": truncated }))
    }

    fn play(&mut self, params: &Map<String, Json>) -> Answer {
        let (_, played) = self.find(params)?;
        let (player, name, args) = move_of(params)?;
        let done = played.play(player, name, args)?;
        Ok(json!({
            "accepted": true,
            "waiting_for": done.waiting_for,
            "to_move": played.to_move(),
            "over": played.over(),
        }))
    }

    fn why(&mut self, params: &Map<String, Json>) -> Answer {
        let (_, played) = self.find(params)?;
        let (player, name, args) = move_of(params)?;
        let reasons = match played.why(player, name, args) {
            Ok(told) => told.into_iter().filter(|(holds, _)| !holds).map(|(_, reason)| reason).collect(),
            // An invalid move is also not legal; the reason is that of the refusal.
            Err(refused) if refused.code == "refused" && refused.reasons.is_empty() && !played.over() => {
                let line = played.rules.source.position(0);
                let file = played.rules.source.name.clone();
                vec![crate::play::Reason {
                    text: refused.message,
                    line: line.line,
                    column: line.column,
                    file,
                }]
            }
            Err(refused) => return Err(refused.into()),
        };
        let refused = Refused { reasons, ..Refused::new("refused", "") };
        Ok(json!({ "legal": refused.reasons.is_empty(), "reasons": refused.reasons_json() }))
    }

    /// Returns the move that a bot recommends to a player who is to choose, based on what that player knows.
    fn advise(&mut self, params: &Map<String, Json>) -> Answer {
        let bot = match params.get("bot") {
            None | Some(Json::Null) => "auto",
            Some(Json::String(name)) => name,
            Some(_) => {
                return Err(Error::params(format!("`bot` must be a bot's name: {}", Bot::NAMES.join(", "))));
            }
        };
        let mut bot = Bot::parse(bot).map_err(Error::params)?;
        let amount = |name: &str| match params.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Number(number)) if number.as_u64().is_some_and(|n| (1..=MOST_EFFORT).contains(&n)) => {
                Ok(number.as_u64())
            }
            Some(Json::Number(number)) if number.as_f64().is_some_and(|n| n > MOST_EFFORT as f64) => {
                let message = format!("`{name}` is more than {MOST_EFFORT}, the most effort for a choice");
                Err(Error::server("limit", message, json!([])))
            }
            Some(_) => Err(Error::params(format!("`{name}` must be a number, 1 or more"))),
        };
        match (amount("playouts")?, amount("ms")?) {
            (Some(_), Some(_)) => return Err(Error::params("`advise` takes either `playouts` or `ms`")),
            (Some(playouts), None) => bot = bot.with(Effort::Playouts(playouts)),
            (None, Some(ms)) => bot = bot.with(Effort::Millis(ms)),
            (None, None) => {}
        }
        let seed = seed_of(params)?;
        let player = number(params, "player")?;
        let (id, played) = self.find(params)?;
        played.must_choose(player)?;
        let key = (
            played.rules.hash.clone(),
            played.options().map(|(_, value)| value.clone()).collect(),
            played.players(),
        );
        let at = self.minds.iter().position(|(known, _)| *known == key);
        let ready = match at {
            Some(at) => self.minds.remove(at),
            None => (key, Mind::of(&self.matches[&id])),
        };
        self.minds.truncate(MAX_MINDS - 1);
        self.minds.insert(0, ready);
        let (played, (_, mind)) = (&self.matches[&id], &self.minds[0]);
        let advice = mind.advise_person(played, player, bot, &*self.clock, &mut Rng::new(seed))?;
        let entry = |chosen: &Chosen| played.entry_json(&played.rules.entry(player - 1, chosen));
        let moves = advice.moves.iter().enumerate().map(|(at, weighed)| {
            let entry = entry(&weighed.chosen);
            let mut said =
                json!({ "move": entry["move"], "args": entry["args"], "value": weighed.value, "visits": weighed.visits });
            if let Some(score) = weighed.score {
                said["score"] = json!(score);
            }
            if let Some(likely) = advice.mix.get(at) {
                said["probability"] = json!(likely);
            }
            said
        });
        let (best, (low, high)) = (entry(&advice.best), advice.interval);
        Ok(json!({
            "move": best["move"],
            "args": best["args"],
            "value": advice.value,
            "interval": [low, high],
            "playouts": advice.playouts,
            "exact": advice.exact,
            "moves": moves.collect::<Vec<Json>>(),
        }))
    }

    fn view(&mut self, params: &Map<String, Json>) -> Answer {
        let (_, played) = self.find(params)?;
        let viewer = match params.get("player") {
            None | Some(Json::Null) => Viewer::Everything,
            Some(_) => match number(params, "player")? {
                0 => Viewer::Spectator,
                player if player <= played.players() => Viewer::Player(player),
                player => {
                    let message = format!("there is no player {player}; this match has {}", played.players());
                    return Err(Error::params(message));
                }
            },
        };
        self.with(params, |played| {
            Ok(json!({ "state": played.view(viewer)?, "shows": played.show()?, "to_move": played.to_move() }))
        })
    }

    fn undo(&mut self, params: &Map<String, Json>) -> Answer {
        let (_, played) = self.find(params)?;
        let steps = match params.get("steps") {
            None | Some(Json::Null) => 1,
            Some(_) => number(params, "steps")?,
        };
        if let Err(possible) = played.undo(steps) {
            let message = match possible {
                0 => "there is nothing to take back".to_string(),
                possible => format!("only {possible} of {steps} steps can be taken back"),
            };
            return Err(Error::server("refused", message, json!([])));
        }
        self.view(params)
    }
}

/// Returns the player, move name and arguments of a request.
fn move_of(params: &Map<String, Json>) -> Result<(usize, &str, &Map<String, Json>), Error> {
    static NO_ARGS: std::sync::LazyLock<Map<String, Json>> = std::sync::LazyLock::new(Map::new);
    let player = number(params, "player")?;
    let name = params
        .get("move")
        .and_then(Json::as_str)
        .ok_or_else(|| Error::params("`move` must be a move's name"))?;
    match params.get("args") {
        None | Some(Json::Null) => Ok((player, name, &NO_ARGS)),
        Some(Json::Object(args)) => Ok((player, name, args)),
        Some(_) => Err(Error::params("`args` must be an object of named arguments")),
    }
}

fn seed_of(params: &Map<String, Json>) -> Result<u64, Error> {
    match params.get("seed") {
        None | Some(Json::Null) => Ok(0),
        Some(seed) => {
            seed.as_u64().ok_or_else(|| Error::params("`seed` must be a number from 0 to 2^64 - 1"))
        }
    }
}

fn number(params: &Map<String, Json>, name: &str) -> Result<usize, Error> {
    let found = params.get(name).and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok());
    found.ok_or_else(|| Error::params(format!("`{name}` must be a number, 0 or more")))
}

fn invalid_rules(source: &Source, found: &[Diagnostic]) -> Error {
    let reasons: Vec<Json> = found
        .iter()
        .map(|diagnostic| {
            let at = source.position(diagnostic.span().start);
            let text = match &diagnostic.help {
                Some(help) => format!("{}: {} ({help})", diagnostic.code, diagnostic.message),
                None => format!("{}: {}", diagnostic.code, diagnostic.message),
            };
            json!({ "text": text, "line": at.line, "column": at.column })
        })
        .collect();
    let first = found.first().map_or(String::new(), |diagnostic| diagnostic.message.clone());
    Error::server("invalid_rules", format!("the rules cannot be played: {first}"), Json::Array(reasons))
}

fn failure(id: &Json, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}
