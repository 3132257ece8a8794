//! Values as people type them: all ways to read the tokens from a place on as a value of a type.

use serde_json::{Map, Value as Json};

use super::super::typed::called;
use super::groups::{Given, Kept, is_number, kept, pairs};
use super::tokens::{Kind, Token, tokens};
use super::{Change, Changes};
use crate::eval::text::json_int;
use crate::ir::{Game, Move, Param, Slot, SquareAt, Type};
use crate::num::Int;
use crate::play::{NUMBER_WORDS, SUITS, Suit, chosen};

/// Words that say nothing about which value is meant.
const FILLERS: &[&str] =
    &["to", "at", "on", "in", "into", "from", "of", "off", "with", "and", "then", "x", "the", "a", "my"];
/// Those of the fillers that precede the place something is taken from: `3 from 4`.
pub const FROM: &[&str] = &["from", "of", "off"];
/// Endings of ordinal numbers.
const ORDINAL: &[&str] = &["st", "nd", "rd", "th"];
/// The most steps that are taken to read the arguments of one move.
const STEPS: usize = 4000;

/// A place in a line: a token, and a byte offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    pub token: usize,
    pub byte: usize,
}

/// Returns the number that a word stands for: `three`.
fn number_word(word: &str) -> Option<usize> {
    NUMBER_WORDS.iter().position(|number| same(number, word)).map(|at| at + 1)
}

/// Something that was read: what, where it ends, and which changes were made.
type Read<T> = (T, At, Vec<Change>);

/// Reads the tokens of a line.
pub struct Reader<'g> {
    pub game: &'g Game,
    pub players: usize,
    pub tokens: &'g [Token],
    steps: usize,
}

/// The arguments read so far, not always all.
#[derive(Debug, Clone)]
pub struct Filled {
    pub args: Map<String, Json>,
    pub changes: Changes,
    /// The parameters that the line names.
    named: Vec<String>,
    /// For each argument without a name, the parameters before its own that had no argument yet.
    skipped: Vec<Vec<String>>,
    /// The values in the order of the line.
    given: Vec<Given>,
}

impl Filled {
    /// Returns the arguments with [`Change::Order`] for each one that comes before others for no reason: those
    /// that the line names may come anywhere.
    fn ordered(&self) -> Filled {
        let unnamed = |names: &&Vec<String>| names.iter().any(|name| !self.named.contains(name));
        let order = vec![Change::Order; self.skipped.iter().filter(unnamed).count()];
        Filled { changes: self.changes.and(&order), ..self.clone() }
    }
}

