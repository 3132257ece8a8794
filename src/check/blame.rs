//! Calls of the file's functions with arguments that do not fit what the function does with them: `strength(t)`, where
//! `strength(c)` reads `c.suit` and t has no suit. The call is to blame, not the function.

use super::Checker;
use super::tuples::place_of;
use crate::diag::{Code, Diagnostic, Fix};
use crate::ir::Type;
use crate::source::Span;

/// A call of a function of the file.
pub(super) struct Call {
    /// The index of the function.
    pub define: usize,
    /// The types of the arguments, which choose the instance.
    pub types: Vec<Type>,
    /// The places of the arguments.
    pub args: Vec<Span>,
    /// The place of the call.
    pub span: Span,
}

impl Checker<'_> {
    /// Moves reports about the body of a function to the calls that caused them: where it fits other arguments, or a part of
    /// what it is given.
    pub(super) fn blame_calls(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        // A call in another function may itself be due to what that one is given.
        let inside = |call: &Call| self.defines.iter().any(|define| within(call.span, define.body.span));
        calls.sort_by_key(inside);
        let mut told: Vec<(usize, Vec<Type>)> = Vec::new();
        for call in &calls {
            let known = told.iter().any(|(define, types)| *define == call.define && *types == call.types);
            let faults: Vec<Diagnostic> = self.faults(call.define, &call.types);
            let still = |fault: &Diagnostic| self.diagnostics.contains(fault);
            if known || faults.is_empty() || !faults.iter().any(still) {
                continue;
            }
            let sound = calls
                .iter()
                .filter(|other| other.define == call.define && other.types.len() == call.types.len())
                .find(|other| self.faults(other.define, &other.types).is_empty());
            let Some(report) = self.blamed(call, sound, &faults) else { continue };
            self.diagnostics.retain(|report| !faults.contains(report));
            let at = |other: &&Call| other.define == call.define && other.types == call.types;
            let places = calls.iter().filter(at).map(|other| other.span).filter(|span| *span != call.span);
            let report = places.fold(report, |report, span| report.also(span, "and here"));
            self.report(report);
            told.push((call.define, call.types.clone()));
        }
    }

    /// Returns the errors in the body of a function for arguments of these types.
    fn faults(&self, define: usize, types: &[Type]) -> Vec<Diagnostic> {
        let instances = self.defines[define].instances.get(types);
        instances.and_then(|instances| instances.first()).map_or(Vec::new(), |first| first.faults.clone())
    }

    /// Returns the report about a call whose function is faulty for its arguments; `sound` is a call that it fits.
    fn blamed(&self, call: &Call, sound: Option<&Call>, faults: &[Diagnostic]) -> Option<Diagnostic> {
        let define = &self.defines[call.define];
        let own = usize::from(define.needs_me);
        let (at, wanted) = match sound {
            Some(sound) => {
                let mut differ = (own..call.types.len()).filter(|at| call.types[*at] != sound.types[*at]);
                let at = differ.next().filter(|_| differ.next().is_none())?;
                (at, Some(&sound.types[at]))
            }
            None => {
                ((own..call.types.len()).find(|at| self.part_with(&call.types[*at], faults).is_some())?, None)
            }
        };
        let (ty, place) = (&call.types[at], *call.args.get(at - own)?);
        let text = self.written(place);
        let part = match (ty, wanted) {
            (Type::Tuple(parts), Some(wanted)) => {
                let mut fitting = (0..parts.len()).filter(|at| parts[*at] == *wanted);
                fitting.next().filter(|_| fitting.next().is_none()).map(|at| parts.label(at))
            }
            (ty, None) => self.part_with(ty, faults),
            _ => None,
        };
        let name = &define.name.text;
        let given = self.words(ty);
        let message = format!("`{name}` cannot be used with {given}");
        let report = Diagnostic::new(Code::TypeMismatch, place, message, format!("this is {given}"));
        let report = match faults.iter().find(|fault| within(fault.span(), define.body.span)) {
            Some(fault) => report.also(fault.span(), fault.message.clone()),
            None => report,
        };
        let plain = text.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) && text != "…";
        Some(match (part, wanted) {
            (Some(part), _) if plain => {
                let written = format!("{text}.{part}");
                let end = Span::new(place.end, place.end);
                let report = report.help(format!("a part of it fits: `{written}`"));
                Diagnostic { fix: Some(Fix::likely(end, format!(".{part}"))), ..report }
            }
            (_, Some(wanted)) => report.help(format!("elsewhere, `{name}` is given {}", self.words(wanted))),
            _ => return None,
        })
    }

    /// Returns the only part of a tuple that has all the parts which these reports miss.
    fn part_with(&self, ty: &Type, faults: &[Diagnostic]) -> Option<String> {
        let Type::Tuple(parts) = ty else { return None };
        let missing: Vec<&str> = faults
            .iter()
            .filter(|fault| fault.code == Code::UnknownField)
            .map(|fault| self.written(fault.span()))
            .collect();
        let has = |ty: &Type| matches!(ty, Type::Tuple(parts) if missing.iter().all(|part| place_of(parts, part).is_some()));
        let mut fitting = (0..parts.len()).filter(|at| has(&parts[*at]));
        let at = fitting.next().filter(|_| fitting.next().is_none() && !missing.is_empty())?;
        Some(parts.label(at))
    }
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
