//! The bundled games: every rule file in `games/`, by name.

use include_dir::{Dir, DirEntry, File, include_dir};

use crate::source::Source;
use crate::syntax::base_of;

static GAMES: Dir = include_dir!("$CARGO_MANIFEST_DIR/games");

/// A folder's name, and the name and text of each of its games.
pub type Shelf = (&'static str, Vec<(String, &'static str)>);

/// The bundled games by folder, alphabetically. The documented games come first, in a folder without name.
pub fn shelves() -> Vec<Shelf> {
    fn collect(dir: &'static Dir, out: &mut Vec<Shelf>) {
        let name = dir.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut files: Vec<_> = dir.entries().iter().filter_map(DirEntry::as_file).collect();
        files.sort_by_key(|file| file.path());
        let game = |file: &'static File| {
            let name = file.path().file_name()?.to_str()?.strip_suffix(".game")?;
            Some((name.to_string(), file.contents_utf8()?))
        };
        let games: Vec<(String, &str)> = files.into_iter().filter_map(game).collect();
        if !games.is_empty() {
            out.push((name, games));
        }
        let mut folders: Vec<_> = dir.dirs().collect();
        folders.sort_by_key(|folder| folder.path());
        folders.into_iter().for_each(|folder| collect(folder, out));
    }
    let mut out = Vec::new();
    collect(&GAMES, &mut out);
    out
}

/// Returns the name and text of all bundled games, in the order of [`shelves`].
pub fn bundled() -> Vec<(String, &'static str)> {
    shelves().into_iter().flat_map(|(_, games)| games).collect()
}

/// Returns the text of a bundled game.
pub fn bundled_text(name: &str) -> Option<&'static str> {
    bundled().into_iter().find(|(known, _)| known == name).map(|(_, text)| text)
}

/// Finds a bundled game by name, ignoring case, spaces and punctuation: `Tic Tac Toe` finds `tic-tac-toe`.
pub fn bundled_called(typed: &str) -> Option<String> {
    let letters = letters(typed);
    bundled().into_iter().map(|(name, _)| name).find(|name| self::letters(name) == letters)
}

/// Returns the games that the typed text may mean: the game with that name, else the games whose names begin
/// with it, else those where each typed word begins a word of the name (`card game`).
pub fn games_meant<'n>(typed: &str, games: &[&'n str]) -> Vec<&'n str> {
    let these = |fits: &dyn Fn(&str) -> bool| -> Vec<&'n str> {
        games.iter().copied().filter(|game| fits(game)).collect()
    };
    let all = letters(typed);
    if all.is_empty() {
        return Vec::new();
    }
    let parts = |name: &str| -> Vec<String> {
        name.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(String::from).collect()
    };
    let said = parts(typed);
    let has = |game: &str| {
        let known = parts(game);
        said.iter().all(|word| known.iter().any(|known| known.starts_with(word.as_str())))
    };
    let ways =
        [these(&|game| letters(game) == all), these(&|game| letters(game).starts_with(&all)), these(&has)];
    ways.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the letters and digits of a name in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a bundled game as a source, together with the games it is based on.
pub fn bundled_source(name: &str) -> Option<Source> {
    let alone = |name: &str| bundled_text(name).map(|text| Source::new(format!("{name}.game"), text));
    Some(with_bases(alone(name)?, &|base, _| alone(base)))
}

/// The maximum number of bases below a variant.
const MAX_BASES: usize = 8;

/// Adds to a source the games it is based on. `find` returns the source of a base, given its name or path and
/// the name of the file that refers to it; a base that is not found is left for the checker to report.
pub fn with_bases(mut source: Source, find: &dyn Fn(&str, &str) -> Option<Source>) -> Source {
    while let Some(base) = base_of(&source) {
        let (from, _) = source.file_at(base.span.start + source.text.len());
        let Some(found) = find(&base.text, from) else { break };
        let again = source.files().any(|(name, _)| found.files().any(|(other, _)| name == other));
        if again || source.files().len() > MAX_BASES {
            break;
        }
        source = source.with_base(&found);
    }
    source
}
