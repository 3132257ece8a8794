//! Builds the tree from the grammar's output, and parses unreadable spans again to diagnose them.

mod example;
mod expr;
mod item;
mod stmt;

use std::collections::{BTreeSet, HashMap, HashSet};

use pest::Parser;
use pest::iterators::Pair;

use crate::ast::*;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::{MAX_BYTES, Source, Span};
use crate::syntax::foreign::NOT_A_SIGN;
use crate::syntax::grammar::{Grammar, Rule, error_at};
use crate::syntax::layout::{Comment, Layout, layout};
use crate::syntax::mend::{Mend, names};
use crate::syntax::phrases::{operand, operand_before};
use crate::syntax::prose::SENTENCE;
use crate::syntax::report::{CAPITAL, begins_item, unreadable};
use crate::syntax::slips::NAMELESS;
use crate::syntax::variant::lay_over;

/// Parses a rule file: returns a tree of what could be read, and diagnostics for the rest.
///
/// A variant is merged over the games it is based on, which follow it in the source.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut below: Option<File> = None;
    for (_, place) in source.files().rev() {
        // Parse the file alone, padded with blanks, so that its spans are valid in the whole source.
        let blank = " ".repeat(place.start);
        let alone = Source::new(&source.name, &format!("{blank}{}", source.slice(place)));
        let (file, found) = parse_file(&alone, place);
        diagnostics.extend(found);
        below = Some(match below {
            Some(base) => lay_over(base, file, &mut diagnostics),
            None => file,
        });
    }
    (below.unwrap_or_default(), diagnostics)
}

/// Returns the base that a variant names, with its place.
pub fn base_of(source: &Source) -> Option<Name> {
    let (_, place) = source.files().next_back()?;
    let (file, _) =
        parse_file(&Source::new(&source.name, source.slice(place)), Span::new(0, place.end - place.start));
    file.items.into_iter().find_map(|item| match item.kind {
        ItemKind::Game(header) => header.of,
        _ => None,
    })
}

fn parse_file(source: &Source, place: Span) -> (File, Vec<Diagnostic>) {
    if place.end - place.start > MAX_BYTES {
        return (File::default(), vec![too_large(place)]);
    }
    let mut laid = layout(source);
    // What is surely meant is patched into the masked text and the file parsed again, so that it causes no
    // further errors.
    let mut reports = Vec::new();
    let mut misnamed = BTreeSet::new();
    let mut left_out: HashSet<String> = HashSet::new();
    let mut corrected: Vec<Span> = Vec::new();
    for round in 0..=MENDING_ROUNDS {
        let mut builder = Builder::new(&source.text, laid.clone());
        builder.mending = round < MENDING_ROUNDS;
        builder.misnamed = std::mem::take(&mut misnamed);
        builder.unread.clone_from(&left_out);
        if builder.masked.is_empty() {
            return (File::default(), builder.diagnostics);
        }
        let masked = builder.masked.clone();
        let file = match Grammar::parse(Rule::file, &masked) {
            Ok(mut pairs) => {
                let file = builder.file(pairs.next().expect("a parse has a root"));
                let text = (!corrected.is_empty()).then(|| (masked.clone(), corrected.clone()));
                File { corrected: text, ..file }
            }
            Err(error) => {
                builder.diagnostics.push(unreadable(&error, &masked, place, Rule::one_expr));
                File::default()
            }
        };
        if builder.mended.is_empty() {
            builder.diagnostics.extend(reports);
            return (file, one_a_word(builder.diagnostics));
        }
        misnamed = builder.misnamed;
        for (report, mend) in builder.mended {
            if report.code == Code::ReservedWord {
                misnamed.insert(source.slice(report.span()).to_string());
            }
            if report.message == NAMELESS {
                left_out.insert(String::new());
            }
            if let Some(place) = mend.leaves_out() {
                left_out.extend(words(source.slice(place)).map(str::to_string));
            }
            // A name keeps its own text.
            corrected.extend((report.code != Code::ReservedWord).then(|| mend.place()));
            mend.apply(&mut laid.masked, 0);
            reports.push(report);
        }
    }
    (File::default(), reports)
}

/// Maximum number of times a file is parsed again with corrections.
const MENDING_ROUNDS: usize = 16;

