//! What each element adds to the terms of a condition, and which states no matching row continues from.

mod dead_ends;

use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use super::counted::{EXCLUDED, Followers, Shape};
use super::fold::bind;
use super::goals::goal_over_later;
use super::remainders::modulus;
use super::{Dom, Env, Fault};
use crate::ir::{
    Expr, ExprKind, FoldKind, Gathering, High, Over, RowCondition, Slot, Source, Term, TermKind, Value, reads,
};
use crate::num::{Int, theory};

/// Why counting stops early.
#[derive(Debug)]
pub(super) enum CountError {
    /// The rules fail, or evaluation takes too long.
    Fault(Fault),
    /// The part of the condition with this number cannot be gathered.
    Part(usize),
}

/// Stands for a value that has not been gathered yet.
const UNGATHERED: i128 = i128::MIN;

/// The terms of a condition, with the values they read from outside the row filled in.
pub(super) struct Weights<'w, 'g> {
    env: &'w Env<'g>,
    condition: &'w RowCondition,
    /// How many parts are checked when a row ends.
    row_parts: usize,
    terms: Vec<BoundTerm<'w>>,
    /// For each part that is checked when a row ends, the number of elements after which all of its terms are known, if they
    /// are before. It is checked then, and its terms need not be told apart any longer.
    known_after: Vec<Option<usize>>,
    /// What an element adds, by term, place, previous element and element. Places and previous elements count
    /// from 1, and are 0 if they make no difference.
    known: HashMap<(usize, u32, u32, u32), Option<i128>>,
}

/// A term with the values it reads from outside the row filled in.
struct BoundTerm<'w> {
    term: &'w Term,
    part: usize,
    /// The index of its first word in a state.
    word: usize,
    /// The least and the greatest value that the condition allows at the end of a row, where known.
    goal: (Option<i128>, Option<i128>),
    /// The value it must have at every moment, if its part is the term itself or the term's negation.
    always: Option<i128>,
    /// If the condition only reads the remainder of its value by some numbers, their least common multiple: the
    /// remainder by that is all that needs to be gathered.
    modulus: Option<i128>,
    /// The place it reads, or the first and the last index of the places it covers.
    index_range: (i64, i64),
    /// For [`Over::ForeignSources`], the bindings of the source names, by the place they refer to.
    foreign_bindings: HashMap<i64, Vec<Vec<(Slot, Value)>>>,
    /// The least and the most still to come, by the number of elements so far; empty if unknown.
    remaining: Vec<(i128, i128)>,
    /// The least and the most that one element adds, if the length is not fixed.
    per_element: Option<(i128, i128)>,
}

impl BoundTerm<'_> {
    fn gathering(&self) -> Option<&Gathering> {
        match &self.term.kind {
            TermKind::Gathered(gathering) => Some(gathering),
            _ => None,
        }
    }

    /// Whether the previous element is part of its state.
    fn looks_back(&self) -> bool {
        matches!(self.gathering(), Some(Gathering { over: Over::Places { before: Some(_), .. }, .. }))
    }

    /// Returns the last place that it reads, if that is known.
    fn last_place(&self) -> Option<i64> {
        match (&self.term.kind, self.gathering().map(|gathering| &gathering.over)) {
            (TermKind::Place(_), _) => Some(self.index_range.0),
            (_, Some(Over::Places { ahead, .. })) => self.index_range.1.checked_add(*ahead),
            (_, Some(Over::ForeignSources { .. })) => self.foreign_bindings.keys().max().copied(),
            _ => None,
        }
    }

    /// Whether what an element adds depends on its place.
    fn by_place(&self) -> bool {
        match self.gathering() {
            Some(Gathering { over: Over::Elements(_), .. }) | None => false,
            Some(Gathering { over: Over::ForeignSources { .. }, .. }) => true,
            Some(Gathering { over: Over::Places { index, .. }, filter, body, .. }) => {
                filter.iter().chain([body]).any(|part| reads(part, *index))
            }
        }
    }
}

