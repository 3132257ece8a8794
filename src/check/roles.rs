//! Joint choices of seats that have different moves: `together { ask p to A … ask q to B }`.
//!
//! The seats of all lines choose at once among the moves of all lines. A move offered this way has an extra
//! first parameter, given by play: the list of seats it is offered to. Other seats may not choose it.

use std::collections::HashSet;

use super::Checker;
use super::flow::{Around, local};
use super::items::walk;
use crate::ast::{self, ItemKind, StmtKind};
use crate::ir::{Builtin, Domain, Expr, ExprKind, MoveCheck, MoveId, Param, Slot, TextPart, Type};
use crate::source::Span;

/// Which moves are offered this way, and to which seats at the moment.
#[derive(Default)]
pub(super) struct Roles {
    /// The names of the moves that some line of some `together` offers.
    moves: HashSet<String>,
    /// The seats of each line of the `together` being checked; empty elsewhere.
    seats: Vec<Expr>,
    /// Index of the line whose moves are being offered.
    pub current: usize,
}

impl<'a> Checker<'a> {
    /// Finds the moves that lines of `together` offer.
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

    /// Compiles a joint choice in which each seat has the moves of its own line.
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
                        self.check_type(&found, &list);
                        found
                    }
                    _ => {
                        self.check_type(&found, &Type::Player);
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

    /// Concatenates lists of seats.
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

    /// Returns the parameter for the seats that a move is offered to, if a line of some `together` offers the
    /// move.
    pub(super) fn role_param(&mut self, name: &ast::Name) -> Option<Param> {
        self.roles.moves.contains(&name.text).then(|| Param {
            name: String::new(),
            slot: self.frame.slot(),
            ty: Type::List(Box::new(Type::Player)),
            domain: None,
            window: None,
            sampling_domain: None,
            span: name.span,
        })
    }

    /// Returns the first check of such a move: the seat that chooses is one of those it is offered to.
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

    /// Returns the seats that such a move is offered to: those of the current line, or all seats.
    pub(super) fn role_seats(&self, span: Span) -> Expr {
        let everybody = || Expr { kind: ExprKind::Players, ty: Type::List(Box::new(Type::Player)), span };
        self.roles.seats.get(self.roles.current).cloned().unwrap_or_else(everybody)
    }
}
