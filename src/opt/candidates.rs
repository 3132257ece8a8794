//! Candidate sets: the legal arguments of a move, as domains and predicates. Needs, filters and domains are
//! treated alike: each condition is tested at the first parameter that settles it, however the rules express
//! it.
//!
//! The legal moves and their order do not change. How a move is sampled depends on its domains as written,
//! and is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::binders::Binders;
use super::bounds;
use super::common::{Common, canonical_text};
use super::conditions::Conditions;
use super::counted::counted_rows;
use super::fact::Scope;
use super::facts::Facts;
use super::fusion::{Fusion, selection};
use super::hoist::{Movable, lift, lift_set};
use super::lets::{Lets, always_reads, is_cheap};
use super::membership::{Membership, membership_as_condition};
use super::rewrite::{
    Rule, RuleContext, and, bool_literal, condition, count_uses, expr, expr_like, reads_any, reads_state,
    substitute, with_fresh_slots,
};
use super::unroll::Unroll;
use super::words::Words;
use super::work::work;
use crate::eval::Machine;
use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, FEW_ROWS, FoldKind, Move, MoveCheck, MoveId, Slot, Type, Value,
    conjuncts, domain_parts, domain_parts_mut, reads, rename_slots,
};
use crate::num::Int;
use crate::source::Span;

/// Up to so many rows of known elements are gone through, with conditions tested at the element that settles them; the legal
/// ones of more are asked of the reference.
const MOST_UNPACKED: i64 = 1 << 14;

/// Up to so many rows are tried one by one. A table of more is asked of the reference, which takes long to fill it but keeps
/// it for as long as nothing changes that it depends on.
pub const MOST_TRIED: i64 = 1 << 11;

/// A chosen parameter of a move.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its slot.
    pub slot: Slot,
    /// Its type.
    pub ty: Type,
    /// The values to choose from; equal values count once.
    pub domain: Domain,
    /// The slot of its number among rows that are known beforehand, if it is a row.
    pub number: Option<Slot>,
    /// The window that integers are sampled from.
    pub window: Option<(Expr, Expr)>,
    /// The maximum number of integers in the range, if known.
    pub most: Option<i64>,
    /// The conditions on this parameter and earlier ones, in order.
    pub predicates: Vec<Expr>,
    /// Whether it is chosen among so many rows that the legal ones are asked of the reference, which counts them by all
    /// conditions on them. None of these are predicates then.
    pub legal_rows: bool,
}

/// Gives the rows of a parameter that are known beforehand, of which the elements are given if rows can be unpacked; `None` if
/// they are not known. Each fulfils the conditions that are removed from the parameter.
type KnownRows<'a> = dyn Fn(&mut Candidate, &[&Candidate]) -> Option<Vec<Value>> + 'a;

/// One candidate set of a move.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// The conditions that do not depend on any argument.
    pub preconditions: Vec<Expr>,
    /// Names for values that do not depend on any argument, and that predicates and domains read.
    pub names: Vec<(Slot, Expr)>,
    /// The chosen parameters, in order; of a row that is unpacked, one for each element.
    pub params: Vec<Candidate>,
    /// The slots of the rows that are unpacked or numbered, and what each is of its elements or its number.
    pub packed: Vec<(Slot, Expr)>,
    /// The same candidates with rows unpacked, if there are rows of which the elements can be told apart; see `unpack.rs`.
    pub unpacked: Option<Box<Candidates>>,
    /// The same candidates with parameters whose legal rows are asked of the reference, if there are many rows that it counts
    /// by all conditions on them.
    pub counted_by_reference: Option<Box<Candidates>>,
}

