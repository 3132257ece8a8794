//! `parlour replay`: replays a record under the rules.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::Value as Json;

use super::files::{sentence, write};
use super::play::{annotate_match, finished_matches, kept_match, kept_matches, play_on};
use super::{
    EngineArg, Exit, Failure, FormatArgs, at_terminal, fault, load_rules, look, note, out, unwritten,
};
use crate::bots::Bot;
use crate::diag::nearest;
use crate::play::{Record, Rules, bundled, bundled_text, entry_told, is_known, replay};
use crate::repl::terminal::{Left, is_dumb, look_back};
use crate::repl::{Lookback, account, bots_of_record, played_by, reader};

/// The size limit of records to read, in bytes.
const MAX_RECORD: u64 = 1 << 30;

#[derive(Args)]
pub struct ReplayArgs {
    /// A record: a file, the name of a saved match, that of a game for its latest match, or `-` for standard input; without
    /// one, the latest match that is over
    record: Option<String>,
    /// The rules, if the record's game is not bundled or you want to try others
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// At a terminal, go line by line instead of taking over the screen, for screen readers
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    engine: EngineArg,
}

pub fn run(args: &ReplayArgs) -> Exit {
    let name = record_named(args.record.as_deref())?;
    let (rules, record, text) = read_record(&name, args.game.as_deref())?;
    let wrong = |what: String| Failure::Wrong(format!("error: {name}: {what}"));
    let replayed = replay(Arc::clone(&rules), &record).map_err(&wrong)?;
    let found_wrong = replayed.wrong(&record).map_err(|found| fault(&rules, &found))?;
    if args.format.is_json() {
        out(&replayed.json(&record).map_err(|found| fault(&rules, &found))?.to_string())?;
        return Ok(u8::from(found_wrong.is_some()));
    }
    if at_terminal() {
        let lookback = Lookback::new(Arc::clone(&rules), &text).map_err(&wrong)?;
        let mut lookback = lookback.on(look(true, args.plain));
        let path = Path::new(&name);
        let mut keep = |text: &str| {
            let written = match file_of(&name) {
                RecordFile::Kept(_) => annotate_match(&name, text),
                _ => write(path, text).map_err(|error| sentence(&error)),
            };
            written.map_err(|what| format!("{name}: {what}"))
        };
        let left = look_back(&mut lookback, args.plain || is_dumb(), &mut keep);
        if let Left::PlaysOn(record) = left.map_err(|error| unwritten(&error))? {
            return play_on(&record, args.game.as_deref(), args.plain);
        }
        return match found_wrong {
            Some((at, refused)) if replayed.broken.is_some() => {
                Err(wrong(format!("entry {} cannot be played: {}", at + 1, refused.message)))
            }
            Some((_, refused)) => Err(wrong(refused.message)),
            None => Ok(0),
        };
    }
    let played = &replayed.played;
    for line in played_by(&rules.game, &recorded_bots(&record, &text)) {
        out(&line)?;
    }
    let look = look(std::io::stdout().is_terminal(), args.plain);
    out(&account(played, reader(played, None), look, true))?;
    if played
        .entries()
        .enumerate()
        .any(|(at, entry)| entry_told(played, entry).hidden && !is_known(played, at))
    {
        note("the match is not over, so what is hidden in it is not shown; the record itself tells it");
    }
    let shown = played.drawing().map_err(|found| fault(&rules, &found))?.text(&look);
    let hidden = if played.over() { crate::repl::laid_open(played, look) } else { String::new() };
    for text in [shown, hidden].iter().filter(|text| !text.is_empty()) {
        out(text)?;
    }
    if let Some((at, refused)) = &replayed.broken {
        let entry = record.moves.get(*at).map_or(String::new(), |entry| format!(" {entry}"));
        let place = refused.reasons.first().map_or(String::new(), |reason| format!(" ({})", reason.place()));
        return Err(wrong(format!("entry {} cannot be played:{entry}: {}{place}", at + 1, refused.message)));
    }
    out(&crate::repl::result_words(played).map_err(|found| fault(&rules, &found))?)?;
    match found_wrong {
        Some((_, refused)) => Err(wrong(refused.message)),
        None => Ok(0),
    }
}

/// Where a record is, as named on the command line.
enum RecordFile {
    Input,
    File(PathBuf),
    /// The file of a match that the program has kept.
    Kept(PathBuf),
}

