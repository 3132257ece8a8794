//! Compiles a game to machine code in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::{Ids, Reason};
use crate::eval::{Machine, Position};
use crate::ir::{Live, Op, Pc, Scoring};
use crate::jit::backend::{Module, Target};
use crate::jit::builder::data::{Data, Logged};
use crate::jit::builder::state::{
    Helpers, KeptSets, Locals, Preferences, RegisterLists, Run, SlotVars, Stepping,
};
use crate::jit::builder::unsupported::Mark;
use crate::jit::builder::{Builder, Unsupported};
use crate::jit::if_conversion::{Hints, if_convert};
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::UNSET;
use crate::jit::layout::slots::{SlotShape, Slots, counted};
use crate::jit::lower::play::Parts;
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::{self, Helper, Variable, text, types};
use crate::jit::runtime::call::{
    BAILED_OUT, CTX_BASE, CTX_CHANCE, CTX_DRAWS, CTX_FUEL, CTX_MAX_MOVES, CTX_SCRATCH_BEGIN, CodeMemory,
    DONE, Entry,
};
use crate::jit::runtime::helpers::helpers;
use crate::jit::runtime::questions::Interpreter;
use crate::opt::{CandidateSets, Facts};

/// Compiled playout code, with the data it depends on.
#[derive(Debug)]
pub struct Code {
    /// The automaton: plays from stop to stop, or to the end.
    pub play: Entry,
    /// An upper bound on the cost of one pass over the automaton, in steps of the reference.
    pub cost: i64,
    /// The number of hyperblocks that replaced branches in the automaton.
    pub hyperblocks: usize,
    /// The functions that list legal moves, by choice; `None` where the choice could not be compiled.
    pub lists: Vec<Option<Entry>>,
    /// The function that computes every seat's score, if the game keeps scores and they could be compiled.
    pub scores: Option<Entry>,
    /// The ops before which code takes a side exit to the reference, with the reason why each is not
    /// compiled.
    pub left: BTreeMap<Pc, String>,
    /// The choices whose legal moves the reference lists, by op, with the reasons.
    pub unlisted: BTreeMap<Pc, String>,
    /// The parts that code asks the reference to evaluate, with the reasons.
    pub marks: Vec<(Mark, String)>,
    /// The kinds of log rows that playouts write, by the number each row begins with; `None` if they log
    /// nothing.
    pub logged: Option<Vec<Logged>>,
    /// The data that the code depends on.
    pub kept: Kept,
}

/// Compiled code for a [`CompiledStepper`](crate::jit::CompiledStepper).
#[derive(Debug)]
pub struct StepCode {
    /// The automaton: makes a move, draws one, resolves draws of chance, or lists moves.
    pub step: Entry,
    /// The functions that count legal moves, by choice; `None` where the choice could not be compiled.
    pub counts: Vec<Option<Entry>>,
    /// An upper bound on the cost of one pass over the automaton, in steps of the reference.
    pub cost: i64,
    /// The choices whose moves the reference must find and make, with the reasons.
    pub unstepped: BTreeMap<usize, String>,
    /// The data that the code depends on.
    pub kept: Kept,
}

/// The data that compiled code depends on; it must live as long as the code.
#[derive(Debug)]
pub struct Kept {
    /// The reasons for bail-outs and side exits, indexed by the number that code writes.
    pub reasons: Vec<Reason>,
    /// The questions that code asks the reference, with the game to answer them.
    pub interpreter: Arc<Interpreter>,
    memory: CodeMemory,
    _data: Data,
}

impl Kept {
    /// Returns the MIR functions as text if code is interpreted; empty for machine code.
    pub fn text(&self) -> String {
        let CodeMemory::Interpreted(functions) = &self.memory else { return String::new() };
        let one = |(name, func): &(String, Box<mir::Function>)| format!("{name}:\n{}", text::write(func));
        functions.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

/// The input of a compilation.
pub struct Plan<'a> {
    /// The game as written, which determines how moves are drawn at random.
    pub written: &'a Machine,
    /// The optimised game.
    pub machine: &'a Machine,
    /// The candidate sets of its moves, by move.
    pub candidates: &'a [CandidateSets],
    /// The known facts about its values.
    pub facts: &'a Facts<'a>,
    /// The memory layout of a position.
    pub layout: &'a Layout,
    /// The shapes of its slots.
    pub slots: &'a Slots,
    /// The liveness of slots at each op.
    pub live: &'a Live,
    /// A position before the start.
    pub blank: &'a Position,
    /// Whether playouts log choices and draws.
    pub logs: bool,
    /// Whether to generate machine code or to interpret the MIR.
    pub target: Target,
}

/// The maximum size of a function's stack slots, in bytes.
const MAX_STACK: u64 = 1 << 17;

/// A function that has been defined.
struct Function {
    id: usize,
    /// An upper bound on the cost of one pass over it, in steps of the reference.
    cost: u64,
    hyperblocks: usize,
}

/// The finished code: the automaton, one optional function per choice, and the data they depend on.
struct Made {
    automaton: Entry,
    choices: Vec<Option<Entry>>,
    scores: Option<Entry>,
    kept: Kept,
}

struct Maker {
    module: Module,
    data: Data,
}

impl Maker {
    fn new(target: Target) -> Maker {
        Maker { module: Module::new(target), data: Data::default() }
    }

