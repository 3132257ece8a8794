//! The needs of a move one by one, with the values they were judged by, as shown by `:why`.

use serde_json::{Map, Value as Json};

use super::args::{chosen, read_args};
use super::{Match, Reason, Refused};
use crate::ast::ItemKind;
use crate::eval::{Env, Fault, text};
use crate::ir::{
    Domain, Expr, ExprKind, FoldKind, Move, MoveCheck, Slot, Type, Value, children, domain_parts,
};
use crate::source::Span;
use crate::syntax::parse;

/// A domain or need of a move, and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Whether it holds.
    pub holds: bool,
    /// Its text in the rule file, if it belongs to one place there.
    pub rule: Option<String>,
    /// The operands it compares, as written, and their values.
    pub values: Vec<(String, String)>,
    /// The message if it fails, and its place.
    pub reason: Reason,
}

/// Evaluates a `let` and binds its name, or destructures the value into its names.
pub(super) fn bind(frame: &mut Vec<Value>, slots: &[Slot], env: &Env, value: &Expr) -> Result<(), Fault> {
    match (slots, env.eval(value, frame)?) {
        ([slot], value) => frame[*slot] = value,
        (slots, Value::List(parts)) => {
            slots.iter().zip(parts.iter()).for_each(|(slot, part)| frame[*slot] = part.clone());
        }
        _ => {}
    }
    Ok(())
}

impl Match {
    /// Returns every domain and need of a move in order, up to the first that fails, with its operand values.
    pub fn needs(&self, player: usize, name: &str, args: &Map<String, Json>) -> Result<Vec<Need>, Refused> {
        let told = self.why(player, name, args)?;
        let mv = self.find_move(name)?;
        let values = read_args(&self.rules.game, mv, args).map_err(|error| Refused::new("refused", error))?;
        let weighed = self
            .machine()
            .ask(self.position(), |env| self.check_values(env, player - 1, mv, &values, told.len()))
            .unwrap_or_default();
        let texts = self.rule_texts(mv);
        let mut weighed = weighed.into_iter();
        let need = |(holds, reason): (bool, Reason)| {
            // Reasons that are not from the move's own checks have no text in the move.
            let here =
                weighed.next().filter(|(span, _)| self.place_of(*span) == (reason.line, reason.column));
            let (rule, values) = match here {
                Some((span, values)) => {
                    let text = texts.iter().find(|(at, _)| *at == span.start).map(|(_, text)| text.clone());
                    (text, values)
                }
                None => (None, Vec::new()),
            };
            Need { holds, rule, values, reason }
        };
        Ok(told.into_iter().map(need).collect())
    }

    /// Returns the place and reason of the first need that refuses a move when nobody is to move, as after
    /// the end. `None` if all needs hold, or if the move has given parameters, which only an offer supplies.
    pub(super) fn refusing_need(
        &self,
        player: usize,
        name: &str,
        args: &Map<String, Json>,
    ) -> Option<(Span, String)> {
        let mv = self.find_move(name).ok()?;
        if mv.params.iter().any(|param| param.domain.is_none()) {
            return None;
        }
        let values = read_args(&self.rules.game, mv, args).ok()?;
        let judged = self.machine().ask(self.position(), |env| {
            let mut frame = self.position().frame.clone();
            frame[mv.me] = Value::Player(player - 1);
            for (param, value) in chosen(mv).zip(&values) {
                frame[param.slot] = value.clone();
            }
            for check in &mv.checks {
                match check {
                    MoveCheck::Let(slots, value) => bind(&mut frame, slots, env, value)?,
                    MoveCheck::Need { cond, reason, span } => {
                        if env.eval(cond, &mut frame)? == Value::Bool(false) {
                            let reason = env.eval(reason, &mut frame)?;
                            return Ok(Some((*span, text::words(&self.rules.game, &reason))));
                        }
                    }
                    MoveCheck::SoftNeed { .. } => {}
                }
            }
            Ok(None)
        });
        judged.ok().flatten()
    }

