//! Looking back at a match: its steps, variations from any of them, comments; and the text shown for them.
//!
//! Comments and variations are stored in the record, where other readers ignore them: the first entry of a
//! step has its `comment` and its `variations`, each a list of entries that replaces the rest of the record.

mod advice;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::acts::{Act, HELP};
use super::reading::{Understood, understand};
use super::table::{Table, replay_entry};
use super::typed::spoken_text;
use super::{history, screen, secrets, words};
use crate::eval::text::wide;
use crate::play::{Glimpse, Look, Match, Record, Rules, Told, Viewer, tell};

/// The lines that the list of steps gets on a full screen unless the table needs them.
const LEAST_STEPS: usize = 5;
/// The most lines of the current step.
const MOST_OF_STEP: usize = 4;

/// The seed for randomness in variations.
const VARIATIONS: u64 = 0;

/// A step: a choice or joint choice and the draws after it; the start has the draws before the first choice.
#[derive(Default)]
struct Node {
    entries: Vec<Json>,
    /// The step before it; the start is its own.
    before: usize,
    /// The steps after it: the line of the record first, then variations.
    next: Vec<usize>,
    comment: String,
    /// What was done and what happened then.
    parts: Vec<Part>,
    /// What a review says of it, if it turned the match.
    turned: String,
    /// Entries of the record after this step that cannot be played.
    rest: Vec<Json>,
}

/// A part of what a step consists of.
struct Part {
    /// What it is, as everybody may read it during the match (empty if nobody but one player may), and with nothing hidden.
    closed: String,
    open: String,
    /// Whether it is a choice or a draw; otherwise it happened by itself.
    made: bool,
}

/// A match that is being looked back at.
pub struct Lookback {
    rules: Arc<Rules>,
    /// The record as it was read, with what other programs added; its entries are replaced on writing.
    json: Json,
    nodes: Vec<Node>,
    at: usize,
    /// The position at the current step.
    played: Match,
    /// The last step of the record that can be played, and the position there.
    end: (usize, Match),
    /// A joint choice that is half made.
    half: Option<Match>,
    /// Whether the match is over, so that nothing is hidden any more.
    over: bool,
    /// The only person at the table (from 1), who also sees what that player alone saw.
    person: Option<usize>,
    /// Whether something is hidden that still matters for the rest of the match.
    hides: bool,
    /// What is wrong with the record, if part of it cannot be played.
    broken: Option<String>,
    changed: bool,
    look: Look,
    /// A table with the game, for advice on positions of the match, once it was asked for.
    desk: Option<Table>,
    /// The first line of the table on a screen that is too low for all of them, and how many are shown there.
    top: usize,
    shown: usize,
}

impl Lookback {
    /// Starts looking back at a record. The error is a sentence.
    pub fn new(rules: Arc<Rules>, text: &str) -> Result<Lookback, String> {
        let record = Record::read(text)?;
        let json: Json =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
        let mut played = record.start(Arc::clone(&rules))?;
        // Variations get their own randomness: the match's would reveal future draws.
        played.reseed(VARIATIONS);
        let comment = json["comment"].as_str().unwrap_or_default().to_string();
        let mut this = Lookback {
            rules,
            json,
            nodes: vec![Node { comment, ..Node::default() }],
            at: 0,
            end: (0, played.clone()),
            played: played.clone(),
            half: None,
            over: false,
            person: None,
            hides: false,
            broken: None,
            changed: false,
            look: Look::default(),
            desk: None,
            top: 0,
            shown: 0,
        };
        let mut moves = record.moves.as_slice();
        let mut start = played;
        while let [draw, rest @ ..] = moves
            && start.draw_due()
            && replay_entry(&mut start, draw).is_ok()
        {
            this.nodes[0].entries.push(draw.clone());
            moves = rest;
        }
        this.nodes[0].parts = parts(&Glimpse::of(&start, Viewer::Everything).blank(), &start);
        this.played = start.clone();
        let (end, broken) = this.read(0, start, moves);
        this.over = end.over();
        this.hides = !this.over && secrets::hides(&end);
        this.end = (this.path().last().copied().unwrap_or(0), end.clone());
        this.broken = broken.map(|(left, what)| {
            let at = record.moves.len() - left;
            format!("entry {} cannot be played: {what}", at + 1)
        });
        if this.broken.is_none() {
            this.broken = record.contradicted(&end).map_err(|fault| fault.message)?;
        }
        Ok(this)
    }

