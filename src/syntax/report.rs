//! What to say of a place that the grammar could not read.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use crate::diag::{Code, Diagnostic, nearest};
use crate::source::Span;

/// The words that begin an item, and how each is written.
const ITEMS: &[(&str, &str)] = &[
    ("game", "game \"Title\" { players 2 }"),
    ("variant", "variant \"Title\" of \"procession\" { }"),
    ("drop", "drop move pass"),
    ("option", "option n: 1..9 = 3"),
    ("let", "let top = 2 ^ n"),
    ("kind", "kind suit: clubs, hearts"),
    ("table", "table { … }"),
    ("each", "each player { … }"),
    ("show", "show \"row: {row}\""),
    ("move", "move put(value in 1..9, at in 1..n) { … }"),
    ("secret", "secret move put(value in 1..9) { … }"),
    ("define", "define half(x) = x div 2"),
    ("rule", "rule settle(p, q) { … }"),
    ("play", "play { … }"),
    ("score", "score = size(me.hand)"),
    ("winner", "winner highest score` or `winner last mover"),
    ("loser", "loser last mover"),
    ("end", "end when round > 9"),
    ("win", "win p when p.score > 9"),
    ("need", "need n > 2 else \"the reason\""),
    ("example", "example \"title\" with n = 5 { … }"),
];

/// The words that begin a statement, and how each is written.
const STATEMENTS: &[(&str, &str)] = &[
    ("let", "let x = a + b"),
    ("need", "need k <= n else \"the reason\""),
    ("award", "award 2 to p for \"the reason\""),
    ("send", "send card from me.hand to pile"),
    ("reveal", "reveal p.card"),
    ("conceal", "conceal p.card"),
    ("out", "out p"),
    ("again", "again"),
    ("if", "if a < b { … } else { … }"),
    ("each", "each x in S where x > 2 { … }"),
    ("cycle", "cycle x in S until C { … }"),
    ("repeat", "repeat 3 as round { … }"),
    ("turns", "turns until C { … }"),
    ("ask", "ask p to put or pass"),
    ("together", "together players { put }"),
    ("chance", "chance die in 1..6"),
    ("shuffle", "shuffle deck"),
    ("draw", "draw card from pile"),
    ("deal", "deal 3 from deck to me.hand"),
    ("phase", "phase opening { … }"),
    ("end", "end when C"),
    ("win", "win p when C"),
];

const GAME_LINES: &[(&str, &str)] = &[
    ("by", "by \"the author\""),
    ("from", "from \"a book, 1999\""),
    ("note", "note \"something to know\""),
    ("players", "players 3 to 5"),
];

const EXAMPLE_LINES: &[(&str, &str)] = &[
    ("given", "given row = [1, 2]"),
    ("start", "start shows \"…\""),
    ("chance", "chance die 4"),
    ("shows", "1: put 4 shows \"…\""),
    ("refused", "1: put 4 refused \"the reason\""),
    ("scores", "scores 3, 1"),
    ("expect", "expect size(row) = 3"),
    ("over", "over, winner 1"),
    ("winner", "winner 1"),
    ("winners", "winners 1, 2"),
];

/// Words of other languages, and what is written here.
const FOREIGN: &[(&str, &str)] = &[
    ("for", "loops are written `each x in S { … }` and `repeat n { … }`"),
    ("foreach", "loops are written `each x in S { … }`"),
    ("while", "loops are written `repeat { … } until C`, `turns until C { … }` and `each x in S { … }`"),
    ("loop", "loops are written `repeat { … } until C`"),
    ("elif", "write `else if` behind the `}`"),
    ("elsif", "write `else if` behind the `}`"),
    ("switch", "write `case x { a: 1 … }` where a value belongs, or `if … else if …`"),
    ("return", "functions are written `define f(x) = …`; rules give nothing back"),
    ("def", "functions are written `define f(x) = …`"),
    ("function", "functions are written `define f(x) = …`"),
    ("fn", "functions are written `define f(x) = …`"),
    ("var", "write `let x = …`; what changes during play is declared in `table { … }`"),
    ("const", "write `let x = …`"),
    ("int", "state is declared in `table { … }`: `x: int = 0`"),
    ("print", "what players see is written by `show`"),
    ("player", "write `each player { … }`"),
    ("players", "write `each player { … }`; how many play is said in `game`"),
    ("state", "write `table { … }` or `each player { … }`"),
    ("author", "write `by \"…\"`"),
    ("source", "write `from \"…\"`"),
    ("title", "the title stands behind the word: `game \"Title\" { … }`"),
];

