//! The engine protocol as specified in `contract.md`, line by line.

use parlour::bots::StoppedClock;
use parlour::play::bundled_source;
use parlour::protocol::Engine;
use serde_json::{Value, json};

struct Client {
    engine: Engine,
    id: u64,
}

impl Client {
    fn new() -> Client {
        let find = |name: &str| bundled_source(name).ok_or_else(|| format!("no game is called `{name}`"));
        Client { engine: Engine::new(Box::new(find), Box::new(StoppedClock)), id: 0 }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        let answer: Value = serde_json::from_str(&self.engine.line(&request.to_string()).unwrap()).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0");
        assert_eq!(answer["id"], self.id);
        answer
    }

    fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Returns the JSON-RPC error number and the protocol's error code.
    fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.call(method, params);
        let error = &answer["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
        (error["code"].as_i64().unwrap(), error["data"]["code"].as_str().unwrap_or("").to_string())
    }

    fn raw(&mut self, line: &str) -> Value {
        serde_json::from_str(&self.engine.line(line).unwrap()).unwrap()
    }
}

#[test]
fn a_match_from_hello_to_close() {
    let mut client = Client::new();
    let hello = client.ok("hello", json!({}));
    assert_eq!((&hello["engine"], &hello["protocol"]), (&json!("parlour"), &json!(1)));
    assert_eq!(hello["methods"].as_array().unwrap().len(), 11);
    let begun =
        client.ok("new", json!({ "game": "procession", "options": { "n": 5 }, "players": 2, "seed": 7 }));
    assert_eq!(begun, json!({ "match": 1, "to_move": [1] }));
    let legal = client.ok("legal", json!({ "match": 1, "player": 1, "limit": 2 }));
    let moves = json!([{ "move": "flip", "args": { "at": 1 } }, { "move": "flip", "args": { "at": 2 } }]);
    assert_eq!(legal, json!({ "count": 5, "moves": moves, "truncated": true }));
    for (at, player) in [(4, 1), (1, 2), (5, 1)] {
        client.ok("play", json!({ "match": 1, "player": player, "move": "flip", "args": { "at": at } }));
    }
    let why = client.ok("why", json!({ "match": 1, "player": 2, "move": "flip", "args": { "at": 3 } }));
    assert_eq!(why["legal"], false);
    assert!(why["reasons"][0]["text"].as_str().unwrap().contains("already occurred"));
    assert!(why["reasons"][0]["line"].as_u64().unwrap() > 1);
    let refused =
        client.error("play", json!({ "match": 1, "player": 2, "move": "flip", "args": { "at": 3 } }));
    assert_eq!(refused, (-32000, "refused".into()));
    let view = client.ok("view", json!({ "match": 1, "player": 0 }));
    assert_eq!(view["shows"], "10011  1,2,2");
    assert_eq!(view["to_move"], json!([2]));
    client.ok("play", json!({ "match": 1, "player": 2, "move": "flip", "args": { "at": 1 } }));
    let last = client.ok("play", json!({ "match": 1, "player": 1, "move": "flip", "args": { "at": 4 } }));
    assert_eq!(last, json!({ "accepted": true, "waiting_for": [], "to_move": [], "over": true }));
    assert_eq!(
        client.ok("result", json!({ "match": 1 })),
        json!({ "over": true, "winners": [1], "scores": null })
    );
    let late = client.error("play", json!({ "match": 1, "player": 2, "move": "flip", "args": { "at": 1 } }));
    assert_eq!(late, (-32000, "refused".into()));
    let record = client.ok("record", json!({ "match": 1 }));
    assert_eq!(record["moves"][0], json!({ "player": 1, "move": "flip", "args": { "at": 4 } }));
    assert_eq!(record["options"], json!({ "n": 5 }));
    let undone = client.ok("undo", json!({ "match": 1, "steps": 2 }));
    assert_eq!(undone["shows"], "10011  1,2,2");
    assert_eq!(client.error("undo", json!({ "match": 1, "steps": 99 })), (-32000, "refused".into()));
    assert_eq!(client.ok("close", json!({ "match": 1 })), json!({}));
    assert_eq!(client.error("result", json!({ "match": 1 })), (-32000, "no_such_match".into()));
}

