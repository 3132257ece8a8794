//! What a seat knows about a match, and worlds in which it would have seen the same: the worlds that bots
//! imagine must be consistent with everything their seat has seen, and depend on nothing else.

use std::sync::Arc;

use crate::files;
use parlour::bots::World;
use parlour::play::{Match, Observer, Rng, Rules, Seen, bundled, bundled_source, replay};
use parlour::source::Source;

/// The most choices per match that are looked at.
const CHOICES: usize = 14;

/// Returns the bundled games and those of the tests.
fn sources() -> Vec<Source> {
    let shipped = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    shipped.chain(files::language()).chain(files::authors()).collect()
}

/// Returns the match as another player may believe it to be: a world, replayed as a record.
fn imagined(rules: &Arc<Rules>, played: &Match, world: &World) -> Match {
    let mut record = played.record().unwrap();
    record.moves = world.entries.iter().map(|entry| played.entry_json(entry)).collect();
    record.result = None;
    let replayed = replay(rules.clone(), &record).unwrap();
    assert!(replayed.broken.is_none(), "{}: {:?}", rules.name, replayed.broken);
    replayed.played
}

#[test]
fn worlds_look_to_a_seat_as_what_it_has_seen() {
    let (mut hidden, mut differ) = (0, 0);
    for (n, source) in sources().into_iter().enumerate() {
        let rules = Arc::new(Rules::load(source).unwrap());
        let options = Default::default();
        let Ok(mut played) = Match::new(rules.clone(), &options, rules.default_players(), 7) else {
            continue;
        };
        let mut rng = Rng::new(11);
        for step in 0..CHOICES {
            let Some(player) = played.to_move().first().copied() else { break };
            let seen = Seen::of(&played, player).unwrap();
            // Only every fourth choice is tested, since some games have thousands of worlds.
            if (step + n) % 4 == 3 && !seen.knows_all() {
                hidden += 1;
                let world = seen.world(&mut Rng::new(3));
                let world = world.unwrap_or_else(|| panic!("{}: no world at {step}", rules.name));
                let other = imagined(&rules, &played, &world);
                let again = Seen::of(&other, player).unwrap();
                assert!(seen.is_like(&again), "{}", rules.name);
                differ += usize::from(other.record().unwrap().moves != played.record().unwrap().moves);
                // The world that is drawn depends on what the seat knows, and on nothing else.
                let drawn = again.world(&mut Rng::new(3)).map(|world| world.entries);
                assert_eq!(drawn, Some(world.entries), "{}", rules.name);
            }
            let Ok(entry) = played.random_move(player, &mut rng) else { break };
            if played.make(&entry).is_err() {
                break;
            }
        }
    }
    assert!(hidden > 12 && differ * 2 >= hidden, "{hidden}, {differ} differ");
}

#[test]
fn what_is_seen_on_the_way_is_what_is_seen_at_once() {
    for source in sources() {
        let rules = Arc::new(Rules::load(source).unwrap());
        let Ok(mut played) = Match::new(rules.clone(), &Default::default(), rules.default_players(), 5)
        else {
            continue;
        };
        let mut rng = Rng::new(2);
        let mut observers: Vec<Observer> =
            (1..=played.players()).map(|player| Observer::new(&played, player).unwrap()).collect();
        for step in 0..CHOICES {
            let Some(player) = played.to_move().first().copied() else { break };
            for (observer, player) in observers.iter_mut().zip(1..) {
                let at_once = Seen::of(&played, player).unwrap();
                let on_the_way = observer.follow(&played).unwrap();
                assert!(on_the_way.is_like(&at_once), "{} after {step}", rules.name);
                assert_eq!(on_the_way.knows_all(), at_once.knows_all(), "{} after {step}", rules.name);
            }
            let Ok(entry) = played.random_move(player, &mut rng) else { break };
            // Now and then steps are undone, so that the observers have to follow another line.
            if played.make(&entry).is_err() || step % 5 == 4 && played.undo(2).is_err() {
                break;
            }
        }
    }
}
