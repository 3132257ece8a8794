//! Builds statements and blocks.

use pest::iterators::Pair;

use super::{Builder, inner, last, only, span};
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::grammar::Rule;

impl Builder {
    pub(super) fn block(&mut self, pair: Pair<Rule>) -> Block {
        let place = span(&pair);
        let mut stmts = Vec::new();
        for part in inner(pair) {
            match part.as_rule() {
                Rule::junk => {
                    let place = span(&part);
                    self.reparse_unreadable(place, Rule::one_statement);
                    stmts.push(Stmt { kind: StmtKind::Wrong, span: place });
                }
                Rule::statement => stmts.push(self.stmt(only(part))),
                _ => stmts.push(self.stmt(part)),
            }
        }
        Block { stmts, span: place }
    }

    pub(super) fn pattern(&mut self, pair: Pair<Rule>) -> Pattern {
        Pattern { span: span(&pair), names: inner(pair).map(|p| self.name(p)).collect() }
    }

    pub(super) fn stmt(&mut self, pair: Pair<Rule>) -> Stmt {
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
            Rule::say => StmtKind::Say(parts.text().expect("what is said"), parts.maybe_expr()),
            Rule::send => StmtKind::Send(parts.expr(), parts.expr(), parts.expr()),
            Rule::reveal => StmtKind::Reveal(parts.expr()),
            Rule::conceal => StmtKind::Conceal(parts.expr()),
            Rule::out_stmt => StmtKind::Out(parts.expr()),
            Rule::again => StmtKind::Again,
            Rule::if_stmt => {
                let mut arms = Vec::new();
                while let Some(cond) = parts.maybe_expr() {
                    arms.push((cond, parts.block()));
                    if let Some(elif) = parts.take(Rule::elif) {
                        parts.builder.foreign(span(&elif), elif.as_str(), "else if");
                    }
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
            Rule::repeat => {
                let (count, label) = (parts.part(Rule::count_part), parts.label());
                let (body, until) = (parts.block(), parts.until());
                match count.as_ref().and_then(gone_through).filter(|_| until.is_none()) {
                    Some((pattern, source)) => {
                        let word = Span::new(place.start, place.start + "repeat".len());
                        parts.builder.each_by_repeat(word, label.as_ref(), &source);
                        StmtKind::Each { pattern, source, filter: None, label, body }
                    }
                    None => StmtKind::Repeat { count, label, body, until },
                }
            }
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
            Rule::together => match parts.asks() {
                asks if asks.is_empty() => StmtKind::Together(parts.expr(), parts.choices()),
                asks => StmtKind::TogetherAsk(asks),
            },
            Rule::chance => StmtKind::Chance(parts.name(), parts.expr(), parts.part(Rule::where_part)),
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

    /// Reports `repeat k in 1..9 { … }`, where a condition stands instead of a number; `word` is the place of `repeat`.
    fn each_by_repeat(&mut self, word: Span, label: Option<&Name>, source: &Expr) {
        let slice = |place: Span| self.text.get(place.start..place.end).unwrap_or_default();
        let head = slice(Span::new(word.end, source.span.end)).trim();
        let label = label.map_or(String::new(), |label| format!(" as {}", label.text));
        let report =
            Diagnostic::new(Code::Unexpected, word, "`repeat` takes a number, and names no element", "");
        let report = report.help(format!("write `each {head}{label} {{ … }}` to go through them"));
        self.diagnostics.push(report.fix("each"));
    }

    pub(super) fn choices(&mut self, pair: Pair<Rule>) -> Choices {
        let place = span(&pair);
        let (mut first, mut otherwise, mut if_possible) = (Vec::new(), Vec::new(), false);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::choice => first.push(self.choice(part)),
                Rule::else_choice => {
                    for choice in part.into_inner().filter(|p| p.as_rule() == Rule::choice) {
                        otherwise.push(self.choice(choice));
                    }
                }
                Rule::if_possible => if_possible = true,
                _ => {}
            }
        }
        Choices { first, otherwise, if_possible, span: place }
    }

    pub(super) fn choice(&mut self, pair: Pair<Rule>) -> Choice {
        let called = pair.clone().into_inner().any(|p| p.as_rule() == Rule::open_call);
        let mut parts = inner(pair);
        let name = self.name(parts.next().expect("a move"));
        let given: Vec<Expr> = parts.map(|p| self.expr(p)).collect();
        Choice { name, given: called.then_some(given) }
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
        let rules = [Rule::expr, Rule::reference, Rule::board];
        let pair = rules.into_iter().find_map(|rule| self.take(rule))?;
        Some(match pair.as_rule() {
            Rule::reference => self.builder.reference(pair),
            _ => self.builder.value(pair),
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

    /// Returns the lines of a `together` whose seats have moves of their own.
    fn asks(&mut self) -> Vec<(Expr, Choices)> {
        let mut asks = Vec::new();
        while let Some(pair) = self.take(Rule::ask) {
            let mut parts = StmtParts {
                parts: inner(pair).collect::<Vec<_>>().into_iter().peekable(),
                builder: self.builder,
            };
            asks.push((parts.expr(), parts.choices()));
        }
        asks
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

/// Returns the name and the source of a number of passes that is written `k in S`.
fn gone_through(count: &Expr) -> Option<(Pattern, Expr)> {
    let ExprKind::Compare(name, links) = &count.kind else { return None };
    let (ExprKind::Name(text), [(CompareOp::In, source)]) = (&name.kind, links.as_slice()) else {
        return None;
    };
    let names = vec![Name { text: text.clone(), span: name.span }];
    Some((Pattern { names, span: name.span }, source.clone()))
}
