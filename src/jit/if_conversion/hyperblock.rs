//! Makes one hyperblock (see [`crate::jit::if_conversion`]): straight-line code from a region of branches and
//! joins, with values selected by predicates, stores delayed to the end, and an exit to the original branch.

use std::collections::{BTreeMap, BTreeSet};

use crate::jit::if_conversion::aliases::{Addresses, Bytes, Sum, most};
use crate::jit::if_conversion::predicates::{ALWAYS, Cases, NEVER, Predicates, Test, When, With, joined};
use crate::jit::mir::flow::Flow;
use crate::jit::mir::ins::Ins;
use crate::jit::mir::{BinaryOp, Block, Function, Inst, IntCC, Op, Target, Type, Value as V, types};

/// How many blocks before the start are searched for known facts.
const BACK: usize = 8;

/// A path into a block: its predicate, and the block arguments.
type Way = (When, Vec<Cases<V>>);

/// A store delayed to the end of the hyperblock.
struct Write {
    to: Bytes,
    memory: Type,
    address: V,
    offset: i32,
    value: V,
    when: When,
}

/// Known contents of memory until the end of the hyperblock.
#[derive(Clone)]
struct There {
    bytes: Bytes,
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
    predicates: Predicates,
    /// The values of predicates computed so far.
    materialised: BTreeMap<When, V>,
    /// Predicates under which values are certainly 0.
    zero: BTreeMap<V, When>,
    /// The paths into blocks that are still to come.
    ways: BTreeMap<Block, Vec<Way>>,
    /// Pure instructions computed so far, with their results.
    known: Vec<(Op, V)>,
    /// The values known not to be 0.
    some: BTreeSet<V>,
    /// Conditions already checked by [`Self::leave_if`], with the truth value for which the hyperblock is
    /// left.
    asked: BTreeSet<(V, bool)>,
    /// The bytes accessed before the branch.
    accessed: Vec<Bytes>,
    there: Vec<There>,
    addresses: &'f Addresses,
    writes: Vec<Write>,
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
            predicates: Predicates::new(),
            materialised: BTreeMap::new(),
            zero: BTreeMap::new(),
            ways: BTreeMap::new(),
            known: Vec::new(),
            some: BTreeSet::new(),
            asked: BTreeSet::new(),
            accessed: Vec::new(),
            there: Vec::new(),
            addresses,
            writes: Vec::new(),
        }
    }

    /// Adds the blocks of a region, in topological order, up to the join `meet`; `None` if something in them
    /// cannot be done in a hyperblock.
    pub fn make(&mut self, blocks: &[Block], meet: Block, flow: &Flow) -> Option<()> {
        self.look_back(flow);
        let cold = self.func.new_block();
        self.func.append_block(cold);
        self.func.set_cold(cold);
        self.func.move_last(self.at, cold);
        match self.func.op(self.start).clone() {
            Op::Jump(to) => self.go(&to, ALWAYS),
            branch => self.part(&branch, ALWAYS, cold)?,
        }
        for block in blocks {
            self.block(*block, cold)?;
        }
        let args: Vec<V> = self.arguments(meet)?.iter().map(|cases| self.one_of(cases)).collect();
        self.write_all();
        self.func.push(self.at, Op::Jump(Target { block: meet, args }));
        Some(())
    }

    fn ins(&mut self) -> Ins<'_> {
        Ins { func: self.func, at: self.at }
    }

    /// Collects facts from the instructions that certainly ran before the start.
    fn look_back(&mut self, flow: &Flow) {
        let mut block = self.at;
        let mut written: Vec<Bytes> = Vec::new();
        for _ in 0..BACK {
            for inst in self.func.insts(block).iter().rev() {
                let op = self.func.op(*inst);
                let result = self.func.results(*inst).next();
                if let Some(made) = result.filter(|_| op.is_pure()) {
                    self.known.push((op.clone(), made));
                } else if let Some(bytes) = Bytes::of(self.func, op) {
                    let still = written.iter().all(|later| self.apart(later, &bytes));
                    let (value, read) = match (op, result) {
                        (Op::Load { signed, .. }, Some(made)) => (made, Some(*signed)),
                        (Op::Store { value, .. }, _) => {
                            written.push(bytes.clone());
                            (*value, None)
                        }
                        _ => continue,
                    };
                    if still {
                        self.there.push(There { bytes: bytes.clone(), value, read });
                    }
                    self.accessed.push(bytes);
                } else if let Op::Call(..) = op {
                    return;
                }
            }
            let [only] = flow.before(block) else { return };
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
    fn cases(&self, v: V, when: When) -> Cases<V> {
        let Some(cases) = self.values.get(&v) else { return vec![(when, v)] };
        let cases = cases.iter().map(|(case, v)| (case.and(when), *v));
        cases.filter(|(case, _)| !self.predicates.never(*case)).collect()
    }

    /// Sets the value in the hyperblock that stands for an original value.
    fn is(&mut self, v: V, value: V) {
        self.values.insert(v, vec![(ALWAYS, value)]);
    }

    // ---- paths

    fn block(&mut self, block: Block, cold: Block) -> Option<()> {
        let Some(ways) = self.ways.get(&block) else { return Some(()) };
        let when = ways.iter().fold(NEVER, |all, (when, _)| all.or(*when));
        let args = self.arguments(block)?;
        let params = self.func.params(block).to_vec();
        self.values.extend(params.into_iter().zip(args));
        for inst in self.func.insts(block).to_vec() {
            let op = self.func.op(inst).clone();
            match &op {
                Op::Jump(to) => {
                    self.go(to, when);
                    continue;
                }
                Op::Branch(..) => {
                    self.part(&op, when, cold)?;
                    continue;
                }
                Op::Store { .. } => {
                    self.write(op, when)?;
                    continue;
                }
                _ => {}
            }
            let made = self.func.results(inst).next()?;
            let value = match self.selected(&op, when) {
                Some(selected) => selected,
                None if op.is_pure() => self.again(op),
                None => self.read(op, when)?,
            };
            self.is(made, value);
        }
        Some(())
    }

    /// Converts a select that depends only on conditions. A select between a value and 0 is made 0 on paths
    /// not taken, too.
    fn selected(&mut self, op: &Op, when: When) -> Option<V> {
        let Op::Select(cond, a, b) = op else { return None };
        let [cond, a, b] = [*cond, *a, *b].map(|v| self.value(v));
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

    /// Copies a pure instruction into the hyperblock, reusing an equal earlier one.
    fn again(&mut self, op: Op) -> V {
        let op = self.copied(op);
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == op) {
            return *known;
        }
        let made = self.func.push_value(self.at, op.clone());
        self.known.push((op, made));
        made
    }

    fn copied(&mut self, mut op: Op) -> Op {
        op.map_values(|v| self.value(v));
        op
    }

    /// Records a jump that is taken under a predicate.
    fn go(&mut self, to: &Target, when: When) {
        if self.predicates.never(when) {
            return;
        }
        let args = to.args.iter().map(|v| self.cases(*v, when)).collect();
        self.ways.entry(to.block).or_default().push((when, args));
    }

    /// Converts a branch. Towards a cold block, the hyperblock is left for the original branches.
    fn part(&mut self, branch: &Op, when: When, cold: Block) -> Option<()> {
        let Op::Branch(cond, yes, no) = branch else { return None };
        let cond = self.value(*cond);
        let seldom = [yes, no].map(|to| self.func.is_cold(to.block));
        let holds = self.predicates.when(self.func, cond, seldom == [false; 2]);
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

    /// Returns an upper bound on a value as an unsigned number.
    fn most(&self, v: V) -> Option<u64> {
        most(self.func, v, &|v| self.some.contains(&v))
    }

    /// Leaves the hyperblock for `cold` if a condition has the truth value `holds`.
    fn leave_if(&mut self, cond: V, holds: bool, cold: Block) {
        if !self.asked.insert((cond, holds)) {
            return;
        }
        let on = self.func.new_block();
        self.func.insert_block_after(on, self.at);
        let [yes, no] = if holds { [cold, on] } else { [on, cold] };
        let [yes, no] = [yes, no].map(|block| Target { block, args: Vec::new() });
        self.func.push(self.at, Op::Branch(cond, yes, no));
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

    /// Returns the arguments of a block's parameters, by the paths that lead to it.
    fn arguments(&mut self, block: Block) -> Option<Vec<Cases<V>>> {
        let ways = self.ways.remove(&block)?;
        let count = self.func.params(block).len();
        Some((0..count).map(|i| joined(ways.iter().flat_map(|(_, args)| args[i].iter().copied()))).collect())
    }

    // ---- selects

    /// Selects the value of the case whose predicate holds.
    fn one_of(&mut self, cases: &Cases<V>) -> V {
        let (mut covered, mut value) = cases[0];
        for (when, v) in &cases[1..] {
            value = self.choose(*when, *v, covered, value);
            covered = covered.or(*when);
        }
        value
    }

    /// Selects `a` under `when` and `b` under `otherwise`; in all other cases either will do.
    fn choose(&mut self, when: When, a: V, otherwise: When, b: V) -> V {
        if a == b {
            return a;
        }
        // If the values differ by one, add the condition to the smaller one.
        let more = |a: V, b: V| Sum::of(self.func, a).beyond(&Sum::of(self.func, b)) == Some(1);
        let counted = match self.func.ty(a) == types::I64 {
            true if more(a, b) => Some((when, b)),
            true if more(b, a) => Some((otherwise, a)),
            _ => None,
        };
        if let Some((when, from)) = counted {
            let cond = self.condition(when);
            let one = self.ins().uextend(types::I64, cond);
            return self.ins().iadd(from, one);
        }
        let (cond, [a, b]) = match self.predicates.test(when, otherwise) {
            Some((test, true)) => (self.test(test), [a, b]),
            Some((test, false)) => (self.test(test), [b, a]),
            None => (self.condition(when), [a, b]),
        };
        self.ins().select(cond, a, b)
    }

    /// Returns whether a predicate holds, as a byte.
    fn condition(&mut self, when: When) -> V {
        if let Some(known) = self.materialised.get(&when) {
            return *known;
        }
        let made = match (self.predicates.test(when, when.not()), self.predicates.parting(when)) {
            (Some((test, holds)), _) => self.test(if holds { test } else { test.not() }),
            (None, None) => self.ins().iconst(types::I8, i64::from(when == ALWAYS)),
            (None, Some((number, test))) => {
                let (yes, no) = when.split(number);
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
        self.materialised.insert(when, made);
        made
    }

    /// Returns whether a comparison holds, as a byte.
    fn test(&mut self, Test { cc, a, b }: Test) -> V {
        match b {
            With::Value(b) => self.ins().icmp(cc, a, b),
            With::Number(b) => self.ins().icmp_imm_s(cc, a, b),
        }
    }

    // ---- memory

    /// Whether an access may be executed on paths that are not taken.
    fn sound(&self, bytes: &Bytes) -> bool {
        self.accessed.contains(bytes) || bytes.sound(self.addresses, &|v| self.most(v))
    }

    /// Whether two accesses certainly do not overlap.
    fn apart(&self, a: &Bytes, b: &Bytes) -> bool {
        a.apart(b, self.addresses, &|v| self.most(v))
    }

    /// Converts a load: yields the value stored on this path, or else the contents of memory.
    fn read(&mut self, load: Op, when: When) -> Option<V> {
        let load = self.copied(load);
        let from = Bytes::of(self.func, &load)?;
        let written =
            self.writes.iter().find(|write| write.to == from && !self.predicates.never(write.when.and(when)));
        let Some((since, v)) = written.map(|write| (write.when, write.value)) else {
            return self.load(load, &from);
        };
        let v = self.as_read(&load, v, None)?;
        if self.predicates.within(when, since) {
            return Some(v);
        }
        let there = self.load(load, &from)?;
        Some(self.choose(since.and(when), v, when.and(since.not()), there))
    }

    /// Loads from memory; `None` if other delayed stores may overlap or the access may not be executed
    /// speculatively.
    fn load(&mut self, load: Op, from: &Bytes) -> Option<V> {
        if let Some(There { value, read, .. }) = self.there.iter().find(|there| there.bytes == *from).cloned()
            && let Some(v) = self.as_read(&load, value, read)
        {
            return Some(v);
        }
        let apart = |write: &Write| write.to == *from || self.apart(&write.to, from);
        if !self.sound(from) || !self.writes.iter().all(apart) {
            return None;
        }
        let Op::Load { signed, .. } = load else { return None };
        let value = self.func.push_value(self.at, load);
        self.there.push(There { bytes: from.clone(), value, read: Some(signed) });
        Some(value)
    }

    /// Returns what a load yields where `v` was stored, or was loaded from the same bytes (`read`).
    fn as_read(&mut self, load: &Op, v: V, read: Option<bool>) -> Option<V> {
        let Op::Load { ty, memory, signed, .. } = *load else { return None };
        if self.func.ty(v) != ty {
            return None;
        }
        match read {
            Some(as_signed) => (as_signed == signed).then_some(v),
            None if memory == ty => Some(v),
            None => {
                let most = u64::MAX >> (64 - memory.bits() + u32::from(signed));
                if self.most(v).is_some_and(|v| v <= most) {
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

    fn write(&mut self, store: Op, when: When) -> Option<()> {
        let store = self.copied(store);
        let to = Bytes::of(self.func, &store)?;
        let Op::Store { memory, value, at: address, offset } = store else { return None };
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
        self.writes.push(Write { to, memory, address, offset, value, when });
        Some(())
    }

    /// Whether under a predicate `value` equals the contents `there`, because it is `there` plus something
    /// that is 0 then.
    fn as_there(&self, value: V, there: V, when: When) -> bool {
        let Some(Op::Binary(BinaryOp::Iadd, a, b)) = self.func.made_by(value) else { return false };
        let added = if *a == there { b } else { a };
        let zero = self.zero.get(added).filter(|_| [a, b].contains(&&there));
        zero.is_some_and(|zero| self.predicates.within(when, *zero))
    }

    /// Emits the delayed stores at the end of the hyperblock; what was not stored on the path taken keeps its
    /// contents.
    fn write_all(&mut self) {
        for Write { to, memory, address: at, offset, value, when } in std::mem::take(&mut self.writes) {
            let ty = self.func.ty(value);
            let mut value = value;
            if !self.predicates.within(ALWAYS, when) {
                // Only the bytes to be stored matter, not how they are extended.
                let there = match self.there.iter().find(|there| there.bytes == to).map(|there| there.value) {
                    Some(there) if self.func.ty(there) == ty => there,
                    _ => self.func.push_value(self.at, Op::Load { ty, memory, signed: false, at, offset }),
                };
                if !self.as_there(value, there, when.not()) {
                    value = self.choose(when, value, when.not(), there);
                }
            }
            self.func.push(self.at, Op::Store { memory, value, at, offset });
        }
    }
}
