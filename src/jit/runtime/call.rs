//! The one place with unsafe code: entering machine code, and the helpers that it calls.
//!
//! What holds, so that it is sound:
//! - Code is entered with a [`Context`] whose `place` points to the first of the [`Workspace`]'s places, one for each
//!   position it was given and an empty one behind them, `base` to the first word of the first position, `rows` to the
//!   Room's own, and `scratch_begin` to its scratch words; Room and positions are borrowed for as long as the code
//!   runs, and nothing else touches them. One thread runs it, with a Room of its own; others may run
//!   the same code with theirs. At a stop code goes on to the next place, and is left at
//!   the empty one.
//! - Code reads and writes only inside the position's fixed part (offsets are the layout's), inside blocks of growing
//!   lists below their length (checked in the code, or by [`crate::jit::layout::pool`]), inside scratch memory it has asked for
//!   (checked against its end), its own stack slots, and reads static rows at indices whose range is known.
//! - Helpers get addresses that code made so, with the lengths that belong to them.

use std::mem::offset_of;
use std::sync::Arc;

use cranelift::jit::JITModule;

use crate::eval::Dom;
use crate::ir::Value;
use crate::jit::layout::pool;
use crate::jit::layout::position::MAX_ARGS;
use crate::jit::layout::shape::{NONE, fits};
use crate::jit::runtime::questions::{Interpreter, InterpreterState, Part, Running};
use crate::jit::runtime::ranks;
use crate::jit::runtime::ranks::{Ranked, Words};
use crate::num::{Int, Rng, theory};

/// Where the context keeps the address of the position.
pub const CTX_BASE: i32 = offset_of!(Context, base) as i32;
/// Where the context keeps the address of the place that code is at.
pub const CTX_PLACE: i32 = offset_of!(Context, place) as i32;
/// Where a place keeps the address of its position; 0 behind the last one.
pub const PLACE_BASE: i32 = offset_of!(Place, base) as i32;
/// How many choices were made there.
pub const PLACE_MOVES: i32 = offset_of!(Place, moves) as i32;
/// Where a place keeps the address of the stream of chance of its own, four words; 0 where it goes on in the context's.
pub const PLACE_STREAM: i32 = offset_of!(Place, stream) as i32;
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
/// How code ends where all was done.
pub const DONE: i64 = 0;
/// How it ends where the reference must do the step from its beginning.
pub const BAILED_OUT: i64 = 1;
/// How it ends where the reference is to go on from the position as it is.
pub const SIDE_EXIT: i64 = 2;
/// How many words of scratch memory a step has.
pub const SCRATCH: usize = 1 << 16;

/// What code and its caller tell each other.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    base: *mut u64,
    place: *mut Place,
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
    scratch_end: *mut u64,
    scratch_begin: *mut u64,
    scratch: *mut u64,
    running: Running,
    interpreter: *const Interpreter,
    interpreter_state: *mut InterpreterState,
    /// See [`CTX_TASK`].
    pub task: i64,
    /// See [`CTX_SEAT`].
    pub seat: i64,
    /// See [`CTX_REASON`].
    pub reason: u64,
    /// See [`CTX_ARGS`].
    pub args: [i64; MAX_ARGS],
    rows: *mut Vec<i64>,
}

/// A position that code works on, and how many choices it made there.
#[repr(C)]
#[derive(Debug)]
struct Place {
    base: *mut u64,
    moves: u64,
    stream: *mut u64,
    memory: *mut Vec<u64>,
}

impl Place {
    fn new(memory: &mut Vec<u64>, stream: *mut u64) -> Place {
        Place { base: memory.as_mut_ptr(), moves: 0, stream, memory }
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
}

/// The address of a function of machine code.
#[derive(Debug, Clone, Copy)]
pub struct Entry(*const u8);

// SAFETY: finished code is never written again, and may run in many threads at once, each with a Room of its own.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

/// The memory that holds machine code; freed when it is dropped, and with it every [`Entry`] into it.
pub struct CodeMemory(Option<JITModule>);

impl CodeMemory {
    /// Takes finished code over.
    pub fn new(module: JITModule) -> CodeMemory {
        CodeMemory(Some(module))
    }
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
        if let Some(module) = self.0.take() {
            // SAFETY: entries live no longer than the engine that holds this memory, and none is running.
            unsafe { module.free_memory() };
        }
    }
}

