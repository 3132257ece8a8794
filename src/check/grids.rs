//! Functions on grids that are defined by other IR: squares by row and column, and directions, which are
//! symbols.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expr::{boxed, of};
use super::tuples::place_of;
use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic, any_error};
use crate::ir::{
    Arith, Builtin, DIRECTIONS, Direction, Domain, Expr, ExprKind, Fold, FoldKind, Source, SymbolId, Type,
    Value,
};
use crate::source::Span;
use crate::syntax::operand_before;

/// The name of the kind that holds the eight directions.
pub(super) const KIND: &str = "direction";

impl<'a> Checker<'a> {
    /// Reports `[ ]` behind a value that has no places.
    pub(super) fn no_places(&mut self, base: &Type, place: Span, at: &[ast::Expr]) {
        let ty = self.words(base);
        let message = format!("{ty} has no places");
        let report = Diagnostic::new(Code::CannotIndex, place, message, "cannot be followed by `[ ]`");
        let within = |part: Span| place.start <= part.start && part.end <= place.end;
        // A row alone is no square.
        let is_row = self.diagnostics.iter().any(|d| d.code == Code::TypeMismatch && within(d.span()));
        let grid = self.row_then_column(place, at).filter(|_| is_row || !matches!(base, Type::Tuple(_)));
        if grid.is_some() {
            self.diagnostics.retain(|d| d.code != Code::TypeMismatch || !within(d.span()));
        }
        let help = grid.or_else(|| self.dotted_part(base, place, at)).or_else(|| {
            let (of, kind) = match base {
                Type::Set(_) => (self.written(place), "set"),
                Type::Bag(_) => (self.written(place), "bag"),
                _ => return None,
            };
            let [at] = at else { return None };
            let at = self.written(at.span);
            (of != "…" && at != "…").then(|| {
                format!("the elements of a {kind} have no order: choose one itself, `x in {of}`; the place in ascending order is `sorted({of})[{at}]`")
            })
        });
        self.report_once(
            report.help(help.unwrap_or_else(|| "lists, grids and maps have places".to_string())),
        );
    }

    /// Returns advice for `board[row][column]`, where `base` is `board[row]` and a grid has squares.
    fn row_then_column(&self, base: Span, more: &[ast::Expr]) -> Option<String> {
        let (grid, row) = self.written(base).strip_suffix(']')?.rsplit_once('[')?;
        let is_grid = self.game.state.iter().any(|state| {
            matches!(state.form.ty(), Type::Grid(_)) && grid.rsplit('.').next() == Some(state.name.as_str())
        });
        let [column] = more else { return None };
        let column = self.written(column.span);
        is_grid.then(|| format!("a place on a grid has its row and its column in one pair of brackets: `{grid}[{row}, {column}]`"))
    }

    /// Returns advice for a number where a square is needed: a move may choose squares from their grid.
    pub(super) fn square_chosen_by_number(&self, found: &Expr) -> String {
        const PAIR: &str =
            "a square has a row and a column: `square(r, c)`, or `board[r, c]` for what stands there";
        let name = self.written(found.span);
        let around =
            |mv: &&&ast::Move| mv.name.span.start <= found.span.start && found.span.end <= mv.body.span.end;
        let chosen = self
            .move_items
            .iter()
            .find(around)
            .is_some_and(|mv| mv.params.iter().any(|param| param.name.text == name));
        match self.line_before(found.span).strip_suffix('[').and_then(operand_before).filter(|_| chosen) {
            Some(grid) => format!(
                "the squares of a grid are chosen from the grid itself: `{name} in {grid}`; with a row and a column, one is `{grid}[r, c]`"
            ),
            None => PAIR.to_string(),
        }
    }

    /// Returns how a part of a tuple is written, for `card[1]`.
    fn dotted_part(&self, ty: &Type, base: Span, at: &[ast::Expr]) -> Option<String> {
        let (Type::Tuple(parts), [at]) = (ty, at) else { return None };
        let (base, part) = (self.written(base), self.written(at.span));
        let part = parts.label(place_of(parts, part).unwrap_or(0));
        Some(format!("a part of a tuple is written with a dot: `{base}.{part}`"))
    }

    // ---- directions

