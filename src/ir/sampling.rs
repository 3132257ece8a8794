//! How a legal move is sampled. All engines follow this procedure, so that a seed draws the same moves in
//! each.
//!
//! If no move offered has soft needs, which compare rows with one another, all domains that depend on other arguments can
//! be widened (see [`super::independent_domains`]), and there are more than [`FEW_ROWS`] rows of arguments (filtered only by
//! the bounds on integers, see [`super::bounds_by_needs`]), rows are drawn until one is legal. Tries may be in vain, so they
//! should cost no more than listing does: at most a quarter of the rows are tried ([`QUARTER_SHIFT`]), and [`FEW_ROWS`]
//! more. If the last argument is a single value, or a row of a known number of them ([`lists_at_once`]), listing tests
//! 2^[`AT_ONCE_SHIFT`] rows at a time, so only this share of the rows is tried, and [`FEW_TRIES`] more. Where needs
//! tie the last argument to others ([`super::bounds_on_last`]), listing looks at the values of the others alone: as
//! many are tried as a quarter of these at most, and no more; none if an equation leaves one value. Never more than
//! [`MAX_TRIES`] are made; no more than [`COUNTED_ANEW_TRIES`] if the legal rows can be counted by all their conditions, no
//! more than [`COUNTED_TRIES`] if counts can be kept, since they depend on single values only, and none if the same rows are
//! legal at every choice and are not so many that counting them fails.
//! Above [`MANY_ROWS`] rows, they are counted by their conditions instead, where possible.
//! Otherwise the legal rows are listed and one of them is drawn.
//!
//! Rows of elements are those that meet the conditions about their parameter alone for which no state is read but single
//! values, if they can be counted by them; conditions that read collections, which change often, are tested like any other.

use super::{Domain, Expr, Move, MoveCheck, Param, Slot, Type, domain_parts, reads};

/// Up to this many rows, the legal ones are listed without trying any at random, unless all are known to be
/// legal.
pub const FEW_ROWS: i64 = 64;
/// Above this many rows, none is tried at random if the legal ones can be counted by their conditions.
pub const MANY_ROWS: i64 = 1 << 22;
/// The share of the rows tried at most where listing tests as many together, as a right shift.
pub const AT_ONCE_SHIFT: u32 = 6;
/// The rows that are tried even where listing costs little.
pub const FEW_TRIES: i64 = 16;
/// The share of the rows tried at most, as a right shift: beyond a quarter, listing all is as fast.
pub const QUARTER_SHIFT: u32 = 2;
/// The maximum number of rows tried.
pub const MAX_TRIES: i64 = 10_000_000;
/// The maximum number of rows tried if the legal ones can be counted by their conditions, and counts can be kept.
pub const COUNTED_TRIES: i64 = 16;
/// The maximum number of rows tried if they are counted anew whenever a collection changes, which takes longer.
pub const COUNTED_ANEW_TRIES: i64 = 64;

/// Whether the domain or window of a chosen parameter reads an earlier chosen parameter.
pub fn is_dependent(mv: &Move) -> bool {
    let chosen: Vec<&Param> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
    let reads_earlier = |at: usize| chosen[..at].iter().any(|before| param_reads(chosen[at], before.slot));
    (0..chosen.len()).any(reads_earlier)
}

/// Whether a move has a soft need ([`MoveCheck::SoftNeed`]).
pub fn has_soft_needs(mv: &Move) -> bool {
    mv.checks.iter().any(|check| matches!(check, MoveCheck::SoftNeed { .. }))
}

/// Whether the values of the last argument are single values, which are tested together when rows are listed, or rows of a
/// known length, of which the last elements are.
pub fn lists_at_once(mv: &Move) -> bool {
    let last = mv.params.iter().rfind(|param| param.domain.is_some());
    let sized = |domain: &Domain| {
        let of = domain.without_condition().0;
        matches!(
            of,
            Domain::Lists(..) | Domain::Arrangements(..) | Domain::Subsets(_, Some(_)) | Domain::Tuples(_)
        )
    };
    last.is_some_and(|last| {
        let single = !last.ty.is_collection() && !matches!(last.ty, Type::Tuple(_));
        single || last.domain.as_ref().is_some_and(sized)
    })
}

/// Whether the domain or window of a parameter depends on a slot.
pub fn param_reads(param: &Param, slot: Slot) -> bool {
    param.window.iter().any(|(low, high)| reads(low, slot) || reads(high, slot))
        || param.sampling_domain.iter().chain(&param.domain).any(|domain| domain_reads(domain, slot))
}

/// Whether a domain depends on a slot.
pub fn domain_reads(domain: &Domain, slot: Slot) -> bool {
    let mut parts: Vec<&Expr> = Vec::new();
    domain_parts(domain, &mut parts);
    parts.into_iter().any(|part| reads(part, slot))
}
