//! Conversion of moves and values from JSON and typed words, and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::ast::{Word, WordValue};
use crate::diag::nearest;
use crate::eval::{Dom, elements, text};
use crate::ir::{Game, Move, Param, SquareAt, Symbols, Type, Value};

/// Returns the parameters that are chosen (as opposed to given by the offer).
pub fn chosen(mv: &Move) -> impl Iterator<Item = &Param> {
    mv.params.iter().filter(|param| param.domain.is_some())
}

/// Reads a value of type `ty` from JSON. The error says what is expected.
pub fn read_json(game: &Game, ty: &Type, json: &Json) -> Result<Value, String> {
    let needed = || format!("expected {}, found {}", wanted(game, ty), plainly(json));
    let all = |of: &Type| match json {
        Json::Array(items) => {
            items.iter().map(|item| read_json(game, of, item)).collect::<Result<Vec<Value>, String>>()
        }
        _ => Err(needed()),
    };
    match (ty, json) {
        (Type::Optional(_), Json::Null) => Ok(Value::None),
        (Type::Optional(of), json) => read_json(game, of, json),
        (Type::Either(ids, _), Json::String(name)) if game.called(name, ids.iter().copied()).is_some() => {
            read_json(game, &Type::Symbol(ids.clone()), json)
        }
        (Type::Either(_, of), json) => read_json(game, of, json).map_err(|_| needed()),
        (Type::Int, Json::Number(n)) => n.to_string().parse().map(Value::Int).map_err(|()| needed()),
        (Type::Bool, Json::Bool(b)) => Ok(Value::Bool(*b)),
        (Type::Symbol(ids), Json::String(name)) => {
            game.called(name, ids.iter().copied()).map(Value::Symbol).ok_or_else(|| {
                let known = ids.iter().map(|id| game.symbols[*id].as_str());
                match nearest(name, known) {
                    Some(near) => format!("there is no `{name}`; did you mean `{near}`?"),
                    None => needed(),
                }
            })
        }
        (Type::Player, Json::Number(n)) => {
            let seat = n.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n >= 1);
            seat.map(|n| Value::Player(n - 1)).ok_or_else(needed)
        }
        (Type::Player, Json::String(name)) => game.seats.find(name).map(Value::Player).ok_or_else(needed),
        (Type::Square, Json::String(name)) => SquareAt::read(name).map(Value::Square).ok_or_else(needed),
        (Type::List(of), _) => Ok(Value::list(all(of)?)),
        (Type::Set(of), _) => Ok(Value::set(all(of)?)),
        (Type::Bag(of), _) => Ok(Value::bag(all(of)?)),
        (Type::Tuple(parts), Json::Array(items)) if parts.len() == items.len() => {
            let items: Result<Vec<Value>, String> =
                parts.iter().zip(items).map(|(part, item)| read_json(game, part, item)).collect();
            Ok(Value::List(Arc::new(items?)))
        }
        _ => Err(needed()),
    }
}

/// Names what is wanted of a type for people: `a suit and a number`.
fn wanted(game: &Game, ty: &Type) -> String {
    in_words(game, &wanted_of(game, ty))
}

fn wanted_of(game: &Game, ty: &Type) -> String {
    // Who has to choose one of them wants to see them all.
    let symbols = Symbols { names: &game.symbols, kinds: &[] };
    match ty {
        Type::Symbol(ids) => {
            match game.kinds.iter().find(|(_, all)| ids.iter().copied().eq(all.iter().copied())) {
                Some((kind, _)) => format!("a {} ({})", kind.replace('_', " "), ty.words(&symbols)),
                None => ty.words(&symbols),
            }
        }
        Type::Tuple(parts) => {
            parts.iter().map(|part| wanted_of(game, part)).collect::<Vec<_>>().join(" and ")
        }
        ty => ty.words(&symbols),
    }
}

