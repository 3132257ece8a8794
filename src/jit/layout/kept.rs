//! How values that fit no word are kept in scratch memory, each named by one word.
//!
//! The reference exchanges such values with code as plain words: those of the parts in order, where a list's
//! elements follow their number.

use std::sync::Arc;

use crate::eval::elements;
use crate::ir::{Type, Value};
use crate::jit::layout::bits::{bits_among, values_of_bits};
use crate::jit::layout::keyed::{decode_keyed, keyed_words};
use crate::jit::layout::position::{cell_size, small};
use crate::jit::layout::shape::{
    Cells, Index, KeyedShape, Scalar, Shape, Squares, from_word, scalar_of_type,
};
use crate::jit::layout::slots::{range_of, within};
use crate::jit::layout::tuple::{TupleLayout, range_of_tuples, word_in};
use crate::opt::Fact;

/// How a value is kept in one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The word of a single value.
    Word(Scalar),
    /// The address of a set's bits.
    Bits(Scalar),
    /// The address of a list's length and the address of its elements; those of a set that is not small ascend.
    List(Scalar),
    /// The same of the list of a bag's elements.
    Bag(Scalar),
    /// The same of a list of values that fit no word.
    Gathered(Arc<Kept>),
    /// A list without elements.
    Empty,
    /// The address of 1 and the address of the word of a collection, or of 0 if it is none.
    Optional(Arc<Kept>),
    /// Always none: the address of 0.
    None,
    /// The address of a tuple's parts.
    Tuple(Vec<Kept>),
    /// The address of the words of a map or a grid of single values.
    Keyed(Arc<Keyed>),
}

/// A map or a grid of single values, with its words as in the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// Its shape.
    pub shape: KeyedShape,
    /// The number of its words.
    pub words: usize,
    /// Whether values may be unset.
    pub unset: bool,
}

impl Keyed {
    /// Returns how maps or grids of a shape are kept.
    pub fn new(shape: KeyedShape, unset: bool, squares: Squares) -> Keyed {
        let words = usize::try_from(cell_size(&Shape::Keyed(shape), squares) / 8).unwrap_or(0);
        Keyed { shape, words, unset }
    }

    /// Whether it may be read as if it were kept in another way.
    pub fn fits(&self, other: &Keyed) -> bool {
        self.shape == other.shape && (other.unset || !self.unset)
    }
}

impl Kept {
    /// Returns how the values of both are kept, if in the same way but for their ranges.
    pub fn join(&self, other: &Kept) -> Option<Kept> {
        Some(match (self, other) {
            (Kept::Word(a), Kept::Word(b)) => Kept::Word(a.join(*b)?),
            (Kept::List(a), Kept::List(b)) => Kept::List(a.join(*b)?),
            (Kept::Bag(a), Kept::Bag(b)) => Kept::Bag(a.join(*b)?),
            (Kept::Gathered(a), Kept::Gathered(b)) => Kept::Gathered(Arc::new(a.join(b)?)),
            (Kept::Empty, list @ (Kept::List(_) | Kept::Gathered(_)))
            | (list @ (Kept::List(_) | Kept::Gathered(_)), Kept::Empty) => list.clone(),
            (Kept::Optional(a), Kept::Optional(b)) => Kept::Optional(Arc::new(a.join(b)?)),
            (Kept::None, of @ Kept::Optional(_)) | (of @ Kept::Optional(_), Kept::None) => of.clone(),
            (Kept::Tuple(a), Kept::Tuple(b)) if a.len() == b.len() => {
                Kept::Tuple(a.iter().zip(b).map(|(a, b)| a.join(b)).collect::<Option<_>>()?)
            }
            (Kept::Keyed(a), Kept::Keyed(b)) if a.shape == b.shape => {
                Kept::Keyed(Arc::new(Keyed { unset: a.unset || b.unset, ..(**a).clone() }))
            }
            (a, b) => return (a == b).then(|| a.clone()),
        })
    }

