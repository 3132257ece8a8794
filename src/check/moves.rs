//! Moves with their parameters and needs, and the choices that offer them.

use super::Checker;
use super::call::{count_words, source_of};
use super::flow::{Around, InMove, Label, Turn, checks_of, local};
use super::scope::Local;
use crate::ast::{self, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Choice, Decomposer, Domain, Expr, ExprKind, FoldKind, MoveCheck, MoveId, Offer, Op, Param, Slot, Type,
};
use crate::source::Span;
use crate::syntax::foreign::foreign;
use crate::syntax::statement_form;

/// What people call a move that does nothing.
const DOES_NOTHING: &[&str] = &["nothing", "pass", "skip", "wait", "noop"];

impl<'a> Checker<'a> {
    /// Runs a check without the local names and facts of the surrounding code.
    fn in_isolation<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let base = self.facts.enter_frame();
        let result = self.inside_rule(None, check);
        self.facts.leave_frame(base);
        result
    }

    /// Runs a check without the local names of the surrounding code, except `me` if given.
    pub(super) fn inside_rule<T>(&mut self, me: Option<Local>, check: impl FnOnce(&mut Self) -> T) -> T {
        let around: Vec<Local> = std::mem::replace(&mut self.frame.locals, me.into_iter().collect());
        let mark = self.open_scope();
        self.inline_depth += 1;
        let result = check(self);
        self.inline_depth -= 1;
        self.close_scope(mark);
        self.frame.locals = around;
        result
    }

    /// Checks a move's parameters, then the checks that decide its legality. `given` has the types of the parameters
    /// declared `given`, as far as they are known.
    pub(super) fn move_head_checks(&mut self, id: MoveId, given: &[Type]) {
        let mv = self.move_items[id];
        let mut given = given.iter();
        let read_before = std::mem::take(&mut self.passes_read);
        self.in_isolation(|this| {
            this.bind_me(this.game.moves[id].me, mv.name.span);
            let role = this.role_param(&mv.name);
            this.game.moves[id].params.extend(role);
            for (i, param) in mv.params.iter().enumerate() {
                this.params_to_come(param, &mv.params[i + 1..]);
                let param = this.param(param, &mut given);
                this.game.moves[id].params.push(param);
            }
            this.upcoming.clear();
            this.move_checks(id);
            this.silence_unused();
        });
        let read = std::mem::replace(&mut self.passes_read, read_before);
        self.head_passes.insert(id, read);
    }

    /// Checks a move's needs and the `let`s before them.
    pub(super) fn move_checks(&mut self, id: MoveId) {
        let mut checks: Vec<MoveCheck> = self.role_check(id, self.game.moves[id].me).into_iter().collect();
        for stmt in checks_of(self.move_items[id]) {
            match &stmt.kind {
                StmtKind::Let(pattern, value) => {
                    let (slots, value) = self.bound_value(pattern, value);
                    let slots = self.same_slots(pattern, slots);
                    self.assume_value(&slots, &value);
                    checks.push(MoveCheck::Let(slots, value));
                }
                StmtKind::Need(cond, reason) => {
                    let checked = self.expect(cond, &Type::Bool);
                    let reason = self.need_reason(cond, &checked, reason);
                    self.assume(&checked, true);
                    checks.push(MoveCheck::Need { cond: checked, reason, span: stmt.span });
                }
                StmtKind::NeedIfPossible(cond, reason) => {
                    let cond = self.expect(cond, &Type::Bool);
                    let reason = reason.as_ref().map(|r| self.expr(r, None));
                    checks.push(MoveCheck::SoftNeed { cond, reason, span: stmt.span });
                }
                _ => {}
            }
        }
        self.game.moves[id].checks = checks;
    }

    /// Gives the names of a move's `let` the slots they had before, as all offers of the move share its
    /// checks.
    fn same_slots(&mut self, pattern: &ast::Pattern, slots: Vec<Slot>) -> Vec<Slot> {
        let mut kept = Vec::new();
        for (name, slot) in pattern.names.iter().zip(slots) {
            let first = *self.let_slots.entry(name.span).or_insert(slot);
            self.frame.locals.iter_mut().filter(|l| l.slot == slot).for_each(|l| l.slot = first);
            kept.push(first);
        }
        kept
    }

    /// Whether a diagnostic was already reported above `need` in the same move, from which this one may
    /// follow.
    pub(super) fn has_earlier_report(&self, need: Span) -> bool {
        let inside = |span: Span| span.start <= need.start && need.end <= span.end;
        let Some(mv) = self.move_items.iter().find(|mv| inside(mv.body.span)) else { return false };
        let above = |d: &Diagnostic| mv.body.span.start < d.span().start && d.span().start < need.start;
        self.diagnostics.iter().any(|d| above(d) && d.code != Code::ForeignOperator)
    }

    /// Reports needs that a move has under a condition.
    pub(super) fn needs_under_condition(&mut self, arms: &'a [(ast::Expr, ast::Block)]) {
        for (condition, block) in arms {
            for stmt in &block.stmts {
                let StmtKind::Need(cond, _) = &stmt.kind else { continue };
                if self.has_earlier_report(stmt.span) {
                    continue;
                }
                let (when, needed) = (self.written(condition.span), self.written(cond.span));
                let help = format!(
                    "say both in one condition, before all effects: `need not ({when}) or {needed} else …`"
                );
                let message = "a need cannot stand in an `if`";
                self.report(
                    Diagnostic::new(Code::NeedAfterEffect, stmt.span, message, "only sometimes").help(help),
                );
            }
        }
    }

    /// Checks the reason of a need, knowing that the condition fails. The reason of `need all(k in S: C)` may
    /// mention the k that fails, since evaluation stops there.
    pub(super) fn need_reason(&mut self, cond: &'a ast::Expr, checked: &Expr, reason: &'a ast::Expr) -> Expr {
        let mark = self.frame.locals.len();
        if let (ast::ExprKind::Call(_, inside), ExprKind::Fold(fold)) = (&cond.kind, &checked.kind)
            && fold.kind == FoldKind::All
        {
            for (item, source) in inside.items.iter().zip(&fold.sources) {
                let Some((pattern, _)) = source_of(item) else { continue };
                let element = source.domain.element();
                let types = match (pattern.names.as_slice(), element) {
                    ([_, _, ..], Type::Tuple(parts)) => parts.to_vec(),
                    (_, element) => vec![element],
                };
                for ((name, slot), ty) in pattern.names.iter().zip(&source.slots).zip(types) {
                    self.bind_to(name, *slot, ty, false);
                }
            }
        }
        let known = self.facts.len();
        self.assume(checked, false);
        let reason = self.expr(reason, None);
        self.facts.truncate(known);
        self.frame.locals.truncate(mark);
        reason
    }

    /// Silences warnings about unread names: a name used only in effects is seen when the effects are
    /// compiled.
    pub(super) fn silence_unused(&mut self) {
        self.frame.locals.iter_mut().for_each(|local| local.watched = false);
    }

    /// Checks a parameter. If it is declared `given`, its type is the next one of `given`.
    fn param(&mut self, param: &'a ast::Param, given: &mut std::slice::Iter<Type>) -> Param {
        // A parameter may share its name with an option or with state.
        if self.frame.locals.iter().any(|l| l.name == param.name.text)
            || !self.may_share_name(&param.name.text)
        {
            self.refuse_shadow(&param.name);
        }
        let (domain, ty, slot) = match &param.domain {
            Some(domain) => {
                let (domain, ty, slot) = self.domain_where(&param.name, domain, param.filter.as_ref());
                (Some(domain), ty, slot)
            }
            None => (None, given.next().cloned().unwrap_or(Type::Wrong), self.frame.slot()),
        };
        let (mut window, mut tried) = (None, None);
        match (&param.window, &domain) {
            (
                Some(ast::Expr { kind: ast::ExprKind::Binary(ast::BinaryOp::Range, low, high), .. }),
                Some(domain),
            ) if ty != Type::Int || domain.is_infinite() => {
                window = Some((self.expect(low, &Type::Int), self.expect(high, &Type::Int)));
            }
            (Some(given), _) => {
                let (from, element) = self.domain(given);
                if !ty.accepts(&element) {
                    let (found, wanted) = (self.words(&element), self.words(&ty));
                    self.report(
                        Diagnostic::new(
                            Code::TypeMismatch,
                            given.span,
                            format!("`{}` is {wanted}, but `try` gives {found}", param.name.text),
                            "a different type",
                        )
                        .help("`try` says which of the values bots and simulations draw from: `value in int try -9..9`"),
                    );
                }
                tried = Some(from);
            }
            (None, _) => {}
        }
        let endless = match (&domain, &tried) {
            (_, Some(tried)) => tried.is_infinite(),
            (Some(domain), None) => !self.bounded(domain, window.is_some()),
            (None, None) => false,
        };
        if endless {
            let at = param.domain.as_ref().map_or(param.name.span, |d| d.span);
            let (message, help) = match &domain {
                Some(Domain::ListsFrom(..) | Domain::Where(..)) => (
                    "bots and simulations cannot draw from lists of any length",
                    "bound the length (`lists(2..5, D)`), add a condition that bounds it to the domain (`where sum(row) = n`; a need does not do), or say what they draw from: `try lists(2..5, D)`",
                ),
                _ => (
                    "bots and simulations cannot draw from all integers",
                    "say which ones they draw from: `in int try -9..9`",
                ),
            };
            self.report(Diagnostic::new(Code::Unbounded, at, message, "they have no end").help(help));
        }
        self.bind_to(&param.name, slot, ty.clone(), true);
        if let Some(domain) = &domain {
            self.assume_element(&[slot], domain, &ty, param.name.span);
        }
        Param {
            name: param.name.text.clone(),
            slot,
            ty,
            domain,
            window,
            sampling_domain: tried,
            span: param.name.span,
        }
    }

    /// Whether drawing from a domain is bounded; `integers` is whether unbounded integers have a window.
    fn bounded(&self, domain: &Domain, integers: bool) -> bool {
        match domain {
            Domain::Ints | Domain::AtLeast(_) => integers,
            Domain::Range(..)
            | Domain::Values(_)
            | Domain::Permutations(_)
            | Domain::Subsets(..)
            | Domain::SubsetsFrom(..) => true,
            Domain::ListsFrom(_, None, _) => false,
            Domain::Lists(_, of) | Domain::Arrangements(_, of) | Domain::ListsFrom(_, Some(_), of) => {
                self.bounded(of, integers)
            }
            Domain::Tuples(parts) => parts.iter().all(|part| self.bounded(part, integers)),
            Domain::Where(slot, of, condition) => match &**of {
                Domain::ListsFrom(_, None, inner) => {
                    let mut reader = Decomposer::new(&self.game.functions, *slot, 0);
                    reader.decompose(condition);
                    reader.found.bounds_length() && self.bounded(inner, integers)
                }
                of => self.bounded(of, integers),
            },
        }
    }

    pub(super) fn bound_value(
        &mut self,
        pattern: &'a ast::Pattern,
        value: &'a ast::Expr,
    ) -> (Vec<Slot>, Expr) {
        // Keep the unnarrowed type: facts about the value apply to the name where it is used.
        let value = match pattern.names.as_slice() {
            [_] => self.expr_unnarrowed(value),
            _ => self.expr(value, None),
        };
        let slots = self.bind_pattern(pattern, &value.ty);
        (slots, value)
    }

    // ---- choices

    /// Compiles a line of names: moves to choose from, or one rule to call.
    pub(super) fn choose(&mut self, choices: &'a ast::Choices, around: &Around<'a>) {
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
        self.choice(who, None, &[choices], around);
    }

    /// Reports moves named where nobody can choose one.
    pub(super) fn nobodys_choice(&mut self, choices: &'a ast::Choices, around: &Around<'a>) {
        match choices.first.iter().find(|c| !self.moves.contains_key(&c.name.text)) {
            Some(unknown) => self.unknown_move(&unknown.name),
            None if !self.play_only(around, choices.span, "a choice") => {}
            None => self.report(
                Diagnostic::new(
                    Code::Misplaced,
                    choices.span,
                    "it is nobody's turn here",
                    "who chooses here?",
                )
                .help("put it in `turns { … }`, or write `ask p to …` or `together players { … }`"),
            ),
        }
    }

    pub(super) fn unknown_move(&mut self, name: &ast::Name) {
        let known: Vec<String> =
            self.moves.keys().cloned().chain(self.rules.iter().map(|r| r.name.text.clone())).collect();
        let report = Diagnostic::new(
            Code::UnknownMove,
            name.span,
            format!("there is no move or rule called `{}`", name.text),
            "not found",
        );
        self.report_once(match foreign(&name.text) {
            _ if DOES_NOTHING.contains(&name.text.as_str()) => report.help(format!(
                "to let a player do nothing, declare `move {} {{ }}`; where nothing is to be done, leave the line out",
                name.text
            )),
            None if name.text == "draw" => report.help(
                "`end` ends the match without a winner; a card is drawn by `draw card from pile`",
            ),
            None if ["stop", "finish", "quit", "gameover", "tie"].contains(&name.text.as_str()) => report.help(
                "`end` ends the match, without a winner unless a `winner` line compares the players; a loop ends by `until C`",
            ),
            None if ["refuse", "illegal", "invalid", "forbidden", "reject"].contains(&name.text.as_str()) => report
                .help("what a move needs stands at its beginning: `need C else \"the reason\"`"),
            None if name.text == "need" => {
                report.help("a reason is missing: `need C else \"why it is refused\"`")
            }
            None if name.text == "lose" => report.help(
                "who wins is said: `win me.next` with two players; `out me` takes a player out, and the others play on",
            ),
            _ if name.text == "end" => report.help(
                "`end` is no move: `turns until stuck { … }` ends where nobody can move, and `end when C` where C holds",
            ),
            None if statement_form(&name.text).is_some() => report.help(format!(
                "it begins a statement: write it like this: `{}`",
                statement_form(&name.text).unwrap_or_default()
            )),
            Some(row) => report.help(row.says),
            None if name.text == "swap" => report.help("two places are swapped by `(a, b) := (b, a)`"),
            None => report.suggest(&name.text, known.iter().map(String::as_str)),
        });
    }

    /// Compiles a choice by one seat or, if `joint` is given, by several together: it then holds the seats
    /// that must have a legal move, or `None` if all must. If each seat has its own moves, `choices` is in
    /// the order of `roles.seats`.
    pub(super) fn choice(
        &mut self,
        who: Expr,
        joint: Option<Option<Expr>>,
        choices: &[&'a ast::Choices],
        around: &Around<'a>,
    ) {
        let together = joint.is_some();
        let span = choices.iter().fold(choices[0].span, |span, choices| span.to(choices.span));
        if !self.play_only(around, span, "a choice") {
            return;
        }
        let id = self.game.choices.len();
        let turn_is_mine =
            matches!((&who.kind, around.turn), (ExprKind::Local(slot), Some(turn)) if *slot == turn.me);
        let (again, done, over) = (self.label(), self.label(), self.label());
        // `until stuck` and the like concern the seat that has the turn.
        let stuck = match !together && choices[0].if_possible {
            true => Some(over),
            false => around.turn.filter(|_| turn_is_mine).and_then(|turn| turn.stuck),
        };
        self.game.choices.push(Choice {
            who,
            together,
            offers: Vec::new(),
            otherwise: Vec::new(),
            stuck,
            must: joint.flatten(),
            done,
            loops: around.loops.clone(),
            span,
        });
        let (choose, start) = (self.label_here(), self.open_loop());
        self.emit(Op::Choose(id));
        let back = if together {
            let unseal = self.label_here();
            self.emit(Op::Unseal(id, done));
            unseal
        } else {
            done
        };
        let inside =
            Around { in_move: Some(InMove { again, together: together.then_some(span) }), ..around.clone() };
        for (role, choices) in choices.iter().enumerate() {
            self.roles.current = role;
            let first = self.offer_all(&choices.first, &inside, back);
            let otherwise = self.offer_all(&choices.otherwise, &inside, back);
            self.game.choices[id].offers.extend(first);
            self.game.choices[id].otherwise.extend(otherwise);
        }
        if !together {
            // `again`: this choice is complete, so standing rules are tested before the next one.
            self.place_label(again);
            self.standing_rules(around);
            self.emit(Op::Jump(choose));
        }
        self.close_loop(start);
        self.place_label(done);
        if let Some(Turn { idle: Some(idle), .. }) = around.turn {
            self.set_slot(idle, 0, span);
        }
        self.standing_rules(around);
        // A seat that is passed over has not moved: standing rules are not tested, and `idle` is not reset.
        self.place_label(over);
        self.leave_if_out(around);
    }

    /// Ends the turn of a seat that has gone out.
    pub(super) fn leave_if_out(&mut self, around: &Around<'a>) {
        if let Some(turn) = around.turn
            && self.can_be_out
        {
            let span = Span::default();
            let inside = ExprKind::IsIn(Box::new(local(turn.me, Type::Player, span)));
            self.emit(Op::Unless(Expr { kind: inside, ty: Type::Bool, span }, turn.next));
        }
    }

    pub(super) fn offer_all(
        &mut self,
        choices: &'a [ast::Choice],
        inside: &Around<'a>,
        back: Label,
    ) -> Vec<Offer> {
        choices.iter().filter_map(|choice| self.offer(choice, inside, back)).collect()
    }

    pub(super) fn offer(
        &mut self,
        choice: &'a ast::Choice,
        inside: &Around<'a>,
        back: Label,
    ) -> Option<Offer> {
        let name = &choice.name;
        let Some(id) = self.moves.get(&name.text).copied() else {
            self.unknown_move(name);
            return None;
        };
        self.offered[id] = true;
        let mv = self.move_items[id];
        let chosen = mv.params.iter().all(|param| param.domain.is_some());
        if chosen && choice.given.as_ref().is_some_and(|given| !given.is_empty()) {
            self.report(offered_with_values(mv, name));
            return None;
        }
        let given: Vec<Expr> = choice.given.iter().flatten().map(|e| self.expr(e, None)).collect();
        // A given value has the type of the first offer that gives it.
        if !self.head_passes.contains_key(&id) {
            let types: Vec<Type> = given.iter().map(|value| value.ty.clone()).collect();
            self.move_head_checks(id, &types);
        }
        let role = self.game.moves[id].params.first().is_some_and(|param| param.name.is_empty());
        let wanted: Vec<usize> = (usize::from(role)..self.game.moves[id].params.len())
            .filter(|p| self.game.moves[id].params[*p].domain.is_none())
            .collect();
        if given.len() != wanted.len() {
            let takes = count_words(wanted.len(), wanted.len(), false);
            let message = format!("`{}` takes {takes} here, not {}", name.text, given.len());
            self.report(
                Diagnostic::new(Code::ArgumentCount, name.span, message, format!("{} given", given.len()))
                    .also(mv.name.span, "declared here")
                    .help("after the move's name, write a value for each parameter declared `given`"),
            );
            return None;
        }
        for (param, value) in wanted.iter().zip(&given) {
            let declared = self.game.moves[id].params[*param].ty.clone();
            if declared.join(&value.ty).is_none() {
                self.check_type(value, &declared);
            }
        }
        let mut given = given;
        if role {
            given.insert(0, self.role_seats(name.span));
        }
        let target = self.label_here();
        let read_before = self.passes_read.len();
        self.move_body(id, inside);
        self.emit(Op::Jump(back));
        let mut read = self.passes_read.split_off(read_before);
        read.extend(self.head_passes.get(&id).into_iter().flatten());
        self.passes_are_here(&read, &inside.loops, name);
        Some(Offer { mv: id, given, target })
    }

    /// Checks what a move does, and compiles it.
    pub(super) fn move_body(&mut self, id: MoveId, inside: &Around<'a>) {
        let mv = self.move_items[id];
        let role = self.game.moves[id].params.first().is_some_and(|param| param.name.is_empty());
        self.in_isolation(|this| {
            this.bind_me(this.game.moves[id].me, mv.name.span);
            let params = this.game.moves[id].params.clone();
            for (param, written) in params.iter().skip(usize::from(role)).zip(&mv.params) {
                this.bind_to(&written.name, param.slot, param.ty.clone(), true);
                if let Some(domain) = &param.domain {
                    this.assume_element(&[param.slot], domain, &param.ty, param.span);
                }
            }
            for param in &mv.params {
                param.domain.iter().for_each(|domain| this.mark_read(domain));
                param.filter.iter().for_each(|filter| this.mark_read(filter));
            }
            // Checked at each offer, because the types of given values are known only here.
            this.move_checks(id);
            if inside.in_move.is_some_and(|m| m.together.is_some()) {
                this.forget_others(this.game.moves[id].me);
            }
            let checks = checks_of(mv).len();
            this.statements(&mv.body.stmts[checks..], inside);
        });
    }

    /// Marks the names in an expression as read; the expression was already checked with the head of its
    /// move.
    pub(super) fn mark_read(&mut self, e: &'a ast::Expr) {
        let reports = self.diagnostics.len();
        let size = self.frame.size;
        self.domain(e);
        self.frame.size = size;
        self.diagnostics.truncate(reports);
    }
}

/// Reports that an offer gives values to a move whose player chooses them all.
fn offered_with_values(mv: &ast::Move, offer: &ast::Name) -> Diagnostic {
    let name = &offer.text;
    let message = match mv.params.is_empty() {
        true => format!("`{name}` takes no values"),
        false => format!("`{name}` is given a value here, but the player chooses it"),
    };
    let params: Vec<String> = mv.params.iter().map(|param| format!("`{}`", param.name.text)).collect();
    let chooses = match params.as_slice() {
        [] => String::new(),
        params => format!("; the player who moves chooses {}", params.join(" and ")),
    };
    Diagnostic::new(Code::ArgumentCount, offer.span, message, "")
        .also(mv.name.span, "declared here")
        .help(format!("`{name}` alone offers it{chooses}"))
}