/// Writes what was given as people typed it.
fn plainly(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        Json::Array(items) if items.is_empty() => "nothing".to_string(),
        Json::Array(items) => items.iter().map(plainly).collect::<Vec<_>>().join(" "),
        json => json.to_string(),
    }
}

/// Reads the arguments of a move from a JSON object, in the order of its parameters. The error is a sentence.
pub fn read_args(game: &Game, mv: &Move, args: &Map<String, Json>) -> Result<Vec<Value>, String> {
    if let Some(unknown) = args.keys().find(|key| chosen(mv).all(|param| param.name != **key)) {
        let known: Vec<&str> = chosen(mv).map(|param| param.name.as_str()).collect();
        let hint = match nearest(unknown, known.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        return Err(format!("`{}` has no argument `{unknown}`{hint}", mv.name));
    }
    chosen(mv)
        .map(|param| match args.get(&param.name) {
            Some(json) => read_json(game, &param.ty, json)
                .map_err(|error| format!("`{}`: {error}{}", param.name, named_for_its_value(game, json))),
            None => Err(format!("`{}` needs `{}`", mv.name, param.name)),
        })
        .collect()
}

/// Says how a value is chosen, if it was called by the name of the state that holds it.
fn named_for_its_value(game: &Game, json: &Json) -> String {
    let name = json.as_str().filter(|name| game.state.iter().any(|state| state.name == **name));
    name.map_or(String::new(), |name| {
        format!(
            "; `{name}` is a piece of state, and what is chosen is its value: to choose by name, the rules need symbols that nothing else is called"
        )
    })
}

/// Whether the values of a type have elements.
fn is_collection(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Tuple(_))
}

/// Reads the arguments of a move from typed words. The error is a sentence.
///
/// Named words (`at=4`) are matched to their parameters, the other words to the remaining parameters in
/// order. If the last parameter is a collection, it takes all remaining words as its elements: `list 3 -1 4`.
pub fn read_words(game: &Game, mv: &Move, words: &[Word]) -> Result<Map<String, Json>, String> {
    let mut args: BTreeMap<&str, Json> = BTreeMap::new();
    let mut plain: Vec<Json> = Vec::new();
    for word in words {
        match &word.name {
            None => plain.push(word_json(&word.value)),
            Some(name) => {
                let Some(param) = chosen(mv).find(|param| param.name == name.text) else {
                    return Err(format!(
                        "`{}` has no argument `{}`; write {}",
                        mv.name,
                        name.text,
                        usage(game, mv)
                    ));
                };
                if args.insert(&param.name, word_json(&word.value)).is_some() {
                    return Err(format!("`{}` is given twice", name.text));
                }
            }
        }
    }
    let rest: Vec<&Param> = chosen(mv).filter(|param| !args.contains_key(param.name.as_str())).collect();
    // Values may stand in brackets, as in a call: `put(3, b2)`.
    if let [Json::Array(called)] = plain.as_slice()
        && rest.iter().all(|param| !is_collection(&param.ty))
    {
        plain = called.clone();
    }
    let mut plain = plain.into_iter().peekable();
    for (i, param) in rest.iter().enumerate() {
        let value = if is_collection(&param.ty)
            && i + 1 == rest.len()
            && !matches!(plain.peek(), Some(Json::Array(_)))
        {
            Json::Array(plain.by_ref().collect())
        } else {
            plain
                .next()
                .ok_or_else(|| format!("`{}` needs `{}`; write {}", mv.name, param.name, usage(game, mv)))?
        };
        args.insert(&param.name, value);
    }
    if let Some(more) = plain.next() {
        let is_move = |word: &str| game.moves.iter().any(|other| other.name.eq_ignore_ascii_case(word));
        if let Some(second) = more.as_str().filter(|word| is_move(word)) {
            return Err(format!("one move at a time: `{second}` can be typed once this one is made"));
        }
        return Err(match chosen(mv).next() {
            None => format!("`{}` takes nothing after it, and {} is too much", mv.name, plainly(&more)),
            Some(_) => {
                let (takes, them) = match chosen(mv).count() {
                    1 => ("one value".to_string(), "it"),
                    count => (format!("{count} values"), "them"),
                };
                let of_squares = chosen(mv).all(|param| param.ty == Type::Square);
                let before = rest.last().and_then(|param| args.get(param.name.as_str()));
                let numbers = before.and_then(Json::as_u64).zip(more.as_u64());
                let more = plainly(&more);
                if of_squares && more.chars().all(|c| c.is_ascii_digit()) {
                    let named = numbers.and_then(|(row, column)| {
                        let square = SquareAt { row: row.try_into().ok()?, column: column.try_into().ok()? };
                        Some(format!("row {row}, column {column} is `{}`", square.words()))
                    });
                    let named = named.unwrap_or_else(|| "as in `a1`".to_string());
                    return Err(format!(
                        "a square is the letter of its column and the number of its row: {named}; write {}",
                        usage(game, mv)
                    ));
                }
                if matches!(more.as_str(), "shows" | "refused" | "expect" | "scores") {
                    return Err(format!(
                        "what stands behind `{more}` cannot be read there: `shows` and `refused` take a text in quotes, `expect` a condition"
                    ));
                }
                format!(
                    "`{}` takes {takes}, and {more} comes after {them}; write {}",
                    mv.name,
                    usage(game, mv)
                )
            }
        });
    }
    let args: Map<String, Json> = chosen(mv)
        .filter_map(|param| args.remove(param.name.as_str()).map(|json| (param.name.clone(), json)))
        .collect();
    read_args(game, mv, &args)?;
    Ok(args)
}

