//! The builtin functions of the language.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::domain::tally;
use super::elements::each;
use super::expr::too_large;
use super::{Env, Fault, elements, fault, geometry, text};
use crate::diag::Code;
use crate::ir::{Builtin, Grid, Value};
use crate::num::{Int, theory};
use crate::source::Span;

impl Env<'_> {
    /// Evaluates a builtin function for some arguments.
    pub(super) fn builtin(&self, builtin: Builtin, args: &[&Value], span: Span) -> Result<Value, Fault> {
        use Builtin as B;
        let int = |i: usize| -> Result<&Int, Fault> {
            match args.get(i) {
                Some(Value::Int(n)) => Ok(n),
                Some(other) => Err(self.not_a("number", other, span)),
                None => Err(fault(Code::BadArgument, span, "a number is missing")),
            }
        };
        // The elements of an argument: `of` iterates, `row` returns a slice, and `items` below copies.
        let of = |i: usize| each(args.get(i).unwrap_or(&&Value::None));
        let row = |i: usize| match args.get(i) {
            Some(Value::List(items)) => Cow::Borrowed(items.as_slice()),
            Some(value) => Cow::Owned(elements(value)),
            None => Cow::Borrowed([].as_slice()),
        };
        let items = |i: usize| row(i).into_owned();
        let bad = |message: String| fault(Code::BadArgument, span, message);
        let natural = |n: &Int, what: &str| match n.is_negative() {
            true => Err(bad(format!("`{what}` cannot take {n}, which is negative"))),
            false => Ok(()),
        };
        let factored = |n: &Int| bad(format!("{n} cannot be factored: it is 0, or 2^64 or more"));
        let number = |value: Value| match value {
            Value::Int(n) => Ok(n),
            other => Err(self.not_a("number", &other, span)),
        };
        let each_int = |values: &mut dyn Iterator<Item = Value>| -> Result<Vec<Int>, Fault> {
            values.map(number).collect()
        };
        let arguments = || each_int(&mut args.iter().map(|value| (*value).clone()));
        let grid = || match args[0] {
            Value::Grid(grid) => Ok(grid),
            other => Err(self.not_a("grid", other, span)),
        };
        let square = |i: usize| match args[i] {
            Value::Square(square) => Ok(*square),
            other => Err(self.not_a("square", other, span)),
        };
        // A step larger than any grid leaves every grid.
        let steps = |i: usize| -> Result<i64, Fault> {
            Ok(int(i)?.as_i64().filter(|n| n.unsigned_abs() < 1 << 32).unwrap_or(1 << 32))
        };
        let kept = &self.machine.square_lists;
        let lasting = |made: fn(&Grid) -> Value| -> Result<Value, Fault> {
            Ok(kept.get_or_compute(builtin, grid()?, None, made))
        };
        Ok(match builtin {
            B::Abs => Value::Int(int(0)?.abs()),
            B::Sign => Value::int(match int(0)? {
                n if n.is_negative() => -1,
                n if n.is_zero() => 0,
                _ => 1,
            }),
            B::Gcd => Value::Int(arguments()?.iter().fold(Int::ZERO, |all, n| all.gcd(n))),
            B::Lcm => {
                let all = arguments()?.iter().try_fold(Int::ONE, |all, n| theory::lcm(&all, n));
                Value::Int(all.map_err(too_large(span))?)
            }
            B::Coprime => Value::Bool(int(0)?.gcd(int(1)?) == Int::ONE),
            B::Prime => Value::Bool(theory::prime(int(0)?)),
            B::IsSquare => Value::Bool(theory::square(int(0)?)),
            B::Root => {
                natural(int(0)?, "root")?;
                Value::Int(theory::root(int(0)?))
            }
            B::Fibonacci => Value::Bool(theory::fibonacci(int(0)?)),
            B::Even => Value::Bool(Int::from(2).divides(int(0)?)),
            B::Odd => Value::Bool(!Int::from(2).divides(int(0)?)),
            B::Divisors => {
                let n = int(0)?;
                let all = if n.is_zero() { None } else { theory::divisors(n) };
                Value::set(all.ok_or_else(|| factored(n))?.into_iter().map(Value::Int))
            }
            B::Factors => {
                let n = int(0)?;
                let all = if n.is_zero() { None } else { theory::factorisation(n) };
                let all = all.ok_or_else(|| factored(n))?;
                Value::Bag(Arc::new(
                    all.into_iter().map(|(prime, times)| (Value::Int(prime), times)).collect(),
                ))
            }
            B::Factorial => {
                natural(int(0)?, "factorial")?;
                Value::Int(theory::factorial(int(0)?).map_err(too_large(span))?)
            }
            B::Choose => {
                natural(int(0)?, "choose")?;
                natural(int(1)?, "choose")?;
                Value::Int(theory::choose(int(0)?, int(1)?).map_err(too_large(span))?)
            }
            B::Digits => {
                let base = if args.len() > 1 { int(1)?.clone() } else { Int::from(10) };
                natural(int(0)?, "digits")?;
                self.base(&base, span)?;
                Value::list(theory::digits(int(0)?, &base).into_iter().map(Value::Int).collect())
            }
            B::Number => {
                let base = if args.len() > 1 { int(1)?.clone() } else { Int::from(10) };
                self.base(&base, span)?;
                let mut all = Int::ZERO;
                for digit in each_int(&mut of(0))? {
                    if digit.is_negative() || digit >= base {
                        return Err(bad(format!("{digit} is not a digit in base {base}")));
                    }
                    all = all.mul(&base).map_err(too_large(span))?.add(&digit);
                }
                Value::Int(all)
            }
            B::Bit => {
                natural(int(0)?, "bit")?;
                natural(int(1)?, "bit")?;
                Value::int(i64::from(theory::bit(int(0)?, int(1)?)))
            }
            B::Popcount => {
                natural(int(0)?, "the binary digits")?;
                Value::Int(theory::popcount(int(0)?))
            }
            B::Xor => {
                let mut all = Int::ZERO;
                for n in arguments()? {
                    natural(&n, "the binary digits")?;
                    all = theory::xor(&all, &n);
                }
                Value::Int(all)
            }
            B::Mex => {
                let present: BTreeSet<Int> = each_int(&mut of(0))?.into_iter().collect();
                let mut least = Int::ZERO;
                while present.contains(&least) {
                    least = least.add(&Int::ONE);
                }
                Value::Int(least)
            }
            B::Min => Value::Int(arguments()?.into_iter().min().unwrap_or(Int::ZERO)),
            B::Max => Value::Int(arguments()?.into_iter().max().unwrap_or(Int::ZERO)),
            B::Present => match args[0] {
                Value::None => {
                    return Err(fault(
                        Code::NothingThere,
                        span,
                        "`value` was used on something that is none",
                    ));
                }
                value => value.clone(),
            },
            B::Size => Value::int(match args[0] {
                Value::List(items) => items.len(),
                Value::Set(items) => items.len(),
                Value::Bag(items) => items.values().sum(),
                other => each(other).count(),
            }),
            B::Empty => Value::Bool(match args[0] {
                Value::Grid(grid) => grid.cells.iter().all(|cell| matches!(cell, Value::None)),
                other => each(other).next().is_none(),
            }),
            B::Full => Value::Bool(match args[0] {
                Value::Grid(grid) => !grid.cells.contains(&Value::None),
                _ => false,
            }),
            B::Runs => {
                let items = row(0);
                Value::list(items.chunk_by(|a, b| a == b).map(|run| Value::int(run.len())).collect())
            }
            B::ToBag => Value::bag(of(0)),
            B::ToSet => Value::set(of(0)),
            B::ToList => Value::list(items(0)),
            B::Sorted => {
                let mut items = items(0);
                items.sort();
                Value::list(items)
            }
            B::Reversed => {
                let mut items = items(0);
                items.reverse();
                Value::list(items)
            }
            B::Rotated => {
                let mut items = items(0);
                if !items.is_empty() {
                    let by = int(1)?.modulo(&Int::from(items.len())).and_then(|n| n.as_usize()).unwrap_or(0);
                    items.rotate_left(by);
                }
                Value::list(items)
            }
            B::Distinct => Value::Bool(tally(&row(0)).values().all(|times| *times == 1)),
            B::Once => {
                let items = row(0);
                let tally = tally(&items);
                Value::set(tally.into_iter().filter(|(_, times)| *times == 1).map(|(item, _)| item.clone()))
            }
            B::Copies => Value::int(match args[1] {
                Value::Bag(bag) => bag.get(args[0]).copied().unwrap_or(0),
                other => each(other).filter(|item| item == args[0]).count(),
            }),
            B::Sum => Value::Int(each_int(&mut of(0))?.iter().fold(Int::ZERO, |sum, n| sum.add(n))),
            B::Product => {
                let mut all = Int::ONE;
                for n in each_int(&mut of(0))? {
                    all = all.mul(&n).map_err(too_large(span))?;
                }
                Value::Int(all)
            }
            B::Largest => of(0).max().ok_or_else(|| self.empty(span))?,
            B::Smallest => of(0).min().ok_or_else(|| self.empty(span))?,
            B::First => of(0).next().ok_or_else(|| self.empty(span))?,
            B::Last => match args[0] {
                Value::List(items) => items.last().cloned(),
                other => each(other).last(),
            }
            .ok_or_else(|| self.empty(span))?,
            B::JoinLists => match (args[0], args[1]) {
                (Value::Set(a), Value::Set(b)) => Value::Set(Arc::new(a.union(b).cloned().collect())),
                (Value::Bag(_), _) => Value::bag(of(0).chain(of(1))),
                _ => {
                    let mut joined = items(0);
                    joined.extend(of(1));
                    self.check_size(joined.len(), span)?;
                    Value::list(joined)
                }
            },
            B::CopiesOf => {
                let count = int(0)?;
                let size = count.as_usize().ok_or_else(|| bad(format!("{count} copies cannot be made")))?;
                self.check_size(size, span)?;
                Value::list(vec![args[1].clone(); size])
            }
            B::Positions => {
                let places = of(1).enumerate().filter(|(_, item)| item == args[0]);
                Value::list(places.map(|(at, _)| Value::int(at + 1)).collect())
            }
            B::Occurs => {
                let (part, whole) = (row(0), row(1));
                Value::Bool(part.is_empty() || whole.windows(part.len()).any(|window| *window == *part))
            }
            B::Palindrome => {
                let items = row(0);
                Value::Bool(items.iter().eq(items.iter().rev()))
            }
            B::Pairs => {
                let items = row(0);
                self.check_size(items.len() * items.len().saturating_sub(1) / 2, span)?;
                let pair = |(i, a): (usize, &Value)| -> Vec<Value> {
                    items[i + 1..].iter().map(|b| Value::list(vec![a.clone(), b.clone()])).collect()
                };
                Value::list(items.iter().enumerate().flat_map(pair).collect())
            }
            B::Union | B::Common | B::Without => together(builtin, args[0], args[1]),
            B::Subset => {
                let (a, b) = (row(0), row(1));
                let b = tally(&b);
                Value::Bool(tally(&a).iter().all(|(item, times)| match args[0] {
                    Value::Bag(_) => b.get(item).is_some_and(|n| n >= times),
                    _ => b.contains_key(item),
                }))
            }
            B::Joined => Value::Text(text::joined(&self.machine.game, &row(0)).into()),
            B::Rows => lasting(|grid| geometry::lines_in(grid, &[(0, 1)]))?,
            B::Columns => lasting(|grid| geometry::lines_in(grid, &[(1, 0)]))?,
            B::Diagonals => lasting(|grid| geometry::lines_in(grid, &[(1, 1), (1, -1)]))?,
            B::Squares => lasting(geometry::squares)?,
            B::Edge => lasting(geometry::edge)?,
            B::Corners => lasting(geometry::corners)?,
            B::Lines => {
                let size = steps(1)?;
                kept.get_or_compute(builtin, grid()?, Some(args[1]), |grid| geometry::lines_of(grid, size))
            }
            B::Beside => geometry::near(grid()?, square(1)?, |rows, columns| rows.abs() + columns.abs() == 1),
            B::Around => geometry::near(grid()?, square(1)?, |rows, columns| (rows, columns) != (0, 0)),
            B::Hexes => geometry::near(grid()?, square(1)?, |rows, columns| rows != columns),
            B::Straight => geometry::straight(grid()?, square(1)?, steps(2)?),
            B::Ray => geometry::ray(grid()?, square(1)?, steps(2)?, steps(3)?),
            B::Step => {
                geometry::moved(grid()?, square(1)?, steps(2)?, steps(3)?).map_or(Value::None, Value::Square)
            }
            B::Wrapped => geometry::wrapped(grid()?, square(1)?, steps(2)?, steps(3)?),
            B::Rectangle => geometry::rectangle(grid()?, square(1)?, square(2)?),
            B::Regions => geometry::regions(args[0]),
            B::Following => {
                let (ring, count) = (row(1), int(2)?);
                let size =
                    count.as_usize().ok_or_else(|| bad(format!("{count} elements cannot be taken")))?;
                self.check_size(size, span)?;
                let at = ring.iter().position(|item| item == args[0]).ok_or_else(|| {
                    let (item, ring) =
                        (text::words(&self.machine.game, args[0]), text::words(&self.machine.game, args[1]));
                    fault(Code::NoSuchElement, span, format!("{item} is not in {ring}"))
                })?;
                Value::list((1..=size).map(|k| ring[(at + k) % ring.len()].clone()).collect())
            }
            B::Determinant => {
                let rows: Vec<Vec<Value>> = match args[0] {
                    Value::Grid(grid) => {
                        grid.cells.chunks(grid.columns.max(1) as usize).map(<[Value]>::to_vec).collect()
                    }
                    other => each(other).map(|row| elements(&row)).collect(),
                };
                if rows.iter().any(|row| row.len() != rows.len()) {
                    return Err(bad(format!("{} rows do not form a square", rows.len())));
                }
                let rows: Result<Vec<Vec<Int>>, Fault> =
                    rows.into_iter().map(|row| each_int(&mut row.into_iter())).collect();
                Value::Int(theory::determinant(rows?).map_err(too_large(span))?)
            }
            B::Inverse => {
                let row = row(0);
                let places: Option<Vec<Value>> = (1..=row.len())
                    .map(|n| row.iter().position(|item| *item == Value::int(n)).map(|at| Value::int(at + 1)))
                    .collect();
                let why = || {
                    bad(format!(
                        "{} is not a rearrangement of 1 to {}",
                        text::words(&self.machine.game, args[0]),
                        row.len()
                    ))
                };
                Value::list(places.ok_or_else(why)?)
            }
            B::Row | B::Column => match (args[0], builtin) {
                (Value::Square(square), B::Row) => Value::int(i64::from(square.row)),
                (Value::Square(square), _) => Value::int(i64::from(square.column)),
                (other, _) => return Err(self.not_a("square", other, span)),
            },
            B::Others | B::After | B::Before | B::Index => {
                let Value::Player(seat) = *args[0] else { return Err(self.not_a("player", args[0], span)) };
                let n = self.machine.setup.players;
                match builtin {
                    B::Others => Value::list((1..n).map(|k| Value::Player((seat + k) % n)).collect()),
                    B::After => Value::Player((seat + 1) % n),
                    B::Before => Value::Player((seat + n - 1) % n),
                    _ => Value::int(seat + 1),
                }
            }
            B::Seat => {
                let place = int(0)?.sub(&Int::ONE).modulo(&Int::from(self.machine.setup.players));
                Value::Player(place.and_then(|n| n.as_usize()).unwrap_or(0))
            }
        })
    }

    fn base(&self, base: &Int, span: Span) -> Result<(), Fault> {
        if *base < Int::from(2) {
            return Err(fault(
                Code::BadArgument,
                span,
                format!("{base} cannot be a base; it must be 2 or more"),
            ));
        }
        Ok(())
    }

    fn empty(&self, span: Span) -> Fault {
        fault(Code::NoSuchElement, span, "there is nothing to take: the collection is empty")
    }
}

