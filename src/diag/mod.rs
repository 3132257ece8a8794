//! Diagnostics as data: a code, a message, labelled places, help. [`render`] turns them into text and JSON.

pub mod codes;
#[cfg(feature = "fancy")]
mod draw;
mod in_play;
pub(crate) mod nouns;
pub mod render;
pub mod sarif;

pub use codes::{Code, Severity};

use crate::source::{Source, Span};

/// A place with a remark about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark.
    pub text: String,
}

/// A correction: replaces the text at a place, or at several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The place to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
    /// Other places to replace with it, and their new texts, such as all uses of a renamed name.
    pub also: Vec<(Span, String)>,
    /// Whether it is certainly what the author means. Otherwise it is not applied for them: it only lets the rest of the
    /// line be read.
    pub sure: bool,
}

impl Fix {
    /// Creates a certain correction of one place.
    pub fn new(span: Span, replacement: impl Into<String>) -> Fix {
        Fix { span, replacement: replacement.into(), also: Vec::new(), sure: true }
    }

    /// Creates a correction of one place that leaves something for the author to decide.
    pub fn likely(span: Span, replacement: impl Into<String>) -> Fix {
        Fix { sure: false, ..Fix::new(span, replacement) }
    }

    /// Returns all places and their new texts, in file order.
    pub fn changes(&self) -> Vec<(Span, &str)> {
        let also = self.also.iter().map(|(place, text)| (*place, text.as_str()));
        let mut all: Vec<(Span, &str)> =
            std::iter::once((self.span, self.replacement.as_str())).chain(also).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// An error or warning about a rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: Code,
    /// One sentence: lower case, no full stop, code as typed.
    pub message: String,
    /// Labelled places; the first is the diagnostic's own.
    pub labels: Vec<Label>,
    /// How to resolve it.
    pub help: Option<String>,
    /// A correction.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Creates a diagnostic at a place; `label` is the remark shown there, and may be empty.
    pub fn new(code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        let label = Label { span, text: label.into() };
        Diagnostic { code, message: message.into(), labels: vec![label], help: None, fix: None }
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Returns its correction, if that is certainly what the author means.
    pub fn sure_fix(&self) -> Option<&Fix> {
        self.fix.as_ref().filter(|fix| fix.sure)
    }

    /// Sets a correction of the diagnostic's own place that leaves something for the author to decide.
    #[must_use]
    pub fn likely_fix(mut self, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix::likely(self.span(), replacement));
        self
    }

    /// Sets a certain correction of the diagnostic's own place.
    #[must_use]
    pub fn fix(mut self, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix::new(self.span(), replacement));
        self
    }

    /// Sets a certain correction of another place.
    #[must_use]
    pub fn fix_of(mut self, place: Span, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix::new(place, replacement));
        self
    }

    /// Sets a correction that puts a new name at all labelled places.
    #[must_use]
    pub fn rename(mut self, name: impl Into<String>) -> Diagnostic {
        let name = name.into();
        let also = self.labels.iter().skip(1).map(|label| (label.span, name.clone())).collect();
        self.fix = Some(Fix { also, ..Fix::new(self.span(), name) });
        self
    }

    /// Sets help and a correction if a known name is close to the unknown one.
    #[must_use]
    pub fn suggest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        match nearest(name, known) {
            Some(near) => self.help(format!("did you mean `{near}`?")).fix(near),
            None => self,
        }
    }

    /// Widens spans to whole characters; a span from corrected text may cut one.
    #[must_use]
    pub fn whole(mut self, source: &Source) -> Diagnostic {
        self.labels.iter_mut().for_each(|label| label.span = source.whole(label.span));
        if let Some(fix) = &mut self.fix {
            let also = fix.also.iter_mut().map(|(place, _)| place);
            std::iter::once(&mut fix.span).chain(also).for_each(|span| *span = source.whole(*span));
        }
        self
    }

    /// Returns its own place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// Returns whether it is an error or a warning.
    pub fn severity(&self) -> Severity {
        self.code.page().severity
    }
}

/// Returns the known name closest to a mistyped one, if it is close enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name_low = name.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if candidate == name {
            continue;
        }
        let distance = match is_plural_of(&name_low, candidate) || is_plural_of(candidate, &name_low) {
            true => 1,
            false => strsim::damerau_levenshtein(&name_low, &candidate.to_lowercase()),
        };
        let length = name.chars().count().max(candidate.chars().count());
        // A single letter makes another word of a short one.
        let begins = name_low.chars().next() == candidate.to_lowercase().chars().next();
        let close = length > 1 && distance <= (length / 3).max(1) && (begins || length > 3);
        // Ties prefer the same first letter, then the alphabet, so the order of candidates does not matter.
        let rank = |word: &str| (word.chars().next() != name.chars().next(), word.to_string());
        if close && best.is_none_or(|(least, word)| (distance, rank(candidate)) < (least, rank(word))) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, word)| word)
}

/// Whether a word is the plural of another one: `armies`, `boxes`, `cards`.
fn is_plural_of(word: &str, one: &str) -> bool {
    let stem = |end: &str| word.strip_suffix(end);
    stem("s") == Some(one)
        || stem("es") == Some(one)
        || stem("ies").is_some_and(|stem| one.strip_suffix('y') == Some(stem))
}

/// Whether any of the diagnostics is an error.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity() == Severity::Error)
}

/// Sorts diagnostics by place, and drops duplicates with the same code and place.
pub(crate) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span(), diagnostic.code));
    diagnostics.dedup_by(|a, b| a.span() == b.span() && a.code == b.code);
    diagnostics
}
