//! State: its declared types, its initial values, and who sees it.

use super::scope::GlobalKind;
use super::{Checker, wrong};
use crate::ast::{self, ItemKind, Secrecy, TypeKind};
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::{Expr, ExprKind, Form, Sight, State, Type, Value};
use crate::source::Span;
use crate::syntax::PAIRS;
use crate::syntax::foreign::{Foreign, foreign};

impl<'a> Checker<'a> {
    // ---- types

    pub(super) fn form(&mut self, ty: &'a ast::Type) -> Form {
        match &ty.kind {
            TypeKind::Bool => Form::Bool,
            TypeKind::Name(name) => self.named_form(name),
            TypeKind::Range(low, high) => {
                let (low, high) = (self.expect(low, &Type::Int), self.expect(high, &Type::Int));
                self.constant_only(&low, "the range of a type");
                self.constant_only(&high, "the range of a type");
                Form::Range(Box::new(low), Box::new(high))
            }
            TypeKind::AtLeast(low) => {
                let low = self.expect(low, &Type::Int);
                self.constant_only(&low, "the range of a type");
                Form::AtLeast(Box::new(low))
            }
            TypeKind::Symbols(names) => self.symbols_form((names, ty.span), "optional "),
            TypeKind::Optional(of) if lists_none(of) => self.optional_form(of),
            TypeKind::Optional(of) => match self.form(of) {
                Form::Optional(_) => {
                    self.error(Code::UnknownType, ty.span, "this is optional twice", "once is enough");
                    Form::Wrong
                }
                of => Form::Optional(Box::new(of)),
            },
            TypeKind::List(bound, of) => {
                let bound = bound.as_ref().map(|(kind, size)| {
                    let size = self.expect(size, &Type::Int);
                    self.constant_only(&size, "the length of a list");
                    (*kind, Box::new(size))
                });
                Form::List(bound, Box::new(self.form(of)))
            }
            TypeKind::Set(of) => Form::Set(Box::new(self.form(of))),
            TypeKind::Bag(of) => Form::Bag(Box::new(self.form(of))),
            TypeKind::Grid { empty, rows, columns, of } => {
                let (rows, columns) = (self.expect(rows, &Type::Int), self.expect(columns, &Type::Int));
                self.constant_only(&rows, "the size of a grid");
                self.constant_only(&columns, "the size of a grid");
                let of = if *empty { self.optional_form(of) } else { self.form(of) };
                Form::Grid(Box::new(rows), Box::new(columns), Box::new(of))
            }
            TypeKind::Tuple(parts) => self.tuple_form(parts, None),
            TypeKind::Either(kinds) => self.either(kinds, ty.span),
            TypeKind::Map(value, key) => {
                let (value, key) = (self.form(value), self.form(key));
                if !matches!(
                    key,
                    Form::Range(..) | Form::Bool | Form::Symbols(_) | Form::Player | Form::Wrong
                ) {
                    let (message, help) = match key {
                        Form::Tuple(_) => ("pairs cannot be keys after `for each`", PAIRS),
                        Form::Square => (
                            "squares cannot be keys after `for each`",
                            "a value for each square is a grid: `grid 3 by 3 of int`",
                        ),
                        _ => (
                            "the keys after `for each` must be few and known in advance",
                            "a range, symbols, `yes or no` or `player` can be keys",
                        ),
                    };
                    let report = Diagnostic::new(Code::UnknownType, ty.span, message, "not a type for keys");
                    self.report(report.help(help));
                }
                Form::Map(Box::new(value), Box::new(key))
            }
        }
    }

    /// Whether a type is called so, here or in another language.
    pub(super) fn is_type_name(&self, name: &str) -> bool {
        matches!(name, "int" | "player" | "square" | "players" | "number" | "text" | "tuple" | "pair")
            || name == super::grids::KIND
            || self.game.kinds.iter().any(|(kind, _)| kind == name)
            || self.is_kind_of_tuples(name)
            || foreign(name).is_some()
    }

