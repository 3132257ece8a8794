//! Rewrites of parts of a file: functions, constants, scores, the order of declarations and their names.

use std::collections::BTreeMap;

use parlour::ast::*;

use super::Part;
use super::facts::Facts;
use super::moves::outlined;
use super::walk::{self, call, compare, named, number, value, word};

/// The kinds of rewrites that change parts of a file.
pub const KINDS: &[Part] = &[
    Part {
        name: "function-inlined",
        before: "define twice(x) = x + x
define four(x) = twice(x) + twice(x)
score = four(3)",
        after: "define twice(x) = x + x
define four(x) = x + x + (x + x)
score = 3 + 3 + (3 + 3)",
        in_order: true,
        change: function_inlined,
    },
    Part {
        name: "condition-in-a-function",
        before: "play {
  turns until pot > 3 {
    put
    win me when me.total > 3
  }
}",
        after: "play {
  turns until ends_3() {
    put
    win me when ends_2(me)
  }
}
define ends_2(me_1) = me_1.total > 3
define ends_3() = pot > 3",
        in_order: true,
        change: condition_in_a_function,
    },
    Part {
        name: "constant-as-function",
        before: "let top = 9
define half() = top div 2",
        after: "define top() = 9
define half() = top() div 2",
        in_order: true,
        change: constant_as_function,
    },
    Part {
        name: "number-named",
        before: "define half(x) = 15 - x",
        after: "let number_1 = 15
define half(x) = number_1 - x",
        in_order: true,
        change: |file, facts| {
            number_named(file, facts, &|name, n| ItemKind::Constant(name, n), &|name| word(name))
        },
    },
    Part {
        name: "number-as-function",
        before: "define half(x) = 15 - x",
        after: "define number_1() = 15
define half(x) = number_1() - x",
        in_order: true,
        change: |file, facts| {
            number_named(file, facts, &|name, n| ItemKind::Define(name, Vec::new(), n), &|name| {
                call(name, Vec::new())
            })
        },
    },
    Part {
        name: "case-as-if",
        before: "define f(x) = case x {
  1, 2: 3
  else: 4
}",
        after: "define f(x) = if x = 1 or x = 2 then 3 else 4",
        in_order: true,
        change: case_as_if,
    },
    Part {
        name: "highest-as-lowest",
        before: "winner highest me.total, then lowest me.number",
        after: "winner lowest -me.total, then highest -me.number",
        in_order: true,
        change: highest_as_lowest,
    },
    Part {
        name: "score-in-a-function",
        before: "score = me.total * 2",
        after: "score = points_2(me)
define points_2(me_1) = me_1.total * 2",
        in_order: true,
        change: score_in_a_function,
    },
    Part {
        name: "parts-reversed",
        before: "table {
  a: int = 0
  b: int = 1
}
move put {
}
move take {
}
define f() = 1
define g() = 2",
        after: "table {
  b: int = 1
  a: int = 0
}
move take {
}
move put {
}
define g() = 2
define f() = 1",
        in_order: true,
        change: parts_reversed,
    },
    Part {
        name: "state-never-read",
        before: "table {
  pot: int = 0
}
move put {
  pot += 1
}",
        after: "table {
  pot: int = 0
}
move put {
  pot += 1
  me.noted_1 := 1
}
each player {
  noted_1: int = 0
}",
        in_order: true,
        change: state_never_read,
    },
    Part {
        name: "range-as-int",
        before: "table {
  pot: 0..9 = 0
  row: list of 0..9 = []
  some: set of 0..9 = {}
}",
        after: "table {
  pot: int = 0
  row: list of int = []
  some: set of 0..9 = {}
}",
        in_order: true,
        change: |file, _| states(file).map(|state| range_as_int(&mut state.ty)).sum(),
    },
    Part {
        name: "empty-grid-as-optional",
        before: "table {
  board: empty grid 2 by 3 of player
}",
        after: "table {
  board: grid 2 by 3 of optional player = none
}",
        in_order: true,
        change: |file, _| states(file).map(empty_grid_as_optional).filter(|changed| *changed).count(),
    },
    Part {
        name: "names-changed",
        before: "table {
  pot: int = 0
}
define f(x) = x + sum(k in 1..3: k) + pot
move put(at in 1..3) {
  let far = at
  pot := f(far)
}",
        after: "table {
  pot_1: int = 0
}
define f_2(x_5) = x_5 + sum(k_4 in 1..3: k_4) + pot_1
move put(at in 1..3) {
  let far_3 = at
  pot_1 := f_2(far_3)
}",
        in_order: true,
        change: names_changed,
    },
];

