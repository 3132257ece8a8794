//! Thousands of broken rule files: the answer to each must be a diagnostic, soon, and never a panic.
//!
//! Every file of `games/` and `tests/corpus/` is mutated by token, line and byte. The sequence is fixed; it
//! runs for ten seconds, or for `PARLOUR_FUZZ_SECONDS`. The file under test is in `target/tmp/fuzz.game`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parlour::check::check;
use parlour::diag::{Diagnostic, any_error, render};
use parlour::eval::NotStarted;
use parlour::play::{Rng, Rules, playout, run_examples};
use parlour::source::Source;
use parlour::syntax::format::format;
use parlour::syntax::layout::{TokenKind, tokens};
use parlour::syntax::parse;

/// The time limit for reading and checking one file; a mutated page takes milliseconds.
const SOON: Duration = Duration::from_secs(5);

/// Text to insert into files, on its own or around something.
const ODD: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\\",
    "|",
    "//",
    "\n",
    "\r",
    "\t",
    "\0",
    "\u{feff}",
    "\u{200b}",
    "é",
    "√",
    "𝟙",
    "🂡",
    "\u{301}",
    "..",
    ":=",
    "==",
    "&&",
    "!",
    "%",
    "/",
    "^",
    "-",
    "--",
    "0",
    "1",
    "-1",
    "1_000",
    "999999999",
    "99999999999999999999999999999999",
    "int",
    "me",
    "players",
    "standing",
    "none",
    "yes",
    "not",
    "if",
    "then",
    "else",
    "case",
    "of",
    "optional",
    "set",
    "list",
    "every",
    "in",
    "is",
    "stuck",
    "until",
    "again",
    "end",
    "win",
    "together",
    "turns",
    "repeat",
    "each",
    "cycle",
    "chance",
    "where",
    "while",
    "div",
    "mod",
    "with",
];

fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["games", "games/classics", "games/variants", "tests/corpus", "tests/language"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "game"));
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

struct Fuzz {
    rng: Rng,
    files: Vec<String>,
    clean: u64,
    played: u64,
}

