//! What has no code of its own: the reference works it out while code runs, that part alone, and code goes on with the
//! answer.
//!
//! Which parts these are turns out when code is made of them: the smallest one that cannot be made is marked, and all is
//! made anew with what is marked handed to the reference, until nothing is left.

use std::collections::BTreeMap;
use std::mem::Discriminant;

use cranelift::prelude::*;

use super::call::{CTX_ASKED_CHANCE, CTX_ASKED_FUEL, CTX_SCRATCH};
use super::generate::{Gen, Nope, R, V, nope};
use super::layout::{ArgShape, small};
use super::legal::Taken;
use super::looks::Looks;
use super::questions::{Part, Question, Task, Told, Touched};
use super::shape::{Scalar, Shape};
use super::slots::{SlotShape, element_type};
use super::table;
use super::value::{Bits, List, Val, Word};
use crate::ir::{Choice, Domain, Expr, ExprKind, Offer, Op, Pc, Slot, Type, children};
use crate::source::Span;

/// A part that the reference works out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// An expression, by its place in the text and its sort.
    Expr(Span, Discriminant<ExprKind>),
    /// Whether and which moves are legal at a choice.
    Choice(usize),
    /// What is done at a place of the code.
    Op(Pc),
}

impl Mark {
    /// The mark of an expression.
    pub fn of(e: &Expr) -> Mark {
        Mark::Expr(e.span, std::mem::discriminant(&e.kind))
    }
}

impl Nope {
    /// It is this part that cannot be made, unless a smaller one is to blame.
    pub(super) fn blame(mut self, mark: impl FnOnce() -> Mark) -> Nope {
        self.1.get_or_insert_with(mark);
        self
    }
}

