//! More than two players: one against all others, and each for shares of the win.

use super::{machine, solved, task};
use crate::folder::Folder;
use parlour::engine::Engine;
use parlour::eval::{Machine, Waiting};
use parlour::num::{Int, Ratio};
use parlour::solve::{Concept, Task, Worth};
use serde_json::Value as Json;

#[test]
fn paranoid_values_are_what_each_is_sure_of() {
    fn sure(machine: &Machine, position: &parlour::eval::Position, hero: usize) -> Ratio {
        let Waiting::Choice { seats, .. } = &position.waiting else {
            let winners = position.outcome.clone().unwrap().winners;
            return match winners.contains(&hero) {
                true => Ratio::new(&Int::ONE, &Int::from(winners.len())),
                false => Ratio::ZERO,
            };
        };
        let behind = Engine::legal(machine, position, seats[0], false).unwrap().into_iter().map(|chosen| {
            let mut next = position.clone();
            machine.choose(&mut next, seats[0], chosen).unwrap();
            sure(machine, &next, hero)
        });
        if seats[0] == hero { behind.max().unwrap() } else { behind.min().unwrap() }
    }
    let cups = machine("cups", &[("stones", "7")], 3);
    let found = solved(&cups, &Task { concept: Concept::Paranoid, ..task(&cups) });
    let start = cups.start().unwrap();
    let known: Vec<Worth> = (0..3).map(|hero| Worth::Exact(sure(&cups, &start, hero))).collect();
    assert_eq!(found.worth, known);
}

#[test]
fn several_play_for_their_shares_of_the_win() {
    let parts = |of: &[(i64, i64)]| -> Vec<Worth> {
        of.iter().map(|(n, of)| Worth::Exact(Ratio::new(&Int::from(*n), &Int::from(*of)))).collect()
    };
    // Half of the win is more than a third, and more than two matches of five; who shares it is at 0 in the contract.
    let split = machine("split", &[], 3);
    let found = solved(&split, &task(&split));
    assert_eq!(found.worth, parts(&[(1, 2), (1, 2), (0, 1)]));
    assert_eq!(found.balance, parts(&[(0, 1), (0, 1), (-1, 1)]));
    let names = |first: &parlour::solve::RootMove| split.game.moves[first.chosen.mv].name.clone();
    let known: Vec<(String, Vec<Worth>)> =
        found.first.iter().map(|first| (names(first), first.worth.clone())).collect();
    let other = |name: &str, of: &[(i64, i64)]| (name.to_string(), parts(of));
    assert_eq!(
        known,
        [
            other("pair", &[(1, 2), (1, 2), (0, 1)]),
            other("gamble", &[(2, 5), (3, 5), (0, 1)]),
            other("trio", &[(1, 3), (1, 3), (1, 3)])
        ]
    );
    assert_eq!(found.first[1].balance, parts(&[(-1, 5), (1, 5), (-1, 1)]));
    let folder = Folder::new("split");
    folder.write("split.game", include_str!("split.game"));
    let (_, printed, _) = folder.type_in("solve split.game --json --all --engine reference");
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&json["value"], &json["share"]),
        (&serde_json::json!([0, 0, -1]), &serde_json::json!([0.5, 0.5, 0]))
    );
    let (_, printed, _) = folder.type_in("solve split.game --all --engine reference");
    assert!(printed.contains("player 1: half of the win, player 2: half of the win, player 3:"), "{printed}");
    assert!(printed.contains("40.00 % of the win"), "{printed}");
    // Against two who wait for ever, a third of the win that nobody gets is the most; also where stopping is a lottery
    // that is won in one of four matches and gives others three eighths.
    for luck in ["0", "1"] {
        let patience = machine("patience", &[("luck", luck)], 3);
        let found = solved(&patience, &Task { concept: Concept::Paranoid, ..task(&patience) });
        assert!(
            found.worth.iter().all(|worth| (worth.settled().unwrap() - 1.0 / 3.0).abs() < 1e-9),
            "{found:?}"
        );
    }
}
