//! Domains with their values filled in: tested, counted, iterated and ranked without being listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counted::{Counted, CountedIter};
use super::elements::{Elements, each, has};
use super::{Env, Fault, elements, fault};
use crate::diag::Code;
use crate::ir::{Domain, Expr, Type, Value};
use crate::num::{Int, theory};
use crate::source::Span;

/// A domain whose expressions have been evaluated.
#[derive(Debug, Clone)]
pub enum Dom {
    /// Every integer.
    Ints,
    /// Every integer that is at least this.
    AtLeast(Int),
    /// The integers from the first to the last, inclusive; empty if the last is less.
    Range(Int, Int),
    /// These values, in this order.
    Items(Arc<Vec<Value>>),
    /// The elements of a set or the keys of a map.
    Elements(Value),
    /// The orders of these elements, equal ones interchangeable: each with its multiplicity, ascending.
    Permutations(Vec<(Value, usize)>),
    /// Rows of this many distinct elements.
    Arrangements(usize, Box<Dom>),
    /// Subsets of these distinct elements, of the given size if there is one.
    Subsets(Vec<Value>, Option<usize>),
    /// Subsets of these distinct elements, of at least and at most so many of them.
    SubsetsFrom(usize, usize, Vec<Value>),
    /// Rows with one element of each domain.
    Tuples(Vec<Dom>),
    /// Lists of this many elements.
    Lists(usize, Box<Dom>),
    /// Lists of at least this many elements, up to a length if one is given; a list precedes those it begins.
    ListsFrom(usize, Option<usize>, Box<Dom>),
    /// Rows that fulfil a condition.
    Counted(Arc<Counted>),
}

impl Env<'_> {
    /// Evaluates a domain. With `distinct`, equal values count once, as they do for choices.
    pub fn domain(&self, domain: &Domain, frame: &mut Vec<Value>, distinct: bool) -> Result<Dom, Fault> {
        Ok(match domain {
            Domain::Ints => Dom::Ints,
            Domain::AtLeast(low) => Dom::AtLeast(self.int(low, frame)?),
            Domain::Range(low, high) => Dom::Range(self.int(low, frame)?, self.int(high, frame)?),
            Domain::Values(e) => {
                let value = self.operand(e, frame)?;
                let value = value.get(frame);
                match value {
                    Value::List(items) if !distinct || ascending(items) => Dom::Items(items.clone()),
                    Value::Grid(grid) => Dom::Items(self.machine.square_lists.squares(grid)),
                    Value::Set(_) | Value::Map(_) => Dom::Elements(value.clone()),
                    value => {
                        let mut items = elements(value);
                        if distinct && matches!(e.ty, Type::List(_) | Type::Bag(_)) {
                            items.sort();
                            items.dedup();
                        }
                        Dom::Items(Arc::new(items))
                    }
                }
            }
            Domain::Permutations(e) => {
                let value = self.operand(e, frame)?;
                Dom::orders_of(each(value.get(frame)))
            }
            Domain::Arrangements(count, of) => {
                let size = self.size(count, frame)?;
                Dom::Arrangements(size, Box::new(self.domain(of, frame, true)?.materialised()))
            }
            Domain::Lists(count, of) => {
                let size = self.size(count, frame)?;
                Dom::Lists(size, Box::new(self.domain(of, frame, true)?.materialised()))
            }
            Domain::ListsFrom(low, high, of) => {
                let low = self.size(low, frame)?;
                let high = high.as_ref().map(|high| self.size(high, frame)).transpose()?;
                Dom::ListsFrom(low, high, Box::new(self.domain(of, frame, true)?.materialised()))
            }
            Domain::Where(slot, of, condition) => {
                let of = self.domain(of, frame, distinct)?;
                self.filtered(*slot, of, condition, frame)?
            }
            Domain::Subsets(of, size) => {
                let items = self.distinct_elements(of, frame)?;
                let size = size.as_ref().map(|size| self.size(size, frame)).transpose()?;
                Dom::Subsets(items, size)
            }
            Domain::SubsetsFrom(low, high, of) => {
                let low = self.int(low, frame)?;
                let high = high.as_ref().map(|high| self.int(high, frame)).transpose()?;
                Dom::subsets_from(self.distinct_elements(of, frame)?, low, high)
            }
            Domain::Tuples(parts) => {
                let parts: Result<Vec<Dom>, Fault> =
                    parts.iter().map(|part| Ok(self.domain(part, frame, distinct)?.materialised())).collect();
                Dom::Tuples(parts?)
            }
        })
    }

    /// Returns the elements of a collection, ascending and each once.
    fn distinct_elements(&self, of: &Expr, frame: &mut Vec<Value>) -> Result<Vec<Value>, Fault> {
        let mut items = elements(self.operand(of, frame)?.get(frame));
        items.sort();
        items.dedup();
        Ok(items)
    }

    fn size(&self, e: &Expr, frame: &mut Vec<Value>) -> Result<usize, Fault> {
        let n = self.int(e, frame)?;
        let size = n
            .as_usize()
            .ok_or_else(|| fault(Code::BadArgument, e.span, format!("{n} is not a possible size")))?;
        self.check_size(size, e.span)?;
        Ok(size)
    }
}

