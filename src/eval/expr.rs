//! Expressions: a plain walk over the tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Env, Fault, fault, text};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Arith, Compare, Expr, ExprKind, Fold, FoldKind, Lambda, SquareAt, TextPart, Value};
use crate::num::{Int, TooLarge, theory};
use crate::source::Span;

pub(super) fn too_large(span: Span) -> impl Fn(TooLarge) -> Fault {
    move |_| {
        Box::new(
            Diagnostic::new(Code::TooLarge, span, "this number is too large", "")
                .help("a number has at most a million binary digits"),
        )
    }
}

impl Env<'_> {
    /// The value of a lambda for some arguments.
    pub fn call(&self, lambda: &Lambda, mut args: Vec<Value>) -> Result<Value, Fault> {
        args.resize(lambda.frame, Value::Unset);
        self.eval(&lambda.body, &mut args)
    }

    /// The value of an expression that is a number.
    pub fn int(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<Int, Fault> {
        match self.eval(e, frame)? {
            Value::Int(n) => Ok(n),
            other => Err(self.not_a("number", &other, e.span)),
        }
    }

    /// The value of an expression that is yes or no.
    pub fn truth(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<bool, Fault> {
        match self.eval(e, frame)? {
            Value::Bool(b) => Ok(b),
            other => Err(self.not_a("truth", &other, e.span)),
        }
    }

    /// The value of an expression that is a player.
    pub fn player(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<usize, Fault> {
        match self.eval(e, frame)? {
            Value::Player(seat) if seat < self.setup.players => Ok(seat),
            Value::Player(seat) => Err(fault(
                Code::NoSuchElement,
                e.span,
                format!("there is no player {} in this match", seat + 1),
            )),
            other => Err(self.not_a("player", &other, e.span)),
        }
    }

    pub(super) fn not_a(&self, what: &str, found: &Value, span: Span) -> Fault {
        fault(Code::Unset, span, format!("there is no {what} here: {}", text::words(self.game, found)))
    }

    fn read(&self, state: usize, owner: usize, span: Span) -> Result<Value, Fault> {
        match &self.position.cells[self.setup.bases[state] + owner] {
            Value::Unset => {
                let name = &self.game.state[state].name;
                Err(fault(Code::Unset, span, format!("`{name}` is read before it is written")))
            }
            value => Ok(value.clone()),
        }
    }

    /// The value of an expression.
    pub fn eval(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<Value, Fault> {
        self.tick(e.span)?;
        Ok(match &e.kind {
            ExprKind::Value(value) => value.clone(),
            ExprKind::Option(id) => self.setup.options[*id].clone(),
            ExprKind::Constant(id) => self.setup.constants[*id].clone(),
            ExprKind::Local(slot) => frame[*slot].clone(),
            ExprKind::Table(state) => self.read(*state, 0, e.span)?,
            ExprKind::Own(state, owner) => {
                let owner = self.player(owner, frame)?;
                self.read(*state, owner, e.span)?
            }
            ExprKind::Players => Value::list((0..self.setup.players).map(Value::Player).collect()),
            ExprKind::Standing => {
                let seats = (0..self.setup.players).filter(|seat| self.position.is_in[*seat]);
                Value::list(seats.map(Value::Player).collect())
            }
            ExprKind::IsIn(who) => Value::Bool(self.position.is_in[self.player(who, frame)?]),
            ExprKind::Score(who) => {
                let seat = self.player(who, frame)?;
                Value::Int(self.score(seat)?.unwrap_or(Int::ZERO))
            }
            ExprKind::Not(a) => Value::Bool(!self.truth(a, frame)?),
            ExprKind::Negative(a) => Value::Int(-&self.int(a, frame)?),
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.int(a, frame)?, self.int(b, frame)?);
                Value::Int(arith(*op, &a, &b, e.span)?)
            }
            ExprKind::And(a, b) => Value::Bool(self.truth(a, frame)? && self.truth(b, frame)?),
            ExprKind::Or(a, b) => Value::Bool(self.truth(a, frame)? || self.truth(b, frame)?),
            ExprKind::Compare(first, links) => {
                let mut left = self.eval(first, frame)?;
                for (op, right) in links {
                    let right = self.eval(right, frame)?;
                    if !compare(*op, &left, &right) {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Value::Bool(true)
            }
            ExprKind::In(value, domain) => {
                let value = self.eval(value, frame)?;
                if let crate::ir::Domain::Values(source) = &**domain {
                    return Ok(Value::Bool(has(&self.eval(source, frame)?, &value)));
                }
                Value::Bool(self.domain(domain, frame, false)?.contains(&value))
            }
            ExprKind::IsNone(a) => Value::Bool(matches!(self.eval(a, frame)?, Value::None)),
            ExprKind::If(arms, otherwise) => {
                for (cond, value) in arms {
                    if self.truth(cond, frame)? {
                        return self.eval(value, frame);
                    }
                }
                self.eval(otherwise, frame)?
            }
            ExprKind::Text(parts) => {
                let mut out = String::new();
                for part in parts {
                    match part {
                        TextPart::Chars(chars) => out.push_str(chars),
                        TextPart::Value(value) => match self.eval(value, frame) {
                            Ok(value) => out.push_str(&text::words(self.game, &value)),
                            // What is not written yet is shown as a gap.
                            Err(fault) if fault.code == Code::Unset => out.push('_'),
                            Err(fault) => return Err(fault),
                        },
                    }
                }
                Value::Text(out.into())
            }
            ExprKind::Call(function, args) => {
                let lambda = &self.game.functions[*function].lambda;
                let args: Result<Vec<Value>, Fault> = args.iter().map(|arg| self.eval(arg, frame)).collect();
                self.call(lambda, args?)?
            }
            ExprKind::Builtin(builtin, args) => {
                let args: Result<Vec<Value>, Fault> = args.iter().map(|arg| self.eval(arg, frame)).collect();
                self.builtin(*builtin, &args?, e.span)?
            }
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
            ExprKind::Part(tuple, at) => match self.eval(tuple, frame)? {
                Value::List(parts) => parts[*at].clone(),
                other => return Err(self.not_a("tuple", &other, e.span)),
            },
            ExprKind::Index(base, at) => {
                let (base, at) = (self.eval(base, frame)?, self.eval(at, frame)?);
                self.look_up(&base, &at, e.span)?
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
                let (base, at) = (self.eval(base, frame)?, self.eval(at, frame)?);
                let Value::List(at) = at else { return Err(self.not_a("list", &at, e.span)) };
                let picked: Result<Vec<Value>, Fault> =
                    at.iter().map(|at| self.look_up(&base, at, e.span)).collect();
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
                self.room(count, e.span)?;
                Value::list(dom.iter(e.span)?.collect())
            }
            ExprKind::Fold(fold) => self.fold(fold, frame, e.span)?,
            ExprKind::Let(slots, value, body) => {
                let value = self.eval(value, frame)?;
                bind(slots, value, frame);
                self.eval(body, frame)?
            }
        })
    }

    /// A player's score; `None` where the game keeps none.
    pub fn score(&self, seat: usize) -> Result<Option<Int>, Fault> {
        use crate::ir::Scoring;
        let value = match &self.game.scoring {
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

    fn look_up(&self, base: &Value, at: &Value, span: Span) -> Result<Value, Fault> {
        let found = match (base, at) {
            (Value::List(items), Value::Int(n)) => {
                n.as_usize().and_then(|n| n.checked_sub(1)).and_then(|n| items.get(n))
            }
            (Value::Grid(grid), Value::Square(square)) => grid.at(*square).map(|at| &grid.cells[at]),
            (Value::Map(map), key) => map.get(key),
            _ => None,
        };
        match found {
            Some(Value::Unset) => Err(fault(
                Code::Unset,
                span,
                format!("place {} is read before it is written", text::words(self.game, at)),
            )),
            Some(value) => Ok(value.clone()),
            None => Err(self.no_place(base, at, span)),
        }
    }

    pub(super) fn no_place(&self, base: &Value, at: &Value, span: Span) -> Fault {
        let place = text::words(self.game, at);
        let message = match base {
            Value::List(items) => format!("there is no place {place} in a list of {}", items.len()),
            Value::Grid(grid) => {
                format!("there is no square {place} on a grid of {} by {}", grid.rows, grid.columns)
            }
            _ => format!("there is no place {place} here"),
        };
        fault(Code::NoSuchElement, span, message)
    }

    /// The place of an element, to be written.
    pub(super) fn slot_of<'v>(
        &self,
        base: &'v mut Value,
        at: &Value,
        span: Span,
    ) -> Result<&'v mut Value, Fault> {
        let missing = self.no_place(base, at, span);
        let found = match (base, at) {
            (Value::List(items), Value::Int(n)) => {
                let n = n.as_usize().and_then(|n| n.checked_sub(1));
                n.and_then(|n| Arc::make_mut(items).get_mut(n))
            }
            (Value::Grid(grid), Value::Square(square)) => {
                let at = grid.at(*square);
                at.map(|at| &mut Arc::make_mut(grid).cells[at])
            }
            (Value::Map(map), key) => Arc::make_mut(map).get_mut(key),
            _ => None,
        };
        found.ok_or(missing)
    }

    // ---- binders

    fn fold(&self, fold: &Fold, frame: &mut Vec<Value>, span: Span) -> Result<Value, Fault> {
        if fold.kind == FoldKind::Reach {
            return self.reach(fold, frame, span);
        }
        let mut gathered = Gathered::new(fold.kind);
        self.gather(fold, 0, frame, &mut gathered, span)?;
        gathered.finish(span)
    }

    /// The set of all that can be reached: the elements to start from, what the body makes of each, and so on
    /// until nothing new comes.
    fn reach(&self, fold: &Fold, frame: &mut Vec<Value>, span: Span) -> Result<Value, Fault> {
        let [source] = fold.sources.as_slice() else { return Ok(Value::set([])) };
        let mut waiting =
            super::elements(&Value::list(self.domain(&source.domain, frame, false)?.iter(span)?.collect()));
        waiting.reverse();
        let mut reached = BTreeSet::new();
        while let Some(item) = waiting.pop() {
            self.tick(span)?;
            if reached.contains(&item) {
                continue;
            }
            bind(&source.slots, item.clone(), frame);
            if let Some(filter) = &fold.filter
                && !self.truth(filter, frame)?
            {
                continue;
            }
            reached.insert(item);
            self.room(reached.len(), span)?;
            let next = self.eval(&fold.body, frame)?;
            waiting.extend(super::elements(&next));
        }
        Ok(Value::Set(Arc::new(reached)))
    }

    /// Goes through the sources from number `depth` on; `false` when it stopped early.
    fn gather(
        &self,
        fold: &Fold,
        depth: usize,
        frame: &mut Vec<Value>,
        into: &mut Gathered,
        span: Span,
    ) -> Result<bool, Fault> {
        let Some(source) = fold.sources.get(depth) else {
            if let Some(filter) = &fold.filter
                && !self.truth(filter, frame)?
            {
                return Ok(true);
            }
            if let Some(stop) = &fold.stop
                && !self.truth(stop, frame)?
            {
                return Ok(false);
            }
            let value = self.eval(&fold.body, frame)?;
            self.room(into.list.len() + into.set.len(), span)?;
            return into.add(value, span);
        };
        let dom = self.domain(&source.domain, frame, false)?;
        for item in dom.iter(span)? {
            self.tick(span)?;
            bind(&source.slots, item, frame);
            if !self.gather(fold, depth + 1, frame, into, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Puts a value into a slot, or the parts of a tuple into several.
pub(super) fn bind(slots: &[usize], value: Value, frame: &mut [Value]) {
    match (slots, value) {
        ([slot], value) => frame[*slot] = value,
        (slots, Value::List(parts)) => {
            for (slot, part) in slots.iter().zip(parts.iter()) {
                frame[*slot] = part.clone();
            }
        }
        _ => {}
    }
}

fn arith(op: Arith, a: &Int, b: &Int, span: Span) -> Result<Int, Fault> {
    let by_zero = || fault(Code::DivisionByZero, span, format!("{a} is divided by 0"));
    match op {
        Arith::Add => Ok(a.add(b)),
        Arith::Sub => Ok(a.sub(b)),
        Arith::Mul => a.mul(b).map_err(too_large(span)),
        Arith::Div => a.div_floor(b).ok_or_else(by_zero),
        Arith::Mod => a.modulo(b).ok_or_else(by_zero),
        Arith::Pow if b.is_negative() => {
            Err(fault(Code::BadArgument, span, format!("{a} cannot be raised to the negative power {b}")))
        }
        Arith::Pow => a.pow(b).map_err(too_large(span)),
    }
}

fn compare(op: Compare, a: &Value, b: &Value) -> bool {
    match op {
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
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

/// Whether a collection has an element.
pub(super) fn has(collection: &Value, value: &Value) -> bool {
    match collection {
        Value::List(items) => items.contains(value),
        Value::Set(items) => items.contains(value),
        Value::Bag(items) => items.contains_key(value),
        Value::Map(map) => map.contains_key(value),
        Value::Grid(grid) => matches!(value, Value::Square(square) if grid.at(*square).is_some()),
        _ => false,
    }
}

/// What a binder has gathered so far.
struct Gathered {
    kind: FoldKind,
    number: Option<Int>,
    truth: bool,
    value: Option<Value>,
    list: Vec<Value>,
    set: BTreeSet<Value>,
}

impl Gathered {
    fn new(kind: FoldKind) -> Gathered {
        let number = match kind {
            FoldKind::Product => Some(Int::ONE),
            FoldKind::Largest | FoldKind::Smallest => None,
            _ => Some(Int::ZERO),
        };
        Gathered {
            kind,
            number,
            truth: kind == FoldKind::All,
            value: None,
            list: Vec::new(),
            set: BTreeSet::new(),
        }
    }

    /// Takes one more; `false` when no more can change the result.
    fn add(&mut self, value: Value, span: Span) -> Result<bool, Fault> {
        match (self.kind, value) {
            (FoldKind::List | FoldKind::Bag, value) => self.list.push(value),
            (FoldKind::Set, value) => {
                self.set.insert(value);
            }
            (FoldKind::First, value) => {
                self.value = Some(value);
                return Ok(false);
            }
            (FoldKind::All, Value::Bool(b)) => {
                self.truth = b;
                return Ok(b);
            }
            (FoldKind::Some, Value::Bool(b)) => {
                self.truth = b;
                return Ok(!b);
            }
            (FoldKind::Count, Value::Bool(true)) => {
                self.number = self.number.take().map(|n| n.add(&Int::ONE))
            }
            (FoldKind::Count, _) => {}
            (kind, Value::Int(n)) => {
                let next = match (&self.number, kind) {
                    (Some(sum), FoldKind::Sum) => sum.add(&n),
                    (Some(product), FoldKind::Product) => product.mul(&n).map_err(too_large(span))?,
                    (Some(all), FoldKind::Xor) => theory::xor(all, &n),
                    (Some(all), FoldKind::Gcd) => all.gcd(&n),
                    (Some(best), FoldKind::Largest) => best.clone().max(n),
                    (Some(best), FoldKind::Smallest) => best.clone().min(n),
                    (_, _) => n,
                };
                self.number = Some(next);
            }
            _ => {}
        }
        Ok(true)
    }

    fn finish(self, span: Span) -> Result<Value, Fault> {
        let nothing = || fault(Code::NoSuchElement, span, "there is nothing to take here: no element fits");
        Ok(match self.kind {
            FoldKind::All | FoldKind::Some => Value::Bool(self.truth),
            FoldKind::List => Value::list(self.list),
            FoldKind::Bag => Value::bag(self.list),
            FoldKind::Set => Value::Set(Arc::new(self.set)),
            FoldKind::First => self.value.ok_or_else(nothing)?,
            _ => Value::Int(self.number.ok_or_else(nothing)?),
        })
    }
}
