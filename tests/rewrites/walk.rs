//! Traversals of a syntax tree: values of a file, values inside a value, blocks of statements, names.

use std::cell::RefCell;
use std::collections::BTreeSet;

use parlour::ast::*;
use parlour::source::Span;

/// The words that can be in front of `(x in S: …)`.
const BINDERS: &[&str] = &[
    "sum", "product", "count", "all", "some", "largest", "smallest", "first", "bag", "xor", "gcd", "lcm",
    "reach",
];

// ---- construction

pub fn value(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

pub fn named(text: impl Into<String>) -> Name {
    Name { text: text.into(), span: Span::default() }
}

pub fn word(text: impl AsRef<str>) -> Expr {
    value(ExprKind::Name(text.as_ref().to_string()))
}

pub fn number(n: i64) -> Expr {
    value(ExprKind::Number(n.into()))
}

pub fn not(cond: Expr) -> Expr {
    value(ExprKind::Not(Box::new(cond)))
}

pub fn both(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    value(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

pub fn compare(a: Expr, op: CompareOp, b: Expr) -> Expr {
    value(ExprKind::Compare(Box::new(a), vec![(op, b)]))
}

pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    value(ExprKind::Call(named(name), Inside { items: args, ..Inside::default() }))
}

pub fn statement(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

pub fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, span: Span::default() }
}

pub fn let_be(name: &str, value: Expr) -> Stmt {
    statement(StmtKind::Let(Pattern { names: vec![named(name)], span: Span::default() }, value))
}

pub fn part(kind: ItemKind) -> Item {
    Item { kind, span: Span::default(), doc: None }
}

/// Takes a value out, and leaves a placeholder for the caller to replace.
pub fn take(e: &mut Expr) -> Expr {
    std::mem::replace(e, value(ExprKind::None))
}

// ---- values inside values

/// Whether the contents of brackets bind names by `x in S`. `word` is the function before round brackets.
pub fn binds(word: Option<&Name>, inside: &Inside) -> bool {
    let first = inside.items.first().is_some_and(|item| source(item).is_some());
    word.is_none_or(|word| BINDERS.contains(&word.text.as_str())) && (inside.has_tail() || first)
}

/// Splits a source `x in S` into its names and S.
pub fn source(item: &Expr) -> Option<(Vec<&String>, &Expr)> {
    let ExprKind::Compare(subject, links) = &item.kind else { return None };
    let [(CompareOp::In, from)] = links.as_slice() else { return None };
    let names = match &subject.kind {
        ExprKind::Tuple(parts) => parts.iter().map(name_of).collect::<Option<Vec<_>>>()?,
        _ => vec![name_of(subject)?],
    };
    Some((names, from))
}

fn name_of(e: &Expr) -> Option<&String> {
    if let ExprKind::Name(name) = &e.kind { Some(name) } else { None }
}

macro_rules! children {
    ($name:ident, $inside:ident, $iter:ident, $deref:ident, $($mutable:tt)?) => {
        fn $inside<'e>(binds: bool, inside: &'e $($mutable)? Inside, out: &mut Vec<&'e $($mutable)? Expr>) {
            for item in inside.items.$iter() {
                let source = binds && source(item).is_some();
                if !source {
                    out.push(item);
                } else if let ExprKind::Compare(_, links) = &$($mutable)? item.kind {
                    out.push(&$($mutable)? links[0].1);
                }
            }
            let tail = [&$($mutable)? inside.filter, &$($mutable)? inside.stop, &$($mutable)? inside.body];
            out.extend(tail.into_iter().filter_map(|part| part.$deref()));
        }

        /// Returns the direct children of a value. Of a source `x in S` this is S. Texts have none.
        pub fn $name(e: &$($mutable)? Expr) -> Vec<&$($mutable)? Expr> {
            let mut out = Vec::new();
            match &$($mutable)? e.kind {
                ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::None => {}
                ExprKind::Every(_) | ExprKind::Name(_) | ExprKind::Board(_) | ExprKind::Wrong => {}
                ExprKind::Call(name, all) => $inside(binds(Some(name), all), all, &mut out),
                ExprKind::List(all) | ExprKind::Set(all) => $inside(binds(None, all), all, &mut out),
                ExprKind::Tuple(parts) => out.extend(parts.$iter()),
                ExprKind::Index(base, at) => {
                    out.push(base);
                    out.extend(at.$iter());
                }
                ExprKind::Field(a, _)
                | ExprKind::Not(a)
                | ExprKind::Negative(a)
                | ExprKind::AtLeast(a)
                | ExprKind::Is(a, ..) => out.push(a),
                ExprKind::Binary(_, a, b) => out.extend([& $($mutable)? **a, & $($mutable)? **b]),
                ExprKind::Compare(first, links) => {
                    out.push(first);
                    out.extend(links.$iter().map(|(_, e)| e));
                }
                ExprKind::With(base, at, put) => {
                    out.push(base);
                    out.extend(at.$iter());
                    out.push(put);
                }
                ExprKind::If(arms, otherwise) => {
                    arms.$iter().for_each(|(cond, then)| out.extend([cond, then]));
                    out.push(otherwise);
                }
                ExprKind::Case(subject, arms, otherwise) => {
                    out.push(subject);
                    for (labels, then) in arms.$iter() {
                        out.extend(labels.$iter());
                        out.push(then);
                    }
                    out.extend(otherwise.$deref());
                }
            }
            out
        }
    };
}