impl Dom {
    /// Whether the domain contains a value.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Dom::Ints, value) => matches!(value, Value::Int(_)),
            (Dom::AtLeast(low), Value::Int(n)) => low <= n,
            (Dom::Range(low, high), Value::Int(n)) => low <= n && n <= high,
            (Dom::Items(items), value) => items.contains(value),
            (Dom::Elements(of), value) => has(of, value),
            (Dom::Permutations(items), Value::List(list)) => match Value::bag(list.iter().cloned()) {
                Value::Bag(bag) => {
                    bag.iter().map(|(item, times)| (item.clone(), *times)).eq(items.iter().cloned())
                }
                _ => false,
            },
            (Dom::Arrangements(size, of), Value::List(list)) => {
                list.len() == *size
                    && list.iter().all(|item| of.contains(item))
                    && list.iter().collect::<std::collections::BTreeSet<_>>().len() == *size
            }
            (Dom::Lists(size, of), Value::List(list)) => {
                list.len() == *size && list.iter().all(|item| of.contains(item))
            }
            (Dom::ListsFrom(low, high, of), Value::List(list)) => {
                *low <= list.len()
                    && high.is_none_or(|high| list.len() <= high)
                    && list.iter().all(|item| of.contains(item))
            }
            (Dom::Counted(rows), value) => rows.rank(value).is_some(),
            (Dom::Subsets(items, size), Value::Set(set)) => {
                size.is_none_or(|size| set.len() == size)
                    && set.iter().all(|item| items.binary_search(item).is_ok())
            }
            (Dom::SubsetsFrom(low, high, items), Value::Set(set)) => {
                (*low..=*high).contains(&set.len())
                    && set.iter().all(|item| items.binary_search(item).is_ok())
            }
            (Dom::Tuples(parts), Value::List(list)) => {
                list.len() == parts.len()
                    && parts.iter().zip(list.iter()).all(|(part, item)| part.contains(item))
            }
            _ => false,
        }
    }

    /// Returns the number of values; `None` if the domain is infinite.
    pub fn count(&self, span: Span) -> Result<Option<Int>, Fault> {
        let large = |_| fault(Code::TooLarge, span, "there are too many values to count");
        Ok(match self {
            Dom::Ints | Dom::AtLeast(_) => None,
            Dom::Range(low, high) => Some(high.sub(low).add(&Int::ONE).max(Int::ZERO)),
            Dom::Items(items) => Some(Int::from(items.len())),
            Dom::Elements(of) => Some(Int::from(each(of).size_hint().0)),
            Dom::Permutations(items) => Some(orders(items).map_err(large)?),
            Dom::Arrangements(size, of) => match of.count(span)? {
                None => (*size == 0).then_some(Int::ONE),
                Some(n) if n < Int::from(*size) => Some(Int::ZERO),
                Some(n) => {
                    let mut product = Int::ONE;
                    for i in 0..*size {
                        product = product.mul(&n.sub(&Int::from(i))).map_err(large)?;
                    }
                    Some(product)
                }
            },
            Dom::Lists(size, of) => match of.count(span)? {
                None => (*size == 0).then_some(Int::ONE),
                Some(n) => Some(n.pow(&Int::from(*size)).map_err(large)?),
            },
            Dom::ListsFrom(low, Some(high), of) => match of.count(span)? {
                None => None,
                Some(n) => Some(beginnings(&n, *low, *high).map_err(large)?.swap_remove(0)),
            },
            // Without elements there is only the empty list.
            Dom::ListsFrom(low, None, of) => match of.count(span)? {
                Some(n) if n.is_zero() => Some(Int::from(i64::from(*low == 0))),
                _ => None,
            },
            Dom::Counted(rows) => Some(rows.count()),
            Dom::Subsets(items, None) => Some(Int::from(2).pow(&Int::from(items.len())).map_err(large)?),
            Dom::Subsets(items, Some(size)) => {
                Some(theory::choose(&Int::from(items.len()), &Int::from(*size)).map_err(large)?)
            }
            Dom::SubsetsFrom(low, high, items) => {
                Some(theory::choose_from(items.len(), *low, *high).map_err(large)?)
            }
            Dom::Tuples(parts) => {
                let mut product = Some(Int::ONE);
                for part in parts {
                    product = match (product, part.count(span)?) {
                        (Some(a), Some(b)) => Some(a.mul(&b).map_err(large)?),
                        _ => None,
                    };
                }
                product
            }
        })
    }

    /// Returns how many of the values, which [`Dom::count`] counts, are equal to this one.
    pub fn copies(&self, value: &Value) -> Int {
        let one_of_each = || Int::from(usize::from(self.contains(value)));
        let product = |factors: &mut dyn Iterator<Item = Int>| {
            let mut all = Some(Int::ONE);
            factors.for_each(|factor| all = all.take().and_then(|product| product.mul(&factor).ok()));
            all.unwrap_or(Int::ZERO)
        };
        match (self, value) {
            (Dom::Items(items), _) => Int::from(items.iter().filter(|item| *item == value).count()),
            (Dom::Elements(of), _) => Int::from(each(of).filter(|item| item == value).count()),
            (Dom::Tuples(parts), Value::List(row)) if row.len() == parts.len() => {
                product(&mut parts.iter().zip(row.iter()).map(|(part, item)| part.copies(item)))
            }
            (Dom::Lists(size, of), Value::List(row)) if row.len() == *size => {
                product(&mut row.iter().map(|item| of.copies(item)))
            }
            (Dom::ListsFrom(low, high, of), Value::List(row))
                if *low <= row.len() && high.is_none_or(|high| row.len() <= high) =>
            {
                product(&mut row.iter().map(|item| of.copies(item)))
            }
            // Each element is taken out before the next one is.
            (Dom::Arrangements(size, of), Value::List(row)) if row.len() == *size => {
                let taken = |item: &Value, before: &[Value]| before.iter().filter(|one| *one == item).count();
                let left = |(at, item): (usize, &Value)| {
                    of.copies(item).sub(&Int::from(taken(item, &row[..at]))).max(Int::ZERO)
                };
                product(&mut row.iter().enumerate().map(left))
            }
            _ => one_of_each(),
        }
    }

    /// Returns the value of a 0-based rank in the domain's order. The rank must be below the count.
    pub fn at(&self, rank: &Int) -> Value {
        match self {
            Dom::Ints => Value::Int(rank.clone()),
            Dom::Range(low, _) | Dom::AtLeast(low) => Value::Int(low.add(rank)),
            Dom::Items(items) => rank.as_usize().and_then(|at| items.get(at).cloned()).unwrap_or(Value::None),
            Dom::Elements(of) => rank.as_usize().and_then(|at| each(of).nth(at)).unwrap_or(Value::None),
            Dom::Permutations(items) => unrank_order(items.clone(), rank.clone()),
            Dom::Arrangements(size, of) => {
                let mut radix: Vec<Int> = Vec::new();
                let n = count_or_zero(of);
                let mut rest = rank.clone();
                for i in (0..*size).rev() {
                    let base = n.sub(&Int::from(i));
                    let (digit, more) = split(&rest, &base);
                    radix.push(digit);
                    rest = more;
                }
                radix.reverse();
                let mut used: Vec<Int> = Vec::new();
                let mut out = Vec::with_capacity(*size);
                for digit in radix {
                    // The digit counts only the elements that are still unused.
                    let mut at = digit;
                    for taken in &used {
                        if *taken <= at {
                            at = at.add(&Int::ONE);
                        }
                    }
                    out.push(of.at(&at));
                    used.push(at);
                    used.sort();
                }
                Value::list(out)
            }
            Dom::Lists(size, of) => {
                let n = count_or_zero(of);
                let mut rest = rank.clone();
                let mut out = Vec::with_capacity(*size);
                for _ in 0..*size {
                    let (digit, more) = split(&rest, &n);
                    out.push(of.at(&digit));
                    rest = more;
                }
                out.reverse();
                Value::list(out)
            }
            Dom::ListsFrom(low, high, of) => {
                let behind = beginnings(&count_or_zero(of), *low, high.unwrap_or(*low)).unwrap_or_default();
                let (mut rest, mut out) = (rank.clone(), Vec::new());
                for (depth, next) in behind.iter().skip(1).enumerate() {
                    if depth >= *low {
                        if rest.is_zero() {
                            break;
                        }
                        rest = rest.sub(&Int::ONE);
                    }
                    let (more, digit) = split(&rest, next);
                    out.push(of.at(&digit));
                    rest = more;
                }
                Value::list(out)
            }
            Dom::Counted(rows) => rows.at(rank),
            Dom::Subsets(items, None) => {
                let bits = (0..items.len()).filter(|k| theory::bit(rank, &Int::from(*k)));
                Value::set(bits.map(|k| items[k].clone()))
            }
            Dom::Subsets(items, Some(size)) => Value::set(unrank_choice(items, *size, rank.clone())),
            Dom::SubsetsFrom(low, high, items) => {
                Value::set(unrank_choice_from(items, *low, *high, rank.clone()))
            }
            Dom::Tuples(parts) => {
                let mut out = vec![Value::None; parts.len()];
                unrank_each(parts.iter(), rank.clone(), |at, value| out[at] = value);
                Value::list(out)
            }
        }
    }

    /// Returns an iterator that computes the values one at a time. Fails if the domain is infinite.
    pub fn iter(&self, span: Span) -> Result<Values<'_>, Fault> {
        self.values(span)?.ok_or_else(|| fault(Code::BadArgument, span, "the integers have no end"))
    }

    /// Like [`Dom::iter`], but returns `None` if the domain is infinite.
    pub(super) fn values(&self, span: Span) -> Result<Option<Values<'_>>, Fault> {
        Ok(match self {
            Dom::Items(items) => Some(Values::Elements(Elements::List(items.iter()))),
            Dom::Elements(of) => Some(Values::Elements(each(of))),
            Dom::Range(Int::Small(low), Int::Small(high)) => Some(Values::Range(*low..=*high)),
            Dom::Subsets(items, Some(size)) => {
                Some(Values::Subsets { items, next: (*size <= items.len()).then(|| (0..*size).collect()) })
            }
            Dom::SubsetsFrom(low, high, items) => Some(Values::SubsetsFrom {
                items,
                sizes: (*low, *high),
                next: (*low <= *high).then(|| (0..items.len()).map(|at| at < *low).collect()),
            }),
            Dom::Counted(rows) => Some(Values::Counted(rows.iter())),
            dom => dom.count(span)?.map(|count| Values::Ranks { dom, next: Int::ZERO, count }),
        })
    }

    /// Returns the values as a list.
    pub(super) fn list(&self, span: Span) -> Result<Value, Fault> {
        match self {
            Dom::Items(items) => Ok(Value::List(items.clone())),
            dom => Ok(Value::list(dom.iter(span)?.collect())),
        }
    }

    /// Copies the elements of a set or map into a list, so that the value of any rank can be read directly.
    pub fn materialise(&mut self) {
        if let Dom::Elements(of) = self {
            *self = Dom::Items(Arc::new(elements(of)));
        }
    }

    /// Returns the domain after [`Dom::materialise`].
    fn materialised(mut self) -> Dom {
        self.materialise();
        self
    }

    /// Returns the domain of the subsets of distinct elements with at least, and at most, so many of them.
    pub fn subsets_from(items: Vec<Value>, low: Int, high: Option<Int>) -> Dom {
        // No set has fewer elements than none, and none more than there are.
        let within = |size: Int| size.max(Int::ZERO).min(Int::from(items.len() + 1)).as_usize().unwrap_or(0);
        match high {
            Some(high) if high.is_negative() => Dom::SubsetsFrom(1, 0, items),
            Some(high) => Dom::SubsetsFrom(within(low), within(high).min(items.len()), items),
            None => Dom::SubsetsFrom(within(low), items.len(), items),
        }
    }

    /// Returns the domain of all orders of some elements.
    pub(super) fn orders_of(items: impl IntoIterator<Item = Value>) -> Dom {
        let Value::Bag(bag) = Value::bag(items) else { return Dom::Permutations(Vec::new()) };
        Dom::Permutations(bag.iter().map(|(item, times)| (item.clone(), *times)).collect())
    }

    /// Restricts integers without an upper limit to a window, for random draws.
    #[must_use]
    pub fn within(self, window: &(Int, Int)) -> Dom {
        let boxed = |of: Box<Dom>| Box::new(of.within(window));
        match self {
            Dom::Ints => Dom::Range(window.0.clone(), window.1.clone()),
            Dom::AtLeast(low) => Dom::Range(low.max(window.0.clone()), window.1.clone()),
            Dom::Arrangements(size, of) => Dom::Arrangements(size, boxed(of)),
            Dom::Lists(size, of) => Dom::Lists(size, boxed(of)),
            Dom::ListsFrom(low, high, of) => Dom::ListsFrom(low, high, boxed(of)),
            Dom::Tuples(parts) => Dom::Tuples(parts.into_iter().map(|part| part.within(window)).collect()),
            other => other,
        }
    }
}

