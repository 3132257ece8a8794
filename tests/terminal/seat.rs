//! The program in a terminal of its own: keys go in, and a terminal emulator says what stands on the screen.
//! Nothing sleeps: a test waits for what the screen is to show, and fails with the screen where that never comes.

use crate::folder::Folder;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

/// After how long what does not come is missed; a machine may have much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it is listened for before it is looked whether the program has ended.
const TURN: Duration = Duration::from_millis(20);

/// A folder of its own for a test: files, and the matches that are kept.
pub struct Room(pub Folder);

impl Room {
    pub fn new(name: &str) -> Room {
        Room(Folder::new(name))
    }

    /// The matches that are kept, one text behind the other.
    pub fn kept(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join("matches")) else { return Vec::new() };
        let files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// Somebody sits down at a terminal of 60 rows and this many columns.
    pub fn seat(&self, columns: u16, args: &[&str]) -> Seat {
        self.seat_with(columns, &[], args)
    }

    /// The same, with something in the environment.
    pub fn seat_with(&self, columns: u16, environment: &[(&str, &str)], args: &[&str]) -> Seat {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(ROWS.get(), columns)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlour")).args(args).current_dir(&*self.0);
        for gone in ["NO_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL"] {
            command = command.env_remove(gone);
        }
        let command = command.env("PARLOUR_STATE", self.0.as_os_str()).env("TERM", "xterm-256color");
        let child = command.envs(environment.iter().copied()).spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (send, output) = channel();
        let reader = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // When the program ends, reading fails.
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

/// How high the terminals are: whole matches stand on them.
const ROWS: NonZero<u16> = NonZero::new(60).unwrap();

fn size(columns: u16) -> NonZero<u16> {
    NonZero::new(columns).unwrap()
}

/// Somebody at a terminal.
pub struct Seat {
    pty: Arc<Pty>,
    child: Child,
    output: Receiver<Vec<u8>>,
    pub screen: vt100::Parser,
    /// Everything that was ever written to the terminal.
    raw: Vec<u8>,
    /// How much had been written when Enter was last pressed.
    entered: usize,
}

impl Seat {
    /// What stands on the screen.
    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Everything that was ever written to the terminal, with what steers it.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// The line that the cursor stands in.
    pub fn line(&self) -> String {
        let screen = self.screen.screen();
        let (row, _) = screen.cursor_position();
        screen.rows(0, screen.size().1.get()).nth(row.into()).unwrap_or_default()
    }

    /// Waits until the screen is as it is to be.
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

    /// Waits until a text stands on the screen.
    pub fn sees(&mut self, text: &str) {
        self.until(text, |seat| seat.contents().contains(text));
    }

    /// Waits until a line is asked for, behind a prompt with these words; what is typed earlier may be lost.
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

    /// Types a line that is shown, and Enter.
    pub fn types(&mut self, line: &str) {
        self.press(line);
        self.until(&format!("typed: {line}"), |seat| seat.line().contains(line));
        self.enter();
    }

    /// Types a line that is not shown, and Enter.
    pub fn types_unseen(&mut self, line: &str) {
        self.press(line);
        self.enter();
    }

    fn enter(&mut self) {
        self.entered = self.raw.len();
        self.press("\r");
    }

    /// Types a line, and waits until the next is asked for.
    pub fn asks(&mut self, line: &str, words: &str) {
        self.types(line);
        self.asked(words);
    }

    /// The window gets another width.
    pub fn resize(&mut self, columns: u16) {
        self.pty.resize(Size::new(ROWS.get(), columns)).unwrap();
        self.screen.screen_mut().set_size(ROWS, size(columns));
    }

    /// The window gets another width, and the program that fills it draws it anew. A key that is pressed before that may be
    /// lost: of two things that come at once the terminal library may pass on one, and the other with the next key.
    pub fn redraws(&mut self, columns: u16) {
        let drawn = self.raw.len();
        self.resize(columns);
        self.until("drawn anew", |seat| seat.raw.len() > drawn);
    }

    /// The program is killed as a power cut would do it.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end of the program: its exit status. What it wrote last is on the screen.
    pub fn ends(&mut self) -> i32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(TURN) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                // Children of other tests may hold this terminal open: its silence alone tells nothing.
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

    /// Whether a line was longer than the screen is wide.
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
