//! Where everything of a position lies: a head, the state, the slots that outlive a stop, choices under seal.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::{Machine, Position};
use crate::ir::{Domain, Effect, Form, Game, Op, Param, Pc, Scoring, Slot, StateId, Type, Value};
use crate::jit::analysis::{invariants, symbols};
use crate::jit::layout::pool;
use crate::jit::layout::shape::{
    GridShape, Length, Shape, Squares, contiguous, contiguous_keys, number, scalar_of_type, shape_of,
};
use crate::jit::layout::slots::{self, SlotShape};

/// How many words of arguments a choice may have.
pub const MAX_ARGS: usize = 32;

/// Bytes of the head: the place in the automaton (u32).
pub const PC: i32 = 0;
/// What is waited for (u8): 0 nothing, 1 choices, 2 chance, 3 nothing more.
pub const WAITING: i32 = 4;
/// Who made the last choice (u8): seat + 1, or 0.
pub const LAST: i32 = 5;
/// The choice waited for (u16).
pub const CHOICE: i32 = 6;
/// The seats still to choose (u64, a bit each).
pub const SEATS: i32 = 8;
/// The seats that are in (u64).
pub const STANDING: i32 = 16;
/// The winners (u64), once the match is over.
pub const WINNERS: i32 = 24;
/// How many draws of chance have come since the last choice (u32).
pub const DRAWS: i32 = 32;
/// The seats whose choice lies under seal (u64).
pub const SEALED: i32 = 40;
/// Where the head ends.
const HEAD: i32 = 48;
/// The most phases one within another.
pub const MAX_PHASES: i32 = 15;

/// What a position waits for when code stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The reference, which is to go on.
    Nothing,
    /// This choice.
    Choice(usize),
    /// A draw of chance.
    Chance,
    /// Nothing more.
    Over,
}

/// Where a piece of state lies.
#[derive(Debug, Clone)]
pub struct StatePlace {
    /// Its shape.
    pub shape: Shape,
    /// The first owner's, in bytes.
    pub at: i32,
    /// From one owner to the next, in bytes.
    pub stride: i32,
    /// How many owners there are; 1 of what lies on the table.
    pub owners: usize,
    /// Whether a scalar, or what stands in a grid or map, may be unwritten.
    pub unset: bool,
    /// Behind the value, in bytes: a byte that says whether a collection was written at all, where it may not be.
    pub flag: Option<i32>,
}

/// An argument under seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgShape {
    /// A word.
    Word(crate::jit::layout::shape::Scalar),
    /// A small set, as bits.
    Bits(crate::jit::layout::shape::Scalar),
    /// A list of words.
    List(crate::jit::layout::shape::Scalar),
    /// Anything else: its number among the values that are kept.
    Kept,
}

/// Where choices lie under seal: for each seat its offer (i64), words, and the handles of lists.
#[derive(Debug, Clone, Copy)]
pub struct Seal {
    /// The first seat's.
    pub at: i32,
    /// From one seat to the next.
    pub stride: i32,
    /// Where the handles begin, from the seat's own place.
    lists: i32,
}

impl Seal {
    /// Where each argument lies, from the seat's own place.
    pub fn places(self, args: &[ArgShape]) -> Vec<i32> {
        let (mut word, mut list) = (8, self.lists);
        let place = |arg: &ArgShape| {
            let (next, size) = match arg {
                ArgShape::Word(_) | ArgShape::Bits(_) => (&mut word, 8 * arg.words() as i32),
                ArgShape::List(_) | ArgShape::Kept => (&mut list, 16),
            };
            *next += size;
            *next - size
        };
        args.iter().map(place).collect()
    }
}

/// Where everything lies.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The squares.
    pub squares: Squares,
    /// How many play.
    pub players: usize,
    /// The state.
    pub states: Vec<StatePlace>,
    /// Points (i64 each), where the game awards any.
    pub awards: Option<i32>,
    /// The bits of the cells that are revealed, where the game reveals any.
    pub revealed: Option<i32>,
    /// A byte for the depth and one for each phase, where there are phases.
    pub phases: Option<i32>,
    /// The names of the phases.
    pub phase_names: Vec<String>,
    /// The slots that outlive a stop.
    pub slots: BTreeMap<Slot, (SlotShape, i32)>,
    /// Where choices lie under seal.
    pub sealed: Option<Seal>,
    /// The stops that something outlives that has no flat shape.
    pub unkept: BTreeSet<Pc>,
    /// The arguments of each move, where they can be kept.
    pub args: Vec<Option<Vec<ArgShape>>>,
    /// Whether no seat ever goes out.
    pub all_in: bool,
    /// How many bytes, without blocks that grow.
    pub bytes: i32,
    /// Whether anything grows; else all positions have the same size.
    pub grows: bool,
}