/// All candidate sets of a move.
#[derive(Debug, Clone)]
pub struct CandidateSets {
    /// The candidates for legal moves.
    pub all: Candidates,
    /// The candidates that also satisfy the soft needs, if the move has any. If such candidates exist in any
    /// offer of a choice, only these are legal among the offers with soft needs.
    pub satisfying_soft_needs: Option<Candidates>,
    /// For each chosen parameter, the domain it is sampled from, if a need about that parameter alone narrows
    /// its domain, or that depends on other arguments and is widened.
    pub drawn: Vec<Option<Domain>>,
    /// For each chosen parameter, the condition that a value of a widened domain is in its own.
    pub in_own_domain: Vec<Option<Expr>>,
    /// For each chosen parameter, the rows that the reference counts by their conditions when it draws, if it does.
    pub counted: Vec<Option<Candidates>>,
}

/// How far conditions have been assigned to parameters; places count from 1, and 0 is before all parameters.
#[derive(Default)]
struct Placed {
    /// No condition may be tested at an earlier place than this, since something may fail here.
    floor: usize,
    /// The last place of a condition.
    last: usize,
}

impl CandidateSets {
    /// Computes the candidate sets of a move of an optimised game; `source` is the original game and `written` the original
    /// move, and `slots` the number of slots in the frame, which may be increased.
    pub fn of(
        facts: &Facts,
        source: &Machine,
        (id, mv): (MoveId, &Move),
        written: &Move,
        slots: &mut usize,
    ) -> CandidateSets {
        let prefers = mv.checks.iter().any(|check| matches!(check, MoveCheck::SoftNeed { .. }));
        let preferred = prefers.then(|| Candidates::of(facts, mv, true, slots));
        let (drawn, in_own_domain) = bounds::drawn(facts, mv, written, slots);
        let counted = counted_rows(facts, source, mv, id, slots);
        let counted_by_reference = Candidates::of_counted(facts, source, (id, mv), slots).map(Box::new);
        let all = Candidates { counted_by_reference, ..Candidates::of(facts, mv, false, slots) };
        CandidateSets { all, satisfying_soft_needs: preferred, drawn, in_own_domain, counted }
    }
}

impl Candidates {
    pub(super) fn of(facts: &Facts, mv: &Move, preferred: bool, slots: &mut usize) -> Candidates {
        let unpacked = Candidates::of_elements(facts, mv, preferred, slots).map(Box::new);
        Candidates { unpacked, ..Candidates::of_rows(facts, mv, preferred, slots) }
    }

    /// Computes a candidate set in which rows are not unpacked.
    fn of_rows(facts: &Facts, mv: &Move, preferred: bool, slots: &mut usize) -> Candidates {
        let mut at = RuleContext { facts, scope: facts.of_move(mv), frame: slots };
        let mut all = Candidates::before(mv);
        for param in all.params.iter_mut().filter(|param| param.domain.without_condition().0.is_of_rows()) {
            param.number = Some(at.new_slot());
        }
        let needs = needs(mv, preferred, &mut at);
        let none = vec![Vec::new(); all.params.len()];
        all.placed(none, needs, &mut at)
    }

