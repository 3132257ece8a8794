//! Builds the tree from what the grammar read, and reads junk spans again to say what is wrong with them.

use std::collections::HashSet;
use std::sync::LazyLock;

use pest::Parser;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::grammar::{Grammar, Rule};
use super::layout::{Comment, layout};
use super::report::unreadable;
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::num::Int;
use crate::source::{MAX_BYTES, Source, Span};

/// How deep an expression may be, counted in operators and brackets.
const MAX_EXPR_DEPTH: usize = 150;

/// Reads a rule file: a tree of what could be read, and diagnostics for what could not.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let Some(mut builder) = Builder::new(source) else { return (File::default(), vec![too_large(source)]) };
    if builder.masked.is_empty() {
        return (File::default(), builder.diagnostics);
    }
    let masked = builder.masked.clone();
    let file = match Grammar::parse(Rule::file, &masked) {
        Ok(mut pairs) => builder.file(pairs.next().expect("a parse has a root")),
        Err(error) => {
            builder.diagnostics.push(unreadable(&error, &masked, 0, masked.len()));
            File::default()
        }
    };
    (file, builder.diagnostics)
}

/// Reads one expression, as the REPL needs it.
pub fn parse_expr(source: &Source) -> Result<Expr, Vec<Diagnostic>> {
    let mut builder = Builder::new(source).ok_or_else(|| vec![too_large(source)])?;
    let masked = builder.masked.clone();
    let expr = match Grammar::parse(Rule::one_expr, &masked) {
        Ok(mut pairs) => {
            builder.expr(pairs.next().expect("a parse has a root").into_inner().next().expect("an expr"))
        }
        Err(error) => {
            builder.diagnostics.push(unreadable(&error, &masked, 0, masked.len()));
            Expr { kind: ExprKind::Wrong, span: Span::default() }
        }
    };
    if builder.diagnostics.is_empty() { Ok(expr) } else { Err(builder.diagnostics) }
}

/// Reads a move as people type it: `flip 4`, `flip at=4`, `list 3 -1 4`. The error is the byte where it breaks.
pub fn parse_move(text: &str) -> Result<(Name, Vec<Word>), usize> {
    let source = Source::new("move", text.trim_end());
    let mut builder = Builder::new(&source).ok_or(0usize)?;
    let line = text.trim_end();
    match Grammar::parse(Rule::typed_move, line) {
        Ok(mut pairs) => {
            let mut parts = pairs.next().expect("a parse has a root").into_inner();
            let name = builder.name(parts.next().expect("a name"));
            Ok((name, builder.words(parts.next().expect("words"))))
        }
        Err(error) => Err(match error.location {
            pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
        }),
    }
}

/// Whether a word can never be a name.
pub fn is_reserved(word: &str) -> bool {
    Grammar::parse(Rule::reserved, word).is_ok() && Grammar::parse(Rule::name, word).is_err()
}

fn too_large(source: &Source) -> Diagnostic {
    let message = format!("this file has {} bytes", source.text.len());
    Diagnostic::new(Code::FileTooLarge, Span::new(0, 1), message, "the file begins here")
        .help(format!("a rule file has at most {MAX_BYTES} bytes"))
}

static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rules: &[Rule]| {
        let mut ops = rules.iter().map(|rule| Op::infix(*rule, Assoc::Left));
        let first = ops.next().expect("a level has an operator");
        ops.fold(first, |level, op| level | op)
    };
    use Rule as R;
    PrattParser::new()
        .op(left(&[R::or]))
        .op(left(&[R::and]))
        .op(Op::prefix(R::not))
        .op(left(&[
            R::equal,
            R::not_equal,
            R::less,
            R::at_most_op,
            R::greater,
            R::at_least_op,
            R::element_of,
            R::not_in,
            R::divides,
            R::foreign,
        ]) | Op::postfix(R::is_test))
        .op(Op::postfix(R::with_part))
        .op(left(&[R::range]))
        .op(left(&[R::join]))
        .op(left(&[R::copies_of]))
        .op(left(&[R::plus, R::minus]))
        .op(left(&[R::times, R::quotient, R::modulo, R::slash]))
        .op(Op::prefix(R::negative))
        .op(Op::infix(R::power, Assoc::Right))
});

struct Builder {
    masked: String,
    text: std::sync::Arc<str>,
    comments: Vec<Comment>,
    diagnostics: Vec<Diagnostic>,
    /// Places of expressions written in parentheses: `(a < b) = c` is no chain.
    grouped: HashSet<Span>,
    /// Places of `/` not yet seen inside `floor( )`.
    slashes: Vec<Span>,
}

fn span(pair: &Pair<Rule>) -> Span {
    Span::new(pair.as_span().start(), pair.as_span().end())
}

fn only(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().next().expect("the grammar gives this rule a part")
}

impl Builder {
    /// `None` where the text is too large to read.
    fn new(source: &Source) -> Option<Builder> {
        if source.text.len() > MAX_BYTES {
            return None;
        }
        let layout = layout(source);
        Some(Builder {
            masked: layout.masked,
            text: source.text.clone(),
            comments: layout.comments,
            diagnostics: layout.diagnostics,
            grouped: HashSet::new(),
            slashes: Vec::new(),
        })
    }

    // ---- items

