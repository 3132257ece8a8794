//! Preferences ([`MoveCheck::SoftNeed`](crate::ir::MoveCheck::SoftNeed)), which bind only where possible:
//! rows that meet them are sought first; if there are none, preferences are ignored.

use crate::ir::{Offer, has_soft_needs};
use crate::jit::builder::state::Preferences;
use crate::jit::builder::{Builder, Result};

impl Builder<'_> {
    /// Whether an offer's move has preferences.
    pub(in crate::jit) fn prefers(&self, offer: &Offer) -> bool {
        has_soft_needs(&self.machine.game.moves[offer.mv])
    }

    /// Emits `work`, which leaves the current path if it finds a row: first for rows that meet all
    /// preferences, then for all rows.
    pub(in crate::jit) fn by_preference<'o>(
        &mut self,
        offers: impl IntoIterator<Item = &'o Offer>,
        mut work: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if offers.into_iter().any(|offer| self.prefers(offer)) {
            self.preferences = Preferences::Bind;
            work(self)?;
        }
        self.preferences = Preferences::Ignore;
        work(self)
    }
}
