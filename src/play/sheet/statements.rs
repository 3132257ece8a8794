//! Statements in words: moves and the course of play as an outline. Comments replace what they describe.

use super::comments::{Comments, StmtComments, describes, identifiers, names_state};
use super::ending::within;
use super::page::{self, Line, join_with, said, sentence};
use super::words::{Words, be};
use crate::ast::{
    BinaryOp, Block, Choice, Choices, Expr, ExprKind, Pattern, Stmt, StmtKind, Stuck, TypeKind, Until,
};

/// The maximum number of words of a line that is not split.
const LONG: usize = 34;
/// The maximum number of words of a condition that is part of another sentence.
const BRIEF: usize = 16;

/// Builds an outline.
pub(super) struct Outline<'a> {
    pub(super) words: Words<'a>,
    comments: &'a Comments<'a>,
    lines: Vec<Line>,
    depth: usize,
    /// The state whose plain changes are already described by the comment on the whole move or rule.
    described: Option<&'a str>,
    /// The positions of trailing comments that are already on the page.
    told: Vec<usize>,
}

impl StmtComments {
    /// Returns the comments that describe the statement and so replace its wording.
    fn description(&self) -> Option<String> {
        let parts = [&self.above, &self.behind].into_iter().flatten().filter(|note| describes(note));
        let parts: Vec<String> = parts.map(|note| sentence(note)).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Appends the trailing comment to a line.
    fn beside(&self, text: String) -> String {
        match &self.behind {
            Some(note) if describes(note) => format!("{} {}", sentence(&text), sentence(note)),
            Some(note) => format!("{text} ({note})"),
            None => text,
        }
    }
}

impl<'a> Outline<'a> {
    pub fn new(words: Words<'a>, comments: &'a Comments<'a>) -> Outline<'a> {
        Outline { words, comments, lines: Vec::new(), depth: 0, described: None, told: Vec::new() }
    }

    /// Creates an outline for a move or rule with a describing comment: if the body plainly changes the first
    /// state that it changes just once, that statement is omitted, provided that the comment is about it: it names
    /// the state, or something that was chosen is put on a square. Everything else is told.
    pub fn described(
        words: Words<'a>,
        comments: &'a Comments<'a>,
        body: &'a Block,
        doc: &str,
        params: &[&str],
    ) -> Outline<'a> {
        let first = body.stmts.iter().find_map(changes);
        let on_a_square = |of: &str| matches!(words.facts.states.get(of), Some(TypeKind::Grid { .. }));
        let about = |stmt: &Stmt, of: &str| {
            let text = comments.text.get(stmt.span.start..stmt.span.end).unwrap_or("");
            let lets = body.stmts.iter().filter_map(|stmt| match &stmt.kind {
                StmtKind::Let(pattern, _) => Some(pattern.names.iter().map(|name| name.text.as_str())),
                _ => None,
            });
            let chosen: Vec<&str> = params.iter().copied().chain(lets.flatten()).collect();
            let mentions = |name: &str| chosen.contains(&name);
            on_a_square(of) && identifiers(text).any(mentions) || names_state(doc, of)
        };
        let described = first.filter(|of| {
            let mut changing =
                body.stmts.iter().filter(|stmt| within(stmt, &|stmt| changes(stmt) == Some(of)));
            changing.next().is_some_and(|stmt| about(stmt, of)) && changing.next().is_none()
        });
        Outline { described, ..Outline::new(words, comments) }
    }

    /// Returns the lines of the outline.
    pub fn finish(self) -> Vec<Line> {
        self.lines
    }

    fn say(&mut self, text: impl Into<String>) {
        self.lines.push(Line { depth: self.depth, text: text.into() });
    }

