//! The questions that running code asks the reference: the value of an expression that has no code, the
//! elements of a domain of large values, a legal move, the effect of an op.
//!
//! A [`Question`] says what is asked, which local values and state it reads and writes, and how the answer is
//! encoded. What code keeps itself is passed as plain words, without addresses ([`crate::jit::layout::kept`]).

use crate::ir::{Domain, Expr, MoveId, Pc, Slot, Type, Value};
use crate::jit::analysis::accesses::Touched;
use crate::jit::layout::kept::Kept;
use crate::jit::layout::shape::{LIMIT, Scalar, Shape, Sort};

/// A word that is passed as it is.
pub const A_WORD: Kept = Kept::Word(Scalar { sort: Sort::Int, lo: -LIMIT, hi: LIMIT, optional: false });

/// How a value is encoded in words.
#[derive(Debug, Clone, PartialEq)]
pub enum Encoding {
    /// A known value, which takes no words.
    Known(Value),
    /// A value of a type, as code keeps it: the word that names it.
    Kept(Kept, Type),
    /// A tuple: its parts one after the other.
    Tuple(Vec<Encoding>),
    /// The index of a value that the reference keeps.
    Opaque,
    /// The byte offset of the value in the position.
    Place(Shape),
}

impl Encoding {
    /// Returns the encoding of any number.
    pub fn number() -> Encoding {
        Encoding::Kept(A_WORD, Type::Int)
    }

    /// Appends the parts of an encoded value, in order.
    pub fn parts(&self, out: &mut Vec<Kept>) {
        match self {
            Encoding::Known(_) => {}
            Encoding::Opaque | Encoding::Place(_) => out.push(A_WORD),
            Encoding::Kept(of, _) => out.push(of.clone()),
            Encoding::Tuple(parts) => parts.iter().for_each(|part| part.parts(out)),
        }
    }

    /// Whether the words of a value determine the value.
    pub fn is_by_value(&self) -> bool {
        match self {
            Encoding::Known(_) | Encoding::Kept(..) => true,
            Encoding::Tuple(parts) => parts.iter().all(Encoding::is_by_value),
            Encoding::Opaque | Encoding::Place(_) => false,
        }
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub enum QuestionKind {
    /// The value of an expression.
    Value(Expr),
    /// A domain, and whether equal values count once. Answer: its index among the kept values and its size.
    Domain(Domain, bool),
    /// The rows that satisfy a condition, as a table, and the sort of their elements if it is one. Answer: its
    /// address and length; the address is 0 if there is no table for an optional question.
    Rows(RowSource, Option<Sort>),
    /// The ranks of rows that were tested before in the same situation. Answer: their address and number; the address is 0 if
    /// they were not, or are not known any more.
    Tested,
    /// Keeps the ranks of the rows that were found by tests after question number so and so was answered with 0. No answer.
    KeepTested(usize),
    /// The value at a rank of a kept domain, given the domain's index and the rank.
    At,
    /// Loads the value of a growing block, given the byte offset of its handle. Answer: its index.
    Load,
    /// Saves a kept value to a growing block, given its index and the byte offset of the handle. No answer.
    Save,
    /// Whether a seat has a legal move at a choice, given the seat.
    CanMove(usize),
    /// A random legal move of a seat at a choice, given the seat. Answer: the offer's number and the
    /// arguments of every offer; those of other offers are meaningless.
    Draw(usize),
    /// Executes an op. Answer: the values of the slots it fills, or the winners.
    Op(Pc, Vec<Slot>),
}

/// Which rows are asked for.
#[derive(Debug, Clone)]
pub enum RowSource {
    /// Those of a chosen parameter of a move, by its index, that are counted for random draws if the preconditions hold.
    Chosen(MoveId, usize),
    /// The legal ones of a chosen parameter of a move, by its index.
    Legal(MoveId, usize),
    /// Those of another source, if to make a table of them is worth the time. The last word that is passed is the number of rows
    /// that are tested if there is no table.
    IfWorthMaking(Box<RowSource>),
    /// Those of a domain.
    Domain(Box<Domain>),
}

impl RowSource {
    /// Returns the source of the rows, whether or not to make a table of them is worth the time.
    pub fn made(&self) -> &RowSource {
        if let RowSource::IfWorthMaking(rows) = self { rows } else { self }
    }
}

/// A question.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked.
    pub kind: QuestionKind,
    /// The local values that it reads, with their encodings.
    pub inputs: Vec<(Slot, Encoding)>,
    /// The number of slots that its frame needs.
    pub frame: usize,
    /// The state that it reads and writes.
    pub touched: Touched,
    /// Whether the answer depends on nothing but the words that are passed, although state is read to find it.
    pub by_words: bool,
    /// The encodings of the answer's values.
    pub outputs: Vec<Encoding>,
    /// The parts of the input words.
    pub given: Vec<Kept>,
    /// The parts of the answer's words.
    pub answered: Vec<Kept>,
}

impl Question {
    /// Returns the input word of a slot; `None` if the slot is not a scalar input.
    pub fn word_of(&self, slot: Slot, given: &[&[i64]]) -> Option<i64> {
        let single = |of: &Encoding| matches!(of, Encoding::Kept(Kept::Word(_), _));
        let at = self.inputs.iter().position(|(own, of)| *own == slot && single(of))?;
        let mut before = Vec::new();
        self.inputs[..at].iter().for_each(|(_, encoding)| encoding.parts(&mut before));
        match given.get(before.len())? {
            [word] => Some(*word),
            _ => None,
        }
    }
}
