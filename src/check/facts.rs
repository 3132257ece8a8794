//! The facts known at the point where an expression stands: which optional values are present, what holds for
//! each element of a collection, and which values are elements of which collections. Facts are about meaning,
//! not syntax: a test counts in whatever form it is written.

use std::collections::BTreeSet;

use super::Checker;
use super::implied::gathered;
use super::terms::{Read, Substitution, free_names, local_expr, mentions, same};
use crate::ir::{Builtin, Domain, Expr, ExprKind, FoldKind, Place, ResultFact, Slot, Source, SymbolId, Type};
use crate::source::Span;

/// Something that is known.
#[derive(Debug, Clone)]
pub(super) enum Fact {
    /// The value is not `none`.
    Present(Expr),
    /// The inner fact holds for each element of the collection; the slot stands for the element.
    Each(Expr, Slot, Box<Fact>),
    /// The first is an element of the second.
    In(Expr, Expr),
    /// The two are equal.
    Same(Expr, Expr),
    /// The value is one of these symbols or, if the flag is `false`, none of them.
    Symbols(Expr, BTreeSet<SymbolId>, bool),
}

impl Fact {
    /// Whether facts of these two kinds can imply something together.
    fn meets(&self, other: &Fact) -> bool {
        let one_way = |a: &Fact, b: &Fact| {
            matches!(
                (a, b),
                (Fact::Present(_) | Fact::Symbols(..), Fact::Same(..)) | (Fact::In(..), Fact::Each(..))
            )
        };
        one_way(self, other) || one_way(other, self)
    }
}

/// A fact with its origin and validity.
#[derive(Debug)]
pub(super) struct Entry {
    pub fact: Fact,
    /// Indices of the entries it was derived from.
    from: Vec<usize>,
    /// What it depends on; writing to any of these may invalidate it.
    pub reads: BTreeSet<Read>,
    /// Whether a write may have invalidated it.
    pub invalidated: bool,
}

/// The facts known at the current point.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub entries: Vec<Entry>,
    /// Index of the first visible entry; earlier entries belong to another frame.
    pub base: usize,
    /// Which entries were relied on, and where.
    pub uses: Vec<(usize, Span)>,
    /// How many more derivation steps may be taken.
    fuel: usize,
    /// How many more functions and names may be expanded.
    expansions: usize,
    /// Indices of the entries that the derivation in progress relies on.
    premises: Vec<usize>,
}

/// Maximum number of derivation steps for one condition.
const FUEL: usize = 400;

/// Maximum number of functions and names expanded for one condition.
const EXPANSIONS: usize = 24;

/// Limit on the number of facts kept.
const MAX_FACTS: usize = 4_000;

impl Facts {
    /// Returns the number of facts, which marks the beginning of a scope.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Ends the scope that began at `mark`.
    pub fn truncate(&mut self, mark: usize) {
        self.entries.truncate(mark);
    }

    /// Hides all facts known so far. Returns the value to pass to [`Facts::leave_frame`].
    pub fn enter_frame(&mut self) -> usize {
        std::mem::replace(&mut self.base, self.entries.len())
    }

    /// Reverts [`Facts::enter_frame`] and drops the facts learned since.
    pub fn leave_frame(&mut self, base: usize) {
        self.entries.truncate(self.base);
        self.base = base;
    }

    /// Returns the `invalidated` flags, to be restored after an arm of a condition.
    pub fn invalidated(&self) -> Vec<bool> {
        self.entries.iter().map(|entry| entry.invalidated).collect()
    }

    /// Restores `invalidated` flags saved by [`Facts::invalidated`].
    pub fn set_invalidated(&mut self, invalidated: &[bool]) {
        self.entries.iter_mut().zip(invalidated).for_each(|(entry, flag)| entry.invalidated = *flag);
    }

    fn visible(&self) -> impl Iterator<Item = usize> + use<> {
        // Latest first: the most recently tested fact has the narrowest scope.
        (self.base..self.entries.len()).rev()
    }

