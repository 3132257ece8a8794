//! Symmetries of a game's squares, proved from its rules: reflections and rotations of the board that change
//! nothing but the names of squares.
//!
//! Every expression is given an [`Act`], which says how its value changes when the squares move: values
//! without squares stay as they are, squares move with the board, and the number of a flipped row or column
//! counts from the other side. If every part of the rules is consistent with this, then what follows from a
//! moved position is what follows from the position, moved: by induction over the steps of play. Symmetries
//! that cannot be proved in this way are not used.

use super::motion::Motion;
use crate::eval::Machine;
use crate::ir::{
    Builtin, Compare, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Game, Lambda, Live, Move, MoveCheck,
    Op, Place, Scoring, Slot, Type, Value, WinnerBy,
};
use crate::num::Int;

/// How deep function calls may be nested.
const MAX_CALLS: usize = 30;

/// The most parameters that may be row or column numbers: all their possible acts are tried.
const MAX_GUESSED: usize = 5;

/// How a value changes when squares move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Each square in it moves; everything else stays.
    Natural,
    /// The elements of a list move, but their order may change; if they are lists, the same holds for them.
    Unordered,
    /// The number of a row, which counts from the other side.
    Row,
    /// The number of a column, which counts from the other side.
    Column,
}

/// Returns the motions that leave a game the same, each with the acts of all slots of the automaton's frame.
pub fn symmetries(machine: &Machine) -> Vec<(Motion, Vec<Act>)> {
    Motion::of_board(machine)
        .into_iter()
        .filter_map(|motion| {
            let acts = prove(machine, &motion)?;
            // The proof covers the steps of play; the start, where nothing has been chosen, is compared.
            let start = machine.start().ok()?;
            let moved = motion.position(&start, &acts);
            (moved.cells == start.cells).then_some((motion, acts))
        })
        .collect()
}

/// Returns the acts of all slots if the whole game moves with the squares. For chosen numbers that may be
/// rows or columns, every possible act is tried.
fn prove(machine: &Machine, motion: &Motion) -> Option<Vec<Act>> {
    let game = &machine.game;
    let proof = Proof { machine, game, motion, live: Live::of(game) };
    let ambiguous: Vec<(Slot, Vec<Act>)> = game
        .moves
        .iter()
        .flat_map(|mv| &mv.params)
        .filter_map(|param| Some((param.slot, proof.possible_acts(param.domain.as_ref()?))))
        .filter(|(_, ways)| ways.len() > 1)
        .collect();
    if ambiguous.len() > MAX_GUESSED {
        return None;
    }
    let combinations: usize = ambiguous.iter().map(|(_, ways)| ways.len()).product();
    (0..combinations).find_map(|mut number| {
        let guessed: Vec<(Slot, Act)> = ambiguous
            .iter()
            .map(|(slot, ways)| {
                let way = ways[number % ways.len()];
                number /= ways.len();
                (*slot, way)
            })
            .collect();
        proof.game(&guessed)
    })
}

struct Proof<'m> {
    machine: &'m Machine,
    game: &'m Game,
    motion: &'m Motion,
    live: Live,
}

/// The acts of a frame's slots, as far as they are known, and the nesting depth of function calls.
#[derive(Debug, Clone, Default)]
struct SlotActs {
    acts: Vec<Option<Act>>,
    calls: usize,
}

impl SlotActs {
    /// Sets the act of a slot; `None` if it has another act already.
    fn set(&mut self, slot: Slot, act: Act) -> Option<()> {
        if self.acts.len() <= slot {
            self.acts.resize(slot + 1, None);
        }
        let known = self.acts[slot].get_or_insert(act);
        (*known == act).then_some(())
    }

    fn get(&self, slot: Slot) -> Option<Act> {
        self.acts.get(slot).copied().flatten()
    }
}

