//! Statements written otherwise: effects of moves, rules, and the course of play.

use std::collections::BTreeSet;

use parlour::ast::*;

use super::Part;
use super::facts::Facts;
use super::moves::is_worked_out;
use super::print;
use super::walk::{self, block, both, call, let_be, named, not, statement, value, word};

/// The kinds of rewrite that change statements.
pub const KINDS: &[Part] = &[
    Part {
        name: "value-named",
        before: "play {
  row[1] := row[2] + 1
}",
        after: "play {
  let value_901 = row[2] + 1
  row[1] := value_901
}",
        in_order: true,
        change: |file, facts| instead(file, &mut |stmt, out| value_named(stmt, out, facts)),
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
  let now_901 = pot
  pot := now_901 + row[2]
}",
        in_order: true,
        change: |file, facts| instead(file, &mut |stmt, out| state_named(stmt, out, facts)),
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
            pairs(file, &mut |a, b| independent(a, b, facts).then(|| vec![b.clone(), a.clone()]))
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
        change: |file, facts| pairs(file, &mut |a, b| at_once(a, b, facts)),
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
        change: |file, facts| each(file, &mut |stmt| assignment_spelled(stmt, facts)),
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
        change: |file, _| each(file, &mut branches_turned),
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
        change: |file, _| each(file, &mut branches_nested),
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
        change: |file, _| each(file, &mut branches_joined),
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
        change: |file, _| each(file, &mut value_as_branch),
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
        change: |file, facts| each(file, &mut |stmt| branch_as_value(stmt, facts)),
    },
    Part {
        name: "filter-as-branch",
        before: "play {
  each k in 1..9 where k > 3 {
    pot += k
  }
}",
        after: "play {
  each k in 1..9 {
    if k > 3 {
      pot += k
    }
  }
}",
        in_order: true,
        change: |file, _| each(file, &mut filter_as_branch),
    },
    Part {
        name: "branch-as-filter",
        before: "play {
  each k in 1..9 {
    if k > 3 {
      pot += k
    }
  }
}",
        after: "play {
  each k in 1..9 where k > 3 {
    pot += k
  }
}",
        in_order: true,
        change: |file, _| each(file, &mut branch_as_filter),
    },
    Part {
        name: "each-as-repeat",
        before: "play {
  each k in 3..9 {
    pot += k
  }
}",
        after: "play {
  repeat 9 - 3 + 1 as pass_901 {
    let k = pass_901 + 3 - 1
    pot += k
  }
}",
        in_order: true,
        change: |file, facts| each(file, &mut |stmt| each_as_repeat(stmt, facts)),
    },
    Part {
        name: "repeat-as-each",
        before: "play {
  repeat 3 as round {
    pot += round
  }
}",
        after: "play {
  each pass_901 in 1..3 as round {
    pot += round
  }
}",
        in_order: true,
        change: |file, facts| each(file, &mut |stmt| repeat_as_each(stmt, facts)),
    },
    Part {
        name: "players-by-number",
        before: "play {
  each p in players {
    p.pot := 0
  }
}",
        after: "play {
  repeat size(players) as seat_901 {
    let p = seat(seat_901)
    p.pot := 0
  }
}",
        in_order: true,
        change: |file, facts| each(file, &mut |stmt| players_by_number(stmt, facts)),
    },
    Part {
        name: "effects-in-a-rule",
        before: "move put(at in 1..9) {
  row[at] := me.number
}",
        after: "move put(at in 1..9) {
  done_902(at)
}
rule done_902(at_901) {
  row[at_901] := me.number
}",
        in_order: true,
        change: effects_in_a_rule,
    },
    Part {
        name: "play-in-a-rule",
        before: "play {
  pot := 0
}",
        after: "rule course_901() {
  pot := 0
}
play {
  course_901()
}",
        in_order: true,
        change: play_in_a_rule,
    },
    Part {
        name: "rule-inlined",
        before: "rule settle(p) {
  let won = p.pot
  p.total += won
}
play {
  settle(seat(1))
}",
        after: "rule settle(p) {
  let won = p.pot
  p.total += won
}
play {
  let p_901 = seat(1)
  let won_902 = p_901.pot
  p_901.total += won_902
}",
        in_order: true,
        change: |file, facts| instead(file, &mut |stmt, out| rule_inlined(stmt, out, facts)),
    },
    Part {
        name: "offers-reversed",
        before: "play {
  turns until stuck {
    roll or hold or look
  }
}",
        after: "play {
  turns until stuck {
    look or hold or roll
  }
}",
        in_order: false,
        change: |file, _| each(file, &mut offers_reversed),
    },
    Part {
        name: "win-as-branch",
        before: "play {
  turns {
    put
    win me when pot > 3
  }
}",
        after: "play {
  turns {
    put
    if pot > 3 {
      win me
    }
  }
}",
        in_order: true,
        change: win_as_branch,
    },
    Part {
        name: "turns-in-full",
        before: "play {
  turns until stuck {
    put
  }
}",
        after: "play {
  turns by players from seat(1) until stuck {
    put
  }
}",
        in_order: true,
        change: |file, _| each(file, &mut turns_in_full),
    },
    Part {
        name: "choice-as-ask",
        before: "move put {
}
play {
  turns until stuck {
    put
  }
}",
        after: "move put {
}
play {
  turns until stuck {
    ask me to put
  }
}",
        in_order: true,
        change: |file, facts| each(file, &mut |stmt| choice_as_ask(stmt, facts)),
    },
    Part {
        name: "play-in-a-phase",
        before: "play {
  pot := 0
}",
        after: "play {
  phase all_901 {
    pot := 0
  }
}",
        in_order: true,
        change: |file, facts| {
            let plays = file.items.iter_mut().filter_map(|item| match &mut item.kind {
                ItemKind::Play(body) => Some(body),
                _ => None,
            });
            plays
                .map(|body| {
                    let inside = block(std::mem::take(&mut body.stmts));
                    body.stmts = vec![statement(StmtKind::Phase(named(facts.fresh("all")), inside))];
                })
                .count()
        },
    },
];

