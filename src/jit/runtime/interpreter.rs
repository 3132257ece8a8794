//! Answers the questions of running code by the reference.
//!
//! Only the state that a question reads is decoded, and only if it has changed since it was last decoded. Large values
//! that code does not look into are kept here; code holds their indices.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::engine::unordered::Order;
use crate::eval::{Chosen, Dom, Machine, Position, Waiting, table};
use crate::ir::{Op, StateId, Value, domain_parts};
use crate::jit::layout::codec::{self, Memory, load_u};
use crate::jit::layout::entries::PlainEntries;
use crate::jit::layout::kept::Kept;
use crate::jit::layout::key::write_value;
use crate::jit::layout::pool;
use crate::jit::layout::position::{Layout, StatePlace};
use crate::jit::layout::serial;
use crate::jit::layout::shape::{Length, Shape, to_word};
use crate::jit::layout::tuple::word_in;
use crate::jit::runtime::questions::{Encoding, Question, QuestionKind, RowSource};
use crate::jit::runtime::tables::{Table, Tables};
use crate::num::{Int, Rng};
use crate::source::Span;

/// Everything that is needed to answer the questions of some code, shared by all threads.
#[derive(Debug)]
pub struct Interpreter {
    /// The game as written, which draws moves.
    pub source_machine: Machine,
    /// The optimised game, whose expressions and ops code asks about.
    pub machine: Machine,
    /// The memory layout of a position.
    pub layout: Layout,
    /// The questions, by number.
    pub questions: Vec<Question>,
    /// The shapes whose entries helpers encode, by number.
    pub plain_entries: Vec<PlainEntries>,
    /// A position whose grids have their sizes.
    pub blank: Position,
    /// The number of words of memory for values that code keeps.
    pub memo_words: usize,
}

/// A large value that code refers to by index.
#[derive(Debug, Clone)]
enum KeptItem {
    Value(Value),
    Domain(Dom),
    Table(Table),
}

/// Returns the words of a piece of state at byte offset `at`: its fixed part, and its growing block. For state that
/// holds collections, they are words that determine its value.
pub(super) fn state_words<'m>(
    layout: &Layout,
    place: &StatePlace,
    at: i32,
    memory: &'m Memory,
) -> (Cow<'m, [u64]>, &'m [u64]) {
    if let Shape::Cells(_) | Shape::Parts(_) = place.shape {
        let mut words = Vec::new();
        words.extend(place.flag.map(|flag| load_u(memory, at + flag, 1)));
        write_value(layout, memory, &place.shape, Order::All, at, &mut words);
        return (Cow::Owned(words), &[]);
    }
    let fixed = Cow::Borrowed(&memory[at as usize / 8..(at + place.stride + 7) as usize / 8]);
    let grown = match place.shape {
        Shape::List(Length::Growing, of) | Shape::Sorted(of) => {
            let (block, _) = pool::block(memory[at as usize / 8]);
            let len = memory[at as usize / 8 + 1] as usize;
            &memory[block..block + (len * of.width() as usize).div_ceil(8)]
        }
        Shape::Opaque => {
            let (block, _) = pool::block(memory[at as usize / 8]);
            &memory[block..block + memory[at as usize / 8 + 1] as usize]
        }
        Shape::Pool(_) => {
            let (block, _) = pool::block(memory[at as usize / 8 + 2]);
            &memory[block..block + memory[at as usize / 8 + 3] as usize]
        }
        _ => &[],
    };
    (fixed, grown)
}

/// What one thread keeps from one question to the next.
#[derive(Debug, Default)]
pub struct InterpreterState {
    /// The position, as far as it has been decoded.
    position: Option<Box<Position>>,
    /// The words from which each cell was last decoded.
    decoded_from: Vec<Memory>,
    frame: Vec<Value>,
    tables: Tables,
    /// For each question, how often rows were counted or tested to answer it.
    pub counted_anew: Vec<u64>,
    /// Large values, each with the address of the scratch word it occupies: it is kept until that word is
    /// reused. The first is always an unset value.
    kept: Vec<(usize, KeptItem)>,
    /// The values that code keeps.
    pub memo: Vec<u64>,
    /// The lists among them.
    lists: Vec<Box<[u64]>>,
    /// The number of their words.
    list_words: usize,
    /// The addresses of free scratch memory.
    pub free: Range<usize>,
    /// The words of the answer.
    pub words: Vec<i64>,
    /// The rows of the answer.
    pub rows: Vec<Vec<i64>>,
}

impl InterpreterState {
    /// The greatest number of words of lists that are kept.
    const MOST_LIST_WORDS: usize = 1 << 20;