    /// Replays entries after a step. Returns the last position and, if an entry fails, how many are left and
    /// why.
    fn read(
        &mut self,
        mut at: usize,
        mut played: Match,
        entries: &[Json],
    ) -> (Match, Option<(usize, String)>) {
        let mut left = entries;
        while !left.is_empty() {
            let depth = played.depth();
            let seen = Glimpse::of(&played, Viewer::Everything);
            let first = &left[0];
            let variations: Vec<&Vec<Json>> =
                first["variations"].as_array().into_iter().flatten().filter_map(Json::as_array).collect();
            let before = (!variations.is_empty()).then(|| played.clone());
            let mut taken = 0;
            while let Some(entry) = left.get(taken) {
                let done = taken > 0 && played.depth() > depth && entry["player"] != 0;
                if done {
                    break;
                }
                if let Err(refused) = replay_entry(&mut played, entry) {
                    self.nodes[at].rest = left.to_vec();
                    return (self.position(at), Some((left.len() - taken, refused.message)));
                }
                taken += 1;
            }
            if played.depth() == depth {
                // A joint choice that is half made is not a step.
                self.nodes[at].rest = left.to_vec();
                return (self.position(at), None);
            }
            let comment = first["comment"].as_str().unwrap_or_default().to_string();
            let own = self.add(at, left[..taken].to_vec(), comment, parts(&seen, &played));
            for (entries, before) in variations.into_iter().zip(before.iter().cycle()) {
                self.read(at, before.clone(), entries);
            }
            (at, left) = (own, &left[taken..]);
        }
        (played, None)
    }

    /// Returns the steps from the start to a step, without the start.
    fn way_to(&self, mut at: usize) -> Vec<usize> {
        let mut way = Vec::new();
        while at != 0 {
            way.push(at);
            at = self.nodes[at].before;
        }
        way.reverse();
        way
    }

    /// Returns the position after a step.
    fn position(&self, at: usize) -> Match {
        let mut played = self.played.at_start();
        self.play_steps(&mut played, &self.way_to(at));
        played
    }

    fn play_steps(&self, played: &mut Match, steps: &[usize]) {
        for entry in steps.iter().flat_map(|step| &self.nodes[*step].entries) {
            // Entries that were played before can be replayed.
            let _ = replay_entry(played, entry);
        }
    }

    fn add(&mut self, before: usize, mut entries: Vec<Json>, comment: String, parts: Vec<Part>) -> usize {
        if let Some(Json::Object(first)) = entries.first_mut() {
            first.remove("comment");
            first.remove("variations");
        }
        self.nodes.push(Node { entries, before, comment, parts, ..Node::default() });
        let own = self.nodes.len() - 1;
        self.nodes[before].next.push(own);
        own
    }

    /// Returns the record with its comments and variations, as text.
    pub fn text(&self) -> String {
        let mut json = self.json.clone();
        json["moves"] = Json::Array([self.nodes[0].entries.clone(), self.line(0)].concat());
        if let Some(object) = json.as_object_mut() {
            object.remove("comment");
        }
        if !self.nodes[0].comment.is_empty() {
            json["comment"] = json!(self.nodes[0].comment);
        }
        format!("{json}\n")
    }

    /// Returns the entries after a step, with the variations on them.
    fn line(&self, mut at: usize) -> Vec<Json> {
        let mut out = Vec::new();
        while let Some((own, others)) = self.nodes[at].next.split_first() {
            let mut entries = self.annotated(*own);
            if let Some(Json::Object(first)) = entries.first_mut().filter(|_| !others.is_empty()) {
                let variation =
                    |other: &usize| Json::Array([self.annotated(*other), self.line(*other)].concat());
                first.insert("variations".to_string(), others.iter().map(variation).collect());
            }
            out.extend(entries);
            at = *own;
        }
        out.extend(self.nodes[at].rest.iter().cloned());
        out
    }