children!(children, inside, iter, as_deref,);
children!(children_mut, inside_mut, iter_mut, as_deref_mut, mut);

/// Returns the values interpolated in a text.
pub fn filled(e: &mut Expr) -> Vec<&mut Expr> {
    let ExprKind::Text(parts) = &mut e.kind else { return Vec::new() };
    parts.iter_mut().filter_map(|part| if let TextPart::Filled(e) = part { Some(e) } else { None }).collect()
}

/// Visits the values inside a value, innermost first, then the value itself. Texts are skipped.
pub fn inside_out(e: &mut Expr, on: &mut dyn FnMut(&mut Expr)) {
    if matches!(e.kind, ExprKind::Text(_)) {
        return;
    }
    children_mut(e).into_iter().for_each(|child| inside_out(child, on));
    on(e);
}

/// Whether a predicate holds for a value, or for any value inside it.
pub fn any(e: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    is(e) || children(e).into_iter().any(|child| any(child, is))
}

// ---- names

/// Returns the names bound inside a value.
pub fn bound(e: &Expr) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let inside = match &e.kind {
        ExprKind::Call(name, all) if binds(Some(name), all) => Some(all),
        ExprKind::List(all) | ExprKind::Set(all) if binds(None, all) => Some(all),
        _ => None,
    };
    for (names, _) in inside.iter().flat_map(|all| &all.items).filter_map(source) {
        out.extend(names.into_iter().cloned());
    }
    children(e).into_iter().for_each(|child| out.extend(bound(child)));
    out
}

/// Returns the names that a value reads without binding them. No name is bound again where it is in scope, so
/// comparing names is sufficient.
pub fn free(e: &Expr) -> BTreeSet<String> {
    fn used(e: &Expr, out: &mut BTreeSet<String>) {
        if let ExprKind::Name(name) = &e.kind {
            out.insert(name.clone());
        }
        children(e).into_iter().for_each(|child| used(child, out));
    }
    let mut out = BTreeSet::new();
    used(e, &mut out);
    let own = bound(e);
    out.retain(|name| !own.contains(name));
    out
}

/// Replaces names by values, also inside texts.
pub fn replace(e: &mut Expr, by: &dyn Fn(&str) -> Option<Expr>) {
    if let ExprKind::Name(name) = &e.kind {
        if let Some(new) = by(name) {
            *e = new;
        }
        return;
    }
    filled(e).into_iter().for_each(|part| replace(part, by));
    children_mut(e).into_iter().for_each(|child| replace(child, by));
}

/// Returns the names that a value reads without binding them, including those in texts.
pub fn names_read(e: &mut Expr) -> BTreeSet<String> {
    let found = RefCell::new(BTreeSet::new());
    replace(e, &|name| {
        found.borrow_mut().insert(name.to_string());
        None
    });
    let own = bound(e);
    found.into_inner().into_iter().filter(|name| !own.contains(name)).collect()
}

/// Renames names, also where they are bound.
pub fn rename(e: &mut Expr, new: &dyn Fn(&str) -> Option<String>) {
    replace(e, &|name| new(name).map(word));
    rename_sources(e, new);
}