    pub(super) fn named_form(&mut self, name: &ast::Name) -> Form {
        match name.text.as_str() {
            "int" => return Form::Int,
            "player" => return Form::Player,
            "square" => return Form::Square,
            _ => {}
        }
        if let Some((_, ids)) = self.game.kinds.iter().find(|(kind, _)| *kind == name.text) {
            self.kinds_named.insert(name.text.clone());
            return Form::Symbols(ids.clone());
        }
        if let Some(form) = self.form_of_kind(name) {
            return form;
        }
        if name.text == super::grids::KIND {
            return Form::Symbols(self.directions().to_vec());
        }
        let kinds = self.kinds();
        let known = kinds.iter().map(String::as_str).chain(["int", "player", "square", super::grids::KIND]);
        let report = Diagnostic::new(
            Code::UnknownType,
            name.span,
            format!("there is no type called `{}`", name.text),
            "not a type",
        );
        let report = match name.text.as_str() {
            "players" => {
                report
                    .help("one of the players, or a key for each of them, is a `player`; several are a `list of player`")
                    .fix("player")
            }
            "list" | "set" | "bag" => report.help(format!("say of what: `{} of 1..9`", name.text)),
            "tuple" | "pair" => report.help("a pair is written `(int, int)`"),
            "number" => report.help("write `int`, or a range such as `1..9`").fix("int"),
            "empty" | "nothing" => report.help(
                "squares that may be empty belong to an `empty grid 3 by 3 of 1..9`; anything else that may be nothing is `optional 1..9`",
            ),
            "text" => report.help("declare symbols: `{red, green}`, or `kind colour: red, green`"),
            other => match foreign(other) {
                Some(Foreign { here: Some(here), says, .. }) => report.help(*says).fix(*here),
                Some(row) => report.help(row.says),
                None => match report.suggest(&name.text, known) {
                    report if report.help.is_none() => report.help(match self.first_symbol(name) {
                        Some(first) => format!(
                            "a type with a name is declared by a line of its own, `kind {other}: {first}, …`; used once, its symbols stand in braces, `{{{first}, …}}`"
                        ),
                        None => format!(
                            "symbols stand in braces, `{{{other}, …}}`; a type with a name is declared by `kind {other}: …`"
                        ),
                    }),
                    report => report,
                },
            },
        };
        self.report(report);
        Form::Wrong
    }

    // ---- state

    /// Reports `value: ship for each 0..9 = 5`, where the keys stand in front of `for each`. Returns the form that is meant.
    fn keys_in_front(&mut self, form: Form, state: &'a ast::State) -> Form {
        let TypeKind::Map(keys, value) = &state.ty.kind else { return form };
        let number = matches!(&state.init, Some(ast::Expr { kind: ast::ExprKind::Number(_), .. }));
        match form {
            Form::Map(keyed, ranged)
                if number
                    && matches!(*keyed, Form::Symbols(_) | Form::Player | Form::Bool)
                    && matches!(*ranged, Form::Range(..)) =>
            {
                let written = format!("{} for each {}", self.written(value.span), self.written(keys.span));
                let message = "the keys stand behind `for each`, and what each of them has in front of it";
                let report = Diagnostic::new(Code::TypeMismatch, state.ty.span, message, "");
                let report = report.help(format!("write `{}: {written}`", state.name.text));
                let fix = (!written.contains('…')).then(|| Fix::likely(state.ty.span, written));
                self.report(Diagnostic { fix, ..report });
                Form::Map(ranged, keyed)
            }
            form => form,
        }
    }