/// Whether a word begins an item, or nearly does.
pub fn begins_item(word: &str) -> bool {
    known(ITEMS, word).is_some() || nearest(word, ITEMS.iter().map(|(word, _)| *word)).is_some()
}

/// The diagnostic for a failed parse of a part of the laid-out text with `rule`.
pub fn unreadable(error: &Error<Rule>, masked: &str, part: Span, rule: Rule) -> Diagnostic {
    let at = part.start
        + match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
    let first = token_at(masked, part.start, part.end);
    let first_word = &masked[first.start..first.end];
    if let Some(report) = wrong_beginning(masked, first, at, part.end, rule) {
        return report;
    }
    let token = token_at(masked, at, part.end);
    let word = &masked[token.start..token.end];
    let wanted = Wanted::of(error);
    if super::build::is_reserved(word) && wanted.name {
        return Diagnostic::new(
            Code::ReservedWord,
            token,
            format!("`{word}` is a word of the language, not a name"),
            "a name belongs here",
        )
        .help("choose another name");
    }
    let message = match word {
        "" => "this line ends too early".to_string(),
        _ if word.starts_with('"') => format!("`{word}` does not fit here"),
        // A character that cannot be seen is told by its number.
        _ => format!("`{}` does not fit here", word.escape_debug()),
    };
    let report = Diagnostic::new(Code::Unexpected, token, message, wanted.label());
    let before = masked[part.start..token.start].trim_end();
    if let Some(report) = sign_report(&report, word, before, rule) {
        return report;
    }
    if let Some((_, help)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
        return report.help(*help);
    }
    let last_word = &before[before.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1)..];
    let alone = wanted.nouns.first().filter(|_| wanted.nouns.len() == 1).map_or("", String::as_str);
    let mut report = report;
    match (last_word, alone, form(rule, first_word)) {
        _ if before.ends_with(" is in") || before.ends_with(" is not in") => report
            .help("write `k in S` or `k not in S`; `p is in` asks whether a player is still in the game"),
        _ if word == "(" && rule == Rule::one_statement && before.contains('.') => report
            .help("nothing is called behind a dot: write `L += x` to put something in, `size(L)` to ask"),
        _ if word == ","
            && matches!(rule, Rule::one_state) | (first_word == "option")
            && is_word(last_word) =>
        {
            report.help("symbols stand in braces: `{slow, fast}`")
        }
        ("list" | "set" | "bag", ..) if rule == Rule::one_state => {
            report.labels[0].text = "expected `of`".to_string();
            report.help(format!("say of what: `{last_word} of 1..9`"))
        }
        ("yes", ..) if rule == Rule::one_state || first_word == "option" => {
            report.labels[0].text = "expected `or`".to_string();
            report.help("the type is written `yes or no`")
        }
        (_, "`by`" | "`of`", _) if before.contains("grid") => {
            report.help("it is written `grid 3 by 3 of 1..9`")
        }
        _ if rule == Rule::one_state && before.ends_with(',') => report
            .help("each piece of state has a line of its own; the type of a pair is written `(1..3, 1..3)`"),
        (_, "`then`" | "`else`", _) if before.contains("if ") && first_word != "need" => {
            report.help("a choice of values is written `if C then a else b`")
        }
        _ if rule == Rule::one_statement
            && known(ITEMS, word).is_some()
            && known(STATEMENTS, word).is_none() =>
        {
            report.help(format!(
                "`{word}` begins a part of the file: it stands at the left edge, in no other part"
            ))
        }
        (_, _, Some(form)) if wanted.form || first_word == "show" => {
            report.help(format!("it is written `{form}`"))
        }
        (_, "the end of the line", _) | (_, "", _) if wanted.end => {
            report.help("each statement has a line of its own")
        }
        _ => report,
    }
}

