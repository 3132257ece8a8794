//! The compiler: turns a checked game with fixed options into machine code. Whatever compiled code cannot do
//! exactly is handed to the reference evaluator ("the reference"), step by step.
//!
//! Code works on a position in flat memory (`layout`) until the next stop. Where a number grows too large, a
//! rule is broken, or a part was not compiled, code bails out, and the reference repeats that step from the
//! position before it. All faults are therefore reported by the reference; code only needs to know when it
//! must not go on.

mod analysis;
mod answers;
mod backend;
mod builder;
mod compile;
mod layout;
mod lower;
mod matches;
mod mir;
mod runtime;
mod stepper;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use self::analysis::evaluated::Evaluated;
use self::analysis::rows::number_known_rows;
use self::backend::Target;
use self::builder::bail_out::op_span;
use self::builder::unsupported::MarkedPart;
use self::compile::{Code, Plan, StepCode};
use self::layout::codec::{self, Memory};
use self::layout::kept::Kept;
use self::layout::position::{self, Layout};
use self::layout::slots::{self, SlotShape, Slots};
use self::matches::Worker;
use self::runtime::call::{Ended, Entry, Workspace};
pub(crate) use self::runtime::memory::{prefer_large_pages, prefetch};
pub use self::stepper::CompiledStepper;
use crate::engine::{Bailouts, Engine, Ids, Playout, Reason, RecordEvent, play_on};
use crate::eval::{Chosen, Dom, Fault, Machine, Outcome, Position, Waiting};
use crate::ir::{Live, Op, Pc, Scoring, Type, Value};
use crate::num::{Int, Rng};
use crate::opt::{CandidateSets, Facts};
use crate::source::Span;

/// A game compiled to machine code. It is immutable, so threads may share it.
#[derive(Debug)]
pub struct Compiled {
    machine: Machine,
    flat: Option<Flat>,
    left_out: Vec<Reason>,
    start: Option<State>,
    /// Workspaces for [`Engine`] calls: a call takes one (or creates it) and returns it when done.
    workers: Mutex<Vec<Worker>>,
    bailouts: Mutex<Bailouts>,
    ids: OnceLock<Ids>,
}

#[derive(Debug)]
struct Flat {
    layout: Layout,
    code: Code,
    steps: OnceLock<Result<StepCode, String>>,
    /// What all code is compiled from: the optimised game, the candidate sets of its moves, the shapes and
    /// the liveness of its slots, and a position before the start.
    machine: Machine,
    candidates: Vec<CandidateSets>,
    slots: Slots,
    live: Live,
    blank: Position,
    target: Target,
}

/// An argument of a move in the form that code takes.
enum Arg {
    /// Scalars and small sets, as words.
    Words(Vec<i64>),
    /// A list, passed by address and length.
    List(Vec<i64>),
    /// A value that only the reference reads; code gets its index among the kept values.
    Opaque(Value),
}

/// A position of a compiled game.
#[derive(Debug)]
pub enum State {
    /// In flat memory.
    Flat(Memory),
    /// In the reference's form, because some value has no place in flat memory.
    Full(Box<Position>),
}

/// Why the reference must play on from a [`State::Full`].
const FULL: &str = "the position holds a value that compiled code does not, such as a number beyond 64 bits";