    /// Computes a candidate set in which the reference is asked for legal rows; `None` if there are none to ask for.
    fn of_counted(
        facts: &Facts,
        source: &Machine,
        (id, mv): (MoveId, &Move),
        slots: &mut usize,
    ) -> Option<Candidates> {
        // The passes keep the checks in their places.
        if source.game.moves[id].checks.len() != mv.checks.len() {
            return None;
        }
        let chosen = mv.params.iter().filter(|param| param.domain.is_some()).enumerate();
        let of_rows: Vec<_> =
            chosen.filter_map(|(at, param)| Some((at, param, source.needs_of_rows(id, at)?))).collect();
        if of_rows.is_empty() {
            return None;
        }
        let mut at = RuleContext { facts, scope: facts.of_move(mv), frame: slots };
        let (mut unpacked, mut needs_of_all) = (Candidates::before(mv), needs(mv, false, &mut at));
        let some_unpacked = unpacked.unpack(&mut needs_of_all, &mut at).is_some();
        let gone_through = |slot: Slot| some_unpacked && unpacked.packed.iter().any(|(own, _)| *own == slot);
        let mut counted = BTreeSet::new();
        let mut asked = Vec::new();
        for (at, param, needs) in of_rows {
            let Some(domain) = &param.domain else { continue };
            // It takes longer to go through rows of several lengths than to look up a table by single values.
            let by_scalars = source.scalar_conditions(id, at).is_some_and(|of| of.all);
            let several =
                matches!(domain.without_condition().0, Domain::ListsFrom(..) | Domain::SubsetsFrom(..));
            let least = match gone_through(param.slot) {
                true if several && by_scalars => MOST_TRIED,
                true => MOST_UNPACKED,
                false => FEW_ROWS,
            };
            let many = facts.most_values(mv, domain).is_none_or(|most| most > least);
            let single =
                param.ty.element().is_some_and(|of| !of.is_collection() && !matches!(of, Type::Tuple(_)));
            let rows = matches!(param.ty, Type::List(_) | Type::Set(_));
            let conditional = !needs.is_empty() || matches!(domain, Domain::Where(..));
            if many && single && rows && conditional {
                counted.extend(needs);
                asked.push(param.slot);
            }
        }
        if asked.is_empty() {
            return None;
        }
        let is_counted = |number: usize, check: &MoveCheck| {
            matches!(check, MoveCheck::Let(..)) || counted.contains(&number)
        };
        let some = |such: &dyn Fn(usize, &MoveCheck) -> bool| {
            let checks = mv.checks.iter().enumerate().filter(|(number, check)| such(*number, check));
            checks.map(|(_, check)| check.clone()).collect::<Vec<_>>()
        };
        let rest = Move { checks: some(&|number, _| !counted.contains(&number)), ..mv.clone() };
        let asked_of = Move { checks: some(&is_counted), ..mv.clone() };
        let mut all = Candidates::of_rows(facts, &rest, false, slots);
        let mut at = RuleContext { facts, scope: facts.of_move(mv), frame: slots };
        let mut conditions = needs(&asked_of, false, &mut at);
        // What decides which rows are legal is kept as a condition of the domain, so that it is known what they depend on.
        for param in all.params.iter_mut().rev().filter(|param| asked.contains(&param.slot)) {
            param.legal_rows = true;
            let about = |condition: &mut Expr| reads_any(condition, &[param.slot]);
            let slot = at.new_slot();
            let row = Expr { kind: ExprKind::Local(slot), ty: param.ty.clone(), span: Span::default() };
            let own = conditions.extract_if(.., about).map(|mut condition| {
                substitute(&mut condition, param.slot, &row);
                condition
            });
            let Some(all) = own.reduce(and) else { continue };
            param.domain = Domain::Where(slot, Box::new(param.domain.clone()), Box::new(all));
        }
        Some(all)
    }

    /// Computes a candidate set with rows unpacked; `None` if there are no rows to unpack.
    fn of_elements(facts: &Facts, mv: &Move, preferred: bool, slots: &mut usize) -> Option<Candidates> {
        let mut at = RuleContext { facts, scope: facts.of_move(mv), frame: slots };
        let (mut all, mut needs) = (Candidates::before(mv), needs(mv, preferred, &mut at));
        let between = all.unpack(&mut needs, &mut at)?;
        Some(all.placed(between, needs, &mut at))
    }

    /// Returns the parameters of a move with nothing known of them.
    fn before(mv: &Move) -> Candidates {
        let mut params = Vec::new();
        for param in &mv.params {
            let Some(domain) = param.domain.clone() else { continue };
            let (name, ty, window) = (param.name.clone(), param.ty.clone(), param.window.clone());
            params.push(Candidate {
                name,
                slot: param.slot,
                ty,
                domain,
                number: None,
                window,
                most: None,
                predicates: Vec::new(),
                legal_rows: false,
            });
        }
        Candidates { params, ..Candidates::default() }
    }