impl Entry {
    /// The address of code that takes a context and gives a status.
    pub fn new(code: *const u8) -> Entry {
        Entry(code)
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
        };
        Workspace {
            context: Box::new(context),
            rows: Vec::new(),
            interpreter_state: InterpreterState::default(),
            interpreter: None,
            places: Vec::new(),
            lists: Vec::new(),
            scratch: vec![0; SCRATCH],
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
        self.places.push(Place {
            base: std::ptr::null_mut(),
            moves: 0,
            stream: std::ptr::null_mut(),
            memory: std::ptr::null_mut(),
        });
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
        // SAFETY: the address is that of finished code of this signature, and the context is set up as the head of
        // this file demands.
        let status = unsafe {
            let code: extern "C" fn(*mut Context) -> i64 = std::mem::transmute(code.0);
            code(context)
        };
        self.lists.clear();
        match status {
            DONE => Ended::Done,
            SIDE_EXIT => Ended::SideExit,
            _ => Ended::BailedOut,
        }
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
    fn at(&self) -> usize {
        (self.context.place.addr() - self.places.as_ptr().addr()) / size_of::<Place>()
    }
}

/// A slice that code has named.
///
/// # Safety
/// The address and length are those of memory that code may read.
unsafe fn slice<'a, T>(at: *const T, len: i64) -> &'a [T] {
    if len <= 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(at, len as usize) }
}

/// The same, to be written.
///
/// # Safety
/// As [`slice`], and nothing else refers to it.
unsafe fn slice_mut<'a, T>(at: *mut T, len: i64) -> &'a mut [T] {
    if len <= 0 {
        return &mut [];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts_mut(at, len as usize) }
}

/// Makes room for so many bytes in the growing list at a byte offset; 1 when done.
extern "C" fn grow(context: *mut Context, handle: i64, bytes: i64) -> i64 {
    // SAFETY: see the head of this file.
    unsafe {
        let memory = &mut *(*(*context).place).memory;
        let done = pool::grow(memory, handle as usize / 8, (bytes as usize).div_ceil(8));
        (*context).base = memory.as_mut_ptr();
        i64::from(done.is_some())
    }
}

/// Whether the pool at a byte offset has an entry of so many words.
extern "C" fn pool_has(context: *mut Context, handle: i64, entry: *const u64, words: i64) -> i64 {
    // SAFETY: see the head of this file.
    unsafe {
        i64::from(pool::contains(&*(*(*context).place).memory, handle as usize / 8, slice(entry, words)))
    }
}

/// Puts an entry into the pool; 1 when done.
extern "C" fn pool_add(context: *mut Context, handle: i64, entry: *const u64, words: i64) -> i64 {
    // SAFETY: see the head of this file; entries lie in scratch memory, never in the position.
    unsafe {
        let memory = &mut *(*(*context).place).memory;
        let done = pool::insert(memory, handle as usize / 8, slice(entry, words));
        (*context).base = memory.as_mut_ptr();
        i64::from(done.is_some())
    }
}

/// Empties the pool.
extern "C" fn pool_clear(context: *mut Context, handle: i64) -> i64 {
    // SAFETY: see the head of this file.
    unsafe { pool::clear(&mut *(*(*context).place).memory, handle as usize / 8) };
    1
}

/// Lists a row of words.
extern "C" fn push_row(context: *mut Context, row: *const i64, words: i64) -> i64 {
    // SAFETY: see the head of this file; rows lie in scratch memory.
    unsafe { (*(*context).rows).extend_from_slice(slice(row, words)) };
    1
}

/// Sorts words.
extern "C" fn sort(at: *mut i64, len: i64) -> i64 {
    // SAFETY: a list that code made in scratch memory.
    unsafe { slice_mut(at, len) }.sort_unstable();
    1
}

/// Takes out of words that ascend those that are there already: how many are left.
extern "C" fn distinct(at: *mut i64, len: i64) -> i64 {
    // SAFETY: a list that code made in scratch memory.
    let words = unsafe { slice_mut(at, len) };
    let mut kept = 0;
    for i in 0..words.len() {
        if i == 0 || words[i] != words[kept - 1] {
            words[kept] = words[i];
            kept += 1;
        }
    }
    kept as i64
}

/// In how many orders words can stand, equal ones alike; NONE where that is too many.
extern "C" fn orders(at: *const i64, len: i64) -> i64 {
    // SAFETY: a list of code's.
    let mut words = unsafe { slice(at, len) }.to_vec();
    words.sort_unstable();
    ranks::orders(&words).unwrap_or(NONE)
}

