//! Every example of the reference manual checks, and its worked examples hold.

use std::sync::Arc;

use parlour::check::check;
use parlour::diag::Severity;
use parlour::play::{Rules, bundled_text, run_examples, with_bases};
use parlour::source::Source;

/// The blocks of a manual marked ```` ```game ````: what stands behind that word, the line, the text.
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

/// A snippet made a whole file: with a header, and with a play and a winner where it has none.
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

#[test]
fn examples_of_the_manual_check_and_hold() {
    let blocks = blocks(include_str!("../grammar/README.md"));
    assert!(blocks.len() >= 6);
    for (mark, line, text) in blocks {
        let text = if mark.is_empty() { whole(&text) } else { text };
        let alone = |name: &str| bundled_text(name).map(|text| Source::new(name, text));
        let source = with_bases(Source::new("manual.game", &text), &|base, _| alone(base));
        let found = check(&source);
        let errors: Vec<_> = found.diagnostics.iter().filter(|d| d.severity() == Severity::Error).collect();
        assert!(errors.is_empty(), "grammar/README.md line {line}: {errors:?}");
        let rules = Arc::new(Rules::load(source).unwrap());
        for report in run_examples(&rules) {
            assert!(report.failure.is_none(), "grammar/README.md line {line}: {:?}", report.failure);
        }
    }
}