    /// Moves all conditions to where they are tested; `between` are conditions on each parameter and earlier ones that hold
    /// beside those of its domain.
    fn placed(mut self, between: Vec<Vec<Expr>>, needs: Vec<Expr>, at: &mut RuleContext) -> Candidates {
        let mut filters = self.extract_filters(at);
        filters.iter_mut().zip(between).for_each(|(own, between)| own.extend(between));
        let each_simple = |conditions: Vec<Expr>, at: &mut RuleContext| -> Vec<Expr> {
            conditions.into_iter().flat_map(|condition| simplify(condition, at)).collect()
        };
        let filters = filters.into_iter().map(|own| each_simple(own, at)).collect();
        let needs = each_simple(needs, at);
        self.place_conditions(filters, needs, at);
        self.narrow(at);
        self.filter_lists();
        self.name_invariants(at);
        self
    }

    /// Makes the number of each row of some that are known beforehand the parameter in place of the row.
    pub fn number_rows(&mut self, known: &KnownRows) {
        for at in 0..self.params.len() {
            let param = &mut self.params[at];
            let Some(slot) = param.number else { continue };
            let elements = self.unpacked.as_deref().map(|of| of.elements_of(param.slot));
            let Some(rows) = known(param, &elements.unwrap_or_default()) else { continue };
            let (ty, row) = (param.ty.clone(), param.slot);
            let expr = |kind: ExprKind, ty: Type| Expr { kind, ty, span: Span::default() };
            let int = |n: usize| expr(ExprKind::Value(Value::Int(Int::from(n))), Type::Int);
            param.domain = Domain::Range(int(1), int(rows.len()));
            (param.slot, param.ty, param.most) = (slot, Type::Int, i64::try_from(rows.len()).ok());
            let list = expr(ExprKind::Value(Value::list(rows)), Type::List(Box::new(ty.clone())));
            let number = expr(ExprKind::Local(slot), Type::Int);
            let of_number = expr(ExprKind::Index(Box::new(list), Box::new(number)), ty);
            for reader in &mut self.params[at..] {
                let mut parts: Vec<&mut Expr> = reader.predicates.iter_mut().collect();
                domain_parts_mut(&mut reader.domain, &mut parts);
                parts.into_iter().for_each(|part| substitute(part, row, &of_number));
            }
            self.packed.push((row, of_number));
        }
    }

    /// Returns the parameters that are the elements of the row in a slot.
    fn elements_of(&self, row: Slot) -> Vec<&Candidate> {
        let packed = self.packed.iter().find(|(slot, _)| *slot == row);
        let is_element = |param: &&Candidate| packed.is_some_and(|(_, row)| reads(row, param.slot));
        self.params.iter().filter(is_element).collect()
    }

    /// Whether rows are numbered.
    pub fn are_numbered(&self) -> bool {
        self.params.iter().any(|param| param.number == Some(param.slot))
    }

    /// Asks the reference for legal rows, or unpacks rows, unless they are numbered.
    pub fn unpack_changing_rows(&mut self) {
        if self.packed.is_empty()
            && let Some(other) = self.counted_by_reference.take().or_else(|| self.unpacked.take())
        {
            *self = *other;
        }
    }

    /// Turns the condition of a [`Domain::Where`] into a predicate, for each parameter of which rows are not counted by the
    /// whole condition. `counts` tells of a parameter, by its index, whether rows are counted, and whether by the whole
    /// condition.
    pub fn test_each_row(&mut self, counts: &dyn Fn(usize) -> (bool, bool)) {
        if let Some(other) = &mut self.counted_by_reference {
            other.test_each_row(counts);
        }
        for (at, param) in self.params.iter_mut().enumerate() {
            let Domain::Where(_, of, condition) = &param.domain else { continue };
            if param.legal_rows {
                continue;
            }
            let (counted, whole) = counts(at);
            if !whole {
                param.predicates.insert(0, (**condition).clone());
            }
            if !counted {
                param.domain = (**of).clone();
            }
        }
    }

