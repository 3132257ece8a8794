//! Makes one hyperblock (see [`crate::jit::if_conversion`]): straight-line code from a region of branches and
//! joins, with values selected by predicates, stores delayed to the end, and an exit to the original branch.

use std::collections::{BTreeMap, BTreeSet};

use crate::jit::if_conversion::aliases::{Access, Addresses, Sum, upper_bound};
use crate::jit::if_conversion::predicates::{
    ALWAYS, Cases, Conditions, NEVER, Operand, Predicate, Test, merged,
};
use crate::jit::mir::flow::FlowGraph;
use crate::jit::mir::ins::Ins;
use crate::jit::mir::{BinaryOp, Block, Function, Inst, IntCC, Op, Target, Type, Value as V, types};

/// How many blocks before the start are searched for known facts.
const MAX_LOOK_BACK: usize = 8;

/// A path into a block: its predicate, and the block arguments.
type IncomingPath = (Predicate, Vec<Cases<V>>);

/// A store delayed to the end of the hyperblock.
struct DelayedStore {
    to: Access,
    memory: Type,
    address: V,
    offset: i32,
    value: V,
    predicate: Predicate,
}

/// Known contents of memory until the end of the hyperblock.
#[derive(Clone)]
struct KnownContents {
    bytes: Access,
    /// The value that was stored or loaded.
    value: V,
    /// For a loaded value, whether it was sign-extended; `None` for a stored value.
    read: Option<bool>,
}

/// A hyperblock under construction.
pub struct Hyperblock<'f> {
    func: &'f mut Function,
    /// The original branch or jump.
    start: Inst,
    /// The block to which instructions are appended.
    at: Block,
    /// The values in the hyperblock that stand for values of the original code.
    values: BTreeMap<V, Cases<V>>,
    /// The conditions on which the paths depend.
    conditions: Conditions,
    /// The values of predicates computed so far.
    materialised: BTreeMap<Predicate, V>,
    /// Predicates under which values are certainly 0.
    zero: BTreeMap<V, Predicate>,
    /// The paths into blocks that are still to come.
    incoming: BTreeMap<Block, Vec<IncomingPath>>,
    /// Pure instructions computed so far, with their results.
    computed: Vec<(Op, V)>,
    /// The values known not to be 0.
    nonzero: BTreeSet<V>,
    /// Conditions already checked by [`Self::leave_if`], with the truth value for which the hyperblock is
    /// left.
    checked: BTreeSet<(V, bool)>,
    /// The bytes accessed before the branch.
    accessed: Vec<Access>,
    known_contents: Vec<KnownContents>,
    addresses: &'f Addresses,
    writes: Vec<DelayedStore>,
}

