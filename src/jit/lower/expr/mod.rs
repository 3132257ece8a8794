//! Lowers expressions to words, bits and lists.

pub mod bags;
pub mod builtins;
pub mod cells;
pub mod conditions;
pub mod convert;
pub mod counts;
pub mod digits;
pub mod each;
pub mod either;
pub mod entry;
pub mod fold;
pub mod gathered;
pub mod if_else;
pub mod kept_sets;
pub mod keyed;
pub mod known_lines;
pub mod lines;
pub mod lists;
pub mod lookups;
pub mod masks;
pub mod membership;
pub mod memoised;
pub mod numbered;
pub mod optional;
pub mod precomputed;
pub mod regions;
pub mod relations;
pub mod sets;
pub mod static_masks;
pub mod thresholds;
pub mod tuple;

use crate::ir::{Arith, Domain, Expr, ExprKind, Lambda, Slot, StateId, Type, Value as Known};
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::state::{Locals, SlotVars};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::bits::{bits_among, members};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::position;
use crate::jit::layout::shape::{LIMIT, Length, NONE, Scalar, Shape, Sort};
use crate::jit::layout::slots::{REGISTERS, SlotShape};
use crate::jit::mir::IntCC;

impl Builder<'_> {
    // ---- locals and state

    /// Returns a local value.
    pub fn local(&mut self, slot: Slot) -> Result<Val> {
        if let Some(val) = self.locals.bound.get(&slot) {
            return Ok(val.clone());
        }
        let found = if self.locals.automaton { self.vars.get(&slot).cloned() } else { None };
        let Some(slot_vars) = found else {
            return unsupported("a local value of a type that compiled code cannot hold");
        };
        let vars = self.slot_words(&slot_vars);
        let opaque = matches!(slot_vars.shape, SlotShape::Opaque(_));
        if self.maybe_unset.contains(&slot) && !vars.is_empty() && !opaque {
            let is_unset = self.cmp_imm(IntCC::Equal, vars[0], crate::jit::layout::shape::UNSET);
            self.bail_out_if(is_unset);
        }
        Ok(self.slot_value(&slot_vars.shape, vars))
    }

    /// Returns the value in a slot of a shape, given its words.
    pub(in crate::jit) fn slot_value(&mut self, shape: &SlotShape, words: Vec<V>) -> Val {
        match shape {
            SlotShape::Word(s) => Val::Word(Word { v: words[0], s: *s, known: None }),
            SlotShape::Bits(of) => Val::Bits(Bits { words, of: *of }),
            SlotShape::Members(of) => Val::Members(Bits { words, of: *of }),
            SlotShape::List(of) | SlotShape::Set(of) => {
                Val::List(List::immutable(words[0], words[1], *of, None))
            }
            SlotShape::Bag(of) => Val::BagOfList(List::immutable(words[0], words[1], *of, None)),
            SlotShape::Opaque(_) => Val::Opaque(words[0]),
            SlotShape::Kept(of) => self.named(words[0], of),
            SlotShape::Span => {
                let [low, high] = [words[0], words[1]].map(|word| Builder::ranged(word, -LIMIT, LIMIT));
                Val::Span(low, high)
            }
            SlotShape::Fixed(values) => Val::Const(Known::list(values.clone())),
        }
    }

    /// Returns the words of a slot.
    pub(in crate::jit) fn slot_words(&mut self, slot: &SlotVars) -> Vec<V> {
        if let Some(word) = slot.always {
            return vec![self.int(word)];
        }
        let words = slot.vars.iter().map(|var| self.b.use_var(*var)).collect::<Vec<V>>();
        match slot.counter_offset {
            None => words,
            Some(more) => words.into_iter().map(|word| self.b.ins().iadd_imm_s(word, more)).collect(),
        }
    }

    /// Returns the address of a piece of state.
    pub fn state_at(&mut self, state: StateId, owner: Option<Word>) -> V {
        let place = &self.layout.states[state];
        let (at, stride) = (i64::from(place.at), i64::from(place.stride));
        let base = self.base();
        match owner {
            None => self.b.ins().iadd_imm_s(base, at),
            Some(Word { known: Some(seat), .. }) => self.b.ins().iadd_imm_s(base, at + seat * stride),
            Some(owner) => {
                let from = self.entry_at(base, owner.v, stride);
                self.b.ins().iadd_imm_s(from, at)
            }
        }
    }

    /// Returns the value of a piece of state; bails out if it is unwritten.
    pub fn state(&mut self, state: StateId, owner: Option<Word>) -> Result<Val> {
        let place = self.layout.states[state].clone();
        if matches!(place.shape, Shape::Opaque) {
            return unsupported(self.only_interpreted(state));
        }
        let at = self.state_at(state, owner);
        if let Some(flag) = place.flag {
            let written = self.load_u(1, at, flag);
            let is_unset = self.cmp_imm(IntCC::Equal, written, 0);
            self.bail_out_if(is_unset);
        }
        self.in_place(&place.shape, place.unset, at)
    }

    /// Returns the value of a shape at an address.
    pub fn in_place(&mut self, shape: &Shape, unset: bool, at: V) -> Result<Val> {
        Ok(match shape {
            Shape::Scalar(of) => Val::Word(self.load_scalar(*of, unset, at, 0)),
            Shape::Bits(of) if of.words() <= REGISTERS => {
                let words = self.load_words(at, of.words());
                Val::Bits(Bits { words, of: *of })
            }
            Shape::Bits(of) => Val::MemoryBits { at, of: *of },
            Shape::Counts(of) => Val::Counts { at, of: *of },
            Shape::List(Length::Growing, of) => {
                let block = self.load_u(4, at, 0);
                let offset = self.b.ins().ishl_imm_s(block, 3);
                let base = self.base();
                let first = self.b.ins().iadd(base, offset);
                let len = self.load64(at, 8);
                Val::List(List {
                    at: first,
                    len,
                    width: of.width(),
                    of: *of,
                    most: None,
                    exact: None,
                    immutable: false,
                })
            }
            Shape::Sorted(of) => match self.in_place(&Shape::List(Length::Growing, *of), false, at)? {
                Val::List(list) => Val::BagOfList(list),
                other => other,
            },
            Shape::List(length, of) => {
                let first = self.b.ins().iadd_imm_s(at, i64::from(position::list_head(*of)));
                let (len, most, exact) = match length {
                    Length::Always(n) => (self.int(*n), Some(*n), Some(*n)),
                    Length::Exactly(n) | Length::AtMost(n) => (self.load_u(4, at, 0), Some(*n), None),
                    Length::Growing => (self.load64(at, 8), None, None),
                };
                Val::List(List { at: first, len, width: of.width(), of: *of, most, exact, immutable: false })
            }
            Shape::Keyed(shape) => Val::Keyed { at, shape: *shape, unset: unset && !shape.of.optional },
            Shape::Pool(of) => {
                let base = self.base();
                let handle = self.b.ins().isub(at, base);
                Val::Pool { handle, of: (**of).clone() }
            }
            Shape::Cells(cells) => Val::Cells { at, cells: cells.clone() },
            Shape::Parts(parts) => {
                let places = parts.iter().zip(position::part_offsets(parts, self.layout.squares));
                let parts: Result<Vec<Val>> = places
                    .map(|(part, offset)| {
                        let at = self.b.ins().iadd_imm_s(at, i64::from(offset));
                        self.in_place(part, false, at)
                    })
                    .collect();
                Val::Tuple(parts?)
            }
            Shape::Opaque => {
                return unsupported("a value of a type that compiled code does not hold");
            }
        })
    }

    // ---- expressions

    /// Lowers an expression to its value.
    pub fn expr(&mut self, e: &Expr) -> Result<Val> {
        self.node()?;
        if let Some(value) = self.constant(e) {
            return Ok(Val::Const(value));
        }
        if let Some(val) = self.tabulated(e)? {
            return Ok(val);
        }
        let kept = self.memoised(e, |this, own| this.or_interpreted(own, |this| this.expr_kind(own)))?;
        let val = match kept {
            Some(val) => val,
            None => self.or_interpreted(e, |this| this.expr_kind(e))?,
        };
        // What is known not to be none is used as what it is.
        if let Type::Optional(_) = e.ty { Ok(val) } else { self.present(val) }
    }

    pub(in crate::jit) fn expr_kind(&mut self, e: &Expr) -> Result<Val> {
        Ok(match &e.kind {
            ExprKind::Value(value) => Val::Const(value.clone()),
            ExprKind::Option(id) => Val::Const(self.machine.setup.options[*id].clone()),
            ExprKind::Constant(id) => Val::Const(self.machine.setup.constants[*id].clone()),
            ExprKind::Local(slot) => self.local(*slot)?,
            ExprKind::Table(state) => self.state(*state, None)?,
            ExprKind::Own(state, owner) => {
                let owner = self.player_of(owner)?;
                self.state(*state, Some(owner))?
            }
            ExprKind::Players => {
                Val::Const(Known::list((0..self.layout.players).map(Known::Player).collect()))
            }
            ExprKind::Standing => Val::Members(self.standing()),
            ExprKind::Score(who) => {
                let who = self.player_of(who)?;
                Val::Word(self.score(who)?)
            }
            ExprKind::Negative(a) => {
                let a = self.number_of(a)?;
                let v = self.b.ins().ineg(a.v);
                Val::Word(self.within(v, -i128::from(a.s.hi), -i128::from(a.s.lo)))
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.number_of(a)?, self.number_of(b)?);
                Val::Word(self.arith(*op, a, b)?)
            }
            ExprKind::IsIn(_)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Compare(..)
            | ExprKind::In(..)
            | ExprKind::IsNone(_) => {
                let v = self.condition(e)?;
                Val::Word(self.bool_word(v))
            }
            ExprKind::If(arms, otherwise) => self.if_else(e, arms, otherwise)?,
            ExprKind::Text(_) => return unsupported("a text"),
            ExprKind::Call(..) => return unsupported("a function that would be too much code"),
            ExprKind::Let(slots, value, body) => self.with_let(slots, value, |this| this.expr(body))?,
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, e)?,
            ExprKind::Tuple(parts) => {
                let parts: Result<Vec<Val>> = parts.iter().map(|part| self.expr(part)).collect();
                Val::Tuple(parts?)
            }
            ExprKind::List(parts) => match e.ty.element() {
                Some(of) if is_compound(&of) => {
                    let vals = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<Val>>>()?;
                    Val::List(self.gathered_from(vals, &of)?)
                }
                _ => Val::List(self.list_of(parts, &e.ty)?),
            },
            ExprKind::Set(parts) => self.set_of(parts, &e.ty)?,
            ExprKind::Part(tuple, at) => match self.expr(tuple)? {
                Val::Const(Known::List(parts)) => Val::Const(parts[*at].clone()),
                val => {
                    let count = if let Type::Tuple(types) = &tuple.ty { types.len() } else { 0 };
                    match self.tuple_parts(&val, count) {
                        Some(parts) => parts[*at].clone(),
                        None => return unsupported(format!("a part of {}", val.kind())),
                    }
                }
            },
            ExprKind::Index(base, at) => {
                if let Some(val) = self.part_of_known(e)? {
                    return Ok(val);
                }
                let base = self.expr(base)?;
                let at = self.word_of(at)?;
                self.held_at(&base, at)?
            }
            ExprKind::Square(row, column) => {
                let (row, column) = (self.number_of(row)?, self.number_of(column)?);
                Val::Word(self.square(row, column))
            }
            ExprKind::Pick(base, at) => {
                let (ty, base) = (&base.ty, self.expr(base)?);
                let at = self.expr(at)?;
                if self.lists_compounds(ty) {
                    let list = self.gathered_list(base, ty)?;
                    return Ok(Val::List(self.picked_list(&Val::List(list), at)?));
                }
                if let Some(val) = self.picked_bits(&base, &at)? {
                    return Ok(val);
                }
                Val::List(self.picked_list(&base, at)?)
            }
            ExprKind::With(base, at, value) if self.lists_compounds(&base.ty) => {
                self.gathered_with(base, at, value)?
            }
            ExprKind::With(base, at, value) => {
                let base = self.expr(base)?;
                let at = self.word_of(at)?;
                let value = self.word_of(value)?;
                self.with_element(base, at, value)?
            }
            ExprKind::Listed(domain) => self.listed(domain)?,
            ExprKind::Fold(fold) => self.fold(fold, &e.ty)?,
        })
    }

    /// Runs `work` while a value is bound to slots.
    pub fn with_let<T>(
        &mut self,
        slots: &[Slot],
        value: &Expr,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let val = self.expr(value)?;
        self.bind(slots, val)?;
        let result = work(self);
        slots.iter().for_each(|slot| drop(self.locals.bound.remove(slot)));
        result
    }

    /// Lowers a lambda's body with its parameters bound in a frame of its own.
    pub fn lambda<T>(
        &mut self,
        lambda: &Lambda,
        args: Vec<Val>,
        work: impl FnOnce(&mut Self, &Expr) -> Result<T>,
    ) -> Result<T> {
        let bound = args.into_iter().enumerate().collect();
        let outer = std::mem::replace(&mut self.locals, Locals { bound, ..Locals::default() });
        let result = work(self, &lambda.body);
        self.locals = outer;
        result
    }

    /// Returns the seats that are in.
    pub fn standing(&mut self) -> Bits {
        let of = Scalar { sort: Sort::Player, lo: 0, hi: self.layout.players as i64 - 1, optional: false };
        let word = match self.layout.all_in {
            true => self.int(crate::jit::lower::expr::convert::mask_word(of.size(), 0) as i64),
            false => {
                let base = self.base();
                self.load64(base, position::STANDING)
            }
        };
        Bits { words: vec![word], of }
    }

    /// Lowers arithmetic; bails out if the result is not exact.
    pub fn arith(&mut self, op: Arith, a: Word, b: Word) -> Result<Word> {
        let (al, ah, bl, bh) =
            (i128::from(a.s.lo), i128::from(a.s.hi), i128::from(b.s.lo), i128::from(b.s.hi));
        Ok(match op {
            Arith::Add => {
                let v = self.b.ins().iadd(a.v, b.v);
                self.within(v, al + bl, ah + bh)
            }
            Arith::Sub => {
                let v = self.b.ins().isub(a.v, b.v);
                self.within(v, al - bh, ah - bl)
            }
            Arith::Mul => {
                let ends = [al * bl, al * bh, ah * bl, ah * bh];
                let (lo, hi) =
                    (ends.iter().min().copied().unwrap_or(0), ends.iter().max().copied().unwrap_or(0));
                let limit = i128::from(LIMIT);
                if lo < -limit || hi > limit {
                    let (v, over) = self.b.ins().smul_overflow(a.v, b.v);
                    self.bail_out_for(BailOutReason::Large, over);
                    self.within(v, lo, hi)
                } else {
                    let v = self.b.ins().imul(a.v, b.v);
                    Builder::ranged(v, lo as i64, hi as i64)
                }
            }
            Arith::Div | Arith::Mod => {
                if bl <= 0 && bh >= 0 {
                    let zero = self.cmp_imm(IntCC::Equal, b.v, 0);
                    self.bail_out_if(zero);
                }
                let plain = al >= 0 && bl >= 0;
                let (quotient, rest) = match plain {
                    true => (self.b.ins().udiv(a.v, b.v), self.b.ins().urem(a.v, b.v)),
                    false => {
                        let (q, r) = (self.b.ins().sdiv(a.v, b.v), self.b.ins().srem(a.v, b.v));
                        let signs = self.b.ins().bxor(r, b.v);
                        let apart = self.cmp_imm(IntCC::SignedLessThan, signs, 0);
                        let left = self.cmp_imm(IntCC::NotEqual, r, 0);
                        let floor = self.b.ins().band(apart, left);
                        let less = self.b.ins().iadd_imm_s(q, -1);
                        // The remainder is Euclidean: never negative.
                        let size = self.b.ins().iabs(b.v);
                        let more = self.b.ins().iadd(r, size);
                        let negative = self.cmp_imm(IntCC::SignedLessThan, r, 0);
                        (self.b.ins().select(floor, less, q), self.b.ins().select(negative, more, r))
                    }
                };
                if op == Arith::Div {
                    let most = a.s.lo.unsigned_abs().max(a.s.hi.unsigned_abs()).min(LIMIT as u64) as i64;
                    let (lo, hi) = if plain { (0, a.s.hi) } else { (-most, most) };
                    Builder::ranged(quotient, lo, hi)
                } else {
                    let most = b.s.lo.unsigned_abs().max(b.s.hi.unsigned_abs()).min(LIMIT as u64) as i64;
                    let hi = (most - 1).max(0);
                    Builder::ranged(rest, 0, if plain { hi.min(a.s.hi) } else { hi })
                }
            }
            Arith::Pow => {
                let negative = self.cmp_imm(IntCC::SignedLessThan, b.v, 0);
                self.bail_out_if(negative);
                let v = self.call("power", &[a.v, b.v])?;
                let over = self.cmp_imm(IntCC::Equal, v, NONE);
                self.bail_out_for(BailOutReason::Large, over);
                Builder::ranged(v, if al >= 0 { 0 } else { -LIMIT }, LIMIT)
            }
        })
    }

    /// Returns the square at a row and column, both 1-based; bails out if it is on no grid.
    pub fn square(&mut self, row: Word, column: Word) -> Word {
        let squares = self.layout.squares;
        self.must_fit(row, 1, squares.rows);
        self.must_fit(column, 1, squares.stride);
        let up = self.b.ins().imul_imm_s(row.v, squares.stride);
        let sum = self.b.ins().iadd(up, column.v);
        let v = self.b.ins().iadd_imm_s(sum, -squares.stride - 1);
        Word { v, s: squares.scalar(), known: None }
    }

    /// Returns whether a square is on a grid of a number of rows and columns; `None` if it always is.
    pub fn on_grid(&mut self, (rows, columns): (i64, i64), square: Word) -> Option<V> {
        let squares = self.layout.squares;
        let whole = columns == squares.stride && rows == squares.rows;
        if whole && !square.s.optional {
            return None;
        }
        if columns == squares.stride {
            return Some(self.cmp_imm(IntCC::UnsignedLessThan, square.v, rows * columns));
        }
        let column = self.b.ins().urem_imm_s(square.v, squares.stride);
        let inside = self.cmp_imm(IntCC::UnsignedLessThan, column, columns);
        let above = self.cmp_imm(IntCC::UnsignedLessThan, square.v, rows * squares.stride);
        Some(self.b.ins().band(inside, above))
    }

    /// Returns the value of a collection at a key, square or 1-based index, which may be a set.
    pub(in crate::jit) fn held_at(&mut self, base: &Val, at: Word) -> Result<Val> {
        if let Val::Cells { at: first, cells } = base {
            let at = self.cell_at(*first, cells, at)?;
            return self.in_place(&cells.of, false, at);
        }
        let word = self.look_up(base, at)?;
        Ok(match word.s.sort {
            Sort::Set(set) => Val::Bits(Bits { words: vec![word.v], of: set.elements() }),
            _ => self.opened(word),
        })
    }

    /// Returns the word of the value of a collection at a key, square or 1-based index.
    pub fn look_up(&mut self, base: &Val, at: Word) -> Result<Word> {
        match base {
            Val::Keyed { at: first, shape, unset } => {
                let number = self.key_number(shape.keys, at);
                let place = self.entry_at(*first, number, i64::from(shape.of.width()));
                Ok(self.load_scalar(shape.of, *unset, place, shape.head(self.layout.squares)))
            }
            Val::Const(Known::Map(_)) => unsupported("a known map of large values, or of keys far apart"),
            Val::Span(lo, hi) => {
                let from = self.b.ins().iadd_imm_s(at.v, -1);
                let len = self.span_len(*lo, *hi);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, from, len);
                self.bail_out_if(out);
                let v = self.b.ins().iadd(lo.v, from);
                Ok(Builder::ranged(v, lo.s.lo, hi.s.hi))
            }
            other => {
                let list = self.any_list(other.clone())?;
                let i = self.b.ins().iadd_imm_s(at.v, -1);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, list.len);
                self.bail_out_if(out);
                Ok(self.element(list, i))
            }
        }
    }

    /// Returns known squares of a grid that keeps a plane for each value, without reading values, so that
    /// they can be counted by planes; `None` for other values.
    pub(in crate::jit) fn picked_bits(&mut self, base: &Val, at: &Val) -> Result<Option<Val>> {
        let (Val::Keyed { at: grid, shape, unset: false }, Val::Const(places @ Known::List(items))) =
            (base, at)
        else {
            return Ok(None);
        };
        let of = self.layout.squares.scalar();
        if shape.planes != crate::jit::layout::shape::Planes::All || of.words() > REGISTERS {
            return Ok(None);
        }
        let on = self.mask_of_keys(shape.keys);
        let Some(words) = bits_among(items, of, self.layout.squares) else { return Ok(None) };
        let inside = words.iter().zip(&on).all(|(word, on)| word & !on == 0);
        if !inside || members(&words).count() != items.len() {
            return Ok(None);
        }
        let words = self.static_bits(&words);
        let squares = Bits { words, of };
        Ok(Some(Val::Picked { at: *grid, shape: *shape, squares, places: places.clone() }))
    }

    /// Returns those of the picked squares that hold a word; `None` if there is no plane for it.
    pub fn picked_with(&mut self, val: &Val, word: Word) -> Option<Bits> {
        let Val::Picked { at, shape, squares, .. } = val else { return None };
        let plane = self.plane_of_word(*at, *shape, word)?;
        let words = squares.words.iter().zip(plane).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        Some(Bits { words, of: squares.of })
    }

    pub fn picked(&mut self, base: &Val, places: List) -> Result<List> {
        let base = match base {
            Val::Keyed { .. } | Val::Span(..) => base.clone(),
            other => Val::List(self.any_list(other.clone())?),
        };
        let of = match &base {
            Val::Keyed { shape, .. } => shape.of,
            Val::Span(lo, hi) => Scalar::int(lo.s.lo, hi.s.hi.max(lo.s.lo)),
            Val::List(list) => list.of,
            _ => return unsupported("values picked from something else"),
        };
        if matches!(of.sort, Sort::Set(_)) {
            return unsupported("sets picked from a map or a grid");
        }
        let bytes = self.b.ins().ishl_imm_s(places.len, 3);
        let to = self.scratch(bytes);
        self.each_below(places.len, places.most, |this, i, _| {
            let at = this.element(places, i);
            let word = this.look_up(&base, at)?;
            let place = this.entry_at(to, i, 8);
            this.store64(word.v, place, 0);
            Ok(())
        })?;
        Ok(List::immutable(to, places.len, of, places.most))
    }

    pub(in crate::jit) fn with_element(&mut self, base: Val, at: Word, value: Word) -> Result<Val> {
        if let Some(copy) = self.keyed_with(&base, at, value)? {
            return Ok(copy);
        }
        let list = self.list(base)?;
        self.list_with(list, at, value)
    }

    /// Returns a copy of a list with another element at a 1-based place.
    pub(in crate::jit) fn list_with(&mut self, list: List, at: Word, value: Word) -> Result<Val> {
        let i = self.b.ins().iadd_imm_s(at.v, -1);
        let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, list.len);
        self.bail_out_if(out);
        let of = self.common_elements(list.of, value.s);
        let Some(of) = of else { return unsupported("a list of mixed sorts") };
        // What names a value is the same word in either list.
        let kept = list.is_of_kept();
        let value = if kept { value } else { self.must_fit_place(value, of)? };
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let to = self.scratch(bytes);
        self.copy_list(list, to, 8, if kept { list.of } else { of })?;
        let place = self.entry_at(to, i, 8);
        self.store64(value.v, place, 0);
        Ok(Val::List(List { at: to, width: 8, of, immutable: true, ..list }))
    }

    pub(in crate::jit) fn list_of(&mut self, parts: &[Expr], ty: &Type) -> Result<List> {
        let sort = ty.element().and_then(|of| self.type_scalar(&of));
        let Some(of) = sort else { return unsupported("a list whose elements are no single values") };
        let room = self.int(parts.len() as i64 * 8);
        let at = self.scratch(room);
        let mut joined: Option<Scalar> = None;
        for (i, part) in parts.iter().enumerate() {
            let val = self.expr(part)?;
            let word = self.word_as(val, of.sort)?;
            joined = Some(joined.map_or(Some(word.s), |all| all.join(word.s)).unwrap_or(of));
            self.store64(word.v, at, i as i32 * 8);
        }
        let len = self.int(parts.len() as i64);
        let of = joined.unwrap_or(of);
        Ok(List {
            at,
            len,
            width: 8,
            of,
            most: Some(parts.len() as i64),
            exact: Some(parts.len() as i64),
            immutable: true,
        })
    }

    pub(in crate::jit) fn listed(&mut self, domain: &Domain) -> Result<Val> {
        match domain {
            Domain::Range(low, high) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                self.must_be_listable(low, high);
                Ok(Val::Span(low, high))
            }
            Domain::Values(e) => match self.expr(e)? {
                Val::Bits(bits) => Ok(Val::Members(bits)),
                val @ (Val::Members(_) | Val::List(_) | Val::Span(..) | Val::Const(_)) => Ok(val),
                other => unsupported(format!("the elements of {} as a list", other.kind())),
            },
            _ => unsupported("a domain written out as a list"),
        }
    }
}