/// Merges the diagnostics about each reserved word used as a name into one that renames it everywhere, and those about
/// sentences to which the same is said into one; also those about each sign that the language does not have, and those
/// about words in capital letters.
fn one_a_word(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(Diagnostic::span);
    let diagnostics = one_of_capitals(one_a_sign(diagnostics));
    let mut first: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut out: Vec<Diagnostic> = Vec::new();
    for report in diagnostics {
        let gathers = report.code == Code::ReservedWord || report.message == SENTENCE;
        let help = report.help.clone().filter(|_| report.message == SENTENCE);
        let what = (report.message.clone(), help);
        let known = gathers.then(|| first.get(&what)).flatten();
        match known {
            Some(at) => out[*at] = out[*at].clone().also(report.span(), "and here"),
            None => {
                first.insert(what, out.len());
                out.push(report);
            }
        }
    }
    let renamed = |report: Diagnostic| {
        // The word is between the first backquotes.
        let word = report.message.split('`').nth(1).filter(|_| report.code == Code::ReservedWord);
        match word.map(|word| format!("{word}_")) {
            Some(name) => report.rename(name),
            None => report,
        }
    };
    out.into_iter().map(renamed).collect()
}

/// Merges the diagnostics about words of the language that are written in capital letters into one that corrects all.
fn one_of_capitals(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (capitals, others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|report| report.message.ends_with(CAPITAL));
    let mut reports = capitals.into_iter();
    let Some(mut all) = reports.next() else { return others };
    match reports.len() {
        0 => {}
        1 => all.message.push_str(" (and so has another word)"),
        words => all.message.push_str(&format!(" (and so have {words} other words)")),
    }
    for report in reports {
        if let (Some(fix), Some(more)) = (&mut all.fix, report.fix) {
            fix.also.push((more.span, more.replacement));
        }
    }
    let mut out = others;
    out.push(all);
    out.sort_by_key(Diagnostic::span);
    out
}

/// Merges the diagnostics about each sign that the language does not have into one that corrects it everywhere.
fn one_a_sign(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<(Diagnostic, usize)> = Vec::new();
    for report in diagnostics {
        let same = |known: &Diagnostic| {
            known.labels[0].text == NOT_A_SIGN
                && (&known.message, &known.help) == (&report.message, &report.help)
                && known.fix.is_some() == report.fix.is_some()
        };
        let signs = match out.iter_mut().find(|(known, _)| report.labels[0].text == NOT_A_SIGN && same(known))
        {
            Some(signs) => signs,
            None => {
                out.push((report, 1));
                continue;
            }
        };
        signs.1 += 1;
        if let (Some(fix), Some(more)) = (&mut signs.0.fix, report.fix) {
            let (first, rest) = (sign_by_sign(fix), sign_by_sign(&more));
            *fix =
                Fix { also: [first.also, vec![(rest.span, rest.replacement)], rest.also].concat(), ..first };
        }
    }
    let told = |(report, signs): (Diagnostic, usize)| match signs {
        1 => report,
        signs => {
            let places = if signs == 2 { "place" } else { "places" };
            let message = format!("{} (nor in {} more {places})", report.message, signs - 1);
            Diagnostic { message, ..report }
        }
    };
    out.into_iter().map(told).collect()
}

/// Returns the correction of a quoted text as one of its two quotation marks; any other correction as it is.
fn sign_by_sign(fix: &Fix) -> Fix {
    let Some(inside) = fix.replacement.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return fix.clone();
    };
    let length = (fix.span.end - fix.span.start).saturating_sub(inside.len()) / 2;
    let (open, close) = (fix.span.start, fix.span.end - length);
    let also = [vec![(Span::new(close, fix.span.end), "\"".to_string())], fix.also.clone()].concat();
    Fix { also, ..Fix::new(Span::new(open, open + length), "\"") }
}