    /// Moves the filters of domains that only select into conditions, which are returned for each parameter.
    fn extract_filters(&mut self, at: &mut RuleContext) -> Vec<Vec<Expr>> {
        let outside = at.scope.clone();
        let mut all = Vec::new();
        for param in &mut self.params {
            let mut conditions = Vec::new();
            while let Domain::Values(whole) = &param.domain {
                // The selection may be nested in `let`s whose names only the filter may read.
                let (mut names, mut list) = (Vec::new(), whole);
                while let ExprKind::Let(slots, value, body) = &list.kind {
                    names.push((slots.as_slice(), &**value));
                    list = &**body;
                }
                let Some((fold, slot)) = selection(list) else { break };
                let mut parts = Vec::new();
                domain_parts(&fold.sources[0].domain, &mut parts);
                if parts.into_iter().any(|part| names.iter().any(|(slots, _)| reads_any(part, slots))) {
                    break;
                }
                // Distinct values of other domains are in a different order.
                if !matches!(fold.sources[0].domain, Domain::Range(..) | Domain::Values(_))
                    || !at.total(whole)
                {
                    break;
                }
                let own = expr_like(ExprKind::Local(param.slot), param.ty.clone(), list);
                if let Some(mut filter) = fold.filter.clone() {
                    substitute(&mut filter, slot, &own);
                    conditions.push(wrap_in_lets(filter, &names));
                }
                let domain = fold.sources[0].domain.clone();
                param.domain = domain;
            }
            conditions.iter().for_each(|condition| at.facts.assume(condition, true, &mut at.scope));
            all.push(conditions);
        }
        at.scope = outside;
        all
    }

    /// Assigns each condition to the first parameter that settles it: the filters of the domains, then the needs. A
    /// condition that can fail is evaluated for exactly the same rows as before.
    fn place_conditions(&mut self, filters: Vec<Vec<Expr>>, needs: Vec<Expr>, at: &mut RuleContext) {
        let outside = at.scope.clone();
        let mut placed = Placed::default();
        for (number, filters) in filters.into_iter().enumerate() {
            // What can fail in a domain is evaluated before its filters, and before any need is tested.
            let mut parts = Vec::new();
            domain_parts(&self.params[number].domain, &mut parts);
            if !parts.into_iter().all(|part| at.total(part)) {
                placed.floor = number + 1;
            }
            filters.into_iter().for_each(|filter| self.place(filter, &mut placed, &outside, at));
        }
        needs.into_iter().for_each(|need| self.place(need, &mut placed, &outside, at));
        // What takes less time is tested first, where no condition may fail.
        for param in &mut self.params {
            if param.predicates.iter().all(|predicate| at.facts.total(predicate, &outside)) {
                param.predicates.sort_by_cached_key(|predicate| work(predicate, at.facts, &outside));
            }
        }
        at.scope = outside;
    }

    /// Assigns a condition to a parameter; `outside` is what is known without any condition.
    fn place(&mut self, mut condition: Expr, placed: &mut Placed, outside: &Scope, at: &mut RuleContext) {
        let settled = self.params.iter().rposition(|param| reads_any(&condition, &[param.slot]));
        let settled = settled.map_or(0, |at| at + 1);
        let free = at.facts.total(&condition, outside);
        let place = if free { settled.max(placed.floor) } else { settled.max(placed.floor).max(placed.last) };
        // A condition that is total only under the preceding ones stays after them, but does not hold back later
        // ones.
        if !free && !at.total(&condition) {
            placed.floor = place;
        }
        at.facts.assume(&condition, true, &mut at.scope);
        placed.last = placed.last.max(place);
        match self.params[..place].split_last_mut() {
            Some((param, before)) => {
                let before: Vec<Slot> = before.iter().map(|param| param.slot).collect();
                // What depends on arguments alone is looked up in a table.
                let is_built_anew = |list: &Expr| {
                    reads_any(list, &[param.slot]) || reads_any(list, &before) && reads_state(list)
                };
                membership_as_condition(&mut condition, &is_built_anew, at);
                param.predicates.push(condition);
            }
            None => self.preconditions.push(condition),
        }
    }