    fn alive(&self, at: usize) -> Option<&Fact> {
        self.entries.get(at).filter(|entry| !entry.invalidated).map(|entry| &entry.fact)
    }

    /// Records that a fact was relied on, and with it the facts it was derived from.
    fn rely(&mut self, at: usize, span: Span) {
        self.uses.push((at, span));
        for from in self.entries[at].from.clone() {
            self.rely(from, span);
        }
    }

    fn refuel(&mut self) {
        (self.fuel, self.expansions) = (FUEL, EXPANSIONS);
        self.premises.clear();
    }

    /// Takes a derivation step; `false` when none are left.
    pub(super) fn step(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// Counts one expansion of a function or name; `false` when none are left.
    pub(super) fn spend_expansion(&mut self) -> bool {
        self.expansions = self.expansions.saturating_sub(1);
        self.expansions > 0
    }
}

impl<'a> Checker<'a> {
    // ---- learning

    /// Learns that a condition holds or, if `holds` is `false`, that it does not.
    pub(super) fn assume(&mut self, cond: &Expr, holds: bool) {
        self.facts.refuel();
        let facts = self.implied(cond, holds).unwrap_or_default();
        self.learn_all(facts);
    }

    /// Learns what holds for the names bound to an element of `of`.
    pub(super) fn assume_element(&mut self, slots: &[Slot], of: &Domain, element: &Type, span: Span) {
        self.facts.refuel();
        let name = |slot: Slot, ty: &Type| Expr { kind: ExprKind::Local(slot), ty: ty.clone(), span };
        let subject = match (slots, element) {
            ([slot], ty) => name(*slot, ty),
            (slots, Type::Tuple(parts)) => {
                let parts = slots.iter().zip(parts).map(|(slot, ty)| name(*slot, ty)).collect();
                Expr { kind: ExprKind::Tuple(parts), ty: element.clone(), span }
            }
            _ => return,
        };
        let facts = self.element_facts(&subject, of);
        self.learn_all(facts);
    }

    /// Learns that the name bound by a binder's only source has passed the filter.
    pub(super) fn assume_gathered(&mut self, sources: &[Source], filter: &Expr) {
        let [source] = sources else { return };
        let [slot] = source.slots.as_slice() else { return };
        self.facts.refuel();
        let of = gathered(source, Some(filter.clone()));
        let x = local_expr(*slot, &of, of.ty.element().unwrap_or(Type::Wrong));
        self.learn_all(vec![Fact::In(x, of)]);
    }

    /// Learns what holds for a name bound to `value`.
    pub(super) fn assume_value(&mut self, slots: &[Slot], value: &Expr) {
        self.facts.refuel();
        let [slot] = slots else { return };
        // Nothing is known of a value already reported as wrong; all such values would look equal.
        if value.ty == Type::Wrong {
            return;
        }
        let subject = local_expr(*slot, value, value.ty.clone());
        let facts = self.value_facts(&subject, value);
        self.learn_all(facts);
    }

    /// Learns facts that every caller of a function guarantees.
    pub(super) fn assume_facts(&mut self, facts: &[Fact]) {
        self.facts.refuel();
        self.learn_all(facts.to_vec());
    }

    /// Learns that a place holds a value, because one was just assigned to it.
    pub(super) fn assume_put(&mut self, place: &Place, value: &Expr) {
        if matches!(value.ty, Type::Optional(_) | Type::Wrong | Type::Never) {
            return;
        }
        let put = self.place_value(place);
        let mut reads = BTreeSet::new();
        place.owner.iter().chain(&place.path).for_each(|part| self.reads(part, &mut reads));
        if matches!(put.ty, Type::Optional(_)) && !reads.contains(&Read::State(place.state)) {
            self.facts.refuel();
            self.learn(Fact::Present(put), Vec::new());
        }
    }

