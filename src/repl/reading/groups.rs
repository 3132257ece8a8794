//! Which numbers of a line belong together by its brackets, commas and colons, and whether a reading keeps them
//! together: `(1,2) 3`, `1,2 3` and `1,2: 3` have a pair and a single number, so a move that takes a value and a
//! square is read as that square and that value.

use std::collections::BTreeSet;

use super::tokens::{Kind, Token};
use super::values::{At, same};
use crate::ir::{
    Expr, ExprKind, Game, Move, Op, Slot, Type, children, effect_changes, legality_parts, op_parts,
};

/// Words between values that part them as a colon does: `3 at 1 2`.
const PARTING: &[&str] = &["to", "at", "on", "in", "into"];
/// The most functions within functions that are searched for squares.
const DEEP: usize = 4;

/// Pairs of parameters, by their slots: the row and the column of one square, or parts of one tuple.
pub type Pairs = BTreeSet<(Slot, Slot)>;

/// A value of a line, given to a parameter.
#[derive(Debug, Clone)]
pub struct Given {
    /// The slot of the parameter.
    pub slot: Slot,
    /// Whether it is typed as a number, so that another parameter could take it.
    pub number: bool,
    /// Whether the line names the parameter.
    pub named: bool,
    /// Where the value ends.
    pub end: At,
}

/// What a reading makes of the groups of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// There are no groups, or the parameters are in their own order anyway.
    Plainly,
    /// Each group stays together, and only whole groups change their order.
    Turned,
    /// The line can be grouped in two ways, and the reading fits one of them.
    Perhaps,
    /// A group is torn: its numbers go to parameters that have nothing to do with each other.
    Torn,
    /// Values changed their order within groups or around them.
    Otherwise,
}

/// What stands between two neighbouring values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// A comma or the like without a space, or nothing.
    Tight,
    /// A comma or the like with a space.
    Comma,
    /// Only a space.
    Space,
    /// A colon, an equals sign, or a word like `at`.
    Colon,
    /// A bracket.
    Bracket,
}

/// Whether a value of this type may be typed as a number.
pub fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Player => true,
        Type::Optional(of) | Type::Either(_, of) => is_number(of),
        _ => false,
    }
}

// ---- what belongs together by the rules

/// Returns the pairs of a move's parameters that are one place together, by its conditions and effects.
pub fn pairs(game: &Game, mv: &Move) -> Pairs {
    let own: Vec<(Slot, Option<Slot>)> =
        mv.params.iter().map(|param| (param.slot, Some(param.slot))).collect();
    let mut found = Pairs::new();
    let mut parts = legality_parts(mv);
    for op in &game.code {
        if let Op::Do(effect, span) = op
            && mv.span.start <= span.start
            && span.end <= mv.span.end
        {
            parts.extend(op_parts(op));
            for (place, _) in effect_changes(effect) {
                place.path.windows(2).for_each(|two| note(&[&two[0], &two[1]], &own, &mut found));
            }
        }
    }
    parts.into_iter().for_each(|part| search(game, part, &own, 0, &mut found));
    found
}

/// Adds the pairs in an expression, whose slots hold the parameters that `slots` says.
fn search(game: &Game, e: &Expr, slots: &[(Slot, Option<Slot>)], depth: usize, found: &mut Pairs) {
    match &e.kind {
        ExprKind::Square(row, column) => note(&[row, column], slots, found),
        ExprKind::Tuple(parts) => note(&parts.iter().collect::<Vec<_>>(), slots, found),
        ExprKind::Index(outer, last) => {
            if let ExprKind::Index(_, first) = &outer.kind {
                note(&[first, last], slots, found);
            }
        }
        ExprKind::Call(function, args) if depth < DEEP => {
            let inner: Vec<(Slot, Option<Slot>)> =
                args.iter().enumerate().map(|(slot, arg)| (slot, param(arg, slots))).collect();
            search(game, &game.functions[*function].lambda.body, &inner, depth + 1, found);
        }
        _ => {}
    }
    children(e, &mut |part| search(game, part, slots, depth, found));
}

/// Adds the pairs of neighbours among expressions that are parameters.
fn note(parts: &[&Expr], slots: &[(Slot, Option<Slot>)], found: &mut Pairs) {
    for two in parts.windows(2) {
        if let (Some(a), Some(b)) = (param(two[0], slots), param(two[1], slots)) {
            found.extend([(a, b), (b, a)]);
        }
    }
}

/// Returns the slot of the move's parameter that an expression is.
fn param(e: &Expr, slots: &[(Slot, Option<Slot>)]) -> Option<Slot> {
    let ExprKind::Local(slot) = &e.kind else { return None };
    slots.iter().find(|(known, _)| known == slot)?.1
}

// ---- what belongs together in the line

/// Says what a reading makes of the groups of a line. `params` are the slots of the move's parameters in their
/// order, `given` the values in the order of the line.
pub fn kept(tokens: &[Token], start: At, params: &[Slot], given: &[Given], pairs: &Pairs) -> Kept {
    let ways = groupings(tokens, start, given);
    let Some(first) = ways.first() else { return Kept::Plainly };
    let whole =
        |groups: &Vec<Vec<usize>>| groups.iter().all(|group| is_whole(group, groups, params, given, pairs));
    match ways.len() {
        1 if !whole(first) => Kept::Torn,
        1 => order(first, params, given),
        _ if !ways.iter().any(whole) => Kept::Torn,
        _ if ways.iter().any(|groups| whole(groups) && order(groups, params, given) != Kept::Otherwise) => {
            Kept::Perhaps
        }
        _ => Kept::Otherwise,
    }
}

