//! Infers what each slot of the automaton holds from the ops and moves that fill it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::eval::{Machine, Position};
use crate::ir::{
    Arith, ChanceKind, Domain, Effect, Expr, ExprKind, FoldKind, Form, Game, Live, MoveCheck, Op, Slot, Type,
    Value,
};
use crate::jit::analysis::invariants;
use crate::jit::layout::either::sort_of;
use crate::jit::layout::kept::{Kept, Keyed};
use crate::jit::layout::pool;
use crate::jit::layout::position::{Layout, arg_shape, small, written_first};
use crate::jit::layout::shape::{
    LIMIT, Scalar, Shape, Sort, Squares, is_consecutive, number, scalar_of, scalar_of_type, shape_of, to_word,
};
use crate::jit::layout::tuple::{common, word_in};
use crate::opt::{Fact, Facts, Scope};

/// The shape of what a slot holds, or an argument of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotShape {
    /// A scalar.
    Word(Scalar),
    /// A small set.
    Bits(Scalar),
    /// A list of the elements of a small set, ascending.
    Members(Scalar),
    /// A list of scalars.
    List(Scalar),
    /// A set of scalars, as an ascending list.
    Set(Scalar),
    /// A bag of scalars, as a list.
    Bag(Scalar),
    /// The list of all integers between two bounds, inclusive.
    Span,
    /// A list or a tuple of values that fit no word, in scratch memory; it is not live where the position waits.
    Kept(Kept),
    /// Always the same list.
    Fixed(Vec<Value>),
    /// Anything else, of this type: in registers the number of a kept value, in memory serialised.
    Opaque(Type),
}

impl SlotShape {
    /// Returns the type of what it holds if that is a kept value.
    pub fn opaque_type(&self) -> Option<Type> {
        if let SlotShape::Opaque(ty) = self { Some(ty.clone()) } else { None }
    }

    /// Returns how values in such a slot are kept if a single word names them; `None` for those that the reference keeps.
    pub fn kept(&self) -> Option<Kept> {
        Some(match self {
            SlotShape::Word(of) => Kept::Word(*of),
            SlotShape::Bits(of) => Kept::Bits(*of),
            SlotShape::Members(of) | SlotShape::List(of) | SlotShape::Set(of) => Kept::List(*of),
            SlotShape::Bag(of) => Kept::Bag(*of),
            SlotShape::Span => Kept::List(Scalar::any_int()),
            SlotShape::Kept(of) => of.clone(),
            SlotShape::Fixed(_) | SlotShape::Opaque(_) => return None,
        })
    }

    /// Returns the shape of a slot for one of some values of a type that are kept in scratch memory.
    fn of_kept(kept: &Kept, ty: &Type) -> SlotShape {
        match kept {
            Kept::Word(of) => SlotShape::Word(*of),
            Kept::Bits(of) => SlotShape::Bits(*of),
            Kept::List(of) if matches!(ty, Type::Set(_)) => SlotShape::Set(*of),
            Kept::List(of) => SlotShape::List(*of),
            Kept::Bag(of) => SlotShape::Bag(*of),
            _ => SlotShape::Kept(kept.clone()),
        }
    }

    /// Whether what it holds may be of any size: it lies in scratch memory, and in a position in a growing block.
    pub fn grows(&self) -> bool {
        matches!(self, SlotShape::List(_) | SlotShape::Set(_) | SlotShape::Bag(_) | SlotShape::Opaque(_))
    }

    /// Returns the number of registers that it takes.
    pub fn words(&self) -> usize {
        match self {
            SlotShape::Word(_) | SlotShape::Opaque(_) | SlotShape::Kept(_) => 1,
            SlotShape::Bits(of) | SlotShape::Members(of) => of.words(),
            SlotShape::List(_) | SlotShape::Set(_) | SlotShape::Bag(_) | SlotShape::Span => 2,
            SlotShape::Fixed(_) => 0,
        }
    }

