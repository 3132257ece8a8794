//! What the file declares and never uses: warnings, and errors in what it does.

use std::collections::BTreeSet;

use super::certain::expressions;
use super::flow::{Around, InMove};
use super::scope::GlobalKind;
use super::secrets::read_for_shape;
use super::{Checker, wrong};
use crate::ast::Name;
use crate::diag::{Code, Diagnostic, any_error};
use crate::ir::{
    Change, Effect, ExampleCheck, Expr, ExprKind, Form, Game, Lambda, Op, Place, Sight, State, StateId, Type,
    Value, changes, children, is_nothing, states_read,
};

/// Reports what the file declares and never uses.
pub(super) fn report(checker: &mut Checker) {
    let mut reports = Vec::new();
    let unused = |span, what: &str, name: &str| {
        Diagnostic::new(Code::Unused, span, format!("the {what} `{name}` is never used"), "declared here")
    };
    let mut globals: Vec<_> = checker.globals.iter().collect();
    globals.sort_by_key(|(_, global)| global.span);
    for (name, global) in globals {
        let what = match global.kind {
            GlobalKind::Option(_) => "option",
            GlobalKind::Constant(_) => "constant",
            GlobalKind::Table(_) | GlobalKind::Seat(_) => continue,
        };
        if !global.used {
            reports.push(unused(global.span, what, name));
        }
    }
    for define in checker.defines.iter().filter(|d| !d.used) {
        reports.push(unused(define.name.span, "function", &define.name.text));
    }
    for rule in checker.rules.iter().filter(|r| !r.used) {
        reports.push(unused(rule.name.span, "rule", &rule.name.text));
    }
    for name in checker.kind_names.iter().filter(|name| !is_kind_used(checker, name)) {
        reports.push(unused(name.span, "kind", &name.text));
    }
    for (mv, offered) in checker.move_items.iter().zip(&checker.offered) {
        if !offered {
            reports.push(
                Diagnostic::new(
                    Code::NeverOffered,
                    mv.name.span,
                    format!("the move `{}` is never offered", mv.name.text),
                    "declared here",
                )
                .help("offer it in `play`, for example in a turn"),
            );
        }
    }
    if !any_error(&checker.diagnostics) {
        reports.extend(state(checker));
    }
    checker.diagnostics.extend(reports);
}

/// Whether a kind is mentioned, or one of its symbols.
fn is_kind_used(checker: &Checker, name: &Name) -> bool {
    let symbols = checker.game.kinds.iter().filter(|(kind, _)| *kind == name.text).flat_map(|(_, ids)| ids);
    let named = checker.kinds_named.contains(name.text.as_str());
    named || symbols.into_iter().any(|id| checker.symbols_named.contains(id))
}

/// Returns reports about state that is not used, or only half: that nothing reads, or nothing writes.
fn state(checker: &Checker) -> Vec<Diagnostic> {
    let game = &checker.game;
    let (read, written) = (states_in_use(game), states_written(game));
    let looked_at = boards_looked_at(game);
    let own = |span| checker.source.is_none_or(|source| !source.is_inherited(span));
    let report = |(id, state): (usize, &State)| {
        let name = &state.name;
        let half = |message: String, label: &str, help: String| {
            Diagnostic::new(Code::HalfUsed, state.span, message, label.to_string()).help(help)
        };
        match (read.contains(&id), written.contains(&id)) {
            (true, true) => None,
            (false, false) => {
                let message = format!("`{name}` is never used");
                Some(Diagnostic::new(Code::Unused, state.span, message, "declared here"))
            }
            // Of a board on which nothing stands, only the squares are used.
            (true, false) if matches!(state.form, Form::Grid(..)) && !looked_at.contains(&id) => None,
            (true, false) => {
                // A drawn board, such as one of heights, need not change.
                let drawn = |init: &&Lambda| !matches!(init.body.kind, ExprKind::Value(Value::Grid(_)));
                let init = state.init.as_ref().filter(drawn)?;
                let first = checker.written(init.body.span);
                let constant = match init.body.ty.element() {
                    _ if state.per_player => String::new(),
                    Some(_) if is_nothing(&init.body) => String::new(),
                    _ if matches!(state.form, Form::Grid(..)) => {
                        "; what stands on a board that never changes is drawn, row by row, below its declaration".to_string()
                    }
                    _ => format!(
                        "; if it never changes, it is a constant: `let {name} = {first}` at the left edge"
                    ),
                };
                let always = if first == "…" { String::new() } else { format!(": it is always {first}") };
                Some(half(
                    format!("nothing changes `{name}`{always}"),
                    "declared here",
                    format!("a line of the rules that changes it is missing{constant}"),
                ))
            }
            // A file that shows nothing yet is not finished.
            (false, true) if game.show.is_empty() => None,
            // Its owner sees a secret without `show`.
            (false, true) if state.sight == Sight::Owner => None,
            (false, true) => {
                let shown = match (state.sight, state.per_player) {
                    (Sight::Public, true) => format!("show \"{{[p in players: p.{name}]}}\""),
                    (Sight::Public, false) => format!("show \"{{{name}}}\""),
                    _ => format!("reveal {name}"),
                };
                Some(half(
                    format!("nothing reads `{name}`"),
                    "only written",
                    format!("use it in the rules, let people see it, `{shown}`, or leave it out"),
                ))
            }
        }
    };
    game.state.iter().enumerate().filter(|(_, state)| own(state.span)).filter_map(report).collect()
}

