//! How a legal move is drawn at random: what all engines go by, so that a seed draws the same moves in each of them.
//!
//! Where [`is_tried`] says so of every move offered and there are more than [`FEW_ROWS`] rows of arguments, of which none is asked any
//! need yet but those that say from where and up to where an integer goes ([`super::bounds_by_needs`]), rows are drawn until one is legal, a share of them and [`FEW_ROWS`] at most; very many are counted by their
//! conditions instead, where they can be. What is left is listed, and one of the legal rows drawn.

use super::{Domain, Expr, Move, MoveCheck, Param, Slot, domain_parts, reads};

/// Up to how many rows the legal ones are listed at once.
pub const FEW_ROWS: i64 = 64;
/// Above how many rows none is tried where they can be counted by their conditions.
pub const MANY_ROWS: i64 = 1 << 22;
/// How large a share of the rows is tried, as a power of two: from a quarter on, to list them all is as quick.
pub const TRIED_SHARE: u32 = 2;
/// How many rows are tried at most.
pub const MOST_TRIES: i64 = 10_000_000;

/// Whether the rows of a move may be tried at random: each parameter is chosen from the same whatever else is chosen,
/// and no need weighs the rows against one another.
pub fn is_tried(mv: &Move) -> bool {
    !is_dependent(mv) && !prefers(mv)
}

/// Whether the domain or window of a parameter that is chosen reads one before it.
pub fn is_dependent(mv: &Move) -> bool {
    let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
    let reads_earlier = |at: usize| chosen[..at].iter().any(|before| param_reads(chosen[at], before.slot));
    (0..chosen.len()).any(reads_earlier)
}

/// Whether a move has a need that binds only where possible.
pub fn prefers(mv: &Move) -> bool {
    mv.checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. }))
}

/// Whether what a parameter is chosen from, or what is drawn of it, depends on what stands in a slot.
pub fn param_reads(param: &Param, slot: Slot) -> bool {
    param.window.iter().any(|(low, high)| reads(low, slot) || reads(high, slot))
        || param.tried.iter().chain(&param.domain).any(|domain| domain_reads(domain, slot))
}

/// Whether a domain depends on what stands in a slot.
pub fn domain_reads(domain: &Domain, slot: Slot) -> bool {
    let mut parts: Vec<&Expr> = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().any(|part| reads(part, slot))
}
