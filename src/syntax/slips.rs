//! Slips in the form of a line, whatever it says: a block without its braces, a name with a hyphen, a number with a comma.

use super::draws::{drawn_to_a_place, rolled};
use super::grammar::{Rule, reads};
use super::habits::{Mistake, innermost};
use super::kinds::is_symbol;
use super::phrases::{operand, operand_before};
use super::pieces::not_one_piece;
use super::report::statement_form;
use super::sentences::by_key_help;
use super::signs::written_twice;
use super::winners::symbol_wins;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Returns the report about a line that has slipped as a whole; it cannot be read at a place.
pub fn slip_of_line(masked: &str, part: Span, rule: Rule, at: usize) -> Option<Diagnostic> {
    written_twice(masked, part, rule, at)
        .or_else(|| missing_if(masked, part, rule))
        .or_else(|| not_one_piece(masked, part, rule))
        .or_else(|| drawn_to_a_place(masked, part, rule))
        .or_else(|| rolled(masked, part, rule))
        .or_else(|| symbol_wins(masked, part, rule))
}

/// Returns the report about a slip; `report` says what the grammar expected.
pub fn slip(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    unfinished_above(mistake)
        .or_else(|| without_braces(mistake))
        .or_else(|| ended_twice(mistake, report))
        .or_else(|| hyphened(mistake, report))
        .or_else(|| thousands(mistake))
        .or_else(|| with_players(mistake, report))
        .or_else(|| several_squares(mistake, report))
        .or_else(|| pair_in_words(mistake, report))
        .or_else(|| best_of(mistake, report))
        .or_else(|| case_of(mistake, report))
        .or_else(|| range_behind_name(mistake, report))
        .or_else(|| comment_in_brackets(mistake, report))
        .or_else(|| end_with_more(mistake, report))
        .or_else(|| changes_in_condition(mistake, report))
        .or_else(|| is_left_out(mistake, report))
        .or_else(|| is_too_many(mistake))
        .or_else(|| minus_for_range(mistake))
        .or_else(|| without_parentheses(mistake, report))
        .or_else(|| second_colon(mistake, report))
}

/// `if a.number := 3 {`: the sign that changes something, in a condition.
fn changes_in_condition(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let line = mistake.before.rsplit(['\n', '{', '}']).next()?.trim_start();
    let asks = ["if ", "need ", "until ", "else if ", "when ", "win ", "end when "];
    let condition = asks.iter().any(|word| line.starts_with(word) || line.contains(&format!(" {word}")));
    (condition && mistake.word() == ":=" && mistake.reads_further(mistake.token, "="))
        .then(|| mistake.says(report, "", "`:=` changes something; a condition compares with `=`").fix("="))
}

/// `if open empty {`, `need k prime else …`: a property without `is`.
fn is_left_out(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    const PROPERTIES: &[&str] =
        &["empty", "even", "odd", "prime", "full", "distinct", "palindrome", "increasing", "decreasing"];
    let value = operand_before(mistake.before).filter(|_| PROPERTIES.contains(&mistake.word()))?;
    let place = Span::new(mistake.token.start, mistake.token.start);
    let said = mistake.onwards().split([' ', ')', ',', '{']).next()?;
    let touches = mistake.span_of(value).end == mistake.part.start + mistake.before.len();
    // Words between `is` and a property are no values.
    let is_word =
        ["a", "an", "both", "neither", "either", "strictly", "is", "not", "and", "or"].contains(&value);
    let base = value.split(['.', '[', '(']).next()?;
    let touches = touches && !is_word && mistake.is_elsewhere(base);
    (touches && value.starts_with(char::is_alphabetic) && mistake.reads_further(place, "is ")).then(|| {
        let help = format!("a property is asked for by `is`: `{value} is {said}`");
        mistake.says(report, "expected `is`", help).fix_of(place, "is ")
    })
}

/// `need is odd(k) else …`: a word too many in front of a condition.
fn is_too_many(mistake: &Mistake) -> Option<Diagnostic> {
    let line = mistake.before.trim_end();
    let asks = ["need", "if", "until", "when", "and", "or", "where", "not"];
    let begins = asks.iter().any(|word| line.ends_with(word));
    let called = operand(mistake.rest().trim_start()).filter(|value| value.ends_with(')'))?;
    let place = Span::new(mistake.token.start, mistake.span_of(called).start);
    (begins && mistake.word() == "is" && mistake.reads_further(place, "")).then(|| {
        let help = format!("`{called}` is a condition by itself: leave out `is`");
        mistake.about(mistake.word(), help).fix_of(place, "")
    })
}