impl<'g> Reader<'g> {
    pub fn new(game: &'g Game, players: usize, tokens: &'g [Token]) -> Reader<'g> {
        Reader { game, players, tokens, steps: 0 }
    }

    /// Returns the rest of the token at a place.
    fn rest(&self, at: At) -> Option<(Kind, &'g str)> {
        let token = self.tokens.get(at.token)?;
        Some((token.kind, &token.text[at.byte..]))
    }

    /// Returns the place `length` bytes on within the token at `at`, and whether that splits the token.
    fn on(&self, at: At, length: usize) -> (At, Vec<Change>) {
        let whole = self.tokens[at.token].text.len() == at.byte + length;
        let split = if whole && at.byte == 0 { Vec::new() } else { vec![Change::Split] };
        match whole {
            true => (At { token: at.token + 1, byte: 0 }, split),
            false => (At { token: at.token, byte: at.byte + length }, split),
        }
    }

    // ---- words

    /// Returns every name in `known` that the text at a place can mean.
    pub fn word<'k>(&self, at: At, known: impl Iterator<Item = &'k str> + Clone) -> Vec<Read<&'k str>> {
        let Some((Kind::Run, rest)) = self.rest(at) else { return Vec::new() };
        let mut found = Vec::new();
        let mut meant = |typed: &str, end: At, changes: &[Change]| {
            for name in known.clone() {
                if let Some(change) = resembles(typed, name) {
                    found.push((name, end, changes.iter().copied().chain(change).collect()));
                }
            }
        };
        let (end, split) = self.on(at, rest.len());
        meant(rest, end, &split);
        // `draw card` and `draw-card` for `draw_card`, `check or call` for `check_or_call`.
        let most = known.clone().map(|name| name.split('_').count()).max().unwrap_or(0).max(2);
        let (mut words, mut behind) = (rest.to_string(), end.token);
        for _ in 1..most {
            let hyphen = self.tokens.get(behind).is_some_and(|token| token.text == "-");
            let next = At { token: behind + usize::from(hyphen), byte: 0 };
            let Some((Kind::Run, word)) = self.rest(next) else { break };
            words = format!("{words}_{word}");
            behind = next.token + 1;
            meant(&words, At { token: behind, byte: 0 }, &[Change::Split]);
        }
        // `flip4`: a full name with something after it.
        for name in known.clone() {
            let head = rest.get(..name.len()).filter(|head| head.len() < rest.len());
            if let Some(head) = head.filter(|head| same(head, name)) {
                let (end, mut changes) = self.on(at, head.len());
                changes.extend((head != name).then_some(Change::Case));
                found.push((name, end, changes));
            }
        }
        found
    }

    /// Returns where a word ends, if it is at this place in full.
    pub fn whole_word(&self, at: At, word: &str) -> Option<At> {
        let (_, rest) = self.rest(at).filter(|(kind, _)| *kind == Kind::Run)?;
        same(rest, word).then_some(At { token: at.token + 1, byte: 0 })
    }

    /// Whether there is a filler word at a place that is not used as the name of an argument.
    fn is_filler(&self, at: At) -> bool {
        let Some((Kind::Run, rest)) = self.rest(at) else { return false };
        let next = self.tokens.get(at.token + 1);
        next.is_some_and(|next| next.kind != Kind::Equals) && FILLERS.iter().any(|filler| same(filler, rest))
    }

    // ---- values

    /// Returns every value of a type that the tokens from a place on can mean.
    fn values(&mut self, at: At, ty: &Type) -> Vec<Read<Json>> {
        self.steps += 1;
        if self.steps > STEPS {
            return Vec::new();
        }
        let json = |word: &str| Json::String(word.to_string());
        let game = self.game;
        match ty {
            Type::Int => self.ints(at),
            Type::Bool => {
                let words = [("yes", true), ("no", false), ("true", true), ("false", false)];
                let found = self.word(at, words.iter().map(|(word, _)| *word));
                let value = |word: &str| words.iter().any(|(known, value)| *known == word && *value);
                found
                    .into_iter()
                    .map(|(word, end, changes)| (Json::Bool(value(word)), end, changes))
                    .collect()
            }
            Type::Symbol(ids) => {
                let known = ids.iter().map(|id| game.symbols[*id].as_str());
                let mut found = self.word(at, known);
                if found.is_empty()
                    && let Some((Kind::Run, rest)) = self.rest(at)
                    && let Some(id) = game.called(&rest.to_lowercase(), ids.iter().copied())
                {
                    // `up` for `north`.
                    let (end, split) = self.on(at, rest.len());
                    let changes = [vec![Change::Beginning], split].concat();
                    found.push((&game.symbols[id], end, changes));
                }
                if found.is_empty()
                    && let Some((Kind::Run, rest)) = self.rest(at)
                    && let Some((suit, length)) = drawn_suit(rest)
                    && let Some(id) = ids.iter().find(|id| game.symbols[**id] == suit.name)
                {
                    // `♥3` or `H3` as it is drawn.
                    let (end, changes) = self.on(at, length);
                    found.push((&game.symbols[*id], end, changes));
                }
                found.into_iter().map(|(word, end, changes)| (json(word), end, changes)).collect()
            }
            Type::Player => self.player(at),
            Type::Square => self.squares(at),
            Type::Optional(of) => {
                let none = self.word(at, ["none"].into_iter());
                let none = none.into_iter().map(|(_, end, changes)| (Json::Null, end, changes));
                none.chain(self.values(at, of)).collect()
            }
            Type::Either(ids, of) => {
                let mut found = self.values(at, &Type::Symbol(ids.clone()));
                found.extend(self.values(at, of));
                found
            }
            Type::List(of) | Type::Set(of) | Type::Bag(of) => self.many(at, of),
            Type::Tuple(parts) => self.tuple(at, parts),
            _ => Vec::new(),
        }
    }

    fn ints(&self, at: At) -> Vec<Read<Json>> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        match self.rest(at) {
            Some((Kind::Run, rest)) if let Some(number) = number_word(rest) => {
                let (end, split) = self.on(at, rest.len());
                let changes = [vec![Change::Split], split].concat();
                vec![(Json::from(number), end, changes)]
            }
            Some((Kind::Run, rest)) => {
                let sign = usize::from(rest.starts_with('-'));
                let length = sign + digits(&rest[sign..]);
                let Ok(number) = rest[..length].parse::<Int>() else { return Vec::new() };
                // `4th` is 4.
                let ordinal = sign == 0 && ORDINAL.iter().any(|ending| same(ending, &rest[length..]));
                let (end, mut changes) = self.on(at, if ordinal { rest.len() } else { length });
                changes.extend(ordinal.then_some(Change::Split));
                vec![(json_int(&number), end, changes)]
            }
            // `3-1` may be 3 and -1, or 3 and 1, which is read where the dash is skipped.
            Some((Kind::Dash, _)) => {
                let mut found = self.ints(At { token: at.token + 1, byte: 0 });
                for (value, _, changes) in &mut found {
                    if let Some(Ok(number)) =
                        value.as_number().map(|number| format!("-{number}").parse::<Int>())
                    {
                        *value = json_int(&number);
                    }
                    changes.push(Change::Split);
                }
                found
            }
            _ => Vec::new(),
        }
    }

    fn squares(&self, at: At) -> Vec<Read<Json>> {
        let Some((Kind::Run, rest)) = self.rest(at) else { return Vec::new() };
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut found = Vec::new();
        let mut square = |text: &str, end: At, changes: Vec<Change>| {
            let low = text.to_ascii_lowercase();
            if let Some(square) = SquareAt::read(&low) {
                let case = (low != text).then_some(Change::Case);
                found.push((Json::String(square.words()), end, changes.into_iter().chain(case).collect()));
            }
        };
        if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let length = 1 + digits(&rest[1..]);
            let (end, changes) = self.on(at, length);
            square(&rest[..length], end, changes);
            if let Some((Kind::Run, row)) = self.rest(end).filter(|_| rest.len() == 1) {
                let (end, _) = self.on(end, digits(row));
                square(&format!("{rest}{}", &row[..digits(row)]), end, vec![Change::Split]);
            }
        }
        // Columns past `z` have no letter: `27-3`.
        let behind = [Kind::Dash, Kind::Run]
            .iter()
            .enumerate()
            .all(|(i, kind)| self.tokens.get(at.token + 1 + i).is_some_and(|token| token.kind == *kind));
        if behind && at.byte == 0 {
            let row = &self.tokens[at.token + 2].text;
            square(&format!("{rest}-{row}"), At { token: at.token + 3, byte: 0 }, Vec::new());
        }
        found
    }

    fn player(&self, at: At) -> Vec<Read<Json>> {
        let Some((Kind::Run, rest)) = self.rest(at) else { return Vec::new() };
        let mut found: Vec<Read<Json>> = Vec::new();
        let called = self.game.seats.roles.iter().map(String::as_str);
        for (name, end, changes) in self.word(at, called.clone()) {
            let seat = called.clone().position(|known| known == name).map_or(0, |seat| seat + 1);
            found.push((seat.into(), end, changes));
        }
        found.extend(self.person(at).map(|(seat, end)| ((seat + 1).into(), end, Vec::new())));
        // `player 2`, `p2`.
        let word = ["player", "seat", "p"]
            .into_iter()
            .find(|word| rest.get(..word.len()).is_some_and(|head| same(head, word)));
        let numbers = match word {
            Some(word) => {
                let (next, _) = self.on(at, word.len());
                let numbers = self.ints(next).into_iter();
                numbers.map(|(value, end, _)| (value, end, vec![Change::Split])).collect()
            }
            None => self.ints(at),
        };
        let seat =
            |value: &Json| value.as_u64().is_some_and(|seat| (1..=self.players as u64).contains(&seat));
        found.extend(numbers.into_iter().filter(|(value, ..)| seat(value)));
        found
    }

    /// Returns the seat (from 0) of the person whose name is at a place, in full or by an unambiguous first
    /// word, and where the name ends.
    fn person(&self, at: At) -> Option<(usize, At)> {
        let typed = self.tokens.get(at.token..).filter(|_| at.byte == 0)?;
        let seats = &self.game.seats;
        let whole = seats.player_names.iter().take(self.players).enumerate().find_map(|(seat, name)| {
            let name = tokens(name.as_ref()?)?;
            let stands =
                typed.len() >= name.len() && name.iter().zip(typed).all(|(a, b)| same(&a.text, &b.text));
            stands.then_some((seat, name.len()))
        });
        let first = || Some((seats.find_first(&typed.first()?.text).filter(|seat| *seat < self.players)?, 1));
        let (seat, length) = whole.or_else(first)?;
        Some((seat, At { token: at.token + length, byte: 0 }))
    }

    /// Whether a token is the name of a move.
    pub fn is_move(&self, token: usize) -> bool {
        let text = self.tokens.get(token).map(|token| &token.text);
        text.is_some_and(|text| self.game.moves.iter().any(|mv| same(&mv.name, text)))
    }

    /// Skips separators. Returns the place after them, and whether there were any.
    fn part(&self, mut at: At) -> (At, bool) {
        let from = at;
        while matches!(self.rest(at), Some((Kind::Gap | Kind::Equals, _))) {
            at = At { token: at.token + 1, byte: 0 };
        }
        (at, at != from)
    }

    /// Returns the values of a type at a place, after skipping separators.
    fn parted(&mut self, at: At, ty: &Type) -> Vec<Read<Json>> {
        let (here, gap) = self.part(at);
        let mut found = self.values(here, ty);
        let next = At { token: here.token + 1, byte: 0 };
        let behind = match self.rest(here) {
            Some((Kind::Dash, _)) => Some(next),
            // `a2xa3`: the `x` only separates the squares.
            Some((Kind::Run, rest)) if here.byte > 0 && rest.len() > 1 && rest.starts_with(['x', 'X']) => {
                Some(At { byte: here.byte + 1, ..here })
            }
            _ if found.is_empty() && self.is_filler(here) => Some(next),
            _ => None,
        };
        if let Some(behind) = behind {
            let mut behind = self.values(behind, ty);
            behind.iter_mut().for_each(|(_, _, changes)| changes.push(Change::Split));
            found.extend(behind);
        }
        if gap {
            found.iter_mut().for_each(|(_, _, changes)| changes.push(Change::Split));
        }
        found
    }

    /// Reads a collection: in brackets, or without them of any possible length.
    fn many(&mut self, at: At, of: &Type) -> Vec<Read<Json>> {
        let list = |items: &[Json]| Json::Array(items.to_vec());
        let mut found = Vec::new();
        if let Some((Kind::Open, _)) = self.rest(at) {
            let mut runs: Vec<Read<Vec<Json>>> =
                vec![(Vec::new(), At { token: at.token + 1, byte: 0 }, Vec::new())];
            while let Some((items, end, changes)) = runs.pop() {
                let (close, _) = self.part(end);
                if let Some((Kind::Close, _)) = self.rest(close) {
                    found.push((list(&items), At { token: close.token + 1, byte: 0 }, changes));
                    continue;
                }
                runs.extend(self.one_more(&items, end, &changes, of));
            }
            // `(3,1,2) (3,2,1)`: each element may have brackets of its own.
            if matches!(of, Type::Tuple(_)) {
                found.extend(
                    self.unbracketed(at, of)
                        .into_iter()
                        .filter(|(items, ..)| items.as_array().is_some_and(|items| items.len() > 1)),
                );
            }
            return found;
        }
        if let Some((Kind::Run, rest)) = self.rest(at)
            && same(rest, "none")
            && !called(self.game, rest)
        {
            found.push((list(&[]), self.on(at, rest.len()).0, Vec::new()));
        }
        found.extend(self.unbracketed(at, of));
        // `1342`: one digit per element.
        if let Some((Kind::Run, rest)) = self.rest(at).filter(|(_, rest)| rest.len() > 1)
            && *of == Type::Int
            && rest.bytes().all(|c| c.is_ascii_digit())
        {
            let digits: Vec<Json> = rest.bytes().map(|digit| Json::from(digit - b'0')).collect();
            found.push((list(&digits), self.on(at, rest.len()).0, vec![Change::Split, Change::Split]));
        }
        found
    }

    /// Reads the elements of a collection that has no brackets around it.
    fn unbracketed(&mut self, at: At, of: &Type) -> Vec<Read<Json>> {
        let mut found = Vec::new();
        let mut runs: Vec<Read<Vec<Json>>> = vec![(Vec::new(), at, Vec::new())];
        while let Some((items, end, changes)) = runs.pop() {
            if !items.is_empty() || end.token >= self.tokens.len() {
                found.push((Json::Array(items.clone()), end, changes.clone()));
            }
            runs.extend(self.one_more(&items, end, &changes, of));
        }
        found
    }

    fn one_more(&mut self, items: &[Json], end: At, changes: &[Change], of: &Type) -> Vec<Read<Vec<Json>>> {
        let grown = |(value, end, more): Read<Json>| {
            let items = items.iter().cloned().chain([value]).collect();
            (items, end, changes.iter().copied().chain(more).collect())
        };
        self.parted(end, of).into_iter().map(grown).collect()
    }

    fn tuple(&mut self, at: At, parts: &[Type]) -> Vec<Read<Json>> {
        let open = matches!(self.rest(at), Some((Kind::Open, _)));
        let start = At { token: at.token + usize::from(open), byte: if open { 0 } else { at.byte } };
        let mut runs: Vec<Read<Vec<Json>>> = vec![(Vec::new(), start, Vec::new())];
        for part in parts {
            let mut longer = Vec::new();
            for (items, end, changes) in &runs {
                longer.extend(self.one_more(items, *end, changes, part));
            }
            runs = longer;
        }
        let closed = |(items, end, changes): Read<Vec<Json>>| match (open, self.rest(end)) {
            (false, _) => Some((Json::Array(items), end, changes)),
            (true, Some((Kind::Close, _))) => {
                Some((Json::Array(items), At { token: end.token + 1, byte: 0 }, changes))
            }
            (true, _) => None,
        };
        runs.into_iter().filter_map(closed).collect()
    }

    // ---- arguments

    /// Returns every way in which the rest of the line, from a place on, gives arguments of a move.
    pub fn arguments(&mut self, mv: &Move, at: At, changes: &[Change]) -> Vec<Filled> {
        let mut found = Vec::new();
        self.steps = 0;
        let given = Filled {
            args: Map::new(),
            changes: Changes::of(changes),
            named: Vec::new(),
            skipped: Vec::new(),
            given: Vec::new(),
        };
        self.fill(mv, at, &given, &mut found);
        self.keep_groups(mv, at, &mut found);
        found
    }

    /// Judges readings by the brackets, commas and colons between the values: those that tear a group come
    /// last, and a group that is moved as a whole is one change.
    fn keep_groups(&self, mv: &Move, start: At, found: &mut [Filled]) {
        const TWO: usize = 2;
        let numbers = chosen(mv).filter(|param| is_number(&param.ty)).count();
        if numbers <= TWO {
            return;
        }
        let pairs = pairs(self.game, mv);
        let params: Vec<Slot> = chosen(mv).map(|param| param.slot).collect();
        for filled in found {
            filled.changes = match kept(self.tokens, start, &params, &filled.given, &pairs) {
                Kept::Plainly => continue,
                Kept::Otherwise => filled.changes.and(&[Change::Order]),
                Kept::Turned | Kept::Perhaps => filled.changes.without(Change::Order).and(&[Change::Order]),
                Kept::Torn => filled.changes.and(&[Change::TornGroup]),
            };
        }
    }

    fn fill(&mut self, mv: &Move, at: At, given: &Filled, found: &mut Vec<Filled>) {
        self.steps += 1;
        let (at, gap) = self.part(at);
        if self.steps > STEPS {
            return;
        }
        let parted: &[Change] = if gap { &[Change::Split] } else { &[] };
        let Some((kind, rest)) = self.rest(at) else {
            // An empty list is given by typing nothing.
            found.push(Filled { changes: given.changes.and(parted), ..given.clone() }.ordered());
            return;
        };
        let open: Vec<&Param> = chosen(mv).filter(|param| !given.args.contains_key(&param.name)).collect();
        let before = found.len();
        if kind == Kind::Run && at.byte == 0 {
            for (param, case) in open.iter().filter_map(|param| Some((param, names(rest, &param.name)?))) {
                let next = At { token: at.token + 1, byte: 0 };
                let equals = matches!(self.rest(next), Some((Kind::Equals, _)));
                let from = At { token: next.token + usize::from(equals), byte: 0 };
                let named = (!equals).then_some(Change::Split);
                let changes: Vec<Change> = parted.iter().copied().chain(case).chain(named).collect();
                let mut given = given.clone();
                given.named.push(param.name.clone());
                self.put(mv, param, from, &given, (&changes, &[]), found);
            }
        }
        for (place, param) in open.iter().enumerate() {
            let skipped: Vec<String> = open[..place].iter().map(|param| param.name.clone()).collect();
            self.put(mv, param, at, given, (parted, &skipped), found);
        }
        let passed = match kind {
            Kind::Dash | Kind::Open | Kind::Close => true,
            _ => found.len() == before && self.is_filler(at) && !is_param(mv, rest),
        };
        if passed {
            let split = Filled { changes: given.changes.and(&[Change::Split]), ..given.clone() };
            self.fill(mv, At { token: at.token + 1, byte: 0 }, &split, found);
        }
    }

    /// Reads a parameter's value at a place, and continues after it. `how` has the changes made before it and
    /// the parameters that are skipped.
    fn put(
        &mut self,
        mv: &Move,
        param: &Param,
        at: At,
        given: &Filled,
        how: (&[Change], &[String]),
        found: &mut Vec<Filled>,
    ) {
        let (changes, skipped) = how;
        for (value, end, more) in self.parted(at, &param.ty) {
            // A word that names a parameter of this move says more than a filler.
            let ignores_name = (at.token..end.token)
                .any(|token| self.is_filler(At { token, byte: 0 }) && is_param(mv, &self.tokens[token].text));
            if ignores_name {
                continue;
            }
            let mut filled = Filled { changes: given.changes.and(changes).and(&more), ..given.clone() };
            filled.args.insert(param.name.clone(), value);
            filled.given.push(Given {
                slot: param.slot,
                number: is_number(&param.ty),
                named: given.named.contains(&param.name),
                end,
            });
            // In `3 from 4` either order is natural, so reversing it does not count as a change.
            let turned = self.is_filler(end)
                && self
                    .rest(end)
                    .is_some_and(|(_, word)| FROM.iter().any(|from| same(from, word)) && !is_param(mv, word));
            if !turned {
                filled.skipped.push(skipped.to_vec());
            }
            self.fill(mv, end, &filled, found);
        }
    }
}

