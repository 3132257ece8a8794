//! The forms of English words that messages need.

/// Returns the plural of a noun, or the third person of a verb: `carry` becomes `carries`.
pub(crate) fn with_s(word: &str) -> String {
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix('y').filter(|stem| !stem.ends_with(vowel)) {
        Some(stem) => format!("{stem}ies"),
        None if hisses || word.ends_with('o') => format!("{word}es"),
        None => format!("{word}s"),
    }
}

/// Puts "a" or "an" before a noun, as its first letter suggests.
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
