//! What to say of a place that the grammar could not read.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// The diagnostic for a failed parse of the part of `masked` that starts at `offset`.
pub fn unreadable(error: &Error<Rule>, masked: &str, offset: usize, end: usize) -> Diagnostic {
    let at = offset
        + match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
    let token = token_at(masked, at, end);
    let word = masked[token.start..token.end].trim();
    let mut expected: Vec<&'static str> = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.iter().filter_map(|r| noun(*r)).collect(),
        ErrorVariant::CustomError { .. } => Vec::new(),
    };
    expected.sort_by_key(|noun| (noun.starts_with('`'), *noun));
    expected.dedup();
    // Where a statement may begin, everything may: the list would say nothing.
    if expected.len() > 7 {
        expected.retain(|noun| !noun.starts_with('`'));
    }

    let reserved = super::build::is_reserved(word);
    if reserved && expected.contains(&"a name") {
        return Diagnostic::new(
            Code::Unexpected,
            token,
            format!("`{word}` is a word of the language, not a name"),
            "a name belongs here",
        )
        .help("choose another name");
    }
    let label = match expected.as_slice() {
        [] => String::new(),
        nouns => format!("expected {}", either(nouns)),
    };
    let message = match word {
        "" => "this line ends too early".to_string(),
        _ => format!("`{word}` does not fit here"),
    };
    let report = Diagnostic::new(Code::Unexpected, token, message, label);
    match word {
        "&" | "&&" => report.help("write `and`"),
        "||" => report.help("write `or`"),
        "!" => report.help("write `not`, or `!=`"),
        "%" => report.help("write `mod`"),
        "'" => report.help("texts stand between double quotes"),
        ";" => report.help("a line end ends a statement; no sign is needed"),
        "=" => report.help("`:=` gives a place a new value; `=` compares"),
        "for" | "while" | "foreach" => {
            report.help("loops are written `each x in S { … }` and `repeat n { … }`")
        }
        "return" | "function" | "fn" | "def" => report.help("functions are written `define f(x) = …`"),
        "var" | "const" => {
            report.help("write `let x = …`; what changes during play is declared in `table { … }`")
        }
        _ => report,
    }
}

/// The word or sign at a place; empty at the end.
fn token_at(masked: &str, at: usize, end: usize) -> Span {
    let mut start = at.min(end);
    while start < end && masked[start..].starts_with([' ', '\n']) {
        start += 1;
    }
    if start >= end {
        let last = masked[..end].trim_end().len();
        return Span::new(last, last);
    }
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    let rest = &masked[start..end];
    let first = rest.chars().next().unwrap_or(' ');
    let length = if letters(first) {
        rest.find(|c| !letters(c)).unwrap_or(rest.len())
    } else if first == '"' {
        rest[1..].find('"').map_or(rest.len(), |at| at + 2)
    } else {
        ["&&", "||", "==", "<>"]
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map_or(first.len_utf8(), |s| s.len())
    };
    Span::new(start, start + length)
}

fn either(nouns: &[&str]) -> String {
    match nouns {
        [] => String::new(),
        [one] => (*one).to_string(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// What people call a rule of the grammar; `None` for what is not worth naming.
fn noun(rule: Rule) -> Option<&'static str> {
    use Rule as R;
    Some(match rule {
        R::name => "a name",
        R::number => "a number",
        R::string => "a text in quotes",
        R::expr
        | R::arith
        | R::if_expr
        | R::case_expr
        | R::reference
        | R::call
        | R::group
        | R::list_literal
        | R::set_literal
        | R::boolean
        | R::nothing
        | R::every
        | R::negative
        | R::not => "a value",
        R::plus
        | R::minus
        | R::times
        | R::power
        | R::join
        | R::quotient
        | R::modulo
        | R::copies_of
        | R::and
        | R::or
        | R::not_in
        | R::element_of
        | R::divides
        | R::equal
        | R::not_equal
        | R::at_most_op
        | R::at_least_op
        | R::less
        | R::greater
        | R::range
        | R::is_test
        | R::with_part
        | R::slash => "an operator",
        R::ty
        | R::optional_ty
        | R::list_ty
        | R::set_ty
        | R::bag_ty
        | R::grid_ty
        | R::bool_ty
        | R::symbols_ty
        | R::tuple_ty
        | R::range_ty => "a type",
        R::block | R::open_brace => "`{`",
        R::close_brace => "`}`",
        R::open_paren | R::open_call => "`(`",
        R::close_paren => "`)`",
        R::open_bracket => "`[`",
        R::close_bracket => "`]`",
        R::comma => "`,`",
        R::colon => "`:`",
        R::equals => "`=`",
        R::assign | R::add_to | R::take_from | R::join_to | R::assignment => "`:=`",
        R::nl | R::EOI => "the end of the line",
        R::reason | R::kw_else => "`else`",
        R::kw_to => "`to`",
        R::kw_from | R::from_part => "`from`",
        R::kw_in => "`in`",
        R::kw_of => "`of`",
        R::kw_or => "`or`",
        R::kw_then => "`then`",
        R::kw_by => "`by`",
        R::kw_when => "`when`",
        R::kw_as | R::as_part => "`as`",
        R::kw_for => "`for`",
        R::kw_each => "`each`",
        R::where_part => "`where`",
        R::until_part => "`until`",
        R::kw_stuck => "`stuck`",
        R::kw_mover => "`mover`",
        R::kw_more | R::at_least => "`or more`",
        R::kw_highest => "`highest`",
        R::kw_lowest => "`lowest`",
        R::last_mover => "`last mover`",
        R::kw_last => "`last`",
        R::tag => "`secret`, `hidden` or `each`",
        R::pattern => "a name",
        R::choice | R::choices => "a move",
        R::signed | R::square | R::word_list | R::word_value | R::words => "a value",
        R::let_stmt | R::need | R::award | R::if_stmt | R::each_stmt | R::repeat | R::turns => "a statement",
        R::game | R::option | R::constant | R::play | R::move_item => "a part of a rule file",
        _ => return None,
    })
}
