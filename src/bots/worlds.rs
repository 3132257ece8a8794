//! Worlds that a seat may be in: matches in which it would have seen exactly what it has seen, each with the
//! probability that the rules give it if hidden choices are made at random.
//!
//! If few enough assignments of the hidden values fit what was seen, they are listed. Otherwise the first
//! world is found by repair, and each further one by small random changes to the one before, so as to get the
//! right odds.

use std::borrow::Cow;

use super::listing::Listing;
use super::repair::{SampledMatch, WorldSampler};
use crate::eval::Position;
use crate::ir::Value;
use crate::num::Rng;
use crate::play::{Entry, Seen};

/// How many changes are tried between one world and the next.
const CHANGES: usize = 4;
/// How many worlds are derived from one another before starting over, to reach all worlds.
const IN_A_ROW: usize = 12;

/// A match as it may have been played.
#[derive(Debug, Clone)]
pub struct World {
    /// The current position.
    pub position: Position,
    /// Its choices and draws, in order.
    pub entries: Vec<Entry>,
}

/// The worlds that a seat may be in, drawn one after another. They depend only on its knowledge and the
/// random numbers.
pub struct Worlds<'s> {
    seen: &'s Seen,
    /// All worlds, if they are few. `None` to draw at random in any case.
    listing: Option<Cow<'s, Listing>>,
    last: Option<SampledMatch>,
    drawn: usize,
}

impl<'s> Worlds<'s> {
    /// Prepares to draw worlds from what a seat knows.
    pub fn new(seen: &'s Seen) -> Worlds<'s> {
        Worlds { seen, listing: Some(Cow::Owned(Listing::of(seen))), last: None, drawn: 0 }
    }

    /// Prepares to draw worlds from what a seat knows, whose worlds have been listed.
    pub(super) fn listed(seen: &'s Seen, listing: &'s Listing) -> Worlds<'s> {
        Worlds { seen, listing: Some(Cow::Borrowed(listing)), last: None, drawn: 0 }
    }

    /// Draws a world; `None` if none was found.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<World> {
        if let Some(listing) = self.listing.as_ref().filter(|listing| listing.worlds().is_some()) {
            return listing
                .draw(rng)
                .map(|branch| self.seen.world_of(branch.position.clone(), &branch.values));
        }
        let guess = WorldSampler::new(self.seen);
        let again = self.drawn.is_multiple_of(IN_A_ROW);
        self.drawn += 1;
        let fresh = if again { guess.find(rng) } else { None };
        let mut drawn = fresh.or_else(|| self.last.take())?;
        for _ in 0..CHANGES {
            guess.change(&mut drawn, rng);
        }
        let world = self.seen.world_of(drawn.position().clone(), &drawn.values);
        self.last = Some(drawn);
        Some(world)
    }
}

impl Seen {
    /// Draws a world in which the seat would have seen the same; `None` if none was found. It depends only on
    /// what the seat knows and on the random numbers.
    pub fn world(&self, rng: &mut Rng) -> Option<World> {
        Worlds::new(self).draw(rng)
    }

    /// Builds the world at `position`; `values` has the choices and draws after the known start of the match.
    fn world_of(&self, position: Position, values: &[Vec<Value>]) -> World {
        let known = self.history[..self.known].iter().filter_map(|happened| happened.values.as_ref());
        let entries = self.history.iter().zip(known.chain(values)).map(|(happened, values)| {
            let names = match happened.seat {
                None => vec!["value".to_string()],
                Some(_) => self.argument_names(&happened.name),
            };
            Entry {
                player: happened.seat.map_or(0, |seat| seat + 1),
                name: happened.name.clone(),
                args: names.into_iter().zip(values.iter().cloned()).collect(),
            }
        });
        World { position, entries: entries.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::play::{Match, Rules};
    use crate::source::Source;

    const CARDS: &str = "game \"Cards\" { players 2 }\n\
        kind suit: red, blue\n\
        table { deck: list of (suit, 1..3) = [s in every suit, r in 1..3: (s, r)] hidden\n led: optional suit = none }\n\
        each player { hand: list of (suit, 1..3) = [] secret\n laid: list of (suit, 1..3) = [] }\n\
        move lay(card in me.hand) {\n\
          need led is none or card.1 = led or not some(other in me.hand: other.1 = led) else \"follow\"\n\
          if led is none { led := card.1 }\n me.hand -= card\n me.laid += card\n\
        }\n\
        play { shuffle deck\n each p in players { deal 3 from deck to p.hand }\n\
          repeat 3 { led := none\n each p in players { ask p to lay } }\n }\n\
        winner highest me.number\n";

    const BIDS: &str = "game \"Bids\" { players 2 }\n\
        each player { purse: 0..4 = 4 secret\n bid: 0..4 = 0 secret }\n\
        table { more: list of yes or no = [] }\n\
        secret move offer(amount in 0..me.purse) { me.bid := amount\n me.purse -= amount }\n\
        play { repeat 3 { together players { offer }\n more += seat(1).bid > seat(2).bid } }\n\
        winner highest me.number\n";

    /// Worlds found by repair and small changes come up as often as the complete listing says.
    #[test]
    fn worlds_come_up_as_often_as_they_are_likely() {
        for (text, choices) in [(CARDS, 3), (BIDS, 4)] {
            let rules =
                Rules::load(Source::new("test.game", text)).unwrap_or_else(|found| panic!("{found:#?}"));
            let mut played = Match::new(Arc::new(rules), &BTreeMap::new(), 2, 3).unwrap();
            let mut rng = Rng::new(1);
            for _ in 0..choices {
                let player = played.to_move()[0];
                let entry = played.random_move(player, &mut rng).unwrap();
                played.make(&entry).unwrap();
            }
            let seen = Seen::of(&played, played.to_move()[0]).unwrap();
            let listing = Listing::of(&seen);
            let listed = listing.worlds().unwrap();
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            let total: f64 = listed.iter().map(|branch| branch.weight).sum();
            let draws = 120 * listed.len() as u32;
            let mut worlds = Worlds { seen: &seen, listing: None, last: None, drawn: 0 };
            for _ in 0..draws {
                let world = worlds.draw(&mut rng).unwrap();
                *counts.entry(format!("{:?}", world.entries)).or_default() += 1;
            }
            assert_eq!(counts.len(), listed.len(), "{text}");
            for branch in listed {
                let world = seen.world_of(branch.position.clone(), &branch.values);
                let world = format!("{:?}", world.entries);
                let share = branch.weight / total;
                let (count, expected) = (f64::from(counts[&world]), share * f64::from(draws));
                // Successive worlds are correlated, so the spread is wider than that of independent draws.
                let spread = 8.0 * expected.sqrt();
                assert!((count - expected).abs() < spread, "{count} for {expected}: {world}");
            }
        }
    }
}
