//! Why a match is over: every kind of end, in small games that end so.

use parlour::play::{Rng, standings, why_over};

use super::{begun, names, rules, step, written};

/// What is said at the end of a game whose play and other parts are these, when each seat makes its one move.
fn end(parts: &str, players: usize) -> Vec<String> {
    let text = format!(
        "game \"End\" {{\n  players {players}\n}}\n\
         option goal: 1..100 = 3\n\
         table {{\n  left: 0..9 = 5\n  board: empty grid 3 by 3 of player\n}}\n\
         each player {{\n  taken: 0..20 = 0\n  hidden_card: 1..9 = 4 secret\n}}\n\
         move take {{\n  need left > 0 else \"nothing is left\"\n  left -= 1\n  me.taken += 1\n}}\n\
         move mark(at in board) {{\n  need board[at] is none else \"taken\"\n  board[at] := me\n}}\n\
         move pass {{ }}\n\
         move leave {{ out me }}\n\
         {parts}\n"
    );
    let mut played = begun(&written(&text), &[], players, 1);
    assert!(why_over(&played).is_empty() || played.over());
    let mut rng = Rng::nth(1, 0);
    for _ in 0..60 {
        if played.over() {
            break;
        }
        step(&mut played, &mut rng);
    }
    assert!(played.over(), "{parts}");
    why_over(&played)
}

#[test]
fn every_kind_of_end_says_why() {
    let last = "player 1 made the last move";
    for (parts, told) in [
        (
            "play { turns until stuck { take } }\nwinner last mover",
            &["the end: player 2 has no legal move", last][..],
        ),
        (
            "play { turns until stuck { take } }\nloser last mover",
            &["the end: player 2 has no legal move", "player 1 made the last move, and loses"],
        ),
        ("play { turns until left = 0 { take } }\nwinner last mover", &["the end: left is 0", last]),
        (
            "play { turns { take } until left <= 2 }\nwinner last mover",
            &["the end: left is at most 2 (left is 2)", last],
        ),
        (
            "play { turns until board is full { mark } }\nwinner last mover",
            &["the end: the board is full", last],
        ),
        (
            "play { turns skipping stuck { take } }\nwinner last mover",
            &["the end: nobody has a legal move", last],
        ),
        (
            "play { turns dropping stuck { take } }\nwinner last mover",
            &["the end: nobody is in any more", last],
        ),
        (
            "play { turns { leave } until size(standing) = 1 }\nwinner last in",
            &["the end: the number of players still in is 1"],
        ),
        (
            "play { repeat 2 as round { each p in players { ask p to take } } }\nwinner last mover",
            &["the end: the last round is over", "player 2 made the last move"],
        ),
        (
            "play { repeat 2 { take_all() } }\nrule take_all() { each p in players { ask p to take } }\nwinner last mover",
            &["the end: all has been played", "player 2 made the last move"],
        ),
        (
            "play { each p in players as deal { ask p to take } }\nwinner last mover",
            &["the end: the last deal is over", "player 2 made the last move"],
        ),
        (
            "play { ask seat(1) to take\n  ask seat(2) to pass }\nwinner highest me.taken",
            &["the end: all has been played", "the highest taken decides: player 1 1, player 2 0"],
        ),
        (
            "play { turns { take }\n  end when left = 1 // a cap\n}\nwinner last mover",
            &["the end: left is 1", "player 2 made the last move"],
        ),
        (
            "play { turns { take }\n  end when left = 1 // only one of the heap is left\n}\nwinner last mover",
            &["the end: only one of the heap is left (left is 1)", "player 2 made the last move"],
        ),
        (
            "play { turns { take } }\nwin me when me.taken >= goal",
            &["the end: the player’s taken is at least 3 (me.taken is 3)"],
        ),
        (
            "play { turns {\n  mark\n  win me when some(s in board: board[s] = me and s.row = 2) // whoever has a square in the middle row wins\n} }",
            &["the end: whoever has a square in the middle row wins (a2)"],
        ),
        ("play { turns { take\n  if left < 3 { win me } } }", &["the end: left is less than 3 (left is 2)"]),
        (
            "play { turns { take\n  if left < 3 { end } } }\nwinner lowest me.taken",
            &["the end: left is less than 3 (left is 2)", "the lowest taken decides: player 1 2, player 2 1"],
        ),
        (
            "play { if left = 5 { end }\n  turns until stuck { take } }\nwinner last mover",
            &["the end: left is 5"],
        ),
        (
            "play { turns { pass } until seat(1).hidden_card < 5 }\nwinner last mover",
            &["the end: player 1’s hidden card is less than 5", last],
        ),
        (
            "play { turns until stuck { take }\n  each p in players { award p.taken to p } }\nwinner highest score",
            &["the end: player 2 has no legal move"],
        ),
    ] {
        assert_eq!(end(parts, 2), told, "{parts}");
    }
}

/// Shipped games end as their sheets say.
#[test]
fn games_at_their_ends() {
    let mut out = String::new();
    for (_, games) in parlour::play::shelves() {
        for (game, _) in games {
            let rules = rules(&game);
            let mut played = begun(&rules, &[], rules.default_players(), 5);
            let mut rng = Rng::nth(5, 0);
            while !played.over() && played.depth() < 400 {
                step(&mut played, &mut rng);
            }
            assert_eq!(played.over(), !why_over(&played).is_empty(), "{game}");
            out.push_str(&format!("{game}: {}\n", why_over(&played).join("; ")));
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../telling");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("ends", out));
}

#[test]
fn standings_are_in_order_and_ties_share_a_place() {
    let text = |winner: &str| {
        written(&format!(
            "game \"S\" {{\n  players 4\n}}\nmove go(n in 0..9) {{ award n to me }}\nplay {{ each p in players {{ ask p to go }} }}\nwinner {winner}\n"
        ))
    };
    let scores = [3, 12, 3, 0].map(Into::into);
    let named = text("highest score").named(&names(&[(2, "Ann")])).unwrap();
    assert_eq!(
        standings(&named.game, &scores),
        ["1. Ann       12", "2. player 1   3", "2. player 3   3", "4. player 4   0"]
    );
    let lowest = text("lowest score");
    assert_eq!(standings(&lowest.game, &scores)[..2], ["1. player 4   0", "2. player 1   3"]);
}
