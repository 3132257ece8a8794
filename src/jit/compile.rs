//! Compiles a game to machine code in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::{Ids, Reason};
use crate::eval::{Machine, Position};
use crate::ir::{Live, Op, Pc, Scoring};
use crate::jit::analysis::evaluated::Evaluated;
use crate::jit::backend::{Module, Target};
use crate::jit::builder::data::{Data, Logged};
use crate::jit::builder::state::{Helpers, KeptSets, Locals, Preferences, Run, SlotVars, Stepping};
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::{Builder, Unsupported};
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::UNSET;
use crate::jit::layout::slots::{SlotShape, Slots, counted, known_lists};
use crate::jit::lower::play::UnsupportedParts;
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::{self, Helper, Variable, text, types};
use crate::jit::runtime::call::{
    BAILED_OUT, CTX_BASE, CTX_CHANCE, CTX_DRAWS, CTX_FUEL, CTX_MAX_MOVES, CTX_SCRATCH_BEGIN, DONE, Entry,
};
use crate::jit::runtime::helpers::helpers;
use crate::jit::runtime::interpreter::Interpreter;
use crate::opt::{CandidateSets, Facts};

/// Compiled playout code, with the data it depends on.
#[derive(Debug)]
pub struct Code {
    /// The automaton: plays from stop to stop, or to the end.
    pub play: Entry,
    /// An upper bound on the cost of one pass over the automaton, in steps of the reference.
    pub cost: i64,
    /// The numbers of the functions that list legal moves, by choice; `None` where the choice could not be compiled.
    pub lists: Vec<Option<usize>>,
    /// The number of the function that computes every seat's score, if the game keeps scores and they could be compiled.
    pub scores: Option<usize>,
    /// The ops before which code takes a side exit to the reference, with the reason why each is not
    /// compiled.
    pub side_exits: BTreeMap<Pc, String>,
    /// The choices whose legal moves the reference lists, by op, with the reasons.
    pub listed_by_reference: BTreeMap<Pc, String>,
    /// The parts that code asks the reference to evaluate, with the reasons.
    pub marked_parts: Vec<(MarkedPart, String)>,
    /// The kinds of log rows that playouts write, by the number each row begins with; `None` if they log
    /// nothing.
    pub logged: Option<Vec<Logged>>,
    /// The data that the code depends on.
    pub data: CodeData,
}

/// Compiled code for a [`CompiledStepper`](crate::jit::CompiledStepper).
#[derive(Debug)]
pub struct StepCode {
    /// The automaton: makes a move, draws one, resolves draws of chance, or lists moves.
    pub step: Entry,
    /// The numbers of the functions that count legal moves, by choice; `None` where the choice could not be compiled.
    pub counts: Vec<Option<usize>>,
    /// An upper bound on the cost of one pass over the automaton, in steps of the reference.
    pub cost: i64,
    /// The choices whose moves the reference must find and make, with the reasons.
    pub left_to_reference: BTreeMap<usize, String>,
    /// The data that the code depends on.
    pub data: CodeData,
}

/// The data that compiled code depends on; it must live as long as the code.
#[derive(Debug)]
pub struct CodeData {
    /// The reasons for bail-outs and side exits, indexed by the number that code writes.
    pub reasons: Vec<Reason>,
    /// The questions that code asks the reference, with the game to answer them.
    pub interpreter: Arc<Interpreter>,
    module: Module,
    _data: Data,
}

impl CodeData {
    /// Returns the MIR functions as text if code is interpreted; empty for machine code.
    pub fn text(&self) -> String {
        let one = |(name, func): (&str, &mir::Function)| format!("{name}:\n{}", text::write(func));
        self.module.interpreted().map(one).collect::<Vec<_>>().join("\n")
    }

    /// Returns the entry of a function, which is compiled when it is first asked for; `None` if it could not be.
    pub fn entry(&self, function: usize) -> Option<Entry> {
        self.module.entry(function).ok()
    }
}