/// The order of a rank, alphabetically.
extern "C" fn order_at(at: *const i64, len: i64, rank: i64, to: *mut i64) -> i64 {
    // SAFETY: lists of code's; `to` has room for `len` words.
    let (words, to) = unsafe { (slice(at, len), slice_mut(to, len)) };
    let (mut sorted, mut row) = (words.to_vec(), Vec::with_capacity(words.len()));
    sorted.sort_unstable();
    Ranked::Permutations(&sorted).at(rank, &mut row);
    to.copy_from_slice(&row);
    1
}

/// How many rows of `size` distinct elements `n` elements make; NONE where that is too many.
extern "C" fn arrangements(n: i64, size: i64) -> i64 {
    Ranked::Arrangements(size, Words::Range(0, n)).count().unwrap_or(NONE)
}

/// The row of a rank among the rows of `size` distinct numbers from `first` on, `n` of them.
extern "C" fn arrangement_at(n: i64, size: i64, first: i64, rank: i64, to: *mut i64) -> i64 {
    // SAFETY: `to` has room for `size` words.
    let to = unsafe { slice_mut(to, size) };
    ranks::places(n, rank, to);
    to.iter_mut().for_each(|place| *place += first);
    1
}

/// The words that a place is chosen from, as code describes them; `None` where it describes something else.
///
/// # Safety
/// The address is that of the descriptor of a domain, and what that names is there.
unsafe fn words<'a>(descriptor: *const i64) -> Option<Words<'a>> {
    // SAFETY: as the caller says.
    unsafe {
        Some(match *slice(descriptor, ranks::DESCRIPTOR) {
            [ranks::RANGE, first, count, _] => Words::Range(first, count),
            [ranks::ITEMS, at, len, _] => Words::Items(slice(at as *const i64, len)),
            _ => return None,
        })
    }
}

