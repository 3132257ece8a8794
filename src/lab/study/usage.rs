//! How often moves, needs, awards and ends of a rule file were used.

use super::report::Usage;
use super::sums::Sums;
use crate::eval::{Coverage, Part, PartKind};
use crate::ir::MoveId;
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

/// Returns how often each part of the rules was used, in the order of the file.
pub(super) fn usage(rules: &Rules, sums: &Sums, series: &str) -> Vec<Usage> {
    let parts = Coverage::new(&rules.game).parts(&rules.game, &rules.source);
    let counted = parts.iter().zip(&sums.usage).filter(|(part, _)| is_told(part.kind));
    counted.map(|(part, [ran, of])| told(rules, part, (*ran, *of), sums, series)).collect()
}

/// Whether a move is offered only where no other is possible.
fn is_last_resort(rules: &Rules, mv: MoveId) -> bool {
    let mut offers = rules.game.choices.iter().flat_map(|choice| &choice.offers);
    !offers.any(|offer| offer.mv == mv)
}

fn told(rules: &Rules, part: &Part, (ran, of): (u64, u64), sums: &Sums, series: &str) -> Usage {
    let matches = sums.matches;
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
