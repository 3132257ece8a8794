//! What the file declares and never uses: warnings, and errors in what it does.

use std::collections::BTreeSet;

use super::certain::expressions;
use super::flow::{Around, InMove};
use super::scope::GlobalKind;
use super::{Checker, wrong};
use crate::ast::Name;
use crate::diag::{Code, Diagnostic, any_error};
use crate::ir::{Effect, ExampleCheck, Expr, Op, State, Type, changes, states_read};

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

/// Returns reports about state that the rules neither read nor write. What they only write is told to people where it changes.
fn state(checker: &Checker) -> Vec<Diagnostic> {
    let game = &checker.game;
    let mut used = BTreeSet::new();
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
            if let ExampleCheck::Expect(condition) = check {
                reads(&condition.body);
            }
        }
    }
    for op in &game.code {
        match op {
            Op::Do(Effect::Reveal(place) | Effect::Conceal(place), _) => _ = used.insert(place.state),
            op => used.extend(changes(op).into_iter().map(|(place, _)| place.state)),
        }
    }
    let own = |span| checker.source.is_none_or(|source| !source.is_inherited(span));
    let unused = game.state.iter().enumerate().filter(|(id, state)| !used.contains(id) && own(state.span));
    let report = |(_, state): (usize, &State)| {
        let message = format!("`{}` is never used", state.name);
        Diagnostic::new(Code::Unused, state.span, message, "declared here")
    };
    unused.map(report).collect()
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