    /// Returns the entries of a step, with its comment.
    fn annotated(&self, at: usize) -> Vec<Json> {
        let node = &self.nodes[at];
        let mut entries = node.entries.clone();
        if let Some(Json::Object(first)) = entries.first_mut().filter(|_| !node.comment.is_empty()) {
            first.insert("comment".to_string(), json!(node.comment));
        }
        entries
    }

    /// Returns what is wrong with the record, if part of it cannot be played or contradicts it.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Whether comments or variations have changed since the last call.
    pub fn changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    // ---- actions

    /// Performs an action and returns a text for people. If it fails, nothing changes; the error is a
    /// sentence.
    pub fn act(&mut self, act: &Act) -> Result<String, String> {
        self.half = self.half.take().filter(|_| matches!(act, Act::Play(_)));
        let node = &self.nodes[self.at];
        match act {
            Act::Next => match node.next.first() {
                Some(next) => self.go(*next),
                None => return Err(format!("this is the end; {}", screen::result(&self.played))),
            },
            Act::Back if self.at == 0 => return Err("this is the start".to_string()),
            Act::Back => self.go(node.before),
            Act::First => self.go(0),
            Act::Last => self.go(*self.path().last().unwrap_or(&0)),
            Act::To(step) => match self.path().get(*step) {
                Some(at) => self.go(*at),
                None => return Err(format!("there are steps 0 to {}", self.path().len() - 1)),
            },
            Act::Other { next } => {
                let all = &self.nodes[node.before].next;
                let own = all.iter().position(|other| *other == self.at).filter(|_| all.len() > 1);
                let own = own.ok_or("nothing else was played here")?;
                let step = if *next { 1 } else { all.len() - 1 };
                self.go(all[(own + step) % all.len()]);
            }
            Act::Turn => {
                let path = self.path();
                let own = path.iter().position(|at| *at == self.at).unwrap_or(0);
                let (until, after) = path.split_at(own + 1);
                let turned = |at: &&usize| !self.nodes[**at].turned.is_empty();
                match after.iter().chain(until).find(turned) {
                    Some(at) => self.go(*at),
                    None => {
                        return Err("no turning point is known here; `:review` before `:replay` finds them"
                            .to_string());
                    }
                }
            }
            Act::Play(line) => return self.play(line),
            Act::Comment(text) => {
                self.nodes[self.at].comment = text.trim().to_string();
                self.changed = true;
            }
            Act::Remove => {
                let mut at = self.at;
                while at != 0 && self.nodes[self.nodes[at].before].next.first() == Some(&at) {
                    at = self.nodes[at].before;
                }
                if at == 0 {
                    return Err("this is the record itself, not a variation".to_string());
                }
                let before = self.nodes[at].before;
                self.nodes[before].next.retain(|other| *other != at);
                self.go(before);
                self.changed = true;
            }
            Act::Scroll { down: true } => self.top += self.shown.max(1),
            Act::Scroll { down: false } => self.top = self.top.saturating_sub(self.shown.max(1)),
            Act::Help => return Ok(HELP.to_string()),
            // What a clock is needed for is done by `advise`, and what needs a session by whoever has one.
            Act::Hint(_) | Act::Analyse(_) | Act::PlayOn | Act::Quit => {}
        }
        Ok(String::new())
    }

    /// Goes to a step: from the current one or from the end of the record, whichever has more steps in common with it.
    fn go(&mut self, to: usize) {
        let way = self.way_to(to);
        let common = |at: usize| way.iter().zip(&self.way_to(at)).take_while(|(a, b)| a == b).count();
        let (here, there) = (common(self.at), common(self.end.0));
        let known = if here >= there { &self.played } else { &self.end.1 };
        let mut played = known.after_step(here.max(there));
        self.play_steps(&mut played, &way[here.max(there)..]);
        (self.played, self.at) = (played, to);
    }

