//! Rewrites of the heads of moves: parameters, their domains, needs, and names bound among the needs.

use std::collections::BTreeSet;

use parlour::ast::*;

use super::Part;
use super::facts::Facts;
use super::walk::{self, Root, both, call, let_be, named, number, statement, value, word};

/// The kinds of rewrites that change the heads of moves.
pub const KINDS: &[Part] = &[
    Part {
        name: "need-in-a-function",
        before: "option n: 1..9 = 3
move put(at in 1..9) {
  need at + me.last < n else \"too far\"
}",
        after: "option n: 1..9 = 3
move put(at in 1..9) {
  need fits_3(at, me) else \"too far\"
}
define fits_3(at_1, me_2) = at_1 + me_2.last < n",
        in_order: true,
        change: need_in_a_function,
    },
    Part {
        name: "need-named",
        before: "move put(at in 1..9) {
  need at < 3 else \"too far\"
}",
        after: "move put(at in 1..9) {
  let holds_1 = at < 3
  need holds_1 else \"too far\"
}",
        in_order: true,
        change: need_named,
    },
    Part {
        name: "operand-named",
        before: "move put(at in 1..9) {
  need row[at] < 3 else \"too far\"
}",
        after: "move put(at in 1..9) {
  let part_1 = row[at]
  need part_1 < 3 else \"too far\"
}",
        in_order: true,
        change: operand_named,
    },
    Part {
        name: "let-inlined",
        before: "move put(at in 1..9) {
  let far = at + 2
  need far < 9 else \"{far} is too far\"
}",
        after: "move put(at in 1..9) {
  need at + 2 < 9 else \"{at + 2} is too far\"
}",
        in_order: true,
        change: |file, facts| moves(file).map(|mv| inline_lets(mv, facts)).sum(),
    },
    Part {
        name: "need-split",
        before: "move put(at in 1..9) {
  need at > 2 and at < 5 else \"not there\"
}",
        after: "move put(at in 1..9) {
  need at > 2 else \"not there\"
  need at < 5 else \"not there\"
}",
        in_order: true,
        change: need_split,
    },
    Part {
        name: "needs-joined",
        before: "move put(at in 1..9) {
  need at > 2 else \"too near\"
  need at < 5 else \"too far\"
}",
        after: "move put(at in 1..9) {
  need at > 2 and at < 5 else \"too near\"
}",
        in_order: true,
        change: needs_joined,
    },
    Part {
        name: "needs-swapped",
        before: "move put(at in 1..9) {
  need at > 2 else \"too near\"
  need at < 5 else \"too far\"
}",
        after: "move put(at in 1..9) {
  need at < 5 else \"too far\"
  need at > 2 else \"too near\"
}",
        in_order: true,
        change: needs_swapped,
    },
    Part {
        name: "need-in-a-list",
        before: "move put(at in 1..9) {
  need at > 2 else \"too near\"
}",
        after: "move put(at in [at_1 in 1..9 where at_1 > 2]) {
}",
        in_order: false,
        change: |file, facts| need_in_domain(file, facts, ExprKind::List),
    },
    Part {
        name: "need-in-a-set",
        before: "move put(at in 1..9) {
  need at > 2 else \"too near\"
}",
        after: "move put(at in {at_1 in 1..9 where at_1 > 2}) {
}",
        in_order: false,
        change: |file, facts| need_in_domain(file, facts, ExprKind::Set),
    },
    Part {
        name: "domain-as-need",
        before: "move put(at in [k in 1..9 where k > 2]) {
}",
        after: "move put(at in 1..9) {
  need at > 2 else \"not one of these\"
}",
        in_order: false,
        change: domain_as_need,
    },
    Part {
        name: "parameters-reversed",
        before: "move put(given k, at in 1..9, what in 1..2) {
}",
        after: "move put(given k, what in 1..2, at in 1..9) {
}",
        in_order: false,
        change: parameters_reversed,
    },
    Part {
        name: "square-as-row-and-column",
        before: "table {
  board: empty grid 2 by 3 of player
}
move put(at in board) {
  need board[at] is none else \"taken\"
}",
        after: "table {
  board: empty grid 2 by 3 of player
}
move put(at_row in 1..2, at_column in 1..3) {
  let at = rows(board)[at_row][at_column]
  need board[at] is none else \"taken\"
}",
        in_order: true,
        change: square_as_row_and_column,
    },
    Part {
        name: "range-as-list",
        before: "move put(at in 1..9) {
}",
        after: "move put(at in list(1..9)) {
}",
        in_order: true,
        change: |file, _| {
            let domains = moves(file).flat_map(|mv| &mut mv.params).filter_map(|param| param.domain.as_mut());
            domains.map(as_list).sum()
        },
    },
    Part {
        name: "domain-in-a-function",
        before: "move put(pile in 1..9, count in 1..left[pile]) {
}",
        after: "move put(pile in from_1(), count in from_3(pile)) {
}
define from_1() = 1..9
define from_3(pile_2) = 1..left[pile_2]",
        in_order: true,
        change: domain_in_a_function,
    },
    Part {
        name: "source-shifted",
        before: "define f(n) = sum(k in 1..n: k * row[k])",
        after: "define f(n) = sum(k_1 in 0..n - 1: (k_1 + 1) * row[k_1 + 1])",
        in_order: true,
        change: source_shifted,
    },
    Part {
        name: "source-as-list",
        before: "define f() = sum(k in 1..9: k)",
        after: "define f() = sum(k in list(1..9): k)",
        in_order: true,
        change: source_as_list,
    },
];

