//! Decomposes conditions on a row into terms that can be gathered while the row is read once, from left to
//! right.
//!
//! Such a condition is a finite automaton. Its state consists of the values gathered so far (a sum, a
//! product, the previous element); what remains of the condition is a formula over these values, evaluated at
//! the end of the row. `eval/counted.rs` runs the automaton.

use std::collections::BTreeSet;

use super::inwards::inwards;
use super::{
    Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Function, Slot, Source, Type, Value,
    bound_slots, children, children_mut, domain_parts, rename_slots,
};
use crate::num::Int;
use crate::source::Span;

/// The maximum number of nodes visited while inlining. Longer conditions are not decomposed.
const MOST_NODES: usize = 20_000;

/// A condition on a row, as a conjunction of parts.
#[derive(Debug, Clone, Default)]
pub struct RowCondition {
    /// The values to gather from the row.
    pub terms: Vec<Term>,
    /// The conditions on these values, all of which must hold.
    pub parts: Vec<RowPart>,
    /// The number of slots a frame needs to evaluate all of this.
    pub frame: usize,
}

impl RowCondition {
    /// Whether the condition may bound the length of a row: through its size, through a total over its
    /// elements, or because its elements must be distinct.
    pub fn bounds_length(&self) -> bool {
        self.terms.iter().any(|term| match &term.kind {
            TermKind::Size | TermKind::Distinct => true,
            TermKind::Gathered(_) => term.kind.sums(),
            TermKind::Place(_) | TermKind::Last => false,
        })
    }
}

/// One conjunct of a condition on a row.
#[derive(Debug, Clone)]
pub struct RowPart {
    /// The condition on the row itself, with names put in.
    pub condition: Expr,
    /// The formula, in which the slots of terms stand for the gathered values.
    pub formula: Expr,
    /// The indices of its terms.
    pub terms: Vec<usize>,
}

/// A value gathered from a row.
#[derive(Debug, Clone)]
pub struct Term {
    /// The slot from which formulas read it.
    pub slot: Slot,
    /// How it is gathered.
    pub kind: TermKind,
}

impl Term {
    /// Returns the expressions that are evaluated to gather it.
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut exprs = Vec::new();
        match &self.kind {
            TermKind::Place(at) => exprs.push(at),
            TermKind::Gathered(gathering) => {
                exprs.extend(gathering.filter.iter().chain([&gathering.body]));
                match &gathering.over {
                    Over::Elements(_) => {}
                    Over::Places { low, high, .. } => {
                        exprs.push(low);
                        if let High::At(high) = high {
                            exprs.push(high);
                        }
                    }
                    Over::ForeignSources { sources, place, .. } => {
                        exprs.push(place);
                        sources.iter().for_each(|source| domain_parts(&source.domain, &mut exprs));
                    }
                }
            }
            TermKind::Size | TermKind::Last | TermKind::Distinct => {}
        }
        exprs
    }
}

/// The kinds of values that can be gathered from a row.
#[derive(Debug, Clone)]
pub enum TermKind {
    /// The number of elements.
    Size,
    /// The element at an index that does not depend on the row.
    Place(Expr),
    /// The last element.
    Last,
    /// Whether no element occurs twice.
    Distinct,
    /// A fold over the elements: a sum, a product, whether all satisfy a condition.
    Gathered(Box<Gathering>),
}

impl TermKind {
    /// Whether it is a sum, a count or a product.
    pub fn sums(&self) -> bool {
        let TermKind::Gathered(gathering) = self else { return false };
        matches!(gathering.kind, FoldKind::Sum | FoldKind::Product | FoldKind::Count)
    }
}

/// A fold over the elements of a row.
#[derive(Debug, Clone)]
pub struct Gathering {
    /// The kind of fold.
    pub kind: FoldKind,
    /// The elements to fold over, and the slots through which the filter and the body read them.
    pub over: Over,
    /// Which elements count.
    pub filter: Option<Expr>,
    /// The value folded for each element.
    pub body: Expr,
}