pub(super) fn small(n: &Int) -> Option<i128> {
    n.as_i64().map(i128::from)
}

impl<'w, 'g> Weights<'w, 'g> {
    /// Prepares the first `parts` parts of a condition, of which those from `followers.row_parts` on are only
    /// checked with the choices that follow. The error is the number of a part that cannot be gathered.
    pub fn new(
        env: &'w Env<'g>,
        condition: &'w RowCondition,
        parts: usize,
        followers: Option<&Followers>,
        frame: &mut Vec<Value>,
    ) -> Result<Weights<'w, 'g>, usize> {
        let settled = followers.map_or(parts, |followers| followers.row_parts);
        let mut terms: Vec<BoundTerm> = Vec::new();
        let mut word = 0;
        for (number, part) in condition.parts[..parts].iter().enumerate() {
            for term in &part.terms {
                let term = &condition.terms[*term];
                let later =
                    followers.filter(|_| number >= settled).map_or(&[][..], |followers| &followers.later);
                let goal = goal_over_later(env, &part.formula, term.slot, &condition.terms, later, frame);
                let always = match &part.formula.kind {
                    ExprKind::Local(slot) if *slot == term.slot => Some(1),
                    ExprKind::Not(inner) => {
                        matches!(&inner.kind, ExprKind::Local(slot) if *slot == term.slot).then_some(0)
                    }
                    _ => None,
                };
                let always = always.filter(|always| match &term.kind {
                    TermKind::Distinct => *always == 1,
                    TermKind::Gathered(gathering) => match gathering.kind {
                        FoldKind::All => *always == 1,
                        FoldKind::Some => *always == 0,
                        _ => false,
                    },
                    _ => false,
                });
                let ends = match &term.kind {
                    TermKind::Place(at) => (eval_i64(env, at, frame).ok_or(number)?, 0),
                    TermKind::Gathered(gathering) => match &gathering.over {
                        Over::Places { low, high, .. } => {
                            let high = match high {
                                High::At(high) => eval_i64(env, high, frame).ok_or(number)?,
                                High::FromEnd(_) => i64::MAX,
                            };
                            (eval_i64(env, low, frame).ok_or(number)?, high)
                        }
                        Over::Elements(_) | Over::ForeignSources { .. } => (0, 0),
                    },
                    _ => (0, 0),
                };
                let modulus = modulus(env, condition, term, followers, frame);
                let filled = BoundTerm {
                    term,
                    part: number,
                    word,
                    goal,
                    always,
                    modulus,
                    index_range: ends,
                    foreign_bindings: HashMap::default(),
                    remaining: Vec::new(),
                    per_element: None,
                };
                word += 1 + usize::from(filled.looks_back());
                terms.push(filled);
            }
        }
        let known_after = vec![None; settled];
        Ok(Weights { env, condition, row_parts: settled, terms, known_after, known: HashMap::default() })
    }