/// Returns the state that something reads: the rules, but for writing it anew, the table shown, or an example.
fn states_in_use(game: &Game) -> BTreeSet<StateId> {
    let (mut used, mut drawn) = (BTreeSet::new(), Vec::new());
    let mut reads = |e: &Expr| states_read(game, e, &mut used);
    expressions(game).into_iter().for_each(&mut reads);
    game.moves.iter().flat_map(|mv| &mv.checks).for_each(|check| reads(check.expr()));
    for choice in &game.choices {
        [&choice.who].into_iter().chain(&choice.must).for_each(&mut reads);
        choice.all_offers().flat_map(|offer| &offer.given).for_each(&mut reads);
    }
    game.state.iter().flat_map(|state| &state.init).for_each(|init| reads(&init.body));
    for example in &game.examples {
        for (check, _) in example.lines.iter().flat_map(|line| &line.checks) {
            match check {
                ExampleCheck::Expect(condition) => reads(&condition.body),
                ExampleCheck::Board(id, _) => drawn.push(*id),
                _ => {}
            }
        }
    }
    used.extend(drawn);
    for op in &game.code {
        match op {
            Op::Do(Effect::Reveal(place) | Effect::Conceal(place), _) => _ = used.insert(place.state),
            // What something is taken from, and piles that something is moved to, lie on the table.
            Op::Do(Effect::Assign(..), _) => {
                let taken =
                    |(place, change): (&Place, Change)| (change == Change::Remove).then_some(place.state);
                used.extend(changes(op).into_iter().filter_map(taken));
            }
            op => used.extend(changes(op).into_iter().map(|(place, _)| place.state)),
        }
    }
    // Pieces are drawn on the board that they stand on.
    if game.state.iter().any(|state| matches!(state.form, Form::Grid(..))) {
        used.extend((0..game.state.len()).filter(|id| holds_squares(&game.state[*id].form.ty())));
    }
    used
}

/// Returns the boards on whose squares something looks what stands there; where only the squares themselves are used, as in
/// `step(board, s, way)` and `s in board`, nothing does.
fn boards_looked_at(game: &Game) -> BTreeSet<StateId> {
    let mut looked_at = BTreeSet::new();
    let mut board = |e: &Expr| match e.kind {
        ExprKind::Table(id) | ExprKind::Own(id, _) if matches!(e.ty, Type::Grid(_)) => looked_at.insert(id),
        _ => false,
    };
    game.show.iter().for_each(|line| _ = board(&line.text.body));
    let mut left = expressions(game);
    left.extend(game.moves.iter().flat_map(|mv| &mv.checks).map(|check| check.expr()));
    left.extend(game.state.iter().flat_map(|state| &state.init).map(|init| &init.body));
    while let Some(e) = left.pop() {
        let of_squares = read_for_shape(e);
        children(e, &mut |part| {
            if !of_squares.iter().any(|grid| std::ptr::eq(*grid, part)) {
                board(part);
            }
            left.push(part);
        });
    }
    looked_at
}

/// Whether values of a type are squares, or collections of squares.
fn holds_squares(ty: &Type) -> bool {
    match ty {
        Type::Square => true,
        Type::Optional(of) => holds_squares(of),
        ty => ty.element().is_some_and(|of| holds_squares(&of)),
    }
}

/// Returns the state that the rules change.
fn states_written(game: &Game) -> BTreeSet<StateId> {
    let of = |op| changes(op).into_iter().map(|(place, _)| place.state);
    game.code.iter().flat_map(of).collect()
}

/// Checks what functions, rules and moves do that nothing uses, as far as that can be told without their arguments.
/// Nothing of it is kept.
pub(super) fn check_bodies(checker: &mut Checker) {
    let all_used = checker.defines.iter().all(|define| define.used)
        && checker.rules.iter().all(|rule| rule.used)
        && checker.offered.iter().all(|offered| *offered);
    if all_used || any_error(&checker.diagnostics) {
        return;
    }
    let game = checker.game.clone();
    for id in 0..checker.defines.len() {
        let define = &checker.defines[id];
        if !define.used {
            let me = define.needs_me.then_some(Type::Player);
            let types: Vec<Type> = me.into_iter().chain(define.params.iter().map(|_| Type::Wrong)).collect();
            let span = define.name.span;
            checker.instance(id, &types, Vec::new(), span);
        }
    }
    for id in 0..checker.rules.len() {
        let rule = &checker.rules[id];
        if !rule.used {
            let (span, reports) = (rule.name.span, checker.diagnostics.len());
            let args = rule.params.iter().map(|param| wrong(param.span)).collect();
            let mark = checker.open_scope();
            let me = checker.frame.slot();
            checker.bind_me(me, span);
            checker.rule_body(id, args, span, &Around::default());
            checker.silence_unused();
            checker.close_scope(mark);
            // What may stand in a rule depends on whether it is called in a move.
            let told = checker.diagnostics.split_off(reports);
            checker.diagnostics.extend(told.into_iter().filter(|report| of_any_call(report.code)));
        }
    }
    for id in (0..checker.move_items.len()).filter(|id| !checker.offered[*id]).collect::<Vec<_>>() {
        let again = checker.label();
        let in_move = Some(InMove { again, together: None });
        checker.move_body(id, &Around { in_move, ..Around::default() });
    }
    checker.game = game;
}

/// Whether such a mistake of a rule is one wherever the rule is called.
fn of_any_call(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownName
            | Code::UnknownFunction
            | Code::UnknownMove
            | Code::UnknownField
            | Code::DuplicateName
            | Code::Shadowed
            | Code::TypeMismatch
            | Code::ArgumentCount
            | Code::NoCommonType
            | Code::NoElements
            | Code::CannotIndex
            | Code::MissingCase
            | Code::Recursion
            | Code::BadBinder
            | Code::CannotChange
    )
}
