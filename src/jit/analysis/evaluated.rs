//! What the reference evaluates to generate code: once, however often the code uses it.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap as HashMap;

use crate::ir::Value as Known;

/// The values of an expression for all combinations of what it reads; `None` where evaluation fails.
pub type Table = Rc<[Option<Known>]>;
/// The values of an expression for some elements, with their places; `None` where evaluation fails.
pub type ByElement = Vec<(i64, Option<Known>)>;

/// Results by a text that says what they depend on.
#[derive(Debug, Default)]
pub struct Memo<T>(RefCell<HashMap<String, T>>);

impl<T: Clone> Memo<T> {
    /// Returns the result with this key, which is computed at first.
    pub fn get(&self, key: String, compute: impl FnOnce() -> T) -> T {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let result = compute();
        self.0.borrow_mut().insert(key, result.clone());
        result
    }
}

/// What has been evaluated for a game.
#[derive(Debug, Default)]
pub struct Evaluated {
    /// The tables of expressions, and the most steps for one value.
    pub tables: Memo<(Table, u64)>,
    /// The elements for which conditions hold, as the bits for each combination of other values, and the most steps for one;
    /// `None` if evaluation fails.
    pub sets: Memo<Option<(Rc<[i64]>, u64)>>,
    /// The values of expressions for elements, and the steps in all.
    pub values: Memo<(ByElement, u64)>,
    /// The elements of domains; `None` if evaluation fails, or there are too many.
    pub elements: Memo<Option<Vec<Known>>>,
}
