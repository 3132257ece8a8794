//! Rewrites of effects: assignments, their conditions, and names for their values.

use std::collections::BTreeSet;

use parlour::ast::*;

use super::Part;
use super::facts::Facts;
use super::moves::is_worked_out;
use super::print;
use super::walk::{self, block, both, call, let_be, not, number, statement, value, word};
use super::walk::{change_each, change_lists, change_pairs};

/// The kinds of rewrites that change effects.
pub const KINDS: &[Part] = &[
    Part {
        name: "value-named",
        before: "play {
  row[1] := row[2] + 1
}",
        after: "play {
  let value_1 = row[2] + 1
  row[1] := value_1
}",
        in_order: true,
        change: |file, facts| change_lists(file, &mut |stmt, out| value_named(stmt, out, facts)),
    },
    Part {
        name: "state-named",
        before: "table {
  pot: int = 0
}
play {
  pot := pot + row[2]
}",
        after: "table {
  pot: int = 0
}
play {
  let now_1 = pot
  pot := now_1 + row[2]
}",
        in_order: true,
        change: |file, facts| change_lists(file, &mut |stmt, out| state_named(stmt, out, facts)),
    },
    Part {
        name: "effects-swapped",
        before: "play {
  pot := 0
  last := 1
}",
        after: "play {
  last := 1
  pot := 0
}",
        in_order: true,
        change: |file, facts| {
            change_pairs(file, &mut |a, b| independent(a, b, facts).then(|| vec![b.clone(), a.clone()]))
        },
    },
    Part {
        name: "assigned-at-once",
        before: "play {
  pot := 0
  last := 1
}",
        after: "play {
  (pot, last) := (0, 1)
}",
        in_order: true,
        change: |file, facts| change_pairs(file, &mut |a, b| at_once(a, b, facts)),
    },
    Part {
        name: "assignment-spelled",
        before: "table {
  pot: int = 0
}
play {
  pot -= 3
}",
        after: "table {
  pot: int = 0
}
play {
  pot := pot - 3
}",
        in_order: true,
        change: |file, facts| change_each(file, &mut |stmt| assignment_spelled(stmt, facts)),
    },
    Part {
        name: "branches-turned",
        before: "play {
  if pot > 3 {
    pot := 0
  } else {
    pot := 1
  }
}",
        after: "play {
  if not pot > 3 {
    pot := 1
  } else {
    pot := 0
  }
}",
        in_order: true,
        change: |file, _| change_each(file, &mut branches_turned),
    },
    Part {
        name: "branches-nested",
        before: "play {
  if pot > 3 and last = 2 {
    pot := 0
  }
}",
        after: "play {
  if pot > 3 {
    if last = 2 {
      pot := 0
    }
  }
}",
        in_order: true,
        change: |file, _| change_each(file, &mut branches_nested),
    },
    Part {
        name: "branches-joined",
        before: "play {
  if pot > 3 {
    if last = 2 {
      pot := 0
    }
  }
}",
        after: "play {
  if pot > 3 and last = 2 {
    pot := 0
  }
}",
        in_order: true,
        change: |file, _| change_each(file, &mut branches_joined),
    },
    Part {
        name: "else-if-nested",
        before: "play {
  if pot > 3 {
    pot := 0
  } else if pot > 2 {
    pot := if last = 1 then 1 else if last = 2 then 2 else 3
  }
}",
        after: "play {
  if pot > 3 {
    pot := 0
  } else {
    if pot > 2 {
      pot := if last = 1 then 1 else (if last = 2 then 2 else 3)
    }
  }
}",
        in_order: true,
        change: else_if_nested,
    },
    Part {
        name: "value-as-branch",
        before: "play {
  pot := if last = 2 then 0 else 1
}",
        after: "play {
  if last = 2 {
    pot := 0
  } else {
    pot := 1
  }
}",
        in_order: true,
        change: |file, _| change_each(file, &mut value_as_branch),
    },
    Part {
        name: "branch-as-value",
        before: "table {
  pot: int = 0
}
play {
  if last = 2 {
    pot += 3
  }
}",
        after: "table {
  pot: int = 0
}
play {
  pot += if last = 2 then 3 else 0
}",
        in_order: true,
        change: |file, facts| change_each(file, &mut |stmt| branch_as_value(stmt, facts)),
    },
];

// ---- names for values

fn value_named(mut stmt: Stmt, out: &mut Vec<Stmt>, facts: &Facts) -> bool {
    let found = match &mut stmt.kind {
        StmtKind::Assign(_, _, e) | StmtKind::Award(e, _, _) if is_worked_out(e) => Some(e),
        _ => None,
    };
    let places = found.is_some();
    if let Some(e) = found {
        let name = facts.fresh("value");
        out.push(let_be(&name, std::mem::replace(e, word(&name))));
    }
    out.push(stmt);
    places
}

