//! `parlour explain`: a diagnostic's page.

use super::{Exit, Failure, out};
use crate::diag::{Code, nearest};

pub fn run(text: &str) -> Exit {
    let Some(code) = Code::find(text) else {
        let known = Code::ALL.iter().flat_map(|code| [code.page().code, code.page().slug]);
        let hint = match nearest(text, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "codes look like E0201; `parlour check` prints them".to_string(),
        };
        return Err(Failure::Wrong(format!("error: no diagnostic is called `{text}`; {hint}")));
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