impl Gen<'_> {
    /// Whether a part is marked.
    pub(super) fn is_marked(&self, mark: &Mark) -> bool {
        self.data.marks.iter().any(|(known, _)| known == mark)
    }

    /// The value of an expression that `work` makes code for, or that the reference works out.
    pub(super) fn or_interpreted(&mut self, e: &Expr, work: impl FnOnce(&mut Self) -> R<Val>) -> R<Val> {
        // A name that has no words has none for the reference either.
        if matches!(e.kind, ExprKind::Local(_)) {
            return work(self);
        }
        let mark = Mark::of(e);
        if self.is_marked(&mark) {
            return self.interpreted(e);
        }
        work(self).map_err(|nope| nope.blame(|| mark))
    }

    /// What `work` finds out of the legal moves of a choice; `None` where the reference is to say.
    fn of_choice<T>(&mut self, choice: &Choice, work: impl FnOnce(&mut Self) -> R<T>) -> R<Option<T>> {
        let mark = Mark::Choice(self.number_of_choice(choice));
        if self.is_marked(&mark) {
            return Ok(None);
        }
        work(self).map(Some).map_err(|nope| nope.blame(|| mark))
    }

    fn number_of_choice(&self, choice: &Choice) -> usize {
        self.machine.game.choices.iter().position(|other| std::ptr::eq(other, choice)).unwrap_or(usize::MAX)
    }

    /// Goes to `yes` where a seat has a legal move at a choice, on where it has none.
    pub(super) fn exists_or_ask(&mut self, choice: &Choice, seat: Word, yes: Block) -> R<()> {
        let made = self.of_choice(choice, |this| {
            this.exists(&choice.offers, seat, yes)?;
            this.exists(&choice.otherwise, seat, yes)
        })?;
        if made.is_none() {
            let can = self.can_move_interpreted(self.number_of_choice(choice), seat)?;
            let no = self.block();
            self.fork(can, yes, no);
            self.at(no);
        }
        Ok(())
    }

    /// Whether it must be known that there is a legal move before one is drawn.
    pub(super) fn must_look(&self, choice: &Choice) -> bool {
        self.is_marked(&Mark::Choice(self.number_of_choice(choice))) || self.may_sample(choice)
    }

    /// Draws a legal move of a seat and gives it to `on`, which leaves for elsewhere; goes on where there is none.
    pub(super) fn draw_or_ask(&mut self, choice: &Choice, seat: Word, on: Taken) -> R<()> {
        if self.of_choice(choice, |this| this.draw(choice, seat, on))?.is_some() {
            return Ok(());
        }
        let (number, args) = self.draw_interpreted(self.number_of_choice(choice), seat)?;
        let end = self.block();
        for (offer, args) in args.iter().enumerate() {
            let (mine, other) = (self.block(), self.block());
            let is = self.cmp_imm(IntCC::Equal, number, offer as i64);
            self.fork(is, mine, other);
            self.at(mine);
            on(self, offer, args)?;
            self.jump(end);
            self.at(other);
        }
        self.jump(end);
        self.at(end);
        Ok(())
    }

    /// The value of an expression, worked out by the reference.
    pub(super) fn interpreted(&mut self, e: &Expr) -> R<Val> {
        let told = self.told_of(&e.ty);
        let looks = Looks::of_expr(self.machine, e);
        let words = self.ask_with(Task::Value(e.clone()), looks, vec![told.clone()], &[])?;
        self.tells(&told, &mut words.into_iter())
    }

    /// Goes through the values of a domain, bound to slots; the reference makes them one by one.
    pub(super) fn each_interpreted(
        &mut self,
        domain: &Domain,
        distinct: bool,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let (number, count) = self.interpreted_domain(domain, distinct)?;
        let ty = element_type(domain);
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm_s(count, -1);
        self.each_int(zero, last, None, |this, rank, _| {
            let mark = this.b.use_var(this.run.scratch);
            let val = this.interpreted_element(number, rank, &ty)?;
            this.bind(slots, val)?;
            body(this)?;
            this.b.def_var(this.run.scratch, mark);
            Ok(())
        })
    }

    /// A domain worked out by the reference: its number, and how many values it has.
    pub(super) fn interpreted_domain(&mut self, domain: &Domain, distinct: bool) -> R<(V, V)> {
        let looks = Looks::of_domain(self.machine, domain);
        let outputs = vec![Told::Kept, Told::Word(Scalar::any_int())];
        let words = self.ask_with(Task::Domain(domain.clone(), distinct), looks, outputs, &[])?;
        Ok((words[0], words[1]))
    }

    /// The value of a rank of such a domain, whose values are of a type.
    pub(super) fn interpreted_element(&mut self, number: V, rank: V, ty: &Type) -> R<Val> {
        let told = self.told_of(ty);
        let question = Question {
            task: Task::At,
            inputs: Vec::new(),
            frame: 0,
            touched: Touched::default(),
            given: vec![Part::Words(1), Part::Words(1)],
            answered: parts_of([&told]),
            outputs: vec![told.clone()],
        };
        let words = self.inquire(question, &[number, rank])?;
        self.tells(&told, &mut words.into_iter())
    }

    /// Whether a seat has a legal move at a choice, as the reference sees it.
    pub(super) fn can_move_interpreted(&mut self, id: usize, seat: Word) -> R<V> {
        let machine = self.written;
        let looks = Looks::of_choice(machine, &machine.game.choices[id]);
        let outputs = vec![Told::Word(Scalar::int(0, 1))];
        let words = self.ask_with(Task::CanMove(id), looks, outputs, &[seat.v])?;
        Ok(words[0])
    }

    /// A legal move that the reference draws: the number of the offer, and the arguments of each.
    pub(super) fn draw_interpreted(&mut self, id: usize, seat: Word) -> R<(V, Vec<Vec<Val>>)> {
        let machine = self.written;
        let choice = &machine.game.choices[id];
        let mut outputs = vec![Told::Word(Scalar::any_int())];
        let offers: Vec<&Offer> = choice.offers.iter().chain(&choice.otherwise).collect();
        let mut told = Vec::new();
        for offer in &offers {
            let Some(shapes) = &self.layout.args[offer.mv] else { return nope("very many arguments") };
            told.push(shapes.iter().map(told_of_arg).collect::<Vec<Told>>());
        }
        outputs.extend(told.iter().flatten().cloned());
        let looks = Looks::of_choice(machine, choice);
        let words = self.ask_with(Task::Draw(id), looks, outputs, &[seat.v])?;
        let mut words = words.into_iter();
        let Some(number) = words.next() else { return nope("a draw without an offer") };
        let mut args = Vec::new();
        for told in &told {
            args.push(told.iter().map(|told| self.tells(told, &mut words)).collect::<R<Vec<Val>>>()?);
        }
        Ok((number, args))
    }

    /// What is done at a place of the code, done by the reference: the slots it fills, or the winners.
    pub(super) fn op_interpreted(&mut self, pc: Pc) -> R<Vec<V>> {
        let machine = self.machine;
        let op = &machine.game.code[pc];
        let looks = Looks::of_op(machine, op);
        let filled = looks.fills.clone();
        let mut outputs = Vec::new();
        for slot in &filled {
            match self.vars.get(slot) {
                Some(vars) => outputs.push(told_of_slot(&vars.shape)),
                None => return nope("a slot without a shape"),
            }
        }
        let winners = matches!(op, Op::End(_));
        if winners {
            outputs.push(Told::Word(Scalar::any_int()));
        }
        let words = self.ask_with(Task::Op(pc, filled.clone()), looks, outputs.clone(), &[])?;
        if winners {
            return Ok(words);
        }
        let mut words = words.into_iter();
        for (slot, told) in filled.iter().zip(&outputs) {
            let val = self.tells(told, &mut words)?;
            self.keep(&[*slot], val)?;
        }
        Ok(Vec::new())
    }

    // ---- asking

    /// Asks something whose expressions read local values; `more` words are given behind those.
    fn ask_with(&mut self, task: Task, looks: Looks, outputs: Vec<Told>, more: &[V]) -> R<Vec<V>> {
        let mut types: BTreeMap<Slot, Type> = BTreeMap::new();
        let mut frame = self.machine.game.slots;
        for part in looks.parts {
            frame = frame.max(table::highest_slot(self.machine, part) + 1);
            let free = table::free_slots(part);
            local_types(part, &mut |slot, ty| {
                if free.contains(&slot) && !looks.named.contains(&slot) {
                    types.insert(slot, ty.clone());
                }
            });
        }
        let (mut inputs, mut words, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, ty) in types {
            let val = self.local(slot)?;
            let (told, own) = self.told(val, &ty)?;
            told.parts(&mut given);
            inputs.push((slot, told));
            words.extend(own);
        }
        given.extend(more.iter().map(|_| Part::Words(1)));
        words.extend(more);
        let answered = parts_of(&outputs);
        self.inquire(
            Question { task, inputs, frame, touched: looks.touched, given, answered, outputs },
            &words,
        )
    }

    /// Asks: the words of the answer.
    fn inquire(&mut self, question: Question, words: &[V]) -> R<Vec<V>> {
        let count = |parts: &[Part]| -> usize {
            parts.iter().map(|part| if let Part::Words(n) = part { *n } else { 2 }).sum()
        };
        let answered = count(&question.answered);
        let touched = &question.touched;
        let held = touched.reads.union(&touched.writes).any(|state| self.is_held(*state));
        let writes = !touched.writes.is_empty();
        let moves = writes || matches!(question.task, Task::Save);
        let chance = matches!(question.task, Task::Draw(_) | Task::Op(..));
        if held {
            self.let_go();
        }
        let room = self.stack(answered.max(words.len()).max(1) as u32 * 8);
        for (i, word) in words.iter().enumerate() {
            self.store64(*word, room, i as i32 * 8);
        }
        let ctx = self.ctx;
        let mut kept = vec![(self.run.fuel, CTX_ASKED_FUEL), (self.run.scratch, CTX_SCRATCH)];
        if chance {
            kept.extend(self.run.chance.into_iter().zip([0, 8, 16, 24].map(|at| CTX_ASKED_CHANCE + at)));
        }
        for (var, at) in &kept {
            let word = self.b.use_var(*var);
            self.store64(word, ctx, *at);
        }
        let number = self.int(self.data.questions.len() as i64);
        self.data.questions.push(question);
        let done = self.call("ask", &[ctx, number, room])?;
        for (var, at) in kept {
            let word = self.load64(ctx, at);
            self.b.def_var(var, word);
        }
        if moves {
            self.moved();
        }
        self.give_up_unless(done);
        if held && writes {
            self.take_hold();
        }
        Ok((0..answered).map(|i| self.load64(room, i as i32 * 8)).collect())
    }

    // ---- values and their words

    /// How a value of a type is told.
    fn told_of(&self, ty: &Type) -> Told {
        let scalar = |ty: &Type| match ty {
            // There is no such element.
            Type::Never => Some(Scalar::int(0, 0)),
            ty => self.type_scalar(ty),
        };
        match ty {
            Type::Set(of) => match scalar(of) {
                Some(of) if small(of) => Told::Bits(of),
                of => of.map_or(Told::Kept, Told::Set),
            },
            Type::List(of) => scalar(of).map_or(Told::Kept, Told::List),
            Type::Bag(of) => scalar(of).map_or(Told::Kept, Told::Bag),
            ty => match (self.type_scalar(ty), ty) {
                (Some(of), _) => Told::Word(of),
                (None, Type::Tuple(parts)) => Told::Tuple(parts.iter().map(|ty| self.told_of(ty)).collect()),
                (None, _) => Told::Kept,
            },
        }
    }

    /// A value of a type in words, and how they tell it.
    fn told(&mut self, val: Val, ty: &Type) -> R<(Told, Vec<V>)> {
        Ok(match (val, ty) {
            (Val::Const(value), _) => (Told::Known(value), Vec::new()),
            (Val::Word(word), _) => (Told::Word(word.s), vec![word.v]),
            (Val::Kept(number), _) => (Told::Kept, vec![number]),
            (Val::Bits(bits), Type::Set(_)) => (Told::Bits(bits.of), bits.words),
            (Val::Bits(bits) | Val::Members(bits), _) => (Told::Members(bits.of), bits.words),
            (Val::Tuple(vals), Type::Tuple(types)) => {
                let (mut parts, mut words) = (Vec::new(), Vec::new());
                for (val, ty) in vals.into_iter().zip(types) {
                    let (told, own) = self.told(val, ty)?;
                    parts.push(told);
                    words.extend(own);
                }
                (Told::Tuple(parts), words)
            }
            (Val::Tally(list), _) => {
                let list = self.still_list(Val::List(list))?;
                (Told::Bag(list.of), vec![list.at, list.len])
            }
            (Val::Grid { at, shape, .. }, _) => self.place(at, Shape::Grid(shape)),
            (Val::Map { at, key, of, .. }, _) => self.place(at, Shape::Map(key, of)),
            (Val::Field { at, of }, _) => self.place(at, Shape::Bits(of)),
            (Val::Counts { at, of }, _) => self.place(at, Shape::Counts(of)),
            (Val::Pool { handle, of }, _) => (Told::Place(Shape::Pool(Box::new(of))), vec![handle]),
            (val @ (Val::List(_) | Val::Span(..) | Val::Picked { .. }), ty) => {
                let list = self.still_list(val)?;
                let told = match ty {
                    Type::Set(_) => Told::Set(list.of),
                    Type::Bag(_) => Told::Bag(list.of),
                    _ => Told::List(list.of),
                };
                (told, vec![list.at, list.len])
            }
            (other, _) => return nope(format!("{} told to the reference", other.kind())),
        })
    }

    /// What lies at an address of the position.
    fn place(&mut self, at: V, shape: Shape) -> (Told, Vec<V>) {
        let base = self.base();
        let offset = self.b.ins().isub(at, base);
        (Told::Place(shape), vec![offset])
    }

    /// The value that words tell.
    fn tells(&mut self, told: &Told, words: &mut impl Iterator<Item = V>) -> R<Val> {
        let mut word = || words.next().ok_or_else(|| Nope("too few words".to_string(), None));
        Ok(match told {
            Told::Known(value) => Val::Const(value.clone()),
            Told::Word(of) => Val::Word(Word { v: word()?, s: *of, known: None }),
            Told::Kept => Val::Kept(word()?),
            Told::Bits(of) | Told::Members(of) => {
                let own: R<Vec<V>> = (0..of.words()).map(|_| word()).collect();
                let bits = Bits { words: own?, of: *of };
                if let Told::Bits(_) = told { Val::Bits(bits) } else { Val::Members(bits) }
            }
            Told::List(of) | Told::Set(of) => Val::List(List::still(word()?, word()?, *of, None)),
            Told::Bag(of) => Val::Tally(List::still(word()?, word()?, *of, None)),
            Told::Tuple(parts) => {
                let parts: R<Vec<Val>> = parts.iter().map(|part| self.tells(part, words)).collect();
                Val::Tuple(parts?)
            }
            Told::Place(_) => return nope("a place as an answer"),
        })
    }

    /// The number of a value of a type, kept.
    pub(super) fn kept(&mut self, val: Val, ty: &Type) -> R<V> {
        if let Val::Kept(number) = val {
            return Ok(number);
        }
        let (told, words) = self.told(val, ty)?;
        let local = Expr { kind: ExprKind::Local(0), ty: ty.clone(), span: Span::default() };
        let question = Question {
            task: Task::Value(local),
            given: parts_of([&told]),
            inputs: vec![(0, told)],
            frame: 1,
            touched: Touched::default(),
            answered: vec![Part::Words(1)],
            outputs: vec![Told::Kept],
        };
        Ok(self.inquire(question, &words)?[0])
    }

    /// The value in the growing block whose handle lies at an offset of the position, kept.
    pub(super) fn load_kept(&mut self, at: V) -> R<V> {
        let question = Question {
            task: Task::Load,
            inputs: Vec::new(),
            frame: 0,
            touched: Touched::default(),
            given: vec![Part::Words(1)],
            answered: vec![Part::Words(1)],
            outputs: vec![Told::Kept],
        };
        Ok(self.inquire(question, &[at])?[0])
    }

    /// Puts a kept value into the growing block whose handle lies at an offset of the position.
    pub(super) fn save_kept(&mut self, number: V, at: V) -> R<()> {
        let question = Question {
            task: Task::Save,
            inputs: Vec::new(),
            frame: 0,
            touched: Touched::default(),
            given: vec![Part::Words(1), Part::Words(1)],
            answered: Vec::new(),
            outputs: Vec::new(),
        };
        self.inquire(question, &[number, at])?;
        Ok(())
    }
}