    fn place_of(&self, span: Span) -> (usize, usize) {
        let at = self.rules.source.position(span.start);
        (at.line, at.column)
    }

    /// Returns the texts of the parameters (with domains) and needs (without reasons), by start offset.
    pub(super) fn rule_texts(&self, mv: &Move) -> Vec<(usize, String)> {
        let mut texts = Vec::new();
        let (file, _) = parse(&self.rules.source);
        for item in &file.items {
            let ItemKind::Move(written) = &item.kind else { continue };
            if written.name.text != mv.name {
                continue;
            }
            for param in &written.params {
                let last = param.filter.as_ref().or(param.domain.as_ref());
                let end = last.map_or(param.name.span.end, |last| last.span.end);
                let span = Span::new(param.name.span.start, end);
                texts.push((span.start, self.one_line(span)));
            }
        }
        for check in &mv.checks {
            if let MoveCheck::Need { reason, span, .. } = check {
                let inside = span.start < reason.span.start && reason.span.start < span.end;
                let end = if inside { reason.span.start } else { span.end };
                let text = self.one_line(Span::new(span.start, end));
                texts.push((span.start, text.strip_suffix(" else").unwrap_or(&text).to_string()));
            }
        }
        texts
    }

    pub(super) fn one_line(&self, span: Span) -> String {
        self.rules.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the span and operand values of the first `many` domains and needs of a move, in order.
    #[allow(clippy::type_complexity)]
    fn check_values(
        &self,
        env: &Env,
        seat: usize,
        mv: &Move,
        args: &[Value],
        many: usize,
    ) -> Result<Vec<(Span, Vec<(String, String)>)>, Fault> {
        let mut frame = self.position().frame.clone();
        let game = &self.rules.game;
        let offer = self.machine().choice(self.position()).and_then(|choice| {
            let mut offers = choice.all_offers();
            offers.find(|offer| game.moves[offer.mv].name == mv.name)
        });
        let Some(offer) = offer else { return Ok(Vec::new()) };
        let given = mv.params.iter().filter(|param| param.domain.is_none());
        for (param, value) in given.zip(&offer.given) {
            frame[param.slot] = env.eval(value, &mut frame)?;
        }
        frame[mv.me] = Value::Player(seat);
        let mut out = Vec::new();
        for (param, value) in chosen(mv).zip(args) {
            let mut values = vec![(param.name.clone(), text::spoken(game, value))];
            if let Some(domain) = &param.domain {
                let (of, condition) = apart_from_condition(domain);
                let mut of_domain = Vec::new();
                operands_of(of, &mut of_domain);
                values.extend(self.operand_values(env, &of_domain, &frame));
                if let Some((slot, condition)) = condition {
                    let mut parts = Vec::new();
                    operands(condition, &mut parts);
                    // Sizes, as in `subsets(1..3, S)`, became a condition when rules were checked; what was written as one
                    // comes after the domain.
                    parts.retain(|part| of_domain.iter().all(|of| of.span.end <= part.span.start));
                    let mut chosen = frame.clone();
                    chosen[slot] = value.clone();
                    let told: Vec<String> = values.iter().map(|(name, _)| name.clone()).collect();
                    let more = self.operand_values(env, &parts, &chosen);
                    values.extend(more.into_iter().filter(|(name, _)| !told.contains(name)));
                }
            }
            out.push((param.span, values));
            frame[param.slot] = value.clone();
        }
        for check in &mv.checks {
            if out.len() >= many {
                break;
            }
            match check {
                MoveCheck::Let(slots, value) => bind(&mut frame, slots, env, value)?,
                MoveCheck::Need { cond, span, .. } => {
                    let mut parts = Vec::new();
                    operands(cond, &mut parts);
                    let mut values = self.operand_values(env, &parts, &frame);
                    values.extend(self.exception_values(env, cond, &frame)?);
                    out.push((*span, values));
                }
                MoveCheck::SoftNeed { .. } => {}
            }
        }
        Ok(out)
    }

    /// Returns the first element that a condition on all elements fails for, and the operands of the condition there.
    fn exception_values(
        &self,
        env: &Env,
        cond: &Expr,
        frame: &[Value],
    ) -> Result<Vec<(String, String)>, Fault> {
        let mut frame = frame.to_vec();
        let mut failing = cond;
        while let ExprKind::And(a, b) = &failing.kind {
            failing = if env.eval(a, &mut frame)? == Value::Bool(false) { a } else { b };
        }
        let (all, fails_at) = match &failing.kind {
            ExprKind::Not(inner) => (inner.as_ref(), FoldKind::Some),
            _ => (failing, FoldKind::All),
        };
        let ExprKind::Fold(fold) = &all.kind else { return Ok(Vec::new()) };
        if fold.kind != fails_at || env.eval(failing, &mut frame)? != Value::Bool(false) {
            return Ok(Vec::new());
        }
        // The evaluation has stopped at that element, which is in the frame.
        let mut parts = Vec::new();
        for slot in fold.sources.iter().flat_map(|source| &source.slots) {
            parts.extend(mention(&fold.body, *slot));
        }
        operands(&fold.body, &mut parts);
        Ok(self.operand_values(env, &parts, &frame))
    }

    /// Returns the source text and value of each expression, except for literals, boards, duplicates and faults.
    pub(super) fn operand_values(
        &self,
        env: &Env,
        parts: &[&Expr],
        frame: &[Value],
    ) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for part in parts {
            let name = self.one_line(part.span);
            // The board is on the table; written out here, it would hide the rest.
            let is_board = matches!(part.ty, Type::Grid(_));
            if is_board
                || matches!(part.kind, ExprKind::Value(_))
                || out.iter().any(|(known, _)| *known == name)
            {
                continue;
            }
            let mut probe = frame.to_vec();
            if let Ok(value) = env.eval(part, &mut probe) {
                let words = match value {
                    Value::None => "none".to_string(),
                    value => text::spoken(&self.rules.game, &value),
                };
                if words != name {
                    out.push((name, words));
                }
            }
        }
        out
    }
}

