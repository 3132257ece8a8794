//! Effects: changes of every kind, alone, in conditions and in loops.

use super::form::{Bound, Form, Sight, Var};
use super::{Function, Maker, May, Offered, Scoring};

/// About the most rows of arguments that a move may have.
const MOST_ROWS: u64 = 1_000;

/// Where effects are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// In a move.
    Move,
    /// In a move that can be made simultaneously with others.
    Joint,
    /// In play, or in a rule.
    Play,
}

impl Maker {
    /// Writes a rule, which play and moves may call.
    pub(super) fn rule(&mut self) {
        let takes: Vec<Form> = (0..self.below(3)).map(|_| self.atom()).collect();
        let name = self.name("ru");
        let may = self.may;
        self.may = May { secret: true, score: true, ..may };
        let vars: Vec<Var> =
            takes.iter().map(|form| Var { name: self.name("ar"), form: form.clone() }).collect();
        let names: Vec<String> = vars.iter().map(|var| var.name.clone()).collect();
        self.block(&format!("rule {name}({})", names.join(", ")), "", |this| {
            this.locals.extend(vars);
            this.effects(Around::Play, 2);
        });
        self.may = may;
        self.rules.push(Function { name, takes, gives: Form::Bool });
    }

    /// Writes a move. If `joint`, it can be made simultaneously, so it writes only the mover's own state.
    pub(super) fn make_move(&mut self, joint: bool) {
        let name = self.name("mo");
        let may = self.may;
        self.may = May { me: true, score: true, ..may };
        let mark = self.locals.len();
        let (mut params, mut given, mut rows) = (Vec::new(), Vec::new(), 1);
        for _ in 0..self.below(4) {
            let var = if self.chance(12) && !joint {
                let form = self.atom();
                given.push(form.clone());
                let var = Var { name: self.name("gi"), form };
                params.push(format!("given {}", var.name));
                var
            } else {
                // All rows of arguments may have to be enumerated.
                let (domain, form, size) = match self.parameter() {
                    (_, _, size) if rows * size > MOST_ROWS => {
                        let (domain, form) = self.few();
                        (domain, form, 5)
                    }
                    wide => wide,
                };
                rows *= size;
                let var = Var { name: self.name("pa"), form };
                params.push(format!("{} in {domain}", var.name));
                var
            };
            self.locals.push(var);
        }
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let secret = if self.chance(10) { "secret " } else { "" };
        self.block(&format!("{secret}move {name}{params}"), "", |this| {
            for _ in 0..[0, 0, 1, 1, 2, 3][this.below(6)] {
                this.check();
            }
            this.may.secret = true;
            this.effects(if joint { Around::Joint } else { Around::Move }, 3);
        });
        self.locals.truncate(mark);
        self.may = may;
        let offered = Offered { name, given };
        if joint { self.joint.push(offered) } else { self.moves.push(offered) }
    }

    /// Returns the domain of a parameter, the form of its values, and about how many they are.
    fn parameter(&mut self) -> (String, Form, u64) {
        let all = if self.rare() { 0 } else { 8 };
        match all + self.below(24 - all) {
            0 | 1 => {
                let (low, high) = (self.between(-9, 0), self.between(0, 30));
                (format!("int try {low}..{high}"), Form::Int, 40)
            }
            2 => {
                let (n, form) = (self.between(1, 4), self.atom());
                let items: Vec<String> = (0..n).map(|_| self.literal(&form)).collect();
                (format!("permutations([{}])", items.join(", ")), Form::list(form), 24)
            }
            3 => {
                let (domain, form) = self.few();
                (format!("lists({}, {domain})", self.between(0, 3)), Form::list(form), 125)
            }
            4 => {
                let (domain, form) = self.few();
                (format!("arrangements({}, {domain})", self.between(0, 3)), Form::list(form), 60)
            }
            5 => {
                let (domain, form) = self.few();
                let size = if self.chance(50) { format!("{}, ", self.between(0, 3)) } else { String::new() };
                (format!("subsets({size}{domain})"), Form::Set(Box::new(form)), 32)
            }
            6 | 7 => {
                let ((a, form), (b, other)) = (self.few(), self.few());
                (format!("tuples({a}, {b})"), Form::Tuple(vec![form, other]), 25)
            }
            8 => {
                let high = self.between(60, 1000);
                (format!("0..{high}"), Form::Range(0, high), 1000)
            }
            9 if self.plain => {
                let (low, high) = (self.between(-9, 0), self.between(0, 30));
                (format!("int try {low}..{high}"), Form::Int, 40)
            }
            9 => {
                let low = self.between(0, 9);
                (format!("lists(2, int) try -{low}..9"), Form::list(Form::Int), 361)
            }
            _ => {
                let (domain, form) = self.domain(1);
                (domain, form, 20)
            }
        }
    }