/// The input of a compilation.
pub struct Plan<'a> {
    /// The game as written, which determines how moves are drawn at random.
    pub source_machine: &'a Machine,
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
    /// What has been evaluated for the code so far.
    pub evaluated: &'a Evaluated,
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
}

struct Compiler {
    module: Module,
    data: Data,
}

impl Compiler {
    fn new(target: Target) -> Compiler {
        Compiler { module: Module::new(target), data: Data::default() }
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
            moves_left: from_context(CTX_MAX_MOVES),
            fuel: from_context(CTX_FUEL),
            begin: from_context(CTX_SCRATCH_BEGIN),
            scratch: from_context(CTX_SCRATCH_BEGIN),
            draws: from_context(CTX_DRAWS),
            chance: [0, 8, 16, 24].map(|at| from_context(CTX_CHANCE + at)),
        };
        let [fresh, begin, side_exit, stopped] = [(); 4].map(|()| b.create_block());
        b.set_cold_block(side_exit);
        let stepping = steps.map(|(ids, left_to_reference)| {
            let item = b.declare_var(types::I64);
            let [answered, refused] = [(); 2].map(|()| b.create_block());
            b.set_cold_block(refused);
            let (draws, lists) = Default::default();
            Stepping {
                ids,
                left_to_reference,
                item,
                draws,
                lists,
                answered,
                refused,
                save_blocks: None,
                live: plan.live,
            }
        });
        let zero = b.ins().iconst(types::I64, 0);
        let unset = b.ins().iconst(types::I64, UNSET);
        let mut vars = BTreeMap::new();
        for (slot, shape) in &plan.slots.shapes {
            // Slots that may be read before they are named start out unset.
            let data = matches!(shape, SlotShape::Opaque(_));
            let first = if plan.live.at(0).contains(slot) && !data { unset } else { zero };
            let own: Vec<Variable> = (0..shape.words())
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
            let shape = shape.clone();
            vars.insert(*slot, SlotVars { shape, vars: own, always, counter_offset: None, one_of: None });
        }
        for (slot, (counter, more)) in counted(&plan.machine.game, plan.slots, plan.live, plan.layout) {
            let counter = vars.get(&counter).map(|counter| counter.vars.clone());
            if let Some((slot, counter)) = vars.get_mut(&slot).zip(counter) {
                (slot.vars, slot.counter_offset) = (counter, Some(more));
            }
        }
        for (slot, (counter, lists)) in known_lists(&plan.machine.game, plan.slots, plan.live) {
            let counter = vars.get(&counter).map(|counter| counter.vars[0]);
            if let Some((slot, counter)) = vars.get_mut(&slot).zip(counter) {
                slot.one_of = Some((counter, lists));
            }
        }
        let mut builder = Builder {
            b,
            source_machine: plan.source_machine,
            machine: plan.machine,
            candidates: plan.candidates,
            facts: plan.facts,
            layout: plan.layout,
            maybe_unset: plan.live.at(0),
            blank: plan.blank,
            evaluated: plan.evaluated,
            data: &mut self.data,
            helpers: Helpers(helpers),
            ctx,
            base,
            run,
            stepping,
            preferences: Preferences::Ignore,
            current_move: 0,
            ops_on_cycles: Default::default(),
            kept_sets: KeptSets::default(),
            logs: plan.logs,
            keeps_scratch: false,
            cold: false,
            memoising: false,
            kept_forms: Vec::new(),
            hidden_slots: 0,
            unrolled: 1,
            vars,
            locals: Locals { automaton: true, ..Locals::default() },
            span: Default::default(),
            bail_out_blocks: BTreeMap::new(),
            side_exit,
            stopped,
            size: 0,
            cost: 0,
        };
        if steps.is_some() {
            builder.first_item();
        }
        builder.jump(fresh);
        builder.switch_to_loop(begin);
        if steps.is_some() {
            builder.begin_item();
        }
        work(&mut builder)?;
        // Machine code does not probe the stack, so its frames must stay small.
        if builder.b.func.stack_bytes() > MAX_STACK {
            return Err("it keeps too much on the stack".to_string());
        }
        builder.switch_to(side_exit);
        builder.emit_side_exit();
        builder.switch_to(stopped);
        if steps.is_some() {
            builder.emit_step_exits(fresh);
        } else {
            builder.log_over().map_err(|unsupported| unsupported.0)?;
            builder.next_item(fresh);
            builder.return_status(DONE);
            builder.emit_bail_outs(BAILED_OUT);
        }
        builder.switch_to(fresh);
        builder.empty_kept_sets();
        builder.jump(begin);
        let (cost, func) = (builder.cost, builder.b.finish());
        let id = self.module.define(name, func)?;
        Ok(Function { id, cost })
    }

    /// Defines a function, marking unsupported parts for the reference until the rest compiles.
    fn define_with_fallback(
        &mut self,
        plan: &Plan,
        name: &str,
        mut work: impl FnMut(&mut Builder) -> crate::jit::builder::Result<()>,
    ) -> Result<usize, String> {
        loop {
            let mut marked = None;
            let defined = self.function(plan, name, None, |builder| {
                work(builder).map_err(|Unsupported(why, mark)| {
                    marked = mark.map(|mark| (mark, why.clone()));
                    why
                })
            });
            match (defined, marked) {
                (Ok(defined), _) => return Ok(defined.id),
                (Err(_), Some(mark)) => self.data.marked_parts.push(mark),
                (Err(why), None) => return Err(why),
            }
        }
    }

    /// Returns the entry of the automaton, and the data that all functions depend on.
    fn finish(self, plan: &Plan, automaton: usize) -> Result<(Entry, CodeData), String> {
        let Compiler { module, mut data } = self;
        let automaton = module.entry(automaton)?;
        let interpreter = Arc::new(Interpreter {
            source_machine: plan.source_machine.clone(),
            machine: plan.machine.clone(),
            layout: plan.layout.clone(),
            questions: std::mem::take(&mut data.questions),
            plain_entries: std::mem::take(&mut data.plain_entries),
            blank: plan.blank.clone(),
            memo_words: usize::try_from(data.memo_words).unwrap_or(0),
        });
        let reasons = std::mem::take(&mut data.reasons);
        Ok((automaton, CodeData { reasons, interpreter, module, _data: data }))
    }
}

