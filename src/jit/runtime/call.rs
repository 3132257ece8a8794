//! Entering code, be it machine code or interpreted MIR. Together with the helpers that code calls
//! ([`super::helpers`]) and the memory that interpreted code works on ([`super::memory`]), this is the only
//! place with unsafe code.
//!
//! Soundness rests on these invariants:
//! - Code is entered with a [`Context`]. Its `item` points to the first of the [`Workspace`]'s items, one
//!   for each position given, followed by an empty one; `base` points to the first word of the first
//!   position, `rows` to the workspace's own rows, `scratch_begin` to its scratch words, and `memo` to as many words for kept
//!   values as the code reserved, all 0 at first; addresses in them are of lists that the workspace keeps as long. The workspace
//!   and the positions stay mutably borrowed while the code runs, so nothing else touches them. Each thread
//!   has a workspace of its own; several threads may run the same code. At a stop, code goes on to the next
//!   item, and returns at the empty one.
//! - For stepping code, each item has a task and, where code may draw, a stream. The context's `spare`
//!   points to at least as many words as a position has, and `out` into `ids`, before `out_end`. Code that
//!   lists, counts or draws moves does not change the position, so it may be given one that is borrowed
//!   immutably.
//! - Code reads and writes only the position's fixed part (at the layout's offsets), blocks of growing lists
//!   below their length (checked in the code or by [`crate::jit::layout::pool`]), scratch memory it has
//!   allocated (checked against its end), the memory for kept values at indices of known range, and its own stack slots; it
//!   reads static rows at indices of known range.
//! - Interpreted code is the same MIR from which machine code is generated, so all this holds for it too.
//! - Helpers get addresses that code computed in this way, with the matching lengths.

use std::mem::offset_of;
use std::sync::Arc;

use cranelift::jit::JITModule;

use crate::jit::layout::position::MAX_ARGS;
use crate::jit::mir::{Function, interpret};
use crate::jit::runtime::interpreter::{Counters, Interpreter, InterpreterState};
use crate::jit::runtime::memory::OwnMemory;
use crate::num::Rng;