impl Default for State {
    /// An empty placeholder, not a valid position.
    fn default() -> State {
        State::Flat(Memory::new())
    }
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
        Compiled::with(machine, false, Target::Machine)
    }

    /// Like [`Compiled::new`], but interprets the MIR instead of generating machine code. [`Compiled::new`]
    /// falls back to this on hosts that Cranelift does not support.
    pub fn interpreting(machine: Machine) -> Compiled {
        Compiled::with(machine, false, Target::Interpreter)
    }

    /// Like [`Compiled::new`], with code that logs choices and draws for [`Engine::record`].
    pub fn recording(machine: Machine) -> Compiled {
        Compiled::with(machine, true, Target::Machine)
    }

    fn with(machine: Machine, logs: bool, target: Target) -> Compiled {
        let mut compiled = Compiled {
            machine,
            flat: None,
            left_out: Vec::new(),
            start: None,
            workers: Mutex::default(),
            bailouts: Mutex::default(),
            ids: OnceLock::new(),
        };
        match Flat::new(&compiled.machine, logs, target) {
            Ok(flat) => {
                let game = &compiled.machine.game;
                let parts = flat.code.side_exits.iter();
                let reason =
                    |(pc, text): (&Pc, &String)| Reason { span: op_span(game, *pc), text: text.clone() };
                compiled.left_out = parts.map(reason).collect();
                compiled.flat = Some(flat);
            }
            Err(why) => {
                compiled.left_out =
                    vec![Reason { span: Span::default(), text: format!("everything: {why}") }];
            }
        }
        if let Ok(position) = compiled.machine.start() {
            compiled.start = Some(compiled.state_of(&position));
        }
        compiled
    }

    /// Returns the parts that run entirely in the reference, with the reasons; empty if there are none.
    pub fn left_out(&self) -> &[Reason] {
        &self.left_out
    }

    /// Returns the MIR functions as text if code is interpreted: those that play and list, then the stepping
    /// code, which is compiled here if necessary.
    pub fn text(&self) -> Option<String> {
        let flat = self.flat.as_ref()?;
        let steps = self.steps(flat).map_or(String::new(), |steps| format!("\n{}", steps.data.text()));
        Some(flat.code.data.text() + &steps)
    }

    /// Whether code logs choices and draws; otherwise [`Engine::record`] plays step by step.
    pub fn logs(&self) -> bool {
        self.flat.as_ref().is_some_and(|flat| flat.code.logged.is_some())
    }

    /// Returns the size of a position in bytes, without growing blocks; `None` if it has no flat form.
    pub fn bytes(&self) -> Option<usize> {
        self.flat.as_ref().map(|flat| flat.layout.bytes as usize)
    }

    /// Returns the ids of the game's moves.
    pub fn ids(&self) -> &Ids {
        self.ids.get_or_init(|| Ids::of(&self.machine))
    }

    /// Returns the stepping code, compiling it on first use.
    fn steps<'c>(&'c self, flat: &'c Flat) -> Result<&'c StepCode, &'c String> {
        let compile = || {
            let facts = Facts::new(&self.machine, &flat.blank);
            let evaluated = Evaluated::default();
            let plan = Plan {
                source_machine: &self.machine,
                machine: &flat.machine,
                candidates: &flat.candidates,
                facts: &facts,
                layout: &flat.layout,
                slots: &flat.slots,
                live: &flat.live,
                blank: &flat.blank,
                evaluated: &evaluated,
                logs: false,
                target: flat.target,
            };
            StepCode::new(&plan, self.ids(), &flat.code)
        };
        flat.steps.get_or_init(compile).as_ref()
    }

    /// Returns the choices whose moves the reference lists and makes for a [`CompiledStepper`], with the
    /// reasons. Compiles the stepping code if necessary.
    pub fn stepped_by_reference(&self) -> Vec<Reason> {
        let Some(flat) = &self.flat else { return self.left_out.clone() };
        match self.steps(flat) {
            Ok(steps) => {
                let place = |choice: usize| self.machine.game.choices[choice].span;
                let reason =
                    |(choice, text): (&usize, &String)| Reason { span: place(*choice), text: text.clone() };
                steps.left_to_reference.iter().map(reason).collect()
            }
            Err(why) => vec![Reason { span: Span::default(), text: format!("everything: {why}") }],
        }
    }

    /// Runs `work` with a pooled [`Worker`].
    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let pooled = locked(&self.workers).pop();
        let mut worker = pooled.unwrap_or_default();
        let result = work(&mut worker);
        locked(&self.workers).push(worker);
        result
    }

    /// Records that the reference played this many choices, and why.
    fn count(&self, reason: Option<Reason>, choices: u64) {
        let mut bailouts = locked(&self.bailouts);
        bailouts.choices += choices;
        if let Some(reason) = reason {
            *bailouts.reasons.entry(reason).or_insert(0) += 1;
        }
    }

    /// Performs a step in the reference.
    fn run_in_reference<T>(
        &self,
        state: &mut State,
        step: impl FnOnce(&mut Position) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut position = self.to_position(state);
        let result = step(&mut position);
        *state = self.state_of(&position);
        result
    }
}

