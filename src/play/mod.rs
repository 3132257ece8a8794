//! Matches: loaded rules, moves in and out, views, records, counts. Positions are shown only through views.

mod args;
mod common;
mod drawing;
mod example;
mod library;
mod matches;
mod names;
mod perft;
mod record;
mod refused;
mod seen;
mod sheet;
mod telling;
mod unbegun;
mod view;
mod why;
mod winner;

pub use crate::engine::{Playout, playout};
pub use crate::eval::{Begun, Event, Fault, NotStarted};
pub use crate::ir::Value;
pub use crate::num::Rng;
#[cfg(feature = "cli")]
pub(crate) use args::{in_words, large};
// Public for the binary and the tests, which read and write moves according to the types in the rules.
#[doc(hidden)]
pub use args::{chosen, move_words, read_json, read_words, spoken, spoken_move, usage};
pub use drawing::{Drawing, Look, SUITS, Suit};
pub use example::{ExampleReport, run_example, run_examples};
pub use library::{
    Shelf, bundled, bundled_called, bundled_source, bundled_text, games_meant, shelves, with_bases,
};
pub use matches::{Entry, Match, Played};
pub use names::{and, or};
pub use perft::{Perft, PerftLine, perft, perft_watched};
pub use record::{FORMAT, Record, Replayed, VERSION, replay, replay_told};
pub use refused::{Reason, Refused};
pub(crate) use seen::{
    KnownEntry, Perceived, apply_choice, find_recorded, matches_perception, offered, passes_at,
    perceive_if_settled, try_apply,
};
pub use seen::{Observer, Seen, is_open};
#[cfg(feature = "cli")]
pub(crate) use sheet::NUMBER_WORDS;
pub use sheet::{GENERATOR, SheetFormat, page_start, sheet, sheet_with};
#[cfg(feature = "cli")]
pub(crate) use telling::reads_secret;
pub use telling::{
    EndedBy, EntryTold, Glimpse, Telling, Told, does, drawn_in_full, each_statement_of, ended_by,
    entry_in_full, entry_told, event_told, is_known, standings, tell, whereabouts, why_over,
};
pub use unbegun::Blocker;
pub(crate) use unbegun::stuck_before_start;
pub use view::Viewer;
pub use why::Need;
pub use winner::{Comparison, Verdict, ahead, first_compared, score_decides};

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::check::check;
use crate::diag::{Diagnostic, nearest};
use crate::eval::{Chosen, Coverage, Machine};
use crate::ir::{Form, Game, MAX_PLAYERS, Type};
use crate::source::Source;

/// A checked rule file that can be played.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The game's name in records: the file name without `.game`.
    pub name: String,
    /// The rule file's text.
    pub source: Source,
    /// The checked game. Public for the binary and the tests, which inspect it.
    #[doc(hidden)]
    pub game: Arc<Game>,
    /// The hash by which a record identifies the rules.
    pub hash: String,
    /// The warnings reported by the checker.
    pub warnings: Vec<Diagnostic>,
    /// The coverage counters that matches of these rules update, if they are watched.
    watch: Option<Arc<Coverage>>,
}

impl Rules {
    /// Checks a rule file. The error is the list of all diagnostics.
    pub fn load(source: Source) -> Result<Rules, Vec<Diagnostic>> {
        let checked = check(&source);
        let Some(game) = checked.game else { return Err(checked.diagnostics) };
        let digest = Sha256::digest(source.text.as_bytes());
        let hash = digest.iter().fold("sha256:".to_string(), |hash, byte| format!("{hash}{byte:02x}"));
        let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
        let name = file.strip_suffix(".game").unwrap_or(file).to_string();
        Ok(Rules { name, source, game: Arc::new(game), hash, warnings: checked.diagnostics, watch: None })
    }

    /// Returns a copy of the rules, and the coverage counters that every match of the copy updates.
    pub fn watched(&self) -> (Rules, Arc<Coverage>) {
        let coverage = Arc::new(Coverage::new(&self.game));
        (Rules { watch: Some(coverage.clone()), ..self.clone() }, coverage)
    }