#[test]
fn a_choice_made_together_shows_in_no_other_view() {
    let mut client = Client::new();
    client.ok("new", json!({ "game": "transform", "options": { "n": 2 }, "players": 3 }));
    let before = client.ok("view", json!({ "match": 1, "player": 1 }));
    let play = |player: u64, terms: [i64; 2]| json!({ "match": 1, "player": player, "move": "list", "args": { "terms": terms } });
    let first = client.ok("play", play(3, [41, 43]));
    assert_eq!((&first["waiting_for"], &first["to_move"]), (&json!([1, 2]), &json!([1, 2])));
    assert_eq!(client.error("play", play(3, [1, 2])), (-32000, "not_your_turn".into()));
    for player in [json!(0), json!(1), json!(2)] {
        let seen = client.ok("view", json!({ "match": 1, "player": player }));
        assert!(!seen.to_string().contains("41"), "{seen}");
        assert_eq!(seen["state"]["table"], before["state"]["table"]);
    }
    client.ok("play", play(1, [5, 6]));
    client.ok("play", play(2, [7, 8]));
    // The move stays secret: only its owner sees the list, until it is revealed.
    let other = client.ok("view", json!({ "match": 1, "player": 1 }));
    assert!(!other.to_string().contains("41"), "{other}");
    let own = client.ok("view", json!({ "match": 1, "player": 3 }));
    assert_eq!(own["state"]["players"][2]["b"], json!([41, 43]));
    assert_eq!(client.ok("view", json!({ "match": 1 }))["state"]["players"][2]["b"], json!([41, 43]));
    let record = client.ok("record", json!({ "match": 1 }));
    let players: Vec<&Value> =
        record["moves"].as_array().unwrap().iter().map(|entry| &entry["player"]).collect();
    assert_eq!(players, [1, 2, 3], "a joint choice is recorded in seat order");
}

#[test]
fn an_open_joint_choice_can_be_taken_back() {
    let mut client = Client::new();
    client.ok("new", json!({ "game": "numbers-to-number", "options": { "m": 3 } }));
    let choose = |player: u64, number: u64| json!({ "match": 1, "player": player, "move": "choose", "args": { "number": number } });
    client.ok("play", choose(2, 3));
    assert_eq!(client.ok("undo", json!({ "match": 1 }))["to_move"], json!([1, 2]));
    client.ok("play", choose(1, 2));
    client.ok("play", choose(2, 1));
    client.ok("play", choose(1, 1));
    assert_eq!(client.ok("undo", json!({ "match": 1, "steps": 2 }))["state"]["table"]["digits"], json!([]));
}

#[test]
fn unbounded_choices_have_no_count() {
    let mut client = Client::new();
    client.ok("new", json!({ "game": "transform" }));
    let legal = client.ok("legal", json!({ "match": 1, "player": 1, "limit": 3 }));
    assert_eq!((&legal["count"], &legal["truncated"]), (&Value::Null, &json!(true)));
    assert_eq!(legal["moves"].as_array().unwrap().len(), 3);
    let huge: Value = serde_json::from_str(&format!("[1, 2, 3, {}]", "7".repeat(1000))).unwrap();
    let played =
        client.ok("play", json!({ "match": 1, "player": 1, "move": "list", "args": { "terms": huge } }));
    assert_eq!(played["accepted"], true);
    assert_eq!(client.ok("view", json!({ "match": 1, "player": 1 }))["to_move"], json!([2]));
}

