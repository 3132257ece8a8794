//! The module that owns the terminal: line editing with history, completion and hints, hand-over between
//! players at one screen, hidden input; and plain lines without a terminal.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rustyline::completion::FilenameCompleter;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History, MemHistory};
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, Helper, KeyEvent,
};

use super::{Asked, Guide, Outside, Reply, Session};

mod helpers;
mod outside;
pub mod thinking;
mod writing;

use helpers::{Blind, Guided};
use outside::Pressed;
pub use outside::{Left, look_back};
use thinking::{answer, while_thinking};
pub use thinking::{must_stop, think_in_background};
use writing::print;
pub use writing::wrapped;

/// The settings of a session at a terminal.
#[derive(Debug, Clone, Default)]
pub struct TerminalSettings {
    /// The file that remembers typed lines.
    pub history: Option<PathBuf>,
    /// Whether colours may be used.
    pub colour: bool,
}

/// The exit status of a session that was interrupted.
const INTERRUPTED: u8 = 130;
/// Shown when Ctrl-C has dropped a line.
const DROPPED: &str = "line dropped; Ctrl-D leaves";
/// Shown at the first Ctrl-C on an empty line.
const LEAVES_NEXT: &str = "press Ctrl-C again, or Ctrl-D, to leave; nothing is lost";
/// Switches to the alternate screen, which has no scrollback, and clears it.
const ALT_SCREEN: &str = "\x1b[?1049h\x1b[2J\x1b[H";
/// Clears the alternate screen and switches back.
const MAIN_SCREEN: &str = "\x1b[2J\x1b[H\x1b[?1049l";

/// Whether the alternate screen is up, or echo is off, to be undone when the program must end at once.
static ALT_SCREEN_IS_UP: AtomicBool = AtomicBool::new(false);
static ECHO_IS_OFF: AtomicBool = AtomicBool::new(false);
/// Whether the terminal is in raw mode.
static KEYS_ARE_RAW: AtomicBool = AtomicBool::new(false);

/// Runs a session to its end and returns the exit status. `opening` is shown first. The error comes from
/// standard output or the terminal.
pub fn run(session: &mut Session, opening: &str, sitting: TerminalSettings) -> io::Result<u8> {
    let farewell = Arc::new(Mutex::new(session.farewell()));
    let told = Arc::clone(&farewell);
    let at_terminal = io::stdin().is_terminal();
    // In raw mode Ctrl-C is a key; this handler is for all other times. It is also called when the terminal is closed, which then is
    // none any more.
    let _ = ctrlc::set_handler(move || {
        let closed = at_terminal && !io::stdin().is_terminal();
        if !closed && thinking::hurry_thinking_bot() {
            return;
        }
        restore();
        if let Ok(Some(words)) = told.lock().map(|words| words.clone()) {
            let _ = writeln!(io::stderr(), "\n{words}");
        }
        std::process::exit(i32::from(INTERRUPTED));
    });
    let status = match io::stdin().is_terminal() && io::stdout().is_terminal() {
        true => {
            let lines = reads_plainly(session);
            Terminal::new(sitting, farewell, lines).and_then(|mut terminal| terminal.run(session, opening))
        }
        false => piped(session, opening, &farewell),
    };
    restore();
    status
}

/// Whether to read plain lines: a screen reader is not helped by lines that are redrawn at each key.
fn reads_plainly(session: &Session) -> bool {
    is_dumb() || session.screen().plain
}

/// Whether the terminal cannot move its cursor.
pub fn is_dumb() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    cfg!(unix) && matches!(term.as_str(), "" | "dumb" | "cons25" | "emacs")
}

/// Restores the state of the terminal.
fn restore() {
    leave_screen();
    show_keys();
}

