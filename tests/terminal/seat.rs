//! The program in a terminal of its own: keys go in, and a terminal emulator tells what is on the screen.
//! A test waits for what the screen must show, and fails with the screen if that never comes.

use crate::folder::Folder;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

/// The time limit for anything to appear; the machine may be busy with other work.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time to listen for output before checking whether the program has ended.
const TURN: Duration = Duration::from_millis(20);

/// A temporary folder for one test, with its files and kept matches.
pub struct Room(pub Folder);

impl Room {
    pub fn new(name: &str) -> Room {
        Room(Folder::new(name))
    }

    /// Returns the texts of the kept matches.
    pub fn kept(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join("matches")) else { return Vec::new() };
        let files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// Starts the program in a terminal that is closed as soon as it has shown some words; returns whether it ends then.
    pub fn ends_when_closed(&self, args: &[&str], words: &str) -> bool {
        let (mut pty, mut child) = self.start(80, &[], args);
        let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&shown).contains(words) {
            let n = pty.read(&mut bytes).unwrap();
            shown.extend_from_slice(&bytes[..n]);
        }
        drop(pty);
        // Children of other tests may hold this terminal open for a while.
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(TURN);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        false
    }

    fn start(&self, columns: u16, environment: &[(&str, &str)], args: &[&str]) -> (Pty, Child) {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(ROWS.get(), columns)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlour")).args(args).current_dir(&*self.0);
        for gone in ["NO_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL"] {
            command = command.env_remove(gone);
        }
        let command = command.env("PARLOUR_STATE", self.0.as_os_str()).env("TERM", "xterm-256color");
        (pty, command.envs(environment.iter().copied()).spawn(pts).unwrap())
    }

    /// Starts the program in a terminal with 60 rows and this many columns.
    pub fn seat(&self, columns: u16, args: &[&str]) -> Seat {
        self.seat_with(columns, &[], args)
    }

    /// The same, with additional environment variables.
    pub fn seat_with(&self, columns: u16, environment: &[(&str, &str)], args: &[&str]) -> Seat {
        let (pty, child) = self.start(columns, environment, args);
        let pty = Arc::new(pty);
        let (send, output) = channel();
        let reader = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the program ends.
            while let Ok(n @ 1..) = (&*reader).read(&mut bytes) {
                if send.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Seat {
            pty,
            child,
            output,
            screen: vt100::Parser::new(ROWS, size(columns), 0),
            raw: Vec::new(),
            entered: 0,
        }
    }
}

/// The number of rows of the terminals, enough for whole matches.
const ROWS: NonZero<u16> = NonZero::new(60).unwrap();

fn size(columns: u16) -> NonZero<u16> {
    NonZero::new(columns).unwrap()
}

/// A person at a terminal.
pub struct Seat {
    pty: Arc<Pty>,
    child: Child,
    output: Receiver<Vec<u8>>,
    pub screen: vt100::Parser,
    /// Everything that was ever written to the terminal.
    raw: Vec<u8>,
    /// The length of `raw` when Enter was last pressed.
    entered: usize,
}

impl Seat {
    /// Returns the contents of the screen.
    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Returns everything that was ever written to the terminal, including control sequences.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Returns the line of the cursor.
    pub fn line(&self) -> String {
        let screen = self.screen.screen();
        let (row, _) = screen.cursor_position();
        screen.rows(0, screen.size().1.get()).nth(row.into()).unwrap_or_default()
    }

    /// Waits until a condition on the screen holds.
    pub fn until(&mut self, what: &str, holds: impl Fn(&Seat) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(end) => {
                    let why = if end == RecvTimeoutError::Timeout { "in time" } else { "before the end" };
                    panic!("{what}: this did not come {why}; the screen is\n{}", self.contents());
                }
            }
        }
    }

    /// Waits until the screen shows a text.
    pub fn sees(&mut self, text: &str) {
        self.until(text, |seat| seat.contents().contains(text));
    }

    /// Waits until a line is asked for, with these words in the prompt; what is typed earlier may be lost.
    pub fn asked(&mut self, words: &str) {
        self.until(&format!("asked: {words}"), |seat| {
            let line = seat.line();
            let answered = seat.entered == 0 || seat.raw[seat.entered..].contains(&b'\n');
            answered && line.contains(words) && line.trim_end().ends_with(['>', '?'])
        });
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Types a line that is echoed, and Enter.
    pub fn types(&mut self, line: &str) {
        self.press(line);
        self.until(&format!("typed: {line}"), |seat| seat.line().contains(line));
        self.enter();
    }

    /// Types a line that is not echoed, and Enter.
    pub fn types_unseen(&mut self, line: &str) {
        self.press(line);
        self.enter();
    }

    fn enter(&mut self) {
        self.entered = self.raw.len();
        self.press("\r");
    }

    /// Types a line, and waits until the next one is asked for.
    pub fn asks(&mut self, line: &str, words: &str) {
        self.types(line);
        self.asked(words);
    }

    /// Changes the width of the window.
    pub fn resize(&mut self, columns: u16) {
        self.pty.resize(Size::new(ROWS.get(), columns)).unwrap();
        self.screen.screen_mut().set_size(ROWS, size(columns));
    }

    /// Changes the width of the window, and waits until the full-screen program redraws it. A key pressed
    /// earlier may be lost: of two simultaneous events the terminal library may pass on one, and the other
    /// only with the next key.
    pub fn redraws(&mut self, columns: u16) {
        let drawn = self.raw.len();
        self.resize(columns);
        self.until("drawn anew", |seat| seat.raw.len() > drawn);
    }

    /// Kills the program, as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end of the program and returns its exit status. Its last output is on the screen.
    pub fn ends(&mut self) -> i32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(TURN) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                // Children of other tests may hold this terminal open, so silence alone tells nothing.
                Err(_) => match self.child.try_wait().unwrap() {
                    Some(status) => return status.code().unwrap_or(-1),
                    None => assert!(
                        Instant::now() < deadline,
                        "the program does not end; the screen is\n{}",
                        self.contents()
                    ),
                },
            }
        }
    }

    /// Whether a line was wider than the screen.
    pub fn overflows(&self) -> bool {
        let screen = self.screen.screen();
        (0..ROWS.get()).any(|row| screen.row_wrapped(row))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