    /// Collects lines that are one level deeper.
    fn inner(&mut self, tell: impl FnOnce(&mut Outline<'a>)) -> Vec<Line> {
        let mut inner = Outline {
            lines: Vec::new(),
            depth: self.depth + 1,
            described: None,
            told: std::mem::take(&mut self.told),
            ..*self
        };
        tell(&mut inner);
        self.told = std::mem::take(&mut inner.told);
        inner.lines
    }

    /// Adds the statements of a block, by their comments or in words. The last statement is worded first,
    /// because a `let` is told only if its name occurs in what follows.
    pub fn block(&mut self, block: &Block) {
        let mut from = block.span.start;
        let mut noted = Vec::new();
        for stmt in &block.stmts {
            noted.push(self.notes(stmt, from));
            from = stmt.span.end;
        }
        let covered = self.comments.covered(block, &noted);
        let mut parts = Vec::new();
        for ((stmt, notes), _) in
            block.stmts.iter().zip(noted).zip(covered).rev().filter(|(_, covered)| !covered)
        {
            let before = std::mem::take(&mut self.lines);
            self.stmt(stmt, &notes);
            parts.push(std::mem::replace(&mut self.lines, before));
        }
        self.lines.extend(parts.into_iter().rev().flatten());
    }

    /// Adds a single statement.
    pub fn alone(&mut self, stmt: &Stmt) {
        let notes = self.notes(stmt, stmt.span.start);
        self.stmt(stmt, &notes);
    }

    /// Adds the statements within a block that decide the match: `win when` and `end when`.
    pub fn decisions(&mut self, block: &Block) {
        let mut from = block.span.start;
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::WinWhen(..) | StmtKind::EndWhen(_) => {
                    let notes = self.notes(stmt, from);
                    self.stmt(stmt, &notes);
                }
                StmtKind::If(arms, otherwise) => {
                    arms.iter().map(|(_, body)| body).chain(otherwise).for_each(|body| self.decisions(body));
                }
                StmtKind::Each { body, .. }
                | StmtKind::Cycle { body, .. }
                | StmtKind::Repeat { body, .. }
                | StmtKind::Turns { body, .. }
                | StmtKind::Phase(_, body) => self.decisions(body),
                _ => {}
            }
            from = stmt.span.end;
        }
    }

    fn notes(&mut self, stmt: &Stmt, from: usize) -> StmtComments {
        let above = self.comments.above(stmt, from);
        let behind = self.comments.behind(stmt.span).filter(|(at, _)| !self.told.contains(at));
        // A comment on the first line of a block may also trail its first statement; use it once.
        self.told.extend(behind.as_ref().map(|(at, _)| *at));
        StmtComments { above, behind: behind.map(|(_, note)| note) }
    }

