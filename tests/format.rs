//! The formatter: untidy files with their formatted versions, files that must not change, and random spacing
//! that must be undone.
//!
//! To bless: `INSTA_UPDATE=always cargo test --test all format::`, then read what changed.

use std::path::{Path, PathBuf};

use parlour::play::Rng;
use parlour::source::Source;
use parlour::syntax::format::format;
use parlour::syntax::layout::{TokenKind, tokens};
use parlour::syntax::parse;

/// Returns the rule files of some folders: names and texts.
fn files(folders: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        paths.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "game"));
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a text"))).collect()
}

fn formatted(text: &str) -> Result<String, String> {
    format(&Source::new("file.game", text))
}

#[test]
fn untidy_files_become_tidy() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("format");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in files(&["tests/format"]) {
            insta::assert_snapshot!(name, formatted(&text).expect("it can be read"));
        }
    });
}

#[test]
fn the_games_are_formatted() {
    for (name, text) in files(&["games", "games/classics", "games/variants"]) {
        assert_eq!(formatted(&text).as_deref(), Ok(text.as_str()), "{name}");
    }
}

#[test]
fn what_can_be_read_is_formatted_and_to_format_again_changes_nothing() {
    let mut readable = 0;
    for (name, text) in files(&["tests/format", "tests/corpus", "tests/language"]) {
        let once = formatted(&text);
        assert_eq!(once.is_ok(), parse(&Source::new(name.as_str(), &text)).1.is_empty(), "{name}");
        let Ok(once) = once else { continue };
        assert_eq!(formatted(&once).as_deref(), Ok(once.as_str()), "{name}");
        readable += 1;
    }
    assert!(readable > 50, "most of the corpus can be read");
}

/// Changes the spacing of a file at random, wherever spaces mean nothing.
fn respaced(text: &str, rng: &mut Rng) -> String {
    let mut below = |n: usize| usize::try_from(rng.below_u64(n as u64)).expect("small");
    let tokens = tokens(text);
    let mut out = String::new();
    let mut line_start = true;
    for (i, token) in tokens.iter().enumerate() {
        let word = &text[token.span.start..token.span.end];
        match token.kind {
            TokenKind::Newline => {
                out.push_str(["", " ", "\t", "   "][below(4)]);
                // One blank line may become several.
                let blank = tokens.get(i + 1).is_some_and(|next| next.kind == TokenKind::Newline);
                out.push_str(&"\n".repeat(1 + if blank { below(3) } else { 0 }));
                line_start = true;
                continue;
            }
            // Lines at the left edge stay there, because that is where items of a file begin.
            TokenKind::Blank if line_start => out.push_str(&" ".repeat(1 + below(12))),
            TokenKind::Blank => {
                let (before, after) = (tokens[i - 1], tokens.get(i + 1));
                let free =
                    after.is_some_and(|after| meets_freely(text, before.span.end, *after, before.kind));
                match below(3) {
                    0 if free => {}
                    wide => out.push_str(&" ".repeat(1 + wide * below(3))),
                }
            }
            _ => out.push_str(word),
        }
        line_start = false;
    }
    out
}

/// Whether two tokens keep their kinds and meaning without a space between them.
fn meets_freely(text: &str, end: usize, after: parlour::syntax::layout::Token, before: TokenKind) -> bool {
    let sign = |kind| kind == TokenKind::Symbol;
    if !sign(before) && !sign(after.kind) {
        return false;
    }
    // A bracket directly after a word may be a call; what precedes a brace makes it a set or a block.
    let word = &text[after.span.start..after.span.end];
    if matches!(word, "(" | "[" | "{") || text[..end].ends_with(['/', '.']) || word.starts_with(['/', '.']) {
        return false;
    }
    let joined = format!("{}{word}", &text[end - 1..end]);
    text.is_char_boundary(end - 1) && tokens(&joined).len() == 2
}

#[test]
fn random_spacing_is_undone() {
    let mut rng = Rng::new(2011);
    for (name, text) in files(&["games", "games/classics", "games/variants", "tests/language"]) {
        let tidy = formatted(&text).expect("it can be read");
        for _ in 0..3 {
            let wild = respaced(&text, &mut rng);
            assert_eq!(formatted(&wild).as_deref(), Ok(tidy.as_str()), "{name}:\n{wild}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused_in_a_sentence() {
    let refusal =
        "line 2, column 12: `==` is not an operator here; a file with mistakes like this cannot be formatted";
    assert_eq!(formatted("\nlet x = 1  == 2"), Err(refusal.to_string()));
}

#[test]
fn line_ends_and_the_end_of_the_file() {
    assert_eq!(
        formatted("\u{feff}let x = 1\r\n\r\n\r\nlet y = 2").as_deref(),
        Ok("let x = 1\n\nlet y = 2\n")
    );
    assert_eq!(formatted("let\u{a0}x\u{3000}=\u{b}1\n\u{c}// a\n").as_deref(), Ok("let x = 1\n// a\n"));
    assert_eq!(formatted("").as_deref(), Ok("\n"));
    assert_eq!(formatted("\n\n  // alone  \n\n").as_deref(), Ok("// alone\n"));
}