    /// Defines a function that takes the address of a context and returns a status. If `steps` is given (the
    /// move ids, and the choices left to the reference), it is stepping code.
    fn function<'p>(
        &mut self,
        plan: &'p Plan,
        name: &str,
        steps: Option<(&'p Ids, &'p BTreeSet<usize>)>,
        work: impl FnOnce(&mut Builder) -> Result<(), String>,
    ) -> Result<Function, String> {
        let (mut b, ctx) = FunctionBuilder::new();
        let known = helpers().into_iter().enumerate();
        let helpers = known.map(|(number, (name, ..))| (name, Helper { name, number })).collect();
        let mut from_context = |offset: i32| {
            let var = b.declare_var(types::I64);
            if steps.is_none() {
                let word = b.ins().load(types::I64, ctx, offset);
                b.def_var(var, word);
            }
            var
        };
        let base = from_context(CTX_BASE);
        let run = Run {
            left: from_context(CTX_MAX_MOVES),
            fuel: from_context(CTX_FUEL),
            begin: from_context(CTX_SCRATCH_BEGIN),
            scratch: from_context(CTX_SCRATCH_BEGIN),
            draws: from_context(CTX_DRAWS),
            chance: [0, 8, 16, 24].map(|at| from_context(CTX_CHANCE + at)),
        };
        let [fresh, begin, side_exit, stopped] = [(); 4].map(|()| b.create_block());
        b.set_cold_block(side_exit);
        let stepping = steps.map(|(ids, unstepped)| {
            let place = b.declare_var(types::I64);
            let [answered, refused] = [(); 2].map(|()| b.create_block());
            b.set_cold_block(refused);
            let (draws, lists) = Default::default();
            Stepping { ids, unstepped, place, draws, lists, answered, refused, keep: None, live: plan.live }
        });
        let zero = b.ins().iconst(types::I64, 0);
        let unset = b.ins().iconst(types::I64, UNSET);
        let mut vars = BTreeMap::new();
        for (slot, shape) in &plan.slots.shapes {
            let count = match shape {
                SlotShape::Word(_) => 1,
                SlotShape::Bits(of) | SlotShape::Members(of) => of.words(),
                SlotShape::Kept(_) => 1,
                SlotShape::List(_) | SlotShape::Set(_) | SlotShape::Bag(_) | SlotShape::Span => 2,
                SlotShape::Fixed(_) => 0,
            };
            // Slots that may be read before they are named start out unset.
            let kept = matches!(shape, SlotShape::Kept(_));
            let first = if plan.live.at(0).contains(slot) && !kept { unset } else { zero };
            let own: Vec<Variable> = (0..count)
                .map(|_| {
                    let var = b.declare_var(types::I64);
                    b.def_var(var, first);
                    var
                })
                .collect();
            let always = match shape {
                SlotShape::Word(of) if of.lo == of.hi && !of.optional && first == zero => Some(of.lo),
                _ => None,
            };
            vars.insert(*slot, SlotVars { shape: shape.clone(), vars: own, always, counter_offset: None });
        }
        for (slot, (counter, more)) in counted(&plan.machine.game, plan.slots, plan.live, plan.layout) {
            let counter = vars.get(&counter).map(|counter| counter.vars.clone());
            if let Some((slot, counter)) = vars.get_mut(&slot).zip(counter) {
                (slot.vars, slot.counter_offset) = (counter, Some(more));
            }
        }
        let mut made = Builder {
            b,
            written: plan.written,
            machine: plan.machine,
            candidates: plan.candidates,
            facts: plan.facts,
            layout: plan.layout,
            maybe_unset: plan.live.at(0),
            blank: plan.blank,
            data: &mut self.data,
            helpers: Helpers(helpers),
            ctx,
            base,
            run,
            stepping,
            held: RegisterLists::default(),
            preferences: Preferences::PassOver,
            entered: 0,
            loop_headers: Default::default(),
            hints: Hints::default(),
            kept_sets: KeptSets::default(),
            logs: plan.logs,
            cold: false,
            unrolled: 1,
            vars,
            locals: Locals { bound: BTreeMap::new(), automaton: true },
            span: Default::default(),
            bail_out_blocks: BTreeMap::new(),
            side_exit,
            stopped,
            size: 0,
            cost: 0,
        };
        if steps.is_some() {
            made.first_place();
        }
        made.jump(fresh);
        made.at_loop(begin);
        if steps.is_some() {
            made.begin_place();
        }
        made.load_register_lists();
        work(&mut made)?;
        // Machine code does not probe the stack, so its frames must stay small.
        if made.b.func.stack_bytes() > MAX_STACK {
            return Err("it keeps too much on the stack".to_string());
        }
        made.at(side_exit);
        made.emit_side_exit();
        made.at(stopped);
        made.store_register_lists();
        if steps.is_some() {
            made.end_steps(fresh);
        } else {
            made.log_over().map_err(|unsupported| unsupported.0)?;
            made.next_place(fresh);
            made.exit(DONE);
            made.emit_bail_outs(BAILED_OUT);
        }
        made.at(fresh);
        made.empty_kept_sets();
        made.jump(begin);
        let (cost, hints) = (made.cost, std::mem::take(&mut made.hints));
        let mut func = made.b.finish();
        let hyperblocks = if_convert(&mut func, &hints);
        let id = self.module.define(name, func)?;
        Ok(Function { id, cost, hyperblocks })
    }

