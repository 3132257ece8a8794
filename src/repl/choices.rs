//! Describes legal moves so that a person can choose: values and moves as they are typed, products by their
//! factors, long lists by what the items have in common.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value as Json};

use super::screen::join;
use super::words::{self, and};
use crate::eval::elements;
use crate::eval::text::wide;
use crate::ir::{Move, Param, SquareAt, Value};
use crate::num::Int;
use crate::play::{Entry, Match, chosen, large, spoken, usage};

/// The most legal moves that are enumerated for a description.
const MANY: usize = 3000;
/// The most lines of a comment shown for a move.
const DOC_LINES: usize = 3;
/// The most lines of values shown for a move.
const VALUE_LINES: usize = 3;
/// More moves than this are described as a product if they are one.
const FEW: usize = 8;
const INDENT: usize = 4;

/// Describes what a player can play now: how each move is typed, what it does, and its legal values.
pub fn moves(played: &Match, player: usize, width: usize) -> String {
    let name = played.rules.game.seat_name(player - 1);
    let legal = match Legal::of(played, player) {
        Ok(legal) => legal,
        Err(sentence) => return sentence,
    };
    if legal.moves.is_empty() {
        return format!("{name} has no legal move");
    }
    let mut parts = vec![format!("{name} can play:")];
    for mv in played.offered_to(player) {
        let doc =
            mv.doc.as_ref().map_or(String::new(), |doc| doc.split_whitespace().collect::<Vec<_>>().join(" "));
        let doc: Vec<String> = words::folded(&doc, INDENT, width).lines().map(String::from).collect();
        parts.push(format!("  {}", usage(&played.rules.game, mv).trim_matches('`')));
        parts.push(doc[..doc.len().min(DOC_LINES)].join("\n"));
        if doc.len() > DOC_LINES {
            parts.push(format!("{:INDENT$}(`:rule {}` shows the rest)", "", mv.name));
        }
        parts.push(match legal.told(mv, VALUE_LINES, width) {
            Told::Nothing => String::new(),
            Told::Items(_, items) => words::listed(&items, INDENT, width),
            Told::Words(sentence) => words::folded_around(&sentence, INDENT, width),
        });
    }
    join(parts)
}

/// The part of a refused move that is no reason to refuse it.
pub struct Begun<'m> {
    /// The name of the move; empty if any move will do.
    pub name: &'m str,
    /// All of its arguments.
    pub args: &'m Map<String, Json>,
    /// The number of arguments, from the first, that can be kept.
    pub given: usize,
}

impl Begun<'_> {
    /// Returns a move of which only the name is known.
    pub fn named(name: &str) -> Begun<'_> {
        static NONE: LazyLock<Map<String, Json>> = LazyLock::new(Map::new);
        Begun { name, args: &NONE, given: 0 }
    }
}

/// Describes in a few lines what could be played instead of a refused move, preferring moves that begin as it
/// does; `near` is the most similar legal move.
pub fn possible(played: &Match, player: usize, begun: &Begun, near: Option<String>, width: usize) -> String {
    let Ok(mut legal) = Legal::of(played, player) else { return String::new() };
    legal.keep_begun(begun);
    legal.example = near;
    let name = begun.name;
    let offered = played.offered_to(player);
    let same: Vec<&&Move> = offered.iter().filter(|mv| mv.name == name).collect();
    let moves: Vec<&&Move> = if same.is_empty() { offered.iter().collect() } else { same };
    let (mut items, mut sentences) = (Vec::new(), Vec::new());
    for mv in moves.into_iter().filter(|mv| legal.moves.iter().any(|entry| entry.name == mv.name)) {
        match legal.told(mv, VALUE_LINES, width) {
            Told::Nothing => items.push(spoken(&played.rules.game, &mv.name)),
            Told::Items(whole, mut found) => {
                // `go 1, 2` would read like one move with two values.
                let all_told = found.iter().map(|item| wide(item) + 2).sum::<usize>() <= VALUE_LINES * 60;
                if !whole
                    && all_told
                    && found.len() > 1
                    && let Some(last) = found.pop()
                    && let Some(before) = found.pop()
                {
                    found.push(format!("{before} or {last}"));
                }
                let mut found = found.into_iter();
                let first = found.next().map(|first| {
                    if whole { first } else { format!("{} {first}", spoken(&played.rules.game, &mv.name)) }
                });
                items.extend(first.into_iter().chain(found));
            }
            Told::Words(sentence) => {
                sentences.push(format!("`{}`: {sentence}", usage(&played.rules.game, mv).trim_matches('`')))
            }
        }
    }
    let items = match items.is_empty() {
        true => String::new(),
        false => some_of("possible: ", items, width),
    };
    let sentences =
        sentences.iter().map(|sentence| words::paragraph(&format!("possible: {sentence}"), width));
    join([items].into_iter().chain(sentences).collect())
}

