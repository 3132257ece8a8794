//! `parlour play` and `parlour repl`: the file system, clock, randomness and state folder of a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use super::files::{games_in, sentence, why_unwritten, write};
use super::progress::{MOMENT, Progress, millis};
use super::simulate::{no_seat, read_seat};
use super::{EngineArg, Exit, Failure, at_terminal, look, not_started, pairs, unwritten, width};
use crate::bots::Clock;
use crate::diag::render::Style;
use crate::play::Rules;
use crate::repl::terminal::{self, TerminalSettings};
use crate::repl::{Disk, Session, Since};

/// The size limit of files to read, in bytes.
const MAX_FILE: u64 = 1 << 30;
/// The number of finished matches that are kept in the state folder.
const OVER_KEPT: usize = 100;

#[derive(Args)]
pub struct PlayArgs {
    /// A bundled game's name, or a path to a .game file; if missing, a terminal asks for it
    game: Option<String>,
    /// Set an option
    #[arg(long = "set", value_name = "NAME=VALUE", conflicts_with_all = ["resume", "load"])]
    set: Vec<String>,
    /// How many players
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "load"])]
    players: Option<usize>,
    /// The random seed for chance and bots, to make a match the same on every machine: `hard` then counts playouts, not
    /// seconds. Without it, chance comes from the operating system
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "load"])]
    seed: Option<u64>,
    /// Give a seat to a bot, as in 2=random; people play the others. Ctrl-C makes a thinking bot move at once
    #[arg(long, value_name = "SEAT=BOT")]
    seat: Vec<String>,
    /// Name a player, as in 1=Ann
    #[arg(long, value_name = "SEAT=NAME", conflicts_with_all = ["resume", "load"])]
    name: Vec<String>,
    /// Continue the latest unfinished match
    #[arg(long, conflicts_with = "load")]
    resume: bool,
    /// Continue from a record: a file, such as `check --play` writes, or the name of a saved match
    #[arg(long, value_name = "RECORD")]
    load: Option<String>,
    /// Use words instead of symbols and boxes, for screen readers
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    engine: EngineArg,
}

pub fn run(args: &PlayArgs) -> Exit {
    let mut session = session(args.seed, args.plain);
    if args.resume {
        let opening = session.resume_latest(args.game.as_deref()).map_err(wrong)?;
        let seated = session.seat_bots(&args.seat).map_err(wrong)?;
        return sit(session, &joined(&opening, &seated), true);
    }
    if let Some(record) = &args.load {
        let kept = kept_match(record).filter(|_| !Path::new(record).exists());
        let record = kept.map_or(record.clone(), |path| path.to_string_lossy().into_owned());
        let opening = session.load_record(&record, args.game.as_deref()).map_err(wrong)?;
        let seated = session.seat_bots(&args.seat).map_err(wrong)?;
        return sit(session, &joined(&opening, &seated), true);
    }
    let given = args.set.len() + args.seat.len() + args.players.map_or(0, |_| 1);
    let Some(game) = args.game.as_deref() else {
        if given > 0 || !at_terminal() {
            let sentence =
                "`play` needs a game: `parlour play <GAME>`; `parlour list` shows the bundled ones";
            return Err(Failure::Usage(sentence.to_string()));
        }
        let offered = session.ask();
        return sit(session, &offered, true);
    };
    let (origin, rules) = session.rules(game).map_err(wrong)?;
    let options = rules.read_options(pairs(&args.set)?).map_err(Failure::Usage)?;
    let players = args.players.unwrap_or_else(|| rules.default_players());
    let mut bots = BTreeMap::new();
    for text in &args.seat {
        let machine = rules.machine(&options, players).map_err(|not| not_started(&rules, not))?;
        let (seat, bot) = read_seat(text, &rules, &machine)?;
        if bots.insert(seat, bot).is_some() {
            return Err(Failure::Usage(format!("`--seat {text}`: another bot already sits there")));
        }
    }
    let rules = Arc::new(rules.named(&read_names(&args.name, &rules, players)?).map_err(Failure::Usage)?);
    let opening = session.begin(origin, rules, options, players, bots).map_err(wrong)?;
    sit(session, &opening, true)
}

