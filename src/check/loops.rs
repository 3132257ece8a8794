//! Loops of play: each, cycle, repeat, turns.

use std::collections::BTreeSet;

use super::Checker;
use super::flow::{Around, Label, Turn, local, number};
use super::items::walk;
use super::mentions::mentions;
use crate::ast::{self, Stmt, StmtKind, Stuck, Until};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Builtin, Compare, Domain, Effect, Expr, ExprKind, Op, Pc, Slot, Type};
use crate::source::Span;

impl<'a> Checker<'a> {
    /// Counts a pass of a named loop that is about to begin.
    fn count_pass(&mut self, label: Option<&'a ast::Name>, span: Span) {
        let Some(label) = label else { return };
        let slot = self.game.loops[self.loops[&label.text]].1;
        self.bind_to(label, slot, Type::Int, false);
        self.count(slot, 1, span);
    }

    /// Begins a pass of a named loop, which resets the state declared for each of its passes.
    pub(super) fn begin_pass(&mut self, label: Option<&'a ast::Name>, around: &mut Around<'a>, span: Span) {
        let Some(label) = label else { return };
        let id = self.loops[&label.text];
        self.emit(Op::Do(Effect::Reset(id), span));
        around.loops.push(id);
    }

    pub(super) fn clear_label(&mut self, label: Option<&'a ast::Name>, around: &Around<'a>, span: Span) {
        let Some(label) = label else { return };
        if matches!(label.text.as_str(), "me" | "players" | "standing" | "int") {
            self.refuse_shadow(label);
        }
        // A rule does not see the names around its call, but the loops there still count.
        let earlier = self.frame.locals.iter().any(|l| l.name == label.text)
            || around.loops.contains(&self.loops[&label.text])
            || self.globals.contains_key(&label.text);
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

    pub(super) fn set_slot(&mut self, slot: Slot, to: i64, span: Span) {
        let zero = number(to, span);
        self.emit(Op::Do(Effect::Let(vec![slot], zero), span));
    }

    pub(super) fn count(&mut self, slot: Slot, by: i64, span: Span) {
        let sum =
            ExprKind::Arith(Arith::Add, Box::new(local(slot, Type::Int, span)), Box::new(number(by, span)));
        let sum = Expr { kind: sum, ty: Type::Int, span };
        self.emit(Op::Do(Effect::Let(vec![slot], sum), span));
    }

    pub(super) fn each(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
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
            if !self.play_only(around, span, "`cycle`") {
                return;
            }
            self.must_choose(stmt, body);
        }
        let mark = self.open_scope();
        let source = self.gone_through(source);
        let (domain, element) = self.domain(source);
        self.must_be_finite(&domain, source.span);
        let (list, at) = (self.frame.slot(), self.frame.slot());
        self.emit(Op::Collect { source: domain.clone(), list, at });
        self.clear_label(label, around, span);
        let (top, exit) = (self.label_here(), self.label());
        let first = self.game.code.len();
        let mut start = self.open_loop();
        self.count_pass(label, span);
        self.until(until, exit, stmt);
        let slots = self.bind_pattern(pattern, &element);
        // The elements are collected before the first pass, so facts about them must hold in every pass.
        self.assume_element(&slots, &domain, &element, source.span);
        start.entries = self.facts.len();
        let checked = filter.map(|cond| {
            let checked = self.expect(cond, &Type::Bool);
            self.assume(&checked, true);
            checked
        });
        self.emit(Op::Next { list, at, slots, filter: checked, cyclic, exit });
        let mut inner = around.clone();
        self.begin_pass(label, &mut inner, span);
        // `inner` keeps the turn: a mover that goes out in the body leaves the whole turn.
        self.block(body, &inner);
        self.emit(Op::Jump(top));
        self.place_label(exit);
        self.mark_loop(stmt, first);
        self.close_loop(start);
        self.close_scope(mark);
    }

    /// Reports `repeat pass as rounds` where `rounds` is the number of passes. Returns whether it did.
    fn passes_exchanged(&mut self, count: Option<&ast::Expr>, label: Option<&ast::Name>) -> bool {
        let (Some(count), Some(label)) = (count, label) else { return false };
        let ast::ExprKind::Name(name) = &count.kind else { return false };
        let known = self.globals.get(&label.text).is_some_and(|global| global.ty == Type::Int);
        if !known || self.value_called(name) {
            return false;
        }
        let written = format!("{} as {name}", label.text);
        let message = "the number of passes comes first, and the name of a pass behind `as`";
        let report = Diagnostic::new(Code::UnknownName, count.span.to(label.span), message, "");
        self.report(report.help(format!("write `repeat {written}`")).fix(written));
        true
    }