fn rename_sources(e: &mut Expr, new: &dyn Fn(&str) -> Option<String>) {
    let inside = match &mut e.kind {
        ExprKind::Call(name, all) if binds(Some(name), all) => Some(all),
        ExprKind::List(all) | ExprKind::Set(all) if binds(None, all) => Some(all),
        _ => None,
    };
    for item in inside.into_iter().flat_map(|all| &mut all.items) {
        if let ExprKind::Compare(subject, _) = &mut item.kind {
            replace(subject, &|name| new(name).map(word));
        }
    }
    filled(e).into_iter().for_each(|part| rename_sources(part, new));
    children_mut(e).into_iter().for_each(|child| rename_sources(child, new));
}

// ---- statements

/// The role of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// An ordinary value.
    Value,
    /// The condition of a need whose reason refers to the element that fails, so it must stay an `all`.
    Pinned,
    /// The domain of a parameter.
    Domain,
    /// The window `low..high` of integers that bots choose from.
    Window,
    /// The target of an assignment.
    Place,
    /// A text, or the value of `show`.
    Text,
    /// A bound of a type.
    Type,
}

/// Returns the direct values of a statement, and its blocks.
pub fn inside_stmt(stmt: &mut Stmt) -> (Vec<(Root, &mut Expr)>, Vec<&mut Block>) {
    let (mut values, mut blocks) = (Vec::new(), Vec::new());
    match &mut stmt.kind {
        StmtKind::Let(_, e) => values.push((Root::Value, e)),
        StmtKind::Need(cond, reason) => {
            let pinned = matches!(&cond.kind, ExprKind::Call(name, _) if name.text == "all") && {
                let mut told = BTreeSet::new();
                filled(reason).into_iter().for_each(|part| told.extend(free(part)));
                !told.is_disjoint(&bound(cond))
            };
            values.push((if pinned { Root::Pinned } else { Root::Value }, cond));
            values.push((Root::Text, reason));
        }
        StmtKind::NeedIfPossible(cond, reason) => {
            values.push((Root::Value, cond));
            values.extend(reason.iter_mut().map(|e| (Root::Text, e)));
        }
        StmtKind::Award(amount, to, why) => {
            values.extend([(Root::Value, amount), (Root::Value, to)]);
            values.extend(why.iter_mut().map(|e| (Root::Text, e)));
        }
        StmtKind::Say(text, to) => {
            values.push((Root::Text, text));
            values.extend(to.iter_mut().map(|e| (Root::Value, e)));
        }
        StmtKind::Send(what, from, to) => {
            values.extend([(Root::Value, what), (Root::Place, from), (Root::Place, to)]);
        }
        StmtKind::Reveal(e) | StmtKind::Conceal(e) | StmtKind::Shuffle(e) | StmtKind::Draw(_, e) => {
            values.push((Root::Place, e));
        }
        StmtKind::Deal(count, from, to) => {
            values.extend([(Root::Value, count), (Root::Place, from), (Root::Place, to)]);
        }
        StmtKind::Out(e) | StmtKind::EndWhen(e) | StmtKind::Win(e) => values.push((Root::Value, e)),
        StmtKind::Chance(_, e, filter) => {
            values.push((Root::Domain, e));
            values.extend(filter.iter_mut().map(|filter| (Root::Value, filter)));
        }
        StmtKind::WinWhen(who, cond) => values.extend([(Root::Value, who), (Root::Value, cond)]),
        StmtKind::Again | StmtKind::End | StmtKind::Wrong => {}
        StmtKind::If(arms, otherwise) => {
            for (cond, body) in arms {
                values.push((Root::Value, cond));
                blocks.push(body);
            }
            blocks.extend(otherwise);
        }
        StmtKind::Each { source, filter, body, .. } => {
            values.push((Root::Domain, source));
            values.extend(filter.iter_mut().map(|e| (Root::Value, e)));
            blocks.push(body);
        }
        StmtKind::Cycle { source, filter, until, body, .. } => {
            values.push((Root::Domain, source));
            values.extend(filter.iter_mut().chain(ends(until)).map(|e| (Root::Value, e)));
            blocks.push(body);
        }
        StmtKind::Repeat { count, body, until, .. } => {
            values.extend(count.iter_mut().chain(ends(until)).map(|e| (Root::Value, e)));
            blocks.push(body);
        }
        StmtKind::Turns { by, from, before, body, after, .. } => {
            let all = by.iter_mut().chain(from).chain(ends(before)).chain(ends(after));
            values.extend(all.map(|e| (Root::Value, e)));
            blocks.push(body);
        }
        StmtKind::Ask(who, offers) | StmtKind::Together(who, offers) => {
            values.push((Root::Value, who));
            values.extend(given(offers).map(|e| (Root::Value, e)));
        }
        StmtKind::TogetherAsk(asks) => {
            for (who, offers) in asks {
                values.push((Root::Value, who));
                values.extend(given(offers).map(|e| (Root::Value, e)));
            }
        }
        StmtKind::Choose(offers) => values.extend(given(offers).map(|e| (Root::Value, e))),
        StmtKind::Phase(_, body) => blocks.push(body),
        StmtKind::Assign(target, _, e) => values.extend([(Root::Place, target), (Root::Value, e)]),
    }
    (values, blocks)
}

