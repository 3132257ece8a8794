//! The language, construct by construct: small games whose worked examples state what must happen; they are
//! also played at random.

use std::sync::Arc;

use crate::files;
use parlour::play::{Rng, Rules, playout, run_examples};
use parlour::source::Source;

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

#[test]
fn a_given_pass_of_a_loop_holds_though_chance_draws_before_it() {
    for before in ["", "chance x in 1..2\n", "chance x in 1..2\n  chance y in 1..3\n"] {
        let text = format!(
            "game \"Draws first\" {{ players 2 }}\ntable {{ at: int = 0\n  drawn: int = 0 }}\nshow \"{{at}} {{drawn}}\"\n\
             move put {{ drawn += 1 }}\n\
             play {{\n  {before}  repeat 5 as round {{\n    at := round\n    drawn := 7\n    chance z in 1..2\n    \
             ask seat(2) to put\n  }}\n}}\nwinner last mover\n\
             example \"fourth\" {{\n  given round = 4\n  given drawn = 3\n  2: put\n  shows \"5 7\"\n}}\n"
        );
        let rules = Arc::new(Rules::load(Source::new("draws.game", &text)).unwrap());
        for report in run_examples(&rules) {
            assert!(report.failure.is_none(), "{before}: {:?}", report.failure);
        }
    }
}
