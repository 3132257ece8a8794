//! Rows that fulfil a condition: counted, ranked and iterated without visiting the rows that fail.
//!
//! The automaton of the condition (`ir/row_terms.rs`) reads a row from left to right. States are created
//! layer by layer, each once, and dropped if no matching row continues from them; then the rows that continue
//! from each are counted from the last layer back. Ranks follow from the counts: A. Nijenhuis and H. S. Wilf,
//! Combinatorial Algorithms, 1978, chapter 13; P. Flajolet, P. Zimmermann and B. Van Cutsem, A calculus for
//! the random generation of labelled combinatorial structures, Theoretical Computer Science 132, 1994.

use rustc_hash::FxHashMap as HashMap;

use super::goals::Later;
use super::table;
use super::weights::{CountError, Weights};
use super::{Dom, Env, Fault};
use crate::ir::{RowCondition, Value};
use crate::num::Int;
use crate::source::Span;

/// The most elements that a place of a row may be filled from if rows are to be counted.
pub(super) const MAX_CHOICES: usize = 100_000;
/// The most ways (transitions between states) that all layers may have together.
const MAX_EDGES: usize = 4_000_000;
/// The most elements that a row without a length limit may have.
const MAX_LENGTH: usize = 4_096;

/// A state of the automaton: what has been gathered of a row so far.
type State = Box<[i128]>;

/// The rows of a domain that fulfil a condition, in the domain's order.
#[derive(Debug, Default)]
pub struct Counted {
    shape: Shape,
    layers: Vec<Layer>,
}

/// The states that are reached after a given number of elements.
#[derive(Debug, Default)]
struct Layer {
    /// For each state, the next elements (by number) and the state of the next layer that each leads to.
    edges: Vec<Vec<(u32, u32)>>,
    /// For each state, how many ways to end a row there: 0 or 1, or the number of choices that may follow.
    ends: Vec<Int>,
    /// For each state, the number of rows that continue from it or end there.
    counts: Vec<Int>,
}

/// The shape of a domain's rows.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// The kind of the rows.
    pub rows: RowKind,
    /// The elements that each place is filled from; the last entry also applies to all later places.
    pub choices: Vec<Vec<Value>>,
    /// The fewest elements.
    pub low: usize,
    /// The most elements; `None` if there is no limit.
    pub high: Option<usize>,
}

/// The kinds of rows.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Each place is filled independently of the others.
    #[default]
    Free,
    /// Each element may be used at most this many times.
    Limited(Vec<u32>),
    /// Sets of any size: each layer leaves one element out or takes it, starting with the last element.
    Subsets,
    /// Sets of one size: each layer takes one element or leaves it out, starting with the first element.
    SubsetsOfSize(usize),
    /// Sets of at least and at most so many elements, in the order of [`RowKind::Subsets`].
    SubsetsFrom(usize, usize),
}

/// What follows a row, if rows are counted together with everything that may be chosen after them.
pub(super) struct Followers<'b> {
    /// How many parts of the condition the row alone settles; `count` checks the parts after these.
    pub row_parts: usize,
    /// The possible values of slots that are settled later.
    pub later: Vec<Later>,
    /// Counts the choices that may follow a row.
    pub count: &'b CountFollowers<'b>,
}

/// Counts the choices that may follow a row; `None` if they cannot be counted.
pub(super) type CountFollowers<'b> = dyn Fn(Value, &mut Vec<Value>) -> Option<Int> + 'b;

/// Counts the choices that may follow rows, once for all rows with the same length and gathered values.
struct FollowerCounts<'b> {
    followers: Option<&'b Followers<'b>>,
    /// For each layer but the first: the state and the element by which each of its states was first reached.
    paths: Vec<Vec<(u32, u32)>>,
    /// The counts so far, by the length of a row and the values gathered of it.
    known: HashMap<(usize, State), Int>,
}

impl FollowerCounts<'_> {
    /// Returns the elements by which a state of the last layer was first reached.
    fn path(&self, mut state: u32) -> Vec<u32> {
        let mut elements: Vec<u32> = Vec::new();
        for layer in self.paths.iter().rev() {
            let (from, element) = layer[state as usize];
            elements.push(element);
            state = from;
        }
        elements.reverse();
        elements
    }

    /// Returns how many choices may follow a row that ends in a state of the last layer; `None` if unknown.
    fn count(&mut self, state: u32, gathered: &[i128], shape: &Shape, frame: &mut Vec<Value>) -> Option<Int> {
        let Some(followers) = self.followers else { return Some(Int::ONE) };
        let key = (self.paths.len(), State::from(gathered));
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let found = (followers.count)(shape.row(&self.path(state)), frame)?;
        self.known.insert(key, found.clone());
        Some(found)
    }
}