/// Goes through all statements, the inner ones first; how many are changed.
fn each(file: &mut File, on: &mut dyn FnMut(&mut Stmt) -> bool) -> usize {
    let mut places = 0;
    for body in walk::bodies(file) {
        walk::each_stmt(&mut body.stmts, &mut |stmt| places += usize::from(on(stmt)));
    }
    places
}

/// Puts others in the place of each statement; how many are changed.
fn instead(file: &mut File, on: &mut dyn FnMut(Stmt, &mut Vec<Stmt>) -> bool) -> usize {
    let mut places = 0;
    for body in walk::bodies(file) {
        walk::each_block(&mut body.stmts, &mut |stmts| {
            for stmt in std::mem::take(stmts) {
                places += usize::from(on(stmt, stmts));
            }
        });
    }
    places
}

/// Puts others in the place of two statements in a row; how many pairs are changed.
fn pairs(file: &mut File, on: &mut dyn FnMut(&Stmt, &Stmt) -> Option<Vec<Stmt>>) -> usize {
    let mut places = 0;
    for body in walk::bodies(file) {
        walk::each_block(&mut body.stmts, &mut |stmts| {
            let mut at = 0;
            while at + 1 < stmts.len() {
                if let Some(new) = on(&stmts[at], &stmts[at + 1]) {
                    let count = new.len();
                    stmts.splice(at..at + 2, new);
                    places += 1;
                    at += count;
                } else {
                    at += 1;
                }
            }
        });
    }
    places
}

// ---- values and names for them

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

/// Whether this reads one place of state that holds no collection.
fn reads_one(e: &Expr, facts: &Facts) -> bool {
    use TypeKind as T;
    matches!(facts.type_of(e), Some(T::Name(_) | T::Range(..) | T::Bool | T::Symbols(_) | T::Optional(_)))
}

/// Takes out what is read of the state, where it is read in any case.
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

/// The state that a place is part of.
fn state_of(place: &Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Field(_, field) => Some(&field.text),
        ExprKind::Index(base, _) => state_of(base),
        _ => None,
    }
}

/// What an assignment reads: its value, and what says which place is meant.
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

/// Whether two assignments have nothing to do with each other.
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
    // Places in several of one statement are places themselves.
    let tuples = matches!(first.kind, ExprKind::Tuple(_)) || matches!(second.kind, ExprKind::Tuple(_));
    if tuples || !independent(a, b, facts) {
        return None;
    }
    let both = |a: &Expr, b: &Expr| value(ExprKind::Tuple(vec![a.clone(), b.clone()]));
    Some(vec![statement(StmtKind::Assign(both(first, second), Assign::Set, both(e, f)))])
}