/// Iterator over the values of a domain.
#[derive(Debug, Clone)]
pub enum Values<'d> {
    /// The elements of a list, set, map or other value.
    Elements(Elements<'d>),
    /// Integers that fit a word.
    Range(std::ops::RangeInclusive<i64>),
    /// Subsets of one size, by the indices of their elements.
    Subsets {
        /// The elements that subsets are taken from.
        items: &'d [Value],
        /// The indices of the next subset, ascending; `None` at the end.
        next: Option<Vec<usize>>,
    },
    /// Subsets of some sizes, in the order of their elements as the digits of a binary number, the first element lowest.
    SubsetsFrom {
        /// The elements that subsets are taken from.
        items: &'d [Value],
        /// The fewest elements, and the most.
        sizes: (usize, usize),
        /// Which elements are in the next subset; `None` at the end.
        next: Option<Vec<bool>>,
    },
    /// Rows that fulfil a condition.
    Counted(CountedIter<'d>),
    /// The values of ascending ranks.
    Ranks {
        /// The domain.
        dom: &'d Dom,
        /// The next rank.
        next: Int,
        /// The number of values.
        count: Int,
    },
}

impl Iterator for Values<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Values::Elements(items) => items.next(),
            Values::Range(range) => range.next().map(Value::int),
            Values::Counted(rows) => rows.next(),
            Values::Subsets { items, next } => {
                let places = next.as_mut()?;
                let subset = Value::set(places.iter().map(|at| items[*at].clone()));
                // The last index that can advance does so; those after it follow it consecutively.
                let behind = items.len() - places.len();
                match (0..places.len()).rev().find(|i| places[*i] < behind + i) {
                    Some(i) => {
                        let from = places[i] + 1;
                        places[i..].iter_mut().enumerate().for_each(|(k, place)| *place = from + k);
                    }
                    None => *next = None,
                }
                Some(subset)
            }
            Values::SubsetsFrom { items, sizes, next } => {
                let taken = next.as_mut()?;
                let subset =
                    items.iter().zip(&*taken).filter(|(_, taken)| **taken).map(|(item, _)| item.clone());
                let subset = Value::set(subset);
                if !next_of_sizes(taken, *sizes) {
                    *next = None;
                }
                Some(subset)
            }
            Values::Ranks { dom, next, count } => (*next < *count).then(|| {
                let value = dom.at(next);
                *next = next.add(&Int::ONE);
                value
            }),
        }
    }
}