/// Bytes of a value of a shape, and its alignment.
fn room(shape: &Shape, squares: Squares) -> (i64, i64) {
    let words = |scalar: &crate::jit::layout::shape::Scalar| i64::try_from(scalar.words()).unwrap_or(1);
    match shape {
        Shape::Scalar(of) => (i64::from(of.width()), i64::from(of.width())),
        Shape::Bits(of) => (words(of) * 8, 8),
        Shape::Counts(of) => (of.size() * 4, 4),
        Shape::List(
            Length::AtMost(n) | Length::Exactly(n) | Length::Shrinking(n) | Length::Always(n),
            of,
        ) => {
            let width = i64::from(of.width());
            // Elements are moved by whole words, so there is a word to spare: behind them, or before them where they
            // are moved up.
            (width.max(4) + n * width + 8, width.max(4))
        }
        Shape::List(Length::Growing, _) | Shape::Kept => (pool::LIST as i64 * 8, 8),
        Shape::Map(key, of) => (key.size() * i64::from(of.width()), i64::from(of.width())),
        Shape::Grid(grid) => {
            let planes = i64::try_from(grid.plane_count() * squares.scalar().words()).unwrap_or(0) * 8;
            (planes + cells(grid, squares) * i64::from(grid.of.width()), 8)
        }
        Shape::Pool(_) => (pool::POOL as i64 * 8, 8),
        Shape::Sorted(_) => (0, 1),
    }
}

/// How many places a grid's row of values has: squares of its own and those between, up to the last.
pub fn cells(grid: &GridShape, squares: Squares) -> i64 {
    (grid.rows - 1) * squares.stride + grid.columns
}

/// Where the first of so many elements lies behind a list's own place.
pub fn first_element(length: Length, of: crate::jit::layout::shape::Scalar, count: i32) -> i32 {
    let unused =
        if let Length::Shrinking(n) = length { 8 + (n as i32 - count) * of.width() as i32 } else { 0 };
    list_head(of) + unused
}

/// Where a list's elements begin, behind its length.
pub fn list_head(of: crate::jit::layout::shape::Scalar) -> i32 {
    i32::try_from(of.width().max(4)).unwrap_or(8)
}

/// Where a grid's values begin, behind its planes.
pub fn grid_head(grid: &GridShape, squares: Squares) -> i32 {
    i32::try_from(grid.plane_count() * squares.scalar().words() * 8).unwrap_or(0)
}

fn aligned(at: i64, to: i64) -> i64 {
    (at + to - 1) / to * to
}

fn grids(form: &Form, on: &mut dyn FnMut(&crate::ir::Expr, &crate::ir::Expr)) {
    if let Form::Grid(rows, columns, _) = form {
        on(rows, columns);
    }
}

/// The squares of all grids of a game.
pub fn squares_of(machine: &Machine) -> Squares {
    let mut squares = Squares { stride: 1, rows: 1 };
    for state in &machine.game.state {
        grids(&state.form, &mut |rows, columns| {
            squares.rows = squares.rows.max(number(machine, rows).unwrap_or(1));
            squares.stride = squares.stride.max(number(machine, columns).unwrap_or(1));
        });
    }
    squares
}

fn effects(game: &Game) -> impl Iterator<Item = &Effect> {
    game.code.iter().filter_map(|op| if let Op::Do(effect, _) = op { Some(effect) } else { None })
}