impl Proof<'_> {
    // ---- the game

    fn game(&self, guessed: &[(Slot, Act)]) -> Option<Vec<Act>> {
        let game = self.game;
        for state in &game.state {
            if let Some(init) = &state.init {
                self.lambda(init)?;
            }
        }
        match &game.scoring {
            Scoring::None | Scoring::Awards => {}
            Scoring::Each(lambda) => self.lambda(lambda)?,
            Scoring::Named(all) => all.iter().try_for_each(|lambda| self.lambda(lambda))?,
        }
        if let Some(winner) = &game.winner
            && let WinnerBy::Best(keys) = &winner.by
        {
            keys.iter().try_for_each(|(_, lambda)| self.lambda(lambda))?;
        }
        let mut frame = SlotActs::default();
        for mv in &game.moves {
            self.a_move(mv, guessed, &mut frame)?;
        }
        for op in &game.code {
            self.op(op, &mut frame)?;
        }
        for choice in &game.choices {
            if choice.together {
                return None;
            }
            self.natural(&choice.who, &mut frame)?;
            choice.must.iter().try_for_each(|must| self.natural(must, &mut frame))?;
            let offers = choice.all_offers();
            offers.flat_map(|offer| &offer.given).try_for_each(|given| self.natural(given, &mut frame))?;
        }
        // At a stop, no live slot may hold a list whose order is unknown.
        let stops = (0..game.code.len()).filter(|pc| matches!(game.code[*pc], Op::Choose(_)));
        let mut waiting = stops.flat_map(|pc| self.live.at(pc));
        if waiting.any(|slot| frame.get(*slot) == Some(Act::Unordered)) {
            return None;
        }
        Some((0..game.slots).map(|slot| frame.get(slot).unwrap_or(Act::Natural)).collect())
    }

    fn lambda(&self, lambda: &Lambda) -> Option<()> {
        let mut frame = SlotActs::default();
        (0..lambda.params).try_for_each(|slot| frame.set(slot, Act::Natural))?;
        self.natural(&lambda.body, &mut frame)
    }

    fn a_move(&self, mv: &Move, guessed: &[(Slot, Act)], frame: &mut SlotActs) -> Option<()> {
        frame.set(mv.me, Act::Natural)?;
        for param in &mv.params {
            let act = match &param.domain {
                None => Act::Natural,
                Some(domain) => {
                    let act = guessed.iter().find(|(slot, _)| *slot == param.slot).map(|(_, act)| *act);
                    match act.filter(|act| *act != Act::Natural) {
                        Some(act) => self.ranged(domain, act, frame)?,
                        None => self.elements(domain, frame)?.0,
                    }
                }
            };
            if act == Act::Unordered {
                return None;
            }
            frame.set(param.slot, act)?;
        }
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, value) => self.name(slots, value, frame)?,
                MoveCheck::Need { cond, .. } | MoveCheck::SoftNeed { cond, .. } => {
                    self.natural(cond, frame)?
                }
            }
        }
        Some(())
    }

    fn op(&self, op: &Op, frame: &mut SlotActs) -> Option<()> {
        match op {
            Op::Do(effect, _) => self.effect(effect, frame),
            Op::Jump(_) | Op::Choose(_) => Some(()),
            Op::Unless(cond, _) => self.natural(cond, frame),
            Op::Collect { source, list, at } => {
                // Elements are processed in order, so the order has to stay the same.
                let (act, true) = self.elements(source, frame)? else { return None };
                frame.set(*list, act)?;
                frame.set(*at, Act::Natural)
            }
            Op::Next { list, slots, filter, .. } => {
                let act = frame.get(*list)?;
                slots.iter().try_for_each(|slot| frame.set(*slot, act))?;
                filter.iter().try_for_each(|filter| self.natural(filter, frame))
            }
            Op::End(who) => who.iter().try_for_each(|who| self.natural(who, frame)),
            Op::Unseal(..) | Op::Chance(_) => None,
        }
    }

    fn effect(&self, effect: &Effect, frame: &mut SlotActs) -> Option<()> {
        match effect {
            Effect::Let(slots, value) => self.name(slots, value, frame),
            Effect::Assign(places, values) => {
                places.iter().try_for_each(|(place, _)| self.place(place, frame))?;
                values.iter().try_for_each(|value| self.natural(value, frame))
            }
            Effect::Send(value, from, to) => {
                self.natural(value, frame)?;
                self.place(from, frame)?;
                self.place(to, frame)
            }
            Effect::Award(amount, to, _) => {
                self.natural(amount, frame)?;
                self.natural(to, frame)
            }
            Effect::Out(who) => self.natural(who, frame),
            Effect::Say(..) | Effect::Reset(_) | Effect::Phase(_) => Some(()),
            Effect::Reveal(_) | Effect::Conceal(_) | Effect::Deal(..) => None,
        }
    }

    fn place(&self, place: &Place, frame: &mut SlotActs) -> Option<()> {
        place.owner.iter().chain(&place.path).try_for_each(|part| self.natural(part, frame))
    }

    fn name(&self, slots: &[Slot], value: &Expr, frame: &mut SlotActs) -> Option<()> {
        let act = self.act(value, frame)?;
        match slots {
            [slot] => frame.set(*slot, act),
            _ if act == Act::Natural => slots.iter().try_for_each(|slot| frame.set(*slot, act)),
            _ => None,
        }
    }

    // ---- domains

    /// Returns the possible acts of values chosen from a domain: numbers may be those of rows or columns.
    fn possible_acts(&self, domain: &Domain) -> Vec<Act> {
        let mut ways = vec![Act::Natural];
        let domain = if let Domain::Where(_, of, _) = domain { of } else { domain };
        if let Domain::Range(low, high) = domain
            && self.number(low) == Some(1)
            && let Some(high) = self.number(high)
        {
            let Motion { rows, columns, .. } = *self.motion;
            if self.motion.flips_columns && high == i64::from(columns) {
                ways.push(Act::Column);
            }
            if self.motion.flips_rows && high == i64::from(rows) {
                ways.push(Act::Row);
            }
        }
        ways
    }

    /// Checks a range that is taken as all rows or columns, and the condition on it.
    fn ranged(&self, domain: &Domain, act: Act, frame: &mut SlotActs) -> Option<Act> {
        if let Domain::Where(slot, _, cond) = domain {
            frame.set(*slot, act)?;
            self.natural(cond, frame)?;
        }
        Some(act)
    }

    /// Returns the act of a domain's elements, and whether their order stays the same.
    fn elements(&self, domain: &Domain, frame: &mut SlotActs) -> Option<(Act, bool)> {
        match domain {
            Domain::Ints => Some((Act::Natural, true)),
            Domain::AtLeast(low) => self.natural(low, frame).map(|()| (Act::Natural, true)),
            Domain::Range(low, high) => {
                self.natural(low, frame)?;
                self.natural(high, frame)?;
                Some((Act::Natural, true))
            }
            Domain::Values(of) => {
                let element = of.ty.element()?;
                match self.act(of, frame)? {
                    Act::Natural => {
                        let ordered = matches!(of.ty, Type::List(_)) || !has_places(&element);
                        Some((Act::Natural, ordered && !matches!(of.ty, Type::Grid(_))))
                    }
                    Act::Unordered => Some((unordered(&element), false)),
                    Act::Row | Act::Column => None,
                }
            }
            Domain::Where(slot, of, cond) => {
                let found = self.elements(of, frame)?;
                frame.set(*slot, found.0)?;
                self.natural(cond, frame)?;
                Some(found)
            }
            // Rows are supported only without squares.
            rows => {
                let mut parts = Vec::new();
                crate::ir::domain_parts(rows, &mut parts);
                parts.into_iter().try_for_each(|part| self.natural(part, frame))?;
                (!has_places(&rows.element())).then_some((Act::Natural, true))
            }
        }
    }

    // ---- expressions

    /// Succeeds if the act of an expression is natural.
    fn natural(&self, e: &Expr, frame: &mut SlotActs) -> Option<()> {
        (self.act(e, frame)? == Act::Natural).then_some(())
    }

    fn all_natural<'e>(&self, all: impl IntoIterator<Item = &'e Expr>, frame: &mut SlotActs) -> Option<Act> {
        all.into_iter().try_for_each(|e| self.natural(e, frame)).map(|()| Act::Natural)
    }

    fn act(&self, e: &Expr, frame: &mut SlotActs) -> Option<Act> {
        match &e.kind {
            ExprKind::Value(value) => self.fixed(value),
            ExprKind::Option(id) => self.fixed(&self.machine.setup.options[*id]),
            ExprKind::Constant(id) => self.fixed(&self.machine.setup.constants[*id]),
            ExprKind::Local(slot) => frame.get(*slot),
            ExprKind::Table(_) | ExprKind::Players | ExprKind::Standing => Some(Act::Natural),
            ExprKind::Own(_, a)
            | ExprKind::IsIn(a)
            | ExprKind::Score(a)
            | ExprKind::Not(a)
            | ExprKind::Negative(a)
            | ExprKind::IsNone(a)
            | ExprKind::Part(a, _) => self.all_natural([&**a], frame),
            ExprKind::Arith(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Index(a, b) => {
                self.all_natural([&**a, &**b], frame)
            }
            ExprKind::With(a, b, c) => self.all_natural([&**a, &**b, &**c], frame),
            ExprKind::Tuple(all) | ExprKind::List(all) | ExprKind::Set(all) => self.all_natural(all, frame),
            ExprKind::Compare(first, links) => self.compare(first, links, frame),
            ExprKind::In(a, domain) => {
                self.natural(a, frame)?;
                (self.elements(domain, frame)?.0 == Act::Natural).then_some(Act::Natural)
            }
            ExprKind::If(arms, otherwise) => {
                let act = self.act(otherwise, frame)?;
                for (cond, value) in arms {
                    self.natural(cond, frame)?;
                    if self.act(value, frame)? != act {
                        return None;
                    }
                }
                Some(act)
            }
            ExprKind::Call(function, args) => {
                let lambda = &self.game.functions[*function].lambda;
                let mut own = SlotActs { calls: frame.calls + 1, ..SlotActs::default() };
                if own.calls > MAX_CALLS {
                    return None;
                }
                for (slot, arg) in args.iter().enumerate() {
                    own.set(slot, self.act(arg, frame)?)?;
                }
                self.act(&lambda.body, &mut own)
            }
            ExprKind::Square(row, column) => {
                let wanted = |flips: bool, act: Act| if flips { act } else { Act::Natural };
                let motion = self.motion;
                let fits = !motion.transposes
                    && self.act(row, frame)? == wanted(motion.flips_rows, Act::Row)
                    && self.act(column, frame)? == wanted(motion.flips_columns, Act::Column);
                fits.then_some(Act::Natural)
            }
            ExprKind::Pick(of, places) => {
                self.natural(of, frame)?;
                self.act(places, frame).filter(|act| matches!(act, Act::Natural | Act::Unordered))
            }
            ExprKind::Listed(domain) => Some(match self.elements(domain, frame)? {
                (Act::Natural, true) => Act::Natural,
                (Act::Natural | Act::Unordered, _) => Act::Unordered,
                _ => return None,
            }),
            ExprKind::Let(slots, value, body) => {
                self.name(slots, value, frame)?;
                self.act(body, frame)
            }
            ExprKind::Fold(fold) => self.fold(fold, frame),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, frame),
            ExprKind::Text(_) => None,
        }
    }

    /// Returns the act of a constant, in which no square may move.
    fn fixed(&self, value: &Value) -> Option<Act> {
        (self.motion.value(value) == *value).then_some(Act::Natural)
    }

    /// Returns a number that is known before play.
    fn number(&self, e: &Expr) -> Option<i64> {
        let value = match &e.kind {
            ExprKind::Value(value) => value,
            ExprKind::Option(id) => &self.machine.setup.options[*id],
            ExprKind::Constant(id) => &self.machine.setup.constants[*id],
            _ => return None,
        };
        if let Value::Int(n) = value { Int::as_i64(n) } else { None }
    }

    /// Equality is preserved; the order of values is preserved only if they do not change at all.
    fn compare(&self, first: &Expr, links: &[(Compare, Expr)], frame: &mut SlotActs) -> Option<Act> {
        let act = self.act(first, frame)?;
        for (how, other) in links {
            if self.act(other, frame)? != act || act == Act::Unordered {
                return None;
            }
            let equality = matches!(how, Compare::Equal | Compare::NotEqual);
            if !equality && (act != Act::Natural || has_places(&other.ty)) {
                return None;
            }
        }
        Some(Act::Natural)
    }

    /// Returns the act of a fold, if the order of its elements does not matter or stays the same. A range of
    /// numbers may be one of rows or columns.
    fn fold(&self, fold: &Fold, frame: &mut SlotActs) -> Option<Act> {
        let ways: Vec<Vec<Act>> =
            fold.sources.iter().map(|source| self.possible_acts(&source.domain)).collect();
        let combinations: usize = ways.iter().map(Vec::len).product();
        if ways.iter().filter(|ways| ways.len() > 1).count() > MAX_GUESSED {
            return None;
        }
        (0..combinations).find_map(|mut number| {
            let mut inner = frame.clone();
            let mut ordered = true;
            for (source, ways) in fold.sources.iter().zip(&ways) {
                let way = ways[number % ways.len()];
                number /= ways.len();
                let act = if way == Act::Natural {
                    let (act, same) = self.elements(&source.domain, &mut inner)?;
                    ordered &= same;
                    act
                } else {
                    ordered = false;
                    self.ranged(&source.domain, way, &mut inner)?
                };
                if source.slots.len() > 1 && act != Act::Natural {
                    return None;
                }
                source.slots.iter().try_for_each(|slot| inner.set(*slot, act))?;
            }
            fold.filter.iter().try_for_each(|filter| self.natural(filter, &mut inner))?;
            if let Some(stop) = &fold.stop {
                self.natural(stop, &mut inner)?;
                if !ordered {
                    return None;
                }
            }
            let body = self.act(&fold.body, &mut inner)?;
            self.gathered(fold, body, ordered)
        })
    }

    fn gathered(&self, fold: &Fold, body: Act, ordered: bool) -> Option<Act> {
        match fold.kind {
            FoldKind::Reach => matches!(body, Act::Natural | Act::Unordered).then_some(Act::Unordered),
            FoldKind::List => match (body, ordered) {
                (Act::Natural, true) => Some(Act::Natural),
                (Act::Natural | Act::Unordered, _) => Some(Act::Unordered),
                _ => None,
            },
            FoldKind::First => (body == Act::Natural && ordered).then_some(Act::Natural),
            FoldKind::Largest | FoldKind::Smallest => {
                (body == Act::Natural && !has_places(&fold.body.ty)).then_some(Act::Natural)
            }
            FoldKind::Sum
            | FoldKind::Product
            | FoldKind::Count
            | FoldKind::All
            | FoldKind::Some
            | FoldKind::Set
            | FoldKind::Bag
            | FoldKind::Xor
            | FoldKind::Gcd
            | FoldKind::Lcm => (body == Act::Natural).then_some(Act::Natural),
        }
    }

    fn builtin(&self, builtin: Builtin, args: &[Expr], frame: &mut SlotActs) -> Option<Act> {
        let Motion { transposes, flips_rows, flips_columns, .. } = *self.motion;
        let acts = args.iter().map(|arg| self.act(arg, frame)).collect::<Option<Vec<Act>>>()?;
        let natural = acts.iter().all(|act| *act == Act::Natural);
        let unordered = acts.iter().all(|act| matches!(act, Act::Natural | Act::Unordered));
        let places = args.iter().any(|arg| has_places(&arg.ty));
        let flat = args.iter().all(|arg| !arg.ty.element().is_some_and(|of| matches!(of, Type::List(_))));
        match builtin {
            Builtin::Row if natural && !transposes => Some(if flips_rows { Act::Row } else { Act::Natural }),
            Builtin::Column if natural && !transposes => {
                Some(if flips_columns { Act::Column } else { Act::Natural })
            }
            Builtin::Row | Builtin::Column => None,
            // Collections of squares or lines that every motion maps to themselves, or to the moved square's.
            Builtin::Lines
            | Builtin::Diagonals
            | Builtin::Squares
            | Builtin::Edge
            | Builtin::Corners
            | Builtin::Beside
            | Builtin::Around
            | Builtin::Straight => natural.then_some(Act::Unordered),
            Builtin::Rows | Builtin::Columns => (natural && !transposes).then_some(Act::Unordered),
            // The two diagonal neighbours of a hex lie to the upper right and the lower left.
            Builtin::Hexes => (natural && flips_rows == flips_columns).then_some(Act::Unordered),
            Builtin::Size | Builtin::Empty if unordered => Some(Act::Natural),
            Builtin::Full if natural => Some(Act::Natural),
            Builtin::ToSet | Builtin::ToBag if unordered && flat => Some(Act::Natural),
            Builtin::Sum
            | Builtin::Product
            | Builtin::Largest
            | Builtin::Smallest
            | Builtin::Mex
            | Builtin::Distinct
                if unordered && flat && !places =>
            {
                Some(Act::Natural)
            }
            Builtin::Union | Builtin::Common | Builtin::Without | Builtin::Subset | Builtin::Present
                if natural =>
            {
                Some(Act::Natural)
            }
            // All others give the same result for arguments that do not change.
            _ => (natural && !places).then_some(Act::Natural),
        }
    }
}

/// Returns the act of the elements of an unordered list.
fn unordered(element: &Type) -> Act {
    if matches!(element, Type::List(_)) { Act::Unordered } else { Act::Natural }
}

/// Whether values of a type may contain squares.
fn has_places(ty: &Type) -> bool {
    match ty {
        Type::Square | Type::Grid(_) | Type::Wrong => true,
        Type::Int | Type::Bool | Type::Player | Type::Symbol(_) | Type::Text | Type::Never => false,
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) | Type::Either(_, of) => {
            has_places(of)
        }
        Type::Map(key, of) => has_places(key) || has_places(of),
        Type::Tuple(parts) => parts.iter().any(has_places),
    }
}
