//! The parts of a rule file that can run, in the order of the text, and how often each did.

use std::collections::{BTreeMap, BTreeSet};

use super::coverage::Coverage;
use crate::ast::{
    Block, Choices, Expr, ExprKind, File, IsTest, Item, ItemKind, Move, Stmt, StmtKind, Until, Winner,
    WinnerBy,
};
use crate::ir::{Game, MoveCheck, MoveId, Op, Pc};
use crate::source::{Source, Span};
use crate::syntax::parse;

/// What can happen in a rule file, in the terms of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// A statement is carried out. A loop without a given number of passes counts each pass.
    Statement,
    /// `award`: points are given.
    Award,
    /// `win p`: the match is won by this statement.
    Win,
    /// `win p when C`: the match is won because the condition holds.
    WinWhen,
    /// `end`: the match ends by this statement.
    End,
    /// `end when C`: the match ends because the condition holds.
    EndWhen,
    /// A phase begins.
    Phase,
    /// The condition of an `if` holds.
    Branch,
    /// The `else` of an `if` is taken.
    Else,
    /// No condition of an `if` without `else` holds.
    PassedOver,
    /// An element of a loop passes `where C`.
    Filter,
    /// `until C`: the condition ends a loop.
    Until,
    /// A seat is stuck where a rule handles that: `until stuck`, `skipping stuck`, `if possible` and so on.
    Stuck,
    /// A move is chosen, wherever it is offered.
    Move,
    /// A move is chosen at this particular offer.
    Offer,
    /// A move offered behind `else` is chosen at this particular offer.
    ElseOffer,
    /// A need refuses a choice that all earlier needs let through.
    Need,
    /// A `need if possible` rules choices out.
    Preference,
    /// An arm of an `if` or `case` expression is taken.
    Arm,
    /// A function is called.
    Function,
    /// A score is computed.
    Score,
    /// This rule decides the match.
    Winner,
    /// A tie remains for this value to break.
    TieBreak,
}

impl PartKind {
    /// Returns the kind's name in JSON.
    pub fn slug(self) -> &'static str {
        match self {
            PartKind::Statement => "statement",
            PartKind::Award => "award",
            PartKind::Win => "win",
            PartKind::WinWhen => "win-when",
            PartKind::End => "end",
            PartKind::EndWhen => "end-when",
            PartKind::Phase => "phase",
            PartKind::Branch => "branch",
            PartKind::Else => "else",
            PartKind::PassedOver => "passed-over",
            PartKind::Filter => "filter",
            PartKind::Until => "until",
            PartKind::Stuck => "stuck",
            PartKind::Move => "move",
            PartKind::Offer => "offer",
            PartKind::ElseOffer => "else-offer",
            PartKind::Need => "need",
            PartKind::Preference => "preference",
            PartKind::Arm => "arm",
            PartKind::Function => "function",
            PartKind::Score => "score",
            PartKind::Winner => "winner",
            PartKind::TieBreak => "tie-break",
        }
    }

    /// Returns the message for a part of this kind that never happens.
    pub fn never(self) -> &'static str {
        match self {
            PartKind::Statement => "this is never carried out",
            PartKind::Award => "these points are never awarded",
            PartKind::Win | PartKind::WinWhen => "nobody ever wins this way",
            PartKind::End | PartKind::EndWhen => "this never ends the match",
            PartKind::Phase => "this phase never begins",
            PartKind::Branch => "this condition never holds",
            PartKind::Else => "this `else` is never taken",
            PartKind::PassedOver => "this condition always holds",
            PartKind::Filter => "nothing ever passes this condition",
            PartKind::Until => "this never ends the loop",
            PartKind::Stuck => "nobody is ever stuck here",
            PartKind::Move => "this move is never chosen",
            PartKind::Offer => "this move is never chosen here",
            PartKind::ElseOffer => "this `else` move is never chosen",
            PartKind::Need => "this need never refuses anything",
            PartKind::Preference => "this need never rules anything out",
            PartKind::Arm => "this value is never used",
            PartKind::Function => "this function is never called",
            PartKind::Score => "this score is never counted",
            PartKind::Winner => "no match is ever decided by this",
            PartKind::TieBreak => "there is never a tie for this to break",
        }
    }
}

