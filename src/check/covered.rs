//! Which values something can have, as far as its declaration tells, and which of them a `case` leaves out.

use std::collections::BTreeSet;

use super::Checker;
use super::certain::{inner, number};
use super::facts::Fact;
use super::terms::same;
use crate::ir::{
    Arith, Builtin, Domain, Expr, ExprKind, FoldKind, Form, MAX_PLAYERS, ResultFact, StateId, Type, Value,
};
use crate::num::Int;
use crate::source::Span;

/// Maximum number of values that are told apart.
const MANY: usize = 1_000;

/// Maximum number of names, functions and operators that are looked through.
const DEEP: usize = 24;

/// Maximum number of values that a message names.
const NAMED: usize = 6;

type Numbers = BTreeSet<Int>;

/// The values that a `case` leaves out.
pub(super) enum LeftOut {
    /// These.
    These(Vec<String>),
    /// Some, nobody knows which.
    Unknown,
}

impl Checker<'_> {
    /// Returns the values that `subject` can have and none of `labels` is.
    pub(super) fn left_out(&mut self, subject: &Expr, labels: &[Expr]) -> LeftOut {
        self.left_out_of(subject, &subject.ty.clone(), labels)
    }

    fn left_out_of(&mut self, subject: &Expr, ty: &Type, labels: &[Expr]) -> LeftOut {
        let symbols = |game: &crate::ir::Game, ids: &BTreeSet<usize>| {
            let given = |id: usize| {
                labels
                    .iter()
                    .any(|label| matches!(label.kind, ExprKind::Value(Value::Symbol(at)) if at == id))
            };
            let missing = ids.iter().filter(|id| !given(**id));
            missing.map(|id| format!("`{}`", game.symbols[*id])).collect::<Vec<_>>()
        };
        match ty {
            Type::Symbol(ids) => LeftOut::These(symbols(&self.game, ids)),
            Type::Bool => {
                let given = |value: bool| {
                    labels
                        .iter()
                        .any(|label| matches!(label.kind, ExprKind::Value(Value::Bool(at)) if at == value))
                };
                let missing =
                    [(true, "`yes`"), (false, "`no`")].into_iter().filter(|(value, _)| !given(*value));
                LeftOut::These(missing.map(|(_, word)| word.to_string()).collect())
            }
            Type::Optional(of) => {
                let none = labels.iter().any(|label| matches!(label.kind, ExprKind::Value(Value::None)));
                match self.left_out_of(subject, of, labels) {
                    LeftOut::These(mut missing) => {
                        missing.extend((!none).then(|| "`none`".to_string()));
                        LeftOut::These(missing)
                    }
                    unknown => unknown,
                }
            }
            Type::Either(ids, of) => {
                let mut missing = symbols(&self.game, ids);
                match self.left_out_of(subject, of, labels) {
                    LeftOut::These(more) => {
                        missing.extend(more);
                        LeftOut::These(missing)
                    }
                    unknown => unknown,
                }
            }
            Type::Int => {
                let given: Numbers = labels.iter().filter_map(number).collect();
                match self.possible(subject, DEEP) {
                    Some(all) => LeftOut::These(spans(&all.difference(&given).cloned().collect::<Vec<_>>())),
                    None => {
                        // The callers of a function may know more about its arguments.
                        let fact = Fact::In(subject.clone(), set_of(&given, subject.span));
                        self.require(fact, subject.span);
                        LeftOut::Unknown
                    }
                }
            }
            _ => LeftOut::Unknown,
        }
    }

    /// Returns the numbers that a call leaves without a case, given what its function requires of an argument.
    pub(super) fn left_out_by_call(&self, wanted: &Fact) -> Option<Vec<String>> {
        let Fact::In(x, of) = wanted else { return None };
        let (all, given) = (self.possible(x, DEEP)?, self.possible_elements(of, DEEP)?);
        Some(spans(&all.difference(&given).cloned().collect::<Vec<_>>()))
    }

    /// Whether all numbers that a value can be are elements of a collection.
    pub(super) fn is_within(&self, x: &Expr, of: &Expr) -> bool {
        let (all, given) = (self.possible(x, DEEP), self.possible_elements(of, DEEP));
        matches!((all, given), (Some(all), Some(given)) if all.is_subset(&given))
    }

    /// Returns numbers of which an expression is always one; `None` if they are too many, or unknown.
    fn possible(&self, e: &Expr, deep: usize) -> Option<Numbers> {
        let deep = deep.checked_sub(1)?;
        let of = |e: &Expr| self.possible(e, deep);
        let here = match &e.kind {
            ExprKind::Value(Value::Int(n)) => Some(Numbers::from([n.clone()])),
            ExprKind::Option(at) => self.in_form(&self.game.options.get(*at)?.form, deep),
            ExprKind::Constant(at) => self.elsewhere(&self.game.constants.get(*at)?.value.body, deep),
            ExprKind::Call(function, _) => {
                self.elsewhere(&self.game.functions.get(*function)?.lambda.body, deep)
            }
            ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Index(..) => match self.form_of_state(e) {
                Some(form) => self.in_form(form, deep),
                None => match &e.kind {
                    ExprKind::Index(list, _) => self.possible_elements(list, deep),
                    _ => None,
                },
            },
            ExprKind::Negative(a) => Some(of(a)?.iter().map(|n| Int::ZERO.sub(n)).collect()),
            ExprKind::Arith(op, a, b) => self.computed(*op, a, b, deep),
            ExprKind::If(arms, otherwise) => {
                let mut all = of(otherwise)?;
                for (_, value) in arms {
                    all.extend(of(value)?);
                }
                Some(all)
            }
            ExprKind::Fold(fold)
                if matches!(fold.kind, FoldKind::First | FoldKind::Largest | FoldKind::Smallest) =>
            {
                match fold.body.kind {
                    ExprKind::Local(slot) => {
                        let source = fold.sources.iter().find(|source| source.slots == [slot]);
                        source.and_then(|source| self.in_domain(&source.domain, deep))
                    }
                    _ => of(&fold.body),
                }
            }
            ExprKind::Builtin(word, args) => match (word.traits().known, args.as_slice()) {
                (ResultFact::Between(low, high), _) => between(&Int::from(low), &Int::from(high)),
                (ResultFact::Magnitude, [a]) => Some(of(a)?.iter().map(Int::abs).collect()),
                (ResultFact::Element, [list]) => self.possible_elements(list, deep),
                (ResultFact::Present, [a]) => of(a),
                (ResultFact::SeatNumber, _) => between(&Int::from(1), &Int::from(self.how_many_play().1)),
                (ResultFact::Size, [Expr { kind: ExprKind::Players, .. }]) => {
                    let (least, most) = self.how_many_play();
                    between(&Int::from(least), &Int::from(most))
                }
                (known @ (ResultFact::Least | ResultFact::Most), [first, rest @ ..]) => {
                    let pick: fn(&Int, &Int) -> Int = match known {
                        ResultFact::Least => |a, b| a.min(b).clone(),
                        _ => |a, b| a.max(b).clone(),
                    };
                    rest.iter().try_fold(of(first)?, |all, e| {
                        of(e).and_then(|more| pairwise(&all, &more, |a, b| Some(pick(a, b))))
                    })
                }
                _ => None,
            },
            _ => None,
        };
        self.known_to_be(e, deep).into_iter().flatten().chain(here).reduce(|a, b| &a & &b)
    }

    /// Returns what is known here of an expression: for each fact, numbers of which it is one.
    fn known_to_be(&self, e: &Expr, deep: usize) -> Vec<Option<Numbers>> {
        let name = matches!(e.kind, ExprKind::Local(_));
        let known = self.facts.entries.iter().skip(self.facts.base).filter(|entry| {
            // What was in the declared range of something when it got its name still is, whatever has been written
            // since. Anything else counts only if no write can change it.
            name || entry.reads.is_empty()
        });
        let of = |fact: &Fact| match fact {
            Fact::In(x, of) if same(&self.game, x, e) => self.possible_elements(of, deep),
            Fact::Same(a, b) if same(&self.game, a, e) => self.possible(b, deep),
            Fact::Same(a, b) if name && same(&self.game, b, e) => self.possible(a, deep),
            _ => None,
        };
        known.map(|entry| of(&entry.fact)).filter(Option::is_some).collect()
    }

    /// Returns numbers of which an expression of another frame is always one: nothing is known there of names.
    fn elsewhere(&self, e: &Expr, deep: usize) -> Option<Numbers> {
        fn names_any(e: &Expr) -> bool {
            let mut found = matches!(e.kind, ExprKind::Local(_));
            crate::ir::children(e, &mut |part| found = found || names_any(part));
            found
        }
        match &e.kind {
            // Whatever is divided, the remainder is less than the divisor.
            ExprKind::Arith(Arith::Mod, _, by) if !names_any(by) => remainders(&self.possible(by, deep)?),
            _ if names_any(e) => None,
            _ => self.possible(e, deep),
        }
    }

    fn computed(&self, op: Arith, a: &Expr, b: &Expr, deep: usize) -> Option<Numbers> {
        let (a, b) = (self.possible(a, deep), self.possible(b, deep)?);
        let Some(a) = a else {
            return if op == Arith::Mod { remainders(&b) } else { None };
        };
        let compute: fn(&Int, &Int) -> Option<Int> = match op {
            Arith::Add => |a, b| Some(a.add(b)),
            Arith::Sub => |a, b| Some(a.sub(b)),
            Arith::Mul => |a, b| a.mul(b).ok(),
            Arith::Div => |a, b| a.div_floor(b),
            Arith::Mod => |a, b| a.modulo(b),
            Arith::Pow => return None,
        };
        // A division by zero has no value, so it needs no case.
        let divides = matches!(op, Arith::Div | Arith::Mod);
        let b = b.into_iter().filter(|b| !divides || !b.is_zero()).collect();
        pairwise(&a, &b, compute)
    }

    /// Returns numbers of which every element of a collection is one.
    fn possible_elements(&self, of: &Expr, deep: usize) -> Option<Numbers> {
        let deep = deep.checked_sub(1)?;
        let all = |parts: &[Expr]| {
            let mut all = Numbers::new();
            for part in parts {
                all.extend(self.possible(part, deep)?);
            }
            Some(all)
        };
        match &of.kind {
            ExprKind::List(parts) | ExprKind::Set(parts) => all(parts),
            ExprKind::Value(Value::Set(items)) => items
                .iter()
                .map(|item| match item {
                    Value::Int(n) => Some(n.clone()),
                    _ => None,
                })
                .collect(),
            ExprKind::Listed(domain) => self.in_domain(domain, deep),
            ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Index(..) => match self.form_of_state(of)? {
                Form::List(_, of) | Form::Set(of) | Form::Bag(of) => self.in_form(of, deep),
                _ => None,
            },
            ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
                match fold.body.kind {
                    ExprKind::Local(slot) => {
                        let source = fold.sources.iter().find(|source| source.slots == [slot]);
                        source.and_then(|source| self.in_domain(&source.domain, deep))
                    }
                    _ => self.possible(&fold.body, deep),
                }
            }
            ExprKind::Builtin(Builtin::Digits, args) => match args.as_slice() {
                [_] => between(&Int::ZERO, &Int::from(9)),
                [_, base] => {
                    let base = self.possible(base, deep)?;
                    between(&Int::ZERO, &base.last()?.sub(&Int::from(1)))
                }
                _ => None,
            },
            ExprKind::Builtin(word, args) => match (word.traits().known, args.as_slice()) {
                (ResultFact::All | ResultFact::Different | ResultFact::SomeOf, [all, ..])
                | (ResultFact::Following | ResultFact::Repeated, [_, all, ..]) => {
                    self.possible_elements(all, deep)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn in_domain(&self, domain: &Domain, deep: usize) -> Option<Numbers> {
        match domain {
            Domain::Where(_, of, _) => self.in_domain(of, deep),
            Domain::Range(low, high) => {
                let (low, high) = (self.possible(low, deep)?, self.possible(high, deep)?);
                between(low.first()?, high.last()?)
            }
            Domain::Values(of) => self.possible_elements(of, deep),
            _ => None,
        }
    }

    fn in_form(&self, form: &Form, deep: usize) -> Option<Numbers> {
        match form {
            Form::Range(low, high) => {
                let (low, high) = (self.possible(low, deep)?, self.possible(high, deep)?);
                between(low.first()?, high.last()?)
            }
            Form::Optional(of) | Form::Either(_, of) => self.in_form(of, deep),
            _ => None,
        }
    }

    /// Returns the form of a piece of state, or of a place in it.
    fn form_of_state(&self, e: &Expr) -> Option<&Form> {
        match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => {
                let id: StateId = *id;
                Some(&self.game.state.get(id)?.form)
            }
            ExprKind::Index(base, _) => inner(self.form_of_state(base)?),
            _ => None,
        }
    }

    /// Returns the least and the greatest number of players.
    fn how_many_play(&self) -> (usize, usize) {
        (self.game.seats.min, self.game.seats.max.unwrap_or(MAX_PLAYERS))
    }
}

fn between(low: &Int, high: &Int) -> Option<Numbers> {
    let (low, high) = (low.as_i64()?, high.as_i64()?);
    let count = usize::try_from(high.checked_sub(low)?.checked_add(1)?).unwrap_or(0);
    (count <= MANY).then(|| (low..=high).map(Int::from).collect())
}

/// Returns the remainders that there are when something is divided by one of these numbers.
fn remainders(by: &Numbers) -> Option<Numbers> {
    let most = by.iter().map(Int::abs).max()?;
    between(&Int::ZERO, &most.sub(&Int::from(1)))
}

fn pairwise(a: &Numbers, b: &Numbers, on: impl Fn(&Int, &Int) -> Option<Int>) -> Option<Numbers> {
    if a.len() * b.len() > MANY {
        return None;
    }
    a.iter().flat_map(|a| b.iter().map(move |b| (a, b))).map(|(a, b)| on(a, b)).collect()
}

/// Returns numbers in words, consecutive ones as a range.
fn spans(numbers: &[Int]) -> Vec<String> {
    let mut runs: Vec<(&Int, &Int)> = Vec::new();
    for n in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.add(&Int::from(1)) == *n => *last = n,
            _ => runs.push((n, n)),
        }
    }
    runs.into_iter()
        .flat_map(|(first, last)| match last.sub(first).as_i64() {
            Some(0) => vec![first.to_string()],
            Some(1) => vec![first.to_string(), last.to_string()],
            _ => vec![format!("{first}..{last}")],
        })
        .collect()
}

fn set_of(numbers: &Numbers, span: Span) -> Expr {
    let value = Value::set(numbers.iter().cloned().map(Value::Int));
    Expr { kind: ExprKind::Value(value), ty: Type::Set(Box::new(Type::Int)), span }
}

/// Returns values as a list in words, `4 and 5`, shortened if there are many.
pub(super) fn in_words(values: &[String], word: &str) -> String {
    let shown = values.len().min(NAMED);
    let more = (values.len() > shown).then(|| format!("{} more", values.len() - shown));
    let all: Vec<&str> = values[..shown].iter().chain(&more).map(String::as_str).collect();
    match all.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} {word} {last}", all.join(", ")),
        all => all.join(""),
    }
}