/// Marks an element that a set leaves out.
pub(super) const EXCLUDED: u32 = u32::MAX;

impl Shape {
    /// Returns the shape of a domain's rows; `None` if it has no rows, or infinitely or too many elements.
    pub fn of(dom: &Dom, span: Span) -> Result<Option<Shape>, Fault> {
        let choices = |of: &Dom| -> Result<Option<Vec<Value>>, Fault> {
            match of.count(span)?.and_then(|count| count.as_usize()) {
                Some(count) if count <= MAX_CHOICES => Ok(Some(of.iter(span)?.collect())),
                _ => Ok(None),
            }
        };
        let shape = |rows, choices: Option<Vec<Vec<Value>>>, low, high| {
            choices.map(|choices| Shape { rows, choices, low, high })
        };
        Ok(match dom {
            Dom::Lists(size, of) => {
                shape(RowKind::Free, choices(of)?.map(|all| vec![all]), *size, Some(*size))
            }
            Dom::ListsFrom(low, high, of) => {
                shape(RowKind::Free, choices(of)?.map(|all| vec![all]), *low, *high)
            }
            Dom::Arrangements(size, of) => {
                let all = choices(of)?;
                let once = all.iter().flatten().map(|_| 1).collect();
                shape(RowKind::Limited(once), all.map(|all| vec![all]), *size, Some(*size))
            }
            Dom::Permutations(items) => {
                let times = items.iter().map(|(_, times)| *times as u32).collect();
                let size = items.iter().map(|(_, times)| times).sum();
                let all = items.iter().map(|(item, _)| item.clone()).collect();
                shape(RowKind::Limited(times), Some(vec![all]), size, Some(size))
            }
            Dom::Subsets(items, size) => {
                let all = items.len();
                let one = |at: usize| vec![items[if size.is_some() { at } else { all - 1 - at }].clone()];
                let rows = size.map_or(RowKind::Subsets, RowKind::SubsetsOfSize);
                shape(rows, Some((0..all).map(one).collect()), all, Some(all))
            }
            Dom::SubsetsFrom(low, high, items) => {
                let one = |item: &Value| vec![item.clone()];
                let (all, rows) = (items.len(), RowKind::SubsetsFrom(*low, *high));
                shape(rows, Some(items.iter().rev().map(one).collect()), all, Some(all))
            }
            Dom::Tuples(parts) => {
                let all = parts.iter().map(choices).collect::<Result<Option<Vec<_>>, Fault>>()?;
                shape(RowKind::Free, all, parts.len(), Some(parts.len()))
            }
            _ => None,
        })
    }

    /// Returns the elements that the place after `before` elements is filled from.
    pub fn at(&self, before: usize) -> &[Value] {
        match self.choices.get(before).or(self.choices.last()) {
            Some(all) => all,
            None => &[],
        }
    }

    /// Whether each place has its own elements to be filled from.
    pub fn by_place(&self) -> bool {
        self.choices.len() != 1
    }

    /// Whether the rows are sets.
    pub fn is_set(&self) -> bool {
        matches!(self.rows, RowKind::Subsets | RowKind::SubsetsOfSize(_) | RowKind::SubsetsFrom(..))
    }

    /// Returns the row made of the chosen elements.
    fn row(&self, chosen: &[u32]) -> Value {
        let taken = chosen.iter().enumerate().filter(|(_, element)| **element != EXCLUDED);
        let items = taken.map(|(at, element)| self.at(at)[*element as usize].clone());
        match self.is_set() {
            true => Value::set(items),
            false => Value::list(items.collect()),
        }
    }

    /// Returns the shape's own state before the first element: the elements used, or how many were taken.
    fn first(&self) -> Vec<i128> {
        match &self.rows {
            RowKind::Free | RowKind::Subsets => Vec::new(),
            RowKind::SubsetsOfSize(_) | RowKind::SubsetsFrom(..) => vec![0],
            RowKind::Limited(_) => vec![0],
        }
    }

    /// Whether a row may end when the shape's own state is `own`.
    fn may_end(&self, own: &[i128]) -> bool {
        match &self.rows {
            RowKind::SubsetsOfSize(size) => own[0] == *size as i128,
            RowKind::SubsetsFrom(low, high) => (*low as i128..=*high as i128).contains(&own[0]),
            _ => true,
        }
    }