    fn stmt(&mut self, stmt: &Stmt, notes: &StmtComments) {
        // That the loop counts its passes is only mentioned if its body uses the number.
        if let StmtKind::Each { label: Some(label), .. }
        | StmtKind::Cycle { label: Some(label), .. }
        | StmtKind::Repeat { label: Some(label), .. }
        | StmtKind::Turns { label: Some(label), .. } = &stmt.kind
        {
            self.words.facts.used_names.borrow_mut().remove(&label.text);
        }
        let offers = offers(stmt, &self.words.facts.rules);
        if offers {
            if let Some(above) = &notes.above {
                self.say(above.clone());
            }
        } else if let Some(description) = notes.description() {
            let whole = notes.above.as_deref().is_some_and(describes) || self.comments.one_line(stmt.span);
            match &stmt.kind {
                StmtKind::Let(pattern, e) if self.used(pattern) => {
                    let (name, value) = (self.pattern(pattern), self.words.value(e));
                    return self.say(match count(&value) <= 10 {
                        true if value.contains(description.trim_end_matches('.')) => {
                            format!("{name} is {value}")
                        }
                        true => format!("{name} is {value}. {description}"),
                        false => format!("{name}: {description}"),
                    });
                }
                StmtKind::Let(..) => return,
                _ if whole => return self.say(description),
                _ => {}
            }
        }
        if let Some(above) = notes.above.as_ref().filter(|above| !offers && !describes(above)) {
            self.say(above.clone());
        }
        if self.described.is_some_and(|of| plainly(stmt, of)) {
            return;
        }
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => self.branches(arms, otherwise.as_ref(), notes),
            StmtKind::Each { pattern, source, filter, label, body } => {
                if let Some(text) = self.everybody(pattern, source, filter.as_ref(), body) {
                    return self.say(notes.beside(text));
                }
                let each = self.each(pattern, source, filter.as_ref());
                let label = label.as_ref().map(|name| name.text.as_str());
                self.head(&format!("for each {each}"), label, "time", body, notes);
            }
            StmtKind::Cycle { pattern, source, filter, label, until, body } => {
                let what = self.pattern(pattern);
                let all = self.words.value(source);
                let only = self.filter(filter.as_ref(), " (only if ", ")");
                let end = self.brief_until(until.as_ref(), " until ");
                let head = format!("go through {all} in order, again and again{end}; for each {what}{only}");
                let label = label.as_ref().map(|name| name.text.as_str());
                self.head(&head, label, "time", body, notes);
                self.long_until(until.as_ref(), "all of this ends as soon as");
            }
            StmtKind::Repeat { count, label, body, until } => {
                let mut head = match count {
                    Some(n) => match self.words.value(n).as_str() {
                        "1" => "once".to_string(),
                        "2" => "twice".to_string(),
                        n if n.contains(' ') => format!("as many times as {n}"),
                        n => format!("{n} times"),
                    },
                    None => "again and again".to_string(),
                };
                let stop = if count.is_some() {
                    ", or until, at the end of a pass, "
                } else {
                    " until, at the end of a pass, "
                };
                head.push_str(&self.brief_until(until.as_ref(), stop));
                let label = label.as_ref().map(|name| name.text.as_str());
                self.head(&head, label, "time", body, notes);
                self.long_until(until.as_ref(), "this is not repeated if");
            }
            StmtKind::Turns { by, from, label, before, stuck, body, after } => {
                let mut head = match by {
                    Some(by) => match self.words.value(by).as_str() {
                        list if list.starts_with("the players") || list.starts_with("the other players") => {
                            format!("{list} take turns in seat order")
                        }
                        list => {
                            let list = list.strip_prefix("the list ").unwrap_or(list);
                            format!("turns go to {list} in order, again and again")
                        }
                    },
                    None if self.words.facts.alone => "turn after turn".to_string(),
                    None => "players take turns in seat order".to_string(),
                };
                if let Some(from) = from {
                    head.push_str(&format!(", starting with {}", self.words.value(from)));
                }
                let comma = if from.is_some() { "," } else { "" };
                head.push_str(&self.brief_until(before.as_ref(), &format!("{comma} until ")));
                let also = match before {
                    Some(_) => ", or until, at the end of a turn, ".to_string(),
                    None => format!("{comma} until, at the end of a turn, "),
                };
                head.push_str(&self.brief_until(after.as_ref(), &also));
                match stuck {
                    Some(Stuck::Skip) => {
                        head.push_str(
                            "; a player who cannot move is skipped, and the turns end when nobody can move",
                        );
                    }
                    Some(Stuck::Drop) => head.push_str("; a player who cannot move is out"),
                    None => {}
                }
                let label = label.as_ref().map(|name| name.text.as_str());
                self.head(&format!("{head}. On your turn"), label, "turn", body, notes);
                self.long_until(before.as_ref(), "these turns end as soon as");
                self.long_until(after.as_ref(), "at the end of a turn, these turns stop if");
            }
            StmtKind::Phase(name, body) => {
                let head = format!("phase {}", page::name(&name.text));
                self.head(&head, None, "time", body, notes);
            }
            StmtKind::Need(cond, reason) => self.need(cond, reason, notes),
            StmtKind::Say(text, to) => {
                let who = to.as_ref().map_or("everybody".to_string(), |to| self.words.value(to));
                let (be, secretly) = (be(&who), if to.is_some() { " in secret" } else { "" });
                self.say(format!("{who} {be} told{secretly}: {}", self.words.spoken(text)));
            }
            StmtKind::Let(pattern, _) if !self.used(pattern) => {}
            StmtKind::WinWhen(who, c) => {
                let who = self.words.value(who);
                self.condition(&format!("{who} {} as soon as", wins(&who)), c, true, "", notes);
            }
            StmtKind::EndWhen(c) => self.condition("the match ends as soon as", c, true, "", notes),
            _ => {
                let text = self.simple(stmt);
                self.say(notes.beside(text));
            }
        }
    }

    /// Whether a name of the pattern is used on the sheet.
    fn used(&self, pattern: &Pattern) -> bool {
        let met = self.words.facts.used_names.borrow();
        pattern.names.iter().any(|name| met.contains(&name.text))
    }

    /// Recognises `each p in players { ask p to … }`, where everybody plays once.
    fn everybody(
        &self,
        pattern: &Pattern,
        source: &Expr,
        filter: Option<&Expr>,
        body: &Block,
    ) -> Option<String> {
        let (None, [name], [Stmt { kind: StmtKind::Ask(who, choices), .. }]) =
            (filter, pattern.names.as_slice(), body.stmts.as_slice())
        else {
            return None;
        };
        match &who.kind {
            ExprKind::Name(asked) if *asked == name.text && self.comments.inside(body.span).is_empty() => {
                let who = match self.words.value(source).as_str() {
                    "all players" => "each player, in seat order,".to_string(),
                    "the players still in" => "each player still in, in seat order,".to_string(),
                    all => format!("each of {all}, one after another,"),
                };
                Some(format!("{who} plays {}", self.choices(choices)))
            }
            _ => None,
        }
    }

    /// Adds a head line and its body; a short body of one line goes on the same line.
    fn head(&mut self, head: &str, label: Option<&str>, of: &str, body: &Block, notes: &StmtComments) {
        let lines = self.inner(|inner| inner.block(body));
        let counted = label.filter(|label| self.words.facts.used_names.borrow().contains(*label));
        let counted =
            counted.map_or(String::new(), |label| format!(" ({} counts the {of}s)", self.words.name(label)));
        let head = format!("{head}{counted}");
        let remark = notes.behind.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        match lines.as_slice() {
            [] => self.say(format!("{head}{remark}")),
            [one]
                if one.depth == self.depth + 1 && count(&head) + count(&one.text) + count(&remark) < LONG =>
            {
                self.say(format!("{head}: {}{remark}", one.text));
            }
            _ => {
                self.say(format!("{head}{remark}:"));
                self.lines.extend(lines);
            }
        }
    }

    fn branches(&mut self, arms: &[(Expr, Block)], otherwise: Option<&Block>, notes: &StmtComments) {
        let nothing = StmtComments::default();
        // Branches that do nothing are left out; those before others are needed.
        let otherwise = otherwise.filter(|body| !self.does_nothing(body));
        let last = arms.iter().rposition(|(_, body)| !self.does_nothing(body));
        let told = if otherwise.is_some() { arms.len() } else { last.map_or(0, |last| last + 1) };
        for (i, (cond, body)) in arms.iter().enumerate().take(told) {
            let word = if i == 0 { "if" } else { "otherwise, if" };
            let notes = if i == 0 { notes } else { &nothing };
            let claim = self.words.clause(cond, true);
            if self.does_nothing(body) {
                self.say(notes.beside(format!("{word} {claim}: nothing happens")));
                continue;
            }
            self.head(&format!("{word} {claim}"), None, "time", body, notes);
        }
        if let Some(body) = otherwise {
            self.head("otherwise", None, "time", body, &nothing);
        }
    }

    /// Whether a block does nothing: its messages are left out.
    fn does_nothing(&self, body: &Block) -> bool {
        body.stmts.is_empty() && self.comments.inside(body.span).is_empty()
    }

    /// Adds a need: its comment, or when it fails and the message shown then.
    pub fn need_of(&mut self, cond: &Expr, reason: &Expr) {
        self.need(cond, reason, &StmtComments::default());
    }

    fn need(&mut self, cond: &Expr, reason: &Expr, notes: &StmtComments) {
        let reason = self.words.reason(reason);
        // The contrary of a condition for each case is hard to follow.
        if matches!(cond.kind, ExprKind::Case(..)) {
            let tail = format!(" (otherwise “{reason}”)");
            return self.condition("allowed only when", cond, true, &tail, notes);
        }
        self.condition("not allowed when", cond, false, &format!(" (“{reason}”)"), notes);
    }

    /// Adds a condition after a head; a long condition is split into a list of its parts.
    fn condition(&mut self, head: &str, cond: &Expr, holds: bool, tail: &str, notes: &StmtComments) {
        let claim = self.words.clause(cond, holds);
        let text = format!("{head} {claim}{tail}");
        if count(&text) <= LONG {
            return self.say(notes.beside(text));
        }
        match parts(cond, holds) {
            Some((all, parts)) => {
                let word = if all { "all of this holds" } else { "one of these holds" };
                self.say(format!("{}:", notes.beside(format!("{head} {word}{tail}"))));
                for (part, holds) in parts {
                    let text = self.words.clause(part, holds);
                    self.lines.push(Line { depth: self.depth + 1, text });
                }
            }
            None => {
                self.say(format!("{}:", notes.beside(format!("{head} this holds{tail}"))));
                self.lines.push(Line { depth: self.depth + 1, text: claim });
            }
        }
    }

    fn each(&self, pattern: &Pattern, source: &Expr, filter: Option<&Expr>) -> String {
        let what = self.pattern(pattern);
        format!("{}{}", self.words.among(&what, source), self.filter(filter, " where ", ""))
    }

    fn filter(&self, filter: Option<&Expr>, before: &str, behind: &str) -> String {
        filter.map_or(String::new(), |c| format!("{before}{}{behind}", self.words.clause(c, true)))
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        let names: Vec<String> = pattern.names.iter().map(|name| self.words.name(&name.text)).collect();
        join_with(&names, "and")
    }

    /// Describes what ends a loop, if that takes only a few words.
    fn brief_until(&self, until: Option<&Until>, before: &str) -> String {
        match until {
            None => String::new(),
            Some(Until::Stuck(_)) => format!("{before}the player to move has no legal move"),
            Some(Until::Cond(c)) => match self.words.clause(c, true) {
                claim if count(&claim) <= BRIEF => format!("{before}{claim}"),
                _ => String::new(),
            },
        }
    }

    /// Adds a separate line saying what ends a loop, if that takes many words.
    fn long_until(&mut self, until: Option<&Until>, head: &str) {
        if let Some(Until::Cond(c)) = until
            && count(&self.words.clause(c, true)) > BRIEF
        {
            self.condition(head, c, true, "", &StmtComments::default());
        }
    }

    /// Describes a statement without a block in one line.
    fn simple(&self, stmt: &Stmt) -> String {
        let value = |e: &Expr| self.words.value(e);
        match &stmt.kind {
            StmtKind::Let(pattern, e) if pattern.names.len() > 1 => {
                format!("{} are the parts of {}", self.pattern(pattern), value(e))
            }
            StmtKind::Let(pattern, e) => format!("{} is {}", self.pattern(pattern), value(e)),
            StmtKind::NeedIfPossible(cond, reason) => {
                let reason =
                    reason.as_ref().map_or(String::new(), |r| format!(" ({})", self.words.reason(r)));
                format!("this move is made, if possible, so that {}{reason}", self.words.clause(cond, true))
            }
            StmtKind::Award(amount, to, why) => self.award(amount, to, why.as_ref()),
            StmtKind::Send(what, from, to) => {
                format!("{} goes from {} to {}", value(what), value(from), value(to))
            }
            StmtKind::Reveal(what) => format!("{} is revealed", self.whole(what)),
            StmtKind::Conceal(what) => format!("{} is hidden again", self.whole(what)),
            StmtKind::Out(who) => {
                let who = value(who);
                format!("{who} {} out of the game", be(&who))
            }
            StmtKind::Again => "the same player goes again".to_string(),
            StmtKind::Ask(who, choices) => {
                let who = value(who);
                format!(
                    "{who} {} {}",
                    if be(&who) == "are" { "play" } else { "plays" },
                    self.choices(choices)
                )
            }
            StmtKind::Together(who, choices) => {
                let who = self.together(who);
                let choices = self.choices(choices);
                format!("in secret and at the same time, {who} play {choices}")
            }
            StmtKind::Choose(choices) => match choices.first.first() {
                Some(first) if self.words.facts.rules.contains(&first.name.text.as_str()) => {
                    self.choices(choices)
                }
                _ => format!("play {}", self.choices(choices)),
            },
            StmtKind::TogetherAsk(asks) => {
                let asks: Vec<String> = asks
                    .iter()
                    .map(|(who, choices)| {
                        let several = matches!(&who.kind, ExprKind::List(inside) if !inside.has_tail());
                        let who = self.together(who);
                        let plays = if several || be(&who) == "are" { "play" } else { "plays" };
                        format!("{who} {plays} {}", self.choices(choices))
                    })
                    .collect();
                format!("in secret and at the same time, {}", join_with(&asks, "and"))
            }
            StmtKind::Chance(name, from, filter) => {
                let from = self.words.domain_where("it", from, filter.as_ref());
                format!("{} is drawn at random: {from}", self.words.name(&name.text))
            }
            StmtKind::Shuffle(row) => format!("shuffle {}", value(row)),
            StmtKind::Draw(name, from) => {
                format!("{} is drawn at random from {}", self.words.name(&name.text), value(from))
            }
            StmtKind::Deal(n, from, to) => {
                // Only a list has a beginning to deal from.
                let way = if self.words.is_list(from) { "in order" } else { "at random" };
                let n = value(n);
                let comma = if n.contains(", ") { "," } else { "" };
                format!("deal {n}{comma} from {} to {}, {way}", value(from), value(to))
            }
            StmtKind::Win(who) => {
                let who = value(who);
                format!("{who} {} the match at once", wins(&who))
            }
            StmtKind::End => "the match ends".to_string(),
            StmtKind::Assign(place, how, e) => self.assign(place, *how, e),
            _ => String::new(),
        }
    }

    /// Describes the players of a joint choice.
    fn together(&self, who: &Expr) -> String {
        match &who.kind {
            ExprKind::List(inside) if inside.body.is_none() => {
                join_with(&self.words.values(&inside.items), "and")
            }
            _ => self.words.value(who),
        }
    }

    fn award(&self, amount: &Expr, to: &Expr, why: Option<&Expr>) -> String {
        let to = self.words.value(to);
        let verb = if be(&to) == "are" { "score" } else { "scores" };
        let points = match self.words.value(amount).as_str() {
            "1" => "1 point".to_string(),
            n if n.chars().all(|c| c.is_ascii_digit()) => format!("{n} points"),
            n if n.starts_with("the ") => format!("as many points as {n}"),
            n => format!("{n} points"),
        };
        // A reason with values that are unknown here is left out.
        let why = why.map(|why| self.words.reason(why)).filter(|why| !why.contains('…'));
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        format!("{to} {verb} {points}{why}")
    }

    /// Describes the moves to choose among, or the rules to follow.
    fn choices(&self, choices: &Choices) -> String {
        let all = |choices: &[Choice]| {
            let names: Vec<String> = choices.iter().map(|choice| self.choice(choice)).collect();
            join_with(&names, "or")
        };
        let passed = if choices.if_possible { " (a player who cannot is skipped)" } else { "" };
        match choices.otherwise.as_slice() {
            [] => format!("{}{passed}", all(&choices.first)),
            otherwise => {
                format!("{}; if that is impossible, {}{passed}", all(&choices.first), all(otherwise))
            }
        }
    }

    fn choice(&self, choice: &Choice) -> String {
        let name = &choice.name.text;
        let given = match choice.given.as_deref() {
            None | Some([]) => String::new(),
            Some(given) => format!(" with {}", join_with(&self.words.values(given), "and")),
        };
        match self.words.facts.rules.contains(&name.as_str()) {
            true => {
                self.words.facts.used_names.borrow_mut().insert(name.clone());
                format!("follow the rule {}{given}", page::name(name))
            }
            false => format!("{}{given}", said(&name.replace('_', " "))),
        }
    }
}