impl Code {
    /// Compiles everything but the parts in `side_exits`. If more parts turn out to be unsupported, adds them
    /// to `side_exits` and returns `None`, because a part that fails halfway leaves broken code behind. Parts
    /// that the reference can evaluate on its own are marked instead, and compilation restarts.
    pub fn new(plan: &Plan, side_exits: &mut BTreeMap<Pc, String>) -> Result<Option<Code>, String> {
        let mut marked_parts: Vec<(MarkedPart, String)> = Vec::new();
        let (mut compiler, function) = loop {
            let mut compiler = Compiler::new(plan.target);
            compiler.data.marked_parts.clone_from(&marked_parts);
            let mut failed = UnsupportedParts::default();
            let function = compiler.function(plan, "play", None, |builder| {
                failed = builder.automaton(plan.live, side_exits);
                let whole = failed.side_exits.is_empty() && failed.marked_parts.is_empty();
                if whole { Ok(()) } else { Err("parts are left out".to_string()) }
            });
            if !failed.side_exits.is_empty() {
                side_exits.extend(failed.side_exits);
                return Ok(None);
            }
            if failed.marked_parts.is_empty() {
                break (compiler, function?);
            }
            for (mark, why) in failed.marked_parts {
                if !marked_parts.iter().any(|(known, _)| *known == mark) {
                    marked_parts.push((mark, why));
                }
            }
        };
        let Function { id, cost } = function;
        let code = &plan.machine.game.code;
        let (mut lists, mut listed_by_reference) = (Vec::new(), BTreeMap::new());
        for choice in 0..plan.machine.game.choices.len() {
            let here = |op: &Op| matches!(op, Op::Choose(id) if *id == choice);
            let pc = code.iter().position(here).filter(|pc| !side_exits.contains_key(pc));
            let list = pc.and_then(|pc| {
                let name = format!("list{choice}");
                match compiler
                    .define_with_fallback(plan, &name, |builder| builder.listing(choice, pc, plan.live))
                {
                    Ok(list) => Some(list),
                    Err(why) => {
                        listed_by_reference.insert(pc, format!("the list of legal moves: {why}"));
                        None
                    }
                }
            });
            lists.push(list);
        }
        // If this fails, the reference computes all scores.
        let scores = match plan.machine.game.scoring {
            Scoring::None => None,
            _ => compiler.define_with_fallback(plan, "scores", |builder| builder.scores()).ok(),
        };
        let logs = plan.logs && !compiler.data.logging_disabled && side_exits.is_empty();
        let logged = logs.then(|| std::mem::take(&mut compiler.data.logged));
        let (play, data) = compiler.finish(plan, id)?;
        let cost = max_cost(plan, cost);
        let side_exits = side_exits.clone();
        Ok(Some(Code {
            play,
            lists,
            scores,
            cost,
            side_exits,
            listed_by_reference,
            marked_parts,
            logged,
            data,
        }))
    }
}

