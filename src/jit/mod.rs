//! The compiler: a checked game with its options fixed becomes machine code, and whatever that cannot do exactly
//! is handed to the reference evaluator, step by step.
//!
//! A position lies flat in memory ([`layout`], [`codec`]). Code works on it until the next stop; where a number grows
//! too large, a rule breaks, or a part was not compiled, code gives up, and the reference does that step from the
//! position before it. So all faults are the reference's own, and code needs to know only when not to go on.

mod aliases;
mod bulk;
mod call;
mod chance;
mod changed;
mod choose;
mod code;
mod codec;
mod convert;
mod deal;
mod draw;
mod each;
mod effect;
mod entry;
mod expr;
mod flow;
mod fold;
mod generate;
mod held;
mod interpreted;
mod known;
mod layout;
mod leaf;
mod legal;
mod lines;
mod listed;
mod lists;
mod looks;
mod outcome;
mod pool;
mod prefer;
mod questions;
mod ranks;
mod row;
mod rows;
mod serial;
mod shape;
mod slots;
mod spell;
mod straight;
mod table;
mod together;
mod truth;
mod truths;
mod tuple;
mod value;
mod word;
mod write;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use self::call::{Entry, Room};
use self::code::{Code, Plan};
use self::codec::Memory;
use self::interpreted::Mark;
use self::layout::{ArgShape, Layout};
use self::shape::Scalar;
use self::slots::SlotShape;
use crate::engine::{Engine, play_on};
use crate::eval::{Chosen, Dom, Fault, MAX_STEPS, Machine, Outcome, Position, Waiting};
use crate::ir::{Live, Op, Scoring, Value};
use crate::num::{Int, Rng};
use crate::source::Span;

/// A game compiled to machine code.
#[derive(Debug)]
pub struct Compiled {
    machine: Machine,
    flat: Option<Flat>,
    left_out: Vec<String>,
    start: Option<State>,
    handed_over: Cell<u64>,
}

#[derive(Debug)]
struct Flat {
    layout: Layout,
    code: Code,
    room: RefCell<Room>,
    spare: RefCell<Memory>,
    /// The positions of the playouts that code plays one after the other.
    matches: RefCell<Vec<State>>,
}

/// An argument as code takes it.
enum Arg {
    /// Words.
    Words(Vec<i64>),
    /// A list, by address and length.
    List(Vec<i64>),
    /// A value that only the reference looks into, by its number.
    Kept(Value),
}

/// A position of a compiled game.
#[derive(Debug)]
pub enum State {
    /// In flat memory.
    Flat(Memory),
    /// As the reference keeps it: something in it does not fit.
    Full(Box<Position>),
}

impl Clone for State {
    fn clone(&self) -> State {
        match self {
            State::Flat(memory) => State::Flat(memory.clone()),
            State::Full(position) => State::Full(position.clone()),
        }
    }

    fn clone_from(&mut self, other: &State) {
        match (self, other) {
            (State::Flat(memory), State::Flat(other)) => memory.clone_from(other),
            (this, other) => *this = other.clone(),
        }
    }
}

impl Compiled {
    /// Compiles a game whose options and players are fixed.
    pub fn new(machine: Machine) -> Compiled {
        let mut compiled =
            Compiled { machine, flat: None, left_out: Vec::new(), start: None, handed_over: Cell::new(0) };
        match Flat::new(&compiled.machine) {
            Ok(flat) => {
                let spans = flat.code.left.iter().map(|(pc, why)| {
                    let op = crate::ir::op_text(&compiled.machine.game, *pc);
                    format!("step {pc}, {op}: {why}")
                });
                compiled.left_out = spans.collect();
                compiled.flat = Some(flat);
            }
            Err(why) => compiled.left_out = vec![format!("everything: {why}")],
        }
        if let Ok(position) = compiled.machine.start() {
            compiled.start = Some(compiled.enter(&position));
        }
        compiled
    }

    /// What runs in the reference evaluator all the same, and why: a line for each part; empty for none.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// What the reference works out while code runs: the place of each such part in the text, and why.
    pub fn interpreted(&self) -> Vec<(Span, &str)> {
        let game = &self.machine.game;
        let place = |mark: &Mark| match mark {
            Mark::Expr(span, _) => *span,
            Mark::Choice(id) => game.choices[*id].span,
            Mark::Op(pc) => match &game.code[*pc] {
                Op::Do(_, span) => *span,
                Op::Chance(chance) => chance.span,
                _ => Span::default(),
            },
        };
        let marks = self.flat.iter().flat_map(|flat| &flat.code.marks);
        marks.map(|(mark, why)| (place(mark), why.as_str())).collect()
    }