/// Something in a rule file that can happen, and how often it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What can happen.
    pub kind: PartKind,
    /// Where it is written; for a statement with a block, the text before the block.
    pub span: Span,
    /// The name of the move, phase or function; empty for other kinds.
    pub label: String,
    /// How often it happened.
    pub ran: u64,
    /// How often it could have: how often the condition was tested, the need asked, the move offered or the
    /// block entered. If this is 0, something before it never happened, which is a part of its own.
    pub of: u64,
}

impl Coverage {
    /// Returns what can happen in a rule file and how often it did, in the order of the text, without what
    /// only informs people (display, reasons, examples). Code compiled at several places is added up.
    pub fn parts(&self, game: &Game, source: &Source) -> Vec<Part> {
        let (file, _) = parse(source);
        let mut places: BTreeMap<Span, Vec<Pc>> = BTreeMap::new();
        game.code_spans.iter().for_each(|(span, pc)| places.entry(*span).or_default().push(*pc));
        let mut reader = Reader { coverage: self, game, source, places, parts: Vec::new(), of_move: None };
        let used = used_functions(&file);
        for item in &file.items {
            reader.item(item, &used);
        }
        let mut parts = reader.parts;
        parts.sort_by_key(|part| part.span.start);
        parts
    }
}

/// Walks a file and collects its [`Part`]s.
struct Reader<'c> {
    coverage: &'c Coverage,
    game: &'c Game,
    source: &'c Source,
    /// The automaton addresses at which the code of each statement or condition begins.
    places: BTreeMap<Span, Vec<Pc>>,
    parts: Vec<Part>,
    /// How often the move whose needs are being read was chosen; `None` outside moves.
    of_move: Option<u64>,
}