/// Whether this reads one state variable, or a part of one, that is not a collection.
fn reads_one(e: &Expr, facts: &Facts) -> bool {
    use TypeKind as T;
    matches!(facts.type_of(e), Some(T::Name(_) | T::Range(..) | T::Bool | T::Symbols(_) | T::Optional(_)))
}

/// Replaces reads of state by names, where they are evaluated in any case, and collects their `let`s.
fn take_reads(e: &mut Expr, facts: &Facts, lets: &mut Vec<(String, String, Expr)>) {
    if reads_one(e, facts) {
        let text = print::expr(e);
        let name = match lets.iter().find(|(known, ..)| *known == text) {
            Some((_, name, _)) => name.clone(),
            None => {
                let name = facts.fresh("now");
                lets.push((text, name.clone(), e.clone()));
                name
            }
        };
        *e = word(name);
        return;
    }
    match &mut e.kind {
        ExprKind::Binary(op, a, b) => {
            take_reads(a, facts, lets);
            if !matches!(op, BinaryOp::And | BinaryOp::Or) {
                take_reads(b, facts, lets);
            }
        }
        ExprKind::Compare(a, links) if links.len() == 1 => {
            take_reads(a, facts, lets);
            take_reads(&mut links[0].1, facts, lets);
        }
        ExprKind::Not(a) | ExprKind::Negative(a) => take_reads(a, facts, lets),
        ExprKind::Call(name, all) if !walk::binds(Some(name), all) => {
            all.items.iter_mut().for_each(|e| take_reads(e, facts, lets));
        }
        _ => {}
    }
}

fn state_named(mut stmt: Stmt, out: &mut Vec<Stmt>, facts: &Facts) -> bool {
    let mut lets = Vec::new();
    match &mut stmt.kind {
        StmtKind::Assign(_, _, e) | StmtKind::Award(e, _, _) => take_reads(e, facts, &mut lets),
        StmtKind::If(arms, _) if !facts.narrows(&arms[0].0) => take_reads(&mut arms[0].0, facts, &mut lets),
        _ => {}
    }
    let places = !lets.is_empty();
    out.extend(lets.into_iter().map(|(_, name, e)| let_be(&name, e)));
    out.push(stmt);
    places
}

// ---- assignments

/// Returns the state variable that a place is part of.
fn state_of(place: &Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Field(_, field) => Some(&field.text),
        ExprKind::Index(base, _) => state_of(base),
        _ => None,
    }
}

/// Returns the state that an assignment reads, in its value and in the indices and the owner of its place.
fn reads(target: &Expr, value: &Expr, facts: &Facts) -> BTreeSet<String> {
    let mut out = facts.reads(value);
    let mut place = target;
    while let ExprKind::Index(base, at) = &place.kind {
        at.iter().for_each(|e| out.extend(facts.reads(e)));
        place = base;
    }
    if let ExprKind::Field(owner, _) = &place.kind {
        out.extend(facts.reads(owner));
    }
    out
}

/// Whether two assignments are independent of each other.
fn independent(a: &Stmt, b: &Stmt, facts: &Facts) -> bool {
    let (StmtKind::Assign(first, _, e), StmtKind::Assign(second, _, f)) = (&a.kind, &b.kind) else {
        return false;
    };
    let (Some(one), Some(other)) = (state_of(first), state_of(second)) else { return false };
    one != other && !reads(first, e, facts).contains(other) && !reads(second, f, facts).contains(one)
}

fn at_once(a: &Stmt, b: &Stmt, facts: &Facts) -> Option<Vec<Stmt>> {
    let (StmtKind::Assign(first, Assign::Set, e), StmtKind::Assign(second, Assign::Set, f)) =
        (&a.kind, &b.kind)
    else {
        return None;
    };
    // An assignment to several places is not joined with another.
    let tuples = matches!(first.kind, ExprKind::Tuple(_)) || matches!(second.kind, ExprKind::Tuple(_));
    if tuples || !independent(a, b, facts) {
        return None;
    }
    let both = |a: &Expr, b: &Expr| value(ExprKind::Tuple(vec![a.clone(), b.clone()]));
    Some(vec![statement(StmtKind::Assign(both(first, second), Assign::Set, both(e, f)))])
}

