//! Typed expressions of every form, over all names in scope.

use super::form::{Form, Sight, Var};
use super::{Maker, Scoring};

impl Maker {
    /// Returns the names that can be read here, with their forms.
    pub(super) fn readable(&mut self) -> Vec<Var> {
        let mut all: Vec<Var> = self.locals.iter().chain(&self.fixed).cloned().collect();
        if !self.may.state {
            return all;
        }
        let players: Vec<String> =
            self.locals.iter().filter(|var| var.form == Form::Player).map(|var| var.name.clone()).collect();
        for state in &self.state {
            let open = state.sight == Sight::Public || self.may.secret;
            let mine = state.sight == Sight::Owner && self.may.me;
            let mut add = |name: String| all.push(Var { name, form: state.form.clone() });
            match state.own {
                false if open => add(state.name.clone()),
                true if open || mine => {
                    if self.may.me {
                        add(format!("me.{}", state.name));
                    }
                    if open {
                        add(format!("seat(2).{}", state.name));
                        players.iter().for_each(|player| add(format!("{player}.{}", state.name)));
                        if self.may.me {
                            add(format!("me.next.{}", state.name));
                        }
                    }
                }
                _ => {}
            }
        }
        all
    }

    pub(super) fn named(&mut self, fits: impl Fn(&Form) -> bool) -> Option<Var> {
        let all: Vec<Var> = self.readable().into_iter().filter(|var| fits(&var.form)).collect();
        // Often only names without an owner, so that the state of players does not crowd them out.
        let near: Vec<Var> = all.iter().filter(|var| !var.name.contains('.')).cloned().collect();
        let from = if self.chance(40) && !near.is_empty() { near } else { all };
        (!from.is_empty()).then(|| self.pick(&from))
    }