    /// Returns the number of bytes that it takes in a position: those of its registers, or of the handle of its block.
    pub fn bytes(&self) -> i32 {
        if self.grows() { pool::LIST as i32 * 8 } else { self.words() as i32 * 8 }
    }

    /// Returns the range of an argument known to lie in `known`; an argument of another sort keeps its own range.
    pub fn narrowed(&self, known: Scalar) -> Scalar {
        match self {
            SlotShape::Word(of) if of.sort != known.sort => *of,
            _ => known,
        }
    }
}

/// The shapes of all slots.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    /// The shape of each slot.
    pub shapes: BTreeMap<Slot, SlotShape>,
    /// The number of places in the rules that fill each slot.
    filled: BTreeMap<Slot, usize>,
}

/// A bound that a counter growing by one at a time never reaches, even if a match goes on for years.
pub const COUNTER: i64 = 1 << 52;

/// The greatest length of a list that a loop goes through, where nothing more is known.
const LONGEST: i64 = 1 << 31;

/// Whether an expression is a slot's own value plus one.
fn counts(slot: Slot, e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Arith(Arith::Add, a, b)
        if matches!(&a.kind, ExprKind::Local(own) if *own == slot)
            && matches!(&b.kind, ExprKind::Value(Value::Int(n)) if n.as_i64() == Some(1)))
}

/// The size of the largest set that is kept in registers, in words.
pub const REGISTERS: usize = 8;

struct Finder<'m> {
    machine: &'m Machine,
    facts: &'m Facts<'m>,
    /// What is known of the slots.
    scope: Scope,
    blank: &'m Position,
    squares: Squares,
    /// Whether lists of values that fit no word may be kept in scratch memory.
    gathers: bool,
    found: BTreeMap<Slot, SlotShape>,
    types: BTreeMap<Slot, Type>,
    filled: BTreeMap<Slot, usize>,
}

/// Infers the shapes of a game's slots; `blank` is a position before the start. If `gathers`, lists of values that fit no word
/// are kept in scratch memory where their type allows it.
pub fn find(machine: &Machine, blank: &Position, squares: Squares, gathers: bool) -> Slots {
    // What is known of one slot says more about those that are computed from it.
    const ROUNDS: usize = 4;
    let facts = Facts::new(machine, blank);
    let mut slots = find_knowing(machine, blank, squares, gathers, &facts, Scope::default());
    for _ in 1..ROUNDS {
        let mut scope = Scope::default();
        for (slot, shape) in &slots.shapes {
            if let SlotShape::Word(of) = shape
                && of.sort == Sort::Int
                && !of.optional
            {
                scope.insert(*slot, Fact::int(of.lo.into(), of.hi.into()));
            }
        }
        let more = find_knowing(machine, blank, squares, gathers, &facts, scope);
        if more.shapes == slots.shapes {
            break;
        }
        slots = more;
    }
    slots
}

