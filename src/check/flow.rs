//! Compiles the statements of play to the automaton. Moves and rules are compiled again at each place that
//! uses them, so the automaton needs no stack: a position is a `Pc` and a frame of values.

use super::call::count_words;
use super::standing::Standing;
use super::{Checker, Rule};
use crate::ast::{self, ItemKind, Stmt, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Chance, ChanceKind, Effect, Expr, ExprKind, LoopId, Op, Pc, Place, Slot, Type, Value};
use crate::source::Span;

/// Maximum number of steps in the automaton of one game.
const MAX_CODE: usize = 100_000;

/// A place in the code that may not be known yet; replaced by [`Checker::resolve`].
pub(super) type Label = Pc;

/// The context of the statement being compiled.
#[derive(Clone, Default)]
pub(super) struct Around<'a> {
    /// The enclosing turn: the slot of its seat, and where its end and stuck seats jump to.
    pub turn: Option<Turn>,
    /// The named loops, outermost first.
    pub loops: Vec<LoopId>,
    /// The standing rules, which are tested after each complete choice or draw.
    pub standing: Vec<Standing<'a>>,
    /// The move whose effects are being compiled.
    pub in_move: Option<InMove>,
}

#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub me: Slot,
    pub next: Label,
    pub stuck: Option<Label>,
    pub idle: Option<Slot>,
}

#[derive(Clone, Copy)]
pub(super) struct InMove {
    /// Where the same seat chooses again.
    pub again: Label,
    /// The joint choice that offers the move, if any; the move may then write only its mover's own state.
    pub together: Option<Span>,
}

/// What a move chosen together cannot do to state that is not its mover's own.
pub(super) const NOT_OWN: &str = "change what is not the mover's own";

