//! Entering code, be it machine code or interpreted. With the helpers that code calls ([`super::helpers`]) and the memory
//! that interpreted code works on ([`super::memory`]) the one place with unsafe code.
//!
//! What holds, so that it is sound:
//! - Code is entered with a [`Context`] whose `place` points to the first of the [`Workspace`]'s places, one for each
//!   position it was given and an empty one behind them, `base` to the first word of the first position, `rows` to the
//!   Room's own, and `scratch_begin` to its scratch words; Room and positions are borrowed for as long as the code
//!   runs, and nothing else touches them. One thread runs it, with a Room of its own; others may run
//!   the same code with theirs. At a stop code goes on to the next place, and is left at
//!   the empty one.
//! - Code that goes step by step has for each place a task and, where it may draw, a stream; the context's `spare` points
//!   to as many words as a position has, and `out` into `ids`, before `out_end`. Code that lists, counts or draws moves
//!   changes no position, and may be given one that is borrowed for reading.
//! - Code reads and writes only inside the position's fixed part (offsets are the layout's), inside blocks of growing
//!   lists below their length (checked in the code, or by [`crate::jit::layout::pool`]), inside scratch memory it has asked for
//!   (checked against its end), its own stack slots, and reads static rows at indices whose range is known.
//! - Interpreted code is the same code before it becomes machine code, so all this holds for it too.
//! - Helpers get addresses that code made so, with the lengths that belong to them.

use std::mem::offset_of;
use std::sync::Arc;

use cranelift::jit::JITModule;

use crate::jit::layout::position::MAX_ARGS;
use crate::jit::mir::{Function, interpret};
use crate::jit::runtime::memory::OwnMemory;
use crate::jit::runtime::questions::{Interpreter, InterpreterState, Running};
use crate::num::Rng;

/// Where the context keeps the address of the position.
pub const CTX_BASE: i32 = offset_of!(Context, base) as i32;
/// Where the context keeps the address of the place that code is at.
pub const CTX_PLACE: i32 = offset_of!(Context, place) as i32;
/// Where a place keeps the address of its position; 0 behind the last one.
pub const PLACE_BASE: i32 = offset_of!(Place, base) as i32;
/// How many choices were made there.
pub const PLACE_MOVES: i32 = offset_of!(Place, moves) as i32;
/// The address of the place's own stream of chance, four words; 0 where playouts go on in the context's, and where code
/// that goes step by step stops before a draw.
pub const PLACE_STREAM: i32 = offset_of!(Place, stream) as i32;
/// What is to be done there: the number of a move to make, [`LIST`], [`DRAW`], [`SAMPLE`] or [`CHANCE`].
pub const PLACE_TASK: i32 = offset_of!(Place, task) as i32;
/// The seat that it is about; −1: the lowest of those that are to choose.
pub const PLACE_SEAT: i32 = offset_of!(Place, seat) as i32;
/// Whether the moves of the next choice are to be listed.
pub const PLACE_LISTS: i32 = offset_of!(Place, lists) as i32;
/// What came of it: how many numbers were listed, or which was drawn; −1 where code cannot tell.
pub const PLACE_ANSWER: i32 = offset_of!(Place, answer) as i32;
/// The numbers of the legal moves are to be listed.
pub const LIST: i64 = -1;
/// A legal move is to be drawn.
pub const DRAW: i64 = -2;
/// A legal move is to be drawn and made.
pub const SAMPLE: i64 = -3;
/// Chance is to decide.
pub const CHANCE: i64 = -4;
/// From place to place.
pub const PLACE_BYTES: i64 = size_of::<Place>() as i64;
/// How many choices code may make by itself. It stops before the next one; with −1 before every draw of chance too.
pub const CTX_MAX_MOVES: i32 = offset_of!(Context, max_moves) as i32;
/// How many steps of the reference this step may still stand for.
pub const CTX_FUEL: i32 = offset_of!(Context, fuel) as i32;
/// How many steps of the reference the whole automaton stands for at most, loops of play not counted.
pub const CTX_COST: i32 = offset_of!(Context, cost) as i32;
/// The state of the random source: four words.
pub const CTX_CHANCE: i32 = offset_of!(Context, chance) as i32;
/// How many draws of chance came since the last choice, when code is entered.
pub const CTX_DRAWS: i32 = offset_of!(Context, draws) as i32;
/// The end of scratch memory.
pub const CTX_SCRATCH_END: i32 = offset_of!(Context, scratch_end) as i32;
/// Its begin.
pub const CTX_SCRATCH_BEGIN: i32 = offset_of!(Context, scratch_begin) as i32;
/// Where code writes the number of the reason why it bails out or takes a side exit.
pub const CTX_REASON: i32 = offset_of!(Context, reason) as i32;
/// Where the next free word of scratch memory is, while the reference is asked something.
pub const CTX_SCRATCH: i32 = offset_of!(Context, scratch) as i32;
/// The steps left, while the reference is asked something.
pub const CTX_ASKED_FUEL: i32 = (offset_of!(Context, running) + offset_of!(Running, fuel)) as i32;
/// The stream of chance, while the reference is asked something: four words.
pub const CTX_ASKED_CHANCE: i32 = (offset_of!(Context, running) + offset_of!(Running, chance)) as i32;
/// What is to be done: −1 goes on at the position's place; an offer's number carries a choice out.
pub const CTX_TASK: i32 = offset_of!(Context, task) as i32;
/// The seat that chooses.
pub const CTX_SEAT: i32 = offset_of!(Context, seat) as i32;
/// The arguments of a choice: words, or address and length.
pub const CTX_ARGS: i32 = offset_of!(Context, args) as i32;
/// Where a position is kept before code that goes step by step changes it.
pub const CTX_SPARE: i32 = offset_of!(Context, spare) as i32;
/// Where the next number of a move is listed.
pub const CTX_OUT: i32 = offset_of!(Context, out) as i32;
/// Where the memory for them ends.
pub const CTX_OUT_END: i32 = offset_of!(Context, out_end) as i32;
/// How code ends where all was done.
pub const DONE: i64 = 0;
/// How it ends where the reference must do the step from its beginning.
pub const BAILED_OUT: i64 = 1;
/// How it ends where the reference is to go on from the position as it is.
pub const SIDE_EXIT: i64 = 2;
/// How it ends where it did nothing: what is to be done is for the reference.
pub const REFUSED: i64 = 3;
/// For how many numbers of moves there is memory at first.
const FIRST_IDS: usize = 1 << 14;
/// How many words of scratch memory a step has.
pub const SCRATCH: usize = 1 << 16;