/// Infers the shapes of slots, knowing the facts of some of them.
fn find_knowing(
    machine: &Machine,
    blank: &Position,
    squares: Squares,
    gathers: bool,
    facts: &Facts,
    scope: Scope,
) -> Slots {
    let mut finder = Finder {
        machine,
        facts,
        scope,
        blank,
        squares,
        gathers,
        found: BTreeMap::new(),
        types: BTreeMap::new(),
        filled: BTreeMap::new(),
    };
    let game = &machine.game;
    for op in &game.code {
        match op {
            Op::Do(Effect::Let(slots, e), _) => finder.bound(slots, e),
            Op::Collect { source, list, at } => {
                let shape = finder.listed(source);
                finder.record_fill(*list, shape, &Type::List(Box::new(source.element())));
                finder.count_through(*list, *at);
            }
            Op::Next { list, at, slots, .. } => {
                finder.elements(slots, *list);
                finder.count_through(*list, *at);
            }
            Op::Chance(chance) => match &chance.kind {
                ChanceKind::Value(domain, slot) => {
                    let ty = domain.element();
                    let fact = finder.facts.of_domain(domain, &finder.scope);
                    let drawn = finder.drawn(domain).map(|of| SlotShape::Word(within(of, &fact)));
                    finder.record_fill(*slot, drawn.unwrap_or_else(|| finder.of_type(&ty)), &ty);
                }
                ChanceKind::Draw(place, slot) => {
                    let whole = Some(game.state[place.state].form.ty());
                    let pile = place.path.iter().fold(whole, |ty, _| ty?.at_index());
                    let ty = pile.and_then(|pile| pile.element()).unwrap_or(Type::Wrong);
                    finder.record_fill(*slot, finder.of_type(&ty), &ty);
                }
                ChanceKind::Shuffle(_) | ChanceKind::Deal(..) => {}
            },
            _ => {}
        }
    }
    // Only now all that the lists of loops can be is known.
    for op in &game.code {
        if let Op::Collect { list, at, .. } | Op::Next { list, at, .. } = op {
            let most = finder.longest(*list);
            if let Some(SlotShape::Word(counter)) = finder.found.get_mut(at) {
                counter.hi = counter.hi.max(most);
            }
        }
    }
    for choice in &game.choices {
        for offer in choice.all_offers() {
            let mv = &game.moves[offer.mv];
            finder.record_fill(mv.me, finder.of_type(&Type::Player), &Type::Player);
            for param in &mv.params {
                let shape = match &param.domain {
                    Some(domain) => match arg_shape(machine, blank, param, squares) {
                        SlotShape::Word(of) => {
                            let known = finder.drawn(domain);
                            let fact = finder.facts.of_domain(domain, &finder.facts.of_move(mv));
                            SlotShape::Word(within(known.unwrap_or(of), &fact))
                        }
                        SlotShape::Opaque(_) => {
                            let fact = finder.facts.of_domain(domain, &finder.facts.of_move(mv));
                            let kept = Kept::of_type(&param.ty, &fact, machine.setup.players, squares);
                            let shape = kept.map(|kept| SlotShape::of_kept(&kept, &param.ty));
                            let held = |shape: &SlotShape| gathers || !matches!(shape, SlotShape::Kept(_));
                            shape.filter(held).unwrap_or_else(|| finder.of_type(&param.ty))
                        }
                        shape => shape,
                    },
                    None => finder.of_type(&param.ty),
                };
                finder.record_fill(param.slot, shape, &param.ty);
            }
            for check in &mv.checks {
                if let MoveCheck::Let(slots, e) = check {
                    finder.bound(slots, e);
                }
            }
        }
    }
    // A slot that may be read before it is bound must be able to hold unset; apart from words, only kept
    // values can.
    let live = Live::of(game);
    let waits = |op: &Op| matches!(op, Op::Choose(_) | Op::Unseal(..) | Op::Chance(_) | Op::End(_));
    let waiting: Vec<usize> = (0..game.code.len()).filter(|pc| waits(&game.code[*pc])).collect();
    for (slot, shape) in &mut finder.found {
        let outlives = || waiting.iter().any(|pc| live.at(*pc).contains(slot));
        let kept = matches!(shape, SlotShape::Kept(_));
        if !matches!(shape, SlotShape::Word(_)) && live.at(0).contains(slot) || kept && outlives() {
            *shape = SlotShape::Opaque(finder.types[slot].clone());
        }
    }
    Slots { shapes: finder.found, filled: finder.filled }
}

impl Slots {
    /// Whether a slot holds values that fit no word in scratch memory.
    pub fn gather(&self) -> bool {
        self.shapes.values().any(|shape| matches!(shape, SlotShape::Kept(_)))
    }
}