    pub(super) fn repeat(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let StmtKind::Repeat { count, label, body, until } = &stmt.kind else { return };
        let span = stmt.span;
        if self.passes_exchanged(count.as_ref(), label.as_ref()) {
            return;
        }
        if count.is_none() {
            if !self.play_only(around, span, "`repeat` without a number") {
                return;
            }
            self.must_choose(stmt, body);
        }
        let mark = self.open_scope();
        self.clear_label(label.as_ref(), around, span);
        let exit = self.label();
        let limit = count.as_ref().map(|count| {
            let count = self.expect(count, &Type::Int);
            if let Some(label) = label {
                // The number of the pass lies between 1 and the number of passes.
                let slot = self.game.loops[self.loops[&label.text]].1;
                let passes = Domain::Range(number(1, span), count.clone());
                self.assume_element(&[slot], &passes, &Type::Int, span);
            }
            let limit = self.frame.slot();
            self.emit(Op::Do(Effect::Let(vec![limit], count), span));
            // A named loop has a pass counter already.
            let done = match label {
                Some(label) => self.game.loops[self.loops[&label.text]].1,
                None => self.frame.slot(),
            };
            if label.is_none() {
                self.set_slot(done, 0, span);
            }
            (limit, done)
        });
        let (top, start) = (self.label_here(), self.open_loop());
        let first = self.game.code.len();
        if let Some((limit, done)) = limit {
            let more = vec![(Compare::Less, local(limit, Type::Int, span))];
            let more = ExprKind::Compare(Box::new(local(done, Type::Int, span)), more);
            self.emit(Op::Unless(Expr { kind: more, ty: Type::Bool, span }, exit));
            if label.is_none() {
                self.count(done, 1, span);
            }
        }
        self.count_pass(label.as_ref(), span);
        let mut inner = around.clone();
        self.begin_pass(label.as_ref(), &mut inner, span);
        self.block(body, &inner);
        let met = self.until(until.as_ref(), exit, stmt);
        self.emit(Op::Jump(top));
        self.place_label(exit);
        self.mark_loop(stmt, first);
        self.close_loop(start);
        self.close_scope(mark);
        // Without a count, the condition is the only way out of the loop.
        if let (None, Some(met)) = (count, met) {
            self.assume(&met, true);
        }
    }

    /// Jumps to `exit` if the end condition of the loop `stmt` holds. Returns the condition.
    pub(super) fn until(&mut self, until: Option<&'a Until>, exit: Label, stmt: &'a Stmt) -> Option<Expr> {
        match until {
            None => None,
            Some(Until::Stuck(span)) => {
                let (message, label) = match &stmt.kind {
                    StmtKind::Turns { .. } => {
                        ("`until stuck` belongs before the block of `turns`", "after the block")
                    }
                    _ => ("`until stuck` belongs to `turns`", "this loop gives nobody the turn"),
                };
                let help = format!("write {}", self.until_stuck_form(stmt));
                self.report(Diagnostic::new(Code::Misplaced, *span, message, label).help(help));
                None
            }
            Some(Until::Cond(cond)) => {
                let place = cond.span;
                let cond = self.expect(cond, &Type::Bool);
                let on = self.label();
                self.mark_source(place);
                self.emit(Op::Unless(cond.clone(), on));
                self.emit(Op::Jump(exit));
                self.place_label(on);
                Some(cond)
            }
        }
    }

