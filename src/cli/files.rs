//! Rule files as named on the command line: files, folders and bundled games; reading them, and writing files
//! atomically.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::Failure;
use crate::diag::nearest;
use crate::play::{GENERATOR, bundled, bundled_source, with_bases};
use crate::source::{MAX_BYTES, Source};

/// How many bytes of a file are looked at to know what it is.
const BEGINNING: u64 = 1000;

/// Describes an I/O error in plain words.
pub fn sentence(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::IsADirectory => "this is a folder".to_string(),
        io::ErrorKind::InvalidData => "this is not text in UTF-8".to_string(),
        io::ErrorKind::StorageFull => "the disk is full".to_string(),
        _ => error.to_string(),
    }
}

/// Returns a failure that names the file.
pub fn io_failure(path: &str, error: &io::Error) -> Failure {
    Failure::Wrong(format!("error: {path}: {}", sentence(error)))
}

/// Reads the text of a rule file unchanged; files that are too large or not UTF-8 are errors. `-` is standard
/// input.
pub fn read_text(path: &str) -> Result<String, Failure> {
    let wrong = |what: String| Failure::Wrong(format!("error: {path}: {what}"));
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    let read = match path {
        "-" => io::stdin().lock().take(limit).read_to_end(&mut bytes),
        _ => fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => wrong(missing(path)),
        io::ErrorKind::IsADirectory => wrong("this is a folder; name a file in it".to_string()),
        _ => wrong(sentence(&error)),
    })?;
    if bytes.len() > MAX_BYTES {
        return Err(wrong(format!(
            "this file is larger than {MAX_BYTES} bytes, the most that a rule file can have"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        wrong(format!("this is not text: byte {} is not valid UTF-8", error.utf8_error().valid_up_to()))
    })
}

/// Reads a rule file. `-` is standard input.
pub fn read_source(path: &str) -> Result<Source, Failure> {
    let text = read_text(path)?;
    Ok(Source::new(if path == "-" { "standard input" } else { path }, &text))
}

/// Adds the games that a rule file is a variant of.
pub fn based(source: Source) -> Source {
    with_bases(source, &|base, from| {
        if !base.ends_with(".game")
            && let Some(source) = bundled_source(base)
        {
            return Some(source);
        }
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        read_source(&folder.join(base).to_string_lossy()).ok()
    })
}

/// Whether an argument is a path, not the name of a bundled game.
fn is_path(game: &str) -> bool {
    game.ends_with(".game") || game.contains(['/', '\\'])
}

/// Returns the source of a bundled game; `None` if there is none of this name.
pub fn bundled_game(game: &str) -> Option<Source> {
    if is_path(game) { None } else { bundled_source(game) }
}

/// Returns the source of a game, given a bundled game's name or a path.
pub fn game_source(game: &str) -> Result<Source, Failure> {
    if let Some(source) = bundled_game(game) {
        return Ok(source);
    }
    if is_path(game) || Path::new(game).exists() {
        return read_source(game).map(based);
    }
    let bundled: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
    let here = games_in(Path::new("."));
    let hint = match here.iter().find(|file| file.strip_suffix(".game") == Some(game)) {
        Some(file) => format!("did you mean `{file}`?"),
        None => match nearest(game, bundled.iter().chain(&here).map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`parlour list` shows the bundled games; a path must end in `.game`".to_string(),
        },
    };
    Err(Failure::Wrong(format!("error: no game is called `{game}`; {hint}")))
}

/// Returns the message for a file that does not exist.
fn missing(path: &str) -> String {
    let path = Path::new(path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !here.is_dir() {
        return "there is no such folder".to_string();
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    match nearest(&name, games_in(here).iter().filter_map(|file| file.strip_suffix(".game"))) {
        Some(near) => {
            let near = folder.join(format!("{near}.game"));
            format!("there is no such file; did you mean `{}`?", near.display())
        }
        None => "there is no such file".to_string(),
    }
}

/// Returns the names of the rule files directly in a folder, sorted; none if the folder cannot be read.
pub fn games_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".game")).collect();
    names.sort();
    names
}

/// A rule file named on the command line.
pub struct NamedFile {
    /// Its text, with those of the games that it is a variant of.
    pub source: Source,
    /// The path as given, unless the game is bundled or standard input.
    pub path: Option<String>,
}

/// The rule files named on the command line.
#[derive(Default)]
pub struct Named {
    /// The files that could be read, in the order in which they were named; those of a folder sorted by path.
    pub files: Vec<NamedFile>,
    /// A message for each of the others.
    pub trouble: Vec<String>,
}

