//! Places that can be changed, and assignments to them.

use super::advice::collected;
use super::flow::{Around, NOT_OWN};
use super::scope::GlobalKind;
use super::{Checker, wrong};
use crate::ast::{self, Assign};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Arith, Builtin, Change, Effect, Expr, ExprKind, Op, Place, SquareAt, Type};
use crate::source::Span;
use crate::syntax::foreign::foreign;

impl<'a> Checker<'a> {
    /// Resolves a place that can be written: state, and the indices into it.
    pub(super) fn place(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        let found = self.place_or_none(e);
        if found.is_none() && self.is_score(e) {
            let whose = match &e.kind {
                ast::ExprKind::Field(owner, _) => self.written(owner.span),
                _ => "me",
            };
            self.report(
                Diagnostic::new(
                    Code::CannotChange,
                    e.span,
                    "a score is not written to",
                    "not a piece of state",
                )
                .help(format!("points are awarded: `award 1 to {whose}` adds 1 to the score")),
            );
            return None;
        }
        if found.is_none() {
            let reports = self.diagnostics.len();
            let known = self.expr(e, None);
            if self.diagnostics.len() == reports && known.ty != Type::Wrong {
                if let ast::ExprKind::Name(name) = &e.kind
                    && self.shadows(name)
                {
                    return None;
                }
                self.not_a_place(e, &known.ty);
            }
        }
        found
    }

    /// Returns advice for cards that are dealt to several players in one line.
    pub(super) fn dealt_to_each(&self, place: Span, ty: &Type) -> Option<String> {
        let (all, before) = (self.written(place), self.line_before(place).trim());
        let before = before.rsplit('{').next().unwrap_or(before).trim_start();
        let held =
            self.game.state.iter().find(|state| state.per_player && collected(&state.form.ty()).is_some())?;
        let deals = before.starts_with("deal ") && *ty == Type::List(Box::new(Type::Player));
        let to_one = before.ends_with(" to") && *ty == Type::Player && all != "…";
        let one = to_one.then(|| format!("it goes to what the player has: `{before} {all}.{}`", held.name));
        deals.then(|| format!("write `each p in {all} {{ {before} p.{} }}`", held.name)).or(one)
    }