    fn file(&mut self, root: Pair<Rule>) -> File {
        let mut items = Vec::new();
        for pair in root.into_inner() {
            let place = span(&pair);
            match pair.as_rule() {
                Rule::nl | Rule::EOI => {}
                Rule::junk_item => self.junk(place, Rule::one_item),
                _ => {
                    if let Some(kind) = self.item(pair) {
                        let doc = self.doc(place);
                        items.push(Item { kind, span: place, doc });
                    }
                }
            }
        }
        for place in std::mem::take(&mut self.slashes) {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::ForeignOperator,
                    place,
                    "`/` is not an operator here",
                    "division must say how",
                )
                .help("write `a div b` or `floor(a / b)` for the quotient rounded down"),
            );
        }
        File { items }
    }

    fn item(&mut self, pair: Pair<Rule>) -> Option<ItemKind> {
        let place = span(&pair);
        let rule = pair.as_rule();
        let mut parts = inner(pair).peekable();
        Some(match rule {
            Rule::game => self.game(parts),
            Rule::option => {
                let name = self.name(parts.next()?);
                let ty = self.ty(parts.next()?);
                let default = self.expr(parts.next()?);
                ItemKind::Option(OptionDecl { name, ty, default })
            }
            Rule::constant => ItemKind::Constant(self.name(parts.next()?), self.expr(parts.next()?)),
            Rule::kind => {
                let name = self.name(parts.next()?);
                ItemKind::Kind(name, parts.map(|p| self.name(p)).collect())
            }
            Rule::table => ItemKind::Table(self.states(parts)),
            Rule::each_player => ItemKind::EachPlayer(self.states(parts)),
            Rule::show => ItemKind::Show(self.expr(parts.next()?)),
            Rule::move_item => {
                let secret = parts.next_if(|p| p.as_rule() == Rule::kw_secret).is_some();
                let name = self.name(parts.next()?);
                let params = match parts.next_if(|p| p.as_rule() == Rule::params) {
                    Some(list) => inner(list).map(|p| self.param(p)).collect(),
                    None => Vec::new(),
                };
                let body = self.block(parts.next()?);
                ItemKind::Move(Move { name, secret, params, body })
            }
            Rule::define => {
                let name = self.name(parts.next()?);
                let params = inner(parts.next()?).map(|p| self.name(p)).collect();
                ItemKind::Define(name, params, self.expr(parts.next()?))
            }
            Rule::rule_item => {
                let name = self.name(parts.next()?);
                let params = inner(parts.next()?).map(|p| self.name(p)).collect();
                ItemKind::Rule(name, params, self.block(parts.next()?))
            }
            Rule::play => ItemKind::Play(self.block(parts.next()?)),
            Rule::score => {
                let name = parts.next_if(|p| p.as_rule() == Rule::name).map(|p| self.name(p));
                ItemKind::Score(name, self.expr(parts.next()?))
            }
            Rule::winner => self.winner(parts),
            Rule::standing => ItemKind::Standing(self.stmt(parts.next()?)),
            Rule::setup_need => {
                let cond = self.expr(parts.next()?);
                ItemKind::Need(cond, self.reason(parts.next()?))
            }
            Rule::example => self.example(parts, place),
            _ => return None,
        })
    }

    fn game<'i>(&mut self, mut parts: impl Iterator<Item = Pair<'i, Rule>>) -> ItemKind {
        let title = parts.next().map(|p| self.text(p)).expect("a game has a title");
        let mut header = Header { title, by: None, from: None, notes: Vec::new(), players: None };
        for part in parts {
            match part.as_rule() {
                Rule::by => header.by = Some(self.plain_text(last(part))),
                Rule::from => header.from = Some(self.plain_text(last(part))),
                Rule::note => header.notes.push(self.plain_text(last(part))),
                Rule::seats => header.players = Some(self.seats(part)),
                Rule::junk => self.junk(span(&part), Rule::one_game_line),
                _ => {}
            }
        }
        ItemKind::Game(header)
    }

    fn seats(&mut self, pair: Pair<Rule>) -> Players {
        let place = span(&pair);
        let mut numbers = Vec::new();
        let (mut open, mut called) = (false, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::number => numbers.push(self.number(&part)),
                Rule::at_least => open = true,
                Rule::name => called.push(self.name(part)),
                _ => {}
            }
        }
        let min = numbers[0].clone();
        let max = if open { None } else { Some(numbers.last().cloned().unwrap_or(min.clone())) };
        Players { min, max, called, span: place }
    }

    fn states<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> Vec<State> {
        let mut states = Vec::new();
        for part in parts {
            let place = span(&part);
            match part.as_rule() {
                Rule::junk => self.junk(place, Rule::one_state),
                Rule::state => states.push(self.state(part)),
                _ => {}
            }
        }
        states
    }

    fn state(&mut self, pair: Pair<Rule>) -> State {
        let place = span(&pair);
        let mut parts = inner(pair).peekable();
        let name = self.name(parts.next().expect("a state has a name"));
        let ty = self.ty(parts.next().expect("a state has a type"));
        let init = parts.next_if(|p| p.as_rule() == Rule::expr).map(|p| self.expr(p));
        let (mut each, mut secrecy) = (None, Vec::new());
        for tag in parts {
            let at = span(&tag);
            let part = last(tag);
            match part.as_rule() {
                Rule::kw_secret => secrecy.push((Secrecy::Secret, at)),
                Rule::kw_hidden => secrecy.push((Secrecy::Hidden, at)),
                _ => each = Some(self.name(part)),
            }
        }
        State { name, ty, init, each, secrecy, doc: self.doc(place), span: place }
    }

    fn param(&mut self, pair: Pair<Rule>) -> Param {
        let mut parts = inner(pair).peekable();
        if parts.next_if(|p| p.as_rule() == Rule::kw_given).is_some() {
            let name = self.name(parts.next().expect("a name"));
            return Param { name, domain: None, window: None };
        }
        let name = self.name(parts.next().expect("a name"));
        let domain = parts.next().map(|p| self.expr(p));
        let window = parts.next().map(|p| self.expr(p));
        Param { name, domain, window }
    }

    fn winner<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> ItemKind {
        let (mut loser, mut best) = (false, Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::loser => loser = true,
                Rule::last_mover => return ItemKind::Winner(Winner { loser, by: WinnerBy::LastMover }),
                Rule::last_in => return ItemKind::Winner(Winner { loser, by: WinnerBy::LastIn }),
                Rule::best => {
                    let highest = part.as_str().starts_with("highest");
                    best.push((highest, self.expr(last(part))));
                }
                _ => {}
            }
        }
        ItemKind::Winner(Winner { loser, by: WinnerBy::Best(best) })
    }

    // ---- types

    fn ty(&mut self, pair: Pair<Rule>) -> Type {
        let place = span(&pair);
        let mut parts = inner(pair);
        let base = self.plain_ty(parts.next().expect("a type"));
        match parts.next() {
            Some(key) => {
                let key = self.ty(key);
                Type { kind: TypeKind::Map(Box::new(base), Box::new(key)), span: place }
            }
            None => base,
        }
    }

    fn plain_ty(&mut self, pair: Pair<Rule>) -> Type {
        let place = span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::name {
            return Type { kind: TypeKind::Name(self.name(pair)), span: place };
        }
        let empty = pair.as_str().starts_with("empty");
        let mut parts = inner(pair).peekable();
        let kind = match rule {
            Rule::bool_ty => TypeKind::Bool,
            Rule::range_ty => {
                let low = self.expr(parts.next().expect("a bound"));
                TypeKind::Range(Box::new(low), Box::new(self.expr(parts.next().expect("a bound"))))
            }
            Rule::symbols_ty => TypeKind::Symbols(parts.map(|p| self.name(p)).collect()),
            Rule::tuple_ty => TypeKind::Tuple(parts.map(|p| self.plain_ty(p)).collect()),
            Rule::list_ty => {
                let bound = parts
                    .next_if(|p| matches!(p.as_rule(), Rule::at_most | Rule::exactly))
                    .map(|p| if p.as_rule() == Rule::at_most { Bound::AtMost } else { Bound::Exactly });
                let bound = bound.map(|b| (b, Box::new(self.expr(parts.next().expect("a size")))));
                TypeKind::List(bound, Box::new(self.plain_ty(parts.next().expect("a type"))))
            }
            Rule::grid_ty => {
                let rows = Box::new(self.expr(parts.next().expect("rows")));
                let columns = Box::new(self.expr(parts.next().expect("columns")));
                let of = Box::new(self.plain_ty(parts.next().expect("a type")));
                TypeKind::Grid { empty, rows, columns, of }
            }
            _ => {
                let of = Box::new(self.plain_ty(parts.next().expect("a type")));
                match rule {
                    Rule::optional_ty => TypeKind::Optional(of),
                    Rule::set_ty => TypeKind::Set(of),
                    _ => TypeKind::Bag(of),
                }
            }
        };
        Type { kind, span: place }
    }

    // ---- expressions

    /// Builds an `expr` or `arith`, and refuses one that is too deep.
    fn expr(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let built = self.pratt(pair.into_inner());
        if depth(&built) > MAX_EXPR_DEPTH {
            self.diagnostics.push(
                Diagnostic::new(Code::TooDeep, place, "this expression is too deep", "")
                    .help(format!("at most {MAX_EXPR_DEPTH} operators may wait for each other; name a part with `let` or `define`")),
            );
            return Expr { kind: ExprKind::Wrong, span: place };
        }
        built
    }

    fn pratt(&mut self, pairs: Pairs<Rule>) -> Expr {
        let this = std::cell::RefCell::new(self);
        PRATT
            .map_primary(|pair| this.borrow_mut().operand(pair))
            .map_prefix(|op, value| {
                let place = span(&op).to(value.span);
                let kind = match op.as_rule() {
                    Rule::not => ExprKind::Not(Box::new(value)),
                    _ => match value.kind {
                        ExprKind::Number(n) => ExprKind::Number(-&n),
                        _ => ExprKind::Negative(Box::new(value)),
                    },
                };
                Expr { kind, span: place }
            })
            .map_infix(|a, op, b| this.borrow_mut().infix(a, op, b))
            .map_postfix(|value, op| this.borrow_mut().postfix(value, op))
            .parse(pairs)
    }

    fn infix(&mut self, a: Expr, op: Pair<Rule>, b: Expr) -> Expr {
        let place = a.span.to(b.span);
        let at = span(&op);
        let mut rule = op.as_rule();
        if rule == Rule::foreign {
            let (meant, as_rule) = match op.as_str() {
                "==" => ("=", Rule::equal),
                "<>" => ("!=", Rule::not_equal),
                "&&" => ("and", Rule::and),
                "||" => ("or", Rule::or),
                _ => ("mod", Rule::modulo),
            };
            self.diagnostics.push(
                Diagnostic::new(
                    Code::ForeignOperator,
                    at,
                    format!("`{}` is not an operator here", op.as_str()),
                    "",
                )
                .help(format!("write `{meant}`"))
                .fix(meant),
            );
            rule = as_rule;
        }
        let compare = match rule {
            Rule::equal => Some(CompareOp::Equal),
            Rule::not_equal => Some(CompareOp::NotEqual),
            Rule::less => Some(CompareOp::Less),
            Rule::at_most_op => Some(CompareOp::AtMost),
            Rule::greater => Some(CompareOp::Greater),
            Rule::at_least_op => Some(CompareOp::AtLeast),
            Rule::element_of => Some(CompareOp::In),
            Rule::not_in => Some(CompareOp::NotIn),
            Rule::divides => Some(CompareOp::Divides),
            _ => None,
        };
        if let Some(compare) = compare {
            return self.compare(a, compare, at, b);
        }
        let op = match rule {
            Rule::or => BinaryOp::Or,
            Rule::and => BinaryOp::And,
            Rule::range => BinaryOp::Range,
            Rule::join => BinaryOp::Join,
            Rule::copies_of => BinaryOp::Copies,
            Rule::plus => BinaryOp::Add,
            Rule::minus => BinaryOp::Sub,
            Rule::times => BinaryOp::Mul,
            Rule::modulo => BinaryOp::Mod,
            Rule::power => BinaryOp::Pow,
            _ => {
                if rule == Rule::slash {
                    self.slashes.push(at);
                }
                BinaryOp::Div
            }
        };
        Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span: place }
    }

    fn compare(&mut self, a: Expr, op: CompareOp, at: Span, b: Expr) -> Expr {
        let place = a.span.to(b.span);
        let is_chain = matches!(a.kind, ExprKind::Compare(..)) && !self.grouped.contains(&a.span);
        let Expr { kind: ExprKind::Compare(first, mut links), .. } = a else {
            return Expr { kind: ExprKind::Compare(Box::new(a), vec![(op, b)]), span: place };
        };
        if !is_chain {
            let whole = Expr { span: place, kind: ExprKind::Compare(first, links) };
            return Expr { kind: ExprKind::Compare(Box::new(whole), vec![(op, b)]), span: place };
        }
        use CompareOp as C;
        let direction = |op: C| match op {
            C::Equal => Some(0),
            C::Less | C::AtMost => Some(1),
            C::Greater | C::AtLeast => Some(-1),
            _ => None,
        };
        let directions: Vec<Option<i32>> =
            links.iter().map(|(o, _)| direction(*o)).chain([direction(op)]).collect();
        let fits = directions.iter().all(|d| d.is_some())
            && (directions.iter().all(|d| *d != Some(1)) || directions.iter().all(|d| *d != Some(-1)));
        if !fits {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::BadChain,
                    at,
                    "these comparisons do not form a chain",
                    "the direction changes here",
                )
                .help("join two comparisons with `and`"),
            );
        }
        links.push((op, b));
        Expr { kind: ExprKind::Compare(first, links), span: place }
    }

    fn postfix(&mut self, value: Expr, op: Pair<Rule>) -> Expr {
        let place = value.span.to(span(&op));
        let rule = op.as_rule();
        let mut parts = inner(op).peekable();
        if rule == Rule::is_test {
            let negated = parts.next_if(|p| p.as_rule() == Rule::is_not).is_some();
            let part = parts.next().expect("a test");
            let test = match part.as_rule() {
                Rule::is_none => IsTest::None,
                Rule::is_in => IsTest::In,
                Rule::is_out => IsTest::Out,
                _ => IsTest::Predicate(self.name(part)),
            };
            return Expr { kind: ExprKind::Is(Box::new(value), negated, test), span: place };
        }
        let mut all: Vec<Expr> = parts.map(|p| self.expr(p)).collect();
        let put = all.pop().expect("`with` has a value");
        Expr { kind: ExprKind::With(Box::new(value), all, Box::new(put)), span: place }
    }

    fn operand(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        match pair.as_rule() {
            Rule::if_expr => {
                let mut values: Vec<Expr> =
                    pair.into_inner().filter(|p| p.as_rule() == Rule::expr).map(|p| self.expr(p)).collect();
                let otherwise = Box::new(values.pop().expect("`if` has an else"));
                let mut arms = Vec::new();
                let mut values = values.into_iter();
                while let (Some(cond), Some(value)) = (values.next(), values.next()) {
                    arms.push((cond, value));
                }
                Expr { kind: ExprKind::If(arms, otherwise), span: place }
            }
            Rule::case_expr => {
                let mut parts = pair.into_inner().filter(|p| matches!(p.as_rule(), Rule::expr | Rule::arm));
                let subject = Box::new(self.expr(parts.next().expect("a subject")));
                let (mut arms, mut otherwise) = (Vec::new(), None);
                for arm in parts {
                    let is_else = arm.clone().into_inner().any(|p| p.as_rule() == Rule::arm_else);
                    let mut values: Vec<Expr> = arm
                        .into_inner()
                        .filter(|p| p.as_rule() == Rule::expr)
                        .map(|p| self.expr(p))
                        .collect();
                    let value = values.pop().expect("an arm has a value");
                    if is_else {
                        otherwise = Some(Box::new(value));
                    } else {
                        arms.push((values, value));
                    }
                }
                Expr { kind: ExprKind::Case(subject, arms, otherwise), span: place }
            }
            _ => self.reference(pair),
        }
    }

    fn reference(&mut self, pair: Pair<Rule>) -> Expr {
        let mut parts = pair.into_inner();
        let mut value = self.primary(parts.next().expect("a value"));
        for part in parts {
            let place = value.span.to(span(&part));
            let rule = part.as_rule();
            let mut inside = inner(part);
            let kind = match rule {
                Rule::index => ExprKind::Index(Box::new(value), inside.map(|p| self.expr(p)).collect()),
                _ => {
                    let field = inside.next().expect("a field");
                    ExprKind::Field(Box::new(value), self.name(field))
                }
            };
            value = Expr { kind, span: place };
        }
        value
    }

    fn primary(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let kind = match pair.as_rule() {
            Rule::number => ExprKind::Number(self.number(&pair)),
            Rule::string => return self.text(pair),
            Rule::boolean => ExprKind::Bool(pair.as_str() == "yes"),
            Rule::nothing => ExprKind::None,
            Rule::every => ExprKind::Every(self.name(last(pair))),
            Rule::name => ExprKind::Name(pair.as_str().to_string()),
            Rule::call => {
                let mut parts = pair.into_inner().peekable();
                let name = self.name(parts.next().expect("a name"));
                let slashes = self.slashes.len();
                let inside = self.inside(parts);
                if name.text == "floor"
                    && let [Expr { kind: ExprKind::Binary(BinaryOp::Div, ..), .. }] = inside.items.as_slice()
                    && self.slashes.len() == slashes + 1
                {
                    self.slashes.pop();
                    return inside.items.into_iter().next().expect("just seen");
                }
                ExprKind::Call(name, inside)
            }
            Rule::group => {
                let mut values: Vec<Expr> = inner(pair).map(|p| self.expr(p)).collect();
                if values.len() == 1 {
                    let value = values.pop().expect("just counted");
                    self.grouped.insert(place);
                    return Expr { kind: value.kind, span: place };
                }
                ExprKind::Tuple(values)
            }
            Rule::list_literal => ExprKind::List(self.inside(pair.into_inner().peekable())),
            _ => ExprKind::Set(self.inside(pair.into_inner().peekable())),
        };
        Expr { kind, span: place }
    }

    fn inside<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> Inside {
        let mut inside = Inside::default();
        for part in parts {
            match part.as_rule() {
                Rule::expr => inside.items.push(self.expr(part)),
                Rule::where_part => inside.filter = Some(Box::new(self.expr(last(part)))),
                Rule::while_part => inside.stop = Some(Box::new(self.expr(last(part)))),
                Rule::body_part => inside.body = Some(Box::new(self.expr(last(part)))),
                _ => {}
            }
        }
        inside
    }

    fn text(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let mut parts = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::chars => parts.push(TextPart::Chars(part.as_str().to_string())),
                Rule::escape if part.as_str() == "\\n" => parts.push(TextPart::Chars("\n".to_string())),
                Rule::escape => parts.push(TextPart::Chars(part.as_str()[1..].to_string())),
                _ => parts.push(TextPart::Filled(self.expr(only(part)))),
            }
        }
        Expr { kind: ExprKind::Text(parts), span: place }
    }

    fn plain_text(&mut self, pair: Pair<Rule>) -> String {
        let text = self.text(pair);
        let ExprKind::Text(parts) = text.kind else { return String::new() };
        let mut out = String::new();
        for part in parts {
            match part {
                TextPart::Chars(chars) => out.push_str(&chars),
                TextPart::Filled(value) => self.diagnostics.push(
                    Diagnostic::new(Code::Unexpected, value.span, "no value can be filled in here", "")
                        .help("write `\\{` for a brace"),
                ),
            }
        }
        out
    }

    fn reason(&mut self, pair: Pair<Rule>) -> Expr {
        self.text(last(pair))
    }

    fn name(&mut self, pair: Pair<Rule>) -> Name {
        Name { text: pair.as_str().to_string(), span: span(&pair) }
    }

    fn number(&mut self, pair: &Pair<Rule>) -> Int {
        pair.as_str().parse().expect("the grammar reads digits")
    }

    // ---- statements

    fn block(&mut self, pair: Pair<Rule>) -> Block {
        let place = span(&pair);
        let mut stmts = Vec::new();
        for part in inner(pair) {
            match part.as_rule() {
                Rule::junk => self.junk(span(&part), Rule::one_statement),
                Rule::statement => stmts.push(self.stmt(only(part))),
                _ => stmts.push(self.stmt(part)),
            }
        }
        Block { stmts, span: place }
    }

    fn pattern(&mut self, pair: Pair<Rule>) -> Pattern {
        Pattern { span: span(&pair), names: inner(pair).map(|p| self.name(p)).collect() }
    }

    fn stmt(&mut self, pair: Pair<Rule>) -> Stmt {
        let place = span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::choices {
            return Stmt { kind: StmtKind::Choose(self.choices(pair)), span: place };
        }
        let mut parts =
            StmtParts { parts: inner(pair).collect::<Vec<_>>().into_iter().peekable(), builder: self };
        let kind = match rule {
            Rule::let_stmt => StmtKind::Let(parts.pattern(), parts.expr()),
            Rule::need => StmtKind::Need(parts.expr(), parts.reason().expect("a need has a reason")),
            Rule::need_if_possible => StmtKind::NeedIfPossible(parts.expr(), parts.reason()),
            Rule::award => StmtKind::Award(parts.expr(), parts.expr(), parts.text()),
            Rule::send => StmtKind::Send(parts.expr(), parts.expr(), parts.expr()),
            Rule::reveal => StmtKind::Reveal(parts.expr()),
            Rule::conceal => StmtKind::Conceal(parts.expr()),
            Rule::out_stmt => StmtKind::Out(parts.expr()),
            Rule::again => StmtKind::Again,
            Rule::if_stmt => {
                let mut arms = Vec::new();
                while let Some(cond) = parts.maybe_expr() {
                    arms.push((cond, parts.block()));
                }
                StmtKind::If(arms, parts.maybe_block())
            }
            Rule::each_stmt => StmtKind::Each {
                pattern: parts.pattern(),
                source: parts.expr(),
                filter: parts.part(Rule::where_part),
                label: parts.label(),
                body: parts.block(),
            },
            Rule::cycle => StmtKind::Cycle {
                pattern: parts.pattern(),
                source: parts.expr(),
                filter: parts.part(Rule::where_part),
                label: parts.label(),
                until: parts.until(),
                body: parts.block(),
            },
            Rule::repeat => StmtKind::Repeat {
                count: parts.part(Rule::count_part),
                label: parts.label(),
                body: parts.block(),
                until: parts.until(),
            },
            Rule::turns => StmtKind::Turns {
                by: parts.maybe_expr(),
                from: parts.part(Rule::from_part),
                label: parts.label(),
                before: parts.until(),
                stuck: parts.stuck(),
                body: parts.block(),
                after: parts.until(),
            },
            Rule::ask => StmtKind::Ask(parts.expr(), parts.choices()),
            Rule::together => StmtKind::Together(parts.expr(), parts.choices()),
            Rule::chance => StmtKind::Chance(parts.name(), parts.expr()),
            Rule::shuffle => StmtKind::Shuffle(parts.expr()),
            Rule::draw => StmtKind::Draw(parts.name(), parts.expr()),
            Rule::deal => StmtKind::Deal(parts.expr(), parts.expr(), parts.expr()),
            Rule::phase => StmtKind::Phase(parts.name(), parts.block()),
            Rule::end_when => StmtKind::EndWhen(parts.expr()),
            Rule::win_when => StmtKind::WinWhen(parts.expr(), parts.expr()),
            Rule::win_now => StmtKind::Win(parts.expr()),
            Rule::end_now => StmtKind::End,
            _ => {
                let target = parts.expr();
                let op = match parts.rule() {
                    Some(Rule::assign) => Assign::Set,
                    Some(Rule::add_to) => Assign::Add,
                    Some(Rule::take_from) => Assign::Take,
                    _ => Assign::Join,
                };
                StmtKind::Assign(target, op, parts.expr())
            }
        };
        Stmt { kind, span: place }
    }

    fn choices(&mut self, pair: Pair<Rule>) -> Choices {
        let place = span(&pair);
        let (mut first, mut otherwise) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::choice => first.push(self.choice(part)),
                Rule::else_choice => {
                    for choice in part.into_inner().filter(|p| p.as_rule() == Rule::choice) {
                        otherwise.push(self.choice(choice));
                    }
                }
                _ => {}
            }
        }
        Choices { first, otherwise, span: place }
    }

    fn choice(&mut self, pair: Pair<Rule>) -> Choice {
        let called = pair.clone().into_inner().any(|p| p.as_rule() == Rule::open_call);
        let mut parts = inner(pair);
        let name = self.name(parts.next().expect("a move"));
        let given: Vec<Expr> = parts.map(|p| self.expr(p)).collect();
        Choice { name, given: called.then_some(given) }
    }

    // ---- examples

    fn example<'i>(&mut self, mut parts: impl Iterator<Item = Pair<'i, Rule>>, place: Span) -> ItemKind {
        let title = parts.next().map(|p| self.plain_text(p)).unwrap_or_default();
        let (mut settings, mut lines) = (Vec::new(), Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::settings => {
                    for setting in part.into_inner().filter(|p| p.as_rule() == Rule::setting) {
                        let mut inside = inner(setting);
                        let name = self.name(inside.next().expect("a name"));
                        settings.push((name, self.expr(inside.next().expect("a value"))));
                    }
                }
                Rule::junk => self.junk(span(&part), Rule::one_example_line),
                Rule::example_line => lines.push(self.example_line(part)),
                _ => {}
            }
        }
        ItemKind::Example(Example { title, settings, lines, span: place })
    }

    fn example_line(&mut self, pair: Pair<Rule>) -> ExampleLine {
        let place = span(&pair);
        let (mut step, mut checks) = (None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::scene_board => {
                    let mut inside = part.into_inner();
                    let name =
                        inside.find(|p| p.as_rule() == Rule::name).map(|p| self.name(p)).expect("a name");
                    let rows =
                        inside.filter(|p| p.as_rule() == Rule::picture).map(|p| self.name(p)).collect();
                    step = Some(Step::Board(name, rows));
                }
                Rule::scene => {
                    let mut inside = inner(part);
                    let target = self.reference(inside.next().expect("a place"));
                    step = Some(Step::Scene(target, self.expr(inside.next().expect("a value"))));
                }
                Rule::step => step = Some(self.step(part)),
                Rule::checks => {
                    for check in part.into_inner().filter(|p| p.as_rule() == Rule::check) {
                        checks.push(self.check(check));
                    }
                }
                _ => {}
            }
        }
        ExampleLine { step, checks, span: place }
    }

    fn step(&mut self, pair: Pair<Rule>) -> Step {
        let mut parts = inner(pair);
        let first = parts.next().expect("a step");
        match first.as_rule() {
            Rule::kw_start => Step::Start,
            Rule::seat => {
                let seat = self.seat(first);
                let name = self.name(parts.next().expect("a move"));
                Step::Move(seat, name, self.words(parts.next().expect("words")))
            }
            _ => {
                // `chance die 4`
                let name = self.name(first);
                Step::Chance(name, self.words(parts.next().expect("words")))
            }
        }
    }

    fn seat(&mut self, pair: Pair<Rule>) -> SeatRef {
        let place = span(&pair);
        let part = only(pair);
        match part.as_rule() {
            Rule::number => SeatRef::Number(self.number(&part), place),
            Rule::kw_next => SeatRef::Next,
            _ => SeatRef::Name(self.name(part)),
        }
    }

    fn words(&mut self, pair: Pair<Rule>) -> Vec<Word> {
        let mut words = Vec::new();
        for part in pair.into_inner() {
            let place = span(&part);
            match part.as_rule() {
                Rule::named_word => {
                    let mut inside = inner(part);
                    let name = self.name(inside.next().expect("a name"));
                    let value = self.word_value(inside.next().expect("a value"));
                    words.push(Word { name: Some(name), value, span: place });
                }
                Rule::word_value => {
                    words.push(Word { name: None, value: self.word_value(part), span: place })
                }
                _ => {}
            }
        }
        words
    }

    fn word_value(&mut self, pair: Pair<Rule>) -> WordValue {
        let part = only(pair);
        match part.as_rule() {
            Rule::word_list => WordValue::List(inner(part).map(|p| self.word_value(p)).collect()),
            Rule::signed => WordValue::Number(part.as_str().parse().expect("the grammar reads digits")),
            Rule::boolean => WordValue::Bool(part.as_str() == "yes"),
            _ => WordValue::Text(part.as_str().to_string()),
        }
    }

    fn check(&mut self, pair: Pair<Rule>) -> Check {
        let place = span(&pair);
        let part = only(pair);
        let rule = part.as_rule();
        let none = part.clone().into_inner().any(|p| p.as_rule() == Rule::kw_no);
        let mut parts = inner(part);
        let kind = match rule {
            Rule::shows => CheckKind::Shows(parts.next().map(|p| self.plain_text(p)).unwrap_or_default()),
            Rule::refused => CheckKind::Refused(parts.next().map(|p| self.plain_text(p))),
            Rule::scores => CheckKind::Scores(
                parts.map(|p| p.as_str().parse().expect("the grammar reads digits")).collect(),
            ),
            Rule::expect => CheckKind::Expect(self.expr(parts.next().expect("a value"))),
            Rule::over => CheckKind::Over,
            _ if none => CheckKind::Winners(Vec::new()),
            _ => CheckKind::Winners(
                parts.filter(|p| p.as_rule() == Rule::seat).map(|p| self.seat(p)).collect(),
            ),
        };
        Check { kind, span: place }
    }

    // ---- recovery and comments

    /// Reads a junk span again with the rule it should have fitted, to say where it breaks.
    fn junk(&mut self, place: Span, rule: Rule) {
        let masked = std::mem::take(&mut self.masked);
        let text = masked[place.start..place.end].trim_end();
        let end = place.start + text.len();
        if !text.is_empty() {
            // A text or bracket without end was reported by the layout already.
            let reported = self.diagnostics.iter().any(|d| {
                matches!(d.code, Code::UnclosedText | Code::UnclosedBracket)
                    && place.start <= d.span().start
                    && d.span().start < place.end
            });
            if !reported {
                self.diagnostics.push(match Grammar::parse(rule, text) {
                    Err(error) => unreadable(&error, &masked, place.start, end),
                    Ok(_) => Diagnostic::new(
                        Code::Unexpected,
                        Span::new(place.start, end),
                        "this cannot be read where it stands",
                        "",
                    ),
                });
            }
        }
        self.masked = masked;
    }

    /// The comment behind a part, on its first line; else the lines of comment right above it.
    fn doc(&self, place: Span) -> Option<String> {
        let line_end = |from: usize| self.text[from..].find('\n').map_or(self.text.len(), |at| from + at);
        let first_line = line_end(place.start);
        let behind = self
            .comments
            .iter()
            .find(|c| c.trailing && place.start < c.span.start && c.span.end <= first_line);
        if let Some(comment) = behind {
            return Some(comment.text.clone());
        }
        let mut lines: Vec<&str> = Vec::new();
        let mut line_start = self.text[..place.start].rfind('\n').map_or(0, |at| at + 1);
        for comment in self.comments.iter().rev().filter(|c| !c.trailing && c.span.end < place.start) {
            if comment.span.end + 1 != line_start {
                break;
            }
            lines.push(&comment.text);
            line_start = self.text[..comment.span.start].rfind('\n').map_or(0, |at| at + 1);
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join(" "))
    }
}