    /// Returns the symbols of the eight directions, clockwise from north, adding them to the game on first
    /// use.
    ///
    /// A symbol that the file declares under the main name of a direction is that direction, so a file may
    /// have its own kind of four of them. A symbol declared under another name (`left`) is one only if it is
    /// used as one: in `kind bend: left, ahead, right` nothing is west.
    pub(super) fn directions(&mut self) -> [SymbolId; 8] {
        if let Some(known) = self.directions {
            return known;
        }
        let ids = DIRECTIONS.each_ref().map(|way| {
            let names = [Some(way.name), way.also];
            let own = |name: &&str| self.symbols.get(*name).copied();
            if self.separate_direction_names {
                self.separated.extend(names[1].as_ref().and_then(own));
            }
            let lent = if self.separate_direction_names { &names[..1] } else { &names[..] };
            let declared = lent.iter().flatten().find_map(own);
            let id = declared.unwrap_or_else(|| {
                self.game.symbols.push(way.name.to_string());
                self.game.symbols.len() - 1
            });
            // Names that the file declares as something else keep their meaning.
            for name in names.into_iter().flatten() {
                if !self.globals.contains_key(name) && !self.declared.contains_key(name) {
                    self.symbols.entry(name.to_string()).or_insert(id);
                }
            }
            id
        });
        if !self.game.kinds.iter().any(|(kind, _)| kind == KIND) {
            self.game.kinds.push((KIND.to_string(), ids.to_vec()));
        }
        self.directions = Some(ids);
        ids
    }

    /// Whether the file must be checked again with its own `left` and the like as directions: it uses one of
    /// them as a direction, or has errors otherwise.
    pub(super) fn own_ways_are_directions(&self) -> bool {
        !self.separated.is_empty() && (self.uses_separated || any_error(&self.diagnostics))
    }

    /// Adds the directions to the game if `name` is one and has no other meaning. Returns whether it did.
    pub(super) fn speaks_of_directions(&mut self, name: &str) -> bool {
        let direction = DIRECTIONS.iter().any(|way| way.is_called(name));
        let new = direction && self.directions.is_none() && !self.fields.contains_key(name);
        if new && !self.defines.iter().any(|define| define.name.text == name) {
            self.directions();
            return true;
        }
        false
    }

    /// Records that a symbol is mentioned, and which of its two names a direction is called by.
    pub(super) fn note_symbol(&mut self, name: &str, id: usize) {
        self.symbols_named.insert(id);
        if self.directions.is_some() {
            self.uses_main_names |= DIRECTIONS.iter().any(|way| way.name == name);
            self.uses_alias_names |= DIRECTIONS.iter().any(|way| way.also == Some(name));
        }
    }

    /// Uses `up`, `right`, `down` and `left` as display names if the file says `up` and never `north`.
    pub(super) fn name_directions(&mut self) {
        let Some(ids) = self.directions.filter(|_| self.uses_alias_names && !self.uses_main_names) else {
            return;
        };
        let others = DIRECTIONS.iter().zip(ids).filter_map(|(way, id)| Some((way.also?, id)));
        // If one of these names means something else in the file, all directions keep their main names.
        if others.clone().all(|(also, id)| self.symbols.get(also) == Some(&id)) {
            others.for_each(|(also, id)| self.game.symbols[id] = also.to_string());
        }
    }

    /// Builds a lookup of `value(i)` by direction `i` with the key `d`; reports an error and returns `None`
    /// if `d` is no direction.
    fn by_direction(&mut self, d: &Expr, ty: Type, value: impl Fn(&Self, usize) -> Value) -> Option<Expr> {
        let ids = self.directions();
        let Type::Symbol(may) = &d.ty else { return None };
        self.uses_separated |= !may.is_disjoint(&self.separated);
        let all: BTreeMap<Value, Value> = ids
            .iter()
            .enumerate()
            .filter(|(_, id)| may.contains(id))
            .map(|(i, id)| (Value::Symbol(*id), value(self, i)))
            .collect();
        if all.is_empty() {
            let found = self.words(&d.ty);
            self.report(
                Diagnostic::new(
                    Code::TypeMismatch,
                    d.span,
                    format!("this is {found}, not a direction"),
                    "a direction is needed",
                )
                .help("`north`, `northeast`, `east` and so on are directions; `up`, `right`, `down` and `left` too"),
            );
            return None;
        }
        let map = Type::Map(Box::new(d.ty.clone()), Box::new(ty.clone()));
        let known = of(ExprKind::Value(Value::Map(Arc::new(all))), map, d.span);
        Some(of(ExprKind::Index(boxed(known), boxed(d.clone())), ty, d.span))
    }

    /// Returns the row or column offset of `count` steps (1 if absent) in a direction.
    fn offset(&mut self, d: &Expr, count: Option<&Expr>, part: impl Fn(&Direction) -> i64) -> Option<Expr> {
        let one = self.by_direction(d, Type::Int, |_, i| Value::int(part(&DIRECTIONS[i])))?;
        Some(match count {
            Some(count) => {
                of(ExprKind::Arith(Arith::Mul, boxed(one), boxed(count.clone())), Type::Int, d.span)
            }
            None => one,
        })
    }