    pub(super) fn state(&mut self, state: &'a ast::State, per_player: bool) {
        let form = self.form(&state.ty);
        let form = self.keys_in_front(form, state);
        let id = self.game.state.len();
        let name = &state.name;
        let ty = form.ty();
        if per_player {
            if let Some(earlier) = self.fields.insert(name.text.clone(), id) {
                let earlier = self.state_spans[earlier];
                self.duplicate(name, earlier);
            }
            if matches!(name.text.as_str(), "score" | "others" | "next" | "previous" | "number") {
                self.rename_number(name);
            }
        } else {
            self.global(name, GlobalKind::Table(id), ty, true);
        }
        let mut sight = Sight::Public;
        for (i, (secrecy, span)) in state.secrecy.iter().enumerate() {
            if i > 0 {
                self.error(
                    Code::Misplaced,
                    *span,
                    "state can have only one of `secret` and `hidden`",
                    "a second one",
                );
            }
            sight = match secrecy {
                Secrecy::Secret if per_player => Sight::Owner,
                Secrecy::Secret => {
                    self.report(
                        Diagnostic::new(
                            Code::Misplaced,
                            *span,
                            "nobody owns what is on the table",
                            "`secret` needs an owner",
                        )
                        .help("write `hidden`, or declare it in `each player { … }`"),
                    );
                    Sight::Nobody
                }
                Secrecy::Hidden => Sight::Nobody,
            };
        }
        let each = state.each.as_ref().and_then(|label| match self.loops.get(&label.text) {
            Some(id) => Some(*id),
            None => {
                let mut known: Vec<String> = self.loops.keys().cloned().collect();
                known.sort();
                let report = Diagnostic::new(
                    Code::UnknownLoop,
                    label.span,
                    format!("there is no loop called `{}`", label.text),
                    "not a loop of `play`",
                );
                let report = match crate::diag::nearest(&label.text, known.iter().map(String::as_str)) {
                    Some(near) => report.help(format!("did you mean `{near}`?")).fix(near),
                    None if self.named_in_lines.contains_key(label.text.as_str()) => report.help(format!(
                        "`{0}` is what a loop goes through; the loop itself has the name that stands behind `as`: `each {0} in … as pass {{ … }}`, and here `each pass`",
                        label.text
                    )),
                    None if known.is_empty() => report.help(format!(
                        "name a loop of `play`: `repeat 3 as {0} {{ … }}`, `turns as {0} {{ … }}`",
                        label.text
                    )),
                    None => {
                        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                        report.help(format!("the loops of `play` are {}", known.join(", ")))
                    }
                };
                self.report_once(report);
                None
            }
        });
        self.state_spans.push(name.span);
        self.game.state.push(State {
            name: name.text.clone(),
            per_player,
            form,
            init: None,
            reset_by: each,
            sight,
            doc: state.doc.clone(),
            span: name.span,
        });
    }

