//! What is meant by names and values that make no sense as they are, from the words around them: `x is odd and prime`,
//! `k in primes`, `coins[me]`, `seat(3 - me)`, `me.opponent`, `sum(p in players: p.passed)`.

use super::Checker;
use super::domain::joined_by_or;
use super::tuples::place_of;
use crate::ast::{self, CompareOp};
use crate::diag::{Code, Diagnostic, Fix, nearest};
use crate::ir::{Expr, ExprKind, Type, Value};
use crate::source::Span;
use crate::syntax::{by_key_help, operand, operand_before, value_before};

/// Properties of single values, and what people call everything that has them.
const PROPERTIES: &[(&str, &str)] = &[
    ("prime", "primes"),
    ("even", "evens"),
    ("odd", "odds"),
    ("square", "squares"),
    ("palindrome", "palindromes"),
    ("distinct", ""),
    ("empty", ""),
    ("full", ""),
];

/// What another player is called; with two players, that is `next`.
const OPPONENTS: &[&str] = &["opponent", "other", "enemy", "rival", "partner", "opp"];

/// What the points of a player are called.
const POINTS: &[&str] = &["points", "point", "total", "totals", "scores"];

impl<'a> Checker<'a> {
    /// Returns the text of the author in front of a place and behind it, both within its line.
    fn around(&self, place: Span) -> (&str, &str) {
        let behind = self.source.and_then(|source| source.text.get(place.end..)).unwrap_or("");
        (self.line_before(place), behind.lines().next().unwrap_or(""))
    }

    /// Returns help for an unknown name, and a correction if there is one; `report` is about that name.
    pub(super) fn meant_by_name(&self, name: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let (before, behind) = self.around(report.span());
        self.property_alone(name, before, report)
            .or_else(|| self.all_with_property(name, before, report))
            .or_else(|| self.own_by_index(name, behind, report))
            .or_else(|| self.symbols_of_kind(name, before, report))
            .or_else(|| {
                let field = name.strip_suffix('s').filter(|field| self.fields.contains_key(*field))?;
                let reveals = before.trim() == "reveal";
                Some(report.clone().help(match reveals {
                    true => {
                        format!("each player has `{field}`: `each p in players {{ reveal p.{field} }}`")
                    }
                    false => {
                        format!("each player has `{field}`: `[p in players: p.{field}]` are all of these")
                    }
                }))
            })
            .or_else(|| {
                let best = before.ends_with("highest ") || before.ends_with("lowest ");
                let own = self.fields.contains_key(name);
                let own = own || nearest(name, self.fields.keys().map(String::as_str)).is_some();
                let points = best && !own && POINTS.contains(&name) && self.is_winner_line(report.span());
                points.then(|| report.clone().help("the points of a player are `score`").likely_fix("score"))
            })
    }

    /// `x is odd and prime`: the second property does not say what it is a property of.
    fn property_alone(&self, name: &str, before: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let own = self.defines.iter().any(|d| d.name.text == name);
        if !own && !PROPERTIES.iter().any(|(property, _)| *property == name) {
            return None;
        }
        let trimmed = before.trim_end();
        let (before, not) = match trimmed.strip_suffix(" not") {
            Some(before) => (before.trim_end(), Some(trimmed.len() - "not".len())),
            None => (trimmed, None),
        };
        let joins = ["and", "or"].into_iter().find(|joins| before.ends_with(&format!(" {joins}")))?;
        let first = before.strip_suffix(joins)?.trim_end();
        let property = operand_before(first)?;
        let left = first.strip_suffix(property)?.trim_end();
        let (left, negated) = match left.strip_suffix(" not") {
            Some(left) => (left.trim_end(), true),
            None => (left, false),
        };
        let subject = value_before(left.strip_suffix(" is")?)?;
        let is = if not.is_some() { "is not" } else { "is" };
        let written = format!("{subject} {is} {name}");
        let span = report.span();
        let start = not.map_or(span.start, |at| self.line_start(span) + at);
        let place = Span::new(start, span.end);
        let help = format!("each condition says what it is about: `{joins} {written}`");
        let fix = Fix { sure: !negated, ..Fix::new(place, written) };
        Some(Diagnostic { fix: Some(fix), ..report.clone().help(help) })
    }

