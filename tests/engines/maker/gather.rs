//! Everything with elements: domains, binders over them, lists, sets and bags, and numbers made from these.

use super::Maker;
use super::form::{Bound, Form, Var};

impl Maker {
    /// Returns the sources of a binder, and its conditions. The names are bound until [`Maker::unbind`].
    pub(super) fn binder(&mut self, depth: usize) -> (Vec<String>, String) {
        let mut sources = Vec::new();
        for _ in 0..if self.chance(20) { 2 } else { 1 } {
            let (domain, form) = self.domain(depth);
            let name = self.name("va");
            sources.push(format!("{name} in {domain}"));
            self.locals.push(Var { name, form });
        }
        let mut rest = String::new();
        if self.chance(35) {
            rest.push_str(&format!(" where {}", self.truth(depth)));
        }
        if self.chance(7) {
            rest.push_str(&format!(" while {}", self.truth(depth)));
        }
        (sources, rest)
    }

    pub(super) fn unbind(&mut self, names: usize) {
        self.locals.truncate(self.locals.len() - names);
    }

    /// Returns a domain with few elements, and their form.
    pub(super) fn domain(&mut self, depth: usize) -> (String, Form) {
        let less = depth.saturating_sub(1);
        match self.below(16) {
            0..=4 => {
                let low = self.between(-2, 3);
                let high = low + self.between(0, 6);
                let form = Form::Range(low, high);
                let option = self.option;
                match option {
                    Some(value) if self.chance(40) => {
                        (format!("{low}..op"), Form::Range(low, value.max(low)))
                    }
                    _ => (format!("{low}..{high}"), form),
                }
            }
            5 => {
                let low = self.int(less);
                (format!("({low}) mod 20..{}", self.between(10, 25)), Form::Int)
            }
            6 if self.may.state => (self.pick(&["players", "standing", "players"]).into(), Form::Player),
            7 if self.may.me => ("me.others".into(), Form::Player),
            8 => ("every hue".into(), Form::Symbol),
            9 if self.may.square => match self.grid() {
                Some(grid) => self.squares(&grid.name),
                None => ("1..3".into(), Form::Range(1, 3)),
            },
            _ => self.collection(less),
        }
    }

    /// Returns a list of squares, and the form of its elements.
    fn squares(&mut self, grid: &str) -> (String, Form) {
        let at = self.expr(&Form::Square, 0);
        let text = match self.below(10) {
            0 => format!("beside({grid}, {at})"),
            1 => format!("around({grid}, {at})"),
            2 => format!("hexes({grid}, {at})"),
            3 => format!("straight({grid}, {at}, {})", self.between(1, 2)),
            4 => format!("ray({grid}, {at}, {}, {})", self.pick(&["1", "-1"]), self.between(-1, 1)),
            5 => format!("edge({grid})"),
            6 => format!("rectangle({grid}, {at}, {})", self.expr(&Form::Square, 0)),
            7 => match self.pick(&["rows", "columns", "diagonals", "lines"]) {
                "lines" => format!("first(lines({grid}, {}) ++ [[{at}]])", self.between(1, 3)),
                word => format!("first({word}({grid}))"),
            },
            8 => format!("reach(re in [{at}]: beside({grid}, re))"),
            _ => grid.to_string(),
        };
        (text, Form::Square)
    }

    /// Returns a list, set or bag, or the elements of a grid or map, and the form of the elements.
    pub(super) fn collection(&mut self, depth: usize) -> (String, Form) {
        if self.chance(65)
            && let Some(var) = self.named(|form| matches!(form, Form::List(..) | Form::Set(_) | Form::Bag(_)))
        {
            let form = var.form.element().unwrap_or(Form::Int);
            return (var.name, form);
        }
        let of = self.atom();
        let boxed = Box::new(of.clone());
        let form = match self.below(4) {
            0 => Form::Set(boxed),
            1 => Form::Bag(boxed),
            _ => Form::List(Bound::None, boxed),
        };
        (self.expr(&form, depth), of)
    }