fn assignment_spelled(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Assign(target, op, e) = &mut stmt.kind else { return false };
    let counts = match facts.type_of(target) {
        Some(TypeKind::Range(..)) => true,
        Some(TypeKind::Name(name)) => name.text == "int",
        _ => false,
    };
    let one = |kind: fn(Inside) -> ExprKind, e: &mut Expr| {
        value(kind(Inside { items: vec![walk::take(e)], ..Inside::default() }))
    };
    let (new, put) = match (&op, facts.type_of(target)) {
        (Assign::Add, _) if counts => (Assign::Set, both(BinaryOp::Add, target.clone(), walk::take(e))),
        (Assign::Take, _) if counts => (Assign::Set, both(BinaryOp::Sub, target.clone(), walk::take(e))),
        (Assign::Add, Some(TypeKind::List(..))) => (Assign::Join, one(ExprKind::List, e)),
        (Assign::Add, Some(TypeKind::Set(_))) => (Assign::Join, one(ExprKind::Set, e)),
        (Assign::Add, Some(TypeKind::Bag(_))) => (Assign::Join, call("bag", vec![one(ExprKind::List, e)])),
        (Assign::Take, Some(TypeKind::Set(_))) => {
            (Assign::Set, call("without", vec![target.clone(), one(ExprKind::Set, e)]))
        }
        (Assign::Join, Some(TypeKind::List(..))) => {
            (Assign::Set, both(BinaryOp::Join, target.clone(), walk::take(e)))
        }
        _ => return false,
    };
    (*op, *e) = (new, put);
    true
}

// ---- branches

fn branches_turned(stmt: &mut Stmt) -> bool {
    let StmtKind::If(arms, otherwise) = &mut stmt.kind else { return false };
    let [(cond, body)] = arms.as_mut_slice() else { return false };
    *cond = not(walk::take(cond));
    let instead = otherwise.take().unwrap_or_else(|| block(Vec::new()));
    *otherwise = Some(std::mem::replace(body, instead));
    true
}

fn branches_nested(stmt: &mut Stmt) -> bool {
    let StmtKind::If(arms, None) = &mut stmt.kind else { return false };
    let [(cond, body)] = arms.as_mut_slice() else { return false };
    let ExprKind::Binary(BinaryOp::And, a, b) = &mut cond.kind else { return false };
    let (a, b) = (walk::take(a), walk::take(b));
    let inner = statement(StmtKind::If(vec![(b, block(std::mem::take(&mut body.stmts)))], None));
    body.stmts = vec![inner];
    *cond = a;
    true
}

fn branches_joined(stmt: &mut Stmt) -> bool {
    let StmtKind::If(arms, None) = &mut stmt.kind else { return false };
    let [(cond, body)] = arms.as_mut_slice() else { return false };
    let [Stmt { kind: StmtKind::If(inner, None), .. }] = body.stmts.as_mut_slice() else { return false };
    let [(second, stmts)] = inner.as_mut_slice() else { return false };
    *cond = both(BinaryOp::And, walk::take(cond), walk::take(second));
    body.stmts = std::mem::take(&mut stmts.stmts);
    true
}

fn else_if_nested(file: &mut File, _: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        if let ExprKind::If(arms, otherwise) = &mut e.kind {
            while arms.len() > 1 {
                let last = arms.pop().expect("just counted");
                **otherwise = value(ExprKind::If(vec![last], Box::new(walk::take(otherwise))));
                places += 1;
            }
        }
    });
    places += change_each(file, &mut |stmt| {
        let StmtKind::If(arms, otherwise) = &mut stmt.kind else { return false };
        let many = arms.len() > 1;
        while arms.len() > 1 {
            let last = arms.pop().expect("just counted");
            *otherwise = Some(block(vec![statement(StmtKind::If(vec![last], otherwise.take()))]));
        }
        many
    });
    places
}

fn value_as_branch(stmt: &mut Stmt) -> bool {
    let StmtKind::Assign(target, op, e) = &mut stmt.kind else { return false };
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let put = |e: &mut Expr| block(vec![statement(StmtKind::Assign(target.clone(), *op, walk::take(e)))]);
    let new = arms.iter_mut().map(|(cond, e)| (walk::take(cond), put(e))).collect();
    let last = put(otherwise);
    stmt.kind = StmtKind::If(new, Some(last));
    true
}

fn branch_as_value(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::If(arms, None) = &mut stmt.kind else { return false };
    let [(cond, body)] = arms.as_mut_slice() else { return false };
    let [Stmt { kind: StmtKind::Assign(target, op, e), .. }] = body.stmts.as_mut_slice() else {
        return false;
    };
    let counts = match facts.type_of(target) {
        Some(TypeKind::Range(..)) => true,
        Some(TypeKind::Name(name)) => name.text == "int",
        _ => false,
    };
    let otherwise = match op {
        Assign::Set => target.clone(),
        Assign::Add | Assign::Take if counts => number(0),
        _ => return false,
    };
    if facts.type_of(target).is_none() || !facts.safe(target) {
        return false;
    }
    let chosen = value(ExprKind::If(vec![(walk::take(cond), walk::take(e))], Box::new(otherwise)));
    stmt.kind = StmtKind::Assign(target.clone(), *op, chosen);
    true
}