impl Layout {
    /// Lays a game out. The error says what has no flat shape; the whole game then stays with the reference.
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
            // What no flat shape fits only the reference looks into; so it is with symbols that do not follow one
            // another, where others may be written between them.
            let holds_its_own = contiguous(&state.form)
                || contiguous_keys(&state.form) && symbols::writes_only_its_own(game, id);
            let mut shape = shape.ok().filter(|_| holds_its_own).unwrap_or(Shape::Kept);
            if let (Shape::List(length, _), Some(known)) = (&mut shape, known_length(machine, blank, id))
                && (*length == Length::Growing || matches!(known, Length::Always(_)))
            {
                *length = known;
            }
            if matches!(shape, Shape::Sorted(_)) {
                shape = Shape::Kept;
            }
            let first = written_first(game, id);
            let of_elements = matches!(shape, Shape::Grid(_) | Shape::Map(..));
            let element = match &shape {
                Shape::Grid(grid) => Some(grid.of),
                Shape::Map(_, of) => Some(*of),
                _ => None,
            };
            let unset = !first && element.is_none_or(|of| !of.optional);
            let (bytes, align) = room(&shape, squares);
            let flagged = unset && !of_elements && !matches!(shape, Shape::Scalar(_) | Shape::Kept);
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
        for (slot, shape) in live {
            let bytes = match shape {
                SlotShape::Word(_) => 8,
                SlotShape::Bits(of) | SlotShape::Members(of) => of.words() as i64 * 8,
                SlotShape::List(_) | SlotShape::Set(_) | SlotShape::Bag(_) => 16,
                SlotShape::Span | SlotShape::Kept(_) => 16,
                SlotShape::Fixed(_) => 0,
            };
            slots.insert(*slot, (shape.clone(), place(bytes, 8)?));
        }
        let args: Vec<Option<Vec<ArgShape>>> =
            game.moves.iter().map(|mv| arg_shapes(machine, blank, mv, squares)).collect();
        let words = |args: &Vec<ArgShape>| -> usize { args.iter().map(|arg| arg.words()).sum() };
        let most = args.iter().flatten().map(words).max().unwrap_or(0) as i64;
        let together = game.choices.iter().any(|choice| choice.together);
        // Lists have places of their own: what one move leaves in a word must never name another's list.
        let grows = |arg: &&ArgShape| matches!(arg, ArgShape::List(_) | ArgShape::Kept);
        let lists = |args: &Vec<ArgShape>| args.iter().filter(grows).count();
        let most_lists = args.iter().flatten().map(lists).max().unwrap_or(0) as i64;
        let lists_at = 8 + most * 8;
        let stride = lists_at + most_lists * 16;
        let sealed = together.then(|| place(stride * players as i64, 8)).transpose()?;
        let size = |n: i64| i32::try_from(n).unwrap_or(8);
        let sealed = sealed.map(|at| Seal { at, stride: size(stride), lists: size(lists_at) });
        let all_in = !effects(game).any(|effect| matches!(effect, Effect::Out(_)));
        let phase_names = names.into_iter().cloned().collect();
        let bytes = i32::try_from(aligned(at, 8)).map_err(|e| e.to_string())?;
        let growing = |arg: &ArgShape| matches!(arg, ArgShape::List(_) | ArgShape::Kept);
        let grows = states.iter().any(|state| {
            matches!(state.shape, Shape::List(Length::Growing, _) | Shape::Pool(_) | Shape::Kept)
        }) || slots.values().any(|(shape, _): &(SlotShape, i32)| {
            matches!(shape, SlotShape::List(_) | SlotShape::Set(_) | SlotShape::Bag(_) | SlotShape::Kept(_))
        }) || sealed.is_some() && args.iter().flatten().flatten().any(growing);
        Ok(Layout {
            squares,
            players,
            states,
            awards,
            revealed,
            phases,
            phase_names,
            slots,
            unkept: BTreeSet::new(),
            sealed,
            args,
            all_in,
            bytes,
            grows,
        })
    }

    /// Whether code that goes step by step keeps the position before it changes it: a few words that never grow.
    pub fn kept_by_code(&self) -> bool {
        const FEW_BYTES: i32 = 96 * 8;
        !self.grows && self.bytes <= FEW_BYTES
    }

    /// The plane of a grid's value: its number; `None` where the grid keeps none for it.
    pub fn plane_of(grid: &GridShape, word: i64) -> Option<usize> {
        use crate::jit::layout::shape::{NONE, Planes};
        match grid.planes {
            Planes::Off => None,
            Planes::Empty => (word == NONE).then_some(0),
            Planes::All if word == NONE => grid.of.optional.then_some(0),
            Planes::All => {
                let at = word - grid.of.lo + i64::from(grid.of.optional);
                usize::try_from(at).ok().filter(|at| *at < grid.plane_count())
            }
        }
    }
}

