//! What satisfied a condition: the elements that fulfil its `some`, and the squares involved, such as four in
//! a line or a chain between two sides.

use std::collections::BTreeMap;

use crate::eval::{Env, Fault, elements};
use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Game, Slot, SquareAt, Type, Value,
};

/// What satisfied a condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Witness {
    /// The rows that fulfil the first `some`, a value per name: all rows if they are players, else the first.
    pub elements: Vec<Vec<Value>>,
    /// The squares involved, without duplicates, in the order found; those of a chain in path order.
    pub squares: Vec<SquareAt>,
}

/// Finds what satisfied a condition that holds, with the surrounding names bound in `frame`.
pub(super) fn find_witness(env: &Env, game: &Game, cond: &Expr, frame: &[Value]) -> Witness {
    let mut search = Search { env, game, met: Witness::default() };
    match search.visit_true(cond, frame) {
        Ok(()) => search.met,
        Err(_) => Witness::default(),
    }
}

struct Search<'m> {
    env: &'m Env<'m>,
    game: &'m Game,
    met: Witness,
}

impl<'m> Search<'m> {
    fn value(&self, e: &Expr, frame: &[Value]) -> Result<Value, Fault> {
        self.env.eval(e, &mut frame.to_vec())
    }

    fn holds(&self, e: &Expr, frame: &[Value]) -> Result<bool, Fault> {
        Ok(self.value(e, frame)? == Value::Bool(true))
    }

