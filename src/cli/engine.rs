//! `parlour engine`: serves the JSON-RPC protocol over standard input and output.

use std::io::{self, BufRead, Read};

use super::files::io_failure;
use super::progress::millis;
use super::{Exit, Failure, game_source, out};
use crate::bots::Clock;
use crate::protocol::Engine;
use crate::repl::terminal::thinking::run_parallel;

/// The length limit of an input line, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// The wall clock.
struct Running;

impl Clock for Running {
    fn millis(&self) -> u64 {
        millis()
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        run_parallel(most, other, own);
    }
}

pub fn run() -> Exit {
    let find = |game: &str| {
        game_source(game).map_err(|failure| match failure {
            Failure::Wrong(text) | Failure::Usage(text) => text.trim_start_matches("error: ").to_string(),
            Failure::Gone => String::new(),
        })
    };
    let mut engine = Engine::new(Box::new(find), Box::new(Running));
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(|error| io_failure("standard input", &error))? == 0 {
            return Ok(0);
        }
        if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
            return Err(Failure::Wrong(format!(
                "error: a line is longer than {MAX_LINE} bytes, the most that is read"
            )));
        }
        // Invalid UTF-8 is not valid JSON either and gets the same error response.
        if let Some(answer) = engine.line(&String::from_utf8_lossy(&line)) {
            out(&answer)?;
        }
    }
}
