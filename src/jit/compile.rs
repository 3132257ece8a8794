//! From a game to machine code in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use cranelift::codegen::ir::UserFuncName;
use cranelift::codegen::settings;
use cranelift::jit::{JITBuilder, JITModule};
use cranelift::module::{FuncId, Linkage, Module, default_libcall_names};
use cranelift::prelude::*;

use crate::engine::Reason;
use crate::eval::{Machine, Position};
use crate::ir::{Live, Op, Pc, Scoring};
use crate::jit::builder::data::{Data, Logged};
use crate::jit::builder::state::{Helpers, KeptSets, Locals, Preferences, RegisterLists, Run, SlotVars};
use crate::jit::builder::unsupported::Mark;
use crate::jit::builder::{Builder, Unsupported};
use crate::jit::if_conversion::{Hints, if_convert};
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::UNSET;
use crate::jit::layout::slots::{SlotShape, Slots, counted};
use crate::jit::lower::play::Parts;
use crate::jit::runtime::call::{
    CTX_BASE, CTX_CHANCE, CTX_DRAWS, CTX_FUEL, CTX_MAX_MOVES, CTX_SCRATCH_BEGIN, CodeMemory, DONE, Entry,
    helpers,
};
use crate::jit::runtime::questions::Interpreter;
use crate::opt::{CandidateSets, Facts};

/// Machine code, and what it stands on.
#[derive(Debug)]
pub struct Code {
    /// The automaton: plays from stop to stop, or to the end.
    pub play: Entry,
    /// What a pass over the automaton costs at most, in steps of the reference.
    pub cost: i64,
    /// How many hyperblocks stand in the automaton instead of ways that part.
    pub hyperblocks: usize,
    /// The lists of legal moves, for each choice that could be compiled.
    pub lists: Vec<Option<Entry>>,
    /// Every seat's score, where the game keeps scores and there is code for them.
    pub scores: Option<Entry>,
    /// The ops before which code stops, for the reference to go on: why each is not compiled.
    pub left: BTreeMap<Pc, String>,
    /// The choices whose legal moves the reference lists, and why.
    pub unlisted: BTreeMap<Pc, String>,
    /// Why code bails out or takes a side exit, by the number it names.
    pub reasons: Vec<Reason>,
    /// The parts that the reference works out while code runs, and why.
    pub marks: Vec<(Mark, String)>,
    /// What playouts write down, by the number they give; `None` where they do not.
    pub logged: Option<Vec<Logged>>,
    /// What code asks it.
    pub interpreter: Arc<Interpreter>,
    _memory: CodeMemory,
    _data: Data,
}

/// What a game is compiled from.
pub struct Plan<'a> {
    /// The game as it was written: how moves are drawn at random depends on it.
    pub written: &'a Machine,
    /// The game, optimised.
    pub machine: &'a Machine,
    /// The candidate sets of its moves.
    pub candidates: &'a [CandidateSets],
    /// What is known of its values.
    pub facts: &'a Facts<'a>,
    /// Where things lie.
    pub layout: &'a Layout,
    /// What slots hold.
    pub slots: &'a Slots,
    /// Which slots outlive a stop.
    pub live: &'a Live,
    /// A position before the start.
    pub blank: &'a Position,
    /// Whether playouts write down what is chosen and drawn.
    pub logs: bool,
}

/// The most bytes that places on the stack may take.
const MAX_STACK: u64 = 1 << 17;

/// A function that was made.
struct Function {
    id: FuncId,
    /// What a pass over it costs at most, in steps of the reference.
    cost: u64,
    hyperblocks: usize,
}

/// All that was made.
struct Made {
    play: Entry,
    lists: Vec<Option<Entry>>,
    scores: Option<Entry>,
    memory: CodeMemory,
    data: Data,
}

struct Maker {
    module: JITModule,
    helpers: Vec<(&'static str, FuncId)>,
    data: Data,
}

impl Maker {
    fn new() -> Result<Maker, String> {
        let mut flags = settings::builder();
        let mut set = |name: &str, value: &str| flags.set(name, value).map_err(|e| e.to_string());
        set("opt_level", "speed")?;
        set("use_colocated_libcalls", "false")?;
        set("is_pic", "false")?;
        set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
        let isa = cranelift::native::builder().map_err(ToString::to_string)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for (name, address, _) in helpers() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let mut ids = Vec::new();
        for (name, _, params) in helpers() {
            let mut signature = module.make_signature();
            signature.params.extend((0..params).map(|_| AbiParam::new(types::I64)));
            signature.returns.push(AbiParam::new(types::I64));
            let id = module.declare_function(name, Linkage::Import, &signature).map_err(|e| e.to_string())?;
            ids.push((name, id));
        }
        Ok(Maker { module, helpers: ids, data: Data::default() })
    }