    /// Names what would otherwise be evaluated for each row although it depends on no argument.
    fn name_invariants(&mut self, at: &mut RuleContext) {
        let own: Vec<Slot> = self.params.iter().map(|param| param.slot).collect();
        let mut fails = None;
        for (number, param) in self.params.iter_mut().enumerate() {
            if number > 0 {
                lift_set(&mut param.domain, &own, at, Movable::Total, &mut self.names);
            }
            for predicate in &mut param.predicates {
                lift(predicate, &own, at, Movable::Total, &mut self.names);
                // What may fail is evaluated beforehand only where it would be evaluated for the first row that is not left out
                // before. If it fails although there is none, the reference finds out.
                let (mut named, mut found) = (predicate.clone(), Vec::new());
                lift(&mut named, &own, at, Movable::Any, &mut found);
                if found.iter().all(|(slot, _)| always_reads(&named, *slot)) {
                    if found.iter().any(|(_, value)| !at.total(value)) {
                        fails = Some(number);
                    }
                    *predicate = named;
                    self.names.append(&mut found);
                }
            }
        }
        // Where there is nothing to choose from, nothing fails.
        for param in self.params.iter().take(fails.map_or(0, |last| last + 1)) {
            self.preconditions.extend(is_not_empty(&param.domain, &own, at));
        }
        self.merge_names(at);
    }

    /// Gives equal values one name.
    fn merge_names(&mut self, at: &RuleContext) {
        let (game, mut kept) = (at.facts.game(), BTreeMap::new());
        let mut same: BTreeMap<Slot, Slot> = BTreeMap::new();
        self.names.retain_mut(|(slot, value)| {
            // It may read names before it.
            rename_slots(value, &mut |slot| same.get(&slot).copied().unwrap_or(slot));
            let first = *kept.entry(canonical_text(game, value)).or_insert(*slot);
            same.insert(*slot, first);
            first == *slot
        });
        for param in &mut self.params {
            let mut parts: Vec<&mut Expr> = param.predicates.iter_mut().collect();
            domain_parts_mut(&mut param.domain, &mut parts);
            for part in parts {
                rename_slots(part, &mut |slot| same.get(&slot).copied().unwrap_or(slot));
            }
        }
    }

    /// Moves predicates into the filter of a list that is built for a parameter.
    fn filter_lists(&mut self) {
        for param in &mut self.params {
            let Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) = &mut param.domain else { continue };
            let plain = matches!(fold.kind, FoldKind::List | FoldKind::Set) && fold.stop.is_none();
            if !plain || !is_cheap(&fold.body) {
                continue;
            }
            for mut condition in std::mem::take(&mut param.predicates) {
                substitute(&mut condition, param.slot, &fold.body);
                fold.filter = Some(match fold.filter.take() {
                    Some(filter) => and(filter, condition),
                    None => condition,
                });
            }
        }
    }
}

/// Returns the condition that a domain has values; `None` if it always has, if it depends on arguments, or if it may fail.
fn is_not_empty(domain: &Domain, args: &[Slot], at: &RuleContext) -> Option<Expr> {
    let mut parts = Vec::new();
    domain_parts(domain, &mut parts);
    let settled = parts.iter().all(|part| at.total(part) && !reads_any(part, args));
    if !settled || at.facts.count(domain, &at.scope).0 > 0 {
        return None;
    }
    match domain {
        Domain::Range(low, high) => {
            let links = vec![(Compare::AtMost, high.clone())];
            Some(condition(ExprKind::Compare(Box::new(low.clone()), links), low))
        }
        Domain::Values(of) => {
            let empty = condition(ExprKind::Builtin(Builtin::Empty, vec![of.clone()]), of);
            Some(condition(ExprKind::Not(Box::new(empty)), of))
        }
        _ => None,
    }
}

