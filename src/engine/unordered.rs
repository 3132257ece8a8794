//! Finds lists whose order, or whose order except for the last element, does not affect play, such as lists
//! of earlier values that are only searched.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Builtin, Change, Domain, Effect, Expr, ExprKind, FoldKind, Form, Game, MoveCheck, Op, Scoring, Sight,
    StateId, Value, WinnerBy, changes, children, domain_parts, op_parts, states_read,
};

/// How far the order of a list can affect play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Not at all.
    Nothing,
    /// Only which element is last matters.
    Last,
    /// The whole order matters.
    All,
}

impl Order {
    /// Returns a list in its canonical order, which is the same for all lists that are equivalent under this
    /// [`Order`].
    pub fn canonical(self, list: &Value) -> Value {
        let Value::List(elements) = list else { return list.clone() };
        let mut elements = elements.to_vec();
        let sorted = self.sorted_part(elements.len());
        elements[..sorted].sort();
        Value::list(elements)
    }

    /// Returns how many of the first elements of a list its canonical order sorts.
    pub fn sorted_part(self, length: usize) -> usize {
        match self {
            Order::Nothing => length,
            Order::Last => length.saturating_sub(1),
            Order::All => 0,
        }
    }
}

/// Determines, for each state variable that is a list, how far its order can affect play.
pub fn orders(game: &Game) -> BTreeMap<StateId, Order> {
    let lists = game.state.iter().enumerate().filter(|(_, state)| matches!(state.form, Form::List(..)));
    let mut scan =
        Scan { orders: lists.map(|(id, _)| (id, Order::Nothing)).collect(), disturbed: BTreeSet::new() };
    for state in &game.state {
        state.init.iter().for_each(|init| scan.expr(&init.body));
    }
    for op in &game.code {
        scan.op(op);
    }
    for choice in &game.choices {
        scan.expr(&choice.who);
        choice.must.iter().for_each(|must| scan.expr(must));
        let offers = choice.all_offers();
        offers.flat_map(|offer| &offer.given).for_each(|given| scan.expr(given));
    }
    for mv in &game.moves {
        for param in &mv.params {
            param.domain.iter().chain(&param.sampling_domain).for_each(|domain| scan.domain(domain));
            param.window.iter().for_each(|(low, high)| [low, high].into_iter().for_each(|e| scan.expr(e)));
        }
        mv.checks.iter().map(MoveCheck::expr).for_each(|check| scan.expr(check));
    }
    game.functions.iter().for_each(|function| scan.expr(&function.lambda.body));
    match &game.scoring {
        Scoring::None | Scoring::Awards => {}
        Scoring::Each(lambda) => scan.expr(&lambda.body),
        Scoring::Named(lambdas) => lambdas.iter().for_each(|lambda| scan.expr(&lambda.body)),
    }
    if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
        keys.iter().for_each(|(_, lambda)| scan.expr(&lambda.body));
    }
    scan.finish()
}

/// Returns the hidden lists whose order neither affects play nor is ever seen or told, so that nothing is learned from
/// how they are shuffled.
pub fn unseen_orders(game: &Game) -> BTreeSet<StateId> {
    let mut told = BTreeSet::new();
    for op in &game.code {
        match op {
            Op::Do(Effect::Reveal(place), _) => {
                told.insert(place.state);
            }
            Op::Do(Effect::Say(text, _), _) => states_read(game, text, &mut told),
            _ => {}
        }
    }
    let orders = orders(game).into_iter();
    let unread = orders.filter(|(_, order)| *order == Order::Nothing).map(|(state, _)| state);
    unread.filter(|state| game.state[*state].sight == Sight::Nobody && !told.contains(state)).collect()
}

/// The results so far: an order is assumed not to matter until a use shows otherwise.
struct Scan {
    orders: BTreeMap<StateId, Order>,
    /// Lists that are shuffled or lose elements wherever these are, so that any of them may become the last.
    disturbed: BTreeSet<StateId>,
}

impl Scan {
    fn require(&mut self, state: StateId, order: Order) {
        if let Some(known) = self.orders.get_mut(&state) {
            *known = order.max(*known);
        }
    }

    fn finish(mut self) -> BTreeMap<StateId, Order> {
        for state in &self.disturbed {
            if let Some(order) = self.orders.get_mut(state).filter(|order| **order != Order::Nothing) {
                *order = Order::All;
            }
        }
        self.orders
    }

    fn op(&mut self, op: &Op) {
        match op {
            // Announcements do not affect later play.
            Op::Do(Effect::Say(..), _) => {}
            _ => {
                op_parts(op).into_iter().for_each(|e| self.expr(e));
                // `deal` takes the first elements of a list, and an index counts them.
                let takes_first = match op {
                    Op::Do(Effect::Deal(_, from, _), _) => Some(from.state),
                    _ => None,
                };
                let draws = matches!(op, Op::Chance(_));
                for (place, change) in changes(op) {
                    match change {
                        _ if !place.path.is_empty() || takes_first == Some(place.state) => {
                            self.require(place.state, Order::All);
                        }
                        Change::Set if draws => {
                            self.disturbed.insert(place.state);
                        }
                        Change::Remove => {
                            self.disturbed.insert(place.state);
                        }
                        // What is added is added at the end, and a list that is replaced is read elsewhere.
                        Change::Insert | Change::Join | Change::Set => {}
                        Change::Plus | Change::Minus => self.require(place.state, Order::All),
                    }
                }
            }
        }
    }

    fn domain(&mut self, domain: &Domain) {
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        parts.into_iter().for_each(|part| self.expr(part));
    }

    /// Visits a domain whose elements are iterated or searched in any order.
    fn members(&mut self, domain: &Domain) {
        match domain {
            Domain::Values(of) => self.argument(of, Order::Nothing),
            Domain::Where(_, of, cond) => {
                self.members(of);
                self.expr(cond);
            }
            other => self.domain(other),
        }
    }

    /// Visits an expression; if it is a state variable, only `order` of it matters.
    fn argument(&mut self, e: &Expr, order: Order) {
        match &e.kind {
            ExprKind::Table(state) => self.require(*state, order),
            ExprKind::Own(state, owner) => {
                self.require(*state, order);
                self.expr(owner);
            }
            _ => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Table(_) | ExprKind::Own(..) => self.argument(e, Order::All),
            ExprKind::In(element, domain) => {
                self.expr(element);
                self.members(domain);
            }
            ExprKind::Builtin(Builtin::Last, args) => self.argument(&args[0], Order::Last),
            ExprKind::Builtin(
                Builtin::Size
                | Builtin::Empty
                | Builtin::Distinct
                | Builtin::ToSet
                | Builtin::ToBag
                | Builtin::Once
                | Builtin::Copies
                | Builtin::Sum
                | Builtin::Largest
                | Builtin::Smallest
                | Builtin::Mex,
                args,
            ) => args.iter().for_each(|arg| self.argument(arg, Order::Nothing)),
            ExprKind::Fold(fold)
                if fold.stop.is_none()
                    && matches!(
                        fold.kind,
                        FoldKind::Count
                            | FoldKind::All
                            | FoldKind::Some
                            | FoldKind::Sum
                            | FoldKind::Set
                            | FoldKind::Bag
                    ) =>
            {
                fold.sources.iter().for_each(|source| self.members(&source.domain));
                fold.filter.iter().for_each(|filter| self.expr(filter));
                self.expr(&fold.body);
            }
            _ => children(e, &mut |part| self.expr(part)),
        }
    }
}