    /// Whether an expression is the score of a player, which no piece of state is called.
    fn is_score(&self, e: &ast::Expr) -> bool {
        let name = match &e.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Field(_, name) => &name.text,
            _ => return false,
        };
        let known = self.fields.contains_key(name)
            || self.globals.contains_key(name)
            || self.frame.locals.iter().any(|local| local.name == *name);
        name == "score" && !known
    }

    /// Whether a local name shadows another and that was already reported.
    fn shadows(&self, name: &str) -> bool {
        let local = self.frame.locals.iter().rev().find(|local| local.name == name);
        local.is_some_and(|local| {
            self.diagnostics.iter().any(|d| d.code == Code::Shadowed && d.span() == local.span)
        })
    }

    pub(super) fn place_or_none(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        match &e.kind {
            ast::ExprKind::Name(name) => {
                if self.frame.locals.iter().any(|l| l.name == *name) {
                    return None;
                }
                let id = match self.globals.get(name)?.kind {
                    GlobalKind::Table(id) => id,
                    _ => return None,
                };
                let ty = self.game.state[id].form.ty();
                Some((Place { state: id, owner: None, path: Vec::new(), span: e.span }, ty))
            }
            ast::ExprKind::Field(base, field) if self.table_field(base, field).is_some() => {
                let id = self.table_field(base, field)?;
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
                let (key, many) = self.index_key(&ty, at, base.span, true)?;
                if many {
                    let (base, places) = (self.written(base.span), self.written(key.span));
                    self.report(
                        Diagnostic::new(
                            Code::CannotChange,
                            e.span,
                            "only one place at a time can be changed",
                            "this is several places",
                        )
                        .help(format!("go through them: `each k in {places} {{ {base}[k] := … }}`")),
                    );
                    return Some((place, Type::Wrong));
                }
                let element = ty.at_index()?;
                place.path.push(key);
                place.span = e.span;
                Some((place, element))
            }
            _ => None,
        }
    }

    /// Resolves a whole piece of state; `reveal b` means everybody's `b`.
    pub(super) fn place_whole(&mut self, e: &'a ast::Expr) -> Option<(Place, Type)> {
        if let ast::ExprKind::Name(name) = &e.kind
            && !self.globals.contains_key(name)
            && let Some(id) = self.fields.get(name).copied()
        {
            let ty = self.game.state[id].form.ty();
            return Some((Place { state: id, owner: None, path: Vec::new(), span: e.span }, ty));
        }
        let (place, ty) = self.place(e)?;
        if !place.path.is_empty() {
            let message = "only a whole piece of state can be named here";
            self.report(
                Diagnostic::new(Code::CannotChange, e.span, message, "this is only part of one")
                    .help("keep it as a piece of state of its own"),
            );
            return None;
        }
        Some((place, ty))
    }

    pub(super) fn collection_place(&mut self, place: &Place, ty: &Type) {
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

    pub(super) fn list_place(&mut self, place: &Place, ty: &Type, done: &str) {
        if !matches!(ty, Type::List(_) | Type::Wrong) {
            let ty = self.words(ty);
            self.error(
                Code::TypeMismatch,
                place.span,
                format!("only a list can be {done}; this is {ty}"),
                "not a list",
            );
        }
    }

    pub(super) fn assign(
        &mut self,
        target: &'a ast::Expr,
        op: Assign,
        value: &'a ast::Expr,
        around: &Around<'a>,
        span: Span,
    ) {
        if let (ast::ExprKind::Tuple(targets), Assign::Set) = (&target.kind, op) {
            let ast::ExprKind::Tuple(values) = &value.kind else {
                return self.several_from_one(target.span, targets, value);
            };
            if targets.len() != values.len() {
                self.error(
                    Code::ArgumentCount,
                    span,
                    format!("{} places but {} values", targets.len(), values.len()),
                    "the numbers differ",
                );
                return;
            }
            let mut places = Vec::new();
            let mut checked = Vec::new();
            for (target, value) in targets.iter().zip(values) {
                let Some((place, ty)) = self.place(target) else { return };
                self.check_own_write(around, span, NOT_OWN, Some(&place));
                checked.push(self.expect(value, &ty));
                places.push((place, Change::Set));
            }
            self.emit(Op::Do(Effect::Assign(places, checked), span));
            return;
        }
        if self.splice(target, op, value, around, span)
            || self.missing_let(target, op, value)
            || self.part_assigned(target, op, value)
            || self.score_is_awarded(target, op, value)
            || self.sides_exchanged(target, op, value)
        {
            return;
        }
        let Some((place, ty)) = self.place(target) else {
            self.expr(value, None);
            return;
        };
        if place.owner.as_ref().is_some_and(|owner| owner.ty != Type::Player) {
            self.expr(value, None);
            return;
        }
        self.check_own_write(around, span, NOT_OWN, Some(&place));
        let ty = match ty {
            // A collection that may be none is added to where it is there.
            Type::Optional(of) if op != Assign::Set && of.element().is_some() => {
                let known = self.place_value(&place);
                let known = self.narrowed(known);
                self.check_type(&known, &of);
                *of
            }
            ty => ty,
        };
        let (change, value) = match (op, &ty) {
            (_, Type::Wrong) => (Change::Set, wrong(span)),
            (Assign::Set, Type::Grid(_)) if let ast::ExprKind::Board(rows) = &value.kind => {
                (Change::Set, self.board_value(rows, place.state, value.span))
            }
            (Assign::Set, Type::Map(_, of) | Type::Grid(of)) => {
                let found = self.expr(value, Some(of));
                if !self.value_for_all(target.span, &ty, &found) {
                    self.check_type(&found, &ty);
                }
                (Change::Set, found)
            }
            (Assign::Set, _) => (Change::Set, self.expect(value, &ty)),
            (Assign::Add | Assign::Take, ty) if *ty != Type::Int && Type::Int.is_of(ty) => {
                // A mixed value known to be a number is set to a new number.
                let known = self.place_value(&place);
                let known = self.narrowed(known);
                self.check_type(&known, &Type::Int);
                let by = self.expect(value, &Type::Int);
                let arith = if op == Assign::Add { Arith::Add } else { Arith::Sub };
                let kind = ExprKind::Arith(arith, Box::new(known), Box::new(by));
                (Change::Set, Expr { kind, ty: Type::Int, span })
            }
            (Assign::Add, Type::Int) => (Change::Plus, self.expect(value, &Type::Int)),
            (Assign::Take, Type::Int) => (Change::Minus, self.expect(value, &Type::Int)),
            (Assign::Add | Assign::Take, Type::List(of) | Type::Set(of) | Type::Bag(of)) => {
                let change = if op == Assign::Add { Change::Insert } else { Change::Remove };
                let found = self.expr(value, Some(of));
                let several = matches!(found.ty, Type::List(_) | Type::Set(_) | Type::Bag(_))
                    && found.ty.element().is_some_and(|element| of.accepts(&element));
                if !of.accepts(&found.ty) && several {
                    let (target, values) = (self.written(target.span), self.written(found.span));
                    self.report(
                        Diagnostic::new(
                            Code::TypeMismatch,
                            found.span,
                            "this is a whole collection; a single element is needed",
                            "more than one element",
                        )
                        .help(if op == Assign::Add {
                            format!("write `{target} ++= {values}` to add all its elements")
                        } else {
                            format!("take them out one by one: `each x in {values} {{ {target} -= x }}`")
                        }),
                    );
                } else {
                    self.check_type(&found, of);
                }
                (change, found)
            }
            (Assign::Join, Type::List(_) | Type::Set(_) | Type::Bag(_)) => {
                let found = self.expr(value, Some(&ty));
                (Change::Join, self.gathered_as(found, &ty))
            }
            (op, ty) => {
                let sign = match op {
                    Assign::Add => "+=",
                    Assign::Take => "-=",
                    _ => "++=",
                };
                let given = self.expr(value, None).ty;
                let is_square = given == Type::Square;
                let (place, by) = (self.written(target.span), self.written(value.span));
                let help = match ty {
                    Type::Map(key, _) if key.accepts(&given) && !matches!(given, Type::Wrong | Type::Int) => {
                        format!("say by how much: `{place}[{by}] {sign} 1`")
                    }
                    Type::Map(key, _) => {
                        let known = self.frame.locals.iter().rev().find(|local| key.accepts(&local.ty));
                        let known = known.filter(|local| !matches!(local.ty, Type::Wrong | Type::Int));
                        let key = if let Some(known) = known {
                            known.name.as_str()
                        } else {
                            match &**key {
                                Type::Symbol(ids) => {
                                    ids.first().map_or("k", |id| self.game.symbols[*id].as_str())
                                }
                                Type::Player => "me",
                                _ => "k",
                            }
                        };
                        format!("say for which key: `{place}[{key}] {sign} {by}`")
                    }
                    Type::Grid(of) if op == Assign::Take && matches!(**of, Type::Optional(_)) => {
                        let square = if is_square { by } else { "s" };
                        format!("a square is emptied by `{place}[{square}] := none`")
                    }
                    Type::Grid(of) if is_square && **of == Type::Int => {
                        format!("say by how much: `{place}[{by}] {sign} 1`")
                    }
                    Type::Grid(_) if is_square => format!("write `{place}[{by}] := …` to set what is there"),
                    Type::Grid(of) if **of == Type::Int => {
                        format!("say on which square: `{place}[s] {sign} {by}`")
                    }
                    Type::Grid(_) => format!("say on which square: `{place}[s] := {by}`"),
                    Type::Optional(_) if op == Assign::Take => {
                        format!("what is there is taken away by `{place} := none`")
                    }
                    _ => "write `:=` to set a new value".to_string(),
                };
                let ty = self.words(ty);
                self.report(
                    Diagnostic::new(
                        Code::TypeMismatch,
                        target.span,
                        format!("`{sign}` cannot be used with {ty}"),
                        format!("this is {ty}"),
                    )
                    .help(help),
                );
                return;
            }
        };
        let put = (change == Change::Set).then(|| (place.clone(), value.clone()));
        self.emit(Op::Do(Effect::Assign(vec![(place, change)], vec![value]), span));
        if let Some((place, value)) = put {
            self.assume_put(&place, &value);
        }
    }

    /// Converts the elements of any collection to the collection they are joined to.
    fn gathered_as(&mut self, found: Expr, ty: &Type) -> Expr {
        let element =
            found.ty.element().filter(|_| matches!(found.ty, Type::List(_) | Type::Set(_) | Type::Bag(_)));
        let (Some(element), Some(wanted)) = (element, ty.element()) else {
            let one = ty.element().is_some_and(|of| of.accepts(&found.ty) && found.ty != Type::Wrong);
            match one {
                true => self.mismatch(&found, ty, Some("`+=` adds one element".to_string())),
                false => self.check_type(&found, ty),
            }
            return found;
        };
        if ty.accepts(&found.ty) || !wanted.accepts(&element) {
            self.check_type(&found, ty);
            return found;
        }
        let builtin = match ty {
            Type::Set(_) => Builtin::ToSet,
            Type::Bag(_) => Builtin::ToBag,
            _ => Builtin::ToList,
        };
        let span = found.span;
        Expr { kind: ExprKind::Builtin(builtin, vec![found]), ty: ty.clone(), span }
    }

    /// Whether a statement is the first one in a branch of `if` on the same line.
    fn is_branch(&self, statement: Span) -> bool {
        let line = self.line_before(statement).trim();
        line.ends_with('{') && (line.starts_with("if ") || line.contains(" else "))
    }

    /// Whether a value is a random number, as other languages write it: `random(1, 6)`. That is no further mistake.
    fn draws_a_number(&mut self, value: &ast::Expr) -> bool {
        let ast::ExprKind::Call(called, _) = &value.kind else { return false };
        let draws = foreign(&called.text).is_some_and(|row| row.says.starts_with("write `chance "));
        if draws {
            let place = called.span;
            self.diagnostics.retain(|d| d.code != Code::UnknownFunction || d.span() != place);
        }
        draws
    }

    /// Handles `x := E` where `x` is unknown: reports that `let` binds names. It binds the name anyway, so
    /// that its uses are no further mistakes, and drops reports about the sign itself.
    fn missing_let(&mut self, target: &'a ast::Expr, op: Assign, value: &'a ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &target.kind else { return false };
        let known = self.globals.contains_key(name)
            || self.frame.locals.iter().any(|local| local.name == *name)
            || self.fields.contains_key(name)
            || matches!(name.as_str(), "me" | "players" | "standing" | "int" | "score");
        if known || op != Assign::Set {
            return false;
        }
        let value_written = value;
        let value = self.expr(value, None);
        // A part that could not be read may declare it.
        if !self.unread.is_some_and(|words| words.contains(name)) {
            let sign = Span::new(target.span.end, value.span.start);
            self.diagnostics.retain(|d| !(sign.start <= d.span().start && d.span().end <= sign.end));
            let message = format!("there is nothing called `{name}`");
            let report = Diagnostic::new(Code::UnknownName, target.span, message, "not known here");
            let near = self.near_name(name).filter(|near| {
                self.globals.get(near).is_some_and(|global| matches!(global.kind, GlobalKind::Table(_)))
            });
            let winner = matches!(name.as_str(), "winner" | "winners");
            let draws = self.draws_a_number(value_written);
            self.report_once(match near {
                _ if draws => report.help(format!(
                    "a draw has a line of its own, and a name: `chance {name} in 1..6`"
                )),
                _ if winner => {
                    let whom = self.written(value.span);
                    report.help(format!("who wins at once is written `win {whom}`"))
                }
                Some(near) => report.help(format!("did you mean `{near}`? to name a value, write `let`")).fix(near),
                None if self.is_branch(target.span) => report.help(format!(
                    "what has a name in a branch is known only there: write `let {name} = if C then … else …`; what changes during play is declared in `table {{ … }}` or `each player {{ … }}`"
                )),
                None if let Some(help) = self.declared_by_value(name) => report.help(help),
                None if let (Some(_), Some(grid)) = (SquareAt::read(name), self.grid_of(|_| true)) => {
                    report.help(format!(
                        "a square is only a place, and what stands on it is changed by `{grid}[{name}] := …`"
                    ))
                }
                None => Diagnostic {
                    fix: Some(Fix::likely(target.span.to(sign), format!("let {name} = "))),
                    ..report.help(format!(
                        "to name a value, write `let {name} = …`; what changes during play is declared in `table {{ … }}` or `each player {{ … }}`"
                    ))
                },
            });
        }
        self.bind(&ast::Name { text: name.clone(), span: target.span }, Type::Wrong, false);
        true
    }
}