fn moves(file: &mut File) -> impl Iterator<Item = &mut Move> {
    file.items
        .iter_mut()
        .filter_map(|item| if let ItemKind::Move(mv) = &mut item.kind { Some(mv) } else { None })
}

/// Whether the condition of a need must stay an `all`, because its reason refers to the element that fails.
fn pinned(stmt: &mut Stmt) -> bool {
    walk::inside_stmt(stmt).0.iter().any(|(root, _)| *root == Root::Pinned)
}

/// Replaces a value by a call of a new function of the names it reads, and returns that function; `None` if a
/// name is also a symbol.
pub fn outlined(cond: &mut Expr, like: &str, facts: &Facts) -> Option<Item> {
    let names: Vec<String> = facts.locals_in(cond).into_iter().collect();
    if names.iter().any(|name| facts.symbols.contains(name)) {
        return None;
    }
    let params: Vec<String> = names.iter().map(|name| facts.fresh(name)).collect();
    let function = facts.fresh(like);
    let args = names.iter().map(word).collect();
    let mut body = std::mem::replace(cond, call(&function, args));
    walk::replace(&mut body, &|name| {
        names.iter().position(|known| known == name).map(|at| word(&params[at]))
    });
    Some(walk::part(ItemKind::Define(named(function), params.into_iter().map(named).collect(), body)))
}

fn need_in_a_function(file: &mut File, facts: &Facts) -> usize {
    let mut functions = Vec::new();
    for mv in moves(file) {
        for stmt in &mut mv.body.stmts {
            if pinned(stmt) {
                continue;
            }
            if let StmtKind::Need(cond, _) | StmtKind::NeedIfPossible(cond, _) = &mut stmt.kind {
                functions.extend(outlined(cond, "fits", facts));
            }
        }
    }
    let places = functions.len();
    file.items.extend(functions);
    places
}

/// Replaces each statement of the moves by others. Returns the number of places that `on` counts.
fn instead(file: &mut File, on: &mut dyn FnMut(Stmt, &mut Vec<Stmt>) -> usize) -> usize {
    let mut places = 0;
    for mv in moves(file) {
        for stmt in std::mem::take(&mut mv.body.stmts) {
            places += on(stmt, &mut mv.body.stmts);
        }
    }
    places
}

fn need_named(file: &mut File, facts: &Facts) -> usize {
    instead(file, &mut |mut stmt, out| {
        let free = !pinned(&mut stmt);
        let mut places = 0;
        if let StmtKind::Need(cond, _) = &mut stmt.kind
            && free
        {
            let name = facts.fresh("holds");
            out.push(let_be(&name, std::mem::replace(cond, word(&name))));
            places = 1;
        }
        out.push(stmt);
        places
    })
}

/// Whether a value is worth a name: it is computed, and has a type of its own.
pub fn is_worked_out(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(..) | ExprKind::Index(..) | ExprKind::With(..) | ExprKind::Negative(_) => true,
        ExprKind::Binary(op, ..) => *op != BinaryOp::Range,
        ExprKind::List(all) | ExprKind::Set(all) => !all.items.is_empty(),
        _ => false,
    }
}