    /// Returns help for an unknown name that stands for several players, as in `others.vote := no`, or for those that a
    /// condition has only asked about: `if some(p in players: p.place = 3) { p.place := 0 }`.
    pub(super) fn player_meant(&self, name: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let (before, behind) = self.around(report.span());
        let behind = behind.split("//").next().unwrap_or("").trim();
        let field = behind.strip_prefix('.')?;
        let field = &field[..field.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(field.len())];
        if !self.fields.contains_key(field) {
            return None;
        }
        let whole =
            before.trim().is_empty() && [" := ", " += ", " -= "].iter().any(|sign| behind.contains(sign));
        if matches!(name, "others" | "opponents" | "everybody" | "everyone") {
            let all = if name.starts_with('e') { "players" } else { "me.others" };
            let help = match whole {
                true => format!("these are several players: `each p in {all} {{ p{behind} }}`"),
                false => format!("these are several players: `[p in {all}: p.{field}]`"),
            };
            return Some(report.clone().help(help));
        }
        let asked = self.asked_about(name, report.span()).filter(|_| whole)?;
        let help = format!(
            "`some` only asks whether there is one; for each of them: `each {asked} {{ {name}{behind} }}`"
        );
        Some(report.clone().help(help))
    }

    /// Returns what an `if some(p in S: C) {` above a place goes through, as it is written behind `each`, for this name `p`.
    fn asked_about(&self, name: &str, place: Span) -> Option<String> {
        let above = self.source?.text.get(..place.start)?;
        let item = above.rsplit('\n').take_while(|line| !line.starts_with(char::is_alphabetic));
        let asks = item.filter_map(|line| line.trim_start().strip_prefix("if some(")).find_map(|line| {
            let inside = line.trim_end().strip_suffix('{')?.trim_end().strip_suffix(')')?;
            inside.strip_prefix(name)?.starts_with(" in ").then_some(inside)
        })?;
        let (source, condition) = asks.split_once(':')?;
        let joins = if source.contains(" where ") { "and" } else { "where" };
        Some(format!("{} {joins} {}", source.trim(), condition.trim()))
    }