fn ends(until: &mut Option<Until>) -> Option<&mut Expr> {
    if let Some(Until::Cond(cond)) = until { Some(cond) } else { None }
}

fn given(offers: &mut Choices) -> impl Iterator<Item = &mut Expr> {
    offers.first.iter_mut().chain(&mut offers.otherwise).flat_map(|choice| choice.given.iter_mut().flatten())
}

/// Returns the names that a statement binds: names of `let`, elements, outcomes of chance, loops.
pub fn given_names(stmt: &mut Stmt) -> Vec<&mut Name> {
    match &mut stmt.kind {
        StmtKind::Let(pattern, _) => pattern.names.iter_mut().collect(),
        StmtKind::Each { pattern, label, .. } | StmtKind::Cycle { pattern, label, .. } => {
            pattern.names.iter_mut().chain(label).collect()
        }
        StmtKind::Repeat { label, .. } | StmtKind::Turns { label, .. } => label.iter_mut().collect(),
        StmtKind::Chance(name, ..) | StmtKind::Draw(name, _) => vec![name],
        _ => Vec::new(),
    }
}

/// Visits the values of a statement, including those in its blocks.
pub fn stmt_values(stmt: &mut Stmt, on: &mut dyn FnMut(Root, &mut Expr)) {
    let (values, blocks) = inside_stmt(stmt);
    values.into_iter().for_each(|(root, e)| on(root, e));
    blocks.into_iter().flat_map(|block| &mut block.stmts).for_each(|stmt| stmt_values(stmt, on));
}

/// Visits the statements of a block; those in the blocks of a statement come before the statement itself.
pub fn each_stmt(stmts: &mut [Stmt], on: &mut dyn FnMut(&mut Stmt)) {
    for stmt in stmts {
        inside_stmt(stmt).1.into_iter().for_each(|block| each_stmt(&mut block.stmts, on));
        on(stmt);
    }
}

/// Visits the lists of statements in a block, innermost first.
pub fn each_block(stmts: &mut Vec<Stmt>, on: &mut dyn FnMut(&mut Vec<Stmt>)) {
    for stmt in stmts.iter_mut() {
        inside_stmt(stmt).1.into_iter().for_each(|block| each_block(&mut block.stmts, on));
    }
    on(stmts);
}

// ---- files

/// Visits all values of a file, except for those of its examples.
pub fn file_values(file: &mut File, on: &mut dyn FnMut(Root, &mut Expr)) {
    for item in &mut file.items {
        match &mut item.kind {
            ItemKind::Option(option) => {
                option.ty.iter_mut().for_each(|of| type_values(of, on));
                on(Root::Type, &mut option.default);
            }
            ItemKind::Constant(_, e) | ItemKind::Define(_, _, e) | ItemKind::Score(_, e) => {
                on(Root::Value, e)
            }
            ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                for state in states {
                    type_values(&mut state.ty, on);
                    state.init.iter_mut().for_each(|e| on(Root::Value, e));
                }
            }
            ItemKind::Show(e, _) => on(Root::Text, e),
            ItemKind::Move(mv) => {
                for param in &mut mv.params {
                    param.domain.iter_mut().for_each(|e| on(Root::Domain, e));
                    param.filter.iter_mut().for_each(|e| on(Root::Value, e));
                    param.window.iter_mut().for_each(|e| on(Root::Window, e));
                }
                mv.body.stmts.iter_mut().for_each(|stmt| stmt_values(stmt, on));
            }
            ItemKind::Rule(_, _, body) | ItemKind::Play(body) => {
                body.stmts.iter_mut().for_each(|stmt| stmt_values(stmt, on));
            }
            ItemKind::Winner(winner) => {
                if let WinnerBy::Best(best) = &mut winner.by {
                    best.iter_mut().for_each(|(_, e)| on(Root::Value, e));
                }
            }
            ItemKind::Standing(rule) => stmt_values(rule, on),
            ItemKind::Need(cond, reason) => {
                on(Root::Value, cond);
                on(Root::Text, reason);
            }
            ItemKind::Kind(_, ty) => type_values(ty, on),
            ItemKind::Game(_) | ItemKind::Example(_) | ItemKind::Drop(..) => {}
        }
    }
}