impl<'a> Checker<'a> {
    pub(super) fn play(&mut self, file: &'a ast::File) {
        let of_file = |item: &'a ast::Item| match &item.kind {
            ItemKind::Standing(stmt) => Some(Standing::of_file(stmt)),
            _ => None,
        };
        let standing: Vec<Standing> = file.items.iter().filter_map(of_file).collect();
        self.frame.in_play = true;
        let moves = 0..self.move_items.len().min(self.game.moves.len());
        for id in moves.clone() {
            // What is given has the types of the first offer, which checks the head: see `offer`.
            if self.move_items[id].params.iter().all(|param| param.domain.is_some()) {
                self.move_head_checks(id, &[]);
            }
        }
        let mut first: Option<Span> = None;
        for item in &file.items {
            let ItemKind::Play(body) = &item.kind else { continue };
            if let Some(first) = first {
                let span = Span::new(item.span.start, item.span.start + 4);
                self.report(
                    Diagnostic::new(
                        Code::RepeatedPart,
                        span,
                        "a file can have only one `play`",
                        "a second one",
                    )
                    .also(Span::new(first.start, first.start + 4), "the first"),
                );
                continue;
            }
            first = Some(item.span);
            let around = Around { standing: standing.clone(), ..Around::default() };
            self.block(body, &around);
            self.emit(Op::End(None));
        }
        for id in moves {
            // A move that is never offered.
            if !self.head_passes.contains_key(&id) {
                self.move_head_checks(id, &[]);
            }
        }
        self.resolve();
    }

    // ---- code and labels

    fn too_long(&mut self) {
        self.report(
            Diagnostic::new(
                Code::TooDeep,
                Span::new(0, 1),
                format!("the play of this game has more than {MAX_CODE} steps"),
                "in the whole file",
            )
            .help("rules that call rules grow with every call; go through a list with `each` instead"),
        );
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.wrote(&op);
        if self.game.code.len() == MAX_CODE {
            self.too_long();
        }
        if self.game.code.len() <= MAX_CODE {
            self.game.code.push(op);
        }
    }

    /// Records that `span` is compiled to the code that comes next.
    pub(super) fn mark_source(&mut self, span: Span) {
        self.game.code_spans.push((span, self.game.code.len()));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        self.labels.len() - 1
    }

    pub(super) fn place_label(&mut self, label: Label) {
        self.labels[label] = Some(self.game.code.len());
    }

    pub(super) fn label_here(&mut self) -> Label {
        let label = self.label();
        self.place_label(label);
        label
    }

    /// Replaces labels by their places in the code.
    pub(super) fn resolve(&mut self) {
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
            choice.all_offers_mut().for_each(|offer| place(&mut offer.target));
            choice.stuck.iter_mut().for_each(place);
            place(&mut choice.done);
        }
    }

    // ---- statements

    pub(super) fn block(&mut self, block: &'a ast::Block, around: &Around<'a>) {
        self.statements(&block.stmts, around);
    }

    pub(super) fn statements(&mut self, stmts: &'a [Stmt], around: &Around<'a>) {
        let mark = self.open_scope();
        // A standing rule applies to the whole block that contains it.
        let mut around = around.clone();
        let outside = self.frame.locals.len();
        around.standing.extend(Standing::in_block(stmts, outside));
        for stmt in stmts {
            self.stmt(stmt, &around);
            if self.game.code.len() > MAX_CODE {
                break;
            }
        }
        self.close_scope(mark);
    }

    pub(super) fn stmt(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        if !self.means_a_name(stmt) && self.deeper(2, stmt.span) {
            self.mark_source(stmt.span);
            self.stmt_kind(stmt, around);
            self.depth -= 2;
        }
    }

    fn stmt_kind(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Let(pattern, value) => {
                self.note_choices(pattern, value);
                let (slots, value) = self.bound_value(pattern, value);
                self.assume_value(&slots, &value);
                self.emit(Op::Do(Effect::Let(slots, value), span));
            }
            StmtKind::Need(..) | StmtKind::NeedIfPossible(..) => {
                let (code, help) = match around.in_move {
                    Some(_) => (Code::NeedAfterEffect, self.need_before_its_effect(span)),
                    None => (
                        Code::Misplaced,
                        "needs belong in moves; in play, use `if` or `end when`".to_string(),
                    ),
                };
                if self.has_earlier_report(span) || self.diagnostics.iter().any(|d| d.span() == span) {
                    return;
                }
                let (message, label) = match code {
                    Code::NeedAfterEffect => ("this need comes after an effect", "too late"),
                    _ => ("a `need` is not allowed in `play`", "nobody is moving here"),
                };
                self.report(Diagnostic::new(code, span, message, label).help(help));
            }
            StmtKind::Award(amount, to, why) => {
                let amount = self.expect(amount, &Type::Int);
                let to = self.expect(to, &Type::Player);
                let why = why.as_ref().map(|why| self.expr(why, None));
                if !self.is_me(&to) {
                    self.check_own_write(around, span, "award points to another player", None);
                }
                self.emit(Op::Do(Effect::Award(amount, to, why), span));
            }
            StmtKind::Say(text, to) => {
                let text = self.expr(text, None);
                let to = to.as_ref().map(|to| self.expect(to, &Type::Player));
                self.emit(Op::Do(Effect::Say(text, to), span));
            }
            StmtKind::Send(value, from, to) => {
                let from = self.place(from);
                let to = self.place(to);
                let (Some((from, from_ty)), Some((to, to_ty))) = (from, to) else { return };
                self.check_own_write(around, span, NOT_OWN, Some(&from));
                self.check_own_write(around, span, NOT_OWN, Some(&to));
                let element = from_ty.element().unwrap_or(Type::Wrong);
                let value = self.expect(value, &element);
                self.collection_place(&from, &from_ty);
                self.collection_place(&to, &to_ty);
                if let Some(to_element) = to_ty.element() {
                    self.check_type(&value, &to_element);
                }
                self.emit(Op::Do(Effect::Send(value, from, to), span));
            }
            StmtKind::Reveal(e) | StmtKind::Conceal(e) => {
                let Some((place, _)) = self.place_whole(e) else { return };
                if self.game.state[place.state].sight == crate::ir::Sight::Public {
                    let state = &self.game.state[place.state];
                    let word = if state.per_player { "secret" } else { "hidden" };
                    let report = Diagnostic::new(
                        Code::Misplaced,
                        e.span,
                        format!("everybody sees `{}` anyway", state.name),
                        "neither secret nor hidden",
                    );
                    self.report(
                        report
                            .also(state.span, "declared here")
                            .help(format!("write `{word}` after its first value, or leave this line out")),
                    );
                }
                self.check_own_write(
                    around,
                    span,
                    "change who sees what is not the mover's own",
                    Some(&place),
                );
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
                if !self.is_me(&who) {
                    self.check_own_write(around, span, "take another player out", None);
                }
                self.emit(Op::Do(Effect::Out(who), span));
                if around.in_move.is_none() {
                    self.leave_if_out(around);
                }
            }
            StmtKind::Again => match around.in_move {
                Some(InMove { together: Some(_), .. }) | None => self.report(
                    Diagnostic::new(
                        Code::Misplaced,
                        span,
                        "`again` works only in a move made in turn",
                        "nobody would choose again here",
                    )
                    .help("in play, write `repeat { … } until C`"),
                ),
                Some(InMove { again, .. }) => {
                    self.emit(Op::Jump(again));
                }
            },
            StmtKind::If(arms, otherwise) => {
                if around.in_move.is_some() {
                    self.needs_under_condition(arms);
                }
                self.if_stmt(arms, otherwise.as_ref(), around);
            }
            StmtKind::Each { .. } | StmtKind::Cycle { .. } => self.each(stmt, around),
            StmtKind::Repeat { .. } => self.repeat(stmt, around),
            StmtKind::Turns { .. } => self.turns(stmt, around),
            StmtKind::Ask(who, choices) => {
                let who = self.expect(who, &Type::Player);
                self.choice(who, None, &[choices], around);
            }
            StmtKind::Together(who, choices) => {
                let who = self.expect(who, &Type::List(Box::new(Type::Player)));
                let must = choices.if_possible.then(|| self.joined(Vec::new(), choices.span));
                self.choice(who, Some(must), &[choices], around);
            }
            StmtKind::TogetherAsk(asks) => self.together_ask(asks, span, around),
            StmtKind::Choose(choices) => self.choose(choices, around),
            StmtKind::Chance(name, domain, filter) => {
                if name.text != "me" {
                    self.refuse_shadow(name);
                }
                let (source, ty, slot) = self.domain_where(name, domain, filter.as_ref());
                if source.is_infinite() {
                    self.error(
                        Code::Unbounded,
                        domain.span,
                        "chance cannot draw from all integers",
                        "they have no end",
                    );
                }
                self.assume_element(&[slot], &source, &ty, domain.span);
                self.bind_to(name, slot, ty, true);
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
                let Some((place, ty)) = self.place(from) else {
                    self.bind(name, Type::Wrong, true);
                    return;
                };
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
                self.check_own_write(around, span, NOT_OWN, Some(&from));
                self.check_own_write(around, span, NOT_OWN, Some(&to));
                if matches!(from_ty, Type::List(_)) {
                    self.emit(Op::Do(Effect::Deal(count, from, to), span));
                } else {
                    let name = self.game.state[from.state].name.clone();
                    self.chance(name, ChanceKind::Deal(count, from, to), span, around);
                }
            }
            StmtKind::Phase(name, body) => {
                if !self.play_only(around, span, "`phase`") {
                    return;
                }
                self.emit(Op::Do(Effect::Phase(Some(name.text.clone())), span));
                self.block(body, around);
                self.emit(Op::Do(Effect::Phase(None), span));
            }
            // Compiled after each choice in the block.
            StmtKind::EndWhen(_) | StmtKind::WinWhen(..) => self.standing_once(stmt),
            StmtKind::Win(who) => {
                let who = self.winners(who);
                self.check_own_write(around, span, "let a player win", None);
                self.emit(Op::End(Some(who)));
            }
            StmtKind::End => {
                self.check_own_write(around, span, "end the match", None);
                self.emit(Op::End(None));
            }
            StmtKind::Assign(target, op, value) => self.assign(target, *op, value, around, span),
            StmtKind::Wrong => {}
        }
    }

    /// Whether the statement is in play, where it is allowed; reports it in a move.
    pub(super) fn play_only(&mut self, around: &Around<'a>, span: Span, what: &str) -> bool {
        if around.in_move.is_some() {
            // For a statement with a block, mark only its keyword.
            let word = what.split('`').nth(1).map_or(span.end - span.start, str::len);
            let span = Span::new(span.start, span.start + word);
            self.report(
                Diagnostic::new(
                    Code::Misplaced,
                    span,
                    format!("{what} is not allowed in a move"),
                    "this is in a move",
                )
                .help(match what.starts_with("`repeat`") {
                    true => "in a move, say how often at most, and when to go on: `repeat 9 { if C { … } }`",
                    false => "moves contain only needs and effects; put it in `play`",
                }),
            );
        }
        around.in_move.is_none()
    }

    fn is_me(&mut self, who: &Expr) -> bool {
        matches!((&who.kind, self.local("me")), (ExprKind::Local(slot), Some((me, _))) if *slot == me)
    }

    /// Reports a write to what is not the mover's own in a joint choice, so that moves made together cannot
    /// conflict.
    pub(super) fn check_own_write(
        &mut self,
        around: &Around<'a>,
        span: Span,
        what: &str,
        place: Option<&Place>,
    ) {
        let Some(chosen) = around.in_move.and_then(|m| m.together) else { return };
        let me = self.local("me").map(|(slot, _)| slot);
        let own = place.is_some_and(|place| {
            matches!(place.owner.as_ref().map(|o| &o.kind), Some(ExprKind::Local(slot)) if Some(*slot) == me)
        });
        if !own {
            self.report(
                Diagnostic::new(
                    Code::TogetherWrites,
                    span,
                    format!("a move chosen together cannot {what}"),
                    "only `me.…` can be changed here",
                )
                .also(chosen, "chosen together here")
                .help("let the move note the choice in `me.…`, and do the rest in `play`, after `together`"),
            );
        }
    }

    pub(super) fn if_stmt(
        &mut self,
        arms: &'a [(ast::Expr, ast::Block)],
        otherwise: Option<&'a ast::Block>,
        around: &Around<'a>,
    ) {
        let end = self.label();
        let mark = self.facts.len();
        // A fact that one arm invalidates no longer holds after the whole statement, but still does in the
        // other arms.
        let mut gone = self.facts.invalidated();
        let mut last = None;
        for (cond, body) in arms {
            let next = self.label();
            let checked = self.expect(cond, &Type::Bool);
            self.mark_source(cond.span);
            self.emit(Op::Unless(checked.clone(), next));
            let inner = self.facts.len();
            let before = self.facts.invalidated();
            self.assume(&checked, true);
            self.block(body, around);
            self.facts.truncate(inner);
            gone.iter_mut().zip(self.facts.invalidated()).for_each(|(all, here)| *all |= here);
            self.facts.set_invalidated(&before);
            self.emit(Op::Jump(end));
            self.place_label(next);
            self.assume(&checked, false);
            last = Some(checked);
        }
        if let Some(body) = otherwise {
            self.block(body, around);
        }
        self.place_label(end);
        self.facts.truncate(mark);
        gone.iter_mut().zip(self.facts.invalidated()).for_each(|(all, here)| *all |= here);
        self.facts.set_invalidated(&gone);
        // If the only arm never falls through, its condition is false afterwards.
        if let ([(_, body)], None) = (arms, otherwise)
            && body
                .stmts
                .last()
                .is_some_and(|stmt| matches!(stmt.kind, StmtKind::End | StmtKind::Win(_) | StmtKind::Again))
            && let Some(cond) = last
        {
            self.assume(&cond, false);
        }
    }

    pub(super) fn chance(&mut self, name: String, kind: ChanceKind, span: Span, around: &Around<'a>) {
        if let Some(chosen) = around.in_move.and_then(|m| m.together) {
            self.report(
                Diagnostic::new(
                    Code::TogetherWrites,
                    span,
                    "a move chosen together cannot draw by chance",
                    "in a move chosen together",
                )
                .also(chosen, "chosen together here")
                .help("draw in `play`, before or after `together`"),
            );
        }
        self.emit(Op::Chance(Chance { name, kind, span }));
        if around.in_move.is_none() {
            self.standing_rules(around);
        }
    }

    // ---- rules

    pub(super) fn call_rule(&mut self, id: usize, call: &'a ast::Choice, span: Span, around: &Around<'a>) {
        self.rule_calls += 1;
        if self.rule_calls > MAX_CODE {
            if self.rule_calls == MAX_CODE + 1 {
                self.too_long();
            }
            return;
        }
        let rule = &mut self.rules[id];
        rule.used = true;
        let (name, params) = (rule.name, rule.params);
        if rule.in_progress {
            self.report(
                Diagnostic::new(
                    Code::Recursion,
                    span,
                    format!("`{}` ends up calling itself", name.text),
                    "called again here",
                )
                .also(name.span, "defined here")
                .help("rules cannot be recursive; repeat something in `play` instead"),
            );
            return;
        }
        let args: Vec<Expr> = call.given.iter().flatten().map(|e| self.expr(e, None)).collect();
        if args.len() != params.len() {
            let takes = count_words(params.len(), params.len(), false);
            let message = format!("`{}` takes {takes}, not {}", name.text, args.len());
            self.report(
                Diagnostic::new(Code::ArgumentCount, span, message, format!("{} given", args.len()))
                    .also(name.span, "defined here"),
            );
            return;
        }
        if !self.deeper(2, span) {
            return;
        }
        let read_before = self.passes_read.len();
        let reports = self.diagnostics.len();
        self.rule_body(id, args, span, around);
        // Callers differ in the facts they know, so the report names the call.
        for report in self.diagnostics.iter_mut().skip(reports) {
            if report.code == Code::MaybeNone && !report.labels.iter().any(|label| label.span == span) {
                *report = report.clone().also(span, "called from here");
            }
        }
        if around.in_move.is_none() {
            let read = self.passes_read.split_off(read_before);
            self.passes_are_here(&read, &around.loops, &call.name);
        }
        self.depth -= 2;
    }

    /// Checks the statements of a rule for its arguments, and compiles them.
    pub(super) fn rule_body(&mut self, id: usize, args: Vec<Expr>, span: Span, around: &Around<'a>) {
        let Rule { params, body, .. } = self.rules[id];
        // A rule sees only its parameters, `me` and the globals.
        let me = self.frame.locals.iter().rev().find(|l| l.name == "me").cloned();
        self.rules[id].in_progress = true;
        self.inside_rule(me, |this| {
            for (param, arg) in params.iter().zip(args) {
                let slot = this.bind(param, arg.ty.clone(), true);
                this.assume_value(&[slot], &arg);
                this.emit(Op::Do(Effect::Let(vec![slot], arg), span));
            }
            this.block(body, around);
        });
        self.rules[id].in_progress = false;
    }
}

/// Returns the statements of a move that decide its legality: its needs, and the `let`s before them. A `let`
/// after the last need is for the effects, and is evaluated only when the move is made.
pub(super) fn checks_of(mv: &ast::Move) -> &[Stmt] {
    let is_need = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Need(..) | StmtKind::NeedIfPossible(..));
    let stmts = &mv.body.stmts;
    // An unreadable line may be either.
    let leads = |stmt: &Stmt| is_need(stmt) || matches!(stmt.kind, StmtKind::Let(..) | StmtKind::Wrong);
    let leading = stmts.iter().take_while(|stmt| leads(stmt));
    let count =
        leading.enumerate().filter(|(_, stmt)| is_need(stmt)).map(|(at, _)| at + 1).last().unwrap_or(0);
    &stmts[..count]
}

pub(super) fn local(slot: Slot, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(slot), ty, span }
}

pub(super) fn number(n: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Value(Value::int(n)), ty: Type::Int, span }
}