    /// Calls `on` with each element that may come next (by number) and the shape's own state after it.
    fn next(
        &self,
        before: usize,
        own: &[i128],
        mut on: impl FnMut(u32, Option<i128>) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        match &self.rows {
            RowKind::Free => (0..self.at(before).len() as u32).try_for_each(|element| on(element, None)),
            RowKind::Subsets => {
                on(EXCLUDED, None)?;
                on(0, None)
            }
            RowKind::SubsetsOfSize(size) => {
                let taken = own[0] as usize;
                if taken < *size {
                    on(0, Some(own[0] + 1))?;
                }
                // Enough elements must be left to reach the size.
                if self.choices.len() - before > size - taken { on(EXCLUDED, Some(own[0])) } else { Ok(()) }
            }
            RowKind::SubsetsFrom(low, high) => {
                let taken = own[0] as usize;
                if self.choices.len() - before > low.saturating_sub(taken) {
                    on(EXCLUDED, Some(own[0]))?;
                }
                if taken < *high { on(0, Some(own[0] + 1)) } else { Ok(()) }
            }
            RowKind::Limited(times) => {
                let mut place = 1i128;
                for (element, times) in times.iter().enumerate() {
                    let base = i128::from(*times) + 1;
                    if own[0] / place % base < i128::from(*times) {
                        on(element as u32, Some(own[0] + place))?;
                    }
                    place = place.checked_mul(base).ok_or(CountError::Part(0))?;
                }
                Ok(())
            }
        }
    }
}

impl Env<'_> {
    /// Counts the rows of a domain that fulfil the first `parts` parts of a condition, or fewer parts if not
    /// all of them can be gathered within the limits. Also returns how many parts were used. The result
    /// includes the `followers` only if that number exceeds [`Followers::row_parts`].
    pub(super) fn counted_rows(
        &self,
        dom: &Dom,
        condition: &RowCondition,
        parts: usize,
        followers: Option<&Followers>,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<(Option<Counted>, usize), Fault> {
        let (mut parts, mut followers, room) = (parts, followers, frame.len());
        frame.resize(room.max(self.base + condition.frame), Value::Unset);
        let made = loop {
            if parts == 0 {
                break (None, 0);
            }
            match (self.attempt(dom, condition, parts, followers, frame, span)?, followers.take()) {
                (Ok(Some(counted)), _) => break (Some(counted), parts),
                (Ok(None), None) => break (None, 0),
                (Ok(None), Some(followers)) => parts = followers.row_parts,
                // Parts before one that cannot be gathered may still be gathered.
                (Err(part), followers) => {
                    parts = followers.map_or(part, |followers| part.min(followers.row_parts))
                }
            }
        };
        frame.truncate(room);
        Ok(made)
    }

    /// Counts the rows by exactly `parts` parts. The inner result is `Ok(None)` if the domain is unsuitable
    /// or a limit is exceeded, and the error is the number of a part that cannot be gathered.
    fn attempt(
        &self,
        dom: &Dom,
        condition: &RowCondition,
        parts: usize,
        followers: Option<&Followers>,
        frame: &mut Vec<Value>,
        span: Span,
    ) -> Result<Result<Option<Counted>, usize>, Fault> {
        let settled = followers.map_or(parts, |followers| followers.row_parts);
        // A part without terms does not depend on the row, so it accepts or rejects all rows.
        for (number, part) in
            condition.parts[..settled].iter().enumerate().filter(|(_, part)| part.terms.is_empty())
        {
            match self.truth(&part.formula, frame) {
                Ok(true) => {}
                Ok(false) => return Ok(Ok(Some(Counted::default()))),
                Err(_) => return Ok(Err(number)),
            }
        }
        let mut followed = FollowerCounts { followers, paths: Vec::new(), known: HashMap::default() };
        let mut weights = match Weights::new(self, condition, parts, followers, frame) {
            Ok(weights) => weights,
            Err(part) => return Ok(Err(part)),
        };
        let dom = weights.narrowed(dom);
        let Some(mut shape) = Shape::of(&dom, span)? else { return Ok(Ok(None)) };
        if let Err(part) = weights.fit(&mut shape, frame) {
            return Ok(Err(part));
        }
        let mut layers = Vec::new();
        let own = shape.first();
        let first: State = own.iter().copied().chain(weights.first()).collect();
        let (mut states, mut all) = (vec![first], 0);
        while !states.is_empty() && shape.high.is_none_or(|high| layers.len() <= high) {
            let before = layers.len();
            let mut layer = Layer::default();
            let mut next: Vec<State> = Vec::new();
            let mut numbers: HashMap<State, u32> = HashMap::default();
            let mut paths: Vec<(u32, u32)> = Vec::new();
            for (number, state) in (0u32..).zip(&states) {
                let (own, gathered) = state.split_at(own.len());
                let ends = before >= shape.low
                    && shape.may_end(own)
                    && match weights.accepts(before, gathered, &shape, frame) {
                        Ok(ends) => ends,
                        Err(part) => return Ok(Err(part)),
                    };
                layer.ends.push(match ends {
                    true => match followed.count(number, gathered, &shape, frame) {
                        Some(count) => count,
                        None => return Ok(Err(settled)),
                    },
                    false => Int::ZERO,
                });
                let mut ways = Vec::new();
                if shape.high.is_none_or(|high| before < high) {
                    let found = shape.next(before, own, |element, own| {
                        self.tick(span).map_err(CountError::Fault)?;
                        let Some(gathered) = weights.advance(&shape, before, gathered, element, frame)?
                        else {
                            return Ok(());
                        };
                        let state: State = own.into_iter().chain(gathered).collect();
                        let to = *numbers.entry(state).or_insert_with_key(|state| {
                            next.push(state.clone());
                            if followers.is_some() {
                                paths.push((number, element));
                            }
                            next.len() as u32 - 1
                        });
                        ways.push((element, to));
                        Ok(())
                    });
                    match found {
                        Ok(()) => {}
                        Err(CountError::Fault(fault)) => return Err(fault),
                        Err(CountError::Part(part)) => return Ok(Err(part)),
                    }
                }
                all += ways.len();
                if all > MAX_EDGES {
                    return Ok(Ok(None));
                }
                layer.edges.push(ways);
            }
            layers.push(layer);
            followed.paths.push(paths);
            if layers.len() > MAX_LENGTH && shape.high.is_none() {
                return Ok(Ok(None));
            }
            states = next;
        }
        count(&mut layers);
        Ok(Ok(Some(Counted { shape, layers })))
    }
}