/// What to say of a sign that is another language's, or this one's in the wrong place.
fn sign_report(report: &Diagnostic, sign: &str, before: &str, rule: Rule) -> Option<Diagnostic> {
    let report = |label: &str| {
        let mut report = report.clone();
        report.labels[0].text = label.to_string();
        report
    };
    let place = before.trim();
    Some(match sign {
        "=" if rule == Rule::one_statement && is_word(place) => {
            let mut report = report("").help(format!("write `:=` to give `{place}` a new value")).fix(":=");
            report.message = "`=` compares; it changes nothing".to_string();
            report
        }
        ":=" if rule == Rule::one_state => {
            report("expected `=`").help("a first value stands behind `=`").fix("=")
        }
        "++" | "--" => report("").help(format!("write `{place} {}= 1`", &sign[..1])),
        "-" if place.is_empty() => report("a line cannot begin so")
            .help("end the line before with the `-`: a line that ends so goes on"),
        _ => report("not a sign of the language").help(sign_help(sign)?),
    })
}

/// Says that a line begins with no word of the language, where that is what is wrong with it.
fn wrong_beginning(masked: &str, first: Span, at: usize, end: usize, rule: Rule) -> Option<Diagnostic> {
    let word = &masked[first.start..first.end];
    let next = token_at(masked, first.end, end);
    let next_word = &masked[next.start..next.end];
    let words = words_of(rule)?;
    // The mistake is the first word itself, or a word that stands where a name's sign should.
    let at_once = at <= first.start || (at <= next.start && !word.is_empty());
    let goes_on = next_word.starts_with(|c: char| c.is_alphanumeric() || "\"'{".contains(c));
    let names = matches!(rule, Rule::one_statement | Rule::one_example_line);
    if !is_word(word) || known(words, word).is_some() || !at_once || (names && !goes_on) {
        return None;
    }
    let report = |message: String| Diagnostic::new(Code::Unexpected, first, message, "");
    if let Some((_, help)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
        return Some(report(format!("`{word}` does not fit here")).help(*help));
    }
    let what = match rule {
        Rule::one_item => "part of a rule file",
        Rule::one_game_line => "line of `game`",
        Rule::one_example_line => "line of an example",
        _ => "statement",
    };
    let report = report(format!("no {what} begins with `{word}`"));
    Some(match nearest(word, words.iter().map(|(word, _)| *word)) {
        Some(near) => report.help(format!("did you mean `{near}`?")).fix(near),
        None if rule == Rule::one_item && masked[..first.start].ends_with(' ') => {
            report.help("a value goes on where its line ends with an operator, or the next begins with one")
        }
        None => report.help(match rule {
            Rule::one_item => {
                "a file is made of `game`, `option`, `table`, `each player`, `show`, `move`, `define`, `rule`, \
                 `play`, `score`, `winner` and `example`; a comment begins with `//`"
            }
            Rule::one_game_line => "it may hold `by`, `from`, `note` and `players`",
            Rule::one_example_line => {
                "a line tells a move, `1: put 4`, and what holds behind it: `shows`, `refused`, `scores`, \
                 `expect`, `over`, `winner`"
            }
            _ => "a line names a move, calls a rule, changes state, or begins with a word such as `if` or `each`",
        }),
    })
}

fn words_of(rule: Rule) -> Option<&'static [(&'static str, &'static str)]> {
    match rule {
        Rule::one_item => Some(ITEMS),
        Rule::one_statement => Some(STATEMENTS),
        Rule::one_game_line => Some(GAME_LINES),
        Rule::one_example_line => Some(EXAMPLE_LINES),
        _ => None,
    }
}