fn function_inlined(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| places += usize::from(inline(e, facts)));
    places
}

/// Replaces a call of a function by its body. Returns whether it did.
fn inline(e: &mut Expr, facts: &Facts) -> bool {
    let called = match &e.kind {
        ExprKind::Call(name, inside) => {
            facts.defines.get(&name.text).map(|define| (define, inside.items.clone()))
        }
        ExprKind::Is(a, false, IsTest::Predicate(name)) => {
            facts.defines.get(&name.text).map(|define| (define, vec![(**a).clone()]))
        }
        _ => None,
    };
    let Some(((params, body), args)) = called else { return false };
    *e = inlined(params, body, args, facts);
    true
}

/// Returns a function's body with arguments for its parameters; the calls in it are inlined as well.
fn inlined(params: &[String], body: &Expr, args: Vec<Expr>, facts: &Facts) -> Expr {
    let mut body = body.clone();
    facts.renew(&mut body);
    walk::inside_out(&mut body, &mut |e| _ = inline(e, facts));
    let again = std::cell::RefCell::new(vec![false; params.len()]);
    walk::replace(&mut body, &|name| {
        let at = params.iter().position(|param| param == name)?;
        let mut arg = args[at].clone();
        if std::mem::replace(&mut again.borrow_mut()[at], true) {
            facts.renew(&mut arg);
        }
        Some(arg)
    });
    body
}

fn condition_in_a_function(file: &mut File, facts: &Facts) -> usize {
    let mut functions = Vec::new();
    let mut outline = |cond: &mut Expr| {
        // What a condition tells about `none` would not be known outside its function.
        if !matches!(cond.kind, ExprKind::Name(_) | ExprKind::Call(..)) && !facts.narrows(cond) {
            functions.extend(outlined(cond, "ends", facts));
        }
    };
    let mut on = |stmt: &mut Stmt| match &mut stmt.kind {
        StmtKind::EndWhen(cond) | StmtKind::WinWhen(_, cond) => outline(cond),
        StmtKind::If(arms, _) => arms.iter_mut().for_each(|(cond, _)| outline(cond)),
        StmtKind::Each { filter: Some(cond), .. } => outline(cond),
        StmtKind::Repeat { until: Some(Until::Cond(cond)), .. }
        | StmtKind::Cycle { until: Some(Until::Cond(cond)), .. } => outline(cond),
        StmtKind::Turns { before, after, .. } => {
            for until in [before, after].into_iter().flatten() {
                if let Until::Cond(cond) = until {
                    outline(cond);
                }
            }
        }
        _ => {}
    };
    for item in &mut file.items {
        match &mut item.kind {
            ItemKind::Move(Move { body, .. }) | ItemKind::Rule(_, _, body) | ItemKind::Play(body) => {
                walk::each_stmt(&mut body.stmts, &mut on);
            }
            ItemKind::Standing(stmt) => on(stmt),
            _ => {}
        }
    }
    let places = functions.len();
    file.items.extend(functions);
    places
}

fn constant_as_function(file: &mut File, _: &Facts) -> usize {
    let mut names = Vec::new();
    for item in &mut file.items {
        if let ItemKind::Constant(name, e) = &mut item.kind {
            names.push(name.text.clone());
            item.kind = ItemKind::Define(name.clone(), Vec::new(), walk::take(e));
        }
    }
    walk::file_values(file, &mut |_, e| {
        walk::replace(e, &|name| names.iter().any(|known| known == name).then(|| call(name, Vec::new())));
    });
    names.len()
}

fn number_named(
    file: &mut File,
    facts: &Facts,
    declared: &dyn Fn(Name, Expr) -> ItemKind,
    read: &dyn Fn(&str) -> Expr,
) -> usize {
    let mut known: Vec<(parlour::num::Int, String)> = Vec::new();
    walk::rewritable(file, &mut |e| {
        let ExprKind::Number(n) = &e.kind else { return };
        if n.is_negative() || n.is_zero() || *n == 1.into() {
            return;
        }
        let name = match known.iter().find(|(other, _)| other == n) {
            Some((_, name)) => name.clone(),
            None => {
                known.push((n.clone(), facts.fresh("number")));
                known[known.len() - 1].1.clone()
            }
        };
        *e = read(&name);
    });
    // Constants used in initial values must be declared above them; the header stays first.
    let at = usize::from(matches!(file.items.first(), Some(Item { kind: ItemKind::Game(_), .. })));
    let places = known.len();
    let new =
        known.into_iter().map(|(n, name)| walk::part(declared(named(name), value(ExprKind::Number(n)))));
    file.items.splice(at..at, new);
    places
}

