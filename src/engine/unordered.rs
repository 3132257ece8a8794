//! Finds lists whose order, or whose order except for the last element, does not affect play, such as lists
//! of earlier values that are only searched, and thrown dice that are only counted. A use counts wherever it stands: in the
//! rules themselves, in a function that a list is given to, or behind a name that it has for a while.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Builtin, Change, Domain, Effect, Expr, ExprKind, Fold, FoldKind, Form, Game, MoveCheck, Op, Scoring,
    Sight, Slot, StateId, Value, WinnerBy, changes, children, domain_parts, op_parts, states_read,
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
    let mut scan = Scan { orders: lists.map(|(id, _)| (id, Order::Nothing)).collect(), ..Scan::default() };
    // What a function does with its parameters, or the rules with what they have given a name, matters where these get their
    // values, which may stand before.
    loop {
        scan.game(game);
        if !std::mem::take(&mut scan.has_grown) {
            return scan.finish();
        }
    }
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
            // What has a name may be told later.
            Op::Do(Effect::Say(shown, _) | Effect::Let(_, shown), _) => states_read(game, shown, &mut told),
            _ => {}
        }
    }
    let checks = game.moves.iter().flat_map(|mv| &mv.checks);
    let named = checks.filter(|check| matches!(check, MoveCheck::Let(..)));
    named.for_each(|check| states_read(game, check.expr(), &mut told));
    let orders = orders(game).into_iter();
    let unread = orders.filter(|(_, order)| *order == Order::Nothing).map(|(state, _)| state);
    unread.filter(|state| game.state[*state].sight == Sight::Nobody && !told.contains(state)).collect()
}

/// The results so far: an order is assumed not to matter until a use shows otherwise.
#[derive(Default)]
struct Scan {
    orders: BTreeMap<StateId, Order>,
    /// The same for what is in a slot of a function's frame, or of another frame (`None`).
    slots: BTreeMap<(Option<usize>, Slot), Order>,
    /// The function whose body is being scanned.
    function: Option<usize>,
    /// Lists that are shuffled or lose elements wherever these are, so that any of them may become the last.
    disturbed: BTreeSet<StateId>,
    /// Whether the order of something in a slot was found to matter more than was known before.
    has_grown: bool,
}

impl Scan {
    fn require(&mut self, state: StateId, order: Order) {
        if let Some(known) = self.orders.get_mut(&state) {
            *known = order.max(*known);
        }
    }

    fn require_in_slot(&mut self, slot: Slot, order: Order) {
        let known = self.slots.entry((self.function, slot)).or_insert(Order::Nothing);
        self.has_grown |= *known < order;
        *known = order.max(*known);
    }

    fn order_in_slot(&self, function: Option<usize>, slot: Slot) -> Order {
        self.slots.get(&(function, slot)).copied().unwrap_or(Order::Nothing)
    }

    fn game(&mut self, game: &Game) {
        for state in &game.state {
            state.init.iter().for_each(|init| self.expr(&init.body));
        }
        for op in &game.code {
            self.op(op);
        }
        for choice in &game.choices {
            self.expr(&choice.who);
            choice.must.iter().for_each(|must| self.expr(must));
            let offers = choice.all_offers();
            offers.flat_map(|offer| &offer.given).for_each(|given| self.expr(given));
        }
        for mv in &game.moves {
            for param in &mv.params {
                param.domain.iter().chain(&param.sampling_domain).for_each(|domain| self.domain(domain));
                let bounds = param.window.iter().flat_map(|(low, high)| [low, high]);
                bounds.for_each(|bound| self.expr(bound));
            }
            for check in &mv.checks {
                match check {
                    MoveCheck::Let(slots, value) => self.bind(slots, value),
                    MoveCheck::Need { .. } | MoveCheck::SoftNeed { .. } => self.expr(check.expr()),
                }
            }
        }
        for (at, function) in game.functions.iter().enumerate() {
            self.function = Some(at);
            self.expr(&function.lambda.body);
        }
        self.function = None;
        match &game.scoring {
            Scoring::None | Scoring::Awards => {}
            Scoring::Each(lambda) => self.expr(&lambda.body),
            Scoring::Named(lambdas) => lambdas.iter().for_each(|lambda| self.expr(&lambda.body)),
        }
        if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
            keys.iter().for_each(|(_, lambda)| self.expr(&lambda.body));
        }
    }

    /// Visits a value that is bound to slots.
    fn bind(&mut self, slots: &[Slot], value: &Expr) {
        match slots {
            [slot] => self.argument(value, self.order_in_slot(self.function, *slot)),
            _ => self.expr(value),
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
            Op::Do(Effect::Let(slots, value), _) => self.bind(slots, value),
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

    /// Visits an expression of whose value, if it is a list, only this much of the order matters.
    fn argument(&mut self, e: &Expr, order: Order) {
        match &e.kind {
            ExprKind::Table(state) => self.require(*state, order),
            ExprKind::Own(state, owner) => {
                self.require(*state, order);
                self.expr(owner);
            }
            ExprKind::Local(slot) => self.require_in_slot(*slot, order),
            ExprKind::If(arms, otherwise) => {
                for (condition, value) in arms {
                    self.expr(condition);
                    self.argument(value, order);
                }
                self.argument(otherwise, order);
            }
            ExprKind::Let(slots, value, body) => {
                self.bind(slots, value);
                self.argument(body, order);
            }
            ExprKind::Builtin(Builtin::ToList, args) => self.argument(&args[0], order),
            ExprKind::Builtin(Builtin::Reversed, args) if order == Order::Nothing => {
                self.argument(&args[0], order);
            }
            ExprKind::Listed(domain) if order == Order::Nothing => self.members(domain),
            ExprKind::Fold(fold)
                if order == Order::Nothing && fold.kind == FoldKind::List && fold.stop.is_none() =>
            {
                self.in_any_order(fold);
            }
            _ => self.expr(e),
        }
    }

    /// Visits a fold whose result does not depend on the order in which it goes through the members of its sources.
    fn in_any_order(&mut self, fold: &Fold) {
        fold.sources.iter().for_each(|source| self.members(&source.domain));
        fold.filter.iter().for_each(|filter| self.expr(filter));
        self.expr(&fold.body);
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Local(_) | ExprKind::Let(..) => {
                self.argument(e, Order::All);
            }
            ExprKind::In(element, domain) => {
                self.expr(element);
                self.members(domain);
            }
            ExprKind::Call(function, args) => {
                for (slot, arg) in args.iter().enumerate() {
                    self.argument(arg, self.order_in_slot(Some(*function), slot));
                }
            }
            ExprKind::Builtin(Builtin::Last, args) if args.len() == 1 => self.argument(&args[0], Order::Last),
            ExprKind::Builtin(Builtin::Copies | Builtin::Common | Builtin::Without, args) => {
                self.expr(&args[0]);
                self.argument(&args[1], Order::Nothing);
            }
            ExprKind::Builtin(
                Builtin::Size
                | Builtin::Empty
                | Builtin::Distinct
                | Builtin::ToSet
                | Builtin::ToBag
                | Builtin::Sorted
                | Builtin::Subset
                | Builtin::Once
                | Builtin::Sum
                | Builtin::Product
                | Builtin::Largest
                | Builtin::Smallest
                | Builtin::Mex,
                args,
            ) => args.iter().for_each(|arg| self.argument(arg, Order::Nothing)),
            ExprKind::Fold(fold)
                if fold.stop.is_none() && !matches!(fold.kind, FoldKind::First | FoldKind::List) =>
            {
                self.in_any_order(fold);
            }
            _ => children(e, &mut |part| self.expr(part)),
        }
    }
}
