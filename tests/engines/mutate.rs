//! Bundled rule files with some words exchanged: operators, numbers, functions, parts in brackets, lines.

use std::path::Path;

use parlour::num::Rng;
use parlour::syntax::layout::{TokenKind, tokens};

/// Words that can often replace one another.
const KIN: &[&[&str]] = &[
    &["+", "-", "*", "div", "mod"],
    &["=", "!=", "<", "<=", ">", ">="],
    &["and", "or"],
    &["in", "divides"],
    &["+=", "-=", ":="],
    &["sum", "product", "count", "largest", "smallest", "first", "xor", "gcd"],
    &["all", "some"],
    &["min", "max", "gcd", "lcm", "xor"],
    &["size", "sum", "largest", "smallest", "mex", "product"],
    &["prime", "even", "odd", "square", "fibonacci"],
    &["abs", "sign", "root", "popcount", "factorial"],
    &["set", "bag", "list", "sorted", "once", "distinct"],
    &["reversed", "runs", "sorted", "list"],
    &["union", "common", "without"],
    &["beside", "around", "hexes"],
    &["rows", "columns", "diagonals"],
    &["squares", "edge"],
    &["highest", "lowest"],
    &["winner", "loser"],
    &["players", "standing"],
    &["next", "previous"],
    &["yes", "no"],
    &["skipping", "dropping"],
    &["most", "exactly"],
    &["row", "column"],
    &["each", "cycle"],
    &["where", "while"],
];

/// The files to mutate.
pub struct Mutator {
    files: Vec<String>,
}

impl Mutator {
    /// Reads all games that are not variants, without their examples.
    pub fn new() -> Mutator {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["games", "games/classics", "tests/language", "tests/language/invented"];
        let mut paths: Vec<_> = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder of games"))
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "game"))
            .collect();
        paths.sort();
        let read = |path| std::fs::read_to_string(path).expect("a text");
        Mutator { files: paths.into_iter().map(read).map(|text: String| without_examples(&text)).collect() }
    }

    /// Returns a mutated file, the same one for the same number.
    pub fn file(&self, number: u64) -> String {
        let mut rng = Rng::nth(0x3a7a, number);
        let mut below = |n: usize| rng.below_u64(n.max(1) as u64) as usize;
        let mut text = self.files[below(self.files.len())].clone();
        for _ in 0..[1, 1, 2, 2, 3, 5][below(6)] {
            text = mutate(&text, &mut below);
        }
        text
    }
}

/// Returns the file up to its first example.
fn without_examples(text: &str) -> String {
    let keep = |line: &&str| !line.starts_with("example ");
    text.lines().take_while(keep).map(|line| format!("{line}\n")).collect()
}

fn mutate(text: &str, below: &mut dyn FnMut(usize) -> usize) -> String {
    let tokens = tokens(text);
    let mut pieces: Vec<String> =
        tokens.iter().map(|token| text[token.span.start..token.span.end].to_string()).collect();
    let code: Vec<usize> = (0..pieces.len())
        .filter(|at| !matches!(tokens[*at].kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment))
        .collect();
    if code.is_empty() {
        return text.to_string();
    }
    match below(10) {
        0..=4 => {
            // Exchanges a word, a sign or a number for another of its kind.
            let can: Vec<usize> = code.into_iter().filter(|at| exchangeable(&pieces[*at])).collect();
            if let Some(at) = can.get(below(can.len())).copied() {
                pieces[at] = exchange(&pieces[at], below);
            }
        }
        5 | 6 => {
            // Replaces a bracketed part by another one with the same kind of bracket.
            let parts = brackets(&pieces);
            let Some(&(a, b)) = parts.get(below(parts.len())) else { return text.to_string() };
            let same: Vec<_> = parts.iter().filter(|(c, _)| pieces[*c] == pieces[a]).copied().collect();
            let (c, d) = same[below(same.len())];
            let part: String = pieces[c..=d].concat();
            pieces.splice(a..=b, [part]);
        }
        7 => {
            // Replaces a name by another one of the file.
            let words: Vec<usize> =
                code.into_iter().filter(|at| pieces[*at].starts_with(|c: char| c.is_alphabetic())).collect();
            if !words.is_empty() {
                let (a, b) = (words[below(words.len())], words[below(words.len())]);
                pieces[a] = pieces[b].clone();
            }
        }
        8 => {
            let mut lines: Vec<&str> = text.lines().collect();
            let at = below(lines.len());
            match below(3) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at]),
                _ => lines.swap(at, (at + 1).min(text.lines().count() - 1)),
            }
            return lines.join("\n") + "\n";
        }
        _ => {
            // Appends an operation to the contents of parentheses.
            let parts = brackets(&pieces);
            let round: Vec<_> = parts.iter().filter(|(a, _)| pieces[*a] == "(").collect();
            if let Some((a, b)) = round.get(below(round.len())).copied() {
                let more =
                    ["+ 1", "* 1000000007", "- 1", "mod 3", "^ 2", "div 2", "* 4294967296 * 4294967296"];
                pieces[*a].push('(');
                pieces[*b].push_str(&format!(" {})", more[below(more.len())]));
            }
        }
    }
    pieces.concat()
}

fn exchangeable(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || KIN.iter().any(|kin| kin.contains(&word))
}

fn exchange(word: &str, below: &mut dyn FnMut(usize) -> usize) -> String {
    if let Ok(number) = word.parse::<i64>() {
        let odd = ["0", "1", "2", "3", "7", "64"];
        return match below(4) {
            0 => number.saturating_add(1).to_string(),
            1 => (number - 1).max(0).to_string(),
            2 if below(8) == 0 => "9223372036854775807".to_string(),
            _ => odd[below(odd.len())].to_string(),
        };
    }
    let groups: Vec<_> = KIN.iter().filter(|kin| kin.contains(&word)).collect();
    let kin = groups[below(groups.len())];
    kin[below(kin.len())].to_string()
}

/// Returns the bracketed parts: the indices of their opening and closing brackets.
fn brackets(pieces: &[String]) -> Vec<(usize, usize)> {
    let (mut open, mut parts) = (Vec::new(), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        match piece.as_str() {
            "(" | "[" => open.push(at),
            ")" | "]" => parts.extend(open.pop().map(|from| (from, at))),
            _ => {}
        }
    }
    parts
}