/// Lists the first few of some moves after `head`.
pub fn some_of(head: &str, mut items: Vec<String>, width: usize) -> String {
    let mut room = VALUE_LINES * 60;
    let fits = items.iter().take_while(|item| {
        let long = wide(item) + 2;
        let fits = long <= room;
        room = room.saturating_sub(long);
        fits
    });
    let most = fits.count().max(1);
    let left = items.len().saturating_sub(most);
    items.truncate(most);
    if left > 0 {
        items.push(format!("and {left} more"));
    }
    words::hanging(head, &items, width)
}

/// Returns a legal move as it is typed, if possible one with arguments: the first, or one that bots could
/// draw.
pub fn example(played: &Match, player: usize) -> Option<String> {
    let legal = Legal::of(played, player).ok()?;
    let with_values = played.offered_to(player).into_iter().filter(|mv| chosen(mv).next().is_some());
    let found = with_values.filter_map(|mv| legal.first(mv)).next();
    found.or_else(|| Some(played.entry_words(legal.moves.first()?)))
}

/// A description of a move's legal values.
enum Told {
    /// There is nothing to choose.
    Nothing,
    /// The values one by one; with `true`, the items are whole moves.
    Items(bool, Vec<String>),
    /// What the values have in common.
    Words(String),
}

/// The legal moves of a player.
struct Legal<'m> {
    played: &'m Match,
    player: usize,
    moves: Vec<Entry>,
    /// Whether there are more legal moves than `moves`.
    more: bool,
    /// A move to show as an example instead of the first.
    example: Option<String>,
}

