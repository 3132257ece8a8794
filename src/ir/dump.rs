//! A stable text form of the IR, in which a newcomer can see what a line of rules compiles to.

use std::fmt::Write;

use super::{
    Chance, ChanceKind, Change, Domain, Effect, Expr, ExprKind, Form, Game, Lambda, MoveCheck, Op, Place,
    Scoring, Show, TextPart, Value, WinnerBy,
};
use crate::ast::Bound;

/// Returns the text form of a game: options, state, functions and moves, then the automaton, one line per op.
pub fn dump(game: &Game) -> String {
    let mut out = String::new();
    Dump { game, out: &mut out }.game();
    out
}

/// Returns an op of the automaton, as [`dump`] writes it.
pub fn op_text(game: &Game, pc: super::Pc) -> String {
    let mut out = String::new();
    let dump = Dump { game, out: &mut out };
    game.code.get(pc).map_or(String::new(), |op| dump.op(op))
}

/// Returns an expression, as [`dump`] writes it.
pub fn expr_text(game: &Game, e: &Expr) -> String {
    Dump { game, out: &mut String::new() }.expr(e)
}

/// Returns a domain, as [`dump`] writes it.
pub fn domain_text(game: &Game, domain: &Domain) -> String {
    Dump { game, out: &mut String::new() }.domain(domain)
}

/// Returns the text form of the type of a state.
pub fn form_text(game: &Game, form: &Form) -> String {
    Dump { game, out: &mut String::new() }.form(form)
}

struct Dump<'a> {
    game: &'a Game,
    out: &'a mut String,
}

