//! A hyperblock: code without branches, made from ways that part and meet again (see [`crate::jit::if_conversion`]): values selected
//! by the conditions, writes put off to the end, and a way out to the branches that were.

use std::collections::{BTreeMap, BTreeSet};

use crate::jit::if_conversion::aliases::{Addresses, Bytes, Sum, most};
use crate::jit::if_conversion::predicates::{ALWAYS, Cases, NEVER, Predicates, Test, When, With, joined};
use crate::jit::mir::flow::Flow;
use crate::jit::mir::ins::Ins;
use crate::jit::mir::{BinaryOp, Block, Function, Inst, IntCC, Op, Target, Type, Value as V, types};

/// How many blocks before its beginning are looked at for what is known there.
const BACK: usize = 8;

/// A way into a block: when it is gone, and with which arguments.
type Way = (When, Vec<Cases<V>>);

/// What is to be written at the end of the hyperblock.
struct Write {
    to: Bytes,
    memory: Type,
    address: V,
    offset: i32,
    value: V,
    when: When,
}

/// What is in memory until the end of the hyperblock.
#[derive(Clone)]
struct There {
    bytes: Bytes,
    /// The value that was written, or read.
    value: V,
    /// Where it was read and extended, whether with its sign; `None` where it was written.
    read: Option<bool>,
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
    known: Vec<(Op, V)>,
    /// The values that are not 0.
    some: BTreeSet<V>,
    /// The conditions that the hyperblock goes on without, and whether it would be left where they hold.
    asked: BTreeSet<(V, bool)>,
    /// What was accessed before the branch.
    accessed: Vec<Bytes>,
    there: Vec<There>,
    addresses: &'f Addresses,
    writes: Vec<Write>,
}

impl Hyperblock<'_> {
    /// A hyperblock that begins at a branch or a jump.
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

    /// Puts blocks into it, each behind those that lead to it, up to where all ways meet; `None` where something in
    /// them cannot be done in a hyperblock.
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

    /// What is known at the branch from what surely was done before it.
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

    /// A selection by what follows from the conditions, of something or nothing: nothing too on ways that do not ask.
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

    /// An instruction without effects, in the hyperblock.
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

    /// A jump, gone when it is so.
    fn go(&mut self, to: &Target, when: When) {
        if self.predicates.never(when) {
            return;
        }
        let args = to.args.iter().map(|v| self.cases(*v, when)).collect();
        self.ways.entry(to.block).or_default().push((when, args));
    }

    /// A branch. What is cold is gone by the branches that are kept.
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

    /// The greatest that a value can be, as a number without sign.
    fn most(&self, v: V) -> Option<u64> {
        most(self.func, v, &|v| self.some.contains(&v))
    }

    /// Leaves the hyperblock if a condition is as said.
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

    /// A block's arguments by the ways that lead to it.
    fn arguments(&mut self, block: Block) -> Option<Vec<Cases<V>>> {
        let ways = self.ways.remove(&block)?;
        let count = self.func.params(block).len();
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

    /// Whether it is so: a byte.
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

    /// Whether a comparison holds: a byte.
    fn test(&mut self, Test { cc, a, b }: Test) -> V {
        match b {
            With::Value(b) => self.ins().icmp(cc, a, b),
            With::Number(b) => self.ins().icmp_imm_s(cc, a, b),
        }
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

    /// What a load gives of what is in memory, which other writes do not touch and a way not gone may look at.
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

    /// What a load would give where a store put a value, or another load (`read`) of the same bytes found it.
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

    /// Whether a value is the one that is there when it is so: nothing is added then.
    fn as_there(&self, value: V, there: V, when: When) -> bool {
        let Some(Op::Binary(BinaryOp::Iadd, a, b)) = self.func.made_by(value) else { return false };
        let added = if *a == there { b } else { a };
        let zero = self.zero.get(added).filter(|_| [a, b].contains(&&there));
        zero.is_some_and(|zero| self.predicates.within(when, *zero))
    }

    /// The end of the hyperblock: what no way wrote keeps its value.
    fn write_all(&mut self) {
        for Write { to, memory, address: at, offset, value, when } in std::mem::take(&mut self.writes) {
            let ty = self.func.ty(value);
            let mut value = value;
            if !self.predicates.within(ALWAYS, when) {
                // The bytes that are written are all that counts.
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