/// `rank: 1-5`: a minus sign in a range.
fn minus_for_range(mistake: &Mistake) -> Option<Diagnostic> {
    let declares = matches!(mistake.first, "kind" | "option") || mistake.is_in_type();
    let (low, high) = mistake.before.rsplit([' ', '(']).next()?.split_once('-')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let said = &mistake.before[mistake.before.len() - low.len() - high.len() - 1..];
    let written = format!("{low}..{high}");
    (declares && number(low) && number(high) && mistake.reads_further(mistake.span_of(said), &written)).then(
        || {
            let place = mistake.span_of(said);
            let report = mistake.about(said, format!("a range is written `{written}`"));
            report.fix_of(place, written)
        },
    )
}

/// `strength t.card`: a function of the file without its parentheses.
fn without_parentheses(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (name, place) = mistake.last;
    let head = format!("define {name}(");
    let defined = mistake.masked.lines().any(|line| line.starts_with(&head));
    let value = operand(mistake.onwards()).filter(|_| defined && mistake.is_name())?;
    // A bracket that was opened in front of the function may close behind the value.
    let written = format!("{name}({value})");
    let behind = mistake.span_of(value).end;
    let closes = mistake.masked[behind..].starts_with(')');
    let whole = Span::new(place.start, behind);
    let spare = Span::new(place.start, if closes { behind + 1 } else { behind });
    let place = [whole, spare].into_iter().find(|place| mistake.reads_further(*place, &written))?;
    let help = format!("the values of a function stand in parentheses: `{written}`");
    Some(mistake.says(report, "expected `(`", help).fix_of(place, written))
}

/// `reach(x in S: n in steps: x + n)`: what is made of each element goes through others, without brackets.
fn second_colon(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let open = innermost(mistake.before).filter(|_| mistake.word() == ":")?;
    let (source, made) = mistake.before[open + 1..].split_once(':')?;
    let rest = &mistake.rest()[..super::report::end_of_part(mistake.rest(), |_, c| c == ',')?];
    let made = made.trim();
    let all = format!("[{made}:{rest}]");
    let place = Span::new(mistake.span_of(made).start, mistake.span_of(rest).end);
    let plain = source.contains(" in ") && made.contains(" in ") && !all.contains('"');
    (plain && mistake.reads_further(place, &all)).then(|| {
        let help = format!("several values made of one stand in brackets: `{all}`");
        mistake.says(report, "", help).fix_of(place, all)
    })
}

/// `if bid > 3 raise`, `if (k > 2) heap -= 1`, `else heap -= 2`.
fn without_braces(mistake: &Mistake) -> Option<Diagnostic> {
    let line = mistake.masked[mistake.part.start..mistake.part.end].lines().next()?;
    if mistake.rule != Rule::one_statement || line.contains(['{', '"']) {
        return None;
    }
    let (head, done) = match mistake.first {
        "if" => {
            let condition = mistake.before.trim_start().strip_prefix("if ")?.trim_end();
            let condition = condition.strip_suffix(" then").unwrap_or(condition).trim();
            if !reads(Rule::one_expr, condition) {
                return None;
            }
            let bare = condition.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
            let bare = bare.filter(|inside| innermost(inside).is_none()).unwrap_or(condition);
            (format!("if {bare}"), mistake.onwards().trim())
        }
        "else" => ("else".to_string(), line.trim().strip_prefix("else")?.trim()),
        _ => return None,
    };
    let done = done.trim_start_matches(':').trim();
    // What is done otherwise may follow: `if me.passed skip else raise`.
    let both = done.split_once(" else ").map(|(done, otherwise)| (done.trim(), otherwise.trim()));
    let both = both.filter(|_| mistake.first == "if").filter(|(done, otherwise)| {
        reads(Rule::one_statement, done) && reads(Rule::one_statement, otherwise)
    });
    let done = match both {
        Some((done, otherwise)) => format!("{done} }} else {{ {otherwise}"),
        None if reads(Rule::one_statement, done) => done.to_string(),
        None => return None,
    };
    let help = match mistake.first {
        "else" => format!(
            "what is done otherwise stands in braces, on the line where the other block ends: `}} else {{ {done} }}`"
        ),
        _ => format!("what is done then stands in braces: `{head} {{ {done} }}`"),
    };
    let place = match mistake.first {
        "if" => mistake.token,
        _ => mistake.span_of(line.trim()),
    };
    let message = "this block has no braces";
    let report = Diagnostic::new(Code::Unexpected, place, message, "expected `{`").help(help);
    let (whole, written) = (mistake.span_of(line.trim()), format!("{head} {{ {done} }}"));
    let fix = Fix { sure: false, ..Fix::new(whole, written) };
    Some(match mistake.first {
        "if" => Diagnostic { fix: Some(fix), ..report },
        _ => report,
    })
}

