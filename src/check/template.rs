//! Functions are templates: a `define` is checked for each combination of argument types in use, and again
//! for what its callers know about the arguments.

use std::collections::BTreeSet;

use super::blame::Call;
use super::call::count_words;
use super::covered::in_words;
use super::expr::of;
use super::facts::{Fact, is_about};
use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic, Severity};
use crate::ir::{Expr, ExprKind, Function, Type, Value};
use crate::source::Span;

/// Maximum number of instances of one function.
const MAX_INSTANCES: usize = 200;

/// A function while it is being checked.
pub(super) struct Template {
    /// Number of parameters, which have the first slots.
    pub params: usize,
    /// Facts that would make a value in the body not none, each with the span of that value.
    pub requirements: Vec<(Fact, Span)>,
}

/// A function as checked for certain argument types and facts.
#[derive(Clone)]
pub(super) struct Instance {
    /// Its index in the game.
    function: usize,
    ty: Type,
    /// The facts about the arguments that it was checked with.
    given: Vec<Fact>,
    /// Further facts that would help.
    requirements: Vec<Fact>,
    /// Errors in the body that are reported if the call does not establish the fact.
    blame: Vec<(Fact, Diagnostic)>,
    /// All other errors in the body.
    pub faults: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    pub(super) fn apply_define(&mut self, id: usize, args: Vec<Expr>, span: Span) -> Expr {
        let define = &mut self.defines[id];
        define.used = true;
        let (name, params) = (define.name, define.params);
        if args.len() != params.len() {
            let message = format!(
                "`{}` takes {}, not {}",
                name.text,
                count_words(params.len(), params.len(), false),
                args.len()
            );
            self.report(
                Diagnostic::new(Code::ArgumentCount, span, message, format!("{} given", args.len()))
                    .also(name.span, "defined here"),
            );
            return wrong(span);
        }
        if define.in_progress {
            let help = self.without_recursion(&name.text, name.span);
            self.report_once(
                Diagnostic::new(
                    Code::Recursion,
                    span,
                    format!("`{}` ends up calling itself", name.text),
                    "called again here",
                )
                .also(name.span, "defined here")
                .help(help),
            );
            return wrong(span);
        }
        if args.iter().any(|a| a.ty == Type::Wrong) {
            return wrong(span);
        }
        let places = args.iter().map(|arg| arg.span).collect();
        // `me` is passed as an extra first argument.
        let mut args = args;
        if self.defines[id].needs_me {
            let Some((slot, _)) = self.local("me") else {
                self.report(
                    Diagnostic::new(
                        Code::UnknownName,
                        span,
                        format!("`{}` uses `me`, but nobody is moving here", name.text),
                        "whose turn is it?",
                    )
                    .also(name.span, "defined here")
                    .help(format!("pass it the player: `define {}(p) = …`", name.text)),
                );
                return wrong(span);
            };
            args.insert(0, of(ExprKind::Local(slot), Type::Player, span));
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        self.calls.push(Call { define: id, types: types.clone(), args: places, span });
        let Some(mut instance) = self.instance(id, &types, Vec::new(), span) else { return wrong(span) };
        // The facts known here may satisfy the instance's requirements.
        while !instance.blame.is_empty() || may_be_none(&instance.ty) {
            let here = args.iter().cloned().enumerate().collect();
            let mut given = instance.given.clone();
            for requirement in &instance.requirements {
                let wanted = self.fact_with(requirement, &here);
                if self.holds(&wanted, span) {
                    given.push(requirement.clone());
                }
            }
            if given.len() == instance.given.len() || given.len() > MAX_GIVEN {
                break;
            }
            let Some(better) = self.instance(id, &types, given, span) else { return wrong(span) };
            instance = better;
        }
        self.blame(&instance, name, &args, span);
        of(ExprKind::Call(instance.function, args), instance.ty, span)
    }

    /// Returns the instance for these argument types and facts, checking the function if it does not exist
    /// yet.
    pub(super) fn instance(
        &mut self,
        id: usize,
        types: &[Type],
        given: Vec<Fact>,
        span: Span,
    ) -> Option<Instance> {
        let known = self.defines[id].instances.get(types).cloned().unwrap_or_default();
        for instance in &known {
            let mut pairs = instance.given.iter().zip(&given);
            if instance.given.len() == given.len() && pairs.all(|(a, b)| self.same_fact(a, b)) {
                return Some(instance.clone());
            }
        }
        let define = &mut self.defines[id];
        let (name, params, body) = (define.name, define.params, define.body);
        if define.instances.values().map(Vec::len).sum::<usize>() >= MAX_INSTANCES {
            self.error(
                Code::TooDeep,
                span,
                format!("`{}` is used with more than {MAX_INSTANCES} combinations of types", name.text),
                "one too many",
            );
            return None;
        }
        define.in_progress = true;
        let reports = self.diagnostics.len();
        let template = Template { params: types.len(), requirements: Vec::new() };
        let around = self.template.replace(template);
        let me = ast::Name { text: "me".into(), span: name.span };
        let me = self.defines[id].needs_me.then_some(&me);
        let lambda = self.lambda(me.into_iter().chain(params).zip(types.iter().cloned()).collect(), |this| {
            this.assume_facts(&given);
            this.expr(body, None)
        });
        let requirements =
            std::mem::replace(&mut self.template, around).map_or_else(Vec::new, |t| t.requirements);
        let (mut blame, mut faults) = (Vec::new(), Vec::new());
        for report in self.diagnostics.split_off(reports) {
            let requirement = requirements.iter().find(|(_, at)| *at == report.span());
            match requirement.filter(|_| matches!(report.code, Code::MaybeNone | Code::MissingCase)) {
                Some((requirement, _)) => blame.push((requirement.clone(), report)),
                None => {
                    if report.severity() == Severity::Error {
                        faults.push(report.clone());
                    }
                    self.report(report);
                }
            }
        }
        let ty = lambda.body.ty.clone();
        let depth = self.depth_of(&lambda.body);
        if depth > super::MAX_DEPTH {
            self.too_deep(span);
        }
        self.function_depths.push(depth);
        let mut reads = BTreeSet::new();
        self.reads(&lambda.body, &mut reads);
        self.function_reads.push(reads);
        let function = self.game.functions.len();
        self.game.functions.push(Function { name: name.text.clone(), lambda });
        let requirements = requirements.into_iter().map(|(requirement, _)| requirement).collect();
        let instance = Instance { function, ty, given, requirements, blame, faults };
        let define = &mut self.defines[id];
        define.in_progress = false;
        define.instances.entry(types.to_vec()).or_default().push(instance.clone());
        Some(instance)
    }

    /// Reports the facts that a call does not establish: at the call if they are about the arguments, else in
    /// the function.
    fn blame(&mut self, instance: &Instance, name: &crate::ast::Name, args: &[Expr], span: Span) {
        let here = args.iter().cloned().enumerate().collect();
        let mut told = false;
        for (requirement, report) in &instance.blame {
            if !is_about(requirement, args.len()) {
                self.report(report.clone());
                continue;
            }
            let wanted = self.fact_with(requirement, &here);
            if report.code == Code::MissingCase {
                self.blame_for_case(&wanted, report, name, span);
                continue;
            }
            self.require(wanted.clone(), span);
            if !told {
                told = true;
                let what = match &wanted {
                    Fact::Present(e) => self.place_text(e).map(|e| format!("`{e}`, which")),
                    _ => None,
                };
                let what = what.unwrap_or_else(|| "something that".to_string());
                self.report(
                    Diagnostic::new(
                        Code::MaybeNone,
                        span,
                        format!("`{}` needs {what} may be none here", name.text),
                        "it has not been tested",
                    )
                    .also(report.labels.last().map_or(span, |label| label.span), "needed here")
                    .help(super::missing::WAY_OUT),
                );
            }
        }
    }
}

impl Checker<'_> {
    /// Reports a call with a number for which a `case` in its function has nothing.
    fn blame_for_case(&mut self, wanted: &Fact, report: &Diagnostic, name: &ast::Name, span: Span) {
        let told = report.span();
        match self.left_out_by_call(wanted).filter(|missing| !missing.is_empty()) {
            Some(missing) => {
                let message = format!("`{}` has no case for {}", name.text, in_words(&missing, "and"));
                let help = "add a case for every value, or end with `else: …`";
                let label = format!("it can be {} here", in_words(&missing, "or"));
                let report = Diagnostic::new(Code::MissingCase, span, message, label);
                self.report(report.also(told, "the `case`").help(help));
            }
            None => {
                self.require(wanted.clone(), told);
                if !self.diagnostics.iter().any(|known| known.code == report.code && known.span() == told) {
                    self.report(report.clone());
                }
            }
        }
    }