    /// Creates the state for the code that an interpreter answers.
    pub fn for_code(interpreter: &Interpreter) -> InterpreterState {
        InterpreterState { memo: vec![0; interpreter.memo_words], ..InterpreterState::default() }
    }

    /// Keeps a copy of the bytes of a list and returns its words; `None` if it would be too much memory.
    pub fn keep_list(&mut self, bytes: &[u8]) -> Option<&[u64]> {
        // Elements may be read several at a time, also beyond the last.
        let words = bytes.len() / size_of::<u64>() + 8;
        self.list_words =
            (self.list_words + words <= Self::MOST_LIST_WORDS).then_some(self.list_words + words)?;
        let mut copy = vec![0u64; words].into_boxed_slice();
        for (word, part) in copy.iter_mut().zip(bytes.chunks(size_of::<u64>())) {
            let mut row = [0; size_of::<u64>()];
            row[..part.len()].copy_from_slice(part);
            *word = u64::from_ne_bytes(row);
        }
        self.lists.push(copy);
        self.lists.last().map(|list| &**list)
    }
}

/// The counters that answering a question advances.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Counters {
    /// The remaining steps.
    pub fuel: i64,
    /// The state of the random stream.
    pub chance: [u64; 4],
}

impl Interpreter {
    /// Whether code asks any questions.
    pub fn asks(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Returns which rows a question asks for: where they are chosen, and in words; `None` if it asks for none.
    pub fn rows_asked_for(&self, number: usize) -> Option<(Span, String)> {
        let QuestionKind::Rows(rows, _) = &self.questions.get(number)?.kind else { return None };
        Some(match rows.made() {
            RowSource::Chosen(mv, at) | RowSource::Legal(mv, at) => {
                let own = &self.source_machine.game.moves[*mv];
                let param = own.params.iter().filter(|param| param.domain.is_some()).nth(*at)?;
                (param.span, format!("the rows that `{}` is chosen from", param.name))
            }
            RowSource::Domain(domain) => {
                let mut parts = Vec::new();
                domain_parts(domain, &mut parts);
                (parts.first().map_or(Span::default(), |part| part.span), "the rows of a domain".to_string())
            }
            RowSource::IfWorthMaking(_) => return None,
        })
    }
}

impl InterpreterState {
    /// Drops all kept values, when code holds no index of any.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.kept.push((0, KeptItem::Value(Value::Unset)));
    }

    /// Keeps a value and returns its index.
    fn keep_value(&mut self, value: Value) -> Option<i64> {
        self.push_kept(KeptItem::Value(value))
    }

    /// Returns a kept value.
    pub fn kept(&self, number: i64) -> Option<&Value> {
        match self.kept.get(usize::try_from(number).ok()?)? {
            (_, KeptItem::Value(value)) => Some(value),
            (_, KeptItem::Domain(_) | KeptItem::Table(_)) => None,
        }
    }

    /// Keeps an argument for the step that is about to begin and returns its index.
    pub fn keep_argument(&mut self, value: Value) -> i64 {
        self.kept.push((0, KeptItem::Value(value)));
        self.kept.len() as i64 - 1
    }

    fn push_kept(&mut self, kept: KeptItem) -> Option<i64> {
        // Drop the values whose scratch words have been freed since.
        let at = self.free.start;
        while self.kept.last().is_some_and(|(taken, _)| *taken >= at) {
            self.kept.pop();
        }
        self.free.start += size_of::<u64>();
        if self.free.is_empty() {
            return None;
        }
        self.kept.push((at, kept));
        i64::try_from(self.kept.len() - 1).ok()
    }