/// Returns the name of a record: as it is given, or of the latest match of a game that is given instead; without a name, of
/// the latest match that is over.
pub fn record_named(given: Option<&str>) -> Result<String, Failure> {
    let Some(name) = given else {
        let sentence = "error: no match is over yet; name a record: a file, or a saved match".to_string();
        return finished_matches().into_iter().next().ok_or(Failure::Wrong(sentence));
    };
    if name == "-" || Path::new(name).exists() || kept_match(name).is_some() {
        return Ok(name.to_string());
    }
    let numbers = |rest: &str| rest.split('-').all(|part| part.parse::<u64>().is_ok());
    let of_game =
        |kept: &String| kept.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(numbers);
    let kept = [finished_matches(), kept_matches()].concat().into_iter().find(of_game);
    Ok(kept.unwrap_or_else(|| name.to_string()))
}

/// Finds a record: `-` for standard input, a path, or the name of a kept match.
fn file_of(record: &str) -> RecordFile {
    match kept_match(record) {
        _ if record == "-" => RecordFile::Input,
        Some(kept) if !Path::new(record).exists() => RecordFile::Kept(kept),
        _ => RecordFile::File(PathBuf::from(record)),
    }
}

/// Explains that a record does not exist: says which matches are kept, unless it was named by a path.
fn no_record(record: &str) -> String {
    const MANY: usize = 8;
    if record.contains(['.', '/', '\\']) {
        return "there is no such file".to_string();
    }
    let mut names = kept_matches();
    let more = names.len().saturating_sub(MANY);
    names.truncate(MANY);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match names.is_empty() {
        true => "there is no such file, and no match is saved".to_string(),
        false => format!("there is no such file or saved match; saved are {}{more}", names.join(", ")),
    }
}

/// Reads a record (`-` for standard input, a path, or the name of a kept match) and its rules, or those named
/// by `game`; returns the rules, with the names of the record's players, the record, and its text.
pub fn read_record(file: &str, game: Option<&str>) -> Result<(Arc<Rules>, Record, String), Failure> {
    let mut text = String::new();
    let wrong = |what: String| Failure::Wrong(format!("error: {file}: {what}"));
    let from = file_of(file);
    let read = match &from {
        RecordFile::Input => std::io::stdin().lock().take(MAX_RECORD).read_to_string(&mut text),
        RecordFile::File(path) | RecordFile::Kept(path) => {
            std::fs::File::open(path).and_then(|file| file.take(MAX_RECORD).read_to_string(&mut text))
        }
    };
    read.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => wrong(no_record(file)),
        _ => wrong(sentence(&error)),
    })?;
    let record = Record::read(&text).map_err(&wrong)?;
    let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    // A match that was played at a table says where its rules are; a copy of it elsewhere only if they are there.
    let kept = matches!(from, RecordFile::Kept(_));
    let origin = json["session"]["game"].as_str().filter(|origin| kept || Path::new(origin).is_file());
    let known = bundled_text(&record.game).is_some();
    let beside = if known { None } else { rules_beside(&from, &record.game) };
    let game = game.or(origin).or(beside.as_deref());
    if game.is_none() && !known {
        let name = &record.game;
        let names: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
        let hint =
            nearest(name, names.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`"));
        let hint = hint.unwrap_or_default();
        return Err(wrong(format!(
            "this is a record of `{name}`, which is not bundled{hint}, and there is no `{name}.game` here; give its rules with \
             `--game FILE`"
        )));
    }
    let rules = load_rules(game.unwrap_or(&record.game))?;
    if record.rules.as_ref().is_some_and(|hash| *hash != rules.hash) {
        note("note: this record was made under other rules");
    }
    let rules = Arc::new(rules.named_by_record(&json["names"], record.players));
    Ok((rules, record, text))
}

/// Returns the path of the rule file of this name beside a record, or in the current folder, if there is one.
fn rules_beside(from: &RecordFile, name: &str) -> Option<String> {
    let file = format!("{name}.game");
    let beside = match from {
        RecordFile::File(record) => Some(record.with_file_name(&file)),
        RecordFile::Input | RecordFile::Kept(_) => None,
    };
    let mut paths = beside.into_iter().chain([PathBuf::from(&file)]);
    paths.find(|path| path.is_file()).map(|path| path.display().to_string())
}

/// Returns the bots of a stored match, by seat (from 1); other records do not know their bots.
pub fn recorded_bots(record: &Record, text: &str) -> BTreeMap<usize, Bot> {
    let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    bots_of_record(&json["session"], record.players)
}