#[test]
fn bad_lines_are_answered_and_change_nothing() {
    let mut client = Client::new();
    client.ok("new", json!({ "game": "procession" }));
    let before = client.ok("view", json!({ "match": 1 }));
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(code(&client.raw("{ not json")), -32700);
    assert_eq!(code(&client.raw("[1, 2]")), -32600);
    assert_eq!(code(&client.raw("7")), -32600);
    assert_eq!(code(&client.raw(r#"{"id": 1, "method": "hello"}"#)), -32600);
    assert_eq!(code(&client.raw(r#"{"jsonrpc": "2.0", "id": 1}"#)), -32600);
    assert_eq!(code(&client.raw(r#"{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": [1]}"#)), -32602);
    assert_eq!(client.error("helo", json!({})).0, -32601);
    assert_eq!(client.error("new", json!({})).0, -32602);
    assert_eq!(client.error("new", json!({ "game": "procesion" })).0, -32602);
    assert_eq!(client.error("new", json!({ "game": "procession", "options": { "n": "x" } })).0, -32602);
    assert_eq!(client.error("new", json!({ "game": "procession", "options": { "k": 1 } })).0, -32602);
    assert_eq!(
        client.error("new", json!({ "game": "procession", "options": { "n": 0 } })),
        (-32000, "refused".into())
    );
    assert_eq!(
        client.error("new", json!({ "game": "procession", "players": 1 })),
        (-32000, "refused".into())
    );
    assert_eq!(client.error("new", json!({ "source": "game \"x\" {" })), (-32000, "invalid_rules".into()));
    assert_eq!(client.error("play", json!({ "match": 1 })).0, -32602);
    let play = |player: u64, name: &str, args: Value| json!({ "match": 1, "player": player, "move": name, "args": args });
    assert_eq!(client.error("play", play(2, "flip", json!({ "at": 1 }))), (-32000, "not_your_turn".into()));
    assert_eq!(client.error("play", play(1, "flop", json!({ "at": 1 }))), (-32000, "refused".into()));
    assert_eq!(client.error("play", play(1, "flip", json!({}))), (-32000, "refused".into()));
    assert_eq!(client.error("play", play(1, "flip", json!({ "at": "b3" }))), (-32000, "refused".into()));
    assert_eq!(client.error("play", play(1, "flip", json!({ "at": 99 }))), (-32000, "refused".into()));
    assert_eq!(client.error("play", play(9, "flip", json!({ "at": 1 }))), (-32000, "refused".into()));
    assert_eq!(client.error("legal", json!({ "match": 2, "player": 1 })), (-32000, "no_such_match".into()));
    assert_eq!(client.ok("view", json!({ "match": 1 })), before);
    assert!(client.engine.line("").is_none());
    assert!(
        client.engine.line(r#"{"jsonrpc": "2.0", "method": "hello"}"#).is_none(),
        "a notification is not answered"
    );
}

#[test]
fn advice_is_as_the_contract_writes_it() {
    let mut client = Client::new();
    let id =
        client.ok("new", json!({ "game": "nim", "options": { "piles": [1, 2], "misere": false } }))["match"]
            .clone();
    let asked = json!({ "match": id, "player": 1, "bot": "mcts", "playouts": 300, "seed": 1 });
    let advice = client.ok("advise", asked.clone());
    let names: Vec<&String> = advice.as_object().unwrap().keys().collect();
    assert_eq!(names, ["move", "args", "value", "interval", "playouts", "exact", "moves"]);
    // One must be left in each pile, and then the end is certain.
    assert_eq!((&advice["move"], &advice["args"]), (&json!("take"), &json!({ "pile": 2, "count": 1 })));
    assert_eq!((&advice["value"], &advice["exact"]), (&json!(1.0), &json!(true)));
    assert_eq!(advice["moves"][0]["args"], advice["args"]);
    assert!(advice["moves"].as_array().unwrap().iter().all(|row| row["visits"].as_u64() > Some(0)));
    assert_eq!(client.ok("advise", asked), advice, "the same seed");
    assert_eq!(
        client.ok("advise", json!({ "match": id, "player": 1, "bot": "exact" }))["args"],
        advice["args"]
    );
    assert!(
        client.ok("advise", json!({ "match": id, "player": 1, "ms": 1, "bot": "greedy" }))["exact"] == false
    );
    // Of three alike, each mixes as the others do.
    let rules = include_str!("equilibrium/lowest-alone.game");
    let alone = client.ok("new", json!({ "source": rules }))["match"].clone();
    let advice = client.ok("advise", json!({ "match": alone, "player": 2, "bot": "hard" }));
    let likely = advice["moves"].as_array().unwrap().iter().map(|row| row["probability"].as_f64().unwrap());
    assert!((likely.sum::<f64>() - 1.0).abs() < 1e-9 && advice["exact"] == true, "{advice}");
    let mut refused = |params: Value| client.error("advise", params);
    assert_eq!(refused(json!({ "match": id, "player": 2 })), (-32000, "not_your_turn".to_string()));
    assert_eq!(refused(json!({ "match": 99, "player": 1 })), (-32000, "no_such_match".to_string()));
    for params in [
        json!({ "match": id }),
        json!({ "match": id, "player": 1, "bot": "mtcs" }),
        json!({ "match": id, "player": 1, "bot": "mcts:0" }),
        json!({ "match": id, "player": 1, "bot": 7 }),
        json!({ "match": id, "player": 1, "playouts": 0 }),
        json!({ "match": id, "player": 1, "playouts": 1.5 }),
        json!({ "match": id, "player": 1, "playouts": 5, "ms": 5 }),
        json!({ "match": id, "player": 1, "seed": -1 }),
    ] {
        assert_eq!(refused(params.clone()), (-32602, String::new()), "{params}");
    }
    assert_eq!(refused(json!({ "match": id, "player": 3 })).0, -32000);
}
