//! A hyperblock: code without branches, made from ways that part and meet again (see [`crate::jit::if_conversion`]): values selected
//! by the conditions, writes put off to the end, and a way out to the branches that were.

use std::collections::{BTreeMap, BTreeSet};

use cranelift::codegen::cursor::{Cursor, FuncCursor};
use cranelift::codegen::flowgraph::ControlFlowGraph;
use cranelift::codegen::ir::{BlockArg, BlockCall, Function, Inst, InstructionData, MemFlagsData, Opcode};
use cranelift::prelude::{Value as V, *};

use crate::jit::if_conversion::aliases::{Addresses, Bytes, Sum, made_by, most, narrow};
use crate::jit::if_conversion::predicates::{ALWAYS, Cases, NEVER, Predicates, Test, When, With, joined};

/// How many blocks before its beginning are looked at for what is known there.
const BACK: usize = 8;

/// A way into a block: when it is gone, and with which arguments.
type Way = (When, Vec<Cases<V>>);

/// What is to be written at the end of the hyperblock.
struct Write {
    to: Bytes,
    opcode: Opcode,
    flags: MemFlagsData,
    address: V,
    offset: i32,
    value: V,
    when: When,
}

/// The only result of an instruction without effects.
pub fn pure(func: &Function, inst: Inst) -> Option<V> {
    let opcode = func.dfg.insts[inst].opcode();
    let effects = opcode.can_load()
        || opcode.can_store()
        || opcode.can_trap()
        || opcode.is_call()
        || opcode.is_terminator()
        || opcode.other_side_effects();
    match func.dfg.inst_results(inst) {
        [made] if !effects => Some(*made),
        _ => None,
    }
}

/// A hyperblock being made.
pub struct Hyperblock<'f> {
    func: &'f mut Function,
    /// The branch, or the jump.
    start: Inst,
    /// Where instructions go.
    at: Block,
    /// What values of the ways are in the hyperblock.
    values: BTreeMap<V, Cases<V>>,
    /// The conditions on which the ways part.
    predicates: Predicates,
    /// Predicates worked out so far.
    materialised: BTreeMap<When, V>,
    /// When values are surely 0.
    zero: BTreeMap<V, When>,
    /// The ways into blocks to come.
    ways: BTreeMap<Block, Vec<Way>>,
    /// What was worked out already: instructions without effects and what they make.
    known: Vec<(InstructionData, V)>,
    /// What values are at least.
    least: BTreeMap<V, i64>,
    /// The values that are not 0.
    some: BTreeSet<V>,
    /// The conditions that the hyperblock goes on without, and whether it would be left where they hold.
    asked: BTreeSet<(V, bool)>,
    /// What was accessed before the branch.
    accessed: Vec<Bytes>,
    /// What is in memory until the end of the hyperblock: read or written so.
    there: Vec<(Bytes, Opcode, V)>,
    addresses: &'f Addresses,
    writes: Vec<Write>,
}

