//! Every example of the manual, its tutorial and its chapter of games must check, and worked ones pass.

use std::sync::Arc;

use parlour::check::check;
use parlour::check::keywords::{KEYWORDS, explained};
use parlour::diag::Severity;
use parlour::ir::WORDS;
use parlour::play::{Rules, bundled_text, run_examples, with_bases};
use parlour::source::Source;

/// Returns the blocks of a manual marked ```` ```game ````: the rest of that line, the line number, the text.
fn blocks(manual: &str) -> Vec<(String, usize, String)> {
    let mut out = Vec::new();
    let mut lines = manual.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(mark) = line.strip_prefix("```game") {
            let text: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            out.push((mark.trim().to_string(), number + 1, text.join("\n")));
        }
    }
    out
}

/// Completes a snippet to a whole file: adds a header, and a play and a winner if it has none.
fn whole(text: &str) -> String {
    let has = |part: &str| text.lines().any(|line| line.starts_with(part));
    let mut file = String::from("game \"Snippet\" { players 2 }\n");
    file.push_str(text);
    if !has("play {") {
        file.push_str("\nmove nothing { }\nplay { repeat 1 { ask seat(1) to nothing } }\n");
    }
    if !has("winner") {
        file.push_str("\nwinner last in\n");
    }
    file
}

/// Checks every example of a manual and runs its worked examples.
fn holds(name: &str, manual: &str, least: usize) {
    let blocks = blocks(manual);
    assert!(blocks.len() >= least);
    // A variant may be based on the file that the manual shows before it.
    let mut shown: Option<String> = None;
    for (mark, line, text) in blocks {
        let text = if mark.is_empty() { whole(&text) } else { text };
        let base = |base: &str| bundled_text(base).map(str::to_string).or(shown.clone());
        let source =
            with_bases(Source::new("manual.game", &text), &|name, _| Some(Source::new(name, &base(name)?)));
        let found = check(&source);
        assert!(
            found.diagnostics.iter().all(|d| d.severity() != Severity::Error),
            "{name} line {line}: {found:?}"
        );
        if mark == "file" {
            assert!(found.diagnostics.is_empty(), "{name} line {line}: {found:?}");
            shown = Some(text.clone());
        }
        let rules = Arc::new(Rules::load(source).unwrap());
        for report in run_examples(&rules) {
            assert!(report.failure.is_none(), "{name} line {line}: {:?}", report.failure);
        }
    }
}

#[test]
fn examples_of_the_reference_check_and_hold() {
    holds("grammar/README.md", include_str!("../grammar/README.md"), 9);
}

#[test]
fn examples_of_the_tutorial_check_and_hold() {
    holds("grammar/TUTORIAL.md", include_str!("../grammar/TUTORIAL.md"), 2);
}

#[test]
fn short_games_check_and_show_themselves_in_an_example() {
    let manual = include_str!("../grammar/GAMES.md");
    holds("grammar/GAMES.md", manual, 10);
    for (mark, line, text) in blocks(manual) {
        assert!(mark == "file" && text.contains("\nexample \""), "grammar/GAMES.md line {line}");
    }
}

#[test]
fn the_reference_lists_every_word_as_explain_tells_it() {
    let manual = include_str!("../grammar/README.md");
    let keywords = KEYWORDS.iter().map(|(_, doc)| *doc);
    for doc in WORDS.iter().map(|word| word.doc).chain(keywords) {
        assert!(
            manual.lines().any(|line| line.strip_prefix("- ") == Some(doc)),
            "grammar/README.md lacks: {doc}"
        );
    }
}

/// Returns a section of the reference by the anchor of its heading, up to the next heading of its rank.
fn section<'a>(manual: &'a str, anchor: &str) -> Option<&'a str> {
    let slug = |title: &str| {
        let kept = title
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -".contains(*c))
            .collect::<String>();
        kept.replace(' ', "-")
    };
    let (mark, at) = manual.match_indices('\n').find_map(|(at, _)| {
        let line = manual[at + 1..].lines().next()?;
        let (mark, title) = line.split_once(' ')?;
        (["##", "###"].contains(&mark) && slug(title) == anchor).then_some((mark, at + 1 + line.len()))
    })?;
    let rest = &manual[at..];
    let end = rest.find(&format!("\n{mark} ")).or_else(|| rest.find("\n## ")).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Whether a text contains a word as a whole word.
