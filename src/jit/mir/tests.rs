//! Tests that variables become the right values and that the verifier finds defects.

use super::builder::FunctionBuilder;
use super::text::write;
use super::verify::verify;
use super::{Function, IntCC, types};

fn shows(func: &Function, text: &str) {
    assert_eq!(verify(func), Ok(()), "{}", write(func));
    let lines = |text: &str| text.lines().map(|line| line.trim().to_string()).collect::<Vec<_>>();
    assert_eq!(lines(write(func).trim()), lines(text.trim()), "{}", write(func));
}

/// A loop changes one variable and leaves another alone: only the first becomes a parameter.
#[test]
fn what_a_loop_changes_is_a_parameter_and_nothing_else() {
    let (mut b, given) = FunctionBuilder::new();
    let [count, kept] = [(); 2].map(|()| b.declare_var(types::I64));
    b.def_var(count, given);
    b.def_var(kept, given);
    let [head, body, done] = [(); 3].map(|()| b.create_block());
    b.jump(head, &[]);
    b.switch_to_block(head);
    let now = b.use_var(count);
    b.brif(now, (body, &[]), (done, &[]));
    b.seal_block(body);
    b.switch_to_block(body);
    // Used while the header may still get predecessors, so it is resolved later.
    b.use_var(kept);
    let now = b.use_var(count);
    let less = b.ins().iadd_imm_s(now, -1);
    b.def_var(count, less);
    b.jump(head, &[]);
    b.seal_block(head);
    b.seal_block(done);
    b.switch_to_block(done);
    let (count, kept) = (b.use_var(count), b.use_var(kept));
    let sum = b.ins().iadd(count, kept);
    b.return_(sum);
    shows(
        &b.finish(),
        "block0(v0: i64):
            jump block1(v0)
        block1(v1: i64):
            branch v1, block2, block3
        block2:
            v2 = i64 -1
            v3 = iadd v1, v2
            jump block1(v3)
        block3:
            v4 = iadd v1, v0
            return v4",
    );
}

/// A join adds a parameter only where different values meet. Unreachable blocks are dropped, and a variable
/// that was never defined is 0.
#[test]
fn where_ways_meet_values_that_differ_are_parameters() {
    let (mut b, given) = FunctionBuilder::new();
    let [one, two, never] = [(); 3].map(|()| b.declare_var(types::I64));
    b.def_var(one, given);
    b.def_var(two, given);
    let [yes, no, meet, dead] = [(); 4].map(|()| b.create_block());
    b.set_cold_block(no);
    b.brif(given, (yes, &[]), (no, &[]));
    for (block, word) in [(yes, 1), (no, 2)] {
        b.seal_block(block);
        b.switch_to_block(block);
        let n = b.ins().iconst(types::I64, word);
        b.def_var(one, n);
        b.jump(meet, &[]);
    }
    b.seal_block(dead);
    b.switch_to_block(dead);
    let nothing = b.use_var(one);
    b.return_(nothing);
    b.seal_block(meet);
    b.switch_to_block(meet);
    let (one, two, never) = (b.use_var(one), b.use_var(two), b.use_var(never));
    let sum = b.ins().iadd(one, two);
    let sum = b.ins().iadd(sum, never);
    b.return_(sum);
    shows(
        &b.finish(),
        "block0(v0: i64):
            v1 = i64 0
            branch v0, block1, block2
        block1:
            v2 = i64 1
            jump block3(v2)
        block2 cold:
            v3 = i64 2
            jump block3(v3)
        block3(v4: i64):
            v5 = iadd v4, v0
            v6 = iadd v5, v1
            return v6",
    );
}

/// A value that nested loops pass around unchanged becomes a parameter of neither.
#[test]
fn loops_within_loops_hand_nothing_round() {
    let (mut b, given) = FunctionBuilder::new();
    let var = b.declare_var(types::I64);
    b.def_var(var, given);
    let [outer, inner, out] = [(); 3].map(|()| b.create_block());
    b.jump(outer, &[]);
    b.switch_to_block(outer);
    b.jump(inner, &[]);
    b.switch_to_block(inner);
    let now = b.use_var(var);
    let next = b.create_block();
    b.brif(now, (inner, &[]), (next, &[]));
    b.seal_block(inner);
    b.seal_block(next);
    b.switch_to_block(next);
    b.switch(now, &[(3, out)], outer);
    b.seal_block(outer);
    b.seal_block(out);
    b.switch_to_block(out);
    let v = b.use_var(var);
    b.return_(v);
    let func = b.finish();
    assert_eq!(verify(&func), Ok(()));
    assert!(func.blocks()[1..].iter().all(|block| func.params(*block).is_empty()), "{}", write(&func));
}

/// Each function has one defect, which the verifier reports.
#[test]
fn the_verifier_finds_what_is_wrong() {
    let wrong = |make: &dyn Fn(&mut FunctionBuilder, super::Value), what: &str| {
        let (mut b, given) = FunctionBuilder::new();
        make(&mut b, given);
        let found = verify(&b.func).unwrap_err();
        assert!(found.contains(what), "{found}");
    };
    wrong(&|_, _| {}, "is empty");
    wrong(
        &|b, v| {
            b.ins().iadd_imm_s(v, 1);
        },
        "a block ends where it says where code goes on",
    );
    wrong(
        &|b, v| {
            b.return_(v);
            b.return_(v);
        },
        "a block ends where it says where code goes on",
    );
    wrong(
        &|b, v| {
            let byte = b.ins().icmp_imm_s(IntCC::Equal, v, 1);
            b.return_(byte);
        },
        "the types do not fit",
    );
    wrong(
        &|b, v| {
            let byte = b.ins().icmp_imm_s(IntCC::Equal, v, 1);
            let sum = b.ins().iadd(v, byte);
            b.return_(sum);
        },
        "the types do not fit",
    );
    // A block gets one argument more than it has parameters.
    wrong(
        &|b, v| {
            let next = b.create_block();
            b.jump(next, &[v]);
            b.switch_to_block(next);
            b.return_(v);
        },
        "the arguments do not fit",
    );
    // A value from one branch is used after the join.
    wrong(
        &|b, v| {
            let [yes, meet] = [(); 2].map(|()| b.create_block());
            b.brif(v, (yes, &[]), (meet, &[]));
            b.switch_to_block(yes);
            let one = b.ins().iconst(types::I64, 1);
            b.jump(meet, &[]);
            b.switch_to_block(meet);
            b.return_(one);
        },
        "is used before it is made",
    );
}