    /// Returns how known values of a type are kept; `None` if code does not keep such values.
    pub fn of_values(values: &[Value], ty: &Type, squares: Squares) -> Option<Kept> {
        let elements = || values.iter().flat_map(elements).collect::<Vec<Value>>();
        match ty {
            Type::List(of) | Type::Set(of) | Type::Bag(of) => {
                let elements = elements();
                if elements.is_empty() {
                    return Some(Kept::Empty);
                }
                match (ty, Kept::of_values(&elements, of, squares)?) {
                    (Type::List(_), Kept::Word(of)) => Some(Kept::List(of)),
                    (Type::Bag(_), Kept::Word(of)) => Some(Kept::Bag(of)),
                    (Type::Set(_), Kept::Word(of)) => {
                        Some(if small(of) { Kept::Bits(of) } else { Kept::List(of) })
                    }
                    (Type::List(_) | Type::Set(_), of) => Some(Kept::Gathered(Arc::new(of))),
                    _ => None,
                }
            }
            Type::Tuple(types) => {
                if let Some(of) = range_of_tuples(values, squares) {
                    return Some(Kept::Word(of));
                }
                let part = |value: &Value, at: usize| match value {
                    Value::List(parts) => parts.get(at).cloned(),
                    _ => None,
                };
                let parts = types.iter().enumerate().map(|(at, ty)| {
                    let column: Vec<Value> =
                        values.iter().map(|value| part(value, at)).collect::<Option<_>>()?;
                    Kept::of_values(&column, ty, squares)
                });
                Some(Kept::Tuple(parts.collect::<Option<_>>()?))
            }
            Type::Optional(of) if is_compound(of) => {
                let present: Vec<Value> =
                    values.iter().filter(|value| **value != Value::None).cloned().collect();
                match present.is_empty() {
                    true => Some(Kept::None),
                    false => Some(Kept::Optional(Arc::new(Kept::of_values(&present, of, squares)?))),
                }
            }
            _ => Some(Kept::Word(range_of(values, squares)?)),
        }
    }

    /// Whether values that are kept in this way may be read as if they were kept in another.
    pub fn fits(&self, other: &Kept) -> bool {
        let within = |a: &Scalar, b: &Scalar| {
            a.sort == b.sort && a.lo >= b.lo && a.hi <= b.hi && (b.optional || !a.optional)
        };
        match (self, other) {
            (Kept::Word(a), Kept::Word(b))
            | (Kept::List(a), Kept::List(b))
            | (Kept::Bag(a), Kept::Bag(b)) => within(a, b),
            (Kept::Gathered(a), Kept::Gathered(b)) | (Kept::Optional(a), Kept::Optional(b)) => a.fits(b),
            (Kept::Empty, Kept::List(_) | Kept::Gathered(_)) | (Kept::None, Kept::Optional(_)) => true,
            (Kept::Tuple(a), Kept::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.fits(b)),
            (Kept::Keyed(a), Kept::Keyed(b)) => a.fits(b),
            (a, b) => a == b,
        }
    }

