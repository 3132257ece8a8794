//! From a game to machine code in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cranelift::codegen::ir::UserFuncName;
use cranelift::codegen::settings;
use cranelift::jit::{JITBuilder, JITModule};
use cranelift::module::{FuncId, Linkage, Module, default_libcall_names};
use cranelift::prelude::*;

use super::call::{
    CTX_BASE, CTX_CHANCE, CTX_DRAWS, CTX_FUEL, CTX_MAX_MOVES, CTX_SCRATCH_BEGIN, CodeMemory, Entry, helpers,
};
use super::flow::Parts;
use super::generate::{Data, Gen, Helpers, Locals, Nope, Run, SlotVars};
use super::held::Held;
use super::interpreted::Mark;
use super::layout::Layout;
use super::prefer::Preferences;
use super::questions::Handed;
use super::shape::UNSET;
use super::slots::{SlotShape, Slots, told};
use super::straight::{Hints, straighten};
use crate::eval::{Machine, Position};
use crate::ir::{Live, Op, Pc};

/// Machine code, and what it stands on.
#[derive(Debug)]
pub struct Code {
    /// The automaton: plays from stop to stop, or to the end.
    pub play: Entry,
    /// What a pass over the automaton costs at most, in steps of the reference.
    pub cost: i64,
    /// How many rows stand in the automaton instead of ways that part.
    pub rows: usize,
    /// The lists of legal moves, for each choice that could be compiled.
    pub lists: Vec<Option<Entry>>,
    /// What is left to the reference.
    pub left: Vec<(Pc, String)>,
    /// The parts that the reference works out while code runs, and why.
    pub marks: Vec<(Mark, String)>,
    /// What code asks it.
    pub handed: Arc<Handed>,
    _memory: CodeMemory,
    _data: Data,
}

/// What a game is compiled from.
pub struct Plan<'a> {
    /// The game.
    pub machine: &'a Machine,
    /// Where things lie.
    pub layout: &'a Layout,
    /// What slots hold.
    pub slots: &'a Slots,
    /// Which slots outlive a stop.
    pub live: &'a Live,
    /// A position before the start.
    pub blank: &'a Position,
}

/// The most bytes that places on the stack may take.
const MAX_STACK: u64 = 1 << 17;

/// A function that was made.
struct Made {
    id: FuncId,
    /// What a pass over it costs at most, in steps of the reference.
    cost: u64,
    rows: usize,
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