/// Whether values are strictly ascending.
fn ascending(values: &[Value]) -> bool {
    values.is_sorted_by(|a, b| a < b)
}

/// Finds the row of a rank among rows with one element of each domain; passes each index and element to `on`.
pub(super) fn unrank_each<'d>(
    parts: impl DoubleEndedIterator<Item = &'d Dom> + ExactSizeIterator,
    rank: Int,
    mut on: impl FnMut(usize, Value),
) {
    let mut rest = rank;
    for (at, part) in parts.enumerate().rev() {
        let (digit, more) = split(&rest, &count_or_zero(part));
        on(at, part.at(&digit));
        rest = more;
    }
}

pub(super) fn count_or_zero(of: &Dom) -> Int {
    of.count(Span::default()).ok().flatten().unwrap_or(Int::ZERO)
}

/// Returns, for each length 0, 1, …, how many lists of `low` to `high` elements begin with a given list of
/// that length (including the list itself), if each element is one of `n`.
fn beginnings(n: &Int, low: usize, high: usize) -> Result<Vec<Int>, crate::num::TooLarge> {
    let mut all = vec![if low <= high { Int::ONE } else { Int::ZERO }];
    for depth in (0..high).rev() {
        let longer = n.mul(&all[all.len() - 1])?;
        all.push(if depth >= low { longer.add(&Int::ONE) } else { longer });
    }
    all.reverse();
    Ok(all)
}