/// Counts the rows that continue from each state, from the last layer back, and drops ways without rows.
fn count(layers: &mut [Layer]) {
    let mut behind: Vec<Int> = Vec::new();
    for layer in layers.iter_mut().rev() {
        let going_on = |to: u32| behind.get(to as usize).filter(|count| !count.is_zero());
        for (ways, ends) in layer.edges.iter_mut().zip(&layer.ends) {
            ways.retain(|(_, to)| going_on(*to).is_some());
            let on = ways.iter().filter_map(|(_, to)| going_on(*to));
            layer.counts.push(on.fold(ends.clone(), |sum, n| sum.add(n)));
        }
        behind.clone_from(&layer.counts);
    }
}

impl Counted {
    /// Returns the number of rows or, if what may follow them was counted too, of these combinations.
    pub fn count(&self) -> Int {
        self.layers.first().map_or(Int::ZERO, |layer| layer.counts[0].clone())
    }

    /// Returns the number of rows that continue from a state of a layer.
    fn count_at(&self, layer: usize, state: u32) -> Int {
        self.layers.get(layer).map_or(Int::ZERO, |layer| layer.counts[state as usize].clone())
    }

    /// Returns the row of a rank, which is 0-based and must be below the count.
    pub fn at(&self, rank: &Int) -> Value {
        self.unrank_with_rest(rank).0
    }

    /// Returns the row of a rank, and the rank among the choices that may follow this row.
    pub(super) fn unrank_with_rest(&self, rank: &Int) -> (Value, Int) {
        let (mut rest, mut state, mut chosen) = (rank.clone(), 0u32, Vec::new());
        for (depth, layer) in self.layers.iter().enumerate() {
            let ends = &layer.ends[state as usize];
            if rest < *ends {
                break;
            }
            rest = rest.sub(ends);
            let mut on = None;
            for (element, to) in &layer.edges[state as usize] {
                let behind = self.count_at(depth + 1, *to);
                if rest < behind {
                    on = Some((*element, *to));
                    break;
                }
                rest = rest.sub(&behind);
            }
            let Some((element, to)) = on else { break };
            chosen.push(element);
            state = to;
        }
        (self.shape.row(&chosen), rest)
    }

