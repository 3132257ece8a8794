//! Substitutes options and the number of players in a syntax tree, and simplifies what they determine.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

use super::types::is_yes_or_no;
use crate::ast::{
    BinaryOp, Block, Choices, CompareOp, Expr, ExprKind, File, Inside, Item, ItemKind, Name, OptionDecl,
    Stmt, StmtKind, Type, TypeKind, Until, WinnerBy,
};
use crate::ir::{Game, Value};
use crate::num::Int;
use crate::source::Span;

/// The values of names.
pub(super) type Known = HashMap<String, ExprKind>;

/// Fills in the given options and number of players. Returns the values that were substituted, by name.
pub(super) fn fill(
    file: &mut File,
    game: &Game,
    options: &BTreeMap<usize, Value>,
    players: Option<usize>,
) -> Known {
    let mut known = Known::new();
    for (id, value) in options {
        if let (Some(option), Some(value)) = (game.options.get(*id), written(game, value)) {
            known.insert(option.name.clone(), value);
        }
    }
    let secrets = RefCell::new(secret_names(file));
    let symbols = game.symbols.clone();
    let mut filling = Filling { known, players, symbols, secrets, in_secret: Cell::new(false) };
    for item in &mut file.items {
        filling.item(item);
    }
    filling.known
}

/// Replaces a name by a value in an expression, and simplifies the result.
pub(super) fn substitute(e: &mut Expr, name: &str, value: ExprKind) {
    let known = Known::from([(name.to_string(), value)]);
    let filling = Filling {
        known,
        players: None,
        symbols: Vec::new(),
        secrets: RefCell::default(),
        in_secret: Cell::new(false),
    };
    filling.expr(e);
}

/// Converts the value of an option to an expression.
fn written(game: &Game, value: &Value) -> Option<ExprKind> {
    match value {
        Value::Int(n) => Some(ExprKind::Number(n.clone())),
        Value::Bool(yes) => Some(ExprKind::Bool(*yes)),
        Value::Symbol(id) => game.symbols.get(*id).map(|name| ExprKind::Name(name.clone())),
        Value::List(items) => {
            let items = items.iter().map(|item| written(game, item).map(unplaced));
            Some(ExprKind::List(Inside { items: items.collect::<Option<_>>()?, ..Inside::default() }))
        }
        _ => None,
    }
}

fn unplaced(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

struct Filling {
    known: Known,
    players: Option<usize>,
    symbols: Vec<String>,
    /// The names of state that is never revealed to everybody, of the functions that read it, and of the values so far that are
    /// computed or drawn from it.
    secrets: RefCell<HashSet<String>>,
    /// Whether all messages of the block at hand are kept.
    in_secret: Cell<bool>,
}

/// Notes the names of the state that a block reveals.
fn note_revealed(block: &Block, revealed: &mut HashSet<String>) {
    for stmt in &block.stmts {
        if let StmtKind::Reveal(place) = &stmt.kind {
            revealed.extend(super::statements::written(place).map(str::to_string));
        }
        stmt.blocks().into_iter().for_each(|body| note_revealed(body, revealed));
    }
}

/// Returns the names of the state that is never revealed to everybody, and of the functions that read it.
fn secret_names(file: &File) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut revealed = HashSet::new();
    for item in &file.items {
        if let ItemKind::Play(body) | ItemKind::Rule(_, _, body) = &item.kind {
            note_revealed(body, &mut revealed);
        }
        if let ItemKind::Table(states) | ItemKind::EachPlayer(states) = &item.kind {
            let secret = states.iter().filter(|state| !state.secrecy.is_empty());
            names.extend(secret.map(|state| state.name.text.clone()));
        }
    }
    names.retain(|name| !revealed.contains(name));
    loop {
        let reading = file.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Define(name, _, body) if reads(body, &names) => Some(name.text.clone()),
            _ => None,
        });
        let reading: Vec<String> = reading.filter(|name| !names.contains(name)).collect();
        if reading.is_empty() {
            return names;
        }
        names.extend(reading);
    }
}

/// Whether an expression mentions one of these names.
fn reads(e: &Expr, names: &HashSet<String>) -> bool {
    let own = match &e.kind {
        ExprKind::Name(name) => names.contains(name),
        ExprKind::Field(_, name) | ExprKind::Call(name, _) => names.contains(&name.text),
        _ => false,
    };
    own || e.parts().into_iter().any(|part| reads(part, names))
}

