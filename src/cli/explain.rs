//! `parlour explain`: explains a diagnostic or a word of the language.

use super::{Exit, Failure, out};
use crate::check::keywords::{KEYWORDS, explained};
use crate::diag::{Code, nearest};
use crate::ir::WORDS;

pub fn run(text: &str) -> Exit {
    if text == "words" {
        let keywords = KEYWORDS.iter().map(|(_, doc)| *doc);
        out(&WORDS.iter().map(|word| word.doc).chain(keywords).collect::<Vec<_>>().join("\n"))?;
        return Ok(0);
    }
    // A word is also found in the singular or the plural: `tuple` for `tuples`.
    let many = format!("{text}s");
    let forms = [text, &many, text.strip_suffix('s').unwrap_or(text)];
    if Code::find(text).is_none()
        && let Some(lines) = forms.iter().find_map(|form| explained(form))
    {
        out(&lines)?;
        return Ok(0);
    }
    let Some(code) = Code::find(text) else {
        let codes = Code::ALL.iter().flat_map(|code| [code.page().code, code.page().slug]);
        let known = codes
            .chain(WORDS.iter().map(|word| word.name))
            .chain(KEYWORDS.iter().flat_map(|(words, _)| words.split(' ')));
        let hint = match nearest(text, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "codes look like E0201; `parlour explain words` lists the words".to_string(),
        };
        return Err(Failure::Wrong(format!("error: no diagnostic or word is called `{text}`; {hint}")));
    };
    let page = code.page();
    let mut text = format!("{} {} ({})\n\n{}\n", page.code, page.slug, page.severity.word(), page.text);
    for (title, lines) in [("wrong", page.wrong), ("right", page.right)] {
        if !lines.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
            for line in lines.lines() {
                text.push_str(&format!("    {line}\n"));
            }
        }
    }
    out(&text)?;
    Ok(0)
}
