//! The worlds that seats may be in, kept for whoever asks about the same knowledge again, or about what a match went on to
//! from there.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::listing::Listing;
use super::steps::FirstDraw;
use crate::engine::Engine;
use crate::play::Seen;

/// The most listings that are kept, and the most worlds in them all.
const MOST_LISTINGS: usize = 32;
const MOST_WORLDS: usize = 40_000;

/// The worlds that a seat may be in, and those that a spectator may be in if the seat knows more.
#[derive(Debug)]
pub(super) struct Listings<S> {
    pub own: Arc<Listing<S>>,
    pub public: Option<Arc<Listing<S>>>,
}

impl<S> Clone for Listings<S> {
    fn clone(&self) -> Listings<S> {
        Listings { own: self.own.clone(), public: self.public.clone() }
    }
}

impl<S: Clone> Listings<S> {
    /// Follows the match to what the seat knows now.
    pub fn follow<E: Engine<State = S>>(&mut self, engine: &E, seen: &Seen, kept: &KeptListings<S>) {
        follow(&mut self.own, engine, seen, kept);
        match (&mut self.public, seen.public.as_deref()) {
            (Some(listing), Some(public)) => follow(listing, engine, public, kept),
            (listing, public) => *listing = public.map(|public| kept.of(engine, public)),
        }
    }
}

fn follow<S: Clone, E: Engine<State = S>>(
    listing: &mut Arc<Listing<S>>,
    engine: &E,
    seen: &Seen,
    kept: &KeptListings<S>,
) {
    match listing.followed(seen) {
        Some(length) if length == seen.history.len() => {}
        Some(_) => *listing = Arc::new(listing.continued(engine, seen)),
        None => *listing = kept.of(engine, seen),
    }
}

/// Listings of late, the latest last. Since a listing depends only on what a seat has seen, keeping it changes no answer.
pub(super) struct KeptListings<S> {
    kept: Mutex<Vec<Arc<Listing<S>>>>,
    first: FirstDraw<S>,
}

impl<S> Default for KeptListings<S> {
    fn default() -> KeptListings<S> {
        KeptListings { kept: Mutex::default(), first: FirstDraw::default() }
    }
}

impl<S> fmt::Debug for KeptListings<S> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("KeptListings")
    }
}

impl<S: Clone> KeptListings<S> {
    /// Returns the worlds of a seat that knows this, and those of a spectator.
    pub fn both<E: Engine<State = S>>(&self, engine: &E, seen: &Seen) -> Listings<S> {
        let public = seen.public.as_deref().map(|public| self.of(engine, public));
        Listings { own: self.of(engine, seen), public }
    }

    /// Returns the worlds of a seat, or of a spectator, that knows this: those that are kept, or else listed from the longest
    /// beginning of the match that is kept.
    pub fn of<E: Engine<State = S>>(&self, engine: &E, seen: &Seen) -> Arc<Listing<S>> {
        // There is but one world, which is soon listed.
        if seen.knows_all() {
            return Arc::new(Listing::of(engine, seen));
        }
        let nearest = self.nearest(seen);
        let listing = match nearest {
            Some((listing, length)) if length == seen.history.len() => return listing,
            Some((listing, _)) => Arc::new(listing.continued(engine, seen)),
            None => Arc::new(Listing::from_first(engine, seen, &self.first)),
        };
        self.keep(listing.clone());
        listing
    }

