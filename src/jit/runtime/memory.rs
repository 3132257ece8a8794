//! Memory as the MIR interpreter sees it: the same memory that machine code works on. The invariants are
//! listed at the top of [`super::call`]; interpreted code keeps to them because it is generated from the same
//! MIR.

use crate::jit::mir::Helper;
use crate::jit::mir::interpret::Memory;
use crate::jit::runtime::helpers::helpers;

/// Tells the processor that a word will soon be read, so that it is in a cache by then. This changes nothing else.
#[inline]
pub fn prefetch(words: &[u64], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(word) = words.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: all processors of this architecture have the instruction, which never fails.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, at);
}

/// Asks the system for large pages for words that will be accessed at random, before they are written: it takes less time
/// to find their addresses. This changes nothing else, and is only done where it is worthwhile.
pub fn prefer_large_pages(words: &[u64]) {
    #[cfg(target_os = "linux")]
    if size_of_val(words) >= 1 << 24 {
        const PAGE: usize = 4096;
        const MADV_HUGEPAGE: i32 = 14;
        unsafe extern "C" {
            fn madvise(address: *const u8, length: usize, advice: i32) -> i32;
        }
        let range = words.as_ptr_range();
        let (from, upto) = (range.start.addr().next_multiple_of(PAGE), range.end.addr() / PAGE * PAGE);
        // SAFETY: whole pages of memory that is borrowed, and the advice does not change what is in it.
        _ = unsafe { madvise(range.start.cast::<u8>().with_addr(from), upto - from, MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
}

/// The memory of this process, and the stack slots of one function.
pub struct OwnMemory {
    stack: Vec<u64>,
    helpers: Vec<(&'static str, *const u8, usize)>,
}

impl OwnMemory {
    /// Creates the memory for one run of a function.
    pub fn new() -> OwnMemory {
        OwnMemory { stack: Vec::new(), helpers: helpers() }
    }
}

impl Memory for OwnMemory {
    fn load(&mut self, address: u64, bytes: u32) -> u128 {
        let mut row = [0; 16];
        // SAFETY: code reads only what it may, see the top of `call.rs`; no more than 16 bytes at once.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, row.as_mut_ptr(), bytes as usize) };
        u128::from_le_bytes(row)
    }

    fn store(&mut self, address: u64, bytes: u32, n: u128) {
        let row = n.to_le_bytes();
        // SAFETY: code writes only what it may, see the top of `call.rs`; no more than 16 bytes at once.
        unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), address as *mut u8, bytes as usize) };
    }

    fn stack(&mut self, bytes: u64) -> u64 {
        self.stack = vec![0; bytes.div_ceil(8) as usize];
        self.stack.as_mut_ptr() as u64
    }

    fn call(&mut self, helper: Helper, args: &[u64]) -> u64 {
        let (_, address, _) = self.helpers[helper.number];
        // SAFETY: the helper at this address takes as many words as code passes (the builder ensures that)
        // and returns one.
        unsafe {
            match *args {
                [a] => std::mem::transmute::<*const u8, extern "C" fn(u64) -> u64>(address)(a),
                [a, b] => std::mem::transmute::<*const u8, extern "C" fn(u64, u64) -> u64>(address)(a, b),
                [a, b, c] => {
                    std::mem::transmute::<*const u8, extern "C" fn(u64, u64, u64) -> u64>(address)(a, b, c)
                }
                [a, b, c, d] => {
                    type Four = extern "C" fn(u64, u64, u64, u64) -> u64;
                    std::mem::transmute::<*const u8, Four>(address)(a, b, c, d)
                }
                [a, b, c, d, e] => {
                    type Five = extern "C" fn(u64, u64, u64, u64, u64) -> u64;
                    std::mem::transmute::<*const u8, Five>(address)(a, b, c, d, e)
                }
                _ => 0,
            }
        }
    }
}