fn case_as_if(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        let ExprKind::Case(subject, arms, otherwise) = &mut e.kind else { return };
        // The subject is evaluated again for each label, so that must never fault.
        if !facts.safe(subject) && !matches!(subject.kind, ExprKind::Name(_)) {
            return;
        }
        let test = |label: &Expr| compare((**subject).clone(), CompareOp::Equal, label.clone());
        let mut arms: Vec<(Expr, Expr)> = arms
            .iter_mut()
            .map(|(labels, then)| {
                let tests = labels.iter().map(test);
                let cond = tests.reduce(|a, b| walk::both(BinaryOp::Or, a, b)).expect("an arm has a label");
                (cond, walk::take(then))
            })
            .collect();
        let last = match otherwise {
            Some(last) => walk::take(last),
            // All symbols have an arm, so the last arm is for whatever remains.
            None => arms.pop().expect("a case has an arm").1,
        };
        *e = match arms.is_empty() {
            true => last,
            false => value(ExprKind::If(arms, Box::new(last))),
        };
        places += 1;
    });
    places
}

fn highest_as_lowest(file: &mut File, _: &Facts) -> usize {
    let mut places = 0;
    for item in &mut file.items {
        if let ItemKind::Winner(Winner { by: WinnerBy::Best(best), .. }) = &mut item.kind {
            for (highest, e) in best {
                *highest = !*highest;
                let score = matches!(&e.kind, ExprKind::Name(name) if name == "score");
                let judged = match score {
                    true => value(ExprKind::Field(Box::new(word("me")), named("score"))),
                    false => walk::take(e),
                };
                *e = value(ExprKind::Negative(Box::new(judged)));
                places += 1;
            }
        }
    }
    places
}

fn score_in_a_function(file: &mut File, facts: &Facts) -> usize {
    let mut functions = Vec::new();
    for item in &mut file.items {
        if let ItemKind::Score(_, e) = &mut item.kind {
            functions.extend(outlined(e, "points", facts));
        }
    }
    let places = functions.len();
    file.items.extend(functions);
    places
}

/// Reverses the order of state, moves and functions. This does not affect initial values, since functions and
/// constants stay above them.
fn parts_reversed(file: &mut File, _: &Facts) -> usize {
    let mut places = 0;
    for item in &mut file.items {
        if let ItemKind::Table(states) | ItemKind::EachPlayer(states) = &mut item.kind {
            // A first value may be computed from the states before it.
            let declared: Vec<String> = states.iter().map(|state| state.name.text.clone()).collect();
            let mut firsts = states.iter_mut().filter_map(|state| state.init.as_mut());
            if firsts.any(|first| walk::names_read(first).iter().any(|name| declared.contains(name))) {
                continue;
            }
            places += states.len() - 1;
            states.reverse();
        }
    }
    for sort in [
        |item: &Item| matches!(item.kind, ItemKind::Move(_)),
        |item: &Item| matches!(item.kind, ItemKind::Define(..)),
    ] {
        let at: Vec<usize> = (0..file.items.len()).filter(|at| sort(&file.items[*at])).collect();
        for (a, b) in at.iter().zip(at.iter().rev()).take(at.len() / 2) {
            file.items.swap(*a, *b);
        }
        places += at.len().saturating_sub(1);
    }
    places
}

fn states(file: &mut File) -> impl Iterator<Item = &mut State> {
    let declared = file.items.iter_mut().filter_map(|item| match &mut item.kind {
        ItemKind::Table(states) | ItemKind::EachPlayer(states) => Some(states),
        _ => None,
    });
    declared.flatten()
}