impl Filling {
    fn item(&mut self, item: &mut Item) {
        match &mut item.kind {
            ItemKind::Option(OptionDecl { ty, default, .. }) => {
                ty.iter_mut().for_each(|ty| self.ty(ty));
                self.expr(default);
            }
            ItemKind::Constant(Name { text, .. }, e) => {
                self.expr(e);
                // Replace a constant that is a literal by its value.
                if matches!(e.kind, ExprKind::Number(_) | ExprKind::Bool(_)) {
                    self.known.insert(text.clone(), e.kind.clone());
                }
            }
            ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                for state in states {
                    self.ty(&mut state.ty);
                    state.init.iter_mut().for_each(|e| self.expr(e));
                }
            }
            ItemKind::Show(e, _) | ItemKind::Define(_, _, e) | ItemKind::Score(_, e) => self.expr(e),
            ItemKind::Move(mv) => {
                for param in &mut mv.params {
                    param.domain.iter_mut().chain(param.filter.iter_mut()).for_each(|e| self.expr(e));
                }
                self.block(&mut mv.body);
            }
            ItemKind::Rule(_, _, block) | ItemKind::Play(block) => self.block(block),
            ItemKind::Winner(winner) => {
                if let WinnerBy::Best(keys) = &mut winner.by {
                    keys.iter_mut().for_each(|(_, e)| self.expr(e));
                }
            }
            ItemKind::Standing(stmt) => self.stmt(stmt),
            ItemKind::Need(cond, reason) => {
                self.expr(cond);
                self.expr(reason);
            }
            _ => {}
        }
    }

    fn ty(&self, ty: &mut Type) {
        match &mut ty.kind {
            TypeKind::Range(low, high) => {
                self.expr(low);
                self.expr(high);
            }
            TypeKind::AtLeast(low) => self.expr(low),
            TypeKind::Optional(of) | TypeKind::Set(of) | TypeKind::Bag(of) => self.ty(of),
            TypeKind::List(bound, of) => {
                bound.iter_mut().for_each(|(_, n)| self.expr(n));
                self.ty(of);
            }
            TypeKind::Grid { rows, columns, of, .. } => {
                self.expr(rows);
                self.expr(columns);
                self.ty(of);
            }
            TypeKind::Tuple(parts) => parts.iter_mut().for_each(|part| self.ty(&mut part.ty)),
            TypeKind::Either(kinds) => kinds.iter_mut().for_each(|kind| self.ty(kind)),
            TypeKind::Map(of, key) => {
                self.ty(of);
                self.ty(key);
            }
            _ => {}
        }
    }

    /// Simplifies a block: an `if` that is decided is replaced by its arm. Messages are not rules and are
    /// removed, except for those by which players learn of secrets, and so are statements whose blocks become empty thereby.
    fn block(&self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let empty = |stmt: &Stmt| stmt.blocks().iter().all(|body| body.stmts.is_empty());
            let was_empty = empty(&stmt);
            self.stmt(&mut stmt);
            self.note_secrets(&stmt);
            match stmt.kind {
                StmtKind::Say(ref text, _) if !self.in_secret.get() && !self.tells(text) => {}
                StmtKind::If(..) | StmtKind::Each { .. } if !was_empty && empty(&stmt) => {}
                StmtKind::If(arms, otherwise) => out.extend(settled(stmt.span, arms, otherwise)),
                // Drop conditions that never hold and needs that always do.
                StmtKind::WinWhen(_, ref c) | StmtKind::EndWhen(ref c) if truth(c) == Some(false) => {}
                StmtKind::Need(ref c, _) if truth(c) == Some(true) => {}
                kind => out.push(Stmt { kind, span: stmt.span }),
            }
        }
        block.stmts = out;
    }

    /// Whether an expression tells something of a secret.
    fn tells(&self, e: &Expr) -> bool {
        reads(e, &self.secrets.borrow())
    }

    /// Notes the names that a statement gives to what it computes or draws from a secret.
    fn note_secrets(&self, stmt: &Stmt) {
        let names: Vec<&Name> = match &stmt.kind {
            StmtKind::Let(pattern, e) if self.tells(e) => pattern.names.iter().collect(),
            StmtKind::Draw(name, from) if self.tells(from) => vec![name],
            _ => return,
        };
        self.secrets.borrow_mut().extend(names.into_iter().map(|name| name.text.clone()));
    }

    fn until(&self, until: &mut Option<Until>) {
        if let Some(Until::Cond(e)) = until {
            self.expr(e);
        }
    }

    fn choices(&self, choices: &mut Choices) {
        for choice in choices.first.iter_mut().chain(&mut choices.otherwise) {
            choice.given.iter_mut().flatten().for_each(|e| self.expr(e));
        }
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Let(_, e)
            | StmtKind::Reveal(e)
            | StmtKind::Conceal(e)
            | StmtKind::Out(e)
            | StmtKind::Shuffle(e)
            | StmtKind::Draw(_, e)
            | StmtKind::EndWhen(e)
            | StmtKind::Win(e) => self.expr(e),
            StmtKind::Need(a, b) | StmtKind::WinWhen(a, b) | StmtKind::Assign(a, _, b) => {
                self.expr(a);
                self.expr(b);
            }
            StmtKind::Chance(_, e, filter) => {
                self.expr(e);
                filter.iter_mut().for_each(|filter| self.expr(filter));
            }
            StmtKind::NeedIfPossible(a, b) => {
                self.expr(a);
                b.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::Say(text, to) => {
                self.expr(text);
                to.iter_mut().for_each(|to| self.expr(to));
            }
            StmtKind::Award(a, b, why) => {
                self.expr(a);
                self.expr(b);
                why.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::Send(a, b, c) | StmtKind::Deal(a, b, c) => {
                [a, b, c].into_iter().for_each(|e| self.expr(e))
            }
            StmtKind::If(arms, otherwise) => {
                let before = self.in_secret.get();
                let secret = arms.iter().any(|(cond, _)| self.tells(cond));
                self.in_secret.set(before || secret);
                arms.iter_mut().for_each(|(cond, _)| self.expr(cond));
                let whole: Vec<Block> =
                    arms.iter().map(|(_, body)| body).chain(otherwise.as_ref()).cloned().collect();
                let mut bodies: Vec<&mut Block> =
                    arms.iter_mut().map(|(_, body)| body).chain(otherwise.as_mut()).collect();
                bodies.iter_mut().for_each(|body| self.block(body));
                // Where one arm is left, another that had only messages must not seem to do nothing.
                if bodies.iter().any(|body| !body.stmts.is_empty()) {
                    self.in_secret.set(true);
                    for (body, whole) in bodies.iter_mut().zip(whole) {
                        if body.stmts.is_empty() {
                            **body = whole;
                            self.block(body);
                        }
                    }
                }
                self.in_secret.set(before);
            }
            StmtKind::Each { source, filter, body, .. } => {
                self.expr(source);
                filter.iter_mut().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::Cycle { source, filter, until, body, .. } => {
                self.expr(source);
                filter.iter_mut().for_each(|e| self.expr(e));
                self.until(until);
                self.block(body);
            }
            StmtKind::Repeat { count, until, body, .. } => {
                count.iter_mut().for_each(|e| self.expr(e));
                self.until(until);
                self.block(body);
            }
            StmtKind::Turns { by, from, before, after, body, .. } => {
                by.iter_mut().chain(from.iter_mut()).for_each(|e| self.expr(e));
                self.until(before);
                self.until(after);
                self.block(body);
            }
            StmtKind::Ask(who, choices) | StmtKind::Together(who, choices) => {
                self.expr(who);
                self.choices(choices);
            }
            StmtKind::TogetherAsk(asks) => {
                for (who, choices) in asks {
                    self.expr(who);
                    self.choices(choices);
                }
            }
            StmtKind::Choose(choices) => self.choices(choices),
            StmtKind::Phase(_, body) => self.block(body),
            _ => {}
        }
    }

    fn inside(&self, inside: &mut Inside) {
        inside.items.iter_mut().for_each(|e| self.expr(e));
        for part in [&mut inside.filter, &mut inside.stop, &mut inside.body] {
            part.iter_mut().for_each(|e| self.expr(e));
        }
    }

    fn expr(&self, e: &mut Expr) {
        // The two values, not a condition.
        if is_yes_or_no(e) {
            return;
        }
        match &mut e.kind {
            ExprKind::Name(name) => {
                if let Some(value) = self.known.get(name.as_str()) {
                    e.kind = value.clone();
                }
            }
            ExprKind::Call(_, inside) | ExprKind::List(inside) | ExprKind::Set(inside) => self.inside(inside),
            ExprKind::Tuple(items) => items.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Index(base, at) => {
                self.expr(base);
                at.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Field(base, _) => self.expr(base),
            ExprKind::Not(a) | ExprKind::Negative(a) | ExprKind::Is(a, ..) | ExprKind::AtLeast(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Compare(a, chain) => {
                self.expr(a);
                chain.iter_mut().for_each(|(_, b)| self.expr(b));
            }
            ExprKind::With(base, at, to) => {
                self.expr(base);
                at.iter_mut().for_each(|e| self.expr(e));
                self.expr(to);
            }
            ExprKind::If(arms, otherwise) => {
                for (cond, value) in arms.iter_mut() {
                    self.expr(cond);
                    self.expr(value);
                }
                self.expr(otherwise);
            }
            ExprKind::Case(what, arms, otherwise) => {
                self.expr(what);
                for (when, value) in arms.iter_mut() {
                    when.iter_mut().for_each(|e| self.expr(e));
                    self.expr(value);
                }
                otherwise.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Text(parts) => {
                for part in parts {
                    if let crate::ast::TextPart::Filled(e) = part {
                        self.expr(e);
                    }
                }
            }
            _ => {}
        }
        if let Some(kind) = self.worked_out(&e.kind) {
            e.kind = kind;
        }
    }

    /// Evaluates an expression as far as its parts determine it.
    fn worked_out(&self, e: &ExprKind) -> Option<ExprKind> {
        match e {
            ExprKind::Call(name, inside) if !inside.has_tail() => {
                match (name.text.as_str(), inside.items.as_slice()) {
                    ("size", [Expr { kind: ExprKind::Name(all), .. }]) if all == "players" => {
                        self.players.map(|n| ExprKind::Number(Int::from(n)))
                    }
                    ("min", [a, b]) => Some(ExprKind::Number(number(a)?.min(number(b)?).clone())),
                    ("max", [a, b]) => Some(ExprKind::Number(number(a)?.max(number(b)?).clone())),
                    _ => None,
                }
            }
            ExprKind::Negative(a) => number(a).map(|n| ExprKind::Number(-n)),
            ExprKind::Not(a) => Some(ExprKind::Bool(!truth(a)?)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Compare(a, chain) => match chain.as_slice() {
                [(op, b)] => self.comparison(a, *op, b).map(ExprKind::Bool),
                _ => None,
            },
            ExprKind::If(arms, otherwise) => {
                let left: Vec<_> =
                    arms.iter().filter(|(cond, _)| truth(cond) != Some(false)).cloned().collect();
                match left.first() {
                    None => Some(otherwise.kind.clone()),
                    Some((cond, value)) if truth(cond) == Some(true) => Some(value.kind.clone()),
                    Some(_) if left.len() < arms.len() => Some(ExprKind::If(left, otherwise.clone())),
                    Some(_) => None,
                }
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<ExprKind> {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let settles = op == BinaryOp::Or;
                return match (truth(a), truth(b)) {
                    (Some(x), _) if x == settles => Some(ExprKind::Bool(settles)),
                    (_, Some(y)) if y == settles => Some(ExprKind::Bool(settles)),
                    (Some(_), _) => Some(b.kind.clone()),
                    (_, Some(_)) => Some(a.kind.clone()),
                    _ => None,
                };
            }
            _ => {}
        }
        let (x, y) = (number(a)?, number(b)?);
        let small = || y.as_usize().is_some_and(|y| y <= 64);
        Some(ExprKind::Number(match op {
            BinaryOp::Add => x.add(y),
            BinaryOp::Sub => x.sub(y),
            BinaryOp::Mul => x.mul(y).ok()?,
            BinaryOp::Div => x.div_floor(y)?,
            BinaryOp::Mod => x.modulo(y)?,
            BinaryOp::Pow if small() => x.pow(y).ok()?,
            _ => return None,
        }))
    }

    fn comparison(&self, a: &Expr, op: CompareOp, b: &Expr) -> Option<bool> {
        let symbol = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => self.symbols.iter().position(|symbol| symbol == name),
            _ => None,
        };
        if let (Some(x), Some(y)) = (symbol(a), symbol(b)) {
            return match op {
                CompareOp::Equal => Some(x == y),
                CompareOp::NotEqual => Some(x != y),
                _ => None,
            };
        }
        if let (Some(x), Some(y)) = (truth(a), truth(b)) {
            return match op {
                CompareOp::Equal => Some(x == y),
                CompareOp::NotEqual => Some(x != y),
                _ => None,
            };
        }
        let (x, y) = (number(a)?, number(b)?);
        Some(match op {
            CompareOp::Equal => x == y,
            CompareOp::NotEqual => x != y,
            CompareOp::Less => x < y,
            CompareOp::AtMost => x <= y,
            CompareOp::Greater => x > y,
            CompareOp::AtLeast => x >= y,
            CompareOp::Divides => x.divides(y),
            _ => return None,
        })
    }
}

fn settled(span: Span, arms: Vec<(Expr, Block)>, otherwise: Option<Block>) -> Vec<Stmt> {
    let mut left: Vec<(Expr, Block)> =
        arms.into_iter().filter(|(cond, _)| truth(cond) != Some(false)).collect();
    // Arms after a condition that always holds are never reached.
    let held = left.iter().position(|(cond, _)| truth(cond) == Some(true));
    let otherwise = match held {
        Some(at) => {
            left.truncate(at + 1);
            left.pop().map(|(_, block)| block)
        }
        None => otherwise,
    };
    match left.is_empty() {
        true => otherwise.map_or(Vec::new(), |block| block.stmts),
        false => vec![Stmt { kind: StmtKind::If(left, otherwise), span }],
    }
}

fn number(e: &Expr) -> Option<&Int> {
    match &e.kind {
        ExprKind::Number(n) => Some(n),
        _ => None,
    }
}

fn truth(e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Bool(yes) => Some(*yes),
        _ => None,
    }
}