impl Legal<'_> {
    fn of(played: &Match, player: usize) -> Result<Legal<'_>, String> {
        let (moves, more) = played.some_legal(player, MANY).map_err(|refused| refused.message)?;
        Ok(Legal { played, player, moves, more, example: None })
    }

    /// Keeps only the moves that begin with the arguments that can be kept, if there are any.
    fn keep_begun(&mut self, begun: &Begun) {
        let begins = |entry: &&Entry| {
            let json = self.played.entry_json(entry);
            let same = |(param, _): &(String, Value)| begun.args.get(param) == Some(&json["args"][param]);
            entry.name == begun.name && entry.args.iter().take(begun.given).all(same)
        };
        if begun.given > 0 && !self.more {
            let begun: Vec<Entry> = self.moves.iter().filter(begins).cloned().collect();
            if !begun.is_empty() {
                self.moves = begun;
            }
        }
    }

    /// Describes the legal values of a move in at most `lines` lines.
    fn told(&self, mv: &Move, lines: usize, width: usize) -> Told {
        let legal: Vec<&Entry> = self.moves.iter().filter(|entry| entry.name == mv.name).collect();
        let params: Vec<&Param> = chosen(mv).collect();
        if legal.is_empty() {
            let why = if self.more { "too many moves to list them" } else { "not possible now" };
            return Told::Words(why.to_string());
        }
        if params.is_empty() {
            return Told::Nothing;
        }
        // A move with unbounded arguments is listed among the legal ones without them.
        let endless = legal.iter().any(|entry| entry.args.len() < params.len());
        if endless || self.more {
            return Told::Words(self.with_example(mv, self.domains(mv, &params)));
        }
        let rows: Vec<Vec<&Value>> =
            legal.iter().map(|entry| entry.args.iter().map(|(_, value)| value).collect()).collect();
        let factors = factors(&rows, params.len());
        if factors.len() < 2 || legal.len() <= FEW {
            let (whole, items) = self.values(mv, &legal);
            if words::listed(&items, INDENT, width).lines().count() <= lines {
                return Told::Items(whole, items);
            }
        }
        let parts: Vec<String> = factors
            .iter()
            .map(|(from, to)| {
                let rows: BTreeSet<Vec<&Value>> = rows.iter().map(|row| row[*from..*to].to_vec()).collect();
                self.factor(mv, &params[*from..*to], params.len(), &rows)
            })
            .collect();
        Told::Words(self.with_example(mv, parts.join("; ")))
    }

    /// Returns the first legal move of this name with all its arguments, as it is typed.
    fn first(&self, mv: &Move) -> Option<String> {
        let whole = |entry: &Entry| entry.name == mv.name && entry.args.len() == chosen(mv).count();
        // One that shows how values are typed.
        let telling = |entry: &&Entry| whole(entry) && !entry.args.iter().any(|(_, value)| is_nothing(value));
        let listed = || {
            let found = self.moves.iter().find(telling);
            found.or_else(|| self.moves.iter().find(|entry| whole(entry))).cloned()
        };
        // If there are infinitely many, use the window that bots draw from.
        let drawn = || {
            let (_, moves) = self.played.legal(self.player, FEW).ok()?;
            moves.into_iter().find(whole)
        };
        listed().or_else(drawn).map(|entry| self.played.entry_words(&entry))
    }

    fn with_example(&self, mv: &Move, sentence: String) -> String {
        let near = self.example.clone().filter(|near| near.split(' ').next() == Some(&mv.name));
        match near.or_else(|| self.first(mv)) {
            Some(example) => format!("{sentence}; as in `{}`", words::short(&example)),
            None => sentence,
        }
    }

    /// Describes the domain of each parameter.
    fn domains(&self, mv: &Move, params: &[&Param]) -> String {
        let parts = params.iter().map(|param| {
            let name = large(&param.name);
            match self.played.domain_words(self.player, mv, param) {
                Some(words) => format!("{name}: {}", words::short(&words)),
                None => format!("{name} depends on the values before it"),
            }
        });
        let checked = match mv.checks.is_empty() {
            true => String::new(),
            false => format!("; not all of these are legal, and `:rule {}` says which", mv.name),
        };
        format!("{}{checked}", parts.collect::<Vec<_>>().join("; "))
    }

    /// Describes the values of parameters that form a factor: they can be chosen independently of the others.
    fn factor(&self, mv: &Move, params: &[&Param], all: usize, rows: &BTreeSet<Vec<&Value>>) -> String {
        let names: Vec<String> = params.iter().map(|param| large(&param.name)).collect();
        let names = names.join(" ");
        let head = if params.len() == all { String::new() } else { format!("{names} ") };
        if let Some(squares) = squares(rows, params.len()) {
            let (first, last) = (squares.first(), squares.last());
            let ends =
                first.zip(last).map_or(String::new(), |(a, b)| format!("{} … {}", a.words(), b.words()));
            let common = self.played.common(self.player, &squares);
            // Pairs of numbers only count as squares if they are those of a grid.
            match (common, params.len()) {
                (Some(common), 1) => return format!("{head}{common}: {} of them, {ends}", squares.len()),
                (Some(common), _) => return format!("{names} of {common}"),
                (None, 1) if squares.len() > FEW => {
                    return format!("{head}{} squares: {ends}", squares.len());
                }
                (None, _) => {}
            }
        }
        if let [param] = params {
            let values: Vec<&Value> = rows.iter().map(|row| row[0]).collect();
            if let Some(ints) = values.iter().map(|value| as_int(value)).collect::<Option<Vec<_>>>() {
                let found = ranges(&ints);
                if found.len() <= FEW {
                    return format!("{head}{}", found.join(", "));
                }
            }
            let words: Vec<String> = values.iter().map(|value| self.word(mv, param, value)).collect();
            return match words.as_slice() {
                [first, .., last] if words.len() > FEW => {
                    let rows = matches!(values[0], Value::List(_) | Value::Set(_) | Value::Bag(_));
                    match self.played.domain_words(self.player, mv, param) {
                        Some(from) if rows => {
                            format!("{head}{}; {} in all", words::short(&from), words.len())
                        }
                        Some(from) if from.starts_with("any") => format!("{head}{}", words::short(&from)),
                        _ => format!("{head}{} values: {first} … {last}", words.len()),
                    }
                }
                words => format!("{head}{}", words.join(", ")),
            };
        }
        // The later values depend on the first.
        let firsts: BTreeSet<Vec<&Value>> = rows.iter().map(|row| vec![row[0]]).collect();
        let first = self.factor(mv, &params[..1], all, &firsts);
        let rest: Vec<String> = params[1..].iter().map(|param| large(&param.name)).collect();
        let typed = firsts.first().map_or(String::new(), |row| self.word(mv, params[0], row[0]));
        let (rest, depend) = (and(&rest), if rest.len() == 1 { "depends" } else { "depend" });
        let names = large(&params[0].name);
        format!(
            "{first}; {rest} {depend} on {names}: type `{} {typed}` to see what goes with {typed}",
            spoken(&self.played.rules.game, &mv.name)
        )
    }

    /// Returns a value of a parameter as it is typed.
    fn word(&self, mv: &Move, param: &Param, value: &Value) -> String {
        let args = vec![(param.name.clone(), value.clone())];
        let entry = Entry { player: self.player, name: mv.name.clone(), args };
        self.played.entry_words(&entry)[mv.name.len()..].trim_start().to_string()
    }

    /// Lists the legal values of a move with one argument, with numbers merged into ranges; for other moves,
    /// and for collections, the whole moves (`true`).
    fn values(&self, mv: &Move, legal: &[&Entry]) -> (bool, Vec<String>) {
        let whole = || legal.iter().map(|entry| self.played.entry_words(entry)).collect();
        if chosen(mv).count() != 1 {
            return (true, whole());
        }
        let only: Vec<&Value> = legal.iter().filter_map(|entry| Some(&entry.args.first()?.1)).collect();
        match only.iter().map(|value| as_int(value)).collect::<Option<Vec<_>>>() {
            Some(ints) => (false, ranges(&ints)),
            None if only
                .iter()
                .any(|value| matches!(value, Value::List(_) | Value::Set(_) | Value::Bag(_))) =>
            {
                (true, whole())
            }
            None => {
                let value = |entry: &&Entry| {
                    self.played.entry_words(entry).get(mv.name.len() + 1..).map(String::from)
                };
                (false, legal.iter().filter_map(value).collect())
            }
        }
    }
}