/// Adds state that every move writes and nothing reads.
fn state_never_read(file: &mut File, facts: &Facts) -> usize {
    let name = facts.fresh("noted");
    let mut places = 0;
    for item in &mut file.items {
        if let ItemKind::Move(mv) = &mut item.kind {
            let place = value(ExprKind::Field(Box::new(word("me")), named(&name)));
            mv.body.stmts.push(walk::statement(StmtKind::Assign(place, Assign::Set, number(1))));
            places += 1;
        }
    }
    let ty = Type { kind: TypeKind::Name(named("int")), span: Default::default() };
    let (each, secrecy, doc, span) = (None, Vec::new(), None, Default::default());
    let noted = State { name: named(name), ty, init: Some(number(0)), each, secrecy, doc, span };
    file.items.push(walk::part(ItemKind::EachPlayer(vec![noted])));
    places
}

/// Replaces ranges by `int`. No test game leaves its bounds, which are checked on assignment.
fn range_as_int(ty: &mut Type) -> usize {
    match &mut ty.kind {
        TypeKind::Range(..) | TypeKind::AtLeast(_) => {
            ty.kind = TypeKind::Name(named("int"));
            1
        }
        TypeKind::Optional(of) | TypeKind::List(_, of) | TypeKind::Map(of, _) => range_as_int(of),
        TypeKind::Grid { of, .. } => range_as_int(of),
        TypeKind::Tuple(parts) => parts.iter_mut().map(|part| range_as_int(&mut part.ty)).sum(),
        TypeKind::Either(kinds) => kinds.iter_mut().map(range_as_int).sum(),
        TypeKind::Name(_) | TypeKind::Bool | TypeKind::Symbols(_) | TypeKind::Set(_) | TypeKind::Bag(_) => 0,
    }
}

fn empty_grid_as_optional(state: &mut State) -> bool {
    let TypeKind::Grid { empty: empty @ true, of, .. } = &mut state.ty.kind else { return false };
    *empty = false;
    let inner = std::mem::replace(&mut **of, Type { kind: TypeKind::Bool, span: Default::default() });
    of.kind = TypeKind::Optional(Box::new(inner));
    state.init.get_or_insert(value(ExprKind::None));
    true
}

/// Renames everything that people do not type: state, functions, constants, local names of moves and values.
fn names_changed(file: &mut File, facts: &Facts) -> usize {
    let mut new: BTreeMap<String, String> = BTreeMap::new();
    let typed: Vec<&String> =
        facts.moves.values().flat_map(|mv| &mv.params).map(|param| &param.name.text).collect();
    let mut give = |name: &str| {
        let kept = name == "me" || typed.iter().any(|typed| *typed == name) || facts.symbols.contains(name);
        if !kept && !new.contains_key(name) {
            new.insert(name.to_string(), facts.fresh(name));
        }
    };
    for name in facts.states.keys().chain(facts.defines.keys()).chain(&facts.locals) {
        give(name);
    }
    let fresh = |name: &str| new.get(name).cloned();
    let put = |name: &mut Name| name.text = new.get(&name.text).unwrap_or(&name.text).clone();
    for item in &mut file.items {
        match &mut item.kind {
            ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                for state in states {
                    put(&mut state.name);
                    state.each.iter_mut().for_each(put);
                }
            }
            ItemKind::Define(name, params, _) => {
                put(name);
                params.iter_mut().for_each(put);
            }
            ItemKind::Rule(_, params, _) => params.iter_mut().for_each(put),
            _ => {}
        }
    }
    for body in walk::bodies(file) {
        walk::each_stmt(&mut body.stmts, &mut |stmt| walk::given_names(stmt).into_iter().for_each(put));
    }
    walk::file_values(file, &mut |_, e| {
        walk::rename(e, &fresh);
        rename_words(e, facts, &fresh);
    });
    new.len()
}

/// Renames the players' state and the functions in a value, also inside texts.
fn rename_words(e: &mut Expr, facts: &Facts, new: &dyn Fn(&str) -> Option<String>) {
    let put = |name: &mut Name| name.text = new(&name.text).unwrap_or_else(|| name.text.clone());
    match &mut e.kind {
        ExprKind::Field(_, name) if facts.owned.contains(&name.text) => put(name),
        ExprKind::Call(name, _) | ExprKind::Is(_, _, IsTest::Predicate(name))
            if facts.defines.contains_key(&name.text) =>
        {
            put(name);
        }
        _ => {}
    }
    walk::filled(e).into_iter().for_each(|part| rename_words(part, facts, new));
    walk::children_mut(e).into_iter().for_each(|child| rename_words(child, facts, new));
}
