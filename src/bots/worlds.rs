//! Worlds that a seat may be in: matches in which it would have seen exactly what it has seen, each with the
//! probability that the rules give it if hidden choices are made at random.
//!
//! If few enough assignments of the hidden values fit what was seen, they are listed. Otherwise a few worlds
//! are found by repair, and each further one by small random changes to one before, so as to get the right odds.

use std::borrow::Cow;

use super::chain::Chain;
use super::listing::{FOUND, Listing};
use crate::engine::Engine;
use crate::eval::{Machine, Position};
use crate::ir::Value;
use crate::num::Rng;
use crate::play::{Entry, Seen};

/// How many changes are tried between one world and the next that is derived from it, and before the first.
const CHANGES: usize = 3;
const FIRST_CHANGES: usize = 16;

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
pub struct Worlds<'s, E: Engine + 's = Machine> {
    seen: &'s Seen,
    engine: &'s E,
    listing: Cow<'s, Listing<E::State>>,
    /// One from each world that was found, if they are too many to be listed; `None` if none was found.
    chains: Vec<Option<Chain<'s, E>>>,
    drawn: usize,
}

impl<'s> Worlds<'s> {
    /// Prepares to draw worlds from what a seat knows.
    pub fn new(seen: &'s Seen) -> Worlds<'s> {
        let engine = &seen.machine;
        let listing = Cow::Owned(Listing::of(engine, seen));
        Worlds { seen, engine, listing, chains: Vec::new(), drawn: 0 }
    }
}

impl<'s, E: Engine> Worlds<'s, E> {
    /// Draws a world; `None` if none was found.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<World> {
        let (seen, engine) = (self.seen, self.engine);
        if self.listing.worlds().is_some() {
            let branch = self.listing.draw(rng)?;
            return Some(seen.world_of(branch.stop.position(engine).clone(), &branch.values(seen)));
        }
        let drawn = self.next(rng)?;
        Some(seen.world_of(drawn.position().clone(), &drawn.values()))
    }

    /// Prepares to draw worlds from what is known of them.
    pub(super) fn of(engine: &'s E, seen: &'s Seen, listing: &'s Listing<E::State>) -> Worlds<'s, E> {
        Worlds { seen, engine, listing: Cow::Borrowed(listing), chains: Vec::new(), drawn: 0 }
    }

    /// Draws the position of a world, if they are too many to be listed; `None` if none was found.
    pub(super) fn draw_state(&mut self, rng: &mut Rng) -> Option<E::State> {
        self.next(rng).map(|drawn| drawn.state().clone())
    }

    fn next(&mut self, rng: &mut Rng) -> Option<&Chain<'s, E>> {
        let number = (0..FOUND).find_map(|_| self.next_chain(rng))?;
        let chain = self.chains[number].as_mut()?;
        (0..CHANGES).for_each(|_| chain.change(rng));
        Some(chain)
    }

    /// Returns the number of the chain whose turn it is; `None` if it has no world.
    fn next_chain(&mut self, rng: &mut Rng) -> Option<usize> {
        let number = self.drawn % FOUND;
        self.drawn += 1;
        if self.chains.len() == number {
            let found = self.listing.found.get(number).and_then(|search| search.world(self.seen));
            let rules = &self.listing.rules;
            let mut chain = found.map(|first| Chain::new(self.engine, self.seen, rules.clone(), first));
            chain.iter_mut().for_each(|chain| (0..FIRST_CHANGES).for_each(|_| chain.change(rng)));
            self.chains.push(chain);
        }
        self.chains[number].is_some().then_some(number)
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

    /// Worlds found by repair and small changes come up as often as the complete listing says, whichever engine plays them.
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
            let by_reference = drawn(&seen.machine, &seen, text, &mut rng.clone());
            #[cfg(feature = "jit")]
            {
                let compiled = crate::jit::Compiled::new(seen.machine.clone());
                assert_eq!(drawn(&compiled, &seen, text, &mut rng), by_reference, "{text}");
            }
            #[cfg(not(feature = "jit"))]
            drop(by_reference);
        }
    }

    /// Returns how often each world was drawn, which must be about as often as it is likely.
    fn drawn<E: Engine>(engine: &E, seen: &Seen, text: &str, rng: &mut Rng) -> BTreeMap<String, u32> {
        let listing = Listing::of(engine, seen);
        let listed = listing.worlds().unwrap();
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let total: f64 = listed.iter().map(|branch| branch.weight).sum();
        let draws = 120 * listed.len() as u32;
        let unlisted = Listing::unlisted(engine, seen);
        let mut worlds = Worlds::of(engine, seen, &unlisted);
        for _ in 0..draws {
            let world = worlds.draw(rng).unwrap();
            *counts.entry(format!("{:?}", world.entries)).or_default() += 1;
        }
        assert_eq!(counts.len(), listed.len(), "{text}");
        for branch in listed {
            let world = seen.world_of(branch.stop.position(engine).clone(), &branch.values(seen));
            let world = format!("{:?}", world.entries);
            let share = branch.weight / total;
            let (count, expected) = (f64::from(counts[&world]), share * f64::from(draws));
            // Successive worlds are correlated, so the spread is wider than that of independent draws.
            let spread = 8.0 * expected.sqrt();
            assert!((count - expected).abs() < spread, "{count} for {expected}: {world}");
        }
        counts
    }
}
