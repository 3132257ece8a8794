//! Builtins.

use crate::ir::{Arith, Builtin, Expr, ExprKind, Type};
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::position::total_at;
use crate::jit::layout::shape::{Keys, LIMIT, NONE, Planes, Scalar, Sort};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::lower::expr::regions::regions_source;
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Lowers a builtin to its value.
    pub fn builtin(&mut self, builtin: Builtin, args: &[Expr], e: &Expr) -> Result<Val> {
        use Builtin as B;
        if let Some(v) = self.builtin_condition(builtin, args)? {
            return Ok(Val::Word(self.bool_word(v)));
        }
        if let Some(numbered) = self.numbered(builtin, args)? {
            return self.builtin_by_numbers(builtin, &numbered, e);
        }
        let number = |v: V, lo: i64, hi: i64| Val::Word(Builder::ranged(v, lo, hi));
        Ok(match builtin {
            B::Abs => {
                let a = self.number_of(&args[0])?;
                let v = self.b.ins().iabs(a.v);
                number(v, 0, a.s.lo.saturating_abs().max(a.s.hi.saturating_abs()))
            }
            B::Sign => {
                let a = self.number_of(&args[0])?;
                let (one, less) = (self.int(1), self.int(-1));
                let high = self.b.ins().smin(a.v, one);
                let v = self.b.ins().smax(high, less);
                number(v, -1, 1)
            }
            B::Gcd => {
                let mut all = self.number_of(&args[0])?;
                if args.len() == 1 {
                    let zero = self.int(0);
                    all = Builder::ranged(self.call("gcd", &[all.v, zero])?, 0, LIMIT);
                }
                for arg in &args[1..] {
                    let next = self.number_of(arg)?;
                    all = Builder::ranged(self.call("gcd", &[all.v, next.v])?, 0, LIMIT);
                }
                Val::Word(all)
            }
            B::Root => {
                let a = self.number_of(&args[0])?;
                let negative = self.cmp_imm(IntCC::SignedLessThan, a.v, 0);
                self.bail_out_if(negative);
                number(self.call("root", &[a.v])?, 0, 1 << 31)
            }
            B::Min | B::Max => {
                let mut all = self.number_of(&args[0])?;
                for arg in &args[1..] {
                    let next = self.number_of(arg)?;
                    let (v, lo, hi) = match builtin {
                        B::Min => (
                            self.b.ins().smin(all.v, next.v),
                            all.s.lo.min(next.s.lo),
                            all.s.hi.min(next.s.hi),
                        ),
                        _ => (
                            self.b.ins().smax(all.v, next.v),
                            all.s.lo.max(next.s.lo),
                            all.s.hi.max(next.s.hi),
                        ),
                    };
                    all = Builder::ranged(v, lo, hi);
                }
                Val::Word(all)
            }
            B::Bit => {
                let (n, place) = (self.number_of(&args[0])?, self.number_of(&args[1])?);
                for word in [n, place] {
                    if word.s.lo < 0 {
                        let negative = self.cmp_imm(IntCC::SignedLessThan, word.v, 0);
                        self.bail_out_if(negative);
                    }
                }
                let most = self.int(63);
                let place = self.b.ins().umin(place.v, most);
                let moved = self.b.ins().ushr(n.v, place);
                let v = self.b.ins().band_imm_s(moved, 1);
                number(v, 0, 1)
            }
            B::Popcount => {
                let n = self.number_of(&args[0])?;
                let negative = self.cmp_imm(IntCC::SignedLessThan, n.v, 0);
                self.bail_out_if(negative);
                number(self.b.ins().popcnt(n.v), 0, 63)
            }
            B::Xor => {
                let mut all = self.int(0);
                let mut most = 1i64;
                for arg in args {
                    let next = self.number_of(arg)?;
                    if next.s.lo < 0 {
                        let negative = self.cmp_imm(IntCC::SignedLessThan, next.v, 0);
                        self.bail_out_if(negative);
                    }
                    most = most.max(next.s.hi);
                    all = self.b.ins().bxor(all, next.v);
                }
                let most = (most as u64 + 1).next_power_of_two().min(LIMIT as u64) as i64;
                let word = Builder::ranged(all, 0, LIMIT);
                self.must_fit(Word { s: Scalar::int(0, most.saturating_mul(2)), ..word }, 0, LIMIT);
                number(all, 0, most)
            }
            B::Size => {
                if let Some(squares) = regions_source(&args[0]) {
                    return Ok(number(self.count_regions(squares)?, 0, self.most_regions()));
                }
                let arg = self.expr(&args[0])?;
                let (v, most) = self.size(arg)?;
                number(v, 0, most.unwrap_or(1 << 40))
            }
            B::Row | B::Column => {
                let val = self.expr(&args[0])?;
                let square = self.word_as(val, Sort::Square)?;
                let square = self.require_some(square);
                let squares = self.layout.squares;
                let (part, most) = match builtin {
                    B::Row => (self.b.ins().udiv_imm_s(square.v, squares.stride), squares.rows),
                    _ => (self.b.ins().urem_imm_s(square.v, squares.stride), squares.stride),
                };
                number(self.b.ins().iadd_imm_s(part, 1), 1, most)
            }
            B::After | B::Before => {
                let who = self.player_of(&args[0])?;
                let n = self.layout.players as i64;
                let (step, over, to) = if builtin == B::After { (1, n, 0) } else { (-1, -1, n - 1) };
                let next = self.b.ins().iadd_imm_s(who.v, step);
                let out = self.cmp_imm(IntCC::Equal, next, over);
                let first = self.int(to);
                let v = self.b.ins().select(out, first, next);
                let s = Scalar { sort: Sort::Player, lo: 0, hi: n - 1, optional: false };
                Val::Word(Word { v, s, known: None })
            }
            B::Index => {
                let who = self.player_of(&args[0])?;
                number(self.b.ins().iadd_imm_s(who.v, 1), 1, self.layout.players as i64)
            }
            B::Seat => {
                let n = self.number_of(&args[0])?;
                let one = self.known(1, Scalar::int(1, 1));
                let from = self.arith(Arith::Sub, n, one)?;
                let players = self.layout.players as i64;
                let all = self.known(players, Scalar::int(players, players));
                let seat = self.arith(Arith::Mod, from, all)?;
                let s = Scalar { sort: Sort::Player, lo: 0, hi: players - 1, optional: false };
                Val::Word(Word { s, ..seat })
            }
            B::Others => {
                let who = self.player_of(&args[0])?;
                let n = self.layout.players as i64;
                let room = self.int(n * 8);
                let at = self.scratch(room);
                for k in 1..n {
                    let sum = self.b.ins().iadd_imm_s(who.v, k);
                    let v = self.b.ins().urem_imm_s(sum, n);
                    self.store64(v, at, (k as i32 - 1) * 8);
                }
                let len = self.int(n - 1);
                let of = Scalar { sort: Sort::Player, lo: 0, hi: n - 1, optional: false };
                Val::List(List::immutable(at, len, of, Some(n - 1)))
            }
            B::ToBag => match self.expr(&args[0])? {
                val @ (Val::Counts { .. } | Val::BagOfList(_)) => val,
                val => {
                    let list = self.list(val)?;
                    Val::BagOfList(list)
                }
            },
            B::ToSet => match self.expr(&args[0])? {
                Val::Bits(bits) | Val::Members(bits) => Val::Bits(bits),
                val @ Val::MemoryBits { .. } => val,
                Val::Counts { at, of } => Val::Bits(self.counted_bits(at, of)),
                val => {
                    let (val, universe) = match val {
                        Val::Span(lo, hi) => (val, Scalar::int(lo.s.lo, hi.s.hi)),
                        val => {
                            let list = self.unordered_list(val)?;
                            (Val::List(list), list.of)
                        }
                    };
                    if universe.optional || universe.words() > REGISTERS {
                        let list = self.list(val)?;
                        return Ok(Val::List(self.set_of_list(list)?));
                    }
                    Val::Bits(self.bits(val, universe)?)
                }
            },
            B::ToList => match self.expr(&args[0])? {
                Val::Bits(bits) => Val::Members(bits),
                val @ (Val::List(_) | Val::Members(_) | Val::Span(..)) => val,
                val @ Val::Pool { .. } => self.realised(val, &args[0].ty)?,
                val => Val::List(self.list(val)?),
            },
            B::Sorted if self.lists_compounds(&args[0].ty) => {
                let list = self.any_list_arg(&args[0])?;
                Val::List(self.sorted(list)?)
            }
            B::Sorted => match self.expr(&args[0])? {
                Val::Bits(bits) | Val::Members(bits) => Val::Members(bits),
                val @ Val::Pool { .. } => self.realised(val, &args[0].ty)?,
                val => {
                    let list = self.unordered_list(val)?;
                    Val::List(self.sorted(list)?)
                }
            },
            B::Reversed | B::Rotated => {
                let list = self.any_list_arg(&args[0])?;
                let by = match args.get(1) {
                    Some(by) => Some(self.number_of(by)?),
                    None => None,
                };
                Val::List(self.reversed_or_rotated(list, by)?)
            }
            B::Once => match self.expr(&args[0])? {
                Val::Bits(bits) | Val::Members(bits) => Val::Bits(bits),
                val => {
                    let list = self.unordered_list(val)?;
                    self.unique_elements(list)?
                }
            },
            B::Inverse => {
                let list = self.list_arg(&args[0])?;
                Val::List(self.inverse(list)?)
            }
            B::Runs => {
                let list = self.list_arg(&args[0])?;
                Val::List(self.run_lengths(list)?)
            }
            B::JoinLists => {
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                match (&a, &e.ty) {
                    (_, Type::Set(_)) => self.set_operation(B::Union, a, b, &e.ty)?,
                    _ if self.lists_compounds(&e.ty) => {
                        let (a, b) = (self.gathered_list(a, &e.ty)?, self.gathered_list(b, &e.ty)?);
                        Val::List(self.joined(a, b)?)
                    }
                    (_, Type::Bag(_)) => {
                        let (a, b) = (self.unordered_list(a)?, self.unordered_list(b)?);
                        Val::BagOfList(self.joined(a, b)?)
                    }
                    _ => {
                        let (a, b) = (self.list(a)?, self.list(b)?);
                        Val::List(self.joined(a, b)?)
                    }
                }
            }
            B::CopiesOf => {
                let (count, value) = (self.number_of(&args[0])?, self.word_of(&args[1])?);
                let negative = self.cmp_imm(IntCC::SignedLessThan, count.v, 0);
                self.bail_out_if(negative);
                let bytes = self.b.ins().ishl_imm_s(count.v, 3);
                self.must_fit(count, 0, 1 << 20);
                let at = self.scratch(bytes);
                self.each_below(count.v, Some(count.s.hi), |this, i, _| {
                    let offset = this.b.ins().ishl_imm_s(i, 3);
                    let place = this.b.ins().iadd(at, offset);
                    this.store64(value.v, place, 0);
                    Ok(())
                })?;
                Val::List(List::immutable(at, count.v, value.s, Some(count.s.hi)))
            }
            B::Copies if is_compound(&args[0].ty) && matches!(args[1].ty, Type::List(_) | Type::Set(_)) => {
                self.copies_among(&args[0], &args[1])?
            }
            B::Copies => {
                let (value, among) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let value = match self.element_scalar(&among) {
                    Some(of) => self.lookup_word(value, of)?,
                    None => self.word(value)?,
                };
                if let Some(bits) = self.picked_with(&among, value) {
                    let v = self.popcount(&bits);
                    let Val::Picked { places, .. } = among else { return unsupported("picked squares") };
                    return Ok(number(v, 0, crate::eval::elements(&places).len() as i64));
                }
                match among {
                    Val::Counts { at, of } => number(self.count_of(at, of, value), 0, 1 << 32),
                    Val::Bits(bits) | Val::Members(bits) => {
                        let has = self.has_bit(&bits, value);
                        Val::Word(Word { s: Scalar::int(0, 1), ..self.bool_word(has) })
                    }
                    val => {
                        let list = self.unordered_list(val)?;
                        let zero = self.int(0);
                        let count = self.var(zero);
                        self.each_item(list, |this, item, _| {
                            let same = this.cmp(IntCC::Equal, item.v, value.v);
                            this.count_if(count, same);
                            Ok(())
                        })?;
                        number(self.b.use_var(count), 0, list.most.unwrap_or(1 << 40))
                    }
                }
            }
            B::Positions => {
                let value = self.expr(&args[0])?;
                let list = self.list_arg(&args[1])?;
                let value = self.lookup_word(value, list.of)?;
                let bytes = self.b.ins().ishl_imm_s(list.len, 3);
                let words = self.words_in_scratch(bytes);
                let zero = self.int(0);
                let seen = self.var(zero);
                self.each_item(list, |this, item, _| {
                    let i = this.b.use_var(seen);
                    let next = this.b.ins().iadd_imm_s(i, 1);
                    this.b.def_var(seen, next);
                    let same = this.cmp(IntCC::Equal, item.v, value.v);
                    let same = this.b.ins().uextend(types::I64, same);
                    this.append_if(same, words, next);
                    Ok(())
                })?;
                let len = self.word_count(words);
                let of = Scalar::int(1, list.most.unwrap_or(1 << 40).max(1));
                Val::List(List::immutable(words.at, len, of, list.most))
            }
            B::Sum | B::Product => {
                let arg = self.expr(&args[0])?;
                let list = self.unordered_list(arg)?;
                let first = self.int(i64::from(builtin == B::Product));
                let all = self.var(first);
                let bounded = list.most.filter(|_| builtin == B::Sum).map(i128::from);
                let (lo, hi) = (i128::from(list.of.lo), i128::from(list.of.hi));
                let range = bounded.map(|n| ((lo * n).min(0), (hi * n).max(0)));
                let limit = i128::from(LIMIT);
                let safe = range.is_some_and(|(lo, hi)| lo >= -limit && hi <= limit);
                self.each_item(list, |this, item, _| {
                    let so_far = this.b.use_var(all);
                    let item = this.require_some(item);
                    let next = match builtin {
                        B::Sum if safe => this.b.ins().iadd(so_far, item.v),
                        B::Sum => {
                            let sum = this.b.ins().iadd(so_far, item.v);
                            this.within(sum, -2 * limit, 2 * limit).v
                        }
                        _ => {
                            let so_far = Builder::ranged(so_far, -LIMIT, LIMIT);
                            this.arith(Arith::Mul, so_far, item)?.v
                        }
                    };
                    this.b.def_var(all, next);
                    Ok(())
                })?;
                let v = self.b.use_var(all);
                match range.filter(|_| safe) {
                    Some((lo, hi)) => number(v, lo as i64, hi as i64),
                    None => number(v, -LIMIT, LIMIT),
                }
            }
            B::Largest | B::Smallest | B::First | B::Last => match (builtin, self.expr(&args[0])?) {
                (B::First | B::Last, Val::Cells { at, cells }) => {
                    self.end_cell(at, &cells, builtin == B::First)?
                }
                (builtin, arg) => {
                    let one = self.picked_one(builtin, arg)?;
                    self.opened(one)
                }
            },
            B::Following => {
                let from = self.word_of(&args[0])?;
                let ring = self.list_arg(&args[1])?;
                let count = self.number_of(&args[2])?;
                let place = self.index_of(ring, from)?;
                Val::List(self.elements_after(place, ring, count)?)
            }
            B::Union | B::Common | B::Without => {
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                self.set_operation(builtin, a, b, &e.ty)?
            }
            B::Regions => self.regions(&args[0])?,
            B::Divisors | B::Factors => match self.by_table(builtin, args, e)? {
                Some(val) => val,
                None if builtin == B::Divisors => Val::List(self.dividing("divisors", &args[0])?),
                None => Val::BagOfList(self.dividing("factors", &args[0])?),
            },
            B::Digits => Val::List(self.digits(&args[0], args.get(1))?),
            B::Number => Val::Word(self.number_of_digits(&args[0], args.get(1))?),
            B::Present => match self.expr(&args[0])? {
                val if is_compound(&e.ty) => self.present(val)?,
                val => {
                    let word = self.word_as(val, self.type_scalar(&e.ty).map_or(Sort::Int, |of| of.sort))?;
                    Val::Word(self.require_some(word))
                }
            },
            B::Pairs => self.pairs_of(&args[0])?,
            B::Step | B::Wrapped => match self.by_table(builtin, args, e)? {
                Some(val) => val,
                None => return self.stepped(builtin, args),
            },
            B::Lcm | B::Choose | B::Factorial => match self.by_table(builtin, args, e)? {
                Some(val) => val,
                None => {
                    let args: Result<Vec<V>> =
                        args.iter().map(|arg| self.number_of(arg).map(|word| word.v)).collect();
                    let mut args = args?.into_iter();
                    let found = match builtin {
                        B::Lcm => {
                            let first = args.next().unwrap_or_else(|| self.int(1));
                            let second = args.next().unwrap_or(first);
                            let mut all = self.number_by_call("lcm", &[first, second])?;
                            for next in args {
                                all = self.number_by_call("lcm", &[all, next])?;
                            }
                            all
                        }
                        B::Choose => self.number_by_call("choose", &args.collect::<Vec<V>>())?,
                        _ => self.number_by_call("factorial", &args.collect::<Vec<V>>())?,
                    };
                    number(found, 0, LIMIT)
                }
            },
            _ => match self.by_table(builtin, args, e)? {
                Some(val) => val,
                None => return unsupported(format!("`{}` of values that change", builtin.name())),
            },
        })
    }

    /// Calls a helper that returns a number, and bails out if it has none that code can hold.
    pub(super) fn number_by_call(&mut self, helper: &'static str, args: &[V]) -> Result<V> {
        let found = self.call(helper, args)?;
        let none = self.cmp_imm(IntCC::Equal, found, NONE);
        self.bail_out_for(BailOutReason::Large, none);
        Ok(found)
    }

    /// Lowers a builtin that is a condition; `None` for other builtins.
    pub fn builtin_condition(&mut self, builtin: Builtin, args: &[Expr]) -> Result<Option<V>> {
        use Builtin as B;
        if let B::Subset | B::Distinct | B::Occurs | B::Palindrome = builtin
            && let Some(numbered) = self.numbered(builtin, args)?
        {
            return self.builtin_condition(builtin, &numbered.args);
        }
        Ok(Some(match builtin {
            B::Even | B::Odd => {
                let n = self.number_of(&args[0])?;
                let bit = self.b.ins().band_imm_s(n.v, 1);
                self.cmp_imm(IntCC::Equal, bit, i64::from(builtin == B::Odd))
            }
            B::Coprime => {
                let (a, b) = (self.number_of(&args[0])?, self.number_of(&args[1])?);
                let all = self.call("gcd", &[a.v, b.v])?;
                self.cmp_imm(IntCC::Equal, all, 1)
            }
            B::Prime | B::IsSquare | B::Fibonacci => {
                let n = self.number_of(&args[0])?;
                let name = match builtin {
                    B::Prime => "prime",
                    B::IsSquare => "square",
                    _ => "fibonacci",
                };
                let v = self.call(name, &[n.v])?;
                self.cmp_imm(IntCC::NotEqual, v, 0)
            }
            B::Empty | B::Full => {
                let arg = self.expr(&args[0])?;
                if let Some(v) = self.filled_throughout(&arg, builtin == B::Full)? {
                    return Ok(Some(v));
                }
                if let Val::Keyed { at, shape, .. } = &arg
                    && shape.planes != Planes::Off
                {
                    let words = self.layout.squares.scalar().words();
                    let gaps = self.load_words(*at, words);
                    let wanted = match builtin {
                        B::Full => vec![0; words],
                        _ => self.mask_of_keys(shape.keys),
                    };
                    let wanted = self.static_bits(&wanted);
                    return Ok(Some(self.same_bits(&gaps, &wanted)));
                }
                if builtin == B::Full {
                    return unsupported(format!("whether {} is full", arg.kind()));
                }
                if let Val::Bits(bits) | Val::Members(bits) = &arg {
                    let any = self.any_bit(bits);
                    return Ok(Some(self.b.ins().bxor_imm_s(any, 1)));
                }
                let (size, _) = self.size(arg)?;
                self.cmp_imm(IntCC::Equal, size, 0)
            }
            B::Distinct => {
                let list = self.list_arg(&args[0])?;
                let sorted = self.sorted(list)?;
                let first = self.int(1);
                let last = self.b.ins().iadd_imm_s(sorted.len, -1);
                self.all_hold(first, last, sorted.most, |this, i| {
                    let before = this.b.ins().iadd_imm_s(i, -1);
                    let (a, b) = (this.element(sorted, before), this.element(sorted, i));
                    Ok(this.cmp(IntCC::NotEqual, a.v, b.v))
                })?
            }
            B::Occurs => {
                let (part, whole) = (self.list_arg(&args[0])?, self.list_arg(&args[1])?);
                self.occurs(part, whole)?
            }
            B::Palindrome => {
                let list = self.list_arg(&args[0])?;
                let zero = self.int(0);
                let last = self.b.ins().iadd_imm_s(list.len, -1);
                let half = self.b.ins().ushr_imm_s(list.len, 1);
                let half = self.b.ins().iadd_imm_s(half, -1);
                self.all_hold(zero, half, list.most, |this, i| {
                    let back = this.b.ins().isub(last, i);
                    let (a, b) = (this.element(list, i), this.element(list, back));
                    Ok(this.cmp(IntCC::Equal, a.v, b.v))
                })?
            }
            _ => return Ok(None),
        }))
    }

    pub(in crate::jit) fn list_arg(&mut self, e: &Expr) -> Result<List> {
        let val = self.expr(e)?;
        self.list(val)
    }

    /// Returns a mask of the places of keys.
    pub fn mask_of_keys(&self, keys: Keys) -> Vec<u64> {
        let squares = self.layout.squares;
        let mut words = vec![0u64; keys.scalar(squares).words()];
        keys.each_place(squares).for_each(|place| set_mask_bit(&mut words, place));
        words
    }

    /// Returns the size of a collection, and the maximum size if it is known.
    pub fn size(&mut self, val: Val) -> Result<(V, Option<i64>)> {
        Ok(match val {
            Val::Bits(bits) | Val::Members(bits) => (self.popcount(&bits), Some(bits.of.size())),
            Val::List(list) | Val::BagOfList(list) => (list.len, list.most),
            Val::Picked { places, .. } => return self.size(Val::Const(places)),
            Val::Span(lo, hi) => {
                let most = hi.s.hi.saturating_sub(lo.s.lo).saturating_add(1).clamp(0, LIMIT);
                (self.span_len(lo, hi), Some(most))
            }
            Val::MemoryBits { at, of } => {
                let zero = self.int(0);
                let (count, last) = (self.var(zero), self.int(of.words() as i64 - 1));
                self.each_int(zero, last, Some(of.words() as i64), |this, i, _| {
                    let offset = this.b.ins().ishl_imm_s(i, 3);
                    let place = this.b.ins().iadd(at, offset);
                    let word = this.load64(place, 0);
                    let bits = this.b.ins().popcnt(word);
                    let so_far = this.b.use_var(count);
                    let next = this.b.ins().iadd(so_far, bits);
                    this.b.def_var(count, next);
                    Ok(())
                })?;
                (self.b.use_var(count), Some(of.size()))
            }
            Val::Counts { at, of } => (self.load64(at, total_at(of)), None),
            Val::Keyed { shape, .. } => {
                let n = shape.keys.count();
                (self.int(n), Some(n))
            }
            Val::Cells { at, cells } => self.cell_count(at, cells.index),
            Val::Pool { handle, .. } => {
                let base = self.base();
                let at = self.b.ins().iadd(base, handle);
                (self.load64(at, 8), None)
            }
            Val::Const(value) => {
                let n = crate::eval::elements(&value).len() as i64;
                (self.int(n), Some(n))
            }
            other => return unsupported(format!("the size of {}", other.kind())),
        })
    }

    /// Lowers a step on a grid of known size, by distances that no table covers.
    pub(in crate::jit) fn stepped(&mut self, builtin: Builtin, args: &[Expr]) -> Result<Val> {
        let ExprKind::Table(state) = &args[0].kind else {
            return unsupported("a step on a grid that changes");
        };
        let Some(Keys::Squares { rows: height, columns: width }) = self.layout.states[*state].shape.keys()
        else {
            return unsupported("a step on no grid");
        };
        let val = self.expr(&args[1])?;
        let square = self.word_as(val, Sort::Square)?;
        let square = self.require_some(square);
        let (rows, columns) = (self.number_of(&args[2])?, self.number_of(&args[3])?);
        self.must_fit(rows, -(1 << 31), 1 << 31);
        self.must_fit(columns, -(1 << 31), 1 << 31);
        let squares = self.layout.squares;
        let (row, column) = (
            self.b.ins().udiv_imm_s(square.v, squares.stride),
            self.b.ins().urem_imm_s(square.v, squares.stride),
        );
        if builtin == Builtin::Wrapped {
            let mut round = |at: V, by: Word, size: i64| {
                let size = self.known(size, Scalar::int(size, size));
                let to =
                    self.arith(Arith::Add, Builder::ranged(at, 0, squares.stride.max(squares.rows)), by)?;
                self.arith(Arith::Mod, to, size)
            };
            let (row, column) = (round(row, rows, height)?, round(column, columns, width)?);
            let up = self.b.ins().imul_imm_s(row.v, squares.stride);
            let v = self.b.ins().iadd(up, column.v);
            return Ok(Val::Word(Word { v, s: squares.scalar(), known: None }));
        }
        let (row, column) = (self.b.ins().iadd(row, rows.v), self.b.ins().iadd(column, columns.v));
        let high = self.cmp_imm(IntCC::UnsignedLessThan, row, height);
        let wide = self.cmp_imm(IntCC::UnsignedLessThan, column, width);
        let on = self.b.ins().band(high, wide);
        let up = self.b.ins().imul_imm_s(row, squares.stride);
        let to = self.b.ins().iadd(up, column);
        let none = self.int(NONE);
        let v = self.b.ins().select(on, to, none);
        Ok(Val::Word(Word { v, s: Scalar { optional: true, ..squares.scalar() }, known: None }))
    }
}
