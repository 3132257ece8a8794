//! Domains of arguments that depend on earlier ones, widened to domains that do not: `b in a..40` with `a in 1..9` lies in
//! `1..40`. Rows can then be drawn at random as if a need had tied the arguments, and such as are outside are refused.

use super::bounds::{expand, is_plain};
use super::{
    Arith, Builtin, Domain, Expr, ExprKind, FoldKind, Game, Move, Param, Slot, Value, domain_parts_mut,
    domain_reads, param_reads, reads,
};

/// Returns, for each chosen parameter of a move, in order, a domain that depends on no other argument and has all values
/// that the parameter may take, if its own does depend on one. `None` if there is no such domain of some parameter.
pub fn independent_domains(game: &Game, mv: &Move) -> Option<Vec<Option<Domain>>> {
    let mut earlier = Earlier::default();
    let mut all = Vec::new();
    for param in mv.params.iter().filter(|param| param.domain.is_some()) {
        let (widened, range) = earlier.widened_param(game, param)?;
        all.push(widened);
        earlier.slots.push((param.slot, range));
    }
    Some(all)
}

/// The first and the last integer of a range.
type Ends = (Expr, Expr);

/// The chosen parameters before another one, each with the ends of a range that it lies in, if one is known.
#[derive(Default)]
struct Earlier {
    slots: Vec<(Slot, Option<Ends>)>,
}

impl Earlier {
    fn settle(&self, e: &Expr) -> bool {
        self.slots.iter().any(|(slot, _)| reads(e, *slot))
    }

    /// Returns the widened domain of a parameter, if its own depends on an earlier one, and a range that it lies in.
    fn widened_param(&self, game: &Game, param: &Param) -> Option<(Option<Domain>, Option<Ends>)> {
        let range = |domain: &Domain| match domain {
            Domain::Range(low, high) => Some((low.clone(), high.clone())),
            _ => None,
        };
        let written = param.domain.as_ref()?;
        let domain = &plain(game, written);
        if !self.slots.iter().any(|(slot, _)| param_reads(param, *slot)) {
            return Some((None, range(domain).filter(|_| param.sampling_domain.is_none())));
        }
        if param.window.is_some() || param.sampling_domain.is_some() {
            return None;
        }
        let widened = self.widened(domain).filter(has_no_calls)?;
        let range = range(&widened);
        Some((Some(widened), range))
    }

    /// Returns a domain with all values of another one that depends on no earlier parameter.
    fn widened(&self, domain: &Domain) -> Option<Domain> {
        if !self.slots.iter().any(|(slot, _)| domain_reads(domain, *slot)) {
            return Some(domain.clone());
        }
        match domain {
            Domain::Range(low, high) => Some(Domain::Range(self.end(low, false)?, self.end(high, true)?)),
            Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) => {
                let [source] = fold.sources.as_slice() else { return None };
                let selects = matches!(&fold.body.kind, ExprKind::Local(own) if source.slots == [*own]);
                let collects = matches!(fold.kind, FoldKind::List | FoldKind::Set) && fold.stop.is_none();
                if selects && collects { self.widened(&source.domain) } else { None }
            }
            _ => None,
        }
    }

    /// Returns an expression that is at least as great as another one whatever the earlier parameters are, or at most as
    /// great, and does not read them: interval arithmetic.
    fn end(&self, e: &Expr, greatest: bool) -> Option<Expr> {
        if !self.settle(e) {
            return Some(e.clone());
        }
        let end = |e: &Expr, greatest: bool| self.end(e, greatest).map(Box::new);
        let kind = match &e.kind {
            ExprKind::Local(slot) => {
                let (_, range) = self.slots.iter().find(|(own, _)| own == slot)?;
                let (low, high) = range.as_ref()?;
                return Some(if greatest { high.clone() } else { low.clone() });
            }
            ExprKind::Negative(of) => ExprKind::Negative(end(of, !greatest)?),
            ExprKind::Arith(Arith::Add, a, b) => {
                ExprKind::Arith(Arith::Add, end(a, greatest)?, end(b, greatest)?)
            }
            ExprKind::Arith(Arith::Sub, a, b) => {
                ExprKind::Arith(Arith::Sub, end(a, greatest)?, end(b, !greatest)?)
            }
            ExprKind::Arith(Arith::Mul, a, b) => {
                let (by, of, first) = match (sign(a), sign(b)) {
                    (Some(by), _) => (by, b, false),
                    (_, Some(by)) => (by, a, true),
                    _ => return None,
                };
                let of = end(of, greatest == (by >= 0))?;
                match first {
                    true => ExprKind::Arith(Arith::Mul, of, b.clone()),
                    false => ExprKind::Arith(Arith::Mul, a.clone(), of),
                }
            }
            ExprKind::Builtin(builtin @ (Builtin::Min | Builtin::Max), args) => {
                let args: Option<Vec<Expr>> = args.iter().map(|arg| self.end(arg, greatest)).collect();
                ExprKind::Builtin(*builtin, args?)
            }
            _ => return None,
        };
        Some(Expr { kind, ..e.clone() })
    }
}

/// Returns a domain with simple functions put in, and a range for a list of it.
fn plain(game: &Game, domain: &Domain) -> Domain {
    let mut domain = domain.clone();
    let mut parts = Vec::new();
    domain_parts_mut(&mut domain, &mut parts);
    parts.into_iter().for_each(|part| expand(game, part));
    loop {
        domain = match domain {
            Domain::Values(Expr { kind: ExprKind::Listed(of), .. }) => *of,
            Domain::Values(Expr {
                kind: ExprKind::Builtin(Builtin::ToList | Builtin::ToSet, mut args),
                ..
            }) if args.len() == 1 && matches!(args[0].kind, ExprKind::Listed(_)) => {
                Domain::Values(args.swap_remove(0))
            }
            domain => return domain,
        }
    }
}

/// Returns the sign of a number that is written out.
fn sign(e: &Expr) -> Option<i32> {
    match &e.kind {
        ExprKind::Value(Value::Int(n)) if n.is_negative() => Some(-1),
        ExprKind::Value(Value::Int(_)) => Some(1),
        ExprKind::Negative(of) => sign(of).map(|sign| -sign),
        _ => None,
    }
}

/// Whether the ends of a range are simple, and no function is called elsewhere.
fn has_no_calls(domain: &Domain) -> bool {
    let mut parts = Vec::new();
    super::domain_parts(domain, &mut parts);
    parts.into_iter().all(is_plain)
}