    /// Lowers `step`, `wrapped` and `ray` with a direction to the forms with row and column offsets.
    fn lower_step(&mut self, word: Builtin, args: &[Expr], span: Span) -> Expr {
        let [board, square, way @ ..] = args else { return wrong(span) };
        self.bind_once(way, |this, way| {
            let [d, count @ ..] = way else { return wrong(span) };
            let (rows, columns) = (
                this.offset(d, count.first(), |way| way.rows),
                this.offset(d, count.first(), |way| way.columns),
            );
            let (Some(rows), Some(columns)) = (rows, columns) else { return wrong(span) };
            let args = vec![board.clone(), square.clone(), rows, columns];
            let types: Vec<Type> = args.iter().map(|arg| arg.ty.clone()).collect();
            match word.result_type(&types) {
                Some(ty) => of(ExprKind::Builtin(word, args), ty, span),
                None => wrong(span),
            }
        })
    }

    /// Lowers a turn of a direction by `by` eighths to the right.
    fn turned(&mut self, d: &Expr, by: &Expr, span: Span) -> Option<Expr> {
        let ids = self.directions();
        let Type::Symbol(may) = &d.ty else { return None };
        if let ExprKind::Value(Value::Int(n)) = &by.kind {
            let by = n.modulo(&8.into()).and_then(|n| n.as_usize()).unwrap_or(0);
            let to = |i: usize| ids[(i + by) % 8];
            let may = (0..8).filter(|i| may.contains(&ids[*i])).map(to).collect();
            return self.by_direction(d, Type::Symbol(may), |_, i| Value::Symbol(to(i)));
        }
        let number = |n: i64| boxed(of(ExprKind::Value(Value::int(n)), Type::Int, span));
        let arith = |op, a, b| boxed(of(ExprKind::Arith(op, a, b), Type::Int, span));
        let at = boxed(self.by_direction(d, Type::Int, |_, i| Value::int(i))?);
        let turned = arith(Arith::Mod, arith(Arith::Add, at, boxed(by.clone())), number(8));
        let ty = Type::Symbol(ids.into());
        let all = Value::list(ids.into_iter().map(Value::Symbol).collect());
        let all = of(ExprKind::Value(all), Type::List(Box::new(ty.clone())), span);
        Some(of(ExprKind::Index(boxed(all), arith(Arith::Add, turned, number(1))), ty, span))
    }

    /// Lowers `directions(4)` and `directions(8)`.
    fn list_of_directions(&mut self, count: &Expr, span: Span) -> Expr {
        let ids = self.directions();
        let every = |n: usize| Value::list(ids.iter().step_by(n).map(|id| Value::Symbol(*id)).collect());
        let known = [(Value::int(4), every(2)), (Value::int(8), every(1))];
        let found: BTreeSet<SymbolId> = match &count.kind {
            ExprKind::Value(n) if *n == Value::int(4) => ids.iter().step_by(2).copied().collect(),
            _ => ids.into(),
        };
        let ty = Type::List(Box::new(Type::Symbol(found)));
        if let ExprKind::Value(n) = &count.kind {
            return match known.into_iter().find(|(count, _)| count == n) {
                Some((_, list)) => of(ExprKind::Value(list), ty, span),
                None => {
                    self.report(
                        Diagnostic::new(
                            Code::TypeMismatch,
                            count.span,
                            "`directions` takes 4 or 8",
                            "neither 4 nor 8",
                        )
                        .help("write `directions(4)` or `directions(8)`"),
                    );
                    wrong(span)
                }
            };
        }
        let map = Type::Map(Box::new(Type::Int), Box::new(ty.clone()));
        let known = of(ExprKind::Value(Value::Map(Arc::new(known.into()))), map, span);
        of(ExprKind::Index(boxed(known), boxed(count.clone())), ty, span)
    }

    // ---- all functions

    /// Lowers a function of the language that is defined by other IR; `None` for those that are builtins.
    pub(super) fn lower_word(&mut self, name: &str, way: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let lower_step = |this: &mut Self, word| Some(this.lower_step(word, args, span));
        if way.contains('d') {
            self.game.directed.insert(span);
        }
        match (name, way, args) {
            ("square", "nn", [row, column]) => {
                let kind = ExprKind::Square(boxed(row.clone()), boxed(column.clone()));
                Some(of(kind, Type::Square, span))
            }
            ("row" | "column", _, [board, k]) => {
                let lines = if name == "row" { Builtin::Rows } else { Builtin::Columns };
                let ty = Type::List(Box::new(Type::Square));
                let lines = ExprKind::Builtin(lines, vec![board.clone()]);
                let lines = of(lines, Type::List(Box::new(ty.clone())), span);
                Some(of(ExprKind::Index(boxed(lines), boxed(k.clone())), ty, span))
            }
            ("first" | "last", "ln", [list, k]) => Some(self.stretch_at_end(name == "first", list, k, span)),
            ("increasing" | "decreasing", _, [list]) => Some(self.in_order(name == "increasing", list, span)),
            ("filled", _, [board]) => Some(self.filled(board, span)),
            ("step", "gsd" | "gsdn", _) => lower_step(self, Builtin::Step),
            ("wrapped", "gsd" | "gsdn", _) => lower_step(self, Builtin::Wrapped),
            ("ray", "gsd", _) => lower_step(self, Builtin::Ray),
            ("reversed", "d", [d]) => {
                let half = of(ExprKind::Value(Value::int(4)), Type::Int, span);
                Some(self.turned(d, &half, span).unwrap_or_else(|| wrong(span)))
            }
            ("turned", _, [d, by]) => Some(self.turned(d, by, span).unwrap_or_else(|| wrong(span))),
            ("directions", _, [count]) => Some(self.list_of_directions(count, span)),
            _ => None,
        }
    }