    /// How many rows of code select by what chance decides, where other code would branch.
    pub fn rows(&self) -> usize {
        self.flat.as_ref().map_or(0, |flat| flat.code.rows)
    }

    /// How many playouts code has begun and handed over to the reference until now, because of something in them.
    pub fn handed_over(&self) -> u64 {
        self.handed_over.get()
    }

    /// How many bytes a position takes, blocks that grow not counted; `None` where it has no flat form.
    pub fn bytes(&self) -> Option<usize> {
        self.flat.as_ref().map(|flat| flat.layout.bytes as usize)
    }

    fn full(&self, state: &State) -> Position {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::decode(&self.machine, &flat.layout, memory),
            (State::Full(position), _) => (**position).clone(),
            (State::Flat(_), None) => self.machine.vacant(),
        }
    }

    /// Does a step in the reference.
    fn by_reference<T>(
        &self,
        state: &mut State,
        step: impl FnOnce(&mut Position) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut position = self.full(state);
        let result = step(&mut position);
        *state = self.enter(&position);
        result
    }
}

impl Flat {
    fn new(machine: &Machine) -> Result<Flat, String> {
        let game = &machine.game;
        let blank = machine.blank().map_err(|fault| format!("its first values: {}", fault.message))?;
        let squares = layout::squares_of(machine);
        let slots = slots::find(machine, &blank, squares);
        let live = Live::of(game);
        let (mut outlive, mut unkept) = (BTreeMap::new(), BTreeSet::new());
        for (pc, op) in game.code.iter().enumerate() {
            if matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..) | Op::End(_)) {
                for slot in live.at(pc) {
                    match slots.shapes.get(slot) {
                        // Only words can tell that nothing was named yet.
                        Some(shape) if matches!(shape, SlotShape::Word(_) | SlotShape::Kept(_)) || !live.at(0).contains(slot) => {
                            outlive.insert(*slot, shape.clone());
                        }
                        _ => drop(unkept.insert(pc)),
                    }
                }
            }
        }
        let layout = Layout { unkept, ..Layout::new(machine, &blank, &outlive)? };
        let machine = &spell::spelled_out(machine);
        let plan = Plan { machine, layout: &layout, slots: &slots, live: &live, blank: &blank };
        let code = Code::new(&plan)?;
        let mut room = Room::default();
        room.context.cost = code.cost;
        Ok(Flat {
            layout,
            code,
            room: RefCell::new(room),
            spare: RefCell::default(),
            matches: RefCell::default(),
        })
    }

    /// Runs code on a position. `false`: the reference must do it, and the position is as it was.
    fn run(&self, memory: &mut Memory, code: Entry, set: impl FnOnce(&mut Room, &mut Memory)) -> bool {
        let mut room = self.room.borrow_mut();
        let mut spare = self.spare.borrow_mut();
        spare.clone_from(memory);
        self.prepare(&mut room, memory);
        set(&mut room, memory);
        let done = room.run(code, [&mut *memory]);
        if !done {
            std::mem::swap(memory, &mut spare);
        }
        done
    }

    /// What code is told, when it is to go on from a position by one step.
    fn prepare(&self, room: &mut Room, memory: &Memory) {
        room.hand(&self.code.handed);
        room.desk.clear();
        room.context.fuel = MAX_STEPS as i64;
        room.context.draws = codec::draws(memory);
        room.context.max_moves = -1;
        room.context.task = -1;
    }

    /// Plays from a position, again and again, in one stream: how many times code came to an end.
    fn playouts(
        &self,
        start: &Memory,
        rng: &mut Rng,
        max_moves: u64,
        count: u64,
        on: &mut dyn FnMut(&State, u64),
    ) -> u64 {
        /// So many are played before they are told.
        const BATCH: u64 = 64;
        let mut matches = self.matches.take();
        let mut moves = Vec::new();
        let (mut told, mut batch) = (0, 1);
        while told < count {
            let size = (count - told).min(batch) as usize;
            matches.resize_with(matches.len().max(size), || State::Flat(Memory::new()));
            let fresh = matches[..size].iter_mut().filter_map(|state| match state {
                State::Flat(memory) => {
                    memory.clone_from(start);
                    Some(memory)
                }
                State::Full(_) => None,
            });
            let done = {
                let mut room = self.room.borrow_mut();
                self.prepare(&mut room, start);
                room.plays(rng, max_moves);
                let done = room.run(self.code.play, fresh);
                rng.state = room.context.chance;
                moves.clear();
                moves.extend(room.over());
                done
            };
            matches.iter().zip(&moves).for_each(|(state, moves)| on(state, *moves));
            told += moves.len() as u64;
            if !done {
                break;
            }
            batch = BATCH.min(batch * 2);
        }
        self.matches.replace(matches);
        told
    }

    /// Makes a choice. `false`: the reference must do it, and the position is as it was.
    fn choose(&self, machine: &Machine, memory: &mut Memory, seat: usize, chosen: &Chosen) -> bool {
        let Waiting::Choice { choice, .. } = codec::waiting(&self.layout, memory) else { return true };
        if machine.game.choices[choice].together {
            let before = memory.clone();
            let done = self.choose_together(memory, seat, chosen);
            if !done {
                *memory = before;
            }
            return done;
        }
        let Some(shapes) = &self.layout.args[chosen.mv] else { return false };
        let args: Option<Vec<Arg>> =
            chosen.args.iter().zip(shapes).map(|(value, shape)| self.arg(value, *shape)).collect();
        let Some(args) = args else { return false };
        self.run(memory, self.code.play, |room, memory| {
            codec::has_chosen(memory, seat);
            room.context.draws = 0;
            room.context.task = flow::offer_task(choice, chosen.offer);
            room.context.seat = seat as i64;
            let mut at = 0;
            for arg in args {
                match arg {
                    Arg::Words(words) => {
                        room.context.args[at..at + words.len()].copy_from_slice(&words);
                        at += words.len();
                    }
                    Arg::List(list) => {
                        room.list_argument(at, list);
                        at += 2;
                    }
                    Arg::Kept(value) => {
                        room.context.args[at] = room.desk.bring(value);
                        at += 2;
                    }
                }
            }
        })
    }

    /// An argument as code takes it; `None` where it does not fit.
    fn arg(&self, value: &Value, shape: ArgShape) -> Option<Arg> {
        let word = |value: &Value, of: Scalar| tuple::word_in(value, of.sort, self.layout.squares);
        let items = || crate::eval::elements(value);
        Some(match shape {
            ArgShape::Word(of) => Arg::Words(vec![word(value, of)?]),
            ArgShape::Bits(of) => {
                let mut words = vec![0; of.words()];
                for item in items() {
                    let at = word(&item, of)? - of.lo;
                    *words.get_mut(usize::try_from(at / 64).ok()?)? |= 1 << (at % 64);
                }
                Arg::Words(words)
            }
            ArgShape::List(of) => {
                Arg::List(items().iter().map(|item| word(item, of)).collect::<Option<_>>()?)
            }
            ArgShape::Kept => Arg::Kept(value.clone()),
        })
    }

    /// Puts a choice under seal; the last one of a joint choice is carried out with the others.
    fn choose_together(&self, memory: &mut Memory, seat: usize, chosen: &Chosen) -> bool {
        if codec::seal(&self.layout, memory, seat, chosen.offer, chosen.mv, &chosen.args).is_none() {
            return false;
        }
        if codec::has_chosen(memory, seat) > 0 {
            return true;
        }
        codec::step_on(memory);
        self.run(memory, self.code.play, |_, _| {})
    }

    /// The legal moves of a seat; `None`: the reference must list them.
    fn legal(&self, machine: &Machine, memory: &[u64], seat: usize, windowed: bool) -> Option<Vec<Chosen>> {
        let Waiting::Choice { choice, .. } = codec::waiting(&self.layout, memory) else { return None };
        let entry = self.code.lists[choice]?;
        let choice = &machine.game.choices[choice];
        let offers: Vec<_> = choice.offers.iter().chain(&choice.otherwise).collect();
        let windows = |mv: &crate::ir::Move| mv.params.iter().any(|param| param.window.is_some());
        if !windowed && offers.iter().any(|offer| windows(&machine.game.moves[offer.mv])) {
            return None;
        }
        let mut room = self.room.borrow_mut();
        let mut spare = self.spare.borrow_mut();
        spare.clear();
        spare.extend_from_slice(memory);
        self.prepare(&mut room, &spare);
        room.context.seat = seat as i64;
        if !room.run(entry, [&mut *spare]) {
            return None;
        }
        let mut rows = room.rows.iter().copied();
        let mut all = Vec::new();
        while let Some(offer) = rows.next() {
            let offer = usize::try_from(offer).ok()?;
            let mv = offers.get(offer)?.mv;
            let mut args = Vec::new();
            for shape in self.layout.args[mv].as_ref()? {
                let value = |of: &Scalar, word| shape::from_word(of.sort, word, self.layout.squares);
                args.push(match shape {
                    ArgShape::Word(of) => value(of, rows.next()?),
                    ArgShape::Bits(of) => {
                        let words: Vec<i64> = rows.by_ref().take(of.words()).collect();
                        let there = |at: &i64| words[*at as usize / 64] >> (at % 64) & 1 == 1;
                        Value::set((0..of.size()).filter(there).map(|at| value(of, of.lo + at)))
                    }
                    ArgShape::List(of) => {
                        let len = usize::try_from(rows.next()?).ok()?;
                        Value::list(rows.by_ref().take(len).map(|word| value(of, word)).collect())
                    }
                    ArgShape::Kept => return None,
                });
            }
            all.push(Chosen { offer, mv, args });
        }
        Some(all)
    }
}