/// Whether a value is an empty collection.
fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Set(_) | Value::Bag(_)) && elements(value).is_empty()
}

fn as_int<'v>(value: &&'v Value) -> Option<&'v Int> {
    match value {
        Value::Int(n) => Some(n),
        _ => None,
    }
}

/// Converts rows to squares, if each is a single square, or a pair of numbers as row and column.
fn squares(rows: &BTreeSet<Vec<&Value>>, length: usize) -> Option<BTreeSet<SquareAt>> {
    let number = |value: &Value| match value {
        Value::Int(n) => n.as_i64().and_then(|n| u32::try_from(n).ok()),
        _ => None,
    };
    let square = |row: &Vec<&Value>| match (row.as_slice(), length) {
        ([Value::Square(square)], 1) => Some(*square),
        ([row, column], 2) => Some(SquareAt { row: number(row)?, column: number(column)? }),
        _ => None,
    };
    rows.iter().map(square).collect()
}

/// Splits the columns of `rows`, which are distinct and have `length` values, into independent factors.
/// Returns the range of columns of each factor.
fn factors(rows: &[Vec<&Value>], length: usize) -> Vec<(usize, usize)> {
    let distinct = |from: usize, to: usize| -> usize {
        rows.iter().map(|row| &row[from..to]).collect::<BTreeSet<_>>().len()
    };
    let all = distinct(0, length);
    let cuts = (1..length).filter(|cut| distinct(0, *cut) * distinct(*cut, length) == all);
    let ends: Vec<usize> = [0].into_iter().chain(cuts).chain([length]).collect();
    ends.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Merges sorted numbers into ranges: `1 to 4, 6`.
fn ranges(ints: &[&Int]) -> Vec<String> {
    let mut out: Vec<(Int, Int)> = Vec::new();
    for n in ints {
        match out.last_mut() {
            Some((_, high)) if high.add(&Int::ONE) == **n => *high = (*n).clone(),
            _ => out.push(((*n).clone(), (*n).clone())),
        }
    }
    let words = out.into_iter().flat_map(|(low, high)| match high.sub(&low).as_i64() {
        Some(0) => vec![low.to_string()],
        Some(1) => vec![low.to_string(), high.to_string()],
        _ => vec![format!("{low} to {high}")],
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_split_where_nothing_depends() {
        let int = |n: i64| Value::Int(Int::from(n));
        let values = [int(1), int(2), int(3)];
        let row = |ids: &[usize]| ids.iter().map(|id| &values[*id]).collect::<Vec<_>>();
        let all = |ids: &[&[usize]]| ids.iter().map(|ids| row(ids)).collect::<Vec<_>>();
        assert_eq!(factors(&all(&[&[0, 0], &[0, 1], &[1, 0], &[1, 1]]), 2), [(0, 1), (1, 2)]);
        assert_eq!(factors(&all(&[&[0, 0], &[0, 1], &[1, 0]]), 2), [(0, 2)]);
        let free = [[0, 0, 1], [0, 1, 0], [0, 1, 1], [2, 0, 1], [2, 1, 0], [2, 1, 1]];
        assert_eq!(factors(&free.iter().map(|ids| row(ids)).collect::<Vec<_>>(), 3), [(0, 1), (1, 3)]);
    }

    #[test]
    fn neighbours_are_drawn_together() {
        let ints: Vec<Int> = [1, 2, 3, 5, 6, 9].map(Int::from).to_vec();
        assert_eq!(ranges(&ints.iter().collect::<Vec<_>>()), ["1 to 3", "5", "6", "9"]);
    }
}
