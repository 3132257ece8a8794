//! What players need on the table: paper, sheets that others must not see, dice and cards.

use super::page::join_with;
use super::{Sheet, statements};
use crate::ast::{Assign, Choices, Expr, ExprKind, ItemKind, Stmt, StmtKind, TypeKind};
use crate::ir;

/// Who writes something down that others must not see.
enum Writers {
    Nobody,
    Everybody,
    /// Only these seats, by name.
    Seats(Vec<String>),
}

/// Whether numbers are drawn, each of which may be any number of a range.
fn rolled(domain: &ir::Domain) -> bool {
    match domain {
        ir::Domain::Range(..) => true,
        ir::Domain::Lists(_, of) | ir::Domain::ListsFrom(_, _, of) => rolled(of),
        ir::Domain::Tuples(parts) => parts.iter().all(rolled),
        _ => false,
    }
}

impl Sheet<'_> {
    /// Lists the material that players need.
    pub(super) fn needed(&self) -> String {
        let mut things = vec!["pencils".to_string(), "paper".to_string()];
        match self.writers_in_secret() {
            Writers::Nobody => {}
            Writers::Everybody => things.push("a private sheet of paper for each player".to_string()),
            Writers::Seats(names) => {
                things.extend(names.iter().map(|name| format!("a sheet of paper that only {name} sees")));
            }
        }
        let (mut die, mut dice, mut lots) = (false, false, false);
        for op in self.start.iter().flat_map(|start| &start.rules.game.code) {
            if let ir::Op::Chance(chance) = op {
                match &chance.kind {
                    ir::ChanceKind::Value(ir::Domain::Range(..), _) => die = true,
                    ir::ChanceKind::Value(domain, _) if rolled(domain) => dice = true,
                    _ => lots = true,
                }
            }
        }
        if dice {
            things.push("dice or slips of paper for random numbers".to_string());
        } else if die {
            things.push("a die or slips of paper for random numbers".to_string());
        }
        if lots {
            things.push("cards or slips to shuffle and draw".to_string());
        }
        format!("You need {}.", join_with(&things, "and"))
    }

    /// Returns who has something of their own that is written down, not held in the hand, or makes secret choices.
    fn writers_in_secret(&self) -> Writers {
        let own = self.items().any(|(_, kind)| match kind {
            ItemKind::EachPlayer(states) => states.iter().any(|state| {
                let pile = matches!(state.ty.kind, TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_));
                let held = pile && self.is_dealt(&state.name.text);
                !state.secrecy.is_empty() && !held
            }),
            _ => false,
        });
        let together = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Together(..) | StmtKind::TogetherAsk(_));
        if own || self.anywhere(&together) {
            return Writers::Everybody;
        }
        let secret: Vec<&str> = self
            .items()
            .filter_map(|(_, kind)| match kind {
                ItemKind::Move(mv) if mv.secret => Some(mv.name.text.as_str()),
                _ => None,
            })
            .collect();
        let in_secret = |choices: &Choices| {
            let mut offered = choices.first.iter().chain(&choices.otherwise);
            offered.any(|choice| secret.contains(&choice.name.text.as_str()))
        };
        if self.anywhere(&|stmt| matches!(&stmt.kind, StmtKind::Choose(choices) if in_secret(choices))) {
            return Writers::Everybody;
        }
        let asked = std::cell::RefCell::new(Vec::new());
        self.anywhere(&|stmt| {
            if let StmtKind::Ask(who, choices) = &stmt.kind
                && in_secret(choices)
            {
                asked.borrow_mut().push(self.named_seat(who));
            }
            false
        });
        let asked: Option<Vec<String>> = asked.into_inner().into_iter().collect();
        match asked {
            None => Writers::Everybody,
            Some(seats) if seats.is_empty() => Writers::Nobody,
            Some(mut seats) => {
                seats.sort();
                seats.dedup();
                Writers::Seats(seats)
            }
        }
    }

    /// Returns the name of a seat that an expression always stands for.
    fn named_seat(&self, who: &Expr) -> Option<String> {
        match &who.kind {
            ExprKind::Name(name) => {
                let number = self.facts.seats.iter().position(|seat| seat == name)?;
                Some(self.facts.seat(number + 1))
            }
            ExprKind::Call(name, inside) if name.text == "seat" => match inside.items.as_slice() {
                [Expr { kind: ExprKind::Number(number), .. }] => Some(self.facts.seat(number.as_usize()?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether cards are dealt to a piece of state, or what is drawn is added to it.
    fn is_dealt(&self, state: &str) -> bool {
        let drawn = |name: &str| {
            self.anywhere(&|stmt| matches!(&stmt.kind, StmtKind::Draw(drawn, _) if drawn.text == name))
        };
        self.anywhere(&|stmt| match &stmt.kind {
            StmtKind::Deal(_, _, to) => statements::written(to) == Some(state),
            StmtKind::Assign(to, Assign::Add, Expr { kind: ExprKind::Name(what), .. }) => {
                statements::written(to) == Some(state) && drawn(what)
            }
            _ => false,
        })
    }
}
