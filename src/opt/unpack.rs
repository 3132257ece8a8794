//! Rows as one parameter for each element, so that each condition is tested at the first element that settles it:
//! `r in lists(2, D)` as a first element in D and a second one.
//!
//! Rows of several lengths have as many elements as the longest: `r in lists(1..2, 1..9)` as a first element in `1..9` and a
//! second one in `0..9`, where 0 stands for none. The values of other domains are numbered for this from 1 up.

use super::rewrite::{RuleContext, condition, expr_like, int_literal, or, substitute, with_fresh_slots};
use super::{Candidate, Candidates};
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value, children,
    children_mut, domain_parts, domain_parts_mut, reads, rename_slots,
};
use crate::num::Int;
use crate::source::Span;

/// The most elements of a row that is unpacked.
const MOST_ELEMENTS: usize = 8;
/// The most numbers that are tested at once, whether or not values are among them.
const AT_ONCE: i128 = 64;

/// The elements of a row: the domains of the parameters that stand for them, and what holds between one and those before it.
struct Elements {
    domains: Vec<Domain>,
    between: Option<Compare>,
    /// The slots in which later domains and the condition read elements, if they do.
    slots: Vec<Slot>,
    condition: Option<Expr>,
    /// Whether the row is a tuple, a list or a set.
    kind: fn(Vec<Expr>) -> ExprKind,
    /// The last elements, if they may be missing.
    missing: Option<Missing>,
}

/// Elements of a row that may be missing; if one is, so are those after it.
struct Missing {
    /// The number of elements before them.
    after: usize,
    /// Each element is a number from this one up; a lower one stands for none.
    low: Expr,
    among: Among,
}

/// Which numbers elements are that may be missing.
enum Among {
    /// All of a range.
    All,
    /// Those in a collection.
    In(Expr),
    /// The places of the values in a list.
    Places(Expr),
}

/// A row of elements that are parameters.
struct Row {
    slot: Slot,
    /// The row.
    whole: Expr,
    /// A list of its elements in order, as a selection if some may be missing.
    list: Expr,
}

/// Whether the rows of a domain are the tuples of the variables of a binder, so that they are listed as the variables are.
fn is_comprehension(domain: &Domain) -> bool {
    comprehended(domain).is_some()
}

/// Returns the binder of such a domain, and its variables.
fn comprehended(domain: &Domain) -> Option<(&Fold, Vec<Slot>)> {
    let Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) = domain else { return None };
    let slots = fold.sources.iter().map(|source| match source.slots.as_slice() {
        [slot] => Some(*slot),
        _ => None,
    });
    let slots: Vec<Slot> = slots.collect::<Option<_>>()?;
    let ExprKind::Tuple(parts) = &fold.body.kind else { return None };
    let own = |(part, slot): (&Expr, &Slot)| matches!(&part.kind, ExprKind::Local(own) if own == slot);
    let all = parts.len() == slots.len() && parts.iter().zip(&slots).all(own);
    let collects = matches!(fold.kind, FoldKind::List | FoldKind::Set) && fold.stop.is_none();
    (all && collects).then_some((&**fold, slots))
}

/// Returns the elements of the rows of a domain; `None` if their number is not known, they are not single values, or it can
/// fail to find them.
fn elements_of(domain: &Domain, at: &RuleContext) -> Option<Elements> {
    let repeated = |count: &Expr, of: &Domain, between, kind| {
        let ExprKind::Value(Value::Int(count)) = &count.kind else { return None };
        let count = count.as_usize().filter(|count| (1..=MOST_ELEMENTS).contains(count))?;
        let domains = vec![of.clone(); count];
        Some(Elements { domains, between, slots: Vec::new(), condition: None, kind, missing: None })
    };
    let found = match domain {
        Domain::Lists(count, of) => repeated(count, of, None, ExprKind::List),
        Domain::Arrangements(count, of) => repeated(count, of, Some(Compare::NotEqual), ExprKind::List),
        Domain::Subsets(of, Some(count)) => {
            repeated(count, &listed(of), Some(Compare::Greater), ExprKind::Set)
        }
        Domain::ListsFrom(least, Some(most), of) => several((least, most), of, None, ExprKind::List, at),
        Domain::SubsetsFrom(least, Some(most), of) => {
            several((least, most), &listed(of), Some(Compare::Less), ExprKind::Set, at)
        }
        Domain::Tuples(parts) => {
            let (domains, slots, kind) = (parts.clone(), Vec::new(), ExprKind::Tuple);
            Some(Elements { domains, between: None, slots, condition: None, kind, missing: None })
        }
        Domain::Values(e) if is_comprehension(domain) && at.total(e) => {
            let (fold, slots) = comprehended(domain)?;
            let domains = fold.sources.iter().map(|source| source.domain.clone()).collect();
            let (condition, kind) = (fold.filter.clone(), ExprKind::Tuple);
            Some(Elements { domains, between: None, slots, condition, kind, missing: None })
        }
        Domain::Values(Expr { kind: ExprKind::Builtin(Builtin::Pairs, args), .. }) => {
            let of = listed(&args[0]);
            let once = matches!(of, Domain::Range(..)) || matches!(args[0].ty, Type::Set(_));
            let two = int_literal(Int::from(2), &args[0]);
            repeated(&two, &of, Some(Compare::Greater), ExprKind::Tuple).filter(|_| once)
        }
        _ => None,
    }?;
    found.domains.iter().all(is_single).then_some(found)
}