impl Dump<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}", text.as_ref());
    }

    fn game(&mut self) {
        let game = self.game;
        self.line(format!("game {:?}, {} slots", game.title, game.slots));
        for (i, option) in game.options.iter().enumerate() {
            self.line(format!(
                "option {i} {}: {} = {}",
                option.name,
                self.form(&option.form),
                self.expr(&option.default)
            ));
        }
        for (i, constant) in game.constants.iter().enumerate() {
            self.line(format!("constant {i} {} = {}", constant.name, self.lambda(&constant.value)));
        }
        for need in &game.setup {
            self.line(format!("setup need {}", self.lambda(&need.cond)));
        }
        for (i, state) in game.state.iter().enumerate() {
            let owner = if state.per_player { "each player" } else { "table" };
            let init = state.init.as_ref().map_or("unset".to_string(), |init| self.lambda(init));
            let each = state.reset_by.map_or(String::new(), |id| format!(", each {}", game.loops[id].0));
            let sight = format!("{:?}", state.sight).to_lowercase();
            self.line(format!(
                "state {i} {} ({owner}, {sight}{each}): {} = {init}",
                state.name,
                self.form(&state.form)
            ));
        }
        for (i, function) in game.functions.iter().enumerate() {
            self.line(format!("function {i} {} = {}", function.name, self.lambda(&function.lambda)));
        }
        for (i, mv) in game.moves.iter().enumerate() {
            let secret = if mv.secret { ", secret" } else { "" };
            self.line(format!("move {i} {} (me %{}{secret})", mv.name, mv.me));
            for param in &mv.params {
                let domain = param.domain.as_ref().map_or("given".to_string(), |domain| self.domain(domain));
                // Only the implicit parameter for the seats that a move is offered to has no name.
                let name = if param.name.is_empty() { "(seats)" } else { param.name.as_str() };
                self.line(format!("  {name} %{} in {domain}", param.slot));
            }
            for check in &mv.checks {
                let check = match check {
                    MoveCheck::Let(slots, value) => {
                        format!("  {} := {}", self.slots(slots), self.expr(value))
                    }
                    MoveCheck::Need { cond, .. } => format!("  need {}", self.expr(cond)),
                    MoveCheck::SoftNeed { cond, .. } => format!("  need if possible {}", self.expr(cond)),
                };
                self.line(check);
            }
        }
        match &game.scoring {
            Scoring::None => self.line("scores: none"),
            Scoring::Awards => self.line("scores: awards"),
            Scoring::Each(lambda) => self.line(format!("scores: each {}", self.lambda(lambda))),
            Scoring::Named(all) => {
                all.iter().for_each(|lambda| self.line(format!("scores: {}", self.lambda(lambda))));
            }
        }
        if let Some(winner) = &game.winner {
            let by = match &winner.by {
                WinnerBy::LastMover => "last mover".to_string(),
                WinnerBy::LastIn => "last in".to_string(),
                WinnerBy::Best(keys) => {
                    let keys = keys.iter().map(|(highest, key)| {
                        format!("{} {}", if *highest { "highest" } else { "lowest" }, self.lambda(key))
                    });
                    let last = winner.then_last_mover.then(|| "last mover".to_string());
                    keys.chain(last).collect::<Vec<_>>().join(", then ")
                }
            };
            self.line(format!("{}: {by}", if winner.loser { "loser" } else { "winner" }));
        }
        for Show { text, drawn } in &game.show {
            let drawn = drawn.as_ref().map_or(String::new(), |drawn| format!(" as {drawn}"));
            self.line(format!("show {}{drawn}", self.lambda(text)));
        }
        for (pc, op) in game.code.iter().enumerate() {
            self.line(format!("{pc:>4}  {}", self.op(op)));
        }
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Do(effect, _) => self.effect(effect),
            Op::Jump(to) => format!("jump {to}"),
            Op::Unless(cond, to) => format!("unless {} jump {to}", self.expr(cond)),
            Op::Collect { source, list, at } => format!("%{list}, %{at} := all of {}", self.domain(source)),
            Op::Next { list, at, slots, filter, cyclic, exit } => {
                let filter =
                    filter.as_ref().map_or(String::new(), |filter| format!(" where {}", self.expr(filter)));
                let cyclic = if *cyclic { " round and round" } else { "" };
                format!("{} := next of %{list} at %{at}{cyclic}{filter}, else jump {exit}", self.slots(slots))
            }
            Op::Choose(id) => {
                let choice = &self.game.choices[*id];
                let offers = |offers: &[super::Offer]| {
                    let offers = offers.iter().map(|offer| {
                        let given: Vec<String> = offer.given.iter().map(|e| self.expr(e)).collect();
                        format!(
                            "{}({}) to {}",
                            self.game.moves[offer.mv].name,
                            given.join(", "),
                            offer.target
                        )
                    });
                    offers.collect::<Vec<_>>().join(" or ")
                };
                let together = if choice.together { "together" } else { "ask" };
                let otherwise = match choice.otherwise.as_slice() {
                    [] => String::new(),
                    others => format!(" else {}", offers(others)),
                };
                let stuck = choice.stuck.map_or(String::new(), |to| format!(", stuck to {to}"));
                let who = self.expr(&choice.who);
                let must = choice
                    .must
                    .as_ref()
                    .map_or(String::new(), |must| format!(", passed over unless in {}", self.expr(must)));
                format!(
                    "STOP {together} {who}: {}{otherwise}{stuck}{must}, done at {}",
                    offers(&choice.offers),
                    choice.done
                )
            }
            Op::Unseal(id, exit) => format!("carry out the next of choice {id}, else jump {exit}"),
            Op::Chance(Chance { name, kind, .. }) => {
                let kind = match kind {
                    ChanceKind::Value(domain, slot) => format!("%{slot} in {}", self.domain(domain)),
                    ChanceKind::Shuffle(place) => format!("shuffle {}", self.place(place)),
                    ChanceKind::Draw(place, slot) => format!("%{slot} from {}", self.place(place)),
                    ChanceKind::Deal(count, from, to) => {
                        format!("{} from {} to {}", self.expr(count), self.place(from), self.place(to))
                    }
                };
                format!("STOP chance {name}: {kind}")
            }
            Op::End(None) => "end".to_string(),
            Op::End(Some(who)) => format!("end, won by {}", self.expr(who)),
        }
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Let(slots, value) => format!("{} := {}", self.slots(slots), self.expr(value)),
            Effect::Assign(places, values) => {
                let sign = |change: &Change| match change {
                    Change::Set => ":=",
                    Change::Plus => "+=",
                    Change::Minus => "-=",
                    Change::Insert => "+= element",
                    Change::Remove => "-= element",
                    Change::Join => "++=",
                };
                let changes = places.iter().zip(values);
                let changes = changes.map(|((place, change), value)| {
                    format!("{} {} {}", self.place(place), sign(change), self.expr(value))
                });
                changes.collect::<Vec<_>>().join(", ")
            }
            Effect::Send(value, from, to) => {
                format!("send {} from {} to {}", self.expr(value), self.place(from), self.place(to))
            }
            Effect::Award(amount, to, _) => format!("award {} to {}", self.expr(amount), self.expr(to)),
            Effect::Say(text, None) => format!("say {}", self.expr(text)),
            Effect::Say(text, Some(to)) => format!("say {} to {}", self.expr(text), self.expr(to)),
            Effect::Reveal(place) => format!("reveal {}", self.place(place)),
            Effect::Conceal(place) => format!("conceal {}", self.place(place)),
            Effect::Out(who) => format!("out {}", self.expr(who)),
            Effect::Deal(count, from, to) => {
                format!("deal {} from {} to {}", self.expr(count), self.place(from), self.place(to))
            }
            Effect::Reset(id) => format!("reset each {}", self.game.loops[*id].0),
            Effect::Phase(Some(name)) => format!("phase {name}"),
            Effect::Phase(None) => "phase ends".to_string(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let owner = place.owner.as_ref().map_or(String::new(), |owner| format!("{}.", self.expr(owner)));
        let path: String = place.path.iter().map(|at| format!("[{}]", self.expr(at))).collect();
        format!("{owner}{}{path}", self.game.state[place.state].name)
    }

    fn slots(&self, slots: &[usize]) -> String {
        slots.iter().map(|slot| format!("%{slot}")).collect::<Vec<_>>().join(", ")
    }

    fn lambda(&self, lambda: &Lambda) -> String {
        let params: Vec<String> = (0..lambda.params).map(|slot| format!("%{slot}")).collect();
        match lambda.frame {
            0 => self.expr(&lambda.body),
            frame => format!("|{}; {frame}| {}", params.join(", "), self.expr(&lambda.body)),
        }
    }

    fn form(&self, form: &Form) -> String {
        match form {
            Form::Int => "int".to_string(),
            Form::AtLeast(low) => format!("{} or more", self.expr(low)),
            Form::Range(low, high) => format!("{}..{}", self.expr(low), self.expr(high)),
            Form::Bool => "yes or no".to_string(),
            Form::Symbols(ids) => {
                format!(
                    "{{{}}}",
                    ids.iter().map(|id| self.game.symbols[*id].as_str()).collect::<Vec<_>>().join(", ")
                )
            }
            Form::Player => "player".to_string(),
            Form::Square => "square".to_string(),
            Form::Optional(of) => format!("optional {}", self.form(of)),
            Form::List(None, of) => format!("list of {}", self.form(of)),
            Form::List(Some((bound, size)), of) => {
                let bound = if *bound == Bound::AtMost { "at most" } else { "exactly" };
                format!("list of {bound} {} of {}", self.expr(size), self.form(of))
            }
            Form::Set(of) => format!("set of {}", self.form(of)),
            Form::Bag(of) => format!("bag of {}", self.form(of)),
            Form::Grid(rows, columns, of) => {
                format!("grid {} by {} of {}", self.expr(rows), self.expr(columns), self.form(of))
            }
            Form::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.form(part)).collect::<Vec<_>>().join(", "))
            }
            Form::Map(value, key) => format!("{} for each {}", self.form(value), self.form(key)),
            Form::Either(ids, of) => {
                format!("{} or {}", self.form(&Form::Symbols(ids.clone())), self.form(of))
            }
            Form::Wrong => "?".to_string(),
        }
    }

    fn domain(&self, domain: &Domain) -> String {
        match domain {
            Domain::Ints => "int".to_string(),
            Domain::AtLeast(low) => format!("{} or more", self.expr(low)),
            Domain::Range(low, high) => format!("{}..{}", self.expr(low), self.expr(high)),
            Domain::Values(e) => self.expr(e),
            Domain::Permutations(e) => format!("permutations({})", self.expr(e)),
            Domain::Arrangements(size, of) => {
                format!("arrangements({}, {})", self.expr(size), self.domain(of))
            }
            Domain::Lists(size, of) => format!("lists({}, {})", self.expr(size), self.domain(of)),
            Domain::ListsFrom(low, Some(high), of) => {
                format!("lists({}..{}, {})", self.expr(low), self.expr(high), self.domain(of))
            }
            Domain::ListsFrom(low, None, of) => {
                format!("lists({} or more, {})", self.expr(low), self.domain(of))
            }
            Domain::Where(_, of, condition) => {
                format!("{} where {}", self.domain(of), self.expr(condition))
            }
            Domain::Subsets(of, None) => format!("subsets({})", self.expr(of)),
            Domain::Subsets(of, Some(size)) => format!("subsets({}, {})", self.expr(size), self.expr(of)),
            Domain::SubsetsFrom(low, Some(high), of) => {
                format!("subsets({}..{}, {})", self.expr(low), self.expr(high), self.expr(of))
            }
            Domain::SubsetsFrom(low, None, of) => {
                format!("subsets({} or more, {})", self.expr(low), self.expr(of))
            }
            Domain::Tuples(parts) => {
                format!(
                    "tuples({})",
                    parts.iter().map(|part| self.domain(part)).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    fn all(&self, parts: &[Expr]) -> String {
        parts.iter().map(|part| self.expr(part)).collect::<Vec<_>>().join(", ")
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::None => "none".to_string(),
            Value::Unset => "unset".to_string(),
            Value::Int(n) => n.to_string(),
            Value::Bool(b) => if *b { "yes" } else { "no" }.to_string(),
            Value::Symbol(id) => self.game.symbols[*id].clone(),
            Value::Player(seat) => self.game.seat_name(*seat).replace(' ', ""),
            Value::List(items) => format!("[{}]", self.values(items.iter())),
            Value::Set(items) => format!("{{{}}}", self.values(items.iter())),
            Value::Square(at) => at.words(),
            other => format!("{other:?}"),
        }
    }

    fn values<'v>(&self, values: impl Iterator<Item = &'v Value>) -> String {
        values.map(|value| self.value(value)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Value(value) => self.value(value),
            ExprKind::Option(id) => self.game.options[*id].name.clone(),
            ExprKind::Constant(id) => self.game.constants[*id].name.clone(),
            ExprKind::Local(slot) => format!("%{slot}"),
            ExprKind::Table(id) => self.game.state[*id].name.clone(),
            ExprKind::Own(id, owner) => format!("{}.{}", self.expr(owner), self.game.state[*id].name),
            ExprKind::Players => "players".to_string(),
            ExprKind::Standing => "standing".to_string(),
            ExprKind::IsIn(a) => format!("({} is in)", self.expr(a)),
            ExprKind::Score(a) => format!("{}.score", self.expr(a)),
            ExprKind::Not(a) => format!("(not {})", self.expr(a)),
            ExprKind::Negative(a) => format!("(-{})", self.expr(a)),
            ExprKind::Arith(op, a, b) => format!("({} {op:?} {})", self.expr(a), self.expr(b)),
            ExprKind::And(a, b) => format!("({} and {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} or {})", self.expr(a), self.expr(b)),
            ExprKind::Compare(a, links) => {
                let links: String = links.iter().map(|(op, b)| format!(" {op:?} {}", self.expr(b))).collect();
                format!("({}{links})", self.expr(a))
            }
            ExprKind::In(a, domain) => format!("({} in {})", self.expr(a), self.domain(domain)),
            ExprKind::IsNone(a) => format!("({} is none)", self.expr(a)),
            ExprKind::If(arms, otherwise) => {
                let arms: String = arms
                    .iter()
                    .map(|(c, v)| format!("if {} then {} else ", self.expr(c), self.expr(v)))
                    .collect();
                format!("({arms}{})", self.expr(otherwise))
            }
            ExprKind::Text(parts) => {
                let parts = parts.iter().map(|part| match part {
                    TextPart::Chars(chars) => chars.clone(),
                    TextPart::Value(value) => format!("{{{}}}", self.expr(value)),
                });
                format!("\"{}\"", parts.collect::<String>())
            }
            ExprKind::Call(id, args) => format!("{}#{id}({})", self.game.functions[*id].name, self.all(args)),
            ExprKind::Builtin(builtin, args) => format!("{builtin:?}({})", self.all(args)),
            ExprKind::Tuple(parts) => format!("({})", self.all(parts)),
            ExprKind::Part(a, at) => format!("{}.{}", self.expr(a), at + 1),
            ExprKind::List(parts) => format!("[{}]", self.all(parts)),
            ExprKind::Set(parts) => format!("{{{}}}", self.all(parts)),
            ExprKind::Index(a, at) => format!("{}[{}]", self.expr(a), self.expr(at)),
            ExprKind::Square(row, column) => format!("square({}, {})", self.expr(row), self.expr(column)),
            ExprKind::Pick(a, at) => format!("{}[each {}]", self.expr(a), self.expr(at)),
            ExprKind::With(a, at, value) => {
                format!("({} with [{}] = {})", self.expr(a), self.expr(at), self.expr(value))
            }
            ExprKind::Listed(domain) => format!("list({})", self.domain(domain)),
            ExprKind::Let(slots, value, body) => {
                format!("(let {} = {} in {})", self.slots(slots), self.expr(value), self.expr(body))
            }
            ExprKind::Fold(fold) => {
                let sources = fold
                    .sources
                    .iter()
                    .map(|s| format!("{} in {}", self.slots(&s.slots), self.domain(&s.domain)));
                let filter =
                    fold.filter.as_ref().map_or(String::new(), |e| format!(" where {}", self.expr(e)));
                let stop = fold.stop.as_ref().map_or(String::new(), |e| format!(" while {}", self.expr(e)));
                let sources = sources.collect::<Vec<_>>().join(", ");
                format!("{:?}({sources}{filter}{stop}: {})", fold.kind, self.expr(&fold.body))
            }
        }
    }
}