/// Parses a move as people type it: `flip 4`, `flip at=4`, `list 3 -1 4`. The error is the byte offset of the
/// mistake.
pub fn parse_move(text: &str) -> Result<(Name, Vec<Word>), usize> {
    let source = Source::new("move", text.trim_end());
    let mut builder = Builder::new(&source.text, layout(&source));
    let line = text.trim_end();
    match Grammar::parse(Rule::typed_move, line) {
        Ok(mut pairs) => {
            let mut parts = pairs.next().expect("a parse has a root").into_inner();
            let name = builder.name(parts.next().expect("a name"));
            Ok((name, builder.words(parts.next().expect("words"))))
        }
        Err(error) => Err(error_at(&error)),
    }
}

/// Whether a word can never be a name.
pub fn is_reserved(word: &str) -> bool {
    Grammar::parse(Rule::reserved, word).is_ok() && Grammar::parse(Rule::name, word).is_err()
}

/// Returns the names that a declaration may have whose name has run into its first parameter: `move taken in 1..3) {`.
fn run_together(text: &str) -> Vec<String> {
    let head = text.split(['{', '\n']).next().unwrap_or("");
    let declared =
        ["move ", "secret move ", "rule ", "define "].iter().find_map(|word| head.strip_prefix(word));
    match declared.filter(|_| head.contains(')') && !head.contains('(')).and_then(|head| words(head).next()) {
        Some(name) => {
            name.char_indices().map(|(at, _)| name[..at].to_string()).filter(|it| !it.is_empty()).collect()
        }
        None => Vec::new(),
    }
}

fn too_large(place: Span) -> Diagnostic {
    let message = format!("this file has {} bytes", place.end - place.start);
    Diagnostic::new(
        Code::FileTooLarge,
        Span::new(place.start, place.start + 1),
        message,
        "the file begins here",
    )
    .help(format!("a rule file has at most {MAX_BYTES} bytes"))
}

struct Builder {
    masked: String,
    text: std::sync::Arc<str>,
    comments: Vec<Comment>,
    diagnostics: Vec<Diagnostic>,
    /// Spans of expressions in parentheses: `(a < b) = c` is not a chain.
    grouped: HashSet<Span>,
    /// Spans of `/` outside `floor( )` so far.
    slashes: Vec<Span>,
    /// Spans that layout has reported.
    reported: Vec<Span>,
    /// Whether mistakes may still be corrected and the file parsed again.
    mending: bool,
    /// Corrections for the next parse, with their diagnostics.
    mended: Vec<(Diagnostic, Mend)>,
    /// Words of the language that are used as names.
    misnamed: BTreeSet<String>,
    /// The words of everything that could not be read.
    unread: HashSet<String>,
}

/// Returns the span of a pair, without trailing blanks that the grammar consumed while looking further.
fn span(pair: &Pair<Rule>) -> Span {
    let start = pair.as_span().start();
    Span::new(start, start + pair.as_str().trim_end().len())
}

fn only(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().next().expect("the grammar gives this rule a part")
}

impl Builder {
    pub(super) fn new(text: &std::sync::Arc<str>, layout: Layout) -> Builder {
        let comments = layout.comments;
        Builder {
            masked: layout.masked,
            text: text.clone(),
            diagnostics: layout
                .diagnostics
                .into_iter()
                .map(|d| closed_in_comment(d, text, &comments))
                .collect(),
            comments,
            reported: layout.reported,
            grouped: HashSet::new(),
            slashes: Vec::new(),
            mending: false,
            mended: Vec::new(),
            misnamed: BTreeSet::new(),
            unread: HashSet::new(),
        }
    }

    // ---- recovery and comments