impl Finder<'_> {
    fn scalar(&self, ty: &Type) -> Option<Scalar> {
        scalar_of_type(ty, self.machine.setup.players, self.squares)
    }

    /// Returns the shape of a type's values.
    fn of_type(&self, ty: &Type) -> SlotShape {
        let opaque = || SlotShape::Opaque(ty.clone());
        match ty {
            Type::Set(of) => match self.scalar(of) {
                Some(of) if small(of) => SlotShape::Bits(of),
                Some(of) => SlotShape::Set(of),
                None => opaque(),
            },
            Type::List(of) => match self.scalar(of) {
                Some(of) => SlotShape::List(of),
                None => self.kept(ty, &Fact::default()).unwrap_or_else(opaque),
            },
            Type::Bag(of) => self.scalar(of).map_or_else(opaque, SlotShape::Bag),
            ty => match self.scalar(ty) {
                Some(of) => SlotShape::Word(of),
                None => self.kept(ty, &Fact::default()).unwrap_or_else(opaque),
            },
        }
    }

    /// Returns the shape of values that are kept in scratch memory, given what is known of them; `None` if such values cannot
    /// be kept there.
    fn kept(&self, ty: &Type, fact: &Fact) -> Option<SlotShape> {
        let kept = Kept::of_type(ty, fact, self.machine.setup.players, self.squares)?;
        let fits_no_word = matches!(kept, Kept::Gathered(_) | Kept::Optional(_) | Kept::Tuple(_));
        (self.gathers && fits_no_word).then_some(SlotShape::Kept(kept))
    }

    /// Records that a slot is also filled with values of this shape and type.
    fn record_fill(&mut self, slot: Slot, shape: SlotShape, ty: &Type) {
        use SlotShape::{Bits, List, Members, Opaque, Set, Word};
        *self.filled.entry(slot).or_default() += 1;
        self.types.insert(slot, ty.clone());
        let joined = match (self.found.remove(&slot), shape) {
            (None, shape) => Some(shape),
            (Some(Word(a)), Word(b)) => common(a, b).map(Word),
            (Some(List(a) | Members(a)), List(b)) | (Some(List(a)), Members(b)) => common(a, b).map(List),
            (Some(Bits(a) | Set(a)), Bits(b) | Set(b)) => {
                common(a, b).map(|of| if small(of) { Bits(of) } else { Set(of) })
            }
            (Some(SlotShape::Kept(a)), SlotShape::Kept(b)) => a.join(&b).map(SlotShape::Kept),
            (Some(a), b) if a == b => Some(a),
            _ => None,
        };
        self.found.insert(slot, joined.unwrap_or_else(|| Opaque(ty.clone())));
    }

    /// Returns the greatest length of a list, as far as its shape tells.
    fn longest(&self, list: Slot) -> i64 {
        match self.found.get(&list) {
            Some(SlotShape::Fixed(values)) => values.len() as i64,
            Some(SlotShape::Bits(of) | SlotShape::Members(of)) => of.size(),
            _ => LONGEST,
        }
    }

    /// Notes that a slot counts the elements of a list that a loop has gone through.
    fn count_through(&mut self, list: Slot, at: Slot) {
        let counter = SlotShape::Word(Scalar::int(0, self.longest(list)));
        self.record_fill(at, counter, &Type::Int);
    }

    fn bound(&mut self, slots: &[Slot], e: &Expr) {
        match slots {
            // A counter, which starts somewhere and grows by one.
            [slot] if counts(*slot, e) => {
                self.record_fill(*slot, SlotShape::Word(Scalar::int(0, COUNTER)), &Type::Int);
            }
            [slot] => {
                let shape = self.shape(e);
                self.record_fill(*slot, shape, &e.ty);
            }
            slots => {
                let parts = if let Type::Tuple(parts) = &e.ty { &parts[..] } else { &[] };
                for (slot, ty) in slots.iter().zip(parts) {
                    self.record_fill(*slot, self.of_type(ty), ty);
                }
            }
        }
    }

    fn shape(&self, e: &Expr) -> SlotShape {
        let by_type = self.of_type(&e.ty);
        match (&e.ty, &by_type) {
            (Type::List(_), SlotShape::List(_)) => self.selected(e).map_or(by_type, SlotShape::Members),
            (Type::Set(_), SlotShape::Set(all)) => {
                let of = within(*all, &self.facts.of(e, &self.scope).element_fact());
                if small(of) { SlotShape::Bits(of) } else { by_type }
            }
            (_, SlotShape::Word(full)) => match &e.kind {
                ExprKind::Value(value) => match word_in(value, full.sort, self.squares) {
                    Some(word) => {
                        let word = word.clamp(full.lo, full.hi);
                        SlotShape::Word(Scalar { lo: word, hi: word, ..*full })
                    }
                    None => SlotShape::Opaque(e.ty.clone()),
                },
                _ => {
                    let invariant = invariants::is_invariant(self.machine, e, &mut |_| false);
                    let n = if invariant { number(self.machine, e) } else { None };
                    match n {
                        Some(n) => SlotShape::Word(Scalar::int(n, n)),
                        None => SlotShape::Word(within(*full, &self.facts.of(e, &self.scope))),
                    }
                }
            },
            (Type::Map(..) | Type::Grid(_), _) if self.gathers => {
                self.keyed(e).map_or(by_type, |of| SlotShape::Kept(Kept::Keyed(Arc::new(of))))
            }
            (ty, SlotShape::Kept(_) | SlotShape::Opaque(_)) => {
                self.kept(ty, &self.facts.of(e, &self.scope)).unwrap_or(by_type)
            }
            _ => by_type,
        }
    }

    /// Returns how a map or a grid is kept that is a piece of state, or a copy of one; `None` of other expressions.
    fn keyed(&self, e: &Expr) -> Option<Keyed> {
        match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => {
                let unset = !written_first(&self.machine.game, *id);
                let form = &self.machine.game.state[*id].form;
                let shape = shape_of(self.machine, form, self.squares, unset).ok()?;
                let Shape::Keyed(shape) = shape else { return None };
                Some(Keyed::new(shape, unset && !shape.of.optional, self.squares))
            }
            ExprKind::Local(slot) => match self.found.get(slot)? {
                SlotShape::Kept(Kept::Keyed(of)) => Some((**of).clone()),
                _ => None,
            },
            ExprKind::With(base, ..) => self.keyed(base),
            ExprKind::Let(_, _, body) => self.keyed(body),
            ExprKind::If(arms, otherwise) => {
                let first = self.keyed(otherwise)?;
                let same = arms.iter().all(|(_, value)| self.keyed(value).as_ref() == Some(&first));
                same.then_some(first)
            }
            _ => None,
        }
    }

    /// If a list filters an ascending domain that is known at compile time and fits the bits of one word,
    /// returns the range of its elements. Lists that do not depend on state come from a precomputed table
    /// instead.
    fn selected(&self, e: &Expr) -> Option<Scalar> {
        let ExprKind::Fold(fold) = &e.kind else { return None };
        if invariants::is_invariant(self.machine, e, &mut |_| true) {
            return None;
        }
        let (FoldKind::List, true, [source]) =
            (fold.kind, invariants::only_filters(fold), fold.sources.as_slice())
        else {
            return None;
        };
        let values = self.invariant_elements(&source.domain)?;
        let of = range_of(&values, self.squares)?;
        let ascend = values.windows(2).all(|pair| pair[0] < pair[1]);
        (ascend && !of.optional && of.words() == 1).then_some(of)
    }

    /// Returns the elements of a domain that depends on nothing that changes.
    fn invariant_elements(&self, domain: &Domain) -> Option<Vec<Value>> {
        if !invariants::is_invariant_domain(self.machine, domain, &mut |_| false) {
            return None;
        }
        let frame = vec![Value::Unset; self.machine.game.slots];
        invariants::elements_of(self.machine, self.blank, domain, frame, false)
    }

    /// Returns the range of the scalars that a domain may contain.
    fn drawn(&self, domain: &Domain) -> Option<Scalar> {
        match domain {
            Domain::Ints => Some(Scalar::any_int()),
            Domain::AtLeast(low) => {
                Some(Scalar { lo: number(self.machine, low).unwrap_or(-LIMIT), ..Scalar::any_int() })
            }
            Domain::Range(..) => Some(Scalar::any_int()),
            Domain::Values(e) => {
                declared_domain(self.machine, e, self.squares).or_else(|| self.scalar(&e.ty.element()?))
            }
            _ => None,
        }
    }

    /// Returns the shape in which a loop keeps the elements of the domain that it iterates over.
    fn listed(&self, domain: &Domain) -> SlotShape {
        if let Some(values) = self.invariant_elements(domain) {
            return SlotShape::Fixed(values);
        }
        let list = || match self.of_type(&Type::List(Box::new(domain.element()))) {
            SlotShape::List(of) => SlotShape::List(within(of, &self.facts.of_domain(domain, &self.scope))),
            SlotShape::Kept(_) | SlotShape::Opaque(_) if let Domain::Values(e) = domain => self.shape(e),
            shape => shape,
        };
        match domain {
            Domain::Range(..) => SlotShape::Span,
            Domain::Values(e) => match (&strip_lets(e).kind, &e.ty) {
                (ExprKind::Listed(inner), _) if matches!(**inner, Domain::Range(..)) => SlotShape::Span,
                (ExprKind::Standing, _) => self.scalar(&Type::Player).map_or_else(list, SlotShape::Members),
                (_, Type::Set(of)) => {
                    self.scalar(of).filter(|of| small(*of)).map_or_else(list, SlotShape::Members)
                }
                _ => list(),
            },
            // What is listed from other domains comes from the reference.
            _ => match list() {
                SlotShape::Kept(_) => SlotShape::Opaque(Type::List(Box::new(domain.element()))),
                shape => shape,
            },
        }
    }

    /// Records that slots are filled with the elements of a list.
    fn elements(&mut self, slots: &[Slot], list: Slot) {
        let shape = self.found.get(&list).cloned();
        let of = self.types.get(&list).and_then(Type::element).unwrap_or(Type::Wrong);
        for (at, slot) in slots.iter().enumerate() {
            let ty = match &of {
                Type::Tuple(parts) if slots.len() > 1 => parts.get(at).cloned().unwrap_or(Type::Wrong),
                of => of.clone(),
            };
            let part = |value: &Value| match value {
                Value::List(parts) if slots.len() > 1 => parts.get(at).cloned(),
                value => Some(value.clone()),
            };
            let known = match &shape {
                Some(SlotShape::Fixed(values)) => {
                    let parts: Option<Vec<Value>> = values.iter().map(part).collect();
                    parts.and_then(|parts| range_of(&parts, self.squares)).map(SlotShape::Word)
                }
                Some(SlotShape::Members(of) | SlotShape::List(of)) if slots.len() == 1 => {
                    Some(SlotShape::Word(*of))
                }
                Some(SlotShape::Kept(Kept::Gathered(of))) => match &**of {
                    of if slots.len() == 1 => Some(SlotShape::of_kept(of, &ty)),
                    Kept::Tuple(parts) => parts.get(at).map(|of| SlotShape::of_kept(of, &ty)),
                    _ => None,
                },
                _ => None,
            };
            self.record_fill(*slot, known.unwrap_or_else(|| self.of_type(&ty)), &ty);
        }
    }
}