/// Offset of the address of the position in [`Context`].
pub const CTX_BASE: i32 = offset_of!(Context, base) as i32;
/// Offset of the address of the current [`WorkItem`] in [`Context`].
pub const CTX_ITEM: i32 = offset_of!(Context, item) as i32;
/// Offset of the address of a [`WorkItem`]'s position; 0 after the last item.
pub const ITEM_BASE: i32 = offset_of!(WorkItem, base) as i32;
/// Offset of the number of choices made at a [`WorkItem`].
pub const ITEM_MOVES: i32 = offset_of!(WorkItem, moves) as i32;
/// Offset of the address of a [`WorkItem`]'s own random stream (four words). If it is 0, playouts use the
/// context's stream, and stepping code stops before a draw.
pub const ITEM_STREAM: i32 = offset_of!(WorkItem, stream) as i32;
/// Offset of a [`WorkItem`]'s task: the id of a move to make, [`LIST`], [`DRAW`], [`SAMPLE`], [`CHANCE`]
/// or [`OUTCOME`].
pub const ITEM_TASK: i32 = offset_of!(WorkItem, task) as i32;
/// Offset of the seat that the task is for; −1 means the lowest of those that are to choose.
pub const ITEM_SEAT: i32 = offset_of!(WorkItem, seat) as i32;
/// Offset of the flag whether to list the moves of the next choice.
pub const ITEM_LISTS: i32 = offset_of!(WorkItem, lists) as i32;
/// Offset of the task's answer: the number of ids listed, or the id drawn; −1 if code cannot tell.
pub const ITEM_ANSWER: i32 = offset_of!(WorkItem, answer) as i32;
/// Task: list the ids of the legal moves.
pub const LIST: i64 = -1;
/// Task: draw a legal move.
pub const DRAW: i64 = -2;
/// Task: draw a legal move and make it.
pub const SAMPLE: i64 = -3;
/// Task: resolve draws of chance.
pub const CHANCE: i64 = -4;
/// Task: resolve one draw of chance, and stop before the next.
pub const OUTCOME: i64 = -5;
/// The distance between items, in bytes.
pub const ITEM_BYTES: i64 = size_of::<WorkItem>() as i64;
/// Offset of the number of choices that code may make by itself before it stops. With −1 it stops before each
/// choice and each draw of chance.
pub const CTX_MAX_MOVES: i32 = offset_of!(Context, max_moves) as i32;
/// Offset of the number of reference steps that the current step may still use up.
pub const CTX_FUEL: i32 = offset_of!(Context, fuel) as i32;
/// Offset of an upper bound on the reference steps of one pass over the automaton.
pub const CTX_COST: i32 = offset_of!(Context, cost) as i32;
/// Offset of the state of the random stream: four words.
pub const CTX_CHANCE: i32 = offset_of!(Context, chance) as i32;
/// Offset of the number of draws of chance since the last choice, at entry.
pub const CTX_DRAWS: i32 = offset_of!(Context, draws) as i32;
/// Offset of the end of scratch memory.
pub const CTX_SCRATCH_END: i32 = offset_of!(Context, scratch_end) as i32;
/// Offset of the beginning of scratch memory.
pub const CTX_SCRATCH_BEGIN: i32 = offset_of!(Context, scratch_begin) as i32;
/// Offset of the address of the memory for values that code keeps.
pub const CTX_MEMO: i32 = offset_of!(Context, memo) as i32;
/// Offset of the number of the reason for a bail-out or side exit, written by code.
pub const CTX_REASON: i32 = offset_of!(Context, reason) as i32;
/// Offset of the address of the next free scratch word, during a question to the reference.
pub const CTX_SCRATCH: i32 = offset_of!(Context, scratch) as i32;
/// Offset of the remaining steps, during a question to the reference.
pub const CTX_ASKED_FUEL: i32 = (offset_of!(Context, counters) + offset_of!(Counters, fuel)) as i32;
/// Offset of the random stream (four words), during a question to the reference.
pub const CTX_ASKED_CHANCE: i32 = (offset_of!(Context, counters) + offset_of!(Counters, chance)) as i32;
/// Offset of the task of playout code: −1 resumes where play stands; an offer's number carries that choice
/// out.
pub const CTX_TASK: i32 = offset_of!(Context, task) as i32;
/// Offset of the seat that chooses.
pub const CTX_SEAT: i32 = offset_of!(Context, seat) as i32;
/// Offset of the arguments of a choice: words, or address and length.
pub const CTX_ARGS: i32 = offset_of!(Context, args) as i32;
/// Offset of the address where stepping code saves a position before changing it.
pub const CTX_SPARE: i32 = offset_of!(Context, spare) as i32;
/// Offset of the address where the next id is listed.
pub const CTX_OUT: i32 = offset_of!(Context, out) as i32;
/// Offset of the end of the memory for ids.
pub const CTX_OUT_END: i32 = offset_of!(Context, out_end) as i32;
/// Status: the task is done.
pub const DONE: i64 = 0;
/// Status: the reference must repeat the step from its beginning.
pub const BAILED_OUT: i64 = 1;
/// Status: the reference must continue from the position as it is.
pub const SIDE_EXIT: i64 = 2;
/// Status: nothing was done; the task is for the reference.
pub const REFUSED: i64 = 3;
/// The initial capacity for ids.
const FIRST_IDS: usize = 1 << 14;
/// The number of words of scratch memory.
pub const SCRATCH: usize = 1 << 16;

/// The interface between code and its caller.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    pub(super) base: *mut u64,
    pub(super) item: *mut WorkItem,
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
    memo: *mut u64,
    pub(super) scratch: *mut u64,
    pub(super) counters: Counters,
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
    /// The item of a single position, and the empty one after it.
    single: [WorkItem; 2],
}

/// A position that code works on and the number of choices made there; for stepping code, also the task and
/// its answer.
#[repr(C)]
#[derive(Debug)]
pub(super) struct WorkItem {
    base: *mut u64,
    moves: u64,
    pub(super) memory: *mut Vec<u64>,
    stream: *mut u64,
    task: i64,
    seat: i64,
    lists: i64,
    answer: i64,
}