/// What code and its caller tell each other.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    pub(super) base: *mut u64,
    pub(super) place: *mut Place,
    /// See [`CTX_MAX_MOVES`].
    pub max_moves: i64,
    /// See [`CTX_FUEL`].
    pub fuel: i64,
    /// See [`CTX_COST`].
    pub cost: i64,
    /// See [`CTX_CHANCE`].
    pub chance: [u64; 4],
    /// See [`CTX_DRAWS`].
    pub draws: u64,
    pub(super) scratch_end: *mut u64,
    scratch_begin: *mut u64,
    pub(super) scratch: *mut u64,
    pub(super) running: Running,
    pub(super) interpreter: *const Interpreter,
    pub(super) interpreter_state: *mut InterpreterState,
    /// See [`CTX_TASK`].
    pub task: i64,
    /// See [`CTX_SEAT`].
    pub seat: i64,
    /// See [`CTX_REASON`].
    pub reason: u64,
    /// See [`CTX_ARGS`].
    pub args: [i64; MAX_ARGS],
    pub(super) rows: *mut Vec<i64>,
    /// See [`CTX_SPARE`].
    spare: *mut u64,
    /// See [`CTX_OUT`].
    pub(super) out: *mut u32,
    /// See [`CTX_OUT_END`].
    pub(super) out_end: *mut u32,
    pub(super) ids: *mut Vec<u32>,
    /// The place of a single position, and the empty one behind it.
    single: [Place; 2],
}

/// A position that code works on, and how many choices it made there; of code that goes step by step, what is to be done
/// there, and what came of it.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Place {
    base: *mut u64,
    moves: u64,
    pub(super) memory: *mut Vec<u64>,
    stream: *mut u64,
    task: i64,
    seat: i64,
    lists: i64,
    answer: i64,
}

impl Place {
    /// The place behind the last one.
    const NONE: Place = Place {
        base: std::ptr::null_mut(),
        moves: 0,
        memory: std::ptr::null_mut(),
        stream: std::ptr::null_mut(),
        task: 0,
        seat: -1,
        lists: 0,
        answer: 0,
    };
}

/// What code that goes step by step is to do at a position.
#[derive(Debug)]
pub struct Task<'t> {
    /// See [`PLACE_TASK`].
    pub task: i64,
    /// See [`PLACE_SEAT`].
    pub seat: i64,
    /// See [`PLACE_LISTS`].
    pub lists: bool,
    /// The stream of chance, where code may draw.
    pub rng: Option<&'t mut Rng>,
}

