//! The rules sheet: rules that a stranger could play from, generated from the rule file alone. The author's
//! comments come first; formulas are put into words where no comment describes them.

mod calls;
mod changes;
mod clause;
mod comments;
mod ending;
mod facts;
mod fill;
mod gathered;
mod html;
mod markdown;
mod material;
mod page;
mod plain;
mod statements;
mod story;
mod types;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::args::large;
use super::drawing::Figure;
use super::{Match, Rules};
use crate::ast::{
    Block, Example, Expr, ExprKind, File, Header, Item, ItemKind, Move, OptionDecl, Secrecy, State, Stmt,
    StmtKind, TextPart, Type, TypeKind,
};
use crate::ir::{self, Value};
use crate::syntax::layout::layout;
pub(super) use clause::{Clause, clause, compared, preference, winner_comment};
use comments::{Comments, describes};
use facts::Facts;
pub use html::{GENERATOR, page_start};
use page::{Page, Part, join_with, name, prose, said, sentence};
use statements::Outline;
use words::Words;
pub(super) use words::be;

/// The output format of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetFormat {
    /// Plain text, in lines of at most this many columns (at least 24).
    Plain(usize),
    /// Like `Plain`, with drawings replaced by words, for screen readers.
    Words(usize),
    /// Markdown.
    Markdown,
    /// A self-contained HTML page.
    Html,
    /// HTML for embedding in another page; heading levels are increased by this number.
    HtmlPart(usize),
}

/// Returns the sheet as plain text, in lines of at most `width` columns.
pub fn sheet(rules: &Rules, width: usize) -> String {
    sheet_with(rules, &BTreeMap::new(), None, SheetFormat::Plain(width))
}

/// Returns the sheet in a format. The given options (by index) and number of players are filled in.
pub fn sheet_with(
    rules: &Rules,
    options: &BTreeMap<usize, Value>,
    players: Option<usize>,
    format: SheetFormat,
) -> String {
    let (mut file, _) = crate::syntax::parse(&rules.source);
    let laid = layout(&rules.source);
    fill::fill(&mut file, &rules.game, options, players);
    let comments = Comments::new(&laid.masked, &laid.comments);
    let mut facts = Facts::new(&laid.masked, &file, &rules.game);
    for function in &rules.game.functions {
        if function.lambda.body.ty == ir::Type::Bool {
            facts.claims.insert(function.name.clone());
        }
        let ty = &function.lambda.body.ty;
        if matches!(ty, ir::Type::List(of) | ir::Type::Set(of) if **of == ir::Type::Square) {
            facts.lines.insert(function.name.clone());
        }
    }
    let rules = Arc::new(rules.clone());
    let start = Match::undrawn(rules.clone(), options, players.unwrap_or(rules.default_players()), 0).ok();
    let sheet = Sheet { file: &file, facts: &facts, comments, options, players, start };
    let mut page = Page::default();
    sheet.write(&mut page, &rules);
    match format {
        SheetFormat::Plain(width) => plain::plain(&page, width, false),
        SheetFormat::Words(width) => plain::plain(&page, width, true),
        SheetFormat::Markdown => markdown::markdown(&page),
        SheetFormat::Html => html::html(&page),
        SheetFormat::HtmlPart(lower) => html::parts(&page, lower),
    }
}

/// A rule file, and what is needed to put it into words.
struct Sheet<'a> {
    file: &'a File,
    facts: &'a Facts<'a>,
    comments: Comments<'a>,
    options: &'a BTreeMap<usize, Value>,
    players: Option<usize>,
    /// A match at its start, used for drawings.
    start: Option<Match>,
}

/// The numbers from 1 to 12 in words.
pub(crate) const NUMBER_WORDS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Returns a number of players, in words up to twelve.
fn players(count: usize) -> String {
    let number = NUMBER_WORDS.get(count.wrapping_sub(1)).map_or(count.to_string(), |word| word.to_string());
    format!("{number} player{}", if count == 1 { "" } else { "s" })
}