    /// Lowers `filled`: the squares of a board that are not empty.
    fn filled(&mut self, board: &Expr, span: Span) -> Expr {
        let ty = Type::List(Box::new(Type::Square));
        let Type::Grid(holds) = &board.ty else { return wrong(span) };
        if !matches!(**holds, Type::Optional(_)) {
            return of(ExprKind::Builtin(Builtin::Squares, vec![board.clone()]), ty, span);
        }
        self.bind_once(std::slice::from_ref(board), |this, board| {
            let slot = this.frame.slot();
            let square = of(ExprKind::Local(slot), Type::Square, span);
            let there = ExprKind::Index(boxed(board[0].clone()), boxed(square.clone()));
            let empty = of(ExprKind::IsNone(boxed(of(there, (**holds).clone(), span))), Type::Bool, span);
            let filter = Some(of(ExprKind::Not(boxed(empty)), Type::Bool, span));
            let sources = vec![Source { slots: vec![slot], domain: Domain::Values(board[0].clone()) }];
            let fold = Fold { kind: FoldKind::List, sources, filter, stop: None, body: square };
            of(ExprKind::Fold(Box::new(fold)), ty, span)
        })
    }

    /// Builds an expression that reads some values more than once but evaluates each only once.
    pub(super) fn bind_once(
        &mut self,
        values: &[Expr],
        body: impl FnOnce(&mut Self, &[Expr]) -> Expr,
    ) -> Expr {
        let mut sources = Vec::new();
        let mut names = Vec::new();
        for value in values {
            let at_hand = match &value.kind {
                ExprKind::Own(_, owner) => matches!(owner.kind, ExprKind::Local(_)),
                ExprKind::Value(_)
                | ExprKind::Local(_)
                | ExprKind::Option(_)
                | ExprKind::Constant(_)
                | ExprKind::Table(_) => true,
                _ => false,
            };
            if at_hand {
                names.push(value.clone());
                continue;
            }
            // `first(x in [value]: body)`
            let slot = self.frame.slot();
            let list = Type::List(Box::new(value.ty.clone()));
            let one = Domain::Values(of(ExprKind::List(vec![value.clone()]), list, value.span));
            sources.push(Source { slots: vec![slot], domain: one });
            names.push(of(ExprKind::Local(slot), value.ty.clone(), value.span));
        }
        let body = body(self, &names);
        if sources.is_empty() {
            return body;
        }
        let (ty, span) = (body.ty.clone(), body.span);
        let fold = Fold { kind: FoldKind::First, sources, filter: None, stop: None, body };
        of(ExprKind::Fold(Box::new(fold)), ty, span)
    }

    /// Returns a grid of the file, as it is written in a move, whose squares hold values of a wanted type.
    pub(super) fn grid_of(&self, wanted: impl Fn(&Type) -> bool) -> Option<String> {
        self.game.state.iter().find_map(|state| match state.form.ty() {
            Type::Grid(of) if wanted(&of) && state.per_player => Some(format!("me.{}", state.name)),
            Type::Grid(of) if wanted(&of) => Some(state.name.clone()),
            _ => None,
        })
    }

    /// Returns advice for a square at a place where what stands on it is meant: a value of type `wanted`.
    pub(super) fn on_square(&self, found: &Type, span: Span, wanted: &Type) -> Option<String> {
        if *found != Type::Square {
            return None;
        }
        let grid = self.grid_of(|of| *of != Type::Wrong && of.join(wanted).is_some())?;
        Some(format!("`{grid}[{}]` is what stands on that square", self.written(span)))
    }
}

/// Suggests which part of a square is meant by a name that is none.
pub(super) fn suggest_part(report: Diagnostic, name: &str) -> Diagnostic {
    let part = match name {
        "x" | "col" | "c" | "file" => "column",
        "y" | "r" | "rank" => "row",
        _ => return report.suggest(name, ["row", "column"]),
    };
    // Both together may stand for the square itself, or for a place that begins with the row.
    report.help(format!("write `{part}`")).likely_fix(part)
}
