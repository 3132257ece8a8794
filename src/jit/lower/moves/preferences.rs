//! Preferences ([`MoveCheck::SoftNeed`](crate::ir::MoveCheck::SoftNeed)), which bind only where possible:
//! rows that meet them are sought first, among the moves that have any; if there are none, preferences are
//! ignored. Moves without preferences are legal in either case.

use crate::ir::{Offer, has_soft_needs};
use crate::jit::builder::state::Preferences;
use crate::jit::builder::value::Word;
use crate::jit::builder::{Builder, Result};

impl Builder<'_> {
    /// Whether an offer's move has preferences.
    pub(in crate::jit) fn prefers(&self, offer: &Offer) -> bool {
        has_soft_needs(&self.machine.game.moves[offer.mv])
    }

    /// Emits `work` for the legal rows of offers, which leaves the current path if it finds a row.
    pub(in crate::jit) fn by_preference(
        &mut self,
        offers: &[&Offer],
        seat: Word,
        mut work: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let preferring = offers.iter().filter(|offer| self.prefers(offer)).count();
        if preferring > 0 && preferring < offers.len() {
            return self.by_preference_of(offers, seat, &mut work);
        }
        // If all moves have preferences, every row that is found while they bind meets them, so there is no need
        // to look for one first.
        if preferring > 0 {
            self.preferences = Preferences::Bind;
            work(self)?;
        }
        self.preferences = Preferences::Ignore;
        work(self)
    }

    /// Emits `work` for the legal rows of offers: with preferences binding if a row of the moves that have any
    /// meets them, otherwise without.
    pub(in crate::jit) fn by_preference_of(
        &mut self,
        offers: &[&Offer],
        seat: Word,
        work: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let end = self.block();
        let preferring: Vec<&Offer> = offers.iter().copied().filter(|offer| self.prefers(offer)).collect();
        if !preferring.is_empty() {
            let (found, none) = (self.block(), self.block());
            self.preferences = Preferences::Bind;
            self.exists_with_preferences(&preferring, seat, found)?;
            self.jump(none);
            self.switch_to(found);
            work(self)?;
            self.jump(end);
            self.switch_to(none);
        }
        self.preferences = Preferences::Ignore;
        work(self)?;
        self.jump(end);
        self.switch_to(end);
        Ok(())
    }
}