impl Hyperblock<'_> {
    /// Creates a hyperblock that begins at a branch or a jump.
    pub fn new<'f>(
        func: &'f mut Function,
        (start, at): (Inst, Block),
        addresses: &'f Addresses,
    ) -> Hyperblock<'f> {
        Hyperblock {
            func,
            start,
            at,
            values: BTreeMap::new(),
            conditions: Conditions::new(),
            materialised: BTreeMap::new(),
            zero: BTreeMap::new(),
            incoming: BTreeMap::new(),
            computed: Vec::new(),
            nonzero: BTreeSet::new(),
            checked: BTreeSet::new(),
            accessed: Vec::new(),
            known_contents: Vec::new(),
            addresses,
            writes: Vec::new(),
        }
    }

    /// Adds the blocks of a region, in topological order, up to the join `meet`; `None` if something in them
    /// cannot be done in a hyperblock.
    pub fn make(&mut self, blocks: &[Block], meet: Block, flow: &FlowGraph) -> Option<()> {
        self.look_back(flow);
        let cold = self.func.new_block();
        self.func.append_block(cold);
        self.func.set_cold(cold);
        self.func.move_last(self.at, cold);
        match self.func.op(self.start).clone() {
            Op::Jump(to) => self.record_jump(&to, ALWAYS),
            branch => self.convert_branch(&branch, ALWAYS, cold)?,
        }
        for block in blocks {
            self.block(*block, cold)?;
        }
        let args: Vec<V> = self.arguments(meet)?.iter().map(|cases| self.one_of(cases)).collect();
        self.emit_stores();
        self.func.push(self.at, Op::Jump(Target { block: meet, args }));
        Some(())
    }

    fn ins(&mut self) -> Ins<'_> {
        Ins { func: self.func, at: self.at }
    }

    /// Collects facts from the instructions that certainly ran before the start.
    fn look_back(&mut self, flow: &FlowGraph) {
        let mut block = self.at;
        let mut written: Vec<Access> = Vec::new();
        for _ in 0..MAX_LOOK_BACK {
            for inst in self.func.insts(block).iter().rev() {
                let op = self.func.op(*inst);
                let result = self.func.results(*inst).next();
                if let Some(result) = result.filter(|_| op.is_pure()) {
                    self.computed.push((op.clone(), result));
                } else if let Some(bytes) = Access::of(self.func, op) {
                    let intact = written.iter().all(|later| self.is_disjoint(later, &bytes));
                    let (value, read) = match (op, result) {
                        (Op::Load { signed, .. }, Some(result)) => (result, Some(*signed)),
                        (Op::Store { value, .. }, _) => {
                            written.push(bytes.clone());
                            (*value, None)
                        }
                        _ => continue,
                    };
                    if intact {
                        self.known_contents.push(KnownContents { bytes: bytes.clone(), value, read });
                    }
                    self.accessed.push(bytes);
                } else if let Op::Call(..) = op {
                    return;
                }
            }
            let [only] = flow.predecessors(block) else { return };
            block = *only;
        }
    }

    /// Returns the value in the hyperblock that stands for an original value.
    fn value(&mut self, v: V) -> V {
        let cases = self.cases(v, ALWAYS);
        let value = self.one_of(&cases);
        if let Some(known) = self.values.get_mut(&v) {
            *known = vec![(ALWAYS, value)];
        }
        value
    }

    /// Returns the cases of an original value under a predicate.
    fn cases(&self, v: V, predicate: Predicate) -> Cases<V> {
        let Some(cases) = self.values.get(&v) else { return vec![(predicate, v)] };
        let cases = cases.iter().map(|(case, v)| (case.and(predicate), *v));
        cases.filter(|(case, _)| !self.conditions.never(*case)).collect()
    }

    /// Sets the value in the hyperblock that stands for an original value.
    fn set_value(&mut self, v: V, value: V) {
        self.values.insert(v, vec![(ALWAYS, value)]);
    }

    // ---- paths

    fn block(&mut self, block: Block, cold: Block) -> Option<()> {
        let Some(incoming) = self.incoming.get(&block) else { return Some(()) };
        let predicate = incoming.iter().fold(NEVER, |all, (predicate, _)| all.or(*predicate));
        let args = self.arguments(block)?;
        let params = self.func.params(block).to_vec();
        self.values.extend(params.into_iter().zip(args));
        for inst in self.func.insts(block).to_vec() {
            let op = self.func.op(inst).clone();
            match &op {
                Op::Jump(to) => {
                    self.record_jump(to, predicate);
                    continue;
                }
                Op::Branch(..) => {
                    self.convert_branch(&op, predicate, cold)?;
                    continue;
                }
                Op::Store { .. } => {
                    self.convert_store(op, predicate)?;
                    continue;
                }
                _ => {}
            }
            let result = self.func.results(inst).next()?;
            let value = match self.selected(&op, predicate) {
                Some(selected) => selected,
                None if op.is_pure() => self.copy_pure(op),
                None => self.convert_load(op, predicate)?,
            };
            self.set_value(result, value);
        }
        Some(())
    }

    /// Converts a select that depends only on conditions. A select between a value and 0 is made 0 on paths
    /// not taken, too.
    fn selected(&mut self, op: &Op, predicate: Predicate) -> Option<V> {
        let Op::Select(cond, a, b) = op else { return None };
        let [cond, a, b] = [*cond, *a, *b].map(|v| self.value(v));
        let holds = self.conditions.predicate_of(self.func, cond, false)?;
        if let Some(holds) = self.conditions.decided(predicate, holds) {
            return Some(if holds { a } else { b });
        }
        let zero = |v: V| Sum::of(self.func, v).as_constant() == Some(0);
        let (some, predicate, nothing) = match (zero(a), zero(b)) {
            (_, true) => (a, predicate.and(holds), b),
            (true, _) => (b, predicate.and(holds.not()), a),
            _ => return None,
        };
        self.conditions.test(predicate, predicate.not())?;
        let v = self.choose(predicate, some, predicate.not(), nothing);
        self.zero.insert(v, predicate.not());
        Some(v)
    }

    /// Copies a pure instruction into the hyperblock, reusing an equal earlier one.
    fn copy_pure(&mut self, op: Op) -> V {
        let op = self.with_new_operands(op);
        if let Some((_, known)) = self.computed.iter().find(|(known, _)| *known == op) {
            return *known;
        }
        let result = self.func.push_value(self.at, op.clone());
        self.computed.push((op, result));
        result
    }

    fn with_new_operands(&mut self, mut op: Op) -> Op {
        op.map_values(|v| self.value(v));
        op
    }

    /// Records a jump that is taken under a predicate.
    fn record_jump(&mut self, to: &Target, predicate: Predicate) {
        if self.conditions.never(predicate) {
            return;
        }
        let args = to.args.iter().map(|v| self.cases(*v, predicate)).collect();
        self.incoming.entry(to.block).or_default().push((predicate, args));
    }

    /// Converts a branch. Towards a cold block, the hyperblock is left for the original branches.
    fn convert_branch(&mut self, branch: &Op, predicate: Predicate, cold: Block) -> Option<()> {
        let Op::Branch(cond, yes, no) = branch else { return None };
        let cond = self.value(*cond);
        let seldom = [yes, no].map(|to| self.func.is_cold(to.block));
        let holds = self.conditions.predicate_of(self.func, cond, seldom == [false; 2]);
        let decided = holds.and_then(|holds| self.conditions.decided(predicate, holds));
        match (seldom, decided) {
            ([false, _], Some(true)) => self.record_jump(yes, predicate),
            ([_, false], Some(false)) => self.record_jump(no, predicate),
            ([true, true], _) | (_, Some(_)) => return None,
            ([true, false], _) => {
                self.leave_if(cond, true, cold);
                self.record_jump(no, predicate);
            }
            ([false, true], _) => {
                self.leave_if(cond, false, cold);
                self.record_jump(yes, predicate);
            }
            ([false, false], _) => {
                let holds = holds?;
                self.record_jump(yes, predicate.and(holds));
                self.record_jump(no, predicate.and(holds.not()));
            }
        }
        Some(())
    }

    /// Returns an upper bound on a value as an unsigned number.
    fn upper_bound(&self, v: V) -> Option<u64> {
        upper_bound(self.func, v, &|v| self.nonzero.contains(&v))
    }

    /// Leaves the hyperblock for `cold` if a condition has the truth value `holds`.
    fn leave_if(&mut self, cond: V, holds: bool, cold: Block) {
        if !self.checked.insert((cond, holds)) {
            return;
        }
        let on = self.func.new_block();
        self.func.insert_block_after(on, self.at);
        let [yes, no] = if holds { [cold, on] } else { [on, cold] };
        let [yes, no] = [yes, no].map(|block| Target { block, args: Vec::new() });
        self.func.push(self.at, Op::Branch(cond, yes, no));
        self.at = on;
        match (Test::of(self.func, cond), holds) {
            (Test { cc: IntCC::Equal, a, b: Operand::Number(0) }, true)
            | (Test { cc: IntCC::NotEqual, a, b: Operand::Number(0) }, false) => {
                self.nonzero.insert(a);
            }
            (_, false) => {
                self.nonzero.insert(cond);
            }
            _ => {}
        }
    }

    /// Returns the arguments of a block's parameters, by the paths that lead to it.
    fn arguments(&mut self, block: Block) -> Option<Vec<Cases<V>>> {
        let incoming = self.incoming.remove(&block)?;
        let count = self.func.params(block).len();
        Some(
            (0..count)
                .map(|i| merged(incoming.iter().flat_map(|(_, args)| args[i].iter().copied())))
                .collect(),
        )
    }

    // ---- selects

    /// Selects the value of the case whose predicate holds.
    fn one_of(&mut self, cases: &Cases<V>) -> V {
        let (mut covered, mut value) = cases[0];
        for (predicate, v) in &cases[1..] {
            value = self.choose(*predicate, *v, covered, value);
            covered = covered.or(*predicate);
        }
        value
    }

    /// Selects `a` under `predicate` and `b` under `otherwise`; in all other cases either will do.
    fn choose(&mut self, predicate: Predicate, a: V, otherwise: Predicate, b: V) -> V {
        if a == b {
            return a;
        }
        // If the values differ by one, add the condition to the smaller one.
        let more = |a: V, b: V| Sum::of(self.func, a).constant_difference(&Sum::of(self.func, b)) == Some(1);
        let counted = match self.func.ty(a) == types::I64 {
            true if more(a, b) => Some((predicate, b)),
            true if more(b, a) => Some((otherwise, a)),
            _ => None,
        };
        if let Some((predicate, from)) = counted {
            let cond = self.condition(predicate);
            let one = self.ins().uextend(types::I64, cond);
            return self.ins().iadd(from, one);
        }
        let (cond, [a, b]) = match self.conditions.test(predicate, otherwise) {
            Some((test, true)) => (self.test(test), [a, b]),
            Some((test, false)) => (self.test(test), [b, a]),
            None => (self.condition(predicate), [a, b]),
        };
        self.ins().select(cond, a, b)
    }

    /// Returns whether a predicate holds, as a byte.
    fn condition(&mut self, predicate: Predicate) -> V {
        if let Some(known) = self.materialised.get(&predicate) {
            return *known;
        }
        let result = match (
            self.conditions.test(predicate, predicate.not()),
            self.conditions.deciding_condition(predicate),
        ) {
            (Some((test, holds)), _) => self.test(if holds { test } else { test.not() }),
            (None, None) => self.ins().iconst(types::I8, i64::from(predicate == ALWAYS)),
            (None, Some((number, test))) => {
                let (yes, no) = predicate.split(number);
                let holds = self.test(if yes == NEVER || no == ALWAYS { test.not() } else { test });
                match (yes, no) {
                    (ALWAYS, rest) | (rest, ALWAYS) => {
                        let rest = self.condition(rest);
                        self.ins().bor(holds, rest)
                    }
                    (NEVER, rest) | (rest, NEVER) => {
                        let rest = self.condition(rest);
                        self.ins().band(holds, rest)
                    }
                    _ => {
                        let (yes, no) = (self.condition(yes), self.condition(no));
                        self.ins().select(holds, yes, no)
                    }
                }
            }
        };
        self.materialised.insert(predicate, result);
        result
    }

    /// Returns whether a comparison holds, as a byte.
    fn test(&mut self, Test { cc, a, b }: Test) -> V {
        match b {
            Operand::Value(b) => self.ins().icmp(cc, a, b),
            Operand::Number(b) => self.ins().icmp_imm_s(cc, a, b),
        }
    }

    // ---- memory

    /// Whether an access may be executed on paths that are not taken.
    fn is_speculatable(&self, bytes: &Access) -> bool {
        self.accessed.contains(bytes) || bytes.is_speculatable(self.addresses, &|v| self.upper_bound(v))
    }

    /// Whether two accesses certainly do not overlap.
    fn is_disjoint(&self, a: &Access, b: &Access) -> bool {
        a.is_disjoint(b, self.addresses, &|v| self.upper_bound(v))
    }

    /// Converts a load: yields the value stored on this path, or else the contents of memory.
    fn convert_load(&mut self, load: Op, predicate: Predicate) -> Option<V> {
        let load = self.with_new_operands(load);
        let from = Access::of(self.func, &load)?;
        let written = self
            .writes
            .iter()
            .find(|write| write.to == from && !self.conditions.never(write.predicate.and(predicate)));
        let Some((since, v)) = written.map(|write| (write.predicate, write.value)) else {
            return self.load(load, &from);
        };
        let v = self.loaded_value(&load, v, None)?;
        if self.conditions.within(predicate, since) {
            return Some(v);
        }
        let contents = self.load(load, &from)?;
        Some(self.choose(since.and(predicate), v, predicate.and(since.not()), contents))
    }

    /// Loads from memory; `None` if other delayed stores may overlap or the access may not be executed
    /// speculatively.
    fn load(&mut self, load: Op, from: &Access) -> Option<V> {
        if let Some(KnownContents { value, read, .. }) =
            self.known_contents.iter().find(|contents| contents.bytes == *from).cloned()
            && let Some(v) = self.loaded_value(&load, value, read)
        {
            return Some(v);
        }
        let apart = |write: &DelayedStore| write.to == *from || self.is_disjoint(&write.to, from);
        if !self.is_speculatable(from) || !self.writes.iter().all(apart) {
            return None;
        }
        let Op::Load { signed, .. } = load else { return None };
        let value = self.func.push_value(self.at, load);
        self.known_contents.push(KnownContents { bytes: from.clone(), value, read: Some(signed) });
        Some(value)
    }

    /// Returns what a load yields where `v` was stored, or was loaded from the same bytes (`read`).
    fn loaded_value(&mut self, load: &Op, v: V, read: Option<bool>) -> Option<V> {
        let Op::Load { ty, memory, signed, .. } = *load else { return None };
        if self.func.ty(v) != ty {
            return None;
        }
        match read {
            Some(as_signed) => (as_signed == signed).then_some(v),
            None if memory == ty => Some(v),
            None => {
                let most = u64::MAX >> (64 - memory.bits() + u32::from(signed));
                if self.upper_bound(v).is_some_and(|v| v <= most) {
                    return Some(v);
                }
                let low = self.ins().ireduce(memory, v);
                Some(match signed {
                    true => self.ins().sextend(ty, low),
                    false => self.ins().uextend(ty, low),
                })
            }
        }
    }

    fn convert_store(&mut self, store: Op, predicate: Predicate) -> Option<()> {
        let store = self.with_new_operands(store);
        let to = Access::of(self.func, &store)?;
        let Op::Store { memory, value, at: address, offset } = store else { return None };
        if let Some(place) = self.writes.iter().position(|write| write.to == to) {
            let (since, before) = (self.writes[place].predicate, self.writes[place].value);
            let value = self.choose(predicate, value, since.and(predicate.not()), before);
            let write = &mut self.writes[place];
            (write.value, write.predicate) = (value, since.or(predicate));
            return Some(());
        }
        if !self.is_speculatable(&to) || !self.writes.iter().all(|write| self.is_disjoint(&write.to, &to)) {
            return None;
        }
        self.writes.push(DelayedStore { to, memory, address, offset, value, predicate });
        Some(())
    }

    /// Whether under a predicate `value` equals `contents`, because it is `contents` plus something that
    /// is 0 then.
    fn equals_contents(&self, value: V, contents: V, predicate: Predicate) -> bool {
        let Some(Op::Binary(BinaryOp::Iadd, a, b)) = self.func.def_op(value) else { return false };
        let added = if *a == contents { b } else { a };
        let zero = self.zero.get(added).filter(|_| [a, b].contains(&&contents));
        zero.is_some_and(|zero| self.conditions.within(predicate, *zero))
    }

    /// Emits the delayed stores at the end of the hyperblock; what was not stored on the path taken keeps its
    /// contents.
    fn emit_stores(&mut self) {
        for DelayedStore { to, memory, address: at, offset, value, predicate } in
            std::mem::take(&mut self.writes)
        {
            let ty = self.func.ty(value);
            let mut value = value;
            if !self.conditions.within(ALWAYS, predicate) {
                // Only the bytes to be stored matter, not how they are extended.
                let contents = match self
                    .known_contents
                    .iter()
                    .find(|contents| contents.bytes == to)
                    .map(|contents| contents.value)
                {
                    Some(contents) if self.func.ty(contents) == ty => contents,
                    _ => self.func.push_value(self.at, Op::Load { ty, memory, signed: false, at, offset }),
                };
                if !self.equals_contents(value, contents, predicate.not()) {
                    value = self.choose(predicate, value, predicate.not(), contents);
                }
            }
            self.func.push(self.at, Op::Store { memory, value, at, offset });
        }
    }
}
