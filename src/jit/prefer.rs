//! Needs that bind only where possible: first the rows are sought that meet them; where there are none, they are
//! passed over.

use super::generate::{Gen, R};
use crate::ir::{Move, MoveCheck, Offer};

/// How such needs are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preferences {
    /// They bind.
    Bind,
    /// They do not: no row meets them.
    PassOver,
}

impl Gen<'_> {
    /// Whether an offer's move has such a need.
    pub(super) fn prefers(&self, offer: &Offer) -> bool {
        has_preferences(&self.machine.game.moves[offer.mv])
    }

    /// What is done with the rows of offers, from which `work` leaves for elsewhere where there are any: first with
    /// those that meet all such needs, then with all.
    pub(super) fn by_preference<'o>(
        &mut self,
        offers: impl IntoIterator<Item = &'o Offer>,
        mut work: impl FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        if offers.into_iter().any(|offer| self.prefers(offer)) {
            self.preferences = Preferences::Bind;
            work(self)?;
        }
        self.preferences = Preferences::PassOver;
        work(self)
    }
}

/// Whether a move has a need that binds only where possible.
pub fn has_preferences(mv: &Move) -> bool {
    mv.checks.iter().any(|check| matches!(check, MoveCheck::Prefer { .. }))
}