    fn play(&mut self, line: &str) -> Result<String, String> {
        if self.keeps_secrets() {
            let sentence = "variations would reveal what is hidden; play them once the match is over";
            return Err(sentence.to_string());
        }
        let mut ahead = self.half.take().unwrap_or_else(|| self.played.clone());
        let (seat, text) = match line.split_once(':') {
            Some((who, rest)) => match super::session::read_player(&ahead, who.trim()) {
                Some(seat) => (seat, rest.trim()),
                None => return Err(format!("there is no player `{}`", who.trim())),
            },
            None => (ahead.to_move().first().copied().unwrap_or(1), line.trim()),
        };
        let (name, args) = match understand(&ahead, seat, text) {
            Understood::Move(read) => (read.name, read.args),
            Understood::Which(read, _) => {
                let all: Vec<String> =
                    read.iter().map(|one| spoken_text(&ahead, &one.name, &one.args)).collect();
                return Err(format!("`{}` could be {}", words::short(text), words::short(&all.join(" or "))));
            }
            Understood::Refused(mut read) if !read.is_empty() => {
                let first = read.swap_remove(0);
                (first.name, first.args)
            }
            Understood::Incomplete(name, _) => return Err(format!("`{name}` needs more than that")),
            _ => {
                let text = words::short(text);
                return Err(format!("`{text}` is not understood as a move; `help` says what can be typed"));
            }
        };
        let made = self.played.entries().count();
        let done = ahead.play(seat, &name, &args).map_err(|refused| refused.message)?;
        if !done.waiting_for.is_empty() {
            self.half = Some(ahead);
            return Ok(format!("and {}?", words::seats(&self.rules.game, &done.waiting_for)));
        }
        let entries: Vec<Json> = ahead.entries().skip(made).map(|entry| ahead.entry_json(entry)).collect();
        let choices = |entries: &[Json]| {
            entries.iter().filter(|entry| entry["player"] != 0).map(bare).collect::<Vec<_>>()
        };
        let known = self.nodes[self.at].next.iter().copied();
        let same = known.into_iter().find(|next| choices(&self.nodes[*next].entries) == choices(&entries));
        match same {
            Some(next) => self.go(next),
            None => {
                let seen = Glimpse::of(&self.played, Viewer::Everything);
                self.at = self.add(self.at, entries, String::new(), parts(&seen, &ahead));
                self.played = ahead;
                self.changed = true;
            }
        }
        Ok(String::new())
    }

    // ---- display

    /// Returns the current line: the steps from the start to the current one, and on to the end.
    fn path(&self) -> Vec<usize> {
        let mut path = [vec![0], self.way_to(self.at)].concat();
        while let Some(next) = self.nodes[path[path.len() - 1]].next.first() {
            path.push(*next);
        }
        path
    }

    /// Sets what the screen can show.
    #[must_use]
    pub fn on(mut self, look: Look) -> Lookback {
        self.look = look;
        self
    }

    /// Adds what a review says of the steps of the record that turned the match.
    #[must_use]
    pub fn reviewed(mut self, turned: &BTreeMap<usize, String>) -> Lookback {
        for (step, at) in self.path().into_iter().enumerate() {
            self.nodes[at].turned = turned.get(&step).cloned().unwrap_or_default();
        }
        self
    }

    /// Whether there are steps of which a review says that they turned the match.
    pub fn has_turning_points(&self) -> bool {
        self.nodes.iter().any(|node| !node.turned.is_empty())
    }

    /// Returns the current place, such as "step 3 of 8".
    pub fn place(&self) -> String {
        let path = self.path();
        let step = path.iter().position(|at| *at == self.at).unwrap_or(0);
        let variation =
            path.windows(2).take(step).any(|pair| self.nodes[pair[0]].next.first() != Some(&pair[1]));
        let of = if variation { " of a variation" } else { "" };
        format!("step {step} of {}{of}", path.len() - 1)
    }

    /// Describes a step in one line, with what happened by itself if `whole` is set; what is hidden while the match goes on
    /// stays hidden.
    fn step(&self, at: usize, whole: bool) -> String {
        let node = &self.nodes[at];
        let parts = node.parts.iter().filter(|part| whole || part.made);
        let parts = parts.map(|part| if self.over { part.open.as_str() } else { part.closed.as_str() });
        let mut told = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        if at == 0 {
            told = format!("the start{}{told}", if told.is_empty() { "" } else { ": " });
        }
        let siblings = self.nodes[node.before].next.len();
        if at != 0 && siblings > 1 {
            told.push_str(&format!(" ({} others)", siblings - 1).replace("(1 others)", "(1 other)"));
        }
        if !node.turned.is_empty() {
            told.push_str(" ?");
        }
        if !node.comment.is_empty() {
            told.push_str(" *");
        }
        told
    }