impl Engine for Compiled {
    type State = State;

    fn name(&self) -> &'static str {
        "compiled"
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn start(&self) -> Result<State, Fault> {
        match &self.start {
            Some(start) => Ok(start.clone()),
            None => Ok(self.enter(&self.machine.start()?)),
        }
    }

    fn waiting(&self, state: &State) -> Waiting {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::waiting(&flat.layout, memory),
            (State::Full(position), _) => position.waiting.clone(),
            (State::Flat(_), None) => Waiting::Nothing,
        }
    }

    fn fresh(&self, state: &State) -> bool {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::fresh(&flat.layout, memory),
            (State::Full(position), _) => position.sealed.is_empty(),
            (State::Flat(_), None) => true,
        }
    }

    fn position(&self, state: &State) -> Position {
        self.full(state)
    }

    fn enter(&self, position: &Position) -> State {
        let flat = self.flat.as_ref().and_then(|flat| codec::encode(&self.machine, &flat.layout, position));
        match flat {
            Some(memory) => State::Flat(memory),
            None => State::Full(Box::new(position.clone())),
        }
    }

    fn legal(&self, state: &State, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault> {
        if let (State::Flat(memory), Some(flat)) = (state, &self.flat)
            && let Some(all) = flat.legal(&self.machine, memory, seat, windowed)
        {
            return Ok(all);
        }
        Engine::legal(&self.machine, &self.full(state), seat, windowed)
    }

    fn draw_legal(&self, state: &State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        Engine::draw_legal(&self.machine, &self.full(state), seat, rng)
    }

    fn choose(&self, state: &mut State, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        if let (State::Flat(memory), Some(flat)) = (&mut *state, &self.flat)
            && flat.choose(&self.machine, memory, seat, &chosen)
        {
            return Ok(());
        }
        self.by_reference(state, |position| self.machine.choose(position, seat, chosen))
    }

    fn outcomes(&self, state: &State) -> Result<Dom, Fault> {
        self.machine.outcomes(&self.full(state))
    }

    fn draw(&self, state: &mut State, value: Value) -> Result<Result<(), String>, Fault> {
        self.by_reference(state, |position| self.machine.draw(position, value))
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::outcome(&flat.layout, memory),
            (State::Full(position), _) => position.outcome.clone(),
            (State::Flat(_), None) => None,
        }
    }

    fn scores(&self, state: &State) -> Result<Option<Vec<Int>>, Fault> {
        if matches!(self.machine.game.scoring, Scoring::None) {
            return Ok(None);
        }
        self.machine.scores(&self.full(state))
    }

    fn play_on(&self, state: &mut State, rng: &mut Rng, max_moves: u64) -> Result<u64, Fault> {
        let Some(flat) = &self.flat else { return play_on(self, state, rng, max_moves, &mut |_| {}) };
        if let State::Flat(memory) = &mut *state
            && codec::fresh(&flat.layout, memory)
        {
            if matches!(codec::waiting(&flat.layout, memory), Waiting::Over) {
                return Ok(0);
            }
            let done = flat.run(memory, flat.code.play, |room, _| room.plays(rng, max_moves));
            if done {
                let room = flat.room.borrow();
                rng.state = room.context.chance;
                return Ok(room.over().sum());
            }
        }
        // Something in this match is for the reference: step by step, so that only that is.
        self.handed_over.update(|so_far| so_far + 1);
        play_on(self, state, rng, max_moves, &mut |_| {})
    }

    fn playouts(
        &self,
        rng: &mut Rng,
        max_moves: u64,
        count: u64,
        on: &mut dyn FnMut(&State, u64),
    ) -> Result<(), Fault> {
        let mut left = count;
        while left > 0 {
            if let (Some(State::Flat(start)), Some(flat)) = (&self.start, &self.flat)
                && codec::fresh(&flat.layout, start)
            {
                left -= flat.playouts(start, rng, max_moves, left, on);
            }
            if left > 0 {
                // What code could not play.
                let (state, moves) = self.playout(rng, max_moves)?;
                on(&state, moves);
                left -= 1;
            }
        }
        Ok(())
    }
}