/// Returns the remainder and the quotient of a division by a base of at least 1.
pub(super) fn split(n: &Int, base: &Int) -> (Int, Int) {
    match (n.modulo(base), n.div_floor(base)) {
        (Some(digit), Some(rest)) => (digit, rest),
        _ => (Int::ZERO, Int::ZERO),
    }
}

/// Returns the number of orders of some elements, where equal elements are interchangeable.
fn orders(items: &[(Value, usize)]) -> Result<Int, crate::num::TooLarge> {
    let total: usize = items.iter().map(|(_, times)| times).sum();
    let mut all = theory::factorial(&Int::from(total))?;
    for (_, times) in items {
        all = all.div_floor(&theory::factorial(&Int::from(*times))?).unwrap_or(Int::ZERO);
    }
    Ok(all)
}

/// Returns the order of a rank, in lexicographic order.
fn unrank_order(mut items: Vec<(Value, usize)>, mut rank: Int) -> Value {
    let total: usize = items.iter().map(|(_, times)| times).sum();
    let mut out = Vec::with_capacity(total);
    while out.len() < total {
        for i in 0..items.len() {
            if items[i].1 == 0 {
                continue;
            }
            items[i].1 -= 1;
            let behind = orders(&items).unwrap_or(Int::ZERO);
            if rank < behind {
                out.push(items[i].0.clone());
                break;
            }
            rank = rank.sub(&behind);
            items[i].1 += 1;
        }
    }
    Value::list(out)
}

