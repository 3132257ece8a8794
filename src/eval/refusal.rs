//! Whether a given move is legal, and why not, in words.

use super::fold::bind;
use super::legal::{Active, Chosen, Judged};
use super::not_in::{is_empty, lists_values};
use super::{Dom, Env, Fault, text};
use crate::ir::{
    Choice, Domain, Effect, Expr, ExprKind, Form, Move, MoveCheck, MoveId, Offer, Op, Param, Slot, StateId,
    Value, domain_reads,
};
use crate::source::Span;

/// Why a move is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The sentence for the player.
    pub text: String,
    /// The span in the rule file that refuses the move.
    pub span: Span,
    /// The argument that is not among the values of its domain, if `text` lists these.
    pub outside: Option<Outside>,
}

/// An argument that is not among the values of its domain, which a refusal lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The sentence for the player without the list of values.
    pub text: String,
    /// The number of arguments before it.
    pub before: usize,
}

/// A need as `why` reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedReport {
    /// Whether it holds.
    pub holds: bool,
    /// Its reason with the values filled in; if the need holds, the reason that would be given otherwise.
    pub reason: String,
    /// Its span.
    pub span: Span,
    /// The argument that is not among the values of its domain, if `reason` lists these.
    pub outside: Option<Outside>,
}

impl<'g> Env<'g> {
    /// Finds the offer that a move takes, or explains why the move is refused.
    pub fn refusal(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Result<Chosen, Refusal>, Fault> {
        let offers = self.active(choice, seat)?;
        let of_move = |offers: Active<'g>| -> Vec<(usize, &Offer)> {
            offers.each().filter(|(_, offer)| offer.mv == mv).collect()
        };
        let mut mine = of_move(offers);
        if mine.is_empty() {
            // No move of the first offers is legal: explain why this one is not.
            mine = of_move(Active { from: 0, offers: &choice.offers });
        }
        if mine.is_empty() {
            return self.refusal_of_closed(choice, seat, mv, args).map(Err);
        }
        let mut first: Option<Refusal> = None;
        for (number, offer) in mine {
            let told = self.explain_needs(offer, seat, args)?;
            let refused = told.into_iter().find(|told| !told.holds);
            let refusal = match refused {
                None => match self.soft_need_refusal(offers, offer, seat, args)? {
                    None => return Ok(Ok(Chosen { offer: number, mv, args: args.to_vec() })),
                    Some(refusal) => refusal,
                },
                Some(told) => Refusal { text: told.reason, span: told.span, outside: told.outside },
            };
            first.get_or_insert(refusal);
        }
        let impossible =
            || Refusal { text: "this move is not possible".into(), span: choice.span, outside: None };
        Ok(Err(first.unwrap_or_else(impossible)))
    }

    /// Returns the only phase in which a move is offered, if it is offered nowhere else.
    fn phase_of(&self, mv: MoveId) -> Option<&str> {
        let game = &self.machine.game;
        let (mut entered, mut found) = (Vec::new(), Vec::new());
        for op in &game.code {
            match op {
                Op::Do(Effect::Phase(Some(name)), _) => entered.push(name.as_str()),
                Op::Do(Effect::Phase(None), _) => drop(entered.pop()),
                Op::Choose(id) if game.choices[*id].all_offers().any(|offer| offer.mv == mv) => {
                    found.push(entered.last().copied());
                }
                _ => {}
            }
        }
        let first = found.first().copied().flatten()?;
        found.iter().all(|phase| *phase == Some(first)).then_some(first)
    }

