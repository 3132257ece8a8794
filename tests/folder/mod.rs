//! A temporary folder for a test, and the program run in it.

#![allow(dead_code)] // The suite of the terminal uses some of it.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder for one test, with its files and kept matches; removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// Creates an empty folder. Tests that run concurrently need different names.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("parlour-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file, and creates its parent folders.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Returns the command that runs the program in this folder, with 80 columns and no input.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
        command.args(args).current_dir(&self.0).env("PARLOUR_STATE", &self.0).env("COLUMNS", "80");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command. Returns exit status, standard output and standard error.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        ended(self.command(args).output().unwrap())
    }

    /// The same with space-separated words.
    pub fn type_in(&self, words: &str) -> (i32, String, String) {
        self.run(&words.split_whitespace().collect::<Vec<_>>())
    }
}

/// Returns the exit status of a command (-1 if a signal ended it), its standard output and standard error.
pub fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