    /// Describes the current step in full: what was done, the table, points or result, the comment.
    pub fn told(&self) -> String {
        let played = &self.played;
        let Node { comment, turned, .. } = &self.nodes[self.at];
        screen::join(vec![
            format!("{}: {}", self.place(), self.step(self.at, true).trim_end_matches([' ', '*', '?'])),
            screen::table(played, self.look),
            self.laid_open(self.look),
            screen::points_beside_table(played),
            if played.over() { screen::result(played) } else { words::turn_words(played) },
            if turned.is_empty() { String::new() } else { format!("turning point: {turned}") },
            if comment.is_empty() { String::new() } else { format!("comment: {comment}") },
        ])
    }

    /// Shows as well what a player (from 1) alone saw.
    #[must_use]
    pub fn of_person(self, person: Option<usize>) -> Lookback {
        Lookback { person, ..self }
    }

    /// Returns what was hidden at the current step, once the match is over; before that, what the only person saw.
    fn laid_open(&self, look: Look) -> String {
        match self.person {
            _ if self.over => screen::laid_open(&self.played, look),
            Some(person) => screen::own(&self.played, person, look),
            None => String::new(),
        }
    }

    /// Returns a full screen of this size: the table, the nearby steps, the comment, and `last` as the last
    /// line.
    pub fn page(&mut self, (width, height): (usize, usize), last: &str) -> Vec<String> {
        let played = &self.played;
        let mut lines = vec![format!("{}, {}", self.rules.game.title, self.place()), String::new()];
        let mut below = vec![screen::points_beside_table(played)];
        below.push(if played.over() { screen::result(played) } else { words::turn_words(played) });
        let below = below.iter().map(|text| words::folded(text, 0, width)).collect();
        let comment = words::folded(&self.nodes[self.at].comment, 2, width);
        let mut foot: Vec<String> = Vec::new();
        let turned = &self.nodes[self.at].turned;
        if !turned.is_empty() {
            foot.push(words::paragraph(&format!("turning point: {turned}"), width));
        }
        if !comment.is_empty() {
            foot.extend(["comment:".to_string(), comment]);
        }
        foot.extend(self.broken.iter().map(|what| format!("wrong: {what}")));
        foot.push(if wide(last) > width { words::paragraph(last, width) } else { last.to_string() });
        let split =
            |texts: Vec<String>| -> Vec<String> { screen::join(texts).lines().map(str::to_string).collect() };
        let (below, foot) = (split(below), split(foot));
        // Lines are cut to the screen, which would break colour codes.
        let look = Look { width, colour: false, ..self.look };
        let table = split(vec![screen::table(played, look), self.laid_open(look)]);
        let path = self.path();
        let own = path.iter().position(|at| *at == self.at).unwrap_or(0);
        // The current step is told in full, the others in a line each.
        let whole = words::folded(&self.step(self.at, true), 7, width);
        let whole: Vec<String> = whole.lines().map(String::from).take(MOST_OF_STEP).collect();
        // The steps get at least five lines, the table the rest. On a low screen the table comes first, and the current step
        // is left.
        let fixed = below.len() + foot.len() + 1;
        let spare = height.saturating_sub(fixed + table.len() + 1);
        let spaced = spare > LEAST_STEPS;
        if !spaced {
            lines.truncate(1);
        }
        let room = height.saturating_sub(fixed + if spaced { 3 } else { 0 });
        let least = whole.len().min(room / 3).max(spare.min(LEAST_STEPS)).max(1);
        let shown = table.len().min(room.saturating_sub(least));
        let cut_off = shown < table.len() && shown > 0;
        self.shown = if cut_off { shown - 1 } else { shown };
        self.top = self.top.min(table.len() - self.shown);
        let (from, of) = (self.top + 1, table.len());
        lines.extend(table.into_iter().skip(self.top).take(self.shown));
        if cut_off {
            let to = self.top + self.shown;
            lines.push(format!("(lines {from} to {to} of {of}: Page Up, Page Down)"));
        }
        lines.extend(below);
        if spaced {
            lines.push(String::new());
        }
        let room = room.saturating_sub(shown).max(1);
        let whole = &whole[..whole.len().min(room)];
        let rows = room - whole.len().saturating_sub(1);
        let from = own.saturating_sub(rows / 2).min(path.len().saturating_sub(rows));
        for (number, at) in path.iter().enumerate().skip(from).take(rows) {
            match number == own {
                true => {
                    let first = whole.first().map_or("", |line| line.trim_start());
                    lines.push(format!(">{number:>4}  {first}"));
                    lines.extend(whole.iter().skip(1).cloned());
                }
                false => lines.push(format!(" {number:>4}  {}", self.step(*at, false))),
            }
        }
        lines.resize(height.saturating_sub(foot.len()), String::new());
        lines.extend(foot);
        lines.iter().map(|line| cut(line, width)).collect()
    }
}