impl Fuzz {
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.rng.below_u64(n.max(1) as u64)).expect("as small as the bound")
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    fn pieces(text: &str) -> Vec<String> {
        tokens(text).iter().map(|t| text[t.span.start..t.span.end].to_string()).collect()
    }

    /// Returns a random token of code from a random file.
    fn token(&mut self) -> String {
        let file = self.below(self.files.len());
        let text = &self.files[file];
        let code: Vec<&str> = tokens(text)
            .iter()
            .filter(|t| !matches!(t.kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment))
            .map(|t| &text[t.span.start..t.span.end])
            .collect();
        let at = usize::try_from(self.rng.below_u64(code.len().max(1) as u64)).expect("small");
        code.get(at).map_or_else(String::new, |word| (*word).to_string())
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut pieces = Self::pieces(text);
        let at = self.below(pieces.len());
        let other = self.below(pieces.len());
        let mut lines: Vec<&str> = text.split('\n').collect();
        let line = self.below(lines.len());
        let other_line = self.below(lines.len());
        match self.below(18) {
            16 | 17 => {
                // Replaces a word by another of its kind in the file: often still sound, but different.
                let kinds: Vec<TokenKind> = tokens(text).iter().map(|t| t.kind).collect();
                let same: Vec<usize> = (0..pieces.len()).filter(|i| kinds[*i] == kinds[at]).collect();
                let from = *self.pick(&same);
                pieces[at] = pieces[from].clone();
            }
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            3 => pieces[at] = self.token(),
            4 => {
                let token = self.token();
                pieces.insert(at, format!(" {token} "));
            }
            5 => pieces[at] = (*self.pick(ODD)).to_string(),
            6 => pieces.insert(at, format!(" {} ", self.pick(ODD))),
            7 => pieces.truncate(at),
            8 => {
                let mut bytes = text.as_bytes().to_vec();
                let place = self.below(bytes.len());
                bytes[place] ^= 1 << self.below(8);
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            9 => {
                lines.remove(line);
                return lines.join("\n");
            }
            10 => {
                lines.insert(line, lines[other_line]);
                return lines.join("\n");
            }
            11 => {
                lines.swap(line, other_line);
                return lines.join("\n");
            }
            12 => {
                // Joins the head of one file and the tail of another.
                let file = self.below(self.files.len());
                let tail: Vec<String> = self.files[file].split('\n').map(str::to_string).collect();
                let from = self.below(tail.len());
                return format!("{}\n{}", lines[..line].join("\n"), tail[from..].join("\n"));
            }
            13 => {
                let depth = [3, 20, 60, 200, 3_000][self.below(5)];
                let around: &[(&str, &str)] = &[
                    ("(", ")"),
                    ("[", "]"),
                    ("{", "}"),
                    ("not ", ""),
                    ("-", ""),
                    ("1 + ", ""),
                    ("2 ^ ", ""),
                ];
                let (open, close) = *self.pick(around);
                pieces[at] = format!("{}{}{}", open.repeat(depth), pieces[at], close.repeat(depth));
            }
            14 => {
                let depth = [3, 30, 150, 2_000][self.below(4)];
                let around =
                    ["if x then 1 else ", "optional ", "list of ", "x.", "f(", "x in S, ", "{ if x "];
                pieces[at] = format!("{}{}", self.pick(&around).repeat(depth), pieces[at]);
            }
            _ => {
                if let Some(number) = pieces.iter().rposition(|p| p.starts_with(|c: char| c.is_ascii_digit()))
                {
                    let numbers =
                        ["0", "1", "2", "3", "64", "1000000", "170141183460469231731687303715884105728"];
                    pieces[number] = (*self.pick(&numbers)).to_string();
                }
            }
        }
        pieces.concat()
    }

    /// Tries one file: reads, checks and renders it; if it is sound, also formats and plays it.
    fn attempt(&mut self, text: &str) {
        let source = Source::new("fuzz.game", text);
        let began = Instant::now();
        let checked = check(&source);
        assert!(began.elapsed() < SOON, "checking took {:?}", began.elapsed());
        checked.diagnostics.iter().for_each(|diagnostic| drawn(&source, diagnostic));
        assert_eq!(checked.game.is_none(), any_error(&checked.diagnostics), "a game, or an error");
        if parse(&source).1.is_empty() {
            let formatted = format(&source).unwrap_or_else(|sentence| panic!("{sentence}"));
            let again = Source::new("fuzz.game", &formatted);
            assert_eq!(format(&again).as_deref(), Ok(formatted.as_str()), "formatting again changes nothing");
            assert_eq!(tree(&source), tree(&again), "formatting keeps the meaning");
        }
        let Ok(rules) = Rules::load(source.clone()) else { return };
        self.clean += 1;
        // Playing is more expensive than checking, and most mutations do not affect it.
        if self.below(4) > 0 {
            return;
        }
        let rules = Arc::new(rules);
        self.played += 1;
        for report in run_examples(&rules) {
            report.failure.iter().for_each(|failure| drawn(&source, failure));
        }
        let machine = match rules.machine(&Default::default(), rules.default_players()) {
            Ok(machine) => machine,
            Err(NotStarted::Fault(fault)) => return drawn(&source, &fault),
            Err(NotStarted::Refused(_)) => return,
        };
        match playout(&machine, &mut self.rng, 50, &mut |_| ()) {
            Err(fault) => drawn(&source, &fault),
            Ok((position, _)) => {
                machine.scores(&position).err().iter().for_each(|fault| drawn(&source, fault));
                machine.show(&position).err().iter().for_each(|fault| drawn(&source, fault));
            }
        }
    }
}

/// Asserts that all spans of a diagnostic are within the text, and that it can be rendered in every way.
fn drawn(source: &Source, diagnostic: &Diagnostic) {
    for label in &diagnostic.labels {
        let span = label.span;
        assert!(span.start <= span.end && span.end <= source.text.len(), "{diagnostic:?}");
        assert!(
            source.text.is_char_boundary(span.start) && source.text.is_char_boundary(span.end),
            "{diagnostic:?}"
        );
    }
    assert!(!diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'), "{diagnostic:?}");
    let human = render::human(source, diagnostic, render::Style::default());
    let plain = render::plain(source, diagnostic);
    let json = render::json(source, diagnostic).to_string();
    assert!(!human.is_empty() && !plain.is_empty() && !json.is_empty());
}

/// Returns the syntax tree without its spans.
fn tree(source: &Source) -> String {
    let (file, _) = parse(source);
    let mut out = String::new();
    let written = format!("{:?}", file.items);
    for (i, part) in written.split("Span { start: ").enumerate() {
        out.push_str(if i == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) });
    }
    out
}

