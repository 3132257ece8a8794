//! Terminal activities other than reading lines: looking back full screen (key by key), an editor, watching a
//! file.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};

use super::thinking::{must_stop, run_parallel, while_thinking};
use super::writing::fitted;
use super::{ALT_SCREEN, ALT_SCREEN_IS_UP, KEYS_ARE_RAW, leave_screen, plain_line, print};
use crate::bots::Clock;
use crate::repl::{Act, Lookback, Session};

/// The interval at which a watched file is checked.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// The interval at which to check whether a bot has chosen, while no key is pressed.
const KEY_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The keys for looking back, and those for a match with turning points.
const KEYS: &str = "q: leave; arrows: steps and variations; a: analyse; digits: jump; m: play; c: comment; x: remove; \
                    p: play on from here";
const KEYS_WITH_TURNS: &str = "q: leave; arrows: steps and variations; t: turning points; a: analyse; digits: jump; m: play; \
                               c: comment; x: remove; p: play on from here";

/// The keys that are named on a screen with fewer lines than this, unless all have room in one line.
const FEW_KEYS: &str = "q: leave; arrows: steps; a: analyse; ?: all keys";
const LOW: usize = 18;

/// Returns the keys that do something.
fn keys(look: &Lookback) -> &'static str {
    if look.has_turning_points() { KEYS_WITH_TURNS } else { KEYS }
}

/// Returns the width and height of the window.
fn window() -> (usize, usize) {
    size().map_or((80, 24), |(width, height)| (width.into(), height.into()))
}

/// Stores the record with comments and variations. The error is a sentence.
type Keep<'a> = &'a mut dyn FnMut(&str) -> Result<(), String>;

/// Keeps the terminal in raw mode while it lives.
struct RawKeys;

impl RawKeys {
    fn new() -> io::Result<RawKeys> {
        enable_raw_mode()?;
        KEYS_ARE_RAW.store(true, Ordering::SeqCst);
        Ok(RawKeys)
    }
}

impl Drop for RawKeys {
    fn drop(&mut self) {
        KEYS_ARE_RAW.store(false, Ordering::SeqCst);
        let _ = disable_raw_mode();
    }
}

/// How somebody has left a match that was looked back at.
pub enum Left {
    /// To do something else.
    Done,
    /// To play on from where the record ends that it has.
    PlaysOn(String),
}

/// Looks back at a match until the user leaves: full screen, or line by line. Additions are stored at once.
pub fn look_back(look: &mut Lookback, lines: bool, keep: Keep) -> io::Result<Left> {
    match lines {
        true => by_lines(look, keep),
        false => on_screen(look, keep),
    }
}

/// The version for screen readers and plain terminals: a line in, a few sentences out.
fn by_lines(look: &mut Lookback, keep: Keep) -> io::Result<Left> {
    print(&look.told())?;
    loop {
        let prompt = format!("{}> ", look.place());
        let super::LineInput::Line(line) = plain_line(&prompt)? else { return Ok(Left::Done) };
        let act = Act::read(&line);
        let told = match &act {
            Act::Quit => return Ok(Left::Done),
            Act::PlayOn => return Ok(Left::PlaysOn(look.record_to_here())),
            Act::Hint(who) | Act::Analyse(who) => {
                let briefly = matches!(act, Act::Hint(_));
                while_thinking(|| look.advise(who, briefly, window().0, &LineClock(Instant::now())))
            }
            act => look.act(act),
        };
        match told {
            Ok(said) if said.is_empty() => print(&look.told())?,
            Ok(said) => print(&said)?,
            Err(sentence) => print(&sentence)?,
        }
        if look.changed()
            && let Err(what) = keep(&look.text())
        {
            print(&what)?;
        }
    }
}

/// What is being typed on the last line of the screen, and what it is for.
struct Input {
    what: &'static str,
    text: String,
}

