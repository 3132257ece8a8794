//! How values and positions are laid out in flat memory.

pub mod bits;
pub mod codec;
pub mod either;
pub mod entries;
pub mod kept;
pub mod key;
pub mod keyed;
pub mod packing;
pub mod pool;
pub mod position;
pub mod serial;
pub mod shape;
pub mod slots;
pub mod small_set;
pub mod tuple;
pub mod view_key;