    pub(super) fn number_fold(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        let (sources, rest) = self.binder(less);
        let word = self
            .pick(&["sum", "sum", "product", "count", "count", "largest", "smallest", "first", "xor", "gcd"]);
        let body = match word {
            "count" => self.truth(less),
            "xor" => format!("abs({})", self.int(less)),
            "product" => format!("({} mod 100)", self.int(less)),
            _ => self.int(less),
        };
        self.unbind(sources.len());
        let fold = format!("{word}({}{rest}: {body})", sources.join(", "));
        match word {
            // Otherwise a mistake on purpose: there may be no element.
            "largest" | "smallest" | "first" if self.chance(90) => {
                let cond = format!("count({}{rest}: yes) > 0", sources.join(", "));
                format!("(if {cond} then {fold} else {})", self.small())
            }
            _ => fold,
        }
    }

    pub(super) fn number_of_collection(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        let kinds = if self.rare() { 12 } else { 8 };
        match self.below(kinds) {
            10 => {
                let (list, form) = self.collection(less);
                let (a, b) = (self.name("va"), self.name("va"));
                self.locals.extend([Var::new(&a, form.clone()), Var::new(&b, form)]);
                let body = self.truth(less);
                self.unbind(2);
                format!("count(({a}, {b}) in pairs({list}): {body})")
            }
            11 => {
                let by = self.int(less);
                format!("(inverse(rotated([2, 3, 1, 4], {by}))[{}])", self.between(1, 4))
            }
            0..=2 => format!("size({})", self.collection(less).0),
            3 => {
                let (list, form) = self.collection(less);
                format!("copies({}, {list})", self.expr(&form, less))
            }
            4 => {
                let list = self.numbers(less);
                format!("{}({list})", self.pick(&["sum", "mex", "sum"]))
            }
            5 => {
                let list = self.numbers(less);
                format!("product([nu in {list}: nu mod 50])")
            }
            6 => {
                let list = self.numbers(less);
                let word = self.pick(&["largest", "smallest"]);
                format!("{word}(list({list}) ++ [{}])", self.small())
            }
            7 => {
                let list = self.expr(&Form::list(Form::Int), less);
                format!("{}({list} ++ [{}])", self.pick(&["first", "last"]), self.small())
            }
            8 => format!("determinant([ro in 1..3: [cl in 1..3: ro * cl + {}]])", self.int(less)),
            _ => {
                let base = self.between(2, 12);
                format!("number([di in {}: di mod {base}], {base})", self.numbers(less))
            }
        }
    }

    /// Returns a collection of numbers.
    fn numbers(&mut self, depth: usize) -> String {
        let whole =
            |form: &Form| matches!(form, Form::List(_, of) | Form::Set(of) | Form::Bag(of) if of.number());
        if self.chance(60)
            && let Some(var) = self.named(whole)
        {
            return var.name;
        }
        let of = Box::new(Form::Int);
        let form = self.pick(&[Form::Set(of.clone()), Form::Bag(of.clone()), Form::List(Bound::None, of)]);
        self.expr(&form, depth)
    }

    // ---- collections