fn known(words: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == word).map(|(_, form)| *form)
}

/// How the part that begins with a word is written.
fn form(rule: Rule, first: &str) -> Option<&'static str> {
    match rule {
        Rule::one_state => Some("name: type = first value"),
        Rule::one_example_line if !is_word(first) => Some("1: put 4 shows \"…\""),
        _ => known(words_of(rule)?, first),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn sign_help(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "&" => "write `and`",
        "|" => "write `or`",
        "!" => "write `not`, or `!=`",
        "===" => "write `=`",
        "!==" => "write `!=`",
        "'" | "`" | "“" | "”" | "‘" | "’" | "„" | "«" | "»" => {
            "texts stand between double quotes: `\"…\"`"
        }
        ";" => "a line end ends a statement; no sign is needed",
        "->" | "=>" => "the arms of a `case` are written `small: 3`",
        "≤" | "=<" => "write `<=`",
        "≥" => "write `>=`",
        "≠" => "write `!=`",
        "×" | "·" | "⋅" | "∗" => "write `*`",
        "÷" => "write `div`",
        "−" | "–" | "—" => "write `-`",
        "…" => "write `..`",
        "∈" => "write `in`",
        "∉" => "write `not in`",
        "∧" => "write `and`",
        "∨" => "write `or`",
        "¬" => "write `not`",
        "²" => "write `^ 2`",
        "³" => "write `^ 3`",
        "√" => "write `root(x)`, the square root rounded down",
        "#" | "/*" | "*/" => "a comment begins with `//` and ends with its line",
        "?" => "write `if C then a else b`",
        _ => return None,
    })
}

/// The word or sign at a place; empty where the line ends first.
fn token_at(masked: &str, at: usize, end: usize) -> Span {
    const SIGNS: &[&str] = &[
        "++=", "===", "!==", ":=", "+=", "-=", "++", "--", "..", "!=", "<=", ">=", "==", "=<", "<>", "&&",
        "||", "->", "=>", "**", "/*", "*/",
    ];
    let at = at.min(end);
    let rest = masked[at..end].trim_start_matches(' ');
    let start = end - rest.len();
    if rest.is_empty() || rest.starts_with('\n') {
        let last = masked[..start].trim_end().len();
        return Span::new(last, last);
    }
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    let first = rest.chars().next().unwrap_or(' ');
    let length = if letters(first) {
        rest.find(|c| !letters(c)).unwrap_or(rest.len())
    } else if first == '"' {
        rest[1..].find('"').map_or(rest.len(), |at| at + 2)
    } else {
        SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
    };
    Span::new(start, start + length)
}

/// What could stand at the place of the mistake.
struct Wanted {
    nouns: Vec<String>,
    /// Whether a name could.
    name: bool,
    /// Whether signs and words could, so that the form of the whole line helps.
    form: bool,
    /// Whether the line could end.
    end: bool,
}

const END: &str = "the end of the line";
/// What may follow nearly anywhere and seldom does.
const RARE: &[&str] = &["`for`", "`try`", "`called`", "`,`", "`until`", "`secret`, `hidden` or `each`"];

