//! Rewrites of the course of play: loops, rules, choices and standing conditions.

use std::collections::BTreeSet;

use parlour::ast::*;

use super::Part;
use super::facts::Facts;
use super::walk::{self, block, both, call, let_be, named, number, statement, word};
use super::walk::{change_each, change_lists};

/// The kinds of rewrites that change loops, rules and choices.
pub const KINDS: &[Part] = &[
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
        change: |file, _| change_each(file, &mut filter_as_branch),
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
        change: |file, _| change_each(file, &mut branch_as_filter),
    },
    Part {
        name: "each-as-repeat",
        before: "play {
  each k in 3..9 {
    pot += k
  }
}",
        after: "play {
  repeat 9 - 3 + 1 as pass_1 {
    let k = pass_1 + 3 - 1
    pot += k
  }
}",
        in_order: true,
        change: |file, facts| change_each(file, &mut |stmt| each_as_repeat(stmt, facts)),
    },
    Part {
        name: "repeat-as-each",
        before: "play {
  repeat 3 as round {
    pot += round
  }
}",
        after: "play {
  each pass_1 in 1..3 as round {
    pot += round
  }
}",
        in_order: true,
        change: |file, facts| change_each(file, &mut |stmt| repeat_as_each(stmt, facts)),
    },
    Part {
        name: "players-by-number",
        before: "play {
  each p in players {
    p.pot := 0
  }
}",
        after: "play {
  repeat size(players) as seat_1 {
    let p = seat(seat_1)
    p.pot := 0
  }
}",
        in_order: true,
        change: |file, facts| change_each(file, &mut |stmt| players_by_number(stmt, facts)),
    },
    Part {
        name: "effects-in-a-rule",
        before: "move put(at in 1..9) {
  row[at] := me.number
}",
        after: "move put(at in 1..9) {
  done_2(at)
}
rule done_2(at_1) {
  row[at_1] := me.number
}",
        in_order: true,
        change: effects_in_a_rule,
    },
    Part {
        name: "play-in-a-rule",
        before: "play {
  pot := 0
}",
        after: "rule course_1() {
  pot := 0
}
play {
  course_1()
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
  let p_1 = seat(1)
  let won_2 = p_1.pot
  p_1.total += won_2
}",
        in_order: true,
        change: |file, facts| change_lists(file, &mut |stmt, out| rule_inlined(stmt, out, facts)),
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
        change: |file, _| change_each(file, &mut offers_reversed),
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
        change: |file, _| change_each(file, &mut turns_in_full),
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
        change: |file, facts| change_each(file, &mut |stmt| choice_as_ask(stmt, facts)),
    },
    Part {
        name: "play-in-a-phase",
        before: "play {
  pot := 0
}",
        after: "play {
  phase all_1 {
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
            // It was evaluated once, with the range. Here it is evaluated again, so it must not read state.
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
    statement(StmtKind::Choose(Choices {
        first: vec![choice],
        otherwise: Vec::new(),
        if_possible: false,
        span,
    }))
}

/// Renames names in statements, also where they are bound.
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
        if names.iter().any(|name| facts.symbols.contains(name)) {
            mv.body.stmts.append(&mut effects);
            continue;
        }
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
    let body = match &stmt.kind {
        StmtKind::Choose(Choices { first, otherwise, .. }) if otherwise.is_empty() && first.len() == 1 => {
            let given = first[0].given.clone().unwrap_or_default();
            facts.rules.get(&first[0].name.text).and_then(|(params, body)| put_in(params, body, given, facts))
        }
        _ => None,
    };
    let places = body.is_some();
    out.extend(body.unwrap_or_else(|| vec![stmt]));
    places
}

/// Inlines a rule: its body with arguments and fresh names; `None` if it cannot be inlined.
fn put_in(params: &[String], body: &Block, given: Vec<Expr>, facts: &Facts) -> Option<Vec<Stmt>> {
    let mut stmts = body.stmts.clone();
    let mut names: Vec<String> = params.to_vec();
    walk::each_stmt(&mut stmts, &mut |stmt| {
        names.extend(walk::given_names(stmt).into_iter().map(|name| name.text.clone()));
    });
    // Loops that reset state keep their names, since the state refers to them.
    let resets = |name: &String| {
        facts.states.values().filter_map(|state| state.each.as_ref()).any(|each| each.text == *name)
    };
    names.retain(|name| !resets(name));
    // Standing conditions must not move to another block, and no name may also be that of a symbol.
    let stands = |stmt: &Stmt| matches!(stmt.kind, StmtKind::EndWhen(_) | StmtKind::WinWhen(..));
    if stmts.iter().any(stands) || names.iter().any(|name| facts.symbols.contains(name)) {
        return None;
    }
    let new: Vec<String> = names.iter().map(|name| facts.fresh(name)).collect();
    rename(&mut stmts, &|name| names.iter().position(|known| known == name).map(|at| new[at].clone()));
    for stmt in &mut stmts {
        walk::stmt_values(stmt, &mut |_, e| facts.renew(e));
    }
    Some(new.iter().zip(given).map(|(name, value)| let_be(name, value)).chain(stmts).collect())
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
    offers.first.len().max(offers.otherwise.len()) > 1
}

/// Tests standing conditions after the only choice they cover, unless moves can interrupt or draw in between.
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
