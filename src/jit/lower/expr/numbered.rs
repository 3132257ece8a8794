//! Values that fit no word, by numbers: equal ones have equal numbers, and greater ones greater. So what is asked of
//! lists and sets of such values is asked of lists of integers.

use crate::ir::{Builtin, Compare, Expr, ExprKind, Type};
use crate::jit::builder::value::{List, Val};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::{Scalar, Shape};
use crate::jit::lower::expr::gathered::Elements;
use crate::jit::mir::IntCC;

/// The arguments of a builtin, with numbers for values that fit no word.
pub(in crate::jit) struct Numbered {
    /// The arguments.
    pub args: Vec<Expr>,
    /// The values, by their numbers from 0.
    values: List,
}

impl Builder<'_> {
    /// Returns the elements of a large set, ascending, as a list.
    pub(in crate::jit) fn pool_elements(&mut self, handle: V, of: &Shape) -> Result<Val> {
        let single = if let Shape::Scalar(of) = of { Some(*of) } else { None };
        let (count, _) = self.size(Val::Pool { handle, of: of.clone() })?;
        let room = self.b.ins().ishl_imm_s(count, 3);
        let words = self.words_in_scratch(room);
        let mut elements = Elements::of(single);
        self.keeping_scratch(true, |this| {
            this.each_entry_value(handle, of, &mut |this, val| {
                let word = this.element_word(val, &Type::Never, &mut elements)?;
                this.append(words, word);
                Ok(())
            })
        })?;
        let list = self.list_of_elements(words.at, count, None, elements);
        Ok(Val::List(self.sorted(list)?))
    }

    /// Returns the arguments of a builtin that only compares elements, with numbers for those that fit no word; `None` if
    /// there are none of these, or for other builtins.
    pub(in crate::jit) fn numbered(&mut self, builtin: Builtin, args: &[Expr]) -> Result<Option<Numbered>> {
        use Builtin as B;
        let compares = matches!(
            builtin,
            B::Union
                | B::Common
                | B::Without
                | B::Subset
                | B::Distinct
                | B::Once
                | B::ToSet
                | B::Positions
                | B::Occurs
                | B::Palindrome
                | B::Runs
        );
        let element = |arg: &Expr| match &arg.ty {
            Type::List(of) | Type::Set(of) if is_compound(of) => Some((**of).clone()),
            _ => None,
        };
        if !compares || args.iter().find_map(element).is_none() {
            return Ok(None);
        }
        let mut lists = Vec::new();
        let mut all: Option<List> = None;
        for arg in args {
            let val = self.expr(arg)?;
            let list = if element(arg).is_some() {
                self.gathered_list(val, &arg.ty)?
            } else if is_compound(&arg.ty) {
                self.gathered_from(vec![val], &arg.ty)?
            } else {
                return Ok(None);
            };
            all = Some(match all {
                None => list,
                Some(before) => self.joined(before, list)?,
            });
            lists.push(list);
        }
        let Some(all) = all else { return Ok(None) };
        let values = self.sorted_gathered(all, true)?;
        let mut numbers = Vec::new();
        for (arg, list) in args.iter().zip(lists) {
            let own = self.numbers_of(list, values)?;
            let whole = element(arg).is_some();
            let int = Box::new(Type::Int);
            let (ty, val) = match &arg.ty {
                Type::Set(_) if whole => (Type::Set(int), Val::List(own)),
                _ if whole => (Type::List(int), Val::List(own)),
                _ => {
                    let zero = self.int(0);
                    (Type::Int, Val::Word(self.element(own, zero)))
                }
            };
            let slot = self.hidden_slot();
            self.bind(&[slot], val)?;
            numbers.push(Expr { kind: ExprKind::Local(slot), ty, span: arg.span });
        }
        Ok(Some(Numbered { args: numbers, values }))
    }

    /// Returns the numbers of some values among all distinct ones, which are ascending.
    fn numbers_of(&mut self, list: List, values: List) -> Result<List> {
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let to = self.scratch(bytes);
        let zero = self.int(0);
        self.each_index(list, |this, i, _| {
            let item = this.element(list, i);
            let number = this.var(zero);
            this.each_index(values, |this, k, exit| {
                let (a, b) = (this.element_value(values, k), this.opened(item));
                let order = this.order(a, b)?;
                let same = this.cmp_imm(IntCC::Equal, order, 0);
                this.b.def_var(number, k);
                this.leave_if(same, exit);
                Ok(())
            })?;
            let (number, place) = (this.b.use_var(number), this.entry_at(to, i, 8));
            this.store64(number, place, 0);
            Ok(())
        })?;
        Ok(List::immutable(to, list.len, Scalar::int(0, 1 << 32), list.most))
    }

    /// Lowers a builtin on numbered values, and returns the values that its result numbers.
    pub(in crate::jit) fn builtin_by_numbers(
        &mut self,
        builtin: Builtin,
        numbered: &Numbered,
        e: &Expr,
    ) -> Result<Val> {
        let whole = matches!(&e.ty, Type::List(of) | Type::Set(of) if is_compound(of));
        let int = Box::new(Type::Int);
        let ty = match &e.ty {
            Type::List(_) if whole => Type::List(int),
            Type::Set(_) if whole => Type::Set(int),
            ty if is_compound(ty) && !matches!(ty, Type::List(_)) => {
                return unsupported(format!("`{}` of large values", builtin.name()));
            }
            ty => ty.clone(),
        };
        let of_numbers = Expr { ty, ..e.clone() };
        let val = self.builtin(builtin, &numbered.args, &of_numbers)?;
        if !whole {
            return Ok(val);
        }
        let list = self.list(val)?;
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let to = self.scratch(bytes);
        self.each_index(list, |this, i, _| {
            let number = this.element(list, i).v;
            let word = this.element(numbered.values, number);
            let place = this.entry_at(to, i, 8);
            this.store64(word.v, place, 0);
            Ok(())
        })?;
        Ok(Val::List(List::immutable(to, list.len, numbered.values.of, list.most)))
    }

    /// Returns how often a value occurs among values that fit no word.
    pub(in crate::jit) fn copies_among(&mut self, value: &Expr, among: &Expr) -> Result<Val> {
        let (value_val, all) = (self.expr(value)?, self.expr(among)?);
        let list = self.gathered_list(all, &among.ty)?;
        let zero = self.int(0);
        let count = self.var(zero);
        self.each_item(list, |this, item, _| {
            let val = this.opened(item);
            let same = this.compare(Compare::Equal, val, value_val.clone(), &value.ty)?;
            this.count_if(count, same);
            Ok(())
        })?;
        Ok(Val::Word(Builder::ranged(self.b.use_var(count), 0, list.most.unwrap_or(1 << 40))))
    }
}