impl Wanted {
    fn of(error: &Error<Rule>) -> Wanted {
        let positives = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
            ErrorVariant::CustomError { .. } => &[],
        };
        use Rule as R;
        let name = positives.iter().any(|rule| {
            matches!(
                rule,
                R::name | R::param | R::params | R::pattern | R::state | R::choice | R::choices | R::setting
            )
        });
        // Behind a value it may always go on; that is not worth a word where something is missing.
        let goes_on = positives.contains(&R::plus);
        let mut nouns: Vec<String> =
            positives.iter().filter(|r| !goes_on || !continues(**r)).filter_map(|r| noun(*r)).collect();
        // What may follow and hardly ever does is not worth a word either.
        let inside = nouns.iter().any(|noun| matches!(noun.as_str(), "`)`" | "`]`" | "`}`"));
        let rare = |noun: &String| RARE.contains(&noun.as_str()) && !(inside && noun == "`,`");
        if nouns.iter().any(|noun| !rare(noun)) {
            nouns.retain(|noun| !rare(noun));
        }
        if inside {
            nouns.retain(|noun| !matches!(noun.as_str(), "`:`" | "`where`" | "`while`"));
        }
        if nouns.iter().any(|noun| noun == "a check") {
            nouns = vec!["a value".to_string(), "a check such as `shows`".to_string()];
        }
        let end = nouns.iter().any(|noun| noun == END);
        let only_the_end = nouns.iter().all(|noun| noun == END);
        if goes_on && only_the_end {
            nouns.push("an operator".to_string());
        }
        nouns.sort_by_key(|noun| (noun.starts_with('`'), noun.clone()));
        nouns.dedup();
        let form =
            !inside && nouns.iter().any(|noun| noun != "a value" && noun != "an operator" && noun != END);
        // Where nearly everything may stand, a list would say nothing.
        if nouns.len() > 5 {
            nouns.retain(|noun| !noun.starts_with('`'));
        }
        if nouns.len() > 5 {
            nouns.clear();
        }
        Wanted { nouns, name, form, end }
    }

    fn label(&self) -> String {
        match self.nouns.as_slice() {
            [] => String::new(),
            [one] => format!("expected {one}"),
            [most @ .., last] => format!("expected {} or {last}", most.join(", ")),
        }
    }
}

/// Whether a rule only lets a value go on.
fn continues(rule: Rule) -> bool {
    use Rule as R;
    is_operator(rule)
        || matches!(
            rule,
            R::open_call
                | R::open_index
                | R::dot
                | R::index
                | R::field
                | R::kw_in
                | R::kw_or
                | R::kw_and
                | R::kw_is
                | R::kw_div
                | R::kw_mod
                | R::kw_divides
                | R::kw_with
        )
}

fn is_operator(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
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
            | R::slash
            | R::stars
            | R::percent
            | R::foreign
            | R::ampersands
            | R::bars
    )
}

/// What people call a rule of the grammar; `None` for what is not worth naming.
fn noun(rule: Rule) -> Option<String> {
    use Rule as R;
    let noun = match rule {
        R::name | R::pattern => "a name",
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
        | R::not
        | R::bang
        | R::signed
        | R::square
        | R::word_list
        | R::word_value
        | R::words
        | R::named_word => "a value",
        R::ty
        | R::plain_ty
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
        R::open_paren | R::open_call | R::params | R::names => "`(`",
        R::close_paren => "`)`",
        R::open_bracket | R::open_index => "`[`",
        R::close_bracket => "`]`",
        R::comma => "`,`",
        R::colon | R::body_part => "`:`",
        R::equals => "`=`",
        R::assign | R::add_to | R::take_from | R::join_to | R::assignment => "`:=`",
        R::nl | R::EOI => END,
        R::reason => "`else`",
        R::from_part => "`from`",
        R::as_part => "`as`",
        R::where_part => "`where`",
        R::while_part => "`while`",
        R::until_part => "`until`",
        R::at_least | R::kw_more => "`or more`",
        R::last_mover => "`last mover`",
        R::at_most => "`at most`",
        R::exactly => "`exactly`",
        R::tag => "`secret`, `hidden` or `each`",
        R::choice | R::choices => "a move",
        R::param => "a parameter such as `k in 1..9`",
        R::state => "a piece of state",
        R::seat => "a player",
        R::check | R::checks | R::shows | R::refused | R::scores | R::expect | R::over | R::winners => {
            "a check"
        }
        R::best => "`highest`, `lowest`",
        R::picture => "a row of the board, such as `| 1 2 3`",
        R::arm => "a case",
        R::arm_else | R::else_choice => "`else`",
        rule if is_operator(rule) => "an operator",
        // `kw_else` is `else`.
        rule => return format!("{rule:?}").strip_prefix("kw_").map(|word| format!("`{word}`")),
    };
    Some(noun.to_string())
}
