//! What each slot of the automaton holds: found from what writes it.

use std::collections::BTreeMap;

use super::layout::Layout;
use super::shape::{LIMIT, Scalar, Squares, in_a_row, number, scalar_of, scalar_of_type, to_word};
use super::table;
use crate::eval::{Machine, Position};
use crate::ir::{
    Arith, ChanceKind, Domain, Effect, Expr, ExprKind, FoldKind, Form, Game, Live, MoveCheck, Op, Slot, Type,
    Value,
};

/// What a slot holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotShape {
    /// A word.
    Word(Scalar),
    /// A small set.
    Bits(Scalar),
    /// A list: the elements of a small set, ascending.
    Members(Scalar),
    /// A list of words.
    List(Scalar),
    /// A list of integers from one to another.
    Span,
    /// Always the same list.
    Fixed(Vec<Value>),
}

/// What is known of all slots.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    /// Their shapes; those that have none are missing.
    pub shapes: BTreeMap<Slot, SlotShape>,
    /// In how many places the rules fill each.
    filled: BTreeMap<Slot, usize>,
}

/// What no counter reaches that grows by one at a time, if a match goes on for years.
pub const COUNTER: i64 = 1 << 52;

/// How far a loop has come in its list.
fn counter() -> SlotShape {
    SlotShape::Word(Scalar::int(0, 1 << 31))
}

/// Whether an expression is a slot's own value and one more.
fn counts(slot: Slot, e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Arith(Arith::Add, a, b)
        if matches!(&a.kind, ExprKind::Local(own) if *own == slot)
            && matches!(&b.kind, ExprKind::Value(Value::Int(n)) if n.as_i64() == Some(1)))
}

/// The largest set that is kept in registers, in words.
pub const REGISTERS: usize = 8;

struct Finder<'m> {
    machine: &'m Machine,
    blank: &'m Position,
    squares: Squares,
    found: BTreeMap<Slot, Option<SlotShape>>,
    filled: BTreeMap<Slot, usize>,
}

/// Finds the shapes of a game's slots; `blank` is a position before the start.
pub fn find(machine: &Machine, blank: &Position, squares: Squares) -> Slots {
    let mut finder = Finder { machine, blank, squares, found: BTreeMap::new(), filled: BTreeMap::new() };
    let game = &machine.game;
    for op in &game.code {
        match op {
            Op::Do(Effect::Let(slots, e), _) => finder.bound(slots, e),
            Op::Collect { source, list, at } => {
                let shape = finder.listed(source);
                finder.note(*list, shape);
                finder.note(*at, Some(counter()));
            }
            Op::Next { list, at, slots, .. } => {
                let shape = finder.found.get(list).cloned().flatten();
                finder.elements(slots, shape.as_ref());
                finder.note(*at, Some(counter()));
            }
            Op::Chance(chance) => match &chance.kind {
                ChanceKind::Value(domain, slot) => {
                    let scalar = finder.drawn(domain);
                    finder.note(*slot, scalar.map(SlotShape::Word));
                }
                ChanceKind::Draw(place, slot) => {
                    let ty = game.state[place.state].form.ty();
                    let scalar = ty.element().and_then(|ty| finder.scalar(&ty));
                    finder.note(*slot, scalar.map(SlotShape::Word));
                }
                ChanceKind::Shuffle(_) | ChanceKind::Deal(..) => {}
            },
            _ => {}
        }
    }
    for choice in &game.choices {
        for offer in choice.offers.iter().chain(&choice.otherwise) {
            let mv = &game.moves[offer.mv];
            finder.note(mv.me, finder.scalar(&Type::Player).map(SlotShape::Word));
            for param in &mv.params {
                let shape = match (&param.ty, &param.domain) {
                    (Type::List(of), _) => finder.scalar(of).map(SlotShape::List),
                    (_, Some(domain)) => {
                        let known = finder.of_each_seat(domain, mv.me);
                        known.or_else(|| finder.drawn(domain)).map(SlotShape::Word)
                    }
                    (ty, None) => finder.scalar(ty).map(SlotShape::Word),
                };
                finder.note(param.slot, shape);
            }
            for check in &mv.checks {
                if let MoveCheck::Let(slots, e) = check {
                    finder.bound(slots, e);
                }
            }
        }
    }
    let found = finder.found.into_iter().filter_map(|(slot, shape)| Some((slot, shape?)));
    Slots { shapes: found.collect(), filled: finder.filled }
}