    /// Parses an unreadable span again with the rule it should match, to find the mistake.
    pub(super) fn reparse_unreadable(&mut self, place: Span, rule: Rule) {
        let masked = std::mem::take(&mut self.masked);
        let text = masked[place.start..place.end].trim_end();
        let part = Span::new(place.start, place.start + text.len());
        // Layout has already reported some of these.
        let known = self.reported.iter().any(|at| place.start <= at.start && at.start < place.end);
        if self.mending && !self.misnamed.is_empty() && !known {
            let named = names(&self.misnamed, &masked, part, rule);
            if !named.is_empty() {
                self.mended.extend(named);
                self.masked = masked;
                return;
            }
        }
        let report = match Grammar::parse(rule, text) {
            _ if text.is_empty() || known => None,
            Err(error) => Some(self.divided(unreadable(&error, &masked, part, rule), &masked)),
            // It is valid in itself, so the mistake is on the line above.
            Ok(_) if !self.diagnostics.is_empty() || !self.mended.is_empty() => None,
            Ok(_) => Some(
                Diagnostic::new(Code::Unexpected, part, "this cannot be understood here", "")
                    .help("check the line above it"),
            ),
        };
        let mend = report.as_ref().filter(|_| self.mending).and_then(|report| Mend::of(report, &masked));
        let mend = mend.filter(|mend| mend.parses_further(&masked, part, rule)).or_else(|| {
            let bare = Mend::without_parameters(report.as_ref().filter(|_| self.mending)?, &masked, part)?;
            bare.parses_further(&masked, part, rule).then_some(bare)
        });
        match (report, mend) {
            (Some(report), Some(mend)) => self.mended.push((report, mend)),
            (report, _) => {
                self.unread.extend(words(text).map(str::to_string));
                self.unread.extend(run_together(text));
                if report.as_ref().is_some_and(|report| report.message == NAMELESS) {
                    self.unread.insert(String::new());
                }
                // A draw without a name may have been meant to have any.
                if text.starts_with("chance ") && !text.contains(" in ") {
                    self.unread.insert(String::new());
                }
                // The name that the help gives to a draw may be the one that the file uses.
                let help = report.as_ref().and_then(|report| report.help.as_deref()).unwrap_or("");
                let drawn = help.split("chance ").skip(1).filter_map(|rest| words(rest).next());
                self.unread.extend(drawn.map(str::to_string));
                self.diagnostics.extend(report);
            }
        }
        self.masked = masked;
    }

    /// Changes the help of a report about a line that ends too early where a comment reads like a division.
    fn divided(&self, report: Diagnostic, masked: &str) -> Diagnostic {
        let at = report.span();
        let follows = |comment: &&Comment| {
            let between = masked.get(at.end..comment.span.start);
            comment.trailing
                && between.is_some_and(|between| between.trim().is_empty() && !between.contains('\n'))
        };
        // What follows the value in the comment shows whether it is one of an expression, or a word of a remark.
        let divisor = |comment: &Comment| {
            let by = operand(&comment.text)?.to_string();
            let rest = comment.text[by.len()..].trim_start();
            let goes_on = ["else ", "then ", "and ", "or "].iter().any(|word| rest.starts_with(word));
            (rest.is_empty() || goes_on || rest.starts_with(|c: char| "+-*/<>=!{".contains(c))).then_some(by)
        };
        // Where it is known what the line lacks, the comment is none of it.
        let lacks = report.fix.is_some();
        let comment = self.comments.iter().find(follows).filter(|_| at.start == at.end && !lacks);
        let value = operand_before(&masked[..at.start]).filter(|value| !is_reserved(value));
        match (value, comment.and_then(divisor)) {
            (Some(value), Some(by)) => report.help(format!(
                "`//` begins a comment: the quotient rounded down is written `{value} div {by}`"
            )),
            _ => report,
        }
    }

    /// Splits unreadable text between items at each line that begins with a word close to that of an item,
    /// and reports each part.
    pub(super) fn junk_item(&mut self, place: Span) {
        let mut cuts = vec![place.start];
        let mut from = place.start;
        while let Some(at) = self.masked[from..place.end].find('\n') {
            from += at + 1;
            let line = &self.masked[from..place.end];
            if line.starts_with(char::is_alphabetic) && words(line).next().is_some_and(begins_item) {
                cuts.push(from);
            }
        }
        cuts.push(place.end);
        for cut in cuts.windows(2) {
            self.reparse_unreadable(Span::new(cut[0], cut[1]), Rule::one_item);
        }
    }

