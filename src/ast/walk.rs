//! Traversal of the syntax tree: the parts of an expression, the expressions and blocks of a statement.

use super::{Block, Choices, Expr, ExprKind, Inside, Stmt, StmtKind, TextPart, Until};

impl Expr {
    /// Returns the direct parts, in source order.
    pub fn parts(&self) -> Vec<&Expr> {
        fn inside<'e>(inside: &'e Inside, out: &mut Vec<&'e Expr>) {
            out.extend(&inside.items);
            out.extend([&inside.filter, &inside.stop, &inside.body].into_iter().flatten().map(|e| &**e));
        }
        let mut out: Vec<&Expr> = Vec::new();
        match &self.kind {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Every(_)
            | ExprKind::Name(_)
            | ExprKind::Board(_)
            | ExprKind::Wrong => {}
            ExprKind::Text(parts) => out.extend(parts.iter().filter_map(|part| match part {
                TextPart::Chars(_) => None,
                TextPart::Filled(value) => Some(value),
            })),
            ExprKind::Call(_, args) | ExprKind::List(args) | ExprKind::Set(args) => inside(args, &mut out),
            ExprKind::Tuple(values) => out.extend(values),
            ExprKind::Index(base, at) => {
                out.push(base);
                out.extend(at);
            }
            ExprKind::Is(a, ..)
            | ExprKind::Field(a, _)
            | ExprKind::Not(a)
            | ExprKind::Negative(a)
            | ExprKind::AtLeast(a) => out.push(a),
            ExprKind::Binary(_, a, b) => out.extend([&**a, &**b]),
            ExprKind::Compare(a, links) => {
                out.push(a);
                out.extend(links.iter().map(|(_, b)| b));
            }
            ExprKind::With(a, at, b) => {
                out.push(a);
                out.extend(at);
                out.push(b);
            }
            ExprKind::If(arms, otherwise) => {
                arms.iter().for_each(|(cond, value)| out.extend([cond, value]));
                out.push(otherwise);
            }
            ExprKind::Case(subject, arms, otherwise) => {
                out.push(subject);
                for (labels, value) in arms {
                    out.extend(labels);
                    out.push(value);
                }
                out.extend(otherwise.iter().map(|e| &**e));
            }
        }
        out
    }
}

impl Stmt {
    /// Returns the blocks directly within it, in source order.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If(arms, otherwise) => arms.iter().map(|(_, body)| body).chain(otherwise).collect(),
            StmtKind::Each { body, .. }
            | StmtKind::Cycle { body, .. }
            | StmtKind::Repeat { body, .. }
            | StmtKind::Turns { body, .. }
            | StmtKind::Phase(_, body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// Returns its own expressions in source order, without those in its blocks. Texts that people read are
    /// left out: the reasons of needs and awards, and what is said.
    pub fn exprs(&self) -> Vec<&Expr> {
        fn choices<'e>(choices: &'e Choices, out: &mut Vec<&'e Expr>) {
            let offers = choices.first.iter().chain(&choices.otherwise);
            out.extend(offers.flat_map(|choice| choice.given.iter().flatten()));
        }
        fn until(until: &Option<Until>) -> Option<&Expr> {
            match until {
                Some(Until::Cond(cond)) => Some(cond),
                _ => None,
            }
        }
        let mut out: Vec<&Expr> = Vec::new();
        match &self.kind {
            StmtKind::Again | StmtKind::Phase(..) | StmtKind::End | StmtKind::Wrong => {}
            StmtKind::Say(_, to) => out.extend(to),
            StmtKind::Let(_, a)
            | StmtKind::Need(a, _)
            | StmtKind::NeedIfPossible(a, _)
            | StmtKind::Reveal(a)
            | StmtKind::Conceal(a)
            | StmtKind::Out(a)
            | StmtKind::Shuffle(a)
            | StmtKind::Draw(_, a)
            | StmtKind::EndWhen(a)
            | StmtKind::Win(a) => out.push(a),
            StmtKind::Award(a, b, _) | StmtKind::WinWhen(a, b) | StmtKind::Assign(a, _, b) => {
                out.extend([a, b]);
            }
            StmtKind::Send(a, b, c) | StmtKind::Deal(a, b, c) => out.extend([a, b, c]),
            StmtKind::If(arms, _) => out.extend(arms.iter().map(|(cond, _)| cond)),
            StmtKind::Each { source, filter, .. } => {
                out.push(source);
                out.extend(filter);
            }
            StmtKind::Cycle { source, filter, until: end, .. } => {
                out.push(source);
                out.extend(filter);
                out.extend(until(end));
            }
            StmtKind::Repeat { count, until: end, .. } => {
                out.extend(count);
                out.extend(until(end));
            }
            StmtKind::Turns { by, from, before, after, .. } => {
                out.extend(by);
                out.extend(from);
                out.extend(until(before));
                out.extend(until(after));
            }
            StmtKind::Ask(who, offered) | StmtKind::Together(who, offered) => {
                out.push(who);
                choices(offered, &mut out);
            }
            StmtKind::TogetherAsk(asks) => {
                for (who, offered) in asks {
                    out.push(who);
                    choices(offered, &mut out);
                }
            }
            StmtKind::Choose(offered) => choices(offered, &mut out),
            StmtKind::Chance(_, domain, filter) => {
                out.push(domain);
                out.extend(filter);
            }
        }
        out
    }
}
