//! The helpers that compiled code calls. Their preconditions are listed at the top of [`super::call`].

use std::borrow::Cow;

use crate::eval::Dom;
use crate::ir::Value;
use crate::jit::layout::kept::Kept;
use crate::jit::layout::shape::{NONE, fits};
use crate::jit::layout::{entries, pool};
use crate::jit::runtime::call::Context;
use crate::jit::runtime::ranks;
use crate::jit::runtime::ranks::{Ranked, Words};
use crate::num::{Int, Rng, primes, theory};

/// Returns the slice at an address given by code.
///
/// # Safety
/// The address and length are those of memory that code may read.
unsafe fn slice<'a, T>(at: *const T, len: i64) -> &'a [T] {
    if len <= 0 {
        return &[];
    }
    // SAFETY: as the caller ensures.
    unsafe { std::slice::from_raw_parts(at, len as usize) }
}

/// Returns the mutable slice at an address given by code.
///
/// # Safety
/// As for [`slice`], and nothing else refers to the memory.
unsafe fn slice_mut<'a, T>(at: *mut T, len: i64) -> &'a mut [T] {
    if len <= 0 {
        return &mut [];
    }
    // SAFETY: as the caller ensures.
    unsafe { std::slice::from_raw_parts_mut(at, len as usize) }
}

/// Makes the growing block whose handle is at a byte offset hold at least `bytes` bytes; returns 1 if done.
extern "C" fn grow(context: *mut Context, handle: i64, bytes: i64) -> i64 {
    // SAFETY: see the top of `call.rs`.
    unsafe {
        let memory = &mut *(*(*context).item).memory;
        let done = pool::grow(memory, handle as usize / 8, (bytes as usize).div_ceil(8));
        (*context).base = memory.as_mut_ptr();
        i64::from(done.is_some())
    }
}

/// Whether the pool at a byte offset contains an entry of `words` words.
extern "C" fn pool_has(context: *mut Context, handle: i64, entry: *const u64, words: i64) -> i64 {
    // SAFETY: see the top of `call.rs`.
    unsafe {
        i64::from(pool::contains(&*(*(*context).item).memory, handle as usize / 8, slice(entry, words)))
    }
}

/// Inserts an entry into the pool at a byte offset; returns 1 if done.
extern "C" fn pool_add(context: *mut Context, handle: i64, entry: *const u64, words: i64) -> i64 {
    // SAFETY: see the top of `call.rs`; entries lie in scratch memory, never in the position.
    unsafe {
        let memory = &mut *(*(*context).item).memory;
        let done = pool::insert(memory, handle as usize / 8, slice(entry, words));
        (*context).base = memory.as_mut_ptr();
        i64::from(done.is_some())
    }
}

/// Empties the pool at a byte offset.
extern "C" fn pool_clear(context: *mut Context, handle: i64) -> i64 {
    // SAFETY: see the top of `call.rs`.
    unsafe { pool::clear(&mut *(*(*context).item).memory, handle as usize / 8) };
    1
}

/// Appends a row of words to the output.
extern "C" fn push_row(context: *mut Context, row: *const i64, words: i64) -> i64 {
    // SAFETY: see the top of `call.rs`; rows lie in scratch memory.
    unsafe { (*(*context).rows).extend_from_slice(slice(row, words)) };
    1
}

/// Makes room for `more` more ids.
extern "C" fn more_ids(context: *mut Context, more: i64) -> i64 {
    // SAFETY: see the top of `call.rs`; `out` points into the vector or just past its end.
    unsafe {
        let ids = &mut *(*context).ids;
        let used = (*context).out.offset_from_unsigned(ids.as_ptr());
        let wanted = used + more.max(0) as usize;
        ids.resize(wanted.max(2 * ids.len()), 0);
        let range = ids.as_mut_ptr_range();
        (*context).out = range.start.add(used);
        (*context).out_end = range.end;
    }
    1
}

/// Sorts words in ascending order.
extern "C" fn sort(at: *mut i64, len: i64) -> i64 {
    // SAFETY: a list that code made in scratch memory.
    unsafe { slice_mut(at, len) }.sort_unstable();
    1
}

/// Removes duplicates from ascending words; returns how many are left.
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

