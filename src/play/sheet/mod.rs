//! The rules as a sheet a person could play from, made from the rule file alone.

mod calls;
mod deeds;
mod ending;
mod example;
mod page;
mod types;
mod words;

use super::Rules;
use crate::ast::{
    Block, Example, Expr, ExprKind, File, Header, Item, ItemKind, Move, OptionDecl, Secrecy, State, Stmt,
    Type, TypeKind,
};
use crate::syntax::layout::{Comment, layout};
use deeds::Outline;
use page::{Page, either, sentence};
use words::{Facts, Words};

/// The sheet, in lines of at most `width` columns.
pub fn sheet(rules: &Rules, width: usize) -> String {
    let (file, _) = crate::syntax::parse(&rules.source);
    let laid = layout(&rules.source);
    let facts = Facts::new(&laid.masked, &file, &rules.game);
    let sheet = Sheet { file: &file, facts: &facts, comments: &laid.comments };
    let mut page = Page::new(width);
    sheet.write(&mut page);
    page.finish()
}

/// A file, and what is needed to put it into words.
struct Sheet<'a> {
    file: &'a File,
    facts: &'a Facts<'a>,
    comments: &'a [Comment],
}

impl<'a> Sheet<'a> {
    fn words(&self) -> Words<'a> {
        Words::new(self.facts)
    }

    /// What a variant changes.
    fn differences(&self, page: &mut Page) {
        let Some(variation) = &self.file.variation else { return };
        page.heading("What differs");
        page.para(&format!("This is a variant of {}. Its own:", variation.of));
        for change in &variation.changes {
            page.entry(change);
        }
    }

    fn items(&self) -> impl Iterator<Item = (&'a Item, &'a ItemKind)> {
        self.file.items.iter().map(|item| (item, &item.kind))
    }

    fn write(&self, page: &mut Page) {
        for (item, kind) in self.items() {
            if let ItemKind::Game(header) = kind {
                self.header(page, header, item.doc.as_deref());
            }
        }
        self.differences(page);
        self.options(page);
        self.things(page);
        self.moves(page);
        self.play(page);
        self.scoring(page);
        self.meanings(page);
        if let Some(example) = self.first_example() {
            example::example(page, self.facts, self.comments, example);
        }
    }

    fn first_example(&self) -> Option<&'a Example> {
        self.items().find_map(|(_, kind)| match kind {
            ItemKind::Example(example) => Some(example),
            _ => None,
        })
    }

    // ---- the head

    fn header(&self, page: &mut Page, header: &Header, summary: Option<&str>) {
        let title = match &header.title.kind {
            ExprKind::Text(parts) => self.words().filled(parts, true),
            _ => self.words().source(header.title.span),
        };
        page.title(&title);
        match (&header.by, &header.from) {
            (Some(by), Some(from)) => page.para(&format!("by {by} ({from})")),
            (Some(by), None) => page.para(&format!("by {by}")),
            (None, Some(from)) => page.para(&format!("Source: {from}")),
            (None, None) => {}
        }
        if let Some(summary) = summary {
            page.gap();
            page.para(&sentence(summary));
        }
        page.gap();
        if let Some(players) = &header.players {
            let count = match (&players.min, &players.max) {
                (min, None) => format!("{min} or more players"),
                (min, Some(max)) if min == max && min.to_string() == "1" => "1 player".to_string(),
                (min, Some(max)) if min == max => format!("{min} players"),
                (min, Some(max)) => format!("{min} to {max} players"),
            };
            let called: Vec<String> = players.called.iter().map(|name| name.text.clone()).collect();
            let called = match called.as_slice() {
                [] => String::new(),
                names => format!(", called {}", either(names, "and")),
            };
            page.para(&format!("For {count}{called}."));
        }
        for note in &header.notes {
            page.para(&sentence(note));
        }
    }

    fn options(&self, page: &mut Page) {
        let mut any = false;
        for (item, kind) in self.items() {
            if let ItemKind::Option(OptionDecl { name, ty: Some(ty), default }) = kind {
                if !any {
                    page.heading("Before you begin");
                    page.para("Agree on these:");
                    any = true;
                }
                let usual = self.words().value(default);
                let usual = usual.trim_matches('`');
                let about = item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(doc)));
                page.entry(&format!("{}: {}; usually {usual}.{about}", name.text, self.values(ty)));
            }
        }
        for (item, kind) in self.items() {
            if let ItemKind::Need(cond, reason) = kind {
                let outline = Outline::new(self.words(), self.comments);
                let about = item.doc.as_deref().map_or(String::new(), |doc| format!(" {}", sentence(doc)));
                page.entry(&format!("{}{about}", sentence(&outline.need(cond, reason))));
            }
        }
    }

    /// The values of an option.
    fn values(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Range(low, high) => {
                format!("{} to {}", self.words().value(low), self.words().value(high))
            }
            TypeKind::AtLeast(low) => format!("{} or more", self.words().value(low)),
            _ => self.words().one(ty),
        }
    }

    // ---- what there is

    fn things(&self, page: &mut Page) {
        for (heading, players) in [("On the table", false), ("Each player has", true)] {
            let states = self.items().filter_map(|(_, kind)| match kind {
                ItemKind::Table(states) if !players => Some(states),
                ItemKind::EachPlayer(states) if players => Some(states),
                _ => None,
            });
            let mut states = states.flatten().peekable();
            if states.peek().is_some() {
                page.heading(heading);
            }
            for state in states {
                page.entry(&self.state(state));
            }
        }
        let shows: Vec<String> = self
            .items()
            .filter_map(|(_, kind)| match kind {
                ItemKind::Show(Expr { kind: ExprKind::Text(parts), .. }) => {
                    Some(self.words().filled(parts, true))
                }
                ItemKind::Show(e) => Some(self.words().value(e)),
                _ => None,
            })
            .collect();
        if !shows.is_empty() {
            page.gap();
            let filled = shows.iter().any(|show| show.contains('{'));
            let how = if filled { ", with each {…} replaced by what it says" } else { "" };
            page.para(&format!("The table is written like this{how}:"));
            for line in shows.iter().flat_map(|show| show.lines()).filter(|line| !line.trim().is_empty()) {
                page.entry(line);
            }
        }
    }

    fn state(&self, state: &State) -> String {
        let mut words = self.words();
        words.me = "the player";
        let mut text = format!("{}: {}", state.name.text, words.one(&state.ty));
        let each = state.each.as_ref().map(|each| each.text.as_str());
        if let Some(init) = &state.init {
            let first = match &init.kind {
                ExprKind::List(inside) | ExprKind::Set(inside) | ExprKind::Call(_, inside)
                    if inside.items.is_empty() && inside.body.is_none() && inside.filter.is_none() =>
                {
                    "empty".to_string()
                }
                ExprKind::None if matches!(state.ty.kind, TypeKind::Grid { .. }) => "empty".to_string(),
                _ => words.value(init),
            };
            match each {
                Some(each) => text.push_str(&format!("; {first} at the start of each {each}")),
                None => text.push_str(&format!("; at first {first}")),
            }
        } else if let Some(each) = each {
            text.push_str(&format!("; not set at the start of each {each}"));
        }
        text.push('.');
        for (secrecy, _) in &state.secrecy {
            text.push_str(match secrecy {
                Secrecy::Secret => " Secret: only its owner sees it.",
                Secrecy::Hidden => " Hidden: nobody sees it.",
            });
        }
        if let Some(doc) = &state.doc {
            text.push_str(&format!(" {}", sentence(doc)));
        }
        text
    }

    // ---- moves

    fn moves(&self, page: &mut Page) {
        let mut any = false;
        for (item, kind) in self.items() {
            if let ItemKind::Move(mv) = kind {
                if !any {
                    page.heading("Moves");
                    any = true;
                } else {
                    page.gap();
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
        let usage: String = params.iter().map(|name| format!(" {}", name.to_uppercase())).collect();
        page.inset(2, &format!("{}{usage}", mv.name.text));
        if let Some(doc) = doc {
            page.inset(4, &sentence(doc));
        }
        for param in mv.params.iter().filter(|param| param.domain.is_none()) {
            page.inset(4, &format!("{} is given by the play.", words.name(&param.name.text)));
        }
        let mut domains: Vec<(String, Vec<String>)> = Vec::new();
        for param in &mv.params {
            let Some(domain) = &param.domain else { continue };
            let (name, domain) = (param.name.text.to_uppercase(), words.domain(domain));
            match domains.last_mut() {
                Some((known, names)) if *known == domain => names.push(name),
                _ => domains.push((domain, vec![name])),
            }
        }
        for (domain, names) in domains {
            let are = if names.len() == 1 { "is" } else { "are each" };
            page.inset(4, &format!("{} {are} {domain}.", either(&names, "and")));
        }
        if mv.secret {
            page.inset(4, "What you choose stays secret until it is shown.");
        }
        let mut outline = Outline::new(words, self.comments);
        outline.block(&mv.body);
        page.outline(4, &outline.finish());
    }

    // ---- play

    fn play(&self, page: &mut Page) {
        let mut blocks: Vec<(&Block, Option<&str>)> = Vec::new();
        for (item, kind) in self.items() {
            if let ItemKind::Play(block) = kind {
                blocks.push((block, item.doc.as_deref()));
            }
        }
        let standing: Vec<&Stmt> = self
            .items()
            .filter_map(|(_, kind)| match kind {
                ItemKind::Standing(stmt) => Some(&**stmt),
                _ => None,
            })
            .collect();
        if blocks.is_empty() && standing.is_empty() {
            return;
        }
        page.heading("How play goes");
        for (block, doc) in blocks {
            if let Some(doc) = doc {
                page.para(&sentence(doc));
            }
            let mut outline = Outline::new(self.words(), self.comments);
            outline.block(block);
            page.outline(2, &outline.finish());
        }
        let mut outline = Outline::new(self.words(), self.comments);
        for stmt in standing {
            outline.noted(stmt, stmt.span.start);
        }
        page.outline(2, &outline.finish());
        for (item, kind) in self.items() {
            if let ItemKind::Rule(name, params, body) = kind {
                page.gap();
                let params: Vec<String> = params.iter().map(|param| self.words().name(&param.text)).collect();
                let of = if params.is_empty() {
                    String::new()
                } else {
                    format!(", with {}", either(&params, "and"))
                };
                page.inset(2, &format!("The rule “{}”{of}:", name.text));
                if let Some(doc) = &item.doc {
                    page.inset(4, &sentence(doc));
                }
                let mut outline = Outline::new(self.words(), self.comments);
                outline.block(body);
                page.outline(4, &outline.finish());
            }
        }
    }
}
