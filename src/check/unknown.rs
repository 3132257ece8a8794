//! Reports unknown names, and suggests what may have been meant.

use std::collections::{BTreeSet, HashSet};

use super::advice::empty_value;
use super::scope::{Global, GlobalKind};
use super::{Checker, vocabulary};
use crate::ast;
use crate::diag::{Code, Diagnostic, Fix, nearest};
use crate::ir::Type;
use crate::source::Span;
use crate::syntax::foreign::foreign;
use crate::syntax::{LAST_MOVER, operand_before};

/// The fields that every player has in any game.
pub(super) const OWN_FIELDS: &[&str] = &["score", "others", "next", "previous", "number"];

/// How help begins that lists what is known.
pub(super) const KNOWN: &str = "what has a name here";
/// How help begins that lists the symbols that are possible.
pub(super) const SYMBOLS: &str = "it is one of";

/// Numbers in words.
const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// What the passes of a loop are called.
const COUNTED: &[&str] =
    &["turn", "turns", "round", "rounds", "pass", "passes", "day", "days", "time", "times"];

/// What the player who has the turn is called.
const MOVERS: &[&str] =
    &["mover", "current_player", "active_player", "turn_player", "current", "myself", "my", "player_to_move"];

/// What the player who has made the last choice is called.
const LAST_MOVERS: &[&str] = &[
    "last_mover",
    "last_player",
    "lastplayer",
    "last_to_move",
    "last_chooser",
    "last_turn",
    "previous_player",
    "previous_mover",
    "prev_player",
];

/// What people call a loop without an end.
const FOREVER: &[&str] =
    &["forever", "always", "endlessly", "indefinitely", "infinitely", "infinite", "infinity", "ever"];

/// Words of the language that stand for values.
const VALUE_WORDS: &[&str] = &["none", "yes", "no", "me", "players", "standing"];

/// Returns the number in what somebody calls a player: `player1`, `P2`, `player_3`.
fn numbered_player(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let rest = lower.strip_prefix("player").or_else(|| lower.strip_prefix('p'))?;
    let number = &name[name.len() - rest.trim_start_matches('_').len()..];
    let counts = number.chars().all(|c| c.is_ascii_digit()) && !number.starts_with('0');
    (counts && (1..=2).contains(&number.len())).then_some(number)
}

/// Returns the word of the language that a name is but for capital letters: `None`.
pub(super) fn in_small_letters(name: &str) -> Option<&'static str> {
    VALUE_WORDS.iter().copied().find(|word| name != *word && name.eq_ignore_ascii_case(word))
}

