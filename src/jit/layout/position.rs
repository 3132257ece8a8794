//! The memory layout of a position: a head, the state, the slots that outlive a stop, and sealed choices.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Universes;
use crate::eval::{Machine, Position};
use crate::ir::{Domain, Effect, Game, Op, Param, Pc, Scoring, Slot, StateId, Type, Value};
use crate::jit::analysis::{invariants, symbols};
use crate::jit::layout::pool;
use crate::jit::layout::shape::{
    Cells, Index, Keys, Length, Scalar, Shape, Squares, contiguous, contiguous_keys, scalar_of_type, shape_of,
};
use crate::jit::layout::slots::{self, SlotShape};

/// The greatest number of argument words of a move.
pub const MAX_ARGS: usize = 32;

/// Byte offset in the head: the place in the automaton (`u32`).
pub const PC: i32 = 0;
/// What the position waits for (`u8`): 0 for the reference, 1 for choices, 2 for chance, 3 for nothing, as it
/// is over.
pub const WAITING: i32 = 4;
/// The last mover (`u8`): seat + 1, or 0 if there is none.
pub const LAST: i32 = 5;
/// The index of the choice that the position waits for (`u16`).
pub const CHOICE: i32 = 6;
/// The seats that are still to choose (`u64`, one bit each).
pub const SEATS: i32 = 8;
/// The seats that are still in (`u64`, one bit each).
pub const STANDING: i32 = 16;
/// The winners once the match is over (`u64`, one bit each).
pub const WINNERS: i32 = 24;
/// The number of draws since the last choice (`u32`).
pub const DRAWS: i32 = 32;
/// The seats with a sealed choice (`u64`, one bit each).
pub const SEALED: i32 = 40;
/// The size of the head.
const HEAD: i32 = 48;
/// The greatest depth of nested phases.
pub const MAX_PHASES: i32 = 15;

/// What a position waits for when code stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// For the reference, which is to continue.
    Nothing,
    /// For this choice.
    Choice(usize),
    /// For chance.
    Chance,
    /// For nothing: the match is over.
    Over,
}

/// The place of a piece of state.
#[derive(Debug, Clone)]
pub struct StatePlace {
    /// The shape of one owner's value.
    pub shape: Shape,
    /// The byte offset of the first owner's value.
    pub at: i32,
    /// The number of bytes from one owner to the next.
    pub stride: i32,
    /// The number of owners; 1 for shared state.
    pub owners: usize,
    /// Whether a scalar, or an element of a grid or map, may be unset.
    pub unset: bool,
    /// For a collection that may be unset: the offset, from the value, of a byte that says whether it was
    /// written.
    pub flag: Option<i32>,
}

/// The place of sealed choices. Each seat has its offer (`i64`), then words and bits, then the handles of
/// lists.
#[derive(Debug, Clone, Copy)]
pub struct Seal {
    /// The byte offset of the first seat's choice.
    pub at: i32,
    /// The number of bytes from one seat to the next.
    pub stride: i32,
    /// The offset of the list handles from the seat's own place.
    lists: i32,
}

impl Seal {
    /// Returns the offset of each argument from the seat's own place.
    pub fn places(self, args: &[SlotShape]) -> Vec<i32> {
        let (mut word, mut list) = (8, self.lists);
        let place = |arg: &SlotShape| {
            let next = if arg.grows() { &mut list } else { &mut word };
            *next += arg.bytes();
            *next - arg.bytes()
        };
        args.iter().map(place).collect()
    }
}

/// The layout of a game's positions; places are byte offsets.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The numbering of squares.
    pub squares: Squares,
    /// The number of players.
    pub players: usize,
    /// The place of each piece of state.
    pub states: Vec<StatePlace>,
    /// The players' points (`i64` each), if the game awards any.
    pub awards: Option<i32>,
    /// The bits of the revealed cells, if the game reveals any.
    pub revealed: Option<i32>,
    /// A byte for the depth and one for each nested phase, if the game has phases.
    pub phases: Option<i32>,
    /// The names of the phases.
    pub phase_names: Vec<String>,
    /// The shapes and places of the slots that outlive a stop.
    pub slots: BTreeMap<Slot, (SlotShape, i32)>,
    /// The place of sealed choices, if the game has joint choices.
    pub sealed: Option<Seal>,
    /// The stops at which some live slot has no flat shape.
    pub unencodable_stops: BTreeSet<Pc>,
    /// The shapes of each move's chosen arguments; `None` if they take more than [`MAX_ARGS`] words.
    pub args: Vec<Option<Vec<SlotShape>>>,
    /// Whether no seat ever drops out.
    pub all_in: bool,
    /// The size of a position in bytes, without growing blocks.
    pub bytes: i32,
    /// Whether any part grows; otherwise all positions have the same size.
    pub grows: bool,
}