/// Plays on as a new match from where a record ends, under the rules of `game` if they are given.
pub fn play_on(record: &str, game: Option<&str>, plain: bool) -> Exit {
    let mut session = session(None, plain);
    if let Some(game) = game {
        session.open(game, &[], None, BTreeMap::new()).map_err(wrong)?;
    }
    let opening = session.play_on(record);
    sit(session, &opening, true)
}

/// Returns two texts, one below the other.
fn joined(above: &str, below: &str) -> String {
    if below.is_empty() { above.to_string() } else { format!("{above}\n{below}") }
}

/// Parses the values of `--name`, such as `1=Ann`.
fn read_names(given: &[String], rules: &Rules, players: usize) -> Result<BTreeMap<usize, String>, Failure> {
    let mut names = BTreeMap::new();
    for text in given {
        let wrong = |what: String| Failure::Usage(format!("`--name {text}`: {what}"));
        let (seat, name) = text.split_once('=').ok_or_else(|| wrong("write it as 1=Ann".to_string()))?;
        let number = seat.parse::<usize>().ok().filter(|seat| (1..=players).contains(seat));
        let seat = number.ok_or_else(|| wrong(no_seat(seat, rules, players)))?;
        if names.insert(seat, name.to_string()).is_some() {
            return Err(wrong(format!("seat {seat} already has a name")));
        }
    }
    Ok(names)
}

pub fn repl(game: Option<&str>, plain: bool) -> Exit {
    let mut session = session(None, plain);
    let opening = match game {
        Some(game) => session.open(game, &[], None, BTreeMap::new()).map_err(wrong)?,
        None if at_terminal() => {
            let offered = session.ask();
            let head = "`:games` describes them, `:help` lists the commands";
            format!("parlour {}: {head}\n{offered}", env!("CARGO_PKG_VERSION"))
        }
        None => String::new(),
    };
    sit(session, &opening, false)
}

fn wrong(text: String) -> Failure {
    // A report stands alone; a sentence gets a prefix.
    Failure::Wrong(if text.contains('\n') { text } else { format!("error: {text}") })
}

fn session(seed: Option<u64>, plain: bool) -> Session {
    let disk = Box::new(Files::of_user());
    let style = Style { colour: false, width: width() };
    let mut session = match seed {
        Some(seed) => Session::new(disk, seed, style),
        None => Session::by_chance(disk, style),
    };
    session.set_look(look(at_terminal(), plain));
    terminal::think_in_background(&mut session);
    session
}

fn sit(mut session: Session, opening: &str, play: bool) -> Exit {
    let colour = at_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let history = state_folder().map(|folder| folder.join("history"));
    let opening = match play && at_terminal() {
        true => {
            let summary = session.table().and_then(|table| table.played.rules.game.summary.clone());
            let hint = "(an empty line shows what can be played, `:rules` the rules, `:help` the commands)";
            let hint = session.table().map(|_| hint.to_string());
            let parts = summary.into_iter().chain(hint).chain([opening.to_string()]);
            parts.collect::<Vec<_>>().join("\n")
        }
        false => opening.to_string(),
    };
    terminal::run(&mut session, &opening, TerminalSettings { history, colour })
        .map_err(|error| unwritten(&error))
}

/// Returns the file of a match that is kept under this name, unfinished or over.
pub fn kept_match(name: &str) -> Option<PathBuf> {
    Files::of_user().found(name).ok().filter(|path| path.exists())
}

/// Rewrites a kept match without changing when it was last played. The error is a sentence.
pub fn annotate_match(name: &str, text: &str) -> Result<(), String> {
    Files::of_user().annotate(name, text)
}

/// Returns the names of the kept matches that are over, latest first.
pub fn finished_matches() -> Vec<String> {
    Files::of_user().finished()
}

