//! Builds expressions, by precedence.

use std::sync::LazyLock;

use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::{Builder, inner, last, only, span};
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::num::Int;
use crate::source::Span;
use crate::syntax::grammar::Rule;

/// Maximum depth of an expression, counted in operators and brackets.
const MAX_EXPR_DEPTH: usize = 150;

static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rules: &[Rule]| {
        let mut ops = rules.iter().map(|rule| Op::infix(*rule, Assoc::Left));
        let first = ops.next().expect("a level has an operator");
        ops.fold(first, |level, op| level | op)
    };
    use Rule as R;
    PrattParser::new()
        .op(left(&[R::or, R::bars]))
        .op(left(&[R::and, R::ampersands]))
        .op(Op::prefix(R::not) | Op::prefix(R::bang))
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
        .op(left(&[R::copies_of]) | Op::postfix(R::copies_of_each))
        .op(left(&[R::plus, R::minus]))
        .op(left(&[R::times, R::quotient, R::modulo, R::slash, R::percent]))
        .op(Op::prefix(R::negative))
        .op(Op::infix(R::power, Assoc::Right) | Op::infix(R::stars, Assoc::Right))
});

impl Builder {
    /// Builds a value, which may be a drawn board.
    pub(super) fn value(&mut self, pair: Pair<Rule>) -> Expr {
        match pair.as_rule() {
            Rule::board => {
                let rows = self.rows(pair);
                let ends = rows.first().zip(rows.last()).expect("a board has rows");
                let span = Span::new(ends.0.span.start, ends.1.span.end);
                Expr { kind: ExprKind::Board(rows), span }
            }
            _ => self.expr(pair),
        }
    }

    /// Builds an `expr` or `arith`, and rejects one that is too deep.
    pub(super) fn expr(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let built = self.pratt(pair.into_inner());
        if depth(&built) > MAX_EXPR_DEPTH {
            self.diagnostics.push(
                Diagnostic::new(Code::TooDeep, place, "this expression is too deep", "").help(format!(
                    "at most {MAX_EXPR_DEPTH} operators may be nested; name a part with `let` or `define`"
                )),
            );
            return Expr { kind: ExprKind::Wrong, span: place };
        }
        built
    }