/// Locks a mutex. Poisoning is ignored, because what the mutexes guard is valid after a panic too.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flat {
    fn new(machine: &Machine, logs: bool, target: Target) -> Result<Flat, String> {
        let blank = machine.blank().map_err(|fault| format!("its first values: {}", fault.message))?;
        let squares = position::squares_of(machine);
        let live = Live::of(&machine.game);
        let (mut side_exits, mut gathers) = (BTreeMap::new(), true);
        loop {
            // A side exit needs the value of every name in its slot, but the pass "effects" removes names.
            let without: &[&str] = if side_exits.is_empty() { &[] } else { &["effects"] };
            // Domain conditions by which the reference does not count rows are tested row by row. Which ones
            // these are is decided by the game as written.
            let mut optimised =
                crate::opt::optimise(machine, without).map_err(|fault| fault.message.clone())?;
            let evaluated = Evaluated::default();
            let keeps = |rows: &[Value], ty: &Type| Kept::of_values(rows, ty, squares).is_some();
            for (mv, sets) in optimised.candidates.iter_mut().enumerate() {
                for of in [Some(&mut sets.all), sets.satisfying_soft_needs.as_mut()].into_iter().flatten() {
                    of.test_each_row(&|at| machine.counts_rows(mv, at));
                    number_known_rows(of, false, (&optimised.machine, &blank), &evaluated, &keeps);
                    of.unpack_changing_rows();
                }
                for of in sets.counted.iter_mut().flatten() {
                    number_known_rows(of, true, (&optimised.machine, &blank), &evaluated, &keeps);
                    of.unpack_changing_rows();
                }
            }
            let slots = slots::find(&optimised.machine, &blank, squares, gathers);
            // Of the game that is compiled, like the slots: what an argument can be is clearer after the passes.
            let layout = Flat::layout(&optimised.machine, &blank, &slots, &live, &side_exits)?;
            let plan = Plan {
                source_machine: machine,
                machine: &optimised.machine,
                candidates: &optimised.candidates,
                facts: &Facts::new(machine, &blank),
                layout: &layout,
                slots: &slots,
                live: &live,
                blank: &blank,
                evaluated: &evaluated,
                logs,
                target,
            };
            if let Some(code) = Code::new(&plan, &mut side_exits)? {
                let (machine, candidates) = (optimised.machine, optimised.candidates);
                let steps = OnceLock::new();
                return Ok(Flat { layout, code, steps, machine, candidates, slots, live, blank, target });
            }
            // A gathered list can come from code only; as a kept value it may also come from the reference.
            if slots.gather() {
                gathers = false;
                side_exits.clear();
            }
        }
    }

    /// Lays a position out for code that stops at choices, draws, and the parts in `side_exits`.
    fn layout(
        machine: &Machine,
        blank: &Position,
        slots: &Slots,
        live: &Live,
        side_exits: &BTreeMap<Pc, String>,
    ) -> Result<Layout, String> {
        let (mut outlive, mut unencodable_stops) = (BTreeMap::new(), BTreeSet::new());
        for (pc, op) in machine.game.code.iter().enumerate() {
            let stops = matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..) | Op::End(_));
            if stops || side_exits.contains_key(&pc) {
                for slot in live.at(pc) {
                    match slots.shapes.get(slot) {
                        // Only words have a code for "not named yet".
                        Some(shape)
                            if matches!(shape, SlotShape::Word(_) | SlotShape::Opaque(_))
                                || !live.at(0).contains(slot) =>
                        {
                            outlive.insert(*slot, shape.clone());
                        }
                        _ => drop(unencodable_stops.insert(pc)),
                    }
                }
            }
        }
        Ok(Layout { unencodable_stops, ..Layout::new(machine, blank, &outlive)? })
    }

    /// Runs code on a position, which is restored if code bails out.
    fn run(
        &self,
        worker: &mut Worker,
        memory: &mut Memory,
        code: Entry,
        set: impl FnOnce(&mut Workspace, &mut Memory),
    ) -> Ended {
        let Worker { workspace, spare, .. } = worker;
        spare.clone_from(memory);
        self.prepare(workspace, memory);
        set(workspace, memory);
        let ended = workspace.run(code, [&mut *memory]);
        if ended == Ended::BailedOut {
            std::mem::swap(memory, spare);
        }
        ended
    }

    /// Returns why code last bailed out or took a side exit.
    fn reason(&self, workspace: &Workspace) -> Option<Reason> {
        self.code.data.reasons.get(workspace.context.reason as usize).cloned()
    }

    /// Makes a choice. If code bails out, the position is restored.
    fn choose(
        &self,
        worker: &mut Worker,
        machine: &Machine,
        memory: &mut Memory,
        seat: usize,
        chosen: &Chosen,
    ) -> Ended {
        let Waiting::Choice { choice, .. } = codec::waiting(&self.layout, memory) else { return Ended::Done };
        if machine.game.choices[choice].together {
            let before = memory.clone();
            let ended = self.choose_together(worker, memory, seat, chosen);
            if ended == Ended::BailedOut {
                *memory = before;
            }
            return ended;
        }
        let Some(shapes) = &self.layout.args[chosen.mv] else { return Ended::BailedOut };
        let args: Option<Vec<Arg>> =
            chosen.args.iter().zip(shapes).map(|(value, shape)| self.arg(value, shape)).collect();
        let Some(args) = args else { return Ended::BailedOut };
        self.run(worker, memory, self.code.play, |workspace, memory| {
            codec::has_chosen(memory, seat);
            workspace.context.draws = 0;
            workspace.context.task = lower::play::offer_task(choice, chosen.offer);
            workspace.context.seat = seat as i64;
            let mut at = 0;
            for (arg, shape) in args.into_iter().zip(shapes) {
                match arg {
                    Arg::Words(words) => {
                        workspace.context.args[at..at + words.len()].copy_from_slice(&words);
                    }
                    Arg::List(list) => workspace.list_argument(at, list),
                    Arg::Opaque(value) => {
                        workspace.context.args[at] = workspace.interpreter_state.keep_argument(value);
                    }
                }
                at += shape.words();
            }
        })
    }

    /// Converts an argument to the form that code takes; `None` if it does not fit.
    fn arg(&self, value: &Value, shape: &SlotShape) -> Option<Arg> {
        let Some(of) = shape.kept() else { return Some(Arg::Opaque(value.clone())) };
        let mut words = Vec::new();
        of.write(value, self.layout.squares, &mut words)?;
        Some(match of {
            // Without the length, which comes first.
            Kept::List(_) => Arg::List(words.split_off(1)),
            _ => Arg::Words(words),
        })
    }

    /// Seals a choice; the last one of a joint choice then carries all of them out.
    fn choose_together(
        &self,
        worker: &mut Worker,
        memory: &mut Memory,
        seat: usize,
        chosen: &Chosen,
    ) -> Ended {
        if codec::seal(&self.layout, memory, seat, chosen.offer, chosen.mv, &chosen.args).is_none() {
            return Ended::BailedOut;
        }
        if codec::has_chosen(memory, seat) > 0 {
            return Ended::Done;
        }
        codec::advance_pc(memory);
        self.run(worker, memory, self.code.play, |_, _| {})
    }
}