    /// Restricts lists over a range to the elements that occur in matching rows, as far as the goals tell.
    pub fn narrowed(&self, dom: &Dom) -> Dom {
        let (least, of) = match dom {
            Dom::Lists(least, of) | Dom::ListsFrom(least, _, of) | Dom::Arrangements(least, of) => {
                (*least, of)
            }
            _ => return dom.clone(),
        };
        let Dom::Range(low, high) = &**of else { return dom.clone() };
        let (low, mut most, mut items) = (low.clone(), high.clone(), None);
        for filled in &self.terms {
            let Some(Gathering { kind, over: Over::Elements(slots), filter: None, body }) =
                filled.gathering()
            else {
                continue;
            };
            let whole =
                matches!((&body.kind, slots.as_slice()), (ExprKind::Local(slot), [own]) if slot == own);
            let (Some(goal), true) = (filled.goal.1, whole) else { continue };
            let Ok(goal_high) = i64::try_from(goal).map(Int::from) else { continue };
            match kind {
                FoldKind::Sum if !low.is_negative() => {
                    let others = low.mul(&Int::from(least.saturating_sub(1))).unwrap_or(Int::ZERO);
                    most = most.min(goal_high.sub(&others));
                }
                FoldKind::Product if low >= Int::ONE => {
                    most = most.min(goal_high.clone());
                    if filled.goal.0 == Some(goal) && goal > 0 {
                        items = theory::divisors(&goal_high);
                    }
                }
                _ => {}
            }
        }
        let of = Box::new(match items {
            Some(items) => {
                let inside = items.into_iter().filter(|n| low <= *n && *n <= most);
                Dom::Items(Arc::new(inside.map(Value::Int).collect()))
            }
            None => Dom::Range(low, most),
        });
        match dom {
            Dom::Lists(size, _) => Dom::Lists(*size, of),
            Dom::ListsFrom(low, high, _) => Dom::ListsFrom(*low, *high, of),
            _ => Dom::Arrangements(least, of),
        }
    }

    /// Adapts the terms to the shape of the rows, and removes elements that no matching row contains. The
    /// error is a part that cannot be gathered.
    pub fn fit(&mut self, shape: &mut Shape, frame: &mut Vec<Value>) -> Result<(), usize> {
        let fixed = shape.high.filter(|high| *high == shape.low);
        for at in 0..self.terms.len() {
            let filled = &self.terms[at];
            let part = filled.part;
            let least = shape.low as i64;
            match &filled.term.kind {
                TermKind::Place(_) => {
                    let place = filled.index_range.0;
                    if shape.is_set() || place < 1 || place > least {
                        return Err(part);
                    }
                }
                TermKind::Last if shape.is_set() || shape.low == 0 => return Err(part),
                TermKind::Distinct if shape.by_place() || shape.at(0).len() > 120 => return Err(part),
                TermKind::Last | TermKind::Distinct | TermKind::Size => {}
                TermKind::Gathered(gathering) => match &gathering.over {
                    Over::Elements(_) => {}
                    Over::Places { high, ahead, before, .. } => {
                        let (first, mut last) = filled.index_range;
                        if let High::FromEnd(less) = high {
                            last = match fixed {
                                Some(size) => size as i64 - less,
                                // The places extend to the last element, wherever that is.
                                None if less == ahead => i64::MAX - ahead.abs(),
                                None => return Err(part),
                            };
                        }
                        let read = first + ahead - i64::from(before.is_some());
                        let inside = last < first
                            || read >= 1 && (fixed.is_none() && last > i64::MAX / 2 || last + ahead <= least);
                        if shape.is_set() || !inside {
                            return Err(part);
                        }
                        self.terms[at].index_range.1 = last;
                    }
                    Over::ForeignSources { sources, place, .. } => {
                        let mut others = HashMap::default();
                        self.collect_bindings(sources, place, frame, &mut others).ok_or(part)?;
                        if shape.is_set() || others.keys().any(|place| *place < 1 || *place > least) {
                            return Err(part);
                        }
                        self.terms[at].foreign_bindings = others;
                    }
                },
            }
        }
        for part in 0..self.known_after.len() {
            let own = self.terms.iter().filter(|filled| filled.part == part);
            let after: Option<Vec<i64>> = own.map(BoundTerm::last_place).collect();
            let after = after.and_then(|after| usize::try_from(after.into_iter().max()?).ok());
            self.known_after[part] = after.filter(|after| (1..=shape.low).contains(after));
        }
        self.prune_elements(shape, frame)?;
        for at in 0..self.terms.len() {
            self.bound_remainder(at, shape, fixed, frame)?;
        }
        Ok(())
    }