    /// Analyses a condition that holds.
    fn visit_true(&mut self, e: &Expr, frame: &[Value]) -> Result<(), Fault> {
        match &e.kind {
            ExprKind::And(a, b) => {
                self.visit_true(a, frame)?;
                self.visit_true(b, frame)
            }
            ExprKind::Or(a, b) => {
                let side = if self.holds(a, frame)? { a } else { b };
                self.visit_true(side, frame)
            }
            ExprKind::If(arms, otherwise) => {
                for (cond, value) in arms {
                    if self.holds(cond, frame)? {
                        return self.visit_true(value, frame);
                    }
                }
                self.visit_true(otherwise, frame)
            }
            ExprKind::Call(function, args) => {
                let (body, frame) = self.called(*function, args, frame)?;
                self.visit_true(body, &frame)
            }
            ExprKind::Fold(fold) if fold.kind == FoldKind::Some => self.some(fold, frame),
            ExprKind::Fold(fold) if fold.kind == FoldKind::All => {
                for row in self.rows(fold, fold.filter.as_ref(), FoldKind::List, frame)? {
                    self.visit_true(&fold.body, &bound(fold, frame, &row))?;
                }
                Ok(())
            }
            ExprKind::Compare(first, chain) => {
                let equal = chain.iter().all(|(op, _)| *op == Compare::Equal);
                let sides = [&**first].into_iter().chain(chain.iter().map(|(_, side)| side));
                sides.into_iter().try_for_each(|side| self.side(side, equal, frame))
            }
            ExprKind::In(value, domain) => {
                let value = self.value(value, frame)?;
                self.reached(domain, &value, frame)?;
                self.squares(&value);
                Ok(())
            }
            // `x is not none`: look at the operand.
            ExprKind::Not(inner) => match &inner.kind {
                ExprKind::IsNone(what) => self.side(what, false, frame),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Analyses a `some`: records the rows that fulfil it, and analyses the condition for the first of them.
    fn some(&mut self, fold: &Fold, frame: &[Value]) -> Result<(), Fault> {
        let both = |filter: &Expr| Expr {
            kind: ExprKind::And(Box::new(filter.clone()), Box::new(fold.body.clone())),
            ty: Type::Bool,
            span: fold.body.span,
        };
        let cond = fold.filter.as_ref().map_or_else(|| fold.body.clone(), both);
        let rows = self.rows(fold, Some(&cond), FoldKind::First, frame)?;
        let Some(first) = rows.into_iter().next() else { return Ok(()) };
        if self.met.elements.is_empty() {
            let players = first.iter().all(|value| matches!(value, Value::Player(_)));
            self.met.elements = match players {
                true => self.rows(fold, Some(&cond), FoldKind::List, frame)?,
                false => vec![first.clone()],
            };
        }
        let within = bound(fold, frame, &first);
        for source in &fold.sources {
            if let [slot] = source.slots.as_slice() {
                self.reached(&source.domain, &within[*slot], &within)?;
            }
        }
        if let Some(filter) = &fold.filter {
            self.visit_true(filter, &within)?;
        }
        self.visit_true(&fold.body, &within)?;
        first.iter().for_each(|value| self.squares(value));
        Ok(())
    }

    /// Returns the rows of a fold's names for which `cond` holds: all, or the first, depending on `kind`.
    fn rows(
        &self,
        fold: &Fold,
        cond: Option<&Expr>,
        kind: FoldKind,
        frame: &[Value],
    ) -> Result<Vec<Vec<Value>>, Fault> {
        let span = fold.body.span;
        let part = |kind: ExprKind| Expr { kind, ty: Type::Wrong, span };
        let names = fold.sources.iter().flat_map(|source| &source.slots);
        let body = part(ExprKind::Tuple(names.map(|slot| part(ExprKind::Local(*slot))).collect()));
        let all = Fold { kind, filter: cond.cloned(), body, ..fold.clone() };
        let found = self.value(&part(ExprKind::Fold(Box::new(all))), frame)?;
        Ok(match kind {
            FoldKind::List => elements(&found).iter().map(elements).collect(),
            _ => vec![elements(&found)],
        })
    }

    /// Records the squares on the path to `value`, if the domain is computed by `reach`.
    fn reached(&mut self, domain: &Domain, value: &Value, frame: &[Value]) -> Result<(), Fault> {
        if let Domain::Values(of) = domain {
            let way = self.way(of, value, frame)?.unwrap_or_default();
            way.iter().for_each(|value| self.squares(value));
        }
        Ok(())
    }

    /// Returns the shortest path to an element of a `reach`; `None` if the expression is not a `reach`.
    fn way(&self, e: &Expr, to: &Value, frame: &[Value]) -> Result<Option<Vec<Value>>, Fault> {
        let fold = match &e.kind {
            ExprKind::Call(function, args) => {
                let (body, frame) = self.called(*function, args, frame)?;
                return self.way(body, to, &frame);
            }
            ExprKind::Fold(fold) if fold.kind == FoldKind::Reach => fold,
            _ => return Ok(None),
        };
        let open = |row: &[Value]| match &fold.filter {
            Some(filter) => self.holds(filter, &bound(fold, frame, row)),
            None => Ok(true),
        };
        // The predecessor of each element; a starting element is its own predecessor.
        let mut from: BTreeMap<Value, Value> = BTreeMap::new();
        let whole = |row: &[Value]| match row {
            [one] => one.clone(),
            row => Value::list(row.to_vec()),
        };
        let mut edge: Vec<Value> = Vec::new();
        for row in self.rows(fold, None, FoldKind::List, frame)? {
            let item = whole(&row);
            if open(&row)? && from.insert(item.clone(), item.clone()).is_none() {
                edge.push(item);
            }
        }
        while !edge.is_empty() && !from.contains_key(to) {
            let mut next = Vec::new();
            for item in edge {
                let row = apart(fold, &item);
                for new in elements(&self.value(&fold.body, &bound(fold, frame, &row))?) {
                    if !from.contains_key(&new) && open(&apart(fold, &new))? {
                        from.insert(new.clone(), item.clone());
                        next.push(new);
                    }
                }
            }
            edge = next;
        }
        let mut way = vec![to.clone()];
        while let Some(before) = way.last().and_then(|last| from.get(last).filter(|before| *before != last)) {
            way.push(before.clone());
        }
        way.reverse();
        Ok(Some(way))
    }

    /// Analyses a side of a comparison: records the squares that it reads, counts or names.
    fn side(&mut self, e: &Expr, equal: bool, frame: &[Value]) -> Result<(), Fault> {
        match &e.kind {
            ExprKind::Index(base, at) | ExprKind::Pick(base, at) if matches!(base.ty, Type::Grid(_)) => {
                let at = self.value(at, frame)?;
                self.squares(&at);
            }
            ExprKind::Call(function, args) => {
                let (body, frame) = self.called(*function, args, frame)?;
                self.side(body, equal, &frame)?;
            }
            ExprKind::Fold(fold) if fold.kind == FoldKind::Count => {
                for row in self.rows(fold, fold.filter.as_ref(), FoldKind::List, frame)? {
                    let frame = bound(fold, frame, &row);
                    if self.holds(&fold.body, &frame)? {
                        row.iter().for_each(|value| self.squares(value));
                    }
                }
            }
            ExprKind::Builtin(Builtin::Size, args) => {
                for arg in args {
                    let all = self.value(arg, frame)?;
                    self.squares(&all);
                }
            }
            _ if equal && e.ty == Type::Square => {
                let square = self.value(e, frame)?;
                self.squares(&square);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the body of a function and a frame with its parameters bound.
    fn called(
        &self,
        function: usize,
        args: &[Expr],
        frame: &[Value],
    ) -> Result<(&'m Expr, Vec<Value>), Fault> {
        let lambda = &self.game.functions[function].lambda;
        let mut own: Vec<Value> =
            args.iter().map(|arg| self.value(arg, frame)).collect::<Result<_, Fault>>()?;
        own.resize(lambda.frame.max(own.len()), Value::Unset);
        Ok((&lambda.body, own))
    }

    /// Records a square, or each square of a list or set of squares.
    fn squares(&mut self, value: &Value) {
        match value {
            Value::Square(at) if !self.met.squares.contains(at) => self.met.squares.push(*at),
            Value::List(_) | Value::Set(_) => {
                let items = elements(value);
                if items.iter().all(|item| matches!(item, Value::Square(_))) {
                    items.iter().for_each(|item| self.squares(item));
                }
            }
            _ => {}
        }
    }
}

/// Binds the names of a fold in a copy of the frame.
fn bound(fold: &Fold, frame: &[Value], row: &[Value]) -> Vec<Value> {
    let mut frame = frame.to_vec();
    let slots = fold.sources.iter().flat_map(|source| &source.slots);
    slots.zip(row).for_each(|(slot, value): (&Slot, &Value)| frame[*slot] = value.clone());
    frame
}

/// Splits an element of a single-source fold into the values of its names.
fn apart(fold: &Fold, item: &Value) -> Vec<Value> {
    let names: usize = fold.sources.iter().map(|source| source.slots.len()).sum();
    if names == 1 { vec![item.clone()] } else { elements(item) }
}
