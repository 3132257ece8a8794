//! Static facts about values: ranges, sizes, and squares known to lie on a grid. All passes get their facts
//! here.
//!
//! Facts hold in every position of a match: they derive from declarations, options and the domains of values,
//! never from the current state.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::fact::{Fact, Scope, UNBOUNDED};
use crate::eval::{Machine, Position, elements};
use crate::ir::{
    Arith, Bound, Builtin, Change, Domain, Expr, ExprKind, Fold, FoldKind, Form, Game, Live, Move,
    ResultFact, Slot, Source, StateId, Type, Value, bound_slots, changes, children, expr_text,
};

/// The most elements of a known list for which each is described by itself.
const MAX_PARTS: i128 = 16;

/// The facts about a game whose options and number of players are fixed.
#[derive(Debug)]
pub struct Facts<'m> {
    pub(super) machine: &'m Machine,
    pub(super) blank: &'m Position,
    /// The slots that may be read before they are written.
    pub(super) maybe_unset: BTreeSet<Slot>,
    /// The state variables from which the rules remove elements.
    shrinking: BTreeSet<StateId>,
    /// A cache of facts about constant lines and squares, by the text of the expression.
    lines: RefCell<BTreeMap<String, Fact>>,
}

impl<'m> Facts<'m> {
    /// Creates the facts of a game; `blank` is a position before the start.
    pub fn new(machine: &'m Machine, blank: &'m Position) -> Facts<'m> {
        let unsure = Live::of(&machine.game).at(0).clone();
        let taken =
            machine.game.code.iter().flat_map(changes).filter(|(_, change)| *change == Change::Remove);
        let shrinking = taken.map(|(place, _)| place.state).collect();
        Facts { machine, blank, maybe_unset: unsure, shrinking, lines: RefCell::default() }
    }

    /// Returns the game.
    pub fn game(&self) -> &Game {
        &self.machine.game
    }

    /// Evaluates an expression that depends only on options, constants and players; `None` if it depends on
    /// anything else, or fails.
    pub fn value(&self, e: &Expr) -> Option<Value> {
        if !self.is_constant(e, &mut Vec::new()) {
            return None;
        }
        let mut frame = vec![Value::Unset; highest_slot(e) + 1];
        self.machine.ask(self.blank, |env| env.eval(e, &mut frame)).ok()
    }

    /// Whether an expression cannot change during a match; `bound` are the slots bound around it.
    fn is_constant(&self, e: &Expr, bound: &mut Vec<Slot>) -> bool {
        match &e.kind {
            ExprKind::Local(slot) => bound.contains(slot),
            ExprKind::Table(_)
            | ExprKind::Own(..)
            | ExprKind::Standing
            | ExprKind::IsIn(_)
            | ExprKind::Score(_)
            | ExprKind::Call(..)
            | ExprKind::Text(_) => false,
            // The lines of a grid do not depend on its contents.
            ExprKind::Builtin(builtin, args)
                if builtin.traits().of_shape && is_grid_state(self.machine, &args[0]) =>
            {
                args[1..].iter().all(|arg| self.is_constant(arg, bound))
            }
            _ => {
                let own = bound_slots(e);
                let outer = bound.len();
                bound.extend(own);
                let mut all = true;
                children(e, &mut |part| all = all && self.is_constant(part, bound));
                bound.truncate(outer);
                all
            }
        }
    }

    // ---- facts about values

    /// Returns the facts about a constant.
    pub fn of_value(&self, value: &Value) -> Fact {
        match value {
            Value::Int(n) => match n.as_i64() {
                Some(n) => Fact::int(n.into(), n.into()),
                None => Fact { optional: false, ..Fact::default() },
            },
            Value::Player(seat) => Fact::int(*seat as i128, *seat as i128),
            Value::Square(at) => Fact::square(at.row.into(), at.column.into()),
            Value::List(_) | Value::Set(_) | Value::Bag(_) | Value::Map(_) => {
                let items = elements(value);
                let count = items.len() as i128;
                let known = items.iter().take(1 << 12).map(|item| self.of_value(item));
                match value {
                    // It may be a tuple.
                    Value::List(_) if count <= MAX_PARTS => Fact::tuple(known),
                    _ if count > 1 << 12 => Fact::collection(count, count, Fact::default()),
                    _ => {
                        let element = known.reduce(|a, b| a.join(&b)).unwrap_or_default();
                        Fact::collection(count, count, element)
                    }
                }
            }
            Value::Grid(grid) => {
                let (rows, columns) = (grid.rows.into(), grid.columns.into());
                Fact::collection(rows * columns, rows * columns, Fact::square(rows, columns))
            }
            Value::None | Value::Unset => Fact::default(),
            Value::Bool(b) => Fact::int(i128::from(*b), i128::from(*b)),
            Value::Symbol(id) => Fact::int(*id as i128, *id as i128),
            Value::Text(_) => Fact { optional: false, ..Fact::default() },
        }
    }

    /// Returns the facts implied by a type.
    pub fn of_type(&self, ty: &Type) -> Fact {
        match ty {
            Type::Player => Fact::int(0, self.machine.setup.players as i128 - 1),
            Type::Bool => Fact::int(0, 1),
            Type::Symbol(ids) => match (ids.first(), ids.last()) {
                (Some(first), Some(last)) => Fact::int(*first as i128, *last as i128),
                _ => Fact::default(),
            },
            Type::List(of) | Type::Set(of) | Type::Bag(of) => {
                Fact::collection(0, UNBOUNDED, self.of_type(of))
            }
            Type::Map(key, _) => Fact::collection(0, UNBOUNDED, self.of_type(key)),
            Type::Tuple(parts) => Fact::tuple(parts.iter().map(|part| self.of_type(part))),
            Type::Optional(_) | Type::Either(..) | Type::Wrong | Type::Never => Fact::default(),
            _ => Fact { optional: false, ..Fact::default() },
        }
    }

    /// Returns the facts about a written value of a declared form.
    pub(super) fn of_form(&self, form: &Form) -> Fact {
        match form {
            Form::Range(low, high) => match (self.value(low), self.value(high)) {
                (Some(low), Some(high)) => {
                    Fact::int(self.of_value(&low).range.0, self.of_value(&high).range.1)
                }
                _ => self.of_type(&Type::Int),
            },
            Form::AtLeast(low) => match self.value(low) {
                Some(low) => Fact::int(self.of_value(&low).range.0, UNBOUNDED),
                None => self.of_type(&Type::Int),
            },
            Form::Optional(of) => Fact { optional: true, ..self.of_form(of) },
            Form::List(bound, of) => {
                let most = bound.as_ref().and_then(|(_, size)| self.value(size));
                let most = most.map_or(UNBOUNDED, |size| self.of_value(&size).range.1);
                let least = if matches!(bound, Some((Bound::Exactly, _))) { most } else { 0 };
                Fact::collection(least, most, self.of_form(of))
            }
            Form::Set(of) => {
                let element = self.of_form(of);
                Fact::collection(0, element.values(), element)
            }
            Form::Bag(of) => Fact::collection(0, UNBOUNDED, self.of_form(of)),
            Form::Grid(rows, columns, _) => match (self.value(rows), self.value(columns)) {
                (Some(rows), Some(columns)) => {
                    let (rows, columns) = (self.of_value(&rows).range.0, self.of_value(&columns).range.0);
                    Fact::collection(rows * columns, rows * columns, Fact::square(rows, columns))
                }
                _ => Fact::collection(0, UNBOUNDED, Fact { optional: false, ..Fact::default() }),
            },
            Form::Map(_, key) => Fact::collection(0, UNBOUNDED, self.of_form(key)),
            Form::Tuple(parts) => Fact::tuple(parts.iter().map(|part| self.of_form(part))),
            form => self.of_type(&form.ty()),
        }
    }
}

