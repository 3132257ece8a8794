//! Derives the facts that follow from a condition that holds or fails, from membership in a collection, and
//! from equality with a value.

use super::Checker;
use super::facts::Fact;
use super::terms::{Substitution, local_expr};
use crate::ir::{Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, ResultFact, Source, Type, Value};
use crate::source::Span;

impl<'a> Checker<'a> {
    // ---- conditions

    /// Returns the facts implied if `cond` evaluates to `holds`; `None` if it cannot.
    pub(super) fn implied(&mut self, cond: &Expr, holds: bool) -> Option<Vec<Fact>> {
        if !self.facts.step() {
            return Some(Vec::new());
        }
        Some(match &cond.kind {
            ExprKind::Value(Value::Bool(value)) if *value != holds => return None,
            ExprKind::Not(inner) => return self.implied(inner, !holds),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let each = holds == matches!(cond.kind, ExprKind::And(..));
                let first = self.implied(a, holds);
                let second = self.implied(b, holds);
                if each {
                    let (mut first, second) = (first?, second?);
                    first.extend(second);
                    first
                } else {
                    // The second operand decides only if the first does not.
                    let second = second.and_then(|mut second| {
                        second.extend(self.implied(a, !holds)?);
                        Some(second)
                    });
                    return self.either_way(first, second);
                }
            }
            ExprKind::IsNone(value) if !holds => vec![Fact::Present((**value).clone())],
            ExprKind::Compare(first, links) if holds || links.len() == 1 => {
                self.compared(first, links, holds)?
            }
            ExprKind::In(value, domain) => self.found_in(value, domain, holds),
            ExprKind::If(arms, otherwise) => {
                let mut before: Option<Vec<Fact>> = Some(Vec::new());
                let mut all = None;
                for (test, value) in arms {
                    let met = self.implied(test, true);
                    let value = self.implied(value, holds);
                    let arm = joined([before.clone(), met, value]);
                    all = self.either_way(all, arm);
                    let passed = self.implied(test, false);
                    before = joined([before, passed]);
                }
                let last = self.implied(otherwise, holds);
                let arm = joined([before, last]);
                return self.either_way(all, arm);
            }
            ExprKind::Call(function, args) if self.facts.spend_expansion() => {
                let value = self.unfolded(*function, args);
                return self.implied(&value, holds);
            }
            ExprKind::Local(_) => match self.value_of(cond) {
                Some(value) => return self.implied(&value, holds),
                None => Vec::new(),
            },
            ExprKind::Builtin(Builtin::Full, args) if holds => vec![self.all_there(&args[0])],
            ExprKind::Builtin(Builtin::Empty, args) if holds => self.nothing_in(&args[0]),
            ExprKind::Fold(fold) => self.folded(fold, holds)?,
            _ => Vec::new(),
        })
    }

    /// Returns the facts common to both alternatives, or those of the only possible one; `None` if neither
    /// is.
    fn either_way(&mut self, a: Option<Vec<Fact>>, b: Option<Vec<Fact>>) -> Option<Vec<Fact>> {
        let (Some(a), Some(b)) = (&a, &b) else { return a.or(b) };
        let mut both = Vec::new();
        for fact in a {
            if b.iter().any(|other| self.same_fact(fact, other)) {
                both.push(fact.clone());
            }
        }
        Some(both)
    }

    fn compared(&mut self, first: &Expr, links: &[(Compare, Expr)], holds: bool) -> Option<Vec<Fact>> {
        let mut facts = Vec::new();
        let mut left = first;
        for (sign, right) in links {
            let equal = match sign {
                Compare::Equal => holds,
                Compare::NotEqual => !holds,
                _ => {
                    left = right;
                    continue;
                }
            };
            for (value, other) in [(left, right), (right, left)] {
                let optional = |e: &Expr| matches!(e.ty, Type::Optional(_));
                let sure = |e: &Expr| !matches!(e.ty, Type::Optional(_) | Type::Wrong | Type::Never);
                match &other.kind {
                    ExprKind::Value(Value::None) if !equal => facts.push(Fact::Present(value.clone())),
                    ExprKind::Value(Value::Bool(meant)) => {
                        facts.extend(self.implied(value, *meant == equal)?)
                    }
                    ExprKind::Value(Value::Int(n)) if n.is_zero() && equal => {
                        facts.extend(self.none_counted(value));
                    }
                    _ if !self.kind_facts(value, other, equal).is_empty() => {
                        facts.extend(self.kind_facts(value, other, equal));
                        if equal && optional(value) {
                            facts.push(Fact::Present(value.clone()));
                        }
                    }
                    _ if equal && optional(value) && sure(other) => {
                        facts.push(Fact::Present(value.clone()));
                    }
                    _ => {}
                }
            }
            if equal {
                facts.push(Fact::Same(left.clone(), right.clone()));
            }
            left = right;
        }
        Some(facts)
    }

    fn found_in(&mut self, value: &Expr, domain: &Domain, holds: bool) -> Vec<Fact> {
        match (&value.kind, domain) {
            (_, Domain::Values(of)) if !self.kind_facts(value, of, holds).is_empty() => {
                let mut facts = self.kind_facts(value, of, holds);
                let with_none = match &of.kind {
                    ExprKind::Value(Value::Set(items)) => items.iter().any(|one| matches!(one, Value::None)),
                    _ => false,
                };
                if matches!(value.ty, Type::Optional(_)) && with_none != holds {
                    facts.push(Fact::Present(value.clone()));
                }
                facts
            }
            (ExprKind::Value(Value::None), Domain::Values(of)) if !holds => {
                let slot = self.fresh_slot();
                let one = local_expr(slot, of, of.ty.element().unwrap_or(Type::Wrong));
                vec![self.of_each(of, slot, Fact::Present(one))]
            }
            _ if !holds => Vec::new(),
            _ => {
                let mut facts = self.element_facts(value, domain);
                let sure = match domain {
                    Domain::Values(of) => of
                        .ty
                        .element()
                        .is_some_and(|ty| !matches!(ty, Type::Optional(_) | Type::Wrong | Type::Never)),
                    Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) => true,
                    _ => false,
                };
                if sure && matches!(value.ty, Type::Optional(_)) {
                    facts.push(Fact::Present(value.clone()));
                }
                facts
            }
        }
    }

    /// States a fact for each element of `of`; if `of` picks out places, the fact is stated for each place
    /// instead.
    fn of_each(&mut self, of: &Expr, slot: usize, what: Fact) -> Fact {
        let ExprKind::Pick(base, places) = &of.kind else {
            return Fact::Each(of.clone(), slot, Box::new(what));
        };
        let place = self.fresh_slot();
        let at = local_expr(place, places, places.ty.element().unwrap_or(Type::Wrong));
        let ty = of.ty.element().unwrap_or(Type::Wrong);
        let one = Expr { kind: ExprKind::Index(base.clone(), Box::new(at)), ty, span: of.span };
        let what = self.fact_with(&what, &vec![(slot, one)]);
        Fact::Each((**places).clone(), place, Box::new(what))
    }

    /// Returns the fact that every square of a grid is filled.
    fn all_there(&mut self, grid: &Expr) -> Fact {
        let slot = self.fresh_slot();
        let at = local_expr(slot, grid, Type::Square);
        let one = ExprKind::Index(Box::new(grid.clone()), Box::new(at));
        let one = Expr { kind: one, ty: Type::Wrong, span: grid.span };
        Fact::Each(grid.clone(), slot, Box::new(Fact::Present(one)))
    }

    /// Returns the facts implied by a count being 0.
    fn none_counted(&mut self, count: &Expr) -> Vec<Fact> {
        match &count.kind {
            ExprKind::Fold(fold) if fold.kind == FoldKind::Count => self.never(fold).unwrap_or_default(),
            ExprKind::Builtin(Builtin::Size, args) => self.nothing_in(&args[0]),
            ExprKind::Builtin(Builtin::Copies, args) => {
                let of = Domain::Values(args[1].clone());
                self.found_in(&args[0], &of, false)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the facts implied by a collection being empty.
    fn nothing_in(&mut self, of: &Expr) -> Vec<Fact> {
        match &of.kind {
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
                let yes = Expr { kind: ExprKind::Value(Value::Bool(true)), ty: Type::Bool, span: of.span };
                let counted = Fold { kind: FoldKind::Count, body: yes, ..(**fold).clone() };
                self.never(&counted).unwrap_or_default()
            }
            ExprKind::Call(function, args) if self.facts.spend_expansion() => {
                let value = self.unfolded(*function, args);
                self.nothing_in(&value)
            }
            ExprKind::Local(_) => match self.value_of(of) {
                Some(value) => self.nothing_in(&value),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn folded(&mut self, fold: &Fold, holds: bool) -> Option<Vec<Fact>> {
        match (fold.kind, fold.sources.as_slice()) {
            (FoldKind::All, _) if holds => {
                let facts = self.implied(&fold.body, true).unwrap_or_default();
                let mut all = Vec::new();
                if let Some(filter) = &fold.filter {
                    // Each element is either filtered out or fulfils the body.
                    let out = self.implied(filter, false);
                    let anyway = self.either_way(out, Some(facts.clone())).unwrap_or_default();
                    all.extend(self.for_all(fold, false, anyway));
                }
                all.extend(self.for_all(fold, true, facts));
                Some(all)
            }
            (FoldKind::Some, _) if !holds => self.never(fold),
            // `case`: the body, with the value it tests in place of the slot.
            (FoldKind::First, [Source { slots, domain: Domain::Values(list) }]) => {
                let (ExprKind::List(one), [slot], None) = (&list.kind, slots.as_slice(), &fold.filter) else {
                    return Some(Vec::new());
                };
                let [one] = one.as_slice() else { return Some(Vec::new()) };
                let body = self.substitute(&fold.body, &vec![(*slot, one.clone())]);
                self.implied(&body, holds)
            }
            _ => Some(Vec::new()),
        }
    }

    /// Returns the facts implied by no element passing the filter and fulfilling the body.
    fn never(&mut self, fold: &Fold) -> Option<Vec<Fact>> {
        let failing = self.implied(&fold.body, false);
        let mut all = Vec::new();
        if let Some(filter) = &fold.filter {
            let out = self.implied(filter, false);
            let anyway = self.either_way(out, failing.clone()).unwrap_or_default();
            all.extend(self.for_all(fold, false, anyway));
        }
        all.extend(self.for_all(fold, true, failing.unwrap_or_default()));
        Some(all)
    }

    /// States facts for every element that a binder goes through or, unless `filtered`, for every element of
    /// its sources.
    fn for_all(&mut self, fold: &Fold, filtered: bool, facts: Vec<Fact>) -> Vec<Fact> {
        if fold.stop.is_some() {
            return Vec::new();
        }
        if filtered && fold.filter.is_some() {
            let [Source { slots, .. }] = fold.sources.as_slice() else { return Vec::new() };
            let [slot] = slots.as_slice() else { return Vec::new() };
            let (slot, of) = (*slot, gathered(&fold.sources[0], fold.filter.clone()));
            return facts.into_iter().map(|fact| Fact::Each(of.clone(), slot, Box::new(fact))).collect();
        }
        let mut all = facts;
        for source in fold.sources.iter().rev() {
            let of = collection(&source.domain, fold.body.span);
            all = all
                .into_iter()
                .map(|fact| match source.slots.as_slice() {
                    [slot] => self.of_each(&of, *slot, fact),
                    slots => {
                        let whole = self.fresh_slot();
                        let fact = self.fact_with(&fact, &parts_of(whole, slots, &of));
                        Fact::Each(of.clone(), whole, Box::new(fact))
                    }
                })
                .collect();
        }
        all
    }

    // ---- elements and values

    /// Returns the facts implied by `x` being in a domain.
    pub(super) fn element_facts(&mut self, x: &Expr, domain: &Domain) -> Vec<Fact> {
        match domain {
            Domain::Values(of) => self.facts_of_element(x, of),
            Domain::Tuples(parts) => {
                let mut facts = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let one = self.part(x, at);
                    facts.extend(self.element_facts(&one, part));
                }
                facts
            }
            Domain::Where(slot, of, condition) => {
                let mut facts = self.element_facts(x, of);
                let condition = self.substitute(condition, &vec![(*slot, x.clone())]);
                facts.extend(self.implied(&condition, true).unwrap_or_default());
                facts
            }
            Domain::Lists(_, of) | Domain::ListsFrom(_, _, of) | Domain::Arrangements(_, of) => {
                let slot = self.fresh_slot();
                let one = local_expr(slot, x, x.ty.element().unwrap_or(Type::Wrong));
                let facts = self.element_facts(&one, of);
                facts.into_iter().map(|fact| Fact::Each(x.clone(), slot, Box::new(fact))).collect()
            }
            Domain::Subsets(of, _) | Domain::SubsetsFrom(_, _, of) | Domain::Permutations(of) => {
                let slot = self.fresh_slot();
                let one = local_expr(slot, x, x.ty.element().unwrap_or(Type::Wrong));
                let facts = self.facts_of_element(&one, of);
                facts.into_iter().map(|fact| Fact::Each(x.clone(), slot, Box::new(fact))).collect()
            }
            Domain::Range(..) | Domain::AtLeast(_) => vec![Fact::In(x.clone(), collection(domain, x.span))],
            Domain::Ints => Vec::new(),
        }
    }

    fn part(&mut self, x: &Expr, at: usize) -> Expr {
        match &x.kind {
            ExprKind::Tuple(parts) if at < parts.len() => parts[at].clone(),
            _ => {
                let ty = match &x.ty {
                    Type::Tuple(types) => types.get(at).cloned().unwrap_or(Type::Wrong),
                    _ => Type::Wrong,
                };
                Expr { kind: ExprKind::Part(Box::new(x.clone()), at), ty, span: x.span }
            }
        }
    }

    /// Returns the facts implied by `x` being an element of the collection `of`.
    pub(super) fn facts_of_element(&mut self, x: &Expr, of: &Expr) -> Vec<Fact> {
        let mut facts = vec![Fact::In(x.clone(), of.clone())];
        if !self.facts.step() {
            return facts;
        }
        match &of.kind {
            ExprKind::Fold(fold) => facts.extend(self.facts_of_gathered(x, fold)),
            ExprKind::Listed(domain) => facts.extend(self.element_facts(x, domain)),
            ExprKind::Call(function, args) if self.facts.spend_expansion() => {
                let value = self.unfolded(*function, args);
                facts.extend(self.facts_of_element(x, &value));
            }
            ExprKind::Builtin(word, args) => match (word.traits().known, args.as_slice()) {
                (ResultFact::All | ResultFact::Different | ResultFact::SomeOf, [all, ..])
                | (ResultFact::Following, [_, all, _]) => {
                    facts.extend(self.facts_of_element(x, all));
                }
                (ResultFact::Shared, all) => {
                    all.iter().for_each(|of| facts.extend(self.facts_of_element(x, of)));
                }
                (ResultFact::Joined, [a, b]) => {
                    let (a, b) = (self.facts_of_element(x, a), self.facts_of_element(x, b));
                    facts.extend(self.either_way(Some(a), Some(b)).unwrap_or_default());
                }
                (ResultFact::Pairs, [all]) => {
                    for at in 0..2 {
                        let one = self.part(x, at);
                        facts.extend(self.facts_of_element(&one, all));
                    }
                }
                // `of` is an element of `list`, so what is known of every element of `list` is known of `of`.
                (ResultFact::Element, [list]) => facts.extend(self.facts_of_element(of, list)),
                _ => {}
            },
            ExprKind::If(arms, otherwise) => {
                let mut all = None;
                for value in arms.iter().map(|(_, value)| value).chain([&**otherwise]) {
                    let arm = self.facts_of_element(x, value);
                    all = self.either_way(all, Some(arm));
                }
                facts.extend(all.unwrap_or_default());
            }
            ExprKind::List(parts) | ExprKind::Set(parts) => facts.extend(self.facts_of_one_of(x, parts)),
            ExprKind::Index(list, _) if matches!(list.ty, Type::List(_)) => {
                facts.extend(self.facts_of_element(of, list));
            }
            _ => {}
        }
        facts
    }

    /// Returns the facts implied by `x` being an element of the collection that `fold` builds.
    fn facts_of_gathered(&mut self, x: &Expr, fold: &Fold) -> Vec<Fact> {
        if fold.kind == FoldKind::Reach {
            return self.facts_of_reached(x, fold);
        }
        let mut names: Substitution = Vec::new();
        match &fold.body.kind {
            ExprKind::Local(slot) => names.push((*slot, x.clone())),
            ExprKind::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let ExprKind::Local(slot) = part.kind else { continue };
                    let one = self.part(x, at);
                    names.push((slot, one));
                }
            }
            _ => {}
        }
        let own: Vec<usize> = fold.sources.iter().flat_map(|source| source.slots.iter().copied()).collect();
        names.retain(|(slot, _)| own.contains(slot));
        for slot in own {
            if !names.iter().any(|(known, _)| *known == slot) {
                let some = self.fresh_slot();
                names.push((slot, local_expr(some, x, Type::Wrong)));
            }
        }
        let mut facts = Vec::new();
        for part in fold.filter.iter().chain(&fold.stop) {
            let part = self.substitute(part, &names);
            facts.extend(self.implied(&part, true).unwrap_or_default());
        }
        for source in &fold.sources {
            let ([slot], Domain::Values(of)) = (source.slots.as_slice(), &source.domain) else { continue };
            let one = local_expr(*slot, x, source.domain_element());
            let (one, of) = (self.substitute(&one, &names), self.substitute(of, &names));
            facts.extend(self.facts_of_element(&one, &of));
        }
        facts
    }

    /// Facts for `Reach`: an element is in the start set or was reached from another one, and has passed the
    /// filter.
    fn facts_of_reached(&mut self, x: &Expr, fold: &Fold) -> Vec<Fact> {
        let [Source { slots, domain: Domain::Values(start) }] = fold.sources.as_slice() else {
            return Vec::new();
        };
        let [slot] = slots.as_slice() else { return Vec::new() };
        let some = self.fresh_slot();
        let from = local_expr(some, x, Type::Wrong);
        let next = self.substitute(&fold.body, &vec![(*slot, from)]);
        let found = self.facts_of_element(x, &next);
        let mut facts = match &start.kind {
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                let holds = |this: &mut Self, fact: &Fact| match &x.kind {
                    ExprKind::Local(slot) => parts.iter().all(|part| {
                        let fact = this.fact_with(fact, &vec![(*slot, part.clone())]);
                        this.known_as_premise(&fact)
                    }),
                    _ => false,
                };
                found.into_iter().filter(|fact| holds(self, fact)).collect()
            }
            _ => {
                let at_first = self.facts_of_element(x, start);
                self.either_way(Some(at_first), Some(found)).unwrap_or_default()
            }
        };
        if let Some(filter) = &fold.filter {
            let filter = self.substitute(filter, &vec![(*slot, x.clone())]);
            facts.extend(self.implied(&filter, true).unwrap_or_default());
        }
        facts
    }

    /// Returns the facts known of all of these values, which therefore hold for `x`, one of them.
    fn facts_of_one_of(&mut self, x: &Expr, parts: &[Expr]) -> Vec<Fact> {
        let [first, rest @ ..] = parts else { return Vec::new() };
        if rest.is_empty() {
            return vec![Fact::Same(x.clone(), first.clone())];
        }
        let ExprKind::Local(name) = first.kind else { return Vec::new() };
        let known = self.facts_about(name);
        let mut facts = Vec::new();
        for fact in known {
            let all = rest.iter().all(|part| {
                let fact = self.fact_with(&fact, &vec![(name, part.clone())]);
                self.known_as_premise(&fact)
            });
            if all {
                facts.push(self.fact_with(&fact, &vec![(name, x.clone())]));
            }
        }
        facts
    }

    /// Returns the facts implied by `x` being equal to `value`.
    pub(super) fn value_facts(&mut self, x: &Expr, value: &Expr) -> Vec<Fact> {
        let mut facts = vec![Fact::Same(x.clone(), value.clone())];
        match &value.kind {
            ExprKind::Fold(fold)
                if matches!(fold.kind, FoldKind::First | FoldKind::Largest | FoldKind::Smallest) =>
            {
                facts.extend(self.facts_of_gathered(x, fold));
            }
            ExprKind::Builtin(word, args) if word.traits().known == ResultFact::Element => {
                facts.extend(self.facts_of_element(x, &args[0]));
            }
            ExprKind::Index(list, _) if matches!(list.ty, Type::List(_)) => {
                facts.extend(self.facts_of_element(x, list));
            }
            ExprKind::Call(function, args) if self.facts.spend_expansion() => {
                let value = self.unfolded(*function, args);
                let more = self.value_facts(x, &value);
                facts.extend(more.into_iter().filter(|fact| !matches!(fact, Fact::Same(..))));
            }
            _ => {}
        }
        if let Type::List(of) | Type::Set(of) | Type::Bag(of) = &value.ty {
            let slot = self.fresh_slot();
            let one = local_expr(slot, value, (**of).clone());
            for fact in self.facts_of_element(&one, value) {
                facts.push(Fact::Each(x.clone(), slot, Box::new(fact)));
            }
        }
        facts
    }
}