impl WorkItem {
    /// The sentinel after the last item.
    const NONE: WorkItem = WorkItem {
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

/// A task for stepping code at a position.
#[derive(Debug)]
pub struct StepTask<'t> {
    /// See [`ITEM_TASK`].
    pub task: i64,
    /// See [`ITEM_SEAT`].
    pub seat: i64,
    /// See [`ITEM_LISTS`].
    pub lists: bool,
    /// The random stream, if code may draw.
    pub rng: Option<&'t mut Rng>,
}

impl WorkItem {
    fn new(memory: &mut Vec<u64>, stream: *mut u64) -> WorkItem {
        WorkItem { base: memory.as_mut_ptr(), stream, memory, ..WorkItem::NONE }
    }
}

/// How code ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The task is done.
    Done,
    /// The reference must repeat the step from its beginning, and the position is spoilt. The stream in the
    /// context is the one with which the match at that position begins.
    BailedOut,
    /// The reference must continue from the position as it is, with the stream as it is.
    SideExit,
    /// Nothing was done.
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
    /// The interface between code and its caller.
    pub context: Box<Context>,
    /// The rows that code has written, one after the other.
    pub rows: Vec<i64>,
    /// The values that code refers to by index.
    pub interpreter_state: InterpreterState,
    interpreter: Option<Arc<Interpreter>>,
    items: Vec<WorkItem>,
    lists: Vec<Vec<i64>>,
    scratch: Vec<u64>,
    /// A copy of the position, in case stepping code spoils it.
    pub spare: Vec<u64>,
    /// The ids that code has listed.
    ids: Vec<u32>,
    /// Whether stepping code may ask the reference questions.
    asks: bool,
}

/// A function of compiled code that can be entered.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// The address of machine code that takes a word and returns one.
    Machine(*const u8),
    /// A MIR function that is interpreted.
    Interpreted(*const Function),
}

// SAFETY: finished code is never written again, and may run in many threads at once, each with its own
// workspace.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Entry {
    /// Runs code with the given address and returns its result.
    ///
    /// # Safety
    /// The memory at the address is as the code expects (see the top of this file), and the entry's
    /// module is still alive.
    #[inline]
    unsafe fn run<T>(self, given: *mut T) -> i64 {
        match self {
            // SAFETY: the address is that of finished code of this signature.
            Entry::Machine(code) => unsafe {
                let code: extern "C" fn(*mut T) -> i64 = std::mem::transmute(code);
                code(given)
            },
            // SAFETY: the function is owned by the entry's module.
            Entry::Interpreted(func) => unsafe {
                interpret::run(&*func, &[given as u64], &mut OwnMemory::new()) as i64
            },
        }
    }

    /// Runs test code on the given words and returns its result.
    #[cfg(test)]
    pub fn run_in(self, words: &mut [u64]) -> u64 {
        // SAFETY: the test keeps the code alive, and the code stays within the words.
        unsafe { self.run(words.as_mut_ptr()) as u64 }
    }
}

/// Owns machine code. Dropping it frees the code and invalidates every [`Entry`] into it.
pub struct CodeMemory(Option<Box<JITModule>>);

impl CodeMemory {
    /// Takes over a module.
    pub fn new(module: JITModule) -> CodeMemory {
        CodeMemory(Some(Box::new(module)))
    }

    /// Returns the module, to generate more code.
    pub fn module(&mut self) -> &mut JITModule {
        self.0.as_mut().expect("it is taken only when dropped")
    }
}

// SAFETY: the module owns all that it refers to, and its memory is written only through a mutable reference;
// finished code is never written again.
unsafe impl Send for CodeMemory {}

impl std::fmt::Debug for CodeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CodeMemory")
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: entries live no longer than the engine that holds this memory, and none is running.
            unsafe { module.free_memory() };
        }
    }
}

// SAFETY: its addresses point to its own memory, or are set again whenever code runs.
unsafe impl Send for Workspace {}

impl Default for Workspace {
    fn default() -> Workspace {
        let context = Context {
            base: std::ptr::null_mut(),
            item: std::ptr::null_mut(),
            max_moves: -1,
            fuel: 0,
            cost: 0,
            chance: [0; 4],
            draws: 0,
            scratch_end: std::ptr::null_mut(),
            scratch_begin: std::ptr::null_mut(),
            memo: std::ptr::null_mut(),
            scratch: std::ptr::null_mut(),
            counters: Counters::default(),
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
            single: [WorkItem::NONE, WorkItem::NONE],
        };
        Workspace {
            context: Box::new(context),
            rows: Vec::new(),
            interpreter_state: InterpreterState::default(),
            interpreter: None,
            items: Vec::new(),
            lists: Vec::new(),
            scratch: vec![0; SCRATCH],
            spare: Vec::new(),
            ids: Vec::new(),
            asks: false,
        }
    }
}