/// Returns the offset at which the number of a bag's elements is kept, after a count for each possible element.
pub fn total_at(of: Scalar) -> i32 {
    i32::try_from(aligned(of.size() * 4, 8)).unwrap_or(i32::MAX)
}

/// Returns the offset at which the bits of the elements that occur in a bag are kept, after the number of its elements.
pub fn occurring_at(of: Scalar) -> i32 {
    total_at(of).saturating_add(8)
}

/// Returns the size of so many scalars one after another, in bytes: at least a word, so that the first can be loaded
/// together.
fn array_size(count: i64, of: Scalar) -> i64 {
    (count * i64::from(of.width())).max(8)
}

/// Returns the size of a value of a shape and its alignment, in bytes.
pub fn size_and_align(shape: &Shape, squares: Squares) -> (i64, i64) {
    let words = |scalar: &Scalar| i64::try_from(scalar.words()).unwrap_or(1);
    match shape {
        Shape::Scalar(of) => (i64::from(of.width()), i64::from(of.width())),
        Shape::Bits(of) => (words(of) * 8, 8),
        Shape::Counts(of) => (i64::from(occurring_at(*of)) + words(of) * 8, 8),
        Shape::List(Length::AtMost(n) | Length::Exactly(n) | Length::Always(n), of) => {
            let width = i64::from(of.width());
            // Elements are moved by whole words, so leave one word to spare behind them.
            (width.max(4) + n * width + 8, width.max(4))
        }
        Shape::List(Length::Growing, _) | Shape::Sorted(_) | Shape::Opaque => (pool::LIST as i64 * 8, 8),
        Shape::Keyed(shape) => {
            let bytes = i64::from(shape.head(squares)) + array_size(shape.keys.places(squares), shape.of);
            (bytes, if let Keys::Of(_) = shape.keys { i64::from(shape.of.width()) } else { 8 })
        }
        Shape::Pool(_) => (pool::POOL as i64 * 8, 8),
        Shape::Cells(Cells { index: Index::Places(_), .. }) => (pool::LIST as i64 * 8, 8),
        Shape::Cells(cells) => {
            let head = i64::from(cells_head(cells.index));
            (head + cell_count(cells.index, squares) * cell_size(&cells.of, squares), 8)
        }
        Shape::Parts(parts) => (parts.iter().map(|part| cell_size(part, squares)).sum(), 8),
    }
}

/// Returns the distance between values of a shape that lie one after another, in bytes.
pub fn cell_size(shape: &Shape, squares: Squares) -> i64 {
    aligned(size_and_align(shape, squares).0, 8)
}

/// Returns the number of places for collections, if it is always the same; 0 for a list.
pub fn cell_count(index: Index, squares: Squares) -> i64 {
    match index {
        Index::Keyed(keys) => keys.places(squares),
        Index::Places(_) => 0,
        Index::Optional => 1,
    }
}

/// Returns the number of bytes before the first collection, if they all lie in place.
pub fn cells_head(index: Index) -> i32 {
    if index == Index::Optional { 8 } else { 0 }
}

/// Returns the offsets of a tuple's parts, in bytes.
pub fn part_offsets(parts: &[Shape], squares: Squares) -> Vec<i32> {
    let mut at = 0;
    let offset = |part: &Shape| {
        at += cell_size(part, squares);
        i32::try_from(at - cell_size(part, squares)).unwrap_or(i32::MAX)
    };
    parts.iter().map(offset).collect()
}

/// Returns the offset at which a list's elements begin, after its length.
pub fn list_head(of: Scalar) -> i32 {
    i32::try_from(of.width().max(4)).unwrap_or(8)
}

fn aligned(at: i64, to: i64) -> i64 {
    (at + to - 1) / to * to
}

/// Returns the square numbering that fits all grids of a game, and the squares that its state holds.
pub fn squares_of(machine: &Machine) -> Squares {
    let (rows, columns) = Universes::of(machine).board();
    Squares { stride: columns.into(), rows: rows.into() }
}

fn effects(game: &Game) -> impl Iterator<Item = &Effect> {
    game.code.iter().filter_map(|op| if let Op::Do(effect, _) = op { Some(effect) } else { None })
}