fn assignment_spelled(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Assign(target, op, e) = &mut stmt.kind else { return false };
    let number = match facts.type_of(target) {
        Some(TypeKind::Range(..)) => true,
        Some(TypeKind::Name(name)) => name.text == "int",
        _ => false,
    };
    let one = |kind: fn(Inside) -> ExprKind, e: &mut Expr| {
        value(kind(Inside { items: vec![walk::take(e)], ..Inside::default() }))
    };
    let (new, put) = match (&op, facts.type_of(target)) {
        (Assign::Add, _) if number => (Assign::Set, both(BinaryOp::Add, target.clone(), walk::take(e))),
        (Assign::Take, _) if number => (Assign::Set, both(BinaryOp::Sub, target.clone(), walk::take(e))),
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
    let zero = value(ExprKind::Number(0.into()));
    let number = match facts.type_of(target) {
        Some(TypeKind::Range(..)) => true,
        Some(TypeKind::Name(name)) => name.text == "int",
        _ => false,
    };
    let otherwise = match op {
        Assign::Set => target.clone(),
        Assign::Add | Assign::Take if number => zero,
        _ => return false,
    };
    if facts.type_of(target).is_none() || !facts.safe(target) {
        return false;
    }
    let chosen = value(ExprKind::If(vec![(walk::take(cond), walk::take(e))], Box::new(otherwise)));
    stmt.kind = StmtKind::Assign(target.clone(), *op, chosen);
    true
}

// ---- loops

fn filter_as_branch(stmt: &mut Stmt) -> bool {
    let StmtKind::Each { filter: filter @ Some(_), label: None, body, .. } = &mut stmt.kind else {
        return false;
    };
    let cond = filter.take().expect("just seen");
    let inner = statement(StmtKind::If(vec![(cond, block(std::mem::take(&mut body.stmts)))], None));
    body.stmts = vec![inner];
    true
}

fn branch_as_filter(stmt: &mut Stmt) -> bool {
    let StmtKind::Each { filter: filter @ None, label: None, body, .. } = &mut stmt.kind else {
        return false;
    };
    let [Stmt { kind: StmtKind::If(arms, None), .. }] = body.stmts.as_mut_slice() else { return false };
    let [(cond, inner)] = arms.as_mut_slice() else { return false };
    *filter = Some(walk::take(cond));
    body.stmts = std::mem::take(&mut inner.stmts);
    true
}

fn number(n: i64) -> Expr {
    value(ExprKind::Number(n.into()))
}

fn each_as_repeat(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Each { pattern, source, filter: None, label: None, body } = &mut stmt.kind else {
        return false;
    };
    let ExprKind::Binary(BinaryOp::Range, low, high) = &mut source.kind else { return false };
    let pass = facts.fresh("pass");
    let one = matches!(&low.kind, ExprKind::Number(n) if *n == 1.into());
    let (count, element) = match one {
        true => (walk::take(high), word(&pass)),
        false => {
            // The first is worked out once, as the range was; here it is worked out again, so it must not change.
            if !facts.reads(low).is_empty() {
                return false;
            }
            let low = walk::take(low);
            let span = both(BinaryOp::Sub, walk::take(high), low.clone());
            let place = both(BinaryOp::Add, word(&pass), low);
            (both(BinaryOp::Add, span, number(1)), both(BinaryOp::Sub, place, number(1)))
        }
    };
    let mut stmts = vec![let_be(&pattern.names[0].text, element)];
    stmts.append(&mut body.stmts);
    stmt.kind =
        StmtKind::Repeat { count: Some(count), label: Some(named(pass)), body: block(stmts), until: None };
    true
}

fn repeat_as_each(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Repeat { count: Some(count), label, body, until: None } = &mut stmt.kind else {
        return false;
    };
    let pattern = Pattern { names: vec![named(facts.fresh("pass"))], span: stmt.span };
    let source = both(BinaryOp::Range, number(1), walk::take(count));
    let body = block(std::mem::take(&mut body.stmts));
    stmt.kind = StmtKind::Each { pattern, source, filter: None, label: label.take(), body };
    true
}

fn players_by_number(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Each { pattern, source, filter, label: None, body } = &mut stmt.kind else { return false };
    if !matches!(&source.kind, ExprKind::Name(name) if name == "players") {
        return false;
    }
    let seat = facts.fresh("seat");
    let mut inner = std::mem::take(&mut body.stmts);
    if let Some(cond) = filter.take() {
        inner = vec![statement(StmtKind::If(vec![(cond, block(inner))], None))];
    }
    inner.insert(0, let_be(&pattern.names[0].text, call("seat", vec![word(&seat)])));
    let count = Some(call("size", vec![walk::take(source)]));
    stmt.kind = StmtKind::Repeat { count, label: Some(named(seat)), body: block(inner), until: None };
    true
}

// ---- rules

fn calls(rule: &str, args: Vec<Expr>) -> Stmt {
    let choice = Choice { name: named(rule), given: Some(args) };
    let span = Default::default();
    statement(StmtKind::Choose(Choices { first: vec![choice], otherwise: Vec::new(), span }))
}

/// Gives names in statements new names, where they are given too.
fn rename(stmts: &mut [Stmt], new: &dyn Fn(&str) -> Option<String>) {
    walk::each_stmt(stmts, &mut |stmt| {
        for name in walk::given_names(stmt) {
            name.text = new(&name.text).unwrap_or_else(|| name.text.clone());
        }
        walk::inside_stmt(stmt).0.into_iter().for_each(|(_, e)| walk::rename(e, new));
    });
}

fn effects_in_a_rule(file: &mut File, facts: &Facts) -> usize {
    let mut rules = Vec::new();
    for item in &mut file.items {
        let ItemKind::Move(mv) = &mut item.kind else { continue };
        let mut effects = mv.body.stmts.split_off(walk::checks(&mv.body.stmts));
        if effects.is_empty() {
            continue;
        }
        let (mut read, mut given) = (BTreeSet::new(), BTreeSet::from(["me".to_string()]));
        walk::each_stmt(&mut effects, &mut |stmt| {
            given.extend(walk::given_names(stmt).into_iter().map(|name| name.text.clone()));
        });
        effects.iter_mut().for_each(|stmt| {
            walk::stmt_values(stmt, &mut |_, e| {
                read.extend(walk::names_read(e).into_iter().filter(|name| facts.locals.contains(name)));
            });
        });
        let names: Vec<String> = read.difference(&given).cloned().collect();
        let params: Vec<String> = names.iter().map(|name| facts.fresh(name)).collect();
        rename(&mut effects, &|name| {
            names.iter().position(|known| known == name).map(|at| params[at].clone())
        });
        let rule = facts.fresh("done");
        mv.body.stmts.push(calls(&rule, names.iter().map(word).collect()));
        let params = params.into_iter().map(named).collect();
        rules.push(walk::part(ItemKind::Rule(named(rule), params, block(effects))));
    }
    let places = rules.len();
    file.items.extend(rules);
    places
}

fn play_in_a_rule(file: &mut File, facts: &Facts) -> usize {
    let Some(at) = file.items.iter().position(|item| matches!(item.kind, ItemKind::Play(_))) else {
        return 0;
    };
    let ItemKind::Play(body) = &mut file.items[at].kind else { unreachable!("just seen") };
    let rule = facts.fresh("course");
    let stmts = std::mem::replace(&mut body.stmts, vec![calls(&rule, Vec::new())]);
    file.items.insert(at, walk::part(ItemKind::Rule(named(rule), Vec::new(), block(stmts))));
    1
}

fn rule_inlined(stmt: Stmt, out: &mut Vec<Stmt>, facts: &Facts) -> bool {
    let called = match &stmt.kind {
        StmtKind::Choose(Choices { first, otherwise, .. }) if otherwise.is_empty() && first.len() == 1 => {
            facts
                .rules
                .get(&first[0].name.text)
                .map(|rule| (rule, first[0].given.clone().unwrap_or_default()))
        }
        _ => None,
    };
    let stands = |stmt: &Stmt| matches!(stmt.kind, StmtKind::EndWhen(_) | StmtKind::WinWhen(..));
    let Some(((params, body), args)) = called.filter(|((_, body), _)| !body.stmts.iter().any(stands)) else {
        out.push(stmt);
        return false;
    };
    let mut stmts = body.stmts.clone();
    let mut names: Vec<String> = params.clone();
    // Loops that state starts anew with keep their names.
    let resets: BTreeSet<&str> = facts
        .states
        .values()
        .filter_map(|state| state.each.as_ref())
        .map(|name| name.text.as_str())
        .collect();
    walk::each_stmt(&mut stmts, &mut |stmt| {
        let given = walk::given_names(stmt).into_iter().map(|name| name.text.clone());
        names.extend(given.filter(|name| !resets.contains(name.as_str())).collect::<Vec<_>>());
    });
    let new: Vec<String> = names.iter().map(|name| facts.fresh(name)).collect();
    let fresh = |name: &str| names.iter().position(|known| known == name).map(|at| new[at].clone());
    rename(&mut stmts, &fresh);
    for stmt in &mut stmts {
        walk::stmt_values(stmt, &mut |_, e| facts.renew(e));
    }
    out.extend(params.iter().zip(args).map(|(name, arg)| let_be(&fresh(name).expect("a parameter"), arg)));
    out.append(&mut stmts);
    true
}

// ---- choices

fn offers_reversed(stmt: &mut Stmt) -> bool {
    let (StmtKind::Ask(_, offers) | StmtKind::Together(_, offers) | StmtKind::Choose(offers)) =
        &mut stmt.kind
    else {
        return false;
    };
    offers.first.reverse();
    offers.otherwise.reverse();
    offers.first.len() + offers.otherwise.len() > 1 && offers.first.len().max(offers.otherwise.len()) > 1
}

/// Rules that stand over one choice are tested behind it. In moves nothing may come between the choice and its end.
fn win_as_branch(file: &mut File, facts: &Facts) -> usize {
    let mut interrupted = false;
    for body in walk::bodies(file) {
        walk::each_stmt(&mut body.stmts, &mut |stmt| {
            interrupted |= matches!(stmt.kind, StmtKind::Again | StmtKind::Out(_));
        });
    }
    let chance = |mv: &Move| {
        mv.body.stmts.iter().any(|stmt| {
            matches!(
                stmt.kind,
                StmtKind::Chance(..) | StmtKind::Shuffle(_) | StmtKind::Draw(..) | StmtKind::Deal(..)
            )
        })
    };
    if interrupted || facts.moves.values().any(chance) {
        return 0;
    }
    let mut places = 0;
    for body in walk::bodies(file) {
        walk::each_block(&mut body.stmts, &mut |stmts| {
            let [
                Stmt { kind: StmtKind::Choose(_) | StmtKind::Ask(..) | StmtKind::Together(..), .. },
                rules @ ..,
            ] = stmts.as_mut_slice()
            else {
                return;
            };
            if rules.iter().any(|stmt| !matches!(stmt.kind, StmtKind::WinWhen(..) | StmtKind::EndWhen(_))) {
                return;
            }
            for stmt in rules {
                let (cond, then) = match &mut stmt.kind {
                    StmtKind::WinWhen(who, cond) => (walk::take(cond), StmtKind::Win(walk::take(who))),
                    StmtKind::EndWhen(cond) => (walk::take(cond), StmtKind::End),
                    _ => unreachable!("just seen"),
                };
                stmt.kind = StmtKind::If(vec![(cond, block(vec![statement(then)]))], None);
                places += 1;
            }
        });
    }
    places
}

fn turns_in_full(stmt: &mut Stmt) -> bool {
    let StmtKind::Turns { by: by @ None, from: from @ None, .. } = &mut stmt.kind else { return false };
    *by = Some(word("players"));
    *from = Some(call("seat", vec![number(1)]));
    true
}

fn choice_as_ask(stmt: &mut Stmt, facts: &Facts) -> bool {
    let StmtKind::Turns { body, .. } = &mut stmt.kind else { return false };
    let mut places = false;
    for stmt in &mut body.stmts {
        if let StmtKind::Choose(offers) = &mut stmt.kind
            && facts.moves.contains_key(&offers.first[0].name.text)
        {
            stmt.kind = StmtKind::Ask(word("me"), offers.clone());
            places = true;
        }
    }
    places
}
