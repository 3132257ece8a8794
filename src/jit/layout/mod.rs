//! How values and positions lie flat in memory.

pub mod codec;
pub mod either;
pub mod key;
pub mod pool;
pub mod position;
pub mod serial;
pub mod shape;
pub mod slots;
pub mod tuple;
