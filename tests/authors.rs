//! Games that new authors wrote from half a page of prose each (`authors/NAME.txt`) with only the manual.
//! They must stay correct, and their counts must match those of independent programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::files;
use parlour::play::{Rng, Rules, perft, playout, read_json};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/authors"))
}

fn games() -> Vec<(String, Arc<Rules>)> {
    let games = files::checked(files::authors());
    assert!(games.len() >= 12);
    for (name, _) in &games {
        let prose = folder().join(name).with_extension("txt");
        assert!(prose.exists(), "{name} has no prose");
    }
    games
}

#[test]
fn the_examples_of_the_prose_hold() {
    files::examples_hold(games());
}

#[test]
fn random_matches_come_to_their_end() {
    for (name, rules) in games() {
        for players in rules.game.seats.min..=rules.game.seats.max.unwrap_or(4).min(4) {
            let machine = rules.machine(&Default::default(), players).unwrap();
            for n in 0..4 {
                let played = playout(&machine, &mut Rng::nth(1, n), 10_000, &mut |_| {});
                let (position, _) = played.unwrap_or_else(|fault| panic!("{name} with {players}: {fault:?}"));
                assert!(position.outcome.is_some(), "{name} with {players} does not end");
            }
        }
    }
}

/// Players, options, and the expected numbers of sequences of 1, 2, … choices (simultaneous ones are one).
#[derive(Deserialize)]
struct Setting {
    players: usize,
    options: Map<String, Json>,
    counts: Vec<u64>,
}

#[test]
fn sequences_are_as_many_as_the_programs_of_others_count() {
    let told = fs::read_to_string(folder().join("counts.json")).unwrap();
    let mut told: BTreeMap<String, Vec<Setting>> = serde_json::from_str(&told).unwrap();
    for (name, rules) in games() {
        let settings = told
            .remove(name.trim_end_matches(".game"))
            .unwrap_or_else(|| panic!("nothing is counted of {name}"));
        for Setting { players, options, counts } in settings {
            let set = options.iter().map(|(option, json)| {
                let id = rules.option_id(option).unwrap();
                (id, read_json(&rules.game, &rules.game.options[id].form.ty(), json).unwrap())
            });
            let machine = rules.machine(&set.collect(), players).unwrap();
            let lines = perft(&machine, counts.len()).unwrap();
            let found: Vec<u64> = lines.into_iter().map(|line| line.sequences).collect();
            assert_eq!(found, counts, "{name}, {players} players, {options:?}");
        }
    }
    assert!(told.is_empty());
}