/// The parts of a statement, taken one by one in the order of the grammar.
struct StmtParts<'b, 'i> {
    parts: std::iter::Peekable<std::vec::IntoIter<Pair<'i, Rule>>>,
    builder: &'b mut Builder,
}

impl<'i> StmtParts<'_, 'i> {
    fn take(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        self.parts.next_if(|p| p.as_rule() == rule)
    }

    fn must(&mut self, rule: Rule) -> Pair<'i, Rule> {
        self.take(rule).expect("the grammar gives this statement the part")
    }

    fn rule(&mut self) -> Option<Rule> {
        self.parts.next().map(|p| p.as_rule())
    }

    fn maybe_expr(&mut self) -> Option<Expr> {
        let pair = self.take(Rule::expr).or_else(|| self.take(Rule::reference))?;
        Some(match pair.as_rule() {
            Rule::expr => self.builder.expr(pair),
            _ => self.builder.reference(pair),
        })
    }

    fn expr(&mut self) -> Expr {
        self.maybe_expr().expect("the grammar gives this statement a value")
    }

    /// The value of a part such as `where C`.
    fn part(&mut self, rule: Rule) -> Option<Expr> {
        let pair = self.take(rule)?;
        Some(self.builder.expr(last(pair)))
    }

    fn maybe_block(&mut self) -> Option<Block> {
        let pair = self.take(Rule::block)?;
        Some(self.builder.block(pair))
    }

    fn block(&mut self) -> Block {
        self.maybe_block().expect("the grammar gives this statement a block")
    }

    fn pattern(&mut self) -> Pattern {
        let pair = self.must(Rule::pattern);
        self.builder.pattern(pair)
    }

    fn name(&mut self) -> Name {
        let pair = self.must(Rule::name);
        self.builder.name(pair)
    }

    fn text(&mut self) -> Option<Expr> {
        let pair = self.take(Rule::string)?;
        Some(self.builder.text(pair))
    }

    fn reason(&mut self) -> Option<Expr> {
        let pair = self.take(Rule::reason)?;
        Some(self.builder.text(last(pair)))
    }

    fn label(&mut self) -> Option<Name> {
        let pair = self.take(Rule::as_part)?;
        Some(self.builder.name(last(pair)))
    }

    fn choices(&mut self) -> Choices {
        let pair = self.must(Rule::choices);
        self.builder.choices(pair)
    }

    fn until(&mut self) -> Option<Until> {
        let pair = self.take(Rule::until_part)?;
        let part = last(pair);
        Some(match part.as_rule() {
            Rule::kw_stuck => Until::Stuck(span(&part)),
            _ => Until::Cond(self.builder.expr(part)),
        })
    }

    fn stuck(&mut self) -> Option<Stuck> {
        let pair = self.take(Rule::stuck_part)?;
        Some(if pair.as_str().starts_with("skipping") { Stuck::Skip } else { Stuck::Drop })
    }
}

