//! How large numbers and collections can become: an interval analysis, used by [`super::slow`].
//!
//! The bounds come from declarations: ranges of options, state and parameters, lengths of lists, sizes of
//! grids. Anything unbounded is [`Amount::Unknown`], and nothing is reported about it.

use std::collections::{BTreeMap, HashMap};

use crate::ir::{
    Arith, Bound, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Form, Game, ResultFact, Slot,
    Value, expr_text,
};

/// Maximum number of expressions visited for one question; anything beyond is unknown. Functions that call
/// functions can make this large.
const MOST_LOOKS: usize = 200_000;
/// The same limit for all questions about a game in one setting.
const MOST_LOOKS_IN_ALL: usize = 2_000_000;

/// Assumed maximum size of a set declared without one, as a set over a large range holds only some of it.
const LARGE_SET: f64 = 100.0;

/// What is known before play of the size of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Amount {
    /// Nothing is known.
    Unknown,
    /// A number within these inclusive bounds, which may be infinite.
    Number(f64, f64),
    /// A list, set or bag: the maximum number of elements, and the elements.
    Many(Option<f64>, Box<Amount>),
    /// A grid, or a map as a grid of one column: rows, columns, keys, values.
    Places(f64, f64, Box<Amount>, Box<Amount>),
    /// A tuple.
    Tuple(Vec<Amount>),
}

use Amount::{Many, Number, Places, Unknown};

impl Amount {
    fn many(size: Option<f64>, of: Amount) -> Amount {
        Many(size.filter(|size| size.is_finite()), Box::new(of))
    }

    /// Returns the maximum number of elements.
    pub fn size(&self) -> Option<f64> {
        match self {
            Many(size, _) => *size,
            Places(rows, columns, ..) => Some(rows * columns),
            _ => None,
        }
    }

    /// Returns what iterating over it yields; for a grid or map, its keys.
    pub fn elements(&self) -> Amount {
        match self {
            Many(_, of) => (**of).clone(),
            Places(_, _, keys, _) => (**keys).clone(),
            _ => Unknown,
        }
    }

    fn values(&self) -> Amount {
        match self {
            Places(_, _, _, values) => (**values).clone(),
            other => other.elements(),
        }
    }

    fn low(&self) -> f64 {
        if let Number(low, _) = self { *low } else { f64::NEG_INFINITY }
    }

    fn high(&self) -> f64 {
        if let Number(_, high) = self { *high } else { f64::INFINITY }
    }

    /// Returns an amount that covers both.
    fn or(&self, other: &Amount) -> Amount {
        match (self, other) {
            (Number(a, b), Number(c, d)) => Number(a.min(*c), b.max(*d)),
            (Many(a, of), Many(b, other)) => {
                let size = a.zip(*b).map(|(a, b)| a.max(b));
                match (a, b) {
                    (Some(0.0), _) => Amount::many(size, (**other).clone()),
                    (_, Some(0.0)) => Amount::many(size, (**of).clone()),
                    _ => Amount::many(size, of.or(other)),
                }
            }
            (a, b) if a == b => a.clone(),
            _ => Unknown,
        }
    }
}

/// The assumptions of the analysis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    /// The value of each option; `None` if it is not a number.
    pub options: Vec<Option<f64>>,
    /// The number of players.
    pub players: f64,
    /// Whether state is as large as its declaration allows, or else as at the start.
    pub grown: bool,
}

/// The analysis of a game in one setting.
pub(super) struct Amounts<'g> {
    pub game: &'g Game,
    setting: Setting,
    states: Vec<Amount>,
    /// What is known of each slot: in the automaton's frame, then in each function being visited.
    frames: Vec<HashMap<Slot, Amount>>,
    left: usize,
    left_in_all: usize,
}