/// Goes back to the main screen, where lines are read.
fn leave_screen() {
    if ALT_SCREEN_IS_UP.swap(false, Ordering::SeqCst) {
        let _ = io::stdout().write_all(MAIN_SCREEN.as_bytes());
        let _ = io::stdout().flush();
    }
    if KEYS_ARE_RAW.swap(false, Ordering::SeqCst) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

fn remember(farewell: &Mutex<Option<String>>, session: &Session) {
    if let Ok(mut words) = farewell.lock() {
        *words = session.farewell();
    }
}

/// Runs a session without a terminal or prompts; instead, it says whose turn it is. Returns status 1 if a line was refused.
fn piped(session: &mut Session, opening: &str, farewell: &Mutex<Option<String>>) -> io::Result<u8> {
    session.echo_moves();
    print(opening)?;
    // What was just said may tell it already.
    let turn_after = |said: &str, session: &Session| {
        session.turn().filter(|turn| said.lines().all(|line| line != turn)).unwrap_or_default()
    };
    print(&turn_after(opening, session))?;
    let mut status = 0;
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(status);
        }
        let before = session.changes();
        let reply = answer(session, &String::from_utf8_lossy(&bytes));
        remember(farewell, session);
        print(&reply.text)?;
        if session.changes() != before {
            print(&turn_after(&reply.text, session))?;
        }
        if reply.refused {
            status = 1;
        }
        if reply.quit {
            return Ok(status);
        }
    }
}

/// The result of waiting for a line.
enum LineInput {
    Line(String),
    Interrupt,
    End,
}

struct Terminal {
    sitting: TerminalSettings,
    farewell: Arc<Mutex<Option<String>>>,
    open: Editor<Guided, FileHistory>,
    /// Lines that were pasted after the one that was read.
    pasted: VecDeque<String>,
    /// Moves that were typed before their player's turn: the first of them begins the next line.
    early: VecDeque<String>,
    /// Whether the cursor cannot or must not move: lines are read plainly, without an alternate screen.
    dumb: bool,
    /// Whether something had been typed when Ctrl-C was pressed.
    dropped: Arc<AtomicBool>,
}