    /// Returns how values of a type are kept, given what is known of them; `None` if code does not keep such values.
    pub fn of_type(ty: &Type, fact: &Fact, players: usize, squares: Squares) -> Option<Kept> {
        let of = |ty: &Type| Kept::of_type(ty, &fact.element_fact(), players, squares);
        match ty {
            Type::List(element) => Some(match of(element)? {
                Kept::Word(element) => Kept::List(element),
                element => Kept::Gathered(Arc::new(element)),
            }),
            Type::Set(element) => match of(element)? {
                Kept::Word(element) if small(element) => Some(Kept::Bits(element)),
                Kept::Word(element) => Some(Kept::List(element)),
                element => Some(Kept::Gathered(Arc::new(element))),
            },
            Type::Bag(element) => match of(element)? {
                Kept::Word(element) => Some(Kept::Bag(element)),
                _ => None,
            },
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(at, ty)| Kept::of_type(ty, &fact.part_fact(at), players, squares));
                let parts: Vec<Kept> = parts.collect::<Option<_>>()?;
                let single = |part: &Kept| if let Kept::Word(of) = part { Some(*of) } else { None };
                match parts.iter().map(single).collect::<Option<Vec<Scalar>>>() {
                    Some(parts) => Some(Kept::Word(TupleLayout::of(&parts)?)),
                    None => Some(Kept::Tuple(parts)),
                }
            }
            Type::Optional(of) if is_compound(of) => {
                Some(Kept::Optional(Arc::new(Kept::of_type(of, fact, players, squares)?)))
            }
            ty => Some(Kept::Word(within(scalar_of_type(ty, players, squares)?, fact))),
        }
    }

    /// Returns how values of a shape are kept; `None` if code does not keep such values.
    pub fn of_shape(shape: &Shape, squares: Squares) -> Option<Kept> {
        Some(match shape {
            Shape::Scalar(of) => Kept::Word(*of),
            Shape::Bits(of) if small(*of) => Kept::Bits(*of),
            Shape::Bits(of) => Kept::List(*of),
            Shape::Counts(of) | Shape::Sorted(of) => Kept::Bag(*of),
            Shape::List(_, of) => Kept::List(*of),
            Shape::Keyed(shape) => Kept::Keyed(Arc::new(Keyed::new(*shape, false, squares))),
            Shape::Cells(Cells { index: Index::Places(_), of }) => {
                Kept::Gathered(Arc::new(Kept::of_shape(of, squares)?))
            }
            Shape::Cells(Cells { index: Index::Optional, of }) => {
                Kept::Optional(Arc::new(Kept::of_shape(of, squares)?))
            }
            Shape::Parts(parts) => {
                let parts = parts.iter().map(|part| Kept::of_shape(part, squares));
                Kept::Tuple(parts.collect::<Option<_>>()?)
            }
            Shape::Cells(_) | Shape::Pool(_) | Shape::Opaque => return None,
        })
    }

    /// Appends the plain words of a value; `None` if it cannot be kept in this way.
    pub fn write(&self, value: &Value, squares: Squares, out: &mut Vec<i64>) -> Option<()> {
        match self {
            Kept::Word(of) => {
                let word = word_in(value, of.sort, squares)?;
                let fits = (of.lo..=of.hi).contains(&word) || of.optional && *value == Value::None;
                out.push(fits.then_some(word)?);
            }
            Kept::Bits(of) => {
                let words = bits_among(&elements(value), *of, squares)?;
                out.extend(words.into_iter().map(|word| word as i64));
            }
            Kept::List(_) | Kept::Bag(_) | Kept::Gathered(_) | Kept::Empty => {
                let items = elements(value);
                out.push(items.len() as i64);
                let element = self.element();
                for item in &items {
                    element.as_ref()?.write(item, squares, out)?;
                }
            }
            Kept::Optional(_) | Kept::None if *value == Value::None => out.push(0),
            Kept::Optional(of) => {
                out.push(1);
                of.write(value, squares, out)?;
            }
            Kept::None => return None,
            Kept::Tuple(of) => {
                let Value::List(parts) = value else { return None };
                for (part, of) in parts.iter().zip(of) {
                    of.write(part, squares, out)?;
                }
            }
            Kept::Keyed(of) => {
                let words = keyed_words(squares, of.shape, value)?;
                out.extend(words.into_iter().map(|word| word as i64));
            }
        }
        Some(())
    }

    /// Reads a value of a type from its plain words.
    pub fn read(&self, ty: &Type, squares: Squares, words: &mut dyn Iterator<Item = i64>) -> Option<Value> {
        Some(match self {
            Kept::Word(of) => from_word(of.sort, words.next()?, squares),
            Kept::Bits(of) => {
                let words: Vec<u64> = words.take(of.words()).map(|word| word as u64).collect();
                Value::set(values_of_bits(&words, *of, squares))
            }
            Kept::List(_) | Kept::Bag(_) | Kept::Gathered(_) | Kept::Empty => {
                let (element, of) = (self.element(), ty.element().unwrap_or(Type::Never));
                let items = (0..words.next()?).map(|_| element.as_ref()?.read(&of, squares, words));
                let items: Vec<Value> = items.collect::<Option<_>>()?;
                match ty {
                    Type::Set(_) => Value::set(items),
                    Type::Bag(_) => Value::bag(items),
                    _ => Value::list(items),
                }
            }
            Kept::Optional(_) | Kept::None if words.next()? == 0 => Value::None,
            Kept::Optional(of) => {
                let Type::Optional(ty) = ty else { return None };
                of.read(ty, squares, words)?
            }
            Kept::None => return None,
            Kept::Tuple(of) => {
                let Type::Tuple(types) = ty else { return None };
                let parts = of.iter().zip(types).map(|(of, ty)| of.read(ty, squares, words));
                Value::list(parts.collect::<Option<_>>()?)
            }
            Kept::Keyed(of) => {
                let words: Vec<u64> = words.take(of.words).map(|word| word as u64).collect();
                decode_keyed(squares, &words, of.shape, 0)
            }
        })
    }

    /// Keeps a value, given its plain words: `store` stores words and returns their address. Returns the word that names
    /// the value; `None` if there are too few words, or no room.
    pub fn build(
        &self,
        words: &mut dyn Iterator<Item = i64>,
        store: &mut dyn FnMut(Vec<i64>) -> Option<i64>,
    ) -> Option<i64> {
        let kept = match self {
            Kept::Word(_) => return words.next(),
            Kept::Bits(of) => (0..of.words()).map(|_| words.next()).collect::<Option<Vec<i64>>>()?,
            Kept::Keyed(of) => (0..of.words).map(|_| words.next()).collect::<Option<Vec<i64>>>()?,
            Kept::Tuple(parts) => {
                parts.iter().map(|of| of.build(words, store)).collect::<Option<Vec<i64>>>()?
            }
            // All others are named by a number of words and the address of these.
            _ => {
                let (len, of) = (words.next()?, self.element());
                let items = (0..len).map(|_| of.as_ref()?.build(words, store));
                let items = items.collect::<Option<Vec<i64>>>()?;
                vec![len, store(items)?]
            }
        };
        store(kept)
    }

    /// Returns plain words of some value that is kept in this way.
    pub fn filler(&self) -> Vec<i64> {
        match self {
            Kept::Bits(of) => vec![0; of.words()],
            Kept::Keyed(of) => vec![0; of.words],
            Kept::Tuple(parts) => parts.iter().flat_map(Kept::filler).collect(),
            _ => vec![0],
        }
    }

    /// Returns how the elements of a collection are kept, or the value that may be none; `None` if there are none, or if the
    /// collection is kept as bits.
    pub fn element(&self) -> Option<Arc<Kept>> {
        match self {
            Kept::List(of) | Kept::Bag(of) => Some(Arc::new(Kept::Word(*of))),
            Kept::Gathered(of) | Kept::Optional(of) => Some(of.clone()),
            Kept::Word(_) | Kept::Bits(_) | Kept::Empty | Kept::None => None,
            Kept::Tuple(_) | Kept::Keyed(_) => None,
        }
    }
}

/// Whether values of a type fit no word, whatever the rules say of their range.
pub fn is_compound(ty: &Type) -> bool {
    match ty {
        Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Grid(_) | Type::Map(..) => true,
        Type::Tuple(parts) => parts.iter().any(is_compound),
        Type::Optional(of) => is_compound(of),
        _ => false,
    }
}