impl Hyperblock<'_> {
    /// A hyperblock that begins at a branch or a jump.
    pub fn new<'f>(func: &'f mut Function, start: Inst, addresses: &'f Addresses) -> Hyperblock<'f> {
        Hyperblock {
            func,
            start,
            at: Block::from_u32(0),
            values: BTreeMap::new(),
            predicates: Predicates::new(),
            materialised: BTreeMap::new(),
            zero: BTreeMap::new(),
            ways: BTreeMap::new(),
            known: Vec::new(),
            least: BTreeMap::new(),
            some: BTreeSet::new(),
            asked: BTreeSet::new(),
            accessed: Vec::new(),
            there: Vec::new(),
            addresses,
            writes: Vec::new(),
        }
    }

    /// Puts blocks into it, each behind those that lead to it, up to where all ways meet; `None` where something in
    /// them cannot be done in a hyperblock.
    pub fn make(&mut self, blocks: &[Block], meet: Block, flow: &ControlFlowGraph) -> Option<()> {
        self.at = self.func.layout.inst_block(self.start)?;
        self.look_back(flow);
        let cold = self.func.dfg.make_block();
        self.func.layout.append_block(cold);
        self.func.layout.set_cold(cold);
        self.func.layout.remove_inst(self.start);
        self.func.layout.append_inst(self.start, cold);
        match self.func.dfg.insts[self.start] {
            InstructionData::Jump { destination, .. } => self.go(destination, ALWAYS),
            _ => self.part(self.start, ALWAYS, cold)?,
        }
        for block in blocks {
            self.block(*block, cold)?;
        }
        let args: Vec<V> = self.arguments(meet)?.iter().map(|cases| self.one_of(cases)).collect();
        self.write_all();
        let args: Vec<BlockArg> = args.into_iter().map(BlockArg::Value).collect();
        self.ins(|c| c.ins().jump(meet, &args));
        Some(())
    }

    fn ins<T>(&mut self, make: impl FnOnce(&mut FuncCursor) -> T) -> T {
        make(&mut FuncCursor::new(self.func).at_bottom(self.at))
    }

    /// What is known at the branch from what surely was done before it.
    fn look_back(&mut self, flow: &ControlFlowGraph) {
        let mut block = self.at;
        let mut written: Vec<Bytes> = Vec::new();
        for _ in 0..BACK {
            let insts: Vec<Inst> = self.func.layout.block_insts(block).collect();
            for inst in insts.into_iter().rev() {
                let data = self.func.dfg.insts[inst];
                if let Some(made) = pure(self.func, inst) {
                    self.known.push((data, made));
                } else if let Some(bytes) = Bytes::of(self.func, inst) {
                    let still = written.iter().all(|later| self.apart(later, &bytes));
                    let value = match data {
                        InstructionData::Store { args: [value, _], .. } => {
                            written.push(bytes.clone());
                            value
                        }
                        _ => self.func.dfg.first_result(inst),
                    };
                    if still {
                        self.there.push((bytes.clone(), data.opcode(), value));
                    }
                    self.accessed.push(bytes);
                } else if data.opcode().is_call() {
                    return;
                }
            }
            let mut before = flow.pred_iter(block);
            let (Some(only), None) = (before.next(), before.next()) else { return };
            self.learn(only.inst, block);
            block = only.block;
        }
    }

    /// What a branch tells where it led to `block`.
    fn learn(&mut self, branch: Inst, block: Block) {
        let InstructionData::Brif { arg, blocks, .. } = self.func.dfg.insts[branch] else { return };
        let [yes, no] = blocks.map(|call| call.block(&self.func.dfg.value_lists) == block);
        let Test { cc, a, b: With::Number(n) } = Test::of(self.func, arg) else { return };
        let least = match (cc, yes, no) {
            (IntCC::SignedLessThan, false, true) | (IntCC::SignedGreaterThanOrEqual, true, false) => n,
            (IntCC::SignedLessThanOrEqual, false, true) | (IntCC::SignedGreaterThan, true, false) => {
                n.saturating_add(1)
            }
            _ => return,
        };
        self.least.entry(a).or_insert(least);
    }

    /// The value in the hyperblock.
    fn value(&mut self, v: V) -> V {
        let cases = self.cases(v, ALWAYS);
        let value = self.one_of(&cases);
        if let Some(known) = self.values.get_mut(&v) {
            *known = vec![(ALWAYS, value)];
        }
        value
    }

    /// What a value is when it is so.
    fn cases(&self, v: V, when: When) -> Cases<V> {
        let Some(cases) = self.values.get(&v) else { return vec![(when, v)] };
        let cases = cases.iter().map(|(case, v)| (case.and(when), *v));
        cases.filter(|(case, _)| !self.predicates.never(*case)).collect()
    }

    /// In the hyperblock, a value is this one.
    fn is(&mut self, v: V, value: V) {
        self.values.insert(v, vec![(ALWAYS, value)]);
    }

    // ---- ways

    fn block(&mut self, block: Block, cold: Block) -> Option<()> {
        let Some(ways) = self.ways.get(&block) else { return Some(()) };
        let when = ways.iter().fold(NEVER, |all, (when, _)| all.or(*when));
        let args = self.arguments(block)?;
        let params = self.func.dfg.block_params(block).to_vec();
        self.values.extend(params.into_iter().zip(args));
        let insts: Vec<Inst> = self.func.layout.block_insts(block).collect();
        for inst in insts {
            match self.func.dfg.insts[inst] {
                InstructionData::Jump { destination, .. } => self.go(destination, when),
                InstructionData::Brif { .. } => self.part(inst, when, cold)?,
                InstructionData::Load { .. } => self.read(inst, when)?,
                InstructionData::Store { .. } => self.write(inst, when)?,
                _ => {
                    let made = pure(self.func, inst)?;
                    let again = self.selected(inst, when);
                    let again = again.unwrap_or_else(|| self.again(inst));
                    self.is(made, again);
                }
            }
        }
        Some(())
    }

    /// A selection by what follows from the conditions, of something or nothing: nothing too on ways that do not ask.
    fn selected(&mut self, inst: Inst, when: When) -> Option<V> {
        let InstructionData::Ternary { opcode: Opcode::Select, args } = self.func.dfg.insts[inst] else {
            return None;
        };
        let [cond, a, b] = args.map(|v| self.value(v));
        let holds = self.predicates.when(self.func, cond, false)?;
        if let Some(holds) = self.predicates.decided(when, holds) {
            return Some(if holds { a } else { b });
        }
        let zero = |v: V| Sum::of(self.func, v).number() == Some(0);
        let (some, when, nothing) = match (zero(a), zero(b)) {
            (_, true) => (a, when.and(holds), b),
            (true, _) => (b, when.and(holds.not()), a),
            _ => return None,
        };
        self.predicates.test(when, when.not())?;
        let v = self.choose(when, some, when.not(), nothing);
        self.zero.insert(v, when.not());
        Some(v)
    }

    /// An instruction without effects, in the hyperblock.
    fn again(&mut self, inst: Inst) -> V {
        let copy = self.copied(inst);
        let data = self.func.dfg.insts[copy];
        let made = self.func.dfg.first_result(copy);
        let ty = |v: V| self.func.dfg.value_type(v);
        let known = self.known.iter().find(|(known, v)| *known == data && ty(*v) == ty(made));
        if let Some((_, known)) = known {
            return *known;
        }
        self.func.layout.append_inst(copy, self.at);
        self.known.push((data, made));
        made
    }

    fn copied(&mut self, inst: Inst) -> Inst {
        let values: Vec<V> = self.func.dfg.inst_values(inst).collect();
        let mut values = values.into_iter().map(|v| self.value(v)).collect::<Vec<V>>().into_iter();
        let copy = self.func.dfg.clone_inst(inst);
        self.func.dfg.map_inst_values(copy, |v| values.next().unwrap_or(v));
        copy
    }

    /// A jump, gone when it is so.
    fn go(&mut self, to: BlockCall, when: When) {
        if self.predicates.never(when) {
            return;
        }
        let pool = &self.func.dfg.value_lists;
        let args = to.args(pool).filter_map(|arg| arg.as_value()).map(|v| self.cases(v, when)).collect();
        self.ways.entry(to.block(pool)).or_default().push((when, args));
    }

    /// A branch. What is cold is gone by the branches that are kept.
    fn part(&mut self, branch: Inst, when: When, cold: Block) -> Option<()> {
        let InstructionData::Brif { arg, blocks: [yes, no], .. } = self.func.dfg.insts[branch] else {
            return None;
        };
        let cond = self.value(arg);
        let seldom = [yes, no].map(|call| self.func.layout.is_cold(call.block(&self.func.dfg.value_lists)));
        let holds = match self.decided(cond) {
            Some(decided) => Some(if decided { ALWAYS } else { NEVER }),
            None => self.predicates.when(self.func, cond, seldom == [false; 2]),
        };
        let decided = holds.and_then(|holds| self.predicates.decided(when, holds));
        match (seldom, decided) {
            ([false, _], Some(true)) => self.go(yes, when),
            ([_, false], Some(false)) => self.go(no, when),
            ([true, true], _) | (_, Some(_)) => return None,
            ([true, false], _) => {
                self.leave_if(cond, true, cold);
                self.go(no, when);
            }
            ([false, true], _) => {
                self.leave_if(cond, false, cold);
                self.go(yes, when);
            }
            ([false, false], _) => {
                let holds = holds?;
                self.go(yes, when.and(holds));
                self.go(no, when.and(holds.not()));
            }
        }
        Some(())
    }

    /// Whether a condition holds, where that is known: a number is not less than what it is at least, and none that is
    /// more than it is at most.
    fn decided(&self, cond: V) -> Option<bool> {
        let Test { cc, a, b: With::Number(n) } = Test::of(self.func, cond) else { return None };
        match cc {
            IntCC::SignedLessThan => {
                let (from, more) = Sum::of(self.func, a).moved()?;
                let least = *self.least.get(&from)?;
                (more <= 0 && least.checked_add(more)? >= n).then_some(false)
            }
            IntCC::Equal | IntCC::NotEqual => (self.most(a)? < n as u64).then_some(cc == IntCC::NotEqual),
            _ => None,
        }
    }

    /// The greatest that a value can be, as a number without sign.
    fn most(&self, v: V) -> Option<u64> {
        most(self.func, v, &|v| self.some.contains(&v))
    }

    /// Leaves the hyperblock if a condition is as said.
    fn leave_if(&mut self, cond: V, holds: bool, cold: Block) {
        if !self.asked.insert((cond, holds)) {
            return;
        }
        let on = self.func.dfg.make_block();
        self.func.layout.insert_block_after(on, self.at);
        let (yes, no) = if holds { (cold, on) } else { (on, cold) };
        let none: [BlockArg; 0] = [];
        self.ins(|c| c.ins().brif(cond, yes, &none, no, &none));
        self.at = on;
        match (Test::of(self.func, cond), holds) {
            (Test { cc: IntCC::Equal, a, b: With::Number(0) }, true)
            | (Test { cc: IntCC::NotEqual, a, b: With::Number(0) }, false) => {
                self.some.insert(a);
            }
            (_, false) => {
                self.some.insert(cond);
            }
            _ => {}
        }
    }

    /// A block's arguments by the ways that lead to it.
    fn arguments(&mut self, block: Block) -> Option<Vec<Cases<V>>> {
        let ways = self.ways.remove(&block)?;
        let count = self.func.dfg.num_block_params(block);
        Some((0..count).map(|i| joined(ways.iter().flat_map(|(_, args)| args[i].iter().copied()))).collect())
    }

    // ---- selecting

    /// The value of the case that is so.
    fn one_of(&mut self, cases: &Cases<V>) -> V {
        let (mut covered, mut value) = cases[0];
        for (when, v) in &cases[1..] {
            value = self.choose(*when, *v, covered, value);
            covered = covered.or(*when);
        }
        value
    }

    /// `a` when it is so, `b` when it is otherwise; in all other cases any of them.
    fn choose(&mut self, when: When, a: V, otherwise: When, b: V) -> V {
        if a == b {
            return a;
        }
        // One more or not: the truth is added.
        let more = |a: V, b: V| Sum::of(self.func, a).beyond(&Sum::of(self.func, b)) == Some(1);
        let counted = match self.func.dfg.value_type(a) == types::I64 {
            true if more(a, b) => Some((when, b)),
            true if more(b, a) => Some((otherwise, a)),
            _ => None,
        };
        if let Some((when, from)) = counted {
            let cond = self.condition(when);
            return self.ins(|c| {
                let one = c.ins().uextend(types::I64, cond);
                c.ins().iadd(from, one)
            });
        }
        let (cond, [a, b]) = match self.predicates.test(when, otherwise) {
            Some((test, true)) => (self.test(test), [a, b]),
            Some((test, false)) => (self.test(test), [b, a]),
            None => (self.condition(when), [a, b]),
        };
        self.ins(|c| c.ins().select(cond, a, b))
    }

    /// Whether it is so: a byte.
    fn condition(&mut self, when: When) -> V {
        if let Some(known) = self.materialised.get(&when) {
            return *known;
        }
        let made = match (self.predicates.test(when, when.not()), self.predicates.parting(when)) {
            (Some((test, holds)), _) => self.test(if holds { test } else { test.not() }),
            (None, None) => self.ins(|c| c.ins().iconst(types::I8, i64::from(when == ALWAYS))),
            (None, Some((number, test))) => {
                let (yes, no) = when.split(number);
                let holds = self.test(if yes == NEVER || no == ALWAYS { test.not() } else { test });
                match (yes, no) {
                    (ALWAYS, rest) | (rest, ALWAYS) => {
                        let rest = self.condition(rest);
                        self.ins(|c| c.ins().bor(holds, rest))
                    }
                    (NEVER, rest) | (rest, NEVER) => {
                        let rest = self.condition(rest);
                        self.ins(|c| c.ins().band(holds, rest))
                    }
                    _ => {
                        let (yes, no) = (self.condition(yes), self.condition(no));
                        self.ins(|c| c.ins().select(holds, yes, no))
                    }
                }
            }
        };
        self.materialised.insert(when, made);
        made
    }

    /// Whether a comparison holds: a byte.
    fn test(&mut self, Test { cc, a, b }: Test) -> V {
        self.ins(|c| match b {
            With::Value(b) => c.ins().icmp(cc, a, b),
            With::Number(b) => c.ins().icmp_imm_s(cc, a, b),
        })
    }

    // ---- memory

    /// Whether a way that is not gone may make an access too.
    fn sound(&self, bytes: &Bytes) -> bool {
        self.accessed.contains(bytes) || bytes.sound(self.addresses, &|v| self.most(v))
    }

    /// Whether two accesses surely do not meet.
    fn apart(&self, a: &Bytes, b: &Bytes) -> bool {
        a.apart(b, self.addresses, &|v| self.most(v))
    }

    /// Reading gives what was written on this way, or else what is there.
    fn read(&mut self, inst: Inst, when: When) -> Option<()> {
        let copy = self.copied(inst);
        let from = Bytes::of(self.func, copy)?;
        let made = self.func.dfg.first_result(inst);
        let written =
            self.writes.iter().find(|write| write.to == from && !self.predicates.never(write.when.and(when)));
        let value = match written.map(|write| (write.when, write.opcode, write.value)) {
            None => self.load(copy, &from)?,
            Some((since, opcode, v)) => {
                let v = self.as_read(copy, opcode, v)?;
                if self.predicates.within(when, since) {
                    v
                } else {
                    let there = self.load(copy, &from)?;
                    self.choose(since.and(when), v, when.and(since.not()), there)
                }
            }
        };
        self.is(made, value);
        Some(())
    }

    /// What a load gives of what is in memory, which other writes do not touch and a way not gone may look at.
    fn load(&mut self, load: Inst, from: &Bytes) -> Option<V> {
        if let Some((_, opcode, v)) = self.there.iter().find(|(bytes, _, _)| bytes == from).cloned()
            && let Some(v) = self.as_read(load, opcode, v)
        {
            return Some(v);
        }
        let apart = |write: &Write| write.to == *from || self.apart(&write.to, from);
        if !self.sound(from) || !self.writes.iter().all(apart) {
            return None;
        }
        self.func.layout.append_inst(load, self.at);
        let v = self.func.dfg.first_result(load);
        self.there.push((from.clone(), self.func.dfg.insts[load].opcode(), v));
        Some(v)
    }

    /// What a load would give where a store put a value, or another load found it.
    fn as_read(&mut self, load: Inst, opcode: Opcode, v: V) -> Option<V> {
        let (how, ty) = (self.func.dfg.insts[load].opcode(), self.func.dfg.ctrl_typevar(load));
        let same = self.func.dfg.value_type(v) == ty;
        let stored = matches!(opcode, Opcode::Store | Opcode::Istore8 | Opcode::Istore16 | Opcode::Istore32);
        match narrow(how) {
            _ if same && how == opcode => Some(v),
            None => (same && stored).then_some(v),
            Some(_) if !stored || !same => None,
            Some((part, signed)) => {
                let most = u64::MAX >> (64 - part.bits() + u32::from(signed));
                if self.most(v).is_some_and(|v| v <= most) {
                    return Some(v);
                }
                let low = self.ins(|c| c.ins().ireduce(part, v));
                Some(self.ins(|c| match signed {
                    true => c.ins().sextend(ty, low),
                    false => c.ins().uextend(ty, low),
                }))
            }
        }
    }

    fn write(&mut self, inst: Inst, when: When) -> Option<()> {
        let InstructionData::Store { opcode, args: [value, address], flags, offset } =
            self.func.dfg.insts[inst]
        else {
            return None;
        };
        let copy = self.copied(inst);
        let to = Bytes::of(self.func, copy)?;
        let (value, address) = (self.value(value), self.value(address));
        if let Some(place) = self.writes.iter().position(|write| write.to == to) {
            let (since, before) = (self.writes[place].when, self.writes[place].value);
            let value = self.choose(when, value, since.and(when.not()), before);
            let write = &mut self.writes[place];
            (write.value, write.when) = (value, since.or(when));
            return Some(());
        }
        if !self.sound(&to) || !self.writes.iter().all(|write| self.apart(&write.to, &to)) {
            return None;
        }
        let (flags, offset) = (self.func.dfg.mem_flags[flags], i32::from(offset));
        self.writes.push(Write { to, opcode, flags, address, offset, value, when });
        Some(())
    }

    /// Whether a value is the one that is there when it is so: nothing is added then.
    fn as_there(&self, value: V, there: V, when: When) -> bool {
        let Some(InstructionData::Binary { opcode: Opcode::Iadd, args }) = made_by(self.func, value) else {
            return false;
        };
        let added = if args[0] == there { args[1] } else { args[0] };
        let zero = self.zero.get(&added).filter(|_| args.contains(&there));
        zero.is_some_and(|zero| self.predicates.within(when, *zero))
    }

    /// The end of the hyperblock: what no way wrote keeps its value.
    fn write_all(&mut self) {
        for Write { to, opcode, flags, address, offset, value, when } in std::mem::take(&mut self.writes) {
            let ty = self.func.dfg.value_type(value);
            let mut value = value;
            if !self.predicates.within(ALWAYS, when) {
                // The bytes that are written are all that counts.
                let there = match self.there.iter().find(|(bytes, _, _)| *bytes == to).map(|(_, _, v)| *v) {
                    Some(there) if self.func.dfg.value_type(there) == ty => there,
                    _ => self.ins(|c| match opcode {
                        Opcode::Istore8 => c.ins().uload8(ty, flags, address, offset),
                        Opcode::Istore16 => c.ins().uload16(ty, flags, address, offset),
                        Opcode::Istore32 => c.ins().uload32(flags, address, offset),
                        _ => c.ins().load(ty, flags, address, offset),
                    }),
                };
                if !self.as_there(value, there, when.not()) {
                    value = self.choose(when, value, when.not(), there);
                }
            }
            self.ins(|c| match opcode {
                Opcode::Istore8 => c.ins().istore8(flags, value, address, offset),
                Opcode::Istore16 => c.ins().istore16(flags, value, address, offset),
                Opcode::Istore32 => c.ins().istore32(flags, value, address, offset),
                _ => c.ins().store(flags, value, address, offset),
            });
        }
    }
}
