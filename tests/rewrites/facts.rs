//! Facts about a rule file from its syntax alone: what it declares, and which values cannot fault.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use parlour::ast::*;
use parlour::syntax::layout::{TokenKind, tokens};

use super::print;
use super::walk;

/// Functions of the language that never fault on arguments of the right types.
const TOTAL: &[&str] = &[
    "abs",
    "sign",
    "gcd",
    "lcm",
    "coprime",
    "prime",
    "square",
    "fibonacci",
    "even",
    "odd",
    "popcount",
    "xor",
    "mex",
    "min",
    "max",
    "size",
    "empty",
    "full",
    "runs",
    "bag",
    "set",
    "list",
    "sorted",
    "reversed",
    "distinct",
    "once",
    "copies",
    "sum",
    "product",
    "positions",
    "occurs",
    "palindrome",
    "pairs",
    "union",
    "common",
    "without",
    "subset",
    "rows",
    "columns",
    "diagonals",
    "squares",
    "edge",
    "lines",
    "beside",
    "around",
    "hexes",
    "seat",
    "count",
    "all",
    "some",
    "reach",
    "step",
];

/// The declarations of a file.
pub struct Facts {
    /// The state of the table and of each player, by name.
    pub states: BTreeMap<String, State>,
    /// The names of the state in `each player`.
    pub owned: BTreeSet<String>,
    /// The functions: their parameters and bodies.
    pub defines: BTreeMap<String, (Vec<String>, Expr)>,
    /// The rules: their parameters and bodies.
    pub rules: BTreeMap<String, (Vec<String>, Block)>,
    /// The moves.
    pub moves: BTreeMap<String, Move>,
    /// The names bound in moves, rules, play, functions and values: parameters, elements, loops, chance.
    pub locals: BTreeSet<String>,
    /// The symbols, which may have the same name as something else.
    pub symbols: BTreeSet<String>,
    /// All words of the file.
    words: BTreeSet<String>,
    /// The number of fresh names made so far.
    made: Cell<usize>,
}

impl Facts {
    /// Collects what a file declares.
    pub fn of(file: &File) -> Facts {
        let mut facts = Facts {
            states: BTreeMap::new(),
            owned: BTreeSet::new(),
            defines: BTreeMap::new(),
            rules: BTreeMap::new(),
            moves: BTreeMap::new(),
            locals: BTreeSet::from(["me".to_string()]),
            symbols: BTreeSet::new(),
            words: words(&print::file(file)),
            made: Cell::new(0),
        };
        let texts = |names: &[Name]| names.iter().map(|name| name.text.clone()).collect::<Vec<_>>();
        for item in &file.items {
            match &item.kind {
                ItemKind::Table(states) | ItemKind::EachPlayer(states) => {
                    for state in states {
                        facts.symbols_of(&state.ty);
                        facts.states.insert(state.name.text.clone(), state.clone());
                        if matches!(item.kind, ItemKind::EachPlayer(_)) {
                            facts.owned.insert(state.name.text.clone());
                        }
                    }
                }
                ItemKind::Option(OptionDecl { ty: Some(ty), .. }) => facts.symbols_of(ty),
                ItemKind::Kind(_, ty) => facts.symbols_of(ty),
                ItemKind::Define(name, params, body) => {
                    facts.locals.extend(texts(params));
                    facts.defines.insert(name.text.clone(), (texts(params), body.clone()));
                }
                ItemKind::Rule(name, params, body) => {
                    facts.locals.extend(texts(params));
                    facts.rules.insert(name.text.clone(), (texts(params), body.clone()));
                }
                ItemKind::Move(mv) => {
                    facts.locals.extend(mv.params.iter().map(|param| param.name.text.clone()));
                    facts.moves.insert(mv.name.text.clone(), mv.clone());
                }
                _ => {}
            }
        }
        let mut file = file.clone();
        for body in walk::bodies(&mut file) {
            walk::each_stmt(&mut body.stmts, &mut |stmt| {
                facts.locals.extend(walk::given_names(stmt).into_iter().map(|name| name.text.clone()));
            });
        }
        walk::file_values(&mut file, &mut |_, e| facts.locals.extend(walk::bound(e)));
        facts
    }