impl Facts<'_> {
    /// Returns the facts about the value of an expression, provided that it evaluates without failing.
    pub fn of(&self, e: &Expr, scope: &Scope) -> Fact {
        let fact = self.of_kind(e, scope);
        if scope.expr_facts.is_empty() || matches!(e.kind, ExprKind::Local(_) | ExprKind::Value(_)) {
            return fact;
        }
        scope.expr_facts.get(&expr_text(self.game(), e)).cloned().unwrap_or(fact)
    }

    /// Whether an integer is positive for certain.
    pub(super) fn is_positive(&self, e: &Expr, scope: &Scope) -> bool {
        self.of(e, scope).range.0 > 0
    }

    /// Records a stronger fact about the value of an expression.
    pub(super) fn record(&self, e: &Expr, fact: Fact, scope: &mut Scope) {
        match &e.kind {
            ExprKind::Local(slot) => scope.insert(*slot, fact),
            _ => drop(scope.expr_facts.insert(expr_text(self.game(), e), fact)),
        }
    }

    fn of_kind(&self, e: &Expr, scope: &Scope) -> Fact {
        match &e.kind {
            ExprKind::Value(value) => self.of_value(value),
            ExprKind::Option(id) => self.of_value(&self.machine.setup.options[*id]),
            ExprKind::Constant(id) => self.of_value(&self.machine.setup.constants[*id]),
            ExprKind::Local(slot) => scope.slots.get(slot).cloned().unwrap_or_else(|| self.of_type(&e.ty)),
            ExprKind::Table(id) | ExprKind::Own(id, _) => self.of_state(*id),
            ExprKind::Players => {
                let players = self.machine.setup.players as i128;
                Fact::collection(players, players, self.of_type(&Type::Player))
            }
            ExprKind::Negative(a) => {
                let (low, high) = self.of(a, scope).range;
                Fact::int(-high, -low)
            }
            ExprKind::Arith(op, a, b) => arithmetic(*op, self.of(a, scope).range, self.of(b, scope).range),
            ExprKind::If(arms, otherwise) => {
                let (mut before, mut all) = (scope.clone(), None::<Fact>);
                let mut add = |fact: Fact| all = Some(all.take().map_or(fact.clone(), |all| all.join(&fact)));
                for (cond, value) in arms {
                    let mut here = before.clone();
                    self.assume(cond, true, &mut here);
                    add(self.of(value, &here));
                    self.assume(cond, false, &mut before);
                }
                add(self.of(otherwise, &before));
                all.unwrap_or_default()
            }
            ExprKind::Let(slots, value, body) => {
                let mut scope = scope.clone();
                self.bind(slots, value, &mut scope);
                self.of(body, &scope)
            }
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                let count = parts.len() as i128;
                let element = parts.iter().map(|part| self.of(part, scope)).reduce(|a, b| a.join(&b));
                let least = if matches!(e.kind, ExprKind::List(_)) { count } else { count.min(1) };
                Fact::collection(least, count, element.unwrap_or_default())
            }
            ExprKind::Square(row, column) => {
                let (row, column) = (self.of(row, scope).range, self.of(column, scope).range);
                match row.0 >= 1 && column.0 >= 1 {
                    true => Fact::square(row.1, column.1),
                    false => Fact { optional: false, ..Fact::default() },
                }
            }
            ExprKind::Tuple(parts) => Fact::tuple(parts.iter().map(|part| self.of(part, scope))),
            ExprKind::Part(of, at) => {
                let (own, part) = (self.of_type(&e.ty), self.of(of, scope).part_fact(*at));
                let range = (own.range.0.max(part.range.0), own.range.1.min(part.range.1));
                Fact { range, optional: own.optional && part.optional, ..part }
            }
            ExprKind::Index(base, _) => self.stored(base, scope).unwrap_or_else(|| self.of_type(&e.ty)),
            ExprKind::Pick(base, at) => {
                let places = self.of(at, scope);
                let element = self.stored(base, scope).unwrap_or_default();
                Fact::collection(places.size.0, places.size.1, element)
            }
            ExprKind::With(base, _, value) => match self.of(base, scope) {
                Fact { size, element: Some(element), .. } if matches!(e.ty, Type::List(_)) => {
                    Fact::collection(size.0, size.1, element.join(&self.of(value, scope)))
                }
                _ => self.of_type(&e.ty),
            },
            ExprKind::Listed(domain) => {
                let (least, most) = self.count(domain, scope);
                Fact::collection(least, most, self.of_domain(domain, scope))
            }
            ExprKind::Fold(fold) => self.of_fold(fold, &e.ty, scope),
            ExprKind::Builtin(builtin, args) => self.of_builtin(*builtin, args, &e.ty, scope),
            _ => self.of_type(&e.ty),
        }
    }

    pub(super) fn of_state(&self, id: StateId) -> Fact {
        let fact = self.of_form(&self.machine.game.state[id].form);
        match self.shrinking.contains(&id) {
            true => Fact { size: (0, fact.size.1), ..fact },
            false => fact,
        }
    }

    /// Returns the facts about the values stored in a collection, at any index.
    pub(super) fn stored(&self, base: &Expr, scope: &Scope) -> Option<Fact> {
        match (&base.kind, &base.ty) {
            (ExprKind::Table(id) | ExprKind::Own(id, _), _) => match &self.machine.game.state[*id].form {
                Form::Grid(_, _, of) | Form::Map(of, _) | Form::List(_, of) => Some(self.of_form(of)),
                _ => None,
            },
            (_, Type::List(_)) => Some(self.of(base, scope).element_fact()),
            (ExprKind::Value(Value::Map(map)), _) => {
                map.values().map(|value| self.of_value(value)).reduce(|a, b| a.join(&b))
            }
            _ => None,
        }
    }

    /// Returns the facts about each element of a domain.
    pub fn of_domain(&self, domain: &Domain, scope: &Scope) -> Fact {
        match domain {
            Domain::Ints => self.of_type(&Type::Int),
            Domain::AtLeast(low) => Fact::int(self.of(low, scope).range.0, UNBOUNDED),
            Domain::Range(low, high) => {
                let fact = Fact::int(self.of(low, scope).range.0, self.of(high, scope).range.1);
                match &high.kind {
                    ExprKind::Builtin(Builtin::Size, args) => {
                        Fact { index_into: Some(expr_text(self.game(), &args[0]).into()), ..fact }
                    }
                    _ => fact,
                }
            }
            Domain::Values(e) => self.of(e, scope).element_fact(),
            Domain::Permutations(e) => {
                let all = self.of(e, scope);
                Fact::collection(all.size.0, all.size.1, all.element_fact())
            }
            Domain::Arrangements(count, of) | Domain::Lists(count, of) => {
                let size = self.of(count, scope).range;
                Fact::collection(size.0, size.1, self.of_domain(of, scope))
            }
            Domain::ListsFrom(low, high, of) => {
                let high = high.as_ref().map_or(UNBOUNDED, |high| self.of(high, scope).range.1);
                Fact::collection(self.of(low, scope).range.0, high, self.of_domain(of, scope))
            }
            Domain::Where(_, of, _) => self.of_domain(of, scope),
            Domain::Subsets(of, size) => {
                let all = self.of(of, scope);
                let size = size.as_ref().map_or((0, all.size.1), |size| self.of(size, scope).range);
                Fact::collection(size.0, size.1, all.element_fact())
            }
            Domain::SubsetsFrom(low, high, of) => {
                let all = self.of(of, scope);
                let high = high.as_ref().map_or(UNBOUNDED, |high| self.of(high, scope).range.1);
                let low = self.of(low, scope).range.0.max(0);
                Fact::collection(low, high.min(all.size.1), all.element_fact())
            }
            Domain::Tuples(parts) => Fact::tuple(parts.iter().map(|part| self.of_domain(part, scope))),
        }
    }

    /// Returns the minimum and maximum number of elements of a domain.
    pub fn count(&self, domain: &Domain, scope: &Scope) -> (i128, i128) {
        match domain {
            Domain::Range(low, high) => {
                let (low, high) = (self.of(low, scope).range, self.of(high, scope).range);
                ((high.0 - low.1 + 1).max(0), (high.1 - low.0 + 1).clamp(0, UNBOUNDED))
            }
            Domain::Values(e) => self.of(e, scope).size,
            Domain::Tuples(parts) => parts.iter().fold((1, 1), |(least, most): (i128, i128), part| {
                let (a, b) = self.count(part, scope);
                (least.saturating_mul(a).min(UNBOUNDED), most.saturating_mul(b).min(UNBOUNDED))
            }),
            Domain::Where(_, of, _) => (0, self.count(of, scope).1),
            Domain::Lists(size, of) | Domain::Arrangements(size, of) => {
                // Equal values count once.
                let most = self.count(of, scope).1.min(self.of_domain(of, scope).values());
                let longest = self.of(size, scope).range.1.clamp(0, 64);
                let fewer = |used: i128| if let Domain::Lists(..) = domain { 0 } else { used };
                // An empty row is always there.
                let rows =
                    |all: i128, used: i128| all.max(all.saturating_mul(most - fewer(used))).min(UNBOUNDED);
                (0, (0..longest).fold(1, rows))
            }
            Domain::ListsFrom(low, Some(high), of) => {
                let most = self.count(of, scope).1.min(self.of_domain(of, scope).values());
                let shortest = self.of(low, scope).range.0.max(0);
                let longest = self.of(high, scope).range.1.clamp(-1, 64);
                let mut rows = 1i128;
                let mut all = 0i128;
                for length in 0..=longest {
                    if length >= shortest {
                        all = all.saturating_add(rows).min(UNBOUNDED);
                    }
                    rows = rows.saturating_mul(most).min(UNBOUNDED);
                }
                (0, all)
            }
            Domain::Subsets(of, size) => {
                let most = self.of(of, scope).size.1;
                let all = if most < 64 { 1i128 << most } else { UNBOUNDED };
                let sized = size.as_ref().map(|size| self.of(size, scope).range);
                let known = sized.filter(|(least, longest)| least == longest && (0..=64).contains(longest));
                (0, known.map_or(all, |(_, size)| choices(most, size)).min(all))
            }
            Domain::SubsetsFrom(low, high, of) => {
                let most = self.of(of, scope).size.1;
                let all = if most < 64 { 1i128 << most } else { UNBOUNDED };
                let high =
                    high.as_ref().map_or(UNBOUNDED, |high| self.of(high, scope).range.1).min(most).min(64);
                let sizes = self.of(low, scope).range.0.max(0)..=high;
                (0, sizes.fold(0, |sum: i128, size| sum.saturating_add(choices(most, size)).min(all)))
            }
            _ => (0, UNBOUNDED),
        }
    }

    /// Returns the maximum number of values of the domain of a parameter of a move; `None` if it is unbounded.
    pub fn most_values(&self, mv: &Move, domain: &Domain) -> Option<i64> {
        let most = self.count(domain, &self.of_move(mv)).1;
        i64::try_from(most).ok().filter(|most| i128::from(*most) < UNBOUNDED)
    }

    /// Returns the maximum number of rows of arguments of a move before any need is tested; `None` if it is
    /// unbounded.
    pub fn most_rows(&self, mv: &Move) -> Option<i64> {
        let scope = self.of_move(mv);
        let most = |domain: &Domain| {
            let (_, count) = self.count(domain, &scope);
            // Equal values count once.
            count.min(self.of_domain(domain, &scope).values())
        };
        let domains = mv.params.iter().filter_map(|param| param.domain.as_ref());
        let all = domains.fold(1i128, |all, domain| all.saturating_mul(most(domain)));
        i64::try_from(all).ok().filter(|all| i128::from(*all) < UNBOUNDED)
    }

    /// Returns the keys of a map or the squares of a grid of the state, which never change; `None` of other
    /// expressions.
    pub fn keys(&self, keyed: &Expr) -> Option<Vec<Value>> {
        let (ExprKind::Table(id) | ExprKind::Own(id, _)) = &keyed.kind else { return None };
        match &self.blank.cells[self.machine.setup.bases[*id]] {
            Value::Map(map) => Some(map.keys().cloned().collect()),
            Value::Grid(grid) => Some(grid.squares().map(Value::Square).collect()),
            _ => None,
        }
    }

    /// Records the facts about the slots bound by a `let`.
    pub fn bind(&self, slots: &[Slot], value: &Expr, scope: &mut Scope) {
        scope.bind_slots(slots, self.of(value, scope));
    }

    /// Records the facts about the slots bound by a source of a fold, given by its number from 0.
    pub fn enter(&self, fold: &Fold, source: usize, scope: &mut Scope) {
        let Source { slots, domain } = &fold.sources[source];
        let fact = match fold.kind {
            // They stand for what is reached, too, not only for what it starts from.
            FoldKind::Reach => self.of_reached(fold, scope),
            _ => self.of_domain(domain, scope),
        };
        scope.bind_slots(slots, fact);
    }

    /// Returns the facts about each element that is reached: it is one to start from, or one of the body for any that is
    /// reached. So they are a fixpoint; ranges that keep growing are widened until they no longer do, and then narrowed
    /// (P. Cousot, R. Cousot, Abstract Interpretation, 1977).
    fn of_reached(&self, fold: &Fold, scope: &Scope) -> Fact {
        const ROUNDS: usize = 3;
        let Some(Source { slots, domain }) = fold.sources.first() else { return Fact::default() };
        let start = self.of_domain(domain, scope);
        let next = |reached: &Fact| {
            let mut inner = scope.clone();
            inner.bind_slots(slots, reached.clone());
            if let Some(filter) = &fold.filter {
                self.assume(filter, true, &mut inner);
            }
            start.join(&self.of(&fold.body, &inner).element_fact())
        };
        let mut reached = start.clone();
        for _ in 0..ROUNDS {
            let grown = reached.join(&next(&reached));
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
        let grown = reached.join(&next(&reached));
        let low = if grown.range.0 < reached.range.0 { -UNBOUNDED } else { reached.range.0 };
        let high = if grown.range.1 > reached.range.1 { UNBOUNDED } else { reached.range.1 };
        let widened = Fact { range: (low, high), ..grown };
        let narrowed = next(&widened);
        match widened.join(&narrowed) == widened {
            true => narrowed,
            false => self.of_type(&fold.body.ty.element().unwrap_or(Type::Wrong)),
        }
    }

    /// Returns the facts about the arguments of a move.
    pub fn of_move(&self, mv: &Move) -> Scope {
        let mut scope = Scope::default();
        scope.insert(mv.me, self.of_type(&Type::Player));
        for param in &mv.params {
            let fact = match &param.domain {
                Some(domain) => self.of_domain(domain, &scope),
                None => self.of_type(&param.ty),
            };
            scope.insert(param.slot, fact);
        }
        scope
    }

    fn of_fold(&self, fold: &Fold, ty: &Type, scope: &Scope) -> Fact {
        let mut inner = scope.clone();
        let (mut least, mut most) = (1i128, 1i128);
        for (number, source) in fold.sources.iter().enumerate() {
            let (a, b) = self.count(&source.domain, &inner);
            (least, most) = (least.saturating_mul(a), most.saturating_mul(b).min(UNBOUNDED));
            self.enter(fold, number, &mut inner);
        }
        if fold.filter.is_some() || fold.stop.is_some() {
            least = 0;
        }
        if let Some(filter) = &fold.filter {
            self.assume(filter, true, &mut inner);
        }
        let body = || self.of(&fold.body, &inner);
        match fold.kind {
            FoldKind::Count => Fact::int(0, most),
            FoldKind::Sum => sum(body().range, most),
            FoldKind::Largest | FoldKind::Smallest | FoldKind::First => body(),
            FoldKind::List | FoldKind::Bag => Fact::collection(least, most, body()),
            FoldKind::Set => Fact::collection(least.min(1), most, body()),
            FoldKind::Reach => Fact::collection(0, UNBOUNDED, self.of_reached(fold, scope)),
            _ => self.of_type(ty),
        }
    }

    /// Returns the facts about constant lines and squares.
    fn of_lines(&self, builtin: Builtin, args: &[Expr], ty: &Type) -> Option<Fact> {
        let kind = ExprKind::Builtin(builtin, args.to_vec());
        let e = Expr { kind, ty: ty.clone(), span: args.first()?.span };
        let text = expr_text(self.game(), &e);
        if let Some(fact) = self.lines.borrow().get(&text) {
            return Some(fact.clone());
        }
        let fact = self.of_value(&self.value(&e)?);
        self.lines.borrow_mut().insert(text, fact.clone());
        Some(fact)
    }

    fn of_builtin(&self, builtin: Builtin, args: &[Expr], ty: &Type, scope: &Scope) -> Fact {
        let traits = builtin.traits();
        if traits.of_shape
            && let Some(fact) = self.of_lines(builtin, args, ty)
        {
            return fact;
        }
        let of = |at: usize| args.get(at).map(|arg| self.of(arg, scope)).unwrap_or_default();
        let grid = || of(0).element_fact();
        let ranges = || args.iter().map(|arg| self.of(arg, scope).range);
        let int = |range: Option<(i128, i128)>| range.map_or_else(Fact::default, |r| Fact::int(r.0, r.1));
        match traits.known {
            ResultFact::Between(low, high) => Fact::int(low.into(), high.into()),
            ResultFact::Natural | ResultFact::Divides => Fact::int(0, UNBOUNDED),
            ResultFact::Magnitude => {
                let (low, high) = of(0).range;
                Fact::int(if low > 0 { low } else { 0 }, low.abs().max(high.abs()))
            }
            ResultFact::Root | ResultFact::Bits if of(0).range.1 >= UNBOUNDED => Fact::int(0, UNBOUNDED),
            ResultFact::Root => Fact::int(0, of(0).range.1.max(0).isqrt()),
            ResultFact::Bits => Fact::int(0, (i128::BITS - of(0).range.1.max(0).leading_zeros()).into()),
            ResultFact::Least => int(ranges().reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)))),
            ResultFact::Most => int(ranges().reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))),
            ResultFact::Size => Fact::int(of(0).size.0, of(0).size.1),
            ResultFact::Copies => Fact::int(0, of(1).size.1),
            ResultFact::Sum => sum(of(0).element_fact().range, of(0).size.1),
            ResultFact::Row => {
                of(0).board_size.map_or_else(|| self.of_type(ty), |(rows, _)| Fact::int(1, rows))
            }
            ResultFact::Column => {
                of(0).board_size.map_or_else(|| self.of_type(ty), |(_, columns)| Fact::int(1, columns))
            }
            ResultFact::SeatNumber => Fact::int(1, self.machine.setup.players as i128),
            ResultFact::Others => {
                let others = self.machine.setup.players as i128 - 1;
                Fact::collection(others, others, self.of_type(&Type::Player))
            }
            ResultFact::Present => Fact { optional: false, ..of(0) },
            ResultFact::Element => of(0).element_fact(),
            ResultFact::All => of(0),
            ResultFact::Different => Fact { size: (of(0).size.0.min(1), of(0).size.1), ..of(0) },
            ResultFact::SomeOf | ResultFact::Shared => Fact { size: (0, of(0).size.1), ..of(0) },
            ResultFact::Joined => {
                let (a, b) = (of(0), of(1));
                Fact { size: (a.size.0.max(b.size.0), (a.size.1 + b.size.1).min(UNBOUNDED)), ..a.join(&b) }
            }
            ResultFact::Repeated => Fact::collection(of(0).range.0, of(0).range.1, of(1)),
            ResultFact::Following => Fact::collection(of(2).range.0, of(2).range.1, of(1).element_fact()),
            ResultFact::Positions => Fact::collection(0, of(1).size.1, Fact::int(1, of(1).size.1)),
            ResultFact::Counts => {
                let (least, most) = of(0).size;
                Fact::collection(least.min(1), most, Fact::int(1, most))
            }
            ResultFact::Step => Fact { optional: true, ..grid() },
            ResultFact::Square => grid(),
            ResultFact::Near(most) => Fact::collection(0, of(0).size.1.min(most.into()), grid()),
            ResultFact::Line | ResultFact::Squares => Fact::collection(0, of(0).size.1, grid()),
            ResultFact::Rows | ResultFact::Columns | ResultFact::Lines | ResultFact::Parts => {
                Fact::collection(0, UNBOUNDED, Fact::collection(1, of(0).size.1, grid()))
            }
            ResultFact::Pairs => {
                let (all, pairs) = (of(0), |n: i128| n.saturating_mul(n - 1) / 2);
                let element = || all.element_fact();
                let pair = Fact::tuple([element(), element()].into_iter());
                Fact::collection(pairs(all.size.0), pairs(all.size.1), pair)
            }
            ResultFact::Divisors => {
                let (low, high) = of(0).range;
                let most = low.abs().max(high.abs());
                Fact::collection(0, most, Fact::int(1, most))
            }
            ResultFact::Digits => {
                let base = if args.len() > 1 { of(1).range } else { (10, 10) };
                digits(of(0).range, base)
            }
            ResultFact::Type | ResultFact::Factors => self.of_type(ty),
        }
    }
}

