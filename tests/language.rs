//! The language, construct by construct: small games whose worked examples state what must happen; they are
//! also played at random.

use std::sync::Arc;

use crate::files;
use parlour::play::{Rng, Rules, playout};

fn games() -> Vec<(String, Arc<Rules>)> {
    files::checked(files::language().into_iter().chain(files::engines()).collect())
}

#[test]
fn worked_examples_hold() {
    files::examples_hold(games());
}

#[test]
fn random_matches_come_to_their_end() {
    for (name, rules) in games() {
        for players in rules.game.seats.min..=rules.game.seats.max.unwrap_or(4) {
            let machine = rules.machine(&Default::default(), players).unwrap();
            for n in 0..40 {
                let played = playout(&machine, &mut Rng::nth(1, n), 10_000, &mut |_| {});
                let (position, _) = played.unwrap_or_else(|fault| panic!("{name} with {players}: {fault:?}"));
                assert!(position.outcome.is_some(), "{name} with {players} does not end");
            }
        }
    }
}