    /// Answers question `number` about the position in `memory`, into [`InterpreterState::words`] and
    /// [`InterpreterState::rows`]. `None` if a rule is broken or something does not fit: the reference must
    /// repeat the whole step.
    pub fn answer(
        &mut self,
        interpreter: &Interpreter,
        number: usize,
        memory: &mut Memory,
        given: &[&[i64]],
        counters: &mut Counters,
    ) -> Option<()> {
        let question = interpreter.questions.get(number)?;
        self.words.clear();
        self.rows.clear();
        match &question.kind {
            QuestionKind::At => {
                let (_, KeptItem::Domain(dom)) =
                    self.kept.get(usize::try_from(*given.first()?.first()?).ok()?)?
                else {
                    return None;
                };
                let value = dom.at(&Int::from(*given.get(1)?.first()?));
                counters.fuel -= 1;
                return self.encode(interpreter, question.outputs.first()?, value);
            }
            QuestionKind::KeepTested(number) => {
                // A list is passed as its length and its elements.
                let (_, ranks) = given.first()?.split_first()?;
                self.tables.keep_tested(*number, ranks, counters.fuel);
                return Some(());
            }
            QuestionKind::Load => {
                let words = codec::load_words(memory, i32::try_from(*given.first()?.first()?).ok()?);
                let number = self.keep_value(serial::value_of(words))?;
                self.words.push(number);
                return Some(());
            }
            QuestionKind::Save => {
                let value = self.kept(*given.first()?.first()?)?;
                return codec::store_words(
                    memory,
                    i32::try_from(*given.get(1)?.first()?).ok()?,
                    &serial::words_of(value),
                );
            }
            _ => {}
        }
        let key = Tables::key(interpreter, number, memory, given);
        if let Some((table, steps)) = key.as_ref().and_then(|key| self.tables.find(key)) {
            counters.fuel = counters.fuel.checked_sub(steps).filter(|left| *left >= 0)?;
            return self.answer_with_table(table);
        }
        if let QuestionKind::Tested = question.kind {
            self.tables.test(number, key, counters.fuel);
            self.words.extend([0, 0]);
            return Some(());
        }
        if let QuestionKind::Rows(RowSource::IfWorthMaking(_), _) = question.kind
            && let Some([tested]) = given.last().copied()
            && !key.as_ref().is_some_and(|key| self.tables.is_worth_making(key, *tested))
        {
            self.words.extend([0, 0]);
            return Some(());
        }
        let fuel = counters.fuel;
        let mut position = self.position.take().unwrap_or_else(|| Box::new(interpreter.blank.clone()));
        let answered = self.answer_from_position(interpreter, number, &mut position, memory, given, counters);
        self.position = Some(position);
        if let (Some(key), Some(()), Some((_, KeptItem::Table(table)))) = (key, answered, self.kept.last())
            && self.words.first() != Some(&0)
        {
            self.tables.keep(key, table.clone(), fuel - counters.fuel);
        }
        answered
    }

    /// Answers with a table, which is kept until its scratch word is reused.
    fn answer_with_table(&mut self, table: Table) -> Option<()> {
        let words = [table.as_ptr().expose_provenance() as i64, table.len() as i64];
        self.push_kept(KeptItem::Table(table))?;
        self.words.extend(words);
        Some(())
    }

    /// Answers a question that reads the position.
    fn answer_from_position(
        &mut self,
        interpreter: &Interpreter,
        number: usize,
        position: &mut Position,
        memory: &mut Memory,
        given: &[&[i64]],
        counters: &mut Counters,
    ) -> Option<()> {
        let question = &interpreter.questions[number];
        for state in question.touched.reads.union(&question.touched.writes) {
            self.refresh(interpreter, *state, position, memory);
        }
        codec::decode_head(&interpreter.layout, memory, position);
        let mut given = given.iter().copied();
        let mut frame = std::mem::take(&mut self.frame);
        if frame.len() < question.frame {
            frame.resize(question.frame, Value::Unset);
        }
        let mut filled = true;
        for (slot, encoding) in &question.inputs {
            match self.decode(interpreter, encoding, &mut given, memory) {
                Some(value) => frame[*slot] = value,
                None => filled = false,
            }
        }
        let answered = if filled {
            self.evaluate(interpreter, number, position, &mut frame, memory, given.next(), counters)
        } else {
            None
        };
        self.frame = frame;
        answered
    }