/// Narrows a range of integers by what is known of the values.
pub fn within(of: Scalar, fact: &Fact) -> Scalar {
    let bound = |n: i128| n.clamp((-LIMIT).into(), LIMIT.into()) as i64;
    let (lo, hi) = (of.lo.max(bound(fact.range.0)), of.hi.min(bound(fact.range.1)));
    if of.sort == Sort::Int && lo <= hi { Scalar { lo, hi, ..of } } else { of }
}

/// Finds slots that are derived from the counter of a loop: loop variables of loops over consecutive known
/// words that skip none. Returns for each slot the counter and what to add to it.
pub fn counted(game: &Game, slots: &Slots, live: &Live, layout: &Layout) -> BTreeMap<Slot, (Slot, i64)> {
    let mut counted = BTreeMap::new();
    for (pc, op) in game.code.iter().enumerate() {
        let Op::Next { list, at, slots: own, filter, .. } = op else { continue };
        let (Some(SlotShape::Fixed(values)), [slot]) = (slots.shapes.get(list), own.as_slice()) else {
            continue;
        };
        let Some((words, _)) = words_of(values, layout.squares).filter(|(words, _)| is_consecutive(words))
        else {
            continue;
        };
        // The counter is set to 0 before the loop and advanced by it, and the slot is not read in between.
        let alone = slots.filled.get(slot) == Some(&1) && slots.filled.get(at) == Some(&2);
        if alone && visits_all(filter.as_ref(), layout.all_in) && !live.at(pc).contains(slot) {
            counted.insert(*slot, (*at, words[0] - 1));
        }
    }
    counted
}