fn holds_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !word.starts_with(char::is_alphabetic)
            || !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside)
    })
}

#[test]
fn the_index_names_every_word_and_a_section_that_tells_it() {
    let manual = include_str!("../grammar/README.md");
    let index = section(manual, "index-of-words").unwrap();
    // An entry is a word, followed by links to sections: `+`, [expressions](#expressions), …
    let entries: Vec<(&str, Vec<&str>)> = index
        .split('·')
        .flat_map(|part| part.split("\n- "))
        .filter_map(|part| {
            let (word, rest) = part.split_once('`')?.1.split_once('`')?;
            Some((word, rest.split("](#").skip(1).map(|link| link.split(')').next().unwrap()).collect()))
        })
        .filter(|(_, anchors): &(_, Vec<_>)| !anchors.is_empty())
        .collect();
    // `range` and `key` are topics of `explain`, but not words of the language.
    let words =
        KEYWORDS.iter().flat_map(|(words, _)| words.split(' ')).chain(WORDS.iter().map(|word| word.name));
    for word in words.filter(|word| !["range", "key"].contains(word)) {
        assert!(entries.iter().any(|(entry, _)| *entry == word), "the index lacks `{word}`");
    }
    for (word, anchors) in entries {
        for anchor in anchors {
            let text = section(manual, anchor).unwrap_or_else(|| panic!("no section #{anchor}"));
            assert!(holds_word(text, word), "#{anchor} does not tell `{word}`");
        }
    }
}

#[test]
fn the_table_of_reserved_words_is_that_of_the_grammar() {
    let manual = include_str!("../grammar/README.md");
    let row = manual.lines().find(|line| line.ends_with("hold expressions together |")).unwrap();
    let told: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
    let grammar = include_str!("../grammar/lexical.pest");
    let rule = grammar.split("reserved = {").nth(1).unwrap().split('}').next().unwrap();
    let reserved: Vec<&str> = rule.split('"').skip(1).step_by(2).collect();
    assert_eq!(told, reserved);
}

#[test]
fn every_line_of_explain_words_names_its_word() {
    for (words, doc) in KEYWORDS {
        let quoted: Vec<&str> = doc.split('`').skip(1).step_by(2).collect();
        let first = words.split(' ').next().unwrap();
        assert!(doc.starts_with('`') && quoted.iter().any(|text| text.contains(first)), "{words}: {doc}");
    }
}

#[test]
fn every_word_of_the_tables_and_lists_of_the_manual_is_explained() {
    let manual = include_str!("../grammar/README.md");
    let mut code = false;
    for line in manual.lines() {
        code ^= line.starts_with("```");
        if code || !(line.starts_with("- ") || line.starts_with('|')) {
            continue;
        }
        // Checks the first quotation of a line, and single words; others may be parts of an example.
        let single = |text: &str| text.chars().all(char::is_alphabetic);
        let quoted = line.split('`').skip(1).step_by(2).enumerate();
        for (_, text) in quoted.filter(|(at, text)| *at == 0 || single(text)) {
            // Names in examples have one letter, and `parlour test` is a command.
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            let named = words.all(|word| word.len() < 2 || word == "parlour" || word == "test");
            assert!(named || explained(text).is_some(), "`parlour explain '{text}'` says nothing: {line}");
        }
    }
}

#[test]
fn what_is_said_otherwise_elsewhere_is_explained() {
    for text in [
        "square(row, column)",
        "2..",
        "for",
        "return",
        "elif",
        "print",
        "while",
        "null",
        "random",
        "length",
        "append",
        "true",
        "def",
        "&&",
        "==",
        "≤",
        ";",
        "'",
        "reach",
        "others",
        "dropping",
        ":=",
        "+=",
        "++=",
        "mod",
        "is",
        "where",
        "int",
        "optional",
        "grid",
        "or more",
        "else if",
    ] {
        assert!(explained(text).is_some(), "{text}");
    }
}