/// Whether the values of a domain are single, and not infinitely many.
fn is_single(of: &Domain) -> bool {
    let ty = of.element();
    !ty.is_collection()
        && !matches!(ty, Type::Tuple(_) | Type::Never)
        && !of.is_infinite()
        && !of.is_of_rows()
}

/// Returns the elements of rows of at least, and at most, so many values of a domain.
fn several(
    (least, most): (&Expr, &Expr),
    of: &Domain,
    between: Option<Compare>,
    kind: fn(Vec<Expr>) -> ExprKind,
    at: &RuleContext,
) -> Option<Elements> {
    let known = |count: &Expr| match &count.kind {
        ExprKind::Value(Value::Int(count)) => count.as_usize().filter(|count| *count <= MOST_ELEMENTS),
        _ => None,
    };
    let (after, most) = (known(least)?, known(most)?);
    if after >= most || !is_single(of) {
        return None;
    }
    let (low, high, among) = match of {
        Domain::Range(low, high) => (low.clone(), high.clone(), Among::All),
        Domain::Values(values) => {
            let (least, most) = at.facts.of_domain(of, &at.scope).range;
            let few = of.element() == Type::Int && most - least < AT_ONCE;
            if let (true, Ok(least), Ok(most)) = (few, i64::try_from(least), i64::try_from(most)) {
                (int_literal(least, values), int_literal(most, values), Among::In(values.clone()))
            } else {
                let places = ascending(of, values, at);
                let high =
                    expr_like(ExprKind::Builtin(Builtin::Size, vec![places.clone()]), Type::Int, values);
                (int_literal(1, values), high, Among::Places(places))
            }
        }
        _ => return None,
    };
    let below = ExprKind::Arith(Arith::Sub, Box::new(low.clone()), Box::new(int_literal(1, &low)));
    let mut none = expr_like(below, Type::Int, &low);
    if let Some(known) = at.facts.value(&none) {
        none.kind = ExprKind::Value(known);
    }
    let domain = |place: usize| {
        let low = if place < after { &low } else { &none };
        Domain::Range(low.clone(), high.clone())
    };
    let domains = (0..most).map(domain).collect();
    let missing = Some(Missing { after, low, among });
    Some(Elements { domains, between, slots: Vec::new(), condition: None, kind, missing })
}

/// Returns the list of the distinct values of a domain, which are in ascending order.
fn ascending(of: &Domain, like: &Expr, at: &RuleContext) -> Expr {
    let list = Type::List(Box::new(of.element()));
    let built =
        |builtin: Builtin, of: Expr, ty: Type| expr_like(ExprKind::Builtin(builtin, vec![of]), ty, like);
    let all = expr_like(ExprKind::Listed(Box::new(of.clone())), list.clone(), like);
    let mut all = built(Builtin::ToList, built(Builtin::ToSet, all, Type::Set(Box::new(of.element()))), list);
    if let Some(known) = at.facts.value(&all) {
        all.kind = ExprKind::Value(known);
    }
    all
}

/// Returns a number that stands where a domain is written.
fn literal_in(of: &Domain) -> Expr {
    let mut parts = Vec::new();
    domain_parts(of, &mut parts);
    let span = parts.first().map_or(Span::default(), |part| part.span);
    Expr { kind: ExprKind::Value(Value::Int(Int::ZERO)), ty: Type::Int, span }
}

/// Returns a collection as a domain.
fn listed(of: &Expr) -> Domain {
    match &of.kind {
        ExprKind::Listed(domain) => (**domain).clone(),
        _ => Domain::Values(of.clone()),
    }
}