impl Reader<'_> {
    fn push(&mut self, kind: PartKind, span: Span, label: &str, (ran, of): (u64, u64)) {
        self.parts.push(Part { kind, span, label: label.to_string(), ran, of });
    }

    fn item(&mut self, item: &Item, used: &BTreeSet<&str>) {
        match &item.kind {
            ItemKind::Option(option) => self.arms(&option.default),
            ItemKind::Constant(_, value) => self.arms(value),
            ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                states.iter().flat_map(|state| &state.init).for_each(|init| self.arms(init));
            }
            ItemKind::Need(cond, _) => self.arms(cond),
            ItemKind::Define(name, _, body) if used.contains(name.text.as_str()) => {
                let ids =
                    (0..self.game.functions.len()).filter(|id| self.game.functions[*id].name == name.text);
                let called = ids.map(|id| self.coverage.call_count(id)).sum();
                self.push(PartKind::Function, name.span, &name.text, (called, called));
                self.arms(body);
            }
            ItemKind::Move(mv) => self.mv(mv),
            ItemKind::Rule(_, _, body) | ItemKind::Play(body) => self.block(body),
            ItemKind::Standing(stmt) => self.stmt(stmt, 0),
            ItemKind::Score(seat, value) => {
                let before = self.parts.iter().filter(|part| part.kind == PartKind::Score).count();
                let all: u64 = (0..crate::ir::MAX_PLAYERS).map(|seat| self.coverage.score_count(seat)).sum();
                let counted = if seat.is_some() { self.coverage.score_count(before) } else { all };
                self.push(PartKind::Score, value.span, "", (counted, counted));
                self.arms(value);
            }
            ItemKind::Winner(winner) => self.winner(winner, item.span),
            ItemKind::Define(..)
            | ItemKind::Game(_)
            | ItemKind::Kind(..)
            | ItemKind::Show(..)
            | ItemKind::Example(_)
            | ItemKind::Drop(..) => {}
        }
    }

    fn winner(&mut self, winner: &Winner, span: Span) {
        let ended = self.coverage.criterion_count(0);
        let WinnerBy::Best(keys) = &winner.by else {
            self.push(PartKind::Winner, span, "", (ended, ended));
            return;
        };
        for (at, (_, key)) in keys.iter().enumerate() {
            let kind = if at == 0 { PartKind::Winner } else { PartKind::TieBreak };
            // A key is needed only if the one before it was needed and left a tie.
            let before = if at == 0 { ended } else { self.coverage.criterion_count(at - 1) };
            self.push(kind, key.span, "", (self.coverage.criterion_count(at), before));
            self.arms(key);
        }
    }

    fn mv(&mut self, mv: &Move) {
        let Some(id) = self.game.moves.iter().position(|known| known.name == mv.name.text) else { return };
        let (mut chosen, mut offered) = (0, 0);
        for (number, choice) in self.game.choices.iter().enumerate() {
            let offers = choice.all_offers();
            for (at, _) in offers.enumerate().filter(|(_, offer)| offer.mv == id) {
                chosen += self.coverage.offer_count(number, at);
                offered += self.coverage.choice_count(number);
            }
        }
        self.push(PartKind::Move, mv.name.span, &mv.name.text, (chosen, offered));
        for param in &mv.params {
            [&param.domain, &param.filter, &param.window].into_iter().flatten().for_each(|e| self.arms(e));
        }
        self.of_move = Some(chosen);
        self.block(&mv.body);
        self.of_move = None;
    }

    fn block(&mut self, block: &Block) {
        let entered = block.stmts.first().map_or(0, |stmt| self.carried_out(stmt));
        for stmt in &block.stmts {
            self.stmt(stmt, entered);
        }
    }

    /// Returns how often a statement was carried out.
    fn carried_out(&self, stmt: &Stmt) -> u64 {
        match (self.places.get(&stmt.span), self.of_move) {
            (Some(places), _) => places.iter().map(|pc| self.coverage.op_count(*pc)).sum(),
            // Statements among a move's needs have no address in the automaton: count the moves made instead.
            (None, made) => made.unwrap_or(0),
        }
    }

    /// Returns how often a condition held, and how often it was tested.
    fn tested(&self, cond: &Expr) -> (u64, u64) {
        let places = || self.places.get(&cond.span).into_iter().flatten();
        (
            places().map(|pc| self.coverage.condition_count(*pc)).sum(),
            places().map(|pc| self.coverage.op_count(*pc)).sum(),
        )
    }

    fn stmt(&mut self, stmt: &Stmt, entered: u64) {
        let ran = (self.carried_out(stmt), entered);
        let simple = |this: &mut Self, kind| this.push(kind, stmt.span, "", ran);
        match &stmt.kind {
            StmtKind::Need(cond, _) => self.need(stmt.span, cond.span, PartKind::Need),
            StmtKind::NeedIfPossible(cond, _) => self.need(stmt.span, cond.span, PartKind::Preference),
            StmtKind::EndWhen(cond) => self.push(PartKind::EndWhen, stmt.span, "", self.tested(cond)),
            StmtKind::WinWhen(_, cond) => self.push(PartKind::WinWhen, stmt.span, "", self.tested(cond)),
            StmtKind::Award(..) => simple(self, PartKind::Award),
            StmtKind::Win(_) => simple(self, PartKind::Win),
            StmtKind::End => simple(self, PartKind::End),
            StmtKind::Phase(name, body) => {
                self.push(PartKind::Phase, self.head(stmt, body), &name.text, ran);
                self.block(body);
            }
            StmtKind::If(arms, otherwise) => self.branches(stmt, arms, otherwise.as_ref(), ran),
            StmtKind::Each { filter, body, .. } => {
                self.push(PartKind::Statement, self.head(stmt, body), "", ran);
                self.filter(filter.as_ref());
                self.block(body);
            }
            StmtKind::Cycle { filter, body, until, .. } => {
                self.push(PartKind::Statement, self.head(stmt, body), "", ran);
                self.filter(filter.as_ref());
                self.until(until.as_ref());
                self.block(body);
            }
            StmtKind::Repeat { body, until, .. } => {
                self.push(PartKind::Statement, self.head(stmt, body), "", ran);
                self.block(body);
                self.until(until.as_ref());
            }
            StmtKind::Turns { before, stuck, body, after, .. } => {
                self.push(PartKind::Statement, self.head(stmt, body), "", ran);
                self.until(before.as_ref());
                if stuck.is_some() {
                    self.stuck(Span::new(stmt.span.start, stmt.span.start + "turns".len()));
                }
                self.block(body);
                self.until(after.as_ref());
            }
            StmtKind::Ask(_, choices) | StmtKind::Together(_, choices) | StmtKind::Choose(choices) => {
                simple(self, PartKind::Statement);
                self.choices(&[choices]);
            }
            StmtKind::TogetherAsk(asks) => {
                simple(self, PartKind::Statement);
                self.choices(&asks.iter().map(|(_, choices)| choices).collect::<Vec<_>>());
            }
            StmtKind::Wrong => {}
            StmtKind::Let(..)
            | StmtKind::Say(..)
            | StmtKind::Send(..)
            | StmtKind::Reveal(_)
            | StmtKind::Conceal(_)
            | StmtKind::Out(_)
            | StmtKind::Again
            | StmtKind::Chance(..)
            | StmtKind::Shuffle(_)
            | StmtKind::Draw(..)
            | StmtKind::Deal(..)
            | StmtKind::Assign(..) => simple(self, PartKind::Statement),
        }
        stmt.exprs().into_iter().for_each(|e| self.arms(e));
    }

    /// Returns the span of a statement without its block.
    fn head(&self, stmt: &Stmt, body: &Block) -> Span {
        let text = self.source.slice(Span::new(stmt.span.start, body.span.start)).trim_end();
        Span::new(stmt.span.start, stmt.span.start + text.len().max(1))
    }

    fn branches(&mut self, stmt: &Stmt, arms: &[(Expr, Block)], otherwise: Option<&Block>, ran: (u64, u64)) {
        let mut left = 0;
        for (at, (cond, body)) in arms.iter().enumerate() {
            if at == 0 {
                self.push(PartKind::Statement, self.head(stmt, body), "", ran);
            }
            let (held, of) = self.tested(cond);
            left = of - held;
            self.push(PartKind::Branch, cond.span, "", (held, of));
            self.block(body);
        }
        let Some((last, _)) = arms.last() else { return };
        let tested = self.tested(last).1;
        match otherwise {
            Some(body) => {
                self.push(PartKind::Else, body.span, "", (left, tested));
                self.block(body);
            }
            None => self.push(PartKind::PassedOver, last.span, "", (left, tested)),
        }
    }

    /// Adds the part for the `where` condition of a loop.
    fn filter(&mut self, filter: Option<&Expr>) {
        let Some(cond) = filter else { return };
        let of = |op: &Op| matches!(op, Op::Next { filter: Some(filter), .. } if filter.span == cond.span);
        let places = || self.game.code.iter().enumerate().filter(|(_, op)| of(op)).map(|(pc, _)| pc);
        let passed = places().map(|pc| self.coverage.condition_count(pc)).sum();
        let looked = places().map(|pc| self.coverage.op_count(pc)).sum();
        self.push(PartKind::Filter, cond.span, "", (passed, looked));
    }

    fn until(&mut self, until: Option<&Until>) {
        match until {
            Some(Until::Cond(cond)) => self.push(PartKind::Until, cond.span, "", self.tested(cond)),
            Some(Until::Stuck(span)) => self.stuck(*span),
            None => {}
        }
    }

    /// Adds the part for a rule about stuck seats, whose code begins at the addresses of `span`.
    fn stuck(&mut self, span: Span) {
        let places = self.places.get(&span);
        let goes = |pc: Option<Pc>| pc.is_some_and(|pc| places.is_some_and(|places| places.contains(&pc)));
        let (mut stuck, mut of) = (0, 0);
        let choices = self.game.choices.iter().enumerate().filter(|(_, choice)| goes(choice.stuck));
        for (number, _) in choices {
            stuck += self.coverage.stuck_count(number);
            of += self.coverage.stuck_count(number) + self.coverage.choice_count(number);
        }
        self.push(PartKind::Stuck, span, "", (stuck, of));
    }

    /// Adds the offers of a choice. A joint choice may have several `lines`, each for seats of its own.
    fn choices(&mut self, lines: &[&Choices]) {
        let span = lines.iter().fold(lines[0].span, |span, line| span.to(line.span));
        let compiled = self.game.choices.iter().enumerate().filter(|(_, choice)| choice.span == span);
        let numbers: Vec<usize> = compiled.map(|(number, _)| number).collect();
        let sum = |count: &dyn Fn(usize) -> u64| numbers.iter().map(|number| count(*number)).sum::<u64>();
        let met = sum(&|number| self.coverage.choice_count(number));
        // In the compiled choice, the first offers of all lines come before all `else` offers.
        let (mut first, mut other) = (0, lines.iter().map(|line| line.first.len()).sum::<usize>());
        let mut found = Vec::new();
        for line in lines {
            let begin = found.len();
            let firsts = line.first.iter().map(|choice| (choice, PartKind::Offer));
            for (choice, kind) in
                firsts.chain(line.otherwise.iter().map(|choice| (choice, PartKind::ElseOffer)))
            {
                let at = if kind == PartKind::Offer { &mut first } else { &mut other };
                // A line with a single name may call a rule instead of offering a move.
                if self.game.moves.iter().any(|mv| mv.name == choice.name.text) {
                    let chosen = sum(&|number| self.coverage.offer_count(number, *at));
                    found.push((kind, choice.name.span, choice.name.text.clone(), (chosen, met)));
                }
                *at += 1;
            }
            // With several lines, each seat chooses only among the moves of its own line.
            if lines.len() > 1 {
                let chosen = found[begin..].iter().map(|(.., (chosen, _))| chosen).sum();
                found[begin..].iter_mut().for_each(|(.., (_, of))| *of = chosen);
            }
        }
        if lines.iter().any(|line| line.if_possible) {
            let stuck = sum(&|number| self.coverage.stuck_count(number));
            found.push((PartKind::Stuck, span, String::new(), (stuck, stuck + met)));
        }
        found.into_iter().for_each(|(kind, span, label, ran)| self.push(kind, span, &label, ran));
    }

    fn need(&mut self, need: Span, cond: Span, kind: PartKind) {
        let of = |checks: &[MoveCheck]| {
            checks.iter().position(|check| match check {
                MoveCheck::Need { span, .. } | MoveCheck::SoftNeed { span, .. } => *span == need,
                MoveCheck::Let(..) => false,
            })
        };
        let found: Option<(MoveId, usize)> =
            (0..self.game.moves.len()).find_map(|mv| Some((mv, of(&self.game.moves[mv].checks)?)));
        let (asked, refused) = found.map_or((0, 0), |(mv, check)| self.coverage.need_counts(mv, check));
        self.push(kind, Span::new(need.start, cond.end), "", (refused, asked));
    }

    /// Adds the arms of every `if` and `case` within an expression.
    fn arms(&mut self, e: &Expr) {
        let values: Vec<&Expr> = match &e.kind {
            ExprKind::If(arms, otherwise) => {
                arms.iter().map(|(_, value)| value).chain([&**otherwise]).collect()
            }
            ExprKind::Case(_, arms, otherwise) => {
                arms.iter().map(|(_, value)| value).chain(otherwise.iter().map(|e| &**e)).collect()
            }
            _ => Vec::new(),
        };
        let of = (0..values.len()).map(|at| self.coverage.arm_count(e.span, at)).sum();
        for (at, value) in values.into_iter().enumerate() {
            self.push(PartKind::Arm, value.span, "", (self.coverage.arm_count(e.span, at), of));
        }
        e.parts().into_iter().for_each(|part| self.arms(part));
    }
}