/// Finds slots that hold one of some known lists: the variables of loops over lists that never change. Returns
/// for each slot the counter of the loop, which is one past the list's number, and the lists.
pub fn known_lists(game: &Game, slots: &Slots, live: &Live) -> BTreeMap<Slot, (Slot, Rc<[Value]>)> {
    let mut found = BTreeMap::new();
    for (pc, op) in game.code.iter().enumerate() {
        let Op::Next { list, at, slots: own, .. } = op else { continue };
        let (Some(SlotShape::Fixed(values)), [slot]) = (slots.shapes.get(list), own.as_slice()) else {
            continue;
        };
        let lists = values.iter().all(|value| matches!(value, Value::List(_)));
        // Nothing but the loop sets the slot and the counter, and the slot is read only within the loop.
        let alone = slots.filled.get(slot) == Some(&1) && slots.filled.get(at) == Some(&2);
        if lists && alone && !live.at(pc).contains(slot) {
            found.insert(*slot, (*at, values.as_slice().into()));
        }
    }
    found
}

/// Whether a loop with this filter visits every element.
pub fn visits_all(filter: Option<&Expr>, all_in: bool) -> bool {
    match filter.map(|filter| &filter.kind) {
        None => true,
        Some(ExprKind::IsIn(_)) => all_in,
        Some(_) => false,
    }
}