impl Finder<'_> {
    fn scalar(&self, ty: &Type) -> Option<Scalar> {
        scalar_of_type(ty, self.machine.setup.players, self.squares)
    }

    /// A slot gets a value of this shape too.
    fn note(&mut self, slot: Slot, shape: Option<SlotShape>) {
        use SlotShape::{Fixed, List, Members, Span, Word};
        *self.filled.entry(slot).or_default() += 1;
        let joined = match (self.found.remove(&slot), shape) {
            (None, shape) => shape,
            (Some(Some(Word(a))), Some(Word(b))) => a.join(b).map(Word),
            (Some(Some(List(a))), Some(List(b) | Members(b))) => a.join(b).map(List),
            (Some(Some(Members(a))), Some(List(b))) => a.join(b).map(List),
            (Some(Some(a @ (Span | Fixed(_) | Members(_) | SlotShape::Bits(_)))), Some(b)) if a == b => {
                Some(a)
            }
            _ => None,
        };
        self.found.insert(slot, joined);
    }

    fn bound(&mut self, slots: &[Slot], e: &Expr) {
        match slots {
            // A counter: it begins somewhere and grows by one.
            [slot] if counts(*slot, e) => self.note(*slot, Some(SlotShape::Word(Scalar::int(0, COUNTER)))),
            [slot] => {
                let shape = self.shape(e);
                self.note(*slot, shape);
            }
            slots => {
                let parts = if let Type::Tuple(parts) = &e.ty { parts.clone() } else { Vec::new() };
                for (at, slot) in slots.iter().enumerate() {
                    let scalar = parts.get(at).and_then(|ty| self.scalar(ty));
                    self.note(*slot, scalar.map(SlotShape::Word));
                }
            }
        }
    }

    fn shape(&self, e: &Expr) -> Option<SlotShape> {
        match &e.ty {
            Type::Set(of) => {
                let of = self.scalar(of)?;
                (of.words() <= REGISTERS && !of.optional).then_some(SlotShape::Bits(of))
            }
            Type::List(of) => match self.selected(e) {
                Some(of) => Some(SlotShape::Members(of)),
                None => Some(SlotShape::List(self.scalar(of)?)),
            },
            ty => match &e.kind {
                ExprKind::Value(value) => {
                    let word = to_word(value, self.squares)?;
                    let full = self.scalar(ty)?;
                    let word = word.clamp(full.lo, full.hi);
                    Some(SlotShape::Word(Scalar { lo: word, hi: word, ..full }))
                }
                _ => {
                    let still = table::unchanging(self.machine, e, &mut |_| false);
                    let n = if still { number(self.machine, e) } else { None };
                    Some(SlotShape::Word(n.map_or(self.scalar(ty)?, |n| Scalar::int(n, n))))
                }
            },
        }
    }

    /// What a list selects from that is known beforehand: values ascending, few enough for the bits of a word. What
    /// is selected must depend on the state; all else is a list from a table.
    fn selected(&self, e: &Expr) -> Option<Scalar> {
        let ExprKind::Fold(fold) = &e.kind else { return None };
        if table::unchanging(self.machine, e, &mut |_| true) {
            return None;
        }
        let (FoldKind::List, true, [source]) = (fold.kind, table::selects(fold), fold.sources.as_slice())
        else {
            return None;
        };
        let values = self.unchanging(&source.domain)?;
        let of = range_of(&values, self.squares)?;
        let ascend = values.windows(2).all(|pair| pair[0] < pair[1]);
        (ascend && !of.optional && of.words() == 1).then_some(of)
    }

    /// The elements of a domain that depends on nothing that changes.
    fn unchanging(&self, domain: &Domain) -> Option<Vec<Value>> {
        if !table::unchanging_domain(self.machine, domain, &mut |_| false) {
            return None;
        }
        table::elements_of(self.machine, self.blank, domain, vec![Value::Unset; self.machine.game.slots])
    }

    /// The integers or other words that a domain may give.
    fn drawn(&self, domain: &Domain) -> Option<Scalar> {
        match domain {
            Domain::Ints => Some(Scalar::any_int()),
            Domain::Range(low, high) => {
                let low = number(self.machine, low).unwrap_or(-LIMIT);
                let high = number(self.machine, high).unwrap_or(LIMIT);
                Some(Scalar::int(low, high.max(low)))
            }
            Domain::Values(e) => self.stored(e).or_else(|| self.scalar(&e.ty.element()?)),
            _ => None,
        }
    }

    /// What a collection in the state may hold, by its form.
    fn stored(&self, e: &Expr) -> Option<Scalar> {
        let (ExprKind::Table(id) | ExprKind::Own(id, _)) = &e.kind else { return None };
        match &self.machine.game.state[*id].form {
            Form::Set(of) | Form::Bag(of) | Form::List(_, of) => scalar_of(self.machine, of, self.squares),
            _ => None,
        }
    }

    /// What a domain holds that depends on nothing but who moves.
    fn of_each_seat(&self, domain: &Domain, me: Slot) -> Option<Scalar> {
        const MOST: usize = 1000;
        if !table::unchanging_domain(self.machine, domain, &mut |slot| slot == me) {
            return None;
        }
        let mut all = Vec::new();
        for seat in 0..self.machine.setup.players {
            let mut frame = vec![Value::Unset; self.machine.game.slots.max(me + 1)];
            frame[me] = Value::Player(seat);
            let own = table::elements_of(self.machine, self.blank, domain, frame)?;
            if own.is_empty() || own.len() > MOST {
                return None;
            }
            all.extend(own);
        }
        range_of(&all, self.squares)
    }

    /// What going through a domain needs to keep.
    fn listed(&self, domain: &Domain) -> Option<SlotShape> {
        if let Some(values) = self.unchanging(domain) {
            return Some(SlotShape::Fixed(values));
        }
        match domain {
            Domain::Range(..) => Some(SlotShape::Span),
            Domain::Values(e) => match &peek(e).kind {
                ExprKind::Listed(inner) if matches!(**inner, Domain::Range(..)) => Some(SlotShape::Span),
                ExprKind::Standing => Some(SlotShape::Members(self.scalar(&Type::Player)?)),
                _ => match &e.ty {
                    Type::Set(of) => {
                        let of = self.scalar(of)?;
                        (of.words() <= REGISTERS).then_some(SlotShape::Members(of))
                    }
                    ty => Some(SlotShape::List(self.scalar(&ty.element()?)?)),
                },
            },
            _ => None,
        }
    }

    fn elements(&mut self, slots: &[Slot], list: Option<&SlotShape>) {
        match list {
            Some(SlotShape::Fixed(values)) => {
                let part = |value: &Value, at: usize| match (value, slots.len()) {
                    (value, 1) => Some(value.clone()),
                    (Value::List(parts), _) => parts.get(at).cloned(),
                    _ => None,
                };
                for (at, slot) in slots.iter().enumerate() {
                    let parts: Option<Vec<Value>> = values.iter().map(|value| part(value, at)).collect();
                    let shape = parts.and_then(|parts| range_of(&parts, self.squares)).map(SlotShape::Word);
                    self.note(*slot, shape);
                }
            }
            other => {
                let scalar = match other {
                    Some(SlotShape::Members(of) | SlotShape::List(of)) if slots.len() == 1 => Some(*of),
                    Some(SlotShape::Span) if slots.len() == 1 => Some(Scalar::any_int()),
                    _ => None,
                };
                slots.iter().for_each(|slot| self.note(*slot, scalar.map(SlotShape::Word)));
            }
        }
    }
}