    /// Returns a domain with few elements, and their form.
    fn few(&mut self) -> (String, Form) {
        match self.below(4) {
            0 => ("every hue".into(), Form::Symbol),
            1 => ("players".into(), Form::Player),
            2 => {
                let items: Vec<String> = (0..3).map(|_| self.small()).collect();
                (format!("[{}]", items.join(", ")), Form::Int)
            }
            _ => {
                let (low, more) = (self.between(-2, 2), self.between(1, 4));
                (format!("{low}..{}", low + more), Form::Range(low, low + more))
            }
        }
    }

    /// Writes a need, or a `let` before one.
    fn check(&mut self) {
        match self.below(6) {
            0 | 1 => self.bind(),
            2 if self.rare() || self.chance(20) => {
                let cond = self.truth(2);
                self.line(&format!("need if possible {cond}"));
            }
            3 => {
                let cond = self.truth(2);
                self.line(&format!("need {cond} else \"not now\""));
            }
            _ => {
                // A need that most choices meet.
                let (cond, n) = (self.truth(2), self.int(1));
                self.line(&format!("need {cond} or ({n}) mod 3 != 1 else \"{{{n}}} will not do\""));
            }
        }
    }

    fn bind(&mut self) {
        let form = self.form(1);
        let value = self.expr(&form, 2);
        let name = self.name("le");
        self.line(&format!("let {name} = {value}"));
        // Only the type of the name is known.
        let form = match form {
            Form::Range(..) => Form::Int,
            Form::List(_, of) => Form::List(Bound::None, of),
            form => form,
        };
        self.locals.push(Var { name, form });
    }

    /// Writes a few effects.
    pub(super) fn effects(&mut self, around: Around, most: usize) {
        for _ in 0..1 + self.below(most) {
            self.effect(around, 2);
        }
    }

    fn effect(&mut self, around: Around, depth: usize) {
        let free = around != Around::Joint;
        match self.below(40) {
            0..=15 => self.change(around),
            16 | 17 => self.bind(),
            18..=20 if depth > 0 => {
                let cond = self.truth(2);
                let mut heads = vec![format!("if {cond}")];
                if self.chance(30) {
                    heads.push(format!("else if {}", self.truth(1)));
                }
                if self.chance(40) {
                    heads.push("else".into());
                }
                // `else` must be on the same line as the brace before it.
                let count = heads.len();
                for (at, head) in heads.into_iter().enumerate() {
                    let head = if at == 0 { head } else { format!("}} {head}") };
                    self.line(&format!("{head} {{"));
                    self.indent += 1;
                    let mark = self.locals.len();
                    self.effect(around, depth - 1);
                    self.locals.truncate(mark);
                    self.indent -= 1;
                    if at + 1 == count {
                        self.line("}");
                    }
                }
            }
            21..=23 if depth > 0 => {
                let (domain, form) = self.domain(1);
                let name = self.name("ea");
                let var = Var { name: name.clone(), form };
                self.locals.push(var.clone());
                let filter =
                    if self.chance(40) { format!(" where {}", self.truth(1)) } else { String::new() };
                self.locals.pop();
                self.block(&format!("each {name} in {domain}{filter}"), "", |this| {
                    this.locals.push(var);
                    this.effect(around, depth - 1);
                    if this.chance(40) {
                        this.effect(around, depth - 1);
                    }
                });
            }
            24 | 25 if depth > 0 => {
                let count = format!("{} mod 5", self.int(1));
                let until = if self.chance(40) { format!(" until {}", self.truth(1)) } else { String::new() };
                self.block(&format!("repeat {count}"), &until, |this| this.effect(around, depth - 1));
            }
            26 | 27 if free && self.scoring == Scoring::Awards => {
                let (n, who) = (self.int(2), self.player(1));
                let why = self.pick(&["", " for \"a reason\""]);
                self.line(&format!("award {n} to {who}{why}"));
            }
            28 | 29 if free && (self.rare() || self.chance(20)) => self.send(),
            30 | 31 if free => self.luck(),
            32 if free => self.show(),
            33 => {
                let (cond, who) = (self.truth(1), if free { self.player(0) } else { "me".into() });
                self.line(&format!("if {cond} and size(standing) > 1 {{ out {who} }}"));
            }
            34 if around == Around::Move => {
                let cond = self.truth(1);
                self.line(&format!("if {cond} {{ again }}"));
            }
            35 if free && self.chance(40) => {
                let cond = self.truth(1);
                let end = if self.chance(50) { "end".into() } else { format!("win {}", self.player(0)) };
                let n = self.int(1);
                self.line(&format!("if {cond} and {n} = 2 {{ {end} }}"));
            }
            36 | 37 if free && !self.rules.is_empty() => {
                let rules = self.rules.clone();
                let rule = self.pick(&rules);
                let args: Vec<String> = rule.takes.iter().map(|form| self.expr(form, 1)).collect();
                self.line(&format!("{}({})", rule.name, args.join(", ")));
            }
            _ => self.change(around),
        }
    }