/// Returns the words described by a descriptor; `None` if it describes rows.
///
/// # Safety
/// The address is that of a domain's descriptor, and the memory that it points to is readable.
unsafe fn words<'a>(descriptor: *const i64) -> Option<Words<'a>> {
    // SAFETY: as the caller ensures.
    unsafe {
        Some(match *slice(descriptor, ranks::DESCRIPTOR) {
            [ranks::RANGE, first, count, ..] => Words::Range(first, count),
            [ranks::ITEMS, at, len, ..] => Words::Items(slice(at as *const i64, len)),
            _ => return None,
        })
    }
}

/// Returns the domain of rows described by a descriptor.
///
/// # Safety
/// As for [`words`].
unsafe fn ranked<'a>(descriptor: *const i64) -> Option<Ranked<'a>> {
    // SAFETY: as the caller ensures.
    unsafe {
        Some(match *slice(descriptor, ranks::DESCRIPTOR) {
            [ranks::PERMUTATIONS, at, len, ..] => Ranked::Permutations(slice(at as *const i64, len)),
            [ranks::ARRANGEMENTS, size, of, ..] => Ranked::Arrangements(size, words(of as *const i64)?),
            [ranks::LISTS, size, of, ..] => Ranked::Lists(size, words(of as *const i64)?),
            [ranks::LISTS_FROM, most, of, least, _] => {
                Ranked::ListsFrom(least, most, words(of as *const i64)?)
            }
            [ranks::SUBSETS, at, len, size, _] => {
                Ranked::Subsets(Some(size).filter(|size| *size >= 0), slice(at as *const i64, len))
            }
            [ranks::SUBSETS_FROM, at, len, least, most] => {
                Ranked::SubsetsFrom(least, most, slice(at as *const i64, len))
            }
            [ranks::TUPLES, count, first, ..] => {
                let part = |i: i64| words((first + i * ranks::DESCRIPTOR * 8) as *const i64);
                Ranked::Tuples((0..count).map(part).collect::<Option<_>>()?)
            }
            // A table begins with its own length.
            [ranks::TABLE, _, _, at, _] => Ranked::Table(slice(at as *const i64, *(at as *const i64))),
            _ => return None,
        })
    }
}

/// Returns the number of rows of a domain; NONE if that is too many.
extern "C" fn rows_of(descriptor: *const i64) -> i64 {
    // SAFETY: code has written the descriptor.
    unsafe { ranked(descriptor) }.and_then(|ranked| ranked.count()).unwrap_or(NONE)
}

/// Writes the row of a domain with the given rank; returns its length in words.
extern "C" fn ranked_row(descriptor: *const i64, rank: i64, to: *mut i64) -> i64 {
    // SAFETY: code has written the descriptor; `to` has room for its longest row.
    unsafe {
        let Some(ranked) = ranked(descriptor) else { return 0 };
        ranked.at(rank, slice_mut(to, ranked.longest() as i64)) as i64
    }
}

/// Returns the rank of a row of a domain; −1 if it is not in it.
extern "C" fn row_rank(descriptor: *const i64, at: *const i64, len: i64) -> i64 {
    // SAFETY: code has written the descriptor and the row.
    unsafe { ranked(descriptor).and_then(|ranked| ranked.rank(slice(at, len))) }.unwrap_or(-1)
}

