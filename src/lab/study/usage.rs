//! How often moves, needs, awards and ends of a rule file were used.

use super::ends_first::ends_first;
use super::report::{Place, Usage};
use super::sums::{ENOUGH, Sums};
use crate::eval::{Coverage, Machine, Part, PartKind};
use crate::ir::{MoveId, Op, Pc, free_slots, reads_position};
use crate::play::Rules;

/// The most characters of a line that are shown.
const LONG: usize = 60;

/// Whether parts of this kind are listed.
fn is_told(kind: PartKind) -> bool {
    use PartKind::*;
    matches!(
        kind,
        Move | Need | Preference | Award | Win | WinWhen | End | EndWhen | Until | Stuck | TieBreak | Filter
    )
}

/// Whether a part is the condition of an `if` that never held, or always, though options alone do not decide it.
fn is_constant_condition(rules: &Rules, part: &Part) -> bool {
    let depends = |pc: Pc| match rules.game.code.get(pc) {
        Some(Op::Unless(condition, _)) => reads_position(condition) || !free_slots(condition).is_empty(),
        _ => false,
    };
    let mut places = rules.game.code_spans.iter().filter(|(span, _)| *span == part.span);
    let constant = part.of >= ENOUGH && (part.ran == 0 || part.ran == part.of);
    part.kind == PartKind::Branch && constant && places.any(|(_, pc)| depends(*pc))
}

/// Returns how often each part of the rules was used, in the order of the file; of conditions, those that never held, or always.
pub(super) fn usage(rules: &Rules, machine: &Machine, sums: &Sums, series: &str) -> Vec<Usage> {
    let parts = Coverage::new(&rules.game).parts(&rules.game, &rules.source);
    let parts =
        parts.into_iter().zip(&sums.usage).map(|(part, [ran, of])| Part { ran: *ran, of: *of, ..part });
    let parts: Vec<Part> =
        parts.filter(|part| is_told(part.kind) || is_constant_condition(rules, part)).collect();
    let mut usage: Vec<Usage> = parts.iter().map(|part| told(rules, part, sums, series)).collect();
    let idle = |part: &Part| part.kind == PartKind::Need && part.ran == 0 && part.of > 0;
    let idle: Vec<usize> = (0..parts.len()).filter(|at| idle(&parts[*at])).collect();
    if !idle.is_empty() && sums.matches >= ENOUGH {
        let begin: Vec<usize> = idle.iter().map(|at| parts[*at].span.start).collect();
        for (at, ends) in idle.iter().zip(ends_first(rules, machine, &parts, &begin)) {
            let place = |end: usize| {
                let Usage { label, file, line, .. } = &usage[end];
                let label = match parts[end].kind {
                    PartKind::Until => format!("until {label}"),
                    _ => label.clone(),
                };
                Place { label, file: file.clone(), line: *line }
            };
            usage[*at].ends_first = ends.into_iter().map(place).collect();
        }
    }
    usage
}

/// Whether a move is offered only where no other is possible.
fn is_last_resort(rules: &Rules, mv: MoveId) -> bool {
    let mut offers = rules.game.choices.iter().flat_map(|choice| &choice.offers);
    !offers.any(|offer| offer.mv == mv)
}

fn told(rules: &Rules, part: &Part, sums: &Sums, series: &str) -> Usage {
    let (ran, of, matches) = (part.ran, part.of, sums.matches);
    let label = match part.label.as_str() {
        // Its source text only says which rule deals with that.
        _ if part.kind == PartKind::Stuck => "a player has no legal move".to_string(),
        "" => {
            let text = rules.source.slice(part.span).split_whitespace().collect::<Vec<_>>().join(" ");
            match text.char_indices().nth(LONG) {
                Some((end, _)) => format!("{}...", text[..end].trim_end()),
                None => text,
            }
        }
        name => name.to_string(),
    };
    let (file, _) = rules.source.file_at(part.span.start);
    let mv = rules.game.moves.iter().position(|mv| part.kind == PartKind::Move && mv.name == part.label);
    Usage {
        possible: mv.and_then(|mv| sums.offers.possible(mv)),
        ends_first: Vec::new(),
        last_resort: mv.is_some_and(|mv| is_last_resort(rules, mv)),
        kind: part.kind.slug().to_string(),
        label,
        file: file.rsplit(['/', '\\']).next().unwrap_or(file).to_string(),
        line: rules.source.position(part.span.start).line,
        ran,
        of,
        mean: super::figures::rounded(ran as f64 / matches.max(1) as f64),
        series: series.to_string(),
        matches,
    }
}
