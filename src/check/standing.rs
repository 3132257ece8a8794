//! Standing rules, `end when C` and `win p when C`, which hold for the block that they stand in: they are tested after each
//! complete choice and each draw there.

use super::Checker;
use super::flow::Around;
use crate::ast::{self, Stmt, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Expr, Op, Slot, StateId, Type};
use crate::source::Span;

/// A rule that is tested after each complete choice or draw, and which names it may read.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    /// The rule.
    stmt: &'a Stmt,
    /// How many local names there are where its block begins.
    outside: usize,
    /// The statements before it in its block, whose names it may read as well.
    before: &'a [Stmt],
}

impl<'a> Standing<'a> {
    /// Returns a rule of the whole match.
    pub(super) fn of_file(stmt: &'a Stmt) -> Standing<'a> {
        Standing { stmt, outside: 0, before: &[] }
    }

    /// Returns the rules that stand in a block, before which there are so many local names.
    pub(super) fn in_block(stmts: &'a [Stmt], outside: usize) -> Vec<Standing<'a>> {
        let stands =
            |(_, stmt): &(usize, &Stmt)| matches!(stmt.kind, StmtKind::EndWhen(_) | StmtKind::WinWhen(..));
        let of_block = stmts.iter().enumerate().filter(stands);
        of_block.map(|(at, stmt)| Standing { stmt, outside, before: &stmts[..at] }).collect()
    }

    /// Whether the rule may read the local name with this number, from 0.
    fn may_read(&self, number: usize, named: Span) -> bool {
        let names = |stmt: &Stmt| {
            stmt.blocks().is_empty() && stmt.span.start <= named.start && named.end <= stmt.span.end
        };
        number < self.outside || self.before.iter().any(names)
    }
}

impl<'a> Checker<'a> {
    /// Tests the standing rules in force here.
    pub(super) fn standing_rules(&mut self, around: &Around<'a>) {
        // Of the other names around the place where it is tested, a rule may read who moves, and the passes of loops.
        let passes: Vec<Slot> = self.game.loops.iter().map(|(_, slot)| *slot).collect();
        for rule in around.standing.clone() {
            self.standing.entry(rule.stmt.span).or_insert((rule.stmt, true)).1 = true;
            let mut hidden = Vec::new();
            for (number, local) in self.frame.locals.iter_mut().enumerate() {
                let around = local.name == "me" || passes.contains(&local.slot);
                if !around && !rule.may_read(number, local.span) {
                    hidden.push((number, std::mem::take(&mut local.name)));
                }
            }
            let on = self.label();
            match &rule.stmt.kind {
                StmtKind::EndWhen(cond) => {
                    self.mark_source(cond.span);
                    let cond = self.expect(cond, &Type::Bool);
                    self.emit(Op::Unless(cond, on));
                    self.emit(Op::End(None));
                }
                StmtKind::WinWhen(who, cond) if self.any_who_meets(who, cond) => {}
                StmtKind::WinWhen(who, cond) => {
                    let who = self.winners(who);
                    self.mark_source(cond.span);
                    let cond = self.expect(cond, &Type::Bool);
                    self.emit(Op::Unless(cond, on));
                    self.emit(Op::End(Some(who)));
                }
                _ => {}
            }
            self.place_label(on);
            hidden.into_iter().for_each(|(number, name)| self.frame.locals[number].name = name);
        }
    }

    /// Checks a standing rule where it is written, so that one that never applies is checked too.
    pub(super) fn standing_once(&mut self, stmt: &'a Stmt) {
        self.standing.entry(stmt.span).or_insert((stmt, false));
        match &stmt.kind {
            StmtKind::EndWhen(cond) => {
                self.expect(cond, &Type::Bool);
            }
            StmtKind::WinWhen(who, cond) if self.any_who_meets(who, cond) => {}
            StmtKind::WinWhen(who, cond) => {
                self.winners(who);
                self.expect(cond, &Type::Bool);
            }
            _ => {}
        }
    }

    /// Checks who wins: a player, or a list or set of players.
    pub(super) fn winners(&mut self, who: &'a ast::Expr) -> Expr {
        let found = self.expr(who, Some(&Type::Player));
        if let Type::Symbol(ids) = &found.ty {
            let of_it = |id: &StateId| matches!(self.game.state[*id].form.ty(), Type::Symbol(own) if !own.is_disjoint(ids));
            let own = self.fields.iter().filter(|(_, id)| of_it(id)).map(|(name, _)| name).min();
            let written = own.map(|own| format!("[p in players where p.{own} = {}]", self.written(who.span)));
            let message = format!("this is {}, not a player", self.words(&found.ty));
            let report = Diagnostic::new(Code::TypeMismatch, found.span, message, "a player is needed");
            self.report(match written {
                Some(written) => report.help(format!("players win: `{written}`")).likely_fix(written),
                None => report,
            });
            return found;
        }
        if !matches!(&found.ty, Type::List(of) | Type::Set(of) if Type::Player.accepts(of)) {
            self.check_type(&found, &Type::Player);
        }
        found
    }
}

/// Reports rules that are never tested, since no choice or draw is completed in their block.
pub(super) fn in_vain(checker: &mut Checker) {
    for (stmt, tested) in std::mem::take(&mut checker.standing).into_values() {
        if tested {
            continue;
        }
        let text = |span: Span| checker.source.map_or("", |source| source.slice(span));
        let (cond, then) = match &stmt.kind {
            StmtKind::WinWhen(who, cond) => (cond, format!("win {}", text(who.span))),
            StmtKind::EndWhen(cond) => (cond, "end".to_string()),
            _ => continue,
        };
        let once = format!("if {} {{ {then} }}", text(cond.span));
        let message = "this is never tested";
        let report =
            Diagnostic::new(Code::NeverTested, stmt.span, message, "no choice is completed in this block");
        let help = format!(
            "write `{once}`, which is tested right here; with `when` it is tested after each choice in its block, as in `play`"
        );
        checker.report(report.help(help).fix(once));
    }
}