impl Candidates {
    /// Replaces each parameter whose rows have a known length, and which conditions or other parameters read, by one for each
    /// element. Returns the conditions that then hold, for each parameter: those of its domain, and what holds between
    /// elements; `None` if there is no such parameter. `needs` and domains read the elements afterwards.
    pub(super) fn unpack(&mut self, needs: &mut [Expr], at: &mut RuleContext) -> Option<Vec<Vec<Expr>>> {
        let (mut params, mut filters, mut unpacked) = (Vec::new(), Vec::new(), Vec::new());
        for param in std::mem::take(&mut self.params) {
            let (mut of, mut conditions) = (&param.domain, Vec::new());
            while let Domain::Where(slot, inner, condition) = of {
                conditions.push((*slot, &**condition));
                of = &**inner;
            }
            let read = !conditions.is_empty()
                || is_comprehension(of)
                || needs.iter().any(|need| reads(need, param.slot));
            let by_elements = |elements: &Elements| {
                let needs = needs.iter().map(|need| (param.slot, need));
                let all = || needs.clone().chain(conditions.iter().copied());
                elements.missing.is_none() || !all().any(|(slot, condition)| reads_whole(condition, slot))
            };
            let found = elements_of(of, at).filter(|_| read && param.window.is_none());
            let Some(mut elements) = found.filter(by_elements) else {
                params.push(param);
                filters.push(Vec::new());
                continue;
            };
            let mut parts: Vec<Expr> = Vec::new();
            let like = literal_in(of);
            for number in 0..elements.domains.len() {
                let domain = elements.domains[number].clone();
                let (slot, ty) = (at.new_slot(), domain.element());
                if let Some(name) = elements.slots.get(number) {
                    let mut rename = |own: Slot| if own == *name { slot } else { own };
                    let mut parts: Vec<&mut Expr> = elements.condition.iter_mut().collect();
                    for later in &mut elements.domains[number + 1..] {
                        domain_parts_mut(later, &mut parts);
                    }
                    parts.into_iter().for_each(|part| rename_slots(part, &mut rename));
                }
                at.scope.insert(slot, at.facts.of_domain(&domain, &at.scope));
                let own = expr_like(ExprKind::Local(slot), ty.clone(), &like);
                filters.push(elements.conditions_on(&own, &parts));
                params.push(Candidate { slot, ty, domain, ..param.clone() });
                parts.push(own);
            }
            let row = elements.row(param.slot, parts, &param.ty, &like, at);
            if let Some(last) = filters.last_mut() {
                last.extend(elements.condition);
                for (slot, condition) in conditions.into_iter().rev() {
                    let mut condition = condition.clone();
                    put_row(&mut condition, slot, &row, at);
                    last.push(condition);
                }
            }
            unpacked.push(row);
        }
        self.params = params;
        for row in &unpacked {
            needs.iter_mut().for_each(|need| put_row(need, row.slot, row, at));
            for param in &mut self.params {
                let mut parts = Vec::new();
                domain_parts_mut(&mut param.domain, &mut parts);
                parts.into_iter().for_each(|part| put_row(part, row.slot, row, at));
            }
        }
        self.packed = unpacked.into_iter().map(|row| (row.slot, row.whole)).collect();
        (!self.packed.is_empty()).then_some(filters)
    }
}

impl Elements {
    /// Returns what holds between an element and those before it.
    fn conditions_on(&self, own: &Expr, before: &[Expr]) -> Vec<Expr> {
        let compare = |a: &Expr, op: Compare, b: &Expr| {
            condition(ExprKind::Compare(Box::new(a.clone()), vec![(op, b.clone())]), own)
        };
        let compared = match self.between {
            // Each need only be compared with the one before it.
            Some(Compare::Greater | Compare::Less) => before.last().into_iter().collect(),
            Some(_) => before.iter().collect(),
            None => Vec::new(),
        };
        let op = self.between.unwrap_or(Compare::Equal);
        let mut all: Vec<Expr> = compared.into_iter().map(|other: &Expr| compare(own, op, other)).collect();
        if let (Some(Missing { after, low, .. }), Some(last)) = (&self.missing, before.last())
            && before.len() >= *after
        {
            let is_missing = compare(own, Compare::Less, low);
            if all.is_empty() && before.len() > *after {
                all.push(compare(last, Compare::AtLeast, low));
            }
            all = all.into_iter().map(|condition| or(is_missing.clone(), condition)).collect();
        }
        if let Some(Missing { after, low, among: Among::In(values) }) = &self.missing {
            let inside = ExprKind::In(Box::new(own.clone()), Box::new(Domain::Values(values.clone())));
            let inside = condition(inside, own);
            all.push(match before.len() < *after {
                true => inside,
                false => or(compare(own, Compare::Less, low), inside),
            });
        }
        all
    }

