//! Operands: values read where they are, or computed for an operator.

use std::borrow::Cow;

use crate::ir::Value;

/// A value to be read. It is cloned only if it has to be kept.
#[derive(Debug)]
pub(super) enum Operand<'v> {
    /// The value is in the frame vector, at this absolute index.
    Local(usize),
    /// The value is in the position, in the setup or in the rules.
    Borrowed(&'v Value),
    /// The value was computed.
    Owned(Value),
}

/// A placeholder for a missing operand.
pub(super) const MISSING: Operand<'static> = Operand::Borrowed(&Value::Unset);

impl<'v> Operand<'v> {
    /// Returns a reference to the value.
    #[inline]
    pub fn get<'s>(&'s self, frame: &'s [Value]) -> &'s Value {
        match self {
            Operand::Local(at) => &frame[*at],
            Operand::Borrowed(value) => value,
            Operand::Owned(value) => value,
        }
    }

    /// Returns an owned value.
    #[inline]
    pub fn take(self, frame: &[Value]) -> Value {
        match self {
            Operand::Local(at) => frame[at].clone(),
            Operand::Borrowed(value) => value.clone(),
            Operand::Owned(value) => value,
        }
    }

    /// Returns the value independently of the frame, which may then change.
    pub fn into_cow(self, frame: &[Value]) -> Cow<'v, Value> {
        match self {
            Operand::Borrowed(value) => Cow::Borrowed(value),
            other => Cow::Owned(other.take(frame)),
        }
    }
}
