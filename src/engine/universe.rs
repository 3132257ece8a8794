//! Computes supersets of the values that move arguments can have in any position, from options, forms and
//! types alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval::{Dom, Machine, elements};
use crate::ir::{
    Arith, Bound, Builtin, Chance, ChanceKind, Change, Domain, Effect, Expr, ExprKind, FoldKind, Form,
    MoveCheck, Op, Param, Place, ResultFact, Slot, Source, SquareAt, StateId, Type, Value, bound_slots,
    changes, children, legality_parts, op_parts, reads_position, resets,
};
use crate::num::Int;

/// The most rows or columns of a board without a grid.
const MAX_SIDE: u32 = 64;

/// The smallest and the largest value an integer can have.
type IntRange = (i64, i64);

/// What is known about a local variable.
#[derive(Debug, Clone, Default)]
struct Local {
    /// The range, for an integer.
    range: Option<IntRange>,
    /// A superset of the elements, for a collection.
    elements: Option<Dom>,
}

/// The local variables in scope: those in `bound` and, outside functions, the slots of the automaton.
#[derive(Debug, Clone, Default)]
struct Frame {
    bound: BTreeMap<Slot, Local>,
    function: bool,
}

/// Computes the values that parameters can be chosen from.
pub struct Universes<'m> {
    machine: &'m Machine,
    /// What is known about the automaton's slots; nothing about a slot that is still being computed.
    slots: BTreeMap<Slot, Local>,
    /// See [`Universes::board`].
    board: Option<(u32, u32)>,
}

fn int(n: &Int) -> Option<i64> {
    n.as_i64()
}

fn range((low, high): IntRange) -> Dom {
    Dom::Range(Int::from(low), Int::from(high))
}

fn items(mut values: Vec<Value>) -> Dom {
    values.sort();
    values.dedup();
    Dom::Items(Arc::new(values))
}

/// Returns the range of some integers; `None` if any value is not an integer.
fn hull(values: &[Value]) -> Option<IntRange> {
    let ints: Option<Vec<i64>> =
        values.iter().map(|value| if let Value::Int(n) = value { int(n) } else { None }).collect();
    let ints = ints?;
    Some((*ints.iter().min()?, *ints.iter().max()?))
}

fn dom_range(dom: &Dom) -> Option<IntRange> {
    match dom {
        Dom::Range(low, high) => Some((int(low)?, int(high)?)),
        Dom::Items(values) => hull(values),
        _ => None,
    }
}

