//! Expressions: a plain tree walk. Operands that are only read are not copied.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::elements::{element, element_mut, has};
use super::operand::{MISSING, Operand};
use super::{Env, Fault, fault, text};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Lambda, SquareAt, TextPart, Value};
use crate::num::{Int, TooLarge};
use crate::source::Span;

pub(super) fn too_large(span: Span) -> impl Fn(TooLarge) -> Fault {
    move |_| {
        Box::new(
            Diagnostic::new(Code::TooLarge, span, "this number is too large", "")
                .help("a number can have at most a million binary digits"),
        )
    }
}

impl<'a> Env<'a> {
    /// Evaluates a lambda for some arguments.
    pub fn call(&self, lambda: &Lambda, mut args: Vec<Value>) -> Result<Value, Fault> {
        args.resize(lambda.frame, Value::Unset);
        Env { base: 0, ..*self }.eval(&lambda.body, &mut args)
    }

    /// Evaluates an expression.
    pub fn eval(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<Value, Fault> {
        if let ExprKind::Arith(..) = &e.kind {
            return self.int(e, frame).map(Value::Int);
        }
        Ok(self.operand(e, frame)?.take(frame))
    }

    /// Evaluates an expression that is a number.
    pub fn int(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<Int, Fault> {
        if let Some(n) = self.fast_int(e, frame) {
            return Ok(Int::Small(n));
        }
        match self.operand(e, frame)? {
            Operand::Owned(Value::Int(n)) => Ok(n),
            operand => self.number(&operand, e, frame).cloned(),
        }
    }

    /// Evaluates an expression that is a truth value.
    pub fn truth(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<bool, Fault> {
        self.tick(e.span)?;
        self.eval_condition(e, frame)
    }

    /// Evaluates an expression that is a player; returns the seat, from 0.
    pub fn player(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<usize, Fault> {
        if let Some(seat) = self.fast_seat(e, frame) {
            return Ok(seat);
        }
        match self.operand(e, frame)?.get(frame) {
            Value::Player(seat) if *seat < self.machine.setup.players => Ok(*seat),
            other => Err(self.no_player(other, e.span)),
        }
    }

    /// Evaluates an expression to an operand, for callers that only read the value.
    #[inline]
    pub(super) fn operand<'v>(&self, e: &'v Expr, frame: &mut Vec<Value>) -> Result<Operand<'v>, Fault>
    where
        'a: 'v,
    {
        self.tick(e.span)?;
        match &e.kind {
            // Most operands are names, which need no call.
            ExprKind::Local(slot) => Ok(Operand::Local(self.base + *slot)),
            ExprKind::Value(value) => Ok(Operand::Borrowed(value)),
            ExprKind::Table(state) => Ok(Operand::Borrowed(self.read(*state, 0, e.span)?)),
            _ => self.eval_operand(e, frame),
        }
    }

    /// Returns the number in an operand, the value of `e`.
    #[inline]
    fn number<'v>(&self, operand: &'v Operand, e: &Expr, frame: &'v [Value]) -> Result<&'v Int, Fault> {
        match operand.get(frame) {
            Value::Int(n) => Ok(n),
            other => Err(self.not_a("number", other, e.span)),
        }
    }

    // Faults are created in separate functions, so that the functions that rarely meet one stay small.

    #[cold]
    fn no_player(&self, found: &Value, span: Span) -> Fault {
        match found {
            Value::Player(seat) => {
                let message = format!("there is no player {} in this match", seat + 1);
                fault(Code::NoSuchElement, span, message)
            }
            other => self.not_a("player", other, span),
        }
    }

    #[cold]
    pub(super) fn not_a(&self, what: &str, found: &Value, span: Span) -> Fault {
        fault(
            Code::Unset,
            span,
            format!("a {what} is needed here, but this is {}", text::words(&self.machine.game, found)),
        )
    }

    #[inline]
    fn read(&self, state: usize, owner: usize, span: Span) -> Result<&'a Value, Fault> {
        match &self.position.cells[self.machine.setup.bases[state] + owner] {
            Value::Unset => Err(self.unwritten(state, span)),
            value => Ok(value),
        }
    }

    #[cold]
    pub(super) fn unwritten(&self, state: usize, span: Span) -> Fault {
        let name = &self.machine.game.state[state].name;
        fault(Code::Unset, span, format!("`{name}` is read before it is written"))
    }

    // ---- a single step: a place, a truth value or a new value; the caller counts the step

    /// Evaluates an expression that names a place to that place, and any other to a new value. The most
    /// frequent kinds are handled here, the rest in [`Env::eval_rare`].
    fn eval_operand<'v>(&self, e: &'v Expr, frame: &mut Vec<Value>) -> Result<Operand<'v>, Fault>
    where
        'a: 'v,
    {
        Ok(match &e.kind {
            ExprKind::Value(value) => Operand::Borrowed(value),
            ExprKind::Option(id) => Operand::Borrowed(&self.machine.setup.options[*id]),
            ExprKind::Constant(id) => Operand::Borrowed(&self.machine.setup.constants[*id]),
            ExprKind::Local(slot) => Operand::Local(self.base + *slot),
            ExprKind::Table(state) => Operand::Borrowed(self.read(*state, 0, e.span)?),
            ExprKind::Own(state, owner) => {
                let owner = self.player(owner, frame)?;
                Operand::Borrowed(self.read(*state, owner, e.span)?)
            }
            ExprKind::Index(base, at) => {
                let base = self.operand(base, frame)?;
                let at = self.operand(at, frame)?;
                let at = at.get(frame);
                match &base {
                    Operand::Borrowed(base) => Operand::Borrowed(self.look_up(base, at, e.span)?),
                    base => Operand::Owned(self.look_up(base.get(frame), at, e.span)?.clone()),
                }
            }
            ExprKind::Part(tuple, at) => {
                let tuple = self.operand(tuple, frame)?;
                match &tuple {
                    Operand::Borrowed(tuple) => Operand::Borrowed(self.part(tuple, *at, e.span)?),
                    tuple => Operand::Owned(self.part(tuple.get(frame), *at, e.span)?.clone()),
                }
            }
            ExprKind::Arith(op, a, b) => {
                let left = self.operand(a, frame)?;
                self.number(&left, a, frame)?;
                let right = self.operand(b, frame)?;
                let (left, right) = (self.number(&left, a, frame)?, self.number(&right, b, frame)?);
                Operand::Owned(Value::Int(arith(*op, left, right, e.span)?))
            }
            ExprKind::If(arms, otherwise) => {
                for (at, (cond, value)) in arms.iter().enumerate() {
                    if self.truth(cond, frame)? {
                        self.record_arm(e.span, at);
                        return self.operand(value, frame);
                    }
                }
                self.record_arm(e.span, arms.len());
                self.operand(otherwise, frame)?
            }
            ExprKind::Call(function, args) => {
                let base = frame.len();
                let value = self.call_function(*function, args, frame);
                frame.truncate(base);
                Operand::Owned(value?)
            }
            ExprKind::Builtin(builtin, args) => {
                Operand::Owned(self.call_builtin(*builtin, args, frame, e.span)?)
            }
            ExprKind::Fold(fold) => Operand::Owned(self.fold(fold, frame, e.span)?),
            ExprKind::IsIn(_)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Compare(..)
            | ExprKind::In(..)
            | ExprKind::IsNone(_) => Operand::Owned(Value::Bool(self.eval_condition(e, frame)?)),
            ExprKind::Negative(_)
            | ExprKind::Players
            | ExprKind::Standing
            | ExprKind::Score(_)
            | ExprKind::Text(_)
            | ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Set(_)
            | ExprKind::Square(..)
            | ExprKind::Pick(..)
            | ExprKind::With(..)
            | ExprKind::Listed(_)
            | ExprKind::Let(..) => Operand::Owned(self.eval_rare(e, frame)?),
        })
    }

    /// Evaluates an expression that is a truth value, without counting the step.
    fn eval_condition(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<bool, Fault> {
        Ok(match &e.kind {
            ExprKind::IsIn(who) => self.position.is_in[self.player(who, frame)?],
            ExprKind::Not(a) => !self.truth(a, frame)?,
            ExprKind::And(a, b) => self.truth(a, frame)? && self.truth(b, frame)?,
            ExprKind::Or(a, b) => self.truth(a, frame)? || self.truth(b, frame)?,
            ExprKind::Compare(first, links) => {
                if let [(op, right)] = links.as_slice()
                    && let Some(truth) = self.fast_compare(first, *op, right, frame)
                {
                    return Ok(truth);
                }
                let mut left = self.operand(first, frame)?;
                for (op, right) in links {
                    let right = self.operand(right, frame)?;
                    if !compare(*op, left.get(frame), right.get(frame)) {
                        return Ok(false);
                    }
                    left = right;
                }
                true
            }
            ExprKind::In(value, domain) => {
                if let Some(truth) = self.fast_contains(value, domain, frame) {
                    return Ok(truth);
                }
                let value = self.operand(value, frame)?;
                if let Domain::Values(source) = &**domain {
                    let source = self.operand(source, frame)?;
                    return Ok(has(source.get(frame), value.get(frame)));
                }
                self.domain(domain, frame, false)?.contains(value.get(frame))
            }
            ExprKind::IsNone(a) => match self.fast_lookup(a, frame) {
                Some(value) => matches!(value, Value::None),
                None => matches!(self.operand(a, frame)?.get(frame), Value::None),
            },
            _ => match self.eval_operand(e, frame)?.get(frame) {
                Value::Bool(b) => *b,
                other => return Err(self.not_a("truth", other, e.span)),
            },
        })
    }

    /// Evaluates the less frequent kinds.
    #[inline(never)]
    fn eval_rare(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<Value, Fault> {
        Ok(match &e.kind {
            ExprKind::Negative(a) => Value::Int(-&self.int(a, frame)?),
            ExprKind::Players => Value::list((0..self.machine.setup.players).map(Value::Player).collect()),
            ExprKind::Standing => {
                let seats = (0..self.machine.setup.players).filter(|seat| self.position.is_in[*seat]);
                Value::list(seats.map(Value::Player).collect())
            }
            ExprKind::Score(who) => {
                let seat = self.player(who, frame)?;
                Value::Int(self.score(seat)?.unwrap_or(Int::ZERO))
            }
            ExprKind::Text(parts) => self.text(parts, frame)?,
            ExprKind::Tuple(parts) | ExprKind::List(parts) => {
                let parts: Result<Vec<Value>, Fault> =
                    parts.iter().map(|part| self.eval(part, frame)).collect();
                Value::list(parts?)
            }
            ExprKind::Set(parts) => {
                let parts: Result<BTreeSet<Value>, Fault> =
                    parts.iter().map(|part| self.eval(part, frame)).collect();
                Value::Set(Arc::new(parts?))
            }
            ExprKind::Square(row, column) => {
                let (row, column) = (self.int(row, frame)?, self.int(column, frame)?);
                let number = |n: &Int| n.as_i64().and_then(|n| u32::try_from(n).ok());
                match (number(&row), number(&column)) {
                    (Some(row), Some(column)) => Value::Square(SquareAt { row, column }),
                    _ => {
                        return Err(fault(
                            Code::NoSuchElement,
                            e.span,
                            format!("there is no square in row {row}, column {column}"),
                        ));
                    }
                }
            }
            ExprKind::Pick(base, at) => {
                let (base, at) = (self.operand(base, frame)?, self.operand(at, frame)?);
                let (base, at) = (base.get(frame), at.get(frame));
                let Value::List(at) = at else { return Err(self.not_a("list", at, e.span)) };
                let picked: Result<Vec<Value>, Fault> =
                    at.iter().map(|at| self.look_up(base, at, e.span).cloned()).collect();
                Value::list(picked?)
            }
            ExprKind::With(base, at, value) => {
                let mut base = self.eval(base, frame)?;
                let at = self.eval(at, frame)?;
                let value = self.eval(value, frame)?;
                *self.slot_of(&mut base, &at, e.span)? = value;
                base
            }
            ExprKind::Listed(domain) => {
                let dom = self.domain(domain, frame, false)?;
                let count = dom.count(e.span)?.and_then(|n| n.as_usize()).unwrap_or(usize::MAX);
                self.check_size(count, e.span)?;
                dom.list(e.span)?
            }
            ExprKind::Let(slots, value, body) => {
                let value = self.eval(value, frame)?;
                self.bind_in_function(slots, value, frame);
                self.eval(body, frame)?
            }
            _ => self.eval_operand(e, frame)?.take(frame),
        })
    }

    /// Counts which arm of an `if` or `case` is taken, if coverage is counted.
    #[inline]
    fn record_arm(&self, span: Span, at: usize) {
        if let Some(coverage) = self.machine.coverage() {
            coverage.record_arm(span, at);
        }
    }

    /// Calls a function. Its frame is placed on top of the caller's.
    fn call_function(&self, function: usize, args: &[Expr], frame: &mut Vec<Value>) -> Result<Value, Fault> {
        let base = frame.len();
        for arg in args {
            let arg = self.eval(arg, frame)?;
            frame.push(arg);
        }
        let (mut answered, left) = (self.machine.call_cache.of(function), self.steps.get());
        if let Some(coverage) = self.machine.coverage() {
            // The parts of the body must be counted on every call, so the cached result is not used.
            coverage.record_call(function);
            answered = None;
        }
        if let Some((value, steps)) = answered.and_then(|answered| answered.find(&frame[base..]))
            && *steps <= left
        {
            self.steps.set(left - steps);
            return Ok(value.clone());
        }
        let lambda = &self.machine.game.functions[function].lambda;
        if lambda.frame > args.len() {
            frame.resize(base + lambda.frame, Value::Unset);
        }
        let value = Env { base, ..*self }.eval(&lambda.body, frame)?;
        if let Some(answered) = answered {
            answered.insert(&frame[base..base + args.len()], &value, left - self.steps.get());
        }
        Ok(value)
    }

    /// Evaluates a builtin function and its arguments.
    fn call_builtin(
        &self,
        builtin: Builtin,
        args: &[Expr],
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<Value, Fault> {
        // Few builtins take more than four arguments; these allocate.
        const FEW: usize = 4;
        match args {
            [a] => {
                let a = self.operand(a, frame)?;
                self.builtin(builtin, &[a.get(frame)], span)
            }
            [a, b] => {
                let (a, b) = (self.operand(a, frame)?, self.operand(b, frame)?);
                self.builtin(builtin, &[a.get(frame), b.get(frame)], span)
            }
            args if args.len() <= FEW => {
                let mut operands = [MISSING; FEW];
                for (operand, arg) in operands.iter_mut().zip(args) {
                    *operand = self.operand(arg, frame)?;
                }
                let values = operands.each_ref().map(|operand| operand.get(frame));
                self.builtin(builtin, &values[..args.len()], span)
            }
            args => {
                let operands: Result<Vec<Operand>, Fault> =
                    args.iter().map(|arg| self.operand(arg, frame)).collect();
                let operands = operands?;
                let values: Vec<&Value> = operands.iter().map(|operand| operand.get(frame)).collect();
                self.builtin(builtin, &values, span)
            }
        }
    }

    fn text(&self, parts: &[TextPart], frame: &mut Vec<Value>) -> Result<Value, Fault> {
        let mut out = String::new();
        for part in parts {
            match part {
                TextPart::Chars(chars) => out.push_str(chars),
                TextPart::Value(part) => match self.eval(part, frame) {
                    Ok(value) => out.push_str(&text::of_type(&self.machine.game, &part.ty, &value)),
                    // State that has not been written is shown as a gap.
                    Err(fault) if fault.code == Code::Unset => out.push('_'),
                    Err(fault) => return Err(fault),
                },
            }
        }
        Ok(Value::Text(out.into()))
    }

    /// Returns a player's score; `None` if the game keeps none.
    pub fn score(&self, seat: usize) -> Result<Option<Int>, Fault> {
        use crate::ir::Scoring;
        if let Some(coverage) = self.machine.coverage() {
            coverage.record_score(seat);
        }
        let value = match &self.machine.game.scoring {
            Scoring::None => return Ok(None),
            Scoring::Awards => return Ok(Some(self.position.awards[seat].clone())),
            Scoring::Each(lambda) => self.call(lambda, vec![Value::Player(seat)])?,
            Scoring::Named(lambdas) => self.call(&lambdas[seat], vec![Value::Player(seat)])?,
        };
        match value {
            Value::Int(n) => Ok(Some(n)),
            other => Err(self.not_a("score", &other, Span::default())),
        }
    }

    // ---- places in collections

    #[inline]
    fn look_up<'v>(&self, base: &'v Value, at: &Value, span: Span) -> Result<&'v Value, Fault> {
        match element(base, at) {
            Some(Value::Unset) => Err(self.unwritten_place(at, span)),
            Some(value) => Ok(value),
            None => Err(self.no_place(base, at, span)),
        }
    }

    #[cold]
    fn unwritten_place(&self, at: &Value, span: Span) -> Fault {
        let place = text::words(&self.machine.game, at);
        fault(Code::Unset, span, format!("place {place} is read before it is written"))
    }

    fn part<'v>(&self, tuple: &'v Value, at: usize, span: Span) -> Result<&'v Value, Fault> {
        match tuple {
            Value::List(parts) => Ok(&parts[at]),
            other => Err(self.not_a("tuple", other, span)),
        }
    }

