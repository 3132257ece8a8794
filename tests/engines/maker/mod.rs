//! Random rule files, most of them sound: state of every form, typed expressions, moves, play, an end.

mod expr;
mod form;
mod gather;
mod play;
mod stmt;

use std::fmt::Write;

use form::{Form, Sight, State, Var};
use parlour::num::Rng;

/// How the file counts points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scoring {
    None,
    Awards,
    Formula,
}

/// What may be named in the expression being generated.
#[derive(Clone, Copy)]
struct May {
    /// State, and everything else that changes in play.
    state: bool,
    /// `me`: the player who moves, or the owner.
    me: bool,
    /// State that not everybody sees.
    secret: bool,
    /// Squares by name, which are known if there is a grid.
    square: bool,
    /// The points.
    score: bool,
}

/// A function or rule: its name, its parameters, its result.
#[derive(Clone)]
struct Function {
    name: String,
    takes: Vec<Form>,
    gives: Form,
}

/// A move that play may offer, with the forms of its `given` parameters.
#[derive(Clone)]
struct Offered {
    name: String,
    given: Vec<Form>,
}

/// The generator of one rule file.
pub struct Maker {
    rng: Rng,
    fresh: usize,
    text: String,
    indent: usize,
    may: May,
    scoring: Scoring,
    /// Whether to use mostly values that fit flat memory, so that nearly all of the file is compiled.
    plain: bool,
    /// The value of the option `op`, if the file has it; bounds may be written in terms of it.
    option: Option<i64>,
    locals: Vec<Var>,
    fixed: Vec<Var>,
    state: Vec<State>,
    functions: Vec<Function>,
    rules: Vec<Function>,
    moves: Vec<Offered>,
    /// Moves that write only the mover's own state, so they can be made simultaneously.
    joint: Vec<Offered>,
}

impl Maker {
    /// Returns a rule file, the same one for the same seed.
    pub fn file(seed: u64) -> String {
        let none = May { state: false, me: false, secret: false, square: false, score: false };
        let mut maker = Maker {
            rng: Rng::nth(0xf11e, seed),
            fresh: 0,
            text: String::new(),
            indent: 0,
            may: none,
            scoring: Scoring::None,
            plain: false,
            option: None,
            locals: Vec::new(),
            fixed: Vec::new(),
            state: Vec::new(),
            functions: Vec::new(),
            rules: Vec::new(),
            moves: Vec::new(),
            joint: Vec::new(),
        };
        maker.make();
        maker.text
    }

    // ---- chance

    fn below(&mut self, n: usize) -> usize {
        self.rng.below_u64(n.max(1) as u64) as usize
    }