    pub(super) fn pratt(&mut self, pairs: Pairs<Rule>) -> Expr {
        let this = std::cell::RefCell::new(self);
        PRATT
            .map_primary(|pair| this.borrow_mut().operand(pair))
            .map_prefix(|op, value| {
                let place = span(&op).to(value.span);
                if op.as_rule() == Rule::bang {
                    let mut this = this.borrow_mut();
                    // `a =! b` is a slip for `a != b`.
                    let (before, behind) = this.text.split_at_checked(place.start).unwrap_or_default();
                    if before.ends_with('=') && !before.ends_with(":=") && behind.starts_with("! ") {
                        this.foreign(Span::new(place.start - 1, place.start + 1), "=!", "!=");
                        return value;
                    }
                    this.foreign(span(&op), "!", "not");
                }
                let kind = match op.as_rule() {
                    Rule::not | Rule::bang => ExprKind::Not(Box::new(value)),
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

    pub(super) fn infix(&mut self, a: Expr, op: Pair<Rule>, b: Expr) -> Expr {
        let place = a.span.to(b.span);
        let at = span(&op);
        let mut rule = op.as_rule();
        let foreign = match op.as_str() {
            "==" => Some(("=", Rule::equal)),
            "<>" => Some(("!=", Rule::not_equal)),
            "&&" => Some(("and", Rule::and)),
            "||" => Some(("or", Rule::or)),
            "%" => Some(("mod", Rule::modulo)),
            "**" => Some(("^", Rule::power)),
            _ => None,
        };
        if let Some((meant, as_rule)) = foreign {
            self.foreign(at, op.as_str(), meant);
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

    /// Reports an operator or word of another language.
    pub(super) fn foreign(&mut self, at: Span, written: &str, meant: &str) {
        let what = if written.starts_with(char::is_alphabetic) { "a word" } else { "an operator" };
        self.diagnostics.push(
            Diagnostic::new(
                Code::ForeignOperator,
                at,
                format!("`{written}` is not {what} here"),
                "from another language",
            )
            .help(format!("write `{meant}`"))
            // A sign may touch what stands behind it.
            .fix(if written == "!" { format!("{meant} ") } else { meant.to_string() }),
        );
    }

    fn compare(&mut self, a: Expr, op: CompareOp, at: Span, b: Expr) -> Expr {
        let place = a.span.to(b.span);
        let a_span = a.span;
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
        // The checker reports an `in` in a chain.
        let contains = links.iter().map(|(op, _)| op).chain([&op]).any(|op| matches!(op, C::In | C::NotIn));
        if !fits && !contains {
            let text = |span: Span| self.text.get(span.start..span.end).unwrap_or("");
            let middle = links.last().map_or("", |(_, e)| text(e.span));
            let help = format!("write `{} and {middle} {} {}`", text(a_span), text(at), text(b.span));
            self.diagnostics.push(
                Diagnostic::new(
                    Code::BadChain,
                    at,
                    "these comparisons do not form a chain",
                    "the direction changes here",
                )
                .help(match help.len() < 100 && !help.contains('\n') {
                    true => help,
                    false => "join two comparisons with `and`".to_string(),
                }),
            );
        }
        links.push((op, b));
        Expr { kind: ExprKind::Compare(first, links), span: place }
    }

    pub(super) fn postfix(&mut self, value: Expr, op: Pair<Rule>) -> Expr {
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
        if rule == Rule::copies_of_each {
            let of = all.pop().expect("`copies of each of` is followed by a value");
            let kind = ExprKind::Binary(BinaryOp::CopiesOfEach, Box::new(value), Box::new(of));
            return Expr { kind, span: place };
        }
        let put = all.pop().expect("`with` has a value");
        Expr { kind: ExprKind::With(Box::new(value), all, Box::new(put)), span: place }
    }

    pub(super) fn operand(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        match pair.as_rule() {
            Rule::if_expr => {
                let mut values: Vec<Expr> =
                    pair.into_inner().filter(|p| p.as_rule() == Rule::expr).map(|p| self.expr(p)).collect();
                let otherwise = values.pop().expect("`if` has an else");
                let value = values.pop().expect("`if` has a then");
                let mut arms = vec![(values.pop().expect("`if` has a condition"), value)];
                // The condition after `else if` adds an arm.
                let otherwise = match otherwise.kind {
                    ExprKind::If(more, last) if !self.grouped.contains(&otherwise.span) => {
                        arms.extend(more);
                        last
                    }
                    _ => Box::new(otherwise),
                };
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

    pub(super) fn reference(&mut self, pair: Pair<Rule>) -> Expr {
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
                    if let ExprKind::Number(_) = value.kind {
                        self.diagnostics.push(
                            Diagnostic::new(
                                Code::Unexpected,
                                place,
                                "only whole numbers can be used",
                                "this is a fraction",
                            )
                            .help("count in halves, tenths or whatever the smallest part is"),
                        );
                        value = Expr { kind: ExprKind::Wrong, span: place };
                        continue;
                    }
                    ExprKind::Field(Box::new(value), self.name(field))
                }
            };
            value = Expr { kind, span: place };
        }
        value
    }

    /// Builds `2 or more` in place of a domain.
    pub(super) fn or_more(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let low = self.expr(inner(pair).next().expect("a bound"));
        Expr { kind: ExprKind::AtLeast(Box::new(low)), span: place }
    }

    pub(super) fn primary(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let kind = match pair.as_rule() {
            Rule::number => ExprKind::Number(self.number(&pair)),
            Rule::string => return self.text(pair),
            Rule::boolean => ExprKind::Bool(pair.as_str() == "yes"),
            Rule::nothing => ExprKind::None,
            Rule::every => ExprKind::Every(self.name(last(pair))),
            Rule::name => ExprKind::Name(self.name(pair).text),
            Rule::call => {
                let mut parts = pair.into_inner().peekable();
                let name = self.name(parts.next().expect("a name"));
                let slashes = self.slashes.len();
                let mut inside = self.inside(parts);
                if matches!(name.text.as_str(), "lists" | "subsets" | "arrangements")
                    && let Some(first) = inside.items.first_mut()
                {
                    length_or_more(first);
                }
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

    pub(super) fn inside<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> Inside {
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

    pub(super) fn text(&mut self, pair: Pair<Rule>) -> Expr {
        let place = span(&pair);
        let mut parts = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::chars | Rule::plain_chars => parts.push(TextPart::Chars(part.as_str().to_string())),
                Rule::escape if part.as_str() == "\\n" => parts.push(TextPart::Chars("\n".to_string())),
                Rule::escape => parts.push(TextPart::Chars(part.as_str()[1..].to_string())),
                _ => parts.push(TextPart::Filled(self.expr(only(part)))),
            }
        }
        Expr { kind: ExprKind::Text(parts), span: place }
    }

    pub(super) fn plain_text(&mut self, pair: Pair<Rule>) -> String {
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

    pub(super) fn reason(&mut self, pair: Pair<Rule>) -> Expr {
        self.text(last(pair))
    }

    pub(super) fn name(&mut self, pair: Pair<Rule>) -> Name {
        let place = span(&pair);
        // A reserved word used as a name is masked.
        let masked = pair.as_str().chars().all(|c| c == '_');
        let written = self.text.get(place.start..place.end).filter(|_| masked);
        Name { text: written.unwrap_or(pair.as_str()).to_string(), span: place }
    }

    pub(super) fn number(&mut self, pair: &Pair<Rule>) -> Int {
        pair.as_str().parse().expect("the grammar reads digits")
    }
}

/// Returns the depth of an expression.
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
        | ExprKind::Board(_)
        | ExprKind::Wrong => 0,
        // The parts of a text were measured when they were built.
        ExprKind::Text(_) => 0,
        ExprKind::Call(_, args) | ExprKind::List(args) | ExprKind::Set(args) => inside(args),
        ExprKind::Tuple(values) => most(values),
        ExprKind::Index(base, values) => depth(base).max(most(values)),
        ExprKind::Field(a, _)
        | ExprKind::Not(a)
        | ExprKind::Negative(a)
        | ExprKind::AtLeast(a)
        | ExprKind::Is(a, ..) => depth(a),
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

/// Rewrites `2 or more` as the length of rows, where it was parsed as the boolean operator `or`.
fn length_or_more(e: &mut Expr) {
    if let ExprKind::Binary(BinaryOp::Or, low, more) = &e.kind
        && matches!(&more.kind, ExprKind::Name(name) if name == "more")
    {
        e.kind = ExprKind::AtLeast(low.clone());
    }
}