    #[cold]
    pub(super) fn no_place(&self, base: &Value, at: &Value, span: Span) -> Fault {
        let place = text::words(&self.machine.game, at);
        let message = match base {
            Value::List(items) => {
                let first = if place == "0" { ": places are counted from 1" } else { "" };
                format!("there is no place {place} in a list of {}{first}", items.len())
            }
            Value::Grid(grid) => {
                format!("there is no square {place} on a grid of {} by {}", grid.rows, grid.columns)
            }
            _ => format!("there is no place {place} here"),
        };
        fault(Code::NoSuchElement, span, message)
    }

    /// Returns an element to be written. Fails if there is no such place.
    pub(super) fn slot_of<'v>(
        &self,
        base: &'v mut Value,
        at: &Value,
        span: Span,
    ) -> Result<&'v mut Value, Fault> {
        if element(base, at).is_none() {
            return Err(self.no_place(base, at, span));
        }
        Ok(element_mut(base, at).expect("it is there"))
    }
}

fn arith(op: Arith, a: &Int, b: &Int, span: Span) -> Result<Int, Fault> {
    let by_zero = || divided_by_zero(a, span);
    match op {
        Arith::Add => Ok(a.add(b)),
        Arith::Sub => Ok(a.sub(b)),
        Arith::Mul => a.mul(b).map_err(too_large(span)),
        Arith::Div => a.div_floor(b).ok_or_else(by_zero),
        Arith::Mod => a.modulo(b).ok_or_else(by_zero),
        Arith::Pow => power(a, b, span),
    }
}