impl Layout {
    /// Lays out a game's positions. The error says what has no flat shape; the whole game then stays with the
    /// reference.
    pub fn new(
        machine: &Machine,
        blank: &Position,
        live: &BTreeMap<Slot, SlotShape>,
    ) -> Result<Layout, String> {
        let game = &machine.game;
        let squares = squares_of(machine);
        let players = machine.setup.players;
        let mut at = i64::from(HEAD);
        let mut place = |bytes: i64, align: i64| -> Result<i32, String> {
            let here = aligned(at, align);
            at = here + bytes;
            i32::try_from(here)
                .ok()
                .filter(|_| at < 1 << 28)
                .ok_or_else(|| "the position is too large".to_string())
        };
        let awards = matches!(game.scoring, Scoring::Awards)
            || effects(game).any(|effect| matches!(effect, Effect::Award(..)));
        let awards = awards.then(|| place(8 * players as i64, 8)).transpose()?;
        let mut states = Vec::new();
        for (id, state) in game.state.iter().enumerate() {
            let shape = shape_of(machine, &state.form, squares, !written_first(game, id));
            // Only the reference reads values without a flat shape. The same goes for symbols with gaps
            // between their ids if the rules might write a symbol from a gap.
            let holds_its_own = contiguous(&state.form)
                || contiguous_keys(&state.form) && symbols::writes_only_its_own(game, id);
            let mut shape = shape.ok().filter(|_| holds_its_own).unwrap_or(Shape::Opaque);
            if let (Shape::List(length, _), Some(known)) = (&mut shape, known_length(machine, blank, id))
                && (*length == Length::Growing || matches!(known, Length::Always(_)))
            {
                *length = known;
            }
            let first = written_first(game, id);
            // Collections that are values of a map or a grid cannot be unset, but they can be none.
            let always_set = |cells: &Cells| {
                first || cells.of.is_optional() || matches!(cells.index, Index::Places(_) | Index::Optional)
            };
            if matches!(&shape, Shape::Cells(cells) if !always_set(cells)) {
                shape = Shape::Opaque;
            }
            let keyed = if let Shape::Keyed(shape) = &shape { Some(*shape) } else { None };
            let unset = !first && keyed.is_none_or(|shape| !shape.of.optional);
            let (bytes, align) = size_and_align(&shape, squares);
            let flagged = unset && keyed.is_none() && !matches!(shape, Shape::Scalar(_) | Shape::Opaque);
            let flag = flagged.then_some(i32::try_from(bytes).map_err(|e| e.to_string())?);
            let stride = aligned(bytes + i64::from(flagged), align);
            let owners = if state.per_player { players as i64 } else { 1 };
            let base = place(stride * owners, align)?;
            let stride = i32::try_from(stride).map_err(|e| e.to_string())?;
            let owners = owners as usize;
            states.push(StatePlace { shape, at: base, stride, owners, unset, flag });
        }
        let reveals = effects(game).any(|effect| matches!(effect, Effect::Reveal(_)));
        let cells: usize = game.state.iter().map(|s| if s.per_player { players } else { 1 }).sum();
        let revealed = reveals.then(|| place(cells.div_ceil(64) as i64 * 8, 8)).transpose()?;
        let names: BTreeSet<&String> = effects(game)
            .filter_map(|effect| if let Effect::Phase(Some(name)) = effect { Some(name) } else { None })
            .collect();
        if names.len() > usize::from(u8::MAX) {
            return Err("the play has more phases than a byte can number".to_string());
        }
        let phases = (!names.is_empty()).then(|| place(i64::from(MAX_PHASES) + 1, 8)).transpose()?;
        let mut slots = BTreeMap::new();
        for (slot, shape) in live.iter().filter(|(_, shape)| !matches!(shape, SlotShape::Kept(_))) {
            slots.insert(*slot, (shape.clone(), place(shape.bytes().into(), 8)?));
        }
        let args: Vec<Option<Vec<SlotShape>>> =
            game.moves.iter().map(|mv| arg_shapes(machine, blank, mv, squares)).collect();
        let most = args.iter().flatten().map(|args| words_of(args)).max().unwrap_or(0) as i64;
        let together = game.choices.iter().any(|choice| choice.together);
        // Lists have places of their own: a word of one move's arguments must never be taken for another's
        // list handle.
        let lists = |args: &Vec<SlotShape>| args.iter().filter(|arg| arg.grows()).count();
        let most_lists = args.iter().flatten().map(lists).max().unwrap_or(0) as i64;
        let lists_at = 8 + most * 8;
        let stride = lists_at + most_lists * 16;
        let sealed = together.then(|| place(stride * players as i64, 8)).transpose()?;
        let size = |n: i64| i32::try_from(n).unwrap_or(8);
        let sealed = sealed.map(|at| Seal { at, stride: size(stride), lists: size(lists_at) });
        let all_in = game.keeps_all_in();
        let phase_names = names.into_iter().cloned().collect();
        let bytes = i32::try_from(aligned(at, 8)).map_err(|e| e.to_string())?;
        let grows = states.iter().any(|state| state.shape.grows())
            || slots.values().any(|(shape, _): &(SlotShape, i32)| shape.grows())
            || sealed.is_some() && args.iter().flatten().flatten().any(SlotShape::grows);
        Ok(Layout {
            squares,
            players,
            states,
            awards,
            revealed,
            phases,
            phase_names,
            slots,
            unencodable_stops: BTreeSet::new(),
            sealed,
            args,
            all_in,
            bytes,
            grows,
        })
    }

