//! What an operator reads: a value where it stands, or one that was made for it.

use std::borrow::Cow;

use crate::ir::Value;

/// A value to be looked at. It is copied only where somebody keeps it.
#[derive(Debug)]
pub(super) enum Operand<'v> {
    /// It stands in the frame, at this place from its bottom.
    Local(usize),
    /// It stands in the position, among what is fixed when a match starts, or in the rules.
    There(&'v Value),
    /// It was made.
    Made(Value),
}

/// What stands for an operand that there is not.
pub(super) const NOTHING: Operand<'static> = Operand::There(&Value::Unset);

impl<'v> Operand<'v> {
    /// The value.
    #[inline]
    pub fn get<'s>(&'s self, frame: &'s [Value]) -> &'s Value {
        match self {
            Operand::Local(at) => &frame[*at],
            Operand::There(value) => value,
            Operand::Made(value) => value,
        }
    }

    /// The value, to be kept.
    #[inline]
    pub fn take(self, frame: &[Value]) -> Value {
        match self {
            Operand::Local(at) => frame[at].clone(),
            Operand::There(value) => value.clone(),
            Operand::Made(value) => value,
        }
    }

    /// The value, while the frame changes.
    pub fn apart(self, frame: &[Value]) -> Cow<'v, Value> {
        match self {
            Operand::There(value) => Cow::Borrowed(value),
            other => Cow::Owned(other.take(frame)),
        }
    }
}