/// Splits a condition into its operands: whether all of them must hold, and for each whether it must be true.
pub(super) fn parts(e: &Expr, holds: bool) -> Option<(bool, Vec<(&Expr, bool)>)> {
    match &e.kind {
        ExprKind::Not(a) => parts(a, !holds),
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
            let mut out = Vec::new();
            flatten(e, *op, holds, &mut out);
            Some(((*op == BinaryOp::And) == holds, out))
        }
        _ => None,
    }
}

fn flatten<'e>(e: &'e Expr, op: BinaryOp, holds: bool, out: &mut Vec<(&'e Expr, bool)>) {
    match &e.kind {
        ExprKind::Binary(inner, a, b) if *inner == op => {
            flatten(a, op, holds, out);
            flatten(b, op, holds, out);
        }
        _ => out.push((e, holds)),
    }
}

/// Returns the piece of state that a statement changes.
fn changes(stmt: &Stmt) -> Option<&str> {
    match &stmt.kind {
        StmtKind::Assign(place, ..) | StmtKind::Send(_, place, _) => written(place),
        StmtKind::Each { body, .. } | StmtKind::Repeat { body, .. } => body.stmts.iter().find_map(changes),
        _ => None,
    }
}

/// Returns the state that a statement and those within it may change.
pub(super) fn changed(stmt: &Stmt) -> Vec<&str> {
    match &stmt.kind {
        StmtKind::If(arms, otherwise) => {
            let blocks = arms.iter().map(|(_, block)| block).chain(otherwise);
            blocks.flat_map(|block| &block.stmts).flat_map(changed).collect()
        }
        _ => changes(stmt).into_iter().collect(),
    }
}

