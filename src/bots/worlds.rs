//! Worlds that a seat may be in: matches in which it would have seen exactly what it has seen, each with the
//! probability that the rules give it if hidden choices are made at random.
//!
//! If few enough assignments of the hidden values fit what was seen, they are listed. Otherwise a few worlds
//! are found by repair, and each further one by small random changes to one before, so as to get the right odds.

use std::borrow::Cow;

use super::chain::Chain;
use super::listing::{Branch, FOUND, Listing};
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
    /// Returns the positions of all worlds, each with its probability, if they are at most `most`.
    pub fn all(&self, most: usize) -> Option<Vec<(Position, f64)>> {
        let worlds = self.listing.worlds().filter(|worlds| (1..=most).contains(&worlds.len()))?;
        let all: f64 = worlds.iter().map(|branch| branch.weight).sum();
        let position = |branch: &Branch<E::State>| branch.stop.position(self.engine).clone();
        Some(worlds.iter().map(|branch| (position(branch), branch.weight / all)).collect())
    }

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
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::*;
    use crate::eval::Chosen;
    use crate::play::{Match, Rules, perceive_if_settled, try_apply};
    use crate::source::{Source, Span};

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

    /// What everybody sees drawn from a pile tells what others were dealt from it, or have put there.
    const URN: &str = "game \"Urn\" { players 2 }\n\
        table { urn: bag of 1..3 = bag([1, 1, 2, 3, 3, 3]) hidden\n drawn: list of 1..3 = [] }\n\
        each player { hand: bag of 1..3 = bag() secret\n said: 0..9 = 0 }\n\
        secret move put(marble in 1..3) { need marble in me.hand else \"not held\"\n\
          me.hand -= marble\n urn += marble }\n\
        move say(number in 0..9) { me.said := number }\n\
        play { each p in players { deal 2 from urn to p.hand }\n ask seat(1) to put\n\
          repeat 2 { draw marble from urn\n drawn += marble }\n ask seat(2) to say }\n\
        winner highest me.said\n";

    /// Lists of cards of which there are several, some of them dealt face up.
    const COPIES: &str = "game \"Copies\" { players 3 }\n\
        table { deck: bag of 1..3 = bag([1, 1, 1, 2, 2, 3]) hidden\n open: list of 1..3 = [] }\n\
        each player { hand: list of 1..3 = [] secret\n said: 0..9 = 0 }\n\
        move say(number in 0..9) { me.said := number }\n\
        play { each p in players { deal 1 from deck to p.hand }\n deal 1 from deck to open\n\
          deal 1 from deck to seat(1).hand\n ask seat(3) to say }\n\
        winner highest me.said\n";

    /// Hidden dice, not all equally likely, decide how many sides an open die has.
    const DICE: &str = "game \"Dice\" { players 2 }\n\
        table { sides: 1..6 = 1 hidden\n shown: list of 1..6 = [] }\n\
        each player { die: 0..9 = 0 secret\n said: 0..9 = 0 }\n\
        secret move add(number in 0..2) { me.die := number }\n\
        move say(number in 0..9) { me.said := number }\n\
        play { chance roll in bag([2, 3, 3, 6])\n sides := roll\n\
          repeat 2 { chance other in 1..sides\n shown += other }\n ask seat(1) to add\n\
          ask seat(2) to say }\n\
        winner highest me.said\n";

    /// A hidden choice decides what is shuffled, and everybody sees what comes to lie on top.
    const TOP: &str = "game \"Top\" { players 2 }\n\
        table { deck: list of 1..3 = [1, 2] hidden\n top: list of 1..3 = [] }\n\
        each player { said: 0..9 = 0 }\n\
        secret move mix_in(card in 1..3, times in 1..2) { deck += card\n if times = 2 { deck += card } }\n\
        move say(number in 0..9) { me.said := number }\n\
        play { ask seat(1) to mix_in\n shuffle deck\n top += deck[1]\n ask seat(2) to say }\n\
        winner highest me.said\n";

    /// Worlds come up as often as they are likely, whether they are listed, or found by repair and small changes, and whichever
    /// engine plays them.
    #[test]
    fn worlds_come_up_as_often_as_they_are_likely() {
        for (text, choices) in [(CARDS, 3), (BIDS, 4), (URN, 1), (COPIES, 0), (DICE, 1), (TOP, 1)] {
            let rules =
                Rules::load(Source::new("test.game", text)).unwrap_or_else(|found| panic!("{found:#?}"));
            let rules = Arc::new(rules);
            for seed in 3..6 {
                let mut played =
                    Match::new(rules.clone(), &BTreeMap::new(), rules.default_players(), seed).unwrap();
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
    }

    /// Returns how often each world was drawn, which must be about as often as it is likely.
    fn drawn<E: Engine>(engine: &E, seen: &Seen, text: &str, rng: &mut Rng) -> BTreeMap<String, u32> {
        let mut likely = BTreeMap::new();
        add_worlds(seen, (seen.trunk.clone(), 1.0), &mut Vec::new(), &mut likely);
        let all: f64 = likely.values().sum();
        let listing = Listing::of(engine, seen);
        let listed = listing.worlds().unwrap();
        let total: f64 = listed.iter().map(|branch| branch.weight).sum();
        let mut shares: BTreeMap<String, f64> = BTreeMap::new();
        for branch in listed {
            let world = seen.world_of(branch.stop.position(engine).clone(), &branch.values(seen));
            *shares.entry(format!("{:?}", world.entries)).or_default() += branch.weight / total;
        }
        assert!(shares.keys().eq(likely.keys()), "{text}");
        for (world, share) in &shares {
            let expected = likely[world] / all;
            assert!((share - expected).abs() < 1e-9, "{share} for {expected}: {world} in {text}");
        }
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let draws = 400 * likely.len() as u32;
        let unlisted = Listing::unlisted(engine, seen);
        let mut worlds = Worlds::of(engine, seen, &unlisted);
        for _ in 0..draws {
            let world = worlds.draw(rng).unwrap();
            *counts.entry(format!("{:?}", world.entries)).or_default() += 1;
        }
        assert!(counts.keys().all(|world| likely.contains_key(world)), "{text}");
        for (world, weight) in likely {
            let expected = weight / all * f64::from(draws);
            let count = f64::from(counts.get(&world).copied().unwrap_or(0));
            // Successive worlds are correlated, so the spread is wider than that of independent draws.
            let spread = 8.0 * expected.sqrt();
            assert!((count - expected).abs() < spread, "{count} for {expected}: {world} in {text}");
        }
        counts
    }

    /// Adds all worlds that go on from a position with a probability, by going through all outcomes of draws, the equal ones one by
    /// one, and all hidden choices.
    fn add_worlds(
        seen: &Seen,
        (position, likely): (Position, f64),
        values: &mut Vec<Vec<Value>>,
        worlds: &mut BTreeMap<String, f64>,
    ) {
        let machine = &seen.machine;
        let at = seen.known + values.len();
        let Some(happened) = seen.history.get(at) else {
            let world = seen.world_of(position, values);
            *worlds.entry(format!("{:?}", world.entries)).or_default() += likely;
            return;
        };
        let ways: Vec<Vec<Value>> = match (happened.seat, &happened.values) {
            (None, _) => {
                let outcomes = machine.outcomes(&position).unwrap();
                outcomes.iter(Span::default()).unwrap().map(|value| vec![value]).collect()
            }
            (Some(_), Some(values)) => vec![values.clone()],
            (Some(seat), None) => {
                let (choice, mut rows) = (machine.choice(&position).unwrap(), Vec::new());
                let each = &mut |chosen: Chosen| {
                    rows.push(chosen.args);
                    ControlFlow::Continue(())
                };
                machine.ask(&position, |env| env.each_legal(choice, seat, false, each)).unwrap();
                rows
            }
        };
        let likely = likely / ways.len() as f64;
        for way in ways.into_iter().filter(|way| happened.values.as_ref().is_none_or(|known| known == way)) {
            let mut next = position.clone();
            let made = try_apply(machine, &mut next, happened.seat, &happened.name, &way).unwrap();
            assert!(made);
            if perceive_if_settled(machine, seen.seat, &next).unwrap() == seen.perceived[at + 1] {
                values.push(way);
                add_worlds(seen, (next, likely), values, worlds);
                values.pop();
            }
        }
    }
}