/// Reads the bundled games, files and folders (recursively) that the arguments name.
pub fn named(arguments: &[String]) -> Named {
    let mut found = Named::default();
    for argument in arguments {
        if argument == "-" {
            found.take(read_source(argument).map(based), None);
        } else if let Some(source) = bundled_game(argument) {
            found.take(Ok(source), None);
        } else if Path::new(argument).is_dir() {
            found.take_folder(argument);
        } else {
            found.take(game_source(argument), Some(argument));
        }
    }
    found
}

impl Named {
    fn take(&mut self, source: Result<Source, Failure>, path: Option<&str>) {
        match source {
            Ok(source) => self.files.push(NamedFile { source, path: path.map(str::to_string) }),
            Err(Failure::Wrong(text) | Failure::Usage(text)) => self.trouble.push(text),
            // Nothing is written to standard output here.
            Err(Failure::Gone) => {}
        }
    }

    fn take_folder(&mut self, folder: &str) {
        let (mut paths, before) = (Vec::new(), self.trouble.len());
        self.look_into(Path::new(folder), &mut paths);
        paths.sort();
        if paths.is_empty() && self.trouble.len() == before {
            self.trouble.push(format!("error: {folder}: there is no .game file in this folder or below it"));
        }
        for path in paths {
            let path = path.to_string_lossy();
            self.take(read_source(&path).map(based), Some(&path));
        }
    }

    /// Collects the rule files in a folder, recursively. Skips hidden entries, and links to folders, which
    /// may form cycles.
    fn look_into(&mut self, folder: &Path, paths: &mut Vec<PathBuf>) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                return self.trouble.push(format!("error: {}: {}", folder.display(), sentence(&error)));
            }
        };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.look_into(&path, paths);
            } else if path.extension().is_some_and(|ending| ending == "game") && !path.is_dir() {
                paths.push(path);
            }
        }
    }
}

/// Writes a file that a later run or another command will read.
pub fn keep(path: &str, text: &str) -> Result<(), Failure> {
    write(Path::new(path), text).map_err(|error| unwritten(path, &error))
}

/// Returns a failure that names the file that could not be written.
pub fn unwritten(path: &str, error: &io::Error) -> Failure {
    Failure::Wrong(format!("error: {path}: {}", why_unwritten(error)))
}

/// Describes in plain words why a file could not be written.
pub fn why_unwritten(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_string(),
        _ => sentence(error),
    }
}

/// What a command writes to a file that its user has named.
#[derive(Debug, Clone, Copy)]
pub enum Output {
    Page,
    Records,
    Mixes,
    Coverage,
}

impl Output {
    /// Returns a name for messages, and texts one of which stands near the beginning of every such file.
    fn marks(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Output::Page => ("a page that Parlour wrote", &[GENERATOR]),
            Output::Records => ("a file of records", &["{\"format\":\"parlour-record\""]),
            Output::Mixes => ("an equilibrium that was kept", &["{\"format\":\"parlour-mixes\""]),
            Output::Coverage => ("a report of coverage", &["TN:", "[{\"file\":", "    1 | "]),
        }
    }

    /// Checks that nothing but an earlier output of the same kind would be replaced at a path: not, for example, the
    /// rules.
    fn may_replace(self, path: &str) -> Result<(), Failure> {
        // Devices and pipes keep nothing.
        if !fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() > 0) {
            return Ok(());
        }
        let mut start = Vec::new();
        let read = fs::File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut start));
        read.map_err(|error| io_failure(path, &error))?;
        let start = String::from_utf8_lossy(&start);
        let (name, marks) = self.marks();
        match marks.iter().any(|mark| start.contains(mark)) {
            true => Ok(()),
            false => Err(Failure::Wrong(format!(
                "error: {path}: this file is not {name}, and would be lost; name another one, or remove it first"
            ))),
        }
    }
}

/// Checks before long work, as far as possible, that a file can be written, and that nothing else is lost by it.
pub fn can_be_written(path: Option<&String>, output: Output) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    output.may_replace(path)?;
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.map(fs::metadata) {
        _ if Path::new(path).is_dir() => Err(unwritten(path, &io::ErrorKind::IsADirectory.into())),
        Some(Err(error)) => Err(unwritten(path, &error)),
        Some(Ok(about)) if !about.is_dir() => Err(unwritten(path, &io::ErrorKind::NotFound.into())),
        _ => Ok(()),
    }
}

/// Writes a file atomically, by renaming a temporary file, so that a crash leaves either the old or the new
/// text. Links stay links, and permissions are kept.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    write_by(path, |file| file.write_all(text.as_bytes()))
}

/// Like [`write()`], with contents written piece by piece by `fill`.
pub fn write_by(path: &Path, fill: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = fs::File::create(&beside).and_then(|mut file| {
        fill(&mut file)?;
        if let Ok(known) = fs::metadata(path) {
            file.set_permissions(known.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