impl<'a> Sheet<'a> {
    fn words(&self) -> Words<'a> {
        Words::new(self.facts)
    }

    fn items(&self) -> impl Iterator<Item = (&'a Item, &'a ItemKind)> {
        self.file.items.iter().map(|item| (item, &item.kind))
    }

    fn examples(&self) -> impl Iterator<Item = &'a Example> {
        self.items().filter_map(|(_, kind)| match kind {
            ItemKind::Example(example) => Some(example),
            _ => None,
        })
    }

    fn write(&self, page: &mut Page, rules: &Arc<Rules>) {
        for (item, kind) in self.items() {
            if let ItemKind::Game(header) = kind {
                self.header(page, header, item.doc.as_deref());
            }
        }
        self.options(page);
        self.table(page);
        self.moves(page);
        self.play(page);
        self.scoring(page);
        self.ending(page);
        self.meanings(page);
        self.story(page, rules);
        self.differences(page);
    }

    // ---- header

    fn header(&self, page: &mut Page, header: &Header, summary: Option<&str>) {
        page.parts.push(Part::Title(header.title_text()));
        match (&header.by, &header.from) {
            (Some(by), Some(from)) => page.parts.push(Part::Byline(format!("by {by} ({from})"))),
            (Some(by), None) => page.parts.push(Part::Byline(format!("by {by}"))),
            (None, Some(from)) => page.parts.push(Part::Byline(format!("Source: {from}"))),
            (None, None) => {}
        }
        if let Some(summary) = summary {
            page.parts.push(Part::Lead(sentence(&prose(summary))));
        }
        let mut about = Vec::new();
        if let Some(seats) = &header.players {
            let (min, max) =
                (seats.min.as_usize().unwrap_or(1), seats.max.as_ref().and_then(|max| max.as_usize()));
            let count = match (self.players, max) {
                (Some(count), _) => players(count),
                (None, None) => format!("{min} or more players"),
                (None, Some(max)) if min == max => players(min),
                (None, Some(max)) => format!("{min} to {max} players"),
            };
            let called: Vec<String> = seats.called.iter().map(|name| name.text.replace('_', " ")).collect();
            let called = match called.as_slice() {
                [] => String::new(),
                names => format!(", called {}", join_with(names, "and")),
            };
            about.push(format!("For {count}{called}."));
        }
        about.push(self.needed());
        page.para(about.join(" "));
        for note in &header.notes {
            page.para(sentence(&prose(note)));
        }
    }

    fn options(&self, page: &mut Page) {
        let outline = |cond: &Expr, reason: &Expr| {
            let mut outline = Outline::new(self.words(), &self.comments);
            outline.need_of(cond, reason);
            outline.finish()
        };
        let mut parts = Vec::new();
        let decls = self.items().filter_map(|(item, kind)| match kind {
            ItemKind::Option(OptionDecl { name, ty: Some(ty), default }) => Some((item, name, ty, default)),
            _ => None,
        });
        for (id, (item, named, ty, default)) in decls.enumerate() {
            let about =
                item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(&prose(doc))));
            let label = named.text.replace('_', " ");
            let text = match self.options.get(&id) {
                Some(value) => format!("{}.{about}", self.option_value(value)),
                None => {
                    let usual = self.words().value(default);
                    format!("{}; usually {}.{about}", self.values(ty), usual.trim_start_matches("the list "))
                }
            };
            parts.push(Part::Entry(label, text));
        }
        for (item, kind) in self.items() {
            if let ItemKind::Need(cond, reason) = kind {
                match item.doc.as_deref().filter(|doc| describes(doc)) {
                    Some(doc) => parts.push(Part::Entry(String::new(), sentence(&prose(doc)))),
                    None if matches!(cond.kind, ExprKind::Bool(true)) => {}
                    None => parts.push(Part::Outline(
                        outline(cond, reason)
                            .into_iter()
                            .map(|line| page::Line { text: sentence(&line.text), ..line })
                            .collect(),
                    )),
                }
            }
        }
        if !parts.is_empty() {
            page.heading("Before you begin");
            let all = self.options.len()
                == parts
                    .iter()
                    .filter(|part| matches!(part, Part::Entry(name, _) if !name.is_empty()))
                    .count();
            page.para(if all { "The settings are:" } else { "Agree on these:" });
            page.parts.extend(parts);
        }
    }

    fn option_value(&self, value: &Value) -> String {
        match &self.start {
            Some(start) => crate::eval::text::words(&start.rules.game, value).replace('_', " "),
            None => String::new(),
        }
    }

    /// Describes the values of an option.
    fn values(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Range(low, high) => {
                format!("{} to {}", self.words().value(low), self.words().value(high))
            }
            TypeKind::AtLeast(low) => format!("{} or more", self.words().value(low)),
            _ => self.words().one(ty),
        }
    }

    // ---- state

    fn table(&self, page: &mut Page) {
        for (heading, own) in [("On the table", false), ("Each player has", true)] {
            let states = self.items().filter_map(|(_, kind)| match kind {
                ItemKind::Table(states) if !own => Some(states),
                ItemKind::EachPlayer(states) if own => Some(states),
                _ => None,
            });
            let mut states = states.flatten().peekable();
            if states.peek().is_some() {
                page.heading(heading);
            }
            for state in states {
                page.entry(state.name.text.replace('_', " "), self.state(state));
            }
            if !own {
                self.boards(page);
            }
        }
        self.shows(page);
    }

    fn state(&self, state: &State) -> String {
        let mut words = self.words();
        words.me = "the player";
        let doc = state.doc.as_deref().map(prose);
        let met = self.facts.used_names.borrow().clone();
        let ty = words.one(&state.ty);
        let described = doc.as_deref().is_some_and(describes);
        // A described piece of state does not need the formula of its type.
        let plain = matches!(state.ty.kind, TypeKind::Grid { .. }) || statements::count(&ty) <= 8;
        let mut text = ty;
        if described && !plain {
            text.clear();
            *self.facts.used_names.borrow_mut() = met;
        }
        let init = state.init.as_ref().map(|init| match &init.kind {
            ExprKind::List(inside) | ExprKind::Set(inside) | ExprKind::Call(_, inside)
                if inside.items.is_empty() && !inside.has_tail() =>
            {
                "empty".to_string()
            }
            ExprKind::None if matches!(state.ty.kind, TypeKind::Grid { .. }) => "empty".to_string(),
            _ => words.value(init),
        });
        let each = state.each.as_ref().map(|each| each.text.replace('_', " "));
        match (init, each) {
            (Some(first), Some(each)) => text.push_str(&format!("; {first} at the start of each {each}")),
            // A described piece of state does not need the formula of its initial value.
            (Some(first), None) if described && (text.is_empty() || statements::count(&first) > 6) => {}
            (Some(first), None) => text.push_str(&format!("; initially {first}")),
            (None, Some(each)) => text.push_str(&format!("; blank at the start of each {each}")),
            (None, None) => {}
        }
        let mut text = sentence(text.trim_start_matches("; "));
        for (secrecy, _) in &state.secrecy {
            text.push_str(match secrecy {
                Secrecy::Secret => " Secret: only its owner sees it.",
                Secrecy::Hidden => " Hidden: nobody sees it.",
            });
        }
        match doc {
            Some(doc) => format!("{} {text}", sentence(&doc)).trim_end().to_string(),
            None => text,
        }
    }

    /// Draws the boards in their initial position.
    fn boards(&self, page: &mut Page) {
        let Some(start) = &self.start else { return };
        let boards = story::drawn(start);
        let Some((_, first)) = boards.first() else { return };
        let open: Vec<String> = start
            .options()
            .enumerate()
            .filter(|(id, _)| !self.options.contains_key(id))
            .map(|(_, (option, value))| {
                format!(
                    "{} = {}",
                    self.words().name(option),
                    crate::eval::text::words(&start.rules.game, value)
                )
            })
            .collect();
        let sized = boards.iter().flat_map(|(names, _)| names).any(|board| self.depends_on_options(board));
        let drawn = match sized && !open.is_empty() {
            true => format!(" (here with {})", join_with(&open, "and")),
            false => String::new(),
        };
        page.para(format!("{} At the start{drawn}:", coordinates(first)));
        let many = boards.len() > 1;
        for (names, figure) in boards {
            if let (true, Some(name)) = (many, names.first()) {
                page.para(format!("{}:", sentence(&self.words().thing(name)).trim_end_matches('.')));
            }
            page.parts.push(Part::of(figure));
        }
    }

    /// Whether the size of a grid is not a constant, but depends on options.
    fn depends_on_options(&self, board: &str) -> bool {
        match self.facts.states.get(board) {
            Some(TypeKind::Grid { rows, columns, .. }) => {
                [rows, columns].iter().any(|size| !matches!(size.kind, ExprKind::Number(_)))
            }
            _ => false,
        }
    }

    /// Shows how the table is written down at the start, unless boards are drawn already.
    fn shows(&self, page: &mut Page) {
        let Some(start) = &self.start else { return };
        let mut filled = Vec::new();
        for (item, kind) in self.items() {
            let ItemKind::Show(Expr { kind: ExprKind::Text(parts), .. }, _) = kind else { continue };
            if let Some(doc) = &item.doc {
                filled.push(prose(doc));
                continue;
            }
            for part in parts {
                if let TextPart::Filled(e) = part {
                    filled.push(self.words().value(e));
                }
            }
        }
        if filled.is_empty() || !story::drawn(start).is_empty() {
            return;
        }
        let Some((shown, by_chance)) = self.first_shown(start) else { return };
        page.heading("What you write down");
        let filled = filled.join("; then ");
        if shown.trim().is_empty() {
            page.para(sentence(&format!("as the match goes on, you write this: {filled}")));
            return page.para("At the start there is nothing to write.");
        }
        page.para(match by_chance {
            true => "At the start you write, for example:",
            false => "At the start you write:",
        });
        page.parts.push(Part::Verbatim(shown.trim_end().lines().map(str::to_string).collect()));
        page.para(sentence(&format!("this shows: {filled}")));
    }

    /// Returns how the table is written down before the first choice, and whether that is left to chance. What play draws
    /// before it offers anything belongs to the set-up.
    fn first_shown(&self, start: &Match) -> Option<(String, bool)> {
        let offered = |stmt: &&Stmt| !statements::offers(stmt, &self.facts.rules);
        let set_up = self.items().any(|(_, kind)| match kind {
            ItemKind::Play(block) => block.stmts.iter().take_while(offered).any(ending::draws),
            _ => false,
        });
        if !set_up || !start.draw_due() {
            return Some((start.show().ok()?, false));
        }
        let drawn = |seed| {
            let mut drawn = start.clone();
            drawn.reseed(seed);
            drawn.draw_all().ok()?;
            drawn.show().ok()
        };
        let (first, other) = (drawn(1)?, drawn(2)?);
        let by_chance = first != other;
        Some((first, by_chance))
    }

    // ---- moves

    fn moves(&self, page: &mut Page) {
        let mut any = false;
        for (item, kind) in self.items() {
            if let ItemKind::Move(mv) = kind {
                if !any {
                    page.heading("Moves");
                    any = true;
                }
                self.one_move(page, mv, item.doc.as_deref());
            }
        }
    }

    fn one_move(&self, page: &mut Page, mv: &Move, doc: Option<&str>) {
        let params: Vec<&str> = mv
            .params
            .iter()
            .filter(|param| param.domain.is_some())
            .map(|param| param.name.text.as_str())
            .collect();
        let words = Words { params: &params, ..self.words() };
        let usage: String = params.iter().map(|name| format!(" {}", large(name))).collect();
        page.parts.push(Part::Subheading(format!("{}{usage}", mv.name.text.replace('_', " "))));
        if let Some(doc) = doc {
            page.para(sentence(&prose(doc)));
        }
        let mut about = Vec::new();
        for param in mv.params.iter().filter(|param| param.domain.is_none()) {
            about.push(format!("{} is set by the rules, not chosen.", name(&param.name.text)));
        }
        let mut domains: Vec<(String, Vec<String>)> = Vec::new();
        for param in &mv.params {
            let Some(domain) = &param.domain else { continue };
            let name = large(&param.name.text);
            let domain = words.domain_where(&name, domain, param.filter.as_ref());
            match domains.last_mut() {
                Some((known, names)) if *known == domain => names.push(name),
                _ => domains.push((domain, vec![name])),
            }
        }
        for (domain, names) in domains {
            let are = if names.len() == 1 { "is" } else { "are each" };
            about.push(format!("{} {are} {domain}.", join_with(&names, "and")));
        }
        if let Some(sample) = story::sample(self.facts, self.examples(), &mv.name.text) {
            about.push(format!("For example: {}.", said(&sample)));
        }
        if mv.secret {
            about.push(match self.is_revealed(&mv.body) {
                true => "Your choice stays secret until it is revealed.".to_string(),
                false => "Only you know what you choose.".to_string(),
            });
        }
        let mut outline = match doc.filter(|doc| describes(doc)) {
            Some(doc) => Outline::described(words, &self.comments, &mv.body, doc, &params),
            None => Outline::new(words, &self.comments),
        };
        outline.block(&mv.body);
        if !about.is_empty() {
            page.para(about.join(" "));
        }
        page.outline(outline.finish());
    }

    /// Whether a `reveal` shows any of the state that the statements of a move change.
    fn is_revealed(&self, body: &Block) -> bool {
        let written: Vec<&str> = body.stmts.iter().flat_map(statements::changed).collect();
        let shows = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Reveal(what) => statements::written(what).is_some_and(|name| written.contains(&name)),
            _ => false,
        };
        self.items().any(|(_, kind)| match kind {
            ItemKind::Play(block) | ItemKind::Rule(_, _, block) => {
                block.stmts.iter().any(|stmt| ending::within(stmt, &shows))
            }
            ItemKind::Move(mv) => mv.body.stmts.iter().any(|stmt| ending::within(stmt, &shows)),
            _ => false,
        })
    }

    // ---- play

    fn play(&self, page: &mut Page) {
        page.heading("How play goes");
        for (item, kind) in self.items() {
            if let ItemKind::Play(block) = kind {
                if let Some(doc) = &item.doc {
                    page.para(sentence(&prose(doc)));
                }
                // Name who moves first, if the first choice is in `turns` in seat order.
                let first = block.stmts.iter().find(|stmt| statements::offers(stmt, &self.facts.rules));
                if let Some(StmtKind::Turns { by: None, from: None, .. }) = first.map(|stmt| &stmt.kind)
                    && !self.facts.alone
                {
                    page.para(sentence(&format!("{} goes first", self.facts.seat(1))));
                }
                let mut outline = Outline::new(self.words(), &self.comments);
                outline.block(block);
                page.outline(outline.finish());
            }
        }
        self.rules(page);
    }

    /// Writes the named rules that the sheet refers to, in file order; a rule may refer to another one.
    fn rules(&self, page: &mut Page) {
        let mut told: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        loop {
            let before = told.len();
            for (at, (item, kind)) in self.items().enumerate() {
                let ItemKind::Rule(named, params, body) = kind else { continue };
                if told.contains_key(&at) || !self.facts.used_names.borrow().contains(&named.text) {
                    continue;
                }
                let mut own = Page::default();
                let given: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
                let params: Vec<String> = given.iter().map(|param| self.words().name(param)).collect();
                let of = if params.is_empty() {
                    String::new()
                } else {
                    format!(", with {}", join_with(&params, "and"))
                };
                own.parts.push(Part::Subheading(format!("The rule {}{of}", name(&named.text))));
                let doc = item.doc.as_deref();
                if let Some(doc) = doc {
                    own.para(sentence(&prose(doc)));
                }
                let mut outline = match doc.filter(|doc| describes(doc)) {
                    Some(doc) => Outline::described(self.words(), &self.comments, body, doc, &given),
                    None => Outline::new(self.words(), &self.comments),
                };
                outline.block(body);
                own.outline(outline.finish());
                told.insert(at, own.parts);
            }
            if told.len() == before {
                break;
            }
        }
        page.parts.extend(told.into_values().flatten());
    }

    /// Lists the changes that a variant makes.
    fn differences(&self, page: &mut Page) {
        let Some(variation) = &self.file.variation else { return };
        page.heading("How this game differs");
        page.para(format!("This is a variant of {}. It makes these changes:", variation.of));
        for change in &variation.changes {
            page.entry("", prose(&change.replace("define ", "the meaning of ").replace('_', " ")));
        }
    }
}

/// Explains how the squares of a figure are named.
fn coordinates(figure: &Figure) -> String {
    let Figure::Board(board) = figure else {
        return "Sides are named by a letter and a number. For sides above and below squares, these stand at the top and on the left; for sides left and right of squares, at the bottom and on the right.".to_string();
    };
    let (heads, rows) = (board.heads(), board.rows());
    let (head, row) = (heads.get(1).or(heads.first()), rows.get(2).or(rows.last()));
    match (head, row) {
        (Some(letter), Some((number, _))) if letter.chars().all(char::is_alphabetic) => format!(
            "Squares are named by column letter and row number: {} is in column {}, row {number}. Column a is column 1, and row 1 is at the top.",
            said(&format!("{letter}{number}")),
            if heads.len() > 1 { 2 } else { 1 },
        ),
        _ => "Rows and columns are numbered; row 1 is at the top, column 1 on the left.".to_string(),
    }
}
