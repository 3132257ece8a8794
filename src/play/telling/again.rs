//! Extra turns: whether whoever has just moved moves once more because the rules say `again`.

use super::ending::each_statement;
use super::{Event, MadeEntry};
use crate::ast::{Block, File, ItemKind, StmtKind};
use crate::play::Match;

/// Says that the player who made the last of these choices goes again, where that is not what always happens.
pub(super) fn goes_again(
    played: &Match,
    made: &[MadeEntry],
    events: &[(usize, &Event)],
    file: &File,
) -> Option<String> {
    let last = made.iter().rev().map(|made| made.entry).find(|entry| entry.player != 0)?;
    // Who was skipped has just been told, and that is why.
    let skipped = events.iter().any(|(_, event)| matches!(event, Event::Stuck(..)));
    if played.over() || played.players() == 1 || played.together() || skipped {
        return None;
    }
    let same = played.to_move() == [last.player]
        && played.offered_to(last.player).iter().any(|mv| mv.name == last.name);
    let by_rule = || {
        file.items.iter().any(|item| match &item.kind {
            ItemKind::Move(mv) => mv.name.text == last.name && says_again(file, &mv.body, DEEP),
            _ => false,
        })
    };
    (same && by_rule()).then(|| format!("{} goes again", played.rules.game.seat_name(last.player - 1)))
}

/// How deep rules that call rules are followed.
const DEEP: usize = 20;

/// Whether statements may say `again`, themselves or in a rule that they call.
fn says_again(file: &File, block: &Block, depth: usize) -> bool {
    let mut found = false;
    each_statement(block, &mut |stmt| match &stmt.kind {
        StmtKind::Again => found = true,
        StmtKind::Choose(choices) if depth > 0 => {
            found |= file.items.iter().any(|item| match &item.kind {
                ItemKind::Rule(name, _, body) => {
                    choices.first.iter().any(|choice| choice.name.text == name.text)
                        && says_again(file, body, depth - 1)
                }
                _ => false,
            });
        }
        _ => {}
    });
    found
}