/// `if C { … } end`.
fn ended_twice(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    const ENDS: &[&str] = &["end", "endif", "done", "fi"];
    let ended = mistake.before.trim_end().ends_with('}') && ENDS.contains(&mistake.word());
    (ended && mistake.rest().trim().is_empty()).then(|| {
        let help = format!("the `}}` has ended the block: leave out `{}`", mistake.word());
        mistake.says(report, "", help).fix("")
    })
}

/// `counters-left: 0..21`, `move take-some(k in 1..3)`, `counters-left -= k`.
fn hyphened(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (first, _) = mistake.last;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let touches = mistake.word() == "-" && mistake.touches(first) && first.starts_with(char::is_alphabetic);
    let behind = mistake.rest();
    let rest = &behind[..behind.find(|c| !word(c) && c != '-').unwrap_or(behind.len())];
    if !touches || !rest.starts_with(char::is_alphabetic) || rest.ends_with('-') {
        return None;
    }
    let line = mistake.before.rsplit(['\n', '{']).next().unwrap_or(mistake.before).trim_start();
    let declares = matches!(line, _ if line == first)
        || [
            "move ",
            "secret move ",
            "option ",
            "let ",
            "kind ",
            "define ",
            "rule ",
            "given ",
            "phase ",
            "chance ",
        ]
        .iter()
        .any(|head| line.strip_prefix(head) == Some(first));
    declares.then(|| {
        let whole = &mistake.masked[mistake.span_of(first).start..mistake.span_of(rest).end];
        let written = whole.replace('-', "_");
        let report = mistake.says(report, "", format!("a name has no hyphens: `{written}`"));
        Diagnostic { fix: Some(Fix { sure: false, ..Fix::new(mistake.span_of(whole), written) }), ..report }
    })
}

/// `score = 1,000`.
fn thousands(mistake: &Mistake) -> Option<Diagnostic> {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (first, _) = mistake.last;
    let three = mistake.rest().get(..3).filter(|three| digits(three))?;
    let ends = !mistake.rest()[3..].starts_with(|c: char| c.is_alphanumeric());
    (mistake.word() == "," && digits(first) && first.len() < 4 && mistake.touches(first) && ends).then(|| {
        let whole = &mistake.masked[mistake.span_of(first).start..mistake.span_of(three).end];
        let written = format!("{first}{three}");
        mistake.about(whole, format!("a number has no comma: `{written}`, or `{first}_{three}`")).fix(written)
    })
}

/// `example "three play" with 3 players {`.
fn with_players(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let n = mistake.word();
    let rest = mistake.rest().trim_start();
    let word = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    let counted = n.chars().all(|c| c.is_ascii_digit()) && matches!(word, "player" | "players");
    (mistake.first == "example" && counted).then(|| {
        let whole = Span::new(mistake.token.start, mistake.span_of(word).end);
        let written = format!("players = {n}");
        mistake
            .says(report, "", format!("settings are written with `=`: `with {written}`"))
            .fix_of(whole, written)
    })
}

/// `owner[a, b, c] := me`.
fn several_squares(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let open = innermost(mistake.before).filter(|open| mistake.before[*open..].starts_with('['))?;
    let board = operand_before(&mistake.before[..open]).filter(|_| mistake.rule == Rule::one_statement)?;
    let line = &mistake.masked[mistake.part.start + open + 1..mistake.part.end];
    let (inside, behind) = line.split_once(']')?;
    let places: Vec<&str> = inside.split(',').map(str::trim).collect();
    let plain = places.iter().all(|place| operand(place) == Some(place) && !place.is_empty());
    let behind = behind.lines().next().unwrap_or("").trim();
    let sign = [":=", "+=", "-=", "++="].into_iter().find(|sign| behind.starts_with(sign));
    (mistake.word() == "," && places.len() > 2 && plain).then_some(())?;
    let sign = sign?;
    let value = behind[sign.len()..].trim();
    let help =
        format!("for each of them: `each s in [{}] {{ {board}[s] {sign} {value} }}`", places.join(", "));
    Some(mistake.says(report, "", help))
}