impl Terminal {
    fn new(
        sitting: TerminalSettings,
        farewell: Arc<Mutex<Option<String>>>,
        dumb: bool,
    ) -> io::Result<Terminal> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .auto_add_history(false)
            .build();
        let mut open =
            Editor::with_history(config.clone(), FileHistory::with_config(&config)).map_err(other)?;
        open.set_helper(Some(Guided {
            guide: Guide::default(),
            files: FilenameCompleter::new(),
            colour: sitting.colour,
        }));
        if let Some(path) = &sitting.history {
            let _ = path.parent().map(std::fs::create_dir_all);
            let _ = open.load_history(path);
        }
        let dropped = Arc::default();
        note_dropped_lines(&mut open, &dropped);
        Ok(Terminal {
            sitting,
            farewell,
            open,
            pasted: VecDeque::new(),
            early: VecDeque::new(),
            dumb,
            dropped,
        })
    }

    /// Makes the terminal show keys only in a line that is being read: what is typed ahead, while a bot thinks or a text is
    /// written, would stand in the middle of that.
    fn hide_keys(&self) {
        if !self.dumb {
            ECHO_IS_OFF.store(stty("-echo"), Ordering::SeqCst);
        }
    }

    fn run(&mut self, session: &mut Session, opening: &str) -> io::Result<u8> {
        self.hide_keys();
        let status = self.sit(session, opening);
        show_keys();
        status
    }

    fn sit(&mut self, session: &mut Session, opening: &str) -> io::Result<u8> {
        print(opening)?;
        let mut interrupts = 0;
        let mut offered = None;
        let mut holder = None;
        loop {
            let came = session.bots_go_on();
            if !came.is_empty() {
                interrupts = 0;
                print(&came)?;
            }
            // Shown once at each end of a match; only people get the offer.
            let over =
                session.table().filter(|table| table.played.over()).map(|table| table.stored_name.clone());
            if over.is_some() {
                self.early.clear();
            }
            if over.is_some() && over != offered {
                print(&session.offer())?;
            }
            offered = over;
            fit_to_window(session);
            remember(&self.farewell, session);
            let asked = session.asked();
            let (got, privately) = match asked.private {
                None if asked.thinks => match self.line_while_it_thinks(session, &asked.prompt)? {
                    Some(got) => (got, false),
                    None => continue,
                },
                None => {
                    let early = self.early.pop_front().unwrap_or_default();
                    (self.line_from(&asked.prompt, session.guide(), &early)?, false)
                }
                // Whoever has just chosen unseen still holds the keyboard.
                Some(player) if holder == Some(player) => (LineInput::Line(String::new()), true),
                Some(_) => (
                    self.hidden_line(&format!("{} {}, press Enter> ", session.hand_over(), asked.name))?,
                    true,
                ),
            };
            let line = match got {
                LineInput::Line(line) => line,
                LineInput::End => return self.leave(session, 0),
                LineInput::Interrupt if session.stop_asking() => {
                    print("no match was started; `:help` lists the commands")?;
                    continue;
                }
                LineInput::Interrupt if session.hurry_bot() => {
                    interrupts = 1;
                    continue;
                }
                LineInput::Interrupt => {
                    if self.interrupt(session, &mut interrupts)? {
                        return self.leave(session, INTERRUPTED);
                    }
                    continue;
                }
            };
            interrupts = 0;
            // The window may have been resized while the line was typed.
            fit_to_window(session);
            holder = None;
            let reply = match privately {
                false => {
                    self.note_line(&line);
                    answer(session, &line)
                }
                true if line.trim().is_empty() => match self.read_privately(session, &asked)? {
                    Ok(reply) => {
                        holder = asked.private;
                        reply
                    }
                    Err(status) => return self.leave(session, status),
                },
                true if session.is_command(&line) => answer(session, &line),
                true => Reply::refuse(
                    "press Enter first, with nothing typed; then what you type is for your eyes only",
                ),
            };
            remember(&self.farewell, session);
            if reply.quit {
                return self.leave(session, 0);
            }
            if reply.too_early {
                self.early.push_back(line);
            }
            match reply.private {
                _ if let Some(outside) = &reply.outside => self.outside(session, outside)?,
                Some(player) => {
                    if let Err(status) = self.show_to(session, player, &reply.text)? {
                        return self.leave(session, status);
                    }
                }
                None => writing::print_long(&reply.text, reply.too_long.as_deref())?,
            }
        }
    }

    fn outside(&mut self, session: &mut Session, outside: &Outside) -> io::Result<()> {
        match outside {
            Outside::Edit(path) => {
                show_keys();
                let edited = outside::edit(path);
                self.hide_keys();
                match edited {
                    Ok(()) => print(&session.line(":reload").text),
                    Err(sentence) => print(&sentence),
                }
            }
            Outside::Watch(path) => outside::watch(session, path),
            Outside::LookBack(path) => {
                let mut look = match session.look_back(path.as_deref()) {
                    Ok(look) => look,
                    Err(sentence) => return print(&sentence),
                };
                let mut added = false;
                let left = look_back(&mut look, self.dumb, &mut |text| {
                    added = true;
                    match path {
                        Some(path) => session.write_record(path, text),
                        None => session.keep_notes(text),
                    }
                })?;
                if added && path.is_none() {
                    print(&session.noted())?;
                }
                match left {
                    Left::PlaysOn(record) => print(&session.play_on(&record)),
                    Left::Done => Ok(()),
                }
            }
        }
    }

    /// Answers Ctrl-C: drops the line, if something was typed; else the second one in a row leaves. Returns whether it
    /// does.
    fn interrupt(&mut self, session: &mut Session, so_far: &mut u32) -> io::Result<bool> {
        let dropped = self.dropped.swap(false, Ordering::SeqCst);
        if !dropped && *so_far > 0 {
            return Ok(true);
        }
        *so_far = u32::from(!dropped);
        session.cancel();
        print(if dropped { DROPPED } else { LEAVES_NEXT })?;
        Ok(false)
    }

    fn leave(&mut self, session: &Session, status: u8) -> io::Result<u8> {
        restore();
        if let Some(words) = session.farewell() {
            print(&words)?;
        }
        Ok(status)
    }

    fn note_line(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let new = self.open.add_history_entry(line).unwrap_or(false);
        if let Some(path) = self.sitting.history.as_ref().filter(|_| new) {
            // If the line cannot be remembered, the match goes on all the same.
            let _ = self.open.append_history(path);
        }
    }

    /// Runs one player's private screen with the table, its own things and hidden input, until it has chosen.
    fn read_privately(&mut self, session: &mut Session, asked: &Asked) -> io::Result<Result<Reply, u8>> {
        let Some(player) = asked.private else { return Ok(Ok(Reply::default())) };
        self.enter_alt_screen()?;
        print(&session.private_screen(player))?;
        let shows = !session.chooses_in_secret();
        // A terminal that cannot hide it says so at the prompt.
        if !shows && (!self.dumb || hides_input()) {
            print("(moves are not shown while you type them)")?;
        }
        let before = session.changes();
        let mut interrupts = 0;
        loop {
            let line = match self.unremembered_line(&session.asked().prompt, shows)? {
                LineInput::Line(line) => line,
                LineInput::Interrupt => {
                    if self.interrupt(session, &mut interrupts)? {
                        return Ok(Err(INTERRUPTED));
                    }
                    continue;
                }
                LineInput::End => return Ok(Err(0)),
            };
            interrupts = 0;
            if let Some(other) = session.chooses_for(&line, player) {
                let name = session.asked().name;
                print(&format!("it is {name}'s turn to choose; {other} will be asked in turn"))?;
                continue;
            }
            let reply = answer(session, &line);
            if reply.quit || reply.outside.is_some() || session.changes() != before {
                self.leave_alt_screen()?;
                return Ok(Ok(reply));
            }
            match reply.private.is_none_or(|other| other == player) {
                true => print(&reply.text)?,
                false => print("that is for another player's eyes")?,
            }
        }
    }

    /// Shows a text to one player alone.
    fn show_to(&mut self, session: &Session, player: usize, text: &str) -> io::Result<Result<(), u8>> {
        let name = session.table().map_or(String::new(), |table| table.rules.game.seat_name(player - 1));
        for (prompt, on_alt_screen) in [
            (format!("this is for {name} only: {} {name}, press Enter> ", session.hand_over()), false),
            ("press Enter to hide it> ".to_string(), true),
        ] {
            if on_alt_screen {
                self.enter_alt_screen()?;
                print(text)?;
            }
            let got = loop {
                match self.hidden_line(&prompt)? {
                    // Whoever types something has not passed on the keyboard.
                    LineInput::Line(line) if !on_alt_screen && !line.trim().is_empty() => {
                        print(&format!(
                            "it is for {name} only: press Enter with nothing typed, or Ctrl-C to leave it"
                        ))?;
                    }
                    LineInput::Line(line) if !line.trim().is_empty() => {
                        print(
                            "press Enter with nothing typed to hide it; nothing that is typed here counts",
                        )?;
                    }
                    got => break got,
                }
            };
            match got {
                LineInput::Line(_) => {}
                // Then the text is not shown, or no longer.
                LineInput::Interrupt => break,
                LineInput::End => return Ok(Err(0)),
            }
        }
        self.leave_alt_screen()?;
        Ok(Ok(()))
    }

    fn enter_alt_screen(&self) -> io::Result<()> {
        let mut out = io::stdout();
        if self.dumb {
            return Ok(());
        }
        ALT_SCREEN_IS_UP.store(true, Ordering::SeqCst);
        out.write_all(ALT_SCREEN.as_bytes())?;
        out.flush()
    }

    /// Leaves the private screen. A terminal that cannot clear the screen is scrolled instead.
    fn leave_alt_screen(&self) -> io::Result<()> {
        if self.dumb {
            io::stdout().write_all("\n".repeat(60).as_bytes())?;
        }
        leave_screen();
        io::stdout().flush()
    }

    /// Waits for somebody to type while a bot thinks; returns `None` if the bot chooses first. A line that
    /// was begun is finished before the bot's move is shown, so that the screen does not change.
    fn line_while_it_thinks(&mut self, session: &Session, prompt: &str) -> io::Result<Option<LineInput>> {
        let pressed = while_thinking(|| outside::first_keys(prompt, || session.bot_is_ready(), must_stop))?;
        Ok(match pressed {
            Pressed::Nothing => None,
            Pressed::Interrupt => Some(LineInput::Interrupt),
            Pressed::End => Some(LineInput::End),
            Pressed::Line(line) => {
                print(&format!("{prompt}{line}"))?;
                Some(LineInput::Line(line))
            }
            Pressed::Begun(begun) => Some(self.line_from(prompt, session.guide(), &begun)?),
        })
    }

    /// Reads a line that begins with the text `begun`.
    fn line_from(&mut self, prompt: &str, guide: Guide, begun: &str) -> io::Result<LineInput> {
        if self.dumb {
            return plain_line(prompt);
        }
        if let Some(line) = self.pasted.pop_front() {
            print(&format!("{prompt}{line}"))?;
            return Ok(LineInput::Line(line));
        }
        if let Some(helper) = self.open.helper_mut() {
            helper.guide = guide;
        }
        loop {
            match self.open.readline_with_initial(prompt, (begun, "")) {
                // The window was resized: the same line is read again.
                Err(ReadlineError::Signal(_)) => {}
                Ok(text) => {
                    let mut lines = text.lines().map(str::to_string);
                    let first = lines.next().unwrap_or_default();
                    self.pasted.extend(lines);
                    return Ok(LineInput::Line(first));
                }
                line => return got(line),
            }
        }
    }

    /// Reads a line that is not shown while it is typed, except for commands. Text pasted earlier is
    /// discarded, and lines pasted after it are not kept for anybody else.
    fn hidden_line(&mut self, prompt: &str) -> io::Result<LineInput> {
        self.unremembered_line(prompt, false)
    }

    /// Reads a line that cannot be recalled, hidden unless `shows`.
    fn unremembered_line(&mut self, prompt: &str, shows: bool) -> io::Result<LineInput> {
        self.pasted.clear();
        if !self.dumb {
            let mut hidden = hidden_editor(shows)?;
            note_dropped_lines(&mut hidden, &self.dropped);
            loop {
                match hidden.readline(prompt) {
                    Err(ReadlineError::Signal(_)) => {}
                    line => return got(line),
                }
            }
        }
        if shows {
            return plain_line(prompt);
        }
        let hides = stty("-echo");
        ECHO_IS_OFF.store(hides, Ordering::SeqCst);
        if !hides {
            print("(this terminal shows what you type)")?;
        }
        let line = plain_line(prompt);
        show_keys();
        if hides {
            io::stdout().write_all(b"\n")?;
        }
        line
    }
}