/// Returns what is known of the digits of a number: how many there are, and how large they are.
fn digits((low, high): (i128, i128), base: (i128, i128)) -> Fact {
    if low < 0 || base.0 < 2 {
        return Fact::collection(1, UNBOUNDED, Fact::int(0, UNBOUNDED));
    }
    let many = |n: i128, base: i128| i128::from(n.checked_ilog(base).unwrap_or(0)) + 1;
    let most = if high < UNBOUNDED { many(high, base.0) } else { UNBOUNDED };
    Fact::collection(many(low, base.1), most, Fact::int(0, (base.1 - 1).min(high)))
}

/// Returns the range of a sum of at most `most` integers from a range.
fn sum((low, high): (i128, i128), most: i128) -> Fact {
    Fact::int(low.saturating_mul(most).min(0), high.saturating_mul(most).max(0))
}

/// Whether an expression is a state variable, shared or of a certain player, that holds a grid of fixed size.
pub fn is_grid_state(machine: &Machine, e: &Expr) -> bool {
    let id = match &e.kind {
        ExprKind::Table(id) => id,
        ExprKind::Own(id, owner) if matches!(owner.kind, ExprKind::Value(Value::Player(_))) => id,
        _ => return false,
    };
    matches!(machine.game.state[*id].form, Form::Grid(..))
}