fn on_screen(look: &mut Lookback, keep: Keep) -> io::Result<Left> {
    let raw = RawKeys::new()?;
    ALT_SCREEN_IS_UP.store(true, Ordering::SeqCst);
    io::stdout().write_all(ALT_SCREEN.as_bytes())?;
    let (mut input, mut said): (Option<Input>, String) = (None, String::new());
    loop {
        let last = match &input {
            Some(Input { what, text }) => format!("{said} {what}: {text}").trim_start().to_string(),
            None if said.is_empty() => {
                let (width, height) = window();
                let keys = keys(look);
                if height < LOW && keys.len() > width { FEW_KEYS.to_string() } else { keys.to_string() }
            }
            None => said.clone(),
        };
        draw(look, &last)?;
        let key = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            _ => continue,
        };
        let act = match &mut input {
            Some(typed) => match apply_key(typed, key) {
                LineEdit::More => continue,
                LineEdit::Left => {
                    input = None;
                    continue;
                }
                LineEdit::Done(act) => {
                    input = None;
                    act
                }
            },
            None => match meaning(key) {
                Meaning::Act(act) => act,
                Meaning::Types(what, text) => {
                    said.clear();
                    input = Some(Input { what, text });
                    continue;
                }
                Meaning::Keys => {
                    said = keys(look).to_string();
                    continue;
                }
                Meaning::Nothing => {
                    said = "`?` lists the keys".to_string();
                    continue;
                }
            },
        };
        if matches!(act, Act::Quit | Act::PlayOn) {
            drop(raw);
            leave_screen();
            return Ok(match act {
                Act::PlayOn => Left::PlaysOn(look.record_to_here()),
                _ => Left::Done,
            });
        }
        if let Act::Analyse(_) = act {
            draw(look, "thinking; any key ends it")?;
            said = match advice(look) {
                Ok(told) => {
                    read_through(&told)?;
                    String::new()
                }
                Err(sentence) => sentence,
            };
            continue;
        }
        let playing = matches!(act, Act::Play(_));
        said = look.act(&act).unwrap_or_else(|sentence| sentence);
        if playing && !said.is_empty() && said.ends_with('?') {
            // Another player must choose too.
            input = Some(Input { what: PLAY, text: String::new() });
        }
        if look.changed()
            && let Err(what) = keep(&look.text())
        {
            said = what;
        }
    }
}

const PLAY: &str = "play";
const COMMENT: &str = "comment";
const JUMP: &str = "to step";

/// The meaning of a key while nothing is being typed.
enum Meaning {
    Act(Act),
    Types(&'static str, String),
    /// Lists the keys.
    Keys,
    Nothing,
}

fn meaning(key: KeyEvent) -> Meaning {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'd') => Meaning::Act(Act::Quit),
            _ => Meaning::Nothing,
        };
    }
    Meaning::Act(match key.code {
        KeyCode::Right | KeyCode::Enter | KeyCode::Char(' ' | 'n') => Act::Next,
        KeyCode::Left | KeyCode::Backspace | KeyCode::Char('b') => Act::Back,
        KeyCode::Home | KeyCode::Char('g') => Act::First,
        KeyCode::End | KeyCode::Char('G') => Act::Last,
        KeyCode::Down => Act::Other { next: true },
        KeyCode::Up => Act::Other { next: false },
        KeyCode::PageDown => Act::Scroll { down: true },
        KeyCode::PageUp => Act::Scroll { down: false },
        KeyCode::Char('t') => Act::Turn,
        KeyCode::Char('a') => Act::Analyse(String::new()),
        KeyCode::Char('p') => Act::PlayOn,
        KeyCode::Char('x') => Act::Remove,
        KeyCode::Char('q') | KeyCode::Esc => Act::Quit,
        KeyCode::Char('?' | 'h') => return Meaning::Keys,
        KeyCode::Char('m') => return Meaning::Types(PLAY, String::new()),
        KeyCode::Char('c') => return Meaning::Types(COMMENT, String::new()),
        KeyCode::Char(digit @ '0'..='9') => return Meaning::Types(JUMP, digit.to_string()),
        _ => return Meaning::Nothing,
    })
}

/// The effect of a key on the text being typed.
enum LineEdit {
    More,
    Left,
    Done(Act),
}

fn apply_key(input: &mut Input, key: KeyEvent) -> LineEdit {
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return LineEdit::Left,
        KeyCode::Esc => return LineEdit::Left,
        KeyCode::Char(c) => input.text.push(c),
        KeyCode::Backspace => {
            input.text.pop();
        }
        KeyCode::Enter => {
            let text = std::mem::take(&mut input.text);
            return match input.what {
                COMMENT => LineEdit::Done(Act::Comment(text)),
                PLAY if !text.trim().is_empty() => LineEdit::Done(Act::Play(text)),
                JUMP => text.trim().parse().map_or(LineEdit::Left, |step| LineEdit::Done(Act::To(step))),
                _ => LineEdit::Left,
            };
        }
        _ => {}
    }
    LineEdit::More
}

