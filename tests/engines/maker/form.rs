//! The forms of places: types with their ranges and sizes, as declared.

use parlour::num::Rng;

use super::Maker;

/// How a list's length is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    None,
    AtMost(i64),
    Exactly(i64),
}

/// The type of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Int,
    Range(i64, i64),
    Bool,
    Symbol,
    Player,
    Square,
    Optional(Box<Form>),
    List(Bound, Box<Form>),
    Set(Box<Form>),
    Bag(Box<Form>),
    Tuple(Vec<Form>),
    Grid(i64, i64, Box<Form>),
    /// The value and the key.
    Map(Box<Form>, Box<Form>),
}

/// A name and its form.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub name: String,
    pub form: Form,
}

impl Var {
    pub fn new(name: &str, form: Form) -> Var {
        Var { name: name.to_string(), form }
    }
}

/// Who sees a state variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    Public,
    Owner,
    Nobody,
}

impl Sight {
    pub fn words(self) -> &'static str {
        match self {
            Sight::Public => "",
            Sight::Owner => " secret",
            Sight::Nobody => " hidden",
        }
    }
}

/// A state variable.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub name: String,
    pub form: Form,
    pub own: bool,
    pub sight: Sight,
}

impl Form {
    pub fn list(of: Form) -> Form {
        Form::List(Bound::None, Box::new(of))
    }

    /// Whether both have the same type, regardless of ranges and sizes.
    pub fn kin(&self, other: &Form) -> bool {
        use Form::*;
        match (self, other) {
            (Int | Range(..), Int | Range(..)) => true,
            (Optional(a), Optional(b))
            | (List(_, a), List(_, b))
            | (Set(a), Set(b))
            | (Bag(a), Bag(b))
            | (Grid(_, _, a), Grid(_, _, b)) => a.kin(b),
            (Tuple(a), Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.kin(b)),
            (Map(v, k), Map(w, l)) => v.kin(w) && k.kin(l),
            (a, b) => a == b,
        }
    }

    /// Returns the form of the elements that a binder goes through, if this is a collection.
    pub fn element(&self) -> Option<Form> {
        match self {
            Form::List(_, of) | Form::Set(of) | Form::Bag(of) => Some((**of).clone()),
            Form::Grid(..) => Some(Form::Square),
            Form::Map(_, key) => Some((**key).clone()),
            _ => None,
        }
    }

    /// Whether the values are integers.
    pub fn number(&self) -> bool {
        matches!(self, Form::Int | Form::Range(..))
    }

    /// Returns the declared type; a bound may be written in terms of the option `op`.
    pub fn words(&self, option: Option<i64>, rng: &mut Rng) -> String {
        let mut bound = |n: i64| match option {
            Some(value) if rng.below_u64(3) == 0 => match n - value {
                0 => "op".to_string(),
                more if more > 0 => format!("(op + {more})"),
                less => format!("(op - {})", -less),
            },
            _ => n.to_string(),
        };
        match self {
            Form::Int => "int".into(),
            Form::Range(low, high) => format!("{}..{}", bound(*low), bound(*high)),
            Form::Bool => "yes or no".into(),
            Form::Symbol => "hue".into(),
            Form::Player => "player".into(),
            Form::Square => "square".into(),
            Form::Optional(of) => format!("optional {}", of.words(option, rng)),
            Form::List(length, of) => {
                let length = match length {
                    Bound::None => String::new(),
                    Bound::AtMost(n) => format!("at most {} of ", bound(*n)),
                    Bound::Exactly(n) => format!("exactly {} of ", bound(*n)),
                };
                format!("list of {length}{}", of.words(option, rng))
            }
            Form::Set(of) => format!("set of {}", of.words(option, rng)),
            Form::Bag(of) => format!("bag of {}", of.words(option, rng)),
            Form::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.words(option, rng)).collect();
                format!("({})", parts.join(", "))
            }
            Form::Grid(rows, columns, of) => {
                let (rows, columns) = (bound(*rows), bound(*columns));
                match &**of {
                    Form::Optional(of) => {
                        format!("empty grid {rows} by {columns} of {}", of.words(option, rng))
                    }
                    of => format!("grid {rows} by {columns} of {}", of.words(option, rng)),
                }
            }
            Form::Map(of, key) => {
                let of = of.words(option, rng);
                format!("{of} for each {}", key.words(option, rng))
            }
        }
    }
}

impl Maker {
    /// Returns a form that fits in one cell.
    pub(super) fn atom(&mut self) -> Form {
        match self.below(12) {
            0..=2 => Form::Int,
            3..=6 => self.range(),
            7 => Form::Bool,
            8 => Form::Symbol,
            9 | 10 => Form::Player,
            _ if self.may.square => Form::Square,
            _ => self.range(),
        }
    }

    fn range(&mut self) -> Form {
        match self.below(10) {
            0 => Form::Range(0, 1),
            1 => Form::Range(-3, self.between(0, 70)),
            2 => Form::Range(self.between(-300, -200), self.between(100, 40_000)),
            3 => Form::Range(1, 64),
            _ => {
                let low = self.between(-2, 2);
                Form::Range(low, low + self.between(1, 9))
            }
        }
    }