/// Whether a statement only changes this piece of state, and to a name, field or literal. A computed value is
/// a rule that needs telling.
fn plainly(stmt: &Stmt, of: &str) -> bool {
    let plain = |value: &Expr| {
        matches!(
            value.kind,
            ExprKind::Name(_)
                | ExprKind::Number(_)
                | ExprKind::Bool(_)
                | ExprKind::None
                | ExprKind::Field(..)
        )
    };
    match &stmt.kind {
        StmtKind::Assign(_, _, value) => changes(stmt) == Some(of) && plain(value),
        StmtKind::Send(..) => changes(stmt) == Some(of),
        _ => false,
    }
}

/// Returns the piece of state that an assignment target belongs to.
pub(super) fn written(place: &Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Field(_, name) => Some(&name.text),
        ExprKind::Index(base, _) => written(base),
        ExprKind::Tuple(places) => places.first().and_then(written),
        _ => None,
    }
}

/// Returns the number of words in a text.
pub(super) fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether a statement, or one nested in it, offers moves.
pub(super) fn offers(stmt: &Stmt, rules: &[&str]) -> bool {
    within(stmt, &|stmt| match &stmt.kind {
        StmtKind::Ask(..) | StmtKind::Together(..) | StmtKind::TogetherAsk(..) => true,
        StmtKind::Choose(choices) => {
            choices.first.iter().any(|choice| !rules.contains(&choice.name.text.as_str()))
        }
        _ => false,
    })
}

fn wins(who: &str) -> &'static str {
    if be(who) == "are" { "win" } else { "wins" }
}