    /// Returns the row in a slot that consists of these elements.
    fn row(&self, slot: Slot, mut parts: Vec<Expr>, ty: &Type, like: &Expr, at: &mut RuleContext) -> Row {
        let element = ty.element().unwrap_or(Type::Never);
        let list_of = |parts: Vec<Expr>, of: &Type| {
            expr_like(ExprKind::List(parts), Type::List(Box::new(of.clone())), like)
        };
        let whole = |parts: Vec<Expr>| expr_like((self.kind)(parts), ty.clone(), like);
        let Some(Missing { after, low, among }) = &self.missing else {
            return Row { slot, list: list_of(parts.clone(), &element), whole: whole(parts) };
        };
        let there = |part: &Expr, op: Compare| {
            condition(ExprKind::Compare(Box::new(part.clone()), vec![(op, low.clone())]), like)
        };
        let value = |part: &Expr| match among {
            Among::Places(values) => {
                let place = ExprKind::Index(Box::new(values.clone()), Box::new(part.clone()));
                expr_like(place, element.clone(), like)
            }
            Among::All | Among::In(_) => part.clone(),
        };
        let shorter = (*after..parts.len()).map(|length| {
            let first = parts[..length].iter().map(value).collect();
            (there(&parts[length], Compare::Less), whole(first))
        });
        let longest = whole(parts.iter().map(value).collect());
        let whole = expr_like(ExprKind::If(shorter.collect(), Box::new(longest)), ty.clone(), like);
        if self.between == Some(Compare::Less) {
            parts.reverse();
        }
        let (own, number) = (at.new_slot(), Type::Int);
        let name = expr_like(ExprKind::Local(own), number.clone(), like);
        let domain = Domain::Values(list_of(parts, &number));
        let sources = vec![Source { slots: vec![own], domain }];
        let filter = Some(there(&name, Compare::AtLeast));
        let (kind, body) = (FoldKind::List, value(&name));
        let fold = ExprKind::Fold(Box::new(Fold { kind, sources, filter, stop: None, body }));
        Row { slot, whole, list: expr_like(fold, Type::List(Box::new(element)), like) }
    }
}

/// Substitutes a row for a slot: as a list of its elements where only they matter.
fn put_row(e: &mut Expr, slot: Slot, row: &Row, at: &mut RuleContext) {
    put_elements(e, slot, &mut |of| *of = with_fresh_slots(&row.list, at));
    substitute(e, slot, &row.whole);
}

/// Whether an expression is the row in a slot.
fn is_row(e: &Expr, slot: Slot) -> bool {
    matches!(e.kind, ExprKind::Local(own) if own == slot)
}

/// Passes each place to `put` where only the elements of the row in a slot matter.
fn put_elements(e: &mut Expr, slot: Slot, put: &mut dyn FnMut(&mut Expr)) {
    let mut gone_through: Vec<&mut Expr> = Vec::new();
    match &mut e.kind {
        ExprKind::Fold(fold) if fold.kind != FoldKind::Reach => {
            for Source { domain, .. } in &mut fold.sources {
                if let Domain::Values(of) = domain {
                    gone_through.push(of);
                }
            }
        }
        ExprKind::In(_, domain) => {
            if let Domain::Values(of) = &mut **domain {
                gone_through.push(of);
            }
        }
        ExprKind::Builtin(
            Builtin::Size
            | Builtin::Empty
            | Builtin::Sum
            | Builtin::Product
            | Builtin::Largest
            | Builtin::Smallest,
            args,
        ) => gone_through.extend(args),
        _ => {}
    }
    gone_through.into_iter().filter(|of| is_row(of, slot)).for_each(&mut *put);
    children_mut(e, &mut |part| put_elements(part, slot, put));
}

/// Whether an expression reads more of the row in a slot than elements, those at places of a list, what functions make of a list,
/// and whether it equals another. Such a row of several lengths would be made anew for each of its elements.
fn reads_whole(e: &Expr, slot: Slot) -> bool {
    fn whole(e: &Expr, slot: Slot) -> bool {
        let of_list = |of: &Expr| is_row(of, slot) && matches!(of.ty, Type::List(_));
        match &e.kind {
            ExprKind::Local(own) => *own == slot,
            ExprKind::Index(of, place) if of_list(of) => whole(place, slot),
            ExprKind::Builtin(_, args) if args.len() == 1 && of_list(&args[0]) => false,
            ExprKind::Compare(a, links) => {
                let sides = links.iter().map(|(_, b)| b).chain([&**a]);
                sides.filter(|side| !of_list(side)).any(|side| whole(side, slot))
            }
            _ => {
                let mut any = false;
                children(e, &mut |part| any = any || whole(part, slot));
                any
            }
        }
    }
    let mut rest = e.clone();
    put_elements(&mut rest, slot, &mut |of| of.kind = ExprKind::Value(Value::Unset));
    whole(&rest, slot)
}
