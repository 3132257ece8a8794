//! Rows of a known length as one parameter for each element, so that each condition is tested at the first element that
//! settles it: `r in lists(2, D)` as a first element in D and a second one.

use super::rewrite::{RuleContext, condition, expr_like, int_literal};
use super::{Candidate, Candidates};
use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value, children_mut,
    domain_parts, domain_parts_mut, reads, rename_slots,
};
use crate::num::Int;
use crate::source::Span;

/// The most elements of a row that is unpacked.
const MOST_ELEMENTS: usize = 8;

/// The elements of a row: the domains of the parameters that stand for them, and what holds between one and those before it.
struct Elements {
    domains: Vec<Domain>,
    between: Option<Compare>,
    /// The slots in which later domains and the condition read elements, if they do.
    slots: Vec<Slot>,
    condition: Option<Expr>,
    /// Whether the row is a tuple, a list or a set.
    kind: fn(Vec<Expr>) -> ExprKind,
}

/// Whether the rows of a domain are the tuples of the variables of a binder, so that they are listed as the variables are.
pub(super) fn is_comprehension(domain: &Domain) -> bool {
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
        Some(Elements { domains, between, slots: Vec::new(), condition: None, kind })
    };
    let found = match domain {
        Domain::Lists(count, of) => repeated(count, of, None, ExprKind::List),
        Domain::Arrangements(count, of) => repeated(count, of, Some(Compare::NotEqual), ExprKind::List),
        Domain::Subsets(of, Some(count)) => {
            repeated(count, &listed(of), Some(Compare::Greater), ExprKind::Set)
        }
        Domain::Tuples(parts) => {
            let (slots, condition) = (Vec::new(), None);
            Some(Elements { domains: parts.clone(), between: None, slots, condition, kind: ExprKind::Tuple })
        }
        Domain::Values(e) if is_comprehension(domain) && at.total(e) => {
            let (fold, slots) = comprehended(domain)?;
            let domains = fold.sources.iter().map(|source| source.domain.clone()).collect();
            let condition = fold.filter.clone();
            Some(Elements { domains, between: None, slots, condition, kind: ExprKind::Tuple })
        }
        Domain::Values(Expr { kind: ExprKind::Builtin(Builtin::Pairs, args), .. }) => {
            let of = listed(&args[0]);
            let once = matches!(of, Domain::Range(..)) || matches!(args[0].ty, Type::Set(_));
            let two = int_literal(Int::from(2), &args[0]);
            repeated(&two, &of, Some(Compare::Greater), ExprKind::Tuple).filter(|_| once)
        }
        _ => None,
    }?;
    let single = |of: &Domain| {
        let ty = of.element();
        !ty.is_collection()
            && !matches!(ty, Type::Tuple(_) | Type::Never)
            && !of.is_infinite()
            && !of.is_of_rows()
    };
    found.domains.iter().all(single).then_some(found)
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
            let Some(mut elements) = elements_of(of, at).filter(|_| read && param.window.is_none()) else {
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
                let before = match elements.between {
                    // Elements ascend: each need only be compared with the one before it.
                    Some(Compare::Greater) => parts.last().into_iter().collect(),
                    Some(_) => parts.iter().collect(),
                    None => Vec::new(),
                };
                let between = |other: &Expr| {
                    let op = elements.between.unwrap_or(Compare::Equal);
                    condition(ExprKind::Compare(Box::new(own.clone()), vec![(op, other.clone())]), &like)
                };
                filters.push(before.into_iter().map(between).collect());
                params.push(Candidate { slot, ty, domain, ..param.clone() });
                parts.push(own);
            }
            let whole = expr_like((elements.kind)(parts.clone()), param.ty.clone(), &like);
            let element = param.ty.element().unwrap_or(Type::Never);
            let list = expr_like(ExprKind::List(parts), Type::List(Box::new(element)), &like);
            if let Some(last) = filters.last_mut() {
                last.extend(elements.condition);
                for (slot, condition) in conditions.into_iter().rev() {
                    let mut condition = condition.clone();
                    put_row(&mut condition, slot, &list, &whole);
                    last.push(condition);
                }
            }
            unpacked.push((param.slot, list, whole));
        }
        self.params = params;
        for (slot, list, whole) in &unpacked {
            needs.iter_mut().for_each(|need| put_row(need, *slot, list, whole));
            for param in &mut self.params {
                let mut parts = Vec::new();
                domain_parts_mut(&mut param.domain, &mut parts);
                parts.into_iter().for_each(|part| put_row(part, *slot, list, whole));
            }
        }
        self.packed = unpacked.into_iter().map(|(slot, _, whole)| (slot, whole)).collect();
        (!self.packed.is_empty()).then_some(filters)
    }
}

/// Substitutes a row for its slot: as a list of its elements, which are in order, where only they matter.
fn put_row(e: &mut Expr, slot: Slot, list: &Expr, whole: &Expr) {
    let is_row = |e: &Expr| matches!(&e.kind, ExprKind::Local(own) if *own == slot);
    if is_row(e) {
        *e = Expr { span: e.span, ..whole.clone() };
        return;
    }
    let as_elements = |e: &mut Expr| {
        if is_row(e) && matches!(whole.kind, ExprKind::Set(_)) {
            *e = list.clone();
        }
    };
    match &mut e.kind {
        ExprKind::Fold(fold) if fold.kind != FoldKind::Reach => {
            for Source { domain, .. } in &mut fold.sources {
                if let Domain::Values(of) = domain {
                    as_elements(of);
                }
            }
        }
        ExprKind::In(_, domain) => {
            if let Domain::Values(of) = &mut **domain {
                as_elements(of);
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
        ) => args.iter_mut().for_each(as_elements),
        _ => {}
    }
    children_mut(e, &mut |part| put_row(part, slot, list, whole));
}
