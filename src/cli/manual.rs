//! `parlour manual`: prints the manual of the language, or a part of it.

use super::{Exit, Failure, out};
use crate::diag::nearest;

/// The pages, with the names by which they can be asked for.
const PAGES: [(&str, &str); 3] = [
    ("tutorial", include_str!("../../grammar/TUTORIAL.md")),
    ("games", include_str!("../../grammar/GAMES.md")),
    ("language", MANUAL),
];

/// The reference manual, whose sections can be asked for by words of their titles.
const MANUAL: &str = include_str!("../../grammar/README.md");

pub fn run(words: &[String]) -> Exit {
    let wanted = words.join(" ").to_lowercase();
    if wanted.is_empty() {
        out(contents().trim_end())?;
        return Ok(0);
    }
    if let Some((_, page)) = PAGES.iter().find(|(name, _)| *name == wanted) {
        out(page.trim_end())?;
        return Ok(0);
    }
    let sections = sections(MANUAL);
    let mut found: Vec<&str> = Vec::new();
    for (_, text) in sections.iter().filter(|(title, _)| title.to_lowercase().contains(&wanted)) {
        // A section has its subsections.
        if !found.iter().any(|whole| whole.contains(text.trim_end())) {
            found.push(text.trim_end());
        }
    }
    let lines = lines_about(&sections, &wanted);
    if found.is_empty() && !lines.is_empty() {
        out(&format!("no part of the manual is called `{wanted}`, but it says:\n\n{}", lines.join("\n")))?;
        return Ok(0);
    }
    if found.is_empty() {
        let titles: Vec<String> = sections.iter().map(|(title, _)| title.to_lowercase()).collect();
        let known = titles.iter().map(String::as_str).chain(PAGES.iter().map(|(name, _)| *name));
        let hint = match nearest(&wanted, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "`parlour manual` lists its parts, and `parlour explain` tells of single words".to_string()
            }
        };
        return Err(Failure::Wrong(format!("error: no part of the manual is called `{wanted}`; {hint}")));
    }
    out(&found.join("\n\n"))?;
    Ok(0)
}

/// Returns the lines of the manual with a word or words, below the titles of their sections: rows of tables if there are
/// any, which say how something is done, else other lines.
fn lines_about(sections: &[(&str, &str)], wanted: &str) -> Vec<String> {
    const MANY: usize = 20;
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let has = |line: &str| {
        let line = line.to_lowercase();
        let mut found = line.match_indices(wanted);
        found.any(|(at, _)| {
            !line[..at].ends_with(letter)
                && !line[at + wanted.len()..].trim_start_matches('s').starts_with(letter)
        })
    };
    let lines = |rows: bool| {
        let mut out: Vec<String> = Vec::new();
        for (title, text) in sections {
            // The lines of a subsection are found under its own title.
            let own = text.find("\n##").map_or(*text, |end| &text[..end]);
            let about: Vec<&str> =
                own.lines().skip(1).filter(|line| line.starts_with('|') == rows && has(line)).collect();
            if !about.is_empty() {
                out.push(format!("{title}:"));
                out.extend(about.iter().map(|line| format!("  {}", line.trim_matches([' ', '|']).trim())));
            }
        }
        out
    };
    let rows = lines(true);
    let mut out = if rows.is_empty() { lines(false) } else { rows };
    out.truncate(MANY);
    out
}

/// Lists the pages, and the sections of the reference manual.
fn contents() -> String {
    let mut text = "`parlour manual PART` prints one of these parts:\n\n".to_string();
    for (name, page) in PAGES {
        let title = page.lines().next().unwrap_or_default().trim_start_matches("# ");
        text += &format!("  {name:<10}{title}\n");
    }
    text += "\nor a section of the language, by any words of its title:\n\n";
    for (title, _) in sections(MANUAL) {
        text += &format!("  {title}\n");
    }
    text
}

/// Returns the sections and subsections of a page: their titles, and their texts with the headings.
fn sections(page: &str) -> Vec<(&str, &str)> {
    let (mut headings, mut at) = (Vec::new(), 0);
    for line in page.split_inclusive('\n') {
        if let Some((level @ ("##" | "###"), title)) = line.trim_end().split_once(' ') {
            headings.push((at, level, title));
        }
        at += line.len();
    }
    let all = headings.iter().enumerate().map(|(number, (start, level, title))| {
        let next = headings[number + 1..].iter().find(|(_, other, _)| other.len() <= level.len());
        (*title, &page[*start..next.map_or(page.len(), |(end, ..)| *end)])
    });
    all.collect()
}
