//! Reports of matches: whole ones as snapshots, every kind of end, and nobody may be told more than they see.

#[path = "telling/ends.rs"]
mod ends;
#[path = "telling/matches.rs"]
mod matches;

use std::collections::BTreeMap;
use std::sync::Arc;

use parlour::play::{Entry, Match, Rng, Rules, bundled_source, with_bases};
use parlour::source::Source;

/// Loads the rules of a bundled game, or of a file in the package.
fn rules(game: &str) -> Arc<Rules> {
    let source = bundled_source(game).unwrap_or_else(|| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(game);
        let text = std::fs::read_to_string(&path).unwrap();
        with_bases(Source::new(game.rsplit('/').next().unwrap(), &text), &|base, _| bundled_source(base))
    });
    Arc::new(Rules::load(source).unwrap_or_else(|found| panic!("{game}: {found:?}")))
}

/// Loads rules from a text in a test.
fn written(text: &str) -> Arc<Rules> {
    let source = Source::new("small.game", text);
    Arc::new(Rules::load(source).unwrap_or_else(|found| panic!("{found:#?}\n{text}")))
}

fn begun(rules: &Arc<Rules>, set: &[(&str, &str)], players: usize, seed: u64) -> Match {
    let options = rules.read_options(set.iter().copied()).unwrap();
    Match::new(rules.clone(), &options, players, seed).unwrap()
}

/// Makes one random choice for each player to move, in seat order. Returns the choices.
fn step(played: &mut Match, rng: &mut Rng) -> Vec<Entry> {
    let mut made = Vec::new();
    for seat in played.to_move() {
        let entry = played.random_move(seat, rng).unwrap();
        played.make(&entry).unwrap();
        made.push(entry);
    }
    made
}

/// Returns the names of seats as a map.
fn names(of: &[(usize, &str)]) -> BTreeMap<usize, String> {
    of.iter().map(|(seat, name)| (*seat, (*name).to_string())).collect()
}