/// Returns the union, intersection or difference of sets, bags (counting copies) or lists (keeping order).
fn together(builtin: Builtin, a: &Value, b: &Value) -> Value {
    if let (Value::Set(a), Value::Set(b)) = (a, b) {
        return Value::Set(Arc::new(match builtin {
            Builtin::Union => a.union(b).cloned().collect(),
            Builtin::Common => a.intersection(b).cloned().collect(),
            _ => a.difference(b).cloned().collect(),
        }));
    }
    let mut rest = match Value::bag(each(b)) {
        Value::Bag(bag) => (*bag).clone(),
        _ => Default::default(),
    };
    let mut take = |item: &Value| match rest.get_mut(item) {
        Some(times) if *times > 0 => {
            *times -= 1;
            true
        }
        _ => false,
    };
    let mut kept = Vec::new();
    for item in each(a) {
        let shared = take(&item);
        let keep = match builtin {
            Builtin::Union => true,
            Builtin::Common => shared,
            _ => !shared,
        };
        if keep {
            kept.push(item);
        }
    }
    if builtin == Builtin::Union {
        kept.extend(rest.into_iter().flat_map(|(item, times)| std::iter::repeat_n(item, times)));
    }
    match a {
        Value::Bag(_) => Value::bag(kept),
        _ => Value::list(kept),
    }
}