/// Which elements a [`Gathering`] folds over.
#[derive(Debug, Clone)]
pub enum Over {
    /// Every element; several slots destructure a tuple.
    Elements(Vec<Slot>),
    /// The elements at a range of indices: `all(k in low..high: row[k] < row[k + 1])`.
    Places {
        /// The slot of the index variable.
        index: Slot,
        /// The first index.
        low: Expr,
        /// The last index.
        high: High,
        /// How far the last element read is ahead of the index.
        ahead: i64,
        /// The slot of that element.
        this: Slot,
        /// The slot of the element before it, if that is read too.
        before: Option<Slot>,
    },
    /// One element for each value of other sources: `all(p in players: row[p.number] <= p.coins)`.
    ForeignSources {
        /// The sources to iterate over.
        sources: Vec<Source>,
        /// The index of the element.
        place: Expr,
        /// The slot of the element.
        this: Slot,
    },
}

/// The end of a range of indices.
#[derive(Debug, Clone)]
pub enum High {
    /// An index that does not depend on the row.
    At(Expr),
    /// The given number of elements before the end of the row.
    FromEnd(i64),
}

/// Decomposes conditions on one row.
pub struct Decomposer<'g> {
    functions: &'g [Function],
    row: Slot,
    names: Vec<(Slot, Expr)>,
    /// Slots of names that could not be substituted.
    unresolved: BTreeSet<Slot>,
    /// Slots that are filled after the row is chosen: formulas may read them, terms may not.
    pub later: BTreeSet<Slot>,
    nodes: usize,
    /// The condition decomposed so far.
    pub found: RowCondition,
    /// The spans of conditions that cannot be gathered.
    pub ungathered: Vec<Span>,
}