/// Slots that a counter tells: what a loop has come to, where it goes through a fixed row of words and leaves none out.
/// For each the counter, and what is to be added to it.
pub fn told(game: &Game, slots: &Slots, live: &Live, layout: &Layout) -> BTreeMap<Slot, (Slot, i64)> {
    let mut told = BTreeMap::new();
    for (pc, op) in game.code.iter().enumerate() {
        let Op::Next { list, at, slots: own, filter, .. } = op else { continue };
        let (Some(SlotShape::Fixed(values)), [slot]) = (slots.shapes.get(list), own.as_slice()) else {
            continue;
        };
        let words: Option<Vec<i64>> = values.iter().map(|value| to_word(value, layout.squares)).collect();
        let Some(words) = words.filter(|words| !words.is_empty() && in_a_row(words)) else { continue };
        // The counter is put to 0 before the loop and moved on by it, and nobody looks at the slot in between.
        let alone = slots.filled.get(slot) == Some(&1) && slots.filled.get(at) == Some(&2);
        if alone && leaves_none_out(filter.as_ref(), layout.all_in) && !live.at(pc).contains(slot) {
            told.insert(*slot, (*at, words[0] - 1));
        }
    }
    told
}

/// Whether a loop with this filter takes everything it goes through.
pub fn leaves_none_out(filter: Option<&Expr>, all_in: bool) -> bool {
    match filter.map(|filter| &filter.kind) {
        None => true,
        Some(ExprKind::IsIn(_)) => all_in,
        Some(_) => false,
    }
}

/// The sort and range of some words of one sort.
pub fn range_of(values: &[Value], squares: Squares) -> Option<Scalar> {
    use super::shape::{NONE, Sort};
    let mut joined: Option<Scalar> = None;
    let mut optional = false;
    for value in values {
        let word = to_word(value, squares)?;
        let sort = match value {
            Value::None => {
                optional = true;
                continue;
            }
            Value::Int(_) => Sort::Int,
            Value::Bool(_) => Sort::Bool,
            Value::Symbol(_) => Sort::Symbol,
            Value::Player(_) => Sort::Player,
            Value::Square(_) => Sort::Square,
            _ => return None,
        };
        debug_assert_ne!(word, NONE);
        let one = Scalar { sort, lo: word, hi: word, optional: false };
        joined = Some(match joined {
            None => one,
            Some(all) => all.join(one)?,
        });
    }
    joined.map(|all| Scalar { optional, ..all })
}

/// What an expression is behind the names that it gives.
pub fn peek(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Let(_, _, body) => peek(body),
        _ => e,
    }
}