    #[allow(clippy::too_many_arguments)]
    fn evaluate(
        &mut self,
        interpreter: &Interpreter,
        number: usize,
        position: &mut Position,
        frame: &mut Vec<Value>,
        memory: &mut Memory,
        seat: Option<&[i64]>,
        counters: &mut Counters,
    ) -> Option<()> {
        let question = &interpreter.questions[number];
        let machine = &interpreter.machine;
        let steps = Cell::new(u64::try_from(counters.fuel).ok()?);
        let seat = seat.and_then(|words| usize::try_from(*words.first()?).ok());
        let mut rng = Rng { state: counters.chance };
        let done = match &question.kind {
            QuestionKind::Value(e) => {
                let value = machine.env(position, &steps).eval(e, frame).ok()?;
                self.encode(interpreter, question.outputs.first()?, value)
            }
            QuestionKind::Domain(domain, distinct) => {
                let mut dom = machine.env(position, &steps).domain(domain, frame, *distinct).ok()?;
                dom.materialise();
                let count =
                    dom.count(Default::default()).ok()??.as_i64().filter(crate::jit::layout::shape::fits)?;
                let number = self.push_kept(KeptItem::Domain(dom))?;
                self.words.extend([number, count]);
                Some(())
            }
            QuestionKind::Rows(rows, sort) => {
                let squares = interpreter.layout.squares;
                let word = |value: &Value| match sort {
                    Some(sort) => word_in(value, *sort, squares),
                    None => to_word(value, squares),
                };
                let source = interpreter.source_machine.env(position, &steps);
                let dom = match rows.made() {
                    RowSource::Chosen(mv, at) => source.rows_to_draw_from(*mv, *at, frame).ok()?,
                    RowSource::Legal(mv, at) => source.legal_rows(*mv, *at, frame).ok()?,
                    RowSource::Domain(domain) => {
                        Some(machine.env(position, &steps).domain(domain, frame, false).ok()?)
                    }
                    RowSource::IfWorthMaking(_) => None,
                };
                let made = |words| Table::from(table::with_rows(words));
                let (mut anew, counted) = (0, &mut self.counted_anew);
                let table = match dom? {
                    Dom::Counted(rows) => self.tables.of_counted(number, &rows, || {
                        anew = 1;
                        rows.table(&word)
                    }),
                    Dom::Items(rows) => {
                        anew = 1;
                        table::listed(&rows, &word).map(made)
                    }
                    dom => dom
                        .count(Default::default())
                        .ok()?
                        .filter(Int::is_zero)
                        .and_then(|_| table::listed(&[], &word))
                        .map(made),
                };
                counted.resize(counted.len().max(number + 1), 0);
                counted[number] += anew;
                self.answer_with_table(table?)
            }
            QuestionKind::CanMove(choice) => {
                std::mem::swap(&mut position.frame, frame);
                let choice = &interpreter.source_machine.game.choices[*choice];
                let can = interpreter.source_machine.env(position, &steps).can_move(choice, seat?);
                std::mem::swap(&mut position.frame, frame);
                self.words.push(i64::from(can.ok()?));
                Some(())
            }
            QuestionKind::Draw(choice) => {
                std::mem::swap(&mut position.frame, frame);
                let choice = &interpreter.source_machine.game.choices[*choice];
                let drawn =
                    interpreter
                        .source_machine
                        .env(position, &steps)
                        .draw_legal(choice, seat?, &mut |n| rng.below(n));
                std::mem::swap(&mut position.frame, frame);
                self.encode_move(interpreter, question, drawn.ok()??, choice)
            }
            QuestionKind::Op(pc, slots) => {
                std::mem::swap(&mut position.frame, frame);
                position.pc = *pc;
                position.waiting = Waiting::Nothing;
                let done = match &machine.game.code[*pc] {
                    Op::Chance(_) => {
                        position.waiting = Waiting::Chance;
                        position.draws = 0;
                        machine
                            .draw_chance(position, &mut |n| rng.below(n))
                            .and_then(|value| machine.resolve_draw(position, value))
                            .is_ok_and(|settled| settled.is_ok())
                    }
                    _ => machine.step(position, &steps).is_ok(),
                };
                std::mem::swap(&mut position.frame, frame);
                let written = done.then(|| self.put_back(interpreter, question, position, memory)).flatten();
                // The cells were changed even if the step fails, so they no longer match what they were
                // decoded from.
                for state in &question.touched.writes {
                    self.forget(interpreter, *state);
                }
                written?;
                match (&machine.game.code[*pc], &position.outcome) {
                    (Op::End(_), Some(outcome)) => {
                        self.words.push(outcome.winners.iter().fold(0, |all, seat| all | 1 << seat));
                        position.outcome = None;
                    }
                    _ => {
                        for (slot, encoding) in slots.iter().zip(&question.outputs) {
                            self.encode(interpreter, encoding, frame[*slot].clone())?;
                        }
                    }
                }
                Some(())
            }
            QuestionKind::At
            | QuestionKind::Load
            | QuestionKind::Save
            | QuestionKind::Tested
            | QuestionKind::KeepTested(_) => None,
        };
        counters.fuel = i64::try_from(steps.get()).unwrap_or(i64::MAX);
        counters.chance = rng.state;
        done
    }