/// Returns the needs of a move as separate conditions that include the `let` values they read; with
/// `preferred`, the soft needs are included.
fn needs(mv: &Move, preferred: bool, at: &mut RuleContext) -> Vec<Expr> {
    let mut names: Vec<(&[Slot], &Expr)> = Vec::new();
    let (mut all, mut last) = (Vec::new(), Vec::new());
    for (i, check) in mv.checks.iter().enumerate() {
        match check {
            MoveCheck::Let(slots, value) => {
                names.push((slots, value));
                // Evaluating the value may fail, even if no later need reads it.
                let asked = match mv.checks.get(i + 1) {
                    Some(MoveCheck::Need { cond, .. }) => slots.iter().any(|slot| always_reads(cond, *slot)),
                    _ => false,
                };
                if !asked && !at.total(value) {
                    all.push(wrap_in_lets(bool_literal(true, value), &names));
                }
            }
            MoveCheck::Need { cond, .. } => all.push(wrap_in_lets(cond.clone(), &names)),
            // Soft needs come last, since all others are tested regardless; one that may fail must still fail
            // at its original place.
            MoveCheck::SoftNeed { cond, .. } if preferred => {
                let cond = wrap_in_lets(cond.clone(), &names);
                if !at.total(&cond) {
                    let asked = ExprKind::Or(Box::new(cond.clone()), Box::new(bool_literal(true, &cond)));
                    all.push(condition(asked, &cond));
                }
                last.push(cond);
            }
            MoveCheck::SoftNeed { .. } => {}
        }
    }
    all.extend(last);
    all
}

/// Wraps a condition in the `let`s that it reads, directly or indirectly; the last name becomes the
/// innermost.
fn wrap_in_lets(cond: Expr, names: &[(&[Slot], &Expr)]) -> Expr {
    let last = names.len().checked_sub(1);
    let mut whole = cond;
    for (i, (slots, value)) in names.iter().enumerate().rev() {
        let bare = matches!(whole.kind, ExprKind::Value(_));
        if slots.iter().any(|slot| count_uses(&whole, *slot) > 0) || bare && Some(i) == last {
            let like = whole.clone();
            let kind = ExprKind::Let(slots.to_vec(), Box::new((*value).clone()), Box::new(whole));
            whole = condition(kind, &like);
        }
    }
    whole
}

/// Canonicalises a condition after substitution, and splits it into its conjuncts.
fn simplify(mut e: Expr, at: &mut RuleContext) -> Vec<Expr> {
    const ROUNDS: usize = 8;
    let rules: [&dyn Rule; 8] =
        [&Words, &Lets, &Conditions, &Binders, &Fusion, &Unroll, &Membership, &Common];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for rule in rules {
            changed |= expr(rule, &mut e, at);
        }
        if !changed {
            break;
        }
    }
    let mut parts = Vec::new();
    named_conjuncts(e, at, &mut parts);
    if parts.len() < 2 {
        return parts;
    }
    // A list that several parts read need not be built where one of them only goes through it.
    let again = |part: Expr| match &part.kind {
        ExprKind::Let(_, value, _) if value.ty.is_collection() => simplify(part, at),
        _ => vec![part],
    };
    parts.into_iter().flat_map(again).collect()
}

/// Splits a condition into its conjuncts, each with the names that it reads.
fn named_conjuncts(e: Expr, at: &mut RuleContext, out: &mut Vec<Expr>) {
    let mut parts = Vec::new();
    conjuncts(e, &mut parts);
    for part in parts {
        let ExprKind::Let(slots, value, body) = &part.kind else {
            out.push(part);
            continue;
        };
        let mut within = Vec::new();
        named_conjuncts((**body).clone(), at, &mut within);
        for (number, own) in within.into_iter().enumerate() {
            // What the name stands for may fail, and is evaluated before all of them.
            if number > 0 && !reads_any(&own, slots) {
                out.push(own);
                continue;
            }
            let kind = ExprKind::Let(slots.clone(), value.clone(), Box::new(own));
            let own = condition(kind, &part);
            out.push(if number > 0 { with_fresh_slots(&own, at) } else { own });
        }
    }
}