/// What is known about a name holds for a name equal to it, and vice versa; following this must terminate.
#[test]
fn names_that_are_equal_to_each_other_are_looked_into_once() {
    for condition in ["v = v", "v = w and w = v", "v = w and w = v and (u = (v is empty)) and u = u"] {
        let text = format!(
            "game \"Equal\" {{ players 2 }}\ntable {{ x: int = 0 }}\n\
             move go(v in lists(2, 1..2), w in lists(2, 1..2), u in yes or no) {{\n  need {condition} else \"no\"\n  \
             if v is empty and u {{ x += 1 }}\n  x += 1\n}}\nplay {{ turns until x > 3 {{ go }} }}\nwinner last mover\n"
        );
        let source = Source::new("equal.game", &text);
        assert!(!any_error(&check(&source).diagnostics), "{condition}: {:?}", check(&source).diagnostics);
    }
}

/// Functions that each call the one before twice, and comparisons within comparisons, must not double the work at
/// each level: sixty levels would never end.
#[test]
fn levels_do_not_double_the_work() {
    let game = |table: &str, items: &str, need: &str| {
        format!(
            "game \"Levels\" {{ players 2 }}\ntable {{\n  heap: 0..100 = 20\n  {table}\n}}\n{items}\n\
             move take(k in 1..3) {{\n  need k <= heap else \"no\"\n  need {need} else \"x\"\n  heap -= k\n}}\n\
             play {{ turns until heap = 0 {{ take }} }}\nwinner last mover\n"
        )
    };
    let levels = |first: &str, next: &dyn Fn(usize) -> String| {
        (1..60).fold(first.to_string(), |all, n| format!("{all}\n{}", next(n)))
    };
    let sums =
        levels("define f0(a) = a mod 2", &|n| format!("define f{n}(a) = max(f{0}(a), f{0}(a))", n - 1));
    let both = levels("define f0(a) = a > 0", &|n| format!("define f{n}(a) = f{0}(a) and f{0}(a)", n - 1));
    for text in [game("", &sums, "f59(k) < 2"), game("", &both, "f59(k)")] {
        let found = Rules::load(Source::new("levels.game", &text));
        assert!(found.is_ok(), "{:#?}\n{text}", found.err());
    }
    // Comparisons of a symbol with a truth value, each within the next: a type error, and reported.
    let reds = (0..24).fold("c".to_string(), |all, _| format!("red = ({all})"));
    let text = game("c: {red, blue} = red", "", &reds);
    assert!(any_error(&check(&Source::new("levels.game", &text)).diagnostics));
}

/// A reason is evaluated only if its need fails, so the checker must know there that `latest` is not `none`.
#[test]
fn a_reason_knows_why_it_is_said() {
    let text = "game \"Latest\" { players 2 }\ntable { latest: optional 1..9 = none }\n\
                move put(v in 1..9) {\n  need latest is none or v != latest else \"{latest + 1} may be put, {latest} was just now\"\n  \
                latest := v\n}\nplay { turns as t until t = 3 { put } }\nwinner last mover\n\
                example \"twice\" {\n  1: put 4\n  2: put 4 refused \"5 may be put, 4 was just now\"\n}\n";
    let rules =
        Arc::new(Rules::load(Source::new("latest.game", text)).unwrap_or_else(|found| panic!("{found:#?}")));
    assert!(run_examples(&rules).iter().all(|report| report.failure.is_none()));
    // After the need this is unknown.
    let behind = text.replace("  latest := v", "  latest := latest + 0");
    assert!(any_error(&check(&Source::new("latest.game", &behind)).diagnostics));
}

#[test]
fn no_file_breaks_anything() {
    let seconds = std::env::var("PARLOUR_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let seed = std::env::var("PARLOUR_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut fuzz = Fuzz { rng: Rng::new(seed), files: corpus(), clean: 0, played: 0 };
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.game");
    let (began, mut tried) = (Instant::now(), 0u64);
    while began.elapsed() < Duration::from_secs(seconds) {
        let file = fuzz.below(fuzz.files.len());
        let mut text = fuzz.files[file].clone();
        for _ in 0..[1, 1, 1, 2, 3, 4][fuzz.below(6)] {
            if !text.is_empty() {
                text = fuzz.mutate(&text);
            }
        }
        // A stack overflow cannot be reported, so the file is written first.
        std::fs::write(&trace, &text).expect("the trace can be written");
        let result = catch_unwind(AssertUnwindSafe(|| fuzz.attempt(&text)));
        assert!(result.is_ok(), "file {tried} of seed {seed} fails:\n{text}");
        tried += 1;
    }
    eprintln!("{tried} files, {} of them sound, {} played", fuzz.clean, fuzz.played);
}
