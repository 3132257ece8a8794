//! Memory as the MIR interpreter sees it: the same memory that machine code works on. The invariants are
//! listed at the top of [`super::call`]; interpreted code keeps to them because it is generated from the same
//! MIR.

use crate::jit::mir::Helper;
use crate::jit::mir::interpret::Memory;
use crate::jit::runtime::helpers::helpers;

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