impl<'g> Decomposer<'g> {
    /// Creates a reader for the row in a slot; `frame` is the number of slots already in use.
    pub fn new(functions: &'g [Function], row: Slot, frame: usize) -> Decomposer<'g> {
        let found = RowCondition { frame, ..RowCondition::default() };
        Decomposer {
            functions,
            row,
            names: Vec::new(),
            unresolved: BTreeSet::new(),
            later: BTreeSet::new(),
            nodes: 0,
            found,
            ungathered: Vec::new(),
        }
    }

    /// Records what names stand for; several slots destructure a tuple.
    pub fn define(&mut self, slots: &[Slot], value: &Expr) {
        match (slots, self.inline(value)) {
            ([slot], Some(value)) => self.names.push((*slot, value)),
            (slots, Some(Expr { kind: ExprKind::Tuple(parts), .. })) if parts.len() == slots.len() => {
                self.names.extend(slots.iter().copied().zip(parts));
            }
            (slots, _) => self.unresolved.extend(slots),
        }
    }

    /// Decomposes a condition as far as possible; returns whether all of it was decomposed.
    pub fn decompose(&mut self, condition: &Expr) -> bool {
        match self.inline(condition) {
            Some(plain) => self.conjuncts(&inwards(plain, true)),
            None => {
                self.ungathered.push(condition.span);
                false
            }
        }
    }

    fn conjuncts(&mut self, e: &Expr) -> bool {
        if let ExprKind::And(a, b) = &e.kind {
            let first = self.conjuncts(a);
            return self.conjuncts(b) && first;
        }
        let before = self.found.terms.len();
        match self.formula(e) {
            Some(formula) if self.is_available(&formula, before) => {
                let terms = (before..self.found.terms.len()).collect();
                self.found.parts.push(RowPart { condition: e.clone(), formula, terms });
                true
            }
            _ => {
                self.found.terms.truncate(before);
                self.ungathered.push(e.span);
                false
            }
        }
    }

    /// Whether a formula, with its terms from index `first` on, reads only slots that are filled when it is
    /// evaluated.
    fn is_available(&self, formula: &Expr, first: usize) -> bool {
        let reads_any = |e: &Expr, slots: &BTreeSet<Slot>| slots.iter().any(|slot| reads(e, *slot));
        let mut terms = self.found.terms[first..].iter().flat_map(Term::exprs);
        !reads_any(formula, &self.unresolved)
            && !terms.any(|e| reads_any(e, &self.unresolved) || reads_any(e, &self.later))
    }

    // ---- inlining of functions and names

    /// Substitutes names, and inlines calls that are passed the row. Returns `None` if the result is too
    /// large, or if a name destructures a tuple.
    fn inline(&mut self, e: &Expr) -> Option<Expr> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return None;
        }
        match &e.kind {
            ExprKind::Local(slot) => {
                return Some(match self.names.iter().rev().find(|(known, _)| known == slot) {
                    Some((_, value)) => value.clone(),
                    None => e.clone(),
                });
            }
            ExprKind::Call(function, args) => {
                let args = args.iter().map(|arg| self.inline(arg)).collect::<Option<Vec<Expr>>>()?;
                if !args.iter().any(|arg| reads(arg, self.row)) {
                    return Some(Expr { kind: ExprKind::Call(*function, args), ..e.clone() });
                }
                let lambda = &self.functions[*function].lambda;
                let first = self.slots(lambda.frame);
                let mut body = lambda.body.clone();
                rename_slots(&mut body, &mut |slot| first + slot);
                let mark = self.names.len();
                self.names.extend(args.into_iter().enumerate().map(|(param, arg)| (first + param, arg)));
                let body = self.inline(&body);
                self.names.truncate(mark);
                return body;
            }
            ExprKind::Let(slots, value, body) => {
                let value = self.inline(value)?;
                let [slot] = slots.as_slice() else { return None };
                let mark = self.names.len();
                self.names.push((*slot, value));
                let body = self.inline(body);
                self.names.truncate(mark);
                return body;
            }
            _ => {}
        }
        let mut copy = e.clone();
        let mut whole = true;
        children_mut(&mut copy, &mut |part| match self.inline(part) {
            Some(plain) => *part = plain,
            None => whole = false,
        });
        whole.then_some(copy)
    }

    fn slots(&mut self, count: usize) -> Slot {
        let first = self.found.frame;
        self.found.frame += count;
        first
    }

    // ---- terms

    /// Replaces what an expression reads of the row by terms; `None` if some part of that cannot be a term.
    fn formula(&mut self, e: &Expr) -> Option<Expr> {
        if !reads(e, self.row) {
            return Some(e.clone());
        }
        if let Some(kind) = self.term(e) {
            let slot = self.slots(1);
            self.found.terms.push(Term { slot, kind });
            return Some(Expr { kind: ExprKind::Local(slot), ..e.clone() });
        }
        if let ExprKind::Builtin(Builtin::Empty, args) = &e.kind {
            let size =
                Expr { kind: ExprKind::Builtin(Builtin::Size, args.clone()), ty: Type::Int, span: e.span };
            let zero = Expr { kind: ExprKind::Value(Value::int(0)), ty: Type::Int, span: e.span };
            let kind = ExprKind::Compare(Box::new(size), vec![(Compare::Equal, zero)]);
            return self.formula(&Expr { kind, ..e.clone() });
        }
        // A binder or a domain would read the whole row once for each of its elements.
        if matches!(e.kind, ExprKind::Local(_) | ExprKind::Fold(_) | ExprKind::Listed(_)) {
            return None;
        }
        let mut copy = e.clone();
        let mut whole = true;
        children_mut(&mut copy, &mut |part| match self.formula(part) {
            Some(formula) => *part = formula,
            None => whole = false,
        });
        whole.then_some(copy)
    }

    fn term(&mut self, e: &Expr) -> Option<TermKind> {
        match &e.kind {
            ExprKind::Builtin(word, args) => match (word, args.as_slice()) {
                (Builtin::Size, [of]) if self.has_the_elements(of) => Some(TermKind::Size),
                (Builtin::Distinct, [of]) if self.has_the_elements(of) => Some(TermKind::Distinct),
                (Builtin::First, [of]) if self.is_row(of) => {
                    let one = Expr { kind: ExprKind::Value(Value::int(1)), ty: Type::Int, span: e.span };
                    Some(TermKind::Place(one))
                }
                (Builtin::Last, [of]) if self.is_row(of) => Some(TermKind::Last),
                (Builtin::Copies, [what, of]) if !reads(what, self.row) => {
                    self.fold_each(FoldKind::Count, of, |element| {
                        ExprKind::Compare(Box::new(element), vec![(Compare::Equal, what.clone())])
                    })
                }
                (Builtin::Size, [of]) => self.fold_list(FoldKind::Count, of),
                (Builtin::Sum, [of]) => self.fold_list(FoldKind::Sum, of),
                (Builtin::Product, [of]) => self.fold_list(FoldKind::Product, of),
                (Builtin::Largest, [of]) => self.fold_list(FoldKind::Largest, of),
                (Builtin::Smallest, [of]) => self.fold_list(FoldKind::Smallest, of),
                _ => None,
            },
            ExprKind::Index(of, at) if self.is_row(of) => match &at.kind {
                ExprKind::Builtin(Builtin::Size, args) if self.is_row(&args[0]) => Some(TermKind::Last),
                _ if !reads(at, self.row) => Some(TermKind::Place((**at).clone())),
                _ => None,
            },
            ExprKind::In(what, domain) => match &**domain {
                Domain::Values(of) if !reads(what, self.row) => {
                    self.fold_each(FoldKind::Some, of, |element| {
                        ExprKind::Compare(Box::new(element), vec![(Compare::Equal, (**what).clone())])
                    })
                }
                _ => None,
            },
            ExprKind::Compare(a, links) => match links.as_slice() {
                // `sorted(row) = row`
                [(Compare::Equal, b)]
                    if self.sorts(a) && self.is_row(b) || self.sorts(b) && self.is_row(a) =>
                {
                    self.ascending(e)
                }
                _ => None,
            },
            ExprKind::Fold(fold) => self.fold(fold),
            _ => None,
        }
    }

    fn is_row(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Local(slot) if *slot == self.row)
            || matches!(&e.kind, ExprKind::Builtin(Builtin::ToList, args) if matches!(args[0].ty, Type::List(_)) && self.is_row(&args[0]))
    }

    /// Whether an expression consists of the elements of the row, in any order.
    fn has_the_elements(&self, e: &Expr) -> bool {
        use Builtin as B;
        self.is_row(e)
            || matches!(&e.kind, ExprKind::Builtin(B::Sorted | B::Reversed | B::ToList | B::ToBag, args)
                if self.has_the_elements(&args[0]))
    }

    fn sorts(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Builtin(Builtin::Sorted, args) if self.has_the_elements(&args[0]))
    }

    /// Gathers a fold over each element.
    fn fold_each(
        &mut self,
        kind: FoldKind,
        of: &Expr,
        body: impl FnOnce(Expr) -> ExprKind,
    ) -> Option<TermKind> {
        if !self.has_the_elements(of) {
            return None;
        }
        let slot = self.slots(1);
        let element = Expr { kind: ExprKind::Local(slot), ty: of.ty.element()?, span: of.span };
        let body = Expr { kind: body(element), ty: Type::Bool, span: of.span };
        Some(TermKind::Gathered(Box::new(Gathering {
            kind,
            over: Over::Elements(vec![slot]),
            filter: None,
            body,
        })))
    }

    /// Gathers a fold over a list: the row itself, or a list built from it element by element.
    fn fold_list(&mut self, kind: FoldKind, of: &Expr) -> Option<TermKind> {
        if let ExprKind::Fold(fold) = &of.kind
            && matches!(fold.kind, FoldKind::List | FoldKind::Bag)
        {
            let mut fold = Fold { kind, ..(**fold).clone() };
            if kind == FoldKind::Count {
                fold.body = Expr { kind: ExprKind::Value(Value::Bool(true)), ty: Type::Bool, span: of.span };
            }
            return self.fold(&fold);
        }
        self.fold_each(kind, of, |element| element.kind)
    }

    fn ascending(&mut self, e: &Expr) -> Option<TermKind> {
        let (before, this, index) = (self.slots(1), self.slots(1), self.slots(1));
        let local = |slot| Expr { kind: ExprKind::Local(slot), ty: Type::Int, span: e.span };
        let kind = ExprKind::Compare(Box::new(local(before)), vec![(Compare::AtMost, local(this))]);
        let body = Expr { kind, ty: Type::Bool, span: e.span };
        let low = Expr { kind: ExprKind::Value(Value::int(1)), ty: Type::Int, span: e.span };
        let over = Over::Places { index, low, high: High::FromEnd(1), ahead: 1, this, before: Some(before) };
        Some(TermKind::Gathered(Box::new(Gathering { kind: FoldKind::All, over, filter: None, body })))
    }

    fn fold(&mut self, fold: &Fold) -> Option<TermKind> {
        use FoldKind as F;
        let gathers = matches!(
            fold.kind,
            F::Sum
                | F::Product
                | F::Count
                | F::All
                | F::Some
                | F::Largest
                | F::Smallest
                | F::Xor
                | F::Gcd
                | F::Lcm
        );
        if !gathers || fold.stop.is_some() {
            return None;
        }
        let (kind, filter, body) = (fold.kind, fold.filter.clone(), fold.body.clone());
        let inside = |reader: &Self| filter.iter().chain([&body]).any(|part| reads(part, reader.row));
        match fold.sources.as_slice() {
            [Source { slots, domain: Domain::Values(of) }] if self.has_the_elements(of) => {
                let over = Over::Elements(slots.clone());
                (!inside(self)).then_some(TermKind::Gathered(Box::new(Gathering {
                    kind,
                    over,
                    filter,
                    body,
                })))
            }
            [Source { slots, domain: Domain::Range(low, high) }]
                if let [index] = slots.as_slice()
                    && !reads(low, self.row) =>
            {
                let gathering = self.over_indices(fold, *index, low, high);
                gathering.or_else(|| self.over_foreign_sources(fold)).map(Box::new).map(TermKind::Gathered)
            }
            _ => self.over_foreign_sources(fold).map(Box::new).map(TermKind::Gathered),
        }
    }

    /// Reads a fold as a gathering over indices of the row.
    fn over_indices(&mut self, fold: &Fold, index: Slot, low: &Expr, high: &Expr) -> Option<Gathering> {
        let high = match self.less_than_size(high) {
            Some(less) => High::FromEnd(less),
            None if reads(high, self.row) => return None,
            None => High::At(high.clone()),
        };
        let mut offsets = Vec::new();
        for part in fold.filter.iter().chain([&fold.body]) {
            self.offsets(part, index, &mut offsets)?;
        }
        offsets.sort_unstable();
        offsets.dedup();
        let (ahead, before) = match offsets.as_slice() {
            [only] => (*only, None),
            [a, b] if a + 1 == *b => (*b, Some(self.slots(1))),
            _ => return None,
        };
        let this = self.slots(1);
        let (mut filter, mut body) = (fold.filter.clone(), fold.body.clone());
        for part in filter.iter_mut().chain([&mut body]) {
            self.substitute_elements(part, index, &|offset| {
                if offset == ahead { this } else { before.unwrap_or(this) }
            });
        }
        let over = Over::Places { index, low: low.clone(), high, ahead, this, before };
        Some(Gathering { kind: fold.kind, over, filter, body })
    }

    /// Returns how many elements before the end of the row an index is: 2 for `size(row) - 2`.
    fn less_than_size(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Builtin(Builtin::Size, args) if self.is_row(&args[0]) => Some(0),
            ExprKind::Arith(super::Arith::Sub, a, b) => Some(self.less_than_size(a)? + literal(b)?),
            _ => None,
        }
    }

    /// Returns the offset of an expression from an index: `k`, `k + 1`, `k - 1`.
    fn offset(e: &Expr, index: Slot) -> Option<i64> {
        use super::Arith as A;
        match &e.kind {
            ExprKind::Local(slot) if *slot == index => Some(0),
            ExprKind::Arith(A::Add, a, b) => match Self::offset(a, index) {
                Some(offset) => Some(offset + literal(b)?),
                None => Some(Self::offset(b, index)? + literal(a)?),
            },
            ExprKind::Arith(A::Sub, a, b) => Some(Self::offset(a, index)? - literal(b)?),
            _ => None,
        }
    }

    /// Collects the offsets at which an expression reads the row; `None` if it reads the row in another way.
    fn offsets(&self, e: &Expr, index: Slot, out: &mut Vec<i64>) -> Option<()> {
        if let ExprKind::Index(of, at) = &e.kind
            && self.is_row(of)
        {
            out.push(Self::offset(at, index)?);
            return Some(());
        }
        if self.is_row(e) {
            return None;
        }
        let mut whole = Some(());
        children(e, &mut |part| whole = whole.and_then(|()| self.offsets(part, index, out)));
        whole
    }

    fn substitute_elements(&self, e: &mut Expr, index: Slot, slot: &dyn Fn(i64) -> Slot) {
        if let ExprKind::Index(of, at) = &e.kind
            && self.is_row(of)
            && let Some(offset) = Self::offset(at, index)
        {
            e.kind = ExprKind::Local(slot(offset));
            return;
        }
        children_mut(e, &mut |part| self.substitute_elements(part, index, slot));
    }

    /// Reads a fold over other sources as a gathering that reads one element of the row for each of their
    /// values.
    fn over_foreign_sources(&mut self, fold: &Fold) -> Option<Gathering> {
        let mut parts = Vec::new();
        fold.sources.iter().for_each(|source| domain_parts(&source.domain, &mut parts));
        if parts.into_iter().any(|part| reads(part, self.row)) {
            return None;
        }
        let mut places: Vec<Expr> = Vec::new();
        for part in fold.filter.iter().chain([&fold.body]) {
            self.collect_indices(part, &mut places)?;
        }
        let first = places.first()?.clone();
        let same = |place: &Expr| alike(place, &first);
        // An index that depends on a binder within the body differs for each element of that binder.
        let bound: Vec<Slot> = fold.filter.iter().chain([&fold.body]).flat_map(bound_slots).collect();
        if !places.iter().all(same) || bound.iter().any(|slot| reads(&first, *slot)) {
            return None;
        }
        let this = self.slots(1);
        let (mut filter, mut body) = (fold.filter.clone(), fold.body.clone());
        for part in filter.iter_mut().chain([&mut body]) {
            self.substitute_element(part, this);
        }
        let over = Over::ForeignSources { sources: fold.sources.clone(), place: first, this };
        Some(Gathering { kind: fold.kind, over, filter, body })
    }

    fn collect_indices(&self, e: &Expr, out: &mut Vec<Expr>) -> Option<()> {
        if let ExprKind::Index(of, at) = &e.kind
            && self.is_row(of)
        {
            if reads(at, self.row) {
                return None;
            }
            out.push((**at).clone());
            return Some(());
        }
        if self.is_row(e) {
            return None;
        }
        let mut whole = Some(());
        children(e, &mut |part| whole = whole.and_then(|()| self.collect_indices(part, out)));
        whole
    }

    fn substitute_element(&self, e: &mut Expr, slot: Slot) {
        if let ExprKind::Index(of, _) = &e.kind
            && self.is_row(of)
        {
            e.kind = ExprKind::Local(slot);
            return;
        }
        children_mut(e, &mut |part| self.substitute_element(part, slot));
    }
}

fn literal(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Value(Value::Int(Int::Small(n))) => Some(*n),
        _ => None,
    }
}

/// Whether an expression reads a slot.
pub fn reads(e: &Expr, slot: Slot) -> bool {
    let mut found = matches!(&e.kind, ExprKind::Local(own) if *own == slot);
    children(e, &mut |part| found = found || reads(part, slot));
    found
}

/// Whether two simple expressions, as used for indices, are syntactically equal.
fn alike(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Value(a), ExprKind::Value(b)) => a == b,
        (ExprKind::Builtin(a, of), ExprKind::Builtin(b, others)) => {
            a == b && of.len() == others.len() && of.iter().zip(others).all(|(a, b)| alike(a, b))
        }
        (ExprKind::Arith(a, c, d), ExprKind::Arith(b, e, f)) => a == b && alike(c, e) && alike(d, f),
        _ => false,
    }
}