fn arithmetic(op: Arith, (al, ah): (i128, i128), (bl, bh): (i128, i128)) -> Fact {
    match op {
        Arith::Add => Fact::int(al + bl, ah + bh),
        Arith::Sub => Fact::int(al - bh, ah - bl),
        Arith::Mul => {
            let far = |a: i128, b: i128| a.saturating_mul(b);
            let ends = [far(al, bl), far(al, bh), far(ah, bl), far(ah, bh)];
            let (low, high) =
                ends.iter().fold((UNBOUNDED, -UNBOUNDED), |(low, high), end| (low.min(*end), high.max(*end)));
            Fact::int(low, high)
        }
        Arith::Mod if bl > 0 && al >= 0 => Fact::int(0, (bh - 1).min(ah)),
        Arith::Mod if bl > 0 => Fact::int(0, bh - 1),
        Arith::Div if bl > 0 => {
            let by = |n: i128| match n.abs() < UNBOUNDED {
                true => [n.div_euclid(bl), n.div_euclid(bh)],
                false => [n, n.signum()],
            };
            let ends = [by(al), by(ah)].concat();
            let low = ends.iter().copied().min().unwrap_or(-UNBOUNDED);
            Fact::int(low, ends.into_iter().max().unwrap_or(UNBOUNDED))
        }
        _ => Fact { optional: false, ..Fact::default() },
    }
}

/// Returns the highest slot that an expression reads or binds.
fn highest_slot(e: &Expr) -> Slot {
    let mut highest = bound_slots(e).into_iter().max().unwrap_or(0);
    fn walk(e: &Expr, highest: &mut Slot) {
        if let ExprKind::Local(slot) = &e.kind {
            *highest = (*highest).max(*slot);
        }
        children(e, &mut |part| walk(part, highest));
    }
    walk(e, &mut highest);
    highest
}

/// Returns the number of choices of so many of `all` elements; each partial product is such a number too.
fn choices(all: i128, size: i128) -> i128 {
    (0..size).fold(1i128, |found, used| found.saturating_mul((all - used).max(0)) / (used + 1))
}