fn last(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().last().expect("the grammar gives this rule a part")
}

/// The parts that carry meaning: without words and signs that only mark their places.
fn inner(pair: Pair<Rule>) -> impl Iterator<Item = Pair<Rule>> {
    pair.into_inner().filter(|part| {
        use Rule as R;
        !matches!(
            part.as_rule(),
            R::nl
                | R::line_in
                | R::open_call
                | R::open_index
                | R::open_paren
                | R::open_bracket
                | R::open_brace
                | R::close_paren
                | R::close_bracket
                | R::close_brace
                | R::comma
                | R::colon
                | R::equals
                | R::dot
                | R::range
                | R::kw_game
                | R::kw_option
                | R::kw_kind
                | R::kw_table
                | R::kw_player
                | R::kw_players
                | R::kw_called
                | R::kw_by
                | R::kw_from
                | R::kw_note
                | R::kw_more
                | R::kw_to
                | R::kw_for
                | R::kw_as
                | R::kw_of
                | R::kw_show
                | R::kw_move
                | R::kw_try
                | R::kw_define
                | R::kw_rule
                | R::kw_play
                | R::kw_score
                | R::kw_winner
                | R::kw_winners
                | R::kw_highest
                | R::kw_lowest
                | R::kw_last
                | R::kw_mover
                | R::kw_example
                | R::kw_list
                | R::kw_set
                | R::kw_bag
                | R::kw_grid
                | R::kw_empty
                | R::kw_int
                | R::kw_possible
                | R::kw_when
                | R::kw_shows
                | R::kw_refused
                | R::kw_scores
                | R::kw_expect
                | R::kw_over
                | R::kw_and
                | R::kw_or
                | R::kw_not
                | R::kw_in
                | R::kw_is
                | R::kw_if
                | R::kw_then
                | R::kw_else
                | R::kw_case
                | R::kw_with
                | R::kw_where
                | R::kw_while
                | R::kw_until
                | R::kw_yes
                | R::kw_no
                | R::kw_every
                | R::kw_let
                | R::kw_need
                | R::kw_award
                | R::kw_send
                | R::kw_reveal
                | R::kw_conceal
                | R::kw_out
                | R::kw_each
                | R::kw_cycle
                | R::kw_repeat
                | R::kw_turns
                | R::kw_ask
                | R::kw_together
                | R::kw_chance
                | R::kw_shuffle
                | R::kw_draw
                | R::kw_deal
                | R::kw_phase
                | R::kw_end
                | R::kw_win
                | R::kw_optional
        )
    })
}