    /// Returns the places that may be written, as whole state variables.
    fn places(&mut self, around: Around) -> Vec<Var> {
        let mut all = Vec::new();
        for state in &self.state {
            let form = state.form.clone();
            match state.own {
                false if around != Around::Joint => all.push(Var { name: state.name.clone(), form }),
                false => {}
                true => {
                    if self.may.me {
                        all.push(Var { name: format!("me.{}", state.name), form: form.clone() });
                    }
                    if around != Around::Joint {
                        all.push(Var { name: format!("seat(1).{}", state.name), form: form.clone() });
                        for player in self.locals.iter().filter(|var| var.form == Form::Player) {
                            all.push(Var {
                                name: format!("{}.{}", player.name, state.name),
                                form: form.clone(),
                            });
                        }
                    }
                }
            }
        }
        all
    }

    /// Returns a place: a state variable, or a part of one.
    fn place(&mut self, around: Around) -> Option<Var> {
        let all = self.places(around);
        if all.is_empty() {
            return None;
        }
        let Var { mut name, mut form } = self.pick(&all);
        while let Some(inner) = match &form {
            Form::List(_, of) if self.below(4) == 0 => Some((**of).clone()),
            Form::Grid(_, _, of) | Form::Map(of, _) if self.below(8) > 0 => Some((**of).clone()),
            _ => None,
        } {
            name = match &form {
                Form::List(..) => format!("{name}[{} mod size({name}) + 1]", self.int(1)),
                Form::Grid(rows, columns, _) => match self.named_square() {
                    Some(square) if self.chance(50) => format!("{name}[{square}]"),
                    _ => {
                        let (r, c) = (self.int(1), self.int(1));
                        format!("{name}[{r} mod {rows} + 1, {c} mod {columns} + 1]")
                    }
                },
                Form::Map(_, key) => {
                    let key = (**key).clone();
                    format!("{name}[{}]", self.expr(&key, 1))
                }
                _ => return None,
            };
            form = inner;
        }
        Some(Var { name, form })
    }

    fn named_square(&mut self) -> Option<String> {
        let squares: Vec<String> =
            self.locals.iter().filter(|var| var.form == Form::Square).map(|var| var.name.clone()).collect();
        (!squares.is_empty()).then(|| self.pick(&squares))
    }

    /// Writes an assignment of a new or changed value to a place.
    fn change(&mut self, around: Around) {
        let Some(Var { name, form }) = self.place(around) else { return };
        if self.chance(6)
            && let Some(other) = self.place(around)
        {
            let (a, b) = (self.expr(&form, 1), self.expr(&other.form, 1));
            self.line(&format!("({name}, {}) := ({a}, {b})", other.name));
            return;
        }
        let line = match &form {
            Form::Int => match self.below(4) {
                0 => format!("{name} {} {}", self.pick(&["+=", "-="]), self.int(2)),
                1 => format!("{name} := {}", self.int(2)),
                // Numbers are reduced now and then, so that not all of them grow.
                _ => format!("{name} := ({}) mod 1009", self.int(3)),
            },
            Form::Range(low, high) => match self.below(6) {
                0 => format!("if {name} < {high} {{ {name} += 1 }}"),
                1 => format!("if {name} > {low} {{ {name} -= 1 }}"),
                _ => format!("{name} := {}", self.expr(&form, 2)),
            },
            Form::List(Bound::AtMost(n), of) if self.chance(50) => {
                format!("if size({name}) < {n} {{ {name} += {} }}", self.expr(of, 1))
            }
            Form::List(Bound::None, of) | Form::Set(of) | Form::Bag(of) if self.chance(65) => {
                match self.below(6) {
                    0 | 1 => format!("{name} -= {}", self.expr(of, 1)),
                    2 => {
                        let more = self.literal(&form);
                        format!("if size({name}) < 20 {{ {name} ++= {more} }}")
                    }
                    _ => format!("if size({name}) < 30 {{ {name} += {} }}", self.expr(of, 2)),
                }
            }
            form => format!("{name} := {}", self.expr(form, 2)),
        };
        self.line(&line);
    }