    /// Decodes a piece of state unless it is unchanged.
    fn refresh(
        &mut self,
        interpreter: &Interpreter,
        state: StateId,
        position: &mut Position,
        memory: &Memory,
    ) {
        let (machine, layout) = (&interpreter.machine, &interpreter.layout);
        let declared = &machine.game.state[state];
        let place = &layout.states[state];
        if self.decoded_from.len() < position.cells.len() {
            self.decoded_from.resize(position.cells.len(), Memory::new());
        }
        for owner in 0..if declared.per_player { layout.players } else { 1 } {
            let cell = machine.setup.bases[state] + owner;
            let at = place.at + owner as i32 * place.stride;
            if !matches!(place.shape, Shape::Scalar(_)) {
                let (fixed, grown) = state_words(layout, place, at, memory);
                let decoded_from = &mut self.decoded_from[cell];
                if decoded_from.len() == fixed.len() + grown.len()
                    && decoded_from[..fixed.len()] == *fixed
                    && decoded_from[fixed.len()..] == *grown
                {
                    continue;
                }
                decoded_from.clear();
                decoded_from.extend_from_slice(&fixed);
                decoded_from.extend_from_slice(grown);
            }
            position.cells[cell] = codec::decode_state(layout, memory, state, owner);
        }
    }

    /// Marks a piece of state as changed, so that it is decoded again.
    fn forget(&mut self, interpreter: &Interpreter, state: StateId) {
        let first = interpreter.machine.setup.bases[state];
        let owners =
            if interpreter.machine.game.state[state].per_player { interpreter.layout.players } else { 1 };
        self.decoded_from[first..first + owners].iter_mut().for_each(Memory::clear);
    }

    /// Writes the state that an op changed back to memory.
    fn put_back(
        &self,
        interpreter: &Interpreter,
        question: &Question,
        position: &Position,
        memory: &mut Memory,
    ) -> Option<()> {
        for state in &question.touched.writes {
            codec::encode_state(&interpreter.machine, &interpreter.layout, memory, *state, position)?;
        }
        codec::encode_head(&interpreter.layout, memory, position)
    }

    /// Decodes a value from input words.
    fn decode<'g>(
        &self,
        interpreter: &Interpreter,
        encoding: &Encoding,
        given: &mut impl Iterator<Item = &'g [i64]>,
        memory: &Memory,
    ) -> Option<Value> {
        Some(match encoding {
            Encoding::Known(value) => value.clone(),
            Encoding::Kept(of, ty) => {
                let mut words = given.next()?.iter().copied();
                of.read(ty, interpreter.layout.squares, &mut words)?
            }
            Encoding::Tuple(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.decode(interpreter, part, given, memory)).collect();
                Value::list(parts?)
            }
            Encoding::Opaque => self.kept(*given.next()?.first()?)?.clone(),
            Encoding::Place(shape) => {
                let at = i32::try_from(*given.next()?.first()?).ok()?;
                codec::decode_cell(&interpreter.layout, memory, shape, at)
            }
        })
    }

    /// Encodes a value of the answer.
    fn encode(&mut self, interpreter: &Interpreter, encoding: &Encoding, value: Value) -> Option<()> {
        match encoding {
            Encoding::Known(_) => {}
            Encoding::Tuple(parts) => {
                let Value::List(items) = value else { return None };
                for (part, item) in parts.iter().zip(items.iter()) {
                    self.encode(interpreter, part, item.clone())?;
                }
            }
            Encoding::Kept(of, _) => {
                let mut words = Vec::new();
                of.write(&value, interpreter.layout.squares, &mut words)?;
                match of {
                    Kept::Word(_) => self.words.extend(words),
                    _ => self.rows.push(words),
                }
            }
            Encoding::Opaque => {
                let number = self.keep_value(value)?;
                self.words.push(number);
            }
            Encoding::Place(_) => return None,
        }
        Some(())
    }

    /// Encodes a drawn move: its offer, and the arguments of every offer, with fillers for those not drawn.
    fn encode_move(
        &mut self,
        interpreter: &Interpreter,
        question: &Question,
        drawn: Chosen,
        choice: &crate::ir::Choice,
    ) -> Option<()> {
        self.words.push(drawn.offer as i64);
        let mut outputs = question.outputs.iter().skip(1);
        for (number, offer) in choice.all_offers().enumerate() {
            let params = interpreter.machine.game.moves[offer.mv].params.iter();
            for at in 0..params.filter(|param| param.domain.is_some()).count() {
                let encoding = outputs.next()?;
                if number == drawn.offer {
                    self.encode(interpreter, encoding, drawn.args.get(at)?.clone())?;
                    continue;
                }
                let mut parts = Vec::new();
                encoding.parts(&mut parts);
                for part in parts {
                    match part {
                        Kept::Word(_) => self.words.push(0),
                        of => self.rows.push(of.filler()),
                    }
                }
            }
        }
        Some(())
    }
}