/// Returns the names of the kept matches: the unfinished ones, then those that are over, each latest first.
pub fn kept_matches() -> Vec<String> {
    let files = Files::of_user();
    [files.stored(), files.finished()].concat()
}

/// Returns the folder for unfinished matches and the input history.
fn state_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("PARLOUR_STATE")
        .or_else(|| folder("XDG_STATE_HOME").map(|state| state.join("parlour")))
        .or_else(|| home().map(|home| home.join(".local/state/parlour")))
        .or_else(|| folder("LOCALAPPDATA").map(|data| data.join("parlour")))
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The file system of this machine.
struct Files {
    state: Option<PathBuf>,
    /// The match that this session plays, and its lock, which ends with the session.
    played: Option<(String, fs::File)>,
    /// The progress line of a long work.
    progress: RefCell<Option<Progress>>,
}

impl Files {
    /// Returns the files of whoever runs the program.
    fn of_user() -> Files {
        Files { state: state_folder(), played: None, progress: RefCell::new(None) }
    }
}

impl Files {
    fn matches(&self) -> Result<PathBuf, String> {
        let state = self.state.as_ref().ok_or("there is no state folder; set PARLOUR_STATE to one")?;
        Ok(state.join("matches"))
    }

    fn kept_path(&self, name: &str) -> Result<PathBuf, String> {
        // Names are typed by people and must not be paths.
        match name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
            true => Ok(self.matches()?.join(format!("{name}.json"))),
            false => Err("this is not the name of a match".to_string()),
        }
    }

    /// Returns the file whose lock says that a session plays a match.
    fn lock_path(&self, name: &str) -> Option<PathBuf> {
        Some(self.kept_path(name).ok()?.with_file_name("played").join(name))
    }

    /// Marks a match as the one that this session plays. Where files cannot be locked, it stays unmarked.
    fn play(&mut self, name: &str) {
        if self.played.as_ref().is_none_or(|(played, _)| played != name) {
            self.leave();
            let create = |path: PathBuf| {
                fs::create_dir_all(path.parent()?).ok()?;
                fs::File::options().create(true).write(true).truncate(false).open(path).ok()
            };
            let file = self.lock_path(name).and_then(create).filter(|file| file.try_lock().is_ok());
            self.played = file.map(|file| (name.to_string(), file));
        }
    }

    /// Removes the mark of the match that this session plays.
    fn leave(&mut self) {
        if let Some((name, file)) = self.played.take()
            && let Some(path) = self.lock_path(&name)
        {
            drop(file);
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the path of a match, finished or not.
    fn found(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.kept_path(name)?;
        let over = self.matches()?.join("over").join(format!("{name}.json"));
        Ok(if !path.exists() && over.exists() { over } else { path })
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.leave();
    }
}

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| sentence(&error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("this file has more than {MAX_FILE} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("this is not text: byte {} is not valid UTF-8", error.utf8_error().valid_up_to())
    })
}

/// Expands paths such as `~/match.json` to the home folder.
fn at_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Returns the JSON files in a folder, latest first.
fn latest(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter_map(|path| Some((path.metadata().and_then(|data| data.modified()).ok()?, path)))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the names of the matches in a folder, latest first.
fn stems(folder: &Path) -> Vec<String> {
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_string());
    latest(folder).into_iter().filter_map(stem).collect()
}

/// The wall clock, which hurries once Ctrl-C is pressed at the prompt.
struct AtTerminal;

impl Clock for AtTerminal {
    fn millis(&self) -> u64 {
        millis()
    }

    fn must_stop(&self) -> bool {
        terminal::must_stop()
    }

    fn pause(&self) {
        std::thread::sleep(MOMENT);
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        terminal::thinking::run_parallel(most, other, own);
    }
}

impl Disk for Files {
    fn chance(&mut self) -> u64 {
        // The keys of the standard library's hash maps come from the operating system's source of randomness.
        RandomState::new().build_hasher().finish()
    }

    fn clock(&self) -> Box<dyn Clock + Sync> {
        Box::new(AtTerminal)
    }