fn operand_named(file: &mut File, facts: &Facts) -> usize {
    instead(file, &mut |mut stmt, out| {
        let mut places = 0;
        if let StmtKind::Need(Expr { kind: ExprKind::Compare(..) | ExprKind::Is(..), .. }, _) = &stmt.kind {
            let StmtKind::Need(cond, _) = &mut stmt.kind else { unreachable!("just seen") };
            let chain = matches!(&cond.kind, ExprKind::Compare(_, links) if links.len() > 1);
            for operand in walk::children_mut(cond) {
                if is_worked_out(operand) && !chain {
                    let name = facts.fresh("part");
                    out.push(let_be(&name, std::mem::replace(operand, word(&name))));
                    places += 1;
                }
            }
        }
        out.push(stmt);
        places
    })
}

/// Inlines `let`s among a move's needs into later needs, and counts them. Those that effects read stay, too.
fn inline_lets(mv: &mut Move, facts: &Facts) -> usize {
    let mut places = 0;
    let mut at = 0;
    while at < walk::checks(&mv.body.stmts) {
        let count = walk::checks(&mv.body.stmts);
        let named = match &mv.body.stmts[at].kind {
            StmtKind::Let(pattern, value) if pattern.names.len() == 1 => {
                Some((pattern.names[0].text.clone(), value.clone()))
            }
            _ => None,
        };
        let Some((name, value)) = named else {
            at += 1;
            continue;
        };
        let put = |read: &str| {
            (read == name).then(|| {
                // No name may be bound twice, so each copy gets fresh names.
                let mut copy = value.clone();
                facts.renew(&mut copy);
                copy
            })
        };
        for stmt in &mut mv.body.stmts[at + 1..count] {
            walk::stmt_values(stmt, &mut |_, e| walk::replace(e, &put));
        }
        places += 1;
        let mut effects = mv.body.stmts[count..].to_vec();
        let mut read = false;
        for stmt in &mut effects {
            walk::stmt_values(stmt, &mut |_, e| read |= walk::names_read(e).contains(&name));
        }
        match read {
            true => at += 1,
            false => drop(mv.body.stmts.remove(at)),
        }
    }
    places
}

fn need_split(file: &mut File, _: &Facts) -> usize {
    instead(file, &mut |stmt, out| {
        let mut places = 0;
        let mut waiting = vec![stmt];
        while let Some(stmt) = waiting.pop() {
            match stmt.kind {
                StmtKind::Need(Expr { kind: ExprKind::Binary(BinaryOp::And, a, b), .. }, reason) => {
                    waiting.push(statement(StmtKind::Need(*b, reason.clone())));
                    waiting.push(statement(StmtKind::Need(*a, reason)));
                    places += 1;
                }
                kind => out.push(statement(kind)),
            }
        }
        places
    })
}

fn needs_joined(file: &mut File, _: &Facts) -> usize {
    instead(file, &mut |mut stmt, out| {
        let free = !pinned(&mut stmt) && !out.last_mut().is_some_and(pinned);
        if let StmtKind::Need(cond, _) = &stmt.kind
            && free
            && let Some(Stmt { kind: StmtKind::Need(before, _), .. }) = out.last_mut()
        {
            *before = both(BinaryOp::And, walk::take(before), cond.clone());
            return 1;
        }
        out.push(stmt);
        0
    })
}

fn needs_swapped(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    for mv in moves(file) {
        let mut at = 0;
        while at + 1 < mv.body.stmts.len() {
            if let (StmtKind::Need(first, _), StmtKind::Need(second, _)) =
                (&mv.body.stmts[at].kind, &mv.body.stmts[at + 1].kind)
                && facts.safe(second)
                && !facts.narrows(first)
            {
                mv.body.stmts.swap(at, at + 1);
                places += 1;
                at += 1;
            }
            at += 1;
        }
    }
    places
}

/// Whether a domain is small enough to list: neither all integers nor rows.
fn is_listed(domain: &Expr) -> bool {
    match &domain.kind {
        ExprKind::Name(name) => name != "int",
        ExprKind::AtLeast(_) => false,
        ExprKind::Call(name, _) => {
            !["permutations", "arrangements", "subsets", "tuples", "lists", "divisors"]
                .contains(&name.text.as_str())
        }
        _ => true,
    }
}

/// Whether enumeration yields each element once, in the order of a set.
fn is_ascending(domain: &Expr, facts: &Facts) -> bool {
    let declared =
        matches!(facts.type_of(domain), Some(TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Grid { .. }));
    declared || matches!(domain.kind, ExprKind::Binary(BinaryOp::Range, ..) | ExprKind::Set(_))
}