/// Returns the subset of `size` elements of a rank. Subsets without the first element come last.
fn unrank_choice(items: &[Value], size: usize, mut rank: Int) -> Vec<Value> {
    let mut out = Vec::with_capacity(size);
    for (i, item) in items.iter().enumerate() {
        let missing = size - out.len();
        if missing == 0 {
            break;
        }
        let rest = Int::from(items.len() - i - 1);
        let with = theory::choose(&rest, &Int::from(missing - 1)).unwrap_or(Int::ZERO);
        if rank < with {
            out.push(item.clone());
        } else {
            rank = rank.sub(&with);
        }
    }
    out
}

/// Returns the subset of `low` to `high` elements of a rank. Subsets without the last element come first.
fn unrank_choice_from(items: &[Value], low: usize, high: usize, mut rank: Int) -> Vec<Value> {
    let (mut low, mut high, mut out) = (low, high, Vec::new());
    for (at, item) in items.iter().enumerate().rev() {
        let without = theory::choose_from(at, low, high).unwrap_or(Int::ZERO);
        if rank >= without {
            rank = rank.sub(&without);
            out.push(item.clone());
            (low, high) = (low.saturating_sub(1), high - 1);
        }
    }
    out
}

/// Moves on to the next number in binary with so many ones, from `low` to `high`; the first digit is the lowest. Returns
/// `false` if there is none.
fn next_of_sizes(digits: &mut [bool], (low, high): (usize, usize)) -> bool {
    let mut at = 0;
    let mut ones = digits.iter().filter(|one| **one).count();
    loop {
        // Adds one at this place, below which there are only zeros if any have been added before.
        let Some(zero) = (at..digits.len()).find(|place| !digits[*place]) else { return false };
        digits[at..zero].fill(false);
        digits[zero] = true;
        ones = ones + 1 - (zero - at);
        if ones <= high {
            break;
        }
        at = zero;
    }
    let missing = low.saturating_sub(ones);
    digits.iter_mut().filter(|one| !**one).take(missing).for_each(|one| *one = true);
    true
}