/// Whether the numbers of a group go to parameters that belong together.
fn is_whole(group: &[usize], all: &[Vec<usize>], params: &[Slot], given: &[Given], pairs: &Pairs) -> bool {
    let numbers: Vec<&Given> =
        group.iter().map(|at| &given[*at]).filter(|one| one.number && !one.named).collect();
    // Brackets around everything, and rows of the same length, leave the order as it is.
    let in_order = given.windows(2).all(|two| place(two[0].slot, params) < place(two[1].slot, params));
    let alike = all.iter().map(Vec::len).sum::<usize>() == given.len()
        && all.iter().all(|other| other.len() == group.len());
    let unnamed = params.len() - given.iter().filter(|one| one.named).count();
    group.len() == params.len()
        || numbers.len() == unnamed
        || in_order && alike
        || numbers.windows(2).all(|two| pairs.contains(&(two[0].slot, two[1].slot)))
}

/// Says how the order of the values differs from that of the parameters, if only whole groups were moved.
fn order(groups: &[Vec<usize>], params: &[Slot], given: &[Given]) -> Kept {
    let rises = |values: &[usize]| {
        values.windows(2).all(|two| place(given[two[0]].slot, params) < place(given[two[1]].slot, params))
    };
    let all: Vec<usize> = (0..given.len()).collect();
    let rest: Vec<usize> = all
        .iter()
        .copied()
        .filter(|at| !groups.iter().any(|group| group.len() > 1 && group.contains(at)))
        .collect();
    match rises(&all) {
        true => Kept::Plainly,
        false if groups.iter().all(|group| rises(group)) && rises(&rest) => Kept::Turned,
        false => Kept::Otherwise,
    }
}

/// Returns the position of a parameter among those of its move.
fn place(slot: Slot, params: &[Slot]) -> Option<usize> {
    params.iter().position(|known| *known == slot)
}

/// Returns the ways in which a line groups its values, by their positions: none if it does not, one, or two.
fn groupings(tokens: &[Token], start: At, given: &[Given]) -> Vec<Vec<Vec<usize>>> {
    let ends = [start].into_iter().chain(given.iter().map(|one| one.end)).collect::<Vec<_>>();
    let between: Vec<Between> =
        ends.windows(2).skip(1).map(|two| parted_by(tokens, two[0], two[1])).collect();
    let mut groups = bracketed(tokens, given);
    if between.contains(&Between::Colon) {
        groups.extend(runs(given.len(), |at| between[at] != Between::Colon));
    }
    let has = |what: Between| between.contains(&what);
    let tight = |at: usize| between[at] == Between::Tight;
    let mixed = |at: usize| matches!(between[at], Between::Tight | Between::Comma);
    if has(Between::Tight) && (has(Between::Comma) || has(Between::Space)) {
        groups.extend(runs(given.len(), tight));
    } else if has(Between::Comma) && has(Between::Space) {
        // `1, 2 3`: the comma may join or part.
        let joined = groups.iter().cloned().chain(runs(given.len(), mixed)).collect();
        let parted =
            groups.into_iter().chain(runs(given.len(), |at| between[at] == Between::Space)).collect();
        return vec![joined, parted];
    }
    groups.retain(|group| !group.is_empty());
    if groups.is_empty() { Vec::new() } else { vec![groups] }
}

/// Splits `count` values into runs, where `joined` says whether a value belongs with the next.
fn runs(count: usize, joined: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = Vec::new();
    for at in 0..count {
        match out.last_mut() {
            Some(run) if joined(at - 1) => run.push(at),
            _ => out.push(vec![at]),
        }
    }
    out
}

/// Returns the token in which a value ends.
fn last_token(end: At) -> usize {
    if end.byte == 0 { end.token.saturating_sub(1) } else { end.token }
}

/// Returns the groups of values in brackets. A list that has its own brackets is not within them.
fn bracketed(tokens: &[Token], given: &[Given]) -> Vec<Vec<usize>> {
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => open.push(at),
            Kind::Close => {
                if let Some(from) = open.pop() {
                    let within = |one: &Given| (from..at).contains(&last_token(one.end));
                    groups.push((0..given.len()).filter(|value| within(&given[*value])).collect());
                }
            }
            _ => {}
        }
    }
    groups
}

/// Says what stands between a value that ends at `from` and the next, which ends at `to`.
fn parted_by(tokens: &[Token], from: At, to: At) -> Between {
    let next = last_token(to);
    if from.byte > 0 && from.token == next {
        return Between::Tight;
    }
    let first = if from.byte > 0 { from.token + 1 } else { from.token };
    let skipped = tokens.get(first..next).unwrap_or_default();
    let has = |kinds: &[Kind]| skipped.iter().any(|token| kinds.contains(&token.kind));
    let parting =
        |token: &Token| token.kind == Kind::Run && PARTING.iter().any(|word| same(word, &token.text));
    let spaced = tokens.get(first..=next).unwrap_or_default().iter().any(|token| token.spaced);
    match () {
        _ if has(&[Kind::Open, Kind::Close]) => Between::Bracket,
        _ if has(&[Kind::Equals]) || skipped.iter().any(parting) => Between::Colon,
        _ if !spaced => Between::Tight,
        _ if has(&[Kind::Gap, Kind::Dash]) => Between::Comma,
        _ => Between::Space,
    }
}