/// Makes the terminal show all keys again, if it did not.
fn show_keys() {
    if ECHO_IS_OFF.swap(false, Ordering::SeqCst) {
        stty("echo");
    }
}

/// Whether a plain terminal can be told not to show what is typed.
fn hides_input() -> bool {
    stty("-echo") && stty("echo")
}

/// Notes, whenever Ctrl-C is pressed, whether it drops something that was typed.
fn note_dropped_lines<H: Helper, I: History>(editor: &mut Editor<H, I>, dropped: &Arc<AtomicBool>) {
    struct NotesDropped(Arc<AtomicBool>);
    impl ConditionalEventHandler for NotesDropped {
        fn handle(&self, _: &Event, _: u16, _: bool, line: &EventContext) -> Option<Cmd> {
            self.0.store(!line.line().is_empty(), Ordering::SeqCst);
            None
        }
    }
    let handler = EventHandler::Conditional(Box::new(NotesDropped(Arc::clone(dropped))));
    editor.bind_sequence(KeyEvent::ctrl('C'), handler);
}

fn fit_to_window(session: &mut Session) {
    if let Some((width, _)) = terminal_size::terminal_size() {
        session.set_width(usize::from(width.0));
    }
}

/// Makes the editor for hidden lines, without a history from which another player could recall input.
fn hidden_editor(shows: bool) -> io::Result<Editor<Blind, MemHistory>> {
    let config = Config::builder().auto_add_history(false).build();
    let mut hidden = Editor::with_history(config.clone(), MemHistory::with_config(&config)).map_err(other)?;
    hidden.set_helper(Some(Blind { shows }));
    // Input is hidden by a highlighter, which must be active even without colours.
    hidden.set_color_mode(ColorMode::Forced);
    // Deleted input must not be recalled, nor a shell be opened over a private screen.
    for key in [KeyEvent::ctrl('Y'), KeyEvent::alt('y'), KeyEvent::ctrl('Z')] {
        hidden.bind_sequence(key, Cmd::Noop);
    }
    Ok(hidden)
}

fn other(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

fn got(line: Result<String, ReadlineError>) -> io::Result<LineInput> {
    match line {
        Ok(line) => Ok(LineInput::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(LineInput::Interrupt),
        Err(ReadlineError::Eof) => Ok(LineInput::End),
        Err(error) => Err(other(error)),
    }
}

fn plain_line(prompt: &str) -> io::Result<LineInput> {
    let mut out = io::stdout();
    out.write_all(prompt.as_bytes())?;
    out.flush()?;
    let mut bytes = Vec::new();
    match io::stdin().lock().read_until(b'\n', &mut bytes)? {
        0 => {
            out.write_all(b"\n")?;
            Ok(LineInput::End)
        }
        _ => Ok(LineInput::Line(String::from_utf8_lossy(&bytes).trim_end().to_string())),
    }
}

/// Sets a terminal mode when lines are read plainly. Returns whether that was possible.
fn stty(mode: &str) -> bool {
    std::process::Command::new("stty").arg(mode).status().is_ok_and(|status| status.success())
}
