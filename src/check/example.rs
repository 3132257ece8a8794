//! Worked examples: their settings, scenes, moves and checks.

use super::options::outside;
use super::picture::drawn_line;
use super::{Checker, scope};
use crate::ast::{self, CheckKind, SeatRef, Step};
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{
    Example, ExampleCheck, ExampleLine, ExampleStep, Expr, ExprKind, Form, LoopId, Place, State, StateId,
    Type, Value,
};
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn example(&mut self, example: &'a ast::Example) {
        if let Some(earlier) = self.game.examples.iter().find(|earlier| earlier.title == example.title) {
            let head = |span: Span| Span::new(span.start, span.start + "example".len());
            let report = Diagnostic::new(
                Code::DuplicateName,
                head(example.span),
                format!("two examples are called `{}`", example.title),
                "the second",
            );
            let report = report.also(head(earlier.span), "the first");
            self.report(report.help("give one of them another title"));
        }
        let (mut options, mut players) = (Vec::new(), None);
        // An inherited example that cannot start any more is one that fails, and can be dropped.
        let own = self.source.is_none_or(|source| !source.is_inherited(example.span));
        for (at, (name, value)) in example.settings.iter().enumerate() {
            if let Some((first, _)) = example.settings[..at].iter().find(|(first, _)| first.text == name.text)
            {
                let message = format!("`{}` is set twice", name.text);
                let report = Diagnostic::new(Code::DuplicateName, name.span, message, "the second time");
                self.report(report.also(first.span, "the first time"));
            }
            if name.text == "players" {
                let found = self.expect(value, &Type::Int);
                match found.kind {
                    ExprKind::Value(Value::Int(n)) => {
                        players = n.as_usize();
                        if own && !players.is_some_and(|players| self.game.seats.allow(players)) {
                            let message = format!("this game is for {}, not {n}", self.game.seats);
                            self.error(Code::BadExample, value.span, message, "another number of players");
                        }
                    }
                    _ if found.ty != Type::Int => {}
                    _ => self.error(
                        Code::BadExample,
                        value.span,
                        "the number of players must be a plain number",
                        "this is computed",
                    ),
                }
                continue;
            }
            let Some(id) = self.game.options.iter().position(|option| option.name == name.text) else {
                let known: Vec<String> = self.game.options.iter().map(|o| o.name.clone()).collect();
                let known = known.iter().map(String::as_str).chain(["players"]);
                let report = Diagnostic::new(
                    Code::UnknownName,
                    name.span,
                    format!("there is no option called `{}`", name.text),
                    "not an option",
                );
                if let Some(scope::GlobalKind::Table(id)) =
                    self.globals.get(&name.text).map(|global| global.kind)
                {
                    self.report(report.help(format!("{}, in a line of the example", self.given(id))));
                    continue;
                }
                let list: Vec<String> = known.clone().map(|name| format!("`{name}`")).collect();
                self.report(match nearest(&name.text, known.clone()) {
                    Some(_) => report.suggest(&name.text, known),
                    None => report.help(format!("these can be set: {}", list.join(", "))),
                });
                continue;
            };
            let want = self.game.options[id].form.ty();
            let found = self.expect(value, &want);
            let declared = self.game.options[id].span;
            let line = |at: Span| self.source.map(|source| source.position(at.start).line);
            let faulty = |d: &Diagnostic| d.code == Code::BadOption && line(d.span()) == line(declared);
            let faulty = self.diagnostics.iter().any(faulty);
            if let Some(n) = outside(&self.game.options[id].form, &found).filter(|_| own && !faulty) {
                let message = format!("the option `{}` cannot be {n}", name.text);
                let report = Diagnostic::new(Code::BadExample, value.span, message, "outside its range");
                self.report(report.also(declared, "declared here"));
            }
            match plain(&found) {
                Some(value) => options.push((id, value)),
                None if found.ty == Type::Wrong => {}
                None => self.error(
                    Code::BadExample,
                    value.span,
                    "an option must be set to a plain value",
                    "this is computed",
                ),
            }
        }
        let lines = example.lines.iter().map(|line| self.example_line(line)).collect();
        self.game.examples.push(Example {
            title: example.title.clone(),
            options,
            players,
            lines,
            span: example.span,
        });
    }

    fn example_line(&mut self, line: &'a ast::ExampleLine) -> ExampleLine {
        self.refused_without_values(line);
        let step = line.step.as_ref().and_then(|step| self.step(step));
        let checks = line.checks.iter().filter_map(|check| Some((self.check(check)?, check.span))).collect();
        ExampleLine { step, checks, span: line.span }
    }

    /// Reports a move that is to be refused and lacks its values: it is refused whatever the rules say.
    fn refused_without_values(&mut self, line: &ast::ExampleLine) {
        let Some(Step::Move(_, name, words)) = &line.step else { return };
        let refused = line.checks.iter().any(|check| matches!(check.kind, CheckKind::Refused(_)));
        let Some(id) = self.moves.get(&name.text).filter(|_| refused) else { return };
        // A list or a set may be empty, and is then written as nothing.
        let single = |domain: &ast::Expr| match &domain.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Range, ..) | ast::ExprKind::AtLeast(_) => true,
            ast::ExprKind::Name(name) => {
                matches!(self.globals.get(name).map(|global| &global.ty), Some(Type::Grid(_)))
            }
            _ => false,
        };
        let params = self.move_items[*id].params.iter();
        let mut chosen = params.filter(|param| param.domain.is_some());
        let one = |param: &&ast::Param| param.domain.as_ref().is_some_and(single);
        // If each takes a value of its own, those behind the last value lack theirs.
        let missing = match words.is_empty() {
            true => chosen.find(one),
            false if chosen.clone().all(|param| one(&param)) => chosen.nth(words.len()),
            false => None,
        };
        let Some(param) = missing else { return };
        let (mv, param) = (&name.text, &param.name);
        let message = format!("`{mv}` has no value for `{}` here, and is refused for that alone", param.text);
        let report = Diagnostic::new(Code::BadExample, name.span, message, "")
            .also(param.span, "chosen by the player")
            .help(format!("give the value that is to be refused: `{mv} 3 refused`, or the like"));
        self.report(report);
    }

    fn step(&mut self, step: &'a Step) -> Option<ExampleStep> {
        Some(match step {
            Step::Start => ExampleStep::Start,
            Step::Move(seat, name, words) => {
                let seat = self.seat_ref(seat);
                if !self.moves.contains_key(&name.text) {
                    let known: Vec<String> = self.moves.keys().cloned().collect();
                    let report = Diagnostic::new(
                        Code::UnknownMove,
                        name.span,
                        format!("there is no move called `{}`", name.text),
                        "not found",
                    );
                    self.report_once(report.suggest(&name.text, known.iter().map(String::as_str)));
                }
                ExampleStep::Move(seat, name.text.clone(), words.clone())
            }
            Step::Chance(name, words) => ExampleStep::Chance(name.text.clone(), words.clone()),
            Step::Scene(target, value) if self.given_pass(target).is_some() => {
                let id = self.given_pass(target)?;
                ExampleStep::Pass(id, self.expect(value, &Type::Int))
            }
            Step::Scene(target, value) => {
                let (place, ty) = self.example_place(target)?;
                self.shown_values = true;
                let found = self.expr(value, Some(&ty));
                self.shown_values = false;
                if matches!(ty, Type::Grid(_)) && matches!(found.ty, Type::List(_) | Type::Set(_)) {
                    let (ty, drawn) = (self.words(&found.ty), self.given(place.state));
                    let message = format!("this is {ty}, not a grid");
                    let report = Diagnostic::new(Code::TypeMismatch, value.span, message, "a grid is needed");
                    self.report(report.help(drawn));
                    return None;
                }
                self.check_type(&found, &ty);
                ExampleStep::Scene(place, found)
            }
            Step::Board(name, rows) => {
                let (id, value) = self.board(name, rows)?;
                let ty = self.game.state[id].form.ty();
                let place = Place { state: id, owner: None, path: Vec::new(), span: name.span };
                ExampleStep::Scene(place, Expr { kind: ExprKind::Value(value), ty, span: name.span })
            }
        })
    }

    /// Says how a piece of state on the table is set in an example.
    fn given(&self, id: StateId) -> String {
        let State { name, form, .. } = &self.game.state[id];
        match form.ty() {
            Type::Grid(_) => {
                format!(
                    "a board is drawn: `given {name}`, and below it a line for each row, such as `| 1 2 3`"
                )
            }
            _ => format!("what is on the table is set by `given {name} = …`"),
        }
    }

    /// Returns the loop whose pass number is set: `given round = 3`.
    fn given_pass(&self, target: &ast::Expr) -> Option<LoopId> {
        let ast::ExprKind::Name(name) = &target.kind else { return None };
        self.loops.get(name).copied().filter(|_| !self.globals.contains_key(name))
    }

    fn example_place(&mut self, target: &'a ast::Expr) -> Option<(Place, Type)> {
        match &target.kind {
            ast::ExprKind::Field(base, field) => {
                let owner = self.expect(base, &Type::Player);
                let id = *self.fields.get(&field.text)?;
                let ty = self.game.state[id].form.ty();
                Some((Place { state: id, owner: Some(owner), path: Vec::new(), span: target.span }, ty))
            }
            ast::ExprKind::Name(name) => match self.globals.get(name).map(|g| g.kind) {
                Some(scope::GlobalKind::Table(id)) => {
                    let ty = self.game.state[id].form.ty();
                    Some((Place { state: id, owner: None, path: Vec::new(), span: target.span }, ty))
                }
                _ => {
                    let report = |message: String, label: &str| {
                        Diagnostic::new(Code::CannotChange, target.span, message, label)
                    };
                    self.report(match self.fields.contains_key(name) {
                        true => {
                            report(format!("each player has `{name}` of their own"), "it is not said whose")
                                .help(format!("say whose: `given {}.{name} = …`", self.first_seat()))
                        }
                        false => report(format!("`{name}` is not a piece of state"), "`given` sets state"),
                    });
                    None
                }
            },
            _ => {
                let message = "`given` sets a whole piece of state";
                let report =
                    Diagnostic::new(Code::CannotChange, target.span, message, "this is only part of one");
                self.report(report.help(
                    "write all of it, `given row = [1, 2, 3]`, or play the moves that lead there; a grid is drawn line by line",
                ));
                None
            }
        }
    }

    /// Reads the drawn board of a grid on the table.
    fn board(&mut self, name: &'a ast::Name, rows: &'a [ast::Name]) -> Option<(StateId, Value)> {
        let found = match self.globals.get(&name.text).map(|g| g.kind) {
            Some(scope::GlobalKind::Table(id)) => Some(id),
            _ => None,
        };
        let Some(id) = found.filter(|id| matches!(self.game.state[*id].form, Form::Grid(..))) else {
            self.error(
                Code::CannotChange,
                name.span,
                format!("`{}` is not a grid on the table", name.text),
                "only a grid can be drawn",
            );
            return None;
        };
        Some((id, self.drawn_grid(rows, id, Code::BadExample)?))
    }

    /// Returns the 1-based number of a seat; `None` for whoever is next.
    fn seat_ref(&mut self, seat: &SeatRef) -> Option<usize> {
        match seat {
            SeatRef::Next => None,
            SeatRef::Number(n, span) => match n.as_usize().filter(|n| *n >= 1) {
                Some(n) => Some(n),
                None => {
                    self.error(
                        Code::BadExample,
                        *span,
                        format!("there is no player {n}"),
                        "seats are numbered from 1",
                    );
                    None
                }
            },
            SeatRef::Name(name) => {
                self.named_seat(name, "a line begins with the player's number: `1: …`").map(|at| at + 1)
            }
        }
    }

    /// Reports a `shows` check in a file without any `show`.
    fn must_show(&mut self, check: Span) {
        if self.game.show.is_empty() {
            let span = Span::new(check.start, check.start + "shows".len());
            self.report(
                Diagnostic::new(
                    Code::BadExample,
                    span,
                    "this file has no `show`",
                    "nothing says how to show the table",
                )
                .help("write `show board`, or `show \"{row}\"`"),
            );
        }
    }

    fn check(&mut self, check: &'a ast::Check) -> Option<ExampleCheck> {
        Some(match &check.kind {
            CheckKind::Shows(text) => {
                self.must_show(check.span);
                ExampleCheck::Shows(text.clone())
            }
            CheckKind::ShowsDrawn(rows) => {
                self.must_show(check.span);
                ExampleCheck::ShowsDrawn(rows.iter().map(|row| one_blank(drawn_line(&row.text))).collect())
            }
            CheckKind::Board(name, rows) => {
                let (id, value) = self.board(name, rows)?;
                ExampleCheck::Board(id, value)
            }
            CheckKind::Refused(text) => ExampleCheck::Refused(text.clone()),
            CheckKind::Scores(scores) => ExampleCheck::Scores(scores.clone()),
            CheckKind::Expect(e) => {
                (self.in_example, self.shown_values) = (true, true);
                let lambda = self.lambda(Vec::new(), |this| this.expect(e, &Type::Bool));
                (self.in_example, self.shown_values) = (false, false);
                ExampleCheck::Expect(lambda)
            }
            CheckKind::Over => ExampleCheck::Over,
            CheckKind::Winners(seats) => {
                ExampleCheck::Winners(seats.iter().filter_map(|seat| self.seat_ref(seat)).collect())
            }
        })
    }
}

/// Normalises whitespace: one space between words and none around them.
pub(crate) fn one_blank(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the value of a literal expression: a value, or a list of literals.
fn plain(e: &Expr) -> Option<Value> {
    match &e.kind {
        ExprKind::Value(value) => Some(value.clone()),
        ExprKind::List(items) => items.iter().map(plain).collect::<Option<_>>().map(Value::list),
        _ => None,
    }
}