impl<'g> Amounts<'g> {
    pub fn new(game: &'g Game, setting: Setting) -> Amounts<'g> {
        let mut this = Amounts {
            game,
            setting,
            states: Vec::new(),
            frames: vec![HashMap::new()],
            left: MOST_LOOKS,
            left_in_all: MOST_LOOKS_IN_ALL,
        };
        for state in &game.state {
            let first = match &state.init {
                Some(init) => this.amount_in_call(&[], &init.body),
                None => Unknown,
            };
            let declared = this.form(&state.form, &first);
            let amount = match (&first, this.setting.grown) {
                (Number(..), false) => first,
                _ => declared,
            };
            this.states.push(amount);
        }
        this
    }

    /// Enters the frame of a function called with these arguments.
    pub fn enter(&mut self, args: &[Expr]) {
        let args: Vec<Amount> = args.iter().map(|arg| self.amount(arg)).collect();
        self.frames.push(args.into_iter().enumerate().collect());
    }

    /// Leaves the frame of a function.
    pub fn leave(&mut self) {
        self.frames.pop();
    }

    /// Analyses `body` in the frame of a function.
    fn amount_in_call(&mut self, args: &[Expr], body: &Expr) -> Amount {
        self.enter(args);
        let found = self.amount(body);
        self.leave();
        found
    }

    /// Counts one visit; `true` when none are left, and everything else is unknown.
    pub fn exhausts_budget(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left_in_all = self.left_in_all.saturating_sub(1);
        self.left == 0
    }

    /// Begins another question, which has a fresh budget of visits.
    pub fn reset_budget(&mut self) {
        self.left = MOST_LOOKS.min(self.left_in_all);
    }

    /// Returns what is known of a slot.
    pub fn named(&self, slot: Slot) -> Amount {
        self.frames.last().and_then(|frame| frame.get(&slot)).cloned().unwrap_or(Unknown)
    }

    /// Binds a slot, or the slots of the parts of a tuple.
    pub fn bind(&mut self, slots: &[Slot], amount: Amount) {
        let Some(frame) = self.frames.last_mut() else { return };
        match (slots, amount) {
            ([slot], amount) => {
                frame.insert(*slot, amount);
            }
            (slots, Amount::Tuple(parts)) => frame.extend(slots.iter().copied().zip(parts)),
            (slots, _) => frame.extend(slots.iter().map(|slot| (*slot, Unknown))),
        }
    }

    /// Returns the values that state of this form may hold; `first` is its initial value.
    fn form(&mut self, form: &Form, first: &Amount) -> Amount {
        match form {
            Form::Range(low, high) => Number(self.amount(low).low(), self.amount(high).high()),
            Form::AtLeast(low) => Number(self.amount(low).low(), f64::INFINITY),
            Form::Int => Number(f64::NEG_INFINITY, f64::INFINITY),
            Form::Optional(of) | Form::Either(_, of) => self.form(of, first),
            Form::List(bound, of) => {
                let of = self.form(of, &Unknown);
                let begun = first.size().filter(|size| *size > 0.0);
                let size = match bound {
                    Some((Bound::Exactly, size)) => Some(self.amount(size).high()),
                    Some((Bound::AtMost, size)) if self.setting.grown => Some(self.amount(size).high()),
                    _ => begun,
                };
                Amount::many(size, of)
            }
            Form::Set(of) => {
                let of = self.form(of, &Unknown);
                let all = Some(of.high() - of.low() + 1.0).filter(|size| *size <= LARGE_SET);
                Amount::many(first.size().filter(|size| *size > 0.0).or(all), of)
            }
            Form::Bag(of) => {
                let of = self.form(of, &Unknown);
                Amount::many(first.size().filter(|size| *size > 0.0), of)
            }
            Form::Grid(rows, columns, of) => {
                let (rows, columns) = (self.amount(rows).high(), self.amount(columns).high());
                Places(rows, columns, Box::new(Unknown), Box::new(self.form(of, &Unknown)))
            }
            Form::Tuple(parts) => Amount::Tuple(parts.iter().map(|part| self.form(part, &Unknown)).collect()),
            Form::Map(value, key) => {
                let (key_amount, value) = (self.form(key, &Unknown), self.form(value, &Unknown));
                let size = match &**key {
                    Form::Player => self.setting.players,
                    Form::Symbols(ids) => ids.len() as f64,
                    Form::Bool => 2.0,
                    _ => key_amount.high() - key_amount.low() + 1.0,
                };
                Places(size, 1.0, Box::new(key_amount), Box::new(value))
            }
            Form::Bool | Form::Symbols(_) | Form::Player | Form::Square | Form::Wrong => Unknown,
        }
    }

    // ---- domains

    /// Returns log2 of the number of rows of a domain; `None` if it is known only in play.
    pub fn rows(&mut self, domain: &Domain) -> Option<f64> {
        Some(match domain {
            Domain::Ints | Domain::AtLeast(_) => f64::INFINITY,
            Domain::Range(low, high) => finite(self.difference(high, low) + 1.0)?.max(1.0).log2(),
            Domain::Values(e) => self.amount(e).size()?.max(1.0).log2(),
            Domain::Permutations(e) => {
                let size = self.amount(e).size()?.min(1e4) as u32;
                (1..=size).map(|n| f64::from(n).log2()).sum()
            }
            Domain::Lists(count, of) | Domain::Arrangements(count, of) => {
                finite(self.amount(count).high())? * self.rows(of)?
            }
            Domain::ListsFrom(_, None, of) => {
                if self.rows(of)? > 0.0 {
                    f64::INFINITY
                } else {
                    0.0
                }
            }
            Domain::ListsFrom(_, Some(high), of) => finite(self.amount(high).high())? * self.rows(of)?,
            Domain::Subsets(of, None) => self.amount(of).size()?,
            Domain::Subsets(of, Some(count)) => {
                finite(self.amount(count).high())? * self.amount(of).size()?.max(1.0).log2()
            }
            Domain::SubsetsFrom(_, most, of) => {
                let all = self.amount(of).size()?;
                match most {
                    Some(most) => subsets_up_to(all, finite(self.amount(most).high())?),
                    None => all,
                }
            }
            Domain::Tuples(parts) => parts.iter().map(|part| self.rows(part)).sum::<Option<f64>>()?,
            Domain::Where(slot, of, condition) => match (&**of, self.most_size(*slot, condition)) {
                (Domain::ListsFrom(_, _, element), Some(most)) => {
                    let bounded = most * self.rows(element)?;
                    self.rows(of).unwrap_or(f64::INFINITY).min(bounded)
                }
                (of, _) => self.rows(of)?,
            },
        })
    }

    /// Returns the most elements that a collection has if a condition on it states its size.
    fn most_size(&mut self, slot: Slot, condition: &Expr) -> Option<f64> {
        let is_size = |e: &Expr| match &e.kind {
            ExprKind::Builtin(Builtin::Size, args) => {
                matches!(args.as_slice(), [Expr { kind: ExprKind::Local(of), .. }] if *of == slot)
            }
            _ => false,
        };
        match &condition.kind {
            ExprKind::And(a, b) => {
                let both = [self.most_size(slot, a), self.most_size(slot, b)];
                both.into_iter().flatten().reduce(f64::min)
            }
            ExprKind::Compare(first, links) => {
                let mut most: Option<f64> = None;
                let mut left = &**first;
                for (sign, right) in links {
                    let end = match sign {
                        Compare::Equal | Compare::Less | Compare::AtMost if is_size(left) => Some(right),
                        Compare::Equal | Compare::Greater | Compare::AtLeast if is_size(right) => Some(left),
                        _ => None,
                    };
                    let end = end.and_then(|end| finite(self.amount(end).high()));
                    most = most.into_iter().chain(end).reduce(f64::min);
                    left = right;
                }
                most
            }
            _ => None,
        }
    }

    /// Returns what the elements of a domain are.
    pub fn of_domain(&mut self, domain: &Domain) -> Amount {
        match domain {
            Domain::Ints => Number(f64::NEG_INFINITY, f64::INFINITY),
            Domain::AtLeast(low) => Number(self.amount(low).low(), f64::INFINITY),
            Domain::Range(low, high) => Number(self.amount(low).low(), self.amount(high).high()),
            Domain::Values(e) => self.amount(e).elements(),
            Domain::Permutations(e) => self.amount(e),
            Domain::Lists(count, of) | Domain::Arrangements(count, of) => {
                let of = self.of_domain(of);
                Amount::many(Some(self.amount(count).high()), of)
            }
            Domain::ListsFrom(_, high, of) => {
                let of = self.of_domain(of);
                Amount::many(high.as_ref().map(|high| self.amount(high).high()), of)
            }
            Domain::Subsets(of, count) => {
                let of = self.amount(of);
                let size = count.as_ref().map(|count| self.amount(count).high());
                Amount::many(size.or(of.size()), of.elements())
            }
            Domain::SubsetsFrom(_, most, of) => {
                let of = self.amount(of);
                let size = most.as_ref().map(|most| self.amount(most).high());
                Amount::many(size.into_iter().chain(of.size()).reduce(f64::min), of.elements())
            }
            Domain::Tuples(parts) => Amount::Tuple(parts.iter().map(|part| self.of_domain(part)).collect()),
            Domain::Where(_, of, _) => self.of_domain(of),
        }
    }

    // ---- numbers

    /// Returns how much larger one number may be than another. Terms common to both cancel out: from `x` to
    /// `x + 3` it is 3, however large `x` is.
    fn difference(&mut self, high: &Expr, low: &Expr) -> f64 {
        let (mut terms, mut sum) = (BTreeMap::new(), 0.0);
        self.terms(high, 1.0, &mut terms, &mut sum);
        self.terms(low, -1.0, &mut terms, &mut sum);
        for (times, term) in terms.into_values() {
            if times != 0.0 {
                let amount = self.amount(term);
                sum += times * if times > 0.0 { amount.high() } else { amount.low() };
            }
        }
        sum
    }

    /// Decomposes a sum into coefficients of its terms, keyed by their text, and a constant.
    fn terms<'e>(
        &self,
        e: &'e Expr,
        times: f64,
        terms: &mut BTreeMap<String, (f64, &'e Expr)>,
        sum: &mut f64,
    ) {
        match &e.kind {
            ExprKind::Arith(Arith::Add, a, b) => {
                self.terms(a, times, terms, sum);
                self.terms(b, times, terms, sum);
            }
            ExprKind::Arith(Arith::Sub, a, b) => {
                self.terms(a, times, terms, sum);
                self.terms(b, -times, terms, sum);
            }
            ExprKind::Negative(a) => self.terms(a, -times, terms, sum),
            ExprKind::Value(Value::Int(n)) if n.as_i64().is_some() => {
                *sum += times * n.as_i64().unwrap_or_default() as f64;
            }
            _ => terms.entry(expr_text(self.game, e)).or_insert((0.0, e)).0 += times,
        }
    }

    /// Returns what is known of the value of an expression.
    pub fn amount(&mut self, e: &Expr) -> Amount {
        if self.exhausts_budget() {
            return Unknown;
        }
        let seats = self.setting.players;
        match &e.kind {
            ExprKind::Value(value) => of_value(value),
            ExprKind::Option(id) => match self.setting.options.get(*id) {
                Some(Some(n)) => Number(*n, *n),
                _ => Unknown,
            },
            ExprKind::Constant(id) => match self.game.constants.get(*id) {
                Some(constant) => self.amount_in_call(&[], &constant.value.body),
                None => Unknown,
            },
            ExprKind::Local(slot) => self.named(*slot),
            ExprKind::Table(state) | ExprKind::Own(state, _) => {
                self.states.get(*state).cloned().unwrap_or(Unknown)
            }
            ExprKind::Players | ExprKind::Standing => Amount::many(Some(seats), Unknown),
            ExprKind::Negative(a) => match self.amount(a) {
                Number(low, high) => Number(-high, -low),
                _ => Unknown,
            },
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.amount(a), self.amount(b));
                arithmetic(*op, &a, &b)
            }
            ExprKind::If(arms, otherwise) => {
                let mut all = self.amount(otherwise);
                for (_, value) in arms {
                    all = all.or(&self.amount(value));
                }
                all
            }
            ExprKind::Call(id, args) => match self.game.functions.get(*id) {
                Some(function) => self.amount_in_call(args, &function.lambda.body),
                None => Unknown,
            },
            ExprKind::Builtin(word, args) => self.builtin(*word, args),
            ExprKind::Tuple(parts) => Amount::Tuple(parts.iter().map(|part| self.amount(part)).collect()),
            ExprKind::Part(of, at) => match self.amount(of) {
                Amount::Tuple(mut parts) if *at < parts.len() => parts.swap_remove(*at),
                _ => Unknown,
            },
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                let all: Vec<Amount> = parts.iter().map(|part| self.amount(part)).collect();
                let of = all.iter().skip(1).fold(all.first().cloned(), |of, part| Some(of?.or(part)));
                Amount::many(Some(parts.len() as f64), of.unwrap_or(Unknown))
            }
            ExprKind::Index(of, _) => self.amount(of).values(),
            ExprKind::Pick(of, places) => {
                let of = self.amount(of);
                let places = self.amount(places).size();
                let size = match &of {
                    Many(size, _) => size.zip(places).map(|(a, b)| a.min(b)).or(places).or(*size),
                    _ => places,
                };
                Amount::many(size, of.values())
            }
            ExprKind::With(of, ..) => self.amount(of),
            ExprKind::Listed(domain) => {
                let size = self.rows(domain).map(f64::exp2);
                Amount::many(size, self.of_domain(domain))
            }
            ExprKind::Fold(fold) => self.gathered(fold),
            _ => Unknown,
        }
    }

    /// Binds the names of a fold's sources. Returns the number of values it goes through, if known.
    pub fn bind_sources(&mut self, fold: &Fold) -> Option<f64> {
        let mut all = Some(1.0);
        for source in &fold.sources {
            let rows = self.rows(&source.domain).map(f64::exp2).filter(|rows| rows.is_finite());
            let element = self.of_domain(&source.domain);
            self.bind(&source.slots, element);
            all = all.zip(rows).map(|(all, rows)| all * rows);
        }
        all
    }

    fn gathered(&mut self, fold: &Fold) -> Amount {
        let count = self.bind_sources(fold);
        match fold.kind {
            FoldKind::Count => Number(0.0, count.unwrap_or(f64::INFINITY)),
            FoldKind::Sum => match (self.amount(&fold.body), count) {
                (Number(low, high), Some(count)) => Number((low * count).min(0.0), (high * count).max(0.0)),
                _ => Unknown,
            },
            FoldKind::List | FoldKind::Set | FoldKind::Bag => {
                let body = self.amount(&fold.body);
                Amount::many(count, body)
            }
            FoldKind::Largest | FoldKind::Smallest | FoldKind::First => self.amount(&fold.body),
            FoldKind::All
            | FoldKind::Some
            | FoldKind::Product
            | FoldKind::Xor
            | FoldKind::Gcd
            | FoldKind::Lcm
            | FoldKind::Reach => Unknown,
        }
    }

    fn builtin(&mut self, word: Builtin, args: &[Expr]) -> Amount {
        let args: Vec<Amount> = args.iter().map(|arg| self.amount(arg)).collect();
        let Some(first) = args.first() else { return Unknown };
        let second = args.get(1).unwrap_or(&Unknown);
        let size = first.size();
        let known = |size: Option<f64>| size.unwrap_or(f64::INFINITY);
        let least = |end: &dyn Fn(&Amount) -> f64| args.iter().map(end).fold(f64::INFINITY, f64::min);
        let most = |end: &dyn Fn(&Amount) -> f64| args.iter().map(end).fold(f64::NEG_INFINITY, f64::max);
        match word.traits().known {
            ResultFact::Between(low, high) => Number(low as f64, high as f64),
            ResultFact::Natural => Number(0.0, f64::INFINITY),
            ResultFact::Magnitude => match first {
                Number(low, high) => Number(0.0, high.abs().max(low.abs())),
                _ => Unknown,
            },
            ResultFact::Root => Number(0.0, first.high().max(0.0).sqrt()),
            ResultFact::Bits => Number(0.0, first.high().max(1.0).log2() + 1.0),
            ResultFact::Divides => Number(0.0, least(&Amount::high)),
            ResultFact::Least => Number(least(&Amount::low), least(&Amount::high)),
            ResultFact::Most => Number(most(&Amount::low), most(&Amount::high)),
            ResultFact::Size => Number(0.0, known(size)),
            ResultFact::Copies => Number(0.0, known(second.size())),
            ResultFact::SeatNumber => Number(1.0, self.setting.players),
            ResultFact::Others => Amount::many(Some(self.setting.players - 1.0), Unknown),
            ResultFact::Present => first.clone(),
            ResultFact::Element => first.elements(),
            ResultFact::Sum => match (first.elements(), size) {
                (Number(low, high), Some(size)) => Number((low * size).min(0.0), (high * size).max(0.0)),
                _ => Unknown,
            },
            ResultFact::All | ResultFact::Different | ResultFact::SomeOf => {
                Amount::many(size, first.elements())
            }
            ResultFact::Shared => {
                Amount::many(size.zip(second.size()).map(|(a, b)| a.min(b)), first.elements())
            }
            ResultFact::Joined => {
                let both = size.zip(second.size()).map(|(a, b)| a + b);
                match (size, second.size()) {
                    (Some(0.0), _) => second.clone(),
                    (_, Some(0.0)) => first.clone(),
                    _ => Amount::many(both, first.elements().or(&second.elements())),
                }
            }
            ResultFact::Repeated => Amount::many(Some(first.high()), second.clone()),
            ResultFact::Following => {
                let count = args.get(2).map_or(f64::INFINITY, Amount::high);
                Amount::many(Some(count), second.elements())
            }
            ResultFact::Positions => Amount::many(second.size(), Number(1.0, known(second.size()))),
            ResultFact::Counts => Amount::many(size, Number(1.0, known(size))),
            ResultFact::Pairs => {
                let of = first.elements();
                Amount::many(size.map(|n| n * (n - 1.0) / 2.0), Amount::Tuple(vec![of.clone(), of]))
            }
            // No number below 10^18 has more divisors than four times its cube root.
            ResultFact::Divisors => {
                Amount::many(Some(4.0 * first.high().abs().cbrt()), Number(1.0, first.high().abs()))
            }
            ResultFact::Factors => {
                Amount::many(Some(first.high().abs().max(2.0).log2()), Number(2.0, first.high().abs()))
            }
            ResultFact::Digits => {
                let base = args.get(1).unwrap_or(&Number(10.0, 10.0)).clone();
                let largest = first.high().abs().max(first.low().abs()).max(1.0);
                // A little more than a whole number of digits is no further digit.
                let digits = (largest.log2() / base.low().max(2.0).log2() + 1e-9).floor() + 1.0;
                Amount::many(Some(digits), Number(0.0, base.high() - 1.0))
            }
            ResultFact::Near(most) => Amount::many(Some(most.into()), Unknown),
            ResultFact::Squares => Amount::many(size, Unknown),
            ResultFact::Lines => {
                Amount::many(size.map(|n| 4.0 * n), Amount::many(finite(second.high()), Unknown))
            }
            known @ (ResultFact::Rows | ResultFact::Columns | ResultFact::Line) => match (known, first) {
                (ResultFact::Rows, Places(rows, columns, ..)) => {
                    Amount::many(Some(*rows), Amount::many(Some(*columns), Unknown))
                }
                (ResultFact::Columns, Places(rows, columns, ..)) => {
                    Amount::many(Some(*columns), Amount::many(Some(*rows), Unknown))
                }
                (_, Places(rows, columns, ..)) => Amount::many(Some(rows.max(*columns)), Unknown),
                _ => Unknown,
            },
            ResultFact::Type
            | ResultFact::Row
            | ResultFact::Column
            | ResultFact::Step
            | ResultFact::Square
            | ResultFact::Parts => Unknown,
        }
    }
}