    /// Returns an expression whose value fits a form, apart from rare mistakes that are made on purpose.
    pub(super) fn expr(&mut self, form: &Form, depth: usize) -> String {
        if self.chance(if depth == 0 { 60 } else { 15 })
            && let Some(var) = self.named(|other| other == form)
        {
            return var.name;
        }
        if depth == 0 {
            return self.literal_here(form);
        }
        if self.chance(8) {
            let (cond, a, b) =
                (self.truth(depth - 1), self.expr(form, depth - 1), self.expr(form, depth - 1));
            return format!("(if {cond} then {a} else {b})");
        }
        if self.chance(6)
            && let Some(call) = self.call(form, depth)
        {
            return call;
        }
        match form {
            Form::Int => self.int(depth),
            Form::Range(low, high) => self.ranged(*low, *high, depth),
            Form::Bool => self.truth(depth),
            Form::Symbol => self.symbol(depth),
            Form::Player => self.player(depth),
            Form::Square => self.square(depth),
            Form::Optional(of) => match self.below(4) {
                0 => "none".into(),
                1 if **of == Form::Square => self.step(depth),
                _ => self.expr(of, depth - 1),
            },
            Form::List(bound, of) => self.list(*bound, of, depth),
            Form::Set(of) => self.set(of, depth),
            Form::Bag(of) => self.bag(of, depth),
            Form::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expr(part, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Form::Grid(..) | Form::Map(..) => self.whole(form, depth),
        }
    }

    /// Returns a grid or a map: an existing one, or a changed copy.
    fn whole(&mut self, form: &Form, depth: usize) -> String {
        let Some(Var { name, .. }) = self.named(|other| other == form) else { return self.literal(form) };
        match form {
            _ if self.chance(30) => name,
            Form::Grid(rows, columns, of) => {
                let at = format!("{}, {}", self.between(1, *rows), self.between(1, *columns));
                format!("({name} with [{at}] = {})", self.expr(of, depth - 1))
            }
            Form::Map(of, key) => {
                let (key, value) = (self.expr(key, 0), self.expr(of, depth - 1));
                format!("({name} with [{key}] = {value})")
            }
            _ => name,
        }
    }

    fn literal_here(&mut self, form: &Form) -> String {
        if *form == Form::Player && self.may.me && self.chance(60) {
            return "me".into();
        }
        self.literal(form)
    }

    /// Returns a call of a function of the file.
    fn call(&mut self, form: &Form, depth: usize) -> Option<String> {
        if !self.may.state {
            return None;
        }
        let fitting: Vec<_> =
            self.functions.iter().filter(|function| function.gives == *form).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.pick(&fitting);
        let args: Vec<String> = function.takes.iter().map(|form| self.expr(form, depth - 1)).collect();
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    fn ranged(&mut self, low: i64, high: i64, depth: usize) -> String {
        let n = self.expr(&Form::Int, depth - 1);
        match self.below(12) {
            0..=4 => format!("({low} + {n} mod {})", high - low + 1),
            5..=7 => format!("max({low}, min({high}, {n}))"),
            // A mistake on purpose: the value may be out of range.
            8 if self.chance(10) => n,
            _ => self.between(low, high).to_string(),
        }
    }

    /// Returns an integer expression.
    pub(super) fn int(&mut self, depth: usize) -> String {
        let Some(less) = depth.checked_sub(1) else { return self.expr(&Form::Int, 0) };
        if self.chance(25)
            && let Some(var) = self.named(Form::number)
        {
            return var.name;
        }
        match self.below(30) {
            0..=2 => {
                let (a, b) = (self.int(less), self.int(less));
                format!("({a} + {b})")
            }
            3 | 4 => {
                let (a, b) = (self.int(less), self.int(less));
                format!("({a} - {b})")
            }
            5 => {
                let (a, b) = (self.int(less), self.int(less));
                format!("({a} * {b})")
            }
            6 => {
                let (a, b, word) = (self.int(less), self.int(less), self.pick(&["div", "mod"]));
                format!("({a} {word} max(1, {b}))")
            }
            7 => {
                let (a, b, word) = (self.int(less), self.int(less), self.pick(&["div", "mod"]));
                // A mistake on purpose: the divisor may be 0.
                let more = if self.chance(8) { "" } else { " - 1000" };
                format!("({a} {word} ({b} mod 50{more}))")
            }
            8 => {
                let (a, b) = (self.int(less), self.int(less));
                format!("(({a} mod 1000) ^ ({b} mod 4))")
            }
            9 => format!("-({})", self.int(less)),
            10 => {
                let words = if self.rare() { 4 } else { 3 };
                let word = self.pick(&["gcd", "min", "max", "lcm"][..words]);
                let (a, b) = (self.int(less), self.int(less));
                match word {
                    "lcm" => format!("lcm({a} mod 1000, {b} mod 1000)"),
                    word => format!("{word}({a}, {b})"),
                }
            }
            11 => {
                let (word, a) = (self.pick(&["abs", "sign"]), self.int(less));
                format!("{word}({a})")
            }
            12 => {
                let words = if self.rare() { 3 } else { 2 };
                let (word, a) = (self.pick(&["popcount", "root", "factorial"][..words]), self.int(less));
                let a = if word == "factorial" { format!("{a} mod 25") } else { format!("abs({a})") };
                format!("{word}({a})")
            }
            13 => {
                let (a, b) = (self.int(less), self.int(less));
                match self.below(3) {
                    0 => format!("bit(abs({a}), abs({b}))"),
                    1 => format!("xor(abs({a}), abs({b}))"),
                    _ => format!("choose(abs({a}) mod 30, abs({b}) mod 12)"),
                }
            }
            14 => {
                let (cond, a, b) = (self.truth(less), self.int(less), self.int(less));
                format!("(if {cond} then {a} else {b})")
            }
            15 => self.case(less),
            16..=19 => self.number_fold(depth),
            20..=22 => self.number_of_collection(depth),
            23 => format!("{}.number", self.player(less)),
            24 if self.may.square => {
                let (square, part) = (self.square(less), self.pick(&["row", "column"]));
                if square.starts_with('(') || square.ends_with(')') {
                    let a = self.between(1, 2);
                    return a.to_string();
                }
                format!("{square}.{part}")
            }
            25 if self.may.score && self.may.state && self.scoring != Scoring::None => {
                format!("{}.score", self.pick(&["seat(1)", "seat(2)"]))
            }
            26 => {
                let (cond, a) = (self.optional_test(less), self.int(less));
                cond.map_or(a.clone(), |(name, number)| match number {
                    true => format!("(if {name} is not none then {name} + {a} else {a})"),
                    false => format!("(if {name} is none then 1 else {a})"),
                })
            }
            27 => self.part(&Form::Int).unwrap_or_else(|| self.small()),
            28 => match self.call(&Form::Int, depth) {
                Some(call) => call,
                None => self.small(),
            },
            _ => self.expr(&Form::Int, 0),
        }
    }

    fn case(&mut self, less: usize) -> String {
        if self.chance(40) {
            let symbol = self.any_symbol(less);
            let (a, b, c) = (self.int(less), self.int(less), self.int(less));
            return format!("(case {symbol} {{\n red: {a}\n green, blue: {b}\n else: {c}\n}})");
        }
        let (subject, a, b) = (self.int(less), self.int(less), self.int(less));
        format!("(case {subject} mod 5 {{\n 0, 1: {a}\n 3: {b}\n else: {}\n}})", self.small())
    }

    /// Returns the name of an optional value, and whether the value is a number.
    fn optional_test(&mut self, _less: usize) -> Option<(String, bool)> {
        let var = self.named(|form| matches!(form, Form::Optional(_)) && !form.kin(&Form::Bool))?;
        if var.name.contains('(') {
            return None;
        }
        let Form::Optional(of) = &var.form else { return None };
        Some((var.name.clone(), of.number()))
    }

    /// Returns a part of a list, a grid, a map or a tuple.
    fn part(&mut self, form: &Form) -> Option<String> {
        let wanted = form.clone();
        let var = self.named(move |other| match other {
            Form::List(_, of) | Form::Grid(_, _, of) | Form::Map(of, _) => of.kin(&wanted),
            Form::Tuple(parts) => parts.iter().any(|part| part.kin(&wanted)),
            _ => false,
        })?;
        let name = var.name.clone();
        Some(match &var.form {
            Form::Tuple(parts) => {
                let at = parts.iter().position(|part| part.kin(form))?;
                format!("{name}.{}", at + 1)
            }
            Form::List(..) => {
                let at = self.expr(&Form::Int, 1);
                let otherwise = self.literal(form);
                match self.chance(5) {
                    true => format!("{name}[{at}]"),
                    false => {
                        format!(
                            "(if size({name}) > 0 then {name}[{at} mod size({name}) + 1] else {otherwise})"
                        )
                    }
                }
            }
            Form::Grid(rows, columns, _) => match self.chance(50) {
                true => {
                    let (r, c) = (self.int(1), self.int(1));
                    format!("{name}[{r} mod {rows} + 1, {c} mod {columns} + 1]")
                }
                false => format!("{name}[{}]", self.square(1)),
            },
            Form::Map(_, key) => format!("{name}[{}]", self.expr(key, 1)),
            _ => return None,
        })
    }

    // ---- booleans

    pub(super) fn truth(&mut self, depth: usize) -> String {
        let Some(less) = depth.checked_sub(1) else { return self.expr(&Form::Bool, 0) };
        match self.below(22) {
            0 => format!("not {}", self.truth_in_parens(less)),
            1 | 2 => {
                let (a, b) = (self.truth(less), self.truth(less));
                format!("({a} {} {b})", self.pick(&["and", "or"]))
            }
            3..=7 => {
                let (a, b, sign) =
                    (self.int(less), self.int(less), self.pick(&["=", "!=", "<", "<=", ">", ">="]));
                format!("({a} {sign} {b})")
            }
            8 => {
                let (a, b, c) = (self.int(less), self.int(less), self.int(less));
                format!("({a} {} {b} {} {c})", self.pick(&["<", "<="]), self.pick(&["<", "<=", "="]))
            }
            9 => {
                let form = self.form(1);
                let a = match form {
                    Form::Symbol => self.any_symbol(less),
                    _ => self.expr(&form, less),
                };
                format!("({a} {} {})", self.pick(&["=", "!=", "="]), self.expr(&form, less))
            }
            10 | 11 => {
                let (domain, form) = self.domain(less);
                let value = self.expr(&form, less);
                format!("({value} {} {domain})", self.pick(&["in", "not in"]))
            }
            12 => {
                let word = self.pick(&["prime", "square", "fibonacci", "even", "odd"]);
                let a = self.int(less);
                match self.chance(50) {
                    true => format!("({a} is {}{word})", self.pick(&["", "not "])),
                    false => format!("{word}({a})"),
                }
            }
            13 => {
                let (a, b) = (self.int(less), self.int(less));
                match self.chance(50) {
                    true => format!("({a} divides {b})"),
                    false => format!("coprime({a}, {b})"),
                }
            }
            14..=16 => {
                let (sources, rest) = self.binder(less);
                let body = self.truth(less);
                self.unbind(sources.len());
                format!("{}({}{rest}: {body})", self.pick(&["all", "some"]), sources.join(", "))
            }
            17 => {
                let (name, _) = self.collection(less);
                let word = self.pick(&["distinct", "empty", "distinct"]);
                match word {
                    "empty" => format!("({name} is {}empty)", self.pick(&["", "not "])),
                    word => format!("{word}({name})"),
                }
            }
            18 => {
                let form = self.atom();
                let (a, b) = (self.expr(&Form::list(form.clone()), less), self.expr(&Form::list(form), less));
                match self.below(3) {
                    0 => format!("palindrome({a})"),
                    1 => format!("occurs({a}, {b})"),
                    _ => format!("subset({a}, {b})"),
                }
            }
            19 if self.chance(30) => match self.grid() {
                Some(Var { name, form: Form::Grid(_, _, of) }) if matches!(*of, Form::Optional(_)) => {
                    format!("full({name})")
                }
                _ => {
                    let (a, b) = (self.collection(less).0, self.collection(less).0);
                    format!("(joined(list({a})) = joined(list({b})))")
                }
            },
            19 if self.may.state => format!("({} is {})", self.player(0), self.pick(&["in", "out"])),
            20 => match self.optional_test(less) {
                Some((name, _)) => format!("({name} is {}none)", self.pick(&["", "not "])),
                None => "yes".into(),
            },
            _ => self.expr(&Form::Bool, 0),
        }
    }

    fn truth_in_parens(&mut self, depth: usize) -> String {
        format!("({})", self.truth(depth))
    }

    // ---- atoms

    fn symbol(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.below(5) {
            0 => self.part(&Form::Symbol).unwrap_or_else(|| "red".into()),
            1 => self.any_symbol(less),
            _ => self.expr(&Form::Symbol, 0),
        }
    }

    /// Returns a symbol that may be any of its kind, so it can be compared with any.
    fn any_symbol(&mut self, depth: usize) -> String {
        format!("[red, blue, green, white][{} mod 4 + 1]", self.int(depth))
    }

    pub(super) fn player(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.below(8) {
            0 | 1 => format!("seat({})", self.int(less)),
            2 if self.may.me => self.pick(&["me.next", "me.previous"]).into(),
            3 if self.may.me => "me".into(),
            4 if self.may.state && depth > 0 => {
                let name = self.name("pl");
                self.locals.push(Var::new(&name, Form::Player));
                let cond = self.truth(less);
                self.locals.pop();
                format!("first([{name} in players where {cond}] ++ [seat(1)])")
            }
            _ => self.expr(&Form::Player, 0),
        }
    }

    pub(super) fn grid(&mut self) -> Option<Var> {
        self.named(|form| matches!(form, Form::Grid(..)))
    }

    fn square(&mut self, depth: usize) -> String {
        let grid = if self.chance(50) { self.grid() } else { None };
        let Some(grid) = grid.filter(|_| depth > 0) else { return self.expr(&Form::Square, 0) };
        let (name, at) = (grid.name, self.expr(&Form::Square, 0));
        match self.below(3) {
            0 => format!("first(squares({name}))"),
            1 => format!("last({}({name}))", self.pick(&["edge", "squares"])),
            _ => format!("wrapped({name}, {at}, {}, {})", self.small(), self.small()),
        }
    }

    fn step(&mut self, _depth: usize) -> String {
        let at = self.expr(&Form::Square, 0);
        match self.grid() {
            Some(grid) => {
                format!("step({}, {at}, {}, {})", grid.name, self.between(-1, 1), self.between(-1, 1))
            }
            None => "none".into(),
        }
    }
}