    /// Returns a form, nested at most `depth` deep.
    pub(super) fn form(&mut self, depth: usize) -> Form {
        if depth == 0 || self.chance(45) {
            return self.atom();
        }
        let boxed = |form: Form| Box::new(form);
        if !self.rare() {
            return self.flat(depth);
        }
        match self.below(20) {
            0 | 1 => Form::Optional(boxed(self.atom())),
            2..=7 => {
                let bound = self.bound();
                Form::List(bound, boxed(self.form(depth - 1)))
            }
            8..=11 => Form::Set(boxed(self.form(depth - 1))),
            12..=14 => Form::Bag(boxed(self.form(depth - 1))),
            15 | 16 => Form::Tuple((0..2 + self.below(2)).map(|_| self.atom()).collect()),
            17 | 18 if depth > 1 => {
                let key = self.key();
                Form::Map(boxed(self.form(1)), boxed(key))
            }
            _ if depth > 1 => self.grid_form(),
            _ => self.atom(),
        }
    }

    /// Returns a form with few values that fits in one cell.
    fn short(&mut self) -> Form {
        loop {
            match self.atom() {
                Form::Int => {}
                Form::Range(low, high) if high - low > 60 => {}
                form => return form,
            }
        }
    }

    /// Returns a form that fits flat memory.
    fn flat(&mut self, depth: usize) -> Form {
        match self.below(20) {
            0 | 1 => Form::Optional(Box::new(self.atom())),
            2..=8 => {
                let bound = self.bound();
                Form::List(bound, Box::new(self.atom()))
            }
            9..=11 => Form::Set(Box::new(self.short())),
            12 => Form::Set(Box::new(Form::Int)),
            13 if depth > 1 => Form::Set(Box::new(Form::list(self.atom()))),
            14 if depth > 1 => Form::Set(Box::new(Form::Bag(Box::new(self.short())))),
            15 | 16 => Form::Bag(Box::new(self.short())),
            17 | 18 if depth > 1 => {
                let key = self.key();
                Form::Map(Box::new(self.atom()), Box::new(key))
            }
            19 if depth > 1 => self.grid_form(),
            _ => self.atom(),
        }
    }

    fn bound(&mut self) -> Bound {
        match self.below(4) {
            0 => Bound::AtMost(self.between(2, 8)),
            1 => Bound::Exactly(self.between(1, 6)),
            _ => Bound::None,
        }
    }

    fn key(&mut self) -> Form {
        match self.below(5) {
            0 => Form::Player,
            1 => Form::Symbol,
            2 => Form::Bool,
            _ => Form::Range(self.between(-1, 2), self.between(3, 6)),
        }
    }

    pub(super) fn grid_form(&mut self) -> Form {
        let (rows, columns) = (self.between(1, 4), self.between(2, 4));
        let of = match self.below(3) {
            0 => Form::Optional(Box::new(self.pick(&[Form::Player, Form::Symbol, Form::Range(1, 4)]))),
            1 if self.rare() => self.form(1),
            _ => self.atom(),
        };
        Form::Grid(rows, columns, Box::new(of))
    }

    /// Returns a literal of a form.
    pub(super) fn literal(&mut self, form: &Form) -> String {
        match form {
            Form::Int => match self.below(30) {
                0 => self.large(),
                _ => self.small(),
            },
            Form::Range(low, high) => self.between(*low, *high).to_string(),
            Form::Bool => self.pick(&["yes", "no"]).into(),
            Form::Symbol => self.pick(&["red", "green", "blue", "white"]).into(),
            Form::Player => format!("seat({})", self.between(1, 4)),
            Form::Square if self.may.square => self.pick(&["a1", "b1", "a1", "b2", "c2"]).into(),
            Form::Square => "first([])".into(),
            Form::Optional(_) if self.chance(40) => "none".into(),
            Form::Optional(of) => self.literal(of),
            Form::List(bound, of) => {
                let size = match bound {
                    Bound::None => self.below(5) as i64,
                    Bound::AtMost(n) => self.between(0, *n),
                    Bound::Exactly(n) => *n,
                };
                format!("[{}]", self.literals(size, of))
            }
            Form::Set(of) => {
                let size = self.between(0, 4);
                format!("{{{}}}", self.literals(size, of))
            }
            Form::Bag(of) => {
                let size = self.between(0, 5);
                format!("bag([{}])", self.literals(size, of))
            }
            Form::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.literal(part)).collect();
                format!("({})", parts.join(", "))
            }
            Form::Grid(_, _, of) | Form::Map(of, _) => self.literal(of),
        }
    }

    fn literals(&mut self, size: i64, of: &Form) -> String {
        (0..size).map(|_| self.literal(of)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn small(&mut self) -> String {
        match self.between(-3, 12) {
            n if n < 0 => format!("({n})"),
            n => n.to_string(),
        }
    }

    /// Returns a number near the limits of a machine word, or beyond.
    pub(super) fn large(&mut self) -> String {
        let numbers = [
            "9223372036854775807",
            "(-9223372036854775807 - 1)",
            "9223372036854775808",
            "4294967296",
            "(-2147483649)",
            "3037000500",
            "(10 ^ 30)",
            "1000000007",
        ];
        self.pick(&numbers).into()
    }
}