fn finite(n: f64) -> Option<f64> {
    n.is_finite().then_some(n)
}

fn of_value(value: &Value) -> Amount {
    match value {
        Value::Int(n) => n.as_i64().map_or(Unknown, |n| Number(n as f64, n as f64)),
        Value::List(items) => {
            let of = items.iter().map(of_value).reduce(|a, b| a.or(&b));
            Amount::many(Some(items.len() as f64), of.unwrap_or(Unknown))
        }
        Value::Set(items) => {
            let of = items.iter().map(of_value).reduce(|a, b| a.or(&b));
            Amount::many(Some(items.len() as f64), of.unwrap_or(Unknown))
        }
        Value::Bag(items) => Amount::many(Some(items.values().sum::<usize>() as f64), Unknown),
        _ => Unknown,
    }
}

/// Returns the result of an operator on two numbers; unknown for 0 times infinity.
fn arithmetic(op: Arith, a: &Amount, b: &Amount) -> Amount {
    let (Number(a, b), Number(c, d)) = (a, b) else {
        return match (op, b) {
            (Arith::Mod, Number(_, high)) if *high > 0.0 => Number(0.0, high - 1.0),
            _ => Unknown,
        };
    };
    let ends = |of: &dyn Fn(f64, f64) -> f64| {
        let all = [of(*a, *c), of(*a, *d), of(*b, *c), of(*b, *d)];
        match all.iter().any(|n| n.is_nan()) {
            true => Unknown,
            false => Number(
                all.iter().copied().fold(f64::INFINITY, f64::min),
                all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ),
        }
    };
    match op {
        Arith::Add => Number(a + c, b + d),
        Arith::Sub => Number(a - d, b - c),
        Arith::Mul => ends(&|x, y| x * y),
        // If the divisor may be 0 or near it, the quotient may be as large as the dividend.
        Arith::Div if *c <= 0.0 && *d >= 0.0 => {
            let most = a.abs().max(b.abs());
            Number(-most, most)
        }
        Arith::Div => ends(&|x, y| (x / y).floor()),
        Arith::Mod if *d > 0.0 => Number(0.0, if *a >= 0.0 { b.min(d - 1.0) } else { d - 1.0 }),
        Arith::Mod => Unknown,
        Arith::Pow if *a >= 0.0 && *c >= 0.0 => Number(a.powf(*c), b.powf(*d)),
        Arith::Pow => Unknown,
    }
}