/// Returns an entry without comment and variations.
fn bare(entry: &Json) -> Json {
    let mut entry = entry.clone();
    if let Some(object) = entry.as_object_mut() {
        object.retain(|name, _| matches!(name.as_str(), "player" | "move" | "args"));
    }
    entry
}

/// Describes what was done and what happened since a glimpse.
fn parts(before: &Glimpse, played: &Match) -> Vec<Part> {
    let part = |told: Told| match told {
        Told::Choice(at, _) | Told::Draw(at, _) => {
            let entry = played.entry(at)?;
            let (closed, open) = (history::entry(played, at, entry), history::in_full(played, entry));
            Some(Part { closed, open, made: true })
        }
        Told::Event(words) | Told::Begins(words) => {
            Some(Part { closed: words.clone(), open: words, made: false })
        }
        Told::Private(player, words) => {
            let open = history::said_to(played, player, &words);
            Some(Part { closed: String::new(), open, made: false })
        }
        Told::Cleared(_) | Told::Change(_) => None,
    };
    tell(before, played).course.into_iter().filter_map(part).collect()
}

/// Returns the start of a line, without control characters; dots say that it goes on.
fn cut(line: &str, width: usize) -> String {
    let clean = |c: char| if words::steers(c) { '?' } else { c };
    let line: String = line.chars().map(clean).collect();
    if wide(&line) <= width {
        return line;
    }
    let mut start = String::new();
    for c in line.chars() {
        start.push(c);
        if wide(&start) + 3 > width {
            start.pop();
            break;
        }
    }
    start + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_say_that_they_go_on() {
        assert_eq!(cut("put a1; put b2", 14), "put a1; put b2");
        assert_eq!(cut("put a1; put b2; put c3", 14), "put a1; put...");
        assert_eq!(cut("数字数字数字", 9), "数字数...");
    }

    #[test]
    fn on_a_low_screen_the_table_comes_first() {
        let rules = crate::play::Rules::load(crate::play::bundled_source("tic-tac-toe").unwrap()).unwrap();
        let text = r#"{"format":"parlour-record","version":1,"game":"tic-tac-toe","players":2,"moves":[]}"#;
        let mut lookback = Lookback::new(Arc::new(rules), text).unwrap();
        let rows = |page: &[String]| {
            let is_row = |line: &&String| line.trim_start().starts_with(['1', '2', '3']);
            page.iter().filter(is_row).count()
        };
        let mut page = |height: usize| {
            let page = lookback.page((60, height), "");
            assert_eq!(page.len(), height, "{page:?}");
            page
        };
        // The heads and three rows, with one step below them.
        assert_eq!((rows(&page(24)), rows(&page(9))), (3, 3), "{:?}", page(9));
        assert!(page(9).iter().any(|line| line.starts_with(">   0  the start")), "{:?}", page(9));
        // What does not fit is reached by scrolling, and stays in sight from then on.
        let low = page(6);
        assert!(low.iter().any(|line| line.contains("of 4: Page Up, Page Down)")), "{low:?}");
        assert_eq!(rows(&low), 1, "{low:?}");
        lookback.act(&Act::Scroll { down: true }).unwrap();
        let lower = lookback.page((60, 6), "");
        assert!(lower.iter().any(|line| line.trim_start().starts_with('3')), "{lower:?}");
        lookback.act(&Act::Scroll { down: false }).unwrap();
        assert_eq!(lookback.page((60, 6), ""), low);
    }
}
