//! Play: statements become the automaton. Moves and rules are compiled anew at each place that uses them,
//! so the automaton needs no stack: a position is a place in the code and a frame of values.

use super::expr::source_of;
use super::items::walk;
use super::scope::Local;
use super::{Checker, wrong};
use crate::ast::{self, Assign, ItemKind, Stmt, StmtKind, Stuck, Until};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Arith, Builtin, Chance, ChanceKind, Change, Choice, Compare, Domain, Effect, Expr, ExprKind, FoldKind,
    LoopId, MoveCheck, MoveId, Offer, Op, Param, Pc, Place, Slot, Type, Value,
};
use crate::source::Span;

/// How many steps the automaton of one game may have.
const MAX_CODE: usize = 100_000;

/// A place in the code that is not known yet; [`Checker::resolve`] puts the true ones in.
type Label = Pc;

/// What surrounds the statement being compiled.
#[derive(Clone, Default)]
struct Around<'a> {
    /// The turn we are in: its seat's slot, and where its end and its stuck seats go.
    turn: Option<Turn>,
    /// The named loops, outermost first.
    loops: Vec<LoopId>,
    /// The rules that are tested after each complete choice or draw.
    standing: Vec<&'a Stmt>,
    /// The move whose effects these are.
    in_move: Option<InMove>,
}

#[derive(Clone, Copy)]
struct Turn {
    me: Slot,
    next: Label,
    stuck: Option<Label>,
    idle: Option<Slot>,
}

#[derive(Clone, Copy)]
struct InMove {
    /// Where the same seat chooses again.
    again: Label,
    /// Whether it was chosen together with others: it may then write only what is its own.
    together: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn play(&mut self, file: &'a ast::File) {
        let standing: Vec<&'a Stmt> = file
            .items
            .iter()
            .filter_map(|item| if let ItemKind::Standing(stmt) = &item.kind { Some(stmt) } else { None })
            .collect();
        for id in 0..self.move_items.len().min(self.game.moves.len()) {
            self.move_head_checks(id);
        }
        let mut first: Option<Span> = None;
        for item in &file.items {
            let ItemKind::Play(body) = &item.kind else { continue };
            if let Some(first) = first {
                let span = Span::new(item.span.start, item.span.start + 4);
                self.report(
                    Diagnostic::new(Code::RepeatedPart, span, "a file has one `play`", "a second one")
                        .also(Span::new(first.start, first.start + 4), "the first"),
                );
                continue;
            }
            first = Some(item.span);
            let around = Around { standing: standing.clone(), ..Around::default() };
            self.block(body, &around);
            self.emit(Op::End(None));
        }
        self.resolve();
    }

    // ---- code and labels

    fn emit(&mut self, op: Op) {
        if self.game.code.len() == MAX_CODE {
            self.error(
                Code::TooDeep,
                Span::new(0, 1),
                format!("the play of this game has more than {MAX_CODE} steps"),
                "rules that call rules grow with every call",
            );
        }
        if self.game.code.len() <= MAX_CODE {
            self.game.code.push(op);
        }
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        self.labels.len() - 1
    }

    fn here(&mut self, label: Label) {
        self.labels[label] = Some(self.game.code.len());
    }

    fn label_here(&mut self) -> Label {
        let label = self.label();
        self.here(label);
        label
    }

    /// Puts true places for labels.
    fn resolve(&mut self) {
        let end = self.game.code.len().saturating_sub(1);
        let labels = std::mem::take(&mut self.labels);
        let place = |label: &mut Label| *label = labels[*label].unwrap_or(end);
        for op in &mut self.game.code {
            match op {
                Op::Jump(to) | Op::Unless(_, to) | Op::Unseal(_, to) => place(to),
                Op::Next { exit, .. } => place(exit),
                Op::Do(..) | Op::Collect { .. } | Op::Choose(_) | Op::Chance(_) | Op::End(_) => {}
            }
        }
        for choice in &mut self.game.choices {
            choice.offers.iter_mut().chain(&mut choice.otherwise).for_each(|offer| place(&mut offer.target));
            choice.stuck.iter_mut().for_each(place);
            place(&mut choice.done);
        }
    }

    // ---- moves

    /// Runs a check that sees none of the local names around it, but `me` where it is handed on.
    fn apart<T>(&mut self, me: Option<Local>, check: impl FnOnce(&mut Self) -> T) -> T {
        let around: Vec<Local> = std::mem::replace(&mut self.frame.locals, me.into_iter().collect());
        let facts = std::mem::take(&mut self.facts);
        let mark = self.open_scope();
        let result = check(self);
        self.close_scope(mark);
        self.facts = facts;
        self.frame.locals = around;
        result
    }

    /// Checks a move's parameters and then what makes it legal.
    fn move_head_checks(&mut self, id: MoveId) {
        let mv = self.move_items[id];
        self.apart(None, |this| {
            this.bind_me(this.game.moves[id].me, mv.name.span);
            for param in &mv.params {
                let param = this.param(param);
                this.game.moves[id].params.push(param);
            }
            this.move_checks(id);
            this.unwatch();
        });
    }

    /// Checks a move's needs and the `let`s before them.
    fn move_checks(&mut self, id: MoveId) {
        let mut checks = Vec::new();
        for stmt in checks_of(self.move_items[id]) {
            match &stmt.kind {
                StmtKind::Let(pattern, value) => {
                    let (slots, value) = self.bound_value(pattern, value);
                    checks.push(MoveCheck::Let(slots, value));
                }
                StmtKind::Need(cond, reason) => {
                    let checked = self.expect(cond, &Type::Bool);
                    let reason = self.need_reason(cond, &checked, reason);
                    self.assume(cond, true);
                    checks.push(MoveCheck::Need { cond: checked, reason, span: stmt.span });
                }
                StmtKind::NeedIfPossible(cond, reason) => {
                    let cond = self.expect(cond, &Type::Bool);
                    let reason = reason.as_ref().map(|r| self.expr(r, None));
                    checks.push(MoveCheck::Prefer { cond, reason, span: stmt.span });
                }
                _ => {}
            }
        }
        self.game.moves[id].checks = checks;
    }