// ---- wording

/// Returns the wording for a number of values, given as its log2.
pub(super) fn values(rows: f64) -> String {
    match rows.is_finite() {
        true if rows < 60.0 => format!("{} values", about(rows.exp2())),
        true => format!("about 10^{} values", (rows * std::f64::consts::LOG10_2).floor()),
        false => "infinitely many values".to_string(),
    }
}

/// Returns the wording for a number: exact if small, only the order of magnitude from a billion on.
pub(super) fn about(count: f64) -> String {
    match count {
        ..1e4 => number(count.round()),
        _ if !count.is_finite() => "more than 10^300".to_string(),
        ..9.99e8 => format!("about {}", number(count)),
        _ => format!("about 10^{}", (count.log10() + 1e-9).floor()),
    }
}

/// Returns the wording for a number below a billion, rounded to thousands or millions.
pub(super) fn number(count: f64) -> String {
    match count {
        ..1e4 => format!("{count}"),
        ..1e6 => format!("{},000", (count / 1e3).round()),
        _ => format!("{} million", (count / 1e6).round()),
    }
}

/// Returns the base-2 logarithm of the number of subsets with at most `most` elements of a set of `size`.
fn subsets_up_to(size: f64, most: f64) -> f64 {
    let (mut of_this_size, mut all) = (1.0, 1.0);
    let mut k = 1.0;
    while k <= most.min(size) && f64::is_finite(all) {
        of_this_size *= (size - k + 1.0) / k;
        all += of_this_size;
        k += 1.0;
    }
    size.min(all.log2())
}
