//! Pages as Markdown. Boards and preformatted lines are indented blocks, which every reader supports.

use super::page::{Page, Part, drawn, legend, unmarked};

/// The maximum width of a drawn board in columns.
const WIDTH: usize = 100;

pub(super) fn markdown(page: &Page) -> String {
    let mut out = String::new();
    let mut before: Option<&Part> = None;
    for part in &page.parts {
        // Consecutive entries form one list.
        let together = matches!((before, part), (Some(Part::Entry(..)), Part::Entry(..)));
        if !out.is_empty() && !together {
            out.push('\n');
        }
        write(&mut out, part);
        before = Some(part);
    }
    out
}

fn write(out: &mut String, part: &Part) {
    match part {
        Part::Title(text) => line(out, &format!("# {}", inline(text))),
        Part::Byline(text) => line(out, &format!("*{}*", inline(text))),
        Part::Lead(text) => line(out, &format!("**{}**", inline(text))),
        Part::Heading(text) => line(out, &format!("## {}", inline(text))),
        Part::Subheading(text) => line(out, &format!("### {}", inline(text))),
        Part::Para(text) => line(out, &inline(text)),
        Part::Entry(name, text) if name.is_empty() => line(out, &format!("- {}", inline(text))),
        Part::Entry(name, text) => line(out, &format!("- **{}**: {}", plain(name), inline(text))),
        Part::Outline(lines) => {
            for entry in lines {
                line(out, &format!("{}- {}", "  ".repeat(entry.depth), inline(&entry.text)));
            }
        }
        Part::Verbatim(lines) | Part::Figure(lines, _) => {
            lines.iter().for_each(|text| line(out, &format!("    {text}")))
        }
        Part::Board(board) => {
            drawn(board, WIDTH).iter().for_each(|text| line(out, &format!("    {text}")));
            if let Some(legend) = legend(board) {
                out.push('\n');
                line(out, &inline(&legend));
            }
        }
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Escapes a text and converts its marks to emphasis.
fn inline(text: &str) -> String {
    unmarked(&escaped(text), ("*", "*"), ("**", "**"))
}

/// Escapes a text and removes its marks.
fn plain(text: &str) -> String {
    unmarked(&escaped(text), ("", ""), ("", ""))
}

/// Escapes the characters that Markdown would interpret.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