impl Place {
    fn new(memory: &mut Vec<u64>, stream: *mut u64) -> Place {
        Place { base: memory.as_mut_ptr(), stream, memory, ..Place::NONE }
    }
}

/// How code ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It did what was to be done.
    Done,
    /// The reference must do the step from its beginning, and the position is spoilt. What the context says of the
    /// stream of chance is where the match at that position begins.
    BailedOut,
    /// The reference is to go on from the position as it is, and with the stream of chance.
    SideExit,
    /// Code did nothing.
    Refused,
}

impl Ended {
    fn of(status: i64) -> Ended {
        match status {
            DONE => Ended::Done,
            SIDE_EXIT => Ended::SideExit,
            REFUSED => Ended::Refused,
            _ => Ended::BailedOut,
        }
    }
}

/// The memory that code runs in. Each thread has its own.
#[derive(Debug)]
pub struct Workspace {
    /// What code and caller tell each other.
    pub context: Box<Context>,
    /// The rows that code listed, one after the other.
    pub rows: Vec<i64>,
    /// The values that code has the numbers of.
    pub interpreter_state: InterpreterState,
    interpreter: Option<Arc<Interpreter>>,
    places: Vec<Place>,
    lists: Vec<Vec<i64>>,
    scratch: Vec<u64>,
    /// The position as it was, where code that goes step by step may spoil it.
    pub spare: Vec<u64>,
    /// The numbers of moves that code listed.
    ids: Vec<u32>,
    /// Whether code that goes step by step asks the reference anything.
    asks: bool,
}

/// A function of code that can be entered.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// The address of machine code that takes a word and gives one.
    Machine(*const u8),
    /// A function that is interpreted.
    Interpreted(*const Function),
}

// SAFETY: finished code is never written again, and may run in many threads at once, each with a Room of its own.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Entry {
    /// Runs code, which is given an address: the word that it gives.
    ///
    /// # Safety
    /// What lies at the address is as the code expects it, see the head of this file; and the [`CodeMemory`] of the entry
    /// is there.
    #[inline]
    unsafe fn run<T>(self, given: *mut T) -> i64 {
        match self {
            // SAFETY: the address is that of finished code of this signature.
            Entry::Machine(code) => unsafe {
                let code: extern "C" fn(*mut T) -> i64 = std::mem::transmute(code);
                code(given)
            },
            // SAFETY: the function is in the memory of the entry.
            Entry::Interpreted(func) => unsafe {
                interpret::run(&*func, &[given as u64], &mut OwnMemory::new()) as i64
            },
        }
    }

    /// Runs code that keeps to a few words, of which it is given the address: the word that it gives.
    #[cfg(test)]
    pub fn run_in(self, words: &mut [u64]) -> u64 {
        // SAFETY: the test sees to both.
        unsafe { self.run(words.as_mut_ptr()) as u64 }
    }
}

/// The memory that holds code; freed when it is dropped, and with it every [`Entry`] into it.
pub enum CodeMemory {
    /// Machine code; `None` once it is freed.
    Machine(Option<Box<JITModule>>),
    /// Functions that are interpreted, with their names.
    Interpreted(Vec<(String, Box<Function>)>),
}

// SAFETY: the memory is written before it is taken over, and asked for again only when it is dropped.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl std::fmt::Debug for CodeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CodeMemory")
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        if let CodeMemory::Machine(module) = self
            && let Some(module) = module.take()
        {
            // SAFETY: entries live no longer than the engine that holds this memory, and none is running.
            unsafe { module.free_memory() };
        }
    }
}

// SAFETY: what its addresses point to is its own, or is set anew whenever code runs.
unsafe impl Send for Workspace {}

impl Default for Workspace {
    fn default() -> Workspace {
        let context = Context {
            base: std::ptr::null_mut(),
            place: std::ptr::null_mut(),
            max_moves: -1,
            fuel: 0,
            cost: 0,
            chance: [0; 4],
            draws: 0,
            scratch_end: std::ptr::null_mut(),
            scratch_begin: std::ptr::null_mut(),
            scratch: std::ptr::null_mut(),
            running: Running::default(),
            interpreter: std::ptr::null(),
            interpreter_state: std::ptr::null_mut(),
            task: -1,
            seat: 0,
            reason: 0,
            args: [0; MAX_ARGS],
            rows: std::ptr::null_mut(),
            spare: std::ptr::null_mut(),
            out: std::ptr::null_mut(),
            out_end: std::ptr::null_mut(),
            ids: std::ptr::null_mut(),
            single: [Place::NONE, Place::NONE],
        };
        Workspace {
            context: Box::new(context),
            rows: Vec::new(),
            interpreter_state: InterpreterState::default(),
            interpreter: None,
            places: Vec::new(),
            lists: Vec::new(),
            scratch: vec![0; SCRATCH],
            spare: Vec::new(),
            ids: Vec::new(),
            asks: false,
        }
    }
}