    /// Defines a function, marking unsupported parts for the reference until the rest compiles.
    fn beside(
        &mut self,
        plan: &Plan,
        name: &str,
        mut work: impl FnMut(&mut Builder) -> crate::jit::builder::Result<()>,
    ) -> Result<usize, String> {
        loop {
            let mut marked = None;
            let made = self.function(plan, name, None, |made| {
                work(made).map_err(|Unsupported(why, mark)| {
                    marked = mark.map(|mark| (mark, why.clone()));
                    why
                })
            });
            match (made, marked) {
                (Ok(made), _) => return Ok(made.id),
                (Err(_), Some(mark)) => self.data.marks.push(mark),
                (Err(why), None) => return Err(why),
            }
        }
    }

    /// Finalizes all functions and returns their entries with the data they depend on.
    fn finish(
        self,
        plan: &Plan,
        automaton: usize,
        choices: Vec<Option<usize>>,
        scores: Option<usize>,
    ) -> Result<Made, String> {
        let Maker { module, mut data } = self;
        let (entries, memory) = module.finish()?;
        let entry = |id: usize| entries[id];
        let (automaton, scores) = (entry(automaton), scores.map(entry));
        let choices = choices.into_iter().map(|id| id.map(entry)).collect();
        let interpreter = Arc::new(Interpreter {
            written: plan.written.clone(),
            machine: plan.machine.clone(),
            layout: plan.layout.clone(),
            questions: std::mem::take(&mut data.questions),
            blank: plan.blank.clone(),
        });
        let reasons = std::mem::take(&mut data.reasons);
        let kept = Kept { reasons, interpreter, memory, _data: data };
        Ok(Made { automaton, choices, scores, kept })
    }
}