fn type_values(ty: &mut Type, on: &mut dyn FnMut(Root, &mut Expr)) {
    match &mut ty.kind {
        TypeKind::Name(_) | TypeKind::Bool | TypeKind::Symbols(_) => {}
        TypeKind::AtLeast(low) => on(Root::Type, low),
        TypeKind::Range(low, high) => [low, high].into_iter().for_each(|e| on(Root::Type, e)),
        TypeKind::Optional(of) | TypeKind::Set(of) | TypeKind::Bag(of) => type_values(of, on),
        TypeKind::List(bound, of) => {
            bound.iter_mut().for_each(|(_, e)| on(Root::Type, e));
            type_values(of, on);
        }
        TypeKind::Grid { rows, columns, of, .. } => {
            [rows, columns].into_iter().for_each(|e| on(Root::Type, e));
            type_values(of, on);
        }
        TypeKind::Tuple(parts) => parts.iter_mut().for_each(|part| type_values(&mut part.ty, on)),
        TypeKind::Either(kinds) => kinds.iter_mut().for_each(|kind| type_values(kind, on)),
        TypeKind::Map(value, key) => [value, key].into_iter().for_each(|part| type_values(part, on)),
    }
}

/// Visits all values that play depends on and that may be rewritten, innermost first.
pub fn rewritable(file: &mut File, on: &mut dyn FnMut(&mut Expr)) {
    file_values(file, &mut |root, e| match root {
        Root::Value | Root::Domain => inside_out(e, on),
        Root::Pinned | Root::Window => children_mut(e).into_iter().for_each(|child| inside_out(child, on)),
        Root::Place => in_place(e, on),
        Root::Text | Root::Type => {}
    });
}

/// Visits the values that determine which place is assigned.
fn in_place(e: &mut Expr, on: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Index(base, at) => {
            in_place(base, on);
            at.iter_mut().for_each(|e| inside_out(e, on));
        }
        ExprKind::Field(base, _) => inside_out(base, on),
        ExprKind::Tuple(parts) => parts.iter_mut().for_each(|part| in_place(part, on)),
        _ => {}
    }
}

/// Returns the bodies of a file's moves, rules and play.
pub fn bodies(file: &mut File) -> impl Iterator<Item = &mut Block> {
    file.items.iter_mut().filter_map(|item| match &mut item.kind {
        ItemKind::Move(Move { body, .. }) | ItemKind::Rule(_, _, body) | ItemKind::Play(body) => Some(body),
        _ => None,
    })
}

/// Visits all statements, innermost first. Returns how many were changed.
pub fn change_each(file: &mut File, on: &mut dyn FnMut(&mut Stmt) -> bool) -> usize {
    let mut places = 0;
    for body in bodies(file) {
        each_stmt(&mut body.stmts, &mut |stmt| places += usize::from(on(stmt)));
    }
    places
}

/// Replaces each statement by others. Returns how many were changed.
pub fn change_lists(file: &mut File, on: &mut dyn FnMut(Stmt, &mut Vec<Stmt>) -> bool) -> usize {
    let mut places = 0;
    for body in bodies(file) {
        each_block(&mut body.stmts, &mut |stmts| {
            for stmt in std::mem::take(stmts) {
                places += usize::from(on(stmt, stmts));
            }
        });
    }
    places
}

/// Replaces two consecutive statements by others. Returns how many pairs were changed.
pub fn change_pairs(file: &mut File, on: &mut dyn FnMut(&Stmt, &Stmt) -> Option<Vec<Stmt>>) -> usize {
    let mut places = 0;
    for body in bodies(file) {
        each_block(&mut body.stmts, &mut |stmts| {
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

/// Returns how many leading statements of a move judge it: its needs, and the `let`s before them.
pub fn checks(stmts: &[Stmt]) -> usize {
    let is_need = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Need(..) | StmtKind::NeedIfPossible(..));
    let leading = stmts.iter().take_while(|stmt| is_need(stmt) || matches!(stmt.kind, StmtKind::Let(..)));
    leading.enumerate().filter(|(_, stmt)| is_need(stmt)).map(|(at, _)| at + 1).last().unwrap_or(0)
}