    pub(super) fn turns(&mut self, stmt: &'a Stmt, around: &Around<'a>) {
        let StmtKind::Turns { by, from, label, before, stuck, body, after } = &stmt.kind else { return };
        let span = stmt.span;
        if !self.play_only(around, span, "`turns`") {
            return;
        }
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
        self.clear_label(label.as_ref(), around, span);
        let idle = stuck.map(|_| self.frame.slot());
        if let Some(idle) = idle {
            self.set_slot(idle, 0, span);
        }
        let (top, next, exit) = (self.label_here(), self.label(), self.label());
        let first = self.game.code.len();
        let start = self.open_loop();
        self.count_pass(label.as_ref(), span);
        let before_turn = match before {
            Some(Until::Stuck(_)) => None,
            before => self.until(before.as_ref(), exit, stmt),
        };
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
        let choices = self.game.choices.len();
        self.begin_pass(label.as_ref(), &mut inner, span);
        self.block(body, &inner);
        if let Some(stuck_to) = stuck_to {
            self.must_get_stuck(stmt, choices, stuck_to);
        }
        self.place_label(next);
        let after_turn = self.until(after.as_ref(), exit, stmt);
        self.emit(Op::Jump(top));
        if let (Some(stuck), Some(idle)) = (stuck, idle) {
            self.place_label(passed_over);
            self.mark_source(head(stmt));
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
        self.place_label(exit);
        self.mark_loop(stmt, first);
        if let Some(Until::Stuck(until)) = before {
            self.mark_source(*until);
        }
        self.close_loop(start);
        self.close_scope(mark);
        // If the turns can only end by this one condition, it holds afterwards.
        let ends = usize::from(before.is_some()) + usize::from(after.is_some());
        if let (None, None, false, 1, Some(met)) =
            (by, stuck, self.can_be_out, ends, before_turn.or(after_turn))
        {
            self.assume(&met, true);
        }
    }

    /// Warns if nobody can be stuck in `turns` that say what happens then, since none of their choices, which are those from the
    /// number `first` on, is one that whoever has the turn must make.
    fn must_get_stuck(&mut self, stmt: &'a Stmt, first: usize, stuck: Label) {
        let StmtKind::Turns { before, stuck: passed, .. } = &stmt.kind else { return };
        let choices = &self.game.choices[first..];
        if choices.is_empty() || choices.iter().any(|choice| choice.stuck == Some(stuck)) {
            return;
        }
        let (place, what) = match (before, passed) {
            (Some(Until::Stuck(span)), _) => (*span, "until stuck"),
            (_, Some(Stuck::Drop)) => (head(stmt), "dropping stuck"),
            _ => (head(stmt), "skipping stuck"),
        };
        let message = format!("`{what}` makes no difference here");
        let label = "this asks whether who has the turn can move";
        let mut report = Diagnostic::new(Code::NeverTested, place, message, label);
        report = match first_choice(stmt) {
            Some((_, made)) if made.if_possible => {
                report.also(made.span, "who cannot move is passed over here")
            }
            Some((Some(asked), _)) => report.also(asked.span, "who is asked here need not have the turn"),
            _ => report,
        };
        let help = format!("write {}", self.until_stuck_form(stmt));
        self.report(report.help(help));
    }

    /// Returns how a loop is written that goes on until who has the turn cannot move, with the first choice in it.
    fn until_stuck_form(&self, stmt: &Stmt) -> String {
        let text = |span: Span| self.source.map_or("…", |source| source.slice(span));
        let made = first_choice(stmt);
        let offered = made.as_ref().map_or("…", |(_, made)| text(made.span));
        let offered = offered.strip_suffix("if possible").unwrap_or(offered).trim_end();
        // Only `turns` and `cycle` go round the table by themselves.
        let by = match (&stmt.kind, made.and_then(|(asked, _)| asked)) {
            (StmtKind::Turns { by: Some(by), .. }, _) => format!(" by {}", text(by.span)),
            (StmtKind::Turns { .. } | StmtKind::Repeat { .. }, Some(asked)) if text(asked.span) != "me" => {
                format!(" by [{}]", text(asked.span))
            }
            _ => String::new(),
        };
        let how = match &stmt.kind {
            StmtKind::Turns { stuck: Some(Stuck::Drop), .. } => "dropping stuck",
            StmtKind::Turns { stuck: Some(Stuck::Skip), .. } => "skipping stuck",
            _ => "until stuck",
        };
        format!("`turns{by} {how} {{ … }}`, and in it `{offered}` alone, which whoever has the turn must do")
    }

    /// Sets the counter of a list of seats so that `from` comes next.
    pub(super) fn start_at(&mut self, list: Slot, at: Slot, from: Expr, span: Span) {
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

    /// Records that the loop `stmt` is compiled to the code from `first` to here.
    fn mark_loop(&mut self, stmt: &Stmt, first: Pc) {
        let places = first..self.game.code.len();
        self.game.loop_heads.push((head(stmt), places));
    }

    /// Reports a loop without a bound of its own in which nobody chooses and nothing is drawn.
    pub(super) fn must_choose(&mut self, stmt: &'a Stmt, body: &'a ast::Block) {
        if self.chooses(body, &mut BTreeSet::new()) || ends_by_count(stmt) {
            return;
        }
        let mut passed_over = false;
        walk(body, &mut |stmt| {
            passed_over |= match &stmt.kind {
                StmtKind::Ask(_, choices) | StmtKind::Together(_, choices) | StmtKind::Choose(choices) => {
                    choices.if_possible
                }
                StmtKind::TogetherAsk(asks) => asks.iter().any(|(_, choices)| choices.if_possible),
                _ => false,
            }
        });
        let (message, label, help) = match (passed_over, &stmt.kind) {
            (false, _) => (
                "nobody chooses anything in this loop",
                "it would go on forever",
                "offer a move in it, or give it a number of passes: `repeat 3 { … }`",
            ),
            (true, StmtKind::Turns { .. }) => (
                "nobody has to choose anything in this loop",
                "it would go on forever once nobody can move",
                "instead of `if possible`, write `turns skipping stuck { … }`, which ends when nobody can move, or `turns until stuck { … }`",
            ),
            (true, _) => (
                "nobody has to choose anything in this loop",
                "it would go on forever once nobody can move",
                "say what else they do, `a or b else pass`, or give it a number of passes: `repeat 3 { … }`",
            ),
        };
        self.report(Diagnostic::new(Code::EndlessLoop, head(stmt), message, label).help(help));
    }

    /// Whether a block can contain a choice or a draw, in the rules it calls as well. Each rule is looked at once:
    /// `seen` are those that were.
    fn chooses(&self, body: &'a ast::Block, seen: &mut BTreeSet<&'a str>) -> bool {
        let mut found = false;
        walk(body, &mut |stmt| {
            found |= match &stmt.kind {
                StmtKind::Again | StmtKind::End => self.means_a_name(stmt),
                StmtKind::Ask(_, choices) | StmtKind::Together(_, choices) => !choices.if_possible,
                StmtKind::TogetherAsk(asks) => asks.iter().any(|(_, choices)| !choices.if_possible),
                StmtKind::Chance(..) | StmtKind::Shuffle(_) | StmtKind::Draw(..) | StmtKind::Wrong => true,
                StmtKind::Choose(choices) if choices.if_possible => false,
                StmtKind::Choose(choices) => choices.first.iter().any(|choice| {
                    match self.rules.iter().find(|r| r.name.text == choice.name.text) {
                        Some(rule) => seen.insert(&rule.name.text) && self.chooses(rule.body, seen),
                        // An unknown name is reported elsewhere.
                        None => true,
                    }
                }),
                _ => false,
            };
        });
        found
    }
}

/// Returns the first choice in the body of a loop, with who is asked, if that is said.
fn first_choice(stmt: &Stmt) -> Option<(Option<&ast::Expr>, &ast::Choices)> {
    let body = match &stmt.kind {
        StmtKind::Each { body, .. } | StmtKind::Cycle { body, .. } => body,
        StmtKind::Repeat { body, .. } | StmtKind::Turns { body, .. } => body,
        _ => return None,
    };
    let mut found = None;
    walk(body, &mut |stmt| {
        let choice = match &stmt.kind {
            StmtKind::Ask(asked, choices) => (Some(asked), choices),
            StmtKind::Choose(choices) => (None, choices),
            _ => return,
        };
        found.get_or_insert(choice);
    });
    found
}

/// Returns the span of the word that begins a loop.
fn head(stmt: &Stmt) -> Span {
    let word = match stmt.kind {
        StmtKind::Each { .. } => "each",
        StmtKind::Cycle { .. } => "cycle",
        StmtKind::Turns { .. } => "turns",
        _ => "repeat",
    };
    Span::new(stmt.span.start, stmt.span.start + word.len())
}

/// Whether the end of a loop is tested by the number of its passes: `turns as t until t > 60`.
fn ends_by_count(stmt: &Stmt) -> bool {
    let (label, ends) = match &stmt.kind {
        StmtKind::Turns { label, before, after, .. } => (label, [before.as_ref(), after.as_ref()]),
        StmtKind::Repeat { label, until, .. } => (label, [until.as_ref(), None]),
        _ => return false,
    };
    let counts = |until: &Until, label: &ast::Name| match until {
        Until::Cond(condition) => mentions(condition, &mut |name, _| name == label.text),
        Until::Stuck(_) => false,
    };
    label.as_ref().is_some_and(|label| ends.into_iter().flatten().any(|until| counts(until, label)))
}