/// Returns an upper bound on the cost of one pass over the automaton, in steps of the reference.
fn max_cost(plan: &Plan, cost: u64) -> i64 {
    i64::try_from(cost.max(5 * plan.machine.game.code.len() as u64)).unwrap_or(i64::MAX)
}

impl StepCode {
    /// Compiles the stepping code of a game whose playout code is `code`. Choices that cannot be compiled are
    /// left to the reference.
    pub fn new(plan: &Plan, ids: &Ids, code: &Code) -> Result<StepCode, String> {
        let (mut left_to_reference, mut marked_parts) = (BTreeMap::new(), code.marked_parts.clone());
        let (mut compiler, Function { id, cost, .. }) = loop {
            let mut compiler = Compiler::new(plan.target);
            compiler.data.marked_parts.clone_from(&marked_parts);
            let mut failed = UnsupportedParts::default();
            let without = left_to_reference.keys().copied().collect();
            let function = compiler.function(plan, "step", Some((ids, &without)), |builder| {
                failed = builder.automaton(plan.live, &code.side_exits);
                match (&failed.left_to_reference, failed.side_exits.first(), failed.marked_parts.first()) {
                    (None, None, None) => Ok(()),
                    (_, Some((_, why)), _) | (_, _, Some((_, why))) => Err(why.clone()),
                    (Some((_, Unsupported(why, _))), ..) => Err(why.clone()),
                }
            });
            let part = failed.marked_parts.into_iter().next().map(|(mark, why)| Unsupported(why, Some(mark)));
            match failed.left_to_reference.or(part.map(|part| (usize::MAX, part))) {
                None => break (compiler, function?),
                Some((_, Unsupported(why, Some(mark))))
                    if !marked_parts.iter().any(|(known, _)| *known == mark) =>
                {
                    marked_parts.push((mark, why));
                }
                Some((usize::MAX, Unsupported(why, _))) => return Err(why),
                Some((choice, Unsupported(why, _))) => drop(left_to_reference.insert(choice, why)),
            }
        };
        let mut counts = Vec::new();
        for choice in 0..plan.machine.game.choices.len() {
            let here = |op: &Op| matches!(op, Op::Choose(id) if *id == choice);
            let pc =
                plan.machine.game.code.iter().position(here).filter(|pc| !code.side_exits.contains_key(pc));
            let (name, without) = (format!("count{choice}"), BTreeSet::new());
            counts.push(pc.and_then(|pc| {
                let count = |builder: &mut Builder| {
                    builder.count_moves(choice, pc, plan.live).map_err(|Unsupported(why, _)| why)
                };
                compiler.function(plan, &name, Some((ids, &without)), count).ok().map(|function| function.id)
            }));
        }
        let (step, data) = compiler.finish(plan, id)?;
        Ok(StepCode { step, counts, cost: max_cost(plan, cost), left_to_reference, data })
    }
}