    /// Returns true with a probability of `n` percent.
    fn chance(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// Whether to generate something that plain files rarely have.
    fn rare(&mut self) -> bool {
        !self.plain || self.chance(5)
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let at = self.below(from.len());
        from[at].clone()
    }

    /// Returns a fresh name: two letters and a number, since one letter and a number would be a square.
    fn name(&mut self, of: &str) -> String {
        self.fresh += 1;
        format!("{of}{}", self.fresh)
    }

    // ---- text

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 2);
    }

    /// Writes a block: its head, its contents, its tail.
    fn block(&mut self, head: &str, tail: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let mark = self.locals.len();
        inside(self);
        self.locals.truncate(mark);
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    // ---- the file

    fn make(&mut self) {
        self.plain = self.chance(75);
        let players = self.pick(&["2", "2", "2 to 4", "3", "1 to 3"]);
        self.line(&format!("game \"Made\" {{ players {players} }}"));
        if self.chance(60) {
            let value = self.between(2, 6);
            self.option = Some(value);
            self.line(&format!("option op: 1..9 = {value}"));
            self.fixed.push(Var::new("op", Form::Int));
        }
        if self.chance(20) {
            self.line("option how: yes or no = yes");
            self.fixed.push(Var::new("how", Form::Bool));
        }
        self.line("kind hue: red, green, blue, white");
        for _ in 0..self.below(3) {
            let (name, form) = (self.name("co"), self.form(1));
            let value = self.expr(&form, 2);
            self.line(&format!("let {name} = {value}"));
            self.fixed.push(Var { name, form });
        }
        self.scoring = self.pick(&[Scoring::None, Scoring::Awards, Scoring::Awards, Scoring::Formula]);
        self.states();
        self.may.state = true;
        for _ in 0..self.below(4) {
            self.function();
        }
        for _ in 0..self.below(3) {
            self.rule();
        }
        self.line("move pass { }");
        for _ in 0..1 + self.below(3) {
            self.make_move(false);
        }
        for _ in 0..self.below(2) {
            self.make_move(true);
        }
        self.play();
        self.finish();
    }

    fn states(&mut self) {
        let grid = self.chance(50);
        let round = self.chance(40);
        for own in [false, true] {
            let mut declared = Vec::new();
            for at in 0..1 + self.below(4) {
                let name = self.name(if own { "my" } else { "ta" });
                let form = match grid && !own && at == 0 {
                    true => self.grid_form(),
                    false => self.form(2),
                };
                let sight = match self.below(10) {
                    0 if own => Sight::Owner,
                    0 | 1 if !own && at > 0 => Sight::Nobody,
                    _ => Sight::Public,
                };
                declared.push((name, form, sight));
            }
            self.may.square |= declared.iter().any(|(_, form, _)| matches!(form, Form::Grid(..)));
            let head = if own { "each player" } else { "table" };
            self.may.me = own;
            let states = declared.clone();
            self.block(head, "", |this| {
                for (name, form, sight) in states {
                    let first = this.first_value(&form);
                    let first = first.map_or(String::new(), |value| format!(" = {value}"));
                    let each = if round && this.chance(25) { " each round" } else { "" };
                    let words = form.words(this.option, &mut this.rng);
                    this.line(&format!("{name}: {words}{first}{each}{}", sight.words()));
                }
            });
            self.may.me = false;
            self.state.extend(declared.into_iter().map(|(name, form, sight)| State {
                name,
                form,
                own,
                sight,
            }));
        }
    }

    /// Returns the initial value of a state variable; rarely `None`.
    fn first_value(&mut self, form: &Form) -> Option<String> {
        match form {
            Form::Grid(_, _, of) if matches!(**of, Form::Optional(_)) => {
                self.chance(10).then(|| "none".into())
            }
            Form::Grid(_, _, of) | Form::Map(of, _) => Some(self.literal(of)),
            _ if self.chance(4) => None,
            _ if self.chance(30) => Some(self.expr(form, 2)),
            _ => Some(self.literal(form)),
        }
    }

    fn function(&mut self) {
        let takes: Vec<Form> = (0..self.below(3)).map(|_| self.form(1)).collect();
        let gives = self.pick(&[Form::Int, Form::Int, Form::Bool]);
        let gives = if self.chance(30) { self.form(1) } else { gives };
        let name = self.name("fu");
        let mark = self.locals.len();
        for form in &takes {
            let name = self.name("ar");
            self.locals.push(Var { name, form: form.clone() });
        }
        let names: Vec<String> = self.locals[mark..].iter().map(|var| var.name.clone()).collect();
        let depth = 1 + self.below(3);
        let body = self.expr(&gives, depth);
        self.locals.truncate(mark);
        self.line(&format!("define {name}({}) = {body}", names.join(", ")));
        self.functions.push(Function { name, takes, gives });
    }

    /// Writes how points are counted and how the match is decided.
    fn finish(&mut self) {
        self.may.me = true;
        if self.scoring == Scoring::Formula {
            let score = self.expr(&Form::Int, 2);
            self.line(&format!("score = {score}"));
        }
        let key = self.expr(&Form::Int, 2);
        let scored = self.scoring != Scoring::None;
        let winner = match self.below(8) {
            0 => "winner last mover".to_string(),
            1 => "loser last mover".to_string(),
            2 => "winner last in".to_string(),
            3 => format!("winner lowest {key}"),
            4 if scored => format!("winner highest score, then lowest {key}"),
            5 => format!("loser highest {key}, then highest me.number"),
            _ if scored => "winner highest score".to_string(),
            _ => format!("winner highest {key}"),
        };
        self.line(&winner);
    }
}
