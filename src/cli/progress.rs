//! Long-running work: a progress line on terminals, and Ctrl-C, which stops the work but keeps its results.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::width;
use crate::bots::Clock;
use crate::eval::text::wide;

/// The time between updates of the progress line; shorter work shows none.
const TICK: Duration = Duration::from_millis(700);

/// Installs a Ctrl-C handler and returns the flag that it sets; a second Ctrl-C exits immediately.
pub fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    stop
}

/// The clock of bots, which hurries them once Ctrl-C is pressed.
pub struct Stopping(pub Arc<AtomicBool>);

impl Clock for Stopping {
    fn millis(&self) -> u64 {
        millis()
    }

    fn must_stop(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn pause(&self) {
        thread::sleep(MOMENT);
    }
}

/// How long to wait for what another thread does, before looking again.
pub const MOMENT: Duration = Duration::from_millis(10);

/// Returns the milliseconds since the first call.
pub fn millis() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// The progress of work: the share done, and a description.
#[derive(Default)]
struct State {
    share: f64,
    words: String,
}

/// A progress line on standard error, if that is a terminal. Dropping it removes the line.
pub struct Progress {
    state: Arc<Mutex<State>>,
    /// The thread that draws the line, and the channel whose closing ends it.
    teller: Option<(JoinHandle<()>, Sender<()>)>,
}

impl Progress {
    /// Starts a progress line with a description.
    pub fn new(words: &str) -> Progress {
        let state = Arc::new(Mutex::new(State { share: 0.0, words: words.to_string() }));
        // A terminal that cannot move its cursor would print a new line each time.
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if dumb || !io::stderr().is_terminal() {
            return Progress { state, teller: None };
        }
        let (end, ended) = mpsc::channel();
        let told = Arc::clone(&state);
        let begun = Instant::now();
        let teller = thread::spawn(move || {
            let mut shown = false;
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let state = told.lock().unwrap_or_else(PoisonError::into_inner);
                put(&line(&state, begun.elapsed(), width()));
                shown = true;
            }
            if shown {
                put("");
            }
        });
        Progress { state, teller: Some((teller, end)) }
    }

    /// Updates the share of the work done, from 0 to 1, and the description.
    pub fn tell(&self, share: f64, words: impl FnOnce() -> String) {
        if self.teller.is_some() {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            *state = State { share, words: words() };
        }
    }

    /// Removes the line, so that something else can be printed.
    pub fn clear(&self) {
        if self.teller.is_some() {
            put("");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((teller, end)) = self.teller.take() {
            drop(end);
            let _ = teller.join();
        }
    }
}

/// Formats the progress line, for example "300 of 1000 matches; about 12 s left", with what Ctrl-C does, which matters more
/// than what is done, as far as there is room for that.
fn line(state: &State, gone: Duration, room: usize) -> String {
    let State { share, words } = state;
    let left = match *share > 0.0 {
        true => format!("about {} left", time(gone.as_secs_f64() * (1.0 - share) / share)),
        false => time(gone.as_secs_f64()),
    };
    let told = format!("{words}; {left}");
    let with = [
        format!("{told} (Ctrl-C stops and shows results)"),
        format!("{told} (Ctrl-C stops)"),
        format!("{left} (Ctrl-C stops)"),
    ];
    with.into_iter().find(|line| wide(line) < room).unwrap_or(told)
}

/// Formats a duration in seconds in a suitable unit.
fn time(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{} s", seconds.ceil()),
        ..7200.0 => format!("{} minutes", (seconds / 60.0).ceil()),
        ..172_800.0 => format!("{} hours", (seconds / 3600.0).ceil()),
        ..1e9 => format!("{} days", (seconds / 86_400.0).ceil()),
        _ => "many years".to_string(),
    }
}

/// Overwrites the progress line.
fn put(text: &str) {
    let text: String = text.chars().take(width().saturating_sub(1)).collect();
    let _ = write!(io::stderr(), "\r\x1b[K{text}").and_then(|()| io::stderr().flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_estimated_from_what_is_done() {
        let line = |share, gone, room| {
            line(&State { share, words: "so far".into() }, Duration::from_secs(gone), room)
        };
        let told = |share, gone| line(share, gone, 80);
        assert!(told(0.0, 3).starts_with("so far; 3 s ("), "{}", told(0.0, 3));
        assert!(told(0.25, 10).starts_with("so far; about 30 s left ("));
        assert!(told(0.5, 600).starts_with("so far; about 10 minutes left ("));
        assert!(told(1e-12, 600).starts_with("so far; about many years left"));
        assert_eq!(line(0.0, 3, 30), "so far; 3 s (Ctrl-C stops)");
        assert_eq!(line(0.0, 3, 20), "3 s (Ctrl-C stops)");
        assert_eq!(line(0.0, 3, 15), "so far; 3 s");
    }
}
