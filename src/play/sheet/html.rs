//! Pages as HTML: self-contained, light or dark according to the reader's preference, and printable.

use super::page::{Line, Page, Part, drawn, legend, unmarked};
use crate::play::drawing::Board;

/// The maximum width in columns of a board drawn as lines.
const WIDTH: usize = 100;

const STYLE: &str = include_str!("page.css");

/// By this all HTML pages that Parlour has written can be known.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"Parlour\">";

/// Returns the beginning of an HTML page, up to its main part; the title is escaped already.
pub fn page_start(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n\
         <body>\n<main>\n"
    )
}

pub(super) fn html(page: &Page) -> String {
    let title = page.parts.iter().find_map(|part| match part {
        Part::Title(title) => Some(plain(title)),
        _ => None,
    });
    let mut out = page_start(&title.unwrap_or_default(), STYLE);
    out.push_str(&parts(page, 0));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Returns the contents of a page without the page around them; heading levels are increased by `lower`.
pub(super) fn parts(page: &Page, lower: usize) -> String {
    let mut out = String::new();
    let mut section = false;
    let mut parts = page.parts.iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            Part::Title(text) => line(&mut out, &format!("<h{0}>{1}</h{0}>", 1 + lower, inline(text))),
            Part::Byline(text) => line(&mut out, &format!("<p class=\"by\">{}</p>", inline(text))),
            Part::Lead(text) => line(&mut out, &format!("<p class=\"lead\">{}</p>", inline(text))),
            Part::Heading(text) => {
                if section {
                    line(&mut out, "</section>");
                }
                section = true;
                line(&mut out, &format!("<section>\n<h{0}>{1}</h{0}>", 2 + lower, inline(text)));
            }
            Part::Subheading(text) => line(&mut out, &format!("<h{0}>{1}</h{0}>", 3 + lower, inline(text))),
            Part::Para(text) => line(&mut out, &format!("<p>{}</p>", inline(text))),
            Part::Entry(..) => {
                line(&mut out, "<ul class=\"entries\">");
                entry(&mut out, part);
                while let Some(next @ Part::Entry(..)) = parts.peek() {
                    entry(&mut out, next);
                    parts.next();
                }
                line(&mut out, "</ul>");
            }
            Part::Outline(lines) => outline(&mut out, lines),
            Part::Verbatim(lines) | Part::Figure(lines, _) => {
                let text: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
                line(&mut out, &format!("<pre>{}</pre>", text.join("\n")));
            }
            Part::Board(slanted) if slanted.is_slanted() => {
                let text: Vec<String> = drawn(slanted, WIDTH).iter().map(|line| escaped(line)).collect();
                line(&mut out, &format!("<pre>{}</pre>", text.join("\n")));
                told(&mut out, slanted);
            }
            Part::Board(squares) => board(&mut out, squares),
        }
    }
    if section {
        line(&mut out, "</section>");
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn entry(out: &mut String, part: &Part) {
    let Part::Entry(name, text) = part else { return };
    match name.is_empty() {
        true => line(out, &format!("<li>{}</li>", inline(text))),
        false => line(out, &format!("<li><b>{}</b>: {}</li>", plain(name), inline(text))),
    }
}

/// Writes an outline as nested lists: deeper lines go into a list within the item above.
fn outline(out: &mut String, lines: &[Line]) {
    let mut depth = 0;
    line(out, "<ul>");
    for (i, entry) in lines.iter().enumerate() {
        // A line is at most one level deeper than the one above it.
        let wanted = if i == 0 { 0 } else { entry.depth.min(depth + 1) };
        if i > 0 && wanted <= depth {
            line(out, "</li>");
        }
        while depth < wanted {
            line(out, "<ul>");
            depth += 1;
        }
        while depth > wanted {
            line(out, "</ul>\n</li>");
            depth -= 1;
        }
        out.push_str(&format!("<li>{}", inline(&entry.text)));
    }
    (0..depth).for_each(|_| line(out, "</li>\n</ul>"));
    line(out, "</li>\n</ul>");
}

fn board(out: &mut String, board: &Board) {
    let cell = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", escaped(text));
    line(out, "<table class=\"board\">");
    let heads: String = board.heads().iter().map(|head| cell("th", head)).collect();
    line(out, &format!("<tr><td class=\"corner\"></td>{heads}</tr>"));
    for (number, cells) in board.rows() {
        let cells: String =
            cells.iter().map(|of| cell("td", if of.is_empty() { "" } else { &of.sign })).collect();
        line(out, &format!("<tr>{}{cells}</tr>", cell("th", number)));
    }
    line(out, "</table>");
    told(out, board);
}

/// Writes the legend of a board, and what its crowded squares hold.
fn told(out: &mut String, board: &Board) {
    if let Some(crowds) = board.overfull() {
        line(out, &format!("<p class=\"legend\">{}</p>", inline(&crowds)));
    }
    if let Some(legend) = legend(board) {
        line(out, &format!("<p class=\"legend\">{}</p>", inline(&legend)));
    }
}

/// Escapes a text and converts its marks to elements.
fn inline(text: &str) -> String {
    unmarked(&escaped(text), ("<i>", "</i>"), ("<b>", "</b>"))
}

/// Escapes a text and removes its marks.
fn plain(text: &str) -> String {
    unmarked(&escaped(text), ("", ""), ("", ""))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