    pub(super) fn list(&mut self, bound: Bound, of: &Form, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        let whole = Form::List(Bound::None, Box::new(of.clone()));
        let size = match bound {
            Bound::Exactly(n) => n,
            Bound::AtMost(n) => self.between(0, n),
            Bound::None => return self.free_list(of, &whole, depth),
        };
        if self.chance(3) {
            // A mistake on purpose: the size may be wrong.
            return self.free_list(of, &whole, depth);
        }
        match self.below(3) {
            0 => format!("{size} copies of {}", self.expr(of, 0)),
            1 => {
                let name = self.name("va");
                self.locals.push(Var { name: name.clone(), form: Form::Range(1, size) });
                let body = self.expr(of, less);
                self.locals.pop();
                format!("[{name} in 1..{size}: {body}]")
            }
            _ => {
                let items: Vec<String> = (0..size).map(|_| self.expr(of, 0)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    fn free_list(&mut self, of: &Form, whole: &Form, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.below(16) {
            0..=2 => {
                let items: Vec<String> = (0..1 + self.below(3)).map(|_| self.expr(of, less)).collect();
                format!("[{}]", items.join(", "))
            }
            3 => {
                let (a, b) = (self.expr(whole, less), self.expr(whole, less));
                format!("(({a})[1..min(5, size({a}))] ++ {b})")
            }
            4..=6 => {
                let (sources, rest) = self.binder(less);
                let body = self.expr(of, less);
                self.unbind(sources.len());
                format!("[{}{rest}: {body}]", sources.join(", "))
            }
            7 => format!("reversed({})", self.expr(whole, less)),
            8 => {
                let (list, by) = (self.expr(whole, less), self.int(less));
                format!("rotated({list}, {by})")
            }
            9 => {
                let form = self.pick(&[Form::Set(Box::new(of.clone())), Form::Bag(Box::new(of.clone()))]);
                let (word, whole) = (self.pick(&["sorted", "list"]), self.expr(&form, less));
                format!("{word}({whole})")
            }
            10 => format!("({} mod 6) copies of {}", self.int(less), self.expr(of, less)),
            11 => {
                let (a, b) = (self.expr(whole, less), self.expr(whole, less));
                format!("{}({a}, {b})", self.pick(&["union", "common", "without"]))
            }
            12 if *of == Form::Int => {
                let n = self.int(less);
                match self.below(4) {
                    0 => format!("digits(abs({n}) mod 10 ^ 12)"),
                    1 => format!("digits(abs({n}) mod 10 ^ 9, {})", self.between(2, 16)),
                    2 => {
                        let form = self.atom();
                        format!("runs({})", self.expr(&Form::list(form), less))
                    }
                    _ => {
                        let form = self.atom();
                        let list = self.expr(&Form::list(form.clone()), less);
                        format!("positions({}, {list})", self.expr(&form, less))
                    }
                }
            }
            13 => match self.named(|form| form.kin(whole)) {
                Some(var) if of.number() || *of == Form::Bool => {
                    let name = var.name;
                    format!("(if size({name}) > 0 then {name} with [1] = {} else [])", self.expr(of, less))
                }
                _ => "[]".into(),
            },
            14 => {
                let (a, b) = (self.expr(of, less), self.expr(of, less));
                format!("following({a}, [{a}, {b}, {a}], {} mod 5)", self.int(less))
            }
            _ => self.literal(whole),
        }
    }

    pub(super) fn set(&mut self, of: &Form, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        let same = Form::Set(Box::new(of.clone()));
        match self.below(10) {
            0 | 1 => {
                let items: Vec<String> = (0..1 + self.below(3)).map(|_| self.expr(of, less)).collect();
                format!("{{{}}}", items.join(", "))
            }
            2..=4 => {
                let (sources, rest) = self.binder(less);
                let body = self.expr(of, less);
                self.unbind(sources.len());
                format!("{{{}{rest}: {body}}}", sources.join(", "))
            }
            5 => {
                let (a, b) = (self.expr(&same, less), self.expr(&same, less));
                format!("{}({a}, {b})", self.pick(&["union", "common", "without"]))
            }
            6 => {
                let list = self.expr(&Form::list(of.clone()), less);
                format!("{}({list})", self.pick(&["set", "once"]))
            }
            7 if *of == Form::Int => {
                format!("divisors(1 + abs({}) mod 5000)", self.int(less))
            }
            8 if *of == Form::Int => {
                let start = self.int(less);
                format!("reach(re in [{start} mod 7]: [(re * {} + 1) mod 17, re])", self.between(2, 5))
            }
            _ => self.literal(&same),
        }
    }

    pub(super) fn bag(&mut self, of: &Form, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        let same = Form::Bag(Box::new(of.clone()));
        match self.below(8) {
            0 | 1 => {
                let list = self.expr(&Form::list(of.clone()), less);
                format!("bag({list})")
            }
            2 | 3 => {
                let (sources, rest) = self.binder(less);
                let body = self.expr(of, less);
                self.unbind(sources.len());
                format!("bag({}{rest}: {body})", sources.join(", "))
            }
            4 => {
                let (a, b) = (self.expr(&same, less), self.expr(&same, less));
                format!("{}({a}, {b})", self.pick(&["union", "common", "without"]))
            }
            5 if *of == Form::Int => format!("factors(1 + abs({}) mod 5000)", self.int(less)),
            _ => self.literal(&same),
        }
    }
}