/// Whether a word is the name of a parameter of a move. A single letter, as in `3 x 4`, may separate values
/// even if a parameter is called so.
fn is_param(mv: &Move, word: &str) -> bool {
    word.len() > 1 && chosen(mv).any(|param| same(&param.name, word))
}

/// Whether two words are equal, ignoring case.
pub fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// Returns the change, if any, by which a word names a parameter: in full or by its first letters, as in `col
/// 3`. `None` if it does not name it.
fn names(typed: &str, name: &str) -> Option<Option<Change>> {
    const SHORT: usize = 3;
    let beginning = || typed.len() >= SHORT && name.starts_with(&typed.to_lowercase());
    match same(typed, name) {
        true => Some((typed != name).then_some(Change::Case)),
        false => beginning().then_some(Some(Change::Beginning)),
    }
}

/// Returns the change, if any, by which `typed` can mean `name`; the outer `None` if it cannot.
pub fn resembles(typed: &str, name: &str) -> Option<Option<Change>> {
    const SHORT: usize = 3;
    let (low, name_low) = (typed.to_lowercase(), name.to_lowercase());
    if typed == name {
        return Some(None);
    }
    if low == name_low {
        return Some(Some(Change::Case));
    }
    if name_low.starts_with(&low) {
        return Some(Some(Change::Beginning));
    }
    let long = low.chars().count().min(name_low.chars().count()) >= SHORT;
    (long && strsim::damerau_levenshtein(&low, &name_low) == 1).then_some(Some(Change::Typing))
}

/// Returns the suit that a text begins with as cards are drawn, `♥3` or, on a screen without signs, `H3`; and how many
/// bytes its sign takes.
fn drawn_suit(text: &str) -> Option<(&'static Suit, usize)> {
    let mut chars = text.chars();
    let (first, next) = (chars.next()?, chars.next().unwrap_or(' '));
    let drawn = |suit: &&Suit| {
        suit.sign == first || suit.letter == first.to_ascii_uppercase() && next.is_ascii_digit()
    };
    SUITS.iter().find(drawn).map(|suit| (suit, first.len_utf8()))
}