impl Source {
    /// Returns the element type, or `Type::Wrong` if the domain does not show it.
    fn domain_element(&self) -> Type {
        match &self.domain {
            Domain::Values(of) => of.ty.element().unwrap_or(Type::Wrong),
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) => Type::Int,
            _ => Type::Wrong,
        }
    }
}

/// Maps the slots of a tuple pattern to the parts of the slot `whole`.
fn parts_of(whole: usize, slots: &[usize], of: &Expr) -> Substitution {
    let whole = local_expr(whole, of, Type::Wrong);
    let part = |at| Expr { kind: ExprKind::Part(Box::new(whole.clone()), at), ..whole.clone() };
    slots.iter().enumerate().map(|(at, slot)| (*slot, part(at))).collect()
}

/// Returns a domain as an expression for the collection of its values.
pub(super) fn collection(domain: &Domain, span: Span) -> Expr {
    match domain {
        Domain::Values(of) => of.clone(),
        _ => Expr { kind: ExprKind::Listed(Box::new(domain.clone())), ty: Type::Wrong, span },
    }
}

/// Returns the list expression of the elements of a source that pass a filter.
pub(super) fn gathered(source: &Source, filter: Option<Expr>) -> Expr {
    let span = filter.as_ref().map_or_else(Span::default, |filter| filter.span);
    let ty = source.domain_element();
    let body = Expr { kind: ExprKind::Local(source.slots[0]), ty: ty.clone(), span };
    let list = Fold { kind: FoldKind::List, sources: vec![source.clone()], filter, stop: None, body };
    Expr { kind: ExprKind::Fold(Box::new(list)), ty: Type::List(Box::new(ty)), span }
}

/// Returns the conjunction of several lists of facts; `None` if any of them is impossible.
fn joined<const N: usize>(all: [Option<Vec<Fact>>; N]) -> Option<Vec<Fact>> {
    let mut facts = Vec::new();
    for some in all {
        facts.extend(some?);
    }
    Some(facts)
}