/// Returns an expression that is nothing but a variable, where a condition mentions it.
fn mention(e: &Expr, slot: Slot) -> Option<&Expr> {
    if matches!(e.kind, ExprKind::Local(own) if own == slot) {
        return Some(e);
    }
    let mut found = None;
    children(e, &mut |part| found = found.or_else(|| mention(part, slot)));
    found
}

/// Collects the operands of a condition whose values decide it.
pub(super) fn operands<'e>(cond: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &cond.kind {
        ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Call(..)
        | ExprKind::Builtin(..)
            if cond.ty == crate::ir::Type::Bool =>
        {
            children(cond, &mut |part| operands(part, out));
        }
        ExprKind::Compare(..) | ExprKind::IsNone(_) => children(cond, &mut |part| out.push(part)),
        ExprKind::In(value, domain) => {
            out.push(value);
            operands_of(domain, out);
        }
        // A fold over many elements has no single value to show.
        ExprKind::Fold(_) => {}
        _ => out.push(cond),
    }
}

/// Returns what a parameter is chosen from apart from the condition on it, and the condition with the slot that it reads the value
/// from.
fn apart_from_condition(domain: &Domain) -> (&Domain, Option<(Slot, &Expr)>) {
    match domain {
        Domain::Where(slot, of, condition) => (of, Some((*slot, condition))),
        // What can be listed becomes `[x in D where C]` when rules are checked; what was written so has its condition inside.
        Domain::Values(Expr { kind: ExprKind::Fold(fold), span, .. })
            if let ([source], Some(condition)) = (fold.sources.as_slice(), &fold.filter)
                && let [slot] = source.slots.as_slice()
                && fold.kind == FoldKind::List
                && condition.span.start >= span.end
                && matches!(fold.body.kind, ExprKind::Local(own) if own == *slot) =>
        {
            (&source.domain, Some((*slot, condition)))
        }
        domain => (domain, None),
    }
}

fn operands_of<'e>(domain: &'e Domain, out: &mut Vec<&'e Expr>) {
    domain_parts(domain, out);
}