fn draw(look: &mut Lookback, last: &str) -> io::Result<()> {
    let (width, height) = window();
    let mut text = "\x1b[H".to_string();
    for (row, line) in look.page((width, height), last).iter().take(height).enumerate() {
        let end = if row == 0 { "" } else { "\r\n" };
        text.push_str(&format!("{end}{line}\x1b[K"));
    }
    text.push_str("\x1b[J");
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The clock of a search that Ctrl-C ends.
struct LineClock(Instant);

impl Clock for LineClock {
    fn millis(&self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    fn must_stop(&self) -> bool {
        must_stop()
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        run_parallel(most, other, own);
    }
}

/// The clock of a search that any key ends, while keys are read one by one.
struct KeyClock {
    begun: Instant,
    /// When the keyboard was last looked at, in milliseconds since then, and whether a key was pressed.
    looked: Cell<u64>,
    pressed: Cell<bool>,
}

impl Clock for KeyClock {
    fn millis(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    fn must_stop(&self) -> bool {
        let now = self.millis();
        if !self.pressed.get() && now >= self.looked.get() + KEY_POLL_INTERVAL.as_millis() as u64 {
            self.looked.set(now);
            let key = event::poll(Duration::ZERO).unwrap_or(false).then(event::read);
            let pressed =
                |event: &Event| matches!(event, Event::Key(key) if key.kind != KeyEventKind::Release);
            self.pressed.set(key.and_then(Result::ok).as_ref().is_some_and(pressed));
        }
        self.pressed.get()
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        run_parallel(most, other, own);
    }
}

/// Returns what is best in the position that is looked at, and what each move is worth. The error is a sentence.
fn advice(look: &mut Lookback) -> Result<String, String> {
    let clock = KeyClock { begun: Instant::now(), looked: Cell::new(0), pressed: Cell::new(false) };
    look.advise("all", false, window().0, &clock).map(|told| format!("{}\n\n{told}", look.place()))
}

/// Shows a text on the whole screen until a key is pressed; if it is longer than the screen, some keys show what follows.
fn read_through(text: &str) -> io::Result<()> {
    let mut top = 0;
    loop {
        let (width, height) = window();
        let lines: Vec<String> = fitted(text, width).lines().map(str::to_string).collect();
        let room = height.saturating_sub(1).max(1);
        top = top.min(lines.len().saturating_sub(room));
        let more = top + room < lines.len();
        let keys = if more { "Down: the lines below; q: back" } else { "any key: back" };
        let mut shown: Vec<&str> = lines.iter().skip(top).take(room).map(String::as_str).collect();
        shown.resize(room, "");
        let rows: String = shown.iter().map(|line| format!("{line}\x1b[K\r\n")).collect();
        let mut out = io::stdout();
        write!(out, "\x1b[H{rows}{}\x1b[J", &keys[..keys.len().min(width.saturating_sub(1))])?;
        out.flush()?;
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                KeyCode::Down | KeyCode::PageDown | KeyCode::Enter | KeyCode::Char(' ') if more => {
                    top += if key.code == KeyCode::Down { 1 } else { room };
                }
                KeyCode::Up => top = top.saturating_sub(1),
                KeyCode::PageUp => top = top.saturating_sub(room),
                _ => return Ok(()),
            },
            _ => {}
        }
    }
}

/// Opens a file in the editor named by the environment and waits for it. The error is a sentence.
pub fn edit(path: &str) -> Result<(), String> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok());
    let editor = named.filter(|editor| !editor.trim().is_empty());
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_string());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    match std::process::Command::new(program).args(words).arg(path).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("the editor `{editor}` ended with an error; the rules are unchanged")),
        Err(error) => {
            Err(format!("the editor `{editor}` cannot be started: {error}; set `EDITOR` to use another"))
        }
    }
}

/// What was typed while waiting for something else.
pub enum Pressed {
    /// What was waited for has happened.
    Nothing,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// A whole line.
    Line(String),
    /// The beginning of a line.
    Begun(String),
}

/// Shows a prompt until a key is pressed, `ready` or `interrupted` returns `true`, and then removes it.
pub fn first_keys(
    prompt: &str,
    ready: impl Fn() -> bool,
    interrupted: impl Fn() -> bool,
) -> io::Result<Pressed> {
    let raw = RawKeys::new()?;
    let mut out = io::stdout();
    out.write_all(prompt.as_bytes())?;
    out.flush()?;
    let mut text = String::new();
    let pressed = loop {
        if interrupted() {
            break Pressed::Interrupt;
        }
        if text.is_empty() && ready() {
            break Pressed::Nothing;
        }
        // Keys that are already there, as after a paste, are taken together.
        if !event::poll(if text.is_empty() { KEY_POLL_INTERVAL } else { Duration::ZERO })? {
            match text.is_empty() {
                true => continue,
                false => break Pressed::Begun(text),
            }
        }
        let key = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            _ => continue,
        };
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => break Pressed::Interrupt,
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => break Pressed::End,
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                text.push(c)
            }
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Enter => break Pressed::Line(text),
            _ => {}
        }
    };
    out.write_all(b"\r\x1b[K")?;
    out.flush()?;
    drop(raw);
    Ok(pressed)
}

/// Reloads the rules at each save, until a key is pressed.
pub fn watch(session: &mut Session, path: &str) -> io::Result<()> {
    print(&format!(
        "watching {path}: the match continues under each saved version; press any key to return to it"
    ))?;
    let mut known = session.file_now(path);
    loop {
        let raw = RawKeys::new()?;
        let pressed = event::poll(WATCH_INTERVAL)? && matches!(event::read()?, Event::Key(_));
        drop(raw);
        if pressed {
            return Ok(());
        }
        let now = session.file_now(path);
        // A file being written may be missing or incomplete for a moment, so it must read the same twice.
        if now.is_some() && now != known && session.file_now(path) == now {
            known = now;
            print(&session.line(":reload").text)?;
        }
    }
}
