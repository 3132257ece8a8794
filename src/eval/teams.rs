//! Teams: seats that win and lose together, whatever happens, as the rules are written and with the options of a match.
//!
//! What the winner rule compares is written out for each seat: everything that is known before the match is evaluated, loops over
//! what is known are unrolled, and what is added up is put in order. Seats for which the same is left are in the same team.

use std::collections::BTreeMap;

use super::elements::each;
use super::{Machine, Position};
use crate::ir::{
    Arith, Expr, ExprKind, Fold, FoldKind, Game, Interests, Lambda, Op, Scoring, Slot, TextPart, Type, Value,
    WinnerBy, children, children_mut, expr_text, free_slots, is_state_read, reads_position, reset_by, resets,
};

/// How deep functions may call each other.
const MOST_CALLS: usize = 20;
/// The most players on whom it may depend who wins.
const MOST_PLAYERS_NAMED: usize = 2;
/// The most elements of a loop that is unrolled.
const MOST_ELEMENTS: usize = 64;

impl Machine {
    /// Returns how the interests of the players are related, teams included.
    pub(super) fn interests_in_teams(&self) -> Interests {
        let (seats, game) = (self.setup.players, &self.game);
        if self.interests == Interests::Common || !(3..=Interests::MOST_IN_TEAMS).contains(&seats) {
            return self.interests;
        }
        // Most games name one winner, and need no closer look.
        let names_one = |op: &Op| matches!(op, Op::End(Some(who)) if matches!(who.kind, ExprKind::Local(_)));
        let compares = || game.winner.as_ref().is_none_or(|winner| matches!(winner.by, WinnerBy::Best(_)));
        if game.code.iter().any(names_one) || !compares() {
            return self.interests;
        }
        let Ok(blank) = self.blank() else { return self.interests };
        let known = Known { machine: self, blank: &blank };
        let mut of: Vec<usize> = (0..seats).collect();
        for seat in 1..seats {
            let first = (0..seat).find(|other| of[*other] == *other && known.are_partners(*other, seat));
            of[seat] = first.unwrap_or(seat);
        }
        Interests::of_teams(&of)
    }

    /// Whether seats that win and lose together have the same score, as the rules are written.
    pub fn sides_have_common_scores(&self) -> bool {
        let Scoring::Each(score) = &self.game.scoring else { return self.setup.players == 1 };
        let Ok(blank) = self.blank() else { return false };
        let known = Known { machine: self, blank: &blank };
        self.game.is_same_for_all(score)
            || self
                .sides()
                .iter()
                .all(|side| side[1..].iter().all(|seat| known.are_alike(score, side[0], *seat)))
    }
}

/// What is known before a match.
struct Known<'m> {
    machine: &'m Machine,
    blank: &'m Position,
}

/// The local variables whose values are known.
type Locals = BTreeMap<Slot, Value>;