    /// Returns the expression that reads a place.
    pub(super) fn place_value(&self, place: &Place) -> Expr {
        let span = place.span;
        let ty = self.game.state[place.state].form.ty();
        let kind = match &place.owner {
            Some(owner) => ExprKind::Own(place.state, Box::new(owner.clone())),
            None => ExprKind::Table(place.state),
        };
        place.path.iter().fold(Expr { kind, ty, span }, |base, at| {
            let ty = base.ty.at_index().unwrap_or(Type::Wrong);
            Expr { kind: ExprKind::Index(Box::new(base), Box::new(at.clone())), ty, span }
        })
    }

    fn learn_all(&mut self, facts: Vec<Fact>) {
        let from = std::mem::take(&mut self.facts.premises);
        facts.into_iter().for_each(|fact| self.learn(fact, from.clone()));
    }

    /// Adds a fact and everything that follows from it together with the facts already known.
    fn learn(&mut self, fact: Fact, from: Vec<usize>) {
        if !self.facts.step() || self.facts.len() > MAX_FACTS {
            return;
        }
        let fact = self.plain(fact);
        let mut reads = BTreeSet::new();
        self.fact_reads(&fact, &mut reads);
        let at = self.facts.len();
        let mut follows: Vec<(Fact, usize)> = Vec::new();
        for other in self.facts.visible() {
            // Most pairs are unrelated, and cloning facts is what takes time here.
            let Some(known) = self.facts.alive(other).filter(|known| fact.meets(known)).cloned() else {
                continue;
            };
            let more = match (&fact, &known) {
                (Fact::Present(e), Fact::Same(a, b)) | (Fact::Same(a, b), Fact::Present(e)) => {
                    let other_side = match (same(&self.game, e, a), same(&self.game, e, b)) {
                        (true, _) => Some(b),
                        (_, true) => Some(a),
                        _ => None,
                    };
                    other_side.filter(|e| self.find_present(e).is_none()).map(|e| Fact::Present(e.clone()))
                }
                (Fact::Symbols(e, of, is), Fact::Same(a, b))
                | (Fact::Same(a, b), Fact::Symbols(e, of, is)) => {
                    let other_side = match (same(&self.game, e, a), same(&self.game, e, b)) {
                        (true, _) => Some(b),
                        (_, true) => Some(a),
                        _ => None,
                    };
                    let told = Fact::Symbols(e.clone(), of.clone(), *is);
                    other_side
                        .map(|e| Fact::Symbols(e.clone(), of.clone(), *is))
                        .filter(|fact| !self.is_stated(fact) && !self.same_fact(fact, &told))
                }
                (Fact::In(x, of), Fact::Each(each, slot, what))
                | (Fact::Each(each, slot, what), Fact::In(x, of))
                    if same(&self.game, of, each) =>
                {
                    Some(self.fact_with(what, &vec![(*slot, x.clone())]))
                }
                _ => None,
            };
            follows.extend(more.map(|fact| (fact, other)));
        }
        self.facts.entries.push(Entry { fact, from, reads, invalidated: false });
        for (fact, other) in follows {
            self.learn(fact, vec![at, other]);
        }
    }

    /// Replaces names in a fact that are equal to other names, or to values that never change, by those.
    fn plain(&mut self, fact: Fact) -> Fact {
        let names = self.other_names();
        if names.is_empty() || matches!(fact, Fact::Same(..)) { fact } else { self.fact_with(&fact, &names) }
    }