/// A domain of rows, as code describes it.
///
/// # Safety
/// As [`words`].
unsafe fn ranked<'a>(descriptor: *const i64) -> Option<Ranked<'a>> {
    // SAFETY: as the caller says.
    unsafe {
        Some(match *slice(descriptor, ranks::DESCRIPTOR) {
            [ranks::PERMUTATIONS, at, len, _] => Ranked::Permutations(slice(at as *const i64, len)),
            [ranks::ARRANGEMENTS, size, of, _] => Ranked::Arrangements(size, words(of as *const i64)?),
            [ranks::LISTS, size, of, _] => Ranked::Lists(size, words(of as *const i64)?),
            [ranks::SUBSETS, at, len, size] => {
                Ranked::Subsets(Some(size).filter(|size| *size >= 0), slice(at as *const i64, len))
            }
            [ranks::TUPLES, count, first, _] => {
                let part = |i: i64| words((first + i * ranks::DESCRIPTOR * 8) as *const i64);
                Ranked::Tuples((0..count).map(part).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// How many rows a domain has; NONE where that is too many.
extern "C" fn rows_of(descriptor: *const i64) -> i64 {
    // SAFETY: code has written the descriptor.
    unsafe { ranked(descriptor) }.and_then(|ranked| ranked.count()).unwrap_or(NONE)
}

/// The row of a rank of a domain: how many words it has.
extern "C" fn ranked_row(descriptor: *const i64, rank: i64, to: *mut i64) -> i64 {
    // SAFETY: code has written the descriptor; `to` has room for its longest row.
    unsafe {
        let mut row = Vec::new();
        if let Some(ranked) = ranked(descriptor) {
            ranked.at(rank, &mut row);
        }
        std::ptr::copy_nonoverlapping(row.as_ptr(), to, row.len());
        row.len() as i64
    }
}

/// Draws the places, from 0, of so many of `n` elements dealt one by one.
extern "C" fn deal(context: *mut Context, n: i64, size: i64, to: *mut i64) -> i64 {
    // SAFETY: see the head of this file; `to` has room for `size` words.
    let (running, to) = unsafe { (&mut (*context).running, slice_mut(to, size)) };
    let mut rng = Rng { state: running.chance };
    let small = (0..size).try_fold(1i64, |all, i| all.checked_mul(n - i));
    match small {
        Some(count) => ranks::places(n, rng.below_u64(count.max(1) as u64) as i64, to),
        None => {
            let all = Box::new(Dom::Range(Int::ZERO, Int::from(n - 1)));
            let dom = Dom::Arrangements(to.len(), all);
            let count = dom.count(Default::default()).ok().flatten().unwrap_or(Int::ONE);
            for (place, item) in to.iter_mut().zip(crate::eval::elements(&dom.at(&rng.below(&count)))) {
                *place = if let Value::Int(n) = item { n.as_i64().unwrap_or_default() } else { 0 };
            }
        }
    }
    running.chance = rng.state;
    1
}

/// A power; NONE where it is too large.
extern "C" fn power(base: i64, exponent: i64) -> i64 {
    let Ok(exponent) = u32::try_from(exponent) else { return NONE };
    base.checked_pow(exponent).filter(fits).unwrap_or(NONE)
}

extern "C" fn gcd(a: i64, b: i64) -> i64 {
    num_integer::gcd(a, b)
}

extern "C" fn prime(n: i64) -> i64 {
    i64::from(theory::prime(&Int::from(n)))
}

extern "C" fn square(n: i64) -> i64 {
    i64::from(theory::square(&Int::from(n)))
}

extern "C" fn fibonacci(n: i64) -> i64 {
    i64::from(theory::fibonacci(&Int::from(n)))
}

extern "C" fn root(n: i64) -> i64 {
    theory::root(&Int::from(n)).as_i64().unwrap_or(NONE)
}

/// Asks the reference a question about the position: 1 where it is answered. The words given, and then those of the
/// answer, are at an address.
extern "C" fn ask(context: *mut Context, number: i64, words: *mut i64) -> i64 {
    // SAFETY: see the head of this file; the words are in a place of code's that has room for both, and rows given lie
    // in scratch memory or static data.
    unsafe {
        let context = &mut *context;
        let (interpreter, interpreter_state) = (&*context.interpreter, &mut *context.interpreter_state);
        let Some(question) = interpreter.questions.get(number as usize) else { return 0 };
        let mut at = words;
        let mut given: Vec<&[i64]> = Vec::with_capacity(question.given.len());
        for part in &question.given {
            let taken = match part {
                Part::Words(n) => {
                    given.push(slice(at, *n as i64));
                    *n
                }
                Part::Row => {
                    given.push(slice(*at as *const i64, *at.add(1)));
                    2
                }
            };
            at = at.add(taken);
        }
        let memory = &mut *(*context.place).memory;
        interpreter_state.free = context.scratch.addr()..context.scratch_end.addr();
        let answered =
            interpreter_state.answer(interpreter, number as usize, memory, &given, &mut context.running);
        context.base = memory.as_mut_ptr();
        context.scratch = context.scratch.with_addr(interpreter_state.free.start);
        if answered.is_none() {
            return 0;
        }
        let (mut singles, mut rows) = (interpreter_state.words.iter(), interpreter_state.rows.iter());
        let mut at = words;
        for part in &question.answered {
            match part {
                Part::Words(n) => {
                    for word in singles.by_ref().take(*n) {
                        *at = *word;
                        at = at.add(1);
                    }
                }
                Part::Row => {
                    let Some(row) = rows.next() else { return 0 };
                    let to = context.scratch.cast::<i64>();
                    let left = (context.scratch_end.addr() - to.addr()) / size_of::<u64>();
                    if row.len() > left {
                        return 0;
                    }
                    std::ptr::copy_nonoverlapping(row.as_ptr(), to, row.len());
                    context.scratch = to.add(row.len()).cast();
                    (*at, *at.add(1)) = (to as i64, row.len() as i64);
                    at = at.add(2);
                }
            }
        }
        1
    }
}

/// The helpers: name, address, number of words they take. Each gives a word.
pub fn helpers() -> Vec<(&'static str, *const u8, usize)> {
    vec![
        ("grow", grow as *const u8, 3),
        ("pool_has", pool_has as *const u8, 4),
        ("pool_add", pool_add as *const u8, 4),
        ("pool_clear", pool_clear as *const u8, 2),
        ("push_row", push_row as *const u8, 3),
        ("sort", sort as *const u8, 2),
        ("distinct", distinct as *const u8, 2),
        ("rows", rows_of as *const u8, 1),
        ("ranked_row", ranked_row as *const u8, 3),
        ("deal", deal as *const u8, 4),
        ("orders", orders as *const u8, 2),
        ("order_at", order_at as *const u8, 4),
        ("arrangements", arrangements as *const u8, 2),
        ("arrangement_at", arrangement_at as *const u8, 5),
        ("power", power as *const u8, 2),
        ("gcd", gcd as *const u8, 2),
        ("prime", prime as *const u8, 1),
        ("square", square as *const u8, 1),
        ("fibonacci", fibonacci as *const u8, 1),
        ("root", root as *const u8, 1),
        ("ask", ask as *const u8, 3),
    ]
}