    /// Makes a function of one context that gives a status.
    fn function(
        &mut self,
        plan: &Plan,
        name: &str,
        work: impl FnOnce(&mut Builder) -> Result<(), String>,
    ) -> Result<Function, String> {
        let mut context = self.module.make_context();
        context.func.signature.params.push(AbiParam::new(types::I64));
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let id = self
            .module
            .declare_function(name, Linkage::Export, &context.func.signature)
            .map_err(|e| e.to_string())?;
        context.func.name = UserFuncName::user(0, id.as_u32());
        let mut builder_context = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut context.func, &mut builder_context);
        let refs: BTreeMap<&'static str, _> = self
            .helpers
            .iter()
            .map(|(name, id)| (*name, self.module.declare_func_in_func(*id, b.func)))
            .collect();
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let ctx = b.block_params(entry)[0];
        let mut from_context = |offset: i32| {
            let word = b.ins().load(types::I64, MemFlagsData::trusted(), ctx, offset);
            let var = b.declare_var(types::I64);
            b.def_var(var, word);
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
            // What may be read before it is named begins as nothing.
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
            helpers: Helpers(refs),
            ctx,
            base,
            run,
            held: RegisterLists::default(),
            preferences: Preferences::PassOver,
            changed_row: None,
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
        made.jump(fresh);
        made.at_loop(begin);
        made.load_register_lists();
        work(&mut made)?;
        // Nothing stands guard below a frame of machine code.
        let stack: u64 = made.b.func.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
        if stack > MAX_STACK {
            return Err("it keeps too much on the stack".to_string());
        }
        made.at(side_exit);
        made.emit_side_exit();
        made.at(stopped);
        made.store_register_lists();
        made.log_over().map_err(|unsupported| unsupported.0)?;
        made.next_place(fresh);
        made.exit(DONE);
        made.emit_bail_outs();
        made.at(fresh);
        made.empty_kept_sets();
        made.jump(begin);
        let (cost, hints) = (made.cost, std::mem::take(&mut made.hints));
        made.b.seal_all_blocks();
        made.b.finalize(self.module.target_config());
        let hyperblocks = if_convert(&mut context.func, &hints);
        self.module.define_function(id, &mut context).map_err(|e| format!("{e:?}"))?;
        Ok(Function { id, cost, hyperblocks })
    }

    /// A function of which the reference works out what has no code of its own.
    fn beside(
        &mut self,
        plan: &Plan,
        name: &str,
        mut work: impl FnMut(&mut Builder) -> crate::jit::builder::Result<()>,
    ) -> Result<FuncId, String> {
        loop {
            let mut marked = None;
            let made = self.function(plan, name, |made| {
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

    fn finish(
        mut self,
        play: FuncId,
        lists: Vec<Option<FuncId>>,
        scores: Option<FuncId>,
    ) -> Result<Made, String> {
        self.module.finalize_definitions().map_err(|e| e.to_string())?;
        let entry = |id: FuncId| Entry::new(self.module.get_finalized_function(id));
        let (play, scores) = (entry(play), scores.map(entry));
        let lists = lists.into_iter().map(|id| id.map(entry)).collect();
        Ok(Made { play, lists, scores, memory: CodeMemory::new(self.module), data: self.data })
    }
}

impl Code {
    /// Compiles the automaton but for the parts in `left`. Where more parts turn out that cannot be compiled these are
    /// put there too, and nothing is made: a part that fails halfway leaves broken code behind. What has no code of its
    /// own is marked, and all is made anew with it handed to the reference.
    pub fn new(plan: &Plan, left: &mut BTreeMap<Pc, String>) -> Result<Option<Code>, String> {
        let mut marks: Vec<(Mark, String)> = Vec::new();
        let (mut maker, made) = loop {
            let mut maker = Maker::new()?;
            maker.data.marks.clone_from(&marks);
            let mut failed = Parts::default();
            let made = maker.function(plan, "play", |made| {
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
        // Where there is no code for them, the reference works all of them out.
        let scores = match plan.machine.game.scoring {
            Scoring::None => None,
            _ => maker.beside(plan, "scores", |made| made.scores()).ok(),
        };
        let interpreter = Arc::new(Interpreter {
            written: plan.written.clone(),
            machine: plan.machine.clone(),
            layout: plan.layout.clone(),
            questions: std::mem::take(&mut maker.data.questions),
            blank: plan.blank.clone(),
        });
        let Made { play, lists, scores, memory, mut data } = maker.finish(id, lists, scores)?;
        let cost = i64::try_from(cost.max(5 * code.len() as u64)).unwrap_or(i64::MAX);
        Ok(Some(Code {
            play,
            hyperblocks,
            lists,
            scores,
            cost,
            left: left.clone(),
            unlisted,
            reasons: std::mem::take(&mut data.reasons),
            logged: (plan.logs && !data.log_fails && left.is_empty())
                .then(|| std::mem::take(&mut data.logged)),
            marks,
            interpreter,
            _memory: memory,
            _data: data,
        }))
    }
}