    /// Returns two collections; the second can hold elements of the first.
    fn piles(&mut self, fits: impl Fn(&Form) -> bool) -> Option<(Var, Var)> {
        let all = self.places(Around::Play);
        let from: Vec<Var> = all.iter().filter(|var| fits(&var.form)).cloned().collect();
        if from.is_empty() {
            return None;
        }
        let from = self.pick(&from);
        let of = from.form.element()?;
        let unbound = |form: &Form| matches!(form, Form::List(Bound::None, _) | Form::Set(_) | Form::Bag(_));
        let to: Vec<Var> = all
            .into_iter()
            .filter(|var| unbound(&var.form) && var.form.element().as_ref() == Some(&of))
            .collect();
        Some((from, self.pick(&to)))
    }

    fn send(&mut self) {
        let unbound = |form: &Form| matches!(form, Form::List(Bound::None, _) | Form::Set(_) | Form::Bag(_));
        let Some((from, to)) = self.piles(unbound) else { return };
        let (from, to) = (from.name, to.name);
        match self.below(3) {
            0 => self.line(&format!("if size({from}) > 2 {{ deal 2 from {from} to {to} }}")),
            _ => {
                self.line(&format!("if size({from}) > 0 {{ send first(list({from})) from {from} to {to} }}"))
            }
        }
    }

    /// Writes a chance event.
    pub(super) fn luck(&mut self) {
        let kinds = if self.rare() || self.chance(20) { 6 } else { 3 };
        match self.below(kinds) {
            0 | 1 => {
                let (domain, form) = self.few();
                let name = self.name("ch");
                self.line(&format!("chance {name} in {domain}"));
                self.locals.push(Var { name, form });
            }
            2 => {
                let lists: Vec<Var> = self.places(Around::Play);
                let lists: Vec<Var> =
                    lists.into_iter().filter(|var| matches!(var.form, Form::List(..))).collect();
                if !lists.is_empty() {
                    let name = self.pick(&lists).name;
                    self.line(&format!("shuffle {name}"));
                }
            }
            3 | 4 => {
                let pile =
                    |form: &Form| matches!(form, Form::List(Bound::None, _) | Form::Set(_) | Form::Bag(_));
                let Some((from, _)) = self.piles(pile) else { return };
                let (from, form) = (from.name, from.form.element().unwrap_or(Form::Int));
                let name = self.name("dr");
                self.block(&format!("if size({from}) > 0"), "", |this| {
                    this.line(&format!("draw {name} from {from}"));
                    this.locals.push(Var { name, form });
                    this.change(Around::Play);
                });
            }
            _ => {
                let pile =
                    |form: &Form| matches!(form, Form::Set(_) | Form::Bag(_) | Form::List(Bound::None, _));
                let Some((from, to)) = self.piles(pile) else { return };
                let (from, to) = (from.name, to.name);
                let n = self.between(0, 2);
                self.line(&format!("if size({from}) >= {n} {{ deal {n} from {from} to {to} }}"));
            }
        }
    }

    fn show(&mut self) {
        let hidden: Vec<_> =
            self.state.iter().filter(|state| state.sight != Sight::Public).cloned().collect();
        if hidden.is_empty() {
            return;
        }
        let state = self.pick(&hidden);
        let word = self.pick(&["reveal", "reveal", "conceal"]);
        let who = if state.own && self.chance(50) { "seat(1)." } else { "" };
        self.line(&format!("{word} {who}{}", state.name));
    }
}