fn range_union(a: IntRange, b: IntRange) -> IntRange {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Returns a domain that includes both.
fn dom_union(a: &Dom, b: &Dom) -> Option<Dom> {
    match (a, b) {
        (Dom::Items(a), Dom::Items(b)) => Some(items(a.iter().chain(b.iter()).cloned().collect())),
        _ => Some(range(range_union(dom_range(a)?, dom_range(b)?))),
    }
}

impl<'m> Universes<'m> {
    /// Creates the analysis for a game whose options and number of players are fixed.
    pub fn of(machine: &'m Machine) -> Universes<'m> {
        Universes { machine, slots: BTreeMap::new(), board: None }
    }

    /// Returns a superset of the values of a parameter; unbounded integers are limited to their window.
    /// `None` if nothing bounds it.
    pub fn param(&mut self, param: &Param) -> Option<Dom> {
        let frame = Frame::default();
        if let Some(tried) = &param.sampling_domain {
            return self.domain(tried, None, &frame);
        }
        let window = match &param.window {
            Some((low, high)) => Some((self.int_range(low, &frame)?.0, self.int_range(high, &frame)?.1)),
            None => None,
        };
        self.domain(param.domain.as_ref()?, window, &frame)
    }

    fn domain(&mut self, domain: &Domain, window: Option<IntRange>, frame: &Frame) -> Option<Dom> {
        match domain {
            Domain::Ints => window.map(range),
            Domain::AtLeast(low) => {
                let low = self.int_range(low, frame)?.0;
                window.map(|window| range((low.max(window.0), window.1)))
            }
            Domain::Range(low, high) => {
                Some(range((self.int_range(low, frame)?.0, self.int_range(high, frame)?.1)))
            }
            Domain::Values(e) => self.elements(e, frame),
            Domain::Permutations(e) => match Value::bag(elements(&self.closed(e)?)) {
                Value::Bag(bag) => {
                    Some(Dom::Permutations(bag.iter().map(|(item, times)| (item.clone(), *times)).collect()))
                }
                _ => None,
            },
            Domain::Arrangements(size, of) => {
                let size = self.size(size, frame)?;
                Some(Dom::Arrangements(size, Box::new(self.domain(of, window, frame)?)))
            }
            Domain::Lists(size, of) => {
                let size = self.size(size, frame)?;
                Some(Dom::Lists(size, Box::new(self.domain(of, window, frame)?)))
            }
            Domain::ListsFrom(low, high, of) => {
                let (low, high) = (self.int_range(low, frame)?.0, self.int_range(high.as_ref()?, frame)?.1);
                let (low, high) = (usize::try_from(low).ok()?, usize::try_from(high).ok()?);
                Some(Dom::ListsFrom(low, Some(high), Box::new(self.domain(of, window, frame)?)))
            }
            // The condition only removes values.
            Domain::Where(_, of, _) => self.domain(of, window, frame),
            Domain::Subsets(of, size) => {
                let of = self.elements(of, frame)?;
                let size = match size {
                    Some(size) => Some(self.size(size, frame)?),
                    None => None,
                };
                Some(Dom::Subsets(self.few(&of)?, size))
            }
            Domain::SubsetsFrom(least, most, of) => {
                let of = self.elements(of, frame)?;
                let least = self.int_range(least, frame)?.0;
                let most = match most {
                    Some(most) => Some(self.int_range(most, frame)?.1),
                    None => None,
                };
                Some(Dom::subsets_from(self.few(&of)?, least.into(), most.map(Int::from)))
            }
            Domain::Tuples(parts) => {
                let parts: Option<Vec<Dom>> =
                    parts.iter().map(|part| self.domain(part, window, frame)).collect();
                Some(Dom::Tuples(parts?))
            }
        }
    }

    /// Returns the elements of a domain; `None` if a word does not have a bit for each.
    fn few(&self, of: &Dom) -> Option<Vec<Value>> {
        let few = of.count(Default::default()).ok()??.as_usize()? <= 63;
        few.then(|| of.iter(Default::default()).map(Iterator::collect).ok())?
    }

    /// Returns a size, if it is the same in all positions.
    fn size(&mut self, e: &Expr, frame: &Frame) -> Option<usize> {
        let (low, high) = self.int_range(e, frame)?;
        usize::try_from(low).ok().filter(|_| low == high)
    }

    /// Evaluates an expression that depends only on options and players.
    fn closed(&self, e: &Expr) -> Option<Value> {
        let bound = bound_slots(e);
        if !self.is_closed(e, &mut |slot| bound.contains(&slot)) {
            return None;
        }
        let vacant = self.machine.unset_position();
        let mut frame =
            vec![Value::Unset; self.machine.game.slots.max(bound.last().map_or(0, |last| last + 1))];
        self.machine.ask(&vacant, |env| env.eval(e, &mut frame)).ok()
    }

    fn is_closed(&self, e: &Expr, local: &mut dyn FnMut(Slot) -> bool) -> bool {
        let mut all = match &e.kind {
            ExprKind::Table(_)
            | ExprKind::Own(..)
            | ExprKind::IsIn(_)
            | ExprKind::Standing
            | ExprKind::Score(_) => false,
            ExprKind::Local(slot) => local(*slot),
            ExprKind::Call(id, _) => {
                self.is_closed(&self.machine.game.functions[*id].lambda.body, &mut |_| true)
            }
            _ => true,
        };
        children(e, &mut |child| all = all && self.is_closed(child, local));
        all
    }

    // ---- integers

    fn int_range(&mut self, e: &Expr, frame: &Frame) -> Option<IntRange> {
        if let Some(value) = self.closed(e) {
            return hull(&[value]);
        }
        match &e.kind {
            ExprKind::Local(slot) => self.local(*slot, frame).range,
            ExprKind::Table(id) | ExprKind::Own(id, _) => self.form_range(&self.machine.game.state[*id].form),
            ExprKind::Index(of, _) => self.indexed(of),
            ExprKind::Negative(a) => {
                let (low, high) = self.int_range(a, frame)?;
                Some((high.checked_neg()?, low.checked_neg()?))
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.int_range(a, frame)?, self.int_range(b, frame)?);
                arith(*op, a, b)
            }
            ExprKind::If(arms, otherwise) => {
                let mut all = self.int_range(otherwise, frame)?;
                for (_, value) in arms {
                    all = range_union(all, self.int_range(value, frame)?);
                }
                Some(all)
            }
            ExprKind::Call(id, args) => {
                let inner = self.called(args, frame);
                self.int_range(&self.machine.game.functions[*id].lambda.body, &inner)
            }
            ExprKind::Builtin(word, args) => self.word(*word, args, frame),
            ExprKind::Fold(fold)
                if matches!(fold.kind, FoldKind::Largest | FoldKind::Smallest | FoldKind::First) =>
            {
                let inner = self.within(&fold.sources, frame);
                self.int_range(&fold.body, &inner)
            }
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::Sum | FoldKind::Count) => {
                let (most, inner) =
                    (self.most_rows(&fold.sources, frame)?, self.within(&fold.sources, frame));
                let (low, high) = match fold.kind {
                    FoldKind::Count => (0, 1),
                    _ => self.int_range(&fold.body, &inner)?,
                };
                // The binders may have fewer values than that, or none.
                Some((low.min(0).checked_mul(most)?, high.max(0).checked_mul(most)?))
            }
            _ => None,
        }
    }

    /// Returns the most combinations of values that the binders of a fold can have.
    fn most_rows(&mut self, sources: &[Source], frame: &Frame) -> Option<i64> {
        let (mut most, mut inner) = (1_i64, frame.clone());
        for source in sources {
            let dom = match &source.domain {
                // A list may have its elements several times.
                Domain::Values(e) if matches!(e.ty, Type::List(_) | Type::Bag(_)) => {
                    self.word(Builtin::Size, std::slice::from_ref(e), &inner)?.1
                }
                domain => count(&self.domain(domain, None, &inner)?)?,
            };
            most = most.checked_mul(dom)?;
            inner = self.within(std::slice::from_ref(source), &inner);
        }
        Some(most)
    }

    fn word(&mut self, word: Builtin, args: &[Expr], frame: &Frame) -> Option<IntRange> {
        let first = args.first()?;
        match word.traits().known {
            known @ (ResultFact::Least | ResultFact::Most) => {
                let mut all = self.int_range(first, frame)?;
                for arg in &args[1..] {
                    let (low, high) = self.int_range(arg, frame)?;
                    all = match known {
                        ResultFact::Least => (all.0.min(low), all.1.min(high)),
                        _ => (all.0.max(low), all.1.max(high)),
                    };
                }
                Some(all)
            }
            ResultFact::Magnitude => {
                let (low, high) = self.int_range(first, frame)?;
                let most = low.checked_abs()?.max(high.checked_abs()?);
                Some((if low <= 0 && high >= 0 { 0 } else { low.abs().min(high.abs()) }, most))
            }
            ResultFact::Size => {
                let most = match &first.kind {
                    ExprKind::Table(id) | ExprKind::Own(id, _) => self.state_size(*id)?,
                    // A set has no repeated elements.
                    _ if matches!(first.ty, Type::Set(_)) => count(&self.elements(first, frame)?)?,
                    _ => return None,
                };
                Some((0, most))
            }
            ResultFact::Element => dom_range(&self.elements(first, frame)?),
            ResultFact::Row => Some((1, i64::from(self.board().0))),
            ResultFact::Column => Some((1, i64::from(self.board().1))),
            _ => None,
        }
    }

    fn form_range(&mut self, form: &Form) -> Option<IntRange> {
        match form {
            Form::Range(low, high) => {
                let frame = Frame::default();
                Some((self.int_range(low, &frame)?.0, self.int_range(high, &frame)?.1))
            }
            Form::Optional(of) => self.form_range(of),
            _ => None,
        }
    }

    /// Returns the maximum number of elements in a state variable.
    fn state_size(&mut self, id: StateId) -> Option<i64> {
        let frame = Frame::default();
        let state = &self.machine.game.state[id];
        match &state.form {
            // A collection that never grows has its maximum size at the start.
            Form::List(None, _) | Form::Bag(_) => {
                let first = state.init.as_ref().filter(|_| !self.grows(id))?;
                i64::try_from(elements(&self.closed(&first.body)?).len()).ok()
            }
            Form::List(Some((Bound::AtMost | Bound::Exactly, size)), _) => {
                Some(self.int_range(size, &frame)?.1)
            }
            Form::Set(of) => count(&self.form_values(of)?),
            Form::Grid(rows, columns, _) => {
                self.int_range(rows, &frame)?.1.checked_mul(self.int_range(columns, &frame)?.1)
            }
            Form::Map(_, key) => count(&self.form_values(key)?),
            _ => None,
        }
    }

    /// Whether any op may add an element to a state variable.
    fn grows(&self, id: StateId) -> bool {
        let whole = |place: &Place| place.state == id && place.path.is_empty();
        let adds = |op: &Op| {
            let mut changes = changes(op).into_iter();
            changes.any(|(place, change)| whole(place) && change != Change::Remove)
        };
        // Shuffling a list does not add elements.
        let shuffles = |op: &Op| matches!(op, Op::Chance(Chance { kind: ChanceKind::Shuffle(_), .. }));
        let game = &self.machine.game;
        // A reset adds nothing to the initial elements, unless those depend on the position.
        let refills = |op: &Op| {
            let mut own = resets(game, op).filter(|(state, _)| *state == id);
            own.any(|(_, init)| init.is_some_and(|init| reads_position(&init.body)))
        };
        game.code.iter().any(|op| adds(op) && !shuffles(op) || refills(op))
    }

    /// Returns the range of the values at an index of a collection.
    fn indexed(&mut self, of: &Expr) -> Option<IntRange> {
        let form = match &of.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => &self.machine.game.state[*id].form,
            _ => return hull(&elements(&self.closed(of)?)),
        };
        match form {
            Form::List(_, of) | Form::Grid(_, _, of) | Form::Map(of, _) => self.form_range(of),
            _ => None,
        }
    }

    // ---- collections

    /// Returns a superset of the elements of a collection, in ascending order.
    fn elements(&mut self, e: &Expr, frame: &Frame) -> Option<Dom> {
        if let Some(value) = self.closed(e) {
            return Some(items(elements(&value)));
        }
        self.built(e, frame).or_else(|| self.of_type(&e.ty.element()?))
    }

    fn built(&mut self, e: &Expr, frame: &Frame) -> Option<Dom> {
        match &e.kind {
            ExprKind::Local(slot) => self.local(*slot, frame).elements,
            ExprKind::Table(id) | ExprKind::Own(id, _) => match &self.machine.game.state[*id].form {
                Form::List(_, of) | Form::Set(of) | Form::Bag(of) => self.form_values(of),
                Form::Map(_, key) => self.form_values(key),
                Form::Grid(rows, columns, _) => {
                    let outer = Frame::default();
                    let (rows, columns) =
                        (self.int_range(rows, &outer)?.1, self.int_range(columns, &outer)?.1);
                    Some(squares(u32::try_from(rows).ok()?, u32::try_from(columns).ok()?))
                }
                _ => None,
            },
            ExprKind::Listed(domain) => match self.domain(domain, None, frame)? {
                dom @ (Dom::Range(..) | Dom::Items(_)) => Some(dom),
                _ => None,
            },
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                let ends: Option<Vec<IntRange>> =
                    parts.iter().map(|part| self.int_range(part, frame)).collect();
                ends?.into_iter().reduce(range_union).map(range)
            }
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
                let inner = self.within(&fold.sources, frame);
                if let ExprKind::Local(slot) = &fold.body.kind
                    && let Some(source) = fold.sources.iter().find(|source| source.slots == [*slot])
                {
                    return self.domain(&source.domain, None, &inner);
                }
                self.int_range(&fold.body, &inner).map(range)
            }
            ExprKind::Call(id, args) => {
                let inner = self.called(args, frame);
                self.elements(&self.machine.game.functions[*id].lambda.body, &inner)
            }
            ExprKind::If(arms, otherwise) => {
                let mut all = self.elements(otherwise, frame)?;
                for (_, value) in arms {
                    all = dom_union(&all, &self.elements(value, frame)?)?;
                }
                Some(all)
            }
            ExprKind::Builtin(word, args) => match word.traits().known {
                ResultFact::All | ResultFact::Different | ResultFact::SomeOf | ResultFact::Shared => {
                    self.elements(args.first()?, frame)
                }
                ResultFact::Joined => {
                    let mut all = self.elements(&args[0], frame)?;
                    for arg in &args[1..] {
                        all = dom_union(&all, &self.elements(arg, frame)?)?;
                    }
                    Some(all)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns all values of a form.
    fn form_values(&mut self, form: &Form) -> Option<Dom> {
        match form {
            Form::Range(..) => self.form_range(form).map(range),
            Form::Symbols(ids) => Some(items(ids.iter().map(|id| Value::Symbol(*id)).collect())),
            form => self.of_type(&form.ty()),
        }
    }

    /// Returns all values of a type; `None` if values of this type cannot be listed.
    fn of_type(&mut self, ty: &Type) -> Option<Dom> {
        match ty {
            Type::Bool => Some(items(vec![Value::Bool(false), Value::Bool(true)])),
            Type::Symbol(ids) => Some(items(ids.iter().map(|id| Value::Symbol(*id)).collect())),
            Type::Player => Some(items((0..self.machine.setup.players).map(Value::Player).collect())),
            Type::Square => {
                let (rows, columns) = self.board();
                Some(squares(rows, columns))
            }
            _ => None,
        }
    }

    /// Returns the largest number of rows and the largest number of columns of any grid and, if state holds squares, of
    /// the squares that the rules make.
    pub fn board(&mut self) -> (u32, u32) {
        if let Some(known) = self.board {
            return known;
        }
        let machine = self.machine;
        let game = &machine.game;
        let mut board = (1, 1);
        for state in &game.state {
            if let Form::Grid(rows, columns, _) = &state.form {
                let size = |e: &Expr| match self.closed(e) {
                    Some(Value::Int(n)) => n.as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(1),
                    _ => 1,
                };
                board = (board.0.max(size(rows)), board.1.max(size(columns)));
            }
        }
        // Where a square lies on the board is asked below.
        self.board = Some(board);
        if game.state.iter().any(|state| holds_squares(&state.form.ty())) {
            let frame = Frame::default();
            let inits = game.state.iter().filter_map(|state| state.init.as_ref()).map(|init| &init.body);
            let parts = game.code.iter().flat_map(op_parts).chain(game.moves.iter().flat_map(legality_parts));
            inits.chain(parts).for_each(|e| self.squares_made(e, &frame, &mut board));
            let function = Frame { function: true, ..Frame::default() };
            game.functions.iter().for_each(|of| self.squares_made(&of.lambda.body, &function, &mut board));
            self.board = Some(board);
        }
        board
    }

    /// Extends a board by the squares that an expression makes of numbers with known bounds.
    fn squares_made(&mut self, e: &Expr, frame: &Frame, board: &mut (u32, u32)) {
        let mut take = |(rows, columns): (i64, i64)| {
            let most = |at: i64| u32::try_from(at).ok().filter(|at| *at <= MAX_SIDE);
            if let (Some(rows), Some(columns)) = (most(rows), most(columns)) {
                *board = (board.0.max(rows), board.1.max(columns));
            }
        };
        match &e.kind {
            ExprKind::Square(row, column) => {
                if let (Some(row), Some(column)) = (self.int_range(row, frame), self.int_range(column, frame))
                {
                    take((row.1, column.1));
                }
            }
            ExprKind::Value(Value::Square(square)) => take((square.row.into(), square.column.into())),
            _ => {}
        }
        let inner = match &e.kind {
            ExprKind::Fold(fold) => self.within(&fold.sources, frame),
            _ => frame.clone(),
        };
        let mut parts = Vec::new();
        children(e, &mut |child| parts.push(child));
        parts.into_iter().for_each(|part| self.squares_made(part, &inner, board));
    }

    // ---- local variables

    fn known(&mut self, e: &Expr, frame: &Frame) -> Local {
        match &e.ty {
            Type::Int => Local { range: self.int_range(e, frame), elements: None },
            ty if ty.element().is_some() => Local { range: None, elements: self.elements(e, frame) },
            _ => Local::default(),
        }
    }

    /// Returns the frame of a function called with these arguments.
    fn called(&mut self, args: &[Expr], frame: &Frame) -> Frame {
        let bound = args.iter().enumerate().map(|(slot, arg)| (slot, self.known(arg, frame))).collect();
        Frame { bound, function: true }
    }

    /// Returns the frame within a binder.
    fn within(&mut self, sources: &[Source], frame: &Frame) -> Frame {
        let mut inner = frame.clone();
        for source in sources {
            let ends = match source.slots.as_slice() {
                [_] => self.domain(&source.domain, None, &inner).and_then(|dom| dom_range(&dom)),
                _ => None,
            };
            for slot in &source.slots {
                inner.bound.insert(*slot, Local { range: ends, elements: None });
            }
        }
        inner
    }

    fn local(&mut self, slot: Slot, frame: &Frame) -> Local {
        if let Some(known) = frame.bound.get(&slot) {
            return known.clone();
        }
        if frame.function {
            return Local::default();
        }
        if let Some(known) = self.slots.get(&slot) {
            return known.clone();
        }
        // Recursive definitions yield no information.
        self.slots.insert(slot, Local::default());
        let known = self.filled(slot).unwrap_or_default();
        self.slots.insert(slot, known.clone());
        known
    }

    /// Returns a superset of the values that the rules may store in a slot of the automaton.
    fn filled(&mut self, slot: Slot) -> Option<Local> {
        let machine = self.machine;
        let (game, frame) = (&machine.game, Frame::default());
        let mut all: Vec<Local> = Vec::new();
        let mut named = |this: &mut Self, slots: &[Slot], e: &Expr| {
            if slots.contains(&slot) {
                all.push(if slots.len() == 1 { this.known(e, &frame) } else { Local::default() });
            }
        };
        for op in &game.code {
            if let Op::Do(Effect::Let(slots, e), _) = op {
                named(self, slots, e);
            }
        }
        for mv in &game.moves {
            for check in &mv.checks {
                if let MoveCheck::Let(slots, e) = check {
                    named(self, slots, e);
                }
            }
        }
        for choice in &game.choices {
            for offer in choice.all_offers() {
                let given = game.moves[offer.mv].params.iter().filter(|param| param.domain.is_none());
                for (param, e) in given.zip(&offer.given) {
                    named(self, &[param.slot], e);
                }
            }
        }
        let of = |dom: Option<Dom>| Local { range: dom.as_ref().and_then(dom_range), elements: None };
        for param in game.moves.iter().flat_map(|mv| &mv.params) {
            if param.slot == slot && param.domain.is_some() {
                all.push(of(self.param(param)));
            }
        }
        for op in &game.code {
            match op {
                Op::Chance(chance) => match &chance.kind {
                    ChanceKind::Value(domain, own) if *own == slot => {
                        all.push(of(self.domain(domain, None, &frame)));
                    }
                    ChanceKind::Draw(_, own) if *own == slot => all.push(Local::default()),
                    _ => {}
                },
                Op::Collect { list, at, .. } if *list == slot || *at == slot => all.push(Local::default()),
                Op::Next { list, slots, .. } if slots.contains(&slot) => {
                    for op in &game.code {
                        if let Op::Collect { source, list: filled, .. } = op
                            && filled == list
                        {
                            let one = slots.len() == 1;
                            all.push(if one {
                                of(self.domain(source, None, &frame))
                            } else {
                                Local::default()
                            });
                        }
                    }
                }
                _ => {}
            }
        }
        let ends = all.iter().map(|known| known.range).collect::<Option<Vec<IntRange>>>();
        let elements = all.iter().map(|known| known.elements.clone()).collect::<Option<Vec<Dom>>>();
        let elements = elements.and_then(|all| {
            let mut all = all.into_iter();
            let first = all.next()?;
            all.try_fold(first, |all, more| dom_union(&all, &more))
        });
        Some(Local { range: ends.and_then(|ends| ends.into_iter().reduce(range_union)), elements })
    }
}

/// Whether values of a type contain squares, other than the squares of grids.
fn holds_squares(ty: &Type) -> bool {
    match ty {
        Type::Square => true,
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) => holds_squares(of),
        Type::Tuple(parts) => parts.iter().any(holds_squares),
        Type::Map(of, key) => holds_squares(of) || holds_squares(key),
        Type::Grid(of) => holds_squares(of),
        _ => false,
    }
}