    /// Returns the 0-based rank of a row, counting all that may follow earlier rows; `None` if it is absent.
    pub fn rank(&self, value: &Value) -> Option<Int> {
        let (mut rank, mut state) = (Int::ZERO, 0u32);
        let chosen = self.elements(value)?;
        for (depth, wanted) in chosen.iter().enumerate() {
            let layer = self.layers.get(depth)?;
            rank = rank.add(&layer.ends[state as usize]);
            let mut on = None;
            for (element, to) in &layer.edges[state as usize] {
                if element == wanted {
                    on = Some(*to);
                    break;
                }
                rank = rank.add(&self.count_at(depth + 1, *to));
            }
            state = on?;
        }
        let layer = self.layers.get(chosen.len())?;
        (!layer.ends.get(state as usize)?.is_zero()).then_some(rank)
    }

    /// Returns the numbers of a row's elements; `None` if one of them is unknown.
    fn elements(&self, value: &Value) -> Option<Vec<u32>> {
        match value {
            Value::List(items) => items
                .iter()
                .enumerate()
                .map(|(at, item)| {
                    self.shape.at(at).iter().position(|known| known == item).map(|at| at as u32)
                })
                .collect(),
            Value::Set(set) if self.shape.is_set() => {
                let taken = self.shape.choices.iter().map(|one| set.contains(&one[0]));
                let chosen: Vec<u32> = taken.map(|is_in| if is_in { 0 } else { EXCLUDED }).collect();
                (chosen.iter().filter(|element| **element == 0).count() == set.len()).then_some(chosen)
            }
            _ => None,
        }
    }

    /// Returns the rows as one table of words, which [`table`] can read; `None` if a count or an element does
    /// not fit a word.
    pub fn table(&self, word: &dyn Fn(&Value) -> Option<i64>) -> Option<Vec<i64>> {
        // The position of each state in the table, by layer.
        let mut end = table::HEAD;
        let mut place = |ways: &Vec<(u32, u32)>| {
            let begin = end;
            end += table::STATE + ways.len() * table::WAY;
            begin as i64
        };
        let places: Vec<Vec<i64>> =
            self.layers.iter().map(|layer| layer.edges.iter().map(&mut place).collect()).collect();
        let longest = self.layers.len().saturating_sub(1) as i64;
        let mut words = vec![end as i64, self.count().as_i64()?, longest, i64::from(self.shape.is_set()), 0];
        for (depth, layer) in self.layers.iter().enumerate() {
            for (ways, ends) in layer.edges.iter().zip(&layer.ends) {
                let mut before = ends.clone();
                words.extend([before.as_i64()?, ways.len() as i64]);
                for (element, to) in ways {
                    let taken = match *element {
                        EXCLUDED => table::LEFT_OUT,
                        element => word(&self.shape.at(depth)[element as usize])?,
                    };
                    words.extend([before.as_i64()?, taken, places[depth + 1][*to as usize]]);
                    before = before.add(&self.count_at(depth + 1, *to));
                }
            }
        }
        Some(words)
    }

    /// Returns the number of ways (transitions between states).
    pub fn edge_count(&self) -> usize {
        self.layers.iter().flat_map(|layer| &layer.edges).map(Vec::len).sum()
    }

    /// Returns an iterator over the rows, in order.
    pub fn iter(&self) -> CountedIter<'_> {
        CountedIter { rows: self, path: vec![(0, 0)], chosen: Vec::new(), end_pending: true }
    }
}

/// Iterator over the rows of a [`Counted`], in order.
#[derive(Debug, Clone)]
pub struct CountedIter<'d> {
    rows: &'d Counted,
    /// The states on the current path, each with the index of the way to take next.
    path: Vec<(u32, usize)>,
    /// The elements taken along the path.
    chosen: Vec<u32>,
    /// Whether the row that ends at the last state has yet to be returned.
    end_pending: bool,
}

impl Iterator for CountedIter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        while let Some((state, way)) = self.path.last_mut() {
            let depth = self.chosen.len();
            let layer = self.rows.layers.get(depth)?;
            if std::mem::take(&mut self.end_pending) && !layer.ends[*state as usize].is_zero() {
                return Some(self.rows.shape.row(&self.chosen));
            }
            match layer.edges[*state as usize].get(*way) {
                Some((element, to)) => {
                    *way += 1;
                    self.chosen.push(*element);
                    self.path.push((*to, 0));
                    self.end_pending = true;
                }
                None => {
                    self.path.pop();
                    self.chosen.pop();
                }
            }
        }
        None
    }
}