    /// Returns the listing of the longest beginning of the match that is kept, and the length of that.
    fn nearest(&self, seen: &Seen) -> Option<(Arc<Listing<S>>, usize)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().enumerate().filter_map(|(at, listing)| Some((listing.followed(seen)?, at)));
        let (length, at) = known.max()?;
        let nearest = kept.remove(at);
        kept.push(nearest.clone());
        Some((nearest, length))
    }

    /// Keeps a listing, and forgets those that were not asked for longest, if there are too many.
    fn keep(&self, listing: Arc<Listing<S>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(listing);
        let mut worlds = 0;
        let fits = |listing: &&Arc<Listing<S>>| {
            worlds += listing.size();
            worlds <= MOST_WORLDS
        };
        let left = kept.iter().rev().take(MOST_LISTINGS).take_while(fits).count();
        let forgotten = kept.len() - left;
        kept.drain(..forgotten);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::play::{Match, Rules};
    use crate::source::Source;

    const CODES: &str = "game \"Codes\" { players 2 }\n\
        each player {\n code: list of 0..4 = [] secret\n guess: list of 0..4 = []\n right: 0..2 = 0 }\n\
        secret move hide(digits in arrangements(2, 0..4)) { me.code := digits }\n\
        move guess(digits in arrangements(2, 0..4)) {\n me.guess := digits\n\
          me.right := count(k in 1..2: digits[k] = me.next.code[k])\n }\n\
        play { together players { hide }\n turns until some(p in players: p.right = 2) { guess } }\n\
        winner highest me.right\n";

    /// Each holds the other's cards, and may tell one of them. Options change what is shuffled.
    const CARDS: &str = "game \"Cards\" { players 2 }\n\
        option top: 2..3 = 3\n\
        table { deck: list of 1..3 = [k in 1..top, _copy in 1..2: k] hidden\n row: 0..9 = 0 }\n\
        each player { held: list of 1..3 = [] secret\n told: 0..3 = 0 }\n\
        move tell { me.told := me.held[1] }\n\
        move lay(at in 1..2) {\n if me.next.held[at] = row + 1 { row += 1 }\n me.next.held[at] := 1\n me.next.told := 0 }\n\
        play { shuffle deck\n each p in players { deal 2 from deck to p.held }\n repeat 2 { each p in players { ask p to tell or lay } } }\n\
        winner highest row\n";

    /// The first shuffle is listed once for matches of one setting, and comes to the same for each of them.
    #[test]
    fn what_matches_begin_with_is_listed_once() {
        let rules = Arc::new(Rules::load(Source::new("test.game", CARDS)).unwrap());
        let (mut rng, kept) = (crate::num::Rng::new(1), KeptListings::default());
        for (seed, top) in [(1, "3"), (2, "3"), (3, "2"), (4, "2"), (5, "3")] {
            let options = rules.read_options([("top", top)]).unwrap();
            let mut played = Match::new(rules.clone(), &options, 2, seed).unwrap();
            while !played.over() {
                let player = played.to_move()[0];
                let seen = Seen::of(&played, player).unwrap();
                let listing = kept.of(&seen.machine, &seen);
                let listed = worlds(&Listing::of(&seen.machine, &seen), &seen);
                assert_eq!(worlds(&listing, &seen), listed, "seed {seed}");
                assert!(!listed.is_empty());
                let entry = played.random_move(player, &mut rng).unwrap();
                played.make(&entry).unwrap();
            }
        }
    }

    /// Returns the worlds and their weights.
    fn worlds<S: Clone>(listing: &Listing<S>, seen: &Seen) -> Vec<String> {
        let worlds = listing.worlds().unwrap().iter();
        worlds.map(|world| format!("{:?} {}", world.values(seen), world.weight)).collect()
    }

    #[test]
    fn what_is_kept_is_what_would_be_listed() {
        let rules = Arc::new(Rules::load(Source::new("test.game", CODES)).unwrap());
        let mut played = Match::new(rules, &BTreeMap::new(), 2, 3).unwrap();
        let (mut rng, kept) = (crate::num::Rng::new(1), KeptListings::default());
        let mut least = usize::MAX;
        while !played.over() {
            for player in played.to_move() {
                let seen = Seen::of(&played, player).unwrap();
                let listing = kept.of(&seen.machine, &seen);
                assert_eq!(worlds(&listing, &seen), worlds(&Listing::of(&seen.machine, &seen), &seen));
                assert!(seen.knows_all() || Arc::ptr_eq(&listing, &kept.of(&seen.machine, &seen)));
                least = least.min(listing.size());
                let entry = played.random_move(player, &mut rng).unwrap();
                played.make(&entry).unwrap();
            }
        }
        assert!(least < 20);
    }
}