/// Counts how often each value occurs.
pub fn tally(values: &[Value]) -> BTreeMap<&Value, usize> {
    let mut tally = BTreeMap::new();
    for value in values {
        *tally.entry(value).or_insert(0) += 1;
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i64, high: i64) -> Dom {
        Dom::Range(Int::from(low), Int::from(high))
    }

    /// Checks that ranks map one to one to values of the domain, and that there are as many as counted.
    fn sound(dom: &Dom, expected: usize) {
        let all: Vec<Value> = dom.iter(Span::default()).unwrap().collect();
        assert_eq!(all.len(), expected);
        let ranked: Vec<Value> = (0..expected).map(|rank| dom.at(&Int::from(rank))).collect();
        assert_eq!(all, ranked);
        assert_eq!(dom.count(Span::default()).unwrap(), Some(Int::from(expected)));
        assert!(all.iter().all(|value| dom.contains(value)));
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), expected);
    }

    #[test]
    fn every_domain_is_a_bijection_of_its_ranks() {
        let items: Vec<Value> = (1..=5).map(Value::int).collect();
        sound(&range(3, 9), 7);
        sound(&range(3, 2), 0);
        sound(&Dom::Arrangements(3, Box::new(range(-2, 2))), 60);
        sound(&Dom::Arrangements(0, Box::new(range(1, 2))), 1);
        sound(&Dom::Arrangements(3, Box::new(range(1, 2))), 0);
        sound(&Dom::Permutations(vec![(Value::int(1), 2), (Value::int(2), 1), (Value::int(3), 2)]), 30);
        sound(&Dom::Subsets(items.clone(), None), 32);
        sound(&Dom::Subsets(items.clone(), Some(2)), 10);
        sound(&Dom::Subsets(items.clone(), Some(0)), 1);
        sound(&Dom::Subsets(items.clone(), Some(5)), 1);
        sound(&Dom::Subsets(items.clone(), Some(6)), 0);
        let sized = |low: i64, high: Option<i64>| {
            Dom::subsets_from(items.clone(), Int::from(low), high.map(Int::from))
        };
        sound(&sized(2, Some(4)), 25);
        sound(&sized(-1, Some(2)), 16);
        sound(&sized(3, None), 16);
        sound(&sized(4, Some(9)), 6);
        sound(&sized(0, Some(0)), 1);
        sound(&sized(3, Some(2)), 0);
        sound(&sized(0, Some(-1)), 0);
        sound(&sized(6, None), 0);
        sound(&Dom::Tuples(vec![range(1, 3), range(0, 1)]), 6);
        sound(&Dom::Lists(3, Box::new(range(0, 1))), 8);
        sound(&Dom::ListsFrom(0, Some(3), Box::new(range(0, 1))), 15);
        sound(&Dom::ListsFrom(2, Some(3), Box::new(range(1, 3))), 36);
        sound(&Dom::ListsFrom(0, Some(0), Box::new(range(1, 3))), 1);
        sound(&Dom::ListsFrom(3, Some(2), Box::new(range(1, 3))), 0);
        sound(&Dom::ListsFrom(0, Some(2), Box::new(range(1, 0))), 1);
    }

    #[test]
    fn large_domains_are_counted_and_ranked_without_being_listed() {
        let many = Dom::Permutations((1..=20).map(|n| (Value::int(n), 1)).collect());
        let count = many.count(Span::default()).unwrap().unwrap();
        assert_eq!(count.to_string(), "2432902008176640000"); // 20!
        let last = many.at(&count.sub(&Int::ONE));
        assert_eq!(last, Value::list((1..=20).rev().map(Value::int).collect()));
        assert_eq!(range(1, i64::MAX).at(&Int::from(41)), Value::int(42));
    }
}
