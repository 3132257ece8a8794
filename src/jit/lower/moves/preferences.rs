//! Needs that bind only where possible: first the rows are sought that meet them; where there are none, they are
//! passed over.

use crate::ir::{Offer, prefers};
use crate::jit::builder::state::Preferences;
use crate::jit::builder::{Builder, Result};

impl Builder<'_> {
    /// Whether an offer's move has such a need.
    pub(in crate::jit) fn prefers(&self, offer: &Offer) -> bool {
        prefers(&self.machine.game.moves[offer.mv])
    }

    /// What is done with the rows of offers, from which `work` leaves for elsewhere where there are any: first with
    /// those that meet all such needs, then with all.
    pub(in crate::jit) fn by_preference<'o>(
        &mut self,
        offers: impl IntoIterator<Item = &'o Offer>,
        mut work: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if offers.into_iter().any(|offer| self.prefers(offer)) {
            self.preferences = Preferences::Bind;
            work(self)?;
        }
        self.preferences = Preferences::PassOver;
        work(self)
    }
}