impl Checker<'_> {
    /// Whether a local name, a piece of the table, an option or a symbol is called so.
    pub(super) fn value_called(&self, name: &str) -> bool {
        self.frame.locals.iter().any(|local| local.name == name)
            || self.globals.contains_key(name)
            || self.symbols.contains_key(name)
    }

    /// Returns advice for the name of a value that is used as a function, in `a is b` or `board(1, 2)`.
    pub(super) fn value_as_function(&self, name: &ast::Name, first: Option<Span>) -> String {
        let text = &name.text;
        match first.filter(|first| first.start < name.span.start) {
            Some(first) => {
                let before = self.source.map_or("", |source| {
                    source.text.get(first.end..name.span.start).unwrap_or_default().trim()
                });
                let sign = if before.ends_with("not") { "!=" } else { "=" };
                let left = self.written(first);
                format!(
                    "values are compared with `{sign}`: `{left} {sign} {text}`; `is` asks for a property, as in `x is prime`"
                )
            }
            None if self.is_indexed(text) => {
                format!("a place in it is written in square brackets: `{text}[…]`")
            }
            None => format!("`{text}` is a value: write it without `( )`"),
        }
    }

    /// Whether the value with this name has places.
    fn is_indexed(&self, name: &str) -> bool {
        let has = |ty: &Type| matches!(ty, Type::List(_) | Type::Grid(_) | Type::Map(..));
        let local = self.frame.locals.iter().rev().find(|local| local.name == name).map(|local| &local.ty);
        local.or(self.globals.get(name).map(|global| &global.ty)).is_some_and(has)
    }

    /// Returns the names that are known where an expression stands: those of the moves, loops and lines around
    /// it, then those of the table and the options.
    fn known_here(&self) -> Option<String> {
        const MANY: usize = 8;
        let mut names: Vec<&str> = Vec::new();
        let mut globals: Vec<&str> = self.globals.keys().map(String::as_str).collect();
        globals.sort_unstable();
        for name in self.frame.locals.iter().rev().map(|local| local.name.as_str()).chain(globals) {
            if !names.contains(&name) && !name.is_empty() {
                names.push(name);
            }
        }
        let more = if names.len() > MANY { ", …" } else { "" };
        names.truncate(MANY);
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (!quoted.is_empty()).then(|| format!("{KNOWN}: {}{more}", quoted.join(", ")))
    }

    /// Returns the only name known here that begins with what was written.
    fn begun_name(&self, name: &str) -> Option<String> {
        let locals = self.frame.locals.iter().map(|local| local.name.as_str());
        let known: BTreeSet<&str> = locals
            .chain(self.globals.keys().map(String::as_str))
            .filter(|known| known.starts_with(name))
            .collect();
        let [one] = Vec::from_iter(known)[..] else { return None };
        Some(one.to_string())
    }

    /// Reports an unknown name; `want` is the type expected in its place.
    pub(super) fn unknown_name(&mut self, name: &str, want: Option<&Type>, span: Span) {
        if self.comes_later(name, span) {
            return;
        }
        let mut report = Diagnostic::new(
            Code::UnknownName,
            span,
            format!("there is nothing called `{name}`"),
            "not known here",
        );
        let meant = self.meant_by_name(name, &report).or_else(|| self.player_meant(name, &report));
        if let Some(report) = meant.or_else(|| self.symbols_in_brackets(name)) {
            return self.report_once(report);
        }
        if let Some(number) = numbered_player(name).filter(|_| !self.fields.contains_key(name)) {
            let written = format!("seat({number})");
            report = report.help(format!("player {number} is `{written}`")).likely_fix(written);
        } else if let Some(help) = self.no_square(name) {
            report = report.help(help);
        } else if self.fields.contains_key(name) && self.judges(span) {
            let written = format!("me.{name}");
            report =
                report.help(format!("the player that this is about is `me`: write `{written}`")).fix(written);
        } else if self.fields.contains_key(name) {
            let looped = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player);
            report = report.help(match looped.map(|local| &local.name) {
                Some(who) if who != "me" => format!("each player has `{name}`: write `{who}.{name}`"),
                _ if self.somebody_moves() => {
                    format!("each player has `{name}`: write `me.{name}` or `p.{name}`")
                }
                _ => self.nobodys_field(name, span),
            });
        } else if self.kind_names.iter().any(|kind| kind.text == name) {
            report.message = format!("`{name}` is a kind, not a value");
            let written = format!("every {name}");
            let gone_through = self.line_before(span).trim_end().ends_with(" in");
            let fix = Fix { sure: gone_through, ..Fix::new(span, written.clone()) };
            let elements = self.elements_of_kind(name);
            report = report.help(format!("`{written}` is the set of {elements}"));
            report.fix = Some(fix);
        } else if self.defines.iter().any(|d| d.name.text == name) {
            report = self.function_alone(name, report);
        } else if name == "p" && self.frame.locals.iter().any(|local| local.name == "player") {
            report = report.help("it is called `player` here");
        } else if let Some(field) = self.field_after(span)
            && matches!(name, "next" | "previous")
            && let Some(who) = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player)
        {
            report =
                report.help(format!("a player stands in front of it: write `{}.{name}.{field}`", who.name));
        } else if let Some(field) = self.field_after(span).filter(|field| self.fields.contains_key(*field))
            && !self.somebody_moves()
            && name != "me"
            && let word @ ("reveal" | "conceal") = self.line_before(span).trim()
        {
            report = report.help(format!(
                "`{word} {field}` is about that of everybody, and one after the other it is `each {name} in players {{ {word} {name}.{field} }}`"
            ));
        } else if let Some(field) = self.field_after(span).filter(|_| self.is_winner_line(span)) {
            report = report.help(format!("the player that this is about is `me`: write `me.{field}`"));
        } else if let Some(field) = self.field_after(span).filter(|field| self.fields.contains_key(*field))
            && name != "me"
            && in_small_letters(name).is_none()
            && (foreign(name).is_none() || name == "player")
        {
            let plain = MOVERS.contains(&name) || name.len() < 3 || name.starts_with("player");
            if let Some(near) = self.player_near(name) {
                return self.report_once(report.help(format!("did you mean `{near}`?")).likely_fix(near));
            }
            let looped = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player);
            if let Some(looped) = looped.filter(|local| local.name != "me" && name == "player") {
                let looped = looped.name.clone();
                let help = format!("the player that is gone through is `{looped}`");
                return self.report_once(report.help(help).likely_fix(looped));
            }
            let own = Span::new(span.start, span.end + 1 + field.len());
            let all = self.for_players(own, &format!("p.{field}"));
            report = report.help(match self.somebody_moves() {
                // A seat may have been meant.
                true if !plain && self.game.seats.roles.is_empty() => format!(
                    "the player who moves is `me`, the one after them `me.next`: write `me.{field}`; a seat has a name in `game`: `players 2 called {name}, …`"
                ),
                true => format!("the player that this is about is `me`: write `me.{field}`"),
                false => match all {
                    Some(all) => format!("no player is called `{name}` here; for all of them: `{all}`"),
                    None => {
                        format!("no player is called `{name}` here; what all of them have is `[p in players: p.{field}]`")
                    }
                },
            });
        } else if let Some(given) = self.named_in_lines.get(name).copied() {
            // Names bound in a line are in scope until the end of the enclosing block.
            report = report.also(given, "named here").help(match self.move_around(span) {
                Some(mv) => format!(
                    "a move does not know what the play has named: declare `move {mv}(given {name})`, and write \
                     `{mv}({name})` where it is offered"
                ),
                None => format!(
                    "`{name}` is known from there to the end of its block, but not in the `until` after that block or \
                     in a `define`: pass it as a parameter, or keep it in `table {{ … }}`"
                ),
            });
        } else if self.loops.contains_key(name) {
            report = report.help(format!(
                "`{name}` counts the passes of a loop and is known only in that loop and the moves and rules it uses: pass it as a parameter"
            ));
        } else if name == "empty" {
            report = self.nothing_there(report, want);
        } else if FOREVER.contains(&name) && self.comes_behind("repeat", span) {
            let place = Span::new(span.start - 1, span.end);
            report = report
                .help("without a number, it goes on until it is ended: `repeat { … } until C`")
                .fix_of(place, "");
        } else if name == "stuck" {
            report = report.help(
                "`until stuck` stands alone; another end comes after the block: `turns until stuck { … } until C`",
            );
        } else if matches!(name, "all" | "everybody" | "everyone" | "anybody" | "anyone" | "both")
            && (self.comes_behind("win", span) || self.comes_behind("together", span))
        {
            report = match name.starts_with("any") {
                true => report.help("who wins is named: `win p when C` goes through the players"),
                false => report.help("all players are `players`").fix("players"),
            };
        } else if name == "player" && (self.is_gone_through(span) || self.comes_behind("together", span)) {
            report = report.help("all players are `players`").likely_fix("players");
        } else if name == "player"
            && let Some(looped) = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player)
        {
            let who = looped.name.clone();
            let help = match who.as_str() {
                "me" => "the player who moves is `me`".to_string(),
                who => format!("the player that is gone through is `{who}`"),
            };
            report = report.help(help).likely_fix(who);
        } else if name == "player" && self.comes_behind("ask", span) {
            report = report.help(
                "in `turns`, whoever has the turn is asked without `ask`: `take or pass`; anybody else is named: `ask p to take`",
            );
        } else if matches!(name, "all" | "everybody" | "everyone")
            && self.line_before(span).trim_start().starts_with("say ")
        {
            report = report.help("without `to`, a `say` tells everybody");
        } else if name == "possible" {
            report = report.help("a move is offered only where it is legal by `put if possible`");
        } else if OWN_FIELDS.contains(&name) {
            report = report.help(match self.somebody_moves() {
                true => format!("each player has it: write `me.{name}` or `p.{name}`"),
                false => self.nobodys_field(name, span),
            });
        } else if name == "me" && self.in_example {
            let seat = self.first_seat();
            report = report.help(format!(
                "in an example nobody has the turn: name a player, as in `{seat}.points`; for everybody, write `all(p in players: p.points >= 0)`"
            ));
        } else if name == "me" && self.is_standing_rule(span) {
            report = report.help(
                "nobody is moving here: put this line into the block of `turns`, where `me` has the turn, or name a player, as in `seat(1)`",
            );
        } else if name == "me" && self.is_until(span) {
            report = report.help(
                "`me` is known only within the block: put the condition behind it, `turns { … } until C`, or write `end when C` in it",
            );
        } else if name == "me"
            && let Some(looped) = self.frame.locals.iter().rev().find(|local| local.ty == Type::Player)
        {
            let (looped, line) = (looped.name.clone(), self.line_before(looped.span));
            let how =
                if line.trim() == "let" { "a player known here" } else { "the player that is gone through" };
            let help = format!("nobody is moving here; {how} is `{looped}`");
            report = report.help(help).likely_fix(looped);
        } else if name == "me" {
            let (seat, field) = (self.first_seat(), self.field_after(span).unwrap_or("score"));
            let own = Span::new(span.start, span.end + 1 + field.len());
            let all = self.for_players(own, &format!("p.{field}"));
            let all = all.unwrap_or_else(|| format!("[p in players: p.{field}]"));
            report = report.help(format!(
                "nobody is moving here; `me` is known only in moves, turns and scores: name a player, as in `{seat}.{field}`, or go through them all: `{all}`"
            ));
        } else if let Some(head) = self.loop_before(span).filter(|_| COUNTED.contains(&name)) {
            report = report.help(format!(
                "passes are counted by a loop with a name: `{head} as {name} {{ … }} until {name} = …`"
            ));
        } else if let Some(help) = self.pass_meant(name, span).filter(|_| !self.is_winner_line(span)) {
            report = report.help(help);
        } else if let Some(word) = in_small_letters(name) {
            report = report.help(format!("write `{word}`")).fix(word);
        } else if let Some(foreign) = foreign(name) {
            report = report.help(foreign.says);
            // Foreign words for functions and types have no value to suggest.
            if let Some(value) =
                foreign.here.filter(|here| matches!(*here, "yes" | "no" | "none" | "me" | "players"))
            {
                report = report.fix(value);
            }
        } else if let Some(number) = NUMBERS.iter().position(|word| *word == name) {
            report =
                report.help(format!("numbers are written in digits: `{number}`")).fix(number.to_string());
        } else if let Some(list) = self.indexed_before(span).filter(|_| matches!(name, "end" | "last")) {
            report = report.help(format!(
                "the last place is `{list}[size({list})]`; to put something behind it, write `{list} += x`"
            ));
        } else if LAST_MOVERS.contains(&name) {
            report = report.help(LAST_MOVER);
        } else if MOVERS.contains(&name) && self.somebody_moves() {
            report = report.help("the player who moves is `me`").fix("me");
        } else if MOVERS.contains(&name) {
            report = report.help("the player who moves is `me`, in a move and in the block of `turns`");
        } else if matches!(name, "row" | "column")
            && let Some(square) = self.frame.locals.iter().rev().find(|local| local.ty == Type::Square)
        {
            let written = format!("{}.{name}", square.name);
            report.message = format!("`{name}` is a part of a square, and this does not say of which");
            report = report.help(format!("write `{written}`")).fix(written);
        } else if let Some(near) = self.near_name(name).filter(|_| vocabulary::word(name).is_some()) {
            report.message = format!("`{name}` is a function, not a value");
            report = report.help(format!("did you mean `{near}`?")).likely_fix(near);
        } else if let Some(word) = vocabulary::word(name) {
            report.message = format!("`{name}` is a function, not a value");
            report = report.help(match word.way(&[Type::Int]) {
                Some(_) if word.doc.contains("whether") => {
                    format!("say of what: `k is {name}`, or `{name}(k)`")
                }
                _ => word.doc.to_string(),
            });
        } else if let Some(word) =
            vocabulary::word(&format!("{name}s")).filter(|_| self.is_gone_through(span))
        {
            report = report.help(word.doc);
        } else if let Some(help) = self.declared_by_value(name) {
            report = report.help(help);
        } else if let Some(near) = self.near_name(name) {
            // A line that could not be read may have named it.
            let sure = self.unread.is_none_or(HashSet::is_empty);
            let fix = Fix { sure, ..Fix::new(span, near.clone()) };
            report = Diagnostic { fix: Some(fix), ..report.help(format!("did you mean `{near}`?")) };
        } else if let Some(grid) = self.grid_of(|_| true).filter(|_| matches!(name, "grid" | "board")) {
            report = report.help(format!("the grid is called `{grid}`")).likely_fix(grid);
        } else if let Some(Type::Symbol(ids)) = want {
            let known: Vec<String> = ids.iter().map(|id| format!("`{}`", self.game.symbols[*id])).collect();
            report = report.help(format!("{SYMBOLS} {}", known.join(", ")));
        } else if let Some(begun) = self.begun_name(name) {
            report = report.help(format!("did you mean `{begun}`?"));
        } else if let Some(near) = nearest(name, self.fields.keys().map(String::as_str)) {
            let revealed = ["reveal", "conceal"].contains(&self.line_before(span).trim());
            report = match self.somebody_moves() {
                _ if revealed => report.help(format!("did you mean `{near}`?")).fix(near.to_string()),
                true => report.help(format!("each player has `{near}`: write `me.{near}` or `p.{near}`")),
                false => report.help(self.nobodys_field(near, span)),
            };
        } else if let Some(braces) = self.listed_in_braces(span) {
            let listed = self.written(braces);
            let message = format!("none of the names in `{listed}` is known");
            let names = listed.trim_matches(['{', '}']).trim();
            report = Diagnostic::new(Code::UnknownName, braces, message, "not known here").help(format!(
                "symbols are declared by a line of their own, `kind side: {names}`; then `every side` is the set of them"
            ));
            return self.report_once(report);
        } else {
            report.help = self.known_here();
            return self.report_once(report);
        }
        self.report_once(report);
    }

    /// Reports what stands behind a player and a dot and is nothing that players have; `whole` is all three.
    pub(super) fn unknown_field(&self, field: &ast::Name, whole: Span) -> Diagnostic {
        let name = field.text.as_str();
        let message = format!("players have nothing called `{name}`");
        let report =
            Diagnostic::new(Code::UnknownField, field.span, message, "not declared in `each player`");
        if let Some(Global { kind: GlobalKind::Table(_), .. }) = self.globals.get(name) {
            let report = report.help(format!("it belongs to the table, not to a player: write `{name}`"));
            return Diagnostic { fix: Some(Fix::new(whole, name)), ..report };
        }
        if let Some(report) = self.meant_by_field(name, report.clone()) {
            return report;
        }
        if let Some(id) = self.moves.get(name) {
            let params = self.move_items[*id].params.iter();
            let mut chosen =
                params.filter(|param| param.domain.is_some()).map(|param| param.name.text.as_str());
            let value = chosen.next_back().unwrap_or("yes");
            return report.help(format!(
                "`{name}` is a move, and what is chosen in it is not kept by itself: declare a place for it in `each player {{ … }}`, and \
                 write `me.{name} := {value}` in the move"
            ));
        }
        let beside = match name {
            "left" => Some("next"),
            "right" | "prev" => Some("previous"),
            _ => None,
        };
        if let Some(beside) = beside.filter(|_| !self.fields.contains_key(name)) {
            let report = report.help(
                "in the order of play, the one after a player p is `p.next`, the one before `p.previous`",
            );
            return Diagnostic { fix: Some(Fix::likely(field.span, beside)), ..report };
        }
        let report =
            report.suggest(name, self.fields.keys().map(String::as_str).chain(OWN_FIELDS.iter().copied()));
        let mut own: Vec<String> = self.fields.keys().map(|field| format!("`{field}`")).collect();
        own.sort();
        match report.help {
            None if self.is_field_changed(name) => {
                let has = if own.is_empty() {
                    String::new()
                } else {
                    format!("each player has {}; ", own.join(", "))
                };
                report.help(format!(
                    "{has}what else they have is declared in `each player {{ … }}`: `{name}: int = 0`"
                ))
            }
            None if (1..=8).contains(&own.len()) => {
                report.help(format!("each player has {}", own.join(", ")))
            }
            _ => report,
        }
    }

    /// Whether a line of the file changes something of this name that somebody has.
    fn is_field_changed(&self, name: &str) -> bool {
        let text = self.source.map_or("", |source| &*source.text);
        [":= ", "+= ", "-= "].iter().any(|sign| text.contains(&format!(".{name} {sign}")))
    }

    /// Returns the value whose place an unknown name alone gives: `row` in `row[end]`.
    fn indexed_before(&self, name: Span) -> Option<&str> {
        let text = &self.source?.text;
        let closed = text.get(name.end..)?.trim_start().starts_with(']');
        let before = text.get(..name.start)?.trim_end().strip_suffix('[').filter(|_| closed)?;
        operand_before(before)
    }

    /// Returns the place of the braces around an unknown name if they hold only such names: `{keep, roll}`.
    fn listed_in_braces(&self, name: Span) -> Option<Span> {
        let text = &self.source?.text;
        let open = text.get(..name.start)?.rfind('{')?;
        let close = name.end + text.get(name.end..)?.find('}')?;
        let names: Vec<&str> = text.get(open + 1..close)?.split(',').map(str::trim).collect();
        let unknown = |name: &&str| {
            let word = name.starts_with(char::is_alphabetic)
                && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            word && !self.value_called(name)
        };
        (names.len() > 1 && names.iter().all(unknown)).then(|| Span::new(open, close + 1))
    }

    /// Reports `none` where a value of type `want` is needed.
    pub(super) fn none_where(&mut self, want: &Type, span: Span) {
        let want = self.words(want);
        let message = format!("this is none, not {want}");
        let report = Diagnostic::new(Code::MaybeNone, span, message, format!("{want} is needed"));
        // `board[at] := none`
        let place = self.line_before(span).trim_end().strip_suffix(":=").map(str::trim);
        let base = place
            .and_then(|place| place.split('[').next())
            .map(|base| base.rsplit('.').next().unwrap_or(base));
        let grid = base.filter(|base| {
            let named = |state: &&crate::ir::State| state.name == **base;
            self.game.state.iter().find(named).is_some_and(|state| matches!(state.form.ty(), Type::Grid(_)))
        });
        let help = match grid {
            Some(grid) => format!(
                "only the squares of an empty grid may be none: declare `{grid}: empty grid … of {want}`"
            ),
            None => "only what is declared with an `optional` type may be none".to_string(),
        };
        self.report(report.help(help));
    }

    /// Reports an unknown name; it is one mistake, however often the name is used, with one correction of all places.
    pub(super) fn report_once(&mut self, report: Diagnostic) {
        const MOST_PLACES: usize = 4;
        let place = report.span();
        let meant = |d: &Diagnostic| d.fix.as_ref().map(|fix| (fix.replacement.clone(), fix.sure));
        let same = |d: &&mut Diagnostic| {
            let one = meant(d) == meant(&report);
            // What else is known may differ from place to place.
            let lists = |d: &Diagnostic| d.help.as_ref().is_some_and(|help| help.starts_with(KNOWN));
            let alike = match d.fix.is_some() && report.fix.is_some() {
                true => one,
                false => d.help == report.help || lists(d) && lists(&report),
            };
            d.code == report.code && d.message == report.message && alike
        };
        let Some(first) = self.diagnostics.iter_mut().find(same) else { return self.report(report) };
        // An expression may be checked twice.
        if first.span() == place || !self.gathered.insert(place) {
            return;
        }
        if let (Some(all), Some(fix)) = (&mut first.fix, &report.fix)
            && all.replacement == fix.replacement
        {
            all.also.push((fix.span, fix.replacement.clone()));
        }
        // The first place in the file is the one to begin with.
        let place = match place < first.span() {
            true => std::mem::replace(&mut first.labels[0].span, place),
            false => place,
        };
        let few = first.labels.len() < MOST_PLACES;
        match first.labels.last_mut() {
            _ if few => *first = first.clone().also(place, "and here"),
            Some(last) => {
                let more = last.text.split(' ').nth(4).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
                let places = if more == 0 { "place" } else { "places" };
                last.text = format!("and here, and in {} more {places}", more + 1);
            }
            None => {}
        }
    }

    /// Whether a place is in a line such as `win p when C`.
    fn is_standing_rule(&self, place: Span) -> bool {
        let line = self.line_before(place).trim_start();
        line.starts_with("win ") || line.starts_with("end when ")
    }

    /// Whether a place is in a `winner` or `loser` line.
    pub(super) fn is_winner_line(&self, place: Span) -> bool {
        ["winner ", "loser "].iter().any(|word| self.line_before(place).starts_with(word))
    }

    /// Whether a place is in a line that is worked out for each player, who is `me` there.
    fn judges(&self, place: Span) -> bool {
        let line = self.line_before(place);
        let looped = self.frame.locals.iter().any(|local| local.ty == Type::Player && local.name != "me");
        !looped && (line.starts_with("score = ") || self.is_winner_line(place))
    }

    /// Whether a place is in the condition that stands in front of the block of a loop.
    fn is_until(&self, place: Span) -> bool {
        let line = self.line_before(place).trim_start();
        line.starts_with("turns ") && line.contains(" until ")
    }

    /// Whether a place follows `in`.
    fn is_gone_through(&self, place: Span) -> bool {
        self.line_before(place).trim_end().ends_with(" in")
    }

    /// Whether a place follows a word.
    fn comes_behind(&self, word: &str, place: Span) -> bool {
        let before = self.line_before(place).trim_end().strip_suffix(word);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    /// Returns the text of the line in front of a place.
    pub(super) fn line_before(&self, place: Span) -> &str {
        let before = self.source.and_then(|source| source.text.get(..place.start)).unwrap_or("");
        before.rsplit('\n').next().unwrap_or("")
    }

    /// Returns the name of the move that a place is in.
    pub(super) fn move_around(&self, place: Span) -> Option<&str> {
        let around = |mv: &&&ast::Move| mv.name.span.start <= place.start && place.end <= mv.body.span.end;
        self.move_items.iter().find(around).map(|mv| mv.name.text.as_str())
    }

    /// Adds to the report of the unknown name `empty` how to say that nothing is there; `want` is the type
    /// expected in its place.
    fn nothing_there(&self, report: Diagnostic, want: Option<&Type>) -> Diagnostic {
        let name = report.span();
        let before = self.source.and_then(|source| source.text.get(..name.start)).unwrap_or("").trim_end();
        let compared = [("!=", "is not empty"), ("=", "is empty")].into_iter().find_map(|(sign, test)| {
            let left = before.strip_suffix(sign)?;
            let compares = !self.is_first_value(name) && !left.ends_with([':', '<', '>', '=', '+', '-']);
            compares.then_some((left.len(), test))
        });
        match (compared, want.and_then(empty_value)) {
            (Some((start, test)), _) => {
                let report = report.help(format!("whether nothing is there is asked by `{test}`"));
                Diagnostic { fix: Some(Fix::new(Span::new(start, name.end), test)), ..report }
            }
            (None, Some(value)) => report.help(format!("where nothing is, write `{value}`")).fix(value),
            (None, None) => report.help("`x is empty` asks whether nothing is there"),
        }
    }

    /// Whether a place is in the first value of a piece of state.
    fn is_first_value(&self, place: Span) -> bool {
        let line = |at: usize| self.source.map(|source| source.position(at).line);
        self.state_spans.iter().any(|name| line(name.start) == line(place.start))
    }

    /// Whether `me` can be used here. A function that mentions it takes it from its callers.
    fn somebody_moves(&self) -> bool {
        self.template.is_some() || self.frame.locals.iter().any(|local| local.name == "me")
    }

    /// Returns the name of the first seat, as the file writes it.
    pub(super) fn first_seat(&self) -> &str {
        self.game.seats.roles.first().map_or("seat(1)", String::as_str)
    }

    /// Returns the field that the author wrote after a name and a dot.
    fn field_after(&self, name: Span) -> Option<&str> {
        let rest = self.source?.text.get(name.end..)?.strip_prefix('.')?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&rest[..end]).filter(|field| !field.is_empty())
    }

    /// Returns advice for what each player has, where nobody is moving.
    fn nobodys_field(&self, name: &str, place: Span) -> String {
        let seat = self.first_seat();
        let all = self.for_players(place, &format!("p.{name}"));
        let all = all.unwrap_or_else(|| format!("[p in players: p.{name}]"));
        format!("each player has `{name}`: write `{seat}.{name}` for one of them, or `{all}` for all")
    }
}