    /// The reason of `need all(k in S: C)` may speak of the k that fails: evaluation stops right there.
    fn need_reason(&mut self, cond: &'a ast::Expr, checked: &Expr, reason: &'a ast::Expr) -> Expr {
        let mark = self.frame.locals.len();
        if let (ast::ExprKind::Call(_, inside), ExprKind::Fold(fold)) = (&cond.kind, &checked.kind)
            && fold.kind == FoldKind::All
        {
            for (item, source) in inside.items.iter().zip(&fold.sources) {
                let Some((pattern, _)) = source_of(item) else { continue };
                for (name, slot) in pattern.names.iter().zip(&source.slots) {
                    self.bind_to(name, *slot, Type::Wrong, false);
                }
            }
        }
        let reason = self.expr(reason, None);
        self.frame.locals.truncate(mark);
        reason
    }

    /// Names used only in effects are judged where the effects are compiled.
    fn unwatch(&mut self) {
        self.frame.locals.iter_mut().for_each(|local| local.watched = false);
    }

    fn param(&mut self, param: &'a ast::Param) -> Param {
        let (domain, ty) = match &param.domain {
            Some(domain) => {
                let (domain, ty) = self.domain(domain);
                (Some(domain), ty)
            }
            // The type of a given value is that of the first place that gives it; see `offer`.
            None => (None, Type::Wrong),
        };
        let unbounded = domain.as_ref().is_some_and(unbounded);
        let window = param.window.as_ref().and_then(|window| match &window.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Range, low, high) => {
                Some((self.expect(low, &Type::Int), self.expect(high, &Type::Int)))
            }
            _ => {
                self.report(
                    Diagnostic::new(Code::BadBinder, window.span, "`try` takes a range", "")
                        .help("write `value in int try -9..9`"),
                );
                None
            }
        });
        if unbounded && param.window.is_none() {
            let at = param.domain.as_ref().map_or(param.name.span, |d| d.span);
            self.report(
                Diagnostic::new(
                    Code::Unbounded,
                    at,
                    "bots and simulations cannot draw from all integers",
                    "no end",
                )
                .help("say which they draw from: `in int try -9..9`"),
            );
        }
        if !unbounded && let Some(window) = &param.window {
            self.error(
                Code::Misplaced,
                window.span,
                "`try` belongs to choices without an end",
                "this one has an end",
            );
        }
        // A parameter may bear the name of an option, which it is then about; both are names people type.
        let slot = self.frame.slot();
        if self.frame.locals.iter().any(|l| l.name == param.name.text) || !self.is_option(&param.name.text) {
            self.refuse_shadow(&param.name);
        }
        self.bind_to(&param.name, slot, ty.clone(), true);
        Param { name: param.name.text.clone(), slot, ty, domain, window, span: param.name.span }
    }

    fn bound_value(&mut self, pattern: &'a ast::Pattern, value: &'a ast::Expr) -> (Vec<Slot>, Expr) {
        let value = self.expr(value, None);
        let slots = self.bind_pattern(pattern, &value.ty);
        (slots, value)
    }

    // ---- statements

    fn block(&mut self, block: &'a ast::Block, around: &Around<'a>) {
        self.statements(&block.stmts, around);
    }

    fn statements(&mut self, stmts: &'a [Stmt], around: &Around<'a>) {
        let mark = self.open_scope();
        // A standing rule holds for all of the block it stands in.
        let mut around = around.clone();
        around
            .standing
            .extend(stmts.iter().filter(|s| matches!(s.kind, StmtKind::EndWhen(_) | StmtKind::WinWhen(..))));
        for stmt in stmts {
            self.stmt(stmt, &around);
            if self.game.code.len() > MAX_CODE {
                break;
            }
        }
        self.close_scope(mark);
    }

    fn stmt(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Let(pattern, value) => {
                let (slots, value) = self.bound_value(pattern, value);
                self.emit(Op::Do(Effect::Let(slots, value), span));
            }
            StmtKind::Need(..) | StmtKind::NeedIfPossible(..) => {
                let (code, help) = match around.in_move {
                    Some(_) => (
                        Code::NeedAfterEffect,
                        "needs come first, so that a move is judged on the position before it",
                    ),
                    None => (Code::Misplaced, "needs belong to moves; in play use `if`, or `end when`"),
                };
                let message = "a `need` cannot stand here";
                self.report(Diagnostic::new(code, span, message, "").help(help));
            }
            StmtKind::Award(amount, to, why) => {
                let amount = self.expect(amount, &Type::Int);
                let to = self.expect(to, &Type::Player);
                let why = why.as_ref().map(|why| self.expr(why, None));
                self.own_only(around, span, "an award", None);
                self.emit(Op::Do(Effect::Award(amount, to, why), span));
            }
            StmtKind::Send(value, from, to) => {
                let from = self.place(from);
                let to = self.place(to);
                let (Some((from, from_ty)), Some((to, to_ty))) = (from, to) else { return };
                self.own_only(around, span, "this", Some(&from));
                self.own_only(around, span, "this", Some(&to));
                let element = from_ty.element().unwrap_or(Type::Wrong);
                let value = self.expect(value, &element);
                self.collection_place(&from, &from_ty);
                self.collection_place(&to, &to_ty);
                if let Some(to_element) = to_ty.element() {
                    self.demand(&value, &to_element);
                }
                self.emit(Op::Do(Effect::Send(value, from, to), span));
            }
            StmtKind::Reveal(e) | StmtKind::Conceal(e) => {
                let Some((place, _)) = self.place_whole(e) else { return };
                if self.game.state[place.state].sight == crate::ir::Sight::Public {
                    let name = self.game.state[place.state].name.clone();
                    self.error(
                        Code::Misplaced,
                        e.span,
                        format!("everybody sees `{name}` anyway"),
                        "neither secret nor hidden",
                    );
                }
                self.own_only(around, span, "this", Some(&place));
                self.emit(Op::Do(
                    match &stmt.kind {
                        StmtKind::Reveal(_) => Effect::Reveal(place),
                        _ => Effect::Conceal(place),
                    },
                    span,
                ));
            }
            StmtKind::Out(who) => {
                let who = self.expect(who, &Type::Player);
                let mine = matches!((&who.kind, self.local("me")), (ExprKind::Local(slot), Some((me, _))) if *slot == me);
                if !mine {
                    self.own_only(around, span, "taking another player out", None);
                }
                self.emit(Op::Do(Effect::Out(who), span));
                if around.in_move.is_none() {
                    self.leave_if_out(around);
                }
            }
            StmtKind::Again => match around.in_move {
                Some(InMove { together: true, .. }) | None => self.report(
                    Diagnostic::new(
                        Code::Misplaced,
                        span,
                        "`again` belongs to a move made in turn",
                        "nobody would choose again here",
                    )
                    .help("in play, write `repeat { … } until C`"),
                ),
                Some(InMove { again, .. }) => {
                    self.standing_rules(around);
                    self.emit(Op::Jump(again));
                }
            },
            StmtKind::If(arms, otherwise) => self.if_stmt(arms, otherwise.as_ref(), around),
            StmtKind::Each { .. } | StmtKind::Cycle { .. } => self.each(stmt, around),
            StmtKind::Repeat { .. } => self.repeat(stmt, around),
            StmtKind::Turns { .. } => self.turns(stmt, around),
            StmtKind::Ask(who, choices) => {
                let who = self.expect(who, &Type::Player);
                self.choice(who, false, choices, around);
            }
            StmtKind::Together(who, choices) => {
                let who = self.expect(who, &Type::List(Box::new(Type::Player)));
                self.choice(who, true, choices, around);
            }
            StmtKind::Choose(choices) => self.choose(choices, around),
            StmtKind::Chance(name, domain) => {
                let (source, ty) = self.domain(domain);
                if unbounded(&source) {
                    self.error(
                        Code::Unbounded,
                        domain.span,
                        "chance cannot draw from all integers",
                        "no end",
                    );
                }
                let slot = self.bind(name, ty, true);
                let kind = ChanceKind::Value(source, slot);
                self.chance(name.text.clone(), kind, span, around);
            }
            StmtKind::Shuffle(e) => {
                let Some((place, ty)) = self.place_whole(e) else { return };
                self.list_place(&place, &ty, "shuffled");
                let name = self.game.state[place.state].name.clone();
                self.chance(name, ChanceKind::Shuffle(place), span, around);
            }
            StmtKind::Draw(name, from) => {
                let Some((place, ty)) = self.place(from) else { return };
                self.collection_place(&place, &ty);
                let slot = self.bind(name, ty.element().unwrap_or(Type::Wrong), true);
                self.chance(name.text.clone(), ChanceKind::Draw(place, slot), span, around);
            }
            StmtKind::Deal(count, from, to) => {
                let count = self.expect(count, &Type::Int);
                let (Some((from, from_ty)), Some((to, to_ty))) = (self.place(from), self.place(to)) else {
                    return;
                };
                self.collection_place(&from, &from_ty);
                self.collection_place(&to, &to_ty);
                if let (Some(a), Some(b)) = (from_ty.element(), to_ty.element())
                    && !b.accepts(&a)
                {
                    let (a, b) = (self.words(&a), self.words(&b));
                    self.error(Code::TypeMismatch, span, format!("{a} cannot go where {b} belongs"), "");
                }
                self.own_only(around, span, "this", Some(&from));
                self.own_only(around, span, "this", Some(&to));
                if matches!(from_ty, Type::List(_)) {
                    self.emit(Op::Do(Effect::Deal(count, from, to), span));
                } else {
                    let name = self.game.state[from.state].name.clone();
                    self.chance(name, ChanceKind::Deal(count, from, to), span, around);
                }
            }
            StmtKind::Phase(name, body) => {
                self.play_only(around, span, "a phase");
                self.emit(Op::Do(Effect::Phase(Some(name.text.clone())), span));
                self.block(body, around);
                self.emit(Op::Do(Effect::Phase(None), span));
            }
            // Compiled behind each choice they stand over.
            StmtKind::EndWhen(_) | StmtKind::WinWhen(..) => self.standing_once(stmt),
            StmtKind::Win(who) => {
                let who = self.expect(who, &Type::Player);
                self.own_only(around, span, "winning", None);
                self.emit(Op::End(Some(who)));
            }
            StmtKind::End => {
                self.own_only(around, span, "the end of the match", None);
                self.emit(Op::End(None));
            }
            StmtKind::Assign(target, op, value) => self.assign(target, *op, value, around, span),
        }
    }

    fn play_only(&mut self, around: &Around<'a>, span: Span, what: &str) {
        if around.in_move.is_some() {
            self.report(
                Diagnostic::new(Code::Misplaced, span, format!("{what} cannot stand in a move"), "")
                    .help("moves hold needs and effects; put it in `play`"),
            );
        }
    }

    /// Moves made together write only what is their mover's own, so that they cannot conflict.
    fn own_only(&mut self, around: &Around<'a>, span: Span, what: &str, place: Option<&Place>) {
        if !around.in_move.is_some_and(|m| m.together) {
            return;
        }
        let me = self.local("me").map(|(slot, _)| slot);
        let own = place.is_some_and(|place| {
            matches!(place.owner.as_ref().map(|o| &o.kind), Some(ExprKind::Local(slot)) if Some(*slot) == me)
        });
        if !own {
            self.report(
                Diagnostic::new(
                    Code::TogetherWrites,
                    span,
                    format!("{what} is not the mover's own"),
                    "moves chosen together write only `me.…`",
                )
                .help("let the move note what was chosen, and do the rest in `play` behind `together`"),
            );
        }
    }

    fn if_stmt(
        &mut self,
        arms: &'a [(ast::Expr, ast::Block)],
        otherwise: Option<&'a ast::Block>,
        around: &Around<'a>,
    ) {
        let end = self.label();
        let mark = self.facts.len();
        for (cond, body) in arms {
            let next = self.label();
            let checked = self.expect(cond, &Type::Bool);
            self.emit(Op::Unless(checked, next));
            let inner = self.facts.len();
            self.assume(cond, true);
            self.block(body, around);
            self.facts.truncate(inner);
            self.emit(Op::Jump(end));
            self.here(next);
            self.assume(cond, false);
        }
        if let Some(body) = otherwise {
            self.block(body, around);
        }
        self.here(end);
        self.facts.truncate(mark);
    }

    // ---- loops

    /// Enters a named loop's pass: counts it and starts anew what it resets.
    fn begin_pass(&mut self, label: Option<&'a ast::Name>, around: &mut Around<'a>, span: Span) {
        let Some(label) = label else { return };
        let id = self.loops[&label.text];
        let slot = self.game.loops[id].1;
        self.bind_to(label, slot, Type::Int, false);
        self.count(slot, 1, span);
        self.emit(Op::Do(Effect::Reset(id), span));
        around.loops.push(id);
    }

    fn clear_label(&mut self, label: Option<&'a ast::Name>, span: Span) {
        let Some(label) = label else { return };
        let earlier =
            self.frame.locals.iter().any(|l| l.name == label.text) || self.globals.contains_key(&label.text);
        if earlier {
            self.error(
                Code::Shadowed,
                label.span,
                format!("`{}` already has a meaning here", label.text),
                "named again",
            );
        }
        let slot = self.game.loops[self.loops[&label.text]].1;
        self.set_slot(slot, 0, span);
    }

    fn set_slot(&mut self, slot: Slot, to: i64, span: Span) {
        let zero = number(to, span);
        self.emit(Op::Do(Effect::Let(vec![slot], zero), span));
    }

    fn count(&mut self, slot: Slot, by: i64, span: Span) {
        let sum =
            ExprKind::Arith(Arith::Add, Box::new(local(slot, Type::Int, span)), Box::new(number(by, span)));
        let sum = Expr { kind: sum, ty: Type::Int, span };
        self.emit(Op::Do(Effect::Let(vec![slot], sum), span));
    }

    fn each(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let (pattern, source, filter, label, until, body, cyclic) = match &stmt.kind {
            StmtKind::Each { pattern, source, filter, label, body } => {
                (pattern, source, filter.as_ref(), label.as_ref(), None, body, false)
            }
            StmtKind::Cycle { pattern, source, filter, label, until, body } => {
                (pattern, source, filter.as_ref(), label.as_ref(), until.as_ref(), body, true)
            }
            _ => return,
        };
        let span = stmt.span;
        if cyclic {
            self.play_only(around, span, "`cycle`");
            self.must_choose(stmt, body);
        }
        let mark = self.open_scope();
        let (domain, element) = self.domain(source);
        if unbounded(&domain) {
            self.error(Code::Unbounded, source.span, "the integers have no end", "cannot be gone through");
        }
        let (list, at) = (self.frame.slot(), self.frame.slot());
        self.emit(Op::Collect { source: domain, list, at });
        self.clear_label(label, span);
        let (top, exit) = (self.label_here(), self.label());
        self.until(until, exit, Some(exit));
        let slots = self.bind_pattern(pattern, &element);
        let checked = filter.map(|cond| {
            let checked = self.expect(cond, &Type::Bool);
            self.assume(cond, true);
            checked
        });
        self.emit(Op::Next { list, at, slots, filter: checked, cyclic, exit });
        let mut inner = around.clone();
        self.begin_pass(label, &mut inner, span);
        // A seat that goes out in a loop of its own ends only what it is doing in it.
        self.block(body, &inner);
        self.emit(Op::Jump(top));
        self.here(exit);
        self.close_scope(mark);
    }

    fn repeat(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let StmtKind::Repeat { count, label, body, until } = &stmt.kind else { return };
        let span = stmt.span;
        if count.is_none() {
            self.play_only(around, span, "`repeat` without a number");
            self.must_choose(stmt, body);
        }
        let mark = self.open_scope();
        self.clear_label(label.as_ref(), span);
        let exit = self.label();
        let limit = count.as_ref().map(|count| {
            let count = self.expect(count, &Type::Int);
            let (limit, done) = (self.frame.slot(), self.frame.slot());
            self.emit(Op::Do(Effect::Let(vec![limit], count), span));
            self.set_slot(done, 0, span);
            (limit, done)
        });
        let top = self.label_here();
        if let Some((limit, done)) = limit {
            let more = vec![(Compare::Less, local(limit, Type::Int, span))];
            let more = ExprKind::Compare(Box::new(local(done, Type::Int, span)), more);
            self.emit(Op::Unless(Expr { kind: more, ty: Type::Bool, span }, exit));
            self.count(done, 1, span);
        }
        let mut inner = around.clone();
        self.begin_pass(label.as_ref(), &mut inner, span);
        self.block(body, &inner);
        self.until(until.as_ref(), exit, None);
        self.emit(Op::Jump(top));
        self.here(exit);
        self.close_scope(mark);
    }

    /// Leaves for `exit` when the condition holds.
    fn until(&mut self, until: Option<&'a Until>, exit: Label, stuck: Option<Label>) {
        match until {
            None => {}
            Some(Until::Stuck(span)) => {
                if stuck.is_none() {
                    self.report(
                        Diagnostic::new(
                            Code::Misplaced,
                            *span,
                            "`until stuck` belongs before the block of `turns`",
                            "",
                        )
                        .help("write `turns until stuck { … }`"),
                    );
                }
            }
            Some(Until::Cond(cond)) => {
                let cond = self.expect(cond, &Type::Bool);
                let on = self.label();
                self.emit(Op::Unless(cond, on));
                self.emit(Op::Jump(exit));
                self.here(on);
            }
        }
    }

    fn turns(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let StmtKind::Turns { by, from, label, before, stuck, body, after } = &stmt.kind else { return };
        let span = stmt.span;
        self.play_only(around, span, "`turns`");
        self.must_choose(stmt, body);
        let mark = self.open_scope();
        let players = Type::List(Box::new(Type::Player));
        let seats = match by {
            Some(by) => self.expect(by, &players),
            None => Expr { kind: ExprKind::Players, ty: players, span },
        };
        let (list, at, me) = (self.frame.slot(), self.frame.slot(), self.frame.slot());
        self.emit(Op::Collect { source: Domain::Values(seats), list, at });
        if let Some(from) = from {
            let from = self.expect(from, &Type::Player);
            self.start_at(list, at, from, span);
        }
        self.clear_label(label.as_ref(), span);
        let idle = stuck.map(|_| self.frame.slot());
        if let Some(idle) = idle {
            self.set_slot(idle, 0, span);
        }
        let (top, next, exit) = (self.label_here(), self.label(), self.label());
        self.until(before.as_ref(), exit, Some(exit));
        self.bind_me(me, span);
        let filter = ExprKind::IsIn(Box::new(local(me, Type::Player, span)));
        let filter = Some(Expr { kind: filter, ty: Type::Bool, span });
        self.emit(Op::Next { list, at, slots: vec![me], filter, cyclic: true, exit });
        let passed_over = self.label();
        let stuck_to = match (before, stuck) {
            (Some(Until::Stuck(_)), _) => Some(exit),
            (_, Some(_)) => Some(passed_over),
            _ => None,
        };
        let mut inner = around.clone();
        inner.turn = Some(Turn { me, next, stuck: stuck_to, idle });
        self.begin_pass(label.as_ref(), &mut inner, span);
        self.block(body, &inner);
        self.here(next);
        self.until(after.as_ref(), exit, None);
        self.emit(Op::Jump(top));
        if let (Some(stuck), Some(idle)) = (stuck, idle) {
            self.here(passed_over);
            match stuck {
                Stuck::Drop => {
                    let who = local(me, Type::Player, span);
                    self.emit(Op::Do(Effect::Out(who), span));
                }
                Stuck::Skip => {
                    // When every seat in a row was stuck, nobody will ever move again.
                    self.count(idle, 1, span);
                    let standing =
                        Expr { kind: ExprKind::Standing, ty: Type::List(Box::new(Type::Player)), span };
                    let seats =
                        Expr { kind: ExprKind::Builtin(Builtin::Size, vec![standing]), ty: Type::Int, span };
                    let more = ExprKind::Compare(
                        Box::new(local(idle, Type::Int, span)),
                        vec![(Compare::Less, seats)],
                    );
                    self.emit(Op::Unless(Expr { kind: more, ty: Type::Bool, span }, exit));
                }
            }
            self.emit(Op::Jump(next));
        }
        self.here(exit);
        self.close_scope(mark);
    }

    /// Sets the counter of a list of seats so that a certain seat comes next.
    fn start_at(&mut self, list: Slot, at: Slot, from: Expr, span: Span) {
        let players = Type::List(Box::new(Type::Player));
        let places = vec![from, local(list, players, span)];
        let places = Expr {
            kind: ExprKind::Builtin(Builtin::Positions, places),
            ty: Type::List(Box::new(Type::Int)),
            span,
        };
        let first = Expr { kind: ExprKind::Builtin(Builtin::First, vec![places]), ty: Type::Int, span };
        let place = ExprKind::Arith(Arith::Sub, Box::new(first), Box::new(number(1, span)));
        self.emit(Op::Do(Effect::Let(vec![at], Expr { kind: place, ty: Type::Int, span }), span));
    }

    /// A loop without a bound of its own must stop for a choice or a draw.
    fn must_choose(&mut self, stmt: &'a Stmt, body: &'a ast::Block) {
        if !self.chooses(body, 0) {
            let word = match stmt.kind {
                StmtKind::Cycle { .. } => "cycle",
                StmtKind::Turns { .. } => "turns",
                _ => "repeat",
            };
            let span = Span::new(stmt.span.start, stmt.span.start + word.len());
            self.report(
                Diagnostic::new(
                    Code::EndlessLoop,
                    span,
                    "nobody chooses anything in this loop",
                    "it would go on for ever",
                )
                .help("offer a move in it, or give it a number of passes: `repeat 3 { … }`"),
            );
        }
    }

    fn chooses(&self, body: &'a ast::Block, depth: usize) -> bool {
        let mut found = false;
        walk(body, &mut |stmt| {
            found |= match &stmt.kind {
                StmtKind::Ask(..)
                | StmtKind::Together(..)
                | StmtKind::Chance(..)
                | StmtKind::Shuffle(_)
                | StmtKind::Draw(..) => true,
                StmtKind::Choose(choices) => choices.first.iter().any(|choice| {
                    match self.rules.iter().find(|r| r.name.text == choice.name.text) {
                        Some(rule) if depth < 20 => self.chooses(rule.body, depth + 1),
                        Some(_) => false,
                        // An unknown name is reported by itself.
                        None => true,
                    }
                }),
                _ => false,
            };
        });
        found
    }

    // ---- choices

    /// A line of names: moves to choose among, or one rule to be carried out.
    fn choose(&mut self, choices: &'a ast::Choices, around: &Around<'a>) {
        if let ([one], true) = (choices.first.as_slice(), choices.otherwise.is_empty())
            && let Some(rule) = self.rules.iter().position(|r| r.name.text == one.name.text)
        {
            self.call_rule(rule, one, choices.span, around);
            return;
        }
        let Some(turn) = around.turn.filter(|_| around.in_move.is_none()) else {
            self.nobodys_choice(choices, around);
            return;
        };
        let who = local(turn.me, Type::Player, choices.span);
        self.choice(who, false, choices, around);
    }

    /// Moves are named where nobody can choose one.
    fn nobodys_choice(&mut self, choices: &'a ast::Choices, around: &Around<'a>) {
        match choices.first.iter().find(|c| !self.moves.contains_key(&c.name.text)) {
            Some(unknown) => self.unknown_move(&unknown.name),
            None if around.in_move.is_some() => self.play_only(around, choices.span, "a choice"),
            None => self.report(
                Diagnostic::new(
                    Code::Misplaced,
                    choices.span,
                    "it is nobody's turn here",
                    "who is to choose?",
                )
                .help("put it in `turns { … }`, or write `ask p to …` or `together players { … }`"),
            ),
        }
    }

    fn unknown_move(&mut self, name: &ast::Name) {
        let known: Vec<String> =
            self.moves.keys().cloned().chain(self.rules.iter().map(|r| r.name.text.clone())).collect();
        let report = Diagnostic::new(
            Code::UnknownMove,
            name.span,
            format!("no move or rule is called `{}`", name.text),
            "not known",
        );
        self.report(report.suggest(&name.text, known.iter().map(String::as_str)));
    }

    fn choice(&mut self, who: Expr, together: bool, choices: &'a ast::Choices, around: &Around<'a>) {
        let span = choices.span;
        if around.in_move.is_some() {
            self.play_only(around, span, "a choice");
            return;
        }
        let id = self.game.choices.len();
        let turn_is_mine =
            matches!((&who.kind, around.turn), (ExprKind::Local(slot), Some(turn)) if *slot == turn.me);
        // `until stuck` and its like are about whoever has the turn.
        let stuck = around.turn.filter(|_| turn_is_mine).and_then(|turn| turn.stuck);
        self.game.choices.push(Choice {
            who,
            together,
            offers: Vec::new(),
            otherwise: Vec::new(),
            stuck,
            done: 0,
            loops: around.loops.clone(),
            span,
        });
        let again = self.label_here();
        self.emit(Op::Choose(id));
        let done = self.label();
        self.game.choices[id].done = done;
        let back = if together {
            let unseal = self.label_here();
            self.emit(Op::Unseal(id, done));
            unseal
        } else {
            done
        };
        let inside = Around { in_move: Some(InMove { again, together }), ..around.clone() };
        let first = self.offer_all(&choices.first, &inside, back);
        let otherwise = self.offer_all(&choices.otherwise, &inside, back);
        self.game.choices[id].offers = first;
        self.game.choices[id].otherwise = otherwise;
        self.here(done);
        if let Some(Turn { idle: Some(idle), .. }) = around.turn {
            self.set_slot(idle, 0, span);
        }
        self.standing_rules(around);
        self.leave_if_out(around);
    }

    /// A seat that is out has no turn any more.
    fn leave_if_out(&mut self, around: &Around<'a>) {
        if let Some(turn) = around.turn
            && self.can_be_out
        {
            let span = Span::default();
            let inside = ExprKind::IsIn(Box::new(local(turn.me, Type::Player, span)));
            self.emit(Op::Unless(Expr { kind: inside, ty: Type::Bool, span }, turn.next));
        }
    }

    fn offer_all(&mut self, choices: &'a [ast::Choice], inside: &Around<'a>, back: Label) -> Vec<Offer> {
        choices.iter().filter_map(|choice| self.offer(choice, inside, back)).collect()
    }

    fn offer(&mut self, choice: &'a ast::Choice, inside: &Around<'a>, back: Label) -> Option<Offer> {
        let name = &choice.name;
        let Some(id) = self.moves.get(&name.text).copied() else {
            self.unknown_move(name);
            return None;
        };
        self.offered[id] = true;
        let mv = self.move_items[id];
        let given: Vec<Expr> = choice.given.iter().flatten().map(|e| self.expr(e, None)).collect();
        let wanted: Vec<usize> = (0..self.game.moves[id].params.len())
            .filter(|p| self.game.moves[id].params[*p].domain.is_none())
            .collect();
        if given.len() != wanted.len() {
            let message =
                format!("`{}` is given {} values here and takes {}", name.text, given.len(), wanted.len());
            self.report(
                Diagnostic::new(Code::ArgumentCount, name.span, message, "")
                    .also(mv.name.span, "declared here")
                    .help("values stand behind a move's name for each parameter declared `given`"),
            );
            return None;
        }
        for (param, value) in wanted.iter().zip(&given) {
            let declared = self.game.moves[id].params[*param].ty.clone();
            match declared.join(&value.ty) {
                Some(_) if declared == Type::Wrong => {
                    self.game.moves[id].params[*param].ty = value.ty.clone()
                }
                Some(_) => {}
                None => self.demand(value, &declared),
            }
        }
        let target = self.label_here();
        self.apart(None, |this| {
            this.bind_me(this.game.moves[id].me, mv.name.span);
            for (param, written) in this.game.moves[id].params.clone().iter().zip(&mv.params) {
                this.bind_to(&written.name, param.slot, param.ty.clone(), true);
            }
            for domain in mv.params.iter().filter_map(|param| param.domain.as_ref()) {
                this.mark_read(domain);
            }
            // Checked at each offer, for the types of given values are known only here.
            this.move_checks(id);
            let checks = checks_of(mv).len();
            this.statements(&mv.body.stmts[checks..], inside);
        });
        self.emit(Op::Jump(back));
        Some(Offer { mv: id, given, target })
    }

    /// Marks the names in an expression as read; it was checked before, with the head of its move.
    fn mark_read(&mut self, e: &'a ast::Expr) {
        let reports = self.diagnostics.len();
        let size = self.frame.size;
        self.domain(e);
        self.frame.size = size;
        self.diagnostics.truncate(reports);
    }

    // ---- standing rules

    /// Tests the rules that stand over this place.
    fn standing_rules(&mut self, around: &Around<'a>) {
        for stmt in around.standing.clone() {
            let on = self.label();
            match &stmt.kind {
                StmtKind::EndWhen(cond) => {
                    let cond = self.expect(cond, &Type::Bool);
                    self.emit(Op::Unless(cond, on));
                    self.emit(Op::End(None));
                }
                StmtKind::WinWhen(who, cond) => {
                    let who = self.expect(who, &Type::Player);
                    let cond = self.expect(cond, &Type::Bool);
                    self.emit(Op::Unless(cond, on));
                    self.emit(Op::End(Some(who)));
                }
                _ => {}
            }
            self.here(on);
        }
    }

    /// Checks a standing rule where it is written, so that one that never applies is checked too.
    fn standing_once(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::EndWhen(cond) => {
                self.expect(cond, &Type::Bool);
            }
            StmtKind::WinWhen(who, cond) => {
                self.expect(who, &Type::Player);
                self.expect(cond, &Type::Bool);
            }
            _ => {}
        }
    }

    fn chance(&mut self, name: String, kind: ChanceKind, span: Span, around: &Around<'a>) {
        if around.in_move.is_some_and(|m| m.together) {
            self.error(
                Code::TogetherWrites,
                span,
                "chance cannot decide while several choose together",
                "put it behind `together`",
            );
        }
        self.emit(Op::Chance(Chance { name, kind, span }));
        if around.in_move.is_none() {
            self.standing_rules(around);
        }
    }

    // ---- rules

    fn call_rule(&mut self, id: usize, call: &'a ast::Choice, span: Span, around: &Around<'a>) {
        let rule = &mut self.rules[id];
        rule.used = true;
        let (name, params, body) = (rule.name, rule.params, rule.body);
        if rule.open {
            self.report(
                Diagnostic::new(
                    Code::Recursion,
                    span,
                    format!("`{}` is called while it is carried out", name.text),
                    "",
                )
                .also(name.span, "defined here")
                .help("rules cannot be recursive; repeat something in `play` instead"),
            );
            return;
        }
        let args: Vec<Expr> = call.given.iter().flatten().map(|e| self.expr(e, None)).collect();
        if args.len() != params.len() {
            let message = format!("`{}` takes {} values, not {}", name.text, params.len(), args.len());
            self.report(
                Diagnostic::new(Code::ArgumentCount, span, message, "").also(name.span, "defined here"),
            );
            return;
        }
        // Inside a rule only its parameters, `me` and the file's names are known.
        let me = self.frame.locals.iter().rev().find(|l| l.name == "me").cloned();
        self.rules[id].open = true;
        self.apart(me, |this| {
            for (param, arg) in params.iter().zip(args) {
                let slot = this.bind(param, arg.ty.clone(), true);
                this.emit(Op::Do(Effect::Let(vec![slot], arg), span));
            }
            this.block(body, around);
        });
        self.rules[id].open = false;
    }

    // ---- places

    /// A place that can be written: state, and the indices into it.
    fn place(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        let found = self.place_or_none(e);
        if found.is_none() {
            let reports = self.diagnostics.len();
            let known = self.expr(e, None);
            if self.diagnostics.len() == reports && known.ty != Type::Wrong {
                self.report(
                    Diagnostic::new(
                        Code::CannotChange,
                        e.span,
                        "this cannot be changed",
                        "not a piece of state",
                    )
                    .help("what changes is declared in `table { … }` or `each player { … }`"),
                );
            }
        }
        found
    }

    fn place_or_none(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        match &e.kind {
            ast::ExprKind::Name(name) => {
                if self.frame.locals.iter().any(|l| l.name == *name) {
                    return None;
                }
                let id = match self.globals.get(name)?.kind {
                    super::scope::GlobalKind::Table(id) => id,
                    _ => return None,
                };
                let ty = self.game.state[id].form.ty();
                Some((Place { state: id, owner: None, path: Vec::new(), span: e.span }, ty))
            }
            ast::ExprKind::Field(base, field) => {
                let id = *self.fields.get(&field.text)?;
                let owner = self.expect(base, &Type::Player);
                let ty = self.game.state[id].form.ty();
                Some((Place { state: id, owner: Some(owner), path: Vec::new(), span: e.span }, ty))
            }
            ast::ExprKind::Index(base, at) => {
                let (mut place, ty) = self.place_or_none(base)?;
                let (key, false) = self.index_key(&ty, at, base.span)? else {
                    self.error(
                        Code::CannotChange,
                        e.span,
                        "one place at a time can be changed",
                        "these are many",
                    );
                    return Some((place, Type::Wrong));
                };
                let element = match ty {
                    Type::List(of) | Type::Grid(of) => *of,
                    Type::Map(_, value) => *value,
                    _ => return None,
                };
                place.path.push(key);
                place.span = e.span;
                Some((place, element))
            }
            _ => None,
        }
    }

    /// A whole piece of state; `reveal b` means everybody's `b`.
    fn place_whole(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        if let ast::ExprKind::Name(name) = &e.kind
            && !self.globals.contains_key(name)
            && let Some(id) = self.fields.get(name).copied()
        {
            let ty = self.game.state[id].form.ty();
            return Some((Place { state: id, owner: None, path: Vec::new(), span: e.span }, ty));
        }
        let (place, ty) = self.place(e)?;
        if !place.path.is_empty() {
            self.error(
                Code::CannotChange,
                e.span,
                "only a whole piece of state can be named here",
                "a part of one",
            );
            return None;
        }
        Some((place, ty))
    }

    fn collection_place(&mut self, place: &Place, ty: &Type) {
        if !matches!(ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Wrong) {
            let ty = self.words(ty);
            self.error(
                Code::TypeMismatch,
                place.span,
                format!("this is {ty}, not a list, a set or a bag"),
                "nothing can be taken from it or put into it",
            );
        }
    }

    fn list_place(&mut self, place: &Place, ty: &Type, done: &str) {
        if !matches!(ty, Type::List(_) | Type::Wrong) {
            let ty = self.words(ty);
            self.error(
                Code::TypeMismatch,
                place.span,
                format!("only a list can be {done}; this is {ty}"),
                "",
            );
        }
    }

    fn assign(
        &mut self,
        target: &'a ast::Expr,
        op: Assign,
        value: &'a ast::Expr,
        around: &Around<'a>,
        span: Span,
    ) {
        if let (ast::ExprKind::Tuple(targets), Assign::Set) = (&target.kind, op) {
            let ast::ExprKind::Tuple(values) = &value.kind else {
                self.error(
                    Code::TypeMismatch,
                    value.span,
                    format!("{} values belong here, in parentheses", targets.len()),
                    "",
                );
                return;
            };
            if targets.len() != values.len() {
                self.error(
                    Code::ArgumentCount,
                    span,
                    format!("{} places and {} values", targets.len(), values.len()),
                    "",
                );
                return;
            }
            let mut places = Vec::new();
            let mut checked = Vec::new();
            for (target, value) in targets.iter().zip(values) {
                let Some((place, ty)) = self.place(target) else { return };
                self.own_only(around, span, "this", Some(&place));
                checked.push(self.expect(value, &ty));
                places.push((place, Change::Set));
            }
            self.forget(targets);
            self.emit(Op::Do(Effect::Assign(places, checked), span));
            return;
        }
        let Some((place, ty)) = self.place(target) else {
            self.expr(value, None);
            return;
        };
        self.own_only(around, span, "this", Some(&place));
        let (change, value) = match (op, &ty) {
            (_, Type::Wrong) => (Change::Set, wrong(span)),
            (Assign::Set, Type::Map(_, of)) => {
                let found = self.expr(value, Some(of));
                self.demand(&found, &ty);
                (Change::Set, found)
            }
            (Assign::Set, _) => (Change::Set, self.expect(value, &ty)),
            (Assign::Add, Type::Int) => (Change::Plus, self.expect(value, &Type::Int)),
            (Assign::Take, Type::Int) => (Change::Minus, self.expect(value, &Type::Int)),
            (Assign::Add | Assign::Take, Type::List(of) | Type::Set(of) | Type::Bag(of)) => {
                let change = if op == Assign::Add { Change::Insert } else { Change::Remove };
                let found = self.expr(value, Some(of));
                if !of.accepts(&found.ty) && ty.accepts(&found.ty) {
                    self.report(
                        Diagnostic::new(
                            Code::TypeMismatch,
                            found.span,
                            "this is a whole collection; one element belongs here",
                            "",
                        )
                        .help(if op == Assign::Add {
                            "`++=` joins all elements"
                        } else {
                            "take them out one by one: `each x in … { S -= x }`"
                        }),
                    );
                } else {
                    self.demand(&found, of);
                }
                (change, found)
            }
            (Assign::Join, Type::List(_) | Type::Set(_) | Type::Bag(_)) => {
                (Change::Join, self.expect(value, &ty))
            }
            (op, ty) => {
                let sign = match op {
                    Assign::Add => "+=",
                    Assign::Take => "-=",
                    _ => "++=",
                };
                let ty = self.words(ty);
                self.report(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        target.span,
                        format!("`{sign}` does not go with {ty}"),
                        format!("this is {ty}"),
                    )
                    .help("`:=` gives a place a new value"),
                );
                return;
            }
        };
        self.forget(std::slice::from_ref(target));
        self.emit(Op::Do(Effect::Assign(vec![(place, change)], vec![value]), span));
    }

    /// What was known of places that change is known no more.
    fn forget(&mut self, targets: &'a [ast::Expr]) {
        for target in targets {
            let mut root = target;
            while let ast::ExprKind::Index(base, _) = &root.kind {
                root = base;
            }
            let name = match &root.kind {
                ast::ExprKind::Field(_, field) => &field.text,
                ast::ExprKind::Name(name) => name,
                _ => continue,
            };
            self.facts.retain(|fact| {
                !fact.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
            });
        }
    }
}

/// The statements of a move that judge it: its needs, and the `let`s among them.
fn checks_of(mv: &ast::Move) -> &[Stmt] {
    let is_check = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::Let(..) | StmtKind::Need(..) | StmtKind::NeedIfPossible(..))
    };
    let count = mv.body.stmts.iter().take_while(|stmt| is_check(stmt)).count();
    &mv.body.stmts[..count]
}

fn local(slot: Slot, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(slot), ty, span }
}

fn number(n: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Value(Value::int(n)), ty: Type::Int, span }
}

/// Whether a domain has no end.
fn unbounded(domain: &Domain) -> bool {
    match domain {
        Domain::Ints => true,
        Domain::Arrangements(_, of) | Domain::Lists(_, of) => unbounded(of),
        Domain::Tuples(parts) => parts.iter().any(unbounded),
        Domain::Range(..) | Domain::Values(_) | Domain::Permutations(_) | Domain::Subsets(..) => false,
    }
}
