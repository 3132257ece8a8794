//! What the line editor asks while a line is typed: completion and hints for open lines, blanks for hidden ones.

use std::borrow::Cow;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use crate::eval::text::wide;
use crate::repl::Guide;

/// Completion and hints for open lines.
pub struct Guided {
    pub guide: Guide,
    pub files: FilenameCompleter,
    pub colour: bool,
}

/// A hint that is shown but cannot be accepted into the line.
pub struct Shown(String);

impl Hint for Shown {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Completer for Guided {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        if self.guide.wants_file(&line[..at]) {
            return self.files.complete(line, at, context);
        }
        let (start, found) = self.guide.complete(&line[..at]);
        // File names are only completed if the session knows nothing.
        if found.is_empty() && self.guide.may_want_file(&line[..at]) {
            return self.files.complete(line, at, context);
        }
        let alone = found.len() == 1;
        let pair = |word: String| {
            let space = if alone && !word.ends_with('=') { " " } else { "" };
            Pair { replacement: format!("{word}{space}"), display: word }
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Hinter for Guided {
    type Hint = Shown;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<Shown> {
        let hint = self.guide.hint(line).filter(|_| at == line.len())?;
        // Without colours, brackets set a hint apart from the typed text.
        Some(Shown(if self.colour {
            hint
        } else {
            format!("{}<{}>", &hint[..hint.len() - hint.trim_start().len()], hint.trim_start())
        }))
    }
}

impl Highlighter for Guided {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match self.colour {
            true => Cow::Owned(format!("\x1b[2m{hint}\x1b[0m")),
            false => Cow::Borrowed(hint),
        }
    }
}

impl Validator for Guided {}
impl Helper for Guided {}

/// Hides input, except for commands, by showing blanks, unless everybody will see it anyway.
pub struct Blind {
    pub shows: bool,
}

impl Highlighter for Blind {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match self.shows || line.starts_with(':') {
            true => Cow::Borrowed(line),
            // One blank per column reveals the length, but the cursor needs it.
            false => Cow::Owned(" ".repeat(wide(line))),
        }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}

impl Completer for Blind {
    type Candidate = String;
}

impl Hinter for Blind {
    type Hint = String;
}

impl Validator for Blind {}
impl Helper for Blind {}