impl Known<'_> {
    fn game(&self) -> &Game {
        &self.machine.game
    }

    /// Whether two seats win and lose together at each end of play.
    fn are_partners(&self, one: usize, other: usize) -> bool {
        self.game().code.iter().all(|op| match op {
            Op::End(None) => self.are_compared_alike(one, other),
            Op::End(Some(who)) => {
                self.named_by(who).is_some_and(|named| named.iter().all(|who| names_both(who, one, other)))
            }
            _ => true,
        })
    }

    /// Whether the winner rule compares the same for two seats.
    fn are_compared_alike(&self, one: usize, other: usize) -> bool {
        let Some(winner) = &self.game().winner else { return true };
        let WinnerBy::Best(keys) = &winner.by else { return false };
        !winner.then_last_mover
            && self.game().keeps_all_in()
            && keys.iter().all(|(_, key)| self.are_alike(key, one, other))
    }

    /// Whether a value is the same for two seats.
    fn are_alike(&self, value: &Lambda, one: usize, other: usize) -> bool {
        let of = |seat: usize| text(self.game(), &self.call(value, vec![Value::Player(seat)], 0));
        of(one) == of(other)
    }

    /// Returns what an expression for who wins comes to, written out, for each player that it may depend on, such as the mover in
    /// `win [p in players where team(p) = team(me)]`. `None` if it depends on anything else that is not known.
    fn named_by(&self, who: &Expr) -> Option<Vec<Expr>> {
        let free = free_slots(who);
        if free.len() > MOST_PLAYERS_NAMED || !free.iter().all(|slot| is_player(who, *slot)) {
            return None;
        }
        let mut rounds = vec![Locals::new()];
        for slot in free {
            let seats = 0..self.machine.setup.players;
            let with = |round: &Locals, seat| {
                let mut round = round.clone();
                round.insert(slot, Value::Player(seat));
                round
            };
            rounds = rounds.iter().flat_map(|round| seats.clone().map(|seat| with(round, seat))).collect();
        }
        Some(rounds.iter().map(|round| self.left(who, round, 0)).collect())
    }

    /// Returns what is left of the body of a function, given its arguments.
    fn call(&self, lambda: &Lambda, args: Vec<Value>, depth: usize) -> Expr {
        self.left(&lambda.body, &args.into_iter().enumerate().collect(), depth)
    }

    /// Returns what is left of an expression when everything that is known is evaluated: a value, or a text that is the same for
    /// expressions that have the same value in all positions as far as can be told.
    fn left(&self, e: &Expr, known: &Locals, depth: usize) -> Expr {
        if let Some(value) = self.value(e, known) {
            return constant(e, value);
        }
        let left = |part: &Expr| self.left(part, known, depth);
        match &e.kind {
            ExprKind::Score(whose) => {
                let whose = left(whose);
                match (&whose.kind, &self.game().scoring) {
                    (ExprKind::Value(Value::Player(seat)), Scoring::Each(score)) => {
                        self.call(score, vec![Value::Player(*seat)], depth)
                    }
                    _ => opaque(e, format!("score({})", text(self.game(), &whose))),
                }
            }
            ExprKind::Call(function, args) if depth < MOST_CALLS => {
                let args: Vec<Expr> = args.iter().map(left).collect();
                let values: Option<Vec<Value>> = args.iter().map(|arg| value_of(arg).cloned()).collect();
                match values {
                    Some(values) => self.call(&self.game().functions[*function].lambda, values, depth + 1),
                    None => opaque(e, format!("call {function}({})", self.texts(&args).join(", "))),
                }
            }
            ExprKind::If(arms, otherwise) => {
                for (condition, then) in arms {
                    match value_of(&left(condition)) {
                        Some(Value::Bool(false)) => {}
                        Some(Value::Bool(true)) => return left(then),
                        _ => return self.written_out(e, known, depth),
                    }
                }
                left(otherwise)
            }
            ExprKind::Fold(fold) => match self.unrolled(e, fold, known, depth) {
                Some(unrolled) => unrolled,
                None => self.written_out(e, known, depth),
            },
            ExprKind::Arith(Arith::Add | Arith::Mul, one, other) => {
                let sign = if matches!(e.kind, ExprKind::Arith(Arith::Add, ..)) { "+" } else { "*" };
                let parts = [left(one), left(other)];
                match self.value_of_parts(e, &parts) {
                    Some(value) => constant(e, value),
                    None => {
                        let mut parts = self.texts(&parts);
                        parts.sort();
                        opaque(e, format!("({})", parts.join(sign)))
                    }
                }
            }
            ExprKind::Own(state, whose) => {
                let whose = left(whose);
                match value_of(&whose) {
                    Some(Value::Player(seat)) if self.never_changes(*state) => {
                        constant(e, self.blank.cells[self.machine.setup.bases[*state] + seat].clone())
                    }
                    _ => opaque(e, format!("{state} of {}", text(self.game(), &whose))),
                }
            }
            _ => self.written_out(e, known, depth),
        }
    }

    /// Returns an expression whose parts are written out.
    fn written_out(&self, e: &Expr, known: &Locals, depth: usize) -> Expr {
        let mut left = e.clone();
        // Local variables within it are those of the expression itself, so that only those around it are replaced.
        children_mut(&mut left, &mut |part| *part = self.left(part, known, depth));
        match self.value(&left, &Locals::new()) {
            Some(value) => constant(e, value),
            None => opaque(e, expr_text(self.game(), &left)),
        }
    }

    /// Unrolls a loop over elements that are known.
    fn unrolled(&self, e: &Expr, fold: &Fold, known: &Locals, depth: usize) -> Option<Expr> {
        use FoldKind as F;
        let mut rounds = vec![known.clone()];
        for source in &fold.sources {
            let mut next = Vec::new();
            for round in rounds {
                let listed = Expr { kind: ExprKind::Listed(Box::new(source.domain.clone())), ..e.clone() };
                let listed = self.left(&listed, &round, depth);
                let Some(Value::List(items)) = value_of(&listed) else { return None };
                for item in items.iter() {
                    let mut round = round.clone();
                    match (source.slots.as_slice(), item) {
                        ([slot], item) => _ = round.insert(*slot, item.clone()),
                        (slots, Value::List(parts)) if slots.len() == parts.len() => {
                            round.extend(slots.iter().copied().zip(parts.iter().cloned()));
                        }
                        _ => return None,
                    }
                    next.push(round);
                }
                if next.len() > MOST_ELEMENTS {
                    return None;
                }
            }
            rounds = next;
        }
        if fold.stop.is_some() {
            return None;
        }
        let (mut parts, mut values) = (Vec::new(), Some(Vec::new()));
        for round in &rounds {
            let taken = fold.filter.as_ref().map(|filter| self.left(filter, round, depth));
            match taken.as_ref().map(value_of) {
                Some(Some(Value::Bool(false))) => continue,
                None | Some(Some(_)) => {}
                Some(None) => values = None,
            }
            let body = self.left(&fold.body, round, depth);
            match (value_of(&body), &mut values) {
                (Some(value), Some(values)) => values.push(value.clone()),
                _ => values = None,
            }
            let taken = taken.filter(|taken| value_of(taken).is_none());
            let when = taken.map_or(String::new(), |taken| format!(" when {}", text(self.game(), &taken)));
            parts.push(text(self.game(), &body) + &when);
        }
        if let (Some(values), F::List) = (values, fold.kind) {
            return Some(constant(e, Value::list(values)));
        }
        if !matches!(fold.kind, F::First | F::List | F::Reach) {
            parts.sort();
        }
        Some(opaque(e, format!("{:?}[{}]", fold.kind, parts.join("; "))))
    }

    /// Returns the value of an expression that reads nothing of a position, if its local variables are known.
    fn value(&self, e: &Expr, known: &Locals) -> Option<Value> {
        if let ExprKind::Value(value) = &e.kind {
            return Some(value.clone());
        }
        if reads_position(e) || is_opaque(e) || !free_slots(e).iter().all(|slot| known.contains_key(slot)) {
            return None;
        }
        let mut frame =
            vec![Value::Unset; highest_slot(e).max(known.keys().last().copied().unwrap_or(0)) + 1];
        known.iter().for_each(|(slot, value)| frame[*slot] = value.clone());
        self.machine.ask(self.blank, |env| env.eval(e, &mut frame)).ok()
    }

    fn value_of_parts(&self, e: &Expr, parts: &[Expr; 2]) -> Option<Value> {
        value_of(&parts[0]).and(value_of(&parts[1]))?;
        let mut e = e.clone();
        let mut parts = parts.iter().cloned();
        children_mut(&mut e, &mut |part| *part = parts.next().unwrap_or_else(|| part.clone()));
        self.value(&e, &Locals::new())
    }

    fn texts(&self, parts: &[Expr]) -> Vec<String> {
        parts.iter().map(|part| text(self.game(), part)).collect()
    }

    /// Whether a state variable keeps its initial value.
    fn never_changes(&self, state: usize) -> bool {
        let game = self.game();
        let changed = |op: &Op| {
            crate::ir::changes(op).iter().any(|(place, _)| place.state == state)
                || resets(game, op).any(|(reset, _)| reset == state)
        };
        let again = (0..game.loops.len()).any(|pass| reset_by(game, pass).any(|(reset, _)| reset == state));
        !again && !game.code.iter().any(changed)
    }
}