    /// Returns a place as its author would write it; `None` for computed values.
    fn place_text(&self, e: &Expr) -> Option<String> {
        Some(match &e.kind {
            ExprKind::Local(slot) => self.frame.locals.iter().find(|l| l.slot == *slot)?.name.clone(),
            ExprKind::Table(id) => self.game.state[*id].name.clone(),
            ExprKind::Own(id, owner) => format!("{}.{}", self.place_text(owner)?, self.game.state[*id].name),
            ExprKind::Index(base, at) => format!("{}[{}]", self.place_text(base)?, self.place_text(at)?),
            ExprKind::Square(row, column) => {
                format!("{}, {}", self.place_text(row)?, self.place_text(column)?)
            }
            ExprKind::Value(Value::Int(n)) => n.to_string(),
            ExprKind::Value(Value::Square(square)) => square.words(),
            ExprKind::Call(function, args) => {
                let args: Option<Vec<String>> = args.iter().map(|arg| self.place_text(arg)).collect();
                format!("{}({})", self.game.functions[*function].name, args?.join(", "))
            }
            _ => return None,
        })
    }
}

/// Maximum number of facts that a call may bring.
const MAX_GIVEN: usize = 32;

/// Whether a value of this type, or something in it, may be none.
fn may_be_none(ty: &Type) -> bool {
    match ty {
        Type::Optional(_) => true,
        Type::List(of) | Type::Set(of) | Type::Bag(of) => may_be_none(of),
        Type::Tuple(parts) => parts.iter().any(may_be_none),
        _ => false,
    }
}