impl Engine for Compiled {
    type State = State;
    type Stepper<'e> = CompiledStepper<'e>;

    fn stepper(&self) -> CompiledStepper<'_> {
        CompiledStepper::new(self)
    }

    fn name(&self) -> &'static str {
        "compiled"
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn start(&self) -> Result<State, Fault> {
        match &self.start {
            Some(start) => Ok(start.clone()),
            None => Ok(self.state_of(&self.machine.start()?)),
        }
    }

    fn pc(&self, state: &State) -> Pc {
        match state {
            State::Flat(memory) => codec::pc(memory),
            State::Full(position) => position.pc,
        }
    }

    fn waiting(&self, state: &State) -> Waiting {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::waiting(&flat.layout, memory),
            (State::Full(position), _) => position.waiting.clone(),
            (State::Flat(_), None) => Waiting::Nothing,
        }
    }

    fn nobody_has_chosen(&self, state: &State) -> bool {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::none_sealed(&flat.layout, memory),
            (State::Full(position), _) => position.sealed.is_empty(),
            (State::Flat(_), None) => true,
        }
    }

    fn to_position(&self, state: &State) -> Position {
        match (state, &self.flat) {
            (State::Flat(memory), Some(flat)) => codec::decode(&self.machine, &flat.layout, memory),
            (State::Full(position), _) => (**position).clone(),
            (State::Flat(_), None) => self.machine.unset_position(),
        }
    }

    fn state_of(&self, position: &Position) -> State {
        let flat = self.flat.as_ref().and_then(|flat| codec::encode(&self.machine, &flat.layout, position));
        match flat {
            Some(memory) => State::Flat(memory),
            None => State::Full(Box::new(position.clone())),
        }
    }

    fn legal(&self, state: &State, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault> {
        if let (State::Flat(memory), Some(flat)) = (state, &self.flat)
            && let Some(all) =
                self.with_worker(|worker| flat.legal(worker, &self.machine, memory, seat, windowed))
        {
            return Ok(all);
        }
        Engine::legal(&self.machine, &self.to_position(state), seat, windowed)
    }

    fn draw_legal(&self, state: &State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        Engine::draw_legal(&self.machine, &self.to_position(state), seat, rng)
    }

    fn choose(&self, state: &mut State, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        if let (State::Flat(memory), Some(flat)) = (&mut *state, &self.flat) {
            let (ended, reason) = self.with_worker(|worker| {
                let ended = flat.choose(worker, &self.machine, memory, seat, &chosen);
                (ended, flat.reason(&worker.workspace))
            });
            match ended {
                Ended::Done => return Ok(()),
                Ended::SideExit => {
                    self.count(reason, 1);
                    return self.run_in_reference(state, |position| self.machine.run(position));
                }
                Ended::BailedOut | Ended::Refused => self.count(reason, 1),
            }
        }
        self.run_in_reference(state, |position| self.machine.choose(position, seat, chosen))
    }

    fn outcomes(&self, state: &State) -> Result<Dom, Fault> {
        self.machine.outcomes(&self.to_position(state))
    }

    fn draw(&self, state: &mut State, value: Value) -> Result<Result<(), String>, Fault> {
        self.run_in_reference(state, |position| self.machine.draw(position, value))
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
        if let (State::Flat(memory), Some(flat)) = (state, &self.flat)
            && let Some(scores) = self.with_worker(|worker| flat.scores(worker, memory))
        {
            return Ok(Some(scores));
        }
        self.machine.scores(&self.to_position(state))
    }

    fn bailouts(&self) -> Bailouts {
        locked(&self.bailouts).clone()
    }

    fn counted_anew(&self) -> BTreeMap<Reason, u64> {
        let mut all = BTreeMap::new();
        let Some(flat) = &self.flat else { return all };
        for worker in locked(&self.workers).iter() {
            for (number, times) in worker.workspace.interpreter_state.counted_anew.iter().enumerate() {
                if let Some((span, text)) = flat.code.data.interpreter.rows_asked_for(number)
                    && *times > 0
                {
                    *all.entry(Reason { span, text }).or_insert(0) += times;
                }
            }
        }
        all
    }

    fn interpreted(&self) -> Vec<Reason> {
        let game = &self.machine.game;
        let place = |mark: &MarkedPart| match mark {
            MarkedPart::Expr(span, _) => *span,
            MarkedPart::Choice(id) => game.choices[*id].span,
            MarkedPart::Op(pc) => match &game.code[*pc] {
                Op::Do(_, span) => *span,
                Op::Chance(chance) => chance.span,
                _ => Span::default(),
            },
        };
        let code = self.flat.iter().map(|flat| &flat.code);
        let marks =
            code.clone().flat_map(|code| &code.marked_parts).map(|(mark, why)| (place(mark), why.as_str()));
        let lists = code.flat_map(|code| &code.listed_by_reference);
        let lists = lists.map(|(pc, why)| (op_span(game, *pc), why.as_str()));
        // A choice whose moves the reference draws is also listed by the reference: report it once.
        let mut all: Vec<(Span, &str)> = marks.collect();
        for (span, why) in lists {
            if !all.iter().any(|(known, _)| *known == span) {
                all.push((span, why));
            }
        }
        all.into_iter().map(|(span, why)| Reason { span, text: why.to_string() }).collect()
    }

    fn play_on(&self, state: &mut State, rng: &mut Rng, max_moves: u64) -> Result<u64, Fault> {
        self.with_worker(|worker| {
            if let (State::Flat(memory), Some(flat)) = (&mut *state, &self.flat)
                && codec::none_sealed(&flat.layout, memory)
            {
                if matches!(codec::waiting(&flat.layout, memory), Waiting::Over) {
                    return Ok(0);
                }
                let ended = flat
                    .run(worker, memory, flat.code.play, |workspace, _| workspace.set_stream(rng, max_moves));
                if ended == Ended::Done {
                    rng.state = worker.workspace.context.chance;
                    return Ok(worker.workspace.finished_moves().sum());
                }
                if ended == Ended::SideExit {
                    rng.state = worker.workspace.context.chance;
                    let made = worker.workspace.moves_so_far();
                    return self.play_out(worker, state, rng, (made, max_moves));
                }
            }
            self.play_out(worker, state, rng, (0, max_moves))
        })
    }

    fn play_on_reporting(
        &self,
        state: &mut State,
        rng: &mut Rng,
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<State>),
    ) -> Result<u64, Fault> {
        let played = self.with_worker(|worker| self.play_logged(worker, state, rng, max_moves, on));
        match played {
            Some(choices) => Ok(choices),
            None => play_on(self, state, rng, max_moves, &mut |step| on(RecordEvent::Step(step))),
        }
    }

    fn playouts(
        &self,
        rng: &mut Rng,
        max_moves: u64,
        count: u64,
        on: &mut dyn FnMut(&Self::State, u64),
    ) -> Result<(), Fault> {
        self.with_worker(|worker| self.play_matches(worker, rng, (max_moves, count), on))
    }

    fn record(
        &self,
        streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<State>),
    ) -> Result<(), Fault> {
        self.with_worker(|worker| self.record_matches(worker, streams, max_moves, on))
    }

    fn decode(&self, words: &[i64], on: &mut dyn FnMut(Playout)) {
        self.flat.as_ref().and_then(|flat| flat.meaning(&self.machine.game, words, on));
    }

    fn playouts_per_stream(
        &self,
        streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(&Self::State, u64),
    ) -> Result<(), Fault> {
        self.with_worker(|worker| self.play_matches_apart(worker, streams, max_moves, on))
    }
}
