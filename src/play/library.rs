//! The games that are part of the program: every rule file of `games/`, by name.

use include_dir::{Dir, DirEntry, include_dir};

use crate::source::Source;

static GAMES: Dir = include_dir!("$CARGO_MANIFEST_DIR/games");

/// The bundled games by name, in alphabetic order, the documented ones before those in folders.
pub fn bundled() -> Vec<(String, &'static str)> {
    fn collect(dir: &'static Dir, out: &mut Vec<(String, &'static str)>) {
        let mut files: Vec<_> = dir.entries().iter().filter_map(DirEntry::as_file).collect();
        files.sort_by_key(|file| file.path());
        for file in files {
            let name = file
                .path()
                .file_name()
                .and_then(|name| name.to_str())
                .and_then(|name| name.strip_suffix(".game"));
            if let (Some(name), Some(text)) = (name, file.contents_utf8()) {
                out.push((name.to_string(), text));
            }
        }
        let mut folders: Vec<_> = dir.dirs().collect();
        folders.sort_by_key(|folder| folder.path());
        for folder in folders {
            collect(folder, out);
        }
    }
    let mut out = Vec::new();
    collect(&GAMES, &mut out);
    out
}

/// The text of a bundled game.
pub fn bundled_text(name: &str) -> Option<&'static str> {
    bundled().into_iter().find(|(known, _)| known == name).map(|(_, text)| text)
}

/// A bundled game as a source.
pub fn bundled_source(name: &str) -> Option<Source> {
    bundled_text(name).map(|text| Source::new(format!("{name}.game"), text))
}