fn count(dom: &Dom) -> Option<i64> {
    dom.count(Default::default()).ok()??.as_i64()
}

fn squares(rows: u32, columns: u32) -> Dom {
    let all = (1..=rows).flat_map(|row| (1..=columns).map(move |column| SquareAt { row, column }));
    Dom::Items(Arc::new(all.map(Value::Square).collect()))
}

/// Returns the range of the result of an operation; for `/` and `mod`, only if the divisor is positive.
fn arith(op: Arith, a: IntRange, b: IntRange) -> Option<IntRange> {
    let corners = |f: fn(i64, i64) -> Option<i64>| {
        let all = [f(a.0, b.0)?, f(a.0, b.1)?, f(a.1, b.0)?, f(a.1, b.1)?];
        let distinct: BTreeSet<i64> = all.into_iter().collect();
        Some((*distinct.first()?, *distinct.last()?))
    };
    match op {
        Arith::Add => corners(i64::checked_add),
        Arith::Sub => corners(i64::checked_sub),
        Arith::Mul => corners(i64::checked_mul),
        Arith::Div if b.0 > 0 => corners(i64::checked_div_euclid),
        Arith::Mod if b.0 > 0 => Some((0, b.1 - 1)),
        Arith::Div | Arith::Mod | Arith::Pow => None,
    }
}
