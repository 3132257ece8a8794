//! Choices made together by seats that have moves of their own: `together { ask p to A … ask q to B }`.
//!
//! The seats of all lines choose at once among the moves of all lines. A move that such a line offers has a parameter
//! more, given by the play: the seats it is offered to. Whoever is not among them may not choose it.

use std::collections::HashSet;

use super::Checker;
use super::flow::{Around, local};
use super::items::walk;
use crate::ast::{self, ItemKind, StmtKind};
use crate::ir::{Builtin, Domain, Expr, ExprKind, MoveCheck, MoveId, Param, Slot, TextPart, Type};
use crate::source::Span;

/// Which moves are offered so, and to whom right now.
#[derive(Default)]
pub(super) struct Roles {
    /// The moves that some line of some `together` offers, by name.
    moves: HashSet<String>,
    /// The seats of each line of the `together` being checked; none elsewhere.
    seats: Vec<Expr>,
    /// The line whose moves are being offered.
    pub current: usize,
}

impl<'a> Checker<'a> {
    /// Finds the moves that are offered to some of those who choose together.
    pub(super) fn find_roles(&mut self, file: &'a ast::File) {
        for item in &file.items {
            let (ItemKind::Play(body) | ItemKind::Rule(_, _, body)) = &item.kind else { continue };
            walk(body, &mut |stmt| {
                let StmtKind::TogetherAsk(asks) = &stmt.kind else { return };
                for choice in asks.iter().flat_map(|(_, c)| c.first.iter().chain(&c.otherwise)) {
                    self.roles.moves.insert(choice.name.text.clone());
                }
            });
        }
    }

    /// A choice by several seats at once, each among the moves of its own line.
    pub(super) fn together_ask(
        &mut self,
        asks: &'a [(ast::Expr, ast::Choices)],
        span: Span,
        around: &Around<'a>,
    ) {
        let list = Type::List(Box::new(Type::Player));
        let seats: Vec<Expr> = asks
            .iter()
            .map(|(who, _)| {
                let found = self.expr(who, None);
                match found.ty {
                    Type::List(_) | Type::Wrong => {
                        self.demand(&found, &list);
                        found
                    }
                    _ => {
                        self.demand(&found, &Type::Player);
                        Expr { kind: ExprKind::List(vec![found]), ty: list.clone(), span: who.span }
                    }
                }
            })
            .collect();
        let choices: Vec<&'a ast::Choices> = asks.iter().map(|(_, choices)| choices).collect();
        let bound = seats.iter().zip(&choices).filter(|(_, choices)| !choices.if_possible);
        let bound: Vec<Expr> = bound.map(|(seats, _)| seats.clone()).collect();
        let must = (bound.len() < seats.len()).then(|| self.joined(bound, span));
        let who = self.joined(seats.clone(), span);
        self.roles.seats = seats;
        self.choice(who, Some(must), &choices, around);
        self.roles.seats.clear();
    }

    /// The seats of all these lists as one list.
    pub(super) fn joined(&self, lists: Vec<Expr>, span: Span) -> Expr {
        let ty = Type::List(Box::new(Type::Player));
        let single = |e: &Expr| match &e.kind {
            ExprKind::List(one) => Some(one.clone()),
            _ => None,
        };
        let kind = match lists.iter().map(single).collect::<Option<Vec<_>>>() {
            Some(all) => ExprKind::List(all.concat()),
            None => {
                let join = |a: Expr, b: Expr| Expr {
                    kind: ExprKind::Builtin(Builtin::JoinLists, vec![a, b]),
                    ty: ty.clone(),
                    span,
                };
                lists.into_iter().reduce(join).map_or(ExprKind::List(Vec::new()), |all| all.kind)
            }
        };
        Expr { kind, ty, span }
    }

    /// The parameter of a move that says to whom it is offered, where some line of a `together` offers it.
    pub(super) fn role_param(&mut self, name: &ast::Name) -> Option<Param> {
        self.roles.moves.contains(&name.text).then(|| Param {
            name: String::new(),
            slot: self.frame.slot(),
            ty: Type::List(Box::new(Type::Player)),
            domain: None,
            window: None,
            tried: None,
            span: name.span,
        })
    }

    /// The first condition of such a move: who chooses is one of those.
    pub(super) fn role_check(&self, id: MoveId, me: Slot) -> Option<MoveCheck> {
        let mv = &self.game.moves[id];
        let role = mv.params.first().filter(|param| param.name.is_empty())?;
        let span = mv.span;
        let asked = local(role.slot, role.ty.clone(), span);
        let cond = ExprKind::In(Box::new(local(me, Type::Player, span)), Box::new(Domain::Values(asked)));
        let reason = ExprKind::Text(vec![TextPart::Chars(format!("`{}` is for others here", mv.name))]);
        Some(MoveCheck::Need {
            cond: Expr { kind: cond, ty: Type::Bool, span },
            reason: Expr { kind: reason, ty: Type::Text, span },
            span,
        })
    }

    /// The seats that a move with such a parameter is offered to: those of its line, or everybody.
    pub(super) fn role_seats(&self, span: Span) -> Expr {
        let everybody = || Expr { kind: ExprKind::Players, ty: Type::List(Box::new(Type::Player)), span };
        self.roles.seats.get(self.roles.current).cloned().unwrap_or_else(everybody)
    }
}
