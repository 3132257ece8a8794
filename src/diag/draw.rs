//! Draws a diagnostic as a report for people, with the source lines it is about. The only file that uses
//! miette.

use std::fmt;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceSpan};

use super::render::plain;
use super::{Diagnostic, Severity};
use crate::source::{Source, Span};

/// How a report for people is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Whether to use colour.
    pub colour: bool,
    /// The width of the lines, in columns.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 80 }
    }
}

/// The longest line that is drawn, in bytes; if a label is on a longer one, [`plain`] is used instead.
const MAX_DRAWN: usize = 400;

/// How many lines a label may be away from the report's own place and still be drawn with it.
const FAR: usize = 12;

/// Draws a report for people.
pub fn human(source: &Source, diagnostic: &Diagnostic, style: Style) -> String {
    let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(style.width.max(40))
        .with_links(false)
        .with_context_lines(1);
    let (name, file) = source.file_at(diagnostic.span().start);
    let long = |label: &super::Label| {
        let before =
            source.text[..label.span.start.min(source.text.len())].rfind('\n').map_or(0, |at| at + 1);
        let after = source.text[before..].find('\n').unwrap_or(0);
        after > MAX_DRAWN
    };
    if diagnostic.labels.iter().any(long) {
        return plain(source, diagnostic);
    }
    // Far labels are listed as text: drawing all the lines between would hide them.
    let line = |label: &super::Label| source.position(label.span.start).line;
    let (near, far): (Vec<_>, Vec<_>) = diagnostic
        .labels
        .iter()
        .cloned()
        .partition(|label| line(label).abs_diff(line(&diagnostic.labels[0])) <= FAR);
    let diagnostic = &Diagnostic { labels: near, ..diagnostic.clone() };
    let report = Report { source: NamedSource::new(name, visible(source.slice(file))), file, diagnostic };
    let mut out = String::new();
    match handler.render_report(&mut out, &report) {
        Ok(()) => {
            far.iter().for_each(|label| out.push_str(&told(source, label)));
            out
        }
        Err(fmt::Error) => plain(source, diagnostic),
    }
}

/// Describes a label in one line of text.
fn told(source: &Source, label: &super::Label) -> String {
    let at = source.position(label.span.start);
    let line = source.slice(label.span).lines().next().unwrap_or("").trim();
    let text = if label.text.is_empty() { "here" } else { &label.text };
    format!("  line {}: `{}`: {text}\n", at.line, visible(line))
}

/// Replaces characters that would control the terminal by question marks, keeping the length in bytes.
fn visible(text: &str) -> String {
    let acts = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match acts(c) {
            true => out.extend(std::iter::repeat_n('?', c.len_utf8())),
            false => out.push(c),
        }
        out
    })
}

struct Report<'a> {
    source: NamedSource<String>,
    /// The file that is drawn; labels in other files are left out.
    file: Span,
    diagnostic: &'a Diagnostic,
}

impl fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagnostic.message)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagnostic.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let page = self.diagnostic.code.page();
        Some(Box::new(format!("{} {}", page.code, page.slug)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity() {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here =
            |label: &&super::Label| self.file.start <= label.span.start && label.span.end <= self.file.end;
        let labels = self.diagnostic.labels.iter().filter(here);
        Some(Box::new(labels.enumerate().map(|(i, label)| {
            let text = (!label.text.is_empty()).then(|| label.text.clone());
            let start = label.span.start - self.file.start;
            let span = SourceSpan::from(start..(label.span.end - self.file.start).max(start + 1));
            match i {
                0 => LabeledSpan::new_primary_with_span(text, span),
                _ => LabeledSpan::new_with_span(text, span),
            }
        })))
    }
}