    /// Collects the bindings of the names in `sources`, by the place each refers to; `None` on a fault.
    fn collect_bindings(
        &self,
        sources: &[Source],
        place: &Expr,
        frame: &mut Vec<Value>,
        out: &mut HashMap<i64, Vec<Vec<(Slot, Value)>>>,
    ) -> Option<()> {
        let mut rows: Vec<Vec<(Slot, Value)>> = vec![Vec::new()];
        for source in sources {
            let mut longer = Vec::new();
            for row in rows {
                write_slots(&row, frame);
                let dom = self.env.domain(&source.domain, frame, false).ok()?;
                for item in dom.iter(place.span).ok()? {
                    self.env.tick(place.span).ok()?;
                    bind(&source.slots, item, frame);
                    let own = source.slots.iter().map(|slot| (*slot, frame[*slot].clone()));
                    longer.push(row.iter().cloned().chain(own).collect());
                }
            }
            rows = longer;
        }
        for row in rows {
            write_slots(&row, frame);
            out.entry(eval_i64(self.env, place, frame)?).or_default().push(row);
        }
        Some(())
    }

    /// Removes elements that fail a condition on every element.
    fn prune_elements(&mut self, shape: &mut Shape, frame: &mut Vec<Value>) -> Result<(), usize> {
        if shape.by_place() || shape.rows != super::counted::RowKind::Free {
            return Ok(());
        }
        for at in 0..self.terms.len() {
            let filled = &self.terms[at];
            let each = matches!(filled.gathering(), Some(Gathering { over: Over::Elements(_), .. }));
            let Some(always) = filled.always.filter(|_| each) else { continue };
            let mut kept = Vec::new();
            for element in 0..shape.at(0).len() as u32 {
                let adds = self.weight(at, shape, 0, 0, element, frame)?;
                if adds.is_none_or(|adds| adds == always) {
                    kept.push(shape.at(0)[element as usize].clone());
                }
            }
            shape.choices = vec![kept];
            self.known.clear();
        }
        Ok(())
    }

    /// Returns the state of the terms before the first element.
    pub fn first(&self) -> impl Iterator<Item = i128> {
        self.terms.iter().flat_map(|filled| {
            let first = match &filled.term.kind {
                TermKind::Gathered(gathering) => match gathering.kind {
                    FoldKind::Product | FoldKind::Lcm | FoldKind::All => 1,
                    FoldKind::Largest | FoldKind::Smallest => UNGATHERED,
                    _ => 0,
                },
                _ => 0,
            };
            [first, 0].into_iter().take(1 + usize::from(filled.looks_back()))
        })
    }

    /// Returns the state of the terms after one more element, which follows `before` others; `None` if no
    /// matching row continues from there.
    pub fn advance(
        &mut self,
        shape: &Shape,
        before: usize,
        gathered: &[i128],
        element: u32,
        frame: &mut Vec<Value>,
    ) -> Result<Option<Vec<i128>>, CountError> {
        let mut next = gathered.to_vec();
        for at in 0..self.terms.len() {
            let (word, part) = (self.terms[at].word, self.terms[at].part);
            if self.is_checked(part, before) {
                continue;
            }
            let so_far = next[word];
            next[word] = match &self.terms[at].term.kind {
                TermKind::Size => so_far + i128::from(element != EXCLUDED),
                TermKind::Place(_) if before as i64 + 1 == self.terms[at].index_range.0 => {
                    i128::from(element) + 1
                }
                TermKind::Place(_) => so_far,
                TermKind::Last => i128::from(element) + 1,
                TermKind::Distinct => match so_far {
                    // Sets have no repeated elements.
                    _ if shape.is_set() => so_far,
                    -1 => -1,
                    used if used >> element & 1 == 1 => -1,
                    used => used | 1 << element,
                },
                TermKind::Gathered(gathering) => {
                    let kind = gathering.kind;
                    let last = if self.terms[at].looks_back() { next[word + 1] as u32 } else { 0 };
                    let adds = match element {
                        EXCLUDED => None,
                        element => {
                            self.weight(at, shape, before, last, element, frame).map_err(CountError::Part)?
                        }
                    };
                    if self.terms[at].looks_back() {
                        next[word + 1] = i128::from(element) + 1;
                    }
                    match adds {
                        Some(adds) => {
                            let whole = combine(kind, so_far, adds).ok_or(CountError::Part(part))?;
                            self.terms[at].modulus.map_or(whole, |modulus| whole.rem_euclid(modulus))
                        }
                        None => so_far,
                    }
                }
            };
            if self.is_dead(at, next[word], before + 1, shape) {
                return Ok(None);
            }
        }
        let size = before + 1;
        for part in 0..self.known_after.len() {
            if self.known_after[part] != Some(size) {
                continue;
            }
            if !self.part_holds(part, size, &next, shape, frame).map_err(CountError::Part)? {
                return Ok(None);
            }
            for filled in self.terms.iter().filter(|filled| filled.part == part) {
                next[filled.word..][..1 + usize::from(filled.looks_back())].fill(0);
            }
        }
        Ok(Some(next))
    }

