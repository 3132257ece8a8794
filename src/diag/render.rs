//! Renders diagnostics: as plain lines, as JSON and, with the feature `fancy`, as drawn reports.

use serde_json::{Value, json};

use super::Diagnostic;
#[cfg(feature = "fancy")]
pub use super::draw::{Style, human};
use crate::source::{Source, Span};

/// Renders one line: `file:line:column: error[E0201 unknown-name]: message (help)`.
pub fn plain(source: &Source, diagnostic: &Diagnostic) -> String {
    let at = source.position(diagnostic.span().start);
    let (file, _) = source.file_at(diagnostic.span().start);
    let page = diagnostic.code.page();
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!(
        "{}:{}:{}: {}[{} {}]: {}{help}\n",
        file,
        at.line,
        at.column,
        page.severity.word(),
        page.code,
        page.slug,
        diagnostic.message
    )
}

/// Renders the JSON object that `parlour check --format json` prints; lines and columns are 1-based.
pub fn json(source: &Source, diagnostic: &Diagnostic) -> Value {
    let place = |span: Span| {
        let (from, to) = (source.position(span.start), source.end_position(span));
        [("line", from.line), ("column", from.column), ("end_line", to.line), ("end_column", to.column)]
    };
    let placed = |mut object: Value, span: Span| {
        for (key, number) in place(span) {
            object[key] = json!(number);
        }
        object
    };
    let page = diagnostic.code.page();
    let object = json!({
        "code": page.code,
        "slug": page.slug,
        "severity": page.severity.word(),
        "message": diagnostic.message,
        "file": source.file_at(diagnostic.span().start).0,
    });
    let mut object = placed(object, diagnostic.span());
    object["help"] = json!(diagnostic.help);
    object["labels"] =
        diagnostic.labels.iter().map(|label| placed(json!({ "text": label.text }), label.span)).collect();
    object["fix"] = match diagnostic.sure_fix() {
        Some(fix) => {
            let mut object = placed(json!({ "replacement": fix.replacement }), fix.span);
            if !fix.also.is_empty() {
                let other = |(place, text): &(Span, String)| {
                    let same = *text == fix.replacement;
                    placed(if same { json!({}) } else { json!({ "replacement": text }) }, *place)
                };
                object["also"] = fix.also.iter().map(other).collect();
            }
            object
        }
        None => Value::Null,
    };
    object
}
