//! Statements in words: what a move does and how play goes, as an outline.

use super::page::{Line, either};
use super::words::{Words, be};
use crate::ast::{
    Assign, Block, Choice, Choices, Expr, ExprKind, Pattern, Stmt, StmtKind, Stuck, TypeKind, Until,
};
use crate::source::Span;
use crate::syntax::layout::Comment;

/// An outline under way.
pub(super) struct Outline<'a> {
    words: Words<'a>,
    comments: &'a [Comment],
    lines: Vec<Line>,
    depth: usize,
    /// The comments behind a line that stand on the page already, by their places.
    told: Vec<usize>,
}

impl<'a> Outline<'a> {
    pub fn new(words: Words<'a>, comments: &'a [Comment]) -> Outline<'a> {
        Outline { words, comments, lines: Vec::new(), depth: 0, told: Vec::new() }
    }

    /// The lines so far.
    pub fn finish(self) -> Vec<Line> {
        self.lines
    }

    fn say(&mut self, text: impl Into<String>) {
        self.lines.push(Line { depth: self.depth, text: text.into() });
    }

    /// Lines further in.
    fn within(&mut self, body: &Block) {
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
    }

    /// The statements of a block, each with the comments that stand by it.
    pub fn block(&mut self, block: &Block) {
        let mut from = block.span.start;
        for stmt in &block.stmts {
            self.noted(stmt, from);
            from = stmt.span.end;
        }
    }

    /// A statement; the comment lines above it come before it, the one behind its first line after it.
    pub fn noted(&mut self, stmt: &Stmt, from: usize) {
        let text = self.words.facts.text;
        let first_line = text[stmt.span.start..].find('\n').map_or(text.len(), |at| stmt.span.start + at);
        let comments = self.comments;
        let above: Vec<&str> = comments
            .iter()
            .filter(|c| !c.trailing && c.span.start >= from && c.span.end <= stmt.span.start)
            .map(|c| c.text.as_str())
            .collect();
        if !above.is_empty() {
            self.say(format!("[{}]", above.join(" ")));
        }
        let at = self.lines.len();
        let behind = comments
            .iter()
            .find(|c| c.trailing && c.span.start > stmt.span.start && c.span.end <= first_line);
        let behind = behind.filter(|comment| !self.told.contains(&comment.span.start));
        self.told.extend(behind.map(|comment| comment.span.start));
        self.stmt(stmt);
        if let (Some(comment), Some(line)) = (behind, self.lines.get_mut(at))
            && !line.text.contains(&comment.text)
        {
            line.text.push_str(&format!(" [{}]", comment.text));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => self.branches(arms, otherwise.as_ref()),
            StmtKind::Each { pattern, source, filter, label, body } => {
                let each = self.each(pattern, source, filter.as_ref());
                let counted = counted(label.as_ref().map(|name| name.text.as_str()), "time");
                self.head(&format!("for each {each}{counted}"), body);
            }
            StmtKind::Cycle { pattern, source, filter, label, until, body } => {
                let what = self.pattern(pattern);
                let all = self.words.value(source);
                let passes = counted(label.as_ref().map(|name| name.text.as_str()), "time");
                let only = self.filter(filter.as_ref(), " (only where ", ")");
                let end = self.until(until.as_ref(), " until ");
                let head =
                    format!("go through {all} in order, again and again{end}; for each {what}{only}{passes}");
                self.head(&head, body);
            }
            StmtKind::Repeat { count, label, body, until } => {
                let label = label.as_ref().map(|name| name.text.as_str());
                let mut head = match count {
                    Some(n) => match self.words.value(n).as_str() {
                        n if n.contains(' ') => format!("as many times as {n}"),
                        n => format!("{n} times"),
                    },
                    None => "again and again".to_string(),
                };
                head.push_str(&counted(label, "time"));
                head.push_str(&self.until(until.as_ref(), ", until at the end of one "));
                self.head(&head, body);
            }
            StmtKind::Turns { by, from, label, before, stuck, body, after } => {
                let mut head = match by {
                    Some(by) => match self.words.value(by).as_str() {
                        list if list.starts_with("the players") => {
                            format!("{list} take turns, round the table")
                        }
                        list => format!("turns are taken by {list}"),
                    },
                    None => "players take turns, round the table".to_string(),
                };
                if let Some(from) = from {
                    head.push_str(&format!(", {} first", self.words.value(from)));
                }
                head.push_str(&self.until(before.as_ref(), ", until "));
                if let Some(after) = after {
                    let end = self.until(Some(after), ", until after a turn ");
                    head.push_str(&end);
                }
                match stuck {
                    Some(Stuck::Skip) => head.push_str("; who cannot move is passed over"),
                    Some(Stuck::Drop) => head.push_str("; who cannot move is out"),
                    None => {}
                }
                let passes = counted(label.as_ref().map(|name| name.text.as_str()), "turn");
                self.head(&format!("{head}. On a turn{passes}"), body);
            }
            StmtKind::Phase(name, body) => {
                self.say(format!("the part “{}”:", name.text));
                self.within(body);
            }
            StmtKind::Need(cond, reason) => {
                let text = self.need(cond, reason);
                self.say(text);
            }
            _ => {
                let text = self.simple(stmt);
                self.say(text);
            }
        }
    }

    /// A head line and what it holds; what is one short line stands on the same.
    fn head(&mut self, head: &str, body: &Block) {
        let mut inner = Outline {
            lines: Vec::new(),
            depth: self.depth + 1,
            told: std::mem::take(&mut self.told),
            ..*self
        };
        inner.block(body);
        self.told = std::mem::take(&mut inner.told);
        match inner.lines.as_slice() {
            [] => self.say(head),
            [one] if head.chars().count() + one.text.chars().count() < 160 && one.depth == self.depth + 1 => {
                self.say(format!("{head}: {}", one.text));
            }
            _ => {
                self.say(format!("{head}:"));
                self.lines.append(&mut inner.lines);
            }
        }
    }

    fn branches(&mut self, arms: &[(Expr, Block)], otherwise: Option<&Block>) {
        for (i, (cond, body)) in arms.iter().enumerate() {
            let word = if i == 0 { "if" } else { "otherwise, if" };
            let head = format!("{word} {}", self.words.claim(cond, true));
            self.head(&head, body);
        }
        if let Some(body) = otherwise {
            self.head("otherwise", body);
        }
    }

    /// A need: when it fails, and what is said then.
    pub fn need(&self, cond: &Expr, reason: &Expr) -> String {
        format!("not allowed when {}: “{}”", self.words.claim(cond, false), self.words.reason(reason))
    }

    fn each(&self, pattern: &Pattern, source: &Expr, filter: Option<&Expr>) -> String {
        let what = self.pattern(pattern);
        format!("{}{}", self.words.among(&what, source), self.filter(filter, " where ", ""))
    }

    fn filter(&self, filter: Option<&Expr>, before: &str, behind: &str) -> String {
        filter.map_or(String::new(), |c| format!("{before}{}{behind}", self.words.claim(c, true)))
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        let names: Vec<String> = pattern.names.iter().map(|name| self.words.name(&name.text)).collect();
        either(&names, "and")
    }

    fn until(&self, until: Option<&Until>, before: &str) -> String {
        match until {
            None => String::new(),
            Some(Until::Stuck(_)) => format!("{before}somebody cannot move"),
            Some(Until::Cond(c)) => format!("{before}{}", self.words.claim(c, true)),
        }
    }

    /// A statement without a block, in one line.
    fn simple(&self, stmt: &Stmt) -> String {
        let value = |e: &Expr| self.words.value(e);
        match &stmt.kind {
            StmtKind::Let(pattern, e) => format!("let {} be {}", self.pattern(pattern), value(e)),
            StmtKind::NeedIfPossible(cond, reason) => {
                let reason =
                    reason.as_ref().map_or(String::new(), |r| format!(" ({})", self.words.reason(r)));
                format!("choose so that {} if that is possible{reason}", self.words.claim(cond, true))
            }
            StmtKind::Award(amount, to, why) => self.award(amount, to, why.as_ref()),
            StmtKind::Send(what, from, to) => {
                format!("{} goes from {} to {}", value(what), value(from), value(to))
            }
            StmtKind::Reveal(what) => format!("{} is shown to everybody", self.whole(what)),
            StmtKind::Conceal(what) => format!("{} is hidden again", self.whole(what)),
            StmtKind::Out(who) => {
                let who = value(who);
                format!("{who} {} out of the game", be(&who))
            }
            StmtKind::Again => "the same player goes again".to_string(),
            StmtKind::Ask(who, choices) => {
                let who = value(who);
                format!("{who} {} {}", if who == "you" { "play" } else { "plays" }, self.choices(choices))
            }
            StmtKind::Together(who, choices) => {
                let who = match &who.kind {
                    ExprKind::List(inside) if inside.body.is_none() => {
                        either(&self.words.values(&inside.items), "and")
                    }
                    _ => value(who),
                };
                let choices = self.choices(choices);
                format!(
                    "{who} choose in secret: {choices}. When all have chosen, the choices are carried out"
                )
            }
            StmtKind::TogetherAsk(asks) => {
                let asks: Vec<String> = asks
                    .iter()
                    .map(|(who, choices)| format!("{}: {}", value(who), self.choices(choices)))
                    .collect();
                format!(
                    "in secret and at the same time, {}. Then the choices are carried out",
                    asks.join("; ")
                )
            }
            StmtKind::Choose(choices) => self.choices(choices),
            StmtKind::Chance(name, from) => {
                format!("{} is drawn at random: {}", self.words.name(&name.text), self.words.domain(from))
            }
            StmtKind::Shuffle(row) => format!("{} is shuffled", value(row)),
            StmtKind::Draw(name, from) => {
                format!("{} is drawn at random from {}", self.words.name(&name.text), value(from))
            }
            StmtKind::Deal(n, from, to) => {
                // A list is dealt from its beginning; nothing else has one.
                let way = if self.words.is_list(from) { "in order" } else { "at random" };
                format!("deal {} from {} to {}, {way}", value(n), value(from), value(to))
            }
            StmtKind::EndWhen(c) => format!("the match ends as soon as {}", self.words.claim(c, true)),
            StmtKind::WinWhen(who, c) => {
                let who = value(who);
                format!("{who} {} as soon as {}", wins(&who), self.words.claim(c, true))
            }
            StmtKind::Win(who) => {
                let who = value(who);
                format!("{who} {} the match at once", wins(&who))
            }
            StmtKind::End => "the match ends".to_string(),
            StmtKind::Assign(place, how, e) => self.assign(place, *how, e),
            _ => self.source(stmt.span),
        }
    }

    fn source(&self, span: Span) -> String {
        self.words.source(span)
    }

    fn award(&self, amount: &Expr, to: &Expr, why: Option<&Expr>) -> String {
        let to = self.words.value(to);
        let verb = if be(&to) == "are" { "score" } else { "scores" };
        let points = match self.words.value(amount).as_str() {
            "1" => "1 point".to_string(),
            n if n.chars().all(|c| c.is_ascii_digit()) => format!("{n} points"),
            n if n.starts_with("the number of ") => n.to_string(),
            n => format!("{n} points"),
        };
        // What speaks of values that are not known here says nothing.
        let why = why.map(|why| self.words.reason(why)).filter(|why| !why.contains('…'));
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        format!("{to} {verb} {points}{why}")
    }

    /// A piece of state; one that each player has, without an owner, is everybody's.
    fn whole(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Name(name) if self.words.facts.own.contains(&name.as_str()) => {
                format!("everybody's `{name}`")
            }
            _ => self.words.value(e),
        }
    }

    fn is_collection(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Field(_, name) => &name.text,
            ExprKind::Index(base, _) => return self.map_of_collections(base),
            _ => return false,
        };
        let ty = self.words.facts.states.get(name.as_str());
        matches!(ty, Some(TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_)))
    }

    fn map_of_collections(&self, e: &Expr) -> bool {
        let ExprKind::Name(name) = &e.kind else { return false };
        let Some(TypeKind::Map(of, _)) = self.words.facts.states.get(name.as_str()) else { return false };
        matches!(of.kind, TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_))
    }

    fn assign(&self, place: &Expr, how: Assign, e: &Expr) -> String {
        let value = self.words.value(e);
        if let (ExprKind::Tuple(places), ExprKind::Tuple(values), Assign::Set) = (&place.kind, &e.kind, how) {
            let each: Vec<String> =
                places.iter().zip(values).map(|(place, value)| self.assign(place, how, value)).collect();
            return format!("at once, {}", either(&each, "and"));
        }
        let target = self.words.value(place);
        match how {
            Assign::Set => match &place.kind {
                ExprKind::Index(..) if value == "none" => format!("empty {target}"),
                ExprKind::Index(base, _) if self.is_grid_name(base) => {
                    let value = if value == "you" { "your sign" } else { &value };
                    format!("write {value} into {target}")
                }
                _ => format!("{target} becomes {value}"),
            },
            Assign::Add if self.words.is_list(place) => format!("add to the end of {target}: {value}"),
            Assign::Add if self.is_collection(place) => format!("add to {target}: {value}"),
            Assign::Take if self.is_collection(place) => format!("take out of {target}: {value}"),
            Assign::Join => format!("add all of this to {target}: {value}"),
            Assign::Add => format!("{target} goes up by {value}"),
            Assign::Take => format!("{target} goes down by {value}"),
        }
    }

    fn is_grid_name(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                matches!(self.words.facts.states.get(name.as_str()), Some(TypeKind::Grid { .. }))
            }
            _ => false,
        }
    }

    /// The moves to choose among, or the rules to follow.
    fn choices(&self, choices: &Choices) -> String {
        let all = |choices: &[Choice]| {
            let names: Vec<String> = choices.iter().map(|choice| self.choice(choice)).collect();
            either(&names, "or")
        };
        match choices.otherwise.as_slice() {
            [] => all(&choices.first),
            otherwise => {
                format!("{}; only where that is impossible, {}", all(&choices.first), all(otherwise))
            }
        }
    }

    fn choice(&self, choice: &Choice) -> String {
        let name = &choice.name.text;
        let given = match choice.given.as_deref() {
            None | Some([]) => String::new(),
            Some(given) => format!(" with {}", either(&self.words.values(given), "and")),
        };
        match self.words.facts.rules.contains(&name.as_str()) {
            true => format!("follow the rule “{name}”{given}"),
            false => format!("“{name}”{given}"),
        }
    }
}

fn wins(who: &str) -> &'static str {
    if be(who) == "are" { "win" } else { "wins" }
}

fn counted(label: Option<&str>, of: &str) -> String {
    label.map_or(String::new(), |label| format!(" (`{label}` counts the {of}s)"))
}