    /// Returns the comment after a part on its first line, or else the comment lines directly above it.
    pub(super) fn doc(&self, place: Span) -> Option<String> {
        let place = Span::new(self.text.floor_char_boundary(place.start), place.end);
        let line_end = |from: usize| self.text[from..].find('\n').map_or(self.text.len(), |at| from + at);
        let first_line = line_end(place.start);
        let from = self.comments.partition_point(|comment| comment.span.start <= place.start);
        let behind = self.comments[from..]
            .iter()
            .take_while(|c| c.span.end <= first_line)
            .find(|c| c.trailing && !c.text.is_empty());
        if let Some(comment) = behind {
            return Some(comment.text.clone());
        }
        let mut lines: Vec<&str> = Vec::new();
        let mut line_start = self.text[..place.start].rfind('\n').map_or(0, |at| at + 1);
        for comment in self.comments[..from].iter().rev() {
            if comment.trailing || comment.span.end + 1 != line_start {
                break;
            }
            lines.extend(Some(comment.text.as_str()).filter(|text| !text.is_empty()));
            line_start = self.text[..comment.span.start].rfind('\n').map_or(0, |at| at + 1);
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join(" "))
    }
}

/// Changes the help of a report about a bracket that is closed in a comment, where `//` is meant to divide.
fn closed_in_comment(report: Diagnostic, text: &str, comments: &[Comment]) -> Diagnostic {
    let open = report.span();
    let same_line = |comment: &&Comment| {
        let between = text.get(open.end..comment.span.start);
        comment.trailing && between.is_some_and(|between| !between.contains('\n'))
    };
    let comment = comments.iter().find(same_line).filter(|_| report.code == Code::UnclosedBracket);
    let divisor = comment.filter(|comment| comment.text.contains([')', ']'])).and_then(|c| operand(&c.text));
    let value = comment.and_then(|comment| operand_before(text.get(open.end..comment.span.start)?));
    match (value, divisor) {
        (Some(value), Some(by)) => report
            .help(format!("`//` begins a comment: the quotient rounded down is written `{value} div {by}`")),
        _ => report,
    }
}

/// Splits a text into words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn last(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().last().expect("the grammar gives this rule a part")
}

/// Returns the parts that carry meaning, without words and signs that only mark their position.
fn inner(pair: Pair<Rule>) -> impl Iterator<Item = Pair<Rule>> {
    pair.into_inner().filter(|part| {
        use Rule as R;
        !matches!(
            part.as_rule(),
            R::nl
                | R::line_in
                | R::each_copies
                | R::open_call
                | R::open_index
                | R::open_paren
                | R::open_bracket
                | R::open_brace
                | R::close_paren
                | R::close_bracket
                | R::close_brace
                | R::comma
                | R::colon
                | R::equals
                | R::dot
                | R::range
                | R::kw_game
                | R::kw_variant
                | R::kw_drop
                | R::kw_option
                | R::kw_kind
                | R::kw_table
                | R::kw_player
                | R::kw_players
                | R::kw_called
                | R::kw_by
                | R::kw_from
                | R::kw_note
                | R::kw_more
                | R::kw_to
                | R::kw_for
                | R::kw_as
                | R::kw_of
                | R::kw_show
                | R::kw_move
                | R::kw_try
                | R::kw_define
                | R::kw_rule
                | R::kw_play
                | R::kw_score
                | R::kw_winner
                | R::kw_winners
                | R::kw_highest
                | R::kw_lowest
                | R::kw_last
                | R::kw_mover
                | R::kw_example
                | R::kw_list
                | R::kw_set
                | R::kw_bag
                | R::kw_grid
                | R::kw_empty
                | R::kw_int
                | R::kw_possible
                | R::kw_when
                | R::kw_shows
                | R::kw_refused
                | R::kw_scores
                | R::kw_expect
                | R::kw_over
                | R::kw_and
                | R::kw_or
                | R::kw_not
                | R::kw_in
                | R::kw_is
                | R::kw_if
                | R::kw_then
                | R::kw_else
                | R::kw_case
                | R::kw_with
                | R::kw_where
                | R::kw_while
                | R::kw_until
                | R::kw_yes
                | R::kw_no
                | R::kw_every
                | R::kw_let
                | R::kw_need
                | R::kw_award
                | R::kw_say
                | R::kw_send
                | R::kw_reveal
                | R::kw_conceal
                | R::kw_out
                | R::kw_each
                | R::kw_cycle
                | R::kw_repeat
                | R::kw_turns
                | R::kw_ask
                | R::kw_together
                | R::kw_chance
                | R::kw_shuffle
                | R::kw_draw
                | R::kw_deal
                | R::kw_phase
                | R::kw_end
                | R::kw_win
                | R::kw_optional
        )
    })
}