/// Returns the functions that the rules call, directly or indirectly. Others only serve texts for people.
fn used_functions(file: &File) -> BTreeSet<&str> {
    fn called<'f>(e: &'f Expr, out: &mut Vec<&'f str>) {
        match &e.kind {
            ExprKind::Call(name, _) | ExprKind::Is(_, _, IsTest::Predicate(name)) => out.push(&name.text),
            _ => {}
        }
        e.parts().into_iter().for_each(|part| called(part, out));
    }
    fn in_block<'f>(block: &'f Block, out: &mut Vec<&'f str>) {
        block.stmts.iter().for_each(|stmt| in_stmt(stmt, out));
    }
    fn in_stmt<'f>(stmt: &'f Stmt, out: &mut Vec<&'f str>) {
        stmt.exprs().into_iter().for_each(|e| called(e, out));
        stmt.blocks().into_iter().for_each(|body| in_block(body, out));
    }
    let (mut next, mut bodies) = (Vec::new(), BTreeMap::new());
    for item in &file.items {
        match &item.kind {
            ItemKind::Option(option) => called(&option.default, &mut next),
            ItemKind::Constant(_, e) | ItemKind::Need(e, _) | ItemKind::Score(_, e) => called(e, &mut next),
            ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                states.iter().flat_map(|state| &state.init).for_each(|init| called(init, &mut next));
            }
            ItemKind::Move(mv) => {
                let params = mv.params.iter().flat_map(|p| [&p.domain, &p.filter, &p.window]).flatten();
                params.for_each(|e| called(e, &mut next));
                in_block(&mv.body, &mut next);
            }
            ItemKind::Define(name, _, body) => {
                bodies.insert(name.text.as_str(), body);
            }
            ItemKind::Rule(_, _, body) | ItemKind::Play(body) => in_block(body, &mut next),
            ItemKind::Standing(stmt) => in_stmt(stmt, &mut next),
            ItemKind::Winner(Winner { by: WinnerBy::Best(keys), .. }) => {
                keys.iter().for_each(|(_, key)| called(key, &mut next));
            }
            _ => {}
        }
    }
    let mut used = BTreeSet::new();
    while let Some(name) = next.pop() {
        if let Some(body) = bodies.get(name)
            && used.insert(name)
        {
            called(body, &mut next);
        }
    }
    used
}