impl Workspace {
    /// Says what code may ask, and of whom.
    pub fn hand(&mut self, interpreter: &Arc<Interpreter>) {
        if !self.interpreter.as_ref().is_some_and(|known| Arc::ptr_eq(known, interpreter)) {
            self.interpreter = Some(Arc::clone(interpreter));
            self.interpreter_state = InterpreterState::default();
        }
    }

    /// Puts a list among the arguments, as address and length; it stays until the next [`Workspace::run`] is over.
    pub fn list_argument(&mut self, at: usize, words: Vec<i64>) {
        self.context.args[at] = words.as_ptr() as i64;
        self.context.args[at + 1] = words.len() as i64;
        self.lists.push(words);
    }

    /// Code is to play on from the position, each choice and draw from a stream.
    pub fn plays(&mut self, rng: &Rng, max_moves: u64) {
        self.context.chance = rng.state;
        self.at_most(max_moves);
    }

    /// Code is to play on from each position, for so many choices at most.
    pub fn at_most(&mut self, max_moves: u64) {
        self.context.max_moves = i64::try_from(max_moves).unwrap_or(i64::MAX);
    }

    /// Runs code on positions, one after the other, each to its next stop. Where something is left to the reference, it is
    /// on the first one that is not over.
    pub fn run<'p>(&mut self, code: Entry, positions: impl IntoIterator<Item = &'p mut Vec<u64>>) -> Ended {
        self.places.clear();
        self.places.extend(positions.into_iter().map(|memory| Place::new(memory, std::ptr::null_mut())));
        self.enter(code)
    }

    /// The same, each position in a stream of chance of its own.
    pub fn run_apart<'p>(
        &mut self,
        code: Entry,
        positions: impl IntoIterator<Item = (&'p mut Vec<u64>, &'p mut Rng)>,
    ) -> Ended {
        self.places.clear();
        self.places
            .extend(positions.into_iter().map(|(memory, rng)| Place::new(memory, rng.state.as_mut_ptr())));
        let Some(first) = self.places.first() else { return Ended::Done };
        // SAFETY: the stream is borrowed as long as this runs.
        self.context.chance = unsafe { *first.stream.cast::<[u64; 4]>() };
        self.enter(code)
    }

    fn enter(&mut self, code: Entry) -> Ended {
        let begin = self.scratch.as_mut_ptr();
        self.places.push(Place::NONE);
        self.rows.clear();
        let context = &mut *self.context;
        context.base = self.places[0].base;
        context.place = self.places.as_mut_ptr();
        context.rows = &raw mut self.rows;
        context.interpreter = self.interpreter.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
        context.interpreter_state = &raw mut self.interpreter_state;
        context.scratch_begin = begin;
        // SAFETY: one past the end of the scratch words.
        context.scratch_end = unsafe { begin.add(self.scratch.len()) };
        // SAFETY: the context is set up as the head of this file demands.
        let status = unsafe { code.run(context) };
        self.lists.clear();
        Ended::of(status)
    }

    /// Readies what stays as it is from step to step: there is memory for a position of so many words.
    pub fn ready_to_step(&mut self, interpreter: &Arc<Interpreter>, cost: i64, words: usize) {
        self.hand(interpreter);
        self.asks = interpreter.asks();
        self.spare.resize(words.max(self.spare.len()), 0);
        let scratch = self.scratch.as_mut_ptr_range();
        let context = &mut *self.context;
        (context.scratch_begin, context.scratch_end) = (scratch.start, scratch.end);
        context.interpreter = Arc::as_ptr(interpreter);
        context.cost = cost;
    }

    /// Readies the memory that numbers of moves are listed in, behind so many.
    #[inline]
    pub fn lists_ids(&mut self, behind: usize) {
        if self.ids.len() <= behind {
            self.ids.resize(behind + FIRST_IDS, 0);
        }
        let range = self.ids[behind..].as_mut_ptr_range();
        (self.context.out, self.context.out_end) = (range.start, range.end);
        self.context.ids = &raw mut self.ids;
    }

    /// The numbers of moves that code listed: so many, the first is number `from`.
    #[inline]
    pub fn ids(&self, from: usize, count: usize) -> &[u32] {
        &self.ids[from..from + count]
    }

    /// Puts other numbers among those that code listed.
    pub fn insert_ids(&mut self, at: usize, ids: &[u32]) {
        self.ids.resize(self.ids.len().max(at), 0);
        self.ids.splice(at..at, ids.iter().copied());
    }

    /// Runs code on one position, which it may change.
    #[inline]
    pub fn step(&mut self, code: Entry, memory: &mut Vec<u64>, task: Task) -> Ended {
        let base = memory.as_mut_ptr();
        self.enter_single(code, base, memory, task)
    }

    /// Asks code something of one position, which does not change it.
    #[inline]
    #[allow(clippy::ptr_arg)] // helpers look into the vector
    pub fn question(&mut self, code: Entry, memory: &Vec<u64>, task: Task) -> Ended {
        if self.asks {
            // The reference is given the position as its own.
            let mut copy = std::mem::take(&mut self.spare);
            copy.clone_from(memory);
            let ended = self.enter_single(code, copy.as_mut_ptr(), &raw mut copy, task);
            self.spare = copy;
            return ended;
        }
        let base = memory.as_ptr().cast_mut();
        self.enter_single(code, base, std::ptr::from_ref(memory).cast_mut(), task)
    }

    #[inline]
    fn enter_single(&mut self, code: Entry, base: *mut u64, memory: *mut Vec<u64>, task: Task) -> Ended {
        let context = &mut *self.context;
        let stream = task.rng.map_or(std::ptr::null_mut(), |rng| rng.state.as_mut_ptr());
        let Task { task, seat, lists, .. } = task;
        let lists = i64::from(lists);
        context.single[0] = Place { base, moves: 0, memory, stream, task, seat, lists, answer: 0 };
        context.place = &raw mut context.single[0];
        self.enter_step(code)
    }

    /// Runs code on positions, one after the other, each with a task.
    pub fn step_each<'p>(
        &mut self,
        code: Entry,
        tasks: impl IntoIterator<Item = (&'p mut Vec<u64>, Task<'p>)>,
    ) -> Ended {
        self.places.clear();
        for (memory, Task { task, seat, lists, rng }) in tasks {
            let stream = rng.map_or(std::ptr::null_mut(), |rng| rng.state.as_mut_ptr());
            let (base, lists) = (memory.as_mut_ptr(), i64::from(lists));
            self.places.push(Place { base, moves: 0, memory, stream, task, seat, lists, answer: 0 });
        }
        self.enter_places(code)
    }

    /// Asks code something of positions, which does not change them.
    pub fn question_each<'p>(
        &mut self,
        code: Entry,
        positions: impl IntoIterator<Item = &'p Vec<u64>>,
        task: i64,
    ) -> Ended {
        self.places.clear();
        for memory in positions {
            let (base, memory) = (memory.as_ptr().cast_mut(), std::ptr::from_ref(memory).cast_mut());
            self.places.push(Place { base, memory, task, ..Place::NONE });
        }
        self.enter_places(code)
    }

    fn enter_places(&mut self, code: Entry) -> Ended {
        self.places.push(Place::NONE);
        self.context.place = self.places.as_mut_ptr();
        if self.places.len() == 1 {
            return Ended::Done;
        }
        self.enter_step(code)
    }

    #[inline]
    fn enter_step(&mut self, code: Entry) -> Ended {
        if self.asks {
            self.interpreter_state.clear();
        }
        let context = &mut *self.context;
        context.interpreter_state = &raw mut self.interpreter_state;
        context.spare = self.spare.as_mut_ptr();
        // SAFETY: as in `run`: the places, scratch memory and the spare position are set up.
        let status = unsafe { code.run(context) };
        Ended::of(status)
    }

    /// What came of a single task.
    #[inline]
    pub fn answer(&self) -> i64 {
        self.context.single[0].answer
    }

    /// What came of task number `nth` of many.
    #[inline]
    pub fn answer_of(&self, nth: usize) -> i64 {
        self.places[nth].answer
    }

    /// How many choices were made in each position that is over, in order.
    pub fn over(&self) -> impl Iterator<Item = u64> {
        self.places[..self.at()].iter().map(|place| place.moves)
    }

    /// How many choices were made in the position that code left for the reference to go on with.
    pub fn made(&self) -> u64 {
        self.places[self.at()].moves
    }

    /// The number of the place that code is at.
    pub fn at(&self) -> usize {
        (self.context.place.addr() - self.places.as_ptr().addr()) / size_of::<Place>()
    }
}