/// Returns the name of a parameter where it stands for a value: `PIT`, `FROM-PIT`.
pub(crate) fn large(name: &str) -> String {
    name.to_uppercase().replace('_', "-")
}

/// Returns how a move is typed: `` `flip AT` ``.
pub fn usage(game: &Game, mv: &Move) -> String {
    let params = chosen(mv).map(|param| match param.ty {
        Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Tuple(_) => {
            format!(" {}…", large(&param.name))
        }
        _ => format!(" {}", large(&param.name)),
    });
    format!("`{}{}`", spoken(game, &mv.name), params.collect::<String>())
}

/// Words that are passed over before or after a move, or mean something of their own.
const TAKEN: &[&str] = &[
    "move", "play", "choose", "take", "put", "i", "please", "again", "now", "thanks", "yes", "no", "true",
    "false", "none", "player", "seat",
];

/// Returns a name of the rules in the words that people read, and may type: `check or call` for `check_or_call`. It is left as
/// it is if one of its words could be meant as something else.
pub fn spoken(game: &Game, name: &str) -> String {
    if !name.contains('_') {
        return name.to_string();
    }
    let params = game.moves.iter().flat_map(chosen).map(|param| &param.name);
    let names =
        game.moves.iter().map(|mv| &mv.name).chain(&game.symbols).chain(&game.seats.roles).chain(params);
    let names: Vec<&String> = names.collect();
    let own = |word: &str| {
        word.len() > 1
            && word.chars().all(char::is_alphabetic)
            && !TAKEN.contains(&word)
            && !names.iter().any(|name| name.eq_ignore_ascii_case(word))
    };
    if name.split('_').all(own) { name.replace('_', " ") } else { name.to_string() }
}

/// Writes the names of symbols within a text in the words that people read: see [`spoken`].
pub(crate) fn in_words(game: &Game, text: &str) -> String {
    if !text.contains('_') {
        return text.to_string();
    }
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| letter(c) != letter(first)).unwrap_or(rest.len());
        let word = &rest[..end];
        match word.contains('_') && game.symbols.iter().any(|name| name == word) {
            true => out.push_str(&spoken(game, word)),
            false => out.push_str(word),
        }
        rest = &rest[end..];
    }
    out
}

