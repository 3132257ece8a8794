//! The rule files of `tests/language`, for the tests that go through them.

use std::path::{Path, PathBuf};

use parlour::source::Source;

/// All of them, by path.
pub fn language() -> Vec<Source> {
    in_folders(&["tests/language", "tests/language/invented"])
}

/// Games by people who had read nothing but the manual.
#[allow(dead_code)]
pub fn invented() -> Vec<Source> {
    in_folders(&["tests/language/invented"])
}

fn in_folders(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Source::new(name, &std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(source).collect()
}
