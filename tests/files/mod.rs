//! The rule files of `tests/language`, for the tests that go through them.

use std::path::{Path, PathBuf};

use parlour::source::Source;

/// All of them, by path.
pub fn language() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    // `invented/` holds games by people who had read nothing but the manual.
    let folders = [folder.clone(), folder.join("invented")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Source::new(name, &std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(source).collect()
}