impl Workspace {
    /// Sets the interpreter that answers the code's questions.
    pub fn set_interpreter(&mut self, interpreter: &Arc<Interpreter>) {
        if !self.interpreter.as_ref().is_some_and(|known| Arc::ptr_eq(known, interpreter)) {
            self.interpreter = Some(Arc::clone(interpreter));
            self.interpreter_state = InterpreterState::for_code(interpreter);
        }
    }

    /// Puts a list among the arguments, as address and length; it is kept until the next [`Workspace::run`]
    /// ends.
    pub fn list_argument(&mut self, at: usize, words: Vec<i64>) {
        self.context.args[at] = words.as_ptr() as i64;
        self.context.args[at + 1] = words.len() as i64;
        self.lists.push(words);
    }

    /// Makes code play on from the position with the given random stream.
    pub fn set_stream(&mut self, rng: &Rng, max_moves: u64) {
        self.context.chance = rng.state;
        self.set_max_moves(max_moves);
    }

    /// Sets the maximum number of choices from each position.
    pub fn set_max_moves(&mut self, max_moves: u64) {
        self.context.max_moves = i64::try_from(max_moves).unwrap_or(i64::MAX);
    }

    /// Runs code on positions in order, each to its next stop. If something is left to the reference, it is
    /// at the first position that is not over.
    pub fn run<'p>(&mut self, code: Entry, positions: impl IntoIterator<Item = &'p mut Vec<u64>>) -> Ended {
        self.items.clear();
        self.items.extend(positions.into_iter().map(|memory| WorkItem::new(memory, std::ptr::null_mut())));
        self.enter(code)
    }

    /// Like [`Workspace::run`], with a random stream for each position.
    pub fn run_apart<'p>(
        &mut self,
        code: Entry,
        positions: impl IntoIterator<Item = (&'p mut Vec<u64>, &'p mut Rng)>,
    ) -> Ended {
        self.items.clear();
        self.items
            .extend(positions.into_iter().map(|(memory, rng)| WorkItem::new(memory, rng.state.as_mut_ptr())));
        let Some(first) = self.items.first() else { return Ended::Done };
        // SAFETY: the stream is borrowed while this runs.
        self.context.chance = unsafe { *first.stream.cast::<[u64; 4]>() };
        self.enter(code)
    }

    fn enter(&mut self, code: Entry) -> Ended {
        let begin = self.scratch.as_mut_ptr();
        self.items.push(WorkItem::NONE);
        self.rows.clear();
        let context = &mut *self.context;
        context.base = self.items[0].base;
        context.item = self.items.as_mut_ptr();
        context.rows = &raw mut self.rows;
        context.interpreter = self.interpreter.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
        context.interpreter_state = &raw mut self.interpreter_state;
        context.scratch_begin = begin;
        context.memo = self.interpreter_state.memo.as_mut_ptr();
        // SAFETY: one past the end of the scratch words.
        context.scratch_end = unsafe { begin.add(self.scratch.len()) };
        // SAFETY: the context is set up as described at the top of this file.
        let status = unsafe { code.run(context) };
        self.lists.clear();
        Ended::of(status)
    }

    /// Sets up what stays the same between steps, with a spare position of `words` words.
    pub fn ready_to_step(&mut self, interpreter: &Arc<Interpreter>, cost: i64, words: usize) {
        self.set_interpreter(interpreter);
        self.asks = interpreter.asks();
        self.spare.resize(words.max(self.spare.len()), 0);
        let scratch = self.scratch.as_mut_ptr_range();
        let context = &mut *self.context;
        (context.scratch_begin, context.scratch_end) = (scratch.start, scratch.end);
        context.memo = self.interpreter_state.memo.as_mut_ptr();
        context.interpreter = Arc::as_ptr(interpreter);
        context.cost = cost;
    }

    /// Reserves memory for listing ids from index `offset` on.
    #[inline]
    pub fn lists_ids(&mut self, offset: usize) {
        if self.ids.len() <= offset {
            self.ids.resize(offset + FIRST_IDS, 0);
        }
        let range = self.ids[offset..].as_mut_ptr_range();
        (self.context.out, self.context.out_end) = (range.start, range.end);
        self.context.ids = &raw mut self.ids;
    }

    /// Returns `count` listed ids, beginning with number `from`.
    #[inline]
    pub fn ids(&self, from: usize, count: usize) -> &[u32] {
        &self.ids[from..from + count]
    }

    /// Inserts ids at an index among those that code listed.
    pub fn insert_ids(&mut self, at: usize, ids: &[u32]) {
        self.ids.resize(self.ids.len().max(at), 0);
        self.ids.splice(at..at, ids.iter().copied());
    }

    /// Runs code on one position, which it may change.
    #[inline]
    pub fn step(&mut self, code: Entry, memory: &mut Vec<u64>, task: StepTask) -> Ended {
        let base = memory.as_mut_ptr();
        self.enter_single(code, base, memory, task)
    }

    /// Runs code that does not change the position.
    #[inline]
    #[allow(clippy::ptr_arg)] // helpers look into the vector
    pub fn query(&mut self, code: Entry, memory: &Vec<u64>, task: StepTask) -> Ended {
        if self.asks {
            // The reference takes the position by mutable reference.
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
    fn enter_single(&mut self, code: Entry, base: *mut u64, memory: *mut Vec<u64>, task: StepTask) -> Ended {
        let context = &mut *self.context;
        let stream = task.rng.map_or(std::ptr::null_mut(), |rng| rng.state.as_mut_ptr());
        let StepTask { task, seat, lists, .. } = task;
        let lists = i64::from(lists);
        context.single[0] = WorkItem { base, moves: 0, memory, stream, task, seat, lists, answer: 0 };
        context.item = &raw mut context.single[0];
        self.enter_step(code)
    }

    /// Runs code on positions in order, each with a task.
    pub fn step_each<'p>(
        &mut self,
        code: Entry,
        tasks: impl IntoIterator<Item = (&'p mut Vec<u64>, StepTask<'p>)>,
    ) -> Ended {
        self.items.clear();
        for (memory, StepTask { task, seat, lists, rng }) in tasks {
            let stream = rng.map_or(std::ptr::null_mut(), |rng| rng.state.as_mut_ptr());
            let (base, lists) = (memory.as_mut_ptr(), i64::from(lists));
            self.items.push(WorkItem { base, moves: 0, memory, stream, task, seat, lists, answer: 0 });
        }
        self.enter_items(code)
    }

    /// Runs code that does not change the positions, with the same task for each.
    pub fn query_each<'p>(
        &mut self,
        code: Entry,
        positions: impl IntoIterator<Item = &'p Vec<u64>>,
        task: i64,
    ) -> Ended {
        self.items.clear();
        for memory in positions {
            let (base, memory) = (memory.as_ptr().cast_mut(), std::ptr::from_ref(memory).cast_mut());
            self.items.push(WorkItem { base, memory, task, ..WorkItem::NONE });
        }
        self.enter_items(code)
    }

    fn enter_items(&mut self, code: Entry) -> Ended {
        self.items.push(WorkItem::NONE);
        self.context.item = self.items.as_mut_ptr();
        if self.items.len() == 1 {
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
        // SAFETY: as in `enter`: the items, scratch memory and the spare position are set up.
        let status = unsafe { code.run(context) };
        Ended::of(status)
    }

    /// Returns the answer of a single task.
    #[inline]
    pub fn answer(&self) -> i64 {
        self.context.single[0].answer
    }

    /// Returns the answer of task `nth` of many.
    #[inline]
    pub fn answer_of(&self, nth: usize) -> i64 {
        self.items[nth].answer
    }

    /// Returns the number of choices made in each position that is over, in order.
    pub fn finished_moves(&self) -> impl Iterator<Item = u64> {
        self.items[..self.current_item()].iter().map(|item| item.moves)
    }

    /// Returns the number of choices made in the position where code took a side exit.
    pub fn moves_so_far(&self) -> u64 {
        self.items[self.current_item()].moves
    }

    /// Returns the index of the item that code is at.
    pub fn current_item(&self) -> usize {
        (self.context.item.addr() - self.items.as_ptr().addr()) / size_of::<WorkItem>()
    }
}
