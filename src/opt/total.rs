//! Totality analysis: proves that evaluating an expression cannot fail, because what it reads is written, in
//! range, on the grid and present.

use super::fact::{Fact, Scope, UNBOUNDED};
use super::facts::Facts;
use crate::eval::MAX_ELEMENTS;
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, FailsWhen, Fold, FoldKind, Form, Scoring, StateId,
    SymbolId, Type, Value, children, domain_parts, expr_text,
};

impl Facts<'_> {
    /// Whether evaluating an expression can never fail, at any point of a match. Running out of evaluation
    /// steps does not count as a failure, since passes never increase the number of steps.
    pub fn total(&self, e: &Expr, scope: &Scope) -> bool {
        let parts = || {
            let mut all = true;
            children(e, &mut |part| all = all && self.total(part, scope));
            all
        };
        match &e.kind {
            ExprKind::Value(_)
            | ExprKind::Option(_)
            | ExprKind::Constant(_)
            | ExprKind::Players
            | ExprKind::Standing => true,
            ExprKind::Local(slot) => scope.slots.contains_key(slot) || !self.maybe_unset.contains(slot),
            ExprKind::Table(id) => self.always_written(*id) && self.is_present(e, scope),
            ExprKind::Own(id, owner) => {
                self.always_written(*id) && self.is_seat(owner, scope) && self.is_present(e, scope)
            }
            ExprKind::IsIn(who) => self.is_seat(who, scope),
            ExprKind::Score(who) => {
                matches!(self.machine.game.scoring, Scoring::None | Scoring::Awards)
                    && self.is_seat(who, scope)
            }
            ExprKind::Arith(Arith::Div | Arith::Mod, _, b) => {
                let (low, high) = self.of(b, scope).range;
                (low > 0 || high < 0) && parts()
            }
            ExprKind::Arith(Arith::Pow, ..) | ExprKind::Text(_) | ExprKind::Call(..) => false,
            ExprKind::Arith(Arith::Mul, a, b) => {
                let bounded = |range: (i128, i128)| range.0 > -UNBOUNDED && range.1 < UNBOUNDED;
                bounded(self.of(a, scope).range) && bounded(self.of(b, scope).range) && parts()
            }
            ExprKind::Index(base, at) => {
                self.has_place(base, at, scope) && self.is_present(e, scope) && parts()
            }
            ExprKind::With(base, at, _) => {
                matches!(base.ty, Type::List(_) | Type::Grid(_) | Type::Map(..))
                    && self.has_place(base, at, scope)
                    && parts()
            }
            ExprKind::Pick(base, places) => {
                let each = self.of(places, scope).element_fact();
                let there = matches!(e.ty.element(), Some(Type::Optional(_)))
                    || !self.stored(base, scope).is_some_and(|each| each.optional);
                there && self.has(base, &each, scope) && parts()
            }
            ExprKind::Square(row, column) => {
                let far = 1 << 31;
                let fits =
                    |e: &Expr| matches!(self.of(e, scope).range, (low, high) if low >= 0 && high < far);
                fits(row) && fits(column) && parts()
            }
            ExprKind::In(_, domain) => self.total_domain(domain) && parts(),
            ExprKind::Listed(domain) => {
                self.total_domain(domain) && self.count(domain, scope).1 <= MAX_ELEMENTS as i128 && parts()
            }
            ExprKind::Let(slots, value, body) => {
                let mut inner = scope.clone();
                self.bind(slots, value, &mut inner);
                slots.iter().for_each(|slot| inner.mark_set(*slot));
                self.total(value, scope) && self.total(body, &inner)
            }
            // The second operand is evaluated only if the first does not decide the result.
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let mut inner = scope.clone();
                self.assume(a, matches!(e.kind, ExprKind::And(..)), &mut inner);
                self.total(a, scope) && self.total(b, &inner)
            }
            ExprKind::If(arms, otherwise) => {
                let mut scope = scope.clone();
                for (cond, value) in arms {
                    let mut inner = scope.clone();
                    self.assume(cond, true, &mut inner);
                    if !self.total(cond, &scope) || !self.total(value, &inner) {
                        return false;
                    }
                    self.assume(cond, false, &mut scope);
                }
                self.total(otherwise, &scope)
            }
            ExprKind::Fold(fold) => self.total_fold(fold, scope),
            // A builtin call that was evaluated successfully before play cannot fail.
            ExprKind::Builtin(builtin, args) => {
                self.total_builtin(*builtin, args, e, scope) && parts() || self.value(e).is_some()
            }
            _ => parts(),
        }
    }

    /// Whether a state variable is set from the start; no op unsets it later.
    fn always_written(&self, id: StateId) -> bool {
        let first = self.machine.setup.bases[id];
        let state = &self.machine.game.state[id];
        let owners = if state.per_player { self.machine.setup.players } else { 1 };
        self.blank.cells[first..first + owners].iter().all(written)
    }

    /// Whether what is read from the state is there: a condition before it may be what shows that it is not `none`.
    fn is_present(&self, e: &Expr, scope: &Scope) -> bool {
        !self.needs_presence(e) || !self.of(e, scope).optional
    }

    /// Whether an expression reads an optional value of the state as one that is not `none`.
    pub(super) fn needs_presence(&self, e: &Expr) -> bool {
        let form = |e: &Expr| match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => Some(&self.machine.game.state[*id].form),
            _ => None,
        };
        let form = match &e.kind {
            ExprKind::Index(base, _) => match form(base) {
                Some(Form::Grid(_, _, of) | Form::Map(of, _) | Form::List(_, of)) => Some(&**of),
                _ => None,
            },
            _ => form(e),
        };
        matches!(form, Some(Form::Optional(_))) && !matches!(e.ty, Type::Optional(_))
    }

    fn is_seat(&self, who: &Expr, scope: &Scope) -> bool {
        let (low, high) = self.of(who, scope).range;
        low >= 0 && high < self.machine.setup.players as i128 && self.total(who, scope)
    }

    /// Whether a collection certainly has a value at an index.
    fn has_place(&self, base: &Expr, at: &Expr, scope: &Scope) -> bool {
        match (self.key_symbols(base), &at.ty) {
            (Some(keys), Type::Symbol(symbols)) => symbols.iter().all(|symbol| keys.contains(symbol)),
            _ => self.has(base, &self.of(at, scope), scope),
        }
    }

    /// Returns the keys of a map of the state, or of a copy of one, whose keys are symbols.
    fn key_symbols(&self, map: &Expr) -> Option<&[SymbolId]> {
        let id = match &map.kind {
            ExprKind::With(base, ..) => return self.key_symbols(base),
            ExprKind::Table(id) | ExprKind::Own(id, _) => *id,
            _ => return None,
        };
        let Form::Map(_, key) = &self.machine.game.state[id].form else { return None };
        if let Form::Symbols(symbols) = &**key { Some(symbols) } else { None }
    }

    /// Whether a collection certainly has a value at each index that a fact allows.
    fn has(&self, base: &Expr, place: &Fact, scope: &Scope) -> bool {
        if place.optional {
            return false;
        }
        match (&base.kind, &base.ty) {
            (ExprKind::Table(id) | ExprKind::Own(id, _), Type::Grid(_) | Type::Map(..)) => {
                match &self.machine.game.state[*id].form {
                    Form::Grid(..) => {
                        let on = self.of_state(*id).element_fact().board_size;
                        place.board_size.zip(on).is_some_and(|(place, on)| place.0 <= on.0 && place.1 <= on.1)
                    }
                    Form::Map(_, key) => match &**key {
                        Form::Range(..) => {
                            let keys = self.of_form(key).range;
                            keys.0 <= place.range.0 && place.range.1 <= keys.1
                        }
                        Form::Player => {
                            place.range.0 >= 0 && place.range.1 < self.machine.setup.players as i128
                        }
                        Form::Bool => true,
                        _ => false,
                    },
                    _ => false,
                }
            }
            (ExprKind::With(base, ..), Type::Grid(_) | Type::Map(..)) => self.has(base, place, scope),
            (ExprKind::Value(Value::Map(map)), _) => {
                let (low, high) = place.range;
                let within =
                    |key: &&Value| matches!(self.of_value(key).range, (a, b) if low <= a && b <= high);
                low <= high && map.keys().filter(within).count() as i128 == high.saturating_sub(low) + 1
            }
            (_, Type::List(_)) => {
                let size = self.of(base, scope).size.0;
                let own = || place.index_into.as_deref() == Some(&*expr_text(self.game(), base));
                place.range.0 >= 1 && (place.range.1 <= size || own())
            }
            _ => false,
        }
    }

    /// Whether every element of a collection is certainly in a domain.
    pub fn contains(&self, domain: &Domain, elements: &Expr, scope: &Scope) -> bool {
        let each = self.of(elements, scope).element_fact();
        match domain {
            Domain::Range(low, high) => {
                let within = self.of(low, scope).range.1 <= each.range.0
                    && each.range.1 <= self.of(high, scope).range.0;
                within && !each.optional && elements.ty.element() == Some(Type::Int)
            }
            Domain::Values(of) => match &of.ty {
                Type::Grid(_) => elements.ty.element() == Some(Type::Square) && self.has(of, &each, scope),
                Type::Map(key, _) => {
                    elements.ty.element().as_ref() == Some(key) && self.has(of, &each, scope)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether iterating a domain, or testing membership, can never fail, apart from evaluating its
    /// expressions.
    fn total_domain(&self, domain: &Domain) -> bool {
        match domain {
            Domain::Range(..) | Domain::Values(_) => true,
            Domain::Tuples(parts) => parts.iter().all(|part| self.total_domain(part)),
            _ => false,
        }
    }

    /// Enters the sources of a fold. Returns the most elements that they can have; `None` if evaluating them may fail.
    pub fn enter_total(&self, fold: &Fold, scope: &mut Scope) -> Option<i128> {
        let mut most = 1i128;
        for (number, source) in fold.sources.iter().enumerate() {
            let mut parts = Vec::new();
            domain_parts(&source.domain, &mut parts);
            most = most.saturating_mul(self.count(&source.domain, scope).1);
            if !self.total_domain(&source.domain) || !parts.into_iter().all(|e| self.total(e, scope)) {
                return None;
            }
            self.enter(fold, number, scope);
            source.slots.iter().for_each(|slot| scope.mark_set(*slot));
        }
        Some(most)
    }

    fn total_fold(&self, fold: &Fold, scope: &Scope) -> bool {
        let mut inner = scope.clone();
        let Some(most) = self.enter_total(fold, &mut inner) else { return false };
        let sure = match fold.kind {
            FoldKind::Largest | FoldKind::Smallest | FoldKind::First => {
                let nonempty = fold.sources.iter().all(|source| self.count(&source.domain, &inner).0 > 0);
                nonempty && fold.filter.is_none() && fold.stop.is_none()
            }
            FoldKind::List | FoldKind::Set | FoldKind::Bag => most <= MAX_ELEMENTS as i128,
            // There are infinitely many numbers and lists, so the closure may not terminate.
            FoldKind::Reach => {
                matches!(fold.body.ty.element(), Some(Type::Square | Type::Player | Type::Symbol(_)))
            }
            FoldKind::Product | FoldKind::Xor | FoldKind::Lcm => false,
            _ => true,
        };
        let total = |e: &Expr, inner: &mut Scope| {
            let total = self.total(e, inner);
            self.assume(e, true, inner);
            total
        };
        let selected = fold.filter.iter().chain(&fold.stop).all(|e| total(e, &mut inner));
        // What is added up or compared must be there.
        let takes_none =
            matches!(fold.kind, FoldKind::All | FoldKind::Some | FoldKind::Count | FoldKind::First)
                || matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag | FoldKind::Reach);
        let optional = matches!(fold.body.ty, Type::Optional(_)) && self.of(&fold.body, &inner).optional;
        sure && selected && (takes_none || !optional) && total(&fold.body, &mut inner)
    }

    /// Records what a condition says about local variables and other expressions if it holds, or if it fails.
    pub fn assume(&self, cond: &Expr, holds: bool, scope: &mut Scope) {
        self.assume_evaluated(cond, scope);
        match &cond.kind {
            ExprKind::Not(a) => self.assume(a, !holds, scope),
            ExprKind::And(a, b) if holds => {
                [a, b].into_iter().for_each(|part| self.assume(part, holds, scope))
            }
            ExprKind::Or(a, b) if !holds => {
                [a, b].into_iter().for_each(|part| self.assume(part, holds, scope))
            }
            // What both say in common.
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let mut other = scope.clone();
                self.assume(a, holds, scope);
                self.assume(b, holds, &mut other);
                scope.join(&other);
            }
            ExprKind::IsNone(a) if !holds => {
                let fact = self.of(a, scope);
                self.record(a, Fact { optional: false, ..fact }, scope);
            }
            ExprKind::Builtin(Builtin::Empty, args) if !matches!(args[0].ty, Type::Grid(_)) => {
                let fact = self.of(&args[0], scope);
                let size = if holds { (0, 0) } else { (fact.size.0.max(1), fact.size.1) };
                self.record(&args[0], Fact { size, ..fact }, scope);
            }
            ExprKind::Compare(first, links) if holds || links.len() == 1 => {
                let mut left = &**first;
                for (op, right) in links {
                    let op = if holds { *op } else { op.opposite() };
                    if left.ty == Type::Int && right.ty == Type::Int {
                        self.assume_comparison(left, op, right, scope);
                    }
                    left = right;
                }
            }
            ExprKind::In(value, domain) if holds && value.ty == Type::Int => {
                let range = self.of_domain(domain, scope).range;
                self.record_range(value, range, scope);
            }
            _ => {}
        }
    }

    /// Records that the places of lists that an expression has read are there, as it did not fail.
    fn assume_evaluated(&self, e: &Expr, scope: &mut Scope) {
        match &e.kind {
            // What else it has evaluated depends on values.
            ExprKind::And(first, _) | ExprKind::Or(first, _) => self.assume_evaluated(first, scope),
            ExprKind::If(arms, _) => {
                arms.iter().take(1).for_each(|(cond, _)| self.assume_evaluated(cond, scope))
            }
            ExprKind::Compare(first, links) => {
                self.assume_evaluated(first, scope);
                links.iter().take(1).for_each(|(_, second)| self.assume_evaluated(second, scope));
            }
            ExprKind::Fold(_) | ExprKind::Let(..) => {}
            ExprKind::Index(base, at) => {
                children(e, &mut |part| self.assume_evaluated(part, scope));
                let fact = self.of(at, scope);
                if matches!(base.ty, Type::List(_)) && at.ty == Type::Int && fact.index_into.is_none() {
                    let range = (fact.range.0.max(1), fact.range.1.max(1));
                    let index_into = Some(expr_text(self.game(), base).into());
                    self.record(at, Fact { range, index_into, ..fact }, scope);
                }
            }
            _ => children(e, &mut |part| self.assume_evaluated(part, scope)),
        }
    }

    /// Records what a comparison says about both of its integers.
    fn assume_comparison(&self, a: &Expr, op: Compare, b: &Expr, scope: &mut Scope) {
        let (left, right) = (self.of(a, scope).range, self.of(b, scope).range);
        self.record_range(a, narrowed(op, right, left), scope);
        self.record_range(b, narrowed(op.mirrored(), left, right), scope);
    }

    /// Records that an integer is in a range.
    fn record_range(&self, e: &Expr, range: (i128, i128), scope: &mut Scope) {
        let fact = self.of(e, scope);
        let range = (range.0.max(fact.range.0), range.1.min(fact.range.1));
        // Where a condition cannot hold, nothing is evaluated.
        if range == fact.range || range.0 > range.1 {
            return;
        }
        if let ExprKind::Builtin(Builtin::Size, args) = &e.kind {
            let of = self.of(&args[0], scope);
            self.record(&args[0], Fact { size: range, ..of }, scope);
        }
        self.record(e, Fact { range, ..fact }, scope);
    }

    /// Whether a call of a builtin, `e`, can never fail, apart from evaluating its arguments.
    fn total_builtin(&self, builtin: Builtin, args: &[Expr], e: &Expr, scope: &Scope) -> bool {
        let first = || args.first().map(|arg| self.of(arg, scope)).unwrap_or_default();
        match builtin.traits().fails {
            FailsWhen::Never => true,
            FailsWhen::None => !first().optional,
            FailsWhen::Empty => first().size.0 > 0,
            FailsWhen::Negative => args.iter().all(|arg| self.of(arg, scope).range.0 >= 0),
            FailsWhen::Unfactored => matches!(first().range, (low, high) if low > 0 && high < UNBOUNDED),
            FailsWhen::Base => {
                first().range.0 >= 0 && args.get(1).is_none_or(|base| self.of(base, scope).range.0 >= 2)
            }
            FailsWhen::NoDigit => {
                let (digits, base) =
                    (first(), args.get(1).map_or((10, 10), |base| self.of(base, scope).range));
                let (least, most) = digits.element_fact().range;
                // So few digits make no number that is too large.
                const FEW: i128 = 1 << 10;
                let fits = digits.size.1 <= FEW && base.1 < UNBOUNDED;
                least >= 0 && most < base.0 && base.0 >= 2 && fits
            }
            FailsWhen::TooMany => {
                let mut counts = args.iter().filter(|arg| arg.ty == Type::Int);
                counts.all(|count| self.of(count, scope).range.0 >= 0)
                    && self.of(e, scope).size.1 <= MAX_ELEMENTS as i128
            }
            FailsWhen::Perhaps => false,
        }
    }
}

/// Returns the part of a range in which a comparison with an integer of another range can hold.
fn narrowed(op: Compare, other: (i128, i128), (low, high): (i128, i128)) -> (i128, i128) {
    let below = |end: i128| if end < UNBOUNDED { end - 1 } else { end };
    let above = |end: i128| if end > -UNBOUNDED { end + 1 } else { end };
    match op {
        Compare::Equal => (low.max(other.0), high.min(other.1)),
        Compare::Less => (low, high.min(below(other.1))),
        Compare::AtMost => (low, high.min(other.1)),
        Compare::Greater => (low.max(above(other.0)), high),
        Compare::AtLeast => (low.max(other.0), high),
        Compare::NotEqual if other == (low, low) => (low + 1, high),
        Compare::NotEqual if other == (high, high) => (low, high - 1),
        Compare::NotEqual | Compare::Divides => (low, high),
    }
}

/// Whether a value has no unset parts.
fn written(value: &Value) -> bool {
    match value {
        Value::Unset => false,
        Value::Grid(grid) => grid.cells.iter().all(written),
        Value::Map(map) => map.values().all(written),
        _ => true,
    }
}