    fn other_names(&self) -> Substitution {
        let name = |at: usize| match self.facts.alive(at) {
            Some(Fact::Same(Expr { kind: ExprKind::Local(slot), .. }, value)) => match value.kind {
                ExprKind::Local(_) | ExprKind::Value(_) | ExprKind::Option(_) | ExprKind::Constant(_) => {
                    Some((*slot, value.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        self.facts.visible().filter_map(name).collect()
    }

    /// Returns a fact with names replaced by expressions.
    pub(super) fn fact_with(&mut self, fact: &Fact, names: &Substitution) -> Fact {
        match fact {
            Fact::Present(e) => Fact::Present(self.substitute(e, names)),
            Fact::Symbols(e, of, is) => Fact::Symbols(self.substitute(e, names), of.clone(), *is),
            Fact::In(x, of) => Fact::In(self.substitute(x, names), self.substitute(of, names)),
            Fact::Same(a, b) => Fact::Same(self.substitute(a, names), self.substitute(b, names)),
            Fact::Each(of, slot, what) => {
                let of = self.substitute(of, names);
                let fresh = self.fresh_slot();
                let mut names = names.clone();
                names.push((*slot, local_expr(fresh, &of, Type::Wrong)));
                Fact::Each(of, fresh, Box::new(self.fact_with(what, &names)))
            }
        }
    }

    /// Whether two facts are equal, up to the slots of their elements.
    pub(super) fn same_fact(&mut self, a: &Fact, b: &Fact) -> bool {
        match (a, b) {
            (Fact::Each(a, x, p), Fact::Each(b, y, q)) => {
                same(&self.game, a, b) && {
                    let name = local_expr(*x, a, Type::Wrong);
                    let q = self.fact_with(q, &vec![(*y, name)]);
                    self.same_fact(p, &q)
                }
            }
            _ => self.same_of_one(a, b),
        }
    }

    /// [`Self::same_fact`] for facts other than `Each`.
    fn same_of_one(&self, a: &Fact, b: &Fact) -> bool {
        match (a, b) {
            (Fact::Present(a), Fact::Present(b)) => same(&self.game, a, b),
            (Fact::Symbols(a, x, p), Fact::Symbols(b, y, q)) => p == q && x == y && same(&self.game, a, b),
            (Fact::In(x, a), Fact::In(y, b)) | (Fact::Same(x, a), Fact::Same(y, b)) => {
                same(&self.game, x, y) && same(&self.game, a, b)
            }
            _ => false,
        }
    }

    fn fact_reads(&self, fact: &Fact, found: &mut BTreeSet<Read>) {
        match fact {
            Fact::Present(e) | Fact::Symbols(e, ..) => self.reads(e, found),
            Fact::In(a, b) => {
                self.reads(a, found);
                self.reads_elements(b, found);
            }
            Fact::Same(a, b) => [a, b].into_iter().for_each(|e| self.reads(e, found)),
            Fact::Each(of, _, what) => {
                self.reads_elements(of, found);
                self.fact_reads(what, found);
            }
        }
    }

    // ---- queries

    /// Narrows the type of an expression that is optional, or has optional elements, where they are known to
    /// be present. Otherwise records the missing fact as a requirement; see [`Self::require`].
    pub(super) fn narrowed(&mut self, mut found: Expr) -> Expr {
        if !matches!(found.kind, ExprKind::Value(_)) {
            found.ty = self.known_kind(&found);
        }
        let (fact, ty) = match (&found.ty, &found.kind) {
            (Type::Optional(inner), kind)
                if **inner != Type::Never && !matches!(kind, ExprKind::Value(_)) =>
            {
                (Fact::Present(found.clone()), (**inner).clone())
            }
            (Type::List(of), ExprKind::Pick(base, places)) => match &**of {
                Type::Optional(inner) => {
                    let slot = self.fresh_slot();
                    let at = local_expr(slot, places, places.ty.element().unwrap_or(Type::Wrong));
                    let one = ExprKind::Index(base.clone(), Box::new(at));
                    let one = Expr { kind: one, ty: (**of).clone(), span: found.span };
                    let fact = Fact::Each((**places).clone(), slot, Box::new(Fact::Present(one)));
                    (fact, Type::List(inner.clone()))
                }
                _ => return found,
            },
            (
                Type::List(of) | Type::Set(of) | Type::Bag(of),
                ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Local(_),
            ) => {
                let Type::Optional(inner) = &**of else { return found };
                let slot = self.fresh_slot();
                let one = local_expr(slot, &found, (**of).clone());
                let fact = Fact::Each(found.clone(), slot, Box::new(Fact::Present(one)));
                let ty = match &found.ty {
                    Type::Set(_) => Type::Set(inner.clone()),
                    Type::Bag(_) => Type::Bag(inner.clone()),
                    _ => Type::List(inner.clone()),
                };
                (fact, ty)
            }
            _ => return found,
        };
        match self.holds(&fact, found.span) {
            true => found.ty = ty,
            false => self.require(fact, found.span),
        }
        found
    }

    /// Returns the symbol sets that the value is known to be in (`true`) or not to be in (`false`).
    pub(super) fn known_symbols(&mut self, e: &Expr) -> Vec<(BTreeSet<SymbolId>, bool)> {
        let names = self.other_names();
        let e = if names.is_empty() { e.clone() } else { self.substitute(e, &names) };
        let known: Vec<(usize, BTreeSet<SymbolId>, bool)> = self
            .facts
            .visible()
            .filter_map(|at| match self.facts.alive(at) {
                Some(Fact::Symbols(known, of, is)) if same(&self.game, known, &e) => {
                    Some((at, of.clone(), *is))
                }
                _ => None,
            })
            .collect();
        known
            .into_iter()
            .map(|(at, of, is)| {
                self.facts.rely(at, e.span);
                (of, is)
            })
            .collect()
    }

    /// Whether `fact` is known; if so, records at `span` what it relies on.
    pub(super) fn holds(&mut self, fact: &Fact, span: Span) -> bool {
        self.facts.refuel();
        self.follows(fact, span)
    }

    /// Whether `fact` is known, asked as a premise of other facts: what it relies on goes to `premises`.
    pub(super) fn known_as_premise(&mut self, fact: &Fact) -> bool {
        let mark = self.facts.uses.len();
        let known = self.follows(fact, Span::default());
        let used = self.facts.uses.split_off(mark);
        self.facts.premises.extend(used.into_iter().map(|(at, _)| at));
        known
    }

    /// Returns the expression that a name is known to equal; `None` too when the expansion budget is used up.
    pub(super) fn value_of(&mut self, name: &Expr) -> Option<Expr> {
        let found = self.facts.visible().find_map(|at| match self.facts.alive(at) {
            Some(Fact::Same(known, value)) if same(&self.game, known, name) => Some((at, value.clone())),
            _ => None,
        });
        let (at, value) = found?;
        // Names that are known to be equal refer to each other in a cycle, which the budget ends.
        if !self.facts.spend_expansion() {
            return None;
        }
        self.facts.premises.push(at);
        Some(value)
    }

    /// Returns the known `Present` facts whose expression mentions this name.
    pub(super) fn facts_about(&mut self, name: Slot) -> Vec<Fact> {
        let about = |at: usize| match self.facts.alive(at) {
            Some(fact @ Fact::Present(e)) if mentions(e, name) => Some((at, fact.clone())),
            _ => None,
        };
        let (from, facts): (Vec<usize>, Vec<Fact>) = self.facts.visible().filter_map(about).unzip();
        self.facts.premises.extend(from);
        facts
    }

    fn follows(&mut self, fact: &Fact, span: Span) -> bool {
        if !self.facts.step() {
            return false;
        }
        match fact {
            Fact::Present(e) => self.there(e, span),
            Fact::Symbols(e, of, is) => {
                let known = self.known_symbols(e);
                known.iter().any(|(known, how)| known == of && how == is)
            }
            Fact::Each(of, slot, what) => {
                let of = of.clone();
                self.of_any(&of, what.clone(), *slot, span)
            }
            Fact::In(..) | Fact::Same(..) => {
                let known = self.facts.visible().find(|at| {
                    let known = self.facts.alive(*at).cloned();
                    matches!((fact, known), (Fact::In(x, a), Some(Fact::In(y, b))) | (Fact::Same(x, a), Some(Fact::Same(y, b)))
                        if same(&self.game, x, &y) && same(&self.game, a, &b))
                });
                match (known, fact) {
                    (Some(at), _) => {
                        self.facts.rely(at, span);
                        true
                    }
                    (None, Fact::In(x, of)) => self.is_within(x, of),
                    (None, _) => false,
                }
            }
        }
    }

    /// Whether `what` is known for an arbitrary element of a collection; `slot` stands for the element.
    fn of_any(&mut self, of: &Expr, what: Box<Fact>, slot: Slot, span: Span) -> bool {
        let mark = self.facts.len();
        let fresh = self.fresh_slot();
        let any = local_expr(fresh, of, of.ty.element().unwrap_or(Type::Wrong));
        let what = self.fact_with(&what, &vec![(slot, any.clone())]);
        let facts = self.facts_of_element(&any, of);
        self.learn_all(facts);
        let holds = self.follows(&what, span);
        self.facts.truncate(mark);
        self.facts.uses.retain(|(at, _)| *at < mark);
        holds
    }

    fn is_stated(&mut self, fact: &Fact) -> bool {
        self.facts.visible().any(|at| match (self.facts.alive(at), fact) {
            (Some(known @ Fact::Each(..)), Fact::Each(..)) => {
                let known = known.clone();
                self.same_fact(&known, fact)
            }
            (Some(known), fact) => self.same_of_one(known, fact),
            (None, _) => false,
        })
    }

    /// Returns the entry that states `There(e)` literally.
    fn find_present(&self, e: &Expr) -> Option<usize> {
        self.facts.visible().find(|at| match self.facts.alive(*at) {
            Some(Fact::Present(known)) => same(&self.game, known, e),
            _ => false,
        })
    }

    /// Whether a value is known not to be none.
    fn there(&mut self, e: &Expr, span: Span) -> bool {
        if self.facts.visible().next().is_none()
            && !matches!(e.kind, ExprKind::Index(..) | ExprKind::Call(..))
        {
            return false;
        }
        let names = self.other_names();
        let plain = if names.is_empty() { e.clone() } else { self.substitute(e, &names) };
        let e = &plain;
        if let Some(at) = self.find_present(e) {
            self.facts.rely(at, span);
            return true;
        }
        match &e.kind {
            ExprKind::Call(function, args) => {
                self.facts.spend_expansion() && {
                    let value = self.unfolded(*function, args);
                    self.there(&value, span)
                }
            }
            ExprKind::Index(base, at) => {
                self.everywhere(base, span)
                    || self.among_many(base, span)
                    || self.by_origin(e, at, span)
                    || (matches!(base.ty, Type::List(_)) && self.one_of_many(e, span))
            }
            ExprKind::Builtin(Builtin::First | Builtin::Last, _) => self.one_of_many(e, span),
            // A name is not none if the value it equals is not.
            ExprKind::Local(_) => match self.value_of(e) {
                Some(value) => self.there(&value, span),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether every place of a grid, map or list is known to be filled.
    fn everywhere(&mut self, base: &Expr, span: Span) -> bool {
        let game = &self.game;
        let all = |of: &Expr| {
            same(game, of, base)
                || matches!(&of.kind, ExprKind::Builtin(Builtin::Squares, grid) if same(game, &grid[0], base))
        };
        let filled = |what: &Fact, slot: Slot| match what {
            Fact::Present(Expr { kind: ExprKind::Index(grid, at), .. }) => {
                matches!(at.kind, ExprKind::Local(here) if here == slot) && same(game, grid, base)
            }
            _ => false,
        };
        let known = self.facts.visible().find(|at| match self.facts.alive(*at) {
            Some(Fact::Each(of, slot, what)) => {
                matches!(of.ty, Type::Grid(_) | Type::Map(..) | Type::List(_))
                    && all(of)
                    && filled(what, *slot)
            }
            _ => false,
        });
        known.inspect(|at| self.facts.rely(*at, span)).is_some()
    }

    /// Whether `base` picks out places of a collection that are all known to be filled.
    fn among_many(&mut self, base: &Expr, span: Span) -> bool {
        let ExprKind::Pick(of, places) = &base.kind else { return false };
        let slot = self.fresh_slot();
        let at = local_expr(slot, places, places.ty.element().unwrap_or(Type::Wrong));
        let one = Expr { kind: ExprKind::Index(of.clone(), Box::new(at)), ty: Type::Wrong, span };
        self.follows(&Fact::Each((**places).clone(), slot, Box::new(Fact::Present(one))), span)
    }

    /// Whether a value is not none because it was taken from a list of values that are not.
    fn one_of_many(&mut self, e: &Expr, span: Span) -> bool {
        let (mark, slot) = (self.facts.len(), self.fresh_slot());
        let one = local_expr(slot, e, Type::Wrong);
        let facts = self.value_facts(&one, e);
        self.learn_all(facts);
        let holds = self.follows(&Fact::Present(one), span);
        self.facts.truncate(mark);
        self.facts.uses.retain(|(at, _)| *at < mark);
        holds
    }

    /// Whether a value is not none because of how its index was found, for example as the first filled place.
    fn by_origin(&mut self, e: &Expr, at: &Expr, span: Span) -> bool {
        let taken = match &at.kind {
            ExprKind::Builtin(word, _) => word.traits().known == ResultFact::Element,
            ExprKind::Fold(fold) => {
                matches!(fold.kind, FoldKind::First | FoldKind::Largest | FoldKind::Smallest)
            }
            ExprKind::Index(list, _) => matches!(list.ty, Type::List(_)),
            _ => false,
        };
        taken && {
            let ExprKind::Index(base, _) = &e.kind else { return false };
            let (mark, slot) = (self.facts.len(), self.fresh_slot());
            let any = local_expr(slot, at, at.ty.clone());
            let facts = self.value_facts(&any, at);
            self.learn_all(facts);
            let there = Expr { kind: ExprKind::Index(base.clone(), Box::new(any)), ..e.clone() };
            let holds = self.follows(&Fact::Present(there), span);
            self.facts.truncate(mark);
            self.facts.uses.retain(|(at, _)| *at < mark);
            holds
        }
    }

    // ---- what the function being checked requires of its callers

    /// Records a fact that would make a value not none, as a requirement on the callers of the function being
    /// checked.
    pub(super) fn require(&mut self, fact: Fact, span: Span) {
        let Some(template) = &self.template else { return };
        let params = template.params;
        let mut fact = fact;
        for _ in 0..8 {
            let mut names = BTreeSet::new();
            fact_names(&fact, &mut Vec::new(), &mut names);
            let Some(name) = names.into_iter().rev().find(|slot| *slot >= params) else {
                if let Some(template) = &mut self.template {
                    template.requirements.push((fact, span));
                }
                return;
            };
            // The name is an element of some collection: require the fact for all of its elements.
            let of = self.facts.visible().find_map(|at| match self.facts.alive(at) {
                Some(Fact::In(Expr { kind: ExprKind::Local(slot), .. }, of)) if *slot == name => {
                    Some(of.clone())
                }
                _ => None,
            });
            let Some(of) = of.filter(|of| !mentions(of, name)) else { return };
            fact = Fact::Each(of, name, Box::new(fact));
        }
    }
}

/// Collects the free names of a fact.
fn fact_names(fact: &Fact, bound: &mut Vec<Slot>, found: &mut BTreeSet<Slot>) {
    match fact {
        Fact::Present(e) | Fact::Symbols(e, ..) => free_names(e, bound, found),
        Fact::In(a, b) | Fact::Same(a, b) => [a, b].into_iter().for_each(|e| free_names(e, bound, found)),
        Fact::Each(of, slot, what) => {
            free_names(of, bound, found);
            bound.push(*slot);
            fact_names(what, bound, found);
            bound.pop();
        }
    }
}

/// Whether a fact mentions one of the first `params` slots.
pub(super) fn is_about(fact: &Fact, params: usize) -> bool {
    let mut names = BTreeSet::new();
    fact_names(fact, &mut Vec::new(), &mut names);
    names.into_iter().any(|slot| slot < params)
}