#[inline(never)]
fn power(a: &Int, b: &Int, span: Span) -> Result<Int, Fault> {
    if b.is_negative() {
        return Err(fault(
            Code::BadArgument,
            span,
            format!("{a} cannot be raised to the negative power {b}"),
        ));
    }
    a.pow(b).map_err(too_large(span))
}

#[cold]
fn divided_by_zero(a: &Int, span: Span) -> Fault {
    fault(Code::DivisionByZero, span, format!("{a} is divided by 0"))
}

pub(super) fn compare(op: Compare, a: &Value, b: &Value) -> bool {
    if let (Value::Int(Int::Small(a)), Value::Int(Int::Small(b))) = (a, b) {
        return op.holds(*a, *b);
    }
    match op {
        Compare::Equal => same(a, b),
        Compare::NotEqual => !same(a, b),
        Compare::Less => a < b,
        Compare::AtMost => a <= b,
        Compare::Greater => a > b,
        Compare::AtLeast => a >= b,
        Compare::Divides => match (a, b) {
            (Value::Int(a), Value::Int(b)) => a.divides(b),
            _ => false,
        },
    }
}

/// Whether values are equal. The most frequent comparisons need no call.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Player(a), Value::Player(b)) => a == b,
        (Value::Square(a), Value::Square(b)) => a == b,
        (Value::None, Value::None) => true,
        (Value::Player(_) | Value::Square(_) | Value::Int(_), Value::None) => false,
        (Value::None, Value::Player(_) | Value::Square(_) | Value::Int(_)) => false,
        (a, b) => a == b,
    }
}