    fn progress(&self, done: Option<(f64, &str)>) {
        let mut line = self.progress.borrow_mut();
        match done {
            Some((share, words)) => {
                line.get_or_insert_with(|| Progress::new(words)).tell(share, || words.to_string());
            }
            None => *line = None,
        }
    }

    fn games_here(&self) -> Vec<String> {
        games_in(Path::new("."))
    }

    fn read(&self, path: &str) -> Result<String, String> {
        read(&at_home(path))
    }

    fn exists(&self, path: &str) -> bool {
        at_home(path).exists()
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        write(&at_home(path), text).map_err(|error| why_unwritten(&error))
    }

    fn full_path(&self, path: &str) -> String {
        let path = at_home(path);
        let full = fs::canonicalize(&path).unwrap_or(path);
        full.to_string_lossy().into_owned()
    }

    fn store(&mut self, name: Option<&str>, game: &str, text: &str) -> Result<String, String> {
        let folder = self.matches()?;
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {}", folder.display(), sentence(&error)))?;
        let name = match name {
            Some(name) => name.to_string(),
            None => {
                let game: String =
                    game.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
                let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
                // The name must not be that of a finished match.
                let free = |n: &u32| {
                    let file = format!("{game}-{seconds}-{n}.json");
                    let made =
                        || fs::OpenOptions::new().write(true).create_new(true).open(folder.join(&file));
                    !folder.join("over").join(&file).exists() && made().is_ok()
                };
                let n = (1..1000)
                    .find(free)
                    .ok_or_else(|| format!("no file can be created in {}", folder.display()))?;
                format!("{game}-{seconds}-{n}")
            }
        };
        let path = self.kept_path(&name)?;
        write(&path, text).map_err(|error| format!("{}: {}", path.display(), sentence(&error)))?;
        self.play(&name);
        Ok(name)
    }

    fn stored(&self) -> Vec<String> {
        self.matches().map_or(Vec::new(), |folder| stems(&folder))
    }

    fn finished(&self) -> Vec<String> {
        self.matches().map_or(Vec::new(), |folder| stems(&folder.join("over")))
    }

    fn read_stored(&self, name: &str) -> Result<String, String> {
        read(&self.found(name)?)
    }

    fn annotate(&mut self, name: &str, text: &str) -> Result<(), String> {
        let path = self.found(name)?;
        let played = path.metadata().and_then(|data| data.modified());
        let written = write(&path, text);
        // Systems without modification times have nothing to restore.
        let put_back =
            |at| fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(at));
        written.map(|()| drop(played.map(put_back))).map_err(|error| sentence(&error))
    }

    fn stored_since(&self, name: &str) -> Option<Since> {
        let written = self.kept_path(name).ok()?.metadata().and_then(|data| data.modified()).ok()?;
        let at = written.duration_since(UNIX_EPOCH).ok()?.as_secs();
        Some(Since { at, age: SystemTime::now().duration_since(written).unwrap_or_default().as_secs() })
    }

    fn played_elsewhere(&self, name: &str) -> bool {
        let own = self.played.as_ref().is_some_and(|(played, _)| played == name);
        let locked = |file: fs::File| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
        let open = |path: PathBuf| fs::File::open(path).ok();
        !own && self.lock_path(name).and_then(open).is_some_and(locked)
    }

    fn finish(&mut self, name: &str) {
        let (Ok(folder), Ok(path)) = (self.matches(), self.kept_path(name)) else { return };
        let over = folder.join("over");
        let moved = fs::create_dir_all(&over)
            .and_then(|()| fs::rename(&path, over.join(path.file_name().unwrap_or_default())));
        if moved.is_ok() {
            for old in latest(&over).into_iter().skip(OVER_KEPT) {
                let _ = fs::remove_file(old);
            }
        }
    }

    fn forget(&mut self, name: &str) -> Result<(), String> {
        fs::remove_file(self.found(name)?).map_err(|error| sentence(&error))
    }
}