    /// Returns the first value behind an unknown type, if that is an unknown name too: `red` in `c: color = red`.
    fn first_symbol(&self, ty: &ast::Name) -> Option<&str> {
        let behind = self.source?.text.get(ty.span.end..)?.trim_start_matches(' ').strip_prefix("= ")?;
        let first =
            &behind[..behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len())];
        let named = first.starts_with(char::is_alphabetic)
            && !matches!(first, "yes" | "no" | "none")
            && !self.value_called(first);
        named.then_some(first)
    }

    pub(super) fn rename_number(&mut self, name: &ast::Name) {
        // `p.number` is the seat's number unless a file declares its own; the other fields are reserved.
        if name.text != "number" {
            self.error(
                Code::Shadowed,
                name.span,
                format!("every player already has `{}`", name.text),
                "choose another name",
            );
        }
    }

    /// Returns the form of a type whose values may be none besides.
    fn optional_form(&mut self, of: &'a ast::Type) -> Form {
        match &of.kind {
            TypeKind::Symbols(names) if lists_none(of) => self.symbols_form((names, of.span), ""),
            _ => Form::Optional(Box::new(self.form(of))),
        }
    }

    /// Returns the form of written symbols. What may be none has no symbol for that, which is reported; `word` is what the type
    /// needs in front so that its values may be none.
    fn symbols_form(&mut self, (names, span): (&'a [ast::Name], Span), word: &str) -> Form {
        let (none, others): (Vec<&ast::Name>, Vec<&ast::Name>) =
            names.iter().partition(|name| name.text == "none");
        let symbols = |this: &mut Self, names: &[&ast::Name]| {
            Form::Symbols(names.iter().map(|name| this.symbol(&name.text)).collect())
        };
        let (Some(none), false) = (none.first(), others.is_empty()) else {
            return symbols(self, &names.iter().collect::<Vec<_>>());
        };
        let listed: Vec<&str> = others.iter().map(|name| name.text.as_str()).collect();
        let written = format!("{word}{{{}}}", listed.join(", "));
        self.report(
            Diagnostic::new(
                Code::MaybeNone,
                none.span,
                "`none` is no symbol",
                "this says that there is no value",
            )
            .help(format!("write `{written}`"))
            .fix_of(span, written),
        );
        Form::Optional(Box::new(symbols(self, &others)))
    }

    /// Reports state that is `none` at first though its type has no `none`. Returns whether it did.
    fn none_at_first(&mut self, ty: &Type, declared: Span, none: Span) -> bool {
        let (value, word) = match ty {
            Type::Grid(of) => (&**of, "empty"),
            Type::Map(_, of) => (&**of, "optional"),
            ty => (ty, "optional"),
        };
        if matches!(value, Type::Optional(_) | Type::Wrong) {
            return false;
        }
        let message = format!("this is none, not {}", self.words(value));
        let report = Diagnostic::new(Code::MaybeNone, none, message, "there is no value yet")
            .also(declared, "this type has no `none`")
            .help(format!("write `{word} {}`", self.written(declared)));
        let fix = Some(Fix::new(Span::new(declared.start, declared.start), format!("{word} ")));
        self.report(Diagnostic { fix, ..report });
        true
    }

    /// Checks the initial values of state. This is done late, as they may use every function.
    pub(super) fn init_states(&mut self, file: &'a ast::File) {
        let mut id = 0;
        for item in &file.items {
            let (states, per_player) = match &item.kind {
                ItemKind::Table(states) => (states, false),
                ItemKind::EachPlayer(states) => (states, true),
                _ => continue,
            };
            for state in states {
                let want = self.game.state[id].form.ty();
                if let Some(init) = &state.init {
                    let check = |this: &mut Self| match (&init.kind, &want) {
                        (ast::ExprKind::Board(rows), Type::Grid(_)) => this.board_value(rows, id, init.span),
                        (ast::ExprKind::None, _) if this.none_at_first(&want, state.ty.span, init.span) => {
                            wrong(init.span)
                        }
                        // A symbol of a type that is not known.
                        (ast::ExprKind::Name(name), Type::Wrong) if !this.value_called(name) => {
                            wrong(init.span)
                        }
                        // The initial value of a bag may be `{}`, that of a map one value for all keys.
                        (_, Type::Map(_, value)) => this.expect(init, value),
                        (ast::ExprKind::Set(inside), Type::Bag(_)) if inside.items.is_empty() => {
                            Expr { kind: ExprKind::Value(Value::bag([])), ty: want.clone(), span: init.span }
                        }
                        (_, Type::Grid(of)) => {
                            let found = this.expr(init, Some(of));
                            if matches!(found.ty, Type::List(_)) && !of.accepts(&found.ty) {
                                this.report(
                                    Diagnostic::new(
                                        Code::TypeMismatch,
                                        found.span,
                                        "a first value is the same for every square of a grid",
                                        "this is a list",
                                    )
                                    .help("draw the board, row by row: `=`, and below it `| 1 1 2`, `| 3 2 2`; or set the squares that differ at the start of `play`: `each s in board { board[s] := … }`"),
                                );
                                return wrong(found.span);
                            }
                            if !matches!(found.ty, Type::Grid(_)) {
                                this.check_type(&found, of);
                            } else {
                                this.check_type(&found, &want);
                            }
                            found
                        }
                        _ => this.expect(init, &want),
                    };
                    let lambda = match per_player {
                        true => self.lambda_me(init.span, check),
                        false => self.lambda(Vec::new(), check),
                    };
                    self.game.state[id].init = Some(lambda);
                }
                id += 1;
            }
        }
    }
}

/// Whether a type lists symbols, and `none` among them.
fn lists_none(ty: &ast::Type) -> bool {
    matches!(&ty.kind, TypeKind::Symbols(names) if names.iter().any(|name| name.text == "none"))
}