/// How a slot's value is told.
fn told_of_slot(shape: &SlotShape) -> Told {
    match shape {
        SlotShape::Word(of) => Told::Word(*of),
        SlotShape::Bits(of) => Told::Bits(*of),
        SlotShape::Members(of) => Told::Members(*of),
        SlotShape::List(of) => Told::List(*of),
        SlotShape::Set(of) => Told::Set(*of),
        SlotShape::Bag(of) => Told::Bag(*of),
        SlotShape::Span => Told::List(Scalar::any_int()),
        SlotShape::Fixed(_) | SlotShape::Kept(_) => Told::Kept,
    }
}

/// How an argument is told.
fn told_of_arg(shape: &ArgShape) -> Told {
    match shape {
        ArgShape::Word(of) => Told::Word(*of),
        ArgShape::Bits(of) => Told::Bits(*of),
        ArgShape::List(of) => Told::List(*of),
        ArgShape::Kept => Told::Kept,
    }
}

fn parts_of<'t>(told: impl IntoIterator<Item = &'t Told>) -> Vec<Part> {
    let mut parts = Vec::new();
    told.into_iter().for_each(|told| told.parts(&mut parts));
    parts
}

/// The local values that an expression reads, with their types.
fn local_types<'e>(e: &'e Expr, on: &mut dyn FnMut(Slot, &'e Type)) {
    if let ExprKind::Local(slot) = &e.kind {
        on(*slot, &e.ty);
    }
    children(e, &mut |child| local_types(child, on));
}