    /// Explains why a move is refused that is not on offer: what it needs itself, or that it is only for those who
    /// cannot make another.
    fn refusal_of_closed(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Refusal, Fault> {
        let name = &self.machine.game.moves[mv].name;
        let about = |text: String| Refusal { text, span: choice.span, outside: None };
        let mut closed = choice.otherwise.iter().filter(|offer| offer.mv == mv).peekable();
        if closed.peek().is_none() {
            let when =
                self.phase_of(mv).map_or(String::new(), |phase| format!(", but of the phase `{phase}`"));
            return Ok(about(format!("`{name}` is not one of the moves here{when}")));
        }
        let mut first = None;
        for offer in closed {
            match self.explain_needs(offer, seat, args)?.into_iter().find(|told| !told.holds) {
                Some(told) => {
                    let refusal = Refusal { text: told.reason, span: told.span, outside: told.outside };
                    first.get_or_insert(refusal);
                }
                // Only what else can be done stands against it.
                None => {
                    let legal = self.what_is_legal(choice, seat)?;
                    let text = format!("`{name}` is only for those who cannot {legal}, and you can");
                    return Ok(about(text));
                }
            }
        }
        Ok(first.unwrap_or_else(|| about("this move is not possible".into())))
    }

    /// Returns the names of the moves, among the first that a choice offers, that a seat can make.
    fn what_is_legal(&self, choice: &'g Choice, seat: usize) -> Result<String, Fault> {
        let mut names: Vec<String> = Vec::new();
        for (from, offer) in choice.offers.iter().enumerate() {
            let alone = Active { from, offers: std::slice::from_ref(offer) };
            let name = format!("`{}`", self.machine.game.moves[offer.mv].name);
            if !names.contains(&name) && self.some_legal(alone, seat)? {
                names.push(name);
            }
        }
        Ok(names.join(" or "))
    }

    /// Returns every domain and need of a move in order, up to the first that fails.
    pub fn why(
        &self,
        choice: &'g Choice,
        seat: usize,
        mv: MoveId,
        args: &[Value],
    ) -> Result<Vec<NeedReport>, Fault> {
        let offers = self.active(choice, seat)?;
        // What a closed offer needs is told too; that it is closed is told by `refusal`.
        match offers.offers.iter().chain(&choice.otherwise).find(|offer| offer.mv == mv) {
            Some(offer) => self.explain_needs(offer, seat, args),
            None => Ok(Vec::new()),
        }
    }

    fn explain_needs(&self, offer: &Offer, seat: usize, args: &[Value]) -> Result<Vec<NeedReport>, Fault> {
        let mv = &self.machine.game.moves[offer.mv];
        let mut frame = self.frame();
        self.enter_offer(offer, seat, &mut frame)?;
        let mut told = Vec::new();
        let mut args = args.iter();
        // The parameters before, and what was chosen for them.
        let mut before: Vec<(Slot, String)> = Vec::new();
        for param in &mv.params {
            let Some(domain) = &param.domain else { continue };
            let (whole, condition) = domain.without_condition();
            let dom = self.domain(whole, &mut frame, true)?;
            let Some(value) = args.next() else { break };
            let among = dom.contains(value);
            let mut holds = among;
            let words = text::spoken(&self.machine.game, value);
            let why = self.not_in(whole, &dom, value);
            // What leaves nothing to choose is said with it.
            let leaves: Vec<&str> = before
                .iter()
                .filter(|(slot, _)| is_empty(&dom) && domain_reads(whole, *slot))
                .map(|(_, words)| words.as_str())
                .collect();
            let why = match leaves.is_empty() {
                true => why,
                false => why.after(&format!("with {}, ", leaves.join(" and "))),
            };
            // What an earlier choice leaves to choose is said with it.
            let of: Vec<String> = match &dom {
                Dom::Range(low, high) if low <= high => {
                    let on = before.iter().filter(|(slot, _)| domain_reads(whole, *slot));
                    on.map(|(_, words)| words.clone()).collect()
                }
                _ => Vec::new(),
            };
            before.push((param.slot, format!("`{}` {words}", param.name)));
            let brief = match self.beyond_limit(mv, whole, &dom, value) {
                Some(limit) => self.which_of_several(mv, param, &words, &limit),
                None => self.not_chosen(mv, param, whole, &words, among),
            };
            let unmet =
                if among { None } else { self.unmet_in_selection(whole, value, &mv.params, &mut frame)? };
            let shortly = match unmet {
                Some(why) => format!("{brief}: {why}"),
                None if of.is_empty() => brief.clone(),
                None => format!("{brief}: with {}, {}", of.join(" and "), why.text),
            };
            let outside = lists_values(&dom).then_some(Outside { text: shortly, before: told.len() });
            // A list of values has a colon of its own.
            let mark = if why.lists { ';' } else { ':' };
            let mut reason = format!("{brief}{mark} {}", why.text);
            let mut span = param.span;
            frame[param.slot] = value.clone();
            if let Some(condition) = condition.filter(|_| holds) {
                let fails = self.unmet(condition, (param, &mv.params), &mut frame)?;
                holds = fails.is_none();
                (reason, span) = match fails {
                    Some((part, why)) => (format!("{brief}: {why}"), part),
                    None => (reason, condition.span),
                };
            }
            told.push(NeedReport { holds, reason, span, outside: outside.filter(|_| !among) });
            if !holds {
                return Ok(told);
            }
        }
        for (number, check) in mv.checks.iter().enumerate() {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.eval(value, &mut frame)?;
                    bind(slots, value, &mut frame);
                }
                MoveCheck::Need { cond, reason, span } => {
                    let holds = self.truth(cond, &mut frame)?;
                    if let Some(coverage) = self.machine.coverage() {
                        coverage.record_need(offer.mv, number, holds);
                    }
                    let reason = self.reason(reason, holds, &mut frame)?;
                    told.push(NeedReport { holds, reason, span: *span, outside: None });
                    if !holds {
                        return Ok(told);
                    }
                }
                MoveCheck::SoftNeed { .. } => {}
            }
        }
        Ok(told)
    }

    /// Says that a value cannot be chosen for a parameter. `among` if it is one of those that the parameter is chosen from,
    /// apart from its condition.
    fn not_chosen(&self, mv: &Move, param: &Param, from: &Domain, words: &str, among: bool) -> String {
        let game = &self.machine.game;
        let named = |state: StateId| format!("`{}`", game.state[state].name);
        let chosen_from = match from {
            Domain::Values(e) if !among => &e.kind,
            _ => &ExprKind::Standing,
        };
        match chosen_from {
            ExprKind::Own(state, owner) if matches!(owner.kind, ExprKind::Local(slot) if slot == mv.me) => {
                return format!("{words} is not in your {}", named(*state));
            }
            ExprKind::Table(state) if game.state[*state].form.ty().is_collection() => {
                return format!("{words} is not in {}", named(*state));
            }
            ExprKind::Table(state) if matches!(game.state[*state].form, Form::Grid(..)) => {
                return format!("{words} is no square of {}", named(*state));
            }
            _ => {}
        }
        self.which_of_several(mv, param, words, "cannot be chosen")
    }

    /// Puts a value in front of what is said of it. Which of several values is meant has to be said only where they may be
    /// mistaken for each other.
    fn which_of_several(&self, mv: &Move, param: &Param, words: &str, said: &str) -> String {
        let alike = mv.params.iter().filter(|other| other.domain.is_some() && other.ty == param.ty);
        match (alike.count(), said) {
            (1, _) => format!("{words} {said}"),
            (_, "cannot be chosen") => format!("{words} {said} as `{}`", param.name),
            _ => format!("{words} as `{}` {said}", param.name),
        }
    }

    /// Says that a number is beyond the end of a range, if that has a name: `is more than your `purse`, 20`.
    fn beyond_limit(&self, mv: &Move, from: &Domain, dom: &Dom, value: &Value) -> Option<String> {
        let (Domain::Range(low, high), Dom::Range(least, most), Value::Int(n)) = (from, dom, value) else {
            return None;
        };
        let (side, end, limit) = match () {
            () if least > most => return None,
            () if n > most => ("more", &high.kind, most),
            () if n < least => ("less", &low.kind, least),
            () => return None,
        };
        let state = |id: StateId| &self.machine.game.state[id].name;
        let named = match end {
            ExprKind::Own(id, owner) if matches!(owner.kind, ExprKind::Local(slot) if slot == mv.me) => {
                format!("your `{}`", state(*id))
            }
            ExprKind::Table(id) => format!("`{}`", state(*id)),
            _ => return None,
        };
        Some(format!("is {side} than {named}, {limit}"))
    }

    /// Returns the reason of a need, with its values filled in.
    fn reason(&self, reason: &Expr, holds: bool, frame: &mut Vec<Value>) -> Result<String, Fault> {
        match self.eval(reason, frame) {
            Ok(value) => Ok(text::words(&self.machine.game, &value)),
            // A reason may refer to values that exist only when the need fails.
            Err(_) if holds => Ok(String::new()),
            Err(fault) => Err(fault),
        }
    }

    /// Returns why a move that meets every need is refused: other choices meet the needs that bind only where
    /// possible, and this one does not.
    fn soft_need_refusal(
        &self,
        offers: Active,
        offer: &Offer,
        seat: usize,
        args: &[Value],
    ) -> Result<Option<Refusal>, Fault> {
        if !self.machine.rows[offer.mv].has_soft_needs {
            return Ok(None);
        }
        let mv = &self.machine.game.moves[offer.mv];
        let mut frame = self.frame();
        self.enter_offer(offer, seat, &mut frame)?;
        for (param, value) in mv.params.iter().filter(|param| param.domain.is_some()).zip(args) {
            frame[param.slot] = value.clone();
        }
        if let Judged::Holds { meets_soft: true } = self.judge(offer.mv, &mut frame)? {
            return Ok(None);
        }
        if !self.any_meets_soft(offers, seat, true)? {
            return Ok(None);
        }
        let mut told = None;
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, value) => {
                    let value = self.eval(value, &mut frame)?;
                    bind(slots, value, &mut frame);
                }
                MoveCheck::SoftNeed { cond, reason, span } if !self.truth(cond, &mut frame)? => {
                    told = Some((reason, *span));
                    break;
                }
                _ => {}
            }
        }
        let Some((reason, span)) = told else { return Ok(None) };
        let text = match reason {
            Some(reason) => text::words(&self.machine.game, &self.eval(reason, &mut frame)?),
            None => "the rules prefer other choices, some of which are possible now".to_string(),
        };
        Ok(Some(Refusal { text, span, outside: None }))
    }
}