    /// Whether a part was checked when a row had `size` elements, or before.
    fn is_checked(&self, part: usize, size: usize) -> bool {
        self.known_after.get(part).is_some_and(|after| after.is_some_and(|after| after <= size))
    }

    /// Whether a part holds for a row that has gathered these values. The error is its number if it cannot be evaluated.
    fn part_holds(
        &self,
        part: usize,
        size: usize,
        gathered: &[i128],
        shape: &Shape,
        frame: &mut Vec<Value>,
    ) -> Result<bool, usize> {
        for filled in self.terms.iter().filter(|filled| filled.part == part) {
            frame[filled.term.slot] = self.gathered_value(filled, size, gathered, shape).ok_or(part)?;
        }
        self.env.truth(&self.condition.parts[part].formula, frame).map_err(|_| part)
    }

    /// Whether a row may end with these values. The error is the number of a part that cannot be evaluated.
    pub fn accepts(
        &self,
        size: usize,
        gathered: &[i128],
        shape: &Shape,
        frame: &mut Vec<Value>,
    ) -> Result<bool, usize> {
        for part in 0..self.row_parts {
            // A part is only evaluated if those before it hold: `size(row) > 0 and largest(row) < 5`.
            if !self.is_checked(part, size) && !self.part_holds(part, size, gathered, shape, frame)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the value of a term of a row that ends with these values; `None` if it has none.
    fn gathered_value(
        &self,
        filled: &BoundTerm,
        size: usize,
        gathered: &[i128],
        shape: &Shape,
    ) -> Option<Value> {
        let word = gathered[filled.word];
        let element = |before: usize| shape.at(before).get((word - 1) as usize).cloned();
        match &filled.term.kind {
            TermKind::Size if shape.is_set() => integer(word),
            TermKind::Size => Some(Value::int(size as i64)),
            TermKind::Place(_) => element((filled.index_range.0 - 1) as usize),
            TermKind::Last => size.checked_sub(1).and_then(element),
            TermKind::Distinct => Some(Value::Bool(word != -1)),
            TermKind::Gathered(gathering) => match gathering.kind {
                FoldKind::All | FoldKind::Some => Some(Value::Bool(word != 0)),
                // The largest of nothing: evaluation fails only if it comes to this.
                FoldKind::Largest | FoldKind::Smallest if word == UNGATHERED => Some(Value::None),
                _ => integer(word),
            },
        }
    }

    /// Returns what an element adds to a term; `None` if it does not count.
    fn weight(
        &mut self,
        at: usize,
        shape: &Shape,
        before: usize,
        last: u32,
        element: u32,
        frame: &mut Vec<Value>,
    ) -> Result<Option<i128>, usize> {
        let filled = &self.terms[at];
        let Some(gathering) = filled.gathering() else { return Ok(None) };
        let mut index = 0;
        if let Over::Places { ahead, .. } = &gathering.over {
            index = before as i64 + 1 - ahead;
            if index < filled.index_range.0 || index > filled.index_range.1 {
                return Ok(None);
            }
        }
        let place = if filled.by_place() || shape.by_place() { before as u32 + 1 } else { 0 };
        let key = (at, place, last, element);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let value = shape.at(before)[element as usize].clone();
        let mut adds = None;
        match &gathering.over {
            Over::Elements(slots) => {
                bind(slots, value, frame);
                adds = self.element_weight(gathering, frame).ok_or(filled.part)?;
            }
            Over::Places { index: slot, this, before: earlier, .. } => {
                frame[*slot] = Value::int(index);
                frame[*this] = value;
                if let Some(earlier) = earlier {
                    let known = last.checked_sub(1).and_then(|last| shape.at(before - 1).get(last as usize));
                    frame[*earlier] = known.cloned().ok_or(filled.part)?;
                }
                adds = self.element_weight(gathering, frame).ok_or(filled.part)?;
            }
            Over::ForeignSources { this, .. } => {
                for row in filled.foreign_bindings.get(&(before as i64 + 1)).into_iter().flatten() {
                    write_slots(row, frame);
                    frame[*this] = value.clone();
                    if let Some(more) = self.element_weight(gathering, frame).ok_or(filled.part)? {
                        adds = Some(match adds {
                            Some(adds) => combine(gathering.kind, adds, more).ok_or(filled.part)?,
                            None => more,
                        });
                    }
                }
            }
        }
        self.known.insert(key, adds);
        Ok(adds)
    }

    /// Returns what the elements bound in the frame add, or `Some(None)` if the filter leaves them out;
    /// `None` if evaluation fails or the number does not fit a word.
    fn element_weight(&self, gathering: &Gathering, frame: &mut Vec<Value>) -> Option<Option<i128>> {
        if let Some(filter) = &gathering.filter
            && !self.env.truth(filter, frame).ok()?
        {
            return Some(None);
        }
        Some(Some(match gathering.kind {
            FoldKind::All | FoldKind::Some | FoldKind::Count => {
                i128::from(self.env.truth(&gathering.body, frame).ok()?)
            }
            _ => small(&self.env.int(&gathering.body, frame).ok()?)?,
        }))
    }
}

/// Combines two gathered values; `None` on overflow or if the combination is left to the evaluator.
pub(super) fn combine(kind: FoldKind, a: i128, b: i128) -> Option<i128> {
    match kind {
        FoldKind::Sum | FoldKind::Count => a.checked_add(b),
        FoldKind::Product => a.checked_mul(b),
        FoldKind::All => Some(a & b),
        FoldKind::Some => Some(a | b),
        FoldKind::Largest => Some(a.max(b)),
        FoldKind::Smallest if a == UNGATHERED => Some(b),
        FoldKind::Smallest => Some(a.min(b)),
        // XOR of negative numbers is left to the evaluator, which handles numbers of any size.
        FoldKind::Xor if a >= 0 && b >= 0 => Some(a ^ b),
        FoldKind::Gcd => Some(gcd(a, b)),
        FoldKind::Lcm if a == 0 || b == 0 => Some(0),
        FoldKind::Lcm => (a / gcd(a, b)).checked_mul(b).map(i128::abs),
        _ => None,
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn power(base: i128, times: usize) -> i128 {
    u32::try_from(times).map_or(i128::MAX, |times| base.saturating_pow(times))
}

fn integer(n: i128) -> Option<Value> {
    i64::try_from(n).ok().map(Value::int)
}

fn write_slots(row: &[(Slot, Value)], frame: &mut [Value]) {
    row.iter().for_each(|(slot, value)| frame[*slot] = value.clone());
}

pub(super) fn eval_i64(env: &Env, e: &Expr, frame: &mut Vec<Value>) -> Option<i64> {
    env.int(e, frame).ok()?.as_i64()
}