/// How deep an expression is.
fn depth(expr: &Expr) -> usize {
    let inside = |inside: &Inside| {
        let parts = [&inside.filter, &inside.stop, &inside.body];
        let boxed = parts.into_iter().flatten().map(|e| depth(e)).max().unwrap_or(0);
        inside.items.iter().map(depth).max().unwrap_or(0).max(boxed)
    };
    let most = |values: &[Expr]| values.iter().map(depth).max().unwrap_or(0);
    1 + match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Every(_)
        | ExprKind::Name(_)
        | ExprKind::Wrong => 0,
        // A text's parts were measured when they were built.
        ExprKind::Text(_) => 0,
        ExprKind::Call(_, args) | ExprKind::List(args) | ExprKind::Set(args) => inside(args),
        ExprKind::Tuple(values) => most(values),
        ExprKind::Index(base, values) => depth(base).max(most(values)),
        ExprKind::Field(a, _) | ExprKind::Not(a) | ExprKind::Negative(a) | ExprKind::Is(a, ..) => depth(a),
        ExprKind::Binary(_, a, b) => depth(a).max(depth(b)),
        ExprKind::Compare(a, links) => depth(a).max(links.iter().map(|(_, e)| depth(e)).max().unwrap_or(0)),
        ExprKind::With(a, at, b) => depth(a).max(most(at)).max(depth(b)),
        ExprKind::If(arms, otherwise) => {
            arms.iter().map(|(c, v)| depth(c).max(depth(v))).max().unwrap_or(0).max(depth(otherwise))
        }
        ExprKind::Case(subject, arms, otherwise) => {
            let arms = arms.iter().map(|(values, value)| most(values).max(depth(value))).max().unwrap_or(0);
            depth(subject).max(arms).max(otherwise.as_ref().map_or(0, |e| depth(e)))
        }
    }
}