/// `[red 3, black 1]`: pairs that begin with a symbol, as they are shown.
fn pair_in_words(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (symbol, place) = mistake.last;
    let open =
        innermost(mistake.before).map(|open| open + 1).or(mistake.before.rfind('{').map(|at| at + 1))?;
    let begins = mistake.before[open..].rsplit(',').next().is_some_and(|text| text.trim() == symbol);
    let part =
        operand(mistake.onwards()).filter(|part| part.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
    let number = part.chars().all(|c| c.is_ascii_digit());
    let symbols = |name: &str| is_symbol(mistake.masked, name);
    (begins && symbols(symbol) && (number || symbols(part))).then(|| {
        let written = format!("({symbol}, {part})");
        let whole = Span::new(place.start, mistake.token.start + part.len());
        let report = mistake.says(report, "", format!("a pair is written `{written}`"));
        Diagnostic { fix: Some(Fix { sure: false, ..Fix::new(whole, written) }), ..report }
    })
}

/// `first(p in players with lowest p.time)`.
fn best_of(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    // `let leader = p in players with most coins`
    let open = innermost(mistake.before).or_else(|| mistake.before.rfind('='))?;
    let (_, list) = mistake.before[open + 1..].split_once(" in ")?;
    let list = operand(list.trim_start())?;
    let said = match mistake.word() {
        "with" => mistake.rest().trim_start(),
        _ if mistake.last.0 == "with" => mistake.onwards(),
        _ => return None,
    };
    let said = said.trim_start_matches("the ");
    let (word, key) = said.split_once(' ')?;
    let head = match word {
        "lowest" | "smallest" | "least" | "fewest" => "smallest",
        "highest" | "largest" | "most" => "largest",
        _ => return None,
    };
    let key = operand(key.trim_start())?;
    let key = key.rsplit_once('.').map_or(key, |(_, key)| key);
    Some(mistake.says(report, "", by_key_help(head, list, key)?))
}

/// `case current of {`.
fn case_of(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (_, chosen) = mistake.before.rsplit_once("case ")?;
    let opens = mistake.word() == "of" && mistake.rest().trim_start().starts_with('{');
    (opens && operand(chosen.trim()) == Some(chosen.trim())).then(|| {
        let help = format!("leave out `of`: `case {} {{`, and below it a line for each value", chosen.trim());
        mistake.says(report, "", help)
    })
}

/// `option size 3..5 = 3`.
fn range_behind_name(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (name, place) = mistake.last;
    let declares = mistake.first == "option" && mistake.before.trim() == format!("option {name}");
    let range = operand(mistake.onwards()).filter(|range| declares && range.contains(".."))?;
    let report = mistake.says(report, "expected `:`", format!("write `option {name}: {range}`"));
    Some(report.fix_of(Span::new(place.end, place.end), ":"))
}

/// `pot :=` or `pot := pot +` with a statement on the next line, which has become a part of it.
fn unfinished_above(mistake: &Mistake) -> Option<Diagnostic> {
    const WORDS: &[&str] = &["not", "in", "div", "mod", "divides", "where", "then", "else"];
    let text = &mistake.masked[mistake.part.start..mistake.part.end];
    // `pot: int =` above another piece of state
    if mistake.rule == Rule::one_state {
        let declares = mistake.word() == ":" && mistake.before.ends_with(mistake.last.0);
        let above = mistake.before.strip_suffix(mistake.last.0).filter(|_| declares)?;
        let ends = above.trim_end();
        let place = Span::new(mistake.part.start + ends.len(), mistake.part.start + ends.len());
        let report =
            Diagnostic::new(Code::Unexpected, place, "this line ends too early", "a value is missing");
        return (ends.ends_with('=') && above.ends_with("   "))
            .then(|| report.help(format!("a first value follows the sign: `{} …`", ends.trim_start())));
    }
    if mistake.rule != Rule::one_statement {
        return None;
    }
    // A line end that ends no statement has become a blank, in front of those that indent the next line.
    text.match_indices("   ").find_map(|(at, _)| {
        let (above, below) = (text[..at].trim_end(), text[at..].trim_start());
        let last = above.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let open = above.ends_with(['=', '+', '-', '*', '<', '>']) || above.ends_with("..") || WORDS.contains(&last);
        let within = mistake.span_of(below).start <= mistake.token.start;
        let end = mistake.part.start + above.len();
        let statement = statement_form(first_word(below)).is_some() || changes_state(below);
        (open && within && statement && reads(Rule::one_statement, below)).then(|| {
            let line = above.trim_start();
            let place = Span::new(end, end);
            let report = Diagnostic::new(Code::Unexpected, place, "this line ends too early", "a value is missing");
            report.help(format!("`{line}` goes on in the next line, which is a statement of its own: write the value that belongs behind it"))
        })
    })
}

/// Whether a text begins with a place and a sign that gives it a value.
fn changes_state(text: &str) -> bool {
    let place = operand(text).unwrap_or("");
    let sign = text[place.len()..].trim_start();
    !place.is_empty() && [":=", "+=", "-=", "++="].iter().any(|it| sign.starts_with(it))
}

/// Returns the word that a text begins with.
fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// `option n: 6..20 = 10 (length of the row)`: a comment in brackets behind what is complete.
fn comment_in_brackets(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let said = mistake.onwards().trim_end();
    let text = said.strip_prefix('(')?.strip_suffix(')')?.trim();
    let words = text.split_whitespace().count() > 1 && !text.contains(['(', ')', '"', '{', '}']);
    let apart = !mistake.touches(mistake.before);
    let complete = apart && reads(mistake.rule, mistake.before.trim());
    (words && complete && !reads(Rule::one_expr, text)).then(|| {
        let written = format!("// {text}");
        let report = mistake.says(report, "", format!("a comment begins with two strokes: `{written}`"));
        report.fix_of(mistake.span_of(said), written)
    })
}

/// `end loyal`, `end, me wins`: the end of the match, with something behind it.
fn end_with_more(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let ends = mistake.before.trim() == "end" && mistake.rule == Rule::one_statement;
    let goes_on = mistake.is_name() && mistake.word() != "when" || mistake.word() == ",";
    let ended = ["the", "game", "match", "play", "turn", "round", "loop"].contains(&mistake.word());
    (ends && goes_on && !ended).then(|| {
        let help = "`end` stands alone: it ends the match; to say who wins then, write `win p` instead, with that player for p";
        mistake.says(report, "", help)
    })
}

/// What is said where something is declared or named without its name.
pub const NAMELESS: &str = "a name is missing in front of this";

/// `: int = 0` among state, `chance in 1..6`, `move bid(in 1..9)`.
pub fn nameless(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let before = mistake.before.trim_end();
    let help = match mistake.word() {
        ":" if mistake.rule == Rule::one_state => {
            // The line above has gone on in this one.
            let begins = before.is_empty() || mistake.token.start > mistake.part.start + before.len() + 2;
            begins.then_some("each piece of state begins with its name: `coins: int = 0`")?
        }
        "in" if ["chance", "each", "cycle"].contains(&before.trim_start()) => {
            "name what it is: `die in 1..6`"
        }
        "in" if matches!(mistake.first, "move" | "secret") && before.ends_with(['(', ',']) => {
            "name what is chosen: `k in 1..6`"
        }
        "in" if before.ends_with(['(', '[']) => "name what is gone through: `x in S`",
        _ => return None,
    };
    let place = mistake.token;
    let report = Diagnostic::new(report.code, place, NAMELESS, "");
    Some(report.help(help))
}

/// `p.guess = total { out p }`: a condition and a block, without the word that joins them.
fn missing_if(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    const SIGNS: &[&str] = &[" = ", " != ", " < ", " > ", " <= ", " >= ", " is ", " in "];
    let line = masked[part.start..part.end].lines().next()?;
    let condition = line.split_once(" {").filter(|_| rule == Rule::one_statement)?.0.trim();
    let compares = SIGNS.iter().any(|sign| condition.contains(sign));
    let named = condition.starts_with(|c: char| c.is_alphabetic() || c == '(')
        && statement_form(first_word(condition)).is_none();
    (compares && named && reads(Rule::one_expr, condition)).then(|| {
        let start = condition.as_ptr() as usize - masked.as_ptr() as usize;
        let place = Span::new(start, start + condition.len());
        let report =
            Diagnostic::new(Code::Unexpected, place, "this condition has no `if` in front of it", "");
        let place = Span::new(start, start);
        report.help(format!("write `if {condition} {{ … }}`")).fix_of(place, "if ")
    })
}
