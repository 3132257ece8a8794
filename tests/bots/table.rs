//! A match that bots play, for the suites about bots.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlour::bots::{Advice, Bot, Mind, StoppedClock};
use parlour::num::Rng;
use parlour::play::{Entry, Match, Refused, Rules, bundled_source, move_words};
use parlour::source::Source;

pub fn shipped(name: &str) -> Arc<Rules> {
    Arc::new(Rules::load(bundled_source(name).unwrap()).unwrap())
}

pub fn written(text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new("written.game", text)).unwrap_or_else(|found| panic!("{found:#?}")))
}

/// A match, and the mind that bots think with.
pub struct Table {
    pub played: Match,
    pub mind: Arc<Mind>,
}

impl Table {
    pub fn new(rules: &Arc<Rules>, options: &[(&str, &str)], players: usize, seed: u64) -> Table {
        let options = rules.read_options(options.iter().copied()).unwrap();
        let played = Match::new(rules.clone(), &options, players, seed).unwrap();
        Table { mind: Arc::new(Mind::of(&played)), played }
    }

    pub fn again(&self, seed: u64) -> Table {
        let options = self.played.options().enumerate().map(|(id, (_, value))| (id, value.clone()));
        let options: BTreeMap<usize, _> = options.collect();
        let played = Match::new(self.played.rules.clone(), &options, self.played.players(), seed).unwrap();
        Table { played, mind: self.mind.clone() }
    }

    /// Plays moves with one argument or more, such as `drop 4`, in order.
    pub fn after(mut self, moves: &[&str]) -> Table {
        for line in moves {
            let player = self.played.to_move()[0];
            let (_, legal) = self.played.legal(player, 1000).unwrap();
            let entry = legal.iter().find(|entry| self.exactly(entry) == *line);
            self.played.make(entry.unwrap_or_else(|| panic!("{line} is not legal"))).unwrap();
        }
        self
    }

    /// Returns a choice with the names that it has in the rules.
    fn exactly(&self, entry: &Entry) -> String {
        move_words(&self.played.rules.game, &entry.name, &entry.args)
    }

    pub fn ask(&self, bot: &str, seed: u64) -> Result<Advice, Refused> {
        let player = self.played.to_move()[0];
        self.mind.advise_player(
            &self.played,
            player,
            Bot::parse(bot).unwrap(),
            &StoppedClock,
            &mut Rng::new(seed),
        )
    }

    pub fn best(&self, bot: &str, seed: u64) -> String {
        let advice = self.ask(bot, seed).unwrap();
        let player = self.played.to_move()[0];
        self.exactly(&self.played.rules.entry(player - 1, &advice.best))
    }

    /// Plays to the end, or at most `most` choices.
    pub fn play_on(&mut self, bots: &[&str], most: u64) {
        let mut made = 0;
        while let (Some(player), true) = (self.played.to_move().first().copied(), made < most) {
            made += 1;
            let bot = Bot::parse(bots[(player - 1) % bots.len()]).unwrap();
            let entry = self.mind.choose(&self.played, player, bot, &StoppedClock);
            let entry =
                entry.unwrap_or_else(|refused| panic!("{}: {bot}: {refused:?}", self.played.rules.name));
            if let Err(refused) = self.played.make(&entry) {
                panic!("{}: {bot} plays {entry:?}: {refused:?}", self.played.rules.name);
            }
        }
    }
}