/// Converts a typed word to JSON.
pub(super) fn word_json(word: &WordValue) -> Json {
    match word {
        WordValue::Number(n) => text::json_int(n),
        WordValue::Bool(b) => Json::Bool(*b),
        WordValue::Text(name) => Json::String(name.clone()),
        WordValue::List(items) => items.iter().map(word_json).collect(),
    }
}

/// Returns a move in the form that people type: `flip 4`, `list 3 -1 4`.
pub fn move_words(game: &Game, name: &str, args: &[(String, Value)]) -> String {
    let mut out = name.to_string();
    for (i, (_, value)) in args.iter().enumerate() {
        let last = i + 1 == args.len();
        out.push(' ');
        out.push_str(&match value {
            Value::List(_) | Value::Set(_) | Value::Bag(_) => {
                let items = crate::eval::elements(value);
                let flat = last && !items.iter().any(|item| matches!(item, Value::List(_)));
                let words: Vec<String> = items.iter().map(|item| typed(game, item)).collect();
                let none = if matches!(value, Value::List(_)) { "[]" } else { "{}" };
                if flat && items.is_empty() {
                    none.to_string()
                } else if flat {
                    words.join(" ")
                } else {
                    format!("[{}]", words.join(","))
                }
            }
            value => typed(game, value),
        });
    }
    out
}

fn typed(game: &Game, value: &Value) -> String {
    match value {
        Value::Player(seat) => (seat + 1).to_string(),
        Value::List(items) => {
            format!("[{}]", items.iter().map(|item| typed(game, item)).collect::<Vec<_>>().join(","))
        }
        value => text::words(game, value),
    }
}

/// Returns a move in the words that people read, and may type as well: see [`spoken`].
pub fn spoken_move(game: &Game, name: &str, args: &[(String, Value)]) -> String {
    let exact = move_words(game, name, args);
    let of_symbol = |value: &Value| matches!(value, Value::Symbol(_));
    match args {
        [] => spoken(game, name),
        [(_, value)] if of_symbol(value) => {
            format!("{} {}", spoken(game, name), spoken(game, &typed(game, value)))
        }
        _ => exact.replacen(name, &spoken(game, name), 1),
    }
}

/// Finds the value of a domain whose JSON form is `json`.
pub(super) fn read_outcome(game: &Game, dom: &Dom, json: &Json) -> Option<Value> {
    let items = |of: &Dom| -> Option<Value> {
        Some(Value::list(
            json.as_array()?.iter().map(|item| read_outcome(game, of, item)).collect::<Option<_>>()?,
        ))
    };
    match dom {
        Dom::Ints | Dom::AtLeast(_) | Dom::Range(..) => read_json(game, &Type::Int, json).ok(),
        Dom::Items(values) => values.iter().find(|value| text::json(game, value) == *json).cloned(),
        Dom::Elements(of) => elements(of).into_iter().find(|value| text::json(game, value) == *json),
        Dom::Permutations(values) => {
            items(&Dom::Items(Arc::new(values.iter().map(|(value, _)| value.clone()).collect())))
        }
        Dom::Arrangements(_, of) | Dom::Lists(_, of) | Dom::ListsFrom(_, _, of) => items(of),
        Dom::Counted(rows) => rows.iter().find(|value| text::json(game, value) == *json),
        Dom::Subsets(values, _) | Dom::SubsetsFrom(_, _, values) => {
            match items(&Dom::Items(Arc::new(values.clone())))? {
                Value::List(values) => Some(Value::set(values.iter().cloned())),
                _ => None,
            }
        }
        Dom::Tuples(parts) => {
            let array = json.as_array().filter(|array| array.len() == parts.len())?;
            Some(Value::list(
                parts
                    .iter()
                    .zip(array)
                    .map(|(part, item)| read_outcome(game, part, item))
                    .collect::<Option<_>>()?,
            ))
        }
    }
}