/// Whether an expression for who wins, written out, names both of two seats or neither.
fn names_both(who: &Expr, one: usize, other: usize) -> bool {
    let names = |seat: usize| match &who.kind {
        ExprKind::Value(Value::Player(only)) => Some(*only == seat),
        ExprKind::Value(several) => Some(each(several).any(|named| named == Value::Player(seat))),
        _ => None,
    };
    names(one).is_some() && names(one) == names(other)
}

/// Whether a local variable in an expression holds a player.
fn is_player(e: &Expr, slot: Slot) -> bool {
    let mut found = matches!(e.kind, ExprKind::Local(own) if own == slot) && e.ty == Type::Player;
    children(e, &mut |part| found = found || is_player(part, slot));
    found
}

fn value_of(e: &Expr) -> Option<&Value> {
    match &e.kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

fn constant(e: &Expr, value: Value) -> Expr {
    Expr { kind: ExprKind::Value(value), ty: e.ty.clone(), span: e.span }
}

/// An expression of which only a text is known that tells it from others.
fn opaque(e: &Expr, text: String) -> Expr {
    Expr { kind: ExprKind::Text(vec![TextPart::Chars(text)]), ty: Type::Text, span: e.span }
}

/// Whether an expression or a part of it is [`opaque`].
fn is_opaque(e: &Expr) -> bool {
    let mut found = matches!(e.kind, ExprKind::Text(_)) || is_state_read(e);
    children(e, &mut |part| found = found || is_opaque(part));
    found
}

fn text(game: &Game, e: &Expr) -> String {
    expr_text(game, e)
}

/// Returns the highest slot in an expression.
fn highest_slot(e: &Expr) -> Slot {
    let mut highest = match &e.kind {
        ExprKind::Local(slot) => *slot,
        ExprKind::Fold(fold) => {
            fold.sources.iter().flat_map(|source| &source.slots).copied().max().unwrap_or(0)
        }
        ExprKind::Let(slots, ..) => slots.iter().copied().max().unwrap_or(0),
        _ => 0,
    };
    children(e, &mut |part| highest = highest.max(highest_slot(part)));
    highest
}