    /// Returns the word that begins the loop whose block ends in front of a place, as in `} until turn = 30`.
    pub(super) fn loop_before(&self, place: Span) -> Option<&'static str> {
        let line = self.line_before(place);
        let indent = &line[..line.len() - line.trim_start().len()];
        line.trim_start().strip_prefix("} until ")?;
        let above = self.source?.text.get(..place.start)?;
        let head = above.rsplit('\n').skip(1).find_map(|line| {
            let head = line.strip_prefix(indent)?;
            head.starts_with(char::is_alphabetic).then_some(head)
        })?;
        ["turns", "repeat"].into_iter().find(|word| head.split(' ').next() == Some(word))
    }

    /// Returns help for a name that stands for the number of a pass, where the loop has no name or another one.
    pub(super) fn pass_meant(&self, name: &str, place: Span) -> Option<String> {
        const NUMBERED: &[&str] = &["turn", "round"];
        const COUNTS: &[&str] =
            &["", "_number", "_no", "_count", "_counter", "_index", "number", "count", "s"];
        let low = name.to_lowercase();
        let pass = NUMBERED.iter().find(|pass| {
            let rest =
                low.strip_prefix(**pass).or_else(|| low.strip_prefix("current_")?.strip_prefix(**pass));
            rest.is_some_and(|rest| COUNTS.contains(&rest))
        })?;
        let text = &self.source?.text;
        let called = text.get(place.end..)?.starts_with('(');
        if called || self.loops.contains_key(*pass) && *pass != name {
            return (!called).then(|| format!("the passes of the loop are counted by its name, `{pass}`"));
        }
        // Rounds are outside turns; turns are what is counted where there are any.
        let heads = || {
            let heads = text.split(['\n', '{', '}']).map(str::trim);
            heads.filter(|head| {
                let loops = head.starts_with("turns") || head.starts_with("repeat");
                loops && !head.contains(" as ") && text.contains(&format!("{head} {{"))
            })
        };
        let turns = heads().find(|head| head.starts_with("turns")).filter(|_| *pass == "turn");
        let head = turns.or_else(|| heads().next());
        let head = head.map(|head| head.strip_suffix(" times").unwrap_or(head));
        Some(match head.and_then(|head| head.split_once(' ').or(Some((head, "")))) {
            Some((word @ ("turns" | "repeat"), rest)) if word == "turns" || rest.is_empty() => {
                let rest = if rest.is_empty() { String::new() } else { format!(" {rest}") };
                // Who begins, and in which order, stands in front of the name.
                let (order, rest) =
                    match rest.find(" until ").or(rest.find(" skipping ")).or(rest.find(" dropping ")) {
                        Some(at) => rest.split_at(at),
                        None => (rest.as_str(), ""),
                    };
                format!(
                    "passes are counted by the name of their loop: `{word}{order} as {pass}{rest} {{ … }}`"
                )
            }
            Some(("repeat", count)) => {
                format!("passes are counted by the name of their loop: `repeat {count} as {pass} {{ … }}`")
            }
            _ => format!("passes are counted by the name of their loop: `turns as {pass} until C {{ … }}`"),
        })
    }

    /// Returns a report about the names in square brackets that something is to be chosen from, if nothing has any of them:
    /// `how in [plus, minus]`. One of them is `name`.
    pub(super) fn symbols_in_brackets(&self, name: &str) -> Option<Diagnostic> {
        let text = &self.source?.text;
        let (place, names) = text.match_indices(" in [").find_map(|(at, found)| {
            let open = at + found.len() - 1;
            let inside = bracketed(&text[open..])?;
            let names: Vec<&str> = inside.split(',').map(str::trim).collect();
            names.contains(&name).then(|| (Span::new(open, open + inside.len() + 2), names))
        })?;
        let word = |name: &&str| {
            name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        if names.len() < 2 || !names.iter().all(|name| word(name) && !self.value_called(name)) {
            return None;
        }
        let written = format!("{{{}}}", names.join(", "));
        let before = self.line_before(place).trim_end().strip_suffix(" in").and_then(operand_before);
        let chosen = before.map_or(String::new(), |before| format!("{before} in "));
        let message = format!("none of the names in `[{}]` is known", names.join(", "));
        let report = Diagnostic::new(Code::UnknownName, place, message, "not known here");
        Some(report.help(format!("symbols to choose from stand in braces: `{chosen}{written}`")).fix(written))
    }

    /// Reports `1 or -1`, `up or down` as a value. Returns whether it did.
    pub(super) fn values_or(&mut self, a: &ast::Expr, b: &ast::Expr, span: Span) -> bool {
        let mut parts = Vec::new();
        joined_by_or(a, &mut parts);
        joined_by_or(b, &mut parts);
        let is_number = |e: &ast::Expr| match &e.kind {
            ast::ExprKind::Negative(of) => matches!(of.kind, ast::ExprKind::Number(_)),
            kind => matches!(kind, ast::ExprKind::Number(_)),
        };
        let is_symbol = |e: &ast::Expr| {
            matches!(&e.kind, ast::ExprKind::Name(name) if self.symbols.contains_key(name.as_str())
                && !self.frame.locals.iter().any(|local| local.name == *name))
        };
        let sort = match () {
            () if parts.iter().all(|part| is_number(part)) => "numbers",
            () if parts.iter().all(|part| is_symbol(part)) => "symbols",
            () => return false,
        };
        let all: Vec<Span> = parts.iter().map(|part| part.span).collect();
        let all: Vec<&str> = all.into_iter().map(|at| self.written(at)).collect();
        let named =
            self.line_before(span).trim().strip_prefix("let ").and_then(|rest| rest.strip_suffix('='));
        let (name, all) = (named.map_or("drawn", str::trim), all.join(", "));
        let help = format!(
            "one of them at random is `chance {name} in {{{all}}}`, a line of its own; one that a player chooses is a parameter of a move, `{name} in {{{all}}}`"
        );
        let message = format!("`or` joins conditions, and these are {sort}");
        self.report(Diagnostic::new(Code::TypeMismatch, span, message, "yes or no is needed").help(help));
        true
    }

    /// Reports `me..points`, which is no range. Returns whether it did.
    pub(super) fn dot_written_twice(&mut self, a: &ast::Expr, b: &ast::Expr) -> bool {
        let (ast::ExprKind::Name(owner), ast::ExprKind::Name(own)) = (&a.kind, &b.kind) else { return false };
        let is_player = owner == "me"
            || self.frame.locals.iter().any(|local| local.name == *owner && local.ty == Type::Player);
        if !is_player || !(self.fields.contains_key(own.as_str()) || own == "score" || own == "number") {
            return false;
        }
        let dots = Span::new(a.span.end, b.span.start);
        let help = format!("what a player has stands behind a single dot: `{owner}.{own}`");
        self.report(
            Diagnostic::new(Code::Unexpected, dots, "`..` makes a range, and this is a player", "")
                .help(help)
                .fix("."),
        );
        true
    }

    /// Returns where the line of a place begins.
    fn line_start(&self, place: Span) -> usize {
        place.start - self.line_before(place).len()
    }

    /// `k in primes`, `move put(k in odd)`.
    fn all_with_property(&self, name: &str, before: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let (property, _) = PROPERTIES[..5].iter().find(|(one, all)| name == *one || name == *all)?;
        let left = before.trim_end().strip_suffix("in")?;
        if *property == "square"
            && let Some(grid) = self.grid_of(|_| true)
        {
            return Some(report.clone().help(format!("`squares({grid})` are all squares of the grid")));
        }
        let (left, is) = match left.trim_end().strip_suffix(" not") {
            Some(left) => (left, "is not"),
            None => (left.trim_end(), "is"),
        };
        let left = left.strip_suffix(" is").unwrap_or(left);
        let subject = value_before(left)?;
        let in_front = left.strip_suffix(subject)?.trim_end();
        let opens = in_front.ends_with(['(', '[', '{', ',']) || in_front.ends_with("each");
        if opens || in_front.ends_with("chance") {
            let help = format!(
                "say which numbers they are taken from: `{subject} in 1..99 where {subject} is {property}`"
            );
            return Some(report.clone().help(help));
        }
        let written = format!("{subject} {is} {property}");
        let start = self.line_start(report.span()) + in_front.len();
        let blank = before[in_front.len()..].len() - before[in_front.len()..].trim_start().len();
        let place = Span::new(start + blank, report.span().end);
        let report = report.clone().help(format!("a property is asked for by `is`: `{written}`"));
        Some(Diagnostic { fix: Some(Fix::new(place, written)), ..report })
    }

    /// `coins[me]`, `hands[p]`, `price[k]`: what each player has, as if it were on the table.
    fn own_by_index(&self, name: &str, behind: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let inside = bracketed(behind)?;
        let one = name.strip_suffix('s').unwrap_or(name);
        let field = [name, one].into_iter().find(|field| self.fields.contains_key(*field))?;
        let local = |local: &&super::scope::Local| local.name == inside && local.ty == Type::Player;
        let one_of_them = inside.strip_prefix("first(").or(inside.strip_prefix("last("));
        let player = inside == "me"
            || operand(inside) == Some(inside)
                && (inside.ends_with(".next") || inside.ends_with(".previous"))
            || operand(inside) == Some(inside) && inside.starts_with("seat(")
            || one_of_them.is_some_and(|of| matches!(of, "me.others)" | "players)" | "standing)"))
            || self.game.seats.roles.iter().any(|role| role == inside)
            || self.is_player_part(inside)
            || self.frame.locals.iter().any(|l| local(&l));
        if !player {
            let places = matches!(self.field_type(field)?, Type::List(_) | Type::Map(..) | Type::Grid(_));
            let help =
                format!("each player has `{field}`: write `me.{field}[{inside}]` or `p.{field}[{inside}]`");
            return places.then(|| report.clone().help(help));
        }
        let written = format!("{inside}.{field}");
        let place = Span::new(report.span().start, report.span().end + inside.len() + 2);
        let report = report.clone().help(format!("what each player has is written `{written}`"));
        let fix = Fix { sure: field == name, ..Fix::new(place, written) };
        Some(Diagnostic { fix: Some(fix), ..report })
    }

    /// Whether a text is the part of a tuple with a name that is a player: `best.1`.
    fn is_player_part(&self, text: &str) -> bool {
        let Some((name, part)) = text.split_once('.') else { return false };
        let local = self.frame.locals.iter().rev().find(|local| local.name == name).map(|local| &local.ty);
        let whole = local.or(self.globals.get(name).map(|global| &global.ty));
        let Some(Type::Tuple(parts)) = whole else { return false };
        place_of(parts, part).is_some_and(|at| parts[at] == Type::Player)
    }

    /// Returns the type of what each player has by this name.
    fn field_type(&self, field: &str) -> Option<Type> {
        self.fields.get(field).map(|id| self.game.state[*id].form.ty())
    }

    /// `c in colours` for `kind colour: …`.
    fn symbols_of_kind(&self, name: &str, before: &str, report: &Diagnostic) -> Option<Diagnostic> {
        let one = name.strip_suffix('s').filter(|_| before.ends_with(" in "))?;
        let kinds = self.kinds();
        let mut known = kinds.iter().map(String::as_str);
        let kind = known.clone().find(|kind| *kind == one).or_else(|| nearest(one, &mut known))?;
        let help = format!("`every {kind}` is the set of {}", self.elements_of_kind(kind));
        Some(report.clone().help(help).likely_fix(format!("every {kind}")))
    }

    /// Returns help for what stands behind a player and a dot and is nothing that players have.
    pub(super) fn meant_by_field(&self, name: &str, report: Diagnostic) -> Option<Diagnostic> {
        let two = self.game.seats.min == 2 && self.game.seats.max == Some(2);
        // What the file declares is nearer than what it does not.
        if nearest(name, self.fields.keys().map(String::as_str)).is_some() {
            return None;
        }
        Some(match name {
            name if OPPONENTS.contains(&name) && two => {
                report.help("with two players, the other one is `next`").fix("next")
            }
            name if OPPONENTS.contains(&name) => {
                report.help("`others` are all the others, `next` is the next one")
            }
            name if OPPONENTS.iter().any(|one| name.strip_suffix('s') == Some(one)) => {
                report.help("the other players are `others`").fix("others")
            }
            "out" | "in" | "eliminated" | "alive" | "active" => {
                report.help("`out p` puts p out of the match, and `p is in` asks whether p is still in it")
            }
            "index" | "id" | "seat" | "position" => {
                report.help("the number of a player's seat is `number`").likely_fix("number")
            }
            name if POINTS.contains(&name) => {
                report.help("the points of a player are `score`").likely_fix("score")
            }
            _ => return None,
        })
    }

    /// Returns help for a part that a value of this type does not have: `g.price`, `row.1`, `board.b2`, `row.length`.
    pub(super) fn meant_by_part(&self, name: &str, base: Span, ty: &Type) -> Option<String> {
        let base = self.written(base);
        let places = matches!(ty, Type::List(_) | Type::Map(..) | Type::Grid(_));
        let number = name.chars().all(|c| c.is_ascii_digit());
        let square = name.len() == 2
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.ends_with(|c: char| c.is_ascii_digit());
        if number && places || square && matches!(ty, Type::Grid(_)) {
            return Some(format!("a place in it is written in square brackets: `{base}[{name}]`"));
        }
        if matches!(name, "length" | "len" | "count") && ty.element().is_some() {
            return Some(format!("write `size({base})`"));
        }
        // These are functions of grids, too.
        if let ("rows" | "columns", Type::Square) = (name, ty) {
            return Some(format!("did you mean `{}`?", name.trim_end_matches('s')));
        }
        let keyed = self
            .globals
            .get(name)
            .is_some_and(|global| matches!(&global.ty, Type::Map(key, _) if key.accepts(ty)));
        keyed.then(|| format!("`{name}` has a value for each: write `{name}[{base}]`"))
    }

    /// Reports a value of another type than is needed if it is known what is meant. Returns whether it did.
    pub(super) fn meant_by_value(&mut self, found: &Expr, want: &Type) -> bool {
        let text = self.written(found.span);
        let (before, behind) = self.around(found.span);
        let mut fix = None;
        let help = match (want, &found.ty) {
            (Type::Int, Type::Player) => {
                let subtracted = before.trim_end().strip_suffix('-').map(str::trim_end);
                let other =
                    subtracted.is_some_and(|left| left.ends_with("seat(3") || left.ends_with("seat(1"));
                let two = self.game.seats.max == Some(2);
                match other && behind.starts_with(')') {
                    true if two => format!("the other one of two players is `{text}.next`"),
                    true => format!("the next player is `{text}.next`; `{text}.others` are all the others"),
                    false => format!(
                        "the number of a player's seat is `{text}.number`; the next player is `{text}.next`"
                    ),
                }
            }
            (Type::Int, Type::Bool) if let Some(help) = condition_for_value(before, text) => help,
            (Type::Int, Type::Bool) => {
                let Some(open) = before.rfind("sum(").filter(|open| !before[*open..].contains(')')) else {
                    return false;
                };
                let inside = &before[open + "sum(".len()..];
                if !inside.trim_end().ends_with(':') || inside.contains("sum(") {
                    return false;
                }
                let start = self.line_start(found.span) + open;
                fix = Some(Fix::new(Span::new(start, start + "sum".len()), "count"));
                format!("how often a condition holds is counted: `count({inside}{text})`")
            }
            _ if is_empty(found)
                && (matches!(want, Type::Map(..)) || *want == Type::Int && is_map(before)) =>
            {
                "each key has a value from the beginning, the same for all: `= 0`".to_string()
            }
            (want, Type::Tuple(parts)) if parts.iter().all(|part| want.accepts(part)) => {
                let Some(place) = before.trim_end().strip_suffix("+=").and_then(operand_before) else {
                    return false;
                };
                let values = text.trim_start_matches('(').trim_end_matches(')');
                format!("`+=` adds one element; `{place} ++= [{values}]` adds several")
            }
            (Type::Bool, Type::List(_)) if text.ends_with(" is sorted") => {
                let list = text.trim_end_matches(" is sorted");
                format!("`sorted` makes a list: write `{list} = sorted({list})`")
            }
            _ => return false,
        };
        self.mismatch(found, want, Some(help));
        // It may have joined the report about another place.
        if let Some(report) = self.diagnostics.last_mut().filter(|report| report.span() == found.span) {
            report.fix = fix;
        }
        true
    }

    /// Reports `max(players, key = coins)`. Returns whether it did.
    pub(super) fn called_with_key(&mut self, name: &ast::Name, inside: &ast::Inside) -> bool {
        let [list, ast::Expr { kind: ast::ExprKind::Compare(word, links), span }] = inside.items.as_slice()
        else {
            return false;
        };
        let [(CompareOp::Equal, key)] = links.as_slice() else { return false };
        let is_key = matches!(&word.kind, ast::ExprKind::Name(word) if matches!(word.as_str(), "key" | "by"));
        if !is_key || self.value_called(self.written(word.span)) {
            return false;
        }
        let key = self.written(key.span).rsplit('.').next().unwrap_or("…");
        let Some(help) = by_key_help(&name.text, self.written(list.span), key) else { return false };
        let message = "functions of the language take no named values";
        self.report(Diagnostic::new(Code::ArgumentCount, *span, message, "").help(help));
        true
    }

    /// Returns help for the test whether something is empty that always holds a value.
    pub(super) fn never_empty(&self, function: &str, found: &Expr) -> Option<String> {
        let single = matches!(found.ty, Type::Int | Type::Bool | Type::Symbol(_) | Type::Player);
        let ExprKind::Index(base, _) = &found.kind else { return None };
        let grid = self.written(base.span);
        (function == "empty" && single && matches!(base.ty, Type::Grid(_))).then(|| {
            format!("every square of `{grid}` holds a value; in an `empty grid …`, squares may be empty")
        })
    }

    /// Returns how to say that something is in order, for a test that the language does not have.
    pub(super) fn test_of_order(&self, name: &str, args: &[Expr]) -> Option<String> {
        let [list] = args else { return None };
        let list = self.written(list.span);
        match name {
            "ascending" | "strictly_increasing" | "strictly_ascending" => Some(format!(
                "write `increasing({list})`; where neighbours may be equal, it is `{list} = sorted({list})`"
            )),
            "nondecreasing" => Some(format!("write `{list} = sorted({list})`")),
            "descending" | "strictly_decreasing" | "strictly_descending" => Some(format!(
                "write `decreasing({list})`; where neighbours may be equal, it is `{list} = reversed(sorted({list}))`"
            )),
            "nonincreasing" => Some(format!("write `{list} = reversed(sorted({list}))`")),
            _ => None,
        }
    }

    /// Returns how to count, for `count(row = 3)` and `count(s in me.board = 7)`; the comparison is of a collection.
    pub(super) fn counted_by_equality(
        &self,
        name: &str,
        element: &ast::Expr,
        sign: &str,
        value: Span,
    ) -> Option<String> {
        let (list, value) = (self.written(element.span), self.written(value));
        let behind = if name == "count" { " where" } else { ":" };
        Some(match self.type_of_name(element)? {
            Type::Grid(_) => format!("write `{name}(s in {list}{behind} {list}[s] {sign} {value})`"),
            ty if ty.element().is_some() => format!("write `{name}(x in {list}{behind} x {sign} {value})`"),
            _ => return None,
        })
    }

    /// Returns the type of a piece of state, from its name alone: `row`, `me.board`.
    pub(super) fn type_of_name(&self, e: &ast::Expr) -> Option<Type> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.globals.get(name).map(|global| global.ty.clone()),
            ast::ExprKind::Field(_, field) => self.field_type(&field.text),
            _ => None,
        }
    }

    /// Returns how something is worked out without a function that calls itself; its name stands at `place`.
    pub(super) fn without_recursion(&self, name: &str, place: Span) -> String {
        let rest = self.source.and_then(|source| source.text.get(place.end..)).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let says = |text: &str| line.contains(text);
        let head = "functions cannot call themselves";
        if says(" mod 10") && says(" div 10") {
            return format!(
                "{head}; the digits of a number are the list `digits(x)`, as in `sum(digits(x))`"
            );
        }
        let swaps = line.split_once(&format!("else {name}(")).is_some_and(|(_, args)| args.contains(" mod "));
        if swaps {
            return format!("{head}; the greatest common divisor is `gcd(a, b)`");
        }
        if says("- 1)") && says(" * ") {
            return format!("{head}; a product over a range is `product(k in 1..n: k)`, and `factorial(n)`");
        }
        if says("[2..size(") || says("first(") || says("last(") {
            return format!(
                "{head}; elements are gone through by `sum(x in L: E)`, `number(L)` reads them as digits"
            );
        }
        format!(
            "{head}; go through a range, `sum(k in 1..n: E)`, or through what one value leads to, `reach(y in [x]: [E])`: its \
             size is the number of steps"
        )
    }

    /// Reports an argument that should be a collection of choices, where a function of that name but for an `s` gives one.
    /// Returns the report with the other function.
    pub(super) fn several_choices(&self, name: &ast::Name, args: &[Expr], report: Diagnostic) -> Diagnostic {
        let numbers = args.first().is_some_and(|arg| arg.ty == Type::Int);
        let (several, gives) = match (name.text.as_str(), args.len()) {
            ("subset", 1) => ("subsets", "all sets of its elements"),
            ("subset", 2) if numbers => ("subsets", "all sets of so many of its elements"),
            ("list", 2) if numbers => ("lists", "all lists of so many of its elements"),
            _ => return report,
        };
        let args: Vec<&str> = args.iter().map(|arg| self.written(arg.span)).collect();
        let help = format!("`{several}({})` are {gives}", args.join(", "));
        Diagnostic { fix: Some(Fix::likely(name.span, several)), ..report.help(help) }
    }

    /// Warns about a seat that is none of the game's, which counts on round the table.
    pub(super) fn seat_there(&mut self, number: &Expr) {
        let ExprKind::Value(Value::Int(n)) = &number.kind else { return };
        let Some(max) = self.game.seats.max else { return };
        let seat = n.to_string().parse::<i64>().unwrap_or(0);
        if seat >= 1 && seat <= max as i64 {
            return;
        }
        let same = (seat - 1).rem_euclid(max as i64) + 1;
        let message = format!("there is no seat {seat} with {max} players");
        let report = Diagnostic::new(Code::NoSuchSeat, number.span, message, "");
        let always = self.game.seats.min == max;
        self.report(report.help(match always {
            true => format!("seats are counted on round the table, so this is `seat({same})`"),
            false => {
                format!("seats are counted on round the table, so with {max} players this is `seat({same})`")
            }
        }));
    }
}

/// Returns what stands in the square brackets that a text begins with.
fn bracketed(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let mut depth = 0;
    let end = inside.find(|c| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        depth < 0
    })?;
    Some(&inside[..end])
}

/// Whether a map is declared in front of a value.
fn is_map(before: &str) -> bool {
    [" for each ", "map ", "dict "].iter().any(|word| before.contains(word))
}

/// Whether a value is an empty set or list.
fn is_empty(found: &Expr) -> bool {
    matches!(&found.kind, ExprKind::Set(parts) | ExprKind::List(parts) if parts.is_empty())
}

/// Returns help for `largest(r in 1..n: C)`, where the elements that meet a condition are meant; `before` stands in front of
/// the condition.
fn condition_for_value(before: &str, condition: &str) -> Option<String> {
    let inside = before.trim_end().strip_suffix(':')?;
    let (head, source) = inside.rsplit_once(" in ")?;
    let (head, name) = head.rsplit_once('(')?;
    let function = ["largest", "smallest"].into_iter().find(|function| head.ends_with(function))?;
    let joins = if source.contains(" where ") { "and" } else { "where" };
    Some(format!(
        "a condition stands behind `where`: `{function}({name} in {source} {joins} {condition}: {name})`"
    ))
}