impl Code {
    /// Compiles everything but the parts in `left`. If more parts turn out to be unsupported, adds them to
    /// `left` and returns `None`, because a part that fails halfway leaves broken code behind. Parts that the
    /// reference can evaluate on its own are marked instead, and compilation restarts.
    pub fn new(plan: &Plan, left: &mut BTreeMap<Pc, String>) -> Result<Option<Code>, String> {
        let mut marks: Vec<(Mark, String)> = Vec::new();
        let (mut maker, made) = loop {
            let mut maker = Maker::new(plan.target);
            maker.data.marks.clone_from(&marks);
            let mut failed = Parts::default();
            let made = maker.function(plan, "play", None, |made| {
                failed = made.automaton(plan.live, left);
                let whole = failed.left.is_empty() && failed.marks.is_empty();
                if whole { Ok(()) } else { Err("parts are left out".to_string()) }
            });
            if !failed.left.is_empty() {
                left.extend(failed.left);
                return Ok(None);
            }
            if failed.marks.is_empty() {
                break (maker, made?);
            }
            for (mark, why) in failed.marks {
                if !marks.iter().any(|(known, _)| *known == mark) {
                    marks.push((mark, why));
                }
            }
        };
        let Function { id, cost, hyperblocks } = made;
        let code = &plan.machine.game.code;
        let (mut lists, mut unlisted) = (Vec::new(), BTreeMap::new());
        for choice in 0..plan.machine.game.choices.len() {
            let here = |op: &Op| matches!(op, Op::Choose(id) if *id == choice);
            let pc = code.iter().position(here).filter(|pc| !left.contains_key(pc));
            let list = pc.and_then(|pc| {
                let name = format!("list{choice}");
                match maker.beside(plan, &name, |made| made.listing(choice, pc, plan.live)) {
                    Ok(list) => Some(list),
                    Err(why) => {
                        unlisted.insert(pc, format!("the list of legal moves: {why}"));
                        None
                    }
                }
            });
            lists.push(list);
        }
        // If this fails, the reference computes all scores.
        let scores = match plan.machine.game.scoring {
            Scoring::None => None,
            _ => maker.beside(plan, "scores", |made| made.scores()).ok(),
        };
        let logs = plan.logs && !maker.data.log_fails && left.is_empty();
        let logged = logs.then(|| std::mem::take(&mut maker.data.logged));
        let Made { automaton: play, choices: lists, scores, kept } = maker.finish(plan, id, lists, scores)?;
        let cost = most_cost(plan, cost);
        let left = left.clone();
        Ok(Some(Code { play, hyperblocks, lists, scores, cost, left, unlisted, marks, logged, kept }))
    }
}

/// Returns an upper bound on the cost of one pass over the automaton, in steps of the reference.
fn most_cost(plan: &Plan, cost: u64) -> i64 {
    i64::try_from(cost.max(5 * plan.machine.game.code.len() as u64)).unwrap_or(i64::MAX)
}

impl StepCode {
    /// Compiles the stepping code of a game whose playout code is `code`. Choices that cannot be compiled are
    /// left to the reference.
    pub fn new(plan: &Plan, ids: &Ids, code: &Code) -> Result<StepCode, String> {
        let (mut unstepped, mut marks) = (BTreeMap::new(), code.marks.clone());
        let (mut maker, Function { id, cost, .. }) = loop {
            let mut maker = Maker::new(plan.target);
            maker.data.marks.clone_from(&marks);
            let mut failed = Parts::default();
            let without = unstepped.keys().copied().collect();
            let made = maker.function(plan, "step", Some((ids, &without)), |made| {
                failed = made.automaton(plan.live, &code.left);
                match (&failed.unstepped, failed.left.first(), failed.marks.first()) {
                    (None, None, None) => Ok(()),
                    (_, Some((_, why)), _) | (_, _, Some((_, why))) => Err(why.clone()),
                    (Some((_, Unsupported(why, _))), ..) => Err(why.clone()),
                }
            });
            let part = failed.marks.into_iter().next().map(|(mark, why)| Unsupported(why, Some(mark)));
            match failed.unstepped.or(part.map(|part| (usize::MAX, part))) {
                None => break (maker, made?),
                Some((_, Unsupported(why, Some(mark)))) if !marks.iter().any(|(known, _)| *known == mark) => {
                    marks.push((mark, why));
                }
                Some((usize::MAX, Unsupported(why, _))) => return Err(why),
                Some((choice, Unsupported(why, _))) => drop(unstepped.insert(choice, why)),
            }
        };
        let mut counts = Vec::new();
        for choice in 0..plan.machine.game.choices.len() {
            let here = |op: &Op| matches!(op, Op::Choose(id) if *id == choice);
            let pc = plan.machine.game.code.iter().position(here).filter(|pc| !code.left.contains_key(pc));
            let (name, without) = (format!("count{choice}"), BTreeSet::new());
            counts.push(pc.and_then(|pc| {
                let count = |made: &mut Builder| {
                    made.count_moves(choice, pc, plan.live).map_err(|Unsupported(why, _)| why)
                };
                maker.function(plan, &name, Some((ids, &without)), count).ok().map(|made| made.id)
            }));
        }
        let Made { automaton: step, choices: counts, kept, .. } = maker.finish(plan, id, counts, None)?;
        Ok(StepCode { step, counts, cost: most_cost(plan, cost), unstepped, kept })
    }
}