    /// Whether stepping code saves the position before changing it: only if it is small and never grows.
    pub fn saved_by_code(&self) -> bool {
        const MAX_SAVED_BYTES: i32 = 96 * 8;
        !self.grows && self.bytes <= MAX_SAVED_BYTES
    }
}

/// Whether a piece of state has a value from the start.
pub(super) fn written_first(game: &Game, id: StateId) -> bool {
    game.state[id].init.is_some()
}

/// Returns the shapes of a move's chosen arguments; `None` if they take more than [`MAX_ARGS`] words.
fn arg_shapes(
    machine: &Machine,
    blank: &Position,
    mv: &crate::ir::Move,
    squares: Squares,
) -> Option<Vec<SlotShape>> {
    let chosen = mv.params.iter().filter(|param| param.domain.is_some());
    let shapes: Vec<SlotShape> = chosen.map(|param| arg_shape(machine, blank, param, squares)).collect();
    (words_of(&shapes) <= MAX_ARGS).then_some(shapes)
}

/// Returns the number of words of some arguments.
fn words_of(args: &[SlotShape]) -> usize {
    args.iter().map(SlotShape::words).sum()
}

/// Returns the shape in which a chosen argument is sealed, passed to code, and logged.
pub fn arg_shape(machine: &Machine, blank: &Position, param: &Param, squares: Squares) -> SlotShape {
    let scalar = |ty: &Type| scalar_of_type(ty, machine.setup.players, squares);
    let opaque = || SlotShape::Opaque(param.ty.clone());
    let set = |of: Option<Scalar>| of.filter(|of| small(*of)).map_or_else(opaque, SlotShape::Bits);
    match &param.ty {
        Type::List(of) => scalar(of).map_or_else(opaque, SlotShape::List),
        Type::Set(of) => {
            // The domain of a set whose elements never change is known exactly.
            let whole = param.domain.as_ref().map(|domain| match domain {
                Domain::Where(_, of, _) => &**of,
                domain => domain,
            });
            let known = match whole {
                Some(Domain::Subsets(of, _) | Domain::SubsetsFrom(_, _, of))
                    if invariants::is_invariant(machine, of, &mut |_| false) =>
                {
                    let frame = vec![crate::ir::Value::Unset; machine.game.slots];
                    invariants::elements_of(machine, blank, &Domain::Values(of.clone()), frame, false)
                }
                Some(Domain::Subsets(of, _) | Domain::SubsetsFrom(_, _, of)) => {
                    let declared = slots::declared_domain(machine, of, squares);
                    return set(declared.or_else(|| scalar(&of.ty.element()?)));
                }
                _ => None,
            };
            let known = known.and_then(|values| slots::range_of(&values, squares));
            set(known.or_else(|| scalar(of)))
        }
        ty => scalar(ty).map_or_else(opaque, SlotShape::Word),
    }
}

/// Whether sets of such elements are kept as bits in registers.
pub fn small(of: Scalar) -> bool {
    !of.optional && of.words() <= slots::REGISTERS
}

/// Returns the length of a list in the state, as far as the rules and a position before the start determine
/// it.
pub fn known_length(machine: &Machine, blank: &Position, state: StateId) -> Option<Length> {
    const MAX_LENGTH: i64 = 1 << 12;
    let first = machine.setup.bases[state];
    let owners = if machine.game.state[state].per_player { machine.setup.players } else { 1 };
    let lengths = blank.cells[first..first + owners].iter().map(|cell| match cell {
        Value::List(items) => i64::try_from(items.len()).ok(),
        _ => None,
    });
    let lengths: Vec<i64> = lengths.collect::<Option<_>>()?;
    let (least, most) = (lengths.iter().min()?, *lengths.iter().max()?);
    match invariants::length_change(machine, state) {
        invariants::LengthChange::None if *least == most => Some(Length::Always(most)),
        invariants::LengthChange::None | invariants::LengthChange::Down => {
            (most <= MAX_LENGTH).then_some(Length::AtMost(most))
        }
        invariants::LengthChange::Any => None,
    }
}