fn need_in_domain(file: &mut File, facts: &Facts, made: fn(Inside) -> ExprKind) -> usize {
    let mut places = 0;
    let lists = matches!(made(Inside::default()), ExprKind::List(_));
    for mv in moves(file) {
        let Some(param) = mv.params.last() else { continue };
        let Some(domain) = param
            .domain
            .clone()
            .filter(|_| param.window.is_none() && param.filter.is_none())
            .filter(is_listed)
        else {
            continue;
        };
        let copies = matches!(facts.type_of(&domain), Some(TypeKind::Bag(_)));
        if (lists && copies) || (!lists && !is_ascending(&domain, facts)) {
            continue;
        }
        let mut changed = mv.clone();
        inline_lets(&mut changed, facts);
        let named: BTreeSet<String> = changed
            .body
            .stmts
            .iter()
            .filter_map(
                |stmt| if let StmtKind::Let(pattern, _) = &stmt.kind { Some(&pattern.names) } else { None },
            )
            .flatten()
            .map(|name| name.text.clone())
            .collect();
        let checks = walk::checks(&changed.body.stmts);
        let mut filter: Option<Expr> = None;
        let mut kept = Vec::new();
        for (at, stmt) in changed.body.stmts.into_iter().enumerate() {
            match stmt.kind {
                StmtKind::Need(cond, _) if at < checks && walk::free(&cond).is_disjoint(&named) => {
                    filter = Some(match filter {
                        None => cond,
                        Some(before) => both(BinaryOp::And, before, cond),
                    });
                }
                kind => kept.push(statement(kind)),
            }
        }
        let Some(mut filter) = filter else { continue };
        let (name, fresh) = (param.name.text.clone(), facts.fresh(&param.name.text));
        walk::replace(&mut filter, &|read| (read == name).then(|| word(&fresh)));
        let source = walk::compare(word(&fresh), CompareOp::In, domain);
        let inside = Inside { items: vec![source], filter: Some(Box::new(filter)), ..Inside::default() };
        changed.body.stmts = kept;
        changed.params.last_mut().expect("just seen").domain = Some(value(made(inside)));
        *mv = changed;
        places += 1;
    }
    places
}

fn domain_as_need(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    for mv in moves(file) {
        for at in (0..mv.params.len()).rev() {
            let later = mv.params[at + 1..].iter().filter_map(|param| param.domain.as_ref());
            if !later.into_iter().all(|domain| facts.safe(domain)) {
                continue;
            }
            let param = &mut mv.params[at];
            let Some(domain) = &mut param.domain else { continue };
            let set = matches!(domain.kind, ExprKind::Set(_));
            let (ExprKind::List(inside) | ExprKind::Set(inside)) = &mut domain.kind else { continue };
            let ([item], Some(filter), None) = (&inside.items[..], &inside.filter, &inside.stop) else {
                continue;
            };
            let Some((names, from)) = walk::source(item) else { continue };
            let itself = inside
                .body
                .as_ref()
                .is_none_or(|e| matches!(&e.kind, ExprKind::Name(name) if name == names[0]));
            if names.len() > 1 || !itself || !is_listed(from) || (set && !is_ascending(from, facts)) {
                continue;
            }
            let mut cond = (**filter).clone();
            walk::replace(&mut cond, &|read| (read == names[0]).then(|| word(&param.name.text)));
            let reason = value(ExprKind::Text(vec![TextPart::Chars("not one of these".to_string())]));
            *domain = from.clone();
            mv.body.stmts.insert(0, statement(StmtKind::Need(cond, reason)));
            places += 1;
        }
    }
    places
}

fn parameters_reversed(file: &mut File, _: &Facts) -> usize {
    let mut places = 0;
    for mv in moves(file) {
        let names: BTreeSet<String> = mv.params.iter().map(|param| param.name.text.clone()).collect();
        let apart = |param: &Param| {
            let values = param.domain.iter().chain(&param.window);
            // A filter reads its own parameter, and may read those before it.
            param.filter.is_none() && values.into_iter().all(|e| walk::free(e).is_disjoint(&names))
        };
        let chosen: Vec<usize> = (0..mv.params.len()).filter(|at| mv.params[*at].domain.is_some()).collect();
        if chosen.len() < 2 || !mv.params.iter().all(apart) {
            continue;
        }
        for (a, b) in chosen.iter().zip(chosen.iter().rev()).take(chosen.len() / 2) {
            mv.params.swap(*a, *b);
        }
        places += 1;
    }
    places
}