impl ArgShape {
    /// The range of a single value that is known to be in another; a tuple keeps its own words.
    pub fn narrowed(self, known: crate::jit::layout::shape::Scalar) -> crate::jit::layout::shape::Scalar {
        match self {
            ArgShape::Word(of) if of.sort != known.sort => of,
            _ => known,
        }
    }

    /// How many words it takes at most: under seal, or given to code.
    pub fn words(self) -> usize {
        match self {
            ArgShape::Word(_) => 1,
            ArgShape::Bits(of) => of.words(),
            ArgShape::List(_) | ArgShape::Kept => 2,
        }
    }
}

/// Whether a piece of state has a value from the start.
fn written_first(game: &Game, id: StateId) -> bool {
    game.state[id].init.is_some()
}

/// The shapes of a move's chosen arguments; `None` where they are too many words.
fn arg_shapes(
    machine: &Machine,
    blank: &Position,
    mv: &crate::ir::Move,
    squares: Squares,
) -> Option<Vec<ArgShape>> {
    let chosen = mv.params.iter().filter(|param| param.domain.is_some());
    let shapes: Vec<ArgShape> = chosen.map(|param| arg_shape(machine, blank, param, squares)).collect();
    (shapes.iter().map(|shape| shape.words()).sum::<usize>() <= MAX_ARGS).then_some(shapes)
}

/// The shape of a chosen argument.
pub fn arg_shape(machine: &Machine, blank: &Position, param: &Param, squares: Squares) -> ArgShape {
    let scalar = |ty: &Type| scalar_of_type(ty, machine.setup.players, squares);
    match &param.ty {
        Type::List(of) => scalar(of).map_or(ArgShape::Kept, ArgShape::List),
        Type::Set(of) => {
            // The elements of a set that never changes are known.
            let whole = param.domain.as_ref().map(|domain| match domain {
                Domain::Where(_, of, _) => &**of,
                domain => domain,
            });
            let known = match whole {
                Some(Domain::Subsets(of, _)) if invariants::unchanging(machine, of, &mut |_| false) => {
                    let frame = vec![crate::ir::Value::Unset; machine.game.slots];
                    invariants::elements_of(machine, blank, &Domain::Values(of.clone()), frame)
                }
                Some(Domain::Subsets(of, _)) => {
                    return match slots::stored(machine, of, squares).or_else(|| scalar(&of.ty.element()?)) {
                        Some(of) if small(of) => ArgShape::Bits(of),
                        _ => ArgShape::Kept,
                    };
                }
                _ => None,
            };
            let known = known.and_then(|values| slots::range_of(&values, squares));
            match known.or_else(|| scalar(of)) {
                Some(of) if small(of) => ArgShape::Bits(of),
                _ => ArgShape::Kept,
            }
        }
        ty => scalar(ty).map_or(ArgShape::Kept, ArgShape::Word),
    }
}

/// Whether a set of these is kept as bits, in registers.
pub fn small(of: crate::jit::layout::shape::Scalar) -> bool {
    !of.optional && of.words() <= slots::REGISTERS
}

/// How long a list in the state can be, as far as the rules and a position before the start tell.
pub fn known_length(machine: &Machine, blank: &Position, state: StateId) -> Option<Length> {
    const MOST: i64 = 1 << 12;
    let first = machine.setup.bases[state];
    let owners = if machine.game.state[state].per_player { machine.setup.players } else { 1 };
    let lengths = blank.cells[first..first + owners].iter().map(|cell| match cell {
        Value::List(items) => i64::try_from(items.len()).ok(),
        _ => None,
    });
    let lengths: Vec<i64> = lengths.collect::<Option<_>>()?;
    let (least, most) = (lengths.iter().min()?, *lengths.iter().max()?);
    match invariants::drift(machine, state) {
        invariants::Drift::None if *least == most => Some(Length::Always(most)),
        invariants::Drift::None => (most <= MOST).then_some(Length::AtMost(most)),
        invariants::Drift::Down => (most <= MOST).then_some(Length::Shrinking(most)),
        invariants::Drift::Any => None,
    }
}
