//! Parts that have no code of their own: while code runs, the reference evaluates just that part, and code
//! continues with the answer.
//!
//! Which parts these are is found out by trying: the smallest unsupported part is marked, and compilation
//! restarts with all marked parts left to the reference, until everything else compiles.

use std::collections::BTreeMap;

use crate::ir::{Choice, Domain, Expr, ExprKind, Offer, Op, Param, Pc, Slot, Type, children};
use crate::jit::analysis::accesses::{Accesses, Touched};
use crate::jit::analysis::invariants;
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, Unsupported, V, unsupported};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::shape::Shape;
use crate::jit::layout::slots::SlotShape;
use crate::jit::lower::moves::row_set::KnownRows;
use crate::jit::lower::moves::{OnRow, chosen};
use crate::jit::mir::{Block, IntCC};
use crate::jit::runtime::call::{CTX_ASKED_CHANCE, CTX_ASKED_FUEL, CTX_SCRATCH};
use crate::jit::runtime::questions::{A_WORD, Encoding, Question, QuestionKind};
use crate::opt::Fact;
use crate::source::Span;

impl Builder<'_> {
    /// Whether a part is marked.
    pub(in crate::jit) fn is_marked(&self, mark: &MarkedPart) -> bool {
        self.data.marked_parts.iter().any(|(known, _)| known == mark)
    }

    /// Lowers an expression with `work`, or leaves it to the reference if it is marked.
    pub(in crate::jit) fn or_interpreted(
        &mut self,
        e: &Expr,
        work: impl FnOnce(&mut Self) -> Result<Val>,
    ) -> Result<Val> {
        // The reference would have to read the same local value, so marking it would not help.
        if matches!(e.kind, ExprKind::Local(_)) {
            return work(self);
        }
        let mark = MarkedPart::of(e);
        if self.is_marked(&mark) {
            return self.interpreted(e);
        }
        work(self).map_err(|unsupported| unsupported.blame(|| mark))
    }

    /// Lowers something about a choice's legal moves with `work`; `None` if the choice is left to the
    /// reference.
    fn of_choice<T>(
        &mut self,
        choice: &Choice,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        let mark = MarkedPart::Choice(self.number_of_choice(choice));
        if self.is_marked(&mark) {
            return Ok(None);
        }
        work(self).map(Some).map_err(|unsupported| unsupported.blame(|| mark))
    }

    pub(in crate::jit) fn number_of_choice(&self, choice: &Choice) -> usize {
        self.machine.game.choices.iter().position(|other| std::ptr::eq(other, choice)).unwrap_or(usize::MAX)
    }

    /// Branches to `yes` if a seat has a legal move at a choice; otherwise falls through. Returns the legal rows if they are known
    /// at `yes`.
    pub(in crate::jit) fn exists_or_ask(
        &mut self,
        choice: &Choice,
        seat: Word,
        yes: Block,
    ) -> Result<KnownRows> {
        let result = self.of_choice(choice, |this| {
            let known = this.exists(&choice.offers, seat, yes)?;
            this.exists(&choice.otherwise, seat, yes)?;
            Ok(known.filter(|_| choice.otherwise.is_empty()))
        })?;
        if result.is_none() {
            let can = self.can_move_interpreted(self.number_of_choice(choice), seat)?;
            self.leave_if(can, yes);
        }
        Ok(result.flatten())
    }

    /// Whether the existence of a legal move must be checked before one is drawn.
    pub(in crate::jit) fn must_check_existence(&self, choice: &Choice) -> bool {
        self.is_marked(&MarkedPart::Choice(self.number_of_choice(choice))) || self.may_sample(choice)
    }

    /// Draws a legal move of a seat and passes it to `on`, which leaves the current path; falls through if
    /// there is none.
    pub(in crate::jit) fn draw_or_ask(
        &mut self,
        choice: &Choice,
        seat: Word,
        known: &KnownRows,
        on: OnRow,
    ) -> Result<()> {
        if self.of_choice(choice, |this| this.draw(choice, seat, known, on))?.is_some() {
            return Ok(());
        }
        let (number, args) = self.draw_interpreted(self.number_of_choice(choice), seat)?;
        let end = self.block();
        for (offer, args) in args.iter().enumerate() {
            let (mine, other) = (self.block(), self.block());
            let is = self.cmp_imm(IntCC::Equal, number, offer as i64);
            self.branch_on(is, mine, other);
            self.switch_to(mine);
            on(self, offer, args)?;
            self.jump(end);
            self.switch_to(other);
        }
        self.jump(end);
        self.switch_to(end);
        Ok(())
    }

    /// Evaluates an expression in the reference.
    pub(in crate::jit) fn interpreted(&mut self, e: &Expr) -> Result<Val> {
        let encoding = self.encoding_of(&e.ty);
        let accesses = Accesses::of_expr(self.machine, e);
        let words = self.ask_with(QuestionKind::Value(e.clone()), accesses, vec![encoding.clone()], &[])?;
        self.decode(&encoding, &mut words.into_iter())
    }

    /// Loops over the values of a domain, bound to slots; the reference computes them one by one.
    pub(in crate::jit) fn each_interpreted(
        &mut self,
        domain: &Domain,
        distinct: bool,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (number, count) = self.interpreted_domain(domain, distinct)?;
        let ty = domain.element();
        self.each_below(count, None, |this, rank, _| {
            let mark = this.b.use_var(this.run.scratch);
            let val = this.interpreted_element(number, rank, &ty)?;
            this.bind(slots, val)?;
            body(this)?;
            this.release_scratch(mark);
            Ok(())
        })
    }

    /// Evaluates a domain in the reference. Returns the index of the kept domain and its size.
    pub(in crate::jit) fn interpreted_domain(&mut self, domain: &Domain, distinct: bool) -> Result<(V, V)> {
        let accesses = Accesses::of_domain(self.machine, domain);
        let outputs = vec![Encoding::Opaque, Encoding::number()];
        let words = self.ask_with(QuestionKind::Domain(domain.clone(), distinct), accesses, outputs, &[])?;
        Ok((words[0], words[1]))
    }

    /// Returns the element of the given rank of such a domain; `ty` is the element type.
    pub(in crate::jit) fn interpreted_element(&mut self, number: V, rank: V, ty: &Type) -> Result<Val> {
        let encoding = self.encoding_of(ty);
        let words = self.ask_apart(QuestionKind::At, None, vec![encoding.clone()], &[number, rank])?;
        self.decode(&encoding, &mut words.into_iter())
    }

    /// Asks the reference whether a seat has a legal move at a choice.
    pub(in crate::jit) fn can_move_interpreted(&mut self, id: usize, seat: Word) -> Result<V> {
        let machine = self.source_machine;
        let accesses = Accesses::of_choice(machine, &machine.game.choices[id]);
        let outputs = vec![Encoding::number()];
        let words = self.ask_with(QuestionKind::CanMove(id), accesses, outputs, &[seat.v])?;
        Ok(words[0])
    }

    /// Lets the reference draw a legal move. Returns the number of the offer, and the arguments of every
    /// offer.
    pub(in crate::jit) fn draw_interpreted(&mut self, id: usize, seat: Word) -> Result<(V, Vec<Vec<Val>>)> {
        let machine = self.source_machine;
        let choice = &machine.game.choices[id];
        let mut outputs = vec![Encoding::number()];
        let offers: Vec<&Offer> = choice.all_offers().collect();
        let mut encoding = Vec::new();
        for offer in &offers {
            let Some(shapes) = &self.layout.args[offer.mv] else { return unsupported("very many arguments") };
            let params = chosen(&machine.game.moves[offer.mv]);
            let own = shapes.iter().zip(params).map(|(shape, param)| encoding_of_slot(shape, &param.ty));
            encoding.push(own.collect::<Vec<Encoding>>());
        }
        outputs.extend(encoding.iter().flatten().cloned());
        let accesses = Accesses::of_choice(machine, choice);
        let words = self.ask_with(QuestionKind::Draw(id), accesses, outputs, &[seat.v])?;
        let mut words = words.into_iter();
        let Some(number) = words.next() else { return unsupported("a draw without an offer") };
        let mut args = Vec::new();
        for encoding in &encoding {
            args.push(
                encoding
                    .iter()
                    .map(|encoding| self.decode(encoding, &mut words))
                    .collect::<Result<Vec<Val>>>()?,
            );
        }
        Ok((number, args))
    }

    /// Executes an op in the reference and fills the slots that it fills. For `Op::End`, returns the winners.
    pub(in crate::jit) fn op_interpreted(&mut self, pc: Pc) -> Result<Vec<V>> {
        let machine = self.machine;
        let op = &machine.game.code[pc];
        let accesses = Accesses::of_op(machine, op);
        let filled = accesses.fills.clone();
        let mut outputs = Vec::new();
        for slot in &filled {
            match self.vars.get(slot) {
                Some(vars) => outputs.push(encoding_of_slot(&vars.shape, &Type::Wrong)),
                None => return unsupported("a slot without a shape"),
            }
        }
        let winners = matches!(op, Op::End(_));
        if winners {
            outputs.push(Encoding::number());
        }
        let words = self.ask_with(QuestionKind::Op(pc, filled.clone()), accesses, outputs.clone(), &[])?;
        if winners {
            return Ok(words);
        }
        let mut words = words.into_iter();
        for (slot, encoding) in filled.iter().zip(&outputs) {
            let val = self.decode(encoding, &mut words)?;
            self.store_slots(&[*slot], val)?;
        }
        Ok(Vec::new())
    }

    // ---- questions to the reference

    /// Asks a question, passing the local values that its expressions read, followed by the words in `more`.
    pub(in crate::jit) fn ask_with(
        &mut self,
        kind: QuestionKind,
        accesses: Accesses,
        outputs: Vec<Encoding>,
        more: &[V],
    ) -> Result<Vec<V>> {
        self.ask_in_words(kind, accesses, outputs, more, false)
    }

    /// Asks such a question; with `by_words`, one to which the answer depends on the local values and the words alone.
    pub(in crate::jit) fn ask_in_words(
        &mut self,
        kind: QuestionKind,
        accesses: Accesses,
        outputs: Vec<Encoding>,
        more: &[V],
        by_words: bool,
    ) -> Result<Vec<V>> {
        let mut types: BTreeMap<Slot, Type> = BTreeMap::new();
        let mut frame = self.machine.game.slots;
        for part in accesses.play_frame_exprs {
            frame = frame.max(invariants::highest_slot(self.machine, part) + 1);
            let free = crate::ir::free_slots(part);
            local_types(part, &mut |slot, ty| {
                if free.contains(&slot) && !accesses.bound_inside.contains(&slot) {
                    types.insert(slot, ty.clone());
                }
            });
        }
        let (mut inputs, mut words, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, ty) in types {
            let val = self.local(slot)?;
            let (encoding, own) = self.encode(val, &ty)?;
            encoding.parts(&mut given);
            inputs.push((slot, encoding));
            words.extend(own);
        }
        given.extend(more.iter().map(|_| A_WORD));
        words.extend(more);
        let answered = parts_of(&outputs);
        self.inquire(
            Question { kind, inputs, frame, touched: accesses.touched, by_words, given, answered, outputs },
            &words,
        )
    }

    /// Asks a question that reads and writes no state, with at most one encoded value in slot 0; otherwise all words are
    /// passed as they are.
    fn ask_apart(
        &mut self,
        kind: QuestionKind,
        input: Option<Encoding>,
        outputs: Vec<Encoding>,
        words: &[V],
    ) -> Result<Vec<V>> {
        let question = Question {
            kind,
            given: input.as_ref().map_or_else(|| vec![A_WORD; words.len()], |of| parts_of([of])),
            frame: usize::from(input.is_some()),
            inputs: input.into_iter().map(|of| (0, of)).collect(),
            touched: Touched::default(),
            by_words: true,
            answered: parts_of(&outputs),
            outputs,
        };
        self.inquire(question, words)
    }

    /// Keeps the ranks of the rows that were found by tests after question number so and so.
    pub(in crate::jit) fn keep_tested(&mut self, number: usize, ranks: List) -> Result<()> {
        let (encoding, words) = self.encode(Val::List(ranks), &Type::List(Box::new(Type::Int)))?;
        self.ask_apart(QuestionKind::KeepTested(number), Some(encoding), Vec::new(), &words)?;
        Ok(())
    }

    /// Returns the words of a value of a type in another encoding.
    fn recoded(&mut self, ty: &Type, from: Encoding, words: &[V], to: Encoding) -> Result<Vec<V>> {
        let itself = Expr { kind: ExprKind::Local(0), ty: ty.clone(), span: Span::default() };
        self.ask_apart(QuestionKind::Value(itself), Some(from), vec![to], words)
    }

    /// Emits a question with its input words and returns the words of the answer.
    fn inquire(&mut self, question: Question, words: &[V]) -> Result<Vec<V>> {
        let answered = question.answered.len();
        let writes = !question.touched.writes.is_empty();
        let moves = writes || matches!(question.kind, QuestionKind::Save);
        let chance = matches!(question.kind, QuestionKind::Draw(_) | QuestionKind::Op(..));
        let room = self.stack(answered.max(words.len()).max(1) as u32 * 8);
        for (i, word) in words.iter().enumerate() {
            self.store64(*word, room, i as i32 * 8);
        }
        let ctx = self.ctx;
        let mut saved = vec![(self.run.fuel, CTX_ASKED_FUEL), (self.run.scratch, CTX_SCRATCH)];
        if chance {
            saved.extend(self.run.chance.into_iter().zip([0, 8, 16, 24].map(|at| CTX_ASKED_CHANCE + at)));
        }
        for (var, at) in &saved {
            let word = self.b.use_var(*var);
            self.store64(word, ctx, *at);
        }
        let number = self.int(self.data.questions.len() as i64);
        self.data.questions.push(question);
        let done = self.call("ask", &[ctx, number, room])?;
        for (var, at) in saved {
            let word = self.load64(ctx, at);
            self.b.def_var(var, word);
        }
        if moves {
            self.reload_base();
        }
        self.bail_out_unless(done);
        Ok(self.load_words(room, answered))
    }

    // ---- values and their words

    /// Returns the encoding for the values of a type.
    fn encoding_of(&self, ty: &Type) -> Encoding {
        match (Kept::of_type(ty, &Fact::default(), self.layout.players, self.layout.squares), ty) {
            (Some(of), _) => Encoding::Kept(of, ty.clone()),
            (None, Type::Tuple(parts)) => {
                Encoding::Tuple(parts.iter().map(|ty| self.encoding_of(ty)).collect())
            }
            (None, _) => Encoding::Opaque,
        }
    }

    /// Encodes a value of a type: returns the encoding and the words.
    fn encode(&mut self, val: Val, ty: &Type) -> Result<(Encoding, Vec<V>)> {
        Ok(match (val, ty) {
            (Val::Const(value), _) => (Encoding::Known(value), Vec::new()),
            (Val::Opaque(number), _) => (Encoding::Opaque, vec![number]),
            (Val::Cells { at, cells }, _) => self.place(at, Shape::Cells(cells)),
            (Val::MemoryBits { at, of }, _) => self.place(at, Shape::Bits(of)),
            (Val::Pool { handle, of }, _) => (Encoding::Place(Shape::Pool(Box::new(of))), vec![handle]),
            (Val::Tuple(vals), Type::Tuple(types)) => {
                let (mut parts, mut words) = (Vec::new(), Vec::new());
                for (val, ty) in vals.into_iter().zip(types) {
                    let (encoding, own) = self.encode(val, ty)?;
                    parts.push(encoding);
                    words.extend(own);
                }
                (Encoding::Tuple(parts), words)
            }
            (val, ty) => {
                let (word, of) = self.kept_argument(val, ty)?;
                (Encoding::Kept(of, ty.clone()), vec![word])
            }
        })
    }

    /// Encodes a value by its address in the position.
    fn place(&mut self, at: V, shape: Shape) -> (Encoding, Vec<V>) {
        let base = self.base();
        let offset = self.b.ins().isub(at, base);
        (Encoding::Place(shape), vec![offset])
    }

    /// Decodes a value from its words.
    fn decode(&mut self, encoding: &Encoding, words: &mut impl Iterator<Item = V>) -> Result<Val> {
        let mut word = || words.next().ok_or_else(|| Unsupported("too few words".to_string(), None));
        Ok(match encoding {
            Encoding::Known(value) => Val::Const(value.clone()),
            Encoding::Opaque => Val::Opaque(word()?),
            Encoding::Kept(of, _) => {
                let word = word()?;
                self.named(word, of)
            }
            Encoding::Tuple(parts) => {
                let parts: Result<Vec<Val>> = parts.iter().map(|part| self.decode(part, words)).collect();
                Val::Tuple(parts?)
            }
            Encoding::Place(_) => return unsupported("a place as an answer"),
        })
    }

    /// Returns the index of a value in the reference, keeping it there if necessary.
    pub(in crate::jit) fn opaque_index(&mut self, val: Val, ty: &Type) -> Result<V> {
        if let Val::Opaque(number) = val {
            return Ok(number);
        }
        let (encoding, words) = self.encode(val, ty)?;
        Ok(self.recoded(ty, encoding, &words, Encoding::Opaque)?[0])
    }

    /// Returns a value that the reference keeps in the form that a parameter's slot has.
    pub(in crate::jit) fn argument_kept_by_reference(&mut self, number: V, param: &Param) -> Result<Val> {
        let shape = self.vars.get(&param.slot).map(|found| found.shape.clone());
        let Some(shape) = shape else { return Ok(Val::Opaque(number)) };
        let encoding = encoding_of_slot(&shape, &param.ty);
        if let Encoding::Opaque = encoding {
            return Ok(Val::Opaque(number));
        }
        let words = self.recoded(&param.ty, Encoding::Opaque, &[number], encoding.clone())?;
        self.decode(&encoding, &mut words.into_iter())
    }

    /// Loads a value from the growing block whose handle is at byte offset `at`, and keeps it in the
    /// reference.
    pub(in crate::jit) fn load_opaque(&mut self, at: V) -> Result<V> {
        Ok(self.ask_apart(QuestionKind::Load, None, vec![Encoding::Opaque], &[at])?[0])
    }

    /// Saves a kept value to the growing block whose handle is at byte offset `at`.
    pub(in crate::jit) fn save_opaque(&mut self, number: V, at: V) -> Result<()> {
        self.ask_apart(QuestionKind::Save, None, Vec::new(), &[number, at])?;
        Ok(())
    }
}

/// Returns the encoding of a slot's value, which is of a type.
fn encoding_of_slot(shape: &SlotShape, ty: &Type) -> Encoding {
    shape.kept().map_or(Encoding::Opaque, |of| Encoding::Kept(of, ty.clone()))
}

fn parts_of<'t>(encoding: impl IntoIterator<Item = &'t Encoding>) -> Vec<Kept> {
    let mut parts = Vec::new();
    encoding.into_iter().for_each(|encoding| encoding.parts(&mut parts));
    parts
}

/// Visits the local values that an expression reads, with their types.
fn local_types<'e>(e: &'e Expr, on: &mut dyn FnMut(Slot, &'e Type)) {
    if let ExprKind::Local(slot) = &e.kind {
        on(*slot, &e.ty);
    }
    children(e, &mut |child| local_types(child, on));
}