fn square_as_row_and_column(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    for mv in moves(file) {
        let mut lets = Vec::new();
        for param in std::mem::take(&mut mv.params) {
            let plain = param.domain.clone().filter(|_| param.filter.is_none());
            let grid = plain.filter(|domain| facts.is_grid(domain));
            let Some(TypeKind::Grid { rows, columns, .. }) =
                grid.as_ref().and_then(|grid| facts.type_of(grid))
            else {
                mv.params.push(param);
                continue;
            };
            let name = &param.name.text;
            let [row, column] = ["row", "column"].map(|side| format!("{name}_{side}"));
            for (name, size) in [(&row, rows), (&column, columns)] {
                let range = both(BinaryOp::Range, value(ExprKind::Number(1.into())), (**size).clone());
                mv.params.push(Param { name: named(name), domain: Some(range), filter: None, window: None });
            }
            let rows = call("rows", vec![grid.expect("just seen")]);
            let line = value(ExprKind::Index(Box::new(rows), vec![word(row)]));
            let square = value(ExprKind::Index(Box::new(line), vec![word(column)]));
            lets.push((name.clone(), square));
            places += 1;
        }
        for param in &mut mv.params {
            for domain in param.domain.iter_mut().chain(&mut param.filter).chain(&mut param.window) {
                walk::replace(domain, &|read| {
                    lets.iter().find(|(name, _)| name == read).map(|(_, square)| square.clone())
                });
            }
        }
        mv.body.stmts.splice(0..0, lets.iter().map(|(name, square)| let_be(name, square.clone())));
    }
    places
}

/// Turns a range into a list of its numbers. Returns the number of ranges.
fn as_list(e: &mut Expr) -> usize {
    let range = matches!(e.kind, ExprKind::Binary(BinaryOp::Range, ..));
    if range {
        *e = call("list", vec![walk::take(e)]);
    }
    usize::from(range)
}

fn domain_in_a_function(file: &mut File, facts: &Facts) -> usize {
    let mut functions = Vec::new();
    for param in moves(file).flat_map(|mv| &mut mv.params) {
        let name = |domain: &Expr| matches!(domain.kind, ExprKind::Name(_));
        if let Some(domain) = param.domain.as_mut().filter(|domain| !name(domain) && is_listed(domain)) {
            functions.extend(outlined(domain, "from", facts));
        }
    }
    let places = functions.len();
    file.items.extend(functions);
    places
}

/// Returns the contents of the brackets if they bind `x in S`.
fn gathers(e: &mut Expr) -> Option<&mut Inside> {
    match &mut e.kind {
        ExprKind::Call(name, all) if walk::binds(Some(name), all) => Some(all),
        ExprKind::List(all) | ExprKind::Set(all) if walk::binds(None, all) => Some(all),
        _ => None,
    }
}

fn source_shifted(file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        let counts = matches!(&e.kind, ExprKind::Call(name, _) if name.text == "count");
        let Some(inside) = gathers(e) else { return };
        let [Expr { kind: ExprKind::Compare(name, links), .. }] = inside.items.as_mut_slice() else { return };
        let (ExprKind::Name(old), ExprKind::Binary(BinaryOp::Range, low, high)) =
            (&name.kind, &mut links[0].1.kind)
        else {
            return;
        };
        if !matches!(&low.kind, ExprKind::Number(n) if *n == 1.into()) {
            return;
        }
        let (old, new) = (old.clone(), facts.fresh(old));
        (**low, **high) = (number(0), both(BinaryOp::Sub, walk::take(high), number(1)));
        **name = word(&new);
        if inside.body.is_none() && !counts {
            inside.body = Some(Box::new(word(&old)));
        }
        let shifted = both(BinaryOp::Add, word(&new), number(1));
        for part in [&mut inside.filter, &mut inside.stop, &mut inside.body].into_iter().flatten() {
            walk::replace(part, &|name| (name == old).then(|| shifted.clone()));
        }
        places += 1;
    });
    places
}

fn source_as_list(file: &mut File, _: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        for item in gathers(e).into_iter().flat_map(|inside| &mut inside.items) {
            if let ExprKind::Compare(_, links) = &mut item.kind {
                places += as_list(&mut links[0].1);
            }
        }
    });
    places
}
