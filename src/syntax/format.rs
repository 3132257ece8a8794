//! The one formatting of rule files.

use crate::source::Source;

/// Formats a rule file. The error is a sentence.
pub fn format(source: &Source) -> Result<String, String> {
    Ok(source.text.to_string())
}