/// Draws the indices (0-based) of `size` elements dealt one by one out of `n`.
extern "C" fn deal(context: *mut Context, n: i64, size: i64, to: *mut i64) -> i64 {
    // SAFETY: see the top of `call.rs`; `to` has room for `size` words.
    let (running, to) = unsafe { (&mut (*context).counters, slice_mut(to, size)) };
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

/// Returns a power; NONE if it is too large or the exponent does not fit.
extern "C" fn power(base: i64, exponent: i64) -> i64 {
    let Ok(exponent) = u32::try_from(exponent) else { return NONE };
    base.checked_pow(exponent).filter(fits).unwrap_or(NONE)
}

extern "C" fn gcd(a: i64, b: i64) -> i64 {
    num_integer::gcd(a, b)
}

/// Returns a number if code can hold it, else `NONE`.
fn held(n: Option<Int>) -> i64 {
    n.and_then(|n| n.as_i64()).filter(fits).unwrap_or(NONE)
}

extern "C" fn lcm(a: i64, b: i64) -> i64 {
    if a == 0 || b == 0 {
        return 0;
    }
    let part = Int::from(a / num_integer::gcd(a, b)).mul(&Int::from(b));
    held(part.ok().map(|all| all.abs()))
}

extern "C" fn choose(n: i64, k: i64) -> i64 {
    let natural = n >= 0 && k >= 0;
    held(natural.then(|| theory::choose(&Int::from(n), &Int::from(k)).ok()).flatten())
}

extern "C" fn factorial(n: i64) -> i64 {
    held((n >= 0).then(|| theory::factorial(&Int::from(n)).ok()).flatten())
}

extern "C" fn prime(n: i64) -> i64 {
    i64::from(theory::prime(&Int::from(n)))
}

/// Writes the divisors of a number to scratch memory, after how many they are; returns their address, or 0 if
/// there are none or no room for them.
extern "C" fn divisors(context: *mut Context, n: i64) -> i64 {
    let all = (n != 0).then(|| primes::divisors(n.unsigned_abs()));
    let words = all.and_then(|all| all.into_iter().map(|d| i64::try_from(d).ok()).collect());
    counted_to_scratch(context, words)
}

/// Does the same for the prime factors of a number, each as often as it occurs.
extern "C" fn factors(context: *mut Context, n: i64) -> i64 {
    let all = (n != 0).then(|| primes::factors(n.unsigned_abs()));
    let words = all.and_then(|all| {
        let each = all.into_iter().flat_map(|(prime, times)| std::iter::repeat_n(prime, times));
        each.map(|prime| i64::try_from(prime).ok()).collect()
    });
    counted_to_scratch(context, words)
}

fn counted_to_scratch(context: *mut Context, words: Option<Vec<i64>>) -> i64 {
    let Some(mut words) = words else { return 0 };
    words.insert(0, words.len() as i64);
    // SAFETY: see the top of `call.rs`; code has told where scratch memory is free.
    unsafe { to_scratch(&words, &mut *context) }.unwrap_or(0)
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

/// Appends the plain words of a value that code keeps in this way.
///
/// # Safety
/// The word names such a value.
unsafe fn plain_words(word: i64, of: &Kept, out: &mut Vec<i64>) {
    // SAFETY: as the caller ensures; what is kept lies in scratch memory or static data.
    unsafe {
        let at = word as *const i64;
        match of {
            Kept::Word(_) => out.push(word),
            Kept::Bits(of) => out.extend_from_slice(slice(at, of.words() as i64)),
            Kept::Keyed(of) => out.extend_from_slice(slice(at, of.words as i64)),
            Kept::Tuple(parts) => {
                for (word, of) in slice(at, parts.len() as i64).iter().zip(parts) {
                    plain_words(*word, of, out);
                }
            }
            // All others are named by a number of words and the address of these.
            Kept::List(_) | Kept::Bag(_) => {
                out.push(*at);
                out.extend_from_slice(slice(*at.add(1) as *const i64, *at));
            }
            _ => {
                out.push(*at);
                let Some(of) = of.element() else { return };
                for word in slice(*at.add(1) as *const i64, *at) {
                    plain_words(*word, &of, out);
                }
            }
        }
    }
}

/// Copies words to scratch memory and returns their address; `None` if it is full.
///
/// # Safety
/// The context is that of running code.
unsafe fn to_scratch(words: &[i64], context: &mut Context) -> Option<i64> {
    let to = context.scratch.cast::<i64>();
    if words.len() > (context.scratch_end.addr() - to.addr()) / size_of::<u64>() {
        return None;
    }
    // SAFETY: as the caller ensures; there is room for the words.
    unsafe {
        std::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len());
        context.scratch = to.add(words.len()).cast();
    }
    Some(to as i64)
}

/// Encodes a kept value as an entry of a pool of shape number so and so; returns its address, or 0 if the value does not fit.
extern "C" fn plain_entry(context: *mut Context, number: i64, word: i64) -> i64 {
    // SAFETY: see the top of `call.rs`; code keeps the value in the form of the shape.
    unsafe {
        let context = &mut *context;
        let interpreter = &*context.interpreter;
        let Some(of) = interpreter.plain_entries.get(number as usize) else { return 0 };
        let mut words = vec![0];
        plain_words(word, &of.kept, &mut words);
        words[0] = words.len() as i64 - 1;
        let fits = || entries::fits(&of.shape, interpreter.layout.squares, &mut words[1..].iter().copied());
        if of.bounded && !fits() {
            return 0;
        }
        to_scratch(&words, context).unwrap_or(0)
    }
}

/// Keeps the value of an entry of a pool of shape number so and so; returns the word that names it, or 0 if there is no room.
extern "C" fn kept_entry(context: *mut Context, number: i64, entry: *const i64) -> i64 {
    // SAFETY: see the top of `call.rs`; an entry begins with the number of its other words, which are copied.
    unsafe {
        let context = &mut *context;
        let interpreter = &*context.interpreter;
        let Some(of) = interpreter.plain_entries.get(number as usize) else { return 0 };
        let words = slice(entry.add(1), *entry);
        of.kept.build(&mut words.iter().copied(), &mut |row| to_scratch(&row, context)).unwrap_or(0)
    }
}

/// Keeps a copy of a list of so many bytes; returns its address, or 0 if it would be too much memory.
extern "C" fn keep_list(context: *mut Context, at: *const u8, bytes: i64) -> i64 {
    // SAFETY: see the top of `call.rs`; a list that code may read.
    unsafe {
        let bytes = match bytes {
            0 => &[],
            bytes => std::slice::from_raw_parts(at, bytes as usize),
        };
        let kept = (*(*context).interpreter_state).keep_list(bytes);
        kept.map_or(0, |words| words.as_ptr() as i64)
    }
}

/// Asks the reference a question about the position; returns 1 if it was answered. `words` holds the input
/// words and is overwritten with the words of the answer.
extern "C" fn ask(context: *mut Context, number: i64, words: *mut i64) -> i64 {
    // SAFETY: see the top of `call.rs`; the words are in a stack slot that has room for both, and rows passed
    // in lie in scratch memory or static data.
    unsafe {
        let context = &mut *context;
        let (interpreter, interpreter_state) = (&*context.interpreter, &mut *context.interpreter_state);
        let Some(question) = interpreter.questions.get(number as usize) else { return 0 };
        let mut at = words;
        let mut given: Vec<Cow<[i64]>> = Vec::with_capacity(question.given.len());
        for part in &question.given {
            given.push(match part {
                Kept::Word(_) => Cow::Borrowed(slice(at, 1)),
                of => {
                    let mut plain = Vec::new();
                    plain_words(*at, of, &mut plain);
                    Cow::Owned(plain)
                }
            });
            at = at.add(1);
        }
        let given: Vec<&[i64]> = given.iter().map(|words| &**words).collect();
        let memory = &mut *(*context.item).memory;
        interpreter_state.free = context.scratch.addr()..context.scratch_end.addr();
        let answered =
            interpreter_state.answer(interpreter, number as usize, memory, &given, &mut context.counters);
        context.base = memory.as_mut_ptr();
        context.scratch = context.scratch.with_addr(interpreter_state.free.start);
        if answered.is_none() {
            return 0;
        }
        let (mut singles, mut rows) = (interpreter_state.words.iter(), interpreter_state.rows.iter());
        let mut at = words;
        for part in &question.answered {
            *at = match part {
                Kept::Word(_) => match singles.next() {
                    Some(word) => *word,
                    None => return 0,
                },
                of => {
                    let plain = rows.next().map_or(&[][..], |row| row);
                    match of.build(&mut plain.iter().copied(), &mut |row| to_scratch(&row, context)) {
                        Some(word) => word,
                        None => return 0,
                    }
                }
            };
            at = at.add(1);
        }
        1
    }
}

/// Returns the helpers: name, address, and number of words they take. Each returns a word.
pub fn helpers() -> Vec<(&'static str, *const u8, usize)> {
    vec![
        ("grow", grow as *const u8, 3),
        ("pool_has", pool_has as *const u8, 4),
        ("pool_add", pool_add as *const u8, 4),
        ("pool_clear", pool_clear as *const u8, 2),
        ("plain_entry", plain_entry as *const u8, 3),
        ("kept_entry", kept_entry as *const u8, 3),
        ("push_row", push_row as *const u8, 3),
        ("more_ids", more_ids as *const u8, 2),
        ("sort", sort as *const u8, 2),
        ("distinct", distinct as *const u8, 2),
        ("rows", rows_of as *const u8, 1),
        ("ranked_row", ranked_row as *const u8, 3),
        ("row_rank", row_rank as *const u8, 3),
        ("deal", deal as *const u8, 4),
        ("power", power as *const u8, 2),
        ("gcd", gcd as *const u8, 2),
        ("lcm", lcm as *const u8, 2),
        ("choose", choose as *const u8, 2),
        ("factorial", factorial as *const u8, 1),
        ("divisors", divisors as *const u8, 2),
        ("factors", factors as *const u8, 2),
        ("prime", prime as *const u8, 1),
        ("square", square as *const u8, 1),
        ("fibonacci", fibonacci as *const u8, 1),
        ("root", root as *const u8, 1),
        ("keep_list", keep_list as *const u8, 3),
        ("ask", ask as *const u8, 3),
    ]
}
