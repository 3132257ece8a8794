//! The games that are part of the program: every rule file of `games/`, by name.

use include_dir::{Dir, DirEntry, include_dir};

use crate::source::Source;
use crate::syntax::base_of;

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

/// A bundled game as a source, with the games it varies.
pub fn bundled_source(name: &str) -> Option<Source> {
    let alone = |name: &str| bundled_text(name).map(|text| Source::new(format!("{name}.game"), text));
    Some(with_bases(alone(name)?, &|base, _| alone(base)))
}

/// How many games may stand below a variant.
const MAX_BASES: usize = 8;

/// A source with the games it is a variant of behind it. `find` gives the source of a base by its name or path and
/// the name of the file that names it; a base that is not found is left for the checker to report.
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
