//! The parts of a file: collects their names first, then checks them in an order that lets each use the
//! others.

use std::collections::HashMap;

use super::scope::{Global, GlobalKind};
use super::{Checker, Define, Rule, certain, lints, secrets, slow, standing, unset, unused};
use crate::ast::{self, Item, ItemKind, StmtKind, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Constant, Expr, MAX_PLAYERS, Move, Seats, SetupNeed, Show, SquareAt, Type};
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn file(&mut self, file: &'a ast::File) {
        if file.items.is_empty() && !self.diagnostics.is_empty() {
            return;
        }
        if self.without_base(file) {
            return;
        }
        // A grid that could not be read still has squares.
        self.has_grid = file.unread.contains("grid");
        self.unread = Some(&file.unread);
        self.corrected = file.corrected.as_ref();
        self.header(file);
        self.collect(file);
        for item in &file.items {
            match &item.kind {
                ItemKind::Option(option) => self.option(option, item),
                ItemKind::Constant(name, value) => self.constant(name, value),
                _ => {}
            }
        }
        self.scoring_kind(file);
        for item in &file.items {
            match &item.kind {
                ItemKind::Table(states) => states.iter().for_each(|s| self.state(s, false)),
                ItemKind::EachPlayer(states) => states.iter().for_each(|s| self.state(s, true)),
                _ => {}
            }
        }
        self.check_kinds();
        for item in &file.items {
            match &item.kind {
                ItemKind::Need(cond, reason) => self.setup_need(cond, reason, item.span),
                ItemKind::Move(mv) => self.move_head(mv, item),
                _ => {}
            }
        }
        self.play(file);
        for item in &file.items {
            match &item.kind {
                ItemKind::Show(e, drawn) => {
                    let text = self.lambda(Vec::new(), |this| this.expr(e, None));
                    let drawn = drawn.as_ref().and_then(|drawn| self.drawn_as(drawn, &text.body));
                    self.game.show.push(Show { text, drawn });
                }
                ItemKind::Score(seat, e) => self.score(seat.as_ref(), e, item.span),
                ItemKind::Winner(winner) => self.winner(winner, item.span, file),
                _ => {}
            }
        }
        self.init_states(file);
        for item in &file.items {
            if let ItemKind::Example(example) = &item.kind {
                self.example(example);
            }
        }
        self.name_directions();
        let never_equal = std::mem::take(&mut self.never_equal);
        self.diagnostics.extend(never_equal.into_values().flatten());
        self.game.slots = self.frame.size;
        secrets::check(&self.game, self.source, &mut self.diagnostics);
        certain::check(self);
        if !crate::diag::any_error(&self.diagnostics) {
            unset::check(&self.game, &mut self.diagnostics);
        }
        unused::report(self);
        lints::endless(self, file);
        lints::whole(self, file);
        lints::divided(self);
        lints::always_the_same(self, file);
        standing::in_vain(self);
        lints::open_piles(self);
        if !crate::diag::any_error(&self.diagnostics) {
            slow::check(self);
            lints::chance_decides(self, file);
        }
        unused::check_bodies(self);
    }

    /// Reports what only a variant may contain. Returns whether the file is a variant whose base is missing;
    /// then nothing more can be checked.
    fn without_base(&mut self, file: &'a ast::File) -> bool {
        let mut missing = false;
        for item in &file.items {
            match &item.kind {
                ItemKind::Game(header) => {
                    let Some(of) = &header.of else { continue };
                    missing = true;
                    let message = format!("there is no game `{}`", of.text);
                    self.report(
                        Diagnostic::new(Code::UnknownGame, of.span, message, "this variant is based on it")
                            .help("name a bundled game, or give the path of a rule file from this file's folder; a game cannot be a variant of itself"),
                    );
                }
                ItemKind::Drop(what, _) => self.report(
                    Diagnostic::new(
                        Code::Misplaced,
                        what.span,
                        "this file inherits nothing to drop",
                        "only a variant can drop parts",
                    )
                    .help("begin the file with `variant \"Title\" of \"game\" { }`"),
                ),
                _ => {}
            }
        }
        missing
    }

    pub(super) fn header(&mut self, file: &'a ast::File) {
        let mut seen: Option<Span> = None;
        for item in &file.items {
            let ItemKind::Game(header) = &item.kind else { continue };
            if let Some(first) = seen {
                self.repeated("game", item.span, first);
                continue;
            }
            seen = Some(item.span);
            if let ast::ExprKind::Text(parts) = &header.title.kind {
                for part in parts {
                    match part {
                        ast::TextPart::Chars(chars) => self.game.title.push_str(chars),
                        ast::TextPart::Filled(e) => {
                            self.error(Code::Unexpected, e.span, "a title cannot contain values", "");
                        }
                    }
                }
            }
            self.game.by.clone_from(&header.by);
            self.game.from.clone_from(&header.from);
            self.game.notes.clone_from(&header.notes);
            self.game.summary.clone_from(&item.doc);
            match &header.players {
                Some(players) => self.seats(players),
                None => self.report(
                    Diagnostic::new(
                        Code::MissingPart,
                        header.title.span,
                        "the game does not say how many players it is for",
                        "`players` is missing",
                    )
                    .help("write `players 2`, `players 2 or more` or `players 3 to 5` in it"),
                ),
            }
        }
        let has_play = file.items.iter().any(|item| matches!(item.kind, ItemKind::Play(_)));
        if seen.is_none() {
            self.report(
                Diagnostic::new(
                    Code::MissingPart,
                    Span::new(0, 1),
                    "this file has no `game`",
                    "a file begins with one",
                )
                .help("write `game \"Title\" { players 2 }`"),
            );
        }
        if let (false, Some(game)) = (has_play, seen) {
            self.report(
                Diagnostic::new(
                    Code::MissingPart,
                    Span::new(game.start, game.start + "game".len()),
                    "this file has no `play`",
                    "nothing says how the game is played",
                )
                .help("write, for example, `play { turns until stuck { … } }`"),
            );
        }
    }

    pub(super) fn repeated(&mut self, part: &str, span: Span, first: Span) {
        let first = Span::new(first.start, (first.start + part.len()).min(first.end));
        let span = Span::new(span.start, (span.start + part.len()).min(span.end));
        self.report(
            Diagnostic::new(
                Code::RepeatedPart,
                span,
                format!("a file can have only one `{part}`"),
                "a second one",
            )
            .also(first, "the first"),
        );
    }

    pub(super) fn seats(&mut self, players: &'a ast::Players) {
        let count = |n: &crate::num::Int| n.as_usize().filter(|n| (1..=MAX_PLAYERS).contains(n));
        let (min, max) = (count(&players.min), players.max.as_ref().map(count));
        let (Some(min), None | Some(Some(_))) = (min, max) else {
            self.report(
                Diagnostic::new(
                    Code::BadPlayers,
                    players.span,
                    format!("a game has 1 to {MAX_PLAYERS} players"),
                    "not a possible number of players",
                )
                .help("write `players 2`, `players 3 to 5` or `players 2 or more`"),
            );
            return;
        };
        let (mut min, mut max) = (min, max.flatten());
        if max.is_some_and(|max| max < min) {
            let written = format!("players {} to {min}", max.unwrap_or(min));
            self.report(
                Diagnostic::new(
                    Code::BadPlayers,
                    players.span,
                    "the minimum number of players is above the maximum",
                    "no number of players fits",
                )
                .help(format!("the smaller number comes first: `{written}`"))
                .fix(written),
            );
            // Examples are for the numbers that are meant.
            (min, max) = (max.unwrap_or(min), Some(min));
        }
        if !players.called.is_empty() && max != Some(players.called.len()) {
            let named = players.called.len();
            let message = match named {
                1 => "one seat is given a name".to_string(),
                named => format!("{named} seats are given names"),
            };
            let fixed = max == Some(min);
            self.report(
                Diagnostic::new(
                    Code::BadPlayers,
                    players.span,
                    message,
                    match fixed {
                        true => "each of the players needs a name",
                        false => "only a fixed number of players can have names",
                    },
                )
                .help(match fixed {
                    true => format!("write `players {min} called …`, with {min} names"),
                    false => format!("write `players {named} called …`"),
                }),
            );
        }
        for (seat, name) in players.called.iter().enumerate() {
            self.global(name, GlobalKind::Seat(seat), Type::Player, true);
        }
        self.game.seats = Seats {
            min,
            max,
            roles: players.called.iter().map(|name| name.text.clone()).collect(),
            ..Seats::default()
        };
    }

    pub(super) fn global(&mut self, name: &ast::Name, kind: GlobalKind, ty: Type, used: bool) {
        if matches!(name.text.as_str(), "me" | "players" | "standing" | "int") {
            self.error(
                Code::Shadowed,
                name.span,
                format!("`{}` is a word of the language", name.text),
                "choose another name",
            );
        }
        if let Some(earlier) = self.globals.get(&name.text) {
            let earlier = earlier.span;
            self.duplicate(name, earlier);
            return;
        }
        self.globals.insert(name.text.clone(), Global { kind, ty, span: name.span, used });
    }

    pub(super) fn duplicate(&mut self, name: &ast::Name, earlier: Span) {
        self.report(
            Diagnostic::new(
                Code::DuplicateName,
                name.span,
                format!("`{}` is declared twice", name.text),
                "declared again",
            )
            .also(earlier, "first declared here")
            .help("choose another name for one of them"),
        );
    }

    // ---- names

    /// Declares a kind, of symbols or of tuples.
    fn kind(&mut self, name: &'a ast::Name, ty: &'a ast::Type) {
        if let Some(earlier) = self.kind_names.iter().find(|kind| kind.text == name.text) {
            self.duplicate(name, earlier.span);
        }
        self.kind_names.push(name);
        let TypeKind::Symbols(symbols) = &ty.kind else { return self.declare_tuples(name, ty) };
        let mut ids = Vec::new();
        for symbol in symbols {
            let id = self.symbol(&symbol.text);
            if ids.contains(&id) {
                self.duplicate(symbol, symbols[0].span);
            } else {
                ids.push(id);
            }
        }
        self.game.kinds.push((name.text.clone(), ids));
    }

    /// Collects what the file declares, so that parts may refer to parts further down.
    pub(super) fn collect(&mut self, file: &'a ast::File) {
        let mut move_spans: HashMap<&str, Span> = HashMap::new();
        for item in &file.items {
            match &item.kind {
                ItemKind::Kind(name, ty) => self.kind(name, ty),
                ItemKind::Option(option) => {
                    self.declared.insert(option.name.text.clone(), (option.name.span, false));
                    option.ty.iter().for_each(|ty| self.type_symbols(ty));
                }
                ItemKind::Table(states) => {
                    for state in states {
                        self.declared.insert(state.name.text.clone(), (state.name.span, true));
                        self.type_symbols(&state.ty);
                    }
                }
                ItemKind::EachPlayer(states) => {
                    states.iter().for_each(|state| self.type_symbols(&state.ty));
                }
                ItemKind::Constant(name, _) => {
                    self.declared.insert(name.text.clone(), (name.span, false));
                }
                ItemKind::Define(name, params, body) => {
                    if let Some(earlier) = self.defines.iter().find(|d| d.name.text == name.text) {
                        let earlier = earlier.name.span;
                        self.duplicate(name, earlier);
                    }
                    let define = Define {
                        name,
                        params,
                        body,
                        used: false,
                        in_progress: false,
                        needs_me: false,
                        instances: HashMap::new(),
                    };
                    self.defines.push(define);
                }
                ItemKind::Rule(name, params, body) => {
                    if let Some(earlier) = self.rules.iter().find(|r| r.name.text == name.text) {
                        let earlier = earlier.name.span;
                        self.duplicate(name, earlier);
                    }
                    self.rules.push(Rule { name, params, body, used: false, in_progress: false });
                    self.block_facts(body);
                }
                ItemKind::Move(mv) => {
                    if let Some(earlier) = move_spans.insert(&mv.name.text, mv.name.span) {
                        self.duplicate(&mv.name, earlier);
                        continue;
                    }
                    self.moves.insert(mv.name.text.clone(), self.move_items.len());
                    self.move_items.push(mv);
                    self.block_facts(&mv.body);
                }
                ItemKind::Play(body) => self.block_facts(body),
                ItemKind::Standing(_)
                | ItemKind::Game(_)
                | ItemKind::Show(..)
                | ItemKind::Score(..)
                | ItemKind::Winner(_)
                | ItemKind::Need(..)
                | ItemKind::Example(_)
                | ItemKind::Drop(..) => {}
            }
        }
        self.offered = vec![false; self.move_items.len()];
        self.refuse_line_words(file);
        self.domain_symbols(file);
        self.find_me();
        self.find_roles(file);
    }

    /// Declares symbols through the domains they are chosen or drawn from: `way in {up, down}`, if none of
    /// these names has another meaning.
    fn domain_symbols(&mut self, file: &'a ast::File) {
        let mut found: Vec<&'a ast::Inside> = Vec::new();
        let set = |e: &'a ast::Expr| match &e.kind {
            ast::ExprKind::Set(inside) if !inside.items.is_empty() && !inside.has_tail() => Some(inside),
            _ => None,
        };
        for item in &file.items {
            match &item.kind {
                ItemKind::Move(mv) => {
                    found.extend(mv.params.iter().filter_map(|param| set(param.domain.as_ref()?)));
                }
                ItemKind::Play(body) | ItemKind::Rule(_, _, body) => walk(body, &mut |stmt| {
                    if let StmtKind::Chance(_, domain, _) = &stmt.kind {
                        found.extend(set(domain));
                    }
                }),
                _ => {}
            }
        }
        for inside in found {
            let names: Option<Vec<&'a str>> = inside
                .items
                .iter()
                .map(|item| match &item.kind {
                    ast::ExprKind::Name(name) => Some(name.as_str()),
                    _ => None,
                })
                .collect();
            let means_something = |name: &str| {
                self.symbols.contains_key(name)
                    || self.declared.contains_key(name)
                    || self.game.seats.roles.iter().any(|seat| seat == name)
                    || self.has_grid && SquareAt::read(name).is_some()
                    || matches!(name, "me" | "players" | "standing")
            };
            if let Some(names) = names.filter(|names| !names.iter().any(|name| means_something(name))) {
                names.into_iter().for_each(|name| {
                    self.symbol(name);
                });
            }
        }
    }

    pub(super) fn type_symbols(&mut self, ty: &'a ast::Type) {
        match &ty.kind {
            TypeKind::Symbols(names) => names.iter().for_each(|name| {
                self.symbol(&name.text);
            }),
            TypeKind::Optional(of) | TypeKind::List(_, of) | TypeKind::Set(of) | TypeKind::Bag(of) => {
                self.type_symbols(of)
            }
            TypeKind::Grid { of, .. } => {
                self.has_grid = true;
                self.type_symbols(of);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.type_symbols(&part.ty)),
            TypeKind::Either(kinds) => kinds.iter().for_each(|kind| self.type_symbols(kind)),
            TypeKind::Map(value, key) => {
                self.type_symbols(value);
                self.type_symbols(key);
            }
            TypeKind::Name(_) | TypeKind::Range(..) | TypeKind::AtLeast(_) | TypeKind::Bool => {}
        }
    }

    /// Collects the named loops and the names bound by statements, and whether points are awarded and seats
    /// can go out.
    pub(super) fn block_facts(&mut self, block: &'a ast::Block) {
        walk(block, &mut |stmt| {
            match &stmt.kind {
                StmtKind::Award(..) => self.awards = true,
                StmtKind::Out(_) => self.can_be_out = true,
                StmtKind::Turns { stuck: Some(ast::Stuck::Drop), .. } => self.can_be_out = true,
                StmtKind::Let(pattern, _)
                | StmtKind::Each { pattern, .. }
                | StmtKind::Cycle { pattern, .. } => {
                    let named = pattern.names.iter().map(|name| (name.text.as_str(), name.span));
                    self.named_in_lines.extend(named);
                }
                StmtKind::Chance(name, ..) | StmtKind::Draw(name, _) => {
                    self.named_in_lines.insert(&name.text, name.span);
                }
                _ => {}
            }
            if let Some(label) = label_of(stmt)
                && !self.loops.contains_key(&label.text)
            {
                let slot = self.frame.slot();
                self.loops.insert(label.text.clone(), self.game.loops.len());
                self.game.loops.push((label.text.clone(), slot));
            }
        });
    }

    // ---- options and constants

    pub(super) fn constant(&mut self, name: &'a ast::Name, value: &'a ast::Expr) {
        let value = self.lambda(Vec::new(), |this| this.expr(value, None));
        self.constant_only(&value.body, "a constant");
        let id = self.game.constants.len();
        self.global(name, GlobalKind::Constant(id), value.body.ty.clone(), false);
        self.game.constants.push(Constant { name: name.text.clone(), value });
    }

    pub(super) fn setup_need(&mut self, cond: &'a ast::Expr, reason: &'a ast::Expr, span: Span) {
        let cond = self.lambda(Vec::new(), |this| this.expect(cond, &Type::Bool));
        self.constant_only(&cond.body, "a condition on the options");
        let reason = self.lambda(Vec::new(), |this| this.expr(reason, None));
        self.game.setup.push(SetupNeed { cond, reason, span });
    }

    /// Reports a read of state in an expression that is fixed before play.
    pub(super) fn constant_only(&mut self, e: &Expr, what: &str) {
        if let Some(span) = secrets::reads_state(&self.game, e) {
            self.report(
                Diagnostic::new(
                    Code::NotConstant,
                    span,
                    format!("{what} is fixed before play, but this is not"),
                    "changes during play",
                )
                .help("it can use only options, constants and `size(players)`"),
            );
        }
    }

    // ---- moves

    pub(super) fn move_head(&mut self, mv: &'a ast::Move, item: &Item) {
        let slot = self.frame.slot();
        self.game.moves.push(Move {
            name: mv.name.text.clone(),
            secret: mv.secret,
            me: slot,
            params: Vec::new(),
            checks: Vec::new(),
            doc: item.doc.clone(),
            span: mv.name.span,
        });
    }
}

/// Returns the label of a loop, if it has one.
pub(super) fn label_of(stmt: &ast::Stmt) -> Option<&ast::Name> {
    match &stmt.kind {
        StmtKind::Each { label, .. }
        | StmtKind::Cycle { label, .. }
        | StmtKind::Repeat { label, .. }
        | StmtKind::Turns { label, .. } => label.as_ref(),
        _ => None,
    }
}

/// Visits every statement of a block, including nested ones.
pub(super) fn walk<'a>(block: &'a ast::Block, seen: &mut impl FnMut(&'a ast::Stmt)) {
    for stmt in &block.stmts {
        seen(stmt);
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => {
                arms.iter().for_each(|(_, body)| walk(body, seen));
                otherwise.iter().for_each(|body| walk(body, seen));
            }
            StmtKind::Each { body, .. }
            | StmtKind::Cycle { body, .. }
            | StmtKind::Repeat { body, .. }
            | StmtKind::Turns { body, .. }
            | StmtKind::Phase(_, body) => walk(body, seen),
            _ => {}
        }
    }
}