/// Returns the sort and range of some values; `None` unless they fit words of one or two kinds.
pub fn range_of(values: &[Value], squares: Squares) -> Option<Scalar> {
    let mut joined: Option<Scalar> = None;
    let mut optional = false;
    for value in values {
        if *value == Value::None {
            optional = true;
            continue;
        }
        let (word, sort) = (to_word(value, squares)?, sort_of(value)?);
        let one = Scalar { sort, lo: word, hi: word, optional: false };
        joined = Some(match joined {
            None => one,
            Some(all) => common(all, one)?,
        });
    }
    joined.map(|all| Scalar { optional, ..all })
}

/// Returns the words of some values, with their sort and range.
pub fn words_of(values: &[Value], squares: Squares) -> Option<(Vec<i64>, Scalar)> {
    let of = range_of(values, squares)?;
    let words: Option<Vec<i64>> = values.iter().map(|value| word_in(value, of.sort, squares)).collect();
    Some((words?, of))
}

/// Returns the body of an expression without the `let`s around it.
pub fn strip_lets(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Let(_, _, body) => strip_lets(body),
        _ => e,
    }
}

/// Returns the domain of the elements of a collection in the state, as declared by its form.
pub fn declared_domain(machine: &Machine, e: &Expr, squares: Squares) -> Option<Scalar> {
    let (ExprKind::Table(id) | ExprKind::Own(id, _)) = &e.kind else { return None };
    match &machine.game.state[*id].form {
        Form::Set(of) | Form::Bag(of) | Form::List(_, of) => scalar_of(machine, of, squares),
        _ => None,
    }
}
