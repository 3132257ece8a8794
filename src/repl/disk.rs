//! What a session needs of the outside: files, chance, and a place where matches in play are kept. No I/O here.

/// When a match was last played, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// Seconds since 1970 began, in universal time.
    pub at: u64,
    /// Seconds that have gone by.
    pub age: u64,
}

/// Files, and the matches in play. Errors are sentences without the path.
pub trait Disk {
    /// A number that nobody can foresee, or work out from others of its kind.
    fn chance(&mut self) -> u64;
    /// Milliseconds since some moment, for those who think by the clock.
    fn millis(&self) -> u64;
    /// Whether those who think are to come to an end now: Ctrl-C since they began.
    fn hurries(&self) -> bool {
        false
    }
    /// The names of the rule files in the folder one is in.
    fn games_here(&self) -> Vec<String>;
    /// The text of a file.
    fn read(&self, path: &str) -> Result<String, String>;
    /// Whether there is such a file.
    fn exists(&self, path: &str) -> bool;
    /// Writes a whole file; after a failure the old one is as it was.
    fn write(&mut self, path: &str, text: &str) -> Result<(), String>;
    /// The path as it can be found again from any folder.
    fn full_path(&self, path: &str) -> String;
    /// Keeps a match in play: under its name, or a new one that begins with the game's. Gives the name.
    fn keep(&mut self, name: Option<&str>, game: &str, text: &str) -> Result<String, String>;
    /// The names of the matches that are kept, the latest first.
    fn kept(&self) -> Vec<String>;
    /// The text of a match that is kept, be it over or not.
    fn read_kept(&self, name: &str) -> Result<String, String>;
    /// Writes a match that is kept anew, and changes neither when it was last played nor whether it is over.
    fn annotate(&mut self, name: &str, text: &str) -> Result<(), String>;
    /// When a match that is kept was written.
    fn kept_since(&self, name: &str) -> Option<Since>;
    /// A match that is over need not be offered again.
    fn finish(&mut self, name: &str);
    /// Takes away a match that is kept.
    fn forget(&mut self, name: &str) -> Result<(), String>;
}