    /// Returns the game's title.
    pub fn title(&self) -> &str {
        &self.game.title
    }

    /// Returns the minimum and maximum number of players; the maximum is `None` if there is no limit.
    pub fn players(&self) -> (usize, Option<usize>) {
        (self.game.seats.min, self.game.seats.max)
    }

    /// Whether there is a seat, by its number from 1, with more than so many players only.
    pub fn seat_needs_more(&self, seat: usize, players: usize) -> bool {
        (players + 1..=self.players().1.unwrap_or(MAX_PLAYERS)).contains(&seat)
    }

    /// Returns the name of each option and a readable description of its values.
    pub fn options(&self) -> impl Iterator<Item = (&str, String)> {
        self.game.options.iter().map(|option| (option.name.as_str(), self.form_words(&option.form)))
    }

    /// Converts an engine's choice to an entry of a match or record; `seat` counts from 0.
    pub fn entry(&self, seat: usize, choice: &Chosen) -> Entry {
        let mv = &self.game.moves[choice.mv];
        let names = chosen(mv).map(|param| param.name.clone());
        Entry {
            player: seat + 1,
            name: mv.name.clone(),
            args: names.zip(choice.args.iter().cloned()).collect(),
        }
    }

    /// Returns the number of players used if none is given: the minimum.
    pub fn default_players(&self) -> usize {
        self.game.seats.min
    }

    /// Reads options given as name and value. The error is a sentence.
    pub fn read_options<'t>(
        &self,
        given: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Result<BTreeMap<usize, Value>, String> {
        let mut options = BTreeMap::new();
        for (name, text) in given {
            let id = self.option_id(name)?;
            let option = &self.game.options[id];
            let value = option_value(&self.game, &option.form.ty(), text).ok_or_else(|| {
                format!("the option `{name}` cannot be `{text}`; possible: {}", self.form_words(&option.form))
            })?;
            options.insert(id, value);
        }
        Ok(options)
    }

    /// Returns the index of an option. The error is a sentence with a suggestion.
    pub fn option_id(&self, name: &str) -> Result<usize, String> {
        self.game.options.iter().position(|option| option.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.game.options.iter().map(|option| option.name.as_str()).collect();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "it has no options".to_string(),
                None if known.len() == 1 => format!("its only option is `{}`", known[0]),
                None => format!("its options are {}", known.join(", ")),
            };
            format!("this game has no option `{name}`; {hint}")
        })
    }

    /// Creates a machine for these options and players.
    pub fn machine(&self, options: &BTreeMap<usize, Value>, players: usize) -> Result<Machine, NotStarted> {
        let machine = Machine::new(self.game.clone(), options, players)?;
        match &self.watch {
            Some(coverage) => Ok(machine.with_full_coverage(coverage.clone())?),
            None => Ok(machine),
        }
    }

    /// Describes the values of an option in words; bounds are shown as written in the rules.
    pub(crate) fn form_words(&self, form: &Form) -> String {
        match form {
            Form::Range(low, high) => {
                format!("{}..{}", self.source.slice(low.span), self.source.slice(high.span))
            }
            Form::AtLeast(low) => format!("{} or more", self.source.slice(low.span)),
            Form::Bool => "yes or no".to_string(),
            Form::Symbols(ids) => {
                ids.iter().map(|id| self.game.symbols[*id].as_str()).collect::<Vec<_>>().join(", ")
            }
            Form::List(_, of) => format!("a list of {}", self.form_words(of)),
            _ => "a whole number".to_string(),
        }
    }
}

fn option_value(game: &Game, ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Bool => match text {
            "yes" | "true" => Some(Value::Bool(true)),
            "no" | "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Symbol(ids) => game.called(text, ids.iter().copied()).map(Value::Symbol),
        // Both `piles=1,3,5` and `piles=[1, 3, 5]` are accepted.
        Type::List(of) => {
            let inside =
                text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text).trim();
            let parts = inside.split(',').map(str::trim).filter(|_| !inside.is_empty());
            parts.map(|part| option_value(game, of, part)).collect::<Option<_>>().map(Value::list)
        }
        _ => None,
    }
}
