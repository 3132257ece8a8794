//! What a session needs from the outside: files, randomness, a clock and a store of matches. No I/O here.

use crate::bots::Clock;

/// When a match was last played, as shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// Seconds since the start of 1970, UTC.
    pub at: u64,
    /// Seconds since then.
    pub age: u64,
}

/// Files, and the store of matches in play. Errors are sentences that do not name the path.
pub trait Disk {
    /// Returns a number that cannot be predicted, not even from earlier ones.
    fn chance(&mut self) -> u64;
    /// Returns the clock for bots; it says that they must stop once Ctrl-C is pressed.
    fn clock(&self) -> Box<dyn Clock + Sync>;
    /// Shows how far a long work is, as a share from 0 to 1 and in words; `None` once it is over.
    fn progress(&self, _done: Option<(f64, &str)>) {}
    /// Returns the names of the rule files in the current folder.
    fn games_here(&self) -> Vec<String>;
    /// Returns the text of a file.
    fn read(&self, path: &str) -> Result<String, String>;
    /// Whether the file exists.
    fn exists(&self, path: &str) -> bool;
    /// Writes a whole file; if that fails, the old file is unchanged.
    fn write(&mut self, path: &str, text: &str) -> Result<(), String>;
    /// Returns the path in a form that is valid from any folder.
    fn full_path(&self, path: &str) -> String;
    /// Stores a match in play under `name`, or a new name that starts with the game's. Returns the name.
    fn store(&mut self, name: Option<&str>, game: &str, text: &str) -> Result<String, String>;
    /// Returns the names of the stored matches that can be resumed, latest first.
    fn stored(&self) -> Vec<String>;
    /// Returns the names of the stored matches that are over, latest first.
    fn finished(&self) -> Vec<String>;
    /// Returns the text of a stored match, finished or not.
    fn read_stored(&self, name: &str) -> Result<String, String>;
    /// Rewrites a stored match without changing when it was last played or whether it is over.
    fn annotate(&mut self, name: &str, text: &str) -> Result<(), String>;
    /// Returns when a stored match was written.
    fn stored_since(&self, name: &str) -> Option<Since>;
    /// Whether another session plays a stored match at this moment.
    fn played_elsewhere(&self, name: &str) -> bool;
    /// Marks a stored match as over, so that it is not offered for resuming.
    fn finish(&mut self, name: &str);
    /// Removes a stored match.
    fn forget(&mut self, name: &str) -> Result<(), String>;
}
