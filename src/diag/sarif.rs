//! Diagnostics as a SARIF 2.1.0 log (OASIS, 2020), which code hosts show beside the source lines.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Code, Diagnostic, Severity};
use crate::source::{Source, Span};

/// The URL of the log's schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Builds the log of one run. Each sentence in `troubles` says which file could not be read.
pub fn log<'a>(
    found: impl IntoIterator<Item = (&'a Source, &'a Diagnostic)>,
    version: &str,
    troubles: &[String],
) -> Value {
    let found: Vec<(&Source, &Diagnostic)> = found.into_iter().collect();
    let codes: BTreeSet<Code> = found.iter().map(|(_, diagnostic)| diagnostic.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let number = |code: Code| codes.iter().position(|known| *known == code);
    let results: Vec<Value> = found
        .iter()
        .map(|(source, diagnostic)| result(source, diagnostic, number(diagnostic.code)))
        .collect();
    let notes: Vec<Value> =
        troubles.iter().map(|text| json!({ "level": "error", "message": { "text": text } })).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "parlour",
                "version": version,
                "rules": codes.iter().copied().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": troubles.is_empty(),
                "toolExecutionNotifications": notes,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Builds the rule object for a code, from what `parlour explain` says about it.
fn rule(code: Code) -> Value {
    let page = code.page();
    let mut help = page.text.to_string();
    for (title, lines) in [("Wrong", page.wrong), ("Right", page.right)] {
        if !lines.is_empty() {
            help.push_str(&format!("\n\n{title}:\n\n```game\n{lines}\n```"));
        }
    }
    json!({
        "id": page.code,
        "name": page.slug,
        "shortDescription": { "text": page.slug.replace('-', " ") },
        "fullDescription": { "text": page.text },
        "help": { "text": page.text, "markdown": help },
        "defaultConfiguration": { "level": level(page.severity) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn result(source: &Source, diagnostic: &Diagnostic, rule: Option<usize>) -> Value {
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    let mut result = json!({
        "ruleId": diagnostic.code.page().code,
        "ruleIndex": rule,
        "level": level(diagnostic.severity()),
        "message": { "text": format!("{}{help}", diagnostic.message) },
        "locations": [{ "physicalLocation": place(source, diagnostic.span()) }],
    });
    let related: Vec<Value> = diagnostic.labels[1..]
        .iter()
        .enumerate()
        .map(|(i, label)| {
            let mut location = json!({ "id": i, "physicalLocation": place(source, label.span) });
            if !label.text.is_empty() {
                location["message"] = json!({ "text": label.text });
            }
            location
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if let Some(fix) = diagnostic.sure_fix() {
        let replacement = |(span, text)| json!({ "deletedRegion": region(source, span), "insertedContent": { "text": text } });
        let replacements: Vec<Value> = fix.changes().into_iter().map(replacement).collect();
        let change = json!({ "artifactLocation": artifact(source, fix.span), "replacements": replacements });
        let what = format!("write `{}`", fix.replacement);
        result["fixes"] = json!([{ "description": { "text": what }, "artifactChanges": [change] }]);
    }
    result
}

fn place(source: &Source, span: Span) -> Value {
    json!({ "artifactLocation": artifact(source, span), "region": region(source, span) })
}

/// Builds a region with 1-based lines and columns; the end column is the one after the last character.
fn region(source: &Source, span: Span) -> Value {
    let (from, to) = (source.position(span.start), source.end_position(span));
    json!({ "startLine": from.line, "startColumn": from.column, "endLine": to.line, "endColumn": to.column })
}

fn artifact(source: &Source, span: Span) -> Value {
    json!({ "uri": uri(source.file_at(span.start).0) })
}

/// Converts a path to a URI reference (RFC 3986), absolute or relative like the path.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if path.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./games/a b.game"), "games/a%20b.game");
        assert_eq!(uri("/tmp/é:1.game"), "file:///tmp/%C3%A9%3A1.game");
        assert_eq!(uri("games\\nim.game"), "games/nim.game");
    }
}