    /// Makes a function of one context that gives a status: 0, or 1 where the reference must do it.
    fn function(
        &mut self,
        plan: &Plan,
        name: &str,
        work: impl FnOnce(&mut Gen) -> Result<(), String>,
    ) -> Result<Made, String> {
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
            let word = b.ins().load(types::I64, MemFlags::trusted(), ctx, offset);
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
        let [begin, giveup, stopped] = [(); 3].map(|()| b.create_block());
        b.set_cold_block(giveup);
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
            vars.insert(*slot, SlotVars { shape: shape.clone(), vars: own, always, told: None });
        }
        for (slot, (counter, more)) in told(&plan.machine.game, plan.slots, plan.live, plan.layout) {
            let counter = vars.get(&counter).map(|counter| counter.vars.clone());
            if let Some((slot, counter)) = vars.get_mut(&slot).zip(counter) {
                (slot.vars, slot.told) = (counter, Some(more));
            }
        }
        let mut made = Gen {
            b,
            machine: plan.machine,
            layout: plan.layout,
            unsure: plan.live.at(0),
            blank: plan.blank,
            data: &mut self.data,
            helpers: Helpers(refs),
            ctx,
            base,
            run,
            held: Held::default(),
            preferences: Preferences::PassOver,
            changed_row: None,
            circles: BTreeSet::new(),
            hints: Hints::default(),
            aside: false,
            unrolled: 1,
            vars,
            locals: Locals { bound: BTreeMap::new(), automaton: true },
            giveup,
            stopped,
            size: 0,
            cost: 0,
        };
        made.jump(begin);
        made.at_loop(begin);
        made.take_hold();
        work(&mut made)?;
        // Nothing stands guard below a frame of machine code.
        let stack: u64 = made.b.func.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
        if stack > MAX_STACK {
            return Err("it keeps too much on the stack".to_string());
        }
        made.at(giveup);
        made.exit(1);
        made.at(stopped);
        made.let_go();
        made.next_place(begin);
        made.exit(0);
        let (cost, hints) = (made.cost, std::mem::take(&mut made.hints));
        made.b.seal_all_blocks();
        made.b.finalize();
        let rows = straighten(&mut context.func, &hints);
        self.module.define_function(id, &mut context).map_err(|e| format!("{e:?}"))?;
        Ok(Made { id, cost, rows })
    }

    /// The list of legal moves at a choice; without one, the reference lists them.
    fn list(&mut self, plan: &Plan, choice: usize, left: &BTreeMap<Pc, String>) -> Option<FuncId> {
        let here = |op: &Op| matches!(op, Op::Choose(id) if *id == choice);
        let pc = plan.machine.game.code.iter().position(here)?;
        if left.contains_key(&pc) {
            return None;
        }
        let name = format!("list{choice}");
        loop {
            let mut marked = None;
            let made = self.function(plan, &name, |made| {
                made.listing(choice, pc, plan.live).map_err(|Nope(why, mark)| {
                    marked = mark.map(|mark| (mark, why.clone()));
                    why
                })
            });
            match (made, marked) {
                (Ok(made), _) => return Some(made.id),
                (Err(_), Some(mark)) => self.data.marks.push(mark),
                (Err(_), None) => return None,
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn finish(
        mut self,
        play: FuncId,
        lists: Vec<Option<FuncId>>,
    ) -> Result<(Entry, Vec<Option<Entry>>, CodeMemory, Data), String> {
        self.module.finalize_definitions().map_err(|e| e.to_string())?;
        let entry = |id: FuncId| Entry::new(self.module.get_finalized_function(id));
        let play = entry(play);
        let lists = lists.into_iter().map(|id| id.map(entry)).collect();
        Ok((play, lists, CodeMemory::new(self.module), self.data))
    }
}

impl Code {
    /// Compiles the automaton. What cannot be compiled is left out, and said so.
    pub fn new(plan: &Plan) -> Result<Code, String> {
        let mut left: BTreeMap<Pc, String> = BTreeMap::new();
        let mut marks = Vec::new();
        loop {
            // A part that fails halfway leaves broken code behind: all is made anew without it.
            let skip: BTreeSet<Pc> = left.keys().copied().collect();
            let mut maker = Maker::new()?;
            maker.data.marks.clone_from(&marks);
            let mut failed = Parts::default();
            let made = maker.function(plan, "play", |made| {
                let parts = made.automaton(plan.live, &skip);
                let whole = parts.left.is_empty() && parts.marks.is_empty();
                failed = parts;
                if whole { Ok(()) } else { Err("parts are left out".to_string()) }
            });
            if !failed.left.is_empty() || !failed.marks.is_empty() {
                left.extend(failed.left);
                for (mark, why) in failed.marks {
                    if !marks.iter().any(|(known, _)| *known == mark) {
                        marks.push((mark, why));
                    }
                }
                continue;
            }
            let Made { id, cost, rows } = made?;
            let mut lists = Vec::new();
            for choice in 0..plan.machine.game.choices.len() {
                lists.push(maker.list(plan, choice, &left));
            }
            let handed = Arc::new(Handed {
                machine: plan.machine.clone(),
                layout: plan.layout.clone(),
                questions: std::mem::take(&mut maker.data.questions),
                blank: plan.blank.clone(),
            });
            let (play, lists, memory, data) = maker.finish(id, lists)?;
            let cost = i64::try_from(cost.max(5 * plan.machine.game.code.len() as u64)).unwrap_or(i64::MAX);
            return Ok(Code {
                play,
                rows,
                lists,
                cost,
                left: left.into_iter().collect(),
                marks,
                handed,
                _memory: memory,
                _data: data,
            });
        }
    }
}