    fn symbols_of(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Symbols(names) => self.symbols.extend(names.iter().map(|name| name.text.clone())),
            TypeKind::Optional(of) | TypeKind::List(_, of) | TypeKind::Set(of) | TypeKind::Bag(of) => {
                self.symbols_of(of)
            }
            TypeKind::Grid { of, .. } => self.symbols_of(of),
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.symbols_of(&part.ty)),
            TypeKind::Either(kinds) => kinds.iter().for_each(|kind| self.symbols_of(kind)),
            TypeKind::Map(value, key) => [value, key].into_iter().for_each(|part| self.symbols_of(part)),
            TypeKind::Name(_) | TypeKind::Range(..) | TypeKind::AtLeast(_) | TypeKind::Bool => {}
        }
    }

    /// Returns a name that the file does not contain.
    pub fn fresh(&self, like: &str) -> String {
        let stem = like.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
        loop {
            self.made.set(self.made.get() + 1);
            let name = format!("{stem}_{}", self.made.get());
            if !self.words.contains(&name) {
                return name;
            }
        }
    }

    /// Renames the names bound inside a value, and all their uses, to fresh names.
    pub fn renew(&self, e: &mut Expr) {
        let new: BTreeMap<String, String> =
            walk::bound(e).into_iter().map(|name| (name.clone(), self.fresh(&name))).collect();
        walk::rename(e, &|name| new.get(name).cloned());
    }

    /// Returns the local names that a value reads.
    pub fn locals_in(&self, e: &Expr) -> BTreeSet<String> {
        walk::free(e).into_iter().filter(|name| self.locals.contains(name)).collect()
    }

    /// Returns the declared type of a place of state.
    pub fn type_of(&self, place: &Expr) -> Option<&TypeKind> {
        match &place.kind {
            ExprKind::Name(name) if !self.owned.contains(name) => Some(&self.states.get(name)?.ty.kind),
            ExprKind::Field(_, field) if self.owned.contains(&field.text) => {
                Some(&self.states[&field.text].ty.kind)
            }
            ExprKind::Index(base, _) => match self.type_of(base)? {
                TypeKind::List(_, of) | TypeKind::Map(of, _) | TypeKind::Grid { of, .. } => Some(&of.kind),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether this names a grid.
    pub fn is_grid(&self, e: &Expr) -> bool {
        matches!(self.type_of(e), Some(TypeKind::Grid { .. }))
    }

    /// Whether this is certainly a list, a set or a bag.
    pub fn is_collection(&self, e: &Expr) -> bool {
        let declared =
            matches!(self.type_of(e), Some(TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_)));
        declared || matches!(e.kind, ExprKind::List(_) | ExprKind::Set(_))
    }

    /// Whether evaluating a value can never fault. A square that indexes a grid is assumed to be on it.
    pub fn safe(&self, e: &Expr) -> bool {
        self.safe_with(e, None)
    }

    /// Whether evaluation can never fault for elements after the one that settles a binder. An index by the
    /// names in `gone_through` is assumed to be valid: if nothing settles the binder, all elements are
    /// evaluated anyway.
    pub fn safe_beyond(&self, e: &Expr, gone_through: &BTreeSet<String>) -> bool {
        let names = gone_through.union(&walk::bound(e)).cloned().collect();
        self.safe_with(e, Some(&names))
    }

    fn safe_with(&self, e: &Expr, gone_through: Option<&BTreeSet<String>>) -> bool {
        let called = |name: &Name| {
            let (_, body) = self.defines.get(&name.text)?;
            let own = gone_through.map(|_| walk::bound(body));
            Some(self.safe_with(body, own.as_ref()))
        };
        let inside = || walk::children(e).into_iter().all(|child| self.safe_with(child, gone_through));
        let literal = |e: &Expr| matches!(&e.kind, ExprKind::Number(n) if !n.is_negative() && !n.is_zero());
        match &e.kind {
            ExprKind::Name(name) => match self.states.get(name) {
                Some(state) => state.init.is_some() || is_empty_grid(state) || self.owned.contains(name),
                None => true,
            },
            ExprKind::Field(_, field) => {
                self.states.get(&field.text).is_none_or(|state| state.init.is_some()) && inside()
            }
            ExprKind::Index(base, at) => {
                let name =
                    |e: &Expr| if let ExprKind::Name(name) = &e.kind { Some(name.clone()) } else { None };
                let there = at.iter().all(|e| {
                    name(e).is_some_and(|name| gone_through.is_some_and(|names| names.contains(&name)))
                });
                let square = self.is_grid(base) && at.len() == 1 && name(&at[0]).is_some();
                (square || there) && inside()
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod | BinaryOp::Pow, _, b) => literal(b) && inside(),
            ExprKind::Call(name, _) => {
                called(name).unwrap_or_else(|| TOTAL.contains(&name.text.as_str())) && inside()
            }
            ExprKind::Is(_, _, IsTest::Predicate(name)) => called(name).unwrap_or(true) && inside(),
            ExprKind::With(..) | ExprKind::Wrong => false,
            _ => inside(),
        }
    }

    /// Whether a condition tests for `none` or emptiness, which other values may rely on.
    pub fn narrows(&self, e: &Expr) -> bool {
        walk::any(e, &|e| match &e.kind {
            ExprKind::Is(_, _, IsTest::None) => true,
            ExprKind::Is(_, _, IsTest::Predicate(name)) => name.text == "empty",
            _ => false,
        })
    }

    /// Returns the names of all state that a value reads, including through functions.
    pub fn reads(&self, e: &Expr) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        self.gather(e, &mut out);
        out
    }

    fn gather(&self, e: &Expr, out: &mut BTreeSet<String>) {
        match &e.kind {
            ExprKind::Name(name) if self.states.contains_key(name) && !self.owned.contains(name) => {
                out.insert(name.clone());
            }
            ExprKind::Field(_, field) => {
                out.insert(field.text.clone());
            }
            ExprKind::Call(name, _) | ExprKind::Is(_, _, IsTest::Predicate(name)) => {
                if let Some((_, body)) = self.defines.get(&name.text) {
                    self.gather(body, out);
                }
            }
            _ => {}
        }
        walk::children(e).into_iter().for_each(|child| self.gather(child, out));
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let words = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Word);
    words.map(|token| text[token.span.start..token.span.end].to_string()).collect()
}

fn is_empty_grid(state: &State) -> bool {
    matches!(state.ty.kind, TypeKind::Grid { empty: true, .. })
}
